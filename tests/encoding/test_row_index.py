"""What names the rows of an encoding: nodes, pairs, events."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import egonet
from egonet import Encoding
from egonet.encoding.count import MemoryRows
from egonet.encoding.row_index import RowIndex
from egonet.errors import InputError, UnknownNodeError

SQUARE = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]


def events(times):
    """Rows of three events with the counts of the square's nodes a, b and c."""
    nodes = egonet.encode(SQUARE, 1, roots=["a", "b", "c"])
    index = RowIndex(
        ("source", "target", "time"),
        (np.array(["a", "b", "a"]), np.array(["b", "c", "b"]), times),
        "event",
    )
    return Encoding(MemoryRows(nodes.matrix, index, nodes.vocabulary, nodes.graph_ptr))


def test_numpy_and_pandas_take_the_counts_of_an_encoding():
    nodes, pairs = egonet.encode(SQUARE, 1), egonet.encode_pairs(SQUARE, [("a", "c")])

    # Every node of a square has degree 2 and two neighbors of degree 1; opposite corners share two neighbors.
    assert np.asarray(nodes).tolist() == [[1, 2]] * 4
    assert np.array(nodes, dtype=np.float32).dtype == np.float32
    assert pd.DataFrame(nodes).to_numpy().tolist() == [[1, 2]] * 4
    assert np.asarray(pairs).tolist() == [[2, 2]]
    with pytest.raises(ValueError, match="a dense array of them is always a copy"):
        np.array(nodes, copy=False)


def test_pairs_are_found_in_either_order_unless_the_order_counts():
    pairs = [("a", "c"), ("b", "a")]
    either, ordered = (egonet.encode_pairs(SQUARE, pairs, ordered=flag) for flag in (False, True))

    assert either[("c", "a")] == either[("a", "c")] == {(0, 2, 2): 2, (1, 1, 2): 2}
    assert ("c", "a") in either
    assert ("c", "a") not in ordered
    assert ordered[["b", "a"]] == {(0, 2, 1): 1, (1, 2, 2): 1, (2, 0, 1): 1, (2, 1, 2): 1}


@pytest.mark.parametrize("name", ["a", ("a",), ("a", "b", "c"), 7])
def test_a_pair_that_is_none_is_an_error_that_says_how_rows_are_named(name):
    with pytest.raises(InputError, match=r"^an encoding of pairs is indexed by \(source, target\)"):
        egonet.encode_pairs(SQUARE, [("a", "c")])[name]


def test_an_unknown_pair_names_the_end_that_is_unknown():
    encoding = egonet.encode_pairs(SQUARE, [("a", "c")])

    with pytest.raises(
        UnknownNodeError, match=r"^no row belongs to pair \('a', 'x'\)\. The nodes are 'a', 'c'\.$"
    ):
        encoding[("a", "x")]
    with pytest.raises(UnknownNodeError, match=r"^no row belongs to pair \('a', 'a'\)\.$"):
        encoding[("a", "a")]
    assert ("a", 1.0) not in encoding
    assert ("a", None) not in encoding


def test_a_record_of_numpy_is_a_pair_or_an_error():
    encoding = egonet.encode_pairs(SQUARE, [("a", "c")])
    text = np.array([("a", "c"), ("a", "x")], dtype=[("source", "U1"), ("target", "U1")])
    numbers = np.array([(0, 1)], dtype=[("source", int), ("target", int)])

    assert encoding[text[0]] == encoding[("a", "c")]
    assert text[1] not in encoding
    for ask in (encoding.__getitem__, encoding.similar):
        with pytest.raises(UnknownNodeError, match=r"^no row belongs to pair \(0, 1\)\."):
            ask(numbers[0])
        with pytest.raises(UnknownNodeError, match=r"^no row belongs to pair \('a', 'x'\)\."):
            ask(text[1])


