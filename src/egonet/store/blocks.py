"""Blocks of an encoding: the rows of a stretch of roots, with the keys of their own columns."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from egonet.encoding.matrix import join_columns, renumber_columns, to_matrix
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import bin_degrees, order_keys
from egonet.kernel import native
from egonet.kernel.incremental import splice
from egonet.kernel.rows import Rows
from egonet.typing import Int32s, Int64s


@dataclass(frozen=True, eq=False)
class Block:
    """The rows of some consecutive roots.

    Attributes
    ----------
    indptr
        int64 (num_rows + 1,), rising from 0.
    columns
        int32 (num_entries,), rising within a row: which of `keys`.
    counts
        int32 (num_entries,), at least 1.
    keys
        int64 (num_columns, 1 + fields): radius, distance, degrees; in the order of the radii, then sorted.
    """

    indptr: Int64s
    columns: Int32s
    counts: Int32s
    keys: Int64s

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.indptr) - 1


def count_block(
    indptr: Int64s, indices: Int32s, roots: Int64s, settings: Settings, *, symmetric: bool, threads: int = 0
) -> Block:
    """Return the rows of some roots of a graph given by its arrays.

    Examples
    --------
    >>> path = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], dtype=np.int32)
    >>> block = count_block(*path, np.array([1]), Settings((1,)), symmetric=True)
    >>> block.keys.tolist(), block.counts.tolist()
    ([[1, 0, 2], [1, 1, 1]], [1, 2])
    """
    found = [
        native.encode_rows(
            indptr,
            indices,
            roots,
            radius,
            degrees=settings.degrees,
            frontier_edges=settings.frontier_edges,
            max_degree=settings.max_degree,
            symmetric=symmetric,
            threads=threads,
        )
        for radius in settings.radius
    ]
    return block_of(found, settings)


def block_of(found: list[Rows], settings: Settings) -> Block:
    """Return the rows that were found for each radius of the settings, side by side."""
    keys = [
        np.insert(rows.keys, 0, radius, axis=1) for rows, radius in zip(found, settings.radius, strict=True)
    ]
    if len(found) == 1 and settings.degree_bins is None:
        return Block(found[0].indptr, found[0].columns, found[0].counts, keys[0])
    matrix = join_columns([to_matrix(rows) for rows in found])
    return _compact(_from_matrix(matrix), _bin(np.concatenate(keys), settings), settings)


def replace_rows(old: Block, rows: Int64s, new: Block, settings: Settings) -> Block:
    """Return a block with some rows replaced by those of another; rows past its last are appended.

    Examples
    --------
    >>> settings = Settings((1,))
    >>> keys = np.array([[1, 0, 1], [1, 0, 2]])
    >>> old = Block(np.array([0, 1, 2]), np.array([0, 1], np.int32), np.array([1, 1], np.int32), keys)
    >>> new = Block(np.array([0, 1]), np.array([0], np.int32), np.array([1], np.int32), keys[1:])
    >>> replace_rows(old, np.array([0]), new, settings).keys.tolist()
    [[1, 0, 2]]
    """
    columns = (new.columns + len(old.keys)).astype(np.int32)
    indptr, joined = splice(old.indptr, old.columns, rows, new.indptr, columns)
    counts = splice(old.indptr, old.counts, rows, new.indptr, new.counts)[1]
    return _compact((indptr, joined, counts), np.concatenate([old.keys, new.keys]), settings)


def merge_keys(every: list[Int64s], settings: Settings) -> Int64s:
    """Return the distinct keys of several blocks, in column order."""
    return order_keys(np.concatenate(every), settings)[0]


def compact_rows(rows: Int64s, keys: Int64s, num_rows: int, settings: Settings) -> Block:
    """Return the block in which row `rows[i]` holds key `keys[i]` once, for every i.

    Examples
    --------
    >>> keys = np.array([[1, 1, 2], [1, 0, 2], [1, 1, 2]])
    >>> block = compact_rows(np.array([1, 0, 1]), keys, 2, Settings((1,)))
    >>> block.indptr.tolist(), block.columns.tolist(), block.counts.tolist()
    ([0, 1, 2], [0, 1], [1, 2])
    """
    ordered, places = order_keys(keys, settings)
    entries, counts = np.unique(rows * max(len(ordered), 1) + places, return_counts=True)
    owners, columns = np.divmod(entries, max(len(ordered), 1))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=num_rows))])
    return Block(indptr, columns.astype(np.int32), counts.astype(np.int32), ordered)


def _bin(keys: Int64s, settings: Settings) -> Int64s:
    binned = keys.copy()
    binned[:, 1:] = bin_degrees(keys[:, 1:], settings)
    return binned


def _from_matrix(matrix: Any) -> tuple[Int64s, Int32s, Int32s]:
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data


def _compact(rows: tuple[Int64s, Int32s, Int32s], keys: Int64s, settings: Settings) -> Block:
    """Return rows with equal keys merged, keys in order, and those that no row uses dropped."""
    indptr, columns, counts = rows
    used = np.flatnonzero(np.bincount(columns, minlength=len(keys)))
    ordered, order = order_keys(keys[used], settings)
    places = np.full(len(keys), -1, dtype=np.int64)
    places[used] = order
    matrix = csr_array((counts, columns, indptr), shape=(len(indptr) - 1, len(keys)))
    moved = renumber_columns(matrix, places, len(ordered))
    return Block(*_from_matrix(moved), ordered)
