"""Peptides-func with boosted trees: the same search of models for Morgan counts, neighborhoods and both.

`EGONET_DATA=... python -m research.molecules.peptides OUTPUT [--workers N]` appends a line per setting to
OUTPUT (finished lines are skipped) and then a line per chosen model. Every kind of features has two variants, which
are trained with the published setting of LightGBM; the best variant of each kind then with one more setting. (A search
of six variants with four settings each takes about two hours of a core.) The average precision of the validation
molecules chooses a variant and a setting per kind. Then those models, and the mean of the ranks that the two single
kinds give, learn from training and validation molecules, and the test molecules are read once.
"""

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rdkit.Chem import rdFingerprintGenerator
from scipy.sparse import csr_matrix, hstack
from sklearn.metrics import average_precision_score

import egonet
from research.molecules.fingerprints import MoleculeSet, read_set

#: Variants of Morgan counts and of neighborhoods: radius and columns.
VARIANTS = ((3, 2048), (4, 8192))
#: Settings of LightGBM, the one of the published fingerprints first.
MODELS: tuple[dict[str, Any], ...] = (
    {"n_estimators": 500, "is_unbalance": True},
    {
        "n_estimators": 1000,
        "learning_rate": 0.05,
        "colsample_bytree": 0.1,
        "min_child_samples": 5,
        "max_bin": 15,
        "force_col_wise": True,  # faster, same trees
    },
)
#: The kinds of features.
KINDS = ("Morgan", "neighborhoods", "both")
Setting = tuple[str, int, int]
_DATA: list[MoleculeSet] = []


def settings_of_stage(stage: int, lines: Sequence[dict[str, Any]]) -> list[Setting]:
    """Return every variant with the first model (stage 0), or the best variant of every kind with the others (1).

    >>> lines = [{"features": kind, "variant": 1, "model": 0, "validation": 0.5} for kind in KINDS]
    >>> [len(settings_of_stage(stage, lines)) for stage in (0, 1)], settings_of_stage(1, lines)[0]
    ([6, 3], ('Morgan', 1, 1))
    """
    if stage == 0:
        return [(kind, variant, 0) for kind in KINDS for variant in range(len(VARIANTS))]
    best = choose([line for line in lines if line["model"] == 0])
    return [(kind, best[kind][1], model) for kind in KINDS for model in range(1, len(MODELS))]


def choose(lines: Sequence[dict[str, Any]]) -> dict[str, tuple[float, int, int]]:
    """Return the validation score, variant and model of the best line of each kind."""
    return {
        kind: max(
            (line["validation"], line["variant"], line["model"]) for line in lines if line["features"] == kind
        )
        for kind in KINDS
    }


def make_rows(molecules: list[Any], kind: str, variant: int) -> csr_matrix:
    """Return the columns of a variant, without those that are zero everywhere."""
    radius, size = VARIANTS[variant]
    groups = []
    if kind != "neighborhoods":
        generator = rdFingerprintGenerator.GetMorganGenerator(radius=radius, fpSize=size)
        groups.append(csr_matrix(np.stack([generator.GetCountFingerprintAsNumPy(m) for m in molecules])))
    if kind != "Morgan":
        encoder = egonet.MoleculeEncoder(radius, num_columns=size, sparse_output=True)
        groups.append(csr_matrix(encoder.transform(molecules)))
    rows = hstack(groups, format="csc")
    return csr_matrix(rows[:, np.flatnonzero(np.diff(rows.indptr))], dtype=np.float32)


def predict(rows: Any, targets: Any, train: Any, test: Any, model: int) -> np.ndarray[Any, Any]:
    """Return the score of every label for some molecules, learned from others."""
    from lightgbm import LGBMClassifier  # only this experiment needs it

    scores = []
    for task in targets.T:
        learner: Any = LGBMClassifier(n_jobs=1, random_state=0, verbose=-1, **MODELS[model])
        scores.append(learner.fit(rows[train], task[train]).predict_proba(rows[test])[:, 1])
    return np.stack(scores, axis=1)


