"""Encodings in one .npz file: arrays and a JSON header, never a pickle; everything is validated when it is read."""

import json
from collections.abc import Callable, Hashable
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import csr_array

from egonet.encoding.count import MemoryRows, Origin, RowSource, origin_of
from egonet.encoding.settings import Settings, as_whole
from egonet.encoding.vocabulary import Unseen, Vocabulary
from egonet.errors import FileError, InputError, as_flag
from egonet.graph.digest import graph_digest
from egonet.graph.edge_table import as_objects
from egonet.graph.graph import Graph, GraphInfo
from egonet.graph.ids import is_id
from egonet.io.atomic import atomic_path
from egonet.io.npz import one_error, read_archive
from egonet.io.read import existing
from egonet.kernel.reference import Rows
from egonet.typing import Array, Int64s
from egonet.version import other_format

Arrays = dict[str, Array]
Saved = TypeVar("Saved")
FORMAT = "egonet encoding 3"
_HISTOGRAM_ARRAYS = ("indptr", "columns", "counts", "keys")


class OtherFormatError(ValueError):
    """A file has another format; the message is the end of a sentence about it."""


def save_encoding(encoding: RowSource, path: str | Path, *, graph: bool = False) -> None:
    """Write an encoding to `path` (.npz), whole or not at all, with its graph if `graph` is True."""
    if Path(path).suffix != ".npz":
        raise InputError(f"an encoding is saved as .npz, got {str(path)!r}.")
    matrix = encoding.matrix
    settings = pack_settings(encoding.vocabulary)
    unseen = _pack_unseen(encoding.unseen)
    records: dict[int, Unseen] | None = getattr(encoding, "unseen_parts", None)
    if records is not None:
        unseen["parts"] = {str(graph): _pack_unseen(record) for graph, record in records.items()}
    origin = origin_of(encoding)
    header = {
        "format": FORMAT,
        "settings": settings,
        "unseen": unseen,
        "learned": encoding.learned,
        "origin": None if origin is None else asdict(origin),
    }
    kept: Arrays = {}
    if as_flag("graph", graph):
        header["info"], kept = _pack_graph(encoding)
    parts = {name: getattr(matrix, name) for name in ("indptr", "indices", "data")}
    parts |= {"graph_ptr": encoding.graph_ptr} | _pack_nodes(encoding.nodes) | kept
    write_saved(path, header, encoding.vocabulary, parts)


def write_saved(path: str | Path, header: dict[str, Any], vocabulary: Vocabulary, parts: Arrays) -> None:
    """Write a header as JSON, the columns of a vocabulary and more arrays to an .npz file, whole or not at all."""
    arrays: Any = parts | pack_columns(vocabulary)
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with atomic_path(path) as temporary:
        np.savez(temporary, allow_pickle=False, header=text, **arrays)


def read_encoding(path: str | Path) -> MemoryRows:
    """Return the rows that `save_encoding` wrote."""
    return read_saved(path, "an encoding", _unpack)


def read_saved(path: str | Path, what: str, unpack: Callable[[Arrays], Saved]) -> Saved:
    """Return what `unpack` makes of the arrays of a file, or raise an error that names the file."""
    known = existing(path)
    try:
        with known.open("rb") as file:
            arrays = read_archive(file)
        with one_error():
            return unpack(arrays)
    except OtherFormatError as error:
        raise FileError(f"{path} {error}") from error
    except (ValueError, OSError) as error:
        raise FileError(f"{path} is not {what} that egonet saved, or is damaged.") from error


def check_format(found: object, known: str) -> None:
    """Raise unless a file has the known format; another version of it is an `OtherFormatError`."""
    if found != known:
        same_kind = str(found).rpartition(" ")[0] == known.rpartition(" ")[0]
        raise (OtherFormatError if same_kind else ValueError)(other_format(found, known))


