"""Stores equal the encoding in memory, after any interruption or damage."""

import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from contracts.stores import assert_same, content, kill_everywhere, random_pairs
from egonet import Graph, encode, named, read_graph, store
from egonet.errors import FileError, InputError, OutputError, UnknownNodeError
from egonet.store.manifest import read_manifest, write_manifest


@pytest.mark.parametrize(
    ("radius", "options"),
    [
        (0, {}),
        (1, {}),
        (2, {"degrees": "full"}),
        ((2, 1), {"degree_bins": "log"}),
        (2, {"layout": "paper"}),
        (2, {"max_degree": 3, "frontier_edges": False, "degrees": "layered"}),
    ],
)
def test_a_store_equals_the_encoding_in_memory(tmp_path, small_blocks, edges_file, radius, options):
    stored = store.encode(edges_file, tmp_path / "out", radius, **options)

    assert len(stored.manifest["blocks"]) == 7
    expected = encode(read_graph(edges_file), radius, **options)
    assert_same(egonet.load(tmp_path / "out"), expected)
    assert stored.rows(10, 40).toarray().tolist() == expected.matrix[10:40].toarray().tolist()
    assert stored[7] == expected[7]
    assert stored.classes.tolist() == expected.classes.tolist()


def test_empty_graphs_and_isolated_nodes_can_be_stored(tmp_path):
    assert store.encode(Graph.from_edges([], 0), tmp_path / "empty", 1).matrix.shape == (0, 0)
    assert store.encode(Graph.from_edges([], 2), tmp_path / "lonely", 1)[1] == {(0, 0): 1}


def test_a_call_killed_at_every_write_ends_with_the_same_bytes(tmp_path, small_blocks, edges_file):
    store.encode(edges_file, tmp_path / "whole", (1, 2))

    killed = kill_everywhere(lambda: store.encode(edges_file, tmp_path / "out", (1, 2)))

    assert killed >= 5
    assert content(tmp_path / "out") == content(tmp_path / "whole")


def test_a_killed_process_can_be_repeated(tmp_path):
    np.savetxt(tmp_path / "edges.txt", random_pairs(20_000, 60_000), fmt="%d")
    program = (
        "import sys; from importlib import import_module; encode_store = import_module('egonet.store.encode'); "
        "encode_store.LEAST_BLOCK = 400; "
        "encode_store.encode(sys.argv[1], sys.argv[2], 2, threads=1)"
    )

    def start(out):
        return subprocess.Popen([sys.executable, "-c", program, tmp_path / "edges.txt", tmp_path / out])

    assert start("whole").wait() == 0
    process = start("out")
    while len(list(tmp_path.glob("out/block-*"))) < 5 and process.poll() is None:
        time.sleep(0.001)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    with pytest.raises(FileError, match=r"is not finished\. Run the same command again"):
        egonet.load(tmp_path / "out")
    kept = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("out/block-*")}
    assert start("out").wait() == 0

    assert content(tmp_path / "out") == content(tmp_path / "whole")
    assert all((tmp_path / "out" / name).stat().st_mtime_ns == changed for name, changed in kept.items())


@pytest.mark.parametrize("damage", ["flip", "cut", "remove", "manifest"])
def test_a_damaged_block_is_counted_again(tmp_path, small_blocks, edges_file, damage):
    store.encode(edges_file, tmp_path / "out", 2)
    whole = content(tmp_path / "out")
    file = tmp_path / "out" / "block-000003-0000" / "counts.npy"
    data = bytearray(file.read_bytes())
    if damage == "flip":
        data[-3] ^= 1
        file.write_bytes(data)
    elif damage == "cut":
        file.write_bytes(data[:-8])
    elif damage == "remove":
        shutil.rmtree(file.parent)
    else:
        (file.parent / "manifest.json").write_text("{}")
    assert content(tmp_path / "out") != whole

    store.encode(edges_file, tmp_path / "out", 2)

    assert content(tmp_path / "out") == whole


def test_a_damaged_graph_is_built_again(tmp_path, edges_file):
    store.encode(edges_file, tmp_path / "out", 1)
    whole = content(tmp_path / "out")
    (tmp_path / "out" / "graph-0000" / "indices.npy").write_bytes(b"")

    store.encode(edges_file, tmp_path / "out", 1)

    assert content(tmp_path / "out") == whole


