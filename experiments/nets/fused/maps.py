"""An MLP of two maps with batch norm over real rows, its passes over memory fused with Triton."""

from collections.abc import Callable
from typing import Any, TypeAlias

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton import next_power_of_2 as power

Product: TypeAlias = Callable[[Tensor, Tensor], Tensor]

_EPSILON = 1e-5
#: Values that one program handles at once, and programs of one reduction.
_VALUES, _PROGRAMS = 2048, 512


@triton.jit(do_not_specialize=["rows", "chunk", "blocks"])
def _moments(
    x, mask, grad, shown, out, rows, chunk, blocks, width,
    BACK: tl.constexpr, BLOCK: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """Per replica and block of rows: sums of x and x² over real rows; BACK: of grad and grad x where `shown` > 0."""
    replica, block = tl.program_id(0).to(tl.int64), tl.program_id(1)
    channel = tl.arange(0, WIDTH)
    first = tl.zeros((WIDTH,), tl.float32)
    second = tl.zeros((WIDTH,), tl.float32)
    for begin in range(0, chunk, BLOCK):
        row = block * chunk + begin + tl.arange(0, BLOCK)
        inside = (begin + tl.arange(0, BLOCK) < chunk) & (row < rows)
        real = inside[:, None] & (channel < width)[None, :]
        spot = (replica * rows + row)[:, None] * width + channel[None, :]
        value = tl.load(x + spot, mask=real, other=0.0)
        if BACK:
            got = tl.load(grad + spot, mask=real, other=0.0)
            got = tl.where(tl.load(shown + spot, mask=real, other=0.0) > 0, got, 0.0)
            first += tl.sum(got, 0)
            second += tl.sum(got * value, 0)
        else:
            value = value * tl.load(mask + replica * rows + row, mask=inside, other=0.0)[:, None]
            first += tl.sum(value, 0)
            second += tl.sum(value * value, 0)
    spot = (replica * blocks + block) * 2 * width + channel
    tl.store(out + spot, first, mask=channel < width)
    tl.store(out + spot + width, second, mask=channel < width)


@triton.jit(do_not_specialize=["blocks"])
def _to_factors(parts, count, scale, shift, out, blocks, width, EPSILON: tl.constexpr, WIDTH: tl.constexpr):
    """Per replica: mean, variance, 1 / spread, and factor and start of the normalized rows."""
    replica = tl.program_id(0).to(tl.int64)
    channel = tl.arange(0, WIDTH)
    wide = channel < width
    first = tl.zeros((WIDTH,), tl.float32)
    second = tl.zeros((WIDTH,), tl.float32)
    for begin in range(0, blocks, 16):
        block = begin + tl.arange(0, 16)
        real = (block < blocks)[:, None] & wide[None, :]
        spot = parts + ((replica * blocks + block) * 2 * width)[:, None] + channel[None, :]
        first += tl.sum(tl.load(spot, mask=real, other=0.0), 0)
        second += tl.sum(tl.load(spot + width, mask=real, other=0.0), 0)
    many = tl.load(count + replica)
    mean = first / many
    variance = tl.maximum(second / many - mean * mean, 0.0)
    inverse = 1.0 / tl.sqrt(variance + EPSILON)
    factor = inverse * tl.load(scale + replica * width + channel, mask=wide, other=0.0)
    start = tl.load(shift + replica * width + channel, mask=wide, other=0.0) - mean * factor
    spot = out + replica * 5 * width + channel
    tl.store(spot, mean, mask=wide)
    tl.store(spot + width, variance, mask=wide)
    tl.store(spot + 2 * width, inverse, mask=wide)
    tl.store(spot + 3 * width, factor, mask=wide)
    tl.store(spot + 4 * width, start, mask=wide)


@triton.jit(do_not_specialize=["blocks"])
def _to_slopes(parts, factors, count, out, blocks, width, WIDTH: tl.constexpr):
    """Per replica: gradients of scale and shift, and slope and start of the gradient of the rows."""
    replica = tl.program_id(0).to(tl.int64)
    channel = tl.arange(0, WIDTH)
    wide = channel < width
    first = tl.zeros((WIDTH,), tl.float32)
    second = tl.zeros((WIDTH,), tl.float32)
    for begin in range(0, blocks, 16):
        block = begin + tl.arange(0, 16)
        real = (block < blocks)[:, None] & wide[None, :]
        spot = parts + ((replica * blocks + block) * 2 * width)[:, None] + channel[None, :]
        first += tl.sum(tl.load(spot, mask=real, other=0.0), 0)
        second += tl.sum(tl.load(spot + width, mask=real, other=0.0), 0)
    spot = factors + replica * 5 * width + channel
    mean = tl.load(spot, mask=wide, other=0.0)
    inverse = tl.load(spot + 2 * width, mask=wide, other=0.0)
    share = tl.load(spot + 3 * width, mask=wide, other=0.0) / tl.load(count + replica)
    to_scale = (second - mean * first) * inverse
    slope = share * inverse * to_scale
    spot = out + replica * 4 * width + channel
    tl.store(spot, to_scale, mask=wide)
    tl.store(spot + width, first, mask=wide)
    tl.store(spot + 2 * width, slope, mask=wide)
    tl.store(spot + 3 * width, share * first - slope * mean, mask=wide)


@triton.jit(do_not_specialize=["rows", "total"])
def _apply(x, factors, out, rows, total, width, BLOCK: tl.constexpr, WIDTH: tl.constexpr):
    """out = relu(x factor + start)."""
    row = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    channel = tl.arange(0, WIDTH)
    real = (row < total)[:, None] & (channel < width)[None, :]
    spot = row[:, None] * width + channel[None, :]
    near = factors + (row // rows)[:, None] * 5 * width + channel[None, :]
    factor = tl.load(near + 3 * width, mask=real, other=0.0)
    start = tl.load(near + 4 * width, mask=real, other=0.0)
    value = tl.load(x + spot, mask=real, other=0.0) * factor + start
    tl.store(out + spot, tl.maximum(value, 0.0), mask=real)


@triton.jit(do_not_specialize=["rows", "total"])
def _unapply(
    grad, x, shown, mask, factors, slopes, out, rows, total, width, BLOCK: tl.constexpr, WIDTH: tl.constexpr
):
    """The gradient of x through batch norm and the activation after it."""
    row = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    channel = tl.arange(0, WIDTH)
    real = (row < total)[:, None] & (channel < width)[None, :]
    spot = row[:, None] * width + channel[None, :]
    replica = (row // rows)[:, None]
    factor = tl.load(factors + (replica * 5 + 3) * width + channel[None, :], mask=real, other=0.0)
    slope = tl.load(slopes + (replica * 4 + 2) * width + channel[None, :], mask=real, other=0.0)
    start = tl.load(slopes + (replica * 4 + 3) * width + channel[None, :], mask=real, other=0.0)
    got = tl.load(grad + spot, mask=real, other=0.0)
    got = tl.where(tl.load(shown + spot, mask=real, other=0.0) > 0, got, 0.0)
    value = tl.load(x + spot, mask=real, other=0.0)
    weight = tl.load(mask + row, mask=row < total, other=0.0)[:, None]
    tl.store(out + spot, got * factor - (start + value * slope) * weight, mask=real)


@triton.jit(do_not_specialize=["rows", "chunk", "blocks"])
def _hide(grad, shown, out, parts, rows, chunk, blocks, width, BLOCK: tl.constexpr, WIDTH: tl.constexpr):
    """out = grad where `shown` > 0, and its sums per replica and block of rows."""
    replica, block = tl.program_id(0).to(tl.int64), tl.program_id(1)
    channel = tl.arange(0, WIDTH)
    total = tl.zeros((WIDTH,), tl.float32)
    for begin in range(0, chunk, BLOCK):
        row = block * chunk + begin + tl.arange(0, BLOCK)
        inside = (begin + tl.arange(0, BLOCK) < chunk) & (row < rows)
        real = inside[:, None] & (channel < width)[None, :]
        spot = (replica * rows + row)[:, None] * width + channel[None, :]
        got = tl.load(grad + spot, mask=real, other=0.0)
        got = tl.where(tl.load(shown + spot, mask=real, other=0.0) > 0, got, 0.0)
        tl.store(out + spot, got, mask=real)
        total += tl.sum(got, 0)
    tl.store(parts + (replica * blocks + block) * width + channel, total, mask=channel < width)


class _Sizes:
    """Grids and blocks of the kernels over (M, R, C)."""

    def __init__(self, x: Tensor) -> None:
        replicas, self.rows, self.width = x.shape
        wide = power(self.width)
        block = max(4, min(64, _VALUES // wide))
        self.blocks = max(1, min(triton.cdiv(self.rows, block), _PROGRAMS // replicas))
        self.chunk = triton.cdiv(triton.cdiv(self.rows, self.blocks), block) * block
        self.blocks = triton.cdiv(self.rows, self.chunk)
        self.total = replicas * self.rows
        self.reduce, self.each = (replicas, self.blocks), (triton.cdiv(self.total, block),)
        self.block: dict[str, int] = {"BLOCK": block, "WIDTH": wide}

    @property
    def parts(self) -> tuple[int, int, int]:
        """Return rows, rows of a block and number of blocks."""
        return self.rows, self.chunk, self.blocks


def _moments_of(x: Tensor, mask: Tensor, back: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, _Sizes]:
    sizes = _Sizes(x)
    parts = x.new_empty(len(x), sizes.blocks, 2, x.shape[2])
    grad, shown = back or (x, x)
    _moments[sizes.reduce](
        x, mask, grad, shown, parts, *sizes.parts, sizes.width, BACK=back is not None, **sizes.block
    )
    return parts, sizes


class _Maps(torch.autograd.Function):
    """`two_maps` with its gradients."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, product: Product, mask: Tensor, count: Tensor, *weights: Tensor
    ) -> tuple[Tensor, Tensor]:
        ctx.product = product
        first, bias, scale, shift, second, last = weights
        z = torch.baddbmm(bias, x, first)
        parts, sizes = _moments_of(z, mask)
        factors = z.new_empty(len(z), 5, z.shape[2])
        wide = {"WIDTH": power(sizes.width)}
        _to_factors[(len(z),)](
            parts, count, scale, shift, factors, sizes.blocks, sizes.width, EPSILON=_EPSILON, **wide
        )
        y = torch.empty_like(z)
        _apply[sizes.each](z, factors, y, sizes.rows, sizes.total, sizes.width, **sizes.block)
        h = torch.baddbmm(last, y, second).relu_()
        ctx.save_for_backward(x, z, y, h, factors, mask, count, first, second)
        ctx.mark_non_differentiable(factors)
        return h, factors

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        x, z, y, h, factors, mask, count, first, second = ctx.saved_tensors
        sizes = _Sizes(h)
        hidden, sums = torch.empty_like(h), h.new_empty(len(h), sizes.blocks, sizes.width)
        _hide[sizes.reduce](grads[0].contiguous(), h, hidden, sums, *sizes.parts, sizes.width, **sizes.block)
        to_y = torch.bmm(hidden, second.transpose(1, 2))
        to_second = ctx.product(y, hidden)
        parts, sizes = _moments_of(z, mask, (to_y, y))
        slopes = z.new_empty(len(z), 4, z.shape[2])
        wide = {"WIDTH": power(sizes.width)}
        _to_slopes[(len(z),)](parts, factors, count, slopes, sizes.blocks, sizes.width, **wide)
        to_z = torch.empty_like(z)
        numbers = (sizes.rows, sizes.total, sizes.width)
        _unapply[sizes.each](to_y, z, y, mask, factors, slopes, to_z, *numbers, **sizes.block)
        to_x = torch.bmm(to_z, first.transpose(1, 2)) if ctx.needs_input_grad[0] else None
        # A bias before batch norm changes nothing: its gradient is zero.
        norm = slopes[:, 0:1], slopes[:, 1:2]
        return to_x, None, None, None, ctx.product(x, to_z), None, *norm, to_second, sums.sum(1, keepdim=True)


def two_maps(
    x: Tensor, mask: Tensor, count: Tensor, weights: tuple[Tensor, ...], product: Product
) -> tuple[Tensor, Tensor, Tensor]:
    """Return relu(relu(norm(x W + b)) V + c), and mean and variance of the rows that were normalized.

    `x` is (M, R, I), `mask` (M, R, 1) one for real rows, `count` (M, 1, 1) how many there are; `weights` are W, b,
    scale and shift of the norm, V and c, each with a first axis of M; `product` returns xᵀ y of every replica.
    """
    found, factors = _Maps.apply(x.contiguous(), product, mask.contiguous(), count.contiguous(), *weights)  # type: ignore[no-untyped-call]
    return found, factors[:, 0:1], factors[:, 1:2]


def scaled(x: Tensor, factor: Tensor, start: Tensor) -> Tensor:
    """Return relu(x factor + start), with `factor` and `start` (M, 1, C); it has no gradient."""
    sizes = _Sizes(x)
    factors = torch.cat([factor, factor, factor, factor, start], dim=1).contiguous()
    out = torch.empty_like(x)
    _apply[sizes.each](x, factors, out, sizes.rows, sizes.total, sizes.width, **sizes.block)
    return out
