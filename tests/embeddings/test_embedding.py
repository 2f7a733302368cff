"""Embeddings: vectors of any graph, and files."""

import json

import numpy as np
import pytest

import egonet
from egonet import Embedding, Training, Walks
from egonet.errors import FileError, InputError

QUICK = {"walks": Walks(length=20, window=3), "training": Training(epochs=3)}


@pytest.fixture(scope="module")
def learned():
    return egonet.fit_embeddings(egonet.named.karate_club(), 2, 8, rng=1, **QUICK)


def test_vectors_are_weighted_sums_of_column_vectors(learned):
    club = egonet.named.karate_club()

    vectors = learned.transform(club)

    weights = egonet.encode(club, radius=2).weighted("paper").toarray()
    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(weights @ learned.table, abs=1e-5)


def test_an_unseen_graph_has_vectors(learned):
    clique = egonet.Graph.from_edges([(u, v) for u in range(30) for v in range(u)])

    vectors = learned.transform(clique)

    assert vectors.shape == (30, 8)
    assert np.ptp(vectors, axis=0).max() == 0.0
    # No member of the club has 29 friends; the nearest lower degree stands in for it.
    assert learned.encode(clique).unseen.clipped == 30 * 30


def test_renamed_nodes_have_the_same_vectors(learned):
    club = egonet.named.karate_club()
    order = np.random.default_rng(3).permutation(34)
    edges = [(int(order[u]), int(order[v])) for u in range(34) for v in club.neighbors(u)]
    renamed = egonet.Graph.from_edges(edges, nodes=range(34))

    assert np.allclose(learned.transform(renamed)[order], learned.transform(club), atol=1e-6)


def test_a_file_keeps_every_field_and_contains_no_pickle(learned, tmp_path):
    path = tmp_path / "club.npz"

    learned.save(path)
    loaded = Embedding.load(path)

    assert loaded.table.tobytes() == learned.table.tobytes()
    assert loaded.vocabulary.columns == learned.vocabulary.columns
    assert (loaded.weighting, loaded.history) == (learned.weighting, learned.history)
    with np.load(path, allow_pickle=False) as arrays:
        assert json.loads(arrays["header"].tobytes())["format"] == "egonet embedding 2"


def test_other_files_raise(learned, tmp_path):
    path = tmp_path / "encoding.npz"
    egonet.encode(egonet.named.path("abc")).save(path)
    cut = tmp_path / "cut.npz"
    learned.save(cut)
    cut.write_bytes(cut.read_bytes()[:-50])

    for wrong in (path, cut):
        with pytest.raises(FileError, match="is not an embedding that egonet saved, or is damaged"):
            Embedding.load(wrong)
    with pytest.raises(FileError, match="there is no file"):
        Embedding.load(tmp_path / "none.npz")
    with pytest.raises(InputError, match=r"an embedding is saved as \.npz"):
        learned.save(tmp_path / "club.pkl")
