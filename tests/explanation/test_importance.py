"""What models rely on, in words: linear ones by their coefficients, all others by measuring."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import egonet
from egonet import explain_model, named
from egonet.encoding.vocabulary import column_texts
from egonet.errors import InputError
from egonet.explanation import importance
from egonet.explanation.importance import meanings


class Linear:
    """A model with given weights."""

    def __init__(self, weights, classes=None):
        self.coef_ = np.array(weights, dtype=float)
        if classes is not None:
            self.classes_ = np.array(classes)


VOCABULARY = egonet.encode(named.path("abc"), 1).vocabulary  # (0, 1), (0, 2), (1, 1)


def test_the_strongest_columns_come_first_whatever_their_sign():
    explanation = explain_model(Linear([[0.5, 0.0, -2.0]], ["no", "yes"]), VOCABULARY)

    assert explanation.parts == (
        ("for 'yes' (+) or 'no' (-)", (("distance 1, degree 1", -2.0), ("distance 0, degree 1", 0.5))),
    )
    assert (
        str(explanation)
        == "for 'yes' (+) or 'no' (-)\n  -2.000  distance 1, degree 1\n  +0.500  distance 0, degree 1"
    )


def test_several_classes_and_regressions_have_their_titles():
    three = explain_model(Linear(np.eye(3), [1, 2, 3]), VOCABULARY, top=1)
    number = explain_model(Linear([1.0, 0.0, 0.0]), VOCABULARY)

    assert [title for title, _ in three.parts] == [f"for (+) or against (-) {name}" for name in (1, 2, 3)]
    assert number.parts == (("raises (+) or lowers (-) the prediction", (("distance 0, degree 1", 1.0),)),)


def test_models_that_cannot_be_read_raise():
    with pytest.raises(InputError, match=r"takes a fitted linear model with coef_, got object\."):
        explain_model(object(), VOCABULARY, method="coefficients")
    with pytest.raises(InputError, match=r"object has neither coefficients nor importances.* Give X and y"):
        explain_model(object(), VOCABULARY)
    with pytest.raises(InputError, match=r'method="permutation" needs X and y: the rows to measure on'):
        explain_model(object(), VOCABULARY, X=np.ones((2, 3)), method="permutation")
    with pytest.raises(InputError, match=r"X has 2 columns, but the model was fitted on 3\."):
        explain_model(object(), VOCABULARY, X=np.ones((2, 2)), y=[0, 1], method="permutation")
    with pytest.raises(InputError, match="method must be one of"):
        explain_model(object(), VOCABULARY, method="magic")
    with pytest.raises(InputError, match=r"the model has 2 coefficients, but there are 3 columns\."):
        explain_model(Linear([[1, 2]]), VOCABULARY)
    with pytest.raises(InputError, match=r"needs the columns of the model\. Give vocabulary="):
        explain_model(Linear([[1, 2, 3]]))


def test_pipelines_are_read_back_to_the_columns(need):
    need("sklearn")
    from sklearn.decomposition import TruncatedSVD
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler

    from egonet.sklearn import GraphEncoder

    graphs = [named.path(range(n)) for n in (3, 4, 5, 6)] + [named.cycle(n) for n in (3, 4, 5, 6)]
    kinds = ["path"] * 4 + ["cycle"] * 4
    pipeline = make_pipeline(GraphEncoder(0), MaxAbsScaler(), TruncatedSVD(1), LogisticRegression())
    search = GridSearchCV(pipeline, {"graphencoder__radius": [0]}, cv=2).fit(graphs, kinds)
    fitted = search.best_estimator_

    explanation = explain_model(search)

    expected = fitted[-1].coef_ @ fitted[-2].components_
    weights = dict(explanation.parts[0][1])
    assert weights == {"distance 0, degree 1": expected[0, 0], "distance 0, degree 2": expected[0, 1]}


def test_classes_of_nodes_are_described_by_their_counts(need):
    need("sklearn")
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    from egonet.sklearn import GraphEncoder

    pipeline = make_pipeline(GraphEncoder(1, aggregate="classes"), LogisticRegression())
    pipeline.fit([named.path("ab"), named.cycle(3)], ["edge", "triangle"])

    options = {options for options, _ in explain_model(pipeline).parts[0][1]}

    assert options == {
        "nodes with 1 at distance 0, degree 1; 1 at distance 1, degree 1",
        "nodes with 1 at distance 0, degree 2; 2 at distance 1, degree 2",
    }


#: Blades of a windmill (degree 2, in triangles) and chains (degree 2, no triangles) hang from one center.
WINDMILL = egonet.Graph.from_edges(
    [(0, node) for node in range(1, 101)]
    + [(node, node + 1) for node in range(1, 61, 2)]
    + [(node, 100 + node) for node in range(61, 101)]
)
IDS = list(range(1, 101))
KINDS = np.array(["blade"] * 60 + ["chain"] * 40)


def test_a_forest_is_explained_by_shuffling_groups(need):
    """Next to a blade are the center and its twin; next to a chain are the center and the end, of degree 1."""
    need("sklearn")
    from sklearn.ensemble import RandomForestClassifier

    encoding = egonet.encode(WINDMILL, radius=1, roots=IDS)
    forest = RandomForestClassifier(20, random_state=0).fit(encoding.matrix, KINDS)

    found = explain_model(forest, encoding, X=encoding, y=KINDS, method="permutation")

    assert found.method == "permutation"
    assert found.sentence.startswith("the model relies most on: neighbors of degree ")
    assert found.parts[0][0] == "loss of score (1.000) when a group of columns is shuffled, 100 rows"
    weights = [weight for _, weight in found.parts[0][1]]
    assert weights == sorted(weights, reverse=True)
    assert explain_model(forest, encoding, X=encoding, y=KINDS, method="permutation") == found


def test_groups_are_shuffled_together():
    """The model needs one of two equal columns of a group: shuffled one by one, neither would matter."""

    class Either:
        def score(self, rows, target):
            return float(np.mean((rows.sum(axis=1) > 0) == target))

    star = egonet.encode(named.star(3), 1)
    vocabulary = egonet.Vocabulary(star.vocabulary.schema, np.array([[1, 1, 4], [1, 1, 5]]))
    rows = np.repeat([[1.0, 1.0], [0.0, 0.0]], 50, axis=0)

    found = explain_model(Either(), vocabulary, X=rows, y=rows[:, 0] > 0, method="permutation")

    ((_, ((text, weight),)),) = found.parts
    assert text == "neighbors of degree 4 to 7"
    assert 0.3 < weight < 0.7


def test_boosting_in_a_pipeline_with_other_columns(need):
    need("sklearn")
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    from egonet.sklearn import NodeEncoder

    table = pd.DataFrame({"node": IDS, "noise": np.arange(100.0)[::-1] % 7})
    columns = make_column_transformer((NodeEncoder(WINDMILL, 1), "node"), ("passthrough", ["noise"]))
    boosted = make_pipeline(columns, HistGradientBoostingClassifier(random_state=0)).fit(table, KINDS)
    linear = make_pipeline(columns, LogisticRegression(max_iter=1000)).fit(table, KINDS)

    found = explain_model(boosted, X=table, y=KINDS, method="permutation")

    assert "neighbors of degree" in found.parts[0][1][0][0]
    assert not any("noise" in text for text, _ in found.parts[0][1])
    assert any("passthrough__noise" in text for text, _ in explain_model(linear, top=99).parts[0][1])
    assert explain_model(linear).parts[0][1][0][0].startswith("distance 1, degree ")
    assert found.to_pandas()["weight"].iloc[0] == found.parts[0][1][0][1]
    with pytest.raises(
        InputError, match="HistGradientBoostingClassifier has neither coefficients nor importances"
    ):
        explain_model(boosted)


def test_importances_measured_while_training_need_no_data(need):
    need("sklearn")
    from sklearn.ensemble import GradientBoostingClassifier

    encoding = egonet.encode(WINDMILL, radius=1, roots=IDS)
    model = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(encoding.matrix, KINDS)

    found = explain_model(model, encoding)

    assert found.method == "impurity"
    assert sum(weight for _, weight in found.parts[0][1]) == pytest.approx(1)
    with pytest.raises(InputError, match="importances, but there are 5 columns"):
        explain_model(model, egonet.encode(named.path(range(9)), (0, 1)))


def test_shap_values_are_used_if_the_package_is_there(need, monkeypatch):
    """A stand-in with the two names used: the values of a group are added up, then averaged without their sign."""
    need("sklearn")
    from sklearn.ensemble import RandomForestClassifier

    class TreeExplainer:
        def __init__(self, model):
            assert isinstance(model, RandomForestClassifier)

        def __call__(self, rows, check_additivity):
            values = np.stack([rows, -2 * rows], axis=2)  # rows, columns, classes
            return SimpleNamespace(values=values)

    monkeypatch.setitem(sys.modules, "shap", SimpleNamespace(TreeExplainer=TreeExplainer))
    monkeypatch.setattr(importance, "find_spec", lambda name: name)
    encoding = egonet.encode(named.path("abc"), radius=1)  # own degree 1 twice, 2 once; 4 neighbors in all
    forest = RandomForestClassifier(2, random_state=0).fit(encoding.to_dense(), [0, 1, 0])

    found = explain_model(forest, encoding, X=encoding)

    assert found.method == "shap"
    assert found.parts == (
        (
            "mean absolute SHAP value of a group of columns, 3 rows",
            (
                ("neighbors of degree 1", pytest.approx(4 / 3 * 1.5)),
                ("own degree 1", pytest.approx(1.0)),
                ("own degree 2 to 3", pytest.approx(0.5)),
            ),
        ),
    )


def test_at_most_two_thousand_rows_are_measured(need):
    need("sklearn")
    from sklearn.ensemble import RandomForestClassifier

    encoding = egonet.encode(named.path(range(3000)), radius=1)
    ends = np.isin(np.arange(3000), [0, 2999])
    forest = RandomForestClassifier(2, random_state=0).fit(encoding.matrix, ends)

    found = explain_model(forest, encoding, X=encoding.matrix, y=ends, method="permutation")

    assert found.parts[0][0].endswith("2,000 rows")


def test_meanings_name_radius_label_and_parts_of_degrees():
    encoding = egonet.encode(named.path("abcd"), (0, 2), degrees="layered", labels=["C", "N", "C", "N"])

    found = meanings(encoding.vocabulary)

    assert found[0] == "own same 0, farther 1, label C (radius 0)"
    assert "nodes two hops away with same 0, farther 0, label C (radius 2)" in found
    assert meanings(egonet.encode(named.complete(4), 1, common=True).vocabulary)[-1] == "2 common neighbors"


def test_columns_of_pairs_are_said_by_both_distances():
    graph = egonet.named.path("abcdef")
    options = {"labels": dict(zip("abcdef", "xyxyxy", strict=True)), "edge_labels": list("stsTs")}

    plain = egonet.encode_pairs(graph, [("a", "c"), ("a", "e")], 2)
    typed = egonet.encode_pairs(graph, [("a", "c")], 1, **options)

    assert meanings(plain.vocabulary) == [
        "ends of the pair (2 hops apart) of degree 1",
        "ends of the pair (2 hops apart) of degree 2 to 3",
        "ends of the pair (more than 2 hops apart) of degree 1",
        "ends of the pair (more than 2 hops apart) of degree 2 to 3",
        "common neighbors of degree 2 to 3",
        "neighbors of one end (more than 2 hops from the other) of degree 1",
        "neighbors of one end (more than 2 hops from the other) of degree 2 to 3",
        "nodes 2 hops from one end (2 hops from the other) of degree 2 to 3",
        "nodes 2 hops from one end (more than 2 hops from the other) of degree 1",
    ]
    assert column_texts(plain.vocabulary)[0] == "distances 0 and 2, degree 1"
    assert "edges of one end (more than 1 hops from the other) of type s" in meanings(typed.vocabulary)
    assert "common neighbors of degree 2 to 3, label y" in meanings(typed.vocabulary)


def test_distances_of_edge_types_are_half_steps():
    path = [("a", "b"), ("b", "c"), ("c", "d")]
    found = meanings(egonet.encode(path, 2, edge_labels=["x", "y", "x"]).vocabulary)

    assert found == [
        "own degree 1",
        "own degree 2 to 3",
        "own edges of type x",
        "own edges of type y",
        "neighbors of degree 1",
        "neighbors of degree 2 to 3",
        "edges of neighbors of type x",
        "edges of neighbors of type y",
        "nodes two hops away of degree 1",
    ]


@pytest.mark.parametrize("num_hashed", [None, 8])
def test_bags_are_explained_by_the_encodings_they_count(need, num_hashed):
    make_pipeline = need("sklearn.pipeline").make_pipeline
    logistic = need("sklearn.linear_model").LogisticRegression
    trees = need("sklearn.ensemble").RandomForestClassifier
    graphs = [named.path("abc"), named.cycle(3)] * 10
    encoder = egonet.GraphEncoder(radius=(0, 1), aggregate="bag", num_hashed=num_hashed)
    model = make_pipeline(encoder, logistic()).fit(graphs, [0, 1] * 10)
    forest = make_pipeline(encoder, trees(5, random_state=0)).fit(graphs, [0, 1] * 10)

    text, sentence = str(explain_model(model)), explain_model(forest, X=graphs, y=[0, 1] * 10).sentence

    assert (
        "hashed" if num_hashed else "nodes with 1 at distance 0, degree 2; 2 at distance 1, degree 2"
    ) in text
    assert sentence.startswith(("the model relies most on: ", "no group"))
