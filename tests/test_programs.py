"""Random programs of public calls on one object, failing calls included, against a model that starts afresh."""

import copy
import pickle
import shutil
import warnings
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

import egonet
from egonet.errors import EgonetError, IgnoredInputWarning, UnseenWarning

#: How many programs run, and how many calls each has at most.
PROGRAMS, STEPS = 30, 20
NODES = st.integers(0, 7)
GAPS = st.integers(0, 3)
BATCHES = st.lists(st.tuples(NODES, NODES, GAPS), max_size=6)
EDGES = st.lists(st.tuples(NODES, NODES), max_size=5)
#: An event with a missing end, without a time, that is no event, and with a fraction for an id.
BAD_EVENTS = st.sampled_from([(None, 2, 100), (1, 2, float("nan")), (1, 2), (1.5, 2, 100)])


def folder() -> Path:
    return Path(mkdtemp())


def timed(batch, start):
    """Return events from pairs and gaps between their times, beginning at a time."""
    events = []
    for source, target, gap in batch:
        start += gap
        events.append((source, target, start))
    return events


def reopened(thing, how):
    """Return the same object after it went through a file, pickle or copy."""
    if how == "pickle":
        return pickle.loads(pickle.dumps(thing))
    if how == "copy":
        return copy.deepcopy(thing)
    path = folder() / "saved.npz"
    thing.save(path)
    again = type(thing).open(path)
    shutil.rmtree(path.parent)
    return again


def row_in_graph(edges, node, directed, **keywords):
    """Return the row of a node in the graph of some edges; a node without an edge is isolated."""
    kept = [(source, target) for source, target in edges if source != target]
    nodes = sorted({node, *(end for edge in kept for end in edge)})
    graph = egonet.as_graph(kept, nodes=nodes, directed=directed, simplify=True)
    return egonet.encode(graph, **keywords)[node]


class StreamProgram(RuleBasedStateMachine):
    """Batches, queries, late and damaged events, files and copies of `Stream`; the model is the list of events."""

    @initialize(
        window=st.sampled_from([None, 2, 5]),
        closed=st.sampled_from(["left", "right"]),
        late=st.sampled_from(["error", "merge"]),
        radius=st.sampled_from([1, 2]),
        directed=st.sampled_from([None, "out", "in"]),
    )
    def begin(self, **options):
        self.options = options
        self.window, self.closed, self.late = options["window"], options["closed"], options["late"]
        self.radius, self.directed = options["radius"], options["directed"]
        self.stream = egonet.Stream(**options)
        self.events, self.clock, self.counts = [], None, [0, 0, 0, 0]

    def accept(self, event):
        """Add an event to the model by the rules of the docstring."""
        source, target, time = event
        added, loops, late, expired = self.counts
        is_late = self.clock is not None and time < self.clock
        is_expired = is_late and self.window is not None and time < self.clock - self.window
        is_loop = source == target
        self.counts = [added + 1, loops + is_loop, late + is_late, expired + (is_expired and not is_loop)]
        if not (is_loop or is_expired):
            self.events.append(event)
        self.clock = time if self.clock is None else max(self.clock, time)

    def is_known(self, time, now):
        """Return whether a query at `now` uses an event of a time."""
        if self.closed == "left":
            return time < now and (self.window is None or time >= now - self.window)
        return time <= now and (self.window is None or time > now - self.window)

    @rule(batch=BATCHES, pieces=st.integers(1, 3))
    def add(self, batch, pieces):
        events = timed(batch, self.clock or 0)
        if self.late == "merge":  # every piece but the first begins with late events
            parts = [events[first::pieces] for first in range(pieces)]
        else:
            parts = [
                part.tolist() for part in np.array_split(np.array(events, dtype=int).reshape(-1, 3), pieces)
            ]
        for part in parts:
            self.stream.add([tuple(event) for event in part])
            for event in part:
                self.accept(tuple(event))

    @precondition(lambda self: self.clock is not None)
    @rule(batch=BATCHES.filter(bool), back=st.integers(1, 8))
    def add_late(self, batch, back):
        events = timed(batch, self.clock - back)
        if self.late == "error":
            if events[0][2] >= self.clock:
                return
            with pytest.raises(EgonetError, match="late"):
                self.stream.add(events)
            return
        self.stream.add(events)
        for event in events:
            self.accept(event)

    @precondition(lambda self: self.events)
    @rule(batch=BATCHES, bad=BAD_EVENTS)
    def add_damaged(self, batch, bad):
        with pytest.raises(EgonetError):
            self.stream.add([*timed(batch, self.clock), bad])

    @precondition(lambda self: self.clock is not None)
    @rule(bad=st.sampled_from([None, 1.5, float("nan"), [1]]))
    def ask_damaged(self, bad):
        with pytest.raises(EgonetError):
            self.stream.features([0, bad], time=self.clock + 50)

    @precondition(lambda self: self.events and self.events[-1][2] == self.clock)
    @rule(batch=BATCHES)
    def use_digits_for_a_number(self, batch):
        node = str(self.events[-1][0])
        with pytest.raises(EgonetError, match=r"another node|two nodes"):
            self.stream.add([*timed(batch, self.clock), (node, 9, self.clock + 100)])
        with pytest.raises(EgonetError, match=r"another node|two nodes"):
            self.stream.features([0, node])

    @precondition(lambda self: self.clock is not None)
    @rule()
    def ask_the_past(self):
        with pytest.raises(EgonetError, match="in order of time"):
            self.stream.features([0], time=self.clock - 1)

    @rule(nodes=st.lists(NODES, min_size=1, max_size=3), later=GAPS)
    def ask(self, nodes, later):
        if self.clock is None:
            return
        now = self.clock + later
        rows = self.stream.features(nodes, time=now)
        self.clock = now
        edges = [(source, target) for source, target, time in self.events if self.is_known(time, now)]
        for node in nodes:
            assert rows[node] == row_in_graph(edges, node, self.directed, radius=self.radius)

    @rule(how=st.sampled_from(["file", "pickle", "copy"]))
    def go_through(self, how):
        self.stream = reopened(self.stream, how)

    @rule()
    def count(self):
        stream = self.stream
        assert [stream.num_added, stream.num_loops, stream.num_late, stream.num_expired] == self.counts
        assert stream.now == self.clock


