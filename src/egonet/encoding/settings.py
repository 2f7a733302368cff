"""`Settings`: what an encoding counts, validated once and passed on whole."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, ClassVar, Literal, TypeAlias, TypedDict, get_args, overload

import numpy as np

from egonet.checks import as_argument, as_flag, as_whole, is_whole, one_of
from egonet.errors import InputError, OptionError, did_you_mean, in_python, option, show_value
from egonet.graph.columns import is_rounded
from egonet.notebook import html_table
from egonet.typing import DEGREE_FIELDS, Count, Degrees, Direction, Follow, Rooted

DegreeBins: TypeAlias = Literal["log", "quantile"]
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
#: The same where events are counted.
_EVENT_NAMES: dict[Degrees, tuple[str, ...]] = {"total": ("events",)}


#: No path has more edges than a graph can have nodes.
MAX_RADIUS = 2**31 - 1
#: The most marks of a search, which takes memory for each mark.
MAX_DEPTH = 1000
#: Larger settings change nothing, and those with more than 4,300 digits have no name in Python.
_MOST = 10**100


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
        "log" merges degrees into 0, 1, 2–3, 4–7, ...; a key then has the lowest degree of its bin. "quantile" is for
        columns that carry over to another graph: a key has the quarter, 1 to 4, of its own graph's degrees.
    layout
        "observed" has a column per key seen; "paper" has column distance * (d_max + 1) + degree.
    weight_bins
        How `weights` become edge types: "log" (powers of two), a number of quantiles, or the limits between bins.
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
    count
        "nodes" counts the nodes of the ego-network by distance and degree. "edges" counts its edges: a key has the
        distances of both ends from the root, then the degrees of both ends; the end with the smaller distance (then
        smaller degrees) comes first. With degrees="full" these are the edge-level counts of ELENE. "events", where
        edges are events in a window (`TemporalEncoder`, `Stream`), counts nodes whose degree is a number of events.

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
    rooted: Rooted = "node"
    common: bool = False
    cap: int | None = None
    depth: int = 1
    follow: Follow = "any"
    count: Count = "nodes"
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
                keep(self, name, as_whole(name, value, most=_MOST))
        if self.cap == 0:
            raise InputError(
                f"{as_argument('cap')} must be at least 1, got 0. Leave it out to keep every edge."
            )
        if self.layout == "paper" and (self.degrees != "total" or self.degree_bins):
            raise InputError(
                f"{option('layout', 'paper')} numbers columns by distance and total degree alone. "
                f"Use {option('layout', 'observed')} with other degrees, {as_argument('degree_bins')} or labels."
            )
        if self.degree_bins == "quantile":
            self._check_quarters()
        for name in BinOptions.__annotations__:
            if (bins := getattr(self, name)) is not None:
                keep(self, name, as_weight_bins(bins, name))
        one_of("rooted", self.rooted, get_args(Rooted))
        one_of("follow", self.follow, get_args(Follow))
        if self.follow != "any" and self.degrees != "in_out":
            raise InputError(
                f"{as_argument('follow')} is for {option('degrees', 'in_out')}, got {option('follow', self.follow)} "
                f"with {option('degrees', self.degrees)}. "
                f"Read the graph with {option('directed', self.follow)} instead."
            )
        if not 1 <= as_whole("depth", self.depth) <= (MAX_DEPTH if self.rooted == "refined" else 1):
            limit = (
                f"between 1 and {MAX_DEPTH:,}"
                if self.rooted == "refined"
                else f"1 unless {option('rooted', 'refined')}"
            )
            raise InputError(f"{as_argument('depth')} must be {limit}, got {show_value(self.depth)}.")
        if self.common or self.rooted != "node":
            self._check_nested()
        one_of("count", self.count, get_args(Count))
        if self.count == "edges":
            self._check_edges()

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

    def _check_quarters(self) -> None:
        """Raise for settings that have no meaning where degrees are quarters of a graph's degrees."""
        for name, default in (("degrees", "total"), ("max_degree", None), ("count", "nodes")):
            if (value := getattr(self, name)) != default:
                raise InputError(
                    f"{option('degree_bins', 'quantile')} compares total degrees with those of the whole graph, got "
                    f"{option(name, value)}. Leave {option(name)} out, or use {option('degree_bins', 'log')}."
                )

    def _check_nested(self) -> None:
        """Raise for settings that have no meaning where columns are histograms."""
        if self.max_degree is not None or self.degree_bins is not None or self.layout == "paper":
            raise InputError(
                f'{as_argument("common")} and {option("rooted", "edge")}, "pair" or "refined" compare whole '
                "histograms, exactly. "
                f"Leave {as_argument('max_degree')}, {as_argument('degree_bins')} and {as_argument('layout')} out."
            )
        if self.degrees == "in_out":
            raise InputError(
                f"{as_argument('common')} and {as_argument('rooted')} need an undirected graph, got "
                f"{option('degrees', 'in_out')}."
            )
        if self.rooted == "node":
            return
        if self.common:
            reason = (
                "counts whole colorings"
                if self.rooted == "refined"
                else f"already sees what {option('common', True)} adds"
            )
            raise InputError(f"{option('rooted', self.rooted)} {reason}. Leave {as_argument('common')} out.")
        if self.degrees != "total" or not self.frontier_edges:
            raise InputError(
                f"{option('rooted', self.rooted)} has its own way to count neighbors. "
                f"Leave {as_argument('degrees')} and {in_python('frontier_edges', '--no-frontier-edges')} out."
            )
        if 0 in self.radius and self.rooted != "refined":
            raise InputError(
                f"{option('rooted', self.rooted)} needs a radius of at least 1, got {self.radius}."
            )

    def _check_edges(self) -> None:
        """Raise for settings that have no meaning where edges of ego-networks are counted."""
        edges = option("count", "edges")
        if self.is_nested or self.layout == "paper":
            raise InputError(f"{edges} has columns of its own. Leave common, rooted and layout out.")
        if self.degrees == "in_out":
            raise InputError(f"{edges} needs an undirected graph, got {option('degrees', 'in_out')}.")
        if 0 in self.radius:
            raise InputError(f"{edges} needs a radius of at least 1, got {self.radius}.")

    @property
    def is_nested(self) -> bool:
        """Return whether some columns stand for histograms.

        Examples
        --------
        >>> Settings(2).is_nested, Settings(2, common=True).is_nested
        (False, True)
        """
        return self.common or self.rooted != "node"

    @property
    def field_names(self) -> tuple[str, ...]:
        """Return the names of the numbers of a key, after its radius.

        Examples
        --------
        >>> Settings(2, degrees="layered").field_names
        ('distance', 'same', 'farther')
        """
        if self.count == "edges":
            return ("distance", "distance", *_FIELD_NAMES[self.degrees], *_FIELD_NAMES[self.degrees])
        if self.count == "events":
            return ("distance", *_EVENT_NAMES.get(self.degrees, _FIELD_NAMES[self.degrees]))
        return ("distance", *_FIELD_NAMES[self.degrees])

    @property
    def num_distances(self) -> int:
        """Return how many numbers of a key are distances; they come first.

        Examples
        --------
        >>> Settings(2).num_distances, PairSettings(2).num_distances
        (1, 2)
        """
        return 2 if self.count == "edges" else 1

    @property
    def num_fields(self) -> int:
        """Return how many numbers of a key are degrees.

        Examples
        --------
        >>> Settings(2).num_fields, Settings(2, degrees="full").num_fields
        (1, 3)
        """
        return DEGREE_FIELDS[self.degrees] * (2 if self.count == "edges" else 1)


