"""Whether classes depend on the numbering of nodes: relabelled copies of BREC, and random isomorphic pairs."""

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from egonet.graph.graph import Graph
from egonet.typing import Cell
from egonet.wl.individualize import individualize
from experiments.expressivity.families import brec

#: (graphs, marks, radius, cells that marks are taken from) of every check.
CHECKS: tuple[tuple[str, int, int | None, Cell], ...] = (
    ("BREC", 1, None, "largest"),
    ("BREC", 2, None, "largest"),
    ("random", 2, None, "largest"),
    ("random", 2, 2, "all"),
    ("BREC", 2, 2, "largest"),
    ("BREC", 3, None, "largest"),
)
#: Checks of dear searches: every n-th graph of BREC, in fewer copies.
SAMPLED: tuple[tuple[int, int | None, Cell, int, int], ...] = (
    (2, 3, "all", 1, 2),
    (2, None, "all", 1, 2),
    (4, None, "largest", 8, 2),
)
#: How many random graphs are searched in one call.
BATCH = 1000


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


def changed_copies(graphs: Sequence[Graph], copies: int, depth: int, radius: int | None, cell: Cell) -> int:
    """Return how many relabelled copies of some graphs have a class other than their original.

    Examples
    --------
    >>> changed_copies([Graph.from_edges([(0, 1), (1, 2)]), Graph.from_edges([(0, 1)])], 3, 2, None, "largest")
    0
    """
    rng = np.random.default_rng(0)
    every = [copy for graph in graphs for copy in (graph, *(relabeled(graph, rng) for _ in range(copies)))]
    found = individualize(every, depth, radius, cell, threads=1).graphs.reshape(len(graphs), copies + 1)
    return int((found[:, 1:] != found[:, :1]).sum())


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
    """Run the checks that the file does not have yet, and write it after each."""
    found: dict[str, Any] = {"copies": copies, "random_pairs": random_pairs, "checks": []}
    if Path(target).is_file():
        found = json.loads(Path(target).read_text())
        sys.stderr.write(f"{len(found['checks'])} checks of {target} are kept\n")
    done = {check_name(check) for check in found["checks"]}
    tasks: list[dict[str, Any]] = [
        {"graphs": name, "marks": depth, "radius": radius, "cell": cell}
        for name, depth, radius, cell in CHECKS
    ]
    tasks += [
        {"graphs": "BREC", "marks": depth, "radius": radius, "cell": cell, "every": every, "copies": times}
        for depth, radius, cell, every, times in SAMPLED
    ]
    for task in tasks:
        if check_name(task) in done:
            continue
        began = time.process_time()
        changed = run_check(task, copies, random_pairs)
        seconds = round(time.process_time() - began, 1)
        found["checks"].append(task | {"changed": changed, "seconds": seconds})
        Path(target).write_text(json.dumps(found, indent=1) + "\n")
        sys.stderr.write(f"{found['checks'][-1]}\n")


def check_name(task: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what distinguishes a check from others."""
    return tuple(task.get(name) for name in ("graphs", "marks", "radius", "cell", "every"))


def run_check(task: Mapping[str, Any], copies: int, random_pairs: int) -> int:
    """Return how many copies have another class than their graph."""
    search = task["marks"], task["radius"], task["cell"]
    if task["graphs"] == "random":
        graphs, batch, copies = list(random_graphs(random_pairs, seed=1)), BATCH, 1
    else:
        graphs, batch = list(brec().graphs)[:: task.get("every", 1)], 1
    return sum(
        changed_copies(graphs[first : first + batch], task.get("copies", copies), *search)
        for first in range(0, len(graphs), batch)
    )


if __name__ == "__main__":
    main()