def test_a_call_that_failed_before_it_stored_the_graph_fixes_no_settings(tmp_path):
    edges, out = tmp_path / "payments.csv", tmp_path / "out"
    edges.write_text("payer,payee\n1,2\n2,3\n")
    with pytest.raises(FileError, match="may name columns or be data"):
        store.encode(edges, out, 1)

    encoding = store.encode(edges, out, 2, degree_bins="log", header=True)

    assert encoding[1] == {(0, 1): 1, (1, 2): 1, (2, 1): 1}
    with pytest.raises(FileError, match=r"out has an encoding with radius \[2\], not \[1\]"):
        store.encode(edges, out, 1, degree_bins="log", header=True)


def test_another_encoding_in_the_same_folder_raises(tmp_path, edges_file):
    out = tmp_path / "out"
    store.encode(edges_file, out, 1)
    other = tmp_path / "other.txt"
    other.write_text("1 2\n")

    with pytest.raises(
        FileError, match=r"out has an encoding with radius \[1\], not \[2\]\. Choose another folder\."
    ):
        store.encode(edges_file, out, 2)
    with pytest.raises(FileError, match=r"with degrees 'total', not 'full'"):
        store.encode(edges_file, out, 1, degrees="full")
    with pytest.raises(FileError, match=r"out has the encoding of another graph\. Choose another folder\."):
        store.encode(other, out, 1)
    write_manifest(out, read_manifest(out, "a store") | {"version": "0.0.1", "complete": False})
    with pytest.raises(FileError, match=r"out was started by egonet 0\.0\.1, this is"):
        store.encode(edges_file, out, 1)


def test_the_same_edges_in_another_file_are_the_same_graph(tmp_path, edges_file):
    store.encode(edges_file, tmp_path / "out", 1)
    shutil.copy(edges_file, tmp_path / "copy.txt")

    assert store.encode(tmp_path / "copy.txt", tmp_path / "out", 1).rows(0, 1).shape[0] == 1


def test_folders_without_a_store_raise(tmp_path, edges_file):
    with pytest.raises(FileError, match=r"is not empty and has no store: 'edges\.txt'"):
        store.encode(edges_file, tmp_path, 1)
    with pytest.raises(FileError, match="is not an encoding that egonet stored"):
        egonet.load(tmp_path)


def test_a_second_writer_raises(tmp_path, edges_file):
    from egonet.store.manifest import lock_folder

    with (
        lock_folder(tmp_path / "out"),
        pytest.raises(OutputError, match=r"another process is writing to .*out"),
    ):
        store.encode(edges_file, tmp_path / "out", 1)


def test_a_store_keeps_labels(tmp_path, small_blocks):
    graph = Graph.from_edges(random_pairs(60, 150).tolist(), 60)
    labels = [f"kind {node % 3}" for node in range(60)]

    stored = store.encode(graph, tmp_path / "out", (1, 2), labels=labels)

    expected = encode(graph, (1, 2), labels=labels)
    assert_same(stored, expected)
    assert stored.columns == expected.columns
    assert stored.in_memory().labels.tolist() == [node % 3 for node in range(60)]
    again = store.encode(graph, tmp_path / "out", (1, 2), labels=dict(enumerate(labels)))
    assert again.manifest == stored.manifest
    with pytest.raises(FileError, match=r"has an encoding with other labels\. Choose another folder\."):
        store.encode(graph, tmp_path / "out", (1, 2), labels=labels[::-1])
    with pytest.raises(FileError, match=r"has an encoding with other labels\. Choose another folder\."):
        store.encode(graph, tmp_path / "out", (1, 2))
    with pytest.raises(InputError, match="a store with labels, edge types or chosen roots cannot be updated"):
        store.update(tmp_path / "out", added=[(0, 1)])


