"""Rows as of a time: a history of events, and queries that each see only the events of their own window."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from itertools import compress
from typing import Any

import numpy as np

from egonet.checks import is_iterable
from egonet.encoding.assemble import assemble_columns
from egonet.encoding.count import MemoryRows
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import add_labels, add_types, name_bins, typed_role
from egonet.encoding.matrix import Counts, distinct_keys
from egonet.encoding.request import Request, fit_columns
from egonet.encoding.row_index import RowIndex
from egonet.encoding.schema import Schema
from egonet.encoding.settings import PairSettings, Settings
from egonet.encoding.support import check_support
from egonet.encoding.unknown import HandleUnknown, handle_unknown_nodes
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import InputError, show_value
from egonet.graph.align import align_labels, as_categories, as_numbers, by_id
from egonet.graph.columns import EDGE_ROLES, Categories, as_column, is_from
from egonet.graph.graph import adjacency, check_size
from egonet.graph.index import NodeIndex, Places, factorize, id_array, reject_inexact_ids, reject_self_pairs
from egonet.graph.input_options import as_direction, reading_of
from egonet.kernel.native_pairs import (
    PairQueries,
    WindowQueries,
    WindowSettings,
    replay_pair_rows,
    replay_rows,
)
from egonet.kernel.reference import Rows
from egonet.tables.events import EventBatch, QueryTable
from egonet.tables.times import Closed, Times, window_bounds
from egonet.temporal.events import check_same_kind
from egonet.typing import Array, Directed, Direction, Int32s, Int64s


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
    latest
        The time of the last event read, a dropped loop included, in an array; empty before the first event.
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
    latest: np.ndarray[Any, Any]
    loops_dropped: int
    values: list[Any] | None = None
    labels: Int32s | None = None
    types: Int32s | None = None

    @classmethod
    def from_table(cls, table: EventBatch, before: "EventHistory | None" = None) -> "EventHistory":
        """Return the history of events that are in order of time; the nodes and loops of `before` are in it too."""
        sources, targets, ids = factorize(table.ids, nodes=None if before is None else before.nodes)
        proper = sources != targets
        times = Times(table.times.values[proper], table.times.kind)
        nodes = np.empty(0, dtype=np.int64) if ids is None else ids
        loops = int(np.count_nonzero(~proper)) + (0 if before is None else before.loops_dropped)
        values = None if table.types is None else list(compress(table.types, proper.tolist()))
        latest = table.times.values[-1:]
        if not len(latest) and before is not None:
            latest = before.latest
        return cls(sources[proper], targets[proper], times, nodes, latest, loops, values)


def label_events(history: EventHistory, schema: Schema, labels: Any) -> tuple[EventHistory, Schema]:
    """Return events with numbers for labels and types, and their names; the schema may be that of a vocabulary.

    Labels name their nodes and may name more than have events. Numbers become types by bins.

    >>> from egonet.tables.schemas import EventColumns
    >>> from egonet.temporal.events import as_events
    >>> history = EventHistory.from_table(as_events([("a", "b", 1, "x")], EventColumns(types="x")))
    >>> named = {"a": "C", "b": "N", "c": "O"}
    >>> labeled, schema = label_events(history, Schema(Settings(1)), named)
    >>> labeled.labels.tolist(), labeled.types.tolist(), schema.labels, schema.edge_labels
    ([0, 1], [0], ('C', 'N'), ('x',))
    """
    if labels is not None:
        nodes = history.nodes.tolist()
        known_nodes = set(nodes)
        named = labels_of_nodes(labels, nodes).items()
        labels = {
            node: label for node, label in named if node in known_nodes
        }  # True stays True, which is no id
        column = align_labels(labels, history.nodes, np.array([0, len(history.nodes)]))
        numbers, schema = add_labels(column, schema)
        history = replace(history, labels=numbers)
    if history.values is None:
        return history, schema
    types, schema = add_types(read_types(history.values, schema), schema)
    return replace(history, types=types), schema


def read_types(values: list[Any], schema: Schema) -> Categories:
    """Return the types of events, by their values: labels as they are, numbers by their bins.

    >>> read_types([5, 500], Schema(Settings(1, weight_bins=[10, 100]))).values()
    ['below10', '100plus']
    """
    role = typed_role(schema.settings)
    if not EDGE_ROLES[role].is_number:
        return as_categories(values, role)
    return name_bins(as_numbers(as_column(values, len(values), role), role, "event"), role, schema)


def labels_of_nodes(labels: Any, nodes: list[Any]) -> Mapping[Any, Any]:
    """Return labels as a mapping from id; a sequence has the labels of 0, 1, 2, ... and needs such ids.

    >>> labels_of_nodes(["C", "N", "O"], [2, 0])
    {0: 'C', 1: 'N', 2: 'O'}
    """
    named = by_id(labels)
    if named is not None:
        reject_inexact_ids(named, "labels")
        return named
    has_items = is_iterable(labels) and hasattr(labels, "__len__") and not is_from("scipy", labels)
    if not has_items:
        raise InputError(
            f"labels must have a label per node, got {show_value(labels)}. Give a mapping from id to label, a Series "
            "or a table."
        )
    if not all(type(node) is int and 0 <= node < len(labels) for node in nodes):
        raise InputError(
            f"labels in row order need ids from 0 up to the number of labels, got {len(labels):,} labels for ids such "
            f"as {', '.join(map(show_value, nodes[:3]))}. Give a mapping from id to label, a Series or a table."
        )
    return dict(enumerate(labels))


def window_settings(settings: Settings, radius: int, directed: Direction | None) -> WindowSettings:
    """Return what the kernel counts at one radius."""
    return WindowSettings(
        radius,
        settings.degrees,
        settings.frontier_edges,
        settings.max_degree,
        directed is None,
        settings.follow,
        "events" if settings.count == "events" else "nodes",
    )


def event_direction(directed: Directed, settings: Settings) -> Direction | None:
    """Return how events are followed; with degrees="in_out" their direction is always kept.

    >>> event_direction(None, Settings(1)), event_direction(None, Settings(1, degrees="in_out"))
    (None, 'out')
    """
    return as_direction(reading_of(directed, settings.degrees))


def distance_direction(directed: Directed, settings: Settings) -> Direction | None:
    """Return how distances follow events; with degrees="in_out" `follow` says so.

    >>> distance_direction("in", Settings(1)), distance_direction("in", Settings(1, degrees="in_out", follow="out"))
    ('in', 'out')
    """
    if settings.degrees != "in_out":
        return as_direction(directed)
    return None if settings.follow == "any" else settings.follow


def read_direction(schema: Schema) -> Direction | None:
    """Return the direction in which events are followed; None if they are undirected."""
    return None if schema.directed == "any" else schema.directed


def as_encoding(
    request: Request, matrix: Counts, counted: Vocabulary, queries: QueryTable, unknown: int = 0
) -> Encoding:
    """Return counts as an encoding, in the columns of the vocabulary of a request; `unknown` rows have no node.

    Its rows are named by the node, or both ends, and the time of each query.
    """
    ids = queries.ids if isinstance(queries.ids, np.ndarray) else id_array(queries.ids)
    if queries.pairs:
        ordered = counted.schema.is_ordered
        index = RowIndex.of_pairs(ids.reshape(-1, 2), ordered=ordered, times=queries.times.to_array())
    else:
        index = RowIndex.of_nodes(ids, queries.times.to_array())
    matrix, columns, met = fit_columns(request, matrix, counted, index.ids, what=index.kind)
    if unknown:
        met = replace(met, unknown=unknown, num_all=len(index))
    graph_ptr = np.array([0, len(index)], dtype=np.int64)
    return Encoding(MemoryRows(matrix, index, columns, graph_ptr, met, learned=not request.has_columns))


def encode_as_of(
    history: EventHistory,
    queries: QueryTable,
    schema: Schema,
    *,
    window: int | float | None,
    closed: Closed,
    threads: int,
    handle_unknown: HandleUnknown = "error",
) -> tuple[Counts, Vocabulary, int]:
    """Return the counts of every query in the graph of its events, the columns, and how many queries have no node.

    The direction is that of the schema. A node without events is counted as an isolated node, which has no label.
    """
    settings, directed = schema.settings, read_direction(schema)
    swap = directed == "in" and settings.degrees != "in_out"
    order, first, last = find_windows(history, queries, window, closed)
    sources, targets, labels, num_nodes = _searched_events(history, swap=swap, symmetric=directed is None)
    rows = rows_of(queries, history.nodes, handle_unknown)
    unknown = int((rows < 0).sum())
    if unknown:
        labels = schema.add_unlabeled(labels, 1)
        rows, num_nodes = np.where(rows < 0, np.int32(num_nodes), rows), num_nodes + 1
    asked = WindowQueries(rows, first, last, order)
    # In the graph of all events, at least that in any window.
    if settings.count == "events":
        largest = int(np.bincount(np.concatenate([sources, targets]), minlength=1).max())
    else:
        indptr, _, _ = adjacency(sources, targets, num_nodes, both_directions=True)
        largest = int(np.diff(indptr).max(initial=0))

    def count(radius: int) -> Rows:
        counted = window_settings(settings, radius * schema.steps, directed)
        ends = (sources, targets)
        return replay_rows(ends, num_nodes, largest, asked, counted, labels=labels, threads=threads)

    matrix, columns = assemble_columns(schema, count)
    return matrix, columns, unknown


def find_windows(
    history: EventHistory, queries: QueryTable, window: int | float | None, closed: Closed
) -> tuple[Int64s, Int64s, Int64s]:
    """Return the order of queries by time, and the first event of every query and the one after its last."""
    check_same_kind(history.times, queries.times, "queries")
    first, last = window_bounds(history.times.values, queries.times.values, window, closed)
    steps = 1 if history.types is None else 2  # a typed event is two arcs
    return np.argsort(queries.times.values, kind="stable"), steps * first, steps * last


def _searched_events(
    history: EventHistory, *, swap: bool, symmetric: bool
) -> tuple[Int32s, Int32s, Int32s | None, int]:
    """Return the ends of the events that are replayed, the label of every node, and the number of nodes.

    With types every event is two: to and from a node between its ends, whose label is the type.
    """
    sources, targets, labels = history.sources, history.targets, history.labels
    num_nodes = len(history.nodes)
    if swap:
        sources, targets = targets, sources
    if history.types is None:
        return sources, targets, labels, num_nodes
    sources, targets, kinds = _subdivide_events(
        sources, targets, history.types, num_nodes, symmetric=symmetric
    )
    own = np.zeros(num_nodes, dtype=np.int32) if labels is None else labels
    return sources, targets, np.concatenate([own, kinds]), num_nodes + len(kinds)


def pair_settings(settings: Settings) -> PairSettings:
    """Return settings for pairs.

    >>> pair_settings(Settings(1, degree_bins="log"))
    PairSettings(radius=1, degree_bins='log')
    """
    check_support("pairs", settings)
    if not isinstance(settings, PairSettings):
        settings = PairSettings(**{each.name: getattr(settings, each.name) for each in fields(settings)})
    return settings


def encode_pairs_as_of(
    history: EventHistory,
    queries: QueryTable,
    schema: Schema,
    *,
    window: int | float | None,
    closed: Closed,
    threads: int,
    handle_unknown: HandleUnknown = "error",
) -> tuple[Counts, Vocabulary, int]:
    """Return what `encode_as_of` returns, for pairs: rows of `encode_pairs` in the graph of the events."""
    order, first, last = find_windows(history, queries, window, closed)
    directed = read_direction(schema)
    swap = directed == "in"
    sources, targets, labels, num_nodes = _searched_events(history, swap=swap, symmetric=directed is None)
    pairs = rows_of(queries, history.nodes, handle_unknown).astype(np.int64).reshape(-1, 2)
    unknown = int((pairs < 0).any(axis=1).sum())
    if unknown:  # two nodes without events stand for them
        labels = schema.add_unlabeled(labels, 2)
        pairs, num_nodes = np.where(pairs < 0, [num_nodes, num_nodes + 1], pairs), num_nodes + 2
    indptr, _, _ = adjacency(sources, targets, num_nodes, both_directions=True)
    rows = replay_pair_rows(
        (sources, targets),
        num_nodes,
        int(np.diff(indptr).max(initial=0)),
        PairQueries(np.ascontiguousarray(pairs), first, last, order),
        schema.radii_in_steps,
        **schema.pair_options,
        threads=threads,
        direction=directed,
        labels=labels,
        divided=history.types is not None,
    )
    return *assemble_columns(schema, rows), unknown


def drop_self_pairs(queries: QueryTable, self_pairs: str) -> tuple[QueryTable, Array]:
    """Return the queries about two nodes, and which queries these are; raise for others if these are an error.

    >>> asked = QueryTable(["a", "a", "a", "b"], Times(np.array([1, 2]), "numbers"), pairs=True)
    >>> kept, is_kept = drop_self_pairs(asked, "zero")
    >>> kept.ids, kept.times.values.tolist(), is_kept.tolist()
    (['a', 'b'], [2], [False, True])
    """
    listed = queries.ids.tolist() if isinstance(queries.ids, np.ndarray) else list(queries.ids)
    same = [row for row, ends in enumerate(zip(listed[::2], listed[1::2], strict=True)) if ends[0] == ends[1]]
    is_kept = np.ones(len(listed) // 2, dtype=bool)
    if not same:
        return queries, is_kept
    is_kept[same] = False
    if self_pairs == "error":
        reject_self_pairs(listed, same, Places("query", 2))
    ids = [node for row in np.flatnonzero(is_kept).tolist() for node in listed[2 * row : 2 * row + 2]]
    return QueryTable(ids, Times(queries.times.values[is_kept], queries.times.kind), pairs=True), is_kept


def _subdivide_events(
    sources: Int32s, targets: Int32s, types: Int32s, num_nodes: int, *, symmetric: bool
) -> tuple[Int32s, Int32s, Int32s]:
    """Return two events for each, to and from a node between its ends, and the types of these nodes.

    Events of one type between the same nodes have one node.

    >>> ends = np.array([0, 1], dtype=np.int32), np.array([1, 0], dtype=np.int32)
    >>> [part.tolist() for part in _subdivide_events(*ends, np.array([5, 5], dtype=np.int32), 2, symmetric=True)]
    [[0, 2, 1, 2], [2, 1, 2, 0], [5]]
    """
    low, high = (
        (np.minimum(sources, targets), np.maximum(sources, targets)) if symmetric else (sources, targets)
    )
    edges, positions = distinct_keys(np.column_stack([low, high, types]).astype(np.int64))
    check_size(num_nodes + len(edges), "nodes and typed edges")
    middle = (num_nodes + positions).astype(np.int32)
    starts, ends = np.column_stack([sources, middle]), np.column_stack([middle, targets])
    return starts.reshape(-1), ends.reshape(-1), edges[:, 2].astype(np.int32)


def rows_of(queries: QueryTable, nodes: np.ndarray[Any, Any], handle_unknown: HandleUnknown) -> Int32s:
    """Return the row of the node of every query; -1, or an error, for a node that no event has."""
    index = NodeIndex(len(nodes), nodes)
    rows = index.find_rows(queries.ids)
    strange = np.flatnonzero(rows < 0).tolist()
    if strange:
        where = f" (query {strange[0] // (2 if queries.pairs else 1)}, counted from 0)"
        unknown = [queries.ids[position] for position in strange]
        handle_unknown_nodes(unknown, index.find, handle_unknown, len(rows), first=where)
    return rows.astype(np.int32)
