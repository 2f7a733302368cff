"""The search over configurations that the paper made, and how much of a gain the choice on test data itself makes."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from research.paper.results import Line, read_lines, results_path
from research.report.page import Block

FOLDER = "search"
HEADER = [
    "cell",
    "seeds",
    "without",
    "mean of all",
    "chosen on validation",
    "best on test",
    "selection effect",
    "configurations",
]


def search_blocks(folder: Path) -> list[Block]:
    """Return a table per searched table of the paper, or nothing without lines."""
    return [*_accuracies(folder), *_errors(folder), *_equal_pairs(folder)]


def _accuracies(folder: Path) -> list[Block]:
    """Return the search of Table 1 under the validated protocol."""
    paths = [results_path(place, "table1", "honest") for place in (folder, folder / FOLDER)]
    lines = [line for path in paths for line in read_lines(path) if _is_usable(line)]
    cells = dict.fromkeys((line.data, line.model) for line in lines)
    rows = [row for key in cells for row in _rows(key, lines, largest=True)]
    if not rows:
        return []
    note = (
        "Accuracy at each fold's validated epoch, mean over the seeds that all configurations of a cell have; one "
        "configuration is chosen for all seeds. The paper takes the best of six on test data: radius 1 and 2, as "
        "encoding or as learned vectors of length 5 and 10. The effect is best on test less chosen on validation: "
        f"{_mean_effect(rows):.2f} points in the mean of {len(rows)} cells, over the configurations listed."
    )
    return [
        Block("heading", "Table 1: the search over configurations"),
        Block("table", "What the choice of the configuration on test data adds", HEADER, rows),
        Block("paragraph", note),
    ]


def _errors(folder: Path) -> list[Block]:
    """Return EXP of Table 4 and the counting of Table 5, the configuration chosen on validation graphs."""
    rows = []
    for table, largest in (("table4", True), ("table5", False)):
        control = [line for line in read_lines(results_path(folder, table, "paper")) if line.form == "none"]
        found = [*control, *read_lines(results_path(folder / FOLDER, table, "paper"))]
        lines = [line for line in found if _is_usable(line)]
        for data, model, target in dict.fromkeys((line.data, line.model, line.target) for line in lines):
            own = [line for line in lines if line.target == target]
            rows += _rows((data, model), own, largest=largest)
    if not rows:
        return []
    note = (
        "Accuracy on EXP, squared error of the normalized counts. The paper chooses the epoch on validation graphs "
        "already; here the configuration is, too: radius 1 or 2, as encoding or as learned vectors of length 10. Means "
        "over the seeds that all configurations of a cell have."
    )
    return [
        Block("heading", "Tables 4 and 5: the configuration chosen on validation graphs"),
        Block("table", "What the choice of the configuration on test data adds", HEADER, rows),
        Block("paragraph", note),
    ]


def _equal_pairs(folder: Path) -> list[Block]:
    """Return the pairs of Graph8c that stay equal under every configuration: nothing is trained or chosen there."""
    found = list(read_lines(results_path(folder / FOLDER, "table4", "paper")))
    lines = [line for line in found if line.data == "graph8c" and not line.quick]
    forms = sorted({(line.form, line.radius) for line in lines})
    rows = []
    for model in dict.fromkeys(line.model for line in lines):
        scores = {(line.form, line.radius): line.score for line in lines if line.model == model}
        rows.append([model, *(f"{scores[form]:,.0f}" if form in scores else "–" for form in forms)])
    if not rows:
        return []
    caption = "Graph8c: pairs of graphs that random networks leave equal, all configurations"
    return [Block("table", caption, ["network", *(f"{form}@{radius}" for form, radius in forms)], rows)]


def _mean_effect(rows: Sequence[Sequence[str]]) -> float:
    """Return the mean of the column of effects."""
    return float(np.mean([float(row[6]) for row in rows]))


def _is_usable(line: Line) -> bool:
    """Return whether a line has what the choice on validation graphs needs."""
    return not line.quick and "validation_loss" in line.details


def _rows(key: tuple[str, str], lines: Sequence[Line], *, largest: bool) -> list[list[str]]:
    """Return the row of a data set and model, none if fewer than two configurations were run."""
    own = [line for line in lines if (line.data, line.model) == key]
    forms = list(dict.fromkeys((line.form, line.radius) for line in own if line.form != "none"))
    by_form = {form: {line.seed: line for line in own if (line.form, line.radius) == form} for form in forms}
    control = {line.seed: line.score for line in own if line.form == "none"}
    common = set(control).intersection(*by_form.values())
    if len(forms) < 2 or not common:
        return []
    parts = [[lines_of[seed] for seed in sorted(common)] for lines_of in by_form.values()]
    tests = [float(np.mean([line.score for line in part])) for part in parts]
    losses = [float(np.mean([line.details["validation_loss"] for line in part])) for part in parts]
    chosen, best = int(np.argmin(losses)), int(np.argmax(tests) if largest else np.argmin(tests))
    names = [f"{form}@{radius}" for form, radius in forms]
    style = ".2f" if largest else ".3g"
    shown = ", ".join(f"{name} {test:{style}}" for name, test in zip(names, tests, strict=True))
    target = own[0].target
    return [
        [
            "/".join((*key, target) if target else key),
            str(len(common)),
            f"{np.mean([control[seed] for seed in common]):{style}}",
            f"{np.mean(tests):{style}}",
            f"{tests[chosen]:{style}} ({names[chosen]})",
            f"{tests[best]:{style}} ({names[best]})",
            f"{tests[best] - tests[chosen]:+{style}}",
            shown,
        ]
    ]
