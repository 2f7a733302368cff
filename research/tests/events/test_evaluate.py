"""Experiments on events: intervals, pairs of a week, and what counts as fraud."""

import numpy as np
import pandas as pd
import pytest

from contracts.parts import need

need("sklearn")
from egonet import Graph, Settings, Stream  # noqa: E402
from research.datasets.fetch import folders  # noqa: E402
from research.events.amlsim import changed_rows, ego_columns, leak_checks  # noqa: E402
from research.events.evaluate import Question, choose_columns, evaluate, spec_of  # noqa: E402
from research.events.messages import draw_pairs, pair_columns  # noqa: E402
from research.events.stream_speed import feed, measure_memory  # noqa: E402


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


def test_a_setting_is_chosen_on_validation_rows_and_not_on_test_rows():
    rng = np.random.default_rng(0)
    labels = rng.random(900) < 0.3
    answer = labels[:, None] + 0.1 * rng.random((900, 1))
    answer[600:] = rng.random((300, 1))  # test rows tell nothing
    place = np.arange(900)
    question = Question("toy", {"answer": answer}, labels, place >= 600, (place >= 400) & (place < 600))
    useless, good = {"min_samples_leaf": 900}, {"min_samples_leaf": 20}
    spec = {"max_iter": 10, "resamples": 5, "seed": 0, "candidates": [useless, good]}

    (score,) = evaluate(question, spec)
    turned = Question(
        "toy", {"answer": answer}, labels ^ (place >= 600), place >= 600, question.is_validation
    )

    assert score.setting == good
    assert score.validation[1] > 0.9 > score.validation[0]
    assert evaluate(turned, spec)[0].validation == score.validation
    assert score.num_train == 600


def test_columns_of_ego_networks_know_the_events_before_the_day_alone():
    events = pd.DataFrame({"source": ["a", "a"], "target": ["b", "c"], "time": [1, 2]})
    asked = pd.DataFrame({"node": ["a", "a"], "time": [2, 3]})
    spec = {"window": 30, "last_day": 2, "degree_bins": "log"}

    assert ego_columns(events, asked, 0, spec).tolist() == [[1, 0, 1], [2, 0, 2]]
    rows = ego_columns(events, asked, [1], spec)
    assert rows.shape[0] == 2
    assert not np.array_equal(rows[0], rows[1])


def test_a_stream_is_fed_every_transfer_once_and_keeps_its_window():
    transfers = [(day % 3, 3, day) for day in range(20)]
    stream = Stream(1, window=5)
    feed(stream, transfers, 7)

    assert stream.num_added == 20
    assert stream.num_events < 10
    memory = measure_memory(transfers, {"radius": [1], "window": 5})
    assert [part["added"] for part in memory] == [10, 20, 30, 40]
    assert memory[0]["kept"] == memory[-1]["kept"]
    assert memory[0]["process_megabytes"] > 0


def test_pairs_of_a_week_are_known_users_and_as_many_others():
    sent = np.array([[0, 1], [0, 1], [2, 9]])

    pairs, wanted = draw_pairs(sent, np.arange(6), 10, np.random.default_rng(0))

    assert pairs[wanted].tolist() == [[0, 1]]
    assert (~wanted).sum() == 1
    assert pairs[~wanted].max() < 6


def test_the_other_direction_of_a_message_is_no_negative():
    sent = np.array([[0, 1], [1, 2], [2, 3], [3, 0]])

    for seed in range(20):
        pairs, wanted = draw_pairs(sent, np.arange(4), 4, np.random.default_rng(seed))
        assert {tuple(pair) for pair in pairs[~wanted].tolist()} <= {(0, 2), (2, 0), (1, 3), (3, 1)}


def test_directed_pairs_have_the_columns_of_both_directions():
    graph = Graph.from_edges([(0, 1), (1, 2)], num_nodes=3, directed="out")
    pairs = np.array([[0, 2]])

    ways, one = (pair_columns([graph], [pairs], [True], directed=directed) for directed in (True, False))

    # Out of 0 and of 2: nodes 0, 1 and 2. Into them: nodes 0, 2 and 1.
    assert ways.sum(axis=1).tolist() == [6.0]
    assert one.sum(axis=1).tolist() == [3.0]


def test_columns_of_pairs_are_those_of_training_graphs():
    path = Graph.from_edges([(0, 1), (1, 2)], num_nodes=6)
    star = Graph.from_edges([(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)], num_nodes=6)
    pairs = [np.array([[0, 2]]), np.array([[1, 2]])]

    both = pair_columns([path, star], pairs, [True, False], directed=False)

    assert both.shape == (2, pair_columns([path], pairs[:1], [True], directed=False).shape[1])


def test_every_experiment_has_a_spec_with_a_title():
    for name in ("amlsim", "bitcoin-otc", "collegemsg", "stream"):
        assert spec_of(name)["title"]
        assert spec_of(name)["silent"]


def test_rows_that_know_a_change_are_counted():
    events = pd.DataFrame({"source": ["a", "a", "b"], "target": ["b", "c", "c"], "time": [1, 2, 3]})
    other = events.assign(target=["b", "b", "c"])
    asked = pd.DataFrame({"node": ["a", "a", "b"], "time": [2, 3, 2]})

    assert changed_rows(events, other, asked, Settings(1), 30, "left", None) == 1
    assert changed_rows(events, other, asked, Settings(1), 30, "right", None) == 2
    assert changed_rows(events, events, asked, Settings(1), 30, "right", None) == 0


@pytest.mark.skipif(
    not any((folder / "amlsim/transactions.csv.gz").exists() for folder in folders()), reason="needs AMLSim"
)
def test_amlsim_features_do_not_change_with_the_future():
    (found,) = leak_checks(spec_of("amlsim") | {"leak_days": [100], "radius": [1]})

    assert found["rows"] > 30_000
    assert found["events_changed"] > 30_000
    assert found["changed"] == 0
    assert found["changed_with_the_day"] > 1_000


def test_windows_are_chosen_on_validation_rows_and_a_column_without_values_is_left_out():
    rng = np.random.default_rng(0)
    labels, place = rng.random(900) < 0.3, np.arange(900)
    answer = labels[:, None] + 0.1 * rng.random((900, 1))
    later = answer.copy()
    later[:600] = rng.random((600, 1))  # tells the answer in test rows only
    empty = np.full((900, 1), np.nan)
    question = Question("toy", {}, labels, place >= 600, (place >= 400) & (place < 600))
    makers = {"7": lambda: later, "30": lambda: np.hstack([empty, answer])}
    spec = {"max_iter": 10, "seed": 0, "candidates": [{"min_samples_leaf": 20}]}

    choice = choose_columns(question, makers, spec)

    assert choice.windows == "30"
    assert choice.columns.shape == (900, 1)
    assert choice.windows_validation["30"] > 0.9
    assert choice.windows_validation["7"] < 0.6
    assert choose_columns(question, makers["30"], spec).windows_validation == {}
