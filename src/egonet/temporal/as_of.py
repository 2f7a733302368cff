"""Rows as of a time: a history of events, and queries that each see only the events of their own window."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from itertools import compress
from typing import Any

import numpy as np

from egonet.attributes.edge_types import as_numbers, bin_weights
from egonet.encoding.count import EVERYTHING_SEEN, MemoryRows, to_matrix
from egonet.encoding.encode import reject_new_labels
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import as_labels, by_id
from egonet.encoding.matrix import Counts, distinct_keys, join_columns, renumber_columns
from egonet.encoding.settings import Learned, Settings
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary, arrange, bin_degrees
from egonet.errors import InputError, UnknownNodeError
from egonet.graph.edge_table import as_column
from egonet.graph.graph import MAX_NODES, adjacency
from egonet.graph.ids import factorize, near_match, show
from egonet.kernel.native_pairs import WindowQueries, WindowSettings, replay_rows
from egonet.kernel.reference import Rows
from egonet.temporal.events import EventTable, QueryTable, check_same_kind
from egonet.temporal.times import Closed, Times, window_bounds
from egonet.typing import Direction, Int32s

#: Settings that must have their defaults where a graph changes with time.
_FIXED = ("layout", "labels", "edge_labels", "rooted", "common", "cap")


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
    values
        The type or weight of each event as given; None without.
    labels, types
        int32: the label of every node, and the type of every event, as numbers; `label_events` sets them.
    """

    sources: Int32s
    targets: Int32s
    times: Times
    nodes: np.ndarray[Any, Any]
    loops_dropped: int
    values: list[Any] | None = None
    labels: Int32s | None = None
    types: Int32s | None = None

    @classmethod
    def from_table(cls, table: EventTable, before: "EventHistory | None" = None) -> "EventHistory":
        """Return the history of events that are in order of time; the nodes and loops of `before` are in it too."""
        sources, targets, ids = factorize(table.ids, nodes=None if before is None else before.nodes)
        proper = sources != targets
        times = Times(table.times.values[proper], table.times.kind)
        nodes = np.empty(0, dtype=np.int64) if ids is None else ids
        loops = int(np.count_nonzero(~proper)) + (0 if before is None else before.loops_dropped)
        values = None if table.types is None else list(compress(table.types, proper.tolist()))
        return cls(sources[proper], targets[proper], times, nodes, loops, values)


def label_events(
    history: EventHistory, settings: Settings, labels: Any, known: Settings | None
) -> tuple[EventHistory, Settings]:
    """Return events with numbers for labels and types, and settings with their names; those of a vocabulary if `known`.

    Labels name their nodes and may name more than have events. Weights become types by the bins of the settings.

    >>> history = EventHistory.from_table(EventTable(["a", "b"], Times(np.array([1]), "numbers"), ["x"]))
    >>> labeled, settings = label_events(history, Settings(1), {"a": "C", "b": "N", "c": "O"}, None)
    >>> labeled.labels.tolist(), labeled.types.tolist(), settings
    ([0, 1], [0], Settings(radius=1, labels=('C', 'N'), edge_labels=('x',)))
    """
    size, names = len(history.nodes), (known or settings)
    if known is not None:
        reject_new_labels(known, labels, history.values, None)
        if known.edge_labels is not None and history.values is None:
            raise InputError(
                "the columns were learned with types of events. Give edge_labels or weights here too."
            )
    if labels is not None:
        named = by_id(labels)
        if named is None:
            raise InputError(
                "the labels of nodes that appear with time must name them: give a mapping, a Series by id or a table."
            )
        nodes = set(history.nodes.tolist())
        labels = {node: label for node, label in named.items() if node in nodes}
    whole = np.array([0, size], dtype=np.int64)
    numbers, found = as_labels(labels, history.nodes, whole, names.labels)
    labeled, counted = replace(history, labels=numbers), replace(settings, labels=found)
    if history.values is None:
        return labeled, counted
    values: Any = history.values
    if settings.weight_bins is not None:
        amounts = as_numbers(as_column(values, len(values), "weights"), "weights", "event")
        values = bin_weights(amounts, settings.weight_bins)
    every = np.array([0, len(values)], dtype=np.int64)
    types, found = as_labels(values, np.arange(len(values)), every, names.edge_labels, "edge_labels")
    return replace(labeled, types=types), replace(counted, edge_labels=found)


