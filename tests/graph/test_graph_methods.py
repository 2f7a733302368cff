"""The graph record: its edges, subgraphs, conversions and equality."""

import networkx
import pytest

from egonet import Graph, named
from egonet.errors import InputError, UnknownNodeError

TRIANGLE = Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
ARCS = [("a", "b"), ("c", "b")]


def test_edges_lists_every_edge_once_by_id():
    assert TRIANGLE.edges().tolist() == [["a", "b"], ["a", "c"], ["b", "c"], ["c", "d"]]
    assert named.path(3).edges().tolist() == [[0, 1], [1, 2]]
    assert Graph.from_edges([], num_nodes=2).edges().shape == (0, 2)


@pytest.mark.parametrize("directed", ["out", "in"])
def test_edges_of_a_directed_graph_point_from_source_to_target(directed):
    graph = Graph.from_edges(ARCS, directed=directed)

    assert sorted(map(tuple, graph.edges().tolist())) == ARCS
    assert graph.to_scipy().toarray().tolist() == [[0, 1, 0], [0, 0, 0], [0, 1, 0]]
    assert sorted(graph.to_networkx().edges) == ARCS


def test_induced_keeps_the_order_and_the_edges_between_the_nodes():
    part = TRIANGLE.induced(["d", "c", "a"])

    assert part.node_ids.tolist() == ["d", "c", "a"]
    assert part.edges().tolist() == [["d", "c"], ["c", "a"]]
    assert Graph.from_edges(ARCS, directed="in").induced(["b", "c"]).edges().tolist() == [["c", "b"]]
    assert len(TRIANGLE.induced([])) == 0


def test_induced_raises_for_unknown_and_repeated_nodes():
    with pytest.raises(UnknownNodeError, match="the graph has no node 'x'"):
        TRIANGLE.induced(["x"])
    with pytest.raises(InputError, match=r"nodes must name every node once, got 2 ids of 1\."):
        TRIANGLE.induced(["a", "a"])


def test_induced_keeps_integer_ids():
    part = named.path(4).induced([2, 3])

    assert part.node_ids.tolist() == [2, 3]
    assert part.edges().tolist() == [[2, 3]]


def test_conversions_have_the_same_nodes_and_edges():
    assert TRIANGLE.to_scipy().sum() == 8
    assert networkx.utils.graphs_equal(
        TRIANGLE.to_networkx(), networkx.Graph([("a", "b"), ("a", "c"), ("b", "c"), ("c", "d")])
    )
    assert Graph.from_edges([("a", "b")], nodes=["z"]).to_networkx().nodes == {"z": {}, "a": {}, "b": {}}


def test_equal_graphs_have_the_same_ids_edges_and_direction():
    same = Graph.from_edges([("d", "c"), ("c", "b"), ("b", "a"), ("a", "c"), ("a", "c")])

    assert same == TRIANGLE
    assert hash(same) == hash(TRIANGLE)
    assert Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("c", "e")]) != TRIANGLE
    assert Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("a", "d")]) != TRIANGLE
    assert Graph.from_edges(ARCS, directed="out") != Graph.from_edges(ARCS)
    assert TRIANGLE != "graph"


def test_length_is_the_number_of_nodes():
    assert len(TRIANGLE) == 4
    assert Graph.from_edges([], num_nodes=0)
