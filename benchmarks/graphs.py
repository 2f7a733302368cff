"""The graphs of the benchmarks: generated from a seed, or read from the folder that EGONET_DATA names."""

import gzip
import os
import platform
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from itertools import permutations as orders
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import loadmat
from scipy.spatial import Delaunay

from egonet.graph.graph import adjacency
from egonet.kernel import native
from egonet.typing import Int32s, Int64s

#: Files of Facebook100, as several repositories of graph neural networks have them.
UNIVERSITIES = ("Cornell5", "Johns Hopkins55", "Amherst41", "Reed98")


@dataclass(frozen=True, eq=False)
class BenchmarkGraph:
    """An undirected graph as compressed rows.

    Attributes
    ----------
    name
        The name in tables.
    indptr, indices
        int64 (num_nodes + 1,) and int32 (num_arcs,): both directions, increasing per row, no loops.
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


def about() -> dict[str, Any]:
    """Return what times depend on besides the benchmark: processor, cores, versions, date and commit."""
    info = Path("/proc/cpuinfo")
    models = [line for line in info.read_text().splitlines() if "model name" in line] if info.exists() else []
    describe = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=12"]
    commit = ""
    if shutil.which("git"):
        commit = subprocess.run(describe, capture_output=True, text=True, check=False).stdout.strip()
    packages = ("egonet", "numpy", "scipy", "pyarrow", "pandas", "networkit", "igraph")
    return {
        "processor": models[0].partition(":")[2].strip() if models else platform.machine(),
        "cores": native.available_cores(),
        "simd": native.simd_level(),
        "python": platform.python_version(),
        "versions": {name: version for name in packages if (version := version_of(name))},
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit,
    }


def version_of(package: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def from_pairs(name: str, num_nodes: int, pairs: Int64s) -> BenchmarkGraph:
    """Return the graph of (k, 2) pairs, loops dropped and repeats merged."""
    indptr, indices, _ = adjacency(pairs[:, 0], pairs[:, 1], num_nodes, both_directions=True)
    return BenchmarkGraph(name, indptr, indices)


def rmat(
    scale: int,
    edge_factor: int = 16,
    seed: int = 1,
    chances: tuple[float, float, float] = (0.57, 0.76, 0.95),
) -> BenchmarkGraph:
    """Return an R-MAT graph of 2**scale nodes, numbers shuffled.

    The chances are cumulative over the quadrants; Graph500 has 0.57, 0.19, 0.19, 0.05.
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
    # Slot 2e is the new end of edge e; slot 2e + 1 copies a slot drawn from the earlier ones.
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


def small_graphs(count: int, num_nodes: int = 20, extra: int = 4, seed: int = 1) -> BenchmarkGraph:
    """Return the disjoint union of `count` molecule-like graphs: a random tree of low degree plus `extra` edges."""
    rng = np.random.default_rng(seed)
    child = np.arange(1, num_nodes)
    # A parent among the last three nodes keeps degrees low and distances long, as in molecules.
    parent = np.maximum(child - rng.integers(1, 4, size=(count, num_nodes - 1)), 0)
    trees = np.stack([np.broadcast_to(child, parent.shape), parent], axis=-1)
    chords = rng.integers(num_nodes, size=(count, extra, 2))
    offset = (np.arange(count) * num_nodes)[:, None, None]
    pairs = (np.concatenate([trees, chords], axis=1) + offset).reshape(-1, 2)
    return from_pairs(f"{count:,} small graphs", count * num_nodes, pairs)


def paired(tails: Int64s, heads: Int64s) -> Int64s:
    """Return the pairs of two arrays of ends."""
    return np.stack([tails, heads], axis=1)


def apollonian(num_nodes: int, seed: int = 1) -> BenchmarkGraph:
    """Return an Apollonian network: each new node is put into a triangle and joined to its corners."""
    rng = np.random.default_rng(seed)
    triangles, pairs = [(0, 1, 2)], [(0, 1), (0, 2), (1, 2)]
    for node in range(3, num_nodes):
        position = int(rng.random() * len(triangles))
        one, two, three = triangles[position]
        triangles[position] = (one, two, node)
        triangles += [(one, three, node), (two, three, node)]
        pairs += [(one, node), (two, node), (three, node)]
    return from_pairs(f"Apollonian {num_nodes:,}", num_nodes, np.array(pairs))


