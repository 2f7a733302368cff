"""Tables in files: node labels, features that `egonet encode -o` wrote, and tables of any named columns."""

import csv
import gzip
import json
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np

from egonet.attributes.node_tables import is_id_column
from egonet.errors import FileError, InputError, MissingExtraError, require_extra
from egonet.graph.graph import Graph
from egonet.graph.ids import show
from egonet.io.atomic import atomic_path
from egonet.io.read import existing

SUFFIXES = (".parquet", ".arrow", ".csv", ".mtx")
#: The endings of the files that `write_columns` writes.
WRITTEN = (".parquet", ".arrow", ".csv")
#: The id of a row, and the features that are not zero.
Row: TypeAlias = tuple[Any, dict[str, Any]]
_NAME = re.compile(r"%(row|column) \d+ (.*)\n?")


@dataclass(frozen=True)
class FeatureTable:
    """A table of features: its form ("wide", "sparse" or "matrix"), its features, and an iterator over its rows."""

    path: Path
    form: str
    names: list[str]
    rows: Iterator[Row]


def is_table(path: Path) -> bool:
    """Return whether a path is read as a table, by its suffix."""
    return path.suffix in SUFFIXES and not path.is_dir()


def read_table(path: Path) -> FeatureTable:
    """Return the table in a file that `egonet encode -o` wrote.

    Raises
    ------
    FileError
        If the file is damaged, or is something else, such as a graph.
    """
    existing(path)
    reader = {".csv": _read_csv, ".mtx": _read_matrix}.get(path.suffix, _read_arrow)
    with _one_error(path):
        table = reader(path)
    return FeatureTable(table.path, table.form, table.names, _guarded(table))


def _guarded(table: FeatureTable) -> Iterator[Row]:
    """Yield the rows; raise FileError for a damaged row."""
    with _one_error(table.path):
        yield from table.rows


@contextmanager
def _one_error(path: Path) -> Iterator[None]:
    """Turn the errors of readers into a FileError."""
    try:
        yield
    except (FileError, MissingExtraError):
        raise
    except (ValueError, LookupError, TypeError, OSError, csv.Error, StopIteration) as error:
        raise _not_features(path, "it is damaged or empty") from error


def _read_csv(path: Path) -> FeatureTable:
    """Return a wide table in a CSV file, read line by line."""
    lines = csv.reader(_lines(path))
    header = next(lines)
    names = _features(path, header)

    def rows() -> Iterator[Row]:
        for line in lines:
            if len(line) != len(header):
                raise _not_features(path, f"line {lines.line_num} has {len(line)} fields, not {len(header)}")
            yield line[0], {n: _number(v) for n, v in zip(names, line[1:], strict=True) if v != "0"}

    return FeatureTable(path, "wide", names, rows())


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="") as stream:
        yield from stream


def _number(text: str) -> int | float:
    return int(text) if text.isdecimal() else float(text)


def open_arrow(path: Path) -> Any:
    """Return a Parquet or Arrow file as a data set of pyarrow, not yet read."""
    pa = require_extra("pyarrow", "a Parquet or Arrow file", extra="io")
    dataset = require_extra("pyarrow.dataset", "a Parquet or Arrow file", extra="io")
    try:
        return dataset.dataset(path, format=path.suffix[1:])
    except (pa.ArrowException, OSError) as error:
        raise FileError(f"{path} is damaged, or not {path.suffix[1:].title()}.") from error


def _read_arrow(path: Path) -> FeatureTable:
    """Return a table in a Parquet or an Arrow file, read batch by batch."""
    table = open_arrow(path)
    names = _features(path, table.schema.names)
    is_sparse = names == ["column", "value"]
    if is_sparse:
        names = json.loads((table.schema.metadata or {}).get(b"feature_names", b"[]"))

    def rows() -> Iterator[Row]:
        for batch in table.to_batches(batch_size=1_024):
            for row in batch.to_pylist():
                node = row.pop("node")
                pairs = zip(row["column"], row["value"], strict=True) if is_sparse else ()
                entries = {names[column]: value for column, value in pairs} if is_sparse else row
                yield node, {name: value for name, value in entries.items() if value}

    return FeatureTable(path, "sparse" if is_sparse else "wide", names, rows())


