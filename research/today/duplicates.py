"""How many test graphs of a set have a copy in their training part: `python -m research.today.duplicates`.

Two graphs are copies if no test of the library distinguishes them: 1-WL, started from the encodings at radius 1 and 2
and from labels where the set has them. Writes `results/today/duplicates.json`.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import egonet
from egonet.typing import Int64s
from egonet.wl import graph_classes, refine_colors
from research.today.readers import read_gin_set
from research.today.sources import GraphList

RESULTS = Path("results/today/duplicates.json")
SETS = ("imdb-b", "imdb-m", "nci1")


def copies(graphs: GraphList, *, labeled: bool) -> Int64s:
    """Return one number per graph, equal for graphs that are copies."""
    whole = graphs.as_graph()
    labels = graphs.label if labeled else None
    start = egonet.encode(whole, (1, 2), labels=labels).classes
    return graph_classes(refine_colors(whole, start), graphs.start)


def share_of_copies(kinds: Int64s, parts: Any) -> float:
    """Return the mean share of test graphs with a copy in training, over folds.

    Examples
    --------
    >>> share_of_copies(np.array([0, 0, 1, 2]), np.array([[0, 2, 0, 2]]))
    0.5
    """
    shares = [np.isin(kinds[part == 2], kinds[part == 0]).mean() for part in parts]
    return float(np.mean(shares))


def main(target: Path = RESULTS) -> None:
    """Count the copies of every set."""
    rows = []
    for name in SETS:
        graphs, _, parts = read_gin_set(name)
        kinds = copies(graphs, labeled=name == "nci1")
        share = round(share_of_copies(kinds, parts), 4)
        rows.append(
            {"set": name, "graphs": graphs.num_graphs, "kinds": len(set(kinds.tolist())), "share": share}
        )
    target.write_text(
        json.dumps({"command": "python -m research.today.duplicates", "rows": rows}, indent=1) + "\n"
    )
    sys.stderr.write(f"{rows}\n")


if __name__ == "__main__":
    main()
