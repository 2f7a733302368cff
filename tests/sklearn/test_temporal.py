"""`TemporalEncoder`: every row equals that of the graph of the events known at its time."""

import pickle
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import egonet
from egonet.encoding.settings import PairSettings
from egonet.errors import InputError, UnknownNodeError
from egonet.kernel.reference_pairs import window_rows

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

    assert left[("a", 2)] == {(0, 1): 1, (1, 1): 1}
    assert right[("a", 2)] == {(0, 2): 1, (1, 2): 2}


def test_rows_are_named_by_node_and_time(tmp_path):
    encoder = egonet.TemporalEncoder(EVENTS, 1).fit([("a", 2), ("c", 5)])

    rows = encoder.encode([("a", 2), ("a", 3), ("new", 3)])
    rows.save(tmp_path / "rows.npz")

    assert rows.index.names == ("node", "time")
    assert list(rows) == list(egonet.load(tmp_path / "rows.npz")) == [("a", 2), ("a", 3), ("new", 3)]
    assert rows[("a", 2)] != rows[("a", 3)]
    assert ("a", 4) not in rows
    assert rows.nodes.tolist() == ["a", "a", "new"]
    assert rows.to_pandas().index.names == ["node", "time"]
    assert rows.to_arrow().column_names[:2] == ["node", "time"]
    with pytest.raises(InputError, match=r"indexed by \(node, time\), .* got 'a'\."):
        rows["a"]
    with pytest.raises(InputError, match=r"^the times of these rows are numbers, got '2024-01-31'\.$"):
        rows[("a", "2024-01-31")]
    with pytest.raises(UnknownNodeError, match=r"^no row belongs to node \('a', 4\)\.$"):
        rows[("a", 4)]


def test_rows_of_pairs_are_named_by_both_ends_and_time():
    rows = egonet.TemporalEncoder(EVENTS, 1, node=("u", "v")).fit([("a", "c", 3)]).encode([("a", "c", 3)])

    assert rows.index.names == ("source", "target", "time")
    assert rows[("c", "a", 3)] == rows[("a", "c", 3)]
    assert rows.pairs.tolist() == [["a", "c"]]


def test_an_edge_lasts_as_long_as_one_of_its_events():
    events = [("a", "b", 1), ("a", "b", 3)]
    encoder = egonet.TemporalEncoder(events, 1, window=2).fit([("a", 3), ("a", 6)])

    known = [encoder.encode([("a", time)])[("a", time)] for time in (2, 3, 4, 5, 6)]

    assert known == [{(0, 1): 1, (1, 1): 1}] * 4 + [{(0, 0): 1}]


def test_columns_are_learned_by_fit_or_by_the_first_transform():
    encoder = egonet.TemporalEncoder(EVENTS, 1, sparse_output=False)

    first = encoder.transform([("c", 5)])
    second = encoder.transform([("a", 2), ("c", 5)])

    assert second.shape == (2, first.shape[1])
    assert second[1].tolist() == first[0].tolist()
    assert encoder.count_unseen([("a", 2)]).num_rows == 1


def test_partial_fit_adds_events_and_keeps_the_columns():
    queries = [("a", 2), ("c", 5), ("a", 3)]
    whole = egonet.TemporalEncoder(EVENTS, 1, sparse_output=False).fit(queries)
    parts = egonet.TemporalEncoder(EVENTS[:2], 1, sparse_output=False)
    parts.partial_fit(EVENTS[2:3]).partial_fit(pd.DataFrame(EVENTS[3:], columns=["source", "target", "time"]))

    assert parts.transform(queries).tolist() == whole.transform(queries).tolist()
    with pytest.raises(InputError, match=r"got 3 after 4 at event 0 .* Late events cannot be added"):
        parts.partial_fit([("a", "d", 3)])
    assert parts.fit([("a", 3)]).encode([("c", 3)])[("c", 3)] == {
        (0, 1): 1,
        (1, 1): 1,
    }  # without what was added


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

    rows = encoder.fit(query).encode(query)

    assert rows[query[0]] == rows[("c", "2024-01-03")] == {(0, 2): 1, (1, 1): 2}


