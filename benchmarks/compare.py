"""The CPU kernel against other packages on every benchmark graph: python -m benchmarks.compare [--quick].

Writes speed.json, speed.md and speed.png to `--output` (results/speed). `--authors` is a checkout of the authors' code.
"""

import argparse
import json
import platform
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import scipy.sparse

from benchmarks.graphs import GRAPHS, BenchmarkGraph
from egonet.cli.system_commands import Timing, interleave
from egonet.kernel import native

#: The number of sampled roots of "source" and "bitwise" at radius 2 on graphs where a run takes minutes.
SAMPLED = {"rmat14": 1024, "rmat16": 256, "rmat17": 128, "ba": 2048, "er": 100_000}
#: Graphs that are measured once at radius 2.
LONG = ("rmat16", "rmat17", "ba", "er")
#: Graphs on which the slower contenders are measured, on samples of roots.
SMALL = ("facebook",)


@dataclass(frozen=True)
class Contender:
    """A call to time, and the factor for its time if it runs on a sample of roots."""

    name: str
    call: Callable[[], object]
    scale: float = 1.0


def sample_roots(graph: BenchmarkGraph, size: int) -> np.ndarray:
    """Return `size` roots drawn evenly, or all of them."""
    rng = np.random.default_rng(0)
    return rng.choice(graph.num_nodes, min(size, graph.num_nodes), replace=False).astype(np.int64)


def kernel(
    graph: BenchmarkGraph, radius: int, algorithm: native.Algorithm, *, threads: int = 1, size: int = 0
) -> Contender:
    """Return this kernel, on all roots or on a sample of `size`."""
    roots = sample_roots(graph, size) if 0 < size < graph.num_nodes else None
    name = f"egonet {algorithm}" + (f", {threads} threads" if threads > 1 else "")
    return Contender(
        name,
        lambda: native.encode_rows(
            graph.indptr, graph.indices, roots, radius, threads=threads, algorithm=algorithm
        ),
        1.0 if roots is None else graph.num_nodes / len(roots),
    )


def to_igraph(graph: BenchmarkGraph) -> Any:
    """Return the graph as an igraph graph, with node numbers as names."""
    made = igraph.Graph(n=graph.num_nodes, edges=graph.edges())
    made.vs["name"] = [str(v) for v in range(graph.num_nodes)]
    return made


def igraph_ego(graph: BenchmarkGraph, radius: int, size: int) -> Contender:
    """Return the encoding by igraph's neighborhood, induced subgraph and distances, root by root."""
    converted, roots = to_igraph(graph), sample_roots(graph, size).tolist()

    def call() -> None:
        for root in roots:
            ball = sorted(converted.neighborhood(root, order=radius))
            ego = converted.induced_subgraph(ball)
            distances = ego.distances(source=ball.index(root))[0]
            Counter(zip(distances, ego.degree(), strict=True))

    return Contender("igraph, root by root", call, graph.num_nodes / len(roots))


def networkx_ego(graph: BenchmarkGraph, radius: int, size: int) -> Contender:
    """Return the encoding by networkx `ego_graph`, root by root."""
    converted = nx.from_edgelist(graph.edges().tolist())
    converted.add_nodes_from(range(graph.num_nodes))
    roots = sample_roots(graph, size).tolist()

    def call() -> None:
        for root in roots:
            ego = nx.ego_graph(converted, root, radius=radius)
            distances = nx.single_source_shortest_path_length(ego, root)
            Counter((distances[v], degree) for v, degree in ego.degree())

    return Contender("networkx ego_graph", call, graph.num_nodes / len(roots))


def authors_mapper(graph: BenchmarkGraph, radius: int, size: int, checkout: Path) -> Contender:
    """Return the StructuralMapper of the authors' code, read from a checkout of it."""
    sys.path.insert(0, str(checkout / "src"))
    from structural import StructuralMapper  # type: ignore[import-not-found]

    if not hasattr(igraph.Graph, "shortest_paths_dijkstra"):
        igraph.Graph.shortest_paths_dijkstra = igraph.Graph.distances  # its name in the igraph of that time
    converted = to_igraph(graph)
    mapper = StructuralMapper(
        converted, distance=radius, use_distances=True, num_workers=1, use_relative_degrees=False
    )
    nodes = [converted.vs[root] for root in sample_roots(graph, size).tolist()]
    return Contender(
        "authors' StructuralMapper",
        lambda: mapper.compute_mapping(nodes, converted),
        graph.num_nodes / len(nodes),
    )


