"""Small graphs of PyG that several tests read."""

import torch
from torch_geometric.data import Data


def undirected(pairs, **fields):
    ends = torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).t()
    return Data(edge_index=torch.cat([ends, ends.flip(0)], dim=1), **fields)


def path(n, **fields):
    return undirected([(i, i + 1) for i in range(n - 1)], num_nodes=n, **fields)


def tailed_triangle(**fields):
    return undirected([(0, 1), (1, 2), (2, 0), (2, 3)], num_nodes=4, **fields)
