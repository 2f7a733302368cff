"""`Stream`: events are added as they happen, old ones expire, and features are read at any time."""

from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from egonet.encoding.encode import as_vocabulary
from egonet.encoding.encoding import Encoding
from egonet.encoding.settings import Radius, Settings, as_settings, as_threads, check_direction, one_of
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary
from egonet.errors import InputError
from egonet.graph.convert import listed
from egonet.graph.ids import checked, is_encodable, show
from egonet.graph.input_options import as_direction
from egonet.temporal.as_of import check_supported, window_settings
from egonet.temporal.event_window import FEW, EventWindow
from egonet.temporal.events import EventColumns, as_events, check_same_kind, check_sorted, shown_time
from egonet.temporal.stream_file import SavedStream, read_stream, write_stream
from egonet.temporal.time_text import plain_window
from egonet.temporal.times import Closed, Kind, Times, as_times, as_window, plain_time
from egonet.temporal.window_rows import ModelColumns, WindowRows
from egonet.typing import Directed

#: What happens to an event that is earlier than what the stream has already seen or answered.
Late: TypeAlias = Literal["error", "merge"]
#: Ids of nodes that have left the window are forgotten when there are more of them than of others, and this many.
_SPARE_IDS = 1024
_COUNTS = ("num_added", "num_loops", "num_late", "num_expired")


