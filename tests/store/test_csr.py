"""Graphs as compressed rows in Parquet: read back as they were, and by another tool."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from contracts.parts import need, need_engine
from egonet import named
from egonet.errors import FileError, InputError
from egonet.store import csr, read_csr, write_csr

NODES = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), unique=True, min_size=2, max_size=6),
    st.lists(
        st.text("ab<'\u00e9 ", min_size=1, max_size=4).map("x".__add__), unique=True, min_size=2, max_size=6
    ),
    st.lists(st.integers(0, 2**64 - 1), unique=True, min_size=2, max_size=6),
    st.lists(st.sampled_from(["a", "a\0", "\0", "a\0b", "ab"]), unique=True, min_size=2, max_size=6),
    st.lists(st.tuples(st.integers(0, 3), st.text("xy", max_size=2)), unique=True, min_size=2, max_size=6),
)
LABELS = [1, 2**63, "x", "1", "x\0"]


@settings(max_examples=40, deadline=None)
@given(nodes=NODES, directed=st.sampled_from([False, "out", "in"]), data=st.data())
def test_a_graph_is_read_back_as_it_was(tmp_path_factory, nodes, directed, data):
    need("pyarrow")
    pairs = data.draw(st.lists(st.tuples(st.sampled_from(nodes), st.sampled_from(nodes)), max_size=8))
    labels = data.draw(
        st.none() | st.lists(st.sampled_from(LABELS), min_size=len(nodes), max_size=len(nodes))
    )
    named_labels = None if labels is None else dict(zip(nodes, labels, strict=True))
    graph = egonet.as_graph(pairs, nodes=nodes, directed=directed, labels=named_labels)

    again = read_csr(write_csr(graph, tmp_path_factory.mktemp("csr")))

    assert again.node_ids.tolist() == graph.node_ids.tolist()
    assert again.directed == graph.directed
    assert again.indptr.tolist() == graph.indptr.tolist()
    assert again.indices.tolist() == graph.indices.tolist()
    assert again == graph


@pytest.mark.parametrize("threads", ["1", "5"])
def test_row_groups_of_compressed_rows_are_read_in_their_order(tmp_path, monkeypatch, threads):
    need("pyarrow")
    monkeypatch.setattr(csr, "MAX_ROWS", 100)
    monkeypatch.setenv("EGONET_THREADS", threads)
    graph = named.grid(20, 20)

    write_csr(graph, tmp_path)

    assert (
        need("pyarrow.parquet", "pyarrow").read_metadata(tmp_path / "indices_graph.parquet").num_row_groups
        == 16
    )
    assert read_csr(tmp_path) == graph


def test_a_changed_byte_of_compressed_rows_is_noticed(tmp_path):
    need("pyarrow")
    write_csr(named.grid(20, 20), tmp_path)
    path = tmp_path / "indices_graph.parquet"
    data = bytearray(path.read_bytes())
    data[200] ^= 1
    path.write_bytes(data)

    with pytest.raises(FileError, match=r"indices_graph\.parquet is not Parquet, or is damaged"):
        read_csr(tmp_path)


def test_the_files_are_those_of_icebug_disk(tmp_path):
    parquet = need("pyarrow.parquet", "pyarrow")
    write_csr(
        egonet.as_graph([("a", "b"), ("b", "c")], labels={"a": "x", "b": "y", "c": "x"}), tmp_path, "friends"
    )

    nodes, indices, indptr = (
        parquet.read_table(tmp_path / f"{part}_friends.parquet") for part in ("nodes", "indices", "indptr")
    )
    assert nodes.to_pydict() == {"id": [0, 1, 2], "node": ["a", "b", "c"], "labels": ["x", "y", "x"]}
    assert indices.to_pydict() == {"target": [1, 0, 2, 1]}
    assert indptr.to_pydict() == {"ptr": [0, 1, 3, 4]}
    assert {str(table.schema.field(0).type) for table in (indices, indptr)} == {"uint64"}
    assert indices.schema.metadata[b"icebug_disk_version"] == b"1"
    assert (
        (tmp_path / "schema.cypher").read_text().startswith("CREATE NODE TABLE friends(id INT64, node STRING")
    )


def test_arcs_of_another_tool_are_followed_out(tmp_path):
    pyarrow, parquet = need("pyarrow"), need("pyarrow.parquet", "pyarrow")
    tables = {
        "nodes": {"id": [10, 20, 30]},
        "indices": {"target": np.array([1, 2, 2], dtype=np.uint64)},
        "indptr": {"ptr": np.array([0, 2, 3, 3], dtype=np.uint64)},
    }
    for part, columns in tables.items():
        parquet.write_table(pyarrow.table(columns), tmp_path / f"{part}_theirs.parquet")

    graph = read_csr(tmp_path)

    assert graph.directed == "out"
    assert graph.edges().tolist() == [[10, 20], [10, 30], [20, 30]]


@pytest.mark.parametrize(
    ("nodes", "target", "ptr", "message"),
    [
        ([10, 20], np.array([2**32 + 1, 2**32], dtype=np.uint64), [0, 1, 2], "target must be at most"),
        ([10, 20], [1.5, 0.0], [0, 1, 2], "target must be whole numbers"),
        ([10, 20], [1, 0], [0.0, 1.2, 2.0], "ptr must be whole numbers"),
        ([10, 20], [1, None], [0, 1, 2], "target must be whole numbers, got 1 nulls"),
        ([10, 20], np.array([1, 0]), np.array([0, 1, 2**64 - 1], dtype=np.uint64), "ptr must be at most"),
        ([0], [1, 0], [0, 1, 2], "1 nodes, but 2 rows of neighbors"),
        (None, [1, 0], [0, 1, 2], "0 nodes, but 2 rows of neighbors"),
    ],
)
def test_numbers_of_another_tool_are_never_rounded_or_cut(tmp_path, nodes, target, ptr, message):
    pyarrow, parquet = need("pyarrow"), need("pyarrow.parquet", "pyarrow")
    tables = {
        "nodes": {} if nodes is None else {"id": nodes},
        "indices": {"target": target},
        "indptr": {"ptr": ptr},
    }
    for part, columns in tables.items():
        parquet.write_table(pyarrow.table(columns), tmp_path / f"{part}_theirs.parquet")

    with pytest.raises(FileError, match=message):
        read_csr(tmp_path)


@pytest.mark.parametrize("part", ["nodes", "indices", "indptr"])
def test_files_of_two_graphs_are_not_read_as_one(tmp_path, part):
    need("pyarrow")
    write_csr(egonet.as_graph([(0, 1), (2, 3)]), tmp_path / "one")
    write_csr(egonet.as_graph([(0, 2), (1, 3)]), tmp_path / "two")
    name = f"{part}_graph.parquet"
    (tmp_path / "one" / name).write_bytes((tmp_path / "two" / name).read_bytes())

    with pytest.raises(FileError, match="has files of several graphs"):
        read_csr(tmp_path / "one")


@pytest.mark.parametrize("part", ["nodes", "indices", "indptr"])
@pytest.mark.parametrize("damage", ["removed", "cut", "other"])
def test_damage_is_one_sentence(tmp_path, part, damage):
    pyarrow, parquet = need("pyarrow"), need("pyarrow.parquet", "pyarrow")
    write_csr(named.karate_club(), tmp_path)
    path = tmp_path / f"{part}_graph.parquet"
    if damage == "removed":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:-9])
    else:
        parquet.write_table(pyarrow.table({"other": [1.5]}), path)

    with pytest.raises(FileError, match="has files of several graphs" if damage == "other" else None):
        read_csr(tmp_path)


def test_what_has_no_place_is_an_error(tmp_path):
    need("pyarrow")
    graph = egonet.as_graph([("a", "b")], edge_labels={("a", "b"): "single"})

    with pytest.raises(
        InputError, match=r"compressed rows have no place for edge_labels\..*graph\.to_arrow\(\)"
    ):
        write_csr(graph, tmp_path)
    with pytest.raises(InputError, match="name must be letters"):
        write_csr(named.path("ab"), tmp_path, "a/b")
    with pytest.raises(InputError, match="name must be letters"):
        write_csr(named.path("ab"), tmp_path, 5)
    with pytest.raises(InputError, match="ids of type frozenset cannot be saved"):
        write_csr(egonet.as_graph([(frozenset("a"), frozenset("b"))]), tmp_path / "none")
    assert not (tmp_path / "none").exists()
    with pytest.raises(FileError, match="must have one graph in compressed rows, it has none"):
        read_csr(tmp_path)


def test_edges_and_rows_are_streams_of_arrow():
    pyarrow, polars = need("pyarrow"), need("polars")
    graph = egonet.as_graph([("a", "b"), ("b", "c")], weights={("a", "b"): 2.0, ("b", "c"): 3.5})

    assert polars.DataFrame(graph).to_dict(as_series=False) == {
        "source": ["a", "b"],
        "target": ["b", "c"],
        "weights": [2.0, 3.5],
    }
    rows = egonet.encode([("a", "b"), ("b", "c")], radius=1)
    assert pyarrow.table(rows).to_pydict() == rows.to_arrow().to_pydict()


def test_any_producer_of_arrow_is_a_table_of_edges():
    class Producer:
        def __arrow_c_stream__(self, requested_schema=None):
            return need("pyarrow").table({"source": ["a", "b"], "target": ["b", "c"]}).__arrow_c_stream__()

    assert egonet.as_graph(Producer(), directed=False).edges().tolist() == [["a", "b"], ["b", "c"]]


ICEBUG = """
import sys, icebug
from pyarrow import parquet
indices, indptr = (parquet.read_table(f"{sys.argv[1]}/{part}_graph.parquet").column(0).combine_chunks()
                   for part in ("indices", "indptr"))
