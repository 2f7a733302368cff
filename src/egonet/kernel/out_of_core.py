"""Kernels over row ranges of a graph that does not fit in memory: sorting, triangles, and encoding at radius 1."""

from typing import TypeAlias

import numpy as np

from egonet import _native
from egonet.kernel.native import available_cores, degree_limit
from egonet.kernel.reference import Rows
from egonet.typing import Degrees, Direction, Int32s, Int64s

#: First and last node of a row range, the higher ends of their edges, and the triangles found at each edge so far.
RowRange: TypeAlias = tuple[int, int, Int32s, Int32s]


def row_ranges(starts: Int64s, most: int) -> list[int]:
    """Return the bounds of row ranges with at most `most` entries each; a longer row is a range by itself.

    >>> row_ranges(np.array([0, 2, 3, 9, 10]), 4)
    [0, 2, 3, 4]
    """
    bounds, last = [0], len(starts) - 1
    while bounds[-1] < last:
        reach = int(np.searchsorted(starts, starts[bounds[-1]] + most, side="right")) - 1
        bounds.append(min(max(reach, bounds[-1] + 1), last))
    return bounds


def count_arcs(pairs: Int32s, directed: Direction | None, degrees: Int64s, threads: int = 0) -> Int32s:
    """Add the arcs of every row to `degrees`, and return the edges that are no loops, which move to the front.

    >>> degrees = np.zeros(3, dtype=np.int64)
    >>> count_arcs(np.array([1, 1, 0, 2], dtype=np.int32), None, degrees).tolist(), degrees.tolist()
    ([0, 2], [1, 0, 1])

    The contract: pairs int32 (2 * num_edges,), both ends of each edge in turn, overwritten; degrees int64, one per
    node.
    """
    return pairs[: 2 * _native.count_arcs(pairs, directed or "both", degrees, threads or available_cores())]


def place_arcs(
    pairs: Int32s,
    directed: Direction | None,
    rows: tuple[int, int],
    following: Int64s,
    values: Int32s,
    threads: int = 0,
) -> None:
    """Append every arc that starts in rows first ... last - 1 to its row, in any order.

    The contract: pairs int32 (2 * num_edges,), both ends of each edge in turn, no loops; following int64
    (last - first,), the position in `values` of the next neighbor of every row, advanced by this call.
    """
    _native.place_arcs(pairs, directed or "both", *rows, following, values, threads or available_cores())


def sort_rows(starts: Int64s, values: Int32s, lengths: Int64s, threads: int = 0) -> Int32s:
    """Sort every row in place, remove repeats, and return the part of `values` that remains.

    Row i is `values[starts[i]:starts[i + 1]]`; `lengths` receives the new length of each row.

    >>> values, lengths = np.array([2, 1, 2, 0], dtype=np.int32), np.empty(2, dtype=np.int64)
    >>> sort_rows(np.array([0, 3, 4]), values, lengths).tolist(), lengths.tolist()
    ([1, 2, 0], [2, 1])
    """
    return values[: _native.sort_rows(starts, values, lengths, threads or available_cores())]


def keep_higher(
    indptr: Int64s,
    rows: tuple[int, int],
    indices: Int32s,
    higher: Int32s,
    lengths: Int64s,
    threads: int = 0,
) -> Int32s:
    """Return the neighbors of rows first ... last - 1 that rank above them, by degree and then by number.

    The contract: indptr of the whole graph; indices of these rows only; higher int32 (len(indices),), a
    buffer whose used part is returned; lengths int64 (last - first,), filled with the length of each row.
    """
    size = _native.keep_higher(indptr, *rows, indices, higher, lengths, threads or available_cores())
    return higher[:size]


def count_triangles(begin: Int64s, low: RowRange, middle: RowRange, threads: int = 0) -> None:
    """Add the triangles with their lowest node in one row range and their middle node in another (or the same) to both.

    The contract: begin int64 (num_nodes + 1,), the position of each node's first edge among the edges of all nodes.
    """
    _native.count_triangles(begin, *low, *middle, threads or available_cores())


