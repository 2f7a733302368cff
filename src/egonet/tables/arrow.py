"""Tables: graphs from Parquet, Feather and Arrow files, and named columns of text by the rules of the graph reader."""

import csv
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

import numpy as np

from egonet import _native
from egonet.errors import FileError, InputError, option, require_extra
from egonet.graph.columns import DIGITS, WHOLE, exact_number, is_number, named_columns
from egonet.graph.graph import Graph
from egonet.graph.index import as_text_ids, is_missing, show, whole_float
from egonet.graph.input_options import Ids, InputOptions, choose_columns, named_ends, warn_dropped
from egonet.io.byte_streams import is_file, reject_undecodable
from egonet.io.limits import first_line, reject_bomb, reject_long
from egonet.kernel.native import available_cores
from egonet.tables.frames import as_frame, from_frame
from egonet.tables.text import MISSING, Layout, fault_error, number_ids, warn_trimmed

if TYPE_CHECKING:
    import narwhals as nw


#: The columns of a table, and a function that reads those of some names.
Columns: TypeAlias = tuple[list[str], Callable[[list[str]], Any]]


@contextmanager
def arrow_columns(stream: BinaryIO, name: str, kind: str) -> Iterator[Columns]:
    """Open a Parquet or Arrow file; every error about it, also inside the block, is a FileError."""
    title = "a Parquet" if kind == "parquet" else "an Arrow"
    pyarrow = require_extra("pyarrow", f"Reading {title.split()[1]}", extra="io")
    try:
        yield _open_parquet(stream, name) if kind == "parquet" else _open_arrow(stream, name)
    except InputError as error:
        raise error if isinstance(error, FileError) else FileError(f"{name}: {error.marked}") from error
    except (pyarrow.ArrowException, OSError, MemoryError, UnicodeDecodeError) as error:
        raise FileError(f"{name} is not {title} file that can be read: {first_line(error)}") from error


def _open_parquet(stream: BinaryIO, name: str) -> Columns:
    """Return the columns of a Parquet file; those that are not selected are not read."""
    from pyarrow import parquet

    file = parquet.ParquetFile(stream, page_checksum_verification=True)
    reject_long(parquet_rows(file.metadata, name), stream, name)

    def select(names: list[str]) -> Any:
        reject_bomb(parquet_bytes(file.metadata), stream, name)
        # Strings stay dictionary-encoded until the size of the decoded column is known.
        kinds = {end: str(file.schema_arrow.field(end).type) for end in names}
        strings = [end for end, kind in kinds.items() if kind in ("string", "large_string")]
        coded = read_groups(stream, file.metadata, names, strings)
        reject_bomb(sum(decoded_bytes(coded.column(end)) for end in names), stream, name)
        return coded

    return file.schema_arrow.names, select


def _open_arrow(stream: BinaryIO, name: str) -> Columns:
    """Return the columns of an Arrow file (Feather is the same) or stream."""
    from pyarrow import ipc

    magic = stream.read(6)
    stream.seek(0)
    table = (ipc.open_file if magic == b"ARROW1" else ipc.open_stream)(stream).read_all()
    reject_long(table.num_rows, stream, name)
    return table.column_names, table.select


def checked_frame(table: Any) -> "nw.DataFrame[Any]":
    """Return an Arrow table as a data frame, validated: a damaged file may point outside its memory."""
    table.validate(full=True)
    frame = as_frame(table)
    if frame is None:
        raise InputError("the table cannot be read.")
    return frame


def read_table_graph(kind: str, stream: BinaryIO, name: str, options: InputOptions) -> Graph:
    """Return the graph of two columns of a Parquet or Arrow file."""
    with arrow_columns(stream, name, kind) as (columns, select):
        ends = choose_columns(columns, *named_ends(columns, options.source, options.target))
        kept = named_columns(options.keep or (), columns)
        frame = checked_frame(select(list(dict.fromkeys([*ends, *kept.values()]))))
        keep = None if options.keep is None else tuple(kept.values())
        named = replace(options, source=ends[0], target=ends[1], keep=keep)
        graph = from_frame(frame, named, weights_ignored=len(columns) > len({*ends, *kept.values()}))
        table = graph.edge_table
        if table is None:
            return graph
        values = {given: table.columns[name] for given, name in kept.items()}
        return graph.with_table(replace(table, columns=values))


