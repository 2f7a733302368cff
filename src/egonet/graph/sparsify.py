"""A graph with at most k edges a node, chosen by a fixed hash: smaller balls, at the price of another encoding.

Every edge has a hash of its two node numbers. A node's threshold is the k-th smallest hash among its edges (none if
it has at most k); an edge stays if its hash is within the thresholds of both ends. The choice needs no randomness and
no order, so that any engine makes the same one from any part of the graph.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from egonet.errors import InputError
from egonet.graph.graph import Graph
from egonet.typing import Int32s, Int64s

Hashes = NDArray[np.uint64]
#: Arcs looked at in one go.
STRETCH = 1 << 22


def capped(graph: Graph, cap: int) -> Graph:
    """Return the graph with at most `cap` edges a node.

    Examples
    --------
    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 10)], 10)
    >>> capped(star, 3).degrees.tolist()[0], capped(star, 9).num_edges
    (3, 9)
    """
    if graph.directed is not None:
        raise InputError(
            "cap chooses undirected edges, and this graph is directed. Leave cap or directed out."
        )
    thresholds = cap_thresholds(graph.indptr, graph.indices, cap)
    parts = list(capped_stretches(graph.indptr, graph.indices, thresholds))
    indptr = np.zeros(graph.num_nodes + 1, dtype=np.int64)
    np.cumsum(np.concatenate([np.empty(0, np.int64), *(lengths for lengths, _ in parts)]), out=indptr[1:])
    indices = np.concatenate([np.empty(0, np.int32), *(kept for _, kept in parts)])
    return Graph.from_checked(indptr, indices, graph.nodes, None, graph.info)


def stretches(indptr: Int64s) -> list[tuple[int, int]]:
    """Return rows from and to, so that each stretch has about `STRETCH` arcs."""
    num_nodes, bounds = len(indptr) - 1, [0]
    while bounds[-1] < num_nodes:
        reach = int(np.searchsorted(indptr, indptr[bounds[-1]] + STRETCH, side="right")) - 1
        bounds.append(min(max(reach, bounds[-1] + 1), num_nodes))
    return list(pairwise(bounds))


def cap_thresholds(indptr: Int64s, indices: Int32s, cap: int) -> Hashes:
    """Return the largest hash that every node lets pass."""
    cap = min(cap, len(indices))  # one that lets everything pass may be any number
    thresholds = np.full(len(indptr) - 1, np.iinfo(np.uint64).max, dtype=np.uint64)
    for first, last in stretches(indptr):
        degrees = np.diff(indptr[first : last + 1])
        rows, hashes = _hashes(indptr, indices, first, last)
        order = np.lexsort((hashes, rows))
        crowded = np.flatnonzero(degrees > cap)
        starts = indptr[first + crowded] - indptr[first]
        thresholds[first + crowded] = hashes[order[starts + cap - 1]]
    return thresholds


def capped_stretches(indptr: Int64s, indices: Int32s, thresholds: Hashes) -> Iterator[tuple[Int64s, Int32s]]:
    """Yield, stretch by stretch, how many neighbors every node keeps, and which."""
    for first, last in stretches(indptr):
        rows, hashes = _hashes(indptr, indices, first, last)
        columns = np.asarray(indices[indptr[first] : indptr[last]])
        kept = (hashes <= thresholds[rows]) & (hashes <= thresholds[columns])
        yield np.bincount(rows[kept] - first, minlength=last - first), columns[kept]


def _hashes(indptr: Int64s, indices: Int32s, first: int, last: int) -> tuple[Int64s, Hashes]:
    """Return the row and the hash of every arc of some rows; both directions of an edge have the same hash."""
    rows = np.repeat(np.arange(first, last), np.diff(indptr[first : last + 1]))
    columns = np.asarray(indices[indptr[first] : indptr[last]]).astype(np.int64)
    low, high = np.minimum(rows, columns).astype(np.uint64), np.maximum(rows, columns).astype(np.uint64)
    mixed = (low << np.uint64(32) | high) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return rows, mixed ^ (mixed >> np.uint64(31))
