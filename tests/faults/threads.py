"""Everything that runs in several threads, compared with one thread: python -m faults.threads --threads 16.

Made for ThreadSanitizer, which needs as many cores as threads to see most races. It needs no package but those of the
core; rows of events and molecules are left out where scikit-learn or RDKit is missing.
"""

import argparse
import gzip
import hashlib
import os
import random
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import egonet
from egonet.kernel.native import encode_rows
from egonet.kernel.reference import Rows


def skewed_edges(size: int, seed: int) -> list[tuple[int, int]]:
    """Return edges that concentrate on few nodes, with repeats and loops."""
    rng = random.Random(seed)
    return [(int(size * rng.random() ** 3), int(size * rng.random() ** 2)) for _ in range(6 * size)]


def encoding_bytes(encoding: Any) -> bytes:
    """Return matrix, columns and ids of an encoding as bytes."""
    matrix = encoding.matrix
    arrays = (matrix.indptr, matrix.indices, matrix.data, encoding.vocabulary.keys)
    return b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)


def rows_bytes(rows: Rows) -> bytes:
    """Return the rows of a kernel as bytes."""
    return b"".join(np.ascontiguousarray(array).tobytes() for array in vars(rows).values())


def graph_bytes(graph: egonet.Graph) -> bytes:
    """Return neighbors and ids of a graph as bytes."""
    return graph.indptr.tobytes() + graph.indices.tobytes() + repr(list(graph.node_ids)).encode()


