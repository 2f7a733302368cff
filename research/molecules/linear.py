"""Linear models with Huber's loss on ESOL, FreeSolv, Lipophilicity and ZINC-12k, from fingerprints of molecules.

`EGONET_DATA=... python -m research.molecules.linear [SET ...] [--splits N]` appends a line per set, split and kind of
features to `results/molecules/linear.jsonl` (finished lines are skipped); `--report` prints the table. Splits are those
of `fingerprints`, ZINC-12k has its own; labels of atoms are invariants. Every kind has the same search by the absolute
error on validation molecules: radius 2 or 3, counts or logs and the penalty of ridge regression, then penalty and
threshold of Huber's loss. The test molecules are read once. Targets are scaled by the deviation of the training
molecules while fitting.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rdkit import rdBase

import egonet
from egonet.typing import Floats
from research.expressivity.class_bags import rebuilt
from research.expressivity.refined_features import zinc
from research.molecules.fingerprints import (
    GROUPS,
    RADII,
    TEST_SHARE,
    MoleculeSet,
    make_features,
    read_set,
    show_gain,
)
from research.molecules.zinc_ridge import solve, solve_robust, transformed

RESULTS = Path("results/molecules/linear.jsonl")
SETS = ("freesolv", "esol", "lipo", "zinc")
KINDS = tuple(GROUPS)
ALPHAS, THRESHOLDS = (1.0, 3.0, 10.0, 30.0), (0.1, 0.3)


def read_zinc(folder: Path) -> MoleculeSet:
    """Return ZINC-12k as RDKit molecules, with its split."""
    data = zinc(folder)
    return MoleculeSet(list(rebuilt(data)), data.targets[:, None], list(data.parts))


def fit_and_choose(features: dict[int, Any], targets: Floats, train: Any, validation: Any) -> dict[str, Any]:
    """Return radius, values, penalty and threshold with the smallest absolute error on validation molecules."""

    def error(rows: Any, weights: Floats) -> float:
        return float(np.abs(rows[validation] @ weights - targets[validation]).mean())

    ridge = []
    for radius, values in product(RADII, ("count", "log")):
        rows = transformed(features[radius], values)
        ridge += [
            (error(rows, solve(rows[train], targets[train], alpha)), radius, values, alpha)
            for alpha in ALPHAS
        ]
    _, radius, values, best = min(ridge)
    rows = transformed(features[radius], values)
    robust = [
        (error(rows, solve_robust(rows[train], targets[train], alpha, threshold)), alpha, threshold)
        for alpha, threshold in product((best, 3 * best), THRESHOLDS)
    ]
    validated, alpha, threshold = min(robust)
    return {
        "radius": radius,
        "values": values,
        "alpha": alpha,
        "threshold": threshold,
        "validation": validated,
    }


def run(folder: Path, name: str, num_splits: int) -> Iterator[dict[str, Any]]:
    """Yield a line per split and kind of features that has none yet."""
    lines = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    done = {(line["set"], line["split"], line["features"]) for line in lines}
    num_splits = 1 if name == "zinc" else num_splits
    if all((name, split, kind) in done for split in range(num_splits) for kind in KINDS):
        return
    data = read_zinc(folder) if name == "zinc" else read_set(folder, name, num_splits)
    made = {kind: {radius: make_features(data.molecules, kind, radius) for radius in RADII} for kind in KINDS}
    for split, (train, validation, test) in enumerate(data.splits):
        targets = data.targets[:, 0]
        center, scale = targets[train].mean(), targets[train].std()
        scaled = (targets - center) / scale
        for kind in (kind for kind in KINDS if (name, split, kind) not in done):
            started = time.process_time()
            features = {radius: rows.astype(np.float64) for radius, (rows, _) in made[kind].items()}
            chosen = fit_and_choose(features, scaled, train, validation)
            rows = transformed(features[chosen["radius"]], chosen["values"])
            weights = solve_robust(rows[train], scaled[train], chosen["alpha"], chosen["threshold"])
            off = (rows[test] @ weights - scaled[test]) * scale
            yield {
                "set": name,
                "split": split,
                "features": kind,
                **chosen,
                "validation": round(chosen["validation"] * scale, 5),
                "test_mae": round(float(np.abs(off).mean()), 5),
                "test_rmse": round(float(np.sqrt((off**2).mean())), 5),
                "seconds_features": round(made[kind][chosen["radius"]][1], 2),
                "seconds_models": round(time.process_time() - started, 1),
                "columns": rows.shape[1] - 1,
                "egonet": egonet.__version__,
            }


def report() -> str:
    """Return the table: mean errors, and the difference from Morgan with its interval of 95 % over splits."""
    lines = pd.DataFrame([json.loads(line) for line in RESULTS.read_text().splitlines()])
    text = [
        "| set | error | splits | " + " | ".join(KINDS) + " | both − Morgan |",
        "|---" * (4 + len(KINDS)) + "|",
    ]
    for name, metric in product(SETS, ("test_rmse", "test_mae")):
        table = lines[lines["set"] == name].pivot_table(index="split", columns="features", values=metric)
        table = table.dropna()
        if not len(table) or set(table) != set(KINDS):
            continue
        gain = (table["both"] - table["Morgan"]).to_numpy()
        means = " | ".join(f"{table[kind].mean():.4f}" for kind in KINDS)
        difference = show_gain(gain, TEST_SHARE)
        text.append(f"| {name} | {metric[5:].upper()} | {len(table)} | {means} | {difference} |")
    return "\n".join(text)


def main() -> None:
    """Run the sets that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    if options.report:
        print(report())  # noqa: T201
        return
    rdBase.DisableLog("rdApp.*")
    for name in options.sets:
        for line in run(Path(os.environ["EGONET_DATA"]), name, options.splits):
            with RESULTS.open("a") as file:
                file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
