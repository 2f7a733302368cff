"""Statistics of the numbers of events at every distance from a node, as of a time."""

from collections.abc import Sequence

import numpy as np

from egonet import _native
from egonet.encoding.ring_statistics import RingStatistics, Statistic, ring_table
from egonet.encoding.unknown import HandleUnknown
from egonet.errors import InputError
from egonet.graph.align import as_numbers
from egonet.graph.columns import as_column
from egonet.graph.graph import MAX_NODES
from egonet.graph.index import id_array, show
from egonet.tables.events import QueryTable
from egonet.tables.times import Closed
from egonet.temporal.as_of import EventHistory, find_windows, rows_of
from egonet.typing import Direction, Floats


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
    numbers = read_numbers(history)
    sources, targets = history.sources, history.targets
    if directed == "in":
        sources, targets = targets, sources
    rows = rows_of(queries, history.nodes, handle_unknown)
    row_of = np.empty(len(history.nodes), dtype=np.int32)
    order = order[np.lexsort((last[order], first[order]))]
    starts = np.flatnonzero(np.diff(first[order], prepend=-1) | np.diff(last[order], prepend=-1))
    table, names = np.empty((len(order), 0)), list[str]()
    for asked in np.split(order, starts[1:]) if len(order) else [order]:
        inside = slice(first[asked[0]], last[asked[0]]) if len(asked) else slice(0, 0)
        ends, values = (sources[inside], targets[inside]), numbers[inside]
        # Rows of roots come first; -1 is a node that no event has, without neighbors.
        roots, places = np.unique(rows[asked], return_inverse=True)
        others = np.setdiff1d(np.concatenate(ends), roots)
        row_of[roots[roots >= 0]] = np.flatnonzero(roots >= 0)
        row_of[others] = len(roots) + np.arange(len(others))
        num_nodes = len(roots) + len(others)
        if num_nodes + len(values) > MAX_NODES:
            raise InputError(f"nodes and events of a window must be at most {MAX_NODES:,} together.")
        each = np.arange(len(values), dtype=np.int32)
        indptr, indices, kept = _native.subdivide(
            row_of[ends[0]], row_of[ends[1]], each, num_nodes, directed is None
        )
        part, names = ring_table(
            (indptr, indices),
            np.ascontiguousarray(values[kept][:, None]),
            num_nodes,
            (1, 2, radius),
            len(roots),
            threads,
            radius=radius,
            columns=[("event_", name)],
            statistics=statistics,
            name_row=lambda row, roots=roots: f"node {show(history.nodes[roots[row]])}",  # type: ignore[misc]
        )
        if not table.shape[1]:
            table = np.empty((len(order), len(names)))
        table[asked] = part[places]
    ids = queries.ids if isinstance(queries.ids, np.ndarray) else id_array(queries.ids)
    return RingStatistics(table, ids, names, queries.times.to_array())


def read_numbers(history: EventHistory) -> Floats:
    """Return the weights of events as numbers, or raise."""
    column = as_column(history.values or [], len(history.sources), "weights")
    return as_numbers(column, "weights", "event")
