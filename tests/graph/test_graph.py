"""The record `Graph`: its invariants, its direction, and what its `info` counts."""

import re

import numpy as np
import pytest

import egonet
from egonet import Graph
from egonet.errors import InputError, UnknownNodeError
from egonet.graph.graph import GraphInfo, adjacency


def graph_of(indptr, indices, **fields):
    return Graph(np.array(indptr, dtype=np.int64), np.array(indices, dtype=np.int32), **fields)


def test_a_graph_record_of_two_dimensions_raises():
    with pytest.raises(
        InputError, match=r"with one dimension, got shape \(2, 2\) of int64. Use Graph.from_edges.$"
    ):
        egonet.Graph(np.zeros((2, 2), dtype=np.int64), np.zeros(0, dtype=np.int32))


def test_arcs_are_followed_out_or_in():
    pairs = [("a", "b"), ("b", "c")]

    assert Graph.from_edges(pairs, directed="out").neighbors("a") == ["b"]
    assert Graph.from_edges(pairs, directed="in").neighbors("a") == []


def test_directions_are_never_mixed():
    graph = Graph.from_edges([("a", "b")], directed="out")

    said = 'the graph was read as directed="out", got directed="in". Give directed= where it is read.'
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        egonet.as_graph(graph, directed="in")


def test_loops_are_dropped_and_parallel_edges_merged_and_counted():
    graph = Graph.from_edges([("a", "b"), ("b", "a"), ("a", "b"), ("c", "c")])

    assert graph.degrees.tolist() == [1, 1, 0]
    assert graph.info == GraphInfo(loops_dropped=1, duplicates_merged=2)


def test_opposite_arcs_are_two_arcs_of_a_directed_graph():
    graph = Graph.from_edges([("a", "b"), ("b", "a"), ("a", "b")], directed="out")

    assert (graph.num_edges, graph.info.duplicates_merged) == (2, 1)


def test_an_isolated_node_keeps_its_row():
    encoding = egonet.encode(Graph.from_edges([("a", "b")], nodes=["z", "a", "b"]), radius=1)

    assert encoding["z"] == {(0, 0): 1}
    assert encoding.nodes.tolist() == ["z", "a", "b"]


def test_ids_of_every_kind_are_row_labels_in_order_of_first_appearance():
    graph = Graph.from_edges([("x", 2**40), (2**40, "7"), ("7", 8)])

    assert graph.node_ids.tolist() == ["x", 2**40, "7", 8]


def test_an_empty_graph_gives_no_rows():
    encoding = egonet.encode(Graph.from_edges([]), radius=1)

    assert encoding.matrix.shape == (0, 0)


def test_an_unknown_node_is_reported_with_a_near_match():
    with pytest.raises(UnknownNodeError, match=r"^the graph has no node 'dob'. Did you mean 'bob'\?$"):
        Graph.from_edges([("ann", "bob")]).index_of("dob")


def test_rows_out_of_range_never_reach_the_native_code():
    said = "edge (0, 2) points at node 2, but the graph has 2 nodes (0 to 1)."
    said += " Raise num_nodes or drop the edge."
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        Graph.from_indices(np.array([0]), np.array([2]), 2)
    with pytest.raises(InputError, match=r"^edge \(-1, 1\) points at node -1"):
        Graph.from_indices(np.array([-1]), np.array([1]), 2)


def test_rows_end_sorted_and_without_repeats():
    rng = np.random.default_rng(0)
    source, target = rng.integers(0, 40, (2, 500))

    for both in (False, True):
        indptr, indices, loops = adjacency(source, target, 40, both_directions=both)
        arcs = {(u, v) for u, v in zip(source.tolist(), target.tolist(), strict=True) if u != v}
        arcs |= {(v, u) for u, v in arcs} if both else set()
        expected = sorted(arcs)
        assert loops == np.count_nonzero(source == target)
        assert indices.tolist() == [v for _, v in expected]
        assert np.repeat(np.arange(40), np.diff(indptr)).tolist() == [u for u, _ in expected]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_several_threads_build_the_rows_that_one_builds(dtype, monkeypatch):
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 30_000, (200_000, 2), dtype=dtype)
    ends[:60_000, 0] = 7  # a hub
    found = []
    for threads in ("1", "6"):
        monkeypatch.setenv("EGONET_THREADS", threads)
        found.append(adjacency(ends[:, 0], ends[:, 1], 30_001, both_directions=True))

    (indptr, indices, loops), (other_indptr, other_indices, other_loops) = found
    proper = ends[ends[:, 0] != ends[:, 1]].astype(np.int64)
    arcs = np.unique(np.concatenate([proper, proper[:, ::-1]]), axis=0)
    assert np.array_equal(indices, arcs[:, 1])
    assert np.array_equal(indptr, np.searchsorted(arcs[:, 0], np.arange(30_002)))
    assert loops == other_loops == len(ends) - len(proper)
    assert np.array_equal(indptr, other_indptr)
    assert np.array_equal(indices, other_indices)


@pytest.mark.parametrize(("indptr", "indices"), [(np.int32, np.int32), (np.int64, np.int64)])
def test_arrays_of_another_type_raise(indptr, indices):
    assert Graph(np.array([0, 1, 2], np.int64), np.array([1, 0], np.int32)).num_edges == 1
    with pytest.raises(InputError, match="int64"):
        Graph(np.array([0, 1, 2], indptr), np.array([1, 0], indices))


def test_nobody_changes_the_arrays_of_a_graph():
    graph = Graph.from_edges([("a", "b")])

    for array in (graph.indptr, graph.indices):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_truth_is_not_a_node():
    graph = Graph.from_edges([(0, 1)], 2)

    assert graph.find(1) == 1
    assert graph.find(np.int64(1)) == 1
    assert graph.find(True) is None


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
def test_graph_raises_for_arrays_that_break_an_invariant(indptr, indices, message):
    with pytest.raises(InputError, match=message):
        graph_of(indptr, indices)


def test_directed_graph_needs_no_opposite_arcs():
    assert graph_of([0, 1, 1], [1], directed="out").num_edges == 1
    with pytest.raises(InputError, match="got 5 in row 0"):
        graph_of([0, 1, 1], [5], directed="out")
    with pytest.raises(InputError, match='directed must be None, "out" or "in", got True'):
        graph_of([0, 1, 1], [1], directed=True)


def test_graph_raises_for_lists_and_repeated_ids():
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


def test_pairs_are_undirected_edges_if_directed_is_false():
    assert Graph.from_edges([("a", "b")], directed=False) == Graph.from_edges([("a", "b")])
    with pytest.raises(InputError, match="directed must be None"):
        Graph.from_edges([("a", "b")], directed=True)