def _read_matrix(path: Path) -> FeatureTable:
    """Return a Matrix Market file with the ids and names that its comments list."""
    from scipy.sparse import csr_array

    from egonet.io.markup import read_coordinates

    listed: dict[str, list[str]] = {"row": [], "column": []}
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            if not line.startswith("%"):
                break
            if found := _NAME.fullmatch(line):
                listed[found[1]].append(json.loads(found[2]))
    ids, names = listed["row"], listed["column"]
    if not ids and not names:
        raise _not_features(path, "its comments name no rows and columns")
    matrix = csr_array(read_coordinates(path))
    if matrix.shape != (len(ids), len(names)):
        raise _not_features(path, f"it has the shape {matrix.shape}, not {(len(ids), len(names))}")
    bounds, columns, values = matrix.indptr.tolist(), matrix.indices, matrix.data

    def rows() -> Iterator[Row]:
        for row, node in enumerate(ids):
            part = slice(bounds[row], bounds[row + 1])
            pairs = zip(columns[part].tolist(), values[part].tolist(), strict=True)
            yield node, {names[column]: value for column, value in pairs}

    return FeatureTable(path, "matrix", names, rows())


def _features(path: Path, header: list[str]) -> list[str]:
    """Return the names of the features; raise if the first column is not the node."""
    if not header or header[0] != "node":
        start = repr(header[0][:40]) if header else "nothing"
        raise _not_features(path, f"its first column is {start}, not 'node'")
    return header[1:]


def _not_features(path: Path, why: str) -> FileError:
    """Return the error for a file that is not a table of features."""
    return FileError(
        f"{path} is not a table of features that egonet wrote: {why}. A graph is read by egonet encode."
    )


def read_labels(path: Path | None) -> dict[Any, Any] | None:
    """Return the node labels of a table by id, as `egonet.encode` takes them; None for no table.

    As in a graph file, ids in text are whole numbers if all of them are; the same holds for the labels.
    """
    if path is None:
        return None
    table = read_columns(path, "a table of labels", floats=False)
    ids = [name for name in table if is_id_column(name)]
    if len(table) != 2 or len(ids) != 1:
        raise FileError(
            f"{path} must have a column 'node' or 'id' and one column of labels, got the columns {list(table)[:9]!r}."
        )
    nodes, (labels,) = table.pop(ids[0]), table.values()
    by_id = dict(zip(nodes, labels, strict=True))
    if len(by_id) < len(nodes):
        raise FileError(f"{path} must name every node once, got {len(nodes) - len(by_id):,} repeated ids.")
    return by_id


def read_both_labels(paths: list[Path] | None, graphs: list[Graph]) -> Any:
    """Return the labels of one graph, or those of two as a pair; one table may have the nodes of both."""
    if not paths:
        return None
    if len(paths) > len(graphs):
        raise InputError(f"--labels takes a table per graph: {len(graphs)}, got {len(paths)}.")
    tables = [read_labels(path) or {} for path in paths]
    if len(graphs) == 1:
        return tables[0]
    if len(tables) == 2:
        return tables
    ids = [set(graph.node_ids.tolist()) for graph in graphs]
    stray = next((node for node in tables[0] if not any(node in known for known in ids)), None)
    if stray is not None:
        raise InputError(f"{paths[0]} names {show(stray)}, which neither graph has. Leave it out.")
    return [{node: label for node, label in tables[0].items() if node in known} for known in ids]


def number_in(text: str) -> int | None:
    """Return the whole number that a text spells, or None if it spells none that could be an id.

    >>> number_in("17"), number_in("-3"), number_in("1e3"), number_in("9" * 30)
    (17, -3, None, None)
    """
    return int(text) if re.fullmatch("-?[0-9]{1,18}", text) else None


def read_columns(path: Path, what: str = "a table", *, floats: bool = True) -> dict[str, Any]:
    """Return the columns of a csv, tsv (also .gz), Parquet or Arrow file by name; "-" is csv or tsv on stdin.

    A column of text becomes whole numbers if all of its fields are, or floats if `floats`. Leading zeros keep it text.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "events.csv"
    >>> _ = path.write_text("source,target,time\\na,07,1\\nb,a,2.5\\n")
    >>> read_columns(path)
    {'source': ['a', 'b'], 'target': ['07', 'a'], 'time': [1.0, 2.5]}
    """
    file = Path("stdin") if str(path) == "-" else existing(path)
    if file.suffix in (".parquet", ".arrow"):
        table = open_arrow(file).to_table()
        _check_header(path, table.column_names)
        return {name: table.column(name).to_pylist() for name in table.column_names}
    ending = Path(file.stem).suffix if file.suffix == ".gz" else file.suffix
    if str(path) != "-" and ending not in (".csv", ".tsv", ".txt"):
        raise InputError(f"{what} is read from .csv, .tsv (also .gz), .parquet or .arrow, got {str(path)!r}.")
    try:
        with nullcontext(sys.stdin) if str(path) == "-" else _opened(file) as stream:
            lines = stream.readlines()
        tabs = ending == ".tsv" or (ending != ".csv" and "\t" in "".join(lines[:1]))
        rows = [row for row in csv.reader(lines, delimiter="\t" if tabs else ",") if row]
    except (UnicodeDecodeError, csv.Error, OSError, EOFError) as error:
        raise FileError(f"{path} is not {what} that can be read: {error}.") from error
    header = [name.strip() for name in rows[0]] if rows else []
    _check_header(path, header)
    wrong = next((number for number, row in enumerate(rows, start=1) if len(row) != len(header)), None)
    if wrong is not None:
        raise FileError(f"{path}, record {wrong}: expected {len(header)} fields, got {len(rows[wrong - 1])}.")
    return {
        name: as_numbers([row[place] for row in rows[1:]], floats=floats) for place, name in enumerate(header)
    }


