"""Fingerprints of molecules with LightGBM: Morgan counts, with colors, ECFP bits, whole neighborhoods, and both.

`EGONET_DATA=... python -m research.molecules.fingerprints [SET ...] [--splits N] [--features KIND ...]` appends a line
per set, split and kind of features to `results/molecules/fingerprints.jsonl` (finished lines are skipped); `--report`
prints all means, `--page` writes the tables of `docs/molecules.md` and `docs/research/performance.md`.
Labels of atoms (`--labels`) are those that `defaults` chose; lines that do not name them have "invariant".
Every kind has the same search: radius 2 or 3, chosen by the validation part of each split; the test part is read once.
ECFP bits are those of scikit-fingerprints, as it computes them by default. Version 2.1.0 does not admit the newest
RDKit, with which its ECFP bits work: `pip install --no-deps scikit-fingerprints mordredcommunity six`.
Splits are by scaffold (20 seeds, 80 / 10 / 10), ogbg-molhiv and Peptides-func have one split each. LightGBM has its
default settings; on Peptides-func those of the published fingerprints (500 trees, classes balanced, validation
molecules added to the training set after the choice).
"""

import argparse
import ast
import json
import os
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pandas as pd
from rdkit import Chem, rdBase
from rdkit.Chem.Scaffolds import MurckoScaffold
from sklearn.metrics import average_precision_score, roc_auc_score

import egonet
from research.today.comparison import interval

RESULTS = Path("results/molecules/fingerprints.jsonl")
RADII = (2, 3)
#: Test molecules per training molecule of a scaffold split.
TEST_SHARE = 0.1 / 0.8
#: Kind of features → the groups of MoleculeEncoder that take the radius, and how many last columns count (None: all).
GROUPS: dict[str, tuple[tuple[str, ...], int | None]] = {
    "Morgan": (("morgan",), 2048),
    "Morgan + WL": (("morgan", "wl"), 4096),
    "neighborhoods": ((), None),
    "both": (("morgan",), None),
}
#: All kinds of features; scikit-fingerprints computes the one that is not a group of MoleculeEncoder.
KINDS = ("Morgan", "Morgan + WL", "ECFP", "neighborhoods", "both")
#: Kinds that have labels of atoms of their own.
WITHOUT_LABELS = ("Morgan", "ECFP")
#: What `atom_labels=` of `MoleculeEncoder` may be.
AtomLabels: TypeAlias = Literal["element", "atom", "invariant"]
#: Labels of atoms in the lines that do not name them.
FIRST_LABELS: AtomLabels = "invariant"
#: Set → metric.
SETS = {
    **dict.fromkeys(("freesolv", "esol", "lipo"), "rmse"),
    **dict.fromkeys(("bace", "bbbp", "tox21", "molhiv"), "roc-auc"),
    "peptides": "average precision",
}
#: The folder of the pages with tables, and what these call metrics, sets and kinds of features.
DOCS = Path("docs")
METRICS = {
    "rmse": "RMSE",
    "roc-auc": "ROC-AUC",
    "average precision": "average precision",
}
SHOWN = {
    "freesolv": "FreeSolv",
    "esol": "ESOL",
    "bace": "BACE",
    "bbbp": "BBBP",
    "lipo": "Lipophilicity",
    "tox21": "Tox21",
    "molhiv": "ogbg-molhiv",
    "peptides": "Peptides-func, 500 trees",
}
PAGE_KINDS = {
    "ECFP": "ECFP bits",
    "Morgan": "Morgan counts",
    "Morgan + WL": "Morgan + colors",
    "neighborhoods": "neighborhoods",
    "both": "neighborhoods + Morgan",
}
#: Digits of the scores of a set; 3 of others.
DIGITS = {"freesolv": 2}


@dataclass(frozen=True)
class MoleculeSet:
    """Molecules with targets.

    Attributes
    ----------
    molecules
        RDKit molecules.
    targets
        float64 (num_molecules, num_tasks), NaN where nothing was measured.
    splits
        Training, validation and test rows of every split.
    """

    molecules: list[Any]
    targets: np.ndarray[Any, np.dtype[np.float64]]
    splits: list[tuple[Any, Any, Any]]


