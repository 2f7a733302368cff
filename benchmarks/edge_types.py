"""The cost of edge types: ZINC-12k molecules with and without bond types, in processor time on one thread.

`EGONET_DATA=... python -m benchmarks.edge_types` writes `results/speed/edge_types.json`.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import egonet
from experiments.molecules.zinc_ridge import read_part

REPEATS = 5


def best_seconds(call: Callable[[], Any]) -> float:
    """Return the smallest processor time of several calls."""
    times = []
    for _ in range(REPEATS):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return min(times)


def main(target: str = "results/speed/edge_types.json") -> None:
    """Measure radius 1 to 3 on the 10,000 training molecules, as graphs that kept their bonds."""
    molecules, _ = read_part(Path(os.environ["EGONET_DATA"]), "train")
    graphs = [graph for graph, _ in molecules]
    rows = []
    for radius in (1, 2, 3):
        plain = best_seconds(lambda radius=radius: egonet.encode(graphs, radius, threads=1))  # type: ignore[misc]
        typed = best_seconds(
            lambda radius=radius: egonet.encode(graphs, radius, edge_labels="bond", threads=1)  # type: ignore[misc]
        )
        rows.append({"radius": radius, "plain": round(plain, 4), "typed": round(typed, 4)})
        rows[-1]["ratio"] = round(typed / plain, 2)
        sys.stderr.write(f"{rows[-1]}\n")
    found = {"molecules": len(graphs), "clock": "processor seconds, one thread", "rows": rows}
    Path(target).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
