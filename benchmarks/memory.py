"""Predicted and measured peak memory of `encode` and of stores: python -m benchmarks.memory [--threads 2] [--quick].

Every line is a separate process. Measured is the growth of the resident set during the call (its high-water mark),
without imports and graph. A limit equal to the prediction is the smallest that is accepted; the program fails if
measured exceeds 1.1 times predicted. A store is compared with the bound that docs/scale.md states for `memory`, without
memory-mapped files. `--large` encodes a ring of 500 million arcs instead (12 GB) and checks every row.
"""

import argparse
import contextlib
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import egonet
from benchmarks.graphs import GRAPHS, BenchmarkGraph
from egonet.errors import MemoryLimitError
from egonet.kernel import cost
from egonet.kernel.cost import predict_peak

CASES: list[tuple[str, dict[str, Any]]] = [
    *((name, {"radius": 1}) for name in GRAPHS),
    *((name, {"radius": 2}) for name in GRAPHS),
    ("facebook", {"radius": 3}),
    ("astroph", {"radius": [1, 2]}),
    ("astroph", {"radius": 2, "degree_bins": "log"}),
    ("facebook", {"radius": 2, "degrees": "layered"}),
    ("astroph", {"radius": 2, "degrees": "full"}),
    ("rmat14", {"radius": 2, "degrees": "full"}),
    ("rmat14", {"radius": 2, "layout": "paper"}),
    ("astroph", {"radius": 2, "max_degree": 30}),
    ("astroph", {"radius": 2, "cap": 8}),
    ("astroph", {"radius": 2, "labels": 4}),
    ("astroph", {"radius": 1, "edge_labels": 3}),
    ("facebook", {"radius": 2, "edge_labels": 3}),
    ("astroph", {"radius": 1, "weights": 100, "weight_bins": "log"}),
    ("astroph", {"radius": 2, "directed": "out"}),
    ("astroph", {"radius": 1, "directed": "out", "degrees": "in_out"}),
    ("facebook", {"radius": 2, "directed": "out", "degrees": "in_out"}),
    ("small", {"radius": 1, "common": True}),
    ("small", {"radius": 1, "rooted": "edge"}),
    ("small", {"radius": 2, "rooted": "pair"}),
    ("small", {"radius": 1, "rooted": "refined"}),
    ("facebook", {"radius": 1, "rooted": "edge"}),
    ("facebook", {"radius": [1, 2, 3]}),
    ("astroph", {"radius": 2, "frontier_edges": False}),
    ("astroph", {"radius": 2, "vocabulary": True}),
    ("small", {"radius": 1, "common": True, "vocabulary": True}),
    ("rmat14", {"radius": 2, "roots": 1000}),
    ("facebook", {"radius": 2, "degree_bins": "quantile"}),
    ("facebook", {"radius": 2, "labels": 4, "edge_labels": 3}),
    ("facebook", {"radius": [1, 2], "degrees": "full", "labels": 4}),
    ("facebook", {"radius": 2, "weights": 100, "weight_bins": 4}),
    ("astroph", {"radius": 2, "directed": "out", "degrees": "full"}),
    ("small", {"radius": 2, "rooted": "refined"}),
    ("small", {"radius": 1, "rooted": "refined", "depth": 2}),
    ("small", {"radius": 2, "graphs": True}),
    ("small", {"radius": [1, 2], "layout": "paper", "graphs": True}),
    ("rmat17", {"radius": 1, "store": "8MB"}),
    ("rmat17", {"radius": 1, "store": "100MB"}),
    ("rmat17", {"radius": 1, "degrees": "full", "store": "100MB"}),
    ("rmat14", {"radius": 2, "store": "8MB"}),
    ("rmat14", {"radius": [1, 2], "store": "100MB"}),
    ("rmat14", {"radius": 2, "labels": 4, "store": "50MB"}),
    ("astroph", {"radius": 1, "edge_labels": 3, "store": "8MB"}),
]
#: Settings with a value per node or edge: the number of distinct values.
VALUES = ("labels", "edge_labels", "weights")
#: The graphs of `--quick`.
QUICK = ("small", "facebook")
_KILOBYTE = 1024
#: In the large ring nodes up to this many steps apart are neighbors.
REACH = 8


