"""A billion edges on one machine: python -m benchmarks.billion --scale 26 --threads 12 --memory 14GB --folder FOLDER.

Generates an R-MAT edge list with 16 edges per node as Parquet (not counted), encodes it at radius 1 into a folder, and
writes the time of every phase to a JSON file as soon as it ends. Phases exclude each other: their sum is the whole.

Every phase has seconds, CPU seconds of all threads, bytes read and written by system calls, and its bound: what the
processor would take if all threads were busy (CPU seconds by threads), or what the disk would take for its bytes at
the speed that is measured first, whichever is longer. `ratio` is the time by that bound.

`--check N` compares the stored rows of N random roots with the kernel in memory, and adds up all triangles.
`--peer` counts the triangles at every edge of the same graph in memory with NetworKit, and `--in-memory` encodes it in
memory; each in a process by itself, for graphs that fit. `--quick` runs all of it at scale 12.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.graphs import about
from egonet import store
from egonet.encoding.settings import Settings
from egonet.kernel.cost import as_bytes
from egonet.store import blocks, folder, graph, manifest, sort_edges, triangles

encode = import_module("egonet.store.encode")  # `egonet.store.encode` itself is the function

EDGES_PER_NODE = 16
BLOCK = 1 << 20
#: The chances of the quadrants of Graph500, .57, .19, .19 and .05, in steps of 2^-16 and added up.
CHANCES = tuple(round(share * 65536) for share in (0.57, 0.76, 0.95))
#: Phase → the functions whose time it is, less that of functions inside them. The rest is "other".
PHASES: dict[str, list[tuple[Any, str]]] = {
    "read and number": [(sort_edges, "_spool")],
    "sort": [(graph, "sort_edges")],
    "checksums": [(module, "checksum") for module in (graph, folder, blocks, manifest)],
    "flush to disk": [(folder, "sync")],
    "validate the graph": [(graph.GraphStore, "_are_rows")],
    "orient edges": [(triangles, "_orient_edges")],
    "find triangles": [(triangles, "_find_triangles")],
    "triangles to both ends, write": [(triangles, "store_supports")],
    "rows": [(triangles.Counter, "count")],
    "write rows": [(encode, "write_block")],
}


def rmat_block(scale: int, size: int, seed: int) -> np.ndarray:
    """Return int32 (2, size): ends of R-MAT edges, node numbers mixed by a fixed bijection."""
    rng = np.random.default_rng(seed)
    ends = np.zeros((2, size), dtype=np.uint32)
    for _ in range(scale):
        draw = rng.integers(0, 65536, size, dtype=np.uint16)
        down = draw >= CHANCES[1]
        right = (draw >= CHANCES[0]) ^ down ^ (draw >= CHANCES[2])
        ends <<= np.uint32(1)
        ends[0] |= down
        ends[1] |= right
    mask = np.uint32((1 << scale) - 1)
    for _ in range(2):
        ends *= np.uint32(0x9E3779B1)
        ends &= mask
        ends ^= ends >> np.uint32(scale // 2)
    return ends.view(np.int32)


def write_edges(path: Path, scale: int, threads: int) -> None:
    """Write the edge list as Parquet without compression, 8 bytes per edge."""
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([("source", pa.int32()), ("target", pa.int32())])
    size = min(BLOCK, EDGES_PER_NODE << scale)
    with (
        parquet.ParquetWriter(path, schema, compression="none", use_dictionary=False) as out,
        ThreadPoolExecutor(threads) as pool,
    ):
        for first in range(0, (EDGES_PER_NODE << scale) // size, 4 * threads):
            seeds = range(first, min(first + 4 * threads, (EDGES_PER_NODE << scale) // size))
            for ends in pool.map(lambda seed: rmat_block(scale, size, seed), seeds):
                out.write_table(pa.table([ends[0], ends[1]], schema=schema), row_group_size=size)


def numbers_of(path: str) -> dict[str, int]:
    """Return the fields of a file of /proc/self that are numbers."""
    with open(f"/proc/self/{path}") as lines:
        fields = (line.split() for line in lines)
        return {field[0].rstrip(":"): int(field[1]) for field in fields if field[1:] and field[1].isdigit()}


class Clock:
    """Time of the innermost open phase; the results are written to a file whenever a long phase ends."""

    def __init__(self, out: Path, results: dict[str, Any]) -> None:
        self.out, self.results, self.open = out, results, ["other"]
        self.phases: dict[str, dict[str, float]] = results.setdefault("phases", {})
        self.stopped = False
        self.last = self._now()

    def stop(self) -> None:
        """Count no more phases: what is watched may be called again, to check the rows."""
        self.stopped = True

    def _now(self) -> dict[str, float]:
        io = numbers_of("io")
        return {
            "seconds": time.perf_counter(),
            "cpu": time.process_time(),
            "read_gb": io["rchar"] / 1e9,
            "written_gb": io["wchar"] / 1e9,
        }

    def _add(self) -> None:
        now = self._now()
        phase = self.phases.setdefault(self.open[-1], dict.fromkeys(now, 0.0))
        for name, value in now.items():
            phase[name] += value - self.last[name]
        self.last = now

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        if self.stopped:
            yield
            return
        began = time.perf_counter()
        self._add()
        self.open.append(name)
        try:
            yield
        finally:
            self._add()
            self.open.pop()
            if time.perf_counter() - began > 1:
                self.save(name)

    def save(self, name: str = "other") -> None:
        self.results["peak_gb"] = round(numbers_of("status")["VmHWM"] * 1024 / 1e9, 2)
        if self.out:
            self.out.write_text(json.dumps(self.results, indent=1))
        print(name, {field: round(value, 1) for field, value in self.phases[name].items()}, flush=True)

    def watch(self, name: str, owner: Any, function: str) -> None:
        """Count the time of a function as a phase from now on."""
        inner: Callable[..., Any] = getattr(owner, function)

        @wraps(inner)
        def watched(*args: Any, **options: Any) -> Any:
            with self.phase(name):
                return inner(*args, **options)

        setattr(owner, function, watched)


def disk_speed(where: Path, size: int) -> dict[str, float]:
    """Return gigabytes per second of writing a file and flushing it, and of reading it again from the cache."""
    data, path = np.ones(1 << 23, dtype=np.int64), where / "speed"
    began = time.perf_counter()
    with path.open("wb") as out:
        for _ in range(size // data.nbytes):
            data.tofile(out)
        out.flush()
        written = time.perf_counter()
        os.fsync(out.fileno())
    flushed = time.perf_counter()
    with path.open("rb") as file:
        while len(np.fromfile(file, dtype=np.int64, count=len(data))):
            pass
    read = time.perf_counter()
    path.unlink()
    gigabytes = size // data.nbytes * data.nbytes / 1e9
    return {
        "write": round(gigabytes / (written - began), 2),
        "write and flush": round(gigabytes / (flushed - began), 2),
        "read, cached": round(gigabytes / (read - flushed), 2),
    }


def add_bounds(results: dict[str, Any], threads: int) -> None:
    """Add to every phase what processor and disk would take at least, and the ratio of its time to that."""
    speed, total = results["disk_gb_per_second"], 0.0
    for phase in results["phases"].values():
        disk = phase["read_gb"] / speed["read, cached"] + phase["written_gb"] / speed["write"]
        phase["cores_busy"] = phase["cpu"] / phase["seconds"] if phase["seconds"] else 0.0
        phase["bound"] = max(disk, phase["cpu"] / threads)
        phase["ratio"] = phase["seconds"] / phase["bound"] if phase["bound"] else 0.0
        total += phase["bound"]
        phase |= {name: round(value, 3) for name, value in phase.items()}
    results["bound"] = round(total, 1)
    results["ratio"] = round(results["seconds"] / total, 2)


def check_rows(out: Path, count: int, threads: int) -> dict[str, int]:
    """Compare rows of random roots with the kernel; raise if one differs. Return how many, and all triangles."""
    facts = manifest.read_manifest(out, "a store")
    arrays = graph.open_graph(out / facts["graph"], verify=False)
    roots = np.sort(np.random.default_rng(0).choice(arrays.num_nodes, count, replace=False))
    expected = blocks.count_block(
        arrays.indptr, arrays.indices, roots, Settings((1,)), symmetric=True, threads=threads
    )
    for i, root in enumerate(roots.tolist()):
        block, row = divmod(root, facts["block_rows"])
        stored = blocks.open_block(out / facts["blocks"][block], verify=False)
        if row_of(stored, row) != row_of(expected, i):
            raise SystemExit(f"row {root} is {row_of(stored, row)}, not {row_of(expected, i)}")
    return {"rows_checked": count, "triangles": count_triangles(out)}


def row_of(block: blocks.Block, row: int) -> dict[tuple[int, ...], int]:
    """Return the counts of a row by key."""
    span = slice(int(block.indptr[row]), int(block.indptr[row + 1]))
    keys = block.keys[block.columns[span]].tolist()
    return dict(zip(map(tuple, keys), block.counts[span].tolist(), strict=True))


def count_triangles(out: Path) -> int:
    """Return the number of triangles by the rows: every one is counted at two neighbors of each of its three nodes."""
    ends = 0
    for name in manifest.read_manifest(out, "a store")["blocks"]:
        block = blocks.open_block(out / name, verify=False)
        near = np.where(block.keys[:, 1] == 1, block.keys[:, 2] - 1, 0)
        ends += int(near @ np.bincount(block.columns, block.counts, len(near)).astype(np.int64))
    return ends // 6


PEER = """
import json, sys, time
import numpy as np, scipy.sparse as sp, networkit as nk
threads, path = int(sys.argv[2]), sys.argv[1]
nk.setNumberOfThreads(threads)
import pyarrow.parquet as pq
times, began, used = {}, time.perf_counter(), time.process_time()
def lap(name):
    global began, used
    times[name] = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - used}
    began, used = time.perf_counter(), time.process_time()
