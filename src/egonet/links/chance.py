"""How many neighbors two nodes of some degrees share by chance, which an explanation compares with."""

import numpy as np

from egonet.typing import Floats, Int64s

#: Rounds after which the solution is close enough; most graphs need fewer.
_ROUNDS, _CLOSE = 100, 1e-6
#: More different degrees are merged into about this many, each with those within one or two percent.
_MOST_CLASSES = 600


def expected_common(degrees: Int64s, first: int, second: int) -> float:
    """Return how many neighbors two nodes of some degrees share on average in random graphs with all these degrees.

    Two nodes with the numbers x and y are neighbors with probability x y / (1 + x y), so that every edge exists at most
    once. The numbers are those for which every node has its degree on average (Park and Newman 2004).

    Examples
    --------
    In a cycle of five nodes, any two are neighbors with probability one half, so each of three others is shared with
    probability one fourth.

    >>> round(expected_common(np.full(5, 2), 2, 2), 3)
    0.75
    """
    if not first or not second:
        return 0.0
    classes, sizes = np.unique(degrees[degrees > 0], return_counts=True)
    limits = classes if len(classes) <= _MOST_CLASSES else np.geomspace(1, classes[-1], _MOST_CLASSES)
    place = np.searchsorted(limits, classes)
    used, merged = np.unique(place, return_inverse=True)
    totals: Floats = np.bincount(merged, sizes).astype(np.float64)
    means = np.bincount(merged, sizes * classes) / totals
    probabilities = _edge_probabilities(means, totals)
    u, v = np.searchsorted(used, np.searchsorted(limits, [first, second]))
    both = probabilities[u] * probabilities[v]
    return float(max(both @ totals - both[u] - both[v], 0.0))  # without the two nodes themselves


def _edge_probabilities(classes: Floats, sizes: Floats) -> Floats:
    """Return the probability of an edge between nodes of every two degrees, (num_classes, num_classes)."""
    numbers = classes / np.sqrt(classes @ sizes)
    for _ in range(_ROUNDS):
        products = np.outer(numbers, numbers)
        others = (numbers / (1 + products)) @ sizes - numbers / (1 + numbers**2)
        new = classes / np.maximum(others, 1e-300)
        new = np.sqrt(new * numbers)  # a mean of both, since the round alone may overshoot
        is_close = np.abs(new / numbers - 1).max() < _CLOSE
        numbers = np.minimum(new, 1e9)
        if is_close:
            break
    products = np.outer(numbers, numbers)
    probabilities: Floats = products / (1 + products)
    return probabilities
