"""Tables of events: which columns, what is missing, and in which order the events count; the only reader of events."""

from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from egonet.checks import as_argument, one_of
from egonet.errors import InputError, option, show_value
from egonet.graph.columns import exact_number, is_number, is_rounded
from egonet.graph.index import Flat, Places, check_ids
from egonet.graph.input_options import Ids, warn
from egonet.kernel.reference_events import LARGEST_AMOUNT
from egonet.tables.schemas import EVENT_ROLES, EventColumns, find_event_columns, find_query_columns
from egonet.tables.table import Table, as_table, read_table, rows_table
from egonet.tables.times import Times, shown_time
from egonet.typing import Array, Floats

#: What happens to a row without an id, a time, an amount or a type.
Missing: TypeAlias = Literal["error", "drop"]
#: What happens to events that are earlier than one before them.
Late: TypeAlias = Literal["sort", "error", "arrival"]
#: The ids of a history: whole numbers, text, or anything else; None before the first event.
IdKind: TypeAlias = Literal["numbers", "text", "other"]


@dataclass(frozen=True, eq=False)
class EventBatch:
    """Events of one table, those with missing values left out; loops included.

    Attributes
    ----------
    ids
        The ids of source, target, source, ...
    times
        Their times, in the order of the table.
    amounts, types
        One per event; None without such a column.
    kept
        bool: which events later rows may know; None for all.
    positions
        int64: the rows of the table that the events come from.
    num_rows
        The number of rows of the table.
    index
        The index of these rows in a pandas table; None for other events.
    """

    ids: Flat
    times: Times
    amounts: Floats | None
    types: list[Any] | None
    kept: Array | None
    positions: Array
    num_rows: int
    index: Any = None

    def __len__(self) -> int:
        return len(self.positions)


@dataclass(frozen=True, eq=False)
class QueryTable:
    """Queries: the ids of nodes, and a time for each; with `pairs`, two ids per query, one query after another."""

    ids: Flat
    times: Times
    pairs: bool = False


def read_events(
    data: Any,
    columns: EventColumns,
    *,
    missing: Missing = "error",
    ids: Ids = None,
    id_kind: IdKind | None = None,
) -> EventBatch:
    """Return the events of a table, a file, or tuples (source, target, time, amount, type, keep).

    Ids of a text file are whole numbers if all of them are, unless `id_kind` says that they are text. With ids="text"
    all ids are text.

    Examples
    --------
    >>> batch = read_events([("a", "b", 1, 9.5), ("b", "a", 2, 3)], EventColumns(amount="amount"))
    >>> batch.ids, batch.times.values.tolist(), batch.amounts.tolist()
    (['a', 'b', 'b', 'a'], [1, 2], [9.5, 3.0])
    """
    one_of("missing", missing, get_args(Missing))
    if ids not in (None, "text"):
        raise InputError(f'ids must be None or "text", got {show_value(ids)}.')
    table = read_table(data, "a table of events") if isinstance(data, str | Path) else as_table(data)
    if table is None:
        roles = columns.roles()
        more = " Name the columns of what else events have."
        table = rows_table(data, roles, "event", f"({', '.join(roles)})", more)
        names: dict[str, Any] = {role: role for role in roles}
    else:
        names = find_event_columns(table.names, columns)
    num_rows = len(table)
    if missing == "error":
        _reject_missing(table, names, columns.keyword)
    else:
        table = table.complete(names.values())
    is_text = ids == "text" or (table.text is not None and id_kind == "text")
    table = replace(table, id_kind="text" if is_text else table.id_kind)
    ends = names["source"], names["target"]
    return EventBatch(
        check_ids(table.flat_ids(*ends), table.places(*ends)),
        table.times(names["time"], "row", columns.time_format),
        _amounts(table.columns[names["amount"]], table.rows) if "amount" in names else None,
        table.fields(names["types"]) if "types" in names else None,
        _flags(table.fields(names["keep"]), table.rows) if "keep" in names else None,
        table.rows,
        num_rows,
        table.index,
    )


def read_queries(queries: Any, columns: EventColumns, *, ids: Ids = None) -> QueryTable:
    """Return the queries of a table or a file: a column of ids (or two, for pairs) and one of times; or of tuples.

    >>> asked = read_queries([("a", 3), ("b", 3)], EventColumns())
    >>> asked.ids, asked.times.values.tolist()
    (['a', 'b'], [3, 3])
    >>> read_queries([("a", "b", 3)], EventColumns(node=("u", "v"))).ids
    ['a', 'b']
    """
    pairs = isinstance(columns.node, tuple | list)
    table = (
        read_table(queries, "a table of queries") if isinstance(queries, str | Path) else as_table(queries)
    )
    if table is None:
        roles = ["node", "other", "time"] if pairs else ["node", "time"]
        form = "(node, node, time)" if pairs else "(node, time)"
        table = rows_table(queries, roles, "query", form)
        names, time = tuple(roles[:-1]), "time"
        where: Any = Places("query", len(names))
    else:
        names, time = find_query_columns(table.names, columns)
        where = table.places(*names)
    flat = replace(table, id_kind=ids or table.id_kind).flat_ids(*names)
    return QueryTable(check_ids(flat, where), table.times(time, "query", columns.time_format), pairs)


