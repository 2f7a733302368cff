"""One root at a time: by a warp while the ball is small, else by a block, in shared or in device memory."""

import numpy as np

from egonet.kernel.cuda import plan
from egonet.kernel.cuda.assemble import Found
from egonet.kernel.cuda.codec import NARROW
from egonet.kernel.cuda.device import DeviceArray
from egonet.kernel.cuda.task import Task

WARPS = 8
#: No more room than this is guessed for a row.
LONG_ROW = 4096
#: Words of shared memory of a warp; as in `warp.cu`.
SLOTS, QUEUE, CODE_SLOTS = 512, 384, 256


class Arena:
    """Where rows are written as they are found, and the cursor behind the last."""

    def __init__(self, task: Task, room: int) -> None:
        """Allocate room for entries; rows beyond it are counted, not written."""
        device = task.device
        self.room, self.needed = room, 0
        # The cursor, the next root of the warps, how many they left over, and the next root of the blocks.
        self.state = device.zeros(4, np.uint64)
        self.cursor, self.next, self.num_left, self.next_block = (
            device.address(self.state) + 8 * i for i in range(4)
        )
        self.start = device.empty(task.num_roots, np.int64)
        self.length = device.empty(task.num_roots, np.int32)
        self.codes = device.empty(room, np.int32 if task.codec.range <= NARROW else np.int64)
        self.counts = device.empty(room, np.int32)

    @property
    def arrays(self) -> tuple[DeviceArray, ...]:
        """Return what every search kernel takes of it."""
        return (self.cursor, self.room, self.start, self.length, self.codes, self.counts)


def search(task: Task, first: plan.Algorithm) -> Found:
    """Return the rows of all roots, by `first` where it serves and by what is larger where it does not.

    The room for entries is a guess; where it is too small the cursor says what is needed, and the search is run again.
    """
    room = guess_room(task)
    while True:
        arena = Arena(task, room)
        is_sorted = _search_into(arena, task, first)
        if arena.needed <= room:
            return Found(None, arena.start, arena.length, arena.codes, arena.counts, arena.needed, is_sorted)
        room = arena.needed
        del arena


def guess_room(task: Task) -> int:
    """Return how many entries to make room for: no row is longer than a ball or has a code twice."""
    longest = min(task.codec.range, task.facts.num_nodes, LONG_ROW)
    return max(1, min(task.num_roots * longest, task.device.free_bytes() // 64))


def _search_into(arena: Arena, task: Task, first: plan.Algorithm) -> bool:
    """Fill the arena; return whether its rows are sorted."""
    todo, num_todo, is_sorted = None, task.num_roots, True
    if first == "warp":
        todo, num_todo, is_sorted = search_by_warps(arena, task)
    if num_todo == 0:
        return is_sorted
    shared_bytes = task.device.shared_bytes
    fits = plan.serves_block(
        task.facts, task.codec, task.radius, frontier_edges=task.frontier_edges, shared_bytes=shared_bytes
    )
    if fits and first != "ball":
        search_by_blocks(arena, task, todo, num_todo)
    else:
        search_balls(arena, task, todo, num_todo)
        is_sorted = False
    arena.needed = int(task.device.download(arena.state)[0])
    return is_sorted


def search_by_warps(arena: Arena, task: Task) -> tuple[DeviceArray, int, bool]:
    """Search from every root with a warp; return the rows left over, how many, and whether rows are sorted."""
    device, codec = task.device, task.codec
    dense = codec.range <= plan.DENSE_CODES
    size = -(-codec.range // 32) * 32 if dense else CODE_SLOTS
    words = (
        SLOTS + QUEUE + size + (SLOTS // 2 if task.needs_levels else 0) + (0 if dense else 2 * CODE_SLOTS + 4)
    )
    name = "warp.warp_levels" if task.needs_levels else "warp.warp_plain"
    name += "_dense" if dense else "" if codec.range <= NARROW else "_wide"
    left = device.empty(task.num_roots, np.int32)
    keys = (codec.base, codec.limit, max(codec.num_labels, 1), task.labels, codec.kind)
    graph = (task.roots, task.radius, int(task.frontier_edges), task.row_ptr, task.indices)
    lists = (size, arena.next, left, arena.num_left)
    grid = max(1, min(8 * device.num_multiprocessors, -(-task.num_roots // (4 * WARPS))))
    shared = 4 * words * WARPS
    device.launch(name, grid, 32 * WARPS, *keys, task.num_roots, *graph, *lists, *arena.arrays, shared=shared)
    arena.needed, _, num_left, _ = map(int, device.download(arena.state))
    return left, num_left, dense


def search_by_blocks(arena: Arena, task: Task, todo: DeviceArray | None, num_todo: int) -> None:
    """Search with a block and bits in shared memory from the rows of `todo`, all if None."""
    device, codec, num_nodes = task.device, task.codec, task.facts.num_nodes
    shared = plan.block_shared(task.facts, codec, task.radius)
    each = max(1, min(8, device.shared_bytes // (shared + plan.STATIC_SHARED)))
    grid = max(1, min(each * device.num_multiprocessors, num_todo, device.free_bytes() // (8 * num_nodes)))
    queues = device.empty(grid * num_nodes, np.int32)
    sizes = (num_nodes, codec.base, codec.limit, num_todo, todo, task.roots, task.radius)
    graph = (task.row_ptr, task.indices, arena.next_block)
    device.launch(
        "block.block_total", grid, 256, *sizes, *graph, *arena.arrays, queues, num_nodes, shared=shared
    )


def search_balls(arena: Arena, task: Task, todo: DeviceArray | None, num_todo: int) -> None:
    """Search with a block and all its state in device memory from the rows of `todo`, all if None."""
    device, codec, num_nodes = task.device, task.codec, task.facts.num_nodes
    slots = 1 << (2 * num_nodes - 1).bit_length()
    each = 12 * num_nodes + 12 * slots
    grid = max(1, min(4 * device.num_multiprocessors, num_todo, device.free_bytes() // (2 * each)))
    scratch = device.zeros(grid * (3 * num_nodes + slots), np.int32).reshape(grid, -1)
    scratch[:, :num_nodes] = -1
    key_scratch = device.empty(grid * slots, np.int64)
    key_scratch.fill(-1)
    keys = (codec.base, codec.limit, max(codec.num_labels, 1), task.labels, codec.kind)
    sizes = (num_nodes, num_todo, todo, task.roots, task.radius, int(task.frontier_edges))
    name = "ball.ball" if codec.range <= NARROW else "ball.ball_wide"
    graph = (task.row_ptr, task.indices, arena.next_block)
    device.launch(name, grid, 256, *keys, *sizes, *graph, *arena.arrays, scratch, key_scratch, slots)
