"""`Stream`: the features at any time equal those of the snapshot, late events follow the rule, saving loses nothing."""

import json
from datetime import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet.errors import FileError, InputError

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
            known = [expected_row(added, node, clock, window, "right", counted, directed) for node in nodes]
        assert [rows.source.row(row) for row in range(len(nodes))] == known


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(NODES, NODES, st.integers(0, 9)), max_size=25),
    st.sampled_from([None, 2, 4]),
    st.data(),
)
def test_late_events_are_merged_where_they_belong(events, window, data):
    stream, added, clock = egonet.Stream(1, window, late="merge"), [], None
    for event in events:
        stream.add([event])
        added.append(event)
        clock = event[2] if clock is None else max(clock, event[2])
        if data.draw(st.booleans()):
            node = data.draw(NODES)
            expected = expected_row(added, node, clock, window, "right", 1, None)
            assert stream.features([node])[node] == expected
            assert stream.features([node], time=clock)[node] == expected_row(
                added, node, clock, window, "left", 1, None
            )
    assert stream.num_added == len(events)


def test_late_events_are_refused_unless_asked_and_nothing_is_added():
    stream = egonet.Stream(1, window=5)
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
    stream = egonet.Stream(1, window=2, late="merge")

    stream.add([("a", "b", 9)])
    stream.add([("a", "c", 3), ("a", "d", 8), ("a", "a", 8)])

    assert (stream.num_late, stream.num_expired, stream.num_loops) == (3, 1, 1)
    assert stream.features(["a"])["a"] == {(0, 2): 1, (1, 1): 2}


def test_a_stream_is_not_asked_about_the_past():
    stream = egonet.Stream(1)
    stream.add([("a", "b", 5)])
    stream.features(["a"], time=7)

    with pytest.raises(
        InputError, match=r"asked about times in order, got 6, but it is at 7\. Use TemporalEncoder"
    ):
        stream.features(["a"], time=6)
    assert stream.now == 7


def test_a_node_without_recent_events_is_alone():
    stream = egonet.Stream(1, window=1)
    stream.add([("a", "b", 1), ("c", "d", 5)])

    rows = stream.features(["a", "never seen", "c"])

    assert rows["a"] == rows["never seen"] == {(0, 0): 1}
    assert rows["c"] == {(0, 1): 1, (1, 1): 1}


def test_memory_is_bounded_by_the_window():
    stream = egonet.Stream(1, window=100)
    rng = np.random.default_rng(0)
    for batch in range(200):
        ids = (rng.integers(0, 1000, (100, 2)) + 50 * batch).tolist()
        stream.add([(u, v, 10 * batch) for u, v in ids])

    assert stream.num_events <= 1200
    assert len(stream._row_of) <= 2 * stream.num_events + 1200
    assert stream.num_added == 20_000


@pytest.mark.parametrize("window", [None, 3])
def test_a_saved_stream_continues_as_if_it_had_never_stopped(tmp_path, window):
    rng = np.random.default_rng(2)
    ends, times = rng.integers(0, 9, (60, 2)).tolist(), np.sort(rng.integers(0, 30, 60)).tolist()
    events = [(f"n{u}", f"n{v}", time) for (u, v), time in zip(ends, times, strict=True)]
    learned = egonet.encode([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], egonet.Settings((1, 2)))
    straight = egonet.Stream(window=window, vocabulary=learned, late="merge")
    straight.add(events)
    stream = egonet.Stream(window=window, vocabulary=learned, late="merge")
    for first in range(0, 60, 20):
        stream.add(events[first : first + 20])
        stream.save(tmp_path / "stream.npz")
        stream = egonet.Stream.open(tmp_path / "stream.npz")

    nodes = [f"n{u}" for u in range(9)]
    assert (stream.features(nodes).matrix != straight.features(nodes).matrix).nnz == 0
    assert (stream.num_added, stream.num_loops, stream.now) == (60, straight.num_loops, straight.now)
    assert stream.settings == straight.settings


