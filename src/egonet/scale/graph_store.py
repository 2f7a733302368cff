"""Graphs on disk: edge lists of any size sorted into compressed rows, a stretch of rows at a time."""

import shutil
from collections.abc import Hashable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from egonet.errors import FileError, InputError, OutputError
from egonet.graph.cap import cap_thresholds, capped_stretches
from egonet.graph.files import existing, fingerprint, format_of, read_graph, unchanged
from egonet.graph.graph import Graph, GraphInfo
from egonet.graph.ignored import as_direction, warn_ignored
from egonet.graph.stream import STREAMED, EdgeStream
from egonet.scale.folder import (
    checksum,
    open_array,
    read_manifest,
    seal_folder,
    temporary_folder,
    write_pieces,
)
from egonet.scale.sort_edges import sort_edges
from egonet.types import Directed, Direction, Int32s, Int64s

FORMAT = "egonet graph 1"


@dataclass(frozen=True, eq=False)
class GraphStore:
    """A graph on disk; its arrays are mapped into memory and read as they are used.

    Attributes
    ----------
    folder
        Where it is.
    manifest
        Its facts: `num_nodes`, `num_arcs`, `directed`, `info`, the `digest` of its content, `source` file.
    """

    folder: Path
    manifest: dict[str, Any]

    @cached_property
    def indptr(self) -> Int64s:
        """Return where the neighbours of every vertex begin."""
        return open_array(self.folder, "indptr")

    @cached_property
    def indices(self) -> Int32s:
        """Return the neighbours of all vertices."""
        return open_array(self.folder, "indices")

    @property
    def num_nodes(self) -> int:
        """Return the number of vertices."""
        return int(self.manifest["num_nodes"])

    @property
    def digest(self) -> str:
        """Return the digest of the content: equal graphs with equal ids have equal digests."""
        return str(self.manifest["digest"])

    @property
    def directed(self) -> Direction | None:
        """Return which way arcs are followed."""
        return self.manifest["directed"]  # type: ignore[no-any-return]

    @cached_property
    def nodes(self) -> np.ndarray[Any, Any] | None:
        """Return the ids, or None if they are 0 ... num_nodes - 1; names are decoded on first use."""
        kind = self.manifest["ids"]
        if kind == "none":
            return None
        if kind == "whole":
            return open_array(self.folder, "nodes")
        return decode_names(open_array(self.folder, "offsets"), open_array(self.folder, "names"))

    @cached_property
    def graph(self) -> Graph:
        """Return the record that all of egonet works with, on the same mapped arrays."""
        try:
            info = GraphInfo(**self.manifest["info"])
            return Graph.from_checked(self.indptr, self.indices, self.nodes, self.directed, info)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            if isinstance(error, FileError):
                raise
            raise FileError(f"{self.folder} is damaged: its parts do not fit together.") from error


def open_graph(folder: str | Path) -> GraphStore:
    """Return the graph in a folder."""
    path = Path(folder)
    manifest = read_manifest(path, "a graph that egonet stored")
    return GraphStore(path, manifest)


def build_graph(
    path: str | Path,
    folder: str | Path,
    *,
    memory: int,
    source: str | int | None = None,
    target: str | int | None = None,
    header: bool | None = None,
    directed: Directed = None,
) -> GraphStore:
    """Return the graph of an edge list, stored in a folder; the edges are never all in memory.

    The file is read once, ids are numbered as they come, and the edges are sorted as `sort_edges` says. The folder
    appears when it is complete.

    Parameters
    ----------
    path
        csv, tsv, text or Parquet of any size; other formats are read into memory first.
    folder
        Where to; a scratch file of 8 bytes an edge stands beside it meanwhile.
    memory
        Bytes that sorting may use. Besides, vertices take about 80 bytes each (names: their length too).
    source, target, header, directed
        As in `read_graph`.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "edges.txt").write_text("a b\\nb c\\nc a\\nc d\\n")
    >>> store = build_graph(folder / "edges.txt", folder / "graph", memory=10**6)
    >>> store.graph, store.indices.tolist()
    (Graph(num_nodes=4, num_edges=4), [1, 2, 0, 2, 0, 1, 3, 2])
    """
    file, final = existing(path), Path(folder)
    for leftover in final.parent.glob(f".{final.name}.*.part"):
        shutil.rmtree(leftover, ignore_errors=True)
    with temporary_folder(final) as temporary:
        with unchanged(file):
            before = fingerprint(file)
            if format_of(file, None) in STREAMED:
                stream = EdgeStream(file, source, target, header)
                facts = _sort_stream(stream, temporary, memory, as_direction(directed))
                warn_ignored(GraphInfo(**facts["info"]), directed=directed, source=source, is_table=True)
            else:
                words: Any = {"source": source, "target": target, "header": header}
                facts = write_graph_arrays(temporary, read_graph(file, directed=directed, **words))
        return seal_graph(temporary, final, facts | {"source": before, "columns": [source, target, header]})


