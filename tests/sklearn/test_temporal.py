"""`TemporalEncoder`: every row equals that of the graph of the events known at its time."""

import pickle
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import egonet
from egonet.errors import InputError, UnknownNodeError

NODES = st.integers(0, 6)
EVENTS = [("a", "b", 1), ("b", "c", 2), ("a", "c", 2), ("c", "d", 4)]


def snapshot(events, node, time, window, closed, options):
    """Return the row of a node in the graph of what is known at a time, encoded from scratch."""
    after = closed == "right"
    known = [
        (u, v, number)
        for number, (u, v, t) in enumerate(events)
        if (t < time or (after and t == time))
        and (window is None or (t > time - window if after else t >= time - window))
    ]
    directed = options.get("directed")
    pairs, labels, types = [pair[:2] for pair in known], options.get("labels"), options.get("types")
    kinds = None if types is None else [types[number] for *_, number in known]
    graph = egonet.as_graph(pairs, nodes=range(7), directed=directed, keep=None if types is None else ())
    given = None if labels is None else [labels[each] for each in graph.node_ids.tolist()]
    return egonet.encode(graph, options["settings"], labels=given, edge_labels=kinds, roots=[node])[node]


@st.composite
def streams(draw):
    """Return random events with ties in time, in order, and queries."""
    times = st.integers(0, 8)
    events = draw(st.lists(st.tuples(NODES, NODES, times), min_size=1, max_size=30))
    queries = draw(
        st.lists(st.tuples(st.sampled_from([u for u, _, _ in events]), times), min_size=1, max_size=12)
    )
    return sorted(events, key=lambda event: event[2]), queries


@settings(max_examples=150, deadline=None)
@given(
    streams(),
    st.sampled_from([None, 1, 3]),
    st.sampled_from(["left", "right"]),
    st.sampled_from([None, "out", "in"]),
    st.builds(
        egonet.Settings,
        st.sampled_from([0, 1, 2, (2, 1)]),
        degrees=st.sampled_from(["total", "layered", "full"]),
        degree_bins=st.sampled_from([None, "log"]),
        max_degree=st.sampled_from([None, 2]),
    ),
    st.sampled_from([None, dict(enumerate("CNCOCNN"))]),
    st.booleans(),
)
def test_rows_are_those_of_the_snapshot(stream, window, closed, directed, counted, labels, typed):
    events, queries = stream
    types = [("x", "y", "z")[number % 3] for number in range(len(events))] if typed else None
    encoder = egonet.TemporalEncoder(
        events, counted, window, closed=closed, directed=directed, labels=labels, edge_labels=types
    )

    rows = encoder.fit(queries).encode(queries)

    options = {"settings": counted, "directed": directed, "labels": labels, "types": types}
    for row, (node, time) in enumerate(queries):
        assert rows.source.row(row) == snapshot(events, node, time, window, closed, options)


def test_an_event_is_not_known_at_its_own_time_unless_asked():
    left = egonet.TemporalEncoder(EVENTS, 1).fit([("a", 2)]).encode([("a", 2)])
    right = egonet.TemporalEncoder(EVENTS, 1, closed="right").fit([("a", 2)]).encode([("a", 2)])

    assert left["a"] == {(0, 1): 1, (1, 1): 1}
    assert right["a"] == {(0, 2): 1, (1, 2): 2}


def test_an_edge_lasts_as_long_as_one_of_its_events():
    events = [("a", "b", 1), ("a", "b", 3)]
    encoder = egonet.TemporalEncoder(events, 1, window=2).fit([("a", 3), ("a", 6)])

    known = [encoder.encode([("a", time)])["a"] for time in (2, 3, 4, 5, 6)]

    assert known == [{(0, 1): 1, (1, 1): 1}] * 4 + [{(0, 0): 1}]


def test_columns_are_learned_by_fit_or_by_the_first_transform():
    encoder = egonet.TemporalEncoder(EVENTS, 1, sparse_output=False)

    first = encoder.transform([("c", 5)])
    second = encoder.transform([("a", 2), ("c", 5)])

    assert second.shape == (2, first.shape[1])
    assert second[1].tolist() == first[0].tolist()
    assert encoder.unseen([("a", 2)]).num_rows == 1


def test_partial_fit_adds_events_and_keeps_the_columns():
    queries = [("a", 2), ("c", 5), ("a", 3)]
    whole = egonet.TemporalEncoder(EVENTS, 1, sparse_output=False).fit(queries)
    parts = egonet.TemporalEncoder(EVENTS[:2], 1, sparse_output=False)
    parts.partial_fit(EVENTS[2:3]).partial_fit(pd.DataFrame(EVENTS[3:], columns=["source", "target", "time"]))

    assert parts.transform(queries).tolist() == whole.transform(queries).tolist()
    with pytest.raises(InputError, match=r"got 3 after 4 at event 4 .* Late events cannot be added"):
        parts.partial_fit([("a", "d", 3)])
    assert parts.fit([("a", 3)]).encode([("c", 3)])["c"] == {(0, 1): 1, (1, 1): 1}  # without what was added


