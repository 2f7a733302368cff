"""The forward pass of every network: GIN on nodes, on distances, or on a bag of subgraphs, each with its pooling."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from research.nets.peers.passes import Pass, gathered, neighbor_sum, pooled, take
from research.nets.peers.records import PeerBatch, Rows


@dataclass(frozen=True)
class Net:
    """The shape of a network.

    Attributes
    ----------
    kind
        One of `KINDS`.
    layers, width, outputs
        As usual; for "kernel" a layer is one pass over the bag, of `inner` layers of GIN.
    marks
        How many marks a row can have; they are one-hot columns where a network reads them.
    num_types
        Types of arcs; 1 means that arcs have none.
    mean
        Whether nodes, rows and subgraphs are averaged rather than summed.
    inner
        Layers inside one layer: of "kernel" over subgraphs, of "ego" steps of averaging.
    context
        "kernel": also what a node is in the subgraphs of others, with gates by distance (AK+). "bag": also a
        network on the means of a node over all subgraphs (DSS).
    norm, dropout
        Batch norm inside MLPs; dropout before the last map.
    """

    kind: str
    layers: int
    width: int
    outputs: int
    marks: int = 0
    num_types: int = 1
    mean: bool = False
    inner: int = 1
    context: bool = False
    norm: bool = True
    dropout: float = 0.0


def forward(net: Net, batch: PeerBatch, run: Pass) -> Tensor:
    """Return the outputs for every graph of every replica, (M, B, outputs)."""
    x = KINDS[net.kind](net, batch, run)
    x = run.activation(run.linear("head", x, net.width))
    return run.linear("out", run.drop(x), net.outputs)


def _graphs(net: Net, x: Tensor, batch: PeerBatch) -> Tensor:
    """Return the pooled nodes of every graph."""
    return pooled(x, batch.nodes, batch.graph, batch.graphs, mean=net.mean)


def _bag(batch: PeerBatch) -> tuple[Rows, Rows, Tensor, Tensor, Tensor]:
    """Return the levels of rows and subgraphs, and of every row its node, subgraph and mark."""
    assert batch.rows is not None
    assert batch.subs is not None
    assert batch.row_node is not None
    assert batch.row_sub is not None
    assert batch.mark is not None
    return batch.rows, batch.subs, batch.row_node, batch.row_sub, batch.mark


def _row_inputs(net: Net, batch: PeerBatch) -> Tensor:
    """Return the inputs of the nodes at every row, with one-hot marks if the network reads them."""
    rows, _, row_node, _, mark = _bag(batch)
    x = gathered(batch.inputs, row_node, rows)
    if not net.marks:
        return x
    kinds = torch.arange(net.marks, device=mark.device)
    hot = (mark.clamp(max=net.marks - 1).unsqueeze(1) == kinds).to(x.dtype)
    return torch.cat([x, rows.filled(hot)], dim=2)


def _roots(net: Net, x: Tensor, batch: PeerBatch) -> Tensor:
    """Return the vectors of subgraphs (M, S, C) as vectors of their roots (M, N, C), added if there are several."""
    assert batch.subs is not None
    assert batch.sub_node is not None
    return pooled(x, batch.subs, batch.sub_node, batch.nodes.shape, mean=net.mean)


def plain(net: Net, batch: PeerBatch, run: Pass) -> Tensor:
    """GIN, with GINE's messages where arcs have types: also GSN, fast ID-GNN and every encoding in the inputs."""
    x = batch.inputs
    for layer in range(net.layers):
        x = run.gin(f"{layer}", x, batch.nodes, net.width, net.num_types)
    return _graphs(net, x, batch)


def hops(net: Net, batch: PeerBatch, run: Pass) -> Tensor:
    """KP-GNN: per distance an MLP of the sum over nodes that far away and of what lies between them, then added."""
    x, nodes = batch.inputs, batch.nodes
    assert batch.peripheral is not None
    for layer in range(net.layers):
        total = None
        for number, arcs in enumerate(batch.hops):
            name = f"{layer}.{number}"
            # Only neighbors at distance one have arcs with types.
            own = run.own(name)
            if number:
                near = own.unsqueeze(2) * x + neighbor_sum(x, arcs)
            else:
                near = run.aggregate(name, x, nodes, net.num_types, own)
            between = run.linear(f"{name}.between", batch.peripheral, x.shape[2], bias=False)
            found = run.mlp(name, near + between, nodes, net.width)
            total = found if total is None else total + found
        assert total is not None
        x = total
    return _graphs(net, x, batch)


