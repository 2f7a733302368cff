"""The graphs of the benchmarks: generated from a seed, or read from the folder that EGONET_DATA names."""

import gzip
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from egonet.typing import Int32s, Int64s


@dataclass(frozen=True, eq=False)
class BenchmarkGraph:
    """An undirected graph as compressed rows.

    Attributes
    ----------
    name
        What tables call it.
    indptr, indices
        int64 (num_nodes + 1,) and int32 (num_arcs,): both directions, rising per row, no loops.
    """

    name: str
    indptr: Int64s
    indices: Int32s

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return len(self.indptr) - 1

    @property
    def num_edges(self) -> int:
        """Number of undirected edges."""
        return len(self.indices) // 2

    def edges(self) -> Int64s:
        """Return the edges as an (num_edges, 2) array, smaller end first."""
        sources = np.repeat(np.arange(self.num_nodes), np.diff(self.indptr))
        keep = sources < self.indices
        return np.stack([sources[keep], self.indices[keep].astype(np.int64)], axis=1)


def unique_codes(codes: Int64s) -> Int64s:
    """Return the distinct codes in rising order; a benchmark with a faster way to do this puts its own here."""
    return np.unique(codes)


def from_pairs(name: str, num_nodes: int, pairs: Int64s) -> BenchmarkGraph:
    """Return the graph of (k, 2) pairs, loops dropped and repeats merged."""
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    codes = np.concatenate([pairs[:, 0] * num_nodes + pairs[:, 1], pairs[:, 1] * num_nodes + pairs[:, 0]])
    codes = unique_codes(codes)
    sources, targets = codes // num_nodes, codes % num_nodes
    indptr = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=num_nodes))]).astype(np.int64)
    return BenchmarkGraph(name, indptr, targets.astype(np.int32))


def rmat(
    scale: int,
    edge_factor: int = 16,
    seed: int = 1,
    chances: tuple[float, float, float] = (0.57, 0.76, 0.95),
) -> BenchmarkGraph:
    """Return an R-MAT graph of 2**scale nodes, numbers shuffled.

    The chances are sums of the first one, two and three of each quadrant; those of Graph500 are 0.57, 0.19, 0.19, 0.05.
    """
    rng = np.random.default_rng(seed)
    num_nodes, num_pairs = 1 << scale, edge_factor << scale
    ends = np.zeros((2, num_pairs), dtype=np.int64)
    for bit in range(scale):
        draw = rng.random(num_pairs)
        down = draw >= chances[1]
        right = ((draw >= chances[0]) & ~down) | (draw >= chances[2])
        ends[0] |= down.astype(np.int64) << bit
        ends[1] |= right.astype(np.int64) << bit
    name = f"R-MAT {scale}" if edge_factor in (11, 16) else f"R-MAT {scale}, {edge_factor} edges"
    return from_pairs(name, num_nodes, rng.permutation(num_nodes)[ends.T])


