"""Updated stores equal new ones, after any interruption, and keep files of the user."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from contracts.stores import (
    LOOK_ALIKES,
    assert_same,
    assert_there,
    content,
    kill_everywhere,
    put,
    random_pairs,
    run_until_write,
)
from egonet import Graph, encode, read_graph, store
from egonet.errors import FileError, InputError
from egonet.store.manifest import read_manifest

encode_store = import_module("egonet.store.encode")  # the package has a function of this name
update_store = import_module("egonet.store.update")


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0, 1, 2, (2, 1)]), st.sampled_from(["total", "full"]))
def test_an_updated_store_equals_a_new_one(tmp_path_factory, seed, radius, degrees):
    folder, rng = tmp_path_factory.mktemp("store"), np.random.default_rng(seed)
    graph = Graph.from_edges(random_pairs(40, 60, seed), 40)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encode_store, "LEAST_BLOCK", 16)
        store.encode(graph, folder / "out", radius, degrees=degrees)
    source = np.repeat(np.arange(40), graph.degrees)
    edges = [(a, b) for a, b in zip(source.tolist(), graph.indices.tolist(), strict=True) if a < b]
    removed = [edges[i] for i in rng.choice(len(edges), 3, replace=False)]
    added = [pair for pair in rng.integers(0, 42, (4, 2)).tolist() if tuple(sorted(pair)) not in removed]

    stored = store.update(folder / "out", added, removed)

    assert_same(stored, encode(graph, radius, degrees=degrees).update(added, removed))
    assert store.update(folder / "out", added, removed).manifest == stored.manifest
    assert sorted(path.name for path in (folder / "out").glob("graph-*")) == ["graph-0001"]


def test_an_update_killed_at_every_write_gives_the_same_bytes(tmp_path, small_blocks, edges_file):
    added, removed = [(1, 2), (3, 1_000)], [(7, read_graph(edges_file).neighbors(7)[0])]
    for out in ("out", "whole"):
        store.encode(edges_file, tmp_path / out, 2)
    store.update(tmp_path / "whole", added, removed)

    killed = kill_everywhere(lambda: store.update(tmp_path / "out", added, removed))

    assert killed >= 3
    assert content(tmp_path / "out") == content(tmp_path / "whole")


def test_an_update_of_a_directed_store_raises(tmp_path, edges_file):
    store.encode(edges_file, tmp_path / "out", 1, directed="out")

    with pytest.raises(InputError, match="a store of a directed graph cannot be updated"):
        store.update(tmp_path / "out", [(1, 2)])


def test_the_next_update_removes_files_of_an_update_killed_before_its_cleanup(
    tmp_path, small_blocks, edges_file
):
    for out in ("out", "whole"):
        store.encode(edges_file, tmp_path / out, 2)
    store.update(tmp_path / "whole", [(1, 2)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(update_store, "remove_leftovers", lambda *_: None)
        store.update(tmp_path / "out", [(1, 2)])
    assert (tmp_path / "out" / "graph-0000").exists()

    store.update(tmp_path / "out", [(1, 2)])

    assert content(tmp_path / "out") == content(tmp_path / "whole")
    assert not (tmp_path / "out" / "graph-0000").exists()


def test_an_update_ignores_files_of_another_unfinished_update(tmp_path, small_blocks, edges_file):
    for out in ("out", "whole"):
        store.encode(edges_file, tmp_path / out, 2)
    run_until_write(lambda: store.update(tmp_path / "out", [(1, 50), (2, 60)]), 6)
    assert (tmp_path / "out" / "graph-0001").exists()

    store.update(tmp_path / "out", [(3, 70)])
    store.update(tmp_path / "whole", [(3, 70)])

    assert content(tmp_path / "out") == content(tmp_path / "whole")


def test_files_of_the_user_survive_encode_and_update(tmp_path, edges, monkeypatch):
    monkeypatch.setattr(encode_store, "LEAST_BLOCK", 16)
    out = tmp_path / "out"
    store.encode(edges, out, (1, 2))
    put(out, LOOK_ALIKES)

    store.encode(edges, out, (1, 2))
    assert_there(out, LOOK_ALIKES)
    store.update(out, added=[(1, 2), (3, 4)])
    store.update(out, added=[(1, 30), (3, 41)])

    assert_there(out, LOOK_ALIKES)
    graph = egonet.read_graph(edges)
    expected = egonet.encode(graph, (1, 2)).update([(1, 2), (3, 4)]).update([(1, 30), (3, 41)])
    assert (egonet.load(out).matrix != expected.matrix).nnz == 0


@pytest.mark.parametrize("name", ["graph-0001/a.npy", "vocabulary-0001/keys.npy", "block-000000-0001"])
def test_an_update_raises_for_a_file_of_the_user_with_a_name_it_needs(tmp_path, edges, name):
    out = tmp_path / "out"
    before = store.encode(edges, out, 1).matrix
    put(out, [name])

    with pytest.raises(FileError, match=r"exists, and egonet did not write it\. Move it, or choose another"):
        store.update(out, added=[(1, 2)])

    assert_there(out, [name])
    assert (egonet.load(out).matrix != before).nnz == 0


def test_numbered_nodes_stay_without_ids_if_new_ones_follow_them(tmp_path):
    store.encode(Graph.from_edges(np.array([(0, 1), (1, 2)]), 3), tmp_path / "out", 1)

    def ids():
        return read_manifest(tmp_path / "out" / read_manifest(tmp_path / "out", "", "")["graph"], "", "")[
            "ids"
        ]

    assert ids() == "none"
    store.update(tmp_path / "out", added=[(2, 3), (3, 4)])
    assert ids() == "none"
    store.update(tmp_path / "out", added=[(4, 9)])
    assert ids() == "whole"
    assert egonet.load(tmp_path / "out").nodes.tolist() == [0, 1, 2, 3, 4, 9]


def test_the_store_of_an_empty_graph_can_be_updated(tmp_path):
    empty = Graph.from_edges([], 0)
    store.encode(empty, tmp_path / "out", 1)

    stored = store.update(tmp_path / "out", added=[("a", "b"), ("b", "c")])

    assert stored["b"] == {(0, 2): 1, (1, 1): 2}
    assert_same(stored, encode(empty, 1).update(added=[("a", "b"), ("b", "c")]))


def test_changes_may_be_tables(tmp_path):
    store.encode([("a", "b"), ("b", "c")], tmp_path / "out", radius=1)

    found = store.update(tmp_path / "out", added=pd.DataFrame({"source": ["c"], "target": ["a"]}))

    assert found["a"] == {(0, 2): 1, (1, 2): 2}


def test_the_folders_of_an_update_have_the_mode_of_the_store(tmp_path):
    store = tmp_path / "store"
    egonet.store.encode([("a", "b")], store, 1)
    before = set(store.rglob("*"))
    store.chmod(0o700)

    egonet.store.update(store, added=[("b", "c")])

    folders = [path for path in set(store.rglob("*")) - before if path.is_dir()]
    assert {path.stat().st_mode & 0o777 for path in folders} == {0o700}


def test_the_files_of_an_update_are_as_private_as_the_store(tmp_path):
    store = tmp_path / "store"
    egonet.store.encode([("a", "b")], store, 1)
    for path in store.rglob("*"):
        if path.is_file():
            path.chmod(0o600)

    egonet.store.update(store, added=[("b", "c")])

    files = [path for path in store.rglob("*") if path.is_file()]
    assert len(files) > 5
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}


def test_ids_beyond_2_to_63_stay_numbers(tmp_path):
    large = 2**63 + 5

    stored = egonet.store.encode([(large, 7)], tmp_path / "store", 1)
    assert stored[large] == {(0, 1): 1, (1, 1): 1}
    changed = egonet.store.update(tmp_path / "store", added=[(7, 8)])

    assert changed.nodes.tolist() == [large, 7, 8]
    assert egonet.load(tmp_path / "store")[7] == {(0, 2): 1, (1, 1): 2}
    with pytest.raises(InputError, match="only among numbers >= 0"):
        egonet.store.update(tmp_path / "store", added=[(7, -8)])
    assert egonet.load(tmp_path / "store").nodes.tolist() == [large, 7, 8]


def test_an_update_of_nothing_leaves_the_store_as_it_is(tmp_path):
    graph = egonet.as_graph([("a", "b"), ("b", "c")])
    reader = store.encode(graph, tmp_path / "out", 1)
    before = content(tmp_path / "out")

    stored = store.update(tmp_path / "out", [], [])

    assert content(tmp_path / "out") == before
    assert stored["b"] == reader["b"] == {(0, 2): 1, (1, 1): 2}
    assert store.encode(graph, tmp_path / "out", 1)["b"] == stored["b"]  # it can still be repeated
