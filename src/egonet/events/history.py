"""`EventHistory`: the events so far, and the rows of new ones, with or without adding them."""

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, get_args

import numpy as np

from egonet.checks import as_argument, as_flag, as_whole, one_of
from egonet.errors import InputError, did_you_mean, in_python, option, show_value
from egonet.graph.columns import check_mixed
from egonet.graph.index import first_appearance, is_encodable
from egonet.graph.input_options import Ids, check_read_options, warn
from egonet.kernel.native_events import EventArrays, EventKernel
from egonet.kernel.reference_events import LARGEST_AMOUNT, EventSettings, Group, Order, event_names
from egonet.tables.events import EventBatch, IdKind, Late, Missing, QueryTable, in_order
from egonet.tables.times import Kind, Times, as_window, plain_time, plain_window, shown_time
from egonet.temporal.events import check_same_kind, reject_id_drift
from egonet.typing import Array, Floats

#: All amounts together must stay below this, so that the kernel adds them exactly.
LARGEST_SUM = 2.0**62
#: Sums of amounts in a row must stay below this, so that no float rounds them to another whole number.
EXACT_SUM = 2.0**53
#: Times since an event must stay below this, for the same reason, if they are whole numbers.
EXACT_SINCE = 2**53
#: Ids of nodes that have left all windows are forgotten when there are more of them than of others, and this many.
SPARE_IDS = 4096
#: The largest radius and length of cycles: what the kernel counts with.
MAX_HOPS = 2**31 - 1


def _shown(values: Any) -> str:
    """Return several values for a message: as they are in Python, and separated by commas on the command line."""
    plain = (
        ",".join("all" if value is None else str(value) for value in values)
        if isinstance(values, tuple)
        else ""
    )
    return in_python(show_value(values), plain or show_value(values))


@dataclass(frozen=True)
class EventOptions:
    """What is asked of a history; the fields are the parameters of `EventEncoder`."""

    windows: tuple[Any, ...]
    radius: int = 1
    order: Order = "row"
    own: bool = True
    groups: tuple[Group, ...] = ("ends", "pair", "ego")
    has_amounts: bool = False
    has_types: bool = False
    cycle_length: int = 4
    late: Late = "sort"
    missing: Missing = "error"
    ids: Ids = None

    def __post_init__(self) -> None:
        windows = self.windows
        if not isinstance(windows, tuple) or not windows:
            example = in_python("('7d', None)", "7d,all")
            raise InputError(
                f"{as_argument('windows')} must be one or more lengths, such as {example}, got {show_value(windows)}."
            )
        names = [window_name(window) for window in windows]
        if len(set(names)) < len(names):
            raise InputError(f"{as_argument('windows')} must differ, got {_shown(windows)}.")
        for name in ("radius", "cycle_length"):
            object.__setattr__(self, name, as_whole(name, getattr(self, name), most=MAX_HOPS))
        if self.radius < 1:
            raise InputError(f"{as_argument('radius')} must be at least 1, got 0.")
        if self.cycle_length < 2:
            raise InputError(f"{as_argument('cycle_length')} must be at least 2, got {self.cycle_length}.")
        one_of("order", self.order, get_args(Order))
        one_of("late", self.late, get_args(Late))
        one_of("missing", self.missing, get_args(Missing))
        check_read_options(None, self.ids)
        object.__setattr__(self, "own", as_flag("own", self.own))
        groups = get_args(Group)
        is_tuple = isinstance(self.groups, tuple) and all(isinstance(group, str) for group in self.groups)
        if not is_tuple or not self.groups or len(set(self.groups)) < len(self.groups):
            raise InputError(
                f"{as_argument('groups')} must be some of {', '.join(map(repr, groups))}, got {_shown(self.groups)}."
            )
        for group in self.groups:
            if group not in groups:
                raise InputError(
                    f"{as_argument('groups')} must be some of {', '.join(map(repr, groups))}, got {show_value(group)}."
                    f"{did_you_mean(group, groups)}"
                )

    def settings(self, kind: Kind, type_names: tuple[str, ...]) -> EventSettings:
        """Return the settings of the kernel for times of a kind."""
        lengths = tuple(as_window(window, kind, "windows") for window in self.windows)
        if len(set(lengths)) < len(lengths):
            raise InputError(f"{as_argument('windows')} must differ, got {_shown(self.windows)}.")
        return EventSettings(
            lengths,
            tuple(map(window_name, self.windows)),
            self.radius,
            self.order,
            self.own,
            self.groups,
            self.has_amounts,
            type_names,
            self.cycle_length,
            unit=1 if kind == "numbers" else 10**9,
        )


