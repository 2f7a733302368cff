"""Random rows per event against definitions written from the pages alone, with lists and filters.

Nothing here reads a kernel, its reference or an internal module: the events that a row knows are a filtered list, and
every column is computed from that list alone. `python -m fuzz rows` prints how many rows were equal.
"""

import math
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, permutations
from pathlib import Path
from random import Random
from typing import Any

import egonet

Values = dict[str, float]
NAN = math.nan


@dataclass(frozen=True)
class Event:
    """One row of a table of events; `number` is its place in the order of time."""

    number: int
    source: Any
    target: Any
    time: float
    amount: float
    kind: str
    is_kept: bool


@dataclass
class Options:
    """What is counted: the parameters of `EventEncoder`."""

    windows: tuple[int | None, ...]
    groups: tuple[str, ...]
    order: str
    own: bool
    radius: int
    cycle_length: int

    @property
    def longest(self) -> int | None:
        """Return the longest window, for columns that exist once."""
        return None if None in self.windows else max(w for w in self.windows if w is not None)


def earlier_events(history: list[Event], options: Options, at: Event, window: int | None) -> list[Event]:
    """Return the events that a row knows without its own, of one window."""
    known = [
        event
        for event in history
        if event.is_kept and (event.number < at.number if options.order == "row" else event.time < at.time)
    ]
    return [event for event in known if window is None or at.time - window < event.time]


def end_columns(events: list[Event], kinds: list[str]) -> Values:
    """Return the columns of one end in one direction; every event has the other end in `target`."""
    amounts = [event.amount for event in events]
    partners = Counter(event.target for event in events)
    columns = {
        "events": float(len(events)),
        "partners": float(len(partners)),
        "repeated": sum(count >= 2 for count in partners.values()) / len(partners) if partners else 0.0,
        "sum": float(sum(map(Fraction, amounts), Fraction())),
        "mean": float(sum(map(Fraction, amounts), Fraction())) / len(amounts) if amounts else NAN,
        "min": min(amounts, default=NAN),
        "max": max(amounts, default=NAN),
    }
    return columns | {f"events_{kind}": float(sum(event.kind == kind for event in events)) for kind in kinds}


def sent_and_received(events: list[Event], node: Any) -> Iterator[tuple[str, list[Event]]]:
    """Yield a name of a direction and the events of a node in it, turned so that the node is the source."""
    yield "out", [event for event in events if event.source == node]
    yield (
        "in",
        [
            Event(e.number, e.target, e.source, e.time, e.amount, e.kind, e.is_kept)
            for e in events
            if e.target == node
        ],
    )


def degree_bin(count: int) -> int:
    """Return the lowest number of the bin of a number of events: 0, 1, 2 to 3, 4 and more."""
    return next(low for low in (4, 2, 1, 0) if count >= low)


def steps_from(events: list[Event], root: Any) -> dict[Any, int]:
    """Return the distance of every node that events connect with the root, along them in any direction."""
    reached = {root: 0}
    found = [root]
    for node in found:
        for event in events:
            for one, other in ((event.source, event.target), (event.target, event.source)):
                if one == node and other not in reached:
                    reached[other] = reached[node] + 1
                    found.append(other)
    return reached


def ring_columns(events: list[Event], root: Any, radius: int) -> Values:
    """Return the numbers of nodes on every ring by their events inside the ego-network of the root."""
    events = [event for event in events if event.source != event.target]
    near = {node: steps for node, steps in steps_from(events, root).items() if steps <= radius}
    inside = [event for event in events if event.source in near and event.target in near]
    columns: Counter[str] = Counter()
    for node, ring in near.items():
        if ring:
            into = degree_bin(sum(event.target == node for event in inside))
            from_it = degree_bin(sum(event.source == node for event in inside))
            columns[f"ring{ring}_in{into}_out{from_it}"] += 1
    return {name: float(count) for name, count in columns.items()}