def encodings(size: int) -> dict[str, Callable[[], bytes]]:
    """Return calls of `encode` and what is made of it."""
    edges = skewed_edges(size, 1)
    graph = egonet.Graph.from_edges(edges, size)
    arcs = egonet.as_graph(edges, directed="out", num_nodes=size)
    small = egonet.Graph.from_edges(skewed_edges(size // 20, 2), size // 20)
    kinds = [["x", "y", "z"][v % 3] for v in range(size)]
    types = np.arange(graph.num_edges) % 3

    def call(of: Any, radius: Any, **options: Any) -> Callable[[], bytes]:
        return lambda: encoding_bytes(egonet.encode(of, radius, **options))

    pairs = [(v, (7 * v + 1) % size) for v in range(0, size, 5)]
    near = [(v, (7 * v + 1) % len(small)) for v in range(0, len(small), 2)]
    groups = ["overlap", "share", "walks"]
    fit: Any = {"walks": egonet.Walks(length=8, window=2), "training": egonet.Training(epochs=1)}
    calls = {
        "radius 1": call(graph, 1),
        "radii 1 and 2": call(graph, (1, 2)),
        "radius 2, log bins": call(graph, 2, degree_bins="log"),
        "layered degrees": call(graph, 2, degrees="layered"),
        "full degrees": call(graph, 1, degrees="full"),
        "labels": call(graph, 2, labels=kinds),
        "edge types": call(graph, 1, edge_labels=types),
        "cap": call(graph, 2, cap=8),
        "arcs": call(arcs, 2),
        "in- and out-degrees": call(arcs, 1, degrees="in_out"),
        "many graphs": call([small] * 40, 2),
        "common": call(small, 1, common=True),
        "edges as roots": call(small, 1, rooted="edge"),
        "pairs as roots": call(small, 2, rooted="pair"),
        "colorings": call(small, 2, rooted="refined"),
        "edges inside": call(small, 2, count="edges"),
        "pairs": lambda: encoding_bytes(egonet.encode_pairs(graph, pairs, 2)),
        "edges": lambda: encoding_bytes(egonet.encode_edges(graph, (1, 2), max_degree=5)),
        "typed pairs": lambda: encoding_bytes(egonet.encode_pairs(graph, pairs, 1, edge_labels=types)),
        "distances of ends": lambda: encoding_bytes(egonet.encode_pairs(graph, pairs, 1, ends_distance=4)),
        "cycles": lambda: egonet.edge_cycles(graph, 6).tobytes(),
        "links": lambda: egonet.links.link_columns(small, near, groups, radius=2)[0].tobytes(),
        "marked nodes": lambda: egonet.individualize([small, small], 1, radius=1).nodes.tobytes(),
        # The sums of losses depend on the number of threads.
        "vectors": lambda: b"" if len(egonet.fit_embeddings(small, 1, 16, **fit).table) else b"empty",
        "update": lambda: encoding_bytes(egonet.encode(graph, 2).update(added=[(0, size - 1)], removed=[])),
        "dense": lambda: egonet.encode(graph, 1).to_dense("paper").tobytes(),
        "1-WL": lambda: egonet.wl_colors(graph).tobytes(),
        "rings": lambda: egonet.ring_statistics(graph, np.arange(size), 2).values.tobytes(),
    }
    arrays = (graph.indptr, graph.indices, None, 2)
    for algorithm in ("source", "bitwise"):
        calls[algorithm] = lambda algorithm=algorithm: rows_bytes(encode_rows(*arrays, algorithm=algorithm))
    return calls


def events_and_molecules(size: int) -> dict[str, Callable[[], bytes]]:
    """Return rows of events, of nodes and pairs as of a time, and of molecules; their encoders are of scikit-learn."""
    rng = np.random.default_rng(4)
    events = [(int(u), int(v), time) for time, (u, v) in enumerate(rng.integers(0, 60, (size, 2)))]
    queries = [(int(node), int(time)) for node, time in rng.integers(0, 60, (size, 2)) * (1, size // 60)]
    asked = [(int(u), (int(u) + 1) % 60, int(time)) for u, time in queries]
    rings = ["C1CC1", "c1ccccc1", "C1CCC2CCCCC2C1"]
    texts = [rings[number % 3] + "C" * (1 + number % 9) + "O" for number in range(3 * size)]

    def num_threads() -> int:
        return int(os.environ["EGONET_THREADS"])

    def as_of(rows: Any, **options: Any) -> bytes:
        encoder = egonet.TemporalEncoder(events, 2, window=size // 8, n_jobs=num_threads(), **options)
        return encoder.fit_transform(rows).tobytes()

    def molecules(**options: Any) -> bytes:
        encoder = egonet.MoleculeEncoder(parser="fast", n_jobs=num_threads(), sparse_output=True, **options)
        rows = encoder.fit_transform(texts)
        return rows.indptr.tobytes() + rows.indices.tobytes() + rows.data.tobytes()

    def shared_history() -> bytes:
        encoder = egonet.EventEncoder(windows=(None,), groups=("pair",)).fit([("a", "b", 1)])

        def ask(_: int) -> float:
            return float(encoder.partial_fit_transform([("a", "b", 1)])[0, 0])

        with ThreadPoolExecutor(num_threads()) as pool:
            return repr(sorted(pool.map(ask, range(size)))).encode()

    calls: dict[str, Callable[[], bytes]] = {}
    if find_spec("sklearn"):
        calls |= {
            "nodes as of a time": lambda: as_of(queries),
            "pairs as of a time": lambda: as_of(asked, node=("u", "v")),
            "events of one history": shared_history,
        }
    if find_spec("sklearn") and find_spec("rdkit"):
        calls |= {
            "molecules": molecules,
            "colors of molecules": lambda: molecules(wl=2, atom_labels="invariant"),
        }
    return calls


def files(size: int, folder: Path) -> dict[str, Callable[[], bytes]]:
    """Return readers of files, and a store."""
    edges = skewed_edges(20 * size, 3)
    (folder / "numbers.txt").write_text("".join(f"{u} {v}\n" for u, v in edges))
    names = "".join(f'"node, {u}",n{v}\n' for u, v in edges)
    (folder / "names.csv").write_text("source,target\n" + names)
    (folder / "names.csv.gz").write_bytes(gzip.compress((folder / "names.csv").read_bytes()))

    def store() -> bytes:
        with tempfile.TemporaryDirectory(dir=folder) as name:
            stored = egonet.store.encode(folder / "numbers.txt", Path(name, "out"), 1, memory=4_000_000)
            return encoding_bytes(stored)

    names_of = ("numbers.txt", "names.csv", "names.csv.gz")
    calls = {name: (lambda path=folder / name: graph_bytes(egonet.read_graph(path))) for name in names_of}
    return calls | {"store": store}


def main() -> None:
    """Run every part with one thread and with several; exit 1 if bytes differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--size", type=int, default=3000, help="nodes of the graphs")
    parser.add_argument("--times", type=int, default=2, help="repetitions with several threads")
    given = parser.parse_args()
    different = 0
    with tempfile.TemporaryDirectory() as name:
        parts = encodings(given.size) | events_and_molecules(given.size) | files(given.size, Path(name))
        for what, call in parts.items():
            began = time.monotonic()
            found = []
            for threads in [1] + [given.threads] * given.times:
                os.environ["EGONET_THREADS"] = str(threads)
                found.append(hashlib.sha256(call()).hexdigest())
            different += len(set(found)) > 1
            verdict = "same bytes" if len(set(found)) == 1 else "DIFFERENT"
            print(f"{what}: {verdict}, {time.monotonic() - began:.1f} s", flush=True)
    print(f"{given.threads} threads, {len(os.sched_getaffinity(0))} cores, {different} different", flush=True)
    raise SystemExit(different > 0)


if __name__ == "__main__":
    main()
