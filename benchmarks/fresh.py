"""Graphs of kinds that neither `graphs.py` nor `unseen.py` has, for a check of the GPU plan after its last fit."""

from itertools import pairwise

import graphs
import numpy as np
from graphs import BenchmarkGraph, from_pairs
from scipy.sparse import csr_array
from unseen import paired


def torus(side: int) -> BenchmarkGraph:
    """Return the cells of a cube whose opposite faces are one, joined where they touch."""
    cells = np.arange(side**3).reshape(side, side, side)
    pairs = [paired(cells.ravel(), np.roll(cells, 1, axis).ravel()) for axis in range(3)]
    return from_pairs(f"torus {side}x{side}x{side}", side**3, np.concatenate(pairs))


def groups(num_nodes: int, count: int, most: int, seed: int = 1) -> BenchmarkGraph:
    """Return people, joined where they are in the same of many groups of 2 to `most`."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, most + 1, size=count)
    members = rng.integers(num_nodes, size=sizes.sum())
    of = np.repeat(np.arange(count), sizes)
    rows = csr_array((np.ones(len(of), np.int32), (members, of)), shape=(num_nodes, count))
    met = (rows @ rows.T).tocoo()
    pairs = paired(met.coords[0].astype(np.int64), met.coords[1].astype(np.int64))
    return from_pairs(f"{count:,} groups of {num_nodes:,}", num_nodes, pairs)


def bush(branches: int, depth: int) -> BenchmarkGraph:
    """Return a tree where every node but the leaves has so many children."""
    sizes = [branches**level for level in range(depth + 1)]
    num_nodes = sum(sizes)
    child = np.arange(1, num_nodes)
    return from_pairs(f"bush {num_nodes:,}", num_nodes, paired(child, (child - 1) // branches))


def de_bruijn(length: int) -> BenchmarkGraph:
    """Return bit strings, joined where one without its first bit is the other without its last."""
    words = np.arange(1 << length)
    longer = [(words << 1 | bit) & ((1 << length) - 1) for bit in (0, 1)]
    pairs = np.concatenate([paired(words, other) for other in longer])
    return from_pairs(f"de Bruijn {length}", len(words), pairs)


def circulant(num_nodes: int, steps: tuple[int, ...]) -> BenchmarkGraph:
    """Return a ring where each node is joined to those some steps ahead."""
    nodes = np.arange(num_nodes)
    pairs = np.concatenate([paired(nodes, (nodes + step) % num_nodes) for step in steps])
    return from_pairs(f"circulant {num_nodes:,}", num_nodes, pairs)


def line_graph(num_nodes: int, mean_degree: float, seed: int = 1) -> BenchmarkGraph:
    """Return the edges of a random graph, joined where they meet."""
    edges = graphs.erdos_renyi(num_nodes, mean_degree, seed=seed).edges()
    ends, numbers = edges.ravel(), np.repeat(np.arange(len(edges)), 2)
    rows = csr_array((np.ones(len(ends), np.int32), (numbers, ends)), shape=(len(edges), num_nodes))
    met = (rows @ rows.T).tocoo()
    pairs = paired(met.coords[0].astype(np.int64), met.coords[1].astype(np.int64))
    return from_pairs(f"line graph {len(edges):,}", len(edges), pairs)


def board_with_hubs(side: int, count: int, spokes: int, seed: int = 1) -> BenchmarkGraph:
    """Return a square lattice, and some more nodes that are each joined to many of its squares."""
    lattice, squares = graphs.grid(side), side * side
    hubs = np.repeat(squares + np.arange(count), spokes)
    to = np.random.default_rng(seed).integers(squares, size=count * spokes)
    pairs = np.concatenate([lattice.edges(), paired(to, hubs)])
    return from_pairs(f"board {side}x{side} with {count} hubs", squares + count, pairs)


def threshold(num_nodes: int, heaviest: float) -> BenchmarkGraph:
    """Return nodes of weights that fall to 0, joined where two weigh more than 1: neighborhoods are nested."""
    weights = heaviest * (1 - np.arange(num_nodes) / num_nodes) ** 4
    # Weights fall: those joined to a node are the first ones.
    first = np.searchsorted(-weights, -(1 - weights), side="left")
    reach = np.minimum(first, np.arange(num_nodes))
    tails = np.repeat(np.arange(num_nodes), reach)
    heads = np.arange(len(tails)) - np.repeat(np.cumsum(reach) - reach, reach)
    return from_pairs(f"threshold {num_nodes:,}", num_nodes, paired(tails, heads))


def hyperbolic(num_nodes: int, radius: float, spread: float, seed: int = 1) -> BenchmarkGraph:
    """Return points of a hyperbolic disk, denser outside by `spread`, joined where they are within its radius."""
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * rng.random(num_nodes)
    away = np.arccosh(1 + (np.cosh(spread * radius) - 1) * rng.random(num_nodes)) / spread
    cosine, sine, limit = np.cosh(away), np.sinh(away), np.cosh(radius)
    pairs = []
    bounds = [*range(0, num_nodes, 500), num_nodes]
    for begin, end in pairwise(bounds):
        turn = np.cos(angle[begin:end, None] - angle[None, begin:])
        near = cosine[begin:end, None] * cosine[begin:] - sine[begin:end, None] * sine[begin:] * turn <= limit
        tails, heads = np.nonzero(near)
        pairs.append(paired(tails[tails < heads] + begin, heads[tails < heads] + begin))
    return from_pairs(f"hyperbolic {num_nodes:,}", num_nodes, np.concatenate(pairs))


def caves(count: int, smallest: int, largest: int, links: int, seed: int = 1) -> BenchmarkGraph:
    """Return cliques of very different sizes, and links between any two nodes."""
    rng = np.random.default_rng(seed)
    sizes = (smallest * (largest / smallest) ** rng.random(count)).astype(np.int64)
    first, pairs = np.cumsum(sizes) - sizes, []
    for begin, size in zip(first.tolist(), sizes.tolist(), strict=True):
        tails, heads = np.triu_indices(size, 1)
        pairs.append(paired(begin + tails, begin + heads))
    num_nodes = int(sizes.sum())
    pairs.append(rng.integers(num_nodes, size=(links, 2)))
    return from_pairs(f"{count:,} caves", num_nodes, np.concatenate(pairs))
