"""The forward pass: layers over the packed rows of a batch, pooling, head."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

from egonet.errors import InputError
from research.nets.edges import EdgeBatch
from research.nets.network import Parameters
from research.nets.operations import (
    activate,
    attention,
    batch_norm,
    chebyshev,
    gates,
    linear,
    pool,
    propagate,
    support_sums,
)
from research.nets.shape import Network
from research.nets.store import Batch

_SLOPE = 0.2

Layer: TypeAlias = Callable[[Tensor, Batch, Parameters, int, Network], Tensor]


def forward(
    network: Network, batch: Batch, values: Parameters, running: Parameters, *, training: bool
) -> Tensor:
    """Return the outputs for every graph of every replica, (M, B, outputs)."""
    x = batch.inputs
    if network.kind == "gnnml3":
        edges = edges_of(batch)
        batch = replace(batch, edges=replace(edges, supports=all_supports(batch, edges)))
    for layer in range(len(network.widths)):
        if network.dropout and training:
            x = F.dropout(x, network.dropout)
        x = _LAYERS[network.kind](x, batch, values, layer, network)
        if network.has_norm(layer):
            x = _normalize(x, batch.mask, batch.count, f"{layer}.n", values, running, training=training)
    x = pool(x, batch, network.pool)
    if network.norm == "pooled":
        real = (batch.sizes > 0).to(x.dtype)
        x = _normalize(x, real, real.sum(1, keepdim=True), "pool.n", values, running, training=training)
    hidden = torch.tanh if network.activation == "tanh" else torch.relu
    for place in range(len(network.head)):
        x = hidden(linear(x, values[f"head{place}.w"], values[f"head{place}.b"]))
    x = linear(x, values["out.w"], values["out.b"])
    return torch.tanh(x) if network.final == "tanh" else x


def start_running(values: Parameters) -> Parameters:
    """Return the running mean (zero) and variance (one) of every batch norm, (M, C)."""
    names = [name[:-2] for name in values if name.endswith(".n.w")]
    means = {f"{name}.m": torch.zeros_like(values[f"{name}.w"]) for name in names}
    return means | {f"{name}.v": torch.ones_like(values[f"{name}.w"]) for name in names}


def _normalize(
    x: Tensor,
    mask: Tensor,
    count: Tensor,
    name: str,
    values: Parameters,
    running: Parameters,
    *,
    training: bool,
) -> Tensor:
    """Return the batch norm of a layer by its name."""
    scale = (values[f"{name}.w"], values[f"{name}.b"])
    return batch_norm(x, mask, count, scale, (running[f"{name}.m"], running[f"{name}.v"]), training=training)


def _dense(x: Tensor, _batch: Batch, values: Parameters, layer: int, network: Network) -> Tensor:
    """Return a linear map of every node."""
    return activate(linear(x, values[f"{layer}.w"]), values[f"{layer}.b"], network.activation)


def _convolve(x: Tensor, batch: Batch, weight: Tensor) -> Tensor:
    """Return P X W, propagating on the narrower side."""
    if weight.shape[1] < weight.shape[2]:
        return linear(propagate(x, batch), weight)
    return propagate(linear(x, weight), batch)


def _gcn(x: Tensor, batch: Batch, values: Parameters, layer: int, network: Network) -> Tensor:
    """Return a graph convolution with symmetric normalization."""
    return activate(_convolve(x, batch, values[f"{layer}.w"]), values[f"{layer}.b"], network.activation)


def _gat(x: Tensor, batch: Batch, values: Parameters, layer: int, network: Network) -> Tensor:
    """Return attention over the node and its neighbors, heads concatenated."""
    replicas, heads = x.shape[0], network.heads
    weight = values[f"{layer}.w"]
    h = linear(x, weight)
    # The score of a head is linear in x too: one narrow product instead of two passes over all of h.
    own = torch.eye(heads, dtype=x.dtype, device=x.device).repeat_interleave(network.widths[layer], 0)
    ends = [values[f"{layer}.{end}"].view(replicas, -1, 1) * own for end in ("source", "target")]
    scores = torch.bmm(weight, torch.cat(ends, dim=2))
    source, target = linear(x, scores).flatten(0, 1).chunk(2, dim=1)
    summed = attention(h.flatten(0, 1), source, target, batch, _SLOPE)
    return activate(summed.view(h.shape), values[f"{layer}.b"], network.activation)


def _gin(x: Tensor, batch: Batch, values: Parameters, layer: int, network: Network) -> Tensor:
    """Return the maps of (1 + ε) x + the sum of neighbors; the slot of the node itself gives the one."""
    h = propagate(x, batch) + values[f"{layer}.e"].view(-1, 1, 1) * x
    owner = layer - 1 if network.share_last and layer == len(network.widths) - 1 else layer
    for place in range(network.depth):
        activation = "relu" if place + 1 < network.depth else network.activation
        h = activate(linear(h, values[f"{owner}.{place}.w"]), values[f"{owner}.{place}.b"], activation)
    return h


def _chebnet(x: Tensor, batch: Batch, values: Parameters, layer: int, network: Network) -> Tensor:
    """Return a Chebyshev expansion of the scaled Laplacian, its terms concatenated in one product."""
    weight = values[f"{layer}.w"].flatten(1, 2)
    return activate(
        linear(chebyshev(x, batch, network.hops), weight), values[f"{layer}.b"], network.activation
    )


def _gnnml1(x: Tensor, batch: Batch, values: Parameters, layer: int, network: Network) -> Tensor:
    """Return a linear part, a convolution with the adjacency, and a product of two linear parts."""
    first, second = (
        activate(linear(x, values[f"{layer}.{part}.w"]), values[f"{layer}.{part}.b"], network.gate)
        for part in "pq"
    )
    return torch.cat(
        [
            activate(linear(x, values[f"{layer}.l.w"]), values[f"{layer}.l.b"], "relu"),
            activate(_convolve(x, batch, values[f"{layer}.w"]), values[f"{layer}.b"], "relu"),
            first * second,
        ],
        dim=2,
    )


def _gnnml3(x: Tensor, batch: Batch, values: Parameters, layer: int, network: Network) -> Tensor:
    """Return a convolution with several supports, and a product of two linear parts if the network has one."""
    replicas, rows = x.shape[:2]
    edges = edges_of(batch)
    supports = _learned(edges, values, layer, replicas) if network.learned else edges.supports
    found = support_sums(x.flatten(0, 1), supports, edges, batch).view(replicas, rows, -1)
    weight = values[f"{layer}.w"].flatten(1, 2)
    h = activate(linear(found, weight), values[f"{layer}.b"], "relu")
    if not sum(network.parts):
        return h
    first = torch.tanh(linear(x, values[f"{layer}.p.w"], values[f"{layer}.p.b"]))
    second = torch.tanh(linear(x, values[f"{layer}.q.w"], values[f"{layer}.q.b"]))
    return torch.cat([h, first * second], dim=2)


def all_supports(batch: Batch, edges: EdgeBatch) -> Tensor:
    """Return (M * E, S): the stored supports, then the product of both ends, column by column."""
    if not batch.ends.shape[2]:
        return edges.supports
    flat = batch.ends.flatten(0, 1)
    one, other = (flat.index_select(0, edges.ends[:, end]) for end in (0, 1))
    return torch.cat([edges.supports, one * other], dim=1)


def edges_of(batch: Batch) -> EdgeBatch:
    """Return the edges of a batch, or say that its store has none."""
    if batch.edges is None:
        raise InputError("GNNML3 needs supports, and the store has none. Build it for this network.")
    return batch.edges


def _learned(edges: EdgeBatch, values: Parameters, layer: int, replicas: int) -> Tensor:
    """Return the supports after their learned map; without biases, those of no edge stay zero."""
    e = edges.supports.view(replicas, -1, edges.supports.shape[1])
    mixed = gates(linear(e, torch.cat([values[f"{layer}.{name}"] for name in "rst"], dim=2)))
    return torch.relu(linear(mixed, values[f"{layer}.u"])).flatten(0, 1)


_LAYERS: dict[str, Layer] = {
    "mlp": _dense,
    "gcn": _gcn,
    "gat": _gat,
    "gin": _gin,
    "chebnet": _chebnet,
    "gnnml1": _gnnml1,
    "gnnml3": _gnnml3,
}
