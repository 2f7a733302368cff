"""Values of nodes and edges, aligned with the graph once, when data enters: by id, pair, name, order or index."""

import sys
from collections.abc import Hashable, Mapping
from decimal import Decimal
from math import isfinite
from typing import Any

import numpy as np

from egonet.checks import is_iterable
from egonet.errors import InputError, in_python, option, show_value
from egonet.graph.columns import (
    EDGE_ROLES,
    ROLES,
    Categories,
    Column,
    EdgeTable,
    EdgeValues,
    Keep,
    Labels,
    as_column,
    as_keep,
    as_numpy,
    as_objects,
    check_mixed,
    exact_number,
    is_from,
    is_number,
    is_rounded,
    reject_drift,
    sort_names,
)
from egonet.graph.graph import Graph
from egonet.graph.index import from_arrow, is_encodable, reject_inexact_ids
from egonet.tables.edges import indexes_of
from egonet.tables.nodes import as_node_table
from egonet.typing import Array, Floats, Int64s


def attach_columns(graph: Graph, graph_ptr: Int64s, values: Mapping[str, Any]) -> Graph:
    """Return a graph with columns for the keywords of `ROLES` that are given; they replace columns of the same name.

    `graph_ptr` is where each of several graphs begins in the union `graph`. The name of an edge attribute is that of a
    column of the edge table, so reading must have kept it (`kept_names`).

    >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
    >>> labeled = attach_columns(path, np.array([0, 3]), {"labels": ["C", "O", "C"], "weights": None})
    >>> labeled.node_columns["labels"].values(), labeled.edge_columns
    (['C', 'O', 'C'], {})
    """
    columns: dict[str, dict[str, Column]] = {"node": {}, "edge": {}}
    for name, role in ROLES.items():
        if values.get(name) is None:
            continue
        if role.item == "node":
            columns["node"][name] = align_labels(values[name], graph.node_ids, graph_ptr, name)
        else:
            aligned = align_edges(values[name], graph, graph_ptr, name)
            columns["edge"][name] = (
                as_numbers(aligned, name)
                if role.is_number
                else as_categories(aligned, name, can_drop=isinstance(values[name], str))
            )
    if not columns["node"] and not columns["edge"]:
        return graph
    return graph.with_columns(
        {**graph.node_columns, **columns["node"]}, {**graph.edge_columns, **columns["edge"]}
    )


def align_labels(labels: Labels, nodes: Array, graph_ptr: Int64s, what: str = "labels") -> Categories:
    """Return a label per node; `what` is the argument in messages.

    Several graphs take one sequence (or mapping) per graph, or one flat sequence over all. A mapping, a pandas
    Series and a table with an id column are aligned by id. Names are sorted: the numbers do not depend on the order of
    the nodes.

    >>> nodes = np.array(["x", "y", "z"])
    >>> column = align_labels(["N", "C", "C"], nodes, np.array([0, 3]))
    >>> column.numbers.tolist(), column.names
    ([1, 0, 0], ('C', 'N'))
    >>> align_labels([["C"], {"z": "O", "y": "N"}], nodes, np.array([0, 1, 3])).values()
    ['C', 'N', 'O']
    """
    return _number(*_distinct(labels, nodes, graph_ptr, what), what)


def reject_unordered(labels: Labels | None, ids: Array, where: str = "", what: str = "labels") -> None:
    """Raise for labels in row order if ids read from pairs or a table are not 0 ... n - 1: no rule orders such ids.

    >>> reject_unordered({"b": "x", "a": "y"}, np.array(["b", "a"]))
    >>> reject_unordered(["x", "y"], np.array([0, 1]))
    >>> reject_unordered(["x", "y"], np.array(["b", "a"]))
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: labels in row order need ids 0 ... n - 1 or an object with its own order of nodes, got \
a sequence for ids such as 'b', 'a'. Give a mapping from id to label, a pandas Series or a table with a column "node".
    """
    if (
        labels is None
        or np.array_equal(ids, np.arange(len(ids)))
        or by_id(_as_collection(labels)) is not None
    ):
        return
    shown = ", ".join(map(show_value, ids[:3].tolist()))
    raise InputError(
        f"{what} in row order need ids 0 ... n - 1 or an object with its own order of nodes, got a sequence for ids "
        f"such as {shown}{where}. Give a mapping from id to {what.removesuffix('s')}, a pandas Series or a table with "
        'a column "node".'
    )


