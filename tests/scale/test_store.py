"""Stores: the same numbers as in memory, whatever is killed, damaged or changed meanwhile."""

import hashlib
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
from egonet import Graph, encode, named, read_graph
from egonet.errors import FileError, InputError, OutputError, UnknownNodeError
from egonet.store import encode_store as store_module
from egonet.store import update_store as update_module
from egonet.store.encode_store import encode_to_store
from egonet.store.manifest import read_manifest, write_manifest
from egonet.store.update_store import update_store


def random_pairs(num_nodes, num_edges, seed=0):
    return np.random.default_rng(seed).integers(0, num_nodes, (num_edges, 2))


def assert_same(stored, expected):
    for name in ("indptr", "indices", "data"):
        ours, theirs = getattr(stored.matrix, name), getattr(expected.matrix, name)
        assert ours.dtype == theirs.dtype, name
        assert ours.tobytes() == theirs.tobytes(), name
    assert stored.vocabulary.keys.tolist() == expected.vocabulary.keys.tolist()
    assert stored.nodes.tolist() == expected.nodes.tolist()


def content(folder):
    """Return what every file of a store holds, by its name."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(store_module, "LEAST_BLOCK", 16)


@pytest.fixture
def edges_file(tmp_path):
    path = tmp_path / "edges.txt"
    np.savetxt(path, random_pairs(100, 300), fmt="%d")
    return path


@pytest.mark.parametrize(
    ("radius", "words"),
    [
        (0, {}),
        (1, {}),
        (2, {"degrees": "full"}),
        ((2, 1), {"degree_bins": "log"}),
        (2, {"layout": "paper"}),
        (2, {"max_degree": 3, "frontier_edges": False, "degrees": "layered"}),
    ],
)
def test_a_store_holds_what_encode_returns(tmp_path, small_blocks, edges_file, radius, words):
    stored = encode_to_store(edges_file, tmp_path / "out", radius, **words)

    assert len(stored.manifest["blocks"]) == 7
    expected = encode(read_graph(edges_file), radius, **words)
    assert_same(egonet.load(tmp_path / "out"), expected)
    assert stored.rows(10, 40).toarray().tolist() == expected.matrix[10:40].toarray().tolist()
    assert stored[7] == expected[7]
    assert stored.classes.tolist() == expected.classes.tolist()


def test_the_empty_graph_and_isolated_nodes_have_stores(tmp_path):
    assert encode_to_store(Graph.from_edges([], 0), tmp_path / "empty", 1).matrix.shape == (0, 0)
    assert encode_to_store(Graph.from_edges([], 2), tmp_path / "lonely", 1)[1] == {(0, 0): 1}


def test_a_store_opens_without_reading_its_blocks(tmp_path):
    encode_to_store(named.grid(300, 300), tmp_path / "out", 2)

    began = time.perf_counter()
    stored = egonet.load(tmp_path / "out")
    rows = stored.rows(40_000, 40_010)
    seconds = time.perf_counter() - began

    assert rows.shape == (10, len(stored.vocabulary))
    assert "matrix" not in vars(stored)
    assert seconds < 0.1


def run_until_write(call, number):
    """Run a call in a child that dies, as if by kill -9, at its n-th rename; return whether it died."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] != 0
    count = 0

    def dying(original):
        def rename(*arguments):
            nonlocal count
            count += 1
            if count == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return original(*arguments)

        return rename

    os.rename, os.replace = dying(os.rename), dying(os.replace)
    try:
        call()
        os._exit(0)
    except BaseException:  # noqa: BLE001
        os._exit(3)


def kill_everywhere(call):
    """Kill a call at its first rename, go on and kill it at its second, ...; return how often it was killed."""
    killed = 0
    while run_until_write(call, killed + 1):
        killed += 1
        assert killed < 100, "the call makes no progress"
    return killed


def test_killed_at_every_write_the_same_call_gives_the_same_bytes(tmp_path, small_blocks, edges_file):
    encode_to_store(edges_file, tmp_path / "whole", (1, 2))

    killed = kill_everywhere(lambda: encode_to_store(edges_file, tmp_path / "out", (1, 2)))

    assert killed >= 5
    assert content(tmp_path / "out") == content(tmp_path / "whole")


