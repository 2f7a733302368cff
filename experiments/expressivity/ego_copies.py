"""Ego-networks copied into one disjoint union, for tests that refine inside ego-networks."""

from dataclasses import dataclass

import numpy as np

from egonet import _native
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
    ptr, node, distance, indptr, indices = _native.ego_networks(
        graph.indptr, graph.indices, roots.astype(np.int64), radius
    )
    return Copies(Graph.from_checked(indptr, indices), ptr, node, distance)


def copy_classes(copies: Copies, start: Int64s) -> Int64s:
    """Return a class per copy: the multiset of stable colors of its nodes, refined from `start`."""
    return graph_classes(refine(copies.graph, start), copies.ptr)
