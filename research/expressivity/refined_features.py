"""Colorings of ego-networks as features of linear models: columns, overfitting and error on MUTAG and ZINC-12k."""

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack

import egonet
from egonet import Graph, individualize
from egonet.typing import Floats, Int64s
from research.datasets.readers import read_tu

Features = Any
ALPHAS = (0.1, 1.0, 10.0, 100.0, 1000.0)


@dataclass(frozen=True)
class Molecules:
    """A set of labeled graphs as one union.

    Attributes
    ----------
    graph, ptr
        The union, and where each molecule begins.
    atoms
        The label of every node.
    bonds
        The label of every edge in the order of `graph.edges()`, or None.
    targets
        One number per molecule.
    parts
        (training molecules, molecules for choosing alpha, test molecules), one triple per split; where the second is
        empty, five folds of the training molecules choose it.
    """

    graph: Graph
    ptr: Int64s
    atoms: Int64s
    bonds: Int64s | None
    targets: Floats
    parts: tuple[tuple[Int64s, Int64s, Int64s], ...]


def zinc(folder: Path) -> Molecules:
    """Return ZINC-12k with its one split."""
    stored = [
        np.load(folder / f"zinc12k/zinc12k_{part}.npz", allow_pickle=False)
        for part in ("train", "val", "test")
    ]
    atoms = np.concatenate([part["atom"] for part in stored]).astype(np.int64)
    sizes = np.concatenate([np.diff(part["node_ptr"]) for part in stored])
    bonds = np.concatenate([part["bond"] for part in stored]).astype(np.int64)
    per_graph = np.concatenate([np.diff(part["edge_ptr"]) for part in stored])
    ptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    ends = np.concatenate([part["edge"] for part in stored]).astype(np.int64)
    ends = np.sort(ends + np.repeat(ptr[:-1], per_graph)[:, None], axis=1)
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    graph = Graph.from_indices(ends[:, 0], ends[:, 1], int(ptr[-1]))
    counts = np.cumsum([0, *(len(part["y"]) for part in stored)])
    split = [np.arange(first, last) for first, last in pairwise(counts.tolist())]
    targets = np.concatenate([part["y"] for part in stored]).astype(np.float64)
    return Molecules(graph, ptr, atoms, bonds[order], targets, ((split[0], split[1], split[2]),))


def mutag() -> Molecules:
    """Return MUTAG with its ten folds."""
    data = read_tu("mutag")
    none = np.empty(0, dtype=np.int64)
    parts = tuple((split[0], none, split[1]) for split in data.splits)
    labels = np.zeros(data.union.num_nodes, dtype=np.int64) if data.node_labels is None else data.node_labels
    return Molecules(data.union, data.node_ptr, labels, None, data.targets.astype(np.float64), parts)


def sum_rows(matrix: Any, ptr: Int64s) -> Features:
    """Return the sum of the rows of every molecule.

    Examples
    --------
    >>> sum_rows(csr_array(np.array([[1, 0], [3, 2], [0, 5]])), np.array([0, 2, 3])).toarray().tolist()
    [[4.0, 2.0], [0.0, 5.0]]
    """
    members = csr_array((np.ones(int(ptr[-1])), np.arange(ptr[-1]), ptr), shape=(len(ptr) - 1, ptr[-1]))
    return members @ matrix


def encoded(**settings: Any) -> Callable[[Molecules], Features]:
    """Return a function that sums the rows of an encoding, with labels, over the nodes of every molecule."""

    def features(data: Molecules) -> Features:
        found = egonet.encode(data.graph, labels=data.atoms, **settings)
        return sum_rows(found.matrix, data.ptr)

    return features


def with_bonds(radii: tuple[int, ...]) -> Callable[[Molecules], Features]:
    """Return a function that counts the classes of ego-networks with atoms and bonds, one mark, at some radii."""

    def features(data: Molecules) -> Features:
        blocks = []
        for radius in radii:
            classes = individualize(data.graph, 1, radius, labels=data.atoms, edge_labels=data.bonds).nodes
            ones = np.ones(len(classes))
            one_hot = csr_array((ones, classes, np.arange(len(classes) + 1)))
            blocks.append(sum_rows(one_hot, data.ptr))
        return hstack(blocks, format="csr")

    return features


