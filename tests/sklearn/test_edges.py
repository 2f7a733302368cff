"""`EdgeEncoder` keeps the contract of the encoders for scikit-learn, with a graph and without."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import egonet
from contracts import estimator
from contracts.estimator import Subject
from egonet.errors import InputError

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
#: Two cliques of five joined by a path: edges of a clique are in triangles, those of the path are in no cycle.
CLIQUES = [(u, v) for first in (0, 10) for u in range(first, first + 5) for v in range(first, u)]
PATH = [(4, 20), (20, 21), (21, 22), (22, 23), (23, 24), (24, 10)]
EDGES = [*CLIQUES, *PATH]
TRIANGLE = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]


@pytest.fixture
def subject():
    train = np.array([edge for both in zip(CLIQUES[:6], PATH, strict=True) for edge in both])
    y = np.tile([1, 0], 6)
    test = np.array([(0, 20), (4, 22), (1, 14)])
    return Subject(lambda **options: egonet.EdgeEncoder(EDGES, **options), train, test, y)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_contract(check, subject):
    check(subject)


def test_without_a_graph_the_input_is_the_graph():
    encoder = egonet.EdgeEncoder(radius=1, ends_distance=5, sparse_output=False)
    rows = encoder.fit_transform(TRIANGLE)
    expected = egonet.encode_edges(TRIANGLE, 1, ends_distance=5)

    assert np.array_equal(rows, np.asarray(expected))
    assert encoder.get_feature_names_out().tolist() == expected.feature_names
    table = pd.DataFrame(TRIANGLE, columns=["source", "target"])
    assert np.array_equal(encoder.transform(table), rows)
    assert encoder.transform([("x", "x"), ("x", "y")])[0].sum() == 0  # a loop


def test_with_a_graph_rows_are_those_of_its_edges_and_repeats_are_allowed():
    rows = egonet.EdgeEncoder(EDGES, radius=1).fit_transform([(0, 1), (0, 1), (20, 21)])

    assert rows.shape[0] == 3
    assert rows[0].tolist() == rows[1].tolist() != rows[2].tolist()


def test_grid_search_splits_edges(subject):
    pipeline = make_pipeline(subject.make(), LogisticRegression())
    grid = {"edgeencoder__radius": [0, 1], "edgeencoder__ends_distance": [None, 4]}

    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(subject.train, subject.y)

    assert search.best_score_ == 1.0


@pytest.mark.parametrize("encoder", [egonet.EdgeEncoder, egonet.PairEncoder])
def test_full_degrees_are_used_after_fit_and_changes_are_noticed(encoder):
    made = encoder(TRIANGLE, radius=1, degrees="full", sparse_output=False).fit([("a", "b"), ("c", "d")])

    rows = made.transform([("a", "b")])

    assert rows.sum() == 3
    assert made.get_feature_names_out()[0] == "r1_d0_d2_closer0_same0_farther0"
    assert clone(made).get_params()["degrees"] == "full"
    with pytest.raises(InputError, match="degrees was changed after fit"):
        made.set_params(degrees="total").transform([("a", "b")])