def average_precision(targets: Any, scores: Any) -> float:
    """Return the mean of the labels' average precisions."""
    return float(average_precision_score(targets, scores, average="macro"))


def run_setting(job: tuple[Setting, bool]) -> tuple[Setting, np.ndarray[Any, Any], float, int]:
    """Return validation scores, or with True test scores after learning from both, seconds and columns."""
    (kind, variant, model), is_last = job
    data, started = _DATA[0], time.process_time()
    train, validation, test = data.splits[0]
    rows = make_rows(data.molecules, kind, variant)
    learned = np.concatenate([train, validation]) if is_last else train
    scores = predict(rows, data.targets, learned, test if is_last else validation, model)
    return (kind, variant, model), scores, time.process_time() - started, rows.shape[1]


def rank(scores: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the share of molecules with a lower score, per label, so that two models can be averaged.

    >>> rank(np.array([[0.5], [0.25], [0.75]])).ravel().tolist()
    [0.3333333333333333, 0.0, 0.6666666666666666]
    """
    return np.argsort(np.argsort(scores, axis=0, kind="stable"), axis=0) / len(scores)


def search(pool: Any, targets: Any, left: Sequence[Setting]) -> Iterator[tuple[dict[str, Any], Any]]:
    """Yield a line and the validation scores of every setting."""
    for setting, scores, used, columns in pool.imap_unordered(
        run_setting, [(setting, False) for setting in left]
    ):
        kind, variant, model = setting
        yield (
            {
                "line": "search",
                "features": kind,
                "variant": variant,
                "model": model,
                "validation": round(average_precision(targets, scores), 5),
                "columns": columns,
                "seconds": round(used, 1),
            },
            scores,
        )


def main() -> None:
    """Search, choose, and read the test molecules once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
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
    scores: dict[Setting, Any] = {}
    with options.output.open("a") as file, multiprocessing.get_context("fork").Pool(options.workers) as pool:

        def write(line: dict[str, Any]) -> None:
            lines.append(line)
            file.write(json.dumps(line) + "\n")
            file.flush()
            sys.stderr.write(f"{time.monotonic() - started:.0f} s: {line}\n")

        done = {(line["features"], line["variant"], line["model"]) for line in lines}
        for stage in (0, 1):
            left = [setting for setting in settings_of_stage(stage, lines) if setting not in done]
            for line, found in search(pool, data.targets[validation], left):
                write(line)
                scores[line["features"], line["variant"], line["model"]] = found
    best = choose(lines)
    chosen = [((kind, variant, model), True) for kind, (_, variant, model) in best.items()]
    again = [(setting, False) for setting, _ in chosen if setting not in scores]
    with options.output.open("a") as file, multiprocessing.get_context("fork").Pool(options.workers) as pool:
        last: dict[str, Any] = {}
        for job, (setting, found, used, columns) in zip(
            again + chosen, pool.imap(run_setting, again + chosen), strict=True
        ):
            if not job[1]:
                scores[setting] = found
            else:
                last[setting[0]] = found, used, columns
    means = {
        "validation": rank(scores["Morgan", *best["Morgan"][1:]])
        + rank(scores["neighborhoods", *best["neighborhoods"][1:]]),
        "test": rank(last["Morgan"][0]) + rank(last["neighborhoods"][0]),
    }
    with options.output.open("a") as file:
        for kind, (value, variant, model) in best.items():
            found, used, columns = last[kind]
            line = {
                "line": "chosen",
                "features": kind,
                "variant": variant,
                "model": model,
                "validation": value,
            }
            line |= {"test": round(average_precision(data.targets[test], found), 5)}
            line |= {"columns": columns, "seconds": round(used, 1), "egonet": egonet.__version__}
            file.write(json.dumps(line) + "\n")
        line = {"line": "chosen", "features": "mean of the two models"}
        line |= {"validation": round(average_precision(data.targets[validation], means["validation"]), 5)}
        line |= {"test": round(average_precision(data.targets[test], means["test"]), 5)}
        file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
