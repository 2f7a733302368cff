"""Losses and metrics of many replicas at once; targets that were not measured are NaN and do not count."""

import torch
from torch import Tensor
from torch.nn import functional


def is_lower_better(metric: str) -> bool:
    """Return whether a smaller value of a metric is better."""
    return metric in ("mae", "rmse")


def sum_of_losses(metric: str, found: Tensor, target: Tensor) -> Tensor:
    """Return the mean loss of every replica (replicas, graphs, targets): absolute, squared, or logistic.

    Examples
    --------
    >>> found = torch.tensor([[[1.0], [2.0]]])
    >>> sum_of_losses("mae", found, torch.tensor([[[0.0], [float("nan")]]])).tolist()
    [1.0]
    """
    known = ~target.isnan()
    filled = target.nan_to_num()
    if metric == "auc":
        losses = functional.binary_cross_entropy_with_logits(found, filled, reduction="none")
    else:
        losses = (found - filled).abs() if metric == "mae" else (found - filled).square()
    return (losses * known).sum(dim=(1, 2)) / known.sum(dim=(1, 2)).clamp(min=1)


def measure(metric: str, found: Tensor, target: Tensor) -> list[float]:
    """Return the metric of every replica: `found` is (replicas, graphs, targets), `target` (graphs, targets).

    The area under the ROC curve is the mean over the targets that have both classes.

    Examples
    --------
    >>> measure("auc", torch.tensor([[[0.1], [0.9], [0.4]]]), torch.tensor([[0.0], [1.0], [1.0]]))
    [1.0]
    """
    if metric == "mae":
        return [float(value) for value in (found - target).abs().mean(dim=(1, 2))]
    if metric == "rmse":
        return [float(value) for value in (found - target).square().mean(dim=(1, 2)).sqrt()]
    areas = []
    for number in range(target.shape[1]):
        known = ~target[:, number].isnan()
        positive = target[known, number] > 0.5
        if 0 < int(positive.sum()) < len(positive):
            areas.append(area_under_curve(found[:, known, number], positive))
    return [float(value) for value in torch.stack(areas).mean(dim=0)]


def area_under_curve(scores: Tensor, positive: Tensor) -> Tensor:
    """Return the area under the ROC curve of every row of scores (replicas, items); ties count one half.

    Examples
    --------
    >>> area_under_curve(torch.tensor([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]), torch.tensor([False, True, True])).tolist()
    [1.0, 0.5]
    """
    ordered = scores.contiguous().double().sort(dim=1).values
    flat = scores.contiguous().double()
    below = torch.searchsorted(ordered, flat, right=False)
    upto = torch.searchsorted(ordered, flat, right=True)
    ranks = (below + upto + 1).double() / 2
    count = positive.sum().double()
    rest = len(positive) - count
    return ((ranks * positive).sum(dim=1) - count * (count + 1) / 2) / (count * rest)
