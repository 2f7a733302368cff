"""Link prediction under published protocols: `python -m research.links.benchmark [SET ...]` adds to results/links.

SEAL's sets (ten fixed splits, AUC), HeaRT's Citeseer and Pubmed (MRR, Hits@10, AUC), Facebook and CA-AstroPh with half
of the edges removed (AUC, uniform and near negatives). `research.links.choose_model` chose which models the trained
predictor averages; its columns were chosen on splits 1 and 2 of USAir, NS and C.ele, the five hops of the zero-shot
model for sparse graphs with Power in view too.

SET=3 runs the first three problems of a set; a set without a number runs all. Names of methods after -- run alone.
"""

import gzip
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.io import loadmat
from scipy.sparse import csr_array
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score

from egonet import Graph
from egonet.errors import InputError
from egonet.links import LinkPredictor, hits_at, link_columns, mean_reciprocal_rank, split, zero_shot_columns
from egonet.typing import Floats, Int64s
from research.links.heuristics import heuristic_columns
from research.links.networks import network, node2vec_boosting, pairs_to_learn
from research.links.other_graphs import data_file
from research.links.seal import seal
from research.links.zero_shot import WITHOUT, reads_of
from research.links.zero_shot_graphs import plain_graph

RESULTS = Path("results/links/benchmark.jsonl")
SEAL = {"USAir": "USAir", "NS": "NS", "Yeast": "Yeast", "C.ele": "Celegans", "Power": "Power"}
#: Test pairs of large graphs: links, and as many non-links.
FEW = 20_000
#: Stacked heuristics have Katz and PageRank up to this size, as the predictor does by default.
WALK_NODES = 3_000


@dataclass(frozen=True, eq=False)
class Problem:
    """A graph with known edges, pairs to learn from (None: its edges), and pairs to test.

    Attributes
    ----------
    negative
        Non-links to test: (num_negatives, 2), or (num_links, num_negatives, 2), those of every link.
    """

    graph: Graph
    pairs: Int64s | None
    labels: Any
    positive: Int64s
    negative: Int64s
    attributes: Any = None


def seal_problem(name: str, number: int) -> Problem:
    """Return one of the ten fixed splits of a set."""
    parts = loadmat(data_file(f"links/seal/{SEAL[name]}_split_{number}.mat"))
    found = {key: parts[key].astype(np.int64) for key in ("train_pos", "train_neg", "test_pos", "test_neg")}
    size = 1 + max(int(part.max()) for part in found.values())
    graph = Graph.from_indices(found["train_pos"][:, 0], found["train_pos"][:, 1], size)
    pairs = np.concatenate([found["train_pos"], found["train_neg"]])
    labels = np.arange(len(pairs)) < len(found["train_pos"])
    return Problem(graph, pairs, labels, found["test_pos"], found["test_neg"])


def heart_problem(name: str, *, hard: bool) -> Problem:
    """Return HeaRT's split of a citation graph, with its existing or its hard negatives."""
    with np.load(data_file(f"links/{name}.npz"), allow_pickle=False) as arrays:
        shape = tuple(arrays["x_shape"])
        attributes = csr_array((arrays["x_data"], arrays["x_indices"], arrays["x_indptr"]), shape=shape)
    parts = {}
    for key in ("train_pos", "test_pos", "test_neg"):
        pairs = np.loadtxt(data_file(f"links/heart/{name}/{key}.txt"), dtype=np.int64)
        parts[key] = pairs if key == "test_pos" else pairs[pairs[:, 0] != pairs[:, 1]]
    known = np.unique(np.sort(parts["train_pos"], axis=1), axis=0)
    graph = Graph.from_indices(known[:, 0], known[:, 1], shape[0])
    positive, negative = parts["test_pos"], parts["test_neg"]
    if hard:
        negative = np.load(data_file(f"links/heart/{name}/heart_test_samples.npy"), allow_pickle=False)
        negative = negative.astype(np.int64)
    real = positive[:, 0] != positive[:, 1]
    return Problem(graph, None, None, positive[real], negative[real] if hard else negative, attributes)


def half_problem(name: str, seed: int, negatives: Any, *, labeled: bool = False) -> Problem:
    """Return Facebook or CA-AstroPh without half of its edges, and pairs to test.

    `labeled` learns from half of the removed edges and of the other pairs, and tests the other half of both.
    """
    path = {"Facebook": "facebook/Facebook.edgelist", "CA-AstroPh": "ca-astroph/ca-AstroPh.txt.gz"}[name]
    opener: Any = gzip.open if path.endswith(".gz") else open
    with opener(data_file(path), "rt") as stream:
        edges = np.array(stream.read().split(), dtype=np.int64).reshape(-1, 2)
    parts = split(plain_graph(edges), test=0.5, negatives=negatives, seed=seed)
    links, others = parts.test.links, parts.test.non_links
    if not labeled:
        return Problem(parts.graph, None, None, links[:FEW], others[:FEW])
    half = len(links) // 2
    pairs = np.concatenate([links[half:][:FEW], others[half:][:FEW]])
    labels = np.arange(len(pairs)) < len(pairs) // 2
    return Problem(parts.graph, pairs, labels, links[:half][:FEW], others[:half][:FEW])