def read_set(folder: Path, name: str, num_splits: int) -> MoleculeSet:
    """Return a data set with its splits."""
    if name == "peptides":
        table = pd.read_csv(folder / "peptides/peptides_func.csv.gz")
        targets = np.array([ast.literal_eval(text) for text in table["labels"]], dtype=np.float64)
        stored = np.load(folder / "peptides/split.npz", allow_pickle=False)
        split = (stored["train"], stored["val"], stored["test"])
        return MoleculeSet([Chem.MolFromSmiles(text) for text in table["smiles"]], targets, [split])
    if name == "molhiv":
        table = pd.read_csv(folder / "molhiv/HIV.csv.gz")
        train, validation, test = (np.loadtxt(folder / f"molhiv/{part}", dtype=np.int64) for part in _MOLHIV)
        molecules = [Chem.MolFromSmiles(text) or Chem.Mol() for text in table["smiles"]]
        return MoleculeSet(molecules, table[["HIV_active"]].to_numpy(np.float64), [(train, validation, test)])
    table = pd.read_csv(folder / f"moleculenet/{name}.csv.gz")
    table = table.rename(columns={"mol": "smiles"})
    molecules = [Chem.MolFromSmiles(text) for text in table["smiles"]]
    kept = np.array([molecule is not None and molecule.GetNumAtoms() > 0 for molecule in molecules])
    targets = table.drop(columns="smiles").select_dtypes("number").to_numpy(np.float64)[kept]
    molecules = [molecule for molecule, is_kept in zip(molecules, kept, strict=True) if is_kept]
    scaffold_of: Any = MurckoScaffold.MurckoScaffoldSmiles
    scaffolds = [scaffold_of(mol=molecule) for molecule in molecules]
    return MoleculeSet(molecules, targets, [scaffold_split(scaffolds, seed) for seed in range(num_splits)])


_MOLHIV = ("train_idx.txt.gz", "val_idx.txt", "test_idx.txt")


def scaffold_split(scaffolds: list[str], seed: int) -> tuple[Any, Any, Any]:
    """Return training, validation and test rows, 80 / 10 / 10: whole scaffolds in random order, large ones first.

    Scaffolds of more than a twentieth of the molecules are in the training set.
    """
    groups: dict[str, list[int]] = defaultdict(list)
    for row, scaffold in enumerate(scaffolds):
        groups[scaffold].append(row)
    names = sorted(groups)
    np.random.default_rng(seed).shuffle(names)
    names.sort(key=lambda name: len(groups[name]) <= len(scaffolds) / 20)
    parts: tuple[list[int], list[int], list[int]] = ([], [], [])
    limits = (0.8 * len(scaffolds), 0.1 * len(scaffolds))
    for name in names:
        part = next((p for p in (0, 1) if len(parts[p]) + len(groups[name]) <= limits[p]), 2)
        parts[part].extend(groups[name])
    return tuple(np.array(part) for part in parts)  # type: ignore[return-value]


def make_features(
    molecules: list[Any], kind: str, radius: int, labels: AtomLabels = FIRST_LABELS
) -> tuple[Any, float]:
    """Return the features of a kind, without columns that are zero everywhere, and the seconds they took."""
    encoder: Any
    last = None
    if kind == "ECFP":
        from skfp.fingerprints import ECFPFingerprint  # only this kind needs it

        encoder = ECFPFingerprint(radius=radius, sparse=True)
    else:
        groups, last = GROUPS[kind]
        options: Any = dict.fromkeys(groups, radius)
        own_radius = radius if last is None else 0
        encoder = egonet.MoleculeEncoder(
            own_radius, atom_labels=labels, sparse_output=True, n_jobs=1, **options
        )
    started = time.process_time()
    rows = encoder.fit_transform(molecules)
    seconds = time.process_time() - started
    rows = rows if last is None else rows[:, -last:]
    used = np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]))
    return rows.tocsc()[:, used].tocsr().astype(np.float32), seconds


def score(name: str, rows: Any, targets: Any, train: Any, test: Any) -> float:
    """Return the mean score over tasks of LightGBM, trained on some molecules and tested on others."""
    from lightgbm import LGBMClassifier, LGBMRegressor  # only this experiment needs it

    metric = SETS[name]
    scores = []
    for task in targets.T:
        own, other = train[~np.isnan(task[train])], test[~np.isnan(task[test])]
        if metric == "rmse":
            model: Any = LGBMRegressor(n_jobs=1, random_state=0, verbose=-1)
            found = model.fit(rows[own], task[own]).predict(rows[other])
            scores.append(float(np.sqrt(np.mean((found - task[other]) ** 2))))
            continue
        if len(np.unique(task[other])) < 2 or len(np.unique(task[own])) < 2:
            continue
        options: Any = {"n_estimators": 500, "is_unbalance": True} if name == "peptides" else {}
        model = LGBMClassifier(n_jobs=1, random_state=0, verbose=-1, **options)
        found = model.fit(rows[own], task[own]).predict_proba(rows[other])[:, 1]
        measure = average_precision_score if metric == "average precision" else roc_auc_score
        scores.append(float(measure(task[other], found)))
    return float(np.mean(scores))


