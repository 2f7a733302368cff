"""A graph of the explorer with its colors, symbols, coordinates, bond orders and times."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from typing import Any

import numpy as np
from numpy.typing import NDArray

from egonet.checks import as_argument, format_count, is_iterable
from egonet.errors import InputError, in_python, option, show_value
from egonet.graph.columns import EdgeTable, is_from, take_entries
from egonet.graph.graph import Graph
from egonet.graph.index import reject_inexact_ids
from egonet.tables.nodes import as_node_table
from egonet.tables.table import as_numbers
from egonet.tables.times import as_times, as_window, window_bounds
from egonet.typing import Floats, Int64s


@dataclass(frozen=True, eq=False)
class Drawn:
    """A graph of the page and what is drawn on it.

    Attributes
    ----------
    graph
        The graph.
    name
        Its name.
    labels
        The label number of every node, which its key ends with, or None.
    types
        A number per edge in row order, and the edge types that each number stands for; or None.
    columns
        Columns to color by, each with one value per node.
    symbols
        A short text per node that is drawn instead of its id, or None.
    positions
        Coordinates of the nodes (num_nodes, 2), or None.
    orders
        The bond order of an edge (1, 2, 3, or 1.5 if aromatic) by its two node numbers.
    times
        The time of an edge by its two node numbers.
    weights
        The weight of an edge by its two node numbers, drawn as the width of its line.
    """

    graph: Graph
    name: str
    labels: Int64s | None = None
    types: tuple[Int64s, list[tuple[int, ...]]] | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    symbols: Sequence[str] | None = None
    positions: Floats | None = None
    orders: Mapping[tuple[int, int], float] | None = None
    times: Mapping[tuple[int, int], float] | None = None
    weights: Mapping[tuple[int, int], float] | None = None

    def column(self, name: str) -> NDArray[Any]:
        """Return the values of a column, float64 or text; missing values if this graph does not have it."""
        values = self.columns.get(name)
        if values is None:
            return np.full(self.graph.num_nodes, np.nan)
        array = np.asarray(values)
        if array.dtype.kind in "iuf":
            return array.astype(np.float64)
        return np.array(
            ["" if value is None or value != value else str(value) for value in values], dtype=object
        )


def with_extras(drawn: Drawn, extras: Mapping[str, Any]) -> Drawn:
    """Return a graph with the columns, positions, bond orders and times that a user gave."""
    graph = drawn.graph
    change: dict[str, Any] = {}
    if extras["columns"] is not None:
        change["columns"] = aligned_columns(extras["columns"], graph)
    if extras["positions"] is not None:
        change["positions"] = _coordinates(_align_column("positions", extras["positions"], graph))
    for name in ("orders", "times", "weights"):
        data = extras.get(name)
        time_format = extras.get("time_format") if name == "times" else None
        if isinstance(data, str):
            data = edge_column(graph, data, min if name == "times" else _add, time_format)
        elif isinstance(data, Mapping) and time_format is not None:
            data = dict(zip(data, page_times(list(data.values()), time_format), strict=True))
        if data is not None:
            change[name] = _edge_values(f"edge_{name}", data, graph)
    return replace(drawn, **change)


def _add(first: Any, second: Any) -> Any:
    """Return the sum of two weights; text that is no number stays as it is, and is an error later."""
    return first if isinstance(first, str) else first + second


def edge_column(
    graph: Graph, column: str, join: Callable[[Any, Any], Any], time_format: str | None = None
) -> dict[tuple[Any, Any], Any]:
    """Return the values of a column of edges by pair of ids; `join` makes one of those of repeated edges.

    With a `time_format` the values are times in text.

    >>> import pandas
    >>> from egonet.graph.adapters import as_graph
    >>> table = pandas.DataFrame({"source": ["a", "b", "b"], "target": ["b", "a", "c"], "paid": [3, 4, 5]})
    >>> edge_column(as_graph(table, keep="paid", directed=False), "paid", max)
    {('a', 'b'): 4, ('b', 'c'): 5}
    """
    table, ids = graph.given_edges(), graph.node_ids.tolist()
    values: dict[tuple[Any, Any], Any] = {}
    ends = zip(table.source.tolist(), table.target.tolist(), strict=True)
    listed = table.column(column).tolist()
    if time_format is not None:
        listed = page_times(listed, time_format)
    elif all(isinstance(value, str) for value in listed):  # a file of text; dates stay text
        listed = as_numbers(listed)
    for (u, v), value in zip(ends, listed, strict=True):
        pair = (ids[u], ids[v]) if graph.directed or u < v else (ids[v], ids[u])
        values[pair] = join(values[pair], value) if pair in values else value
    return values


def page_times(listed: list[Any], time_format: str) -> list[np.datetime64]:
    """Return times in text of a form as dates.

    >>> page_times(["02/01/1970"], "%d/%m/%Y")
    [np.datetime64('1970-01-02T00:00:00.000000000')]
    """
    return list(as_times(listed, "edge", time_format).values.astype("datetime64[ns]"))


@dataclass(frozen=True)
class Window:
    """The events that are known at a time: those before it, and after the start of a window.

    Attributes
    ----------
    as_of
        The time: a number, or a date as text or as an object.
    length
        How long an event counts, such as "30d"; None for no limit.
    time_format
        The form of times in text, or None for dates such as 2024-01-31T12:00.
    """

    as_of: Any
    length: Any = None
    time_format: str | None = None

    def __str__(self) -> str:
        span = "" if self.length is None else f" and at most {self.length} old"
        return f"edges before {self.as_of}{span}"

    def take_rows(self, listed: list[Any]) -> Int64s:
        """Return which of some times are known, as rising rows: t - window <= time < t, as in `TemporalEncoder`.

        >>> Window(5, 3).take_rows([1, 4, 2, 5]).tolist()
        [1, 2]
        >>> Window("01/02/2024", "7d", "%d/%m/%Y").take_rows(["31/01/2024", "01/02/2024", "02/01/2024"]).tolist()
        [0]
        """
        if self.time_format is None and all(isinstance(value, str) for value in listed):
            listed = as_numbers(listed)
        times = as_times(listed, "edge", self.time_format)
        moment, length = (
            as_numbers([value])[0] if times.kind == "numbers" and isinstance(value, str) else value
            for value in (self.as_of, self.length)
        )
        try:
            asked = as_times([moment], "row", self.time_format)
        except InputError:
            asked = None
        if asked is None or asked.kind != times.kind:
            form = "" if times.kind == "numbers" else ", such as 2024-01-31T12:00"
            if self.time_format is not None:
                form = f" in the form {self.time_format}"
            raise InputError(
                f"{as_argument('as_of')} must be a time like those of the edges, which are {times.kind}{form}, got "
                f"{show_value(self.as_of)}."
            )
        order = np.argsort(times.values, kind="stable")
        first, last = window_bounds(
            times.values[order], asked.values, as_window(length, times.kind), closed="left"
        )
        return np.sort(order[int(first[0]) : int(last[0])])


def known_part(graph: Graph, column: str, window: Window, ends: Sequence[Hashable] = ()) -> Graph:
    """Return the graph of the edges that are known at a time, with their nodes and some others.

    >>> import pandas
    >>> from egonet.graph.adapters import as_graph
    >>> table = pandas.DataFrame({"source": ["a", "b", "c"], "target": ["b", "c", "a"], "when": [1, 2, 3]})
    >>> known_part(as_graph(table, keep="when", directed=False), "when", Window(2)).edges().tolist()
    [['a', 'b']]
    """
    table = graph.given_edges()
    rows = window.take_rows(table.column(column).tolist())
    source, target = table.source[rows], table.target[rows]
    table_part = EdgeTable(source, target, {name: values[rows] for name, values in table.columns.items()})
    edges = {name: take_entries(values, rows) for name, values in graph.edge_columns.items()}
    ids = None if graph.nodes is None else graph.node_ids
    part = Graph.from_indices(source, target, graph.num_nodes, nodes=ids, directed=graph.directed)
    part = part.with_table(table_part).with_columns(graph.node_columns, edges)
    used = np.unique(
        np.concatenate([source, target, [graph.index_of(node) for node in ends]]).astype(np.int64)
    )
    return part.induced(graph.node_ids[used].tolist())


def as_pair(pair: Any) -> tuple[Hashable, Hashable]:
    """Return two different nodes, or raise."""
    if not isinstance(pair, tuple | list) or len(pair) != 2 or pair[0] == pair[1]:
        shown = in_python(
            show_value(pair),
            " ".join(map(show_value, pair)) if isinstance(pair, tuple | list) else show_value(pair),
        )
        raise InputError(f"{as_argument('pair')} must be two different nodes, got {shown}.")
    return pair[0], pair[1]


def describe_pair(graph: Graph, pair: tuple[Hashable, Hashable]) -> str:
    """Return what two nodes have in common, in a sentence.

    >>> square = Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("c", "e")])
    >>> describe_pair(square, ("a", "c"))
    'a and c share 2 of 3 neighbors that either has; they are not linked.'
    """
    first, second = (hops_from(graph, graph.index_of(node), 1) for node in pair)
    shared = int(((first == 1) & (second == 1)).sum())
    either = int((((first == 1) & (second != 0)) | ((second == 1) & (first != 0))).sum())
    linked = "they are linked" if first[graph.index_of(pair[1])] == 1 else "they are not linked"
    noun = "neighbor" if either == 1 else "neighbors"
    return f"{pair[0]} and {pair[1]} share {shared:,} of {either:,} {noun} that either has; {linked}."


#: What a node is to the two nodes of a pair, by whether it is a neighbor of each.
PLACES = {(True, True): "neighbor of both", (True, False): "neighbor of {}", (False, True): "neighbor of {}"}


def around_pair(drawn: Drawn, pair: tuple[Hashable, Hashable], radius: int) -> Drawn:
    """Return the part of a graph within some hops of two nodes, with a column that says where each node is.

    >>> square = Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("c", "e"), ("e", "f")])
    >>> part = around_pair(Drawn(square, "square"), ("a", "c"), 1)
    >>> dict(zip(part.graph.node_ids.tolist(), part.columns["place"], strict=True))
    {'a': 'the pair', 'b': 'neighbor of both', 'c': 'the pair', 'd': 'neighbor of both', 'e': 'neighbor of c'}
    """
    graph = drawn.graph
    ends = [graph.index_of(node) for node in pair]
    hops = [hops_from(graph, end, radius) for end in ends]
    rows = np.flatnonzero(np.minimum(*hops) <= radius)
    number = np.full(graph.num_nodes, -1)
    number[rows] = np.arange(len(rows))
    edges = np.column_stack(graph.edge_rows())
    edges = edges[(number[edges] >= 0).all(axis=1)]
    ids = graph.node_ids[rows]
    source, target = number[edges].T
    part = Graph.from_indices(source, target, len(rows), nodes=ids, directed=graph.directed)
    places = []
    for row in rows.tolist():
        near = bool(hops[0][row] <= 1), bool(hops[1][row] <= 1)
        other = pair[0] if near[0] else pair[1]
        places.append(
            "the pair" if row in ends else PLACES.get(near, "farther").format(shorten(str(other), 20))
        )
    moved: dict[str, Any] = {
        name: {
            (int(number[u]), int(number[v])): value
            for (u, v), value in values.items()
            if number[u] >= 0 and number[v] >= 0
        }
        for name in ("orders", "times", "weights")
        if (values := getattr(drawn, name)) is not None
    }
    if drawn.positions is not None:
        moved["positions"] = np.asarray(drawn.positions)[rows]
    if drawn.symbols is not None:
        moved["symbols"] = [drawn.symbols[row] for row in rows.tolist()]
    columns = {name: np.asarray(values)[rows] for name, values in drawn.columns.items()}
    return replace(drawn, graph=part, columns={"place": places} | columns, **moved)


def hops_from(graph: Graph, root: int, radius: int) -> Int64s:
    """Return the distance of every node from a root, against arcs too; `radius` + 1 for those farther away.

    >>> hops_from(Graph.from_edges([(0, 1), (1, 2), (2, 3)]), 0, 2).tolist()
    [0, 1, 2, 3]
    """
    source, target = graph.edge_rows()
    hops = np.full(graph.num_nodes, radius + 1)
    hops[root] = 0
    for step in range(radius):
        for here, there in ((source, target), (target, source)):
            reached = there[hops[here] == step]
            hops[reached] = np.minimum(hops[reached], step + 1)
    return hops


def shorten(text: str, length: int) -> str:
    """Return a text of at most some characters; what is cut is an ellipsis."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def is_molecule(data: Any) -> bool:
    """Return whether an object is an RDKit molecule, without importing RDKit."""
    return type(data).__module__.startswith("rdkit.") and hasattr(data, "GetBonds")


