"""Tables in files: node labels, features that `egonet encode -o` wrote, and tables of any named columns."""

import csv
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from egonet.checks import format_count
from egonet.cli.options import STDIN, LabelColumns, NodeColumns
from egonet.encoding.export import UnixLines
from egonet.errors import (
    FileError,
    InputError,
    MissingExtraError,
    did_you_mean,
    option,
    printable,
    rename_options,
    require_extra,
    show_value,
)
from egonet.graph.columns import CountedColumn, column_position
from egonet.graph.graph import Graph
from egonet.graph.index import id_array
from egonet.io.byte_streams import GZIP
from egonet.io.files import atomic_path
from egonet.io.paths import require_file
from egonet.io.row_groups import slices, write_row_groups
from egonet.tables.schemas import is_id_column
from egonet.tables.table import Table, read_table

#: The first bytes of files that are not text, and how such a file must be named.
_NOT_TEXT = {GZIP: ".gz", b"PAR1": ".parquet", b"ARROW1": ".arrow"}
SUFFIXES = (".parquet", ".arrow", ".csv", ".mtx")
#: The endings of the files that `write_columns` writes.
WRITTEN = (".parquet", ".arrow", ".csv")
#: The id of a row, and the features that are not zero.
Row: TypeAlias = tuple[Any, dict[str, Any]]
_NUMBER_OR_DATE = re.compile(r"[+-]?[.]?\d")
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


def read_features(path: Path) -> FeatureTable:
    """Return the table in a file that `egonet encode -o` wrote.

    Raises
    ------
    FileError
        If the file is damaged, or is something else, such as a graph.
    """
    require_file(path)
    reader = {".csv": _read_csv, ".mtx": _read_matrix}.get(path.suffix, _read_arrow)
    with _one_error(path):
        table = reader(path)
    return FeatureTable(table.path, table.form, table.names, _guard_rows(table))


def _guard_rows(table: FeatureTable) -> Iterator[Row]:
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
            if match := _NAME.fullmatch(line):
                listed[match[1]].append(json.loads(match[2]))
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
        f"{path} is not a table of features with a row per node: {why}. A graph is read by egonet encode."
    )


def read_columns(path: Path, what: str = "a table", **options: Any) -> Table:
    """Return the columns of a file as `read_table` does; "-" is csv or tsv on stdin."""
    if str(path) == "-":
        return read_table(STDIN, what, name="stdin", **options)
    return read_table(path, what, **options)


def choose_column(table: Table, text: str, switch: str, prefix: str = "") -> str:
    """Return the name of the column of a table that a text names, or whose position from 1 it is.

    `switch` is the option that has the text, and `prefix` that of the options of this table, for messages.

    >>> choose_column(Table({"who": ["a"], "kind": ["x"]}), "2", "--label-column")
    'kind'
    """
    names: list[str] = table.names
    column = CountedColumn(text)
    if text in names or (column.position is not None and 0 <= column.position < len(names)):
        return names[column_position(column, names, len(names), table.name)]
    is_data = table.has_header and any(map(_NUMBER_OR_DATE.match, names))
    more = f" If the first line is data, add {option(f'{prefix}header', False)}." if is_data else ""
    mark = next((mark for mark in ",;\t|" if len(names) == 1 and mark in names[0]), None)
    if mark:
        raise InputError(
            f"{table.name} has no column {text!r}. Its fields are separated by {mark!r}: add "
            f"{option(f'{prefix}delimiter', mark)}."
        )
    raise InputError(
        f"{table.name} has no column {text!r}.{did_you_mean(text, names)} Set {switch}; there are "
        f"{', '.join(names[:20])}.{more}"
    )


