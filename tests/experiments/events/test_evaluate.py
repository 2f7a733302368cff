"""Experiments on events: intervals, pairs of a week, and what counts as fraud."""

import numpy as np

from contracts.parts import need

need("sklearn")
from egonet import Graph  # noqa: E402
from experiments.events.evaluate import Question, evaluate, spec_of  # noqa: E402
from experiments.events.messages import draw_pairs, pair_columns  # noqa: E402


def test_columns_that_tell_the_answer_score_higher_than_noise():
    rng = np.random.default_rng(0)
    labels = rng.random(400) < 0.3
    columns = {"answer": labels[:, None] + 0.1 * rng.random((400, 1)), "noise": rng.random((400, 1))}
    question = Question("toy", columns, labels, np.arange(400) >= 200)

    answer, noise = evaluate(question, {"max_iter": 10, "resamples": 20, "seed": 0})

    assert answer.average_precision == 1.0
    assert noise.average_precision < 0.6
    assert noise.low <= noise.average_precision <= noise.high
    assert answer.positives == int(labels[200:].sum())


def test_pairs_of_a_week_are_known_users_and_as_many_others():
    sent = np.array([[0, 1], [0, 1], [2, 9]])

    pairs, wanted = draw_pairs(sent, np.arange(6), 10, np.random.default_rng(0))

    assert pairs[wanted].tolist() == [[0, 1]]
    assert (~wanted).sum() == 1
    assert pairs[~wanted].max() < 6


def test_directed_pairs_have_the_columns_of_both_directions():
    graph = Graph.from_edges([(0, 1), (1, 2)], num_nodes=3, directed="out")
    pairs = np.array([[0, 2]])

    assert (
        pair_columns(graph, pairs, directed=True).shape[1]
        == 2 * pair_columns(graph, pairs, directed=False).shape[1]
    )


def test_every_experiment_has_a_spec_with_a_title():
    for name in ("amlsim", "bitcoin-otc", "collegemsg"):
        assert spec_of(name)["title"]
        assert spec_of(name)["silent"]
