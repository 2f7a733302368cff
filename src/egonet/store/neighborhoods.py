"""Balls in a graph on disk: which nodes are near some others, and the part of the graph they span."""

from typing import Any

import numpy as np

from egonet.typing import Int32s, Int64s


def ball(indptr: Int64s, indices: Int32s, sources: np.ndarray[Any, Any], radius: int) -> Int64s:
    """Return the nodes within `radius` hops of some sources, rising; only their lists are read.

    Examples
    --------
    >>> path = np.array([0, 1, 3, 5, 6]), np.array([1, 0, 2, 1, 3, 2], dtype=np.int32)
    >>> ball(*path, np.array([0]), 2).tolist()
    [0, 1, 2]
    """
    found = ring = np.unique(sources).astype(np.int64)
    for _ in range(radius):
        ring = np.setdiff1d(lists_of(indptr, indices, ring), found).astype(np.int64)
        if not len(ring):
            break
        found = np.union1d(found, ring)
    return found


def lists_of(indptr: Int64s, indices: Int32s, nodes: Int64s) -> Int32s:
    """Return the neighbors of some nodes, one list after the other.

    Examples
    --------
    >>> path = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], dtype=np.int32)
    >>> lists_of(*path, np.array([2, 1])).tolist()
    [1, 0, 2]
    """
    begin, degrees = indptr[nodes], indptr[nodes + 1] - indptr[nodes]
    ends = np.cumsum(degrees)
    places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begin - (ends - degrees), degrees)
    return np.asarray(indices[places])


def induced(indptr: Int64s, indices: Int32s, nodes: Int64s) -> tuple[Int64s, Int32s]:
    """Return the graph that some nodes span, in their order; `nodes` is rising.

    Examples
    --------
    >>> path = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], dtype=np.int32)
    >>> [part.tolist() for part in induced(*path, np.array([1, 2]))]
    [[0, 1, 2], [1, 0]]
    """
    neighbors = lists_of(indptr, indices, nodes)
    owners = np.repeat(np.arange(len(nodes)), indptr[nodes + 1] - indptr[nodes])
    places = np.searchsorted(nodes, neighbors)
    inside = nodes[np.minimum(places, len(nodes) - 1)] == neighbors
    lengths = np.bincount(owners[inside], minlength=len(nodes))
    return np.concatenate([[0], np.cumsum(lengths)]), places[inside].astype(np.int32)
