"""`PairEncoder` keeps the contract of the encoders for scikit-learn."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import egonet
from contracts import estimator
from contracts.estimator import Subject
from egonet.errors import InputError, UnknownNodeError

#: Checks that need settings which pairs do not have, or one column of ids.
NODES_ONLY = {
    "check_column_transformer_takes_the_column",
    "check_columns_may_come_as_series_frames_and_arrays",
    "check_set_params_is_what_the_constructor_does",
    "check_settings_are_kept_as_given",
    "check_fit_and_transform_are_fit_transform",
    "check_grid_search_over_radius_and_degrees",
}
CHECKS = [check for check in estimator.CHECKS if check.__name__ not in NODES_ONLY]

#: Two cliques of five joined by a path: pairs inside a clique share neighbors, pairs across do not.
CLIQUES = [(u, v) for first in (0, 10) for u in range(first, first + 5) for v in range(first, u)]
GRAPH = egonet.as_graph([*CLIQUES, (4, 20), (20, 21), (21, 10)])
INSIDE = [(0, 1), (1, 2), (2, 3), (10, 11), (11, 12), (12, 13)]
ACROSS = [(0, 11), (1, 12), (2, 13), (3, 11), (0, 12), (1, 13)]


@pytest.fixture
def subject():
    train = np.array([*INSIDE, *ACROSS])
    order = np.arange(12).reshape(2, 6).T.reshape(-1)
    y = np.repeat([1, 0], 6)[order]
    test = np.array([(4, 20), (20, 21), (0, 21)])
    return Subject(lambda **options: egonet.PairEncoder(GRAPH, **options), train[order], test, y)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_contract(check, subject):
    check(subject)


def test_settings_are_kept_as_given_and_checked_by_fit():
    encoder = egonet.PairEncoder(GRAPH, radius=(1, 2), degree_bins="nonsense")

    assert encoder.get_params()["degree_bins"] == "nonsense"
    with pytest.raises(InputError, match="degree_bins must be one of 'log', 'quantile', got 'nonsense'"):
        encoder.fit(INSIDE)


def test_columns_are_learned_from_the_training_pairs_alone():
    encoder = egonet.PairEncoder(GRAPH, degree_bins="log", sparse_output=False).fit(INSIDE)

    assert encoder.transform(ACROSS).shape == (6, len(encoder.get_feature_names_out()))
    assert encoder.count_unseen(ACROSS).num_rows == 6


def test_grid_search_splits_pairs(subject):
    pipeline = make_pipeline(subject.make(weighting="log"), LogisticRegression())
    grid = {"pairencoder__radius": [0, 1, (1, 2)], "pairencoder__degree_bins": [None, "log"]}

    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(subject.train, subject.y)

    assert search.best_score_ == 1.0


def test_a_table_of_two_columns_is_pairs(subject):
    table = pd.DataFrame(subject.train, columns=["u", "v"])

    expected = subject.make(sparse_output=False).fit_transform(subject.train)
    assert subject.make(sparse_output=False).fit_transform(table).tolist() == expected.tolist()


def test_two_columns_of_a_column_transformer_are_pairs(subject):
    table = pd.DataFrame(subject.train, columns=["u", "v"]).assign(amount=1.0)
    both = make_column_transformer(
        (subject.make(sparse_output=False), ["u", "v"]), ("passthrough", ["amount"])
    )

    expected = subject.make(sparse_output=False).fit_transform(subject.train)
    assert both.fit_transform(table)[:, :-1].tolist() == expected.tolist()


def test_no_pairs_are_an_error(subject):
    with pytest.raises(InputError, match="PairEncoder needs at least one pair"):
        subject.make().fit([])


@pytest.mark.parametrize("n_jobs", [0, "x", 2.5, True])
def test_a_number_of_jobs_that_is_none_is_an_error(n_jobs):
    with pytest.raises(InputError, match="n_jobs must be None or a whole number other than 0, got"):
        egonet.PairEncoder(GRAPH, n_jobs=n_jobs).fit(INSIDE)


def test_labels_and_edge_types_are_columns():
    table = {"source": ["a", "b"], "target": ["b", "c"], "kind": ["x", "y"]}
    encoder = egonet.PairEncoder(
        pd.DataFrame(table),
        source="source",
        target="target",
        labels={"a": 1, "b": 2, "c": 1},
        edge_labels="kind",
    )

    encoder.fit([("a", "c")])

    assert encoder.get_feature_names_out().tolist() == [
        "r1_d0_d3_deg1_label1",
        "r1_d1_d3_x_deg2",
        "r1_d1_d3_y_deg2",
        "r1_d2_d2_deg2_label2",
    ]
    assert encoder.transform([("c", "a")]).tolist() == [[2, 1, 1, 1]]


def test_new_nodes_are_isolated_and_counted():
    encoder = egonet.PairEncoder([("a", "b"), ("b", "c")], sparse_output=False).fit([("a", "c"), ("a", "b")])
    pairs = [("a", "c"), ("a", "new")]

    # a-new: a has the neighbor b; the column of a new node of degree 0 at distance (0, 2) was seen for a-b.
    assert encoder.get_feature_names_out().tolist() == [
        "r1_d0_d2_deg0",
        "r1_d0_d2_deg1",
        "r1_d1_d1_deg2",
        "r1_d1_d2_deg1",
    ]
    assert encoder.transform(pairs).tolist() == [[0, 2, 1, 0], [1, 1, 0, 1]]
    found = encoder.count_unseen(pairs)
    assert (found.unknown, found.num_all) == (1, 2)
    with pytest.raises(UnknownNodeError, match="got 'new' in pair 1"):
        encoder.set_params(handle_unknown="error").transform(pairs)


def test_a_self_payment_is_an_error_or_a_row_of_zeros():
    pairs = [("a", "c"), ("b", "b")]
    encoder = egonet.PairEncoder([("a", "b"), ("b", "c")], sparse_output=False)

    with pytest.raises(InputError, match=r'got \'b\' twice .* set self_pairs="zero"'):
        encoder.fit(pairs)
    assert encoder.set_params(self_pairs="zero").fit_transform(pairs).tolist() == [[2, 1], [0, 0]]


def test_arcs_are_followed_as_in_encode_pairs():
    arcs = nx.DiGraph([("a", "b"), ("b", "c"), ("d", "a")])

    rows = egonet.PairEncoder(arcs, directed="out", sparse_output=False).fit_transform([("a", "c")])

    expected = egonet.encode_pairs(arcs, [("a", "c")], directed="out").matrix.toarray()
    assert rows.tolist() == expected.tolist()
    assert rows.tolist() != egonet.encode_pairs(arcs, [("a", "c")], directed=False).matrix.toarray().tolist()


def test_two_rows_of_an_array_are_two_pairs():
    encoder = egonet.PairEncoder(GRAPH, sparse_output=False).fit(INSIDE)

    assert (encoder.transform(np.array(ACROSS[:2])) == encoder.transform(ACROSS[:2])).all()


@pytest.mark.parametrize("degrees", ["layered", "full", "in_out"])
def test_other_degrees_are_learned_and_applied(degrees):
    edges = [("a", "b"), ("b", "c"), ("c", "d")]
    encoder = egonet.PairEncoder(edges, 1, degrees=degrees)

    learned = encoder.fit_transform([("a", "c"), ("b", "d")])

    assert encoder.transform([("a", "c"), ("b", "d")]).tolist() == learned.tolist()
    encoder.set_params(degrees="total")
    with pytest.raises(InputError, match="degrees was changed after fit"):
        encoder.transform([("a", "c")])