@dataclass(frozen=True, repr=False)
class PairSettings(Settings):
    """What is counted around every pair (u, v).

    Attributes
    ----------
    radius, max_degree, degree_bins, weight_bins, follow
        As in `Settings`; the fields of `Settings` that are not named here keep their defaults.
    degrees
        As in `Settings`; "layered" and "full" compare distances from the nearer end of the pair.
    without_edge
        Whether the edge between u and v, if there is one, is left out of the graph first.
    ordered
        Whether the distance from u comes before the distance from v; otherwise the smaller one comes first. Pairs of
        a directed graph are always ordered.
    ends_distance
        Adds one key ("ends", d): the distance d of u and v without the edge between them, if it is at most this number.
        One more than d is the length of the shortest cycle through the edge. In a directed graph d is measured from v
        to u along arcs. None for no such key.

    Examples
    --------
    >>> PairSettings(1, degree_bins="log").field_names
    ('distance', 'distance', 'deg')
    """

    without_edge: bool = True
    ordered: bool = False
    ends_distance: int | None = None
    flags: ClassVar[tuple[str, ...]] = (*Settings.flags, "without_edge", "ordered")

    def __post_init__(self) -> None:
        """Validate the settings of nodes, and those of pairs."""
        super().__post_init__()
        if self.ends_distance is None:
            return
        object.__setattr__(self, "ends_distance", as_whole("ends_distance", self.ends_distance))
        if self.ends_distance == 0:
            raise InputError(
                f"{as_argument('ends_distance')} must be at least 1, got 0. Leave it out for no such column."
            )

    def _check_quarters(self) -> None:
        """Raise: quarters of degrees are for rows of nodes."""
        raise InputError(
            f"{option('degree_bins', 'quantile')} is for rows of nodes, got settings of pairs. "
            f"Use {option('degree_bins', 'log')}."
        )

    @property
    def field_names(self) -> tuple[str, ...]:
        """Return the names of the numbers of a key, after its radius."""
        return ("distance", *super().field_names)

    @property
    def num_distances(self) -> int:
        """Return how many numbers of a key are distances."""
        return 2


