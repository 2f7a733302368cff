"""Peptides-func with boosted trees: the same search of models for Morgan counts and for neighborhoods, and means.

`EGONET_DATA=... python -m research.molecules.peptides OUTPUT SCORES [--workers N]` appends a line per variant to OUTPUT
(finished lines are skipped) and then a line per candidate; the folder SCORES keeps what the models predict. Either
kind of features has two variants, trained with the published setting of LightGBM; the average precision of the
validation molecules chooses one of them. Candidates are the chosen models, and means of the ranks of two models, of one
kind or of both. They learn from training and validation molecules, and read the test molecules once. Each has its
validation score, by which one of them is chosen. (More variants, four settings of LightGBM, and both kinds as columns
of one model take about two hours of a core.)
"""

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from rdkit.Chem import rdFingerprintGenerator
from scipy.sparse import csc_matrix, csr_matrix
from sklearn.metrics import average_precision_score

import egonet
from research.molecules.fingerprints import MoleculeSet, read_set

#: Variants of Morgan counts and of neighborhoods: radius and columns.
VARIANTS = ((3, 2048), (4, 8192))
#: The setting of LightGBM of the published fingerprints.
MODEL: dict[str, Any] = {"n_estimators": 500, "is_unbalance": True}
#: The kinds of features.
KINDS = ("Morgan", "neighborhoods")
Setting = tuple[str, int]
_DATA: list[MoleculeSet] = []


