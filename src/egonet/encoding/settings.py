"""The words that define an encoding, checked once; two encodings are comparable if these are equal."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from egonet.errors import InputError
from egonet.typing import DEGREE_FIELDS, Degrees, Rooted

DegreeBins: TypeAlias = Literal["log"]
Layout: TypeAlias = Literal["observed", "paper"]

_FIELD_NAMES: dict[Degrees, tuple[str, ...]] = {
    "total": ("deg",),
    "layered": ("same", "farther"),
    "full": ("closer", "same", "farther"),
}


#: No path has more edges than a graph can have nodes.
MAX_RADIUS = 2**31 - 1
#: More threads than this are never started.
MAX_THREADS = 4096


@dataclass(frozen=True)
class Settings:
    """What is counted around every root.

    Attributes
    ----------
    radii
        The radii whose encodings stand side by side, in this order.
    degrees
        "total", "layered" or "full".
    frontier_edges
        False leaves out edges between two nodes at distance exactly the radius.
    max_degree
        Degrees above it are counted as it; None for no limit.
    degree_bins
        "log" merges degrees into 0, 1, 2–3, 4–7, ...; a key then holds the lowest degree of its bin.
    layout
        "observed" has a column per key seen; "paper" one per distance and degree up to the largest.
    labels
        The names of the node labels that are part of the keys, or None if there are none.
    rooted
        "node" counts around every root; "edge" around every edge of the root, and "pair" around every pair of
        the root and a node within the radius: a column is then a whole histogram.
    common
        True adds, for every edge of the root, the histogram of links among the common neighbors of its ends.
    cap
        Everything is counted in the graph with at most so many edges a node, chosen by a hash; None for all
        edges. It is another encoding, and its columns say so.
    """

    radii: tuple[int, ...]
    degrees: Degrees = "total"
    frontier_edges: bool = True
    max_degree: int | None = None
    degree_bins: DegreeBins | None = None
    layout: Layout = "observed"
    labels: tuple[Hashable, ...] | None = None
    rooted: Rooted = "node"
    common: bool = False
    cap: int | None = None

    def __post_init__(self) -> None:
        """Check every word and every pair of words that exclude each other."""
        one_of("degrees", self.degrees, get_args(Degrees))
        one_of("layout", self.layout, get_args(Layout))
        if self.degree_bins is not None:
            one_of("degree_bins", self.degree_bins, get_args(DegreeBins))
        if self.max_degree is not None:
            as_whole("max_degree", self.max_degree)
        if self.cap is not None and as_whole("cap", self.cap) == 0:
            raise InputError("cap must be at least 1, got 0. Leave it out to keep every edge.")
        if self.layout == "paper" and (
            self.degrees != "total" or self.degree_bins or self.labels is not None
        ):
            raise InputError(
                'layout="paper" numbers columns by distance and total degree alone. '
                'Use layout="observed" with other degrees, degree_bins or labels.'
            )

        one_of("rooted", self.rooted, get_args(Rooted))
        if self.is_nested:
            self._check_nested()

    def _check_nested(self) -> None:
        """Refuse words that have no meaning where columns are histograms."""
        if self.max_degree is not None or self.degree_bins is not None or self.layout == "paper":
            raise InputError(
                'common and rooted="edge" or "pair" compare whole histograms, exactly. '
                "Leave max_degree, degree_bins and layout out."
            )
        if self.rooted == "node":
            return
        if self.common:
            raise InputError(f'rooted="{self.rooted}" already sees what common=True adds. Leave common out.')
        if self.degrees != "total" or not self.frontier_edges:
            raise InputError(
                f'rooted="{self.rooted}" has degrees of its own, by distance from both roots. '
                "Leave degrees and frontier_edges out."
            )
        if 0 in self.radii:
            raise InputError(f'rooted="{self.rooted}" needs a radius of at least 1, got {self.radii}.')

    @property
    def is_nested(self) -> bool:
        """Return whether some columns stand for histograms."""
        return self.common or self.rooted != "node"

    @property
    def field_names(self) -> tuple[str, ...]:
        """Return the names of the numbers of a key, after its radius.

        Examples
        --------
        >>> Settings((2,), degrees="layered").field_names
        ('distance', 'same', 'farther')
        """
        label = () if self.labels is None else ("label",)
        return ("distance", *_FIELD_NAMES[self.degrees], *label)

    @property
    def num_fields(self) -> int:
        """Return how many numbers of a key are degrees."""
        return DEGREE_FIELDS[self.degrees]


def as_radii(radius: int | Sequence[int]) -> tuple[int, ...]:
    """Return one radius or several as a tuple of whole numbers, without repeats.

    Examples
    --------
    >>> as_radii(2), as_radii((1, 2))
    ((2,), (1, 2))
    >>> as_radii(2.5)
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: radius must be a whole number >= 0, got 2.5.
    """
    several = isinstance(radius, Sequence | np.ndarray) and not isinstance(radius, str)
    given: list[Any] = list(radius) if several else [radius]  # type: ignore[arg-type]
    radii = tuple(as_whole("radius", value) for value in given)
    if not radii:
        raise InputError("radius must name at least one radius, got an empty sequence.")
    if len(set(radii)) < len(radii):
        raise InputError(f"radius must not repeat a value, got {radii}.")
    if max(radii) > MAX_RADIUS:
        raise InputError(f"radius must be at most {MAX_RADIUS:,}, which is further than any path in a graph.")
    return radii


def as_threads(threads: int | None) -> int:
    """Return a number of threads, 0 for one per core; more than any machine has cores are not asked for.

    Examples
    --------
    >>> as_threads(None), as_threads(2), as_threads(10**12)
    (0, 2, 4096)
    """
    if threads is None:
        return 0
    if as_whole("threads", threads) == 0:
        raise InputError("threads must be at least 1, got 0. Leave it out for one per core.")
    return min(threads, MAX_THREADS)


def as_whole(name: str, value: Any) -> int:
    """Return a whole number >= 0, or say which argument is not one."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < 0:
        shown = value.item() if isinstance(value, np.generic) else value
        raise InputError(f"{name} must be a whole number >= 0, got {shown!r}.")
    return int(value)


def one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Refuse a word that is not allowed, with the nearest that is."""
    if value in allowed:
        return
    near = get_close_matches(str(value), allowed, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise InputError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}.{hint}")
