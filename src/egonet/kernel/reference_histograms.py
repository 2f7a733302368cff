"""The definition of the nested encodings in plain Python: slow, obvious, and the oracle of their kernels."""

from collections import Counter
from collections.abc import Mapping

from egonet.kernel.reference import Key, distances, pack_rows
from egonet.kernel.rows import NestedRows
from egonet.typing import Int32s, Int64s

Neighbors = list[list[int]]
Histogram = Mapping[Key, int]


def common_rows(
    indptr: Int64s, indices: Int32s, roots: Int64s, *, labels: Int32s | None = None
) -> NestedRows:
    """Return for every root the histograms of its edges: how their common neighbors are linked.

    Examples
    --------
    The complete graph on four nodes: each of three edges has two common neighbors with one link each.

    >>> import numpy as np
    >>> indptr, indices = np.array([0, 3, 6, 9, 12]), np.array([1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2])
    >>> rows = common_rows(indptr, indices, np.array([0]))
    >>> rows.counts.tolist(), rows.histograms.keys.tolist(), rows.histograms.counts.tolist()
    ([3], [[1]], [2])
    """
    neighbors = _neighbors(indptr, indices)
    found = [[common_histogram(neighbors, v, u, labels) for u in neighbors[v]] for v in roots.tolist()]
    return pack_nested(found, width=1 + (labels is not None))


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

    Examples
    --------
    A single edge 0-1, seen from 0: each end has the other as its one neighbor.

    >>> import numpy as np
    >>> rows = pair_rows(np.array([0, 1, 2]), np.array([1, 0]), np.array([0]), 1, edges_only=True)
    >>> rows.histograms.keys.tolist()
    [[0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0], [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]]
    """
    neighbors = _neighbors(indptr, indices)
    found = []
    for v in roots.tolist():
        seconds = neighbors[v] if edges_only else distances(neighbors, v, radius)
        found.append([pair_histogram(neighbors, v, u, radius, labels) for u in seconds])
    return pack_nested(found, width=11 + (labels is not None))


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


def pack_nested(found: list[list[Histogram]], width: int) -> NestedRows:
    """Return each root's list of histograms as the arrays every nested kernel returns."""
    entries = [[tuple(sorted(histogram.items())) for histogram in row] for row in found]
    table = sorted(set().union(*entries)) if entries else []
    column = {histogram: position for position, histogram in enumerate(table)}
    rows = pack_rows([Counter((column[histogram],) for histogram in row) for row in entries], width=1)
    return NestedRows(rows.indptr, rows.columns, rows.counts, pack_rows([dict(h) for h in table], width))


def _neighbors(indptr: Int64s, indices: Int32s) -> Neighbors:
    return [indices[indptr[v] : indptr[v + 1]].tolist() for v in range(len(indptr) - 1)]


def _label(labels: Int32s | None, w: int) -> tuple[int, ...]:
    return () if labels is None else (int(labels[w]),)
