"""What the experiments on events share: one model, train before and test after a date, scores with intervals."""

import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import average_precision_score, roc_auc_score

from egonet.typing import Floats, Int64s

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Question:
    """Rows to learn from and to be tested on.

    Attributes
    ----------
    name
        What is asked, such as "fraud transfers".
    columns
        Named sets of columns to compare; a set is an array (num_rows, num_columns), a function that makes it, or
        several such functions by windows, of which the validation rows choose one.
    labels
        bool (num_rows,): the answers.
    is_test
        bool (num_rows,): whether a row is later than the date that separates training and test.
    is_validation
        bool (num_rows,): the latest of the other rows, on which settings are chosen; None if there are none.
    """

    name: str
    columns: dict[str, Any]
    labels: Flags
    is_test: Flags
    is_validation: Flags | None = None


@dataclass(frozen=True)
class Score:
    """The scores of one set of columns, with bootstrap intervals over test rows, and the setting that was chosen."""

    question: str
    columns: str
    num_columns: int
    num_train: int
    num_test: int
    positives: int
    average_precision: float
    low: float
    high: float
    area: float
    setting: dict[str, Any] = field(default_factory=dict)
    validation: list[float] = field(default_factory=list)


def spec_of(name: str) -> dict[str, Any]:
    """Return the settings of an experiment."""
    return tomllib.loads(files("research.events").joinpath("specs", f"{name}.toml").read_text("utf-8"))


def evaluate(question: Question, spec: dict[str, Any]) -> list[Score]:
    """Return the scores of every set of columns by gradient boosting.

    With `candidates` in the spec, each set of columns gets the one with the highest average precision on the validation
    rows, learned from the rows before them. It then learns from both, and the test rows are scored once.
    """
    train, test = ~question.is_test, question.is_test
    wanted = question.labels[test]
    scores = []
    for name, columns in question.columns.items():
        setting, validation = choose_setting(question, columns, spec)
        found = boosted(columns, question.labels, (train, test), setting, spec)
        low, high = interval(wanted, found, spec["resamples"], spec["seed"])
        scores.append(
            Score(
                question.name,
                name,
                columns.shape[1],
                int(train.sum()),
                int(test.sum()),
                int(wanted.sum()),
                float(average_precision_score(wanted, found)),
                low,
                high,
                float(roc_auc_score(wanted, found)),
                setting,
                validation,
            )
        )
    return scores


def choose_setting(
    question: Question, columns: Floats, spec: dict[str, Any]
) -> tuple[dict[str, Any], list[float]]:
    """Return the candidate that is best on the validation rows, and the scores of all; test rows are not used."""
    candidates = spec.get("candidates", [])
    if question.is_validation is None or not candidates:
        return {}, []
    later = question.is_validation
    parts = (~question.is_test & ~later, later)
    scores = [
        float(
            average_precision_score(
                question.labels[later], boosted(columns, question.labels, parts, setting, spec)
            )
        )
        for setting in candidates
    ]
    return candidates[int(np.argmax(scores))], scores


@dataclass(frozen=True)
class Choice:
    """What the validation rows chose for a set of columns.

    Attributes
    ----------
    columns
        The columns that have a value in the rows learned from; scikit-learn's boosting takes no other.
    setting
        The setting of boosting.
    validation
        The scores of all settings on the validation rows.
    windows
        Whose columns these are, and the validation scores of all windows; empty without a choice.
    """

    columns: Floats
    setting: dict[str, Any]
    validation: list[float]
    windows: str = ""
    windows_validation: dict[str, float] = field(default_factory=dict)


def choose_columns(question: Question, make: Any, spec: dict[str, Any]) -> Choice:
    """Return the windows and the setting that are best on the validation rows; test rows are not used.

    Windows are compared with the first setting, and settings with the best windows.
    """
    makers = make if isinstance(make, dict) else {"": make}
    first = (
        ~question.is_test if question.is_validation is None else ~question.is_test & ~question.is_validation
    )
    best, scores = "", dict[str, float]()
    columns: Floats = np.empty(0)
    for windows, each in makers.items():
        every = each()
        useful = every[:, np.isfinite(every[first]).any(axis=0)]
        if len(makers) > 1:
            (scores[windows],) = choose_setting(
                question, useful, spec | {"candidates": spec["candidates"][:1]}
            )[1]
        if not columns.size or scores[windows] > scores[best]:
            columns, best = useful, windows
    setting, validation = choose_setting(question, columns, spec)
    return Choice(columns, setting, validation, best, scores)


def boosted(
    columns: Floats,
    labels: Flags,
    parts: tuple[Flags, Flags],
    setting: dict[str, Any],
    spec: dict[str, Any],
) -> Floats:
    """Return the scores of the rows of the second part by a model that learned from the first."""
    model = HistGradientBoostingClassifier(
        max_iter=spec["max_iter"], early_stopping=False, random_state=spec["seed"], **setting
    )
    model.fit(columns[parts[0]], labels[parts[0]])
    found: Floats = model.predict_proba(columns[parts[1]])[:, 1]
    return found


def interval(labels: Flags, scores: Floats, resamples: int, seed: int) -> tuple[float, float]:
    """Return the 95 % interval of the average precision, test rows resampled.

    Examples
    --------
    >>> interval(np.array([True, False]), np.array([0.9, 0.1]), 20, seed=0)
    (1.0, 1.0)
    """
    rng = np.random.default_rng(seed)
    found: list[float] = []
    while len(found) < resamples:
        rows: Int64s = rng.integers(0, len(labels), len(labels))
        if labels[rows].any():
            found.append(average_precision_score(labels[rows], scores[rows]))
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)


def together(*parts: Floats) -> Floats:
    """Return several arrays of columns as one."""
    return np.hstack([np.asarray(part, dtype=np.float64) for part in parts])
