"""Statistics of the numbers of events at every distance from a node, as of a time."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from egonet import _native
from egonet.encoding.ring_statistics import RingStatistics, Statistic, ring_table
from egonet.encoding.unknown import HandleUnknown
from egonet.errors import InputError, option, show_value
from egonet.graph.align import as_numbers
from egonet.graph.columns import as_column
from egonet.graph.graph import MAX_NODES
from egonet.graph.index import id_array
from egonet.tables.events import QueryTable
from egonet.tables.times import Closed
from egonet.temporal.as_of import EventHistory, find_windows, rows_of
from egonet.typing import Direction, Floats, Int32s


def ring_values_as_of(
    history: EventHistory,
    queries: QueryTable,
    radius: int,
    statistics: Sequence[Statistic],
    *,
    name: str,
    window: int | float | None,
    closed: Closed,
    directed: Direction | None,
    threads: int,
    handle_unknown: HandleUnknown = "error",
) -> RingStatistics:
    """Return statistics of the values of events around every query, in the graph of its window.

    Every event is a node between its ends that has the value, so that ring d of events is at distance 2 d + 1. The
    graph of a window is built once for all queries that share it.

    >>> from egonet.tables.schemas import EventColumns
    >>> from egonet.tables.times import Times
    >>> from egonet.temporal.events import as_events
    >>> events = [("a", "b", 1, 5), ("a", "b", 2, 7), ("b", "c", 3, 9)]
    >>> history = EventHistory.from_table(as_events(events, EventColumns(types="x")))
    >>> asked = QueryTable(["a", "a"], Times(np.array([3, 4]), "numbers"))
    >>> keywords = {"name": "", "window": None, "closed": "left", "directed": None, "threads": 1}
    >>> ring_values_as_of(history, asked, 2, ["sum", "count"], **keywords).values.tolist()
    [[12.0, 2.0, 0.0, 0.0], [12.0, 2.0, 9.0, 1.0]]
    """
    order, first, last = find_windows(history, queries, window, closed)
    numbers = read_numbers(history.values or [])
    rows = rows_of(queries, history.nodes, handle_unknown)
    scratch = np.empty(len(history.nodes), dtype=np.int32)
    order = order[np.lexsort((last[order], first[order]))]
    starts = np.flatnonzero(np.diff(first[order], prepend=-1) | np.diff(last[order], prepend=-1))
    table, names = np.empty((len(order), 0)), list[str]()
    for asked in np.split(order, starts[1:]) if len(order) else [order]:
        inside = slice(first[asked[0]], last[asked[0]]) if len(asked) else slice(0, 0)
        part, names = ring_values(
            *(history.sources[inside], history.targets[inside], numbers[inside], rows[asked], scratch),
            radius=radius,
            statistics=statistics,
            name=name,
            directed=directed,
            threads=threads,
            name_node=lambda row: show_value(history.nodes[row]),
        )
        if not table.shape[1]:
            table = np.empty((len(order), len(names)))
        table[asked] = part
    ids = queries.ids if isinstance(queries.ids, np.ndarray) else id_array(queries.ids)
    return RingStatistics(table, ids, names, queries.times.to_array())


def ring_values(
    sources: Int32s,
    targets: Int32s,
    values: Floats,
    asked: Int32s,
    scratch: Int32s,
    *,
    radius: int,
    statistics: Sequence[Statistic],
    name: str,
    directed: Direction | None,
    threads: int,
    name_node: Callable[[int], str],
) -> tuple[Floats, list[str]]:
    """Return the statistics of the values of some events around nodes, and the names of the columns.

    Parameters
    ----------
    sources, targets
        The nodes of both ends of every event.
    asked
        The node of every row; -1 for one without an event.
    scratch
        A number per node, overwritten.
    name_node
        Returns the id of a node, for messages.

    >>> ends = np.array([0, 1], dtype=np.int32), np.array([1, 2], dtype=np.int32)
    >>> asked, scratch = np.array([2, -1], dtype=np.int32), np.empty(3, dtype=np.int32)
    >>> options = {"name": "", "directed": None, "threads": 1, "name_node": str}
    >>> ring_values(*ends, np.array([5.0, 7.0]), asked, scratch, radius=2, statistics=["sum"], **options)
    (array([[7., 5.],
           [0., 0.]]), ['event_d0_sum', 'event_d1_sum'])
    """
    if directed == "in":
        sources, targets = targets, sources
    # Rows of roots come first; -1 is a node that no event has, without neighbors.
    roots, places = np.unique(asked, return_inverse=True)
    others = np.setdiff1d(np.concatenate([sources, targets]), roots)
    scratch[roots[roots >= 0]] = np.flatnonzero(roots >= 0)
    scratch[others] = len(roots) + np.arange(len(others))
    num_nodes = len(roots) + len(others)
    if num_nodes + len(values) > MAX_NODES:
        raise InputError(f"nodes and events of a window must be at most {MAX_NODES:,} together.")
    each = np.arange(len(values), dtype=np.int32)
    indptr, indices, kept = _native.subdivide(
        scratch[sources], scratch[targets], each, num_nodes, directed is None
    )
    table, names = ring_table(
        (indptr, indices),
        np.ascontiguousarray(values[kept][:, None]),
        num_nodes,
        (1, 2, radius),
        len(roots),
        threads,
        radius=radius,
        columns=[("event_", name)],
        statistics=statistics,
        name_row=lambda row: f"node {name_node(roots[row])}",
    )
    return table[places], names


def check_weighted(role: str | None) -> None:
    """Raise unless events have numbers."""
    if role != "weights":
        raise InputError(
            f"ring statistics need a number per event. Give {option('weights')}, the name of a column of the "
            "events or their values."
        )


def read_numbers(values: list[Any]) -> Floats:
    """Return the weights of events as numbers, or raise."""
    return as_numbers(as_column(values, len(values), "weights"), "weights", "event")