def rings(net: Net, batch: PeerBatch, run: Pass) -> Tensor:
    """k-hop GNN: inside an ego-network, rings pass messages within and then inwards, until the root is reached."""
    rows, _, row_node, _, mark = _bag(batch)
    assert batch.sub_row is not None
    assert batch.subs is not None
    at = rows.filled(mark.unsqueeze(1)).view(-1)
    far, near = at[rows.arcs.source], at[rows.arcs.target]
    is_real = rows.mask.view(-1) > 0
    x = batch.inputs
    for layer in range(net.layers):
        y = gathered(run.linear(f"{layer}.in", x, net.width), row_node, rows)
        for ring in range(net.marks - 1, -1, -1):
            here = ((at == ring) & is_real).view(*rows.shape, 1)
            for step, outer in (("across", ring + 1), ("within", ring)):
                if outer == net.marks or (step == "within" and ring == 0):
                    continue
                name = f"{layer}.{step}{ring}"
                chosen = ((near == ring) & (far == outer)).to(y.dtype)
                table = run.table(f"{name}.types", net.num_types, net.width) if net.num_types > 1 else None
                got = run.messages(y, rows.arcs, weight=chosen, table=table)
                part = Rows(rows.shape, rows.place, here.to(y.dtype), _count(here, y))
                y = torch.where(here, run.mlp(name, y + got, part, net.width), y)
        roots = gathered(y, batch.sub_row, batch.subs)
        x = _roots(net, roots, batch)
    return _graphs(net, x, batch)


def _count(chosen: Tensor, like: Tensor) -> Tensor:
    """Return how many rows of every replica are chosen, at least one, (M, 1, 1)."""
    return chosen.sum(1, keepdim=True).clamp(min=1).to(like.dtype)


def nested(net: Net, batch: PeerBatch, run: Pass) -> Tensor:
    """Nested GNN: GIN inside every ego-network, pooled to its root, then over nodes. I²-GNN: with two marked nodes."""
    rows, subs, _, row_sub, _ = _bag(batch)
    x = _row_inputs(net, batch)
    for layer in range(net.layers):
        x = run.gin(f"{layer}", x, rows, net.width, net.num_types)
    inner = pooled(x, rows, row_sub, subs.shape, mean=net.mean)
    inner = run.activation(run.linear("inner", inner, net.width))
    return _graphs(net, _roots(net, inner, batch), batch)


def identity(net: Net, batch: PeerBatch, run: Pass) -> Tensor:
    """ID-GNN: GIN inside every ego-network, messages of the root by another map, read at the root."""
    rows, subs, row_node, _, mark = _bag(batch)
    assert batch.sub_row is not None
    is_root = rows.filled((mark == 0).unsqueeze(1).to(batch.inputs.dtype))
    x = gathered(batch.inputs, row_node, rows)
    for layer in range(net.layers):
        sent = x + is_root * run.linear(f"{layer}.root", x, x.shape[2])
        near = run.aggregate(f"{layer}", sent, rows, net.num_types)
        x = run.mlp(f"{layer}", run.own(f"{layer}").unsqueeze(2) * x + near, rows, net.width)
    return _graphs(net, _roots(net, gathered(x, batch.sub_row, subs), batch), batch)


def distance(net: Net, batch: PeerBatch, run: Pass) -> Tensor:
    """DE-GNN: GIN inside every ego-network, started from the distances to the root, read at the root."""
    rows, subs, *_ = _bag(batch)
    assert batch.sub_row is not None
    x = _row_inputs(net, batch)
    for layer in range(net.layers):
        x = run.gin(f"{layer}", x, rows, net.width, net.num_types)
    return _graphs(net, _roots(net, gathered(x, batch.sub_row, subs), batch), batch)


def kernel(net: Net, batch: PeerBatch, run: Pass) -> Tensor:
    """GNN-AK: every layer encodes each node by its ego-network (root and sum); AK+ adds context and distances."""
    rows, subs, row_node, row_sub, mark = _bag(batch)
    assert batch.sub_row is not None
    x = batch.inputs
    replica = rows.place // rows.shape[1]
    for layer in range(net.layers):
        y = gathered(x, row_node, rows)
        if net.context:
            vectors = take(run.table(f"{layer}.far", net.marks, 8), replica * net.marks + mark)
            y = torch.cat([y, rows.filled(vectors)], dim=2)
        for inner in range(net.inner):
            y = run.gin(f"{layer}.{inner}", y, rows, net.width, net.num_types)
        root = _roots(net, gathered(y, batch.sub_row, subs), batch)
        if net.context:
            gates = torch.sigmoid(run.table(f"{layer}.gate", net.marks, net.width))
            y = y * rows.filled(take(gates, replica * net.marks + mark))
        parts = [root, _roots(net, pooled(y, rows, row_sub, subs.shape, mean=net.mean), batch)]
        if net.context:
            parts.append(pooled(y, rows, row_node, batch.nodes.shape, mean=net.mean))
        found = run.linear(f"{layer}.join", torch.cat(parts, dim=2), net.width)
        x = run.normalized_active(f"{layer}.joined", found, batch.nodes)
    return _graphs(net, x, batch)


