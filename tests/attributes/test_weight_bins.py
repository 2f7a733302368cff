"""Weights as bins: names, limits, quantiles, and numbers that are none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from egonet.attributes.weight_bins import as_numbers, bin_weights, quantile_limits
from egonet.encoding.settings import as_weight_bins
from egonet.errors import InputError


@given(st.lists(st.floats(0, 1e300), min_size=1))
def test_log_bins_hold_the_weights_between_their_names(weights):
    for weight, name in zip(weights, bin_weights(np.array(weights), "log").tolist(), strict=True):
        low, _, high = name.partition("to")
        assert float(low) <= weight
        assert weight < float(high) if high else weight == 0


def test_a_weight_that_equals_a_limit_is_above_it():
    assert bin_weights(np.array([9.999, 10.0]), (10.0,)).tolist() == ["below10", "10plus"]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.integers(2, 6))
def test_quantiles_are_weights_that_rise(weights, count):
    limits = quantile_limits(np.array(weights), count)

    assert set(limits) <= set(weights)
    assert list(limits) == sorted(set(limits))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.array([1.0, np.inf]), r"1 of 2 are not, first inf at edge 1 \(counted from 0\)\.$"),
        (np.array([None, 2], dtype=object), "1 of 2 are not, first None at edge 0"),
        (np.array(["3", "4"]), "2 of 2 are not, first '3' at edge 0"),
    ],
)
def test_weights_that_are_no_numbers_raise(values, message):
    with pytest.raises(InputError, match=message):
        as_numbers(values, "weights")


def test_log_bins_of_negative_weights_raise():
    with pytest.raises(InputError, match=r'weight_bins="log" needs weights >= 0, got -2\.0 at edge 1'):
        bin_weights(np.array([1.0, -2.0]), "log")


@pytest.mark.parametrize("bins", ["lin", 1, [], [3, 2], [1, float("nan")], [None], True])
def test_bins_that_are_none_raise(bins):
    with pytest.raises(InputError, match="weight_bins must be"):
        as_weight_bins(bins)


def test_a_weight_beyond_floats_is_an_error():
    with pytest.raises(InputError, match="weights must be finite numbers: 1 of 2 are not"):
        as_numbers(np.array([1, 10**400], dtype=object), "weights")


def test_more_quantiles_than_weights_make_every_weight_a_limit():
    weights = np.array([3.0, 1.0, 2.0])

    assert quantile_limits(weights, 4) == quantile_limits(weights, 10**12) == (1.0, 2.0, 3.0)
