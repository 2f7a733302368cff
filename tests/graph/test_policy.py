"""The input policy, row by row: what is normalized on entry, and that `info` says so."""

import re
import shutil
from functools import partial

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch
from torch_geometric.data import Data

import egonet
from egonet.errors import FileError, IgnoredInputWarning, InputError, UnknownNodeError
from egonet.graph.graph import Graph, GraphInfo, adjacency
from egonet.store.stored_graph import build_graph

ID_RULE = "an id must be hashable and not missing, a number whole and >= 0"


def test_directed_input_is_read_as_undirected_and_said():
    with pytest.warns(
        IgnoredInputWarning, match=r'^Arcs are read as undirected edges. Say directed="out" or'
    ):
        graph = egonet.as_graph(sp.csr_array([[0, 1], [0, 0]]))

    assert graph.neighbors(1) == [0]
    assert str(graph.info) == "arcs read as undirected edges"


def test_arcs_are_followed_out_or_in():
    pairs = [("a", "b"), ("b", "c")]

    assert Graph.from_edges(pairs, directed="out").neighbors("a") == ["b"]
    assert Graph.from_edges(pairs, directed="in").neighbors("a") == []


def test_directions_are_never_mixed():
    graph = Graph.from_edges([("a", "b")], directed="out")

    said = "the graph was read as directed=\"out\", got directed='in'. Say so where it is read."
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        egonet.as_graph(graph, directed="in")


def test_loops_are_dropped_and_parallel_edges_merged_and_counted():
    graph = Graph.from_edges([("a", "b"), ("b", "a"), ("a", "b"), ("c", "c")])

    assert graph.degrees.tolist() == [1, 1, 0]
    assert graph.info == GraphInfo(loops_dropped=1, duplicates_merged=2)


def test_opposite_arcs_are_two_arcs_of_a_directed_graph():
    graph = Graph.from_edges([("a", "b"), ("b", "a"), ("a", "b")], directed="out")

    assert (graph.num_edges, graph.info.duplicates_merged) == (2, 1)


def test_weights_are_ignored_and_said():
    with pytest.warns(
        IgnoredInputWarning, match=r"^Edge weights play no part in an encoding and are ignored"
    ):
        graph = egonet.as_graph(sp.csr_array([[0, 7], [7, 0]]))

    assert str(graph.info) == "edge weights ignored"


def directed_inputs():
    index = np.array([[0, 1], [1, 2]])
    square = sp.csr_array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    return [nx.DiGraph([(0, 1), (1, 2)]), igraph.Graph(3, [(0, 1), (1, 2)], directed=True), square, square.toarray(),
            torch.tensor(index), Data(edge_index=torch.tensor(index), num_nodes=3)]  # fmt: skip


@pytest.mark.parametrize("place", range(6))
def test_unused_direction_is_one_warning_and_false_silences_it(place):
    data = directed_inputs()[place]
    for call in (egonet.as_graph, lambda data, **words: egonet.encode(data, 1, **words)):
        with pytest.warns(UserWarning, match="directed=") as caught:
            call(data)
        assert len(caught) == 1
        assert caught[0].filename == __file__
        call(data, directed=False)
        call(data, directed="out")
    with pytest.warns(IgnoredInputWarning, match="directed=") as caught:
        egonet.encode([data, data], 1)
    assert len(caught) == 1
    egonet.encode([data, data], 1, directed=False)
    egonet.encode([egonet.as_graph(data, directed=False)] * 2, 1)


def test_unused_direction_of_a_file_is_one_warning(tmp_path):
    nx.write_graphml(nx.DiGraph([("a", "b"), ("b", "c")]), tmp_path / "a.graphml")

    with pytest.warns(IgnoredInputWarning, match="directed=") as caught:
        egonet.read_graph(tmp_path / "a.graphml")
    assert len(caught) == 1
    assert egonet.read_graph(tmp_path / "a.graphml", directed=False).num_edges == 2


