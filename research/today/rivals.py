"""Structural encodings in use elsewhere: degrees, degree profiles, random walks, Laplacian eigenvectors, cycles, WL."""

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from research.today.sources import GraphList

Columns: TypeAlias = NDArray[np.float32]


def adjacency(graphs: GraphList) -> Any:
    """Return the adjacency matrix of all graphs, blocks on the diagonal."""
    ends = np.concatenate([graphs.edges, graphs.edges[:, ::-1]])
    size = graphs.num_nodes
    return sparse.csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(size, size))


def degrees(graphs: GraphList) -> Columns:
    """Return the degree of every node.

    Examples
    --------
    >>> from research.today.sources import join_graphs
    >>> path = join_graphs([(3, np.array([[0, 1], [1, 2]]), np.zeros(3), np.ones(2))])
    >>> degrees(path).tolist()
    [[1.0], [2.0], [1.0]]
    """
    return np.bincount(graphs.edges.ravel(), minlength=graphs.num_nodes)[:, None].astype(np.float32)


def degree_profiles(graphs: GraphList) -> Columns:
    """Return the local degree profile: a node's degree, and the least, largest, mean and spread of its neighbors'.

    Examples
    --------
    >>> from research.today.sources import join_graphs
    >>> path = join_graphs([(3, np.array([[0, 1], [1, 2]]), np.zeros(3), np.ones(2))])
    >>> degree_profiles(path).tolist()
    [[1.0, 2.0, 2.0, 2.0, 0.0], [2.0, 1.0, 1.0, 1.0, 0.0], [1.0, 2.0, 2.0, 2.0, 0.0]]
    """
    matrix = adjacency(graphs)
    own = degrees(graphs)[:, 0].astype(np.float64)
    found = np.zeros((graphs.num_nodes, 5))
    found[:, 0] = own
    filled = own > 0
    of_neighbors = own[matrix.indices]
    starts = matrix.indptr[:-1][filled]
    for column, function in ((1, np.minimum), (2, np.maximum)):
        found[filled, column] = function.reduceat(of_neighbors, starts)
    mean = np.add.reduceat(of_neighbors, starts) / own[filled]
    square = np.add.reduceat(of_neighbors**2, starts) / own[filled]
    found[filled, 3] = mean
    found[filled, 4] = np.sqrt(np.maximum(square - mean**2, 0))
    return found.astype(np.float32)


def walk_returns(graphs: GraphList, steps: int = 20) -> Columns:
    """Return RWSE: the probability that a random walk is back at its start after 1 to `steps` steps.

    Examples
    --------
    >>> from research.today.sources import join_graphs
    >>> path = join_graphs([(3, np.array([[0, 1], [1, 2]]), np.zeros(3), np.ones(2))])
    >>> walk_returns(path, 2).round(6).tolist()
    [[0.0, 0.5], [0.0, 1.0], [0.0, 0.5]]
    """
    found = np.zeros((graphs.num_nodes, steps), dtype=np.float32)
    normal = normal_adjacency(graphs)
    for nodes, blocks in dense_blocks(graphs, normal):
        power = blocks
        for number in range(steps):
            found[nodes, number] = np.diagonal(power, axis1=1, axis2=2)
            power = power @ blocks if number + 1 < steps else power
    for at, size in large_graphs(graphs):
        found[at : at + size] = _returns_in_chunks(normal[at : at + size, at : at + size].tocsr(), steps)
    return found


def _returns_in_chunks(normal: Any, steps: int, rows: int = 512) -> Columns:
    """Return the diagonals of the powers of a sparse symmetric matrix, some rows at a time: exact, bounded memory.

    Row i of power a times row i of power b is entry i of the diagonal of power a + b: half the products suffice.
    """
    size = normal.shape[0]
    normal = normal.astype(np.float32)
    found = np.zeros((size, steps), dtype=np.float32)
    for at in range(0, size, rows):
        span = np.arange(at, min(at + rows, size))
        old = np.zeros((size, len(span)), dtype=np.float32)
        old[span, np.arange(len(span))] = 1
        for number in range(0, steps, 2):
            new = normal @ old
            found[span, number] = np.einsum("ij,ij->j", new, old)
            if number + 1 < steps:
                found[span, number + 1] = np.einsum("ij,ij->j", new, new)
            old = new
    return found


#: Graphs up to this size are treated as dense matrices, many of one size at once.
DENSE = 600


