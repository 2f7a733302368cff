"""UCI messages under the protocol of DyGLib: which pair interacts at a moment, with three kinds of negatives."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import average_precision_score

from egonet import EventEncoder
from egonet.typing import Floats, Int64s
from research.datasets.fetch import data_path
from research.events.groups import GROUPS, window_sets

#: Kinds of negatives: a random target, a pair that interacted before, one that did so only after training.
STRATEGIES = ("random", "historical", "inductive")


@dataclass(frozen=True, eq=False)
class Split:
    """Interactions in order of time, and which of them are for training, validation and test.

    Attributes
    ----------
    events
        source, target, time.
    train, validation, test
        Rows of the events. Training leaves out every interaction of a node that is set aside for the end.
    """

    events: pd.DataFrame
    train: Int64s
    validation: Int64s
    test: Int64s


def split_events(events: pd.DataFrame, *, seed: int) -> Split:
    """Return 70 / 15 / 15 percent by time; a tenth of the nodes, all active after training, is unknown to it."""
    times = events.time.to_numpy()
    begin, end = np.quantile(times, [0.7, 0.85])
    ends = events[["source", "target"]].to_numpy()
    later = np.unique(ends[times > begin])
    rng = np.random.default_rng(seed)
    hidden = rng.choice(later, len(np.unique(ends)) // 10, replace=False)
    is_known = ~np.isin(ends, hidden).any(axis=1)
    return Split(
        events,
        np.flatnonzero((times <= begin) & is_known),
        np.flatnonzero((times > begin) & (times <= end)),
        np.flatnonzero(times > end),
    )


def draw_negatives(split: Split, rows: Int64s, strategy: str, spec: dict[str, Any], *, seed: int) -> Int64s:
    """Return a negative pair per interaction, drawn for each batch of consecutive interactions.

    `random` keeps the source and draws a target of any interaction. `historical` draws pairs that interacted before the
    batch and not during it; `inductive` those of them that did not before `rows` begin. If there are too few, the rest
    are random pairs.
    """
    events, rng = split.events, np.random.default_rng(seed)
    ends, times = events[["source", "target"]].to_numpy(), events.time.to_numpy()
    size = int(ends.max()) + 1
    codes = ends @ np.array([size, 1])
    targets = np.unique(ends[:, 1])
    observed = np.unique(codes[: rows[0]])
    found = []
    for first in range(0, len(rows), spec["batch"]):
        batch = rows[first : first + spec["batch"]]
        pairs = np.column_stack([ends[batch, 0], rng.choice(targets, len(batch))])
        if strategy != "random":
            begin, last = times[batch[0]], times[batch[-1]]
            pool = np.setdiff1d(codes[times <= begin], codes[(times >= begin) & (times <= last)])
            if strategy == "inductive":
                pool = np.setdiff1d(pool, observed)
            drawn = rng.choice(pool, min(len(pool), len(batch)), replace=False)
            pairs[: len(drawn)] = np.column_stack(np.divmod(drawn, size))
        found.append(pairs)
    return np.concatenate(found)


def interaction_rows(
    split: Split, rows: Int64s, negatives: Int64s, encode: Callable[[pd.DataFrame], Floats], known: Int64s
) -> Floats:
    """Return the rows of interactions and then of their negatives, as of their times.

    `known` are the events of the history. Negatives are asked about and leave no trace.
    """
    asked = split.events.iloc[rows]
    wrong = pd.DataFrame(negatives, columns=["source", "target"]).assign(time=asked.time.to_numpy())
    history = split.events.iloc[known]
    table = pd.concat([history, wrong], ignore_index=True)
    table["keep"] = np.arange(len(table)) < len(history)
    order = np.argsort(table.time.to_numpy(), kind="stable")
    found = encode(table.iloc[order].reset_index(drop=True))
    rows_of = np.empty_like(found)
    rows_of[order] = found
    return np.concatenate([rows_of[np.searchsorted(known, rows)], rows_of[len(history) :]])


def encode_with(groups: Any, spec: dict[str, Any]) -> Callable[[pd.DataFrame], Floats]:
    """Return what makes rows of groups of columns; an interaction knows earlier times only, and not itself."""

    def encode(table: pd.DataFrame) -> Floats:
        encoder = EventEncoder(
            source="source",
            target="target",
            keep="keep",
            windows=window_sets(spec)[0],
            groups=groups,
            order="time",
            own=False,
        )
        return np.asarray(encoder.fit_transform(table))

    return encode


def batch_precisions(positive: Floats, negative: Floats, size: int) -> Floats:
    """Return the average precision of every batch, which is what DyGLib averages.

    >>> batch_precisions(np.array([0.9, 0.2]), np.array([0.1, 0.8]), 1).tolist()
    [1.0, 0.5]
    """
    found = []
    for first in range(0, len(positive), size):
        here = slice(first, first + size)
        labels = np.repeat([1, 0], [len(positive[here]), len(negative[here])])
        found.append(average_precision_score(labels, np.concatenate([positive[here], negative[here]])))
    return np.array(found)


def interaction_scores(spec: dict[str, Any], done: set[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """Yield a score per set of columns and kind of negatives; those in `done` are left out.

    The model learns from random negatives, its setting is chosen on validation interactions with random negatives, and
    test interactions are scored once with every kind.
    """
    split = split_events(read_messages(), seed=spec["seed"])
    for name, strategy in product(MEMORIES, STRATEGIES):
        if (name, strategy) not in done:
            yield edge_bank_score(split, name, strategy, spec)
    everything = np.arange(len(split.events))
    for count in range(1, len(GROUPS) + 1):
        name = "ends" if count == 1 else f"+ {GROUPS[count - 1]}"
        if all((name, strategy) in done for strategy in STRATEGIES):
            continue
        began, encode = time.monotonic(), encode_with(GROUPS[:count], spec)

        def rows_of(
            rows: Int64s,
            strategy: str,
            seed: int,
            known: Int64s = everything,
            encode: Callable[[pd.DataFrame], Floats] = encode,
        ) -> Floats:
            negatives = draw_negatives(split, rows, strategy, spec, seed=seed)
            return interaction_rows(split, rows, negatives, encode, known)

        train = rows_of(split.train, "random", spec["seed"] + 10, split.train)
        has_value = np.isfinite(train).any(axis=0)
        labels = np.repeat([True, False], len(split.train))
        later = rows_of(split.validation, "random", 0)[:, has_value]
        models = [
            HistGradientBoostingClassifier(
                max_iter=spec["max_iter"], early_stopping=False, random_state=spec["seed"], **setting
            ).fit(train[:, has_value], labels)
            for setting in spec["candidates"]
        ]
        validation = [float(score_rows(model, later, spec).mean()) for model in models]
        best = int(np.argmax(validation))
        for strategy in STRATEGIES:
            found = score_rows(models[best], rows_of(split.test, strategy, 2)[:, has_value], spec)
            yield as_line(name, strategy, found, spec) | {
                "num_columns": int(has_value.sum()),
                "num_train": len(train),
                "setting": spec["candidates"][best],
                "validation": validation,
                "seconds": round(time.monotonic() - began, 1),
            }


def score_rows(model: Any, rows: Floats, spec: dict[str, Any]) -> Floats:
    """Return the precision of every batch; the first half of the rows are positive."""
    positive, negative = np.split(model.predict_proba(rows)[:, 1], 2)
    return batch_precisions(positive, negative, spec["batch"])


def as_line(name: str, strategy: str, precisions: Floats, spec: dict[str, Any]) -> dict[str, Any]:
    """Return the mean over batches, its interval over batches, and the published scores."""
    rng = np.random.default_rng(spec["seed"])
    means = [rng.choice(precisions, len(precisions)).mean() for _ in range(spec["resamples"])]
    return {
        "question": "UCI interactions",
        "negatives": strategy,
        "columns": name,
        "average_precision": float(precisions.mean()),
        "interval": np.quantile(means, [0.025, 0.975]).tolist(),
        "published": spec["published"][strategy],
    }


#: What EdgeBank remembers of all earlier interactions; DyGLib publishes the best for every kind of negatives.
MEMORIES = {
    "EdgeBank": "all pairs",
    "EdgeBank, recent": "those of the last 15 % of the time",
    "EdgeBank, repeated": "those that interacted at least as often as a pair does on average",
}


def edge_bank_score(split: Split, name: str, strategy: str, spec: dict[str, Any]) -> dict[str, Any]:
    """Return the score of the rule that a pair interacts if it is remembered, which checks the negatives."""
    ends, times = split.events[["source", "target"]].to_numpy(), split.events.time.to_numpy()
    weights = np.array([int(ends.max()) + 1, 1])
    codes = ends @ weights
    negatives = draw_negatives(split, split.test, strategy, spec, seed=2) @ weights
    found = []
    for first in range(0, len(split.test), spec["batch"]):
        batch, begin = slice(first, first + spec["batch"]), split.test[first]
        pairs = np.concatenate([codes[split.test[batch]], negatives[batch]])
        wanted = np.repeat([1, 0], len(pairs) // 2)
        memory = remembered(codes[:begin], times[:begin], name)
        found.append(average_precision_score(wanted, np.isin(pairs, memory)))
    return as_line(name, strategy, np.array(found), spec)


def remembered(codes: Int64s, times: Int64s, name: str) -> Int64s:
    """Return the pairs that EdgeBank remembers, by name of its memory.

    >>> pairs, times = np.array([7, 7, 8, 9]), np.array([1, 2, 3, 4])
    >>> [remembered(pairs, times, name).tolist() for name in MEMORIES]
    [[7, 8, 9], [9], [7]]
    """
    if name == "EdgeBank, recent":
        return np.unique(codes[times >= np.quantile(times, 0.85)])
    pairs, counts = np.unique(codes, return_counts=True)
    return pairs[counts >= counts.mean()] if name == "EdgeBank, repeated" else pairs


def read_messages() -> pd.DataFrame:
    """Return the messages of CollegeMsg, which DyGLib calls UCI, in order of time."""
    path = data_path("collegemsg", "temporal/CollegeMsg.txt.gz")
    messages = pd.read_csv(path, sep=" ", names=["source", "target", "time"])
    return messages.sort_values("time", kind="stable").reset_index(drop=True)
