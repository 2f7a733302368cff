"""The operations the networks are made of: linear maps per replica, sums over neighbours, pooling, batch norm.

Rows are packed: (M, R, C) is replica, row, channel; flat row numbers are m * R + r. Sums over neighbours read
a table of slots and have a backward pass of the same form, so nothing is added atomically and every run of
the same batch gives the same bytes.
"""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from egonet.nets.store import PADDING_PARTS, Batch

_SUM = 0
_MAX_SLOTS = 1 << 25


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return x W + b with the weights of each replica: (M, R, I), (M, I, O), (M, O) → (M, R, O)."""
    return torch.bmm(x, weight) if bias is None else torch.baddbmm(bias.unsqueeze(1), x, weight)


def bag_sum(rows: Tensor, table: Tensor, weights: Tensor | None, padding: int) -> Tensor:
    """Return for every line of `table` the weighted sum of the rows it lists, skipping `padding`.

    Examples
    --------
    >>> bag_sum(torch.tensor([[1.0], [2.0], [0.0]]), torch.tensor([[0, 1], [1, 2]]), None, 2).tolist()
    [[3.0], [2.0]]
    """
    lines, slots = table.shape
    offsets = torch.arange(0, lines * slots, slots, device=table.device, dtype=table.dtype)
    flat = None if weights is None else weights.reshape(-1)
    found: Tensor = torch.embedding_bag(
        rows.contiguous(), table.reshape(-1), offsets, False, _SUM, False, flat, False, padding
    )[0]
    return found


class _Propagate(torch.autograd.Function):
    """A weighted sum over slots whose weights are symmetric, so that its transpose is itself."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, table: Tensor, weights: Tensor | None, padding: int) -> Tensor:
        ctx.table, ctx.weights, ctx.padding = table, weights, padding
        return bag_sum(x, table, weights, padding)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None, None]:
        return bag_sum(grads[0], ctx.table, ctx.weights, ctx.padding), None, None, None


def propagate(x: Tensor, batch: Batch) -> Tensor:
    """Return Σ over slots of weight times neighbour's row; every slot weighs one if the batch has no weights."""
    found: Tensor = _Propagate.apply(x.reshape(-1, x.shape[2]), batch.table, batch.weights, batch.padding)  # type: ignore[no-untyped-call]
    return found.view(x.shape)


class _Gather(torch.autograd.Function):
    """The rows of all slots side by side; its transpose sums each row's copies through the reverse slots."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, batch: Batch) -> Tensor:
        ctx.batch = batch
        return x.index_select(0, batch.table.view(-1)).view(*batch.table.shape, x.shape[1])

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        batch, slots = ctx.batch, ctx.batch.table.shape[1]
        copies = torch.where(batch.table == batch.padding, 0, batch.reverse) + batch.table * slots
        return bag_sum(grads[0].reshape(-1, grads[0].shape[2]), copies, None, batch.padding * slots), None


def gather(x: Tensor, batch: Batch) -> Tensor:
    """Return (M * R, D, C): the row of every slot; slots without a neighbour hold a row that must weigh nothing."""
    found: Tensor = _Gather.apply(x.reshape(-1, x.shape[-1]), batch)  # type: ignore[no-untyped-call]
    return found


def with_heads(batch: Batch, heads: int) -> Batch:
    """Return the batch with the tables attention needs, made once and used by every layer."""
    slots = batch.table.shape[1]
    table = batch.table.unsqueeze(1)
    head = _range(heads, table).view(1, heads, 1)
    lines = torch.where(table == batch.padding, batch.padding * heads, table * heads + head)
    back = (table * heads + head) * slots + batch.reverse.unsqueeze(1)
    return replace(batch, lines=lines.flatten(0, 1), back=back.reshape(-1))


class _Attend(torch.autograd.Function):
    """A sum over slots with a weight per slot and head, differentiated by both."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, attention: Tensor, lines: Tensor, back: Tensor, padding: int) -> Tensor:
        ctx.save_for_backward(x, attention, lines, back)
        ctx.padding = padding
        return bag_sum(x, lines, attention.flatten(0, 1), padding)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        x, attention, lines, back = ctx.saved_tensors
        grad = grads[0].contiguous()
        to_x = bag_sum(grad, lines, attention.reshape(-1).index_select(0, back), ctx.padding)
        return to_x, _slot_products(grad, x, lines, ctx.padding).view(attention.shape), None, None, None


