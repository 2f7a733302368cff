"""Sums over the slots of every row with several supports at once, the supports given once per edge."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton import next_power_of_2 as power

#: Supports that one program sums at once, and sums per warp.
_SUPPORTS = 16
_PER_WARP = 1024


@triton.jit
def _sums(
    x, supports, table, edges, used, out, slots, num_supports, width,
    SUPPORTS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """out[r, s] = sum over slots j of supports[edge of j, s] x[j]; one row and one block of supports a program."""
    row = tl.program_id(0).to(tl.int64)
    support = tl.program_id(1) * SUPPORTS + tl.arange(0, SUPPORTS)
    channel = tl.arange(0, WIDTH)
    summed = tl.zeros((SUPPORTS, WIDTH), x.dtype.element_ty)
    for slot in range(tl.load(used + row)):
        other = tl.load(table + row * slots + slot).to(tl.int64)
        edge = tl.load(edges + row * slots + slot).to(tl.int64)
        value = tl.load(x + other * width + channel, mask=channel < width, other=0.0)
        weight = tl.load(supports + edge * num_supports + support, mask=support < num_supports, other=0.0)
        summed += weight[:, None] * value[None, :]
    spot = (row * num_supports + support)[:, None] * width + channel[None, :]
    tl.store(out + spot, summed, mask=(support < num_supports)[:, None] & (channel < width)[None, :])


@triton.jit
def _to_x(
    grad, supports, table, edges, used, to_x, slots, num_supports, width,
    SUPPORTS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """to_x[r] = sum over slots i and supports s of supports[edge of i, s] grad[i, s]: an edge has one weight."""
    row = tl.program_id(0).to(tl.int64)
    channel = tl.arange(0, WIDTH)
    summed = tl.zeros((SUPPORTS, WIDTH), grad.dtype.element_ty)
    for slot in range(tl.load(used + row)):
        other = tl.load(table + row * slots + slot).to(tl.int64)
        edge = tl.load(edges + row * slots + slot).to(tl.int64)
        for first in range(0, num_supports, SUPPORTS):
            support = first + tl.arange(0, SUPPORTS)
            inside = support < num_supports
            weight = tl.load(supports + edge * num_supports + support, mask=inside, other=0.0)
            spot = (other * num_supports + support)[:, None] * width + channel[None, :]
            value = tl.load(grad + spot, mask=inside[:, None] & (channel < width)[None, :], other=0.0)
            summed += weight[:, None] * value
    tl.store(to_x + row * width + channel, tl.sum(summed, 0), mask=channel < width)


@triton.jit
def _to_supports(
    grad, x, ends, to_supports, padding, num_supports, width, SUPPORTS: tl.constexpr, WIDTH: tl.constexpr
):
    """to_supports[e, s] = <grad[u, s], x[v]> + <grad[v, s], x[u]> for e between u and v; once if u is v."""
    edge = tl.program_id(0).to(tl.int64)
    support = tl.program_id(1) * SUPPORTS + tl.arange(0, SUPPORTS)
    channel = tl.arange(0, WIDTH)
    inside, wide = (support < num_supports)[:, None], channel < width
    u, v = tl.load(ends + 2 * edge).to(tl.int64), tl.load(ends + 2 * edge + 1).to(tl.int64)
    own = tl.where(wide, u, padding)
    real, apart = own != padding, (own != padding) & (own != v)
    near = tl.load(x + v * width + channel, mask=real, other=0.0)
    spot = (u * num_supports + support)[:, None] * width + channel[None, :]
    product = tl.load(grad + spot, mask=inside & real[None, :], other=0.0) * near[None, :]
    near = tl.load(x + u * width + channel, mask=apart, other=0.0)
    spot = (v * num_supports + support)[:, None] * width + channel[None, :]
    product += tl.load(grad + spot, mask=inside & apart[None, :], other=0.0) * near[None, :]
    tl.store(to_supports + edge * num_supports + support, tl.sum(product, 1), mask=support < num_supports)


class _SupportSums(torch.autograd.Function):
    """`support_sums` with its gradients by both arguments."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, supports: Tensor, ends: Tensor, table: Tensor, edges: Tensor, used: Tensor
    ) -> Tensor:
        (rows, slots), count, width = table.shape, supports.shape[1], x.shape[1]
        ctx.numbers = (slots, count, width)
        block = min(_SUPPORTS, power(count))
        ctx.shape = {"SUPPORTS": block, "WIDTH": power(width)}
        ctx.shape["num_warps"] = min(4, max(1, block * power(width) // _PER_WARP))
        ctx.blocks = triton.cdiv(count, block)
        ctx.save_for_backward(x, supports, ends, table, edges, used)
        out = x.new_empty(rows, count, width)
        _sums[rows, ctx.blocks](x, supports, table, edges, used, out, *ctx.numbers, **ctx.shape)
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, Tensor | None, None, None, None, None]:
        x, supports, ends, table, edges, used = ctx.saved_tensors
        grad = grads[0].contiguous()
        to_x = to_supports = None
        if ctx.needs_input_grad[0]:
            to_x = torch.empty_like(x)
            _to_x[(len(x),)](grad, supports, table, edges, used, to_x, *ctx.numbers, **ctx.shape)
        if ctx.needs_input_grad[1]:
            to_supports = torch.empty_like(supports)
            numbers = (len(x) - 1, *ctx.numbers[1:])
            _to_supports[len(supports), ctx.blocks](grad, x, ends, to_supports, *numbers, **ctx.shape)
        return to_x, to_supports, None, None, None, None


def support_sums(
    x: Tensor, supports: Tensor, ends: Tensor, table: Tensor, edges: Tensor, used: Tensor
) -> Tensor:
    """Return (rows, S, C): for every support the weighted sum of the slots' rows.

    `x` is (rows, C), `supports` (edges, S), `ends` int32 (edges, 2) the rows of each edge, the last row for
    none; `table` and `edges` int32 (rows, slots) are row and edge of each slot, `used` how many are in use.
    """
    found: Tensor = _SupportSums.apply(x.contiguous(), supports.contiguous(), ends, table, edges, used)  # type: ignore[no-untyped-call]
    return found
