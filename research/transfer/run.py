"""Train on one graph and test on another, for every pair of a family; choose columns on one half of the families.

`python -m research.transfer.run choice` (then `test`) writes `results/transfer/columns.jsonl`, a line per graph to
train on, graph to test on, columns, model and seed. `repeat` runs the columns of the page's first table with five
seeds on all families, and on the one that was added later. A line that is there is not run again.
"""

import json
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import diags_array
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import egonet
from egonet import Graph
from egonet.typing import Floats, Int64s
from research.paper.results import current_commit
from research.transfer.families import FAMILIES, Member

RESULTS = Path("results/transfer/columns.jsonl")
#: Nodes of a graph that a model is trained and tested on, drawn at random if there are more.
TRAINED, TESTED = 2_000, 3_000
#: Seeds of a family; the airports are small, so that one draw says little.
SEEDS = {"airports": (0, 1, 2)}
#: Seeds of `repeat`: each draws other nodes to train and to test on, and starts the model anew.
REPEATED_SEEDS = (0, 1, 2, 3, 4)
#: Steps of the random walks of RWSE.
WALK_STEPS = 16


def ranked(values: Floats) -> Floats:
    """Return the middle rank of every value in its column.

    Examples
    --------
    >>> ranked(np.array([[1.0], [5.0], [5.0], [9.0]])).ravel().tolist()
    [0.125, 0.5, 0.5, 0.875]
    """
    ordered = np.sort(values, axis=0)
    found = np.empty_like(values, dtype=np.float64)
    for column in range(values.shape[1]):
        lower = np.searchsorted(ordered[:, column], values[:, column], side="left")
        upper = np.searchsorted(ordered[:, column], values[:, column], side="right")
        found[:, column] = (lower + upper) / (2 * len(values))
    return found


def degree_profile(graph: Graph) -> Floats:
    """Return degree, and minimum, maximum, mean and standard deviation of the neighbors' degrees (LDP).

    Examples
    --------
    >>> degree_profile(egonet.named.star(3))[0].tolist()
    [3.0, 1.0, 1.0, 1.0, 0.0]
    """
    degrees = graph.degrees.astype(np.float64)
    found = np.zeros((graph.num_nodes, 5))
    found[:, 0] = degrees
    for node in np.flatnonzero(graph.degrees).tolist():
        near = degrees[graph.indices[graph.indptr[node] : graph.indptr[node + 1]]]
        found[node, 1:] = near.min(), near.max(), near.mean(), near.std()
    return found


@lru_cache(maxsize=8)
def walk_returns(graph: Graph, steps: int = WALK_STEPS, block: int = 256) -> Floats:
    """Return the probability that a random walk is back after 1, 2, ... steps (RWSE); 0 for an isolated node.

    With S = D^(-1/2) A D^(-1/2) the probability after k + l steps is the product of S^k e and S^l e, where e is the
    unit vector of the node: half the powers are enough.

    Examples
    --------
    >>> walk_returns(egonet.named.path("abc"), steps=4).tolist()
    [[0.0, 0.5, 0.0, 0.5], [0.0, 1.0, 0.0, 1.0], [0.0, 0.5, 0.0, 0.5]]
    """
    scale = np.divide(1.0, np.sqrt(graph.degrees), out=np.zeros(graph.num_nodes), where=graph.degrees > 0)
    arcs = (diags_array(scale) @ graph.to_scipy() @ diags_array(scale)).tocsr()
    found = np.zeros((graph.num_nodes, steps))
    for first in range(0, graph.num_nodes, block):
        nodes = np.arange(first, min(first + block, graph.num_nodes))
        last = np.zeros((graph.num_nodes, len(nodes)))
        last[nodes, np.arange(len(nodes))] = 1
        for step in range(1, steps + 1):
            if step % 2:
                before, last = last, arcs @ last
            found[nodes, step - 1] = np.einsum("ij,ij->j", before if step % 2 else last, last)
    return found.round(10)  # nodes that are alike stay equal, and have one rank


