"""SEAL's node labels as columns: how many nodes around a pair have which label (Zhang and Chen, NeurIPS 2018)."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from egonet import Graph
from egonet.errors import InputError
from egonet.typing import Floats, Int64s
from research.paper.nodes.link_split import LinkSplit
from research.paper.nodes.pair_links import choose_model

#: Pairs times nodes that are searched at once.
_CELLS = 4_000_000


@dataclass(frozen=True, eq=False)
class LabeledSplit:
    """Counts of labels around the pairs of a split, both parts in the columns of the training pairs."""

    train: Int64s
    test: Int64s
    labels: NDArray[np.bool_]
    radius: int
    seconds: float


def node_labels(first: Int64s, second: Int64s) -> Int64s:
    """Return the label of every pair of distances; -1 is no path, which has label 0.

    Examples
    --------
    >>> node_labels(np.array([1, 1, 2, 1]), np.array([1, 2, 2, -1])).tolist()
    [2, 3, 5, 0]
    """
    half, odd = np.divmod(first + second, 2)
    found: Int64s = 1 + np.minimum(first, second) + half * (half + odd - 1)
    found[(first < 0) | (second < 0)] = 0
    return found


def count_labels(graph: Graph, pairs: Int64s, radius: int, *, cells: int = _CELLS) -> Int64s:
    """Return how many nodes within the radius of either end of each pair have which label, (num_pairs, num_labels).

    Distances are measured inside the subgraph of these nodes, from each end while the other one is removed; both
    ends have label 1. The edge of a pair does not matter: without the other end no path uses it, and a node that is
    near through it is also near to the other end.

    Examples
    --------
    Nodes 0 and 2 share one neighbor; node 3 has no path to 0 but through 2.

    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> count_labels(path, np.array([[0, 2]]), 1).tolist()
    [[1, 2, 1]]
    """
    if radius < 1:
        raise InputError(f"radius must be at least 1, got {radius}.")
    if np.any(pairs[:, 0] == pairs[:, 1]):
        raise InputError("a pair has two different nodes; one of these pairs has the same node twice.")
    step = max(1, cells // graph.num_nodes)
    parts = [_count_block(graph, pairs[begin : begin + step], radius) for begin in range(0, len(pairs), step)]
    width = max(part.shape[1] for part in parts)
    return np.concatenate([np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in parts])


def _count_block(graph: Graph, pairs: Int64s, radius: int) -> Int64s:
    """Return the counts of a few pairs; a cell is a pair's number times the number of nodes, plus a node."""
    size = len(pairs) * graph.num_nodes
    ends = pairs.T + np.arange(len(pairs)) * graph.num_nodes
    everywhere = np.ones(size, dtype=bool)
    near = np.zeros(size, dtype=bool)
    for starts in ends:
        near |= _distances(graph, starts, everywhere, radius) >= 0
    measured = []
    for starts, removed in (ends, ends[::-1]):
        near[removed] = False
        measured.append(_distances(graph, starts, near, graph.num_nodes))
        near[removed] = True
    cells = np.flatnonzero(near)
    labels = node_labels(measured[0][cells].astype(np.int64), measured[1][cells].astype(np.int64))
    labels[np.searchsorted(cells, ends)] = 1
    width = int(labels.max()) + 1
    counts = np.bincount(cells // graph.num_nodes * width + labels, minlength=len(pairs) * width)
    return counts.reshape(len(pairs), width)


def _distances(graph: Graph, starts: Int64s, allowed: NDArray[np.bool_], most: int) -> NDArray[np.int32]:
    """Return the distance of every cell from the start of its pair through allowed cells, -1 if there is no path."""
    found = np.full(len(allowed), -1, dtype=np.int32)
    found[starts] = 0
    mark = np.empty(len(allowed), dtype=np.int64)
    front, distance = starts, 0
    while len(front) and distance < most:
        distance += 1
        nodes = front % graph.num_nodes
        begins, degrees = graph.indptr[nodes].astype(np.int64), graph.degrees[nodes]
        shift = begins - (np.cumsum(degrees) - degrees)
        neighbors = graph.indices[np.repeat(shift, degrees) + np.arange(degrees.sum())]
        cells = np.repeat(front - nodes, degrees) + neighbors
        cells = cells[allowed[cells] & (found[cells] < 0)]
        found[cells] = distance
        order = np.arange(len(cells))
        mark[cells] = order
        front = cells[mark[cells] == order]  # each once
    return found


def label_split(split: LinkSplit, radius: int) -> LabeledSplit:
    """Return the counts of a split's pairs; labels above those of the training pairs count as the highest of them."""
    began = time.monotonic()
    train, test = (
        count_labels(split.graph, pairs, radius) for pairs in (split.train_pairs, split.test_pairs)
    )
    width = train.shape[1]
    kept = np.pad(test[:, :width], ((0, 0), (0, max(0, width - test.shape[1]))))
    kept[:, -1] += test[:, width:].sum(axis=1)
    return LabeledSplit(train, kept, split.train_labels, radius, round(time.monotonic() - began, 3))


def fit_labels(
    labeled: LabeledSplit, kind: str, choices: list[dict[str, Any]], *, seed: int
) -> tuple[Floats, dict[str, Any]]:
    """Return the scores of the test pairs by a model of the counts, and how it was chosen.

    Choices that differ only by the radii of pair encodings are the same here.
    """
    same = [{name: value for name, value in choice.items() if name != "radii"} for choice in choices]
    different = [choice for number, choice in enumerate(same) if choice not in same[:number]]
    rows = np.log1p(labeled.train.astype(np.float64))
    model, details = choose_model(lambda _: rows, labeled.labels, kind, different, seed=seed)
    scores: Floats = model.predict_proba(np.log1p(labeled.test.astype(np.float64)))[:, 1]
    return scores, details | {"radius": labeled.radius, "encode_seconds": labeled.seconds}