class RadiusOption(TypedDict, total=False):
    """The first keyword of `SettingsOptions`."""

    radius: Radius


class BinOptions(TypedDict, total=False):
    """How numbers of edges become types: the keywords that `ROLES` names."""

    weight_bins: WeightBins | None


class PlainSettings(TypedDict, total=False):
    """The keywords of `SettingsOptions` that are about counting alone."""

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
    count: Count


class OtherSettings(PlainSettings, BinOptions):
    """The keywords of `SettingsOptions` without the radius."""


class SettingsOptions(RadiusOption, OtherSettings):
    """The keywords that build `Settings`: every field."""


class PairSettingsOptions(RadiusOption, BinOptions, total=False):
    """The keywords that build `PairSettings`."""

    degrees: Degrees
    max_degree: int | None
    degree_bins: DegreeBins | None
    follow: Follow
    without_edge: bool
    ordered: bool
    ends_distance: int | None


def take_options(options: dict[str, Any], record: Any) -> dict[str, Any]:
    """Remove the keywords of a `TypedDict` from some options, and return them.

    >>> options = {"weight_bins": "log", "directed": "out"}
    >>> take_options(options, BinOptions), options
    ({'weight_bins': 'log'}, {'directed': 'out'})
    """
    return {name: options.pop(name) for name in record.__annotations__ if name in options}


def as_settings(
    settings: Settings | Radius | None,
    options: Mapping[str, Any],
    rows: Literal["node", "pair"] = "node",
) -> Settings:
    """Return settings of nodes or pairs from a record, or from a radius and keywords; every entry point calls this.

    The radius of pairs is 1 if not given.

    >>> as_settings(1, {"degrees": "full"})
    Settings(radius=1, degrees='full')
    >>> as_settings(None, {"degree": "full"})
    Traceback (most recent call last):
        ...
    egonet.errors.OptionError: there is no option 'degree'. Did you mean 'degrees'?
    """
    keywords = SettingsOptions if rows == "node" else PairSettingsOptions
    unknown = sorted(options.keys() - keywords.__annotations__.keys())
    if unknown:
        hint = did_you_mean(unknown[0], keywords.__annotations__)
        raise OptionError(f"there is no option {unknown[0]!r}.{hint}")
    if isinstance(settings, Settings):
        if options:
            raise OptionError(
                f"give settings or keywords, not both: got {settings} and {next(iter(options))}=. "
                "Use dataclasses.replace to change settings."
            )
        return settings
    if rows == "pair":
        return PairSettings(**{"radius": 1 if settings is None else settings, **options})
    if settings is None:
        return Settings(**options)
    if "radius" in options:
        raise OptionError(
            f"radius is given twice: {show_value(settings)} and radius={show_value(options['radius'])}."
        )
    return Settings(radius=settings, **options)


