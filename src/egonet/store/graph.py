"""Graphs on disk: memory-mapped CSR arrays and ids, from a graph in memory or an edge list of any size."""

import json
import secrets
import shutil
from collections.abc import Hashable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np

from egonet.checks import as_flag
from egonet.encoding.header import from_json, to_json
from egonet.errors import EgonetError, FileError, InputError, in_python, option
from egonet.graph.cap import cap_thresholds, capped_rows
from egonet.graph.graph import Graph, GraphInfo
from egonet.graph.input_options import Ids, Missing, as_direction, check_simplify, warn_ignored
from egonet.io.edge_stream import STREAMED, EdgeStream
from egonet.io.paths import format_of, require_file, require_unchanged
from egonet.io.read import read_graph
from egonet.kernel.out_of_core import are_pointers, balance_of, row_ranges
from egonet.store.folder import open_array, read_part, seal_folder, temporary_folder, write_chunks
from egonet.store.manifest import REPAIR, check_fields, checksum, is_count, is_files, read_manifest
from egonet.store.sort_edges import sort_edges
from egonet.typing import Directed, Direction, Int32s, Int64s
from egonet.version import other_format

FORMAT = "egonet graph 2"
_ARCS_AT_ONCE = 1 << 22
_RULES = {
    "format": lambda value: value == FORMAT,
    "num_nodes": is_count,
    "num_arcs": is_count,
    "directed": lambda value: value in (None, "out", "in"),
    "info": lambda value: isinstance(value, dict),
    "ids": lambda value: value in ("none", "whole", "names", "json"),
    "digest": lambda value: isinstance(value, str),
    "files": is_files,
}


class FileOptions(TypedDict, total=False):
    """How an edge list is read, as in `read_graph`."""

    source: str | int | None
    target: str | int | None
    header: bool | None
    directed: Directed
    missing: Missing
    ids: Ids
    simplify: bool | None


@dataclass(frozen=True)
class FileReading:
    """The values of `FileOptions`."""

    source: str | int | None = None
    target: str | int | None = None
    header: bool | None = None
    directed: Directed = None
    missing: Missing = None
    ids: Ids = None
    simplify: bool | None = None

    def __post_init__(self) -> None:
        """Check what is not checked when the file is read."""
        check_simplify(self.simplify)

    def facts(self, file: Path) -> dict[str, Any]:
        """Return what decides which graph is read from a file."""
        ends = {"source": self.source, "target": self.target, "header": self.header}
        return {"format": format_of(file, None), **ends, "directed": as_direction(self.directed)}

    def check_chunked(self) -> None:
        """Raise for options that a file which is read in chunks does not support."""
        for name in ("missing", "ids"):
            if getattr(self, name) is not None:
                raise InputError(
                    f"a store reads its file in chunks, without {option(name, getattr(self, name))}. "
                    f"Give {in_python('egonet.read_graph(path, ...)', 'a file')} that has been read with it."
                )


