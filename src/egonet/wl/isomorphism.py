"""Isomorphism: exact with igraph or networkx, and `individualize`, a search with a limited number of marked nodes."""

import importlib
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Unpack, get_args

import numpy as np
from numpy.typing import NDArray

from egonet import _native
from egonet.checks import as_threads, as_whole, one_of
from egonet.encoding.request import add_data, make_request
from egonet.encoding.settings import MAX_DEPTH, BinOptions, as_radius, take_options
from egonet.encoding.signature import list_options
from egonet.errors import InputError, MissingExtraError, option, require_extra, show_value
from egonet.graph.columns import Labels
from egonet.graph.graph import Graph
from egonet.graph.union import disjoint_union
from egonet.kernel.native import MOST_HOPS, available_cores
from egonet.typing import Array, Cell, Int32s, Int64s
from egonet.wl.neighborhoods import ego_networks
from egonet.wl.refine import NO_LABELS, ColorOptions, UnionLabels, graph_classes, owners


@dataclass(frozen=True, eq=False)
class _Colored:
    """A graph for other packages: edges or arcs (num_edges, 2), and a color per node, or None."""

    num_nodes: int
    edges: Array
    colors: list[int] | None
    is_directed: bool


def isomorphic(first: Graph, second: Graph, labels: UnionLabels = NO_LABELS) -> bool:
    """Return whether two graphs are equal up to a renaming of their nodes.

    Only nodes and edges with equal `labels`, those of the disjoint union, are matched. Without igraph and networkx this
    raises a MissingExtraError, unless the degrees already differ.

    >>> isomorphic(Graph.from_edges([("a", "b")]), Graph.from_edges([(7, 9)]))
    True
    """
    if not np.array_equal(np.sort(first.degrees), np.sort(second.degrees)):
        return False
    if (first.directed is None) != (second.directed is None):
        return False
    pair = _color_graphs(first, second, labels)
    first_profile, second_profile = (
        (graph.num_nodes, len(graph.edges), sorted(graph.colors or [])) for graph in pair
    )
    if first_profile != second_profile:
        return False
    igraph = _optional("igraph")
    if igraph is not None:
        return _by_igraph(igraph, *pair)
    networkx = _optional("networkx")
    if networkx is None:
        raise MissingExtraError('exact isomorphism needs an extra package: pip install "egonet[iso]".')
    return _by_networkx(networkx, *pair)


def _color_graphs(first: Graph, second: Graph, labels: UnionLabels) -> list[_Colored]:
    """Return both graphs with colors; an edge with a type becomes a node of that color between its ends."""
    graphs = (first, second)
    if labels.edges is None:
        start = None if labels.nodes is None else np.split(labels.nodes, [first.num_nodes])
        return [
            _Colored(
                graph.num_nodes,
                np.column_stack(graph.edge_rows()),
                None if start is None else start[side].tolist(),
                graph.directed is not None,
            )
            for side, graph in enumerate(graphs)
        ]
    keep = () if first.edge_table is not None or second.edge_table is not None else None
    union, ptr = disjoint_union(list(graphs), keep=keep)
    divided, colors = labels.subdivided(union, labels.start(union))
    owner, edges = owners(divided, ptr), np.column_stack(divided.edge_rows())
    parts = []
    for side in range(2):
        rows = np.flatnonzero(owner == side)
        mine = np.searchsorted(rows, edges[owner[edges[:, 0]] == side])
        parts.append(_Colored(len(rows), mine, colors[rows].tolist(), divided.directed is not None))
    return parts