def trained(**options: Any) -> Callable[[Problem, int], Callable[[Int64s], Floats]]:
    """Return a method: fit a predictor, then score pairs."""

    def fit(problem: Problem, seed: int) -> Callable[[Int64s], Floats]:
        attributes = None if options.get("model") == "zero-shot" else problem.attributes
        predictor = LinkPredictor(attributes=attributes, random_state=seed, n_jobs=1, **options)
        predictor.fit(problem.graph, problem.pairs, problem.labels)
        return lambda pairs: predictor.predict_proba(pairs)[:, 1]

    return fit


def heuristic(name: str, group: str) -> Callable[[Problem, int], Callable[[Int64s], Floats]]:
    """Return a method: one column is the score."""

    def fit(problem: Problem, seed: int) -> Callable[[Int64s], Floats]:  # noqa: ARG001
        def score(pairs: Int64s) -> Floats:
            values, names = link_columns(problem.graph, pairs, [group], threads=1)  # type: ignore[list-item]
            found: Floats = values[:, names.index(name)]
            return found

        return score

    return fit


def stacked(problem: Problem, seed: int) -> Callable[[Int64s], Floats]:
    """Return a method: boosting of all heuristics (no pair encodings, no zero-shot score)."""
    graph = problem.graph
    pairs, labels = pairs_to_learn(problem, seed)

    def table(rows: Int64s) -> Floats:
        values, _ = heuristic_columns(graph, rows, walks=graph.num_nodes <= WALK_NODES)
        if problem.attributes is None:
            return values
        more, _ = link_columns(graph, rows, ["attributes"], attributes=problem.attributes, threads=1)
        return np.hstack([values, more])

    model = HistGradientBoostingClassifier(
        max_iter=200, learning_rate=0.05, max_leaf_nodes=15, early_stopping=False, random_state=seed
    )
    model.fit(table(pairs), labels)

    def score(rows: Int64s) -> Floats:
        found: Floats = model.predict_proba(table(rows))[:, 1]
        return found

    return score


def other_model(path: Path) -> Callable[[Problem, int], Callable[[Int64s], Floats]]:
    """Return a method: a model without training that `research.links.zero_shot` wrote to the results."""

    def fit(problem: Problem, seed: int) -> Callable[[Int64s], Floats]:  # noqa: ARG001
        graph = problem.graph
        mean = 2 * graph.num_edges / graph.num_nodes
        reach = np.log(graph.num_nodes) / np.log(mean) if mean > 1.2 else np.inf
        models = json.loads(path.read_text("utf-8"))["models"]
        model = next(
            each
            for each in models
            if reach >= each["least_reach"]
            and (not each["most_reads"] or reads_of(graph, each["radius"]) <= each["most_reads"])
        )

        def score(pairs: Int64s) -> Floats:
            values, ranks, names = zero_shot_columns(graph, pairs, model["radius"])
            assert names == model["names"]
            raw = (values - model["mean"]) / model["deviation"]
            found: Floats = np.clip(raw, -model["cut"], model["cut"]) @ np.array(model["values"])
            found += (ranks - 0.5) * model["spread"] @ np.array(model["ranks"])
            return found

        return score

    return fit


METHODS: dict[str, Callable[[Problem, int], Callable[[Int64s], Floats]]] = {
    "zero-shot": trained(model="zero-shot"),
    "zero-shot, relatives left out": other_model(WITHOUT),
    "trained": trained(),
    "trained, near negatives": trained(negatives="near"),
    "trained, without prior": trained(prior=False),
    "stacked heuristics": stacked,
    "SEAL": seal,
    "GCN": network("GCN"),
    "GraphSAGE": network("GraphSAGE"),
    "node2vec, boosting": node2vec_boosting,
    "common neighbors": heuristic("common_neighbors", "overlap"),
    "Adamic–Adar": heuristic("adamic_adar", "overlap"),
    "resource allocation": heuristic("resource_allocation", "overlap"),
    "Katz": heuristic("katz", "walks"),
    "PageRank": heuristic("pagerank", "walks"),
}
#: Only where negatives are drawn and tested pairs are near.
NEAR = "trained, near negatives"
SMALL = tuple(name for name in METHODS if name != NEAR)
LARGE = tuple(name for name in SMALL if name not in ("SEAL", "Katz", "PageRank"))


