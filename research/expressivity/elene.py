"""ELENE, computed correctly: what its counts and its learned form separate, what the published code does, and memory.

`EGONET_DATA=... python -m research.expressivity.elene` writes `results/elene.json`. `--code FOLDER` names a checkout of
github.com/nur-ag/ELENE; its transform is then run as it is, with stand-ins for the two functions of torch-sparse and
torch-cluster that it imports.
"""

import argparse
import importlib
import json
import multiprocessing
import sys
import types
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import torch

import egonet
from egonet import Graph, Settings, named
from egonet.nn import EgoNetworks, EleneConv
from egonet.typing import Int64s
from egonet.wl import Criterion, graph_classes
from research.expressivity.comparison import Contender, load_families, measure
from research.expressivity.peers import join_classes
from research.paper.results import current_commit
from research.today.tabular.__main__ import origin

RELABELINGS = 20
#: Of the regular graphs for the comparison of memory; those of the published benchmark have radius 3.
DEGREE, RADIUS, WIDTH = 4, 3, 32
SIZES, PUBLISHED_SIZES = (100, 316, 1000, 3162, 10_000), (100, 316, 1000, 3162)


def edge_index_of(graph: Graph) -> torch.Tensor:
    """Return both directions of every edge."""
    source, target = (torch.from_numpy(ends).long() for ends in graph.edge_rows())
    return torch.stack([torch.cat([source, target]), torch.cat([target, source])])


def counts(radius: int | tuple[int, ...], count: Any, *, refined: bool) -> Criterion:
    """Return the test of equal counts of nodes or edges, alone or with 1-WL on top."""
    settings = Settings(radius, degrees="full", count=count)
    name = f"{count} r={radius}{' + WL' if refined else ''}"

    def classify(graph: Graph, _: Int64s, _labels: object) -> Int64s:
        return egonet.encode(graph, settings).classes

    return Criterion(name, classify, refined=refined)


def learned(radius: int) -> Criterion:
    """Return the most that any number of layers of `EleneConv` separates: colors in place of vectors, until stable.

    >>> from egonet import disjoint_union
    >>> union, ptr = disjoint_union([named.rook_4x4(), named.shrikhande()])
    >>> len(set(learned(1).classes(union, ptr).tolist()))
    1
    """

    def classify(graph: Graph, _: Int64s, _labels: object) -> Int64s:
        networks = EgoNetworks.from_edge_index(edge_index_of(graph), graph.num_nodes, radius)
        root, node = networks.root.numpy(), networks.node.numpy()
        keys = np.column_stack([networks.distance.numpy(), networks.degrees.numpy()])
        ends = networks.ends.numpy()
        node_ptr = np.searchsorted(root, np.arange(graph.num_nodes + 1))
        edge_ptr = np.searchsorted(root[ends[0]], np.arange(graph.num_nodes + 1))
        colors, size = np.zeros(graph.num_nodes, dtype=np.int64), 1
        while True:
            entries = _numbers(np.column_stack([keys, colors[node]]))
            edges = _numbers(np.sort(entries[ends], axis=0).T)
            parts = [colors, graph_classes(entries, node_ptr), graph_classes(edges, edge_ptr)]
            colors = join_classes(parts)
            if len(np.unique(colors)) == size:
                return colors
            size = len(np.unique(colors))

    return Criterion(f"learned r={radius}", classify)


def _numbers(rows: Int64s) -> Int64s:
    """Return a number per row, equal for equal rows."""
    codes = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:  # few small numbers: their product fits 63 bits
        codes = codes * (int(column.max(initial=0)) + 1) + column
    return np.unique(codes, return_inverse=True)[1].reshape(-1)


def separation() -> list[dict[str, Any]]:
    """Return what every test separates on the families of the table of tests."""
    families = load_families()
    tests = [
        counts(r, count, refined=wl)
        for r in (1, 2, 3)
        for count in ("nodes", "edges")
        for wl in (False, True)
    ]
    rows = []
    for criterion in (*tests, learned(1), learned(2)):
        score = measure(Contender("elene", criterion), families)
        row = {"test": criterion.name, "graph8c_equal": score.graph8c, "sr25": score.sr25, "exp": score.exp}
        row |= {"brec": score.brec_total, "brec_by_category": score.brec, "seconds": score.seconds}
        rows.append(row)
        sys.stderr.write(f"{row}\n")
    return rows


def relabelings() -> dict[str, Any]:
    """Return how many of the relabelings of some graphs leave the rows of edges as they are."""
    found = {}
    for name, graph in {"karate club": named.karate_club(), "Shrikhande": named.shrikhande()}.items():
        rows = np.asarray(egonet.encode(graph, 2, degrees="full", count="edges"))
        equal = 0
        for seed in range(RELABELINGS):
            order = np.random.default_rng(seed).permutation(graph.num_nodes)
            other = Graph.from_edges(order[graph.edges()], num_nodes=graph.num_nodes)
            equal += np.array_equal(
                np.asarray(egonet.encode(other, 2, degrees="full", count="edges"))[order], rows
            )
        found[name] = f"{equal} of {RELABELINGS}"
    return found


