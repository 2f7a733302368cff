"""Exact structural features for every node of a graph, from its ego-networks."""

from egonet.contrast import explain_difference, explain_graphs, explain_model
from egonet.embeddings.embedding import Embedding
from egonet.embeddings.fit import fit_embeddings
from egonet.embeddings.skipgram import Start, Training
from egonet.embeddings.walks import Walks
from egonet.encoding.encode import encode
from egonet.encoding.encoding import Encoding
from egonet.encoding.saved import load
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import EgonetError
from egonet.explain import explain
from egonet.graph import named
from egonet.graph.convert import as_graph
from egonet.graph.graph import Graph
from egonet.io.read import read_graph, read_graphs
from egonet.viz.explorer import explore
from egonet.wl.compare import compare, equivalent
from egonet.wl.refine import wl_colors

__version__ = "0.1.0"
__all__ = [
    "EgonetError",
    "Embedding",
    "Encoding",
    "Graph",
    "Settings",
    "Start",
    "Training",
    "Vocabulary",
    "Walks",
    "as_graph",
    "compare",
    "encode",
    "equivalent",
    "explain",
    "explain_difference",
    "explain_graphs",
    "explain_model",
    "explore",
    "fit_embeddings",
    "load",
    "named",
    "read_graph",
    "read_graphs",
    "wl_colors",
]