FEATURES: dict[str, Callable[[Molecules], Features]] = {
    "labels": encoded(radius=0, rooted="refined"),
    "total degrees, radius 1 and 2": encoded(radius=(1, 2)),
    "full degrees, radius 2": encoded(radius=2, degrees="full"),
    "full degrees, radius 1 to 3": encoded(radius=(1, 2, 3), degrees="full"),
    "refined, radius 0 and 1": encoded(radius=(0, 1), rooted="refined"),
    "refined, radius 0 to 2": encoded(radius=(0, 1, 2), rooted="refined"),
    "refined, radius 0 to 3": encoded(radius=(0, 1, 2, 3), rooted="refined"),
    "refined, radius 0 to 2, two marks": encoded(radius=(0, 1, 2), rooted="refined", depth=2),
    "refined with bonds, radius 0 to 2": with_bonds((0, 1, 2)),
    "refined with bonds, radius 0 to 3": with_bonds((0, 1, 2, 3)),
}


@dataclass(frozen=True)
class Problem:
    """The rows and targets of one split; targets are -1 and 1 if molecules are classified."""

    rows: Features
    target: Floats
    classify: bool

    def error(self, alpha: float, train: Int64s, parts: list[Int64s]) -> list[float]:
        """Return the error of ridge regression on each of some parts."""
        from sklearn.linear_model import Ridge

        model = Ridge(alpha, solver="sparse_cg", max_iter=300, tol=1e-4)
        model.fit(self.rows[train], self.target[train])
        guesses = [(model.predict(self.rows[part]), self.target[part]) for part in parts]
        if self.classify:
            return [float(((guess > 0) != (truth > 0)).mean()) for guess, truth in guesses]
        return [float(np.abs(guess - truth).mean()) for guess, truth in guesses]

    def best_alpha(self, train: Int64s, choose: Int64s) -> float:
        """Return the alpha with the least error on molecules that are not trained on."""
        if len(choose):
            errors = [self.error(alpha, train, [choose])[0] for alpha in ALPHAS]
        else:
            fold = np.arange(len(train)) % 5
            errors = [
                sum(self.error(alpha, train[fold != k], [train[fold == k]])[0] for k in range(5))
                for alpha in ALPHAS
            ]
        return ALPHAS[int(np.argmin(errors))]


def evaluate(data: Molecules, features: Features, *, classify: bool) -> dict[str, Any]:
    """Return columns and errors of ridge regression: mean absolute error, or share of wrong classes."""
    found: dict[str, list[float]] = {"columns": [], "once": [], "train": [], "test": [], "alpha": []}
    for train, choose, test in data.parts:
        seen = np.asarray((features[train] > 0).sum(axis=0)).ravel()
        kept = np.flatnonzero(seen)
        problem = Problem(
            features[:, kept].tocsr(), 2 * data.targets - 1 if classify else data.targets, classify
        )
        alpha = problem.best_alpha(train, choose)
        trained, tested = problem.error(alpha, train, [train, test])
        values = (len(kept), float((seen[kept] == 1).mean()), trained, tested, alpha)
        for name, value in zip(found, values, strict=True):
            found[name].append(value)
    mean = {name: round(float(np.mean(values)), 4) for name, values in found.items()}
    return mean | {"spread": round(float(np.std(found["test"])), 4) if len(data.parts) > 1 else None}


def speed(data: Molecules, count: int = 10_000) -> dict[str, float]:
    """Return the seconds that 10,000 molecules take at one mark and radius 3, on one thread and on the processor."""
    last = int(data.ptr[count])
    graph = Graph.from_checked(
        data.graph.indptr[: last + 1].copy(), data.graph.indices[: data.graph.indptr[last]].copy()
    )
    wall, cpu = time.perf_counter(), time.process_time()
    egonet.encode(graph, radius=3, rooted="refined", threads=1)
    return {
        "molecules": count,
        "wall": round(time.perf_counter() - wall, 2),
        "processor": round(time.process_time() - cpu, 2),
    }


def main(target: str = "results/refined_features.json") -> None:
    """Measure every kind of features on both data sets, and write the file after each."""
    folder = Path(os.environ["EGONET_DATA"])
    found: dict[str, Any] = {"model": "ridge regression, alpha chosen on other molecules", "rows": []}
    if Path(target).is_file():
        found = json.loads(Path(target).read_text())
        sys.stderr.write(f"{len(found['rows'])} rows of {target} are kept\n")
    done = {(row["data"], row["features"]) for row in found["rows"]}
    for name, data in (("MUTAG", mutag()), ("ZINC-12k", zinc(folder))):
        if name == "ZINC-12k" and "speed" not in found:
            found["speed"] = speed(data)
        for kind, make in FEATURES.items():
            if (name, kind) in done or ("bonds" in kind and data.bonds is None):
                continue
            began = time.process_time()
            row: dict[str, Any] = {"data": name, "features": kind}
            row |= evaluate(data, make(data), classify=name == "MUTAG")
            row |= {"seconds": round(time.process_time() - began, 1)}
            found["rows"].append(row)
            Path(target).write_text(json.dumps(found, indent=1) + "\n")
            sys.stderr.write(f"{row}\n")


if __name__ == "__main__":
    main()
