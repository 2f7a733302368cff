"""What is reached without any network, on graphs small enough to do by hand."""

import numpy as np
import pytest

from research.datasets.graph_set import from_arcs
from research.paper.baselines import classification_baselines, regression_baselines

#: Two single nodes and two paths of three.
SIZES, ARCS = np.array([1, 1, 3, 3]), np.array([[2, 3], [3, 4], [5, 6], [6, 7]])


def test_sizes_tell_classes_apart_that_the_majority_does_not():
    data = from_arcs(
        "toy",
        SIZES,
        ARCS,
        labels=np.zeros(8, dtype=np.int64),
        targets=np.array([0, 0, 1, 1]),
        splits=((np.array([0, 2]), np.array([1, 3])),),
    )

    found = classification_baselines(data)

    assert found == {"majority class": 50.0, "node count": 100.0, "label histogram": 100.0}


def test_counts_explain_a_target_that_is_twice_the_size():
    data = from_arcs(
        "toy",
        SIZES,
        ARCS,
        targets=2.0 * SIZES[:, None],
        splits=((np.array([0, 2]), np.array([]), np.array([1, 3])),),
        target_names=("twice",),
    )

    found = regression_baselines(data)

    # The training targets are 2 and 6, their mean 4, and the test targets 2 and 6 again.
    assert found["training mean"] == {"twice": 4.0}
    assert found["node and edge counts"]["twice"] == pytest.approx(0.0, abs=1e-20)
