"""The definitions of all encodings in plain Python, which every kernel must equal, and the records they return."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, inf
from typing import TypedDict

import numpy as np

from egonet.typing import DEGREE_FIELDS, Degrees, Follow, Int32s, Int64s

Key = tuple[int, ...]
Neighbors = list[list[int]]
Histogram = Mapping[Key, int]


class CountOptions(TypedDict, total=False):
    """What a kernel counts: keywords of every `encode_rows`."""

    degrees: Degrees
    frontier_edges: bool
    max_degree: int | None
    labels: Int32s | None
    symmetric: bool


@dataclass(frozen=True, eq=False)
class Rows:
    """The encoding of some roots at one radius, as arrays; the same bytes from every kernel.

    Attributes
    ----------
    indptr
        int64 (num_roots + 1,), non-decreasing from 0: row i is `columns[indptr[i]:indptr[i + 1]]`.
    columns
        int32 (num_entries,), increasing within a row: the row of `keys`.
    counts
        int32 (num_entries,), at least 1: the number of nodes of the ego-network that have the key.
    keys
        int64 (num_columns, width), sorted lexicographically, no repeats, each used by some row.
        A key is (distance, degree), (distance, same, farther), (distance, closer, same, farther) or (distance, in,
        out) for total, layered, full and in_out degrees, with the label of the node appended if there are labels.
    """

    indptr: Int64s
    columns: Int32s
    counts: Int32s
    keys: Int64s


@dataclass(frozen=True, eq=False)
class NestedRows:
    """Rows whose columns are histograms: the number of a root's pairs that have each histogram.

    Attributes
    ----------
    indptr, columns, counts
        As in `Rows`; a count is the number of the root's pairs that have the histogram of the column.
    histograms
        Row c is the histogram of column c. Histograms are distinct and in lexicographic order of their
        entries (key, count), a prefix before longer ones; each is used by some row.
    """

    indptr: Int64s
    columns: Int32s
    counts: Int32s
    histograms: Rows


def encode_rows(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s,
    radius: int,
    *,
    degrees: Degrees = "total",
    frontier_edges: bool = True,
    max_degree: int | None = None,
    labels: Int32s | None = None,
    follow: Follow = "any",
) -> Rows:
    """Return the rows of `roots` at `radius`, computed from the definition.

    With degrees="in_out" the rows of `indices` are out-neighbors, and `follow` says how distances are measured.

    A triangle 0-1-2 with a tail 2-3, seen from node 2:

    >>> indptr = np.array([0, 2, 4, 7, 8])
    >>> indices = np.array([1, 2, 0, 2, 0, 1, 3, 2], dtype=np.int32)
    >>> rows = encode_rows(indptr, indices, np.array([2]), 1)
    >>> rows.keys.tolist(), rows.counts.tolist()
    ([[0, 3], [1, 1], [1, 2]], [1, 1, 2])
    """
    neighbors = _neighbors(indptr, indices)
    sources = reversed_neighbors(neighbors)
    histograms = []
    for root in roots.tolist():
        if degrees == "in_out":
            keys = in_out_keys(neighbors, sources, root, radius, follow=follow, frontier_edges=frontier_edges)
        else:
            keys = ego_keys(neighbors, root, radius, degrees=degrees, frontier_edges=frontier_edges)
        histograms.append(count_keys(keys, max_degree, labels))
    return pack_rows(histograms, width=1 + DEGREE_FIELDS[degrees] + (labels is not None))


def count_keys(keys: dict[int, Key], max_degree: int | None, labels: Int32s | None) -> Histogram:
    """Return how many nodes have each key, with degrees limited to `max_degree` and labels appended."""
    if max_degree is not None:
        keys = {u: (key[0], *(min(field, max_degree) for field in key[1:])) for u, key in keys.items()}
    return Counter((*key, *_label(labels, u)) for u, key in keys.items())


def ego_keys(
    neighbors: Neighbors, root: int, radius: int, *, degrees: Degrees, frontier_edges: bool
) -> dict[int, Key]:
    """Return the key of every node of the root's ego-network: its distance, then its degrees inside."""
    distance = distances(neighbors, root, radius)
    keys: dict[int, Key] = {}
    for u, here in distance.items():
        closer = same = farther = 0
        for w in neighbors[u]:
            if w not in distance:
                farther += radius == 0  # by definition the lone root of radius 0 keeps its degree
                continue
            closer += distance[w] < here
            same += distance[w] == here and (frontier_edges or here < radius)
            farther += distance[w] > here
        if degrees == "total":
            keys[u] = (here, closer + same + farther)
        elif degrees == "layered":
            keys[u] = (here, same, farther)
        else:
            keys[u] = (here, closer, same, farther)
    return keys


