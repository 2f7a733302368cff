"""`TemporalEncoder`, the scikit-learn transformer: (node, time) rows in, the features as of that time out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self, Unpack, get_args

import numpy as np

from egonet.checks import is_iterable, one_of
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import find_edge_role
from egonet.encoding.matrix import Weighting, spread_rows
from egonet.encoding.request import Request, add_columns, make_request
from egonet.encoding.ring_statistics import RingStatistics, Statistic, check_statistics
from egonet.encoding.settings import (
    PairSettings,
    Radius,
    Settings,
    settings_of,
)
from egonet.encoding.unknown import HandleUnknown
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary
from egonet.errors import InputError, in_python, option, show_value
from egonet.graph.adapters import as_list
from egonet.graph.align import in_row_order
from egonet.graph.columns import EDGE_ROLES, ROLES, EdgeValues, Labels, as_column, is_from
from egonet.graph.index import join_ids
from egonet.graph.input_options import Ids, Missing
from egonet.pairs.index import SelfPairs
from egonet.sklearn import BaseEncoder, SparseOutput, threads_of
from egonet.sklearn.base import EncoderOptions
from egonet.tables.events import EventBatch, read_queries
from egonet.tables.schemas import EventColumns
from egonet.tables.times import Closed, Times, as_window, same_numbers
from egonet.temporal.as_of import (
    EventHistory,
    as_encoding,
    distance_direction,
    drop_self_pairs,
    encode_as_of,
    encode_pairs_as_of,
    event_direction,
    label_events,
    pair_settings,
)
from egonet.temporal.events import (
    as_events,
    check_same_kind,
    check_sorted,
    reject_id_drift,
)
from egonet.temporal.ring_values import check_weighted, read_numbers, ring_values_as_of
from egonet.typing import Directed

#: What `fit` forgets: the events read, and what they were read from.
_HISTORY = ("history_", "_source", "_has_more")
#: The parameters that say which events there are.
_READING = ("events", "source", "target", "time", "time_format", *EDGE_ROLES)


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two parameters are one object, or equal names."""
    return one is other or (isinstance(one, str) and isinstance(other, str) and one == other)


