"""Ego-networks copied into one disjoint union, for tests that refine inside ego-networks."""

from dataclasses import dataclass

import numpy as np

from egonet import _native
from egonet.graph.graph import Graph
from egonet.typing import Int32s, Int64s


@dataclass(frozen=True, eq=False)
class EgoNetworks:
    """The ego-networks of some roots, each a component of one union.

    Attributes
    ----------
    graph
        The disjoint union of all ego-networks.
    ptr
        int64 (num_roots + 1,): ego-network i has the nodes `ptr[i]:ptr[i + 1]`, its root first.
    node
        int32: the node of the original graph that each is a copy of.
    distance
        int32: its distance from the root.
    """

    graph: Graph
    ptr: Int64s
    node: Int32s
    distance: Int32s

    @property
    def owner(self) -> Int64s:
        """Return the number of the ego-network that each node belongs to."""
        return np.repeat(np.arange(len(self.ptr) - 1), np.diff(self.ptr))


def ego_networks(graph: Graph, roots: Int64s, radius: int) -> EgoNetworks:
    """Return the disjoint union of the ego-networks of some roots, which are rows of the graph.

    Examples
    --------
    >>> around = ego_networks(Graph.from_edges([(0, 1), (1, 2)]), np.array([0, 1]), 1)
    >>> around.ptr.tolist(), around.node.tolist(), around.graph
    ([0, 2, 5], [0, 1, 1, 0, 2], Graph(num_nodes=5, num_edges=3))
    """
    ptr, node, distance, indptr, indices = _native.ego_networks(
        graph.indptr, graph.indices, np.asarray(roots, dtype=np.int64), radius
    )
    return EgoNetworks(Graph.from_checked(indptr, indices), ptr, node, distance)
