"""The search over configurations that the paper made for Table 1, and how much of a gain the choice itself makes."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from experiments.paper.results import Line, read_lines, results_path
from experiments.report.page import Block

FOLDER = "search"


def search_blocks(folder: Path) -> list[Block]:
    """Return a table per data set and model that was searched, or nothing without lines."""
    lines = [line for line in read_lines(results_path(folder / FOLDER, "table1", "honest")) if not line.quick]
    rows = [
        row for key in dict.fromkeys((line.data, line.model) for line in lines) for row in _rows(key, lines)
    ]
    if not rows:
        return []
    header = [
        "cell",
        "without",
        "mean of all",
        "chosen on validation",
        "best on test",
        "selection effect",
        "configurations",
    ]
    note = (
        "Radius 1 and 2, encoding or learned vectors of length 5 and 10; accuracy at each fold's validated epoch, mean "
        "over seeds. The paper takes the configuration that is best on test data; the effect is best on test less "
        "chosen on validation."
    )
    return [
        Block("heading", "Table 1: the search over configurations"),
        Block("table", "One configuration chosen for all seeds", header, rows),
        Block("paragraph", note),
    ]


def _rows(key: tuple[str, str], lines: Sequence[Line]) -> list[list[str]]:
    """Return the row of a data set and model, none if fewer than two configurations were run."""
    own = [line for line in lines if (line.data, line.model) == key]
    forms = list(dict.fromkeys((line.form, line.radius) for line in own if line.form != "none"))
    control = [line.score for line in own if line.form == "none"]
    if len(forms) < 2 or not control:
        return []
    tests, losses = (
        [float(np.mean([value(line) for line in own if (line.form, line.radius) == form])) for form in forms]
        for value in (lambda line: line.score, lambda line: line.details["validation_loss"])
    )
    chosen, best = int(np.argmin(losses)), int(np.argmax(tests))
    names = [f"{form}@{radius}" for form, radius in forms]
    shown = ", ".join(f"{name} {test:.2f}" for name, test in zip(names, tests, strict=True))
    return [
        [
            "/".join(key),
            f"{np.mean(control):.2f}",
            f"{np.mean(tests):.2f}",
            f"{tests[chosen]:.2f} ({names[chosen]})",
            f"{tests[best]:.2f} ({names[best]})",
            f"{tests[best] - tests[chosen]:+.2f}",
            shown,
        ]
    ]
