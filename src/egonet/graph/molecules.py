"""RDKit molecules: atoms, bonds and labels of many molecules as arrays, with a few calls of RDKit per molecule."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np

from egonet import _native
from egonet.errors import InputError
from egonet.graph.columns import Categories, EdgeTable
from egonet.graph.graph import Graph
from egonet.typing import Array, Int32s, Int64s

#: What the label of an atom is; see `Molecules`.
AtomLabels: TypeAlias = Literal["element", "atom", "invariant"]
#: The edge attribute of a molecule: its bonds.
BOND_TYPE = "bond_type"
#: The bonds that a matrix of bond orders can tell apart, in the order of native/molecules/bond_list.hpp.
_BY_ORDER = ("aromatic", "double", "single", "triple")
#: Molecules of more atoms are read bond by bond: a matrix grows with the square of the atoms.
_MOST_ATOMS = 400
#: RDKit keeps matrices under names with this prefix, until they are cleared.
_PREFIX = "egonet"


@dataclass(frozen=True, eq=False)
class Molecules:
    """Molecules as arrays: the atoms of all of them one after the other, and their bonds.

    Attributes
    ----------
    ptr
        int64 (num_molecules + 1,): the atoms of molecule i are `ptr[i]:ptr[i + 1]`.
    source, target
        int32 (num_bonds,): the two atoms of every bond.
    types
        int32 (num_bonds,): the position of its name in `type_names`. Names are RDKit's in lower case: "single",
        "double", "triple", "aromatic" (also of order one and a half), "dative", "zero", "hydrogen", ...; a bond of a
        query (SMARTS) is "query", since it may stand for several.
    type_names
        The names of the types, sorted.
    labels
        int32 (num_atoms,): the position of every atom's label in `label_names`; None without labels.
    label_names
        The labels, sorted: of "element" the symbol ("C"); of "atom" the symbol with its hydrogens and its charge
        ("CH3", "NH3+", "O-"); of "invariant" the connectivity invariant that Morgan fingerprints start from, a whole
        number.
    """

    ptr: Int64s
    source: Int32s
    target: Int32s
    types: Int32s
    type_names: tuple[str, ...]
    labels: Int32s | None = None
    label_names: tuple[Hashable, ...] | None = None

    def __len__(self) -> int:
        return len(self.ptr) - 1

    @property
    def bond_types(self) -> Array:
        """Return the name of every bond's type."""
        return np.array(self.type_names or ("",))[self.types]

    def labels_by_molecule(self) -> list[list[Hashable]] | None:
        """Return the labels of the atoms of every molecule; None without labels."""
        if self.labels is None or self.label_names is None:
            return None
        listed = [self.label_names[number] for number in self.labels.tolist()]
        return [listed[first:last] for first, last in pairwise(self.ptr.tolist())]

    def to_graph(self, *, bonds: bool = False) -> Graph:
        """Return the disjoint union of all molecules, with its bonds as the edges given; ids are positions of atoms.

        Labels of atoms are those of the nodes; `bonds` makes types of bonds those of the edges.
        """
        size = int(self.ptr[-1])
        graph = Graph.from_indices(self.source, self.target, size)
        own = np.arange(size) - np.repeat(self.ptr[:-1], np.diff(self.ptr))
        ids = None if len(self) == 1 else own
        table = EdgeTable(self.source, self.target)
        union = Graph.from_checked(graph.indptr, graph.indices, ids, None, graph.info, table)
        labels = None if self.labels is None else Categories(self.labels, self.label_names or ())
        return union.with_columns(
            {} if labels is None else {"labels": labels},
            {"edge_labels": Categories(self.types, self.type_names)} if bonds else {},
        )


def read_molecules(
    molecules: Sequence[Any], atom_labels: AtomLabels | None = None, *, in_order: bool = False
) -> Molecules:
    """Return the atoms and bonds of RDKit molecules as arrays.

    Bonds come from the matrix of bond orders, and one by one where it does not say all: dative bonds, bonds of order
    zero or above three, queries, large molecules. `in_order` lists them as RDKit does, which takes longer. The
    molecules are not changed.

    >>> from rdkit import Chem
    >>> ethanol = read_molecules([Chem.MolFromSmiles("CCO")], "atom")
    >>> ethanol.source.tolist(), ethanol.target.tolist(), ethanol.bond_types.tolist()
    ([0, 1], [1, 2], ['single', 'single'])
    >>> [ethanol.label_names[number] for number in ethanol.labels]
    ['CH3', 'CH2', 'OH']
    """
    from rdkit.rdBase import BlockLogs

    arrays = MoleculeArrays(atom_labels, in_order=in_order)
    with BlockLogs():  # our errors say what RDKit would print
        for molecule in molecules:
            arrays.add(molecule)
    return arrays.finish()


