"""`Stream`: the features at any time equal those of the snapshot, late events follow the rule, saving loses nothing."""

import itertools
import pickle
from datetime import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet.errors import InputError

NODES = st.integers(0, 6)


def expected_row(events, node, time, window, closed, counted, directed):
    after = closed == "right"
    known = [
        (u, v)
        for u, v, t in events
        if (t < time or (after and t == time))
        and (window is None or (t > time - window if after else t >= time - window))
    ]
    graph = egonet.Graph.from_edges(known, nodes=range(7), directed=directed)
    return egonet.encode(graph, counted, roots=[node])[node]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(NODES, NODES, st.integers(0, 9)), max_size=30),
    st.sampled_from([None, 1, 3]),
    st.sampled_from(["left", "right"]),
    st.sampled_from([None, "out", "in"]),
    st.sampled_from([egonet.Settings(1), egonet.Settings((2, 1), degrees="full", degree_bins="log")]),
    st.data(),
)
def test_features_are_those_of_the_snapshot_at_every_time(events, window, closed, directed, counted, data):
    events = sorted(events, key=lambda event: event[2])
    stream = egonet.Stream(counted, window, closed=closed, directed=directed)
    added, clock = [], None
    while len(added) < len(events):
        batch = events[len(added) :][: data.draw(st.integers(1, 4))]
        if clock is not None and batch[0][2] < clock:
            break
        stream.add(batch)
        added += batch
        clock = max(batch[-1][2], 0 if clock is None else clock)
        nodes = data.draw(st.lists(NODES, max_size=3))
        if data.draw(st.booleans()):
            clock += data.draw(st.integers(0, 2))
            rows = stream.features(nodes, time=clock)
            known = [expected_row(added, node, clock, window, closed, counted, directed) for node in nodes]
        else:
            rows = stream.features(nodes)
            known = [expected_row(added, node, clock, window, closed, counted, directed) for node in nodes]
        assert [rows.source.row(row) for row in range(len(nodes))] == known


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(NODES, NODES, st.integers(0, 9)), max_size=25),
    st.sampled_from([None, 2, 4]),
    st.data(),
)
def test_late_events_are_merged_where_they_belong(events, window, data):
    stream, added, clock = egonet.Stream(1, window, late="merge", closed="right"), [], None
    for event in events:
        stream.add([event])
        added.append(event)
        clock = event[2] if clock is None else max(clock, event[2])
        if data.draw(st.booleans()):
            node = data.draw(NODES)
            expected = expected_row(added, node, clock, window, "right", 1, None)
            assert stream.features([node])[node] == expected
            assert stream.features([node], time=clock)[node] == expected
    assert stream.num_added == len(events)


def test_late_events_raise_unless_they_are_merged_and_nothing_is_added():
    stream = egonet.Stream(1, window=5, closed="right")
    stream.add([("a", "b", 5)])

    with pytest.raises(
        InputError, match=r"1 of 2 events are late, first event 0 .* at 4, but the stream is at 5"
    ):
        stream.add([("a", "c", 4), ("a", "d", 6)])
    with pytest.raises(InputError, match="events must be in order of time, got 7 after 8"):
        stream.add([("a", "c", 8), ("a", "d", 7)])
    assert stream.num_added == 1
    assert stream.features(["a"])["a"] == {(0, 1): 1, (1, 1): 1}


def test_an_event_older_than_the_window_is_counted_and_not_merged():
    stream = egonet.Stream(1, window=2, late="merge", closed="right")

    stream.add([("a", "b", 9)])
    stream.add([("a", "c", 3), ("a", "d", 8), ("a", "a", 8)])

    assert (stream.num_late, stream.num_expired, stream.num_loops) == (3, 1, 1)
    assert stream.features(["a"])["a"] == {(0, 2): 1, (1, 1): 2}


def test_a_stream_is_not_asked_about_the_past():
    stream = egonet.Stream(1, closed="right")
    stream.add([("a", "b", 5)])
    stream.features(["a"], time=7)

    with pytest.raises(
        InputError, match=r"must be in order of time, got 6, but it is at 7\. Use TemporalEncoder"
    ):
        stream.features(["a"], time=6)
    assert stream.now == 7


