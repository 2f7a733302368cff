"""The predictor: fit, scores, recommendations, words, and one sentence for bad input."""

import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_info, threadpool_limits

import egonet
from contracts.parts import need
from egonet import named
from egonet.errors import IgnoredInputWarning, InputError, UnknownNodeError, UnseenWarning
from egonet.links import LinkPredictor, split
from egonet.links.split import NegativeSampler


@pytest.fixture(scope="module")
def parts():
    """Return a split of five groups of friends."""
    rng = np.random.default_rng(1)
    pairs = [(u, v) for u in range(100) for v in range(u)]
    edges = [(u, v) for u, v in pairs if rng.random() < (0.4 if u // 20 == v // 20 else 0.01)]
    return split(egonet.as_graph(edges, num_nodes=100), test=0.2, seed=0)


def area(labels, scores):
    positive, negative = scores[labels], scores[~labels]
    return np.mean(positive[:, None] > negative) + np.mean(positive[:, None] == negative) / 2


@pytest.mark.parametrize("model", [None, "linear", "zero-shot", LogisticRegression(max_iter=5000)])
def test_every_model_finds_the_links_of_groups(parts, model):
    predictor = LinkPredictor(model=model).fit(parts.graph)

    assert area(parts.test.labels, predictor.predict_proba(parts.test.pairs)[:, 1]) > 0.8
    assert predictor.classes_.tolist() == [False, True]


def test_a_split_and_a_predictor_of_the_same_seed_draw_different_pairs(monkeypatch):
    drawn, uniform = [], NegativeSampler.uniform
    monkeypatch.setattr(
        NegativeSampler, "uniform", lambda self, count: drawn.append(uniform(self, count)) or drawn[-1]
    )
    grid = named.grid(30, 30)

    for seed in range(10):
        parts = split(grid, test=0.1, seed=seed)
        LinkPredictor(model="linear", groups="share", prior=False, random_state=seed).fit(parts.graph)
        learned, tested = (
            set(map(tuple, np.sort(pairs).tolist())) for pairs in (drawn[-1], parts.test.non_links)
        )

        assert len(learned) == parts.graph.num_edges
        assert len(learned & tested) < 0.05 * len(tested)


def test_pairs_and_labels_may_be_given(parts):
    predictor = LinkPredictor(model="linear").fit(parts.graph, parts.test.pairs, parts.test.labels)

    assert area(parts.test.labels, predictor.predict_proba(parts.test.pairs)[:, 1]) > 0.9


def test_the_same_seed_gives_the_same_scores_and_pickling_keeps_them(parts):
    first = LinkPredictor().fit(parts.graph)
    second = pickle.loads(pickle.dumps(clone(first).fit(parts.graph)))

    expected = first.predict_proba(parts.test.pairs)
    assert second.predict_proba(parts.test.pairs).tolist() == expected.tolist()


def test_a_model_that_two_predictors_share_is_fitted_for_each(parts):
    model = LogisticRegression(max_iter=5000)
    pairs = parts.test.pairs[:4]
    first = LinkPredictor(model=model, groups=["overlap"]).fit(parts.graph)
    scores = first.predict_proba(pairs)

    LinkPredictor(model=model, groups=["share"]).fit(parts.graph)

    np.testing.assert_array_equal(first.predict_proba(pairs), scores)
    assert not hasattr(model, "classes_")


def test_a_parameter_of_the_model_of_a_clone_is_not_that_of_the_original():
    first = LinkPredictor(model=LogisticRegression(C=1.0))

    clone(first).set_params(model__C=9.0)

    assert first.model.C == 1.0


def test_a_score_does_not_depend_on_the_order_of_a_pair(parts):
    predictor = LinkPredictor().fit(parts.graph)

    expected = predictor.predict_proba(parts.test.pairs)
    assert predictor.predict_proba(parts.test.pairs[:, ::-1]).tolist() == expected.tolist()


def test_a_score_does_not_depend_on_the_other_pairs(parts):
    """A product of matrices rounds differently for another number of rows, which would change the order of ties."""
    predictor = LinkPredictor(model="linear").fit(parts.graph)
    pairs = parts.test.non_links[:30]

    alone = [predictor.predict_proba([pair])[0, 1] for pair in pairs.tolist()]
    assert predictor.predict_proba(pairs)[:, 1].tolist() == alone


def test_pairs_unlike_those_learned_from_are_a_warning_with_a_way_out():
    """Users and products: the ends of a pair share no neighbor. Two users share all five products."""
    edges = [(user, product) for user in range(5) for product in range(5, 10) if (user, product) != (1, 6)]
    predictor = LinkPredictor(model="linear", groups="pairs", radius=1, prior=False)
    predictor.fit(edges, [(0, 5), (1, 6)], [1, 0])

    with pytest.warns(UnseenWarning, match=r"Learn from pairs like these, fit\(graph, pairs, y\), or leave"):
        predictor.predict_proba([(2, 3)])


def test_matrices_of_all_nodes_are_not_pickled(parts):
    predictor = LinkPredictor(model="linear", groups=["overlap", "walks", "latent"]).fit(parts.graph)

    assert len(pickle.dumps(predictor.columns_)) < 20 * len(parts.graph) ** 2


def test_walks_are_left_out_where_they_are_not_certain_to_be_finite(monkeypatch, parts):
    assert "katz" in LinkPredictor(model="linear").fit(parts.graph).columns_.names

    monkeypatch.setattr("egonet.links.walks.KATZ", 0.5)
    assert "katz" not in LinkPredictor(model="linear").fit(parts.graph).columns_.names


def test_attributes_help_where_they_say_more_than_edges(parts):
    attributes = np.eye(5)[np.arange(100) // 20]
    with_them = LinkPredictor(attributes=attributes).fit(parts.graph)
    names = with_them.columns_.names

    assert "attributes_00" in names
    assert area(parts.test.labels, with_them.predict_proba(parts.test.pairs)[:, 1]) > 0.85


def test_recommendations_are_new_and_best_first(parts):
    predictor = LinkPredictor.pretrained(parts.graph)
    found = predictor.recommend(3, k=5)
    scores = [score for _, score in found]

    assert len(found) == 5
    assert scores == sorted(scores, reverse=True)
    assert not {node for node, _ in found} & {3, *parts.graph.neighbors(3)}
    assert predictor.recommend([3, 4], k=5)[3] == found
    for nodes in (np.array([3]), range(3, 4), iter([3]), {3: "x"}.keys(), {"x": 3}.values()):
        assert predictor.recommend(nodes, k=5) == {3: found}


def test_nodes_to_recommend_for_may_be_a_column_or_a_tensor():
    tensor = need("torch").tensor
    predictor = LinkPredictor.pretrained(named.karate_club())
    found = predictor.recommend(3, k=5)

    for nodes in (pd.Series([3]), pl.Series([3]), pa.array([3]), pa.chunked_array([[3]]), tensor([3])):
        assert predictor.recommend(nodes, k=5) == {3: found}
    assert predictor.recommend(tensor(3), k=5) == found


def test_a_trained_predictor_recommends_too(parts):
    found = LinkPredictor(model="linear").fit(parts.graph).recommend(3, k=3)

    assert sum(node // 20 == 0 for node, _ in found) >= 2


def test_an_explanation_counts_the_common_neighbors():
    text = LinkPredictor.pretrained(named.karate_club()).explain((0, 33))

    assert "They share 4 neighbors (8, 13, 19, 31)" in text
    assert "They are 2 hops apart. They have 16 and 17 neighbors" in text


def test_an_explanation_of_an_edge_leaves_it_out():
    text = LinkPredictor.pretrained([(0, 1), (1, 2), (2, 3), (3, 0), (3, 4)]).explain((0, 1))

    assert "They are 3 hops apart without their edge. They have 1 and 1 neighbors" in text


def test_an_explanation_in_a_complete_graph_compares_with_no_pair():
    text = LinkPredictor.pretrained(named.complete(4)).explain((0, 1))

    assert text.startswith("0 and 1: the graph has no pair without an edge to compare with.")


def test_known_edges_among_test_pairs_are_counted_in_a_warning(parts):
    pairs = [*parts.graph.edges()[:2].tolist(), parts.test.non_links[0].tolist()]
    with pytest.warns(IgnoredInputWarning, match="2 of 3 pairs are edges of the graph"):
        LinkPredictor.pretrained(parts.graph).predict_proba(pairs)


def test_a_pair_with_both_labels_is_an_error(parts):
    with pytest.raises(InputError, match=r"1 are named both as links and as non-links, first \(0, 1\)"):
        LinkPredictor().fit(parts.graph, [(0, 1), (1, 0), (2, 3)], [1, 0, 1])


def test_labels_of_one_kind_or_number_are_an_error(parts):
    with pytest.raises(InputError, match="y must have both 0 and 1"):
        LinkPredictor().fit(parts.graph, [(0, 1), (2, 3)], [1, 1])
    with pytest.raises(InputError, match="2 values, got None"):
        LinkPredictor().fit(parts.graph, [(0, 1), (2, 3)])
    for labels in (pd.Series([True, pd.NA], dtype="boolean"), [1, "0"], [1, None], [1, -1]):
        with pytest.raises(InputError, match="and nothing else"):
            LinkPredictor().fit(parts.graph, [(0, 1), (2, 3)], labels)
    for labels, got in (([[1], [0]], r"shape \(2, 1\)"), (1, "1"), ([1], "1")):
        with pytest.raises(InputError, match=f"2 values, got {got}\\.$"):
            LinkPredictor().fit(parts.graph, [(0, 1), (2, 3)], labels)


def test_a_node_paired_with_itself_is_an_error(parts):
    with pytest.raises(InputError, match="two different nodes"):
        LinkPredictor.pretrained(parts.graph).predict_proba([(1, 1)])


def test_a_graph_without_edges_is_an_error():
    with pytest.raises(InputError, match="links cannot be predicted in a graph without edges"):
        LinkPredictor().fit(egonet.as_graph([], num_nodes=3))


def test_a_complete_graph_is_an_error():
    with pytest.raises(InputError, match="a complete graph has no pair that could be linked"):
        LinkPredictor().fit(named.complete(6))


def test_an_unknown_node_is_an_error_with_a_near_match():
    predictor = LinkPredictor.pretrained([("ann", "bob"), ("bob", "cid"), ("cid", "dan")])
    with pytest.raises(UnknownNodeError, match=r"no node 'dav'\. Did you mean 'dan'"):
        predictor.recommend("dav")
    with pytest.raises(InputError, match="k must be a whole number >= 1, got 0"):
        predictor.recommend("ann", k=0)


def test_an_unknown_model_is_an_error():
    with pytest.raises(InputError, match="Did you mean 'boosting'"):
        LinkPredictor(model="boostin").fit(named.karate_club())
    with pytest.raises(InputError, match="or a classifier of scikit-learn, got <class"):
        LinkPredictor(model=LogisticRegression).fit(named.karate_club())


def test_a_new_node_equals_a_node_that_has_no_edge():
    edges = named.karate_club().edges().tolist()
    graph = egonet.as_graph(edges, num_nodes=36)
    for model in ("zero-shot", "linear"):
        predictor = LinkPredictor(model=model, handle_unknown="zero").fit(graph)
        known = predictor.predict_proba([(0, 34), (34, 35), (0, 9), (4, 9)])
        unknown = predictor.predict_proba([(0, 99), (98, 99), (0, 9), (4, 9)])

        np.testing.assert_allclose(unknown, known, rtol=1e-9)


def test_an_unknown_node_is_an_error_unless_asked_for(parts):
    with pytest.raises(UnknownNodeError, match="got 'new' in pair 0"):
        LinkPredictor.pretrained(parts.graph).predict_proba([(0, "new")])
    with pytest.raises(InputError, match="handle_unknown must be one of"):
        LinkPredictor(handle_unknown="ignore").fit(parts.graph)


def test_unknown_nodes_with_both_labels_are_different_pairs(parts):
    pairs = [(0, "x"), (0, "y"), (1, 2)]
    LinkPredictor(model="linear", handle_unknown="zero").fit(parts.graph, pairs, [1, 0, 1])


def test_an_explanation_of_an_unknown_node_says_that_it_has_no_neighbors():
    predictor = LinkPredictor.pretrained(named.karate_club(), handle_unknown="zero")

    assert "They have 16 and 0 neighbors" in predictor.explain((0, "new"))


def test_labels_without_pairs_are_an_error(parts):
    with pytest.raises(InputError, match="got y without pairs"):
        LinkPredictor().fit(parts.graph, y=[1, 0])


def test_attributes_without_training_are_an_error(parts):
    with pytest.raises(InputError, match="the model without training uses no attributes"):
        LinkPredictor(model="zero-shot", attributes=np.eye(100)).fit(parts.graph)


def test_errors_name_no_option_that_a_predictor_lacks(parts):
    with pytest.raises(
        InputError,
        match=r"two different nodes, got 1 twice in pair 0 \(counted from 0\)\. Drop it\. If the columns",
    ):
        LinkPredictor.pretrained(parts.graph).predict_proba([(1, 1)])


def test_all_cores_may_be_asked_for_as_in_scikit_learn(parts):
    one = LinkPredictor(model="linear", n_jobs=1).fit(parts.graph).predict_proba([(0, 1)])

    assert (
        LinkPredictor(model="linear", n_jobs=-1).fit(parts.graph).predict_proba([(0, 1)]).tolist()
        == one.tolist()
    )


def test_a_text_is_not_a_pair_to_explain():
    with pytest.raises(InputError, match="must be two node ids, got 'ac'"):
        LinkPredictor.pretrained([("a", "b"), ("b", "c"), ("c", "d")]).explain("ac")


def test_near_negatives_tell_links_from_pairs_that_share_a_neighbor(parts):
    rows = []

    class Recorder(LogisticRegression):
        def fit(self, table, labels):
            rows.append((table, labels))
            return super().fit(table, labels)

    for negatives in ("uniform", "near"):
        LinkPredictor(
            model=Recorder(max_iter=5000), groups=["overlap"], prior=False, negatives=negatives
        ).fit(parts.graph)

    (uniform, _), (near, labels) = rows
    assert (uniform[~labels][:, 0] == 0).any()
    assert (near[~labels][:, 0] > 0).all()
    assert labels.sum() == (~labels).sum() == parts.graph.num_edges


def test_fewer_near_pairs_than_links_are_enough():
    star = egonet.as_graph(
        [(0, 1), (0, 2), (0, 3), (3, 4), (4, 5), (5, 6)]
    )  # 12, 13, 23, 04, 35, 46 are near
    predictor = LinkPredictor(model="linear", negatives="near", prior=False).fit(star)

    assert 0 < predictor.predict_proba([(1, 2)])[0, 1] < 1
    with pytest.raises(InputError, match="no non-edge whose ends share a neighbor was found"):
        LinkPredictor(negatives="near").fit([(0, 1), (2, 3)])


def test_negatives_that_are_not_drawn_are_an_error(parts):
    with pytest.raises(
        InputError, match="no negatives are drawn where pairs are given or nothing is learned"
    ):
        LinkPredictor(negatives="near").fit(parts.graph, parts.test.pairs, parts.test.labels)
    with pytest.raises(InputError, match="got negatives='near'"):
        LinkPredictor(model="zero-shot", negatives="near").fit(parts.graph)


def test_a_model_of_few_pairs_has_one_thread(parts):
    seen = []

    class Looking(LogisticRegression):
        def fit(self, table, labels):
            seen.extend(each["num_threads"] for each in threadpool_info())
            return super().fit(table, labels)

        def predict_proba(self, table):
            seen.extend(each["num_threads"] for each in threadpool_info())
            return super().predict_proba(table)

    with threadpool_limits(2):
        LinkPredictor(model=Looking(max_iter=5000)).fit(parts.graph).predict_proba(parts.test.pairs)

    assert set(seen) == {1}


def test_whole_numbers_are_named_with_their_limit(parts):
    predictor = LinkPredictor.pretrained(parts.graph)
    with pytest.raises(InputError, match=re.escape("k must be a whole number >= 1, got 2.5.")):
        predictor.recommend(0, k=2.5)