def third_columns(events: list[Event], at: Event, radius: int) -> Values:
    """Return the numbers of other nodes by how they are linked with both ends."""
    source, target = at.source, at.target
    events = [event for event in events if event.source != event.target]
    columns: Counter[str] = Counter()
    nodes = {end for event in events for end in (event.source, event.target)} - {source, target}

    def relation(end: Any, node: Any) -> str:
        sent = any((event.source, event.target) == (end, node) for event in events)
        received = any((event.source, event.target) == (node, end) for event in events)
        return {(True, True): "both", (True, False): "out", (False, True): "in"}.get((sent, received), "none")

    for node in nodes:
        name = f"third_{relation(source, node)}_{relation(target, node)}"
        if name != "third_none_none":
            columns[name] += 1
    if radius > 1:
        others = [event for event in events if {event.source, event.target} != {source, target}]
        from_source, from_target = steps_from(others, source), steps_from(others, target)
        for node in nodes:
            both = [reached.get(node, math.inf) for reached in (from_source, from_target)]
            if min(both) <= radius:
                columns["third_" + "_".join(f"d{d}" if d <= radius else "dfar" for d in both)] += 1
    return {name: float(count) for name, count in columns.items()}


def pair_columns(events: list[Event], at: Event) -> Values:
    """Return the earlier events of the pair in one window."""
    pair = [event for event in events if (event.source, event.target) == (at.source, at.target)]
    reverse = [event for event in events if (event.source, event.target) == (at.target, at.source)]
    partners = [
        {e.target for e in events if e.source == end} | {e.source for e in events if e.target == end}
        for end in (at.source, at.target)
    ]
    return {
        "pair_events": float(len(pair)),
        "pair_sum": float(sum(event.amount for event in pair)),
        "reverse_events": float(len(reverse)),
        "reverse_sum": float(sum(event.amount for event in reverse)),
        "common_partners": float(len((partners[0] & partners[1]) - {at.source, at.target})),
    }


def last_columns(name: str, events: list[Event], at: Event) -> Values:
    """Return the time since the last of some events, and its amount."""
    if not events:
        return {f"{name}_since": NAN, f"{name}_last": NAN}
    last = max(events, key=lambda event: event.number)
    return {f"{name}_since": at.time - last.time, f"{name}_last": last.amount}


def cycle_spans(events: list[Event], at: Event, longest: int) -> dict[tuple[Any, ...], float]:
    """Return for every cycle that an event closes (its nodes from the target on) the shortest duration."""
    spans: dict[tuple[Any, ...], float] = {}
    if at.source == at.target:
        return spans
    others = {end for event in events for end in (event.source, event.target)} - {at.source, at.target}
    for size in range(longest - 1):
        for middle in permutations(sorted(others, key=str), size):
            nodes = (at.target, *middle, at.source)
            starts = [
                event.time
                for event in events
                if (event.source, event.target) == nodes[:2] and follows(events, event.number, nodes[1:])
            ]
            if starts:
                spans[nodes] = at.time - max(starts)
    return spans


def follows(events: list[Event], number: int, nodes: tuple[Any, ...]) -> bool:
    """Return whether events go from node to node, each later than the one before and than a number."""
    for pair in pairwise(nodes):
        later = [e.number for e in events if (e.source, e.target) == pair and e.number > number]
        if not later:
            return False
        number = min(later)
    return True


def scatter_columns(events: list[Event], at: Event) -> Values:
    """Return how many intermediaries one origin reaches the target through, and how many origins have two."""
    events = [event for event in events if event.source != event.target]
    sizes = []
    if at.source != at.target:
        for origin in {event.source for event in events if event.target == at.source}:
            if origin != at.target:
                first: dict[Any, int] = {}
                for event in events:
                    if event.source == origin:
                        first.setdefault(event.target, event.number)
                gathered = {
                    event.source
                    for event in events
                    if event.target == at.target and first.get(event.source, event.number) < event.number
                }
                sizes.append(len(gathered | {at.source}))
    return {
        "scatter_gather": float(max(sizes, default=0)),
        "scatter_gather_origins": float(sum(size >= 2 for size in sizes)),
    }