def as_categories(values: Any, what: str, *, can_drop: bool = False) -> Categories:
    """Return a list or an array of labels as a column; `can_drop` if rows of a table were left out by missing="drop".

    >>> as_categories(["x", 3, "x"], "edge_labels").values()
    ['x', 3, 'x']
    """
    _reject_missing(values, what, can_drop=can_drop)
    return _number(*_factorize(values, what), what)


def _reject_missing(values: Any, what: str, *, can_drop: bool = False, is_text_missing: bool = True) -> None:
    """Raise if labels or types are missing: None, NaN, or (of a table or a mapping) an empty text."""
    if isinstance(values, np.ndarray) and values.dtype.kind not in ("OUf" if is_text_missing else "Of"):
        return
    missing = [
        place
        for place, value in enumerate(values.tolist() if isinstance(values, np.ndarray) else values)
        if value is None
        or (is_text_missing and isinstance(value, str) and value == "")
        or (isinstance(value, float) and value != value)
        or type(value).__name__ in ("NAType", "NaTType")
    ]
    if missing:
        raise InputError(
            f"{what} must not be missing: {len(missing):,} of {len(values):,} are, first at "
            f"{', '.join(map(str, missing[:3]))} (counted from 0). Fill them in"
            f"{', or set ' + option('missing', 'drop') if can_drop else ''}."
        )


def _number(labels: list[Hashable], positions: Int64s, what: str) -> Categories:
    """Return the column of labels given as distinct ones and the position of each entry among them."""
    check_mixed(labels, what)
    names = sort_names(labels)
    number = {name: position for position, name in enumerate(names)}
    table = np.array([number[label] for label in labels], dtype=np.int32)
    return Categories(table[positions], names)


def kept_names(*values: EdgeValues | None) -> tuple[str, ...] | None:
    """Return the attributes that reading must keep for some arguments; None if no argument is about edges.

    >>> kept_names(None, None), kept_names("bond", None), kept_names(["single"], None)
    (None, ('bond',), ())
    """
    if all(value is None for value in values):
        return None
    return tuple(dict.fromkeys(value for value in values if isinstance(value, str)))


