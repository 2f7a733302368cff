"""Refinement gives the coarsest stable partition, the same as refining round by round."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet import Graph, _native, named
from egonet.errors import InputError
from egonet.graph.union import disjoint_union
from egonet.wl import refine
from egonet.wl.refine import folklore_colors, wl_colors


@st.composite
def graphs(draw, max_nodes=12):
    size = draw(st.integers(1, max_nodes))
    pairs = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1))
    return Graph.from_edges(draw(st.lists(pairs, max_size=3 * size)), size)


def sparse_graph(num_nodes, num_edges):
    ends = np.random.default_rng(0).integers(0, num_nodes, (2, num_edges))
    return Graph.from_indices(*ends, num_nodes)


def by_rounds(neighbors, start):
    """Return stable colors, round by round, by first appearance."""
    colors = list(start)
    while True:
        seen = [(colors[v], tuple(sorted(colors[u] for u in around))) for v, around in enumerate(neighbors)]
        number = {}
        refined = [number.setdefault(signature, len(number)) for signature in seen]
        if len(set(refined)) == len(set(colors)):
            return refined
        colors = refined


def rows(graph):
    return [graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist() for v in range(graph.num_nodes)]


def test_the_ends_of_a_path_differ_from_its_middle():
    assert wl_colors(named.path(5)).tolist() == [0, 1, 2, 1, 0]


def test_a_regular_graph_has_one_color():
    assert set(wl_colors(named.petersen()).tolist()) == {0}


def test_labels_are_initial_colors():
    assert wl_colors(named.cycle(4), start=["x", "y", "x", "y"]).tolist() == [0, 1, 0, 1]
    assert wl_colors(named.cycle(4), start=["x", "y", "y", "y"]).tolist() == [0, 1, 2, 1]


def test_labels_are_aligned_by_id():
    triangle = [("a", "b"), ("b", "c"), ("c", "a")]
    by_id = {"c": "x", "a": "y", "b": "y"}

    assert wl_colors(triangle, start=by_id).tolist() == [0, 0, 1]
    assert wl_colors(triangle, start=pd.Series(by_id)).tolist() == [0, 0, 1]
    two = [Graph.from_edges(triangle), Graph.from_edges(triangle)]
    assert wl_colors(two, start=[by_id, ["y", "y", "x"]]).tolist() == [0, 0, 1, 0, 0, 1]
    assert wl_colors(Graph.from_edges(triangle), start=[1, "1", "2"]).tolist() == [0, 1, 2]


def test_an_encoding_in_another_order_raises():
    with pytest.raises(InputError, match="other nodes, or of the same nodes in another order"):
        wl_colors([("a", "b"), ("b", "c")], start=egonet.encode([("b", "c"), ("a", "b")], 1))


def test_arcs_are_followed_one_way_only():
    arcs = Graph.from_edges([(0, 1), (2, 1)], 3, directed="out")

    assert wl_colors(arcs).tolist() == [0, 1, 0]
    assert wl_colors(Graph.from_edges([(0, 1), (1, 2)], 3, directed="out")).tolist() == [0, 1, 2]


def test_a_long_path_is_refined_without_a_round_per_node():
    colors = wl_colors(named.path(100_001))

    assert colors[:3].tolist() == [0, 1, 2]
    assert (colors == colors[::-1]).all()
    assert colors.max() == 50_000


def test_a_start_of_the_wrong_length_raises():
    with pytest.raises(InputError, match="must have one entry per node: 3, got 2"):
        wl_colors(named.path(3), start=[0, 1])
    with pytest.raises(InputError, match="one row or label per node: 3, got 4 rows"):
        wl_colors(named.path(3), start=egonet.encode(named.path(4), 1))


def test_a_start_of_floats_raises():
    with pytest.raises(InputError, match=r"start must be whole numbers or strings, got 0\.5"):
        wl_colors(named.path(3), start=[0.5, 1.0, 2.0])


@settings(max_examples=200, deadline=None)
@given(graphs(), st.randoms())
def test_the_partition_is_that_of_refinement_round_by_round(graph, random):
    start = [random.randrange(2) for _ in range(graph.num_nodes)]

    assert wl_colors(graph, start=start).tolist() == by_rounds(rows(graph), start)


@settings(max_examples=200, deadline=None)
@given(graphs(), st.randoms(), st.integers(2, 4))
def test_several_threads_give_the_partition_of_refinement_round_by_round(graph, random, threads):
    start = np.array([random.randrange(2) for _ in range(graph.num_nodes)], dtype=np.int64)
    arrays = (graph.indptr, graph.indices)

    found = _native.refine(*arrays, *arrays, start, threads)
    assert found.tolist() == by_rounds(rows(graph), start.tolist())


@pytest.mark.parametrize("threads", [2, 5])
@pytest.mark.parametrize("make", [lambda: sparse_graph(30_000, 50_000), lambda: named.path(40_001)])
def test_several_threads_give_the_same_bytes_on_large_graphs(make, threads):
    graph = make()
    arrays, start = (graph.indptr, graph.indices), np.zeros(graph.num_nodes, dtype=np.int64)

    expected = _native.refine(*arrays, *arrays, start, 1)
    assert _native.refine(*arrays, *arrays, start, threads).tobytes() == expected.tobytes()


@pytest.mark.parametrize("threads", [2, 3])
def test_several_threads_split_cells_of_thousands_of_nodes(threads):
    """6,000 nodes alone, 6,000 pairs and 1,000 paths of three: four colors, of which three are large."""
    pairs = 6_000 + np.arange(12_000).reshape(-1, 2)
    paths = 18_000 + np.arange(3_000).reshape(-1, 3)
    graph = Graph.from_edges(np.concatenate([pairs, paths[:, :2], paths[:, 1:]]), num_nodes=21_000)
    arrays = graph.indptr, graph.indices
    found = _native.refine(*arrays, *arrays, np.zeros(21_000, dtype=np.int64), threads)

    assert found.tolist() == [0] * 6_000 + [1] * 12_000 + [2, 3, 2] * 1_000


def test_several_threads_follow_arcs_one_way_only():
    ends = np.random.default_rng(3).integers(0, 20_000, (2, 60_000))
    graph = Graph.from_indices(*ends, 20_000, directed="out")
    reverse = refine._reverse(graph)
    start = np.zeros(graph.num_nodes, dtype=np.int64)

    found = [_native.refine(graph.indptr, graph.indices, *reverse, start, threads) for threads in (1, 3)]
    assert found[0].tobytes() == found[1].tobytes()
    assert found[0].tolist() == by_rounds(rows(graph), start.tolist())


@settings(max_examples=60, deadline=None)
@given(st.lists(graphs(8), min_size=1, max_size=3))
def test_several_graphs_are_refined_as_their_disjoint_union(several):
    assert wl_colors(several).tolist() == wl_colors(disjoint_union(several)[0]).tolist()


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_refinement_from_an_encoding_refines_both_the_encoding_and_1wl(graph):
    encoding = egonet.encode(graph, radius=1)
    both = wl_colors(graph, start=encoding)

    for coarse in (encoding.classes, wl_colors(graph)):
        assert len(set(zip(both.tolist(), coarse.tolist(), strict=True))) == len(set(both.tolist()))


def pairs_by_rounds(graph):
    """Return stable 2-FWL colors of all pairs, round by round, by first appearance."""
    size, around = graph.num_nodes, rows(graph)
    colors = {(u, v): (u == v, v in around[u]) for u in range(size) for v in range(size)}
    while True:
        number = {}
        refined = {}
        for u, v in colors:
            through = sorted((colors[u, w], colors[w, v]) for w in range(size))
            refined[u, v] = number.setdefault((colors[u, v], tuple(through)), len(number))
        if len(set(refined.values())) == len(set(colors.values())):
            return list(refined.values())
        colors = refined


@settings(max_examples=40, deadline=None)
@given(graphs(7))
def test_colors_of_pairs_equal_2fwl_by_definition(graph):
    found = folklore_colors(graph, np.array([0, graph.num_nodes])).tolist()

    number = {}
    assert [number.setdefault(color, len(number)) for color in found] == pairs_by_rounds(graph)


def test_2fwl_raises_for_graphs_with_too_many_pairs():
    with pytest.raises(InputError, match="colors all 1,000,000 pairs of nodes"):
        folklore_colors(named.path(1000), np.array([0, 1000]))


def test_pairs_are_colored_up_to_the_limit(monkeypatch):
    union, ptr = disjoint_union([named.cycle(3), named.cycle(3)])
    monkeypatch.setattr(refine, "MAX_PAIRS", 18)  # 9 pairs each

    assert len(folklore_colors(union, ptr)) == 18
    monkeypatch.setattr(refine, "MAX_PAIRS", 17)
    with pytest.raises(InputError, match=r"^2-FWL colors all 18 pairs of nodes, and takes at most 17\."):
        folklore_colors(union, ptr)


def test_more_than_two_graphs_have_no_limit_of_pairs(monkeypatch):
    monkeypatch.setattr(refine, "MAX_PAIRS", 17)
    union, ptr = disjoint_union([named.cycle(3)] * 3)

    assert len(folklore_colors(union, ptr)) == 27


def test_refinement_follows_arcs_to_their_targets():
    # 1 and 2 lead to 0 and 3 leads to 1: whom they come from would tell 1 and 2 apart, and not 2 and 3.
    tree = Graph.from_edges([(1, 0), (2, 0), (3, 1)], 4, directed="out")

    colors = refine.refine_colors(tree, np.zeros(4, dtype=np.int64)).tolist()

    assert colors[1] == colors[2]
    assert len(set(colors)) == 3


def test_arcs_are_followed_if_directed_says_so():
    path = nx.DiGraph([("a", "b"), ("b", "c")])

    assert wl_colors(path, directed=False).tolist() == [0, 1, 0]
    assert wl_colors(path, directed="out").tolist() == [0, 1, 2]
    assert wl_colors([path, path], directed="in").tolist() == [0, 1, 2, 0, 1, 2]


def by_types(size, typed_edges, start):
    """Return stable colors from the multiset of (type, color) of neighbors, round by round, by first appearance."""
    arcs = {(u, v, kind) for u, v, kind in typed_edges if u != v}
    arcs |= {(v, u, kind) for u, v, kind in arcs}
    colors = list(start)
    while True:
        seen = [(colors[v], sorted((kind, colors[u]) for w, u, kind in arcs if w == v)) for v in range(size)]
        number = {}
        refined = [number.setdefault((color, tuple(around)), len(number)) for color, around in seen]
        if len(set(refined)) == len(set(colors)):
            return refined
        colors = refined


@st.composite
def typed_graphs(draw):
    size = draw(st.integers(1, 7))
    ends = st.integers(0, size - 1)
    edges = draw(st.lists(st.tuples(ends, ends, st.integers(0, 2)), min_size=1, max_size=14))
    return size, edges, draw(st.lists(st.sampled_from("CN"), min_size=size, max_size=size))


@settings(max_examples=80, deadline=None)
@given(typed_graphs())
def test_colors_with_edge_types_equal_1wl_over_pairs_of_type_and_color(drawn):
    size, typed_edges, labels = drawn
    graph = Graph.from_edges([(u, v) for u, v, _ in typed_edges], size)
    types = {}
    for u, v, kind in typed_edges:
        types.setdefault((min(u, v), max(u, v)), kind)
    edges = [(u, v, types[u, v]) for u, v in graph.edges().tolist()]
    kinds = [f"t{kind}" for _, _, kind in edges]

    found = wl_colors(graph, labels=labels, edge_labels=kinds)

    start = [sorted(set(labels)).index(label) for label in labels]
    assert found.tolist() == by_types(size, edges, start)


@settings(max_examples=60, deadline=None)
@given(typed_graphs())
def test_colors_with_edge_types_equal_1wl_on_the_subdivided_graph(drawn):
    size, typed_edges, labels = drawn
    graph = Graph.from_edges([(u, v) for u, v, _ in typed_edges], size)
    edges = graph.edges().tolist()
    kinds = [f"t{(u + v) % 3}" for u, v in edges]
    middle = [(end, size + row) for row, pair in enumerate(edges) for end in pair]
    divided = Graph.from_edges(middle, size + len(edges))

    found = wl_colors(graph, labels=labels, edge_labels=kinds).tolist()

    assert found == wl_colors(divided, start=[*labels, *kinds]).tolist()[:size]


def test_weights_become_edge_types_by_their_bins():
    path = [("a", "b"), ("b", "c")]

    assert wl_colors(path, weights=[1, 20], weight_bins=[10]).tolist() == [0, 1, 2]
    assert wl_colors(path, weights=[1, 2], weight_bins=[10]).tolist() == [0, 1, 0]
    assert wl_colors(egonet.as_graph(path, weights=[1, 20]), weight_bins=[10]).tolist() == [0, 1, 2]
    with pytest.raises(InputError, match="weights become edge types by bins"):
        wl_colors(path, weights=[1, 20])


def test_a_table_names_its_ends_labels_and_types():
    table = pd.DataFrame({"kind": ["x", "y"], "payer": ["a", "b"], "payee": ["b", "c"]})

    colors = wl_colors(table, source="payer", target="payee", edge_labels="kind")

    assert colors.tolist() == [0, 1, 2]
    labels = {"c": "N", "a": "C", "b": "C"}
    assert wl_colors(table[["payer", "payee"]], source="payer", target="payee", labels=labels).tolist() == [
        0,
        1,
        2,
    ]


def test_several_graphs_share_the_meaning_of_labels_and_types():
    edge = Graph.from_edges([("a", "b")])

    assert wl_colors([edge, edge], edge_labels=[["x"], ["y"]]).tolist() == [0, 0, 1, 1]
    assert wl_colors([edge, edge], labels=[["C", "N"], ["N", "C"]]).tolist() == [0, 1, 1, 0]


def test_types_of_arcs_count_with_their_direction():
    # Both arcs lead to b; only that from c has type y.
    arcs = nx.DiGraph([("a", "b"), ("c", "b")])

    types = {("a", "b"): "x", ("c", "b"): "y"}
    assert wl_colors(arcs, directed="out", edge_labels=types).tolist() == [0, 1, 2]
    same = dict.fromkeys(types, "x")
    assert wl_colors(arcs, directed="out", edge_labels=same).tolist() == [0, 1, 0]


def test_start_and_labels_together_raise():
    with pytest.raises(InputError, match="give start or labels, not both"):
        wl_colors(named.path(3), start=[0, 1, 0], labels=["C", "N", "C"])