def in_out_keys(
    targets: Neighbors, sources: Neighbors, root: int, radius: int, *, follow: Follow, frontier_edges: bool
) -> dict[int, Key]:
    """Return the key of every node of the root's ego-network: its distance, in-degree and out-degree inside.

    `targets` and `sources` list the ends of the arcs from and to every node. The ego-network has the nodes within
    `radius` steps of the root along `follow`, and every arc between two of them. Without `frontier_edges`, arcs
    between two nodes at distance exactly `radius` are left out. The root of radius 0 keeps its degrees.

    Node 0 points at 1, and 2 points at 0: both are one step away, in opposite directions.

    >>> in_out_keys([[1], [], [0]], [[2], [0], []], 0, 1, follow="any", frontier_edges=True)
    {0: (0, 1, 1), 1: (1, 1, 0), 2: (1, 0, 1)}
    >>> in_out_keys([[1], [], [0]], [[2], [0], []], 0, 1, follow="out", frontier_edges=True)
    {0: (0, 0, 1), 1: (1, 1, 0)}
    """
    either = [out + into for out, into in zip(targets, sources, strict=True)]
    distance = distances({"any": either, "out": targets, "in": sources}[follow], root, radius)
    keys: dict[int, Key] = {}
    for u, here in distance.items():
        degrees = (
            sum(
                radius == 0 or (w in distance and (frontier_edges or min(here, distance[w]) < radius))
                for w in ends
            )
            for ends in (sources[u], targets[u])
        )
        keys[u] = (here, *degrees)
    return keys


def ego_edge_rows(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s,
    radius: int,
    *,
    degrees: Degrees = "total",
    frontier_edges: bool = True,
    max_degree: int | None = None,
    degree_bins: str | None = None,
) -> Rows:
    """Return for every root how many edges of its ego-network have each key.

    The key of an edge is the distance of both ends from the root, then the degrees of both ends inside the
    ego-network. The end with the smaller (distance, degrees) comes first. The radius is at least 1.

    A triangle 0-1-2 with a tail 2-3, seen from node 2: two edges to the ends of the edge 0-1, that edge, and the tail.

    >>> indptr = np.array([0, 2, 4, 7, 8])
    >>> indices = np.array([1, 2, 0, 2, 0, 1, 3, 2], dtype=np.int32)
    >>> rows = ego_edge_rows(indptr, indices, np.array([2]), 1)
    >>> rows.keys.tolist(), rows.counts.tolist()
    ([[0, 1, 3, 1], [0, 1, 3, 2], [1, 1, 2, 2]], [1, 2, 1])
    """
    neighbors = _neighbors(indptr, indices)
    histograms = []
    for root in roots.tolist():
        keys = ego_keys(neighbors, root, radius, degrees=degrees, frontier_edges=frontier_edges)
        ends = {u: (key[0], *_limit_degrees(key[1:], max_degree, degree_bins)) for u, key in keys.items()}
        histogram: Counter[Key] = Counter()
        for u, first in ends.items():
            for w in neighbors[u]:
                at_the_border = w in ends and ends[u][0] == ends[w][0] == radius
                if u < w and w in ends and (frontier_edges or not at_the_border):
                    (near, *one), (far, *other) = sorted((first, ends[w]))
                    histogram[near, far, *one, *other] += 1
        histograms.append(histogram)
    return pack_rows(histograms, width=2 + 2 * DEGREE_FIELDS[degrees])


