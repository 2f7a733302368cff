"""The part of a large graph that the explorer shows."""

import base64

import numpy as np
import pytest

from egonet import Graph, named
from egonet.viz.payload import embedded_part, encode_edges, take_sample


def test_a_small_graph_is_shown_whole():
    sample = take_sample(named.cycle(5), limit=5)

    assert sample.rows.tolist() == [0, 1, 2, 3, 4]
    assert sample.edges.tolist() == [[0, 1], [0, 4], [1, 2], [2, 3], [3, 4]]
    assert sample.cut.tolist() == []
    assert sample.centers == []


def test_a_large_graph_is_sampled_around_the_given_node():
    sample = take_sample(named.cycle(9), around=[4], limit=5)

    assert sample.rows.tolist() == [2, 3, 4, 5, 6]
    assert sample.edges.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert sample.cut.tolist() == [0, 4]
    assert sample.centers == [4]


def test_the_default_center_has_the_most_two_hop_walks_within_the_limit():
    # A star of six leaves (two-hop walks from its center: 1 + 6 + 6 = 13) with a path of three hanging on node 1.
    star = [(0, leaf) for leaf in range(1, 7)]
    graph = Graph.from_edges([*star, (1, 7), (7, 8), (8, 9)], num_nodes=10)

    # Within limit 9 fit: 7 (1 + 2 + 2 + 2 = 7), 8 (1 + 2 + 2 + 1 = 6), 9 (4) and the leaves 2-6 (1 + 1 + 6 = 8).
    assert take_sample(graph, limit=9).centers == [2]


def test_directed_arcs_are_kept_one_by_one():
    graph = Graph.from_edges([(0, 1), (1, 0), (1, 2)], num_nodes=3, directed="out")

    assert take_sample(graph).edges.tolist() == [[0, 1], [1, 0], [1, 2]]


@pytest.mark.parametrize("limit", [1, 7, 50])
def test_a_sample_has_at_most_limit_nodes(limit):
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 300, (900, 2)), num_nodes=300)

    sample = take_sample(graph, around=[0], limit=limit)

    assert len(sample.rows) == limit
    assert sample.edges.max(initial=0) < limit


def test_a_sample_around_several_nodes_takes_the_nearest_to_each():
    sample = take_sample(named.cycle(20), around=[0, 10], limit=6)

    assert sample.rows.tolist() == [0, 1, 9, 10, 11, 19]


def decoded(text, num_nodes, directed=False):
    """Return the edges of the text, from its definition."""
    numbers, value, shift = [], 0, 0
    for byte in base64.b64decode(text):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    found = iter(numbers)
    edges = []
    for source in range(num_nodes):
        target = 0 if directed else source
        for _ in range(next(found)):
            target += next(found)
            edges.append([source, target])
    return edges


@pytest.mark.parametrize("directed", [None, "out"])
def test_edges_are_written_without_loss(directed):
    rng = np.random.default_rng(3)
    graph = Graph.from_edges(rng.integers(0, 70_000, (500, 2)), num_nodes=70_000, directed=directed)
    edges = embedded_part(graph).edges

    text = encode_edges(edges, 70_000, directed=directed is not None)

    assert decoded(text, 70_000, directed is not None) == edges.tolist()


def test_a_page_takes_fewer_nodes_of_a_dense_graph(monkeypatch):
    monkeypatch.setattr("egonet.viz.payload.MAX_SHOWN", 10)
    monkeypatch.setattr("egonet.viz.payload.MAX_EMBEDDED_EDGES", 300)
    monkeypatch.setattr("egonet.viz.payload.MAX_EMBEDDED_NODES", 60)

    part = embedded_part(named.complete(70))

    assert 10 <= len(part.rows) < 60
    assert len(part.edges) <= 300
