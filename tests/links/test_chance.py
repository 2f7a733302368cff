"""How many neighbors two nodes share by chance, against graphs with the same degrees that are drawn."""

import networkx as nx
import numpy as np
import pytest

from egonet import named
from egonet.links import chance
from egonet.links.chance import expected_common


@pytest.mark.parametrize(
    ("pair", "drawn"), [((0, 33), 7.48), ((33, 2), 4.98), ((8, 3), 1.65), ((5, 6), 0.95)]
)
def test_expected_neighbors_are_near_those_of_drawn_graphs(pair, drawn):
    # `drawn` is the mean over 400 graphs with the same degrees, each after 60 swaps.
    degrees = named.karate_club().degrees
    first, second = degrees[list(pair)].tolist()

    assert expected_common(degrees, first, second) == pytest.approx(drawn, rel=0.15)


def test_drawn_graphs_have_the_mean_that_is_compared_with():
    graph = nx.Graph(named.karate_club().edges().tolist())
    shared = []
    for seed in range(60):
        nx.double_edge_swap(graph, nswap=60, max_tries=10_000, seed=seed)
        shared.append(len(set(graph[33]) & set(graph[2])))

    assert np.mean(shared) == pytest.approx(4.98, abs=0.5)


def test_every_node_keeps_its_degree_on_average():
    degrees = np.array([1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
    classes, sizes = np.unique(degrees, return_counts=True)

    probabilities = chance._edge_probabilities(classes.astype(float), sizes.astype(float))

    np.testing.assert_allclose(probabilities @ sizes - np.diag(probabilities), classes, rtol=1e-4)


def test_merged_degrees_give_nearly_the_same_number(monkeypatch):
    degrees = np.minimum(np.random.default_rng(0).zipf(2.0, 3000), 200)
    exact = expected_common(degrees, 20, 40)
    monkeypatch.setattr(chance, "_MOST_CLASSES", 40)

    assert expected_common(degrees, 20, 40) == pytest.approx(exact, rel=0.1)


def test_a_node_without_an_edge_shares_none():
    assert expected_common(np.array([0, 1, 1]), 0, 1) == 0