class TemporalEncoder(BaseEncoder):
    """Turn rows (node, time) into features of the node as of that time, from the events known then.

    An edge exists while at least one event between its ends is in the window. A query at time t uses the events with
    t - window <= time < t, so not those at t itself, unless `closed="right"` (t - window < time <= t). The rows equal
    those of `encode` on the graph of these events, byte for byte.

    Parameters
    ----------
    events
        A table with the ends of every event and its time, or triples (source, target, time), in order of time. Times
        are numbers, or dates (NumPy, pandas, Python), all with a time zone or all without.
    radius
        Hops around each node, or several; or a `Settings` record.
    degrees, frontier_edges, max_degree, degree_bins, layout
        What is counted, as for `egonet.encode`.
    rooted, common, cap, depth, follow, weight_bins, count
        More of what is counted, as for `egonet.encode`.
    window
        How long an event counts: a duration such as "7d", "12h", "30min" or a timedelta for dates, a number for
        numbers; None keeps all events.
    closed
        Which end of the window counts: "left" or "right", as in pandas.
    directed
        "out" or "in" follows events that way; None and False read them as undirected. With degrees="in_out" the
        direction of events is always kept.
    source, target, time, node
        The columns of tables: of events the first three, of queries the last two. With two names for `node`, queries
        are about pairs, as tuples (u, v, time): rows equal those of `encode_pairs` on the graph of the events, without
        the edge between the two nodes.
    time_format
        The format of times in text, as for `datetime.strptime`: "%d.%m.%Y %H:%M"; None for 2024-01-31T12:00:00.
    missing, ids
        As in `as_graph`: missing="drop" leaves out events with a missing value, ids="text" reads the ids of events and
        queries as text.
    labels
        A label per node by id (a mapping, a Series, a table with a column "node" or "id"); it may name more nodes than
        have events. Keys then end with the label.
    edge_labels
        The type of every event: the name of a column of the events, or a sequence in their order; a pandas Series is
        aligned with a pandas table of events by the index. As in `encode`, an event of type t is a node labeled t
        between its ends.
    weights
        A number per event, given like `edge_labels`; the `weight_bins` of the settings ("log" or limits) make types of
        them.
    unseen
        What `transform` does with keys not seen in `fit`: "clip" them to the nearest lower degree, "ignore" them, or
        "error".
    handle_unknown
        What happens to a node that no event has, such as a new customer: "zero" and "warn" give it the row of an
        isolated node, counted by `count_unseen`; "warn" warns, "zero" does so if more than half are unknown; "error".
    self_pairs
        What happens to a query about a pair of one node with itself: "error", or "zero" for a row of zeros.
    weighting, sparse_output, n_jobs
        As for `GraphEncoder`.

    Attributes
    ----------
    vocabulary_ : Vocabulary
        The columns learned by `fit`, or by the first `transform`.
    history_ : EventHistory
        The events, those of `partial_fit` included.

    Examples
    --------
    At time 3 node "b" has met "a" and "c"; at time 4, with a window of two, only what happened since time 2 counts.

    >>> events = [("a", "b", 1), ("b", "c", 2), ("a", "c", 3)]
    >>> encoder = TemporalEncoder(events, 1, window=2)
    >>> encoder.transform([("b", 3), ("b", 4)])
    array([[0., 1., 2.],
           [1., 0., 1.]])
    >>> encoder.get_feature_names_out().tolist()
    ['r1_d0_deg1', 'r1_d0_deg2', 'r1_d1_deg1']

    At time 3 the pair of "a" and "c" has "b" in common.

    >>> TemporalEncoder(events, 1, node=("u", "v")).fit([("a", "c", 3)]).encode([("a", "c", 3)])[("a", "c", 3)]
    {(0, 2, 1): 2, (1, 1, 2): 1}
    """

    history_: EventHistory
    #: The parameters that `history_` was read with, and whether `partial_fit` added events to it.
    _source: dict[str, Any] | None = None
    _has_more = False
    _data = ("events", *ROLES)

    def __init__(
        self,
        events: Any = None,
        radius: Radius | Settings = 2,
        window: Any = None,
        *,
        closed: Closed = "left",
        directed: Directed = None,
        source: str | None = None,
        target: str | None = None,
        time: str = "time",
        node: str | tuple[str, str] | None = None,
        time_format: str | None = None,
        missing: Missing = None,
        ids: Ids = None,
        labels: Labels | None = None,
        weighting: Weighting = "count",
        unseen: UnseenPolicy = "clip",
        handle_unknown: HandleUnknown = "zero",
        self_pairs: SelfPairs = "error",
        sparse_output: SparseOutput = "auto",
        n_jobs: int | None = None,
        **options: Unpack[EncoderOptions],
    ) -> None:
        self._keep(locals())
        self.events = as_list(events)

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803, ARG002
        """Learn the columns of some queries (node, time) from `events` alone; `y` is ignored.

        Examples
        --------
        >>> events = [("a", "b", 1), ("b", "c", 2)]
        >>> encoder = TemporalEncoder(events, radius=0)
        >>> len(encoder.fit([("b", 2), ("b", 3)]).vocabulary_)
        2
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:  # noqa: N803, ARG002
        """Learn the columns of some queries and return their rows; events of `partial_fit` are forgotten.

        If this fails, the encoder is as before.

        Examples
        --------
        >>> events = [("a", "b", 1), ("b", "c", 2)]
        >>> encoder = TemporalEncoder(events, radius=0)
        >>> encoder.fit_transform([("b", 2), ("b", 3)])
        array([[1., 0.],
               [0., 1.]])
        """
        before = {name: self.__dict__.pop(name) for name in _HISTORY if name in self.__dict__}
        try:
            return self._rows(self._learn(X))
        except BaseException:
            for name in _HISTORY:
                self.__dict__.pop(name, None)
            self.__dict__.update(before)
            raise

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Return a row per query (node, time), in the learned columns; without `fit` the first call learns them.

        Examples
        --------
        >>> events = [("a", "b", 1), ("b", "c", 2)]
        >>> encoder = TemporalEncoder(events, radius=0)
        >>> encoder.fit([("b", 2), ("b", 3)]).transform([("a", 5)])
        array([[1., 0.]])
        """
        current = self._current()
        return current._rows(current.encode(X) if hasattr(self, "vocabulary_") else self._learn(X))

    def encode(self, X: Any) -> Encoding:  # noqa: N803
        """Return the rows of some queries as an `Encoding`, in the columns learned.

        Examples
        --------
        >>> events = [("a", "b", 1), ("b", "c", 2)]
        >>> encoder = TemporalEncoder(events, radius=0)
        >>> encoder.fit([("b", 2), ("b", 3)]).encode([("a", 5)]).shape
        (1, 2)
        """
        self._check_fitted()
        return self._encode_queries(X, self.vocabulary_)

    _apply = encode

    def ring_statistics(
        self,
        X: Any,  # noqa: N803
        statistics: Sequence[Statistic] = ("sum", "mean", "min", "max"),
    ) -> RingStatistics:
        """Return statistics of the weights of events at every distance from a node, as of a time.

        Ring d of a query (node, time) holds the events of its window whose nearer end is at distance d from the node,
        0 to the radius - 1: ring 0 has the node's own events. With directed="out", or degrees="in_out" and
        follow="out", it holds those that begin at distance d, and with "in" those that end there. Every event counts,
        repeated ones too. `weights` is their number; it needs no bins here, and columns learned by `fit` play no part.
        Sums are those of `egonet.ring_statistics`. The graph of a window is built once for all queries that share it.

        Parameters
        ----------
        X
            Queries, as for `transform`.
        statistics
            Any of "sum", "mean", "min", "max" and "count".

        Examples
        --------
        At time 4 "a" has sent 5 and 7 to "b", and "b" 9 to "c".

        >>> payments = [("a", "b", 1), ("a", "b", 2), ("b", "c", 3)]
        >>> encoder = TemporalEncoder(payments, radius=2, weights=[5, 7, 9])
        >>> encoder.ring_statistics([("a", 4)], ["sum", "count"])["a", 4]
        {'event_d0_sum': 12.0, 'event_d0_count': 2.0, 'event_d1_sum': 9.0, 'event_d1_count': 1.0}
        """
        check_weighted(self._role())
        if isinstance(self.node, tuple | list):
            raise InputError(
                "ring statistics are about nodes, got queries about pairs. Name one column of nodes."
            )
        settings = settings_of(self)
        radius = max(settings.radius)
        check_statistics(radius, statistics)
        history = self._history()
        name = self.weights if isinstance(self.weights, str) else ""
        return ring_values_as_of(
            history,
            read_queries(as_list(X), self._columns(), ids=self.ids),
            radius,
            statistics,
            name=name,
            window=as_window(self.window, history.times.kind),
            closed=self.closed,
            directed=distance_direction(self.directed, settings),
            threads=threads_of(self.n_jobs),
            handle_unknown=self.handle_unknown,
        )

    def without_data(self) -> Self:
        """Return the fitted encoder without its events and labels; `partial_fit` starts a new history.

        Examples
        --------
        >>> encoder = TemporalEncoder([("a", "b", 1)], radius=1).fit([("a", 2)])
        >>> encoder.without_data().partial_fit([("x", "y", 5)]).transform([("y", 6)])
        array([[1., 1.]])
        """
        other = super().without_data()
        for name in _HISTORY:
            other.__dict__.pop(name, None)
        return other

    def partial_fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803, ARG002
        """Add events that are not earlier than those before; the learned columns do not change.

        Examples
        --------
        >>> encoder = TemporalEncoder([("a", "b", 1)], 1)
        >>> encoder.fit([("a", 2)]).partial_fit([("a", "c", 3)]).transform([("a", 3), ("a", 4)])
        array([[1., 1.],
               [1., 2.]])
        """
        values = self._values()
        if values is not None and not isinstance(values, str):
            raise InputError(
                "partial_fit takes the types of new events from a column. Give tables of events, and the name of the "
                "column as edge_labels or weights."
            )
        more = as_events(as_list(X), self._columns(), missing=self.missing, ids=self.ids)
        if self.events is None and not hasattr(self, "history_"):
            check_sorted(more.times, "Sort them by time.")
            return self._keep_history(EventHistory.from_table(more))
        history = self._history()
        check_same_kind(Times(history.latest, history.times.kind), more.times, "new events")
        latest = np.concatenate(same_numbers(history.latest, more.times.values))
        late = "Late events cannot be added; make a new TemporalEncoder with all events."
        check_sorted(Times(latest, more.times.kind), late, num_before=len(history.latest))
        ends = np.stack([history.nodes[history.sources], history.nodes[history.targets]], axis=1).reshape(-1)
        reject_id_drift(set(more.ids), set(history.nodes.tolist()))
        types = None if history.values is None else [*history.values, *(more.types or [])]
        kind = history.times.kind if len(history.latest) else more.times.kind
        times = Times(np.concatenate(same_numbers(history.times.values, more.times.values)), kind)
        rows = np.arange(len(times.values))
        both = replace(more, ids=join_ids(ends, more.ids), times=times, types=types, positions=rows)
        self._keep_history(EventHistory.from_table(both, history))
        self._has_more = True
        return self

    def _keep_history(self, history: EventHistory) -> Self:
        """Keep events if every one of them has the label and the type that keys need."""
        if self._role() == "weights" and settings_of(self).weight_bins is None:  # for ring_statistics alone
            read_numbers(history.values or [])
        elif self.labels is not None or history.values is not None:
            request = self._request(getattr(self, "vocabulary_", None))
            label_events(history, request.schema, self.labels)
        self.history_ = history
        return self

    def _learn(self, queries: Any) -> Encoding:
        """Learn columns; return the encoding they were learned on."""
        encoding = self._encode_queries(queries, None)
        if not len(encoding):
            raise InputError("TemporalEncoder needs at least one query to learn columns from, got none.")
        self.vocabulary_ = encoding.vocabulary
        return encoding

    def _encode_queries(self, queries: Any, vocabulary: Any) -> Encoding:
        self._check_params()
        one_of("self_pairs", self.self_pairs, get_args(SelfPairs))
        history = self._history()
        request = self._request(vocabulary)
        history, schema = label_events(history, request.schema, self.labels)
        asked = read_queries(as_list(queries), self._columns(), ids=self.ids)
        keywords: Any = {
            "window": as_window(self.window, history.times.kind),
            "closed": self.closed,
            "threads": threads_of(self.n_jobs),
            "handle_unknown": self.handle_unknown,
        }
        if isinstance(schema.settings, PairSettings):
            proper, is_kept = drop_self_pairs(asked, self.self_pairs)
            matrix, counted, unknown = encode_pairs_as_of(history, proper, schema, **keywords)
            matrix = matrix if is_kept.all() else spread_rows(matrix, is_kept)
        else:
            matrix, counted, unknown = encode_as_of(history, asked, schema, **keywords)
        if unknown and vocabulary is None and self.labels is not None:
            raise InputError(
                "columns with labels are learned from nodes with labels, but some queries have a node without events. "
                f"Leave these queries out{in_python(' of fit')}."
            )
        return as_encoding(request, matrix, counted, asked, unknown=unknown)

    def _request(self, vocabulary: Vocabulary | None) -> Request:
        """Return the request of the parameters, checked against the columns of the events."""
        settings, is_pairs = settings_of(self), isinstance(self.node, tuple | list)
        if is_pairs:
            settings = pair_settings(settings)
        elif isinstance(settings, PairSettings):
            raise InputError(
                f"{settings} is for pairs. Name the two columns of nodes: {option('node', ('u', 'v'))}."
            )
        request = make_request(
            "as_of", settings, vocabulary=vocabulary, unseen=self.unseen, rows="pair" if is_pairs else "node"
        )
        columns = [name for name in ROLES if getattr(self, name) is not None]
        return add_columns(request, columns, event_direction(self.directed, settings))

    def _history(self) -> EventHistory:
        """Return the events, read on first use and if another table of events was given since then."""
        one_of("closed", self.closed, get_args(Closed))
        source = {name: getattr(self, name) for name in _READING}
        is_read = hasattr(self, "history_")
        if is_read and self._source is not None and self.events is not None:
            changed = [name for name in _READING if not _is_same(source[name], self._source[name])]
            if changed and self._has_more:
                raise InputError(
                    f"{changed[0]} was changed after partial_fit, whose events would be lost. Call fit again, or make "
                    "a new TemporalEncoder."
                )
            is_read = not changed
        if not is_read:
            if self.events is None:
                raise InputError(
                    "TemporalEncoder needs events. Write TemporalEncoder(events), or call partial_fit."
                )
            table = as_events(self.events, self._columns(), missing=self.missing, ids=self.ids)
            values = self._values()
            if values is not None and not isinstance(values, str):
                name = str(self._role())
                table = replace(table, types=_per_event(values, table, name))
            check_sorted(table.times, "Sort them by time.")
            as_window(self.window, table.times.kind)
            self.history_, self._source, self._has_more = EventHistory.from_table(table), source, False
        return self.history_

    def _columns(self) -> EventColumns:
        values = self._values()
        types = values if isinstance(values, str) else None
        names = (self.source, self.target, self.time)
        keyword = self._role() or "edge_labels"
        return EventColumns(
            *names, types=types, time_format=self.time_format, node=self.node, keyword=keyword
        )

    def _values(self) -> EdgeValues | None:
        """Return the types or the weights of events, as given."""
        return None if self._role() is None else getattr(self, str(self._role()))

    def _role(self) -> str | None:
        """Return the keyword of the types or numbers of events; None if events have none."""
        return find_edge_role([name for name in EDGE_ROLES if getattr(self, name) is not None], "event")


def _per_event(values: Any, table: EventBatch, name: str) -> list[Any]:
    """Return one value per event, a Series by its index, or raise."""
    size = len(table.times.values)
    per_row = as_list(in_row_order(values, table.index, size, name, "event"))
    is_list = is_iterable(per_row) and not isinstance(per_row, dict) and not is_from("scipy", per_row)
    if not is_list or len(per_row) != size:
        got = f"{len(per_row):,}" if is_list else show_value(per_row)
        raise InputError(f"{name} must be the name of a column or one value per event: {size:,}, got {got}.")
    column: list[Any] = as_column(per_row, size, name).tolist()
    return column
