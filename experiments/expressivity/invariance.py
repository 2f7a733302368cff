"""Whether classes depend on the numbering of nodes: relabelled copies of BREC, and random isomorphic pairs."""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from egonet.graph.graph import Graph
from egonet.wl.individualize import individualize
from experiments.expressivity.families import brec

#: (marks, radius, cells that marks are taken from) of every descriptor that is checked.
DESCRIPTORS = (
    (1, None, "largest"),
    (2, None, "largest"),
    (2, 2, "largest"),
    (2, 3, "all"),
    (3, None, "largest"),
)


def relabeled(graph: Graph, rng: np.random.Generator) -> Graph:
    """Return the graph with its nodes in random order.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> sorted(relabeled(path, np.random.default_rng(0)).degrees.tolist())
    [1, 1, 2]
    """
    rows = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    forward = rows < graph.indices
    order = rng.permutation(graph.num_nodes)
    return Graph.from_indices(order[rows[forward]], order[graph.indices[forward]], graph.num_nodes)


def changed_copies(graphs: Sequence[Graph], copies: int, descriptor: tuple[int, Any, Any], seed: int) -> int:
    """Return how many relabelled copies have a class other than their original."""
    rng = np.random.default_rng(seed)
    changed = 0
    for graph in graphs:
        both = [graph, *(relabeled(graph, rng) for _ in range(copies))]
        depth, radius, cell = descriptor
        changed += int((individualize(both, depth, radius, cell, threads=1).graphs != 0).sum())
    return changed


def random_graphs(count: int, seed: int) -> Iterator[Graph]:
    """Yield random graphs of 4 to 16 nodes of every density, half of them two linked copies of one graph."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        size = int(rng.integers(2, 9)) * 2
        half = size // 2 if number % 2 else size
        pairs = np.argwhere(np.triu(rng.random((half, half)) < rng.random(), 1))
        if number % 2:
            across = np.flatnonzero(rng.random(half) < rng.random())
            pairs = np.concatenate([pairs, pairs + half, np.column_stack([across, across + half])])
        yield Graph.from_indices(pairs[:, 0], pairs[:, 1], size)


def main(target: str = "results/invariance.json", copies: int = 20, random_pairs: int = 100_000) -> None:
    """Check all descriptors, and write how many copies changed after each."""
    graphs = brec().graphs
    found: dict[str, Any] = {
        "graphs": len(graphs),
        "copies": copies,
        "random_pairs": random_pairs,
        "checks": [],
    }
    for descriptor in (*DESCRIPTORS, (2, None, "largest")):
        is_random = len(found["checks"]) == len(DESCRIPTORS)
        chosen = list(random_graphs(random_pairs, seed=1)) if is_random else graphs
        began = time.process_time()
        changed = changed_copies(chosen, 1 if is_random else copies, descriptor, seed=0)
        depth, radius, cell = descriptor
        found["checks"].append(
            {
                "graphs": "random" if is_random else "BREC",
                "marks": depth,
                "radius": radius,
                "cell": cell,
                "changed": changed,
                "seconds": round(time.process_time() - began, 1),
            }
        )
        Path(target).write_text(json.dumps(found, indent=1) + "\n")
        sys.stderr.write(f"{found['checks'][-1]}\n")


if __name__ == "__main__":
    main()
