"""Parquet files whose row groups are encoded by several threads: pyarrow encodes the columns of a file one by one.

Every row group is encoded as a file in memory. The pages of these files are written one after another, and a footer
with the row groups of all of them, moved to where their pages are, makes them one file. The footer is a structure of
Thrift's compact protocol, of which only the fields of the format that are positions are changed.
"""

import struct
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from egonet.kernel.native import available_cores

if TYPE_CHECKING:
    import pyarrow

#: The most rows of a row group that pyarrow writes, and what a row group holds at most: values of all columns.
MAX_ROWS, MAX_VALUES = 1 << 20, 1 << 25
MAGIC = b"PAR1"
#: Types of the compact protocol.
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT, UUID = range(1, 14)
#: The fields of a structure by number: type and value. A list is its type and values.
Fields: TypeAlias = dict[int, tuple[int, Any]]
#: Fields by their numbers in the format: of the file, of a row group, of a column in it, and of that column's metadata.
NUM_ROWS, ROW_GROUPS = 3, 4
COLUMNS, GROUP_POSITION, ORDINAL = 1, 5, 7
COLUMN_METADATA, COLUMN_POSITIONS = 3, (2, 4, 6)
PAGE_POSITIONS = (9, 10, 11, 14)


def write_row_groups(
    stream: BinaryIO, tables: Iterable["Callable[[], pyarrow.Table]"], **options: Any
) -> None:
    """Write the tables that functions return as the row groups of a Parquet file, made and encoded by several threads.

    The bytes are the same for any number of threads. `options` are those of `pyarrow.parquet.write_table`; a table has
    at most `MAX_ROWS` rows, and there is at least one, which may be empty.

    >>> import io, pyarrow
    >>> from pyarrow import parquet
    >>> stream = io.BytesIO()
    >>> write_row_groups(stream, [lambda: pyarrow.table({"a": [1, 2]}), lambda: pyarrow.table({"a": [3]})])
    >>> parquet.read_table(stream).to_pydict(), parquet.ParquetFile(stream).num_row_groups
    ({'a': [1, 2, 3]}, 2)
    """
    footer: Fields = {}
    groups: list[Fields] = []
    position = stream.write(MAGIC)
    for data, one in _encode_in_threads(tables, options):
        footer = footer or one
        for group in one[ROW_GROUPS][1][1]:
            _move(group, position - len(MAGIC), len(groups))
            groups.append(group)
        position += stream.write(data)
    footer[NUM_ROWS] = (I64, sum(group[NUM_ROWS][1] for group in groups))
    footer[ROW_GROUPS] = (LIST, (STRUCT, groups))
    written = bytearray()
    _put_fields(written, footer)
    stream.write(written + struct.pack("<I", len(written)) + MAGIC)


def slices(table: "pyarrow.Table") -> "Iterator[Callable[[], pyarrow.Table]]":
    """Yield functions that return the parts of a table that become row groups."""
    size = rows_per_group(table.num_columns)
    for first in range(0, max(len(table), 1), size):
        yield partial(table.slice, first, size)


