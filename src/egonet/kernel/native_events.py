"""The C++ kernel of rows per event; `reference_events.py` defines the rows."""

from dataclasses import dataclass
from math import ceil
from typing import Any, get_args

import numpy as np

from egonet import _native
from egonet.kernel.reference_events import EventSettings, Group
from egonet.typing import Array, Floats, Int32s


@dataclass(frozen=True, eq=False)
class EventArrays:
    """Events in order of time, as arrays of one length.

    Attributes
    ----------
    sources, targets
        int32: nodes, numbers from 0.
    times
        int64 or float64, never falling.
    amounts
        float64, finite; 0 without amounts. There is no negative zero.
    types
        int32; -1 for events without a type, or of one that has no column.
    """

    sources: Int32s
    targets: Int32s
    times: Array
    amounts: Floats
    types: Int32s

    def __len__(self) -> int:
        return len(self.sources)

    def __getitem__(self, part: slice | Array) -> "EventArrays":
        return EventArrays(*(np.ascontiguousarray(column[part]) for column in self.columns))

    @property
    def columns(self) -> tuple[Array, ...]:
        """Return the arrays."""
        return self.sources, self.targets, self.times, self.amounts, self.types


class EventKernel:
    """Events go in, rows come out; no row depends on a later event. One call at a time.

    Parameters
    ----------
    settings
        What is counted.
    has_whole_times
        Whether times are int64; otherwise they are float64.

    Examples
    --------
    >>> settings = EventSettings((5,), ("5",), groups=("pair",))
    >>> kernel = EventKernel(settings, has_whole_times=True)
    >>> kernel.process_one(0, 1, 7, 0.0, -1, 2).tolist()
    [[0.0, 0.0, 0.0, nan, nan, 1.0]]
    >>> kernel.process_one(1, 0, 8, 0.0, -1, 2).tolist()
    [[0.0, 1.0, 0.0, nan, 1.0, 1.0]]
    """

    def __init__(self, settings: EventSettings, *, has_whole_times: bool) -> None:
        self.settings, self.has_whole_times = settings, has_whole_times
        groups = get_args(Group)
        kind = _native.WholeEventRows if has_whole_times else _native.RealEventRows
        self._rows = kind(
            windows=[_length(window, has_whole_times=has_whole_times) for window in settings.windows],
            radius=settings.radius,
            by_time=settings.order == "time",
            own=settings.own,
            groups=[groups.index(group) for group in settings.groups],
            has_amounts=settings.has_amounts,
            num_types=len(settings.type_names),
            cycle_length=settings.cycle_length,
            unit=settings.unit,
        )
        self.process_one = self._rows.process_one

    @property
    def magnitude(self) -> float:
        """Return an upper bound of the sum of the magnitudes of the amounts in all windows."""
        return float(self._rows.magnitude)

    def process(self, events: EventArrays, num_nodes: int, mask: Array | None = None) -> Floats:
        """Take the next events, none earlier than those before, and return their rows; nodes are below `num_nodes`.

        `mask`, bool, says which events later rows may know; None for all.
        """
        rows: Floats = self._rows.process(*events.columns, num_nodes, True, _bytes(mask))
        return rows

    def add(self, events: EventArrays, num_nodes: int, mask: Array | None = None) -> None:
        """Take the next events without making rows."""
        self._rows.process(*events.columns, num_nodes, False, _bytes(mask))

    def log(self) -> EventArrays:
        """Return the events that later rows may depend on: a new kernel that adds them continues in the same way."""
        return EventArrays(*self._rows.log())

    def copy(self) -> "EventKernel":
        """Return an independent kernel in the same state."""
        twin: Any = object.__new__(EventKernel)
        twin.settings, twin.has_whole_times, twin._rows = (
            self.settings,
            self.has_whole_times,
            self._rows.copy(),
        )
        twin.process_one = twin._rows.process_one
        return twin  # type: ignore[no-any-return]


def _bytes(flags: Array | None) -> Array | None:
    return None if flags is None else np.ascontiguousarray(flags).view(np.uint8)


def _length(window: int | float | None, *, has_whole_times: bool) -> int | float | None:
    """Return a window in the type of the times; among whole numbers, more than t - 2.5 means more than t - 3."""
    if window is None:
        return None
    return min(ceil(window), int(np.iinfo(np.int64).max)) if has_whole_times else float(window)
