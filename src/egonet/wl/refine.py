"""Stable color refinement: 1-WL on nodes and 2-FWL on pairs, as exact partitions instead of hash values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from egonet import _native
from egonet.encoding.encoding import Encoding
from egonet.errors import InputError
from egonet.graph.convert import as_graph, is_many, listed
from egonet.graph.graph import Graph
from egonet.graph.union import disjoint_union
from egonet.kernel.native import available_cores, row_classes
from egonet.typing import Int32s, Int64s

#: The largest number of pairs of nodes for 2-FWL: two graphs of 500 nodes.
MAX_PAIRS = 500_000


def wl_colors(graph: Any, start: Encoding | Sequence[Any] | np.ndarray[Any, Any] | None = None) -> Int64s:
    """Return the stable color of every node under 1-WL, numbered by first appearance.

    Two nodes have the same color if and only if no round of refinement distinguishes them. A round computes a
    new color from the color of the node and the multiset of its neighbors' colors.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts, or a list of such graphs. They are refined together: colors are concatenated
        in the order of the graphs and comparable across graphs.
    start
        The initial colors: an encoding of the same graph or graphs, or one label per node. All nodes have the
        same initial color if not given.

    Raises
    ------
    InputError
        If `start` does not have one row or label per node.

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

    Notes
    -----
    O((nodes + edges) log nodes) for any number of rounds. Colors are compared exactly, and they are the same for any
    number of threads. On a directed graph the neighbors of a node are the targets of its arcs.
    """
    graph = listed(graph)
    whole = disjoint_union(graph)[0] if is_many(graph) else as_graph(graph)
    return refine(whole, as_colors(start, whole))


def refine(graph: Graph, start: Int64s) -> Int64s:
    """Return the coarsest stable coloring that refines `start`, with colors 0, 1, ... without gaps."""
    arrays = graph.indptr, graph.indices
    reverse = arrays if graph.directed is None else _reverse(graph)
    colors = np.ascontiguousarray(start, dtype=np.int64)
    # A thread for every 400 microseconds of work, as everywhere.
    threads = min(available_cores(), 1 + (graph.num_nodes + len(graph.indices)) // 40_000)
    return _native.refine(*arrays, *reverse, colors, threads)


def folklore_colors(graph: Graph, graph_ptr: Int64s, start: Int64s | None = None) -> Int64s:
    """Return the stable color of every pair of nodes under 2-FWL, graph after graph, row by row.

    2-FWL is as strong as 3-WL. The initial color of a pair says equal, adjacent or neither. A round computes a new
    color of (u, v) from its color and the multiset over w of the colors of (u, w) and (w, v).

    Notes
    -----
    A round costs the sum of n³ log n over the graphs.
    """
    sizes = np.diff(graph_ptr)
    if int((sizes**2).sum()) > MAX_PAIRS and len(sizes) <= 2:
        raise InputError(
            f"2-FWL colors all {int((sizes**2).sum()):,} pairs of nodes, and takes at most {MAX_PAIRS:,}. "
            "Compare smaller graphs, or use an encoding."
        )
    colors = np.zeros(graph.num_nodes, dtype=np.int64) if start is None else start
    return _native.refine_pairs(graph.indptr, graph.indices, graph_ptr.astype(np.int64), colors)


def as_colors(start: Any, graph: Graph) -> Int64s:
    """Return initial colors as numbers without gaps, from an encoding, from labels, or one color for all nodes."""
    if start is None:
        return np.zeros(graph.num_nodes, dtype=np.int64)
    colors = start.classes if isinstance(start, Encoding) else np.asarray(start)
    if colors.shape != (graph.num_nodes,):
        raise InputError(
            f"start must have one row or label per node: {graph.num_nodes:,}, got shape {colors.shape}."
        )
    if isinstance(start, Encoding):
        return colors
    if colors.dtype.kind == "f":
        raise InputError("start must hold whole numbers or strings, got floats. Round or bin them first.")
    return np.unique(colors, return_inverse=True)[1].astype(np.int64)


def _reverse(graph: Graph) -> tuple[Int64s, Int32s]:
    """Return for every node the nodes that have it as a neighbor."""
    size = graph.num_nodes
    ones = np.ones(len(graph.indices), dtype=np.int8)
    turned = csr_array((ones, graph.indices, graph.indptr), shape=(size, size)).T.tocsr()
    return turned.indptr.astype(np.int64), turned.indices.astype(np.int32)


def graph_classes(classes: Int64s, graph_ptr: Int64s) -> Int64s:
    """Return one number per graph, equal if and only if the multisets of node classes are equal.

    Parameters
    ----------
    classes
        One class per node, concatenated over the graphs.
    graph_ptr
        The first node of each graph, then the number of nodes.
    """
    if not len(classes):
        return np.zeros(len(graph_ptr) - 1, dtype=np.int64)
    owner = np.repeat(np.arange(len(graph_ptr) - 1), np.diff(graph_ptr))
    ones = np.ones(len(classes), dtype=np.int32)
    shape = (len(graph_ptr) - 1, int(classes.max()) + 1)
    table = csr_array((ones, (owner, classes)), shape=shape)
    table.sum_duplicates()
    return row_classes(table.indptr.astype(np.int64), table.indices.astype(np.int32), table.data)
