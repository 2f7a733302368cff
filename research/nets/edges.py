"""The edges of a set of graphs, each once with what both its ends share, and those of a batch."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from research.nets.packing import Packing


@dataclass(frozen=True, eq=False)
class Edges:
    """Loops and edges of all graphs, numbered inside their graph; the last of all is no edge.

    Attributes
    ----------
    first, counts
        int64 (num_graphs + 1,): first edge and number of edges of each graph; the last graph is empty.
    ends
        int32 (num_edges + 1, 2): both nodes, numbered inside their graph.
    of_slot
        int32 (num_nodes + 1, slots): the edge of every slot of `Store.neighbors`, -1 where there is none.
    supports
        (num_edges + 1, num_supports): weights of several propagations at once.
    per_node
        No graph has more edges than this, times its nodes.
    """

    first: Tensor
    counts: Tensor
    ends: Tensor
    of_slot: Tensor
    supports: Tensor
    per_node: float

    def to(self, device: torch.device | str, dtype: torch.dtype) -> "Edges":
        """Return the edges on a device, supports in `dtype`."""
        whole = {name: getattr(self, name).to(device) for name in ("first", "counts", "ends", "of_slot")}
        return replace(self, supports=self.supports.to(device, dtype), **whole)


@dataclass(frozen=True, eq=False)
class EdgeBatch:
    """The edges of one mini-batch of every replica; with M replicas of R rows, D slots and E edges:

    Attributes
    ----------
    ends
        int32 (M * E, 2): the rows of both ends; the last row of all where there is no edge.
    of_slot
        int32 (M * R, D): the edge of each slot; the last of all, which is never an edge, for empty slots.
    supports
        (M * E, num_supports), zero where there is no edge.
    """

    ends: Tensor
    of_slot: Tensor
    supports: Tensor


def pack_edges(edges: Edges, graphs: Tensor, rows: Packing, node: Tensor) -> EdgeBatch:
    """Return the edges of each replica's graphs, whose nodes `node` lie at `rows`, in constant shapes."""
    replicas, num_rows = node.shape
    capacity = int(num_rows * edges.per_node) + 1
    found = Packing.of(edges.counts[graphs], capacity)
    number = torch.where(found.real, edges.first[found.of_graph(graphs)] + found.inside, len(edges.ends) - 1)
    line = torch.arange(replicas, device=graphs.device).unsqueeze(1)
    begin = found.of_graph(rows.starts) + line * num_rows
    ends = torch.where(
        found.real.unsqueeze(2), edges.ends[number] + begin.unsqueeze(2), replicas * num_rows - 1
    )
    own = edges.of_slot[node]
    first = rows.of_graph(found.starts) + line * capacity
    of_slot = torch.where(own < 0, replicas * capacity - 1, own + first.unsqueeze(2))
    return EdgeBatch(
        ends.flatten(0, 1).to(torch.int32),
        of_slot.flatten(0, 1).to(torch.int32),
        edges.supports[number].flatten(0, 1),
    )