class EventProgram(RuleBasedStateMachine):
    """Months, single events, questions and damaged tables of `EventEncoder`; the model is one table of all events."""

    @initialize(
        windows=st.sampled_from([(None,), (3,), (2, 6, None)]),
        order=st.sampled_from(["row", "time"]),
        own=st.booleans(),
        groups=st.sampled_from([("ends",), ("pair",), ("ends", "pair", "ego", "cycles")]),
    )
    def begin(self, **options):
        self.options = {**options, "amount": "amount", "cycle_length": 3}
        self.encoder = egonet.EventEncoder(**self.options)
        self.events = []

    def later(self, batch, exact):
        """Return events after the history; with order="time" the rows of one time are one batch."""
        start = self.events[-1][2] if self.events else 0
        if not exact or self.options["order"] == "time":
            start += 1
        return [(*event, float(sum(event) % 5 - 1)) for event in timed(batch, start)]

    def expected(self, events):
        rows = egonet.EventEncoder(**self.options).fit_transform([*self.events, *events])
        return rows[len(self.events) :]

    @rule(batch=BATCHES.filter(bool))
    def fit(self, batch):
        self.events = []
        events = self.later(batch, exact=True)
        rows = self.encoder.fit_transform(events)
        np.testing.assert_array_equal(rows, self.expected(events))
        self.events = events

    @precondition(lambda self: self.events)
    @rule(batch=BATCHES.filter(bool))
    def ask(self, batch):
        events = self.later(batch, exact=True)
        np.testing.assert_array_equal(self.encoder.transform(events), self.expected(events))

    @precondition(lambda self: self.events)
    @rule(batch=BATCHES.filter(bool), how=st.sampled_from(["add", "rows", "one by one"]))
    def add(self, batch, how):
        events = self.later(batch, exact=True)
        expected = self.expected(events)
        if how == "add":
            assert self.encoder.partial_fit(events) is self.encoder
        elif how == "rows" or self.options["order"] == "time":
            np.testing.assert_array_equal(self.encoder.partial_fit_transform(events), expected)
        else:
            rows = [self.encoder.partial_fit_transform([event]) for event in events]
            np.testing.assert_array_equal(np.concatenate(rows), expected)
        self.events = [*self.events, *events]

    @precondition(lambda self: self.events)
    @rule(
        batch=BATCHES,
        bad=BAD_EVENTS,
        how=st.sampled_from(["fit", "transform", "partial_fit", "partial_fit_transform"]),
    )
    def fail(self, batch, bad, how):
        with pytest.raises(EgonetError):
            getattr(self.encoder, how)(
                [*self.later(batch, exact=True), (*bad, 1.0)]
                if how != "fit"
                else [(1, 2, 3, 1.0), (*bad[:2], None, 1.0)]
            )

    @precondition(lambda self: self.events)
    @rule(batch=BATCHES.filter(bool))
    def fail_for_the_past(self, batch):
        events = [(1, 2, self.events[-1][2] - 1, 1.0)]
        with pytest.raises(EgonetError):
            self.encoder.partial_fit([*events, *self.later(batch, exact=False)])

    @precondition(lambda self: self.events)
    @rule(batch=BATCHES.filter(bool), name=st.sampled_from(["own", "windows", "groups", "order"]))
    def change_a_parameter(self, batch, name):
        values = {"own": not self.options["own"], "windows": (9,), "groups": ("ends", "pair"), "order": "row"}
        if self.options[name] == values[name]:
            return
        self.encoder.set_params(**{name: values[name]})
        for how in ("transform", "partial_fit", "partial_fit_transform"):
            with pytest.raises(EgonetError, match=name):
                getattr(self.encoder, how)(self.later(batch, exact=False))
        self.encoder.set_params(**{name: self.options[name]})

    @precondition(lambda self: self.events)
    @rule(how=st.sampled_from(["file", "pickle", "copy"]))
    def go_through(self, how):
        self.encoder = reopened(self.encoder, how)

    @precondition(lambda self: self.events)
    @rule(batch=BATCHES.filter(bool))
    def begin_without_data(self, batch):
        events = self.later(batch, exact=True)
        empty = self.encoder.without_data()
        expected = egonet.EventEncoder(**self.options).fit_transform(events)
        np.testing.assert_array_equal(empty.transform(events), expected)

    @precondition(lambda self: self.events)
    @rule(batch=BATCHES, node=NODES)
    def ask_about_a_node(self, batch, node):
        if "ends" not in self.options["groups"]:
            return
        now = self.events[-1][2] + 1
        whole = egonet.EventEncoder(**self.options).fit(self.events).transform_nodes([(node, now)])
        np.testing.assert_array_equal(self.encoder.transform_nodes([(node, now)]), whole)
        # the same history, given as further events of an encoder without data
        empty = self.encoder.without_data()
        np.testing.assert_array_equal(empty.transform_nodes([(node, now)], events=self.events), whole)


