"""Graphs built by a rule: strongly regular graphs, pairs that defeat refinement, all small graphs and trees."""

from collections.abc import Hashable, Sequence
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from egonet.checks import as_flag, as_whole
from egonet.errors import InputError, show_value
from egonet.graph.bits import ONE, Bits, by_degree, canonical_bits, canonical_rows, extend_graphs, from_bits
from egonet.graph.graph import Graph, reject_other

#: The largest number of nodes of `small_graphs` and `trees`.
MAX_SMALL, MAX_TREE = 10, 16


def sr25() -> list[Graph]:
    """Return the 15 strongly regular graphs with parameters (25, 12, 5, 6).

    Examples
    --------
    >>> len(sr25()), sr25()[0]
    (15, Graph(num_nodes=25, num_edges=150))

    Notes
    -----
    Four seeds on 26 nodes: two Latin square graphs of order 5, each with one more node without edges, and
    the block graphs of the two Steiner triple systems of 13 points. Switching a seed on the neighbors of any
    node isolates that node; what is left is strongly regular.
    """
    cyclic = [[(row + column) % 5 for column in range(5)] for row in range(5)]
    other = [[int(digit) for digit in row] for row in ("01234", "10342", "24013", "32401", "43120")]
    blocks = _triple_system()
    seeds = [_latin_square_graph(cyclic), _latin_square_graph(other)]
    seeds += [_block_graph(blocks), _block_graph(_pasch_switch(blocks))]
    descendants = [_isolate(seed, node) for seed in seeds for node in range(26)]
    return from_bits(np.unique(canonical_bits(descendants), axis=0))


def triangular(num_points: int) -> Graph:
    """Return the pairs of some points, joined if they share one: T(n), strongly regular.

    T(7) has parameters (21, 10, 5, 4); its complement has (21, 10, 3, 6): as many nodes and edges.

    Examples
    --------
    >>> triangular(7), complement(triangular(7))
    (Graph(num_nodes=21, num_edges=105), Graph(num_nodes=21, num_edges=105))
    """
    pairs = list(combinations(range(as_whole("num_points", num_points, most=2**16)), 2))
    return _meeting(pairs, size=len(pairs))


def complement(graph: Graph) -> Graph:
    """Return the graph with edges exactly where the given one has none.

    Examples
    --------
    Of a path of three only its ends are left, joined.

    >>> complement(Graph.from_edges([("a", "b"), ("b", "c")])).degrees.tolist()
    [1, 0, 1]
    """
    reject_other("graph", graph)
    adjacent = _matrix(graph)
    pairs = np.argwhere(np.triu(~adjacent, 1))
    return Graph.from_indices(pairs[:, 0], pairs[:, 1], graph.num_nodes, nodes=graph.nodes)


def cone(base: Graph) -> Graph:
    """Return a graph with one more node, the last, joined to all others: K1 join the graph.

    Examples
    --------
    >>> cone(Graph.from_edges([(0, 1), (1, 2)])).degrees.tolist()
    [2, 3, 2, 3]
    """
    adjacent = np.pad(_matrix(base), (0, 1), constant_values=True)
    pairs = np.argwhere(np.triu(adjacent, 1))
    return Graph.from_edges(pairs, base.num_nodes + 1)


def cone_pair(num_nodes: int) -> tuple[Graph, Graph]:
    """Return K1 join P(n) and K1 join (P4 + C(n - 4)): 1-WL distinguishes them, total degrees at no radius do.

    Examples
    --------
    >>> cone_pair(8)
    (Graph(num_nodes=9, num_edges=15), Graph(num_nodes=9, num_edges=15))

    Notes
    -----
    Both have an apex, two nodes of degree 2 and n - 2 of degree 3, two of which have a neighbor of degree 2.
    At radius 1 all nodes of one degree look alike, since no cycle is shorter than 4. From radius 2 on
    every root sees the whole graph, so only the degrees of its neighbors count, and those agree as well. But in
    P(n) the two nodes next to the ends are not neighbors, and in P4 they are: two rounds of 1-WL see that.
    """
    if num_nodes < 8:
        raise InputError(
            f"a path of four and a cycle of four need 8 nodes or more, got {show_value(num_nodes)}."
        )
    ring = [(4 + v, 4 + (v + 1) % (num_nodes - 4)) for v in range(num_nodes - 4)]
    split = Graph.from_edges([(0, 1), (1, 2), (2, 3), *ring], num_nodes)
    return cone(Graph.from_edges(list(pairwise(range(num_nodes))))), cone(split)


