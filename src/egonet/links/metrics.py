"""How well scores rank links: hits at k, and the mean reciprocal rank."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from egonet.checks import as_whole
from egonet.errors import InputError, show_value
from egonet.graph.columns import as_numpy
from egonet.typing import Floats


def mean_reciprocal_rank(positive: ArrayLike, negative: ArrayLike) -> float:
    """Return the mean of 1 / rank of every link among its negatives; ties have the middle rank.

    Parameters
    ----------
    positive
        The scores of links, (num_links,).
    negative
        The scores of non-links: (num_links, num_negatives), row i for link i; or (num_negatives,), the same for all.

    Examples
    --------
    The first link has rank 1; the second is level with one of its two negatives and below none, rank 1.5.

    >>> mean_reciprocal_rank([3.0, 2.0], [[1.0, 2.0], [2.0, 0.0]])
    0.8333333333333333
    """
    return float(np.mean(1 / ranks_among(positive, negative)))


def hits_at(k: int, positive: ArrayLike, negative: ArrayLike) -> float:
    """Return the share of links whose rank among their negatives is at most k; ties have the middle rank.

    Parameters
    ----------
    k
        A whole number >= 1.
    positive, negative
        As for `mean_reciprocal_rank`.

    Examples
    --------
    >>> hits_at(1, [3.0, 2.0], [[1.0, 2.0], [2.0, 0.0]])
    0.5
    """
    most = as_whole("k", k, least=1)
    return float(np.mean(ranks_among(positive, negative) <= most))


def ranks_among(positive: ArrayLike, negative: ArrayLike) -> Floats:
    """Return the rank of every link among its negatives: 1, plus the higher ones, plus half of the equal ones."""
    first = _scores("positive", positive)
    second = _scores("negative", negative)
    if first.ndim != 1 or not len(first):
        raise InputError(f"positive must be one score per link, got shape {first.shape}.")
    if not second.size:
        raise InputError("negative must have at least one score, got none. A rank is among non-links.")
    if second.ndim == 1:
        ordered = np.sort(second)
        not_higher = np.searchsorted(ordered, first, "right")
        equal = not_higher - np.searchsorted(ordered, first, "left")
        return 1.0 + (len(second) - not_higher) + equal / 2
    if second.ndim != 2 or len(second) != len(first):
        raise InputError(
            f"negative must be one row of scores per link, {len(first):,} rows, or one row for all, "
            f"got shape {second.shape}."
        )
    here = first[:, None]
    positions: Floats = 1.0 + (second > here).sum(axis=1) + (second == here).sum(axis=1) / 2
    return positions


def _scores(name: str, values: Any) -> Floats:
    try:
        array = np.asarray(as_numpy(values))
        scores = array.astype(np.float64, casting="unsafe" if array.dtype.kind == "O" else "same_kind")
    except (TypeError, ValueError):
        raise InputError(f"{name} must be scores, one number each, got {show_value(values)}.") from None
    if not np.isfinite(scores).all():
        number = int((~np.isfinite(scores)).sum())
        raise InputError(f"{name} must be finite scores, got {number:,} of {scores.size:,} that are not.")
    return scores
