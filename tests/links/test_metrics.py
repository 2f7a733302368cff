"""Ranks of links among their negatives."""

import numpy as np
import pytest

from egonet.errors import InputError
from egonet.links import hits_at, mean_reciprocal_rank
from egonet.links.metrics import ranks_among


def test_a_tie_has_the_middle_rank():
    assert ranks_among([2.0], [[3.0, 2.0, 2.0, 1.0]]).tolist() == [3.0]


def test_shared_negatives_give_the_ranks_of_repeated_ones():
    positive, negative = np.array([0.5, 2.0, 1.0]), np.array([1.0, 1.0, 3.0, 0.0])

    assert (
        ranks_among(positive, negative).tolist() == ranks_among(positive, np.tile(negative, (3, 1))).tolist()
    )


def test_constant_scores_are_worth_the_middle_of_all_ranks():
    assert mean_reciprocal_rank([1.0], [[1.0] * 9]) == pytest.approx(1 / 5.5)
    assert hits_at(5, [1.0], [[1.0] * 9]) == 0.0
    assert hits_at(6, [1.0], [[1.0] * 9]) == 1.0


def test_a_score_that_is_not_a_number_is_an_error():
    with pytest.raises(InputError, match="positive must be finite scores, got 1 of 2"):
        mean_reciprocal_rank([np.nan, 1.0], [1.0])


def test_negatives_of_another_number_of_links_are_an_error():
    with pytest.raises(InputError, match="one row of scores per link, 2 rows"):
        hits_at(1, [1.0, 2.0], [[1.0], [1.0], [1.0]])


def test_hits_at_zero_is_an_error():
    with pytest.raises(InputError, match="k must be a whole number >= 1, got 0"):
        hits_at(0, [1.0], [1.0])


def test_ranks_need_negatives_and_numbers():
    with pytest.raises(InputError, match="negative must have at least one score, got none"):
        mean_reciprocal_rank([1.0], [])
    with pytest.raises(InputError, match="positive must be scores"):
        hits_at(1, ["a"], [1.0])
