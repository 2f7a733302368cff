"""Link prediction from encodings of pairs: a linear model and gradient boosting, also learned on another graph."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from egonet import Graph, Vocabulary, encode_pairs
from egonet.typing import Counts, Floats, Int64s
from research.paper.nodes.link_scores import area_under_curve
from research.paper.nodes.link_split import LinkSplit

#: Method to (what is counted, model); a "transfer" learns both on the other graph.
PAIR_METHODS = {
    "pairs-linear": ("pairs", "linear"),
    "pairs-boosting": ("pairs", "boosting"),
    "seal-labels-linear": ("labels", "linear"),
    "seal-labels-boosting": ("labels", "boosting"),
    "pairs-linear-transfer": ("pairs", "linear"),
    "pairs-boosting-transfer": ("pairs", "boosting"),
}


@dataclass(frozen=True, eq=False)
class EncodedSplit:
    """The rows of a split's pairs in the columns of its training pairs, and what test pairs are counted in."""

    train: Counts
    vocabulary: Vocabulary
    labels: NDArray[np.bool_]
    test: Counts
    graph: Graph
    test_pairs: Int64s
    seconds: float

    def test_rows(self, vocabulary: Vocabulary) -> Counts:
        """Return the test pairs in given columns; keys without one are clipped to a lower degree."""
        if vocabulary is self.vocabulary:
            return self.test
        return encode_pairs(self.graph, self.test_pairs.tolist(), vocabulary=vocabulary, unseen="clip").matrix


@dataclass(frozen=True, eq=False)
class PairModel:
    """A model of pairs: the columns it knows, which radii it reads, and what it learned."""

    vocabulary: Vocabulary
    counted: str
    choice: dict[str, Any]
    model: Any
    details: dict[str, Any]

    def scores(self, encoded: EncodedSplit) -> Floats:
        """Return the score of every test pair of a split."""
        rows = encoded.test_rows(self.vocabulary)
        found: Floats = self.model.predict_proba(
            columns_of(rows, self.vocabulary, self.counted, self.choice)
        )[:, 1]
        return found


def encode_split(split: LinkSplit, radius: tuple[int, ...]) -> EncodedSplit:
    """Return the rows of all pairs of a split, by log2 bins of degrees, counted in its graph."""
    began = time.monotonic()
    plain = Graph.from_checked(split.graph.indptr, split.graph.indices)  # pairs are numbers of nodes
    train = encode_pairs(plain, split.train_pairs.tolist(), radius, degree_bins="log")
    pairs = split.test_pairs.tolist()
    test = encode_pairs(plain, pairs, vocabulary=train.vocabulary, unseen="clip")
    seconds = round(time.monotonic() - began, 3)
    return EncodedSplit(
        train.matrix, train.vocabulary, split.train_labels, test.matrix, plain, split.test_pairs, seconds
    )


def columns_of(rows: Counts, vocabulary: Vocabulary, counted: str, choice: dict[str, Any]) -> Floats:
    """Return log(1 + count) of the columns of some radii, dense.

    "labels" merges all degrees: what is left are the two distances, which is how SEAL labels nodes.
    """
    kept = np.flatnonzero(np.isin(vocabulary.keys[:, 0], choice["radii"]))
    counts = rows[:, kept].toarray().astype(np.float64)
    if counted == "labels":
        merged, group = np.unique(vocabulary.keys[kept, :3], axis=0, return_inverse=True)
        totals = np.zeros((len(counts), len(merged)))
        np.add.at(totals.T, group.reshape(-1), counts.T)
        counts = totals
    found: Floats = np.log1p(counts)
    return found


def fit_pairs(
    encoded: EncodedSplit, counted: str, kind: str, spec: dict[str, Any], *, seed: int
) -> PairModel:
    """Return a model of the training pairs; among several choices that of the best area on a tenth of them."""

    def rows_of(choice: dict[str, Any]) -> Floats:
        return columns_of(encoded.train, encoded.vocabulary, counted, choice)

    model, details = choose_model(rows_of, encoded.labels, kind, spec[kind], seed=seed)
    details["encode_seconds"] = encoded.seconds
    return PairModel(encoded.vocabulary, counted, details["choice"], model, details)


def choose_model(
    rows_of: Callable[[dict[str, Any]], Floats],
    labels: NDArray[np.bool_],
    kind: str,
    choices: list[dict[str, Any]],
    *,
    seed: int,
) -> tuple[Any, dict[str, Any]]:
    """Return a model of some rows and how it was chosen: by the area on a tenth of them, if there is a choice."""
    cut, areas = len(labels) * 9 // 10, []
    for choice in choices if len(choices) > 1 else ():
        rows = rows_of(choice)
        model = _MODELS[kind](choice, seed).fit(rows[:cut], labels[:cut])
        areas.append(area_under_curve(labels[cut:], model.predict_proba(rows[cut:])[:, 1]))
    best = choices[int(np.argmax(areas)) if areas else 0]
    rows = rows_of(best)
    model = _MODELS[kind](best, seed).fit(rows, labels)
    return model, {"choice": best, "inner": [round(a, 5) for a in areas], "num_columns": rows.shape[1]}


def _linear(choice: dict[str, Any], seed: int) -> Any:
    classifier = LogisticRegression(C=choice["strength"], max_iter=1000, random_state=seed)
    return make_pipeline(StandardScaler(), classifier)


def _boosting(choice: dict[str, Any], seed: int) -> Any:
    options = {name: value for name, value in choice.items() if name != "radii"}
    return HistGradientBoostingClassifier(early_stopping=False, random_state=seed, **options)


_MODELS: dict[str, Callable[[dict[str, Any], int], Any]] = {"linear": _linear, "boosting": _boosting}