def test_a_node_without_recent_events_is_alone():
    stream = egonet.Stream(1, window=1, closed="right")
    stream.add([("a", "b", 1), ("c", "d", 5)])

    rows = stream.features(["a", "never seen", "c"])

    assert rows["a"] == rows["never seen"] == {(0, 0): 1}
    assert rows["c"] == {(0, 1): 1, (1, 1): 1}


def test_memory_is_bounded_by_the_window():
    stream = egonet.Stream(1, window=100, closed="right")
    rng = np.random.default_rng(0)
    for batch in range(200):
        ids = (rng.integers(0, 1000, (100, 2)) + 50 * batch).tolist()
        stream.add([(u, v, 10 * batch) for u, v in ids])

    assert stream.num_events <= 1200
    assert len(stream._row_of) <= 2 * stream.num_events + 1200
    assert stream.num_added == 20_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"late": "drop"}, "late must be one of 'error', 'merge', got 'drop'"),
        ({"closed": 3}, "closed must be one of"),
        ({"settings": egonet.Settings(1, rooted="edge")}, 'does not support rooted="edge"'),
        (
            {"settings": 2, "vocabulary": egonet.encode([(0, 1)], 1)},
            r"learned with radius=\(1,\), got \(2,\)",
        ),
    ],
)
def test_bad_options_are_one_sentence(options, message):
    with pytest.raises(InputError, match=message):
        egonet.Stream(**options)


def test_bad_nodes_and_times_are_one_sentence():
    stream = egonet.Stream(1)
    stream.add([("a", "b", 1)])

    with pytest.raises(InputError, match="nodes must be a sequence of node ids, got 'a'"):
        stream.features("a")
    with pytest.raises(InputError, match="an id must be hashable and not missing"):
        stream.features([None])
    with pytest.raises(InputError, match="the times of queries must be numbers"):
        stream.features(["a"], time=datetime(2024, 1, 1))
    with pytest.raises(InputError, match="times are numbers, so window must be a number"):
        egonet.Stream(1, "7d").add([("a", "b", 1)])


def test_a_window_longer_than_all_time_keeps_every_event():
    for window in (10**30, 1e308):
        stream = egonet.Stream(1, window=window, closed="right")
        stream.add([("a", "b", 1), ("b", "c", 2)])

        assert stream.num_events == 2
        assert stream.features(["b"])["b"] == {(0, 2): 1, (1, 1): 2}


def test_the_earliest_times_are_inside_their_window():
    stream = egonet.Stream(1, window=10, late="merge")
    stream.add([("a", "b", 3 - 2**63)])
    stream.add([("b", "c", 1 - 2**63)])

    assert stream.num_events == 2
    assert stream.num_expired == 0


def as_table(events):
    return pd.DataFrame(events, columns=["source", "target", "time"])


