"""Bags of rows: how many nodes of each graph have each distinct row of the encoding."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import hstack

from egonet.encoding.encoding import Encoding
from egonet.encoding.matrix import Counts, nodes_per_column
from egonet.encoding.matrix import class_counts as class_counts
from egonet.encoding.settings import Settings, as_whole
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary
from egonet.errors import InputError
from egonet.graph.digest import mix
from egonet.typing import Int64s

#: 2**64 divided by the golden ratio, odd: multiples of it are spread evenly.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Bag:
    """The distinct rows of an encoding at one radius, and the column of each.

    Attributes
    ----------
    vocabulary
        The keys of the rows, with their settings.
    rows
        The distinct rows, by first appearance.
    columns
        int64 (num_rows,): the column of each row, or -1 for rows that were too rare.
    """

    vocabulary: Vocabulary
    rows: Counts
    columns: Int64s

    @property
    def num_columns(self) -> int:
        """Return how many rows have a column."""
        return int((self.columns >= 0).sum())

    def count(self, encoding: Encoding, handle_unknown: UnseenPolicy) -> Counts:
        """Return how many nodes of each graph have each row that has a column."""
        counts = class_counts(self.rows, encoding, handle_unknown)
        return counts[:, np.flatnonzero(self.columns >= 0)]


def learn_bag(encoding: Encoding, min_count: int) -> Bag:
    """Return the rows of an encoding; those of fewer than `min_count` nodes get no column.

    >>> import egonet
    >>> bag = learn_bag(egonet.encode(egonet.named.path("abc"), radius=1), 2)
    >>> bag.columns.tolist(), bag.num_columns
    ([0, -1], 1)
    """
    classes = encoding.classes
    first_rows = np.unique(classes, return_index=True)[1]
    frequent = np.bincount(classes, minlength=len(first_rows)) >= min_count
    columns = np.where(frequent, np.cumsum(frequent) - 1, -1)
    return Bag(encoding.vocabulary, encoding.matrix[first_rows], columns)


def row_hashes(encoding: Encoding) -> NDArray[np.uint64]:
    """Return a 64-bit hash per row, the same for equal rows of any encoding, on any machine and in any version.

    The hash of a column is the BLAKE2b digest of 8 bytes (little-endian) of its name in UTF-8. The hash of a row is
    m(sum of m(h + c * 0x9E3779B97F4A7C15)) modulo 2**64 over its columns, with hash h and count c, where m is the
    finalizer of SplitMix64, `egonet.graph.digest.mix`.

    >>> import egonet
    >>> row_hashes(egonet.encode(egonet.named.path("abc"), radius=1)).tolist()[0]
    4877246714296920713
    """
    names = b"".join(blake2b(name.encode(), digest_size=8).digest() for name in encoding.feature_names)
    columns = np.frombuffer(names, dtype="<u8").astype(np.uint64)
    matrix = encoding.matrix
    entries = mix(columns[matrix.indices] + matrix.data.astype(np.uint64) * GOLDEN)
    before = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(entries, dtype=np.uint64)])
    return mix(before[matrix.indptr[1:]] - before[matrix.indptr[:-1]])


def hashed_counts(encoding: Encoding, num_hashed: int) -> Counts:
    """Return how many nodes of each graph have a row whose hash is each number modulo `num_hashed`."""
    columns = (row_hashes(encoding) % np.uint64(num_hashed)).astype(np.int64)
    return nodes_per_column(encoding.graph_ptr, columns, num_hashed)


def learn_bags(
    encode: Callable[[Settings], Encoding], settings: Settings, min_count: int, num_hashed: int | None
) -> tuple[list[Bag], Counts]:
    """Return the rows seen at each radius, and how many nodes of each graph have each of them.

    `encode` returns the encoding of the graphs with other settings.
    """
    bags, parts = [], []
    for radius in settings.radius:
        encoding = encode(replace(settings, radius=radius))
        bag = learn_bag(encoding, min_count)
        bags.append(bag)
        parts.append(
            bag.count(encoding, "ignore") if num_hashed is None else hashed_counts(encoding, num_hashed)
        )
    return bags, hstack(parts, format="csr") if num_hashed is None else sum(parts[1:], start=parts[0])


def count_bags(
    bags: list[Bag], encode: Callable[[Vocabulary], Encoding], handle_unknown: UnseenPolicy
) -> Counts:
    """Return how many nodes of each graph have each row known at each radius, next to each other."""
    return hstack([bag.count(encode(bag.vocabulary), handle_unknown) for bag in bags], format="csr")


def count_hashed(bags: list[Bag], encode: Callable[[Settings], Encoding], num_hashed: int) -> Counts:
    """Return the sum of the hashed rows of all radii; labels are read again, and limits of weights are kept."""
    settings = [replace(bag.vocabulary.settings, labels=None, edge_labels=None) for bag in bags]
    parts = [hashed_counts(encode(each), num_hashed) for each in settings]
    return sum(parts[1:], start=parts[0])


def bag_names(bags: list[Bag], num_hashed: int | None) -> list[str]:
    """Return the name of every column."""
    if num_hashed is not None:
        return [f"hashed{number}" for number in range(num_hashed)]
    sizes = [(bag.vocabulary.settings.radius[0], bag.num_columns) for bag in bags]
    return [f"r{radius}_class{number}" for radius, size in sizes for number in range(size)]


def check_bag(aggregate: str, weighting: str, min_count: Any, num_hashed: Any) -> None:
    """Raise for options of bags that contradict each other or `aggregate`."""
    if aggregate in ("classes", "bag") and weighting != "count":
        raise InputError(
            f'aggregate="{aggregate}" counts nodes, so weighting must be "count", got {weighting!r}.'
        )
    if num_hashed is not None and as_whole("num_hashed", num_hashed) == 0:
        raise InputError("num_hashed must be at least 1, got 0. Leave it out for one column per row.")
    if as_whole("min_count", min_count) == 0:
        raise InputError("min_count must be at least 1, got 0.")
    if aggregate != "bag" and (min_count != 1 or num_hashed is not None):
        raise InputError(
            f'min_count and num_hashed are for aggregate="bag", got {aggregate!r}. Leave them out.'
        )
    if min_count != 1 and num_hashed is not None:
        raise InputError("hashed rows are not counted while fitting. Give min_count or num_hashed, not both.")
