"""Parquet, Feather and Arrow files: their columns, read without trusting them."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from egonet.errors import FileError, InputError, require_extra
from egonet.io.byte_streams import is_file
from egonet.io.limits import first_line, reject_bomb, reject_long
from egonet.kernel.native import available_cores
from egonet.tables.frames import as_frame

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