def quarter_labels(graph: Graph) -> list[int]:
    """Return the quarter of every node's degree in the graph, 1 to 4."""
    quarters: list[int] = np.minimum((4 * egonet.degree_rank(graph)).astype(int) + 1, 4).tolist()
    return quarters


def ego(radius: Any, weighting: Any, *, with_rank: bool = False, **options: Any) -> Callable[..., Any]:
    """Return a function that encodes a training graph, and another one in its columns."""

    def columns(graph: Graph, vocabulary: Any = None) -> tuple[Floats, Any]:
        given = {} if vocabulary is not None else {"radius": radius} | options
        encoding = egonet.encode(graph, vocabulary=vocabulary, threads=1, **given)
        rows = encoding.weighted(weighting).toarray().astype(np.float64)
        if with_rank:
            rows = np.column_stack([egonet.degree_rank(graph), rows])
        return rows, encoding.vocabulary

    return columns


def labeled(graph: Graph, vocabulary: Any = None) -> tuple[Floats, Any]:
    """Return counts of the quarters of the nodes' degrees in the whole graph, without degrees inside, as ranks."""
    given: Any = {} if vocabulary is not None else {"radius": (1, 2), "max_degree": 0}
    encoding = egonet.encode(graph, vocabulary=vocabulary, labels=quarter_labels(graph), threads=1, **given)
    return encoding.weighted("rank").toarray(), encoding.vocabulary


def plain(make: Callable[[Graph], Floats]) -> Callable[..., Any]:
    """Return columns that need no vocabulary."""
    return lambda graph, _vocabulary=None: (make(graph), True)


LOG: dict[str, Any] = {"degree_bins": "log"}
QUARTER: dict[str, Any] = {"degree_bins": "quantile"}
COLUMNS: dict[str, Callable[..., Any]] = {
    "degree": plain(lambda graph: graph.degrees[:, None].astype(np.float64)),
    "degree rank": plain(lambda graph: egonet.degree_rank(graph)[:, None]),
    "LDP": plain(degree_profile),
    "LDP, ranks": plain(lambda graph: ranked(degree_profile(graph))),
    "RWSE": plain(walk_returns),
    "RWSE, ranks": plain(lambda graph: ranked(walk_returns(graph))),
    "ego 1, counts": ego(1, "count"),
    "ego 1+2, counts": ego((1, 2), "count", **LOG),
    "ego 1, ranks": ego(1, "rank", **LOG),
    "ego 1+2, ranks": ego((1, 2), "rank", **LOG),
    "ego 1, shares, degree rank": ego(1, "paper", with_rank=True, **LOG),
    "ego 1, quarters": ego(1, "log", **QUARTER),
    "ego 1, quarters, ranks": ego(1, "rank", **QUARTER),
    "ego 1+2, quarters, ranks": ego((1, 2), "rank", **QUARTER),
    "ego 1, quarters, shares, degree rank": ego(1, "paper", with_rank=True, **QUARTER),
    "ego 1, quarters, ranks, degree rank": ego(1, "rank", with_rank=True, **QUARTER),
    "ego 1+2, quarters, ranks, degree rank": ego((1, 2), "rank", with_rank=True, **QUARTER),
    "labels of quarters 1+2, ranks": labeled,
}
#: What is run on the larger families of the half that columns are chosen on, and on the other half.
CHOICE_COLUMNS = (
    "degree",
    "degree rank",
    "LDP, ranks",
    "ego 1, counts",
    "ego 1, quarters",
    "ego 1, quarters, ranks",
    "ego 1, quarters, shares, degree rank",
    "ego 1+2, quarters, ranks, degree rank",
)
TEST_COLUMNS = (
    "degree",
    "degree rank",
    "LDP, ranks",
    "ego 1, counts",
    "ego 1+2, counts",
    "ego 1, quarters, shares, degree rank",
    "ego 1, quarters, ranks",
)
#: What `repeat` runs on all families.
REPEATED_COLUMNS = (
    "degree rank",
    "degree",
    "ego 1, quarters, ranks",
    "ego 1, quarters, ranks, degree rank",
    "ego 1, ranks",
    "LDP, ranks",
    "LDP",
    "RWSE, ranks",
    "RWSE",
    "ego 1, counts",
)
MODELS: dict[str, Callable[[int], Any]] = {
    "forest": lambda seed: RandomForestClassifier(100, min_samples_leaf=5, random_state=seed, n_jobs=1),
    "boosting": lambda seed: HistGradientBoostingClassifier(max_iter=60, random_state=seed),
    "logistic": lambda seed: make_pipeline(
        StandardScaler(), LogisticRegression(max_iter=300, random_state=seed)
    ),
}


