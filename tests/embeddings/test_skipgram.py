"""The native skip-gram: batches cover every walk, losses and steps equal those worked out one by one."""

import numpy as np
import pytest

import egonet
from contracts.walks import CHECKS
from egonet.embeddings.skipgram import (
    NOWHERE,
    Adam,
    Batches,
    Start,
    Training,
    Walks,
    WeightedSums,
    first_table,
    random_walks,
    standardize,
    train,
)
from egonet.errors import InputError


def test_every_node_of_every_walk_is_a_source_once():
    walks = Walks(length=7, window=3)
    paths = np.arange(21, dtype=np.int32).reshape(3, 7)
    batches = Batches(3, walks, Training(batch_pairs=1))

    segments = np.concatenate([found for found, _ in batches.epoch(paths, np.random.default_rng(1))])

    sources = segments[:, 3:6].ravel()
    assert sorted(sources[sources != NOWHERE].tolist()) == list(range(21))
    assert len(segments) == batches.num_steps * batches.size
    first = next(segment for segment in segments if segment[3] == 0)
    assert first.tolist() == [NOWHERE, NOWHERE, NOWHERE, 0, 1, 2, 3, 4, 5]


def test_negatives_are_nodes_of_the_graph():
    batches = Batches(5, Walks(length=4, window=2), Training(negatives=3))

    for _, others in batches.epoch(np.zeros((5, 4), dtype=np.int32), np.random.default_rng(1)):
        assert others.shape == (batches.num_groups, 12)
        assert others.min() >= 0
        assert others.max() < 5


def test_adam_takes_the_steps_of_the_definition():
    rng = np.random.default_rng(1)
    values = rng.random(100_000).astype(np.float32)  # more than one chunk
    expected, mean, square = values.astype(np.float64), np.zeros(100_000), np.zeros(100_000)
    adam = Adam(values)

    for step in range(1, 4):
        slope = rng.standard_normal(100_000)
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        root = np.sqrt(square / (1 - 0.999**step)) + 1e-8
        expected -= 0.01 * mean / (1 - 0.9**step) / root
        adam.step(slope.astype(np.float32), 0.01)

    np.testing.assert_allclose(values, expected, atol=1e-5)


def test_the_gradient_of_weighted_sums_is_the_transposed_product():
    encoding = egonet.encode(egonet.named.karate_club(), radius=2)
    weights = encoding.weighted("paper")
    sums = WeightedSums(weights, encoding.classes)
    table = np.random.default_rng(1).random((weights.shape[1], 3)).astype(np.float32)

    vectors = sums.vectors(table, 1)
    slopes = np.random.default_rng(2).random(vectors.shape).astype(np.float32)

    np.testing.assert_allclose(vectors[sums.row_of], weights @ table, atol=1e-5)
    distinct = weights[np.unique(encoding.classes, return_index=True)[1]]
    np.testing.assert_allclose(sums.gradient(slopes, 1), distinct.T @ slopes, atol=1e-5)


def test_the_first_loss_of_zero_vectors_is_ln_2():
    club = egonet.named.karate_club()
    encoding = egonet.encode(club, radius=1)
    sums = WeightedSums(encoding.weighted("paper"), encoding.classes)
    start = Start(np.zeros((len(encoding.vocabulary), 2)))
    training = Training(epochs=1, batch_pairs=10**6)

    _, history = train(club, sums, start, Walks(length=5, window=2), training, np.random.default_rng(1))

    assert history.losses == pytest.approx([np.log(2.0)])


def test_first_vectors_are_scaled_by_distance_and_degree():
    uniform = np.array([[0.2], [0.9], [0.4]])

    found = standardize(uniform, np.array([0, 0, 1]), np.array([1, 2, 0]))

    raw = (uniform[:, 0] - 0.5) * np.array([1 / np.log(2), 1 / np.log(3), 0.0])
    assert found[:, 0] == pytest.approx((raw - raw.mean()) / raw.std(ddof=1))


def test_first_vectors_have_one_row_per_column():
    vocabulary = egonet.encode(egonet.named.karate_club(), radius=1).vocabulary

    assert first_table(vocabulary, 4, np.random.default_rng(1)).shape == (len(vocabulary), 4)


def draw(graph, walks, seed=1):
    return random_walks(graph, walks, np.random.default_rng(seed))


@pytest.mark.parametrize("check", CHECKS)
def test_walks_keep_the_contract(check):
    check(draw)


def test_equal_seeds_give_equal_walks():
    club = egonet.named.karate_club()

    first, again, other = (random_walks(club, Walks(), np.random.default_rng(seed)) for seed in (1, 1, 2))

    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"length": 1}, "length must be at least 2, got 1"),
        ({"window": 0}, "window must be at least 1, got 0"),
        ({"per_node": 2.5}, "per_node must be a whole number >= 0, got 2.5"),
    ],
)
def test_walks_without_pairs_raise(settings, message):
    with pytest.raises(InputError, match=message):
        Walks(**settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"negatives": 0}, "negatives must be at least 1, got 0"),
        ({"negatives": None}, "negatives must be a whole number >= 0, got None"),
        ({"epochs": -1}, "epochs must be a whole number >= 0, got -1"),
        ({"rate": 0}, "rate must be a finite number above 0, got 0"),
        ({"rate": "fast"}, "rate must be a finite number above 0, got 'fast'"),
        ({"rate": float("inf")}, "rate must be a finite number above 0, got inf"),
        ({"batch_pairs": -5}, "batch_pairs must be a whole number >= 0, got -5"),
        ({"batch_pairs": 0}, "batch_pairs must be at least 1, got 0"),
        ({"patience": 0}, "patience must be at least 1, got 0"),
        ({"patience": 1.5}, r"patience must be a whole number >= 0, got 1\.5"),
        ({"decay": 1}, "decay must be True or False, got 1"),
    ],
)
def test_invalid_settings_of_training_are_named(settings, message):
    with pytest.raises(InputError, match=message):
        Training(**settings)