def test_a_store_has_rows_of_chosen_roots_only(tmp_path):
    graph = named.path("abcde")

    stored = store.encode(graph, tmp_path / "out", 1, roots=["d", "a"])

    assert_same(stored, encode(graph, 1, roots=["d", "a"]))
    assert stored["a"] == {(0, 1): 1, (1, 1): 1}
    assert stored.in_memory()["d"] == {(0, 2): 1, (1, 1): 2}
    with pytest.raises(UnknownNodeError, match="no row belongs to node 'b'"):
        stored["b"]
    with pytest.raises(FileError, match=r"has an encoding of other roots\. Choose another folder\."):
        store.encode(graph, tmp_path / "out", 1, roots=["a", "d"])


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("a,b,c\n1,2,3\n2,3,4\n4,1,1\n")
    return path


def test_other_columns_of_the_same_file_raise(tmp_path, table):
    store.encode(table, tmp_path / "out", 1, source="a", target="b")

    said = r"out has edges\.csv read with target 'b', not 'c'\. Choose another folder\."
    with pytest.raises(FileError, match=said):
        store.encode(table, tmp_path / "out", 1, source="a", target="c")
    with pytest.raises(FileError, match=r"read with directed None, not 'out'"):
        store.encode(table, tmp_path / "out", 1, source="a", target="b", directed="out")
    assert store.encode(table, tmp_path / "out", 1, source="a", target="b").nodes.tolist() == [1, 2, 3, 4]


def test_other_options_that_read_the_same_graph_are_accepted(tmp_path, table):
    table.write_text("source,target\n1,2\n")
    stored = store.encode(table, tmp_path / "out", 1)

    again = store.encode(table, tmp_path / "out", 1, source="source", target="target")

    assert again.manifest == stored.manifest