def run(
    folder: Path, name: str, num_splits: int, kinds: Sequence[str] = KINDS, labels: AtomLabels = "element"
) -> Iterator[dict[str, Any]]:
    """Yield a line per split and kind of features that has none yet, with these labels of atoms."""
    lines = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    done = {
        (line["set"], line["split"], line["features"])
        for line in lines
        if line["features"] in WITHOUT_LABELS or line.get("atom_labels", FIRST_LABELS) == labels
    }
    num_splits = 1 if name in ("molhiv", "peptides") else num_splits
    kinds = [kind for kind in kinds if any((name, split, kind) not in done for split in range(num_splits))]
    if not kinds:
        return
    data = read_set(folder, name, num_splits)
    features = {
        (kind, radius): make_features(data.molecules, kind, radius, labels)
        for kind in kinds
        for radius in RADII
    }
    for split, (train, validation, test) in enumerate(data.splits):
        for kind in (kind for kind in kinds if (name, split, kind) not in done):
            started = time.process_time()
            chosen: list[tuple[float, int]] = []
            for radius in RADII:
                rows = features[kind, radius][0]
                chosen.append((score(name, rows, data.targets, train, validation), radius))
            is_error = SETS[name] == "rmse"
            best, radius = (min if is_error else max)(chosen)
            rows, seconds = features[kind, radius]
            train_all = np.concatenate([train, validation]) if name == "peptides" else train
            yield {
                "set": name,
                "split": split,
                "features": kind,
                "atom_labels": None if kind in WITHOUT_LABELS else labels,
                "metric": SETS[name],
                "radius": radius,
                "validation": round(best, 5),
                "test": round(score(name, rows, data.targets, train_all, test), 5),
                "seconds_features": round(seconds, 2),
                "seconds_models": round(time.process_time() - started, 1),
                "columns": rows.shape[1],
                "egonet": egonet.__version__,
            }


def show_gain(gains: Any, share: float, digits: int = 4) -> str:
    """Return a mean difference over splits with its 95 % interval; `share` is test rows / training rows.

    The interval has Nadeau and Bengio's correction, since the training parts of the splits overlap.

    >>> show_gain(np.array([1.0, 2.0, 3.0]), 0.5, 2), show_gain(np.array([1.0]), 0.5, 2)
    ('+2.00 ± 3.93', '+1.00')
    """
    low, high, _ = interval(gains, share)
    text = f"{gains.mean():+.{digits}f}"
    return text if len(gains) == 1 else f"{text} ± {(high - low) / 2:.{digits}f}"


def report() -> str:
    """Return the table: mean test scores, the mean seconds of the features, and the difference from Morgan."""
    lines = pd.DataFrame([json.loads(line) for line in RESULTS.read_text().splitlines()])
    labels = lines["atom_labels"].fillna(FIRST_LABELS) if "atom_labels" in lines else FIRST_LABELS
    lines["atom_labels"] = labels
    text = [
        "| set | metric | splits | atom labels | " + " | ".join(KINDS) + " | both − Morgan |",
        "|---" * (5 + len(KINDS)) + "|",
    ]
    for name, label in product(SETS, get_args(AtomLabels)):
        is_used = lines["features"].isin(WITHOUT_LABELS) | (lines["atom_labels"] == label)
        own = lines[(lines["set"] == name) & is_used]
        table = own.pivot_table(index="split", columns="features", values="test").dropna()
        if not len(table) or set(table) != set(KINDS):
            continue
        gain = (table["both"] - table["Morgan"]).to_numpy()
        seconds = own.groupby("features")["seconds_features"].mean()
        means = " | ".join(f"{table[kind].mean():.4f} ({seconds[kind]:.2f} s)" for kind in KINDS)
        difference = show_gain(gain, TEST_SHARE)
        text.append(f"| {name} | {SETS[name]} | {len(table)} | {label} | {means} | {difference} |")
    return "\n".join(text)


def complete_splits(lines: pd.DataFrame, name: str, labels: AtomLabels, values: str = "test") -> pd.DataFrame:
    """Return the test scores of a set, a row per split that has all kinds of features that were run on the set.

    `values` is the field of a line that is wanted in place of the test score.

    Morgan counts have lines on every set that was run; without labels of atoms, with which nothing else was run, there
    are no rows.
    """
    own = lines[lines["set"] == name]
    kinds = sorted(set(own["features"]))
    own = own[own["features"].isin(WITHOUT_LABELS) | (own["atom_labels"].fillna(FIRST_LABELS) == labels)]
    return own.pivot_table(index="split", columns="features", values=values).reindex(columns=kinds).dropna()


