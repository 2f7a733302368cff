"""Encodings in one .npz file: arrays and a JSON header, never a pickle; everything is validated when it is read."""

import json
import os
from collections.abc import Callable
from dataclasses import asdict, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar, get_args

import numpy as np
from scipy.sparse import csr_array

from egonet.checks import as_flag, as_whole
from egonet.encoding.count import MemoryRows, Origin, RowSource, origin_of
from egonet.encoding.header import (
    METADATA,
    Arrays,
    OtherFormatError,
    check_format,
    damage_error,
    from_json,
    pack_columns,
    pack_schema,
    to_json,
    unpack_fields,
    unpack_text,
    valid_array,
    valid_entries,
    valid_numbers,
    valid_pointers,
)
from egonet.encoding.row_index import RowIndex, RowKind
from egonet.encoding.vocabulary import Unseen, Vocabulary
from egonet.errors import EgonetError, FileError, InputError, in_python, require_extra
from egonet.graph.columns import as_objects
from egonet.graph.digest import graph_digest
from egonet.graph.graph import Graph, GraphInfo
from egonet.graph.index import is_id
from egonet.io.files import atomic_path
from egonet.io.npz import one_error, read_archive, read_array
from egonet.io.paths import as_path, npz_path, require_file
from egonet.typing import Array

Saved = TypeVar("Saved")
FORMAT = "egonet encoding 3"


def save_encoding(encoding: RowSource, path: str | Path, *, graph: bool = False) -> None:
    """Write an encoding to `path` (.npz), whole or not at all, with its graph if `graph` is True."""
    file = npz_path("an encoding", path)
    matrix = encoding.matrix
    settings = pack_schema(encoding.vocabulary.schema)
    unseen = _pack_unseen(encoding.unseen)
    records: dict[int, Unseen] | None = getattr(encoding, "unseen_parts", None)
    if records is not None:
        unseen["parts"] = {str(graph): _pack_unseen(record) for graph, record in records.items()}
    origin = origin_of(encoding)
    header = {
        "format": FORMAT,
        "settings": settings,
        "unseen": unseen,
        "index": {name: getattr(encoding.index, name) for name in ("names", "kind", "ordered")},
        "learned": encoding.learned,
        "origin": None if origin is None else asdict(origin),
    }
    graph_arrays: Arrays = {}
    if as_flag("graph", graph):
        header["info"], graph_arrays = _pack_graph(encoding)
    parts = {name: getattr(matrix, name) for name in ("indptr", "indices", "data")}
    parts |= {"graph_ptr": encoding.graph_ptr} | _pack_index(encoding.index) | graph_arrays
    write_saved(file, header, encoding.vocabulary, parts)


def write_saved(path: str | Path, header: dict[str, Any], vocabulary: Vocabulary, parts: Arrays) -> None:
    """Write a header as JSON, the columns of a vocabulary and more arrays to an .npz file, whole or not at all."""
    arrays: Any = parts | pack_columns(vocabulary)
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with atomic_path(path) as temporary:
        np.savez(temporary, allow_pickle=False, header=text, **arrays)


def read_encoding(path: str | Path) -> MemoryRows:
    """Return the rows that `save_encoding` wrote."""
    return read_saved(path, "an encoding", _unpack)


def read_saved(path: str | PathLike[str], what: str, unpack: Callable[[Arrays], Saved]) -> Saved:
    """Return what `unpack` makes of the arrays of a file, or raise an error that names the file."""
    file_path = require_file(as_path("path", path))
    try:
        with file_path.open("rb") as file:
            arrays = read_archive(file)
        with one_error():
            return unpack(arrays)
    except OtherFormatError as error:
        raise FileError(f"{path} {error}") from error
    except (ValueError, OSError) as error:
        raise damage_error(path, f"{what} that egonet saved") from error


