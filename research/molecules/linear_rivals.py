"""Linear models on molecules: bags and sums of ego-networks against WL subtree counts, each with and without rings.

Rings are the numbers of bonds whose shortest cycle has 3, 4, ... 8 atoms. Every kind of columns gets the same choices
(counts or logarithms, the penalty, and the threshold of Huber's loss), made on validation molecules; the test molecules
are measured once. `python -m research.molecules.linear_rivals zinc esol freesolv lipo` appends to
`results/molecules/linear_rivals.jsonl`: a line per set, split and kind of columns, with the error of every test
molecule of ZINC, so that rows can be compared molecule by molecule.
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

import egonet
from egonet.typing import Floats, Int64s
from research.molecules.zinc_ridge import (
    FEATURES,
    Molecules,
    make_features,
    mean_error,
    read_part,
    solve,
    solve_robust,
    transformed,
)
from research.paper.results import current_commit
from research.today.chemistry import draw_parts, molecule_graphs, scaffold_groups
from research.today.tasks import read_molecules_of

RESULTS = Path("results/molecules/linear_rivals.jsonl")
SPLITS = 20
RING_SIZES = range(3, 9)
WL = {"radius": 0, "max_degree": 0, "labeled": True, "edge_labels": "bond", "wl": 3}
#: Columns, and whether those of rings are added.
KINDS: dict[str, tuple[list[dict[str, Any]], bool]] = {
    "WL": ([WL], False),
    "WL, rings": ([WL], True),
    "ego-networks": (FEATURES["bags and sums"], False),
    "ego-networks, rings": (FEATURES["bags and sums"], True),
}
RIDGE, HUBER = (3.0, 30.0), tuple(product((10.0, 30.0, 100.0), (0.1, 0.2)))


def ring_columns(molecules: Molecules) -> Any:
    """Return how many bonds of every molecule are in a shortest cycle of each length.

    Examples
    --------
    >>> triangle = (egonet.named.complete(3), None)
    >>> ring_columns([triangle, (egonet.named.path(3), None)]).toarray()[:, :2].tolist()
    [[3.0, 0.0], [0.0, 0.0]]
    """
    rows = np.zeros((len(molecules), len(RING_SIZES)))
    for number, (graph, _) in enumerate(molecules):
        lengths = np.asarray(egonet.edge_cycles(graph, RING_SIZES[-1], threads=1))
        rows[number] = [(lengths == size).sum() for size in RING_SIZES]
    return csr_array(rows)


def as_pairs(name: str) -> tuple[Molecules, Floats, list[list[int]]]:
    """Return the molecules of a set as pairs (graph with its bonds, atoms), their targets, and their scaffolds."""
    molecules, targets, _ = read_molecules_of(name, None)
    graphs = molecule_graphs(molecules)
    owner = np.searchsorted(graphs.start, graphs.edges[:, 0], side="right") - 1
    ptr = np.searchsorted(owner, np.arange(len(molecules) + 1))
    found: Molecules = []
    for number in range(len(molecules)):
        begin, end = graphs.start[number : number + 2].tolist()
        own = slice(ptr[number], ptr[number + 1])
        ends = graphs.edges[own] - begin
        table = pd.DataFrame({"source": ends[:, 0], "target": ends[:, 1], "bond": graphs.bond[own]})
        graph = egonet.as_graph(table, num_nodes=end - begin, keep="bond")
        found.append((graph, np.asarray(graphs.label[begin:end])))
    return found, np.asarray(targets[:, 0], dtype=np.float64), scaffold_groups(molecules)


def fit(matrices: list[Any], targets: list[Floats]) -> tuple[dict[str, Any], Floats]:
    """Return what validation molecules choose with its errors, and the error of every test molecule."""
    scale = float(np.std(targets[0]))
    best: tuple[float, Any] = (np.inf, None)
    for kind in ("count", "log"):
        train, valid = (transformed(matrix, kind) for matrix in matrices[:2])
        choices = [(alpha, None) for alpha in RIDGE] + [(alpha, scale * cut) for alpha, cut in HUBER]
        for alpha, cut in choices:
            weights = solve(train, targets[0], alpha)
            if cut is not None:
                weights = solve_robust(train, targets[0], alpha, cut)
            error = mean_error(valid, weights, targets[1])
            if error < best[0]:
                best = (error, (kind, alpha, cut, weights))
    kind, alpha, cut, weights = best[1]
    off = np.abs(transformed(matrices[2], kind) @ weights - targets[2])
    chosen = {"transformation": kind, "alpha": alpha, "threshold": cut, "validation": round(best[0], 4)}
    return chosen | {"test": round(float(off.mean()), 4)}, off


def run_split(
    name: str, split: int, parts: list[Molecules], targets: list[Floats], finished: set[Any]
) -> None:
    """Append the lines of one split that are missing."""
    rings = None
    made: dict[str, Any] = {}
    for kind, (encoders, with_rings) in KINDS.items():
        if (name, split, kind) in finished:
            continue
        began = time.process_time()
        plain = kind.partition(",")[0]
        if plain not in made:
            made[plain] = make_features(encoders, parts)
        matrices = made[plain]
        if with_rings:
            rings = rings or [ring_columns(part) for part in parts]
            matrices = [hstack(both, format="csr") for both in zip(matrices, rings, strict=True)]
        chosen, off = fit(matrices, targets)
        line: dict[str, Any] = {"set": name, "split": split, "columns": kind, "sizes": [*map(len, parts)]}
        line |= {"num_columns": matrices[0].shape[1], **chosen, "commit": current_commit()}
        line["seconds"] = round(time.process_time() - began, 1)
        line |= {"errors": off.round(4).tolist()} if name == "zinc" else {}
        with RESULTS.open("a") as stream:
            stream.write(json.dumps(line) + "\n")
        sys.stderr.write(f"{name} {split} {kind} {chosen['test']}\n")


def main(names: list[str]) -> None:
    """Run what is missing of some sets."""
    text = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    finished = {(line["set"], line["split"], line["columns"]) for line in map(json.loads, text)}
    for name in names:
        if name == "zinc":
            folder = Path(os.environ["EGONET_DATA"])
            parts, targets = zip(*(read_part(folder, part) for part in ("train", "val", "test")), strict=True)
            run_split(name, 0, list(parts), list(targets), finished)
            continue
        molecules, target, groups = as_pairs(name)
        for split in range(SPLITS):
            part: Int64s = draw_parts(groups, np.random.default_rng(split))
            rows = [np.flatnonzero(part == number) for number in range(3)]
            own = [[molecules[row] for row in chosen.tolist()] for chosen in rows]
            run_split(name, split, own, [target[chosen] for chosen in rows], finished)


if __name__ == "__main__":
    main(sys.argv[1:])
