"""A sentence about a node's neighborhood: neighbors, links among them, and the share of the graph within reach."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from egonet.graph.graph import Graph

#: A hub has at least this many neighbors, and this many times as many as the average node.
HUB_NEIGHBORS, HUB_FACTOR = 10, 3
#: What is said where edges have types.
HALF_HOPS = "distances are in half hops, because an edge counts as a node"
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True)
class Neighborhood:
    """The numbers that describe one node; prints as a sentence without its subject.

    Attributes
    ----------
    num_neighbors
        How many neighbors it has, along the direction of the graph.
    num_links
        How many pairs of its neighbors are linked, in either direction.
    is_hub
        Whether it has far more neighbors than the average node.
    num_nodes
        How many nodes the graph has.
    num_reached
        How many of them are within `radius` hops, the node itself included; None if not known.
    radius
        Hops around the node.
    kind
        "neighbors", or "out-neighbors" and "in-neighbors" of a directed graph.

    Examples
    --------
    >>> print(neighborhood(Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]), "c", 1, 4))
    a node with 3 neighbors, 1 of 3 pairs of its neighbors is linked; reaches 4 of 4 nodes in one hop
    """

    num_neighbors: int
    num_links: int
    is_hub: bool
    num_nodes: int
    num_reached: int | None
    radius: int
    kind: str = "neighbors"

    @property
    def num_pairs(self) -> int:
        """Return how many pairs of neighbors there are."""
        return self.num_neighbors * (self.num_neighbors - 1) // 2

    def __str__(self) -> str:
        one = self.kind.removesuffix("s")
        if self.num_neighbors == 0:
            text = "an isolated node" if self.kind == "neighbors" else f"a node without {self.kind}"
        elif self.num_neighbors == 1:
            text = f"a node with one {one}"
        else:
            name = (
                f"a hub of {self.num_neighbors:,}" if self.is_hub else f"a node with {self.num_neighbors:,}"
            )
            share = share_text(self.num_links, self.num_pairs)
            verb = "is" if self.num_links <= 1 and self.num_links < self.num_pairs else "are"
            text = f"{name} {self.kind}, {share} of its {self.kind} {verb} linked"
        if self.num_reached is None or self.radius == 0:
            return text
        hops = _NUMBERS[self.radius] if self.radius < len(_NUMBERS) else f"{self.radius:,}"
        reached = f"{self.num_reached:,} of {self.num_nodes:,} {'node' if self.num_nodes == 1 else 'nodes'}"
        return f"{text}; reaches {reached} in {hops} {'hop' if self.radius == 1 else 'hops'}"


def neighborhood(graph: Graph, node: Hashable, radius: int, num_reached: int | None = None) -> Neighborhood:
    """Return the numbers that describe one node; this reads the neighbors of every neighbor once."""
    row = graph.index_of(node)
    neighbors = graph.indices[graph.indptr[row] : graph.indptr[row + 1]]
    near = np.zeros(len(graph), dtype=bool)
    near[neighbors] = True
    linked: set[tuple[int, int]] | None = set() if graph.directed else None
    num_arcs = 0
    for v in neighbors.tolist():
        others = graph.indices[graph.indptr[v] : graph.indptr[v + 1]]
        both = others[near[others]]
        num_arcs += len(both)
        if linked is not None:
            linked.update((min(v, w), max(v, w)) for w in both.tolist())
    mean = len(graph.indices) / max(len(graph), 1)
    return Neighborhood(
        num_neighbors=len(neighbors),
        num_links=num_arcs // 2 if linked is None else len(linked),
        is_hub=len(neighbors) >= max(HUB_NEIGHBORS, HUB_FACTOR * mean),
        num_nodes=len(graph),
        num_reached=num_reached,
        radius=radius,
        kind=f"{graph.directed}-neighbors" if graph.directed else "neighbors",
    )


def share_text(part: int, total: int) -> str:
    """Return what share of the pairs of some nodes a number is, as a simple fraction.

    >>> share_text(1, 3), share_text(23_990, 60_031), share_text(0, 3), share_text(3, 3)
    ('1 of 3 pairs', '23,990 of 60,031 pairs', 'no pair', 'all pairs')
    """
    if part == 0:
        return "no pair"
    if part == total:
        return "all pairs"
    return f"{part:,} of {total:,} pairs"
