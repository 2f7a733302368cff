"""Verification lists damaged files and repairs them."""

import shutil

import pytest

import egonet
from contracts.stores import answer
from egonet import Graph, store
from egonet.errors import EgonetError, FileError
from egonet.store.manifest import checksum

ADDED = [("n1", "n2"), ("n3", "new")]


@pytest.mark.parametrize(
    "name", ["graph-0000/indices.npy", "block-000001-0000/counts.npy", "graph-0000/names.npy"]
)
@pytest.mark.parametrize("how", ["flip", "cut", "longer", "remove"])
def test_a_damaged_store_is_repaired_and_not_updated(made, tmp_path, name, how):
    folder = shutil.copytree(made[0], tmp_path / "out")
    data = bytearray((folder / name).read_bytes())
    data[-2] ^= 4
    wrong = {"flip": bytes(data), "cut": bytes(data[:-4]), "longer": bytes(data) + b"\0", "remove": None}[how]
    (folder / name).write_bytes(wrong) if wrong is not None else (folder / name).unlink()

    with pytest.raises(
        FileError, match=rf"cannot be updated: 1 of its files are damaged, first {name}\. Repair"
    ):
        store.update(folder, ADDED)
    looked = store.verify(folder, repair=False)
    assert (looked.damaged, looked.repaired, looked.is_intact) == ((name,), (), False)
    graph = made[1].graph
    assert store.verify(folder, graph).repaired == (name,)

    assert checksum(folder / name) == checksum(made[0] / name)
    assert answer(store.update(folder, ADDED)) == answer(made[1].update(ADDED))


def test_repair_with_another_graph_raises(made, tmp_path):
    folder = shutil.copytree(made[0], tmp_path / "out")
    (folder / "graph-0000" / "indices.npy").unlink()

    assert store.verify(folder).damaged == ("graph-0000/indices.npy",)
    with pytest.raises(EgonetError, match="the given graph is not the graph of the store"):
        store.verify(folder, Graph.from_edges([("n1", "n2")]))


def test_blocks_of_an_updated_store_are_repaired_from_its_graph(made, tmp_path):
    folder = shutil.copytree(made[0], tmp_path / "out")
    updated = store.update(folder, ADDED)
    shutil.rmtree(folder / updated.manifest["blocks"][0])
    (folder / updated.manifest["vocabulary"] / "keys.npy").write_bytes(b"")

    assert store.verify(folder).is_intact
    assert answer(egonet.load(folder)) == answer(made[1].update(ADDED))


def test_a_damaged_graph_is_read_again_with_the_same_options(tmp_path):
    (tmp_path / "edges.csv").write_text("1,2,x\n2,3,y\n")
    options = {"source": 0, "target": 1, "header": False}
    folder = tmp_path / "out"
    store.encode(tmp_path / "edges.csv", folder, 1, **options)
    (folder / "graph-0000" / "indices.npy").unlink()

    found = store.verify(folder, tmp_path / "edges.csv")

    assert found.repaired == ("graph-0000/indices.npy",)
    assert found.is_intact
