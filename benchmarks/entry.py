"""The cost of a call around the kernel: python -m benchmarks.entry [PART ...] [--quick].

CPU milliseconds of one thread, medians; contenders take turns. Parts (all by default; transform, settings,
edge_types, cycles and vectors need EGONET_DATA, many and transform need PyTorch Geometric):

read       reading a million edges of text, against np.loadtxt.
many       ten thousand small graphs in every form that is read in place, against the kernel on their union.
transform  the PyG transform on four TU sets, against the kernel and PyG's own work.
settings   every setting of `encode` on Facebook, with columns and entries; writes results/speed/settings.json.
pairs      100,000 pairs of Facebook and 75,352 of Pubmed; writes results/speed/pairs.json.
recommend  links of 10,000 nodes of CA-AstroPh; writes results/speed/recommend.json.
edge_types ZINC-12k molecules with and without bond types; writes results/speed/edge_types.json unless quick.
cycles     the shortest cycle through every bond of ZINC-12k; writes results/speed/cycles.json.
update     an update of one edge against encoding the whole graph again. "after encode" is the update right after a
           whole encode, with cold caches; "first" also prepares the encoding for updates; the last two include reading.
vectors    training of vectors on Facebook, against word2vec of gensim on the same walks if gensim is installed.
"""

import argparse
import copy
import gc
import json
import os
import platform
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array, csr_matrix
from torch_geometric.data import Batch, Data, InMemoryDataset
from torch_geometric.datasets import TUDataset

import egonet
from benchmarks.graphs import small_graphs
from egonet.embeddings.skipgram import Training, Walks, random_walks
from egonet.errors import IgnoredInputWarning
from egonet.graph.adapters import as_graph
from egonet.graph.graph import Graph
from egonet.graph.union import disjoint_union
from egonet.kernel import native
from egonet.pyg.nodes import AddEgoEncoding
from egonet.typing import Int64s
from research.expressivity.refined_features import zinc
from research.links.benchmark import heart_problem
from research.molecules.zinc_ridge import read_part

SETS = ("MUTAG", "PTC_MR", "ENZYMES", "PROTEINS")
RADIUS, MAX_DEGREE = 2, 10
SETTINGS: list[dict[str, Any]] = [
    {"radius": 1},
    {"radius": 1, "degree_bins": "log"},
    {"radius": 2},
    {"radius": 2, "degree_bins": "log"},
    {"radius": (1, 2)},
    {"radius": 3},
    {"radius": 2, "degrees": "layered"},
    {"radius": 2, "degrees": "full"},
]
UPDATES = 20
UPDATE_COLUMNS = ("whole encode", "one edge", "after encode", "first", "with a row", "with the matrix")


