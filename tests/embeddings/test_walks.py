"""Random walks: they follow edges, end where there is nowhere to go, and choose neighbors evenly."""

import numpy as np
import pytest

import egonet
from contracts.walks import CHECKS
from egonet.embeddings.walks import Walks, random_walks
from egonet.errors import InputError


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
