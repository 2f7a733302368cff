"""The scikit-learn encoders: the common contract, and what each of them adds."""

import inspect
import re
from dataclasses import fields

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from contracts.estimator import CHECKS, Subject, dense
from egonet import EgoEmbedding, Graph, Settings, as_graph, encode, named
from egonet.encoding.settings import SettingsOptions
from egonet.errors import InputError, UnknownNodeError, UnseenWarning
from egonet.kernel import native
from egonet.sklearn import GraphEncoder, NodeEncoder

SIZES = (8, 3, 6, 7, 4, 5)  # mixed, so that halves are alike
PATHS_AND_CYCLES = [named.path(range(n)) for n in SIZES] + [named.cycle(n) for n in SIZES]
#: A star whose leaves are paired off by edges (even ones), and paths hanging from its center.
WINDMILL = Graph.from_edges(
    [(0, leaf) for leaf in range(1, 9)] + [(1, 2), (3, 4), (5, 6)] + [(9 + i, 10 + i) for i in range(8)]
)

GRAPHS = Subject(
    make=GraphEncoder,
    train=PATHS_AND_CYCLES,
    test=[named.star(5), named.complete(5)],
    y=np.repeat(["path", "cycle"], 6),
)
NODES = Subject(
    make=lambda **options: NodeEncoder(WINDMILL, **options),
    train=[1, 2, 3, 4, 10, 11, 12, 13],
    test=[0, 9],
    y=np.repeat(["blade", "chain"], 4),
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("subject", [GRAPHS, NODES], ids=["GraphEncoder", "NodeEncoder"])
def test_contract(subject, check):
    check(subject)


@pytest.mark.parametrize(
    ("aggregate", "row"),
    [
        # A path of three at radius 1: ends {(0,1):1, (1,1):1} twice, middle {(0,2):1, (1,1):2}.
        ("sum", [2, 1, 4]),
        ("mean", [2 / 3, 1 / 3, 4 / 3]),
        ("max", [1, 1, 2]),
        ("classes", [2, 1]),
    ],
)
def test_rows_of_a_path_of_three_aggregated(aggregate, row):
    rows = GraphEncoder(1, aggregate=aggregate, sparse_output=False).fit_transform([named.path("abc")])

    np.testing.assert_allclose(rows, [row])


def test_a_graph_without_nodes_is_a_row_of_zeros():
    nothing = Graph.from_edges([], num_nodes=0)

    for aggregate in ("sum", "mean", "max", "classes"):
        encoder = GraphEncoder(1, aggregate=aggregate).fit([named.path("abc")])
        assert dense(encoder.transform([nothing, named.path("abc")])).sum(axis=1).astype(bool).tolist() == [
            False,
            True,
        ]


def test_unseen_classes_are_left_out_or_raise():
    """Around the center of star(4) is {(0,4):1, (1,1):4}; (0,4) was never seen, clipped it is (0,2)."""
    train, test = [named.path("abc")], [named.star(4)]

    clip = GraphEncoder(1, aggregate="classes", unseen="clip", sparse_output=False).fit(train)
    assert clip.transform(test).tolist() == [[4, 0]]
    assert clip.get_feature_names_out().tolist() == ["class0", "class1"]

    ignore = GraphEncoder(1, aggregate="classes", unseen="ignore", sparse_output=False).fit(train)
    assert ignore.transform(test).tolist() == [[4, 0]]


def test_classes_made_of_known_keys_can_be_unknown():
    """A triangle with two tails at one corner: that corner is {(0,4):1, (1,1):2, (1,2):2}, the rest is known."""
    error = GraphEncoder(1, aggregate="classes", unseen="error")
    error.fit([named.path("abc"), named.star(4), named.cycle(3)])

    with pytest.raises(
        InputError, match=r"1 of 5 nodes have encodings that fit\(\) never saw, first at node 'c'\."
    ):
        error.transform([Graph.from_edges([tuple(edge) for edge in ("ab", "bc", "ca", "cd", "ce")])])


def test_ignored_keys_do_not_make_a_row_look_like_a_known_class():
    """A square is {(0,2):1, (1,2):2, (2,2):1} at radius 2: less its last key, it would pass for a triangle."""
    ignore = GraphEncoder(2, aggregate="classes", unseen="ignore", sparse_output=False)

    assert ignore.fit([named.cycle(3)]).transform([named.cycle(4), named.cycle(3)]).tolist() == [[0], [3]]


def test_labels_come_as_pairs_with_the_graph():
    molecules = [(named.path("ab"), ["C", "O"]), (named.path("xyz"), {"x": "C", "y": "N", "z": "C"})]

    encoder = GraphEncoder(0, labeled=True, sparse_output=False)
    rows = encoder.fit_transform(molecules)

    assert encoder.get_feature_names_out().tolist() == [
        "r0_d0_deg1_labelC",
        "r0_d0_deg1_labelO",
        "r0_d0_deg2_labelN",
    ]
    assert rows.tolist() == [[1, 1, 0], [2, 0, 1]]
    with pytest.raises(
        InputError, match=r"labeled=True takes a list of pairs \(graph, labels of its nodes\), got"
    ):
        encoder.fit([named.path("ab"), named.path("abc")])


@pytest.mark.parametrize(
    "graph",
    [
        named.path("abc"),
        nx.path_graph(3),
        csr_array(np.array([[0, 1], [1, 0]])),
        np.array([[0, 1, 2], [1, 2, 0]]),
        [("a", "b"), ("b", "c")],
        pd.DataFrame({"source": [0], "target": [1]}),
    ],
    ids=["Graph", "networkx", "scipy", "edge_index", "edge list", "frame"],
)
def test_a_single_graph_gets_the_sentence_that_says_so(graph):
    with pytest.raises(
        InputError, match=r"GraphEncoder takes a list of graphs, got one graph \(\w+\)\. Write \[graph\]"
    ):
        GraphEncoder().fit(graph)


@pytest.mark.parametrize("graphs", [None, "abc", 5, {"a": named.path("abc")}, {1}])
def test_input_that_is_neither_a_graph_nor_a_list_raises(graphs):
    with pytest.raises(
        InputError, match=rf"^GraphEncoder takes a list of graphs, got {re.escape(repr(graphs))}\.$"
    ):
        GraphEncoder().fit(graphs)


def test_item_that_is_no_graph_is_named_with_its_position():
    with pytest.raises(InputError, match=r"^graph 0 \(counted from 0\) must be a graph, got 5\.$"):
        GraphEncoder().fit([5, 5])


def test_no_graphs_raise():
    with pytest.raises(InputError, match="at least one graph to learn columns from, got none"):
        GraphEncoder().fit([])


def test_graphs_of_any_kind_and_arrays_of_them():
    kinds = [nx.path_graph(3), csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])), named.path("abc")]
    boxed = np.empty(3, dtype=object)
    boxed[:] = kinds

    for graphs in (kinds, tuple(kinds), boxed):
        assert dense(GraphEncoder(1).fit_transform(graphs)).tolist() == [[2, 1, 4]] * 3


