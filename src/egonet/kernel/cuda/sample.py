"""How large balls are, counted from a few roots (`sample.cu` has the layout)."""

import numpy as np

from egonet.kernel.cuda.plan import Ball
from egonet.kernel.cuda.task import Task

#: Roots that are looked at, and threads for each.
SAMPLES, THREADS = 128, 1024
#: A warp reads so many neighbours for each vertex of the graph and at least so many, and then to the end of a list: all
#: of a block eight times as many as there are vertices, by when most that can be met have been met.
WARP_PART, WARP_LEAST = 0.25, 4096
#: Shared memory beside the bits, at most, and the part of the free memory that queues may take.
BESIDE_BITS, MEMORY_PART = 1024, 8


def sampled_ball(task: Task) -> Ball | None:
    """Return the mean size of the balls of some roots; None if there are more vertices than there is room.

    Balls of very many arcs may be counted too small, for the time that this takes is bounded.
    """
    device, num_nodes = task.device, task.facts.num_nodes
    grid, shared = min(SAMPLES, task.num_roots), 4 * ((num_nodes + 31) // 32)
    if shared + BESIDE_BITS > device.shared_bytes:
        return None
    if 4 * grid * num_nodes > device.free_bytes() // MEMORY_PART:
        return None
    task.wait()
    # The sums, and behind them the queues.
    scratch = device.empty(2 + (grid * num_nodes + 1) // 2, np.uint64)
    device.clear(scratch, 2)
    sums = device.address(scratch)
    graph = (num_nodes, task.num_roots, task.roots, task.radius, task.row_ptr, task.indices)
    most = max(WARP_LEAST, int(WARP_PART * num_nodes))
    device.launch("sample.sample_balls", grid, THREADS, *graph, most, sums + 16, sums, shared=shared)
    nodes, arcs = device.download(scratch[:2]).tolist()
    return Ball(nodes / grid, arcs / grid)
