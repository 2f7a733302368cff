"""Triangles through every edge, counted only where the three nodes have given colors."""

from egonet import _native
from egonet.typing import Int32s, Int64s


def edge_supports(indptr: Int64s, indices: Int32s, colors: Int32s, wanted: tuple[int, int, int]) -> Int32s:
    """Return per arc how many triangles with the wanted colors it is in; the reverse of each arc stays 0.

    Examples
    --------
    A triangle 0-1-2 with a tail 2-3, all of one color: three arcs are in one triangle each.

    >>> import numpy as np
    >>> indptr = np.array([0, 2, 4, 7, 8])
    >>> indices = np.array([1, 2, 0, 2, 0, 1, 3, 2], dtype=np.int32)
    >>> edge_supports(indptr, indices, np.zeros(4, dtype=np.int32), (0, 0, 0)).tolist()
    [1, 1, 0, 1, 0, 0, 0, 0]

    Notes
    -----
    The contract: an undirected graph as for the kernel; colors int32 (num_nodes,); returns int32 (num_arcs,).
    """
    supports: Int32s = _native.edge_supports(indptr, indices, colors, *wanted)
    return supports
