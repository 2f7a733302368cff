"""Tables of events: which columns, what is missing, and in which order the events count; the only reader of events."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from egonet.checks import one_of
from egonet.errors import FileError, InputError, closest_match, option
from egonet.graph.columns import exact_number, is_number, is_rounded
from egonet.graph.index import as_text_ids, checked, is_missing, reject_twins, show, whole_float
from egonet.graph.input_options import Ids, choose_columns, listing, only, warn
from egonet.io.byte_streams import chunk_bytes
from egonet.io.read import existing, opened, unchanged
from egonet.kernel.reference_events import LARGEST_AMOUNT
from egonet.tables.arrow import ColumnTable, arrow_columns, as_numbers, checked_frame, text_columns
from egonet.tables.frames import as_frame, as_ids, row_labels
from egonet.tables.text import MISSING, plain_chunks
from egonet.tables.times import Times, as_times, shown_time
from egonet.typing import Array, Floats

#: What happens to a row without an id, a time, an amount or a type.
Missing: TypeAlias = Literal["error", "drop"]
#: What happens to events that are earlier than one before them.
Late: TypeAlias = Literal["sort", "error", "arrival"]
#: The columns of a table of events, in the order of tuples.
ROLES = ("source", "target", "time", "amount", "types", "keep")
#: The ids of a history: whole numbers, text, or anything else; None before the first event.
IdKind: TypeAlias = Literal["numbers", "text", "other"]


@dataclass(frozen=True)
class EventColumns:
    """The names of the columns of tables of events and queries.

    None stands for the well-known names of ends and nodes, and for no column of amounts or types. `time_format` is that
    of times in text; None for ISO 8601. `node` is for queries; it has two names if these are about pairs. `keyword` is
    the one that names the column of types, in messages.
    """

    source: Any = None
    target: Any = None
    time: Any = "time"
    amount: Any = None
    types: Any = None
    time_format: str | None = None
    node: Any = None
    keyword: str = "types"
    keep: Any = None


@dataclass(frozen=True, eq=False)
class EventBatch:
    """Events of one table, those with missing values left out.

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

    ids: Any
    times: Times
    amounts: Floats | None
    types: list[Any] | None
    kept: Array | None
    positions: Array
    num_rows: int
    index: Any = None

    def __len__(self) -> int:
        return len(self.positions)


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
        raise InputError(f'ids must be None or "text", got {show(ids)}.')
    table, index = _read_file(data) if isinstance(data, str | Path) else data, None
    if isinstance(table, ColumnTable):
        values = _text_values(table, columns)
    elif (frame := None if isinstance(table, np.ndarray) else as_frame(table)) is not None:
        values, index = _frame_values(frame, columns), row_labels(frame)
    else:
        values = _tuple_values(table, columns)
    names = [name for name in values if values[name] is not None]
    num_rows = len(values["source"])
    is_text = isinstance(table, ColumnTable) and table.text is not None
    is_missing = {name: _missing_in(values[name], is_text=is_text) for name in names}
    lost = np.logical_or.reduce([*is_missing.values(), np.zeros(num_rows, dtype=bool)])
    if lost.any() and missing == "error":
        _reject_missing(is_missing, num_rows)
    positions = np.flatnonzero(~lost)
    if lost.any():
        values = {
            name: None
            if values[name] is None
            else _take(values[name], positions, had_gaps=bool(is_missing[name].any()))
            for name in values
        }
    times = _times(values["time"], columns.time_format, is_text=is_text)
    return EventBatch(
        _ids(values["source"], values["target"], positions, is_text=is_text and id_kind != "text", ids=ids),
        times,
        None if values["amount"] is None else _amounts(values["amount"], positions),
        None if values["types"] is None else _as_list(values["types"]),
        None if values["keep"] is None else _flags(values["keep"], positions),
        positions,
        num_rows,
        index if index is None or not lost.any() else index[positions],
    )


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


