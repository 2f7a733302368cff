"""Heuristics of pairs are those of the graph without the pair's edge."""

import numpy as np

from egonet import Graph
from research.links.heuristics import heuristic_columns


def test_heuristics_of_an_edge_are_those_of_the_graph_that_lacks_it():
    rng = np.random.default_rng(0)
    for _ in range(50):
        pairs = [(u, v) for u in range(8) for v in range(u)]
        edges = [pair for pair in pairs if rng.random() < 0.4] + [(7, 6)]
        edges = list(dict.fromkeys(edges))
        whole, lacking = (Graph.from_edges(part, nodes=range(8)) for part in (edges, edges[1:]))

        found, names = heuristic_columns(whole, np.array([edges[0]]), walks=True)
        expected, _ = heuristic_columns(lacking, np.array([edges[0]]), walks=True)

        assert found.shape == (1, len(names))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
