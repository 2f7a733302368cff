"""Exact structural features for every node of a graph, from its ego-networks."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from egonet.encoding.encode import encode
from egonet.encoding.encoding import Encoding
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import EgonetError
from egonet.graph import named
from egonet.graph.adapters import as_graph
from egonet.graph.graph import Graph
from egonet.graph.union import disjoint_union
from egonet.io.read import read_graph, read_graphs
from egonet.version import __version__ as __version__

if TYPE_CHECKING:
    from egonet import distributed, duckdb, links, nn, store
    from egonet.embeddings.embedding import Embedding, fit_embeddings
    from egonet.embeddings.skipgram import Start, Training, Walks
    from egonet.encoding.ranks import degree_rank
    from egonet.encoding.ring_statistics import RingStatistics, ring_statistics
    from egonet.explanation.contrast import explain_difference, explain_graphs
    from egonet.explanation.explain import explain
    from egonet.explanation.importance import explain_model
    from egonet.nn import EdgeInput, EgoInput
    from egonet.pairs.cycles import edge_cycles
    from egonet.pairs.edges import encode_edges
    from egonet.pairs.encode import encode_pairs
    from egonet.pyg.edges import AddEdgeEncoding
    from egonet.pyg.molecules import AddMoleculeEncoding
    from egonet.pyg.nodes import AddEgoEncoding
    from egonet.pyg.pairs import AddPairEncoding
    from egonet.sklearn import GraphEncoder, NodeEncoder
    from egonet.sklearn.edges import EdgeEncoder
    from egonet.sklearn.embedding import EgoEmbedding
    from egonet.sklearn.events import EventEncoder
    from egonet.sklearn.molecules import MoleculeEncoder
    from egonet.sklearn.pairs import PairEncoder
    from egonet.sklearn.temporal import TemporalEncoder
    from egonet.store.encoding import load
    from egonet.temporal.stream import Stream
    from egonet.viz.explorer import explore
    from egonet.wl.compare import compare, equivalent
    from egonet.wl.isomorphism import individualize
    from egonet.wl.refine import wl_colors

__all__ = [
    "AddEdgeEncoding",
    "AddEgoEncoding",
    "AddMoleculeEncoding",
    "AddPairEncoding",
    "EdgeEncoder",
    "EdgeInput",
    "EgoEmbedding",
    "EgoInput",
    "EgonetError",
    "Embedding",
    "Encoding",
    "EventEncoder",
    "Graph",
    "GraphEncoder",
    "MoleculeEncoder",
    "NodeEncoder",
    "PairEncoder",
    "RingStatistics",
    "Settings",
    "Start",
    "Stream",
    "TemporalEncoder",
    "Training",
    "Vocabulary",
    "Walks",
    "as_graph",
    "compare",
    "degree_rank",
    "disjoint_union",
    "distributed",
    "duckdb",
    "edge_cycles",
    "encode",
    "encode_edges",
    "encode_pairs",
    "equivalent",
    "explain",
    "explain_difference",
    "explain_graphs",
    "explain_model",
    "explore",
    "fit_embeddings",
    "individualize",
    "links",
    "load",
    "named",
    "nn",
    "read_graph",
    "read_graphs",
    "ring_statistics",
    "store",
    "wl_colors",
]
#: Module to names that are imported on first use: some need an extra package, and importing all takes long.
_MODULES = {
    "encoding.ranks": ("degree_rank",),
    "encoding.ring_statistics": ("RingStatistics", "ring_statistics"),
    "embeddings.embedding": ("Embedding", "fit_embeddings"),
    "embeddings.skipgram": ("Start", "Training", "Walks"),
    "sklearn.embedding": ("EgoEmbedding",),
    "explanation.contrast": ("explain_difference", "explain_graphs"),
    "explanation.explain": ("explain",),
    "explanation.importance": ("explain_model",),
    "nn": ("EdgeInput", "EgoInput"),
    "pairs.edges": ("encode_edges",),
    "pairs.cycles": ("edge_cycles",),
    "pairs.encode": ("encode_pairs",),
    "sklearn.events": ("EventEncoder",),
    "sklearn.molecules": ("MoleculeEncoder",),
    "sklearn.edges": ("EdgeEncoder",),
    "sklearn.pairs": ("PairEncoder",),
    "pyg.pairs": ("AddPairEncoding",),
    "pyg.edges": ("AddEdgeEncoding",),
    "pyg.molecules": ("AddMoleculeEncoding",),
    "pyg.nodes": ("AddEgoEncoding",),
    "sklearn": ("GraphEncoder", "NodeEncoder"),
    "store.encoding": ("load",),
    "temporal.stream": ("Stream",),
    "sklearn.temporal": ("TemporalEncoder",),
    "viz.explorer": ("explore",),
    "wl.compare": ("compare", "equivalent"),
    "wl.isomorphism": ("individualize",),
    "wl.refine": ("wl_colors",),
}
_LAZY = {name: f"egonet.{module}" for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Return what is imported on first use; a missing extra package is an error that names the extra."""
    if name in ("distributed", "duckdb", "links", "nn", "store"):
        return import_module(f"egonet.{name}")
    if name not in _LAZY:
        raise AttributeError(f"module 'egonet' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_LAZY[name]), name)
    return value


def __dir__() -> list[str]:
    """Return the names in `__all__` too, which are not all loaded."""
    return sorted({*globals(), *__all__})
