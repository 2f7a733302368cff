"""Tests of `encoding/request.py`: settings, vocabulary, direction and support are checked in one place."""

import pytest

import egonet
from egonet.encoding.request import add_columns, add_data, add_graph, as_vocabulary, make_request
from egonet.errors import InputError


def test_keywords_equal_a_record():
    record = egonet.Settings(1, degrees="full")

    assert make_request("nodes", record).settings == make_request("nodes", 1, {"degrees": "full"}).settings


def test_settings_must_be_those_of_the_vocabulary():
    vocabulary = egonet.encode([("a", "b")], radius=1).vocabulary

    assert make_request("nodes", 1, vocabulary=vocabulary).settings == vocabulary.settings
    with pytest.raises(InputError, match=r"learned with radius=\(1,\), got \(2,\)"):
        make_request("nodes", 2, vocabulary=vocabulary)


def test_a_vocabulary_of_pairs_is_none_of_nodes():
    vocabulary = egonet.encode_pairs([("a", "b")], [("a", "b")]).vocabulary

    assert as_vocabulary(vocabulary, "pair") is vocabulary
    with pytest.raises(InputError, match="an encoding of nodes, got one of pairs"):
        make_request("nodes", vocabulary=vocabulary)


def test_what_the_graph_carries_is_checked_against_the_engine():
    graph = egonet.as_graph([("a", "b")], labels={"a": "C", "b": "N"})

    assert add_graph(make_request("nodes", 1), graph).labels.tolist() == [0, 1]
    with pytest.raises(InputError, match="Spark does not support labels="):
        add_graph(make_request("spark", 1), graph)


def test_the_direction_must_be_that_of_the_vocabulary():
    vocabulary = egonet.encode([("a", "b")], radius=1, directed="out").vocabulary

    with pytest.raises(InputError, match="read with directed="):
        add_data(make_request("nodes", vocabulary=vocabulary), [("a", "b")])


def test_pairs_of_a_directed_graph_are_ordered():
    graph = egonet.as_graph([("a", "b")], directed="out")

    assert add_graph(make_request("pairs", 1, rows="pair"), graph).schema.is_ordered


def test_a_capped_graph_keeps_the_graph_as_read():
    star = egonet.as_graph([("a", "b"), ("a", "c"), ("a", "d")])
    request = add_graph(make_request("nodes", 1, {"cap": 1}), star)

    assert request.uncapped is star
    assert request.graph.num_edges < star.num_edges


def test_events_are_checked_by_their_columns_before_they_are_a_graph():
    typed = add_columns(make_request("stream", 1), ["edge_labels"], None)

    assert typed.schema.directed is None
    with pytest.raises(InputError, match="give edge_labels or weights, not both"):
        add_columns(make_request("stream", 1, {"weight_bins": "log"}), ["edge_labels", "weights"], None)
    with pytest.raises(InputError, match=r"weights become edge types by bins"):
        add_columns(make_request("as_of", 1), ["weights"], None)
    with pytest.raises(InputError, match=r"does not support weight_bins=3\. Give limits.*future events"):
        make_request("stream", 1, {"weight_bins": 3})


def test_limits_that_a_graph_taught_are_limits_for_events():
    """Quantiles of past events are known numbers: two bins, cut at the larger of two amounts."""
    edges = [("a", "b", 1.0, 5), ("b", "c", 2.0, 50)]
    past = egonet.encode([edge[:2] for edge in edges], 1, weights=[5, 50], weight_bins=2).vocabulary
    stream = egonet.Stream(1, vocabulary=past, weights="sum", closed="right", weight_bins=2)
    stream.add(edges)

    row = stream.features(["b"])["b"]

    assert past.schema.limits == (50.0,)
    assert row == {(0, 2): 1, (1, 2, "50plus"): 1, (1, 2, "below50"): 1, (2, 1): 2}
    assert stream.features(["b"]).vocabulary is past


def test_every_engine_takes_settings_equal_to_those_of_the_vocabulary():
    vocabulary = egonet.encode([("a", "b")], radius=1).vocabulary

    assert egonet.Stream(1, vocabulary=vocabulary).settings == vocabulary.settings
    with pytest.raises(InputError, match=r"learned with radius=\(1,\), got \(2,\)"):
        egonet.Stream(2, vocabulary=vocabulary)
