"""The lock and the journal of a folder; files of the user are never removed or replaced."""

import os
import shutil

import pytest

import egonet
from contracts.stores import assert_there, put
from egonet import named, store
from egonet.errors import FileError
from egonet.store.manifest import claim, journal_of, lock_folder


@pytest.mark.parametrize(
    "name", ["graph-0000.txt", ".edges-backup", "block-diagram.svg", ".DS_Store", ".lock"]
)
def test_a_folder_of_the_user_raises_and_is_not_changed(tmp_path, name):
    put(tmp_path / "data", [name])
    graph = tmp_path / "data" / name if name.endswith(".txt") else named.path("abc")
    if name.endswith(".txt"):
        graph.write_text("1 2\n")

    with pytest.raises(FileError, match=r"has no store: |exists, and egonet did not write it\. Move it"):
        store.encode(graph, tmp_path / "data", 1)

    assert os.listdir(tmp_path / "data") == [name]
    assert (tmp_path / "data" / name).stat().st_size > 0


def test_a_damaged_graph_with_a_file_of_the_user_raises(tmp_path, edges):
    out = tmp_path / "out"
    store.encode(edges, out, 1)
    put(out, ["graph-0000/notes.txt"])
    (out / "graph-0000" / "indices.npy").write_bytes(b"")

    with pytest.raises((FileError, OSError), match=r"graph-0000 could not be written|exists, and egonet"):
        store.encode(edges, out, 1)

    assert_there(out, ["graph-0000/notes.txt"])


def test_a_journal_ignores_damaged_lines(tmp_path):
    with lock_folder(tmp_path / "out"):
        claim(tmp_path / "out" / "graph-0000", tmp_path / "out" / ".x.part")
    assert journal_of(tmp_path / "out") == {"graph-0000", ".x.part"}

    data = bytearray((tmp_path / "out" / ".lock").read_bytes())
    for place in range(len(data)):
        flipped = bytearray(data)
        flipped[place] ^= 1
        (tmp_path / "out" / ".lock").write_bytes(flipped)
        assert (journal_of(tmp_path / "out") or set()) <= {"graph-0000", ".x.part"}


def test_a_finished_store_has_an_empty_journal_and_no_other_files(tmp_path, edges):
    out = tmp_path / "out"
    stored = store.encode(edges, out, 1)
    store.update(out, added=[(1, 2)])

    assert journal_of(out) == set()
    expected = {".lock", "manifest.json", "graph-0001", "vocabulary-0001"}
    assert {path.name for path in out.iterdir()} - set(egonet.load(out).manifest["blocks"]) == expected
    shutil.rmtree(out)
    assert stored.manifest["graph"] == "graph-0000"
