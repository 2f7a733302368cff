"""Named graphs for examples and tests: small ones, pairs that are hard to distinguish, and graphs built by a rule."""

from collections.abc import Hashable, Iterable
from itertools import pairwise

from egonet.checks import as_whole, is_iterable
from egonet.errors import InputError, show_value
from egonet.graph.constructions import (
    cfi_pair,
    circulant_skip_links,
    complement,
    cone,
    cone_pair,
    small_graphs,
    sr25,
    trees,
    triangular,
)
from egonet.graph.graph import MAX_NODES, Graph
from egonet.io.graph6 import parse_graph6

__all__ = [
    "bicyclopentyl",
    "cfi_pair",
    "circulant_skip_links",
    "complement",
    "complete",
    "cone",
    "cone_pair",
    "cycle",
    "decalin",
    "figure1",
    "figure2",
    "from_graph6",
    "grid",
    "karate_club",
    "path",
    "petersen",
    "rook_4x4",
    "shrikhande",
    "small_graphs",
    "sr25",
    "star",
    "trees",
    "triangular",
]

#: Zachary's karate club (1977) in graph6, with members counted from 0.
KARATE_CLUB = (
    "a~aC^a_GCWO?c?{??????@_B?????E??????o?????????????????@_???@???KG???????Ca@???C???EO__qkF?K[zNw"
)


def path(nodes: int | Iterable[Hashable]) -> Graph:
    """Return the path through nodes, given as a number or as ids.

    Examples
    --------
    >>> path("abc").neighbors("b")
    ['a', 'c']
    """
    if isinstance(nodes, int):
        return Graph.from_edges(list(pairwise(range(as_whole("nodes", nodes, most=MAX_NODES)))), nodes)
    if not isinstance(nodes, str) and not is_iterable(nodes):
        raise InputError(f"nodes must be a number of nodes or their ids, got {show_value(nodes)}.")
    ids = list(nodes)
    return Graph.from_edges(list(pairwise(ids)), nodes=ids)


def cycle(num_nodes: int) -> Graph:
    """Return the cycle 0-1-...-0 of at least three nodes.

    Examples
    --------
    >>> cycle(5).neighbors(0)
    [1, 4]
    """
    size = as_whole("num_nodes", num_nodes, least=3, most=MAX_NODES)
    return Graph.from_edges([(v, (v + 1) % size) for v in range(size)], size)


def complete(num_nodes: int) -> Graph:
    """Return the graph in which every two nodes are neighbors.

    Examples
    --------
    >>> complete(4).num_edges
    6
    """
    size = as_whole("num_nodes", num_nodes, most=MAX_NODES)
    return Graph.from_edges([(u, v) for v in range(size) for u in range(v)], size)


def star(num_leaves: int) -> Graph:
    """Return the star with center 0 and leaves 1, 2, ....

    Examples
    --------
    >>> star(3).degrees.tolist()
    [3, 1, 1, 1]
    """
    size = as_whole("num_leaves", num_leaves, most=MAX_NODES - 1) + 1
    return Graph.from_edges([(0, v) for v in range(1, size)], size)


def grid(width: int, height: int) -> Graph:
    """Return the grid of width x height nodes, numbered row by row.

    Examples
    --------
    >>> grid(3, 2).neighbors(1)
    [0, 2, 4]
    """
    size = as_whole("width", width) * as_whole("height", height)
    across = [(v, v + 1) for v in range(size) if (v + 1) % width]
    down = [(v, v + width) for v in range(size - width)]
    return Graph.from_edges(across + down, size)


def karate_club() -> Graph:
    """Return Zachary's karate club: 34 members, 78 friendships; 0 is the instructor, 33 the president.

    Examples
    --------
    >>> karate_club()
    Graph(num_nodes=34, num_edges=78)
    """
    return from_graph6(KARATE_CLUB)


def figure1() -> Graph:
    """Return the graph of the paper's first figure; its root is node 0.

    Examples
    --------
    >>> figure1().degrees.tolist()
    [2, 2, 4, 4, 3, 3]
    """
    return Graph.from_edges([(0, 1), (0, 2), (1, 3), (2, 3), (2, 4), (2, 5), (3, 4), (3, 5), (4, 5)], 6)


def figure2() -> tuple[Graph, Graph]:
    """Return the pair of the paper's second figure: 4-regular, ten nodes, the same spectrum, not isomorphic.

    Examples
    --------
    >>> figure2()
    (Graph(num_nodes=10, num_edges=20), Graph(num_nodes=10, num_edges=20))
    """
    return from_graph6("I|hAG[UEW"), from_graph6("I{hAhWUEW")


def decalin() -> Graph:
    """Return the molecule of two six-rings that share an edge; 1-WL cannot distinguish it from `bicyclopentyl`.

    Examples
    --------
    >>> decalin()
    Graph(num_nodes=10, num_edges=11)
    """
    return Graph.from_edges([(v, (v + 1) % 10) for v in range(10)] + [(0, 5)], 10)


def bicyclopentyl() -> Graph:
    """Return the molecule of two five-rings joined by an edge; 1-WL cannot distinguish it from `decalin`.

    Examples
    --------
    >>> bicyclopentyl().neighbors(0)
    [1, 4, 5]
    """
    rings = [(ring + v, ring + (v + 1) % 5) for ring in (0, 5) for v in range(5)]
    return Graph.from_edges([*rings, (0, 5)], 10)


def petersen() -> Graph:
    """Return the Petersen graph: an outer five-cycle 0-4, an inner five-point star 5-9, and spokes.

    Examples
    --------
    >>> set(petersen().degrees.tolist())
    {3}
    """
    outer = [(v, (v + 1) % 5) for v in range(5)]
    star_points = [(5 + v, 5 + (v + 2) % 5) for v in range(5)]
    return Graph.from_edges([*outer, *star_points, *((v, v + 5) for v in range(5))], 10)


def shrikhande() -> Graph:
    """Return the Shrikhande graph: strongly regular (16, 6, 2, 2) like `rook_4x4`, but not isomorphic to it.

    Examples
    --------
    >>> shrikhande()
    Graph(num_nodes=16, num_edges=48)
    """
    return _torus(((0, 1), (1, 0), (1, 1)))


def rook_4x4() -> Graph:
    """Return the moves of a rook on a board of 4 x 4 squares: strongly regular (16, 6, 2, 2).

    Examples
    --------
    >>> rook_4x4().neighbors(0)
    [1, 2, 3, 4, 8, 12]
    """
    return _torus(((0, 1), (0, 2), (1, 0), (2, 0)))


def from_graph6(text: str) -> Graph:
    """Return the graph of a graph6 string.

    Examples
    --------
    >>> from_graph6("Bw")
    Graph(num_nodes=3, num_edges=3)
    """
    if not isinstance(text, str):
        raise InputError(f"text must be a graph6 string, got {show_value(text)}.")
    try:
        return parse_graph6(text.encode("ascii"))
    except (InputError, UnicodeEncodeError) as error:
        raise InputError(f"{show_value(text)} is not a graph6 string: {error}") from error


def _torus(steps: Iterable[tuple[int, int]]) -> Graph:
    """Return the 16 cells of a 4 x 4 torus, each joined to the cells at the given (row, column) offsets."""
    cells = [(row, column) for row in range(4) for column in range(4)]
    edges = {
        tuple(sorted((4 * row + column, 4 * ((row + down) % 4) + (column + right) % 4)))
        for row, column in cells
        for down, right in steps
    }
    return Graph.from_edges(sorted(edges), 16)
