"""Events (source, target, time) and queries (node, time), from tables or tuples, validated once."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from egonet.errors import InputError, closest_match
from egonet.graph.dataframes import as_frame, as_ids, frame_ids, row_labels
from egonet.graph.ids import Flat, as_flat, checked, show
from egonet.graph.input_options import choose_columns, listing, only
from egonet.temporal.times import Times, as_times

#: The default names of the column of nodes in a table of queries.
NODE_COLUMNS = ("node", "id")


@dataclass(frozen=True)
class EventColumns:
    """The names of the columns of event and query tables; None for the well-known names, and for no column of types."""

    source: str | None = None
    target: str | None = None
    time: str = "time"
    node: str | None = None
    types: str | None = None


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
    """Queries: the ids of nodes, and a time for each."""

    ids: Flat
    times: Times


def as_events(events: Any, columns: EventColumns) -> EventTable:
    """Return events from a table with two columns of ids and one of times, or from triples (source, target, time).

    >>> found = as_events([("a", "b", 1), ("b", "c", 2)], EventColumns())
    >>> found.ids, found.times.values.tolist()
    (['a', 'b', 'b', 'c'], [1, 2])
    """
    frame = None if isinstance(events, np.ndarray) else as_frame(events)
    if frame is not None:
        names: list[Any] = list(frame.columns)
        time = _column(names, columns.time, "time")
        types = None if columns.types is None else _column(names, columns.types, "edge_labels")
        others = [name for name in names if name not in (time, types)]
        source, target = choose_columns(others, columns.source, columns.target)
        flat, where = frame_ids(frame, (source, target))
        return EventTable(
            checked(flat, where),
            as_times(frame.get_column(time).to_native(), "event"),
            None if types is None else frame.get_column(types).to_list(),
            row_labels(frame),
        )
    if columns.types is not None:
        raise InputError(
            f"events as tuples have no column {columns.types!r}. Give a table, or a list with a value per event."
        )
    first, second, times = _unzip(events, 3, "event", "(source, target, time)")
    flat = as_flat([end for pair in zip(first, second, strict=True) for end in pair])
    return EventTable(checked(flat, _in_event), as_times(times, "event"))


def as_queries(queries: Any, columns: EventColumns) -> QueryTable:
    """Return queries from a table with a column of ids and one of times, or from pairs (node, time).

    >>> found = as_queries([("a", 3), ("b", 3)], EventColumns())
    >>> found.ids, found.times.values.tolist()
    (['a', 'b'], [3, 3])
    """
    frame = None if isinstance(queries, np.ndarray) else as_frame(queries)
    if frame is not None:
        names: list[Any] = list(frame.columns)
        time = _column(names, columns.time, "time")
        known = [name for name in names if str(name).lower() in NODE_COLUMNS]
        if columns.node is None and len(known) != 1:
            raise InputError(f"which column has the nodes? Set node=; the columns are {listing(names)}.")
        node = known[0] if columns.node is None else _column(names, columns.node, "node")
        ids = checked(as_ids(frame.get_column(node)), _in_query)
        return QueryTable(ids, as_times(frame.get_column(time).to_native(), "query"))
    nodes, times = _unzip(queries, 2, "query", "(node, time)")
    return QueryTable(checked(as_flat(nodes), _in_query), as_times(times, "query"))


def _column(names: list[Any], name: Any, option: str) -> Any:
    """Return a column's name; raise if there is no such column, or several."""
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


def _in_event(position: int) -> str:
    return f"in event {position // 2} (counted from 0)"


def _in_query(position: int) -> str:
    return f"in query {position} (counted from 0)"


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


def shown_time(value: Any, kind: str) -> str:
    """Return a time for a message."""
    return str(value) if kind == "numbers" else str(np.datetime64(int(value), "ns"))
