"""Rows after edges changed, by a contract like the kernel's: what differs goes in, what differs comes out."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from egonet import _native
from egonet.kernel.native import ENDLESS
from egonet.types import Degrees, Int32s, Int64s


@dataclass(frozen=True, eq=False)
class ListPatch:
    """Neighbour lists that replace those of a graph.

    Attributes
    ----------
    owners
        int32 (num_lists,), rising: whose list; vertices past the graph's last are new.
    indptr
        int64 (num_lists + 1,): list i is `indices[indptr[i]:indptr[i + 1]]`.
    indices
        int32, rising per list.
    """

    owners: Int32s
    indptr: Int64s
    indices: Int32s


@dataclass(frozen=True, eq=False)
class RowPatch:
    """Rows that differ from those of an encoding.

    Attributes
    ----------
    rows
        int64 (num_rows,), rising: which row; rows past the encoding's last are new.
    indptr
        int64 (num_rows + 1,): row i is `columns[indptr[i]:indptr[i + 1]]`.
    partial
        uint8 (num_rows,): 1 if the row is to be added to the encoding's, 0 if it replaces it.
    columns
        int32: which key; numbers past the encoding's last column are keys it had not.
    counts
        int32: at least 1, but for partial rows, where they may be negative.
    """

    rows: Int64s
    indptr: Int64s
    partial: np.ndarray[Any, np.dtype[np.uint8]]
    columns: Int32s
    counts: Int32s

    def only(self, place: int) -> "RowPatch":
        """Return the patch of one row alone."""
        begin, end = self.indptr[place : place + 2].tolist()
        one, part = slice(place, place + 1), slice(begin, end)
        indptr = np.array([0, end - begin], dtype=np.int64)
        return RowPatch(self.rows[one], indptr, self.partial[one], self.columns[part], self.counts[part])


@dataclass(frozen=True, eq=False)
class Patch:
    """Everything that differs between an encoding and a later version of it.

    Attributes
    ----------
    num_nodes
        The number of vertices of the later version.
    lists
        The neighbour lists that differ.
    rows
        The rows that differ.
    extra_keys
        int64 (num_extra, 1 + fields): the keys of the columns past the encoding's last, in no order.
    """

    num_nodes: int
    lists: ListPatch
    rows: RowPatch
    extra_keys: Int64s


_NONE32, _NONE64, _START = np.empty(0, np.int32), np.empty(0, np.int64), np.zeros(1, np.int64)
_NO_LISTS = ListPatch(_NONE32, _START, _NONE32)
_NO_ROWS = RowPatch(_NONE64, _START, np.empty(0, np.uint8), _NONE32, _NONE32)


def empty_patch(num_nodes: int, width: int) -> Patch:
    """Return the patch of an encoding that has not changed."""
    return Patch(num_nodes, _NO_LISTS, _NO_ROWS, np.empty((0, width), np.int64))


def update_rows(
    graph: tuple[Int64s, Int32s],
    matrix: tuple[Any, Any, Int32s],
    keys: Int64s,
    patch: Patch,
    changes: tuple[Int32s, Int32s],
    *,
    num_nodes: int,
    radii: Int64s,
    degrees: Degrees,
    frontier_edges: bool,
    max_degree: int | None,
    log_bins: bool,
    labels: Int32s | None,
    roots: Int64s | None,
    limit: int,
    threads: int = 0,
) -> Patch | None:
    """Return the patch after some edges were removed and then others added, or None if that is too much work.

    Notes
    -----
    The contract::

        graph       indptr int64, indices int32 of an undirected graph, as for the kernel
        matrix      indptr and columns int32 or int64, counts int32: its encoding
        keys        int64 (num_columns, 1 + fields): radius, distance, ...; a sorted block per radius
        patch       what differs by now from `graph` and `matrix`; vertices up to patch.num_nodes
        changes     int32 (num_removed, 2) edges that are there, int32 (num_added, 2) edges that are not
        num_nodes   >= patch.num_nodes; the vertices in between are new
        labels      int32 (num_nodes,) or None
        roots       int64 (num_rows,): the vertex of every row; None if row v is vertex v
        limit       give up once so many roots, with repeats, were looked at
        returns     the patch that leads from `graph` and `matrix` to the changed ones
    """
    lists, rows = patch.lists, patch.rows
    found = _native.update_rows(
        *graph,
        num_nodes,
        lists.owners,
        lists.indptr,
        lists.indices,
        *changes,
        radii,
        degrees,
        frontier_edges,
        -1 if max_degree is None else min(max_degree, ENDLESS),
        log_bins,
        labels,
        keys,
        patch.extra_keys,
        *matrix,
        rows.rows,
        rows.indptr,
        rows.partial,
        rows.columns,
        rows.counts,
        roots,
        patch.num_nodes,
        limit,
        threads,
    )
    if found is None:
        return None
    new_lists, extra, new_rows = found
    return Patch(num_nodes, ListPatch(*new_lists), RowPatch(*new_rows), extra.reshape(-1, keys.shape[1]))


def complete_rows(matrix: tuple[Any, Any, Int32s], keys: Int64s, patch: Patch, radii: Int64s) -> RowPatch:
    """Return the rows of a patch with nothing partial left: every row replaces the encoding's."""
    rows = patch.rows
    found = _native.complete_rows(
        radii,
        keys,
        patch.extra_keys,
        *matrix,
        rows.rows,
        rows.indptr,
        rows.partial,
        rows.columns,
        rows.counts,
    )
    return RowPatch(*found)


def splice(
    indptr: np.ndarray[Any, Any],
    values: np.ndarray[Any, Any],
    rows: np.ndarray[Any, Any],
    patch_indptr: Int64s,
    patch: np.ndarray[Any, Any],
) -> tuple[Int64s, np.ndarray[Any, Any]]:
    """Return compressed rows with some replaced: whole stretches in between are copied at once.

    `rows` is rising; rows past the last are appended, and there must be no gap between them.

    Examples
    --------
    >>> indptr, values = np.array([0, 1, 3]), np.array([7, 8, 9])
    >>> new_indptr, new_values = splice(indptr, values, np.array([0, 2]), np.array([0, 2, 3]), np.array([1, 2, 3]))
    >>> new_indptr.tolist(), new_values.tolist()
    ([0, 2, 4, 5], [1, 2, 8, 9, 3])
    """
    num_old = len(indptr) - 1
    num_rows = max(num_old, int(rows[-1]) + 1 if len(rows) else 0)
    lengths = np.zeros(num_rows, dtype=np.int64)
    np.subtract(indptr[1:], indptr[:-1], out=lengths[:num_old])
    lengths[rows] = np.diff(patch_indptr)
    new_indptr = np.zeros(num_rows + 1, dtype=np.int64)
    np.cumsum(lengths, out=new_indptr[1:])
    pieces, kept = [], 0
    for place, row in enumerate(rows.tolist()):
        begin = min(row, num_old)
        pieces.append(values[indptr[kept] : indptr[begin]])
        pieces.append(patch[patch_indptr[place] : patch_indptr[place + 1]])
        kept = min(row + 1, num_old)
    pieces.append(values[indptr[kept] :])
    return new_indptr, np.concatenate(pieces)
