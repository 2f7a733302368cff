"""Networks on a shared set: every weight has a replica axis in front, and one sparse product serves all replicas."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from research.today.fullbatch.shared import SharedSet, compressed_rows

SMALL = 1e-5


@dataclass(frozen=True)
class Design:
    """A network: "gin", "gine", "gcn" or "sage", its layers, width and dropout."""

    kind: str
    layers: int
    width: int
    dropout: float = 0.2


@dataclass(frozen=True)
class Group:
    """Replicas that are trained at once: (encoding, fold, seed) of each, and the nodes they learn from.

    Attributes
    ----------
    replicas
        Ordered by encoding.
    training
        float32 (replicas, num_nodes): 1 for nodes whose values are known in training.
    scales
        For every encoding the mean and 1 / spread (replicas of that encoding, 1, columns) over those nodes.
    """

    replicas: tuple[tuple[str, int, int], ...]
    training: Tensor
    scales: dict[str, tuple[Tensor, Tensor]]


class SharedProduct(torch.autograd.Function):
    """A sparse matrix times the values of all replicas; the second matrix is the transposed one."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, matrix: Tensor, transposed: Tensor) -> Tensor:
        ctx.transposed = transposed
        return sparse_product(matrix, values)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return sparse_product(ctx.transposed, gradient), None, None


def sparse_product(matrix: Tensor, values: Tensor) -> Tensor:
    """Return a sparse matrix times (replicas, rows, width)."""
    replicas, rows, width = values.shape
    flat = values.transpose(0, 1).reshape(rows, replicas * width)
    found: Tensor = torch.sparse.mm(matrix, flat)
    return found.view(-1, replicas, width).transpose(0, 1)


def shared_product(values: Tensor, matrix: Tensor, transposed: Tensor | None = None) -> Tensor:
    """Return the product with its gradient; a matrix without `transposed` is symmetric."""
    found: Tensor = SharedProduct.apply(values, matrix, matrix if transposed is None else transposed)  # type: ignore[no-untyped-call]
    return found


def pooling(data: SharedSet) -> tuple[Tensor, Tensor]:
    """Return the matrix that sums or averages the nodes of every graph, and its transposed one."""
    count, device = data.num_nodes, data.label.device
    sizes = torch.bincount(data.graph)
    value = 1 / sizes[data.graph].float() if data.mean else torch.ones(count, device=device)
    start = torch.cat([sizes.new_zeros(1), sizes.cumsum(0)]).int()
    nodes = torch.arange(count, dtype=torch.int32, device=device)
    shape = (len(sizes), count)
    matrix = compressed_rows(start, nodes, value, shape)
    starts = torch.arange(count + 1, dtype=torch.int32, device=device)
    return matrix, compressed_rows(starts, data.graph.int(), value, (count, len(sizes)))


def scaled_arcs(data: SharedSet) -> Tensor:
    """Return the adjacency matrix with loops, divided by the square roots of both degrees, as GCN has it."""
    matrix = data.arcs[0]
    start, columns = matrix.crow_indices().long(), matrix.col_indices().long()
    count, device = data.num_nodes, data.label.device
    rows = torch.repeat_interleave(torch.arange(count, device=device), start.diff())
    loops = torch.arange(count, device=device)
    rows, columns = torch.cat([rows, loops]), torch.cat([columns, loops])
    order = (rows * count + columns).argsort()
    rows, columns = rows[order], columns[order]
    scale = torch.rsqrt(start.diff().float() + 1)
    begins = torch.cat([start.new_zeros(1), (start.diff() + 1).cumsum(0)]).int()
    return compressed_rows(begins, columns.int(), scale[rows] * scale[columns], (count, count))


def weight_shapes(design: Design, data: SharedSet, columns: dict[str, int]) -> dict[str, tuple[int, ...]]:
    """Return the shape of every weight of a replica; weights of an encoding begin with its name."""
    width = design.width
    found: dict[str, tuple[int, ...]] = {"label.table": (int(data.label.max()) + 1, width)}
    if data.features is not None:
        found |= {"features.matrix": (data.features.shape[1], width)}
    for name, count in columns.items():
        if count:
            found |= {f"{name}:in.matrix": (count, width), f"{name}:in.bias": (width,)}
            found |= {f"{name}:out.matrix": (width, width), f"{name}:out.bias": (width,)}
    for layer in range(design.layers):
        for name, shape in _layer_shapes(design, data).items():
            found[f"{layer}.{name}"] = shape
    last = 0 if design.kind in ("gin", "gine") else design.layers
    for layer in range(last, design.layers + 1):
        found |= {f"last{layer}.matrix": (width, data.num_classes)}
    return found | {"last.bias": (data.num_classes,)}


def _layer_shapes(design: Design, data: SharedSet) -> dict[str, tuple[int, ...]]:
    """Return the weights of one layer."""
    width = design.width
    if design.kind in ("gin", "gine"):
        found: dict[str, tuple[int, ...]] = {
            "eps.bias": (1,),
            "a.matrix": (width, width),
            "b.matrix": (width, width),
        }
        found |= {f"{name}.{part}": (width,) for name in "ab" for part in ("scale", "bias")}
        return found | ({"bond.table": (len(data.arcs), width)} if design.kind == "gine" else {})
    ends = 2 * width if design.kind == "sage" else width
    return {
        "norm.scale": (width,),
        "norm.bias": (width,),
        "a.matrix": (ends, width),
        "a.bias": (width,),
        "b.matrix": (width, width),
        "b.bias": (width,),
    }