graph = icebug.Graph.fromCSR(len(indptr) - 1, False, indices, indptr)
print(graph.numberOfNodes(), graph.numberOfEdges(), sorted(graph.degree(v) for v in graph.iterNodes()))
"""


@pytest.mark.long
def test_icebug_opens_what_egonet_wrote(tmp_path):
    need_engine("icebug")
    club = named.karate_club()
    write_csr(club, tmp_path)

    done = subprocess.run(
        [sys.executable, "-c", ICEBUG, str(tmp_path)], capture_output=True, text=True, check=False
    )

    assert done.stdout.strip() == f"34 78 {sorted(club.degrees.tolist())}", done.stderr[-2000:]


def test_compressed_rows_take_what_as_graph_takes(tmp_path):
    pairs = [("b", "a"), ("b", "c")]

    assert read_csr(write_csr(pairs, tmp_path / "pairs")) == egonet.as_graph(pairs)
    with pytest.raises(InputError, match="1 of 2 rows have a missing id"):
        write_csr([("a", None), ("b", "c")], tmp_path / "missing")


@pytest.mark.parametrize("as_path", [True, False])
def test_a_store_is_exported_with_its_labels_and_made_again(tmp_path, as_path):
    labels = {"a": "x", "b": "y", "c": "x", "z": "y"}
    graph = egonet.as_graph([("a", "b"), ("b", "c")], nodes=["a", "b", "c", "z"], labels=labels)
    stored = egonet.store.encode(graph, tmp_path / "store", radius=1)

    assert stored.graph == graph
    again = read_csr(write_csr(tmp_path / "store" if as_path else stored.graph, tmp_path / "rows"))
    assert again == graph
    made = egonet.store.encode(again, tmp_path / "again", radius=1)
    assert made.matrix.toarray().tolist() == stored.matrix.toarray().tolist()
    assert made.feature_names == stored.feature_names


def test_a_store_with_types_of_edges_is_not_exported_without_them(tmp_path):
    need("pyarrow")
    graph = egonet.as_graph([("a", "b"), ("b", "c")], edge_labels=["p", "q"])
    egonet.store.encode(graph, tmp_path / "store", radius=1)

    with pytest.raises(InputError, match="compressed rows have no place for edge_labels"):
        write_csr(tmp_path / "store", tmp_path / "rows")
    assert not (tmp_path / "rows").exists()
    with pytest.raises(FileError, match="is not an encoding that egonet stored"):
        write_csr(tmp_path, tmp_path / "rows")


@pytest.mark.parametrize("part", ["nodes", "indices", "indptr"])
def test_a_changed_bit_in_a_page_raises(tmp_path, part):
    need("pyarrow")
    write_csr(named.path(["ann", "bob", "cid"]), tmp_path)
    file = tmp_path / f"{part}_graph.parquet"
    data = file.read_bytes()
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    wrong = []
    for place in range(4, footer, 2):
        file.write_bytes(data[:place] + bytes([data[place] ^ 1 << place // 2 % 8]) + data[place + 1 :])
        try:
            graph = read_csr(tmp_path)
        except FileError:
            continue
        if graph.edges().tolist() != [["ann", "bob"], ["bob", "cid"]]:
            wrong.append((place, graph.node_ids.tolist()))

    assert wrong == []
