"""Values of edges and nodes: aligned with the graph; edge values are binned to types and turned into nodes."""

import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from egonet import _native
from egonet.errors import InputError
from egonet.graph.convert import is_from
from egonet.graph.dataframes import indexes_of
from egonet.graph.edge_table import EdgeTable, as_column, is_number
from egonet.graph.graph import MAX_NODES, Graph
from egonet.graph.ids import show
from egonet.typing import Array, Floats, Int32s, Int64s

#: One value per edge: the name of a kept attribute, a sequence in the order of the edges, or a mapping of pairs.
EdgeValues: TypeAlias = str | Collection[Any]


def kept_names(*values: EdgeValues | None) -> tuple[str, ...] | None:
    """Return the attributes that reading must keep for some arguments; None if no argument is about edges.

    >>> kept_names(None, None), kept_names("bond", None), kept_names(["single"], None)
    (None, ('bond',), ())
    """
    if all(value is None for value in values):
        return None
    return tuple(dict.fromkeys(value for value in values if isinstance(value, str)))


def table_of(graph: Graph) -> EdgeTable:
    """Return the edges as they were given, or those of `Graph.edges()` if the graph has no edge table.

    >>> table = table_of(Graph.from_edges([("b", "a"), ("c", "b")]))
    >>> table.source.tolist(), table.target.tolist()
    ([0, 0], [1, 2])
    """
    return EdgeTable(*graph.edge_rows()) if graph.edge_table is None else graph.edge_table


def align_edges(values: EdgeValues, graph: Graph, graph_ptr: Int64s, what: str) -> Array:
    """Return one value per edge of `table_of(graph)`; `what` is the argument in messages.

    >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
    >>> align_edges({("b", "a"): "x", ("b", "c"): "y"}, path, np.array([0, 3]), "edge_labels").tolist()
    ['x', 'y']
    """
    table = table_of(graph)
    if isinstance(values, str):
        return table.column(values)
    num_graphs = len(graph_ptr) - 1
    if isinstance(values, list | tuple) and num_graphs > 1 and any(map(is_nested, values)):
        return _per_graph(values, graph, graph_ptr, what)
    index = _joined_index(indexes_of(table, num_graphs))
    by_pair = None if _has_index(values, index) else _by_pair(values, what)
    if by_pair is not None:
        if num_graphs > 1:
            raise InputError(
                f"{what} by pair names the edges of one graph, got {num_graphs:,} graphs. Give one per graph."
            )
        return _from_pairs(by_pair, graph, table, what)
    is_single = not isinstance(values, Iterable) or getattr(values, "shape", None) == ()
    if is_single or isinstance(values, bytes | set | frozenset):
        raise InputError(
            f"{what} must be the name of an edge attribute, one value per edge, or a mapping of pairs, "
            f"got {show(values)}."
        )
    return _sized(in_row_order(values, index, len(table), what), len(table), what)


def _sized(values: Any, size: int, what: str) -> Array:
    if hasattr(values, "__len__") and len(values) != size:
        raise InputError(f"{what} must have one value per edge as given: {size:,}, got {len(values):,}.")
    return as_column(values, size, what)


def is_nested(part: Any) -> bool:
    """Return whether an item of a list is itself a sequence or mapping of values: not text, and not a single value."""
    return isinstance(part, list | tuple | Mapping) or len(getattr(part, "shape", ())) > 0


