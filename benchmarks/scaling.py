"""How the time falls with threads, beside NetworKit and igraph: python3 -m benchmarks.scaling --output DIR."""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import egonet
from benchmarks.graphs import GRAPHS, BenchmarkGraph, rmat
from egonet.kernel import native

THREADS = (1, 2, 4, 8, 16)
SIMD = ("baseline", "avx2", "avx512")
SUPPORTS = "NetworKit edge supports"


@dataclass(frozen=True)
class Case:
    """One row of the table: a graph, what is counted, and whether the whole call or the kernel alone is timed."""

    graph: str
    radius: int
    words: dict[str, Any] = field(default_factory=dict)
    whole: bool = False

    @property
    def name(self) -> str:
        """Return what the table calls it."""
        words = "".join(f", {name}={value}" for name, value in self.words.items())
        return f"{'encode' if self.whole else 'kernel'}, radius {self.radius}{words}"

    def call(self, graph: BenchmarkGraph, threads: int) -> Callable[[], object]:
        """Return what is timed."""
        if self.whole:
            given = egonet.Graph(graph.indptr, graph.indices)
            return lambda: egonet.encode(given, radius=self.radius, threads=threads, **self.words)
        return lambda: native.encode_rows(
            graph.indptr, graph.indices, None, self.radius, threads=threads, **self.words
        )


SMALL = ("facebook", "astroph")
LARGE = ("ba", "grid", "er", "rmat17")
CASES = (
    *(Case(name, 1) for name in (*SMALL, *LARGE, "rmat20")),
    *(Case(name, 1, whole=True) for name in (*SMALL, *LARGE)),
    *(Case(name, 2, whole=True) for name in (*SMALL, "grid", "small", "er", "ba", "rmat17")),
    Case("facebook", 3, whole=True),
    Case("grid", 4, whole=True),
    *(Case(name, 2, {"degrees": degrees}, whole=True) for name in SMALL for degrees in ("layered", "full")),
    *(Case("astroph", 2, {"simd": simd}) for simd in SIMD[: SIMD.index(native.simd_level()) + 1]),
    Case("astroph", 1, {"common": True}, whole=True),
    Case("facebook", 1, {"rooted": "edge"}, whole=True),
)


def others(graph: BenchmarkGraph, threads: tuple[int, ...]) -> dict[str, dict[int, Callable[[], object]]]:
    """Return what else counts the triangles at every edge, or all triangles, as far as it is installed."""
    found: dict[str, dict[int, Callable[[], object]]] = {}
    try:
        import networkit
    except ImportError:
        pass
    else:
        first, second = np.ascontiguousarray(graph.edges().astype(np.uint64).T)
        made = networkit.graph.GraphFromCoo(
            (first, second), n=graph.num_nodes, weighted=False, directed=False
        )
        made.indexEdges()

        def supports(count: int) -> Callable[[], object]:
            def call() -> None:
                networkit.setNumberOfThreads(count)
                networkit.sparsification.TriangleEdgeScore(made).run()

            return call

        found[SUPPORTS] = {count: supports(count) for count in threads}
    try:
        import igraph
    except ImportError:
        pass
    else:
        held = igraph.Graph(n=graph.num_nodes, edges=graph.edges())
        found["igraph triangle count"] = {1: held.transitivity_undirected}
    return found


def medians(calls: dict[int, Callable[[], object]], seconds: float, rounds: int = 7) -> dict[int, float]:
    """Return the median time of every call, called in turn until the rounds or the seconds are over."""
    times: dict[int, list[float]] = {key: [] for key in calls}
    end = time.perf_counter() + seconds
    for number in range(rounds):
        for key, call in calls.items():
            began = time.perf_counter()
            call()
            times[key].append(time.perf_counter() - began)
        if time.perf_counter() > end:
            break
        if number == 0:  # memory and caches are as they will be from here on
            times = {key: [] for key in calls}
    return {key: float(np.median(taken)) for key, taken in times.items()}


def measure(cases: tuple[Case, ...], threads: tuple[int, ...], limit: float) -> list[dict[str, Any]]:
    """Return a row per case and contender; cases for which no time is left are named without figures."""
    rows: list[dict[str, Any]] = []
    end = time.perf_counter() + limit
    for position, name in enumerate(names := list(dict.fromkeys(case.graph for case in cases))):
        graph = GRAPHS[name]() if name in GRAPHS else rmat(20)
        if graph is None:
            continue
        own = [case for case in cases if case.graph == name]
        timed = {case.name: {count: case.call(graph, count) for count in threads} for case in own}
        timed |= others(graph, threads)
        share = (end - time.perf_counter()) / (len(names) - position) / len(timed)
        for row_name, calls in timed.items():
            figures = medians(calls, share) if time.perf_counter() < end else {}
            row = {"graph": graph.name, "edges": graph.num_edges, "row": row_name, "seconds": figures}
            rows.append(row)
            print(show(row, threads), flush=True)
    return rows


def show(row: dict[str, Any], threads: tuple[int, ...]) -> str:
    """Return a row as a line of Markdown."""
    seconds = row["seconds"]
    cells = [f"{seconds[count]:.4f}" if count in seconds else "" for count in threads]
    ratio = f"{seconds[threads[0]] / seconds[threads[-1]]:.1f}x" if threads[-1] in seconds else ""
    return f"| {row['graph']} | {row['row']} | {' | '.join(cells)} | {ratio} |"


def main() -> None:
    """Measure and write scaling.json and scaling.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("results/speed"))
    parser.add_argument(
        "--seconds-limit", type=float, default=600.0, help="stop to start new rows after so long"
    )
    parser.add_argument("--graphs", nargs="*", help="short names, all if not given")
    parser.add_argument("--threads", type=int, nargs="*", default=THREADS)
    words = parser.parse_args()
    threads = tuple(words.threads)
    cases = tuple(case for case in CASES if not words.graphs or case.graph in words.graphs)
    header = f"| graph | what | {' | '.join(map(str, threads))} | {threads[0]} to {threads[-1]} |"
    rule = "|---|---|" + "---:|" * (len(threads) + 1)
    print(header, rule, sep="\n", flush=True)
    rows = measure(cases, threads, words.seconds_limit)
    command = " ".join(["python3 -m benchmarks.scaling", *sys.argv[1:]])
    found = {"command": command, "cores": os.cpu_count(), "simd": native.simd_level(), "rows": rows}
    words.output.mkdir(parents=True, exist_ok=True)
    (words.output / "scaling.json").write_text(json.dumps(found, indent=1) + "\n")
    lines = [
        "# Seconds by number of threads",
        "",
        f"`{command}`, {found['cores']} cores, {found['simd']}; medians.",
        "",
        header,
        rule,
        *(show(row, threads) for row in rows),
    ]
    (words.output / "scaling.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
