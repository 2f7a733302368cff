"""Linear models on bags of refined classes and of WL colors: ZINC's logP part, and four sets of TU graphs.

The recipe is fixed before any score is seen. Run `python -m research.expressivity.class_bags`.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack

from egonet import Graph, individualize
from egonet.typing import Floats, Int64s
from research.datasets.readers import read_tu
from research.expressivity.refined_features import Features, Molecules, evaluate, sum_rows, zinc

#: The atoms of ZINC-12k by number, as "symbol hydrogens charge" (Benchmarking GNNs, atom_dict).
ATOMS = (
    *("C", "O", "N", "F", "C H1", "S", "Cl", "O -", "N H1 +", "Br", "N H3 +", "N H2 +", "N +", "N -"),
    *("S -", "I", "P", "O H1 +", "N H1 -", "O +", "S +", "P H1", "P H2", "C H2 -", "P +", "S H1 +"),
    *("C H1 -", "P H1 +"),
)
#: Mean and deviation by which ZINC's target scales logP.
LOGP_MEAN, LOGP_DEVIATION = 2.4570953396190123, 1.434324401111988
ROUNDS = (2, 3)
#: Ridge penalties relative to the mean diagonal of the kernel.
PENALTIES = tuple(10.0**power for power in range(-4, 3))
SETS = ("mutag", "ptc", "enzymes", "proteins")


def rebuilt(data: Molecules) -> Iterator[Any]:
    """Yield every molecule of ZINC-12k as an RDKit molecule, from its atoms and bonds."""
    from rdkit import Chem

    kinds = {1: Chem.BondType.SINGLE, 2: Chem.BondType.DOUBLE, 3: Chem.BondType.TRIPLE}
    ends = np.column_stack([np.repeat(np.arange(len(data.graph)), data.graph.degrees), data.graph.indices])
    ends = ends[ends[:, 0] < ends[:, 1]]
    first = np.searchsorted(ends[:, 0], data.ptr)
    assert data.bonds is not None
    for number, (low, high) in enumerate(zip(data.ptr[:-1].tolist(), data.ptr[1:].tolist(), strict=True)):
        molecule = Chem.RWMol()
        for kind in data.atoms[low:high].tolist():
            symbol, *rest = ATOMS[kind].split()
            atom = Chem.Atom(symbol)
            atom.SetFormalCharge({"+": 1, "-": -1}.get(rest[-1], 0) if rest else 0)
            molecule.AddAtom(atom)
        for edge in range(first[number], first[number + 1]):
            u, v = (ends[edge] - low).tolist()
            molecule.AddBond(u, v, kinds[int(data.bonds[edge])])
        Chem.SanitizeMol(molecule)
        yield molecule


def log_p(data: Molecules) -> Floats:
    """Return Crippen's logP of every molecule, scaled as in ZINC's target."""
    from rdkit.Chem.Crippen import MolLogP  # type: ignore[attr-defined]

    values = np.array([MolLogP(molecule) for molecule in rebuilt(data)])
    return (values - LOGP_MEAN) / LOGP_DEVIATION


def wl_rounds(graph: Graph, start: Int64s, bonds: Int64s | None, rounds: int) -> list[Int64s]:
    """Return the colors of 1-WL after 0, 1, ... rounds; a neighbor counts with its bond if bonds are given.

    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> [colors.tolist() for colors in wl_rounds(path, np.zeros(3, dtype=np.int64), None, 1)]
    [[0, 0, 0], [0, 1, 0]]
    """
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    forward = source < graph.indices
    kinds = np.zeros(len(source), dtype=np.int64)
    if bonds is not None:
        kinds[forward] = bonds
        back = np.flatnonzero(~forward)
        kinds[back[np.lexsort((source[back], graph.indices[back]))]] = bonds
    found = [np.unique(start, return_inverse=True)[1].astype(np.int64)]
    for _ in range(rounds):
        seen = found[-1][graph.indices] * (int(kinds.max(initial=0)) + 1) + kinds
        order = np.lexsort((seen, source))
        sorted_seen, bounds = seen[order], graph.indptr.tolist()
        numbers: dict[Any, int] = {}
        colors = [
            numbers.setdefault((own, sorted_seen[low:high].tobytes()), len(numbers))
            for own, low, high in zip(found[-1].tolist(), bounds[:-1], bounds[1:], strict=True)
        ]
        found.append(np.array(colors, dtype=np.int64))
    return found


def bag(classes: list[Int64s], ptr: Int64s) -> Features:
    """Return how often every class occurs in every graph, several classings next to each other."""
    blocks = []
    for each in classes:
        one_hot = csr_array((np.ones(len(each)), each, np.arange(len(each) + 1)))
        blocks.append(sum_rows(one_hot, ptr))
    return hstack(blocks, format="csr")


def all_bags(data: Molecules) -> dict[str, Features]:
    """Return every kind of columns: WL colors and refined classes, at two depths, with bonds if there are any."""
    found = {}
    for bonds in [None] if data.bonds is None else [None, data.bonds]:
        more = "" if bonds is None else " with bonds"
        colors = wl_rounds(data.graph, data.atoms, bonds, max(ROUNDS))
        refined = [
            individualize(data.graph, 1, radius, labels=data.atoms, edge_labels=bonds).nodes
            for radius in range(max(ROUNDS) + 1)
        ]
        for depth in ROUNDS:
            found[f"WL{more}, rounds 0 to {depth}"] = bag(colors[: depth + 1], data.ptr)
            found[f"refined{more}, radius 0 to {depth}"] = bag(refined[: depth + 1], data.ptr)
    return found


def kernel_ridge(kernel: Floats, targets: Int64s, train: Int64s, test: Int64s) -> float:
    """Return the accuracy on `test` of ridge regression on one-hot classes; leaving one out chooses the penalty."""
    classes, coded = np.unique(targets, return_inverse=True)
    wanted = 2.0 * np.eye(len(classes))[coded] - 1
    center = wanted[train].mean(axis=0)
    values, vectors = np.linalg.eigh(kernel[np.ix_(train, train)])
    values = np.maximum(values, 0)
    scale = values.sum() / len(train)
    best, chosen = -1.0, None
    for penalty in PENALTIES:
        inverse = (vectors / (values + penalty * scale)) @ vectors.T
        dual = inverse @ (wanted[train] - center)
        left_out = wanted[train] - dual / np.diag(inverse)[:, None]
        accuracy = float((left_out.argmax(axis=1) == coded[train]).mean())
        if accuracy > best:
            best, chosen = accuracy, dual
    assert chosen is not None
    guess = kernel[np.ix_(test, train)] @ chosen + center
    return float((guess.argmax(axis=1) == coded[test]).mean())


def classify(name: str) -> list[dict[str, Any]]:
    """Return the accuracy over ten folds of every kind of columns: log(1 + count), rows of length one."""
    data = read_tu(name)
    assert data.node_labels is not None
    graphs = Molecules(data.union, data.node_ptr, data.node_labels, None, np.empty(0), ())
    rows = []
    for kind, counts in all_bags(graphs).items():
        logs = counts.astype(np.float64)
        logs.data = np.log1p(logs.data)
        kernel = np.asarray((logs @ logs.T).todense())
        length = np.sqrt(np.diag(kernel))
        kernel = kernel / np.outer(length, length)
        scores = [kernel_ridge(kernel, data.targets, train, test) for train, test in data.splits]
        row = {"data": name.upper(), "columns_kind": kind, "columns": counts.shape[1]}
        row |= {"accuracy": round(100 * float(np.mean(scores)), 1)}
        rows.append(row | {"spread": round(100 * float(np.std(scores)), 1)})
    return rows


def regress(folder: Path) -> list[dict[str, Any]]:
    """Return the error on logP, in units of ZINC's target, of every kind of columns: ridge on counts."""
    data = zinc(folder)
    data = replace(data, targets=log_p(data))
    rows = []
    for kind, counts in all_bags(data).items():
        found = evaluate(data, counts, classify=False)
        row = {"data": "ZINC-12k logP", "columns_kind": kind, "columns": int(found["columns"])}
        rows.append(row | {"train": found["train"], "error": found["test"]})
        sys.stderr.write(f"{rows[-1]}\n")
    return rows


def main(target: str = "results/class_bags.json") -> None:
    """Measure every set, and write the file after each; sets that the file has are kept."""
    path, began = Path(target), time.process_time()
    rows = json.loads(path.read_text())["rows"] if path.is_file() else []
    done = {row["data"] for row in rows}
    for name in SETS:
        if name.upper() not in done:
            rows += classify(name)
            path.write_text(json.dumps({"rows": rows}, indent=1) + "\n")
            sys.stderr.write(f"{name}: {time.process_time() - began:.0f} s of processor time\n")
    if "ZINC-12k logP" not in done:
        rows += regress(Path(os.environ["EGONET_DATA"]))
        path.write_text(json.dumps({"rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
