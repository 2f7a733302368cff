"""Linear models on ZINC-12k from sums and bags of encodings with atom and bond types.

Features, transformation and alpha of ridge regression are chosen by the error on the validation molecules. The best
features are then fitted with Huber's loss, whose alpha and threshold are chosen in the same way: a tenth of the
validation molecules has 43 % of the absolute error of ridge regression. The best of all is measured once on the test
molecules. `EGONET_DATA=... python -m research.molecules.zinc_ridge` writes `results/zinc_ridge.json`.
"""

import json
import os
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, hstack
from scipy.sparse.linalg import lsmr

import egonet
from egonet.typing import Floats
from research.paper.results import current_commit
from research.today.tabular.__main__ import origin

Molecules = list[tuple[egonet.Graph, Any]]
ALPHAS = (1.0, 3.0, 10.0, 30.0)
#: Of Huber's loss: penalties, errors from which on it grows linearly, and how often molecules are weighted again.
HUBER_ALPHAS, THRESHOLDS, ROUNDS = (10.0, 30.0, 100.0), (0.1, 0.2), 8
#: Errors of networks on the same split, as published with the benchmark.
PUBLISHED = {"GCN": 0.367, "GatedGCN with edge features": 0.282}
BONDS = {"labeled": True, "edge_labels": "bond"}
#: Every kind of features: the settings of the encoders whose columns are put next to each other.
FEATURES: dict[str, list[dict[str, Any]]] = {
    "atoms": [{"radius": 0, "max_degree": 0, "labeled": True}],
    "sums, atoms": [{"radius": (1, 2, 3), "degrees": "full", "labeled": True}],
    "sums, atoms and bonds": [{"radius": (1, 2, 3), "degrees": "full", **BONDS}],
    "bags, atoms": [{"radius": (0, 1, 2, 3), "aggregate": "bag", "min_count": 2, "labeled": True}],
    "bags, atoms and bonds": [{"radius": (0, 1, 2, 3), "aggregate": "bag", "min_count": 2, **BONDS}],
}
SUMS = [*FEATURES["sums, atoms and bonds"], *FEATURES["sums, atoms"]]
#: Sums with bonds see no edge between two nodes on the last ring, so that both kinds of sums are used.
FEATURES["bags and sums"] = [*FEATURES["bags, atoms and bonds"], *SUMS]
FEATURES["bags, bags without types, and sums"] = [
    *FEATURES["bags and sums"],
    {"radius": (1, 2, 3, 4), "aggregate": "bag", "min_count": 2},
]


def read_part(folder: Path, part: str) -> tuple[Molecules, Floats]:
    """Return the molecules of one part as pairs (graph with its bonds, atoms), and their targets."""
    stored = np.load(folder / f"zinc12k/zinc12k_{part}.npz", allow_pickle=False)
    ends, bonds, atoms = stored["edge"].astype(np.int32), stored["bond"].astype(np.int64), stored["atom"]
    found = []
    for index in range(len(stored["y"])):
        first, last = stored["edge_ptr"][index : index + 2]
        begin, end = stored["node_ptr"][index : index + 2]
        source, target = ends[first:last].T.copy()
        table = pd.DataFrame({"source": source, "target": target, "bond": bonds[first:last]})
        graph = egonet.as_graph(table, num_nodes=int(end - begin), keep="bond")
        found.append((graph, atoms[begin:end].astype(np.int64)))
    return found, stored["y"].astype(np.float64)


def make_features(encoders: list[dict[str, Any]], parts: list[Molecules]) -> list[Any]:
    """Return the matrix of every part; columns are learned on the first."""
    blocks: list[list[Any]] = [[] for _ in parts]
    for options in encoders:
        encoder = egonet.GraphEncoder(unseen="ignore", sparse_output=True, n_jobs=1, **options)
        given: list[Any] = [part if encoder.labeled else [graph for graph, _ in part] for part in parts]
        blocks[0].append(encoder.fit_transform(given[0]))
        for block, part in zip(blocks[1:], given[1:], strict=True):
            block.append(encoder.transform(part))
    return [hstack(block, format="csr") for block in blocks]


def transformed(matrix: Any, kind: str) -> Any:
    """Return counts, or log(1 + count), with a column of tens for the intercept, which is hardly penalized."""
    data = np.log1p(matrix.data) if kind == "log" else matrix.data
    values = csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
    return hstack([values, csr_array(np.full((matrix.shape[0], 1), 10.0))], format="csr")


def solve(matrix: Any, targets: Floats, alpha: float) -> Floats:
    """Return the weights of ridge regression."""
    weights: Floats = lsmr(matrix, targets, damp=alpha**0.5, atol=1e-5, btol=1e-5, maxiter=300)[0]
    return weights


