"""Groups of similar nodes, nearest nodes and the colorings of columns."""

import numpy as np
import pytest

from egonet.viz.colorings import category, column_coloring, most_similar, similar_groups


def test_groups_are_the_same_for_the_same_rows():
    rows = np.random.default_rng(1).normal(size=(300, 4))

    assert similar_groups(rows).tolist() == similar_groups(rows.copy()).tolist()


def test_equal_rows_are_in_the_same_group():
    rows = np.repeat(np.random.default_rng(1).normal(size=(30, 4)), 3, axis=0)

    groups = similar_groups(rows).reshape(30, 3)

    assert (groups == groups[:, :1]).all()


def test_there_are_at_most_as_many_groups_as_different_rows():
    assert set(similar_groups(np.array([[0.0], [0.0], [5.0]])).tolist()) == {0, 1}


@pytest.mark.parametrize("num_values", [3, 1000], ids=["many equal rows", "different rows"])
def test_the_nearest_rows_have_the_smallest_distances(num_values):
    rows = np.random.default_rng(2).integers(0, num_values, (200, 2)).astype(float)

    found = most_similar(rows, 5)

    for node, nearest in enumerate(found):
        distances = np.linalg.norm(rows - rows[node], axis=1)
        assert node not in nearest
        assert len(set(nearest.tolist())) == 5
        assert distances[nearest].tolist() == pytest.approx(np.sort(np.delete(distances, node))[:5].tolist())


@pytest.mark.parametrize("num_rows", [0, 1, 3])
def test_few_rows_have_fewer_similar_rows(num_rows):
    assert most_similar(np.zeros((num_rows, 2)), 8).shape == (num_rows, max(0, min(8, num_rows - 1)))


def test_rare_values_share_one_color():
    found = category("letter", [*"aabbccddeeffgg", *"xyz", None])

    assert found["names"] == ["a", "b", "c", "d", "e", "f", "g", "other"]
    assert found["values"][-4:] == [7, 7, 7, 7]


def test_missing_text_has_a_name():
    assert category("letter", ["a", None, "a", float("nan")])["names"] == ["(missing)", "a"]


def test_numbers_keep_their_values_and_text_becomes_categories():
    assert column_coloring("n", np.array([1, 2]))["names"] is None
    assert column_coloring("n", ["1", "2"])["names"] == ["1", "2"]
