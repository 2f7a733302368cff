"""Streams of events with types and amounts: the rows are those of `encode` on the events of the window."""

import numpy as np
import pandas as pd
import pytest

import egonet
from egonet.errors import InputError


def random_events(seed, size=120):
    rng = np.random.default_rng(seed)
    nodes = np.array(list("abcdefgh"))
    return pd.DataFrame(
        {
            "source": rng.choice(nodes, size),
            "target": rng.choice(nodes, size),
            "time": np.sort(rng.integers(0, 60, size)),
            "kind": rng.choice(["call", "text", "visit"], size),
            "amount": rng.integers(0, 100, size),
        }
    )


def row_of(encoding, node):
    names, row = (
        np.array(encoding.feature_names, dtype=object),
        np.asarray(encoding)[list(encoding).index(node)],
    )
    return {names[column]: int(row[column]) for column in np.flatnonzero(row)}


@pytest.mark.parametrize("directed", [None, "out", "in"])
@pytest.mark.parametrize("column", [{"edge_labels": "kind"}, {"weights": "amount"}])
def test_rows_equal_those_of_encode_on_the_events_of_the_window(column, directed):
    events = random_events(1)
    bins = {"weight_bins": "log"} if "weights" in column else {}
    stream = egonet.Stream(2, window=15, closed="right", directed=directed, **column, **bins)

    for time in range(0, 60, 7):
        stream.add(events[(events.time > time - 7) & (events.time <= time)])
        known = events[(events.time > time - 15) & (events.time <= time)]
        found = stream.features(list("abcdefgh"), time=time)
        graph = egonet.as_graph(
            known, nodes=list("abcdefgh"), directed=directed or False, simplify=True, **column
        )
        expected = egonet.encode(graph, 2, **bins)
        assert {node: row_of(found, node) for node in "abcdefgh"} == {
            node: row_of(expected, node) for node in "abcdefgh"
        }
        assert stream.features(["a"])["a"] == found["a"]  # by the reader of a few rows too


def test_splitting_late_events_saving_and_pickling_change_nothing(tmp_path):
    events = random_events(2)
    whole = egonet.Stream(1, window=20, late="merge", edge_labels="kind")
    parts = egonet.Stream(1, window=20, late="merge", edge_labels="kind")
    shuffled = events.sample(frac=1, random_state=3)

    whole.add(shuffled)
    for first in range(0, len(shuffled), 11):
        parts.add(shuffled[first : first + 11])
        parts.save(tmp_path / "stream.npz")
        parts = egonet.Stream.open(tmp_path / "stream.npz")

    assert (parts.num_events, parts.num_nodes, parts.num_edges) == (
        whole.num_events,
        whole.num_nodes,
        whole.num_edges,
    )
    counters = ("num_added", "num_loops", "num_late", "num_expired")
    assert [getattr(parts, name) for name in counters] == [getattr(whole, name) for name in counters]
    one, other = whole.features(list("abcdefgh")), parts.features(list("abcdefgh"))
    assert [row_of(one, node) for node in "abcdefgh"] == [row_of(other, node) for node in "abcdefgh"]


def test_two_types_between_two_nodes_are_two_edges_and_an_event_of_a_type_repeats_its_edge():
    stream = egonet.Stream(1, edge_labels="kind", closed="right")
    stream.add([("a", "b", 1, "call"), ("b", "a", 2, "call"), ("a", "b", 3, "text"), ("a", "a", 3, "text")])

    assert (stream.num_events, stream.num_nodes, stream.num_edges, stream.num_loops) == (3, 2, 2, 1)


def test_a_type_without_a_column_of_the_vocabulary_is_counted_as_unseen():
    learned = egonet.encode([("a", "b"), ("b", "c")], 1, edge_labels=["call", "call"])
    stream = egonet.Stream(vocabulary=learned, edge_labels="kind", closed="right")
    stream.add([("a", "b", 1, "call"), ("a", "c", 2, "visit")])

    rows = stream.features(["a"])

    assert rows["a"] == {(0, 2): 1, (1, 2, "call"): 1, (2, 1): 2}
    assert rows.unseen.dropped == 1


@pytest.mark.parametrize(
    ("options", "events", "message"),
    [
        ({"edge_labels": "kind"}, [("a", "b", 1)], r"must be \(source, target, time, types\)"),
        ({"edge_labels": "kind"}, [("a", "b", 1, None)], "every event must have a type, 1 of 1 have none"),
        ({"edge_labels": "kind"}, [("a", "b", 1, "7"), ("a", "b", 1, 7)], "edge label"),
        ({"weights": "amount", "weight_bins": "log"}, [("a", "b", 1, -4)], "needs weights >= 0"),
        ({"weights": "amount", "weight_bins": [5]}, [("a", "b", 1, "x")], "weights must be finite numbers"),
        (
            {"weights": "amount", "weight_bins": [5]},
            [("a", "b", 1, None)],
            "every event must have a weight, 1 of 1",
        ),
    ],
)
def test_a_wrong_type_adds_nothing(options, events, message):
    stream = egonet.Stream(1, closed="right", **options)
    stream.add([("a", "b", 1, 7)])

    with pytest.raises(InputError, match=message):
        stream.add(events)

    assert (stream.num_added, stream.num_events, stream.num_edges) == (1, 1, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"edge_labels": ["x"]}, "edge_labels must be the name of a column"),
        ({"edge_labels": "kind", "weights": "sum", "weight_bins": "log"}, "edge_labels or weights, not both"),
        ({"weights": "sum"}, r'weights become edge types by bins\. Give weight_bins="log"'),
        ({"weights": "sum", "weight_bins": 4}, "would use future events"),
        ({"weight_bins": "log"}, "weight_bins is for weights"),
    ],
)
def test_options_that_make_no_types_are_one_sentence(options, message):
    with pytest.raises(InputError, match=message):
        egonet.Stream(1, **options)
