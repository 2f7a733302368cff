"""What is counted around a pair of nodes, and the columns that are known before any pair is seen."""

from dataclasses import dataclass
from typing import ClassVar, get_args

import numpy as np

from egonet.encoding.settings import Settings, one_of
from egonet.errors import InputError
from egonet.typing import Direction, Int64s

#: More columns would take gigabytes for their keys and names.
MOST_GRID_COLUMNS = 10**6


@dataclass(frozen=True, repr=False)
class PairSettings(Settings):
    """What is counted around every pair (u, v).

    Attributes
    ----------
    radius, max_degree, degree_bins, labels, edge_labels, weight_bins
        As in `Settings`; the fields of `Settings` that are not named here keep their defaults.
    without_edge
        Whether the edge between u and v, if there is one, is left out of the graph first.
    ordered
        Whether the distance from u comes before the distance from v; otherwise the smaller one comes first.
    directed
        The direction of the graph: None (undirected), "out" or "in". `encode_pairs` sets it.

    Examples
    --------
    >>> PairSettings(1, degree_bins="log").field_names
    ('distance', 'distance', 'deg')
    """

    without_edge: bool = True
    ordered: bool = False
    directed: Direction | None = None
    flags: ClassVar[tuple[str, ...]] = (*Settings.flags, "without_edge", "ordered")

    def __post_init__(self) -> None:
        """Validate every setting."""
        super().__post_init__()
        if self.directed is not None:
            one_of("directed", self.directed, get_args(Direction))

    @property
    def field_names(self) -> tuple[str, ...]:
        """Return the names of the numbers of a key, after its radius."""
        return ("distance", "distance", "deg", *(("label",) if self.has_labels else ()))

    @property
    def num_distances(self) -> int:
        """Return how many numbers of a key are distances."""
        return 2


def grid_keys(settings: PairSettings) -> Int64s:
    """Return every key that some pair of some graph may have, with the radius in front; it needs a max_degree.

    Examples
    --------
    >>> grid_keys(PairSettings(0, max_degree=1)).tolist()
    [[0, 0, 1, 0], [0, 0, 1, 1]]
    """
    if settings.has_labels:
        raise InputError("the columns of labels are learned from pairs. Give a vocabulary.")
    if settings.max_degree is None:
        raise InputError("the columns are known before any pair is seen only with max_degree. Give it.")
    degrees = [0, *_bins(settings.max_degree)] if settings.degree_bins else range(settings.max_degree + 1)
    keys = []
    for radius in radii_of(settings):
        if (radius + 2) ** 2 * len(degrees) > MOST_GRID_COLUMNS:
            raise InputError(
                f"columns for every distance and degree are at most {MOST_GRID_COLUMNS:,}. "
                'Use a smaller radius or max_degree, or degree_bins="log".'
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


def _bins(max_degree: int) -> list[int]:
    """Return the lowest degree of every bin up to a degree: 1, 2, 4, ..."""
    return [1 << power for power in range(max_degree.bit_length())]
