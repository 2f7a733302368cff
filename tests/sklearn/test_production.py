"""The encoders in production: unknown ids, another graph at predict time, columns of graphs and of SMILES."""

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from egonet import EventEncoder, Graph, as_graph, named
from egonet.errors import EgonetError, InputError, MissingExtraError, UnknownNodeError, UnseenWarning
from egonet.links import LinkPredictor
from egonet.sklearn import GraphEncoder, NodeEncoder

PATH = named.path("abcd")


def test_unknown_ids_have_the_row_of_an_isolated_node():
    graph = as_graph([(0, 1), (1, 2)], num_nodes=4)

    encoder = NodeEncoder(graph, 1, handle_unknown="zero").fit([0, 1, 3])

    rows = encoder.transform([99, 0, 3, "who"])
    assert rows.tolist() == [[1, 0, 0, 0], [0, 1, 0, 1], [1, 0, 0, 0], [1, 0, 0, 0]]


def test_unknown_ids_are_zeros_if_no_isolated_node_was_fitted():
    encoder = NodeEncoder(PATH, (0, 1), handle_unknown="zero", weighting="paper").fit(["a", "b"])

    assert encoder.transform(["z", "a"]).tolist() == [[0] * 5, encoder.transform(["a"])[0].tolist()]
    assert str(encoder.count_unseen(["z", "a"])).startswith(
        "1 of 2 rows have a node that is not in the graph"
    )
    with pytest.warns(
        UnseenWarning, match=r"^2 of 3 nodes are not in the graph, first 'z' \(position 1, counted"
    ):
        encoder.transform(["a", "z", "y"])
    with pytest.warns(UnseenWarning, match=r"^1 of 2 nodes"):
        encoder.set_params(handle_unknown="warn").transform(["a", "z"])


@pytest.mark.parametrize(
    ("edges", "ids"), [([(0, 1), (1, 2)], ["0", "1"]), ([("0", "1"), ("1", "2")], [0, 1])]
)
def test_ids_of_the_other_type_are_an_error_not_unknown_nodes(edges, ids):
    encoder = NodeEncoder(edges, 1, handle_unknown="zero").fit(list(as_graph(edges).node_ids[:2]))

    with pytest.raises(InputError, match=r"the graph has no node .*, but it has .*Give ids the type"):
        encoder.transform(ids)
    with pytest.raises(InputError, match=r"the graph has no node .*, but it has"):
        encoder.count_unseen(ids)


def test_unknown_ids_while_fitting_follow_the_rule():
    encoder = NodeEncoder(PATH, 1, handle_unknown="zero")

    assert encoder.fit_transform(["z", "a"]).tolist() == [[0, 0], [1, 1]]
    with pytest.raises(InputError, match=r"got 2 ids that it does not have, such as 'y'\."):
        encoder.fit(["y", "z"])


@pytest.mark.parametrize("policy", ["clip", "ignore", "error"])
def test_unknown_ids_are_an_error_with_the_way_out(policy):
    encoder = NodeEncoder(named.path(["ann", "bob", "cid"]), 1, unseen=policy).fit(["ann", "bob"])

    with pytest.raises(
        UnknownNodeError, match=r"1 of 2 nodes are not in the graph, first 'bop' \(position 1, .*\"zero\""
    ):
        encoder.transform(["ann", "bop"])


def test_labeled_unknown_ids_are_zeros():
    encoder = NodeEncoder(PATH, 0, labels=dict(zip("abcd", "XXYY", strict=True)), handle_unknown="zero")

    assert encoder.fit(["a", "b", "c"]).transform(["z", "a"])[0].tolist() == [0, 0, 0]


def test_encoder_without_a_graph_says_so():
    with pytest.raises(
        EgonetError, match=r"needs the graph that the ids are nodes of\. Write NodeEncoder\(graph\)"
    ):
        NodeEncoder().fit(["a"])


