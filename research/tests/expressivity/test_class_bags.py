"""Bags of classes: WL colors with bonds, bags, and the ridge that is fitted on them."""

import numpy as np
import pytest

from egonet import Graph, named, wl_colors
from research.expressivity.class_bags import bag, kernel_ridge, log_p, wl_rounds
from research.expressivity.refined_features import Molecules


def same_partition(left, right):
    return len(set(left)) == len(set(right)) == len(set(zip(left, right, strict=True)))


def test_enough_rounds_are_stable_colors():
    graph = named.karate_club()
    rounds = wl_rounds(graph, np.zeros(34, dtype=np.int64), None, 10)

    assert same_partition(rounds[-1].tolist(), wl_colors(graph).tolist())


def test_a_neighbor_counts_with_its_bond():
    path = Graph.from_edges([(0, 1), (1, 2)])
    start = np.zeros(3, dtype=np.int64)

    assert wl_rounds(path, start, None, 1)[1].tolist() == [0, 1, 0]
    assert wl_rounds(path, start, np.array([1, 2]), 1)[1].tolist() == [0, 1, 2]


def test_a_bag_counts_the_classes_of_every_graph():
    found = bag([np.array([0, 1, 1, 0]), np.array([0, 0, 0, 0])], np.array([0, 3, 4]))

    assert found.toarray().tolist() == [[1, 2, 3], [1, 0, 1]]


def test_ridge_learns_what_two_columns_say():
    rows = np.array([[1.0, 0.0], [0.0, 1.0]] * 10)
    targets, every = np.array([0, 1] * 10), np.arange(20)

    assert kernel_ridge(rows @ rows.T, targets, every[:14], every[14:]) == 1.0


def test_log_p_of_ethanol(need):
    """RDKit's value for CCO is -0.0014; the target has mean 2.457 and deviation 1.434."""
    need("rdkit")
    ethanol = Molecules(
        Graph.from_edges([(0, 1), (1, 2)]),
        np.array([0, 3]),
        np.array([0, 0, 1]),
        np.array([1, 1]),
        np.empty(0),
        (),
    )

    assert log_p(ethanol) == pytest.approx([(-0.0014 - 2.4571) / 1.4343], abs=1e-3)