def drawn_molecule(molecule: Any, name: str) -> Drawn:
    """Return an RDKit molecule as a graph with atom symbols, bond orders and coordinates."""
    from rdkit.Chem.rdDepictor import Compute2DCoords

    if not molecule.GetNumConformers():
        molecule = type(molecule)(molecule)
        Compute2DCoords(molecule)
    bonds = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in molecule.GetBonds()]
    places = molecule.GetConformer().GetPositions()[:, :2] * [1, -1]
    symbols = [atom.GetSymbol() for atom in molecule.GetAtoms()]
    return Drawn(
        Graph.from_edges(bonds, num_nodes=molecule.GetNumAtoms()),
        name,
        columns={"atom": symbols},
        symbols=symbols,
        positions=places,
        orders={
            ends: bond.GetBondTypeAsDouble() for ends, bond in zip(bonds, molecule.GetBonds(), strict=True)
        },
    )


def aligned_columns(columns: Any, graph: Graph) -> dict[str, Any]:
    """Return the columns of a table in the order of the nodes; what has labels is aligned by them.

    Raises
    ------
    InputError
        If a column names an unknown node or has the wrong length.

    Examples
    --------
    >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
    >>> aligned_columns({"score": {"c": 3, "a": 1, "b": 2}}, path)
    {'score': [1, 2, 3]}
    """
    if isinstance(columns, Mapping):
        return {str(name): _align_column(str(name), values, graph) for name, values in columns.items()}
    table = as_node_table(columns, "columns")
    if table is None:
        raise InputError(
            f"columns must be a table or a mapping of names to values, got {show_value(columns)}."
        )
    ids, named = table
    return {
        name or "value": _align_column(name or "value", dict(zip(ids, values, strict=True)), graph)
        for name, values in named.items()
    }


