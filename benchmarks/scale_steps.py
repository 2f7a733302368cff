"""What every step of a large run costs an edge: python -m benchmarks.scale_steps [scale].

CPU time of one thread on an R-MAT graph with 2**scale nodes (16 if not given) and 16 edges a node, radius 1;
each step on its own, the median of three. docs/scale.md multiplies these constants.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import egonet
from benchmarks.scale import write_edges
from egonet.encoding.settings import Settings
from egonet.store.blocks import count_block
from egonet.store.manifest import checksum
from egonet.store.spark_tasks import copy_edges, count_group, groups_of
from egonet.store.stored_graph import build_graph
from egonet.store.stored_triangles import rows_at_one, store_supports

COLORS = 4
MEMORY = 2 * 10**9


def main() -> None:
    """Print microseconds an edge, and bytes."""
    scale = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    with tempfile.TemporaryDirectory() as name:
        print(json.dumps({"scale": scale, **measure(Path(name), scale)}, indent=1))


def measure(folder: Path, scale: int) -> dict[str, float]:
    """Return the cost of every step an edge of the file, by its name."""
    num_edges = 16 << scale
    write_edges(folder / "edges.parquet", scale, num_edges)
    held = build_graph(folder / "edges.parquet", folder / "graph", memory=MEMORY)
    graph = egonet.read_graph(folder / "edges.parquet")
    nodes = held.num_nodes
    store_supports(held, folder / "supports", memory=MEMORY, threads=1)
    group, u, v = copy_edges(held.indptr, held.indices, 0, nodes, COLORS)
    whole = egonet.encode(graph, 1)
    steps = {
        "read and sort into a store": lambda: build_graph(
            folder / "edges.parquet", folder / "again", memory=MEMORY
        ),
        "checksum": lambda: checksum(folder / "graph" / "indices.npy"),
        "find triangles, out of core": lambda: store_supports(
            held, folder / "supports", memory=MEMORY, threads=1
        ),
        "rows from triangles": lambda: rows_at_one(
            held, folder / "supports", (0, nodes), degrees="total", max_degree=None, threads=1
        ),
        "count, graph in memory": lambda: egonet.encode(graph, 1, threads=1),
        "count a sixteenth of the roots, kernel": lambda: count_block(
            held.indptr, held.indices, np.arange(nodes // 16), Settings((1,)), symmetric=True, threads=1
        ),
        "copy an edge to a group": lambda: copy_edges(held.indptr, held.indices, 0, nodes, COLORS),
        "count a copy of an edge in its group": lambda: [
            count_group(u[group == number], v[group == number], three, COLORS)
            for number, three in enumerate(groups_of(COLORS))
        ],
    }
    found = {name: seconds(step) / num_edges * 1e6 for name, step in steps.items()}
    for name in ("copy an edge to a group", "count a copy of an edge in its group"):
        found[name] *= num_edges / len(u)
    constants = {f"{name}, µs": round(value, 3) for name, value in found.items()}
    return constants | {
        "entries an edge": round(len(whole.matrix.data) / num_edges, 2),
        "distinct edges, of those in the file": round(len(held.indices) / 2 / num_edges, 2),
        "bytes an edge of Parquet": round((folder / "edges.parquet").stat().st_size / num_edges, 1),
    }


def seconds(step) -> float:
    """Return the median CPU time of three calls."""
    times = []
    for _ in range(3):
        began = time.process_time()
        step()
        times.append(time.process_time() - began)
    return sorted(times)[1]


if __name__ == "__main__":
    main()
