"""The graphs held out from the GPU plan: small ones, whose edges can be counted by hand."""

import importlib
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def further(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    return importlib.import_module("further")


def degrees(graph):
    return np.diff(graph.indptr).tolist()


def test_each_node_in_a_triangle_joins_its_three_corners(further):
    assert degrees(further.apollonian(4)) == [3, 3, 3, 3]
    assert further.apollonian(50).num_edges == 3 + 3 * 47


def test_a_triangulation_has_three_edges_a_node_but_for_the_border(further):
    # Euler: 3 n - 3 - (nodes of the border), of which there are at least three.
    assert 3 * 200 - 3 - 60 <= further.delaunay(200).num_edges <= 3 * 200 - 6


def test_pairs_meet_in_one_item(further):
    # Pairs of 4: 01, 02, 03, 12, 13, 23; each but 01-23, 02-13 and 03-12.
    graph = further.pairs_that_meet(4)

    assert degrees(graph) == [4] * 6
    assert graph.indices[:4].tolist() == [1, 2, 3, 4]


def test_squares_call_some_that_are_near_and_some_far(further):
    graph = further.far_calls(30, 2)

    # 2 * 30 * 29 edges of the lattice, and calls, some of them of neighbors or of the same.
    assert 1_740 < graph.num_edges <= 1_740 + 2 * 900
    rows, columns = graph.edges() // 30, graph.edges() % 30
    assert (np.abs(np.diff(rows)) + np.abs(np.diff(columns))).max() > 10


def test_layers_are_joined_to_the_next_alone(further):
    edges = further.layers(5, 10, 3).edges()

    assert set(np.diff(edges // 10).ravel().tolist()) == {1}
    assert 40 < len(edges) <= 4 * 10 * 3


def test_orders_differ_in_two_neighbors(further):
    # The orders of three are a ring of six; of four, each has three neighbors.
    graph = further.permutations(3)

    assert degrees(graph) == [2] * 6
    assert len(graph.edges()) == 6
    assert degrees(further.permutations(4)) == [3] * 24


def test_every_page_has_its_front_page_and_the_one_before(further):
    # Sites of 4 and 2 pages, fronts 0 and 4: the second page's one before is the front.
    graph = further.sites(2, 4, 0)

    assert graph.edges().tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3], [4, 5]]


def test_old_hubs_are_forgotten(further):
    graph = further.ageing(2_000, 4, 200)

    # New nodes join ends of the last 100 edges, made by the last 25 nodes, and ends these had joined.
    assert graph.num_edges <= 4 * 1_995
    assert max(degrees(graph)[:10]) < 1_000
    assert max(degrees(graph)) > 3 * np.median(degrees(graph))
