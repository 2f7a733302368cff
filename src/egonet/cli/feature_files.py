"""Tables of features that `egonet encode -o` wrote, read back for `egonet show`."""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import typer

from egonet.cli.output import PREVIEW_ROWS, escaped, print_json
from egonet.errors import FileError, InputError, UnknownNodeError
from egonet.io.read import existing

SUFFIXES = (".parquet", ".arrow", ".csv", ".mtx")
#: How many feature names, and how many entries of a row, are shown.
_SHOWN = 6
#: The id of a row, and the features that are not zero.
Row: TypeAlias = tuple[Any, dict[str, Any]]


@dataclass(frozen=True)
class FeatureTable:
    """A table of features: its columns at once, its rows as they are read.

    Attributes
    ----------
    path
        The file.
    form
        "wide", "sparse" or "matrix".
    names
        The features.
    rows
        Every row, once.
    """

    path: Path
    form: str
    names: list[str]
    rows: Iterator[Row]


def is_table(path: Path) -> bool:
    """Return whether a path is to be read as a table, by its suffix."""
    return path.suffix in SUFFIXES and not path.is_dir()


def read_table(path: Path) -> FeatureTable:
    """Return the table in a file that `egonet encode -o` wrote.

    Raises
    ------
    FileError
        If the file is damaged, or holds something else, such as a graph.
    """
    existing(path)
    reader = {".csv": _read_csv, ".mtx": _read_matrix}.get(path.suffix, _read_arrow)
    try:
        return reader(path)
    except (UnicodeDecodeError, csv.Error, StopIteration, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise _other(path, "it is damaged or empty") from error


def print_table(table: FeatureTable, nodes: list[str], *, as_json: bool) -> None:
    """Print the rows of some nodes, or the size of a table, its first features and its first rows."""
    if nodes:
        _print_nodes(table, nodes, as_json=as_json)
        return
    try:
        first = list(islice(table.rows, PREVIEW_ROWS))
        num_rows = len(first) + sum(1 for _ in table.rows)
    except (ValueError, OSError, csv.Error) as error:
        raise error if isinstance(error, FileError) else _other(table.path, "it is damaged") from error
    facts = {"num_rows": num_rows, "num_columns": len(table.names), "form": table.form}
    if as_json:
        print_json(facts | {"columns": table.names, "rows": {str(node): row for node, row in first}})
        return
    for name, value in facts.items():
        typer.echo(f"{name:<13}{value:,}" if isinstance(value, int) else f"{name:<13}{value}")
    typer.echo(f"{'columns':<13}{_shorten(table.names)}")
    for node, row in first:
        typer.echo(escaped(f"{node}\t{_shorten([f'{name}={value}' for name, value in row.items()])}"))
    if num_rows > len(first):
        typer.echo(f"… {num_rows - len(first):,} more rows")


def _print_nodes(table: FeatureTable, nodes: list[str], *, as_json: bool) -> None:
    """Print the features of some nodes that are not zero."""
    try:
        found = {str(node): row for node, row in table.rows if str(node) in nodes}
    except (ValueError, OSError, csv.Error) as error:
        raise error if isinstance(error, FileError) else _other(table.path, "it is damaged") from error
    missing = next((node for node in nodes if node not in found), None)
    if missing is not None:
        raise UnknownNodeError(f"{table.path} has no row {missing!r}.")
    if as_json:
        print_json({node: found[node] for node in nodes})
        return
    for node in nodes:
        for name, value in found[node].items():
            typer.echo(escaped(f"{node}\t{name}\t{value}"))


def _read_csv(path: Path) -> FeatureTable:
    """Return a wide table in a CSV file; its lines are read one at a time."""
    lines = csv.reader(_lines(path))
    header = next(lines)
    names = _features(path, header)

    def rows() -> Iterator[Row]:
        for line in lines:
            if len(line) != len(header):
                raise _other(path, f"line {lines.line_num} has {len(line)} fields, not {len(header)}")
            yield line[0], {n: _number(v) for n, v in zip(names, line[1:], strict=True) if v != "0"}

    return FeatureTable(path, "wide", names, rows())


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="") as stream:
        yield from stream


def _number(text: str) -> int | float:
    return int(text) if text.isdecimal() else float(text)


def _read_arrow(path: Path) -> FeatureTable:
    """Return a table in a Parquet or an Arrow file; its rows are read some at a time."""
    try:
        import pyarrow as pa
        from pyarrow import dataset
    except ImportError as error:
        raise InputError(
            'Parquet and Arrow files need an extra package: pip install "egonet[io]".'
        ) from error
    try:
        held = dataset.dataset(path, format=path.suffix[1:])
        schema = held.schema
    except (pa.ArrowException, OSError) as error:
        raise _other(path, "it is damaged") from error
    names = _features(path, schema.names)
    sparse = names == ["column", "value"]
    if sparse:
        names = json.loads((schema.metadata or {}).get(b"feature_names", b"[]"))

    def rows() -> Iterator[Row]:
        try:
            for batch in held.to_batches(batch_size=1_024):
                for row in batch.to_pylist():
                    node = row.pop("node")
                    pairs = zip(row["column"], row["value"], strict=True) if sparse else ()
                    entries = {names[column]: value for column, value in pairs} if sparse else row
                    yield node, {name: value for name, value in entries.items() if value}
        except (pa.ArrowException, IndexError, TypeError) as error:
            raise _other(path, "it is damaged") from error

    return FeatureTable(path, "sparse" if sparse else "wide", names, rows())


def _read_matrix(path: Path) -> FeatureTable:
    """Return a Matrix Market file with the ids and names of the two files beside it."""
    from scipy.io import mmread
    from scipy.sparse import csr_array

    beside = [path.with_suffix(f".{word}.txt") for word in ("rows", "columns")]
    lost = next((file for file in beside if not file.is_file()), None)
    if lost is not None:
        raise _other(path, f"there is no {lost.name} beside it")
    ids, names = (file.read_text(encoding="utf-8").split("\n")[:-1] for file in beside)
    matrix = csr_array(mmread(path))
    if matrix.shape != (len(ids), len(names)):
        raise _other(path, f"it has the shape {matrix.shape}, not {(len(ids), len(names))}")
    bounds, columns, values = matrix.indptr.tolist(), matrix.indices, matrix.data

    def rows() -> Iterator[Row]:
        for row, node in enumerate(ids):
            part = slice(bounds[row], bounds[row + 1])
            pairs = zip(columns[part].tolist(), values[part].tolist(), strict=True)
            yield node, {names[column]: value for column, value in pairs}

    return FeatureTable(path, "matrix", names, rows())


def _features(path: Path, header: list[str]) -> list[str]:
    """Return the names of the features, or say that a table has none."""
    if not header or header[0] != "node":
        start = repr(header[0][:40]) if header else "nothing"
        raise _other(path, f"its first column is {start}, not 'node'")
    return header[1:]


def _other(path: Path, why: str) -> FileError:
    """Return the error for a file that is no table of features."""
    return FileError(
        f"{path} is no table of features that egonet wrote: {why}. A graph is read by egonet encode."
    )


def _shorten(words: list[str]) -> str:
    """Return the first words of a list, and how many more there are."""
    more = f" … {len(words) - _SHOWN:,} more" if len(words) > _SHOWN else ""
    return " ".join(words[:_SHOWN]) + more
