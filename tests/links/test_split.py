"""Splits of the edges of a graph: every node stays, and nothing leaks."""

import numpy as np
import pytest

import egonet
from egonet import named
from egonet.errors import InputError
from egonet.links import split


def keys_of(pairs):
    return {tuple(sorted(pair)) for pair in pairs.tolist()}


@pytest.mark.parametrize("negatives", ["uniform", "near"])
def test_parts_share_no_pair_and_no_negative_is_an_edge(negatives):
    graph = named.karate_club()
    parts = split(graph, test=0.2, validation=0.1, negatives=negatives, seed=5)

    every, left = keys_of(graph.edges()), keys_of(parts.graph.edges())
    test, validation = keys_of(parts.test.links), keys_of(parts.validation.links)
    assert left | test | validation == every
    assert len(left) + len(test) + len(validation) == len(every)
    others = [keys_of(part.non_links) for part in (parts.test, parts.validation)]
    assert not (others[0] | others[1]) & every
    assert not others[0] & others[1]
    assert [len(part) for part in others] == [len(test), len(validation)]


def test_validation_and_test_use_every_non_edge_once_if_there_are_no_more():
    """A complete graph of eight nodes that lacks six edges: three links each are held out."""
    lacking = {(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3)}
    edges = [pair for pair in keys_of(named.complete(8).edges()) if pair not in lacking]
    parts = split(edges, test=3 / 22, validation=3 / 22, seed=1)

    assert len(edges) == 22
    assert keys_of(parts.test.non_links) | keys_of(parts.validation.non_links) == lacking
    assert [len(part.links) for part in (parts.test, parts.validation)] == [3, 3]


def test_no_negative_is_a_node_with_itself():
    path = [(node, node + 1) for node in range(11)]

    for seed in range(20):
        assert all(u != v for u, v in split(path, test=0.4, seed=seed).test.non_links.tolist())


def test_shares_are_rounded_to_the_nearest_number_of_edges():
    parts = split([(node, node + 1) for node in range(9)], test=0.3, validation=0.15, seed=0)

    assert [len(part.links) for part in (parts.test, parts.validation)] == [3, 1]  # of 2.7 and 1.35


def test_near_negatives_share_a_neighbor_in_the_training_graph():
    parts = split(named.karate_club(), test=0.2, negatives="near", seed=1)

    for u, v in parts.test.non_links.tolist():
        assert set(parts.graph.neighbors(u)) & set(parts.graph.neighbors(v))


def test_a_node_that_loses_all_its_edges_stays():
    parts = split([("a", "b"), ("c", "d")], test=0.5, seed=0)

    assert parts.graph.num_nodes == 4
    assert parts.graph.num_edges == 1


def test_the_same_seed_gives_the_same_split():
    first, second = (split(named.karate_club(), test=0.3, seed=7) for _ in range(2))

    assert first.test.pairs.tolist() == second.test.pairs.tolist()
    assert first.graph == second.graph


def test_heart_negatives_share_an_end_with_their_link():
    rng = np.random.default_rng(0)
    graph = egonet.as_graph(rng.integers(0, 300, (900, 2)), num_nodes=300)
    parts = split(graph, test=0.02, negatives="heart", seed=0)

    links = parts.test.links.tolist()
    others, groups = parts.test.non_links.tolist(), parts.test.groups[len(links) :].tolist()
    assert len(others) == 100 * len(links)
    edges = keys_of(graph.edges())
    for pair, group in zip(others, groups, strict=True):
        assert set(pair) & set(links[group])
        assert tuple(sorted(pair)) not in edges
        assert pair[0] != pair[1]


def test_heart_negatives_are_the_most_plausible_ones():
    """Around node 0 of a star of cliques the nodes two hops away come before all others."""
    rng = np.random.default_rng(0)
    graph = egonet.as_graph(rng.integers(0, 400, (1200, 2)), num_nodes=400)
    parts = split(graph, test=0.01, negatives="heart", seed=0)
    u = parts.test.links[0, 0]
    near = {w for v in parts.graph.neighbors(u) for w in parts.graph.neighbors(v)} - {u}
    near -= set(graph.neighbors(u))
    chosen = set(parts.test.non_links[:50, 1].tolist())

    assert len(near) < 50
    assert near <= chosen


def test_a_graph_without_edges_is_an_error():
    with pytest.raises(InputError, match="a graph without edges has no links to hold out"):
        split(egonet.as_graph([], num_nodes=3))


def test_a_complete_graph_has_no_non_edges():
    with pytest.raises(InputError, match="a complete graph has no non-edges to test on"):
        split(named.complete(5), test=0.3)


def test_a_directed_graph_is_an_error():
    with pytest.raises(InputError, match="links are predicted in undirected graphs"):
        split([(0, 1), (1, 2)], directed="out")


def test_shares_that_leave_nothing_are_an_error():
    for validation in (0.4, 0.5):
        with pytest.raises(InputError, match="must leave edges to learn from"):
            split(named.karate_club(), test=0.6, validation=validation)
