"""Counting the rows of a stored graph; at radius 1 from the triangles of every arc, found once for all blocks."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from egonet.encoding.header import unpack_schema
from egonet.encoding.schema import Schema
from egonet.errors import FileError
from egonet.kernel.out_of_core import (
    RowRange,
    count_triangles,
    encode_arcs,
    keep_higher,
    row_ranges,
    spread_supports,
)
from egonet.kernel.reference import Rows
from egonet.store.blocks import Block, block_of, count_rows
from egonet.store.encoding import Choices, open_choices
from egonet.store.folder import (
    is_intact,
    read_part,
    scratch_folder,
    seal_folder,
    temporary_folder,
    write_chunks,
    write_part,
)
from egonet.store.graph import GraphStore, open_graph
from egonet.store.manifest import read_manifest
from egonet.typing import Degrees, Int32s, Int64s

SUPPORTS = "supports-0000"
#: A smaller share of roots is counted root by root, without finding all triangles.
SHARE_WORTH_TRIANGLES = 1 / 16
#: Two ranges of edges are in memory at a time, 8 bytes per edge each.
BYTES_PER_EDGE = 16
#: Neighbors and triangles of a row range.
BYTES_PER_ARC = 8
_ARCS_AT_ONCE = 1 << 22
_LEAST_ARCS, _MOST_ARCS = 1 << 16, 1 << 26


@dataclass(frozen=True, eq=False)
class Counter:
    """Counts ranges of roots of a stored graph, with 0 threads on all cores.

    `supports` is the folder with the triangles of every arc, or None if the kernel counts radius 1.
    """

    stored: GraphStore
    schema: Schema
    choices: Choices
    threads: int = 0
    supports: Path | None = None

    def count(self, first: int, last: int) -> Block:
        """Return the rows first ... last - 1."""
        settings = self.schema.settings
        return block_of([self._rows(radius, first, last) for radius in settings.radius], settings)

    def _rows(self, radius: int, first: int, last: int) -> Rows:
        stored, settings, choices = self.stored, self.schema.settings, self.choices
        symmetric = stored.directed is None
        if choices.divided is not None:
            return self._typed_rows(radius, first, last)
        is_ready = self.supports is not None or not settings.frontier_edges
        if radius == 1 and symmetric and choices.roots is None and is_ready:
            return rows_at_one(
                stored,
                self.supports,
                (first, last),
                degrees=settings.degrees,
                max_degree=settings.max_degree,
                labels=choices.labels,
                threads=self.threads,
            )
        roots = np.arange(first, last) if choices.roots is None else choices.roots[first:last]
        keywords: Any = {"labels": choices.labels, "symmetric": symmetric, "threads": self.threads}
        return count_rows(stored.indptr, stored.indices, roots, radius, settings, **keywords)

    def _typed_rows(self, radius: int, first: int, last: int) -> Rows:
        """Return rows in the graph with a node on every edge, in which a hop is two steps."""
        divided, roots = self.choices.divided, self.choices.roots
        assert divided is not None
        return count_rows(
            divided.indptr,
            divided.indices,
            np.arange(first, last) if roots is None else roots[first:last],
            radius * self.schema.steps,
            self.schema.settings,
            labels=self._typed_labels,
            symmetric=self.stored.directed is None,
            threads=self.threads,
        )

    @cached_property
    def _typed_labels(self) -> Int32s | None:
        """Return the label of every node and the type of every edge, in memory."""
        return None if self.choices.divided is None else self.choices.divided.labels(self.choices.labels)


def make_counter(
    folder: Path, manifest: dict[str, Any], num_missing: int, memory: int, threads: int
) -> Counter:
    """Return a counter of the rows that a folder lacks; triangles are found first if that saves time."""
    stored, schema = open_graph(folder / manifest["graph"]), unpack_schema(manifest["settings"])
    settings = schema.settings
    choices = open_choices(folder, manifest, stored.num_nodes)
    supports: Path | None = folder / SUPPORTS
    is_worth_it = choices.roots is None and num_missing > stored.num_nodes * SHARE_WORTH_TRIANGLES
    is_typed = choices.divided is not None
    if 1 not in settings.radius or stored.directed is not None or not settings.frontier_edges or is_typed:
        supports = None
    elif not has_supports(folder / SUPPORTS, stored):
        if is_worth_it:
            store_supports(stored, folder / SUPPORTS, memory=memory, threads=threads)
        else:
            supports = None
    return Counter(stored, schema, choices, threads, supports)


@dataclass(frozen=True, eq=False)
class Upward:
    """Edges, stored at the end with the lower degree (then number): in memory, or in scratch files.

    Attributes
    ----------
    begin
        int64 (num_nodes + 1,): the first edge of every node.
    bounds
        The bounds of node ranges of which two fit into memory; one range if all edges do.
    folder
        The folder of `higher.npy` and `support.npy`: the other end of every edge, and its triangles so far.
    all_edges
        These arrays, if there is one range.
    """

    begin: Int64s
    bounds: list[int]
    folder: Path | None = None
    all_edges: tuple[Int32s, Int32s] | None = None

    @property
    def num_bytes(self) -> int:
        """Return the number of bytes of the largest range."""
        return BYTES_PER_EDGE // 2 * int(np.diff(self.begin[self.bounds]).max(initial=0))

    def read(self, index: int) -> RowRange:
        """Return the first and last node of a range, the other ends of its edges and their triangles."""
        first, last = self.bounds[index : index + 2]
        if self.all_edges is not None:
            return first, last, *self.all_edges
        assert self.folder is not None
        span = int(self.begin[first]), int(self.begin[last])
        return first, last, read_part(self.folder, "higher", *span), read_part(self.folder, "support", *span)

    def write(self, index: int, support: Int32s) -> None:
        if self.folder is not None:
            write_part(self.folder, "support", int(self.begin[self.bounds[index]]), support)


def store_supports(stored: GraphStore, folder: Path, *, memory: int, threads: int = 0) -> None:
    """Write the number of triangles of every arc of an undirected graph, as `supports.npy` in a folder.

    Examples
    --------
    A triangle 0-1-2 with an edge 2-3.

    >>> import tempfile
    >>> from egonet import Graph
    >>> from egonet.store.graph import store_graph
    >>> path = Path(tempfile.mkdtemp())
    >>> stored = store_graph(Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3)], 4), path / "graph")
    >>> store_supports(stored, path / "supports", memory=10**6)
    >>> read_part(path / "supports", "supports", 0, 8).tolist()
    [1, 1, 1, 1, 1, 1, 0, 0]

    Notes
    -----
    Edges take 8 bytes each. If they do not all fit, they are scratch files, and every pair of edge ranges is read into
    memory once: with s ranges the files are read s times.
    """
    with temporary_folder(folder) as temporary, scratch_folder(folder) as scratch:
        edges = _orient_edges(stored, scratch, memory, threads)
        _find_triangles(edges, threads)
        write_chunks(temporary / "supports.npy", _at_both_ends(stored, edges, memory, threads))
        seal_folder(temporary, folder, {"graph": stored.digest})


def has_supports(folder: Path, stored: GraphStore) -> bool:
    """Return whether a folder has all triangles of this graph."""
    return is_intact(folder) and read_manifest(folder, "a folder of triangles").get("graph") == stored.digest


def rows_at_one(
    stored: GraphStore,
    folder: Path | None,
    span: tuple[int, int],
    *,
    degrees: Degrees,
    max_degree: int | None,
    labels: Int32s | None = None,
    threads: int = 0,
) -> Rows:
    """Return the rows of consecutive roots at radius 1 from the triangles of their arcs.

    Without a folder the triangles are 0, which gives the rows of `frontier_edges=False`.
    """
    arcs = int(stored.indptr[span[0]]), int(stored.indptr[span[1]])
    none = np.empty(0, dtype=np.int32)
    supports = (
        np.zeros(arcs[1] - arcs[0], np.int32) if folder is None else read_part(folder, "supports", *arcs)
    )
    if supports.dtype != np.int32 or (
        len(supports) and not 0 <= supports.min() <= supports.max() < stored.num_nodes
    ):
        raise FileError(
            f"{folder} is damaged: the number of triangles of an arc is out of range. Run the same command again."
        )
    indices = none if labels is None else read_part(stored.folder, "indices", *arcs)
    return encode_arcs(
        stored.indptr,
        span,
        (indices, supports),
        degrees=degrees,
        max_degree=max_degree,
        labels=labels,
        threads=threads,
    )


def _orient_edges(stored: GraphStore, scratch: Path, memory: int, threads: int) -> Upward:
    """Return every edge at its end with the lower degree."""
    lengths = np.zeros(stored.num_nodes + 1, dtype=np.int64)

    def chunks() -> Iterator[Int32s]:
        for first, last in pairwise(row_ranges(stored.indptr, _ARCS_AT_ONCE)):
            indices = read_part(stored.folder, "indices", int(stored.indptr[first]), int(stored.indptr[last]))
            higher = np.empty(len(indices), dtype=np.int32)
            part = lengths[first + 1 : last + 1]
            yield keep_higher(stored.indptr, (first, last), indices, higher, part, threads)

    num_edges = len(stored.indices) // 2
    if num_edges * BYTES_PER_EDGE // 2 <= memory:
        higher, filled = np.empty(num_edges, dtype=np.int32), 0
        for chunk in chunks():
            higher[filled : filled + len(chunk)] = chunk
            filled += len(chunk)
        arrays = higher, np.zeros(num_edges, dtype=np.int32)
        return Upward(np.cumsum(lengths), [0, stored.num_nodes], all_edges=arrays)
    write_chunks(scratch / "higher.npy", chunks())
    begin = np.cumsum(lengths)
    write_chunks(scratch / "support.npy", _zeros(int(begin[-1])))
    return Upward(begin, row_ranges(begin, max(memory // BYTES_PER_EDGE, 1)), scratch)


def _zeros(size: int) -> Iterator[Int32s]:
    for first in range(0, size, _ARCS_AT_ONCE):
        yield np.zeros(min(_ARCS_AT_ONCE, size - first), dtype=np.int32)


def _find_triangles(edges: Upward, threads: int) -> None:
    """Find every triangle while the ranges of its lowest and its middle node are in memory."""
    for j in range(len(edges.bounds) - 1):
        middle = edges.read(j)
        for i in range(len(edges.bounds) - 1):
            low = middle if i == j else edges.read(i)
            count_triangles(edges.begin, low, middle, threads)
            if i != j:
                edges.write(i, low[3])
        edges.write(j, middle[3])


def _at_both_ends(stored: GraphStore, edges: Upward, memory: int, threads: int) -> Iterator[Int32s]:
    """Yield the triangles of all arcs in order, one row range at a time."""
    most = max((memory - edges.num_bytes) // BYTES_PER_ARC, 1)
    if edges.all_edges is not None:  # more of them would not save reading
        most = min(max(most, _LEAST_ARCS), _MOST_ARCS)
    for first, last in pairwise(row_ranges(stored.indptr, most)):
        indices = read_part(stored.folder, "indices", int(stored.indptr[first]), int(stored.indptr[last]))
        supports = np.zeros(len(indices), dtype=np.int32)
        for index in range(len(edges.bounds) - 1):
            span, source = (first, last), edges.read(index)
            spread_supports(stored.indptr, span, (indices, supports), edges.begin, source, threads)
        yield supports
