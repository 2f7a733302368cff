"""Graphs as compressed rows in Parquet files, in the layout of icebug-disk, which graph databases mount directly."""

import json
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from egonet.encoding.header import from_json, to_json
from egonet.errors import EgonetError, FileError, InputError, require_extra, show_value
from egonet.graph.adapters import as_graph
from egonet.graph.align import as_categories
from egonet.graph.columns import ROLES, as_objects, list_values
from egonet.graph.graph import Graph
from egonet.graph.index import id_array
from egonet.io.files import atomic_path, writing
from egonet.io.paths import as_path, require_file
from egonet.io.row_groups import MAX_ROWS, slices, write_row_groups
from egonet.kernel.native import available_cores
from egonet.store.encoding import open_rows
from egonet.typing import Array

#: The version of icebug-disk that is written, and what its files are called.
_VERSION = "1"
_PARTS = ("nodes", "indices", "indptr")
#: Where the files say what other readers of the format do not need.
_KEY = b"egonet"


def write_csr(graph: Any, folder: str | PathLike[str], name: str = "graph") -> Path:
    """Write a graph as three Parquet files that other tools read, and return the folder.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts, or the folder of a store. Labels become a column of the nodes; edge types and
        weights are not supported, and neither are ids that Parquet and JSON do not have.
    folder
        Where the files go; it is made if it does not exist.
    name
        The name in the file names.

    Examples
    --------
    >>> import tempfile, egonet
    >>> folder = egonet.store.write_csr(egonet.as_graph([("a", "b"), ("b", "c")]), tempfile.mkdtemp())
    >>> sorted(path.name for path in folder.iterdir())
    ['indices_graph.parquet', 'indptr_graph.parquet', 'nodes_graph.parquet', 'schema.cypher']
    >>> egonet.store.read_csr(folder)
    Graph(num_nodes=3, num_edges=2)

    Notes
    -----
    The layout is icebug-disk: `nodes_NAME` has a row per node (`id` is its number, `node` its id), `indices_NAME` the
    numbers of the neighbors (`target`) row by row, and `indptr_NAME` where each row begins (`ptr`). An undirected edge
    is in the rows of both ends.
    """
    pyarrow = require_extra("pyarrow", "writing Parquet", extra="io")
    graph = open_rows(as_path("graph", graph)).graph if isinstance(graph, str | PathLike) else as_graph(graph)
    if names := graph.edge_columns:
        raise InputError(
            f"compressed rows have no place for {', '.join(names)}. Write the edges as a table: "
            "graph.to_arrow()."
        )
    if not isinstance(name, str) or not name.isidentifier():
        raise InputError(f"name must be letters, digits and underscores, got {show_value(name)}.")
    columns, is_json = {"id": pyarrow.array(np.arange(graph.num_nodes))}, {}
    columns["node"], is_json["node"] = _as_arrow(graph.node_ids)
    for column, values in graph.node_columns.items():
        columns[column], is_json[column] = _as_arrow(as_objects(list_values(values)))
    nodes = pyarrow.table(columns)
    tables = {
        "nodes": slices(nodes),
        "indices": _as_column("target", graph.indices),
        "indptr": _as_column("ptr", graph.indptr),
    }
    # Files of two graphs, one of them written in part, are known by this number.
    parts = [buffer for column in columns.values() for buffer in column.buffers() if buffer is not None]
    number = 0
    for piece in (graph.indptr.data, graph.indices.data, *parts):
        number = zlib.crc32(piece, number)
    facts = json.dumps({"directed": graph.directed, "json": is_json, "number": number})
    path = as_path("folder", folder)
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)
    metadata = {b"icebug_disk_version": _VERSION.encode(), _KEY: facts.encode()}
    for part, parts_of_table in tables.items():
        with atomic_path(path / f"{part}_{name}.parquet") as temporary, temporary.open("wb") as stream:
            described = (partial(_describe, make, metadata) for make in parts_of_table)
            write_row_groups(stream, described, compression="zstd", write_page_checksum=True)
    kind = "INT64" if nodes.schema.field("node").type == pyarrow.int64() else "STRING"
    with atomic_path(path / "schema.cypher") as temporary:
        temporary.write_text(
            f"CREATE NODE TABLE {name}(id INT64, node {kind}, PRIMARY KEY(id)) "
            "WITH (storage = '.', format = 'icebug-disk');\n"
            f"CREATE REL TABLE {name}_edges(FROM {name} TO {name}) WITH (storage = '.', format = 'icebug-disk');\n",
            encoding="utf-8",
        )
    return path