def _optional(name: str) -> Any:
    """Return a package, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _by_igraph(igraph: Any, first: _Colored, second: _Colored) -> bool:
    """Return the answer of BLISS, or of VF2 for directed graphs."""
    pair = [
        igraph.Graph(n=graph.num_nodes, edges=graph.edges, directed=graph.is_directed)
        for graph in (first, second)
    ]
    colors: Any = {} if first.colors is None else {"color1": first.colors, "color2": second.colors}
    test = pair[0].isomorphic_vf2 if first.is_directed else pair[0].isomorphic_bliss
    return bool(test(pair[1], **colors))


def _by_networkx(networkx: Any, first: _Colored, second: _Colored) -> bool:
    """Return the answer of VF2++, or of VF2 for directed graphs."""
    pair = []
    for graph in (first, second):
        copy = networkx.DiGraph() if graph.is_directed else networkx.Graph()
        colors = graph.colors or [0] * graph.num_nodes
        copy.add_nodes_from((node, {"color": color}) for node, color in enumerate(colors))
        copy.add_edges_from(graph.edges.tolist())
        pair.append(copy)
    if first.is_directed:
        return bool(networkx.is_isomorphic(*pair, node_match=lambda one, other: one == other))
    return bool(networkx.vf2pp_is_isomorphic(*pair, node_label="color")) if first.num_nodes else True


@dataclass(frozen=True, eq=False)
class SearchClasses:
    """The classes of nodes, and of graphs as multisets of the classes of their nodes.

    Attributes
    ----------
    nodes
        int64 (num_nodes,): the class of every node, numbered by first appearance.
    complete
        bool (num_nodes,): whether the marks were enough to determine what was searched. Two nodes with the same
        complete class have isomorphic ego-networks (components, without a radius), root on root.
    graph_ptr
        int64 (num_graphs + 1,): where the nodes of each graph begin.
    """

    nodes: Int64s
    complete: NDArray[np.bool_]
    graph_ptr: Int64s

    @property
    def graphs(self) -> Int64s:
        """Return the class of every graph, numbered by first appearance."""
        return graph_classes(self.nodes, self.graph_ptr)


@list_options
def individualize(
    graph: Any,
    depth: int,
    radius: int | None = None,
    cell: Cell = "largest",
    *,
    labels: Labels | None = None,
    threads: int | None = None,
    **options: Unpack[ColorOptions],
) -> SearchClasses:
    """Return the class of every node under a search that marks up to `depth` nodes, the root included.

    The nodes around a root are colored by their distance from it and refined by 1-WL to a stable partition, whose
    cells have an order that does not depend on node numbers. The outcome is the quotient: the sizes of the cells,
    and how many neighbors a node of each cell has in every other. While marks are left, each node of the target cell
    is marked in turn, and the partition is refined again. The class of a search is its outcome with the multiset of
    the classes of its children.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts, undirected, or a list of such graphs.
    depth
        The number of marks, at least 1: the root, and one more node per level of the search.
    radius
        Search in the ego-network of this radius; None for everything that the root reaches.
    cell
        Where marks are set: "largest" takes the largest cell (the first of equals), "all" every cell of two or more.
    labels
        A label per node, as for `egonet.encode`.
    edge_labels, weights
        A type per edge, or with `weight_bins` a number per edge, as for `egonet.encode`.
    threads
        How many threads search; one per core if not given. Classes do not depend on it.
    weight_bins
        How weights become edge types, as in `Settings`.
    directed
        None reads arcs as undirected edges and warns, False does not warn. Arcs are not followed.
    source, target, num_nodes, nodes, missing, ids, simplify
        How the graph is read, as for `as_graph`.

    Raises
    ------
    InputError
        If an argument breaks a rule, or the graph is directed.

    Examples
    --------
    2-FWL does not distinguish these two graphs; a root and one more mark do.

    >>> import egonet
    >>> pair = [egonet.named.shrikhande(), egonet.named.rook_4x4()]
    >>> individualize(pair, depth=1).graphs.tolist(), individualize(pair, depth=2).graphs.tolist()
    ([0, 0], [0, 1])

    Every ego-network of radius 1 of a cycle is a path, which the root determines.

    >>> individualize(egonet.named.cycle(5), depth=1, radius=1).complete.all()
    np.True_

    Notes
    -----
    `kernel/search_tree.py` is the definition in plain Python. Outcomes and classes are integer sequences
    compared in full, never hash values. Cost: a search refines once per sequence of marks; automorphisms that are found
    save searches. Each distinct outcome is kept until the call ends: compare large graphs in pairs.
    """
    reading: Any = dict(options)
    request = make_request("wl", None, take_options(reading, BinOptions))
    request = add_data(request, graph, labels=labels, **reading)
    union, graph_ptr = request.graph, request.graph_ptr
    assert union is not None
    assert graph_ptr is not None
    if union.directed is not None:
        raise InputError(
            f"individualize needs an undirected graph, got {option('directed', union.directed)}. Read it with "
            f"{option('directed', False)}."
        )
    if not 1 <= as_whole("depth", depth) <= MAX_DEPTH:
        raise InputError(f"depth must be between 1 and {MAX_DEPTH:,}, got {show_value(depth)}.")
    one_of("cell", cell, get_args(Cell))
    hops = -1 if radius is None else min(max(as_radius(radius)), MOST_HOPS)
    kinds = None if request.types is None else _arc_labels(request.types, union)
    nodes, complete = _native.individualize(
        union.indptr,
        union.indices,
        depth,
        hops,
        cell == "all",
        request.labels,
        kinds,
        1 if kinds is None else int(kinds.max(initial=0)) + 1,
        as_threads(threads) or available_cores(),
    )
    return SearchClasses(nodes, complete, graph_ptr)


def _arc_labels(types: Int32s, graph: Graph) -> Int32s:
    """Return the label of every arc from those of the edges: a number for the set of types between two nodes."""
    # Without a table there is one type per edge, in row order already.
    numbers = types if graph.edge_table is None else UnionLabels(edges=types).type_sets(graph)[0]
    source, indices = np.repeat(np.arange(graph.num_nodes), graph.degrees), graph.indices
    forward = source < indices
    arcs = np.empty(len(indices), dtype=np.int32)
    arcs[forward] = numbers
    # Arcs (v, u) with v > u, sorted by (u, v), are the reverses of the forward arcs in their order.
    backward = np.flatnonzero(~forward)
    arcs[backward[np.lexsort((source[backward], indices[backward]))]] = arcs[forward]
    return arcs


def isomorphism_classes(graph: Graph, radius: int, labels: Int64s | None = None) -> Int64s:
    """Return the isomorphism class of every node's ego-network, root on root, numbered by first appearance.

    No function of ego-networks of this radius distinguishes nodes of the same class. The canonical form is computed by
    BLISS, in igraph.

    >>> isomorphism_classes(Graph.from_edges([(0, 1), (1, 2), (2, 3)]), 1).tolist()
    [0, 1, 1, 0]
    """
    igraph = require_extra("igraph", "The isomorphism class of an ego-network", extra="iso")
    around = ego_networks(graph, np.arange(graph.num_nodes), radius)
    ptr, node, distance = around.ptr, around.node, around.distance
    indptr, indices = around.graph.indptr, around.graph.indices
    colors = distance.astype(np.int64)
    if labels is not None:
        colors = np.unique(np.column_stack([distance, labels[node]]), axis=0, return_inverse=True)[1]
    source = np.repeat(np.arange(len(node)), np.diff(indptr))
    numbers: dict[Hashable, int] = {}
    numbers_of_classes = np.empty(graph.num_nodes, dtype=np.int64)
    for root, (first, last) in enumerate(zip(ptr[:-1].tolist(), ptr[1:].tolist(), strict=True)):
        arcs = slice(indptr[first], indptr[last])
        forward = source[arcs] < indices[arcs]
        ends = np.stack([source[arcs][forward], indices[arcs][forward]], axis=1) - first
        ball = igraph.Graph(n=last - first, edges=ends, vertex_attrs={"color": colors[first:last].tolist()})
        # igraph applies the permutation itself: its versions differ in what a permutation means.
        ball = ball.permute_vertices(ball.canonical_permutation(color="color"))
        form = (tuple(ball.vs["color"]), tuple(sorted(tuple(sorted(edge)) for edge in ball.get_edgelist())))
        numbers_of_classes[root] = numbers.setdefault(form, len(numbers))
    return numbers_of_classes
