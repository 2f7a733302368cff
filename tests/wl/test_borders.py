"""Borders of the tests of isomorphism: other packages, graphs of different size, numbers of walks by hand."""

import sys

import numpy as np
import pytest

from egonet import Graph, named
from egonet.errors import InputError
from egonet.graph.union import disjoint_union
from egonet.wl import refine
from egonet.wl.compare import compare
from egonet.wl.descriptors import graph_classes
from egonet.wl.isomorphism import isomorphic
from egonet.wl.refine import folklore_colors
from experiments.expressivity import peers
from experiments.expressivity.peers import _eigenspace_weights

HEXAGON = named.cycle(6)
TRIANGLES = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])


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
def test_nodes_without_edges_count():
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


def test_a_comparison_tells_the_size_of_each():
    found = compare(named.path("abc"), named.cycle(4), radius=1)

    assert str(found).splitlines()[0] == "3 nodes, 2 edges against 4 nodes, 4 edges"


def classes(criterion, *graphs):
    union, ptr = disjoint_union(graphs)
    return graph_classes(criterion.classes(union, ptr), ptr).tolist()


def test_walks_of_three_steps_tell_a_hexagon_from_two_triangles():
    # Back after two steps with probability 1/2 in both; after three with 1/4 in a triangle, never in a hexagon.
    assert len(set(classes(peers.random_walks(2), HEXAGON, TRIANGLES))) == 1
    assert len(set(classes(peers.random_walks(3), HEXAGON, TRIANGLES))) == 2


def test_a_walk_divides_by_the_degree():
    union, ptr = disjoint_union([named.path("ab"), named.cycle(4)])
    start = peers.random_walks(2).classify(union, ptr)

    # On an edge the walk is back after two steps for certain; on a square with probability 1/2.
    assert start.tolist() == [1, 1, 0, 0, 0, 0]


def test_eigenspaces_of_an_edge_and_a_lone_node_by_hand():
    batch = np.zeros((1, 3, 3))
    batch[0, 0, 1] = batch[0, 1, 0] = 1

    weights = _eigenspace_weights(batch, 3)

    # Eigenvalue 0: (1, 1, 0)/√2 and the lone node; eigenvalue 2: (1, -1, 0)/√2; there is no third eigenspace.
    np.testing.assert_allclose(weights[0], [[0.5, 0.5, -1], [0.5, 0.5, -1], [1, 0, -1]], atol=1e-12)


def test_pairs_are_colored_up_to_the_limit(monkeypatch):
    union, ptr = disjoint_union([named.cycle(3), named.cycle(3)])
    monkeypatch.setattr(refine, "MAX_PAIRS", 18)  # 9 pairs each

    assert len(folklore_colors(union, ptr)) == 18
    monkeypatch.setattr(refine, "MAX_PAIRS", 17)
    with pytest.raises(InputError, match=r"^2-FWL colors all 18 pairs of nodes, and takes at most 17\."):
        folklore_colors(union, ptr)


def test_families_of_graphs_have_no_such_limit(monkeypatch):
    monkeypatch.setattr(refine, "MAX_PAIRS", 17)
    union, ptr = disjoint_union([named.cycle(3)] * 3)

    assert len(folklore_colors(union, ptr)) == 27


def test_the_ladder_begins_at_radius_1():
    tests = [verdict.test for verdict in compare(HEXAGON, TRIANGLES, radius=0).verdicts]

    assert "total r=0" in tests
    assert not any(test.startswith("R") for test in tests)


def test_rungs_need_undirected_graphs():
    arcs = Graph.from_edges([("a", "b"), ("b", "a")], directed="out")

    found = compare(arcs, arcs, radius=1)

    notes = {verdict.test: verdict.note for verdict in found.verdicts if verdict.test.startswith("R")}
    assert set(notes.values()) == {"needs undirected graphs"}
    assert len(notes) == 3
    with pytest.raises(InputError, match="must all be directed the same way, got a mixture"):
        compare(arcs, named.path("ab"), radius=1)


def test_a_node_sees_where_its_arcs_lead():
    # 1 and 2 lead to 0 and 3 leads to 1: whom they come from would tell 1 and 2 apart, and not 2 and 3.
    tree = Graph.from_edges([(1, 0), (2, 0), (3, 1)], 4, directed="out")

    colors = refine.refine(tree, np.zeros(4, dtype=np.int64)).tolist()

    assert colors[1] == colors[2]
    assert len(set(colors)) == 3


@pytest.mark.parametrize(
    "criterion", [peers.random_walks(2), peers.laplacian(2), peers.substructure_counts()]
)
def test_what_is_counted_is_refined(criterion):
    assert criterion.refined
