"""Sums over the slots of every row, alone and as the recursion of Chebyshev's polynomials."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton import next_power_of_2 as power

#: Numbers that one program sums.
_TILE = 1024


@triton.jit
def _combine(
    x, table, used, weights, plus, minus, out, num_rows, padding, slots, width, x_step, plus_step, minus_step,
    out_step, SCALE: tl.constexpr, WEIGHTED: tl.constexpr, PLUS: tl.constexpr, MINUS: tl.constexpr,
    ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """out[r] = plus[r] + SCALE * sum over slots j of weights[r, j] x[j] - minus[r]; a step leads to the next row."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    channel = tl.arange(0, WIDTH)[None, :]
    live, wide = row < num_rows, channel < width
    summed = tl.zeros((ROWS, WIDTH), x.dtype.element_ty)
    most = tl.max(tl.load(used + row, mask=live, other=0))
    for slot in range(most):
        other = tl.load(table + row * slots + slot, mask=live, other=padding).to(tl.int64)
        real = (other != padding)[:, None] & wide
        value = tl.load(x + other[:, None] * x_step + channel, mask=real, other=0.0)
        if WEIGHTED:
            value *= tl.load(weights + row * slots + slot, mask=live, other=0.0)[:, None]
        summed += value
    summed *= SCALE
    spots = live[:, None] & wide
    if PLUS:
        summed += tl.load(plus + row[:, None] * plus_step + channel, mask=spots, other=0.0)
    if MINUS:
        summed -= tl.load(minus + row[:, None] * minus_step + channel, mask=spots, other=0.0)
    tl.store(out + row[:, None] * out_step + channel, summed, mask=spots)


class _Slots:
    """The slots of a batch, and how to sum over them; arrays may be columns of wider ones."""

    def __init__(self, table: Tensor, used: Tensor, weights: Tensor | None) -> None:
        self.table, self.used, self.weights = table, used, weights

    def combine(
        self, x: Tensor, out: Tensor, scale: float, plus: Tensor | None = None, minus: Tensor | None = None
    ) -> Tensor:
        """Return `out`, filled with plus + scale * sums of x - minus."""
        (rows, slots), width = self.table.shape, x.shape[1]
        shape = {"ROWS": max(1, _TILE // power(width)), "WIDTH": power(width)}
        given = [x if other is None else other for other in (plus, minus)]
        _combine[(triton.cdiv(rows, shape["ROWS"]),)](
            x, self.table, self.used, x if self.weights is None else self.weights, *given, out,
            rows, rows - 1, slots, width, x.stride(0), given[0].stride(0), given[1].stride(0), out.stride(0),
            SCALE=scale, WEIGHTED=self.weights is not None, PLUS=plus is not None, MINUS=minus is not None,
            **shape,
        )  # fmt: skip
        return out


class _Propagate(torch.autograd.Function):
    """One sum; weights are symmetric, so that its transpose is itself."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, slots: _Slots) -> Tensor:
        ctx.slots = slots
        return slots.combine(x, torch.empty_like(x), 1.0)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        grad = grads[0].contiguous()
        return ctx.slots.combine(grad, torch.empty_like(grad), 1.0), None


def propagate(x: Tensor, table: Tensor, used: Tensor, weights: Tensor | None) -> Tensor:
    """Return Σ over slots of weight times the slot's row; a slot weighs one if there are no weights.

    `x` is (rows, C), `table` int32 (rows, slots), `weights` (rows, slots) and symmetric: a slot weighs what the
    slot that points back weighs.
    """
    found: Tensor = _Propagate.apply(x.contiguous(), _Slots(table, used, weights))  # type: ignore[no-untyped-call]
    return found


class _Chebyshev(torch.autograd.Function):
    """T_0 = x, T_1 = P x, T_k = 2 P T_(k-1) - T_(k-2) side by side, and the same recursion from its end backward."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, hops: int, slots: _Slots) -> Tensor:
        ctx.slots, ctx.hops = slots, hops
        out = x.new_empty(len(x), hops * x.shape[1])
        terms = out.chunk(hops, dim=1)
        terms[0].copy_(x)
        for k in range(1, hops):
            slots.combine(
                terms[k - 1], terms[k], 2.0 if k > 1 else 1.0, minus=terms[k - 2] if k > 1 else None
            )
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        hops, slots = ctx.hops, ctx.slots
        terms = grads[0].contiguous().chunk(hops, dim=1)
        later, last = None, terms[-1]
        for k in range(hops - 2, -1, -1):
            out = last.new_empty(last.shape)
            later, last = last, slots.combine(last, out, 2.0 if k else 1.0, plus=terms[k], minus=later)
        return last, None, None


def chebyshev(x: Tensor, hops: int, table: Tensor, used: Tensor, weights: Tensor | None) -> Tensor:
    """Return (rows, hops * C): Chebyshev's polynomials of `propagate`, applied to x, side by side."""
    found: Tensor = _Chebyshev.apply(x.contiguous(), hops, _Slots(table, used, weights))  # type: ignore[no-untyped-call]
    return found
