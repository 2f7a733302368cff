"""Events (source, target, time) and queries (node, time), from tables or tuples, validated once."""

from collections.abc import Container, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from egonet.errors import InputError, closest_match, option
from egonet.graph.index import Flat, Places, Where, as_flat, as_text_ids, checked, other_type, show
from egonet.graph.input_options import Ids, Missing, check_read_options, listing, only, warn_dropped
from egonet.tables.events import EventColumns, read_events
from egonet.tables.frames import as_frame, as_ids, frame_ids
from egonet.tables.times import Times, as_times, shown_time

#: The default names of the column of nodes in a table of queries.
NODE_COLUMNS = ("node", "id")


@dataclass(frozen=True, eq=False)
class EventTable:
    """Events as flat ids (source, target, source, ...), their times, and their types or weights; loops included.

    `index` is that of a pandas table of events, None for other events.
    """

    ids: Flat
    times: Times
    types: list[Any] | None = None
    index: Any = None


@dataclass(frozen=True, eq=False)
class QueryTable:
    """Queries: the ids of nodes, and a time for each; with `pairs`, two ids per query, one query after another."""

    ids: Flat
    times: Times
    pairs: bool = False


def as_events(events: Any, columns: EventColumns, *, missing: Missing = None, ids: Ids = None) -> EventTable:
    """Return events from a table with two columns of ids and one of times, or from triples (source, target, time).

    With a column of types, tuples have a fourth value.

    >>> found = as_events([("a", "b", 1), ("b", "c", 2)], EventColumns())
    >>> found.ids, found.times.values.tolist()
    (['a', 'b', 'b', 'c'], [1, 2])
    """
    check_read_options(missing, ids)
    batch = read_events(events, columns, missing=missing or "error", ids=ids)
    if len(batch) < batch.num_rows:
        warn_dropped(batch.num_rows - len(batch))
    return EventTable(batch.ids, batch.times, batch.types, batch.index)


def as_queries(queries: Any, columns: EventColumns, *, ids: Ids = None) -> QueryTable:
    """Return queries from a table with a column of ids and one of times, or from pairs (node, time).

    >>> found = as_queries([("a", 3), ("b", 3)], EventColumns())
    >>> found.ids, found.times.values.tolist()
    (['a', 'b'], [3, 3])
    >>> as_queries([("a", "b", 3)], EventColumns(node=("u", "v"))).ids
    ['a', 'b']
    """
    frame = None if isinstance(queries, np.ndarray) else as_frame(queries)
    pairs = isinstance(columns.node, tuple | list)
    flat, times, where = (_pair_queries if pairs else _node_queries)(queries, frame, columns)
    flat = as_text_ids(flat) if ids == "text" else flat
    return QueryTable(checked(flat, where), as_times(times, "query", columns.time_format), pairs)


def _node_queries(queries: Any, frame: Any, columns: EventColumns) -> tuple[Flat, Any, Where]:
    """Return the ids and the times of queries about nodes, and a function that describes the place of an id."""
    if frame is None:
        nodes, times = _unzip(queries, 2, "query", "(node, time)")
        return as_flat(nodes), times, _in_query
    names: list[Any] = list(frame.columns)
    time = _column(names, columns.time, "time")
    known = [name for name in names if str(name).lower() in NODE_COLUMNS]
    if columns.node is None and len(known) != 1:
        raise InputError(
            f"which column has the nodes? Set {option('node')}; the columns are {listing(names)}."
        )
    node = known[0] if columns.node is None else _column(names, columns.node, "node")
    return as_ids(frame.get_column(node)), frame.get_column(time).to_native(), _in_query


