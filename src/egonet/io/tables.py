"""Edge tables in files of Apache Arrow: Parquet, Feather and IPC streams."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from egonet.errors import FileError, InputError, require_extra
from egonet.graph.dataframes import as_frame, from_frame
from egonet.graph.graph import Graph
from egonet.graph.input_options import InputOptions, choose_columns, named_ends
from egonet.io.byte_streams import is_file
from egonet.io.limits import first_line, refuse_bomb, refuse_long
from egonet.kernel.native import available_cores


def read_parquet(stream: BinaryIO, name: str, options: InputOptions) -> Graph:
    """Return the graph of two columns of a Parquet file; other columns are not read."""
    pyarrow = require_extra("pyarrow", "Reading Parquet", extra="io")
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(stream, page_checksum_verification=True)
        refuse_long(parquet_rows(file.metadata, name), stream, name)

        def select(names: list[str]) -> Any:
            refuse_bomb(parquet_bytes(file.metadata), stream, name)
            # Strings stay dictionary-encoded until the size of the decoded column is known.
            strings = [
                end for end in names if str(file.schema_arrow.field(end).type) in ("string", "large_string")
            ]
            coded = read_groups(stream, file.metadata, names, strings)
            refuse_bomb(sum(decoded_bytes(coded.column(end)) for end in names), stream, name)
            return coded

        return from_columns(file.schema_arrow.names, select, name, options)
    except (pyarrow.ArrowException, OSError, MemoryError, UnicodeDecodeError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{name} is not a Parquet file that can be read: {first_line(error)}") from error


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

    # pyarrow itself reads the columns of one row group after another in parallel, which are two here.
    with ThreadPoolExecutor(threads) as pool:
        return pyarrow.concat_tables(pool.map(read_one, range(metadata.num_row_groups)))


def read_arrow(stream: BinaryIO, name: str, options: InputOptions) -> Graph:
    """Return the graph of two columns of an Arrow file (Feather is the same) or stream."""
    pyarrow = require_extra("pyarrow", "Reading Arrow", extra="io")
    from pyarrow import ipc

    try:
        magic = stream.read(6)
        stream.seek(0)
        open_ = ipc.open_file if magic == b"ARROW1" else ipc.open_stream
        table = open_(stream).read_all()
        refuse_long(table.num_rows, stream, name)
        return from_columns(table.column_names, table.select, name, options)
    except (pyarrow.ArrowException, OSError, MemoryError, UnicodeDecodeError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{name} is not an Arrow file that can be read: {first_line(error)}") from error


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


def from_columns(
    columns: list[str], select: Callable[[list[str]], Any], name: str, options: InputOptions
) -> Graph:
    """Return the graph of a table; `select` reads the columns of some names."""
    try:
        ends = choose_columns(columns, *named_ends(columns, options.source, options.target))
        kept = [name for name in options.keep or () if name in columns]
        table = select(list(dict.fromkeys([*ends, *kept])))
        table.validate(full=True)  # a damaged file may point outside its memory
        frame = as_frame(table)
        if frame is None:
            raise InputError("the table cannot be read.")
        named = replace(options, source=ends[0], target=ends[1])
        return from_frame(frame, named, weights_ignored=len(columns) > len({*ends, *kept}))
    except InputError as error:
        raise error if isinstance(error, FileError) else FileError(f"{name}: {error}") from error
