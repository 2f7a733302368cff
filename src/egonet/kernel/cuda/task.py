"""What a search is asked to do, with the graph on the device."""

from collections.abc import Sequence
from typing import NamedTuple

from egonet.kernel.cuda.codec import Codec
from egonet.kernel.cuda.device import Arrival, Device, DeviceArray


class Facts(NamedTuple):
    """What the choice of an algorithm rests on.

    Attributes
    ----------
    num_nodes, num_arcs
        The size of the graph; an undirected edge is two arcs.
    largest_degree
        The most arcs that leave a node.
    sum_of_squares
        The sum of all squared degrees: the number of walks of two steps.
    num_isolated
        How many nodes have no arcs.
    """

    num_nodes: int
    num_arcs: int
    largest_degree: int
    sum_of_squares: int
    num_isolated: int


class Task(NamedTuple):
    """One search: graph, roots and settings.

    Attributes
    ----------
    row_ptr, indices, labels
        int32 (num_nodes + 1,), int32 (num_arcs,) and int32 (num_nodes,) or None, on the device.
    roots
        int64 on the device; None for every node in order.
    num_roots
        How many rows are asked for.
    radius
        At most the number of nodes.
    arrivals
        How far `indices` has come when: (end, what to wait for), in rising order.
    """

    device: Device
    facts: Facts
    codec: Codec
    row_ptr: DeviceArray
    indices: DeviceArray
    labels: DeviceArray | None
    roots: DeviceArray | None
    num_roots: int
    radius: int
    frontier_edges: bool
    symmetric: bool
    arrivals: Sequence[Arrival]

    @property
    def needs_levels(self) -> bool:
        """Return whether neighbors nearer, as near and farther must be told apart."""
        return self.codec.kind != 0 or not self.frontier_edges

    def wait(self) -> None:
        """Let what is asked of the device next wait until the whole graph is there."""
        self.device.wait(self.arrivals[-1][1])