class TemporalProgram(RuleBasedStateMachine):
    """Queries at any time, more events and failures of `TemporalEncoder`; the model is `encode` of the known events."""

    @initialize(
        batch=BATCHES.filter(bool),
        window=st.sampled_from([None, 2, 5]),
        closed=st.sampled_from(["left", "right"]),
        radius=st.sampled_from([1, 2]),
        directed=st.sampled_from([None, "out"]),
    )
    def begin(self, batch, **options):
        self.options = options
        self.events = timed(batch, 0)
        self.encoder = egonet.TemporalEncoder(list(self.events), **options)
        self.is_fitted = False

    def row(self, node, now):
        window, closed = self.options["window"], self.options["closed"]
        if closed == "left":
            edges = [e[:2] for e in self.events if e[2] < now and (window is None or e[2] >= now - window)]
        else:
            edges = [e[:2] for e in self.events if e[2] <= now and (window is None or e[2] > now - window)]
        columns = {"vocabulary": self.encoder.vocabulary_, "unseen": "clip"}
        return row_in_graph(edges, node, self.options["directed"], **columns)

    @rule(queries=st.lists(st.tuples(NODES, st.integers(0, 12)), min_size=1, max_size=3))
    def fit(self, queries):
        self.encoder.fit(queries)
        if self.is_fitted:  # events of partial_fit are forgotten
            self.events = self.events[: self.num_first]
        self.num_first, self.is_fitted = len(self.events), True

    @precondition(lambda self: self.is_fitted)
    @rule(queries=st.lists(st.tuples(NODES, st.integers(0, 20)), min_size=1, max_size=3, unique=True))
    def ask(self, queries):
        rows = self.encoder.encode(queries)
        for query in queries:
            assert rows[query] == self.row(*query), query

    @precondition(lambda self: self.is_fitted)
    @rule(batch=BATCHES)
    def add(self, batch):
        events = timed(batch, self.events[-1][2])
        self.encoder.partial_fit(events)
        self.events = [*self.events, *events]

    @precondition(lambda self: self.is_fitted)
    @rule(batch=BATCHES, bad=BAD_EVENTS)
    def fail_to_add(self, batch, bad):
        with pytest.raises(EgonetError):
            self.encoder.partial_fit([*timed(batch, self.events[-1][2]), bad])

    @precondition(lambda self: self.is_fitted and self.events[-1][2] > 0)
    @rule()
    def fail_to_add_the_past(self):
        with pytest.raises(EgonetError, match=r"order|Late"):
            self.encoder.partial_fit([(1, 2, self.events[-1][2] - 1)])

    @rule(
        bad=st.sampled_from([(None, 3), (1, None), (1, float("nan")), (1, "2020-01-01")]),
        how=st.sampled_from(["fit", "transform"]),
    )
    def fail_to_ask(self, bad, how):
        with pytest.raises(EgonetError):
            getattr(self.encoder, how)([(0, 3), bad])

    @rule(how=st.sampled_from(["pickle", "copy"]))
    def go_through(self, how):
        self.encoder = reopened(self.encoder, how)


