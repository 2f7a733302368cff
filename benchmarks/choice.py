"""The automatic choice of a CPU algorithm against the fastest one: python -m benchmarks.choice [--quick].

CPU time of one thread; algorithms take turns, and the best round counts. If a whole run would take long, only some
breadth-first balls of roots are encoded. The cost that does not depend on the roots (the time for 64 roots) is then
counted once, and the rest is multiplied. The choice is always the one for all roots.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.graphs import GRAPHS, BenchmarkGraph, from_pairs, rmat
from egonet import _native
from egonet.kernel import native

DEGREES = ("total", "layered", "full")
#: Seconds that the slower algorithm may take on the roots that are encoded, by the predictions.
BUDGET = 0.3
FEWEST, MOST = 3 * 512, 24 * 512
#: Rounds end when "source" has run for this many seconds, or after this many rounds.
ENOUGH, MOST_ROUNDS = 0.3, 5
BALL = 512


def watts_strogatz(num_nodes=100_000, reach=5, share=0.1, seed=1):
    """Return a ring where every node joins the next `reach`, a share of the edges rewired at random."""
    rng = np.random.default_rng(seed)
    sources = np.repeat(np.arange(num_nodes), reach)
    targets = (sources + np.tile(np.arange(1, reach + 1), num_nodes)) % num_nodes
    moved = rng.random(len(sources)) < share
    targets[moved] = rng.integers(num_nodes, size=moved.sum())
    return from_pairs("Watts–Strogatz 1e5", num_nodes, np.stack([sources, targets], axis=1))


def random_regular(num_nodes=100_000, degree=10, seed=1):
    """Return a graph whose degrees are nearly all equal: half-edges paired at random."""
    halves = np.random.default_rng(seed).permutation(np.repeat(np.arange(num_nodes), degree))
    return from_pairs("random regular 1e5", num_nodes, halves.reshape(-1, 2))


def planted_partition(num_blocks=100, size=500, inside=10, outside=3, seed=1):
    """Return blocks with `inside` edges a node within them and `outside` to anywhere."""
    rng = np.random.default_rng(seed)
    nodes = np.arange(num_blocks * size)
    near = np.repeat(nodes, inside) // size * size + rng.integers(size, size=len(nodes) * inside)
    far = rng.integers(len(nodes), size=len(nodes) * outside)
    sources = np.concatenate([np.repeat(nodes, inside), np.repeat(nodes, outside)])
    return from_pairs(
        "planted partition 5e4", len(nodes), np.stack([sources, np.concatenate([near, far])], axis=1)
    )


def roads(side=300, kept=0.75, seed=1):
    """Return a grid that lost a quarter of its edges, every edge with a node in its middle, numbers shuffled."""
    rng = np.random.default_rng(seed)
    nodes = np.arange(side * side).reshape(side, side)
    right = np.stack([nodes[:, :-1].ravel(), nodes[:, 1:].ravel()], axis=1)
    down = np.stack([nodes[:-1].ravel(), nodes[1:].ravel()], axis=1)
    edges = np.concatenate([right, down])
    edges = edges[rng.random(len(edges)) < kept]
    middles = side * side + np.arange(len(edges))
    halves = np.concatenate([np.stack([edges[:, end], middles], axis=1) for end in (0, 1)])
    num_nodes = side * side + len(edges)
    return from_pairs("road-like 2e5", num_nodes, rng.permutation(num_nodes)[halves])


def rmat15():
    """Return an R-MAT graph that is sparser than the others."""
    sparse = rmat(15, edge_factor=6)
    return BenchmarkGraph("R-MAT 15, 6 edges a node", sparse.indptr, sparse.indices)


#: Graphs that the predictor was not fitted to.
OTHERS = {
    "ws": watts_strogatz,
    "regular": random_regular,
    "blocks": planted_partition,
    "roads": roads,
    "rmat15": rmat15,
}


def main():
    """Measure every case and write results/speed/choice.json and choice.md."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--graphs", nargs="*", default=[*GRAPHS, *OTHERS])
    parser.add_argument("--radius", nargs="*", type=int, default=[1, 2, 3, 4])
    parser.add_argument("--degrees", nargs="*", default=DEGREES)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds a run may take")
    parser.add_argument("--output", type=Path, default=Path("results/speed"))
    parser.add_argument(
        "--quick", action="store_true", help="one graph, in seconds; writes to a temporary folder"
    )
    options = parser.parse_args()
    if options.quick:
        options.graphs, options.radius, options.rounds, options.output = (
            ["small"],
            [1, 2],
            1,
            Path(tempfile.mkdtemp()),
        )
    path = options.output / "choice.json"
    for name in options.graphs:
        graph = (GRAPHS | OTHERS)[name]()
        for radius in options.radius if graph else ():
            for degrees in options.degrees:
                case = measure(graph, radius, degrees, options.rounds, options.budget) | {
                    "fitted": name in GRAPHS
                }
                print(line(case), flush=True)
                known = json.loads(path.read_text()) if path.exists() else []
                keep = [old for old in known if identity(old) != identity(case)]
                path.write_text(json.dumps([*keep, case], indent=1, ensure_ascii=False) + "\n")
    write_table(json.loads(path.read_text()), options.output / "choice.md")