def read_vocabulary(path: str | PathLike[str]) -> Vocabulary:
    """Return the columns in a file or a store that egonet wrote: .npz, .json, Parquet or Arrow, by its first bytes.

    >>> import egonet, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "features.parquet"
    >>> egonet.encode([("a", "b"), ("b", "c")], radius=1).write(path)
    >>> read_vocabulary(path).feature_names
    ['r1_d0_deg1', 'r1_d0_deg2', 'r1_d1_deg1']
    """
    is_folder = isinstance(path, str | PathLike) and os.path.isdir(path)  # False if its name is too long
    file = Path(path) if is_folder else require_file(path)
    try:
        if is_folder:
            return _store_vocabulary(file)
        with file.open("rb") as stream:
            first = stream.read(6)
        if first.startswith(b"PK"):
            return read_saved(path, "columns", _unpack_any)
        if first.startswith(b"PAR1") or first == b"ARROW1":
            text = _table_metadata(file, is_parquet=first.startswith(b"PAR1"))
        else:
            text = file.read_bytes()
        with one_error():
            return Vocabulary(**unpack_text(text))
    except OtherFormatError as error:
        raise FileError(f"{path} {error}") from error
    except (ValueError, OSError) as error:
        if isinstance(error, EgonetError):
            raise
        if Path(path).suffix in (".csv", ".tsv", ".mtx", ".npy"):
            raise FileError(
                f"{path} has no settings: text and arrays keep counts alone. Write the encoding as .npz, .parquet or "
                ".arrow too, or its vocabulary as .json, and give that file."
            ) from error
        raise FileError(
            f"{path} has no columns that egonet wrote, or is damaged. Give a .npz, .json, .parquet or .arrow file, "
            "or the folder, of an encoding."
        ) from error


def _store_vocabulary(folder: Path) -> Vocabulary:
    """Return the vocabulary of a store: the header in its manifest, and an array of keys."""
    with one_error():
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        part = manifest["vocabulary"]
        if Path(part).name != part or part in ("", ".."):
            raise ValueError("the manifest names a file outside of the store")
        with (folder / part / "keys.npy").open("rb") as stream:
            return unpack_vocabulary(manifest["settings"], {"keys": read_array(stream)})


def _unpack_any(arrays: Arrays) -> Vocabulary:
    """Return the vocabulary in the arrays of an encoding, an embedding or a stream."""
    header = json.loads(arrays["header"].tobytes())
    if str(header.get("format")).startswith("egonet events"):
        raise OtherFormatError(
            f"is {in_python('an EventEncoder with its history', 'the history of egonet events')}, whose columns are of "
            "events. Give an encoding."
        )
    if not header.get("has_vocabulary", True):
        raise OtherFormatError("is a stream without fixed columns. Give the file of an encoding.")
    return unpack_vocabulary(header["settings"], arrays)


def _table_metadata(file: Path, *, is_parquet: bool) -> bytes:
    """Return the header of a Parquet or Arrow table, or raise a ValueError."""
    require_extra("pyarrow", extra="io")
    import pyarrow
    from pyarrow import ipc, parquet

    try:
        if is_parquet:
            schema = parquet.read_schema(file)
        else:
            with file.open("rb") as stream, ipc.open_file(stream) as reader:
                schema = reader.schema
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(str(error)) from error
    metadata: dict[bytes, bytes] = schema.metadata or {}
    if METADATA not in metadata:
        raise OtherFormatError(
            "has no columns that egonet wrote. Give a .npz, .json, .parquet or .arrow file, or the "
            "folder, of an encoding."
        )
    return metadata[METADATA]


def unpack_vocabulary(header: dict[str, Any], arrays: Arrays) -> Vocabulary:
    """Return the vocabulary from the results of `pack_schema` and `pack_columns`, validated.

    >>> import egonet
    >>> vocabulary = egonet.encode(egonet.named.path("abc"), radius=1).vocabulary
    >>> unpack_vocabulary(pack_schema(vocabulary.schema), pack_columns(vocabulary)).columns
    [(0, 1), (0, 2), (1, 1)]
    """
    return Vocabulary(**unpack_fields(header, arrays))


