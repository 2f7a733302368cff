"""Forests on ogbg-molhiv, which has one split: intervals over its test molecules, which seeds of a forest cannot show.

`python -m research.today.resampled_molecules [--seeds N]` fits the forests of the first seeds in
`results/today/columns.jsonl` again, and writes `results/today/test_molecules.jsonl`: a line per encoding, against the
rival that validation molecules choose. Test molecules are drawn again and again with replacement, the same ones for
both and for all seeds.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from research.paper.results import current_commit
from research.today.comparison import compare
from research.today.run import COLUMN_FILE
from research.today.tabular.fits import make_forest
from research.today.tabular.jobs import learned_columns, split_of
from research.today.tabular.lines import read_lines
from research.today.tabular.task import Task
from research.today.tasks import make_task

RESULTS = Path("results/today/test_molecules.jsonl")
SET, MODEL, ENCODINGS = "molhiv", "forest", ("ego", "egolabel")
SEEDS, DRAWS = 3, 2_000

Array = np.ndarray[Any, Any]


def areas(predicted: Array, target: Array, counts: Array) -> Array:
    """Return the area under the ROC curve of every draw; `counts` (draws, rows) is how often it has each row.

    Examples
    --------
    >>> areas(np.array([0.1, 0.4, 0.4, 0.8]), np.array([0, 0, 1, 1]), np.array([[1, 1, 1, 1], [1, 0, 2, 1]])).tolist()
    [0.875, 1.0]
    """
    order = np.argsort(predicted, kind="stable")
    starts = np.flatnonzero(np.diff(predicted[order], prepend=-np.inf))  # rows that are level are one step
    ones, zeros = (
        np.add.reduceat(counts[:, order] * (target[order] == value), starts, axis=1) for value in (1, 0)
    )
    below = np.cumsum(zeros, axis=1) - zeros / 2
    areas: Array = (ones * below).sum(axis=1) / (ones.sum(axis=1) * zeros.sum(axis=1))
    return areas


def resample(ours: list[Array], rival: list[Array], target: Array, draws: int = DRAWS) -> dict[str, float]:
    """Return mean areas, the gain in points, its 95 % interval over test molecules, and the p-value of no difference.

    `ours` and `rival` have the predictions of every seed. Fields are named as those of a comparison.
    """
    size = len(target)
    drawn = np.random.default_rng(0).multinomial(size, np.full(size, 1 / size), size=draws)
    counts = np.concatenate([np.ones((1, size), dtype=np.int64), drawn])
    both = [np.array([areas(found, target, counts) for found in each]) for each in (ours, rival)]
    gains = 100 * (both[0] - both[1])
    mean = gains.mean(axis=0)
    low, high = np.quantile(mean[1:], [0.025, 0.975])
    tail = min((mean[1:] <= 0).sum(), (mean[1:] >= 0).sum())
    found = {
        "score": both[0][:, 0].mean(),
        "rival_score": both[1][:, 0].mean(),
        "gain": mean[0],
        "low": low,
        "high": high,
        "p": min(1.0, 2 * (tail + 1) / (draws + 1)),
        "in_favor": (gains[:, 0] > 0).sum() + 0.5 * (gains[:, 0] == 0).sum(),
    }
    return {name: round(float(value), 6) for name, value in found.items()}


def predict(task: Task, name: str, seeds: int) -> tuple[list[Array], int]:
    """Return what forests of some seeds predict for the test molecules, and their number of columns."""
    train, _, test = split_of(task, 0, 0)
    rows = learned_columns(task.columns(name), train)
    found = []
    for seed in range(seeds):
        forest = make_forest(task.metric, seed).fit(rows[train], task.target[train])
        found.append(forest.predict_proba(rows[test])[:, 1])
        sys.stderr.write(f"{name} {seed}\n")
    return found, rows.shape[1]


def main(seeds: int = SEEDS, target: Path = RESULTS) -> None:
    """Fit the forests and write the lines; the lines of all rivals say which one validation molecules choose."""
    lines = read_lines(target.parents[1] / COLUMN_FILE)
    own = [line for line in lines if (line["set"], line["model"]) == (SET, MODEL)]
    pairs = {each.encoding: each.rival for key in ENCODINGS for each in compare(own, key)}
    task = make_task(SET)
    truth = task.target[split_of(task, 0, 0)[2]]
    found = {name: predict(task, name, seeds) for name in dict.fromkeys([*pairs.values(), *pairs])}
    about = {"set": SET, "model": MODEL, "metric": task.metric, "units": seeds, "molecules": len(truth)}
    about |= {"draws": DRAWS, "commit": current_commit(), "date": time.strftime("%Y-%m-%d")}
    with target.open("w", encoding="utf-8") as stream:
        for name, rival in pairs.items():
            (ours, width), (other, rival_width) = found[name], found[rival]
            line = about | {"encoding": name, "rival": rival, "columns": width, "rival_columns": rival_width}
            stream.write(json.dumps(line | resample(ours, other, truth)) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    main(parser.parse_args().seeds)
