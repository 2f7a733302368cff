"""Labels of the nodes and edges of two or more graphs that are compared: numbers over their disjoint union."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from egonet.attributes.edge_types import kept_names, subdivide, table_of
from egonet.encoding.encode import edge_types
from egonet.encoding.labels import Names, as_labels
from egonet.encoding.settings import Settings
from egonet.graph.graph import Graph
from egonet.graph.union import disjoint_union
from egonet.typing import Int32s, Int64s
from egonet.wl.refine import folklore_colors, refine


@dataclass(frozen=True, eq=False)
class UnionLabels:
    """The labels of a disjoint union, as numbers that mean the same in all of its graphs.

    Attributes
    ----------
    nodes
        int32 (num_nodes,): the label of every node; None without labels.
    edges
        int32: the type of every edge of `table_of(union)`; None without types.
    node_names, edge_names
        What the numbers stand for.
    """

    nodes: Int32s | None = None
    edges: Int32s | None = None
    node_names: Names | None = None
    edge_names: Names | None = None

    def start(self, graph: Graph) -> Int64s:
        """Return the initial color of every node: its label."""
        if self.nodes is None:
            return np.zeros(graph.num_nodes, dtype=np.int64)
        return self.nodes.astype(np.int64)

    def refine(self, graph: Graph, start: Int64s) -> Int64s:
        """Return the stable colors of 1-WL, in which a neighbor counts with the type of the edge to it.

        An edge of type t is a node of that color between its ends, as in an encoding.
        """
        if self.edges is None:
            return refine(graph, start)
        divided, colors = self.subdivided(graph, start)
        return refine(divided, colors)[: graph.num_nodes]

    def folklore(self, graph: Graph, graph_ptr: Int64s) -> tuple[Int64s, Int64s]:
        """Return the stable colors of pairs under 2-FWL, and where the pair of every node with itself is."""
        ptr = graph_ptr
        whole, start, rows = graph, self.start(graph), np.arange(graph.num_nodes)
        if self.edges is not None:
            divided, colors = self.subdivided(graph, start)
            owner = owners(divided, graph_ptr)
            order = np.argsort(owner, kind="stable")
            whole, rows = divided.induced(order), np.argsort(order)[: graph.num_nodes]
            start, ptr = colors[order], np.searchsorted(owner[order], np.arange(len(graph_ptr)))
        sizes = np.diff(ptr)
        first = np.concatenate([[0], np.cumsum(sizes**2)])
        of = np.searchsorted(ptr, rows, side="right") - 1
        return folklore_colors(whole, ptr, start), first[of] + (rows - ptr[of]) * (sizes[of] + 1)

    def subdivided(self, graph: Graph, start: Int64s) -> tuple[Graph, Int64s]:
        """Return the graph with a node on every edge, and colors: those of the nodes, then others for the edges."""
        assert self.edges is not None
        made = subdivide(graph, self.edges)
        divided = Graph.from_checked(made.indptr, made.indices, None, graph.directed and "out")
        return divided, np.concatenate([start, int(start.max(initial=-1)) + 1 + made.types.astype(np.int64)])

    def type_sets(self, graph: Graph) -> tuple[Int64s, list[tuple[int, ...]]]:
        """Return a number per edge in row order, and the types it stands for: those of all edges between its ends."""
        assert self.edges is not None
        table, size = table_of(graph), graph.num_nodes
        first, second = table.source, table.target
        if graph.directed == "in":
            first, second = second, first
        elif graph.directed is None:
            first, second = np.minimum(first, second), np.maximum(first, second)
        proper = first != second
        code = first[proper].astype(np.int64) * size + second[proper]
        pairs = np.unique(np.column_stack([code, self.edges[proper]]), axis=0)
        start = np.unique(pairs[:, 0], return_index=True)[1]
        sets = [tuple(types.tolist()) for types in np.split(pairs[:, 1], start[1:])] if len(start) else []
        members = sorted(set(sets))
        numbers = {types: number for number, types in enumerate(members)}
        return np.array([numbers[types] for types in sets], dtype=np.int64), members


NO_LABELS = UnionLabels()


def owners(divided: Graph, graph_ptr: Int64s) -> Int64s:
    """Return the graph that every node of a subdivided union belongs to; an edge belongs to that of its ends.

    Examples
    --------
    Graphs of one and of two nodes; node 3 hangs on the first, node 4 is the edge of the second.

    >>> divided = Graph.from_edges([(0, 3), (1, 4), (2, 4)], num_nodes=5)
    >>> owners(divided, np.array([0, 1, 3])).tolist()
    [0, 1, 1, 0, 1]
    """
    num_nodes = int(graph_ptr[-1])
    own = np.searchsorted(graph_ptr, np.arange(num_nodes), side="right") - 1
    ends = divided.indices[divided.indptr[num_nodes:-1]]
    return np.concatenate([own, own[ends]])


def join_labels(
    graphs: Sequence[Graph], labels: Any, edge_labels: Any, weights: Any, settings: Settings
) -> tuple[Graph, Int64s, UnionLabels]:
    """Return the disjoint union of graphs, the first node of each, and its labels as numbers.

    Examples
    --------
    >>> edge = Graph.from_edges([("a", "b")])
    >>> union, ptr, found = join_labels((edge, edge), [["C", "O"], {"b": "N", "a": "O"}], None, None, Settings())
    >>> found.nodes.tolist(), found.edges
    ([0, 2, 2, 1], None)
    """
    keep = kept_names(edge_labels, weights)
    union, ptr = disjoint_union(list(graphs), keep=keep)
    types, edge_names = None, None
    if edge_labels is not None or weights is not None or settings.weight_bins is not None:
        types, typed = edge_types(edge_labels, weights, union, ptr, replace(settings, edge_labels=None))
        edge_names = typed.edge_labels
    nodes, node_names = as_labels(labels, union.node_ids, ptr, None)
    return union, ptr, UnionLabels(nodes, types, node_names, edge_names)
