"""Rows per event on three sets: what raw columns, per-account aggregates, GFP and our groups of columns add."""

import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache, partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score, roc_auc_score

from egonet import EventEncoder
from egonet.typing import Floats
from research.datasets.fetch import data_path
from research.events.amlsim import account_rows, parts_of, read_amlsim
from research.events.evaluate import Choice, Flags, Question, boosted, choose_columns, together
from research.events.messages import WEEK, draw_pairs

GROUPS: Any = ("ends", "pair", "ego", "cycles")
AMLSIM, ACCOUNTS = "AMLSim fraud transfers", "AMLSim fraud accounts"
#: The same on days of which no score was seen when windows and settings were chosen.
EARLY = "AMLSim fraud transfers of days 41 to 70"
#: What is said about amounts, and their column.
AMOUNTS: dict[str, str | None] = {"without amounts": None, "with amounts": "value"}
RATINGS, MESSAGES = "bitcoin-otc negative ratings", "CollegeMsg messages next week"


def scores(spec: dict[str, Any], done: dict[tuple[str, str], dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield a score per set of columns, each as soon as it is known; `done` has the lines of earlier runs."""
    columns_of = lru_cache(maxsize=1)(lambda amount: amlsim_columns(amount, spec["amlsim"]))

    def amlsim(name: str, part: str) -> Callable[[], Question]:
        title = f"{EARLY if part == 'amlsim-early' else AMLSIM}, {name}"
        return lambda: amlsim_question(title, columns_of(AMOUNTS[name]), spec[part])

    makers: dict[str, Callable[[], Question]] = {
        MESSAGES: lambda: messages_question(spec["collegemsg"]),
        RATINGS: lambda: ratings_question(spec["bitcoin-otc"]),
    }
    for name in AMOUNTS:
        makers |= {
            f"{AMLSIM}, {name}": amlsim(name, "amlsim"),
            f"{EARLY}, {name}": amlsim(name, "amlsim-early"),
        }
    makers |= {f"{ACCOUNTS}, {name}": _accounts(amount, spec) for name, amount in AMOUNTS.items()}
    for name, make in makers.items():
        yield from score_sets(make(), spec, {key[1]: line for key, line in done.items() if key[0] == name})


def score_sets(
    question: Question, spec: dict[str, Any], done: dict[str, dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield the score of every set of columns that is not done, and what it gains over the per-account aggregates.

    Intervals are over test rows; the same resamples for both sets give the interval of a gain.
    """
    wanted, parts = question.labels[question.is_test], (~question.is_test, question.is_test)
    rng = np.random.default_rng(spec["seed"])
    samples = [rng.integers(0, len(wanted), len(wanted)) for _ in range(spec["resamples"])]
    simple: Floats | None = None
    for name, make in question.columns.items():
        is_simple = name.endswith("aggregates")
        if name in done and (not is_simple or done.keys() >= question.columns.keys()):
            continue
        began = time.monotonic()
        choice = choose_columns(question, make, spec)
        columns = choice.columns
        found = boosted(columns, question.labels, parts, choice.setting, spec)
        drawn = resampled(wanted, found, samples)
        if is_simple:
            simple = drawn
        if name in done:
            continue
        yield {
            "question": question.name,
            "columns": name,
            "num_columns": columns.shape[1],
            "num_train": int(parts[0].sum()),
            "num_test": len(wanted),
            "positives": int(wanted.sum()),
            "average_precision": float(average_precision_score(wanted, found)),
            "interval": np.quantile(drawn, [0.025, 0.975]).tolist(),
            "gain_over_aggregates": None
            if simple is None
            else np.quantile(drawn - simple, [0.025, 0.975]).tolist(),
            "area": float(roc_auc_score(wanted, found)),
            "setting": choice.setting,
            "validation": choice.validation,
            **chosen_windows(choice),
            "seconds": round(time.monotonic() - began, 1),
        }


def chosen_windows(choice: Choice) -> dict[str, Any]:
    """Return what a line says about the windows that were chosen; nothing without a choice."""
    if not choice.windows_validation:
        return {}
    return {"windows": choice.windows, "windows_validation": choice.windows_validation}


def resampled(wanted: Flags, found: Floats, samples: list[Any]) -> Floats:
    """Return the average precision of every resample of the test rows."""
    return np.array([average_precision_score(wanted[rows], found[rows]) for rows in samples])


def amlsim_columns(amount: str | None, spec: dict[str, Any]) -> dict[str, Any]:
    """Return the sets of columns of all transfers; a transfer knows those before it, the same day included."""
    transfers, accounts = read_amlsim()
    raw = np.empty((len(transfers), 0))
    if amount is not None:
        balances = [accounts.init_balance.reindex(transfers[end]) for end in ("source", "target")]
        raw = np.column_stack([transfers[amount], *balances])
    return column_sets(transfers, raw, amount, spec)


def amlsim_question(title: str, columns: dict[str, Any], spec: dict[str, Any]) -> Question:
    """Return which transfers are fraud, until a last day if the spec has one: no row depends on later ones."""
    transfers, _ = read_amlsim()
    transfers = transfers[transfers.time <= spec.get("last_test_day", np.inf)]

    def first_rows(make: Callable[[], Floats]) -> Floats:
        return make()[: len(transfers)]

    cut = {
        name: {windows: partial(first_rows, each) for windows, each in make.items()}
        if isinstance(make, dict)
        else partial(first_rows, make)
        for name, make in columns.items()
    }
    return Question(title, cut, transfers.fraud.to_numpy(), *parts_of(transfers.time, spec))


def _accounts(amount: str | None, spec: dict[str, Any]) -> Callable[[], Question]:
    return lambda: accounts_question(amount, spec["amlsim"])


def accounts_question(amount: str | None, spec: dict[str, Any]) -> Question:
    """Return accounts as of a day, with or without amounts: did they take part in fraud in the window before it?"""
    transfers, accounts = read_amlsim()
    asked, sums, labels = account_rows(transfers, accounts, spec)
    raw = np.empty((len(asked), 0)) if amount is None else sums
    start = "" if amount is None else "raw + "
    columns: dict[str, Any] = {} if amount is None else {"raw": lambda: raw}

    def simple(windows: Sequence[float | None]) -> Floats:
        return together(raw, *(account_aggregates(transfers, asked, amount, window) for window in windows))

    columns[f"{start}aggregates"] = partial(simple, (None,))
    columns[f"{start}aggregates, by window"] = {
        str(windows): partial(simple, windows) for windows in window_sets(spec)
    }
    choices: dict[str, Any] = {f"{start}ends": ("ends",), "+ ego": ("ends", "ego")}
    options: dict[str, Any] = {"source": "source", "target": "target", "amount": amount, "order": "time"}

    def rows(encoder: EventEncoder) -> Floats:
        empty = encoder.fit(transfers[:1]).without_data()
        return together(raw, empty.transform_nodes(asked, events=transfers))

    for title, groups in choices.items():
        columns[title] = {
            str(windows): partial(rows, EventEncoder(windows=windows, groups=groups, **options))
            for windows in window_sets(spec)
        }
    name = next(name for name, each in AMOUNTS.items() if each == amount)
    return Question(f"{ACCOUNTS}, {name}", columns, labels, *parts_of(asked.time, spec))


def account_aggregates(
    transfers: pd.DataFrame, asked: pd.DataFrame, amount: str | None, window: float | None = None
) -> Floats:
    """Return the row of every account as of its day; `asked` is in order of time.

    Examples
    --------
    >>> transfers = pd.DataFrame({"source": [1, 1], "target": [2, 3], "time": [5, 8]})
    >>> asked = pd.DataFrame({"node": [1, 1], "time": [8, 9]})
    >>> account_aggregates(transfers, asked, None)[:, :3].tolist()
    [[1.0, 1.0, 3.0], [2.0, 2.0, 1.0]]
    """
    accounts, rows, num_known = Accounts(has_amounts=amount is not None, window=window), [], 0
    events = transfers[["source", "target", "time", *([] if amount is None else [amount])]]
    for day, part in asked.groupby("time", sort=False):
        until = int((transfers.time < day).sum())
        for event in events[num_known:until].itertuples(index=False, name=None):
            accounts.add(*event)
        num_known = until
        cells = [accounts.row(node, None, day) for node in part.node.tolist()]
        rows += [row[: len(row) // 2] for row in cells]
    return np.array(rows, dtype=np.float64)


def ratings_question(spec: dict[str, Any]) -> Question:
    """Return whether the next rating is negative: the rating itself is not known, so no row counts its own event."""
    ratings = pd.read_csv(data_path("bitcoin-otc", "bitcoin/soc-sign-bitcoinotc.csv.gz"))
    ratings.columns = ["source", "target", "value", "time"]
    ratings = ratings.sort_values("time", kind="stable").reset_index(drop=True)
    columns = column_sets(ratings, np.empty((len(ratings), 0)), "value", spec, own=False)
    rows = np.arange(len(ratings))
    is_test = rows >= int(len(ratings) * spec["train_part"])
    is_validation = ~is_test & (rows >= int(len(ratings) * spec["validation_part"]))
    return Question(RATINGS, columns, (ratings.value < 0).to_numpy(), is_test, is_validation)


def column_sets(
    events: pd.DataFrame,
    raw: Floats,
    amount: str | None,
    spec: dict[str, Any],
    *,
    own: bool = True,
    asked: Any = slice(None),
) -> dict[str, Any]:
    """Return functions that make the sets of columns to compare, by windows, for events in order of time.

    GFP counts the event itself, so it is left out where rows must not. All events count, and the rows `asked` for are
    returned.
    """
    raw = raw[asked]
    start = "raw + " if raw.shape[1] else ""
    found: dict[str, Any] = {"raw": lambda: raw} if raw.shape[1] else {}
    found[f"{start}aggregates"] = lambda: together(raw, aggregates(events, amount)[asked])
    found[f"{start}aggregates, by window"] = {
        str(windows): partial(windowed_aggregates, events, raw, amount, windows, asked)
        for windows in window_sets(spec)
    }
    if own and find_spec("snapml") is not None:
        with_cycles = spec.get("gfp_cycle_windows")
        of_window = cache(
            lambda window: gfp_columns(
                events, amount, window, cycles=with_cycles is None or window in with_cycles, asked=asked
            )
        )

        def of_windows(windows: Sequence[int]) -> Floats:
            return together(raw, *map(of_window, windows))

        if "gfp_window_sets" in spec:
            found[f"{start}GFP"] = {
                str(tuple(windows)): partial(of_windows, windows) for windows in spec["gfp_window_sets"]
            }
        else:
            found[f"{start}GFP"] = partial(of_windows, spec["gfp_windows"][:1])
            found[f"{start}GFP, all windows"] = partial(of_windows, spec["gfp_windows"])
    options: dict[str, Any] = {"source": "source", "target": "target", "amount": amount, "own": own}

    def rows(encoder: EventEncoder) -> Floats:
        return together(raw, event_rows(encoder, events, asked))

    for count in range(1, len(GROUPS) + 1):
        title = f"{start}ends" if count == 1 else f"+ {GROUPS[count - 1]}"
        found[title] = {
            str(windows): partial(rows, EventEncoder(windows=windows, groups=GROUPS[:count], **options))
            for windows in window_sets(spec)
        }
    if "default_windows" in spec:  # those of EventEncoder, without a choice
        windows = tuple(window or None for window in spec["default_windows"])
        encoder = EventEncoder(windows=windows, groups=GROUPS[:2], **options)
        found["ends and pair, default windows"] = partial(rows, encoder)
        if own and find_spec("snapml") is not None:
            found["GFP, default windows"] = partial(of_windows, spec["gfp_default_windows"])
    return found


def window_sets(spec: dict[str, Any]) -> list[tuple[int | None, ...]]:
    """Return the windows of a set, or those of which the validation rows choose; 0 means no limit.

    Examples
    --------
    >>> window_sets({"windows": [7, 0]}), window_sets({"window_sets": [[30], [30, 0]]})
    ([(7, None)], [(30,), (30, None)])
    """
    sets = spec.get("window_sets") or [spec["windows"]]
    return [tuple(window or None for window in windows) for windows in sets]


class Accounts:
    """What a table of accounts gives: per account, out and in, events, partners, last time and sum of amounts.

    With a window w, a row at time t knows the events with t - w < time; the last time knows all.
    """

    def __init__(self, *, has_amounts: bool, window: float | None = None) -> None:
        self.has_amounts, self.window = has_amounts, window
        self._known: dict[tuple[int, Any], deque[tuple[Any, Any, float]]] = defaultdict(deque)
        self._partners: dict[tuple[int, Any], Counter[Any]] = defaultdict(Counter)
        self._totals: dict[tuple[int, Any], float] = defaultdict(float)
        self._last: dict[tuple[int, Any], Any] = {}

    def row(self, source: Any, target: Any, time: Any) -> list[float]:
        """Return both ends, out and in: events, partners, time since the last, and sum and mean of amounts."""
        cells: list[float] = []
        for end in (source, target):
            for side in (0, 1):
                self._forget((side, end), time)
                count, total = len(self._known[side, end]), self._totals[side, end]
                cells += [count, len(self._partners[side, end]), time - self._last.get((side, end), np.nan)]
                if self.has_amounts:
                    cells += [total, total / count if count else np.nan]
        return cells

    def add(self, source: Any, target: Any, time: Any, value: float = 0.0) -> None:
        """Add one event."""
        for side, end, other in ((0, source, target), (1, target, source)):
            self._known[side, end].append((time, other, value))
            self._partners[side, end][other] += 1
            self._totals[side, end] += value
            self._last[side, end] = time

    def _forget(self, key: tuple[int, Any], time: Any) -> None:
        """Drop the events of an account that a window no longer has."""
        known, partners = self._known[key], self._partners[key]
        while self.window is not None and known and known[0][0] <= time - self.window:
            _, other, value = known.popleft()
            self._totals[key] -= value
            partners[other] -= 1
            if not partners[other]:
                del partners[other]


def aggregates(events: pd.DataFrame, amount: str | None, window: float | None = None) -> Floats:
    """Return the row of both accounts as of every event, own event not counted.

    Examples
    --------
    >>> events = pd.DataFrame({"source": [1, 1, 1], "target": [2, 3, 3], "time": [5, 8, 9]})
    >>> aggregates(events, None)[1:, :3].tolist()
    [[1.0, 1.0, 3.0], [2.0, 2.0, 1.0]]
    >>> aggregates(events, None, window=4)[1:, :3].tolist()
    [[1.0, 1.0, 3.0], [1.0, 1.0, 1.0]]
    """
    accounts, rows = Accounts(has_amounts=amount is not None, window=window), []
    values = np.zeros(len(events)) if amount is None else events[amount].to_numpy()
    ends = zip(
        events.source.tolist(), events.target.tolist(), events.time.tolist(), values.tolist(), strict=True
    )
    for source, target, moment, value in ends:
        rows.append(accounts.row(source, target, moment))
        accounts.add(source, target, moment, value)
    return np.array(rows, dtype=np.float64)


def event_rows(
    encoder: EventEncoder, events: pd.DataFrame, asked: Any = slice(None), size: int = 100_000
) -> Floats:
    """Return some rows of all events, which are encoded in parts so that only these rows take memory.

    Examples
    --------
    >>> events = pd.DataFrame({"source": [1, 1, 1], "target": [2, 3, 2], "time": [5, 8, 9]})
    >>> encoder = EventEncoder(windows=(None,), groups=("pair",))
    >>> event_rows(encoder, events, np.array([False, True, True]), size=2)[:, 0].tolist()
    [0.0, 1.0]
    """
    is_asked = np.zeros(len(events), dtype=bool)
    is_asked[asked] = True
    rows = []
    for begin in range(0, len(events), size):
        part = slice(begin, begin + size)
        encode = encoder.partial_fit_transform if begin else encoder.fit_transform
        rows.append(encode(events[part])[is_asked[part]])
    return np.concatenate(rows)


def windowed_aggregates(
    events: pd.DataFrame, raw: Floats, amount: str | None, windows: Sequence[float | None], asked: Any
) -> Floats:
    """Return the aggregates of both accounts in every window, for some rows, next to the raw columns."""
    return together(raw, *(aggregates(events, amount, window)[asked] for window in windows))


def gfp_columns(
    events: pd.DataFrame, amount: str | None, window: int, *, cycles: bool = True, asked: Any = slice(None)
) -> Floats:
    """Return the columns of snapml's Graph Feature Preprocessor that vary, event by event, in one window."""
    from snapml import GraphFeaturePreprocessor

    table = gfp_table(events, amount)
    preprocessor = gfp_preprocessor(
        GraphFeaturePreprocessor(), window, cycles=cycles, amounts=amount is not None
    )
    # One event at a time: within a call, rows would know later rows.
    is_asked = np.zeros(len(table), dtype=bool)
    is_asked[asked] = True
    rows = []
    for row, is_wanted in enumerate(is_asked.tolist()):
        cells = preprocessor.transform(table[row : row + 1])[0, table.shape[1] :]
        if is_wanted:
            rows.append(cells)
    found = np.array(rows, dtype=np.float64)
    return found[:, np.ptp(found, axis=0) > 0]  # many bins of its histograms are always empty


def gfp_preprocessor(preprocessor: Any, window: int, *, cycles: bool, amounts: bool) -> Any:
    """Return a preprocessor with everything in one window, on one thread."""
    names = ("fan", "degree", "scatter-gather", "temp-cycle")
    lengths = {f"{name}_tw": window for name in (*names, "vertex_stats", "lc-cycle")}
    preprocessor.set_params(
        preprocessor.get_params()
        | lengths
        | {"num_threads": 1, "time_window": window, "fan": True, "degree": True, "vertex_stats": True}
        | {"scatter-gather": cycles, "temp-cycle": cycles, "lc-cycle": False}
        | {"vertex_stats_cols": [4] if amounts else [3]}
        | {"vertex_stats_feats": [0, 1, 2, 3, 4, 5, 6, 8] if amounts else [0, 1, 2]}
    )
    return preprocessor


def gfp_table(events: pd.DataFrame, amount: str | None) -> Floats:
    """Return events as GFP takes them: number, source, target, time, and the amount."""
    columns = [np.arange(len(events)), events.source, events.target, events.time]
    columns += [] if amount is None else [events[amount]]
    return np.ascontiguousarray(np.column_stack(columns), dtype=np.float64)


def messages_question(spec: dict[str, Any]) -> Question:
    """Return pairs that exchange a message in a week, and others, as of the week's start."""
    path = data_path("collegemsg", "temporal/CollegeMsg.txt.gz")
    messages = pd.read_csv(path, sep=" ", names=["source", "target", "time"])
    messages = messages.sort_values("time", kind="stable").reset_index(drop=True)
    begin = int(messages.time.min())
    week = ((messages.time - begin) // WEEK).to_numpy()
    ends = messages[["source", "target"]].to_numpy() - 1
    num_nodes = int(ends.max()) + 1
    rng = np.random.default_rng(0)
    weeks = [number for number in range(spec["first_week"], int(week.max()) + 1) if (week == number).any()]
    last_train = weeks[int(len(weeks) * spec["train_part"])]
    asked = [
        draw_pairs(ends[week == number], np.unique(ends[week < number]), num_nodes, rng) for number in weeks
    ]
    sizes = [len(pairs) for pairs, _ in asked]
    numbers = np.repeat(weeks, sizes)
    queries = pd.DataFrame(np.concatenate([pairs for pairs, _ in asked]), columns=["source", "target"])
    queries["time"] = begin + numbers * WEEK
    events = pd.DataFrame(ends, columns=["source", "target"]).assign(time=messages.time)

    def simple(windows: Sequence[float | None]) -> Floats:
        parts = []
        for window in windows:
            accounts, rows = Accounts(has_amounts=False, window=window), []
            for number in weeks:
                for event in events[week_before(week, number, weeks)].itertuples(index=False, name=None):
                    accounts.add(*event)
                asked_now = queries[numbers == number].itertuples(index=False, name=None)
                rows += [accounts.row(*query) for query in asked_now]
            parts.append(np.array(rows, dtype=np.float64))
        return together(*parts)

    columns: dict[str, Callable[[], Floats]] = {
        "aggregates": partial(simple, (None,)),
        "aggregates, by window": partial(simple, window_sets(spec)[0]),
    }

    def rows_of(groups: Any) -> Floats:
        encoder = EventEncoder(
            source="source",
            target="target",
            windows=window_sets(spec)[0],
            groups=groups,
            own=False,
            order="time",
        )
        rows = []
        for number in weeks:
            encoder.partial_fit(events[week_before(week, number, weeks)])
            rows.append(encoder.transform(queries[numbers == number]))
        return np.concatenate(rows)

    for count in range(1, len(GROUPS) + 1):
        columns["ends" if count == 1 else f"+ {GROUPS[count - 1]}"] = partial(rows_of, GROUPS[:count])
    labels = np.concatenate([wanted for _, wanted in asked])
    is_validation = (numbers <= last_train) & (numbers > weeks[int(len(weeks) * spec["train_part"] * 0.75)])
    return Question(MESSAGES, columns, labels, numbers > last_train, is_validation)


def week_before(week: Any, number: int, weeks: list[int]) -> Any:
    """Return which events are new at the start of a week: those since the week asked about before.

    Examples
    --------
    >>> week_before(np.array([0, 3, 4, 5, 6]), 6, [4, 6]).tolist()
    [False, False, True, True, False]
    """
    earlier = [each for each in weeks if each < number]
    return (week < number) & (week >= (earlier[-1] if earlier else 0))
