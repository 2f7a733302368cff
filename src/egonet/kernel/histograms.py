"""The C++ kernels whose columns are histograms: checks nothing, allocates its result, releases the GIL."""

from egonet import _native
from egonet.kernel.native import Progress
from egonet.kernel.rows import NestedRows, Rows
from egonet.kernel.threads import as_count
from egonet.typing import Int32s, Int64s


def common_rows(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    *,
    labels: Int32s | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> NestedRows:
    """Return how the common neighbors of each root and its neighbors are linked, as the reference defines it.

    Notes
    -----
    The contract is that of `kernel/native.py`; the graph is symmetric. Keys are (links) or (links, label).
    """
    return _as_rows(_native.common_neighbors(indptr, indices, roots, labels, as_count(threads), progress))


def pair_rows(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radius: int,
    *,
    edges_only: bool,
    labels: Int32s | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> NestedRows:
    """Return what lies around each root and its neighbors, or every node near it, as the reference defines it.

    Notes
    -----
    The contract is that of `kernel/native.py`; the graph is symmetric, 1 <= radius <= 4096. Keys are the two
    distances, nine counts, and the label if there are labels.
    """
    found = _native.pair_rooted(
        indptr, indices, roots, radius, edges_only, labels, as_count(threads), progress
    )
    return _as_rows(found)


def _as_rows(arrays: tuple[Int64s, Int32s, Int32s, Int64s, Int32s, Int32s, Int64s]) -> NestedRows:
    """Return the arrays of the kernel as a record."""
    return NestedRows(*arrays[:3], Rows(*arrays[3:]))
