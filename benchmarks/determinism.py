"""Whether equal graphs give equal bytes, whatever computes them: python -m benchmarks.determinism [--python PATH ...].

Encodings of one graph are digested (sha256 of the matrix, the columns and the saved files) for every thread count,
algorithm, instruction set, engine and order of the edges. `--python` names further interpreters that have egonet
installed; `--spark` adds the Spark engine. Exits 1 if two digests differ that should not.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import egonet
from egonet.encoding.export import write_encoding
from egonet.kernel import native

SETTINGS: list[dict[str, Any]] = [
    {"radius": 1},
    {"radius": 2},
    {"radius": (1, 2), "degrees": "full"},
    {"radius": 2, "degree_bins": "log"},
]
NUM_NODES, NUM_EDGES = 3_000, 20_000


def edges(order: int = 0) -> Any:
    """Return the edges of a graph with hubs, in one of several orders, ends swapped at random in all but the first."""
    rng = np.random.default_rng(7)
    pairs = np.column_stack([rng.integers(0, NUM_NODES, NUM_EDGES), rng.zipf(1.6, NUM_EDGES) % NUM_NODES])
    if order:
        shuffle = np.random.default_rng(order)
        pairs = shuffle.permutation(pairs)
        turned = shuffle.random(NUM_EDGES) < 0.5
        pairs[turned] = pairs[turned][:, ::-1]
    return pairs


def sha256(*parts: Any) -> str:
    """Return the digest of some arrays or bytes."""
    state = hashlib.sha256()
    for part in parts:
        state.update(
            part if isinstance(part, bytes) else f"{part.dtype}{part.shape}".encode() + part.tobytes()
        )
    return state.hexdigest()[:16]


def digest(encoding: Any) -> str:
    """Return the digest of an encoding: its matrix, its rows' ids, and what its columns are."""
    matrix = encoding.matrix
    arrays = (matrix.indptr, matrix.indices, matrix.data, encoding.vocabulary.keys)
    return sha256(*arrays, json.dumps(encoding.nodes.tolist()).encode())


def by_id(encoding: Any) -> str:
    """Return the digest of an encoding with its rows sorted by id."""
    order = np.argsort(encoding.nodes)
    matrix = encoding.matrix[order]
    return sha256(matrix.indptr, matrix.indices, matrix.data, encoding.vocabulary.keys, encoding.nodes[order])


def engines(graph: Any, words: dict[str, Any], folder: Path, *, spark: bool) -> Iterator[tuple[str, Any]]:
    """Yield the encoding by every engine."""
    for number, engine in enumerate(["disk", "spark"] if spark else ["disk"]):
        store = folder / f"{engine}{number}{len(list(folder.iterdir()))}"
        call = egonet.store.encode if engine == "disk" else egonet.store.spark
        yield engine, call(graph, store, **words)


def kernels(graph: Any, radius: int) -> Iterator[tuple[str, str]]:
    """Yield the digest of the kernel's arrays by every algorithm and instruction set."""
    for algorithm in ("triangle", "source", "bitwise") if radius == 1 else ("source", "bitwise"):
        for simd in ("baseline", "avx2", "avx512") if algorithm == "bitwise" else ("auto",):
            for threads in (1, 3):
                call: Any = {"algorithm": algorithm, "simd": simd, "threads": threads}
                try:
                    rows = native.encode_rows(graph.indptr, graph.indices, None, radius, **call)
                except ValueError:
                    continue  # the processor has no such instructions
                yield f"{algorithm} {simd}", sha256(rows.indptr, rows.columns, rows.counts, rows.keys)


def saved(encoding: Any, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the digest of every kind of file that needs no extra."""
    for ending in (".npz", ".csv", ".mtx"):
        path = folder / f"saved{ending}"
        write_encoding(encoding, path)
        yield f"file {ending}", sha256(path.read_bytes())


def collect(*, spark: bool = False) -> dict[str, list[str]]:
    """Return, for everything that must be one, the digests found."""
    found: dict[str, list[str]] = {}

    def note(what: str, value: str) -> None:
        found.setdefault(what, []).append(value)

    graph = egonet.Graph.from_edges(edges(), NUM_NODES)
    with tempfile.TemporaryDirectory() as name:
        for number, words in enumerate(SETTINGS):
            for threads in (1, 2, 3, 8):
                encoding = egonet.encode(graph, threads=threads, **words)
                note(f"encoding {number}", digest(encoding))
                for what, value in saved(encoding, Path(name)):
                    note(f"{what} {number}", value)
            for _, stored in engines(graph, words, Path(name), spark=spark):
                note(f"encoding {number}", digest(stored))
            for order in range(4):
                other = egonet.encode(egonet.as_graph(edges(order)), **words)
                note(f"rows by id {number}", by_id(other))
    for radius in (1, 2, 3):
        for _, value in kernels(graph, radius):
            note(f"kernel {radius}", value)
    return found


def main() -> None:
    """Compare; print how many digests each thing had and how many of them differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--python", action="append", default=[], help="an interpreter that has egonet installed"
    )
    parser.add_argument("--spark", action="store_true", help="also the Spark engine")
    parser.add_argument(
        "--digests", action="store_true", help="print the digests as JSON and compare nothing"
    )
    words = parser.parse_args()
    found = collect(spark=words.spark)
    if words.digests:
        print(json.dumps(found))
        return
    for python in words.python:
        # Its own egonet, not the one that is running.
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(
            [python, __file__, "--digests"], env=clean, capture_output=True, text=True, check=True, cwd="/"
        )
        for what, values in json.loads(done.stdout).items():
            found[what] += values
    for what, values in found.items():
        print(f"{what:<16}{len(values):>4} digests, {len(set(values))} distinct: {values[0]}")
    odd = [what for what, values in found.items() if len(set(values)) > 1]
    print(f"{sum(map(len, found.values()))} digests of {len(found)} things, {len(odd)} of which differ")
    sys.exit(bool(odd))


if __name__ == "__main__":
    main()