def test_weighting_classes_has_no_meaning():
    with pytest.raises(InputError, match=r'aggregate="classes" counts nodes'):
        GraphEncoder(aggregate="classes", weighting="log").fit([named.path("abc")])


def test_rows_of_nodes_are_those_of_encode():
    club = named.karate_club()
    ids = [33, 0, 16, 0]

    rows = NodeEncoder(club, 2, weighting="log").fit_transform(ids)

    np.testing.assert_array_equal(dense(rows), encode(club, 2, roots=ids).to_dense("log"))


def test_columns_are_learned_from_the_nodes_fitted_on():
    star = named.star(4)

    encoder = NodeEncoder(star, 1).fit([1, 2])

    assert encoder.get_feature_names_out().tolist() == ["r1_d0_deg1", "r1_d1_deg1"]
    assert dense(encoder.transform([0])).tolist() == [[1, 4]]


@pytest.mark.parametrize(
    "ids",
    [
        ["b", "a"],
        ("b", "a"),
        np.array(["b", "a"]),
        np.array([["b"], ["a"]], dtype=object),
        [["b"], ["a"]],
        pd.Series(["b", "a"], index=[7, 8]),
        pd.DataFrame({"id": ["b", "a"]}),
    ],
    ids=["list", "tuple", "array", "column", "rows", "series", "frame"],
)
def test_ids_may_come_in_any_kind_of_column(ids):
    assert dense(NodeEncoder(named.path("abc"), 0).fit_transform(ids)).tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ("ab", r"NodeEncoder takes a column of node ids, got 'ab'\."),
        (np.zeros((2, 2)), r"one column of node ids, got an array of shape \(2, 2\)\."),
        (pd.DataFrame({"a": [1], "b": [2]}), r"one column of node ids, got a frame with 2 columns\."),
        ([], r"at least one node to learn columns from, got none\."),
    ],
)
def test_input_that_is_no_column_of_ids_raises(ids, message):
    with pytest.raises(InputError, match=message):
        NodeEncoder(named.path("abc")).fit(ids)


