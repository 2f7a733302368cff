"""Random walks drawn by torch: they follow edges, end where there is nowhere to go, and choose neighbors evenly."""

from itertools import pairwise

import numpy as np
import pytest

import egonet
from contracts.parts import need
from egonet.embeddings.walks import NOWHERE, Walks

torch = need("torch")
from experiments.paper.nodes.skipgram import device_walks  # noqa: E402


def draw(graph, walks, seed=1):
    indices = torch.from_numpy(np.append(graph.indices, np.int32(0)))
    random = torch.Generator().manual_seed(seed)
    return device_walks(torch.from_numpy(graph.indptr.copy()), indices, walks, random).numpy()


def test_every_step_follows_an_edge():
    club = egonet.named.karate_club()
    edges = {(u, v) for u in range(34) for v in club.indices[club.indptr[u] : club.indptr[u + 1]].tolist()}

    paths = draw(club, Walks(per_node=2, length=30))

    assert paths.shape == (68, 30)
    assert paths[:, 0].tolist() == [*range(34), *range(34)]
    assert {(int(u), int(v)) for path in paths for u, v in pairwise(path)} <= edges


def test_walks_end_where_arcs_end():
    graph = egonet.Graph.from_edges([(0, 1), (1, 2)], num_nodes=4, directed="out")

    paths = draw(graph, Walks(length=4))

    assert paths.tolist() == [
        [0, 1, 2, NOWHERE],
        [1, 2, NOWHERE, NOWHERE],
        [2, NOWHERE, NOWHERE, NOWHERE],
        [3, NOWHERE, NOWHERE, NOWHERE],
    ]


def test_neighbors_are_equally_likely_and_lazy_walks_stay_with_their_share():
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