def names_to_keep(keep: Keep, columns: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the edge attributes that reading keeps: those of `keep`, and those that columns, by keyword, name.

    >>> names_to_keep("bond", {"edge_labels": None, "weights": "amount"}), names_to_keep(None, {"edge_labels": None})
    (('bond', 'amount'), None)
    """
    names, named = as_keep(keep), kept_names(*(columns.get(name) for name in EDGE_ROLES))
    return names if named is None else (*(names or ()), *named)


def align_edges(values: EdgeValues, graph: Graph, graph_ptr: Int64s, what: str) -> Array:
    """Return one value per edge of `given_edges()`; `what` is the argument in messages.

    >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
    >>> align_edges({("b", "a"): "x", ("b", "c"): "y"}, path, np.array([0, 3]), "edge_labels").tolist()
    ['x', 'y']
    """
    table, values = graph.given_edges(), from_arrow(values)
    num_graphs = len(graph_ptr) - 1
    if isinstance(values, str):
        column = table.column(values)
        if num_graphs > 1 and column.dtype == object and len(set(map(type, column.tolist()))) > 1:
            owner = np.searchsorted(graph_ptr, table.source, side="right")
            _reject_drift([column[owner == graph].tolist() for graph in np.unique(owner)], what)
        return column
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
    if not is_iterable(values) or isinstance(values, set | frozenset) or is_from("scipy", values):
        raise InputError(
            f"{what} must be the name of an edge attribute, one value per edge, or a mapping of pairs, "
            f"got {show_value(values)}."
        )
    return _require_size(in_row_order(values, index, len(table), what), len(table), what)


def _require_size(values: Any, size: int, what: str) -> Array:
    has_length = hasattr(values, "__len__") and not is_from("scipy", values)
    if has_length and len(values) != size:
        raise InputError(f"{what} must have one value per edge as given: {size:,}, got {len(values):,}.")
    return as_column(values, size, what)


def is_nested(part: Any) -> bool:
    """Return whether an item of a list is itself a sequence or mapping of values: not text, and not a single value."""
    if isinstance(part, list | tuple | Mapping) or hasattr(part, "to_pylist"):  # an array of pyarrow
        return True
    return len(getattr(part, "shape", ())) > 0


def _per_graph(values: Any, graph: Graph, graph_ptr: Int64s, what: str) -> Array:
    """Return the values of several graphs, given one sequence or mapping each."""
    if len(values) != len(graph_ptr) - 1:
        raise InputError(
            f"{what} must have one entry per graph: {len(graph_ptr) - 1:,}, got {len(values):,}."
        )
    table, ids = graph.given_edges(), graph.node_ids
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
            parts.append(_require_size(in_row_order(part, index, size, where), size, where))
            continue
        rows = np.stack([table.source[end - size : end], table.target[end - size : end]], axis=1)
        parts.append(_look_up(by_pair, ids[rows].tolist(), where, ordered=graph.directed is not None))
    kinds = {part.dtype.kind for part in parts}
    if len(kinds) == 1 and kinds != {"O"}:
        return np.concatenate(parts)
    _reject_drift([part.tolist() for part in parts], what)
    return as_column([value for part in parts for value in part.tolist()], len(table), what)


def _reject_drift(parts: list[list[Any]], what: str) -> None:
    """Raise if a type is a number in one graph and text or a boolean in another."""
    labels = [[value for value in part if isinstance(value, int | str)] for part in parts]
    names = [value for part in labels for value in part]
    check_mixed(names, what)
    reject_drift([set(part) for part in labels], tuple(dict.fromkeys(names)))


def _by_pair(values: Any, what: str) -> Mapping[Any, Any] | None:
    """Return values as a mapping from pair to value if they name their edges; raise if a pair repeats."""
    if isinstance(values, Mapping):
        return values
    if not _is_series(values) or values.index.nlevels != 2:
        return None
    if not values.index.is_unique:
        first = values.index[values.index.duplicated()][0]
        raise InputError(
            f"{what} must name every edge once, got {show_value(first)} twice. Drop the repeats, or give to_numpy() "
            "for values in the order of the edges."
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
                f"the index of {what} must count the {item}s from 0{pairs}, got {show_value(own[0])} first. "
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
            f"first {show_value(index[missing[0]])}. {way_out}"
        )
    return values.iloc[rows]


def _from_pairs(values: Mapping[Any, Any], graph: Graph, table: EdgeTable, what: str) -> Array:
    pairs = graph.node_ids[np.stack([table.source, table.target], axis=1)].tolist()
    return _look_up(values, pairs, what, ordered=graph.directed is not None)


def _look_up(values: Mapping[Any, Any], pairs: list[Any], what: str, *, ordered: bool) -> Array:
    """Return the value of every pair; undirected edges are named in either order, or in both with one value."""
    table: dict[Any, Any] = {}
    for pair, value in values.items():
        if (
            not isinstance(pair, tuple)
            or len(pair) != 2
            or any(isinstance(end, bool | np.bool_) for end in pair)
        ):
            raise InputError(f"{what} must have pairs of node ids as keys, got {show_value(pair)}.")
        reject_inexact_ids(pair, what)
        names = (pair,) if ordered else (pair, pair[::-1])
        for name in names:
            if name in table and table[name] != value:
                raise InputError(
                    f"{what} names the edge {show_value(pair)} twice, with {table[name]!r} and {value!r}."
                )
            table[name] = value
    missing = [tuple(pair) for pair in pairs if tuple(pair) not in table]
    if missing:
        raise InputError(
            f"{what} must name every edge: {len(missing):,} of {len(pairs):,} are missing, "
            f"first {', '.join(map(show_value, missing[:3]))}."
        )
    edges = {tuple(pair) if ordered else frozenset(pair) for pair in pairs}
    extra = [pair for pair in values if (pair if ordered else frozenset(pair)) not in edges]
    if extra:
        raise InputError(
            f"{what} must name edges of the graph only: {len(extra):,} of {len(values):,} pairs are not in it, "
            f"first {', '.join(map(show_value, extra[:3]))}. Leave them out."
        )
    return as_column([table[tuple(pair)] for pair in pairs], len(pairs), what)


def as_numbers(values: Array, what: str, item: str = "edge") -> Floats:
    """Return finite numbers as float64, or raise an error that counts those that are not and names the first.

    Text counts as the number that it spells, by the rule of `is_number`: columns of files are text. So does a Decimal.

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
        listed: list[Any] = [
            exact_number(format(value, "f") if isinstance(value, Decimal) else value)
            if isinstance(value, str | Decimal) and is_number(str(value))
            else value
            for value in values.tolist()
        ]
        values = as_objects(listed)
        bad = np.array(
            [
                not isinstance(value, int | float | Decimal)
                or (not isinstance(value, int) and not isfinite(value))
                for value in listed
            ],
            dtype=bool,
        )
        bad |= np.array(
            [isinstance(value, int) and abs(value) > sys.float_info.max for value in listed], dtype=bool
        )
        numbers = np.array(
            [0.0 if wrong else value for value, wrong in zip(listed, bad, strict=True)], dtype=np.float64
        )
    if values.dtype.kind in "iuO":
        large = np.flatnonzero(np.abs(numbers) >= 2.0**53)
        rounded = [int(place) for place in large if is_rounded(values[place])]
        if rounded and not bad.any():
            raise InputError(
                f"{what} beyond 2**53 must be exact as floats: {len(rounded):,} of {len(values):,} would be rounded, "
                f"first {values[rounded[0]]} at {item} {rounded[0]} (counted from 0). Use a larger unit."
            )
    if bad.any():
        first = int(np.argmax(bad))
        got: Any = values[first].item() if isinstance(values[first], np.generic) else values[first]
        raise InputError(
            f"{what} must be finite numbers: {int(bad.sum()):,} of {len(values):,} are not, first {show_value(got)} at "
            f"{item} {first} (counted from 0)."
        )
    return numbers + 0.0  # no negative zero


def align_by_id(values: Mapping[Any, Any], ids: list[Any], what: str, where: str = "") -> list[Any]:
    """Return the value of every id, in this order; raise for an id without a value and a value without an id."""
    reject_inexact_ids(values, what)
    missing = [node for node in ids if node not in values]
    if missing:
        examples = (
            f" The ids of {what} are {', '.join(map(show_value, list(values)[:3]))} ..." if values else ""
        )
        by_row = in_python(f" For {what} in row order give a list or an array.")
        raise InputError(
            f"{what} must name every node{where}: {len(missing):,} of {len(ids):,} are missing, "
            f"first {', '.join(map(show_value, missing[:3]))}.{examples}{by_row}"
        )
    graph_ids = set(ids)
    extra = [node for node in values if node not in graph_ids]
    if extra:
        raise InputError(
            f"{what} must name nodes of the graph only{where}: {len(extra):,} of {len(values):,} ids are not in it, "
            f"first {', '.join(map(show_value, extra[:3]))}. Leave them out."
        )
    return [values[node] for node in ids]


def _distinct(labels: Labels, nodes: Array, graph_ptr: Int64s, what: str) -> tuple[list[Hashable], Int64s]:
    """Return the distinct labels, plain Python values, and for every node the position of its label."""
    labels = _as_collection(labels)
    if not _is_per_graph(labels, len(graph_ptr) - 1):
        if len(graph_ptr) > 2 and by_id(labels) is not None:
            raise InputError(
                "labels by id name the nodes of one graph, got one mapping or table for "
                f"{len(graph_ptr) - 1:,} graphs. Give a list with one per graph."
            )
        return _factorize(_in_row_order(labels, nodes, ""), what)
    flat = _flat_numbers(labels, np.diff(graph_ptr))
    if flat is not None:
        return _factorize(flat, what)
    parts = [
        _factorize(_in_row_order(part, nodes[first:last], f" (graph {index})"), what)
        for index, (part, first, last) in enumerate(zip(labels, graph_ptr[:-1], graph_ptr[1:], strict=True))
    ]
    check_mixed([name for names, _ in parts for name in names], what)
    reject_drift([set(names) for names, _ in parts], tuple(name for names, _ in parts for name in names))
    position: dict[Hashable, int] = {}
    numbers = [
        np.array([position.setdefault(name, len(position)) for name in names], dtype=np.int64)
        for names, _ in parts
    ]
    positions = [table[inverse] for table, (_, inverse) in zip(numbers, parts, strict=True)]
    return list(position), np.concatenate([np.empty(0, dtype=np.int64), *positions])


def _flat_numbers(parts: Any, sizes: Int64s) -> Array | None:
    """Return arrays of whole numbers, one per graph and of the right sizes, as one array; None for other labels."""
    if any(type(part) is not np.ndarray or part.ndim != 1 or part.dtype.kind not in "iu" for part in parts):
        return None
    if list(map(len, parts)) != sizes.tolist() or len({part.dtype for part in parts}) != 1:
        return None
    return np.concatenate(parts)


def _is_per_graph(labels: Labels, num_graphs: int) -> bool:
    """Return whether there is a sequence or mapping of labels for each of several graphs."""
    if not isinstance(labels, list | tuple) or set(map(type, labels)) <= {int, str, float, bool}:
        return False
    nested = [is_nested(part) for part in labels]
    if not any(nested):
        return False
    if not all(nested) or len(labels) != num_graphs:
        raise InputError(
            f"labels must be one sequence or mapping per graph ({num_graphs:,}), or one flat sequence, "
            f"got {len(labels):,} entries, {sum(nested):,} of them sequences."
        )
    return True


def _as_collection(labels: Any) -> Any:
    """Return labels that can be read twice: iterators and views become lists, tensors become arrays."""
    labels = as_numpy(_as_mapping(labels))
    if isinstance(labels, list | tuple | Mapping | np.ndarray):
        return labels
    if hasattr(labels, "isna") and not hasattr(
        labels, "index"
    ):  # an array of pandas, whose gaps NumPy makes NaN
        return labels.tolist()
    if hasattr(labels, "shape"):
        return labels
    if not is_iterable(labels) or isinstance(labels, set | frozenset):
        hint = " For an attribute of a networkx graph give networkx.get_node_attributes(graph, name)."
        raise InputError(
            f"labels must be a sequence, a mapping or a Series, got {show_value(labels)}."
            f"{hint if isinstance(labels, str) else ''}"
        )
    return labels.to_pylist() if hasattr(labels, "to_pylist") else list(labels)  # of pyarrow


def _as_mapping(labels: Any) -> Any:
    """Return a view of networkx nodes, such as `graph.nodes(data="kind")`, as a mapping; anything else unchanged."""
    if not is_from("networkx", labels):
        return labels
    is_graph = hasattr(labels, "adj")
    named = {} if is_graph else dict(labels.items() if isinstance(labels, Mapping) else labels)
    if is_graph or any(isinstance(value, dict) for value in named.values()):
        raise InputError(
            'labels must be one attribute of the nodes, got all of them. Name it: graph.nodes(data="kind").'
        )
    return named


def by_id(labels: Any) -> Mapping[Any, Any] | None:
    """Return labels as a mapping from id to label if they name their nodes, or None if they are in row order."""
    labels = _as_mapping(labels)
    if isinstance(labels, Mapping | list | tuple | np.ndarray):
        return labels if isinstance(labels, Mapping) else None
    table = as_node_table(labels, "labels")
    if table is None:
        return None
    ids, columns = table
    if len(columns) != 1:
        raise InputError(
            "a table of labels must have a column 'node' or 'id' and one column of labels, got the columns "
            f"{', '.join(map(show_value, list(labels.columns)[:9]))}. Give a mapping, as in dict(zip(ids, labels))."
        )
    (values,) = columns.values()
    return dict(zip(ids, values, strict=True))


def _in_row_order(labels: Any, nodes: Array, where: str) -> Any:
    """Return one label per node as an array or a list, or raise an error that names a missing or unknown one."""
    labels = _as_collection(labels)
    named = by_id(labels)
    if named is not None:
        aligned = align_by_id(named, nodes.tolist(), "labels", where)
        _reject_missing(aligned, f"labels{where}")
        return aligned
    listed = labels if isinstance(labels, list | tuple) else np.asarray(labels)
    if isinstance(listed, np.ndarray) and listed.ndim != 1:
        raise InputError(
            f"labels must be one entry per node, got an array of shape {np.shape(listed)}{where}."
        )
    if len(listed) != len(nodes):
        raise InputError(f"labels must have one entry per node{where}: {len(nodes):,}, got {len(listed):,}.")
    _reject_missing(listed, f"labels{where}", is_text_missing=False)
    return listed


def _factorize(listed: Any, what: str) -> tuple[list[Any], Int64s]:
    """Return the distinct labels and the position of each entry among them, in C loops."""
    if isinstance(listed, np.ndarray) and listed.dtype.kind in "iu" and len(listed):
        low, high = int(listed.min()), int(listed.max())
        if high - low < len(listed) + 1000:  # a table over the range is faster than sorting
            shifted = (listed - listed.dtype.type(low)).astype(np.int64)
            used = np.bincount(shifted, minlength=high - low + 1) > 0
            return [number + low for number in np.flatnonzero(used).tolist()], (np.cumsum(used) - 1)[shifted]
    if isinstance(listed, np.ndarray) and listed.dtype.kind in "iubUf":
        distinct, positions = np.unique(listed, return_inverse=True)
        return [_plain(label, what) for label in distinct.tolist()], positions.astype(np.int64, copy=False)
    if isinstance(listed, np.ndarray) and listed.dtype.kind != "O":
        raise InputError(f"{what} must be whole numbers or strings, got an array of {listed.dtype}.")
    if {bool, np.bool_} & set(map(type, listed)):
        check_mixed([_plain(label, what) for label in listed], what)
    try:
        position = {label: position for position, label in enumerate(dict.fromkeys(listed))}
    except TypeError:
        strange = next((label for label in listed if not isinstance(label, Hashable)), listed[0])
        raise InputError(f"{what} must be whole numbers or strings, got {show_value(strange)}.") from None
    positions = np.fromiter(map(position.__getitem__, listed), dtype=np.int64, count=len(listed))
    return [_plain(label, what) for label in position], positions


def _plain(label: Any, what: str) -> Hashable:
    """Return a label as a plain Python value; floats are not labels."""
    plain = label.item() if getattr(label, "shape", None) == () else label
    if not isinstance(plain, int | str):
        raise InputError(f"{what} must be whole numbers or strings, got {show_value(plain)}.")
    if isinstance(plain, str) and not is_encodable(plain):
        raise InputError(
            f"{what} must be text that UTF-8 can encode, got {show_value(plain)}."
            ' Decode the input again, with errors="replace".'
        )
    return plain