table = pq.read_table(path)
ends = np.stack([column.to_numpy() for column in table.columns])
ends = np.sort(ends[:, ends[0] != ends[1]], axis=0)
size = int(ends.max()) + 1
pairs = np.unique(ends[0].astype(np.int64) * size + ends[1])
rows, columns = pairs // size, pairs % size
lap("read, drop loops and repeats (NumPy)")
graph = nk.GraphFromCoo((np.ones(len(rows)), (rows, columns)), n=size)
lap("build")
graph.indexEdges()
score = nk.sparsification.TriangleEdgeScore(graph)
lap("index edges")
score.run()
lap("triangles of every edge")
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
total = round(sum(score.scores())) // 3
print(json.dumps({"phases": times, "edges": graph.numberOfEdges(), "triangles": total, "peak_gb": peak / 1e6}))
"""
IN_MEMORY = """
import json, sys, time
import egonet, pyarrow.parquet
threads, path = int(sys.argv[2]), sys.argv[1]
times, began, used = {}, time.perf_counter(), time.process_time()
graph = egonet.read_graph(path, simplify=True)
times["read"] = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - used}
began, used = time.perf_counter(), time.process_time()
encoding = egonet.encode(graph, 1, threads=threads)
times["encode"] = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - used}
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps({"phases": times, "entries": len(encoding.matrix.data), "peak_gb": peak / 1e6}))
"""


def run_peer(program: str, edges: Path, threads: int) -> Any:
    """Return what a program in a process by itself prints, or its error."""
    done = subprocess.run(
        [sys.executable, "-c", program, str(edges), str(threads)], capture_output=True, text=True, check=False
    )
    return json.loads(done.stdout.splitlines()[-1]) if not done.returncode else {"error": done.stderr[-2000:]}


def main() -> None:
    """Run the parts that are asked for and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=26)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--memory", default="14GB")
    parser.add_argument("--folder", type=Path, required=True, help="gets the edge list and the store")
    parser.add_argument("--out", type=Path, help="the JSON file")
    parser.add_argument("--check", type=int, default=0, metavar="N")
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--in-memory", action="store_true")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    if given.quick:
        given.scale, given.check, given.memory, given.in_memory = 12, 100, "1MB", True
    given.folder.mkdir(parents=True, exist_ok=True)
    edges, out = given.folder / f"rmat{given.scale}.parquet", given.folder / f"store{given.scale}"
    results: dict[str, Any] = {"scale": given.scale, "edges": EDGES_PER_NODE << given.scale}
    results |= {"threads": given.threads, "memory": given.memory, "about": about()}
    shutil.rmtree(out, ignore_errors=True)
    results["disk_gb_per_second"] = disk_speed(given.folder, max(128 << 20, min(4 << 30, 64 << given.scale)))
    if not edges.exists():
        began, partial = time.perf_counter(), edges.with_suffix(".part")
        write_edges(partial, given.scale, given.threads)
        partial.rename(edges)
        results["generate_seconds"] = round(time.perf_counter() - began, 1)
    results["input_gb"] = round(edges.stat().st_size / 1e9, 2)
    for name, program, wanted in (("networkit", PEER, given.peer), ("in memory", IN_MEMORY, given.in_memory)):
        if wanted:
            results[name] = run_peer(program, edges, given.threads)
            print(name, results[name], flush=True)
    clock = Clock(given.out, results)
    for name, functions in PHASES.items():
        for owner, function in functions:
            clock.watch(name, owner, function)
    began, used = time.perf_counter(), time.process_time()
    with clock.phase("other"):
        store.encode(edges, out, 1, memory=as_bytes(given.memory), threads=given.threads, simplify=True)
    clock.stop()
    results["seconds"] = round(time.perf_counter() - began, 1)
    results["cpu"] = round(time.process_time() - used, 1)
    facts = json.loads((out / "manifest.json").read_text())
    results |= {"nodes": facts["num_rows"], "entries": facts["num_entries"], "blocks": len(facts["blocks"])}
    results["store_gb"] = round(sum(p.stat().st_size for p in out.rglob("*") if p.is_file()) / 1e9, 2)
    add_bounds(results, given.threads)
    clock.save()
    if given.check:
        results |= check_rows(out, given.check, given.threads)
        if given.out:
            given.out.write_text(json.dumps(results, indent=1))
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
