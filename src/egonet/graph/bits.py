"""Small graphs as rows of bits, and their canonical forms."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from egonet.errors import require_extra
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
    adjacent = adjacency(rows)
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
    return canonical_rows(to_bits(graphs))


def canonical_rows(rows: Bits) -> Bits:
    """Return the canonical forms of graphs given as rows of bits; igraph finds them.

    Examples
    --------
    >>> canonical_rows(np.array([[2, 1, 0], [0, 4, 2]], dtype=np.uint64)).tolist()
    [[0, 4, 2], [0, 4, 2]]
    """
    igraph = require_extra("igraph", "A canonical form", extra="iso")
    size = rows.shape[1]
    forms = np.zeros_like(rows)
    which, first, second = np.nonzero(np.triu(adjacency(rows)))
    pairs, bounds = (
        np.stack([first, second], axis=1).tolist(),
        np.searchsorted(which, np.arange(len(rows) + 1)),
    )
    named: list[tuple[int, int]] = []
    for begin, end in pairwise(bounds.tolist()):
        graph = igraph.Graph(size, pairs[begin:end])
        named += graph.permute_vertices(graph.canonical_permutation()).get_edgelist()
    ends = np.array(named, dtype=np.int64).reshape(-1, 2).T
    for end, other in (ends, ends[::-1]):
        np.bitwise_or.at(forms, (which, end), ONE << other.astype(np.uint64))
    return forms


def adjacency(rows: Bits) -> NDArray[np.bool_]:
    """Return the adjacency matrices of graphs given as rows of bits."""
    return (rows[:, :, None] >> np.arange(rows.shape[1], dtype=np.uint64) & ONE).astype(bool)


def by_degree(rows: Bits) -> Bits:
    """Return graphs with nodes sorted by degree and by the degrees of neighbors: many isomorphic ones become equal.

    Examples
    --------
    >>> by_degree(np.array([[2, 1, 0], [0, 4, 2]], dtype=np.uint64)).tolist()
    [[0, 4, 2], [0, 4, 2]]
    """
    adjacent = adjacency(rows)
    degrees = adjacent.sum(axis=2)
    order = np.lexsort(((adjacent * degrees[:, None, :] ** 2).sum(axis=2), degrees), axis=1)
    moved = np.take_along_axis(np.take_along_axis(adjacent, order[:, :, None], 1), order[:, None, :], 2)
    bits: Bits = (moved * (ONE << np.arange(rows.shape[1], dtype=np.uint64))).sum(axis=2, dtype=np.uint64)
    return bits


def extend_graphs(rows: Bits, neighborhoods: Bits) -> Bits:
    """Return graphs with one more node, once for each set of neighbors: the graphs of every graph follow each other.

    Examples
    --------
    >>> extend_graphs(np.array([[0]], dtype=np.uint64), np.array([0, 1], dtype=np.uint64)).tolist()
    [[0, 0], [2, 1]]
    """
    size = rows.shape[1]
    linked = neighborhoods[:, None] >> np.arange(size, dtype=np.uint64) & ONE
    old = rows[:, None, :] | linked << np.uint64(size)
    new = np.broadcast_to(neighborhoods[None, :, None], (*old.shape[:2], 1))
    return np.concatenate([old, new], axis=2).reshape(-1, size + 1)
