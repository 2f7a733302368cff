"""The graphs that the GPU plan is checked on: small ones, whose edges can be counted by hand."""

import importlib
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def kinds(monkeypatch):
    """Give a module of benchmarks/ by its name."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    return importlib.import_module


@pytest.fixture
def unseen(kinds):
    return kinds("unseen")


@pytest.fixture
def fresh(kinds):
    return kinds("fresh")


def degrees(graph):
    return np.diff(graph.indptr).tolist()


def test_cliques_of_a_ring_hold_on_to_their_neighbors(unseen):
    # Three cliques of four: the first and the last of each have one edge more.
    assert degrees(unseen.ring_of_cliques(3, 4)) == [4, 3, 3, 4] * 3


def test_a_windmill_is_a_hub_in_triangles(unseen):
    graph = unseen.windmills(2, 2)

    assert degrees(graph) == [4, 2, 2, 2, 2] * 2
    assert graph.edges().tolist()[:6] == [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [3, 4]]


def test_a_king_reaches_eight_squares_from_the_middle(unseen):
    assert degrees(unseen.kings(3)) == [3, 5, 3, 5, 8, 5, 3, 5, 3]


def test_corners_of_a_cube_have_three_edges(unseen):
    graph = unseen.hypercube(3)

    assert degrees(graph) == [3] * 8
    assert graph.indices[:3].tolist() == [1, 2, 4]


def test_a_tree_has_one_edge_less_than_nodes(unseen):
    assert unseen.random_tree(50).num_edges == 49
    assert unseen.caterpillar(10, 30).num_edges == 39


def test_near_points_are_joined(unseen):
    # About 10,000 pi r^2 = 12 neighbors, fewer at the border.
    assert np.mean(degrees(unseen.random_geometric(10_000, 12))) == pytest.approx(12, rel=0.05)


def test_no_edge_stays_on_one_side(unseen):
    edges = unseen.bipartite(20, 5, 60).edges()

    assert edges[:, 0].max() < 20 <= edges[:, 1].min()


def test_degrees_of_a_configuration_are_at_most_the_root_of_their_number(unseen):
    graph = unseen.configuration(2_500, 2.5, 4)

    assert max(degrees(graph)) <= 50
    assert np.median(degrees(graph)) == pytest.approx(6, abs=1)


def test_a_rim_joins_the_core_alone(unseen):
    edges = unseen.core_and_rim(10, 40, 6, 3).edges()

    assert edges[:, 0].max() < 10
    assert np.bincount(edges[:, 1])[10:].max() <= 3


def test_a_copy_of_everything_is_a_clique(unseen):
    assert degrees(unseen.copying(6, 1.0)) == [5] * 6
    assert unseen.copying(6, 0.0).num_edges == 5


def test_others_are_isolated(unseen):
    graph = unseen.among_isolated(unseen.kings(3), 4)

    assert sorted(degrees(graph)) == [0] * 27 + [3] * 4 + [5] * 4 + [8]


def test_the_square_joins_what_is_two_steps_apart(unseen, monkeypatch):
    path = unseen.from_pairs("path", 4, np.array([[0, 1], [1, 2], [2, 3]]))
    monkeypatch.setattr(unseen.graphs, "ca_astroph", lambda: path)

    assert unseen.square_of_astroph(4).edges().tolist() == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]


def test_a_cell_of_a_torus_touches_six(fresh):
    assert degrees(fresh.torus(4)) == [6] * 64


def test_people_of_one_group_know_each_other(fresh):
    # One group of two out of 50 people: one edge, or none if the same was drawn twice.
    graph = fresh.groups(50, 1, 2)

    assert graph.num_edges == 1
    # Groups of at most 3 add at most 3 edges each.
    assert fresh.groups(1_000, 40, 3).num_edges <= 120


def test_a_bush_branches_down_to_its_leaves(fresh):
    assert degrees(fresh.bush(3, 2)) == [3, 4, 4, 4] + [1] * 9


def test_bit_strings_overlap_in_all_bits_but_one(fresh):
    # 00 - 00, 01; 01 - 10, 11; 10 - 00, 01; 11 - 10, 11; loops left out.
    assert fresh.de_bruijn(2).edges().tolist() == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]


def test_a_circulant_goes_ahead_and_back(fresh):
    graph = fresh.circulant(10, (1, 3))

    assert degrees(graph) == [4] * 10
    assert graph.indices[:4].tolist() == [1, 3, 7, 9]


def test_edges_that_meet_are_joined(fresh):
    # An edge meets as many others as its ends have, but for itself: the sum of squared degrees less twice the edges.
    graph = fresh.graphs.erdos_renyi(30, 4)
    meetings = int((np.diff(graph.indptr) ** 2).sum()) - 2 * graph.num_edges

    assert len(fresh.line_graph(30, 4).indices) == meetings


def test_hubs_are_joined_to_squares_alone(fresh):
    graph = fresh.board_with_hubs(5, 2, 4)
    edges = graph.edges()

    assert graph.num_nodes == 27
    assert len(edges[edges[:, 1] >= 25]) <= 8
    assert not (edges[:, 0] >= 25).any()
    assert len(edges[edges[:, 1] < 25]) == 40


def test_weights_above_one_together_are_an_edge(fresh):
    # Weights 1.2, 0.38, 0.075, 0.0047: the first reaches all others, and no other two make 1.
    assert fresh.threshold(4, 1.2).edges().tolist() == [[0, 1], [0, 2], [0, 3]]


def test_points_near_in_the_disk_are_joined(fresh):
    # Those in the middle are near to very many, those at the border to few.
    graph = fresh.hyperbolic(600, 8.0, 0.8)

    assert 600 < graph.num_edges < 600 * 599 / 4
    assert max(degrees(graph)) > 10 * np.median(degrees(graph))


def test_caves_are_cliques_with_links(fresh):
    graph = fresh.caves(3, 5, 5, 0)

    assert degrees(graph) == [4] * 15
