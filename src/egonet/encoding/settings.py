"""`Settings`: what an encoding counts, validated once and passed on whole."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, ClassVar, Literal, TypeAlias, TypedDict, get_args, overload

import numpy as np

from egonet.errors import InputError, OptionError, as_flag, did_you_mean
from egonet.kernel.native import as_threads as as_threads
from egonet.kernel.native import as_whole as as_whole
from egonet.notebook import html_table
from egonet.typing import DEGREE_FIELDS, Degrees, Direction, Follow, Rooted

DegreeBins: TypeAlias = Literal["log"]
#: How weights become edge types: by powers of two, by this many quantiles, or by these limits.
WeightBins: TypeAlias = Literal["log"] | int | Sequence[float]
#: The direction of the graph that columns were learned on; "any" if there is none or it is not known.
Learned: TypeAlias = Direction | Literal["any"] | None
Layout: TypeAlias = Literal["observed", "paper"]
#: What a caller may pass as a radius: one, or several whose columns follow each other.
Radius: TypeAlias = int | Sequence[int]

_FIELD_NAMES: dict[Degrees, tuple[str, ...]] = {
    "total": ("deg",),
    "layered": ("same", "farther"),
    "full": ("closer", "same", "farther"),
    "in_out": ("in", "out"),
}


#: No path has more edges than a graph can have nodes.
MAX_RADIUS = 2**31 - 1
#: The most marks of a search, which takes memory for each mark.
MAX_DEPTH = 1000


class _RadiusField:
    """The field `radius` of `Settings`: set to one radius or several, read as a tuple."""

    @overload
    def __get__(self, settings: None, owner: type) -> int: ...
    @overload
    def __get__(self, settings: "Settings", owner: type) -> tuple[int, ...]: ...
    def __get__(self, settings: "Settings | None", owner: type) -> int | tuple[int, ...]:
        """Return the radii, or the default where a dataclass reads it from the class."""
        return 2 if settings is None else settings.__dict__["radius"]

    def __set__(self, settings: "Settings", radius: Radius) -> None:
        """Validate the radius and store it as a tuple."""
        settings.__dict__["radius"] = as_radius(radius)


@dataclass(frozen=True, repr=False)
class Settings:
    """What is counted around every root.

    Attributes
    ----------
    radius
        Hops around each root, one number or several; kept as a tuple. Columns of several radii follow each
        other in this order. 0 gives the root alone, with its degree in the whole graph.
    degrees
        "total": a key is (distance, degree). "layered": (distance, neighbors at the same distance, neighbors
        one hop farther). "full": (distance, closer, same, farther). "in_out": (distance, in-degree, out-degree),
        in a graph read with its direction.
    follow
        How distances are measured if degrees are "in_out": along arcs either way ("any"), "out" or "in".
    frontier_edges
        False leaves out edges between two nodes at distance exactly the radius.
    max_degree
        Higher degrees are counted as this degree; None for no limit.
    degree_bins
        "log" merges degrees into 0, 1, 2–3, 4–7, ...; a key then has the lowest degree of its bin.
    layout
        "observed" has a column per key seen; "paper" has column distance * (d_max + 1) + degree.
    labels
        The names of the node labels that are part of the keys, or None. `encode` sets it from its `labels`.
    edge_labels
        The names of the edge types that are part of the keys, or None. `encode` sets it from its `edge_labels` or
        `weights`. Distances then count half steps: an edge of type t is a node labeled t between its ends.
    weight_bins
        How `weights` become edge types: "log" (powers of two), a number of quantiles, or the limits between bins;
        quantiles become the limits learned.
    rooted
        "node" counts around every root. "edge" counts around every edge of the root, and "pair" around every
        pair of the root and a node within the radius: what lies within the radius of both, by distance from
        both (R2 and R3 of the theory page). A column is then the whole histogram of an edge or a pair. "refined"
        counts the stable colorings of the ego-network with `depth` marked nodes (R4); a column is one such coloring.
    depth
        The marks of rooted="refined", the root included. With 1 every root has one coloring.
    common
        True adds, for every edge of the root, the histogram of links among the common neighbors of its ends.
        With radius 2 and full degrees this is R1.
    cap
        Count in the graph with at most this many edges per node, chosen by a fixed hash; None for all edges.
        This is another encoding, whose columns are named "cap16_r2_d1_deg4".

    Examples
    --------
    >>> Settings(radius=2, degrees="full")
    Settings(radius=2, degrees='full')
    >>> Settings((1, 2)).radius
    (1, 2)
    """

    radius: _RadiusField = _RadiusField()
    degrees: Degrees = "total"
    frontier_edges: bool = True
    max_degree: int | None = None
    degree_bins: DegreeBins | None = None
    layout: Layout = "observed"
    labels: tuple[Hashable, ...] | None = None
    rooted: Rooted = "node"
    common: bool = False
    cap: int | None = None
    depth: int = 1
    follow: Follow = "any"
    edge_labels: tuple[Hashable, ...] | None = None
    weight_bins: WeightBins | None = None
    flags: ClassVar[tuple[str, ...]] = ("frontier_edges", "common")

    def __post_init__(self) -> None:
        """Validate every setting and every pair of settings that exclude each other."""
        one_of("degrees", self.degrees, get_args(Degrees))
        one_of("layout", self.layout, get_args(Layout))
        if self.degree_bins is not None:
            one_of("degree_bins", self.degree_bins, get_args(DegreeBins))
        keep = object.__setattr__  # replaces NumPy values by Python values, which JSON supports
        for name in self.flags:
            if not isinstance(value := getattr(self, name), bool):
                keep(self, name, as_flag(name, value))
        for name in ("max_degree", "cap", "depth"):
            if (value := getattr(self, name)) is not None:
                keep(self, name, as_whole(name, value))
        if self.cap == 0:
            raise InputError("cap must be at least 1, got 0. Leave it out to keep every edge.")
        if self.layout == "paper" and (self.degrees != "total" or self.degree_bins or self.has_labels):
            raise InputError(
                'layout="paper" numbers columns by distance and total degree alone. '
                'Use layout="observed" with other degrees, degree_bins or labels.'
            )
        if self.weight_bins is not None:
            keep(self, "weight_bins", as_weight_bins(self.weight_bins))
        one_of("rooted", self.rooted, get_args(Rooted))
        one_of("follow", self.follow, get_args(Follow))
        if self.follow != "any" and self.degrees != "in_out":
            raise InputError(
                f'follow is for degrees="in_out", got follow={self.follow!r} with degrees={self.degrees!r}. '
                f'Read the graph with directed="{self.follow}" instead.'
            )
        if not 1 <= as_whole("depth", self.depth) <= (MAX_DEPTH if self.rooted == "refined" else 1):
            limit = (
                f"between 1 and {MAX_DEPTH:,}" if self.rooted == "refined" else '1 unless rooted="refined"'
            )
            raise InputError(f"depth must be {limit}, got {self.depth}.")
        if self.common or self.rooted != "node":
            self._check_nested()

    def __repr__(self) -> str:
        """Return the radius and every setting that differs from its default."""
        radius = self.radius[0] if len(self.radius) == 1 else self.radius
        changed = (field for field in fields(self)[1:] if getattr(self, field.name) != field.default)
        others = "".join(f", {field.name}={getattr(self, field.name)!r}" for field in changed)
        return f"{type(self).__name__}(radius={radius}{others})"

    def _repr_html_(self) -> str:
        """Return every setting for a notebook; what differs from the default is marked."""
        rows = [
            (field.name, repr(value), "" if value in (field.default, (2,)) else "changed")
            for field in fields(self)
            for value in (getattr(self, field.name),)
        ]
        return html_table(repr(self), rows, header=("setting", "value", ""))

    def _check_nested(self) -> None:
        """Raise for settings that have no meaning where columns are histograms."""
        if self.max_degree is not None or self.degree_bins is not None or self.layout == "paper":
            raise InputError(
                'common and rooted="edge", "pair" or "refined" compare whole histograms, exactly. '
                "Leave max_degree, degree_bins and layout out."
            )
        if self.edge_labels is not None:
            raise InputError("common and rooted take no edge types. Leave edge_labels and weights out.")
        if self.degrees == "in_out":
            raise InputError('common and rooted need an undirected graph, got degrees="in_out".')
        if self.rooted == "node":
            return
        if self.common:
            reason = (
                "counts whole colorings" if self.rooted == "refined" else "already sees what common=True adds"
            )
            raise InputError(f'rooted="{self.rooted}" {reason}. Leave common out.')
        if self.degrees != "total" or not self.frontier_edges:
            raise InputError(
                f'rooted="{self.rooted}" has its own way to count neighbors. '
                "Leave degrees and frontier_edges out."
            )
        if 0 in self.radius and self.rooted != "refined":
            raise InputError(f'rooted="{self.rooted}" needs a radius of at least 1, got {self.radius}.')

    @property
    def is_nested(self) -> bool:
        """Return whether some columns stand for histograms."""
        return self.common or self.rooted != "node"

    @property
    def has_labels(self) -> bool:
        """Return whether keys end with a label: of a node, or the type of an edge."""
        return self.labels is not None or self.edge_labels is not None

    @property
    def steps(self) -> int:
        """Return how far apart neighbors are: 2 if there is an edge node between them."""
        return 1 if self.edge_labels is None else 2

    @property
    def field_names(self) -> tuple[str, ...]:
        """Return the names of the numbers of a key, after its radius.

        Examples
        --------
        >>> Settings(2, degrees="layered").field_names
        ('distance', 'same', 'farther')
        """
        label = ("label",) if self.has_labels else ()
        return ("distance", *_FIELD_NAMES[self.degrees], *label)

    @property
    def num_distances(self) -> int:
        """Return how many numbers of a key are distances; they come first."""
        return 1

    @property
    def num_fields(self) -> int:
        """Return how many numbers of a key are degrees."""
        return DEGREE_FIELDS[self.degrees]


class RadiusOption(TypedDict, total=False):
    """The first keyword of `SettingsOptions`."""

    radius: Radius


class OtherSettings(TypedDict, total=False):
    """The other keywords of `SettingsOptions`."""

    degrees: Degrees
    frontier_edges: bool
    max_degree: int | None
    degree_bins: DegreeBins | None
    layout: Layout
    rooted: Rooted
    common: bool
    cap: int | None
    depth: int
    follow: Follow
    weight_bins: WeightBins | None


class SettingsOptions(RadiusOption, OtherSettings):
    """The keywords that build `Settings`: every field but the names of labels, which come from the data."""


def as_settings(settings: Settings | Radius | None, options: Mapping[str, Any]) -> Settings:
    """Return settings from a record, or from a radius and keywords; every front end calls this.

    >>> as_settings(1, {"degrees": "full"})
    Settings(radius=1, degrees='full')
    >>> as_settings(None, {"degree": "full"})
    Traceback (most recent call last):
        ...
    egonet.errors.OptionError: there is no option 'degree'. Did you mean 'degrees'?
    """
    unknown = sorted(options.keys() - SettingsOptions.__annotations__.keys())
    if unknown:
        hint = did_you_mean(unknown[0], SettingsOptions.__annotations__)
        raise OptionError(f"there is no option {unknown[0]!r}.{hint}")
    if isinstance(settings, Settings):
        if options:
            raise OptionError(
                f"give settings or keywords, not both: got {settings} and {next(iter(options))}=. "
                "Use dataclasses.replace to change settings."
            )
        return settings
    if settings is None:
        return Settings(**options)
    if "radius" in options:
        raise OptionError(f"radius is given twice: {settings!r} and radius={options['radius']!r}.")
    return Settings(radius=settings, **options)


def settings_of(estimator: object) -> Settings:
    """Return the settings that an estimator has as attributes of the same names."""
    return Settings(
        **{
            name: getattr(estimator, name)
            for name in SettingsOptions.__annotations__
            if hasattr(estimator, name)
        }
    )


def as_radius(radius: Radius) -> tuple[int, ...]:
    """Return one radius or several as a tuple of whole numbers, without repeats.

    >>> as_radius(2), as_radius((1, 2))
    ((2,), (1, 2))
    >>> as_radius(2.5)
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: radius must be a whole number >= 0, got 2.5.
    """
    several = isinstance(radius, Sequence) and not isinstance(radius, str | bytes)
    listed = np.atleast_1d(radius) if isinstance(radius, np.ndarray) else radius if several else [radius]
    given: list[Any] = list(listed)  # type: ignore[arg-type]
    for value in given:
        as_whole("radius", value)
    radii = tuple(map(int, given))
    if not radii:
        raise InputError("radius must name at least one radius, got an empty sequence.")
    if len(set(radii)) < len(radii):
        raise InputError(f"radius must not repeat a value, got {radii}.")
    if max(radii) > MAX_RADIUS:
        raise InputError(f"radius must be at most {MAX_RADIUS:,}, which is further than any path in a graph.")
    return radii


def as_weight_bins(bins: Any) -> WeightBins:
    """Return "log", a number of quantiles, or increasing limits as a tuple of floats.

    >>> as_weight_bins([1, 10.5]), as_weight_bins(4)
    ((1.0, 10.5), 4)
    """
    if isinstance(bins, str) and bins == "log":
        return "log"
    if isinstance(bins, int | np.integer) and not isinstance(bins, bool):
        if bins < 2:
            raise InputError(f"weight_bins must be at least 2 quantiles, got {bins}.")
        return int(bins)
    given: Any = [None] if isinstance(bins, str) else bins
    try:
        limits = tuple(float(limit) for limit in given)
    except (TypeError, ValueError):
        raise InputError(
            f'weight_bins must be "log", a number of quantiles such as 5, or limits such as [10, 100], got {bins!r}.'
        ) from None
    if not limits or not np.isfinite(limits).all() or any(a >= b for a, b in pairwise(limits)):
        raise InputError(f"weight_bins must be finite limits that increase, got {bins!r}.")
    return limits


def check_direction(learned: Learned, given: Direction | None, settings: "Settings") -> None:
    """Raise if columns were learned on a graph that was read in another direction.

    >>> check_direction("any", "out", Settings(1)), check_direction("out", "in", Settings(1, degrees="in_out"))
    (None, None)
    """
    same = learned in ("any", given) or (settings.degrees == "in_out" and None not in (learned, given))
    if not same:
        raise InputError(
            f"the vocabulary was learned on a graph read with directed={learned!r}, got directed={given!r}. "
            "Read both the same way."
        )


def one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raise if a value is not allowed, with the nearest one that is."""
    if isinstance(value, str) and value in allowed:
        return
    hint = did_you_mean(value, allowed)
    raise InputError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}.{hint}")