def _unpack(arrays: Arrays) -> MemoryRows:
    """Return the encoding in the arrays of a file."""
    header = json.loads(arrays["header"].tobytes())
    check_format(header["format"], FORMAT)
    unseen = _unpack_unseen(header["unseen"])
    index = _unpack_index(header.get("index"), arrays)
    vocabulary = unpack_vocabulary(header["settings"], arrays)
    shape = (len(index), len(vocabulary))
    indptr = arrays["indptr"].astype(np.int64, casting="safe")
    valid_pointers(indptr, len(arrays["indices"]))
    valid_entries(arrays["indices"].astype(np.int32, casting="same_kind"), arrays["data"], len(vocabulary))
    matrix = csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)
    matrix.check_format(full_check=True)
    graph_ptr = valid_pointers(arrays["graph_ptr"], len(index))
    origin = None if header["origin"] is None else Origin(**header["origin"])
    if type(header["learned"]) is not bool:
        raise ValueError("learned is neither true nor false")
    encoding = MemoryRows(
        matrix, index, vocabulary, graph_ptr, unseen, learned=header["learned"], origin=origin
    )
    records = header["unseen"].get("parts")
    if records is not None:
        parts = {int(graph): _unpack_unseen(record) for graph, record in records.items()}
        encoding = replace(encoding, unseen_parts=parts)
    return _with_saved_graph(encoding, header, arrays) if "info" in header else encoding


def _pack_graph(encoding: RowSource) -> tuple[dict[str, Any], Arrays]:
    """Return the `info` of an encoding's graph, and its arrays, including roots and labels."""
    graph = encoding.graph
    if graph is None or len(encoding.graph_ptr) > 2 or encoding.index.kind != "node":
        raise InputError("the graph can be saved only with the rows of nodes of one graph. Leave graph out.")
    if graph.edge_columns:
        names = ", ".join(graph.edge_columns)
        raise InputError(f"a saved graph has no columns of edges, but this one has {names}. Leave graph out.")
    arrays: dict[str, Any] = {"graph_indptr": graph.indptr, "graph_indices": graph.indices}
    if encoding.roots is not None:
        packed = _pack_nodes(graph.node_ids)
        arrays |= {"roots": encoding.roots} | {f"graph_{name}": array for name, array in packed.items()}
    if encoding.labels is not None:
        arrays["labels"] = encoding.labels
    return asdict(graph.info), arrays


def _with_saved_graph(encoding: MemoryRows, header: dict[str, Any], arrays: Arrays) -> MemoryRows:
    """Return an encoding with the graph, the roots and the labels that its file keeps, checked."""
    origin, roots, labels = encoding.origin, arrays.get("roots"), arrays.get("labels")
    if origin is None or origin.every_node != (roots is None):
        raise ValueError("the graph is not the one that was encoded")
    indptr, indices = arrays["graph_indptr"], valid_array(arrays["graph_indices"], np.int32)
    valid_pointers(indptr, len(indices))
    num_nodes = len(indptr) - 1
    ids = encoding.nodes
    if roots is not None:
        named = {name: array for name, array in arrays.items() if name.startswith("graph_nodes")}
        ids = valid_nodes(_unpack_nodes({name.removeprefix("graph_"): named[name] for name in named}))
        valid_numbers(roots, np.int64, encoding.num_rows, num_nodes)
    if len(ids) != num_nodes:
        raise ValueError("the graph has another number of nodes")
    names = encoding.vocabulary.labels
    if (labels is None) != (names is None):
        raise ValueError("labels without names, or names without labels")
    if labels is not None:
        valid_numbers(labels, np.int32, num_nodes, len(names or ()) + (not encoding.learned))
    source, target = np.repeat(np.arange(num_nodes), np.diff(indptr)), indices
    if origin.directed == "in":
        source, target = target, source
    nodes = None if np.array_equal(ids, np.arange(num_nodes)) else ids
    rebuilt = Graph.from_indices(source, target, num_nodes, nodes=nodes, directed=origin.directed)
    same = np.array_equal(rebuilt.indptr, indptr) and np.array_equal(rebuilt.indices, indices)
    if not same or graph_digest(rebuilt) != origin.digest:
        raise ValueError("the graph is not the one that was encoded")
    graph = replace(rebuilt, info=GraphInfo(**header["info"]))
    return replace(encoding, graph=graph, roots=roots, labels=labels)


