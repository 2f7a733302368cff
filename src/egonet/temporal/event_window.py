"""The events of a stream by row: a log that expires, and the graph of those that are known at a time."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from egonet.kernel.reference import Rows
from egonet.kernel.windows import LiveGraph, WindowSettings
from egonet.temporal.event_log import EventLog
from egonet.temporal.times import Closed, window_start
from egonet.typing import Direction, Int32s, Int64s

#: A time as a number: whole or not, as the times of the log are.
Moment: TypeAlias = int | float
#: Up to this many rows are read without threads, by searches whose scratch is kept.
FEW = 32


class EventWindow:
    """Events in order of time, and a graph of consecutive ones among them.

    Attributes
    ----------
    length
        How long an event counts, in the unit of its time; None for ever.
    clock
        Nothing earlier is asked about any more; None before the first event.
    log
        The events that are kept: those in the window of the clock, or at its beginning.

    Examples
    --------
    >>> window = EventWindow(None)
    >>> window.length = 2
    >>> window.graph.reserve(3)
    >>> window.append_one(0, 1, 5)
    >>> window.append_one(1, 2, 8)
    >>> len(window.log), window.now()
    (1, (0, 1))
    """

    def __init__(self, directed: Direction | None) -> None:
        self.directed = directed
        self.length: Moment | None = None
        self.clock: Moment | None = None
        self.log = EventLog(np.dtype(np.int64))
        self.graph = LiveGraph(symmetric=directed is None)
        self._first = self._last = 0  # the events of the log that are in the graph

    def append(self, sources: Int32s, targets: Int32s, times: np.ndarray[Any, Any]) -> None:
        """Add events that are not earlier than the clock; both ends differ."""
        self.log.append(sources, targets, times)

    def append_one(self, source: int, target: int, time: Moment) -> None:
        """Add one event that is not earlier than the clock, and set the clock to it."""
        if source != target:
            self.log.append_one(source, target, time)
        self.advance(time)

    def merge(self, source: int, target: int, time: Moment) -> bool:
        """Put a late event where it belongs; return False for one that is older than the window."""
        if (
            self.length is not None
            and self.clock is not None
            and time < window_start(self.clock, self.length)
        ):
            return False
        position = int(np.searchsorted(self.log.times, time, side="right"))
        self.log.insert(position, source, target, time)
        if position < self._first:
            self._first += 1
        elif position < self._last:
            self._change(self.graph.add, position, position + 1)
        if position < self._last:
            self._last += 1
        return True

    def advance(self, time: Moment) -> None:
        """Set the clock to a time, unless it is later already, and forget what has expired for good."""
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

    def now(self) -> tuple[int, int]:
        """Return the events of right now: all that were added, less those that expired with the last."""
        return self._first_known("right"), len(self.log)

    def at_clock(self, closed: Closed) -> tuple[int, int]:
        """Return the events that are known at the time of the clock."""
        last = len(self.log)
        if last and self.clock is not None and closed == "left" and self.log.last_time >= self.clock:
            last = int(np.searchsorted(self.log.times, self.clock, side="left"))
        return min(self._first_known(closed), last), last

    def _first_known(self, closed: Closed) -> int:
        """Return the first event in the window of the clock; none before that window is in the log."""
        if self.length is None or self.clock is None or not len(self.log):
            return 0
        begin = window_start(self.clock, self.length)
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
        """Add some events of the log to the graph, or take them back."""
        ends = self.log.sources[begin:end], self.log.targets[begin:end]
        change(*(ends[::-1] if self.directed == "in" else ends))

    def rows(self, roots: list[int], settings: WindowSettings, *, threads: int) -> Rows:
        """Return the rows of some nodes in the graph as it is."""
        if len(roots) <= FEW:
            return self.graph.few_rows(roots, settings)
        return self.graph.rows(np.array(roots, dtype=np.int64), settings, threads=threads)

    def forget(self, num_nodes: int) -> Int64s:
        """Number the nodes that have an event anew and drop the others; return the old numbers of those kept."""
        alive = np.union1d(self.log.sources, self.log.targets)
        positions = np.full(num_nodes, -1, dtype=np.int32)
        positions[alive] = np.arange(len(alive), dtype=np.int32)
        self.log.renumber(positions)
        self.graph = LiveGraph(symmetric=self.directed is None)
        self.graph.reserve(len(alive) + 1)
        self._first = self._last = 0
        return alive.astype(np.int64)