def activated(values: Tensor, training: Tensor, scale: Tensor, bias: Tensor) -> Tensor:
    """Return relu of values normalized per column by their mean and spread over the nodes of training only.

    Sums, not matrix products: a compiler can then fuse all of it into a few passes over the values.
    """
    weight = (training / training.sum(dim=1, keepdim=True)).unsqueeze(2)
    mean = (weight * values).sum(dim=1, keepdim=True)
    spread = (weight * (values - mean).square()).sum(dim=1, keepdim=True)
    factor = torch.rsqrt(spread + SMALL) * scale.unsqueeze(1)
    return functional.relu((values - mean) * factor + bias.unsqueeze(1))


class Network:
    """The fixed matrices of a network on a set, and its output for weights."""

    def __init__(self, design: Design, data: SharedSet, *, compiled: bool = False) -> None:
        self.design, self.data = design, data
        backend = "inductor" if data.label.is_cuda else "aot_eager"  # tracing only, where there is no GPU
        self.activated: Any = activated
        if compiled:
            self.activated = torch.compile(activated, dynamic=False, backend=backend)
        self.pool = pooling(data) if data.pooled else None
        self.arcs = scaled_arcs(data) if design.kind == "gcn" else None
        degree = data.arcs[0].crow_indices().diff().float() if design.kind == "sage" else None
        self.share: Any = None if degree is None else (1 / degree.clamp(min=1)).view(1, -1, 1)

    def output(self, weights: dict[str, Tensor], group: Group, *, training: bool) -> Tensor:
        """Return (replicas, rows, classes)."""
        values = self._first(weights, group, training=training)
        kept = [values]
        for layer in range(self.design.layers):
            own = {name: weights[f"{layer}.{name}"] for name in _layer_shapes(self.design, self.data)}
            if self.design.kind in ("gin", "gine"):
                values = self._gin(values, own, group.training)
                kept.append(values)
            else:
                values = self._residual(values, own, training=training)
                kept = [values]
        first = self.design.layers + 1 - len(kept)
        total: Any = weights["last.bias"].unsqueeze(1)
        for number, each in enumerate(kept):
            if self.pool is not None:
                each = shared_product(each, *self.pool)
            each = functional.dropout(each, self.design.dropout, training)
            total = total + torch.bmm(each, weights[f"last{first + number}.matrix"])
        return torch.as_tensor(total)

    def _first(self, weights: dict[str, Tensor], group: Group, *, training: bool) -> Tensor:
        """Return the vectors of all nodes before the first layer."""
        data = self.data
        values = weights["label.table"][:, data.label]
        if data.features is not None:
            values = values + torch.matmul(data.features, weights["features.matrix"])
        if any(key.startswith("lappe") for key, *_ in group.replicas) and training:
            graphs = int(data.graph[-1]) + 1
            drawn = torch.randint(2, (graphs, data.encodings["lappe"].shape[1]), device=values.device)
            signs = (2 * drawn - 1)[data.graph].float()
        added = []
        for name in dict.fromkeys(key for key, *_ in group.replicas):
            rows = [number for number, (key, *_) in enumerate(group.replicas) if key == name]
            span = slice(rows[0], rows[-1] + 1)
            if name == "none":
                added.append(torch.zeros_like(values[span]))
                continue
            columns = data.encodings[name]
            if name.startswith("lappe") and training:
                columns = columns * signs
            mean, scale = group.scales[name]
            matrix = weights[f"{name}:in.matrix"][span] * scale.transpose(1, 2)
            bias = weights[f"{name}:in.bias"][span].unsqueeze(1) - torch.bmm(mean, matrix)
            hidden = functional.relu(torch.matmul(columns, matrix) + bias)
            out = weights[f"{name}:out.bias"][span].unsqueeze(1)
            added.append(torch.bmm(hidden, weights[f"{name}:out.matrix"][span]) + out)
        return values + torch.cat(added)

    def _gin(self, values: Tensor, own: dict[str, Tensor], training: Tensor) -> Tensor:
        """Return the nodes after a GIN or GINE layer."""
        total = values * (1 + own["eps.bias"].unsqueeze(1))
        for kind, arcs in enumerate(self.data.arcs):
            sent = values
            if self.design.kind == "gine":
                sent = functional.relu(values + own["bond.table"][:, kind].unsqueeze(1))
            total = total + shared_product(sent, arcs)
        for name in "ab":
            total = torch.bmm(total, own[f"{name}.matrix"])
            total = self.activated(total, training, own[f"{name}.scale"], own[f"{name}.bias"])
        return total

    def _residual(self, values: Tensor, own: dict[str, Tensor], *, training: bool) -> Tensor:
        """Return the nodes after a GCN or GraphSAGE layer: normalized, averaged, through a network, added."""
        normal = functional.layer_norm(values, values.shape[-1:])
        normal = normal * own["norm.scale"].unsqueeze(1) + own["norm.bias"].unsqueeze(1)
        if self.arcs is not None:
            total = shared_product(normal, self.arcs)
        else:
            near = shared_product(normal, self.data.arcs[0]) * self.share
            total = torch.cat([normal, near], dim=2)
        for name in "ab":
            total = torch.bmm(total, own[f"{name}.matrix"]) + own[f"{name}.bias"].unsqueeze(1)
            total = functional.dropout(functional.gelu(total), self.design.dropout, training)
        return values + total