def in_order(
    batch: EventBatch, late: Late, clock: Any, kind: str | None, values: Array
) -> tuple[Array, Array]:
    """Return the order in which events count, and their times in this order, which never fall.

    `clock` is the time of the last event of the history; `values` are the times in its type.
    """
    falls = np.flatnonzero(values[1:] < values[:-1]) + 1
    if late == "arrival":
        times = (
            np.maximum.accumulate(values)
            if clock is None
            else np.maximum(np.maximum.accumulate(values), clock)
        )
        return np.arange(len(values)), times
    if len(falls) and late == "error":
        row = int(falls[0])
        raise InputError(
            f"events must be in order of time, got {shown_time(values[row], str(kind))} after "
            f"{shown_time(values[row - 1], str(kind))} in row {batch.positions[row]} (counted from 0). Sort the table, "
            f"or set {option('late', 'sort')}."
        )
    order = np.argsort(values, kind="stable")
    if len(falls):
        warn(
            f"{len(falls):,} of {len(values):,} events are earlier than the one before them, first row "
            f"{batch.positions[falls[0]]} (counted from 0). They count in order of time. Sort the table, or set "
            f"{option('late', 'error')}."
        )
    num_late = 0 if clock is None else int(np.searchsorted(values[order], clock, side="left"))
    if num_late:
        row = int(order[0])
        raise InputError(
            f"{num_late:,} of {len(values):,} events are earlier than the last event of the history, which is at "
            f"{shown_time(clock, str(kind))}, first row {batch.positions[row]} (counted from 0) at "
            f"{shown_time(values[row], str(kind))}. Drop them, or set {option('late', 'arrival')}, which counts them "
            "when they arrive."
        )
    return order, values[order]


_WORDS = {
    "source": "a source",
    "target": "a target",
    "time": "a time",
    "amount": "an amount",
    "types": "a type",
    "keep": "a value of keep",
    "weights": "a weight",
}


def _reject_missing(table: Table, names: dict[str, Any], keyword: str) -> None:
    """Raise if events have no value in one of their columns: how many, and the first three.

    `keyword` is what the column of types is called.
    """
    for role in EVENT_ROLES:
        rows = np.flatnonzero(table.missing(names[role])) if role in names else np.empty(0, dtype=np.int64)
        if len(rows):
            shown = f"{'row' if len(rows) == 1 else 'rows'} {', '.join(map(str, rows[:3].tolist()))}"
            word = _WORDS["weights" if role == "types" and keyword == "weights" else role]
            raise InputError(
                f"every event must have {word}, {len(rows):,} of {len(table):,} have none, "
                f"first in {shown} (counted from 0). Fill them in, or set {option('missing', 'drop')}."
            )


_DECIMAL_COMMA = "a decimal comma is read by pandas.read_csv(path, decimal=',')."


def _amounts(values: Any, positions: Array) -> Floats:
    """Return amounts as numbers that can be added exactly; negative ones are ordinary."""
    if not len(positions):  # columns without values have any type
        return np.empty(0)
    if isinstance(values, list):
        wrong = [
            place
            for place, value in enumerate(values)
            if not (is_number(value) if isinstance(value, str) else _is_finite(value))
            or is_rounded(exact_number(value) if isinstance(value, str) else value)
        ]
        if not wrong:
            array = np.array([float(value) for value in values], dtype=np.float64)
    else:
        if not (values.dtype.is_numeric() or str(values.dtype) == "Object"):
            raise InputError(
                f"amounts must be numbers, got {show_value(values[0])} in row {positions[0]} (counted from 0) of "
                f"column {show_value(values.name)}. Convert it; {_DECIMAL_COMMA}"
            )
        if str(values.dtype) == "Object":
            return _amounts(values.to_list(), positions)
        array = np.asarray(values.to_numpy()).astype(np.float64)
        wrong = np.flatnonzero(~np.isfinite(array)).tolist()
        if not wrong and values.dtype.is_integer():
            large = np.flatnonzero(np.abs(array) >= LARGEST_AMOUNT).tolist()
            wrong = [place for place in large if abs(int(values[place])) > LARGEST_AMOUNT]
    if not wrong:
        wrong = np.flatnonzero(np.abs(array) > LARGEST_AMOUNT).tolist()
    if wrong:
        more = f"; {len(wrong):,} of {len(positions):,} break this rule" if len(wrong) > 1 else ""
        value = values[wrong[0]]
        comma = isinstance(value, str) and "," in value
        way_out = f"Convert it; {_DECIMAL_COMMA}" if comma else "Drop the row or correct it."
        raise InputError(
            f"an amount must be a finite number between -2**53 and 2**53, got {show_value(value)} in row "
            f"{positions[wrong[0]]} (counted from 0){more}. {way_out}"
        )
    return array + 0.0  # no negative zero


#: How true and false are written.
_FLAGS = {True: True, False: False, "true": True, "false": False, "1": True, "0": False}


def _flags(values: list[Any], positions: Array) -> Array:
    """Return values that say yes or no: booleans, 1 and 0, or the words true and false."""
    plain = [
        value.strip().lower() if isinstance(value, str) else value.item() if hasattr(value, "item") else value
        for value in values
    ]
    wrong = [
        place
        for place, value in enumerate(plain)
        if not isinstance(value, bool | int | float | str) or value not in _FLAGS
    ]
    if wrong:
        more = f"; {len(wrong):,} of {len(positions):,} break this rule" if len(wrong) > 1 else ""
        raise InputError(
            f"{as_argument('keep')} must be true or false, got {show_value(values[wrong[0]])} in row "
            f"{positions[wrong[0]]} (counted from 0){more}. Convert the column."
        )
    return np.array([_FLAGS[value] for value in plain], dtype=bool)


def _is_finite(value: Any) -> bool:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool):
        return False
    try:
        return isfinite(float(plain))
    except (TypeError, ValueError, OverflowError):
        return False
