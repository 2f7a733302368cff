"""The definitions of rows of pairs, of rows at a time and of cycles in plain Python, which their kernels must equal."""

from collections import Counter, deque
from collections.abc import Sequence
from typing import TypedDict, Unpack

import numpy as np

from egonet.kernel.reference import (
    Histogram,
    Key,
    Neighbors,
    Rows,
    _label,
    _neighbors,
    count_keys,
    distances,
    ego_keys,
    in_out_keys,
    pack_rows,
    reversed_neighbors,
)
from egonet.typing import DEGREE_FIELDS, Counted, Degrees, Direction, Follow, Int32s, Int64s


class PairOptions(TypedDict, total=False):
    """What is counted around a pair: keywords of every kernel of pairs."""

    degrees: Degrees
    follow: Follow
    without_edge: bool
    ordered: bool
    max_degree: int | None
    degree_bins: str | None
    direction: Direction | None
    labels: Int32s | None
    divided: bool


def encode_pair_rows(
    indptr: Int64s, indices: Int32s, pairs: Int64s, radii: Sequence[int], **options: Unpack[PairOptions]
) -> Rows:
    """Return one row per pair (u, v) of `pairs`: the keys of `pair_histogram` at every radius, each after its radius.

    The columns of one radius follow those of another, in the order of `radii`.

    A path 0-1-2, the pair of its ends: both are two hops apart, and the middle is next to both.

    >>> indptr, indices = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], dtype=np.int32)
    >>> rows = encode_pair_rows(indptr, indices, np.array([[0, 2]]), [1])
    >>> rows.keys.tolist(), rows.counts.tolist()
    ([[1, 0, 2, 1], [1, 1, 1, 2]], [2, 1])
    """
    neighbors = _neighbors(indptr, indices)
    return _pack_radii([(neighbors, u, v) for u, v in pairs.tolist()], radii, options)


def pair_histogram(
    neighbors: Neighbors,
    u: int,
    v: int,
    radius: int,
    *,
    degrees: Degrees = "total",
    follow: Follow = "any",
    without_edge: bool = True,
    ordered: bool = False,
    max_degree: int | None = None,
    degree_bins: str | None = None,
    direction: Direction | None = None,
    labels: Int32s | None = None,
    divided: bool = False,
) -> Histogram:
    """Return how many nodes have each key (distance from u, distance from v, degrees) around a pair.

    `direction` says what rows list: None both ends of every edge, "out" targets, "in" sources. With labels, keys end
    with the label. If `divided`, edges are nodes between their ends, and `without_edge` leaves out the nodes between
    u and v. With degrees="in_out" distances are measured along `follow`.
    """
    if without_edge:
        leave_out = without_edge_nodes if divided else without_arcs
        neighbors = leave_out(neighbors, u, v, direction)
    if degrees == "in_out":
        others = reversed_neighbors(neighbors)
        targets, sources = (others, neighbors) if direction == "in" else (neighbors, others)
        keys = pair_in_out_keys(targets, sources, u, v, radius, follow=follow)
    else:
        keys = pair_keys(neighbors, u, v, radius, degrees=degrees)
    histogram: Counter[Key] = Counter()
    for x, (first, second, *counts) in keys.items():
        one, other = (first, second) if ordered or direction else sorted((first, second))
        fields = [count if max_degree is None else min(count, max_degree) for count in counts]
        if degree_bins == "log":
            fields = [1 << (field.bit_length() - 1) if field else 0 for field in fields]
        histogram[one, other, *fields, *_label(labels, x)] += 1
    return histogram


