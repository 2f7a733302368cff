"""The defaults of MoleculeEncoder, chosen on validation molecules only: radius, labels of atoms, types of bonds.

`EGONET_DATA=... python -m research.molecules.defaults [SET ...]` appends a line per set, split and choice to
`results/molecules/defaults.jsonl` (finished lines are skipped); `--report` prints the mean rank of every choice over
sets and splits. Models and splits are those of `fingerprints`; test molecules are not read.
"""

import argparse
import json
import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
from rdkit import rdBase

import egonet
from research.molecules.fingerprints import RADII, SETS, AtomLabels, read_set, score

RESULTS = Path("results/molecules/defaults.jsonl")
CHOSEN_ON = ("freesolv", "esol", "bace", "bbbp")
SPLITS = 5
CHOICES = tuple(product(RADII, get_args(AtomLabels), (True, False)))


def run(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """Yield a line per choice and split that has none yet."""
    lines = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    done = {tuple(line[key] for key in ("set", "split", "radius", "atom_labels", "bonds")) for line in lines}
    data = read_set(folder, name, SPLITS)
    for radius, labels, bonds in CHOICES:
        encoder = egonet.MoleculeEncoder(
            radius, atom_labels=labels, bonds=bonds, sparse_output=True, n_jobs=1
        )
        rows = encoder.transform(data.molecules).astype(np.float32)
        for split, (train, validation, _) in enumerate(data.splits):
            if (name, split, radius, labels, bonds) in done:
                continue
            yield {
                "set": name,
                "split": split,
                "radius": radius,
                "atom_labels": labels,
                "bonds": bonds,
                "metric": SETS[name],
                "validation": round(score(name, rows, data.targets, train, validation), 5),
                "egonet": egonet.__version__,
            }


def report() -> str:
    """Return the table: the mean rank of every choice (1 is best) over sets and splits, and mean scores by set."""
    lines = pd.DataFrame([json.loads(line) for line in RESULTS.read_text().splitlines()])
    choice = ["radius", "atom_labels", "bonds"]
    error = lines["validation"].where(lines["metric"] == "rmse", -lines["validation"])
    lines["rank"] = error.groupby([lines["set"], lines["split"]]).rank()
    scores = lines.pivot_table(index=choice, columns="set", values="validation")
    ranks = lines.groupby(choice)["rank"].mean().sort_values()
    text = ["| radius | atom_labels | bonds | mean rank | " + " | ".join(scores) + " |"]
    text.append("|---" * (4 + scores.shape[1]) + "|")
    for key, rank in ranks.items():
        radius, labels, bonds = key
        means = " | ".join(f"{value:.3f}" for value in scores.loc[key])
        text.append(f"| {radius} | {labels} | {bonds} | {rank:.2f} | {means} |")
    return "\n".join(text)


def main() -> None:
    """Run the sets that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(CHOSEN_ON))
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    if options.report:
        print(report())  # noqa: T201
        return
    rdBase.DisableLog("rdApp.*")
    for name in options.sets:
        for line in run(Path(os.environ["EGONET_DATA"]), name):
            with RESULTS.open("a") as file:
                file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