def window_name(window: Any) -> str:
    """Return the ending of the names of a window's columns.

    >>> window_name("7d"), window_name(np.timedelta64(36, "h")), window_name(30), window_name(None)
    ('7d', '36h', '30', 'all')
    """
    return "all" if window is None else "".join(str(plain_window(window)).split())


@dataclass(eq=False)
class EventHistory:
    """The events that later rows may depend on.

    Attributes
    ----------
    options
        What is counted, and the rules for data.
    kind
        What times are; None before the first event.
    types
        The types that have columns, as they are in the data.
    clock
        The time of the last event, as a number.
    num_events, num_loops, num_late, num_dropped
        How many events were added; how many of these have one node at both ends; how many counted at a later time than
        their own (late="arrival"); and how many rows with missing values were dropped. Events that are not kept are
        in none of these.
    rejects_repeats
        Whether new events that are already the last ones of the history are an error: a command that runs again.

    Examples
    --------
    >>> from egonet.tables.events import read_events
    >>> from egonet.tables.schemas import EventColumns
    >>> history = EventHistory(EventOptions((None,), groups=("pair",)))
    >>> batch = read_events([("a", "b", 1), ("b", "a", 3)], EventColumns())
    >>> history.start(batch)
    >>> history.rows(batch, keep=True).tolist()
    [[0.0, 0.0, 0.0, nan, nan, 1.0], [0.0, 1.0, 0.0, nan, 2.0, 1.0]]
    """

    options: EventOptions
    kind: Kind | None = None
    types: tuple[Any, ...] = ()
    clock: Any = None
    num_events: int = 0
    num_loops: int = 0
    num_late: int = 0
    num_dropped: int = 0
    rejects_repeats: bool = False
    _row_of: dict[Hashable, int] = field(default_factory=dict)
    _id_kind: IdKind | None = None
    _kernel: Any = None
    _type_of: dict[Any, int] = field(default_factory=dict)
    _begin: Any = None  # no event is earlier
    _spare: int = SPARE_IDS
    _lock: Any = field(default_factory=threading.Lock)

    @property
    def id_kind(self) -> IdKind | None:
        """Return whether ids are numbers, text or something else; None before the first event."""
        return self._id_kind

    @property
    def names(self) -> list[str]:
        """Return the names of the columns."""
        names: list[str] = event_names(self._kernel.settings)
        return names

    @property
    def num_kept(self) -> int:
        """Return how many events are kept: those of the longest window, or all if a window has no limit."""
        return len(self._kernel.log())

    @property
    def num_nodes(self) -> int:
        """Return how many nodes are known."""
        return len(self._row_of)

    def start(self, batch: EventBatch) -> None:
        """Learn the kind of times and the types from the first events, without adding them."""
        _check_types(batch)
        check_mixed({type(value): value for value in batch.types or ()}.values(), "types")
        types = tuple(sorted(set(batch.types or ()), key=lambda each: (str(type(each)), each)))
        names = tuple(map(str, types))
        if len(set(names)) < len(names):
            twin = next(name for name in names if names.count(name) > 1)
            raise InputError(
                f"types have {show_value(twin)} as a number and as text. Convert the column to one of them."
            )
        self.begin(batch.times.kind, types, has_whole_times=batch.times.values.dtype.kind == "i")

    def begin(self, kind: Kind, types: tuple[Any, ...], *, has_whole_times: bool) -> None:
        """Set the kind of times and the types of an empty history."""
        settings = self.options.settings(kind, tuple(map(str, types)))
        self.kind, self.types = kind, types
        self._type_of = {value: number for number, value in enumerate(types)}
        self._kernel = EventKernel(settings, has_whole_times=has_whole_times)

    def rows(self, batch: EventBatch, *, keep: bool, wants_rows: bool = True) -> Floats:
        """Return the rows of new events, in the order of their table; dropped rows are NaN.

        With `keep` the events become part of the history. If one is invalid, nothing changes.
        """
        with self._lock:
            return self._rows(batch, keep=keep, wants_rows=wants_rows)

    def _rows(self, batch: EventBatch, *, keep: bool, wants_rows: bool) -> Floats:
        num_dropped = batch.num_rows - len(batch)
        result: Floats = np.empty((0, len(self.names)))
        if not len(batch):
            self.num_dropped += num_dropped if keep else 0
            return np.full((batch.num_rows if wants_rows else 0, len(self.names)), np.nan)
        check_same_kind(Times(np.zeros(1), self.kind or batch.times.kind), batch.times, "new events")
        kernel, values = self._fitting(batch.times.values)
        clock = self.clock if self.clock is None or kernel.has_whole_times else float(self.clock)
        if self.rejects_repeats and self._ends_with(batch, values):
            size = f"{len(batch):,}"
            raise InputError(
                f"{size} of {size} events are already the last ones of {option('state')}. If they are the same, "
                f"{option('state')} must be from before they were added. If they happened again, set "
                f"{option('repeated', True)}."
            )
        order, times = in_order(batch, self.options.late, clock, self.kind, values)
        self._warn_future(times, batch)
        mask = None if batch.kept is None else batch.kept[order]
        ends, new_ids, num_kept, id_kind = self._number(batch.ids, batch.kept)
        amounts = np.zeros(len(batch)) if batch.amounts is None else batch.amounts[order]
        check_sum(kernel, amounts)
        begin = times[0].item() if self._begin is None else self._begin
        may_round = wants_rows and (
            kernel.magnitude + float(np.abs(amounts).sum()) >= EXACT_SUM
            or _may_round_since(kernel, times[-1].item() - begin)
        )
        events = EventArrays(
            np.ascontiguousarray(ends[0::2][order]),
            np.ascontiguousarray(ends[1::2][order]),
            np.ascontiguousarray(times),
            np.ascontiguousarray(amounts),
            self._type_numbers(batch)[order],
        )
        num_nodes = len(self._row_of) + len(new_ids)
        if may_round and keep and len(batch) == 1:  # its row alone, without a trace
            self._reject_rounded(kernel.process(events, num_nodes, np.zeros(1, dtype=bool)), batch, order)
        elif not keep or may_round:
            kernel = kernel.copy() if kernel is self._kernel else kernel
        if wants_rows:
            counted_rows = kernel.process(events, num_nodes, mask)
            if may_round:
                self._reject_rounded(counted_rows, batch, order)
            result = _at_rows(counted_rows, batch.positions[order], batch.num_rows)
        else:
            kernel.add(events, num_nodes, mask)
        if keep:
            counted = slice(None) if mask is None else mask
            self._row_of.update(zip(new_ids[:num_kept], count(len(self._row_of)), strict=False))
            self._id_kind, self._kernel, self.clock, self._begin = id_kind, kernel, times[-1].item(), begin
            self.num_events += len(times[counted])
            self.num_loops += int(np.count_nonzero((events.sources == events.targets)[counted]))
            self.num_late += int(np.count_nonzero((times != values[order])[counted]))
            self.num_dropped += num_dropped
            self._forget_spare()
        return result

    def _ends_with(self, batch: EventBatch, values: Array) -> bool:
        """Return whether the last events of the history are those of a batch, as far as they are still known."""
        log = self._kernel.log()
        arrives = self.options.late == "arrival"
        order = np.arange(len(values)) if arrives else np.argsort(values, kind="stable")
        times = np.maximum.accumulate(values[order])
        if batch.kept is not None:
            order, times = order[batch.kept[order]], times[batch.kept[order]]
        size = min(len(order), len(log))
        if not size or len(order) > self.num_events:
            return False
        last, order, times = log[slice(len(log) - size, None)], order[-size:], times[-size:]
        if arrives:  # those that were late then have the time of the event before them
            times = np.maximum(times, last.times[0])
        if not np.array_equal(times, last.times):
            return False
        ends = self._number(batch.ids, batch.kept)[0]
        amounts = np.zeros(len(batch)) if batch.amounts is None else batch.amounts
        columns = (
            (ends[0::2][order], last.sources),
            (ends[1::2][order], last.targets),
            (amounts[order], last.amounts),
            (self._type_numbers(batch)[order], last.types),
        )
        return all(np.array_equal(new, old) for new, old in columns)

    def _reject_rounded(self, rows: Floats, batch: EventBatch, order: Array) -> None:
        """Raise if a sum of amounts or a time since an event is so large that a float may have rounded it."""
        _reject_rounded(rows, self._kernel, lambda row: f"row {batch.positions[order[row]]} (counted from 0)")

    @property
    def node_names(self) -> list[str]:
        """Return the names of the columns of `node_rows`."""
        names = event_names(_node_settings(self._kernel.settings))
        return [name.removeprefix("source_") for name in names if name.startswith("source_")]

    def node_rows(self, queries: QueryTable, batch: EventBatch | None = None) -> Floats:
        """Return a row per node and time after the history: the columns of the source of an event that does not count.

        A batch has events after the history, which rows of later times know. The history does not change.

        >>> from egonet.tables.events import read_events
        >>> from egonet.tables.schemas import EventColumns
        >>> history = EventHistory(EventOptions((None,), groups=("ends",)))
        >>> batch = read_events([("a", "b", 1)], EventColumns())
        >>> history.start(batch)
        >>> _ = history.rows(batch, keep=True)
        >>> history.node_rows(QueryTable(["b"], Times(np.array([4]), "numbers")))[0].tolist()
        [0.0, 0.0, 0.0, 1.0, 1.0, 0.0, nan, 3.0]
        """
        with self._lock:
            settings = _node_settings(self._kernel.settings)
            kernel, values, times, order = self._query_times(queries, batch)
            num_events, num_queries = len(order), len(values)
            parts = [queries.ids] if batch is None else [batch.ids, queries.ids]
            kinds = {self._number(part, None)[-1] for part in parts if len(part)}
            if kinds == {"numbers", "text"}:
                raise InputError(
                    "ids of queries and of events must both be numbers or both be text. Convert them."
                )
            nodes, new, _, _ = self._number([node for part in parts for node in part], None)
            other = len(self._row_of) + len(new)  # the target of a query, which has no event
            ends = nodes[: 2 * num_events].reshape(-1, 2)[order]
            blank = np.full(num_queries, -1, dtype=np.int32)
            amounts = np.zeros(num_events) if batch is None or batch.amounts is None else batch.amounts[order]
            check_sum(kernel, amounts)
            types = blank[:0] if batch is None else self._type_numbers(batch)[order]
            every = EventArrays(
                np.concatenate([ends[:, 0], nodes[2 * num_events :]]),
                np.concatenate([ends[:, 1], np.full(num_queries, other, dtype=np.int32)]),
                np.concatenate([times, values]),
                np.concatenate([amounts, np.zeros(num_queries)]),
                np.concatenate([types, blank]),
            )
            is_event = np.arange(num_events + num_queries) < num_events
            mask = is_event.copy()
            if batch is not None and batch.kept is not None:
                mask[:num_events] = batch.kept[order]
            in_time = np.argsort(every.times, kind="stable")  # events before queries of the same time
            replay = EventKernel(settings, has_whole_times=kernel.has_whole_times)
            replay.add(kernel.log(), other + 1)
            answers = [np.empty((0, len(event_names(settings))))]
            cuts = np.flatnonzero(np.diff(is_event[in_time])) + 1
            for part in np.split(in_time, cuts) if len(in_time) else []:
                if is_event[part[0]]:
                    replay.add(every[part], other + 1, mask[part])
                else:
                    answers.append(replay.process(every[part], other + 1, mask[part]))
            asked = np.concatenate(answers)
            numbers = in_time[~is_event[in_time]] - num_events
            _reject_rounded(asked, replay, lambda row: f"query {numbers[row]} (counted from 0)", "source_")
        rows: Floats = np.empty((num_queries, len(self.node_names)))
        rows[numbers] = asked[
            :, [place for place, name in enumerate(event_names(settings)) if name.startswith("source_")]
        ]
        return rows

    def _query_times(
        self, queries: QueryTable, batch: EventBatch | None
    ) -> tuple[EventKernel, Array, Array, Array]:
        """Return a kernel for the times of queries and events, the times of both, and the order of the events."""
        check_same_kind(Times(np.zeros(1), self.kind or queries.times.kind), queries.times, "queries")
        kernel, values = self._fitting(queries.times.values)
        if self.clock is not None and len(values) and values.min() < self.clock:
            raise InputError(
                f"queries must not be earlier than the last event of the history, which is at "
                f"{shown_time(self.clock, str(self.kind))}, got {shown_time(values.min(), str(self.kind))}. Ask "
                "before later events are added."
            )
        if batch is None:
            return kernel, values, values[:0], np.empty(0, dtype=np.int64)
        check_same_kind(Times(np.zeros(1), self.kind or batch.times.kind), batch.times, "new events")
        other, times = self._fitting(batch.times.values)
        if other.has_whole_times != kernel.has_whole_times:
            check_exact(times, values)
            kernel, times, values = (
                other if kernel.has_whole_times else kernel,
                times.astype(float),
                values.astype(float),
            )
        clock = self.clock if self.clock is None or kernel.has_whole_times else float(self.clock)
        order, times = in_order(batch, self.options.late, clock, self.kind, times)
        return kernel, values, times, order

    def row_of_one(self, event: tuple[Any, ...]) -> Floats | None:
        """Return the row of one plain event and add it; return None and change nothing if it needs the longer way."""
        options = self.options
        if len(event) != 3 + options.has_amounts + options.has_types or self.clock is None:
            return None
        source, target = event[0], event[1]
        moment = plain_time(event[2], self.kind)
        plain = (str,) if self._id_kind == "text" else (int,) if self._id_kind == "numbers" else ()
        if moment is None or type(source) not in plain or type(target) not in plain:
            return None
        amount, number = 0.0, -1
        if options.has_amounts:
            if type(event[3]) not in (int, float) or not abs(event[3]) <= LARGEST_AMOUNT:
                return None
            amount = event[3] + 0.0
        if options.has_types:
            type_number = self._type_of.get(event[-1]) if type(event[-1]) in (str, int) else None
            if type_number is None or type(self.types[type_number]) is not type(event[-1]):
                return None
            number = type_number
        with self._lock:
            kernel, row_of = self._kernel, self._row_of
            if moment < self.clock or (type(moment) is int) != kernel.has_whole_times:
                return None
            for node in (source, target):
                if node not in row_of and not self._is_new(node):
                    return None
            begin = moment if self._begin is None else self._begin
            if kernel.magnitude + abs(amount) >= EXACT_SUM or _may_round_since(kernel, moment - begin):
                return None
            one = row_of.setdefault(source, len(row_of))
            two = row_of.setdefault(target, len(row_of))
            row: Floats = kernel.process_one(one, two, moment, amount, number, len(row_of))
            self.clock, self._begin = moment, begin
            self.num_events += 1
            self.num_loops += one == two
            if len(row_of) > self._spare:
                self._forget_spare()
        return row

    def _is_new(self, node: Any) -> bool:
        """Return whether an id that no event had may be added as it is."""
        if self._id_kind == "numbers":
            return bool(0 <= node < 2**63)  # others are checked as in a table
        return bool(node != "" and (node.isascii() or is_encodable(node)))

    def log(self) -> tuple[EventArrays, list[Any]]:
        """Return the events that later rows may depend on, and the ids of their nodes."""
        with self._lock:
            return self._kernel.log(), list(self._row_of)

    def restore(self, events: EventArrays, ids: list[Any], id_kind: IdKind | None) -> None:
        """Put events into an empty history."""
        self._row_of = {node: row for row, node in enumerate(ids)}
        self._id_kind = id_kind
        self._kernel = EventKernel(self._kernel.settings, has_whole_times=events.times.dtype.kind == "i")
        self._kernel.add(events, len(ids))
        self._begin = events.times[0].item() if len(events) else None

    def empty(self) -> "EventHistory":
        """Return a history with the same columns and no events."""
        twin = EventHistory(self.options)
        if self.kind is not None:
            twin.begin(self.kind, self.types, has_whole_times=self._kernel.has_whole_times)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        events, ids = self.log()
        state = {
            name: value for name, value in vars(self).items() if name not in ("_kernel", "_lock", "_row_of")
        }
        return state | {"events": events, "ids": ids}

    def __setstate__(self, state: dict[str, Any]) -> None:
        events, ids, id_kind = state.pop("events"), state.pop("ids"), state["_id_kind"]
        vars(self).update(state | {"_lock": threading.Lock()})
        self.begin(state["kind"], state["types"], has_whole_times=events.times.dtype.kind == "i")
        self.restore(events, ids, id_kind)

    def _fitting(self, values: Array) -> tuple[EventKernel, Array]:
        """Return a kernel for times that may be fractions, and the times in its type."""
        kernel: EventKernel = self._kernel
        is_whole = values.dtype.kind == "i"
        if is_whole == kernel.has_whole_times:
            return kernel, values
        if kernel.has_whole_times and np.all(values == np.floor(values)) and np.all(np.abs(values) < 2.0**63):
            return kernel, values.astype(np.int64)
        log = kernel.log()
        check_exact(values, log.times)
        if not kernel.has_whole_times:
            return kernel, values.astype(np.float64)
        real = EventKernel(kernel.settings, has_whole_times=False)
        times = log.times.astype(np.float64)
        real.add(
            EventArrays(log.sources, log.targets, times, log.amounts, log.types), max(len(self._row_of), 1)
        )
        return real, values

    def _number(self, flat: Any, mask: Array | None) -> tuple[Array, list[Any], int, IdKind]:
        """Return the row of every id, the new ids in order of rows, how many of these have kept events, and the kind.

        Ids without a kept event have the last rows and are not remembered.
        """
        codes, ids = first_appearance(flat)
        listed = ids.tolist()
        kinds = set(map(type, listed))
        here: IdKind = "numbers" if kinds == {int} else "text" if kinds == {str} else "other"
        row_of = self._row_of
        rows = np.fromiter((row_of.get(node, -1) for node in listed), dtype=np.int32, count=len(listed))
        is_kept = np.full(len(listed), mask is None)
        if mask is not None:
            is_kept[codes.reshape(-1, 2)[mask].reshape(-1)] = True
        places = np.concatenate([np.flatnonzero((rows < 0) & is_kept), np.flatnonzero((rows < 0) & ~is_kept)])
        rows[places] = np.arange(len(row_of), len(row_of) + len(places))
        new = [listed[place] for place in places.tolist()]
        if self._id_kind in ("numbers", "text") and here in ("numbers", "text") and here != self._id_kind:
            raise InputError(
                f"ids must be {self._id_kind}, as in the history, got {here}, first {show_value(listed[0])}. Convert "
                "them."
            )
        if here != self._id_kind or here == "other":  # numbers among numbers have no twin
            reject_id_drift(new, row_of)
        kind: IdKind = here if self._id_kind in (None, here) else "other"
        return rows[codes], new, int(np.count_nonzero(is_kept[places])), kind

    def _type_numbers(self, batch: EventBatch) -> Array:
        """Return the number of the type of every event; -1 for types that have no column."""
        if batch.types is None:
            return np.full(len(batch), -1, dtype=np.int32)
        _check_types(batch)
        numbers = np.array([self._type_of.get(value, -1) for value in batch.types], dtype=np.int32)
        names = {str(value): value for value in self.types}
        if {bool, int} <= {*map(type, self.types), *map(type, batch.types)}:
            check_mixed({type(value): value for value in (*self.types, *batch.types)}.values(), "types")
        unknown = {batch.types[place]: place for place in reversed(np.flatnonzero(numbers < 0).tolist())}
        for value, place in sorted(unknown.items(), key=lambda item: item[1]):
            if str(value) in names:
                raise InputError(
                    f"types have {show_value(names[str(value)])} in the history and {show_value(value)} in the new "
                    f"events, row {batch.positions[place]} (counted from 0). Convert the column."
                )
        return numbers

    def _warn_future(self, times: Array, batch: EventBatch) -> None:
        """Warn about dates that are more than a day in the future: after them, all others would be late."""
        if self.kind == "numbers":
            return
        limit = time.time_ns() + 86_400 * 10**9
        num_future = len(times) - int(np.searchsorted(times, limit, side="right"))
        if num_future:
            warn(
                f"{num_future:,} of {len(batch):,} events are in the future, the last at "
                f"{shown_time(times[-1], str(self.kind))}. Events that happen before them will be late."
            )

    def _forget_spare(self) -> None:
        """Forget the ids of nodes that have left all windows, if there are many."""
        if len(self._row_of) <= self._spare or None in self._kernel.settings.windows:
            return
        log = self._kernel.log()
        alive = np.union1d(log.sources, log.targets)
        if len(self._row_of) > 2 * len(alive) + SPARE_IDS:
            ids = list(self._row_of)
            rows = np.full(len(ids), -1, dtype=np.int32)
            rows[alive] = np.arange(len(alive), dtype=np.int32)
            moved = EventArrays(rows[log.sources], rows[log.targets], log.times, log.amounts, log.types)
            self.restore(moved, [ids[row] for row in alive.tolist()], self._id_kind)
        self._spare = max(2 * len(self._row_of), SPARE_IDS)


