"""The C++ kernel of pairs: one row per pair of nodes."""

from egonet import _native
from egonet.errors import InputError
from egonet.kernel.native import MOST_HOPS, Progress, available_cores
from egonet.kernel.reference import Rows
from egonet.typing import Direction, Int32s, Int64s


def encode_pair_rows(
    indptr: Int64s,
    indices: Int32s,
    pairs: Int64s,
    radius: int,
    *,
    without_edge: bool = True,
    ordered: bool = False,
    max_degree: int | None = None,
    degree_bins: str | None = None,
    direction: Direction | None = None,
    labels: Int32s | None = None,
    divided: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> Rows:
    """Return one row per pair (u, v), as `kernel/reference_pairs.py` defines them.

    Notes
    -----
    The contract of `encode_rows`, and::

        pairs       int64 (num_pairs, 2)  nodes, u != v; any order, repeats allowed
        direction   None: both directions of every edge are listed; "out" or "in": what rows list
        labels      int32 (num_nodes,)    the label of every node, or None
        divided     edges are nodes between their ends, as in `Subdivision`
        degree_bins "log" counts degrees 0, 1, 2-3, 4-7, ... as the lowest of their bin
    """
    try:
        arrays = _native.encode_pairs(
            indptr,
            indices,
            pairs,
            min(radius, MOST_HOPS),
            without_edge,
            ordered,
            -1 if max_degree is None else min(max_degree, MOST_HOPS),
            degree_bins == "log",
            (None, "out", "in").index(direction),
            labels,
            divided,
            threads or available_cores(),
            progress,
        )
    except OverflowError as error:
        raise InputError(str(error)) from None
    return Rows(*arrays)