@pytest.mark.parametrize(
    "other",
    [
        named.path("xyz"),
        nx.path_graph(["x", "y", "z"]),
        [("x", "y"), ("y", "z")],
        pd.DataFrame({"source": ["x", "y"], "target": ["y", "z"]}),
        pl.DataFrame({"source": ["x", "y"], "target": ["y", "z"]}),
    ],
    ids=["Graph", "networkx", "pairs", "pandas", "polars"],
)
def test_nodes_of_another_graph_at_predict_time(other):
    encoder = NodeEncoder(PATH, 1).fit(["a", "b"])

    for rows in (encoder.transform((other, ["y", "x"])), encoder.with_graph(other).transform(["y", "x"])):
        assert rows.tolist() == [[0, 1, 2], [1, 0, 1]]
    assert encoder.graph is PATH


def test_another_graph_of_numbers_only():
    encoder = NodeEncoder(named.path(range(4)), 1).fit([0, 1])
    triangle = np.array([[0, 1, 2], [1, 2, 0]])
    matrix = csr_array(([1, 1], ([0, 1], [1, 0])), shape=(2, 2))

    with pytest.warns(UserWarning, match="directed"):
        assert encoder.transform((triangle, [0])).tolist() == [[0, 1, 2]]
    assert encoder.transform((matrix, pd.Series([1]))).tolist() == [[1, 0, 1]]


def test_two_ids_in_a_tuple_are_two_ids():
    assert NodeEncoder(PATH, 0).fit_transform(("a", "b")).tolist() == [[1, 0], [0, 1]]
    pairs = Graph.from_edges([((0, 0), (0, 1)), ((0, 1), (1, 1))])
    assert NodeEncoder(pairs, 0).fit_transform(((0, 0), (0, 1))).tolist() == [[1, 0], [0, 1]]


def test_another_graph_in_a_pipeline():
    today, tomorrow = named.star(4), named.star(6)
    model = make_pipeline(NodeEncoder(today, 1), LogisticRegression()).fit(range(5), ["hub", *["leaf"] * 4])

    assert model.predict((tomorrow, [0, 5])).tolist() == ["hub", "leaf"]
    assert model.set_params(nodeencoder=model[0].with_graph(tomorrow)).predict([6]).tolist() == ["leaf"]


def test_a_graph_may_come_with_the_ids_alone():
    model = make_pipeline(NodeEncoder(radius=1), LogisticRegression())
    model.fit((named.star(4), range(5)), ["hub", *["leaf"] * 4])

    assert model.predict((named.star(6), [0, 5])).tolist() == ["hub", "leaf"]
    with pytest.raises(InputError, match="needs the graph that the ids are nodes of"):
        model.predict([0, 5])


def test_labels_by_id_follow_to_another_graph_and_labels_in_row_order_do_not():
    colors = {"a": "red", "b": "blue", "c": "red", "d": "blue"}
    by_id = NodeEncoder(PATH, 0, labels=colors).fit(list("abcd"))
    in_order = NodeEncoder(PATH, 0, labels=list(colors.values())).fit(list("abcd"))
    other = named.path("dcba")

    assert by_id.transform((other, ["a"])).tolist() == by_id.transform(["a"]).tolist()
    with pytest.raises(InputError, match="labels in row order belong to the graph of the encoder"):
        in_order.transform((other, ["a"]))
    with pytest.raises(InputError, match="labels in row order"):
        in_order.with_graph(other)
    moved = in_order.with_graph(other, ["blue", "red", "blue", "red"])
    assert moved.transform(["a"]).tolist() == in_order.transform(["a"]).tolist()


def test_edges_are_a_frame_next_to_a_frame_of_nodes():
    """Payments make the graph; accounts with features of their own are classified."""
    payments = pd.DataFrame({"payer": [0, 0, 0, 0, 5, 6, 7], "payee": [1, 2, 3, 4, 6, 7, 8], "amount": 1.0})
    accounts = pd.DataFrame({"account": range(9), "age": np.linspace(1, 2, 9)})
    columns = make_column_transformer(
        (NodeEncoder(payments, 1, source="payer", target="payee", handle_unknown="zero"), "account"),
        ("passthrough", ["age"]),
    )
    model = make_pipeline(columns, HistGradientBoostingClassifier(min_samples_leaf=1))
    model.fit(accounts, [1, 0, 0, 0, 0, 0, 0, 0, 0])

    assert model.predict(pd.DataFrame({"account": [0, 77], "age": [1.0, 1.5]})).tolist() == [1, 0]


