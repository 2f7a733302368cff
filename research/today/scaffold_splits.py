"""Forests on molecules over 20 scaffold splits: the spread over splits, which seeds of one split cannot show.

`python -m research.today.scaffold_splits` writes `results/today/scaffold_splits.jsonl`, a line per set and split.
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
from research.today.tabular.fits import score
from research.today.tabular.jobs import learned_columns
from research.today.tabular.task import Task
from research.today.tasks import MOLECULE, metric_of, read_molecules_of

RESULTS = Path("results/today/scaffold_splits.jsonl")
SETS = ("bace", "freesolv", "esol", "bbbp", "lipo")
SPLITS, TREES = 20, 100
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
    task = Task(name, metric_of(name), "fixed", targets[:, 0], parts, blocks, seconds)
    return task, scaffold_groups(molecules)


def fit_forest(metric: str, rows: Array, target: Array, parts: Array, seed: int) -> dict[str, float]:
    """Return the scores of one forest on validation and test."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    if metric in LOWER_IS_BETTER:
        made: Any = RandomForestRegressor(TREES, max_features=0.1, random_state=seed)
    else:
        made = RandomForestClassifier(
            TREES, min_samples_leaf=2, class_weight="balanced_subsample", random_state=seed
        )
    made.fit(rows[parts == 0], target[parts == 0])
    found = {}
    for name, part in (("validation", 1), ("test", 2)):
        own = rows[parts == part]
        predicted = made.predict(own) if metric in LOWER_IS_BETTER else made.predict_proba(own)[:, 1]
        found[name] = round(score(metric, target[parts == part], predicted), 6)
    return found


def run_split(task: Task, groups: list[list[int]], split: int) -> dict[str, Any]:
    """Return the line of one split: validation and test scores of every set of columns."""
    parts = draw_parts(groups, np.random.default_rng(split))
    scores = {}
    for name in COLUMNS:
        rows = learned_columns(task.columns(name), np.flatnonzero(parts == 0))
        scores[name] = fit_forest(task.metric, rows, task.target, parts, split)
    sizes = np.bincount(parts, minlength=3).tolist()
    return {"set": task.name, "metric": task.metric, "split": split, "sizes": sizes, "scores": scores}


#: Title to the columns that validation scores choose from.
CONTENDERS = {
    "the five rivals": ("labels", "labels+degree", "labels+ldp", "labels+rwse", "labels+lappe"),
    "WL subtree counts": ("labels+wl",),
    "Morgan fingerprints": ("morgan",),
}


def split_table(lines: list[dict[str, Any]]) -> str:
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
        text.append(f"| {name} | {metric} | {len(own)} | {shown} | {' | '.join(cells)} |")
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
    main()
