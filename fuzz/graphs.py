"""Random graphs with random settings: sparse and dense, hubs, trees, cliques, many parts, directed, labeled."""

from dataclasses import replace
from random import Random

import numpy as np

from contracts.kernel import Case, Edges, graph_case

RADII = (0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 7, 10**6)


def sparse(rng: Random, size: int) -> Edges:
    """Return about as many edges as nodes, loops and repeats among them."""
    return [(rng.randrange(size), rng.randrange(size)) for _ in range(rng.randrange(2 * size + 1))]


def dense(rng: Random, size: int) -> Edges:
    """Return every pair with one probability."""
    chance = rng.random()
    return [(u, v) for u in range(size) for v in range(u) if rng.random() < chance]


def skewed(rng: Random, size: int) -> Edges:
    """Return edges of which few nodes have most."""
    return [(int(size * rng.random() ** 3), int(size * rng.random() ** 2)) for _ in range(3 * size)]


def tree(rng: Random, size: int) -> Edges:
    """Return a tree: paths, brooms and stars, by how far back a node may hang."""
    reach = rng.choice((1, 2, 5, size))
    return [(v, rng.randrange(max(v - reach, 0), v)) for v in range(1, size)]


def hubs(rng: Random, size: int) -> Edges:
    """Return one to three nodes joined to all, and a few edges more."""
    return [(hub, v) for hub in range(min(rng.randint(1, 3), size)) for v in range(size)] + sparse(rng, size)[
        :9
    ]


def blocks(rng: Random, size: int) -> Edges:
    """Return cliques in a chain, which overlap in a node or not at all."""
    width = rng.randint(1, 8)
    step = max(width - rng.randint(0, 1), 1)
    spans = [range(first, min(first + width, size)) for first in range(0, size, step)]
    return [(u, v) for span in spans for u in span for v in span if v < u]


def two_sided(rng: Random, size: int) -> Edges:
    """Return a complete bipartite graph with some edges missing."""
    left, keep = rng.randrange(size), rng.choice((0.5, 0.9, 1.0))
    return [(u, v) for u in range(left) for v in range(left, size) if rng.random() < keep]


FAMILIES = (sparse, sparse, dense, skewed, tree, hubs, blocks, two_sided)


def random_size(rng: Random) -> int:
    """Return how many nodes: mostly few, some beyond one word, seldom beyond one pass of 512 roots."""
    kind = rng.random()
    if kind < 0.9:
        return rng.randint(1, 24)
    return rng.randint(25, 80) if kind < 0.998 else rng.randint(500, 1100)


def random_edges(rng: Random, size: int) -> Edges:
    """Return the edges of a graph of one family, or of two side by side, under random names."""
    family = rng.choice(FAMILIES[:1] + FAMILIES[3:6] if size > 100 else FAMILIES)
    edges = list(family(rng, size))
    names = list(range(size))
    rng.shuffle(names)
    return [(names[u], names[v]) for u, v in edges]


def random_case(seed: int, index: int) -> Case:
    """Return the graph and settings that a seed and an index stand for."""
    rng = Random(f"{seed}/{index}")
    size = random_size(rng)
    graph = graph_case(size, random_edges(rng, size), symmetric=rng.random() < 0.75)
    labels = None if rng.random() < 0.7 else [rng.randrange(rng.choice((1, 3, 9))) for _ in range(size)]
    few = size > 100 or rng.random() < 0.4
    roots = [rng.randrange(size) for _ in range(rng.randrange(12))] if few else None
    return replace(
        graph,
        radius=rng.choice(RADII[:8] if size > 100 else RADII),
        degrees=rng.choice(("total", "total", "layered", "full")),
        frontier_edges=rng.random() < 0.7,
        max_degree=rng.choice((None, None, None, 0, 1, 2, 5, 10**9)),
        labels=None if labels is None else np.array(labels, dtype=np.int32),
        roots=None if roots is None else np.array(roots, dtype=np.int64),
    )
