"""scikit-learn transformers: a row per graph (`GraphEncoder`) or per node of one graph (`NodeEncoder`)."""

from egonet.sklearn.estimator import BaseEncoder, GraphTransformer, SparseOutput, check_is_fitted, threads_of
from egonet.sklearn.graph_encoder import GraphEncoder
from egonet.sklearn.node_encoder import NodeEncoder

__all__ = [
    "BaseEncoder",
    "GraphEncoder",
    "GraphTransformer",
    "NodeEncoder",
    "SparseOutput",
    "check_is_fitted",
    "threads_of",
]