def _align_column(name: str, values: Any, graph: Graph) -> Any:
    """Return the values of one column in the order of the nodes."""
    if hasattr(values, "index") and hasattr(values, "to_dict"):
        if not values.index.is_unique:
            first = values.index[values.index.duplicated()][0]
            raise InputError(f"column {name!r} must name every node once, got {show_value(first)} twice.")
        values = values.to_dict()
    values = values.to_pylist() if hasattr(values, "to_pylist") else values  # of pyarrow
    ids: list[Hashable] = graph.node_ids.tolist()
    if isinstance(values, Mapping):
        reject_inexact_ids(values, f"column {name!r}")
        missing = next((node for node in ids if node not in values), None)
        if missing is not None or (missing is None and None in ids and None not in values):
            raise InputError(
                f"column {name!r} must have a value for every node: it has none for {missing!r}."
            )
        return [values[node] for node in ids]
    is_column = hasattr(values, "__len__") and is_iterable(values) and not is_from("scipy", values)
    if not is_column:
        raise InputError(f"column {name!r} must have one value per node, got {show_value(values)}.")
    if len(values) != len(ids):
        raise InputError(
            f"column {name!r} must have one value per node: {len(ids):,}, got {len(values):,}. "
            "A mapping or a Series is aligned by the node ids."
        )
    return values