def test_columns_of_graphs_stand_next_to_other_columns():
    graphs = [named.path(range(n)) for n in (3, 4, 5)] + [named.cycle(n) for n in (3, 4, 5)]
    table = pd.DataFrame({"graph": pd.Series(graphs, dtype=object), "size": [3.0, 4, 5, 3, 4, 5]})
    model = make_pipeline(
        make_column_transformer((GraphEncoder(1), "graph"), ("passthrough", ["size"])),
        HistGradientBoostingClassifier(min_samples_leaf=1),
    )

    model.fit(table, ["path"] * 3 + ["cycle"] * 3)

    assert model.predict(table).tolist() == ["path"] * 3 + ["cycle"] * 3


@pytest.mark.parametrize(
    "column",
    [
        ["CCO", "c1ccccc1", "O"],
        pd.Series(["CCO", "c1ccccc1", "O"], index=[5, 6, 7]),
        pd.DataFrame({"smiles": ["CCO", "c1ccccc1", "O"]}),
        np.array(["CCO", "c1ccccc1", "O"]),
        pl.Series(["CCO", "c1ccccc1", "O"]),
    ],
    ids=["list", "series", "frame", "array", "polars"],
)
def test_smiles_are_molecules(need, column):
    need("rdkit")

    encoder = GraphEncoder(0, labeled=True)

    assert encoder.fit_transform(column).tolist() == [[0, 1, 1, 1], [0, 0, 0, 6], [1, 0, 0, 0]]
    assert encoder.get_feature_names_out()[0] == "r0_d0_deg0_labelO"


def test_molecules_of_rdkit_have_labels(need):
    chem = need("rdkit.Chem", "rdkit")

    rows = GraphEncoder(0, labeled=True).fit_transform(
        pd.Series([chem.MolFromSmiles("CO"), chem.MolFromSmiles("C")])
    )

    assert rows.tolist() == [[0, 1, 1], [1, 0, 0]]


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, np.float64("nan")], ids=repr)
@pytest.mark.parametrize("labeled", [False, True])
def test_missing_entries_by_rule(need, missing, labeled):
    need("rdkit")
    column = pd.Series(["CCO", missing, "O"], dtype=object)

    with pytest.raises(
        InputError,
        match=r'^graph 1 \(counted from 0\) must be a graph, got .*handle_unknown="zero" for a row of zeros',
    ):
        GraphEncoder(1, labeled=labeled).fit(column)

    rows = GraphEncoder(1, labeled=labeled, handle_unknown="zero").fit_transform(column)
    assert rows.any(axis=1).tolist() == [True, False, True]


def test_smiles_that_cannot_be_read_are_named(need, capfd):
    need("rdkit")

    with pytest.raises(
        InputError, match=r"^molecule 1 \(counted from 0\) must be SMILES that RDKit can read, got 'C\(C'\."
    ):
        GraphEncoder().fit(["CCO", "C(C"])

    assert capfd.readouterr().err == ""
    assert not GraphEncoder(handle_unknown="zero").fit_transform(["CCO", "C(C"])[1].any()


def test_smiles_without_rdkit_name_the_package(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "rdkit", None)

    with pytest.raises(
        MissingExtraError, match=r"reading SMILES \('CCO'\) needs an extra package: pip install rdkit"
    ):
        GraphEncoder().fit(["CCO"])


@pytest.mark.parametrize("ids", [[0.0], np.array([0.0, 1.0]), pd.Series([0, 9.0])])
def test_ids_that_became_floats_are_not_taken_for_unknown_ones(ids):
    encoder = NodeEncoder([(0, 1), (1, 2)], 1, handle_unknown="zero").fit([0, 1])

    assert encoder.transform(ids)[0].tolist() == encoder.transform([0])[0].tolist()


@pytest.mark.parametrize("policy", ["error", "zero", "warn"])
@pytest.mark.parametrize(
    "ids",
    [
        pd.Series([1, None], dtype="Int64"),
        pd.array([1, None], dtype="Int64"),
        pl.Series([1, None]),
        np.array([1.0, np.nan]),
        [1, ""],
    ],
    ids=["Series", "array", "polars", "floats", "text"],
)
def test_a_missing_id_is_no_unknown_node(policy, ids):
    encoder = NodeEncoder([(0, 1), (1, 2)], 1, handle_unknown=policy).fit([0, 1])

    for take in (encoder.transform, encoder.fit, encoder.fit_transform, encoder.count_unseen):
        with pytest.raises(InputError, match=r"at position 1 .*; 1 of 2 rows have a missing id\. Fill it in"):
            take(ids)


