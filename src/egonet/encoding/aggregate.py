"""One row per graph from the rows of its nodes: their sum, mean or maximum, or how many have each class."""

from typing import Literal, TypeAlias

import numpy as np
from scipy.sparse import csr_array, vstack

from egonet.encoding.encoding import Encoding
from egonet.encoding.matrix import Counts
from egonet.encoding.vocabulary import UnseenPolicy
from egonet.errors import InputError
from egonet.graph.ids import show
from egonet.kernel import native
from egonet.typing import Int64s

Aggregate: TypeAlias = Literal["sum", "mean", "max", "classes"]


def aggregate_rows(matrix: Counts, graph_ptr: Int64s, aggregate: Aggregate) -> Counts:
    """Return a row per graph: the sum, mean or maximum of its nodes' rows; zeros if it has none.

    Examples
    --------
    >>> rows = csr_array(np.array([[1, 0], [3, 2], [0, 5]]))
    >>> aggregate_rows(rows, np.array([0, 2, 2, 3]), "sum").toarray().tolist()
    [[4.0, 2.0], [0.0, 0.0], [0.0, 5.0]]
    >>> aggregate_rows(rows, np.array([0, 2, 2, 3]), "mean").toarray().tolist()
    [[2.0, 1.0], [0.0, 0.0], [0.0, 5.0]]
    >>> aggregate_rows(rows, np.array([0, 2, 2, 3]), "max").toarray().tolist()
    [[3.0, 2.0], [0.0, 0.0], [0.0, 5.0]]
    """
    sizes = np.diff(graph_ptr)
    num_graphs, (num_rows, num_columns) = len(sizes), matrix.shape
    if aggregate == "max":
        entry_graph = np.repeat(np.repeat(np.arange(num_graphs), sizes), np.diff(matrix.indptr))
        cell = entry_graph * num_columns + matrix.indices
        order = np.argsort(cell, kind="stable")
        cells, starts = np.unique(cell[order], return_index=True)
        largest = np.maximum.reduceat(matrix.data[order], starts) if len(starts) else matrix.data
        places = np.divmod(cells, max(num_columns, 1))
        return csr_array((largest.astype(np.float64), places), shape=(num_graphs, num_columns))
    # Row g of the left factor picks the nodes of graph g, each with weight 1 or 1 / size.
    share = np.repeat(1.0 / np.maximum(sizes, 1), sizes) if aggregate == "mean" else np.ones(num_rows)
    return csr_array((share, np.arange(num_rows), graph_ptr), shape=(num_graphs, num_rows)) @ matrix


def class_counts(known_rows: Counts, encoding: Encoding, handle_unknown: UnseenPolicy) -> Counts:
    """Return how many nodes of each graph have each class, a class being a row of `known_rows`.

    Examples
    --------
    >>> import egonet
    >>> paths = egonet.encode([egonet.named.path(2), egonet.named.path(3)], radius=1)
    >>> class_counts(paths.matrix[[0, 3]], paths, "ignore").toarray().tolist()
    [[2, 0], [2, 1]]
    """
    num_known = known_rows.shape[0]
    stacked = vstack([known_rows, encoding.matrix], format="csr")
    # Known rows come first and all differ, so that they get the numbers 0 ... num_known - 1.
    columns = stacked.indices.astype(np.int32, copy=False)
    classes = native.row_classes(stacked.indptr.astype(np.int64), columns, stacked.data)[num_known:]
    strange = classes >= num_known
    if handle_unknown == "ignore":
        strange[encoding.unseen.rows] = True
    if handle_unknown == "error" and strange.any():
        row = int(np.argmax(strange))
        raise InputError(
            f"{int(strange.sum()):,} of {len(encoding):,} nodes have encodings that fit() never saw, first at "
            f'node {show(encoding.nodes[row])}. Fit on more graphs, or set handle_unknown="clip" or "ignore".'
        )
    graph_of = np.repeat(np.arange(encoding.num_graphs), np.diff(encoding.graph_ptr))[~strange]
    ones = np.ones(len(graph_of), dtype=np.int64)
    counts = csr_array((ones, (graph_of, classes[~strange])), shape=(encoding.num_graphs, num_known))
    counts.sum_duplicates()
    return counts
