"""Digests of graphs: the same for every order of nodes and edges, different for every other graph."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from egonet import Graph, named
from egonet.graph import digest
from egonet.graph.digest import graph_digest, node_hashes

IDS = st.one_of(
    st.integers(0, 6), st.sampled_from(["00", "01", "a", "é"]), st.just(-(2**60)), st.just(("a", 1))
)
EDGES = st.lists(st.tuples(IDS, IDS), max_size=12)
WAYS = st.sampled_from([None, "out", "in"])


def content(edges, nodes, directed):
    """Return what a digest stands for, as a set."""
    arcs = {edge for edge in edges if edge[0] != edge[1]}
    if directed is None:
        arcs |= {(b, a) for a, b in arcs}
    return arcs, set(nodes) | {node for edge in edges for node in edge}, directed


@given(EDGES, st.randoms(use_true_random=False), WAYS)
def test_the_order_of_edges_does_not_change_the_digest(edges, rng, directed):
    shuffled = rng.sample(edges, len(edges))
    if directed is None:
        shuffled = [rng.choice([(a, b), (b, a)]) for a, b in shuffled]

    one, other = (Graph.from_edges(pairs, directed=directed) for pairs in (edges, shuffled))

    assert graph_digest(one) == graph_digest(other)


@given(EDGES, EDGES, st.lists(IDS, unique=True, max_size=3), WAYS, WAYS)
def test_digests_are_equal_only_for_equal_graphs(edges, others, nodes, way, other_way):
    one = Graph.from_edges(edges, nodes=nodes, directed=way)
    other = Graph.from_edges(others, directed=other_way)

    same = content(edges, nodes, way) == content(others, [], other_way)
    assert (graph_digest(one) == graph_digest(other)) == same


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 1000])
def test_the_size_of_a_chunk_does_not_change_the_digest(monkeypatch, chunk):
    graph = Graph.from_edges([(0, leaf) for leaf in range(1, 9)] + [(20, 21)], 30)
    whole = graph_digest(graph)
    monkeypatch.setattr(digest, "CHUNK", chunk)

    assert graph_digest(graph) == whole


def test_the_dtype_of_ids_does_not_change_the_digest():
    rows = named.path(3)
    listed = Graph(rows.indptr, rows.indices, np.array([0, 1, 2], dtype=object))

    assert graph_digest(rows) == graph_digest(listed)
    assert graph_digest(rows) != graph_digest(Graph(rows.indptr, rows.indices, np.array(["0", "1", "2"])))


def test_the_largest_whole_id_has_one_hash_however_it_is_stored():
    most = 2**63 - 1

    assert node_hashes(np.array([most, "a"], dtype=object))[0] == node_hashes(np.array([most]))[0]


def test_arcs_followed_backwards_have_the_digest_of_no_other_graph():
    # The hash of an arc tells its ends apart: a swapped arc, or one that is followed the other way, is another graph.
    graphs = [
        Graph.from_edges(arcs, nodes=[1, 2, 3], directed=way)
        for arcs in ([(1, 2)], [(2, 1)], [(1, 3)])
        for way in ("out", "in")
    ]

    assert len({graph_digest(graph) for graph in graphs}) == len(graphs)
