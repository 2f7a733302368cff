"""The definition of sums and walks around pairs in plain Python, which their kernel must equal."""

import numpy as np

from egonet.kernel.reference import Neighbors, _neighbors
from egonet.kernel.reference_pairs import without_arcs
from egonet.typing import Floats, Int32s, Int64s


def sum_links(
    indptr: Int64s,
    indices: Int32s,
    pairs: Int64s,
    radius: int,
    weights: Int64s,
    *,
    without_edge: bool = True,
    walks: bool = False,
) -> tuple[Int64s, Floats]:
    """Return sums of weights by both distances around every pair, and walks between its ends.

    A path 0-1-2, the pair of its ends: the middle is next to both, and half of the walks of two steps from one end
    are at the other.

    >>> indptr, indices = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], dtype=np.int32)
    >>> ones = np.ones((3, 1), dtype=np.int64)
    >>> sums, walked = sum_links(indptr, indices, np.array([[0, 2]]), 1, ones, walks=True)
    >>> sums[0, :, :, 0].tolist(), walked.tolist()
    ([[0, 0, 1], [0, 1, 0], [1, 0, 0]], [[0.5]])
    """
    neighbors = _neighbors(indptr, indices)
    far = radius + 1
    sums = np.zeros((len(pairs), radius + 2, radius + 2, weights.shape[1]), dtype=np.int64)
    walked = np.zeros((len(pairs), 2 * radius - 1 if walks else 0))
    for row, (u, v) in enumerate(pairs.tolist()):
        left = without_arcs(neighbors, u, v, None) if without_edge else neighbors
        from_u, mass_u = walk_from(left, u, radius)
        from_v, mass_v = walk_from(left, v, radius)
        for x in from_u.keys() | from_v.keys():
            sums[row, from_u.get(x, far), from_v.get(x, far)] += weights[x]
        for step in range(walked.shape[1]):
            first, second = mass_u[(step + 3) // 2], mass_v[(step + 2) // 2]
            # One addition after the other: `sum` rounds differently from Python 3.12 on.
            for x in from_v:
                if first.get(x, 0.0) * second.get(x, 0.0):
                    walked[row, step] += first[x] * second[x] / len(left[x])
    return sums, walked


def walk_from(neighbors: Neighbors, root: int, radius: int) -> tuple[dict[int, int], list[dict[int, float]]]:
    """Return the distance of every node within the radius, as discovered, and where walks of every length are."""
    distance, mass = {root: 0}, [{root: 1.0}]
    for step in range(1, radius + 1):
        here: dict[int, float] = {}
        for x in list(distance):
            if x not in mass[-1]:
                continue
            for w in neighbors[x]:
                here[w] = here.get(w, 0.0) + mass[-1][x] / len(neighbors[x])
                distance.setdefault(w, step)
        mass.append(here)
    return distance, mass
