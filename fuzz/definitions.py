"""What a row is by the pages alone, once more: one search, one subgraph and one key for nodes, pairs and their edges.

A second set of definitions, written without reading that of `fuzz.differential`, a kernel or its reference. Everything
is a set. An undirected network has arcs both ways, and one with types a node on every edge.
"""

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

Row = dict[tuple[Any, ...], int]


@dataclass
class Network:
    """Nodes with the nodes that their arcs lead to and come from, and the label that ends a key, as a tuple."""

    after: dict[Hashable, set[Hashable]] = field(default_factory=dict)
    before: dict[Hashable, set[Hashable]] = field(default_factory=dict)
    label: dict[Hashable, tuple[Any, ...]] = field(default_factory=dict)
    weight: Counter[tuple[Any, Any]] | None = None
    steps: int = 1

    def count(self, arcs: list[tuple[Any, Any]]) -> int:
        """Return how many arcs there are, or how many events if arcs have a number of events."""
        return len(arcs) if self.weight is None else sum(self.weight[arc] for arc in arcs)

    def add(self, node: Hashable, label: tuple[Any, ...] = ()) -> None:
        """Add a node."""
        self.after.setdefault(node, set())
        self.before.setdefault(node, set())
        self.label[node] = label

    def connect(self, source: Hashable, target: Hashable) -> None:
        """Add an arc between two nodes of the network."""
        self.after[source].add(target)
        self.before[target].add(source)

    def leave_out(self, is_left_out: Any) -> "Network":
        """Return the network without the arcs, or nodes of edges, for which a function is true."""
        rest = Network(steps=self.steps)
        for node, label in self.label.items():
            if not (is_edge(node) and is_left_out(node[1], node[2])):
                rest.add(node, label)
        for source, targets in self.after.items():
            for target in targets:
                if source in rest.label and target in rest.label and not is_left_out(source, target):
                    rest.connect(source, target)
        return rest


class EdgeNode(tuple):
    """The node on an edge: ("edge", source, target, type)."""

    __slots__ = ()


def is_edge(node: Hashable) -> bool:
    """Return whether a node is on an edge."""
    return isinstance(node, EdgeNode)


def build(
    nodes: Iterable[Hashable],
    edges: Iterable[tuple[Any, Any]],
    *,
    is_directed: bool,
    labels: dict[Any, Any] | None = None,
    types: list[Any] | None = None,
) -> Network:
    """Return a network; loops are dropped, and edges of one type between two nodes are one."""
    network = Network(steps=1 if types is None else 2)
    for node in nodes:
        network.add(node, () if labels is None else (labels[node],))
    for number, (source, target) in enumerate(edges):
        if source == target:
            continue
        middle: list[Hashable] = []
        if types is not None:
            ends = (source, target)
            if not is_directed and EdgeNode(("edge", target, source, types[number])) in network.label:
                ends = (target, source)
            middle = [EdgeNode(("edge", *ends, types[number]))]
            network.add(middle[0], (types[number],))
        path = [source, *middle, target]
        for first, second in pairwise(path):
            network.connect(first, second)
            if not is_directed:
                network.connect(second, first)
    return network


@dataclass(frozen=True)
class Ask:
    """What is counted, in the words of `Settings`; `directed` is how the graph is read."""

    radii: tuple[int, ...] = (2,)
    degrees: str = "total"
    follow: str = "any"
    directed: str | None = None
    frontier_edges: bool = True
    max_degree: int | None = None
    degree_bins: str | None = None

    def next_nodes(self, network: Network, node: Hashable) -> set[Hashable]:
        """Return the nodes that a step leads to."""
        way = self.follow if self.degrees == "in_out" else (self.directed or "out")
        if way == "any":
            return network.after[node] | network.before[node]
        return network.after[node] if way == "out" else network.before[node]


def reach(ask: Ask, network: Network, start: Hashable, limit: int) -> dict[Hashable, int]:
    """Return the distances of all nodes within a limit."""
    distance, ring = {start: 0}, {start}
    for step in range(1, limit + 1):
        ring = {after for node in ring for after in ask.next_nodes(network, node)} - distance.keys()
        distance.update(dict.fromkeys(ring, step))
    return distance


