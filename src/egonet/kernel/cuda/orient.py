"""Every edge pointing one way, so that each is met once (`orient.cu` has the layout)."""

from dataclasses import dataclass

import numpy as np

from egonet.kernel.cuda.assemble import TILE, sum_state_bytes
from egonet.kernel.cuda.device import DeviceArray
from egonet.kernel.cuda.task import Task


@dataclass(frozen=True, eq=False)
class OutLists:
    """The out-neighbours of every vertex.

    Attributes
    ----------
    outs
        int32 (2 * num_nodes,): begin and end of the list of each vertex, unset without neighbours.
    out_to
        int32 (num_arcs // 2,): the lists.
    """

    outs: DeviceArray
    out_to: DeviceArray


def list_outward(task: Task) -> OutLists:
    """Return the out-lists of an undirected graph, made as its arcs arrive."""
    device, num_nodes, num_arcs = task.device, task.facts.num_nodes, task.facts.num_arcs
    outs, out_to = device.empty(2 * num_nodes, np.int32), device.empty(num_arcs // 2, np.int32)
    if not num_arcs:
        return OutLists(outs, out_to)
    state = device.zeros(sum_state_bytes(num_arcs), np.uint8)
    ticket = device.address(state)
    arrays = (task.row_ptr, task.indices, outs, out_to, ticket + 8, ticket)
    first = 0
    for end, arrival in task.arrivals:
        device.wait(arrival)
        device.launch("orient.list_outward", -(-(end - first) // TILE), 256, num_nodes, num_arcs, *arrays)
        first = end
    return OutLists(outs, out_to)
