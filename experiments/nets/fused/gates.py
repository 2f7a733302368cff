"""The activations of GNNML3's learned supports in one pass."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton import next_power_of_2 as power

#: Numbers of one part that a program handles.
_TILE = 1024


@triton.jit
def _tanh(x):
    return 2.0 * tl.sigmoid(2.0 * x) - 1.0


@triton.jit
def _gates(x, out, num_rows, width, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """out = [relu(a), tanh(b) tanh(c)] of x = [a, b, c], each `width` columns."""
    row = (tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS))[:, None]
    column = tl.arange(0, WIDTH)[None, :]
    live = (row < num_rows) & (column < width)
    spot = x + row * 3 * width + column
    a, b, c = (
        tl.load(spot, mask=live, other=0.0),
        tl.load(spot + width, mask=live, other=0.0),
        tl.load(spot + 2 * width, mask=live, other=0.0),
    )
    tl.store(out + row * 2 * width + column, tl.maximum(a, 0.0), mask=live)
    tl.store(out + row * 2 * width + width + column, _tanh(b) * _tanh(c), mask=live)


@triton.jit
def _gates_backward(x, grad, to_x, num_rows, width, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """The gradient of `_gates`; relu has none at zero."""
    row = (tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS))[:, None]
    column = tl.arange(0, WIDTH)[None, :]
    live = (row < num_rows) & (column < width)
    spot = row * 3 * width + column
    first = tl.load(grad + row * 2 * width + column, mask=live, other=0.0)
    second = tl.load(grad + row * 2 * width + width + column, mask=live, other=0.0)
    a = tl.load(x + spot, mask=live, other=0.0)
    b = _tanh(tl.load(x + spot + width, mask=live, other=0.0))
    c = _tanh(tl.load(x + spot + 2 * width, mask=live, other=0.0))
    tl.store(to_x + spot, tl.where(a > 0, first, 0.0), mask=live)
    tl.store(to_x + spot + width, second * c * (1.0 - b * b), mask=live)
    tl.store(to_x + spot + 2 * width, second * b * (1.0 - c * c), mask=live)


class _Gates(torch.autograd.Function):
    """`gates` with its gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        rows, width = len(x), x.shape[1] // 3
        ctx.shape = {"ROWS": max(1, _TILE // power(width)), "WIDTH": power(width)}
        ctx.save_for_backward(x)
        out = x.new_empty(rows, 2 * width)
        _gates[(triton.cdiv(rows, ctx.shape["ROWS"]),)](x, out, rows, width, **ctx.shape)
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        to_x = torch.empty_like(x)
        grid = (triton.cdiv(len(x), ctx.shape["ROWS"]),)
        _gates_backward[grid](x, grads[0].contiguous(), to_x, len(x), x.shape[1] // 3, **ctx.shape)
        return to_x


def gates(x: Tensor) -> Tensor:
    """Return (rows, 2 C) of (rows, 3 C): relu of the first part beside the product of the tanh of the others."""
    found: Tensor = _Gates.apply(x.contiguous())  # type: ignore[no-untyped-call]
    return found