TIMES = {
    "whole": lambda value: value,
    "fractions": lambda value: value / 4,
    "dates": lambda value: datetime(2024, 1, 1 + value, 5, 6, 7, 8),
    "mixed": lambda value: value if value % 2 else float(value),
}


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.tuples(NODES, NODES, st.integers(0, 9)), min_size=1, max_size=30),
    st.sampled_from(sorted(TIMES)),
    st.sampled_from([None, 3]),
    st.sampled_from(["left", "right"]),
    st.sampled_from([None, "in"]),
    st.booleans(),
    st.data(),
)
def test_tuples_and_tables_give_the_same_stream(events, kind, window, closed, directed, named, data):
    """Tuples take the way without tables; the result must not differ, after late events and in between too."""
    counted = egonet.Settings((1, 2), degree_bins="log")
    learned = egonet.encode([(0, 1), (1, 2), (2, 0), (2, 3)], counted, directed=directed)
    name = (lambda node: f"n{node}") if named else int
    length = f"{window}d" if window and kind == "dates" else window
    options = {"closed": closed, "late": "merge", "vocabulary": learned, "directed": directed}
    quick, slow = (egonet.Stream(window=length, **options) for _ in range(2))
    for u, v, value in events:
        event = (name(u), name(v), TIMES[kind](value))
        quick.add([event])
        slow.add(as_table([event]))
        nodes = [name(node) for node in data.draw(st.lists(NODES, max_size=3))]
        few = quick.features(nodes)
        many = slow.features(nodes + [name(0)] * 20)
        assert few.to_dense().tolist() == many.to_dense()[: len(nodes)].tolist()
        assert few.matrix.toarray().tolist() == few.to_dense().tolist()
        assert [few[node] for node in nodes] == [many[node] for node in nodes]
    assert (quick.num_added, quick.num_loops, quick.num_late, quick.num_expired, quick.now) == (
        slow.num_added,
        slow.num_loops,
        slow.num_late,
        slow.num_expired,
        slow.now,
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ((True, "b", 9), "an id must be hashable"),
        (("", "b", 9), r"every event must have a source, 1 of 2 have none, first in row 1 "),
        (("a", 2**64, 9), "an id must be hashable"),
        (("a", None, 9), r"every event must have a target, 1 of 2 have none, first in row 1 "),
        (("a", "\ud800", 9), "UTF-8"),
        (("a", "c", 4), "are late|order of time"),
        (("a", "c", float("nan")), r"every event must have a time, 1 of 2 have none, first in row 1 "),
        (("a", "c", 2**64), "64-bit"),
        (("a", "c", True), "times must be numbers or dates"),
        (("a", "c", datetime(2024, 1, 1)), "numbers"),
        (("a", "c"), r"must be \(source, target, time\)"),
    ],
)
def test_a_wrong_event_in_a_short_list_adds_nothing(wrong, message):
    stream = egonet.Stream(1, closed="right")
    stream.add([("a", "b", 5)])

    with pytest.raises(InputError, match=message):
        stream.add([("a", "z", 6), wrong])

    assert (stream.num_added, stream.num_events) == (1, 1)
    assert stream.features(["a", "z"])["a"] == {(0, 1): 1, (1, 1): 1}


def test_rows_that_were_read_do_not_change_with_later_events():
    stream = egonet.Stream(1, closed="right")
    stream.add([("a", "b", 1)])
    before, unread = stream.features(["a", "b"]), stream.features(["a"])
    dense = before.to_dense()
    stream.add([("a", "c", 2)])

    assert unread["a"] == before["a"] == {(0, 1): 1, (1, 1): 1}
    assert before.matrix.toarray().tolist() == dense.tolist()
    assert "c" not in before
    with pytest.raises(egonet.errors.UnknownNodeError, match="no row belongs to node True"):
        stream.features([1])[True]


def test_rows_of_a_few_nodes_can_be_pickled_written_and_looked_up(tmp_path):
    stream = egonet.Stream(1, closed="right")
    stream.add([("a", "b", 1), ("b", "c", 2)])
    rows = stream.features(["a", "b"])

    again = pickle.loads(pickle.dumps(rows))
    rows.save(tmp_path / "rows.npz")

    assert again["b"] == egonet.load(tmp_path / "rows.npz")["b"] == {(0, 2): 1, (1, 1): 2}
    assert rows.feature_names == ["r1_d0_deg1", "r1_d0_deg2", "r1_d1_deg1"]
    assert list(rows) == ["a", "b"]
    assert rows.in_memory().shape == rows.shape == (2, 3)


def test_unseen_keys_of_a_few_nodes_are_reported_or_raise():
    learned = egonet.encode([("a", "b")], radius=1)
    clipped = egonet.Stream(vocabulary=learned, closed="right")
    refusing = egonet.Stream(vocabulary=learned, unseen="error", closed="right")
    for stream in (clipped, refusing):
        stream.add([("a", "b", 1), ("a", "c", 2)])

    rows = clipped.features(["a"])

    assert rows.unseen.clipped == 1
    assert rows.to_dense().tolist() == [[1, 2]]
    with pytest.raises(InputError, match="keys that the vocabulary never saw, first at node 'a'"):
        refusing.features(["a"])


