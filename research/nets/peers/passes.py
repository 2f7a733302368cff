"""What the networks are made of: maps per replica, batch norm over real rows, sums over arcs."""

import math
import zlib
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor

from research.nets.peers.records import Arcs, Rows

_MOMENTUM, _EPSILON = 0.1, 1e-5
#: The number of blocks of rows that keeps a GPU busy, and the smallest number of rows of a block.
_MANY, _TALL = 256, 256
#: Rows of a table whose gradient is a product.
_FEW = 32
#: Types of arcs up to which messages are summed by one kernel on a GPU.
_FEW_TYPES = 8


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
        """Return the running mean and variance of a batch norm, (M, 1, width)."""
        if f"{name}.mean" not in self.running:
            shape = (len(self.seeds), 1, width)
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
    """One pass through a network: its weights, whether it trains, and its activation."""

    #: False uses PyTorch's own kernels on a GPU, too.
    has_kernels = True

    def __init__(
        self,
        weights: Weights,
        *,
        training: bool,
        norm: bool = True,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = torch.relu,
    ) -> None:
        self.weights, self.training, self.norm, self.dropout = weights, training, norm, dropout
        self.activation = activation
        self.moved: list[tuple[Tensor, Tensor]] = []

    def linear(self, name: str, x: Tensor, out: int, *, bias: bool = True) -> Tensor:
        """Return x W + b with the weights of each replica: (M, R, I) → (M, R, out)."""
        width = x.shape[2]
        bound = 1 / math.sqrt(max(width, 1))
        matrix = self.weights.uniform(f"{name}.w", (width, out), bound)
        shift = self.weights.uniform(f"{name}.b", (1, out), bound) if bias else None
        found: Tensor = _Linear.apply(x, matrix, shift)  # type: ignore[no-untyped-call]
        return found

    def table(self, name: str, rows: int, width: int) -> Tensor:
        """Return a table of vectors per replica, flat: (M * rows, width)."""
        return self.weights.uniform(f"{name}.t", (rows, width), 1.0).reshape(-1, width)

    def normalized(self, name: str, x: Tensor, rows: Rows) -> Tensor:
        """Return x normalized per replica and channel over its real rows; without `norm`, x itself."""
        if not self.norm:
            return x
        scale, shift, mean, variance = self._norm_weights(name, x.shape[2])
        if self.training:
            found, *moments = _Norm.apply(x, rows.mask, rows.count, scale, shift)  # type: ignore[no-untyped-call]
            self.moved += [(mean, moments[0]), (variance, moments[1])]
            normal: Tensor = found
            return normal
        factor = torch.rsqrt(variance + _EPSILON) * scale
        return torch.addcmul(shift - mean * factor, x, factor)

    def normalized_active(self, name: str, x: Tensor, rows: Rows) -> Tensor:
        """Return the activation of x normalized."""
        if not (self.training and self.norm and self._is_fused(x)):
            return self.activation(self.normalized(name, x, rows))
        from research.nets import fused

        scale, shift, mean, variance = self._norm_weights(name, x.shape[2])
        found, *moments = fused.normal_relu(x, rows.mask, rows.count, scale, shift, _EPSILON)
        self.moved += [(mean, moments[0]), (variance, moments[1])]
        return found

    def _norm_weights(self, name: str, width: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return scale and shift of a batch norm, and its running mean and variance."""
        scale = self.weights.constant(f"{name}.scale", (1, width), 1.0)
        shift = self.weights.constant(f"{name}.shift", (1, width), 0.0)
        return scale, shift, *self.weights.moments(name, width)

    def _is_fused(self, x: Tensor) -> bool:
        """Return whether a Triton kernel is used: on a GPU, if Triton is installed."""
        usable = Pass.has_kernels and x.is_cuda and find_spec("triton") is not None
        return usable and self.activation is torch.relu

    def keep_moments(self) -> None:
        """Move the running means and variances towards those of the batches seen in this pass."""
        if self.moved:
            with torch.no_grad():
                torch._foreach_lerp_(
                    [old for old, _ in self.moved], [new for _, new in self.moved], _MOMENTUM
                )
            self.moved = []

    def mlp(self, name: str, x: Tensor, rows: Rows, width: int) -> Tensor:
        """Return two linear maps with activations, the first followed by batch norm."""
        x = self.normalized_active(f"{name}.n", self.linear(f"{name}.1", x, width), rows)
        return self.activation(self.linear(f"{name}.2", x, width))

    def gin(self, name: str, x: Tensor, rows: Rows, width: int, num_types: int = 1) -> Tensor:
        """Return one layer of GIN: an MLP of (1 + ε) x plus the sum over arcs; with types, GINE's messages."""
        return self.mlp(name, self.aggregate(name, x, rows, num_types, self.own(name)), rows, width)

    def own(self, name: str) -> Tensor:
        """Return 1 + ε, the factor of a row's own values, (M, 1)."""
        return 1 + self.weights.constant(f"{name}.eps", (1,), 0.0)

    def aggregate(
        self, name: str, x: Tensor, rows: Rows, num_types: int = 1, own: Tensor | None = None
    ) -> Tensor:
        """Return the sum over arcs of the source's row, or of the activation of row plus vector of the arc's type.

        With `own`, that factor of the row itself is added.
        """
        arcs = rows.arcs
        if num_types == 1 or arcs.types is None:
            near = neighbor_sum(x, arcs)
        else:
            table = self.table(f"{name}.types", num_types, x.shape[2])
            if num_types <= _FEW_TYPES and self._is_fused(x):
                from research.nets import fused

                own = x.new_zeros(len(x), 1) if own is None else own
                return fused.messages(x, table, own, arcs.source, arcs.types, arcs.offsets)
            near = self.messages(x, arcs, table=table)
        return near if own is None else own.unsqueeze(2) * x + near

    def messages(
        self, x: Tensor, arcs: Arcs, *, table: Tensor | None = None, weight: Tensor | None = None
    ) -> Tensor:
        """Return for every row of (M, R, C) the sum over its arcs, weighted or with the vectors of their types."""
        flat = x.reshape(-1, x.shape[2])
        message = take(flat, arcs.source)
        if table is not None and arcs.types is not None:
            message = self.activation(message + take(table, arcs.types))
        if weight is not None:
            message = message * weight.unsqueeze(1)
        return torch.zeros_like(flat).index_add(0, arcs.target, message).view(x.shape)

    def drop(self, x: Tensor) -> Tensor:
        """Return x with some of its values set to zero, in training."""
        if not (self.training and self.dropout):
            return x
        return torch.nn.functional.dropout(x, self.dropout)


class _Linear(torch.autograd.Function):
    """x W + b; the gradient of W is summed block by block, so that few replicas of many rows keep a GPU busy."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, matrix: Tensor, shift: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, matrix)
        ctx.has_shift = shift is not None
        return torch.bmm(x, matrix) if shift is None else torch.baddbmm(shift, x, matrix)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, Tensor, Tensor | None]:
        x, matrix = ctx.saved_tensors
        grad = grads[0].contiguous()
        to_x = torch.bmm(grad, matrix.transpose(1, 2)) if ctx.needs_input_grad[0] else None
        return to_x, blocked_product(x, grad), grad.sum(1, keepdim=True) if ctx.has_shift else None


def blocked_product(x: Tensor, y: Tensor) -> Tensor:
    """Return xᵀ y of every replica, (M, R, I) and (M, R, O) → (M, I, O), in blocks of rows if there are many."""
    blocks = 1
    while len(x) * blocks < _MANY and x.shape[1] % (2 * blocks) == 0 and x.shape[1] >= 2 * blocks * _TALL:
        blocks *= 2
    if blocks == 1:
        return torch.bmm(x.transpose(1, 2), y)
    cut = [part.reshape(len(x) * blocks, -1, part.shape[2]) for part in (x, y)]
    return torch.bmm(cut[0].transpose(1, 2), cut[1]).view(len(x), blocks, x.shape[2], -1).sum(1)


class _Norm(torch.autograd.Function):
    """Batch norm over real rows, with few passes over memory; rows that are not real get no gradient."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, mask: Tensor, count: Tensor, scale: Tensor, shift: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        x = x * mask
        mean = x.sum(1, keepdim=True) / count
        square = torch.linalg.vector_norm(x, dim=1, keepdim=True).square_() / count
        variance = torch.addcmul(square, mean, mean, value=-1).clamp_(min=0)
        inverse = torch.rsqrt(variance + _EPSILON)
        factor = inverse * scale
        ctx.save_for_backward(x, mask, count, mean, inverse, factor)
        ctx.mark_non_differentiable(mean, variance)
        return torch.addcmul(torch.addcmul(shift, mean, factor, value=-1), x, factor), mean, variance

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None, Tensor, Tensor]:
        x, mask, count, mean, inverse, factor = ctx.saved_tensors
        grad = grads[0]
        to_shift = grad.sum(1, keepdim=True)
        to_scale = torch.addcmul((grad * x).sum(1, keepdim=True), mean, to_shift, value=-1) * inverse
        share = factor / count
        slope = share * inverse * to_scale
        start = torch.addcmul(share * to_shift, slope, mean, value=-1)
        to_x = torch.addcmul(start, x, slope).mul_(mask)
        return torch.addcmul(to_x.neg_(), grad, factor), None, None, to_scale, to_shift


