"""The numbers in the first sentence of an explanation."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from egonet import as_graph, named
from egonet.explanation.neighborhood import neighborhood, share_text


@given(st.integers(2, 12), st.integers(0, 2**32))
def test_links_are_those_that_networkx_counts(size, seed):
    graph = nx.gnp_random_graph(size, 0.5, seed=seed)

    found = [neighborhood(as_graph(graph), node, 1) for node in graph]

    assert [facts.num_links for facts in found] == list(nx.triangles(graph).values())
    assert [facts.num_neighbors for facts in found] == [degree for _, degree in graph.degree]


def test_links_of_arcs_count_once_in_either_direction():
    graph = as_graph([("a", "b"), ("a", "c"), ("b", "c"), ("c", "b")], directed="out")

    assert neighborhood(graph, "a", 1).num_links == 1


@pytest.mark.parametrize(
    ("graph", "node", "text"),
    [
        (as_graph([(0, 1)], num_nodes=3), 2, "an isolated node"),
        (named.path("abc"), "a", "a node with one neighbor"),
        (named.complete(4), 0, "a node with 3 neighbors, all pairs of its neighbors are linked"),
        (named.star(30), 0, "a hub of 30 neighbors, no pair of its neighbors is linked"),
    ],
)
def test_kinds_of_nodes(graph, node, text):
    assert str(neighborhood(graph, node, 0)) == text


def test_hops_are_words_up_to_ten():
    graph = named.path(range(100))

    assert str(neighborhood(graph, 0, 2, 3)).endswith("reaches 3 of 100 nodes in two hops")
    assert str(neighborhood(graph, 0, 50, 51)).endswith("in 50 hops")


def test_shares_are_simple_fractions():
    assert share_text(333, 1000) == "333 of 1,000 pairs"
    assert share_text(7, 10) == "7 of 10 pairs"
    assert share_text(2, 1000) == "2 of 1,000 pairs"
    assert share_text(1, 15) == "1 of 15 pairs"