DATES = ["2024-01-01", "2024-01-02", "2024-01-02", "2024-01-04"]
ENDS = {"source": ["a", "b", "a", "c"], "target": ["b", "c", "c", "d"]}


@pytest.mark.parametrize(
    "events",
    [
        pd.DataFrame(ENDS | {"time": pd.to_datetime(DATES)}),
        pl.DataFrame(ENDS | {"time": DATES}).with_columns(pl.col("time").str.to_datetime()),
        list(zip(*ENDS.values(), pd.to_datetime(DATES), strict=True)),
        list(zip(*ENDS.values(), np.array(DATES, dtype="datetime64[D]"), strict=True)),
        list(zip(*ENDS.values(), [datetime.fromisoformat(text) for text in DATES], strict=True)),
        list(zip(*ENDS.values(), [datetime.fromisoformat(text).date() for text in DATES], strict=True)),
    ],
)
@pytest.mark.parametrize(
    "window", ["1d", "24h", timedelta(days=1), np.timedelta64(1, "D"), pd.Timedelta(days=1)]
)
def test_dates_of_every_package_are_the_same_times(events, window):
    encoder = egonet.TemporalEncoder(events, 1, window)
    query = [("c", pd.Timestamp("2024-01-03"))]

    assert encoder.fit(query).encode(query)["c"] == {(0, 2): 1, (1, 1): 2}


def test_times_with_a_zone_are_compared_in_utc():
    berlin = timezone(timedelta(hours=1))
    events = pd.DataFrame(ENDS | {"time": pd.to_datetime(DATES).tz_localize("Europe/Berlin")})
    encoder = egonet.TemporalEncoder(events, 1)
    before, after = datetime(2024, 1, 2, 0, 0, tzinfo=berlin), datetime(2024, 1, 1, 23, 30, tzinfo=UTC)

    assert encoder.fit([("a", before)]).encode([("a", before)])["a"] == {(0, 1): 1, (1, 1): 1}
    assert encoder.fit([("a", after)]).encode([("a", after)])["a"] == {(0, 2): 1, (1, 2): 2}
    polars = pl.DataFrame(ENDS | {"time": DATES}).with_columns(
        pl.col("time").str.to_datetime(time_zone="Europe/Berlin")
    )
    assert egonet.TemporalEncoder(polars, 1).fit([("a", after)]).encode([("a", after)])["a"] == {
        (0, 2): 1, (1, 2): 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("events", "message"),
    [
        (
            [("a", "b", 2), ("b", "c", 1)],
            r"events must be in order of time, got 1 after 2 at event 1 .* Sort them",
        ),
        ([("a", "b", None)], r"a time must not be missing, got None at event 0"),
        ([("a", "b", float("nan"))], r"a time must be finite, got nan at event 0"),
        ([("a", "b", pd.NaT)], r"a time must not be missing, got NaT at event 0"),
        (
            [("a", "b", "01/02/2024")],
            r"a time in text must be a date such as .*, got '01/02/2024' at event 0 ",
        ),
        ([("a", "b", True)], r"times must be numbers or dates, got True"),
        ([("a", "b", 1), ("a", "b", datetime(2024, 1, 1))], "times must all be numbers or all be dates"),
        (
            [("a", "b", datetime(2024, 1, 1)), ("a", "b", datetime(2024, 1, 2, tzinfo=UTC))],
            "times must all be in one time zone, got UTC and none",
        ),
        ([("a", "b")], r"event 0 \(counted from 0\) must be \(source, target, time\), got \('a', 'b'\)"),
        ([("a", None, 1)], "an id must be hashable and not missing"),
        (
            pd.DataFrame({"source": ["a"], "target": ["b"], "when": [1]}),
            r"there is no column 'time'.* Say time=",
        ),
        (
            pd.DataFrame({"payer": ["a"], "payee": ["b"], "time": [1]}),
            r"Set source= and target=; the columns are",
        ),
        (
            pd.DataFrame({"source": ["a"], "target": ["b"], "time": ["x"]}),
            "a time in text must be a date such as 2024-01-31",
        ),
        (
            pd.DataFrame(ENDS | {"time": pd.to_datetime([None, *DATES[1:]])}),
            "a time must not be missing, got NaT",
        ),
        (5, "events must be rows"),
    ],
)
def test_bad_events_are_one_sentence(events, message):
    with pytest.raises(InputError, match=message):
        egonet.TemporalEncoder(events, 1).fit([("a", 1)])


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        (
            [("a", datetime(2024, 1, 1))],
            "the times of queries must be numbers, as those of the events, got dates",
        ),
        ([("a", None)], "a time must not be missing, got None at query 0"),
        ([("a",)], r"query 0 \(counted from 0\) must be \(node, time\)"),
        (
            [("x", 1)],
            r"query 0 \(counted from 0\) names node 'x', which has no event at any time\. The nodes are",
        ),
        ([], "needs at least one query"),
        (pd.DataFrame({"who": ["a"], "time": [1]}), "which column has the nodes\\? Set node="),
    ],
)
def test_bad_queries_are_one_sentence(queries, message):
    with pytest.raises((InputError, UnknownNodeError), match=message):
        egonet.TemporalEncoder(EVENTS, 1).fit(queries)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": "7d"}, "times are numbers, so window must be a number in the same unit, got '7d'"),
        ({"window": 0}, "window must be above 0 and finite, got 0"),
        ({"window": float("nan")}, "window must be above 0"),
        ({"closed": "both"}, "closed must be one of 'left', 'right', got 'both'"),
        ({"settings": egonet.Settings(1, common=True)}, "do not support common=True. Leave common out"),
        ({"settings": egonet.Settings(1, cap=3)}, "do not support cap=3"),
        ({"handle_unknown": "drop"}, "handle_unknown must be one of"),
        ({"handle_unknown": "zero"}, "handle_unknown must be one of 'clip', 'ignore', 'error', got 'zero'"),
    ],
)
def test_bad_options_are_one_sentence(options, message):
    with pytest.raises(InputError, match=message):
        egonet.TemporalEncoder(EVENTS, **options).fit([("a", 1)])