def _pack_unseen(unseen: Unseen) -> dict[str, Any]:
    """Return a record of unseen keys for JSON, without its rows."""
    packed = asdict(unseen) | {"example": to_json(unseen.example)}
    del packed["rows"]
    return packed


def _unpack_unseen(header: dict[str, Any]) -> Unseen:
    """Return the unseen keys of a file, validated."""
    clipped, dropped, num_rows = (as_whole(name, header[name]) for name in ("clipped", "dropped", "num_rows"))
    example: Any = from_json(header["example"])
    if example is not None and not (isinstance(example, tuple) and len(example) == 2):
        raise ValueError("the example of an unseen key is not a pair")
    unknown, num_all = (as_whole(name, header.get(name, 0)) for name in ("unknown", "num_all"))
    return Unseen(clipped, dropped, num_rows, example, unknown, num_all)


def _pack_index(index: RowIndex) -> Arrays:
    """Return the ids and times of rows as arrays without objects."""
    if index.names == ("node",):
        return _pack_nodes(index.columns[0])
    packed: Arrays = {}
    for name, column in zip(index.names, index.columns, strict=True):
        arrays = {"nodes": column} if name == "time" else _pack_nodes(column)
        packed |= {f"{name}_{each}": array for each, array in arrays.items()}
    return packed


def _unpack_index(header: Any, arrays: Arrays) -> RowIndex:
    """Return the index of a file, validated; early files have rows of nodes alone."""
    if header is None or header["names"] == ["node"]:
        return RowIndex.of_nodes(valid_nodes(_unpack_nodes(arrays)))
    names = tuple(header["names"])
    is_valid = names in (("source", "target"), ("source", "target", "time"), ("node", "time"))
    if not is_valid or header["kind"] not in get_args(RowKind) or type(header["ordered"]) is not bool:
        raise ValueError("the index is not one of nodes, pairs or events")
    columns = []
    for name in names:
        parts = {
            key.removeprefix(f"{name}_"): array for key, array in arrays.items() if key.startswith(f"{name}_")
        }
        columns.append(_valid_times(parts["nodes"]) if name == "time" else valid_nodes(_unpack_nodes(parts)))
    if len({len(column) for column in columns}) > 1:
        raise ValueError("the columns of the index differ in length")
    return RowIndex(names, tuple(columns), header["kind"], header["ordered"])


def _valid_times(times: Array) -> Array:
    if times.ndim != 1 or times.dtype.kind not in "iufM":
        raise ValueError("times are neither numbers nor dates")
    return times


def _pack_nodes(nodes: Array) -> Arrays:
    """Return node ids as arrays without objects: numbers as they are, all else as JSON text."""
    if np.issubdtype(nodes.dtype, np.integer):
        return {"nodes": nodes}
    text = json.dumps([to_json(node) for node in nodes.tolist()], ensure_ascii=False)
    return {"nodes_json": np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)}


def _unpack_nodes(arrays: Arrays) -> Array:
    """Return node ids as they were before `_pack_nodes`."""
    if "nodes" in arrays:
        return arrays["nodes"]
    text = arrays["nodes_json"].tobytes().decode("utf-8", "surrogatepass")
    return as_objects([from_json(value) for value in json.loads(text)])


def valid_nodes(nodes: Array) -> Array:
    """Return the ids of rows; raise unless all of them are valid ids."""
    if nodes.ndim != 1:
        raise ValueError("ids must have one dimension")
    if np.issubdtype(nodes.dtype, np.integer):
        return nodes
    if nodes.dtype != object or not all(is_id(node) for node in nodes.tolist()):
        raise ValueError("an id is neither a string nor a whole number")
    return nodes
