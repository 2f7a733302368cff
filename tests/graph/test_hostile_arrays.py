"""Arrays and values made to harm: each is read as what it says, or refused in one sentence."""

import re

import numpy as np
import pytest
from scipy.sparse import csc_array

import egonet
from egonet.errors import EgonetError, InputError
from egonet.graph.convert import as_graph


def test_an_edge_index_of_few_edges_and_huge_ids_is_refused():
    said = "an edge_index of 3 edges contains node 1,900,000,000, and all below would be nodes. Give num_nodes"
    with pytest.raises(InputError, match=f"^{re.escape(said)}"):
        egonet.as_graph(np.array([[0, 1, 2], [1, 2, 1_900_000_000]]))


def test_more_nodes_than_32_bits_are_refused_for_an_edge_index_too():
    with pytest.raises(InputError, match=r"^a graph has at most 2,147,483,647 nodes, got 2,147,483,648.$"):
        egonet.as_graph(np.empty((2, 0), dtype=np.int64), num_nodes=2**31)


def test_values_of_several_lines_are_shown_on_one():
    with pytest.raises(InputError, match=r"^nodes has no meaning for a square matrix, got array\(") as caught:
        egonet.as_graph(np.zeros((3, 3)), nodes=np.zeros((3, 3)))
    assert "\n" not in str(caught.value)


def test_a_graph_record_of_two_dimensions_is_refused():
    with pytest.raises(
        InputError, match=r"with one dimension, got shape \(2, 2\) of int64. Use Graph.from_edges.$"
    ):
        egonet.Graph(np.zeros((2, 2), dtype=np.int64), np.zeros(0, dtype=np.int32))


@pytest.mark.parametrize("place", [-1, 3])
def test_a_matrix_with_a_column_outside_is_refused(place):
    matrix = csc_array((np.ones(2), np.array([1, 2]), np.array([0, 1, 2, 2])), shape=(3, 3))
    matrix.indices[0] = place

    with pytest.raises(
        EgonetError, match=r"are inconsistent: indices must be from 0 to 2\. Build it again"
    ):
        as_graph(matrix)


def test_an_id_that_holds_a_list_is_none():
    with pytest.raises(InputError, match=r"an id must be .*, got \('a', \[1\]\) in edge 0"):
        egonet.Graph.from_edges([(("a", [1]), "b")])


def test_a_cap_beyond_every_whole_number_keeps_everything():
    star = egonet.Graph.from_edges([(0, leaf) for leaf in range(1, 5)], 5)

    assert (egonet.encode(star, 1, cap=10**30).matrix != egonet.encode(star, 1, cap=9).matrix).nnz == 0