def check_sum(kernel: EventKernel, amounts: Floats) -> None:
    """Raise if sums with these amounts could be inexact."""
    if kernel.magnitude + float(np.abs(amounts).sum()) >= LARGEST_SUM:
        raise InputError("amounts must add up to less than 2**62. Give them in a larger unit.")


def _may_round_since(kernel: EventKernel, duration: int | float) -> bool:
    """Return whether a float may round the time since an event, if no two events are further apart than `duration`.

    That of dates is in seconds with a fraction, and that of fractions is a float by itself.
    """
    settings = kernel.settings
    if duration < EXACT_SINCE or not kernel.has_whole_times or settings.unit != 1:
        return False
    longest = settings.windows[settings.longest]
    return longest is None or longest > EXACT_SINCE


def _reject_rounded(rows: Floats, kernel: EventKernel, where: Callable[[int], str], begin: str = "") -> None:
    """Raise if a sum of amounts or a time since an event is so large that a float may have rounded it.

    Only columns whose names begin with `begin` are looked at; `where` names a row.
    """
    names = event_names(kernel.settings)
    is_asked = np.array([name.startswith(begin) for name in names])
    is_sum = np.array(["_sum_" in name for name in names]) & is_asked
    wrong = np.argwhere((np.abs(rows) >= EXACT_SUM) & is_sum)
    if len(wrong):
        row, place = wrong[0].tolist()
        raise InputError(
            f"sums of amounts must stay below 2**53, so that they are exact, got {rows[row, place]:.0f} as "
            f"{names[place]} in {where(row)}. Give amounts in a larger unit, or a shorter window."
        )
    if not kernel.has_whole_times or kernel.settings.unit != 1:
        return
    is_since = np.array([name.endswith(("_since", "cycle_span")) for name in names]) & is_asked
    wrong = np.argwhere((rows >= EXACT_SINCE) & is_since)
    if len(wrong):
        row, place = wrong[0].tolist()
        raise InputError(
            f"times since an event must stay below 2**53, so that they are exact, got about {rows[row, place]:.4g} as "
            f"{names[place]} in {where(row)}. Give dates, times in a larger unit, or a longest window of at most 2**53."
        )