def test_times_with_a_zone_are_compared_in_utc():
    berlin = timezone(timedelta(hours=1))
    events = pd.DataFrame(ENDS | {"time": pd.to_datetime(DATES).tz_localize("Europe/Berlin")})
    encoder = egonet.TemporalEncoder(events, 1)
    before, after = datetime(2024, 1, 2, 0, 0, tzinfo=berlin), datetime(2024, 1, 1, 23, 30, tzinfo=UTC)

    assert encoder.fit([("a", before)]).encode([("a", before)])[("a", before)] == {(0, 1): 1, (1, 1): 1}
    assert encoder.fit([("a", after)]).encode([("a", after)])[("a", after)] == {(0, 2): 1, (1, 2): 2}
    polars = pl.DataFrame(ENDS | {"time": DATES}).with_columns(
        pl.col("time").str.to_datetime(time_zone="Europe/Berlin")
    )
    assert egonet.TemporalEncoder(polars, 1).fit([("a", after)]).encode([("a", after)])[("a", after)] == {
        (0, 2): 1, (1, 2): 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("events", "message"),
    [
        (
            [("a", "b", 2), ("b", "c", 1)],
            r"events must be in order of time, got 1 after 2 at event 1 .* Sort them",
        ),
        ([("a", "b", None)], r"every event must have a time, 1 of 1 have none, first in row 0 "),
        ([("a", "b", float("nan"))], r"every event must have a time, 1 of 1 have none, first in row 0 "),
        ([("a", "b", pd.NaT)], r"every event must have a time, 1 of 1 have none, first in row 0 "),
        (
            [("a", "b", "01/02/2024")],
            r"a time in text must be a date such as .*, got '01/02/2024' at row 0 ",
        ),
        ([("a", "b", True)], r"times must be numbers or dates, got True"),
        ([("a", "b", 1), ("a", "b", datetime(2024, 1, 1))], "times must all be numbers or all be dates"),
        (
            [("a", "b", datetime(2024, 1, 1)), ("a", "b", datetime(2024, 1, 2, tzinfo=UTC))],
            "times must all be in one time zone, got UTC and none",
        ),
        ([("a", "b")], r"event 0 \(counted from 0\) must be \(source, target, time\), got \('a', 'b'\)"),
        ([("a", None, 1)], "every event must have a target, 1 of 1 have none"),
        (
            pd.DataFrame({"source": ["a"], "target": ["b"], "when": [1]}),
            r"there is no column 'time'.* Set time=",
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
            "every event must have a time, 1 of 4 have none",
        ),
        (5, "events must be a table, a file or tuples"),
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
        (
            {"radius": egonet.Settings(1, common=True)},
            "do not support common=True. Leave it out, or use encode",
        ),
        ({"radius": 1, "cap": 3}, "do not support cap=3"),
        ({"radius": egonet.Settings(1), "degrees": "full"}, "give settings or keywords, not both"),
        ({"settings": egonet.Settings(1)}, "there is no option 'settings'"),
        ({"handle_unknown": "drop"}, "handle_unknown must be one of"),
        ({"unseen": "zero"}, "unseen must be one of 'clip', 'ignore', 'error', got 'zero'"),
    ],
)
def test_bad_options_are_one_sentence(options, message):
    with pytest.raises(InputError, match=message):
        egonet.TemporalEncoder(EVENTS, **options).fit([("a", 1)])