def test_dates_are_saved_with_their_window(tmp_path):
    events = pd.DataFrame(
        {"source": ["a", "b"], "target": ["b", "c"], "time": pd.to_datetime(["2024-01-01", "2024-01-03"])}
    )
    stream = egonet.Stream(1, pd.Timedelta(days=1))
    stream.save(tmp_path / "empty.npz")
    stream.add(events)
    stream.save(tmp_path / "stream.npz")

    again = egonet.Stream.open(tmp_path / "stream.npz")
    fresh = egonet.Stream.open(tmp_path / "empty.npz")
    fresh.add(events)

    for each in (again, fresh):
        assert each.features(["b"])["b"] == {(0, 1): 1, (1, 1): 1}
        assert each.now == np.datetime64("2024-01-03")
    with pytest.raises(
        InputError, match="the times of new events must be dates, as those of the events, got numbers"
    ):
        again.add([("a", "b", 5)])


def test_a_damaged_file_is_one_sentence(tmp_path):
    stream = egonet.Stream(1, window=2)
    stream.add([("a", "b", 1)])
    stream.save(tmp_path / "stream.npz")
    whole = (tmp_path / "stream.npz").read_bytes()

    for damaged in (whole[:100], b"", whole.replace(b"egonet stream 1", b"egonet stream 9")):
        (tmp_path / "stream.npz").write_bytes(damaged)
        with pytest.raises(FileError, match="is not a stream that egonet saved, or is damaged"):
            egonet.Stream.open(tmp_path / "stream.npz")
    with pytest.raises(InputError, match=r"a stream is saved as \.npz"):
        stream.save(tmp_path / "stream.bin")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"late": "drop"}, "late must be one of 'error', 'merge', got 'drop'"),
        ({"closed": 3}, "closed must be one of"),
        ({"settings": egonet.Settings(1, rooted="edge")}, "do not support rooted='edge'"),
        ({"settings": 1, "vocabulary": egonet.encode([(0, 1)], 1)}, "a vocabulary has its own settings"),
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
    with pytest.raises(InputError, match="times are numbers, so that window must be a number"):
        egonet.Stream(1, "7d").add([("a", "b", 1)])


def test_a_window_longer_than_all_time_keeps_every_event():
    for window in (10**30, 1e308):
        stream = egonet.Stream(1, window=window)
        stream.add([("a", "b", 1), ("b", "c", 2)])

        assert stream.num_events == 2
        assert stream.features(["b"])["b"] == {(0, 2): 1, (1, 1): 2}


def test_the_earliest_times_are_inside_their_window():
    stream = egonet.Stream(1, window=10, late="merge")
    stream.add([("a", "b", 3 - 2**63)])
    stream.add([("b", "c", 1 - 2**63)])

    assert stream.num_events == 2
    assert stream.num_expired == 0


@pytest.mark.parametrize("events", [[], [("a", "b", 1), ("b", "c", 2)]])
def test_a_saved_clock_keeps_its_fraction(events, tmp_path):
    stream = egonet.Stream(1, window=5)
    stream.add(events)
    stream.features(["a"], time=2.5)
    stream.save(tmp_path / "stream.npz")
    again = egonet.Stream.open(tmp_path / "stream.npz")

    assert again.now == 2.5
    with pytest.raises(InputError, match="late"):
        again.add([("a", "c", 2)])


@pytest.mark.parametrize("clock", [None, [], [[1]], True, "x", 2**70])
def test_a_saved_clock_that_is_no_time_is_an_error(clock, tmp_path):
    stream = egonet.Stream(1, window=5)
    stream.add([("a", "b", 1.5)])
    stream.save(tmp_path / "stream.npz")
    arrays = dict(np.load(tmp_path / "stream.npz"))
    header = json.loads(arrays["header"].tobytes()) | {"clock": clock}
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(tmp_path / "changed.npz", **arrays)

    with pytest.raises(FileError, match="is not a stream that egonet saved, or is damaged"):
        egonet.Stream.open(tmp_path / "changed.npz")