def delaunay(num_nodes: int, seed: int = 1) -> BenchmarkGraph:
    """Return the Delaunay triangulation of random points of the unit square."""
    corners = Delaunay(np.random.default_rng(seed).random((num_nodes, 2))).simplices.astype(np.int64)
    pairs = np.concatenate([corners[:, [0, 1]], corners[:, [0, 2]], corners[:, [1, 2]]])
    return from_pairs(f"Delaunay {num_nodes:,}", num_nodes, pairs)


def pairs_that_meet(num_items: int) -> BenchmarkGraph:
    """Return the pairs of some items, joined if they have an item in common."""
    one, two = np.triu_indices(num_items, 1)
    number = np.zeros((num_items, num_items), np.int64)
    number[one, two] = number[two, one] = np.arange(len(one))
    # Any two pairs with the same item are joined.
    with_item = [np.delete(number[item], item) for item in range(num_items)]
    first, second = np.triu_indices(num_items - 1, 1)
    pairs = np.concatenate([paired(all_of_it[first], all_of_it[second]) for all_of_it in with_item])
    return from_pairs(f"pairs of {num_items}", len(one), pairs)


def far_calls(side: int, calls: int, seed: int = 1) -> BenchmarkGraph:
    """Return a square grid with random long edges, of length d with probability proportional to d ** -2."""
    rng, squares = np.random.default_rng(seed), side * side
    caller = np.repeat(np.arange(squares), calls)
    # The logarithm of the distance is uniform, so that each of the d nodes at distance d has probability d ** -2.
    distance = np.exp(rng.random(len(caller)) * np.log(side / 2))
    turn = 2 * np.pi * rng.random(len(caller))
    row = (caller // side + np.rint(distance * np.sin(turn)).astype(np.int64)) % side
    column = (caller % side + np.rint(distance * np.cos(turn)).astype(np.int64)) % side
    pairs = np.concatenate([grid(side).edges(), paired(caller, row * side + column)])
    return from_pairs(f"far calls {side}x{side}", squares, pairs)


def layers(count: int, width: int, links: int, seed: int = 1) -> BenchmarkGraph:
    """Return layers of nodes, each joined to some of the next layer."""
    rng = np.random.default_rng(seed)
    tails = np.repeat(np.arange((count - 1) * width), links)
    heads = (tails // width + 1) * width + rng.integers(width, size=len(tails))
    return from_pairs(f"{count} layers of {width:,}", count * width, paired(tails, heads))


def permutations(length: int) -> BenchmarkGraph:
    """Return the permutations of some items, joined if they differ by a swap of adjacent items."""
    all_of_them = np.array(list(orders(range(length))))
    digits = length ** np.arange(length)
    # Permutations as sorted numbers, so that a permutation with a swap can be found.
    codes = np.sort(all_of_them @ digits)
    items = codes[:, None] // digits % length
    swapped = [
        codes + (items[:, i + 1] - items[:, i]) * (digits[i] - digits[i + 1]) for i in range(length - 1)
    ]
    pairs = [paired(np.arange(len(codes)), np.searchsorted(codes, other)) for other in swapped]
    return from_pairs(f"permutations of {length}", len(codes), np.concatenate(pairs))


def sites(count: int, largest: int, links: int, seed: int = 1) -> BenchmarkGraph:
    """Return web sites: pages are joined to their front page and the previous page, front pages to each other."""
    rng = np.random.default_rng(seed)
    sizes = np.maximum(2, (largest / np.arange(1, count + 1) ** 0.8).astype(np.int64))
    front = np.cumsum(sizes) - sizes
    num_nodes = int(sizes.sum())
    page, home = np.arange(num_nodes), np.repeat(front, sizes)
    inner = page[page != home]
    between = paired(front[rng.integers(count, size=links)], front[rng.integers(count, size=links)])
    pairs = np.concatenate([paired(inner, home[inner]), paired(inner, inner - 1), between])
    return from_pairs(f"{count} sites of {num_nodes:,} pages", num_nodes, pairs)


def ageing(num_nodes: int, links: int, memory: int, seed: int = 1) -> BenchmarkGraph:
    """Return a graph where each new node joins ends of recent edges."""
    rng = np.random.default_rng(seed)
    ends = list(range(links + 1)) * links
    pairs = []
    for node in range(links + 1, num_nodes):
        recent = ends[-memory:]
        for position in (rng.random(links) * len(recent)).astype(np.int64).tolist():
            pairs.append((node, recent[position]))
            ends += [node, recent[position]]
    return from_pairs(f"ageing {num_nodes:,}", num_nodes, np.array(pairs))


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


def ppi() -> BenchmarkGraph | None:
    """Return the 24 protein graphs of PPI as one, or None without their file."""
    folder = data_folder()
    path = folder and folder / "ppi" / "ppi_topology.npz"
    if path is None or not path.exists():
        return None
    with np.load(path) as data:
        nodes, edges = data["node_ptr"], data["edge_ptr"]
        # Each graph counts its nodes from 0.
        pairs = data["edges"] + np.repeat(nodes[:-1], np.diff(edges))[:, None]
        return from_pairs("PPI", int(nodes[-1]), pairs)


def tolokers() -> BenchmarkGraph | None:
    """Return the Tolokers graph, or None without its file."""
    folder = data_folder()
    path = folder and folder / "heterophilous" / "tolokers.npz"
    if path is None or not path.exists():
        return None
    with np.load(path) as data:
        return from_pairs("Tolokers", int(data["edges"].max()) + 1, data["edges"].astype(np.int64))


def facebook100() -> BenchmarkGraph | None:
    """Return four universities of Facebook100 as one graph of 1,087,129 edges, or None without their files."""
    folder = data_folder()
    paths = [folder / "facebook100" / f"{name}.mat" for name in UNIVERSITIES] if folder else []
    if not paths or not all(path.exists() for path in paths):
        return None
    parts = [loadmat(path)["A"].tocoo() for path in paths]
    starts = np.cumsum([0, *(part.shape[0] for part in parts)])
    pairs = [
        np.stack([part.row, part.col], axis=1).astype(np.int64) + start
        for part, start in zip(parts, starts, strict=False)
    ]
    return from_pairs("Facebook100, 4 universities", int(starts[-1]), np.concatenate(pairs))


#: Every benchmark graph by its short name; a function returns None if its data is missing.
GRAPHS: dict[str, Callable[[], BenchmarkGraph | None]] = {
    "facebook": facebook,
    "astroph": ca_astroph,
    "ppi": ppi,
    "tolokers": tolokers,
    "facebook100": facebook100,
    "rmat14": lambda: rmat(14),
    "rmat16": lambda: rmat(16),
    "rmat17": lambda: rmat(17),
    "ba": lambda: barabasi_albert(100_000),
    "grid": lambda: grid(1000),
    "er": lambda: erdos_renyi(1_000_000),
    "small": lambda: small_graphs(10_000),
}
#: Graphs of other kinds, with their radii: no constant of the GPU's choice was fitted to them.
HELD_OUT: list[tuple[Callable[[], BenchmarkGraph], tuple[int, ...]]] = [
    (lambda: apollonian(30_000), (1, 2, 3)),
    (lambda: delaunay(50_000), (2, 3, 4)),
    (lambda: pairs_that_meet(130), (1, 2)),
    (lambda: far_calls(180, 3), (1, 2, 3)),
    (lambda: layers(60, 400, 12), (1, 2, 3)),
    (lambda: permutations(8), (2, 3, 4)),
    (lambda: sites(500, 3_000, 6_000), (1, 2, 3)),
    (lambda: ageing(40_000, 10, 4_000), (1, 2, 3)),
]