def test_a_file_changed_with_equal_size_and_time_raises(tmp_path, table):
    store.encode(table, tmp_path / "out", 1, source="a", target="b")
    before = table.stat()
    table.write_text(table.read_text().replace("2,3,4", "2,4,4"))
    os.utime(table, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (table.stat().st_size, table.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)

    with pytest.raises(FileError, match=r"out has the encoding of another graph\. Choose another folder\."):
        store.encode(table, tmp_path / "out", 1, source="a", target="b")


def test_a_damaged_graph_is_not_replaced_by_another(tmp_path, table):
    store.encode(table, tmp_path / "out", 1, source="a", target="b")
    (tmp_path / "out" / "graph-0000" / "indices.npy").write_bytes(b"")

    with pytest.raises(FileError, match=r"out has the encoding of another graph\. Choose another folder\."):
        store.encode(table, tmp_path / "out", 1, source="a", target="c")


LABELS = st.one_of(
    st.lists(st.integers(-(2**70), 2**70), min_size=4, max_size=4),
    st.lists(st.booleans(), min_size=4, max_size=4),
    st.lists(st.text(max_size=3), min_size=4, max_size=4),
    st.lists(st.sampled_from([-1, "", "-1", "a\n", 7, "é"]), min_size=4, max_size=4),
)


IDS = st.one_of(
    st.just([0, 1, 2, 3]),
    st.lists(st.text(min_size=1, max_size=3), min_size=4, max_size=4, unique=True),
    st.lists(st.tuples(st.integers(0, 9), st.text(max_size=1)), min_size=4, max_size=4, unique=True),
    st.just([7, "8", ("a", 1), "\u2028"]),
)


SETTINGS = st.fixed_dictionaries(
    {"degrees": st.sampled_from(["total", "layered", "full"])},
    optional={
        "frontier_edges": st.booleans(),
        "max_degree": st.integers(0, 3),
        "degree_bins": st.just("log"),
        "layout": st.just("paper"),
    },
)


@settings(max_examples=40, deadline=None)
@given(ids=IDS, labels=st.none() | LABELS, radius=st.sampled_from([0, 1, (2, 1)]), options=SETTINGS)
def test_every_encoding_can_be_stored_and_opened(tmp_path_factory, ids, labels, radius, options):
    graph = Graph.from_edges([(ids[a], ids[b]) for a, b in ((0, 1), (1, 2), (2, 0), (2, 3))])
    try:
        expected = encode(graph, radius, labels=labels, **options)
    except egonet.EgonetError:
        return
    folder = tmp_path_factory.mktemp("any") / "out"

    store.encode(graph, folder, radius, labels=labels, **options)

    stored = egonet.load(folder)
    assert stored.matrix.toarray().tolist() == expected.matrix.toarray().tolist()
    assert list(map(repr, stored.columns)) == list(map(repr, expected.columns))
    assert list(map(repr, stored.nodes.tolist())) == list(map(repr, expected.nodes.tolist()))
    assert np.array_equal(stored.graph.indices, graph.indices)
    store.encode(graph, folder, radius, labels=labels, **options)


def test_settings_and_keywords_give_the_same_store(tmp_path, edges_file):
    by_record = store.encode(edges_file, tmp_path / "a", egonet.Settings((1, 2), degrees="full"))
    by_keywords = store.encode(str(edges_file), str(tmp_path / "b"), radius=(1, 2), degrees="full")

    assert content(tmp_path / "a") == content(tmp_path / "b")
    assert by_record.vocabulary.settings == by_keywords.vocabulary.settings


@pytest.mark.parametrize(
    ("graph", "options", "message"),
    [
        (
            [named.path(3), named.cycle(3)],
            {},
            r"a store contains one graph, got several\. Encode them one by one",
        ),
        (
            [("a", "b")],
            {"header": True},
            r"header is for edge lists in files, got header=True\. Leave it out",
        ),
        ([("a", "b")], {"radiu": 1}, "there is no option 'radiu'. Did you mean 'radius'"),
        ([("a", "b")], {"common": True}, "does not support common=True"),
        ([("a", "b")], {"threads": 0}, "threads must be at least 1, got 0"),
        ([("a", "b")], {"memory": "two"}, "must be a number of bytes or text such as '2GB', got 'two'"),
        ([("a", "b")], {"progress": "yes"}, "progress must be True, False or a function"),
        ("missing.txt", {}, "missing.txt"),
    ],
)
def test_invalid_arguments_raise_before_anything_is_written(tmp_path, graph, options, message):
    with pytest.raises(egonet.EgonetError, match=message):
        store.encode(graph, tmp_path / "out", **options)

    assert not (tmp_path / "out").exists()


def test_progress_ends_with_all_roots(tmp_path):
    calls = []

    store.encode(named.path(5), tmp_path / "out", 1, progress=lambda done, total: calls.append((done, total)))

    assert calls == [(5, 5)]


def test_importing_the_store_loads_no_heavy_package():
    code = (
        "import sys, egonet.store; print([n for n in ('pyspark', 'pyarrow', 'pandas') if n in sys.modules])"
    )

    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize("order", [1, -1])
def test_another_file_of_the_same_size_is_another_graph(tmp_path, order):
    """Whichever of the two has the larger checksum."""
    first, second = ("1 2\n2 3\n", "1 2\n1 3\n3 4\n"[:8])[::order]
    assert len(first) == len(second)
    (tmp_path / "edges.txt").write_text(first)
    store.encode(tmp_path / "edges.txt", tmp_path / "out", 1)
    (tmp_path / "edges.txt").write_text(second)

    with pytest.raises(FileError, match=r"out has the encoding of another graph"):
        store.encode(tmp_path / "edges.txt", tmp_path / "out", 1)


def test_every_row_of_a_store_is_that_of_the_encoding_in_memory(tmp_path):
    graph = Graph.from_edges(random_pairs(40, 90).tolist())
    stored = store.encode(graph, tmp_path / "out", 2, memory=3000)

    assert len(stored.manifest["blocks"]) > 1
    assert [stored[node] for node in graph.node_ids] == [encode(graph, 2)[node] for node in graph.node_ids]


def test_settings_of_an_encoding_with_edge_types_say_what_was_asked_alone(tmp_path):
    typed = encode(named.path("abc"), 1, edge_labels=["x", "y"]).settings

    stored = store.encode(named.path("abc"), tmp_path / "out", typed)

    assert stored["b"] == encode(named.path("abc"), 1)["b"]


def test_memory_without_its_unit_is_refused(tmp_path):
    with pytest.raises(
        InputError, match=r"memory must be at least 300 bytes, got 2\. Give its unit, as in '2GB'\."
    ):
        store.encode([("a", "b")], tmp_path / "out", 1, memory=2)

    assert not (tmp_path / "out").exists()