def page_row(name: str, labels: AtomLabels, scores: pd.DataFrame) -> str:
    """Return the row of a set in the page: means, and differences from Morgan counts where there are several splits.

    The best mean is bold if its interval is apart from Morgan counts.

    >>> scores = pd.DataFrame({"Morgan": [0.5, 0.625], "both": [0.75, 0.875]})
    >>> page_row("tox21", "element", scores)
    '| Tox21, 2 splits | ROC-AUC |  | .562 |  |  | **.812** (+.250 ± .000) |'
    """
    is_error, num_splits, means = SETS[name] == "rmse", len(scores), scores.mean()
    digits = DIGITS.get(name, 3)
    notes = [f"{labels}s as labels"] * (labels != "element")
    notes += [f"{num_splits} splits"] * (num_splits not in (1, 20))
    cells = [", ".join([SHOWN[name], *notes]), METRICS[SETS[name]]]
    for kind in PAGE_KINDS:
        if kind not in scores:
            cells.append("")
            continue
        text = f"{means[kind]:.{digits}f}"
        if num_splits > 1 and kind not in WITHOUT_LABELS:
            gains = (scores[kind] - scores["Morgan"]).to_numpy()
            low, high, _ = interval(gains, TEST_SHARE)
            if low * high > 0 and means[kind] == (means.min() if is_error else means.max()):
                text = f"**{text}**"
            text += f" ({show_gain(gains, TEST_SHARE, digits)})"
        cells.append(re.sub(r"(?<!\d)0\.", ".", text).replace("-", "−"))
    return f"| {' | '.join(cells)} |"


def choose_labels(lines: pd.DataFrame, name: str) -> AtomLabels:
    """Return the labels of a set that have most splits, elements where two have as many."""
    return max(get_args(AtomLabels), key=lambda labels: len(complete_splits(lines, name, labels)))


def page() -> str:
    """Return the table of scores of the page."""
    lines = pd.DataFrame([json.loads(line) for line in RESULTS.read_text().splitlines()])
    rows = []
    for name in SHOWN:
        labels = choose_labels(lines, name)
        rows.append(page_row(name, labels, complete_splits(lines, name, labels)))
    heads = " | ".join(PAGE_KINDS.values())
    return "\n".join([f"| set | metric | {heads} |", "|---|---" + "|--:" * len(PAGE_KINDS) + "|", *rows])


def cost_page() -> str:
    """Return the table of seconds: columns of all molecules, and models of a split, next to the mean score."""
    lines = pd.DataFrame([json.loads(line) for line in RESULTS.read_text().splitlines()])
    rows = []
    for name, title in SHOWN.items():
        labels = choose_labels(lines, name)
        test, columns, models = (
            complete_splits(lines, name, labels, values).mean()
            for values in ("test", "seconds_features", "seconds_models")
        )
        digits = DIGITS.get(name, 3)
        cells = [
            f"{test[kind]:.{digits}f}: {columns[kind]:.2f} + {models[kind]:.1f}" if kind in test else ""
            for kind in PAGE_KINDS
        ]
        rows.append(f"| {title.partition(',')[0]} | {' | '.join(cells)} |")
    return "\n".join(
        [f"| set | {' | '.join(PAGE_KINDS.values())} |", "|---" + "|--:" * len(PAGE_KINDS) + "|", *rows]
    )


def write_page(docs: Path = DOCS) -> None:
    """Replace the tables of the pages."""
    command = "python -m research.molecules.fingerprints --page"
    for place, name, table in (
        ("molecules.md", "fingerprints", page()),
        ("research/performance.md", "costs of fingerprints", cost_page()),
    ):
        text = (docs / place).read_text(encoding="utf-8")
        marks = f"<!-- {name}: {command} -->", f"<!-- end of {name} -->"
        first, last = text.index(marks[0]) + len(marks[0]), text.index(marks[1])
        (docs / place).write_text(f"{text[:first]}\n\n{table}\n\n{text[last:]}", encoding="utf-8")


def main() -> None:
    """Run the sets that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--features", nargs="+", default=list(KINDS), choices=KINDS)
    parser.add_argument("--labels", default="element", choices=get_args(AtomLabels))
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    if options.page:
        write_page()
        return
    if options.report:
        print(report())  # noqa: T201
        return
    rdBase.DisableLog("rdApp.*")
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    for name in options.sets:
        for line in run(
            Path(os.environ["EGONET_DATA"]), name, options.splits, options.features, options.labels
        ):
            with RESULTS.open("a") as file:
                file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
