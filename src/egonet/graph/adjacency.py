"""Compressed adjacency arrays: built from arcs, and checked for the invariants of `Graph`."""

from typing import Any

import numpy as np

from egonet import _native
from egonet.errors import InputError
from egonet.typing import Direction, Int32s, Int64s

MAX_NODES = 2**31 - 1


def adjacency(
    source: np.ndarray[Any, Any], target: np.ndarray[Any, Any], num_nodes: int, *, both_directions: bool
) -> tuple[Int64s, Int32s]:
    """Return indptr and indices of arcs source → target, sorted per row, repeats merged.

    Examples
    --------
    >>> indptr, indices = adjacency(np.array([1, 0]), np.array([0, 1]), 2, both_directions=True)
    >>> indptr.tolist(), indices.tolist()
    ([0, 1, 2], [1, 0])
    """
    if num_nodes > MAX_NODES:
        raise InputError(f"a graph has at most {MAX_NODES:,} nodes, got {num_nodes:,}.")
    for ends in (source, target):
        if len(ends) and not 0 <= ends.min() <= ends.max() < num_nodes:
            place = int(np.flatnonzero((ends < 0) | (ends >= num_nodes))[0])
            edge = (int(source[place]), int(target[place]))
            raise InputError(
                f"edge {edge} points at node {int(ends[place])}, but num_nodes is {num_nodes:,}, so that nodes are"
                f" 0 to {num_nodes - 1:,}. Raise num_nodes or drop the edge."
            )
    rows, columns = (np.ascontiguousarray(ends, dtype=np.int32) for ends in (source, target))
    indptr, indices = _native.compress(rows, columns, num_nodes, both_directions)
    return indptr, indices


def read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return a read-only view; the array itself stays as writeable as it was."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


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
