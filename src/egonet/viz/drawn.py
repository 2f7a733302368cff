"""A graph of the explorer with its colors, symbols, coordinates, bond orders and times, and groups of similar nodes."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from typing import Any

import numpy as np
from numpy.typing import NDArray

from egonet.attributes.ring_statistics import as_node_table
from egonet.encoding.encode import encode
from egonet.encoding.settings import Settings
from egonet.errors import InputError
from egonet.graph.graph import Graph
from egonet.graph.ids import show
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

    def column(self, name: str) -> NDArray[Any]:
        """Return the values of a column, float64 or text; missing values if this graph does not have it."""
        values = self.columns.get(name)
        if values is None:
            return np.full(self.graph.num_nodes, np.nan)
        found = np.asarray(values)
        if found.dtype.kind in "iuf":
            return found.astype(np.float64)
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
        change["positions"] = _coordinates(_aligned("positions", extras["positions"], graph))
    for name in ("orders", "times"):
        if extras[name] is not None:
            change[name] = _edge_values(f"edge_{name}", extras[name], graph)
    return replace(drawn, **change)


def is_molecule(given: Any) -> bool:
    """Return whether an object is an RDKit molecule, without importing RDKit."""
    return type(given).__module__.startswith("rdkit.") and hasattr(given, "GetBonds")


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
        return {str(name): _aligned(str(name), values, graph) for name, values in columns.items()}
    table = as_node_table(columns, "columns")
    if table is None:
        raise InputError(f"columns must be a table or a mapping of names to values, got {show(columns)}.")
    ids, named = table
    return {
        name or "value": _aligned(name or "value", dict(zip(ids, values, strict=True)), graph)
        for name, values in named.items()
    }


def _aligned(name: str, values: Any, graph: Graph) -> Any:
    """Return the values of one column in the order of the nodes."""
    if hasattr(values, "index") and hasattr(values, "to_dict"):
        if not values.index.is_unique:
            first = values.index[values.index.duplicated()][0]
            raise InputError(f"column {name!r} must name every node once, got {show(first)} twice.")
        values = values.to_dict()
    values = values.to_pylist() if hasattr(values, "to_pylist") else values  # of pyarrow
    ids: list[Hashable] = graph.node_ids.tolist()
    if isinstance(values, Mapping):
        missing = next((node for node in ids if node not in values), None)
        if missing is not None or (missing is None and None in ids and None not in values):
            raise InputError(
                f"column {name!r} must have a value for every node: it has none for {missing!r}."
            )
        return [values[node] for node in ids]
    if not hasattr(values, "__len__") or isinstance(values, str | bytes):
        raise InputError(f"column {name!r} must have one value per node, got {show(values)}.")
    if len(values) != len(ids):
        raise InputError(
            f"column {name!r} must have one value per node: {len(ids):,}, got {len(values):,}. "
            "A mapping or a Series is aligned by the node ids."
        )
    return values


def _coordinates(given: Any) -> Floats:
    """Return coordinates as an array (num_nodes, 2)."""
    try:
        places = np.array([tuple(place) for place in given], dtype=np.float64)
    except (TypeError, ValueError):
        places = np.zeros((0, 0))
    if places.ndim != 2 or places.shape[1] != 2 or not np.isfinite(places).all():
        raise InputError("positions must be two finite numbers (x, y) per node.")
    return places


def _edge_values(name: str, given: Any, graph: Graph) -> dict[tuple[int, int], float]:
    """Return values by pair of node numbers; every edge has one."""
    if not isinstance(given, Mapping):
        raise InputError(f"{name} must be a mapping of pairs of nodes to values, got {type(given).__name__}.")
    values: dict[tuple[int, int], float] = {}
    kinds = set()
    for pair, value in given.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InputError(
                f"{name} must be a mapping of pairs of nodes to values, got the key {show(pair)}."
            )
        ends = graph.index_of(pair[0]), graph.index_of(pair[1])
        is_date = name == "edge_times" and _is_date(value)
        number = _as_date(value) if is_date else _as_float(value)
        if not np.isfinite(number):
            raise InputError(
                f"{name} must be finite numbers or dates, got {show(value)} for the edge {show(pair)}."
            )
        kinds.add(is_date)
        values[ends] = number
    if len(kinds) > 1:
        raise InputError(f"{name} must all be numbers or all be dates, got both.")
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees).tolist()
    for u, v in zip(source, graph.indices.tolist(), strict=True):
        if (u, v) not in values and (v, u) not in values:
            ids = graph.node_ids.tolist()
            raise InputError(
                f"{name} must have a value for every edge: it has none for {(ids[u], ids[v])!r}."
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


#: Groups of similar nodes, one color each.
NUM_GROUPS = 6
#: A text column shows its most frequent values; all others share one color.
MAX_CATEGORIES = 7
#: Above this many nodes radius 1 is compared, and fewer similar nodes are listed.
MANY_NODES = 20_000


def similarity_rows(graphs: list[Graph], shown: Int64s, radius: int) -> tuple[Floats, int]:
    """Return one row of coordinates per shown node, and the radius they describe.

    Coordinates are log(1 + count) of the keys with log-binned degrees. The distance of two nodes is the Euclidean
    distance of their rows.

    >>> rows, radius = similarity_rows([Graph.from_edges([("a", "b"), ("b", "c")])], np.arange(3), 1)
    >>> rows.shape, radius, bool((rows[0] == rows[2]).all())
    ((3, 3), 1, True)
    """
    radius = min(radius, 2) if sum(graph.num_nodes for graph in graphs) <= MANY_NODES else min(radius, 1)
    counts = encode(
        graphs if len(graphs) > 1 else graphs[0], Settings(radius=radius, degree_bins="log")
    ).matrix[shown]
    return np.log1p(counts.toarray().astype(np.float64)), radius


def similar_groups(rows: Floats, num_groups: int = NUM_GROUPS) -> Int64s:
    """Return a group number per row: k-means with a fixed start, so that equal input gives equal groups.

    >>> similar_groups(np.array([[0.0], [0.1], [9.0], [9.1]]), 2).tolist()
    [0, 0, 1, 1]
    """
    points, inverse, weights = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    centers = points[[int(np.argmax(weights))]]
    while len(centers) < min(num_groups, len(points)):
        farthest = _squared_distances(points, centers).min(axis=1) * np.sqrt(weights)
        centers = np.vstack([centers, points[[int(np.argmax(farthest))]]])
    nearest = _squared_distances(points, centers).argmin(axis=1)
    for _ in range(30):
        total = np.zeros((len(centers), points.shape[1]))
        np.add.at(total, nearest, points * weights[:, None])
        size = np.bincount(nearest, weights, len(centers))[:, None]
        centers = np.where(size > 0, total / np.maximum(size, 1), centers)
        before, nearest = nearest, _squared_distances(points, centers).argmin(axis=1)
        if np.array_equal(before, nearest):
            break
    groups = nearest[inverse.ravel()]
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)


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

        _, found = cKDTree(points).query(points[lonely], k=min(count + 1, len(points)), workers=-1)
        for point, around in zip(lonely, found.reshape(len(lonely), -1), strict=True):
            near[point] = np.concatenate([[point], around[around != point]])
    similar = np.empty((len(rows), count), dtype=np.int64)
    for own, nearest in zip(members, near, strict=True):
        pool = np.concatenate([members[other][: count + 1] for other in nearest])
        for node in own:
            similar[node] = pool[pool != node][:count]
    return similar


def group_names(groups: Int64s, degrees: Int64s, sizes: Floats, radius: int) -> list[str]:
    """Return a name per group: the middle degree and the middle size of the ego-network."""
    hops = "1 hop" if radius == 1 else f"{radius} hops"
    return [
        f"degree {np.median(degrees[groups == group]):,.0f}, {np.median(sizes[groups == group]):,.0f} within {hops}"
        for group in range(int(groups.max(initial=-1)) + 1)
    ]


def category(name: str, values: Sequence[Any]) -> dict[str, Any]:
    """Return a coloring by the most frequent values of a column; the rest is "other".

    >>> category("team", ["red", "blue", "red"])["names"]
    ['red', 'blue']
    """
    texts = ["" if value is None or value != value else str(value) for value in values]
    found, counts = np.unique(np.array(texts, dtype=object).astype(str), return_counts=True)
    order = found[np.lexsort((found, -counts))].tolist()
    names = order[:MAX_CATEGORIES]
    number = {text: min(place, len(names)) for place, text in enumerate(order)}
    shown = [text or "(missing)" for text in names] + ["other"] * (len(order) > len(names))
    return {"name": name, "names": shown, "values": [number[text] for text in texts]}


def column_coloring(name: str, values: Any) -> dict[str, Any]:
    """Return the coloring of a column: a color scale for numbers, one color per value for text.

    >>> column_coloring("score", [0.5, 1.0])
    {'name': 'score', 'names': None, 'values': [0.5, 1.0]}
    """
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "iuf":
        return category(name, list(values))
    return {"name": name, "names": None, "values": numbers.astype(np.float64).tolist()}


def _squared_distances(points: Floats, centers: Floats) -> Floats:
    """Return the squared distance of every point from every center."""
    cross = points @ centers.T
    squared: Floats = (points**2).sum(axis=1)[:, None] - 2 * cross + (centers**2).sum(axis=1)
    return np.maximum(squared, 0)
