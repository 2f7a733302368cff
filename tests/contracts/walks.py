"""What every function that draws random walks promises; `draw(graph, walks)` returns the paths as an array."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import egonet
from egonet.embeddings.skipgram import NOWHERE, Walks

Draw = Callable[[egonet.Graph, Walks], np.ndarray[Any, Any]]


def check_every_step_follows_an_edge(draw: Draw) -> None:
    club = egonet.named.karate_club()
    edges = {(u, v) for u in range(34) for v in club.indices[club.indptr[u] : club.indptr[u + 1]].tolist()}

    paths = draw(club, Walks(per_node=2, length=30))

    assert paths.shape == (68, 30)
    assert paths[:, 0].tolist() == [*range(34), *range(34)]
    assert {(int(u), int(v)) for path in paths for u, v in pairwise(path)} <= edges


def check_walks_end_at_nodes_without_arcs(draw: Draw) -> None:
    graph = egonet.Graph.from_edges([(0, 1), (1, 2)], num_nodes=4, directed="out")

    paths = draw(graph, Walks(length=4))

    assert paths.tolist() == [
        [0, 1, 2, NOWHERE],
        [1, 2, NOWHERE, NOWHERE],
        [2, NOWHERE, NOWHERE, NOWHERE],
        [3, NOWHERE, NOWHERE, NOWHERE],
    ]


def check_walks_choose_uniformly_and_lazy_walks_stay(draw: Draw) -> None:
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


CHECKS = [
    check_every_step_follows_an_edge,
    check_walks_end_at_nodes_without_arcs,
    check_walks_choose_uniformly_and_lazy_walks_stay,
]
