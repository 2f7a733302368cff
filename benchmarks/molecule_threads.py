"""Seconds from SMILES to fingerprints with one thread and with all cores.

`python -m benchmarks.molecule_threads` writes `results/speed/molecule_threads.json`. The molecules are made up, so that
it needs neither RDKit nor data sets. Medians of runs that take turns, by the clock of the wall.
"""

import json
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

import egonet
from benchmarks.graphs import about
from egonet.kernel import native

TARGET = Path("results/speed/molecule_threads.json")


def time_threads(count: int = 50_000, rounds: int = 3) -> dict[str, Any]:
    """Return the median seconds from SMILES to rows with one thread and with all cores, without RDKit."""
    rng, cores = np.random.default_rng(0), native.available_cores()
    pieces = np.array(
        ["C", "CC", "CO", "NC", "C(C)", "C(=O)N", "C(=O)O", "c1ccccc1", "c1ccncc1", "C(N)", "S"]
    )
    texts = ["".join(pieces[rng.integers(0, len(pieces), rng.integers(4, 12))]) for _ in range(count)]
    options: Any = {"parser": "fast", "atom_labels": "invariant", "sparse_output": True}
    encoders = {threads: egonet.MoleculeEncoder(n_jobs=threads, **options) for threads in (1, cores)}
    seconds: dict[int, list[float]] = {threads: [] for threads in encoders}
    for _ in range(rounds):
        for threads, encoder in encoders.items():
            started = time.perf_counter()
            encoder.transform(texts)
            seconds[threads].append(time.perf_counter() - started)
    medians = {str(threads): round(statistics.median(values), 3) for threads, values in seconds.items()}
    return {"molecules": count, "seconds": medians, "speedup": round(medians["1"] / medians[str(cores)], 2)}


if __name__ == "__main__":
    TARGET.write_text(json.dumps(time_threads() | about(), indent=1) + "\n")
