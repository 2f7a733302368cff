"""How much faster one changed edge is than encoding the whole graph again: python benchmarks/update.py."""

import os
import time
from pathlib import Path

import numpy as np

import egonet
from egonet import named

REPEATS = 25


def main() -> None:
    """Print CPU time of a whole encode and of one update, interleaved, and their ratio of medians."""
    print(f"{'graph':<24}{'whole, ms':>12}{'one edge, ms':>14}{'ratio':>10}")
    for name, graph in graphs():
        whole, one = measure(graph)
        print(f"{name:<24}{1e3 * whole:>12.2f}{1e3 * one:>14.4f}{whole / one:>10.0f}")


def graphs():
    """Yield Facebook, if EGONET_DATA has it, and a grid of a million edges."""
    folder = os.environ.get("EGONET_DATA")
    if folder:
        yield "Facebook", egonet.read_graph(Path(folder) / "facebook" / "Facebook.edgelist")
    yield "grid 708 x 708", named.grid(708, 708)


def measure(graph):
    """Return median seconds of CPU time, one thread, radius 2."""
    encoding = egonet.encode(graph, 2)
    rng = np.random.default_rng(0)
    whole, one = [], []
    for _ in range(REPEATS):
        arc = int(rng.integers(len(graph.indices)))
        ends = [np.searchsorted(graph.indptr, arc, side="right") - 1, graph.indices[arc]]
        edge = graph.node_ids[ends].tolist()
        whole.append(seconds(lambda: egonet.encode(graph, 2, threads=1)))
        one.append(seconds(lambda edge=edge: encoding.update(removed=[edge], threads=1)))
    return float(np.median(whole)), float(np.median(one))


def seconds(call):
    """Return the CPU time of one call."""
    began = time.process_time()
    call()
    return time.process_time() - began


if __name__ == "__main__":
    main()
