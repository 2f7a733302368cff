"""SMILES without RDKit: our own parser for files that RDKit wrote, and RDKit for all that it does not know."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from egonet import _native
from egonet.graph.molecules import AtomLabels, MoleculeArrays, Molecules

#: What reads SMILES: RDKit, or our own parser.
Parser: TypeAlias = Literal["rdkit", "fast"]


def read_smiles(texts: Sequence[str], atom_labels: AtomLabels | None, parse: Any) -> Molecules:
    """Return the atoms and bonds of SMILES as arrays, equal to those of the molecules that RDKit reads.

    The parser knows organic atoms, charges, hydrogens, rings and aromatic rings of five to seven atoms as RDKit writes
    them. Marks of stereochemistry are skipped: they change neither labels nor bonds. All other text is left to
    `parse`, a function from a position to the RDKit molecule there: isotopes, metals, hydrogens as atoms, rings in
    Kekule's form, charges or valences that RDKit would change or refuse.

    >>> from rdkit import Chem
    >>> texts = ["C[C@H](N)c1ccccc1"]
    >>> read = read_smiles(texts, "atom", lambda position: Chem.MolFromSmiles(texts[position]))
    >>> read.labels_by_molecule()
    [['CH3', 'CH', 'NH2', 'C', 'CH', 'CH', 'CH', 'CH', 'CH']]
    """
    arrays = MoleculeArrays(atom_labels)
    reader = _native.SmilesReader({None: 0, "element": 0, "atom": 1, "invariant": 2}[atom_labels])
    for position, text in enumerate(texts):
        size = reader.add(arrays.bonds, text)
        if size < 0:
            arrays.add_codes(reader.take_codes())
            arrays.add(parse(position))
        else:
            arrays.sizes.append(size)
    arrays.add_codes(reader.take_codes())
    return arrays.finish()
