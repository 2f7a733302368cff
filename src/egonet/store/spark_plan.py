"""The strategy of a cluster run and its predicted cost, from a sample of the graph."""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from egonet.encoding.settings import Settings
from egonet.errors import InputError, MemoryLimitError, option
from egonet.kernel.cost import show_bytes
from egonet.store.blocks import count_block
from egonet.store.graph import GraphStore, ball
from egonet.store.spark_tasks import BYTES_PER_ARC, BYTES_PER_NODE, color_of, num_groups, subgraph_bytes
from egonet.typing import Int64s

Strategy: TypeAlias = Literal["ranges", "triples", "halo"]

#: An edge of a group: as read, sorted in both directions, and counted.
BYTES_PER_TRIPLE_EDGE = 48
BYTES_PER_ROW = {"edges": 12, "supports": 12}
SAMPLE_ROOTS, SAMPLE_ARCS, SAMPLE_RANGES = 2_000, 4_000, 3


@dataclass(frozen=True)
class SparkPlan:
    """The strategy of a cluster run and its predicted cost.

    Attributes
    ----------
    strategy
        "ranges": every task maps the whole graph. "triples": every group of three colors has a part of the edges
        (radius 1). "halo": every task reads the union of the ego-networks of its roots.
    tasks
        The number of tasks: ranges of roots, and for triples also groups.
    partitions
        The number of ranges of roots, and of shards.
    colors
        ρ, for triples.
    rows_moved
        Intermediate rows between stages; 0 for ranges and halo.
    bytes_moved
        The bytes of those rows, or of the subgraphs that halos read.
    bytes_per_task
        The predicted memory of the largest task.
    num_entries
        The predicted number of entries of the encoding.
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
        moved = f"{self.rows_moved:,} rows, {show_bytes(self.bytes_moved)} moved" if self.rows_moved else ""
        read = f"{show_bytes(self.bytes_moved)} of halos read" if self.strategy == "halo" else ""
        what = {"ranges": "ranges of roots", "triples": f"triples of {self.colors} colors", "halo": "halos"}
        facts = [
            f"{self.tasks:,} tasks",
            moved or read,
            f"{show_bytes(self.bytes_per_task)} per task",
            f"{self.num_entries:,} entries",
        ]
        return f"{what[self.strategy]}: {', '.join(fact for fact in facts if fact)}"


@dataclass(frozen=True)
class SparkLimits:
    """The limits of a cluster run: the bytes of a task, and the ranges of roots (None for four per core).

    `strategy` and `colors` replace the choice of `make_plan`, if given.
    """

    memory_per_task: int
    partitions: int | None = None
    strategy: Strategy | None = None
    colors: int | None = None

    def with_partitions(self, num_nodes: int, *, cores: int) -> "SparkLimits":
        """Return the same limits with a number of partitions."""
        return replace(self, partitions=self.partitions or max(1, min(4 * cores, num_nodes)))


def make_plan(stored: GraphStore, settings: Settings, limits: SparkLimits) -> SparkPlan:
    """Return the strategy that encodes a stored graph within the limits of a cluster.

    Raises
    ------
    MemoryLimitError
        If no strategy fits.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from egonet import named
    >>> from egonet.store.graph import store_graph
    >>> stored = store_graph(named.cycle(100), Path(tempfile.mkdtemp()) / "graph")
    >>> plan = make_plan(stored, Settings(1), SparkLimits(10**6, partitions=4))
    >>> plan.strategy, plan.tasks, plan.num_entries
    ('ranges', 4, 200)
    """
    memory, partitions, strategy = limits.memory_per_task, limits.partitions or 1, limits.strategy
    graph_bytes = BYTES_PER_NODE * stored.num_nodes + BYTES_PER_ARC * len(stored.indices)
    triples_possible = max(settings.radius) <= 1 and stored.directed is None
    if strategy is None:
        strategy = "ranges" if graph_bytes <= memory else "triples" if triples_possible else "halo"
    if strategy == "triples" and not triples_possible:
        raise InputError("triples support only radius 0 and 1 on undirected graphs. Leave strategy out.")
    entries = _predict_entries(stored, settings)
    if strategy == "ranges":
        return SparkPlan("ranges", partitions, partitions, 0, 0, 0, graph_bytes, entries)
    if strategy == "triples":
        return _plan_triples(stored, memory, partitions, limits.colors, entries)
    return _plan_halo(stored, max(settings.radius), memory, partitions, entries)


def bounds_of(num_nodes: int, partitions: int) -> list[int]:
    """Return the first root of every range, and the end; all ranges but the last have equal lengths.

    >>> bounds_of(10, 4)
    [0, 3, 6, 9, 10]
    """
    size = -(-num_nodes // partitions) if num_nodes else 1
    return [*range(0, num_nodes, size), num_nodes]


def _predict_entries(stored: GraphStore, settings: Settings) -> int:
    """Return the predicted entries of the encoding, from evenly spaced roots."""
    if not stored.num_nodes:
        return 0
    sample = np.linspace(0, stored.num_nodes - 1, min(stored.num_nodes, SAMPLE_ROOTS)).astype(np.int64)
    block = count_block(stored.indptr, stored.indices, sample, settings, symmetric=stored.directed is None)
    return round(len(block.columns) / len(sample) * stored.num_nodes)


def _plan_triples(
    stored: GraphStore, memory: int, partitions: int, colors: int | None, entries: int
) -> SparkPlan:
    num_edges = len(stored.indices) // 2
    if colors is None:
        # A group of three different colors has about 6 m / ρ² edges, for any degrees.
        colors = max(1, int(np.ceil(np.sqrt(6 * num_edges * BYTES_PER_TRIPLE_EDGE / max(memory, 1)))))
    group = min(6 * num_edges / colors**2, num_edges)
    edges = colors * num_edges
    supports = 2 * _supported_copies(stored, colors)
    moved = edges * BYTES_PER_ROW["edges"] + supports * BYTES_PER_ROW["supports"]
    task = max(int(group * BYTES_PER_TRIPLE_EDGE), 1)
    ranges = len(bounds_of(stored.num_nodes, partitions)) - 1
    tasks = num_groups(colors) + ranges
    return SparkPlan("triples", tasks, ranges, colors, edges + supports, moved, task, entries)


def _supported_copies(stored: GraphStore, colors: int) -> int:
    """Return the predicted number of (edge, group) pairs with a triangle, from evenly spaced arcs.

    An edge is counted in one group for each color among the common neighbors of its ends.
    """
    total = len(stored.indices)
    if not total:
        return 0
    arcs = np.unique(np.linspace(0, total - 1, min(total, SAMPLE_ARCS)).astype(np.int64))
    owners = np.searchsorted(stored.indptr, arcs, side="right") - 1
    copies = 0
    for u, v in zip(owners.tolist(), stored.indices[arcs].tolist(), strict=True):
        common = np.intersect1d(_neighbors(stored, u), _neighbors(stored, v), assume_unique=True)
        copies += len(np.unique(color_of(common, colors)))
    return round(copies / len(arcs) * total / 2)


def _neighbors(stored: GraphStore, v: int) -> Int64s:
    return stored.indices[stored.indptr[v] : stored.indptr[v + 1]].astype(np.int64)


def _plan_halo(stored: GraphStore, radius: int, memory: int, partitions: int, entries: int) -> SparkPlan:
    bounds = bounds_of(stored.num_nodes, partitions)
    ranges = len(bounds) - 1
    chosen = np.unique(np.linspace(0, ranges - 1, min(ranges, SAMPLE_RANGES)).astype(int)).tolist()
    halos = (
        ball(stored.indptr, stored.indices, np.arange(bounds[i], bounds[i + 1]), max(radius, 1))
        for i in chosen
    )
    sizes = [subgraph_bytes(stored, halo) for halo in halos]
    largest = max(sizes, default=0)
    if largest > memory:
        raise MemoryLimitError(
            f"at radius {radius} a task of {bounds[1]:,} roots needs about {show_bytes(largest)} of the graph, above "
            f"the limit of {show_bytes(memory)} per task. Allow more memory per task, or more partitions if the graph "
            f"has no hubs; otherwise use radius 1, or {option('cap')}."
        )
    read = round(float(np.mean(sizes)) * ranges) if sizes else 0
    return SparkPlan("halo", ranges, ranges, 0, 0, read, largest, entries)
