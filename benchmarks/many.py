"""What encoding many small graphs costs end to end, beside the kernel alone on their union: python -m benchmarks.many.

Ten thousand molecule-like graphs at radius 2 on one thread, handed over in every form that has a short way; medians of
CPU milliseconds and their ratio to the kernel, the contenders taken in turn. The objects of a list are made in order,
and once more shuffled, as they lie in the memory of a program that made them in between other work.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array, csr_matrix
from torch_geometric.data import Data, InMemoryDataset

import egonet
from benchmarks.graphs import small_graphs
from egonet.cli.system_commands import interleave
from egonet.graph.graph import Graph
from egonet.graph.union import disjoint_union
from egonet.kernel import native


class Collated(InMemoryDataset):  # type: ignore[misc]
    """A PyG data set of some graphs, in memory."""

    def __init__(self, graphs: list[Data]) -> None:
        super().__init__(None)
        self.data, self.slices = self.collate(graphs)


def pieces(count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return indptr and indices of every small graph."""
    union = small_graphs(count)
    size = union.num_nodes // count
    cut = []
    for first in range(0, union.num_nodes, size):
        starts = union.indptr[first : first + size + 1]
        cut.append((starts - starts[0], union.indices[starts[0] : starts[-1]] - np.int32(first)))
    return cut


def as_data(indptr: np.ndarray, indices: np.ndarray) -> Data:
    """Return one graph as PyG holds it."""
    sources = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return Data(
        edge_index=torch.from_numpy(np.stack([sources, indices.astype(np.int64)])), num_nodes=len(indptr) - 1
    )


def as_matrix(kind: Any, indptr: np.ndarray, indices: np.ndarray) -> Any:
    """Return one graph as scipy holds it, its values float64."""
    size = len(indptr) - 1
    return kind((np.ones(len(indices)), indices.copy(), indptr), shape=(size, size))


def with_ids(indptr: np.ndarray, indices: np.ndarray) -> Graph:
    """Return one graph whose nodes have whole numbers as ids."""
    return Graph(indptr.copy(), indices.copy(), np.arange(len(indptr) - 1) + 100)


def forms(count: int) -> dict[str, Any]:
    """Return the same graphs in every form."""
    cut = pieces(count)
    found: dict[str, Any] = {
        "PyG data set": Collated([as_data(*piece) for piece in cut]),
        "list of Data": [as_data(*piece) for piece in cut],
        "list of Graph": [Graph(*(part.copy() for part in piece)) for piece in cut],
        "list of Graph with ids": [with_ids(*piece) for piece in cut],
        "list of csr_array": [as_matrix(csr_array, *piece) for piece in cut],
        "list of csr_matrix": [as_matrix(csr_matrix, *piece) for piece in cut],
    }
    order = np.random.default_rng(0).permutation(count).tolist()
    for name in ("list of Graph", "list of csr_array"):
        found[f"{name}, shuffled"] = [found[name][place] for place in order]
    return found


def main() -> None:
    """Print a row for the kernel and for every form."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--radius", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=25)
    words = parser.parse_args()
    given = forms(words.count)
    union, _ = disjoint_union(given["list of Graph"])
    kernel = "kernel alone"
    contenders: dict[str, Callable[[], object]] = {
        kernel: lambda: native.encode_rows(union.indptr, union.indices, None, words.radius, threads=1)
    }
    for name, graphs in given.items():
        contenders[name] = lambda graphs=graphs: egonet.encode(graphs, words.radius, threads=1)
    timings = interleave(contenders, repeats=words.repeats)
    for timing in timings:
        print(f"| {timing.name} | {timing.cpu * 1e3:.1f} | {timing.cpu / timings[0].cpu:.2f} |")


if __name__ == "__main__":
    main()
