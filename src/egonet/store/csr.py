"""Graphs as compressed rows in Parquet files, in the layout of icebug-disk, which graph databases mount directly."""

import json
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from egonet.encoding.header import from_json, to_json
from egonet.errors import FileError, InputError, require_extra
from egonet.graph.columns import list_values
from egonet.graph.graph import Graph
from egonet.io.files import atomic_path
from egonet.io.read import existing
from egonet.typing import Array

#: The version of icebug-disk that is written, and what its files are called.
_VERSION = "1"
_PARTS = ("nodes", "indices", "indptr")
#: Where the files say what other readers of the format do not need.
_KEY = b"egonet"


def write_csr(graph: Graph, folder: str | PathLike[str], name: str = "graph") -> Path:
    """Write a graph as three Parquet files that other tools read, and return the folder.

    Parameters
    ----------
    graph
        The graph. Its labels become a column of the nodes; edge types and weights are not supported.
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
    if graph.edge_columns:
        raise InputError(
            f"compressed rows have no place for {', '.join(graph.edge_columns)}. Write the edges as a table: "
            "graph.to_arrow()."
        )
    if not name.isidentifier():
        raise InputError(f"name must be letters, digits and underscores, got {name!r}.")
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    ids, is_json = _plain_ids(graph.node_ids)
    nodes = {"id": pyarrow.array(np.arange(graph.num_nodes)), "node": pyarrow.array(ids)}
    for column, values in graph.node_columns.items():
        nodes[column] = pyarrow.array(list_values(values))
    tables = {
        "nodes": pyarrow.table(nodes),
        "indices": pyarrow.table({"target": graph.indices.astype(np.uint64)}),
        "indptr": pyarrow.table({"ptr": graph.indptr.astype(np.uint64)}),
    }
    facts = json.dumps({"directed": graph.directed, "json_ids": is_json})
    metadata = {b"icebug_disk_version": _VERSION.encode(), _KEY: facts.encode()}
    for part, table in tables.items():
        _write_table(table.replace_schema_metadata(metadata), path / f"{part}_{name}.parquet")
    kind = "INT64" if tables["nodes"].schema.field("node").type == pyarrow.int64() else "STRING"
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
    path = Path(folder)
    chosen = name or _only_name(path)
    nodes, indices, indptr = (_read_table(path / f"{part}_{chosen}.parquet") for part in _PARTS)
    facts = _facts(path, indices)
    try:
        pointers = indptr.column("ptr").to_numpy().astype(np.int64)
        targets = indices.column("target").to_numpy().astype(np.int32)
        column = "node" if "node" in nodes.column_names else nodes.column_names[0]
        values = nodes.column(column).to_pylist()
        ids = [from_json(json.loads(text)) for text in values] if facts["json_ids"] else values
        known = None if ids == list(range(len(ids))) else _as_array(ids)
        return Graph(pointers, targets, known, facts["directed"])
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise FileError(f"{path} is not a graph in compressed rows: {error} Write it again.") from error


def _only_name(folder: Path) -> str:
    """Return the name of the only graph in a folder."""
    if not folder.is_dir():
        raise FileError(f"there is no folder {str(folder)!r}.")
    names = sorted(each.stem.removeprefix("indptr_") for each in folder.glob("indptr_*.parquet"))
    if len(names) != 1:
        listed = ", ".join(map(repr, names)) or "none"
        raise FileError(f"{folder} must have one graph in compressed rows, it has {listed}. Give its name.")
    return names[0]


def _facts(folder: Path, table: Any) -> dict[str, Any]:
    """Return what egonet wrote about a graph; arcs of other tools are followed out."""
    metadata = table.schema.metadata or {}
    if _KEY not in metadata:
        return {"directed": "out", "json_ids": False}
    try:
        facts = json.loads(metadata[_KEY])
        return {"directed": facts["directed"], "json_ids": bool(facts["json_ids"])}
    except (ValueError, KeyError, TypeError) as error:
        raise FileError(f"{folder} is damaged: its metadata cannot be read.") from error


def _plain_ids(nodes: Array) -> tuple[list[Any], bool]:
    """Return ids as whole numbers or text that Parquet has, as JSON if they are of several types."""
    ids = nodes.tolist()
    if len({type(node) for node in ids}) <= 1 and not any(isinstance(node, tuple) for node in ids[:1]):
        return ids, False
    return [json.dumps(to_json(node), ensure_ascii=False) for node in ids], True


def _as_array(ids: list[Any]) -> Array:
    """Return ids as an array of one dtype, or of objects."""
    if all(isinstance(node, int | str) for node in ids) and len({type(node) for node in ids}) == 1:
        return np.array(ids)
    array = np.empty(len(ids), dtype=object)
    array[:] = ids
    return array


def _write_table(table: Any, path: Path) -> None:
    """Write a Parquet file, whole or not at all."""
    from pyarrow import parquet

    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        parquet.write_table(table, stream, compression="zstd", write_page_checksum=True)


def _read_table(path: Path) -> Any:
    """Return the table of a Parquet file."""
    import pyarrow
    from pyarrow import parquet

    try:
        return parquet.read_table(existing(path), memory_map=True)
    except pyarrow.ArrowException as error:
        raise FileError(f"{path} is not Parquet, or is damaged.") from error
