"""Rows of nodes for another graph: ranks, the rank of the degree, and the warning about other degrees."""

import pickle

import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import egonet
from egonet import NodeEncoder
from egonet.errors import InputError

SPARSE = egonet.as_graph(nx.gnm_random_graph(200, 400, seed=0))
DENSE = egonet.as_graph(nx.gnm_random_graph(300, 6000, seed=1))


@pytest.mark.parametrize("options", [{}, {"degree_bins": "quantile"}, {"degree_rank": True}])
def test_a_rank_depends_on_the_graph_and_not_on_the_other_rows_asked_for(options):
    encoder = NodeEncoder(SPARSE, radius=1, weighting="rank", **options).fit(range(80))

    together = encoder.transform([150, 3, 150])

    assert np.array_equal(together[0], together[2])
    assert np.array_equal(encoder.transform([3]), together[1:2])


def test_ranks_are_those_of_the_whole_graph_in_the_columns_of_the_training_nodes():
    train = list(range(80))
    encoder = NodeEncoder(SPARSE, radius=1, weighting="rank")

    rows = encoder.fit_transform(train)

    learned = egonet.encode(SPARSE, radius=1, roots=train).vocabulary
    expected = egonet.encode(SPARSE, vocabulary=learned).weighted("rank").toarray()
    assert encoder.get_feature_names_out().tolist() == learned.feature_names
    assert np.array_equal(rows, expected[train])


def test_the_rank_of_the_degree_is_the_first_column_or_the_only_one():
    ranks = egonet.degree_rank(SPARSE)

    both = NodeEncoder(SPARSE, radius=1, degree_rank=True).fit([5, 6])
    only = NodeEncoder(SPARSE, degree_rank="only").fit([5])

    assert both.get_feature_names_out()[0] == "degree_rank"
    assert both.transform([6, 9])[:, 0].tolist() == ranks[[6, 9]].tolist()
    assert only.get_feature_names_out().tolist() == ["degree_rank"]
    assert only.transform([6, 9]).tolist() == ranks[[6, 9], None].tolist()
    other = only.transform((DENSE, [7]))
    assert other.tolist() == [[egonet.degree_rank(DENSE)[7]]]


def test_an_unknown_node_has_the_rank_of_a_node_without_neighbors():
    graph = egonet.as_graph([(0, 1), (1, 2)], num_nodes=5)
    encoder = NodeEncoder(graph, radius=1, weighting="rank", degree_rank=True, handle_unknown="zero")

    rows = encoder.fit(range(5)).transform([3, "stranger"])

    assert rows[1].tolist() == rows[0].tolist()
    assert rows[0].tolist() == [0.2, 0.8, 0, 0, 0]


@pytest.mark.parametrize("options", [{}, {"weighting": "rank"}, {"weighting": "log", "degree_rank": True}])
@pytest.mark.parametrize(
    "num_nodes", [3, 5, 12]
)  # none, 2 and 9 nodes have no neighbors: quarters 1, 1 and 2
def test_an_unknown_node_has_the_quarter_of_a_node_without_neighbors(options, num_nodes):
    graph = egonet.as_graph([(0, 1), (1, 2)], num_nodes=num_nodes)
    encoder = NodeEncoder(graph, radius=1, degree_bins="quantile", handle_unknown="zero", **options)

    rows = encoder.fit(range(num_nodes)).transform([num_nodes - 1, "stranger"])

    assert (rows[1].tolist() == rows[0].tolist()) == (num_nodes > 3)
    assert rows[1].any() == (num_nodes > 3)


def test_unseen_keys_are_counted_for_the_nodes_asked_for_only():
    encoder = NodeEncoder(SPARSE, radius=1, weighting="rank").fit([0])

    assert encoder.count_unseen([0]).num_rows == 0


def test_other_degrees_are_warned_about_once_and_by_name():
    encoder = NodeEncoder(SPARSE, radius=1).fit(range(80))

    with pytest.warns(
        UserWarning, match=r'4\.0 neighbors .* 40\.0: .* weighting="rank" with degree_bins="quantile"'
    ):
        encoder.transform((DENSE, [0]))
    encoder.transform((DENSE, [0]))  # warnings are errors


def test_other_degrees_are_warned_about_again_after_another_fit():
    encoder = NodeEncoder(SPARSE, radius=1).fit(range(80))
    with pytest.warns(UserWarning, match="degrees differ by 1.00"):
        encoder.transform((DENSE, [0]))

    encoder.fit(range(90))

    with pytest.warns(UserWarning, match="degrees differ by 1.00"):
        encoder.transform((DENSE, [0]))


def test_a_graph_of_the_same_size_with_other_degrees_is_warned_about():
    regular = egonet.as_graph(nx.random_regular_graph(4, 200, seed=1))

    with pytest.warns(UserWarning, match="degrees differ by 0.46"):
        NodeEncoder(SPARSE, radius=1).fit(range(80)).transform((regular, [0]))


def test_ranks_of_exact_degrees_are_warned_about():
    encoder = NodeEncoder(SPARSE, radius=1, weighting="rank").fit(range(80))

    with pytest.warns(UserWarning, match="degrees differ by 1.00"):
        encoder.transform((DENSE, [0]))


def test_a_saved_encoder_warns_about_the_graph_it_is_served_with():
    served = pickle.loads(pickle.dumps(NodeEncoder(SPARSE, radius=1).fit(range(80)).without_data()))

    with pytest.warns(UserWarning, match="degrees differ by 1.00"):
        served.with_graph(DENSE).transform([0])


@pytest.mark.parametrize(
    "options",
    [{"degree_bins": "quantile", "weighting": "rank"}, {"degree_bins": "quantile"}, {"degree_rank": "only"}],
)
def test_rows_that_carry_over_are_not_warned_about(options):
    NodeEncoder(SPARSE, radius=1, **options).fit(range(80)).transform((DENSE, [0]))


def test_the_same_degrees_and_small_graphs_are_not_warned_about():
    encoder = NodeEncoder(SPARSE, radius=1).fit(range(80))

    encoder.transform((egonet.as_graph(nx.gnm_random_graph(250, 500, seed=3)), [0]))
    encoder.transform((egonet.named.complete(30), [0]))


def test_ranks_work_in_a_pipeline_and_after_clone():
    target = egonet.degree_rank(SPARSE) > 0.5
    model = make_pipeline(NodeEncoder(SPARSE, degree_rank="only"), LogisticRegression(C=100))

    model = clone(model).fit(range(200), target)

    dense = egonet.degree_rank(DENSE) > 0.5
    assert (model.predict((DENSE, range(300))) == dense).mean() > 0.9


def test_other_rows_and_wrong_values_are_refused():
    with pytest.raises(InputError, match="GraphEncoder has other rows"):
        egonet.GraphEncoder(weighting="rank").fit([SPARSE])
    with pytest.raises(InputError, match="PairEncoder has other rows"):
        egonet.PairEncoder(SPARSE, weighting="rank").fit([(0, 1)])
    with pytest.raises(InputError, match="degree_rank"):
        NodeEncoder(SPARSE, degree_rank="first").fit([0])


def test_another_text_for_degree_rank_is_an_error_that_names_only():
    with pytest.raises(InputError, match="degree_rank must be True, False or \"only\", got 'olny'"):
        NodeEncoder(egonet.named.path("ab"), degree_rank="olny").fit(["a"])