def event_row(history: list[Event], options: Options, at: Event, kinds: list[str]) -> Values:
    """Return the row of an event by the names of its columns; columns that are not in it are 0."""
    row: Values = {}
    longest = earlier_events(history, options, at, options.longest)
    for window in options.windows:
        suffix = "all" if window is None else str(window)
        known = earlier_events(history, options, at, window)
        counted = [*known, at] if options.own else known
        columns: Values = {}
        if "ends" in options.groups:
            for end, node in (("source", at.source), ("target", at.target)):
                for way, events in sent_and_received(counted, node):
                    columns |= {
                        f"{end}_{way}_{name}": value for name, value in end_columns(events, kinds).items()
                    }
        if "pair" in options.groups:
            columns |= pair_columns(known, at)
        if "ego" in options.groups:
            for end, node in (("source", at.source), ("target", at.target)):
                rings = ring_columns(counted, node, options.radius)
                columns |= {f"{end}_{name}": value for name, value in rings.items()}
            columns |= third_columns(counted, at, options.radius)
        if "cycles" in options.groups:
            lengths = Counter(len(nodes) for nodes in cycle_spans(known, at, options.cycle_length))
            columns |= {f"cycles_of_{length}": float(count) for length, count in lengths.items()}
            columns |= scatter_columns(known, at)
        row |= {f"{name}_{suffix}": value for name, value in columns.items()}
    if "ends" in options.groups:
        for end, node in (("source", at.source), ("target", at.target)):
            for way, events in sent_and_received(longest, node):
                row |= last_columns(f"{end}_{way}", events, at)
    if "pair" in options.groups:
        pair = [event for event in longest if (event.source, event.target) == (at.source, at.target)]
        reverse = [event for event in longest if (event.source, event.target) == (at.target, at.source)]
        row |= last_columns("pair", pair, at) | last_columns("reverse", reverse, at)
        row["pair_is_new"] = float(not pair)
    if "cycles" in options.groups:
        spans = cycle_spans(longest, at, options.cycle_length)
        row["cycle_span"] = min(spans.values(), default=NAN)
    return row


def node_row(
    history: list[Event], options: Options, node: Any, moment: tuple[float, int], kinds: list[str]
) -> Values:
    """Return the row of a node at a time: the columns of one end, of the events before the moment."""
    time, number = moment
    at = Event(number, node, node, time, 0.0, "", False)
    row: Values = {}
    for window in options.windows:
        suffix = "all" if window is None else str(window)
        known = earlier_events(history, options, at, window)
        columns: Values = {}
        if "ends" in options.groups:
            for way, events in sent_and_received(known, node):
                columns |= {f"{way}_{name}": value for name, value in end_columns(events, kinds).items()}
        if "ego" in options.groups:
            columns |= ring_columns(known, node, options.radius)
        row |= {f"{name}_{suffix}": value for name, value in columns.items()}
    if "ends" in options.groups:
        longest = earlier_events(history, options, at, options.longest)
        for way, events in sent_and_received(longest, node):
            row |= last_columns(way, events, at)
    return row


def draw_history(rng: Random) -> list[Event]:
    """Return random events in order of time, with ties, loops, repeats and refunds."""
    num_nodes = rng.randrange(2, 7)
    name = rng.choice([lambda node: node, lambda node: f"n{node}", lambda node: -node * 10**17])
    times = sorted(rng.randrange(rng.choice([6, 20])) for _ in range(rng.randrange(2, 22)))
    return [
        Event(
            number,
            name(rng.randrange(num_nodes)),
            name(rng.randrange(num_nodes)),
            time,
            rng.choice([0.5, 1.0, 2.25, -3.0, 1000.0]),
            rng.choice("xyz"),
            rng.random() < 0.8,
        )
        for number, time in enumerate(times)
    ]


def draw_options(rng: Random) -> Options:
    """Return random parameters of the encoder."""
    groups = tuple(name for name in ("ends", "pair", "ego", "cycles") if rng.random() < 0.6) or ("ends",)
    return Options(
        windows=rng.choice([(None,), (4,), (2, 9), (3, None), (1, 5, None)]),
        groups=groups,
        order=rng.choice(["row", "time"]),
        own=rng.random() < 0.6,
        radius=rng.choice([1, 1, 2, 3]),
        cycle_length=rng.choice([2, 3, 4]),
    )


def as_tuple(event: Event, with_keep: bool) -> tuple[Any, ...]:
    """Return an event as the encoder reads it."""
    row = (event.source, event.target, event.time, event.amount, event.kind)
    return (*row, event.is_kept) if with_keep else row


