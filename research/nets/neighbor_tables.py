"""Neighbor tables and propagation weights of a set of graphs, made once on the CPU with NumPy."""

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import numpy as np

from egonet import Graph
from egonet.typing import Floats, Int32s, Int64s

Propagation: TypeAlias = Literal["none", "sum", "adjacency", "gcn", "chebyshev"]
Array: TypeAlias = np.ndarray[Any, Any]

#: Numbers of the matrices that are made at a time.
_NUMBERS = 1 << 22


def neighbor_table(union: Graph, node_ptr: Int64s) -> tuple[Int32s, Int32s]:
    """Return per node itself and its neighbors, numbered inside their graph, and the slots that point back.

    Examples
    --------
    >>> union = Graph.from_indices(np.array([0, 1]), np.array([1, 2]), 3)
    >>> table, reverse = neighbor_table(union, np.array([0, 3]))
    >>> table.tolist()
    [[0, 1, -1], [1, 0, 2], [2, 1, -1], [-1, -1, -1]]
    >>> reverse.tolist()
    [[0, 1, 0], [0, 1, 1], [0, 2, 0], [0, 0, 0]]
    """
    slots = int(union.degrees.max(initial=0)) + 1
    table = np.full((union.num_nodes + 1, slots), -1, dtype=np.int32)
    reverse = np.zeros_like(table)
    source = np.repeat(np.arange(union.num_nodes), union.degrees)
    slot = np.arange(len(union.indices)) - union.indptr[source] + 1
    first = np.repeat(node_ptr[:-1], np.diff(node_ptr))
    table[:-1, 0] = np.arange(union.num_nodes) - first
    table[source, slot] = union.indices - first[source]
    # Arcs sorted by (target, source) are the reversed arcs in row order.
    back = np.lexsort((source, union.indices))
    reverse[source[back], slot[back]] = slot
    return table, reverse


def slot_weights(
    union: Graph, table: Int32s, node_ptr: Int64s, kind: Propagation, *, largest: Floats | None = None
) -> Floats | None:
    """Return the weight of every slot for one propagation, or None if every slot weighs one or none is used.

    "sum" adds the node and its neighbors, "adjacency" its neighbors alone; "gcn" is the symmetric
    normalization of A + I; "chebyshev" is 2 L / largest - I, L the normalized Laplacian and `largest` its
    largest eigenvalue per graph (2 if not given).
    """
    if kind in ("none", "sum"):
        return None
    used = table >= 0
    if kind == "adjacency":
        weights = used.astype(np.float64)
        weights[:, 0] = 0.0
        return weights
    degrees = np.append(union.degrees, 0).astype(np.float64) + (1.0 if kind == "gcn" else 0.0)
    root = np.divide(1.0, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)
    first = np.append(np.repeat(node_ptr[:-1], np.diff(node_ptr)), 0)
    weights = np.where(used, root[:, None] * root[np.where(used, table + first[:, None], 0)], 0.0)
    if kind == "gcn":
        return weights
    scale = 2.0 / (np.full(len(node_ptr) - 1, 2.0) if largest is None else largest)
    per_node = np.append(np.repeat(scale, np.diff(node_ptr)), 0.0)
    weights *= -per_node[:, None]
    weights[:-1, 0] = per_node[:-1] - 1.0
    return weights


def largest_eigenvalues(union: Graph, node_ptr: Int64s) -> Floats:
    """Return the largest eigenvalue of every graph's normalized Laplacian."""
    found = np.empty(len(node_ptr) - 1)
    for graphs, matrices in adjacencies_by_size(union, node_ptr):
        found[graphs] = np.linalg.eigvalsh(laplacian(matrices))[:, -1]
    return found


