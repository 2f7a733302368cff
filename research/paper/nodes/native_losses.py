"""The native steps of learning on the CPU as torch functions: sparse products, and losses of pairs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from egonet.embeddings import LossAndGradients, add_pairs, add_separate, multiply_sparse
from egonet.typing import Counts, Float32s


class SparseRows:
    """A fixed sparse matrix, to be multiplied with tables that learn."""

    def __init__(self, matrix: Counts) -> None:
        self.indptr = matrix.indptr.astype(np.int64)
        self.indices = matrix.indices.astype(np.int32)
        self.values = matrix.data.astype(np.float32)

    def __matmul__(self, table: Tensor) -> Tensor:
        """Return the product with a dense float32 matrix; not followed by autograd."""
        dense = table.detach().contiguous().numpy()
        threads = torch.get_num_threads()
        return torch.from_numpy(multiply_sparse(self.indptr, self.indices, self.values, dense, threads))


def native_pair_losses(
    vectors: tuple[Tensor, Tensor],
    row_of: Tensor,
    line: Tensor,
    segments: Tensor,
    others: Tensor,
    window: int,
) -> tuple[Tensor, Tensor]:
    """Return what `pair_losses` returns, from one pass that finds losses and gradients together."""
    places = (row_of.numpy(), segments.contiguous().numpy(), others.contiguous().numpy())
    threads = min(torch.get_num_threads(), max(len(others), 1))

    def find(tables: tuple[Float32s, Float32s], line: tuple[float, float]) -> LossAndGradients:
        return add_pairs(tables, *places, window, line, threads)

    found: tuple[Tensor, Tensor] = _Losses.apply(*vectors, line, find)  # type: ignore[no-untyped-call]
    return found


def native_separate_losses(
    vectors: tuple[Tensor, Tensor], row_of: Tensor, line: Tensor, pairs: Tensor, others: Tensor
) -> tuple[Tensor, Tensor]:
    """Return what `separate_losses` returns, from one pass that finds losses and gradients together."""
    there = (pairs >= 0).all(dim=1)
    rows = row_of[torch.cat([pairs.clamp(min=0), others], dim=1)]
    ours, theirs = torch.where(there, rows[:, 0], -1).numpy(), rows[:, 1:].contiguous().numpy()
    threads = min(torch.get_num_threads(), max(len(pairs), 1))

    def find(tables: tuple[Float32s, Float32s], line: tuple[float, float]) -> LossAndGradients:
        return add_separate(tables, ours, theirs, line, threads)

    found: tuple[Tensor, Tensor] = _Losses.apply(*vectors, line, find)  # type: ignore[no-untyped-call]
    return found


def native_single_losses(
    vectors: tuple[Tensor, Tensor], row_of: Tensor, line: Tensor, pairs: Tensor, met: Tensor
) -> tuple[Tensor, Tensor]:
    """Return what `single_losses` returns: a pair that did not meet is one that did, with the line turned round."""
    none = pairs.new_empty((len(pairs), 0))
    near = native_separate_losses(vectors, row_of, line, pairs[met], none[met])
    far = native_separate_losses(vectors, row_of, -line, pairs[~met], none[~met])
    return near[0] + far[0], near[1] + far[1]


class _Losses(torch.autograd.Function):
    """The summed loss and the number of pairs; gradients are there as soon as the loss is."""

    @staticmethod
    def forward(
        ctx: Any, sources: Tensor, contexts: Tensor, line: Tensor, find: Callable[..., LossAndGradients]
    ) -> tuple[Tensor, Tensor]:
        ours = sources.detach().contiguous().numpy()
        theirs = ours if contexts is sources else contexts.detach().contiguous().numpy()
        loss, weight, by_scale, by_shift, first, second = find((ours, theirs), tuple(line.tolist()))
        ctx.one_table = theirs is ours
        ctx.save_for_backward(
            torch.from_numpy(first), torch.from_numpy(second), torch.tensor([by_scale, by_shift])
        )
        total, count = torch.tensor(loss, dtype=torch.float32), torch.tensor(weight, dtype=torch.float32)
        ctx.mark_non_differentiable(count)
        return total, count

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        first, second, line = ctx.saved_tensors
        factor = gradients[0]
        # One table has one gradient, which holds both parts.
        return first * factor, None if ctx.one_table else second * factor, line * factor, None
