"""Random walks over a graph, vectorized over all walks."""

from dataclasses import dataclass

import numpy as np

from egonet.encoding.settings import as_whole
from egonet.errors import InputError, as_flag
from egonet.graph.graph import Graph
from egonet.typing import Int32s

#: Fills a walk after its end at a node without neighbors.
NOWHERE = -1


@dataclass(frozen=True)
class Walks:
    """How walks are drawn, and which of their nodes form pairs.

    Attributes
    ----------
    per_node
        Walks that start at every node, per epoch.
    length
        The number of nodes of a walk, the first included.
    window
        Two nodes of a walk at most `window` steps apart are a pair.
    lazy
        True lets a walk stay at its node with probability 1 / (degree + 1), as if every node had a self-loop.

    Examples
    --------
    >>> Walks(length=4, window=2).num_pairs
    10
    """

    per_node: int = 1
    length: int = 80
    window: int = 5
    lazy: bool = False

    def __post_init__(self) -> None:
        """Check that walks have pairs."""
        for name, least in (("per_node", 1), ("length", 2), ("window", 1)):
            if as_whole(name, getattr(self, name)) < least:
                raise InputError(f"{name} must be at least {least}, got {getattr(self, name)}.")
        as_flag("lazy", self.lazy)

    @property
    def num_pairs(self) -> int:
        """Return the number of ordered pairs of a complete walk."""
        return 2 * sum(max(self.length - gap, 0) for gap in range(1, self.window + 1))


def random_walks(graph: Graph, walks: Walks, rng: np.random.Generator) -> Int32s:
    """Return walks from every node, int32 (per_node * num_nodes, length), of node numbers.

    Every step goes to a uniformly random neighbor. After a node without neighbors a walk is filled with `NOWHERE` (-1).

    Parameters
    ----------
    graph
        The graph; if it is directed, walks follow its arcs.
    walks
        The number of walks and their length.
    rng
        The random generator.

    Examples
    --------
    On a single edge a walk alternates; a node without neighbors has no second step.

    >>> graph = Graph.from_edges([(0, 1)], num_nodes=3)
    >>> random_walks(graph, Walks(length=4), np.random.default_rng(1)).tolist()
    [[0, 1, 0, 1], [1, 0, 1, 0], [2, -1, -1, -1]]

    Notes
    -----
    Cost: one array operation per step for all walks together.
    """
    indptr, degrees = graph.indptr, graph.degrees
    # One extra entry: nodes without neighbors index it before they are masked.
    indices = np.append(graph.indices, np.int32(NOWHERE))
    paths = np.empty((walks.per_node * graph.num_nodes, walks.length), dtype=np.int32)
    here = np.tile(np.arange(graph.num_nodes, dtype=np.int32), walks.per_node)
    paths[:, 0] = here
    for step in range(1, walks.length):
        choices = degrees[here] + walks.lazy
        slot = (rng.random(len(here)) * choices).astype(np.int64)
        stays = slot >= degrees[here]
        ahead = indices[np.where(stays, len(graph.indices), indptr[here] + slot)]
        if walks.lazy:
            ahead = np.where(stays, here, ahead)
        ahead = np.where(paths[:, step - 1] == NOWHERE, np.int32(NOWHERE), ahead)
        paths[:, step] = ahead
        here = np.where(ahead == NOWHERE, paths[:, 0], ahead)
    return paths
