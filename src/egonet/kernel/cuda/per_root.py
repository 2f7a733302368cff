"""One root at a time: by a warp while the ball is small, else by a block, in shared or in device memory."""

import numpy as np

from egonet.kernel.cuda import choose as plan
from egonet.kernel.cuda.buffers import Arena, gather
from egonet.kernel.cuda.codec import NARROW
from egonet.kernel.cuda.device_rows import DeviceRows
from egonet.kernel.cuda.task import Task

WARPS = 8
#: No more room than this is guessed for a row.
LONG_ROW = 4096
#: Slots, queue and codes of a warp; as in `warp.cu`.
SLOTS, QUEUE, CODE_SLOTS = 512, 384, 256


def search(task: Task, first: plan.Algorithm) -> DeviceRows:
    """Return the rows of all roots, by `first` where it serves and by what is larger where it does not.

    The room for entries is a guess; where it is too small the cursor says what is needed, and the search is run again.
    """
    room = guess_room(task)
    num_queues = block_grid(task, task.num_roots) if first == "block" else 0
    while True:
        arena = Arena(task, room, num_queues)
        search_into(arena, task, first)
        rows = gather(arena)
        if rows is not None:
            return rows
        room = arena.needed
        del arena


def guess_room(task: Task) -> int:
    """Return how many entries to make room for: no row is longer than a ball or has a code twice."""
    longest = min(task.codec.range, task.facts.num_nodes, LONG_ROW)
    return max(1, min(task.num_roots * longest, task.device.free_bytes() // 64))


def search_into(arena: Arena, task: Task, first: plan.Algorithm) -> None:
    """Fill the arena: each way of searching takes the roots that the one before left over."""
    task.wait()
    if first == "warp":
        search_by_warps(arena, task)
    if arena.num_todo == 0:
        return
    grid = 0 if first == "ball" else arena.num_queues or block_grid(task, arena.num_todo)
    if grid:
        search_by_blocks(arena, task, grid)
    else:
        search_balls(arena, task)


def search_by_warps(arena: Arena, task: Task) -> None:
    """Search from every root with a warp; rows are sorted if codes are few."""
    device, codec = task.device, task.codec
    dense = codec.range <= plan.DENSE_CODES
    kind = "levels" if task.needs_levels else "scan"
    size = -(-codec.range // 32) * 32 if dense else CODE_SLOTS
    words = SLOTS + QUEUE // 2 + size + (0 if kind == "scan" else SLOTS // 2)
    words += 0 if dense else 2 * CODE_SLOTS + 4
    name = f"warp.warp_{kind}" + ("_dense" if dense else "" if codec.range <= NARROW else "_wide")
    keys = (codec.base, codec.limit, max(codec.num_labels, 1), task.labels, codec.kind)
    graph = (task.roots, task.radius, int(task.frontier_edges), task.row_ptr, task.indices)
    grid = max(1, min(8 * device.num_multiprocessors, -(-task.num_roots // (4 * WARPS))))
    counter, left = arena.next_pass(leaves=True)
    arrays = (size, counter[0], left, counter[1], *arena.arrays)
    device.launch(name, grid, 32 * WARPS, *keys, task.num_roots, *graph, *arrays, shared=4 * words * WARPS)
    arena.is_sorted = dense
    arena.leave(left)


def block_grid(task: Task, num_todo: int) -> int:
    """Return how many blocks search so many roots: no more than run at once, and than there is room for queues.

    There are none if the block search does not serve.
    """
    device, facts = task.device, task.facts
    frontier_edges, shared_bytes = task.frontier_edges, device.shared_bytes
    each = plan.blocks_together(
        facts, task.codec, task.radius, frontier_edges=frontier_edges, shared_bytes=shared_bytes
    )
    room = device.free_bytes() // (8 * facts.num_nodes)
    return min(each * device.num_multiprocessors, num_todo, max(1, room))


def search_by_blocks(arena: Arena, task: Task, grid: int) -> None:
    """Search with a block and bits in shared memory from the roots that are left."""
    device, codec, num_nodes = task.device, task.codec, task.facts.num_nodes
    shared = plan.block_shared(task.facts, codec, task.radius)
    queues = arena.space["queues"] if arena.num_queues else device.empty(grid * num_nodes, np.int32)
    sizes = (num_nodes, codec.base, codec.limit, arena.num_todo, arena.todo, task.roots, task.radius)
    counter, _ = arena.next_pass(leaves=False)
    graph = (task.row_ptr, task.indices, counter[0])
    device.launch(
        "block.block_total", grid, 256, *sizes, *graph, *arena.arrays, queues, num_nodes, shared=shared
    )


def search_balls(arena: Arena, task: Task) -> None:
    """Search with a block and all its state in device memory from the roots that are left."""
    device, codec, num_nodes = task.device, task.codec, task.facts.num_nodes
    slots = 1 << (2 * num_nodes - 1).bit_length()
    each = 12 * num_nodes + 12 * slots
    grid = max(1, min(4 * device.num_multiprocessors, arena.num_todo, device.free_bytes() // (2 * each)))
    scratch = device.zeros(grid * (3 * num_nodes + slots), np.int32).reshape(grid, -1)
    scratch[:, :num_nodes] = -1
    key_scratch = device.empty(grid * slots, np.int64)
    key_scratch.fill(-1)
    keys = (codec.base, codec.limit, max(codec.num_labels, 1), task.labels, codec.kind)
    sizes = (num_nodes, arena.num_todo, arena.todo, task.roots, task.radius, int(task.frontier_edges))
    name = "ball.ball" if codec.range <= NARROW else "ball.ball_wide"
    counter, _ = arena.next_pass(leaves=False)
    graph = (task.row_ptr, task.indices, counter[0])
    device.launch(name, grid, 256, *keys, *sizes, *graph, *arena.arrays, scratch, key_scratch, slots)
    arena.is_sorted = False