def barabasi_albert(num_nodes: int, attach: int = 10, seed: int = 1) -> BenchmarkGraph:
    """Return a graph where each new node joins `attach` old ones, drawn by degree."""
    rng = np.random.default_rng(seed)
    num_edges = num_nodes * attach
    # Slot 2e holds the new end of edge e; slot 2e + 1 copies a slot drawn from those before it.
    copied = (rng.random(num_edges) * (2 * np.arange(num_edges) + 1)).astype(np.int64)
    while (odd := copied % 2 == 1).any():
        copied[odd] = copied[copied[odd] // 2]
    sources = np.arange(num_edges) // attach
    pairs = np.stack([sources, copied // 2 // attach], axis=1)
    return from_pairs(f"Barabási–Albert {num_nodes:.0e}".replace("e+0", "e"), num_nodes, pairs)


def erdos_renyi(num_nodes: int, mean_degree: int = 10, seed: int = 1) -> BenchmarkGraph:
    """Return a graph of num_nodes * mean_degree / 2 edges drawn uniformly (repeats merged)."""
    rng = np.random.default_rng(seed)
    pairs = rng.integers(num_nodes, size=(num_nodes * mean_degree // 2, 2))
    return from_pairs(f"Erdős–Rényi {num_nodes:.0e}".replace("e+0", "e"), num_nodes, pairs)


def grid(side: int) -> BenchmarkGraph:
    """Return the square grid of side * side nodes."""
    nodes = np.arange(side * side).reshape(side, side)
    right = np.stack([nodes[:, :-1].ravel(), nodes[:, 1:].ravel()], axis=1)
    down = np.stack([nodes[:-1].ravel(), nodes[1:].ravel()], axis=1)
    return from_pairs(f"grid {side}x{side}", side * side, np.concatenate([right, down]))


def watts_strogatz(num_nodes: int, degree: int, rewired: float, seed: int = 1) -> BenchmarkGraph:
    """Return a ring where each node joins the next degree / 2, a part of the edges with one end drawn anew."""
    rng = np.random.default_rng(seed)
    tails = np.tile(np.arange(num_nodes), degree // 2)
    heads = (tails + np.repeat(np.arange(1, degree // 2 + 1), num_nodes)) % num_nodes
    moved = rng.random(len(heads)) < rewired
    heads[moved] = rng.integers(num_nodes, size=int(moved.sum()))
    return from_pairs(f"Watts–Strogatz {num_nodes:,}", num_nodes, np.stack([tails, heads], axis=1))


def random_regular(num_nodes: int, degree: int, seed: int = 1) -> BenchmarkGraph:
    """Return the union of degree / 2 random cycles through all nodes (repeats merged)."""
    rng = np.random.default_rng(seed)
    cycles = [rng.permutation(num_nodes) for _ in range(degree // 2)]
    pairs = np.concatenate([np.stack([cycle, np.roll(cycle, 1)], axis=1) for cycle in cycles])
    return from_pairs(f"random regular {num_nodes:,}", num_nodes, pairs)


def planted_partition(num_nodes: int, group: int, inside: int, outside: int, seed: int = 1) -> BenchmarkGraph:
    """Return groups of `group` nodes with mean degrees `inside` the group and `outside` of it."""
    rng = np.random.default_rng(seed)
    near = rng.integers(num_nodes, size=num_nodes * inside // 2)
    others = np.minimum(near - near % group + rng.integers(group, size=len(near)), num_nodes - 1)
    far = rng.integers(num_nodes, size=(num_nodes * outside // 2, 2))
    pairs = np.concatenate([np.stack([near, others], axis=1), far])
    return from_pairs(f"planted partition {num_nodes:,}", num_nodes, pairs)


def power_law(num_nodes: int, mean_degree: int, exponent: float, seed: int = 1) -> BenchmarkGraph:
    """Return a graph whose ends are drawn by weights i ** (-1 / (exponent - 1)), numbers shuffled."""
    rng = np.random.default_rng(seed)
    weights = np.cumsum(np.arange(1, num_nodes + 1) ** (-1 / (exponent - 1)))
    drawn = np.searchsorted(weights, rng.random((num_nodes * mean_degree // 2, 2)) * weights[-1])
    pairs = rng.permutation(num_nodes)[np.minimum(drawn, num_nodes - 1)]
    return from_pairs(f"power law {exponent} {num_nodes:,}", num_nodes, pairs)


def small_graphs(count: int, num_nodes: int = 20, extra: int = 4, seed: int = 1) -> BenchmarkGraph:
    """Return the disjoint union of `count` molecule-like graphs: a random tree of low degree plus `extra` edges."""
    rng = np.random.default_rng(seed)
    child = np.arange(1, num_nodes)
    # A parent among the last three nodes keeps degrees low and the graph stretched out, as in molecules.
    parent = np.maximum(child - rng.integers(1, 4, size=(count, num_nodes - 1)), 0)
    trees = np.stack([np.broadcast_to(child, parent.shape), parent], axis=-1)
    chords = rng.integers(num_nodes, size=(count, extra, 2))
    offset = (np.arange(count) * num_nodes)[:, None, None]
    pairs = (np.concatenate([trees, chords], axis=1) + offset).reshape(-1, 2)
    return from_pairs(f"{count:,} small graphs", count * num_nodes, pairs)


def data_folder() -> Path | None:
    """Return the folder of real data, if the environment names one."""
    name = os.environ.get("EGONET_DATA")
    return Path(name) if name else None


def read_pairs(name: str, path: Path) -> BenchmarkGraph:
    """Return the graph of a text file of two integer columns, plain or .gz."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        pairs = np.loadtxt(lines, dtype=np.int64, comments="#")
    ids, numbers = np.unique(pairs, return_inverse=True)
    return from_pairs(name, len(ids), numbers.reshape(-1, 2))


def facebook() -> BenchmarkGraph | None:
    """Return the Facebook graph of the paper, or None without its file."""
    folder = data_folder()
    return folder and read_pairs("Facebook", folder / "facebook" / "Facebook.edgelist")


def ca_astroph() -> BenchmarkGraph | None:
    """Return the CA-AstroPh collaboration graph, or None without its file."""
    folder = data_folder()
    return folder and read_pairs("CA-AstroPh", folder / "ca-astroph" / "ca-AstroPh.txt.gz")


#: Every benchmark graph by its short name; None where its data is not there.
GRAPHS: dict[str, Callable[[], BenchmarkGraph | None]] = {
    "facebook": facebook,
    "astroph": ca_astroph,
    "rmat14": lambda: rmat(14),
    "rmat16": lambda: rmat(16),
    "rmat17": lambda: rmat(17),
    "ba": lambda: barabasi_albert(100_000),
    "grid": lambda: grid(1000),
    "er": lambda: erdos_renyi(1_000_000),
    "small": lambda: small_graphs(10_000),
}
