"""GINE's messages and batch norm with ReLU in few kernels: what lies between is not written to memory.

A training step of Nested GNN on ZINC-12k takes 8.1 ms on an H200, with PyTorch's own kernels 16.8; of DSS (EGO) 11.9
and 18.9, of KP-GNN 5.3 and 6.3. To measure it again: `python -m research.nets.peers.queue_runner SETS OUTPUT --costs
--sets zinc --methods nested`, and the same with `--plain`.
"""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton import next_power_of_2 as power

#: Rows that one program reads one after the other; the rows of a replica are a multiple of it.
_ROWS = 16
#: Rows of width 64 that one program normalizes at once, and channels of a warp.
_TALL, _PER_WARP = 64, 128


@triton.jit
def _messages(x, table, own, source, types, offsets, out, per_replica, width, WIDTH: tl.constexpr):
    """out[r] = own x[r] + sum over the arcs of r of relu(x[source] + table[type])."""
    row = tl.program_id(0).to(tl.int64)
    channel = tl.arange(0, WIDTH)
    inside = channel < width
    here = tl.load(x + row * width + channel, mask=inside, other=0.0)
    total = tl.load(own + row // per_replica) * here
    for arc in range(tl.load(offsets + row), tl.load(offsets + row + 1)):
        other, kind = tl.load(source + arc), tl.load(types + arc)
        value = tl.load(x + other * width + channel, mask=inside, other=0.0)
        value += tl.load(table + kind * width + channel, mask=inside, other=0.0)
        total += tl.maximum(value, 0.0)
    tl.store(out + row * width + channel, total, mask=inside)


@triton.jit
def _from_messages(
    grad, x, table, own, source, types, offsets, to_x, to_table, to_own, per_replica, num_types, width,
    ROWS: tl.constexpr, TYPES: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """The gradients. Opposite arcs have one type, so that the arcs from a row are those that lead to it."""
    block = tl.program_id(0).to(tl.int64)
    replica = block * ROWS // per_replica
    channel, kinds = tl.arange(0, WIDTH), tl.arange(0, TYPES)
    inside = channel < width
    factor = tl.load(own + replica)
    by_type = tl.zeros((TYPES, WIDTH), x.dtype.element_ty)
    by_own = tl.zeros((WIDTH,), x.dtype.element_ty)
    for row in range(block * ROWS, block * ROWS + ROWS):
        here = tl.load(x + row * width + channel, mask=inside, other=0.0)
        above = tl.load(grad + row * width + channel, mask=inside, other=0.0)
        by_own += here * above
        total = factor * above
        for arc in range(tl.load(offsets + row), tl.load(offsets + row + 1)):
            other, kind = tl.load(source + arc), tl.load(types + arc)
            sent = here + tl.load(table + kind * width + channel, mask=inside, other=0.0)
            value = tl.load(grad + other * width + channel, mask=inside & (sent > 0), other=0.0)
            total += value
            by_type += tl.where((kinds == kind - replica * num_types)[:, None], value[None, :], 0.0)
        tl.store(to_x + row * width + channel, total, mask=inside)
    spot = (block * num_types + kinds)[:, None] * width + channel[None, :]
    tl.store(to_table + spot, by_type, mask=(kinds < num_types)[:, None] & inside[None, :])
    tl.store(to_own + block, tl.sum(by_own, 0))


class _Messages(torch.autograd.Function):
    """`messages` with its gradients."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, table: Tensor, own: Tensor, source: Tensor, types: Tensor, offsets: Tensor
    ) -> Tensor:
        replicas, rows, width = x.shape
        ctx.save_for_backward(x, table, own, source, types, offsets)
        ctx.shape = {"WIDTH": power(width), "num_warps": min(8, max(1, power(width) // _PER_WARP))}
        out = torch.empty_like(x)
        _messages[(replicas * rows,)](x, table, own, source, types, offsets, out, rows, width, **ctx.shape)
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        x, table, own, source, types, offsets = ctx.saved_tensors
        replicas, rows, width = x.shape
        blocks, num_types = rows // _ROWS, len(table) // replicas
        to_x = torch.empty_like(x)
        to_table, to_own = (x.new_empty(replicas, blocks, size) for size in (num_types * width, 1))
        _from_messages[(replicas * blocks,)](
            grads[0].contiguous(), x, table, own, source, types, offsets, to_x, to_table, to_own,
            rows, num_types, width, ROWS=_ROWS, TYPES=power(num_types), **ctx.shape,
        )  # fmt: skip
        return to_x, to_table.sum(1).view_as(table), to_own.sum(1).view_as(own), None, None, None


def messages(x: Tensor, table: Tensor, own: Tensor, source: Tensor, types: Tensor, offsets: Tensor) -> Tensor:
    """Return for every row own times itself plus the sum over its arcs of relu(source's row + vector of the type).

    `x` is (M, R, C), R a multiple of 16; `table` (M * num_types, C), few types; `own` has a number per replica.
    `source` and `types` are those of `Arcs`, and arc and opposite arc have the same type.
    """
    found: Tensor = _Messages.apply(x.contiguous(), table.contiguous(), own, source, types, offsets)  # type: ignore[no-untyped-call]
    return found


@triton.jit
def _moments(x, mask, sums, rows, width, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """Per block of rows the sums of real values and of their squares."""
    block, replica = tl.program_id(0), tl.program_id(1).to(tl.int64)
    channel = tl.arange(0, WIDTH)
    row = block * ROWS + tl.arange(0, ROWS)
    chosen = tl.load(mask + replica * rows + row, mask=row < rows, other=0.0) > 0
    real = chosen[:, None] & (channel < width)[None, :]
    value = tl.load(x + (replica * rows + row)[:, None] * width + channel[None, :], mask=real, other=0.0)
    spot = sums + (replica * tl.num_programs(0) + block) * 2 * width + channel
    tl.store(spot, tl.sum(value, 0), mask=channel < width)
    tl.store(spot + width, tl.sum(value * value, 0), mask=channel < width)


@triton.jit
def _normal(x, mask, start, factor, out, rows, width, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """out = relu(start + factor x), zero in rows that are not real."""
    block, replica = tl.program_id(0), tl.program_id(1).to(tl.int64)
    channel = tl.arange(0, WIDTH)
    row = block * ROWS + tl.arange(0, ROWS)
    inside = channel < width
    chosen = tl.load(mask + replica * rows + row, mask=row < rows, other=0.0) > 0
    real = chosen[:, None] & inside[None, :]
    place = (replica * rows + row)[:, None] * width + channel[None, :]
    first = tl.load(start + replica * width + channel, mask=inside, other=0.0)
    slope = tl.load(factor + replica * width + channel, mask=inside, other=0.0)
    value = first[None, :] + slope[None, :] * tl.load(x + place, mask=real, other=0.0)
    value = tl.where(real, tl.maximum(value, 0.0), 0.0)
    tl.store(out + place, value, mask=(row < rows)[:, None] & inside[None, :])


@triton.jit
def _from_normal_sums(grad, out, x, sums, rows, width, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """Per block of rows the sums of the gradient before the ReLU, and of its product with x."""
    block, replica = tl.program_id(0), tl.program_id(1).to(tl.int64)
    channel = tl.arange(0, WIDTH)
    row = block * ROWS + tl.arange(0, ROWS)
    place = (replica * rows + row)[:, None] * width + channel[None, :]
    inside = (row < rows)[:, None] & (channel < width)[None, :]
    active = inside & (tl.load(out + place, mask=inside, other=0.0) > 0)
    value = tl.load(grad + place, mask=active, other=0.0)
    spot = sums + (replica * tl.num_programs(0) + block) * 2 * width + channel
    tl.store(spot, tl.sum(value, 0), mask=channel < width)
    value *= tl.load(x + place, mask=active, other=0.0)
    tl.store(spot + width, tl.sum(value, 0), mask=channel < width)


@triton.jit
def _from_normal(
    grad, out, x, mask, start, slope, factor, to_x, rows, width, ROWS: tl.constexpr, WIDTH: tl.constexpr
):
    """to_x = factor grad - start - slope x, zero in rows that are not real."""
    block, replica = tl.program_id(0), tl.program_id(1).to(tl.int64)
    channel = tl.arange(0, WIDTH)
    row = block * ROWS + tl.arange(0, ROWS)
    inside = channel < width
    chosen = tl.load(mask + replica * rows + row, mask=row < rows, other=0.0) > 0
    real = chosen[:, None] & inside[None, :]
    place = (replica * rows + row)[:, None] * width + channel[None, :]
    at = replica * width + channel
    first = tl.load(start + at, mask=inside, other=0.0)
    second = tl.load(slope + at, mask=inside, other=0.0)
    third = tl.load(factor + at, mask=inside, other=0.0)
    active = real & (tl.load(out + place, mask=real, other=0.0) > 0)
    value = third[None, :] * tl.load(grad + place, mask=active, other=0.0)
    value -= first[None, :] + second[None, :] * tl.load(x + place, mask=real, other=0.0)
    tl.store(to_x + place, tl.where(real, value, 0.0), mask=(row < rows)[:, None] & inside[None, :])


class _NormalRelu(torch.autograd.Function):
    """`normal_relu` with its gradients."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, mask: Tensor, count: Tensor, scale: Tensor, shift: Tensor, epsilon: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        replicas, rows, width = x.shape
        tall = max(1, _TALL * 64 // power(width))
        ctx.grid = triton.cdiv(rows, tall), replicas
        ctx.shape = {"ROWS": power(tall), "WIDTH": power(width)}
        sums = x.new_empty(replicas, ctx.grid[0], 2, width)
        _moments[ctx.grid](x, mask, sums, rows, width, **ctx.shape)
        mean, square = (sums.sum(1) / count).chunk(2, dim=1)
        variance = torch.addcmul(square, mean, mean, value=-1).clamp_(min=0)
        inverse = torch.rsqrt(variance + epsilon)
        factor = inverse * scale
        start = torch.addcmul(shift, mean, factor, value=-1)
        out = torch.empty_like(x)
        _normal[ctx.grid](x, mask, start, factor, out, rows, width, **ctx.shape)
        ctx.save_for_backward(x, out, mask, count, mean, inverse, factor)
        ctx.mark_non_differentiable(mean, variance)
        return out, mean, variance

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        x, out, mask, count, mean, inverse, factor = ctx.saved_tensors
        replicas, rows, width = x.shape
        grad = grads[0].contiguous()
        sums = x.new_empty(replicas, ctx.grid[0], 2, width)
        _from_normal_sums[ctx.grid](grad, out, x, sums, rows, width, **ctx.shape)
        to_shift, product = sums.sum(1).chunk(2, dim=1)
        to_scale = torch.addcmul(product, mean, to_shift, value=-1) * inverse
        share = factor / count
        slope = share * inverse * to_scale
        start = torch.addcmul(share * to_shift, slope, mean, value=-1)
        to_x = torch.empty_like(x)
        _from_normal[ctx.grid](grad, out, x, mask, start, slope, factor, to_x, rows, width, **ctx.shape)
        return to_x, None, None, to_scale, to_shift, None


def normal_relu(
    x: Tensor, mask: Tensor, count: Tensor, scale: Tensor, shift: Tensor, epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the ReLU of a batch norm over the real rows of every replica, with mean and variance.

    `x` is (M, R, C), `mask` (M, R, 1), `count` (M, 1, 1), the others are (M, 1, C). Rows that are not real become zero.
    """
    found: tuple[Tensor, Tensor, Tensor] = _NormalRelu.apply(
        x.contiguous(), mask, count, scale, shift, epsilon
    )  # type: ignore[no-untyped-call]
    return found
