"""Stores on disk and on Spark: python -m benchmarks.store [sizes] [cap] [steps] [spark] [--large] [--quick].

All graphs are R-MAT with 16 edges a node, written as Parquet edge lists. Parts (all but spark by default):

sizes  encode in memory, on disk, and resumed after a kill; radius 1, two threads. Every measurement is a separate
       process, so that its peak memory is its own. `--large` adds 10^8 edges with 2 GB.
cap    the error of `cap=` on Facebook and AstroPh, if EGONET_DATA is set.
steps  CPU microseconds an edge of every step of a large run, one thread; docs/research/scale.md multiplies them.
spark  local Spark against the same machine without Spark. CPU seconds are those of the driver, the Java machine and all
       Python workers. A line a + b * edges is fitted to each side; it gives the size from which k machines pay.

Writes results/scale.json (sizes, cap), store_steps.json and spark.json, unless `--quick`.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import egonet
from benchmarks.graphs import about
from egonet import store
from egonet.encoding.settings import Settings
from egonet.store.blocks import count_block
from egonet.store.graph import build_graph
from egonet.store.manifest import checksum
from egonet.store.spark_tasks import copy_edges, count_group, groups_of
from egonet.store.triangles import rows_at_one, store_supports

RESULTS = Path(__file__).parent.parent / "results"
SIZES = (16, 18, 20)
MEMORY = "50MB"
COLORS = 4
STEP_MEMORY = 2 * 10**9
MACHINES = (1, 4, 16)
#: Radius, options, and the sizes: graphs of 2**size nodes.
RUNS = {
    "radius 1, ranges": (1, {"strategy": "ranges"}, (13, 15, 17)),
    "radius 1, triples": (1, {"strategy": "triples", "colors": 3}, (13, 15, 17)),
    "radius 2, ranges": (2, {"strategy": "ranges"}, (10, 12, 14)),
}


IN_MEMORY = "import egonet; egonet.encode(egonet.read_graph({edges!r}), 1, threads=2)"
ON_DISK = "from egonet import store; store.encode({edges!r}, {out!r}, 1, memory={memory!r}, threads=2)"
MEASURE = """
import resource, sys, time
import egonet, pyarrow.parquet
began = time.perf_counter()
{code}
seconds, used = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
# ru_maxrss would include the memory of the parent process.
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(seconds, used.ru_utime + used.ru_stime, peak / 1024)
"""


def rmat_pairs(scale: int, num_edges: int, seed: int = 0) -> np.ndarray:
    """Return pairs of an R-MAT graph on 2**scale nodes with (a, b, c, d) = (.57, .19, .19, .05)."""
    rng = np.random.default_rng(seed)
    pairs = np.zeros((num_edges, 2), dtype=np.int64)
    for _ in range(scale):
        draw = rng.random(num_edges)
        pairs[:, 0] = 2 * pairs[:, 0] + (draw >= 0.76)
        pairs[:, 1] = 2 * pairs[:, 1] + (((draw >= 0.57) & (draw < 0.76)) | (draw >= 0.95))
    return pairs


def write_edges(path: Path, scale: int, num_edges: int) -> None:
    """Write an R-MAT edge list as Parquet, a million edges at a time."""
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([("source", pa.int64()), ("target", pa.int64())])
    with parquet.ParquetWriter(path, schema) as out:
        for number, first in enumerate(range(0, num_edges, 1_000_000)):
            pairs = rmat_pairs(scale, min(1_000_000, num_edges - first), seed=number)
            out.write_table(pa.table([pairs[:, 0], pairs[:, 1]], schema=schema))


def measure(code: str) -> dict[str, float]:
    """Run code in a fresh process; return seconds, CPU seconds and peak megabytes."""
    program = MEASURE.format(code=code)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    seconds, cpu, megabytes = map(float, done.stdout.split()[-3:])
    return {"seconds": round(seconds, 2), "cpu": round(cpu, 2), "peak_mb": round(megabytes)}


def folder_bytes(folder: Path) -> int:
    """Return the size of all files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def compare_sizes(folder: Path, results: dict[str, Any], sizes: tuple[int, ...]) -> None:
    """Measure memory and disk on every size."""
    for scale in sizes:
        edges, out = folder / f"rmat{scale}.parquet", folder / "out"
        write_edges(edges, scale, 16 << scale)
        options = {"edges": str(edges), "out": str(out), "memory": MEMORY}
        row = {"edges": 16 << scale, "memory": measure(IN_MEMORY.format(**options))}
        row["disk"] = measure(ON_DISK.format(**options))
        row["disk again"] = measure(ON_DISK.format(**options))
        row["store_bytes"] = folder_bytes(out)
        row["resume"] = resume(options, out)
        shutil.rmtree(out)
        results[f"rmat{scale}"] = row
        print(json.dumps({f"rmat{scale}": row}), flush=True)