class Stream:
    """A graph of recent events, with the features of its nodes.

    An edge exists while at least one event between its ends is in the window. Memory grows with the number of events
    in the window, not with the number of events ever added.

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
        "out" or "in" follows events that way; None and False read them as undirected.
    threads
        How many threads count; one per core if not given.

    Attributes
    ----------
    num_events, num_nodes
        The events in the window of the latest time, its first moment included, and their nodes.
    num_edges
        The current edges (arcs, if events have directions).
    num_added, num_loops, num_late, num_expired
        How many events were added; how many of these were dropped because both ends are one node, were late, and were
        older than the window.

    Examples
    --------
    >>> stream = Stream(1, window=2)
    >>> stream.add([("a", "b", 1), ("b", "c", 2)])
    >>> stream.features(["b"])["b"]
    {(0, 2): 1, (1, 1): 2}
    >>> stream.add([("c", "d", 3)])
    >>> stream.features(["b"])["b"], stream.num_edges
    ({(0, 1): 1, (1, 1): 1}, 2)
    """

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
    ) -> None:
        self._vocabulary = as_vocabulary(vocabulary)
        if self._vocabulary is not None and settings is not None:
            raise InputError("a vocabulary has its own settings. Leave settings out.")
        self.settings = as_settings(settings, {}) if self._vocabulary is None else self._vocabulary.settings
        check_supported(self.settings)
        one_of("closed", closed, get_args(Closed))
        one_of("late", late, get_args(Late))
        one_of("unseen", unseen, get_args(UnseenPolicy))
        self.window, self.closed, self.late, self.unseen = window, closed, late, unseen
        self.directed = as_direction(directed)
        if self._vocabulary is not None:
            check_direction(self._vocabulary.directed, self.directed, self.settings)
        self.threads = as_threads(threads)
        self.num_added = self.num_loops = self.num_late = self.num_expired = 0
        self._kind: Kind | None = None
        self._row_of: dict[Hashable, int] = {}
        self._window = EventWindow(self.directed)
        self._counted = [window_settings(self.settings, each, self.directed) for each in self.settings.radius]
        self._model = None if self._vocabulary is None else ModelColumns(self._vocabulary, unseen)

    def __repr__(self) -> str:
        return (
            f"Stream({self.settings}, window={self.window!r}, num_events={self.num_events}, now={self.now})"
        )

    @property
    def num_events(self) -> int:
        """Return how many events are kept."""
        return len(self._window.log)

    @property
    def num_nodes(self) -> int:
        """Return how many nodes have an event in the window."""
        return len(np.union1d(self._window.log.sources, self._window.log.targets))

    @property
    def num_edges(self) -> int:
        """Return the number of edges of the current graph."""
        self._window.move(*self._window.now())
        return self._window.graph.num_arcs // (1 if self.directed else 2)

    @property
    def now(self) -> Any:
        """Return the latest time of an event or a query, as a number or a date; None before the first event."""
        clock = self._window.clock
        return clock if clock is None or self._kind == "numbers" else np.datetime64(int(clock), "ns")

    def add(
        self, events: Any, *, source: str | None = None, target: str | None = None, time: str = "time"
    ) -> None:
        """Add events: a table, or triples (source, target, time), in order of time.

        If an event is invalid, none of them is added.

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
        if type(events) is list and len(events) <= FEW and self._add_few(events):
            return
        table = as_events(listed(events), EventColumns(source, target, time))
        if not len(table.times.values):
            return
        if self.late == "error":
            check_sorted(table.times, 'Sort them, or make the stream with late="merge".')
        self._check_kind(table.times, "new events")
        order = np.argsort(table.times.values, kind="stable")
        times, window = table.times.values[order], self._window
        num_late = 0 if window.clock is None else int(np.searchsorted(times, window.clock, side="left"))
        if num_late and self.late == "error":
            raise InputError(
                f"{num_late:,} of {len(times):,} events are late, first event 0 (counted from 0) at "
                f"{self._shown(times[0])}, but the stream is at {self._shown(window.clock)}. "
                'Drop them, or make the stream with late="merge".'
            )
        ends = np.stack([self._rows(table.ids[0::2]), self._rows(table.ids[1::2])])[:, order]
        self.num_added += len(times)
        self.num_loops += int(np.count_nonzero(ends[0] == ends[1]))
        self.num_late += num_late
        for late in zip(*ends[:, :num_late].tolist(), times[:num_late].tolist(), strict=True):
            if late[0] != late[1]:
                self.num_expired += not window.merge(*late)
        proper = (ends[0] != ends[1]) & (np.arange(len(times)) >= num_late)
        window.append(ends[0, proper], ends[1, proper], times[proper])
        self._advance(times[-1].item())

    def _add_few(self, events: list[Any]) -> bool:
        """Add a few plain events in order; return False and change nothing if one is late or not plain."""
        window, times = self._window, []
        latest, whole = window.clock, window.log.has_whole_times
        if latest is None:
            return False
        for event in events:
            if type(event) is not tuple or len(event) != 3:
                return False
            time = plain_time(event[2], self._kind)
            if time is None or time < latest or (type(time) is int) != whole:
                return False
            if not (_is_plain(event[0]) and _is_plain(event[1])):
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

        So is a node that no event ever had, because a stream forgets nodes; for `TemporalEncoder` it is an error.

        Parameters
        ----------
        nodes
            Ids, in the order of the rows.
        time
            The time of the query, not before an added event or an earlier query. None uses every event added so far,
            except those that have expired at the time of the last one.
        """
        if isinstance(nodes, str | bytes) or not isinstance(nodes, Iterable):
            raise InputError(f"nodes must be a sequence of node ids, got {show(nodes)}.")
        asked = list(nodes)
        if not (len(asked) <= FEW and all(map(_is_plain, asked))):
            ids = checked(asked, lambda position: f"at position {position} (counted from 0)")
            asked = ids.tolist() if isinstance(ids, np.ndarray) else ids
        window = self._window
        window.move(*(window.now() if time is None else self._at(time)))
        # All unknown nodes are equal: they share one row without neighbors.
        alone = len(self._row_of)
        window.graph.reserve(alone + 1)
        roots = [self._row_of.get(node, alone) for node in asked]
        blocks = [window.rows(roots, counted, threads=self.threads) for counted in self._counted]
        found = WindowRows(asked, blocks, self.settings, self._model)
        if len(asked) > FEW or self.unseen == "error":
            return Encoding(found.in_columns)
        return Encoding(found)

    def save(self, path: str | Path) -> None:
        """Write the stream to one .npz file atomically; `Stream.open` continues it.

        Examples
        --------
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "stream.npz"
        >>> stream = Stream(1, window=2)
        >>> stream.add([("a", "b", 1)])
        >>> stream.save(path)
        >>> Stream.open(path).features(["a"])["a"]
        {(0, 1): 1, (1, 1): 1}
        """
        self._forget()
        options = {name: getattr(self, name) for name in ("closed", "late", "unseen", "directed")}
        log = self._window.log
        saved = SavedStream(
            self.settings,
            self._vocabulary,
            options | {"window": plain_window(self.window)},
            self._kind,
            self._window.clock,
            list(self._row_of),
            (log.sources, log.targets, log.times),
            {name: getattr(self, name) for name in _COUNTS},
        )
        write_stream(saved, path)

    @classmethod
    def open(cls, path: str | Path, *, threads: int | None = None) -> "Stream":
        """Return a stream that was saved; it continues where it was."""
        stream = read_stream(path, cls._from_saved)
        stream.threads = as_threads(threads)
        return stream

    @classmethod
    def _from_saved(cls, saved: SavedStream) -> "Stream":
        """Return the stream of a file; what is damaged raises."""
        settings = saved.settings if saved.vocabulary is None else None
        stream = cls(settings, vocabulary=saved.vocabulary, **saved.options)
        if saved.kind is not None:
            stream._kind = saved.kind
            stream._window.length = as_window(stream.window, saved.kind)
        stream._row_of = {node: row for row, node in enumerate(saved.nodes)}
        stream._window.clock = saved.clock
        stream._window.graph.reserve(len(saved.nodes))
        stream._window.append(*saved.events)
        vars(stream).update({name: saved.counts[name] for name in _COUNTS})
        return stream

    def _check_kind(self, times: Times, what: str) -> None:
        """Take the kind of times from the first ones; raise if later ones are of another kind."""
        if self._kind is None:
            self._window.length = as_window(self.window, times.kind)
            self._kind = times.kind
        check_same_kind(Times(np.zeros(1), self._kind), times, what)

    def _shown(self, time: Any) -> str:
        return shown_time(time, str(self._kind))

    def _rows(self, ids: Any) -> np.ndarray[Any, Any]:
        """Return the row of every id; new ones get the next rows."""
        row_of = self._row_of
        plain = ids.tolist() if isinstance(ids, np.ndarray) else ids
        rows = np.fromiter(
            (row_of.setdefault(node, len(row_of)) for node in plain), dtype=np.int32, count=len(plain)
        )
        self._window.graph.reserve(len(row_of))
        return rows

    def _at(self, time: Any) -> tuple[int, int]:
        """Return the events that are known at a time, and set the clock to it."""
        value = plain_time(time, self._kind)
        if value is None:
            asked = as_times([time], "query")
            self._check_kind(asked, "queries")
            value = asked.values[0].item()
        clock = self._window.clock
        if clock is not None and value < clock:
            raise InputError(
                f"queries of a stream must be in order of time, got {self._shown(value)}, but it is at "
                f"{self._shown(clock)}. Use TemporalEncoder for the past."
            )
        self._advance(value)
        return self._window.at_clock(self.closed)

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


def _is_plain(node: Any) -> bool:
    """Return whether an id is a whole number or a text that needs no further check."""
    kind = type(node)
    return (kind is int and node >= 0) or (
        kind is str and node != "" and (node.isascii() or is_encodable(node))
    )
