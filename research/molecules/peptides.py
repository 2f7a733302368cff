"""Peptides-func with boosted trees: the same search of models for Morgan counts and for neighborhoods, and means.

`EGONET_DATA=... python -m research.molecules.peptides OUTPUT SCORES [--workers N]` appends a line per setting to OUTPUT
(finished lines are skipped) and then a line per chosen model; the folder SCORES keeps what the models predict. Either
kind of features has two variants, which are trained with the published setting of LightGBM; the best variant of each
then with one more setting. (Six variants with four settings each, and both kinds as columns of one model, take about
two hours of a core.) The average precision of the validation molecules chooses a variant and a setting per kind. Then
the models learn from training and validation molecules, and the test molecules are read once: by the chosen models, and
by means of the ranks of two models, of one kind or of both.
"""

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Sequence
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
KINDS = ("Morgan", "neighborhoods")
Setting = tuple[str, int, int]
_DATA: list[MoleculeSet] = []


def settings_of_stage(stage: int, lines: Sequence[dict[str, Any]]) -> list[Setting]:
    """Return every variant with the first model (stage 0), or the best variant of every kind with the others (1).

    >>> lines = [{"features": kind, "variant": 1, "model": 0, "validation": 0.5} for kind in KINDS]
    >>> [len(settings_of_stage(stage, lines)) for stage in (0, 1)], settings_of_stage(1, lines)[0]
    ([4, 2], ('Morgan', 1, 1))
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
    if kind == "Morgan":
        generator = rdFingerprintGenerator.GetMorganGenerator(radius=radius, fpSize=size)
        rows = csc_matrix(np.stack([generator.GetCountFingerprintAsNumPy(m) for m in molecules]))
    else:
        encoder = egonet.MoleculeEncoder(radius, num_columns=size, sparse_output=True)
        rows = csc_matrix(encoder.transform(molecules))
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


def run_setting(job: tuple[Setting, bool, Path]) -> tuple[Setting, np.ndarray[Any, Any], float, int]:
    """Return validation scores, or with True test scores after learning from both, seconds and columns.

    They are read from the folder if they are there, else written to it.
    """
    (kind, variant, model), is_last, folder = job
    path = folder / f"{kind}-{variant}-{model}-{'test' if is_last else 'validation'}.npz"
    if not path.exists():
        data, started = _DATA[0], time.process_time()
        train, validation, test = data.splits[0]
        rows = make_rows(data.molecules, kind, variant)
        learned = np.concatenate([train, validation]) if is_last else train
        found = predict(rows, data.targets, learned, test if is_last else validation, model)
        np.savez(path, scores=found, seconds=time.process_time() - started, columns=rows.shape[1])
    stored = np.load(path)
    return (kind, variant, model), stored["scores"], float(stored["seconds"]), int(stored["columns"])


def rank(scores: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the share of molecules with a lower score, per label, so that two models can be averaged.

    >>> rank(np.array([[0.5], [0.25], [0.75]])).ravel().tolist()
    [0.3333333333333333, 0.0, 0.6666666666666666]
    """
    return np.argsort(np.argsort(scores, axis=0, kind="stable"), axis=0) / len(scores)


def models_tested(best: dict[str, tuple[float, int, int]]) -> dict[str, list[Setting]]:
    """Return what is tested: the best setting of each kind, the mean of the two, and means of two settings of a kind.

    >>> for name, models in models_tested({"Morgan": (0.7, 1, 0), "neighborhoods": (0.7, 0, 1)}).items():
    ...     print(name, models)
    Morgan [('Morgan', 1, 0)]
    neighborhoods [('neighborhoods', 0, 1)]
    Morgan and neighborhoods [('Morgan', 1, 0), ('neighborhoods', 0, 1)]
    Morgan, both settings [('Morgan', 1, 0), ('Morgan', 1, 1)]
    neighborhoods, both settings [('neighborhoods', 0, 0), ('neighborhoods', 0, 1)]
    """
    top = {kind: (kind, variant, model) for kind, (_, variant, model) in best.items()}
    models = range(len(MODELS))
    return {
        **{kind: [setting] for kind, setting in top.items()},
        "Morgan and neighborhoods": list(top.values()),
        **{f"{kind}, both settings": [(kind, best[kind][1], model) for model in models] for kind in top},
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

        done = {(line["features"], line["variant"], line["model"]) for line in lines}
        for stage in (0, 1):
            left = [setting for setting in settings_of_stage(stage, lines) if setting not in done]
            jobs = [(setting, False, options.scores) for setting in left]
            for (kind, variant, model), scores, used, width in pool.imap_unordered(run_setting, jobs):
                line: dict[str, Any] = {
                    "line": "search",
                    "features": kind,
                    "variant": variant,
                    "model": model,
                }
                line["validation"] = round(average_precision(data.targets[validation], scores), 5)
                write(line | {"columns": width, "seconds": round(used, 1)})
        pairs = models_tested(choose(lines))
        models = list(dict.fromkeys(setting for own in pairs.values() for setting in own))
        jobs = [(setting, True, options.scores) for setting in models]
        results = {result[0]: result for result in pool.imap(run_setting, jobs)}
        for name, own in pairs.items():
            found = [results[setting] for setting in own]
            mean = found[0][1] if len(own) == 1 else sum(rank(scores) for _, scores, _, _ in found)
            line = {"line": "chosen", "features": name, "models": [setting[1:] for setting in own]}
            line["test"] = round(average_precision(data.targets[test], mean), 5)
            line["columns"] = [width for *_, width in found]
            line["seconds"] = [round(used, 1) for _, _, used, _ in found]
            write(line | {"egonet": egonet.__version__})


if __name__ == "__main__":
    main()