def authors_readme(graph: BenchmarkGraph, radius: int, size: int, checkout: Path) -> Contender:
    """Return the function of the authors' README, read from a checkout of it."""
    text = (checkout / "README.MD").read_text()
    code = next(block for block in text.split("```python")[1:] if "def igel_bfs" in block).split("```")[0]
    names: dict[str, Any] = {}
    exec(code.split("G = ")[0], names)
    converted = to_igraph(graph)
    roots = sample_roots(graph, size).tolist()
    return Contender(
        "authors' README function",
        lambda: [names["igel_bfs"](converted.vs[root], radius) for root in roots],
        graph.num_nodes / len(roots),
    )


def triangle_counters(graph: BenchmarkGraph) -> list[Contender]:
    """Return packages that only count triangles: a lower bound for radius 1. NetworKit is optional."""
    converted = to_igraph(graph)
    found = [Contender("igraph triangle count", lambda: converted.transitivity_undirected())]
    try:
        import networkit
    except ImportError:
        print("NetworKit is not installed: pip install networkit", file=sys.stderr)
        return found
    networkit.setNumberOfThreads(1)
    first, second = np.ascontiguousarray(graph.edges().astype(np.uint64).T)
    made = networkit.graph.GraphFromCoo((first, second), n=graph.num_nodes, weighted=False, directed=False)
    made.indexEdges()
    score = networkit.sparsification.TriangleEdgeScore
    return [*found, Contender("NetworKit triangle supports", lambda: score(made).run())]


def other_features(graph: BenchmarkGraph, *, walks: bool) -> list[Contender]:
    """Return other features of nodes that users compute instead, and the square of the adjacency matrix.

    `walks` adds random-walk features, whose sparse powers fill up (gigabytes on Facebook already).
    """
    import torch
    from torch_geometric.data import Data
    from torch_geometric.transforms import AddLaplacianEigenvectorPE, AddRandomWalkPE

    torch.set_num_threads(1)
    matrix = scipy.sparse.csr_array(
        (np.ones(len(graph.indices), dtype=np.int32), graph.indices, graph.indptr),
        shape=(graph.num_nodes, graph.num_nodes),
    )
    sources = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))
    data = Data(
        edge_index=torch.from_numpy(np.stack([sources, graph.indices.astype(np.int64)])),
        num_nodes=graph.num_nodes,
    )
    found = [
        Contender("scipy A @ A", lambda: matrix @ matrix),
        Contender("PyG AddLaplacianEigenvectorPE(8)", lambda: AddLaplacianEigenvectorPE(8)(data.clone())),
    ]
    if walks:
        found.append(Contender("PyG AddRandomWalkPE(16)", lambda: AddRandomWalkPE(16)(data.clone())))
    return found


def field(
    short: str, graph: BenchmarkGraph, radius: int, authors: Path | None, *, all_roots: bool = False
) -> Iterator[Callable[[], list[Contender]]]:
    """Yield functions that build the contenders on a graph at a radius; `all_roots` leaves out the slowest."""
    size = SAMPLED.get(short, 0) if radius > 1 else 0
    yield lambda: [kernel(graph, radius, "auto")]
    yield lambda: [kernel(graph, radius, "auto", threads=2)]
    yield lambda: [kernel(graph, radius, "source", size=size)]
    yield lambda: [kernel(graph, radius, "bitwise", size=size if short == "er" else 0)]
    if radius == 1:
        yield lambda: triangle_counters(graph)
    if short in SMALL and all_roots:
        every = graph.num_nodes
        yield lambda: [
            igraph_ego(graph, radius, every),
            networkx_ego(graph, radius, every),
        ]
        if authors:
            yield lambda: [authors_mapper(graph, radius, every, authors)]
    elif short in SMALL:
        yield lambda: [igraph_ego(graph, radius, 20), networkx_ego(graph, radius, 5)]
        if radius == 2:
            yield lambda: other_features(graph, walks=short == "small")
        if authors:
            yield lambda: [
                authors_mapper(graph, radius, 20, authors),
                authors_readme(graph, radius, 2, authors),
            ]


def compare(
    short: str, radius: int, *, repeats: int, authors: Path | None, all_roots: bool = False
) -> dict[str, object] | None:
    """Return the times of all contenders on one graph at one radius, or None without its data."""
    graph = GRAPHS[short]()
    if graph is None:
        return None
    builders = field(short, graph, radius, authors, all_roots=all_roots)
    runners = [contender for build in builders for contender in build()]
    timings = interleave(
        {runner.name: runner.call for runner in runners},
        repeats=repeats,
        scales={runner.name: runner.scale for runner in runners},
    )
    return {
        "graph": graph.name,
        "num_nodes": graph.num_nodes,
        "num_edges": graph.num_edges,
        "radius": radius,
        "repeats": repeats,
        "timings": [asdict(timing) for timing in timings],
    }


