"""Reading a million edges of SNAP text beside numpy's own parser: python benchmarks/read.py."""

import tempfile
import time
from pathlib import Path

import numpy as np

import egonet

NUM_EDGES, REPEATS = 1_000_000, 7


def main() -> None:
    """Print the CPU time of each contender, interleaved, and its ratio of medians to `np.loadtxt`."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edges.txt"
        np.savetxt(path, rng.integers(0, 300_000, (NUM_EDGES, 2)), fmt="%d", delimiter="\t")
        contenders = {
            "np.loadtxt (parsing alone)": lambda: np.loadtxt(path, dtype=np.int64),
            "egonet.read_graph (ids, rows, merging)": lambda: egonet.read_graph(path),
        }
        times = {name: [] for name in contenders}
        for _ in range(REPEATS):
            for name, call in contenders.items():
                began = time.process_time()
                call()
                times[name].append(time.process_time() - began)
    floor = np.median(next(iter(times.values())))
    for name, seconds in times.items():
        print(f"{name:<42}{1e3 * np.median(seconds):>8.0f} ms{np.median(seconds) / floor:>8.2f} x")


if __name__ == "__main__":
    main()
