"""`TemporalEncoder`, the scikit-learn transformer: (node, time) rows in, the features as of that time out."""

from dataclasses import replace
from typing import Any, Self, get_args

import numpy as np

from egonet.attributes.edge_types import EdgeValues, in_row_order
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import Labels
from egonet.encoding.matrix import Weighting
from egonet.encoding.settings import Radius, Settings, as_settings, check_direction, one_of
from egonet.encoding.vocabulary import UnseenPolicy
from egonet.errors import InputError
from egonet.graph.convert import listed
from egonet.graph.edge_table import as_column
from egonet.graph.ids import id_array, joined, show
from egonet.graph.input_options import as_direction
from egonet.sklearn import BaseEncoder, SparseOutput, check_is_fitted, threads_of
from egonet.temporal.as_of import EventHistory, as_encoding, check_supported, encode_as_of, label_events
from egonet.temporal.events import (
    EventColumns,
    EventTable,
    as_events,
    as_queries,
    check_same_kind,
    check_sorted,
)
from egonet.temporal.times import Closed, Times, as_window
from egonet.typing import Directed


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
    settings
        What is counted: `Settings`, or a radius (2 if not given).
    window
        How long an event counts: a duration such as "7d", "12h", "30min" or a timedelta for dates, a number for
        numbers; None keeps all events.
    closed
        Which end of the window counts: "left" or "right", as in pandas.
    directed
        "out" or "in" follows events that way; None and False read them as undirected.
    source, target, time, node
        The columns of tables: of events the first three, of queries the last two.
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
    handle_unknown
        What `transform` does with keys not seen in `fit`: "clip" them to the nearest lower degree, "ignore" them, or
        "error". A node without an event at any time is always an error; `Stream.features` returns the row of an
        isolated node for it.
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
    """

    history_: EventHistory
    _policies = get_args(UnseenPolicy)

    def __init__(
        self,
        events: Any,
        settings: Settings | Radius | None = None,
        window: Any = None,
        *,
        closed: Closed = "left",
        directed: Directed = None,
        source: str | None = None,
        target: str | None = None,
        time: str = "time",
        node: str | None = None,
        labels: Labels | None = None,
        edge_labels: EdgeValues | None = None,
        weights: EdgeValues | None = None,
        weighting: Weighting = "count",
        handle_unknown: UnseenPolicy = "clip",
        sparse_output: SparseOutput = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self._keep(locals())
        self.events = listed(events)

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803, ARG002
        """Learn the columns of some queries (node, time) from `events` alone; `y` is ignored."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:  # noqa: N803, ARG002
        """Learn the columns of some queries and return their rows; events of `partial_fit` are forgotten."""
        if hasattr(self, "history_"):
            del self.history_
        return self._rows(self._learn(X))

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Return a row per query (node, time), in the learned columns; without `fit` the first call learns them."""
        return self._rows(self.encode(X) if hasattr(self, "vocabulary_") else self._learn(X))

    def encode(self, X: Any) -> Encoding:  # noqa: N803
        """Return the rows of some queries as an `Encoding`, in the columns learned."""
        check_is_fitted(self, "vocabulary_")
        return self._encode_queries(X, self.vocabulary_)

    _apply = encode

    def partial_fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803, ARG002
        """Add events that are not earlier than those before; the learned columns do not change.

        Examples
        --------
        >>> encoder = TemporalEncoder([("a", "b", 1)], 1)
        >>> encoder.fit([("a", 2)]).partial_fit([("a", "c", 3)]).transform([("a", 3), ("a", 4)])
        array([[1., 1.],
               [1., 2.]])
        """
        history, values = self._history(), self._values()
        if values is not None and not isinstance(values, str):
            raise InputError(
                "partial_fit takes the types of new events from a column. Give tables of events, and the name of the "
                "column as edge_labels or weights."
            )
        more = as_events(listed(X), self._columns())
        check_same_kind(history.times, more.times, "new events")
        ends = np.stack([history.nodes[history.sources], history.nodes[history.targets]], axis=1).reshape(-1)
        types = None if history.values is None else [*history.values, *(more.types or [])]
        kind = history.times.kind if len(history.times.values) else more.times.kind
        times = Times(np.concatenate([history.times.values, more.times.values]), kind)
        both = EventTable(joined(ends, more.ids), times, types)
        check_sorted(both.times, "Late events cannot be added; make a new TemporalEncoder with all events.")
        self.history_ = EventHistory.from_table(both, history)
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
        history = self._history()
        settings = as_settings(self.settings, {})
        check_supported(settings, weights=self.weights is not None)
        known = None if vocabulary is None else vocabulary.settings
        if vocabulary is not None:
            check_direction(vocabulary.directed, as_direction(self.directed), settings)
        history, settings = label_events(history, settings, self.labels, known)
        asked = as_queries(listed(queries), self._columns())
        matrix, found = encode_as_of(
            history,
            asked,
            settings,
            window=as_window(self.window, history.times.kind),
            closed=self.closed,
            directed=as_direction(self.directed),
            threads=threads_of(self.n_jobs),
        )
        nodes = np.asarray(asked.ids) if isinstance(asked.ids, np.ndarray) else id_array(asked.ids)
        return as_encoding(matrix, found, nodes, vocabulary, self.handle_unknown)

    def _history(self) -> EventHistory:
        """Return the events, read on first use."""
        one_of("closed", self.closed, get_args(Closed))
        if not hasattr(self, "history_"):
            table = as_events(self.events, self._columns())
            values = self._values()
            if values is not None and not isinstance(values, str):
                name = "weights" if self.edge_labels is None else "edge_labels"
                table = replace(table, types=_per_event(values, table, name))
            check_sorted(table.times, "Sort them by time.")
            as_window(self.window, table.times.kind)
            self.history_ = EventHistory.from_table(table)
        return self.history_

    def _columns(self) -> EventColumns:
        values = self._values()
        types = values if isinstance(values, str) else None
        return EventColumns(self.source, self.target, self.time, self.node, types)

    def _values(self) -> EdgeValues | None:
        """Return the types or the weights of events, as given."""
        if self.edge_labels is not None and self.weights is not None:
            raise InputError("give edge_labels or weights, not both. Join them to one label per event.")
        values: EdgeValues | None = self.weights if self.edge_labels is None else self.edge_labels
        return values


def _per_event(values: Any, table: EventTable, name: str) -> list[Any]:
    """Return one value per event, a Series by its index, or raise."""
    size = len(table.times.values)
    found = listed(in_row_order(values, table.index, size, name, "event"))
    if isinstance(found, dict) or not hasattr(found, "__len__") or len(found) != size:
        got = f"{len(found):,}" if hasattr(found, "__len__") else show(found)
        raise InputError(f"{name} must be the name of a column or one value per event: {size:,}, got {got}.")
    column: list[Any] = as_column(found, size, name).tolist()
    return column