def test_a_stream_shows_its_settings_and_how_far_it_is():
    stream = egonet.Stream(1, window=2)
    assert repr(stream) == "Stream(Settings(radius=1), window=2, num_events=0, now=None)"

    stream.add([("a", "b", 5), ("b", "c", 6)])

    assert repr(stream) == "Stream(Settings(radius=1), window=2, num_events=2, now=6)"


def test_columns_learned_in_another_direction_are_an_error():
    learned = egonet.encode([("a", "b"), ("b", "c")], 1, directed="out")

    with pytest.raises(InputError, match=r"learned on a graph read with directed=\"out\", got directed=None"):
        egonet.Stream(vocabulary=learned)
    encoder = egonet.TemporalEncoder([("a", "b", 1)], 1)
    encoder.vocabulary_ = learned.vocabulary
    with pytest.raises(InputError, match=r"learned on a graph read with directed=\"out\", got directed=None"):
        encoder.transform([("a", 2)])


@pytest.mark.parametrize("events", [[(1, 2, 5)] * 40, [(1, 2, 5)]])
def test_a_number_next_to_text_of_the_same_digits_is_an_error_that_adds_nothing(events):
    stream = egonet.Stream(1, closed="right")
    stream.add([("1", "x", 1)])

    with pytest.raises(InputError, match="have node '1', the new ones have 1"):
        stream.add(events)
    with pytest.raises(InputError, match="have node '1', the new ones have 1"):
        stream.features([1])
    with pytest.raises(InputError, match="the rows have 7 as a number and '7' as text"):
        stream.add([(7, "a", 2), ("7", "a", 2)])

    assert (stream.num_added, stream.now, stream.features(["1"])["1"]) == (1, 1, {(0, 1): 1, (1, 1): 1})


def test_a_refused_first_batch_or_query_leaves_the_kind_of_times_open():
    stream = egonet.Stream(1, window=5)

    with pytest.raises(InputError, match="the rows have 1 as a number and '1' as text"):
        stream.add([(1, "1", 3)])
    with pytest.raises(InputError, match="window"):
        stream.features(["a"], time=np.datetime64("2024-01-01"))
    stream.add([("a", "b", 3)])

    assert (stream.now, stream.num_added) == (3, 1)


def test_a_query_that_raises_does_not_move_the_clock():
    learned = egonet.encode([("a", "b")], 1)
    stream = egonet.Stream(vocabulary=learned, unseen="error", window=9)
    stream.add([("a", "b", 1), ("b", "c", 2)])

    with pytest.raises(egonet.EgonetError, match="never saw"):
        stream.features(["b"], time=7)

    assert stream.now == 2
    stream.add([("c", "d", 3)])


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(NODES, NODES, st.integers(0, 12)), min_size=1, max_size=30),
    st.sampled_from([None, 2, 5]),
    st.lists(st.integers(0, 30), max_size=4),
)
def test_counters_and_rows_do_not_depend_on_how_events_are_split(events, window, cuts):
    one, several = (egonet.Stream(1, window, late="merge", closed="right") for _ in range(2))
    one.add(events)
    places = [0, *sorted(min(cut, len(events)) for cut in cuts), len(events)]
    for begin, end in itertools.pairwise(places):
        several.add(events[begin:end])

    names = ("num_added", "num_loops", "num_late", "num_expired", "num_events", "now")
    assert [getattr(one, name) for name in names] == [getattr(several, name) for name in names]
    nodes = list(range(7))
    assert [one.features(nodes)[v] for v in nodes] == [several.features(nodes)[v] for v in nodes]


@pytest.mark.parametrize("closed", ["left", "right"])
def test_features_without_a_time_are_those_of_now(closed):
    stream = egonet.Stream(1, window=2, closed=closed)
    stream.add([("a", "b", 1), ("b", "c", 3)])

    rows = stream.features(["b"])["b"]

    assert rows == {(0, 1): 1, (1, 1): 1}
    assert rows == stream.features(["b"], time=stream.now)["b"]
    assert stream.num_edges == 1