def circulant_skip_links() -> list[Graph]:
    """Return the ten graphs of CSL: a ring of 41 nodes with links that skip 2, 3, 4, 5, 6, 9, 11, 12, 13 or 16.

    Examples
    --------
    >>> len(circulant_skip_links()), circulant_skip_links()[0]
    (10, Graph(num_nodes=41, num_edges=82))

    References
    ----------
    Murphy, Srinivasan, Rao, Ribeiro, "Relational Pooling for Graph Representations", ICML 2019.
    """
    skips = (2, 3, 4, 5, 6, 9, 11, 12, 13, 16)
    return [
        Graph.from_edges([(v, (v + step) % 41) for v in range(41) for step in (1, skip)], 41)
        for skip in skips
    ]


def cfi_pair(base: Graph) -> tuple[Graph, Graph]:
    """Return the two Cai–Fürer–Immerman graphs of a connected base graph: the plain and the twisted one.

    Every node of the base becomes a copy per even set of its edges, every edge two nodes, 0 and 1; a copy
    is joined, for each edge at its node, to 1 if the edge is in its set and to 0 if not. Edges of the base join
    the 0s and the 1s of its two ends; in the twisted graph, one edge joins them crosswise.

    Examples
    --------
    >>> import egonet
    >>> plain, twisted = cfi_pair(egonet.named.complete(4))
    >>> plain, twisted
    (Graph(num_nodes=40, num_edges=60), Graph(num_nodes=40, num_edges=60))

    References
    ----------
    Cai, Fürer, Immerman, "An optimal lower bound on the number of variables for graph identification",
    Combinatorica 1992.
    """
    reject_other("base", base)
    arcs = [
        (v, int(u)) for v in range(base.num_nodes) for u in base.indices[base.indptr[v] : base.indptr[v + 1]]
    ]
    edges: list[tuple[Hashable, Hashable]] = []
    for v in range(base.num_nodes):
        around = [u for w, u in arcs if w == v]
        for size in range(0, len(around) + 1, 2):
            for chosen in combinations(around, size):
                edges += [((v, chosen), (v, u, int(u in chosen))) for u in around]
    twist = arcs[0] if arcs else None
    joined = []
    for twisted in (False, True):
        bridges: list[tuple[Hashable, Hashable]] = [
            ((v, u, bit), (u, v, bit ^ int(twisted and (v, u) == twist)))
            for v, u in arcs
            if v < u
            for bit in (0, 1)
        ]
        joined.append(_number_nodes(edges + bridges))
    return joined[0], joined[1]


def small_graphs(num_nodes: int, *, connected: bool = False) -> list[Graph]:
    """Return every graph with `num_nodes` nodes, one of each isomorphism class, in a fixed order.

    Examples
    --------
    >>> [len(small_graphs(size)) for size in range(6)]
    [1, 1, 2, 4, 11, 34]
    >>> [len(small_graphs(size, connected=True)) for size in range(1, 6)]
    [1, 1, 2, 6, 21]

    Notes
    -----
    Each graph of one node less is extended by a node with every neighborhood (every non-empty one, if
    connected graphs are asked for: some node can always be removed), and one graph per canonical form is kept.
    """
    num_nodes = as_whole("num_nodes", num_nodes, most=MAX_SMALL)
    connected = as_flag("connected", connected)
    rows = np.zeros((1, min(num_nodes, 1)), dtype=np.uint64)
    for size in range(1, num_nodes):
        neighborhoods = np.arange(int(connected), 2**size, dtype=np.uint64)
        rows = _distinct(extend_graphs(rows, neighborhoods))
    return from_bits(rows)


