"""Columns of pairs for a model that is used on another graph: counts, shares, and overlaps of both sides."""

from dataclasses import dataclass

import numpy as np

from egonet.typing import Floats, Int64s

#: Pairs of distances at radius 1 and 2, the smaller one first; one more than the radius stands for farther.
CLASSES = {
    1: [(0, 1), (0, 2), (1, 1), (1, 2)],
    2: [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3), (2, 2), (2, 3)],
}
#: The lowest degree of every log bin.
BINS = [0, *(1 << power for power in range(14))]
#: Counted as one; by the inverse logarithm of the degree, as Adamic and Adar do; by the inverse of the degree.
_WEIGHTS = ("one", "logarithm", "inverse")
_SMALL = 1e-9


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Counts of pairs by radius, distances and degree bin.

    Attributes
    ----------
    counts
        float64 (num_pairs, num_keys).
    keys
        int64 (num_keys, 4): radius, smaller and larger distance, lowest degree of the bin.
    """

    counts: Floats
    keys: Int64s

    def total(self, radius: int, distances: tuple[int, int], weight: str = "one") -> Floats:
        """Return the weighted number of nodes of every pair at two distances.

        Examples
        --------
        >>> found = PairCounts(np.array([[2.0, 1.0]]), np.array([[1, 1, 1, 1], [1, 1, 1, 4]]))
        >>> found.total(1, (1, 1)).tolist(), found.total(1, (1, 1), "inverse").tolist()
        ([3.0], [1.2])
        """
        chosen = np.flatnonzero((self.keys[:, :3] == (radius, *distances)).all(axis=1))
        degrees = self.keys[chosen, 3]
        values = {"one": np.ones(len(degrees)), "logarithm": 1 / np.log2(2 + 1.4 * degrees)}
        weights = values[weight] if weight in values else 1 / (1 + degrees)
        summed: Floats = self.counts[:, chosen] @ weights
        return summed

    def ends(self) -> tuple[Floats, Floats]:
        """Return the smaller and the larger degree of both ends, by bin, at least 1."""
        low, high = np.full(len(self.counts), np.inf), np.ones(len(self.counts))
        for column in np.flatnonzero((self.keys[:, 0] == 1) & (self.keys[:, 1] == 0)):
            here, degree = self.counts[:, column] > 0, max(float(self.keys[column, 3]), 1.0)
            low[here] = np.minimum(low[here], degree)
            high[here] = np.maximum(high[here], degree)
        return np.where(np.isinf(low), 1.0, low), high


def counts(found: PairCounts) -> Floats:
    """Return log(1 + count) by radius, distances and degree bin: what grows with the graph."""
    place = {tuple(key): column for column, key in enumerate(found.keys.tolist())}
    wanted = [(r, *pair, low) for r, pairs in CLASSES.items() for pair in pairs for low in BINS]
    table = np.zeros((len(found.counts), len(wanted)))
    for column, key in enumerate(wanted):
        if key in place:
            table[:, column] = found.counts[:, place[key]]
    return np.log1p(table)


def shares(found: PairCounts) -> Floats:
    """Return which part of the nodes around a pair is at which distances, by three weights, and square roots."""
    columns = []
    for weight in _WEIGHTS:
        totals = {(r, pair): found.total(r, pair, weight) for r, pairs in CLASSES.items() for pair in pairs}
        for radius, pairs in CLASSES.items():
            around = [pair for pair in pairs if pair[0] > 0]
            every = sum(totals[radius, pair] for pair in around) + _SMALL
            columns += [totals[radius, pair] / every for pair in around]
        near = totals[2, (1, 1)] + totals[2, (1, 2)] + totals[2, (1, 3)] + _SMALL
        far = totals[2, (2, 2)] + totals[2, (2, 3)] + _SMALL
        columns += [totals[2, (1, 1)] / near, (totals[2, (1, 1)] + totals[2, (1, 2)]) / near]
        columns.append(totals[2, (2, 2)] / far)
    table = np.column_stack(columns)
    return np.hstack([table, np.sqrt(table)])


def overlaps(found: PairCounts) -> Floats:
    """Return shared nodes divided by the smaller degree and by the geometric mean of both, and square roots."""
    low, high = found.ends()
    columns = []
    for weight in _WEIGHTS:
        for radius, pair in ((1, (1, 1)), (2, (1, 2)), (2, (2, 2))):
            shared = found.total(radius, pair, weight)
            columns += [shared / low, shared / np.sqrt(low * high)]
    table = np.column_stack(columns)
    return np.hstack([table, np.sqrt(table)])


#: The candidates: name to the parts it consists of.
COLUMNS = {
    "counts": (counts,),
    "shares": (shares,),
    "counts + shares": (counts, shares),
    "shares + overlaps": (shares, overlaps),
    "counts + shares + overlaps": (counts, shares, overlaps),
}


def columns_of(found: PairCounts, name: str) -> Floats:
    """Return the columns of a candidate."""
    return np.hstack([part(found) for part in COLUMNS[name]])


def ranks(rows: Floats, reference: Floats) -> Floats:
    """Return which part of the reference rows is smaller, column by column, ties counted half.

    Examples
    --------
    >>> ranks(np.array([[1.0], [5.0]]), np.array([[1.0], [3.0]])).tolist()
    [[0.25], [1.0]]
    """
    found = np.empty_like(rows)
    for column in range(rows.shape[1]):
        ordered = np.sort(reference[:, column])
        below = np.searchsorted(ordered, rows[:, column], "left")
        found[:, column] = (below + np.searchsorted(ordered, rows[:, column], "right")) / (2 * len(ordered))
    return found