def _unpack(arrays: Arrays) -> MemoryRows:
    """Return the encoding in the arrays of a file."""
    header = json.loads(arrays["header"].tobytes())
    check_format(header["format"], FORMAT)
    unseen = _unpack_unseen(header["unseen"])
    nodes = valid_nodes(_unpack_nodes(arrays))
    vocabulary = unpack_vocabulary(header["settings"], arrays)
    shape = (len(nodes), len(vocabulary))
    indptr = arrays["indptr"].astype(np.int64, casting="safe")
    valid_pointers(indptr, len(arrays["indices"]))
    valid_entries(arrays["indices"].astype(np.int32, casting="same_kind"), arrays["data"], len(vocabulary))
    matrix = csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)
    matrix.check_format(full_check=True)
    graph_ptr = valid_pointers(arrays["graph_ptr"], len(nodes))
    origin = None if header["origin"] is None else Origin(**header["origin"])
    if type(header["learned"]) is not bool:
        raise ValueError("learned is neither true nor false")
    encoding = MemoryRows(
        matrix, nodes, vocabulary, graph_ptr, unseen, learned=header["learned"], origin=origin
    )
    records = header["unseen"].get("parts")
    if records is not None:
        parts = {int(graph): _unpack_unseen(record) for graph, record in records.items()}
        encoding = replace(encoding, unseen_parts=parts)
    return _with_saved_graph(encoding, header, arrays) if "info" in header else encoding


def _pack_graph(encoding: RowSource) -> tuple[dict[str, Any], Arrays]:
    """Return the `info` of an encoding's graph, and its arrays, including roots and labels."""
    graph = encoding.graph
    if graph is None or len(encoding.graph_ptr) > 2:
        raise InputError("the graph can be saved only with the encoding of one graph. Leave graph out.")
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
    settings = encoding.vocabulary.settings
    if (labels is None) != (settings.labels is None):
        raise ValueError("labels without names, or names without labels")
    if labels is not None:
        valid_numbers(labels, np.int32, num_nodes, len(settings.labels or ()) + (not encoding.learned))
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
    return Unseen(clipped, dropped, num_rows, example)


