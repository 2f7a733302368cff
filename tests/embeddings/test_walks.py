"""Random walks: they follow edges, end where there is nowhere to go, and choose neighbors evenly."""

from itertools import pairwise

import numpy as np
import pytest

import egonet
from egonet.embeddings.walks import NOWHERE, Walks, random_walks
from egonet.errors import InputError


def draw(graph, walks, seed=1):
    return random_walks(graph, walks, np.random.default_rng(seed))


def test_every_step_follows_an_edge():
    club = egonet.named.karate_club()
    edges = {(u, v) for u in range(34) for v in club.indices[club.indptr[u] : club.indptr[u + 1]].tolist()}

    paths = draw(club, Walks(per_node=2, length=30))

    assert paths.shape == (68, 30)
    assert paths[:, 0].tolist() == [*range(34), *range(34)]
    assert {(int(u), int(v)) for path in paths for u, v in pairwise(path)} <= edges


def test_walks_end_at_nodes_without_arcs():
    graph = egonet.Graph.from_edges([(0, 1), (1, 2)], num_nodes=4, directed="out")

    paths = draw(graph, Walks(length=4))

    assert paths.tolist() == [
        [0, 1, 2, NOWHERE],
        [1, 2, NOWHERE, NOWHERE],
        [2, NOWHERE, NOWHERE, NOWHERE],
        [3, NOWHERE, NOWHERE, NOWHERE],
    ]


def test_walks_choose_uniformly_and_lazy_walks_stay():
    star = egonet.Graph.from_edges([(0, leaf) for leaf in range(1, 5)])

    steps = draw(star, Walks(per_node=4000, length=2))
    lazy = draw(star, Walks(per_node=4000, length=2, lazy=True))

    after = np.bincount(steps[steps[:, 0] == 0, 1], minlength=5) / 4000
    assert after[0] == 0
    assert after[1:] == pytest.approx([0.25] * 4, abs=0.04)
    after = np.bincount(lazy[lazy[:, 0] == 0, 1], minlength=5) / 4000
    assert after == pytest.approx([0.2] * 5, abs=0.04)
    leaf = lazy[lazy[:, 0] == 3, 1]
    assert (leaf == 3).mean() == pytest.approx(0.5, abs=0.04)


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