def resume(options: dict[str, str], out: Path) -> dict[str, dict[str, float]]:
    """Kill a run on disk when half of its blocks exist, resume it, and return all costs."""
    shutil.rmtree(out)
    code = (
        "from importlib import import_module; encode_store = import_module('egonet.store.encode'); "
        "encode_store.LEAST_BLOCK = 2048; " + ON_DISK.format(**options)
    )
    whole = measure(code)
    shutil.rmtree(out)
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", f"import egonet, pyarrow.parquet\n{code}"])
    while process.poll() is None:
        names = (
            json.loads((out / "manifest.json").read_text()).get("blocks", [])
            if (out / "manifest.json").exists()
            else []
        )
        if names and len(list(out.glob("block-*"))) >= len(names) // 2:
            break
        time.sleep(0.002)
    process.kill()
    process.wait()
    before = {"seconds": round(time.perf_counter() - began, 2)}
    return {"whole": whole, "before the kill": before, "after the kill": measure(code)}


def measure_large(folder: Path, results: dict[str, Any]) -> None:
    """Encode 10^8 edges with two gigabytes."""
    edges, out = folder / "large.parquet", folder / "out"
    write_edges(edges, 23, 10**8)
    row = measure(ON_DISK.format(edges=str(edges), out=str(out), memory="2GB"))
    manifest = json.loads((out / "manifest.json").read_text())
    row |= {"edges": 10**8, "num_entries": manifest["num_entries"], "store_bytes": folder_bytes(out)}
    row["input_bytes"] = edges.stat().st_size
    results["large"] = row
    print(json.dumps({"large": row}), flush=True)


def cap_error(results: dict[str, Any]) -> None:
    """Measure the difference between rows of the capped encoding and exact rows, radius 2."""
    data = os.environ.get("EGONET_DATA")
    if not data:
        return
    for name, file in (
        ("Facebook", "facebook/Facebook.edgelist"),
        ("AstroPh", "ca-astroph/ca-AstroPh.txt.gz"),
    ):
        graph = egonet.read_graph(Path(data) / file)
        began = time.process_time()
        exact = egonet.encode(graph, 2)
        seconds = time.process_time() - began
        for cap in (8, 16, 32, 64, 128):
            began = time.process_time()
            capped = egonet.encode(graph, 2, cap=cap)
            row = compare_rows(exact, capped) | {
                "cpu": round(time.process_time() - began, 3),
                "exact cpu": round(seconds, 3),
            }
            row["edges kept"] = round(capped.graph.num_edges / graph.num_edges, 3)
            results[f"cap {cap}, {name}"] = row
            print(json.dumps({f"cap {cap}, {name}": row}), flush=True)


