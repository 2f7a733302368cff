"""`Stream`: events are added as they happen, old ones expire, and features are read at any time."""

import threading
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, Unpack, get_args

import numpy as np

from egonet.checks import as_threads, one_of
from egonet.encoding.encoding import Encoding
from egonet.encoding.request import add_columns, make_request
from egonet.encoding.ring_statistics import RingStatistics, Statistic, check_statistics
from egonet.encoding.settings import (
    Radius,
    Settings,
    SettingsOptions,
    take_options,
)
from egonet.encoding.signature import list_class_options, list_options
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary
from egonet.errors import InputError, show_value
from egonet.graph.adapters import as_list
from egonet.graph.align import as_categories
from egonet.graph.columns import EDGE_ROLES, Categories, EdgeOptions
from egonet.graph.index import as_id_list, check_ids, id_array, is_encodable, other_type
from egonet.graph.input_options import Ids, Missing
from egonet.tables.events import EventBatch
from egonet.tables.schemas import EventColumns
from egonet.tables.times import (
    EXACT,
    Closed,
    Kind,
    Times,
    as_times,
    as_window,
    plain_time,
    plain_window,
    same_numbers,
    shown_time,
    window_start,
)
from egonet.temporal.as_of import distance_direction, event_direction, window_settings
from egonet.temporal.event_types import EventTypes, TypedEdge
from egonet.temporal.events import as_events, check_same_kind, check_sorted, find_large, reject_id_drift
from egonet.temporal.ring_values import check_weighted, read_numbers, ring_values
from egonet.temporal.saved import SavedStream, read_stream, write_stream
from egonet.temporal.window import FEW, EventWindow
from egonet.temporal.window_rows import ModelColumns, WindowRows
from egonet.typing import Directed, Int32s

#: What happens to an event that is earlier than what the stream has already seen or answered.
Late: TypeAlias = Literal["error", "merge"]
Made = TypeVar("Made")
#: Ids of nodes that have left the window are forgotten when there are more of them than of others, and this many.
_SPARE_IDS = 1024
_COUNTS = ("num_added", "num_loops", "num_late", "num_expired")


class StreamOptions(SettingsOptions, EdgeOptions):
    """The keywords of `Stream` that say what is counted, and which column has the types of events."""