@dataclass(frozen=True, eq=False)
class GraphStore:
    """A graph on disk with memory-mapped arrays; `verify` compares checksums when files are first used.

    The manifest has `num_nodes`, `num_arcs`, `directed`, `info`, the `digest` of the content, the `source` file and the
    options it was read with.
    """

    folder: Path
    manifest: dict[str, Any]
    verify: bool = True

    @property
    def indptr(self) -> Int64s:
        """Return the first position of every node's neighbors in `indices`."""
        return self._rows[0]

    @property
    def indices(self) -> Int32s:
        """Return the neighbors of all nodes."""
        return self._rows[1]

    @cached_property
    def _rows(self) -> tuple[Int64s, Int32s]:
        """Return both arrays, validated so that no kernel reads out of bounds."""
        indptr, indices = (
            open_array(self.folder, name, verify=self.verify) for name in ("indptr", "indices")
        )
        sizes = (self.num_nodes + 1,), (self.manifest["num_arcs"],)
        typed = indptr.dtype == np.int64 and indices.dtype == np.int32
        if not typed or (indptr.shape, indices.shape) != sizes or not self._are_rows(indptr):
            raise self._damaged()
        return indptr, indices

    def _are_rows(self, indptr: Int64s) -> bool:
        """Return whether the arrays are valid rows; an undirected graph has every arc in both directions."""
        if not are_pointers(indptr, self.manifest["num_arcs"]):
            return False
        balance, salt = 0, secrets.randbits(64)
        for first, last in pairwise(row_ranges(indptr, _ARCS_AT_ONCE)):
            part = read_part(self.folder, "indices", int(indptr[first]), int(indptr[last]))
            part_balance = balance_of(indptr, (first, last), part, salt)
            if part_balance is None:
                return False
            balance += part_balance
        return self.directed is not None or balance % 2**64 == 0

    def _damaged(self) -> FileError:
        return FileError(f"{self.folder} is damaged: its arrays do not fit together. {REPAIR}")

    @property
    def num_nodes(self) -> int:
        return int(self.manifest["num_nodes"])

    @property
    def digest(self) -> str:
        """Return the digest of the content: equal graphs with equal ids have equal digests."""
        return str(self.manifest["digest"])

    @property
    def directed(self) -> Direction | None:
        """Return the direction in which arcs are followed."""
        return self.manifest["directed"]  # type: ignore[no-any-return]

    @cached_property
    def nodes(self) -> np.ndarray[Any, Any] | None:
        """Return the ids, or None if they are 0 ... num_nodes - 1; names are decoded on first use."""
        kind, names = self.manifest["ids"], ("offsets", "names")
        if kind == "none":
            return None
        try:
            if kind == "whole":
                nodes = open_array(self.folder, "nodes", verify=self.verify)
            else:
                nodes = decode_names(*(open_array(self.folder, name, verify=self.verify) for name in names))
            if kind == "json":
                nodes[:] = [from_json(json.loads(text)) for text in nodes]
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise error if isinstance(error, EgonetError) else self._damaged() from error
        if nodes.shape != (self.num_nodes,) or (kind == "whole" and nodes.dtype not in (np.int64, np.uint64)):
            raise self._damaged()
        return nodes

    @cached_property
    def graph(self) -> Graph:
        """Return the graph as a `Graph` over the mapped arrays."""
        try:
            info = GraphInfo(**self.manifest["info"])
            return Graph.from_checked(self.indptr, self.indices, self.nodes, self.directed, info)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise error if isinstance(error, FileError) else self._damaged() from error


def open_graph(folder: str | Path, *, verify: bool = True) -> GraphStore:
    """Return the graph in a folder; `verify=False` skips the comparison of checksums."""
    path = Path(folder)
    manifest = read_manifest(path, "a graph that egonet stored")
    if manifest.get("format") != FORMAT:
        raise FileError(f"{path} {other_format(manifest.get('format'), FORMAT)}")
    check_fields(path, manifest, _RULES)
    return GraphStore(path, manifest, as_flag("verify", verify))


def build_graph(
    path: str | Path, folder: str | Path, *, memory: int, threads: int = 0, **options: Unpack[FileOptions]
) -> GraphStore:
    """Return the graph of an edge list, stored in a folder; memory does not grow with the number of edges.

    The file is read once and ids are numbered by first appearance; `sort_edges` sorts the edges. The folder appears
    when it is complete.

    Parameters
    ----------
    path
        csv, tsv, text or Parquet of any size; other formats are read into memory first.
    folder
        The folder to create. A scratch file of 8 bytes per edge is next to it meanwhile.
    memory
        Bytes that sorting may use, in addition to about 80 bytes per node and the length of its name.
    threads
        The number of threads; 0 is one per core.
    **options
        source, target, header and directed, as in `read_graph`.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "edges.txt").write_text("a b\\nb c\\nc a\\nc d\\n")
    >>> store = build_graph(folder / "edges.txt", folder / "graph", memory=10**6)
    >>> store.graph, store.indices.tolist()
    (Graph(num_nodes=4, num_edges=4), [1, 2, 0, 2, 0, 1, 3, 2])
    """
    file, final, reading = require_file(path), Path(folder), FileReading(**options)
    with temporary_folder(final) as temporary:
        with require_unchanged(file):
            before = source_of(file)
            if format_of(file, None) in STREAMED:
                reading.check_chunked()
                stream = EdgeStream(file, reading.source, reading.target, reading.header, threads)
                facts = _sort_stream(stream, temporary, memory, as_direction(reading.directed), threads)
                info = GraphInfo(**facts["info"])
                warn_ignored(
                    info,
                    directed=reading.directed,
                    source=reading.source,
                    simplify=reading.simplify,
                    is_table=True,
                )
            else:
                facts = write_graph_arrays(temporary, read_graph(file, **options))
        return seal_graph(temporary, final, facts | {"source": before, "reading": reading.facts(file)})


