"""Sparse count matrices: number, merge and join columns, weight entries, aggregate the rows of a graph."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack, vstack

from egonet.checks import one_of
from egonet.encoding.settings import Settings
from egonet.encoding.unknown import MOST_UNSEEN
from egonet.errors import InputError, UnseenWarning, option, show_value
from egonet.graph.input_options import warn
from egonet.kernel import native
from egonet.typing import Array, Int32s, Int64s
from egonet.typing import Counts as Counts

if TYPE_CHECKING:
    from egonet.encoding.encoding import Encoding

Weighting: TypeAlias = Literal["count", "log", "paper", "rank"]
Aggregate: TypeAlias = Literal["sum", "mean", "max", "classes", "bag"]
#: The keys and names of more columns of the paper's layout would take gigabytes.
MOST_PAPER_COLUMNS = 10**7
#: Most of a larger number of columns with several degree fields would stay empty.
MOST_LEVEL_COLUMNS = 10**5


def narrow_pointers(indptr: Array) -> Array:
    """Return row starts as int32 if they fit: scipy would widen the columns too, which many models do not accept.

    >>> narrow_pointers(np.array([0, 2, 5])).dtype, narrow_pointers(np.array([0, 2**40])).dtype
    (dtype('int32'), dtype('int64'))
    """
    return indptr.astype(np.int32 if indptr[-1] <= np.iinfo(np.int32).max else np.int64, copy=False)


def join_columns(matrices: Sequence[Counts], threads: int = 0) -> Counts:
    """Return one matrix with the columns of all, in this order; they have the same number of rows.

    >>> join_columns([csr_array(np.array([[1], [0]])), csr_array(np.array([[2, 0], [0, 3]]))]).toarray().tolist()
    [[1, 2, 0], [0, 0, 3]]
    """
    width = sum(matrix.shape[1] for matrix in matrices)
    if len(matrices) == 1:
        return matrices[0]
    if width > np.iinfo(np.int32).max:
        return hstack(matrices, format="csr", dtype=np.int32)
    parts = [(*arrays_of(matrix.astype(np.int32, copy=False)), matrix.shape[1]) for matrix in matrices]
    indptr, columns, counts = native.join_columns(parts, threads or native.available_cores())
    return csr_array((counts, columns, narrow_pointers(indptr)), shape=(matrices[0].shape[0], width))


def arrays_of(matrix: Counts) -> tuple[Int64s, Int32s, Array]:
    """Return indptr, columns and values of a matrix as the kernel takes them."""
    return (
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        np.ascontiguousarray(matrix.data),
    )


def dense_columns(matrix: Counts) -> Array:
    """Return the transposed matrix as a dense array, in which every column of the matrix is a row without gaps.

    >>> dense_columns(csr_array(np.array([[1, 0, 2], [0, 3, 0]], dtype=np.int32))).tolist()
    [[1, 0], [0, 3], [2, 0]]
    """
    if matrix.dtype not in (np.int32, np.float64):
        return np.ascontiguousarray(matrix.T.toarray())
    return native.transpose(*arrays_of(matrix), matrix.shape[1])


def renumber_columns(matrix: Counts, positions: Int64s, num_columns: int) -> Counts:
    """Return the matrix with column c moved to `positions[c]`; columns that meet are added, -1 is dropped.

    >>> matrix = csr_array(np.array([[1, 2, 3, 4]], dtype=np.int32))
    >>> renumber_columns(matrix, np.array([1, 0, 1, -1]), num_columns=3).toarray()
    array([[2, 4, 0]], dtype=int32)
    """
    if np.array_equal(positions, np.arange(len(positions))):
        return csr_array((matrix.data, matrix.indices, matrix.indptr), shape=(matrix.shape[0], num_columns))
    indices, data, indptr = positions[matrix.indices], matrix.data, matrix.indptr
    if (positions < 0).any():
        has_column = indices >= 0
        indptr = np.concatenate([[0], np.cumsum(has_column)])[indptr]
        indices, data = indices[has_column], data[has_column]
    # Merging columns writes to all three arrays, so none may be shared with the matrix given.
    parts = (data.copy(), indices.astype(np.int32), narrow_pointers(indptr).copy())
    moved = csr_array(parts, shape=(matrix.shape[0], num_columns))
    moved.has_canonical_format = False
    moved.has_sorted_indices = False
    moved.sum_duplicates()
    return moved


def replace_rows(old: Counts, new: Counts, rows: Int64s, num_rows: int) -> tuple[Counts, Int64s]:
    """Return a matrix with some rows of `old` replaced by those of `new`, and the columns that are still in use.

    Columns of `old` come first, then columns of `new`; columns that are all zero are dropped.

    >>> old, new = csr_array(np.array([[1, 0], [0, 2]])), csr_array(np.array([[5], [6]]))
    >>> matrix, used = replace_rows(old, new, np.array([1, 2]), num_rows=3)
    >>> matrix.toarray().tolist(), used.tolist()
    ([[1, 0], [0, 5], [0, 6]], [0, 2])
    """
    width = old.shape[1] + new.shape[1]
    moved = renumber_columns(new, old.shape[1] + np.arange(new.shape[1]), width)
    taken = np.arange(num_rows)
    taken[rows] = old.shape[0] + np.arange(len(rows))
    matrix = vstack([csr_array((old.data, old.indices, old.indptr), (old.shape[0], width)), moved], "csr")[
        taken
    ]
    used = np.flatnonzero(np.bincount(matrix.indices, minlength=width))
    places = np.full(width, -1)
    places[used] = np.arange(len(used))
    return renumber_columns(matrix, places, len(used)), used


def weight(matrix: Counts, weighting: Weighting, graph_ptr: Int64s | None = None) -> Counts:
    """Return the matrix with its counts weighted.

    "count" leaves them, "log" takes log2(1 + count), "paper" divides the latter by the row sum, which is what
    the published experiments used. "rank" is `rank_columns`: the rows must be all nodes of each graph.

    >>> weight(csr_array(np.array([[1, 3, 0]])), "log").toarray()
    array([[1., 2., 0.]])
    >>> weight(csr_array(np.array([[1, 7, 0]])), "paper").toarray()
    array([[0.25, 0.75, 0.  ]])
    """
    one_of("weighting", weighting, get_args(Weighting))
    if weighting == "count":
        return matrix
    if weighting == "rank":
        return rank_columns(matrix, np.array([0, matrix.shape[0]]) if graph_ptr is None else graph_ptr)
    values = np.log2(1.0 + matrix.data)
    if weighting == "paper":
        row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        values /= np.bincount(row, weights=values, minlength=matrix.shape[0])[row]
    return csr_array((values, matrix.indices, matrix.indptr), shape=matrix.shape)


def rank_columns(matrix: Counts, graph_ptr: Int64s) -> Counts:
    """Return the matrix with every count replaced by its rank in its column, among the nodes of its own graph.

    The rank is the share of nodes with a lower count, zeros included, plus half the share with an equal count. 0 stays
    0, so the result is as sparse as the counts.

    >>> rank_columns(csr_array(np.array([[3, 0], [5, 1], [5, 0], [9, 0]])), np.array([0, 4])).toarray()
    array([[0.125, 0.   ],
           [0.5  , 0.875],
           [0.5  , 0.   ],
           [0.875, 0.   ]])
    """
    sizes, num_columns = np.diff(graph_ptr), np.int64(matrix.shape[1])
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    owner = np.repeat(np.arange(len(sizes)), sizes)[row]
    cell = owner * num_columns + matrix.indices  # entries of one column of one graph
    order = np.lexsort((matrix.data, cell))
    cell, counts = cell[order], matrix.data[order]
    place = np.arange(len(cell))
    cell_starts = np.diff(cell, prepend=-1) != 0
    run_starts = cell_starts | (np.diff(counts, prepend=0) != 0)
    first_of_cell = place[cell_starts][np.cumsum(cell_starts) - 1]
    run = np.cumsum(run_starts) - 1
    first_of_run = place[run_starts]
    last_of_run = np.append(first_of_run[1:], len(cell))
    per_cell = np.diff(np.append(place[cell_starts], len(cell)))[np.cumsum(cell_starts) - 1]
    size = sizes[owner[order]]
    lower, next_higher = first_of_run[run] - first_of_cell, last_of_run[run] - first_of_cell
    values = np.empty(len(cell), dtype=np.float64)
    values[order] = (2 * (size - per_cell) + lower + next_higher) / (2 * size)
    return csr_array((values, matrix.indices, matrix.indptr), shape=matrix.shape)


def spread_rows(matrix: Counts, is_kept: Array) -> Counts:
    """Return rows at the places that are kept, and empty rows at the others.

    >>> spread_rows(csr_array(np.array([[1, 2]])), np.array([False, True])).toarray().tolist()
    [[0, 0], [1, 2]]
    """
    lengths = np.zeros(len(is_kept), dtype=matrix.indptr.dtype)
    lengths[is_kept] = np.diff(matrix.indptr)
    indptr = np.concatenate([matrix.indptr[:1], np.cumsum(lengths)])
    return csr_array((matrix.data, matrix.indices, indptr), shape=(len(is_kept), matrix.shape[1]))


def dense_counts(source: Any, weighting: Weighting) -> Array:
    """Return the rows of a source as a dense array; rows of a stream are converted without a sparse matrix."""
    directly = getattr(source, "to_dense", None)
    if directly is None or weighting != "count":
        directly = weight(source.matrix, weighting, source.graph_ptr).toarray
    array: Array = directly()
    return array


def distinct_keys(keys: Int64s) -> tuple[Int64s, Int64s]:
    """Return the distinct keys in lexicographic order, and for every key its position among them."""
    if not len(keys):
        return keys, np.empty(0, dtype=np.int64)
    order = np.lexsort(keys.T[::-1])
    ordered = keys[order]
    starts = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    positions = np.empty(len(keys), dtype=np.int64)
    positions[order] = np.cumsum(starts) - 1
    return ordered[starts], positions


def aggregate_rows(matrix: Counts, graph_ptr: Int64s, aggregate: Aggregate) -> Counts:
    """Return a row per graph: the sum, mean or maximum of its nodes' rows; zeros if it has none.

    >>> rows = csr_array(np.array([[1, 0], [3, 2], [0, 5]]))
    >>> aggregate_rows(rows, np.array([0, 2, 2, 3]), "sum").toarray().tolist()
    [[4.0, 2.0], [0.0, 0.0], [0.0, 5.0]]
    >>> aggregate_rows(rows, np.array([0, 2, 2, 3]), "mean").toarray().tolist()
    [[2.0, 1.0], [0.0, 0.0], [0.0, 5.0]]
    >>> aggregate_rows(rows, np.array([0, 2, 2, 3]), "max").toarray().tolist()
    [[3.0, 2.0], [0.0, 0.0], [0.0, 5.0]]
    """
    sizes = np.diff(graph_ptr)
    num_graphs, num_columns = len(sizes), matrix.shape[1]
    if aggregate == "max":
        entry_graph = np.repeat(np.repeat(np.arange(num_graphs), sizes), np.diff(matrix.indptr))
        cell = entry_graph * num_columns + matrix.indices
        order = np.argsort(cell, kind="stable")
        cells, starts = np.unique(cell[order], return_index=True)
        largest = np.maximum.reduceat(matrix.data[order], starts) if len(starts) else matrix.data
        positions = np.divmod(cells, max(num_columns, 1))
        return csr_array((largest.astype(np.float64), positions), shape=(num_graphs, num_columns))
    share = 1.0 / np.maximum(sizes, 1) if aggregate == "mean" else np.ones(num_graphs)
    if matrix.dtype != np.int32:
        matrix = matrix.astype(np.float64, copy=False)
    parts = (*arrays_of(matrix), num_columns, graph_ptr, share)
    indptr, columns, sums = native.sum_graphs(*parts, native.available_cores())
    return csr_array((sums, columns, narrow_pointers(indptr)), shape=(num_graphs, num_columns))


def paper_keys(settings: Settings, max_degree: int) -> Int64s:
    """Return every key up to the largest degree, in the order of the paper's column numbers.

    Column `distance * (max_degree + 1) + degree` holds (distance, degree), for each radius in turn.
    """
    keys = np.empty((num_paper_columns(settings, max_degree), 3), dtype=np.int64)
    first = 0
    for radius in settings.radius:
        block = keys[first : first + (radius + 1) * (max_degree + 1)]
        block[:, 0] = radius
        np.divmod(np.arange(len(block)), max_degree + 1, out=(block[:, 1], block[:, 2]))
        first += len(block)
    return keys


def bin_degrees(keys: Int64s, settings: Settings) -> Int64s:
    """Return keys with every degree replaced by the lowest of its bin.

    >>> settings = Settings((1,), degree_bins="log")
    >>> bin_degrees(np.array([[1, 0], [1, 1], [1, 3], [1, 4], [1, 1000]]), settings).tolist()
    [[1, 0], [1, 1], [1, 2], [1, 4], [1, 512]]
    """
    if settings.degree_bins != "log":  # quarters differ from graph to graph: `quarter_rows`
        return keys
    fields = slice(settings.num_distances, settings.num_distances + settings.num_fields)
    binned = keys.copy()
    degrees = keys[:, fields]
    # frexp is exact for whole numbers below 2**53: value = mantissa * 2**exponent, mantissa in [0.5, 1).
    exponents = np.frexp(np.maximum(degrees, 1).astype(np.float64))[1]
    binned[:, fields] = np.where(degrees > 0, np.int64(1) << (exponents.astype(np.int64) - 1), 0)
    return binned


def level_keys(settings: Settings, max_degree: int) -> Int64s:
    """Return every key up to a degree, or the bins of degrees up to it, whatever degrees are counted.

    >>> level_keys(Settings(0, degrees="in_out", degree_bins="log"), 2)[-1].tolist()
    [0, 0, 2, 2]
    """
    bins = [0, *(1 << power for power in range(max_degree.bit_length()))]
    levels = {"log": bins, "quantile": range(1, 5), None: range(max_degree + 1)}[settings.degree_bins]
    count = sum(radius + 1 for radius in settings.radius) * len(levels) ** settings.num_fields
    if count > MOST_LEVEL_COLUMNS:
        raise InputError(
            f"columns for every degree of {option('degrees', settings.degrees)} are at most {MOST_LEVEL_COLUMNS:,}, "
            f"got {count:,}. "
            f"Use a smaller max_degree, {option('degree_bins', 'log')}, or AddEgoEncoding.from_dataset(dataset)."
        )
    keys = [
        (radius, distance, *fields)
        for radius in settings.radius
        for distance in range(radius + 1)
        for fields in product(levels, repeat=settings.num_fields)
    ]
    return np.array(keys, dtype=np.int64)


def num_paper_columns(settings: Settings, max_degree: int) -> int:
    """Return how many columns the paper's layout has.

    >>> num_paper_columns(Settings((1, 2), layout="paper"), max_degree=4)
    25
    """
    count = sum((radius + 1) * (max_degree + 1) for radius in settings.radius)
    if count > MOST_PAPER_COLUMNS:
        raise InputError(
            f"{option('layout', 'paper')} has a column per distance and degree, at most {MOST_PAPER_COLUMNS:,}, "
            f"got {count:,}. "
            f"Use a smaller radius or max_degree, or {option('layout', 'observed')}."
        )
    return count


def paper_positions(keys: Int64s, settings: Settings, max_degree: int) -> Int64s:
    """Return the columns of some keys in the paper's layout."""
    sizes = [(radius + 1) * (max_degree + 1) for radius in settings.radius]
    first = dict(zip(settings.radius, np.cumsum([0, *sizes]).tolist(), strict=False))
    starts = np.array([first[radius] for radius in keys[:, 0].tolist()], dtype=np.int64)
    return starts + keys[:, 1] * (max_degree + 1) + keys[:, 2]