def _read_file(path: str | Path) -> Any:
    """Return a Parquet or Arrow file as a table, or the columns of a text file."""
    file = existing(path)
    kind = {".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow"}.get(file.suffix)
    if kind is not None:
        with opened(file) as stream, arrow_columns(stream, str(path), kind) as (names, select):
            return checked_frame(select(names))
    ending = Path(file.stem).suffix if file.suffix == ".gz" else file.suffix
    if ending not in (".csv", ".tsv", ".txt"):
        raise InputError(
            f"events are read from .csv, .tsv (also .gz), .parquet or .arrow, got {str(path)!r}."
        )
    with unchanged(file), opened(file) as stream:
        text = b"".join(map(chunk_bytes, plain_chunks(stream, str(path))))
    if text.startswith((b"PAR1", b"ARROW1", b"\x1f\x8b")):
        raise FileError(f"{path} is not text. Give a file that ends in .parquet, .arrow or .gz.")
    return text_columns(text, str(path), ending)


def _chosen(names: list[Any], columns: EventColumns) -> dict[str, Any]:
    """Return the name of the column of every role."""
    chosen: dict[str, Any] = {}
    for role in ("time", "amount", "types", "keep"):
        name = getattr(columns, role)
        if name is None:
            continue
        same = [each for each in names if str(each).lower() == "time"] if name == "time" else []
        if name not in names and len(same) == 1:
            chosen[role] = same[0]
            continue
        if name not in names:
            near = closest_match(name, names)
            hint = f" Did you mean {show(near)}?" if near else ""
            keyword = columns.keyword if role == "types" else role
            raise InputError(
                f"there is no column {show(name)}.{hint} Set {option(keyword)}; the columns are {listing(names)}."
            )
        chosen[role] = only(names, name)
    others = [name for name in names if name not in chosen.values()]
    chosen["source"], chosen["target"] = choose_columns(others, columns.source, columns.target)
    return chosen


def _frame_values(frame: Any, columns: EventColumns) -> dict[str, Any]:
    chosen = _chosen(list(frame.columns), columns)
    return {role: frame.get_column(chosen[role]) if role in chosen else None for role in ROLES}


def _text_values(table: ColumnTable, columns: EventColumns) -> dict[str, Any]:
    chosen = _chosen(list(table.columns), columns)
    return {
        role: [field.strip() if isinstance(field, str) else field for field in table.columns[chosen[role]]]
        if role in chosen
        else None
        for role in ROLES
    }


def _tuple_values(rows: Any, columns: EventColumns) -> dict[str, Any]:
    """Return the values of tuples: two ends, a time, an amount, a type and `keep`, as far as the columns are named."""
    roles = ["source", "target", "time"]
    roles += [role for role in ("amount", "types", "keep") if getattr(columns, role) is not None]
    listed: list[Any] | None = None
    if isinstance(rows, np.ndarray) and rows.ndim == 2 and rows.dtype.kind in "iuO":
        listed = rows.tolist()
    elif isinstance(rows, Iterable) and not isinstance(rows, str | bytes | dict | set | frozenset):
        with suppress(TypeError, NotImplementedError):  # sparse matrices and arrays of no dimension
            listed = list(rows)
    if listed is None:
        raise InputError(f"events must be a table, a file or tuples ({', '.join(roles)}), got {show(rows)}.")
    for position, row in enumerate(listed):
        if not isinstance(row, tuple | list) or len(row) != len(roles):
            raise InputError(
                f"event {position} (counted from 0) must be ({', '.join(roles)}), got {show(row)}. "
                "Name the columns of what else events have."
            )
    values: dict[str, Any] = {role: [row[place] for row in listed] for place, role in enumerate(roles)}
    return {role: values.get(role) for role in ROLES}


def _missing_in(values: Any, *, is_text: bool) -> Array:
    """Return which values of a column are missing: null, NaN, NaT, an empty text, or a word such as NULL in a file."""
    if is_text:
        return np.fromiter((value in MISSING for value in values), dtype=bool, count=len(values))
    if isinstance(values, list):
        return np.fromiter(map(is_missing, values), dtype=bool, count=len(values))
    found: Array = np.asarray(values.is_null().to_numpy(), dtype=bool)
    if values.dtype.is_float():
        found = found | np.asarray(values.is_nan().fill_null(value=False).to_numpy(), dtype=bool)
    elif str(values.dtype) in ("String", "Object"):
        found = found | np.array([value == "" for value in values.to_list()], dtype=bool)
    return found


