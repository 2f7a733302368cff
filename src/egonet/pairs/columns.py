"""Columns of pairs that do not depend on the pairs: one for every key up to a largest degree."""

import numpy as np

from egonet.checks import as_whole
from egonet.encoding.schema import Schema
from egonet.encoding.settings import PairSettings, Settings
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import InputError, option
from egonet.graph.graph import MAX_NODES
from egonet.typing import Int64s

#: More columns would take gigabytes for their keys and names.
MOST_GRID_COLUMNS = 10**6


def grid_columns(settings: PairSettings) -> Vocabulary:
    """Return the same columns for the pairs of every undirected graph.

    >>> grid_columns(PairSettings(0, max_degree=1)).feature_names
    ['r0_d0_d1_deg0', 'r0_d0_d1_deg1plus']
    """
    return Vocabulary(Schema(settings, directed=None), grid_keys(settings))


def grid_keys(settings: PairSettings) -> Int64s:
    """Return every key that a pair of any graph may have, after its radius; this needs a max_degree.

    >>> grid_keys(PairSettings(0, max_degree=1)).tolist()
    [[0, 0, 1, 0], [0, 0, 1, 1]]
    """
    if settings.degrees != "total":
        raise InputError(
            f"columns for every graph count total degrees, got {option('degrees', settings.degrees)}. "
            "Give a vocabulary, or learn columns: from_data, from_dataset."
        )
    if settings.max_degree is None:
        raise InputError("columns for every graph need a largest degree. Give max_degree.")
    largest = as_whole("max_degree", settings.max_degree, most=MAX_NODES)
    bins = [0, *(1 << power for power in range(largest.bit_length()))]  # 0, 1, 2, 4, ...
    degrees = bins if settings.degree_bins else range(largest + 1)
    keys: list[tuple[int, ...]] = []
    if settings.ends_distance is not None:
        if settings.ends_distance > MOST_GRID_COLUMNS:
            raise InputError(
                f"columns for every distance of the ends are at most {MOST_GRID_COLUMNS:,}, "
                f"got {option('ends_distance', settings.ends_distance)}. Use a smaller one."
            )
        keys = [(radii_of(settings)[0], 0, 0, length) for length in range(1, settings.ends_distance + 1)]
    for radius in radii_of(settings):
        if (count := (radius + 2) ** 2 * len(degrees)) > MOST_GRID_COLUMNS:
            raise InputError(
                f"columns for every distance and degree are at most {MOST_GRID_COLUMNS:,}, got {count:,}. "
                f"Use a smaller radius or max_degree, or {option('degree_bins', 'log')}."
            )
        for first in range(radius + 2):
            # Both ends are different nodes, and every node is within the radius of one of them.
            seconds = range(0 if settings.ordered else first, radius + 2)
            pairs = [(first, second) for second in seconds if first != second or 0 < first <= radius]
            keys += [(radius, *pair, degree) for pair in pairs for degree in degrees]
    return np.array(keys, dtype=np.int64).reshape(-1, 4)


def radii_of(settings: Settings) -> tuple[int, ...]:
    """Return the radii of settings; a type checker does not see that those of a subclass are a tuple."""
    return settings.radius