def test_a_node_without_events_is_isolated_and_counted():
    encoder = egonet.TemporalEncoder([("a", "b", 1), ("b", "c", 2)], radius=1, sparse_output=False)
    queries = [("a", 3), ("new", 3), ("a", 1)]

    # At time 1 nothing is known, so that node a is as isolated as the new one.
    assert encoder.fit_transform(queries).tolist() == [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    assert encoder.count_unseen(queries).unknown == 1
    assert encoder.count_unseen(queries).num_all == 3
    with pytest.raises(
        UnknownNodeError, match=r"1 of 3 nodes are not in the graph, first 'new' \(query 1, counted"
    ):
        encoder.set_params(handle_unknown="error").transform(queries)
    with pytest.raises(InputError, match="has no node 1, but it has '1'"):
        egonet.TemporalEncoder([("1", "2", 1)], 1).fit([(1, 2)])


def test_a_new_node_has_no_label_and_no_column_of_its_own():
    encoder = egonet.TemporalEncoder(
        [("a", "b", 1)], radius=1, labels={"a": "x", "b": "y"}, sparse_output=False
    )
    encoder.fit([("a", 2), ("b", 1)])

    assert encoder.transform([("a", 2), ("new", 2)])[1].tolist() == [0] * 3
    with pytest.raises(InputError, match="columns with labels are learned from nodes with labels"):
        encoder.fit([("new", 2), ("a", 2)])


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
    assert encoder.encode([("a", 3)])[("a", 3)] == {(0, 1): 1, (1, 1): 1}


def test_partial_fit_refuses_events_before_a_loop_as_one_batch_does():
    encoder = egonet.TemporalEncoder([("a", "a", 4)], 1).fit([("a", 5)])

    with pytest.raises(InputError, match=r"got 3 after 4 at event 0 \(counted from 0\)"):
        encoder.partial_fit([("a", "b", 3)])
    with pytest.raises(InputError, match="must be numbers, as those of the events, got dates"):
        encoder.partial_fit([("a", "b", "2026-01-01")])


def test_partial_fit_keeps_nodes_that_have_only_loops():
    encoder = egonet.TemporalEncoder([("z", "z", 1), ("a", "b", 2)], 1).fit([("z", 3)])

    encoder.partial_fit([("a", "c", 4), ("c", "c", 5)]).partial_fit([("a", "d", 6)])

    assert encoder.history_.loops_dropped == 2
    assert encoder.encode([("z", 7)])[("z", 7)] == {(0, 0): 1}
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
        (EVENTS, {"edge_labels": "kind"}, r"event 0 .* must be \(source, target, time, types\), got"),
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
        (EVENTS, {"weights": [1, 2, 3, 4]}, r"weights become edge types by bins\. Give weight_bins="),
        (
            EVENTS,
            {"weights": [1, 2, 3, 4], "weight_bins": 3},
            r"quantiles of all events would use future events",
        ),
        (EVENTS, {"weights": [1, 2, 3, 4], "edge_labels": list("xyxy")}, "not both"),
        (EVENTS, {"labels": ["C", "N", "C", "O"]}, "labels in row order need ids from 0 .* Give a mapping"),
        (EVENTS, {"labels": 5}, "labels must have a label per node, got 5"),
        (EVENTS, {"labels": {"a": "C"}}, "labels must name every node: 3 of 4 are missing"),
        (EVENTS, {"radius": 1, "weight_bins": "log"}, r"Give weights= too"),
        (
            EVENTS,
            {"radius": 1, "weight_bins": "log", "weights": [1, 2, float("nan"), 4]},
            r"weights must be finite numbers: 1 of 4 are not, first nan at event 2",
        ),
    ],
)
def test_bad_labels_and_types_are_one_sentence(events, options, message):
    if isinstance(events, pd.DataFrame):
        options = options | {"source": "source", "target": "target"}
    with pytest.raises(InputError, match=message):
        egonet.TemporalEncoder(events, **options).transform([("a", 3)])


def test_partial_fit_refuses_an_event_whose_node_has_no_label_and_keeps_the_events():
    encoder = egonet.TemporalEncoder([("a", "b", 1)], 1, labels={"a": "C", "b": "N"}).fit([("a", 2)])

    with pytest.raises(InputError, match="'z'"):
        encoder.partial_fit([("a", "z", 3)])

    assert encoder.transform([("a", 4)]).tolist() == [[1.0, 1.0]]


def test_partial_fit_refuses_text_next_to_a_number_of_the_same_digits():
    encoder = egonet.TemporalEncoder([(1, 2, 1)], 1).fit([(1, 2)])

    with pytest.raises(InputError, match="have node 1, the new ones have '1'"):
        encoder.partial_fit([("1", "3", 3)])

    assert len(encoder.history_.sources) == 1


