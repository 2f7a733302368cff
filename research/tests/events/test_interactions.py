"""Interactions by the protocol of DyGLib: the split, the negatives, and rows that know no negative."""

import numpy as np
import pandas as pd

from research.events.interactions import draw_negatives, encode_with, interaction_rows, split_events

SPEC = {"batch": 10, "windows": [20, 0]}


def events_of(count=200, nodes=15):
    rng = np.random.default_rng(1)
    ends = rng.integers(0, nodes, (count, 2))
    return pd.DataFrame(ends, columns=["source", "target"]).assign(time=np.arange(count) // 2)


def test_training_leaves_out_nodes_that_are_hidden_and_everything_later():
    split = split_events(events_of(), seed=0)

    assert split.events.time[split.train].max() < split.events.time[split.validation].min()
    assert split.events.time[split.validation].max() < split.events.time[split.test].min()
    known = np.unique(split.events[["source", "target"]].to_numpy()[split.train])
    assert len(known) == 14  # one of fifteen is hidden


def test_historical_pairs_happened_before_their_batch_and_inductive_ones_not_before_the_test():
    events = events_of()
    split = split_events(events, seed=0)
    pairs = [tuple(pair) for pair in events[["source", "target"]].to_numpy().tolist()]
    first = split.test[0]

    for strategy in ("historical", "inductive"):
        negatives = draw_negatives(split, split.test, strategy, SPEC, seed=2)
        assert len(negatives) == len(split.test)
        for begin in range(0, len(split.test), SPEC["batch"]):
            rows = split.test[begin : begin + SPEC["batch"]]
            now = events.time.between(events.time[rows[0]], events.time[rows[-1]])
            during = {pair for pair, is_now in zip(pairs, now, strict=True) if is_now}
            pool = set(pairs[: rows[0]]) - during
            if strategy == "inductive":
                pool -= set(pairs[:first])
            drawn = {tuple(pair) for pair in negatives[begin : begin + len(rows)].tolist()}
            assert len(drawn & pool) >= min(len(pool), len(rows))


def test_rows_know_interactions_of_earlier_times_and_no_negative():
    split = split_events(events_of(), seed=0)
    everything, encode = np.arange(len(split.events)), encode_with(("ends", "pair"), SPEC)
    one, two = (
        interaction_rows(
            split,
            split.test,
            draw_negatives(split, split.test, "random", SPEC, seed=seed),
            encode,
            everything,
        )
        for seed in (0, 1)
    )
    alone = encode(split.events.assign(keep=True))

    np.testing.assert_array_equal(one[: len(split.test)], alone[split.test])
    np.testing.assert_array_equal(two[: len(split.test)], alone[split.test])
