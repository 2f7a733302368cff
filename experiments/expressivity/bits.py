"""Small graphs as rows of bits, and their canonical forms."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from egonet import _native
from egonet.graph.graph import Graph
from egonet.typing import Int32s

Bits: TypeAlias = NDArray[np.uint64]
ONE = np.uint64(1)


def from_bits(rows: Bits) -> list[Graph]:
    """Return the graphs of some adjacency matrices, one 64-bit row of bits per node.

    Examples
    --------
    >>> from_bits(np.array([[2, 1]], dtype=np.uint64))
    [Graph(num_nodes=2, num_edges=1)]
    """
    size = rows.shape[1]
    places = np.arange(size, dtype=np.uint64)
    adjacent = (rows[:, :, None] >> places & ONE).astype(bool)
    graph, _, target = np.nonzero(adjacent)
    indptr = np.zeros((len(rows), size + 1), dtype=np.int64)
    np.cumsum(adjacent.sum(axis=2), axis=1, out=indptr[:, 1:])
    starts = np.searchsorted(graph, np.arange(len(rows) + 1))
    targets: Int32s = target.astype(np.int32)
    return [Graph.from_checked(indptr[i], targets[starts[i] : starts[i + 1]]) for i in range(len(rows))]


def to_bits(graphs: Sequence[Graph]) -> Bits:
    """Return graphs of equal size, at most 64 nodes, as one 64-bit row of bits per node.

    Examples
    --------
    >>> to_bits([Graph.from_edges([(0, 1), (1, 2)])]).tolist()
    [[2, 5, 2]]
    """
    size = graphs[0].num_nodes
    rows = np.zeros((len(graphs), size), dtype=np.uint64)
    for row, graph in zip(rows, graphs, strict=True):
        source = np.repeat(np.arange(size), graph.degrees)
        np.bitwise_or.at(row, source, ONE << graph.indices.astype(np.uint64))
    return rows


def canonical_bits(graphs: Sequence[Graph]) -> Bits:
    """Return the canonical form of graphs of equal size, at most 64 nodes: equal if and only if isomorphic.

    Examples
    --------
    >>> forms = canonical_bits([Graph.from_edges([(0, 1)], 3), Graph.from_edges([(1, 2)], 3)])
    >>> (forms[0] == forms[1]).all()
    np.True_
    """
    return _native.canonical_form(to_bits(graphs))
