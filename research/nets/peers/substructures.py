"""How many cycles and cliques go through every arc of many graphs, for graph substructure networks."""

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]

#: Paths that are extended at once.
_CHUNK = 1 << 21


def cycle_counts(indptr: Array, indices: Array, longest: int) -> Array:
    """Return (arcs, longest - 2): the cycles of length 3 ... `longest` through every arc, in row order.

    A cycle has no node twice. It may have chords.

    Examples
    --------
    A square with one diagonal: the diagonal is in two triangles and in no cycle of length four.

    >>> indptr, indices = np.array([0, 3, 5, 8, 10]), np.array([1, 2, 3, 0, 2, 0, 1, 3, 0, 2])
    >>> cycle_counts(indptr, indices, 4).tolist()[:3]
    [[1, 1], [2, 0], [1, 1]]
    """
    degrees = np.diff(indptr)
    size = len(degrees)
    source = np.repeat(np.arange(size), degrees)
    keys = source * size + indices
    counts = np.zeros((len(indices), longest - 2), dtype=np.int64)
    for start in range(0, len(indices), max(1, _CHUNK >> longest)):
        first = np.arange(start, min(start + max(1, _CHUNK >> longest), len(indices)))
        paths = np.stack([source[first], indices[first]], axis=1)
        for length in range(3, longest + 1):
            first, paths = _extended(indptr, indices, degrees, first, paths)
            wanted = paths[:, -1] * size + paths[:, 0]
            place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            closed = keys[place] == wanted if len(keys) else np.zeros(0, dtype=bool)
            counts[:, length - 3] += np.bincount(first[closed], minlength=len(indices))
    return counts


def _extended(
    indptr: Array, indices: Array, degrees: Array, first: Array, paths: Array
) -> tuple[Array, Array]:
    """Return every path with one more node that is not on it, and the first arc of each."""
    many = degrees[paths[:, -1]]
    owner = np.repeat(np.arange(len(paths)), many)
    inside = np.arange(len(owner)) - np.repeat(np.cumsum(many) - many, many)
    new = indices[indptr[paths[owner, -1]] + inside]
    fresh = (paths[owner] != new[:, None]).all(axis=1)
    return first[owner[fresh]], np.column_stack([paths[owner[fresh]], new[fresh]])


def clique_counts(sizes: Array, arcs: Array, arc_ptr: Array) -> Array:
    """Return (arcs, 3): the cliques of 3, 4 and 5 nodes that have both ends of every arc.

    Examples
    --------
    >>> square = np.array([[a, b] for a in range(4) for b in range(4) if a != b])
    >>> clique_counts(np.array([4]), square, np.array([0, 12])).tolist()[0]
    [2, 1, 0]
    """
    found = np.zeros((len(arcs), 3), dtype=np.int64)
    for graph, size in enumerate(sizes.tolist()):
        begin, end = arc_ptr[graph], arc_ptr[graph + 1]
        near = np.zeros((size, size), dtype=np.float32)
        near[arcs[begin:end, 0], arcs[begin:end, 1]] = 1
        for arc in range(begin, end):
            u, v = arcs[arc]
            if u > v:
                continue
            common = np.flatnonzero(near[u] * near[v])
            inner = near[np.ix_(common, common)]
            found[arc] = len(common), inner.sum() / 2, ((inner @ inner) * inner).sum() / 6
        back = np.lexsort((arcs[begin:end, 0], arcs[begin:end, 1]))
        forward = np.lexsort((arcs[begin:end, 1], arcs[begin:end, 0]))
        both = np.zeros((end - begin, 3), dtype=np.int64)
        both[forward] = found[begin:end][back]
        found[begin:end] = np.maximum(found[begin:end], both)
    return found


def node_counts(arcs_from: Array, counts: Array, num_nodes: int, *, per_node: Array) -> Array:
    """Return the counts of every node: the sum over its arcs, divided by the arcs one substructure has at a node.

    Examples
    --------
    >>> node_counts(np.array([0, 0, 1, 1, 2, 2]), np.ones((6, 1), dtype=int), 3, per_node=np.array([2])).tolist()
    [[1], [1], [1]]
    """
    total = np.zeros((num_nodes, counts.shape[1]), dtype=np.int64)
    np.add.at(total, arcs_from, counts)
    divided: Array = total // per_node
    return divided


def row_types(rows: Array, most: int) -> Array:
    """Return a type per row: equal rows have equal types, rare ones share the last of `most`.

    Examples
    --------
    >>> row_types(np.array([[5], [5], [7], [9], [9], [9]]), 2).tolist()
    [1, 1, 1, 0, 0, 0]
    """
    _, kind, many = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    rank = np.empty(len(many), dtype=np.int64)
    rank[np.argsort(-many, kind="stable")] = np.arange(len(many))
    return np.minimum(rank[np.ravel(kind)], most - 1)
