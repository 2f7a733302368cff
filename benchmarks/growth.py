"""How the time grows with edges and radius, and how far it is from the memory: python -m benchmarks.growth."""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.graphs import BenchmarkGraph, barabasi_albert, erdos_renyi, facebook, grid, rmat
from egonet import _native
from egonet.kernel import native


def cpu_time(call: Callable[[], object], repeats: int = 3) -> float:
    """Return the median CPU seconds of a call."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return float(np.median(times))


def encode_time(graph: BenchmarkGraph, radius: int, algorithm: native.Algorithm = "auto") -> float:
    """Return the CPU seconds of encoding a graph on one thread."""
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


def growth_with_edges() -> list[dict[str, object]]:
    """Return fitted exponents over sizes of four families."""
    families: dict[str, tuple[int, list[BenchmarkGraph]]] = {
        "R-MAT, radius 1": (1, [rmat(scale) for scale in (12, 13, 14, 15, 16)]),
        "R-MAT, radius 2": (2, [rmat(scale) for scale in (11, 12, 13, 14)]),
        "Barabási–Albert, radius 1": (1, [barabasi_albert(size) for size in (12500, 25000, 50000, 100000)]),
        "Barabási–Albert, radius 2": (2, [barabasi_albert(size) for size in (5000, 10000, 20000)]),
        "Erdős–Rényi, radius 2": (2, [erdos_renyi(size) for size in (25000, 50000, 100000)]),
        "grid, radius 2": (2, [grid(side) for side in (200, 400, 800)]),
    }
    rows = []
    for name, (radius, graphs) in families.items():
        times = [encode_time(graph, radius) for graph in graphs]
        sizes = [float(graph.num_edges) for graph in graphs]
        rows.append({"family": name, "edges": sizes, "seconds": times, "exponent": exponent(sizes, times)})
        print(rows[-1], flush=True)
    return rows


def growth_with_radius() -> dict[str, list[float]]:
    """Return the seconds at radius 1 to 5 on Facebook (if its data is there) and on a grid."""
    graphs = [graph for graph in (facebook(), grid(300)) if graph is not None]
    return {graph.name: [encode_time(graph, radius) for radius in range(1, 6)] for graph in graphs}


def memory_rates(megabytes: int = 256) -> dict[str, float]:
    """Return bytes a second of a stream (a = b + 3 c) and nanoseconds of a random 64-byte line, in L3 and beyond."""
    size = megabytes * 2**20 // 8
    a, b, c = np.zeros(size), np.ones(size), np.ones(size)

    def triad() -> None:
        np.multiply(c, 3, out=a)
        np.add(a, b, out=a)

    triad()
    rates = {"stream bytes/s": 5 * 8 * size / cpu_time(triad)}
    for name, lines in (("8 MB", 2**17), (f"{megabytes} MB", size // 8)):
        rates[f"ns per random line of {name}"] = random_line(lines) * 1e9
    return rates


def random_line(lines: int) -> float:
    """Return the seconds of fetching one of so many 64-byte lines, in random order."""
    table, out = np.ones((lines, 8)), np.empty((2**20, 8))
    places = np.random.default_rng(0).integers(lines, size=2**20)
    np.take(table, places, axis=0, out=out)
    return cpu_time(lambda: np.take(table, places, axis=0, out=out)) / 2**20


def distance_from_limit(rates: dict[str, float]) -> list[dict[str, object]]:
    """Return, for passes over R-MAT 14 and 16, the time beside that of only fetching the words they read."""
    rows = []
    for scale in (14, 16):
        graph = rmat(scale)
        taken = encode_time(graph, 2, "bitwise")
        _, _, _, pass_arcs, *_ = _native.predict(graph.indptr, graph.indices, None, 2, "total", True, True)
        words = 2 * pass_arcs * -(-graph.num_nodes // 512)
        floor = words * rates["ns per random line of 8 MB"] * 1e-9
        rows.append(
            {"graph": graph.name, "seconds": taken, "words": words, "floor": floor, "ratio": taken / floor}
        )
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Measure and write growth.json, growth.md and growth.svg."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("results/speed"))
    words = parser.parse_args()
    words.output.mkdir(parents=True, exist_ok=True)
    rates = memory_rates()
    print(rates, flush=True)
    found = {
        "command": " ".join(["python -m benchmarks.growth", *sys.argv[1:]]),
        "edges": growth_with_edges(),
        "radius": growth_with_radius(),
        "memory": rates,
        "limit": distance_from_limit(rates),
    }
    (words.output / "growth.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    (words.output / "growth.md").write_text(as_text(found))
    draw(found["edges"], words.output / "growth.svg")


def draw(rows: list[dict], path: Path) -> None:
    """Draw time against edges, both logarithmic, with the fitted exponent beside each family."""
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


def as_text(found: dict) -> str:
    """Return the findings as Markdown."""
    lines = [f"# Growth and limits\n\nMade by `{found['command']}`; one thread, CPU time.\n"]
    lines += ["| family | edges | seconds | time grows as edges to the power |", "|---|---|---|--:|"]
    for row in found["edges"]:
        sizes = ", ".join(f"{size:.3g}" for size in row["edges"])
        times = ", ".join(f"{seconds:.3g}" for seconds in row["seconds"])
        lines.append(f"| {row['family']} | {sizes} | {times} | {row['exponent']:.2f} |")
    lines += ["", "| graph | seconds at radius 1, 2, 3, 4, 5 |", "|---|---|"]
    lines += [
        f"| {name} | {', '.join(f'{t:.3g}' for t in times)} |" for name, times in found["radius"].items()
    ]
    lines += ["", *(f"- {name}: {rate:.3g}" for name, rate in found["memory"].items()), ""]
    lines += [
        f"- {row['graph']} at radius 2: {row['seconds']:.3g} s, {row['ratio']:.1f} times the {row['floor']:.3g} s of "
        f"fetching {row['words']:.3g} words of 64 bytes in random order from the last cache."
        for row in found["limit"]
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
