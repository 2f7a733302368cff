"""Processor time of searches: two and three marks over BREC's 800 graphs, one mark over 10,000 molecules.

Run `python -m research.expressivity.search_times`: one thread, `time.process_time`, so that other work on the
machine hardly counts.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from egonet import individualize
from research.expressivity.families import brec
from research.expressivity.refined_features import speed, zinc


def brec_seconds(marks: int) -> dict[str, Any]:
    """Return the processor time of a search over all graphs of BREC, pair by pair, and how many pairs it splits."""
    graphs = list(brec().graphs)
    began, split = time.process_time(), 0
    for first in range(0, len(graphs), 2):
        found = individualize(graphs[first : first + 2], marks, threads=1).graphs
        split += int(found[0] != found[1])
    return {
        "marks": marks,
        "graphs": len(graphs),
        "split": split,
        "seconds": round(time.process_time() - began, 1),
    }


def main(target: str = "results/search_times.json") -> None:
    """Measure, and write the file after each."""
    found: dict[str, Any] = {"command": "python -m research.expressivity.search_times", "brec": []}
    found["molecules"] = speed(zinc(Path(os.environ["EGONET_DATA"])))
    for marks in (2, 3):
        found["brec"].append(brec_seconds(marks))
        Path(target).write_text(json.dumps(found, indent=1) + "\n")
        sys.stderr.write(f"{found}\n")


if __name__ == "__main__":
    main()
