"""SEAL's labels as columns equal their definition by networkx, and a model of them ranks true links higher."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import egonet
from contracts.parts import need

need("sklearn")
need("torch")
from egonet import Graph  # noqa: E402
from egonet.errors import InputError  # noqa: E402
from research.links.seal_labels import count_labels, fit_labels, label_split, node_labels  # noqa: E402
from research.paper.nodes.link_scores import area_under_curve  # noqa: E402
from research.paper.nodes.link_split import split_links  # noqa: E402


def plain_labels(edges, num_nodes, pair, radius):
    """Return the label of every node around a pair, as SEAL's authors define them."""
    graph = nx.Graph()
    graph.add_nodes_from(range(num_nodes))
    graph.add_edges_from(edges)
    u, v = pair
    if graph.has_edge(u, v):
        graph.remove_edge(u, v)
    near = {x for end in pair for x in nx.single_source_shortest_path_length(graph, end, cutoff=radius)}
    around = graph.subgraph(near)
    from_u = nx.single_source_shortest_path_length(around.subgraph(near - {v}), u)
    from_v = nx.single_source_shortest_path_length(around.subgraph(near - {u}), v)
    found = {}
    for x in near:
        if x in pair:
            found[x] = 1
        elif x not in from_u or x not in from_v:
            found[x] = 0
        else:
            d = from_u[x] + from_v[x]
            found[x] = 1 + min(from_u[x], from_v[x]) + (d // 2) * ((d // 2) + (d % 2) - 1)
    return found


def test_labels_of_two_distances_are_those_of_the_published_table():
    # Zhang and Chen 2018, section 3.2: (1, 1) is 2, (1, 2) is 3, (1, 3) is 4, (2, 2) is 5, (1, 4) is 6, (2, 3) is 7.
    first, second = np.array([1, 1, 3, 2, 1, 2, -1]), np.array([1, 2, 1, 2, 4, 3, 1])

    assert node_labels(first, second).tolist() == [2, 3, 4, 5, 6, 7, 0]


def test_the_other_end_is_no_way_to_a_node():
    # A path 2 - 0 - 1: node 2 reaches 1 only through 0, the edge of the pair does not count.
    path = Graph.from_edges([(2, 0), (0, 1)], nodes=[0, 1, 2])

    assert count_labels(path, np.array([[0, 1]]), 1).tolist() == [[1, 2]]


@given(data=st.data(), num_nodes=st.integers(2, 12), radius=st.integers(1, 3))
def test_counts_equal_the_definition(data, num_nodes, radius):
    pairs = [(u, v) for u in range(num_nodes) for v in range(u)]
    edges = data.draw(st.lists(st.sampled_from(pairs), unique=True))
    graph = Graph.from_edges(edges, nodes=range(num_nodes))

    found = count_labels(graph, np.array(pairs), radius, cells=data.draw(st.sampled_from([1, 50, 10_000])))

    for row, pair in zip(found, pairs, strict=True):
        labels = list(plain_labels(edges, num_nodes, pair, radius).values())
        assert row.tolist() == np.bincount(labels, minlength=found.shape[1]).tolist()


def test_a_pair_of_one_node_and_a_radius_of_zero_raise():
    path = Graph.from_edges([(0, 1)])

    with pytest.raises(InputError, match="two different nodes"):
        count_labels(path, np.array([[1, 1]]), 1)
    with pytest.raises(InputError, match="radius"):
        count_labels(path, np.array([[0, 1]]), 0)


@pytest.mark.parametrize(
    ("kind", "choices"),
    [
        ("linear", [{"radii": [2], "strength": 0.1}, {"radii": [2], "strength": 1.0}]),
        ("boosting", [{"radii": [1, 2], "max_iter": 20, "min_samples_leaf": 5}]),
    ],
)
def test_a_model_of_labels_finds_links_inside_groups(kind, choices):
    cliques = [
        (u, v) for first in range(0, 60, 12) for u in range(first, first + 12) for v in range(first, u)
    ]
    bridges = [(first, first + 12) for first in range(0, 48, 12)]
    split = split_links(egonet.Graph.from_edges([*cliques, *bridges]), np.random.default_rng(0))
    labeled = label_split(split, 1)

    scores, details = fit_labels(labeled, kind, choices, seed=0)

    assert area_under_curve(split.test_labels, scores) > 0.95
    assert details["radius"] == 1
    assert len(details["inner"]) == (2 if kind == "linear" else 0)


def test_test_pairs_have_the_columns_of_the_training_pairs():
    split = split_links(egonet.named.karate_club(), np.random.default_rng(2))

    labeled = label_split(split, 1)

    assert labeled.train.shape[1] == labeled.test.shape[1]
    around = [count_labels(split.graph, pairs, 1).sum() for pairs in (split.train_pairs, split.test_pairs)]
    assert [labeled.train.sum(), labeled.test.sum()] == around
