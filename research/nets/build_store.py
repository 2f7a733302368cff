"""`build_store`: graphs and encodings as arrays in, a store of them on the device out."""

import numpy as np
import torch
from torch import Tensor

from egonet import Graph
from egonet.typing import Floats, Int64s
from research.nets.edges import Edges
from research.nets.neighbor_tables import (
    edge_table,
    largest_eigenvalues,
    neighbor_table,
    slot_weights,
    spectral_supports,
)
from research.nets.shape import Network, Spectral
from research.nets.store import Store


def build_store(
    network: Network,
    union: Graph,
    node_ptr: Int64s,
    inputs: Floats,
    extra: Floats | None = None,
    *,
    spectral: Spectral | None = None,
) -> Store:
    """Return the store a network reads, in float64 on the CPU.

    Parameters
    ----------
    network
        Decides which weights and supports are made.
    union, node_ptr
        All graphs as one, and where each begins.
    inputs
        (num_nodes, width): the same for every replica.
    extra
        (variants, num_nodes, columns): encodings; none if not given.
    spectral
        Settings of the spectrum; defaults if not given.
    """
    chosen = spectral or Spectral()
    table, reverse = neighbor_table(union, node_ptr)
    largest = (
        largest_eigenvalues(union, node_ptr) if network.kind == "chebnet" and chosen.own_largest else None
    )
    weights = slot_weights(union, table, node_ptr, network.propagation, largest=largest)
    added = np.zeros((1, union.num_nodes, 0)) if extra is None else extra
    return Store(
        node_ptr=torch.from_numpy(node_ptr.astype(np.int64)),
        sizes=torch.from_numpy(np.append(np.diff(node_ptr), 0).astype(np.int64)),
        neighbors=torch.from_numpy(table),
        reverse=torch.from_numpy(reverse),
        inputs=_padded(inputs),
        extra=torch.stack([_padded(variant) for variant in added]),
        weights=None if weights is None else torch.from_numpy(weights),
        edges=_edges(union, node_ptr, chosen) if network.kind == "gnnml3" else None,
    )


def _edges(union: Graph, node_ptr: Int64s, chosen: Spectral) -> Edges:
    """Return the edges of all graphs with their spectral supports, and no edge after them."""
    counts, ends, of_slot = edge_table(union, node_ptr)
    supports = spectral_supports(
        union,
        node_ptr,
        counts,
        ends,
        bandwidth=chosen.bandwidth,
        num_frequencies=chosen.num_frequencies,
        spectrum="adjacency" if chosen.spectrum == "adjacency" else "laplacian",
    )
    return Edges(
        first=torch.from_numpy(np.append(np.cumsum(counts) - counts, 0)),
        counts=torch.from_numpy(np.append(counts, 0)),
        ends=torch.from_numpy(np.concatenate([ends, np.zeros((1, 2), dtype=np.int32)])),
        of_slot=torch.from_numpy(of_slot),
        supports=_padded(supports),
        per_node=float((counts / np.maximum(np.diff(node_ptr), 1)).max()),
    )


def _padded(rows: Floats) -> Tensor:
    """Return rows with one of zeros after them."""
    return torch.from_numpy(np.concatenate([rows, np.zeros((1, rows.shape[1]))]))