def read_groups(stream: BinaryIO, metadata: Any, names: list[str], strings: list[str]) -> Any:
    """Return columns of a Parquet file, `strings` dictionary-encoded; the row groups of a file are read in parallel."""
    import pyarrow
    from pyarrow import parquet

    def read(source: Any, group: int | None = None) -> Any:
        file = parquet.ParquetFile(
            source, metadata=metadata, read_dictionary=strings, page_checksum_verification=True
        )
        return file.read(columns=names) if group is None else file.read_row_group(group, columns=names)

    threads = min(available_cores(), metadata.num_row_groups)
    path = getattr(stream, "name", None)
    if threads < 2 or not isinstance(path, str | Path) or not is_file(stream):
        return read(stream)

    def read_one(group: int) -> Any:
        with pyarrow.OSFile(str(path)) as source:
            return read(source, group)

    # pyarrow reads only the columns of a row group in parallel, and here there are two of them.
    with ThreadPoolExecutor(threads) as pool:
        return pyarrow.concat_tables(pool.map(read_one, range(metadata.num_row_groups)))


def parquet_rows(metadata: Any, name: str) -> int:
    """Return the number of rows in the metadata of a Parquet file; its row groups must agree."""
    groups = sum(int(metadata.row_group(group).num_rows) for group in range(metadata.num_row_groups))
    if groups != metadata.num_rows:
        raise FileError(
            f"{name} claims {metadata.num_rows:,} rows, but {groups:,} in its row groups. The file is damaged."
        )
    return groups


def parquet_bytes(metadata: Any) -> int:
    """Return the unpacked size of a Parquet file according to its row groups.

    The metadata of columns is not read: pyarrow aborts the process if it is damaged.
    """
    return sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))


def decoded_bytes(column: Any) -> int:
    """Return the decoded size in bytes of a dictionary-encoded column of strings."""
    from pyarrow import compute, types

    if not types.is_dictionary(column.type):
        return 0
    size = 0
    for chunk in column.chunks:
        lengths = compute.binary_length(chunk.dictionary)
        size += compute.sum(lengths.take(chunk.indices)).as_py() or 0
    return size


@dataclass(frozen=True)
class ColumnTable:
    """The columns of a file.

    Attributes
    ----------
    name
        The file, in messages.
    columns
        Name to fields: text without the blanks around it, or the values of Parquet and Arrow.
    text
        The text of the file, and how it is split into fields; None for Parquet and Arrow, which have types.
    id_kind
        "text" reads all ids as text; None keeps their types.
    """

    name: str
    columns: dict[str, list[Any]]
    text: tuple[bytes, Layout] | None
    id_kind: Ids = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def complete(self, names: Iterable[str]) -> "ColumnTable":
        """Return the table without the rows that have no value in one of some columns; they are counted in a warning.

        >>> table = text_columns(b"node,time\\na,1\\n,2\\nb,NULL\\n", "queries.csv", ".csv")
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     table.complete(["node", "time"]).columns
        {'node': ['a'], 'time': ['1']}
        """
        lost = {
            row
            for name in names
            for row, value in enumerate(self.columns[name])
            if (value in MISSING if self.text is not None else is_missing(value))
        }
        if not lost:
            return self
        warn_dropped(len(lost))
        columns = {
            name: [whole_float(value) for row, value in enumerate(values) if row not in lost]
            for name, values in self.columns.items()
        }
        if self.text is None:
            return replace(self, columns=columns)
        has_names = bool(self.text[1].skip)
        written = StringIO()
        lines = csv.writer(written, lineterminator="\n")
        lines.writerows([columns] if has_names else [])
        lines.writerows(zip(*columns.values(), strict=True))
        text = written.getvalue().encode("utf-8", "surrogateescape")
        return text_columns(text, self.name, ".csv", header=has_names, ids=self.id_kind)

    def ids(self, *names: str) -> list[Any]:
        """Return the node ids in one column, or in two row by row; ids in text are numbers if all of them are."""
        if self.text is None:
            flat = [node for row in zip(*map(self.columns.__getitem__, names), strict=True) for node in row]
            return flat if self.id_kind is None else list(as_text_ids(flat))
        text, layout = self.text
        places = [list(self.columns).index(name) for name in names]
        layout = replace(layout, source=places[0], target=places[-1])
        if len(names) == 2 and layout.skip:
            layout = replace(layout, header_source=names[0], header_target=names[1])
        parser = _native.EdgeText(**vars(layout))
        if not parser.feed(text, True, available_cores()):
            raise fault_error(self.name, parser.fault, layout, parser.num_found)
        warn_trimmed(parser, self.name, num_columns=len(names))
        *ends, ids = number_ids(parser, self.name, InputOptions(ids=self.id_kind))
        rows = np.stack(ends[: len(names)], axis=1).reshape(-1)
        return [] if ids is None else ids[rows].tolist()

    def known_ids(self, name: str, known: Iterable[Any]) -> list[Any]:
        """Return the node ids in a column; ids in text get the type that they have among the `known` ones."""
        ids, known = self.ids(name), set(known.tolist() if isinstance(known, np.ndarray) else known)
        if self.text is None:
            return ids
        for row, node in enumerate(ids):
            twin = number_in(node) if isinstance(node, str) else str(node)
            if twin in known and node in known:
                raise FileError(
                    f"{self.name}: {show(node)} may be a number or a string, and there are nodes of both ids. "
                    "Save the table as .parquet."
                )
            if twin in known:
                ids[row] = twin
        return ids

    def fields(self, name: str) -> list[Any]:
        """Return a column as it is: text in a text file, so that one cell does not change the type of the others."""
        column = self.columns[name]
        return column if self.text is None else reject_undecodable(column, self.text[0], self.name)

    def labels(self, name: str) -> list[Any]:
        """Return a column of labels; raise if some are missing."""
        column = self.fields(name)
        lost = [
            row
            for row, value in enumerate(column)
            if (value in MISSING if self.text is not None else is_missing(value))
        ]
        if lost:
            raise FileError(
                f"{self.name}: column {name!r} must have a label in every row, {len(lost):,} of {len(column):,} have "
                f"none, first in row {lost[0] + 1:,} below the header. Fill them in, or set "
                f"{option('missing', 'drop')}."
            )
        return column

    def values(self, name: str, *, floats: bool = True) -> list[Any]:
        """Return a column as numbers if all of its fields are, by `as_numbers`."""
        column = self.fields(name)
        return column if self.text is None else as_numbers(column, floats=floats)

    def numbers(self, name: str) -> list[Any]:
        """Return a column of numbers; raise for text that is none, with the first such row."""
        values = self.values(name)
        if self.text is not None and values and isinstance(values[0], str):
            wrong = [row for row, text in enumerate(values) if not is_number(text)]
            is_code = DIGITS.fullmatch(values[wrong[0]]) is not None
            way_out = "Remove its leading zeros." if is_code else "Drop the row or fill it in."
            raise FileError(
                f"{self.name}: column {name!r} must have a finite number in every row, {len(wrong):,} of "
                f"{len(values):,} have none, first {show(values[wrong[0]])} in row {wrong[0] + 1:,} below the header. "
                f"{way_out}"
            )
        return values

    def times(self, name: str) -> list[Any]:
        """Return a column of times: numbers if at least half of its fields are, else text such as dates."""
        values = self.values(name)
        if self.text is None or not values or not isinstance(values[0], str):
            return values
        empty = [row for row, text in enumerate(values) if text in MISSING]
        if empty:
            raise FileError(
                f"{self.name}: column {name!r} must have a time in every row, {len(empty):,} of {len(values):,} "
                f"have none, first in row {empty[0] + 1:,} below the header. Fill them in, or set "
                f"{option('missing', 'drop')}."
            )
        return self.numbers(name) if 2 * sum(map(is_number, values)) >= len(values) else values


