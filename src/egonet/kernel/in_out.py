"""The C++ kernel of in- and out-degrees; it does not check arrays, and releases the GIL."""

from egonet import _native
from egonet.errors import InputError
from egonet.kernel.native import MOST_HOPS, Progress, available_cores
from egonet.kernel.reference import Rows
from egonet.typing import Follow, Int32s, Int64s


def in_out_rows(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radius: int,
    *,
    by_target: bool = False,
    follow: Follow = "any",
    frontier_edges: bool = True,
    max_degree: int | None = None,
    labels: Int32s | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Rows:
    """Return the rows of `roots` at `radius` with keys (distance, in-degree, out-degree), as in the reference.

    The contract is that of `encode_rows`; rows of `indices` are out-neighbors, or in-neighbors if `by_target`.
    One search per root; the arcs are copied once, to be listed by their other end.
    """
    limit = -1 if max_degree is None else min(max_degree, MOST_HOPS)
    hops, count = min(radius, MOST_HOPS), threads or available_cores()
    try:
        arrays = _native.encode_in_out(
            *(indptr, indices, by_target, roots, hops, follow, frontier_edges, limit, labels, count, progress)
        )
    except OverflowError as error:
        raise InputError(str(error)) from None
    return Rows(*arrays)
