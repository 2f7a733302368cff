"""Stable color refinement: 1-WL on nodes and 2-FWL on pairs as exact partitions, with labels of nodes and edges."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from scipy.sparse import csr_array

from egonet import _native
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import number_columns
from egonet.encoding.request import add_data, make_request
from egonet.encoding.schema import Schema
from egonet.encoding.settings import BinOptions, Settings, take_options
from egonet.encoding.signature import list_options
from egonet.errors import InputError
from egonet.graph.adapters import as_list, is_many
from egonet.graph.align import align_labels
from egonet.graph.collect import collect_graphs, reject_unordered_items
from egonet.graph.columns import EdgeOptions, Labels, Names
from egonet.graph.edge_types import subdivide
from egonet.graph.graph import Graph
from egonet.graph.input_options import ReadOptions
from egonet.kernel.native import available_cores, row_classes
from egonet.typing import Array, Int32s, Int64s

#: The largest number of pairs of nodes for 2-FWL: two graphs of 500 nodes.
MAX_PAIRS = 500_000


class ColorOptions(ReadOptions, EdgeOptions, BinOptions):
    """The keywords of tests of equality: types of edges, how numbers become types, and how the graph is read."""


@list_options
def wl_colors(
    graph: Any,
    start: Encoding | Sequence[Any] | Array | None = None,
    *,
    labels: Labels | None = None,
    **options: Unpack[ColorOptions],
) -> Int64s:
    """Return the stable color of every node under 1-WL, numbered by first appearance.

    Two nodes have the same color if and only if no round of refinement distinguishes them. A round computes a
    new color from the color of the node and the multiset of its neighbors' colors; with edge types, from the
    multiset of pairs (type of the edge, color of the neighbor).

    Parameters
    ----------
    graph
        Anything `as_graph` accepts, or a list of such graphs. They are refined together: colors are concatenated
        in the order of the graphs and comparable across graphs.
    start
        The initial colors: an encoding of the same graph or graphs, or labels as in `encode`: one per node, or a
        mapping, Series or table that is aligned by id. If not given, the labels of the graph; without labels all nodes
        have the same initial color.
    labels, edge_labels, weights
        A label per node, and a type or a number per edge, as in `encode`; a `Graph` that has them needs none.
    weight_bins
        How weights become edge types, as in `Settings`.
    directed, source, target, num_nodes, nodes, missing, ids, simplify
        How the graph is read, as for `as_graph`; directed="out" or "in" follows arcs that way.

    Raises
    ------
    InputError
        If `start` does not have one row or label per node, or another argument breaks a rule.

    Examples
    --------
    On a path of four nodes the ends differ from the inner nodes.

    >>> wl_colors([("a", "b"), ("b", "c"), ("c", "d")]).tolist()
    [0, 1, 1, 0]

    1-WL does not distinguish two triangles from a cycle of six, unless it starts from the encoding at radius 1.

    >>> import egonet
    >>> triangles = egonet.Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    >>> both = [triangles, egonet.named.cycle(6)]
    >>> wl_colors(both).tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    >>> wl_colors(both, start=egonet.encode(both, radius=1)).tolist()
    [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]

    The ends of a path differ if the edges to them do.

    >>> wl_colors([("a", "b"), ("b", "c")], edge_labels=["single", "double"]).tolist()
    [0, 1, 2]

    Notes
    -----
    The colors with edge types are those of 1-WL on the graph with a node of color t on every edge of type t.
    O((nodes + edges) log nodes) for any number of rounds. Colors are compared exactly, and they are the same for any
    number of threads. On a directed graph the neighbors of a node are the targets of its arcs.
    """
    if start is not None and labels is not None:
        raise InputError(
            "give start or labels, not both: labels are the initial colors. Leave one of them out."
        )
    reading: Any = dict(options)
    request = make_request("wl", None, take_options(reading, BinOptions))
    graph = as_list(graph)
    request = add_data(request, graph, labels=labels, **reading)
    union, graph_ptr = request.graph, request.graph_ptr
    assert union is not None
    assert graph_ptr is not None
    if start is not None and not isinstance(start, Encoding) and reading.get("nodes") is None:
        each = graph if is_many(graph) else [graph]
        reject_unordered_items(each, np.split(union.node_ids, graph_ptr[1:-1]), start, "start")
    return UnionLabels(edges=request.types).refine(union, as_colors(start, union, graph_ptr))


def refine_colors(graph: Graph, start: Int64s) -> Int64s:
    """Return the coarsest stable coloring that refines `start`, with colors 0, 1, ... without gaps.

    `start` has one number per row of the graph, whatever its ids.

    >>> refine_colors(Graph.from_edges([(0, 1), (1, 2), (2, 3)]), np.zeros(4)).tolist()
    [0, 1, 1, 0]
    """
    arrays = graph.indptr, graph.indices
    reverse = arrays if graph.directed is None else _reverse(graph)
    colors = np.ascontiguousarray(start, dtype=np.int64)
    # One thread for every 400 microseconds of work.
    threads = min(available_cores(), 1 + (graph.num_nodes + len(graph.indices)) // 40_000)
    return _native.refine(*arrays, *reverse, colors, threads)


def folklore_colors(graph: Graph, graph_ptr: Int64s, start: Int64s | None = None) -> Int64s:
    """Return the stable color of every pair of nodes under 2-FWL, graph after graph, row by row.

    2-FWL is as strong as 3-WL. The initial color of a pair says equal, adjacent or neither. A round computes a new
    color of (u, v) from its color and the multiset over w of the colors of (u, w) and (w, v). It costs the sum of
    n³ log n over the graphs.

    In a triangle every pair is a node with itself, or an edge.

    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (2, 0)])
    >>> folklore_colors(triangle, np.array([0, 3])).tolist()
    [0, 1, 1, 1, 0, 1, 1, 1, 0]
    """
    sizes = np.diff(graph_ptr)
    if int((sizes**2).sum()) > MAX_PAIRS and len(sizes) <= 2:
        raise InputError(
            f"2-FWL colors all {int((sizes**2).sum()):,} pairs of nodes, and takes at most {MAX_PAIRS:,}. "
            "Compare smaller graphs, or use an encoding."
        )
    colors = np.zeros(graph.num_nodes, dtype=np.int64) if start is None else start
    return _native.refine_pairs(graph.indptr, graph.indices, graph_ptr.astype(np.int64), colors)


def as_colors(start: Any, graph: Graph, graph_ptr: Int64s) -> Int64s:
    """Return initial colors as numbers without gaps, from an encoding, from labels, or one color for all nodes.

    >>> as_colors(["N", "C", "N"], Graph.from_edges([(0, 1), (1, 2)]), np.array([0, 3])).tolist()
    [1, 0, 1]
    """
    if start is None:
        unlabeled = np.zeros(graph.num_nodes, dtype=np.int64)
        return unlabeled if graph.labels is None else graph.labels.numbers.astype(np.int64)
    if not isinstance(start, Encoding):
        return align_labels(start, graph.node_ids, graph_ptr, "start").numbers.astype(np.int64)
    if len(start) != graph.num_nodes:
        raise InputError(
            f"start must have one row or label per node: {graph.num_nodes:,}, got {len(start):,} rows."
        )
    if not np.array_equal(start.nodes, graph.node_ids):
        raise InputError(
            "start is an encoding of other nodes, or of the same nodes in another order. Encode the graph given here."
        )
    return start.classes


def _reverse(graph: Graph) -> tuple[Int64s, Int32s]:
    """Return for every node the nodes that have it as a neighbor."""
    size = graph.num_nodes
    ones = np.ones(len(graph.indices), dtype=np.int8)
    turned = csr_array((ones, graph.indices, graph.indptr), shape=(size, size)).T.tocsr()
    return turned.indptr.astype(np.int64), turned.indices.astype(np.int32)


def graph_classes(classes: Int64s, graph_ptr: Int64s) -> Int64s:
    """Return one number per graph, equal if and only if the multisets of node classes are equal.

    `classes` has one class per node, concatenated over the graphs, whose first nodes are in `graph_ptr`.

    >>> graph_classes(np.array([0, 1, 1, 0, 1, 1]), np.array([0, 2, 4, 6])).tolist()
    [0, 0, 1]
    """
    if not len(classes):
        return np.zeros(len(graph_ptr) - 1, dtype=np.int64)
    owner = np.repeat(np.arange(len(graph_ptr) - 1), np.diff(graph_ptr))
    ones = np.ones(len(classes), dtype=np.int32)
    shape = (len(graph_ptr) - 1, int(classes.max()) + 1)
    table = csr_array((ones, (owner, classes)), shape=shape)
    table.sum_duplicates()
    return row_classes(table.indptr.astype(np.int64), table.indices.astype(np.int32), table.data)


@dataclass(frozen=True, eq=False)
class UnionLabels:
    """The labels of a disjoint union, as numbers that mean the same in all of its graphs.

    Attributes
    ----------
    nodes
        int32 (num_nodes,): the label of every node; None without labels.
    edges
        int32: the type of every edge of `union.given_edges()`; None without types.
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
            return refine_colors(graph, start)
        divided, colors = self.subdivided(graph, start)
        return refine_colors(divided, colors)[: graph.num_nodes]

    def folklore(self, graph: Graph, graph_ptr: Int64s) -> Int64s:
        """Return the stable color under 2-FWL of the pair of every node with itself."""
        ptr = graph_ptr
        divided_graph, start, rows = graph, self.start(graph), np.arange(graph.num_nodes)
        if self.edges is not None:
            divided, colors = self.subdivided(graph, start)
            owner = owners(divided, graph_ptr)
            order = np.argsort(owner, kind="stable")
            divided_graph, rows = divided.induced(order), np.argsort(order)[: graph.num_nodes]
            start, ptr = colors[order], np.searchsorted(owner[order], np.arange(len(graph_ptr)))
        sizes = np.diff(ptr)
        first = np.concatenate([[0], np.cumsum(sizes**2)])
        of = np.searchsorted(ptr, rows, side="right") - 1
        diagonal = first[of] + (rows - ptr[of]) * (sizes[of] + 1)
        classes: Int64s = folklore_colors(divided_graph, ptr, start)[diagonal]
        return classes

    def subdivided(self, graph: Graph, start: Int64s) -> tuple[Graph, Int64s]:
        """Return the graph with a node on every edge, and colors: those of nodes, then different ones for edges."""
        assert self.edges is not None
        made = subdivide(graph, self.edges)
        divided = Graph.from_checked(made.indptr, made.indices, None, graph.directed and "out")
        return divided, np.concatenate([start, int(start.max(initial=-1)) + 1 + made.types.astype(np.int64)])

    def type_sets(self, graph: Graph) -> tuple[Int64s, list[tuple[int, ...]]]:
        """Return a number per edge in row order, and the set of types of each number: all types between two nodes."""
        assert self.edges is not None
        table, size = graph.given_edges(), graph.num_nodes
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
    """Return the number of the graph to which every node of a subdivided union belongs.

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
    graphs: Sequence[Graph], labels: Any, settings: Settings, **edges: Unpack[EdgeOptions]
) -> tuple[Graph, Int64s, UnionLabels]:
    """Return the disjoint union of graphs, the first node of each, and its labels as numbers.

    >>> edge = Graph.from_edges([("a", "b")])
    >>> union, ptr, found = join_labels((edge, edge), [["C", "O"], {"b": "N", "a": "O"}], Settings())
    >>> found.nodes.tolist(), found.edges
    ([0, 2, 2, 1], None)
    """
    union, ptr = collect_graphs(list(graphs), labels=labels, **edges)
    columns = number_columns(union, Schema(settings))
    learned = columns.schema
    names = UnionLabels(columns.labels, columns.types, learned.labels, learned.edge_labels)
    return union.with_columns({}, {}), ptr, names
