"""Tables in files: node labels, features that `egonet encode -o` wrote, and tables of any named columns."""

import csv
import gzip
import json
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np

from egonet.encoding.labels import ID_COLUMNS
from egonet.errors import FileError, InputError, MissingExtraError, require_extra
from egonet.graph.graph import Graph
from egonet.graph.ids import show
from egonet.io.atomic import atomic_path
from egonet.io.read import existing

SUFFIXES = (".parquet", ".arrow", ".csv", ".mtx")
#: The id of a row, and the features that are not zero.
Row: TypeAlias = tuple[Any, dict[str, Any]]
_NAME = re.compile(r"%(row|column) \d+ (.*)\n?")


@dataclass(frozen=True)
class FeatureTable:
    """A table of features: its column names, and an iterator over its rows.

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
    """Yield the rows; any damage met on the way is a FileError."""
    with _one_error(table.path):
        yield from table.rows


@contextmanager
def _one_error(path: Path) -> Iterator[None]:
    """Turn what readers raise for a damaged table into a FileError."""
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


def read_labels(path: Path | None) -> Any:
    """Return the node labels of a table by id, as `egonet.encode` takes them; None for no table.

    As in a graph file, ids in text are whole numbers if all of them are; the same holds for the labels.
    """
    if path is None:
        return None
    file = existing(path)
    if file.suffix in (".parquet", ".arrow"):
        return open_arrow(file).to_table()
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            rows = [
                row for row in csv.reader(stream, delimiter="\t" if file.suffix == ".tsv" else ",") if row
            ]
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"{path} is not a table of labels: {error}.") from error
    header = rows[0] if rows else []
    ids = [name for name in header if name in ID_COLUMNS]
    if len(header) != 2 or len(ids) != 1:
        raise FileError(
            f"{path} must have a column 'node' or 'id' and one column of labels, got the columns {header[:9]!r}."
        )
    wrong = next((number for number, row in enumerate(rows, start=1) if len(row) != 2), None)
    if wrong is not None:
        raise FileError(f"{path}, record {wrong}: expected 2 fields, got {len(rows[wrong - 1])}.")
    position = header.index(ids[0])
    nodes = _numbers_if_all([row[position] for row in rows[1:]])
    table = dict(zip(nodes, _numbers_if_all([row[1 - position] for row in rows[1:]]), strict=True))
    if len(table) < len(nodes):
        raise FileError(f"{path} must name every node once, got {len(nodes) - len(table):,} repeated ids.")
    return table


def read_both_labels(paths: list[Path] | None, graphs: list[Graph]) -> Any:
    """Return the labels of one graph, or those of two as a pair; one table may have the nodes of both.

    Raises
    ------
    InputError
        If there are more tables than graphs, or a table has ids that no graph has.
    """
    if not paths:
        return None
    if len(paths) > len(graphs):
        raise InputError(f"--labels takes a table per graph: {len(graphs)}, got {len(paths)}.")
    tables = [as_mapping(read_labels(path)) for path in paths]
    if len(graphs) == 1:
        return tables[0]
    if len(tables) == 2:
        return tables
    ids = [set(graph.node_ids.tolist()) for graph in graphs]
    stray = next((node for node in tables[0] if not any(node in known for known in ids)), None)
    if stray is not None:
        raise InputError(f"{paths[0]} names {show(stray)}, which neither graph has. Leave it out.")
    return [{node: label for node, label in tables[0].items() if node in known} for known in ids]


def as_mapping(table: Any) -> dict[Any, Any]:
    """Return a table of labels by id, from a mapping or an Arrow table."""
    if isinstance(table, dict):
        return table
    ids = [name for name in table.column_names if name in ID_COLUMNS]
    if len(ids) != 1 or table.num_columns != 2:
        raise InputError(
            f"a table of labels must have a column 'node' or 'id' and one of labels, got {table.column_names[:9]!r}."
        )
    (other,) = set(table.column_names) - set(ids)
    return dict(zip(table[ids[0]].to_pylist(), table[other].to_pylist(), strict=True))


def number_in(text: str) -> int | None:
    """Return the whole number that a text spells, or None if it spells none that could be an id.

    >>> number_in("17"), number_in("-3"), number_in("1e3"), number_in("9" * 30)
    (17, -3, None, None)
    """
    return int(text) if re.fullmatch("-?[0-9]{1,18}", text) else None


def _numbers_if_all(texts: list[str]) -> list[Any]:
    """Return texts as whole numbers if every one of them spells one, without leading zeros."""
    numbers = [number_in(text) for text in texts]
    are_plain = all(str(number) == text for number, text in zip(numbers, texts, strict=True))
    return numbers if are_plain else texts


#: What is written: by the file's ending.
WRITTEN = (".parquet", ".arrow", ".csv")


def read_columns(path: Path) -> dict[str, Any]:
    """Return the columns of a csv, tsv (also .gz), Parquet or Arrow file by name; "-" is csv or tsv on stdin.

    A column of text is whole numbers if all of its fields are, without leading zeros, and numbers if all are.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "events.csv"
    >>> _ = path.write_text("source,target,time\\na,07,1\\nb,a,2.5\\n")
    >>> read_columns(path)
    {'source': ['a', 'b'], 'target': ['07', 'a'], 'time': [1.0, 2.5]}
    """
    if str(path) == "-":
        lines = sys.stdin.read().splitlines(keepends=True)
        tabs = bool(lines) and "\t" in lines[0]
        return _columns_of(Path("stdin"), list(csv.reader(lines, delimiter="\t" if tabs else ",")))
    file = existing(path)
    if file.suffix in (".parquet", ".arrow"):
        table = open_arrow(file).to_table()
        _check_header(path, table.column_names)
        return {name: table.column(name).to_pylist() for name in table.column_names}
    ending = "".join(file.suffixes[-2:]) if file.suffix == ".gz" else file.suffix
    if ending.removesuffix(".gz") not in (".csv", ".tsv", ".txt"):
        raise InputError(
            f"a table is read from .csv, .tsv (also .gz), .parquet or .arrow, got {str(path)!r}."
        )
    try:
        with _opened(file) as stream:
            rows = list(csv.reader(stream, delimiter="," if ".csv" in ending else "\t"))
    except (UnicodeDecodeError, csv.Error, OSError, EOFError) as error:
        raise FileError(f"{path} is not a table that can be read: {error}.") from error
    return _columns_of(path, rows)


def _columns_of(path: Path, records: list[list[str]]) -> dict[str, Any]:
    """Return the columns of the records of a text by name; the first has the names, and empty ones do not count."""
    rows = [row for row in records if row]
    header = [name.strip() for name in rows[0]] if rows else []
    _check_header(path, header)
    wrong = next((number for number, row in enumerate(rows, start=1) if len(row) != len(header)), None)
    if wrong is not None:
        raise FileError(f"{path}, record {wrong}: expected {len(header)} fields, got {len(rows[wrong - 1])}.")
    return {name: as_numbers([row[place] for row in rows[1:]]) for place, name in enumerate(header)}


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


def as_numbers(texts: list[str]) -> list[Any]:
    """Return texts as numbers if every one of them is one; whole numbers must have no leading zeros.

    Examples
    --------
    >>> as_numbers(["1", "2"]), as_numbers(["1", "2.5"]), as_numbers(["1", "02"]), as_numbers(["1", "nan"])
    ([1, 2], [1.0, 2.5], ['1', '02'], ['1', 'nan'])
    """
    whole = [number_in(text) for text in texts]
    if all(str(number) == text for number, text in zip(whole, texts, strict=True)):
        return whole
    if any(number is not None and str(number) != text for number, text in zip(whole, texts, strict=True)):
        return texts  # a leading zero: ids
    try:
        found = [float(text) for text in texts]
    except ValueError:
        return texts
    return found if np.isfinite(found).all() and not any("_" in text for text in texts) else texts


def check_written(path: Path) -> None:
    """Raise for a file that columns are not written to."""
    if path.suffix not in WRITTEN:
        raise InputError(f"the rows are written as {', '.join(WRITTEN)}, got {str(path)!r}.")


def write_columns(columns: dict[str, Any], path: Path | None) -> None:
    """Write columns to a file, whole or not at all; None writes CSV to stdout."""
    if path is None:
        _write_csv(columns, sys.stdout)
        return
    with atomic_path(path) as temporary:
        if path.suffix == ".csv":
            with temporary.open("w", encoding="utf-8", newline="") as stream:
                _write_csv(columns, stream)
            return
        pyarrow = require_extra("pyarrow", "writing Parquet or Arrow", extra="io")
        from pyarrow import feather, parquet

        table = pyarrow.table({name: pyarrow.array(values) for name, values in columns.items()})
        if path.suffix == ".parquet":
            parquet.write_table(table, temporary)
        else:
            feather.write_feather(table, temporary)


def _write_csv(columns: dict[str, Any], stream: Any) -> None:
    """Write columns as CSV; a number that is not there is an empty field."""
    lines = csv.writer(stream, lineterminator="\n")
    lines.writerow(columns)
    lines.writerows(zip(*(_fields(values) for values in columns.values()), strict=True))


def _fields(values: Any) -> Iterable[Any]:
    """Return the values of a column as fields of text."""
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return ("" if isinstance(value, float) and value != value else value for value in listed)
