"""What every kernel returns: sparse rows of counts, and the keys or histograms their columns stand for."""

from dataclasses import dataclass

from egonet.typing import Int32s, Int64s


@dataclass(frozen=True, eq=False)
class Rows:
    """The encoding of some roots at one radius, as arrays; the same bytes from every kernel.

    Attributes
    ----------
    indptr
        int64 (num_roots + 1,), rising from 0: row i is `columns[indptr[i]:indptr[i + 1]]`.
    columns
        int32 (num_entries,), rising within a row: which key.
    counts
        int32 (num_entries,), at least 1: how many nodes of the ego-network have that key.
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
    """Rows whose columns stand for histograms: how many pairs of a root have each one.

    Attributes
    ----------
    indptr, columns, counts
        As in `Rows`; a count says how many pairs of the root have the histogram of that column.
    histograms
        Row c is the histogram that column c stands for. Histograms are distinct, in lexicographic order of
        their entries (key, count), a shorter one before those it begins; each is used by some row.
    """

    indptr: Int64s
    columns: Int32s
    counts: Int32s
    histograms: Rows
