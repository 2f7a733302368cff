"""Spark on this machine beside the same machine alone, over three sizes: python -m benchmarks.spark.

R-MAT graphs with 16 edges a node. Both sides start from the same Parquet edge list and end with a store; Spark runs
on local[2,4]. CPU seconds are those of the driver, the Java machine and all Python workers together. A line
a + b * edges is fitted to each side; from both, the size from which k machines pay follows: the one machine takes
a1 + b1 * m, the k machines a + b * m / k if the work splits evenly. Writes results/spark.json.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.scale import write_edges
from egonet import store
from egonet.store.spark_driver import start_session

MACHINES = (1, 4, 16)
#: Radius, options, and three sizes: graphs of 2**size nodes.
RUNS = {
    "radius 1, ranges": (1, {"strategy": "ranges"}, (13, 15, 17)),
    "radius 1, triples": (1, {"strategy": "triples", "colors": 3}, (13, 15, 17)),
    "radius 2, ranges": (2, {"strategy": "ranges"}, (10, 12, 14)),
}


def main() -> None:
    """Measure, fit, print every line as it comes, and write them all."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        session, begun = timed(lambda: start_session("local[2,4]"))
        # The first job starts the Python workers, which later ones find running.
        write_edges(folder / "first.parquet", 8, 1_000)
        first = on_spark(session, folder / "first.parquet", folder / "out", 1, {"strategy": "ranges"})
        results = {"start": {"session": begun, "first job": first}, "runs": {}, "fits": {}}
        print(json.dumps(results["start"]), flush=True)
        for run, (radius, options, sizes) in RUNS.items():
            rows = [measure(session, folder, scale, radius, options) for scale in sizes]
            results["runs"][run] = rows
            results["fits"][run] = compare(rows, begun["cpu"] + first["cpu"])
            print(json.dumps({run: rows, "fit": results["fits"][run]}), flush=True)
        session.stop()
    target = Path(__file__).parent.parent / "results" / "spark.json"
    target.write_text(json.dumps(results, indent=1) + "\n")


def measure(session, folder: Path, scale: int, radius: int, options: dict) -> dict:
    """Return the costs of both sides on one graph."""
    edges, out = folder / f"rmat{scale}.parquet", folder / "out"
    if not edges.exists():
        write_edges(edges, scale, 16 << scale)
    alone = timed(lambda: store.encode(edges, out, radius, threads=2))[1]
    shutil.rmtree(out)
    return {"edges": 16 << scale, "alone": alone, "spark": on_spark(session, edges, out, radius, options)}


def on_spark(session, edges: Path, out: Path, radius: int, options: dict) -> dict[str, float]:
    """Return the cost of one run on Spark."""
    found = timed(lambda: store.spark(edges, out, radius, session=session, partitions=8, **options))[1]
    shutil.rmtree(out)
    return found


def timed(call):
    """Return what a call returns, and its seconds and CPU seconds with those of all processes below this one."""
    began, used = time.perf_counter(), cpu_seconds()
    value = call()
    return value, {"seconds": round(time.perf_counter() - began, 2), "cpu": round(cpu_seconds() - used, 2)}


def cpu_seconds() -> float:
    """Return the CPU time of this process and of all below it, those that ended included."""
    parents, times = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        number = int(path.parent.name)
        parents[number], times[number] = int(fields[1]), sum(map(int, fields[11:15]))
    ours = {os.getpid()}
    while True:
        more = {number for number, parent in parents.items() if parent in ours} - ours
        if not more:
            return sum(times[number] for number in ours) / os.sysconf("SC_CLK_TCK")
        ours |= more


def compare(rows: list[dict], begun: float) -> dict:
    """Return the lines through the CPU times, and from how many edges k machines take less time than one.

    `begun` is what Spark took before its first edge: the session and the Python workers.
    """
    edges = np.array([row["edges"] for row in rows], dtype=float)
    lines = {}
    for side in ("alone", "spark"):
        cpu = np.array([row[side]["cpu"] for row in rows])
        slope, start = np.polyfit(edges, cpu, 1)
        lines[side] = {"start": round(float(start), 2), "microseconds an edge": round(float(slope) * 1e6, 3)}
    pays = {}
    for k in MACHINES:
        saved = lines["alone"]["microseconds an edge"] - lines["spark"]["microseconds an edge"] / k
        ahead = begun + lines["spark"]["start"] - lines["alone"]["start"]
        pays[f"{k} machines"] = f"{ahead / saved:.1f} million edges" if saved > 0 else "never"
    return lines | {"pays from": pays}


if __name__ == "__main__":
    main()
