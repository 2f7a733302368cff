"""The events of a stream that are still in its window: arrays that grow at one end and shrink at the other."""

from typing import Any

import numpy as np

from egonet.typing import Int32s

Array = np.ndarray[Any, Any]


class EventLog:
    """Sources, targets and times of events, in order of time.

    Examples
    --------
    >>> log = EventLog(np.dtype(np.int64))
    >>> log.append(np.array([0, 1], np.int32), np.array([1, 2], np.int32), np.array([5, 7]))
    >>> log.drop(1)
    >>> len(log), log.times.tolist()
    (1, [7])
    """

    def __init__(self, time_type: np.dtype[Any]) -> None:
        self._columns: list[Array] = [np.empty(0, kind) for kind in (np.int32, np.int32, time_type)]
        self._first = self._last = 0

    def __len__(self) -> int:
        """Return the number of events."""
        return self._last - self._first

    @property
    def sources(self) -> Int32s:
        """Return the nodes that events start from."""
        return self._columns[0][self._first : self._last]

    @property
    def targets(self) -> Int32s:
        """Return the nodes that events lead to."""
        return self._columns[1][self._first : self._last]

    @property
    def times(self) -> Array:
        """Return when each event happened, never falling."""
        return self._columns[2][self._first : self._last]

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
        """Return whether times are whole numbers."""
        return bool(self._columns[2].dtype.kind == "i")

    def append_one(self, source: int, target: int, time: int | float) -> None:
        """Add one event that is not earlier than the last one; its time is of the type of the others."""
        last, columns = self._last, self._columns
        if last == len(columns[0]):
            self._make_space(1, columns[2].dtype)
            last = self._last
        columns[0][last], columns[1][last], columns[2][last] = source, target, time
        self._last = last + 1

    def append(self, sources: Int32s, targets: Int32s, times: Array) -> None:
        """Add events that are not earlier than the last one."""
        self._make_space(len(sources), times.dtype)
        for column, values in zip(self._columns, (sources, targets, times), strict=True):
            column[self._last : self._last + len(values)] = values
        self._last += len(sources)

    def insert(self, position: int, source: int, target: int, time: Any) -> None:
        """Add one event before the one at a position."""
        self._make_space(1, np.asarray(time).dtype)
        for column, value in zip(self._columns, (source, target, time), strict=True):
            kept = column[self._first : self._last + 1]
            kept[position + 1 :] = kept[position:-1].copy()
            kept[position] = value
        self._last += 1

    def drop(self, count: int) -> None:
        """Remove the first events."""
        self._first += count

    def renumber(self, positions: Int32s) -> None:
        """Replace node v by positions[v]."""
        for column in self._columns[:2]:
            column[self._first : self._last] = positions[column[self._first : self._last]]

    def _make_space(self, count: int, time_type: np.dtype[Any]) -> None:
        """Make space for more events after the last; arrays are at most four times as long as what they hold."""
        wider = np.result_type(self._columns[2].dtype, time_type)
        if self._last + count <= len(self._columns[0]) and wider == self._columns[2].dtype:
            return
        size = len(self)
        capacity = max(2 * (size + count), 64)
        for index, kind in enumerate((np.dtype(np.int32), np.dtype(np.int32), wider)):
            moved: Array = np.empty(capacity, dtype=kind)
            moved[:size] = self._columns[index][self._first : self._last]
            self._columns[index] = moved
        self._first, self._last = 0, size
