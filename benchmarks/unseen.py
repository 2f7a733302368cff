"""Graphs of other kinds than those of `graphs.py`, for a check of the GPU plan on what it was not fitted to."""

from dataclasses import replace

import graphs
import numpy as np
from graphs import BenchmarkGraph, from_pairs
from scipy.sparse import csr_array
from scipy.spatial import cKDTree

from egonet.typing import Int64s


def paired(tails: Int64s, heads: Int64s) -> Int64s:
    """Return pairs of two lists of ends."""
    return np.stack([tails, heads], axis=1)


def random_geometric(num_nodes: int, mean_degree: float, seed: int = 1) -> BenchmarkGraph:
    """Return points of the unit square, joined where they are near, numbers at random."""
    points = np.random.default_rng(seed).random((num_nodes, 2))
    near = cKDTree(points).query_pairs((mean_degree / num_nodes / np.pi) ** 0.5, output_type="ndarray")
    return from_pairs(f"random geometric {num_nodes:,}", num_nodes, near.astype(np.int64))


def ring_of_cliques(count: int, size: int) -> BenchmarkGraph:
    """Return cliques of `size` nodes, the last of each joined to the first of the next."""
    first = size * np.arange(count)
    tails, heads = np.triu_indices(size, 1)
    cliques = paired((first[:, None] + tails).ravel(), (first[:, None] + heads).ravel())
    pairs = np.concatenate([cliques, paired(first + size - 1, np.roll(first, -1))])
    return from_pairs(f"ring of {count:,} cliques", count * size, pairs)


def bipartite(left: int, right: int, num_edges: int, seed: int = 1) -> BenchmarkGraph:
    """Return edges from the left, drawn evenly, to the right, drawn by weights 1 / (10 + i)."""
    rng = np.random.default_rng(seed)
    weights = np.cumsum(1 / (10 + np.arange(right)))
    items = np.searchsorted(weights, rng.random(num_edges) * weights[-1])
    pairs = paired(rng.integers(left, size=num_edges), left + np.minimum(items, right - 1))
    return from_pairs(f"bipartite {left:,} + {right:,}", left + right, pairs)


def caterpillar(spine: int, leaves: int, seed: int = 1) -> BenchmarkGraph:
    """Return a path with leaves, which hang on few of its nodes mostly."""
    rng = np.random.default_rng(seed)
    path, legs = np.arange(spine), spine + np.arange(leaves)
    on = (spine * rng.random(leaves) ** 3).astype(np.int64)
    pairs = np.concatenate([paired(path[1:], path[:-1]), paired(legs, rng.permutation(spine)[on])])
    return from_pairs(f"caterpillar {spine + leaves:,}", spine + leaves, pairs)


def random_tree(num_nodes: int, seed: int = 1) -> BenchmarkGraph:
    """Return a tree where each new node joins any of the old."""
    child = np.arange(1, num_nodes)
    parent = (np.random.default_rng(seed).random(num_nodes - 1) * child).astype(np.int64)
    return from_pairs(f"random tree {num_nodes:,}", num_nodes, paired(child, parent))


