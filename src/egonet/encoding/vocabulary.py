"""The frozen map between keys (distance, degree) and columns, learned on one graph, used on any other."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from egonet.encoding.settings import Settings
from egonet.errors import InputError
from egonet.types import Int64s

Flags: TypeAlias = NDArray[np.bool_]
UnseenPolicy: TypeAlias = Literal["clip", "ignore", "error"]


@dataclass(frozen=True, eq=False, repr=False)
class Vocabulary:
    """The columns of an encoding and the settings they were made with.

    Attributes
    ----------
    settings
        What is counted; applying the vocabulary to another graph counts the same.
    keys
        int64 (num_columns, 1 + fields), sorted lexicographically within each radius: the radius, then
        `settings.field_names`. Labels are stored by their number in `settings.labels`.

    Examples
    --------
    >>> import egonet
    >>> egonet.encode([("a", "b"), ("b", "c")], radius=1).vocabulary.feature_names
    ['r1_d0_deg1', 'r1_d0_deg2', 'r1_d1_deg1']
    """

    settings: Settings
    keys: Int64s

    def __post_init__(self) -> None:
        """Freeze the keys."""
        self.keys.flags.writeable = False

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.keys)

    def __repr__(self) -> str:
        """Return the size and the settings."""
        return f"Vocabulary(num_columns={len(self)}, radii={self.settings.radii}, degrees={self.settings.degrees!r})"

    @property
    def columns(self) -> list[tuple[Any, ...]]:
        """Return the key of every column: (distance, degree), with the radius in front if there are several."""
        first = 1 if len(self.settings.radii) == 1 else 0
        keys = [tuple(key[first:]) for key in self.keys.tolist()]
        if self.settings.labels is None:
            return keys
        return [(*key[:-1], self.settings.labels[key[-1]]) for key in keys]

    @property
    def feature_names(self) -> list[str]:
        """Return a name for every column, such as "r2_d1_deg4": radius 2, distance 1, degree 4."""
        return [self._name(key) for key in self.keys.tolist()]

    @cached_property
    def column_of(self) -> dict[tuple[int, ...], int]:
        """Return the column of every row of `keys`."""
        return {tuple(key): column for column, key in enumerate(self.keys.tolist())}

    def _name(self, key: list[int]) -> str:
        """Return the name of one column."""
        settings = self.settings
        words = [f"r{key[0]}", f"d{key[1]}"]
        fields = zip(settings.field_names[1:], key[2:], strict=True)
        for name, value in fields:
            if name == "label":
                words.append(f"label{_label(settings, value)}")
            else:
                words.append(f"{name}{degree_name(value, settings)}")
        return "_".join(words)


@dataclass(frozen=True)
class Unseen:
    """What a vocabulary met that it had not seen when it was learned.

    Attributes
    ----------
    clipped
        Vertices of ego-networks counted in the nearest column below their own.
    dropped
        Vertices of ego-networks left out: unseen="ignore", or a distance or label without any column.
    num_rows
        Rows in which either happened.
    example
        The first such row with its key, as (node, key), or None if everything was seen.
    rows
        int64 (num_rows,): which rows these are, rising; not kept by `Encoding.save`.
    """

    clipped: int = 0
    dropped: int = 0
    num_rows: int = 0
    example: tuple[Hashable, tuple[Any, ...]] | None = None
    rows: Int64s = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False, compare=False)

    def __str__(self) -> str:
        """Return the finding in words."""
        if not self.num_rows:
            return "every key has a column"
        node, key = self.example or (None, ())
        return (
            f"{self.num_rows:,} rows met keys without a column, first at node {node!r}: {key}; "
            f"{self.clipped:,} vertices clipped, {self.dropped:,} dropped"
        )


def degree_name(value: int, settings: Settings) -> str:
    """Return a degree as it stands in a column name: "4", "4to7" if binned, "10plus" at the limit.

    Examples
    --------
    >>> degree_name(4, Settings((1,))), degree_name(4, Settings((1,), degree_bins="log"))
    ('4', '4to7')
    >>> degree_name(10, Settings((1,), max_degree=10))
    '10plus'
    """
    last = 2 * value - 1 if settings.degree_bins == "log" and value > 1 else value
    if settings.max_degree is not None and last >= settings.max_degree:
        return f"{value}plus"
    return f"{value}" if last == value else f"{value}to{last}"


def bin_degrees(keys: Int64s, settings: Settings) -> Int64s:
    """Return keys with every degree replaced by the lowest of its bin.

    Examples
    --------
    >>> settings = Settings((1,), degree_bins="log")
    >>> bin_degrees(np.array([[1, 0], [1, 1], [1, 3], [1, 4], [1, 1000]]), settings).tolist()
    [[1, 0], [1, 1], [1, 2], [1, 4], [1, 512]]
    """
    if settings.degree_bins is None:
        return keys
    fields = slice(1, 1 + settings.num_fields)
    binned = keys.copy()
    degrees = keys[:, fields]
    # frexp is exact for whole numbers below 2**53: value = mantissa * 2**exponent, mantissa in [0.5, 1).
    exponents = np.frexp(np.maximum(degrees, 1).astype(np.float64))[1]
    binned[:, fields] = np.where(degrees > 0, np.int64(1) << (exponents.astype(np.int64) - 1), 0)
    return binned


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


def paper_keys(settings: Settings, max_degree: int) -> Int64s:
    """Return every key up to the largest degree, in the order of the paper's column numbers.

    Column `distance * (max_degree + 1) + degree` holds (distance, degree), for each radius in turn.
    """
    keys = [
        (radius, distance, degree)
        for radius in settings.radii
        for distance in range(radius + 1)
        for degree in range(max_degree + 1)
    ]
    return np.array(keys, dtype=np.int64)


def locate(vocabulary: Vocabulary, keys: Int64s, unseen: UnseenPolicy) -> tuple[Int64s, Flags]:
    """Return for every key its column in the vocabulary (-1: none), and whether that is exact.

    An unseen key is clipped to the last column before it with the same radius, distance and label, or to
    the first of those if there is none before; with unseen="ignore" it has no column.
    """
    if unseen not in get_args(UnseenPolicy):
        raise InputError(f"unseen must be 'clip', 'ignore' or 'error', got {unseen!r}.")
    known, fields = vocabulary.keys, vocabulary.settings.num_fields
    # Radius, distance and label make a group; inside it, columns are ordered by their degrees.
    group = [0, 1, *range(2 + fields, known.shape[1])]
    order = [*group, *range(2, 2 + fields)]
    both = np.concatenate([known, keys])
    rank = distinct_keys(both[:, order])[1]
    group_of = distinct_keys(both[:, group])[1]
    by_rank = np.argsort(rank[: len(known)])
    if not len(known):
        return np.full(len(keys), -1), np.zeros(len(keys), dtype=bool)
    before = np.searchsorted(rank[by_rank], rank[len(known) :], side="right") - 1
    columns = by_rank[np.maximum(before, 0)]
    exact = (before >= 0) & (rank[columns] == rank[len(known) :])
    if unseen == "clip":
        after = by_rank[np.minimum(before + 1, len(known) - 1)]
        wanted = group_of[len(known) :]
        columns = np.where((before >= 0) & (group_of[columns] == wanted), columns, after)
        return np.where(group_of[columns] == wanted, columns, -1), exact
    return np.where(exact, columns, -1), exact


def _label(settings: Settings, number: int) -> Hashable:
    """Return the name of a label."""
    return settings.labels[number] if settings.labels is not None else number