def test_an_unknown_node_is_named():
    with pytest.raises(UnknownNodeError, match=r"1 of 2 nodes are not in the graph, first 'd' \(position 1"):
        NodeEncoder(named.path("abc")).fit(["a", "d"])


def test_the_graph_is_never_copied():
    graph = nx.karate_club_graph()
    encoder = NodeEncoder(graph, labels={node: node % 2 for node in graph})
    pipeline = make_pipeline(encoder, LogisticRegression())

    assert clone(encoder).graph is graph
    assert clone(clone(pipeline))[0].graph is graph
    assert clone(encoder).labels is encoder.labels


def test_cross_validation_splits_nodes_with_other_columns():
    """In a ColumnTransformer the ids are one column of a frame among others."""
    frame = pd.DataFrame({"account": [1, 2, 3, 4, 10, 11, 12, 13], "amount": np.arange(8.0)})
    columns = make_column_transformer((NodeEncoder(WINDMILL, 1), "account"), ("passthrough", ["amount"]))
    pipeline = make_pipeline(columns, LogisticRegression(max_iter=1000))

    assert cross_val_score(pipeline, frame, NODES.y, cv=2, error_score="raise").tolist() == [1.0, 1.0]


def test_rows_of_a_frame_keep_their_index():
    ids = pd.DataFrame({"id": ["c", "a"]}, index=[20, 10])

    frame = (
        NodeEncoder(named.path("abc"), 0, sparse_output=False)
        .set_output(transform="pandas")
        .fit_transform(ids)
    )

    assert frame.index.tolist() == [20, 10]


def test_many_graphs_are_one_call_of_the_kernel(monkeypatch):
    calls = []
    kernel = native.encode_rows
    monkeypatch.setattr(
        native, "encode_rows", lambda *args, **options: calls.append(1) or kernel(*args, **options)
    )

    GraphEncoder(2).fit_transform(PATHS_AND_CYCLES)

    assert len(calls) == 1


def test_class_histograms_tell_apart_what_sums_do_not():
    """Degree 3 twice at a corner of the triangle, or once there and once with three leaves: equal in the sum."""
    first = Graph.from_edges([(0, 2), (1, 2), (1, 3), (1, 4), (2, 4), (3, 5)])
    second = Graph.from_edges([(0, 1), (0, 2), (0, 3), (3, 4), (3, 5), (4, 5)])

    sums = dense(GraphEncoder(1, aggregate="sum").fit_transform([first, second]))
    classes = dense(GraphEncoder(1, aggregate="classes").fit_transform([first, second]))

    assert sums[0].tolist() == sums[1].tolist()
    assert classes[0].tolist() != classes[1].tolist()