class UpdateProgram(RuleBasedStateMachine):
    """Updates, failures, files and copies of an encoding and of a store; the model is a set of edges."""

    def __init__(self):
        super().__init__()
        self.folder = folder()

    def teardown(self):
        shutil.rmtree(self.folder)

    @initialize(
        edges=EDGES.filter(lambda edges: any(a != b for a, b in edges)),
        radius=st.sampled_from([0, 1, 2, (1, 2)]),
    )
    def begin(self, edges, radius):
        self.radius = radius
        self.edges = {frozenset(edge) for edge in edges if edge[0] != edge[1]}
        pairs = [tuple(edge) for edge in self.edges]
        self.nodes = {end for edge in pairs for end in edge}
        graph = egonet.as_graph(pairs, nodes=sorted(self.nodes))
        self.encoding = egonet.encode(graph, radius=radius)
        egonet.store.encode(graph, self.folder / "store", radius=radius)

    @rule(added=EDGES, removed=st.integers(0, 3))
    def update(self, added, removed):
        gone = sorted(map(sorted, self.edges))[:removed]
        new = [edge for edge in added if edge[0] != edge[1] and frozenset(edge) not in self.edges]
        new = [edge for place, edge in enumerate(new) if frozenset(edge) not in map(frozenset, new[:place])]
        self.encoding = self.encoding.update(added=new, removed=gone)
        egonet.store.update(self.folder / "store", added=new, removed=gone)
        self.edges = (self.edges - set(map(frozenset, gone))) | set(map(frozenset, new))
        self.nodes |= {end for edge in new for end in edge}

    @rule(bad=st.sampled_from([("digits", 9), (None, 2), (1.5, 2), (1, 2, 3)]), added=EDGES)
    def fail_to_update(self, bad, added):
        bad = tuple(str(min(self.nodes)) if end == "digits" else end for end in bad)
        with pytest.raises(EgonetError):
            self.encoding.update(added=[*added, bad])
        with pytest.raises(EgonetError):
            egonet.store.update(self.folder / "store", added=[*added, bad])

    @rule()
    def fail_to_remove(self):
        with pytest.raises(EgonetError):
            self.encoding.update(removed=[(100, 101)])
        with pytest.raises(EgonetError):
            egonet.store.update(self.folder / "store", removed=[(100, 101)])

    @rule(how=st.sampled_from(["pickle", "copy", "file"]))
    def go_through(self, how):
        if how != "file":
            self.encoding = reopened(self.encoding, how)
            return
        self.encoding.save(self.folder / "encoding.npz")
        again = egonet.load(self.folder / "encoding.npz")
        assert {node: again[node] for node in self.nodes} == {
            node: self.encoding[node] for node in self.nodes
        }

    @rule()
    def compare(self):
        graph = egonet.as_graph([tuple(edge) for edge in self.edges], nodes=sorted(self.nodes))
        expected = egonet.encode(graph, radius=self.radius)
        stored = egonet.store.open(self.folder / "store")
        for node in self.nodes:
            assert self.encoding[node] == expected[node] == stored[node], node
        columns = [set(each.vocabulary.feature_names) for each in (self.encoding, expected, stored)]
        assert columns[0] == columns[1] == columns[2]


