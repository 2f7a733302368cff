"""What each setting of `encode` costs on Facebook, in time and columns: python benchmarks/settings.py."""

import os
import time
from pathlib import Path
from statistics import median
from typing import Any

import egonet

SETTINGS: list[dict[str, Any]] = [
    {"radius": 1},
    {"radius": 1, "degree_bins": "log"},
    {"radius": 2},
    {"radius": 2, "degree_bins": "log"},
    {"radius": (1, 2)},
    {"radius": 3},
    {"radius": 2, "degrees": "layered"},
    {"radius": 2, "degrees": "full"},
]
REPEATS = 3


def main() -> None:
    """Print a line per setting: median CPU milliseconds of one thread, matrix included, columns, entries."""
    graph = egonet.read_graph(Path(os.environ.get("EGONET_DATA", "data")) / "facebook" / "Facebook.edgelist")
    times: list[list[float]] = [[] for _ in SETTINGS]
    print("| setting | CPU ms | columns | entries |\n|---|--:|--:|--:|")
    for _ in range(REPEATS):
        for words, found in zip(SETTINGS, times, strict=True):
            began = time.process_time()
            _ = egonet.encode(graph, threads=1, **words).matrix
            found.append(time.process_time() - began)
    for words, found in zip(SETTINGS, times, strict=True):
        matrix = egonet.encode(graph, **words).matrix
        shown = ", ".join(f"{name}={value!r}" for name, value in words.items())
        print(f"| `{shown}` | {1000 * median(found):.0f} | {matrix.shape[1]:,} | {matrix.nnz:,} |")


if __name__ == "__main__":
    main()