def _coordinates(positions: Any) -> Floats:
    """Return coordinates as an array (num_nodes, 2)."""
    try:
        places = np.array([tuple(place) for place in positions], dtype=np.float64)
    except (TypeError, ValueError):
        places = np.zeros((0, 0))
    if places.ndim != 2 or places.shape[1] != 2 or not np.isfinite(places).all():
        raise InputError("positions must be two finite numbers (x, y) per node.")
    return places


def _edge_values(name: str, mapping: Any, graph: Graph) -> dict[tuple[int, int], float]:
    """Return values by pair of node numbers; every edge has one."""
    if not isinstance(mapping, Mapping):
        raise InputError(
            f"{name} must be a mapping of pairs of nodes to values, got {type(mapping).__name__}."
        )
    values: dict[tuple[int, int], float] = {}
    kinds = set()
    for pair, value in mapping.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InputError(
                f"{name} must be a mapping of pairs of nodes to values, got the key {show_value(pair)}."
            )
        ends = graph.index_of(pair[0]), graph.index_of(pair[1])
        is_date = name == "edge_times" and _is_date(value)
        number = _as_date(value) if is_date else _as_float(value)
        if not np.isfinite(number):
            way_out = (
                f" For dates in another form set {option('time_format')} to it, such as %d/%m/%Y."
                if name == "edge_times" and isinstance(value, str)
                else ""
            )
            kind = "finite numbers or dates" if name == "edge_times" else "finite numbers"
            raise InputError(
                f"{as_argument(name)} must be {kind}, got {show_value(value)} for the edge {show_value(pair)}.{way_out}"
            )
        kinds.add(is_date)
        values[ends] = number
    if len(kinds) > 1:
        raise InputError(f"{as_argument(name)} must all be numbers or all be dates, got both.")
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees).tolist()
    for u, v in zip(source, graph.indices.tolist(), strict=True):
        if (u, v) not in values and (v, u) not in values:
            ids = graph.node_ids.tolist()
            raise InputError(
                f"{as_argument(name)} must have a value for every edge: it has none for {(ids[u], ids[v])!r}."
            )
    return values