def as_table(results: list[dict]) -> str:
    """Return the results as Markdown: CPU seconds, and the ratio to egonet's automatic choice."""
    lines = [
        "| graph | radius | contender | CPU s | wall s | times egonet auto | note |",
        "|---|--:|---|--:|--:|--:|---|",
    ]
    for result in results:
        auto = result["timings"][0]["cpu"]
        for row in (Timing(**timing) for timing in result["timings"]):
            note = "" if row.scale == 1 else f"sample of roots x {row.scale:.0f}"
            lines.append(
                f"| {result['graph']} | {result['radius']} | {row.name} | {row.cpu:.4g} | {row.wall:.4g} "
                f"| {row.cpu / auto:.3g} | {note} |"
            )
    return "\n".join(lines)


def draw(results: list[dict], path: Path) -> None:
    """Draw the ratios to egonet's automatic choice, a row of dots per graph and radius."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 0.5 + 0.45 * len(results)))
    names = sorted({timing["name"] for result in results for timing in result["timings"]})
    colors = {name: plt.get_cmap("tab20")(position % 20) for position, name in enumerate(names)}
    for position, result in enumerate(results):
        auto = result["timings"][0]["cpu"]
        for timing in result["timings"]:
            axes.scatter(
                timing["cpu"] / auto, position, color=colors[timing["name"]], label=timing["name"], s=40
            )
    axes.set_yticks(range(len(results)), [f"{r['graph']}, radius {r['radius']}" for r in results])
    axes.set_xscale("log")
    axes.set_xlabel("CPU time as a multiple of egonet's automatic choice, one thread")
    handles = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    axes.legend(handles.values(), handles.keys(), fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path, bbox_inches="tight", dpi=120, metadata={"Software": None})


def main() -> None:
    """Measure and write table, figures and plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", nargs="+", default=list(GRAPHS), choices=list(GRAPHS))
    parser.add_argument("--radius", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--authors", type=Path, help="a checkout of the authors' code")
    parser.add_argument(
        "--all-roots", action="store_true", help="no samples of roots for igraph and networkx"
    )
    parser.add_argument("--keep", action="store_true", help="keep earlier results of other graphs and radii")
    parser.add_argument("--output", type=Path, default=Path("results/speed"))
    parser.add_argument("--quick", action="store_true", help="one small graph, one repeat, radius 1")
    options = parser.parse_args()
    if options.quick:
        options.graphs, options.radius, options.repeats, options.output = (
            ["small"],
            [1],
            1,
            Path(tempfile.mkdtemp()),
        )
    options.output.mkdir(parents=True, exist_ok=True)
    command = " ".join(["python -m benchmarks.compare", *sys.argv[1:]]).replace(
        str(options.authors), "CHECKOUT"
    )
    path = options.output / "speed.json"
    results: list[dict] = json.loads(path.read_text())["results"] if options.keep and path.exists() else []
    for short in options.graphs:
        for radius in options.radius:
            repeats = 1 if short in LONG and radius > 1 else options.repeats
            result = compare(
                short, radius, repeats=repeats, authors=options.authors, all_roots=options.all_roots
            )
            if result is None:
                print(f"{short}: no data; set EGONET_DATA.", file=sys.stderr)
                continue
            same = (result["graph"], result["radius"])
            results = [old for old in results if (old["graph"], old["radius"]) != same]
            results.append({**result, "command": command})
            print(as_table([result]), flush=True)
            write(results, options)


def write(results: list[dict], options: argparse.Namespace) -> None:
    """Write figures, table and plot of the results so far, with their commands."""
    about = {"processor": platform.processor() or platform.machine(), "simd": native.simd_level()}
    (options.output / "speed.json").write_text(json.dumps({**about, "results": results}, indent=1) + "\n")
    commands = "".join(
        f"    {command}\n" for command in dict.fromkeys(result["command"] for result in results)
    )
    heading = f"# Speed\n\nMedians of interleaved runs ({native.simd_level()}), one thread unless stated otherwise:\n\n"
    (options.output / "speed.md").write_text(f"{heading}{commands}\n{as_table(results)}\n")
    draw(results, options.output / "speed.png")


if __name__ == "__main__":
    main()
