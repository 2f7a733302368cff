"""Attention and sums with several supports as single kernels, for a GPU with Triton.

Both read the table of slots of a batch (see `Batch.table`): row r lists itself, its neighbours, then padding.
The table is symmetric, so what flows from row i to row r forward flows from r to i backward through the same
list: every kernel gathers, none adds atomically, and nothing of size rows x slots x channels is written.
"""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton import next_power_of_2 as power

#: Rows of one attention program, and supports that one program sums at once.
_ROWS = 4
_SUPPORTS = 32


@triton.jit
def _attend(
    h, source, target, table, out, level, num_rows, padding, slots, heads, width,
    SLOPE: tl.constexpr, ROWS: tl.constexpr, HEADS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """out[r] = sum over slots j of softmax_j(leaky(source[j] + target[r])) h[j]; level[r] = log of its divisor."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    head, channel = tl.arange(0, HEADS)[None, :], tl.arange(0, WIDTH)[None, None, :]
    live = (row < num_rows)[:, None] & (head < heads)
    place, used = head[:, :, None] * width + channel, channel < width
    mine = tl.load(target + row[:, None] * heads + head, mask=live, other=0.0)
    largest = tl.zeros_like(mine) - 1e30
    total = tl.zeros_like(mine)
    summed = tl.zeros((ROWS, HEADS, WIDTH), mine.dtype)
    for slot in range(slots):
        other = tl.load(table + row * slots + slot, mask=row < num_rows, other=padding).to(tl.int64)
        real = (other != padding)[:, None] & live
        raw = tl.load(source + other[:, None] * heads + head, mask=real, other=0.0) + mine
        logit = tl.where(real, tl.where(raw > 0, raw, SLOPE * raw), -1e30)
        larger = tl.maximum(largest, logit)
        scale = tl.exp(largest - larger)
        weight = tl.where(real, tl.exp(logit - larger), 0.0)
        begin = other[:, None, None] * heads * width
        value = tl.load(h + begin + place, mask=real[:, :, None] & used, other=0.0)
        summed = summed * scale[:, :, None] + weight[:, :, None] * value
        total = total * scale + weight
        largest = larger
    total = tl.where(total > 0, total, 1.0)
    spot = row[:, None, None] * heads * width + place
    tl.store(out + spot, summed / total[:, :, None], mask=live[:, :, None] & used)
    tl.store(level + row[:, None] * heads + head, largest + tl.log(total), mask=live)


@triton.jit
def _attend_backward(
    h, source, target, table, level, grad, product, to_h, to_source, to_target, num_rows, padding, slots, heads,
    width, SLOPE: tl.constexpr, ROWS: tl.constexpr, HEADS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """The gradients of `_attend` at row r: what its readers i return to it, and what its own target receives.

    With a the weight with which one row reads another, and product[r] = <grad[r], out[r]>, the gradient of a
    logit is a (<grad[reader], h[read]> - product[reader]).
    """
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    head, channel = tl.arange(0, HEADS)[None, :], tl.arange(0, WIDTH)[None, None, :]
    live = (row < num_rows)[:, None] & (head < heads)
    place, used = head[:, :, None] * width + channel, channel < width
    spot, spots = row[:, None, None] * heads * width + place, live[:, :, None] & used
    own, own_grad = tl.load(h + spot, mask=spots, other=0.0), tl.load(grad + spot, mask=spots, other=0.0)
    at = row[:, None] * heads + head
    own_source = tl.load(source + at, mask=live, other=0.0)
    own_target = tl.load(target + at, mask=live, other=0.0)
    own_level = tl.load(level + at, mask=live, other=0.0)
    own_product = tl.load(product + at, mask=live, other=0.0)
    back = tl.zeros_like(own)
    back_source, back_target = tl.zeros_like(own_source), tl.zeros_like(own_source)
    for slot in range(slots):
        other = tl.load(table + row * slots + slot, mask=row < num_rows, other=padding).to(tl.int64)
        real = (other != padding)[:, None] & live
        near, rows = other[:, None] * heads + head, other[:, None, None] * heads * width + place
        value = tl.load(h + rows, mask=real[:, :, None] & used, other=0.0)
        value_grad = tl.load(grad + rows, mask=real[:, :, None] & used, other=0.0)
        # The neighbour reads this row.
        raw = own_source + tl.load(target + near, mask=real, other=0.0)
        below = tl.load(level + near, mask=real, other=0.0)
        weight = tl.exp(tl.where(real, tl.where(raw > 0, raw, SLOPE * raw) - below, -1e30))
        back += weight[:, :, None] * value_grad
        change = weight * (tl.sum(value_grad * own, 2) - tl.load(product + near, mask=real, other=0.0))
        back_source += tl.where(raw > 0, change, SLOPE * change)
        # This row reads the neighbour.
        raw = tl.load(source + near, mask=real, other=0.0) + own_target
        weight = tl.exp(tl.where(real, tl.where(raw > 0, raw, SLOPE * raw) - own_level, -1e30))
        change = weight * (tl.sum(own_grad * value, 2) - own_product)
        back_target += tl.where(raw > 0, change, SLOPE * change)
    tl.store(to_h + spot, back, mask=spots)
    tl.store(to_source + at, back_source, mask=live)
    tl.store(to_target + at, back_target, mask=live)


class _Attention(torch.autograd.Function):
    """`attention` with its gradient; of the forward pass it keeps one number per row and head."""

    @staticmethod
    def forward(
        ctx: Any, h: Tensor, source: Tensor, target: Tensor, table: Tensor, slope: float
    ) -> tuple[Tensor, Tensor]:
        out, level = torch.empty_like(h), torch.empty_like(source)
        ctx.grid, ctx.numbers, ctx.shape = _attention_shape(h, source, table, slope)
        _attend[ctx.grid](h, source, target, table, out, level, *ctx.numbers, **ctx.shape)
        ctx.save_for_backward(h, source, target, table, level, out)
        return out, level

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None]:
        h, source, target, table, level, out = ctx.saved_tensors
        grad = grads[0].contiguous()
        product = (grad * out).view(*source.shape, -1).sum(2)
        found = torch.empty_like(h), torch.empty_like(source), torch.empty_like(source)
        _attend_backward[ctx.grid](
            h, source, target, table, level, grad, product, *found, *ctx.numbers, **ctx.shape
        )
        return *found, None, None


def _attention_shape(
    h: Tensor, source: Tensor, table: Tensor, slope: float
) -> tuple[tuple[int], tuple[int, ...], dict[str, Any]]:
    """Return the grid, the run-time numbers and the compile-time numbers of both attention kernels."""
    (rows, slots), heads = table.shape, source.shape[1]
    width = h.shape[1] // heads
    shape = {"SLOPE": slope, "ROWS": _ROWS, "HEADS": power(heads), "WIDTH": power(width)}
    return (triton.cdiv(rows, _ROWS),), (rows, rows - 1, slots, heads, width), shape


def attention(h: Tensor, source: Tensor, target: Tensor, table: Tensor, slope: float) -> Tensor:
    """Return per row and head the sum of its slots' rows, weighted by the softmax of leaky(source + target).

    `h` is (rows, heads * width), `source` and `target` (rows, heads), `table` int32 (rows, slots); the last row
    stands for "none". Rows without a slot give zeros.
    """
    found: Tensor = _Attention.apply(  # type: ignore[no-untyped-call]
        h.contiguous(), source.contiguous(), target.contiguous(), table.contiguous(), slope
    )[0]
    return found


@triton.jit
def _support_sums(
    x, supports, table, out, padding, slots, num_supports, width, SUPPORTS: tl.constexpr, WIDTH: tl.constexpr
):
    """out[r, s] = sum over slots j of supports[r, j, s] x[j]; one row and one block of supports a program."""
    row = tl.program_id(0).to(tl.int64)
    support = tl.program_id(1) * SUPPORTS + tl.arange(0, SUPPORTS)
    channel = tl.arange(0, WIDTH)
    summed = tl.zeros((SUPPORTS, WIDTH), x.dtype.element_ty)
    for slot in range(slots):
        other = tl.load(table + row * slots + slot).to(tl.int64)
        if other != padding:
            value = tl.load(x + other * width + channel, mask=channel < width, other=0.0)
            at = (row * slots + slot) * num_supports + support
            weight = tl.load(supports + at, mask=support < num_supports, other=0.0)
            summed += weight[:, None] * value[None, :]
    spot = (row * num_supports + support)[:, None] * width + channel[None, :]
    tl.store(out + spot, summed, mask=(support < num_supports)[:, None] & (channel < width)[None, :])


@triton.jit
def _support_sums_to_x(
    grad, supports, table, to_x, padding, slots, num_supports, width,
    SUPPORTS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """to_x[r] = sum over slots i and supports s of supports[r, i, s] grad[i, s], supports being symmetric."""
    row = tl.program_id(0).to(tl.int64)
    channel = tl.arange(0, WIDTH)
    summed = tl.zeros((WIDTH,), grad.dtype.element_ty)
    for slot in range(slots):
        other = tl.load(table + row * slots + slot).to(tl.int64)
        if other != padding:
            for first in range(0, num_supports, SUPPORTS):
                support = first + tl.arange(0, SUPPORTS)
                at = (row * slots + slot) * num_supports + support
                weight = tl.load(supports + at, mask=support < num_supports, other=0.0)
                spot = (other * num_supports + support)[:, None] * width + channel[None, :]
                used = (support < num_supports)[:, None] & (channel < width)[None, :]
                summed += tl.sum(weight[:, None] * tl.load(grad + spot, mask=used, other=0.0), 0)
    tl.store(to_x + row * width + channel, summed, mask=channel < width)


@triton.jit
def _support_sums_to_supports(
    grad, x, table, to_supports, padding, slots, num_supports, width,
    SUPPORTS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """to_supports[r, j, s] = <grad[r, s], x[j]>; empty slots are left alone."""
    row = tl.program_id(0).to(tl.int64)
    support = tl.program_id(1) * SUPPORTS + tl.arange(0, SUPPORTS)
    channel = tl.arange(0, WIDTH)
    spot = (row * num_supports + support)[:, None] * width + channel[None, :]
    used = (support < num_supports)[:, None] & (channel < width)[None, :]
    mine = tl.load(grad + spot, mask=used, other=0.0)
    for slot in range(slots):
        other = tl.load(table + row * slots + slot).to(tl.int64)
        if other != padding:
            value = tl.load(x + other * width + channel, mask=channel < width, other=0.0)
            at = (row * slots + slot) * num_supports + support
            tl.store(to_supports + at, tl.sum(mine * value[None, :], 1), mask=support < num_supports)


class _SupportSums(torch.autograd.Function):
    """`support_sums` with its gradients by both arguments."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, supports: Tensor, table: Tensor) -> Tensor:
        (rows, slots), count, width = table.shape, supports.shape[2], x.shape[1]
        ctx.numbers = (rows - 1, slots, count, width)
        ctx.shape = {"SUPPORTS": min(_SUPPORTS, power(count)), "WIDTH": power(width)}
        ctx.shape["num_warps"] = min(4, max(1, ctx.shape["SUPPORTS"] * ctx.shape["WIDTH"] // 512))
        ctx.grid = (rows, triton.cdiv(count, ctx.shape["SUPPORTS"]))
        ctx.save_for_backward(x, supports, table)
        out = x.new_empty(rows, count, width)
        _support_sums[ctx.grid](x, supports, table, out, *ctx.numbers, **ctx.shape)
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        x, supports, table = ctx.saved_tensors
        grad = grads[0].contiguous()
        to_x = to_supports = None
        if ctx.needs_input_grad[0]:
            to_x = torch.empty_like(x)
            _support_sums_to_x[ctx.grid[:1]](grad, supports, table, to_x, *ctx.numbers, **ctx.shape)
        if ctx.needs_input_grad[1]:
            to_supports = torch.zeros_like(supports)
            _support_sums_to_supports[ctx.grid](grad, x, table, to_supports, *ctx.numbers, **ctx.shape)
        return to_x, to_supports, None


def support_sums(x: Tensor, supports: Tensor, table: Tensor) -> Tensor:
    """Return (rows, S, C): for every support the weighted sum of the slots' rows.

    `x` is (rows, C), `supports` (rows, slots, S) and symmetric: a slot weighs what the slot that points back
    weighs. The last row stands for "none".
    """
    found: Tensor = _SupportSums.apply(x.contiguous(), supports.contiguous(), table.contiguous())  # type: ignore[no-untyped-call]
    return found
