"""Graphs a stretch of rows at a time, for those that do not fit in memory: sorting, triangles, and rows at radius 1."""

from typing import TypeAlias

from egonet import _native
from egonet.kernel.native import ENDLESS
from egonet.kernel.rows import Rows
from egonet.kernel.threads import as_count
from egonet.typing import Degrees, Direction, Int32s, Int64s

#: First and last node, the upper ends of their edges, and the triangles found at each edge so far.
Stretch: TypeAlias = tuple[int, int, Int32s, Int32s]


def place_arcs(
    pairs: Int32s, directed: Direction | None, rows: tuple[int, int], following: Int64s, values: Int32s
) -> None:
    """Put every arc of some edges that begins in rows first ... last - 1 where its row goes on.

    Notes
    -----
    The contract: pairs int32 (2 * num_edges,), both ends side by side, no loops; following int64 (last - first,),
    where the next neighbor of every row goes in `values`, moved on by this call.
    """
    _native.place_arcs(pairs, directed or "both", *rows, following, values)


def sort_rows(starts: Int64s, values: Int32s, lengths: Int64s, threads: int = 0) -> Int32s:
    """Return the part of `values` that is left once every row is sorted and freed of repeats, in place.

    Row i is `values[starts[i]:starts[i + 1]]`; `lengths` gets how many are left of each.

    Examples
    --------
    >>> import numpy as np
    >>> values, lengths = np.array([2, 1, 2, 0], dtype=np.int32), np.empty(2, dtype=np.int64)
    >>> sort_rows(np.array([0, 3, 4]), values, lengths).tolist(), lengths.tolist()
    ([1, 2, 0], [2, 1])
    """
    return values[: _native.sort_rows(starts, values, lengths, as_count(threads))]


def keep_higher(
    indptr: Int64s, rows: tuple[int, int], indices: Int32s, higher: Int32s, lengths: Int64s
) -> Int32s:
    """Return the neighbors of rows first ... last - 1 that are above them, by degree and then by number.

    Notes
    -----
    The contract: indptr of the whole graph; indices of these rows alone; higher int32 (len(indices) + 1,), of which a
    part is returned; lengths int64 (last - first,), filled with how many each row has.
    """
    return higher[: _native.keep_higher(indptr, *rows, indices, higher, lengths)]


def count_triangles(begin: Int64s, low: Stretch, middle: Stretch, threads: int = 0) -> None:
    """Add the triangles with their lowest node in one stretch and the middle one in another (or the same) to both.

    Notes
    -----
    The contract: begin int64 (num_nodes + 1,), where the edges of every node begin among those of all.
    """
    _native.count_triangles(begin, *low, *middle, as_count(threads))


def spread_supports(
    indptr: Int64s,
    rows: tuple[int, int],
    arrays: tuple[Int32s, Int64s, Int32s],
    begin: Int64s,
    stretch: Stretch,
) -> None:
    """Copy the triangles at a stretch's edges to the arcs of rows first ... last - 1, whichever end they begin at.

    Notes
    -----
    The contract: arrays are the neighbors of these rows, where the search in each goes on (moved on by this call;
    stretches come in rising order), and the triangles of each arc, filled.
    """
    indices, following, supports = arrays
    _native.spread_supports(indptr, *rows, indices, following, begin, *stretch, supports)


def encode_arcs(
    indptr: Int64s,
    rows: tuple[int, int],
    indices: Int32s,
    supports: Int32s,
    *,
    degrees: Degrees = "total",
    max_degree: int | None = None,
    labels: Int32s | None = None,
    threads: int = 0,
) -> Rows:
    """Return the rows of consecutive roots at radius 1 from the triangles at each of their arcs.

    Examples
    --------
    The ends of an edge in no triangle.

    >>> import numpy as np
    >>> neighbors, triangles = np.array([1, 0], dtype=np.int32), np.zeros(2, dtype=np.int32)
    >>> encode_arcs(np.array([0, 1, 2]), (0, 2), neighbors, triangles).keys.tolist()
    [[0, 1], [1, 1]]

    Notes
    -----
    The contract: indptr of the whole graph; indices (read only if there are labels) and supports of these rows alone.
    """
    most = -1 if max_degree is None else min(max_degree, ENDLESS)
    return Rows(
        *_native.encode_arcs(indptr, *rows, indices, supports, degrees, most, labels, as_count(threads))
    )


def are_pointers(indptr: Int64s, num_arcs: int) -> bool:
    """Return whether `indptr` rises from 0 to `num_arcs`.

    Examples
    --------
    >>> import numpy as np
    >>> are_pointers(np.array([0, 2, 3]), 3), are_pointers(np.array([0, 4, 3]), 3)
    (True, False)
    """
    return _native.are_pointers(indptr, num_arcs)


def balance_of(indptr: Int64s, rows: tuple[int, int], indices: Int32s, salt: int) -> int | None:
    """Return a number for rows first ... last - 1, or None if they are not rising, have loops or unknown nodes.

    Added up over all rows of an undirected graph, the numbers are 0 modulo 2**64.

    Examples
    --------
    >>> import numpy as np
    >>> one_edge, loop = np.array([1, 0], dtype=np.int32), np.array([0, 0], dtype=np.int32)
    >>> balance_of(np.array([0, 1, 2]), (0, 2), one_edge, 7), balance_of(np.array([0, 1, 2]), (0, 2), loop, 7)
    (0, None)
    """
    return _native.are_rows(indptr, *rows, indices, salt)


def checksum_of(descriptor: int) -> str:
    """Return the checksum of what is left to read of an open file: four CRC-32C, as 32 hexadecimal digits."""
    return _native.file_checksum(descriptor)
