"""Embeddings: training, vectors of any graph, and files."""

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

    with pytest.raises(FileError, match="is not an embedding that egonet saved, or is damaged"):
        Embedding.load(cut)
    with pytest.raises(FileError, match=r"encoding\.npz is an encoding\. Read it with egonet\.load\."):
        Embedding.load(path)
    with pytest.raises(FileError, match="there is no file"):
        Embedding.load(tmp_path / "none.npz")
    with pytest.raises(InputError, match=r"an embedding is saved as \.npz"):
        learned.save(tmp_path / "club.pkl")


def test_equal_seeds_give_equal_bytes(learned):
    club = egonet.named.karate_club()

    again = egonet.fit_embeddings(club, 2, 8, rng=1, **QUICK)
    other = egonet.fit_embeddings(club, 2, 8, rng=2, **QUICK)

    assert again.table.tobytes() == learned.table.tobytes()
    assert again.history.losses == learned.history.losses
    assert not np.array_equal(other.table, learned.table)


def test_training_lowers_the_loss_and_increases_products_of_near_nodes():
    # Two cliques of different size on a long path: what is near in walks also looks different from afar.
    left = [(f"l{i}", f"l{j}") for i in range(8) for j in range(i)]
    right = [(f"r{i}", f"r{j}") for i in range(5) for j in range(i)]
    graph = egonet.Graph.from_edges([*left, *right, ("l0", "m0"), ("m0", "m1"), ("m1", "r0")])

    embedding = egonet.fit_embeddings(
        graph, 1, 8, rng=1, walks=Walks(length=20, window=2), training=Training(epochs=12)
    )

    losses = embedding.history.losses
    assert losses[-1] < 0.8 * losses[0]
    vectors = dict(zip(graph.node_ids.tolist(), embedding.transform(graph), strict=True))
    assert vectors["l3"] @ vectors["l4"] > vectors["l3"] @ vectors["r3"]


def test_training_stops_early_with_patience():
    training = Training(epochs=200, rate=1e-6, patience=2)

    embedding = egonet.fit_embeddings(
        egonet.named.cycle(6), 1, 2, rng=1, walks=Walks(length=10, window=2), training=training
    )

    assert len(embedding.history.losses) < 200


def test_progress_ends_at_the_total():
    calls = []

    egonet.fit_embeddings(
        egonet.named.karate_club(),
        1,
        2,
        rng=1,
        progress=lambda done, total: calls.append((done, total)),
        **QUICK,
    )

    assert calls[-1] == (3 * 34, 3 * 34)
    assert calls == sorted(calls)


@pytest.mark.parametrize(
    "settings", [{"degrees": "full", "common": True}, {"rooted": "edge"}, {"rooted": "pair"}]
)
def test_every_kind_of_encoding_can_be_trained_on(settings):
    club = egonet.named.karate_club()

    embedding = egonet.fit_embeddings(club, 1, 3, rng=1, **QUICK, **settings)

    assert np.isfinite(embedding.transform(club)).all()
    assert len(embedding.table) == len(egonet.encode(club, 1, **settings).vocabulary)


def test_several_graphs_and_an_encoding_can_be_trained_on():
    graphs = [egonet.named.path("abcd"), egonet.named.cycle(5)]
    encoding = egonet.encode(graphs, radius=1)

    both = [
        egonet.fit_embeddings(one, None if one is encoding else 1, 3, rng=1, **QUICK)
        for one in (graphs, encoding)
    ]

    assert np.array_equal(both[0].table, both[1].table)
    assert both[0].transform(graphs).shape == (9, 3)


def test_labels_are_part_of_the_columns():
    path = egonet.named.path("abc")

    embedding = egonet.fit_embeddings(path, 1, 3, rng=1, labels=["C", "C", "O"], **QUICK)
    first, last = embedding.transform(path, labels=["C", "C", "O"])[[0, 2]]

    assert not np.array_equal(first, last)


def test_invalid_arguments_raise(learned):
    path = egonet.named.path("abc")

    with pytest.raises(InputError, match="dim must be at least 1, got 0"):
        egonet.fit_embeddings(path, 1, 0)
    with pytest.raises(InputError, match="a graph without nodes has nothing to train on"):
        egonet.fit_embeddings([], 1)
    with pytest.raises(InputError, match="walks need the whole graph"):
        egonet.fit_embeddings(path, 1, roots=["a"])
    with pytest.raises(InputError, match="an encoding has its settings already"):
        egonet.fit_embeddings(egonet.encode(path), 1)
    with pytest.raises(InputError, match="the encoding has 3 columns"):
        learned.transform(egonet.encode(path, 1))


def test_edge_types_are_part_of_the_columns_of_another_graph(tmp_path):
    edges, types = [("a", "b"), ("b", "c")], ["x", "y"]
    egonet.fit_embeddings(edges, radius=1, dim=2, edge_labels=types).save(tmp_path / "model.npz")
    model = egonet.Embedding.load(tmp_path / "model.npz")

    same, other = (model.transform(edges, edge_labels=each) for each in (types, ["y", "x"]))

    assert np.array_equal(same[0], other[2])
    with pytest.raises(InputError, match="learned with edge labels"):
        model.transform(edges)


def test_an_encoding_with_other_columns_of_the_same_number_raises():
    path, kite = egonet.named.path("abc"), egonet.as_graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    embedding = Embedding(egonet.encode(path, 1).vocabulary, np.eye(3, dtype=np.float32))

    assert np.array_equal(embedding.transform(egonet.encode(path, 1)), embedding.transform(path))
    other_radius = egonet.encode(kite, 0)
    assert len(other_radius.vocabulary) == 3
    with pytest.raises(
        InputError, match=r"made with Settings\(radius=0\), the embedding with Settings\(radius=1\)"
    ):
        embedding.transform(other_radius)
    with pytest.raises(InputError, match="the encoding has other columns than the embedding"):
        embedding.transform(egonet.encode([("x", "a"), ("x", "b"), ("x", "c")], 1))


def test_progress_is_a_function_or_a_bar(monkeypatch, capsys):
    monkeypatch.setattr("egonet.progress.PROGRESS_DELAY", 0)
    path, calls = egonet.named.path("abc"), []

    egonet.fit_embeddings(path, 1, 2, progress=lambda *numbers: calls.append(numbers), **QUICK)
    assert calls[-1][0] == calls[-1][1]
    assert capsys.readouterr().err == ""
    egonet.fit_embeddings(path, 1, 2, progress=True, **QUICK)
    assert "train: " in capsys.readouterr().err
    with pytest.raises(InputError, match="progress must be True, False or a function"):
        egonet.fit_embeddings(path, 1, 2, progress="yes", **QUICK)


def test_a_wrong_seed_is_one_sentence():
    with pytest.raises(
        InputError, match=r"^rng must be a whole number >= 0 or a numpy\.random\.Generator, got 'x'\.$"
    ):
        egonet.fit_embeddings([(0, 1), (1, 2)], 1, rng="x")
    with pytest.raises(InputError, match=r"fit_embeddings has no option 'seed'\. Use rng="):
        egonet.fit_embeddings([(0, 1), (1, 2)], 1, seed=1)


def test_progress_counts_the_starts_of_walks_in_all_epochs():
    calls = []

    egonet.fit_embeddings(
        [("a", "b"), ("b", "c")],
        1,
        dim=2,
        training=Training(epochs=4),
        progress=lambda done, total: calls.append((done, total)),
    )

    assert calls[-1] == (12, 12)  # four epochs, three nodes
