"""Encodings of molecules from their arrays: one union, one search, all radii."""

from egonet.encoding.count import CountTask, count
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import number_columns
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary
from egonet.graph.edge_types import subdivide
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
    known = settings if isinstance(settings, Vocabulary) else None
    chosen = settings.settings if isinstance(settings, Vocabulary) else settings
    graph = molecules.to_graph(bonds=bonds)
    columns = number_columns(graph, chosen, learned=known is not None)
    divided = None if columns.types is None else subdivide(graph, columns.types)
    task = CountTask(
        graph, columns.settings, molecules.ptr, None, columns.labels, threads, subdivision=divided
    )
    return Encoding(count(task, known, unseen))