def test_dates_need_a_duration():
    events = pd.DataFrame(ENDS | {"time": pd.to_datetime(DATES)})

    for window in (7, "7 moons", "d"):
        with pytest.raises(
            InputError, match="window must be a duration such as '7d' or '1h30m' or a timedelta"
        ):
            egonet.TemporalEncoder(events, 1, window).fit([("a", pd.Timestamp("2024-01-03"))])


def test_loops_are_dropped_and_counted():
    encoder = egonet.TemporalEncoder([("a", "a", 1), ("a", "b", 2)], 1).fit([("a", 3)])

    assert encoder.history_.loops_dropped == 1
    assert encoder.encode([("a", 3)])["a"] == {(0, 1): 1, (1, 1): 1}


def test_partial_fit_keeps_nodes_that_have_only_loops():
    encoder = egonet.TemporalEncoder([("z", "z", 1), ("a", "b", 2)], 1).fit([("z", 3)])

    encoder.partial_fit([("a", "c", 4), ("c", "c", 5)]).partial_fit([("a", "d", 6)])

    assert encoder.history_.loops_dropped == 2
    assert encoder.encode([("z", 7)])["z"] == {(0, 0): 1}
    assert encoder.encode([("a", 3)]).unseen.num_rows == 1


def test_it_is_an_estimator():
    table = pd.DataFrame({"node": list("abcd") * 2, "time": [2] * 4 + [5] * 4})
    encoder = egonet.TemporalEncoder(EVENTS, egonet.Settings((1, 2)), window=3, sparse_output=False)
    model = make_pipeline(clone(encoder), LogisticRegression()).fit(table, [0, 1] * 4)

    assert model.predict(table).shape == (8,)
    fitted = encoder.set_output(transform="pandas").fit(table)
    assert list(fitted.transform(table).columns) == fitted.get_feature_names_out().tolist()
    assert pickle.loads(pickle.dumps(fitted)).transform(table).equals(fitted.transform(table))
    assert not hasattr(clone(fitted), "vocabulary_")
    assert clone(fitted).events is encoder.events


def test_threads_do_not_change_the_rows():
    rng = np.random.default_rng(0)
    events = pd.DataFrame(rng.integers(0, 60, (4000, 2)), columns=["source", "target"]).assign(
        time=np.sort(rng.integers(0, 500, 4000))
    )
    queries = pd.DataFrame({"node": rng.integers(0, 60, 3000), "time": rng.integers(0, 520, 3000)})
    one = egonet.TemporalEncoder(events, 2, window=20).fit_transform(queries)

    two = egonet.TemporalEncoder(events, 2, window=20, n_jobs=2).fit_transform(queries)

    np.testing.assert_array_equal(one, two)


