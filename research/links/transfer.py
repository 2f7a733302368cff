"""Choose a recipe for links in an unseen graph on other graphs, then use it once between Facebook and CA-AstroPh.

`python -m research.links.transfer choose` and `python -m research.links.transfer pair` write
`results/links/transfer.json`.
"""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from egonet import Graph, encode_pairs
from egonet.errors import InputError
from egonet.io import atomic_path
from egonet.typing import Floats, Int64s
from research.links.other_graphs import GRAPHS, other_graph
from research.links.pair_columns import COLUMNS, PairCounts, columns_of, ranks
from research.paper.nodes.link_prediction import read_links
from research.paper.nodes.link_scores import area_under_curve
from research.paper.nodes.link_split import edge_list, non_edges, split_links
from research.paper.results import environment

RESULTS = Path("results/links/transfer.json")
#: Pairs that a model learns from, and pairs that it is measured on, while a recipe is chosen.
FEW = 4_000
PAIR = ("facebook", "ca-astroph")
SEEDS = (1, 2, 3, 4, 5)


def _linear(strength: float) -> Callable[[], Any]:
    return lambda: make_pipeline(StandardScaler(), LogisticRegression(C=strength, max_iter=300))


def _boosting() -> Any:
    return HistGradientBoostingClassifier(
        max_iter=60, max_leaf_nodes=15, early_stopping=False, random_state=0
    )


#: Kind to its candidates.
MODELS: dict[str, dict[str, Callable[[], Any]]] = {
    "linear": {f"linear, C={strength}": _linear(strength) for strength in (0.001, 0.01, 0.1)},
    "boosting": {"boosting": _boosting},
}


@dataclass(frozen=True, eq=False)
class LinkRows:
    """Pairs of one graph with their answers, and pairs that show what is usual in it.

    Attributes
    ----------
    train, test, reference
        The rows of pairs to learn from, to be tested on, and of a sample without the answers: edges of the remaining
        graph and as many pairs without an edge.
    train_labels, test_labels
        Whether each pair is a removed edge.
    """

    train: PairCounts
    test: PairCounts
    reference: PairCounts
    train_labels: NDArray[np.bool_]
    test_labels: NDArray[np.bool_]


def link_rows(graph: Graph, seed: int, most: int | None = None) -> LinkRows:
    """Return the rows of the honest split of a graph; at most that many pairs to learn from and to be tested on."""
    rng = np.random.default_rng(seed)
    split = split_links(graph, rng)
    plain = Graph.from_checked(split.graph.indptr, split.graph.indices)
    chosen = [rng.permutation(len(pairs))[:most] for pairs in (split.train_pairs, split.test_pairs)]
    train, test = split.train_pairs[chosen[0]], split.test_pairs[chosen[1]]
    edges = edge_list(plain)
    kept = edges[rng.permutation(len(edges))[:FEW]]
    usual = np.concatenate([kept, non_edges(edges, plain.num_nodes, len(kept), rng)])
    return LinkRows(
        encoded(plain, train),
        encoded(plain, test),
        encoded(plain, usual),
        split.train_labels[chosen[0]],
        split.test_labels[chosen[1]],
    )


def encoded(graph: Graph, pairs: Int64s) -> PairCounts:
    """Return the counts of some pairs at radius 1 and 2, by log bins of degrees."""
    encoding = encode_pairs(graph, pairs.tolist(), (1, 2), degree_bins="log")
    return PairCounts(encoding.matrix.toarray().astype(np.float64), encoding.vocabulary.keys)


def parts(rows: LinkRows, columns: str, *, ranked: bool) -> tuple[Floats, Floats]:
    """Return the columns of the pairs to learn from and to be tested on; ranked among the pairs of the reference."""
    train, test = columns_of(rows.train, columns), columns_of(rows.test, columns)
    if not ranked:
        return train, test
    usual = columns_of(rows.reference, columns)
    return ranks(train, usual), ranks(test, usual)


def choose() -> dict[str, Any]:
    """Return the mean area between different other graphs for every recipe, and the best recipe of every kind."""
    rows = {name: link_rows(other_graph(name), 1, FEW) for name in GRAPHS}
    lines = []
    for columns in COLUMNS:
        for ranked in (False, True):
            made = {name: parts(each, columns, ranked=ranked) for name, each in rows.items()}
            for kind, models in MODELS.items():
                for name, make in models.items():
                    areas = transfer_areas(rows, made, make)
                    line = {"columns": columns, "ranked": ranked, "kind": kind, "model": name} | areas
                    lines.append(line)
                    print(line, flush=True)  # noqa: T201
    best = {
        kind: max((line for line in lines if line["kind"] == kind), key=lambda line: line["mean"])
        for kind in MODELS
    }
    return {"graphs": list(GRAPHS), "candidates": lines, "chosen": best}


def transfer_areas(
    rows: dict[str, LinkRows], made: dict[str, tuple[Floats, Floats]], make: Callable[[], Any]
) -> dict[str, float]:
    """Return the mean and the smallest area over all pairs of different graphs, and the mean on the same graph."""
    same: list[float] = []
    moved: list[float] = []
    for source, (train, _) in made.items():
        model = make().fit(train, rows[source].train_labels)
        for target, (_, test) in made.items():
            area = area_under_curve(rows[target].test_labels, model.predict_proba(test)[:, 1])
            (same if source == target else moved).append(area)
    return {
        "mean": round(float(np.mean(moved)), 4),
        "smallest": round(min(moved), 4),
        "same_graph": round(float(np.mean(same)), 4),
    }


def between(
    chosen: dict[str, dict[str, Any]], report: Callable[[dict[str, Any]], None]
) -> list[dict[str, Any]]:
    """Return the areas of the chosen recipes between Facebook and CA-AstroPh, both ways, for five seeds."""
    lines = []
    for seed in SEEDS:
        rows = {name: link_rows(read_links(name), seed) for name in PAIR}
        for kind, line in chosen.items():
            made = {name: parts(each, line["columns"], ranked=line["ranked"]) for name, each in rows.items()}
            for source, target in (PAIR, PAIR[::-1]):
                began = time.monotonic()
                model = MODELS[kind][line["model"]]().fit(made[source][0], rows[source].train_labels)
                areas = {
                    name: area_under_curve(rows[name].test_labels, model.predict_proba(made[name][1])[:, 1])
                    for name in (target, source)
                }
                lines.append(
                    {"kind": kind, "learned_on": source, "tested_on": target, "seed": seed}
                    | {"area": round(areas[target], 4), "area_on_the_same_graph": round(areas[source], 4)}
                    | {"seconds": round(time.monotonic() - began, 1)}
                )
                report(lines[-1])
    return lines


def main(arguments: list[str]) -> None:
    """Run one of the two steps and add its result to the file."""
    if arguments not in (["choose"], ["pair"]):
        raise InputError("say which step: choose or pair.")
    found = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    if arguments == ["choose"]:
        found |= choose() | {"choose_environment": environment("cpu")}
    else:
        found |= {"pair": between(found["chosen"], print), "pair_environment": environment("cpu")}
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(RESULTS) as temporary:
        temporary.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