def _bags(rows: Tensor, index: Tensor, offsets: Tensor) -> Tensor:
    """Return the sum of the rows `index[offsets[i]:offsets[i + 1]]` for every i, without atomics."""
    found: Tensor = torch.embedding_bag(rows, index, offsets, False, 0, False, None, True)[0]
    return found


class _Take(torch.autograd.Function):
    """The rows of a list. Much faster than `index_select`, whose kernel is slow for short rows."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, index: Tensor) -> Tensor:
        ctx.save_for_backward(index)
        ctx.shape = rows.shape
        if not rows.is_cuda:
            return rows.index_select(0, index)
        return _bags(rows, index, torch.arange(len(index) + 1, device=index.device))

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        (index,) = ctx.saved_tensors
        if ctx.shape[0] <= _FEW:  # few rows: a product has no contention
            hot = (torch.arange(ctx.shape[0], device=index.device).unsqueeze(1) == index).to(grads[0].dtype)
            return hot @ grads[0], None
        return grads[0].new_zeros(ctx.shape).index_add_(0, index, grads[0]), None


def take(rows: Tensor, index: Tensor) -> Tensor:
    """Return the rows of a list, (R, C) → (T, C)."""
    found: Tensor = _Take.apply(rows.contiguous(), index)  # type: ignore[no-untyped-call]
    return found


class _Neighbors(torch.autograd.Function):
    """Sums over the arcs of every row. Arcs come in both directions, so that the gradient is the same sum."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, index: Tensor, offsets: Tensor) -> Tensor:
        ctx.save_for_backward(index, offsets)
        return _bags(rows, index, offsets)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        index, offsets = ctx.saved_tensors
        return _bags(grads[0].contiguous(), index, offsets), None, None


