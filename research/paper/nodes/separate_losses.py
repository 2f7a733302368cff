"""Losses of pairs that share nothing: every pair has its own negatives, and gradients are summed row by row."""

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor


def separate_losses(
    vectors: tuple[Tensor, Tensor], row_of: Tensor, line: Tensor, pairs: Tensor, others: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the summed loss of pairs, each with its own negatives, and how many there are of both.

    Parameters
    ----------
    vectors
        Source and context vectors, (num_rows, dim) each; the same tensor if there is one table.
    row_of, line
        The row of every node; a and b.
    pairs
        int64 (num_pairs, 2): source and context; a pair that has -1 counts nothing, nor do its negatives.
    others
        int64 (num_pairs, count): negatives.

    Examples
    --------
    Vectors without length: every loss is ln 2.

    >>> zeros, line = torch.zeros(3, 2), torch.tensor([1.0, 0.0])
    >>> pairs, others = torch.tensor([[0, 1], [-1, -1]]), torch.tensor([[2, 2], [2, 2]])
    >>> loss, weight = separate_losses((zeros, zeros), torch.arange(3), line, pairs, others)
    >>> round(float(loss), 4), float(weight)
    (2.0794, 3.0)
    """
    ends = pairs.clamp(min=0)
    ours, theirs = row_of[ends[:, 0]], row_of[torch.cat([ends[:, 1:], others], dim=1)]
    wanted = F.pad(line.new_ones(1), (0, others.shape[1]))
    return _losses(vectors, line, ours, theirs, wanted, pairs)


def single_losses(
    vectors: tuple[Tensor, Tensor], row_of: Tensor, line: Tensor, pairs: Tensor, met: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the summed loss of pairs of which each either met in a walk or did not, and how many there are.

    Parameters
    ----------
    vectors, row_of, line
        As for `separate_losses`.
    pairs
        int64 (num_pairs, 2): source and context; a pair that has -1 counts nothing.
    met
        bool (num_pairs,): whether a pair is one of a walk.

    Examples
    --------
    >>> zeros, line = torch.zeros(3, 2), torch.tensor([1.0, 0.0])
    >>> pairs, met = torch.tensor([[0, 1], [2, 1], [-1, -1]]), torch.tensor([True, False, False])
    >>> loss, weight = single_losses((zeros, zeros), torch.arange(3), line, pairs, met)
    >>> round(float(loss), 4), float(weight)
    (1.3863, 2.0)
    """
    rows = row_of[pairs.clamp(min=0)]
    return _losses(vectors, line, rows[:, 0], rows[:, 1:], met[:, None].to(line.dtype), pairs)


def _losses(
    vectors: tuple[Tensor, Tensor], line: Tensor, ours: Tensor, theirs: Tensor, wanted: Tensor, pairs: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the summed loss of sources with their contexts, and how many there are, without those that are none."""
    there = (pairs >= 0).all(dim=1, keepdim=True).to(line.dtype)
    loss: Tensor = _SeparateLosses.apply(*vectors, line, ours, theirs, wanted, there)  # type: ignore[no-untyped-call]
    return loss, there.sum() * theirs.shape[1]


class _SeparateLosses(torch.autograd.Function):
    """The summed loss; gradients are found with it, so that no matrix as long as the batch is written twice."""

    @staticmethod
    def forward(
        ctx: Any,
        sources: Tensor,
        contexts: Tensor,
        line: Tensor,
        ours: Tensor,
        theirs: Tensor,
        wanted: Tensor,
        there: Tensor,
    ) -> Tensor:
        products = _products(sources[ours], contexts[theirs])
        logits = products * line[0] + line[1]
        losses = F.softplus(logits) - logits * wanted
        slopes = (torch.sigmoid(logits) - wanted) * there
        by_line = torch.stack([(slopes * products).sum(), slopes.sum()])
        factors = (slopes * line[0]).reshape(-1)
        source_row, context_row = ours.repeat_interleave(theirs.shape[1]), theirs.reshape(-1)
        ctx.one_table = sources is contexts
        if ctx.one_table:
            to = torch.cat([source_row, context_row])
            found = [sum_rows(sources, to, torch.cat([context_row, source_row]), factors.repeat(2))]
        else:
            found = [
                sum_rows(contexts, source_row, context_row, factors),
                sum_rows(sources, context_row, source_row, factors),
            ]
        ctx.save_for_backward(by_line, *found)
        return (losses * there).sum()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        by_line, *found = ctx.saved_tensors
        second = None if ctx.one_table else found[1] * gradients[0]
        return found[0] * gradients[0], second, by_line * gradients[0], None, None, None, None


def _products(sources: Tensor, contexts: Tensor) -> Tensor:
    """Return the product of every source with each of its contexts, (num_pairs, count)."""
    if contexts.shape[1] == 1:
        return (sources * contexts.squeeze(1)).sum(1, keepdim=True)
    return torch.bmm(contexts, sources.unsqueeze(2)).squeeze(2)


def sum_rows(table: Tensor, to: Tensor, rows: Tensor, factors: Tensor) -> Tensor:
    """Return a table of the same shape: row r is the sum of factor * table[row] over all entries that go to r.

    Entries are sorted first and each row adds its own in order, so the sum is the same every time.

    Examples
    --------
    >>> table = torch.tensor([[1.0], [10.0]])
    >>> sum_rows(table, torch.tensor([1, 0, 1]), torch.tensor([0, 1, 1]), torch.tensor([2.0, 1.0, 0.5])).tolist()
    [[10.0], [7.0]]
    """
    ordered, order = torch.sort(to.int(), stable=True)
    starts = torch.searchsorted(ordered, torch.arange(len(table) + 1, device=to.device, dtype=torch.int32))
    return F.embedding_bag(
        rows[order], table, starts, mode="sum", per_sample_weights=factors[order], include_last_offset=True
    )