def spread_supports(
    indptr: Int64s,
    rows: tuple[int, int],
    arrays: tuple[Int32s, Int32s],
    begin: Int64s,
    source: RowRange,
    threads: int = 0,
) -> None:
    """Copy the triangle counts of a row range's edges to the arcs of rows first ... last - 1, in both directions.

    The contract: arrays are the neighbors of these rows and the triangle count of each arc (filled).
    """
    indices, supports = arrays
    num_threads = threads or available_cores()
    _native.spread_supports(indptr, *rows, indices, begin, *source, supports, num_threads)


def edge_supports(indptr: Int64s, indices: Int32s, colors: Int32s, triple: tuple[int, int, int]) -> Int32s:
    """Return for each arc its number of triangles whose nodes have the given colors; the reverse of each arc stays 0.

    A triangle 0-1-2 with a tail 2-3, all of one color: three arcs are in one triangle each.

    >>> indptr = np.array([0, 2, 4, 7, 8])
    >>> indices = np.array([1, 2, 0, 2, 0, 1, 3, 2], dtype=np.int32)
    >>> edge_supports(indptr, indices, np.zeros(4, dtype=np.int32), (0, 0, 0)).tolist()
    [1, 1, 0, 1, 0, 0, 0, 0]

    The contract: an undirected graph as for the kernel; colors int32 (num_nodes,); returns int32 (num_arcs,).
    """
    return _native.edge_supports(indptr, indices, colors, *triple)  # type: ignore[no-any-return]


def encode_arcs(
    indptr: Int64s,
    rows: tuple[int, int],
    arcs: tuple[Int32s, Int32s],
    *,
    degrees: Degrees = "total",
    max_degree: int | None = None,
    labels: Int32s | None = None,
    threads: int = 0,
) -> Rows:
    """Return the rows of consecutive roots at radius 1 from the triangle counts of their arcs.

    The two ends of an edge that is in no triangle.

    >>> neighbors, triangles = np.array([1, 0], dtype=np.int32), np.zeros(2, dtype=np.int32)
    >>> encode_arcs(np.array([0, 1, 2]), (0, 2), (neighbors, triangles)).keys.tolist()
    [[0, 1], [1, 1]]

    The contract: indptr of the whole graph; arcs are the indices (read only if there are labels) and the triangle
    counts of these rows.
    """
    options = (degrees, degree_limit(max_degree), labels, threads or available_cores())
    return Rows(*_native.encode_arcs(indptr, *rows, *arcs, *options))


def are_pointers(indptr: Int64s, num_arcs: int) -> bool:
    """Return whether `indptr` is non-decreasing from 0 to `num_arcs`.

    >>> are_pointers(np.array([0, 2, 3]), 3), are_pointers(np.array([0, 4, 3]), 3)
    (True, False)
    """
    return _native.are_pointers(indptr, num_arcs)


def balance_of(
    indptr: Int64s, rows: tuple[int, int], indices: Int32s, salt: int, threads: int = 0
) -> int | None:
    """Return a checksum of rows first ... last - 1, or None if one is unsorted, has a loop or an unknown node.

    The sum of the checksums of all rows of an undirected graph is 0 modulo 2**64.

    >>> one_edge, loop = np.array([1, 0], dtype=np.int32), np.array([0, 0], dtype=np.int32)
    >>> balance_of(np.array([0, 1, 2]), (0, 2), one_edge, 7), balance_of(np.array([0, 1, 2]), (0, 2), loop, 7)
    (0, None)
    """
    return _native.are_rows(indptr, *rows, indices, salt, threads or available_cores())


def checksum_of(descriptor: int) -> str:
    """Return the checksum of the rest of an open file: four CRC-32C, as 32 hexadecimal digits."""
    return _native.file_checksum(descriptor)
