"""An update of one edge against encoding the whole graph again: python -m benchmarks.update [--quick].

Radius 2, one thread, CPU time, medians. A whole encode and some updates take turns; each update removes one edge from
the same first encoding. Work that an update delays has separate columns: reading a changed row, and the whole matrix
(which copies every entry). "after encode" is the update right after a whole encode, with cold caches; "first" is the
first update of a new encoding, which also prepares the encoding for updates.
"""

import os
import sys
import time
from pathlib import Path

import numpy as np

import egonet
from egonet import named

ROUNDS = 10
UPDATES = 20
COLUMNS = ("whole encode", "one edge", "after encode", "first", "with a row", "with the matrix")


def main() -> None:
    """Print milliseconds of everything, and how much faster than a whole encode it is."""
    quick = "--quick" in sys.argv[1:]
    print(f"{'graph':<16}" + "".join(f"{name:>24}" for name in COLUMNS))
    for name, graph in graphs(quick=quick):
        times = measure(graph, 2 if quick else ROUNDS)
        cells = (f"{1e3 * time:.3f} ms ({times[0] / time:,.0f}x)" for time in times)
        print(f"{name:<16}" + "".join(f"{cell:>24}" for cell in cells))


def graphs(*, quick):
    """Yield Facebook, if EGONET_DATA has it, and a grid of a million edges."""
    folder = os.environ.get("EGONET_DATA")
    if folder:
        yield "Facebook", egonet.read_graph(Path(folder) / "facebook" / "Facebook.edgelist")
    side = 100 if quick else 708
    yield f"grid {side} x {side}", named.grid(side, side)


def measure(graph, rounds):
    """Return median seconds in the order of COLUMNS."""
    encoding = egonet.encode(graph, 2)
    graph.find(graph.node_ids[0].item())  # builds the table of ids, which all versions share
    edges = iter(draw_edges(graph, rounds * (2 * UPDATES + 4)))
    times = [[] for _ in COLUMNS]
    for _ in range(rounds):
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