@settings(max_examples=150, deadline=None)
@given(
    streams(),
    st.lists(st.tuples(NODES, NODES, st.integers(0, 8)), max_size=20),
    st.integers(0, 8),
    st.sampled_from([None, 1, 3]),
    st.sampled_from([None, "out", "in"]),
)
def test_rows_do_not_depend_on_anything_that_happens_at_their_time_or_later(
    stream, replaced, day, window, directed
):
    """No leak: the past alone decides, whatever the events of the day and after it are."""
    events, queries = stream
    nodes = [(node, node + 10, 9) for node in range(7)]  # so that every node is known
    past = [event for event in events if event[2] < day]
    future = sorted((event for event in replaced if event[2] >= day), key=lambda event: event[2])
    asked = [query for query in queries if query[1] <= day]
    first, second = (
        egonet.TemporalEncoder(history + nodes, (1, 2), window, directed=directed)
        for history in (events, past + future)
    )

    if asked:
        one, two = first.fit(asked).encode(asked), second.fit(asked).encode(asked)
        assert [one.source.row(row) for row in range(len(asked))] == [
            two.source.row(row) for row in range(len(asked))
        ]


LABELS = {"a": "C", "b": "N", "c": "C", "d": "O", "not yet": "C"}
TYPED = pd.DataFrame(EVENTS, columns=["source", "target", "time"]).assign(
    kind=list("xyxy"), amount=[5, 20, 700, 3]
)


def test_labels_types_and_amounts_are_columns():
    ends = {"source": "source", "target": "target"}
    labeled = egonet.TemporalEncoder(TYPED, 1, labels=LABELS, edge_labels="kind", **ends)
    binned = egonet.Settings(1, weight_bins=[10, 100])
    amounts = egonet.TemporalEncoder(TYPED, binned, weights="amount", **ends)

    rows, binned_rows = labeled.transform([("a", 3)]), amounts.transform([("a", 3)])

    names = ["r1_d0_deg2_labelC", "r1_d1_x_deg2", "r1_d2_deg1_labelC", "r1_d2_deg1_labelN"]
    assert dict(zip(labeled.get_feature_names_out(), rows[0], strict=True)) == dict(
        zip(names, [1, 2, 1, 1], strict=True)
    )
    assert amounts.get_feature_names_out().tolist()[1:3] == ["r1_d1_100plus_deg2", "r1_d1_below10_deg2"]
    assert binned_rows.tolist() == [[1, 1, 1, 2]]


def test_partial_fit_takes_the_types_of_a_column():
    ends = {"source": "source", "target": "target", "edge_labels": "kind", "sparse_output": False}
    whole = egonet.TemporalEncoder(TYPED, 1, **ends).fit([("a", 3)])
    parts = egonet.TemporalEncoder(TYPED[:1], 1, **ends)
    parts.partial_fit(TYPED[1:])

    assert parts.transform([("a", 3)]).tolist() == whole.transform([("a", 3)]).tolist()
    listed = egonet.TemporalEncoder(EVENTS, 1, edge_labels=list("xyxy"))
    with pytest.raises(InputError, match="partial_fit takes the types of new events from a column"):
        listed.partial_fit([("a", "d", 9)])


@pytest.mark.parametrize(
    ("events", "options", "message"),
    [
        (TYPED, {"edge_labels": "knd"}, r"no column 'knd'\. Did you mean 'kind'\?"),
        (EVENTS, {"edge_labels": "kind"}, r"events as tuples have no column 'kind'\. Give a table"),
        (EVENTS, {"edge_labels": ["x"]}, r"edge_labels must be .* one value per event: 4, got 1"),
        (
            EVENTS,
            {"edge_labels": pd.Series(list("xyxy"), index=list("abcd"))},
            r"the index of edge_labels must count the events from 0, got 'a' first\. .* or give to_numpy\(\)",
        ),
        (
            TYPED[1:],
            {"edge_labels": pd.Series(list("xyx"))},
            r"the index of edge_labels must be that of the event table: 1 of 3 rows have no value, first 3\.",
        ),
        (TYPED, {"edge_labels": TYPED[["kind"]]}, "one value per event, got a table"),
        (EVENTS, {"weights": [1, 2, 3, 4]}, r"quantiles of all events would use future events"),
        (EVENTS, {"weights": [1, 2, 3, 4], "edge_labels": list("xyxy")}, "not both"),
        (EVENTS, {"labels": ["C", "N", "C", "O"]}, "must name them: give a mapping"),
        (EVENTS, {"labels": {"a": "C"}}, "labels must name every node: 3 of 4 are missing"),
        (EVENTS, {"settings": egonet.Settings(1, weight_bins="log")}, r"Give weights= too"),
        (
            EVENTS,
            {"settings": egonet.Settings(1, weight_bins="log"), "weights": [1, 2, float("nan"), 4]},
            r"weights must be finite numbers: 1 of 4 are not, first nan at event 2",
        ),
    ],
)
def test_bad_labels_and_types_are_one_sentence(events, options, message):
    if isinstance(events, pd.DataFrame):
        options = options | {"source": "source", "target": "target"}
    with pytest.raises(InputError, match=message):
        egonet.TemporalEncoder(events, **options).transform([("a", 3)])
