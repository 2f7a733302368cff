"""Columns of nodes and edges belong to the graph and follow it."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import egonet
from egonet import as_graph, encode
from egonet.errors import InputError
from egonet.graph.cap import cap_edges
from egonet.graph.columns import Categories, concatenate_columns
from egonet.graph.union import disjoint_union

EDGES = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
LABELS = {"a": "C", "b": "O", "c": "C", "d": "N"}
BONDS = ["single", "double", "single", "double"]


def test_the_graph_has_what_its_data_says():
    graph = as_graph(EDGES, labels=LABELS, edge_labels=BONDS, weights=[1, 2, 3, 4])

    assert graph.labels.values() == ["C", "O", "C", "N"]
    assert graph.edge_columns["edge_labels"].values() == BONDS
    assert graph.edge_columns["weights"].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert repr(graph) == "Graph(num_nodes=4, num_edges=4, columns='labels, edge_labels, weights')"


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ({"labels": LABELS}, {}),
        ({"edge_labels": BONDS}, {}),
        ({"weights": [1, 2, 3, 9]}, {"weight_bins": 2}),
        ({"labels": LABELS, "edge_labels": BONDS}, {"cap": 2}),
        ({"directed": "out", "edge_labels": BONDS}, {"degrees": "in_out"}),
        ({"nodes": ["z", "d"], "labels": {**LABELS, "z": "C"}}, {}),
    ],
)
def test_an_encoding_is_the_same_from_the_graph_and_from_its_data(data, options):
    direct = encode(EDGES, 2, **data, **options)
    carried = encode(as_graph(EDGES, **data), 2, **options)

    assert direct.feature_names == carried.feature_names
    assert np.array_equal(direct.matrix.toarray(), carried.matrix.toarray())
    assert direct.nodes.tolist() == carried.nodes.tolist()


def test_pairs_are_the_same_from_the_graph_and_from_its_data():
    data = {"labels": LABELS, "edge_labels": BONDS}
    direct = egonet.encode_pairs(EDGES, [("a", "d")], **data)
    carried = egonet.encode_pairs(as_graph(EDGES, **data), [("a", "d")])

    assert direct[("a", "d")] == carried[("a", "d")]
    assert direct.feature_names == carried.feature_names


def test_columns_of_a_table_are_given_by_name():
    table = pd.DataFrame({"source": list("ab"), "target": list("bc"), "bond": [1, 2], "amount": [0.5, 7]})
    graph = as_graph(table, edge_labels="bond", weights="amount")

    assert graph.edge_columns["edge_labels"].values() == [1, 2]
    assert graph.edge_columns["weights"].tolist() == [0.5, 7.0]


def test_labels_are_an_attribute_of_networkx_nodes_by_name():
    graph = nx.Graph(EDGES)
    nx.set_node_attributes(graph, LABELS, "atom")

    assert as_graph(graph, labels="atom").labels.values() == ["C", "O", "C", "N"]
    with pytest.raises(InputError, match="4 of 4 nodes of a networkx graph have none, first node 0"):
        as_graph(graph, labels="atoms")


def test_a_column_given_for_a_graph_replaces_its_own():
    graph = as_graph(EDGES, labels=LABELS)

    assert as_graph(graph, labels=[1, 2, 3, 4]).labels.values() == [1, 2, 3, 4]
    assert graph.labels.values() == ["C", "O", "C", "N"]


def test_a_part_of_a_graph_has_the_columns_of_its_nodes_and_edges():
    part = as_graph(EDGES, labels=LABELS, edge_labels=BONDS).induced(["d", "c", "b"])

    assert part.labels.values() == ["N", "C", "O"]
    # The edges as given: b-c is double, c-d is double; rows of d, c, b are 0, 1, 2.
    assert part.edge_columns["edge_labels"].values() == ["double", "double"]
    assert (part.edge_table.source.tolist(), part.edge_table.target.tolist()) == ([2, 1], [1, 0])


def test_a_capped_graph_has_the_columns_of_the_edges_that_stay():
    star = as_graph([(0, leaf) for leaf in range(1, 6)], weights=[1, 2, 3, 4, 5])
    cut = cap_edges(star, 2)

    kept = cut.edges()[:, 1].tolist()
    assert sorted(cut.edge_columns["weights"].tolist()) == [float(leaf) for leaf in kept]


def test_graphs_with_other_columns_differ():
    graph = as_graph(EDGES, labels=LABELS, edge_labels=BONDS)
    turned = as_graph([(v, u) for u, v in EDGES[::-1]], labels=LABELS, edge_labels=BONDS[::-1])

    assert graph == turned
    assert graph != as_graph(EDGES, labels=LABELS)
    assert graph != as_graph(EDGES, labels=LABELS, edge_labels=["single"] * 4)
    assert graph != as_graph(EDGES, labels={**LABELS, "d": "C"}, edge_labels=BONDS)


@pytest.mark.parametrize(
    "labels", [["x", "y", "z"], np.array([1, 2, 3]), iter("xyz")], ids=["list", "array", "iterator"]
)
def test_labels_in_row_order_are_refused_where_no_rule_orders_ids(labels):
    pairs = [("b", "z"), ("z", "a")]

    with pytest.raises(InputError, match=r"got a sequence for ids such as 'b', 'z', 'a'\. Give a mapping"):
        as_graph(pairs, labels=labels)


def test_labels_in_row_order_follow_an_order_that_is_defined():
    pairs, labels = [("b", "z"), ("z", "a")], ["x", "y", "x"]
    expected = as_graph(pairs, labels={"b": "x", "z": "y", "a": "x"})

    assert as_graph(as_graph(pairs), labels=labels) == expected
    assert as_graph(nx.Graph(pairs), labels=labels) == expected
    assert as_graph(pairs, nodes=["b", "z", "a"], labels=labels) == expected
    assert as_graph([(2, 1), (1, 0)], labels=["zero", "one", "two"]).labels.values() == ["zero", "one", "two"]


def test_labels_in_row_order_are_refused_for_one_table_of_several():
    tables = [pd.DataFrame({"source": ["b"], "target": ["a"]}), pd.DataFrame({"source": [1], "target": [0]})]

    with pytest.raises(InputError, match=r"such as 'b', 'a' \(graph 0\)\. Give a mapping"):
        encode(tables, 1, labels=[["x", "y"], ["x", "y"]])
    encoding = encode(tables, 1, labels=[{"a": "x", "b": "y"}, ["x", "y"]])
    assert encoding.matrix.toarray()[0].tolist() == encoding.matrix.toarray()[3].tolist()


def test_a_union_has_the_columns_of_its_graphs():
    one = as_graph([("a", "b")], labels={"a": "C", "b": "O"}, edge_labels=["x"])
    two = as_graph([("a", "b"), ("a", "b")], labels={"a": "N", "b": "C"}, edge_labels=["y", "x"])
    union, _ = disjoint_union([one, two])

    assert union.labels.values() == ["C", "O", "N", "C"]
    assert union.edge_columns["edge_labels"].values() == ["x", "y", "x"]
    assert encode([one, two], 0).feature_names[0] == "r0_d0_deg1_labelC"


def test_graphs_of_which_some_have_no_labels_raise():
    plain, labeled = as_graph(EDGES), as_graph(EDGES, labels=LABELS)
    message = (
        r"all have labels or none, but graph 1 \(counted from 0\) has none\. Read all of them with labels=\.$"
    )

    with pytest.raises(InputError, match=message):
        encode([labeled, plain], 1)


def test_a_graph_without_nodes_needs_no_labels():
    empty = egonet.Graph.from_edges([], num_nodes=0)

    assert len(encode([as_graph(EDGES, labels=LABELS), empty], 0)) == 4


def test_a_graph_with_labels_does_not_fit_a_vocabulary_without():
    known = encode(EDGES, 1).vocabulary

    with pytest.raises(InputError, match="learned without labels"):
        encode(as_graph(EDGES, labels=LABELS), vocabulary=known)


def test_a_number_that_was_text_when_columns_were_learned_raises():
    known = encode(EDGES, 1, labels=dict(zip("abcd", "1211", strict=True))).vocabulary

    with pytest.raises(InputError, match=r"label 1 is int here, but the vocabulary has '1'\."):
        encode(EDGES, vocabulary=known, labels={"a": 1, "b": 2, "c": 1, "d": 1})


def test_columns_of_the_wrong_length_raise():
    graph = as_graph(EDGES)

    with pytest.raises(InputError, match="labels must have one value per node: 4, got 1"):
        egonet.Graph(
            graph.indptr,
            graph.indices,
            graph.nodes,
            node_columns={"labels": Categories(np.zeros(1, np.int32), ("x",))},
        )


def test_names_of_joined_labels_are_sorted():
    parts = [Categories(np.array([0, 1], dtype=np.int32), names) for names in (("b", "c"), (3, "a"))]

    assert concatenate_columns(parts).names == (3, "a", "b", "c")
    assert concatenate_columns(parts).values() == ["b", "c", 3, "a"]


def test_colors_start_from_the_labels_of_the_graph():
    path = [("a", "b"), ("b", "c")]

    assert egonet.wl_colors(as_graph(path, labels={"a": "C", "b": "O", "c": "N"})).tolist() == [0, 1, 2]
    assert egonet.wl_colors(path).tolist() == [0, 1, 0]


def test_a_label_that_is_a_number_in_one_graph_and_text_in_another_is_an_error():
    number, text, both = (
        Categories(np.zeros(len(names), dtype=np.int32), names) for names in ((7,), ("7",), (7, "7"))
    )

    with pytest.raises(
        InputError, match=r"the label 7 of one graph is '7' in another\. Give both with one type\."
    ):
        concatenate_columns([number, text])
    assert concatenate_columns([number, both]).names == (7, "7")
