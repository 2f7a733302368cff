"""The time against threads, edges and radius: python -m benchmarks.scaling [--quick] [--growth] --output DIR.

Writes scaling.json and scaling.md: seconds by number of threads, with NetworKit and igraph for comparison if they are
installed. `--growth` writes growth.json, growth.md and growth.svg instead: CPU seconds of one thread over graphs of
several sizes, with the fitted exponent, and over several radii.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import egonet
from benchmarks.graphs import (
    GRAPHS,
    BenchmarkGraph,
    about,
    barabasi_albert,
    erdos_renyi,
    facebook,
    grid,
    rmat,
)
from egonet.kernel import native

THREADS = (1, 2, 4, 8, 16)
SIMD = ("baseline", "avx2", "avx512")
SUPPORTS, TRIANGLES = "NetworKit edge supports", "igraph triangle count"


@dataclass(frozen=True)
class Case:
    """One row of the table: a graph, settings, and whether `encode` or only the kernel is timed.

    A number as `labels` stands for that many labels.
    """

    graph: str
    radius: int
    settings: dict[str, Any] = field(default_factory=dict)
    whole: bool = False

    @property
    def name(self) -> str:
        """Return the name of the row."""
        settings = "".join(f", {name}={value}" for name, value in self.settings.items())
        return f"{'encode' if self.whole else 'kernel'}, radius {self.radius}{settings}"

    def call(self, graph: BenchmarkGraph, threads: int) -> Callable[[], object]:
        """Return the timed call."""
        if self.whole:
            given, settings = egonet.Graph(graph.indptr, graph.indices), dict(self.settings)
            if "labels" in settings:
                settings["labels"] = (np.arange(graph.num_nodes) % settings["labels"]).tolist()
            return lambda: egonet.encode(given, radius=self.radius, threads=threads, **settings)
        return lambda: native.encode_rows(
            graph.indptr, graph.indices, None, self.radius, threads=threads, **self.settings
        )


SMALL = ("facebook", "astroph")
LARGE = ("ppi", "tolokers", "facebook100", "ba", "grid", "er", "rmat17")
CASES = (
    *(Case(name, 1) for name in (*SMALL, *LARGE, "rmat20")),
    *(Case(name, 1, whole=True) for name in (*SMALL, *LARGE)),
    *(
        Case(name, 2, whole=True)
        for name in (*SMALL, "ppi", "facebook100", "grid", "small", "er", "ba", "rmat17")
    ),
    Case("facebook", 3, whole=True),
    Case("grid", 4, whole=True),
    *(Case(name, 2, {"degrees": degrees}, whole=True) for name in SMALL for degrees in ("layered", "full")),
    *(Case("astroph", 2, {"simd": simd}) for simd in SIMD[: SIMD.index(native.simd_level()) + 1]),
    *(Case(name, 2, {"labels": 4}, whole=True) for name in SMALL),
    Case("astroph", 1, {"common": True}, whole=True),
    Case("facebook", 1, {"rooted": "edge"}, whole=True),
)


def others(
    graph: BenchmarkGraph, threads: tuple[int, ...], rows: list[str]
) -> dict[str, dict[int, Callable[[], object]]]:
    """Return the calls of other packages that count triangles, if they are installed and wanted."""
    found: dict[str, dict[int, Callable[[], object]]] = {}
    networkit = _package("networkit", SUPPORTS, rows)
    if networkit:
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
    igraph = _package("igraph", TRIANGLES, rows)
    if igraph:
        other = igraph.Graph(n=graph.num_nodes, edges=graph.edges())
        found[TRIANGLES] = {1: other.transitivity_undirected}
    return found


def _package(name: str, row: str, rows: list[str]) -> Any:
    """Return a package if its row is wanted and it is installed, else None."""
    try:
        return import_module(name) if is_wanted(row, rows) else None
    except ImportError:
        return None


def is_wanted(row: str, rows: list[str]) -> bool:
    """Return whether a row has one of these words in its name, or there are none."""
    return not rows or any(word in row for word in rows)


def medians(calls: dict[int, Callable[[], object]], seconds: float, rounds: int = 7) -> dict[int, float]:
    """Return the median time of every call; calls take turns until the rounds or the seconds are over."""
    times: dict[int, list[float]] = {key: [] for key in calls}
    end = time.perf_counter() + seconds
    for number in range(rounds):
        for key, call in calls.items():
            began = time.perf_counter()
            call()
            times[key].append(time.perf_counter() - began)
        if time.perf_counter() > end:
            break
        if number == 0:  # the first round warms memory and caches
            times = {key: [] for key in calls}
    return {key: float(np.median(taken)) for key, taken in times.items()}


def measure(
    cases: tuple[Case, ...], threads: tuple[int, ...], limit: float, wanted: list[str]
) -> list[dict[str, Any]]:
    """Return a row per case and contender; rows after the time limit have no figures."""
    rows: list[dict[str, Any]] = []
    end = time.perf_counter() + limit
    for position, name in enumerate(names := list(dict.fromkeys(case.graph for case in cases))):
        graph = GRAPHS[name]() if name in GRAPHS else rmat(20)
        if graph is None:
            continue
        timed = {
            case.name: {count: case.call(graph, count) for count in threads}
            for case in cases
            if case.graph == name
        }
        timed |= others(graph, threads, wanted)
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


def cpu_time(call: Callable[[], object], repeats: int = 3) -> float:
    """Return the median CPU seconds of a call."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return float(np.median(times))


def encode_time(graph: BenchmarkGraph, radius: int, algorithm: native.Algorithm = "auto") -> float:
    """Return the CPU seconds of the kernel on one thread."""
    return cpu_time(
        lambda: native.encode_rows(graph.indptr, graph.indices, None, radius, threads=1, algorithm=algorithm)
    )