def read_labels(
    path: Path | None, graph_ids: Iterable[Any] | None = None, columns: LabelColumns | None = None
) -> dict[Any, Any] | None:
    """Return the node labels of a table by id, as `egonet.encode` takes them; None for no table.

    As in a graph file, ids in text are whole numbers if all of them are, and labels in text stay text. With `graph_ids`
    they have the type of those.
    """
    columns = columns or LabelColumns()
    if path is None:
        columns.check_used()
        return None
    picked = None if columns.label_column is None else {"--label-column": [columns.label_column]}
    table, nodes = read_nodes(path, "labels", graph_ids, columns, picked)
    if len(table.columns) != 1:
        raise FileError(
            f"{table.name} must have one column of labels, got the columns {list_columns(table.columns)}. Set "
            "--label-column."
        )
    (column,) = table.columns
    labels, lost = table.fields(column), np.flatnonzero(table.missing(column))
    if len(lost):
        raise FileError(
            f"{table.name} must have a label in every row, {len(lost)} of {len(labels)} have none, first at node "
            f"{nodes[lost[0]]!r}. Fill them in: a word such as unknown is a label too."
        )
    return dict(zip(nodes, labels, strict=True))


def read_nodes(
    path: Path,
    what: str,
    graph_ids: Iterable[Any] | None = None,
    columns: NodeColumns | None = None,
    picked: dict[str, list[str]] | None = None,
) -> tuple[Table, list[Any]]:
    """Return columns of a table of nodes, and its ids, each once; `what` the columns are, for messages.

    `picked` has names or positions of columns, by the option that gives them; without it all but the ids are returned.
    """
    columns = columns or NodeColumns()
    members = (
        None
        if graph_ids is None
        else set(map(str, graph_ids.tolist() if isinstance(graph_ids, np.ndarray) else graph_ids))
    )
    try:
        table = read_columns(
            path,
            f"a table of {what}",
            header=lambda first: names_nodes(str(path), first, columns, members),
            delimiter=columns.nodes_delimiter,
        )
    except InputError as error:
        raise type(error)(rename_options(error.marked, {"delimiter": "nodes_delimiter"})) from error
    ids = id_column(table, what, columns)
    names = [name for name in table.columns if name != ids]
    for switch, texts in (picked or {}).items():
        names = [choose_column(table, text, switch, "nodes_") for text in texts]
        if ids in names:
            raise InputError(
                f"{table.name}: the ids and the {what} must be two columns, got {ids!r} for both."
            )
    nodes = table.ids(ids) if graph_ids is None else table.known_ids(ids, graph_ids)
    if len(set(nodes)) < len(nodes):
        repeated = [node for node, number in Counter(nodes).items() if number > 1]
        more = f", and {format_count(len(repeated) - 1, 'other id')} too" if len(repeated) > 1 else ""
        raise FileError(
            f"{table.name} must name every node once, got {show_value(repeated[0])} more than once{more}. Drop the "
            "repeats."
        )
    return replace(table, columns={name: table.columns[name] for name in names}), nodes


def names_nodes(name: str, first: list[str], columns: NodeColumns, members: set[str] | None) -> bool:
    """Return whether the first line of a table of nodes has names; `members` are the ids of the graph, if known.

    >>> names_nodes("a.csv", ["who", "kind"], NodeColumns("1"), {"a", "b"})
    True
    >>> names_nodes("a.csv", ["a", "x"], NodeColumns("1"), {"a", "b"})
    False
    """
    position = None if columns.node_column is None else CountedColumn(columns.node_column).position
    if columns.nodes_header is not None:
        return columns.nodes_header
    if position is None or not 0 <= position < len(first) or is_id_column(first[position]):
        return True
    if members is None:
        raise FileError(
            f"{name}: the first line ({', '.join(map(show_value, first[:4]))}) may name columns or be data. Set "
            "--nodes-header or --no-nodes-header."
        )
    return first[position] not in members


def id_column(table: Table, what: str, columns: NodeColumns) -> str:
    """Return the name of the column of ids in a table of nodes: the given one, node or id, or the first of no names."""
    names: list[str] = table.names
    if columns.node_column is not None and len(names) > 1:
        return choose_column(table, columns.node_column, "--node-column", "nodes_")
    if not table.has_header and len(names) > 1:
        return names[0]
    ids = [name for name in names if is_id_column(name)]
    if len(ids) == 1 and len(names) > 1:
        return ids[0]
    mark = next((mark for mark in ";\t|" if len(names) == 1 and mark in names[0]), None)
    hint = "Set --node-column. If the first line has no names, add --no-nodes-header."
    if mark:
        hint = f"Its fields are separated by {mark!r}: add --nodes-delimiter {mark!r}."
    raise FileError(
        f"{table.name} must have a column 'node' or 'id' and a column of {what}, got the columns "
        f"{list_columns(names)}. {hint}"
    )