def status(field: str) -> int:
    """Return a field of /proc/self/status in bytes."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * _KILOBYTE for line in lines if line.startswith(field))


def measure(short: str, settings: dict[str, Any], threads: int) -> dict[str, Any] | None:
    """Return predicted and measured bytes of one call in this process, or None without the graph's data."""
    found = GRAPHS[short]()
    if found is None:
        return None
    settings = dict(settings)
    if memory := settings.pop("store", None):
        return measure_store(found, memory, settings, threads)
    graph: Any = egonet.Graph(found.indptr, found.indices)
    if direction := settings.pop("directed", None):
        graph = egonet.as_graph(found.edges(), nodes=np.arange(found.num_nodes), directed=direction)
    for name in VALUES:
        if name in settings:
            size = found.num_nodes if name == "labels" else found.num_edges
            settings[name] = np.arange(size) % settings[name] + 1
    if "roots" in settings:
        settings["roots"] = np.arange(settings["roots"])
    if settings.pop("graphs", False):
        graph = split_graph(graph)
    if settings.pop("vocabulary", False):
        settings = {"vocabulary": egonet.encode(graph, threads=threads, **settings).vocabulary}
    predicted = prediction(graph, threads, settings)
    ctypes.CDLL("libc.so.6").malloc_trim(0)  # otherwise the call would reuse free memory unseen
    with open("/proc/self/clear_refs", "w") as reset:  # resets the high-water mark
        reset.write("5")
    before = status("VmRSS")
    encoding = egonet.encode(graph, threads=threads, memory_limit=predicted, **settings)
    measured, matrix = status("VmHWM") - before, encoding.matrix
    result = matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes
    return {"graph": found.name, "result": result, "predicted": predicted, "measured": measured}


def split_graph(graph: egonet.Graph) -> list[egonet.Graph]:
    """Return the graphs of 20 nodes each of which a graph consists."""
    bounds = graph.indptr[::20]
    return [
        egonet.Graph(
            graph.indptr[20 * number : 20 * number + 21] - first, graph.indices[first:last] - 20 * number
        )
        for number, (first, last) in enumerate(pairwise(bounds))
    ]


def measure_store(
    found: BenchmarkGraph, memory: str, settings: dict[str, Any], threads: int
) -> dict[str, Any]:
    """Return the stated and the measured bytes of encoding an edge list into a folder."""
    bound, title = stated_bound(found, memory, settings, threads), found.name
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "edges.csv")
        columns = {"source": found.edges()[:, 0], "target": found.edges()[:, 1]}
        for role in VALUES:
            if role in settings and role != "labels":
                columns[role] = np.arange(found.num_edges) % settings[role]
                settings[role] = role
        header = ",".join(columns)
        np.savetxt(path, np.stack(list(columns.values()), axis=1), "%d", ",", header=header, comments="")
        if "labels" in settings:
            named = np.flatnonzero(np.diff(found.indptr)).tolist()  # a file of edges has no other nodes
            settings["labels"] = {node: node % settings["labels"] for node in named}
        del columns, found
        ctypes.CDLL("libc.so.6").malloc_trim(0)
        before = status("RssAnon")
        with own_peak() as peaks:
            stored = egonet.store.encode(path, Path(name, "out"), threads=threads, memory=memory, **settings)
        matrix = stored.matrix
    result = matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes
    return {"graph": title, "result": result, "predicted": bound, "measured": peaks[0] - before}


def stated_bound(found: BenchmarkGraph, memory: str, settings: dict[str, Any], threads: int) -> int:
    """Return what a store may take by docs/scale.md: a row group is none here, and names are numbers."""
    size = cost.as_bytes(memory) + 80 * found.num_nodes + (16 << 20)
    hops = settings["radius"] if isinstance(settings["radius"], list) else [settings["radius"]]
    size += threads * ((32 << 20) + 4 * found.num_nodes) if 1 in hops else 0
    size += 4 * len(found.indices) + (384 << 20) if max(hops) > 1 else 0
    return size


@contextlib.contextmanager
def own_peak() -> Iterator[list[int]]:
    """Yield a list that gets the peak of this process's own memory, mapped files excluded, seen by another process."""
    watch = (
        "import sys, select, time\n"
        f"name, most = '/proc/{os.getpid()}/status', 0\n"
        "print('ready', flush=True)\n"
        "while not select.select([sys.stdin], [], [], 0.0005)[0]:\n"
        "    most = max(most, next(int(line.split()[1]) for line in open(name) if line.startswith('RssAnon')))\n"
        "print(most)\n"
    )
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-S", "-c", watch], **pipes) as watcher:
        assert watcher.stdout is not None
        watcher.stdout.readline()
        peaks: list[int] = []
        try:
            yield peaks
        finally:
            peaks.append(int(watcher.communicate("")[0]) * _KILOBYTE)


