"""Edge types: amounts in bins, and the graph in which every edge is a node between its ends."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from egonet import _native
from egonet.errors import InputError, option
from egonet.graph.columns import EdgeTable
from egonet.graph.graph import Graph, check_size
from egonet.typing import Array, Direction, Floats, Int32s, Int64s


def quantile_limits(weights: Floats, count: int) -> tuple[float, ...]:
    """Return the limits between `count` bins that hold about equally many weights; equal limits become one.

    >>> quantile_limits(np.array([1.0, 2.0, 3.0, 4.0]), 2)
    (3.0,)
    """
    if not len(weights):
        raise InputError("quantiles of weights need at least one edge, got none. Give the limits themselves.")
    ordered = np.sort(weights)
    # Limit j is the smallest weight with at least a share of j / count below it: one of the weights, never a mean.
    few = min(count, len(ordered) + 1)  # with more bins than weights every weight is a limit
    places = (np.arange(1, few) * len(ordered) // few).tolist()
    return tuple(dict.fromkeys(float(ordered[place]) for place in places))


def bin_weights(weights: Floats, bins: Any, keyword: str = "weight_bins") -> Array:
    """Return the name of the bin of every weight: "below10", "10to100", "100plus".

    A weight that equals a limit is in the bin above it. "log" has a bin for 0 and one between any two powers of two.

    >>> bin_weights(np.array([3.0, 10.0, 500.0]), (10.0, 100.0)).tolist()
    ['below10', '10to100', '100plus']
    >>> bin_weights(np.array([0.0, 0.7, 5.0]), "log").tolist()
    ['0', '0.5to1', '4to8']
    """
    if bins == "log":
        if len(weights) and weights.min() < 0:
            first = int(np.argmax(weights < 0))
            raise InputError(
                f"{option(keyword, 'log')} needs weights >= 0, got {weights[first]} at edge {first} "
                "(counted from 0). Give the limits of bins instead."
            )
        exponents = np.frexp(weights)[1].astype(np.int64) - 1  # 2**exponent <= weight < 2**(exponent + 1)
        numbers = np.where(weights == 0, -5000, exponents)
        distinct, places = np.unique(numbers, return_inverse=True)
        names = [
            "0"
            if number == -5000
            else f"{_number(2.0**number)}to{'inf' if number == 1023 else _number(2.0 ** (number + 1))}"
            for number in distinct.tolist()
        ]
        return np.array(names or [""])[places]
    names = [f"below{_number(bins[0])}", *(f"{_number(a)}to{_number(b)}" for a, b in pairwise(bins))]
    names.append(f"{_number(bins[-1])}plus")
    return np.array(names)[np.searchsorted(np.array(bins), weights, side="right")]


def _number(value: float) -> str:
    """Return a number as short text that no other number has."""
    return repr(value).removesuffix(".0")


@dataclass(frozen=True, eq=False)
class Subdivision:
    """A graph in which every edge is a node between its ends.

    Attributes
    ----------
    indptr, indices
        The arrays of the graph, as in `Graph`: nodes 0 ... num_nodes - 1 are the nodes of the original graph, and
        the others are its edges. An arc leads from its source to its edge node to its target.
    num_nodes
        The number of nodes that are not edges.
    types
        int32 (num_edges,): the type of every edge node.
    """

    indptr: Int64s
    indices: Int32s
    num_nodes: int
    types: Int32s

    def labels(self, nodes: Int32s | None) -> Int32s:
        """Return a number per node: the label of a node (0 without labels), the type of an edge."""
        own = np.zeros(self.num_nodes, dtype=np.int32) if nodes is None else nodes
        return np.concatenate([own, self.types])

    def edges(self, directed: Direction | None) -> EdgeTable:
        """Return both ends of every edge node, in the order of the types; raise ValueError if one has no two ends.

        >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
        >>> table = subdivide(path, np.array([5, 7], dtype=np.int32)).edges(None)
        >>> table.source.tolist(), table.target.tolist()
        ([0, 1], [1, 2])
        """
        owners, is_arc = np.diff(self.indptr), directed is not None
        lists, ends = np.split(self.indices, [self.indptr[self.num_nodes]])
        # Edge nodes are numbered by their first end, so that the lists of nodes have them in order.
        numbers = np.arange(self.num_nodes, self.num_nodes + len(self.types))
        if (
            not np.all(owners[self.num_nodes :] == (1 if is_arc else 2))
            or (is_arc and not np.array_equal(lists, numbers))
            or (len(ends) and ends.max() >= self.num_nodes)
        ):
            raise ValueError("an edge with a type must have two ends")
        if not is_arc:
            return EdgeTable(ends[::2].copy(), ends[1::2].copy())
        first = np.repeat(np.arange(self.num_nodes, dtype=np.int32), owners[: self.num_nodes])
        return EdgeTable(ends, first) if directed == "in" else EdgeTable(first, ends)


def subdivide(graph: Graph, types: Int32s) -> Subdivision:
    """Return a graph with a node on every edge; `types` has a number per edge of `given_edges()`.

    Loops are left out. Edges between the same two nodes are one edge if they have the same type.

    >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
    >>> made = subdivide(path, np.array([5, 7], dtype=np.int32))
    >>> made.indptr.tolist(), made.indices.tolist(), made.types.tolist()
    ([0, 1, 3, 4, 6, 8], [3, 3, 4, 4, 0, 1, 1, 2], [5, 7])
    """
    table = graph.given_edges()
    first, second = table.source, table.target
    if graph.directed == "in":
        first, second = second, first
    check_size(graph.num_nodes + len(first), "nodes and typed edges")
    arrays = _native.subdivide(first, second, types, graph.num_nodes, graph.directed is None)
    return Subdivision(arrays[0], arrays[1], graph.num_nodes, arrays[2])