def solve_robust(matrix: Any, targets: Floats, alpha: float, threshold: float) -> Floats:
    """Return the weights under Huber's loss: ridge regression in which molecules far off count less, and again.

    Examples
    --------
    The third target is an outlier; the weight is near that of the other two, and that of ridge regression is not.

    >>> matrix, targets = csr_array(np.ones((3, 1))), np.array([1.0, 1.0, 9.0])
    >>> solve(matrix, targets, 1e-6).round(2).tolist(), solve_robust(matrix, targets, 1e-6, 0.1).round(2).tolist()
    ([3.67], [1.05])
    """
    weights = solve(matrix, targets, alpha)
    for _ in range(ROUNDS):
        off = np.abs(matrix @ weights - targets)
        scale = np.sqrt(threshold / np.maximum(off, threshold))
        data = matrix.data * np.repeat(scale, np.diff(matrix.indptr))
        weighted = csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
        weights = lsmr(
            weighted, targets * scale, damp=alpha**0.5, x0=weights, atol=1e-5, btol=1e-5, maxiter=300
        )[0]
    return weights


def mean_error(matrix: Any, weights: Floats, targets: Floats) -> float:
    """Return the mean absolute error."""
    return float(np.abs(matrix @ weights - targets).mean())


def choose(matrices: list[Any], targets: list[Floats]) -> dict[str, Any]:
    """Return the transformation and alpha with the smallest error on the second part, fitted on the first."""
    found = []
    for kind in ("count", "log"):
        train, valid = (transformed(matrix, kind) for matrix in matrices[:2])
        for alpha in ALPHAS:
            error = mean_error(valid, solve(train, targets[0], alpha), targets[1])
            found.append((error, kind, alpha))
    error, kind, alpha = min(found)
    return {"transformation": kind, "alpha": alpha, "validation": round(error, 4)}


def choose_robust(matrices: list[Any], targets: list[Floats], kind: str) -> list[dict[str, Any]]:
    """Return the error on the second part for every penalty and threshold of Huber's loss."""
    train, valid = (transformed(matrix, kind) for matrix in matrices)
    rows = []
    for alpha, threshold in product(HUBER_ALPHAS, THRESHOLDS):
        error = mean_error(valid, solve_robust(train, targets[0], alpha, threshold), targets[1])
        rows.append({"alpha": alpha, "threshold": threshold, "validation": round(error, 4)})
    return rows


def main(target: str = "results/zinc_ridge.json") -> None:
    """Choose on the validation molecules, measure the choice once on the test molecules, and write the file."""
    folder = Path(os.environ["EGONET_DATA"])
    parts, targets = zip(*(read_part(folder, part) for part in ("train", "val", "test")), strict=True)
    found: dict[str, Any] = {"metric": "mean absolute error", "published": PUBLISHED, "rows": []}
    best: dict[str, Any] = {}
    for name, encoders in FEATURES.items():
        began = time.process_time()
        matrices = make_features(encoders, list(parts[:2]))
        encoded = time.process_time() - began
        row: dict[str, Any] = {"features": name, "columns": matrices[0].shape[1]} | choose(
            matrices, list(targets[:2])
        )
        row |= {"encoding_seconds": round(encoded, 1), "seconds": round(time.process_time() - began, 1)}
        found["rows"].append(row)
        sys.stderr.write(f"{row}\n")
        if not best or row["validation"] < best["validation"]:
            best = row
    train, valid, test = make_features(FEATURES[best["features"]], list(parts))
    found["robust"] = choose_robust([train, valid], list(targets[:2]), best["transformation"])
    sys.stderr.write(f"{found['robust']}\n")
    found["ridge"] = best | {"test": final_error([train, test], [targets[0], targets[2]], best)}
    robust = min(found["robust"], key=lambda row: float(row["validation"]))
    found["chosen"] = best | (robust if robust["validation"] < best["validation"] else {})
    found["chosen"]["test"] = final_error([train, test], [targets[0], targets[2]], found["chosen"])
    sys.stderr.write(f"{found['chosen']}\n")
    Path(target).write_text(json.dumps(found | origin(current_commit()), indent=1) + "\n")


def final_error(matrices: list[Any], targets: list[Floats], chosen: dict[str, Any]) -> float:
    """Return the error on the second part of the chosen model, fitted on the first."""
    train, test = (transformed(matrix, chosen["transformation"]) for matrix in matrices)
    if "threshold" in chosen:
        weights = solve_robust(train, targets[0], chosen["alpha"], chosen["threshold"])
    else:
        weights = solve(train, targets[0], chosen["alpha"])
    return round(mean_error(test, weights, targets[1]), 4)


if __name__ == "__main__":
    main()
