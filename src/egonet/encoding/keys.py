"""Keys as rows of whole numbers: finding the distinct ones."""

import numpy as np

from egonet.typing import Int64s


def distinct_keys(keys: Int64s) -> tuple[Int64s, Int64s]:
    """Return the distinct keys in lexicographic order, and for every key its place among them."""
    if not len(keys):
        return keys, np.empty(0, dtype=np.int64)
    order = np.lexsort(keys.T[::-1])
    ordered = keys[order]
    starts = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    places = np.empty(len(keys), dtype=np.int64)
    places[order] = np.cumsum(starts) - 1
    return ordered[starts], places
