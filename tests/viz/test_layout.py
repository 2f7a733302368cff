"""Layouts keep distances and are deterministic."""

import numpy as np
import pytest

import egonet
import egonet.viz
from egonet import named


def test_layouts_keep_distances_and_are_deterministic():
    square = egonet.viz.layout.layout(named.cycle(4))

    sides = [np.hypot(*(square[v] - square[(v + 1) % 4])) for v in range(4)]
    assert sides == pytest.approx([sides[0]] * 4, rel=0.01)
    assert np.array_equal(square, egonet.viz.layout.layout(named.cycle(4)))


def test_components_are_drawn_apart():
    positions = egonet.viz.layout.layout(egonet.as_graph([(0, 1), (2, 3)]))

    assert np.hypot(*(positions[:2].mean(0) - positions[2:].mean(0))) > 1.5
