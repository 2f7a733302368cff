"""Files of the user in or near a store: none is ever removed or replaced."""

import os
import shutil

import numpy as np
import pytest

import egonet
from egonet import named
from egonet.errors import FileError
from egonet.store import encode_store as store_module
from egonet.store.encode_store import encode_to_store
from egonet.store.lock import claim, journal_of, locked
from egonet.store.update_store import update_store

#: Names that look as if egonet had written them.
LOOK_ALIKES = (
    *("block-diagram.svg", "notes.part.csv", "graph-plots/a.png", ".edges-backup", ".edges-3/a.parquet"),
    *(
        ".supports-2",
        "graph-0001.txt",
        "vocabulary-0001.bak/keys.npy",
        "supports-old",
        "choices-.json",
        ".check/x",
    ),
    *(".graph-0000.0123456789abcdef.part/indptr.npy", ".graph-0000.7.part", "block-000009-0000/keys.npy"),
    *(
        ".whole-graph-0000.part/a",
        "block-000000-0000.json",
        "block-000000-0000/notes.txt",
        "graph-0000/notes.txt",
    ),
)


def put(folder, names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"mine: {name}")


def assert_there(folder, names):
    assert [name for name in names if (folder / name).read_text() != f"mine: {name}"] == []


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "edges.txt"
    np.savetxt(path, np.random.default_rng(0).integers(0, 60, (150, 2)), fmt="%d")
    return path


@pytest.mark.parametrize(
    "name", ["graph-0000.txt", ".edges-backup", "block-diagram.svg", ".DS_Store", ".lock"]
)
def test_a_folder_of_the_user_is_refused_and_left_as_it_was(tmp_path, name):
    put(tmp_path / "data", [name])
    graph = tmp_path / "data" / name if name.endswith(".txt") else named.path("abc")
    if name.endswith(".txt"):
        graph.write_text("1 2\n")

    with pytest.raises(
        FileError, match=r"holds no encoding: |is in the way: egonet did not write it\. Move it"
    ):
        encode_to_store(graph, tmp_path / "data", 1)

    assert os.listdir(tmp_path / "data") == [name]
    assert (tmp_path / "data" / name).stat().st_size > 0


def test_look_alike_names_in_a_store_survive_a_rerun_and_an_update(tmp_path, edges, monkeypatch):
    monkeypatch.setattr(store_module, "LEAST_BLOCK", 16)
    out = tmp_path / "out"
    encode_to_store(edges, out, (1, 2))
    put(out, LOOK_ALIKES)

    encode_to_store(edges, out, (1, 2))
    assert_there(out, LOOK_ALIKES)
    update_store(out, added=[(1, 2), (3, 4)])
    update_store(out, added=[(1, 30), (3, 41)])

    assert_there(out, LOOK_ALIKES)
    graph = egonet.read_graph(edges)
    expected = egonet.encode(graph, (1, 2)).update([(1, 2), (3, 4)]).update([(1, 30), (3, 41)])
    assert (egonet.load(out).matrix != expected.matrix).nnz == 0


@pytest.mark.parametrize("name", ["graph-0001/a.npy", "vocabulary-0001/keys.npy", "block-000000-0001"])
def test_a_name_that_an_update_needs_is_not_taken_from_the_user(tmp_path, edges, name):
    out = tmp_path / "out"
    before = encode_to_store(edges, out, 1).matrix
    put(out, [name])

    with pytest.raises(
        FileError, match=r"is in the way: egonet did not write it\. Move it, or choose another"
    ):
        update_store(out, added=[(1, 2)])

    assert_there(out, [name])
    assert (egonet.load(out).matrix != before).nnz == 0


def test_a_damaged_graph_with_a_file_of_the_user_in_its_folder_is_refused(tmp_path, edges):
    out = tmp_path / "out"
    encode_to_store(edges, out, 1)
    put(out, ["graph-0000/notes.txt"])
    (out / "graph-0000" / "indices.npy").write_bytes(b"")

    with pytest.raises((FileError, OSError), match=r"graph-0000 could not be written|is in the way"):
        encode_to_store(edges, out, 1)

    assert_there(out, ["graph-0000/notes.txt"])


def test_a_journal_lists_names_before_they_are_written_and_ignores_damaged_lines(tmp_path):
    with locked(tmp_path / "out"):
        claim(tmp_path / "out" / "graph-0000", tmp_path / "out" / ".x.part")
    assert journal_of(tmp_path / "out") == {"graph-0000", ".x.part"}

    data = bytearray((tmp_path / "out" / ".lock").read_bytes())
    for place in range(len(data)):
        flipped = bytearray(data)
        flipped[place] ^= 1
        (tmp_path / "out" / ".lock").write_bytes(flipped)
        assert (journal_of(tmp_path / "out") or set()) <= {"graph-0000", ".x.part"}


def test_a_finished_store_has_an_empty_journal_and_nothing_else_beside_its_parts(tmp_path, edges):
    out = tmp_path / "out"
    stored = encode_to_store(edges, out, 1)
    update_store(out, added=[(1, 2)])

    assert journal_of(out) == set()
    expected = {".lock", "manifest.json", "graph-0001", "vocabulary-0001"}
    assert {path.name for path in out.iterdir()} - set(egonet.load(out).manifest["blocks"]) == expected
    shutil.rmtree(out)
    assert stored.manifest["graph"] == "graph-0000"