def trees(num_nodes: int) -> list[Graph]:
    """Return every tree with `num_nodes` nodes, one of each isomorphism class.

    Examples
    --------
    >>> [len(trees(size)) for size in range(1, 11)]
    [1, 1, 1, 2, 3, 6, 11, 23, 47, 106]
    """
    num_nodes = as_whole("num_nodes", num_nodes, least=1, most=MAX_TREE)
    rows = np.zeros((1, 1), dtype=np.uint64)
    for size in range(1, num_nodes):
        leaf = ONE << np.arange(size, dtype=np.uint64)
        rows = _distinct(extend_graphs(rows, leaf))
    return from_bits(rows)


def _matrix(graph: Graph) -> NDArray[np.bool_]:
    """Return the adjacency matrix."""
    adjacent = np.zeros((graph.num_nodes, graph.num_nodes), dtype=bool)
    adjacent[np.repeat(np.arange(graph.num_nodes), graph.degrees), graph.indices] = True
    return adjacent


def _number_nodes(edges: Sequence[tuple[Hashable, Hashable]]) -> Graph:
    """Return the graph of some edges with its nodes numbered by first appearance."""
    number: dict[Hashable, int] = {}
    pairs = [tuple(number.setdefault(end, len(number)) for end in edge) for edge in edges]
    return Graph.from_edges(pairs, len(number))


def _latin_square_graph(square: list[list[int]]) -> Graph:
    """Return the cells of a Latin square, joined if they share row, column or symbol, plus one isolated node."""
    places = [(row, column, square[row][column]) for row in range(5) for column in range(5)]
    return _meeting([list(enumerate(place)) for place in places])


def _triple_system() -> list[tuple[int, ...]]:
    """Return the cyclic Steiner triple system of 13 points: {0, 1, 4} and {0, 2, 7}, shifted."""
    return [
        tuple(sorted((point + shift) % 13 for point in base))
        for base in ((0, 1, 4), (0, 2, 7))
        for shift in range(13)
    ]


def _pasch_switch(blocks: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the other triple system of 13 points: four blocks abc, ade, fbd, fce become abd, ... .

    A Pasch configuration is four blocks on six points, each point on two of them; the complement of each block
    among the six points is another four blocks on the same pairs.
    """
    for chosen in combinations(blocks, 4):
        points = sorted(set().union(*chosen))
        if len(points) == 6 and all(sum(point in block for block in chosen) == 2 for point in points):
            switched = [tuple(point for point in points if point not in block) for block in chosen]
            return [block for block in blocks if block not in chosen] + switched
    raise AssertionError("the cyclic triple system of 13 points has a Pasch configuration")


def _block_graph(blocks: list[tuple[int, ...]]) -> Graph:
    """Return the blocks of a triple system, joined if they meet."""
    return _meeting(blocks)


def _meeting(items: Sequence[Sequence[Hashable]], *, size: int = 26) -> Graph:
    """Return a graph of `size` nodes; the first are the items, joined if they share something."""
    sets = [set(item) for item in items]
    edges = [(i, j) for i, j in combinations(range(len(items)), 2) if sets[i] & sets[j]]
    return Graph.from_edges(edges, size)


def _isolate(seed: Graph, node: int) -> Graph:
    """Return the seed switched on the neighbors of a node, without that node.

    Switching exchanges edges and non-edges between the neighbors and all others.
    """
    adjacent = _matrix(seed)
    inside = adjacent[node]
    switched = adjacent ^ (inside[:, None] ^ inside[None, :])
    stays = np.arange(26) != node
    pairs = np.argwhere(np.triu(switched[stays][:, stays], 1))
    return Graph.from_edges(pairs, 25)


def _distinct(rows: Bits) -> Bits:
    """Return one graph of each isomorphism class, in rising order."""
    return np.unique(canonical_rows(np.unique(by_degree(rows), axis=0)), axis=0)
