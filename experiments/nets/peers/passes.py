"""What the networks are made of: maps per replica, batch norm over real rows, sums over arcs; weights made on first use."""

import math
import zlib
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from experiments.nets.peers.layout import Rows

_MOMENTUM, _EPSILON = 0.1, 1e-5


class Weights:
    """The weights of all replicas by name, each (M, ...), drawn by the seed of its replica and its name.

    A replica's weights depend on nothing but its seed, so that they are the same in any company.
    """

    def __init__(self, seeds: Sequence[Sequence[int]], device: str, dtype: torch.dtype) -> None:
        self.seeds, self.device, self.dtype = [tuple(seed) for seed in seeds], device, dtype
        self.values: dict[str, Tensor] = {}
        self.running: dict[str, Tensor] = {}
        self.flat: Tensor | None = None

    def uniform(self, name: str, shape: tuple[int, ...], bound: float) -> Tensor:
        """Return weights uniform within ± bound, drawn on first use."""
        if name not in self.values:
            drawn: dict[tuple[int, ...], Tensor] = {}
            for seed in dict.fromkeys(self.seeds):
                source = torch.Generator().manual_seed(zlib.crc32(repr((name, seed)).encode()))
                drawn[seed] = (torch.rand(shape, generator=source, dtype=torch.float64) * 2 - 1) * bound
            stacked = torch.stack([drawn[seed] for seed in self.seeds])
            self.values[name] = stacked.to(self.device, self.dtype)
        return self.values[name]

    def constant(self, name: str, shape: tuple[int, ...], value: float) -> Tensor:
        """Return weights that start at one value."""
        if name not in self.values:
            full = torch.full((len(self.seeds), *shape), value, dtype=self.dtype, device=self.device)
            self.values[name] = full
        return self.values[name]

    def moments(self, name: str, width: int) -> tuple[Tensor, Tensor]:
        """Return the running mean and variance of a batch norm, (M, width)."""
        if f"{name}.mean" not in self.running:
            shape = (len(self.seeds), width)
            self.running[f"{name}.mean"] = torch.zeros(shape, dtype=self.dtype, device=self.device)
            self.running[f"{name}.variance"] = torch.ones(shape, dtype=self.dtype, device=self.device)
        return self.running[f"{name}.mean"], self.running[f"{name}.variance"]

    def flatten(self) -> Tensor:
        """Put all weights into one buffer; `values` become views into it that have gradients."""
        self.flat = torch.cat([value.reshape(-1) for value in self.values.values()])
        begin = 0
        for name, value in list(self.values.items()):
            view = self.flat[begin : begin + value.numel()].view(value.shape)
            self.values[name] = view.detach().requires_grad_()
            begin += value.numel()
        return self.flat

    @property
    def per_replica(self) -> int:
        """Return the number of weights of one replica."""
        return sum(value.numel() for value in self.values.values()) // len(self.seeds)


class Pass:
    """One pass through a network: its weights, and whether it trains."""

    def __init__(self, weights: Weights, *, training: bool, norm: bool = True, dropout: float = 0.0) -> None:
        self.weights, self.training, self.norm, self.dropout = weights, training, norm, dropout

    def linear(self, name: str, x: Tensor, out: int, *, bias: bool = True) -> Tensor:
        """Return x W + b with the weights of each replica: (M, R, I) → (M, R, out)."""
        width = x.shape[2]
        bound = 1 / math.sqrt(max(width, 1))
        matrix = self.weights.uniform(f"{name}.w", (width, out), bound)
        if not bias:
            return torch.bmm(x, matrix)
        return torch.baddbmm(self.weights.uniform(f"{name}.b", (out,), bound).unsqueeze(1), x, matrix)

    def table(self, name: str, rows: int, width: int) -> Tensor:
        """Return a table of vectors per replica, flat: (M * rows, width)."""
        return self.weights.uniform(f"{name}.t", (rows, width), 1.0).reshape(-1, width)

    def normalized(self, name: str, x: Tensor, rows: Rows) -> Tensor:
        """Return x normalized per replica and channel over its real rows; without `norm`, x itself."""
        if not self.norm:
            return x
        scale = self.weights.constant(f"{name}.scale", (x.shape[2],), 1.0)
        shift = self.weights.constant(f"{name}.shift", (x.shape[2],), 0.0)
        mean, variance = self.weights.moments(name, x.shape[2])
        if self.training:
            found, new_mean, new_variance = _Norm.apply(x, rows.mask, rows.count, scale, shift)  # type: ignore[no-untyped-call]
            with torch.no_grad():
                many = rows.count.view(-1, 1)
                mean.lerp_(new_mean, _MOMENTUM)
                variance.lerp_(new_variance * many / (many - 1).clamp(min=1), _MOMENTUM)
            normal: Tensor = found
            return normal
        factor = torch.rsqrt(variance + _EPSILON) * scale
        return torch.addcmul((shift - mean * factor).unsqueeze(1), x, factor.unsqueeze(1))

    def mlp(self, name: str, x: Tensor, rows: Rows, width: int) -> Tensor:
        """Return two linear maps, each followed by batch norm and ReLU."""
        x = torch.relu(self.normalized(f"{name}.n1", self.linear(f"{name}.1", x, width), rows))
        return torch.relu(self.normalized(f"{name}.n2", self.linear(f"{name}.2", x, width), rows))

    def gin(self, name: str, x: Tensor, rows: Rows, width: int, num_types: int = 1) -> Tensor:
        """Return one layer of GIN: an MLP of (1 + ε) x plus the sum over arcs; with types, GINE's messages."""
        near = self.aggregate(name, x, rows, num_types)
        own = 1 + self.weights.constant(f"{name}.eps", (1,), 0.0).unsqueeze(2)
        return self.mlp(name, own * x + near, rows, width)

    def aggregate(self, name: str, x: Tensor, rows: Rows, num_types: int = 1) -> Tensor:
        """Return the sum over arcs of the source's row, or of relu(row + vector of the arc's type)."""
        table = self.table(f"{name}.types", num_types, x.shape[2]) if num_types > 1 else None
        return arc_sum(x, rows.source, rows.target, table=table, types=rows.types)

    def drop(self, x: Tensor) -> Tensor:
        """Return x with some of its values set to zero, in training."""
        if not (self.training and self.dropout):
            return x
        return torch.nn.functional.dropout(x, self.dropout)


