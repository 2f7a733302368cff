"""Structural encodings in use elsewhere: degrees, degree profiles, random walks, Laplacian eigenvectors, cycles, WL."""

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from experiments.today.sources import GraphList

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
    >>> from experiments.today.sources import join_graphs
    >>> path = join_graphs([(3, np.array([[0, 1], [1, 2]]), np.zeros(3), np.ones(2))])
    >>> degrees(path).tolist()
    [[1.0], [2.0], [1.0]]
    """
    return np.bincount(graphs.edges.ravel(), minlength=graphs.num_nodes)[:, None].astype(np.float32)


def degree_profiles(graphs: GraphList) -> Columns:
    """Return the local degree profile: a node's degree, and the least, largest, mean and spread of its neighbors'.

    Examples
    --------
    >>> from experiments.today.sources import join_graphs
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
    >>> from experiments.today.sources import join_graphs
    >>> path = join_graphs([(3, np.array([[0, 1], [1, 2]]), np.zeros(3), np.ones(2))])
    >>> walk_returns(path, 2).tolist()
    [[0.0, 0.5], [0.0, 1.0], [0.0, 0.5]]
    """
    matrix = adjacency(graphs)
    own = np.maximum(degrees(graphs)[:, 0].astype(np.float64), 1)
    step = (sparse.diags_array(1 / own) @ matrix).tocsr()
    sizes = np.diff(graphs.start)
    if graphs.num_graphs == 1 and graphs.num_nodes > 500:
        return _returns_in_blocks(step, steps)
    found = np.zeros((graphs.num_nodes, steps), dtype=np.float32)
    dense = step if sizes.max() > 2000 else None
    for at, size in zip(graphs.start[:-1].tolist(), sizes.tolist(), strict=True):
        block = step[at : at + size, at : at + size].toarray() if dense is None else None
        if block is None:
            found[at : at + size] = _returns_in_blocks(step[at : at + size, at : at + size].tocsr(), steps)
            continue
        power = block
        for number in range(steps):
            found[at : at + size, number] = power.diagonal()
            power = power @ block
    return found


def _returns_in_blocks(step: Any, steps: int, rows: int = 512) -> Columns:
    """Return the diagonals of the powers of a sparse matrix, some rows at a time: exact, and bounded memory."""
    size = step.shape[0]
    found = np.zeros((size, steps), dtype=np.float32)
    turned = step.T.tocsr()
    for at in range(0, size, rows):
        span = np.arange(at, min(at + rows, size))
        walk = np.zeros((size, len(span)), dtype=np.float32)
        walk[span, np.arange(len(span))] = 1
        for number in range(steps):
            walk = turned @ walk
            found[span, number] = walk[span, np.arange(len(span))]
    return found


def eigenvectors(graphs: GraphList, count: int = 8) -> Columns:
    """Return LapPE: eigenvectors of the normalized Laplacian with the smallest positive eigenvalues, filled up with 0."""
    matrix = adjacency(graphs)
    scale = sparse.diags_array(1 / np.sqrt(np.maximum(degrees(graphs)[:, 0].astype(np.float64), 1)))
    normal = (scale @ matrix @ scale).tocsr()
    found = np.zeros((graphs.num_nodes, count), dtype=np.float32)
    for at, size in zip(graphs.start[:-1].tolist(), np.diff(graphs.start).tolist(), strict=True):
        block = normal[at : at + size, at : at + size]
        if size > 1500:
            from scipy.sparse.linalg import eigsh

            values, vectors = eigsh(block, k=count + 1, which="LA", v0=np.ones(size))
            order = np.argsort(-values)
        else:
            values, vectors = np.linalg.eigh(block.toarray())
            order = np.argsort(-values, kind="stable")
        chosen = vectors[:, order[1 : count + 1]]
        found[at : at + size, : chosen.shape[1]] = chosen
    return found


def cycles(graphs: GraphList) -> Columns:
    """Return how many closed walks of length 3, 4, 5 and 6 start at every node, on a log scale; 3 counts triangles.

    Examples
    --------
    >>> from experiments.today.sources import join_graphs
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
    return np.log1p(np.stack(found, axis=1)).astype(np.float32)


def subtree_colors(graphs: GraphList, rounds: int = 2) -> list[NDArray[np.int64]]:
    """Return the WL color of every node before and after each round, starting from the labels; exact."""
    matrix = adjacency(graphs)
    colors = [np.unique(graphs.label, return_inverse=True)[1]]
    for _ in range(rounds):
        last = colors[-1]
        order = np.lexsort((last[matrix.indices], np.repeat(np.arange(graphs.num_nodes), np.diff(matrix.indptr))))
        near = last[matrix.indices][order]
        keys: dict[tuple[int, bytes], int] = {}
        new = np.empty(graphs.num_nodes, dtype=np.int64)
        for node in range(graphs.num_nodes):
            key = (int(last[node]), near[matrix.indptr[node] : matrix.indptr[node + 1]].tobytes())
            new[node] = keys.setdefault(key, len(keys))
        colors.append(new)
    return colors
