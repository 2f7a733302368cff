"""Sums over the neighbors of every row, and rows moved between levels, as single Triton kernels."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton import next_power_of_2 as power

#: Values that one program handles at once.
_VALUES = 1024


@triton.jit(do_not_specialize=["rows", "per_replica", "num_types"])
def _neighbors(
    x, own, source, offsets, types, table, out, rows, per_replica, num_types, width,  # noqa: ARG001 - as its gradient
    TYPED: tl.constexpr, BLOCK: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """out[r] = own x[r] + sum over arcs (s, r) of x[s], or of relu(x[s] + table[type])."""
    row = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    channel = tl.arange(0, WIDTH)
    inside, wide = row < rows, (channel < width)[None, :]
    first = tl.load(offsets + row, mask=inside, other=0)
    last = tl.load(offsets + row + 1, mask=inside, other=0)
    spot = row[:, None] * width + channel[None, :]
    factor = tl.load(own + row // per_replica, mask=inside, other=0.0)
    total = tl.load(x + spot, mask=inside[:, None] & wide, other=0.0) * factor[:, None]
    for step in range(tl.max(last - first, 0)):
        used = first + step < last
        other = tl.load(source + first + step, mask=used, other=0)
        value = tl.load(x + other[:, None] * width + channel[None, :], mask=used[:, None] & wide, other=0.0)
        if TYPED:
            kind = tl.load(types + first + step, mask=used, other=0)
            near = table + kind[:, None] * width + channel[None, :]
            value = tl.maximum(value + tl.load(near, mask=used[:, None] & wide, other=0.0), 0.0)
        total += value
    tl.store(out + spot, total, mask=inside[:, None] & wide)


@triton.jit(do_not_specialize=["rows", "per_replica", "num_types"])
def _to_neighbors(
    grad, x, own, source, offsets, types, table, to_x, to_own, to_table, rows, per_replica, num_types, width,
    TYPED: tl.constexpr, BLOCK: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """The gradients of `_neighbors`; an arc and its opposite have one type, so that every row gathers its own."""
    row = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    channel = tl.arange(0, WIDTH)
    inside, wide = row < rows, (channel < width)[None, :]
    first = tl.load(offsets + row, mask=inside, other=0)
    last = tl.load(offsets + row + 1, mask=inside, other=0)
    spot = row[:, None] * width + channel[None, :]
    factor = tl.load(own + row // per_replica, mask=inside, other=0.0)
    mine = tl.load(grad + spot, mask=inside[:, None] & wide, other=0.0)
    value = tl.load(x + spot, mask=inside[:, None] & wide, other=0.0)
    tl.store(to_own + tl.program_id(0), tl.sum(tl.sum(mine * value, 1), 0))
    total = mine * factor[:, None]
    for step in range(tl.max(last - first, 0)):
        used = first + step < last
        other = tl.load(source + first + step, mask=used, other=0)
        got = tl.load(grad + other[:, None] * width + channel[None, :], mask=used[:, None] & wide, other=0.0)
        if TYPED:
            kind = tl.load(types + first + step, mask=used, other=0)
            near = table + kind[:, None] * width + channel[None, :]
            vector = tl.load(near, mask=used[:, None] & wide, other=0.0)
            got = tl.where(value + vector > 0, got, 0.0)
            base = tl.min(row // per_replica, 0) * num_types
            for number in range(num_types):
                part = tl.sum(tl.where((used & (kind == base + number))[:, None], got, 0.0), 0)
                tl.atomic_add(to_table + (base + number) * width + channel, part, mask=channel < width)
        total += got
    tl.store(to_x + spot, total, mask=inside[:, None] & wide)


class _NeighborSum(torch.autograd.Function):
    """`neighbor_sums` with its gradients."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, own: Tensor, source: Tensor, offsets: Tensor, types: Tensor, table: Tensor | None
    ) -> Tensor:
        ctx.num_types = 0 if table is None else len(table) // len(own)
        ctx.save_for_backward(x, own, source, offsets, types, x if table is None else table)
        out, launch, numbers, sizes = torch.empty_like(x), *_shape(x, len(own))
        place = x if table is None else table
        last = (ctx.num_types, x.shape[1])
        typed = table is not None
        _neighbors[launch](x, own, source, offsets, types, place, out, *numbers, *last, TYPED=typed, **sizes)
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, None, None, None, Tensor | None]:
        x, own, source, offsets, types, table = ctx.saved_tensors
        grad, to_x = grads[0].contiguous(), torch.empty_like(x)
        launch, numbers, sizes = _shape(x, len(own))
        parts = x.new_empty(launch[0])
        to_table = torch.zeros_like(table) if ctx.num_types else x
        typed = ctx.num_types > 0
        places = (grad, x, own, source, offsets, types, table, to_x, parts, to_table)
        _to_neighbors[launch](*places, *numbers, ctx.num_types, x.shape[1], TYPED=typed, **sizes)
        return to_x, parts.view(len(own), -1).sum(1), None, None, None, to_table if typed else None