def edge_table(union: Graph, node_ptr: Int64s) -> tuple[Int64s, Int32s, Int32s]:
    """Return edges per graph, their ends and the edge of every slot of `neighbor_table`, numbered inside a graph.

    A graph has a loop for each node, in the order of nodes, then its edges.

    Examples
    --------
    >>> union = Graph.from_indices(np.array([0, 1]), np.array([1, 2]), 3)
    >>> counts, ends, of_slot = edge_table(union, np.array([0, 3]))
    >>> counts.tolist(), ends.tolist()
    ([5], [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2]])
    >>> of_slot.tolist()
    [[0, 3, -1], [1, 3, 4], [2, 4, -1], [-1, -1, -1]]
    """
    table, _ = neighbor_table(union, node_ptr)
    sizes = np.diff(node_ptr)
    source = np.repeat(np.arange(union.num_nodes), union.degrees)
    slot = np.arange(len(source)) - union.indptr[source] + 1
    graph = np.repeat(np.arange(len(sizes)), sizes)
    up = source < union.indices
    kept = np.bincount(graph[source[up]], minlength=len(sizes))
    number = np.empty(len(source), dtype=np.int64)
    number[up] = np.arange(np.count_nonzero(up)) + (sizes - np.cumsum(kept) + kept)[graph[source[up]]]
    # Arcs sorted by (target, source) are the reversed arcs in row order.
    number[~up] = number[np.lexsort((source, union.indices))[~up]]
    of_slot = np.full_like(table, -1)
    of_slot[:-1, 0] = table[:-1, 0]
    of_slot[source, slot] = number
    counts = sizes + kept
    first = np.cumsum(counts) - counts
    ends = np.empty((counts.sum(), 2), dtype=np.int32)
    ends[first[graph] + table[:-1, 0]] = table[:-1, :1]
    ends[first[graph[source[up]]] + number[up], 0] = table[source[up], 0]
    ends[first[graph[source[up]]] + number[up], 1] = table[source[up], slot[up]]
    return counts, ends, of_slot


def spectral_supports(
    union: Graph,
    node_ptr: Int64s,
    counts: Int64s,
    ends: Int32s,
    *,
    bandwidth: float,
    num_frequencies: int,
    spectrum: Literal["laplacian", "adjacency"] = "laplacian",
) -> Floats:
    """Return GNNML3's supports per edge of `edge_table`: (num_edges, num_frequencies + 1, or + 2 for "adjacency").

    Support s is U exp(-bandwidth (Λ - f_s)²) Uᵀ on the edges and the diagonal, f_s evenly spaced from the
    smallest to the largest eigenvalue; the identity follows, and the adjacency itself if its spectrum is used.
    """
    first = np.cumsum(counts) - counts
    supports = np.empty((len(ends), num_frequencies + (2 if spectrum == "adjacency" else 1)))
    for graphs, matrices in adjacencies_by_size(union, node_ptr):
        values, vectors = np.linalg.eigh(matrices if spectrum == "adjacency" else laplacian(matrices))
        if spectrum == "laplacian":
            values = np.maximum(values, 0.0)
        matrix = np.repeat(np.arange(len(graphs)), counts[graphs])
        edge = np.arange(len(matrix)) + (first[graphs] - np.cumsum(counts[graphs]) + counts[graphs])[matrix]
        u, v = ends[edge].T
        for s, frequency in enumerate(np.linspace(values[:, 0], values[:, -1], num_frequencies)):
            response = np.exp(-bandwidth * (values - frequency[:, None]) ** 2)
            supports[edge, s] = ((vectors * response[:, None]) @ vectors.swapaxes(1, 2))[matrix, u, v]
        supports[edge, num_frequencies] = u == v
        if spectrum == "adjacency":
            supports[edge, num_frequencies + 1] = matrices[matrix, u, v]
    return supports


def adjacencies_by_size(union: Graph, node_ptr: Int64s) -> Iterator[tuple[Int64s, Array]]:
    """Yield the numbers of graphs of one size and their dense adjacency matrices, for all sizes.

    Of large graphs there are fewer at a time than there may be, so that their matrices stay small together.
    """
    sizes = np.diff(node_ptr)
    source = np.repeat(np.arange(union.num_nodes), union.degrees)
    for size in np.unique(sizes[sizes > 0]).tolist():
        same = np.flatnonzero(sizes == size)
        for graphs in np.array_split(same, -(-len(same) * size * size // _NUMBERS)):
            matrices = np.zeros((len(graphs), size, size))
            for place, start in enumerate(node_ptr[graphs].tolist()):
                arcs = slice(union.indptr[start], union.indptr[start + size])
                matrices[place, source[arcs] - start, union.indices[arcs] - start] = 1.0
            yield graphs, matrices


def laplacian(matrices: Array) -> Array:
    """Return I - D^-1/2 A D^-1/2 of matrices (..., n, n); an isolated node has a one on its diagonal."""
    degrees = matrices.sum(axis=-1)
    root = np.divide(1.0, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)
    found: Array = np.eye(matrices.shape[-1]) - root[..., :, None] * matrices * root[..., None, :]
    return found