def exponent(sizes: list[float], times: list[float]) -> float:
    """Return b of the least-squares fit time = a * size**b.

    Examples
    --------
    >>> round(exponent([1, 2, 4], [3, 12, 48]), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def growth_with_edges(*, quick: bool) -> list[dict[str, Any]]:
    """Return the seconds and the fitted exponent of every family."""
    families: dict[str, tuple[int, list[Callable[[], BenchmarkGraph]]]] = {
        "R-MAT, radius 1": (1, [partial(rmat, scale) for scale in (12, 13, 14, 15, 16)]),
        "R-MAT, radius 2": (2, [partial(rmat, scale) for scale in (11, 12, 13, 14)]),
        "Barabási–Albert, radius 1": (
            1,
            [partial(barabasi_albert, size) for size in (12500, 25000, 50000, 100000)],
        ),
        "Barabási–Albert, radius 2": (2, [partial(barabasi_albert, size) for size in (5000, 10000, 20000)]),
        "Erdős–Rényi, radius 2": (2, [partial(erdos_renyi, size) for size in (25000, 50000, 100000)]),
        "grid, radius 2": (2, [partial(grid, side) for side in (200, 400, 800)]),
    }
    rows = []
    for name, (radius, makers) in families.items():
        graphs = [make() for make in makers[: 2 if quick else None]]
        times = [encode_time(graph, radius) for graph in graphs]
        sizes = [float(graph.num_edges) for graph in graphs]
        rows.append({"family": name, "edges": sizes, "seconds": times, "exponent": exponent(sizes, times)})
        print(rows[-1], flush=True)
    return rows


def growth_with_radius() -> dict[str, list[float]]:
    """Return the seconds at radius 1 to 5 on Facebook (if EGONET_DATA has it) and on a grid."""
    graphs = [graph for graph in (facebook(), grid(300)) if graph is not None]
    return {graph.name: [encode_time(graph, radius) for radius in range(1, 6)] for graph in graphs}


def write_growth(output: Path, *, quick: bool) -> None:
    """Measure and write growth.json, growth.md and growth.svg."""
    command = " ".join(["python -m benchmarks.scaling", *sys.argv[1:]])
    found: dict[str, Any] = {
        "command": command,
        **about(),
        "edges": growth_with_edges(quick=quick),
        "radius": growth_with_radius(),
    }
    (output / "growth.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    lines = [f"# Growth\n\nMade by `{command}`; one thread, CPU time.\n"]
    lines += ["| family | edges | seconds | time grows as edges to the power |", "|---|---|---|--:|"]
    for row in found["edges"]:
        sizes = ", ".join(f"{size:.3g}" for size in row["edges"])
        times = ", ".join(f"{seconds:.3g}" for seconds in row["seconds"])
        lines.append(f"| {row['family']} | {sizes} | {times} | {row['exponent']:.2f} |")
    lines += ["", "| graph | seconds at radius 1, 2, 3, 4, 5 |", "|---|---|"]
    lines += [
        f"| {name} | {', '.join(f'{t:.3g}' for t in times)} |" for name, times in found["radius"].items()
    ]
    (output / "growth.md").write_text("\n".join(lines) + "\n")
    draw_growth(found["edges"], output / "growth.svg")


def draw_growth(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw time against edges, both logarithmic, with the fitted exponent of each family."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 5))
    for row, marker in zip(rows, "osD^vX", strict=False):
        label = f"{row['family']}: edges to the {row['exponent']:.2f}"
        axes.loglog(row["edges"], row["seconds"], marker=marker, label=label)
    axes.set_xlabel("edges")
    axes.set_ylabel("CPU seconds, one thread")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    """Measure and write the chosen tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("results/speed"))
    parser.add_argument("--seconds-limit", type=float, default=600.0, help="start no new row after this time")
    parser.add_argument("--graphs", nargs="*", help="short names; all by default")
    parser.add_argument("--rows", nargs="*", default=[], help="only rows whose names contain one of these")
    parser.add_argument("--threads", type=int, nargs="*", default=THREADS)
    parser.add_argument("--growth", action="store_true", help="measure edges and radius instead of threads")
    parser.add_argument("--quick", action="store_true", help="small graphs, in seconds")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    if options.growth:
        write_growth(options.output, quick=options.quick)
        return
    if options.quick:
        options.graphs, options.threads, options.seconds_limit = ["facebook", "small"], [1, 2], 10
    threads = tuple(options.threads)
    cases = tuple(
        case
        for case in CASES
        if is_wanted(case.name, options.rows) and (not options.graphs or case.graph in options.graphs)
    )
    header = f"| graph | what | {' | '.join(map(str, threads))} | {threads[0]} to {threads[-1]} |"
    rule = "|---|---|" + "---:|" * (len(threads) + 1)
    print(header, rule, sep="\n", flush=True)
    rows = measure(cases, threads, options.seconds_limit, options.rows)
    command = " ".join(["python -m benchmarks.scaling", *sys.argv[1:]])
    machine = about()
    found = {"command": command, **machine, "rows": rows}
    (options.output / "scaling.json").write_text(json.dumps(found, indent=1) + "\n")
    lines = [
        "# Seconds by number of threads",
        "",
        f"`{command}`: medians; {machine['processor']}, {machine['cores']} cores, {machine['simd']}, "
        f"{machine['date']}, commit {machine['commit']}.",
        "",
        header,
        rule,
        *(show(row, threads) for row in rows),
    ]
    (options.output / "scaling.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
