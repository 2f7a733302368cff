"""Attributes of edges and nodes: types, amounts, and statistics of them in ego-networks."""