def _pair_queries(queries: Any, frame: Any, columns: EventColumns) -> tuple[Flat, Any, Where]:
    """Return the same of queries about pairs: a table with two columns of ids and one of times, or (u, v, time)."""
    if len(columns.node) != 2:
        raise InputError(
            f"node must be a column, or the two columns of pairs of nodes, got {show(columns.node)}."
        )
    if frame is None:
        first, second, times = _unzip(queries, 3, "query", "(node, node, time)")
        flat = as_flat([end for pair in zip(first, second, strict=True) for end in pair])
        return flat, times, _in_pair_query
    names: list[Any] = list(frame.columns)
    time = _column(names, columns.time, "time")
    source, target = (_column(names, name, "node") for name in columns.node)
    flat, where = frame_ids(frame, (source, target))
    return flat, frame.get_column(time).to_native(), where


def _column(names: list[Any], name: Any, option: str) -> Any:
    """Return a column's name; raise if there is no such column, or several. "time" is found in capitals too."""
    same = [each for each in names if str(each).lower() == "time"] if name == "time" else []
    if name not in names and len(same) == 1:
        return same[0]
    if name not in names:
        near = closest_match(name, names)
        hint = f" Did you mean {show(near)}?" if near else ""
        raise InputError(
            f"there is no column {show(name)}.{hint} Say {option}=; the columns are {listing(names)}."
        )
    return only(names, name)


def _unzip(rows: Any, width: int, what: str, form: str) -> list[list[Any]]:
    """Return the columns of a sequence of tuples, or of an array of that many columns."""
    if (
        isinstance(rows, np.ndarray)
        and rows.ndim == 2
        and rows.shape[1] == width
        and rows.dtype.kind in "iuO"
    ):
        return [rows[:, column].tolist() for column in range(width)]
    listed = None
    if isinstance(rows, Iterable) and not isinstance(rows, str | bytes | dict | set | frozenset):
        # Sparse matrices and arrays of no dimension are Iterable and raise here.
        with suppress(TypeError, NotImplementedError):
            listed = list(rows)
    if listed is None:
        raise InputError(
            f"{'queries' if what == 'query' else 'events'} must be rows {form} or a table, got {show(rows)}."
        )
    for position, row in enumerate(listed):
        if not isinstance(row, tuple | list) or len(row) != width:
            raise InputError(f"{what} {position} (counted from 0) must be {form}, got {show(row)}.")
    return [[row[column] for row in listed] for column in range(width)]


_in_query = Places("query", 1)
_in_pair_query = Places("query", 2)


def check_types(new: Iterable[Any], known: Container[Any]) -> None:
    """Raise if a new id is known as a number and given as text, or the other way round.

    >>> check_types(["2"], {1: 0})
    >>> check_types(["1"], {1: 0})
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: the events so far have node 1, the new ones have '1', which would be another node. Write
    ids with the type that they have.
    """
    for node in new:
        twin = other_type(node)
        if twin is not None and twin in known and node not in known:
            raise InputError(
                f"the events so far have node {show(twin)}, the new ones have {show(node)}, which would be another "
                "node. Write ids with the type that they have."
            )


def find_large(ids: Iterable[Any]) -> int | None:
    """Return the first id beyond 64 bits with a sign, which is an id only among numbers >= 0; None if there is none.

    >>> find_large(["a", 5, 2**63])
    9223372036854775808
    """
    return next((node for node in ids if type(node) is int and node >= 2**63), None)


def check_sorted(times: Times, way_out: str) -> None:
    """Raise if a time is smaller than the one before it."""
    values = times.values
    falls = np.flatnonzero(values[1:] < values[:-1]) + 1
    if len(falls):
        row = int(falls[0])
        now, before = (shown_time(values[place], times.kind) for place in (row, row - 1))
        raise InputError(
            f"events must be in order of time, got {now} after {before} at event {row} (counted from 0). {way_out}"
        )


def check_same_kind(events: Times, others: Times, what: str) -> None:
    """Raise if the times of two tables are of different kinds, which cannot be compared."""
    if len(events.values) and len(others.values) and events.kind != others.kind:
        raise InputError(
            f"the times of {what} must be {events.kind}, as those of the events, got {others.kind}."
        )
