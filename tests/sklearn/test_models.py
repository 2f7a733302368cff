"""Models with encoders inside: scored on a second graph, and saved without their data."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import egonet
from egonet.errors import InputError
from egonet.sklearn.models import with_graph, without_data

#: In January a pays five accounts, in February two; b pays one and then four.
JANUARY = pd.DataFrame({"payer": ["a"] * 5 + ["b"], "payee": list("cdefgc")})
FEBRUARY = pd.DataFrame({"payer": ["a"] * 2 + ["b"] * 4, "payee": list("cdcdef")})
ACCOUNTS = pd.DataFrame({"account": ["a", "b", "c", "d"], "age": [1.0, 1.0, 1.0, 1.0]})


def degrees_model(**options):
    """A model that has learned the number of neighbors in January: 5, 1, 2 and 1."""
    encoder = egonet.NodeEncoder(JANUARY, radius=1, source="payer", target="payee", **options)
    columns = make_column_transformer((encoder, "account"), ("passthrough", ["age"]))
    return make_pipeline(columns, LinearRegression()).fit(ACCOUNTS, [5.0, 1.0, 2.0, 1.0])


@pytest.mark.parametrize("score", ["with_graph", "set_params"])
def test_a_column_transformer_scores_the_second_month_in_the_second_graph(score):
    model = degrees_model()
    assert np.allclose(model.predict(ACCOUNTS), [5, 1, 2, 1])

    if score == "with_graph":
        later = with_graph(model, FEBRUARY)
    else:
        later = model.set_params(columntransformer__nodeencoder__graph=FEBRUARY)
    expected = make_pipeline(*[step for _, step in model.steps][1:])
    rows = model[0].named_transformers_["nodeencoder"].with_graph(FEBRUARY).transform(ACCOUNTS[["account"]])

    assert np.allclose(later.predict(ACCOUNTS), expected.predict(np.column_stack([rows, ACCOUNTS["age"]])))
    assert not np.allclose(later.predict(ACCOUNTS), [5, 1, 2, 1])
    if score == "with_graph":
        assert np.allclose(model.predict(ACCOUNTS), [5, 1, 2, 1])


def test_a_setting_changed_inside_a_column_transformer_is_an_error():
    model = degrees_model().set_params(columntransformer__nodeencoder__radius=2)

    with pytest.raises(InputError, match=r"radius was changed after fit, from \(1,\) to \(2,\)"):
        model.predict(ACCOUNTS)


def test_a_pickled_model_still_follows_set_params():
    model = pickle.loads(pickle.dumps(degrees_model()))
    before = model.predict(ACCOUNTS)

    after = model.set_params(columntransformer__nodeencoder__graph=FEBRUARY).predict(ACCOUNTS)

    assert not np.allclose(before, after)


def test_clones_of_other_tools_do_not_follow_the_encoder_they_came_from():
    encoder = egonet.NodeEncoder(egonet.named.star(4), radius=1)
    search = GridSearchCV(make_pipeline(encoder, LogisticRegression()), {"nodeencoder__radius": [0, 1]}, cv=2)
    search.fit(list(range(5)) * 2, ["hub", *["leaf"] * 4] * 2)
    encoder.set_params(graph=None, radius=7)

    assert search.predict([0, 4]).tolist() == ["hub", "leaf"]
    assert with_graph(search, egonet.named.star(6)).predict([0, 6]).tolist() == ["hub", "leaf"]


def test_a_model_without_data_is_small_and_scores_another_graph():
    big = egonet.Graph.from_edges([(0, node) for node in range(1, 20_000)])
    encoder = egonet.NodeEncoder(big, radius=1, degree_bins="log")
    table = pd.DataFrame({"account": [0, 1, 2], "age": [1.0, 2.0, 3.0]})
    columns = make_column_transformer((encoder, "account"), ("passthrough", ["age"]))
    model = make_pipeline(columns, LogisticRegression()).fit(table, ["hub", "leaf", "leaf"])

    served = pickle.dumps(without_data(model))

    assert len(served) < 20_000 < len(pickle.dumps(model))
    again = with_graph(pickle.loads(served), big)
    assert again.predict(table).tolist() == model.predict(table).tolist()
    with pytest.raises(InputError, match="needs the graph that the ids are nodes of"):
        pickle.loads(served).predict(table)


def test_encoders_of_pairs_and_times_leave_their_data_behind():
    edges, events = [("a", "b"), ("b", "c")], [("a", "b", 1), ("b", "c", 2)]
    pairs = egonet.PairEncoder(edges).fit([("a", "c")])
    times = egonet.TemporalEncoder(events, radius=1).fit([("b", 3)])

    assert pairs.without_data().graph is None
    assert pairs.without_data().with_graph(edges).transform([("a", "c")]).tolist() == [[2, 1]]
    with pytest.raises(InputError, match="PairEncoder needs the graph"):
        pairs.without_data().transform([("a", "c")])
    served = times.without_data()
    assert served.events is None
    assert not hasattr(served, "history_")
    with pytest.raises(InputError, match="TemporalEncoder needs events"):
        served.transform([("b", 3)])
    assert served.partial_fit(events).transform([("b", 3)]).tolist() == times.transform([("b", 3)]).tolist()


def test_a_model_without_an_encoder_is_an_error():
    with pytest.raises(InputError, match=r"the model has no encoder with a graph, got LinearRegression\(\)"):
        with_graph(LinearRegression(), JANUARY)
