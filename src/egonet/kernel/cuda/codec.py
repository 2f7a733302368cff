"""A key (distance, degree fields, label) as one number whose order is the order of the keys."""

import numpy as np

from egonet.errors import InputError
from egonet.typing import DEGREE_FIELDS, Degrees, Int32s, Int64s

#: Codes below this have 32 bits.
NARROW = 2**31 - 1
_KINDS: dict[Degrees, int] = {"total": 0, "layered": 1, "full": 2}


class Codec:
    """Mixed radix: each field is smaller than its base, so codes compare as keys do, field by field.

    Attributes
    ----------
    limit
        The largest degree; larger degrees are counted as this one.
    num_labels
        One more than the largest label, or 0 for keys without labels.
    base
        The number of values of a degree field.
    kind
        The kind of degrees as a number: 0 total, 1 layered, 2 full.
    num_fields
        The number of degree fields of a key.
    range
        One more than the largest code.
    """

    __slots__ = ("base", "kind", "limit", "num_fields", "num_labels", "range")

    def __init__(self, degrees: Degrees, limit: int, num_labels: int, num_distances: int) -> None:
        """Compute the fields; `num_distances` is one more than the largest distance."""
        self.limit, self.num_labels, self.base = limit, num_labels, limit + 1
        self.kind, self.num_fields = _KINDS[degrees], DEGREE_FIELDS[degrees]
        self.range = int(num_distances * self.base**self.num_fields * (num_labels or 1))

    def decode(self, codes: Int64s) -> Int64s:
        """Return the keys of codes, a row each.

        Examples
        --------
        >>> Codec("total", 9, 0, 3).decode(np.array([3, 11, 29])).tolist()
        [[0, 3], [1, 1], [2, 9]]
        """
        width = 1 + self.num_fields + (self.num_labels > 0)
        keys = np.empty((len(codes), width), dtype=np.int64)
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
