"""`Table`: named columns of a file, a data frame or tuples; one rule for missing cells, numbers, times and ids."""

import csv
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from egonet import _native
from egonet.checks import is_iterable
from egonet.errors import FileError, InputError, option, show_value
from egonet.graph.columns import DIGITS, WHOLE, exact_number, is_number
from egonet.graph.index import Flat, as_listed, as_text_ids, is_missing, reject_twins, whole_float
from egonet.graph.input_options import Ids, InputOptions, delimiter_hint, warn_dropped
from egonet.io.byte_streams import GZIP, chunk_bytes, reject_undecodable
from egonet.io.paths import open_file, require_file, require_unchanged
from egonet.kernel.native import available_cores
from egonet.tables.arrow import arrow_columns, checked_frame
from egonet.tables.frames import ColumnPlaces, as_frame, as_ids, row_labels
from egonet.tables.text import MISSING, Layout, fault_error, number_ids, plain_chunks, warn_trimmed
from egonet.tables.times import Times, as_times
from egonet.typing import Array

#: The formats of tables that have types, by the ending of the file.
TYPED = {".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow"}
#: The first bytes of files that are not text, and how such a file must be named.
_NOT_TEXT = {GZIP: ".gz", b"PAR1": ".parquet", b"ARROW1": ".arrow"}


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns, whatever they come from.

    Attributes
    ----------
    columns
        Name to fields: a list of text without the blanks around it, a list of values, or a Series of narwhals.
    name
        The file, in messages; "" for data in memory.
    text
        The text of a file, and how it is split into fields; None for what has types.
    id_kind
        "text" reads all ids as text; None keeps their types.
    index
        The index of a pandas table; None for everything else.
    positions
        int64: the rows as they were read that are left; None for all.

    Examples
    --------
    >>> table = Table({"who": ["a", "b"], "amount": [3, None]})
    >>> table.missing("amount").tolist(), len(table.without(["amount"]))
    ([False, True], 1)
    """

    columns: Mapping[Any, Any]
    name: str = ""
    text: tuple[bytes, Layout] | None = field(default=None, repr=False)
    id_kind: Ids = None
    index: Any = None
    positions: Array | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    @property
    def names(self) -> list[Any]:
        """Return the names of the columns."""
        return list(self.columns)

    @property
    def has_header(self) -> bool:
        """Return whether the names of the columns are given, and are not positions."""
        return self.text is None or bool(self.text[1].skip)

    @property
    def rows(self) -> Array:
        """Return which rows, as they were read, are left."""
        return np.arange(len(self)) if self.positions is None else self.positions

    def missing(self, name: Any) -> Array:
        """Return which fields of a column have no value: null, NaN, NaT, an empty text, or NULL and the like in text.

        >>> text_columns(b"u,v\\na,b\\nNULL,c\\n", "t.csv", ".csv").missing("u").tolist()
        [False, True]
        """
        values = self.columns[name]
        if isinstance(values, list):
            is_lost = MISSING.__contains__ if self.text is not None else is_missing
            return np.fromiter(map(is_lost, values), dtype=bool, count=len(values))
        lost: Array = np.array(values.is_null().to_numpy(), dtype=bool)
        kind = values.dtype
        if kind.is_float():
            lost |= np.asarray(values.is_nan().fill_null(value=False).to_numpy(), dtype=bool)
            return lost
        if kind.is_integer() or kind.is_temporal() or str(kind) == "Boolean":
            return lost
        lost |= np.fromiter(map(is_missing, values.to_list()), dtype=bool, count=len(values))
        return lost

    def without(self, names: Iterable[Any]) -> "Table":
        """Return the table without the rows that have no value in one of some columns."""
        gaps = {name: self.missing(name) for name in names}
        lost: Array = np.logical_or.reduce([*gaps.values(), np.zeros(len(self), dtype=bool)])
        if not lost.any():
            return self
        rows = np.flatnonzero(~lost)
        with_gaps = {name for name, is_lost in gaps.items() if is_lost.any()}
        columns = {
            name: _take(values, rows, had_gaps=name in with_gaps) for name, values in self.columns.items()
        }
        index = None if self.index is None else self.index[rows]
        table = replace(self, columns=columns, index=index, positions=self.rows[rows])
        return table if self.text is None else replace(table, text=self._text_of(columns))

    def complete(self, names: Iterable[Any]) -> "Table":
        """Return what `without` returns, and count the rows that are left out in a warning."""
        table = self.without(names)
        if len(table) < len(self):
            warn_dropped(len(self) - len(table))
        return table

    def _text_of(self, columns: Mapping[Any, list[str]]) -> tuple[bytes, Layout]:
        """Return rows as text, with a header if the file had one."""
        assert self.text is not None
        has_names = self.has_header
        written = StringIO()
        lines = csv.writer(written, lineterminator="\n")
        lines.writerows([columns] if has_names else [])
        lines.writerows(zip(*columns.values(), strict=True))
        layout = Layout(",", "", "", skip=int(has_names), num_fields=len(columns))
        return written.getvalue().encode("utf-8", "surrogateescape"), layout

    def fields(self, name: Any) -> list[Any]:
        """Return a column as a list: text in a text file, so that one cell does not change the type of the others."""
        values = self.columns[name]
        if not isinstance(values, list):
            return list(values.to_list())
        return values if self.text is None else reject_undecodable(values, self.text[0], self.name)

    def flat_ids(self, *names: Any) -> Flat:
        """Return the node ids in one column, or in two row by row; ids in text are numbers if all of them are.

        >>> Table({"u": ["a", "b"], "v": ["b", "c"]}).flat_ids("u", "v")
        ['a', 'b', 'b', 'c']
        """
        if self.text is not None:
            return self._text_ids(names)
        ends = [end if isinstance(end, list) else as_ids(end) for end in map(self.columns.__getitem__, names)]
        if self.id_kind == "text":
            ends = [as_text_ids(end) for end in ends]
        if len(ends) == 1:
            return ends[0]
        source, target = ends
        if isinstance(source, np.ndarray) and isinstance(target, np.ndarray) and source.dtype == target.dtype:
            if source.dtype != np.int64:
                return np.stack([source, target], axis=1).reshape(-1)
            arrays = (np.ascontiguousarray(end) for end in ends)
            both: Array = _native.interleave(*arrays, available_cores())
            return both
        flat: list[Any] = [None] * (2 * len(source))
        flat[0::2], flat[1::2] = (as_listed(end) for end in ends)
        is_rows = isinstance(self.columns[names[0]], list)
        what = "the rows have" if is_rows else "the table has"
        reject_twins(
            [whole_float(value) for value in flat], what, "" if is_rows else self._conversions(names)
        )
        return flat

    def places(self, *names: Any, can_drop: bool = False) -> ColumnPlaces:
        """Return what describes a position in the ids of some columns, for messages."""
        return ColumnPlaces(names, can_drop=can_drop, rows=self.positions)

    def ids(self, *names: Any) -> list[Any]:
        """Return `flat_ids` as a list."""
        flat = self.flat_ids(*names)
        return as_listed(flat)

    def _text_ids(self, names: tuple[Any, ...]) -> Flat:
        """Return the ids in one or two columns of text, by the rules of the graph reader."""
        assert self.text is not None
        text, layout = self.text
        places = [self.names.index(name) for name in names]
        layout = replace(layout, source=places[0], target=places[-1])
        if len(names) == 2 and layout.skip:
            layout = replace(layout, header_source=names[0], header_target=names[1])
        parser = _native.EdgeText(**vars(layout))
        if not parser.feed(text, True, available_cores()):
            raise fault_error(self.name, parser.fault, layout, parser.num_found)
        warn_trimmed(parser, self.name, num_columns=len(names))
        *ends, ids = number_ids(parser, self.name, InputOptions(ids=self.id_kind))
        rows = np.stack(ends[: len(names)], axis=1).reshape(-1)
        return [] if ids is None else ids[rows]

    def _conversions(self, names: tuple[Any, ...]) -> str:
        """Return the calls that make two columns of a data frame text, or numbers."""
        polars = self.columns[names[0]].implementation.is_polars()
        call, kinds = ("cast", ("polars.String", "polars.Int64")) if polars else ("astype", ("str", "int"))
        text, as_numbers = (f"table.{call}({{{names[0]!r}: {kind}, {names[1]!r}: {kind}}})" for kind in kinds)
        where = "" if polars else " in pandas"
        return f"or convert both columns{where} to text, {text}, or, if every id is a number, to numbers, {as_numbers}."

    def known_ids(self, name: Any, graph_ids: Iterable[Any]) -> list[Any]:
        """Return the node ids in a column; ids in text get the type that they have among the `graph_ids` ones."""
        ids, members = (
            self.ids(name),
            set(graph_ids.tolist() if isinstance(graph_ids, np.ndarray) else graph_ids),
        )
        if self.text is None:
            return ids
        for row, node in enumerate(ids):
            twin = number_in(node) if isinstance(node, str) else str(node)
            if twin in members and node in members:
                raise FileError(
                    f"{self.name}: {show_value(node)} may be a number or a string, and there are nodes of both ids. "
                    "Save the table as .parquet."
                )
            if twin in members:
                ids[row] = twin
        return ids

    def _place(self, row: int) -> str:
        """Return the number of a row as a reader of the file counts it."""
        return f"row {row + 1:,}{' below the header' if self.has_header else ''}"

    def _reject_missing(self, name: Any, what: str) -> None:
        """Raise if a row has no value in a column, which must have `what` in every row."""
        gaps = np.flatnonzero(self.missing(name))
        if len(gaps):
            raise FileError(
                f"{self.name}: column {name!r} must have {what} in every row, {len(gaps):,} of {len(self):,} have "
                f"none, first in {self._place(gaps[0])}. Fill them in, or set {option('missing', 'drop')}."
            )

    def labels(self, name: Any) -> list[Any]:
        """Return a column of labels; raise if some are missing."""
        self._reject_missing(name, "a label")
        return self.fields(name)

    def values(self, name: Any, *, floats: bool = True) -> list[Any]:
        """Return a column as numbers if all of its fields are, by `as_numbers`."""
        column = self.fields(name)
        return column if self.text is None else as_numbers(column, floats=floats)

    def numbers(self, name: Any) -> list[Any]:
        """Return a column of numbers; raise for text that is none, with the first such row."""
        values = self.values(name)
        if self.text is not None and values and isinstance(values[0], str):
            wrong = [row for row, text in enumerate(values) if not is_number(text)]
            is_code = DIGITS.fullmatch(values[wrong[0]]) is not None
            way_out = "Remove its leading zeros." if is_code else "Drop the row or fill it in."
            raise FileError(
                f"{self.name}: column {name!r} must have a finite number in every row, {len(wrong):,} of "
                f"{len(values):,} have none, first {show_value(values[wrong[0]])} in {self._place(wrong[0])}. "
                f"{way_out}"
            )
        return values

    def moments(self, name: Any) -> list[Any]:
        """Return a column of times as it is: numbers if at least half of the fields are, else text such as dates."""
        values = self.values(name)
        if self.text is None or not values or not isinstance(values[0], str):
            return values
        self._reject_missing(name, "a time")
        return self.numbers(name) if 2 * sum(map(is_number, values)) >= len(values) else values

    def times(self, name: Any, what: str, time_format: str | None = None) -> Times:
        """Return a column of times; those of a text file are numbers if all of them are, unless they have a format."""
        values = self.columns[name]
        if self.text is not None and time_format is None:
            return as_times(as_numbers(self.fields(name)), what)
        return as_times(values if isinstance(values, list) else values.to_native(), what, time_format)


def as_table(data: Any) -> Table | None:
    """Return a data frame as a table, or None if it is none; a `Table` is returned as it is.

    >>> import pandas as pd
    >>> as_table(pd.DataFrame({"u": ["a"], "v": ["b"]})).names, as_table([("a", "b")]) is None
    (['u', 'v'], True)
    """
    if isinstance(data, Table):
        return data
    frame = None if isinstance(data, np.ndarray) else as_frame(data)
    if frame is None:
        return None
    return Table({name: frame.get_column(name) for name in frame.columns}, index=row_labels(frame))


def rows_table(rows: Any, roles: list[str], kind: str, form: str, more: str = "") -> Table:
    """Return tuples, or an array of as many columns, as a table of some roles.

    `kind` is one row in messages, `form` shows one, and `more` is what else to do about a row of another form.

    >>> rows_table([("a", 3), ("b", 4)], ["node", "time"], "query", "(node, time)").columns
    {'node': ['a', 'b'], 'time': [3, 4]}
    """
    is_array = isinstance(rows, np.ndarray) and rows.ndim == 2 and rows.dtype.kind in "iuO"
    listed: list[Any] | None = [tuple(row) for row in rows.tolist()] if is_array else None
    if listed is None and is_iterable(rows) and not isinstance(rows, Mapping | set | frozenset):
        # Sparse matrices are Iterable and raise here.
        with suppress(TypeError, NotImplementedError):
            listed = list(rows)
    if listed is None:
        many = "queries" if kind == "query" else f"{kind}s"
        raise InputError(f"{many} must be a table, a file or tuples {form}, got {show_value(rows)}.")
    for position, row in enumerate(listed):
        if not isinstance(row, tuple | list) or len(row) != len(roles):
            raise InputError(
                f"{kind} {position} (counted from 0) must be {form}, got {show_value(row)}.{more}"
            )
    return Table({role: [row[place] for row in listed] for place, role in enumerate(roles)})


def _take(values: Any, rows: Array, *, had_gaps: bool) -> Any:
    """Return some fields of a column; whole numbers that gaps made floats are whole again."""
    if isinstance(values, list):
        taken = [values[row] for row in rows.tolist()]
        return [whole_float(value) for value in taken] if had_gaps else taken
    series = values.filter(np.isin(np.arange(len(values)), rows).tolist())
    if had_gaps and series.dtype.is_float():
        array = series.to_numpy()
        limit = 2 ** (np.finfo(array.dtype).nmant + 1) if array.dtype.kind == "f" else 0
        if len(array) and np.all(array == np.floor(array)) and np.all(np.abs(array) < limit):
            import narwhals as nw

            return series.cast(nw.Int64)
    return series


def read_table(
    path: str | PathLike[str],
    what: str = "a table",
    *,
    header: bool | Callable[[list[str]], bool] = True,
    delimiter: str | None = None,
    ids: Ids = None,
    name: str | None = None,
) -> Table:
    """Return the columns of a csv, tsv, txt (also .gz), Parquet or Arrow file.

    Parameters
    ----------
    path
        The file; one without an ending is text, such as a stream.
    what
        What is read, in messages.
    header
        Whether text begins with the names of the columns, or a function that says so, given the fields of the first
        line. Columns without names are named by their positions from 1.
    delimiter
        What separates the fields of text: the ending gives it, or the first line.
    ids
        As in `as_graph`.
    name
        The file in messages, if it is not its path.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "events.csv"
    >>> _ = path.write_text("source,target,time\\na,07,1\\nb,a,2.5\\n")
    >>> table = read_table(path)
    >>> table.ids("source", "target"), table.values("time")
    (['a', '07', 'b', 'a'], [1.0, 2.5])
    """
    file, shown = require_file(path), name or str(path)
    if file.suffix in TYPED:
        if delimiter is not None:
            raise InputError(
                f"{option('delimiter', delimiter)} has no meaning for {shown}, which is no text. Leave it out."
            )
        with open_file(file) as stream, arrow_columns(stream, shown, TYPED[file.suffix]) as (names, select):
            check_header(shown, names)
            frame = checked_frame(select(names))
        return Table({each: frame.get_column(each) for each in names}, shown, id_kind=ids)
    ending = Path(file.stem).suffix if file.suffix == ".gz" else file.suffix
    if name is None and ending not in (".csv", ".tsv", ".txt"):
        raise InputError(f"{what} is read from .csv, .tsv (also .gz), .parquet or .arrow, got {str(path)!r}.")
    with require_unchanged(file), open_file(file) as stream:
        text = b"".join(map(chunk_bytes, plain_chunks(stream, shown)))
    for mark, needed in _NOT_TEXT.items():
        if text.startswith(mark):
            raise FileError(f"{shown} is not text. Give a file that ends in {needed}.")
    return text_columns(text, shown, ending, header=header, delimiter=delimiter, ids=ids)


def text_columns(
    text: bytes,
    name: str,
    ending: str,
    *,
    header: bool | Callable[[list[str]], bool] = True,
    delimiter: str | None = None,
    ids: Ids = None,
) -> Table:
    """Return the columns of a text; without a delimiter the ending of the file gives it, or the first line.

    Without a header the names of the columns are their positions from 1, as text.
    """
    first = text.lstrip(b"\r\n").partition(b"\n")[0]
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\n\r ' or not delimiter.isascii()):
        raise InputError(
            f"the {option('delimiter')} of a table with a header must be one character other than a quote or a blank, "
            f"got {show_value(delimiter)}. Leave it out for commas."
        )
    if delimiter is None and ending not in (".csv", ".tsv") and b"\t" in first and b"," in first:
        raise FileError(f"the first line of {name} has both tabs and commas. Save it as .csv or .tsv.")
    tabs = ending == ".tsv" or (ending != ".csv" and b"\t" in first)
    layout = Layout(delimiter or ("\t" if tabs else ","), "", "")
    records, fault = _native.first_records(text, len(text) + 1, True, layout.delimiter, "", "")
    if fault[0]:
        raise fault_error(name, fault, layout, 0)
    names: list[str] = reject_undecodable(records[0], text, name) if records else []
    has_names = header if isinstance(header, bool) else header(names)
    if has_names:
        check_header(name, names)
    else:
        names = [str(place) for place in range(1, len(names) + 1)]
    wrong = next((place for place, fields in enumerate(records) if len(fields) != len(names)), None)
    if wrong is not None:
        raise FileError(
            f"{name}, record {wrong + 1:,}: expected {len(names)} fields, got {len(records[wrong])}."
            f"{delimiter_hint(names)}"
        )
    columns = {each: [fields[place] for fields in records[has_names:]] for place, each in enumerate(names)}
    return Table(columns, name, (text, replace(layout, skip=int(has_names), num_fields=len(names))), ids)


def check_header(name: str, header: list[str]) -> None:
    """Raise unless a table begins with names of columns, each once."""
    if not header or "" in header or len(set(header)) < len(header):
        raise FileError(
            f"{name} must begin with the names of its columns, each once, got {show_value(header[:9])}."
        )


def number_in(text: str) -> int | None:
    """Return the whole number that a text spells, by the rule for ids of a graph file; None if it spells none.

    >>> number_in("17"), number_in("-3"), number_in("1e3"), number_in("007"), number_in("1234567890123456789")
    (17, -3, None, None, 1234567890123456789)
    """
    return int(text) if WHOLE.fullmatch(text) else None


def as_numbers(texts: list[str], *, floats: bool = True) -> list[Any]:
    """Return texts as whole numbers, or as floats, if every one of them is one; leading zeros make them codes.

    >>> as_numbers(["1", "2"]), as_numbers(["1", "2.5"]), as_numbers(["1", "02"]), as_numbers(["1", "nan"])
    ([1, 2], [1.0, 2.5], ['1', '02'], ['1', 'nan'])
    """
    if all(map(WHOLE.fullmatch, texts)):
        return list(map(int, texts))
    return list(map(exact_number, texts)) if floats and all(map(is_number, texts)) else texts