def settings_of(estimator: object) -> Settings:
    """Return the settings that an estimator has as attributes of the same names; its radius may be `Settings`."""
    if isinstance(settings := getattr(estimator, "radius", None), Settings):
        for name in OtherSettings.__annotations__:
            default = next(field.default for field in fields(Settings) if field.name == name)
            if getattr(estimator, name, default) != default:
                raise OptionError(f"give settings or keywords, not both: got {settings} and {name}=.")
        return settings
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
    values: list[Any] = list(listed)  # type: ignore[arg-type]
    for value in values:
        as_whole("radius", value)
    radii = tuple(map(int, values))
    if not radii:
        raise InputError("radius must name at least one radius, got an empty sequence.")
    if len(set(radii)) < len(radii):
        raise InputError(f"{as_argument('radius')} must not repeat a value, got {_format_values(radii)}.")
    if max(radii) > MAX_RADIUS:
        raise InputError(
            f"{as_argument('radius')} must be at most {MAX_RADIUS:,}, which is further than any path in a graph."
        )
    return radii


def as_weight_bins(bins: Any, name: str = "weight_bins") -> WeightBins:
    """Return "log", a number of quantiles, or increasing limits as a tuple of floats.

    >>> as_weight_bins([1, 10.5]), as_weight_bins(4)
    ((1.0, 10.5), 4)
    """
    if isinstance(bins, str) and bins == "log":
        return "log"
    if is_whole(bins):
        if bins < 2:
            raise InputError(f"{as_argument(name)} must be at least 2 quantiles, got {show_value(bins)}.")
        return int(bins)
    # A set has no order, and a mapping may name the bins.
    values: Any = [None] if isinstance(bins, str | bytes | Set | Mapping) else bins
    try:
        values = list(values)
        limits = tuple(np.inf if is_rounded(limit) else float(limit) for limit in values)
    except (TypeError, ValueError, RuntimeError):  # a tensor on meta has no numbers
        raise InputError(
            f'{name} must be "log", a number of quantiles such as 5, or limits such as [10, 100], got '
            f"{show_value(bins)}."
        ) from None
    if any(map(is_rounded, values)):
        raise InputError(
            f"{name} beyond 2**53 must be exact as floats, got {show_value(next(filter(is_rounded, values)))}. "
            "Use a larger unit."
        )
    if not limits or not np.isfinite(limits).all() or any(a >= b for a, b in pairwise(limits)):
        raise InputError(
            f"{as_argument(name)} must be finite limits that increase, got {_format_values(bins)}."
        )
    return limits


def check_same_settings(
    learned: "Settings", settings: "Settings", *, has_radius: bool, is_record: bool = False
) -> None:
    """Raise if settings differ from those of a vocabulary.

    A keyword with its default value is not compared, because a caller may pass every keyword on; all fields of a
    record (`is_record`) are.

    >>> check_same_settings(Settings(1, cap=3), Settings(2), has_radius=False)
    >>> check_same_settings(Settings(1), Settings(2), has_radius=True)
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: the vocabulary was learned with radius=(1,), got (2,). Leave radius out.
    """
    for each in fields(learned):
        name, value, before = each.name, getattr(settings, each.name), getattr(learned, each.name)
        is_given = has_radius if name == "radius" else is_record or value != each.default
        if is_given and value != before:
            both = in_python(
                f"{name}={show_value(before)}, got {show_value(value)}",
                f"{_shown(name, before)}, got {_shown(name, value)}",
            )
            raise InputError(f"the vocabulary was learned with {both}. Leave {as_argument(name)} out.")


def _format_values(values: tuple[Any, ...]) -> str:
    """Return values for a message: a tuple in Python, 1,2 on the command line."""
    return in_python(show_value(values), ",".join(map(str, values)))


def _shown(name: str, value: Any) -> str:
    """Return a setting for a message; one value is shown alone, several as a list."""
    if isinstance(value, tuple):
        return option(name, value[0] if len(value) == 1 else list(value))
    return option(name, value)


def check_direction(learned: Learned, direction: Direction | None, settings: "Settings") -> None:
    """Raise if columns were learned on a graph that was read in another direction.

    >>> check_direction("any", "out", Settings(1)), check_direction("out", "in", Settings(1, degrees="in_out"))
    (None, None)
    """
    same = learned in ("any", direction) or (
        settings.degrees == "in_out" and None not in (learned, direction)
    )
    if not same:
        raise InputError(
            f"the vocabulary was learned on a graph read with {option('directed', learned)}, got "
            f"{option('directed', direction)}. "
            "Read both the same way."
        )