def load_published(folder: str) -> Any:
    """Return the transform module of a checkout, with stand-ins for what it imports from other packages."""

    class SparseTensor:
        def __init__(self, row: Any, col: Any, sparse_sizes: tuple[int, int]) -> None:
            self.matrix = torch.zeros(sparse_sizes)
            self.matrix[row, col] = 1

        def matmul(self, other: Any) -> Any:
            return self.matrix @ other

    def random_walk(*_: Any, **__: Any) -> Any:
        raise NotImplementedError

    import torch_geometric.data  # noqa: F401 — looks for both packages when it is imported

    stand_ins: dict[str, Any] = {
        "torch_sparse": {"SparseTensor": SparseTensor, "mul": None},
        "torch_cluster": {"random_walk": random_walk},
    }
    for name, members in stand_ins.items():
        module = types.ModuleType(name)
        vars(module).update(members)
        sys.modules[name] = module
    sys.path.insert(0, folder)
    made = importlib.import_module("core.transform")
    for name in stand_ins:
        del sys.modules[name]
    return made


def published_rows(transform: Any, graph: Graph) -> list[Counter[Any]]:
    """Return the edge features of a published transform, as a multiset per root that ignores the order of ends."""
    from torch_geometric.data import Data

    data = transform(
        Data(edge_index=edge_index_of(graph), num_nodes=graph.num_nodes, x=torch.ones(graph.num_nodes, 1))
    )
    rows: list[Counter[Any]] = [Counter() for _ in range(graph.num_nodes)]
    hops, degrees = data.subgraph_edge_hops.tolist(), data.subgraph_edge_degrees.tolist()
    for root, (near, far), (one, other) in zip(
        data.subgraphs_edge_source.tolist(), hops, degrees, strict=True
    ):
        rows[root][tuple(sorted(((near, *one), (far, *other))))] += 1
    return rows


def published(folder: str) -> dict[str, Any]:
    """Return how many relabelings leave the published edge features as they are, and what they make of graphs."""
    made = load_published(folder)
    found: dict[str, Any] = {}
    for name, graph in {"karate club": named.karate_club(), "Shrikhande": named.shrikhande()}.items():
        transform = made.SubgraphsTransform(hops=2)
        before = published_rows(transform, graph)
        equal = 0
        for seed in range(RELABELINGS):
            order = np.random.default_rng(seed).permutation(graph.num_nodes)
            after = published_rows(
                transform, Graph.from_edges(order[graph.edges()], num_nodes=graph.num_nodes)
            )
            equal += all(after[order[v]] == before[v] for v in range(graph.num_nodes))
        found[name] = f"{equal} of {RELABELINGS}"
    from torch_geometric.data import Batch, Data

    small = [
        Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2, x=torch.ones(2, 1)) for _ in range(2)
    ]
    batch = Batch.from_data_list([made.SubgraphsTransform(hops=1)(data) for data in small])
    found["roots of edges in a batch of two edges"] = sorted(set(batch.subgraphs_edge_source.tolist()))
    return found


def peak_memory(kind: str, size: int, module: Any) -> float | None:
    """Return the peak memory of a forked process in MiB beyond what it began with, None if it fails."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_measure, args=(kind, size, module, sender))
    process.start()
    sender.close()
    try:
        return float(receiver.recv())
    except EOFError:  # the process was killed, or raised
        return None
    finally:
        process.join()


def _measure(kind: str, size: int, module: Any, sender: Any) -> None:
    """Send the peak memory in MiB of one computation on a random regular graph."""
    import networkx as nx
    from torch_geometric.data import Data

    index = edge_index_of(egonet.as_graph(nx.random_regular_graph(DEGREE, size, seed=0)))
    data = Data(edge_index=index, num_nodes=size, x=torch.ones(size, WIDTH))
    before = _peak()
    if kind == "published":
        module.SubgraphsTransform(hops=RADIUS)(data)
    else:
        networks = EgoNetworks.from_edge_index(index, size, RADIUS)
        if kind == "layer":
            EleneConv(WIDTH, RADIUS)(data.x, networks).sum().backward()
    sender.send(round(_peak() - before, 1))


def _peak() -> float:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def memory(folder: str | None) -> list[dict[str, Any]]:
    """Return the peak memory of listing ego-networks, of a layer, and of the published transform, by size."""
    module = None if folder is None else load_published(folder)
    rows = []
    for size in SIZES:
        row: dict[str, Any] = {"nodes": size, "networks_mib": peak_memory("networks", size, None)}
        row["layer_mib"] = peak_memory("layer", size, None)
        if module is not None and size in PUBLISHED_SIZES:
            row["published_transform_mib"] = peak_memory("published", size, module)
        rows.append(row)
        sys.stderr.write(f"{row}\n")
    return rows


def main() -> None:
    """Write `results/elene.json`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--code")
    parser.add_argument("--target", default="results/elene.json")
    given = parser.parse_args()
    graph = f"random regular graphs of degree {DEGREE}, radius {RADIUS}, width {WIDTH}; MiB beyond the start"
    found: dict[str, Any] = {} if given.code is None else {"published": published(given.code)}
    found |= {"relabelings": relabelings(), "memory": {"graphs": graph, "rows": memory(given.code)}}
    sys.stderr.write(f"{found}\n")
    found["rows"] = separation()
    Path(given.target).write_text(json.dumps(found | origin(current_commit()), indent=1) + "\n")


if __name__ == "__main__":
    main()