def _per_graph(values: Any, graph: Graph, graph_ptr: Int64s, what: str) -> Array:
    """Return the values of several graphs, given one sequence or mapping each."""
    if len(values) != len(graph_ptr) - 1:
        raise InputError(
            f"{what} must have one entry per graph: {len(graph_ptr) - 1:,}, got {len(values):,}."
        )
    table, ids = table_of(graph), graph.node_ids
    sizes = np.bincount(np.searchsorted(graph_ptr, table.source, side="right") - 1, minlength=len(values))
    ends = np.cumsum(sizes)
    arrays = all(type(part) is np.ndarray and part.ndim == 1 for part in values)
    if arrays and len({part.dtype for part in values}) == 1 and list(map(len, values)) == sizes.tolist():
        return np.concatenate(values)
    parts: list[Any] = []
    indexes = indexes_of(table, len(values))
    for place, (part, size, end) in enumerate(zip(values, sizes.tolist(), ends.tolist(), strict=True)):
        where, index = f"{what} (graph {place})", indexes[place]
        by_pair = None if _has_index(part, index) else _by_pair(part, where)
        if by_pair is None:
            parts.append(_sized(in_row_order(part, index, size, where), size, where))
            continue
        rows = np.stack([table.source[end - size : end], table.target[end - size : end]], axis=1)
        parts.append(_look_up(by_pair, ids[rows].tolist(), where, ordered=graph.directed is not None))
    kinds = {part.dtype.kind for part in parts}
    if len(kinds) == 1:
        return np.concatenate(parts)
    return as_column([value for part in parts for value in part.tolist()], len(table), what)


def _by_pair(values: Any, what: str) -> Mapping[Any, Any] | None:
    """Return values as a mapping from pair to value if they name their edges; raise if a pair repeats."""
    if isinstance(values, Mapping):
        return values
    if not _is_series(values) or values.index.nlevels != 2:
        return None
    if not values.index.is_unique:
        first = values.index[values.index.duplicated()][0]
        raise InputError(
            f"{what} must name every edge once, got {show(first)} twice. Drop the repeats, or give to_numpy() for "
            "values in the order of the edges."
        )
    return dict(zip(values.index.to_list(), values.to_list(), strict=True))


def _is_series(values: Any) -> bool:
    return is_from("pandas", values) and hasattr(values, "index") and getattr(values, "ndim", 0) == 1


def _has_index(values: Any, index: Any) -> bool:
    return index is not None and _is_series(values) and bool(index.equals(values.index))


def _joined_index(indexes: list[Any]) -> Any:
    """Return the indexes of all graphs one after the other, or None if a graph has none."""
    if not indexes or any(index is None for index in indexes):
        return None
    return indexes[0] if len(indexes) == 1 else indexes[0].append(indexes[1:])


def in_row_order(values: Any, index: Any, size: int, what: str, item: str = "edge") -> Any:
    """Return a pandas Series in the order of the table that has this index; anything else unchanged.

    Without a table (`index` is None) the index of a Series must count from 0.

    >>> import pandas as pd
    >>> in_row_order(pd.Series(["x", "y"], index=[8, 7]), pd.Index([7, 8]), 2, "edge_labels").to_list()
    ['y', 'x']
    """
    # Iterating a table gives the names of its columns.
    if is_from("pandas", values) and hasattr(values, "columns"):
        raise InputError(f"{what} must be one value per {item}, got a table. Give one column of it.")
    if not _is_series(values) or len(values) != size or _has_index(values, index):
        return values
    own = values.index
    if index is None:
        if list(own) != list(range(size)):
            pairs = ", or hold pairs of node ids" if item == "edge" else ""
            raise InputError(
                f"the index of {what} must count the {item}s from 0{pairs}, got {show(own[0])} first. "
                f"Name a column of the {item} table instead, or give to_numpy()."
            )
        return values
    way_out = f"Name a column of the {item} table, or give to_numpy() for values in the order of the {item}s."
    if not own.is_unique or not index.is_unique:
        raise InputError(
            f"the index of {what} must be that of the {item} table, but they differ and labels repeat. {way_out}"
        )
    rows = own.get_indexer(index)
    missing = np.flatnonzero(rows < 0)
    if len(missing):
        raise InputError(
            f"the index of {what} must be that of the {item} table: {len(missing):,} of {size:,} rows have no value, "
            f"first {show(index[missing[0]])}. {way_out}"
        )
    return values.iloc[rows]


