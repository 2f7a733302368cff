"""The bitwise search: hundreds of roots at a time, a bit each, for balls that overlap (`bits.cuh` has the layout)."""

from dataclasses import dataclass

import numpy as np

from egonet.kernel.cuda.choose import BATCH_ROOTS, GROUP_ROOTS, HUB_DEGREE, SearchTask
from egonet.kernel.cuda.device import DeviceArray
from egonet.kernel.cuda.device_rows import FoundRows, number_marks, prefix_sums
from egonet.kernel.cuda.triangles import blocks

#: Size of a row of a set in 32-bit integers: a bit for each root of a group.
ROW_WORDS = GROUP_ROOTS // 32
#: A row of HUB_DEGREE arcs or more is processed by a warp, of this many or more by a block.
GIANT_DEGREE = 4096
#: The largest number of rows whose values are stored instead of binned.
FAR_ROWS = 256
#: Tests set a smaller number.
MOST_FAR = FAR_ROWS
#: Values whose bins of a block are in shared memory, at most.
SHARED_VALUES = 200
#: Blocks that share one group of roots, and rows that a block may bin without overflow.
GROUP_BLOCKS, BLOCK_ROWS = 66, 60_000
#: Values that one thread reads, and the part of the free memory that a batch of roots may take.
CHUNK, MEMORY_PART = 128, 4


@dataclass(frozen=True, eq=False)
class RankedGraph:
    """The graph renumbered by increasing degree, without isolated nodes; see `bits.cuh`.

    Attributes
    ----------
    rank
        int32 (all nodes): the new number, negative for isolated nodes.
    rows
        int32 (num_nodes,): the old number of every new one.
    row_ptr, heads
        int32: the renumbered graph.
    run_of, run_begin
        int32 and int64: runs of equal degree within the rows; arc k is in run `run_of[k + 1] - 1`.
    num_low, num_hub
        The first rows of at least HUB_DEGREE and GIANT_DEGREE arcs.
    far, first_far
        Values of at least `far` occur only in rows from `first_far` on, of which there are at most FAR_ROWS.
    """

    rank: DeviceArray
    rows: DeviceArray
    row_ptr: DeviceArray
    heads: DeviceArray
    run_of: DeviceArray
    run_begin: DeviceArray
    num_low: int
    num_hub: int
    far: int
    first_far: int

    @property
    def num_nodes(self) -> int:
        """Return how many nodes have neighbors."""
        return len(self.rows)


