"""Rows of edges: those of `encode_pairs` for both ends, in the order of the edges as given."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from contracts.parts import need
from egonet.errors import InputError, OptionError

TRIANGLE = [("b", "a"), ("b", "c"), ("c", "a"), ("c", "d")]


def test_an_edge_of_a_triangle_shares_a_neighbor_and_the_tail_none():
    encoding = egonet.encode_edges(TRIANGLE, 1)

    assert list(encoding) == TRIANGLE
    # Without b-a the rest is the path b-c-a with the tail c-d: both ends have degree 1, c has degree 2 without d.
    assert encoding[("a", "b")] == {(0, 2, 1): 2, (1, 1, 2): 1}
    # Without c-d: d is alone, c has the neighbors a and b, who know each other.
    assert encoding[("c", "d")] == {(0, 2, 0): 1, (0, 2, 2): 1, (1, 2, 2): 2}
    assert encoding.index.kind == "edge"
    assert repr(encoding).startswith("Encoding('edge', num_rows=4")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=12),
    st.integers(0, 2),
    st.booleans(),
    st.booleans(),
    st.sampled_from([False, "out", "in"]),
)
def test_rows_are_those_of_the_pairs_and_zero_for_loops(edges, radius, without_edge, ordered, directed):
    graph = egonet.as_graph(edges, num_nodes=7, directed=directed, keep=())
    options = {"without_edge": without_edge, "ordered": ordered}
    encoding = egonet.encode_edges(graph, radius, **options)
    proper = [edge for edge in edges if edge[0] != edge[1]]

    assert list(encoding) == edges
    if proper:
        expected = egonet.encode_pairs(graph, proper, radius, **options)
        is_loop = np.array([u == v for u, v in edges])
        assert np.array_equal(np.asarray(encoding)[~is_loop], np.asarray(expected))
        assert encoding.columns == expected.columns
        assert not np.asarray(encoding)[is_loop].any()


def test_both_directions_loops_and_repeats_have_a_row_each():
    index = torch.tensor([[0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 2, 1]])
    encoding = egonet.encode_edges(index, 1, directed=False)
    counts = np.asarray(encoding)

    assert counts.shape[0] == 6
    assert counts[0].tolist() == counts[1].tolist() == counts[5].tolist()
    assert counts[4].sum() == 0


def test_tables_networkx_and_graphs_have_their_own_order():
    frame = pd.DataFrame({"source": ["x", "a"], "target": ["b", "b"], "kind": ["p", "q"]}, index=[7, 3])
    path = nx.Graph([("x", "b"), ("a", "b")])

    assert list(egonet.encode_edges(frame, 1, edge_labels="kind")) == [("x", "b"), ("a", "b")]
    assert set(egonet.encode_edges(path, 1)) == {("x", "b"), ("b", "a")}
    assert list(egonet.encode_edges(egonet.Graph.from_edges([("b", "a"), ("c", "b")]), 1)) == [
        ("b", "a"),
        ("b", "c"),
    ]


def test_labels_types_and_amounts_are_those_of_pairs():
    labels, kinds = dict(zip("abcd", "CNCO", strict=True)), ["x", "y", "x", "y"]
    edges = egonet.encode_edges(TRIANGLE, 1, labels=labels, edge_labels=kinds)
    pairs = egonet.encode_pairs(TRIANGLE, TRIANGLE, 1, labels=labels, edge_labels=kinds)

    assert edges.columns == pairs.columns
    assert np.array_equal(np.asarray(edges), np.asarray(pairs))
    amounts = {"weights": [1, 2, 3, 4], "weight_bins": "log"}
    assert (
        egonet.encode_edges(TRIANGLE, 1, **amounts).columns
        == egonet.encode_pairs(TRIANGLE, TRIANGLE, 1, **amounts).columns
    )


def test_columns_of_edges_and_pairs_are_used_for_each_other(tmp_path):
    edges = egonet.encode_edges(TRIANGLE, 1)
    edges.write(tmp_path / "edges.parquet")

    again = egonet.encode_edges(TRIANGLE[:2], vocabulary=tmp_path / "edges.parquet")
    pairs = egonet.encode_pairs(TRIANGLE, [("a", "b")], vocabulary=edges)

    assert again.columns == edges.columns
    assert np.asarray(pairs)[0].tolist() == np.asarray(edges)[0].tolist()
    assert pd.read_parquet(tmp_path / "edges.parquet").columns[:2].tolist() == ["source", "target"]


def test_wrong_options_are_named():
    with pytest.raises(OptionError, match="no option 'rooted'"):
        egonet.encode_edges(TRIANGLE, 1, rooted="edge")
    with pytest.raises(InputError, match="radius must be a whole number"):
        egonet.encode_edges(TRIANGLE, -1)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=14),
    st.sampled_from([False, "out", "in"]),
    st.integers(1, 7),
    st.booleans(),
)
def test_the_distance_of_the_ends_is_one_less_than_the_shortest_cycle(edges, directed, longest, without_edge):
    graph = egonet.as_graph(edges, num_nodes=8, directed=directed)
    lengths = egonet.edge_cycles(graph, longest + 1)
    encoding = egonet.encode_edges(graph, 1, ends_distance=longest, without_edge=without_edge)
    plain = egonet.encode_edges(graph, 1, without_edge=without_edge)

    assert list(encoding) == [tuple(edge) for edge in graph.edges().tolist()]
    for row, length in enumerate(lengths.tolist()):
        counts = encoding.source.row(row)
        ends = {key: counts.pop(key) for key in list(counts) if key[0] == "ends"}
        assert ends == ({("ends", length - 1): 1} if length else {})
        assert counts == plain.source.row(row)


def test_distances_of_ends_count_edges_also_where_edges_have_types():
    square = [(0, 1), (1, 2), (2, 3), (3, 0)]
    encoding = egonet.encode_edges(square, (1, 2), edge_labels=["x", "y", "x", "y"], ends_distance=4)

    assert encoding.feature_names[0] == "ends_d3"
    assert np.asarray(encoding)[:, 0].tolist() == [1, 1, 1, 1]


def test_columns_of_ends_are_saved_clipped_and_fixed(tmp_path):
    learned = egonet.encode_edges(TRIANGLE, 1, ends_distance=7)
    learned.write(tmp_path / "edges.parquet")
    square = [(0, 1), (1, 2), (2, 3), (3, 0)]
    again = egonet.encode_edges(square, vocabulary=tmp_path / "edges.parquet")

    assert again.settings.ends_distance == 7
    assert again.source.row(0)["ends", 2] == 1  # the square has distance 3, and the nearest column is 2
    assert egonet.encode_edges(square, vocabulary=learned, unseen="ignore").unseen.dropped > 0
    pairs = egonet.encode_pairs(TRIANGLE, [("a", "x"), ("a", "b")], ends_distance=3, handle_unknown="zero")
    assert [("ends", 2) in pairs.source.row(row) for row in (0, 1)] == [False, True]
    with pytest.raises(InputError, match="at least 1, got 0"):
        egonet.encode_edges(TRIANGLE, 1, ends_distance=0)
    with pytest.raises(InputError, match="ends_distance=7, got 5"):
        egonet.encode_edges(TRIANGLE, vocabulary=learned, ends_distance=5)


def test_a_vocabulary_of_arcs_reads_the_arcs_of_the_next_graph():
    learned = egonet.encode_edges([("a", "b"), ("b", "c")], 1, degrees="in_out")

    again = egonet.encode_edges([("x", "y"), ("y", "z")], vocabulary=learned)

    assert again.matrix.toarray().tolist() == learned.matrix.toarray().tolist()


def test_edges_of_a_molecule_are_in_the_order_of_its_bonds():
    chem = need("rdkit.Chem", "rdkit")
    ring = chem.MolFromSmiles("C1CC(=O)C1O")
    bonds = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in ring.GetBonds()]
    types = ["double" if bond.GetBondTypeAsDouble() == 2 else "single" for bond in ring.GetBonds()]

    assert bonds[-1] == (4, 0)
    assert list(egonet.encode_edges(ring, 1)) == bonds
    assert egonet.edge_cycles(ring).tolist() == [4, 4, 0, 4, 0, 4]
    by_name, by_order = (egonet.encode(ring, 1, edge_labels=labels) for labels in ("bond_type", types))
    assert [by_name[atom] for atom in range(6)] == [by_order[atom] for atom in range(6)]