def test_killed_with_minus_nine_the_same_command_finishes(tmp_path):
    np.savetxt(tmp_path / "edges.txt", random_pairs(20_000, 60_000), fmt="%d")
    program = (
        "import sys; from egonet.store import store; store.LEAST_BLOCK = 400; "
        "store.encode_to_store(sys.argv[1], sys.argv[2], 2, threads=1)"
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
def test_a_damaged_block_is_found_and_counted_again(tmp_path, small_blocks, edges_file, damage):
    encode_to_store(edges_file, tmp_path / "out", 2)
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

    encode_to_store(edges_file, tmp_path / "out", 2)

    assert content(tmp_path / "out") == whole


def test_a_damaged_graph_is_built_again(tmp_path, edges_file):
    encode_to_store(edges_file, tmp_path / "out", 1)
    whole = content(tmp_path / "out")
    (tmp_path / "out" / "graph-0000" / "indices.npy").write_bytes(b"")

    encode_to_store(edges_file, tmp_path / "out", 1)

    assert content(tmp_path / "out") == whole


def test_another_encoding_in_the_same_folder_is_refused(tmp_path, edges_file):
    out = tmp_path / "out"
    encode_to_store(edges_file, out, 1)
    other = tmp_path / "other.txt"
    other.write_text("1 2\n")

    with pytest.raises(
        FileError, match=r"out holds an encoding with radius \[1\], not \[2\]\. Choose another folder\."
    ):
        encode_to_store(edges_file, out, 2)
    with pytest.raises(FileError, match=r"with degrees 'total', not 'full'"):
        encode_to_store(edges_file, out, 1, degrees="full")
    with pytest.raises(FileError, match=r"out holds the encoding of another graph\. Choose another folder\."):
        encode_to_store(other, out, 1)
    write_manifest(out, read_manifest(out, "a store") | {"version": "0.0.1"})
    with pytest.raises(FileError, match=r"out was begun by egonet 0\.0\.1, this is"):
        encode_to_store(edges_file, out, 1)


def test_the_same_edges_in_another_file_are_the_same_graph(tmp_path, edges_file):
    encode_to_store(edges_file, tmp_path / "out", 1)
    shutil.copy(edges_file, tmp_path / "copy.txt")

    assert encode_to_store(tmp_path / "copy.txt", tmp_path / "out", 1).rows(0, 1).shape[0] == 1


def test_folders_that_are_no_stores_are_refused(tmp_path, edges_file):
    with pytest.raises(FileError, match=r"is not empty and holds no encoding: 'edges\.txt'"):
        encode_to_store(edges_file, tmp_path, 1)
    with pytest.raises(FileError, match="is not an encoding that egonet stored"):
        egonet.load(tmp_path)


def test_two_writers_do_not_share_a_folder(tmp_path, edges_file):
    from egonet.store.lock import locked

    with (
        locked(tmp_path / "out"),
        pytest.raises(OutputError, match=r"another process is writing to .*out"),
    ):
        encode_to_store(edges_file, tmp_path / "out", 1)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0, 1, 2, (2, 1)]), st.sampled_from(["total", "full"]))
def test_an_updated_store_equals_a_new_one(tmp_path_factory, seed, radius, degrees):
    folder, rng = tmp_path_factory.mktemp("store"), np.random.default_rng(seed)
    graph = Graph.from_edges(random_pairs(40, 60, seed), 40)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store_module, "LEAST_BLOCK", 16)
        encode_to_store(graph, folder / "out", radius, degrees=degrees)
    source = np.repeat(np.arange(40), graph.degrees)
    edges = [(a, b) for a, b in zip(source.tolist(), graph.indices.tolist(), strict=True) if a < b]
    removed = [edges[i] for i in rng.choice(len(edges), 3, replace=False)]
    added = [pair for pair in rng.integers(0, 42, (4, 2)).tolist() if tuple(sorted(pair)) not in removed]

    stored = update_store(folder / "out", added, removed)

    assert_same(stored, encode(graph, radius, degrees=degrees).update(added, removed))
    assert update_store(folder / "out", added, removed).manifest == stored.manifest
    assert sorted(path.name for path in (folder / "out").glob("graph-*")) == ["graph-0001"]


