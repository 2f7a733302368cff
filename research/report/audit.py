"""How near our numbers are to the paper's, by intervals; and what is left of its verdicts with folds as the unit."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from research.paper.results import Line, read_lines, results_path
from research.paper.spec import Cell, TableSpec, table_spec
from research.report.compare import Row, agrees, honest_rows, index_lines, paper_rows
from research.report.statistics import Summary, holm, paired

RUN_TABLES = ("table1", "table4", "table5")
OWN_DRAWS = "audit/own_draws.jsonl"
#: Seeds behind every published mean.
PUBLISHED_SEEDS = 10
LEVEL = 0.05
#: The paper marks a difference from this p-value on.
PAPER_LEVEL = 0.01
#: Graphs of a test fold for each graph of training: a tenth tests, a tenth validates.
FOLD_SHARE = 1 / 8


@dataclass(frozen=True)
class Gap:
    """The difference between our mean and a published one, with its 95 % interval (Welch).

    `near` is the older rule: within 1.5 points, a factor of two or a pair, by the kind of the table.
    """

    name: str
    difference: float
    low: float
    high: float
    near: bool

    @property
    def agrees(self) -> bool:
        """Return whether no difference lies inside the interval."""
        return self.low <= 0 <= self.high


def gap(name: str, ours: Summary, mean: float, spread: float, *, near: bool) -> Gap:
    """Return the difference between our mean and a published mean and spread.

    Examples
    --------
    >>> found = gap("mutag/gin", Summary(80.0, 2.0, 0, 0, 10), 81.0, 2.0, near=True)
    >>> round(found.low, 2), round(found.high, 2), found.agrees
    (-2.88, 0.88, True)
    """
    difference = ours.mean - mean
    parts = ours.spread**2 / ours.count, spread**2 / PUBLISHED_SEEDS
    error = math.sqrt(sum(parts))
    if error == 0:
        same = math.isclose(ours.mean, mean, rel_tol=5e-3, abs_tol=5e-3)  # published numbers are rounded
        difference = 0.0 if same else difference
        return Gap(name, difference, difference, difference, near)
    freedom = sum(parts) ** 2 / (
        parts[0] ** 2 / max(ours.count - 1, 1) + parts[1] ** 2 / (PUBLISHED_SEEDS - 1)
    )
    reach = float(stats.t.ppf(0.975, freedom)) * error
    return Gap(name, difference, difference - reach, difference + reach, near)


def gaps(rows: Iterable[Row], *, encoded: bool) -> list[Gap]:
    """Return the differences to the published numbers of every row that was run, with or without the encoding."""
    found = []
    for row in rows:
        ours = row.encoded if encoded else row.control
        if ours is None:
            continue
        cell = row.cell
        mean, spread = (cell.value, cell.spread) if encoded else (cell.control, cell.control_spread)
        found.append(gap(cell.name, ours, mean, spread, near=agrees(cell, ours.mean, mean)))
    return found


def own_draw_lines(path: Path) -> dict[str, list[Line]]:
    """Return the lines of runs from our own random draws, by table; no lines without the file."""
    found: dict[str, list[Line]] = {name: [] for name in RUN_TABLES}
    for text in path.read_text("utf-8").splitlines() if path.is_file() else []:
        entry = json.loads(text)
        where = {name: entry[name] for name in ("table", "data", "model", "target", "form", "radius")}
        for seed, score in zip(entry["seeds"], entry["scores"], strict=True):
            line = Line(
                **where,
                seed=seed,
                protocol="paper",
                quick=False,
                score=score,
                details={},
                seconds=0.0,
                environment={},
            )
            found[entry["table"]].append(line)
    return found


def verdict_counts(table: TableSpec, lines: Sequence[Line]) -> tuple[int, int]:
    """Return how many cells have the paper's verdict at its own level (p below 0.01), and how many were compared."""
    signs = {"positive": 1, "negative": -1, "insignificant": 0}
    rows = [row for row in paper_rows(table, lines) if row.difference is not None and row.cell.direction]
    same = 0
    for row in rows:
        assert row.difference is not None
        mean = row.difference.mean
        ours = 0 if row.difference.p_value >= PAPER_LEVEL else int(np.sign(mean))
        same += ours == signs[row.cell.direction]
    return same, len(rows)


@dataclass(frozen=True)
class FoldTest:
    """P-values of one cell: over seeds (after Holm), over folds, and over folds with Nadeau and Bengio's correction."""

    name: str
    seeds: float
    folds: float
    corrected: float