class NodeProgram(RuleBasedStateMachine):
    """Fits, questions, changed parameters, other graphs and failures of `NodeEncoder`; the model is a new encoder."""

    @initialize(
        edges=EDGES.filter(lambda edges: any(a != b for a, b in edges)), radius=st.sampled_from([1, 2])
    )
    def begin(self, edges, radius):
        self.graph = egonet.as_graph(edges, nodes=range(8), simplify=True)
        self.params = {"radius": radius, "unseen": "clip", "weighting": "count", "handle_unknown": "error"}
        self.encoder, self.fitted = egonet.NodeEncoder(self.graph, **self.params), None

    def model(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = egonet.NodeEncoder(self.graph, **self.fitted[0]).fit(self.fitted[1])
            return model.set_params(
                **{name: self.params[name] for name in ("weighting", "unseen", "handle_unknown")}
            )

    @rule(nodes=st.lists(NODES, min_size=1, max_size=4))
    def fit(self, nodes):
        self.encoder.fit(nodes)
        self.fitted = dict(self.params), nodes

    @rule(bad=st.sampled_from([[], ["1"], [None], [99], [1.5], "ab"]))
    def fail_to_fit(self, bad):
        with pytest.raises(EgonetError):
            self.encoder.fit(bad)

    @rule(name=st.sampled_from(["radius", "weighting", "unseen"]), value=st.integers(0, 1))
    def change(self, name, value):
        values = {"radius": (1, 2), "weighting": ("count", "log"), "unseen": ("clip", "ignore")}
        self.params[name] = values[name][value]
        self.encoder.set_params(**{name: self.params[name]})

    @precondition(lambda self: self.fitted)
    @rule(nodes=st.lists(NODES, min_size=1, max_size=4))
    def ask(self, nodes):
        if self.params["radius"] != self.fitted[0]["radius"]:
            with pytest.raises(EgonetError, match="radius"):
                self.encoder.transform(nodes)
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnseenWarning)
            np.testing.assert_array_equal(
                dense(self.encoder.transform(nodes)), dense(self.model().transform(nodes))
            )

    @precondition(lambda self: self.fitted)
    @rule(bad=st.sampled_from([["1"], [None], [99], [1.5]]))
    def fail_to_ask(self, bad):
        with pytest.raises(EgonetError):
            self.encoder.transform(bad)

    @precondition(lambda self: self.fitted and self.params["radius"] == self.fitted[0]["radius"])
    @rule(edges=EDGES.filter(lambda edges: any(a != b for a, b in edges)), node=NODES)
    def ask_in_another_graph(self, edges, node):
        other = egonet.as_graph(edges, nodes=range(8), simplify=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnseenWarning)
            rows = dense(self.encoder.with_graph(other).transform([node]))
            np.testing.assert_array_equal(rows, dense(self.encoder.transform((other, [node]))))
            np.testing.assert_array_equal(rows, dense(self.model().transform((other, [node]))))

    @rule(how=st.sampled_from(["pickle", "copy", "clone"]))
    def go_through(self, how):
        from sklearn.base import clone

        if how == "clone":
            self.encoder, self.fitted = clone(self.encoder), None
        else:
            self.encoder = reopened(self.encoder, how)


def dense(rows):
    return rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)


MACHINES = [StreamProgram, EventProgram, TemporalProgram, UpdateProgram, NodeProgram]


@pytest.mark.parametrize("program", MACHINES, ids=lambda program: program.__name__)
def test_programs_of_calls_give_what_a_new_object_gives(program, need):
    need("sklearn")
    from hypothesis.stateful import run_state_machine_as_test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredInputWarning)
        warnings.simplefilter("ignore", UnseenWarning)
        run_state_machine_as_test(
            program,
            settings=settings(
                max_examples=PROGRAMS, stateful_step_count=STEPS, deadline=None, report_multiple_bugs=False
            ),
        )
