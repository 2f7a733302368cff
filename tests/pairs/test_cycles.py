"""`edge_cycles`: exact lengths of the shortest cycles through edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import egonet
from egonet.errors import InputError
from egonet.kernel import reference_pairs


def test_two_rings_that_share_an_edge_give_each_edge_its_shortest_ring():
    # A square 0-1-2-3 and a pentagon 2-3-4-5-6 share the edge 2-3.
    graph = egonet.as_graph([(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (4, 5), (5, 6), (6, 2)])

    lengths = dict(zip(map(tuple, graph.edges().tolist()), egonet.edge_cycles(graph).tolist(), strict=True))

    square, pentagon = [(0, 1), (1, 2), (0, 3), (2, 3)], [(3, 4), (4, 5), (5, 6), (2, 6)]
    assert lengths == dict.fromkeys(square, 4) | dict.fromkeys(pentagon, 5)


def test_a_ring_longer_than_the_longest_counts_as_none():
    ring = [(v, (v + 1) % 9) for v in range(9)]

    assert egonet.edge_cycles(ring).tolist() == [0] * 9
    assert egonet.edge_cycles(ring, longest=9).tolist() == [9] * 9


def test_arcs_are_on_cycles_that_follow_them():
    arcs = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "d"), ("d", "b"), ("a", "d")]

    lengths = egonet.edge_cycles(arcs, directed="out")

    found = dict(zip(arcs, lengths.tolist(), strict=True))
    assert found == {
        ("a", "b"): 2,
        ("b", "a"): 2,
        ("b", "c"): 3,
        ("c", "d"): 3,
        ("d", "b"): 3,
        ("a", "d"): 3,  # a, d, b, a
    }


def test_graphs_without_edges_have_no_lengths():
    assert egonet.edge_cycles(np.zeros((3, 3))).tolist() == []


def test_a_longest_below_two_is_an_error():
    with pytest.raises(InputError, match="longest must be at least 2"):
        egonet.edge_cycles([(0, 1)], longest=1)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=25),
    st.sampled_from([False, "out", "in"]),
    st.integers(2, 9),
)
def test_lengths_are_those_of_the_reference(edges, directed, longest):
    graph = egonet.as_graph(edges, directed=directed)
    pairs = np.stack(graph.edge_rows(), axis=1).astype(np.int64)

    expected = 1 + reference_pairs.end_distances(
        graph.indptr, graph.indices, pairs, longest - 1, direction=graph.directed
    )

    assert egonet.edge_cycles(graph, longest).tolist() == expected.tolist()


def test_lengths_are_in_the_order_of_the_edges_as_given():
    # A tail, a triangle with one edge twice and one in both directions, and a loop.
    edges = [(3, 4), (2, 0), (0, 1), (1, 2), (0, 1), (2, 1), (4, 4), (2, 3)]

    assert egonet.edge_cycles(edges).tolist() == [0, 3, 3, 3, 3, 3, 0, 0]
    encoding = egonet.encode_edges(edges, 1, ends_distance=7)
    ends = np.asarray(encoding)[:, encoding.feature_names.index("ends_d2")]
    assert (2 * ends).tolist() == [0, 2, 2, 2, 2, 2, 0, 0]
