"""`Stream`: events are added as they happen, old ones expire, and features are read at any time."""

import json
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from egonet.encoding.encode import as_vocabulary
from egonet.encoding.encoding import Encoding
from egonet.encoding.saved import (
    check_format,
    from_json,
    pack_columns,
    pack_settings,
    read_saved,
    to_json,
    unpack_vocabulary,
)
from egonet.encoding.settings import Radius, Settings, as_settings, as_threads, as_whole, one_of
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary
from egonet.errors import InputError
from egonet.graph.convert import listed
from egonet.graph.ids import checked, id_array, show
from egonet.graph.input_options import as_direction
from egonet.io.atomic import atomic_path
from egonet.kernel.reference import Rows
from egonet.kernel.windows import LiveGraph
from egonet.temporal import times as moments
from egonet.temporal.as_of import as_encoding, check_supported, count_windows, window_settings
from egonet.temporal.event_log import EventLog
from egonet.temporal.events import EventColumns, as_events, refuse_other_kind, refuse_unsorted, shown_time
from egonet.temporal.times import Closed, Kind, Times, as_times, as_window, plain_window, window_bounds
from egonet.typing import Directed, Int32s

#: What happens to an event that is earlier than what the stream has already seen or answered.
Late: TypeAlias = Literal["error", "merge"]
FORMAT = "egonet stream 1"
#: Ids of nodes that have left the window are forgotten when there are more of them than of others, and this many.
_SPARE_IDS = 1024