def fold_tests(table: TableSpec, lines: Sequence[Line]) -> list[FoldTest]:
    """Return the tests of the honest protocol; a fold's value is its mean over the seeds."""
    known = index_lines(lines)
    found = []
    for row in honest_rows(table, lines):
        if row.difference is None or row.corrected is None:
            continue
        counts = _fold_differences(known, row.cell)
        error = counts.std(ddof=1) * math.sqrt(1 / len(counts) + FOLD_SHARE)
        corrected = float(2 * stats.t.sf(abs(counts.mean()) / error, len(counts) - 1)) if error else 1.0
        by_fold = paired(counts.tolist(), [0.0] * len(counts)).p_value
        found.append(FoldTest(row.cell.name, row.corrected, by_fold, corrected))
    return found


def _fold_differences(known: Any, cell: Cell) -> Any:
    """Return the mean difference of right graphs per fold, the radius of every seed chosen on validation graphs."""
    where = (cell.data, cell.model, cell.target)
    control = known[(*where, "none", 0)]
    sides = [known[(*where, "encoding", radius)] for radius in (1, 2)]
    rows = []
    for seed in sorted(set(control) & set(sides[0]) & set(sides[1])):
        right = [sum(side[seed].details.get("validation_right", [0])) for side in sides]
        chosen = sides[int(right[1] > right[0])][seed]
        rows.append(np.subtract(chosen.details["right"], control[seed].details["right"]))
    return np.mean(rows, axis=0)


def audit(results: Path) -> list[str]:
    """Return the audit as sentences: agreement by intervals, with replayed and own draws, and tests over folds."""
    own = own_draw_lines(results / OWN_DRAWS)
    sentences = []
    for name in RUN_TABLES:
        table = table_spec(name)
        replayed = list(read_lines(results_path(results, name, "paper")))
        for title, lines in (("published draws", replayed), ("our own draws", own[name])):
            if lines:
                sentences += _agreement(f"Table {name[-1]}, {title}", paper_rows(table, lines))
        if name == "table1" and replayed:
            same, count = verdict_counts(table, replayed)
            sentences.append(
                f"Table 1, published draws: {same} of {count} verdicts are the paper's, at p < {PAPER_LEVEL}."
            )
    honest = list(read_lines(results_path(results, "table1", "honest")))
    if honest:
        sentences.append(_fold_sentence(fold_tests(table_spec("table1"), honest)))
    return sentences


def link_sentences() -> list[str]:
    """Return which share of the edges that the published code tests is in its training graph; needs the two graphs."""
    from research.paper.nodes.choice import node_spec
    from research.paper.nodes.link_prediction import TABLE, read_links, split_for
    from research.paper.nodes.link_split import shown_share

    found = []
    for name in node_spec(TABLE)["data"]:
        shares = [
            shown_share(split_for(name, read_links(name), seed, "paper"))
            for seed in node_spec(TABLE)["seeds"]
        ]
        found.append(
            f"Link prediction on {name}: {min(shares):.1%} to {max(shares):.1%} of the tested edges are edges of the "
            f"training graph, under the paper's protocol."
        )
    return found


def _fold_sentence(tests: Sequence[FoldTest]) -> str:
    """Return how many differences are left with folds as the unit."""
    kept = [number for number, test in enumerate(tests) if test.seeds < LEVEL]
    counts = []
    for name in ("folds", "corrected"):
        values = [getattr(test, name) for test in tests]
        adjusted = holm(values)
        left = [tests[at].name for at in kept if adjusted[at] < LEVEL]
        plain = sum(values[at] < LEVEL for at in kept)
        counts.append(f"{len(left)} ({', '.join(left) or 'none'}; {plain} without Holm's correction)")
    return (
        f"Table 1, honest protocol: {len(kept)} of {len(tests)} differences have p < {LEVEL} over seeds, corrected by "
        f"Holm. Of these have it over folds: {counts[0]}; over folds with Nadeau and Bengio's correction: {counts[1]}."
    )


def _agreement(title: str, rows: Sequence[Row]) -> list[str]:
    """Return a sentence with the encoding, and one without it."""
    found = []
    for encoded in (True, False):
        each = gaps(rows, encoded=encoded)
        if each:
            far = max(each, key=lambda one: abs(one.difference))
            side = "with" if encoded else "without"
            agree, near = sum(one.agrees for one in each), sum(one.near for one in each)
            found.append(
                f"{title}, {side} the encoding: {agree} of {len(each)} cells agree (no difference inside its 95 % "
                f"interval), {near} are near (older rule); largest difference {far.difference:+.4g} "
                f"[{far.low:+.4g}, {far.high:+.4g}] on {far.name}."
            )
    return found
