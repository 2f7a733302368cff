"""Files of every released version are read; files of a newer format raise an error that says so."""

import json
import shutil
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import egonet
from egonet.embeddings.embedding import Embedding
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import FileError
from egonet.store.manifest import write_manifest
from egonet.version import __version__

FIXTURES = Path(__file__).parent / "fixtures"
sys.path.insert(0, str(FIXTURES))
import write as fixtures  # noqa: E402

sys.path.remove(str(FIXTURES))
VERSIONS = sorted(path.name for path in FIXTURES.iterdir() if path.name[0].isdecimal())


@pytest.fixture(params=VERSIONS)
def files(request):
    """The folder with the files of one version."""
    return FIXTURES / request.param


def assert_same(found, expected):
    assert found.feature_names == expected.feature_names
    assert list(found.nodes) == list(expected.nodes)
    assert (found.matrix != expected.matrix).nnz == 0


def test_there_are_files_of_this_version():
    assert __version__ in VERSIONS


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("encoding.npz", {"radius": (1, 2), "degrees": "full"}),
        ("labels.npz", {"radius": 1, "labels": fixtures.LABELS}),
        ("with_graph.npz", {"radius": 1}),
        ("common.npz", {"radius": 1, "common": True}),
        ("store", {"radius": 1}),
    ],
)
def test_encodings_of_every_version_are_read_and_equal_those_of_this_one(files, name, settings):
    assert_same(egonet.load(files / name), egonet.encode(fixtures.graph(), **settings))


def test_vocabularies_of_every_version_give_the_same_columns_to_another_graph(files):
    star = egonet.named.star(2)
    old = egonet.load(files / "encoding.npz").vocabulary
    new = egonet.encode(fixtures.graph(), radius=(1, 2), degrees="full").vocabulary

    assert_same(egonet.encode(star, vocabulary=old), egonet.encode(star, vocabulary=new))


def test_graphs_of_every_version_are_read(files):
    found = egonet.read_graph(files / "graph.npz")

    assert len(found) == len(fixtures.NODES)
    assert egonet.encode(found, radius=1).matrix.sum() == egonet.load(files / "store").matrix.sum()


def test_embeddings_of_every_version_are_read(files):
    found = Embedding.load(files / "embedding.npz")

    assert np.array_equal(found.table[1], [2, 3])
    assert len(found.vocabulary) == len(egonet.load(files / "encoding.npz").vocabulary)


def test_vocabulary_files_of_every_version_are_read(files):
    found = Vocabulary.load(files / "vocabulary.json")

    assert found.columns == egonet.load(files / "encoding.npz").vocabulary.columns


def test_streams_of_every_version_continue_where_they_were(files):
    old, new = egonet.Stream.open(files / "stream.npz"), fixtures.stream()
    for stream in (old, new):
        stream.add([("z", "alone", 6)])

    assert_same(old.features(fixtures.NODES), new.features(fixtures.NODES))
    # The window of 5 ends at 7: a-b (0) and b-c (1) have expired, c-a (2) has not.
    assert old.features(["a"], time=7)["a"] == {(0, 1): 1, (1, 1): 1}


def test_encodings_of_every_version_can_be_updated(files):
    found = egonet.load(files / "with_graph.npz").update(added=[("d", "alone")])

    assert_same(
        found,
        egonet.encode(egonet.Graph.from_edges([*fixtures.EDGES, ("d", "alone")], nodes=fixtures.NODES), 1),
    )


def test_stores_of_every_version_are_used_again_and_updated(files, tmp_path, monkeypatch):
    monkeypatch.setattr(import_module("egonet.store.encode"), "__version__", "99.0.0")
    folder = shutil.copytree(files / "store", tmp_path / "store")
    egonet.store.encode(fixtures.graph(), folder, radius=1)
    egonet.store.update(folder, added=[("d", "alone")])

    assert egonet.load(folder)["alone"] == {(0, 1): 1, (1, 1): 1}


@pytest.mark.parametrize(
    ("name", "load", "kind"),
    [
        ("encoding.npz", egonet.load, "encoding"),
        ("embedding.npz", Embedding.load, "embedding"),
        ("stream.npz", egonet.Stream.open, "stream"),
    ],
)
def test_a_newer_file_raises_an_error_that_says_update(tmp_path, name, load, kind):
    with np.load(FIXTURES / __version__ / name) as file:
        arrays = dict(file)
    header = json.loads(arrays["header"].tobytes()) | {"format": f"egonet {kind} 99"}
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(tmp_path / name, **arrays)

    with pytest.raises(
        FileError, match=rf"{name} has the format 'egonet {kind} 99' of a newer egonet.*Update"
    ):
        load(tmp_path / name)


def test_a_newer_vocabulary_raises_an_error_that_says_update(tmp_path):
    header = json.loads((FIXTURES / __version__ / "vocabulary.json").read_text()) | {
        "format": "egonet vocabulary 99"
    }
    (tmp_path / "vocabulary.json").write_text(json.dumps(header))

    with pytest.raises(FileError, match=r"has the format 'egonet vocabulary 99' of a newer egonet.*Update"):
        Vocabulary.load(tmp_path / "vocabulary.json")


@pytest.mark.parametrize("part", ["", "graph-0000"])
def test_a_newer_store_raises_an_error_that_says_update(tmp_path, part):
    folder = shutil.copytree(FIXTURES / __version__ / "store", tmp_path / "store")
    kind = "graph" if part else "store"
    manifest = json.loads((folder / part / "manifest.json").read_text())
    del manifest["checksum"]
    write_manifest(folder / part, manifest | {"format": f"egonet {kind} 99"})

    with pytest.raises(
        FileError, match=rf"has the format 'egonet {kind} 99' of a newer egonet.*Update egonet"
    ):
        egonet.load(folder).graph  # noqa: B018
