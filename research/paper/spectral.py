"""The encoding against the eigen-decomposition that GNNML3's supports need: `python -m research.paper.spectral`.

Every measurement runs in a new process, so that its peak memory is that of one call.
"""

import json
import multiprocessing
import platform
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from egonet import Graph, __version__, encode
from egonet.io import atomic_path

SIZES = (64, 128, 256, 512, 1024, 2048, 4096)
DEGREE = 4
FREQUENCIES, BANDWIDTH = 4, 4.0
#: An eigen-decomposition of more nodes than this is not run: its time grows with the cube of their number.
MOST_DENSE = 2048


def random_graph(size: int) -> Graph:
    """Return a random graph of mean degree 4."""
    rng = np.random.default_rng(size)
    ends = rng.integers(0, size, (size * DEGREE // 2, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    return Graph.from_indices(ends[:, 0].copy(), ends[:, 1].copy(), size)


def supports(graph: Graph) -> Any:
    """Return GNNML3's supports of the edges, by the eigen-decomposition of the normalized Laplacian."""
    size = graph.num_nodes
    near = np.zeros((size, size))
    near[np.repeat(np.arange(size), graph.degrees), graph.indices] = 1
    degree = near.sum(axis=1)
    root = np.divide(1, np.sqrt(degree), out=np.zeros(size), where=degree > 0)
    values, vectors = np.linalg.eigh(np.eye(size) - root[:, None] * near * root)
    mask = near + np.eye(size)
    return [
        mask * ((vectors * np.exp(-BANDWIDTH * (values - center) ** 2)) @ vectors.T)
        for center in np.linspace(values[0], values[-1], FREQUENCIES)
    ]


def encoding(radius: int) -> Callable[[Graph], Any]:
    """Return a function that encodes a graph."""
    return lambda graph: encode(graph, radius).matrix


def measure(name: str, size: int) -> dict[str, Any]:
    """Return seconds and peak memory of one method on a graph of some nodes; the best of three runs."""
    work = {"eigen": supports, "encoding r=1": encoding(1), "encoding r=2": encoding(2)}[name]
    work(random_graph(16))
    graph = random_graph(size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = []
    for _ in range(3):
        started = time.process_time()
        work(graph)
        seconds.append(time.process_time() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {
        "method": name,
        "nodes": size,
        "cpu_seconds": round(min(seconds), 6),
        "peak_mb": round(peak / 1024, 1),
    }


def main(output: Path) -> None:
    """Measure everything and write a file."""
    context = multiprocessing.get_context("spawn")
    found = []
    for size in SIZES:
        for name in ("eigen", "encoding r=1", "encoding r=2"):
            if name == "eigen" and size > MOST_DENSE:
                continue
            with context.Pool(1) as pool:
                found.append(pool.apply(measure, (name, size)))
            sys.stdout.write(f"{found[-1]}\n")
            sys.stdout.flush()
    content = {
        "what": "CPU seconds and peak memory of GNNML3's supports and of the encoding, random graphs of mean degree 4",
        "processor": platform.processor() or platform.machine(),
        "versions": {"egonet": __version__, "numpy": np.__version__, "python": platform.python_version()},
        "results": found,
    }
    with atomic_path(output) as temporary:
        temporary.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "results/speed/spectral.json"))
