"""Other methods as exact tests: known figures, and agreement with the definitions they come from."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from egonet import Graph, disjoint_union, named
from egonet.wl import graph_classes, named_criterion
from research.expressivity import peers
from research.expressivity.comparison import Contender, distinguished_pairs
from research.expressivity.families import Pairs, brec
from research.expressivity.peers import _dense_batches, _eigenspace_weights, float_classes


def same(criterion, first, second):
    union, ptr = disjoint_union([first, second])
    groups = graph_classes(criterion.classes(union, ptr), ptr)
    return groups[0] == groups[1]


def every_peer():
    return [
        *(peers.khop_wl(hops) for hops in (1, 2)),
        *(peers.marked_root(radius) for radius in (1, 2)),
        *(peers.marked_edge(radius) for radius in (1, 2)),
        *(peers.as_kernel(2, context=context) for context in (False, True)),
        *(peers.ego_gnn(radius) for radius in (1, 2)),
        *(peers.ego_bag(2, flag=flag) for flag in (False, True)),
        peers.distance_encoding(),
        peers.substructure_counts(),
        peers.random_walks(8),
        peers.laplacian(4),
    ]


@pytest.mark.parametrize("criterion", every_peer(), ids=lambda criterion: criterion.name)
def test_a_renamed_copy_is_equal_to_every_peer(criterion):
    rng = np.random.default_rng(5)
    for graph in (named.karate_club(), named.petersen(), named.decalin()):
        renamed = rng.permutation(graph.num_nodes)
        source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
        copy = Graph.from_indices(renamed[source], renamed[graph.indices], graph.num_nodes)
        assert same(criterion, graph, copy)


def test_one_hop_wl_is_1wl():
    union, ptr = disjoint_union(named.small_graphs(6))

    hops = graph_classes(peers.khop_wl(1).classes(union, ptr), ptr)

    assert hops.tolist() == graph_classes(named_criterion("1-wl").classes(union, ptr), ptr).tolist()


def test_as_kernel_distinguishes_at_least_what_a_marked_root_does_with_its_root_unmarked():
    union, ptr = disjoint_union(named.small_graphs(6))
    kernel, plus = (
        graph_classes(peers.as_kernel(1, context=context).classes(union, ptr), ptr)
        for context in (False, True)
    )
    marked = graph_classes(peers.marked_root(1).classes(union, ptr), ptr)

    assert len(set(zip(kernel.tolist(), plus.tolist(), strict=True))) == len(set(plus.tolist()))
    assert len(set(zip(marked.tolist(), plus.tolist(), strict=True))) == len(set(plus.tolist()))


def test_ego_gnn_sees_triangles_but_not_the_pair_of_strongly_regular_graphs():
    triangles = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    first, second = named.rook_4x4(), named.shrikhande()

    assert not same(peers.ego_gnn(1), named.cycle(6), triangles)
    assert same(peers.ego_gnn(1), first, second)
    assert same(peers.as_kernel(2, context=True), first, second)


def test_two_hops_tell_a_six_ring_from_two_triangles():
    triangles = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])

    assert same(peers.khop_wl(1), named.cycle(6), triangles)
    assert not same(peers.khop_wl(2), named.cycle(6), triangles)


@pytest.mark.parametrize(
    ("criterion", "expected"),
    [
        (peers.marked_root(1), (59, 48, 0, 0, 0, 59, 0)),
        (peers.marked_root(2), (60, 50, 0, 0, 0, 100, 0)),
        (peers.distance_encoding(), (60, 50, 0, 0, 0, 100, 41)),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_pairs_of_brec_distinguished_inside_marked_networks(data_folder, criterion, expected):
    pairs = brec(data_folder)

    apart = distinguished_pairs(Contender("", criterion, 50), pairs)

    assert tuple(apart[first:last].sum() for first, last in pairs.categories.values()) == expected


def test_marked_edges_tell_strongly_regular_distinguished_pairs(data_folder):
    pairs = brec(data_folder)
    first, _ = pairs.categories["Strongly regular"]
    chosen = Pairs(pairs.graphs[2 * first : 2 * first + 30], {"some": (0, 15)})

    assert distinguished_pairs(Contender("", peers.marked_edge(2), 5), chosen).all()


@pytest.mark.slow
def test_marked_edges_distinguish_280_pairs_of_brec(data_folder):
    assert distinguished_pairs(Contender("", peers.marked_edge(2), 10), brec(data_folder)).sum() == 280


@st.composite
def graphs(draw):
    size = draw(st.integers(1, 8))
    pairs = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1))
    return Graph.from_edges(draw(st.lists(pairs, max_size=24)), size)


def to_networkx(graph):
    copy = nx.Graph()
    copy.add_nodes_from(range(graph.num_nodes))
    copy.add_edges_from(
        (v, int(u))
        for v in range(graph.num_nodes)
        for u in graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist()
    )
    return copy


@settings(max_examples=80, deadline=None)
@given(graphs())
def test_substructures_are_counted_as_by_listing_them(graph):
    copy = to_networkx(graph)
    expected = np.zeros((graph.num_nodes, 6), dtype=np.int64)
    for cycle in nx.simple_cycles(copy, length_bound=6):
        if len(cycle) > 2:
            expected[cycle, len(cycle) - 3] += 1
    for clique in nx.enumerate_all_cliques(copy):
        if len(clique) in (4, 5):
            expected[clique, len(clique)] += 1

    counts = peers.node_substructures(graph, np.array([0, graph.num_nodes]))

    assert counts.tolist() == expected.tolist()


def test_random_walk_features_are_those_of_pyg(need):
    torch_geometric = need("torch_geometric", "torch-geometric")
    import torch

    graph = named.karate_club()
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    data = torch_geometric.data.Data(
        edge_index=torch.from_numpy(np.stack([source, graph.indices.astype(np.int64)])),
        num_nodes=graph.num_nodes,
    )
    theirs = torch_geometric.transforms.AddRandomWalkPE(4, "walks")(data).walks.numpy()

    (_, batch), *_ = _dense_batches(graph, np.array([0, graph.num_nodes]))
    walk = batch[0] / batch[0].sum(axis=1, keepdims=True)
    ours = np.stack([np.diag(np.linalg.matrix_power(walk, step)) for step in range(1, 5)], axis=1)

    assert np.abs(ours - theirs).max() < peers.TOLERANCE
    assert (float_classes(ours) == float_classes(theirs.astype(np.float64))).all()


def test_laplacian_features_ignore_the_choice_of_eigenvectors():
    ring = named.cycle(6)

    weights = peers._eigenspace_weights(next(_dense_batches(ring, np.array([0, 6])))[1], 3)

    # Eigenvalues 0, 1/2, 1/2, ...: the second eigenspace has two dimensions, spread evenly over six nodes.
    assert np.allclose(weights[0], [[1 / 6, 2 / 6, -1]] * 6)


def test_numbers_within_the_tolerance_are_equal_and_others_are_not():
    values = np.array([[0.1], [0.1 + peers.TOLERANCE / 2], [0.1 + 3 * peers.TOLERANCE]])

    assert Counter(float_classes(values).tolist()) == {0: 2, 1: 1}


HEXAGON = named.cycle(6)


TRIANGLES = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])


def classes(criterion, *graphs):
    union, ptr = disjoint_union(graphs)
    return graph_classes(criterion.classes(union, ptr), ptr).tolist()


def test_walks_of_three_steps_distinguish_a_hexagon_from_two_triangles():
    # Back after two steps with probability 1/2 in both; after three with 1/4 in a triangle, never in a hexagon.
    assert len(set(classes(peers.random_walks(2), HEXAGON, TRIANGLES))) == 1
    assert len(set(classes(peers.random_walks(3), HEXAGON, TRIANGLES))) == 2


def test_a_walk_divides_by_the_degree():
    union, ptr = disjoint_union([named.path("ab"), named.cycle(4)])
    start = peers.random_walks(2).classify(union, ptr, None)

    # On an edge the walk is back after two steps for certain; on a square with probability 1/2.
    assert start.tolist() == [1, 1, 0, 0, 0, 0]


def test_eigenspaces_of_an_edge_and_a_lone_node_by_hand():
    batch = np.zeros((1, 3, 3))
    batch[0, 0, 1] = batch[0, 1, 0] = 1

    weights = _eigenspace_weights(batch, 3)

    # Eigenvalue 0: (1, 1, 0)/√2 and the lone node; eigenvalue 2: (1, -1, 0)/√2; there is no third eigenspace.
    np.testing.assert_allclose(weights[0], [[0.5, 0.5, -1], [0.5, 0.5, -1], [1, 0, -1]], atol=1e-12)


@pytest.mark.parametrize(
    "criterion", [peers.random_walks(2), peers.laplacian(2), peers.substructure_counts()]
)
def test_feature_tests_are_refined(criterion):
    assert criterion.refined
