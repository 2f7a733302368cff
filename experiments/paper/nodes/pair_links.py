"""Link prediction from encodings of pairs: a linear model and gradient boosting, also learned on another graph."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from egonet.encoding.vocabulary import Vocabulary
from egonet.graph.graph import Graph
from egonet.pairs.encode_pairs import encode_pairs
from egonet.typing import Floats, Int64s
from experiments.paper.nodes.link_scores import area_under_curve
from experiments.paper.nodes.link_split import LinkSplit

#: Method to (what is counted, model); "transfer" learns both on the other graph.
PAIR_METHODS = {
    "pairs-linear": ("pairs", "linear"),
    "pairs-boosting": ("pairs", "boosting"),
    "seal-labels-linear": ("labels", "linear"),
    "seal-labels-boosting": ("labels", "boosting"),
    "pairs-linear-transfer": ("pairs", "linear"),
    "pairs-boosting-transfer": ("pairs", "boosting"),
}
#: "labels" counts by the two distances alone, as SEAL labels nodes; degrees are merged into one.
_COUNTED: dict[str, dict[str, Any]] = {
    "pairs": {"degree_bins": "log"},
    "labels": {"max_degree": 0},
}


@dataclass(frozen=True, eq=False)
class PairModel:
    """A model of pairs: the columns it reads, and what it learned."""

    vocabulary: Vocabulary
    columns: Int64s
    model: Any
    chosen: dict[str, Any]

    def scores(self, graph: Graph, pairs: Int64s) -> Floats:
        """Return the score of every pair, counted in a graph."""
        found: Floats = self.model.predict_proba(features(graph, pairs, self.vocabulary)[:, self.columns])[
            :, 1
        ]
        return found


def features(graph: Graph, pairs: Int64s, vocabulary: Vocabulary) -> Floats:
    """Return log(1 + count) of every pair in known columns, dense."""
    plain = Graph.from_checked(graph.indptr, graph.indices)  # pairs are numbers of nodes
    found: Floats = np.log1p(
        encode_pairs(plain, pairs, vocabulary=vocabulary).matrix.toarray().astype(np.float64)
    )
    return found


def fit_pairs(split: LinkSplit, method: str, spec: dict[str, Any], *, seed: int) -> PairModel:
    """Return a model of the training pairs; radius and strength are chosen on a tenth of them.

    The columns of every radius are learned on the training pairs. A choice names radii, whose columns the model
    reads, and the options of the model.
    """
    counted, kind = PAIR_METHODS[method]
    plain = Graph.from_checked(split.graph.indptr, split.graph.indices)
    pairs, labels = split.train_pairs, split.train_labels
    encoding = encode_pairs(plain, pairs, tuple(spec["radius"]), **_COUNTED[counted])
    rows = np.log1p(encoding.matrix.toarray().astype(np.float64))
    radius_of = encoding.vocabulary.keys[:, 0]
    cut = len(pairs) * 9 // 10

    def inner_score(choice: dict[str, Any]) -> float:
        columns = np.flatnonzero(np.isin(radius_of, choice["radii"]))
        model = _MODELS[kind](choice, seed).fit(rows[:cut, columns], labels[:cut])
        return area_under_curve(labels[cut:], model.predict_proba(rows[cut:, columns])[:, 1])

    choices = spec[kind]
    found = [inner_score(choice) for choice in choices] if len(choices) > 1 else [0.0]
    best = choices[int(np.argmax(found))]
    columns = np.flatnonzero(np.isin(radius_of, best["radii"]))
    model = _MODELS[kind](best, seed).fit(rows[:, columns], labels)
    chosen = {"choice": best, "inner": [round(score, 5) for score in found], "num_columns": len(columns)}
    return PairModel(encoding.vocabulary, columns, model, chosen)


def _linear(choice: dict[str, Any], seed: int) -> Any:
    return make_pipeline(
        StandardScaler(), LogisticRegression(C=choice["strength"], max_iter=1000, random_state=seed)
    )


def _boosting(choice: dict[str, Any], seed: int) -> Any:
    options = {name: value for name, value in choice.items() if name != "radii"}
    return HistGradientBoostingClassifier(early_stopping=False, random_state=seed, **options)


_MODELS: dict[str, Callable[[dict[str, Any], int], Any]] = {"linear": _linear, "boosting": _boosting}