@pytest.mark.parametrize("option", [{"edge_labels": ["x", "y"]}, {"weights": [1, 2], "weight_bins": "log"}])
def test_edge_types_in_edge_order_are_not_used_for_another_graph(option):
    encoder = NodeEncoder([("a", "b"), ("b", "c")], 1, **option).fit(["a", "b"])
    other = [("p", "q"), ("q", "r")]

    with pytest.raises(InputError, match="in the order of the edges belong to the graph of the encoder"):
        encoder.with_graph(other)
    with pytest.raises(InputError, match="in the order of the edges belong to the graph of the encoder"):
        encoder.transform((other, ["p"]))


def test_text_that_utf_8_cannot_encode_is_no_smiles():
    with pytest.raises(InputError, match=r"molecule 0 .* must be SMILES that RDKit can read"):
        GraphEncoder(1).fit(pd.Series(["C\ud800"], dtype=object))


def test_another_graph_need_not_be_a_table():
    """source= and target= name the columns of the table fitted on; pairs have none."""
    table = pd.DataFrame({"payer €": ["a", "b"], "payee": ["b", "c"]})
    encoder = NodeEncoder(table, radius=1, source="payer €", target="payee").fit(["a", "b"])
    renamed = pd.DataFrame({"payer €": ["x", "y"], "payee": ["y", "z"]})

    expected = encoder.transform(["a", "b"]).tolist()

    for other in ([("x", "y"), ("y", "z")], Graph.from_edges([("x", "y"), ("y", "z")]), renamed):
        assert encoder.transform((other, ["x", "y"])).tolist() == expected
        assert encoder.with_graph(other).transform(["x", "y"]).tolist() == expected


@pytest.mark.parametrize("labeled", [False, True])
def test_bonds_of_smiles_are_edge_types_with_missing_entries_in_between(need, labeled):
    need("rdkit")
    column = pd.Series(["CC=O", None, "not a molecule", "O"])
    encoder = GraphEncoder(
        radius=1, edge_labels="bond_type", labeled=labeled, handle_unknown="zero", sparse_output=False
    )

    rows = encoder.fit_transform(column)

    names = encoder.get_feature_names_out().tolist()
    assert rows[0, names.index("r1_d1_double_deg2")] == rows[0, names.index("r1_d1_single_deg2")] == 2
    assert rows[1:3].tolist() == [[0] * len(names)] * 2
    assert (encoder.transform(column) == rows).all()


@pytest.mark.parametrize("options", [{"degrees": "in_out"}, {"directed": "out"}, {"directed": "in"}])
def test_a_missing_entry_has_the_direction_of_the_others(options):
    arcs = nx.DiGraph([(0, 1), (1, 2)])
    encoder = GraphEncoder(radius=1, handle_unknown="zero", **options)

    rows = encoder.fit_transform([None, arcs])

    assert rows[0].tolist() == [0] * rows.shape[1]
    assert rows[1].tolist() == GraphEncoder(radius=1, **options).fit_transform([arcs])[0].tolist()


@pytest.mark.parametrize(
    "call",
    [
        lambda: EventEncoder(missing="drop", windows=(None,)).fit_transform([("a", "b", 1), ("a", None, 2)]),
        lambda: make_pipeline(NodeEncoder(PATH, 1, handle_unknown="warn")).fit_transform(["a", "z"]),
        lambda: make_pipeline(GraphEncoder(1, handle_unknown="warn", labeled=True)).fit_transform(
            ["CCO", None]
        ),
        lambda: make_pipeline(GraphEncoder(0, aggregate="bag", num_hashed=5000)).fit_transform([PATH]),
        lambda: LinkPredictor(model="zero-shot").fit(PATH).predict([("a", "b")]),
    ],
)
def test_a_warning_names_the_line_that_called_the_estimator(need, call):
    need("rdkit")
    with pytest.warns(UserWarning, match=".") as caught:
        call()

    assert {each.filename for each in caught} == {__file__}