def _as_float(value: Any) -> float:
    """Return a number as a float, NaN for anything else."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _as_date(value: Any) -> float:
    """Return a date as milliseconds since 1970, in UTC if it has a time zone; NaN if it is none or missing."""
    zone = getattr(value, "tzinfo", None)
    try:
        plain = value if zone is None else value.astimezone(UTC).replace(tzinfo=None)
        date = np.datetime64(plain, "ms")
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return math.nan if np.isnat(date) else float(date.astype(np.int64))


def _is_date(value: Any) -> bool:
    """Return whether a value is a date or a time, or text that reads like one."""
    return isinstance(value, str | np.datetime64) or hasattr(value, "isoformat")


#: A text column shows its most frequent values; all others share one color.
MAX_CATEGORIES = 7


def most_similar(rows: Floats, count: int) -> Int64s:
    """Return the `count` nearest other rows of every row, nearest first, as an array (num_rows, count).

    >>> most_similar(np.array([[0.0], [1.0], [3.0]]), 1).ravel().tolist()
    [1, 0, 1]
    """
    count = min(count, len(rows) - 1)
    if count < 1:
        return np.zeros((len(rows), 0), dtype=np.int64)
    points, inverse, sizes = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    members = np.split(np.argsort(inverse.ravel(), kind="stable"), np.cumsum(sizes)[:-1])
    lonely = np.flatnonzero(sizes <= count)  # the others have enough equal rows
    near = [np.array([point]) for point in range(len(points))]
    if len(lonely):
        from scipy.spatial import cKDTree  # takes longer to import than all of egonet

        _, neighbors = cKDTree(points).query(points[lonely], k=min(count + 1, len(points)), workers=-1)
        for point, around in zip(lonely, neighbors.reshape(len(lonely), -1), strict=True):
            near[point] = np.concatenate([[point], around[around != point]])
    similar = np.empty((len(rows), count), dtype=np.int64)
    for own, nearest in zip(members, near, strict=True):
        pool = np.concatenate([members[other][: count + 1] for other in nearest])
        for node in own:
            similar[node] = pool[pool != node][:count]
    return similar


def category(name: str, values: Sequence[Any]) -> dict[str, Any]:
    """Return a coloring by the most frequent values of a column; the rest are one group, which is the last.

    >>> category("team", ["red", "blue", "red"])["names"]
    ['red', 'blue']
    """
    texts = ["" if value is None or value != value else str(value) for value in values]
    distinct, counts = np.unique(np.array(texts, dtype=object).astype(str), return_counts=True)
    order = distinct[np.lexsort((distinct, -counts))].tolist()
    names = order[:MAX_CATEGORIES]
    number = {text: min(place, len(names)) for place, text in enumerate(order)}
    num_rest = len(order) - len(names)
    rest = [format_count(num_rest, "other value")] if num_rest else []
    shown = [text or "(missing)" for text in names] + rest
    return {"name": name, "names": shown, "hasRest": bool(rest), "values": [number[text] for text in texts]}


def column_coloring(name: str, values: Any) -> dict[str, Any]:
    """Return the coloring of a column: a color scale for numbers, one color per value for text.

    >>> column_coloring("score", [0.5, 1.0])
    {'name': 'score', 'names': None, 'values': [0.5, 1.0]}
    """
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "iuf":
        return category(name, list(values))
    return {"name": name, "names": None, "values": numbers.astype(np.float64).tolist()}
