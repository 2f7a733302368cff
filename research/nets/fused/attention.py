"""Attention over the slots of every row."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton import next_power_of_2 as power

#: Rows of one program.
_ROWS = 4


@triton.jit
def _attend(
    h, source, target, table, used, out, level, num_rows, padding, slots, heads, width,
    SLOPE: tl.constexpr, ROWS: tl.constexpr, HEADS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """out[r] = sum over slots j of softmax_j(leaky(source[j] + target[r])) h[j]; level[r] = log of its divisor."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    head, channel = tl.arange(0, HEADS)[None, :], tl.arange(0, WIDTH)[None, None, :]
    live = (row < num_rows)[:, None] & (head < heads)
    place, wide = head[:, :, None] * width + channel, channel < width
    mine = tl.load(target + row[:, None] * heads + head, mask=live, other=0.0)
    largest = tl.zeros_like(mine) - 1e30
    total = tl.zeros_like(mine)
    summed = tl.zeros((ROWS, HEADS, WIDTH), mine.dtype)
    most = tl.max(tl.load(used + row, mask=row < num_rows, other=0))
    for slot in range(most):
        other = tl.load(table + row * slots + slot, mask=row < num_rows, other=padding).to(tl.int64)
        real = (other != padding)[:, None] & live
        raw = tl.load(source + other[:, None] * heads + head, mask=real, other=0.0) + mine
        logit = tl.where(real, tl.where(raw > 0, raw, SLOPE * raw), -1e30)
        larger = tl.maximum(largest, logit)
        scale = tl.exp(largest - larger)
        weight = tl.where(real, tl.exp(logit - larger), 0.0)
        begin = other[:, None, None] * heads * width
        value = tl.load(h + begin + place, mask=real[:, :, None] & wide, other=0.0)
        summed = summed * scale[:, :, None] + weight[:, :, None] * value
        total = total * scale + weight
        largest = larger
    total = tl.where(total > 0, total, 1.0)
    spot = row[:, None, None] * heads * width + place
    tl.store(out + spot, summed / total[:, :, None], mask=live[:, :, None] & wide)
    tl.store(level + row[:, None] * heads + head, largest + tl.log(total), mask=live)


@triton.jit
def _attend_backward(
    h, source, target, table, used, level, grad, product, to_h, to_source, to_target, num_rows, padding, slots,
    heads, width, SLOPE: tl.constexpr, ROWS: tl.constexpr, HEADS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """The gradients of `_attend` at row r: what its readers i return to it, and what its own target receives.

    With a the weight with which one row reads another, and product[r] = <grad[r], out[r]>, the gradient of a
    logit is a (<grad[reader], h[read]> - product[reader]).
    """
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    head, channel = tl.arange(0, HEADS)[None, :], tl.arange(0, WIDTH)[None, None, :]
    live = (row < num_rows)[:, None] & (head < heads)
    place, wide = head[:, :, None] * width + channel, channel < width
    spot, spots = row[:, None, None] * heads * width + place, live[:, :, None] & wide
    own, own_grad = tl.load(h + spot, mask=spots, other=0.0), tl.load(grad + spot, mask=spots, other=0.0)
    at = row[:, None] * heads + head
    own_source = tl.load(source + at, mask=live, other=0.0)
    own_target = tl.load(target + at, mask=live, other=0.0)
    own_level = tl.load(level + at, mask=live, other=0.0)
    own_product = tl.load(product + at, mask=live, other=0.0)
    back = tl.zeros_like(own)
    back_source, back_target = tl.zeros_like(own_source), tl.zeros_like(own_source)
    most = tl.max(tl.load(used + row, mask=row < num_rows, other=0))
    for slot in range(most):
        other = tl.load(table + row * slots + slot, mask=row < num_rows, other=padding).to(tl.int64)
        real = (other != padding)[:, None] & live
        near, rows = other[:, None] * heads + head, other[:, None, None] * heads * width + place
        value = tl.load(h + rows, mask=real[:, :, None] & wide, other=0.0)
        value_grad = tl.load(grad + rows, mask=real[:, :, None] & wide, other=0.0)
        # The neighbor reads this row.
        raw = own_source + tl.load(target + near, mask=real, other=0.0)
        below = tl.load(level + near, mask=real, other=0.0)
        weight = tl.exp(tl.where(real, tl.where(raw > 0, raw, SLOPE * raw) - below, -1e30))
        back += weight[:, :, None] * value_grad
        change = weight * (tl.sum(value_grad * own, 2) - tl.load(product + near, mask=real, other=0.0))
        back_source += tl.where(raw > 0, change, SLOPE * change)
        # This row reads the neighbor.
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
        ctx: Any, h: Tensor, source: Tensor, target: Tensor, table: Tensor, used: Tensor, slope: float
    ) -> tuple[Tensor, Tensor]:
        out, level = torch.empty_like(h), torch.empty_like(source)
        ctx.grid, ctx.numbers, ctx.shape = _attention_shape(h, source, table, slope)
        _attend[ctx.grid](h, source, target, table, used, out, level, *ctx.numbers, **ctx.shape)
        ctx.save_for_backward(h, source, target, table, used, level, out)
        return out, level

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None, None]:
        h, source, target, table, used, level, out = ctx.saved_tensors
        grad = grads[0].contiguous()
        product = (grad * out).view(*source.shape, -1).sum(2)
        found = torch.empty_like(h), torch.empty_like(source), torch.empty_like(source)
        _attend_backward[ctx.grid](
            h, source, target, table, used, level, grad, product, *found, *ctx.numbers, **ctx.shape
        )
        return *found, None, None, None


def _attention_shape(
    h: Tensor, source: Tensor, table: Tensor, slope: float
) -> tuple[tuple[int], tuple[int, ...], dict[str, Any]]:
    """Return the grid, the run-time numbers and the compile-time numbers of both attention kernels."""
    (rows, slots), heads = table.shape, source.shape[1]
    width = h.shape[1] // heads
    shape = {"SLOPE": slope, "ROWS": _ROWS, "HEADS": power(heads), "WIDTH": power(width)}
    return (triton.cdiv(rows, _ROWS),), (rows, rows - 1, slots, heads, width), shape


def attention(h: Tensor, source: Tensor, target: Tensor, table: Tensor, used: Tensor, slope: float) -> Tensor:
    """Return per row and head the sum of its slots' rows, weighted by the softmax of leaky(source + target).

    `h` is (rows, heads * width), `source` and `target` (rows, heads), `table` int32 (rows, slots), `used` how
    many of a row's slots are in use; the last row stands for "none". Rows without a slot give zeros.
    """
    found: Tensor = _Attention.apply(  # type: ignore[no-untyped-call]
        h.contiguous(), source.contiguous(), target.contiguous(), table.contiguous(), used, slope
    )[0]
    return found
