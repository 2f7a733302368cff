"""Out of core and resumed, beside the same machine in memory: python benchmarks/scale.py [--large].

Every measurement runs in a process of its own, so that its peak memory is its own. Graphs are R-MAT with 16 edges a
node, as Parquet edge lists; radius 1; two threads. `--large` adds 10^8 edges with 2 GB. With EGONET_DATA set, the
error of `cap=` is measured on Facebook and AstroPh. `benchmarks/spark.py` has the cluster.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

SIZES = (16, 18, 20)
MEMORY = "50MB"

IN_MEMORY = "import egonet; egonet.encode(egonet.read_graph({edges!r}), 1, threads=2)"
ON_DISK = "from egonet import store; store.encode({edges!r}, {out!r}, 1, memory={memory!r}, threads=2)"
MEASURE = """
import resource, sys, time
import egonet, pyarrow.parquet
began = time.perf_counter()
{code}
seconds, used = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
# ru_maxrss would begin with the memory of the process that started this one.
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(seconds, used.ru_utime + used.ru_stime, peak / 1024)
"""


def rmat(scale: int, num_edges: int, seed: int = 0) -> np.ndarray:
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
            pairs = rmat(scale, min(1_000_000, num_edges - first), seed=number)
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
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def compare_sizes(folder: Path, results: dict) -> None:
    """Measure memory and disk on every size."""
    for scale in SIZES:
        edges, out = folder / f"rmat{scale}.parquet", folder / "out"
        write_edges(edges, scale, 16 << scale)
        words = {"edges": str(edges), "out": str(out), "memory": MEMORY}
        row = {"edges": 16 << scale, "memory": measure(IN_MEMORY.format(**words))}
        row["disk"] = measure(ON_DISK.format(**words))
        row["disk again"] = measure(ON_DISK.format(**words))
        row["store_bytes"] = folder_bytes(out)
        row["resume"] = resume(words, out)
        shutil.rmtree(out)
        results[f"rmat{scale}"] = row
        print(json.dumps({f"rmat{scale}": row}), flush=True)


def resume(words: dict[str, str], out: Path) -> dict[str, dict[str, float]]:
    """Kill the run on disk once half of its blocks are there, go on, and return the whole run and both parts."""
    shutil.rmtree(out)
    code = "from egonet.store import encode_store; encode_store.LEAST_BLOCK = 2048; " + ON_DISK.format(
        **words
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
    return {"whole": whole, "before the kill": before, "after it": measure(code)}


def measure_large(folder: Path, results: dict) -> None:
    """Encode 10^8 edges with two gigabytes."""
    edges, out = folder / "large.parquet", folder / "out"
    write_edges(edges, 23, 10**8)
    row = measure(ON_DISK.format(edges=str(edges), out=str(out), memory="2GB"))
    manifest = json.loads((out / "manifest.json").read_text())
    row |= {"edges": 10**8, "num_entries": manifest["num_entries"], "store_bytes": folder_bytes(out)}
    row["input_bytes"] = edges.stat().st_size
    results["large"] = row
    print(json.dumps({"large": row}), flush=True)


def cap_error(results: dict) -> None:
    """Measure how far rows of the capped encoding are from the exact ones, radius 2."""
    import egonet

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


def compare_rows(exact, capped) -> dict[str, float]:
    """Return the share of equal rows, and the mean distance of rows as distributions over (distance, log2 degree).

    The distance is total variation: 0 for equal distributions, 1 for disjoint ones.
    """
    from scipy.sparse import csr_array

    def binned(encoding):
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


def main() -> None:
    """Measure, print every line as it comes, and write results/scale.json."""
    results: dict = {"command": "python benchmarks/scale.py " + " ".join(sys.argv[1:])}
    cap_error(results)
    with tempfile.TemporaryDirectory() as folder:
        compare_sizes(Path(folder), results)
        if "--large" in sys.argv:
            measure_large(Path(folder), results)
    target = Path(__file__).parent.parent / "results" / "scale.json"
    target.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