def degree_parts(
    ask: Ask, network: Network, node: Hashable, distance: dict[Hashable, int], last: int
) -> tuple[int, ...]:
    """Return the degrees of a key, for nodes whose distance from the root (or the nearer end) is known."""

    def counts(other: Hashable) -> bool:
        return other in distance and (ask.frontier_edges or distance[node] < last or distance[other] < last)

    if ask.degrees == "in_out":
        parts = [
            network.count([(other, node) for other in network.before[node] if counts(other)]),
            network.count([(node, other) for other in network.after[node] if counts(other)]),
        ]
    else:
        inside: dict[int, list[tuple[Any, Any]]] = {-1: [], 0: [], 1: []}
        for other in ask.next_nodes(network, node):
            if counts(other):
                step = max(-1, distance[other] - distance[node])
                inside[step].append((other, node) if ask.directed == "in" else (node, other))
        closer, same, farther = (network.count(inside[step]) for step in (-1, 0, 1))
        parts = {
            "total": [closer + same + farther],
            "layered": [same, farther],
            "full": [closer, same, farther],
        }[ask.degrees]
    return tuple(lower(ask, part) for part in parts)


def lower(ask: Ask, degree: int) -> int:
    """Return a degree as a key has it: limited, then the lowest of its bin."""
    if ask.max_degree is not None:
        degree = min(degree, ask.max_degree)
    if ask.degree_bins == "log" and degree:
        bound = 1
        while 2 * bound <= degree:
            bound *= 2
        return bound
    return degree


def node_row(ask: Ask, network: Network, root: Hashable) -> Row:
    """Return the row of a node; with several radii a key begins with the radius."""
    row: Counter[tuple[Any, ...]] = Counter()
    for radius in ask.radii:
        last = radius * network.steps
        distance = reach(ask, network, root, last)
        if radius == 0:  # the root alone, with its degree in the whole graph
            whole = reach(ask, network, root, 1) | (
                dict.fromkeys(network.before[root], 1) if ask.degrees == "in_out" else {}
            )
            whole |= dict.fromkeys(network.after[root], 1) if ask.degrees == "in_out" else {}
            key = (0, *degree_parts(ask, network, root, whole, 1), *network.label[root])
            row[(radius, *key) if len(ask.radii) > 1 else key] += 1
            continue
        for node, far in distance.items():
            key = (far, *degree_parts(ask, network, node, distance, last), *network.label[node])
            row[(radius, *key) if len(ask.radii) > 1 else key] += 1
    return dict(row)


def pair_row(
    ask: Ask,
    network: Network,
    source: Hashable,
    target: Hashable,
    *,
    without_edge: bool = True,
    ordered: bool = False,
    ends_distance: int | None = None,
) -> Row:
    """Return the row of two different nodes."""
    is_directed = ask.directed is not None or ask.degrees == "in_out"

    def between(first: Hashable, second: Hashable) -> bool:
        return (first, second) == (source, target) or (
            not is_directed and (second, first) == (source, target)
        )

    rest = network.leave_out(between)
    counted = rest if without_edge else network
    row: Counter[tuple[Any, ...]] = Counter()
    for radius in ask.radii:
        last = radius * network.steps
        ends = [reach(ask, counted, end, last) for end in (source, target)]
        nearer = {
            node: min(end.get(node, last + 1) for end in ends) for node in ends[0].keys() | ends[1].keys()
        }
        for node in nearer:
            far = [end.get(node, last + 1) for end in ends]
            if not (ordered or is_directed):
                far.sort()
            key = (*far, *degree_parts(ask, counted, node, nearer, last), *network.label[node])
            row[(radius, *key) if len(ask.radii) > 1 else key] += 1
    if ends_distance is not None:
        # One less than the shortest cycle through the edge, which follows arcs whichever way distances go.
        along = Ask(directed="out" if is_directed else None)
        apart = reach(along, rest, target, ends_distance * network.steps).get(source)
        if apart is not None:
            row[("ends", apart // network.steps)] += 1
    return dict(row)
