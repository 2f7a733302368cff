"""A key (distance, degree fields, label) as one number whose order is the order of the keys."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from egonet.errors import InputError
from egonet.types import DEGREE_FIELDS, Degrees, Int32s, Int64s

#: Codes below this are held in 32 bits, and counted in an array with a place for every code.
NARROW = 2**31 - 1
_KINDS: dict[Degrees, int] = {"total": 0, "layered": 1, "full": 2}


@dataclass(frozen=True)
class Codec:
    """Mixed radix: each field is smaller than its base, so codes compare as keys do, field by field.

    Attributes
    ----------
    degrees
        Which degree fields a key has.
    limit
        The largest degree; larger ones are counted as it.
    num_labels
        One more than the largest label, or 0 for keys without labels.
    num_distances
        One more than the largest distance.
    """

    degrees: Degrees
    limit: int
    num_labels: int
    num_distances: int

    @property
    def base(self) -> int:
        """Return how many values a degree field has."""
        return self.limit + 1

    @property
    def kind(self) -> int:
        """Return the number of the kind of degrees, as the kernels know it."""
        return _KINDS[self.degrees]

    @property
    def num_fields(self) -> int:
        """Return how many degrees a key has."""
        return DEGREE_FIELDS[self.degrees]

    @property
    def width(self) -> int:
        """Return how many numbers a key has."""
        return 1 + self.num_fields + (self.num_labels > 0)

    @cached_property
    def range(self) -> int:
        """Return one more than the largest code."""
        return int(self.num_distances * self.base**self.num_fields * max(self.num_labels, 1))

    def decode(self, codes: Int64s) -> Int64s:
        """Return the keys of codes, a row each.

        Examples
        --------
        >>> Codec("total", 9, 0, 3).decode(np.array([3, 11, 29])).tolist()
        [[0, 3], [1, 1], [2, 9]]
        """
        keys = np.empty((len(codes), self.width), dtype=np.int64)
        rest = codes.astype(np.int64)
        if self.num_labels:
            rest, keys[:, -1] = np.divmod(rest, self.num_labels)
        for field in range(self.num_fields, 0, -1):
            rest, keys[:, field] = np.divmod(rest, self.base)
        keys[:, 0] = rest
        return keys


def make_codec(
    num_nodes: int,
    largest_degree: int,
    radius: int,
    *,
    degrees: Degrees,
    max_degree: int | None,
    labels: Int32s | None,
) -> Codec:
    """Return the codec of a graph and settings.

    Raises
    ------
    InputError
        If a code does not fit 63 bits.
    """
    limit = largest_degree if max_degree is None else min(largest_degree, max_degree)
    num_labels = 0 if labels is None else int(labels.max(initial=0)) + 1
    codec = Codec(degrees, limit, num_labels, min(radius, max(num_nodes - 1, 0)) + 1)
    if codec.range >= 2**63:
        raise InputError(
            "keys must fit 63 bits, but radius, largest degree and labels of this graph need more. "
            "Set max_degree (or a smaller radius) to make them shorter."
        )
    return codec