def pair_snapshot(events, query, window, closed, options):
    """Return the row of a pair in the graph of what is known at a time, encoded from scratch."""
    *pair, time = query
    after = closed == "right"
    known = [
        number
        for number, (_, _, t) in enumerate(events)
        if (t < time or (after and t == time))
        and (window is None or (t > time - window if after else t >= time - window))
    ]
    counted, labels, types = options["settings"], options["labels"], options["types"]
    graph = egonet.as_graph(
        [events[number][:2] for number in known],
        nodes=range(7),
        directed="out" if counted.degrees == "in_out" and not options["directed"] else options["directed"],
        labels=None if labels is None else [labels[each] for each in range(7)],
        edge_labels=None if types is None else [types[number] for number in known],
    )
    names = ("radius", "degrees", "follow", "degree_bins", "max_degree")
    given = {name: getattr(counted, name) for name in names}
    return egonet.encode_pairs(graph, [tuple(pair)], **given)[tuple(pair)]


@settings(max_examples=150, deadline=None)
@given(
    streams(),
    st.data(),
    st.sampled_from([None, 1, 3]),
    st.sampled_from(["left", "right"]),
    st.sampled_from([None, "out", "in"]),
    st.builds(
        egonet.Settings,
        st.sampled_from([0, 1, 2, (2, 1)]),
        degrees=st.sampled_from(["total", "layered", "full", "in_out"]),
        degree_bins=st.sampled_from([None, "log"]),
        max_degree=st.sampled_from([None, 2]),
    ),
    st.sampled_from([None, dict(enumerate("CNCOCNN"))]),
    st.booleans(),
)
def test_rows_of_pairs_are_those_of_the_snapshot(
    stream, data, window, closed, directed, counted, labels, typed
):
    events, _ = stream
    nodes = sorted({end for event in events if event[0] != event[1] for end in event[:2]})
    assume(len(nodes) > 1)
    ends = st.lists(st.sampled_from(nodes), min_size=2, max_size=2, unique=True)
    drawn = data.draw(st.lists(st.tuples(ends, st.integers(0, 9)), min_size=1, max_size=8))
    queries = [(*pair, time) for pair, time in drawn]
    types = [("x", "y", "z")[number % 3] for number in range(len(events))] if typed else None
    encoder = egonet.TemporalEncoder(
        events,
        counted,
        window,
        closed=closed,
        directed=directed,
        labels=labels,
        edge_labels=types,
        node=("u", "v"),
    )

    rows = encoder.fit(queries).encode(queries)

    options = {"settings": counted, "directed": directed, "labels": labels, "types": types}
    assert rows.index.pairs.tolist() == [list(query[:2]) for query in queries]
    for row, query in enumerate(queries):
        assert rows.source.row(row) == pair_snapshot(events, query, window, closed, options)


def test_pairs_of_a_table_are_two_columns_and_splitting_queries_changes_nothing():
    queries = pd.DataFrame({"payer": ["a", "a", "b"], "day": [3, 5, 5], "payee": ["c", "d", "d"]})
    encoder = egonet.TemporalEncoder(EVENTS, 1, node=("payer", "payee"), time="day", window=None)
    with_times = pd.DataFrame(EVENTS, columns=["source", "target", "day"])
    encoder.set_params(events=with_times).fit(queries)

    rows = clone(encoder).fit(queries).transform(queries)

    assert encoder.encode(queries)[("a", "c", 3)] == {(0, 2, 1): 2, (1, 1, 2): 1}
    parts = [encoder.transform(queries[row : row + 1]) for row in range(3)]
    assert np.concatenate(parts).tolist() == rows.tolist()
    assert pickle.loads(pickle.dumps(encoder)).transform(queries).tolist() == rows.tolist()


def test_a_node_without_events_in_a_pair_is_isolated_and_counted():
    encoder = egonet.TemporalEncoder(EVENTS, 1, node=("u", "v")).fit([("a", "c", 3), ("a", "d", 3)])

    rows = encoder.encode([("a", "new", 3), ("a", "d", 3), ("b", "c", 3)])

    assert rows[("a", "new", 3)] == rows[("a", "d", 3)]  # d has no event before time 4
    assert rows.unseen.unknown == 1
    with pytest.raises(UnknownNodeError, match=r"'new' \(query 1, counted from 0\)"):
        encoder.set_params(handle_unknown="error").transform([("a", "d", 3), ("a", "new", 3)])


