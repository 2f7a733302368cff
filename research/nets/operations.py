"""The operations the networks are made of: linear maps per replica, sums over neighbors, pooling, batch norm.

Rows are packed: (M, R, C) is replica, row, channel; flat row numbers are m * R + r. Sums over neighbors read
a table of slots and have a backward pass of the same form, so nothing is added atomically and every run of
the same batch gives the same bytes.
"""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

from research.nets.edges import EdgeBatch
from research.nets.store import PADDING_PARTS, Batch

_SUM = 0
_MASKED = -1e30
#: PyTorch's defaults of batch norm.
_MOMENTUM, _EPSILON = 0.1, 1e-5
#: The number of blocks of rows that keeps a GPU busy, and the smallest number of rows of a block.
_MANY = 256
_TALL = 256


#: Activations by name.
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": torch.relu, "elu": F.elu, "tanh": torch.tanh}


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return x W + b with the weights of each replica: (M, R, I), (M, I, O), (M, O) → (M, R, O)."""
    if _blocks(x) > 1:
        found: Tensor = _Tall.apply(x, weight, bias)  # type: ignore[no-untyped-call]
        return found
    return _map(x, weight, bias)


def _map(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return x W + b by PyTorch's batched products."""
    return torch.bmm(x, weight) if bias is None else torch.baddbmm(bias.unsqueeze(1), x, weight)


class _Tall(torch.autograd.Function):
    """x W + b for few replicas of many rows: the gradient of W is summed block by block, so that all cores work."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bias is not None
        return _map(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, Tensor, Tensor | None]:
        x, weight = ctx.saved_tensors
        grad, blocks = grads[0].contiguous(), _blocks(x)
        cut = [a.reshape(len(x) * blocks, -1, a.shape[2]) for a in (x, grad)]
        to_weight = torch.bmm(cut[0].transpose(1, 2), cut[1]).view(len(x), blocks, *weight.shape[1:]).sum(1)
        to_x = torch.bmm(grad, weight.transpose(1, 2)) if ctx.needs_input_grad[0] else None
        return to_x, to_weight, grad.sum(1) if ctx.has_bias else None


def _blocks(x: Tensor) -> int:
    """Return the number of blocks that the rows of each replica are divided into, a power of two that divides them."""
    blocks = 1
    while x.shape[0] * blocks < _MANY and x.shape[1] % (2 * blocks) == 0 and x.shape[1] >= 2 * blocks * _TALL:
        blocks *= 2
    return blocks


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
    """Return Σ over slots of weight times neighbor's row; every weight is one if the batch has none."""
    flat = x.reshape(-1, x.shape[2])
    found: Tensor = _Propagate.apply(flat, batch.table, batch.weights, batch.padding)  # type: ignore[no-untyped-call]
    return found.view(x.shape)


def chebyshev(x: Tensor, batch: Batch, hops: int) -> Tensor:
    """Return T_0 x, ..., T_(hops - 1) x concatenated, T Chebyshev's polynomials of `propagate`: (M, R, hops * C)."""
    terms = [x, propagate(x, batch)]
    for _ in range(2, hops):
        terms.append(2.0 * propagate(terms[-1], batch) - terms[-2])
    return torch.cat(terms[:hops], dim=2)


class _Gather(torch.autograd.Function):
    """The rows of all slots; its transpose sums each row's copies through the reverse slots."""

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
    """Return (M * R, D, C): the row of every slot; the row of a slot without a neighbor must get weight zero."""
    found: Tensor = _Gather.apply(x.reshape(-1, x.shape[-1]), batch)  # type: ignore[no-untyped-call]
    return found


def attention(h: Tensor, source: Tensor, target: Tensor, batch: Batch, slope: float) -> Tensor:
    """Return per row and head the sum of its slots' rows, weighted by the softmax of leaky(source + target).

    `h` is (M * R, H * F), `source` and `target` are (M * R, H); rows without a slot give zeros.
    """
    if _is_fused(h):
        from research.nets import fused

        return fused.attention(h, source, target, batch.table, batch.used, slope)
    logits = F.leaky_relu(gather(source, batch) + target.unsqueeze(1), slope)
    none = (batch.table == batch.padding).unsqueeze(2)
    weights = torch.softmax(logits.masked_fill(none, _MASKED), dim=1).masked_fill(none, 0.0)
    rows = gather(h, batch).view(*weights.shape, -1)
    return (weights.unsqueeze(3) * rows).sum(1).view(h.shape)


def support_sums(x: Tensor, supports: Tensor, edges: EdgeBatch, batch: Batch) -> Tensor:
    """Return (M * R, S, C): for every support of every row the weighted sum of its slots' rows.

    `x` is (M * R, C) and `supports` (M * E, S), zero where there is no edge.
    """
    if _is_fused(x):
        from research.nets import fused

        return fused.support_sums(x, supports, edges.ends, batch.table, edges.of_slot, batch.used)
    by_slot = supports.index_select(0, edges.of_slot.view(-1)).view(*batch.table.shape, -1)
    return torch.bmm(by_slot.transpose(1, 2), gather(x, batch))


