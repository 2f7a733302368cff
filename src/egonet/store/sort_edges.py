"""Edge lists of any size sorted into compressed rows: read once, then placed a stretch of rows at a time."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from egonet.io.edge_stream import EdgeStream
from egonet.kernel.out_of_core import place_arcs, sort_rows
from egonet.store.array_folder import write_pieces
from egonet.typing import Direction, Int32s, Int64s

#: Bytes a neighbor while its stretch of rows is sorted: itself, and half as much to spare.
BYTES_PER_ARC = 6
_EDGES_AT_ONCE = 1 << 20


def sort_edges(
    stream: EdgeStream, folder: Path, memory: int, directed: Direction | None, threads: int = 0
) -> tuple[Int64s, int, int]:
    """Write `indices.npy` and `indptr.npy` of a streamed edge list; return indptr, and how many edges and loops it had.

    The edges, numbered, go to one scratch file of 8 bytes each. It is read once for every stretch of rows that fits
    the memory: an arc is put where its row begins, and when all are there each row is sorted and freed of repeats.
    """
    pairs = folder / "pairs.bin"
    degrees, num_edges, loops = _spool(stream, pairs, directed)
    starts = np.zeros(len(degrees) + 1, dtype=np.int64)
    np.cumsum(degrees, out=starts[1:])
    lengths = degrees  # those of rows without repeats take the place of those with, stretch by stretch
    bounds = stretches(starts, max(memory // BYTES_PER_ARC, 1))

    def sorted_stretches() -> Iterator[Int32s]:
        for first, last in pairwise(bounds):
            begin = starts[first : last + 1] - starts[first]
            values = np.empty(int(begin[-1]), dtype=np.int32)
            following = begin[:-1].copy()
            for piece in _pieces(pairs):
                place_arcs(piece, directed, (first, last), following, values)
            yield sort_rows(begin, values, lengths[first:last], threads)

    write_pieces(folder / "indices.npy", sorted_stretches())
    pairs.unlink()
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    np.save(folder / "indptr.npy", indptr)
    return indptr, num_edges, loops


def stretches(starts: Int64s, most: int) -> list[int]:
    """Return the first rows of stretches of at most `most` entries (a longer row stands alone), and the end.

    Examples
    --------
    >>> stretches(np.array([0, 2, 3, 9, 10]), 4)
    [0, 2, 3, 4]
    """
    bounds, last = [0], len(starts) - 1
    while bounds[-1] < last:
        reach = int(np.searchsorted(starts, starts[bounds[-1]] + most, side="right")) - 1
        bounds.append(min(max(reach, bounds[-1] + 1), last))
    return bounds


def _spool(stream: EdgeStream, path: Path, directed: Direction | None) -> tuple[Int64s, int, int]:
    """Write the edges without loops as pairs of numbers; return how many arcs each row gets, and the counts."""
    num_edges = loops = 0
    degrees = np.zeros(0, dtype=np.int64)
    with path.open("wb") as out:
        for piece in stream.chunks():
            if piece is None:
                out.seek(0)
                out.truncate()
                num_edges = loops = 0
                degrees = np.zeros(0, dtype=np.int64)
                continue
            pairs = piece.reshape(-1, 2)
            proper = pairs[pairs[:, 0] != pairs[:, 1]]
            num_edges += len(pairs)
            loops += len(pairs) - len(proper)
            proper.tofile(out)
            size = max(len(degrees), int(piece.max(initial=-1)) + 1)
            degrees.resize(size, refcheck=False)
            ends = proper.reshape(-1) if directed is None else proper[:, 0 if directed == "out" else 1]
            found = np.bincount(ends)
            degrees[: len(found)] += found
    return degrees, num_edges, loops


def _pieces(pairs: Path) -> Iterator[Int32s]:
    """Yield the spooled edges, some at a time, the two ends of every edge side by side."""
    with pairs.open("rb") as file:
        while len(piece := np.fromfile(file, dtype=np.int32, count=2 * _EDGES_AT_ONCE)):
            yield piece