def _limit_degrees(degrees: Sequence[int], max_degree: int | None, degree_bins: str | None) -> list[int]:
    """Return degrees with a limit, and as the lowest of their bin."""
    limited = [degree if max_degree is None else min(degree, max_degree) for degree in degrees]
    if degree_bins == "log":
        return [1 << (degree.bit_length() - 1) if degree else 0 for degree in limited]
    return limited


def list_ego_networks(indptr: Int64s, indices: Int32s, radius: int) -> tuple[Int64s, Int64s]:
    """Return the nodes and the edges of the ego-networks of all nodes, one after another.

    A node is (root, node, distance, closer, same, farther), the root first, then by distance in the order of a search
    that reads neighbors in order. An edge is the positions of both ends among these nodes, the smaller first.

    >>> nodes, edges = list_ego_networks(np.array([0, 1, 2]), np.array([1, 0], dtype=np.int32), 1)
    >>> nodes.tolist()
    [[0, 0, 0, 0, 0, 1], [0, 1, 1, 1, 0, 0], [1, 1, 0, 0, 0, 1], [1, 0, 1, 1, 0, 0]]
    >>> edges.tolist()
    [[0, 1], [2, 3]]
    """
    neighbors = _neighbors(indptr, indices)
    nodes: list[Key] = []
    edges: list[tuple[int, int]] = []
    for root in range(len(neighbors)):
        keys = ego_keys(neighbors, root, radius, degrees="full", frontier_edges=True)
        place = {u: len(nodes) + position for position, u in enumerate(keys)}
        nodes += [(root, u, *key) for u, key in keys.items()]
        edges += [(place[u], place[w]) for u in keys for w in neighbors[u] if place.get(w, -1) > place[u]]
    return np.array(nodes, dtype=np.int64).reshape(-1, 6), np.array(edges, dtype=np.int64).reshape(-1, 2)


def reversed_neighbors(neighbors: Neighbors) -> Neighbors:
    """Return for every node the nodes that list it.

    >>> reversed_neighbors([[1, 2], [2], []])
    [[], [0], [0, 1]]
    """
    lists: Neighbors = [[] for _ in neighbors]
    for u, targets in enumerate(neighbors):
        for w in targets:
            lists[w].append(u)
    return lists


def subdivide(
    num_nodes: int, edges: Iterable[tuple[int, int, int]], labels: Sequence[int], *, directed: bool
) -> tuple[Int64s, Int32s, Int32s]:
    """Return the graph in which every edge (u, v, type) is a node labeled with its type, and the labels of all nodes.

    Nodes keep their numbers and labels; edges follow, sorted by their ends and type, each once, without loops. An
    edge node is the neighbor of both ends, or follows the source and precedes the target if the graph is directed.
    Edge types are counted in this graph at twice the radius.

    >>> indptr, indices, labels = subdivide(2, [(1, 0, 7)], [0, 0], directed=False)
    >>> indptr.tolist(), indices.tolist(), labels.tolist()
    ([0, 1, 2, 4], [2, 2, 0, 1], [0, 0, 7])
    """
    proper = {(u, v, t) if directed else (min(u, v), max(u, v), t) for u, v, t in edges if u != v}
    neighbors: Neighbors = [[] for _ in range(num_nodes + len(proper))]
    numbers = [*labels]
    for edge, (u, v, kind) in enumerate(sorted(proper), start=num_nodes):
        neighbors[u].append(edge)
        neighbors[edge] = [v] if directed else [u, v]
        if not directed:
            neighbors[v].append(edge)
        numbers.append(kind)
    indptr = np.cumsum([0, *map(len, neighbors)], dtype=np.int64)
    indices = np.array([w for row in neighbors for w in row], dtype=np.int32)
    return indptr, indices, np.array(numbers, dtype=np.int32)