def choose(lines: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Return the variant with the best validation score of each kind.

    >>> scores = {("Morgan", 0): 0.75, ("Morgan", 1): 0.5, ("neighborhoods", 0): 0.5, ("neighborhoods", 1): 0.75}
    >>> choose([{"features": kind, "variant": n, "validation": score} for (kind, n), score in scores.items()])
    {'Morgan': 0, 'neighborhoods': 1}
    """
    return {
        kind: max((line["validation"], line["variant"]) for line in lines if line["features"] == kind)[1]
        for kind in KINDS
    }


def make_rows(molecules: list[Any], kind: str, variant: int) -> csr_matrix:
    """Return the columns of a variant, without those that are zero everywhere."""
    radius, size = VARIANTS[variant]
    if kind == "Morgan":
        generator = rdFingerprintGenerator.GetMorganGenerator(radius=radius, fpSize=size)
        rows = csc_matrix(np.stack([generator.GetCountFingerprintAsNumPy(m) for m in molecules]))
    else:
        encoder = egonet.MoleculeEncoder(radius, num_columns=size, sparse_output=True)
        rows = csc_matrix(encoder.transform(molecules))
    return csr_matrix(rows[:, np.flatnonzero(np.diff(rows.indptr))], dtype=np.float32)


def predict(rows: Any, targets: Any, train: Any, test: Any) -> np.ndarray[Any, Any]:
    """Return the score of every label for some molecules, learned from others."""
    from lightgbm import LGBMClassifier  # only this experiment needs it

    scores = []
    for task in targets.T:
        learner: Any = LGBMClassifier(n_jobs=1, random_state=0, verbose=-1, **MODEL)
        scores.append(learner.fit(rows[train], task[train]).predict_proba(rows[test])[:, 1])
    return np.stack(scores, axis=1)


def average_precision(targets: Any, scores: Any) -> float:
    """Return the mean of the labels' average precisions."""
    return float(average_precision_score(targets, scores, average="macro"))


def run_setting(job: tuple[Setting, bool, Path]) -> tuple[Setting, np.ndarray[Any, Any], float, int]:
    """Return validation scores, or with True test scores after learning from both, seconds and columns.

    They are read from the folder if they are there, else written to it.
    """
    (kind, variant), is_last, folder = job
    path = folder / f"{kind}-{variant}-{'test' if is_last else 'validation'}.npz"
    if not path.exists():
        data, started = _DATA[0], time.process_time()
        train, validation, test = data.splits[0]
        rows = make_rows(data.molecules, kind, variant)
        learned = np.concatenate([train, validation]) if is_last else train
        found = predict(rows, data.targets, learned, test if is_last else validation)
        np.savez(path, scores=found, seconds=time.process_time() - started, columns=rows.shape[1])
    stored = np.load(path, allow_pickle=False)
    return (kind, variant), stored["scores"], float(stored["seconds"]), int(stored["columns"])


def rank(scores: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the share of molecules with a lower score, per label, so that two models can be averaged.

    >>> rank(np.array([[0.5], [0.25], [0.75]])).ravel().tolist()
    [0.3333333333333333, 0.0, 0.6666666666666666]
    """
    return np.argsort(np.argsort(scores, axis=0, kind="stable"), axis=0) / len(scores)


def mean_of(scores: list[np.ndarray[Any, Any]]) -> Any:
    """Return the scores of a single model, or the mean of the ranks of several.

    >>> mean_of([np.array([[0.5], [0.25]]), np.array([[0.5], [0.75]])]).ravel().tolist()
    [0.25, 0.25]
    """
    return scores[0] if len(scores) == 1 else np.mean([rank(own) for own in scores], axis=0)


def models_tested(best: dict[str, int]) -> dict[str, list[Setting]]:
    """Return what is tested: the best variant of each kind, the mean of the two, and means of both variants of a kind.

    >>> for name, models in models_tested({"Morgan": 1, "neighborhoods": 0}).items():
    ...     print(name, models)
    Morgan [('Morgan', 1)]
    neighborhoods [('neighborhoods', 0)]
    Morgan and neighborhoods [('Morgan', 1), ('neighborhoods', 0)]
    Morgan, both variants [('Morgan', 0), ('Morgan', 1)]
    neighborhoods, both variants [('neighborhoods', 0), ('neighborhoods', 1)]
    """
    return {
        **{kind: [(kind, variant)] for kind, variant in best.items()},
        "Morgan and neighborhoods": list(best.items()),
        **{f"{kind}, both variants": [(kind, variant) for variant in range(len(VARIANTS))] for kind in best},
    }


def main() -> None:
    """Search, choose, and read the test molecules once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("scores", type=Path)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--molecules", type=int, help="only so many, for a trial")
    options = parser.parse_args()
    started = time.monotonic()
    data = read_set(Path(os.environ["EGONET_DATA"]), "peptides", 1)
    if options.molecules:
        splits = [tuple(rows[rows < options.molecules] for rows in data.splits[0])]
        data = MoleculeSet(data.molecules[: options.molecules], data.targets[: options.molecules], splits)
    _DATA.append(data)
    _, validation, test = data.splits[0]
    lines = (
        [json.loads(text) for text in options.output.read_text().splitlines()]
        if options.output.exists()
        else []
    )
    if any(line["line"] == "chosen" for line in lines):
        sys.stderr.write(
            f"{options.output} has its chosen models; their test molecules are not read again.\n"
        )
        return
    options.scores.mkdir(parents=True, exist_ok=True)
    with options.output.open("a") as file, multiprocessing.get_context("fork").Pool(options.workers) as pool:

        def write(line: dict[str, Any]) -> None:
            lines.append(line)
            file.write(json.dumps(line) + "\n")
            file.flush()
            sys.stderr.write(f"{time.monotonic() - started:.0f} s: {line}\n")

        done = {(line["features"], line["variant"]) for line in lines}
        left = [each for each in product(KINDS, range(len(VARIANTS))) if each not in done]
        jobs = [(setting, False, options.scores) for setting in left]
        for (kind, variant), scores, used, width in pool.imap_unordered(run_setting, jobs):
            line: dict[str, Any] = {"line": "search", "features": kind, "variant": variant}
            line["validation"] = round(average_precision(data.targets[validation], scores), 5)
            write(line | {"columns": width, "seconds": round(used, 1)})
        pairs = models_tested(choose(lines))
        models = list(dict.fromkeys(setting for own in pairs.values() for setting in own))
        jobs = [(setting, True, options.scores) for setting in models]
        results = {result[0]: result for result in pool.imap(run_setting, jobs)}
        before = {setting: run_setting((setting, False, options.scores))[1] for setting in models}
        for name, own in pairs.items():
            found = [results[setting] for setting in own]
            line = {"line": "chosen", "features": name, "variants": [variant for _, variant in own]}
            mean = mean_of([before[setting] for setting in own])
            line["validation"] = round(average_precision(data.targets[validation], mean), 5)
            mean = mean_of([scores for _, scores, _, _ in found])
            line["test"] = round(average_precision(data.targets[test], mean), 5)
            line["columns"] = [width for *_, width in found]
            line["seconds"] = [round(used, 1) for _, _, used, _ in found]
            write(line | {"egonet": egonet.__version__})


if __name__ == "__main__":
    main()