class _Norm(torch.autograd.Function):
    """Batch norm over real rows, with few passes over memory; padding gets no gradient."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, mask: Tensor, count: Tensor, scale: Tensor, shift: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        mean = (x * mask).sum(1, keepdim=True) / count
        centered = (x - mean).mul_(mask)
        variance = torch.linalg.vector_norm(centered, dim=1, keepdim=True).square_() / count
        inverse = torch.rsqrt(variance + _EPSILON)
        ctx.save_for_backward(centered, mask, count, scale, inverse)
        found = torch.addcmul(shift.unsqueeze(1), centered, inverse * scale.unsqueeze(1))
        moments = mean.squeeze(1), variance.squeeze(1)
        ctx.mark_non_differentiable(*moments)
        return found, *moments

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None, Tensor, Tensor]:
        centered, mask, count, scale, inverse = ctx.saved_tensors
        grad = grads[0] * mask
        to_shift = grad.sum(1, keepdim=True)
        product = (grad * centered).sum(1, keepdim=True)
        to_x = torch.addcmul(grad, centered, product * inverse.square() / -count)
        to_x = to_x.addcmul_(mask, to_shift / -count).mul_(inverse * scale.unsqueeze(1))
        return to_x, None, None, (product * inverse).squeeze(1), to_shift.squeeze(1)


def arc_sum(
    x: Tensor,
    source: Tensor,
    target: Tensor,
    *,
    table: Tensor | None = None,
    types: Tensor | None = None,
    weight: Tensor | None = None,
) -> Tensor:
    """Return for every row of (M, R, C) the sum over its arcs, weighted or with the vectors of their types."""
    flat = x.reshape(-1, x.shape[2])
    message = flat.index_select(0, source)
    if table is not None and types is not None:
        message = torch.relu(message + table.index_select(0, types))
    if weight is not None:
        message = message * weight.unsqueeze(1)
    return torch.zeros_like(flat).index_add(0, target, message).view(x.shape)


def gathered(x: Tensor, place: Tensor, rows: Rows) -> Tensor:
    """Return row `place[i]` of (M, R, C) as the i-th real row of another level."""
    return rows.filled(x.reshape(-1, x.shape[2]).index_select(0, place))


def pooled(x: Tensor, rows: Rows, owner: Tensor, shape: tuple[int, int], *, mean: bool = False) -> Tensor:
    """Return the sum (or mean) of the rows of each owner: (M, R, C), flat owners → (*shape, C).

    Owners from shape[0] * shape[1] on are dropped.
    """
    flat = x.reshape(-1, x.shape[2]).index_select(0, rows.place)
    total = shape[0] * shape[1]
    found = flat.new_zeros(total + 1, x.shape[2]).index_add(0, owner, flat)[:total]
    if mean:
        many = flat.new_zeros(total + 1).index_add(0, owner, flat.new_ones(len(owner)))[:total]
        found = found / many.clamp(min=1).unsqueeze(1)
    return found.view(*shape, -1)
