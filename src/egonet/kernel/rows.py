"""The records that every kernel returns: sparse rows of counts, and the keys or histograms of their columns."""

from dataclasses import dataclass

from egonet.typing import Int32s, Int64s


@dataclass(frozen=True, eq=False)
class Rows:
    """The encoding of some roots at one radius, as arrays; the same bytes from every kernel.

    Attributes
    ----------
    indptr
        int64 (num_roots + 1,), non-decreasing from 0: row i is `columns[indptr[i]:indptr[i + 1]]`.
    columns
        int32 (num_entries,), increasing within a row: the row of `keys`.
    counts
        int32 (num_entries,), at least 1: the number of nodes of the ego-network that have the key.
    keys
        int64 (num_columns, width), sorted lexicographically, no repeats, each used by some row.
        A key is (distance, degree), (distance, same, farther) or (distance, closer, same, farther)
        for total, layered and full degrees, with the label of the node appended if there are labels.
    """

    indptr: Int64s
    columns: Int32s
    counts: Int32s
    keys: Int64s


@dataclass(frozen=True, eq=False)
class NestedRows:
    """Rows whose columns are histograms: the number of a root's pairs that have each histogram.

    Attributes
    ----------
    indptr, columns, counts
        As in `Rows`; a count is the number of the root's pairs that have the histogram of the column.
    histograms
        Row c is the histogram of column c. Histograms are distinct and in lexicographic order of their
        entries (key, count), a prefix before longer ones; each is used by some row.
    """

    indptr: Int64s
    columns: Int32s
    counts: Int32s
    histograms: Rows