def ring_values(
    neighbors: Neighbors, root: int, distance: int, values: Mapping[int, float]
) -> tuple[float, float, float, int]:
    """Return sum, minimum, maximum and number of the values of the nodes at one distance from the root.

    The sum is exact and rounded once, so that the order does not matter. Without values: 0, inf, -inf and 0.

    >>> ring_values([[1, 2], [0], [0]], 0, 1, {1: 0.1, 2: 0.2})
    (0.30000000000000004, 0.1, 0.2, 2)
    """
    ring = [u for u, here in distances(neighbors, root, distance).items() if here == distance]
    numbers = [values[u] for u in ring if u in values]
    return (fsum(numbers), min(numbers, default=inf), max(numbers, default=-inf), len(numbers))


def distances(neighbors: Neighbors, root: int, radius: int) -> dict[int, int]:
    """Return the distance from the root of every node within `radius` hops (breadth-first search)."""
    distance = {root: 0}
    queue = deque([root])
    while queue:
        u = queue.popleft()
        if distance[u] == radius:
            break
        for w in neighbors[u]:
            if w not in distance:
                distance[w] = distance[u] + 1
                queue.append(w)
    return distance


def pack_rows(histograms: Sequence[Mapping[Key, int]], width: int) -> Rows:
    """Return histograms as the arrays every kernel returns, columns in lexicographic order of the keys.

    >>> rows = pack_rows([{(0, 1): 1, (1, 1): 1}, {(0, 2): 1, (1, 1): 2}], width=2)
    >>> rows.columns.tolist(), rows.keys.tolist()
    ([0, 2, 1, 2], [[0, 1], [0, 2], [1, 1]])
    """
    keys = sorted(set().union(*histograms)) if histograms else []
    column = {key: position for position, key in enumerate(keys)}
    entries = [sorted((column[key], count) for key, count in row.items()) for row in histograms]
    return Rows(
        indptr=np.cumsum([0, *map(len, entries)], dtype=np.int64),
        columns=np.array([c for row in entries for c, _ in row], dtype=np.int32),
        counts=np.array([k for row in entries for _, k in row], dtype=np.int32),
        keys=np.array(keys, dtype=np.int64).reshape(len(keys), width),
    )


def common_rows(
    indptr: Int64s, indices: Int32s, roots: Int64s, *, labels: Int32s | None = None
) -> NestedRows:
    """Return for every root the histograms of its edges: how their common neighbors are linked.

    The complete graph on four nodes: each of three edges has two common neighbors with one link each.

    >>> indptr, indices = np.array([0, 3, 6, 9, 12]), np.array([1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2])
    >>> rows = common_rows(indptr, indices, np.array([0]))
    >>> rows.counts.tolist(), rows.histograms.keys.tolist(), rows.histograms.counts.tolist()
    ([3], [[1]], [2])
    """
    neighbors = _neighbors(indptr, indices)
    rows = [[common_histogram(neighbors, v, u, labels) for u in neighbors[v]] for v in roots.tolist()]
    return pack_nested(rows, width=1 + (labels is not None))


def pair_rows(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s,
    radius: int,
    *,
    edges_only: bool,
    labels: Int32s | None = None,
) -> NestedRows:
    """Return for every root the histograms of its edges, or of its pairs with all nodes within `radius`.

    A single edge 0-1, seen from 0: each end has the other as its one neighbor.

    >>> rows = pair_rows(np.array([0, 1, 2]), np.array([1, 0]), np.array([0]), 1, edges_only=True)
    >>> rows.histograms.keys.tolist()
    [[0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0], [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]]
    """
    neighbors = _neighbors(indptr, indices)
    rows = []
    for v in roots.tolist():
        seconds = neighbors[v] if edges_only else distances(neighbors, v, radius)
        rows.append([pair_histogram(neighbors, v, u, radius, labels) for u in seconds])
    return pack_nested(rows, width=11 + (labels is not None))


