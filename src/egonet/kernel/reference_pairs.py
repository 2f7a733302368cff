"""The definitions of rows of pairs and of rows at a time in plain Python, which their kernels must equal."""

from collections import Counter
from collections.abc import Sequence

from egonet.kernel.reference import (
    Key,
    Neighbors,
    Rows,
    _label,
    _neighbors,
    count_keys,
    distances,
    ego_keys,
    pack_rows,
)
from egonet.typing import DEGREE_FIELDS, Degrees, Int32s, Int64s


def encode_pair_rows(
    indptr: Int64s,
    indices: Int32s,
    pairs: Int64s,
    radius: int,
    *,
    without_edge: bool = True,
    ordered: bool = False,
    max_degree: int | None = None,
    degree_bins: str | None = None,
    direction: str | None = None,
    labels: Int32s | None = None,
    divided: bool = False,
) -> Rows:
    """Return one row per pair (u, v) of `pairs`, computed from the definition; with labels, keys end with the label.

    If `divided`, edges are nodes between their ends, and `without_edge` leaves out the nodes between u and v.

    A path 0-1-2, the pair of its ends: both are two hops apart, and the middle is next to both.

    >>> import numpy as np
    >>> indptr, indices = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], dtype=np.int32)
    >>> rows = encode_pair_rows(indptr, indices, np.array([[0, 2]]), 1)
    >>> rows.keys.tolist(), rows.counts.tolist()
    ([[0, 2, 1], [1, 1, 2]], [2, 1])
    """
    neighbors = _neighbors(indptr, indices)
    histograms = []
    for u, v in pairs.tolist():
        leave_out = without_edge_nodes if divided else without_arcs
        left = leave_out(neighbors, u, v, direction) if without_edge else neighbors
        keys = pair_keys(left, u, v, radius)
        found: Counter[Key] = Counter()
        for x, (first, second, degree) in keys.items():
            degree = degree if max_degree is None else min(degree, max_degree)
            if degree_bins == "log" and degree > 0:
                degree = 1 << (degree.bit_length() - 1)
            one, other = (first, second) if ordered or direction else sorted((first, second))
            found[one, other, degree, *_label(labels, x)] += 1
        histograms.append(found)
    return pack_rows(histograms, width=3 + (labels is not None))


def pair_keys(neighbors: Neighbors, u: int, v: int, radius: int) -> dict[int, tuple[int, int, int]]:
    """Return for every node within `radius` of u or v its distances from both and its degree among those nodes.

    A distance above the radius, or none at all, is radius + 1.
    """
    from_u, from_v = distances(neighbors, u, radius), distances(neighbors, v, radius)
    inside = from_u.keys() | from_v.keys()
    far = radius + 1
    return {
        x: (from_u.get(x, far), from_v.get(x, far), sum(w in inside for w in neighbors[x])) for x in inside
    }


def without_arcs(neighbors: Neighbors, u: int, v: int, direction: str | None) -> Neighbors:
    """Return the graph without the edge between u and v, or without the arc from u to v if there are directions."""
    gone = {(v, u)} if direction == "in" else {(u, v)} if direction == "out" else {(u, v), (v, u)}
    left = list(neighbors)
    for row in {first for first, _ in gone}:
        left[row] = [w for w in neighbors[row] if (row, w) not in gone]
    return left


def without_edge_nodes(neighbors: Neighbors, u: int, v: int, direction: str | None) -> Neighbors:
    """Return a graph whose edges are nodes, without the edges between u and v, or from u to v if directed."""
    source, target = (v, u) if direction == "in" else (u, v)
    gone = {e for e in neighbors[source] if target in neighbors[e]}
    return [[] if x in gone else [w for w in row if w not in gone] for x, row in enumerate(neighbors)]


def window_rows(
    events: Sequence[tuple[int, int]],
    num_nodes: int,
    queries: Sequence[tuple[int, int, int]],
    radius: int,
    *,
    degrees: Degrees = "total",
    frontier_edges: bool = True,
    max_degree: int | None = None,
    symmetric: bool = True,
    labels: Int32s | None = None,
) -> Rows:
    """Return a row per query (node, first, last): the row of the node in the graph of `events[first:last]`.

    The second event is over before the third begins.

    >>> window_rows([(0, 1), (1, 2), (2, 0)], 3, [(2, 0, 2), (2, 2, 3)], 1).keys.tolist()
    [[0, 1], [1, 1]]
    """
    histograms = []
    for node, first, last in queries:
        linked: list[set[int]] = [set() for _ in range(num_nodes)]
        for u, v in events[first:last]:
            linked[u].add(v)
            if symmetric:
                linked[v].add(u)
        neighbors = [sorted(row) for row in linked]
        keys = ego_keys(neighbors, node, radius, degrees=degrees, frontier_edges=frontier_edges)
        histograms.append(count_keys(keys, max_degree, labels))
    return pack_rows(histograms, width=1 + DEGREE_FIELDS[degrees] + (labels is not None))
