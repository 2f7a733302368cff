"""A set of graphs on the device, and batches packed from it with shapes that never change."""

from dataclasses import dataclass, fields, replace
from typing import Any

import torch
from torch import Tensor

from research.nets.edges import EdgeBatch, Edges, pack_edges
from research.nets.packing import Packing

PADDING_PARTS = 16


@dataclass(frozen=True, eq=False)
class Store:
    """Graphs on the device; row `num_nodes` of every node table is a node of zeros, the padding.

    Attributes
    ----------
    node_ptr, sizes
        int64 (num_graphs + 1,): first row and number of nodes of each graph; the last graph is empty.
    neighbors
        int32 (num_nodes + 1, slots): the node itself, then its neighbors, numbered inside their graph;
        -1 where there is none.
    reverse
        int32 like `neighbors`: the slot in which the neighbor lists this node.
    inputs
        (num_nodes + 1, width): what every replica reads at a node.
    extra
        (variants, num_nodes + 1, columns): what a replica reads besides, by its variant.
    weights
        (num_nodes + 1, slots) or None: a symmetric weight per slot, for one propagation step.
    edges
        Edges with their supports, for networks that have several, or None.
    ends_by_place
        Whether the ends of an edge are looked up in `extra` by their numbers inside their graph, as the
        published code does by mistake: every graph then reads the encodings of the first ones.
    """

    node_ptr: Tensor
    sizes: Tensor
    neighbors: Tensor
    reverse: Tensor
    inputs: Tensor
    extra: Tensor
    weights: Tensor | None = None
    edges: Edges | None = None
    ends_by_place: bool = False

    @property
    def num_graphs(self) -> int:
        """Return the number of graphs, which is also the number of the empty one."""
        return len(self.sizes) - 1

    def to(self, device: torch.device | str, dtype: torch.dtype) -> "Store":
        """Return the store on a device, real numbers in `dtype`."""
        moved: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Tensor):
                moved[field.name] = value.to(device, dtype if value.is_floating_point() else value.dtype)
            elif isinstance(value, Edges):
                moved[field.name] = value.to(device, dtype)
        return replace(self, **moved)


@dataclass(frozen=True, eq=False)
class Batch:
    """One mini-batch of every replica, nodes of its graphs in consecutive rows, the rest padding.

    With M replicas of B graphs in R rows and D slots:

    Attributes
    ----------
    inputs
        (M, R, width + columns).
    ends
        (M, R, columns): what a node gives to the supports of its edges, the part of `inputs` that the
        variant added, or another's by `Store.ends_by_place`.
    table, reverse
        int32 (M * R, D): rows of the node itself and its neighbors, and the slot that points back; the
        last row of all is always padding and stands for "none".
    used
        int32 (M * R,): how many slots of a row are in use, the first ones.
    mask
        (M, R, 1): one for nodes, zero for padding.
    count
        (M, 1, 1): nodes per replica.
    offsets
        int64 (M * (B + P) + 1,): where the rows of each graph begin; every replica ends with its padding, in
        P = `PADDING_PARTS` parts, because a reduction takes as long as its longest part.
    owner
        int64 (M * R,): the graph of each row, counted as in `offsets`; padding counts as its first part.
    sizes
        (M, B, 1): nodes per graph.
    weights
        As in the store, for the rows of the batch: (M * R, D).
    edges
        The edges of the batch, if the store has some.
    """

    inputs: Tensor
    ends: Tensor
    table: Tensor
    reverse: Tensor
    used: Tensor
    mask: Tensor
    count: Tensor
    offsets: Tensor
    owner: Tensor
    sizes: Tensor
    weights: Tensor | None = None
    edges: EdgeBatch | None = None

    @property
    def padding(self) -> int:
        """Return the row that stands for "none"."""
        return self.table.shape[0] - 1


def pack(store: Store, graphs: Tensor, variants: Tensor, num_rows: int) -> Batch:
    """Return the batch of each replica's graphs; every operation has a fixed shape and stays on the device.

    Parameters
    ----------
    store
        The graphs.
    graphs
        int64 (M, B): graph numbers per replica; `store.num_graphs` stands for no graph.
    variants
        int64 (M,): which of `store.extra` each replica reads.
    num_rows
        Rows per replica, more than the nodes of any replica's graphs.
    """
    replicas, num_graphs = graphs.shape
    sizes = store.sizes[graphs]
    rows = Packing.of(sizes, num_rows)
    line = torch.arange(replicas, device=graphs.device).unsqueeze(1)
    owner = (rows.owner + line * (num_graphs + PADDING_PARTS)).view(-1)
    blank = len(store.neighbors) - 1
    node = torch.where(rows.real, store.node_ptr[rows.of_graph(graphs)] + rows.inside, blank)
    base = line * num_rows
    nearby = store.neighbors[node]
    begin = (rows.of_graph(rows.starts) + base).unsqueeze(2).to(nearby.dtype)
    table = torch.where(nearby < 0, replicas * num_rows - 1, nearby + begin)
    given = encodings = store.extra[variants.unsqueeze(1), node]
    if store.ends_by_place:
        given = store.extra[variants.unsqueeze(1), torch.where(rows.real, rows.inside, blank)]
    dtype = store.inputs.dtype
    total = rows.ends[:, -1:]
    part = torch.arange(PADDING_PARTS, device=graphs.device)
    offsets = torch.cat([rows.starts, total + (num_rows - total) * part // PADDING_PARTS], dim=1) + base
    last = torch.full((1,), replicas * num_rows, dtype=offsets.dtype, device=offsets.device)
    return Batch(
        inputs=torch.cat([store.inputs[node], encodings], dim=2),
        ends=given,
        table=table.view(replicas * num_rows, -1),
        reverse=store.reverse[node].view(replicas * num_rows, -1),
        used=(nearby >= 0).sum(2, dtype=torch.int32).view(-1),
        mask=rows.real.unsqueeze(2).to(dtype),
        count=total.unsqueeze(2).to(dtype),
        offsets=torch.cat([offsets.reshape(-1), last]),
        owner=owner,
        sizes=sizes.unsqueeze(2).to(dtype),
        weights=None if store.weights is None else store.weights[node].view(replicas * num_rows, -1),
        edges=None if store.edges is None else pack_edges(store.edges, graphs, rows, node),
    )