def common_histogram(neighbors: Neighbors, v: int, u: int, labels: Int32s | None = None) -> Histogram:
    """Return over w in C, the common neighbors of v and u, how many neighbors w has in C."""
    common = set(neighbors[v]) & set(neighbors[u])
    return Counter((len(common.intersection(neighbors[w])), *_label(labels, w)) for w in common)


def pair_histogram(
    neighbors: Neighbors, v: int, u: int, radius: int, labels: Int32s | None = None
) -> Histogram:
    """Return over w in S, within `radius` of both v and u, its distances from both and nine counts.

    The counts are of the neighbors of w in S that are nearer to, as far from, or farther from v than w is, and
    the same for u: (-1, -1), (-1, 0), (-1, 1), (0, -1), ..., (1, 1).
    """
    from_v, from_u = distances(neighbors, v, radius), distances(neighbors, u, radius)
    shared = from_v.keys() & from_u.keys()
    histogram: Counter[Key] = Counter()
    for w in shared:
        counts = [0] * 9
        for x in shared.intersection(neighbors[w]):
            counts[3 * (from_v[x] - from_v[w] + 1) + from_u[x] - from_u[w] + 1] += 1
        histogram[from_v[w], from_u[w], *counts, *_label(labels, w)] += 1
    return histogram


def pack_nested(histograms: list[list[Histogram]], width: int) -> NestedRows:
    """Return each root's list of histograms as the arrays every nested kernel returns."""
    entries = [[tuple(sorted(histogram.items())) for histogram in row] for row in histograms]
    table = sorted(set().union(*entries)) if entries else []
    column = {histogram: position for position, histogram in enumerate(table)}
    rows = pack_rows([Counter((column[histogram],) for histogram in row) for row in entries], width=1)
    return NestedRows(rows.indptr, rows.columns, rows.counts, pack_rows([dict(h) for h in table], width))


def middle_rank(value: int, values: Sequence[int]) -> float:
    """Return the share of values that are lower, plus half the share of those that are equal.

    >>> [middle_rank(value, [3, 5, 5, 9]) for value in (3, 5, 9, 7)]
    [0.125, 0.5, 0.875, 0.75]
    """
    lower, equal = sum(other < value for other in values), sum(other == value for other in values)
    return (2 * lower + equal) / (2 * len(values))


def rank_columns(rows: Sequence[Sequence[int]]) -> list[list[float]]:
    """Return the rows of all nodes of one graph with every count replaced by its rank in its column; 0 stays 0.

    >>> rank_columns([[3, 0], [5, 1], [5, 0], [9, 0]])
    [[0.125, 0.0], [0.5, 0.875], [0.5, 0.0], [0.875, 0.0]]
    """
    columns = list(zip(*rows, strict=True))
    return [
        [middle_rank(count, column) if count else 0.0 for count, column in zip(row, columns, strict=True)]
        for row in rows
    ]


def degree_quarter(degree: int, degrees: Sequence[int]) -> int:
    """Return in which quarter of a graph's degrees a degree lies, 1 to 4: by its middle rank among them.

    >>> [degree_quarter(degree, [3, 5, 5, 9]) for degree in (0, 3, 5, 7, 9)]
    [1, 1, 3, 4, 4]
    """
    return min(int(4 * middle_rank(degree, degrees)) + 1, 4)


def _neighbors(indptr: Int64s, indices: Int32s) -> Neighbors:
    return [indices[indptr[v] : indptr[v + 1]].tolist() for v in range(len(indptr) - 1)]


def _label(labels: Int32s | None, w: int) -> tuple[int, ...]:
    return () if labels is None else (int(labels[w]),)
