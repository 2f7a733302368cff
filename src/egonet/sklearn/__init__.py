"""scikit-learn transformers: a row per graph (`GraphEncoder`) or per node of one graph (`NodeEncoder`)."""

from egonet.sklearn.base import BaseEncoder, GraphTransformer, SparseOutput, check_is_fitted, threads_of
from egonet.sklearn.graphs import GraphEncoder
from egonet.sklearn.models import with_graph, without_data
from egonet.sklearn.nodes import NodeEncoder

__all__ = [
    "BaseEncoder",
    "GraphEncoder",
    "GraphTransformer",
    "NodeEncoder",
    "SparseOutput",
    "check_is_fitted",
    "threads_of",
    "with_graph",
    "without_data",
]