def list_columns(names: Iterable[str]) -> str:
    """Return the first names of columns for a message.

    >>> list_columns(["node", "kind"])
    "'node', 'kind'"
    """
    return ", ".join(map(repr, islice(names, 9)))


def read_both_labels(paths: list[Path] | None, graphs: list[Graph], columns: LabelColumns) -> Any:
    """Return the labels of one graph, or those of two as a pair; one table may have the nodes of both."""
    if not paths:
        return None
    if len(paths) > len(graphs):
        raise InputError(f"--labels takes a table per graph: {len(graphs)}, got {len(paths)}.")
    if len(paths) == len(graphs):
        tables = [
            read_labels(path, graph.node_ids, columns) for path, graph in zip(paths, graphs, strict=True)
        ]
        return tables[0] if len(graphs) == 1 else tables
    ids = [set(graph.node_ids.tolist()) for graph in graphs]
    table = read_labels(paths[0], set[Any]().union(*ids), columns) or {}
    stray = next((node for node in table if not any(node in nodes for nodes in ids)), None)
    if stray is not None:
        raise InputError(f"{paths[0]} names {show_value(stray)}, which neither graph has. Leave it out.")
    return [{node: label for node, label in table.items() if node in nodes} for nodes in ids]


def check_written(path: Path, what: str = "the rows", endings: tuple[str, ...] = WRITTEN) -> None:
    """Raise for a file that columns are not written to."""
    if path.suffix not in endings:
        raise InputError(f"{what} are written as {', '.join(endings)}, got {path.name!r}.")


class _TerminalLines(io.TextIOBase):
    """A stream to a terminal that shows control characters in ids instead of obeying them."""

    def write(self, text: str) -> int:
        return sys.stdout.write("\n".join(map(printable, text.split("\n"))))


def table_stream() -> Any:
    """Return stdout for tables: UTF-8, and on a terminal control characters are escaped."""
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    return _TerminalLines() if sys.stdout.isatty() else sys.stdout


def write_columns(
    columns: dict[str, Any], path: Path | None, *, metadata: dict[bytes, bytes] | None = None
) -> None:
    """Write columns to a file atomically; None writes CSV to stdout, and .npy has all columns but the first.

    Parquet and Arrow keep the metadata.
    """
    if path is None:
        _write_csv(columns, table_stream())
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
        from pyarrow import feather

        table = pyarrow.table({name: pyarrow.array(_of_one_type(column)) for name, column in columns.items()})
        table = table.replace_schema_metadata(metadata)
        with temporary.open("wb") as out:  # pyarrow opens no path that is not UTF-8
            if path.suffix == ".parquet":
                write_row_groups(out, slices(table), compression="zstd", write_page_checksum=True)
            else:
                feather.write_feather(table, out, compression="uncompressed")


def _of_one_type(values: Any) -> Any:
    """Return a column as it is, or as text if it has text and something else, such as ids that are numbers."""
    listed = values.tolist() if isinstance(values, np.ndarray) and values.dtype == object else values
    types = set(map(type, listed)) if isinstance(listed, list) else set()
    if types == {int}:
        return id_array(listed)  # pyarrow does not read a list of numbers above 2**63
    return list(map(str, listed)) if str in types and len(types) > 1 else listed


def _write_csv(columns: dict[str, Any], stream: Any) -> None:
    """Write columns as CSV; NaN is an empty field."""
    lines = csv.writer(UnixLines(stream))
    lines.writerow(columns)
    lines.writerows(zip(*(_fields(values) for values in columns.values()), strict=True))


def _fields(values: Any) -> Iterable[Any]:
    """Return the values of a column as fields of text."""
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return ("" if isinstance(value, float) and value != value else value for value in listed)