def medians(calls: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Return the median CPU seconds of calls that take turns in random order."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    rng = np.random.default_rng(0)
    for _ in range(repeats):
        for name in rng.permutation(list(calls)):
            began = time.process_time()
            calls[name]()
            times[name].append(time.process_time() - began)
    return {name: median(found) for name, found in times.items()}


def show(times: dict[str, float]) -> None:
    """Print milliseconds and the ratio to the first call."""
    first = next(iter(times.values()))
    for name, seconds in times.items():
        print(f"| {name} | {1e3 * seconds:.1f} | {seconds / first:.2f} |", flush=True)


def measure_read(*, quick: bool) -> None:
    """Print the times of reading a text file."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edges.txt"
        pairs = rng.integers(0, 300_000, (10_000 if quick else 1_000_000, 2))
        np.savetxt(path, pairs, fmt="%d", delimiter="\t")
        calls: dict[str, Callable[[], object]] = {
            "np.loadtxt (parsing only)": lambda: np.loadtxt(path, dtype=np.int64),
            "egonet.read_graph (ids, rows, merging)": lambda: egonet.read_graph(path),
        }
        show(medians(calls, 3 if quick else 7))


class Collated(InMemoryDataset):  # type: ignore[misc]
    """A PyG data set of some graphs, in memory."""

    def __init__(self, graphs: list[Data]) -> None:
        super().__init__(None)
        self.data, self.slices = self.collate(graphs)


def split_union(count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return indptr and indices of every small graph."""
    union = small_graphs(count)
    size = union.num_nodes // count
    arrays = []
    for first in range(0, union.num_nodes, size):
        starts = union.indptr[first : first + size + 1]
        arrays.append((starts - starts[0], union.indices[starts[0] : starts[-1]] - np.int32(first)))
    return arrays


def as_data(indptr: np.ndarray, indices: np.ndarray) -> Data:
    """Return one graph as PyG data."""
    sources = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return Data(
        edge_index=torch.from_numpy(np.stack([sources, indices.astype(np.int64)])), num_nodes=len(indptr) - 1
    )


def as_matrix(kind: Any, indptr: np.ndarray, indices: np.ndarray) -> Any:
    """Return one graph as a scipy matrix with float64 values."""
    size = len(indptr) - 1
    return kind((np.ones(len(indices)), indices.copy(), indptr), shape=(size, size))


def with_ids(indptr: np.ndarray, indices: np.ndarray) -> Graph:
    """Return one graph whose nodes have integers as ids."""
    return Graph(indptr.copy(), indices.copy(), np.arange(len(indptr) - 1) + 100)


def forms(count: int) -> dict[str, Any]:
    """Return the same graphs in every form.

    Shuffled lists have their objects at random positions in memory, as in a long-running program.
    """
    arrays = split_union(count)
    found: dict[str, Any] = {
        "PyG data set": Collated([as_data(*pair) for pair in arrays]),
        "list of Data": [as_data(*pair) for pair in arrays],
        "list of Graph": [Graph(*(array.copy() for array in pair)) for pair in arrays],
        "list of Graph with ids": [with_ids(*pair) for pair in arrays],
        "list of csr_array": [as_matrix(csr_array, *pair) for pair in arrays],
        "list of csr_matrix": [as_matrix(csr_matrix, *pair) for pair in arrays],
    }
    order = np.random.default_rng(0).permutation(count).tolist()
    for name in ("list of Graph", "list of csr_array"):
        found[f"{name}, shuffled"] = [found[name][position] for position in order]
    return found


def measure_many(*, quick: bool) -> None:
    """Print the times of the kernel and of every form."""
    given = forms(200 if quick else 10_000)
    union, _ = disjoint_union(given["list of Graph"])
    calls: dict[str, Callable[[], object]] = {
        "kernel only": lambda: native.encode_rows(union.indptr, union.indices, None, RADIUS, threads=1)
    }
    for name, graphs in given.items():
        calls[name] = lambda graphs=graphs: egonet.encode(graphs, RADIUS, threads=1)
    show(medians(calls, 3 if quick else 25))


def build(
    name: str, folder: str, pre_transform: Callable[[Any], Any] | None = None
) -> tuple[TUDataset, float]:
    """Return a TU set that PyG builds from its text files, and the CPU seconds that took."""
    root = Path(tempfile.mkdtemp(dir=folder))
    shutil.copytree(Path(os.environ["EGONET_DATA"]) / "tu" / name, root / name / "raw")
    gc.collect()
    gc.disable()  # reading makes millions of objects; garbage collection would run at random times
    began = time.process_time()
    dataset = TUDataset(str(root), name, pre_transform=pre_transform)
    seconds = time.process_time() - began
    gc.enable()
    return dataset, seconds


def measure_set(name: str, folder: str, repeats: int) -> None:
    """Print one row: the kernel on the whole set and graph by graph, the transform in three forms, and PyG's build."""
    dataset, _ = build(name, folder)
    graphs, batch = list(dataset), Batch.from_data_list(list(dataset))
    union, _ = disjoint_union(dataset)
    transform = AddEgoEncoding(RADIUS, max_degree=MAX_DEGREE)
    options = {"max_degree": MAX_DEGREE, "threads": 1}
    singles = [as_graph(data) for data in graphs]
    times = medians(
        {
            "kernel": lambda: native.encode_rows(union.indptr, union.indices, None, RADIUS, **options),
            "kernel each": lambda: [
                native.encode_rows(one.indptr, one.indices, None, RADIUS, **options) for one in singles
            ],
            "one call": lambda: transform.add_to(dataset),
            "batch": lambda: transform(batch),
            "one by one": lambda: [transform(data) for data in graphs],
        },
        repeats,
    )
    built = {
        key: median(build(name, folder, work)[1] for _ in range(repeats))
        for key, work in (("plain", copy.copy), ("pre_transform", transform))
    }
    share = built["pre_transform"] / (built["plain"] + times["kernel"])
    cells = [f"{times['kernel'] * 1e3:8.1f}"]
    cells += [
        f"{times[key] * 1e3:8.1f} ({times[key] / times['kernel']:5.2f}x)"
        for key in ("kernel each", "one call", "batch", "one by one")
    ]
    cells += [f"{times['one by one'] / times['kernel each']:5.2f}"]
    cells += [f"{built['plain'] * 1e3:8.0f} {built['pre_transform'] * 1e3:8.0f} ({share:4.2f}x)"]
    print(f"{name:9}", *cells)


def measure_transform(*, quick: bool) -> None:
    """Print a row per TU set."""
    print(
        "set, kernel ms, kernel per graph, add_to(dataset), transform(batch), transform(data) each, "
        "its ratio to the kernel per graph, build without and with the transform"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in SETS[: 1 if quick else None]:
            measure_set(name, folder, 2 if quick else 7)


def measure_settings(*, quick: bool) -> None:
    """Print a line per setting: milliseconds (matrix included), columns and entries."""
    graph = egonet.read_graph(Path(os.environ["EGONET_DATA"]) / "facebook" / "Facebook.edgelist")
    named = {
        ", ".join(f"{name}={value!r}" for name, value in options.items()): options for options in SETTINGS
    }
    calls: dict[str, Callable[[], object]] = {
        name: lambda options=options: egonet.encode(graph, threads=1, **options).matrix
        for name, options in list(named.items())[: 3 if quick else None]
    }
    print("| setting | CPU ms | columns | entries |\n|---|--:|--:|--:|")
    rows = []
    for name, seconds in medians(calls, 1 if quick else 3).items():
        matrix = egonet.encode(graph, **named[name]).matrix
        rows.append(
            {
                "setting": name,
                "milliseconds": round(1000 * seconds, 1),
                "columns": matrix.shape[1],
                "entries": matrix.nnz,
            }
        )
        print(f"| `{name}` | {1000 * seconds:.0f} | {matrix.shape[1]:,} | {matrix.nnz:,} |")
    if not quick:
        write_rows("settings", rows)


def measure_pairs(*, quick: bool) -> None:
    """Print the time of rows of pairs of Facebook and Pubmed, half of them edges, with log bins of degrees."""
    facebook = egonet.read_graph(Path(os.environ["EGONET_DATA"]) / "facebook" / "Facebook.edgelist")
    found: list[dict[str, object]] = []
    for name, graph in (("Facebook", facebook), ("Pubmed", heart_problem("pubmed", hard=False).graph)):
        pairs = edges_and_others(graph, 1000 if quick else 50_000)
        for radius in (1, 2, 3, (1, 2)):
            call = partial(egonet.encode_pairs, graph, pairs, radius, degree_bins="log", threads=1)
            seconds = medians({"one thread": call}, 1 if quick else 3)["one thread"]
            found.append({"graph": name, "radius": radius, "pairs": len(pairs), "seconds": round(seconds, 3)})
            found[-1]["pairs_per_second"] = round(len(pairs) / seconds)
            print(found[-1], flush=True)
    if not quick:
        write_rows("pairs", found)


def measure_recommend(*, quick: bool) -> None:
    """Print the time of ten recommendations for 10,000 nodes of CA-AstroPh, and zero-shot scores per second."""
    graph = egonet.read_graph(Path(os.environ["EGONET_DATA"]) / "ca-astroph" / "ca-AstroPh.txt.gz")
    rng = np.random.default_rng(0)
    nodes = rng.choice(graph.node_ids, 100 if quick else 10_000, replace=False)
    found: list[dict[str, object]] = []
    for title, model in (("without training", "zero-shot"), ("trained", None)):
        began = time.process_time()
        predictor = egonet.links.LinkPredictor(model=model, n_jobs=1).fit(graph)
        fitted = time.process_time()
        best = predictor.recommend(nodes, 10)
        row = {"model": title, "nodes": len(nodes), "recommended": sum(map(len, best.values()))}
        row |= {"seconds_fit": fitted - began, "seconds": time.process_time() - fitted}
        found.append({key: round(each, 2) if isinstance(each, float) else each for key, each in row.items()})
        print(found[-1], flush=True)
    pairs = edges_and_others(graph, 100 if quick else 20_000)
    predictor = egonet.links.LinkPredictor(model="zero-shot", n_jobs=1).fit(graph)
    for title, rows in (("edges", pairs[: len(pairs) // 2]), ("random pairs", pairs[len(pairs) // 2 :])):
        began = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IgnoredInputWarning)  # edges are scored as if they were not
            predictor.predict_proba(rows)
        rate = round(len(rows) / (time.process_time() - began))
        found.append({"model": "without training", "pairs": title, "pairs_per_second": rate})
        print(found[-1], flush=True)
    if not quick:
        write_rows("recommend", found)


def edges_and_others(graph: Graph, half: int) -> Int64s:
    """Return random edges, at most `half`, and as many random pairs, as an array of ids."""
    rng = np.random.default_rng(0)
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    edges = np.flatnonzero(source < graph.indices)
    chosen = rng.choice(edges, min(half, len(edges)), replace=False)
    others = rng.integers(graph.num_nodes, size=(2 * half, 2))
    others = others[others[:, 0] != others[:, 1]][: len(chosen)]
    rows = np.concatenate([np.column_stack([source[chosen], graph.indices[chosen]]), others])
    pairs: Int64s = graph.node_ids[rows]
    return pairs


def write_rows(name: str, rows: list[dict[str, object]]) -> None:
    """Write the rows of a part into results/speed, with the date, version and processor."""
    origin = {
        "date": time.strftime("%Y-%m-%d"),
        "egonet": egonet.__version__,
        "processor": platform.processor(),
    }
    found = {"command": f"python -m benchmarks.entry {name}", "clock": "processor time, one thread, medians"}
    Path(f"results/speed/{name}.json").write_text(
        json.dumps(found | origin | {"rows": rows}, indent=1) + "\n"
    )


def measure_edge_types(*, quick: bool) -> None:
    """Print the cost of bond types on the training molecules of ZINC-12k at radius 1 to 3."""
    molecules, _ = read_part(Path(os.environ["EGONET_DATA"]), "train")
    graphs = [graph for graph, _ in molecules[: 500 if quick else None]]
    rows = []
    for radius in (1, 2, 3):
        calls: dict[str, Callable[[], object]] = {
            "plain": lambda radius=radius: egonet.encode(graphs, radius, threads=1),
            "typed": lambda radius=radius: egonet.encode(graphs, radius, edge_labels="bond", threads=1),
        }
        times = medians(calls, 2 if quick else 7)
        rows.append({"radius": radius, **{name: round(seconds, 4) for name, seconds in times.items()}})
        rows[-1]["ratio"] = round(times["typed"] / times["plain"], 2)
        print(rows[-1], flush=True)
    if not quick:
        found = {"molecules": len(graphs), "clock": "processor seconds, one thread, medians", "rows": rows}
        Path("results/speed/edge_types.json").write_text(json.dumps(found, indent=1) + "\n")


def measure_cycles(*, quick: bool) -> None:
    """Print how many bonds of ZINC-12k a second `edge_cycles` does, from one graph and from an array of bonds."""
    graph = zinc(Path(os.environ["EGONET_DATA"])).graph
    bonds = graph.edges()
    calls: dict[str, Callable[[], object]] = {
        "graph": lambda: egonet.edge_cycles(graph, threads=1),
        "array of bonds": lambda: egonet.edge_cycles(bonds, num_nodes=graph.num_nodes, threads=1),
    }
    rows: list[dict[str, object]] = [
        {
            "from": name,
            "bonds": len(bonds),
            "seconds": round(seconds, 4),
            "bonds_per_second": round(len(bonds) / seconds),
        }
        for name, seconds in medians(calls, 2 if quick else 15).items()
    ]
    print(*rows, sep="\n", flush=True)
    if not quick:
        write_rows("cycles", rows)


def update_graphs(*, quick: bool) -> Iterator[tuple[str, Graph]]:
    """Yield Facebook, if EGONET_DATA has it, and a grid of a million edges."""
    if folder := os.environ.get("EGONET_DATA"):
        yield "Facebook", egonet.read_graph(Path(folder) / "facebook" / "Facebook.edgelist")
    side = 100 if quick else 708
    yield f"grid {side} x {side}", egonet.named.grid(side, side)


def draw_edges(graph: Graph, number: int) -> list[list[Any]]:
    """Return random edges as pairs of ids."""
    arcs = np.random.default_rng(0).integers(len(graph.indices), size=number)
    ends = np.stack([np.searchsorted(graph.indptr, arcs, side="right") - 1, graph.indices[arcs]], axis=1)
    pairs: list[list[Any]] = graph.node_ids[ends].tolist()
    return pairs


def time_updates(graph: Graph, rounds: int) -> list[float]:
    """Return median seconds in the order of UPDATE_COLUMNS. Each update removes one edge from the same encoding."""
    encoding = egonet.encode(graph, 2)
    graph.find(graph.node_ids[0].item())  # builds the table of ids, which all versions share
    edges = iter(draw_edges(graph, rounds * (2 * UPDATES + 4)))
    times: list[list[float]] = [[] for _ in UPDATE_COLUMNS]

    def seconds(call: Callable[[], object]) -> float:
        began = time.process_time()
        call()
        return time.process_time() - began

    def update(of: Any, edge: list[Any]) -> Any:
        return of.update(removed=[edge], threads=1)

    for _ in range(rounds):
        times[0].append(seconds(lambda: egonet.encode(graph, 2, threads=1)))
        times[2].append(seconds(lambda: update(encoding, next(edges))))
        times[1] += [seconds(lambda: update(encoding, next(edges))) for _ in range(UPDATES)]
        for edge in (next(edges) for _ in range(UPDATES)):
            times[4].append(seconds(lambda edge=edge: update(encoding, edge)[edge[0]]))  # type: ignore[misc]
        new = egonet.encode(graph, 2, threads=1)
        times[3].append(seconds(lambda new=new: update(new, next(edges))))  # type: ignore[misc]
        times[5] += [seconds(lambda: update(encoding, next(edges)).matrix) for _ in range(2)]
    return [median(column) for column in times]


def measure_update(*, quick: bool) -> None:
    """Print milliseconds of updates at radius 2, and how much faster than a whole encode they are."""
    print(f"{'graph':<16}" + "".join(f"{name:>24}" for name in UPDATE_COLUMNS))
    for name, graph in update_graphs(quick=quick):
        times = time_updates(graph, 2 if quick else 10)
        cells = (f"{1e3 * seconds:.3f} ms ({times[0] / seconds:,.0f}x)" for seconds in times)
        print(f"{name:<16}" + "".join(f"{cell:>24}" for cell in cells))


def measure_vectors(*, quick: bool) -> None:
    """Print million pairs, negatives included, per CPU second of an epoch; word2vec has walks of the same kind."""
    graph = egonet.read_graph(Path(os.environ["EGONET_DATA"]) / "facebook" / "Facebook.edgelist")
    walks, training, encoding = Walks(), Training(epochs=1), egonet.encode(graph, 1)
    paths = random_walks(graph, walks, np.random.default_rng(0)).astype(str).tolist()
    pairs = len(paths) * walks.num_pairs * (1 + training.negatives)
    for dim in (64,) if quick else (128, 64):
        calls = {"egonet": partial(egonet.fit_embeddings, encoding, dim=dim, walks=walks, training=training)}
        if find_spec("gensim"):
            calls["gensim"] = partial(word2vec, paths, dim, walks.window, training.negatives)
        times = medians(calls, 1 if quick else 5)
        rates = ", ".join(f"{name} {pairs / seconds / 1e6:.1f}" for name, seconds in times.items())
        print(f"{dim} dimensions: {rates} million pairs per CPU second", flush=True)


def word2vec(paths: list[list[str]], dim: int, window: int, negatives: int) -> object:
    """Return vectors by gensim: skip-gram with every pair of the window, one worker, one epoch."""
    from gensim.models import Word2Vec

    options = {"sg": 1, "negative": negatives, "min_count": 0, "sample": 0, "workers": 1, "epochs": 1}
    return Word2Vec(paths, vector_size=dim, window=window, shrink_windows=False, **options)


PARTS = {
    "read": measure_read,
    "many": measure_many,
    "transform": measure_transform,
    "settings": measure_settings,
    "pairs": measure_pairs,
    "recommend": measure_recommend,
    "edge_types": measure_edge_types,
    "cycles": measure_cycles,
    "update": measure_update,
    "vectors": measure_vectors,
}


def main() -> None:
    """Measure the given parts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true", help="small inputs, in seconds")
    options = parser.parse_args()
    for name in options.parts:
        if (
            name in ("transform", "settings", "pairs", "recommend", "edge_types", "cycles", "vectors")
            and "EGONET_DATA" not in os.environ
        ):
            print(f"{name}: needs EGONET_DATA.")
            continue
        print(f"\n{name}")
        PARTS[name](quick=options.quick)


if __name__ == "__main__":
    main()