def _slot_products(grad: Tensor, x: Tensor, lines: Tensor, padding: int) -> Tensor:
    """Return for every slot the product of its line's gradient and the row it lists, zero for padding.

    In pieces, because PyTorch's kernel counts its threads in 32 bits and each slot takes 32 of them.
    """
    count, slots = lines.shape
    bags = _range(count, lines).unsqueeze(1).expand(-1, slots)
    size = max(1, _MAX_SLOTS // slots)
    found = []
    for begin in range(0, count, size):
        part = lines[begin : begin + size]
        offsets = _range(len(part), lines) * slots
        found.append(
            torch.ops.aten._embedding_bag_per_sample_weights_backward(
                grad, x, part.reshape(-1), offsets, bags[begin : begin + size].reshape(-1), _SUM, padding
            )
        )
    return torch.cat(found) if len(found) > 1 else found[0]


def attend(x: Tensor, attention: Tensor, batch: Batch) -> Tensor:
    """Return (M * R * H, F): each head's rows summed over slots, attention (M * R, H, D) as weights."""
    padding = batch.padding * attention.shape[1]
    found: Tensor = _Attend.apply(x.contiguous(), attention.contiguous(), batch.lines, batch.back, padding)  # type: ignore[no-untyped-call]
    return found


class _Largest(torch.autograd.Function):
    """The maximum over each graph's rows; rows that tie share the gradient evenly.

    PyTorch's own backward of this reduction divides among ties in some channels only, hence this one.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, batch: Batch) -> Tensor:
        found: Tensor = torch.segment_reduce(x, "max", offsets=batch.offsets, axis=0, unsafe=True)
        ctx.save_for_backward(x, found)
        ctx.batch = batch
        return found

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        x, found = ctx.saved_tensors
        batch = ctx.batch
        equal = (x == found.index_select(0, batch.owner)).to(x.dtype)
        ties = torch.segment_reduce(equal, "sum", offsets=batch.offsets, axis=0, unsafe=True)
        return equal * (grads[0] / ties.clamp(min=1)).index_select(0, batch.owner), None


def pool(x: Tensor, batch: Batch, kind: str) -> Tensor:
    """Return the "sum", "mean" or "max" over the vertices of each graph: (M, B, C); zero for no graph."""
    replicas, graphs = batch.sizes.shape[:2]
    flat = x.reshape(-1, x.shape[2])
    found: Tensor
    if kind == "max":
        found = _Largest.apply(flat, batch)  # type: ignore[no-untyped-call]
    else:
        found = torch.segment_reduce(flat, "sum", offsets=batch.offsets, axis=0, unsafe=True)
    found = found.view(replicas, graphs + PADDING_PARTS, -1)[:, :graphs]
    if kind == "max":
        return torch.where(batch.sizes > 0, found, torch.zeros_like(found))
    return found / batch.sizes.clamp(min=1) if kind == "mean" else found


class _Normalise(torch.autograd.Function):
    """Batch norm over the rows that are not padding, written out so that few passes over memory are made."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, mask: Tensor, count: Tensor, weight: Tensor, bias: Tensor, epsilon: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        mean = (x * mask).sum(1, keepdim=True) / count
        centred = (x - mean).mul_(mask)
        variance = torch.linalg.vector_norm(centred, dim=1, keepdim=True).square_() / count
        inverse = torch.rsqrt(variance + epsilon)
        ctx.save_for_backward(centred, mask, count, weight, inverse)
        ctx.mark_non_differentiable(mean, variance)
        return torch.addcmul(bias.unsqueeze(1), centred, inverse * weight.unsqueeze(1)), mean, variance

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None, Tensor, Tensor, None]:
        centred, mask, count, weight, inverse = ctx.saved_tensors
        grad = grads[0]
        to_bias = grad.sum(1, keepdim=True)
        product = (grad * centred).sum(1, keepdim=True)
        to_x = torch.addcmul(grad, centred, product * inverse.square() / -count)
        to_x = to_x.addcmul_(mask, to_bias / -count).mul_(inverse * weight.unsqueeze(1))
        return to_x, None, None, (product * inverse).squeeze(1), to_bias.squeeze(1), None


def batch_norm(
    x: Tensor,
    mask: Tensor,
    count: Tensor,
    scale: tuple[Tensor, Tensor],
    running: tuple[Tensor, Tensor],
    *,
    training: bool,
    momentum: float = 0.1,
    epsilon: float = 1e-5,
) -> Tensor:
    """Return x normalised per replica and channel over the rows that are not padding.

    `scale` is weight and bias, `running` mean and variance, all (M, C); in training the latter move towards
    those of the batch, with the unbiased variance, as PyTorch's own layer does.
    """
    weight, bias = scale
    if not training:
        factor = torch.rsqrt(running[1] + epsilon) * weight
        return torch.addcmul((bias - running[0] * factor).unsqueeze(1), x, factor.unsqueeze(1))
    found, mean, variance = _Normalise.apply(x, mask, count, weight, bias, epsilon)  # type: ignore[no-untyped-call]
    with torch.no_grad():
        running[0].lerp_(mean.squeeze(1), momentum)
        running[1].lerp_((variance * count / (count - 1).clamp(min=1)).squeeze(1), momentum)
    normalised: Tensor = found
    return normalised


def _range(length: int, like: Tensor) -> Tensor:
    """Return 0 ... length - 1 of the device and type of another tensor."""
    return torch.arange(length, device=like.device, dtype=like.dtype)
