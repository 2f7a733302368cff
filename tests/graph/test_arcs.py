"""Graphs from an edge_index or a sparse matrix."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csc_array, csr_array

import egonet
from egonet import as_graph
from egonet.errors import EgonetError, IgnoredInputWarning, InputError


def test_the_column_of_an_edge_index_that_has_no_node_is_named():
    with pytest.raises(InputError, match=r"got edge \(-1, 0\) in column 2"):
        as_graph(np.array([[0, 1, -1], [1, 2, 0]]))


def test_arcs_of_a_matrix_are_followed_if_directed_is_given():
    arcs = csr_array(np.array([[0, 1, 1], [1, 0, 0], [0, 0, 0]]))

    assert as_graph(arcs, directed="out").degrees.tolist() == [2, 1, 0]
    symmetric = csr_array(np.array([[0, 1], [1, 0]]))
    assert as_graph(symmetric, directed="out").directed == "out"


def test_an_edge_index_of_few_edges_and_huge_ids_raises():
    said = "an edge_index of 3 edges has node 1,900,000,000, and every number below it would be a node. Give num_nodes"
    with pytest.raises(InputError, match=f"^{re.escape(said)}"):
        egonet.as_graph(np.array([[0, 1, 2], [1, 2, 1_900_000_000]]))


def test_more_nodes_than_32_bits_raise_for_an_edge_index_too():
    with pytest.raises(InputError, match=r"^a graph has at most 2,147,483,647 nodes, got 2,147,483,648.$"):
        egonet.as_graph(np.empty((2, 0), dtype=np.int64), num_nodes=2**31)


@pytest.mark.parametrize("place", [-1, 3])
def test_a_matrix_with_a_column_outside_raises(place):
    matrix = csc_array((np.ones(2), np.array([1, 2]), np.array([0, 1, 2, 2])), shape=(3, 3))
    matrix.indices[0] = place

    with pytest.raises(EgonetError, match=r"are inconsistent: indices must be from 0 to 2\. Build it again"):
        as_graph(matrix)


def test_a_matrix_that_is_not_square_is_reported_with_its_shape():
    said = "the matrix of a graph must be square, got shape (2, 3). For an edge list use egonet.Graph.from_edges."
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        egonet.as_graph(sp.csr_array((2, 3)))


@pytest.mark.parametrize(("shape", "hint"), [((3, 2), True), ((3, 3), False), ((3,), False)])
def test_only_a_tensor_of_pairs_may_be_transposed(need, shape, hint):
    torch = need("torch")

    with pytest.raises(InputError, match="edge_index must have shape") as error:
        as_graph(torch.zeros(shape, dtype=torch.int64))
    assert ("Transpose it." in str(error.value)) is hint


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
def test_sparse_matrices_of_every_form_are_the_same_graph(form, kind):
    matrix = kind(np.array([[1, 1, 0], [1, 0, 1], [0, 1, 0]])).asformat(form)

    graph = as_graph(matrix)

    assert graph.indices.tolist() == [1, 0, 2, 1]
    assert str(graph.info) == "1 self-loop dropped"


def test_explicit_zeros_are_not_edges():
    matrix = sp.csr_array((np.array([0.0, 1.0]), (np.array([0, 1]), np.array([1, 2]))), shape=(3, 3))

    with pytest.warns(
        IgnoredInputWarning, match=r"^1 stored entries of the matrix are zero and are not edges."
    ):
        graph = as_graph(matrix, directed=False)

    assert matrix.nnz == 2
    assert graph.num_edges == 1
    assert str(graph.info) == "arcs read as undirected edges"


def test_entries_that_cancel_out_are_one_edge_and_the_matrix_is_left_alone():
    matrix = sp.csr_array((np.array([1.0, -1.0]), np.array([1, 1]), np.array([0, 2, 2])), shape=(2, 2))

    with pytest.warns(IgnoredInputWarning, match="Edge weights"):
        graph = as_graph(matrix, directed=False)

    assert (graph.num_edges, graph.info.duplicates_merged) == (1, 1)
    assert matrix.data.tolist() == [1.0, -1.0]


@pytest.mark.parametrize("many", [False, True])
def test_nan_in_a_matrix_is_an_error(many):
    matrix = sp.csr_array(np.array([[0, np.nan], [np.nan, 0]]))

    with pytest.raises(
        InputError, match=r"an entry of a matrix must not be NaN, got [24] of them. Set them to 0"
    ):
        egonet.encode([matrix, matrix] if many else matrix, 1)


def test_a_matrix_goes_from_row_to_column():
    matrix = sp.csr_array(np.array([[0, 1], [0, 0]]))

    assert as_graph(matrix, directed="out").neighbors(0) == [1]
    assert as_graph(matrix, directed="in").neighbors(0) == []


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64])
def test_an_edge_index_of_unsigned_numbers_is_read(dtype):
    graph = as_graph(np.array([[0, 1, 2], [1, 2, 3]], dtype=dtype), directed=False)

    assert (graph.num_nodes, graph.num_edges) == (4, 3)
