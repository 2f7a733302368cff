"""scikit-learn transformers: a row per graph (`GraphEncoder`) or per node of one graph (`NodeEncoder`)."""

from egonet.sklearn.graph_encoder import GraphEncoder
from egonet.sklearn.node_encoder import NodeEncoder

__all__ = ["GraphEncoder", "NodeEncoder"]
