"""`EventEncoder`, the scikit-learn transformer: a table of events in, a row per event out, as of that event."""

from pathlib import Path
from typing import Any, Self

import numpy as np

from egonet.errors import FileError, InputError
from egonet.events.history import EventHistory, EventOptions
from egonet.events.saved import read_history, write_history
from egonet.graph.adapters import as_list
from egonet.graph.input_options import Ids
from egonet.kernel.reference_events import Group, Order
from egonet.sklearn.base import GraphTransformer, check_is_fitted, reject_changes
from egonet.tables.events import EventBatch, Late, Missing, read_events, read_queries
from egonet.tables.schemas import EventColumns
from egonet.typing import Array, Floats

_COLUMNS = ("source", "target", "time", "amount", "types", "time_format", "keep")


class EventEncoder(GraphTransformer):
    """Turn a table of events (payments, logins, messages) into a row of features per event, as of that event.

    A row counts the events before its own in the order of time, and nothing later, so a model may use it when the event
    happens. `fit_transform(january)` returns the rows of January. `transform(february)` returns those of February,
    which count January and what came before them in February. The history stays the same, so a second call returns
    the same rows. `partial_fit` adds events to the history, and `partial_fit_transform` also returns their rows.

    Parameters
    ----------
    source, target, time
        The columns of the two ends and of the time. Without names for the ends, well-known ones are looked for.
    amount
        The column of amounts. Negative amounts are ordinary.
    types
        The column of types, such as the means of payment. Those of `fit` get columns; an event of another type
        counts as an event without a type.
    time_format
        The format of times in text, as for `datetime.strptime`: "%d.%m.%Y %H:%M"; None for 2024-01-31T12:00:00.
    keep
        The column that is false for events that get a row and that no later row counts, such as declined payments
        or candidate pairs to be ranked. Without it every event is kept.
    windows
        How long events count: durations such as "7d" or "12h" for dates, numbers for numbers, None for no limit. A
        window of length w counts events with t - w < time, for an event at time t.
    radius
        The distance of the outermost ring of the group "ego".
    order
        "row": a row counts all events above it, those of the same time included. "time": it counts events of earlier
        times only.
    own
        Whether the groups "ends" and "ego" count the event itself. What is called earlier, last or since never does.
    groups
        The groups of columns, see *Notes*.
    cycle_length
        The longest cycle that the group "cycles" looks for.
    late
        Events that are earlier than the one before them: "sort" them by time, with a warning; "error"; or "arrival",
        which counts them when they arrive, at the time of the event before. Events earlier than the history are an
        error unless they count on arrival.
    missing
        Rows without an id, a time, an amount or a type: "error", or "drop", which leaves their events out and makes
        their rows NaN.
    ids
        "text" reads all ids as text; None keeps their types.

    Attributes
    ----------
    history_ : EventHistory
        The events so far: those that later rows may depend on, and counts.

    Notes
    -----
    Names of columns end with their window ("all" for None). "out" is what an end sent, "in" what it received.

    ``ends``, for both ends (source, target) and both directions:
    ``events``; ``partners``, the different other ends; ``repeated``, the share of partners with two events or more;
    ``sum``, ``mean``, ``min``, ``max`` of amounts; ``events_<type>``; and once, for the longest window, ``since``, the
    time since the last earlier event (for dates in seconds, as the nearest float; of whole numbers exactly, and an
    error if it is 2**53 or more), and ``last``, its amount.

    ``pair``: ``pair_events`` and ``pair_sum`` of earlier events from source to target; ``reverse_events`` and
    ``reverse_sum`` of those from target to source; ``common_partners``; and once ``pair_since``, ``pair_last``,
    ``reverse_since``, ``reverse_last`` and ``pair_is_new``.

    ``ego``: ``source_ring1_in1_out2`` counts the nodes at distance 1 of the source with one event to them and two to
    three from them inside its ego-network (bins 0, 1, 2 to 3, 4 and more); ``third_out_in`` the other nodes to which
    the source has sent and from which the target has received; with a radius above 1 ``third_d1_d2`` those at these
    distances from source and target, along events that are not between the two.

    ``cycles``: ``cycles_of_3`` counts the cycles in event order that the event closes, each sequence of nodes once;
    ``scatter_gather`` is the largest number of intermediaries from one origin to the target, for origins that have sent
    to the source, which is one of them (the others have sent to the target after they received from the origin);
    ``scatter_gather_origins`` the number of origins with two or more; and once ``cycle_span``, the duration of the
    shortest cycle. Where times are equal, event order is that of the rows, with order="time" too: shuffling the rows of
    one time may change cycles and ``last``.

    An event from a node to itself counts in ``ends`` and ``pair``, and is left out in ``ego`` and ``cycles``:
    its row has the ego-network and the third nodes of its node, and no cycles.

    Sums, minima and maxima of no events are 0, NaN and NaN. The exact definition in plain Python is
    ``egonet/kernel/reference_events.py``.

    The history keeps the events of the longest window, or all of them if one is None.

    Examples
    --------
    At time 9 ann has sent two payments to bob; within 5 units of time it was one, and the new one.

    >>> january = [("ann", "bob", 1, 20.0), ("bob", "cid", 3, 15.0), ("ann", "bob", 9, 5.0)]
    >>> encoder = EventEncoder(amount="amount", windows=(5, None), groups=("ends", "pair"))
    >>> rows = encoder.set_output(transform="pandas").fit_transform(january)
    >>> rows[["source_out_events_5", "source_out_events_all", "source_out_sum_all", "pair_events_all"]].values.tolist()
    [[1.0, 1.0, 20.0, 0.0], [1.0, 1.0, 15.0, 0.0], [1.0, 2.0, 25.0, 1.0]]
    >>> february = encoder.transform([("cid", "ann", 12, 10.0)])
    >>> february[["target_out_events_5", "target_out_last", "pair_is_new"]].values.tolist()
    [[1.0, 5.0, 1.0]]

    The first payment is declined, so the row of the second does not count it.

    >>> encoder = EventEncoder(keep="approved", windows=(None,), groups=("pair",))
    >>> encoder.fit_transform([("ann", "bob", 1, False), ("ann", "bob", 2, True), ("ann", "bob", 3, True)])[:, 0]
    array([0., 0., 1.])
    """

    history_: EventHistory

    def __init__(
        self,
        *,
        source: Any = None,
        target: Any = None,
        time: Any = "time",
        amount: Any = None,
        types: Any = None,
        time_format: str | None = None,
        keep: Any = None,
        windows: tuple[Any, ...] = ("1d", "7d", "30d", None),
        radius: int = 1,
        order: Order = "row",
        own: bool = True,
        groups: tuple[Group, ...] = ("ends", "pair", "ego"),
        cycle_length: int = 4,
        late: Late = "sort",
        missing: Missing = "error",
        ids: Ids = None,
    ) -> None:
        self._keep(locals())

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803, ARG002
        """Start a new history with the events of X; `y` is ignored.

        Examples
        --------
        >>> encoder = EventEncoder(windows=(None,), groups=("pair",)).fit([("a", "b", 1), ("a", "b", 2)])
        >>> encoder.transform([("a", "b", 3)])[0, 0]
        np.float64(2.0)
        """
        self._start(X, wants_rows=False)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:  # noqa: N803, ARG002
        """Start a new history with the events of X, and return their rows.

        Examples
        --------
        The third payment from a to b has two before it.

        >>> encoder = EventEncoder(windows=(None,), groups=("pair",))
        >>> encoder.fit_transform([("a", "b", 1), ("a", "b", 2), ("a", "b", 3)])[:, 0].tolist()
        [0.0, 1.0, 2.0]
        """
        return self._start(X, wants_rows=True)

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Return the rows of events that come after the history; the history does not change.

        This copies the history. For one event at a time use `partial_fit_transform`.

        Examples
        --------
        >>> encoder = EventEncoder(windows=(None,), groups=("pair",)).fit([("a", "b", 1)])
        >>> encoder.transform([("a", "b", 2), ("b", "a", 3)])[:, 0].tolist()
        [1.0, 0.0]
        """
        check_is_fitted(self, "history_")
        return self.history_.rows(self._read(X), keep=False)

    def partial_fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803, ARG002
        """Add events to the history; the columns stay. If an event is invalid, none of them is added.

        Examples
        --------
        >>> encoder = EventEncoder(windows=(None,), groups=("pair",)).fit([("a", "b", 1)])
        >>> encoder.partial_fit([("a", "b", 2)]).transform([("a", "b", 3)])[0, 0]
        np.float64(2.0)
        """
        if not hasattr(self, "history_"):
            return self.fit(X)
        self.history_.rows(self._read(X), keep=True, wants_rows=False)
        return self

    def partial_fit_transform(self, X: Any, y: Any = None) -> Floats:  # noqa: N803, ARG002
        """Return the rows of events and add them to the history, as an array.

        One call per event is fast, and calls from several threads are done one after the other.

        Examples
        --------
        >>> encoder = EventEncoder(windows=(None,), groups=("pair",)).fit([("a", "b", 1)])
        >>> encoder.partial_fit_transform([("a", "b", 2)])[0, 0], encoder.partial_fit_transform([("a", "b", 2)])[0, 0]
        (np.float64(1.0), np.float64(2.0))
        """
        if type(X) is list and len(X) == 1 and type(X[0]) is tuple and self._is_checked:
            row = self.history_.row_of_one(X[0])
            if row is not None:
                return row
        if not hasattr(self, "history_"):
            return self._start(X, wants_rows=True)
        return self.history_.rows(self._read(X), keep=True)

    def transform_nodes(self, X: Any, *, node: Any = None, events: Any = None) -> Floats:  # noqa: N803
        """Return a row per node and time that come after the history: what the node has done until then.

        The columns are those of the groups "ends" and "ego" for one end, by window: events, partners and amounts out
        and in, and rings. `node_feature_names_out` has their names. The history does not change.

        Parameters
        ----------
        X
            A table with a column of nodes and one of times, or pairs (node, time).
        node
            The column of nodes; well-known names such as "node" and "id" are looked for.
        events
            Events after the history, read as by `transform`. A row of time t counts those until t, or before t with
            order="time". With `without_data` all events can be given here, for rows of any times.

        Examples
        --------
        >>> encoder = EventEncoder(amount="amount", windows=(5, None), groups=("ends",))
        >>> events = [("ann", "bob", 1, 20.0), ("ann", "bob", 3, 15.0), ("bob", "ann", 4, 5.0)]
        >>> encoder = encoder.fit(events)
        >>> names = encoder.node_feature_names_out().tolist()
        >>> columns = [names.index("out_events_5"), names.index("out_sum_5"), names.index("in_sum_all")]
        >>> encoder.transform_nodes([("ann", 7), ("ann", 9)])[:, columns].tolist()
        [[1.0, 15.0, 5.0], [0.0, 0.0, 5.0]]

        What ann had done earlier:

        >>> empty = encoder.without_data()
        >>> empty.transform_nodes([("ann", 2), ("ann", 3)], events=events)[:, columns].tolist()
        [[1.0, 20.0, 0.0], [2.0, 35.0, 0.0]]
        """
        check_is_fitted(self, "history_")
        self._reject_changes()
        columns = EventColumns(time=self.time, node=node, time_format=self.time_format)
        batch = None if events is None else self._read(events)
        return self.history_.node_rows(read_queries(as_list(X), columns, ids=self.ids), batch)

    def node_feature_names_out(self) -> Array:
        """Return the names of the columns of `transform_nodes`.

        Examples
        --------
        >>> encoder = EventEncoder(windows=(None,), groups=("ends",)).fit([("a", "b", 1)])
        >>> encoder.node_feature_names_out()[:3].tolist()
        ['out_events_all', 'out_partners_all', 'out_repeated_all']
        """
        check_is_fitted(self, "history_")
        return np.array(self.history_.node_names, dtype=object)

    def get_feature_names_out(self, input_features: Any = None) -> Array:  # noqa: ARG002
        """Return the names of the columns.

        Examples
        --------
        >>> encoder = EventEncoder(windows=("7d",), groups=("pair",)).fit([("a", "b", "2026-01-31")])
        >>> encoder.get_feature_names_out()[:2].tolist()
        ['pair_events_7d', 'reverse_events_7d']
        """
        check_is_fitted(self, "history_")
        return np.array(self.history_.names, dtype=object)

    def save(self, path: str | Path) -> None:
        """Write the encoder with its history to one .npz file atomically; `EventEncoder.open` continues it.

        Examples
        --------
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "events.npz"
        >>> EventEncoder(windows=(None,), groups=("pair",)).fit([("a", "b", 1)]).save(path)
        >>> EventEncoder.open(path).transform([("a", "b", 2)])[0, 0]
        np.float64(1.0)
        """
        check_is_fitted(self, "history_")
        write_history(self.history_, {name: getattr(self, name) for name in _COLUMNS}, path)

    @classmethod
    def open(cls, path: str | Path) -> "EventEncoder":
        """Return an encoder that was saved; it continues where it was.

        Examples
        --------
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "events.npz"
        >>> EventEncoder(windows=(None,), groups=("pair",)).fit([("a", "b", 1)]).save(path)
        >>> encoder = EventEncoder.open(path).partial_fit([("a", "b", 2)])
        >>> encoder.transform([("a", "b", 3)])[0, 0]
        np.float64(2.0)
        """
        history, columns = read_history(path)
        if not columns.keys() <= set(_COLUMNS):
            raise FileError(f"{path} is not an event history that egonet saved, or is damaged.")
        options = {
            name: value
            for name, value in vars(history.options).items()
            if name not in ("has_amounts", "has_types")
        }
        encoder = cls(**columns, **options)
        encoder.history_ = history
        return encoder

    def without_data(self) -> "EventEncoder":
        """Return an encoder with the same columns and no events: nothing in it comes from a single event.

        Examples
        --------
        >>> encoder = EventEncoder(windows=(None,), groups=("pair",)).fit([("a", "b", 1)])
        >>> encoder.without_data().transform([("a", "b", 2)])[0, 0]
        np.float64(0.0)
        """
        check_is_fitted(self, "history_")
        twin = type(self)(**self.get_params(deep=False))
        twin.history_ = self.history_.empty()
        return twin

    def _options(self) -> EventOptions:
        windows, groups = (
            tuple(value) if isinstance(value, list) else value for value in (self.windows, self.groups)
        )
        return EventOptions(
            windows=windows,
            radius=self.radius,
            order=self.order,
            own=self.own,
            groups=groups,
            has_amounts=self.amount is not None,
            has_types=self.types is not None,
            cycle_length=self.cycle_length,
            late=self.late,
            missing=self.missing,
            ids=self.ids,
        )

    def _columns(self) -> EventColumns:
        """Return the names of the columns of events."""
        return EventColumns(**{name: getattr(self, name) for name in _COLUMNS})

    def _read(self, data: Any) -> EventBatch:
        self._reject_changes()
        self._is_checked = True
        kind = self.history_.id_kind if hasattr(self, "history_") else None
        return read_events(data, self._columns(), missing=self.missing, ids=self.ids, id_kind=kind)

    def _start(self, data: Any, *, wants_rows: bool) -> Floats:
        """Read events, and only then replace the history."""
        history = EventHistory(self._options())
        batch = read_events(data, self._columns(), missing=self.missing, ids=self.ids)
        if not len(batch):
            raise InputError("EventEncoder needs at least one event to begin with, got none.")
        history.start(batch)
        rows = history.rows(batch, keep=True, wants_rows=wants_rows)
        self.history_ = history
        return rows

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those that the history depends on are an error until the next `fit`.

        Examples
        --------
        >>> EventEncoder(windows=(None,)).set_params(own=False).own
        False
        """
        self._is_checked = False
        super().set_params(**params)
        return self

    #: Whether the parameters are those of the history, so that `partial_fit_transform` need not compare them.
    _is_checked = False

    def _reject_changes(self) -> None:
        before, now = vars(self.history_.options), vars(self._options())
        reject_changes(
            *({name: each[name] for name in each if name not in ("missing", "ids")} for each in (before, now))
        )