def neighbor_sum(x: Tensor, arcs: Arcs) -> Tensor:
    """Return for every row of (M, R, C) the sum over its neighbors."""
    flat = x.reshape(-1, x.shape[2])
    if x.is_cuda:  # atomics are faster there than bags of several rows
        return torch.zeros_like(flat).index_add(0, arcs.target, take(flat, arcs.source)).view(x.shape)
    found: Tensor = _Neighbors.apply(flat, arcs.source, arcs.offsets)  # type: ignore[no-untyped-call]
    return found.view(x.shape)


def gathered(x: Tensor, place: Tensor, rows: Rows) -> Tensor:
    """Return row `place[i]` of (M, R, C) as the i-th row of another level."""
    return rows.filled(take(x.reshape(-1, x.shape[2]), place))


def pooled(x: Tensor, rows: Rows, owner: Tensor, shape: tuple[int, int], *, mean: bool = False) -> Tensor:
    """Return the sum (or mean) of the rows of each owner: (M, R, C), flat owners → (*shape, C).

    Owners from shape[0] * shape[1] on are dropped.
    """
    flat = take(x.reshape(-1, x.shape[2]), rows.place)
    total = shape[0] * shape[1]
    found = flat.new_zeros(total + 1, x.shape[2]).index_add(0, owner, flat)[:total]
    if mean:
        many = flat.new_zeros(total + 1).index_add(0, owner, flat.new_ones(len(owner)))[:total]
        found = found / many.clamp(min=1).unsqueeze(1)
    return found.view(*shape, -1)
