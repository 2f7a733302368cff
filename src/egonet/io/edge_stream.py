"""Edge lists read in chunks: ids are numbered as they are read, and the edges are never all in memory."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from egonet import _native
from egonet.errors import FileError, InputError, require_extra
from egonet.graph.index import ID_RULE
from egonet.graph.input_options import choose_columns, named_ends
from egonet.io.byte_streams import mark_last
from egonet.io.limits import first_line, reject_long
from egonet.io.paths import DELIMITERS, format_of, open_file
from egonet.kernel.native import available_cores
from egonet.tables.arrow import parquet_rows
from egonet.tables.text import (
    TextOptions,
    decode_ids,
    fault_error,
    look_ahead,
    plain_chunks,
    warn_trimmed,
)
from egonet.typing import Array, Int32s, Int64s

#: The formats that can be read in chunks.
STREAMED = ("csv", "tsv", "text", "parquet")
BATCH = 1 << 18
BEYOND = (
    "{}: whole numbers beyond 2**63 cannot be read in chunks. Read the file into memory first, "
    "egonet.store.encode(egonet.read_graph(path), ...), or write them as names."
)
#: Bytes of a column read at a time, for row groups of any size.
_BUFFER = 1 << 20
#: None means that everything before it is invalid and will be repeated.
Chunks: TypeAlias = Iterator[Int32s | None]


@dataclass
class EdgeStream:
    """An edge list that is read once, from start to end.

    Attributes
    ----------
    path
        The file.
    source, target, header
        The two columns, and whether the file has a header, as in `read_graph`.
    threads
        The number of threads; 0 is one per core.
    ids
        After reading: int64 ids by number, or offsets and UTF-8 bytes of names by number.
    has_extra
        After reading: whether there are other columns.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "edges.txt"
    >>> _ = path.write_text("7 9\\n9 8\\n")
    >>> stream = EdgeStream(path)
    >>> [chunk.tolist() for chunk in stream.chunks()], stream.ids.tolist()
    ([[0, 1, 1, 2]], [7, 9, 8])
    """

    path: Path
    source: str | int | None = None
    target: str | int | None = None
    header: bool | None = None
    threads: int = 0
    ids: Int64s | tuple[Int64s, Array] | None = None
    has_extra: bool = False
    _rows_are_ids: bool = False

    def chunks(self) -> Chunks:
        """Yield int32 arrays of node numbers: source, target, source, target ...."""
        kind = format_of(self.path, None)
        if kind not in STREAMED:
            raise InputError(
                f"{self.path.name} cannot be read in chunks. Store it as one of {', '.join(STREAMED)}."
            )
        yield from self._read(kind)
        if self.path.is_file() and self._are_rows():  # such a file is read twice
            yield None
            self._rows_are_ids = True
            yield from self._read(kind)

    def _read(self, kind: str) -> Chunks:
        return self._parquet() if kind == "parquet" else self._text(DELIMITERS[kind])

    @property
    def num_threads(self) -> int:
        """Return the number of threads that number ids."""
        return self.threads or available_cores()

    @property
    def num_ids(self) -> int:
        """Return the number of ids that are numbers."""
        return len(self.ids) if isinstance(self.ids, np.ndarray) else 0

    def _are_rows(self) -> bool:
        """Return whether the ids are 0 ... n - 1 in another order: then the rows follow the ids."""
        ids = self.ids
        if not isinstance(ids, np.ndarray) or not len(ids):
            return False
        return bool(ids.min() == 0 and ids.max() == len(ids) - 1 and np.any(ids[1:] < ids[:-1]))

    def _number(self, numbers: Any, values: Int64s) -> Int32s:
        """Return the number of every id, which is the id itself if ids are rows."""
        if self._rows_are_ids:
            return values.astype(np.int32)
        codes: Int32s = numbers.number(values, self.num_threads)
        return codes

    def _text(self, delimiter: str) -> Chunks:
        try:
            yield from self._text_once(delimiter, names=False)
        except _NamesAppeared:
            # Only a file with names after megabytes of whole numbers is read twice.
            yield None
            yield from self._text_once(delimiter, names=True)

    def _text_once(self, delimiter: str, *, names: bool) -> Chunks:
        name, numbers, threads = self.path.name, _native.Numbers(), self.num_threads
        with open_file(self.path) as stream:
            chunks = plain_chunks(stream, name)
            text = TextOptions(delimiter, self.header)
            head, layout = look_ahead(chunks, name, (self.source, self.target), text)
            parser = _native.EdgeText(**vars(layout))
            if names:
                parser.expect_names()
            for chunk, last in mark_last(head, chunks):
                if not parser.feed(chunk, last, threads):
                    raise fault_error(name, parser.fault, layout, parser.num_found, stream)
                if not parser.is_whole and len(numbers):
                    raise _NamesAppeared
                is_whole = parser.is_whole
                codes = self._number(numbers, parser.take_values()) if is_whole else parser.take_codes()
                if len(codes):
                    yield codes
        self.has_extra = parser.has_extra
        warn_trimmed(parser, name)
        if parser.is_whole:
            self.ids = np.arange(self.num_ids) if self._rows_are_ids else numbers.ids()
        elif parser.is_numeric:
            raise FileError(BEYOND.format(name))
        else:
            offsets, data = parser.name_parts()
            _check_text(parser, offsets, data, name)
            self.ids = offsets, data

    def _parquet(self) -> Chunks:
        pyarrow = require_extra("pyarrow", "Reading Parquet", extra="io")
        from pyarrow import parquet

        name = self.path.name
        try:
            with parquet.ParquetFile(self.path, buffer_size=_BUFFER, page_checksum_verification=True) as file:
                columns = file.schema_arrow.names
                ends = choose_columns(columns, *named_ends(columns, self.source, self.target))
                with self.path.open("rb") as stream:
                    reject_long(parquet_rows(file.metadata, name), stream, name)
                self.has_extra = len(columns) > 2
                is_whole = _is_whole(file.schema_arrow, ends, name)
                table = _native.Numbers() if is_whole else _native.Names()
                size = BATCH * min(max(self.num_threads // 2, 1), 8) if is_whole else BATCH
                row = 0
                # One call for all row groups would keep the buffers of all of them.
                groups = (
                    file.iter_batches(size, row_groups=[group], columns=list(dict.fromkeys(ends)))
                    for group in range(file.num_row_groups)
                )
                for batch in one_ahead(chain.from_iterable(groups)):
                    pair = [batch.column(end) for end in ends]
                    _reject_nulls(pair, ends, row, name)
                    row += len(batch)
                    yield _number(table, pair, name, self.num_threads, rows_are_ids=self._rows_are_ids)
        except (pyarrow.ArrowException, OSError) as error:
            raise FileError(f"{name} is not a Parquet file that can be read: {first_line(error)}") from error
        except InputError as error:
            raise error if isinstance(error, FileError) else FileError(f"{name}: {error.marked}") from error
        if self._rows_are_ids:
            self.ids = np.arange(self.num_ids)
        else:
            self.ids = table.ids() if isinstance(table, _native.Numbers) else table.parts()


def one_ahead(items: Iterable[Any]) -> Iterator[Any]:
    """Yield items in order; the next one is prepared by a second thread meanwhile.

    >>> list(one_ahead("abc"))
    ['a', 'b', 'c']
    """
    source, end = iter(items), object()
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, source, end)
        while (item := coming.result()) is not end:
            coming = pool.submit(next, source, end)
            yield item


class _NamesAppeared(Exception):  # noqa: N818 - not an error: the reader starts again
    """A name follows whole numbers that were already numbered."""


def _check_text(parser: Any, offsets: Int64s, data: Array, name: str) -> None:
    """Raise for names that are not UTF-8; only a batch that fails is checked name by name.

    Concatenated names may be valid UTF-8 although a character is split between two names: the second name then begins
    with a continuation byte.
    """
    for first in range(0, len(offsets) - 1, BATCH):
        last = min(first + BATCH, len(offsets) - 1)
        begins = data[offsets[first:last]]
        try:
            data[offsets[first] : offsets[last]].tobytes().decode()
        except UnicodeDecodeError:
            decode_ids(parser, name)
        if np.any((begins & 0xC0) == 0x80):
            decode_ids(parser, name)


def _is_whole(schema: Any, ends: tuple[str, str], name: str) -> bool:
    """Return whether both columns are whole numbers; raise unless they are or both are strings."""
    from pyarrow import types

    kinds = [schema.field(end).type for end in ends]
    if all(types.is_integer(kind) for kind in kinds):
        return True
    plain = [kind.value_type if types.is_dictionary(kind) else kind for kind in kinds]
    if all(types.is_string(kind) or types.is_large_string(kind) for kind in plain):
        return False
    got = " and ".join(map(str, kinds))
    raise FileError(f"{name}: both ends must be whole numbers or both strings, got {got}. Convert one.")


def _reject_nulls(pair: list[Any], ends: tuple[str, str], row: int, name: str) -> None:
    for column, end in zip(pair, ends, strict=True):
        if column.null_count:
            position = row + int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
            raise FileError(
                f"{name}: {ID_RULE}, got a missing value in row {position} of column {end!r} (counted from 0)."
                " Drop the row or fill it in."
            )


def _number(table: Any, pair: list[Any], name: str, threads: int, *, rows_are_ids: bool = False) -> Int32s:
    """Return the numbers of the ids of a batch: source, target, source, target ...."""
    import pyarrow

    if isinstance(table, _native.Numbers):
        try:
            whole_pair = [column.cast(pyarrow.int64()).to_numpy() for column in pair]
        except pyarrow.ArrowInvalid as error:
            raise FileError(BEYOND.format(name)) from error
        flat = np.stack(whole_pair, axis=1).reshape(-1)
        if rows_are_ids:
            return flat.astype(np.int32)
        numbers: Int32s = table.number(flat, threads)
        return numbers
    # Alternate the names of both columns.
    both = pyarrow.concat_arrays([column.cast(pyarrow.large_string()) for column in pair])
    order = np.arange(len(both)).reshape(2, -1).T.reshape(-1)
    text = both.take(pyarrow.array(order))
    offsets = np.frombuffer(text.buffers()[1], dtype=np.int64)[: len(text) + 1]
    if len(text) and not np.diff(offsets).all():
        raise FileError(f"{name}: {ID_RULE}, got an empty string. Drop the row or fill it in.")
    data = np.frombuffer(text.buffers()[2] or b"", dtype=np.uint8)
    codes: Int32s = table.number(offsets, data, threads)
    return codes
