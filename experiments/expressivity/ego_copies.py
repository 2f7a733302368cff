"""Ego-networks copied into one disjoint union, for tests that refine inside ego-networks."""

from dataclasses import dataclass

import numpy as np

from egonet.graph.graph import Graph
from egonet.typing import Int32s, Int64s
from egonet.wl.refine import refine
from egonet.wl.tests import graph_classes


@dataclass(frozen=True, eq=False)
class Copies:
    """The ego-networks of some roots, each a component of one union.

    Attributes
    ----------
    graph
        The disjoint union of all copies.
    ptr
        int64 (num_roots + 1,): copy i has the nodes `ptr[i]:ptr[i + 1]`, its root first.
    node
        int32: which node of the original each is a copy of.
    distance
        int32: its distance from the root of its copy.
    """

    graph: Graph
    ptr: Int64s
    node: Int32s
    distance: Int32s

    @property
    def owner(self) -> Int64s:
        """Return the number of the copy that each node belongs to."""
        return np.repeat(np.arange(len(self.ptr) - 1), np.diff(self.ptr))


def ego_copies(graph: Graph, roots: Int64s, radius: int) -> Copies:
    """Return the disjoint union of the ego-networks of the roots.

    Examples
    --------
    >>> copies = ego_copies(Graph.from_edges([(0, 1), (1, 2)]), np.array([0, 1]), 1)
    >>> copies.ptr.tolist(), copies.node.tolist(), copies.graph
    ([0, 2, 5], [0, 1, 1, 0, 2], Graph(num_nodes=5, num_edges=3))
    """
    # A node of a copy has the key copy * num_nodes + node; the copies of a graph have all hops at once.
    size = graph.num_nodes
    rings = [np.arange(len(roots)) * size + roots]
    while len(rings) <= radius and len(rings[-1]):
        _, reached = _neighbor_keys(graph, rings[-1])
        rings.append(np.setdiff1d(reached, np.concatenate(rings[-2:]), assume_unique=False))
    keys = np.concatenate(rings)
    distance = np.repeat(np.arange(len(rings)), [len(ring) for ring in rings])
    order = np.lexsort((keys, distance, keys // size))
    keys, distance = keys[order], distance[order]
    by_key = np.argsort(keys)
    row, wanted = _neighbor_keys(graph, keys)
    place = by_key[np.minimum(np.searchsorted(keys[by_key], wanted), len(keys) - 1)]
    inside = keys[place] == wanted
    row, place = row[inside], place[inside]
    sorted_arcs = np.lexsort((place, row))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(keys)))])
    ptr = np.searchsorted(keys // size, np.arange(len(roots) + 1))
    union = Graph.from_checked(indptr, place[sorted_arcs].astype(np.int32))
    return Copies(union, ptr, (keys % size).astype(np.int32), distance.astype(np.int32))


def _neighbor_keys(graph: Graph, keys: Int64s) -> tuple[Int64s, Int64s]:
    """Return the position of every key, once per neighbor, and the key of that neighbor."""
    node = keys % graph.num_nodes
    many = graph.degrees[node]
    row = np.repeat(np.arange(len(keys)), many)
    inside = np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many)
    return row, (keys - node)[row] + graph.indices[graph.indptr[node[row]] + inside]


def copy_classes(copies: Copies, start: Int64s) -> Int64s:
    """Return a class per copy: the multiset of stable colors of its nodes, refined from `start`."""
    return graph_classes(refine(copies.graph, start), copies.ptr)