def check_strange(strange: NDArray[np.bool_], encoding: "Encoding", unseen: str) -> None:
    """Raise or warn about nodes with encodings that have no column; `strange` may have a column per radius."""
    rows = strange.reshape(len(encoding), -1).any(axis=1)
    count = int(rows.sum())
    if not count or unseen == "ignore":
        return
    where = f"first at node {show_value(encoding.nodes[int(np.argmax(rows))])}"
    if unseen == "error":
        raise InputError(
            f"{count:,} of {len(encoding):,} nodes have encodings that fit() never saw, {where}. Fit on more graphs, "
            f"or set {option('unseen', 'ignore')}."
        )
    if strange.mean() > MOST_UNSEEN:
        warn(
            f"more than half of what was counted has no column: {count:,} of {len(encoding):,} nodes have encodings "
            f"that fit() never saw, {where}. Was the encoder fitted on such graphs? Fit it on more of them; "
            f"GraphEncoder({option('unseen', 'ignore')}) does not warn.",
            UnseenWarning,
        )


def class_counts(known_rows: Counts, encoding: "Encoding", unseen: str) -> Counts:
    """Return how many nodes of each graph have each class, a class being a row of `known_rows`."""
    num_known = known_rows.shape[0]
    stacked = vstack([known_rows, encoding.matrix], format="csr")
    # Known rows come first and all differ, so they get the numbers 0 ... num_known - 1.
    columns = stacked.indices.astype(np.int32, copy=False)
    classes = native.row_classes(stacked.indptr.astype(np.int64), columns, stacked.data)[num_known:]
    strange = classes >= num_known
    if unseen == "ignore":
        strange[encoding.unseen.rows] = True
    check_strange(strange, encoding, unseen)
    return nodes_per_column(encoding.graph_ptr, np.where(strange, -1, classes), num_known)


