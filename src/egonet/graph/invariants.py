"""Checks of the arrays of a `Graph`: dtypes, bounds, sorted rows and symmetry."""

from typing import Any

import numpy as np

from egonet import _native
from egonet.errors import InputError
from egonet.typing import Direction, Int32s, Int64s

MAX_NODES = 2**31 - 1


def check_arrays(indptr: Any, indices: Any) -> None:
    """Raise unless indptr and indices are arrays of the right dtype that fit together."""
    for name, array, dtype in (("indptr", indptr, np.int64), ("indices", indices, np.int32)):
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
            got = (
                f"shape {array.shape} of {array.dtype}"
                if isinstance(array, np.ndarray)
                else type(array).__name__
            )
            raise InputError(
                f"{name} must be a NumPy array of {dtype.__name__} with one dimension, got {got}. Use Graph.from_edges."
            )
    if len(indptr) == 0 or indptr[0] != 0 or indptr[-1] != len(indices):
        raise InputError(
            f"indptr must start at 0 and end at the number of indices ({len(indices):,}). Use Graph.from_edges."
        )
    if len(indptr) - 1 > MAX_NODES:
        raise InputError(f"a graph has at most {MAX_NODES:,} nodes, got {len(indptr) - 1:,}.")


def check_rows(indptr: Int64s, indices: Int32s, directed: Direction | None) -> None:
    """Raise unless rows are sorted, within range, without loops and, if undirected, symmetric."""
    indptr, indices = np.ascontiguousarray(indptr), np.ascontiguousarray(indices)
    if directed is None and _native.is_undirected(indptr, indices):
        return
    sizes = np.diff(indptr)
    falls = np.flatnonzero(sizes < 0)
    if len(falls):
        raise InputError(f"indptr must be non-decreasing, but it falls after position {falls[0]}.")
    rows = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    same_row = rows[1:] == rows[:-1]
    for broken, rule in (
        ((indices < 0) | (indices >= len(sizes)), f"indices must be from 0 to {len(sizes) - 1}"),
        (indices == rows, "a node must not be its own neighbor"),
        (
            np.append(False, same_row & (np.diff(indices) <= 0)),
            "indices must be sorted in each row, without repeats",
        ),
    ):
        if broken.any():
            place = int(np.argmax(broken))
            raise InputError(f"{rule}, got {indices[place]} in row {rows[place]}. Use Graph.from_indices.")
    if directed is None:
        raise InputError(
            "an undirected graph must list every edge in both rows, but some arcs have no opposite. "
            'Use Graph.from_edges, or directed="out".'
        )
