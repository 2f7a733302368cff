"""Graphs whose edges have types, as graphs whose nodes have: every edge becomes a node between its ends."""

from dataclasses import dataclass

import numpy as np

from egonet import _native
from egonet.attributes.edge_values import table_of
from egonet.errors import InputError
from egonet.graph.graph import MAX_NODES, Graph
from egonet.typing import Int32s, Int64s


@dataclass(frozen=True, eq=False)
class Subdivision:
    """A graph with a node on every edge.

    Attributes
    ----------
    indptr, indices
        The arrays of the graph, as in `Graph`: nodes 0 ... num_nodes - 1 are those of the graph itself, and all
        others are edges. An arc goes from its source to its node to its target.
    num_nodes
        How many nodes are not edges.
    types
        int32 (num_edges,): the type of the edge that each of the other nodes is.
    """

    indptr: Int64s
    indices: Int32s
    num_nodes: int
    types: Int32s

    def labels(self, nodes: Int32s | None) -> Int32s:
        """Return a number per node: the label of a node (0 without labels), the type of an edge."""
        own = np.zeros(self.num_nodes, dtype=np.int32) if nodes is None else nodes
        return np.concatenate([own, self.types])


def subdivide(graph: Graph, types: Int32s, *, within: Graph | None = None) -> Subdivision:
    """Return a graph with a node on every edge; `types` has a number per edge of `table_of(graph)`.

    Edges that `within`, a graph with the same nodes, does not have are left out.

    Loops are dropped. Edges between the same two nodes are one edge if they have one type, and several otherwise.

    Examples
    --------
    >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
    >>> made = subdivide(path, np.array([5, 7], dtype=np.int32))
    >>> made.indptr.tolist(), made.indices.tolist(), made.types.tolist()
    ([0, 1, 3, 4, 6, 8], [3, 3, 4, 4, 0, 1, 1, 2], [5, 7])
    """
    table = table_of(graph)
    first, second = table.source, table.target
    if graph.directed == "in":
        first, second = second, first
    if graph.num_nodes + len(first) > MAX_NODES:
        raise InputError(
            f"nodes and typed edges must be at most {MAX_NODES:,} together, got {graph.num_nodes + len(first):,}."
        )
    if within is not None and within is not graph:
        codes = np.repeat(np.arange(len(within)), within.degrees) * len(within) + within.indices
        kept = np.isin(first.astype(np.int64) * len(within) + second, codes)
        first, second, types = first[kept], second[kept], types[kept]
    arrays = _native.subdivide(first, second, types, graph.num_nodes, graph.directed is None)
    return Subdivision(arrays[0], arrays[1], graph.num_nodes, arrays[2])
