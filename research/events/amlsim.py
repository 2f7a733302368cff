"""AMLSim: which transfers, and which accounts, take part in fraud; learned before a day, tested after it."""

from typing import Any

import numpy as np
import pandas as pd

from egonet import Settings, TemporalEncoder
from egonet.typing import Closed, Floats
from research.datasets.fetch import data_path
from research.events.evaluate import Flags, Question, together


def read_amlsim() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return transfers (source, target, value, time, fraud), in order of time, and accounts.

    A transfer is fraud if a fraud account sends to a fraud account on the day of its fraud.
    """
    transfers = pd.read_csv(data_path("amlsim", "amlsim/transactions.csv.gz"))
    accounts = pd.read_csv(data_path("amlsim", "amlsim/nodes.csv.gz")).set_index("nodeid")
    transfers.columns = ["source", "target", "value", "time"]
    day = accounts.fraudStep.reindex(transfers.source).to_numpy()
    both = (
        accounts.isFraud.reindex(transfers.source).to_numpy()
        * accounts.isFraud.reindex(transfers.target).to_numpy()
    )
    return transfers.assign(fraud=(both == 1) & (day == transfers.time.to_numpy())), accounts


def questions(spec: dict[str, Any]) -> list[Question]:
    """Return the two questions of AMLSim."""
    transfers, accounts = read_amlsim()
    return [transfer_question(transfers, accounts, spec), account_question(transfers, accounts, spec)]


def transfer_question(transfers: pd.DataFrame, accounts: pd.DataFrame, spec: dict[str, Any]) -> Question:
    """Return a row per transfer, features as of its day: what happens that day is not known."""
    asked = [pd.DataFrame({"node": transfers[end], "time": transfers.time}) for end in ("source", "target")]
    raw = np.column_stack(
        [transfers.value, *(accounts.init_balance.reindex(transfers[end]) for end in ("source", "target"))]
    )
    columns = column_sets(raw, transfers, asked, spec)
    return Question("fraud transfers", columns, transfers.fraud.to_numpy(), *parts_of(transfers.time, spec))


def account_question(transfers: pd.DataFrame, accounts: pd.DataFrame, spec: dict[str, Any]) -> Question:
    """Return a row per account and snapshot: did it take part in fraud in the window that ends there?"""
    asked, raw, labels = account_rows(transfers, accounts, spec)
    return Question(
        "fraud accounts", column_sets(raw, transfers, [asked], spec), labels, *parts_of(asked.time, spec)
    )


def account_rows(
    transfers: pd.DataFrame, accounts: pd.DataFrame, spec: dict[str, Any]
) -> tuple[pd.DataFrame, Floats, Flags]:
    """Return accounts and the days of snapshots, their balances and amounts of the window, and which are fraud.

    No window of a test snapshot begins before the last training snapshot, so that no fraud is in both.
    """
    rows, raw, labels = [], [], []
    for day in spec["snapshots"]:
        recent = transfers[(transfers.time >= day - spec["window"]) & (transfers.time < day)]
        active = np.union1d(recent.source, recent.target)
        guilty = recent[recent.fraud]
        sums = [
            recent.groupby(end).value.agg(["sum", "mean", "min"]).reindex(active)
            for end in ("source", "target")
        ]
        rows.append(pd.DataFrame({"node": active, "time": day}))
        raw.append(np.column_stack([accounts.init_balance.reindex(active), *sums]))
        labels.append(np.isin(active, np.union1d(guilty.source, guilty.target)))
    return pd.concat(rows, ignore_index=True), np.concatenate(raw), np.concatenate(labels)


def parts_of(days: pd.Series, spec: dict[str, Any]) -> tuple[Flags, Flags]:
    """Return which rows are for the test, and which of the others for validation: the last window before the date.

    Examples
    --------
    >>> test, validation = parts_of(pd.Series([70, 71, 100, 101]), {"last_day": 100, "window": 30})
    >>> test.tolist(), validation.tolist()
    ([False, False, False, True], [False, True, True, False])
    """
    values = days.to_numpy()
    return values > spec["last_day"], (values <= spec["last_day"]) & (
        values > spec["last_day"] - spec["window"]
    )


def column_sets(
    raw: Floats, transfers: pd.DataFrame, asked: list[pd.DataFrame], spec: dict[str, Any]
) -> dict[str, Floats]:
    """Return the sets of columns to compare.

    Three of them have wrong times: "shuffled" has the times of all events permuted, so that it knows a part of the
    future; "a window earlier" is as of `window` days before and knows less than what is known; "with the day
    itself" knows what happens on the day that is asked about, which a leak would look like.
    """
    events = transfers[["source", "target", "time"]]
    rng = np.random.default_rng(spec["seed"])
    shuffled = events.assign(time=np.sort(events.time.to_numpy()))
    shuffled[["source", "target"]] = events[["source", "target"]].to_numpy()[rng.permutation(len(events))]
    degrees, ego = (
        together(*(ego_columns(events, query, radius, spec) for query in asked))
        for radius in (0, spec["radius"])
    )
    wrong = together(
        *(ego_columns(shuffled, query, radius, spec) for radius in (0, spec["radius"]) for query in asked)
    )
    return {
        "raw": raw,
        "raw + degrees": together(raw, degrees),
        "raw + degrees + ego": together(raw, degrees, ego),
        "raw + degrees + ego, times shuffled": together(raw, wrong),
        "degrees + ego": together(degrees, ego),
        "degrees + ego, times shuffled": wrong,
        "degrees + ego, a window earlier": at_other_times(events, asked, spec, earlier=spec["window"]),
        "degrees + ego, with the day itself": at_other_times(events, asked, spec, closed="right"),
    }


def at_other_times(
    events: pd.DataFrame,
    asked: list[pd.DataFrame],
    spec: dict[str, Any],
    *,
    earlier: int = 0,
    closed: Closed = "left",
) -> Floats:
    """Return degrees and ego features as of another time than that of the rows."""
    return together(
        *(
            ego_columns(events, query, radius, spec, earlier=earlier, closed=closed)
            for radius in (0, spec["radius"])
            for query in asked
        )
    )


def ego_columns(
    events: pd.DataFrame,
    asked: pd.DataFrame,
    radius: Any,
    spec: dict[str, Any],
    *,
    earlier: int = 0,
    closed: Closed = "left",
) -> Floats:
    """Return features as of a time, following transfers out, in, and either way; columns are learned before the date.

    Radius 0 gives the number of partners itself.
    """
    parts = []
    is_training = asked.time <= spec["last_day"]
    asked = asked.assign(time=asked.time - earlier)
    options: dict[str, Any] = {"closed": closed, "n_jobs": 2}
    for directed in ("out", "in", None):
        if radius == 0:
            encoder = TemporalEncoder(events, Settings(0), spec["window"], directed=directed, **options)
            rows = encoder.fit_transform(asked)
            parts.append((rows @ encoder.vocabulary_.keys[:, 2].astype(np.float64))[:, None])
            continue
        settings = Settings(tuple(radius), degree_bins=spec["degree_bins"])
        encoder = TemporalEncoder(events, settings, spec["window"], directed=directed, **options)
        encoder.fit(asked[is_training])
        parts.append(np.asarray(encoder.transform(asked)))
    return together(*parts)


def leak_checks(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Return, for several days, how many rows before or on that day change when later events do.

    All events of the day and after it get the ends of other such events, so that the past alone stays. Rows as of a
    time must not change by a single count: `changed` is 0 unless the future leaks into them. `changed_with_the_day` is
    the same count for rows that know their own day: it shows that the check can fail.
    """
    transfers, _ = read_amlsim()
    events = transfers[["source", "target", "time"]]
    rng = np.random.default_rng(spec["seed"])
    found = []
    for day in spec["leak_days"]:
        other = events.copy()
        later = np.flatnonzero(events.time >= day)
        for end in ("source", "target"):
            other.loc[later, end] = events[end].to_numpy()[rng.permutation(later)]
        rows = events[(events.time <= day) & (events.time > day - spec["window"])]
        asked = pd.DataFrame({"node": rows.source, "time": rows.time})
        line: dict[str, Any] = {"day": day, "rows": len(asked), "events_changed": len(later)}
        for name, closed in (("changed", "left"), ("changed_with_the_day", "right")):
            line[name] = sum(
                changed_rows(
                    events, other, asked, Settings(tuple(spec["radius"])), spec["window"], closed, way
                )
                for way in ("out", "in", None)
            )
        found.append(line)
    return found


def changed_rows(
    events: pd.DataFrame,
    other: pd.DataFrame,
    asked: pd.DataFrame,
    settings: Settings,
    window: int,
    closed: Any,
    directed: Any,
) -> int:
    """Return how many rows differ between two histories of events."""
    one, two = (
        TemporalEncoder(each, settings, window, closed=closed, directed=directed) for each in (events, other)
    )
    two.vocabulary_ = one.fit(asked).vocabulary_
    first, second = one.encode(asked), two.encode(asked)
    moved = abs(first.matrix - second.matrix)
    differs = np.diff(moved.tocsr().indptr) > 0 if moved.nnz else np.zeros(len(asked), dtype=bool)
    differs[second.unseen.rows] = True  # a key that the other history does not have at all
    return int(differs.sum())
