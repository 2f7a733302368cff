"""Individualization and refinement: equal to the definition, invariant, exact, and as strong as the ladder says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet import Graph, named
from egonet.errors import InputError
from egonet.graph.union import disjoint_union
from egonet.kernel.search_tree import as_lists, search_classes
from egonet.wl.individualize import individualize, isomorphism_classes
from experiments.expressivity.constructions import cfi_pair, complement, sr25, triangular
from experiments.expressivity.families import small_graphs

CELLS = ("largest", "all")


@st.composite
def graphs(draw, most=9):
    """Draw graphs with some symmetry: a random one, or two copies of one with some edges between them."""
    size = draw(st.integers(1, most))
    pairs = [(u, v) for u in range(size) for v in range(u)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    if draw(st.booleans()):
        across = draw(st.lists(st.integers(0, size - 1), unique=True))
        edges = [*edges, *((u + size, v + size) for u, v in edges), *((u, u + size) for u in across)]
        size *= 2
    return Graph.from_edges(edges, size)


def relabeled(graph, rng):
    order = rng.permutation(graph.num_nodes)
    return Graph.from_indices(*order[graph.edges().astype(int)].T, graph.num_nodes), order


def classes(given, **options):
    return individualize(given, **options).graphs.tolist()


@settings(max_examples=60)
@given(graphs(), st.integers(1, 3), st.sampled_from([None, 0, 1, 2, 3]), st.sampled_from(CELLS))
def test_classes_equal_the_definition(graph, depth, radius, cell):
    found = individualize(graph, depth, radius, cell)
    expected, complete = search_classes(as_lists(graph.indptr, graph.indices), depth, radius, cell)

    assert found.nodes.tolist() == expected
    assert found.complete.tolist() == complete


@settings(max_examples=40)
@given(graphs(most=7), st.integers(1, 2), st.sampled_from([None, 1, 2]), st.data())
def test_classes_with_labels_equal_the_definition(graph, depth, radius, data):
    labels = data.draw(st.lists(st.integers(0, 2), min_size=graph.num_nodes, max_size=graph.num_nodes))
    kinds = data.draw(st.lists(st.integers(0, 2), min_size=graph.num_edges, max_size=graph.num_edges))
    found = individualize(graph, depth, radius, labels=labels, edge_labels=np.array(kinds, dtype=int))
    kind_of = {frozenset(edge): kind for edge, kind in zip(graph.edges().tolist(), kinds, strict=True)}
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees).tolist()
    arcs = [kind_of[frozenset(arc)] for arc in zip(source, graph.indices.tolist(), strict=True)]
    lists = as_lists(graph.indptr, graph.indices, np.array(labels), np.array(arcs, dtype=np.int32))

    assert found.nodes.tolist() == search_classes(lists, depth, radius)[0]


@settings(max_examples=40)
@given(graphs(), st.integers(1, 3), st.sampled_from([None, 2]), st.randoms(use_true_random=False))
def test_renaming_nodes_renames_classes(graph, depth, radius, random):
    other, order = relabeled(graph, np.random.default_rng(random.randrange(2**32)))
    found = individualize([graph, other], depth, radius)

    assert found.nodes[: graph.num_nodes].tolist() == found.nodes[graph.num_nodes :][order].tolist()
    assert found.graphs.tolist() == [0, 0]


def test_classes_do_not_depend_on_threads():
    both = [*sr25()[:4], *cfi_pair(named.complete(4)), *small_graphs(5)]

    for radius in (None, 2):
        one, four = (individualize(both, 2, radius, threads=threads) for threads in (1, 4))
        assert one.nodes.tolist() == four.nodes.tolist()
        assert one.complete.tolist() == four.complete.tolist()


def test_a_component_is_searched_alone():
    union, _ = disjoint_union([named.cycle(5), named.cycle(5), named.cycle(6)])

    assert individualize(union, 2).nodes.tolist() == [0] * 10 + [1] * 6


@pytest.mark.parametrize("num_nodes", [6, 7])
def test_complete_classes_are_isomorphism_classes_of_rooted_graphs(num_nodes):
    connected = small_graphs(num_nodes, connected=True)
    found = individualize(connected, 3)

    # Different connected graphs have no complete class in common.
    owner = np.repeat(np.arange(len(connected)), num_nodes)
    kept = {(c, g) for c, g, done in zip(found.nodes, owner, found.complete, strict=True) if done}
    assert found.complete.mean() > 0.9
    assert len({c for c, _ in kept}) == len(kept)


@pytest.mark.parametrize("radius", [1, 2])
def test_complete_classes_equal_those_of_canonical_labelling(need, radius):
    need("igraph")
    hard = [named.shrikhande(), named.rook_4x4(), *cfi_pair(named.cycle(4)), named.petersen(), sr25()[2]]
    union, _ = disjoint_union([*small_graphs(6), *hard])
    ours, exact = individualize(union, 5, radius), isomorphism_classes(union, radius)

    assert ours.complete.all()
    assert len(set(ours.nodes.tolist())) == len(set(exact.tolist()))
    assert ours.nodes.tolist() == exact.tolist()


def test_labels_are_part_of_isomorphism_classes(need):
    need("igraph")
    path = named.path(3)

    assert isomorphism_classes(path, 1, np.array([0, 0, 0])).tolist() == [0, 1, 0]
    assert isomorphism_classes(path, 1, np.array([0, 0, 1])).tolist() == [0, 1, 2]


def test_two_marks_distinguish_all_strongly_regular_graphs_with_25_nodes_and_one_mark_none():
    assert len(set(classes(sr25(), depth=1))) == 1
    assert len(set(classes(sr25(), depth=2))) == 15


def test_pairs_of_strongly_regular_graphs():
    pairs = [
        [named.shrikhande(), named.rook_4x4()],
        [triangular(7), complement(triangular(7))],
        [triangular(8), switched_triangular()],
    ]

    # T(7) and its complement differ in the number of common neighbors; the other pairs have equal parameters.
    assert [classes(pair, depth=1) for pair in pairs] == [[0, 0], [0, 1], [0, 0]]
    assert [classes(pair, depth=2) for pair in pairs] == [[0, 1]] * 3


def switched_triangular():
    """Return a Chang graph: T(8) switched on four disjoint pairs of points, with the same parameters."""
    points = [(u, v) for u in range(8) for v in range(u + 1, 8)]
    inside = [pair in {(0, 1), (2, 3), (4, 5), (6, 7)} for pair in points]
    edges = []
    for i, first in enumerate(points):
        for j in range(i):
            meets = bool(set(first) & set(points[j]))
            if meets != (inside[i] != inside[j]):
                edges.append((i, j))
    return Graph.from_edges(edges, 28)


CUBE = Graph.from_edges([(v, v ^ bit) for v in range(8) for bit in (1, 2, 4) if v < v ^ bit])
UTILITY = Graph.from_edges([(u, v) for u in range(3) for v in range(3, 6)])


@pytest.mark.parametrize(
    ("base", "depth"),
    [(named.cycle(5), 1), (named.complete(4), 2), (UTILITY, 2), (CUBE, 3), (named.petersen(), 3)],
    ids=["C5", "K4", "K33", "cube", "Petersen"],
)
def test_cai_furer_immerman_graphs_need_as_many_marks_as_break_all_cycles_of_the_base(base, depth):
    pair = list(cfi_pair(base))

    for marks in range(max(1, depth - 1), depth + 1):
        assert classes(pair, depth=marks, cell="all") == ([0, 1] if marks == depth else [0, 0])


def test_the_largest_cell_may_need_one_mark_more_than_all_cells():
    pair = list(cfi_pair(UTILITY))

    assert [classes(pair, depth=marks) for marks in (1, 2, 3)] == [[0, 0], [0, 0], [0, 1]]


def test_cfi_graphs_and_their_copies_as_the_definition_says():
    rng = np.random.default_rng(0)
    plain, twisted = cfi_pair(named.complete(4))
    union, _ = disjoint_union([plain, relabeled(plain, rng)[0], twisted])
    found = individualize(union, 2)

    assert found.nodes.tolist() == search_classes(as_lists(union.indptr, union.indices), 2)[0]


def test_nothing_beyond_the_radius_matters():
    near, far = named.path(5), named.path(9)

    assert individualize([near, far], 2, 2).nodes[2] == individualize([near, far], 2, 2).nodes[5 + 4]


def test_a_graph_without_nodes_has_no_classes():
    assert individualize(Graph.from_edges([], 0), 1).nodes.tolist() == []
    assert classes([Graph.from_edges([], 0), Graph.from_edges([], 2)], depth=1) == [0, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": 0}, "depth must be between 1 and 1,000, got 0"),
        ({"depth": 1.5}, "depth must be a whole number >= 0, got 1.5"),
        ({"depth": 1, "radius": -1}, "radius must be a whole number >= 0, got -1"),
        ({"depth": 1, "cell": "smallest"}, "cell must be one of 'largest', 'all', got 'smallest'"),
        ({"depth": 1, "edge_labels": [1]}, "one whole number >= 0 per edge: 2, got int64 of shape"),
    ],
)
def test_wrong_arguments_raise(options, message):
    with pytest.raises(InputError, match=message):
        individualize([("a", "b"), ("b", "c")], **options)


def test_directed_graphs_raise():
    with pytest.raises(InputError, match='needs an undirected graph, got directed="out"'):
        individualize(egonet.as_graph([(0, 1)], directed="out"), 1)
