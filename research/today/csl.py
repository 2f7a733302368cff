"""CSL exactly, without training: how many of its ten classes encodings of ego-networks tell apart.

`EGONET_DATA=... python -m research.today.csl` writes `results/today/csl.json`.
"""

import json
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import egonet
from research.paper.results import current_commit
from research.today.readers import read_csl
from research.today.sources import GraphList
from research.today.tabular.__main__ import processor


def groups(graphs: GraphList, classes: Any, radius: int, degrees: Any) -> tuple[int, bool]:
    """Return how many different encodings graphs have, and whether graphs of one class always have the same."""
    matrix = egonet.encode(graphs.as_graph(), radius, degrees=degrees).matrix.toarray()
    found = [
        np.unique(matrix[first:last], axis=0, return_counts=True)
        for first, last in zip(graphs.start[:-1], graphs.start[1:], strict=True)
    ]
    keys = [(rows.tobytes(), counts.tobytes()) for rows, counts in found]
    pairs = set(zip(keys, classes.tolist(), strict=True))
    return len(set(keys)), len(pairs) == len(set(classes.tolist()))


def main(path: Path = Path("results/today/csl.json")) -> None:
    """Write the number of groups by radius and degrees."""
    graphs, classes = read_csl()
    rows = []
    for degrees in ("total", "full"):
        for radius in range(1, 5):
            count, whole = groups(graphs, classes, radius, degrees)
            rows.append({"degrees": degrees, "radius": radius, "groups": count, "classes_whole": whole})
    about = {
        "classes": len(set(classes.tolist())),
        "graphs": graphs.num_graphs,
        "rows": rows,
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "egonet": egonet.__version__,
        },
        "hardware": processor(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "commit": current_commit(),
    }
    path.write_text(json.dumps(about, indent=1) + "\n", "utf-8")
    sys.stdout.write("\n".join(map(str, rows)) + "\n")


if __name__ == "__main__":
    main()
