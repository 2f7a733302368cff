"""Families of graphs that try an encoding: all small graphs, trees, strongly regular graphs, and benchmark pairs."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from egonet import _native
from egonet.errors import InputError, MissingFileError
from egonet.graph.files import read_graphs
from egonet.graph.graph import Graph

Bits: TypeAlias = NDArray[np.uint64]
MAX_SMALL, MAX_TREE = 10, 16
_ONE = np.uint64(1)


@dataclass(frozen=True)
class Pairs:
    """Pairs of graphs that differ, to be told apart: graphs 2p and 2p + 1 are pair p.

    Attributes
    ----------
    graphs
        The graphs of all pairs, one pair after the other.
    categories
        Name to (first pair, last pair + 1); every pair is in one category.
    """

    graphs: tuple[Graph, ...]
    categories: dict[str, tuple[int, int]]

    @property
    def num_pairs(self) -> int:
        """Return the number of pairs."""
        return len(self.graphs) // 2


def small_graphs(num_nodes: int, *, connected: bool = False) -> list[Graph]:
    """Return every graph of so many vertices, one of each isomorphism class, in a fixed order.

    Examples
    --------
    >>> [len(small_graphs(size)) for size in range(6)]
    [1, 1, 2, 4, 11, 34]
    >>> [len(small_graphs(size, connected=True)) for size in range(1, 6)]
    [1, 1, 2, 6, 21]

    Notes
    -----
    Each graph of one vertex less is extended by a vertex with every neighbourhood (every non-empty one, if
    connected graphs are asked for: some vertex can always be removed), and one graph per canonical form is kept.
    """
    if not 0 <= num_nodes <= MAX_SMALL:
        raise InputError(f"small graphs have 0 to {MAX_SMALL} vertices, got {num_nodes!r}.")
    rows = np.zeros((1, min(num_nodes, 1)), dtype=np.uint64)
    for size in range(1, num_nodes):
        neighbourhoods = np.arange(int(connected), 2**size, dtype=np.uint64)
        rows = _distinct(_native.extend_by_vertex(rows, neighbourhoods))
    return from_bits(rows)


def graph8c() -> list[Graph]:
    """Return the 11,117 connected graphs of 8 vertices, a common benchmark, in a fixed order.

    Examples
    --------
    >>> len(graph8c())
    11117
    """
    return small_graphs(8, connected=True)


def trees(num_nodes: int) -> list[Graph]:
    """Return every tree of so many vertices, one of each isomorphism class.

    Examples
    --------
    >>> [len(trees(size)) for size in range(1, 11)]
    [1, 1, 1, 2, 3, 6, 11, 23, 47, 106]
    """
    if not 1 <= num_nodes <= MAX_TREE:
        raise InputError(f"trees have 1 to {MAX_TREE} vertices here, got {num_nodes!r}.")
    rows = np.zeros((1, 1), dtype=np.uint64)
    for size in range(1, num_nodes):
        leaf = _ONE << np.arange(size, dtype=np.uint64)
        rows = _distinct(_native.extend_by_vertex(rows, leaf))
    return from_bits(rows)


def sr25() -> list[Graph]:
    """Return the 15 strongly regular graphs with parameters (25, 12, 5, 6).

    Examples
    --------
    >>> len(sr25()), sr25()[0]
    (15, Graph(num_nodes=25, num_edges=150))

    Notes
    -----
    Four seeds on 26 vertices: two Latin square graphs of order 5, each with a vertex of its own beside it, and
    the block graphs of the two Steiner triple systems of 13 points. Switching a seed on the neighbours of any
    vertex isolates that vertex; what is left is strongly regular.
    """
    cyclic = [[(row + column) % 5 for column in range(5)] for row in range(5)]
    other = [[int(digit) for digit in row] for row in ("01234", "10342", "24013", "32401", "43120")]
    blocks = _triple_system()
    seeds = [_latin_square_graph(cyclic), _latin_square_graph(other)]
    seeds += [_block_graph(blocks), _block_graph(_pasch_switch(blocks))]
    descendants = [_isolate(seed, vertex) for seed in seeds for vertex in range(26)]
    return from_bits(_distinct(_native.canonical_form(to_bits(descendants))))


def exp(folder: str | Path | None = None) -> Pairs:
    """Return EXP, 600 pairs that 1-WL cannot tell apart, from `exp/exp.g6` in the data folder.

    References
    ----------
    Abboud, Ceylan, Grohe, Lukasiewicz, "The Surprising Power of Graph Neural Networks with Random Node
    Initialization", IJCAI 2021.
    """
    graphs = tuple(read_graphs(_data_file("exp/exp.g6", folder)))
    return Pairs(graphs, {"EXP": (0, len(graphs) // 2)})


def brec(folder: str | Path | None = None) -> Pairs:
    """Return BREC, 400 pairs that 1-WL cannot tell apart, from `brec/` in the data folder.

    References
    ----------
    Wang, Zhang, "An Empirical Study of Realized GNN Expressiveness", ICML 2024.
    """
    graphs = tuple(read_graphs(_data_file("brec/brec_pairs.g6", folder)))
    ranges = json.loads(_data_file("brec/categories.json", folder).read_text())
    names = {
        "Basic": "Basic",
        "Regular/simple": "Simple regular",
        "Regular/strongly_regular": "Strongly regular",
        "4-Vertex_Condition": "4-vertex condition",
        "Distance_Regular": "Distance-regular",
        "Extension": "Extension",
        "CFI": "CFI",
    }
    return Pairs(graphs, {name: (ranges[key][0], ranges[key][1]) for key, name in names.items()})


def cfi_pair(base: Graph) -> tuple[Graph, Graph]:
    """Return the two Cai–Fürer–Immerman graphs of a connected base graph: the plain and the twisted one.

    Every vertex of the base becomes a copy per even set of its edges, every edge two vertices, 0 and 1; a copy
    is joined, for each edge at its vertex, to 1 if the edge is in its set and to 0 if not. Edges of the base join
    the 0s and the 1s of its two ends; in the twisted graph, one edge joins them crosswise.

    Examples
    --------
    >>> from egonet.graph import named
    >>> plain, twisted = cfi_pair(named.complete(4))
    >>> plain, twisted
    (Graph(num_nodes=40, num_edges=72), Graph(num_nodes=40, num_edges=72))

    References
    ----------
    Cai, Fürer, Immerman, "An optimal lower bound on the number of variables for graph identification",
    Combinatorica 1992.
    """
    arcs = [
        (v, int(u)) for v in range(base.num_nodes) for u in base.indices[base.indptr[v] : base.indptr[v + 1]]
    ]
    ends = {(v, u, bit): None for v, u in arcs for bit in (0, 1)}
    edges = []
    for v in range(base.num_nodes):
        around = [u for w, u in arcs if w == v]
        for size in range(0, len(around) + 1, 2):
            for chosen in combinations(around, size):
                edges += [((v, chosen), (v, u, int(u in chosen))) for u in around]
    twist = arcs[0] if arcs else None
    joined = []
    for twisted in (False, True):
        bridges = [
            ((v, u, bit), (u, v, bit ^ int(twisted and (v, u) == twist)))
            for v, u in arcs
            if v < u
            for bit in (0, 1)
        ]
        joined.append(_numbered(edges + bridges, list(ends)))
    return joined[0], joined[1]


def from_bits(rows: Bits) -> list[Graph]:
    """Return the graphs of some adjacency matrices, one 64-bit row of bits per vertex.

    Examples
    --------
    >>> from_bits(np.array([[2, 1]], dtype=np.uint64))
    [Graph(num_nodes=2, num_edges=1)]
    """
    size = rows.shape[1]
    places = np.arange(size, dtype=np.uint64)
    adjacent = (rows[:, :, None] >> places & _ONE).astype(bool)
    graph, _, target = np.nonzero(adjacent)
    indptr = np.zeros((len(rows), size + 1), dtype=np.int64)
    np.cumsum(adjacent.sum(axis=2), axis=1, out=indptr[:, 1:])
    starts = np.searchsorted(graph, np.arange(len(rows) + 1))
    target = target.astype(np.int32)
    return [Graph(indptr[i], target[starts[i] : starts[i + 1]]) for i in range(len(rows))]


def to_bits(graphs: Sequence[Graph]) -> Bits:
    """Return graphs of equal size, at most 64 vertices, as one 64-bit row of bits per vertex.

    Examples
    --------
    >>> to_bits([Graph.from_edges([(0, 1), (1, 2)])]).tolist()
    [[2, 5, 2]]
    """
    size = graphs[0].num_nodes
    rows = np.zeros((len(graphs), size), dtype=np.uint64)
    for row, graph in zip(rows, graphs, strict=True):
        source = np.repeat(np.arange(size), graph.degrees)
        np.bitwise_or.at(row, source, _ONE << graph.indices.astype(np.uint64))
    return rows


def canonical_bits(graphs: Sequence[Graph]) -> Bits:
    """Return the canonical form of graphs of equal size, at most 64 vertices: equal if and only if isomorphic.

    Examples
    --------
    >>> forms = canonical_bits([Graph.from_edges([(0, 1)], 3), Graph.from_edges([(1, 2)], 3)])
    >>> (forms[0] == forms[1]).all()
    np.True_
    """
    return _native.canonical_form(to_bits(graphs))


def _distinct(rows: Bits) -> Bits:
    """Return each row of bits once, in rising order."""
    return np.unique(rows, axis=0)


def _data_file(name: str, folder: str | Path | None) -> Path:
    """Return a file of the data folder, or say how to name one."""
    given = folder if folder is not None else os.environ.get("EGONET_DATA")
    if not given:
        raise MissingFileError(
            f"{name} is read from a data folder. Set EGONET_DATA to the folder that has it."
        )
    path = Path(given) / name
    if not path.is_file():
        raise MissingFileError(f"there is no {name} in the data folder {str(given)!r}.")
    return path


def _numbered(edges: Iterable[tuple[object, object]], nodes: list[object]) -> Graph:
    """Return the graph of some edges with its vertices numbered by first appearance."""
    number = {node: position for position, node in enumerate(nodes)}
    pairs = [tuple(number.setdefault(end, len(number)) for end in edge) for edge in edges]
    return Graph.from_edges(pairs, len(number))


def _latin_square_graph(square: list[list[int]]) -> Graph:
    """Return the cells of a Latin square, joined if they share row, column or symbol, and a vertex apart."""
    cells = [(row, column, square[row][column]) for row in range(5) for column in range(5)]
    return _meeting(cells, by_place=True)


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
    return _meeting(blocks, by_place=False)


def _meeting(items: list[tuple[int, ...]], *, by_place: bool) -> Graph:
    """Return 26 vertices, the first of them items, joined if they share a number (in the same place)."""
    sets = [set(enumerate(item)) if by_place else set(item) for item in items]
    edges = [(i, j) for i, j in combinations(range(len(items)), 2) if sets[i] & sets[j]]  # type: ignore[operator]
    return Graph.from_edges(edges, 26)


def _isolate(seed: Graph, vertex: int) -> Graph:
    """Return the seed switched on the neighbours of a vertex, without that vertex.

    Switching exchanges edges and non-edges between the neighbours and all others.
    """
    adjacent = np.zeros((26, 26), dtype=bool)
    adjacent[np.repeat(np.arange(26), seed.degrees), seed.indices] = True
    inside = adjacent[vertex]
    switched = adjacent ^ (inside[:, None] ^ inside[None, :])
    kept = np.arange(26) != vertex
    pairs = np.argwhere(np.triu(switched[kept][:, kept], 1))
    return Graph.from_edges(pairs, 25)
