"""Pairs of node ids in files: the two columns of a table, every row kept, in order."""

from os import PathLike
from typing import Any, BinaryIO

import numpy as np

from egonet import _native
from egonet.errors import FileError, InputError, require_extra
from egonet.graph.dataframes import as_frame, as_ids, interleave
from egonet.graph.ids import Flat
from egonet.graph.input_options import InputOptions, choose_columns, named_ends
from egonet.io.edgelist import (
    TextOptions,
    fault_error,
    look_ahead,
    marked,
    number_ids,
    plain_chunks,
    warn_trimmed,
)
from egonet.io.limits import first_line, refuse_long
from egonet.io.read import DELIMITERS, existing, format_of, opened, unchanged
from egonet.kernel.native import available_cores


def read_pairs(
    path: str | PathLike[str],
    *,
    source: str | int | None = None,
    target: str | int | None = None,
    header: bool | None = None,
    format: str | None = None,  # noqa: A002 — the name users know from other readers
) -> Flat:
    """Return the ids in two columns of a table, one after another: u, v, u, v, ...

    The file is csv, tsv, text, Parquet or Arrow. The columns are found as in `read_graph`; of two columns any names
    are accepted.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "pairs.csv"
    >>> _ = path.write_text("source,target\\na,c\\na,c\\nb,a\\n")
    >>> read_pairs(path).tolist()
    ['a', 'c', 'a', 'c', 'b', 'a']
    """
    file = existing(path)
    kind = format_of(file, format)
    if kind not in (*DELIMITERS, "parquet", "arrow"):
        raise InputError(f"pairs are read from csv, tsv, text, Parquet or Arrow, got {kind}.")
    with unchanged(file), opened(file) as stream:
        if kind in DELIMITERS:
            text = TextOptions(DELIMITERS[kind], header)
            return _text_pairs(stream, file.name, InputOptions(source, target), text)
        return _arrow_pairs(stream, file.name, kind, (source, target))


def _text_pairs(stream: BinaryIO, name: str, options: InputOptions, text: TextOptions) -> Flat:
    """Return the ids of two columns of a text."""
    threads = available_cores()
    chunks = plain_chunks(stream, name, threads)
    head, layout = look_ahead(chunks, name, (options.source, options.target), text)
    parser = _native.EdgeText(**vars(layout))
    for chunk, last in marked(head, chunks):
        if not parser.feed(chunk, last, threads):
            raise fault_error(name, parser.fault, layout, parser.num_found)
    if parser.num_trimmed:
        warn_trimmed(parser, name)
    source, target, ids = number_ids(parser, name, options)
    every: Flat = (
        np.empty(0, dtype=np.int64) if ids is None else ids[np.stack([source, target], axis=1).reshape(-1)]
    )
    return every


def _arrow_pairs(stream: BinaryIO, name: str, kind: str, ends: tuple[Any, Any]) -> Flat:
    """Return the ids of two columns of a Parquet or Arrow file."""
    pyarrow = require_extra("pyarrow", "Reading Parquet", extra="io")
    from pyarrow import feather, parquet

    try:
        table = parquet.read_table(stream) if kind == "parquet" else feather.read_table(stream)
        refuse_long(table.num_rows, stream, name)
        columns = list(table.column_names)
        first, second = choose_columns(columns, *named_ends(columns, *ends), only_two=True)
        chosen = table.select([first, second])
        chosen.validate(full=True)
        frame = as_frame(chosen)
        if frame is None:
            raise InputError("the table cannot be read.")
        ids = [as_ids(frame.get_column(end)) for end in (first, second)]
        return interleave(ids[0], ids[1], (first, second))[0]
    except InputError as error:
        raise error if isinstance(error, FileError) else FileError(f"{name}: {error}") from error
    except (pyarrow.ArrowException, OSError, MemoryError, UnicodeDecodeError) as error:
        raise FileError(f"{name} is not a table that can be read: {first_line(error)}") from error
