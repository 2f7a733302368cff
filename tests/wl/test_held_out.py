"""Hard pairs that were used nowhere else: Latin square graphs of groups, and CFI pairs over other base graphs."""

from itertools import combinations, pairwise, permutations, product

import numpy as np
import pytest

from egonet import Graph
from egonet.graph.constructions import cfi_pair
from egonet.graph.union import disjoint_union
from egonet.kernel.search_tree import as_lists, refine_cells, rooted_cells, search, search_classes
from egonet.wl.compare import equivalent
from egonet.wl.isomorphism import individualize


def cyclic(order):
    return list(range(order)), lambda a, b: (a + b) % order


def product_group(*orders):
    elements = list(product(*map(range, orders)))
    return elements, lambda a, b: tuple((x + y) % n for x, y, n in zip(a, b, orders, strict=True))


def symmetric():
    elements = list(permutations(range(3)))
    return elements, lambda a, b: tuple(a[i] for i in b)


def dihedral(order):
    """Rotations and reflections of a polygon: (turn, flip)."""
    elements = [(turn, flip) for turn in range(order) for flip in range(2)]
    return elements, lambda a, b: ((a[0] + (-1) ** a[1] * b[0]) % order, a[1] ^ b[1])


def latin_square_graph(group):
    """Return the strongly regular graph of the cells of a multiplication table: same row, column or symbol."""
    elements, times = group
    cells = [(a, b, times(a, b)) for a in elements for b in elements]
    pairs = [
        (i, j)
        for (i, one), (j, other) in combinations(enumerate(cells), 2)
        if any(x == y for x, y in zip(one, other, strict=True))
    ]
    return Graph.from_edges(pairs, len(cells))


ORDER_6 = [cyclic(6), symmetric()]
ORDER_8 = [cyclic(8), product_group(4, 2), product_group(2, 2, 2), dihedral(4)]
PRISM = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)])
BASES = {
    "prism": PRISM,
    "pentagonal prism": Graph.from_edges(
        [edge for u in range(5) for edge in ((u, (u + 1) % 5), (u + 5, (u + 1) % 5 + 5), (u, u + 5))]
    ),
    "Möbius ladder": Graph.from_edges(
        [*((u, (u + 1) % 8) for u in range(8)), *((u, u + 4) for u in range(4))]
    ),
    "wheel": Graph.from_edges([*((u, (u + 1) % 5) for u in range(5)), *((u, 5) for u in range(5))]),
}


def relabeled(graph, seed):
    order = np.random.default_rng(seed).permutation(graph.num_nodes)
    return Graph.from_indices(*order[graph.edges().astype(int)].T, graph.num_nodes)


@pytest.mark.parametrize(("groups", "degree"), [(ORDER_6, 15), (ORDER_8, 21)], ids=["order 6", "order 8"])
def test_two_marks_split_latin_square_graphs_and_2_fwl_does_not(groups, degree):
    graphs = [latin_square_graph(group) for group in groups]
    copies = [relabeled(graph, 1) for graph in graphs]

    found = individualize([*graphs, *copies], depth=2).graphs.tolist()

    assert {int(d) for graph in graphs for d in graph.degrees} == {degree}
    assert found == [*range(len(graphs))] * 2
    assert set(individualize(graphs, depth=1).graphs.tolist()) == {0}
    assert equivalent(graphs[0], graphs[1], test="2-fwl")


def test_the_search_of_one_root_is_that_of_the_definition():
    """The automorphisms of a Latin square graph of a group move every node to every other: one root is enough."""
    classes = []
    for group in ORDER_6:
        graph = latin_square_graph(group)
        lists = as_lists(graph.indptr, graph.indices)
        classes.append(search(lists, refine_cells(lists, rooted_cells(lists, 0, None)), 1, "largest"))
        assert len(set(individualize(graph, depth=2).nodes.tolist())) == 1

    assert classes[0] != classes[1]


@pytest.mark.parametrize("base", BASES)
def test_marks_split_cfi_pairs(base, need):
    """One mark does not split them, two or three marks do, and relabeled copies are never split."""
    need("igraph")
    first, second = cfi_pair(BASES[base])
    copy = relabeled(first, 2)

    assert equivalent(first, second, test="1-wl")
    assert not equivalent(first, second, test="exact")
    least = next(
        marks for marks in range(1, 5) if len(set(individualize([first, second], depth=marks).graphs)) == 2
    )
    assert least == (2 if base in ("prism", "wheel") else 3)
    for marks in range(1, least + 1):
        assert individualize([first, copy], depth=marks).graphs.tolist() == [0, 0]


K33 = Graph.from_edges([(u, v) for u in range(3) for v in range(3, 6)])


@pytest.mark.parametrize(("base", "is_split"), [(PRISM, True), (K33, False)], ids=["prism", "K3,3"])
def test_two_marks_split_as_the_definition_says(base, is_split):
    """The plain Python search decides; C++ gives the same classes, node by node."""
    pair = cfi_pair(base)
    union, ptr = disjoint_union(list(pair))
    expected, _ = search_classes(as_lists(union.indptr, union.indices), 2)

    assert individualize(list(pair), depth=2).nodes.tolist() == expected
    halves = [sorted(expected[first:last]) for first, last in pairwise(ptr.tolist())]
    assert (halves[0] != halves[1]) == is_split


def test_a_latin_square_graph_is_strongly_regular():
    """36 nodes of degree 15; two nodes have six common neighbors, adjacent or not."""
    graph = latin_square_graph(cyclic(6))
    matrix = graph.to_scipy().toarray()

    assert set((matrix @ matrix)[~np.eye(36, dtype=bool)].tolist()) == {6}