def test_a_pickled_stream_continues_where_it_was():
    stream = egonet.Stream(1, window=4, late="merge", threads=1)
    stream.add([("a", "b", 1), ("b", "c", 2)])

    again = pickle.loads(pickle.dumps(stream))

    for each in (stream, again):
        each.add([("a", "c", 3), ("d", "a", 2)])
    assert again.features(["a"], time=4)["a"] == stream.features(["a"], time=4)["a"]
    assert (again.num_late, again.num_added, again.threads) == (1, 4, 1)


@pytest.mark.parametrize("directed", [None, "out", "in"])
@pytest.mark.parametrize("follow", ["any", "out", "in"])
def test_in_and_out_degrees_of_a_stream_are_those_of_its_graph(directed, follow):
    events = [(0, 1, 1), (1, 2, 2), (2, 0, 3), (3, 1, 4), (0, 3, 5), (1, 0, 6)]
    counted = egonet.Settings(2, degrees="in_out", follow=follow)
    stream = egonet.Stream(counted, window=4, directed=directed)
    encoder = egonet.TemporalEncoder(events, counted, window=4, directed=directed)

    stream.add(events)

    graph = egonet.Graph.from_edges([(u, v) for u, v, time in events if 3 <= time < 7], directed="out")
    expected = egonet.encode(graph, counted)
    nodes = [0, 1, 2, 3]
    rows = stream.features(nodes, time=7)
    queries = [(node, 7) for node in nodes]
    replayed = encoder.fit(queries).encode(queries)
    for place, node in enumerate(nodes):
        assert rows[node] == expected[node]
        assert replayed.source.row(place) == expected[node]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(NODES, NODES, st.integers(0, 9)), min_size=1, max_size=30),
    st.sampled_from([None, 2, 4]),
    st.sampled_from(["total", "full", "in_out"]),
    st.sampled_from([None, "out", "in"]),
    st.integers(0, 30),
)
def test_a_stream_counts_events_as_an_encoder_does_also_late_ones_and_after_a_restart(
    events, window, degrees, directed, cut
):
    counted = egonet.Settings((1, 2), degrees=degrees, count="events")
    stream = egonet.Stream(counted, window, directed=directed, late="merge")
    stream.add(events[:cut])
    stream = pickle.loads(pickle.dumps(stream))
    stream.add(events[cut:])
    nodes = sorted({node for u, v, _ in events for node in (u, v)})

    rows = stream.features(nodes, time=10)

    encoder = egonet.TemporalEncoder(
        sorted(events, key=lambda event: event[2]), counted, window, directed=directed
    )
    queries = [(node, 10) for node in nodes]
    expected = encoder.fit(queries).encode(queries)
    assert [rows[node] for node in nodes] == [expected.source.row(row) for row in range(len(nodes))]


def test_an_id_beyond_64_bits_with_a_sign_is_an_id_only_among_numbers_from_0():
    stream = egonet.Stream(1)
    stream.add([(2**63, 5, 1)])

    for other in (-1, "a"):
        with pytest.raises(InputError, match=r"ids only among numbers >= 0, got 9223372036854775808 with"):
            stream.add([(other, 5, 2)])
        with pytest.raises(InputError, match="ids only among numbers >= 0"):
            stream.features([other])
    assert stream.num_added == 1
    assert stream.features([5], time=2)[5] == {(0, 1): 1, (1, 1): 1}
    mixed = egonet.Stream(1)
    mixed.add([(-1, 5, 1)])
    with pytest.raises(InputError, match="ids only among numbers >= 0"):
        mixed.add([(2**63, 5, 2)])


def test_a_late_loop_is_counted_as_a_loop_and_not_as_expired():
    stream = egonet.Stream(1, window=5, late="merge")
    stream.add([("a", "b", 100)])

    stream.add([("c", "c", 1), ("a", "c", 2)])

    assert (stream.num_added, stream.num_late, stream.num_loops, stream.num_expired) == (3, 2, 1, 1)
