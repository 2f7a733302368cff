"""Scalars: whole numbers, threads and choices, with errors that name the argument."""

import numpy as np
import pytest

from egonet.checks import MAX_THREADS, as_threads, as_whole, one_of
from egonet.errors import InputError


def test_whole_numbers_may_come_from_numpy():
    assert as_whole("radius", np.int8(3)) == 3
    assert type(as_whole("radius", np.int8(3))) is int


@pytest.mark.parametrize("value", [-1, 2.0, True, "2", None])
def test_other_values_are_no_whole_numbers(value):
    with pytest.raises(InputError, match="top must be a whole number >= 0, got"):
        as_whole("top", value)


def test_threads_are_limited_and_zero_is_refused():
    assert (as_threads(None), as_threads(3), as_threads(10**9)) == (0, 3, MAX_THREADS)
    with pytest.raises(InputError, match="threads must be at least 1, got 0"):
        as_threads(0)


def test_a_choice_offers_the_nearest_one():
    one_of("unseen", "clip", ("clip", "ignore"))
    with pytest.raises(InputError, match=r"got 'clipp'\. Did you mean 'clip'\?"):
        one_of("unseen", "clipp", ("clip", "ignore"))
