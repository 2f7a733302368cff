"""The events of a stream: a log of recent events, and the graph of those in the window."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from egonet.kernel.native_pairs import LiveGraph, WindowSettings
from egonet.kernel.reference import Rows
from egonet.tables.times import Closed, window_start
from egonet.typing import Direction, Int32s, Int64s

#: A time as a number: whole or not, as the times of the log are.
Moment: TypeAlias = int | float
#: Up to this many rows are read without threads, by searches whose scratch is kept.
FEW = 32


class EventWindow:
    """Events in order of time, and a graph of consecutive ones among them.

    Attributes
    ----------
    directed, both
        How events are followed; `both` lists them by both ends, for in- and out-degrees.
    length
        How long an event counts, in the unit of its time; None keeps all events.
    clock
        The latest time of an event or a query; None before the first event.
    log
        The events that are kept: those in the window of the clock, or at its beginning.

    Examples
    --------
    >>> window = EventWindow(None)
    >>> window.length = 2
    >>> window.graph.reserve(3)
    >>> window.append_one(0, 1, 5)
    >>> window.append_one(1, 2, 8)
    >>> len(window.log), window.range_at(8, "right")
    (1, (0, 1))
    """

    def __init__(self, directed: Direction | None, *, both: bool = False, has_amounts: bool = False) -> None:
        self.directed, self.both = directed, both
        self.length: Moment | None = None
        self.clock: Moment | None = None
        self.log = EventLog(np.dtype(np.int64), has_amounts=has_amounts)
        self.graph = LiveGraph(symmetric=directed is None, both=both)
        self._first = self._last = 0  # the events of the log that are in the graph

    def append(self, *columns: np.ndarray[Any, Any]) -> None:
        """Add events that are not earlier than the clock, by the columns of the log; both ends differ."""
        self.log.append(*columns)

    def append_one(self, source: int, target: int, time: Moment) -> None:
        """Add one event that is not earlier than the clock, and set the clock to it."""
        if source != target:
            self.log.append_one(source, target, time)
        self.advance(time)

    def merge(self, source: int, target: int, time: Moment, *amount: float) -> bool:
        """Insert a late event in order of time; return False if it is older than the window."""
        if (
            self.length is not None
            and self.clock is not None
            and time < window_start(self.clock, self.length)
        ):
            return False
        position = int(np.searchsorted(self.log.times, time, side="right"))
        self.log.insert(position, source, target, time, *amount)
        if position < self._first:
            self._first += 1
        elif position < self._last:
            self._change(self.graph.add, position, position + 1)
        if position < self._last:
            self._last += 1
        return True

    def advance(self, time: Moment) -> None:
        """Move the clock forward to a time and drop expired events from the log."""
        if self.clock is None or time > self.clock:
            self.clock = time
        if self.length is None or not len(self.log):
            return
        begin = window_start(self.clock, self.length)
        if self.log.first_time >= begin:
            return
        gone = int(np.searchsorted(self.log.times, begin, side="left"))
        if gone > self._first:
            self.move(gone, max(gone, self._last))
        self.log.drop(gone)
        self._first, self._last = self._first - gone, self._last - gone

    @property
    def in_graph(self) -> slice:
        """Return which events of the log are in the graph."""
        return slice(self._first, self._last)

    def range_at(self, time: Moment | None, closed: Closed) -> tuple[int, int]:
        """Return the range of events that are known at a time, which is not before the clock; None is that of all."""
        last = len(self.log)
        if last and time is not None and closed == "left" and self.log.last_time >= time:
            last = int(np.searchsorted(self.log.times, time, side="left"))
        return min(self._first_known(time, closed), last), last

    def _first_known(self, time: Moment | None, closed: Closed) -> int:
        """Return the first event in the window of a time."""
        if self.length is None or time is None or not len(self.log):
            return 0
        begin = window_start(time, self.length)
        first = self.log.first_time
        if first > begin or (first == begin and closed == "left"):
            return 0
        return int(np.searchsorted(self.log.times, begin, side=closed))

    def move(self, first: int, last: int) -> None:
        """Make the graph that of the events first ... last - 1 of the log."""
        before, after = self._first, self._last
        if first == before and last == after:
            return
        for begin, end, change in (
            (max(after, first), last, self.graph.add),
            (first, min(before, last), self.graph.add),
            (before, min(first, after), self.graph.remove),
            (max(last, before), after, self.graph.remove),
        ):
            if begin < end:
                self._change(change, begin, end)
        self._first, self._last = first, last

    def _change(self, change: Callable[[Int32s, Int32s], None], begin: int, end: int) -> None:
        """Add some events of the log to the graph, or remove them."""
        ends = self.log.sources[begin:end], self.log.targets[begin:end]
        change(*(ends[::-1] if self.directed == "in" and not self.both else ends))

    def rows(
        self,
        roots: list[int],
        settings: WindowSettings,
        *,
        labels: Int32s | None = None,
        largest_label: int = 0,
        threads: int,
    ) -> Rows:
        """Return the rows of some nodes in the current graph; no label of a node exceeds the largest."""
        if len(roots) <= FEW:
            return self.graph.few_rows(roots, settings, labels=labels, largest_label=largest_label)
        return self.graph.rows(np.array(roots, dtype=np.int64), settings, labels=labels, threads=threads)

    def forget(self, num_nodes: int) -> Int64s:
        """Renumber the nodes that have an event and drop the others; return the old numbers of those kept."""
        alive = np.union1d(self.log.sources, self.log.targets)
        positions = np.full(num_nodes, -1, dtype=np.int32)
        positions[alive] = np.arange(len(alive), dtype=np.int32)
        self.log.renumber(positions)
        self.graph = LiveGraph(symmetric=self.directed is None, both=self.both)
        self.graph.reserve(len(alive) + 1)
        self._first = self._last = 0
        return alive.astype(np.int64)


Array = np.ndarray[Any, Any]


class EventLog:
    """Sources, targets and times of events, in order of time, and their amounts if it has them.

    >>> log = EventLog(np.dtype(np.int64))
    >>> log.append(np.array([0, 1], np.int32), np.array([1, 2], np.int32), np.array([5, 7]))
    >>> log.drop(1)
    >>> len(log), log.times.tolist()
    (1, [7])
    """

    def __init__(self, time_type: np.dtype[Any], *, has_amounts: bool = False) -> None:
        kinds = (np.int32, np.int32, time_type, *((np.float64,) if has_amounts else ()))
        self._columns: list[Array] = [np.empty(0, kind) for kind in kinds]
        self._first = self._last = 0

    def __len__(self) -> int:
        return self._last - self._first

    @property
    def sources(self) -> Int32s:
        return self._columns[0][self._first : self._last]

    @property
    def targets(self) -> Int32s:
        return self._columns[1][self._first : self._last]

    @property
    def times(self) -> Array:
        return self._columns[2][self._first : self._last]

    @property
    def amounts(self) -> Array | None:
        """Return the amounts; None if events have none."""
        return self._columns[3][self._first : self._last] if len(self._columns) > 3 else None

    @property
    def first_time(self) -> Any:
        """Return the earliest time; there is at least one event."""
        return self._columns[2][self._first]

    @property
    def last_time(self) -> Any:
        """Return the latest time; there is at least one event."""
        return self._columns[2][self._last - 1]

    @property
    def has_whole_times(self) -> bool:
        return bool(self._columns[2].dtype.kind == "i")

    def append_one(self, source: int, target: int, time: int | float) -> None:
        """Add one event that is not earlier than the last one; its time is of the type of the others."""
        last, columns = self._last, self._columns
        if last == len(columns[0]):
            self._reserve(1, columns[2].dtype)
            last = self._last
        columns[0][last], columns[1][last], columns[2][last] = source, target, time
        self._last = last + 1

    def append(self, *columns: Array) -> None:
        """Add events that are not earlier than the last one, by their columns."""
        count = len(columns[0])
        self._reserve(count, columns[2].dtype)
        for column, values in zip(self._columns, columns, strict=True):
            column[self._last : self._last + count] = values
        self._last += count

    def insert(self, position: int, *event: Any) -> None:
        """Add one event, a value for each column, before the one at a position."""
        self._reserve(1, np.asarray(event[2]).dtype)
        for column, value in zip(self._columns, event, strict=True):
            part = column[self._first : self._last + 1]
            part[position + 1 :] = part[position:-1].copy()
            part[position] = value
        self._last += 1

    def drop(self, count: int) -> None:
        self._first += count

    def renumber(self, positions: Int32s) -> None:
        """Replace node v by positions[v]."""
        for column in self._columns[:2]:
            column[self._first : self._last] = positions[column[self._first : self._last]]

    def _reserve(self, count: int, time_type: np.dtype[Any]) -> None:
        """Reserve capacity for more events; arrays are at most four times as long as their content."""
        wider = np.result_type(self._columns[2].dtype, time_type)
        if self._last + count <= len(self._columns[0]) and wider == self._columns[2].dtype:
            return
        size = len(self)
        capacity = max(2 * (size + count), 64)
        for index, column in enumerate(self._columns):
            moved: Array = np.empty(capacity, dtype=wider if index == 2 else column.dtype)
            moved[:size] = column[self._first : self._last]
            self._columns[index] = moved
        self._first, self._last = 0, size
