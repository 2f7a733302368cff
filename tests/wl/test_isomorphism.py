"""Exact isomorphism by igraph and by networkx, with labels of nodes and types of edges."""

import builtins
import importlib
import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet import Graph, as_graph, named
from egonet.errors import InputError
from egonet.graph.constructions import cfi_pair, complement, small_graphs, sr25, triangular
from egonet.graph.union import disjoint_union
from egonet.kernel.search_tree import as_lists, search_classes
from egonet.wl import isomorphism as module
from egonet.wl.compare import equivalent
from egonet.wl.isomorphism import individualize, isomorphic, isomorphism_classes

CYCLE, ARCS = named.cycle(4), Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)], directed="out")
HEXAGON = named.cycle(6)
TRIANGLES = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])


@pytest.mark.parametrize(("first", "second"), [(CYCLE, ARCS), (ARCS, CYCLE)])
def test_a_directed_graph_is_never_an_undirected_one(first, second):
    both = Graph.from_edges([(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 0), (0, 3)], directed="out")

    assert not isomorphic(CYCLE, both)
    assert not isomorphic(both, CYCLE)
    assert isomorphic(ARCS, ARCS)
    assert not isomorphic(first, second)


@pytest.fixture(params=["igraph", "networkx"])
def package(request, need, monkeypatch):
    need(request.param)
    if request.param == "networkx":
        monkeypatch.setitem(sys.modules, "igraph", None)
    return request.param


@pytest.mark.usefixtures("package")
def test_a_hexagon_is_a_hexagon_and_not_two_triangles():
    assert isomorphic(HEXAGON, Graph.from_edges([("f", "a"), *zip("abcde", "bcdef", strict=True)]))
    assert not isomorphic(HEXAGON, TRIANGLES)


@pytest.mark.usefixtures("package")
def test_nodes_without_edges_are_compared():
    one, two = Graph.from_edges([(0, 1)], 3), Graph.from_edges([(1, 2)], 3)

    assert isomorphic(one, two)
    assert isomorphic(Graph.from_edges([], 2), Graph.from_edges([], 2))
    assert not isomorphic(one, Graph.from_edges([(0, 1)], 4))


@pytest.mark.usefixtures("package")
def test_arcs_are_compared_with_their_direction():
    around = Graph.from_edges([(0, 1), (1, 2), (2, 0)], directed="out")
    other_way = Graph.from_edges([(1, 0), (2, 1), (0, 2)], directed="out")
    # Out-degrees 1, 1, 1 as well, but two of the arcs are one edge there and back.
    back = Graph.from_edges([(0, 1), (1, 0), (2, 0)], directed="out")

    assert isomorphic(around, other_way)
    assert not isomorphic(around, back)


@pytest.mark.parametrize("directed", [None, "out"])
@pytest.mark.parametrize("package", ["igraph", "networkx"])
def test_both_packages_decide_isomorphism(package, directed, need, monkeypatch):
    need(package)
    real = importlib.import_module
    monkeypatch.setattr(
        module.importlib,
        "import_module",
        lambda name: real(name) if name == package else builtins.__import__("no such package"),
    )
    first, second, other = (
        Graph.from_edges(edges, 4, directed=directed)
        for edges in ([(0, 1), (1, 2), (2, 3)], [(3, 0), (0, 2), (2, 1)], [(0, 1), (0, 2), (0, 3)])
    )

    assert isomorphic(first, second)
    assert not isomorphic(first, other)


def random_labeled(rng, num_nodes=6):
    """Return edges, node labels and edge types of a small random graph."""
    edges = [(u, v) for u in range(num_nodes) for v in range(u) if rng.random() < 0.4]
    return edges, rng.integers(2, size=num_nodes).tolist(), rng.integers(2, size=len(edges)).tolist()