def pair_keys(
    neighbors: Neighbors, u: int, v: int, radius: int, *, degrees: Degrees = "total"
) -> dict[int, Key]:
    """Return for every node within `radius` of u or v its distances from both and its degrees among those nodes.

    A distance above the radius, or none at all, is radius + 1. Layered and full degrees compare the distances of a node
    and its neighbor from the end that is nearer to each: `closer`, `same` and `farther`.

    The middle of a path 0-1-2 has both ends one step nearer to the pair (0, 2).

    >>> pair_keys([[1], [0, 2], [1]], 0, 2, 1, degrees="full")[1]
    (1, 1, 2, 0, 0)
    """
    from_u, from_v = distances(neighbors, u, radius), distances(neighbors, v, radius)
    far = radius + 1
    near = {x: min(from_u.get(x, far), from_v.get(x, far)) for x in [*from_u, *from_v]}
    keys: dict[int, Key] = {}
    for x, here in near.items():
        steps = [near[w] - here for w in neighbors[x] if w in near]
        closer, farther = sum(step < 0 for step in steps), sum(step > 0 for step in steps)
        fields = {
            "total": (len(steps),),
            "layered": (steps.count(0), farther),
            "full": (closer, steps.count(0), farther),
        }[degrees]
        keys[x] = (from_u.get(x, far), from_v.get(x, far), *fields)
    return keys


def pair_in_out_keys(
    targets: Neighbors, sources: Neighbors, u: int, v: int, radius: int, *, follow: Follow
) -> dict[int, Key]:
    """Return for every node within `radius` of u or v along `follow` its distances, in-degree and out-degree inside.

    Arcs from 0 and 2 to 1: node 1 is one step from both ends of the pair (0, 2), and two arcs lead to it.

    >>> pair_in_out_keys([[1], [], [1]], [[], [0, 2], []], 0, 2, 1, follow="any")[1]
    (1, 1, 2, 0)
    """
    either = [out + into for out, into in zip(targets, sources, strict=True)]
    along = {"any": either, "out": targets, "in": sources}[follow]
    from_u, from_v = distances(along, u, radius), distances(along, v, radius)
    inside, far = from_u.keys() | from_v.keys(), radius + 1
    return {
        x: (
            from_u.get(x, far),
            from_v.get(x, far),
            sum(w in inside for w in sources[x]),
            sum(w in inside for w in targets[x]),
        )
        for x in inside
    }


def without_arcs(neighbors: Neighbors, u: int, v: int, direction: Direction | None) -> Neighbors:
    """Return the graph without the edge between u and v, or without the arc from u to v if there are directions."""
    gone = {(v, u)} if direction == "in" else {(u, v)} if direction == "out" else {(u, v), (v, u)}
    left = list(neighbors)
    for row in {first for first, _ in gone}:
        left[row] = [w for w in neighbors[row] if (row, w) not in gone]
    return left


def without_edge_nodes(neighbors: Neighbors, u: int, v: int, direction: Direction | None) -> Neighbors:
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
    follow: Follow = "any",
    frontier_edges: bool = True,
    max_degree: int | None = None,
    symmetric: bool = True,
    count: Counted = "nodes",
    labels: Int32s | None = None,
) -> Rows:
    """Return a row per query (node, first, last): the row of the node in the graph of `events[first:last]`.

    With count="events" a neighbor is listed, and counted in degrees, as often as there are events with it.

    The second event is over before the third begins.

    >>> window_rows([(0, 1), (1, 2), (2, 0)], 3, [(2, 0, 2), (2, 2, 3)], 1).keys.tolist()
    [[0, 1], [1, 1]]
    >>> window_rows([(0, 1), (1, 0), (1, 2)], 3, [(0, 0, 3)], 1, count="events").keys.tolist()
    [[0, 2], [1, 2]]
    """
    histograms = []
    for node, first, last in queries:
        neighbors = window_neighbors(events[first:last], num_nodes, symmetric=symmetric, count=count)
        if degrees == "in_out":
            sources = reversed_neighbors(neighbors)
            keys = in_out_keys(neighbors, sources, node, radius, follow=follow, frontier_edges=frontier_edges)
        else:
            keys = ego_keys(neighbors, node, radius, degrees=degrees, frontier_edges=frontier_edges)
        histograms.append(count_keys(keys, max_degree, labels))
    return pack_rows(histograms, width=1 + DEGREE_FIELDS[degrees] + (labels is not None))


