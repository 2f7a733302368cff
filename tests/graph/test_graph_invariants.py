"""`Graph(indptr, indices)` checks what every kernel relies on, and leaves the caller's arrays alone."""

import numpy as np
import pytest

from egonet import Graph
from egonet.errors import InputError


def graph_of(indptr, indices, **words):
    return Graph(np.array(indptr, dtype=np.int64), np.array(indices, dtype=np.int32), **words)


@pytest.mark.parametrize(
    ("indptr", "indices", "message"),
    [
        ([0, 1, 2], [1, 7], "indices must be from 0 to 1, got 7 in row 1"),
        ([0, 1, 2], [1, -1], "indices must be from 0 to 1, got -1 in row 1"),
        ([0, 3, 1, 2], [1, 0], "indptr must be non-decreasing, but it falls after position 1"),
        ([0, 1, 2], [0, 1], "its own neighbor, got 0 in row 0"),
        ([0, 2, 3, 4], [2, 1, 0, 0], "sorted in each row, without repeats, got 1 in row 0"),
        ([0, 2, 4], [1, 1, 0, 0], "sorted in each row, without repeats"),
        ([0, 1, 1], [1], "every edge in both rows"),
        ([0, 1], [0, 0], "indptr must start at 0 and end at the number of indices"),
    ],
)
def test_graph_refuses_arrays_that_break_an_invariant(indptr, indices, message):
    with pytest.raises(InputError, match=message):
        graph_of(indptr, indices)


def test_directed_graph_needs_no_opposite_arcs():
    assert graph_of([0, 1, 1], [1], directed="out").num_edges == 1
    with pytest.raises(InputError, match="got 5 in row 0"):
        graph_of([0, 1, 1], [5], directed="out")
    with pytest.raises(InputError, match='directed must be None, "out" or "in", got True'):
        graph_of([0, 1, 1], [1], directed=True)


def test_graph_refuses_lists_and_repeated_ids():
    with pytest.raises(
        InputError, match="indptr must be a NumPy array of int64 with one dimension, got list"
    ):
        Graph([0, 1, 2], [1, 0])
    with pytest.raises(InputError, match="nodes must not repeat an id, got 'a' twice"):
        graph_of([0, 1, 2], [1, 0], nodes=np.array(["a", "a"]))
    with pytest.raises(InputError, match=r"one id per node: 2, got shape \(1,\)"):
        graph_of([0, 1, 2], [1, 0], nodes=np.array(["a"]))


def test_graph_leaves_the_callers_arrays_writeable():
    indptr, indices = np.array([0, 1, 2]), np.array([1, 0], dtype=np.int32)
    nodes = np.array(["a", "b"])

    graph = Graph(indptr, indices, nodes)
    indices[0] = 7
    nodes[0] = "z"

    assert indptr.flags.writeable
    assert graph.neighbors("b") == ["a"]
    assert not graph.indices.flags.writeable


def test_from_indices_leaves_the_callers_ids_writeable():
    nodes = np.array(["a", "b"])

    graph = Graph.from_indices(np.array([0]), np.array([1]), 2, nodes=nodes)

    assert nodes.flags.writeable
    assert not graph.nodes.flags.writeable
