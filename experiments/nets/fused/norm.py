"""Batch norm over the rows of every replica that are not padding, with one pass for the moments.

Rows are (M, R, C), those of replica m that count come first; a program sees 32 channels of one replica.
"""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

_ROWS, _CHANNELS = 64, 32


@triton.jit
def _moments(x, count, mean, variance, num_rows, width, ROWS: tl.constexpr, CHANNELS: tl.constexpr):
    """Mean and variance over the first count[m] rows; tiles are merged by their means, so nothing cancels."""
    replica = tl.program_id(0).to(tl.int64)
    channel = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS)
    wide = channel < width
    total = tl.load(count + replica)
    seen = total - total
    middle = tl.zeros((CHANNELS,), x.dtype.element_ty)
    squares = tl.zeros((CHANNELS,), x.dtype.element_ty)
    for first in range(0, num_rows, ROWS):
        row = first + tl.arange(0, ROWS)
        real = (row < total)[:, None] & wide[None, :]
        here = tl.minimum(tl.maximum(total - first, 0.0), ROWS * 1.0)
        value = tl.load(
            x + ((replica * num_rows + row) * width)[:, None] + channel[None, :], mask=real, other=0.0
        )
        own = tl.sum(value, 0) / tl.maximum(here, 1.0)
        apart = tl.where(real, value - own[None, :], 0.0)
        away = own - middle
        share = here / tl.maximum(seen + here, 1.0)
        squares += tl.sum(apart * apart, 0) + away * away * seen * share
        middle += away * share
        seen += here
    at = replica * width + channel
    tl.store(mean + at, middle, mask=wide)
    tl.store(variance + at, squares / total, mask=wide)


@triton.jit
def _apply(x, count, mean, factor, bias, out, num_rows, width, ROWS: tl.constexpr, CHANNELS: tl.constexpr):
    """out = (x - mean) factor + bias; padding gets the bias."""
    replica = tl.program_id(0).to(tl.int64)
    channel = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS)
    row = tl.program_id(2) * ROWS + tl.arange(0, ROWS)
    wide = channel < width
    inside = (row < num_rows)[:, None] & wide[None, :]
    real = (row < tl.load(count + replica))[:, None] & inside
    at = replica * width + channel
    spot = ((replica * num_rows + row) * width)[:, None] + channel[None, :]
    apart = tl.load(x + spot, mask=real, other=0.0) - tl.load(mean + at, mask=wide, other=0.0)[None, :]
    scaled = tl.where(real, apart, 0.0) * tl.load(factor + at, mask=wide, other=0.0)[None, :]
    tl.store(out + spot, scaled + tl.load(bias + at, mask=wide, other=0.0)[None, :], mask=inside)


@triton.jit
def _sums(
    x, grad, count, mean, to_bias, product, num_rows, width, ROWS: tl.constexpr, CHANNELS: tl.constexpr
):
    """to_bias = sum of grad over all rows, product = sum of grad (x - mean) over those that count."""
    replica = tl.program_id(0).to(tl.int64)
    channel = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS)
    wide = channel < width
    total = tl.load(count + replica)
    at = replica * width + channel
    middle = tl.load(mean + at, mask=wide, other=0.0)
    plain = tl.zeros((CHANNELS,), x.dtype.element_ty)
    found = tl.zeros((CHANNELS,), x.dtype.element_ty)
    for first in range(0, num_rows, ROWS):
        row = first + tl.arange(0, ROWS)
        inside = (row < num_rows)[:, None] & wide[None, :]
        real = (row < total)[:, None] & inside
        spot = ((replica * num_rows + row) * width)[:, None] + channel[None, :]
        slope = tl.load(grad + spot, mask=inside, other=0.0)
        apart = tl.where(real, tl.load(x + spot, mask=real, other=0.0) - middle[None, :], 0.0)
        plain += tl.sum(slope, 0)
        found += tl.sum(slope * apart, 0)
    tl.store(to_bias + at, plain, mask=wide)
    tl.store(product + at, found, mask=wide)


@triton.jit
def _to_x(
    x, grad, count, mean, factor, along, shift, to_x, num_rows, width,
    ROWS: tl.constexpr, CHANNELS: tl.constexpr,
):  # fmt: skip
    """to_x = grad factor - (x - mean) along - shift; the last two for rows that count."""
    replica = tl.program_id(0).to(tl.int64)
    channel = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS)
    row = tl.program_id(2) * ROWS + tl.arange(0, ROWS)
    wide = channel < width
    inside = (row < num_rows)[:, None] & wide[None, :]
    real = (row < tl.load(count + replica))[:, None] & inside
    at = replica * width + channel
    spot = ((replica * num_rows + row) * width)[:, None] + channel[None, :]
    apart = tl.load(x + spot, mask=real, other=0.0) - tl.load(mean + at, mask=wide, other=0.0)[None, :]
    less = apart * tl.load(along + at, mask=wide, other=0.0)[None, :]
    less += tl.load(shift + at, mask=wide, other=0.0)[None, :]
    scaled = (
        tl.load(grad + spot, mask=inside, other=0.0) * tl.load(factor + at, mask=wide, other=0.0)[None, :]
    )
    tl.store(to_x + spot, scaled - tl.where(real, less, 0.0), mask=inside)


class _Normalize(torch.autograd.Function):
    """`normalize` with its gradient; of the forward pass it keeps x, means and variances."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, count: Tensor, weight: Tensor, bias: Tensor, epsilon: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        replicas, rows, width = x.shape
        mean, variance = torch.empty_like(weight), torch.empty_like(weight)
        ctx.grid = (replicas, triton.cdiv(width, _CHANNELS))
        ctx.numbers = {"num_rows": rows, "width": width, "ROWS": _ROWS, "CHANNELS": _CHANNELS}
        _moments[ctx.grid](x, count, mean, variance, **ctx.numbers)
        inverse = torch.rsqrt(variance + epsilon)
        out = torch.empty_like(x)
        _apply[*ctx.grid, triton.cdiv(rows, _ROWS)](
            x, count, mean, inverse * weight, bias, out, **ctx.numbers
        )
        ctx.save_for_backward(x, count, weight, mean, inverse)
        ctx.mark_non_differentiable(mean, variance)
        return out, mean, variance

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, Tensor, Tensor, None]:
        x, count, weight, mean, inverse = ctx.saved_tensors
        grad, many = grads[0].contiguous(), count.unsqueeze(1)
        to_bias, product, to_x = torch.empty_like(mean), torch.empty_like(mean), torch.empty_like(x)
        _sums[ctx.grid](x, grad, count, mean, to_bias, product, **ctx.numbers)
        factor = inverse * weight
        along, shift = product * inverse.square() * factor / many, to_bias * factor / many
        blocks = triton.cdiv(x.shape[1], _ROWS)
        _to_x[*ctx.grid, blocks](x, grad, count, mean, factor, along, shift, to_x, **ctx.numbers)
        return to_x, None, product * inverse, to_bias, None


def normalize(
    x: Tensor, count: Tensor, weight: Tensor, bias: Tensor, epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return x with mean zero and variance one per channel, scaled, and the means and variances, (M, C).

    `x` is (M, R, C), of which the first `count` (M,) rows of a replica count; `weight` and `bias` are (M, C).
    """
    found: tuple[Tensor, Tensor, Tensor] = _Normalize.apply(  # type: ignore[no-untyped-call]
        x.contiguous(), count.contiguous(), weight.contiguous(), bias.contiguous(), epsilon
    )
    return found