def _from_pairs(values: Mapping[Any, Any], graph: Graph, table: EdgeTable, what: str) -> Array:
    pairs = graph.node_ids[np.stack([table.source, table.target], axis=1)].tolist()
    found = _look_up(values, pairs, what, ordered=graph.directed is not None)
    known = {frozenset(pair) if graph.directed is None else tuple(pair) for pair in pairs}
    extra = [
        pair for pair in values if (frozenset(pair) if graph.directed is None else tuple(pair)) not in known
    ]
    if extra:
        raise InputError(
            f"{what} must name edges of the graph only: {len(extra):,} of {len(values):,} pairs are not in it, "
            f"first {', '.join(map(show, extra[:3]))}. Leave them out."
        )
    return found


def _look_up(values: Mapping[Any, Any], pairs: list[Any], what: str, *, ordered: bool) -> Array:
    """Return the value of every pair; undirected edges are named in either order, or in both with one value."""
    table: dict[Any, Any] = {}
    for pair, value in values.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InputError(f"{what} must have pairs of node ids as keys, got {show(pair)}.")
        names = (pair,) if ordered else (pair, pair[::-1])
        for name in names:
            if name in table and table[name] != value:
                raise InputError(
                    f"{what} names the edge {show(pair)} twice, with {table[name]!r} and {value!r}."
                )
            table[name] = value
    missing = [tuple(pair) for pair in pairs if tuple(pair) not in table]
    if missing:
        raise InputError(
            f"{what} must name every edge: {len(missing):,} of {len(pairs):,} are missing, "
            f"first {', '.join(map(show, missing[:3]))}."
        )
    return as_column([table[tuple(pair)] for pair in pairs], len(pairs), what)


def as_numbers(values: Array, what: str, item: str = "edge") -> Floats:
    """Return finite numbers as float64, or raise an error that counts those that are not and names the first.

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
        # One field that is no number makes a column of a file text: name that field.
        worse = bad & ~np.array([isinstance(value, str) and is_number(value) for value in values.tolist()])
        bad = worse if worse.any() else bad
        first = int(np.argmax(bad))
        got: Any = values[first].item() if isinstance(values[first], np.generic) else values[first]
        raise InputError(
            f"{what} must be finite numbers: {int(bad.sum()):,} of {len(values):,} are not, first {show(got)} at "
            f"{item} {first} (counted from 0)."
        )
    return numbers + 0.0  # no negative zero


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


def bin_weights(weights: Floats, bins: Any) -> Array:
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
                f'weight_bins="log" needs weights >= 0, got {weights[first]} at edge {first} (counted from 0). '
                "Give the limits of bins instead."
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


def subdivide(graph: Graph, types: Int32s, *, within: Graph | None = None) -> Subdivision:
    """Return a graph with a node on every edge; `types` has a number per edge of `table_of(graph)`.

    Loops and edges that the graph `within`, with the same nodes, does not have are left out. Edges between the same two
    nodes are one edge if they have the same type.

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


def align_by_id(values: Mapping[Any, Any], ids: list[Any], what: str, where: str = "") -> list[Any]:
    """Return the value of every id, in this order; raise for an id without a value and a value without an id."""
    missing = [node for node in ids if node not in values]
    if missing:
        given = f" The ids of {what} are {', '.join(map(show, list(values)[:3]))} ..." if values else ""
        raise InputError(
            f"{what} must name every node{where}: {len(missing):,} of {len(ids):,} are missing, "
            f"first {', '.join(map(show, missing[:3]))}.{given} For {what} in row order give a list or an array."
        )
    known = set(ids)
    extra = [node for node in values if node not in known]
    if extra:
        raise InputError(
            f"{what} must name nodes of the graph only{where}: {len(extra):,} of {len(values):,} ids are not in it, "
            f"first {', '.join(map(show, extra[:3]))}. Leave them out."
        )
    return [values[node] for node in ids]