def encode_bitwise(task: SearchTask) -> list[FoundRows]:
    """Return the rows of all roots, in batches by increasing degree; isolated roots come last."""
    device = task.device
    graph = rank_graph(task)
    rows, roots, alone = split_roots(task, graph)
    parts = []
    size = batch_roots(task, graph)
    if len(roots):
        work = Batch(task, graph, min(size, -(-len(roots) // GROUP_ROOTS) * GROUP_ROOTS))
        for first in range(0, len(roots), size):
            parts.append(work.encode(roots[first : first + size], rows[first : first + size]))
    if len(alone):
        ones = device.zeros(len(alone), np.int32) + np.int32(1)
        start = device.zeros(len(alone), np.int64)
        parts.append(FoundRows(alone, start, ones, device.zeros(1, np.int32), ones, len(alone)))
    return parts


def rank_graph(task: SearchTask) -> RankedGraph:
    """Return the graph renumbered by increasing degree."""
    device, facts = task.device, task.facts
    isolated, num_arcs = facts.num_isolated, facts.num_arcs
    degrees = task.row_ptr[1:] - task.row_ptr[:-1]
    order = device.argsort(degrees)
    rank = device.empty(facts.num_nodes, np.int32)
    rank[order] = device.arange(-isolated, facts.num_nodes - isolated)
    rows = order[isolated:].astype(np.int32)
    ranked_degrees = degrees[rows]
    row_ptr = prefix_sums(device, "sum_lengths", ranked_degrees, np.int64).astype(np.int32)
    shift = max(1, (len(rows) - 1).bit_length())
    arcs = sorted_arcs(task, rank, shift)
    heads, begins = device.empty(num_arcs, np.int32), device.empty(num_arcs, np.uint8)
    kernel = "bitwise_rows.split_ranked_arcs" + ("_narrow" if arcs.dtype == np.uint32 else "")
    arrays = (arcs, row_ptr, heads, begins)
    device.launch(kernel, blocks(num_arcs), 256, num_arcs, shift, task.codec.limit, *arrays)
    run_of, listed = number_marks(device, begins)
    # One more than the largest degree that is not far, so that at most MOST_FAR rows reach it.
    far = max(HUB_DEGREE, int(ranked_degrees[-MOST_FAR - 1]) + 1 if len(rows) > MOST_FAR else 0)
    bounds = (HUB_DEGREE, GIANT_DEGREE, far)
    low, hub, first_far = device.download(device.searchsorted(ranked_degrees, bounds)).tolist()
    return RankedGraph(rank, rows, row_ptr, heads, run_of, listed[1:], low, hub, far, first_far)


def sorted_arcs(task: SearchTask, rank: DeviceArray, shift: int) -> DeviceArray:
    """Return every arc as rank of its tail << shift | rank of its head, sorted; in 32 bits if they fit."""
    device, num_nodes, num_arcs = task.device, task.facts.num_nodes, task.facts.num_arcs
    narrow = 2 * shift <= 32
    arcs = device.empty(num_arcs, np.uint32 if narrow else np.uint64)
    kernel = "orient.rank_arcs" + ("_narrow" if narrow else "")
    arrays = (task.row_ptr, task.indices, rank, arcs)
    device.launch(kernel, blocks(num_arcs), 256, num_nodes, num_arcs, shift, *arrays)
    return device.sort(arcs)


def split_roots(task: SearchTask, graph: RankedGraph) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
    """Return rows and new numbers of the roots with neighbors, by increasing degree, and rows of isolated roots."""
    device, isolated = task.device, task.facts.num_isolated
    if task.roots is None:
        roots = device.arange(0, graph.num_nodes)
        alone = device.nonzero(graph.rank < 0) if isolated else device.empty(0, np.int32)
        return graph.rows, roots, alone.astype(np.int32)
    ranks = graph.rank[task.roots]
    alone, rows = device.nonzero(ranks < 0), device.nonzero(ranks >= 0)
    rows = rows[device.argsort(ranks[rows])]
    return rows.astype(np.int32), ranks[rows], alone.astype(np.int32)


def batch_roots(task: SearchTask, graph: RankedGraph) -> int:
    """Return the number of roots of a batch: whole groups, whose sets and bins fit a part of the free memory."""
    values = num_bins(task, graph)
    each = 12 * graph.num_nodes * ROW_WORDS + 4 * GROUP_ROOTS * values
    fitting = max(1, task.device.free_bytes() // (MEMORY_PART * each))
    return int(min(fitting, max(1, BATCH_ROOTS // GROUP_ROOTS))) * GROUP_ROOTS


def num_bins(task: SearchTask, graph: RankedGraph) -> int:
    """Return the number of values with bins: in the last ring only those that are not far."""
    return (task.radius - 2) * task.codec.base + min(task.codec.base, graph.far)


class Batch:
    """The buffers of a batch of roots, reused for the next batch."""

    def __init__(self, task: SearchTask, graph: RankedGraph, size: int) -> None:
        """Allocate sets and bins for `size` roots, whole groups of them."""
        device = task.device
        self.task, self.graph, self.size = task, graph, size
        self.groups = size // GROUP_ROOTS
        self.map_words = (graph.num_nodes + 31) // 32
        self.num_values = num_bins(task, graph)
        self.sets = [device.empty(self.groups * graph.num_nodes * ROW_WORDS, np.uint32) for _ in range(2)]
        self.bins = device.zeros(self.num_values * size, np.uint32)
        self.used = device.empty(-(-self.num_values // CHUNK) * size, np.int32)
        self.num_far_rows = graph.num_nodes - graph.first_far if graph.far < task.codec.base else 0
        self.far_values = device.empty(self.num_far_rows * size, np.int32)
        self.far_runs = device.empty(2 * FAR_ROWS * size if self.num_far_rows else 0, np.int32)
        self.num_far = device.empty(size, np.int32) if self.num_far_rows else None

    def encode(self, roots: DeviceArray, rows: DeviceArray) -> FoundRows:
        """Return the rows of some roots, given by their new numbers."""
        self.fill_bins(roots)
        return self.drain(roots, rows)

    def launch(
        self, kernel: str, grid: int, groups: int, threads: int, *args: object, shared: int = 0
    ) -> None:
        """Run a kernel, named "family.kernel", for every group."""
        self.task.device.launch(kernel, (grid, groups), threads, *args, shared=shared)

    def fill_bins(self, roots: DeviceArray) -> None:
        """Widen the balls of the roots ring by ring and bin every ring from distance 2 on."""
        device, graph, task = self.task.device, self.graph, self.task
        groups = -(-len(roots) // GROUP_ROOTS)
        inner, outer = self.sets
        maps = device.zeros(2 * groups * self.map_words, np.uint32).reshape(2, -1)
        some, full = maps[0], maps[1]
        size = groups * graph.num_nodes * ROW_WORDS
        device.clear(inner[:size])
        graph_arrays = (graph.row_ptr, graph.heads)
        sizes = (graph.num_nodes, self.map_words)
        self.launch("widen.seed_sets", len(roots), 1, 64, *sizes, *graph_arrays, roots, inner, some)
        if len(roots) % GROUP_ROOTS:
            last_set, last_map = inner[(groups - 1) * graph.num_nodes * ROW_WORDS :], some[-self.map_words :]
            grid = blocks(max(graph.num_nodes, self.map_words))
            self.launch("widen.fill_unused", grid, 1, 256, *sizes, len(roots), last_set, last_map)
        for distance in range(2, task.radius + 1):
            next_maps = device.zeros(2 * groups * self.map_words, np.uint32).reshape(2, -1)
            self.widen(groups, inner, some, outer, next_maps)
            bins = self.bins[(distance - 2) * task.codec.base * self.size :]
            if distance < task.radius:
                grid = blocks(-(-graph.num_nodes // 32) * 8)
                limits = (graph.num_nodes, task.codec.limit, graph.row_ptr)
                self.launch("count.count_inner", grid, groups, 256, *limits, inner, outer, bins, self.size)
            else:
                near = (inner, some, full)
                counted = (outer, next_maps[0], next_maps[1]) if task.frontier_edges else near
                self.count(groups, inner, outer, counted, bins)
            inner, outer = outer, inner
            some, full = next_maps[0], next_maps[1]

    def widen(
        self, groups: int, inner: DeviceArray, some: DeviceArray, outer: DeviceArray, maps: DeviceArray
    ) -> None:
        """Set `outer` to the balls one step wider than `inner`, and mark its rows in the maps."""
        graph, map_words = self.graph, self.map_words
        arrays = (graph.row_ptr, graph.heads, inner, some, outer, maps[0], maps[1])
        giants = graph.num_nodes - graph.num_hub
        if giants:
            self.launch("widen.widen_giants", giants, groups, 256, graph.num_nodes, map_words, *arrays)
        hubs = graph.num_hub - graph.num_low
        if hubs:
            limits = (graph.num_nodes, graph.num_low, graph.num_hub, map_words)
            self.launch("widen.widen_hubs", -(-hubs // 8), groups, 256, *limits, *arrays)
        if graph.num_low:
            sizes = (graph.num_nodes, graph.num_low, map_words)
            grid = max(1, min(2 * GROUP_BLOCKS, -(-graph.num_low // 64)))
            self.launch("widen.widen_low", grid, groups, 512, *sizes, *arrays, shared=4 * map_words)

    def count(
        self,
        groups: int,
        inner: DeviceArray,
        outer: DeviceArray,
        counted: tuple[DeviceArray, DeviceArray, DeviceArray],
        bins: DeviceArray,
    ) -> None:
        """Bin the last ring, outer less inner, by neighbors inside the `counted` balls (set, some, full)."""
        graph, limit = self.graph, self.task.codec.limit
        arrays = (graph.row_ptr, graph.heads, inner, outer, *counted, bins, self.size)
        far = (limit, graph.far, graph.first_far, self.far_values)
        self.task.device.clear(self.far_values)
        giants = graph.num_nodes - graph.num_hub
        if giants:
            self.launch(
                "count.count_giants", giants, groups, 256, graph.num_nodes, self.map_words, *far, *arrays
            )
        hubs = graph.num_hub - graph.num_low
        if hubs:
            limits = (graph.num_nodes, graph.num_low, graph.num_hub, self.map_words)
            self.launch("count.count_hubs", -(-hubs // 8), groups, 256, *limits, *far, *arrays)
        num_rows = graph.num_low
        if num_rows:
            maps, row = 8 * self.map_words, 2 * GROUP_ROOTS
            values = min(limit + 1, SHARED_VALUES, (self.task.device.shared_bytes - maps - 1024) // row)
            sizes = (graph.num_nodes, num_rows, self.map_words, limit, values)
            grid = max(min(GROUP_BLOCKS, -(-num_rows // 128)), -(-num_rows // BLOCK_ROWS))
            self.launch("count.count_low", grid, groups, 1024, *sizes, *arrays, shared=maps + values * row)

    def drain(self, roots: DeviceArray, rows: DeviceArray) -> FoundRows:
        """Return the rows of the batch, and clear the bins."""
        device, graph, task, num = self.task.device, self.graph, self.task, len(roots)
        chunks = -(-self.num_values // CHUNK)
        columns = -(-num // 256)
        near = (roots, graph.row_ptr, graph.run_of)
        device.launch(
            "bitwise_rows.count_bins",
            (chunks, columns),
            256,
            self.num_values,
            self.size,
            self.bins,
            self.used,
        )
        if self.num_far_rows:
            far = (self.num_far_rows, self.size, num, self.far_values, self.far_runs, self.num_far)
            device.launch("bitwise_rows.sort_far", -(-num // 8), 256, *far)
        length = device.empty(num, np.int32)
        ends = (self.used, self.num_far, length)
        device.launch("bitwise_rows.row_lengths", -(-num // 8), 256, chunks, self.size, num, *near, *ends)
        start = prefix_sums(device, "sum_lengths", length, np.int64)
        total = int(start[num])
        codes, counts = device.empty(total, np.int32), device.empty(total, np.int32)
        base, limit = task.codec.base, task.codec.limit
        entries = (start, codes, counts)
        bins = (*near, self.bins, self.used)
        sizes = (self.num_values, self.size, num, 2 * base)
        device.launch("bitwise_rows.drain_bins", (chunks, columns), 256, *sizes, *bins, *entries)
        arrays = (roots, graph.row_ptr, graph.heads, graph.run_of, graph.run_begin)
        device.launch("bitwise_rows.write_near", -(-num // 8), 256, num, base, limit, *arrays, *entries)
        if self.num_far_rows:
            runs = (self.far_runs, self.num_far, start, length, codes, counts)
            device.launch("bitwise_rows.write_far", -(-num // 8), 256, num, task.radius * base, *runs)
        return FoundRows(rows, start[:num], length, codes, counts, total)