def source_of(file: Path) -> dict[str, Any]:
    """Return name, size and checksum of a file; only the name of a pipe."""
    if not file.is_file():
        return {"name": file.name}
    return {"name": file.name, "size": file.stat().st_size, "checksum": checksum(file)}


def store_graph(graph: Graph, folder: str | Path) -> GraphStore:
    """Return a graph from memory, stored in a folder.

    >>> import tempfile
    >>> store_graph(Graph.from_edges([("a", "b")]), Path(tempfile.mkdtemp()) / "graph").nodes.tolist()
    ['a', 'b']
    """
    final = Path(folder)
    with temporary_folder(final) as temporary:
        return seal_graph(temporary, final, write_graph_arrays(temporary, graph))


def store_capped(stored: GraphStore, folder: Path, cap: int) -> GraphStore:
    """Return a stored graph with at most `cap` edges per node, one row range at a time; the whole graph is removed."""
    with ExitStack() as undo:
        undo.callback(shutil.rmtree, stored.folder, ignore_errors=True)
        temporary = undo.enter_context(temporary_folder(folder))
        thresholds = cap_thresholds(stored.indptr, stored.indices, cap)
        degrees: list[Int64s] = [np.zeros(1, dtype=np.int64)]

        def read_rows() -> Iterator[Int32s]:
            for lengths, part in capped_rows(stored.indptr, stored.indices, thresholds):
                degrees.append(lengths)
                yield part

        write_chunks(temporary / "indices.npy", read_rows())
        indptr = np.cumsum(np.concatenate(degrees))
        np.save(temporary / "indptr.npy", indptr)
        for name in ("nodes.npy", "offsets.npy", "names.npy"):
            if (stored.folder / name).exists():
                shutil.copy(stored.folder / name, temporary / name)
        return seal_graph(temporary, folder, stored.manifest | {"num_arcs": int(indptr[-1])})


def write_graph_arrays(folder: Path, graph: Graph) -> dict[str, Any]:
    """Write the arrays of a graph and return its manifest fields."""
    np.save(folder / "indptr.npy", graph.indptr)
    np.save(folder / "indices.npy", graph.indices)
    return {
        "num_nodes": graph.num_nodes,
        "num_arcs": len(graph.indices),
        "directed": graph.directed,
        "info": vars(graph.info),
        "ids": write_ids(folder, graph.nodes),
    }


def encode_names(names: Sequence[str]) -> tuple[Int64s, np.ndarray[Any, Any]]:
    """Return names as concatenated UTF-8 bytes, and the offset of each."""
    encoded = [name.encode("utf-8", "surrogatepass") for name in names]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(name) for name in encoded], out=offsets[1:])
    return offsets, np.frombuffer(b"".join(encoded), dtype=np.uint8)