def window_pair_rows(
    events: Sequence[tuple[int, int]],
    num_nodes: int,
    queries: Sequence[tuple[int, int, int, int]],
    radii: Sequence[int],
    **options: Unpack[PairOptions],
) -> Rows:
    """Return a row per query (u, v, first, last): the row of the pair in the graph of `events[first:last]`.

    The first end of an event lists the second, and the second the first if `direction` is None.

    At first only one end of the pair (0, 2) has a neighbor, then both have the same.

    >>> rows = window_pair_rows([(0, 1), (1, 2)], 3, [(0, 2, 0, 1), (0, 2, 0, 2)], [1])
    >>> rows.keys.tolist(), rows.indptr.tolist()
    ([[1, 0, 2, 0], [1, 0, 2, 1], [1, 1, 1, 2], [1, 1, 2, 1]], [0, 3, 5])
    """
    symmetric = options.get("direction") is None
    cases = [
        (window_neighbors(events[first:last], num_nodes, symmetric=symmetric), u, v)
        for u, v, first, last in queries
    ]
    return _pack_radii(cases, radii, options)


def window_neighbors(
    events: Sequence[tuple[int, int]], num_nodes: int, *, symmetric: bool, count: Counted = "nodes"
) -> Neighbors:
    """Return the graph of some events: each edge once, or once per event.

    >>> window_neighbors([(0, 1), (0, 1)], 2, symmetric=True)
    [[1], [0]]
    >>> window_neighbors([(0, 1), (0, 1)], 2, symmetric=False, count="events")
    [[1, 1], []]
    """
    linked: list[list[int]] = [[] for _ in range(num_nodes)]
    for u, v in events:
        linked[u].append(v)
        if symmetric:
            linked[v].append(u)
    return [sorted(row if count == "events" else set(row)) for row in linked]


def end_distances(
    indptr: Int64s, indices: Int32s, pairs: Int64s, longest: int, *, direction: Direction | None = None
) -> Int32s:
    """Return for every pair (u, v) the distance from v to u without the edge between them; -1 above `longest`.

    Rows list what `direction` says. With directions only the arc from u to v is left out, and paths follow arcs, so
    that the distance plus one is the length of the shortest cycle through that arc.

    A square 0-1-2-3: the ends of an edge are three steps apart the other way round.

    >>> indptr, indices = np.array([0, 2, 4, 6, 8]), np.array([1, 3, 0, 2, 1, 3, 0, 2], dtype=np.int32)
    >>> end_distances(indptr, indices, np.array([[0, 1], [0, 2]]), 3).tolist()
    [3, 2]
    """
    neighbors = _neighbors(indptr, indices)
    lengths = []
    for u, v in pairs.tolist():
        left = without_arcs(neighbors, u, v, direction)
        start, end = (u, v) if direction == "in" else (v, u)
        distance = {start: 0}
        queue = deque([start])
        while queue and end not in distance:
            x = queue.popleft()
            for w in left[x]:
                if w not in distance:
                    distance[w] = distance[x] + 1
                    queue.append(w)
        length = distance.get(end, -1)
        lengths.append(length if length <= longest else -1)
    return np.array(lengths, dtype=np.int32)


def _pack_radii(
    cases: Sequence[tuple[Neighbors, int, int]], radii: Sequence[int], options: PairOptions
) -> Rows:
    """Return the rows of some pairs, with the columns of every radius."""
    histograms: list[dict[Key, int]] = []
    for neighbors, u, v in cases:
        row: dict[Key, int] = {}
        for place, radius in enumerate(radii):
            histogram = pair_histogram(neighbors, u, v, radius, **options)
            row |= {(place, *key): count for key, count in histogram.items()}
        histograms.append(row)
    has_labels = options.get("labels") is not None
    rows = pack_rows(histograms, width=3 + DEGREE_FIELDS[options.get("degrees", "total")] + has_labels)
    rows.keys[:, 0] = np.array(radii, dtype=np.int64)[rows.keys[:, 0]]
    return rows