def compare_rows(exact: egonet.Encoding, capped: egonet.Encoding) -> dict[str, float]:
    """Return the share of equal rows, and the mean distance of rows as distributions over (distance, log2 degree).

    The distance is total variation: 0 for equal distributions, 1 for disjoint ones.
    """

    def binned(encoding: egonet.Encoding) -> np.ndarray:
        keys = encoding.vocabulary.keys
        column = keys[:, 1] * 40 + np.where(
            keys[:, 2] > 0, np.log2(np.maximum(keys[:, 2], 1)).astype(int) + 1, 0
        )
        merge = csr_array((np.ones(len(keys)), (np.arange(len(keys)), column)), shape=(len(keys), 120))
        dense = (encoding.matrix @ merge).toarray()
        return dense / dense.sum(axis=1, keepdims=True)

    equal = [exact[node] == capped[node] for node in exact.nodes[:: max(1, len(exact) // 2000)].tolist()]
    distance = np.abs(binned(exact) - binned(capped)).sum(axis=1) / 2
    return {"equal rows": round(float(np.mean(equal)), 3), "mean distance": round(float(distance.mean()), 3),
            "median distance": round(float(median(distance.tolist())), 3)}  # fmt: skip


def measure_steps(folder: Path, scale: int) -> dict[str, float]:
    """Return the cost of every step per edge of the file."""
    num_edges = 16 << scale
    write_edges(folder / "edges.parquet", scale, num_edges)
    stored = build_graph(folder / "edges.parquet", folder / "graph", memory=STEP_MEMORY)
    graph = egonet.read_graph(folder / "edges.parquet")
    nodes = stored.num_nodes
    store_supports(stored, folder / "supports", memory=STEP_MEMORY, threads=1)
    group, u, v = copy_edges(stored.indptr, stored.indices, 0, nodes, COLORS)
    whole = egonet.encode(graph, 1)
    steps = {
        "read and sort into a store": lambda: build_graph(
            folder / "edges.parquet", folder / "again", memory=STEP_MEMORY
        ),
        "checksum": lambda: checksum(folder / "graph" / "indices.npy"),
        "find triangles, out of core": lambda: store_supports(
            stored, folder / "supports", memory=STEP_MEMORY, threads=1
        ),
        "rows from triangles": lambda: rows_at_one(
            stored, folder / "supports", (0, nodes), degrees="total", max_degree=None, threads=1
        ),
        "count, graph in memory": lambda: egonet.encode(graph, 1, threads=1),
        "count a sixteenth of the roots, kernel": lambda: count_block(
            stored.indptr, stored.indices, np.arange(nodes // 16), Settings((1,)), symmetric=True, threads=1
        ),
        "copy an edge to a group": lambda: copy_edges(stored.indptr, stored.indices, 0, nodes, COLORS),
        "count a copy of an edge in its group": lambda: [
            count_group(u[group == number], v[group == number], three, COLORS)
            for number, three in enumerate(groups_of(COLORS))
        ],
    }
    found = {name: cpu_median(step) / num_edges * 1e6 for name, step in steps.items()}
    for name in ("copy an edge to a group", "count a copy of an edge in its group"):
        found[name] *= num_edges / len(u)
    constants = {f"{name}, µs": round(value, 3) for name, value in found.items()}
    return constants | {
        "entries an edge": round(len(whole.matrix.data) / num_edges, 2),
        "distinct edges, of those in the file": round(len(stored.indices) / 2 / num_edges, 2),
        "bytes an edge of Parquet": round((folder / "edges.parquet").stat().st_size / num_edges, 1),
    }


def cpu_median(step: Callable[[], object]) -> float:
    """Return the median CPU time of three calls."""
    times = []
    for _ in range(3):
        began = time.process_time()
        step()
        times.append(time.process_time() - began)
    return sorted(times)[1]


def compare_spark(folder: Path, *, quick: bool) -> dict[str, Any]:
    """Measure and fit every run on Spark."""
    from egonet.store.spark_driver import start_session

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    session, startup = timed(lambda: start_session("local[2,4]"))
    # The first job starts the Python workers; later jobs reuse them.
    write_edges(folder / "first.parquet", 8, 1_000)
    first = on_spark(session, folder / "first.parquet", folder / "out", 1, {"strategy": "ranges"})
    results: dict[str, Any] = {"start": {"session": startup, "first job": first}, "runs": {}, "fits": {}}
    print(json.dumps(results["start"]), flush=True)
    for run, (radius, options, sizes) in RUNS.items():
        chosen = (8, 9) if quick else sizes
        rows = [measure_on_spark(session, folder, scale, radius, options) for scale in chosen]
        results["runs"][run] = rows
        results["fits"][run] = fit_lines(rows, startup["cpu"] + first["cpu"])
        print(json.dumps({run: rows, "fit": results["fits"][run]}), flush=True)
    session.stop()
    return results


def measure_on_spark(
    session: Any, folder: Path, scale: int, radius: int, options: dict[str, Any]
) -> dict[str, Any]:
    """Return the costs of both sides on one graph."""
    edges, out = folder / f"rmat{scale}.parquet", folder / "out"
    if not edges.exists():
        write_edges(edges, scale, 16 << scale)
    alone = timed(lambda: store.encode(edges, out, radius, threads=2))[1]
    shutil.rmtree(out)
    return {"edges": 16 << scale, "alone": alone, "spark": on_spark(session, edges, out, radius, options)}


def on_spark(session: Any, edges: Path, out: Path, radius: int, options: dict[str, Any]) -> dict[str, float]:
    """Return the cost of one run on Spark."""
    found = timed(lambda: store.spark(edges, out, radius, session=session, partitions=8, **options))[1]
    shutil.rmtree(out)
    return found


def timed(call: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """Return the result of a call, and its seconds and CPU seconds, those of child processes included."""
    began, used = time.perf_counter(), cpu_seconds()
    value = call()
    return value, {"seconds": round(time.perf_counter() - began, 2), "cpu": round(cpu_seconds() - used, 2)}


def cpu_seconds() -> float:
    """Return the CPU time of this process and its descendants, those that ended included."""
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


def fit_lines(rows: list[dict[str, Any]], startup: float) -> dict[str, Any]:
    """Return the lines through the CPU times, and the number of edges from which k machines take less time than one.

    `startup` is the CPU time of Spark before its first edge: the session and the Python workers.
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
        ahead = startup + lines["spark"]["start"] - lines["alone"]["start"]
        pays[f"{k} machines"] = f"{ahead / saved:.1f} million edges" if saved > 0 else "never"
    return lines | {"pays from": pays}


def main() -> None:
    """Measure the given parts, print every line as it comes, and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "parts", nargs="*", default=["sizes", "cap", "steps"], help="sizes, cap, steps, spark"
    )
    parser.add_argument("--large", action="store_true", help="add 10^8 edges to sizes")
    parser.add_argument("--quick", action="store_true", help="tiny graphs; writes nothing")
    parser.add_argument("--scale", type=int, default=16, help="steps: the graph has 2**scale nodes")
    options = parser.parse_args()
    results: dict[str, Any] = {"command": "python -m benchmarks.store " + " ".join(sys.argv[1:])}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "cap" in options.parts and not options.quick:
            cap_error(results)
        if "sizes" in options.parts:
            compare_sizes(folder, results, (10,) if options.quick else SIZES)
            if options.large:
                measure_large(folder, results)
        if len(results) > 1 and not options.quick:
            (RESULTS / "scale.json").write_text(json.dumps(results, indent=1) + "\n")
        if "steps" in options.parts:
            scale = 10 if options.quick else options.scale
            (folder / "steps").mkdir()
            found = {"scale": scale, **measure_steps(folder / "steps", scale), "about": about()}
            print(json.dumps(found, indent=1))
            if not options.quick:
                (RESULTS / "store_steps.json").write_text(json.dumps(found, indent=1) + "\n")
        if "spark" in options.parts:
            found = compare_spark(folder, quick=options.quick)
            if not options.quick:
                (RESULTS / "spark.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