@list_class_options
class Stream:
    """A graph of recent events, with the features of its nodes.

    An edge exists while at least one event between its ends is in the window. Memory grows with the number of events
    in the window, not with the number of events ever added. Threads that share a stream use it one after another.

    Parameters
    ----------
    settings
        What is counted: `Settings`, or a radius (2 if not given).
    window
        How long an event counts: "7d" or a timedelta for dates, a number for numbers; None keeps all events.
    closed
        Which events `features(nodes, time=t)` uses: "left" t - window <= time < t, "right" t - window < time <= t.
    late
        What `add` does with an event that is earlier than an added event, or than the time of an earlier query:
        "error", or "merge" it in order of time. An event older than the window is dropped and counted.
    vocabulary, unseen
        The columns of an earlier encoding, and what happens to keys without a column, as in `encode`. Without a
        vocabulary the columns of each result are the keys that occur in it.
    directed
        "out" or "in" follows events that way; None and False read them as undirected. With degrees="in_out" the
        direction of events is always kept.
    edge_labels
        The name of the column with the type of every event; events as tuples have it after the time. As in `encode`, an
        event of type t is a node labeled t between its ends.
    weights
        The name of the column with a number per event, given like `edge_labels`; the `weight_bins` of the settings
        ("log" or limits) make types of them.
    threads
        How many threads count; one per core if not given.
    radius, degrees, frontier_edges, max_degree, degree_bins, layout
        What is counted, as for `encode`, instead of a record. A stream does not support layout="paper".
    follow, weight_bins, count, rooted, common, cap, depth
        The first three as for `encode`; count="events" counts events instead of partners. A stream supports none of the
        others.

    Attributes
    ----------
    num_events, num_nodes
        The events in the window of the latest time, its first moment included, and their nodes.
    num_edges
        The current edges (arcs, if events have directions); edges of two types between two nodes are two.
    num_added, num_loops, num_late, num_expired
        How many events were added; how many of these were dropped because both ends are one node, were late, and were
        older than the window.

    Examples
    --------
    >>> stream = Stream(1, window=2, closed="right")
    >>> stream.add([("a", "b", 1), ("b", "c", 2)])
    >>> stream.features(["b"])["b"]
    {(0, 2): 1, (1, 1): 2}
    >>> stream.add([("c", "d", 3)])
    >>> stream.features(["b"])["b"], stream.num_edges
    ({(0, 1): 1, (1, 1): 1}, 2)

    Distances count half steps if events have types: "a" has two edges, one of each type.

    >>> stream = Stream(1, edge_labels="kind", closed="right")
    >>> stream.add([("a", "b", 1, "call"), ("a", "b", 2, "text")])
    >>> stream.features(["a"])["a"]
    {(0, 2): 1, (1, 2, 'call'): 1, (1, 2, 'text'): 1, (2, 2): 1}
    """

    @list_options
    def __init__(
        self,
        settings: Settings | Radius | None = None,
        window: Any = None,
        *,
        closed: Closed = "left",
        late: Late = "error",
        vocabulary: Vocabulary | Encoding | None = None,
        unseen: UnseenPolicy = "clip",
        directed: Directed = None,
        threads: int | None = None,
        **options: Unpack[StreamOptions],
    ) -> None:
        counting: Any = dict(options)
        self.columns: dict[str, Any] = dict.fromkeys(EDGE_ROLES) | take_options(counting, EdgeOptions)
        roles = self._given_columns()
        request = make_request("stream", settings, counting, vocabulary=vocabulary, unseen=unseen)
        self.settings = request.settings
        self.directed = event_direction(directed, self.settings)
        self._request = add_columns(request, roles, self.directed)
        self._role = next(iter(roles), None)
        self._types = None if self._role is None else EventTypes(self._request.schema)
        one_of("closed", closed, get_args(Closed))
        one_of("late", late, get_args(Late))
        self.window, self.closed, self.late, self.unseen = window, closed, late, unseen
        self.threads = as_threads(threads)
        self.num_added = self.num_loops = self.num_late = self.num_expired = 0
        # Reading moves the window too, and the kernel reads and changes its graph without the GIL.
        self._lock = threading.RLock()
        self._kind: Kind | None = None
        self._row_of: dict[Hashable, int] = {}
        self._large: int | None = None
        self._window = EventWindow(
            self.directed, both=self.settings.degrees == "in_out", has_amounts=self._role == "weights"
        )
        self._steps = 1 if self._types is None else 2
        self._counted = [
            window_settings(self.settings, self._steps * each, self.directed) for each in self.settings.radius
        ]
        self._model = None if request.vocabulary is None else ModelColumns(request.vocabulary, unseen)

    def __repr__(self) -> str:
        return (
            f"Stream({self.settings}, window={self.window!r}, num_events={self.num_events}, now={self.now})"
        )

    @property
    def num_events(self) -> int:
        """Return how many events are kept.

        Examples
        --------
        >>> stream = Stream(radius=1)
        >>> _ = stream.add([("a", "b", 1), ("b", "c", 2)])
        >>> stream.num_events
        2
        """
        with self._lock:
            return len(self._window.log) // self._steps

    @property
    def num_nodes(self) -> int:
        """Return how many nodes have an event in the window.

        Examples
        --------
        >>> stream = Stream(radius=1)
        >>> _ = stream.add([("a", "b", 1), ("b", "c", 2)])
        >>> stream.num_nodes
        3
        """
        with self._lock:
            return len(np.union1d(*self._ends()))

    def _ends(self) -> tuple[Int32s, Int32s]:
        """Return the rows of both ends of every event that is kept."""
        log, steps = self._window.log, self._steps
        return log.sources[::steps], log.targets[steps - 1 :: steps]

    def _given_columns(self) -> list[str]:
        """Return the keywords of the columns of events that are given."""
        named_columns = {name: value for name, value in self.columns.items() if value is not None}
        for name, value in named_columns.items():
            if not isinstance(value, str):
                raise InputError(
                    f"{name} must be the name of a column of the events, got {show_value(value)}. Give tables with "
                    "this column, or tuples with a fourth value."
                )
        return list(named_columns)

    @property
    def num_edges(self) -> int:
        """Return the number of edges of the graph as of `now`.

        Examples
        --------
        >>> stream = Stream(radius=1)
        >>> _ = stream.add([("a", "b", 1), ("b", "c", 2)])
        >>> stream.num_edges  # an event counts after its own time
        1
        """
        with self._lock:
            self._window.move(*self._window.range_at(self._window.clock, self.closed))
            return self._window.graph.num_arcs // (1 if self.directed else 2) // self._steps

    @property
    def now(self) -> Any:
        """Return the latest time of an event or a query, as a number or a date; None before the first event.

        Examples
        --------
        >>> stream = Stream(radius=1)
        >>> _ = stream.add([("a", "b", 1), ("b", "c", 2)])
        >>> stream.now
        2
        """
        clock = self._window.clock
        return clock if clock is None or self._kind == "numbers" else np.datetime64(int(clock), "ns")

    def add(
        self,
        events: Any,
        *,
        source: str | None = None,
        target: str | None = None,
        time: str = "time",
        time_format: str | None = None,
        missing: Missing = None,
        ids: Ids = None,
    ) -> None:
        """Add events: a table, or triples (source, target, time), in order of time.

        If an event is invalid, none of them is added. `time_format`, such as "%d.%m.%Y", is that of times in text
        (`datetime.strptime`); without it they are dates such as 2024-01-31T12:00:00. `missing` and `ids` are as in
        `as_graph`: "drop" leaves out rows with a missing value, "text" reads all ids as text.

        Examples
        --------
        >>> stream = Stream(1)
        >>> stream.add([("a", "b", 5)])
        >>> stream.add([("b", "c", 4)])
        Traceback (most recent call last):
            ...
        egonet.errors.InputError: 1 of 1 events are late, first event 0 (counted from 0) at 4, but the stream is at 5. \
Drop them, or make the stream with late="merge".
        """
        is_plain = type(events) is list and time_format is None and ids is None and self._types is None
        is_plain = is_plain and source is None and target is None and isinstance(time, str)
        with self._lock:
            if is_plain and len(events) <= FEW and self._add_few(events):
                return
        keyword = self._role or "edge_labels"
        named = self.columns[keyword]
        columns = EventColumns(source, target, time, None, named, time_format, keyword=keyword)
        table = as_events(as_list(events), columns, missing=missing, ids=ids)
        if len(table.times.values):
            with self._lock:
                self._add(table)

    def _add(self, table: EventBatch) -> None:
        """Add the events of a table, all or none."""
        if self.late == "error":
            check_sorted(table.times, 'Sort them, or make the stream with late="merge".')
        length = self._length(table.times, "new events")
        times, window = self._exact(table.times.values, length), self._window
        late, expired = _late_events(times, window.clock, length)
        if late.any() and self.late == "error":
            raise InputError(
                f"{int(late.sum()):,} of {len(times):,} events are late, first event 0 (counted from 0) at "
                f"{self._shown(times[0])}, but the stream is at {self._shown(window.clock)}. "
                'Drop them, or make the stream with late="merge".'
            )
        nodes = table.ids.tolist() if isinstance(table.ids, np.ndarray) else list(table.ids)
        large = self._check_new(nodes)
        kinds = None if self._types is None else self._types.read(table.types or [])
        amounts = read_numbers(table.types or []) if self._role == "weights" else None
        # Nothing below raises: a batch is added whole or not at all.
        self._large = large
        self._kind, window.length = table.times.kind if self._kind is None else self._kind, length
        rows = self._rows(nodes)
        sources, targets = rows[0::2], rows[1::2]
        loops = sources == targets
        self.num_added += len(times)
        self.num_loops += int(loops.sum())
        self.num_late += int(late.sum())
        self.num_expired += int((expired & ~loops).sum())
        places = np.argsort(times, kind="stable")
        places = places[~(loops | expired)[places]]
        moments = times[places]
        before = 0 if window.clock is None else int(np.searchsorted(moments, window.clock, side="left"))
        arcs = sources[places], targets[places]
        more = () if amounts is None else (np.repeat(amounts[places], 2),)
        if kinds is not None:
            arcs = self._typed_arcs(*arcs, Categories(kinds.numbers[places], kinds.names))
            moments, before = np.repeat(moments, 2), 2 * before
        parts = (*arcs, moments, *more)
        for late_event in zip(*(part[:before].tolist() for part in parts), strict=True):
            window.merge(*late_event)
        window.append(*(part[before:] for part in parts))
        self._advance(times.max().item())

    def _typed_arcs(self, sources: Int32s, targets: Int32s, kinds: Categories) -> tuple[Int32s, Int32s]:
        """Return two arcs for every event: to and from the node of its type between its ends."""
        types, row_of, ids = self._types, self._row_of, list(self._row_of)
        assert types is not None
        numbers, names = types.add(kinds), kinds.values()
        middle = []
        for source, target, kind in zip(sources.tolist(), targets.tolist(), names, strict=True):
            ends = (source, target) if self.directed or source < target else (target, source)
            edge = TypedEdge(ids[ends[0]], ids[ends[1]], kind)
            middle.append(row_of.setdefault(edge, len(row_of)))
        types.set_labels(middle, numbers)
        self._window.graph.reserve(len(row_of))
        between = np.array(middle, dtype=np.int32)
        starts, ends_of = np.column_stack([sources, between]), np.column_stack([between, targets])
        return starts.reshape(-1).astype(np.int32), ends_of.reshape(-1).astype(np.int32)

    def _add_few(self, events: list[Any]) -> bool:
        """Add a few plain events in order; return False and change nothing if one is late or not plain."""
        window, times, new = self._window, [], set()
        latest, has_whole_times = window.clock, window.log.has_whole_times
        if type(window.length) is float and has_whole_times:  # beyond 2**53 this would round
            return False
        if latest is None or self._large is not None:
            return False
        for event in events:
            if type(event) is not tuple or len(event) != 3:
                return False
            time = plain_time(event[2], self._kind)
            if time is None or time < latest or (type(time) is int) != has_whole_times:
                return False
            for node in event[:2]:
                if not _is_plain(node):
                    return False
                if node not in self._row_of and (twin := other_type(node)) is not None:
                    new.add(type(node))
                    if twin in self._row_of or len(new) == 2:  # 1 and "1"
                        return False
            latest = time
            times.append(time)
        row_of = self._row_of
        for (source, target, _), time in zip(events, times, strict=True):
            first = row_of.setdefault(source, len(row_of))
            second = row_of.setdefault(target, len(row_of))
            window.graph.reserve(len(row_of))
            self.num_loops += first == second
            window.append_one(first, second, time)
        self.num_added += len(events)
        self._forget_spare()
        return True

    def features(self, nodes: Iterable[Hashable], time: Any = None) -> Encoding:
        """Return the rows of some nodes as of a time; a node without an event in the window is an isolated node.

        So is a node that no event ever had, because a stream forgets nodes. All rows are as of one time, so a row is
        named by its node alone; those of `TemporalEncoder` are named (node, time).

        Parameters
        ----------
        nodes
            Ids, in the order of the rows.
        time
            The time of the query, not before an added event or an earlier query; `now` if None.

        Examples
        --------
        An event counts from the moment after it on, unless the stream is `closed="right"`.

        >>> stream = Stream(1)
        >>> stream.add([("a", "b", 1)])
        >>> stream.features(["a"])["a"], stream.features(["a"], time=2)["a"]
        ({(0, 0): 1}, {(0, 1): 1, (1, 1): 1})
        """
        return self._as_of(time, nodes, self._encode)

    def ring_statistics(
        self,
        nodes: Iterable[Hashable],
        statistics: Sequence[Statistic] = ("sum", "mean", "min", "max"),
        time: Any = None,
    ) -> RingStatistics:
        """Return statistics of the weights of events at every distance from some nodes, as of a time.

        They are those of `TemporalEncoder.ring_statistics`, of the events in the window. Every call reads the whole
        window once, for all of its nodes.

        Parameters
        ----------
        nodes, time
            As for `features`.
        statistics
            Any of "sum", "mean", "min", "max" and "count".

        Examples
        --------
        >>> stream = Stream(2, window=3, weights="amount", weight_bins=[10], closed="right")
        >>> stream.add([("a", "b", 1, 5), ("b", "c", 3, 9)])
        >>> stream.ring_statistics(["a"], ["sum"])["a"]
        {'event_d0_amount_sum': 5.0, 'event_d1_amount_sum': 9.0}
        >>> stream.ring_statistics(["c"], ["sum"], time=4)["c"]
        {'event_d0_amount_sum': 9.0, 'event_d1_amount_sum': 0.0}
        """
        check_weighted(self._role)
        radius = max(self.settings.radius)
        check_statistics(radius, statistics)
        return self._as_of(time, nodes, lambda asked: self._ring_statistics(asked, radius, statistics))

    def _ring_statistics(
        self, asked: list[Any], radius: int, statistics: Sequence[Statistic]
    ) -> RingStatistics:
        """Return the statistics of some nodes in the graph as it is."""
        self._check_asked(asked)
        row_of, inside, log = self._row_of, self._window.in_graph, self._window.log
        assert log.amounts is not None
        table, names = ring_values(
            log.sources[inside][::2],
            log.targets[inside][1::2],
            log.amounts[inside][::2],
            np.array([row_of.get(node, -1) for node in asked], dtype=np.int32),
            np.empty(len(row_of), dtype=np.int32),
            radius=radius,
            statistics=statistics,
            name=self.columns["weights"],
            directed=distance_direction(self.directed, self.settings),
            threads=self.threads,
            name_node=lambda row: show_value(list(row_of)[row]),
        )
        return RingStatistics(table, id_array(asked), names)

    def _as_of(self, time: Any, nodes: Iterable[Hashable], make: Callable[[list[Any]], Made]) -> Made:
        """Return what `make` makes of some ids while the graph is as of a time, and move the clock to it."""
        asked = as_id_list("nodes", nodes)
        if not (len(asked) <= FEW and all(map(_is_plain, asked))):
            ids = check_ids(asked, lambda position: f"at position {position} (counted from 0)")
            asked = ids.tolist() if isinstance(ids, np.ndarray) else ids
        with self._lock:
            return self._make_at(time, asked, make)

    def _make_at(self, time: Any, asked: list[Any], make: Callable[[list[Any]], Made]) -> Made:
        window = self._window
        kind, moment = (self._kind, window.clock) if time is None else self._moment(time)
        length, window.length = window.length, self._length_of(kind)
        try:
            window.move(*window.range_at(moment, self.closed))
            made = make(asked)
        except BaseException:
            window.length = length
            raise
        self._kind = kind
        if moment is not None:
            self._advance(moment)
        return made

    def _check_asked(self, asked: list[Any]) -> None:
        """Raise for ids of another type than those of the events."""
        new = [node for node in asked if node not in self._row_of]
        reject_id_drift(new, self._row_of)
        self._check_range(new)

    def _encode(self, asked: list[Any]) -> Encoding:
        """Return the rows of some nodes in the graph as it is."""
        window = self._window
        self._check_asked(asked)
        # All unknown nodes are equal: they share one row without neighbors.
        alone = len(self._row_of)
        window.graph.reserve(alone + 1)
        roots = [self._row_of.get(node, alone) for node in asked]
        types, schema = self._types, self._request.schema
        labels, largest = None, 0
        if types is not None:
            types.reserve(alone + 1)
            labels, largest = types.labels, len(types.names)
            schema = replace(schema, edge_labels=types.names)
        blocks = [
            window.rows(roots, counted, labels=labels, largest_label=largest, threads=self.threads)
            for counted in self._counted
        ]
        rows = WindowRows(asked, blocks, schema, self._model)
        if len(asked) > FEW or self.unseen == "error":
            return Encoding(rows.in_columns)
        return Encoding(rows)

    def save(self, path: str | Path) -> None:
        """Write the stream to one .npz file atomically; `Stream.open` continues it.

        Examples
        --------
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "stream.npz"
        >>> stream = Stream(1, window=2)
        >>> stream.add([("a", "b", 1)])
        >>> stream.save(path)
        >>> Stream.open(path).features(["a"], time=2)["a"]
        {(0, 1): 1, (1, 1): 1}
        """
        write_stream(self._saved(), path)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to build the stream again, for pickle and copy: from what `save` writes."""
        return _restore, (self._saved(), self.threads)

    def _saved(self) -> SavedStream:
        """Return everything that the stream consists of."""
        with self._lock:
            return self._gathered()

    def _gathered(self) -> SavedStream:
        self._forget()
        names = ("closed", "late", "unseen", "directed")
        options = {name: getattr(self, name) for name in names} | {"columns": self.columns}
        nodes = [node for node in self._row_of if not isinstance(node, TypedEdge)]
        places = np.full(len(self._row_of), -1, dtype=np.int32)
        places[[self._row_of[node] for node in nodes]] = np.arange(len(nodes))
        sources, targets = (places[end] for end in self._ends())
        log, kinds = self._window.log, None
        events = [sources, targets, log.times[:: self._steps]]
        if log.amounts is not None:
            events.append(log.amounts[:: self._steps])
        if self._types is not None:
            edges = list(self._row_of)
            kinds = [edges[row].kind for row in log.targets[::2].tolist()]
        return SavedStream(
            self.settings,
            self._request.vocabulary,
            options | {"window": plain_window(self.window)},
            self._kind,
            self._window.clock,
            nodes,
            tuple(events),
            kinds,
            {name: getattr(self, name) for name in _COUNTS},
        )

    @classmethod
    def open(cls, path: str | Path, *, threads: int | None = None) -> "Stream":
        """Return a stream that was saved; it continues where it was.

        Examples
        --------
        >>> import tempfile
        >>> file = tempfile.mkdtemp() + "/stream.npz"
        >>> stream = Stream(radius=1)
        >>> _ = stream.add([("a", "b", 1), ("b", "c", 2)])
        >>> stream.save(file)
        >>> Stream.open(file).num_events
        2
        """
        stream = read_stream(path, cls._from_saved)
        stream.threads = as_threads(threads)
        return stream

    @classmethod
    def _from_saved(cls, saved: SavedStream) -> "Stream":
        """Return the stream of a file; what is damaged raises."""
        settings = saved.settings if saved.vocabulary is None else None
        options = dict(saved.options)
        stream = cls(settings, vocabulary=saved.vocabulary, **(options.pop("columns", None) or {}), **options)
        if saved.kind is not None:
            stream._kind = saved.kind
            stream._window.length = as_window(stream.window, saved.kind)
        stream._row_of = {node: row for row, node in enumerate(saved.nodes)}
        stream._large = find_large(saved.nodes)
        stream._window.clock = saved.clock
        stream._window.graph.reserve(len(saved.nodes))
        sources, targets, *others = saved.events
        if stream._types is not None:
            kinds = as_categories(saved.kinds or [], "edge_labels")
            sources, targets = stream._typed_arcs(sources, targets, kinds)
            others = [np.repeat(values, 2) for values in others]
        stream._window.append(sources, targets, *others)
        vars(stream).update({name: saved.counts[name] for name in _COUNTS})
        return stream

    def _length(self, times: Times, what: str) -> int | float | None:
        """Return the length of the window in the unit of some times; raise if they are of another kind than before."""
        if self._kind is not None:
            check_same_kind(Times(np.zeros(1), self._kind), times, what)
        return self._length_of(times.kind)

    def _length_of(self, kind: Kind | None) -> int | float | None:
        return self._window.length if kind in (None, self._kind) else as_window(self.window, kind)

    def _check_new(self, ids: list[Any]) -> int | None:
        """Raise for ids of another type than before; return what `_check_range` returns."""
        new = {node: 0 for node in ids if node not in self._row_of}
        reject_id_drift(new, self._row_of)
        reject_id_drift(new, {node: 0 for node in new if isinstance(node, int)})
        return self._check_range(new)

    def _check_range(self, new: Collection[Any]) -> int | None:
        """Return an id beyond 64 bits with a sign, new or before; raise if another id is negative or text."""
        large = find_large(new)
        if large is not None:
            id_array([*new, *(node for node in self._row_of if not isinstance(node, TypedEdge))])
        elif self._large is not None and new:
            id_array([self._large, *new])
        return self._large if large is None else large

    def _shown(self, time: Any) -> str:
        return shown_time(time, str(self._kind))

    def _rows(self, ids: list[Any]) -> np.ndarray[Any, Any]:
        """Return the row of every id; new ones get the next rows."""
        row_of = self._row_of
        rows = np.fromiter(
            (row_of.setdefault(node, len(row_of)) for node in ids), dtype=np.int32, count=len(ids)
        )
        self._window.graph.reserve(len(row_of))
        return rows

    def _moment(self, time: Any) -> tuple[Kind | None, int | float]:
        """Return the time of a query as a number, and its kind; raise if it is before the clock."""
        kind, value = self._kind, plain_time(time, self._kind)
        if value is None:
            asked = as_times([time], "query")
            self._length(asked, "queries")
            kind, value = asked.kind, asked.values[0].item()
        clock, length = self._window.clock, self._length_of(kind)
        if type(value) is float or type(clock) is float or type(length) is float:
            value = self._exact(np.array([value]), length)[0].item()
            clock = self._window.clock
        if clock is not None and value < clock:
            raise InputError(
                f"queries of a stream must be in order of time, got {self._shown(value)}, but it is at "
                f"{self._shown(clock)}. Use TemporalEncoder for the past."
            )
        return kind, value

    def _exact(self, times: np.ndarray[Any, Any], length: int | float | None) -> np.ndarray[Any, Any]:
        """Return new times so that comparing them with those before is exact; raise if it cannot be."""
        window = self._window
        parts = [times]
        if len(window.log):
            parts.append(window.log.times if not window.log.has_whole_times else window.log.times[[0, -1]])
        if window.clock is not None:
            parts.append(np.array([window.clock]))
        int_parts = [part for part in parts if part.dtype.kind == "i"]
        if not any(max(-int(part.min()), int(part.max())) > EXACT for part in int_parts):
            return times
        if isinstance(length, float):
            raise InputError(
                f"times beyond 2**53 need a window that is a whole number, got {self.window!r}. Give times in a "
                "smaller unit, or the window in whole units."
            )
        if len(int_parts) == len(parts):
            return times
        moved, _ = same_numbers(times, np.concatenate(int_parts))
        reals = [part for part in parts[1:] if part.dtype.kind == "f"]
        for part in reals:
            same_numbers(np.concatenate(int_parts), part)
        if any(len(part) > 1 or part[0] != window.clock for part in reals) or (
            reals and len(window.log) and not window.log.has_whole_times
        ):
            raise InputError(
                "whole numbers beyond 2**53 cannot be added to times that are floats. Give all times as whole numbers."
            )
        if reals and window.clock is not None:
            window.clock = int(window.clock)
        return moved

    def _advance(self, time: int | float) -> None:
        """Move the clock forward to a time and forget expired events."""
        self._window.advance(time)
        self._forget_spare()

    def _forget_spare(self) -> None:
        """Forget ids if there are many that have left the window."""
        if self._window.length is not None and len(self._row_of) > 2 * len(self._window.log) + _SPARE_IDS:
            self._forget()

    def _forget(self) -> None:
        """Drop the ids of nodes without an event in the window, and renumber the others."""
        alive = self._window.forget(len(self._row_of))
        ids = list(self._row_of)
        self._row_of = {ids[row]: new for new, row in enumerate(alive.tolist())}
        if self._types is not None:
            self._types.keep(alive)


def _restore(saved: SavedStream, threads: int) -> Stream:
    """Return a pickled stream."""
    stream = Stream._from_saved(saved)
    stream.threads = threads
    return stream


def _late_events(
    times: np.ndarray[Any, Any], clock: int | float | None, length: int | float | None
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return which events are earlier than the clock or one before them, and which of these the window has left.

    They are judged in the order given, each by the clock that it meets, so that it does not matter how events are split
    into calls.

    >>> late, expired = _late_events(np.array([5, 4, 9, 1]), None, 4)
    >>> late.tolist(), expired.tolist()
    ([False, True, False, True], [False, False, False, True])
    """
    latest = np.maximum.accumulate(times)
    met = np.concatenate([times[:1], latest[:-1]])
    if clock is not None:
        met = np.maximum(met, clock)
    late, expired = times < met, np.zeros(len(times), dtype=bool)
    if length is not None:
        for place in np.flatnonzero(late).tolist():
            expired[place] = times[place] < window_start(met[place].item(), length)
    return late, expired


def _is_plain(node: Any) -> bool:
    """Return whether an id is a whole number or a text that needs no further check."""
    kind = type(node)
    return (kind is int and -(2**63) <= node < 2**63) or (
        kind is str and node != "" and (node.isascii() or is_encodable(node))
    )