def identity(case):
    """Return the identity of a case."""
    return case["graph"], case["radius"], case["degrees"]


def measure(graph, radius, degrees, rounds, budget):
    """Return the seconds of all algorithms for the whole graph, measured or extrapolated, and the choice."""
    arrays, settings = (graph.indptr, graph.indices), (degrees, True, True)
    chosen, *_, triangle, source, bitwise = _native.predict(*arrays, None, radius, *settings)
    # Predictions of whole runs; radius 1 of all roots is always "triangle".
    predicted = {"source": source, "bitwise": bitwise} | ({"triangle": triangle} if radius == 1 else {})
    chosen = "triangle" if radius == 1 else chosen
    share = min(1.0, budget / max(predicted["source"], predicted["bitwise"]))
    sampled = share < 0.8
    num_roots = min(graph.num_nodes, max(FEWEST, min(int(share * graph.num_nodes), MOST)))
    seconds = {"auto": []} if not sampled else {}
    seconds |= {name: [] for name in predicted}
    roots = spread_balls(graph, num_roots) if sampled else None
    # Short runs are repeated to reduce noise.
    while (done := len(seconds["source"])) < rounds or (
        done < MOST_ROUNDS and sum(seconds["source"]) < ENOUGH
    ):
        for name, found in seconds.items():
            found.append(run(graph, roots if name != "triangle" else None, radius, degrees, name))
    best = {name: min(found) for name, found in seconds.items()}
    if sampled:
        best |= {
            name: whole(graph, roots, radius, degrees, name, best[name]) for name in ("source", "bitwise")
        }
    ratio = best.get("auto", best[chosen]) / min(time for name, time in best.items() if name != "auto")
    return {
        "graph": graph.name,
        "radius": radius,
        "degrees": degrees,
        "sampled": len(roots) if sampled else None,
        "seconds": best,
        "predicted": predicted,
        "chosen": chosen,
        "ratio": ratio,
    }


def whole(graph, roots, radius, degrees, name, seconds):
    """Return the time for all roots from that for some."""
    once = min(run(graph, roots[:64], radius, degrees, name) for _ in range(2))
    per_root = max(seconds - once, 0) / max(len(roots) - 64, 1)
    return once + per_root * (graph.num_nodes - 64)


def spread_balls(graph, size):
    """Return about `size` roots in increasing order: breadth-first balls of 512 around random nodes."""
    rng, met = np.random.default_rng(0), set()
    while len(met) < size:
        queue, seen = [int(rng.integers(graph.num_nodes))], set()
        seen.update(queue)
        for v in queue:
            if len(queue) >= BALL:
                break
            fresh = [
                w for w in graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist() if w not in seen
            ]
            seen.update(fresh)
            queue.extend(fresh)
        met.update(queue[:BALL])
    return np.array(sorted(met), dtype=np.int64)


def run(graph, roots, radius, degrees, algorithm):
    """Return the CPU seconds of one call of the kernel."""
    began = time.process_time()
    native.encode_rows(
        graph.indptr, graph.indices, roots, radius, degrees=degrees, threads=1, algorithm=algorithm
    )
    return time.process_time() - began


def line(case):
    """Return a case as a row of the table."""
    seconds, predicted = case["seconds"], case["predicted"]
    cells = [case["graph"] + ("" if case["fitted"] else " *"), case["degrees"], str(case["radius"])]
    for name in ("triangle", "source", "bitwise"):
        cells.append(f"{1e3 * seconds[name]:,.3g} ({1e3 * predicted[name]:,.3g})" if name in seconds else "")
    cells += [
        case["chosen"],
        f"{case['ratio']:.2f}",
        "" if case["sampled"] is None else f"{case['sampled']:,}",
    ]
    return "| " + " | ".join(cells) + " |"


def write_table(cases, path):
    """Write all cases and a summary of the ratios."""
    cases = sorted(
        cases, key=lambda case: (not case["fitted"], *identity(case)[:1], case["degrees"], case["radius"])
    )
    over = sum(case["ratio"] > 1.3 for case in cases)
    worst = max(cases, key=lambda case: case["ratio"])
    head = [
        "# The choice of algorithm",
        "",
        "    python -m benchmarks.choice",
        "    python -m benchmarks.choice --graphs grid --radius 40 --degrees total layered",
        "    python -m benchmarks.choice --graphs facebook grid roads --rounds 7 --budget 10",
        "    python -m benchmarks.choice --graphs rmat14 --degrees full --radius 4 --rounds 1 --budget 1000",
        "",
        "CPU milliseconds of one thread for all roots, the prediction in parentheses; the last column is the number",
        "of encoded roots if the rest is extrapolated. *: not one of the graphs that the predictor was fitted to.",
        '"Slower" is the time of the choice over that of the best. Times of one case differed by up to a',
        "factor of two on the busy machine that made this table.",
        "",
        f"{over} of {len(cases)} cases are above 1.3; the worst is {worst['ratio']:.2f} "
        f"({worst['graph']}, {worst['degrees']}, radius {worst['radius']}).",
        "",
        "| graph | degrees | radius | triangle | source | bitwise | choice | slower | roots |",
        "|---|---|--:|--:|--:|--:|---|--:|--:|",
    ]
    path.write_text("\n".join([*head, *map(line, cases)]) + "\n")


if __name__ == "__main__":
    main()
