"""The operations the networks are made of: linear maps per replica, sums over neighbours, pooling, batch norm.

Rows are packed: (M, R, C) is replica, row, channel; flat row numbers are m * R + r. Sums over neighbours read
a table of slots and have a backward pass of the same form, so nothing is added atomically and every run of
the same batch gives the same bytes.
"""

from importlib.util import find_spec
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

from egonet.nets.store import PADDING_PARTS, Batch

_SUM = 0
_MASKED = -1e30
#: Pieces of the rows that keep a GPU busy, and rows that a piece has at least.
_MANY = 256
_TALL = 256


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return x W + b with the weights of each replica: (M, R, I), (M, I, O), (M, O) → (M, R, O)."""
    if _pieces(x) > 1:
        found: Tensor = _Tall.apply(x, weight)  # type: ignore[no-untyped-call]
        return found if bias is None else found + bias.unsqueeze(1)
    return torch.bmm(x, weight) if bias is None else torch.baddbmm(bias.unsqueeze(1), x, weight)


class _Tall(torch.autograd.Function):
    """x W for few replicas of many rows: the gradient of W is summed piece by piece, or few cores would work."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return torch.bmm(x, weight)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, Tensor]:
        x, weight = ctx.saved_tensors
        grad, pieces = grads[0].contiguous(), _pieces(x)
        cut = [a.reshape(len(x) * pieces, -1, a.shape[2]) for a in (x, grad)]
        to_weight = torch.bmm(cut[0].transpose(1, 2), cut[1]).view(len(x), pieces, *weight.shape[1:]).sum(1)
        return torch.bmm(grad, weight.transpose(1, 2)) if ctx.needs_input_grad[0] else None, to_weight


def _pieces(x: Tensor) -> int:
    """Return into how many pieces the rows of each replica are cut, a power of two that divides them."""
    pieces = 1
    while x.shape[0] * pieces < _MANY and x.shape[1] % (2 * pieces) == 0 and x.shape[1] >= 2 * pieces * _TALL:
        pieces *= 2
    return pieces


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
    flat = x.reshape(-1, x.shape[2])
    if _is_fused(x):
        from egonet.nets import fused

        weights = flat.new_ones(batch.table.shape) if batch.weights is None else batch.weights
        return fused.support_sums(flat, weights.unsqueeze(2), batch.table).view(x.shape)
    found: Tensor = _Propagate.apply(flat, batch.table, batch.weights, batch.padding)  # type: ignore[no-untyped-call]
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


def attention(h: Tensor, source: Tensor, target: Tensor, batch: Batch, slope: float) -> Tensor:
    """Return per row and head the sum of its slots' rows, weighted by the softmax of leaky(source + target).

    `h` is (M * R, H * F), `source` and `target` are (M * R, H); rows without a slot give zeros.
    """
    if _is_fused(h):
        from egonet.nets import fused

        return fused.attention(h, source, target, batch.table, slope)
    logits = F.leaky_relu(gather(source, batch) + target.unsqueeze(1), slope)
    none = (batch.table == batch.padding).unsqueeze(2)
    weights = torch.softmax(logits.masked_fill(none, _MASKED), dim=1).masked_fill(none, 0.0)
    rows = gather(h, batch).view(*weights.shape, -1)
    return (weights.unsqueeze(3) * rows).sum(1).view(h.shape)


def support_sums(x: Tensor, supports: Tensor, batch: Batch) -> Tensor:
    """Return (M * R, S, C): for every support of every row the weighted sum of its slots' rows.

    `x` is (M * R, C) and `supports` (M * R, D, S), symmetric and zero where a slot is empty.
    """
    if _is_fused(x):
        from egonet.nets import fused

        return fused.support_sums(x, supports, batch.table)
    return torch.bmm(supports.transpose(1, 2), gather(x, batch))


def _is_fused(x: Tensor) -> bool:
    """Return whether there is a kernel of our own: on a GPU where Triton is installed."""
    return x.is_cuda and find_spec("triton") is not None


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