def _opened(file: Path) -> IO[str]:
    if file.suffix == ".gz":
        return gzip.open(file, "rt", encoding="utf-8-sig", newline="")
    return file.open(encoding="utf-8-sig", newline="")


def _check_header(path: Path, header: list[str]) -> None:
    """Raise unless a table begins with names of columns, each once."""
    if not header or "" in header or len(set(header)) < len(header):
        raise FileError(
            f"{path} must begin with the names of its columns, each once, got {show(header[:9])}."
        )


def as_numbers(texts: list[str], *, floats: bool = True) -> list[Any]:
    """Return texts as whole numbers, or as floats, if every one of them is one; leading zeros make them ids.

    >>> as_numbers(["1", "2"]), as_numbers(["1", "2.5"]), as_numbers(["1", "02"]), as_numbers(["1", "nan"])
    ([1, 2], [1.0, 2.5], ['1', '02'], ['1', 'nan'])
    """
    whole = [number_in(text) for text in texts]
    if all(str(number) == text for number, text in zip(whole, texts, strict=True)):
        return whole
    has_zeros = any(n is not None and str(n) != text for n, text in zip(whole, texts, strict=True))
    if not floats or has_zeros or any("_" in text for text in texts):
        return texts
    try:
        found = [float(text) for text in texts]
    except ValueError:
        return texts
    return found if np.isfinite(found).all() else texts


def check_written(path: Path, what: str = "the rows", endings: tuple[str, ...] = WRITTEN) -> None:
    """Raise for a file that columns are not written to."""
    if path.suffix not in endings:
        raise InputError(f"{what} are written as {', '.join(endings)}, got {path.name!r}.")


def write_columns(columns: dict[str, Any], path: Path | None) -> None:
    """Write columns to a file atomically; None writes CSV to stdout, and .npy has all columns but the first."""
    if path is None:
        _write_csv(columns, sys.stdout)
        return
    with atomic_path(path) as temporary:
        if path.suffix == ".csv":
            with temporary.open("w", encoding="utf-8", newline="") as stream:
                _write_csv(columns, stream)
            return
        if path.suffix == ".npy":
            np.save(temporary, np.column_stack(list(columns.values())[1:]), allow_pickle=False)
            return
        pyarrow = require_extra("pyarrow", "writing Parquet or Arrow", extra="io")
        from pyarrow import feather, parquet

        table = pyarrow.table({name: pyarrow.array(_of_one_type(column)) for name, column in columns.items()})
        with temporary.open("wb") as out:  # pyarrow opens no path that is not UTF-8
            if path.suffix == ".parquet":
                parquet.write_table(table, out, compression="zstd", write_page_checksum=True)
            else:
                feather.write_feather(table, out, compression="uncompressed")


def _of_one_type(values: Any) -> Any:
    """Return a column as it is, or as text if it has text and something else, such as ids that are numbers."""
    listed = values.tolist() if isinstance(values, np.ndarray) and values.dtype == object else values
    types = set(map(type, listed)) if isinstance(listed, list) else set()
    return list(map(str, listed)) if str in types and len(types) > 1 else listed


def _write_csv(columns: dict[str, Any], stream: Any) -> None:
    """Write columns as CSV; NaN is an empty field."""
    lines = csv.writer(stream, lineterminator="\n")
    lines.writerow(columns)
    lines.writerows(zip(*(_fields(values) for values in columns.values()), strict=True))


def _fields(values: Any) -> Iterable[Any]:
    """Return the values of a column as fields of text."""
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return ("" if isinstance(value, float) and value != value else value for value in listed)