def test_node_encoder_takes_source_and_target():
    table = pd.DataFrame({"payer": ["a", "b"], "payee": ["b", "c"], "amount": [1.0, 2.0]})

    encoder = NodeEncoder(table, 1, source="payer", target="payee", sparse_output=False)

    assert encoder.fit_transform(["b"]).tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize("encoder", [GraphEncoder, NodeEncoder, EgoEmbedding])
def test_every_setting_is_a_parameter_with_its_default(encoder):
    parameters = inspect.signature(encoder).parameters
    settings = {each.name: each.default for each in fields(Settings)}
    settings = {name: settings[name] for name in SettingsOptions.__annotations__ if name != "radius"}

    assert len(settings) == 12
    assert {name: parameters[name].default for name in settings} == settings
    assert "options" not in parameters


def test_an_unknown_parameter_is_an_error_at_once_and_a_wrong_value_in_fit():
    with pytest.raises(TypeError, match=r"there is no option 'degres'\. Did you mean 'degrees'\?"):
        GraphEncoder(degres="full")
    encoder = GraphEncoder(degrees="ful")

    with pytest.raises(InputError, match="degrees must be one of"):
        encoder.fit([named.path("abc")])


EDGES = [(0, 1), (1, 2)]


@pytest.mark.parametrize(
    ("learned", "later", "problem"),
    [
        ({"labels": [1, 2, 3]}, {}, "learned with node labels"),
        ({}, {"labels": [1, 2, 3]}, "learned without labels"),
        ({"labels": [1, 2, 3]}, {"labels": ["1", "2", "3"]}, "label '1' is str here"),
        ({"edge_labels": [1, 2]}, {"edge_labels": ["1", "2"]}, "edge label '1' is str here"),
        ({"edge_labels": [1, 2]}, {}, "learned with edge labels"),
        ({}, {"directed": "out"}, "learned on a graph read with directed=None"),
    ],
)
@pytest.mark.parametrize("aggregate", ["sum", "classes", "bag"])
def test_graphs_of_another_kind_than_those_of_fit_are_an_error(learned, later, problem, aggregate):
    encoder = GraphEncoder(1, aggregate=aggregate).fit([as_graph(EDGES, **learned)])

    with pytest.raises(InputError, match=problem):
        encoder.transform([as_graph(EDGES, **later)])


def test_bags_warn_if_most_encodings_were_not_seen():
    """Leaves of a star are as the ends of a path; its center and all nodes of K4 were not seen, at either radius."""
    path, graphs = as_graph(EDGES), [named.star(3), named.complete(4)]
    bag = GraphEncoder((0, 1), aggregate="bag").fit([path])

    with pytest.warns(UnseenWarning, match=r"5 of 8 nodes have encodings that fit\(\) never saw"):
        rows = bag.transform(graphs)

    assert rows.tolist() == [[3, 0, 3, 0], [0, 0, 0, 0]]
    silent = GraphEncoder((0, 1), aggregate="bag", unseen="ignore").fit([path])
    assert silent.transform(graphs).tolist() == rows.tolist()
    with pytest.raises(InputError, match=r'5 of 8 nodes .* Fit on more graphs, or set unseen="ignore"'):
        GraphEncoder((0, 1), aggregate="bag", unseen="error").fit([path]).transform(graphs)


def test_labeled_graphs_need_no_pairs():
    graph = as_graph(EDGES, labels=["a", "b", "a"])

    assert GraphEncoder(0).fit_transform([graph]).tolist() == [[2, 1]]
    with pytest.raises(
        InputError, match=r"labeled=True takes a list of pairs .* Leave labeled out: the graph has"
    ):
        GraphEncoder(0, labeled=True).fit([graph])
