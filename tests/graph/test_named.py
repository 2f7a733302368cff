"""Named graphs: facts about them that are known by hand."""

import networkx as nx
import numpy as np
import pytest

from egonet.errors import InputError
from egonet.graph import named


def dense(graph):
    matrix = np.zeros((graph.num_nodes, graph.num_nodes), dtype=int)
    matrix[np.repeat(np.arange(graph.num_nodes), graph.degrees), graph.indices] = 1
    return matrix


def triangles(graph):
    return int(np.trace(np.linalg.matrix_power(dense(graph), 3))) // 6


@pytest.mark.parametrize(
    ("graph", "degrees", "num_triangles"),
    [
        (named.path("abc"), [1, 2, 1], 0),
        (named.path(1), [0], 0),
        (named.cycle(3), [2, 2, 2], 1),
        (named.cycle(5), [2, 2, 2, 2, 2], 0),
        (named.complete(4), [3, 3, 3, 3], 4),
        (named.complete(0), [], 0),
        (named.star(3), [3, 1, 1, 1], 0),
        (named.grid(3, 2), [2, 3, 2, 2, 3, 2], 0),
        (named.grid(1, 3), [1, 2, 1], 0),
        (named.figure1(), [2, 2, 4, 4, 3, 3], 4),
        (named.decalin(), [3, 2, 2, 2, 2, 3, 2, 2, 2, 2], 0),
        (named.bicyclopentyl(), [3, 2, 2, 2, 2, 3, 2, 2, 2, 2], 0),
        (named.petersen(), [3] * 10, 0),
        (named.shrikhande(), [6] * 16, 32),
        (named.rook_4x4(), [6] * 16, 32),
    ],
)
def test_degrees_and_triangles_are_as_known(graph, degrees, num_triangles):
    assert graph.degrees.tolist() == degrees
    assert triangles(graph) == num_triangles


def test_the_karate_club_is_zacharys():
    club = named.karate_club()

    assert (club.num_nodes, club.num_edges, triangles(club)) == (34, 78, 45)
    assert club.degrees[[0, 33, 32, 2, 11]].tolist() == [16, 17, 12, 10, 1]
    assert set(nx.Graph(dense(club)).edges()) == set(nx.karate_club_graph().edges())


@pytest.mark.parametrize("graph", [named.shrikhande(), named.rook_4x4()])
def test_both_strongly_regular_graphs_have_two_common_neighbors_everywhere(graph):
    common = dense(graph) @ dense(graph)

    assert set(common[~np.eye(16, dtype=bool)].tolist()) == {2}


def test_only_the_rooks_graph_has_cliques_of_four():
    sizes = [
        max(map(len, nx.find_cliques(nx.Graph(dense(graph)))))
        for graph in (named.shrikhande(), named.rook_4x4())
    ]

    assert sizes == [3, 4]


def test_a_graph6_string_is_a_graph():
    # Q j O are 010010 101011 010000: the pairs 02 13 04 24 05 15 35.
    assert named.from_graph6("EQjO").indices.tolist() == [2, 4, 5, 3, 5, 0, 4, 1, 5, 0, 2, 0, 1, 3]


def test_text_that_is_not_graph6_raises():
    with pytest.raises(
        InputError, match=r"^'B' is not a graph6 string: a graph6 string of 3 nodes has 1 characters"
    ):
        named.from_graph6("B")
    with pytest.raises(InputError, match=r"^'é' is not a graph6 string"):
        named.from_graph6("é")


def test_sizes_must_be_whole_numbers():
    with pytest.raises(InputError, match=r"^num_nodes must be a whole number >= 3, got 2.$"):
        named.cycle(2)
    with pytest.raises(InputError, match=r"^num_leaves must be a whole number >= 0, got 2.5.$"):
        named.star(2.5)
