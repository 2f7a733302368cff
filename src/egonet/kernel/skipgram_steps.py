"""Native steps of skip-gram training: a sparse product, and losses of pairs with their gradients."""

import numpy as np
from numpy.typing import NDArray

from egonet import _native
from egonet.typing import Int32s, Int64s

Float32s = NDArray[np.float32]
#: Loss, number of pairs, gradients of scale and shift, and gradients of both tables (one array twice if they are one).
Found = tuple[float, float, float, float, Float32s, Float32s]


def multiply_sparse(
    indptr: Int64s, indices: Int32s, values: Float32s, table: Float32s, threads: int
) -> Float32s:
    """Return the product of a sparse matrix in CSR form and a dense matrix.

    Examples
    --------
    >>> rows = np.array([0, 2, 3]), np.array([0, 1, 1], dtype=np.int32), np.array([1, 2, 3], dtype=np.float32)
    >>> multiply_sparse(*rows, np.array([[1], [10]], dtype=np.float32), 1).tolist()
    [[21.0], [30.0]]
    """
    return _native.multiply_sparse(indptr, indices, values, table, threads)


def add_pairs(
    tables: tuple[Float32s, Float32s],
    row_of: Int64s,
    segments: Int64s,
    others: Int64s,
    window: int,
    line: tuple[float, float],
    threads: int,
) -> Found:
    """Return the summed losses and gradients of walk segments whose sources share negatives.

    tables    float32 (num_rows, dim)            sources and contexts; may be one array
    row_of    int64 (num_nodes,)                 the row of each node
    segments  int64 (num_segments, 3 * window)   the middle third are sources; -1 is padding
    others    int64 (num_groups, count)          negatives, shared by num_segments / num_groups segments
    line      scale and shift                    from product to logit
    """
    return _native.add_pairs(*tables, row_of, segments, others, window, *line, threads)


def add_separate(
    tables: tuple[Float32s, Float32s], ours: Int64s, theirs: Int64s, line: tuple[float, float], threads: int
) -> Found:
    """Return the summed losses and gradients of pairs, each with its negatives.

    tables  float32 (num_rows, dim)    sources and contexts; may be one array
    ours    int64 (num_pairs,)         the row of each source; -1 is no pair
    theirs  int64 (num_pairs, count)   rows of contexts: the real one first, then negatives
    line    scale and shift            from product to logit
    """
    return _native.add_separate(*tables, ours, theirs, *line, threads)
