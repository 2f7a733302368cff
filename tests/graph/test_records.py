"""The record of a graph and what it is made from: types, frozen arrays, forms of matrices, directions."""

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array, save_npz

from egonet import Graph, as_graph, read_graph
from egonet.errors import InputError


@pytest.mark.parametrize(("indptr", "indices"), [(np.int32, np.int32), (np.int64, np.int64)])
def test_arrays_of_another_type_are_refused(indptr, indices):
    assert Graph(np.array([0, 1, 2], np.int64), np.array([1, 0], np.int32)).num_edges == 1
    with pytest.raises(InputError, match="int64"):
        Graph(np.array([0, 1, 2], indptr), np.array([1, 0], indices))


def test_nobody_changes_the_arrays_of_a_graph():
    graph = Graph.from_edges([("a", "b")])

    for array in (graph.indptr, graph.indices):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_truth_is_no_node():
    graph = Graph.from_edges([(0, 1)], 2)

    assert graph.find(1) == 1
    assert graph.find(np.int64(1)) == 1
    assert graph.find(True) is None


@pytest.mark.parametrize("form", [csr_array, csc_array])
def test_arcs_of_a_stored_matrix_keep_their_direction_in_either_form(tmp_path, form):
    save_npz(tmp_path / "a.npz", form(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]])))

    graph = read_graph(tmp_path / "a.npz", directed="out")

    assert graph.neighbors(0) == [1, 2]
    assert graph.degrees.tolist() == [2, 0, 0]


def test_an_undirected_igraph_graph_has_no_arcs(need):
    igraph = need("igraph")

    with pytest.raises(InputError, match="an undirected igraph graph has no arcs to follow"):
        as_graph(igraph.Graph(2, [(0, 1)]), directed="out")


@pytest.mark.parametrize(("shape", "hint"), [((3, 2), True), ((3, 3), False), ((3,), False)])
def test_only_a_tensor_of_pairs_may_be_transposed(need, shape, hint):
    torch = need("torch")

    with pytest.raises(InputError, match="edge_index must have shape") as error:
        as_graph(torch.zeros(shape, dtype=torch.int64))
    assert ("Transpose it." in str(error.value)) is hint
