"""What makes a store the one asked for: the content of its input and how it is read; and what it can hold."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet import Graph, encode
from egonet.errors import FileError
from egonet.store.encode_store import encode_to_store


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("a,b,c\n1,2,3\n2,3,4\n4,1,1\n")
    return path


def test_other_columns_of_the_same_file_are_another_encoding(tmp_path, table):
    encode_to_store(table, tmp_path / "out", 1, source="a", target="b")

    said = r"out holds edges\.csv read with target 'b', not 'c'\. Choose another folder\."
    with pytest.raises(FileError, match=said):
        encode_to_store(table, tmp_path / "out", 1, source="a", target="c")
    with pytest.raises(FileError, match=r"read with directed None, not 'out'"):
        encode_to_store(table, tmp_path / "out", 1, source="a", target="b", directed="out")
    assert encode_to_store(table, tmp_path / "out", 1, source="a", target="b").nodes.tolist() == [1, 2, 3, 4]


def test_other_options_that_read_the_same_graph_are_no_other_encoding(tmp_path, table):
    table.write_text("source,target\n1,2\n")
    stored = encode_to_store(table, tmp_path / "out", 1)

    again = encode_to_store(table, tmp_path / "out", 1, source="source", target="target")

    assert again.manifest == stored.manifest


def test_a_file_changed_with_equal_size_and_time_is_noticed(tmp_path, table):
    encode_to_store(table, tmp_path / "out", 1, source="a", target="b")
    before = table.stat()
    table.write_text(table.read_text().replace("2,3,4", "2,4,4"))
    os.utime(table, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (table.stat().st_size, table.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)

    with pytest.raises(FileError, match=r"out holds the encoding of another graph\. Choose another folder\."):
        encode_to_store(table, tmp_path / "out", 1, source="a", target="b")


def test_a_damaged_graph_is_not_replaced_by_another(tmp_path, table):
    encode_to_store(table, tmp_path / "out", 1, source="a", target="b")
    (tmp_path / "out" / "graph-0000" / "indices.npy").write_bytes(b"")

    with pytest.raises(FileError, match=r"out holds the encoding of another graph\. Choose another folder\."):
        encode_to_store(table, tmp_path / "out", 1, source="a", target="c")


LABELS = st.one_of(
    st.lists(st.integers(-(2**70), 2**70), min_size=4, max_size=4),
    st.lists(st.booleans(), min_size=4, max_size=4),
    st.lists(st.text(max_size=3), min_size=4, max_size=4),
    st.lists(st.sampled_from([-1, "", "-1", "a\n", 7, "\ud800"]), min_size=4, max_size=4),
)
IDS = st.one_of(
    st.just([0, 1, 2, 3]),
    st.lists(st.text(min_size=1, max_size=3), min_size=4, max_size=4, unique=True),
    st.lists(st.tuples(st.integers(0, 9), st.text(max_size=1)), min_size=4, max_size=4, unique=True),
    st.just([7, "7", ("a", 1), "\ud800"]),
)
WORDS = st.fixed_dictionaries(
    {"degrees": st.sampled_from(["total", "layered", "full"])},
    optional={
        "frontier_edges": st.booleans(),
        "max_degree": st.integers(0, 3),
        "degree_bins": st.just("log"),
        "layout": st.just("paper"),
    },
)


@settings(max_examples=40, deadline=None)
@given(ids=IDS, labels=st.none() | LABELS, radius=st.sampled_from([0, 1, (2, 1)]), words=WORDS)
def test_what_can_be_encoded_can_be_stored_and_opened(tmp_path_factory, ids, labels, radius, words):
    graph = Graph.from_edges([(ids[a], ids[b]) for a, b in ((0, 1), (1, 2), (2, 0), (2, 3))])
    try:
        expected = encode(graph, radius, labels=labels, **words)
    except egonet.EgonetError:
        return
    folder = tmp_path_factory.mktemp("any") / "out"

    encode_to_store(graph, folder, radius, labels=labels, **words)

    stored = egonet.load(folder)
    assert stored.matrix.toarray().tolist() == expected.matrix.toarray().tolist()
    assert list(map(repr, stored.columns)) == list(map(repr, expected.columns))
    assert list(map(repr, stored.nodes.tolist())) == list(map(repr, expected.nodes.tolist()))
    assert np.array_equal(stored.graph.indices, graph.indices)
    encode_to_store(graph, folder, radius, labels=labels, **words)