def check_exact(*parts: Array) -> None:
    """Raise if whole times cannot be compared exactly with fractions."""
    for part in parts:
        if part.dtype.kind == "i" and len(part) and max(-int(part.min()), int(part.max())) > 2**53:
            raise InputError("times beyond 2**53 and fractions cannot be compared. Use one kind of numbers.")


def _check_types(batch: EventBatch) -> None:
    """Raise for a type that is no label, such as 1.5."""
    allowed, types = (int, str, np.integer, np.bool_), batch.types or []
    if all(issubclass(kind, allowed) for kind in set(map(type, types))):
        return
    wrong = [place for place, value in enumerate(types) if not isinstance(value, allowed)]
    raise InputError(
        f"types must be whole numbers or strings, {len(wrong):,} of {len(types):,} are not, first "
        f"{show_value(types[wrong[0]])} in row {batch.positions[wrong[0]]} (counted from 0). Convert the column."
    )


def _at_rows(rows: Floats, positions: Array, num_rows: int) -> Floats:
    """Return rows at their positions in a table; the other rows are NaN."""
    if np.array_equal(positions, np.arange(num_rows)):
        return rows
    placed: Floats = np.full((num_rows, rows.shape[1]), np.nan)
    placed[positions] = rows
    return placed


def _node_settings(settings: EventSettings) -> EventSettings:
    """Return settings for rows of nodes: the groups that are about one end."""
    groups: tuple[Group, ...] = tuple(group for group in settings.groups if group in ("ends", "ego"))
    if not groups:
        raise InputError(
            f'rows of nodes have the groups "ends" and "ego", got {show_value(settings.groups)}. Add one of them.'
        )
    return replace(settings, own=False, groups=groups)
