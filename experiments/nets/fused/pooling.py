"""The sum and the maximum over the rows of each graph in one pass."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton import next_power_of_2 as power

_ROWS, _CHANNELS = 16, 128


@triton.jit
def _pool(x, offsets, total, largest, width, ROWS: tl.constexpr, CHANNELS: tl.constexpr):
    """Sum and maximum of the rows from offsets[g] to offsets[g + 1]; -inf where there are none."""
    graph = tl.program_id(0).to(tl.int64)
    channel = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS)
    wide = channel < width
    begin, end = tl.load(offsets + graph), tl.load(offsets + graph + 1)
    summed = tl.zeros((CHANNELS,), x.dtype.element_ty)
    most = tl.full((CHANNELS,), float("-inf"), x.dtype.element_ty)
    for first in range(begin, end, ROWS):
        row = first + tl.arange(0, ROWS)
        real = (row < end)[:, None] & wide[None, :]
        value = tl.load(x + row[:, None] * width + channel[None, :], mask=real, other=0.0)
        summed += tl.sum(value, 0)
        most = tl.maximum(most, tl.max(tl.where(real, value, float("-inf")), 0))
    tl.store(total + graph * width + channel, summed, mask=wide)
    tl.store(largest + graph * width + channel, most, mask=wide)


@triton.jit
def _pool_backward(
    x, offsets, largest, to_total, to_largest, to_x, width, ROWS: tl.constexpr, CHANNELS: tl.constexpr
):
    """to_x[r] = to_total[g] + to_largest[g] / ties where row r has the maximum of its graph."""
    graph = tl.program_id(0).to(tl.int64)
    channel = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS)
    wide = channel < width
    begin, end = tl.load(offsets + graph), tl.load(offsets + graph + 1)
    at = graph * width + channel
    most = tl.load(largest + at, mask=wide, other=0.0)
    plain = tl.load(to_total + at, mask=wide, other=0.0)
    ties = tl.zeros((CHANNELS,), x.dtype.element_ty)
    for first in range(begin, end, ROWS):
        row = first + tl.arange(0, ROWS)
        real = (row < end)[:, None] & wide[None, :]
        value = tl.load(x + row[:, None] * width + channel[None, :], mask=real, other=0.0)
        ties += tl.sum(tl.where(real & (value == most[None, :]), 1.0, 0.0), 0)
    share = tl.load(to_largest + at, mask=wide, other=0.0) / tl.maximum(ties, 1.0)
    for first in range(begin, end, ROWS):
        row = first + tl.arange(0, ROWS)
        real = (row < end)[:, None] & wide[None, :]
        spot = row[:, None] * width + channel[None, :]
        value = tl.load(x + spot, mask=real, other=0.0)
        found = plain[None, :] + tl.where(value == most[None, :], share[None, :], 0.0)
        tl.store(to_x + spot, found, mask=real)


class _Pool(torch.autograd.Function):
    """`pool_rows` with its gradient; rows that tie for the maximum share it."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor]:
        graphs, width = len(offsets) - 1, x.shape[1]
        total, largest = x.new_empty(graphs, width), x.new_empty(graphs, width)
        channels = min(_CHANNELS, power(width))
        ctx.grid = (graphs, triton.cdiv(width, channels))
        ctx.shape = {"ROWS": _ROWS, "CHANNELS": channels}
        _pool[ctx.grid](x, offsets, total, largest, width, **ctx.shape)
        ctx.save_for_backward(x, offsets, largest)
        return total, largest

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        x, offsets, largest = ctx.saved_tensors
        to_x = torch.empty_like(x)
        given = [grad.contiguous() for grad in grads]
        _pool_backward[ctx.grid](x, offsets, largest, *given, to_x, x.shape[1], **ctx.shape)
        return to_x, None


def pool_rows(x: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor]:
    """Return the sum and the maximum of the rows from each offset to the next; zero and -inf where there are none."""
    found: tuple[Tensor, Tensor] = _Pool.apply(x.contiguous(), offsets.contiguous())  # type: ignore[no-untyped-call]
    return found
