"""The trained rivals: they learn, and the links that they are chosen on are not among those they learn from."""

import numpy as np
import pytest

from egonet import Graph
from research.links import networks, seal
from research.links.benchmark import Problem


@pytest.fixture
def problem():
    """Return two groups of friends; pairs inside them are tested against pairs between them."""
    rng = np.random.default_rng(0)
    pairs = np.array([(u, v) for u in range(40) for v in range(u)])
    is_inside = pairs[:, 0] // 20 == pairs[:, 1] // 20
    is_edge = is_inside & (rng.random(len(pairs)) < 0.5)
    graph = Graph.from_indices(*pairs[is_edge].T, 40)
    return Problem(graph, None, None, pairs[is_inside & ~is_edge], pairs[~is_inside])


@pytest.mark.parametrize(
    "method", [networks.network("GCN"), networks.network("GraphSAGE"), networks.node2vec_boosting, seal.seal]
)
def test_a_rival_finds_two_groups(problem, method, monkeypatch):
    monkeypatch.setattr(networks, "EPOCHS", 60)
    monkeypatch.setattr(seal, "EPOCHS", 3)
    monkeypatch.setattr(seal, "RATE", 3e-3)
    monkeypatch.setattr(networks, "RATES", (0.01,))
    monkeypatch.setattr(networks, "BIASES", ((1.0, 1.0),))
    score = method(problem, 0)

    inside, between = score(problem.positive), score(problem.negative)
    assert np.mean(inside[:, None] > between) > 0.9


def test_the_links_to_choose_by_are_not_among_those_to_learn_from(problem):
    links = networks.divide_links(problem.graph, None, None, np.random.default_rng(0))
    learned = {frozenset(pair) for pair in links.links.tolist()}
    held = {frozenset(pair) for pair in links.validation[links.validation_labels].tolist()}
    others = {frozenset(pair) for pair in links.validation[~links.validation_labels].tolist()}
    edges = {frozenset(pair) for pair in problem.graph.edges().tolist()}

    assert not learned & held
    assert learned | held == edges
    assert not others & edges
