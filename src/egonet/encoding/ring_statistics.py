"""`ring_statistics`: sums, means and extremes of node or edge attributes at every distance from every node."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack

import numpy as np

from egonet import _native
from egonet.checks import as_argument, as_threads, as_whole, names_of, one_of
from egonet.encoding.row_index import RowIndex
from egonet.encoding.signature import list_options
from egonet.errors import InputError, MemoryLimitError, UnknownNodeError, option, require_extra, show_value
from egonet.graph.adapters import adapter_of, as_graph, is_many
from egonet.graph.align import align_by_id, align_edges, as_numbers, reject_unordered
from egonet.graph.columns import as_column, as_numpy, is_from
from egonet.graph.edge_types import subdivide
from egonet.graph.graph import Graph
from egonet.graph.index import NodeIndex
from egonet.graph.input_options import ReadOptions, warn
from egonet.kernel.native import available_cores
from egonet.tables.nodes import as_node_table
from egonet.typing import Array, Floats

if TYPE_CHECKING:
    import pandas

Statistic: TypeAlias = Literal["sum", "mean", "min", "max", "count"]
STATISTICS = ("sum", "mean", "min", "max", "count")
#: Sums of fewer than 2**31 smaller numbers cannot overflow.
MOST = 2.0**992


@dataclass(frozen=True, eq=False)
class RingStatistics:
    """Statistics of every node's rings.

    Attributes
    ----------
    values
        float64 (num_nodes, num_columns); NaN for the mean, minimum and maximum of a ring without values.
    nodes
        The ids of the nodes, in row order.
    feature_names
        The name of every column, such as "d1_sum", or "d1_amount_sum" if the values have names.
    times
        The time of every row, if rows are as of a time; a row is then named (node, time).

    Examples
    --------
    >>> RingStatistics(np.array([[1.0]]), np.array(["a"]), ["d0_sum"])["a"]
    {'d0_sum': 1.0}
    """

    values: Floats
    nodes: Array
    feature_names: list[str]
    times: Array | None = None

    def __getitem__(self, node: Hashable) -> dict[str, float]:
        """Return name → value of one node, or of a node and a time."""
        if self.times is None:
            row: int | None = self._index.require(node, "no row belongs to node")
        else:
            row = self._index_of_times.find(node)
        if row is None:
            raise UnknownNodeError(f"no row belongs to {show_value(node)}. Rows are named (node, time).")
        return dict(zip(self.feature_names, self.values[row].tolist(), strict=True))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return the values."""
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.nodes)

    @cached_property
    def _index(self) -> NodeIndex:
        """Return the rows by id."""
        return NodeIndex(len(self.nodes), self.nodes)

    @cached_property
    def _index_of_times(self) -> RowIndex:
        return RowIndex.of_nodes(self.nodes, self.times)

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a DataFrame indexed by node, or by node and time, a column per feature.

        Examples
        --------
        >>> import egonet
        >>> egonet.ring_statistics([("a", "b")], {"a": 1, "b": 5}, 1, ["sum"]).to_pandas().loc["a"].tolist()
        [1.0, 5.0]
        """
        pandas = require_extra("pandas", extra=None)
        index: Any = pandas.Index(self.nodes, name="node")
        if self.times is not None:
            index = pandas.MultiIndex.from_arrays([self.nodes, self.times], names=["node", "time"])
        return pandas.DataFrame(self.values, index=index, columns=self.feature_names)


@list_options
def ring_statistics(
    graph: Any,
    values: Any,
    radius: int,
    statistics: Sequence[Statistic] = ("sum", "mean", "min", "max"),
    *,
    on: Literal["nodes", "edges"] | None = None,
    threads: int | None = None,
    **reading: Unpack[ReadOptions],
) -> RingStatistics:
    """Return statistics of the values at every distance from every node.

    Ring d of a node holds the nodes at distance d from it, 0 to `radius`. Ring d of edges holds the edges whose nearer
    end is at distance d, 0 to `radius` - 1: ring 0 is the node's own edges. Where arcs are followed one way, only the
    end that they are followed from counts: the source with directed="out". Sums are exact and rounded once, so that
    neither order nor threads matter; a mean is the rounded sum divided by the number of values. A sum of whole numbers
    that would be rounded is an error.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts. A directed graph is followed the way it was read.
    values
        Numbers. Of nodes: by id (a mapping, a pandas Series by its index, a table with a column "node" or "id", a
        pandas DataFrame by its index), in row order where `as_graph` takes such labels, several columns as an array of
        two dimensions, or the name of an attribute of a networkx graph. Of edges: as `edge_labels` of `encode`, or a
        list of attribute names.
    radius
        The largest distance.
    statistics
        Any of "sum", "mean", "min", "max" and "count".
    on
        "nodes" or "edges": what the values belong to. Without it, names are those of edge attributes (of a networkx
        graph also the name of a node attribute), and everything else belongs to nodes.
    threads
        How many threads compute; one per core if not given.
    directed, source, target, num_nodes, nodes, missing, ids, simplify
        How the graph is read, as for `as_graph`.

    Raises
    ------
    InputError
        If a value is missing, NaN or infinite, or an argument breaks another rule.
    MemoryLimitError
        If the table, a column per distance, does not fit in memory.

    Examples
    --------
    >>> path = [("a", "b"), ("b", "c")]
    >>> ring_statistics(path, {"a": 1, "b": 2, "c": 4}, 1, ["sum", "max"])["b"]
    {'d0_sum': 2.0, 'd0_max': 2.0, 'd1_sum': 5.0, 'd1_max': 4.0}
    >>> ring_statistics(path, [0.5, 0.25], 2, ["sum"], on="edges")["a"]
    {'edge_d0_sum': 0.5, 'edge_d1_sum': 0.25}

    Notes
    -----
    Every edge as given counts, also parallel edges. In an undirected graph, (u, v) and (v, u) with equal values are one
    edge that is listed twice: if it is listed a times one way and b times the other way, it counts max(a, b) times.
    Edges from a node to itself are dropped. One `IgnoredInputWarning` counts what was merged and dropped.
    """
    check_statistics(radius, statistics)
    if on is not None:
        one_of("on", on, ("nodes", "edges"))
    num_threads = as_threads(threads)
    if is_many(graph):
        raise InputError("ring_statistics takes one graph, got several. Call it for each of them.")
    if on != "edges" and isinstance(values, str) and is_from("networkx", graph):
        on, values = _node_attribute(graph, values, on)
    on = on or ("nodes" if _attribute_names(values) is None else "edges")
    names = _attribute_names(values) if on == "edges" else None
    keep = None if on == "nodes" or isinstance(graph, Graph) else tuple(names or ())
    is_ordered = reading.get("nodes") is not None or adapter_of(graph).has_order
    graph = as_graph(graph, **reading, keep=keep)
    if on == "nodes":
        columns, numbers = _of_nodes(values, graph, is_ordered=is_ordered)
        arrays, first, rings = (graph.indptr, graph.indices), 0, (0, 1, radius + 1)
    else:
        columns, edge_numbers = _of_edges(values, names, graph)
        arrays, numbers = _edge_nodes(graph, edge_numbers)
        first, rings = graph.num_nodes, (1, 2, radius)
    start = "" if on == "nodes" else "edge_"
    table, features = ring_table(
        arrays,
        numbers,
        first,
        rings,
        graph.num_nodes,
        num_threads,
        radius=radius,
        columns=[(start, name) for name in columns],
        statistics=statistics,
        name_row=lambda row: f"node {show_value(graph.node_ids[row])}",
    )
    return RingStatistics(table, graph.node_ids, features)


def ring_table(
    arrays: tuple[Any, Any],
    numbers: Floats,
    first: int,
    rings: tuple[int, int, int],
    num_rows: int,
    threads: int,
    *,
    radius: int,
    columns: list[tuple[str, str]],
    statistics: Sequence[Statistic],
    name_row: Callable[[int], str],
) -> tuple[Floats, list[str]]:
    """Return the statistics around the first nodes of a graph, and the names of the columns.

    Parameters
    ----------
    arrays
        indptr and indices of the graph.
    numbers
        float64 (num_values, num_columns): a row for each of the nodes from `first` on.
    rings
        The distance of the innermost ring, the step to the next, and how many rings there are.
    num_rows
        How many nodes get a row: 0, 1, ...
    threads
        0 for one per core.
    radius
        The largest distance that was asked for, for messages.
    columns
        What the names of each column of `numbers` start with, and its own name.
    name_row
        Returns what a row belongs to, for messages.
    """
    if numbers.size and np.abs(numbers).max() >= MOST:
        raise InputError(f"values must be smaller than {MOST:.3g}, got {np.abs(numbers).max()}.")
    try:
        sums = _count(arrays, numbers, first, rings, num_rows, threads)
    except MemoryError as error:
        raise MemoryLimitError(
            f"radius {radius:,} gives {rings[2]:,} columns per value for {num_rows:,} nodes, "
            "which do not fit in memory. Use a smaller radius."
        ) from error
    if "sum" in statistics:
        _reject_rounded(sums["sum"], arrays, numbers, (first, rings, threads), name_row)
    parts, features = [], []
    for ring in range(rings[2]):
        for column, (start, name) in enumerate(columns):
            for statistic in statistics:
                features.append("_".join([f"{start}d{ring}", *([name] if name else []), statistic]))
                parts.append(sums[statistic][:, ring, column])
    return np.stack(parts, axis=1) if parts else np.empty((num_rows, 0)), features


def check_statistics(radius: Any, statistics: Any) -> None:
    """Raise for a radius that is no whole number, and for statistics that there are not or that are repeated."""
    as_whole("radius", radius)
    if isinstance(statistics, str) or not names_of("statistics", statistics, STATISTICS):
        raise InputError(f'statistics must be a list such as ["sum", "max"], got {show_value(statistics)}.')
    if len(set(statistics)) < len(statistics):
        repeated = next(name for name in statistics if list(statistics).count(name) > 1)
        raise InputError(f"{as_argument('statistics')} must not repeat a name, got {repeated!r} twice.")


def _attribute_names(values: Any) -> list[str] | None:
    """Return the names of edge attributes if values are given by name, else None."""
    if isinstance(values, str):
        return [values]
    named = isinstance(values, list | tuple) and values and all(isinstance(value, str) for value in values)
    if named and len(set(values)) < len(values):
        raise InputError("the columns of values must differ, got one of them twice. Name each once.")
    return list(values) if named else None


def _node_attribute(graph: Any, name: str, on: str | None) -> tuple[Literal["nodes", "edges"], Any]:
    """Return the values of a node attribute of a networkx graph, or the name if it is one of edges."""
    values = {node: value for node, value in graph.nodes(data=name) if value is not None}
    of_edges = any(name in fields for *_, fields in graph.edges(data=True))
    if values and of_edges and on is None:
        raise InputError(f'nodes and edges have the attribute {name!r}. Set on="nodes" or on="edges".')
    if values or on == "nodes":
        if not values:
            raise InputError(f'no node of the graph has the attribute {name!r}. Give values, or on="edges".')
        return "nodes", values
    return "edges", name


def _of_nodes(values: Any, graph: Graph, *, is_ordered: bool) -> tuple[list[str], Floats]:
    """Return the names of the columns, and a row of numbers per node; `is_ordered` if their order is defined."""
    ids, names = graph.node_ids.tolist(), [""]
    table = as_node_table(values, "values")
    if table is not None:
        names = list(table[1]) if getattr(values, "ndim", 2) == 2 else names
        return names, _of_table(*table, ids)
    if isinstance(values, Mapping):
        is_ordered, listed = True, align_by_id(values, ids, "values")
        values = np.array(listed) if listed and isinstance(listed[0], np.ndarray) else listed
    shape = tuple(getattr(values, "shape", (1,)))
    is_single = isinstance(values, str) or not hasattr(values, "__len__") or not shape
    if is_single or shape[1:] == (0,) or is_from("scipy", values):
        raise InputError(f"values must be one number per node, got {show_value(values)}.")
    if not is_ordered:
        reject_unordered(values, graph.node_ids, what="values")
    array = as_numpy(values)
    if hasattr(array, "__array__") and not hasattr(array, "to_list"):  # such as an encoding
        array = np.asarray(array)
    if isinstance(array, np.ndarray) and array.ndim == 2:
        names = names if len(names) == array.shape[1] else [str(column) for column in range(array.shape[1])]
        flat = [_require_size(array[:, column], len(ids)) for column in range(array.shape[1])]
    else:
        flat = [_require_size(array, len(ids))]
    return names, np.ascontiguousarray(
        np.stack([as_numbers(each, "values", "node") for each in flat], axis=1)
    )


def _of_table(nodes: list[Any], columns: dict[str, list[Any]], ids: list[Any]) -> Floats:
    """Return a row of numbers per node from columns with ids."""
    if not columns:
        raise InputError("values must have at least one column, got a table without any.")
    rows = align_by_id({node: row for row, node in enumerate(nodes)}, ids, "values")
    flat = [as_column([column[row] for row in rows], len(ids), name) for name, column in columns.items()]
    return np.stack([as_numbers(each, "values", "node") for each in flat], axis=1)


def _reject_rounded(
    sums: Array,
    arrays: tuple[Any, Any],
    numbers: Floats,
    counting: tuple[int, Any, int],
    name_row: Callable[[int], str],
) -> None:
    """Raise if a sum of whole numbers of at most 64 bits is beyond 2**53 and no float equals it."""
    is_large = np.abs(sums) >= 2.0**53
    for column in np.flatnonzero(is_large.any(axis=(0, 1))).tolist():
        values = numbers[:, column]
        if (values != np.floor(values)).any() or np.abs(values).max() >= 2.0**64:
            continue
        # Sums of fewer than 2**31 parts of 22 bits are exact.
        low = np.mod(values, 2.0**22)
        middle = np.mod((values - low) / 2.0**22, 2.0**22)
        high = (values - low - middle * 2.0**22) / 2.0**44
        first, rings, cores = counting
        parts = _count(arrays, np.stack([low, middle, high], axis=1), first, rings, len(sums), cores)["sum"]
        for row, ring in np.argwhere(is_large[:, :, column]).tolist():
            exact = sum(int(part) << 22 * place for place, part in enumerate(parts[row, ring].tolist()))
            if int(sums[row, ring, column]) != exact:
                raise InputError(
                    f"sums of whole numbers beyond 2**53 must be exact as floats, got {exact:,} at distance {ring} of "
                    f"{name_row(row)}. Use a larger unit."
                )


def _require_size(values: Any, size: int) -> Array:
    if len(values) != size:
        raise InputError(
            f'values must have one entry per node: {size:,}, got {len(values):,}. For values of edges say on="edges".'
        )
    return (
        values if isinstance(values, np.ndarray) and values.ndim == 1 else as_column(values, size, "values")
    )


def _of_edges(values: Any, names: list[str] | None, graph: Graph) -> tuple[list[str], Floats]:
    """Return the names of the columns, and a row of numbers per edge as given."""
    ptr = np.array([0, graph.num_nodes])
    flat = [align_edges(name, graph, ptr, "values") for name in names or [values]]
    numbers = [
        as_numbers(each, show_value(name) if names else "values")
        for each, name in zip(flat, names or [""], strict=True)
    ]
    return names or [""], np.stack(numbers, axis=1)


def _edge_nodes(graph: Graph, numbers: Floats) -> tuple[tuple[Any, Any], Floats]:
    """Return the arrays of the graph with a node on every counted edge, and the values of these nodes."""
    table = graph.given_edges()
    low, high = np.minimum(table.source, table.target), np.maximum(table.source, table.target)
    turned = table.source > table.target
    if graph.directed is not None:
        low, high, turned = table.source, table.target, np.zeros(len(table), dtype=bool)
    # Equal edges of each direction get the numbers 0, 1, ...; two with the same number are one edge.
    order = np.lexsort((turned, *numbers.T, high, low))
    same = np.ones(len(order), dtype=bool)
    for each in (low, high, turned, *numbers.T):
        same[1:] &= each[order][1:] == each[order][:-1]
    same[:1] = False
    starts = np.maximum.accumulate(np.where(same, 0, np.arange(len(order))))
    copies = np.empty(len(order), dtype=np.int64)
    copies[order] = np.arange(len(order)) - starts
    columns = np.column_stack([copies.astype(np.float64), numbers])
    distinct, types = np.unique(columns, axis=0, return_inverse=True)
    divided = subdivide(graph, types.reshape(-1).astype(np.int32))
    warn_left_out(graph, len(table), int((low == high).sum()), len(divided.types))
    return (divided.indptr, divided.indices), np.ascontiguousarray(distinct[divided.types][:, 1:])


def warn_left_out(graph: Graph, num_given: int, num_loops: int, num_counted: int) -> None:
    """Warn about loops that are dropped and edges that are merged; each is counted.

    An edge_index that lists every edge in both directions is the usual form of an undirected graph, so reading it
    merges nothing.
    """
    merged = num_given - num_loops - num_counted if graph.info.duplicates_merged else 0
    sentences = []
    if num_loops:
        sentences.append(f"{num_loops:,} of {num_given:,} edges join a node to itself and are dropped.")
    if merged:
        sentences.append(
            f"{merged:,} of {num_given:,} edges repeat another in the other direction with equal values and are "
            f"merged with it. Set {option('directed', 'out')} or {option('directed', 'in')} to count every edge."
        )
    if sentences:
        warn(" ".join(sentences))


def _count(
    arrays: tuple[Any, Any],
    numbers: Floats,
    first: int,
    rings: tuple[int, int, int],
    num_nodes: int,
    threads: int,
) -> dict[str, Any]:
    """Return every statistic as an array (num_nodes, num_rings, num_columns)."""
    shape = (num_nodes, rings[2], numbers.shape[1])
    if math.prod(shape) >= 2**59:  # more bytes than an array can have: NumPy would raise ValueError
        raise MemoryError
    sums, lows, highs = (np.empty(shape) for _ in range(3))
    counts = np.empty(shape[:2], dtype=np.int64)
    if counts.size:
        cores = threads or available_cores()
        _native.ring_statistics(*arrays, numbers, first, *rings[:2], sums, lows, highs, counts, cores)
    number = np.broadcast_to(counts[:, :, None], shape)
    some = number > 0
    return {
        "sum": sums,
        "mean": np.divide(sums, number, out=np.full(shape, np.nan), where=some),
        "min": np.where(some, lows, np.nan),
        "max": np.where(some, highs, np.nan),
        "count": number.astype(np.float64),
    }
