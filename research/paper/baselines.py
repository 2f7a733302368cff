"""Trivial baselines: scores that need no network, to judge the numbers of a table by."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from egonet.io import atomic_path
from egonet.typing import Floats
from research.datasets.graph_set import GraphSet
from research.datasets.readers import read_dataset
from research.paper.spec import table_spec


def write_baselines(folder: Path) -> Path:
    """Write baselines.json, the scores per data set, and return its path."""
    found: dict[str, object] = {
        name: classification_baselines(read_dataset(name)) for name in table_spec("table1").data
    }
    found["randomgraph"] = regression_baselines(read_dataset("randomgraph"))
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_path(folder / "baselines.json") as temporary:
        temporary.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return folder / "baselines.json"


def classification_baselines(data: GraphSet) -> dict[str, float]:
    """Return the mean accuracy over folds of the majority class, the node count, and the label histogram.

    The last two go through a logistic regression; labels are counted per graph.
    """
    histogram = _per_graph(data, data.inputs[:, :-1])
    features = {
        "majority class": None,
        "node count": data.sizes[:, None].astype(np.float64),
        "label histogram": histogram,
    }
    return {name: _over_folds(data, columns) for name, columns in features.items()}


def regression_baselines(data: GraphSet) -> dict[str, dict[str, float]]:
    """Return the test error per target of the training mean, and of a linear fit to node and edge counts."""
    training, _, test = data.splits[0]
    counts = np.column_stack(
        [np.ones(data.num_graphs), data.sizes, _per_graph(data, data.union.degrees[:, None])]
    )
    found: dict[str, dict[str, float]] = {"training mean": {}, "node and edge counts": {}}
    for column, name in enumerate(data.target_names):
        target = data.targets[:, column]
        guess = target[training].mean()
        found["training mean"][name] = float(((target[test] - guess) ** 2).mean())
        fit = np.linalg.lstsq(counts[training], target[training], rcond=None)[0]
        found["node and edge counts"][name] = float(((target[test] - counts[test] @ fit) ** 2).mean())
    return found


def _per_graph(data: GraphSet, columns: Any) -> Floats:
    """Return the sum of node columns over each graph."""
    summed: Floats = np.add.reduceat(np.asarray(columns, dtype=np.float64), data.node_ptr[:-1], axis=0)
    return summed


def _over_folds(data: GraphSet, columns: Floats | None) -> float:
    """Return the mean accuracy over folds of a linear model on graph columns, or of the majority class."""
    scores = []
    for train, test in data.splits:
        if columns is None:
            guess: Any = np.bincount(data.targets[train]).argmax()
        else:
            guess = _logistic(columns[train], data.targets[train], columns[test])
        scores.append(100.0 * float((data.targets[test] == guess).mean()))
    return float(np.mean(scores))


def _logistic(train: Floats, classes: Any, test: Floats) -> Any:
    """Return the classes a logistic regression on standardized columns predicts."""
    from sklearn.linear_model import LogisticRegression

    mean, deviation = train.mean(axis=0), train.std(axis=0)
    scale = np.where(deviation > 0, deviation, 1.0)
    model = LogisticRegression(max_iter=2000).fit((train - mean) / scale, classes)
    return model.predict((test - mean) / scale)
