"""The C++ kernel of exact updates: versions of an encoding, each stored as its differences from the first."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from egonet import _native
from egonet._native import Version as Version
from egonet.kernel.native import degree_limit
from egonet.typing import Array, Degrees, Int32s, Int64s


@dataclass(frozen=True, eq=False)
class ListPatch:
    """Neighbor lists that replace those of a graph.

    Attributes
    ----------
    owners
        int32 (num_lists,), increasing: the node of each list; nodes after the graph's last node are new.
    indptr
        int64 (num_lists + 1,): list i is `indices[indptr[i]:indptr[i + 1]]`.
    indices
        int32, increasing per list.
    """

    owners: Int32s
    indptr: Int64s
    indices: Int32s


@dataclass(frozen=True, eq=False)
class RowPatch:
    """Rows that replace those of an encoding.

    Attributes
    ----------
    rows
        int64 (num_rows,), increasing: row numbers; rows after the encoding's last row are new.
    indptr
        int64 (num_rows + 1,): row i is `columns[indptr[i]:indptr[i + 1]]`.
    columns
        int32: column numbers; columns after the encoding's last column are new keys.
    counts
        int32: at least 1.
    """

    rows: Int64s
    indptr: Int64s
    columns: Int32s
    counts: Int32s


NO_LISTS = ListPatch(np.empty(0, np.int32), np.zeros(1, np.int64), np.empty(0, np.int32))


@dataclass(frozen=True, eq=False)
class UpdateStart:
    """An encoding before all changes; the arrays are shared by all later versions.

    Attributes
    ----------
    graph
        indptr int64, indices int32 of an undirected graph, as for the kernel.
    matrix
        indptr and columns int32 or int64, counts int32: its encoding.
    keys
        int64 (num_columns, 1 + fields): radius, distance, ...; a sorted block per radius.
    radii, degrees, frontier_edges, max_degree
        What is counted.
    log_bins
        Whether degrees are merged into bins.
    labels
        int32 (num_nodes,) or None.
    roots
        int64 (num_rows,): the node of every row; None if row v is node v.
    numbers
        id → node; None if ids are the nodes.
    limit
        A change gives up after visiting this many roots, repeats counted.
    max_patch
        A version with more changed entries than this is heavy.
    is_plain
        False if `change_plain` must always return None.
    """

    graph: tuple[Int64s, Int32s]
    matrix: tuple[Any, Any, Int32s]
    keys: Int64s
    radii: Int64s
    degrees: Degrees
    frontier_edges: bool
    max_degree: int | None
    log_bins: bool
    labels: Int32s | None
    roots: Int64s | None
    numbers: dict[Hashable, int] | None
    limit: int
    max_patch: int
    is_plain: bool

    def version(self) -> Version:
        """Return the first version, without changes. A version has::

        change_plain  added, removed, threads → the version after edges between nodes of `graph` changed; None if
                      the edges need a message, the version is heavy, or the change is too much work
        change        added int32 (num_added, 2) edges that are not there, removed int32 (num_removed, 2) edges
                      that are, num_nodes, labels of all nodes, threads → the version after that, or None if the
                      change is too much work
        row           row → its entries (column, count), or None if the row equals that of `matrix`
        lists         owners, indptr, indices of a `ListPatch`
        whole_rows    rows, indptr, columns, counts of a `RowPatch`
        extra_keys    int64, flat: the keys of the columns past the last of `keys`, in no order
        """
        arguments = vars(self) | {"max_degree": degree_limit(self.max_degree)}
        return _native.first_version(*arguments.pop("graph"), *arguments.pop("matrix"), *arguments.values())


def splice(
    indptr: Array, values: Array, rows: Array, patch_indptr: Int64s, patch: Array
) -> tuple[Int64s, Array]:
    """Return compressed rows with some of them replaced; the ranges between are copied as a whole.

    `rows` is increasing; rows after the last row are appended and must be consecutive.

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
    chunks, end = [], 0
    for i, row in enumerate(rows.tolist()):
        begin = min(row, num_old)
        chunks.append(values[indptr[end] : indptr[begin]])
        chunks.append(patch[patch_indptr[i] : patch_indptr[i + 1]])
        end = min(row + 1, num_old)
    chunks.append(values[indptr[end] :])
    return new_indptr, np.concatenate(chunks)
