"""Events (source, target, time) of a history, and checks of what is added to it."""

from collections.abc import Container, Iterable
from typing import Any

import numpy as np

from egonet.errors import InputError, show_value
from egonet.graph.index import other_type
from egonet.graph.input_options import Ids, Missing, check_read_options
from egonet.tables.events import EventBatch, read_events
from egonet.tables.schemas import EventColumns
from egonet.tables.times import Times, shown_time


def as_events(events: Any, columns: EventColumns, *, missing: Missing = None, ids: Ids = None) -> EventBatch:
    """Return events from a table with two columns of ids and one of times, or from triples (source, target, time).

    With a column of types, tuples have a fourth value.

    >>> batch = as_events([("a", "b", 1), ("b", "c", 2)], EventColumns())
    >>> batch.ids, batch.times.values.tolist()
    (['a', 'b', 'b', 'c'], [1, 2])
    """
    check_read_options(missing, ids)
    return read_events(events, columns, missing=missing or "error", ids=ids)


def reject_id_drift(new: Iterable[Any], learned: Container[Any]) -> None:
    """Raise if a new id is known as a number and given as text, or the other way round.

    >>> reject_id_drift(["2"], {1: 0})
    >>> reject_id_drift(["1"], {1: 0})
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: the events so far have node 1, the new ones have '1', which would be another node. Write
    ids with the type that they have.
    """
    for node in new:
        twin = other_type(node)
        if twin is not None and twin in learned and node not in learned:
            raise InputError(
                f"the events so far have node {show_value(twin)}, the new ones have {show_value(node)}, which would be "
                "another node. Write ids with the type that they have."
            )


def find_large(ids: Iterable[Any]) -> int | None:
    """Return the first id beyond 64 bits with a sign, which is an id only among numbers >= 0; None if there is none.

    >>> find_large(["a", 5, 2**63])
    9223372036854775808
    """
    return next((node for node in ids if type(node) is int and node >= 2**63), None)


def check_sorted(times: Times, way_out: str, *, num_before: int = 0) -> None:
    """Raise if a time is smaller than the one before it; `num_before` of them are of events before those given."""
    values = times.values
    falls = np.flatnonzero(values[1:] < values[:-1]) + 1
    if len(falls):
        row = int(falls[0])
        now, before = (shown_time(values[place], times.kind) for place in (row, row - 1))
        place = f"at event {row - num_before} (counted from 0)"
        raise InputError(f"events must be in order of time, got {now} after {before} {place}. {way_out}")


def check_same_kind(events: Times, others: Times, what: str) -> None:
    """Raise if the times of two tables are of different kinds, which cannot be compared."""
    if len(events.values) and len(others.values) and events.kind != others.kind:
        raise InputError(
            f"the times of {what} must be {events.kind}, as those of the events, got {others.kind}."
        )