def prediction(graph: Any, threads: int, settings: dict[str, Any]) -> int:
    """Return the smallest limit that is accepted, which a call without memory computes before it raises."""
    found: list[int] = []

    def recorded(*args: Any, **options: Any) -> int:
        found.append(predict_peak(*args, **options))
        return found[-1]

    cost.predict_peak = recorded
    try:
        egonet.encode(graph, threads=threads, memory_limit=0, **settings)
        raise SystemExit(f"{settings}: a limit below the prediction was accepted")
    except MemoryLimitError:
        return found[-1]
    finally:
        cost.predict_peak = predict_peak


def ring(num_nodes: int) -> egonet.Graph:
    """Return the ring in which nodes up to REACH apart are neighbors."""
    steps = np.array([*range(-REACH, 0), *range(1, REACH + 1)], dtype=np.int32)
    indices = (np.arange(num_nodes, dtype=np.int32)[:, None] + steps).astype(np.int32)
    for rows in (slice(0, REACH), slice(num_nodes - REACH, num_nodes)):  # where the ring closes
        indices[rows] = np.sort(indices[rows] % num_nodes, axis=1)
    indptr = np.arange(num_nodes + 1, dtype=np.int64) * (2 * REACH)
    return egonet.Graph(indptr, indices.reshape(-1))


def expected() -> dict[tuple[int, int], int]:
    """Return the row of every node: the neighbor k steps away has 2 * REACH - k neighbors inside, the root included."""
    row = {(0, 2 * REACH): 1}
    for step in range(REACH, 0, -1):
        row[1, 2 * REACH - step] = 2
    return row


def measure_large(arcs: int) -> None:
    """Encode a large ring at radius 1, check every row, and print sizes, time and memory."""
    graph = ring(arcs // (2 * REACH))
    size = graph.indptr.nbytes + graph.indices.nbytes
    predicted = predict_peak(graph.indptr, graph.indices, None, [1], threads=2)
    with open("/proc/self/clear_refs", "w") as reset:
        reset.write("5")
    before, began, cpu = status("VmRSS"), time.perf_counter(), time.process_time()
    encoding = egonet.encode(graph, 1, threads=2, memory_limit=predicted)
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    measured, matrix = status("VmHWM") - before, encoding.matrix
    row = expected()
    assert [encoding.columns[column] for column in range(len(row))] == list(row)
    assert (np.diff(matrix.indptr) == len(row)).all()
    for column, count in enumerate(row.values()):
        assert (matrix.indices[column :: len(row)] == column).all()
        assert (matrix.data[column :: len(row)] == count).all()
    print(f"graph: {graph.num_nodes:,} nodes, {len(graph.indices):,} arcs, {size / 1e9:.2f} GB")
    print(f"radius 1: {seconds:.0f} s, {cpu:.0f} CPU s, {matrix.nnz:,} entries, every row checked")
    print(f"peak without the graph: {measured / 1e9:.2f} GB measured, {predicted / 1e9:.2f} GB predicted")


def main() -> None:
    """Print a table; exit 1 if a limit was exceeded by more than a tenth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--only", default="", help="a part of a graph and its settings, as in 'rmat17 radius=2'"
    )
    parser.add_argument("--one", help="internal: one case as JSON")
    parser.add_argument("--quick", action="store_true", help="small graphs only")
    parser.add_argument(
        "--large", type=int, nargs="?", const=500_000_000, metavar="ARCS", help="encode a large ring"
    )
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measure(*json.loads(given.one), given.threads)))
        return
    if given.large:
        measure_large(given.large)
        return
    print("| graph | settings | result MB | predicted peak MB | measured peak MB | measured / predicted |")
    print("|---|---|--:|--:|--:|--:|")
    worst = 0.0
    for case in [case for case in CASES if case[0] in QUICK] if given.quick else CASES:
        if given.only not in " ".join([case[0], *(f"{name}={value!r}" for name, value in case[1].items())]):
            continue
        command = [
            sys.executable,
            "-m",
            "benchmarks.memory",
            "--threads",
            str(given.threads),
            "--one",
            json.dumps(case),
        ]
        row = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
        if row is None:
            continue
        ratio = row["measured"] / row["predicted"]
        worst = max(worst, ratio)
        settings = ", ".join(f"{name}={value!r}" for name, value in case[1].items())
        sizes = " | ".join(f"{row[name] / 1e6:,.1f}" for name in ("result", "predicted", "measured"))
        print(f"| {row['graph']} | `{settings}` | {sizes} | {ratio:.2f} |", flush=True)
    print(f"\nThe worst: {worst:.2f}.")
    sys.exit(worst > 1.1)


if __name__ == "__main__":
    main()