def by_networkx(first, second, *, directed):
    """Return whether networkx matches two graphs with labels."""
    made = []
    for edges, labels, types in (first, second):
        graph = nx.DiGraph() if directed else nx.Graph()
        graph.add_nodes_from((node, {"label": label}) for node, label in enumerate(labels))
        graph.add_edges_from((u, v, {"type": kind}) for (u, v), kind in zip(edges, types, strict=True))
        made.append(graph)
    return nx.is_isomorphic(*made, node_match=dict.__eq__, edge_match=dict.__eq__)


@pytest.mark.parametrize("directed", [None, "out", "in"])
@pytest.mark.usefixtures("package")
def test_labels_and_types_are_matched_as_by_networkx(directed):
    """Copies with one label or type changed, or moved: both answers occur."""
    rng, answers = np.random.default_rng(3), set()
    for _ in range(60):
        edges, labels, types = random_labeled(rng)
        if not edges:
            continue
        order = rng.permutation(len(labels))
        moved = [(int(order[u]), int(order[v])) for u, v in edges]
        other = [labels[i] for i in np.argsort(order)], [*types]
        if rng.random() < 0.5:
            rng.shuffle(other[int(rng.integers(2))])
        graphs = [
            as_graph(each, num_nodes=len(labels), directed=directed, keep=()) for each in (edges, moved)
        ]
        found = equivalent(*graphs, test="exact", labels=[labels, other[0]], edge_labels=[types, other[1]])
        expected = by_networkx((edges, labels, types), (moved, *other), directed=directed is not None)
        assert found == expected
        answers.add(found)

    assert answers == {True, False}


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


@pytest.mark.parametrize(
    "kinds",
    [[7, 7, 9], ["x", "x", "y"], {(0, 1): 7, (3, 2): 7, (1, 2): 9}, "bond"],
)
def test_types_of_edges_are_in_the_order_of_the_edges_as_given(kinds):
    edges = [(2, 3), (0, 1), (1, 2)]
    table = pd.DataFrame(edges, columns=["source", "target"]).assign(bond=[7, 7, 9])
    graph = table if kinds == "bond" else edges

    kept = (
        as_graph(graph, source="source", target="target", keep="bond")
        if kinds == "bond"
        else as_graph(graph, keep=())
    )
    both = individualize([kept, kept], 1, edge_labels="bond" if kinds == "bond" else [kinds, kinds]).nodes
    assert individualize(graph, 1, edge_labels=kinds).nodes.tolist() == [0, 1, 1, 0]
    assert both.tolist() == [0, 1, 1, 0] * 2
    assert len(set(individualize(edges, 1, edge_labels=[7, 9, 9]).nodes.tolist())) == 4


def test_edges_of_two_types_between_two_nodes_differ_from_one():
    twice = [(0, 1), (1, 0), (2, 3)]

    assert individualize(twice, 1, edge_labels=["x", "y", "x"]).nodes.tolist() == [0, 0, 1, 1]
    assert individualize(twice, 1, edge_labels=["x", "x", "x"]).nodes.tolist() == [0, 0, 0, 0]


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
        ({"depth": 1, "edge_labels": [1]}, "edge_labels must have one value per edge as given: 2, got 1"),
        ({"depth": 1, "edge_labels": [1.5, 2.5]}, "edge_labels must be whole numbers or strings, got 1.5"),
    ],
)
def test_wrong_arguments_raise(options, message):
    with pytest.raises(InputError, match=message):
        individualize([("a", "b"), ("b", "c")], **options)


def test_directed_graphs_raise():
    with pytest.raises(InputError, match='needs an undirected graph, got directed="out"'):
        individualize(egonet.as_graph([(0, 1)], directed="out"), 1)


def test_arcs_cannot_be_followed_by_a_search():
    message = 'individualize needs an undirected graph, got directed="out". Read it with directed=False'
    with pytest.raises(InputError, match=message):
        individualize(nx.DiGraph([("a", "b")]), 2, directed="out")
