"""Reading and writing Parquet with several threads: python -m benchmarks.parquet [--scale 19] [--out FILE].

An R-MAT graph with 16 edges per node, its nodes named by text, in a Parquet file with row groups of 2^18 edges. For
each number of threads a process by itself reads it (`read_graph`), counts radius 1 with degrees up to 100, and writes
the rows as a wide table, as lists, and the graph as compressed rows (`write_csr`), each three times; the median counts.
The files must be the same for all numbers. `pyarrow` writes the same wide table with `pyarrow.parquet.write_table`.
"""

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import egonet
from benchmarks.graphs import about, rmat

REPEATS = 3


def write_names(path: Path, scale: int) -> None:
    """Write the edges of an R-MAT graph with names."""
    import pyarrow
    from pyarrow import parquet

    graph = rmat(scale, 16)
    source = np.repeat(np.arange(len(graph.indptr) - 1), np.diff(graph.indptr))
    once = source < graph.indices
    pairs = np.stack([source[once], graph.indices[once]])[
        :, np.random.default_rng(0).permutation(int(once.sum()))
    ]
    names = pyarrow.array([f"account {number:07d}" for number in range(len(graph.indptr) - 1)])
    table = pyarrow.table(
        {end: names.take(pyarrow.array(side)) for end, side in zip(("source", "target"), pairs, strict=True)}
    )
    parquet.write_table(table, path, row_group_size=1 << 18, compression="zstd")


def median_seconds(call: Callable[[], Any]) -> tuple[float, float]:
    """Return the median seconds and CPU seconds of a call."""
    times = []
    for _ in range(REPEATS):
        start, busy = time.perf_counter(), time.process_time()
        call()
        times.append((time.perf_counter() - start, time.process_time() - busy))
    return tuple(round(statistics.median(each), 3) for each in zip(*times, strict=True))  # type: ignore[return-value]


def measure(path: Path, folder: Path) -> dict[str, Any]:
    """Return seconds and CPU seconds of every step in this process, and the digest of what was written."""
    from pyarrow import parquet

    seconds: dict[str, tuple[float, float]] = {}
    seconds["read names"] = median_seconds(lambda: egonet.read_graph(path))
    graph = egonet.read_graph(path)
    rows = egonet.encode(graph, radius=1, max_degree=100)
    for form in ("wide", "sparse"):
        seconds[f"write {form}"] = median_seconds(
            lambda form=form: rows.write(folder / f"{form}.parquet", form=form)
        )
    seconds["write compressed rows"] = median_seconds(lambda: egonet.store.write_csr(graph, folder))
    seconds["read compressed rows"] = median_seconds(lambda: egonet.store.read_csr(folder))
    files = sorted(each for each in folder.iterdir() if each.suffix == ".parquet")
    digest = hashlib.sha256(b"".join(each.read_bytes() for each in files)).hexdigest()[:16]
    if os.environ["EGONET_THREADS"] == "1":
        table = rows.to_arrow()
        options: Any = {
            "compression": "zstd",
            "write_page_checksum": True,
            "use_dictionary": False,
            "row_group_size": 1 << 17,
        }
        seconds["pyarrow, write wide"] = median_seconds(
            lambda: parquet.write_table(table, folder / "other", **options)
        )
    sizes = {each.name: each.stat().st_size for each in files}
    return {
        "seconds": seconds,
        "digest": digest,
        "bytes": sizes,
        "edges": graph.num_edges,
        "shape": rows.shape,
    }


def main() -> None:
    """Measure every number of threads, and write a JSON file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=int, default=19)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    parser.add_argument("--out", type=Path, default=Path("results/speed/parquet.json"))
    parser.add_argument("--child", type=Path)
    options = parser.parse_args()
    if options.child:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(measure(options.child, Path(folder))))
        return
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edges.parquet"
        write_names(path, options.scale)
        for threads in options.threads:
            environment = os.environ | {"EGONET_THREADS": str(threads)}
            command = [sys.executable, "-m", "benchmarks.parquet", "--child", str(path)]
            done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
            found[threads] = json.loads(done.stdout)
            print(threads, json.dumps(found[threads]), flush=True)
    assert len({each["digest"] for each in found.values()}) == 1, "the files differ"
    options.out.write_text(json.dumps({**about(), "scale": options.scale, "threads": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
