"""Transforms for PyTorch Geometric, one module per kind of row."""

from egonet.pyg.edges import AddEdgeEncoding as AddEdgeEncoding
from egonet.pyg.molecules import AddMoleculeEncoding as AddMoleculeEncoding
from egonet.pyg.nodes import AddEgoEncoding as AddEgoEncoding
from egonet.pyg.pairs import AddPairEncoding as AddPairEncoding
