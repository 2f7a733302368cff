"""How much faster one changed edge is than encoding the whole graph again: python benchmarks/update.py.

Radius 2, one thread, CPU time, medians. A whole encode and a stretch of updates take turns; each update takes one
edge out of the same first encoding. What an update puts off until it is asked for stands in columns of its own:
a changed row, and the whole matrix (which copies every entry). "after encode" is the update right after a whole
encode, when nothing it needs is in the processor's caches, not even its code; "of a new one" is the first update of
the encoding that was just made, which also gets ready to be updated.
"""

import os
import time
from pathlib import Path

import numpy as np

import egonet
from egonet import named

ROUNDS = 10
UPDATES = 20
COLUMNS = ("whole encode", "one edge", "after encode", "of a new one", "with a row", "with the matrix")


def main() -> None:
    """Print milliseconds of everything, and how much faster than a whole encode it is."""
    print(f"{'graph':<16}" + "".join(f"{name:>24}" for name in COLUMNS))
    for name, graph in graphs():
        times = measure(graph)
        cells = (f"{1e3 * time:.3f} ms ({times[0] / time:,.0f}x)" for time in times)
        print(f"{name:<16}" + "".join(f"{cell:>24}" for cell in cells))


def graphs():
    """Yield Facebook, if EGONET_DATA has it, and a grid of a million edges."""
    folder = os.environ.get("EGONET_DATA")
    if folder:
        yield "Facebook", egonet.read_graph(Path(folder) / "facebook" / "Facebook.edgelist")
    yield "grid 708 x 708", named.grid(708, 708)


def measure(graph):
    """Return median seconds in the order of COLUMNS."""
    encoding = egonet.encode(graph, 2)
    graph.find(graph.node_ids[0].item())  # the table of ids is made once, whatever changes
    edges = iter(draw_edges(graph, ROUNDS * (2 * UPDATES + 4)))
    times = [[] for _ in COLUMNS]
    for _ in range(ROUNDS):
        times[0].append(seconds(lambda: egonet.encode(graph, 2, threads=1)))
        times[2].append(seconds(lambda: update(encoding, next(edges))))
        for _ in range(UPDATES):
            times[1].append(seconds(lambda: update(encoding, next(edges))))
        for _ in range(UPDATES):
            edge = next(edges)
            times[4].append(seconds(lambda edge=edge: update(encoding, edge)[edge[0]]))
        new = egonet.encode(graph, 2, threads=1)
        times[3].append(seconds(lambda new=new: update(new, next(edges))))
        for _ in range(2):
            times[5].append(seconds(lambda: update(encoding, next(edges)).matrix))
    return [float(np.median(column)) for column in times]


def draw_edges(graph, number):
    """Return random edges as pairs of ids."""
    arcs = np.random.default_rng(0).integers(len(graph.indices), size=number)
    ends = np.stack([np.searchsorted(graph.indptr, arcs, side="right") - 1, graph.indices[arcs]], axis=1)
    return graph.node_ids[ends].tolist()


def update(encoding, edge):
    """Return the encoding without an edge."""
    return encoding.update(removed=[edge], threads=1)


def seconds(call):
    """Return the CPU time of one call."""
    began = time.process_time()
    call()
    return time.process_time() - began


if __name__ == "__main__":
    main()