class MoleculeArrays:
    """Collects molecules one after the other; `finish` returns all of them.

    Parameters
    ----------
    atom_labels
        What the label of an atom is; None for no labels.
    in_order
        Whether bonds, and the two atoms of each, are in RDKit's order.
    """

    def __init__(self, atom_labels: AtomLabels | None, *, in_order: bool = False) -> None:
        self.atom_labels, self.in_order = atom_labels, in_order
        self.bonds = _native.BondList()
        self.sizes: list[int] = []
        self._names = {name: number for number, name in enumerate(_BY_ORDER)}
        self._codes: list[Any] = []
        self._read = {None: None, "element": _elements, "atom": _atom_codes, "invariant": _invariants}[
            atom_labels
        ]

    def add(self, molecule: Any) -> None:
        """Add an RDKit molecule."""
        from rdkit.Chem import GetAdjacencyMatrix

        size = molecule.GetNumAtoms()
        self.sizes.append(size)
        if self._read is not None:
            self._codes.append(self._read(molecule))
        if not self.in_order and 0 < size <= _MOST_ATOMS and not molecule.HasQuery():
            orders = GetAdjacencyMatrix(molecule, True, 0, True, _PREFIX)
            molecule.ClearProp(_PREFIX + "AdjacencyMatrixBO")
            if self.bonds.add_matrix(orders, molecule.GetNumBonds()):
                return
        self.bonds.add_bonds(size, _listed_bonds(molecule, self._names))

    def add_codes(self, codes: Array) -> None:
        """Add the codes of atoms that were added to `bonds` and `sizes` in another way."""
        self._codes.append(codes)

    def finish(self) -> Molecules:
        """Return the arrays of all molecules."""
        ptr = np.concatenate([[0], np.cumsum(self.sizes, dtype=np.int64)])
        source, target, types = self.bonds.arrays()
        used, numbers = np.unique(types, return_inverse=True)
        names = list(self._names)
        types, type_names = sort_labels(numbers, [names[number] for number in used.tolist()])
        if self.atom_labels is None:
            return Molecules(ptr, source, target, types, type_names)
        codes = np.concatenate([(), *self._codes], dtype=np.int64, casting="unsafe")  # () is of floats
        distinct, numbers = np.unique(codes, return_inverse=True)
        label_names: tuple[Hashable, ...]
        if self.atom_labels == "invariant":
            labels, label_names = numbers.astype(np.int32), tuple(distinct.tolist())
        else:
            texts = [atom_text(code, self.atom_labels) for code in distinct.tolist()]
            labels, label_names = sort_labels(numbers, texts)
        return Molecules(ptr, source, target, types, type_names, labels, label_names)


def bond_name(bond: Any) -> str:
    """Return the name of a bond's type, by the rule of `Molecules`."""
    if bond.HasQuery():
        return "query"
    name = str(bond.GetBondType()).lower()
    return "aromatic" if name == "oneandahalf" else name


def _listed_bonds(molecule: Any, names: dict[str, int]) -> list[tuple[int, int, int]]:
    """Return every bond as its two atoms and the number of its name; new names are added."""
    bonds = map(molecule.GetBondWithIdx, range(molecule.GetNumBonds()))
    return [
        (bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), names.setdefault(bond_name(bond), len(names)))
        for bond in bonds
    ]


def sort_labels(numbers: Array, texts: list[str]) -> tuple[Int32s, tuple[str, ...]]:
    """Return numbers and texts with the texts sorted.

    >>> numbers, texts = sort_labels(np.array([0, 1, 1]), ["N", "C"])
    >>> numbers.tolist(), texts
    ([1, 0, 0], ('C', 'N'))
    """
    order = sorted(range(len(texts)), key=texts.__getitem__)
    rank = np.empty(len(texts), dtype=np.int32)
    rank[order] = np.arange(len(texts), dtype=np.int32)
    return rank[numbers], tuple(texts[position] for position in order)


def _elements(molecule: Any) -> list[int]:
    """Return the atomic number of every atom."""
    from rdkit.Chem import Atom

    atoms = map(molecule.GetAtomWithIdx, range(molecule.GetNumAtoms()))
    return list(map(Atom.GetAtomicNum, atoms))


def atom_code(element: int, hydrogens: int, charge: int) -> int:
    """Return element, hydrogens and charge as one number.

    >>> atom_code(7, 3, 1) == 7 * 2**14 + 3 * 2**8 + 129
    True
    """
    return element << 14 | hydrogens << 8 | charge + 128


def _atom_codes(molecule: Any) -> list[int]:
    """Return element, hydrogens and charge of every atom as one number."""
    atoms = map(molecule.GetAtomWithIdx, range(molecule.GetNumAtoms()))
    try:
        return [atom_code(a.GetAtomicNum(), a.GetTotalNumHs(), a.GetFormalCharge()) for a in atoms]
    except RuntimeError:
        raise not_sanitized('atom_labels="atom" needs', 'use atom_labels="element"') from None


def _invariants(molecule: Any) -> list[int]:
    """Return the connectivity invariant of every atom."""
    from rdkit.Chem.rdMolDescriptors import GetConnectivityInvariants

    try:
        return list(GetConnectivityInvariants(molecule))
    except RuntimeError:
        raise not_sanitized('atom_labels="invariant" needs', 'use atom_labels="element"') from None


def not_sanitized(needs: str, way_out: str) -> InputError:
    """Return the error for a molecule that RDKit has not sanitized."""
    return InputError(
        f"{needs} hydrogens and rings, which a molecule has after Chem.SanitizeMol(molecule), got one without them. "
        f"Sanitize it, or {way_out}."
    )


def atom_text(code: int, atom_labels: AtomLabels) -> str:
    """Return the label of an atomic number ("element"), or of an `atom_code` ("atom").

    >>> atom_text(6, "element"), atom_text(atom_code(7, 3, 1), "atom"), atom_text(atom_code(8, 0, -2), "atom")
    ('C', 'NH3+', 'O-2')
    """
    from rdkit.Chem import GetPeriodicTable

    symbol: Any = GetPeriodicTable().GetElementSymbol
    if atom_labels == "element":
        return str(symbol(code))
    element, hydrogens, charge = code >> 14, (code >> 8) & 63, (code & 255) - 128
    text = str(symbol(element)) + ("" if hydrogens == 0 else "H" if hydrogens == 1 else f"H{hydrogens}")
    size = "" if abs(charge) < 2 else str(abs(charge))
    return text + ("" if charge == 0 else f"{'+' if charge > 0 else '-'}{size}")