def test_wrong_queries_about_pairs_are_one_sentence():
    encoder = egonet.TemporalEncoder(EVENTS, 1, node=("u", "v"))

    with pytest.raises(InputError, match=r"two different nodes, got 'b' twice in query 1 \(counted from 0\)"):
        encoder.fit([("a", "b", 3), ("b", "b", 3)])
    with pytest.raises(InputError, match=r"query 0 \(counted from 0\) must be \(node, node, time\)"):
        encoder.fit([("a", 3)])
    with pytest.raises(InputError, match="there is no column 'v'"):
        encoder.fit(pd.DataFrame({"u": ["a"], "w": ["b"], "time": [3]}))
    with pytest.raises(InputError, match="node must be a column, or the two columns"):
        encoder.set_params(node=("u",)).fit([("a", "b", 3)])
    with pytest.raises(InputError, match="encode_pairs does not support frontier_edges=False"):
        egonet.TemporalEncoder(EVENTS, 1, node=("u", "v"), frontier_edges=False).fit([("a", "b", 3)])


def test_settings_of_pairs_need_queries_about_pairs():
    counted = PairSettings(1, without_edge=False)

    with pytest.raises(InputError, match=r"is for pairs\. Name the two columns of nodes: node="):
        egonet.TemporalEncoder(EVENTS, counted).fit([("a", 3), ("b", 3)])
    rows = egonet.TemporalEncoder(EVENTS, counted, node=("u", "v")).fit([("a", "b", 2)])
    assert rows.encode([("a", "b", 2)])[("a", "b", 2)] == {(0, 1, 1): 2}  # with the edge


def test_the_first_partial_fit_refuses_an_event_whose_node_has_no_label():
    encoder = egonet.TemporalEncoder(radius=1, labels={"a": "C", "b": "N"})

    with pytest.raises(InputError, match="'z'"):
        encoder.partial_fit([("a", "z", 3)])

    assert not hasattr(encoder, "history_")
    assert encoder.partial_fit([("a", "b", 1)]).transform([("a", 4)]).tolist() == [[1.0, 1.0]]


@pytest.mark.parametrize("queries", [[("a",)], [("a", None)], [], [(None, 3)], [("a", "x")]])
def test_a_fit_that_fails_leaves_the_events_of_partial_fit(queries):
    encoder = egonet.TemporalEncoder([("a", "b", 1)], 1).fit([("a", 2)]).partial_fit([("a", "c", 3)])
    before = encoder.transform([("a", 4)]).tolist()

    with pytest.raises(InputError):
        encoder.fit(queries)

    assert encoder.transform([("a", 4)]).tolist() == before == [[1.0, 2.0]]


def test_other_events_are_used_and_do_not_replace_those_of_partial_fit_in_silence():
    encoder = egonet.TemporalEncoder([("a", "b", 1)], 1).fit([("a", 2)])
    other = [("a", "x", 1), ("a", "y", 1)]

    assert encoder.set_params(events=other).transform([("a", 2)]).tolist() == [[1.0, 2.0]]
    copied = pickle.loads(pickle.dumps(encoder))
    assert copied.partial_fit([("a", "z", 3)]).transform([("a", 4)]).tolist() == [[1.0, 3.0]]
    with pytest.raises(InputError, match="events was changed after partial_fit, whose events would be lost"):
        copied.set_params(events=list(other)).transform([("a", 4)])
    assert copied.fit([("a", 2)]).transform([("a", 2)]).tolist() == [[1.0, 2.0]]


def test_a_query_about_one_node_twice_is_an_error_or_a_row_of_zeros():
    events, queries = [("a", "b", 1), ("b", "c", 2)], [("a", "a", 3), ("a", "c", 3), ("c", "c", 9)]
    encoder = egonet.TemporalEncoder(events, 1, node=("u", "v"), self_pairs="zero")

    rows = encoder.fit_transform(queries)

    assert rows.sum(axis=1).tolist() == [0, 3, 0]
    assert encoder.transform(queries[1:2]).tolist() == [rows[1].tolist()]
    assert encoder.transform(queries[:1]).tolist() == [[0.0] * rows.shape[1]]
    with pytest.raises(InputError, match=r"got 'a' twice in query 0 .*2 of 3 pairs.*self_pairs=\"zero\""):
        encoder.set_params(self_pairs="error").transform(queries)


def events_known_at(events, time, window, closed):
    after = closed == "right"
    return [
        (u, v)
        for u, v, t in events
        if u != v
        and (t < time or (after and t == time))
        and (window is None or (t > time - window if after else t >= time - window))
    ]


