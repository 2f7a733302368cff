"""SMILES without RDKit: our own parser for files that RDKit wrote, and RDKit for all that it does not know."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from egonet import _native
from egonet.graph.molecules import AtomLabels, MoleculeArrays, Molecules

#: What reads SMILES: RDKit, or our own parser.
Parser: TypeAlias = Literal["rdkit", "fast"]
#: Texts that are read in one call. More would be looked at again after every one that is left to RDKit.
_TEXTS = 128


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
    listed, position = list(texts), 0
    while position < len(listed):
        sizes = reader.add_texts(arrays.bonds, listed, position, _TEXTS).tolist()
        arrays.sizes += sizes
        position += len(sizes)
        if len(sizes) < _TEXTS and position < len(listed):  # the next one is not known
            arrays.add_codes(reader.take_codes())
            arrays.add(parse(position))
            position += 1
    arrays.add_codes(reader.take_codes())
    return arrays.finish()
