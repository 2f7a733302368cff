"""The C++ kernel of sums and walks around pairs of nodes; `reference_links.py` defines it."""

import numpy as np

from egonet import _native
from egonet.kernel.native import available_cores
from egonet.typing import Floats, Int32s, Int64s, Progress


def sum_links(
    indptr: Int64s,
    indices: Int32s,
    pairs: Int64s,
    radius: int,
    weights: Int64s,
    *,
    without_edge: bool = True,
    walks: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> tuple[Int64s, Floats]:
    """Return sums by both distances around every pair, and walks between its ends.

    The contract::

        indptr, indices   an undirected graph, as for `encode_rows`
        pairs             int64 (num_pairs, 2)  nodes, u != v; any order, repeats allowed
        radius            >= 1
        weights           int64 (num_nodes, num_weights)
        returns           sums int64 (num_pairs, radius + 2, radius + 2, num_weights): over the nodes within the radius
                          of u or v, by the distances from u and from v; radius + 1 stands for farther
                          walks float64 (num_pairs, 2 radius - 1): of 2 ... 2 radius steps, the probability that a
                          walk from u is at v, divided by the degree of v; no columns unless `walks`
        promises          distances, degrees and walks are those without the edge uv if `without_edge` · releases the
                          GIL · same input, same bytes for any threads
    """
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))  # what lies around u is searched once for all its pairs
    ordered = np.ascontiguousarray(pairs[order], dtype=np.int64)
    sums, walked = _native.sum_links(
        *(indptr, indices, ordered, radius, without_edge, walks),
        *(np.ascontiguousarray(weights, dtype=np.int64), threads or available_cores(), progress),
    )
    back = np.empty(len(order), dtype=np.int64)
    back[order] = np.arange(len(order))
    return sums[back], walked[back]