def rows_per_group(num_columns: int, most: int = MAX_ROWS) -> int:
    """Return how many rows a row group of so many columns has, so that it fits in the memory of a thread.

    >>> rows_per_group(1), rows_per_group(100), rows_per_group(2000)
    (1048576, 335544, 16777)
    """
    return max(1, min(most, MAX_VALUES // max(num_columns, 1)))


def _encode_in_threads(
    tables: "Iterable[Callable[[], pyarrow.Table]]", options: dict[str, Any]
) -> Iterator[tuple[memoryview, Fields]]:
    """Yield the pages and the footer of every table in order; a few are encoded ahead."""
    threads = available_cores()
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[tuple[memoryview, Fields]]] = deque()
        try:
            for table in tables:
                waiting.append(pool.submit(_encode, table, options))
                if len(waiting) > threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # after an error nothing else is begun
            for each in waiting:
                each.cancel()


def _encode(make: "Callable[[], pyarrow.Table]", options: dict[str, Any]) -> tuple[memoryview, Fields]:
    """Return the pages and the footer of a Parquet file with one row group."""
    import pyarrow
    from pyarrow import parquet

    table, sink = make(), pyarrow.BufferOutputStream()
    parquet.write_table(table, sink, row_group_size=max(len(table), 1), **options)
    file = memoryview(sink.getvalue())
    begin = len(file) - 8 - int.from_bytes(file[-8:-4], "little")
    return file[len(MAGIC) : begin], _Reader(bytes(file[begin:-8])).take_fields()


def _move(group: Fields, shift: int, number: int) -> None:
    """Move the positions of a row group by some bytes, and number it; 0 stands for a position that is not set."""
    _shift(group, (GROUP_POSITION,), shift)
    if ORDINAL in group:
        group[ORDINAL] = (I16, number)
    for column in group[COLUMNS][1][1]:
        _shift(column, COLUMN_POSITIONS, shift)
        _shift(column[COLUMN_METADATA][1], PAGE_POSITIONS, shift)


def _shift(fields: Fields, names: tuple[int, ...], shift: int) -> None:
    for name in names:
        if name in fields and fields[name][1] > 0:
            fields[name] = (I64, fields[name][1] + shift)


class _Reader:
    """The structures in bytes of the compact protocol, read from start to end."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def take_fields(self) -> Fields:
        """Return the fields of a structure."""
        fields: Fields = {}
        name = 0
        while head := self._take_byte():
            name = name + (head >> 4) if head >> 4 else self._take_signed()
            kind = head & 15
            fields[name] = (kind, kind == TRUE if kind in (TRUE, FALSE) else self._take(kind))
        return fields

    def _take(self, kind: int) -> Any:
        if kind in (I16, I32, I64):
            return self._take_signed()
        if kind == BINARY:
            return self._take_bytes(self._take_number())
        if kind == STRUCT:
            return self.take_fields()
        if kind in (LIST, SET):
            head = self._take_byte()
            size = head >> 4 if head >> 4 < 15 else self._take_number()
            return head & 15, [self._take(head & 15) for _ in range(size)]
        # A logical value in a list has a byte like any other; the format has no maps.
        return self._take_bytes({TRUE: 1, FALSE: 1, BYTE: 1, DOUBLE: 8, UUID: 16}[kind])

    def _take_byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1]

    def _take_bytes(self, size: int) -> bytes:
        self.place += size
        return self.data[self.place - size : self.place]

    def _take_number(self) -> int:
        number = shift = 0
        while (byte := self._take_byte()) & 128:
            number |= (byte & 127) << shift
            shift += 7
        return number | byte << shift

    def _take_signed(self) -> int:
        number = self._take_number()
        return number >> 1 ^ -(number & 1)


def _put_fields(data: bytearray, fields: Fields) -> None:
    """Append a structure in the compact protocol; the names of fields rise."""
    last = 0
    for name, (kind, value) in sorted(fields.items()):
        if name - last < 16:
            data.append(name - last << 4 | kind)
        else:
            data.append(kind)
            _put_signed(data, name)
        last = name
        if kind not in (TRUE, FALSE):
            _put(data, kind, value)
    data.append(0)


def _put(data: bytearray, kind: int, value: Any) -> None:
    if kind in (I16, I32, I64):
        _put_signed(data, value)
    elif kind == STRUCT:
        _put_fields(data, value)
    elif kind in (LIST, SET):
        inner, values = value
        data.append(min(len(values), 15) << 4 | inner)
        if len(values) >= 15:
            _put_number(data, len(values))
        for each in values:
            _put(data, inner, each)
    else:
        if kind == BINARY:
            _put_number(data, len(value))
        data += value


def _put_number(data: bytearray, number: int) -> None:
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    data.append(number)


def _put_signed(data: bytearray, number: int) -> None:
    _put_number(data, number << 1 ^ number >> 63)