def _shape(x: Tensor, replicas: int) -> tuple[tuple[int], tuple[int, int], dict[str, int]]:
    """Return grid, sizes and block of a kernel over the rows of all replicas; a program's rows are of one replica."""
    width = power(x.shape[1])
    block = max(4, min(32, _VALUES // width))
    while (len(x) // replicas) % block:
        block //= 2
    sizes = {"BLOCK": block, "WIDTH": width, "num_warps": 4 if block * width >= _VALUES else 2}
    return (triton.cdiv(len(x), block),), (len(x), len(x) // replicas), sizes


def neighbor_sums(
    x: Tensor,
    own: Tensor,
    source: Tensor,
    offsets: Tensor,
    types: Tensor | None = None,
    table: Tensor | None = None,
) -> Tensor:
    """Return own x plus the sum over the arcs of every row: (M R, C) rows, `own` (M,), arcs sorted by target.

    With `table` (M T, C) and `types`, the sum of relu(x + table[type]). Every arc has an opposite of its type.
    """
    kinds = source if types is None else types
    found: Tensor = _NeighborSum.apply(x.contiguous(), own.contiguous(), source, offsets, kinds, table)  # type: ignore[no-untyped-call]
    return found


@triton.jit(do_not_specialize=["parts", "rows_in", "rows_out"])
def _move(
    x, source, target, out, parts, rows_in, rows_out, width,
    ADD: tl.constexpr, BLOCK: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """out[target[i]] = x[source[i]], added up if ADD; what lies outside is skipped."""
    part = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    channel = tl.arange(0, WIDTH)
    begin = tl.load(source + part, mask=part < parts, other=rows_in)
    end = tl.load(target + part, mask=part < parts, other=rows_out)
    real = ((begin < rows_in) & (end < rows_out))[:, None] & (channel < width)[None, :]
    value = tl.load(x + begin[:, None] * width + channel[None, :], mask=real, other=0.0)
    spot = out + end[:, None] * width + channel[None, :]
    if ADD:
        tl.atomic_add(spot, value, mask=real)
    else:
        tl.store(spot, value, mask=real)


def _moved(x: Tensor, source: Tensor, target: Tensor, rows: int, *, add: bool) -> Tensor:
    """Return a new list of rows, zero where nothing was moved to."""
    out = x.new_zeros(rows, x.shape[1])
    width = power(x.shape[1])
    block = max(4, min(32, _VALUES // width))
    sizes = {"ADD": add, "BLOCK": block, "WIDTH": width, "num_warps": 4 if block * width >= _VALUES else 2}
    grid = (triton.cdiv(len(source), block),)
    _move[grid](x, source, target, out, len(source), len(x), rows, x.shape[1], **sizes)
    return out


class _Moved(torch.autograd.Function):
    """`move_rows` with its gradient, which moves back."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        source: Tensor,
        target: Tensor,
        rows: int,
        add: bool,
    ) -> Tensor:
        ctx.save_for_backward(source, target)
        ctx.rows, ctx.add = len(x), add
        return _moved(x, source, target, rows, add=add)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None, None, None]:
        source, target = ctx.saved_tensors
        back = _moved(grads[0].contiguous(), target, source, ctx.rows, add=not ctx.add)
        return back, None, None, None, None


def move_rows(x: Tensor, source: Tensor, target: Tensor, rows: int, *, add: bool) -> Tensor:
    """Return (rows, C): row source[i] of x at target[i].

    With `add`, sources are distinct and rows with one target are added up; without it, targets are distinct. Rows
    that only fill up may share one, if their gradients are zero; targets from `rows` on are dropped.
    """
    found: Tensor = _Moved.apply(x.contiguous(), source, target, rows, add)  # type: ignore[no-untyped-call]
    return found