_WORDS = {
    "source": "a source",
    "target": "a target",
    "time": "a time",
    "amount": "an amount",
    "types": "a type",
    "keep": "a value of keep",
}


def _reject_missing(is_missing: dict[str, Array], num_rows: int) -> None:
    name, lost = next((name, lost) for name, lost in is_missing.items() if lost.any())
    rows = np.flatnonzero(lost)
    shown = ", ".join(map(str, rows[:3].tolist()))
    raise InputError(
        f"every event must have {_WORDS[name]}, {len(rows):,} of {num_rows:,} have none, "
        f"first in rows {shown} (counted from 0). Fill them in, or set {option('missing', 'drop')}."
    )


def _take(values: Any, positions: Array, *, had_gaps: bool) -> Any:
    """Return the values of some rows; whole numbers that gaps made floats are whole again."""
    if isinstance(values, list):
        return [values[position] for position in positions.tolist()]
    taken = values.gather_every(1).filter(np.isin(np.arange(len(values)), positions).tolist())
    if had_gaps and taken.dtype.is_float():
        array = taken.to_numpy()
        if len(array) and np.all(array == np.floor(array)) and np.all(np.abs(array) < 2**53):
            import narwhals as nw

            return taken.cast(nw.Int64)
    return taken


def _as_list(values: Any) -> list[Any]:
    return values if isinstance(values, list) else list(values.to_list())


def _ids(source: Any, target: Any, positions: Array, *, is_text: bool, ids: Ids) -> Any:
    """Return the ids of both ends as source, target, source, ..., validated; those of a text may be numbers."""
    if is_text and ids is None:
        both = as_numbers([*source, *target], floats=False)
        source, target = both[: len(source)], both[len(source) :]
    ends = [end if isinstance(end, list) else as_ids(end) for end in (source, target)]
    if ids == "text":
        ends = [as_text_ids(end) for end in ends]
    first, second = ends
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray) and first.dtype == second.dtype:
        flat: Any = np.stack([first, second], axis=1).reshape(-1)
    else:
        flat = [None] * (2 * len(positions))
        flat[0::2], flat[1::2] = (end.tolist() if isinstance(end, np.ndarray) else end for end in ends)
        reject_twins(
            [whole_float(value) for value in flat], "the events have", "or give both columns the same type."
        )
    return checked(flat, lambda place: f"in row {positions[place // 2]} (counted from 0)")


def _times(values: Any, time_format: str | None, *, is_text: bool) -> Times:
    """Return the times; those of a text file are numbers if all of them are, unless they have a format."""
    if is_text and time_format is None:
        return as_times(as_numbers(values), "row")
    return as_times(values if isinstance(values, list) else values.to_native(), "row", time_format)


def _amounts(values: Any, positions: Array) -> Floats:
    """Return amounts as numbers that can be added exactly; negative ones are ordinary."""
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
                f"amounts must be numbers, got {show(values[0])} in row {positions[0]} (counted from 0) of column "
                f"{show(values.name)}. Convert it; a decimal comma is read by pandas.read_csv(path, decimal=',')."
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
        raise InputError(
            f"an amount must be a finite number between -2**53 and 2**53, got {show(values[wrong[0]])} in row "
            f"{positions[wrong[0]]} (counted from 0){more}. Drop the row or correct it."
        )
    return array + 0.0  # no negative zero


#: How true and false are written.
_FLAGS = {True: True, False: False, "true": True, "false": False, "1": True, "0": False}


def _flags(values: Any, positions: Array) -> Array:
    """Return values that say yes or no: booleans, 1 and 0, or the words true and false."""
    plain = [
        value.strip().lower() if isinstance(value, str) else value.item() if hasattr(value, "item") else value
        for value in _as_list(values)
    ]
    wrong = [
        place
        for place, value in enumerate(plain)
        if not isinstance(value, bool | int | float | str) or value not in _FLAGS
    ]
    if wrong:
        more = f"; {len(wrong):,} of {len(positions):,} break this rule" if len(wrong) > 1 else ""
        raise InputError(
            f"keep must be true or false, got {show(values[wrong[0]])} in row {positions[wrong[0]]} (counted from 0)"
            f"{more}. Convert the column."
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
