"""The graphs of the last check of the GPU plan: small ones, whose edges can be counted by hand."""

import importlib
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def fresh(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    return importlib.import_module("fresh")


def degrees(graph):
    return np.diff(graph.indptr).tolist()


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
    graph = importlib.import_module("graphs").erdos_renyi(30, 4)
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
