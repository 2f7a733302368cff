"""Networks whose every weight has a replica axis in front: one matrix product serves all replicas."""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from research.today.molecules.neighbors import BondMessages, NeighborSum, NeighborValues, apply
from research.today.molecules.padded import Batch, Molecules

SMALL = 1e-5


@dataclass(frozen=True)
class Shape:
    """A network: its layers' kind ("gine", "gin", "gcn", "gatedgcn", "gineconv", "gps"), their number and width.

    GINE and GIN have a hidden layer of `expand` times the width. "gineconv" is GINE with one normalization, after the
    sum with its input. "gps" is the layer of GraphGPS without attention: GINE and then a feed-forward network,
    normalized after each sum.
    """

    kind: str
    layers: int
    width: int
    expand: int = 2


class Weights:
    """The weights of all replicas in one matrix, a row per replica, and their parts by name.

    Every part is a leaf tensor that is a view of the matrix `flat`, and `gradients` are views of `gradient`, so that
    the optimizer and the norm of a replica's gradient are one operation each.
    """

    def __init__(self, shapes: dict[str, tuple[int, ...]], seeds: list[int], device: str) -> None:
        sizes = {name: -(-math.prod(shape) // 8) * 8 for name, shape in shapes.items()}
        self.flat = torch.zeros(len(seeds), sum(sizes.values()), device=device)
        self.gradient = torch.zeros_like(self.flat)
        self.parts: dict[str, Tensor] = {}
        self.gradients: list[Tensor] = []
        position = 0
        for name, shape in shapes.items():
            span = slice(position, position + math.prod(shape))
            self.parts[name] = self.flat[:, span].view(len(seeds), *shape).requires_grad_()
            self.gradients.append(self.gradient[:, span].view(len(seeds), *shape))
            position += sizes[name]
        self._draw(shapes, seeds)

    def is_matrix(self, shapes: dict[str, tuple[int, ...]]) -> Tensor:
        """Return a 1 for every weight of a matrix, 0 for biases, scales and tables: what weight decay applies to."""
        found = []
        for name, shape in shapes.items():
            size = -(-math.prod(shape) // 8) * 8
            found.append(torch.full((size,), float(name.endswith("matrix")), device=self.flat.device))
        return torch.cat(found)

    @torch.no_grad()
    def _draw(self, shapes: dict[str, tuple[int, ...]], seeds: list[int]) -> None:
        """Draw the weights of each replica from its seed, as PyTorch's layers do."""
        drawn: dict[int, dict[str, Tensor]] = {}
        for seed in sorted(set(seeds)):
            generator = torch.Generator().manual_seed(seed)
            drawn[seed] = {name: first_values(name, shape, generator) for name, shape in shapes.items()}
        for name, part in self.parts.items():
            part.copy_(torch.stack([drawn[seed][name] for seed in seeds]))


def first_values(name: str, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    """Return the first values of one weight: by its name's last part a table, a matrix, a scale or a bias."""
    last = name.rsplit(".", 1)[-1]
    if last == "table":
        return torch.randn(shape, generator=generator)
    if last == "matrix":
        drawn: Tensor = (torch.rand(shape, generator=generator) * 2 - 1) / shape[0] ** 0.5
        return drawn
    return torch.ones(shape) if last == "scale" else torch.zeros(shape)


def weight_shapes(shape: Shape, data: Molecules) -> dict[str, tuple[int, ...]]:
    """Return the shape of every weight of one replica."""
    width, columns = shape.width, data.encodings.shape[2]
    found: dict[str, tuple[int, ...]] = {
        "atom.table": (data.num_atoms, width),
        "input.matrix": (columns, width),
        "input.bias": (width,),
        "input2.matrix": (width, width),
        "input2.bias": (width,),
    }
    if shape.kind == "gatedgcn":
        found["bond.table"] = (data.num_bonds, width)
    for layer in range(shape.layers):
        own = LAYERS[shape.kind][0](shape)
        if shape.kind in ("gine", "gineconv", "gps"):
            own = {"bond.table": (data.num_bonds, width)} | own
        found |= {f"{layer}.{name}": size for name, size in own.items()}
    ends = (width, width // 2, width // 4, data.target.shape[1])
    for number in range(3):
        found[f"out{number}.matrix"] = (ends[number], ends[number + 1])
        found[f"out{number}.bias"] = (ends[number + 1],)
    return found


def count_weights(shape: Shape, data: Molecules, encoding: int) -> int:
    """Return how many weights a network with one encoding has, columns that fill up left out."""
    shapes = weight_shapes(shape, data)
    used = data.widths[encoding]
    total = sum(math.prod(size) for name, size in shapes.items() if not name.startswith("input"))
    return total + (used * shape.width + shape.width**2 + 2 * shape.width if used else 0)


def product(values: Tensor, matrix: Tensor, dtype: torch.dtype) -> Tensor:
    """Return a matrix product per replica."""
    return torch.bmm(values.to(dtype), matrix.to(dtype))


Statistics = tuple[Tensor, Tensor]


def normalize(
    values: Tensor, count: Tensor, scale: Tensor, bias: Tensor, running: Statistics | None
) -> tuple[Tensor, Statistics]:
    """Return values normalized per column, and the statistics; rows that fill up are zero and not counted.

    With `running`, those statistics are used, as in evaluation.
    """
    values = values.float()
    if running is None:
        mean = values.sum(dim=1) / count
        variance = ((values * values).sum(dim=1) / count - mean * mean).clamp(min=0)
    else:
        mean, variance = running
    factor = (torch.rsqrt(variance + SMALL) * scale).unsqueeze(1)
    return (values - mean.unsqueeze(1)) * factor + bias.unsqueeze(1), (mean, variance)


def _mlp_shapes(shape: Shape) -> dict[str, tuple[int, ...]]:
    """Return the weights of a layer with a network of two matrices after the sum."""
    width, hidden = shape.width, shape.expand * shape.width
    return {
        "eps.bias": (1,),
        "in.matrix": (width, hidden),
        "in.scale": (hidden,),
        "in.bias": (hidden,),
        "end.matrix": (hidden, width),
        "end.scale": (width,),
        "end.bias": (width,),
    }


def _gineconv_shapes(shape: Shape) -> dict[str, tuple[int, ...]]:
    """Return the weights of a GINE layer that is normalized once."""
    found = _mlp_shapes(shape)
    del found["in.scale"]
    return found


def _gps_shapes(shape: Shape) -> dict[str, tuple[int, ...]]:
    """Return the weights of a GINE layer followed by a feed-forward network."""
    width, hidden = shape.width, shape.expand * shape.width
    matrices = {"in": (width, width), "end": (width, width), "up": (width, hidden), "down": (hidden, width)}
    found: dict[str, tuple[int, ...]] = {f"{name}.matrix": size for name, size in matrices.items()}
    found |= {"eps.bias": (1,), "in.bias": (width,), "up.bias": (hidden,)}
    for name in ("middle", "last"):
        found |= {f"{name}.scale": (width,), f"{name}.bias": (width,)}
    return found


def _gcn_shapes(shape: Shape) -> dict[str, tuple[int, ...]]:
    """Return the weights of a GCN layer."""
    width = shape.width
    return {"end.matrix": (width, width), "end.scale": (width,), "end.bias": (width,)}


def _gated_shapes(shape: Shape) -> dict[str, tuple[int, ...]]:
    """Return the weights of a GatedGCN layer: own, passed on, gate from both ends, gate from the bond."""
    names, width = ("own", "pass", "near", "far", "bond"), shape.width
    found: dict[str, tuple[int, ...]] = {f"{name}.matrix": (width, width) for name in names}
    for name in ("end", "in"):
        found |= {f"{name}.scale": (width,), f"{name}.bias": (width,)}
    return found


def dropped(values: Tensor, batch: dict[str, Tensor], running: Any) -> Tensor:
    """Return values with some set to zero, each replica's share in `batch["keep"]` kept; all of them in evaluation."""
    if "keep" not in batch or running is not None:
        return values
    keep = batch["keep"]
    return values * ((torch.rand_like(values) < keep) / keep)


def mlp_layer(
    values: Tensor,
    total: Tensor,
    weights: dict[str, Tensor],
    batch: dict[str, Tensor],
    running: Any,
    dtype: torch.dtype,
) -> tuple[Tensor, Any]:
    """Return values + network((1 + eps) values + total), and the statistics of both normalizations."""
    mask = batch["mask"]
    count = mask.sum(dim=1)
    total = values * (1 + weights["eps.bias"].unsqueeze(1)) + total
    hidden = product(total, weights["in.matrix"], dtype)
    old = (None, None) if running is None else running
    hidden, first = normalize(hidden, count, weights["in.scale"], weights["in.bias"], old[0])
    hidden = functional.relu(hidden) * mask
    out = product(hidden, weights["end.matrix"], dtype)
    out, second = normalize(out, count, weights["end.scale"], weights["end.bias"], old[1])
    return values + dropped(functional.relu(out) * mask, batch, running), (first, second)


def _add_messages(
    values: Tensor, weights: dict[str, Tensor], batch: dict[str, Tensor], running: Any, dtype: torch.dtype
) -> Tensor:
    """Return the atoms plus the output of GINE, without a normalization."""
    total = apply(BondMessages, values, weights["bond.table"], batch["neighbor"], batch["bond"])
    total = values * (1 + weights["eps.bias"].unsqueeze(1)) + total
    hidden = functional.relu(product(total, weights["in.matrix"], dtype) + weights["in.bias"].unsqueeze(1))
    added = product(hidden, weights["end.matrix"], dtype).float() * batch["mask"]
    return values + dropped(added, batch, running)


def gps_layer(
    values: Tensor, weights: dict[str, Tensor], batch: dict[str, Tensor], running: Any, dtype: torch.dtype
) -> tuple[Tensor, Any]:
    """Return the atoms after GINE and a feed-forward network, each added to its input and normalized."""
    mask = batch["mask"]
    count = mask.sum(dim=1)
    old = (None, None) if running is None else running
    middle = _add_messages(values, weights, batch, running, dtype)
    middle, first = normalize(middle, count, weights["middle.scale"], weights["middle.bias"], old[0])
    middle = middle * mask
    hidden = functional.relu(product(middle, weights["up.matrix"], dtype) + weights["up.bias"].unsqueeze(1))
    added = product(hidden, weights["down.matrix"], dtype).float() * mask
    out = middle + dropped(added, batch, running)
    out, second = normalize(out, count, weights["last.scale"], weights["last.bias"], old[1])
    return out * mask, (first, second)


def gine_layer(
    values: Tensor, weights: dict[str, Tensor], batch: dict[str, Tensor], running: Any, dtype: torch.dtype
) -> tuple[Tensor, Any]:
    """Return the atoms after a GINE layer."""
    total = apply(BondMessages, values, weights["bond.table"], batch["neighbor"], batch["bond"])
    return mlp_layer(values, total, weights, batch, running, dtype)


def gineconv_layer(
    values: Tensor, weights: dict[str, Tensor], batch: dict[str, Tensor], running: Any, dtype: torch.dtype
) -> tuple[Tensor, Any]:
    """Return the atoms after a GINE layer whose output is added to its input, and then normalized."""
    mask = batch["mask"]
    old = None if running is None else running[0]
    out = _add_messages(values, weights, batch, running, dtype)
    out, found = normalize(out, mask.sum(dim=1), weights["end.scale"], weights["end.bias"], old)
    return out * mask, (found,)


def gin_layer(
    values: Tensor, weights: dict[str, Tensor], batch: dict[str, Tensor], running: Any, dtype: torch.dtype
) -> tuple[Tensor, Any]:
    """Return the atoms after a GIN layer, which ignores bonds."""
    total = apply(NeighborSum, values, batch["neighbor"], (batch["bond"] > 0).float())
    return mlp_layer(values, total, weights, batch, running, dtype)


def gcn_layer(
    values: Tensor, weights: dict[str, Tensor], batch: dict[str, Tensor], running: Any, dtype: torch.dtype
) -> tuple[Tensor, Any]:
    """Return the atoms after a GCN layer: a mean over the neighbors and the atom itself, weighted by degrees."""
    present = (batch["bond"] > 0).float()
    scale = torch.rsqrt(1 + present.sum(dim=2))
    weight = present * scale.unsqueeze(2) * scale.reshape(-1)[batch["neighbor"]]
    mean = apply(NeighborSum, values, batch["neighbor"], weight) + values * (scale * scale).unsqueeze(2)
    out = product(mean, weights["end.matrix"], dtype)
    old = None if running is None else running[0]
    count = batch["mask"].sum(dim=1)
    out, first = normalize(out, count, weights["end.scale"], weights["end.bias"], old)
    return values + functional.relu(out) * batch["mask"], (first,)


def gated_layer(
    state: tuple[Tensor, Tensor],
    weights: dict[str, Tensor],
    batch: dict[str, Tensor],
    running: Any,
    dtype: torch.dtype,
) -> tuple[tuple[Tensor, Tensor], Any]:
    """Return atoms and bonds after a GatedGCN layer; a bond has a vector per direction."""
    values, bonds = state
    replicas, nodes, width = values.shape
    present = (batch["bond"] > 0).unsqueeze(3).float()
    near, far = (product(values, weights[f"{name}.matrix"], dtype) for name in ("near", "far"))
    sent = product(values, weights["pass.matrix"], dtype)
    edges = batch["neighbor"], batch["reverse"], batch["bond"]
    gate = product(bonds.reshape(replicas, -1, width), weights["bond.matrix"], dtype)
    gate = gate.view(replicas, nodes, -1, width) + near.unsqueeze(2) + apply(NeighborValues, far, *edges)
    gate = gate.float() * present
    share = torch.sigmoid(gate) * present
    total = (share * apply(NeighborValues, sent, *edges).float()).sum(dim=2) / (share.sum(dim=2) + 1e-6)
    out = product(values, weights["own.matrix"], dtype).float() + total
    old = (None, None) if running is None else running
    count = batch["mask"].sum(dim=1)
    out, first = normalize(out, count, weights["end.scale"], weights["end.bias"], old[0])
    arcs = present.sum(dim=(1, 2))
    flat = gate.reshape(replicas, -1, width)
    change, second = normalize(flat, arcs, weights["in.scale"], weights["in.bias"], old[1])
    change = functional.relu(change.view_as(gate)) * present
    return (values + functional.relu(out) * batch["mask"], bonds + change), (first, second)


LAYERS: dict[str, tuple[Any, Any]] = {
    "gine": (_mlp_shapes, gine_layer),
    "gin": (_mlp_shapes, gin_layer),
    "gcn": (_gcn_shapes, gcn_layer),
    "gatedgcn": (_gated_shapes, gated_layer),
    "gineconv": (_gineconv_shapes, gineconv_layer),
    "gps": (_gps_shapes, gps_layer),
}


def linear(values: Tensor, weights: dict[str, Tensor], name: str) -> Tensor:
    """Return a linear layer of all replicas."""
    return torch.baddbmm(weights[f"{name}.bias"].unsqueeze(1), values, weights[f"{name}.matrix"])


def one_hot(numbers: Tensor, size: int) -> Tensor:
    """Return a 1 in the column of every number, as float32; a product with it has a gradient without atomics."""
    return (numbers.unsqueeze(-1) == torch.arange(size, device=numbers.device)).float()


def first_vectors(weights: dict[str, Tensor], batch: Batch, has_encoding: Tensor) -> Tensor:
    """Return the vectors of the atoms before the first layer: the atom's own, and that of its encoding."""
    kinds = weights["atom.table"].shape[1]
    values = torch.bmm(one_hot(batch.atom, kinds), weights["atom.table"])
    hidden = functional.relu(linear(batch.encoding, weights, "input"))
    added = linear(hidden, weights, "input2") * has_encoding.view(-1, 1, 1)
    return (values + added) * batch.mask


def last_values(weights: dict[str, Tensor], values: Tensor, batch: Batch) -> Tensor:
    """Return the numbers of every molecule from the sum over its atoms."""
    replicas, size, _ = batch.target.shape
    pooled = values.new_zeros(replicas * size, values.shape[2])
    pooled = pooled.index_add(0, batch.graph.flatten(), values.flatten(0, 1)).view(replicas, size, -1)
    for number in range(3):
        pooled = linear(pooled, weights, f"out{number}")
        pooled = functional.relu(pooled) if number < 2 else pooled
    return pooled


def forward(
    shape: Shape,
    weights: dict[str, Tensor],
    batch: Batch,
    has_encoding: Tensor,
    *,
    running: list[Any] | None = None,
    dtype: torch.dtype = torch.float32,
    layer_function: Any = None,
    keep: Tensor | None = None,
) -> tuple[Tensor, list[Any]]:
    """Return the numbers of every molecule, and the statistics of every layer; `keep` is what dropout keeps."""
    layer_function = layer_function or LAYERS[shape.kind][1]
    edges = {
        "neighbor": batch.neighbor,
        "bond": batch.bond,
        "reverse": batch.reverse,
        "mask": batch.mask,
    }
    if keep is not None:
        edges["keep"] = keep
    values: Any = first_vectors(weights, batch, has_encoding)
    if shape.kind == "gatedgcn":
        chosen = one_hot(batch.bond, weights["bond.table"].shape[1]) * (batch.bond > 0).unsqueeze(3)
        bonds = torch.bmm(chosen.flatten(1, 2), weights["bond.table"])
        values = (values, bonds.view(*batch.bond.shape, shape.width))
    statistics = []
    for layer in range(shape.layers):
        start = f"{layer}."
        own = {name[len(start) :]: part for name, part in weights.items() if name.startswith(start)}
        old = None if running is None else running[layer]
        values, found = layer_function(values, own, edges, old, dtype)
        statistics.append(found)
    nodes = values[0] if shape.kind == "gatedgcn" else values
    return last_values(weights, nodes, batch), statistics