def read_csr(folder: str | PathLike[str], name: str | None = None) -> Graph:
    """Return the graph in a folder of compressed rows (icebug-disk), from egonet or from another tool.

    Parameters
    ----------
    folder
        The folder.
    name
        The name in the file names; it may be left out if the folder has one graph.

    Raises
    ------
    FileError
        If a file is missing, or the arrays do not fit together.

    Examples
    --------
    >>> import tempfile, egonet
    >>> folder = egonet.store.write_csr(egonet.as_graph([(1, 2), (2, 5)], directed="out"), tempfile.mkdtemp())
    >>> graph = egonet.store.read_csr(folder)
    >>> graph.directed, graph.node_ids.tolist()
    ('out', [1, 2, 5])
    """
    require_extra("pyarrow", "reading Parquet", extra="io")
    path = as_path("folder", folder)
    if name is not None and (not isinstance(name, str) or name != Path(name).name or not name):
        raise InputError(f"name must be the text after nodes_ in the name of a file, got {show_value(name)}.")
    chosen = _only_name(path) if name is None else name
    files = [path / f"{part}_{chosen}.parquet" for part in _PARTS]
    nodes = _read_table(files[0])
    facts = _facts(path, [_read_schema(file) for file in files])
    try:
        pointers = _read_numbers(files[2], "ptr", np.int64)
        targets = _read_numbers(files[1], "target", np.int32)
        if nodes.num_rows != len(pointers) - 1 or not nodes.num_columns:
            raise ValueError(f"it has {nodes.num_rows:,} nodes, but {len(pointers) - 1:,} rows of neighbors.")
        name_of_ids = "node" if "node" in nodes.column_names else nodes.column_names[0]
        columns = {
            name: _values(column, is_json=bool(facts["json"].get(name)))
            for name, column in zip(nodes.column_names, nodes.columns, strict=True)
            if name == name_of_ids or (name in ROLES and name in facts["json"])
        }
        ids = columns.pop(name_of_ids)
        are_rows = not len(ids) or (isinstance(ids, np.ndarray) and np.array_equal(ids, np.arange(len(ids))))
        node_ids = None if are_rows else ids if isinstance(ids, np.ndarray) else id_array(ids)
        graph = Graph(pointers, targets, node_ids, facts["directed"])
        categories = {name: as_categories(values, name) for name, values in columns.items()}
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise FileError(f"{path} is not a graph in compressed rows: {error} Write it again.") from error
    return graph.with_columns(categories) if categories else graph


def _only_name(folder: Path) -> str:
    """Return the name of the only graph in a folder."""
    if not os.path.isdir(folder):  # False if its name is too long
        raise FileError(f"there is no folder {str(folder)!r}.")
    names = sorted(each.stem.removeprefix("indptr_") for each in folder.glob("indptr_*.parquet"))
    if len(names) != 1:
        listed = ", ".join(map(repr, names)) or "none"
        raise FileError(
            f"{folder} must have one graph in compressed rows, it has {listed}. Give its name to read_csr."
        )
    return names[0]


def _facts(folder: Path, schemas: Sequence[Any]) -> dict[str, Any]:
    """Return what egonet wrote about a graph, the same in all of its files; arcs of other tools are followed out."""
    texts = {(schema.metadata or {}).get(_KEY) for schema in schemas}
    if len(texts) > 1:
        raise FileError(f"{folder} has files of several graphs: writing one was interrupted. Write it again.")
    (text,) = texts
    if text is None:
        return {"directed": "out", "json": {}}
    try:
        facts = json.loads(text)
        return {"directed": facts["directed"], "json": dict(facts["json"])}
    except (ValueError, KeyError, TypeError) as error:
        raise FileError(f"{folder} is damaged: its metadata cannot be read.") from error