def decode_names(offsets: Int64s, data: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the names of `encode_names` as an array of strings.

    >>> decode_names(*encode_names(["ann", "böb"])).tolist()
    ['ann', 'böb']
    """
    text = data.tobytes()
    starts = offsets.tolist()
    names = np.empty(len(starts) - 1, dtype=object)
    names[:] = [text[begin:end].decode("utf-8", "surrogatepass") for begin, end in pairwise(starts)]
    return names


def seal_graph(temporary: Path, final: Path, facts: dict[str, Any]) -> GraphStore:
    """Write manifest and digest of a finished folder and move it to its name."""
    final.parent.mkdir(parents=True, exist_ok=True)
    content = blake2b(f"{FORMAT} {facts['directed']} {facts['ids']}".encode(), digest_size=16)
    for path in sorted(temporary.glob("*.npy")):
        content.update(f"{path.name} {checksum(path)}".encode())
    manifest = seal_folder(temporary, final, {"format": FORMAT, **facts, "digest": content.hexdigest()})
    return GraphStore(final, manifest)


def write_ids(folder: Path, ids: Any) -> str:
    """Write ids as arrays and return their kind; `ids` are those of a `Graph`, or the result of `encode_names`."""
    if ids is None:
        return "none"
    kind = "names"
    if not isinstance(ids, tuple):
        if np.issubdtype(ids.dtype, np.integer):
            np.save(folder / "nodes.npy", ids if ids.dtype == np.uint64 else ids.astype(np.int64))
            return "whole"
        listed: list[Hashable] = ids.tolist()
        if not all(isinstance(node, str) for node in listed):
            kind, listed = "json", [json.dumps(to_json(node)) for node in listed]
        ids = encode_names([str(node) for node in listed])
    np.save(folder / "offsets.npy", ids[0])
    np.save(folder / "names.npy", ids[1])
    return kind


def _sort_stream(
    stream: EdgeStream, folder: Path, memory: int, directed: Direction | None, threads: int
) -> dict[str, Any]:
    """Write the arrays of a streamed edge list and return the manifest fields of the graph."""
    indptr, num_edges, loops = sort_edges(stream, folder, memory, directed, threads)
    num_arcs = int(indptr[-1])
    info = GraphInfo(loops, num_edges - loops - num_arcs // (1 if directed else 2), stream.has_extra)
    return {
        "num_nodes": len(indptr) - 1,
        "num_arcs": num_arcs,
        "directed": directed,
        "info": vars(info),
        "ids": write_ids(folder, stream.ids),
    }


def ball(indptr: Int64s, indices: Int32s, sources: np.ndarray[Any, Any], radius: int) -> Int64s:
    """Return the nodes within `radius` hops of any source, sorted; only their neighbor lists are read.

    >>> path = np.array([0, 1, 3, 5, 6]), np.array([1, 0, 2, 1, 3, 2], dtype=np.int32)
    >>> ball(*path, np.array([0]), 2).tolist()
    [0, 1, 2]
    """
    reached = ring = np.unique(sources).astype(np.int64)
    for _ in range(radius):
        ring = np.setdiff1d(lists_of(indptr, indices, ring), reached).astype(np.int64)
        if not len(ring):
            break
        reached = np.union1d(reached, ring)
    return reached


def lists_of(indptr: Int64s, indices: Int32s, nodes: Int64s) -> Int32s:
    """Return the neighbors of several nodes, concatenated.

    >>> path = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], dtype=np.int32)
    >>> lists_of(*path, np.array([2, 1])).tolist()
    [1, 0, 2]
    """
    begin, degrees = indptr[nodes], indptr[nodes + 1] - indptr[nodes]
    ends = np.cumsum(degrees)
    positions = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begin - (ends - degrees), degrees)
    return np.asarray(indices[positions])


def induce_subgraph(indptr: Int64s, indices: Int32s, nodes: Int64s) -> tuple[Int64s, Int32s]:
    """Return the subgraph induced by sorted `nodes`, in their order.

    >>> path = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], dtype=np.int32)
    >>> [part.tolist() for part in induce_subgraph(*path, np.array([1, 2]))]
    [[0, 1, 2], [1, 0]]
    """
    neighbors = lists_of(indptr, indices, nodes)
    owners = np.repeat(np.arange(len(nodes)), indptr[nodes + 1] - indptr[nodes])
    positions = np.searchsorted(nodes, neighbors)
    inside = nodes[np.minimum(positions, len(nodes) - 1)] == neighbors
    lengths = np.bincount(owners[inside], minlength=len(nodes))
    return np.concatenate([[0], np.cumsum(lengths)]), positions[inside].astype(np.int32)