def activate(x: Tensor, bias: Tensor, kind: str) -> Tensor:
    """Return the activation of x + b, by its name, with the bias of each replica: (M, R, C), (M, C)."""
    return ACTIVATIONS[kind](x + bias.unsqueeze(1))


def gates(x: Tensor) -> Tensor:
    """Return (M, E, 2 C) of (M, E, 3 C): relu of the first part, then the product of the tanh of the others."""
    first, second, third = x.chunk(3, dim=2)
    return torch.cat([torch.relu(first), torch.tanh(second) * torch.tanh(third)], dim=2)


def _is_fused(x: Tensor) -> bool:
    """Return whether a Triton kernel is used: on a GPU, if Triton is installed."""
    return x.is_cuda and find_spec("triton") is not None


@torch.no_grad()
def adam_step(values: Tensor, grad: Tensor, moments: list[Tensor], steps: Tensor, rate: float) -> None:
    """Update values, both moments and the number of steps in place: one step of Adam with PyTorch's settings."""
    steps.add_(1)
    mean, square = moments
    mean.lerp_(grad, 0.1)
    square.mul_(0.999).addcmul_(grad, grad, value=0.001)
    # The share of the first zeros in both means; in double precision, because both are close to one at first.
    one, two = (1.0 - base ** steps.double() for base in (0.9, 0.999))
    values.sub_(mean * (rate / one) / (square.sqrt() / two.sqrt() + 1e-8))


class _Largest(torch.autograd.Function):
    """The maximum over each graph's rows; rows that tie share the gradient evenly.

    PyTorch's backward of this reduction shares the gradient among ties in some channels only.
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


def pool(x: Tensor, batch: Batch, kinds: Sequence[str]) -> Tensor:
    """Return the "sum", "mean" or "max" over the nodes of each graph concatenated, zero for no graph."""
    replicas, graphs = batch.sizes.shape[:2]
    total, largest = _pooled(x.reshape(-1, x.shape[2]), batch, kinds)
    found = []
    for kind in kinds:
        rows = largest if kind == "max" else total
        own = rows.view(replicas, graphs + PADDING_PARTS, -1)[:, :graphs]
        if kind == "max":
            own = torch.where(batch.sizes > 0, own, torch.zeros_like(own))
        found.append(own / batch.sizes.clamp(min=1) if kind == "mean" else own)
    return torch.cat(found, dim=2)


def _pooled(flat: Tensor, batch: Batch, kinds: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Return sum and maximum over the rows of each graph, whichever the kinds need."""
    largest: Tensor = _Largest.apply(flat, batch) if "max" in kinds else flat  # type: ignore[no-untyped-call]
    needed = any(kind != "max" for kind in kinds)
    total = torch.segment_reduce(flat, "sum", offsets=batch.offsets, axis=0, unsafe=True) if needed else flat
    return total, largest


class _Normalize(torch.autograd.Function):
    """Batch norm over the rows that are not padding, with few passes over memory."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, mask: Tensor, count: Tensor, weight: Tensor, bias: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        mean = (x * mask).sum(1, keepdim=True) / count
        centered = (x - mean).mul_(mask)
        variance = torch.linalg.vector_norm(centered, dim=1, keepdim=True).square_() / count
        inverse = torch.rsqrt(variance + _EPSILON)
        ctx.save_for_backward(centered, mask, count, weight, inverse)
        found = torch.addcmul(bias.unsqueeze(1), centered, inverse * weight.unsqueeze(1))
        moments = mean.squeeze(1), variance.squeeze(1)
        ctx.mark_non_differentiable(*moments)
        return found, *moments

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None, Tensor, Tensor]:
        centered, mask, count, weight, inverse = ctx.saved_tensors
        grad = grads[0]
        to_bias = grad.sum(1, keepdim=True)
        product = (grad * centered).sum(1, keepdim=True)
        to_x = torch.addcmul(grad, centered, product * inverse.square() / -count)
        to_x = to_x.addcmul_(mask, to_bias / -count).mul_(inverse * weight.unsqueeze(1))
        return to_x, None, None, (product * inverse).squeeze(1), to_bias.squeeze(1)


def batch_norm(
    x: Tensor,
    mask: Tensor,
    count: Tensor,
    scale: tuple[Tensor, Tensor],
    running: tuple[Tensor, Tensor],
    *,
    training: bool,
) -> Tensor:
    """Return x normalized per replica and channel over the rows that are not padding.

    `scale` is weight and bias, `running` mean and variance, all (M, C); in training the latter move towards
    those of the batch, with the unbiased variance, as PyTorch's layer does.
    """
    weight, bias = scale
    if not training:
        factor = torch.rsqrt(running[1] + _EPSILON) * weight
        return torch.addcmul((bias - running[0] * factor).unsqueeze(1), x, factor.unsqueeze(1))
    many = count.view(-1)
    found, mean, variance = _Normalize.apply(x, mask, count, weight, bias)  # type: ignore[no-untyped-call]
    with torch.no_grad():
        running[0].lerp_(mean, _MOMENTUM)
        running[1].lerp_(variance * (many / (many - 1).clamp(min=1)).unsqueeze(1), _MOMENTUM)
    normalized: Tensor = found
    return normalized