def pack_settings(vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the settings of a vocabulary and its direction in a form that JSON keeps."""
    settings = asdict(vocabulary.settings)
    for name in ("labels", "edge_labels"):
        if settings[name] is not None:
            settings[name] = [to_json(label) for label in settings[name]]
    return settings | {"directed": vocabulary.directed}


def pack_columns(vocabulary: Vocabulary) -> Arrays:
    """Return the arrays of a vocabulary: its keys, and the histograms that columns stand for."""
    histograms = vocabulary.histograms
    if histograms is None:
        return {"keys": vocabulary.keys}
    packed = {f"histogram_{name}": getattr(histograms, name) for name in _HISTOGRAM_ARRAYS}
    return {"keys": vocabulary.keys} | packed


def unpack_vocabulary(header: dict[str, Any], arrays: Arrays) -> Vocabulary:
    """Return the vocabulary from the results of `pack_settings` and `pack_columns`, validated.

    >>> import egonet
    >>> vocabulary = egonet.encode(egonet.named.path("abc"), radius=1).vocabulary
    >>> unpack_vocabulary(pack_settings(vocabulary), pack_columns(vocabulary)).columns
    [(0, 1), (0, 2), (1, 1)]
    """
    names = {
        name: None if header.get(name) is None else tuple(from_json(label) for label in header[name])
        for name in ("labels", "edge_labels")
    }
    given = header | names
    directed = given.pop("directed", "any")  # early files do not have it
    settings = valid_settings(given)
    keys = valid_keys(arrays["keys"], settings)
    return Vocabulary(settings, keys, _unpack_histograms(arrays, settings), directed)


def _unpack_histograms(arrays: Arrays, settings: Settings) -> Rows | None:
    """Return the histograms among the arrays of a file, checked."""
    if "histogram_keys" not in arrays:
        return None
    histograms = valid_rows(Rows(*(arrays[f"histogram_{name}"] for name in _HISTOGRAM_ARRAYS)))
    width = 1 + (1 if settings.common else 3 if settings.rooted == "refined" else 11)
    width += settings.labels is not None
    if histograms.keys.shape[1] != width or (histograms.keys < 0).any():
        raise ValueError("the keys of the histograms are not those of the settings")
    if settings.rooted != "node" and (np.diff(histograms.indptr) == 0).any():
        raise ValueError("the histogram of an edge or a pair is empty")
    return histograms


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


def to_json(value: Any) -> Any:
    """Return an id in a form JSON keeps apart: tuples become {"tuple": [...]}.

    >>> from_json(to_json(("a", (1, 2))))
    ('a', (1, 2))
    """
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float) and value == value:  # part of a tuple, such as a position
        return float(value)
    if isinstance(value, tuple):
        return {"tuple": [to_json(item) for item in value]}
    raise InputError(
        f"ids of type {type(value).__name__} cannot be saved, got {value!r}. Use strings or numbers."
    )


def from_json(value: Any) -> Hashable:
    """Return the id that `to_json` wrote."""
    if isinstance(value, dict):
        return tuple(from_json(item) for item in value["tuple"])
    return value  # type: ignore[no-any-return]


def valid_array(array: Array, dtype: Any, ndim: int = 1) -> Array:
    """Return an array; raise unless it has this dtype and number of dimensions.

    >>> valid_array(np.arange(2), np.int32)
    Traceback (most recent call last):
        ...
    ValueError: expected int32 in 1 dimensions, got int64 in 1
    """
    if array.dtype != dtype or array.ndim != ndim:
        expected = f"{np.dtype(dtype)} in {ndim} dimensions"
        raise ValueError(f"expected {expected}, got {array.dtype} in {array.ndim}")
    return array


def valid_pointers(indptr: Array, size: int) -> Int64s:
    """Return row pointers; raise unless they are non-decreasing from 0 to `size`."""
    pointers = valid_array(indptr, np.int64)
    if not len(pointers) or pointers[0] != 0 or pointers[-1] != size or (np.diff(pointers) < 0).any():
        raise ValueError("row pointers must be non-decreasing from 0 to the number of entries")
    return pointers


def valid_rows(rows: Rows) -> Rows:
    """Return rows; raise unless every array has its dtype and columns and counts are in range."""
    valid_pointers(rows.indptr, len(rows.columns))
    valid_array(rows.keys, np.int64, 2)
    valid_entries(rows.columns, rows.counts, len(rows.keys))
    return rows


def valid_entries(columns: Array, counts: Array, num_columns: int) -> None:
    """Raise unless every count is at least 1 and every column exists."""
    valid_array(columns, np.int32)
    valid_array(counts, np.int32)
    if len(columns) != len(counts):
        raise ValueError("columns and counts differ in length")
    if len(columns) and not 0 <= columns.min() <= columns.max() < num_columns:
        raise ValueError("an entry has no column")
    if len(counts) and counts.min() < 1:
        raise ValueError("a count is below 1")


def valid_numbers(array: Array, dtype: Any, size: int, limit: int) -> None:
    """Raise unless there are `size` numbers of a type, each at least 0 and below `limit`."""
    valid_array(array, dtype)
    if len(array) != size or (size and not 0 <= array.min() <= array.max() < limit):
        raise ValueError(f"expected {size} numbers from 0 up to {limit}")


def valid_keys(keys: Array, settings: Settings) -> Int64s:
    """Return keys; raise unless their width and radii match the settings and no number is negative."""
    valid_array(keys, np.int64, 2)
    if keys.shape[1] != 1 + len(settings.field_names) or (keys < 0).any():
        raise ValueError("the keys of the columns are not those of the settings")
    if not set(np.unique(keys[:, 0]).tolist()) <= set(settings.radius):
        raise ValueError("a column has a radius that is not among the settings")
    return keys


def valid_settings(options: dict[str, Any]) -> Settings:
    """Return the settings in a file, validated."""
    strange = sorted(set(options) - {field.name for field in fields(Settings)})
    if strange:
        raise ValueError(f"there is no setting {strange[0]!r}")
    for name in ("frontier_edges", "common"):
        if not isinstance(options.get(name, True), bool):
            raise ValueError(f"{name} is neither true nor false")
    for name in ("labels", "edge_labels"):
        labels = options.get(name)
        if labels is not None and not all(isinstance(label, int | str) for label in labels):
            raise ValueError("a label is neither a string nor a whole number")
    return Settings(**options | {"radius": list(options["radius"])})


def valid_nodes(nodes: Array) -> Array:
    """Return the ids of rows; raise unless all of them are valid ids."""
    if nodes.ndim != 1:
        raise ValueError("ids must have one dimension")
    if np.issubdtype(nodes.dtype, np.integer):
        if len(nodes) and nodes.min() < 0:
            raise ValueError("an id is below 0")
    elif nodes.dtype != object or not all(is_id(node) for node in nodes.tolist()):
        raise ValueError("an id is neither a string nor a whole number")
    return nodes