def chosen_nodes(member: Member, most: int, seed: int) -> Int64s:
    """Return the nodes with a target, drawn at random if there are more than `most`."""
    nodes = np.flatnonzero(member.target >= 0)
    return np.sort(np.random.default_rng(seed).permutation(nodes)[:most])


def score(model: Any, rows: Floats, target: Int64s) -> float:
    """Return the accuracy, or the area under the ROC curve for two classes, in hundredths."""
    if len(model.classes_) == 2:
        return 100 * float(roc_auc_score(target, model.predict_proba(rows)[:, 1]))
    return 100 * float((model.predict(rows) == target).mean())


def run_family(name: str, columns: list[str], seeds: tuple[int, ...], finished: set[str]) -> None:
    """Append the lines of one family that are missing."""
    members = {title: make() for title, make in FAMILIES[name].members.items()}
    for chosen in columns:
        for source, member in members.items():
            others = [title for title in members if title != source]
            ids = [(other, model, seed) for other in others for model in MODELS for seed in seeds]
            if all(
                key_of(name, source, other, chosen, model, seed) in finished for other, model, seed in ids
            ):
                continue
            rows, vocabulary = COLUMNS[chosen](member.graph)
            tests = {other: COLUMNS[chosen](members[other].graph, vocabulary)[0] for other in others}
            for model_name, make in MODELS.items():
                for seed in seeds:
                    began, nodes = time.process_time(), chosen_nodes(member, TRAINED, seed)
                    model = make(seed).fit(rows[nodes], member.target[nodes])
                    for other in others:
                        if key_of(name, source, other, chosen, model_name, seed) in finished:
                            continue
                        tested = chosen_nodes(members[other], TESTED, seed)
                        found = score(model, tests[other][tested], members[other].target[tested])
                        line: dict[str, Any] = {
                            "family": name,
                            "half": FAMILIES[name].half,
                            "train": source,
                            "test": other,
                        }
                        line |= {
                            "columns": chosen,
                            "model": model_name,
                            "seed": seed,
                            "score": round(found, 3),
                        }
                        line |= {
                            "num_columns": rows.shape[1],
                            "seconds": round(time.process_time() - began, 2),
                        }
                        append(line)


def key_of(*parts: Any) -> str:
    """Return what identifies a line."""
    return json.dumps(parts)


def append(line: dict[str, Any]) -> None:
    """Write a line with the versions of what made it."""
    line |= {"egonet": egonet.__version__, "commit": current_commit()}
    with RESULTS.open("a") as stream:
        stream.write(json.dumps(line) + "\n")


def read_lines() -> list[dict[str, Any]]:
    """Return the lines written so far."""
    return [json.loads(text) for text in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def main(arguments: list[str]) -> None:
    """Run the families of one half, or those named."""
    fields = ("family", "train", "test", "columns", "model", "seed")
    finished = {key_of(*(line[field] for field in fields)) for line in read_lines()}
    for name, family in FAMILIES.items():
        if name in arguments or family.half in arguments:
            columns = TEST_COLUMNS if family.half == "test" else CHOICE_COLUMNS
            chosen = [each for each in COLUMNS if name == "airports" or each in columns]
            run_family(name, chosen, SEEDS.get(name, (0,)), finished)
            sys.stderr.write(f"{name} is done\n")
    if "repeat" in arguments:
        for name in sorted(FAMILIES, key=lambda name: FAMILIES[name].half, reverse=True):  # test first
            run_family(name, list(REPEATED_COLUMNS), REPEATED_SEEDS, finished)
            sys.stderr.write(f"{name} is done\n")


if __name__ == "__main__":
    main(sys.argv[1:])
