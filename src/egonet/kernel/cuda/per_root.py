"""The search from one root at a time: by a warp if the ball is small, else by a block, in shared or device memory."""

import numpy as np

from egonet.kernel.cuda.buffers import RowBuffer, gather
from egonet.kernel.cuda.choose import (
    DENSE_CODES,
    NARROW,
    Algorithm,
    SearchTask,
    block_shared,
    blocks_together,
)
from egonet.kernel.cuda.device_rows import DeviceRows

WARPS = 8
#: The largest guess for the length of a row.
LONG_ROW = 4096
#: Slots, queue and codes of a warp; as in `warp.cu`.
SLOTS, QUEUE, CODE_SLOTS = 512, 384, 256


def encode_per_root(task: SearchTask, first: Algorithm) -> DeviceRows:
    """Return the rows of all roots, by `first` where it supports a root and by a larger search elsewhere.

    The capacity for entries is a guess. If it is too small, the cursor has the needed capacity, and the search runs
    again.
    """
    capacity = guess_capacity(task)
    num_queues = block_grid(task, task.num_roots) if first == "block" else 0
    while True:
        buffer = RowBuffer(task, capacity, num_queues)
        search_into(buffer, task, first)
        rows = gather(buffer)
        if rows is not None:
            return rows
        capacity = buffer.needed
        del buffer


def guess_capacity(task: SearchTask) -> int:
    """Return the capacity for entries: no row is longer than a ball or has a code twice."""
    longest = min(task.codec.range, task.facts.num_nodes, LONG_ROW)
    return max(1, min(task.num_roots * longest, task.device.free_bytes() // 64))


def search_into(buffer: RowBuffer, task: SearchTask, first: Algorithm) -> None:
    """Fill the buffer: each search takes the roots that the previous one left over."""
    task.wait()
    if first == "warp":
        search_by_warps(buffer, task)
    if buffer.num_todo == 0:
        return
    grid = 0 if first == "ball" else buffer.num_queues or block_grid(task, buffer.num_todo)
    if grid:
        search_by_blocks(buffer, task, grid)
    else:
        search_balls(buffer, task)


def search_by_warps(buffer: RowBuffer, task: SearchTask) -> None:
    """Search from every root with a warp; rows are sorted if codes are few."""
    device, codec = task.device, task.codec
    dense = codec.range <= DENSE_CODES
    kind = "levels" if task.needs_levels else "scan"
    size = -(-codec.range // 32) * 32 if dense else CODE_SLOTS
    num_words = SLOTS + QUEUE // 2 + size + (0 if kind == "scan" else SLOTS // 2)
    num_words += 0 if dense else 2 * CODE_SLOTS + 4
    name = f"warp.warp_{kind}" + ("_dense" if dense else "" if codec.range <= NARROW else "_wide")
    keys = (codec.base, codec.limit, max(codec.num_labels, 1), task.labels, codec.kind)
    graph = (task.roots, task.radius, int(task.frontier_edges), task.row_ptr, task.indices)
    grid = max(1, min(8 * device.num_multiprocessors, -(-task.num_roots // (4 * WARPS))))
    counter, left = buffer.next_pass(leaves=True)
    arrays = (size, counter[0], left, counter[1], *buffer.arrays)
    device.launch(
        name, grid, 32 * WARPS, *keys, task.num_roots, *graph, *arrays, shared=4 * num_words * WARPS
    )
    buffer.is_sorted = dense
    buffer.leave(left)


def block_grid(task: SearchTask, num_todo: int) -> int:
    """Return the number of blocks: at most what runs at once and has memory for queues; 0 if it is unsupported."""
    device, facts = task.device, task.facts
    frontier_edges, shared_bytes = task.frontier_edges, device.shared_bytes
    each = blocks_together(
        facts, task.codec, task.radius, frontier_edges=frontier_edges, shared_bytes=shared_bytes
    )
    fitting = device.free_bytes() // (8 * facts.num_nodes)
    return min(each * device.num_multiprocessors, num_todo, max(1, fitting))


def search_by_blocks(buffer: RowBuffer, task: SearchTask, grid: int) -> None:
    """Search with a block and bits in shared memory from the roots that are left."""
    device, codec, num_nodes = task.device, task.codec, task.facts.num_nodes
    shared = block_shared(task.facts, codec, task.radius)
    queues = buffer.space["queues"] if buffer.num_queues else device.empty(grid * num_nodes, np.int32)
    sizes = (num_nodes, codec.base, codec.limit, buffer.num_todo, buffer.todo, task.roots, task.radius)
    counter, _ = buffer.next_pass(leaves=False)
    graph = (task.row_ptr, task.indices, counter[0])
    device.launch(
        "block.block_total", grid, 256, *sizes, *graph, *buffer.arrays, queues, num_nodes, shared=shared
    )


def search_balls(buffer: RowBuffer, task: SearchTask) -> None:
    """Search with a block and all its state in device memory from the roots that are left."""
    device, codec, num_nodes = task.device, task.codec, task.facts.num_nodes
    slots = 1 << (2 * num_nodes - 1).bit_length()
    each = 12 * num_nodes + 12 * slots
    grid = max(1, min(4 * device.num_multiprocessors, buffer.num_todo, device.free_bytes() // (2 * each)))
    scratch = device.zeros(grid * (3 * num_nodes + slots), np.int32).reshape(grid, -1)
    scratch[:, :num_nodes] = -1
    key_scratch = device.empty(grid * slots, np.int64)
    key_scratch.fill(-1)
    keys = (codec.base, codec.limit, max(codec.num_labels, 1), task.labels, codec.kind)
    sizes = (num_nodes, buffer.num_todo, buffer.todo, task.roots, task.radius, int(task.frontier_edges))
    name = "ball.ball" if codec.range <= NARROW else "ball.ball_wide"
    counter, _ = buffer.next_pass(leaves=False)
    graph = (task.row_ptr, task.indices, counter[0])
    device.launch(name, grid, 256, *keys, *sizes, *graph, *buffer.arrays, scratch, key_scratch, slots)
    buffer.is_sorted = False
