"""Types of edges: weights in bins, and graphs in which every typed edge is a node between its ends."""

import sys
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from egonet import _native
from egonet.attributes.edge_values import table_of
from egonet.errors import InputError
from egonet.graph.graph import MAX_NODES, Graph
from egonet.graph.ids import Array, show
from egonet.typing import Floats, Int32s, Int64s


def as_numbers(values: Array, what: str, item: str = "edge") -> Floats:
    """Return finite numbers as float64, or raise an error that counts those that are not and names the first.

    Examples
    --------
    >>> as_numbers(np.array([1, 2]), "weights").tolist()
    [1.0, 2.0]
    >>> as_numbers(np.array([1.0, np.nan]), "weights")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: weights must be finite numbers: 1 of 2 are not, first nan at edge 1 (counted from 0).
    """
    if values.dtype.kind in "iufb":
        numbers = values.astype(np.float64)
        bad = ~np.isfinite(numbers)
    else:
        listed = values.tolist()
        bad = np.array(
            [not isinstance(value, int | float) or value - value != 0 for value in listed], dtype=bool
        )
        bad |= np.array(
            [isinstance(value, int) and abs(value) > sys.float_info.max for value in listed], dtype=bool
        )
        numbers = np.array(
            [0.0 if wrong else value for value, wrong in zip(listed, bad, strict=True)], dtype=np.float64
        )
    if bad.any():
        first = int(np.argmax(bad))
        got: Any = values[first].item() if isinstance(values[first], np.generic) else values[first]
        raise InputError(
            f"{what} must be finite numbers: {int(bad.sum()):,} of {len(values):,} are not, first {show(got)} at "
            f"{item} {first} (counted from 0)."
        )
    return numbers + 0.0  # no negative zero


def quantile_limits(weights: Floats, count: int) -> tuple[float, ...]:
    """Return the limits between `count` bins that hold about equally many weights; equal limits become one.

    Examples
    --------
    >>> quantile_limits(np.array([1.0, 2.0, 3.0, 4.0]), 2)
    (3.0,)
    """
    if not len(weights):
        raise InputError("quantiles of weights need at least one edge, got none. Give the limits themselves.")
    ordered = np.sort(weights)
    # The smallest weight that has a share of at least j / count below it: one of the weights, no mean of two.
    few = min(count, len(ordered) + 1)  # with more bins than weights every weight is a limit
    places = (np.arange(1, few) * len(ordered) // few).tolist()
    return tuple(dict.fromkeys(float(ordered[place]) for place in places))


def bin_weights(weights: Floats, bins: Any) -> Array:
    """Return the name of the bin of every weight: "below10", "10to100", "100plus".

    A weight that equals a limit is in the bin above it. "log" has a bin for 0 and one between any two powers of two.

    Examples
    --------
    >>> bin_weights(np.array([3.0, 10.0, 500.0]), (10.0, 100.0)).tolist()
    ['below10', '10to100', '100plus']
    >>> bin_weights(np.array([0.0, 0.7, 5.0]), "log").tolist()
    ['0', '0.5to1', '4to8']
    """
    if bins == "log":
        if len(weights) and weights.min() < 0:
            first = int(np.argmax(weights < 0))
            raise InputError(
                f'weight_bins="log" needs weights >= 0, got {weights[first]} at edge {first} (counted from 0). '
                "Give the limits of bins instead."
            )
        exponents = np.frexp(weights)[1].astype(np.int64) - 1  # 2**exponent <= weight < 2**(exponent + 1)
        numbers = np.where(weights == 0, -5000, exponents)
        distinct, places = np.unique(numbers, return_inverse=True)
        names = [
            "0" if number == -5000 else f"{_number(2.0**number)}to{_number(2.0 ** (number + 1))}"
            for number in distinct.tolist()
        ]
        return np.array(names or [""])[places]
    names = [f"below{_number(bins[0])}", *(f"{_number(a)}to{_number(b)}" for a, b in pairwise(bins))]
    names.append(f"{_number(bins[-1])}plus")
    return np.array(names)[np.searchsorted(np.array(bins), weights, side="right")]


def _number(value: float) -> str:
    """Return a number as short text that no other number has."""
    return repr(value).removesuffix(".0") if value < 2.0**1023 else "inf"


@dataclass(frozen=True, eq=False)
class Subdivision:
    """A graph with a node on every edge.

    Attributes
    ----------
    indptr, indices
        The arrays of the graph, as in `Graph`: nodes 0 ... num_nodes - 1 are those of the graph itself, and all
        others are edges. An arc goes from its source to its node to its target.
    num_nodes
        How many nodes are not edges.
    types
        int32 (num_edges,): the type of the edge that each of the other nodes is.
    """

    indptr: Int64s
    indices: Int32s
    num_nodes: int
    types: Int32s

    def labels(self, nodes: Int32s | None) -> Int32s:
        """Return a number per node: the label of a node (0 without labels), the type of an edge."""
        own = np.zeros(self.num_nodes, dtype=np.int32) if nodes is None else nodes
        return np.concatenate([own, self.types])


def subdivide(graph: Graph, types: Int32s, *, within: Graph | None = None) -> Subdivision:
    """Return a graph with a node on every edge; `types` has a number per edge of `table_of(graph)`.

    Edges that `within`, a graph with the same nodes, does not have are left out.

    Loops are dropped. Edges between the same two nodes are one edge if they have one type, and several otherwise.

    Examples
    --------
    >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
    >>> made = subdivide(path, np.array([5, 7], dtype=np.int32))
    >>> made.indptr.tolist(), made.indices.tolist(), made.types.tolist()
    ([0, 1, 3, 4, 6, 8], [3, 3, 4, 4, 0, 1, 1, 2], [5, 7])
    """
    table = table_of(graph)
    first, second = table.source, table.target
    if graph.directed == "in":
        first, second = second, first
    if graph.num_nodes + len(first) > MAX_NODES:
        raise InputError(
            f"nodes and typed edges must be at most {MAX_NODES:,} together, got {graph.num_nodes + len(first):,}."
        )
    if within is not None and within is not graph:
        codes = np.repeat(np.arange(len(within)), within.degrees) * len(within) + within.indices
        kept = np.isin(first.astype(np.int64) * len(within) + second, codes)
        first, second, types = first[kept], second[kept], types[kept]
    arrays = _native.subdivide(first, second, types, graph.num_nodes, graph.directed is None)
    return Subdivision(arrays[0], arrays[1], graph.num_nodes, arrays[2])
