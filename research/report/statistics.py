"""The statistics of the report: intervals, paired and unpaired tests, Holm's correction, effect sizes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from egonet.errors import InputError


@dataclass(frozen=True)
class Summary:
    """Mean, standard deviation over seeds, and the 95 % confidence interval of the mean."""

    mean: float
    spread: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Difference:
    """A paired difference: its mean and interval, the p-value of a paired t-test, and Cohen's d."""

    mean: float
    low: float
    high: float
    p_value: float
    effect: float


def summarize(scores: Sequence[float]) -> Summary:
    """Return the mean of some scores with its spread and interval.

    Examples
    --------
    >>> found = summarize([1.0, 2.0, 3.0])
    >>> found.mean, found.spread, round(found.high, 3)
    (2.0, 1.0, 4.484)
    """
    values = np.asarray(scores, dtype=np.float64)
    mean = float(values.mean())
    if len(values) == 1:
        return Summary(mean, 0.0, mean, mean, 1)
    spread = float(values.std(ddof=1))
    half = float(stats.t.ppf(0.975, len(values) - 1)) * spread / math.sqrt(len(values))
    return Summary(mean, spread, mean - half, mean + half, len(values))


def paired(first: Sequence[float], second: Sequence[float]) -> Difference:
    """Return how much `first` exceeds `second`, pair by pair.

    Examples
    --------
    >>> found = paired([3.0, 4.0, 6.0], [1.0, 3.0, 4.0])
    >>> round(found.mean, 3), round(found.p_value, 3)
    (1.667, 0.038)
    """
    if len(first) != len(second):
        raise InputError(f"a paired test needs equally many scores, got {len(first)} and {len(second)}.")
    gaps = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    summary = summarize(gaps.tolist())
    if summary.spread == 0.0:
        certain = 1.0 if summary.mean == 0.0 else 0.0
        return Difference(
            summary.mean,
            summary.mean,
            summary.mean,
            certain,
            math.copysign(math.inf, summary.mean) if summary.mean else 0.0,
        )
    t = summary.mean / (summary.spread / math.sqrt(summary.count))
    p_value = 2.0 * float(stats.t.sf(abs(t), summary.count - 1))
    return Difference(summary.mean, summary.low, summary.high, p_value, summary.mean / summary.spread)


def unpaired_p_value(
    first: tuple[float, float, int], second: tuple[float, float, int], *, equal_variances: bool = True
) -> float:
    """Return the two-sided p-value of a t-test from (mean, standard deviation, count) of both sides.

    Examples
    --------
    IGEL against GSN on Mutag, from the paper's Table 2.

    >>> round(unpaired_p_value((92.50, 1.18, 10), (92.2, 7.5, 10)), 2)
    0.9
    """
    found = stats.ttest_ind_from_stats(*first, *second, equal_var=equal_variances)
    return float(found.pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for how many there are, by Holm's step-down method.

    Examples
    --------
    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values)
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order.tolist()):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = largest
    return corrected
