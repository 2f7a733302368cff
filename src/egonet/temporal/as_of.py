"""Rows as of a time: a history of events, and queries that each see only the events of their own window."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from egonet.encoding.count import EVERYTHING_SEEN, MemoryRows, to_matrix
from egonet.encoding.encoding import Encoding
from egonet.encoding.matrix import Counts, distinct_keys, join_columns, renumber_columns
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary, arrange, bin_degrees
from egonet.errors import InputError, UnknownNodeError
from egonet.graph.graph import adjacency
from egonet.graph.ids import factorize, near_match, show
from egonet.kernel.reference import Rows
from egonet.kernel.windows import WindowQueries, WindowSettings, replay_rows
from egonet.temporal.events import EventTable, QueryTable, refuse_other_kind
from egonet.temporal.times import Closed, Times, window_bounds
from egonet.typing import Direction, Int32s

#: What settings must have where a graph changes with time.
_FIXED = ("layout", "labels", "rooted", "common", "cap")


@dataclass(frozen=True, eq=False)
class EventHistory:
    """Events in order of time, with nodes numbered by first appearance.

    Attributes
    ----------
    sources, targets
        int32 (num_events,): the rows of both ends; loops are dropped.
    times
        When each happened, never falling.
    nodes
        The ids of the rows.
    loops_dropped
        How many events had one node at both ends.
    """

    sources: Int32s
    targets: Int32s
    times: Times
    nodes: np.ndarray[Any, Any]
    loops_dropped: int

    @classmethod
    def from_table(cls, table: EventTable) -> "EventHistory":
        """Return the history of events that are in order of time."""
        sources, targets, ids = factorize(table.ids)
        proper = sources != targets
        times = Times(table.times.values[proper], table.times.kind)
        nodes = np.empty(0, dtype=np.int64) if ids is None else ids
        loops = int(np.count_nonzero(~proper))
        return cls(sources[proper], targets[proper], times, nodes, loops)

    def largest_degree(self) -> int:
        """Return the largest degree in the graph of all events, at least that in any window."""
        indptr, _, _ = adjacency(self.sources, self.targets, len(self.nodes), both_directions=True)
        return int(np.diff(indptr).max(initial=0))


def check_supported(settings: Settings) -> None:
    """Raise for settings that graphs changing with time do not support."""
    for name in _FIXED:
        default = next(each.default for each in fields(Settings) if each.name == name)
        if getattr(settings, name) != default:
            raise InputError(
                f"features as of a time do not support {name}={getattr(settings, name)!r}. Leave {name} out."
            )
    if settings.degrees not in ("total", "layered", "full"):
        raise InputError(
            f"features as of a time do not support degrees={settings.degrees!r}. Use 'total', 'layered' or 'full'."
        )


def window_settings(settings: Settings, radius: int, directed: Direction | None) -> WindowSettings:
    """Return what the kernel counts at one radius."""
    return WindowSettings(
        radius, settings.degrees, settings.frontier_edges, settings.max_degree, directed is None
    )


def count_windows(settings: Settings, count: Callable[[int], Rows]) -> tuple[Counts, Vocabulary]:
    """Return the counts of every radius, one block of columns after another, and the columns."""
    matrices, keys = [], [np.empty((0, 1 + len(settings.field_names)), dtype=np.int64)]
    for radius in settings.radius:
        rows = count(radius)
        matrix, found = to_matrix(rows), rows.keys
        if settings.degree_bins is not None:
            found, positions = distinct_keys(bin_degrees(found, settings))
            matrix = renumber_columns(matrix, positions, len(found))
        matrices.append(matrix)
        keys.append(np.column_stack([np.full(len(found), radius, dtype=np.int64), found]))
    return join_columns(matrices), Vocabulary(settings, np.concatenate(keys))


def as_encoding(
    matrix: Counts,
    found: Vocabulary,
    nodes: np.ndarray[Any, Any],
    vocabulary: Vocabulary | None,
    unseen: UnseenPolicy,
) -> Encoding:
    """Return counts as an encoding, in the columns of a vocabulary if one is given."""
    met = EVERYTHING_SEEN
    if vocabulary is not None:
        matrix, met = arrange(matrix, found, vocabulary, unseen, nodes)
    graph_ptr = np.array([0, len(nodes)], dtype=np.int64)
    known = found if vocabulary is None else vocabulary
    return Encoding(MemoryRows(matrix, nodes, known, graph_ptr, met, learned=vocabulary is None))


def encode_as_of(
    history: EventHistory,
    queries: QueryTable,
    settings: Settings,
    *,
    window: int | float | None,
    closed: Closed,
    directed: Direction | None,
    threads: int,
) -> tuple[Counts, Vocabulary]:
    """Return the counts of every query in the graph of the events it knows, and the columns."""
    refuse_other_kind(history.times, queries.times, "queries")
    first, last = window_bounds(history.times.values, queries.times.values, window, closed)
    asked = WindowQueries(
        rows_of(queries, history.nodes), first, last, np.argsort(queries.times.values, kind="stable")
    )
    ends = (history.sources, history.targets)
    if directed == "in":
        ends = (history.targets, history.sources)
    largest = history.largest_degree()

    def count(radius: int) -> Rows:
        counted = window_settings(settings, radius, directed)
        return replay_rows(ends, len(history.nodes), largest, asked, counted, threads=threads)

    return count_windows(settings, count)


def rows_of(queries: QueryTable, nodes: np.ndarray[Any, Any]) -> Int32s:
    """Return the row of the node of every query; raise for a node that no event has."""
    listed = queries.ids.tolist() if isinstance(queries.ids, np.ndarray) else queries.ids
    row_of = {node: row for row, node in enumerate(nodes.tolist())}
    rows = np.fromiter((row_of.get(node, -1) for node in listed), dtype=np.int32, count=len(listed))
    unknown = np.flatnonzero(rows < 0)
    if len(unknown):
        first = int(unknown[0])
        more = f"; {len(unknown):,} of {len(rows):,} queries do" if len(unknown) > 1 else ""
        raise UnknownNodeError(
            f"query {first} (counted from 0) names node {show(listed[first])}, which has no event at any time{more}."
            f"{near_match(listed[first], nodes)}"
        )
    return rows
