"""Color refinement to stability: 1-WL on nodes and 2-FWL on pairs, as partitions and never as hash values."""

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
from egonet.typing import Int32s, Int64s

#: Pairs of nodes beyond which 2-FWL is refused: two graphs of 500 nodes.
MAX_PAIRS = 500_000


def wl_colors(graph: Any, start: Encoding | Sequence[Any] | np.ndarray[Any, Any] | None = None) -> Int64s:
    """Return the stable color of every node under 1-WL, numbered by first appearance.

    Two nodes have the same color if and only if no round of refinement tells them apart: a round gives a
    node a new color from its own and the multiset of its neighbors'.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts, or a list of such graphs, refined together: colors are then those of the
        first graph's nodes, the second's, and so on, and may be compared across graphs.
    start
        The colors to begin with: an encoding of the same graph or graphs, or a label per node. All alike if
        not given.

    Raises
    ------
    InputError
        If `start` has not one row or label per node.

    Examples
    --------
    On a path of four the ends differ from the inner nodes; no degree tells more.

    >>> wl_colors([("a", "b"), ("b", "c"), ("c", "d")]).tolist()
    [0, 1, 1, 0]

    Two triangles and a six-ring look alike to 1-WL, but not if it starts from the encoding at radius 1.

    >>> import egonet
    >>> triangles = egonet.Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    >>> both = [triangles, egonet.named.cycle(6)]
    >>> wl_colors(both).tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    >>> wl_colors(both, start=egonet.encode(both, radius=1)).tolist()
    [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]

    Notes
    -----
    Partition refinement by splitters: O((nodes + edges) log nodes), whatever the number of rounds. On a
    directed graph a node sees the neighbors its arcs lead to.
    """
    graph = listed(graph)
    whole = disjoint_union(graph)[0] if is_many(graph) else as_graph(graph)
    return refine(whole, as_colors(start, whole))


def refine(graph: Graph, start: Int64s) -> Int64s:
    """Return the coarsest stable coloring that refines `start`, colors 0, 1, ... without gaps."""
    indptr, indices = graph.indptr, graph.indices
    if graph.directed is not None:
        indptr, indices = _reverse(graph)
    return _native.refine(indptr, indices, np.ascontiguousarray(start, dtype=np.int64))


def folklore_colors(graph: Graph, graph_ptr: Int64s, start: Int64s | None = None) -> Int64s:
    """Return the stable color of every pair of nodes under 2-FWL, graph after graph, row by row.

    2-FWL is as strong as 3-WL. A pair begins as equal, adjacent or neither; a round gives (u, v) a new color
    from its own and the multiset over w of the colors of (u, w) and (w, v).

    Examples
    --------
    In a triangle a pair is a node with itself or an edge.

    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (2, 0)])
    >>> folklore_colors(triangle, np.array([0, 3])).tolist()
    [0, 1, 1, 1, 0, 1, 1, 1, 0]

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
    """Return start colors as numbers without gaps: from an encoding, labels, or alike for all.

    Examples
    --------
    >>> as_colors(["N", "C", "N"], Graph.from_edges([(0, 1), (1, 2)])).tolist()
    [1, 0, 1]
    """
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