def measure(problem: Problem, method: str, seed: int) -> dict[str, Any]:
    """Return the scores of a method, and its processor seconds; seconds of a clock for SEAL on a GPU."""
    has_gpu = method == "SEAL" and torch.cuda.is_available()
    clock = time.perf_counter if has_gpu else time.process_time
    began = clock()
    score = METHODS[method](problem, seed)
    positive = score(problem.positive)
    negative = score(problem.negative.reshape(-1, 2))
    found: dict[str, Any] = {"seconds": round(clock() - began, 2)}
    if has_gpu:
        found["gpu"] = torch.cuda.get_device_name()
    labels = np.r_[np.ones(len(positive)), np.zeros(len(negative))]
    found["auc"] = round(100 * float(roc_auc_score(labels, np.r_[positive, negative])), 2)
    rows = negative.reshape(problem.negative.shape[:-1])
    alone = problem.graph.degrees == 0
    joined = ~alone[np.concatenate([problem.positive, problem.negative.reshape(-1, 2)])].any(axis=1)
    area = roc_auc_score(labels[joined], np.r_[positive, negative][joined])
    found["auc_without_isolated"] = round(100 * float(area), 2)
    found["mrr"] = round(100 * mean_reciprocal_rank(positive, rows), 2)
    found["hits10"] = round(100 * hits_at(10, positive, rows), 2)
    return found


def isolated(problem: Problem) -> dict[str, float]:
    """Return the percentage of links and of non-links that have an end without a known edge."""
    alone = problem.graph.degrees == 0
    shares = {
        key: alone[pairs].any(axis=-1).mean() for key, pairs in vars(problem).items() if key.endswith("tive")
    }
    return {f"isolated_{key}": round(100 * float(share), 1) for key, share in shares.items()}


def problems(name: str) -> Iterator[tuple[dict[str, Any], Problem, tuple[str, ...]]]:
    """Yield the problems of a set: what identifies each, the problem, and the methods."""
    if name in SEAL:
        for number in range(1, 11):
            problem = seal_problem(name, number)
            yield {"set": name, "split": number} | isolated(problem), problem, SMALL
    elif name in ("Citeseer", "Citeseer HeaRT", "Pubmed"):
        problem = heart_problem(name.split()[0].lower(), hard=name.endswith("HeaRT"))
        for seed in range(5):
            yield {"set": name, "seed": seed}, problem, LARGE if seed == 0 else ("trained",)
    elif name in OTHERS:
        source, _, kind = name.partition(", ")
        for seed in range(2):
            for negatives in ("uniform", "near"):
                problem = half_problem(source, seed, negatives, labeled=bool(kind))
                methods = (*LARGE, NEAR) if negatives == "near" and not kind else LARGE
                yield {"set": name, "seed": seed, "negatives": negatives}, problem, methods
    else:
        raise InputError(f"there is no set {name!r}. There are {', '.join((*SEAL, *OTHERS))}.")


OTHERS = (
    *("Citeseer", "Citeseer HeaRT", "Pubmed", "Facebook", "CA-AstroPh"),
    *("Facebook, labeled", "CA-AstroPh, labeled"),
)


def key_of(line: dict[str, Any]) -> str:
    """Return what identifies a line of the results.

    >>> key_of({"set": "NS", "split": 3, "method": "Katz", "auc": 94.0})
    'NS, split 3, Katz'
    """
    names = ("split", "seed", "negatives")
    parts = [f"{name} {line[name]}" for name in names if name in line]
    return ", ".join([line["set"], *parts, line["method"]])


def finished() -> set[str]:
    """Return what has a line in the results."""
    lines = RESULTS.read_text("utf-8").splitlines() if RESULTS.exists() else []
    return {key_of(json.loads(line)) for line in lines}


def main(arguments: list[str]) -> None:
    """Measure the sets that are named, or all; add a line for every method to the results."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    names, chosen = arguments[:end], arguments[end + 1 :]
    warnings.simplefilter("ignore")  # a few test pairs of HeaRT are known edges
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    for text in names or (*SEAL, *OTHERS):
        name, _, count = text.partition("=")
        for facts, problem, methods in islice(problems(name), int(count) if count else None):
            for method in [each for each in methods if not chosen or each in chosen]:
                if (done := key_of(facts | {"method": method})) in finished():
                    print(f"skipped, finished earlier: {done}", flush=True)  # noqa: T201
                    continue
                line = facts | {"method": method} | measure(problem, method, facts.get("seed", 0))
                with RESULTS.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
