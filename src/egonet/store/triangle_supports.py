"""Triangles at every arc of a graph on disk, found in bounded memory: at radius 1 they are all a row needs."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from egonet.errors import FileError
from egonet.kernel.out_of_core import RowRange, count_triangles, encode_arcs, keep_higher, spread_supports
from egonet.kernel.rows import Rows
from egonet.store.array_folder import (
    is_sound,
    read_part,
    scratch_folder,
    seal_folder,
    temporary_folder,
    write_pieces,
)
from egonet.store.manifest import read_manifest
from egonet.store.sort_edges import stretches
from egonet.store.stored_graph import GraphStore
from egonet.typing import Degrees, Int32s, Int64s

#: Two stretches of edges are in memory at a time, 8 bytes an edge each.
BYTES_PER_EDGE = 16
_ARCS_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class Upward:
    """Edges at their lower ends, by degree and then by number, in scratch files.

    Attributes
    ----------
    folder
        Where `higher.npy` and `support.npy` are: the upper end of every edge, and its triangles found so far.
    begin
        int64 (num_nodes + 1,): where the edges of every node begin.
    bounds
        The first nodes of stretches that fit the memory, and the end.
    """

    folder: Path
    begin: Int64s
    bounds: list[int]

    def stretch(self, index: int) -> RowRange:
        """Return the first and last node of a stretch, the upper ends of its edges and their triangles."""
        first, last = self.bounds[index : index + 2]
        span = int(self.begin[first]), int(self.begin[last])
        return first, last, read_part(self.folder, "higher", *span), read_part(self.folder, "support", *span)

    def keep(self, index: int, support: Int32s) -> None:
        """Write the triangles of a stretch back."""
        span = slice(int(self.begin[self.bounds[index]]), int(self.begin[self.bounds[index + 1]]))
        if len(support):
            held = np.load(self.folder / "support.npy", mmap_mode="r+", allow_pickle=False)
            held[span] = support
            held.flush()


def store_supports(held: GraphStore, folder: Path, *, memory: int, threads: int = 0) -> None:
    """Write how many triangles every arc of an undirected graph is in, as `supports.npy` in a folder.

    Examples
    --------
    A triangle 0-1-2 with a tail 2-3.

    >>> import tempfile
    >>> from egonet import Graph
    >>> from egonet.store.stored_graph import store_graph
    >>> place = Path(tempfile.mkdtemp())
    >>> held = store_graph(Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3)], 4), place / "graph")
    >>> store_supports(held, place / "supports", memory=10**6)
    >>> read_part(place / "supports", "supports", 0, 8).tolist()
    [1, 1, 1, 1, 1, 1, 0, 0]

    Notes
    -----
    Every pair of stretches of edges is brought into memory once. With s of them the scratch files, 8 bytes an edge,
    are read s times.
    """
    with temporary_folder(folder) as temporary, scratch_folder(folder) as scratch:
        edges = _turn_upward(held, scratch, max(memory // BYTES_PER_EDGE, 1))
        _find_triangles(edges, threads)
        write_pieces(temporary / "supports.npy", _at_both_ends(held, edges, max(memory // BYTES_PER_EDGE, 1)))
        seal_folder(temporary, folder, {"graph": held.digest})


def has_supports(folder: Path, held: GraphStore) -> bool:
    """Return whether a folder holds the triangles of this graph, whole."""
    return is_sound(folder) and read_manifest(folder, "a folder of triangles").get("graph") == held.digest


def rows_at_one(
    held: GraphStore,
    folder: Path | None,
    span: tuple[int, int],
    *,
    degrees: Degrees,
    max_degree: int | None,
    labels: Int32s | None = None,
    threads: int = 0,
) -> Rows:
    """Return the rows of consecutive roots at radius 1 from the triangles of their arcs; no folder, no triangles.

    Without triangles they are the rows of `frontier_edges=False`.
    """
    arcs = int(held.indptr[span[0]]), int(held.indptr[span[1]])
    none = np.empty(0, dtype=np.int32)
    supports = (
        np.zeros(arcs[1] - arcs[0], np.int32) if folder is None else read_part(folder, "supports", *arcs)
    )
    if supports.dtype != np.int32 or (
        len(supports) and not 0 <= supports.min() <= supports.max() < held.num_nodes
    ):
        raise FileError(
            f"{folder} is damaged: an arc has triangles that cannot be. Run the same command again."
        )
    indices = none if labels is None else read_part(held.folder, "indices", *arcs)
    words: Any = {"degrees": degrees, "max_degree": max_degree, "labels": labels, "threads": threads}
    return encode_arcs(held.indptr, span, indices, supports, **words)


def _turn_upward(held: GraphStore, scratch: Path, most: int) -> Upward:
    """Write every edge at its lower end."""
    lengths = np.zeros(held.num_nodes + 1, dtype=np.int64)

    def pieces() -> Iterator[Int32s]:
        for first, last in pairwise(stretches(held.indptr, _ARCS_AT_ONCE)):
            indices = read_part(held.folder, "indices", int(held.indptr[first]), int(held.indptr[last]))
            higher = np.empty(len(indices) + 1, dtype=np.int32)
            part = lengths[first + 1 : last + 1]
            yield keep_higher(held.indptr, (first, last), indices, higher, part)

    write_pieces(scratch / "higher.npy", pieces())
    begin = np.cumsum(lengths)
    write_pieces(scratch / "support.npy", _zeros(int(begin[-1])))
    return Upward(scratch, begin, stretches(begin, most))


def _zeros(size: int) -> Iterator[Int32s]:
    for first in range(0, size, _ARCS_AT_ONCE):
        yield np.zeros(min(_ARCS_AT_ONCE, size - first), dtype=np.int32)


def _find_triangles(edges: Upward, threads: int) -> None:
    """Find every triangle, when the stretches of its lowest and its middle node are in memory."""
    for j in range(len(edges.bounds) - 1):
        middle = edges.stretch(j)
        for i in range(len(edges.bounds) - 1):
            low = middle if i == j else edges.stretch(i)
            count_triangles(edges.begin, low, middle, threads)
            if i != j:
                edges.keep(i, low[3])
        edges.keep(j, middle[3])


def _at_both_ends(held: GraphStore, edges: Upward, most: int) -> Iterator[Int32s]:
    """Yield the triangles of all arcs in order, a stretch of rows at a time."""
    for first, last in pairwise(stretches(held.indptr, most)):
        span = int(held.indptr[first]), int(held.indptr[last])
        indices = read_part(held.folder, "indices", *span)
        supports = np.zeros(len(indices), dtype=np.int32)
        following = np.asarray(held.indptr[first:last]) - span[0]
        arrays = indices, following, supports
        for index in range(len(edges.bounds) - 1):
            spread_supports(held.indptr, (first, last), arrays, edges.begin, edges.stretch(index))
        yield supports
