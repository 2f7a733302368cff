"""What a cluster will have to do, predicted from a sample before anything starts."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from egonet.encoding.settings import Settings
from egonet.errors import InputError, MemoryLimitError
from egonet.kernel.cost import show_bytes
from egonet.store.blocks import count_block
from egonet.store.color_triples import color_of, num_groups
from egonet.store.neighborhoods import ball
from egonet.store.stored_graph import GraphStore
from egonet.typing import Int64s

Strategy: TypeAlias = Literal["ranges", "triples", "halo"]

#: Of a worker: row pointers, neighbors, and the kernel's headers and marks a node.
BYTES_PER_NODE, BYTES_PER_ARC = 32, 4
#: An edge of a color triple: as it arrives, sorted both ways, and counted.
BYTES_PER_TRIPLE_EDGE = 48
BYTES_PER_ROW = {"edges": 12, "supports": 12}
SAMPLE_ROOTS, SAMPLE_ARCS, SAMPLE_RANGES = 2_000, 4_000, 3


@dataclass(frozen=True)
class Plan:
    """How a graph is encoded on a cluster, and what that moves.

    Attributes
    ----------
    strategy
        "ranges": every task maps the whole graph. "triples": groups of three colors hold a part of the edges
        each (radius 1). "halo": every task takes the part of the graph that its roots see.
    tasks
        Kernel tasks: ranges of roots, and for triples the groups too.
    partitions
        Ranges of roots, which is also the number of shards.
    colors
        ρ, for triples.
    rows_moved
        Rows that pass through the barriers between stages; 0 for ranges and halo.
    bytes_moved
        The bytes of those rows, or of the parts that the halos read.
    bytes_per_task
        The largest memory that a task is predicted to need.
    num_entries
        Entries of the encoding.
    """

    strategy: Strategy
    tasks: int
    partitions: int
    colors: int
    rows_moved: int
    bytes_moved: int
    bytes_per_task: int
    num_entries: int

    def __str__(self) -> str:
        """Return the plan in one sentence."""
        moved = f"{self.rows_moved:,} rows, {show_bytes(self.bytes_moved)} moved" if self.rows_moved else ""
        read = f"{show_bytes(self.bytes_moved)} of halos read" if self.strategy == "halo" else ""
        what = {"ranges": "ranges of roots", "triples": f"triples of {self.colors} colors", "halo": "halos"}
        facts = [
            f"{self.tasks:,} tasks",
            moved or read,
            f"{show_bytes(self.bytes_per_task)} a task",
            f"{self.num_entries:,} entries",
        ]
        return f"{what[self.strategy]}: {', '.join(fact for fact in facts if fact)}"


def make_plan(
    held: GraphStore,
    settings: Settings,
    *,
    memory_per_task: int,
    partitions: int,
    strategy: Strategy | None = None,
    colors: int | None = None,
) -> Plan:
    """Return the way to encode a stored graph with so much memory a task.

    Raises
    ------
    MemoryLimitError
        If no way fits; the message says what would.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from egonet import named
    >>> from egonet.store.stored_graph import store_graph
    >>> held = store_graph(named.cycle(100), Path(tempfile.mkdtemp()) / "graph")
    >>> plan = make_plan(held, Settings((1,)), memory_per_task=10**6, partitions=4)
    >>> plan.strategy, plan.tasks, plan.num_entries
    ('ranges', 4, 200)
    """
    whole = BYTES_PER_NODE * held.num_nodes + BYTES_PER_ARC * len(held.indices)
    triples_possible = max(settings.radius) <= 1 and held.directed is None
    if strategy is None:
        strategy = "ranges" if whole <= memory_per_task else "triples" if triples_possible else "halo"
    if strategy == "triples" and not triples_possible:
        raise InputError("triples serve radius 0 and 1 on undirected graphs only. Leave strategy out.")
    entries = _predict_entries(held, settings)
    if strategy == "ranges":
        return Plan("ranges", partitions, partitions, 0, 0, 0, whole, entries)
    if strategy == "triples":
        return _plan_triples(held, memory_per_task, partitions, colors, entries)
    return _plan_halo(held, max(settings.radius), memory_per_task, partitions, entries)


def bounds_of(num_nodes: int, partitions: int) -> list[int]:
    """Return the first root of every range, and the end; ranges are equally long but for the last.

    Examples
    --------
    >>> bounds_of(10, 4)
    [0, 3, 6, 9, 10]
    """
    size = -(-num_nodes // partitions) if num_nodes else 1
    return [*range(0, num_nodes, size), num_nodes]


def halo_bytes(held: GraphStore, first: int, last: int, radius: int) -> int:
    """Return the bytes of the part of the graph that a range of roots sees."""
    seen = ball(held.indptr, held.indices, np.arange(first, last), max(radius, 1))
    return BYTES_PER_NODE * len(seen) + BYTES_PER_ARC * int((held.indptr[seen + 1] - held.indptr[seen]).sum())


def _predict_entries(held: GraphStore, settings: Settings) -> int:
    """Return the entries of the encoding, from evenly spread roots."""
    if not held.num_nodes:
        return 0
    sample = np.linspace(0, held.num_nodes - 1, min(held.num_nodes, SAMPLE_ROOTS)).astype(np.int64)
    block = count_block(held.indptr, held.indices, sample, settings, symmetric=held.directed is None)
    return round(len(block.columns) / len(sample) * held.num_nodes)


def _plan_triples(held: GraphStore, memory: int, partitions: int, colors: int | None, entries: int) -> Plan:
    num_edges = len(held.indices) // 2
    if colors is None:
        # A group of three different colors holds about 6 m / ρ² edges, whatever the degrees.
        colors = max(1, int(np.ceil(np.sqrt(6 * num_edges * BYTES_PER_TRIPLE_EDGE / max(memory, 1)))))
    group = min(6 * num_edges / colors**2, num_edges)
    edges = colors * num_edges
    supports = 2 * _supported_copies(held, colors)
    moved = edges * BYTES_PER_ROW["edges"] + supports * BYTES_PER_ROW["supports"]
    task = max(int(group * BYTES_PER_TRIPLE_EDGE), 1)
    ranges = len(bounds_of(held.num_nodes, partitions)) - 1
    tasks = num_groups(colors) + ranges
    return Plan("triples", tasks, ranges, colors, edges + supports, moved, task, entries)


def _supported_copies(held: GraphStore, colors: int) -> int:
    """Return how many (edge, group) pairs have a triangle, from evenly spread arcs.

    An edge is counted in one group for each color among the common neighbors of its ends.
    """
    total = len(held.indices)
    if not total:
        return 0
    arcs = np.unique(np.linspace(0, total - 1, min(total, SAMPLE_ARCS)).astype(np.int64))
    owners = np.searchsorted(held.indptr, arcs, side="right") - 1
    found = 0
    for u, v in zip(owners.tolist(), held.indices[arcs].tolist(), strict=True):
        common = np.intersect1d(_list(held, u), _list(held, v), assume_unique=True)
        found += len(np.unique(color_of(common, colors)))
    return round(found / len(arcs) * total / 2)


def _list(held: GraphStore, v: int) -> Int64s:
    return held.indices[held.indptr[v] : held.indptr[v + 1]].astype(np.int64)


def _plan_halo(held: GraphStore, radius: int, memory: int, partitions: int, entries: int) -> Plan:
    bounds = bounds_of(held.num_nodes, partitions)
    ranges = len(bounds) - 1
    chosen = np.unique(np.linspace(0, ranges - 1, min(ranges, SAMPLE_RANGES)).astype(int)).tolist()
    sizes = [halo_bytes(held, bounds[i], bounds[i + 1], radius) for i in chosen]
    largest = max(sizes, default=0)
    if largest > memory:
        raise MemoryLimitError(
            f"at radius {radius} a task of {bounds[1]:,} roots sees about {show_bytes(largest)} of the graph, above "
            f"the {show_bytes(memory)} a task may use. Allow more memory a task, or more partitions where the graph "
            "has no hubs; else use radius 1, or cap=."
        )
    read = round(float(np.mean(sizes)) * ranges) if sizes else 0
    return Plan("halo", ranges, ranges, 0, 0, read, largest, entries)
