"""The transformer for scikit-learn: cloned, pickled, piped and cross-validated."""

import pickle

import numpy as np
import pandas as pd
import pytest

import egonet
from contracts.parts import need
from egonet import Training, Walks

sklearn = need("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402

from egonet.errors import InputError  # noqa: E402
from egonet.sklearn.embedding import EgoEmbedding  # noqa: E402

SMALL = {
    "walks": Walks(length=10, window=2),
    "training": Training(epochs=2),
    "random_state": 1,
}


def make(**settings):
    return EgoEmbedding(egonet.named.karate_club(), **{"radius": 1, "dim": 4, **SMALL, **settings})


def test_transform_returns_the_rows_of_the_given_nodes():
    encoder = make().fit()

    rows = encoder.transform([3, 0])

    whole = encoder.embedding_.transform(egonet.named.karate_club())
    assert np.array_equal(rows, whole[[3, 0]])
    assert np.array_equal(encoder.transform(np.array([[3], [0]])), rows)


def test_clone_shares_the_graph_and_trains_equal_vectors():
    encoder = make().fit()
    twin = clone(encoder)

    assert twin.graph is encoder.graph
    assert not hasattr(twin, "embedding_")
    assert np.array_equal(twin.fit_transform([5]), encoder.transform([5]))


def test_pickles_keep_the_embedding():
    encoder = make().fit()

    again = pickle.loads(pickle.dumps(encoder))

    assert np.array_equal(again.transform([7]), encoder.transform([7]))


def test_a_pipeline_cross_validates():
    club = egonet.named.karate_club()
    ids = np.arange(34)
    hub = club.degrees >= 4

    scores = cross_val_score(make_pipeline(make(dim=8), LogisticRegression()), ids, hub, cv=3)

    assert scores.mean() > 0.75


def test_set_output_gives_a_data_frame():
    encoder = make().set_output(transform="pandas")

    frame = encoder.fit_transform([0, 1])

    assert list(frame.columns) == ["ego0", "ego1", "ego2", "ego3"]


def test_unfitted_use_and_wrong_columns_raise():
    with pytest.raises(NotFittedError, match="not fitted yet"):
        make().transform([0])
    with pytest.raises(InputError, match="takes a column of node ids, got 'a'"):
        make().fit().transform("a")
    with pytest.raises(InputError, match=r"got an array of shape \(2, 2\)"):
        make().fit().transform(np.zeros((2, 2), dtype=int))


def test_edge_types_and_amounts_of_a_table_are_part_of_the_columns():
    table = pd.DataFrame({"a": list("uvw"), "b": list("vwx"), "kind": list("xyx"), "amount": [1, 20, 300]})
    ends = {"source": "a", "target": "b", "radius": 1, "dim": 2, "random_state": 0}

    typed = EgoEmbedding(table, edge_labels="kind", **ends).fit()
    binned = EgoEmbedding(table, weights="amount", weight_bins=[10, 100], **ends).fit()

    assert "r1_d1_x_deg2" in typed.embedding_.vocabulary.feature_names
    assert "r1_d1_10to100_deg2" in binned.embedding_.vocabulary.feature_names
    first, last = typed.transform(["u", "x"])
    assert (first == last).all()
    assert (binned.transform(["u"]) != binned.transform(["x"])).any()


def test_arcs_are_kept_for_in_and_out_degrees():
    encoder = EgoEmbedding([("u", "v"), ("v", "w")], radius=1, degrees="in_out", dim=2, random_state=0).fit()

    assert encoder.embedding_.vocabulary.feature_names[0] == "r1_d0_in0_out1"
    assert encoder.transform(["u", "w"]).shape == (2, 2)


def test_a_wrong_policy_for_keys_is_an_error_in_fit():
    with pytest.raises(InputError, match="unseen must be one of 'clip', 'ignore', 'error', got 'zero'"):
        make(unseen="zero").fit()


def test_a_generator_of_edges_is_read_by_fit_and_by_transform():
    edges = [(0, 1), (1, 2), (2, 3)]
    options = {"radius": 1, "dim": 2, "random_state": 0}

    vectors = EgoEmbedding(iter(edges), **options).fit_transform([0, 3])

    assert vectors.tolist() == EgoEmbedding(edges, **options).fit_transform([0, 3]).tolist()
