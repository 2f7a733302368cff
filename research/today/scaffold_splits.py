"""Forests on molecules over 20 scaffold splits: the spread over splits, which seeds of one split cannot show.

`python -m research.today.scaffold_splits [SET ...]` writes `results/today/scaffold_splits.jsonl`, a line per set and
split; finished ones are skipped. A forest has 100 trees; scores of Tox21 are means over its twelve targets.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from research.paper.results import current_commit
from research.today import columns
from research.today.chemistry import draw_parts, molecule_graphs, morgan, scaffold_groups
from research.today.comparison import LOWER_IS_BETTER, interval
from research.today.tabular.fits import fit_score
from research.today.tabular.jobs import learned_columns
from research.today.tabular.task import Task
from research.today.tasks import MOLECULE, metric_of, read_molecules_of

RESULTS = Path("results/today/scaffold_splits.jsonl")
SETS = ("bace", "freesolv", "esol", "bbbp", "lipo", "tox21")
SPLITS, TREES = 20, 100
#: The model of all lines.
FOREST = f"forest-{TREES}"
#: Columns that are compared; the rivals of labeled ego-networks are the ones without them.
COLUMNS = (
    "labels",
    "labels+degree",
    "labels+ldp",
    "labels+rwse",
    "labels+lappe",
    "labels+wl",
    "labels+ego",
    "labels+egolabel",
    "morgan",
    "morgan+egolabel",
)

Array = np.ndarray[Any, Any]


def make_task(name: str) -> tuple[Task, list[list[int]]]:
    """Return a set with its columns, and its scaffolds."""
    molecules, targets, parts = read_molecules_of(name, None)
    ego = {"ego": MOLECULE, "egolabel": MOLECULE | {"labeled": True}}
    blocks, seconds = columns.graph_columns(molecule_graphs(molecules), ego, ("cycles", "size"), fewest=1)
    blocks["morgan"] = morgan(molecules)
    target = targets[:, 0] if targets.shape[1] == 1 else targets
    task = Task(name, metric_of(name), "fixed", target, parts, blocks, seconds)
    return task, scaffold_groups(molecules)


def run_split(task: Task, groups: list[list[int]], split: int) -> dict[str, Any]:
    """Return the line of one split: validation and test scores of every set of columns."""
    drawn = draw_parts(groups, np.random.default_rng(split))
    parts = (np.flatnonzero(drawn == 0), np.flatnonzero(drawn == 1), np.flatnonzero(drawn == 2))
    scores = {}
    for name in COLUMNS:
        rows = learned_columns(task.columns(name), parts[0])
        found = fit_score(task, FOREST, rows, parts, split)
        scores[name] = {part: round(found[part], 6) for part in ("validation", "test")}
    sizes = [len(part) for part in parts]
    return {"set": task.name, "metric": task.metric, "split": split, "sizes": sizes, "scores": scores}


def split_lines(lines: list[dict[str, Any]], on_columns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the scores of scaffold splits as lines of models on columns, a fold per split.

    The number of columns and the seconds are those of `on_columns`: the fastest line of the same set and columns.
    Columns that have none are left out.
    """
    costs: dict[tuple[str, str], dict[str, Any]] = {}
    for line in sorted(on_columns, key=lambda line: -line["column_seconds"]):
        own = {name: line[name] for name in ("num_columns", "column_seconds")}
        costs[line["set"], line["columns"]] = own
    return [
        {
            "set": line["set"],
            "model": FOREST,
            "columns": name,
            "seed": 0,
            "fold": line["split"],
            "metric": line["metric"],
            "split": "scaffolds",
            "train_rows": line["sizes"][0],
            "test_rows": line["sizes"][2],
        }
        | costs[line["set"], name]
        | scores
        for line in lines
        for name, scores in line["scores"].items()
        if (line["set"], name) in costs
    ]


#: Title to the columns that validation scores choose from.
CONTENDERS = {
    "the five rivals": ("labels", "labels+degree", "labels+ldp", "labels+rwse", "labels+lappe"),
    "WL subtree counts": ("labels+wl",),
    "Morgan fingerprints": ("morgan",),
}


def split_table(lines: list[dict[str, Any]], titles: dict[str, str]) -> str:
    """Return the gain of labeled ego-networks over each contender as Markdown, with 95 % intervals over splits."""
    text = [
        f"| set, forest | metric | splits | labeled ego-networks | {' | '.join(CONTENDERS)} |",
        "|---|---|--:|--:|" + "--:|" * len(CONTENDERS),
    ]
    for name in dict.fromkeys(line["set"] for line in lines):
        own = [line for line in lines if line["set"] == name]
        lower = own[0]["metric"] in LOWER_IS_BETTER
        ours = np.array([line["scores"]["labels+egolabel"]["test"] for line in own])
        cells = [_gain_cell(own, ours, columns, lower=lower) for columns in CONTENDERS.values()]
        shown = f"{ours.mean():.3f}" if lower else f"{100 * ours.mean():.1f}"
        metric = {"auc": "ROC-AUC", "rmse": "RMSE"}[own[0]["metric"]]
        text.append(f"| {titles[name]} | {metric} | {len(own)} | {shown} | {' | '.join(cells)} |")
    return "\n".join(text)


def _gain_cell(own: list[dict[str, Any]], ours: Array, contenders: tuple[str, ...], *, lower: bool) -> str:
    """Return the mean gain over the contender that each split's validation molecules choose, and its interval."""
    sign = -1 if lower else 1
    theirs = []
    for line in own:
        scores = line["scores"]
        best = max(contenders, key=lambda name: sign * scores[name]["validation"])
        theirs.append(scores[best]["test"])
    other = np.array(theirs)
    gains = 100 * sign * (ours - other) / (other.mean() if lower else 1)
    low, high, _ = interval(gains, own[0]["sizes"][2] / own[0]["sizes"][0])
    unit = " %" if lower else ""
    return f"{gains.mean():+.1f}{unit} ({low:+.1f} to {high:+.1f})"


def main(names: tuple[str, ...] = SETS, target: Path = RESULTS) -> None:
    """Run what the file does not have yet."""
    lines = target.read_text("utf-8").splitlines() if target.is_file() else []
    done = {(line["set"], line["split"]) for line in map(json.loads, lines)}
    origin = {"commit": current_commit(), "date": time.strftime("%Y-%m-%d"), "trees": TREES}
    for name in names:
        left = [split for split in range(SPLITS) if (name, split) not in done]
        if not left:
            continue
        task, groups = make_task(name)
        for split in left:
            line = run_split(task, groups, split) | origin
            with target.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")
            sys.stderr.write(f"{name} {split}\n")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or SETS)