def same_values(row: Values, expected: Values) -> bool:
    """Return whether two rows have the same numbers; a column that `expected` has not is 0."""
    return set(expected) <= set(row) and all(
        value == expected.get(name, 0.0) or (math.isnan(value) and math.isnan(expected.get(name, 0.0)))
        for name, value in row.items()
    )


def differing(row: Values, expected: Values) -> dict[str, tuple[Any, Any]]:
    """Return the columns that differ, for a message."""
    names = [*row, *(name for name in expected if name not in row)]
    pairs = {name: (row.get(name), expected.get(name, 0.0)) for name in names}
    return {
        name: pair for name, pair in pairs.items() if repr(pair[0]) != repr(pair[1]) and pair[0] != pair[1]
    }


def parts_of(rng: Random, history: list[Event], order: str) -> list[list[Event]]:
    """Return the events cut into batches; with order="time" events of one time stay together."""
    parts: list[list[Event]] = []
    for event in history:
        is_tied = parts and parts[-1][-1].time == event.time and order == "time"
        if not parts or (rng.random() < 0.25 and not is_tied):
            parts.append([])
        parts[-1].append(event)
    return parts


def check_events(rng: Random, tally: Any) -> None:
    """Compare rows of events in one call, in batches with files between them, and shuffled; and rows of nodes."""
    history, options = draw_history(rng), draw_options(rng)
    with_keep = rng.random() < 0.5
    if not with_keep:
        history = [Event(**(event.__dict__ | {"is_kept": True})) for event in history]
    keywords = dict(options.__dict__, amount="amount", types="type", keep="keep" if with_keep else None)
    how = rng.choice(["one call", "batches", "transform", "shuffled"])
    encoder = egonet.EventEncoder(**keywords)
    parts = parts_of(rng, history, options.order)
    kinds = sorted({event.kind for event in (parts[0] if how in ("batches", "transform") else history)})
    rows = []
    if how == "one call":
        rows = [*encoder.fit_transform([as_tuple(event, with_keep) for event in history])]
    elif how == "shuffled":
        # Ties stay in their order, which is that of the rows.
        drawn = rng.sample(history, len(history))
        drawn = [
            tied for time in dict.fromkeys(e.time for e in drawn) for tied in history if tied.time == time
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            shuffled = encoder.fit_transform([as_tuple(event, with_keep) for event in drawn])
        rows = [shuffled[drawn.index(event)] for event in history]
    else:
        rows = [*encoder.fit_transform([as_tuple(event, with_keep) for event in parts[0]])]
        for part in parts[1:]:
            batch = [as_tuple(event, with_keep) for event in part]
            if rng.random() < 0.3:
                with tempfile.TemporaryDirectory() as folder:
                    encoder.save(Path(folder) / "events.npz")
                    encoder = egonet.EventEncoder.open(Path(folder) / "events.npz")
            if how == "transform":
                rows += [*encoder.transform(batch)]
                encoder.partial_fit(batch)
            else:
                rows += [*encoder.partial_fit_transform(batch)]
    names = encoder.get_feature_names_out().tolist()
    case = (options, how, [as_tuple(event, with_keep) for event in history])
    for event, values in zip(history, rows, strict=True):
        row = dict(zip(names, map(float, values), strict=True))
        expected = event_row(history, options, event, kinds)
        tally.add("event", same_values(row, expected), event, differing(row, expected), case)
    if not {"ends", "ego"} & set(options.groups):
        return
    names = encoder.node_feature_names_out().tolist()
    nodes = [event.source for event in history] + [event.target for event in history]
    asked = [(rng.choice(nodes), rng.randrange(23)) for _ in range(4)]
    batch = [as_tuple(event, with_keep) for event in history]
    values = encoder.without_data().transform_nodes(asked, events=batch)
    for (node, time), numbers in zip(asked, values, strict=True):
        last = max((event.number for event in history if event.time <= time), default=-1)
        row = dict(zip(names, map(float, numbers), strict=True))
        expected = node_row(history, options, node, (time, last + 1), kinds)
        tally.add("node of events", same_values(row, expected), (node, time), differing(row, expected), case)
