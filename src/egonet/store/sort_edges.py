"""Edge lists of any size sorted into CSR arrays: read once, then sorted one row range at a time."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from egonet.io.edge_stream import EdgeStream
from egonet.kernel.out_of_core import count_arcs, place_arcs, row_ranges, sort_rows
from egonet.store.folder import write_chunks
from egonet.typing import Direction, Int32s, Int64s

#: Bytes per neighbor while a row range is sorted: the neighbor, and half as much for overhead.
BYTES_PER_ARC = 6
_EDGES_AT_ONCE = 1 << 21


def sort_edges(
    stream: EdgeStream, folder: Path, memory: int, directed: Direction | None, threads: int = 0
) -> tuple[Int64s, int, int]:
    """Write `indices.npy` and `indptr.npy` of a streamed edge list; return indptr and the numbers of edges and loops.

    Edges are written as pairs of node numbers to a scratch file of 8 bytes per edge. The file is read once for every
    row range that fits into memory: arcs are placed into their rows, then each row is sorted and deduplicated.
    """
    pairs = folder / "pairs.bin"
    degrees, num_edges, loops = _spool(stream, pairs, directed, threads)
    starts = np.zeros(len(degrees) + 1, dtype=np.int64)
    np.cumsum(degrees, out=starts[1:])
    lengths = degrees  # overwritten with the lengths after deduplication, one row range at a time
    bounds = row_ranges(starts, max(memory // BYTES_PER_ARC, 1))

    def sorted_ranges() -> Iterator[Int32s]:
        for first, last in pairwise(bounds):
            begin = starts[first : last + 1] - starts[first]
            values = np.empty(int(begin[-1]), dtype=np.int32)
            following = begin[:-1].copy()
            for chunk in _read_chunks(pairs):
                place_arcs(chunk, directed, (first, last), following, values, threads)
            yield sort_rows(begin, values, lengths[first:last], threads)

    write_chunks(folder / "indices.npy", sorted_ranges())
    pairs.unlink()
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    np.save(folder / "indptr.npy", indptr)
    return indptr, num_edges, loops


def _spool(
    stream: EdgeStream, path: Path, directed: Direction | None, threads: int
) -> tuple[Int64s, int, int]:
    """Write the edges without loops as pairs of numbers; return the arcs per row and the numbers of edges and loops."""
    num_edges = loops = size = 0
    degrees = np.zeros(0, dtype=np.int64)
    with path.open("wb") as out:
        for chunk in stream.chunks():
            if chunk is None:
                out.seek(0)
                out.truncate()
                num_edges = loops = size = 0
                degrees = np.zeros(0, dtype=np.int64)
                continue
            size = max(size, int(chunk.max(initial=-1)) + 1)
            if size > len(degrees):
                degrees.resize(max(size, len(degrees) * 5 // 4), refcheck=False)
            proper = count_arcs(chunk, directed, degrees, threads)
            num_edges += len(chunk) // 2
            loops += (len(chunk) - len(proper)) // 2
            proper.tofile(out)
    return degrees[:size], num_edges, loops


def _read_chunks(pairs: Path) -> Iterator[Int32s]:
    """Yield the edges of the scratch file in chunks, both ends of an edge next to each other."""
    with pairs.open("rb") as file:
        while len(chunk := np.fromfile(file, dtype=np.int32, count=2 * _EDGES_AT_ONCE)):
            yield chunk