def text_columns(
    text: bytes,
    name: str,
    ending: str,
    *,
    header: bool = True,
    delimiter: str | None = None,
    ids: Ids = None,
) -> ColumnTable:
    """Return the columns of a text; without a delimiter the ending of the file gives it, or the first line.

    Without a header the names of the columns are their positions from 1, as text.
    """
    first = text.lstrip(b"\r\n").partition(b"\n")[0]
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\n\r ' or not delimiter.isascii()):
        raise InputError(
            f"the {option('delimiter')} of a table with a header must be one character other than a quote or a blank, "
            f"got {show(delimiter)}. Leave it out for commas."
        )
    if delimiter is None and ending not in (".csv", ".tsv") and b"\t" in first and b"," in first:
        raise FileError(f"the first line of {name} has both tabs and commas. Save it as .csv or .tsv.")
    tabs = ending == ".tsv" or (ending != ".csv" and b"\t" in first)
    layout = Layout(delimiter or ("\t" if tabs else ","), "", "", skip=int(header))
    records, fault = _native.first_records(text, len(text) + 1, True, layout.delimiter, "", "")
    if fault[0]:
        raise fault_error(name, fault, layout, 0)
    names: list[str] = reject_undecodable(records[0], text, name) if records else []
    if header:
        check_header(name, names)
    else:
        names = [str(place) for place in range(1, len(names) + 1)]
    wrong = next((place for place, fields in enumerate(records) if len(fields) != len(names)), None)
    if wrong is not None:
        raise FileError(
            f"{name}, record {wrong + 1:,}: expected {len(names)} fields, got {len(records[wrong])}."
        )
    columns = {each: [fields[place] for fields in records[header:]] for place, each in enumerate(names)}
    return ColumnTable(name, columns, (text, replace(layout, num_fields=len(names))), ids)


def check_header(name: str, header: list[str]) -> None:
    """Raise unless a table begins with names of columns, each once."""
    if not header or "" in header or len(set(header)) < len(header):
        raise FileError(
            f"{name} must begin with the names of its columns, each once, got {show(header[:9])}."
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