def _values(column: Any, *, is_json: bool) -> Any:
    """Return ids or labels: whole numbers as an array, everything else as a list."""
    import pyarrow

    if is_json:
        return [from_json(json.loads(value)) for value in column.to_pylist()]
    if pyarrow.types.is_int64(column.type) and not column.null_count:
        return column.to_numpy()
    return column.to_pylist()


def _read_numbers(path: Path, column: str, dtype: Any) -> Array:
    """Return a column of a Parquet file as an array; its row groups are read by several threads.

    Raises ValueError for values that are no whole numbers or do not fit the type.
    """
    import pyarrow
    from pyarrow import parquet

    with _reading(path):
        metadata = parquet.read_metadata(path)
    groups = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    starts = np.concatenate([[0], np.cumsum(groups, dtype=np.int64)])
    numbers = np.empty(int(starts[-1]), dtype=dtype)

    def read(group: int) -> None:
        with _reading(path), pyarrow.memory_map(str(path)) as source:
            file = parquet.ParquetFile(source, metadata=metadata, page_checksum_verification=True)
            values = file.read_row_group(group, columns=[column]).column(column)
        if values.null_count or not pyarrow.types.is_integer(values.type):
            raise ValueError(
                f"{column} must be whole numbers, got {values.null_count:,} nulls, {values.type}."
            )
        array: Array = values.to_numpy()
        if len(array) and int(array.max()) > np.iinfo(dtype).max:
            raise ValueError(f"{column} must be at most {np.iinfo(dtype).max:,}, got {int(array.max()):,}.")
        numbers[starts[group] : starts[group + 1]] = array

    with ThreadPoolExecutor(available_cores()) as pool:
        list(pool.map(read, range(len(groups))))
    return numbers


def _as_arrow(values: Array) -> tuple[Any, bool]:
    """Return ids or labels as a column, and whether it is JSON: where Arrow would not give the same values back."""
    import pyarrow

    if values.dtype.kind in "iu":
        return pyarrow.array(values), False
    listed = values.tolist()
    if len({type(value) for value in listed}) <= 1 and not any(
        isinstance(value, tuple) for value in listed[:1]
    ):
        with suppress(pyarrow.ArrowException, OverflowError):
            column = pyarrow.array(listed)
            if column.to_pylist() == listed:
                return column, False
    text = [json.dumps(to_json(value), ensure_ascii=False) for value in listed]
    return pyarrow.array(text, type=pyarrow.string()), True


def _as_column(name: str, values: Array) -> Iterator[Callable[[], Any]]:
    """Yield functions that return the row groups of a table with one column; mapped values are read in parts."""

    def table(first: int) -> Any:
        import pyarrow

        return pyarrow.table({name: values[first : first + MAX_ROWS].astype(np.uint64)})

    return (partial(table, first) for first in range(0, max(len(values), 1), MAX_ROWS))


def _describe(make: Callable[[], Any], metadata: dict[bytes, bytes]) -> Any:
    """Return the table of a function with metadata."""
    return make().replace_schema_metadata(metadata)


def _read_table(path: Path) -> Any:
    """Return the table of a Parquet file."""
    from pyarrow import parquet

    with _reading(path):
        return parquet.read_table(require_file(path), memory_map=True, page_checksum_verification=True)


def _read_schema(path: Path) -> Any:
    """Return the columns of a Parquet file and its metadata."""
    from pyarrow import parquet

    with _reading(path):
        return parquet.read_schema(require_file(path))


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Raise a FileError for a file that is not Parquet, or is damaged."""
    import pyarrow

    try:
        yield
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, EgonetError):
            raise
        raise FileError(f"{path} is not Parquet, or is damaged.") from error