def nodes_per_column(graph_ptr: Int64s, columns: Int64s, num_columns: int) -> Counts:
    """Return how many nodes of each graph have each column; a node with column -1 is not counted."""
    num_graphs, has_column = len(graph_ptr) - 1, columns >= 0
    graph_of = np.repeat(np.arange(num_graphs), np.diff(graph_ptr))[has_column]
    ones = np.ones(len(graph_of), dtype=np.int64)
    counts = csr_array((ones, (graph_of, columns[has_column])), shape=(num_graphs, num_columns))
    counts.sum_duplicates()
    return counts


def unseen_by_graph(
    matrix: Counts, positions: Int64s, exact: Array, graph_ptr: Int64s
) -> Iterator[tuple[int, int, int, Int64s, int]]:
    """Yield each graph with unseen columns: its number, what is clipped and dropped, its rows, and the first column.

    A column is unseen if it is not `exact`, and dropped if its position is negative.

    >>> counts = csr_array([[1, 0], [0, 2], [1, 3]])
    >>> for found in unseen_by_graph(counts, np.array([0, -1]), np.array([True, False]), np.array([0, 1, 3])):
    ...     print(found)
    (1, 0, 5, array([1, 2]), 1)
    """
    entries = np.flatnonzero(~exact[matrix.indices])
    columns, amounts = matrix.indices[entries], matrix.data[entries].astype(np.int64)
    lost = np.where(positions[columns] < 0, amounts, 0)
    rows = np.searchsorted(matrix.indptr, entries, side="right") - 1
    owner = np.searchsorted(graph_ptr, rows, side="right") - 1
    starts = np.flatnonzero(np.diff(owner, prepend=-1)).tolist()  # rows rise, and so do their graphs
    for first, last in pairwise([*starts, len(entries)]):
        dropped = int(lost[first:last].sum())
        clipped = int(amounts[first:last].sum()) - dropped
        yield int(owner[first]), clipped, dropped, np.unique(rows[first:last]), int(columns[first])
