"""Choose the trained link predictor: `python -m research.links.choose_model [SET ...]` adds to results/links.

A tenth of the training edges of the first five of SEAL's splits of USAir, NS and C.ele is removed, with as many random
pairs without an edge; test pairs of a split play no part. (The splits of a set are of one graph: training edges of one
are in part test edges of another.) Every model learns from the same columns. The candidate with the highest mean area
over the three sets is chosen, if it is ahead of the first one by more than the standard error of the difference.
"""

import json
import sys
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from egonet.links import LinkPredictor, split
from egonet.typing import Floats
from research.links.benchmark import seal_problem

RESULTS = Path("results/links/choose_model.jsonl")
SETS = ("USAir", "NS", "C.ele")
SPLITS = range(1, 6)
TREES = 100
STRENGTHS = (0.01, 0.03, 0.1)
SEEDS = range(2)


class Recorder(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that keeps the tables it is given."""

    def fit(self, table: Floats, labels: Any) -> Self:
        """Keep the table to learn from."""
        self.learned_, self.labels_, self.classes_ = table, labels, np.array([False, True])
        return self

    def predict_proba(self, table: Floats) -> Floats:
        """Keep the table to score."""
        self.scored_ = table
        return np.zeros((len(table), 2))


def boosting(seed: int) -> Any:
    """Return gradient boosting as in `LinkPredictor`."""
    return HistGradientBoostingClassifier(
        max_iter=200,
        learning_rate=0.05,
        max_leaf_nodes=15,
        l2_regularization=5.0,
        max_features=0.3,
        early_stopping=False,
        random_state=seed,
    )


def scores_of(recorder: Recorder) -> dict[str, Floats]:
    """Return the probabilities that every single model gives."""
    models: dict[str, Any] = {f"boosting {seed}": boosting(seed) for seed in SEEDS}
    for strength in STRENGTHS:
        linear = LogisticRegression(C=strength, max_iter=1000)
        models[f"linear {strength:g}"] = make_pipeline(StandardScaler(), linear)
    models["trees"] = ExtraTreesClassifier(TREES, min_samples_leaf=2, random_state=0)
    return {
        key: model.fit(recorder.learned_, recorder.labels_).predict_proba(recorder.scored_)[:, 1]
        for key, model in models.items()
    }


def combinations() -> dict[str, list[list[str]]]:
    """Return the candidates: groups of models whose means are averaged. The first one is that of before."""
    one, several, trees = ["boosting 0"], [f"boosting {seed}" for seed in SEEDS], ["trees"]
    found: dict[str, list[list[str]]] = {}
    for strength in STRENGTHS:
        linear = [f"linear {strength:g}"]
        found |= {
            f"boosting, {linear[0]}": [one, linear],
            f"{len(SEEDS)} boostings, {linear[0]}": [several, linear],
            f"boosting, trees, {linear[0]}": [one, trees, linear],
            f"{len(SEEDS)} boostings, trees, {linear[0]}": [several, trees, linear],
        }
    return found


def areas(name: str, number: int) -> dict[str, float]:
    """Return the area of every candidate on edges removed from the training graph of a split.

    Each candidate averages probabilities, or the ranks of the pairs that are scored.
    """
    parts = split(seal_problem(name, number).graph, test=0.1, seed=number)
    recorder = Recorder()
    predictor = LinkPredictor(model=recorder, random_state=number, n_jobs=1).fit(parts.graph)
    predictor.predict_proba(parts.test.pairs)
    with threadpool_limits(1):
        scores = scores_of(recorder)
    found: dict[str, float] = {}
    for key, groups in combinations().items():
        means = [np.mean([scores[each] for each in group], axis=0) for group in groups]
        for title, values in ((key, means), (f"{key}, by ranks", [rankdata(mean) for mean in means])):
            area = roc_auc_score(parts.test.labels, np.mean(values, axis=0))
            found[title] = round(100 * float(area), 3)
    return found


def compare(lines: list[dict[str, Any]]) -> list[tuple[str, list[float], float, float]]:
    """Return every candidate, best first: its mean on every set, its lead over the first one, the standard error.

    The lead is the mean over the sets of the mean over splits.

    >>> pair = [{"set": name, "areas": {"a": 90.0, "b": 91.0 + i}} for name in SETS for i in range(2)]
    >>> compare(pair)[0][0], compare(pair)[0][2], round(compare(pair)[0][3], 3)
    ('b', 1.5, 0.289)
    """
    keys = list(lines[0]["areas"])
    table = {
        name: np.array([[line["areas"][key] for key in keys] for line in lines if line["set"] == name])
        for name in SETS
    }
    means = np.array([table[name].mean(axis=0) for name in SETS])
    leads = {name: table[name] - table[name][:, :1] for name in SETS}
    lead = np.mean([leads[name].mean(axis=0) for name in SETS], axis=0)
    errors = np.sqrt(sum(leads[name].var(axis=0, ddof=1) / len(leads[name]) for name in SETS)) / len(SETS)
    return [
        (keys[i], means[:, i].tolist(), float(lead[i]), float(errors[i]))
        for i in np.argsort(-lead, kind="stable")
    ]


def read_lines() -> list[dict[str, Any]]:
    """Return the lines that are written."""
    return [json.loads(line) for line in RESULTS.read_text("utf-8").splitlines()] if RESULTS.exists() else []


def main(names: list[str]) -> None:
    """Write a line for every split of the sets that is not there yet, and print the comparison once all are."""
    for name in names or SETS:
        for number in SPLITS:
            if not any((line["set"], line["split"]) == (name, number) for line in read_lines()):
                line = {"set": name, "split": number, "areas": areas(name, number)}
                with RESULTS.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(line) + "\n")
    if len(lines := read_lines()) == len(SETS) * len(SPLITS):
        for key, means, lead, error in compare(lines):
            print(f"{key:40}", *(f"{mean:.3f}" for mean in means), f"{lead:+.3f} ± {error:.3f}")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