def check_supported(settings: Settings, *, weights: bool = False) -> None:
    """Raise for settings that graphs changing with time do not support; `weights` are those of events."""
    if settings.weight_bins is not None and not weights:
        raise InputError("weight_bins is for weights. Give weights= too, which TemporalEncoder takes.")
    if weights and not isinstance(settings.weight_bins, str | tuple):
        raise InputError(
            f'weights of events become types by weight_bins="log" or limits, got {settings.weight_bins!r}: quantiles '
            "of all events would use future events. Give Settings(..., weight_bins=[10, 100])."
        )
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


def count_windows(
    settings: Settings, count: Callable[[int], Rows], directed: Learned = "any"
) -> tuple[Counts, Vocabulary]:
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
    return join_columns(matrices), Vocabulary(settings, np.concatenate(keys), directed=directed)


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
    """Return the counts of every query in the graph of its events, and the columns."""
    check_same_kind(history.times, queries.times, "queries")
    first, last = window_bounds(history.times.values, queries.times.values, window, closed)
    order = np.argsort(queries.times.values, kind="stable")
    sources, targets, labels = history.sources, history.targets, history.labels
    num_nodes = len(history.nodes)
    if directed == "in":
        sources, targets = targets, sources
    if history.types is not None:
        types, first, last = history.types, 2 * first, 2 * last
        sources, targets, kinds = _subdivided(sources, targets, types, num_nodes, symmetric=directed is None)
        own = np.zeros(num_nodes, dtype=np.int32) if labels is None else labels
        labels, num_nodes = np.concatenate([own, kinds]), num_nodes + len(kinds)
    asked = WindowQueries(rows_of(queries, history.nodes), first, last, order)
    indptr, _, _ = adjacency(sources, targets, num_nodes, both_directions=True)
    largest = int(np.diff(indptr).max(initial=0))  # in the graph of all events, at least that in any window

    def count(radius: int) -> Rows:
        counted = window_settings(settings, radius * settings.steps, directed)
        ends = (sources, targets)
        return replay_rows(ends, num_nodes, largest, asked, counted, labels=labels, threads=threads)

    return count_windows(settings, count, directed)


def _subdivided(
    sources: Int32s, targets: Int32s, types: Int32s, num_nodes: int, *, symmetric: bool
) -> tuple[Int32s, Int32s, Int32s]:
    """Return two events for each, to and from a node between its ends, and the types of these nodes.

    Events of one type between the same nodes have one node.

    >>> ends = np.array([0, 1], dtype=np.int32), np.array([1, 0], dtype=np.int32)
    >>> [part.tolist() for part in _subdivided(*ends, np.array([5, 5], dtype=np.int32), 2, symmetric=True)]
    [[0, 2, 1, 2], [2, 1, 2, 0], [5]]
    """
    low, high = (
        (np.minimum(sources, targets), np.maximum(sources, targets)) if symmetric else (sources, targets)
    )
    edges, positions = distinct_keys(np.column_stack([low, high, types]).astype(np.int64))
    if num_nodes + len(edges) > MAX_NODES:
        raise InputError(
            f"nodes and typed edges must be at most {MAX_NODES:,} together, got {num_nodes + len(edges):,}."
        )
    middle = (num_nodes + positions).astype(np.int32)
    starts, ends = np.column_stack([sources, middle]), np.column_stack([middle, targets])
    return starts.reshape(-1), ends.reshape(-1), edges[:, 2].astype(np.int32)


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
