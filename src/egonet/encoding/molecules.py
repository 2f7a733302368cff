"""Encodings of molecules from their arrays: one union, one search, all radii."""

from egonet.encoding.encode import count_nodes
from egonet.encoding.encoding import Encoding
from egonet.encoding.request import add_graph, make_request
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary
from egonet.graph.molecules import Molecules


def encode_molecules(
    molecules: Molecules,
    settings: Settings | Vocabulary,
    *,
    bonds: bool,
    unseen: UnseenPolicy = "clip",
    threads: int = 0,
) -> Encoding:
    """Return the encoding of all atoms of some molecules, as `encode` of the molecules as graphs returns it.

    `bonds` makes types of bonds part of the columns; labels are those of the molecules. With a vocabulary in place of
    settings, counts are in its columns.

    >>> from rdkit import Chem
    >>> from egonet.graph.molecules import read_molecules
    >>> water, formaldehyde = (Chem.MolFromSmiles(smiles) for smiles in ("O", "C=O"))
    >>> read = read_molecules([water, formaldehyde], "element")
    >>> encode_molecules(read, Settings(1), bonds=True).vocabulary.feature_names[-1]
    'r1_d2_deg1_labelO'
    """
    if isinstance(settings, Vocabulary):
        request = make_request("nodes", vocabulary=settings, unseen=unseen)
    else:
        request = make_request("nodes", settings, unseen=unseen)
    request = add_graph(request, molecules.to_graph(bonds=bonds), molecules.ptr)
    return Encoding(count_nodes(request, threads=threads))
