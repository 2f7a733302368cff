"""Intervals over test molecules: areas with repeated molecules, and gains whose sign the draws decide."""

import numpy as np
import pytest

from contracts.parts import need

need("sklearn")
need("rdkit")
from sklearn.metrics import roc_auc_score  # noqa: E402

from research.today.resampled_molecules import areas, resample  # noqa: E402


def test_the_area_of_a_draw_is_that_of_its_molecules():
    rng = np.random.default_rng(1)
    target = rng.integers(0, 2, 60)
    predicted = np.round(target * 0.3 + rng.random(60), 1)  # many are level
    counts = rng.multinomial(60, np.full(60, 1 / 60), size=5)

    found = areas(predicted, target, counts)

    expected = [roc_auc_score(np.repeat(target, count), np.repeat(predicted, count)) for count in counts]
    assert found == pytest.approx(expected)


def test_equal_predictions_have_no_gain():
    predicted, target = [np.tile([0.1, 0.9, 0.4, 0.3], 10)], np.tile([0, 1, 0, 1], 10)

    found = resample(predicted, predicted, target, draws=50)

    assert found["score"] == found["rival_score"]
    assert [found[name] for name in ("gain", "low", "high", "p", "in_favor")] == [0, 0, 0, 1, 0.5]


def test_a_gain_in_every_draw_has_the_smallest_p():
    target = np.repeat([0, 1], 50)
    noise = np.tile(np.linspace(0, 1, 50), 2)

    found = resample([target + 0.5 * noise] * 2, [noise] * 2, target, draws=199)

    assert (found["score"], found["rival_score"], found["in_favor"]) == (1, 0.5, 2)
    assert found["gain"] == pytest.approx(50)  # every pair in order, against as by guessing
    assert 0 < found["low"] < 50 < found["high"]
    assert found["p"] == pytest.approx(2 / 200)