def bag(net: Net, batch: PeerBatch, run: Pass) -> Tensor:
    """ESAN: GIN on every subgraph of a bag, pooled per subgraph, then over the bag; DSS shares between subgraphs."""
    rows, subs, row_node, row_sub, _ = _bag(batch)
    assert batch.sub_graph is not None
    x = _row_inputs(net, batch)
    for layer in range(net.layers):
        y = run.gin(f"{layer}", x, rows, net.width, net.num_types)
        if net.context:
            shared = pooled(x, rows, row_node, batch.nodes.shape, mean=True)
            shared = run.gin(f"{layer}.shared", shared, batch.nodes, net.width, net.num_types)
            y = y + gathered(shared, row_node, rows)
        x = y
    inner = pooled(x, rows, row_sub, subs.shape, mean=net.mean)
    inner = run.activation(run.linear("inner", inner, net.width))
    return pooled(inner, subs, batch.sub_graph, batch.graphs, mean=True)


def ego(net: Net, batch: PeerBatch, run: Pass) -> Tensor:
    """Ego-GNN: a node's mean over its ego-networks, after steps of GCN's average in each, next to GIN's sum."""
    rows, _, row_node, _, _ = _bag(batch)
    many = 1 + rows.arcs.offsets.diff().to(batch.inputs.dtype)
    root = torch.rsqrt(many).view(*rows.shape, 1)
    x = batch.inputs
    for layer in range(net.layers):
        y = gathered(x, row_node, rows)
        for _ in range(net.inner):
            y = root * y
            y = root * (y + neighbor_sum(y, rows.arcs))
        seen = pooled(y, rows, row_node, batch.nodes.shape, mean=True)
        near = run.aggregate(f"{layer}", x, batch.nodes, net.num_types, run.own(f"{layer}"))
        x = run.mlp(f"{layer}", torch.cat([near, seen], dim=2), batch.nodes, net.width)
    return _graphs(net, x, batch)


def pairs(net: Net, batch: PeerBatch, run: Pass) -> Tensor:
    """PPGN: vectors of all pairs of nodes, multiplied as matrices channel by channel; diagonal and rest pooled."""
    replicas, many = batch.graphs
    nodes = batch.nodes
    size = batch.largest
    inside, owner = (
        torch.zeros(nodes.shape[0] * nodes.shape[1], dtype=torch.long, device=nodes.place.device).index_copy(
            0, nodes.place, values
        )
        for values in (batch.node_inside, batch.graph)
    )
    types, width = net.num_types, batch.inputs.shape[2]
    # What only fills up belongs to one more graph, which is dropped.
    x = batch.inputs.new_zeros(replicas * many + 1, size, size, width + types)
    source, target = nodes.arcs.source, nodes.arcs.target
    kind = nodes.arcs.types % types if nodes.arcs.types is not None else torch.zeros_like(source)
    one = torch.ones((), dtype=x.dtype, device=x.device)
    x = x.index_put((owner[target], inside[target], inside[source], kind), one)
    values = batch.inputs.reshape(-1, width)[nodes.place]
    channel = torch.arange(types, types + width, device=x.device)
    place = batch.graph.unsqueeze(1), batch.node_inside.unsqueeze(1), batch.node_inside.unsqueeze(1), channel
    x = x.index_put(place, values)[: replicas * many]
    real = (torch.arange(size, device=x.device) < batch.sizes.view(-1, 1)).to(x.dtype)
    both = (real.unsqueeze(2) * real.unsqueeze(1)).view(replicas, -1, 1)
    level = Rows((replicas, both.shape[1]), nodes.place, both, both.sum(1, keepdim=True).clamp(min=1))
    y = x.reshape(replicas, -1, x.shape[3])
    for layer in range(net.layers):
        first, second = (run.mlp(f"{layer}.{part}", y, level, net.width) * both for part in ("left", "right"))
        left, right = (part.view(-1, size, size, net.width).permute(0, 3, 1, 2) for part in (first, second))
        product = (left @ right).permute(0, 2, 3, 1).reshape(replicas, -1, net.width)
        # A product is a sum over nodes: its mean keeps the values of large graphs within bounds.
        scale = batch.sizes.clamp(min=1).repeat_interleave(size * size, dim=1) if net.norm else 1.0
        y = run.linear(f"{layer}.join", torch.cat([y, product / scale], dim=2), net.width) * both
    y = y.view(replicas * many, size, size, net.width)
    diagonal = torch.diagonal(y, dim1=1, dim2=2).sum(2).view(replicas, many, -1)
    total = y.sum((1, 2)).view(replicas, many, -1)
    if net.mean:
        diagonal, total = diagonal / batch.sizes.clamp(min=1), total / batch.sizes.clamp(min=1).square()
    return torch.cat([diagonal, total], dim=2)


KINDS: dict[str, Callable[[Net, PeerBatch, Pass], Tensor]] = {
    "plain": plain,
    "hops": hops,
    "rings": rings,
    "nested": nested,
    "identity": identity,
    "distance": distance,
    "kernel": kernel,
    "bag": bag,
    "ego": ego,
    "pairs": pairs,
}
