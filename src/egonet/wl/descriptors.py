"""Graphs told apart by the multiset of their nodes' classes: one number per graph, equal only if equal."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from egonet.kernel.native import row_classes
from egonet.typing import Int64s


def graph_classes(classes: Int64s, graph_ptr: Int64s) -> Int64s:
    """Return a number per graph; equal if and only if the multisets of their nodes' classes are equal.

    Parameters
    ----------
    classes
        A class per node, of all graphs one after the other.
    graph_ptr
        Where the nodes of each graph begin, and where the last one's end.

    Examples
    --------
    >>> graph_classes(np.array([0, 1, 1, 0, 1, 1]), np.array([0, 2, 4, 6])).tolist()
    [0, 0, 1]
    """
    if not len(classes):
        return np.zeros(len(graph_ptr) - 1, dtype=np.int64)
    owner = np.repeat(np.arange(len(graph_ptr) - 1), np.diff(graph_ptr))
    ones = np.ones(len(classes), dtype=np.int32)
    shape = (len(graph_ptr) - 1, int(classes.max()) + 1)
    table = csr_array((ones, (owner, classes)), shape=shape)
    table.sum_duplicates()
    return row_classes(table.indptr.astype(np.int64), table.indices.astype(np.int32), table.data)


def equal_pairs(groups: Int64s) -> int:
    """Return how many pairs of graphs have the same number.

    Examples
    --------
    >>> equal_pairs(np.array([0, 0, 1, 0]))
    3
    """
    sizes = np.bincount(groups)
    return int((sizes * (sizes - 1) // 2).sum())


def join_classes(parts: Sequence[Int64s]) -> Int64s:
    """Return one class per node from several: equal if and only if all of them are equal.

    Examples
    --------
    >>> join_classes([np.array([0, 0, 1]), np.array([5, 7, 5])]).tolist()
    [0, 1, 2]
    """
    joined = np.zeros(len(parts[0]), dtype=np.int64)
    for part in parts:
        # Both numbers are below the number of nodes, so that the product cannot overflow.
        dense = np.unique(part, return_inverse=True)[1]
        joined = np.unique(joined * (dense.max(initial=0) + 1) + dense, return_inverse=True)[1]
    return joined.astype(np.int64)