class Stream:
    """A graph of recent events, with the features of its nodes.

    An edge exists while at least one event between its ends is in the window. Memory is in proportion to the events
    in the window, not to all events ever added.

    Parameters
    ----------
    settings
        What is counted: `Settings`, or a radius (2 if not given).
    window
        How long an event counts: "7d" or a timedelta for dates, a number for numbers; None for ever.
    closed
        What `features(nodes, time=t)` knows: "left" t - window <= time < t, "right" t - window < time <= t.
    late
        What `add` does with an event that is earlier than one already added, or than a time already asked about:
        "error", or "merge" it where it belongs. One that is older than the window is dropped and counted.
    vocabulary, unseen
        The columns of an earlier encoding, and what happens to keys without one, as in `encode`; without it every
        call of `features` has the columns of its own keys.
    directed
        "out" or "in" follows events that way; None and False read them as undirected.
    threads
        How many threads count; one per core if not given.

    Attributes
    ----------
    num_events, num_nodes
        The events that are kept, because they are in the window of the latest time or begin it, and their nodes.
    num_edges
        The edges right now (arcs, if events have directions).
    num_added, num_loops, num_late, num_expired
        How many events were added, and of these dropped because both ends are one node; how many were late, and
        how many of those were older than the window.

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
        self.threads = as_threads(threads)
        self.num_added = self.num_loops = self.num_late = self.num_expired = 0
        self._kind: Kind | None = None
        self._length: int | float | None = None
        self._clock: Any = None  # nothing earlier is asked about any more
        self._log = EventLog(np.dtype(np.int64))
        self._row_of: dict[Hashable, int] = {}
        self._graph = LiveGraph(symmetric=self.directed is None)
        self._first = self._last = 0  # the events of the log that are in the graph

    @property
    def num_events(self) -> int:
        """Return how many events are kept."""
        return len(self._log)

    @property
    def num_nodes(self) -> int:
        """Return how many nodes have an event in the window."""
        return len(np.union1d(self._log.sources, self._log.targets))

    @property
    def num_edges(self) -> int:
        """Return how many edges the graph has that `features` was last asked about, or would be now."""
        self._move(*self._now())
        return self._graph.num_arcs // (1 if self.directed else 2)

    @property
    def now(self) -> Any:
        """Return the latest time that the stream knows of, as a number or a date; None before the first event."""
        if self._clock is None or self._kind == "numbers":
            return self._clock
        return np.datetime64(int(self._clock), "ns")

    def add(
        self, events: Any, *, source: str | None = None, target: str | None = None, time: str = "time"
    ) -> None:
        """Add events: a table, or triples (source, target, time), in order of time.

        If an event is refused, none of them is added.

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
        table = as_events(listed(events), EventColumns(source, target, time))
        if not len(table.times.values):
            return
        if self.late == "error":
            refuse_unsorted(table.times, 'Sort them, or make the stream with late="merge".')
        self._check_kind(table.times, "new events")
        order = np.argsort(table.times.values, kind="stable")
        times = table.times.values[order]
        num_late = 0 if self._clock is None else int(np.searchsorted(times, self._clock, side="left"))
        if num_late and self.late == "error":
            raise InputError(
                f"{num_late:,} of {len(times):,} events are late, first event 0 (counted from 0) at "
                f"{self._shown(times[0])}, but the stream is at {self._shown(self._clock)}. "
                'Drop them, or make the stream with late="merge".'
            )
        ends = np.stack([self._rows(table.ids[0::2]), self._rows(table.ids[1::2])])[:, order]
        self.num_added += len(times)
        self.num_loops += int(np.count_nonzero(ends[0] == ends[1]))
        self._merge(ends[:, :num_late], times[:num_late])
        proper = (ends[0] != ends[1]) & (np.arange(len(times)) >= num_late)
        self._log.append(ends[0, proper], ends[1, proper], times[proper])
        self._advance(times[-1])

    def features(self, nodes: Iterable[Hashable], time: Any = None) -> Encoding:
        """Return the rows of some nodes as of a time; a node without an event in the window is alone in its row.

        Parameters
        ----------
        nodes
            Ids, in the order of the rows.
        time
            When is asked: not before an event already added or a time already asked about. None for right now: every
            event added so far is known, and those that are a window older than the last have expired.
        """
        if isinstance(nodes, str | bytes) or not isinstance(nodes, Iterable):
            raise InputError(f"nodes must be a sequence of node ids, got {show(nodes)}.")
        asked = list(nodes)
        ids = checked(asked, lambda position: f"at position {position} (counted from 0)")
        bounds = self._now() if time is None else self._at(time)
        self._move(*bounds)
        # All nodes that the stream does not know look alike: one row without neighbors stands for them.
        alone = len(self._row_of)
        self._graph.reserve(alone + 1)
        plain = ids.tolist() if isinstance(ids, np.ndarray) else ids
        roots = np.array([self._row_of.get(node, alone) for node in plain], dtype=np.int64)

        def count(radius: int) -> Rows:
            counted = window_settings(self.settings, radius, self.directed)
            return self._graph.rows(roots, counted, threads=self.threads)

        matrix, found = count_windows(self.settings, count)
        return as_encoding(matrix, found, id_array(plain), self._vocabulary, self.unseen)

    def save(self, path: str | Path) -> None:
        """Write the stream to one .npz file, whole or not at all; `Stream.open` continues it.

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
        if Path(path).suffix != ".npz":
            raise InputError(f"a stream is saved as .npz, got {str(path)!r}.")
        self._forget()
        vocabulary = self._vocabulary or Vocabulary(
            self.settings, np.empty((0, 1 + len(self.settings.field_names)), dtype=np.int64)
        )
        options = {"closed": self.closed, "late": self.late, "unseen": self.unseen, "directed": self.directed}
        header = {
            "format": FORMAT,
            "settings": pack_settings(vocabulary),
            "has_vocabulary": self._vocabulary is not None,
            "window": plain_window(self.window),
            "kind": self._kind,
            "clock": None if self._clock is None else self._clock.item(),
            "nodes": [to_json(node) for node in self._row_of],
            "counts": {name: getattr(self, name) for name in _COUNTS},
        } | options
        with atomic_path(path) as temporary:
            np.savez(
                temporary,
                allow_pickle=False,
                header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8),
                sources=self._log.sources,
                targets=self._log.targets,
                times=self._log.times,
                **pack_columns(vocabulary),
            )

    @classmethod
    def open(cls, path: str | Path, *, threads: int | None = None) -> "Stream":
        """Return a stream that was saved; it continues where it was."""
        return read_saved(path, "a stream", lambda arrays: _unpack(arrays, as_threads(threads)))

    def _check_kind(self, times: Times, what: str) -> None:
        """Fix what times are with the first ones; raise for others later."""
        if self._kind is None:
            self._length = as_window(self.window, times.kind)
            self._kind = times.kind
        refuse_other_kind(Times(np.zeros(1), self._kind), times, what)

    def _shown(self, time: Any) -> str:
        return shown_time(time, str(self._kind))

    def _rows(self, ids: Any) -> np.ndarray[Any, Any]:
        """Return the row of every id; new ones get the next rows."""
        row_of = self._row_of
        plain = ids.tolist() if isinstance(ids, np.ndarray) else ids
        rows = np.fromiter(
            (row_of.setdefault(node, len(row_of)) for node in plain), dtype=np.int32, count=len(plain)
        )
        self._graph.reserve(len(row_of))
        return rows

    def _merge(self, ends: np.ndarray[Any, Any], times: np.ndarray[Any, Any]) -> None:
        """Put late events where they belong, in the log and in the graph."""
        self.num_late += len(times)
        for source, target, time in zip(*ends.tolist(), times, strict=True):
            if source == target:
                continue
            if self._length is not None and time < moments.window_start(self._clock, self._length):
                self.num_expired += 1
                continue
            position = int(np.searchsorted(self._log.times, time, side="right"))
            self._log.insert(position, source, target, time)
            if position < self._first:
                self._first += 1
            elif position < self._last:
                self._change(self._graph.add, slice(position, position + 1))
            if position < self._last:
                self._last += 1

    def _advance(self, time: Any) -> None:
        """Set the clock to a time, unless it is later already, and forget what has expired for good."""
        self._clock = time if self._clock is None else max(self._clock, time)
        if self._length is None:
            return
        gone = int(
            np.searchsorted(self._log.times, moments.window_start(self._clock, self._length), side="left")
        )
        if gone > self._first:
            self._move(gone, max(gone, self._last))
        self._log.drop(gone)
        self._first, self._last = self._first - gone, self._last - gone
        if len(self._row_of) > 2 * len(self._log) + _SPARE_IDS:
            self._forget()

    def _forget(self) -> None:
        """Drop the ids of nodes without an event in the window, and number the others anew."""
        self._move(0, 0)
        alive = np.union1d(self._log.sources, self._log.targets)
        positions = np.full(len(self._row_of), -1, dtype=np.int32)
        positions[alive] = np.arange(len(alive), dtype=np.int32)
        ids = list(self._row_of)
        self._row_of = {ids[row]: new for new, row in enumerate(alive.tolist())}
        self._log.renumber(positions)
        self._graph = LiveGraph(symmetric=self.directed is None)
        self._graph.reserve(len(alive) + 1)

    def _now(self) -> tuple[int, int]:
        """Return the events of right now: all that were added, less those that expired with the last."""
        if self._clock is None:
            return 0, 0
        first, _ = window_bounds(self._log.times, np.array([self._clock]), self._length, "right")
        return int(first[0]), len(self._log)

    def _at(self, time: Any) -> tuple[int, int]:
        """Return the events that a time knows, and set the clock to it."""
        asked = as_times([time], "query")
        self._check_kind(asked, "queries")
        value = asked.values[0]
        if self._clock is not None and value < self._clock:
            raise InputError(
                f"a stream is asked about times in order, got {self._shown(value)}, but it is at "
                f"{self._shown(self._clock)}. Use TemporalEncoder for the past."
            )
        self._advance(value)
        first, last = window_bounds(self._log.times, asked.values, self._length, self.closed)
        return int(first[0]), int(last[0])

    def _move(self, first: int, last: int) -> None:
        """Make the graph that of the events first ... last - 1 of the log."""
        for begin, end, change in (
            (max(self._last, first), last, self._graph.add),
            (first, min(self._first, last), self._graph.add),
            (self._first, min(first, self._last), self._graph.remove),
            (max(last, self._first), self._last, self._graph.remove),
        ):
            if begin < end:
                self._change(change, slice(begin, end))
        self._first, self._last = first, last

    def _change(self, change: Callable[[Int32s, Int32s], None], part: slice) -> None:
        """Add some events of the log to the graph, or take them back."""
        ends = self._log.sources[part], self._log.targets[part]
        change(*(ends[::-1] if self.directed == "in" else ends))


_COUNTS = ("num_added", "num_loops", "num_late", "num_expired")


def _unpack(arrays: dict[str, np.ndarray[Any, Any]], threads: int) -> Stream:
    """Return the stream in the arrays of a file, validated."""
    check_format((header := json.loads(arrays["header"].tobytes()))["format"], FORMAT)
    if header["kind"] not in (None, *get_args(Kind)):
        raise ValueError("not a stream")
    vocabulary = unpack_vocabulary(header["settings"], arrays)
    known = header["has_vocabulary"]
    stream = Stream(
        None if known else vocabulary.settings,
        header["window"],
        closed=header["closed"],
        late=header["late"],
        vocabulary=vocabulary if known else None,
        unseen=header["unseen"],
        directed=header["directed"],
    )
    stream.threads = threads
    nodes = [from_json(node) for node in header["nodes"]]
    stream._row_of = {node: row for row, node in enumerate(nodes)}
    ends, times = np.stack([arrays["sources"], arrays["targets"]]), arrays["times"]
    ends = ends.astype(np.int32, casting="safe")
    whole = len(stream._row_of) == len(nodes) and len(times) == ends.shape[1] and times.dtype.kind in "if"
    if not whole or (ends < 0).any() or (ends >= len(nodes)).any() or not (times[1:] >= times[:-1]).all():
        raise ValueError("the events are damaged")
    if header["kind"] is not None:
        stream._kind = header["kind"]
        stream._length = as_window(stream.window, stream._kind)
        stream._clock = as_times([header["clock"]], "the clock").values[0]
    stream._graph.reserve(len(nodes))
    stream._log.append(ends[0], ends[1], times)
    for name in _COUNTS:
        setattr(stream, name, as_whole(name, header["counts"][name]))
    return stream