def test_columns_beside_the_ends_are_one_warning_unless_the_ends_are_given(tmp_path):
    frame = pd.DataFrame({"src": ["a"], "dst": ["b"], "amount": [3]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    ends = {"source": "src", "target": "dst"}
    for read in (
        partial(egonet.as_graph, frame),
        partial(egonet.read_graph, tmp_path / "a.csv"),
        partial(egonet.read_graph, tmp_path / "a.parquet"),
        partial(build_graph, tmp_path / "a.csv", tmp_path / "store", memory=10**6),
    ):
        with pytest.warns(IgnoredInputWarning, match="Say source= and target= if this is meant") as caught:
            read()
        assert len(caught) == 1
        shutil.rmtree(tmp_path / "store", ignore_errors=True)
        read(**ends)


def test_an_isolated_node_keeps_its_row():
    encoding = egonet.encode(Graph.from_edges([("a", "b")], nodes=["z", "a", "b"]), radius=1)

    assert encoding["z"] == {(0, 0): 1}
    assert encoding.nodes.tolist() == ["z", "a", "b"]


def test_ids_of_every_kind_are_row_labels_in_order_of_first_appearance():
    graph = Graph.from_edges([("x", 2**40), (2**40, "7"), ("7", 7)])

    assert graph.node_ids.tolist() == ["x", 2**40, "7", 7]


def test_an_empty_graph_gives_no_rows():
    encoding = egonet.encode(Graph.from_edges([]), radius=1)

    assert encoding.matrix.shape == (0, 0)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "a,b\nc\n",
            "edges.csv, line 2: expected at least 2 fields, got 1: 'c'. Give every line two node ids.",
        ),
        (
            "1,2\n3,NaN\n",
            f"edges.csv, line 2: {ID_RULE}, got a missing value: '3,NaN'. Drop the line or fill it in.",
        ),
        ("1,2\n3,-4\n", f"edges.csv, line 2: {ID_RULE}, got '3,-4'. Drop the line or write whole numbers."),
        ("1,2\n3,4.5\n", f"edges.csv, line 2: {ID_RULE}, got '3,4.5'. Drop the line or write whole numbers."),
    ],
)
def test_a_bad_line_is_told_with_file_and_line(tmp_path, content, said):
    (tmp_path / "edges.csv").write_text(content)

    with pytest.raises(FileError, match=f"^{re.escape(said)}$"):
        egonet.read_graph(tmp_path / "edges.csv")


def test_a_wrong_column_is_told_with_a_near_match(tmp_path):
    (tmp_path / "edges.csv").write_text("src,dst\n1,2\n")

    said = "edges.csv: there is no column 'scr'. Did you mean 'src'? The columns are 'src', 'dst'."
    with pytest.raises(FileError, match=f"^{re.escape(said)}$"):
        egonet.read_graph(tmp_path / "edges.csv", source="scr", target="dst")


def test_a_matrix_that_is_not_square_is_told_with_its_shape():
    said = "the matrix of a graph must be square, got shape (2, 3). For an edge list use egonet.Graph.from_edges."
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        egonet.as_graph(sp.csr_array((2, 3)))


def test_an_unknown_node_is_told_with_a_near_match():
    with pytest.raises(UnknownNodeError, match=r"^the graph has no node 'dob'. Did you mean 'bob'\?$"):
        Graph.from_edges([("ann", "bob")]).index_of("dob")


def test_rows_out_of_range_never_reach_the_native_code():
    said = "edge (0, 2) points at node 2, but num_nodes is 2, so that nodes are 0 to 1."
    said += " Raise num_nodes or drop the edge."
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        Graph.from_indices(np.array([0]), np.array([2]), 2)
    with pytest.raises(InputError, match=r"^edge \(-1, 1\) points at node -1"):
        Graph.from_indices(np.array([-1]), np.array([1]), 2)


def test_rows_end_sorted_and_without_repeats():
    rng = np.random.default_rng(0)
    source, target = rng.integers(0, 40, (2, 500))

    for both in (False, True):
        indptr, indices = adjacency(source, target, 40, both_directions=both)
        arcs = set(zip(source.tolist(), target.tolist(), strict=True))
        arcs |= {(v, u) for u, v in arcs} if both else set()
        expected = sorted(arcs)
        assert indices.tolist() == [v for _, v in expected]
        assert np.repeat(np.arange(40), np.diff(indptr)).tolist() == [u for u, _ in expected]
