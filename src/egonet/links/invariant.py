"""Columns of pairs that mean the same in every graph: what a model learned on other graphs can use."""

from dataclasses import dataclass

import numpy as np

from egonet.graph.graph import Graph
from egonet.links.around import Around, Columns, share
from egonet.typing import Array, Floats, Int64s


@dataclass(frozen=True, eq=False)
class Scale:
    """Numbers of a whole graph by which the columns of its pairs are divided.

    Attributes
    ----------
    num_nodes
        The number of nodes.
    num_arcs
        Twice the number of edges, at least 1.
    excess
        The mean number of further neighbors of a neighbor: mean square degree by mean degree, minus 1.
    degrees
        int64 (num_nodes,), rising: the degrees of all nodes.
    """

    num_nodes: int
    num_arcs: float
    excess: float
    degrees: Int64s

    @classmethod
    def of(cls, graph: Graph) -> "Scale":
        """Return the numbers of a graph.

        >>> Scale.of(Graph.from_edges([(0, 1), (1, 2)])).excess
        0.5
        """
        degrees = np.sort(graph.degrees)
        arcs = max(float(degrees.sum()), 1.0)
        return cls(graph.num_nodes, arcs, max(float((degrees**2).sum()) / arcs - 1, 0.0), degrees)


def invariant_columns(around: Around, scale: Scale) -> Columns:
    """Return the columns of pairs whose scale does not depend on the size and the density of the graph.

    Distances; overlaps of balls relative to those of random sets of the same sizes; sizes and growth of balls; parts
    of the nodes by distances; common neighbors relative to random graphs with the same degrees; degrees relative to
    the mean; walks relative to chance. Ten decimals: the order of a sum changes no rank among equal values.
    """
    parts = [_balls(around, scale), share(around), _local(around, scale), _walks(around, scale)]
    names = [name for part in parts for name in part.names]
    return Columns(names, np.hstack([part.values for part in parts]).round(10))


def _both(name: str, sides: Floats) -> tuple[list[str], list[Floats]]:
    """Return the smaller and the larger value of both ends."""
    return [f"{name}_low", f"{name}_high"], [sides.min(axis=1), sides.max(axis=1)]


def _balls(around: Around, scale: Scale) -> Columns:
    radius, size = around.radius, scale.num_nodes
    distance = np.full(len(around.counts), 2 * radius + 1.0)
    for i in range(radius + 1):
        for j in range(radius + 1):
            here = around.counts[:, i, j] > 0
            distance[here] = np.minimum(distance[here], i + j)
    names, values = ["distance", "connected"], [distance, (distance <= 2 * radius).astype(np.float64)]
    balls = around.balls
    for hops in range(1, radius + 1):
        growth = (balls[:, :, hops] - balls[:, :, hops - 1] + 0.5) / (balls[:, :, hops - 1] + 0.5)
        for name, sides in (("ball", balls[:, :, hops] / size), ("growth", growth)):
            more = _both(f"{name}{hops}", np.log(sides))
            names, values = names + more[0], values + more[1]
    for a in range(1, radius + 1):
        for b in range(a, radius + 1):
            shared = (around.within(a, b) + around.within(b, a)) / 2
            expected = (balls[:, 0, a] * balls[:, 1, b] + balls[:, 0, b] * balls[:, 1, a]) / (2 * size)
            smaller = np.maximum(np.minimum(balls[:, 0, b], balls[:, 1, b]), 1)
            union = (balls[:, 0, a] + balls[:, 1, b] + balls[:, 0, b] + balls[:, 1, a]) / 2 - shared
            names += [f"lift{a}{b}", f"cover{a}{b}", f"jaccard{a}{b}"]
            values += [
                np.log((shared + 0.1) / (expected + 0.1)),
                shared / smaller,
                shared / np.maximum(union, 1),
            ]
    return Columns(names, np.column_stack(values))


def _local(around: Around, scale: Scale) -> Columns:
    degrees = around.degrees
    product = degrees.prod(axis=1)
    smaller = np.maximum(degrees.min(axis=1), 1)
    middle = np.maximum(np.sqrt(product), 1)
    common, inverse = around.counts[:, 1, 1], around.inverses[:, 1, 1]
    expected = product / scale.num_arcs * scale.excess
    mean = scale.num_arcs / scale.num_nodes
    values = {
        "common_lift": np.log((common + 0.1) / (expected + 0.1)),
        "jaccard": np.sqrt(common / np.maximum(degrees.sum(axis=1) - common, 1)),
        "common_by_smaller": np.sqrt(common / smaller),
        "common_by_middle": np.sqrt(common / middle),
        "allocation_by_smaller": np.sqrt(inverse / smaller),
        "allocation_by_middle": np.sqrt(inverse / middle),
        "common": np.log1p(common),
        "adamic_adar": np.log1p(around.logs[:, 1, 1]),
        "allocation": np.log(inverse + 1e-3),
        "product": np.log((product + 0.5) / mean**2),
        "isolated": (degrees == 0).sum(axis=1).astype(np.float64),
        "leaves": (degrees == 1).sum(axis=1).astype(np.float64),
    }
    names, columns = list(values), list(values.values())
    below = np.searchsorted(scale.degrees, degrees, "left") + np.searchsorted(scale.degrees, degrees, "right")
    sides = {
        "degree": np.log((degrees + 0.5) / mean),
        "degree_rank": below / (2 * scale.num_nodes),
        "degree_log": np.log1p(degrees),
    }
    for name, side in sides.items():
        more = _both(name, side)
        names, columns = names + more[0], columns + more[1]
    return Columns(names, np.column_stack(columns))


def _walks(around: Around, scale: Scale) -> Columns:
    relative = around.walks * scale.num_arcs  # 1: as likely as from a random edge
    steps = np.arange(2, 2 * around.radius + 1)
    total = weighted_sum(relative, 0.85**steps)
    middle = np.sqrt(np.maximum(around.degrees, 0.5).prod(axis=1))
    product = (around.degrees + 0.5).prod(axis=1)
    mean = scale.num_arcs / scale.num_nodes
    names = [f"walk{step}" for step in steps] + ["walks", "visits", "visits_by_product"]
    values = [
        np.log(relative + 1e-2),
        np.log(total + 1e-2)[:, None],
        np.log(total * middle / mean + 1e-3)[:, None],
    ]
    return Columns(names, np.hstack([*values, np.log(total * product / mean**2 + 1e-2)[:, None]]))


def weighted_sum(columns: Floats, weights: Array) -> Floats:
    """Return the sum of columns times weights, added in this order.

    A product of matrices would round differently for another number of rows.

    >>> weighted_sum(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([10.0, 1.0])).tolist()
    [12.0, 34.0]
    """
    total = np.zeros(len(columns))
    for column, weight in zip(columns.T, weights.tolist(), strict=True):
        total += column * weight
    return total


def ranks(values: Floats, reference: Floats) -> Floats:
    """Return which part of the rising reference columns is smaller, column by column, ties counted half.

    Examples
    --------
    >>> ranks(np.array([[1.0], [5.0]]), np.array([[1.0], [3.0]])).tolist()
    [[0.25], [1.0]]
    """
    table = np.empty_like(values)
    for column in range(values.shape[1]):
        ordered = reference[:, column]
        below = np.searchsorted(ordered, values[:, column], "left")
        table[:, column] = (below + np.searchsorted(ordered, values[:, column], "right")) / (2 * len(ordered))
    return table
