"""Molecules from SMILES: graphs with atom and bond types, Morgan fingerprints, the scaffold split. Needs RDKit."""

from collections import defaultdict
from typing import Any

import numpy as np
import scipy.sparse as sparse

from research.today.sources import GraphList, join_graphs

Array = np.ndarray[Any, Any]


def read_smiles(smiles: list[str], *, tolerant: bool = False) -> tuple[list[Any], Array]:
    """Return the molecules that RDKit can read, and their positions; `tolerant` keeps those with invalid valences."""
    from rdkit import Chem, RDLogger

    RDLogger.DisableLog("rdApp.*")  # type: ignore[attr-defined]
    found, rows = [], []
    for row, text in enumerate(smiles):
        molecule = Chem.MolFromSmiles(text)
        if molecule is None and tolerant:
            molecule = Chem.MolFromSmiles(text, sanitize=False)
            if molecule is not None:
                molecule.UpdatePropertyCache(strict=False)
                Chem.FastFindRings(molecule)
        if molecule is not None and molecule.GetNumAtoms():
            found.append(molecule)
            rows.append(row)
    return found, np.array(rows)


def molecule_graphs(molecules: list[Any]) -> GraphList:
    """Return molecules as graphs; an atom's label is its element, hydrogens, charge and whether it is aromatic."""
    kinds: dict[tuple[Any, ...], int] = {}
    parts = []
    for molecule in molecules:
        labels = [
            kinds.setdefault(
                (atom.GetAtomicNum(), atom.GetTotalNumHs(), atom.GetFormalCharge(), atom.GetIsAromatic()),
                len(kinds),
            )
            for atom in molecule.GetAtoms()
        ]
        bonds = [
            (bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), int(bond.GetBondTypeAsDouble() * 2))
            for bond in molecule.GetBonds()
        ]
        ends = np.array([bond[:2] for bond in bonds], dtype=np.int64).reshape(-1, 2)
        parts.append((len(labels), ends, np.array(labels), np.array([bond[2] for bond in bonds])))
    return join_graphs(parts)


def morgan(molecules: list[Any], radius: int = 2, bits: int = 2048) -> Any:
    """Return Morgan fingerprints with counts, sparse."""
    from rdkit.Chem import rdFingerprintGenerator

    maker = rdFingerprintGenerator.GetMorganGenerator(radius=radius, fpSize=bits)
    rows, columns, counts = [], [], []
    for number, molecule in enumerate(molecules):
        for column, count in maker.GetCountFingerprint(molecule).GetNonzeroElements().items():
            rows.append(number)
            columns.append(column)
            counts.append(count)
    return sparse.csr_array((counts, (rows, columns)), shape=(len(molecules), bits))


def scaffold_groups(molecules: list[Any]) -> list[list[int]]:
    """Return the molecules of every scaffold."""
    from rdkit.Chem.Scaffolds.MurckoScaffold import MurckoScaffoldSmiles

    groups = defaultdict(list)
    for number, molecule in enumerate(molecules):
        scaffold = MurckoScaffoldSmiles(mol=molecule, includeChirality=False)  # type: ignore[no-untyped-call]
        groups[scaffold].append(number)
    return list(groups.values())


def scaffold_split(molecules: list[Any]) -> Array:
    """Return the parts (1, molecules): scaffolds from the largest to the smallest fill train, validation, test 8:1:1.

    Of equally large scaffolds the one that begins later comes first, as in DeepChem.
    """
    parts = np.full((1, len(molecules)), 2, dtype=np.int8)
    counts = [0, 0]
    limits = [0.8 * len(molecules), 0.1 * len(molecules)]
    ordered = sorted(scaffold_groups(molecules), key=lambda group: (len(group), group[0]), reverse=True)
    for members in ordered:
        part = next((part for part in (0, 1) if counts[part] + len(members) <= limits[part]), 2)
        parts[0, members] = part
        if part < 2:
            counts[part] += len(members)
    return parts


def draw_parts(groups: list[list[int]], rng: np.random.Generator) -> Array:
    """Return 0 (train), 1 (validation) or 2 (test) per molecule: scaffolds in random order fill 8:1:1.

    A scaffold that does not fit into what is left of a part goes to training, so that large ones are never tested on.

    Examples
    --------
    >>> parts = draw_parts([[0, 1, 2, 3], [4], [5], [6], [7], [8], [9]], np.random.default_rng(0))
    >>> np.bincount(parts).tolist(), parts[0]
    ([8, 1, 1], np.int64(0))
    """
    size = sum(map(len, groups))
    parts, left = np.zeros(size, dtype=np.int64), {2: round(size / 10), 1: round(size / 10)}
    for number in rng.permutation(len(groups)):
        members = groups[number]
        part = next((part for part in left if len(members) <= left[part]), 0)
        parts[members] = part
        if part:
            left[part] -= len(members)
    return parts
