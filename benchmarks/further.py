"""Graphs of other kinds than `graphs.py`, `unseen.py` and `fresh.py` have, held out from the fit of the GPU plan."""

from itertools import permutations as orders

import graphs
import numpy as np
from graphs import BenchmarkGraph, from_pairs
from scipy.spatial import Delaunay
from unseen import paired


def apollonian(num_nodes: int, seed: int = 1) -> BenchmarkGraph:
    """Return triangles in triangles: each new node is put into one of them and joined to its corners."""
    rng = np.random.default_rng(seed)
    triangles, pairs = [(0, 1, 2)], [(0, 1), (0, 2), (1, 2)]
    for node in range(3, num_nodes):
        place = int(rng.random() * len(triangles))
        one, two, three = triangles[place]
        triangles[place] = (one, two, node)
        triangles += [(one, three, node), (two, three, node)]
        pairs += [(one, node), (two, node), (three, node)]
    return from_pairs(f"Apollonian {num_nodes:,}", num_nodes, np.array(pairs))


def delaunay(num_nodes: int, seed: int = 1) -> BenchmarkGraph:
    """Return points of the unit square, joined where a triangle of their Delaunay triangulation has both."""
    corners = Delaunay(np.random.default_rng(seed).random((num_nodes, 2))).simplices.astype(np.int64)
    pairs = np.concatenate([corners[:, [0, 1]], corners[:, [0, 2]], corners[:, [1, 2]]])
    return from_pairs(f"Delaunay {num_nodes:,}", num_nodes, pairs)


def pairs_that_meet(num_items: int) -> BenchmarkGraph:
    """Return the pairs of some items, joined where they have one in common."""
    one, two = np.triu_indices(num_items, 1)
    number = np.zeros((num_items, num_items), np.int64)
    number[one, two] = number[two, one] = np.arange(len(one))
    # Of the pairs that have an item, any two meet there.
    with_item = [np.delete(number[item], item) for item in range(num_items)]
    first, second = np.triu_indices(num_items - 1, 1)
    pairs = np.concatenate([paired(all_of_it[first], all_of_it[second]) for all_of_it in with_item])
    return from_pairs(f"pairs of {num_items}", len(one), pairs)


def far_calls(side: int, calls: int, seed: int = 1) -> BenchmarkGraph:
    """Return a square lattice where each square calls some others, those at a distance d with chance d ** -2."""
    rng, squares = np.random.default_rng(seed), side * side
    caller = np.repeat(np.arange(squares), calls)
    # Distances whose logarithm is even have chance 1 / d on a ring of d places.
    distance = np.exp(rng.random(len(caller)) * np.log(side / 2))
    turn = 2 * np.pi * rng.random(len(caller))
    row = (caller // side + np.rint(distance * np.sin(turn)).astype(np.int64)) % side
    column = (caller % side + np.rint(distance * np.cos(turn)).astype(np.int64)) % side
    pairs = np.concatenate([graphs.grid(side).edges(), paired(caller, row * side + column)])
    return from_pairs(f"far calls {side}x{side}", squares, pairs)


def layers(count: int, width: int, links: int, seed: int = 1) -> BenchmarkGraph:
    """Return layers of nodes, each joined to some of the next layer."""
    rng = np.random.default_rng(seed)
    tails = np.repeat(np.arange((count - 1) * width), links)
    heads = (tails // width + 1) * width + rng.integers(width, size=len(tails))
    return from_pairs(f"{count} layers of {width:,}", count * width, paired(tails, heads))


def permutations(length: int) -> BenchmarkGraph:
    """Return the orders of some items, joined where two neighbors are exchanged."""
    all_of_them = np.array(list(orders(range(length))))
    digits = length ** np.arange(length)
    # Orders as numbers, rising, so that one with two items exchanged can be found.
    codes = np.sort(all_of_them @ digits)
    items = codes[:, None] // digits % length
    swapped = [
        codes + (items[:, i + 1] - items[:, i]) * (digits[i] - digits[i + 1]) for i in range(length - 1)
    ]
    pairs = [paired(np.arange(len(codes)), np.searchsorted(codes, other)) for other in swapped]
    return from_pairs(f"permutations of {length}", len(codes), np.concatenate(pairs))


def sites(count: int, largest: int, links: int, seed: int = 1) -> BenchmarkGraph:
    """Return sites of very different sizes: a page is joined to its front page and the one before, fronts to fronts."""
    rng = np.random.default_rng(seed)
    sizes = np.maximum(2, (largest / np.arange(1, count + 1) ** 0.8).astype(np.int64))
    front = np.cumsum(sizes) - sizes
    num_nodes = int(sizes.sum())
    page, home = np.arange(num_nodes), np.repeat(front, sizes)
    inner = page[page != home]
    between = paired(front[rng.integers(count, size=links)], front[rng.integers(count, size=links)])
    pairs = np.concatenate([paired(inner, home[inner]), paired(inner, inner - 1), between])
    return from_pairs(f"{count} sites of {num_nodes:,} pages", num_nodes, pairs)


def ageing(num_nodes: int, links: int, memory: int, seed: int = 1) -> BenchmarkGraph:
    """Return a graph where each new node joins ends of recent edges: hubs rise, and are forgotten."""
    rng = np.random.default_rng(seed)
    ends = list(range(links + 1)) * links
    pairs = []
    for node in range(links + 1, num_nodes):
        recent = ends[-memory:]
        for place in (rng.random(links) * len(recent)).astype(np.int64).tolist():
            pairs.append((node, recent[place]))
            ends += [node, recent[place]]
    return from_pairs(f"ageing {num_nodes:,}", num_nodes, np.array(pairs))
