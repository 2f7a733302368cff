"""A bias and an activation in one pass."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton import next_power_of_2 as power

#: Numbers that one program handles.
_TILE = 2048


@triton.jit
def _activate(x, bias, out, num_rows, width, ELU: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """out = relu(x + bias), or elu; the bias is that of the row's replica."""
    replica = tl.program_id(1).to(tl.int64)
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    channel = tl.arange(0, WIDTH)[None, :]
    live = (row < num_rows) & (channel < width)
    spot = (replica * num_rows + row) * width + channel
    value = tl.load(x + spot, mask=live, other=0.0)
    value += tl.load(bias + replica * width + channel, mask=channel < width, other=0.0)
    low = tl.exp(tl.minimum(value, 0.0)) - 1.0 if ELU else tl.zeros_like(value)
    tl.store(out + spot, tl.where(value > 0, value, low), mask=live)


@triton.jit
def _activate_backward(out, grad, to_x, size, ELU: tl.constexpr, TILE: tl.constexpr):
    """to_x = grad where out is positive; below, nothing for relu and grad (out + 1) for elu."""
    spot = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)
    value = tl.load(out + spot, mask=spot < size, other=0.0)
    slope = tl.load(grad + spot, mask=spot < size, other=0.0)
    low = slope * (value + 1.0) if ELU else tl.zeros_like(slope)
    tl.store(to_x + spot, tl.where(value > 0, slope, low), mask=spot < size)


class _Activate(torch.autograd.Function):
    """`activate` with its gradient, told from its output."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, bias: Tensor, elu: bool) -> Tensor:
        replicas, rows, width = x.shape
        shape = {"ROWS": max(1, _TILE // power(width)), "WIDTH": power(width)}
        out = torch.empty_like(x)
        grid = triton.cdiv(rows, shape["ROWS"]), replicas
        _activate[grid](x, bias, out, rows, width, ELU=elu, **shape)
        ctx.elu = elu
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, None]:
        (out,) = ctx.saved_tensors
        to_x = torch.empty_like(out)
        grid = (triton.cdiv(out.numel(), _TILE),)
        _activate_backward[grid](out, grads[0].contiguous(), to_x, out.numel(), ELU=ctx.elu, TILE=_TILE)
        return to_x, to_x.sum(1), None


def activate(x: Tensor, bias: Tensor, kind: str) -> Tensor:
    """Return relu(x + bias) or elu(x + bias), by the name of `kind`, for x (M, R, C) and bias (M, C)."""
    found: Tensor = _Activate.apply(x.contiguous(), bias.contiguous(), kind == "elu")  # type: ignore[no-untyped-call]
    return found