def configuration(num_nodes: int, exponent: float, least: int, seed: int = 1) -> BenchmarkGraph:
    """Return ends paired at random, each node having so many that degrees are a power law up to the root of all."""
    rng = np.random.default_rng(seed)
    drawn = least * rng.random(num_nodes) ** (-1 / (exponent - 1))
    stubs = np.repeat(np.arange(num_nodes), np.minimum(drawn, num_nodes**0.5).astype(np.int64))
    ends = rng.permutation(stubs)[: len(stubs) // 2 * 2].reshape(-1, 2)
    return from_pairs(f"configuration {exponent} {num_nodes:,}", num_nodes, ends)


def core_and_rim(core: int, rim: int, inside: int, outside: int, seed: int = 1) -> BenchmarkGraph:
    """Return a dense core of mean degree `inside`, and a rim of which each joins `outside` of the core."""
    rng = np.random.default_rng(seed)
    dense = rng.integers(core, size=(core * inside // 2, 2))
    spokes = paired(core + np.arange(rim * outside) // outside, rng.integers(core, size=rim * outside))
    return from_pairs(f"core and rim {core + rim:,}", core + rim, np.concatenate([dense, spokes]))


def windmills(count: int, blades: int) -> BenchmarkGraph:
    """Return disjoint hubs, each in so many triangles."""
    size = 1 + 2 * blades
    hub = size * np.arange(count)[:, None]
    one, two = np.broadcast_arrays(hub, hub + np.arange(1, size))
    edges = hub + np.arange(1, size, 2)
    pairs = np.concatenate([paired(one.ravel(), two.ravel()), paired(edges.ravel(), edges.ravel() + 1)])
    return from_pairs(f"{count} windmills", count * size, pairs)


def hypercube(dimension: int) -> BenchmarkGraph:
    """Return bit strings, joined where one bit differs."""
    nodes = np.arange(1 << dimension)
    pairs = np.concatenate([paired(nodes, nodes ^ (1 << bit)) for bit in range(dimension)])
    return from_pairs(f"hypercube {dimension}", len(nodes), pairs)


def kings(side: int) -> BenchmarkGraph:
    """Return the squares of a board, joined where a king may go."""
    row, column = np.divmod(np.arange(side * side), side)
    moves = []
    for down, right in ((0, 1), (1, -1), (1, 0), (1, 1)):
        fits = (row + down < side) & (column + right < side) & (column + right >= 0)
        moves.append(paired(np.flatnonzero(fits), np.flatnonzero(fits) + down * side + right))
    return from_pairs(f"king's board {side}x{side}", side * side, np.concatenate(moves))


def copying(num_nodes: int, kept: float, seed: int = 1) -> BenchmarkGraph:
    """Return a graph where each new node joins an old one and a part of its neighbors."""
    rng = np.random.default_rng(seed)
    near: list[list[int]] = [[]]
    models = (rng.random(num_nodes) * np.arange(num_nodes)).astype(np.int64).tolist()
    for node in range(1, num_nodes):
        old = near[models[node]]
        chosen = [models[node]] + [other for other in old if rng.random() < kept]
        near.append(chosen)
        for other in chosen:
            near[other].append(node)
    heads = np.array([other for around in near for other in around])
    tails = np.repeat(np.arange(num_nodes), [len(around) for around in near])
    return from_pairs(f"copying {num_nodes:,}", num_nodes, paired(tails, heads))


def among_isolated(graph: BenchmarkGraph, times: int, seed: int = 1) -> BenchmarkGraph:
    """Return a graph among `times` as many nodes, the others without neighbors."""
    num_nodes = times * graph.num_nodes
    numbers = np.random.default_rng(seed).permutation(num_nodes)
    return from_pairs(f"{graph.name} among {num_nodes:,}", num_nodes, numbers[graph.edges()])


def square_of_astroph(num_nodes: int, seed: int = 1) -> BenchmarkGraph | None:
    """Return some nodes of CA-AstroPh, joined where they are at most two steps apart there."""
    graph = graphs.ca_astroph()
    if graph is None:
        return None
    rows = csr_array((np.ones(len(graph.indices), np.int32), graph.indices, graph.indptr))
    some = np.sort(np.random.default_rng(seed).permutation(graph.num_nodes)[:num_nodes])
    near = (rows[some] @ rows[:, some] + rows[some][:, some]).tocoo()
    pairs = paired(near.coords[0].astype(np.int64), near.coords[1].astype(np.int64))
    return from_pairs(f"square of CA-AstroPh, {num_nodes:,}", num_nodes, pairs)


def kronecker(scale: int, edge_factor: int) -> BenchmarkGraph:
    """Return an R-MAT graph of chances 0.4, 0.2, 0.2, 0.2: its hubs are fewer and lower than those of Graph500."""
    graph = graphs.rmat(scale, edge_factor, seed=9, chances=(0.4, 0.6, 0.8))
    return replace(graph, name=f"Kronecker {scale}")
