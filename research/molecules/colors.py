"""Forests on NCI1 and ENZYMES: bags of labeled neighborhoods, Weisfeiler-Leman colors (`wl=2`), and both.

`EGONET_DATA=... python -m research.molecules.colors [SET ...]` appends a line per set, fold and kind of features to
`results/molecules/colors.jsonl` (finished lines are skipped); `--report` prints the table. Settings are fixed
beforehand: radius 0 to 2, two rounds, forests of 100 trees. Columns are learned on the training graphs of each fold.
NCI1 has the folds of the GIN paper, ENZYMES those of the files that the paper used.
"""

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

import egonet
from egonet.typing import Int64s
from research.datasets.readers import read_tu
from research.molecules.fingerprints import show_gain
from research.today.readers import read_gin_set

RESULTS = Path("results/molecules/colors.jsonl")
SETS = ("nci1", "enzymes")
RADIUS, ROUNDS, TREES = 2, 2, 100
#: Kind of features → the options of GraphEncoder, and whether only the columns of colors count.
KINDS: dict[str, tuple[dict[str, Any], bool]] = {
    "neighborhoods": ({"radius": tuple(range(RADIUS + 1))}, False),
    "colors": ({"radius": 0, "wl": ROUNDS}, True),
    "both": ({"radius": tuple(range(RADIUS + 1)), "wl": ROUNDS}, False),
}
LabeledGraphs = list[tuple[egonet.Graph, list[int]]]


def read_set(name: str) -> tuple[LabeledGraphs, Int64s, list[tuple[Int64s, Int64s]]]:
    """Return pairs (graph, labels of its nodes), the classes, and training and test rows of every fold."""
    if name == "nci1":
        graphs, classes, parts = read_gin_set(name)
        folds = [(np.flatnonzero(part == 0), np.flatnonzero(part == 2)) for part in parts]
        return split_union(graphs.start, graphs.edges, graphs.label), classes, folds
    data = read_tu(name)
    edges = np.array(list(data.union.edges()), dtype=np.int64)
    assert data.node_labels is not None
    folds = [(split[0], split[1]) for split in data.splits]
    return split_union(data.node_ptr, edges, data.node_labels), data.targets, folds


def split_union(node_ptr: Int64s, edges: Int64s, labels: Int64s) -> LabeledGraphs:
    """Return the graphs of a disjoint union, each with the labels of its nodes.

    >>> pairs = split_union(np.array([0, 2, 3]), np.array([[0, 1]]), np.array([7, 8, 9]))
    >>> [(len(graph), labels) for graph, labels in pairs]
    [(2, [7, 8]), (1, [9])]
    """
    edges = edges[np.argsort(edges[:, 0], kind="stable")]
    first = np.searchsorted(edges[:, 0], node_ptr)
    pairs = []
    for number, (low, high) in enumerate(zip(node_ptr[:-1].tolist(), node_ptr[1:].tolist(), strict=True)):
        ends = edges[first[number] : first[number + 1]] - low
        graph = egonet.Graph.from_indices(ends[:, 0], ends[:, 1], high - low)
        pairs.append((graph, labels[low:high].tolist()))
    return pairs


def run(name: str) -> Iterator[dict[str, Any]]:
    """Yield a line per fold and kind of features that has none yet."""
    lines = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    done = {(line["set"], line["fold"], line["features"]) for line in lines}
    graphs, classes, folds = read_set(name)
    for fold, (train, test) in enumerate(folds):
        for kind in (kind for kind in KINDS if (name, fold, kind) not in done):
            options, is_last = KINDS[kind]
            encoder = egonet.GraphEncoder(
                aggregate="bag", labeled=True, unseen="ignore", sparse_output=True, n_jobs=1, **options
            )
            started = time.process_time()
            own, other = (
                encoder.fit_transform([graphs[row] for row in train]),
                encoder.transform([graphs[row] for row in test]),
            )
            seconds = time.process_time() - started
            skipped = encoder.bags_[0].num_columns if is_last else 0
            model = RandomForestClassifier(TREES, random_state=fold, n_jobs=1)
            score = model.fit(own[:, skipped:], classes[train]).score(other[:, skipped:], classes[test])
            yield {
                "set": name,
                "fold": fold,
                "features": kind,
                "accuracy": round(float(score), 5),
                "columns": own.shape[1] - skipped,
                "seconds_features": round(seconds, 2),
                "seconds_models": round(time.process_time() - started - seconds, 1),
                "egonet": egonet.__version__,
            }


def report() -> str:
    """Return the table: mean accuracy, and the difference from colors with its interval of 95 % over folds."""
    lines = pd.DataFrame([json.loads(line) for line in RESULTS.read_text().splitlines()])
    text = ["| set | folds | " + " | ".join(KINDS) + " | both − colors |", "|---" * (3 + len(KINDS)) + "|"]
    for name in SETS:
        table = lines[lines["set"] == name].pivot_table(index="fold", columns="features", values="accuracy")
        table = table.dropna()
        gain = 100 * (table["both"] - table["colors"]).to_numpy()
        means = " | ".join(f"{100 * table[kind].mean():.1f}" for kind in KINDS)
        text.append(f"| {name} | {len(table)} | {means} | {show_gain(gain, 1 / 9, 1)} |")
    return "\n".join(text)


def main() -> None:
    """Run the sets that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    if options.report:
        print(report())  # noqa: T201
        return
    for name in options.sets:
        for line in run(name):
            with RESULTS.open("a") as file:
                file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
