"""Where the parts of each graph of a batch lie when they follow one another, the rest being padding."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Packing:
    """Packing 0 .. capacity - 1 of each of M replicas, filled with the parts of its B graphs in their order.

    Attributes
    ----------
    starts, ends
        int64 (M, B): first place of each graph, and the place after its last.
    owner
        int64 (M, capacity): the graph of each place, B or more for padding.
    graph
        int64 (M, capacity): the same, with the last graph in place of padding.
    real
        bool (M, capacity): whether a place belongs to a graph.
    inside
        int64 (M, capacity): which part of its graph a place holds.
    """

    starts: Tensor
    ends: Tensor
    owner: Tensor
    graph: Tensor
    real: Tensor
    inside: Tensor

    @classmethod
    def of(cls, counts: Tensor, capacity: int) -> "Packing":
        """Return the places for int64 (M, B) parts per graph, fewer than `capacity` in all.

        Examples
        --------
        >>> places = Packing.of(torch.tensor([[2, 1]]), 4)
        >>> places.owner.tolist(), places.inside.tolist()
        ([[0, 0, 1, 2]], [[0, 1, 0, 1]])
        """
        replicas, num_graphs = counts.shape
        ends = counts.cumsum(1)
        starts = ends - counts
        place = torch.arange(capacity, device=counts.device).expand(replicas, capacity)
        owner = torch.searchsorted(ends, place.contiguous(), right=True)
        graph = owner.clamp(max=num_graphs - 1)
        return cls(starts, ends, owner, graph, owner < num_graphs, place - starts.gather(1, graph))

    def of_graph(self, values: Tensor) -> Tensor:
        """Return for every place the value of its graph, out of (M, B)."""
        return values.gather(1, self.graph)
