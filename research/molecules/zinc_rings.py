"""Linear models on ZINC-12k with and without the ring of every bond: what rings add to each kind of columns.

The columns of rings count the bonds of a molecule by the length of their shortest cycle, by that length and the type
of the bond, and by that length and the types of both atoms. Every kind of columns is fitted without and with them by
ridge regression; transformation and alpha are chosen by the error on the validation molecules, from the same choices
for every row. The test molecules are measured once per row, with an interval over test molecules (2,000 resamples).
`EGONET_DATA=... python -m research.molecules.zinc_rings` writes `results/zinc_rings.json`.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack

import egonet
from egonet.typing import Floats, Int64s
from research.molecules.zinc_ridge import (
    FEATURES,
    Molecules,
    choose,
    make_features,
    read_part,
    solve,
    transformed,
)
from research.paper.results import current_commit
from research.today.tabular.__main__ import origin

LONGEST = 8
#: Kinds of columns, none first, each fitted without and with rings.
ROWS = ("atoms", "sums, atoms", "bags, atoms and bonds")


def ring_keys(part: Molecules) -> list[tuple[Int64s, list[tuple[Any, ...]]]]:
    """Return the molecule of every bond, with its ring, with its ring and type, and with its ring and both atoms.

    >>> import pandas as pd
    >>> bonds = pd.DataFrame({"source": [0, 1, 2, 2], "target": [1, 2, 0, 3], "bond": [1, 1, 2, 1]})
    >>> kinds = ring_keys([(egonet.as_graph(bonds, keep="bond"), np.array([6, 6, 8, 7]))])
    >>> [keys[-1] for _, keys in kinds]
    [(0,), (0, 'bond', 1), (0, 'atoms', 7, 8)]
    """
    tables = [graph.given_edges() for graph, _ in part]
    ptr = np.cumsum([0, *(graph.num_nodes for graph, _ in part)])
    ends = np.concatenate(
        [
            np.stack([t.source, t.target], axis=1).astype(np.int64) + p
            for t, p in zip(tables, ptr, strict=False)
        ]
    )
    molecules = np.repeat(np.arange(len(part)), [len(table.source) for table in tables])
    encoding = egonet.encode_edges(
        egonet.Graph.from_edges(ends, num_nodes=int(ptr[-1])), 0, max_degree=0, ends_distance=LONGEST - 1
    )
    ring_of = np.array([int(key[1]) + 1 if key[0] == "ends" else 0 for key in encoding.columns])
    found = dict(
        zip(map(tuple, encoding.index.ids.tolist()), (encoding.matrix @ ring_of).tolist(), strict=True)
    )
    rings = [found[min(u, v), max(u, v)] for u, v in ends.tolist()]
    bonds = np.concatenate([table.column("bond") for table in tables]).tolist()
    atoms = np.sort(np.concatenate([atoms for _, atoms in part])[ends], axis=1).tolist()
    return [
        (molecules, [(ring,) for ring in rings]),
        (molecules, [(ring, "bond", bond) for ring, bond in zip(rings, bonds, strict=True)]),
        (molecules, [(ring, "atoms", *both) for ring, both in zip(rings, atoms, strict=True)]),
    ]


def ring_columns(parts: list[Molecules]) -> list[Any]:
    """Return the number of bonds with each key, a matrix per part; columns are learned on the first."""
    column_of: dict[tuple[Any, ...], int] = {}
    matrices: list[Any] = []
    for part in parts:
        kinds = ring_keys(part)
        if not matrices:
            for key in dict.fromkeys(key for _, keys in kinds for key in keys):
                column_of[key] = len(column_of)
        rows = np.concatenate([molecules for molecules, _ in kinds])
        columns = np.array([column_of.get(key, -1) for _, keys in kinds for key in keys])
        rows, columns = rows[columns >= 0], columns[columns >= 0]
        ones = np.ones(len(rows), dtype=np.float64)
        matrices.append(csr_array((ones, (rows, columns)), shape=(len(part), len(column_of))))
    return matrices


def interval(errors: Floats) -> list[float]:
    """Return the 2.5 % and 97.5 % quantiles of the mean over resampled molecules."""
    rng = np.random.default_rng(0)
    means = [errors[rng.integers(0, len(errors), len(errors))].mean() for _ in range(2000)]
    return np.quantile(means, [0.025, 0.975]).round(4).tolist()  # type: ignore[no-any-return]


def main(target: str = "results/zinc_rings.json") -> None:
    """Fit every kind of columns without and with rings, and write the file after every row."""
    folder = Path(os.environ["EGONET_DATA"])
    parts, targets = zip(*(read_part(folder, part) for part in ("train", "val", "test")), strict=True)
    rings = ring_columns(list(parts))
    found: dict[str, Any] = {"metric": "mean absolute error", "longest": LONGEST, "rows": []}
    for name in ("none", *ROWS):
        plain = [] if name == "none" else make_features(FEATURES[name], list(parts))
        for with_rings in (False, True):
            if not plain and not with_rings:
                continue
            blocks = [plain[i : i + 1] + [rings[i]] * with_rings for i in range(3)]
            matrices = [hstack(block, format="csr") for block in blocks]
            row: dict[str, Any] = {"features": name, "rings": with_rings, "columns": matrices[0].shape[1]}
            row |= choose(matrices, list(targets[:2]))
            train, test = (transformed(matrices[i], row["transformation"]) for i in (0, 2))
            errors = np.abs(test @ solve(train, targets[0], row["alpha"]) - targets[2])
            row |= {"test": round(float(errors.mean()), 4), "interval": interval(errors)}
            found["rows"].append(row)
            sys.stderr.write(f"{row}\n")
            Path(target).write_text(json.dumps(found | origin(current_commit()), indent=1) + "\n")


if __name__ == "__main__":
    main()
