"""What lies around both ends of pairs, by distance from each, and the columns that are read off it."""

from dataclasses import dataclass

import numpy as np

from egonet.graph.graph import Graph
from egonet.kernel.native_links import sum_links
from egonet.typing import Floats, Int64s

#: Weights are whole multiples of 1 / this, so that sums are exact in any order.
_ONE = 2**32
#: Degrees 0, 1, 2-3, 4-7, ... have a bin each; the last has all from 2^12 on.
NUM_BINS = 14


@dataclass(frozen=True, eq=False)
class Columns:
    """Some columns of a table: their names and float64 values (num_rows, num_columns)."""

    names: list[str]
    values: Floats


@dataclass(frozen=True, eq=False)
class Around:
    """Sums over the nodes x within a radius of u or v by (distance from u, distance from v), without the edge uv.

    Attributes
    ----------
    radius
        Distances are 0 ... radius; radius + 1 stands for farther.
    counts, logs, inverses
        float64 (num_pairs, radius + 2, radius + 2): sums of 1, of 1 / log(degree of x) and of 1 / degree of x.
    bins
        float64 (num_pairs, 2, radius, NUM_BINS): of each end, how many nodes other than the two ends are at distance
        1 ... radius by bins of their degrees. Empty unless asked for.
    walks
        float64 (num_pairs, 2 radius - 1): of 2 ... 2 radius steps, the probability that a walk from u is at v, divided
        by the degree of v. Empty unless asked for.
    degrees
        float64 (num_pairs, 2): the degrees of u and v.
    """

    radius: int
    counts: Floats
    logs: Floats
    inverses: Floats
    bins: Floats
    walks: Floats
    degrees: Floats

    def within(self, first: int, second: int) -> Floats:
        """Return how many nodes are within `first` hops of u and within `second` hops of v."""
        counts: Floats = self.counts[:, : first + 1, : second + 1].sum(axis=(1, 2))
        return counts

    @property
    def balls(self) -> Floats:
        """Return the number of nodes within 0 ... radius hops of each end, (num_pairs, 2, radius + 1)."""
        sides = [self.counts.sum(axis=2), self.counts.sum(axis=1)]
        return np.stack([np.cumsum(side[:, : self.radius + 1], axis=1) for side in sides], axis=1)


def look_around(
    graph: Graph,
    rows: Int64s,
    radius: int,
    *,
    without_edge: bool = True,
    walks: bool = False,
    bins: bool = False,
    threads: int = 0,
) -> Around:
    """Return what lies around some pairs of rows of an undirected graph.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> found = look_around(path, np.array([[0, 2]]), 1)
    >>> found.counts[0].tolist(), found.inverses[0, 1, 1].item()
    ([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], 0.5)
    """
    degrees = graph.degrees
    weights = [
        np.full(len(degrees), _ONE),
        np.rint(_ONE / np.log(np.maximum(degrees, 2))),
        np.rint(_ONE / np.maximum(degrees, 1)),
    ]
    if bins:
        place = np.minimum(np.ceil(np.log2(degrees + 1)), NUM_BINS - 1).astype(np.int64)
        weights += list(_ONE * (place == np.arange(NUM_BINS)[:, None]))
    table = np.stack(weights, axis=1).astype(np.int64)
    sums, walked = sum_links(
        *(graph.indptr, graph.indices, rows, radius, table),
        without_edge=without_edge,
        walks=walks,
        threads=threads,
    )
    scaled = sums / _ONE
    ends = degrees[rows].astype(np.float64)
    if without_edge:
        ends -= has_edge(graph, rows)[:, None]
    binned = np.zeros((len(rows), 2, 0, NUM_BINS))
    if bins:
        inner = scaled[..., 3:]
        sides = [
            inner[:, 1:-1, 1:].sum(axis=2),
            inner[:, 1:, 1:-1].sum(axis=1),
        ]  # the other end is at distance 0
        binned = np.stack(sides, axis=1)
    return Around(radius, scaled[..., 0], scaled[..., 1], scaled[..., 2], binned, walked, ends)


def has_edge(graph: Graph, rows: Int64s) -> Int64s:
    """Return 1 for every pair of rows that is an edge, 0 for the others.

    >>> has_edge(Graph.from_edges([(0, 1), (1, 2)]), np.array([[0, 1], [2, 0]])).tolist()
    [1, 0]
    """
    size = graph.num_nodes
    source = np.repeat(np.arange(size), graph.degrees)
    codes = source * size + graph.indices  # rising
    wanted = rows[:, 0] * size + rows[:, 1]
    if not len(codes):
        return np.zeros(len(rows), dtype=np.int64)
    place = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
    is_edge: Int64s = (codes[place] == wanted).astype(np.int64)
    return is_edge


def overlap(around: Around) -> Columns:
    """Return common neighbors, Adamic–Adar, resource allocation and Jaccard."""
    common = around.counts[:, 1, 1]
    union = around.degrees.sum(axis=1) - common
    values = [common, around.logs[:, 1, 1], around.inverses[:, 1, 1], common / np.maximum(union, 1)]
    names = ["common_neighbors", "adamic_adar", "resource_allocation", "jaccard"]
    return Columns(names, np.column_stack(values))


def share(around: Around) -> Columns:
    """Return which part of the nodes around a pair is at which distances, by three weights; square roots.

    These do not grow with degrees, so that they mean the same in every graph.
    """
    names, values = [], []
    for weight, sums in (("one", around.counts), ("log", around.logs), ("inverse", around.inverses)):
        both = sums + sums.transpose(0, 2, 1)
        for radius in range(1, around.radius + 1):
            inner = _cut(both, radius)
            classes = [(i, j) for i in range(1, radius + 1) for j in range(i, radius + 2)]
            parts = np.stack([inner[:, i, j] / (2 if i == j else 1) for i, j in classes], axis=1)
            every = parts.sum(axis=1, keepdims=True)
            values.append(np.sqrt(parts / np.where(every > 0, every, 1)))
            names += [f"share_r{radius}_{i}{j}_{weight}" for i, j in classes]
    return Columns(names, np.hstack(values))


def _cut(sums: Floats, radius: int) -> Floats:
    """Return the sums at a smaller radius: distances above it are merged, and nodes far from both ends left out."""
    first = np.concatenate([sums[:, : radius + 1], sums[:, radius + 1 :].sum(axis=1, keepdims=True)], axis=1)
    padded = np.concatenate(
        [first[:, :, : radius + 1], first[:, :, radius + 1 :].sum(axis=2, keepdims=True)], axis=2
    )
    padded[:, radius + 1, radius + 1] = 0
    return padded


def ends(around: Around) -> Columns:
    """Return the degrees around each end, by distance and bin of degree: sums and differences of both, so symmetric."""
    rows = np.log1p(around.bins)
    shape = (len(rows), around.radius * NUM_BINS)
    degrees = np.log1p(np.sort(around.degrees, axis=1))
    sums, differences = rows.sum(axis=1), np.abs(rows[:, 0] - rows[:, 1])
    cells = [f"d{distance + 1}_bin{place}" for distance in range(around.radius) for place in range(NUM_BINS)]
    names = ["degree_low", "degree_high", *(f"ends_sum_{cell}" for cell in cells)]
    names += [f"ends_difference_{cell}" for cell in cells]
    return Columns(names, np.hstack([degrees, sums.reshape(shape), differences.reshape(shape)]))
