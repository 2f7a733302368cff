"""The graphs that the GPU plan is checked on: small ones, whose edges can be counted by hand."""

import importlib
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def unseen(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    return importlib.import_module("unseen")


def degrees(graph):
    return np.diff(graph.indptr).tolist()


def test_cliques_of_a_ring_hold_on_to_their_neighbours(unseen):
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


def test_a_tree_has_one_edge_less_than_vertices(unseen):
    assert unseen.random_tree(50).num_edges == 49
    assert unseen.caterpillar(10, 30).num_edges == 39


def test_near_points_are_joined(unseen):
    # About 10,000 pi r^2 = 12 neighbours, fewer at the border.
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