@pytest.mark.parametrize(
    ("times", "wanted"),
    [
        (np.array([1, 2, 3]), 3),
        (np.array([0.5, 1.5, 2.5]), np.float64(2.5)),
        (
            np.array(["2024-01-01", "2024-01-02", "2024-01-03"], dtype="datetime64[ns]"),
            pd.Timestamp("2024-01-03"),
        ),
        (
            np.array(["2024-01-01", "2024-01-02", "2024-01-03"], dtype="datetime64[s]"),
            datetime.date(2024, 1, 3),
        ),
    ],
)
def test_events_are_named_by_their_ends_and_time_in_every_form(tmp_path, times, wanted):
    encoding = events(times)
    encoding.save(tmp_path / "events.npz")
    again = egonet.load(tmp_path / "events.npz")

    assert encoding[("a", "b", wanted)] == encoding[("a", "b", times[0])] == {(0, 2): 1, (1, 1): 2}
    assert list(encoding)[1] == ("b", "c", times[1])
    assert list(again) == list(encoding)
    assert again[("a", "b", wanted)] == {(0, 2): 1, (1, 1): 2}
    assert encoding.to_pandas().index.names == ["source", "target", "time"]
    assert encoding.to_polars()["time"].to_list() == pl.from_arrow(pa.array(times)).to_list()
    assert encoding.pairs.tolist() == [["a", "b"], ["b", "c"], ["a", "b"]]
    assert repr(encoding).startswith("Encoding('event', num_rows=3")


def test_rows_of_pairs_are_saved_and_loaded(tmp_path):
    graph = [(1, "a"), ("a", (2, "b")), ((2, "b"), 1), ("a", "c")]
    encoding = egonet.encode_pairs(graph, [(1, "c"), ((2, "b"), "a")], radius=(1, 2))
    encoding.save(tmp_path / "pairs.npz")

    again = egonet.load(tmp_path / "pairs.npz")

    assert list(again) == [(1, "c"), ((2, "b"), "a")]
    assert again[("c", 1)] == encoding[(1, "c")]
    assert again.settings == encoding.settings
    assert np.array_equal(np.asarray(again), np.asarray(encoding))
    assert (
        egonet.encode_pairs(graph, [("c", 1)], vocabulary=tmp_path / "pairs.npz")[(1, "c")] == again[(1, "c")]
    )


@pytest.mark.parametrize("call", ["update", "plot", "explore", "save"])
def test_methods_of_nodes_say_that_rows_are_pairs(tmp_path, call):
    encoding = egonet.encode_pairs(SQUARE, [("a", "c"), ("a", "b"), ("b", "c"), ("c", "d")])
    calls = {
        "update": lambda: encoding.update(added=[("a", "c")]),
        "plot": encoding.plot,
        "explore": encoding.explore,
        "save": lambda: encoding.save(tmp_path / "pairs.npz", graph=True),
    }

    with pytest.raises(InputError, match=r"rows of (pairs|nodes)|draws a whole graph"):
        calls[call]()
    with pytest.raises(InputError, match=r"rows of this encoding are nodes, not pairs"):
        egonet.encode(SQUARE, 1).pairs  # noqa: B018


def test_similar_pairs_are_those_with_nearest_rows():
    encoding = egonet.encode_pairs(SQUARE, [("a", "c"), ("a", "b"), ("b", "d")])

    assert encoding.similar(("a", "c"), k=1) == [(("b", "d"), 0)]


def test_ids_beyond_63_bits_stay_numbers_in_tables():
    encoding = egonet.encode([(2**63 + 1, 5), (5, 6)], 1)

    assert encoding.to_arrow()["node"].to_pylist() == [2**63 + 1, 5, 6]


def test_ids_that_are_the_same_text_are_an_error_in_tables(tmp_path):
    encoding = egonet.encode(egonet.Graph.from_edges([(("a", 1), "('a', 1)")]), 1)

    with pytest.raises(InputError, match=r"\('a', 1\) and .* are the same text\. Rename one, or write \.npz"):
        encoding.to_arrow()
