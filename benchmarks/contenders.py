"""The contenders of `compare`: this kernel, and other packages that do the same or similar work."""

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import scipy.sparse

from benchmarks.graphs import BenchmarkGraph
from egonet.kernel import native


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