def normal_adjacency(graphs: GraphList) -> Any:
    """Return the symmetric normalized adjacency matrix of all graphs."""
    scale = sparse.diags_array(1 / np.sqrt(np.maximum(degrees(graphs)[:, 0].astype(np.float64), 1)))
    return (scale @ adjacency(graphs) @ scale).tocsr()


def dense_blocks(graphs: GraphList, matrix: Any) -> Any:
    """Yield the node numbers (count, size) and blocks (count, size, size) of the small graphs, by size."""
    sizes = np.diff(graphs.start)
    entries = sparse.coo_array(matrix)
    rows, columns = entries.coords
    owner = graphs.graph_of
    for size in np.unique(sizes[sizes <= DENSE]).tolist():
        chosen = np.flatnonzero(sizes == size)
        for part in np.array_split(chosen, max(1, len(chosen) * size * size // 4_000_000)):
            number = np.full(graphs.num_graphs, -1)
            number[part] = np.arange(len(part))
            own = number[owner[rows]] >= 0
            blocks = np.zeros((len(part), size, size))
            start = graphs.start[owner[rows[own]]]
            blocks[number[owner[rows[own]]], rows[own] - start, columns[own] - start] = entries.data[own]
            yield graphs.start[part][:, None] + np.arange(size), blocks


def large_graphs(graphs: GraphList) -> list[tuple[int, int]]:
    """Return the first node and the size of every graph that is too large for dense matrices."""
    sizes = np.diff(graphs.start)
    return [(int(graphs.start[graph]), int(sizes[graph])) for graph in np.flatnonzero(sizes > DENSE)]


def eigenvectors(graphs: GraphList, count: int = 8) -> Columns:
    """Return LapPE: eigenvectors of the normalized Laplacian with the smallest eigenvalues after the first.

    Graphs with fewer nodes have zeros in the last columns.
    """
    found = np.zeros((graphs.num_nodes, count), dtype=np.float32)
    normal = normal_adjacency(graphs)
    for nodes, blocks in dense_blocks(graphs, normal):
        vectors = np.linalg.eigh(blocks)[1][:, :, ::-1][:, :, 1 : count + 1]
        found[nodes, : vectors.shape[2]] = vectors
    for at, size in large_graphs(graphs):
        from scipy.sparse.linalg import eigsh

        values, vectors = eigsh(
            normal[at : at + size, at : at + size], k=count + 1, which="LA", v0=np.ones(size)
        )
        found[at : at + size] = vectors[:, np.argsort(-values)[1:]]
    return found


def cycles(graphs: GraphList) -> Columns:
    """Return how many closed walks of length 3, 4, 5 and 6 start at every node, on a log scale; 3 counts triangles.

    Examples
    --------
    >>> from research.today.sources import join_graphs
    >>> triangle = join_graphs([(3, np.array([[0, 1], [1, 2], [0, 2]]), np.zeros(3), np.ones(3))])
    >>> np.expm1(cycles(triangle))[0].round(3).tolist()
    [2.0, 6.0, 10.0, 22.0]
    """
    matrix = adjacency(graphs)
    square = matrix @ matrix
    found = [
        (square * matrix).sum(axis=1),
        (square * square).sum(axis=1),
    ]
    cube = square @ matrix
    found += [(cube * square).sum(axis=1), (cube * cube).sum(axis=1)]
    logarithms: Columns = np.log1p(np.stack(found, axis=1)).astype(np.float32)
    return logarithms


def subtree_colors(graphs: GraphList, rounds: int = 2) -> list[NDArray[np.int64]]:
    """Return the WL color of every node before and after each round, starting from the labels; exact."""
    matrix = adjacency(graphs)
    colors = [np.unique(graphs.label, return_inverse=True)[1]]
    for _ in range(rounds):
        last = colors[-1]
        order = np.lexsort(
            (last[matrix.indices], np.repeat(np.arange(graphs.num_nodes), np.diff(matrix.indptr)))
        )
        near = last[matrix.indices][order]
        keys: dict[tuple[int, bytes], int] = {}
        new = np.empty(graphs.num_nodes, dtype=np.int64)
        for node in range(graphs.num_nodes):
            key = (int(last[node]), near[matrix.indptr[node] : matrix.indptr[node + 1]].tobytes())
            new[node] = keys.setdefault(key, len(keys))
        colors.append(new)
    return colors