def store_graph(graph: Graph, folder: str | Path) -> GraphStore:
    """Return a graph from memory, stored in a folder.

    Examples
    --------
    >>> import tempfile
    >>> store_graph(Graph.from_edges([("a", "b")]), Path(tempfile.mkdtemp()) / "graph").nodes.tolist()
    ['a', 'b']
    """
    final = Path(folder)
    with temporary_folder(final) as temporary:
        return seal_graph(temporary, final, write_graph_arrays(temporary, graph))


def store_capped(whole: GraphStore, folder: Path, cap: int) -> GraphStore:
    """Return a stored graph with at most `cap` edges a vertex, stretch by stretch; the whole one is removed."""
    if whole.directed is not None:
        raise InputError(
            "cap chooses undirected edges, and this graph is directed. Leave cap or directed out."
        )
    with ExitStack() as undo:
        undo.callback(shutil.rmtree, whole.folder, ignore_errors=True)
        temporary = undo.enter_context(temporary_folder(folder))
        thresholds = cap_thresholds(whole.indptr, whole.indices, cap)
        degrees: list[Int64s] = [np.zeros(1, dtype=np.int64)]

        def kept() -> Iterator[Int32s]:
            for lengths, part in capped_stretches(whole.indptr, whole.indices, thresholds):
                degrees.append(lengths)
                yield part

        write_pieces(temporary / "indices.npy", kept())
        indptr = np.cumsum(np.concatenate(degrees))
        np.save(temporary / "indptr.npy", indptr)
        for name in ("nodes.npy", "offsets.npy", "names.npy"):
            if (whole.folder / name).exists():
                shutil.copy(whole.folder / name, temporary / name)
        return seal_graph(temporary, folder, whole.manifest | {"num_arcs": int(indptr[-1])})


def write_graph_arrays(folder: Path, graph: Graph) -> dict[str, Any]:
    """Write the arrays of a graph and return its facts."""
    np.save(folder / "indptr.npy", graph.indptr)
    np.save(folder / "indices.npy", graph.indices)
    ids: Any = None
    if graph.nodes is not None:
        whole = np.issubdtype(graph.nodes.dtype, np.integer)
        ids = graph.nodes if whole else encode_names(graph.nodes.tolist())
    return {
        "num_nodes": graph.num_nodes,
        "num_arcs": len(graph.indices),
        "directed": graph.directed,
        "info": vars(graph.info),
        "ids": write_ids(folder, ids),
    }


def encode_names(names: list[Hashable]) -> tuple[Int64s, np.ndarray[Any, Any]]:
    """Return names as UTF-8 bytes in one line, and where each begins; refuse ids that are no strings."""
    strange = next((name for name in names if not isinstance(name, str)), None)
    if strange is not None:
        raise OutputError(
            f"a store keeps ids that are all whole numbers or all strings, got {strange!r} among others."
        )
    encoded = [str(name).encode() for name in names]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(name) for name in encoded], out=offsets[1:])
    return offsets, np.frombuffer(b"".join(encoded), dtype=np.uint8)


def decode_names(offsets: Int64s, data: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return names that `encode_names` wrote, as an array of strings.

    Examples
    --------
    >>> decode_names(*encode_names(["ann", "böb"])).tolist()
    ['ann', 'böb']
    """
    text = data.tobytes()
    starts = offsets.tolist()
    names = np.empty(len(starts) - 1, dtype=object)
    names[:] = [text[begin:end].decode() for begin, end in pairwise(starts)]
    return names


def seal_graph(temporary: Path, final: Path, facts: dict[str, Any]) -> GraphStore:
    """Give a finished folder its manifest, digest and name."""
    final.parent.mkdir(parents=True, exist_ok=True)
    content = blake2b(f"{FORMAT} {facts['directed']} {facts['ids']}".encode(), digest_size=16)
    for path in sorted(temporary.glob("*.npy")):
        content.update(f"{path.name} {checksum(path)}".encode())
    manifest = seal_folder(temporary, final, {"format": FORMAT, **facts, "digest": content.hexdigest()})
    return GraphStore(final, manifest)


def write_ids(folder: Path, ids: Any) -> str:
    """Write ids as arrays and return their kind."""
    if ids is None:
        return "none"
    if isinstance(ids, tuple):
        np.save(folder / "offsets.npy", ids[0])
        np.save(folder / "names.npy", ids[1])
        return "names"
    np.save(folder / "nodes.npy", ids)
    return "whole"


def _sort_stream(stream: EdgeStream, folder: Path, memory: int, directed: Direction | None) -> dict[str, Any]:
    """Write the arrays of a streamed edge list and return the graph's facts."""
    indptr, num_edges, loops = sort_edges(stream, folder, memory, directed)
    num_arcs = int(indptr[-1])
    info = GraphInfo(loops, num_edges - loops - num_arcs // (1 if directed else 2), stream.has_extra)
    return {
        "num_nodes": len(indptr) - 1,
        "num_arcs": num_arcs,
        "directed": directed,
        "info": vars(info),
        "ids": write_ids(folder, stream.ids),
    }
