"""Exact structural features for every node of a graph, from its ego-networks."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from egonet.encoding.encode import encode
from egonet.encoding.encoding import Encoding
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import EgonetError
from egonet.graph import named
from egonet.graph.convert import as_graph
from egonet.graph.graph import Graph
from egonet.io.read import read_graph, read_graphs
from egonet.version import __version__ as __version__

if TYPE_CHECKING:
    from egonet import duckdb, nn, store
    from egonet.attributes.ring_statistics import RingStatistics, ring_statistics
    from egonet.embeddings.embedding import Embedding, fit_embeddings
    from egonet.embeddings.skipgram import Start, Training, Walks
    from egonet.embeddings.transformer import EgoEmbedding
    from egonet.explanation.contrast import explain_difference, explain_graphs
    from egonet.explanation.explain import explain
    from egonet.explanation.importance import explain_model
    from egonet.nn import EgoInput
    from egonet.pairs.encode_pairs import encode_pairs
    from egonet.pairs.pair_encoder import PairEncoder
    from egonet.pairs.pair_transform import AddPairEncoding
    from egonet.pyg import AddEgoEncoding
    from egonet.sklearn import GraphEncoder, NodeEncoder
    from egonet.store.stored_encoding import load
    from egonet.temporal.stream import Stream
    from egonet.temporal.temporal_encoder import TemporalEncoder
    from egonet.viz.explorer import explore
    from egonet.wl.compare import compare, equivalent
    from egonet.wl.isomorphism import individualize
    from egonet.wl.refine import wl_colors

__all__ = [
    "AddEgoEncoding",
    "AddPairEncoding",
    "EgoEmbedding",
    "EgoInput",
    "EgonetError",
    "Embedding",
    "Encoding",
    "Graph",
    "GraphEncoder",
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
    "duckdb",
    "encode",
    "encode_pairs",
    "equivalent",
    "explain",
    "explain_difference",
    "explain_graphs",
    "explain_model",
    "explore",
    "fit_embeddings",
    "individualize",
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
    "attributes.ring_statistics": ("RingStatistics", "ring_statistics"),
    "embeddings.embedding": ("Embedding", "fit_embeddings"),
    "embeddings.skipgram": ("Start", "Training", "Walks"),
    "embeddings.transformer": ("EgoEmbedding",),
    "explanation.contrast": ("explain_difference", "explain_graphs"),
    "explanation.explain": ("explain",),
    "explanation.importance": ("explain_model",),
    "nn": ("EgoInput",),
    "pairs.encode_pairs": ("encode_pairs",),
    "pairs.pair_encoder": ("PairEncoder",),
    "pairs.pair_transform": ("AddPairEncoding",),
    "pyg": ("AddEgoEncoding",),
    "sklearn": ("GraphEncoder", "NodeEncoder"),
    "store.stored_encoding": ("load",),
    "temporal.stream": ("Stream",),
    "temporal.temporal_encoder": ("TemporalEncoder",),
    "viz.explorer": ("explore",),
    "wl.compare": ("compare", "equivalent"),
    "wl.isomorphism": ("individualize",),
    "wl.refine": ("wl_colors",),
}
_LAZY = {name: f"egonet.{module}" for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Return what is imported on first use; a missing extra package is an error that names the extra."""
    if name in ("duckdb", "nn", "store"):
        return import_module(f"egonet.{name}")
    if name not in _LAZY:
        raise AttributeError(f"module 'egonet' has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(_LAZY[name]), name)
    return found


def __dir__() -> list[str]:
    """Return the names in `__all__` too, which are not all loaded."""
    return sorted({*globals(), *__all__})
