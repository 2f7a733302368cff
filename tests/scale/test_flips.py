"""Every byte of a store may be damaged: never another answer, never a crash, always one sentence."""

import shutil

import numpy as np
import pytest

import egonet
from egonet import Graph, encode
from egonet.errors import EgonetError, FileError
from egonet.store import encode_store as store_module
from egonet.store.encode_store import encode_to_store
from egonet.store.manifest import checksum
from egonet.store.update_store import update_store
from egonet.store.verify import verify_store

EDGES = np.random.default_rng(3).integers(0, 30, (60, 2)).tolist()
ADDED = [("n1", "n2"), ("n3", "new")]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a store of three blocks, and what it should answer."""
    folder = tmp_path_factory.mktemp("flips") / "out"
    graph = Graph.from_edges([(f"n{a}", f"n{b}") for a, b in EDGES])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store_module, "LEAST_BLOCK", 12)
        encode_to_store(graph, folder, (1, 2))
    return folder, encode(graph, (1, 2))


def files_of(folder):
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != ".lock"]


def answer(stored):
    matrix = stored.matrix
    return (
        matrix.toarray().tolist(),
        stored.nodes.tolist(),
        stored.columns,
        stored.graph.indptr.tolist(),
        stored.graph.indices.tolist(),
    )


@pytest.mark.parametrize("start", range(11))
def test_a_flipped_bit_is_noticed_or_changes_nothing(made, tmp_path, start):
    folder = shutil.copytree(made[0], tmp_path / "out")
    expected, refused, total = answer(made[1]), 0, 0
    for path in files_of(folder):
        data = path.read_bytes()
        for place in range(start, len(data), 11 * 8):
            damaged = bytearray(data)
            damaged[place] ^= 1 << (place + start) % 8
            path.write_bytes(damaged)
            total += 1
            try:
                assert answer(egonet.load(folder)) == expected, f"{path}, byte {place}"
            except FileError:
                refused += 1
        path.write_bytes(data)

    assert refused > 0.8 * total > 10


@pytest.mark.parametrize(
    "name", ["graph-0000/indices.npy", "block-000001-0000/counts.npy", "graph-0000/names.npy"]
)
@pytest.mark.parametrize("how", ["flip", "cut", "longer", "remove"])
def test_a_damaged_store_is_not_updated_but_mended(made, tmp_path, name, how):
    folder = shutil.copytree(made[0], tmp_path / "out")
    data = bytearray((folder / name).read_bytes())
    data[-2] ^= 4
    wrong = {"flip": bytes(data), "cut": bytes(data[:-4]), "longer": bytes(data) + b"\0", "remove": None}[how]
    (folder / name).write_bytes(wrong) if wrong is not None else (folder / name).unlink()

    with pytest.raises(
        FileError, match=rf"cannot be updated: 1 of its files are damaged, first {name}\. Run"
    ):
        update_store(folder, ADDED)
    looked = verify_store(folder, mend=False)
    assert (looked.damaged, looked.mended, looked.is_sound) == ((name,), (), False)
    graph = Graph.from_edges([(f"n{a}", f"n{b}") for a, b in EDGES])
    assert verify_store(folder, graph).mended == (name,)

    assert checksum(folder / name) == checksum(made[0] / name)
    assert answer(update_store(folder, ADDED)) == answer(made[1].update(ADDED))


def test_a_graph_is_not_mended_with_another(made, tmp_path):
    folder = shutil.copytree(made[0], tmp_path / "out")
    (folder / "graph-0000" / "indices.npy").unlink()

    assert verify_store(folder).damaged == ("graph-0000/indices.npy",)
    with pytest.raises(EgonetError, match="the graph given is not the one that the store was made from"):
        verify_store(folder, Graph.from_edges([("n1", "n2")]))


def test_blocks_of_an_updated_store_are_mended_from_its_graph(made, tmp_path):
    folder = shutil.copytree(made[0], tmp_path / "out")
    updated = update_store(folder, ADDED)
    shutil.rmtree(folder / updated.manifest["blocks"][0])
    (folder / updated.manifest["vocabulary"] / "keys.npy").write_bytes(b"")

    assert verify_store(folder).is_sound
    assert answer(egonet.load(folder)) == answer(made[1].update(ADDED))


def test_a_store_opened_without_verification_answers_the_same(made):
    assert answer(egonet.load(made[0], verify=False)) == answer(made[1])


def test_a_block_is_compared_with_its_checksums_once(made, monkeypatch):
    stored, seen = egonet.load(made[0]), []
    monkeypatch.setattr(
        "egonet.store.array_folder.checksum", lambda path: seen.append(path) or checksum(path)
    )

    _ = stored.matrix, stored.matrix, stored.rows(0, 5), stored["n1"], stored["n1"]

    assert len(seen) == len(set(seen)) == 4 * 3 + 1 + 4  # arrays of blocks, columns, graph and names
