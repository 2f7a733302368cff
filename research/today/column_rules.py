"""In which folds of networks on graphs the training nodes alone would have kept other columns than all nodes.

Committed lines of `fullbatch.jsonl` dropped columns that fewer than 20 nodes of the whole set have; now 20 training
nodes must have them. `python -m research.today.column_rules` writes `results/today/column_rules.json`.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from research.today.prepare import ego_matrix
from research.today.prepare_shared import (
    FEWEST,
    PAPER_EGO,
    PARTITIONS,
    SOCIAL_EGO,
    drawn_folds,
    with_validation,
)
from research.today.readers import read_gin_set, read_paper_set
from research.today.sources import GraphList

RESULT = Path("results/today/column_rules.json")
PAPER_SETS = ("mutag", "ptc", "enzymes", "proteins")
GIN_SETS = ("nci1", "imdb-b", "imdb-m", "collab", "reddit-b")
#: Encodings that the tables compare.
COMPARED = ("ego", "egolabel")

Array = np.ndarray[Any, Any]


def count_differences(matrix: Any, training: Array, fewest: int = FEWEST) -> list[int]:
    """Return for every fold how many columns only one of the two rules keeps; `training` is (folds, nodes).

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> counts = csr_array(np.array([[1, 0], [2, 1], [0, 1]]))
    >>> count_differences(counts, np.array([[True, True, False], [True, True, True]]), fewest=2)
    [1, 0]
    """
    occurs = (matrix != 0).astype(np.int64)
    whole = occurs.sum(axis=0) >= fewest
    return [int((whole != (occurs[np.flatnonzero(row)].sum(axis=0) >= fewest)).sum()) for row in training]


def read(name: str) -> tuple[GraphList, Array, dict[str, Any]]:
    """Return a set, its parts with validation (folds, graphs), and the settings of its encodings."""
    if name in PAPER_SETS:
        graphs, classes = read_paper_set(name)
        return graphs, with_validation(drawn_folds(classes, 10, PARTITIONS), classes), PAPER_EGO
    graphs, classes, parts = read_gin_set(name, None)
    return graphs, with_validation(parts, classes), PAPER_EGO if name == "nci1" else SOCIAL_EGO


def main() -> None:
    """Write a row per set and encoding."""
    rows = []
    for name in (*PAPER_SETS, *GIN_SETS):
        graphs, parts, settings = read(name)
        training = (parts == 0)[:, graphs.graph_of]
        for kind in COMPARED:
            if kind not in settings:
                continue
            matrix = ego_matrix(graphs, **settings[kind]).tocsr()
            kept = int((np.bincount(matrix.indices, minlength=matrix.shape[1]) >= FEWEST).sum())
            found = count_differences(matrix, training)
            row = {"set": name, "columns": kind, "kept": kept, "folds": len(found)}
            rows.append(
                row | {"equal": found.count(0), "mean": round(float(np.mean(found)), 2), "most": max(found)}
            )
    RESULT.write_text(
        json.dumps({"command": "python -m research.today.column_rules", "rows": rows}, indent=1) + "\n"
    )


if __name__ == "__main__":
    main()
