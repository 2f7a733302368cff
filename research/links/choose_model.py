"""Choose the trained link predictor: `python -m research.links.choose_model [SET ...]` adds to results/links.

A tenth of the training edges of the first five of SEAL's splits of USAir, NS and C.ele is removed, twice; they are told
from 3,000 random pairs without an edge. Test pairs of a split play no part. (The splits of a set are of one graph:
training edges of one are in part test edges of another.) Chosen is the cheapest candidate that is behind the highest
mean area over the three sets by at most the standard error of the difference. The columns "latent" and their scales
were found on the same removed edges.
"""

import json
import sys
from itertools import product
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from egonet.links import LinkPredictor, split
from egonet.typing import Floats
from research.links.benchmark import seal_problem
from research.links.networks import random_pairs

RESULTS = Path("results/links/choose_model.jsonl")
SETS = ("USAir", "NS", "C.ele")
SPLITS, DRAWS = range(1, 6), range(2)
GROUPS = ("pairs", "overlap", "share", "ends", "walks", "latent")
#: Pairs without an edge that the removed edges are told from.
NUM_OTHERS = 3_000
STRENGTHS = (0.03, 0.1, 0.3)
#: Gradient boosting that is averaged with a linear model: seeds, rounds and learning rate; cheap ones first.
BOOSTINGS: dict[str, tuple[range, int, float]] = {
    "boosting": (range(1), 200, 0.05),
    "2 boostings": (range(2), 200, 0.05),
    "slow boosting": (range(1), 400, 0.025),
}


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


def boosting(seed: int, rounds: int, rate: float) -> Any:
    """Return gradient boosting with the other settings of `LinkPredictor`."""
    return HistGradientBoostingClassifier(
        max_iter=rounds,
        learning_rate=rate,
        max_leaf_nodes=15,
        l2_regularization=5.0,
        max_features=0.3,
        early_stopping=False,
        random_state=seed,
    )


def candidates() -> list[str]:
    """Return the names of the candidates; the first one is the predictor of before.

    >>> candidates()[0], len(candidates())
    ('boosting, linear 0.1', 18)
    """
    names = [
        f"{models}, linear {strength:g}{columns}"
        for columns in ("", ", latent")
        for models in BOOSTINGS
        for strength in STRENGTHS
    ]
    return sorted(names, key=lambda name: name != "boosting, linear 0.1")


def scores_of(learned: Floats, labels: Any, scored: Floats) -> dict[str, Floats]:
    """Return the mean probability of the models of every candidate, for one table of columns."""

    def mean_of(models: list[Any]) -> Floats:
        scores = [model.fit(learned, labels).predict_proba(scored)[:, 1] for model in models]
        mean: Floats = np.mean(scores, axis=0)
        return mean

    boosted = {
        name: mean_of([boosting(seed, rounds, rate) for seed in seeds])
        for name, (seeds, rounds, rate) in BOOSTINGS.items()
    }
    linear = {
        strength: mean_of([make_pipeline(StandardScaler(), LogisticRegression(C=strength, max_iter=1000))])
        for strength in STRENGTHS
    }
    return {
        f"{name}, linear {strength:g}": (one + other) / 2
        for name, one in boosted.items()
        for strength, other in linear.items()
    }


def areas(name: str, number: int, draw: int) -> dict[str, float]:
    """Return the area of every candidate on edges removed from the training graph of a split."""
    whole = seal_problem(name, number).graph
    seed = number + 100 * draw
    parts = split(whole, test=0.1, seed=seed)
    links, others = parts.test.links, random_pairs(whole, NUM_OTHERS, np.random.default_rng((seed, 1)))
    recorder = Recorder()
    predictor = LinkPredictor(model=recorder, groups=GROUPS, random_state=number, n_jobs=1).fit(parts.graph)
    predictor.predict_proba(np.concatenate([links, others]))
    assert predictor.columns_ is not None
    names = predictor.columns_.names
    is_latent = np.array([each.startswith("latent") for each in names] + [False, False])
    labels = np.arange(len(links) + len(others)) < len(links)
    areas_by_name: dict[str, float] = {}
    with threadpool_limits(1):
        for title, columns in (("", ~is_latent), (", latent", np.ones_like(is_latent))):
            scores = scores_of(recorder.learned_[:, columns], recorder.labels_, recorder.scored_[:, columns])
            for key, values in scores.items():
                areas_by_name[key + title] = round(100 * float(roc_auc_score(labels, values)), 3)
    return {key: areas_by_name[key] for key in candidates()}


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


def choose(lines: list[dict[str, Any]]) -> str:
    """Return the cheapest candidate that is behind the best one by at most the standard error of the difference.

    >>> line = {"boosting, linear 0.1": 90.0, "2 boostings, linear 0.1": 91.0, "boosting, linear 0.3": 90.9}
    >>> noise = {"boosting, linear 0.1": 90.2, "2 boostings, linear 0.1": 91.0, "boosting, linear 0.3": 91.1}
    >>> choose([{"set": name, "areas": areas} for name in SETS for areas in (line, noise)])
    'boosting, linear 0.3'
    """
    best = compare(lines)[0][0]
    against = [{"set": line["set"], "areas": {best: line["areas"][best]} | line["areas"]} for line in lines]
    close = [(key, lead) for key, _, lead, error in compare(against) if -lead <= error]
    return min(close, key=lambda each: (*cost_of(each[0]), -each[1]))[0]


def cost_of(name: str) -> tuple[int, bool]:
    """Return the rounds of boosting of a candidate, and whether it has more columns.

    >>> cost_of("2 boostings, linear 0.1, latent")
    (400, True)
    """
    seeds, rounds, _ = BOOSTINGS[name.split(", ")[0]]
    return len(seeds) * rounds, name.endswith("latent")


def read_lines() -> list[dict[str, Any]]:
    """Return the lines that are written."""
    return [json.loads(line) for line in RESULTS.read_text("utf-8").splitlines()] if RESULTS.exists() else []


def main(names: list[str]) -> None:
    """Write a line for every draw of the sets that is not there yet, and print the comparison once all are."""
    for name, number, draw in product(names or SETS, SPLITS, DRAWS):
        key = {"set": name, "split": number, "draw": draw}
        if not any(key.items() <= line.items() for line in read_lines()):
            line = {**key, "areas": areas(name, number, draw)}
            with RESULTS.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")
    if len(lines := read_lines()) == len(SETS) * len(SPLITS) * len(DRAWS):
        for candidate, means, lead, error in compare(lines):
            print(f"{candidate:40}", *(f"{mean:.3f}" for mean in means), f"{lead:+.3f} ± {error:.3f}")  # noqa: T201
        print("chosen:", choose(lines))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