def test_an_update_killed_at_every_write_gives_the_same_bytes(tmp_path, small_blocks, edges_file):
    added, removed = [(1, 2), (3, 1_000)], [(7, read_graph(edges_file).neighbors(7)[0])]
    for out in ("out", "whole"):
        encode_to_store(edges_file, tmp_path / out, 2)
    update_store(tmp_path / "whole", added, removed)

    killed = kill_everywhere(lambda: update_store(tmp_path / "out", added, removed))

    assert killed >= 3
    assert content(tmp_path / "out") == content(tmp_path / "whole")


def test_a_directed_store_is_not_updated(tmp_path, edges_file):
    encode_to_store(edges_file, tmp_path / "out", 1, directed="out")

    with pytest.raises(InputError, match="a store of a directed graph cannot be updated"):
        update_store(tmp_path / "out", [(1, 2)])


def test_an_update_killed_before_its_cleaning_is_cleaned_by_the_next(tmp_path, small_blocks, edges_file):
    for out in ("out", "whole"):
        encode_to_store(edges_file, tmp_path / out, 2)
    update_store(tmp_path / "whole", [(1, 2)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(update_module, "remove_leftovers", lambda *_: None)
        update_store(tmp_path / "out", [(1, 2)])
    assert (tmp_path / "out" / "graph-0000").exists()

    update_store(tmp_path / "out", [(1, 2)])

    assert content(tmp_path / "out") == content(tmp_path / "whole")
    assert not (tmp_path / "out" / "graph-0000").exists()


def test_what_another_update_left_unfinished_is_not_taken_over(tmp_path, small_blocks, edges_file):
    for out in ("out", "whole"):
        encode_to_store(edges_file, tmp_path / out, 2)
    run_until_write(lambda: update_store(tmp_path / "out", [(1, 50), (2, 60)]), 6)
    assert (tmp_path / "out" / "graph-0001").exists()

    update_store(tmp_path / "out", [(3, 70)])
    update_store(tmp_path / "whole", [(3, 70)])

    assert content(tmp_path / "out") == content(tmp_path / "whole")


def test_labels_are_kept_with_a_store(tmp_path, small_blocks):
    graph = Graph.from_edges(random_pairs(60, 150).tolist(), 60)
    labels = [f"kind {node % 3}" for node in range(60)]

    stored = encode(graph, (1, 2), labels=labels, engine="disk", store=tmp_path / "out")

    expected = encode(graph, (1, 2), labels=labels)
    assert_same(stored, expected)
    assert stored.columns == expected.columns
    assert stored.in_memory().labels.tolist() == [node % 3 for node in range(60)]
    again = encode_to_store(graph, tmp_path / "out", (1, 2), labels=dict(enumerate(labels)))
    assert again.manifest == stored.manifest
    with pytest.raises(FileError, match=r"holds an encoding with other labels\. Choose another folder\."):
        encode_to_store(graph, tmp_path / "out", (1, 2), labels=labels[::-1])
    with pytest.raises(FileError, match=r"holds an encoding with other labels\. Choose another folder\."):
        encode_to_store(graph, tmp_path / "out", (1, 2))
    with pytest.raises(InputError, match="a store with labels or chosen roots cannot be updated"):
        update_store(tmp_path / "out", added=[(0, 1)])


def test_chosen_roots_alone_have_rows_in_a_store(tmp_path):
    graph = named.path("abcde")

    stored = encode(graph, 1, roots=["d", "a"], engine="disk", store=tmp_path / "out")

    assert_same(stored, encode(graph, 1, roots=["d", "a"]))
    assert stored["a"] == {(0, 1): 1, (1, 1): 1}
    assert stored.in_memory()["d"] == {(0, 2): 1, (1, 1): 2}
    with pytest.raises(UnknownNodeError, match="no row belongs to node 'b'"):
        stored["b"]
    with pytest.raises(FileError, match=r"holds an encoding of other roots\. Choose another folder\."):
        encode_to_store(graph, tmp_path / "out", 1, roots=["a", "d"])


def test_a_store_refuses_a_vocabulary_and_says_what_to_do(tmp_path):
    path = named.path("abc")

    with pytest.raises(
        InputError, match=r"vocabulary is not possible .*: encode in memory with it, some roots"
    ):
        encode(path, vocabulary=encode(path, 1).vocabulary, engine="disk", store=tmp_path / "out")
    with pytest.raises(InputError, match=r"labels is not possible .*: count on this machine, without Spark"):
        encode(path, 1, labels=[1, 2, 3], engine="spark", store=tmp_path / "out")
