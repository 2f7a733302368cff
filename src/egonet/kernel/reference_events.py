"""The definition of rows per event in plain Python, which the kernel of events must equal, and its settings.

A row belongs to one event: source u, target v, time t, and perhaps an amount and a type. It is computed from the events
that are *known* to it, and nothing else, so no row depends on a later one.

*Order.* Events come in order of time. With order="row" an event knows every event before it, those of the same time
included. With order="time" it knows the events of earlier times only.

*Window.* A window of length w counts the known events with t - w < time. None counts all. The *longest* window is the
one of which no other is longer.

*Own event.* With own=True the groups `ends` and `ego` count the event itself, as if it had just happened. Everything
called "earlier", "last" or "since" never counts it.

*Kept events.* An event that is not kept gets its row, and no other event knows it.

*Loops.* An event from a node to itself counts in `ends` (out and in; the node is its own partner) and in `pair`. It is
left out in `ego` and `cycles`.

Examples
--------
>>> settings = EventSettings(windows=(5, None), window_names=("5", "all"), groups=("ends",))
>>> rows = event_rows([Event(0, 1, 1), Event(0, 1, 2), Event(2, 0, 9)], settings)
>>> names = event_names(settings)
>>> rows[:, names.index("source_out_events_5")].tolist(), rows[:, names.index("target_out_events_all")].tolist()
([1.0, 2.0, 1.0], [0.0, 0.0, 2.0])
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, nan
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from egonet.typing import Floats

Order: TypeAlias = Literal["row", "time"]
Group: TypeAlias = Literal["ends", "pair", "ego", "cycles"]
#: How the bins of numbers of events begin: 0, 1, 2 to 3, 4 and more.
MULTIPLICITY_BINS = (0, 1, 2, 4)
#: How an end is linked to a third node, by the events between the two.
RELATIONS = ("none", "out", "in", "both")
#: Amounts are added as multiples of 2 ** -60, so that sums are exact in any order and undone exactly.
AMOUNT_STEPS = 2**60
#: Amounts must be of at most this magnitude.
LARGEST_AMOUNT = 2.0**53


@dataclass(frozen=True)
class EventSettings:
    """What is counted for every event.

    Attributes
    ----------
    windows
        Lengths in the unit of times, above 0; None for no limit. All times and lengths are int, or all are float.
    window_names
        The endings of the names of columns, one per window.
    radius
        The largest distance of the rings of `ego`, at least 1.
    order
        Whether an event knows those before it in the same moment: "row" or "time".
    own
        Whether `ends` and `ego` count the event itself.
    groups
        Which groups of columns, in this order.
    has_amounts
        Whether events have amounts.
    type_names
        The names of the types of events; empty for events without types. Type -1 is none of them.
    cycle_length
        The longest cycle that `cycles` looks for, at least 2.
    unit
        What `since` and `cycle_span` are divided by, to the nearest float: 1, or 10**9 for nanoseconds as seconds.
    """

    windows: tuple[int | float | None, ...]
    window_names: tuple[str, ...]
    radius: int = 1
    order: Order = "row"
    own: bool = True
    groups: tuple[Group, ...] = ("ends", "pair", "ego")
    has_amounts: bool = False
    type_names: tuple[str, ...] = ()
    cycle_length: int = 4
    unit: int = 1

    @property
    def longest(self) -> int:
        """Return which window is the longest, the first one of several."""
        lengths = [float("inf") if window is None else window for window in self.windows]
        return lengths.index(max(lengths))


class Event(NamedTuple):
    """One event; nodes and types are numbers."""

    source: int
    target: int
    time: int | float
    amount: float = 0.0
    type: int = -1
    kept: bool = True


def event_names(settings: EventSettings) -> list[str]:
    """Return the names of the columns, in their order.

    Examples
    --------
    >>> event_names(EventSettings((None,), ("all",), groups=("pair",)))
    ['pair_events_all', 'reverse_events_all', 'common_partners_all', 'pair_since', 'reverse_since', 'pair_is_new']
    """
    names: list[str] = []
    for group in settings.groups:
        per_window, others = _GROUPS[group][0](settings)
        names += [f"{name}_{window}" for window in settings.window_names for name in per_window]
        names += others
    return names


def event_rows(events: Sequence[Event], settings: EventSettings) -> Floats:
    """Return a row per event, in their order; times never fall."""
    rows = [
        [
            value
            for group in settings.groups
            for value in _GROUPS[group][1](_Moment(events, position, settings))
        ]
        for position in range(len(events))
    ]
    return np.array(rows, dtype=np.float64).reshape(len(events), len(event_names(settings)))


class _Moment:
    """What one event knows."""

    def __init__(self, events: Sequence[Event], position: int, settings: EventSettings) -> None:
        self.event = events[position]
        self.settings = settings
        by_row = settings.order == "row"
        self.earlier = [
            each for each in events[:position] if each.kept and (by_row or each.time < self.event.time)
        ]

    def window(self, length: int | float | None, *, own: bool = False) -> list[Event]:
        """Return the known events of a window in order, the event itself last if it counts."""
        begin = None if length is None else self.event.time - length
        inside = [each for each in self.earlier if begin is None or each.time > begin]
        return [*inside, self.event] if own and self.settings.own else inside

    def windows(self, *, own: bool = False) -> Iterator[list[Event]]:
        for length in self.settings.windows:
            yield self.window(length, own=own)

    @property
    def longest(self) -> list[Event]:
        """Return the known events of the longest window, without the event itself."""
        return self.window(self.settings.windows[self.settings.longest])


def amount_sum(amounts: Sequence[float]) -> float:
    """Return a sum of amounts, each rounded to a multiple of 2 ** -60; the order does not matter.

    Examples
    --------
    >>> amount_sum([0.1] * 10), amount_sum([2.0**53, 0.25, -(2.0**53)])
    (1.0, 0.25)
    """
    steps = 0
    for amount in amounts:
        units = floor(amount)
        steps += units * AMOUNT_STEPS + round(float(Fraction(amount) - units) * AMOUNT_STEPS)
    units, part = divmod(steps, AMOUNT_STEPS)
    return float(units) + part / AMOUNT_STEPS


# --- ends: what the source and the target did, out (as source) and in (as target) ---


def _ends_names(settings: EventSettings) -> tuple[list[str], list[str]]:
    numbers = ["events", "partners", "repeated"]
    if settings.has_amounts:
        numbers += ["sum", "mean", "min", "max"]
    numbers += [f"events_{name}" for name in settings.type_names]
    sides = [f"{end}_{direction}" for end in ("source", "target") for direction in ("out", "in")]
    last = ["since", "last"] if settings.has_amounts else ["since"]
    return [f"{side}_{name}" for side in sides for name in numbers], [
        f"{side}_{name}" for side in sides for name in last
    ]


def _ends_values(moment: _Moment) -> Iterator[float]:
    """Yield for both ends, events out and in: see the documentation of `EventEncoder`.

    - events: how many events of the window the end sent (out) or received (in).
    - partners: to or from how many different nodes.
    - repeated: the share of these partners with two of these events or more; 0 without partners.
    - sum, mean, min, max: of the amounts of these events; without events 0 and three times NaN.
    - events of a type: how many of them have the type.
    - since: the time since the last earlier event in the longest window; NaN if there is none.
    - last: the amount of that event; NaN if there is none.
    """
    settings = moment.settings
    ends = (moment.event.source, moment.event.target)
    for events in moment.windows(own=True):
        for end in ends:
            for side in (0, 1):
                own_events = [each for each in events if each[side] == end]
                partners = Counter(each[1 - side] for each in own_events)
                yield len(own_events)
                yield len(partners)
                yield sum(count > 1 for count in partners.values()) / len(partners) if partners else 0.0
                if settings.has_amounts:
                    amounts = [each.amount for each in own_events]
                    yield amount_sum(amounts)
                    yield amount_sum(amounts) / len(own_events) if own_events else nan
                    yield min(amounts, default=nan)
                    yield max(amounts, default=nan)
                yield from (
                    sum(each.type == number for each in own_events)
                    for number in range(len(settings.type_names))
                )
    for end in ends:
        for side in (0, 1):
            yield from _last(
                moment, [each for each in moment.longest if each[side] == end], amount=settings.has_amounts
            )


def _last(moment: _Moment, events: list[Event], *, amount: bool) -> Iterator[float]:
    """Yield the time since the last of some events, and its amount."""
    yield (moment.event.time - events[-1].time) / moment.settings.unit if events else nan
    if amount:
        yield events[-1].amount if events else nan


# --- pair: earlier events between the two ends ---


def _pair_names(settings: EventSettings) -> tuple[list[str], list[str]]:
    numbers = ["events", "sum"] if settings.has_amounts else ["events"]
    last = ["since", "last"] if settings.has_amounts else ["since"]
    per_window = [f"{direction}_{name}" for direction in ("pair", "reverse") for name in numbers]
    return [*per_window, "common_partners"], [
        *(f"{direction}_{name}" for direction in ("pair", "reverse") for name in last),
        "pair_is_new",
    ]


def _pair_values(moment: _Moment) -> Iterator[float]:
    """Yield numbers of the pair.

    - pair events, sum: how many earlier events of the window go from the source to the target, and their amounts.
    - reverse events, sum: the same from the target to the source.
    - common partners: how many other nodes have an earlier event of the window with both ends, in any direction.
    - pair and reverse since, last: as in `ends`, of these events in the longest window.
    - pair is new: 1 if the longest window has no earlier event from the source to the target, else 0.
    """
    settings = moment.settings
    source, target = moment.event[:2]
    ways = ((source, target), (target, source))
    for events in moment.windows():
        for ends in ways:
            amounts = [each.amount for each in events if each[:2] == ends]
            yield len(amounts)
            if settings.has_amounts:
                yield amount_sum(amounts)
        links = _links(events)
        yield len((links.get(source, {}).keys() & links.get(target, {}).keys()) - {source, target})
    for ends in ways:
        yield from _last(
            moment, [each for each in moment.longest if each[:2] == ends], amount=settings.has_amounts
        )
    yield float(all(each[:2] != ways[0] for each in moment.longest))


#: Node to partner to (events to the partner, events from the partner); loops are left out.
Links: TypeAlias = dict[int, dict[int, tuple[int, int]]]


def _links(events: Sequence[Event]) -> Links:
    links: Links = {}
    for each in events:
        if each.source != each.target:
            out, into = links.setdefault(each.source, {}).get(each.target, (0, 0))
            links[each.source][each.target] = (out + 1, into)
            out, into = links.setdefault(each.target, {}).get(each.source, (0, 0))
            links[each.target][each.source] = (out, into + 1)
    return links


# --- ego: the rings around both ends, and third nodes around the pair ---


def _ego_names(settings: EventSettings) -> tuple[list[str], list[str]]:
    bins = [(into, out) for into in MULTIPLICITY_BINS for out in MULTIPLICITY_BINS if (into, out) != (0, 0)]
    rings = [
        f"{end}_ring{distance}_in{into}_out{out}"
        for end in ("source", "target")
        for distance in range(1, settings.radius + 1)
        for into, out in bins
    ]
    pairs = [f"third_{one}_{two}" for one in RELATIONS for two in RELATIONS if (one, two) != ("none", "none")]
    far = [*map(str, range(1, settings.radius + 1)), "far"]
    cells = [f"third_d{one}_d{two}" for one in far for two in far if (one, two) != ("far", "far")]
    return [*rings, *pairs, *(cells if settings.radius > 1 else [])], []


def _ego_values(moment: _Moment) -> Iterator[float]:
    """Yield histograms of the nodes around the two ends.

    - ring: the ego-network of an end has the nodes within `radius` steps of it, along events of the window in any
      direction, and all events between them. How many nodes at a distance have `in` events to them and `out` events
      from them inside the ego-network, in bins 0, 1, 2 to 3, and 4 or more (named after their first number).
    - third: how many nodes other than the two ends are linked with the source as the first word says, and with the
      target as the second: the end sent to them (out), received from them (in), both, or none of these.
    - third by distances, for a radius above 1: how many other nodes are at these distances from the source and from
      the target, along events in any direction that are not between the two ends; farther than `radius` is "far".
    """
    settings, (source, target) = moment.settings, moment.event[:2]
    for events in moment.windows(own=True):
        links = _links(events)
        for end in (source, target):
            yield from _ring_values(links, end, settings.radius)
        others = (links.get(source, {}).keys() | links.get(target, {}).keys()) - {source, target}
        pairs = Counter(
            (_relation(links, source, third), _relation(links, target, third)) for third in others
        )
        yield from (pairs[one, two] for one in range(4) for two in range(4) if one or two)
        if settings.radius > 1:
            apart = _links([each for each in events if {*each[:2]} != {source, target}])
            distances = [_distances(apart, end, settings.radius) for end in (source, target)]
            nodes = (distances[0].keys() | distances[1].keys()) - {source, target}
            far = settings.radius + 1
            cells = Counter((distances[0].get(node, far), distances[1].get(node, far)) for node in nodes)
            steps = range(1, far + 1)
            yield from (cells[one, two] for one in steps for two in steps if (one, two) != (far, far))


def _ring_values(links: Links, root: int, radius: int) -> Iterator[float]:
    distance = _distances(links, root, radius)
    cells: Counter[tuple[int, int, int]] = Counter()
    for node, here in distance.items():
        inside = [counts for other, counts in links.get(node, {}).items() if other in distance]
        out, into = (sum(counts[side] for counts in inside) for side in (0, 1))
        cells[here, _bin(into), _bin(out)] += 1
    size = len(MULTIPLICITY_BINS)
    for here in range(1, radius + 1):
        yield from (cells[here, into, out] for into in range(size) for out in range(size) if into or out)


def _bin(count: int) -> int:
    return sum(count >= begin for begin in MULTIPLICITY_BINS) - 1


def _relation(links: Links, end: int, third: int) -> int:
    out, into = links.get(end, {}).get(third, (0, 0))
    return (out > 0) + 2 * (into > 0)


def _distances(links: Links, root: int, radius: int) -> dict[int, int]:
    distance, ring = {root: 0}, [root]
    for here in range(1, radius + 1):
        ring = list(dict.fromkeys(x for node in ring for x in links.get(node, {}) if x not in distance))
        distance |= dict.fromkeys(ring, here)
    return distance


# --- cycles: money that comes back, and money that is split and gathered ---


def _cycles_names(settings: EventSettings) -> tuple[list[str], list[str]]:
    lengths = [f"cycles_of_{length}" for length in range(2, settings.cycle_length + 1)]
    return [*lengths, "scatter_gather", "scatter_gather_origins"], ["cycle_span"]


def _cycles_values(moment: _Moment) -> Iterator[float]:
    """Yield numbers of cycles and of scatter-gather patterns that the event completes.

    - cycles of a length: how many sequences of different nodes target, ..., source there are such that earlier events
      of the window lead from each to the next, each event later in event order than the one before. The event closes
      them. A sequence counts once, however many events it has.
    - scatter gather: an origin has sent to the source. Its intermediaries are the source, and every other node to which
      it has sent before (in event order) that node has sent to the target, in the window. This is the largest number of
      intermediaries of an origin; origins are neither source nor target, and 0 means that there is none.
    - scatter gather origins: how many origins have two intermediaries or more.
    - cycle span: the shortest time from the first event of a cycle to this event, over all lengths, in the longest
      window; NaN if it closes none.
    """
    settings, event = moment.settings, moment.event
    for events in moment.windows():
        cycles = list(_cycles(events, event, settings.cycle_length))
        sizes = Counter(len({*nodes}) for nodes, _ in cycles)
        yield from (sizes[length] for length in range(2, settings.cycle_length + 1))
        origins = _origins(events, event)
        yield max(origins.values(), default=0)
        yield sum(count > 1 for count in origins.values())
    spans = [event.time - begin for _, begin in _cycles(moment.longest, event, settings.cycle_length)]
    yield min(spans) / settings.unit if spans else nan


def _cycles(events: Sequence[Event], own: Event, longest: int) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield the nodes of every cycle, and the latest time at which its first event may be.

    Going back from the source, the last event that is still early enough leaves the most time for those before it.
    """

    def back(path: tuple[int, ...], before: int) -> Iterator[tuple[tuple[int, ...], float]]:
        latest: dict[int, int] = {}
        for position in range(before):
            if events[position].target == path[0]:
                latest[events[position].source] = position
        for node, position in latest.items():
            if node == own.target:
                yield (node, *path), events[position].time
            elif node not in path and len(path) < longest - 1:
                yield from back((node, *path), position)

    if own.source != own.target:
        yield from back((own.source,), len(events))


def _origins(events: Sequence[Event], own: Event) -> Counter[int]:
    """Return for every origin how many intermediaries it has."""
    first: dict[tuple[int, int], int] = {}
    last: dict[tuple[int, int], int] = {}
    for position, each in enumerate(events):
        first.setdefault(each[:2], position)
        last[each[:2]] = position
    source, target = own[:2]
    ends = {source, target}
    origins = Counter({one: 1 for one, two in first if two == source and one not in ends})
    if source == target:
        return Counter()
    for (origin, between), position in first.items():
        if origin in origins and between not in (origin, *ends):
            origins[origin] += last.get((between, target), -1) > position
    return origins


#: Group to its names (per window, and without window) and its values.
_GROUPS = {
    "ends": (_ends_names, _ends_values),
    "pair": (_pair_names, _pair_values),
    "ego": (_ego_names, _ego_values),
    "cycles": (_cycles_names, _cycles_values),
}