@settings(max_examples=150, deadline=None)
@given(
    streams(),
    st.sampled_from([None, 1, 3]),
    st.sampled_from(["left", "right"]),
    st.sampled_from([None, "out", "in"]),
    st.sampled_from(["total", "layered", "full", "in_out"]),
    st.integers(0, 3),
)
def test_events_are_counted_as_the_reference_counts_them(stream, window, closed, directed, degrees, radius):
    events, queries = stream
    counted = egonet.Settings(radius, degrees=degrees, count="events")
    encoder = egonet.TemporalEncoder(events, counted, window, closed=closed, directed=directed)

    rows = encoder.fit(queries).encode(queries)

    for row, (node, time) in enumerate(queries):
        known = events_known_at(events, time, window, closed)
        if directed == "in" and degrees != "in_out":
            known = [(v, u) for u, v in known]
        is_plain = directed is None and degrees != "in_out"
        expected = window_rows(
            known, 7, [(node, 0, len(known))], radius, degrees=degrees, symmetric=is_plain, count="events"
        )
        keys = [tuple(key) for key in expected.keys.tolist()]
        assert rows.source.row(row) == dict(
            zip((keys[column] for column in expected.columns), expected.counts.tolist(), strict=True)
        )


def test_a_partner_counts_once_and_its_payments_count_each():
    payments = [("ann", "bob", 1), ("ann", "bob", 2), ("bob", "ann", 3), ("ann", "cid", 4)]
    partners, events, ways = (
        egonet.TemporalEncoder(payments, 1, window=10, **options)
        .fit([("ann", 5)])
        .encode([("ann", 5)])[("ann", 5)]
        for options in ({}, {"count": "events"}, {"count": "events", "degrees": "in_out"})
    )

    assert partners == {(0, 2): 1, (1, 1): 2}
    assert events == {(0, 4): 1, (1, 1): 1, (1, 3): 1}
    assert ways == {(0, 1, 3): 1, (1, 1, 0): 1, (1, 2, 1): 1}


def test_events_are_not_counted_where_edges_are_no_events():
    with pytest.raises(InputError, match='encode does not support count="events"'):
        egonet.encode([("a", "b")], 1, count="events")
    with pytest.raises(InputError, match='encode_pairs does not support count="events"'):
        egonet.TemporalEncoder(EVENTS, 1, count="events", node=("u", "v")).fit([("a", "b", 3)])


def test_a_batch_with_a_node_without_a_label_changes_nothing():
    events, labels = [("a", "b", 1)], {"a": "x", "b": "y"}
    encoder = egonet.TemporalEncoder(events, radius=1, labels=labels, sparse_output=False).fit([("a", 2)])
    before = encoder.transform([("a", 2)]).tolist()

    with pytest.raises(InputError, match="label"):
        encoder.partial_fit([("a", "new", 3)])

    assert encoder.transform([("a", 2)]).tolist() == before


@pytest.mark.parametrize(
    "node",
    [
        ("u",),
        ("u", "u"),
        ("u", None),
        ("", ""),
        ("u", "v", "w"),
        ("u", ["v"]),
        {"u"},
        np.array(["u", "v"]),
        "",
    ],
    ids=repr,
)
def test_columns_of_queries_are_checked_for_tuples_too(node):
    for queries in ([("a", 3)], [("a", "b", 3)]):
        with pytest.raises(
            InputError, match="node must be a column, or the two columns of pairs of nodes, got"
        ):
            egonet.TemporalEncoder([("a", "b", 1)], 1, node=node).fit(queries)


@pytest.mark.parametrize("name", ["source", "target", "time"])
@pytest.mark.parametrize("value", [["u"], {"u"}, "", float("nan")], ids=repr)
def test_columns_of_events_are_checked_for_tuples_too(name, value):
    events = [("a", "b", 1)]
    for call in (
        lambda: egonet.TemporalEncoder(events, 1, **{name: value}).fit([("a", 3)]),
        lambda: egonet.Stream(1).add(events, **{name: value}),
        lambda: egonet.EventEncoder(windows=(None,), **{name: value}).fit(events),
    ):
        with pytest.raises(InputError, match=f"^{name}= must be the name of a column, got"):
            call()
