"""Sparse count matrices: columns that are merged keep their order."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import egonet
from egonet.encoding.matrix import dense_columns, paper_keys, renumber_columns, replace_rows
from egonet.encoding.settings import Settings


def test_columns_that_meet_are_one_entry_in_rising_order():
    matrix = csr_array(np.array([[1, 2, 3, 4]], dtype=np.int32))

    moved = renumber_columns(matrix, np.array([2, 0, 2, -1]), num_columns=3)

    assert moved.indices.tolist() == [0, 2]
    assert moved.data.tolist() == [2, 4]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("threads", ["1", "3"])
def test_dense_columns_are_the_transposed_matrix(monkeypatch, dtype, threads):
    monkeypatch.setenv("EGONET_THREADS", threads)
    rng = np.random.default_rng(4)
    matrix = csr_array(rng.integers(1, 10, (9_000, 40)) * (rng.random((9_000, 40)) < 0.3)).astype(dtype)

    found = dense_columns(matrix)

    assert found.dtype == dtype
    assert found.flags.c_contiguous
    assert np.array_equal(found, matrix.toarray().T)
    assert dense_columns(csr_array((0, 3), dtype=dtype)).shape == (3, 0)
    assert dense_columns(csr_array((3, 0), dtype=dtype)).shape == (0, 3)


def test_new_columns_follow_the_old_columns():
    old, new = csr_array(np.array([[1, 0, 2]])), csr_array(np.array([[3, 4]]))

    matrix, used = replace_rows(old, new, np.array([1]), num_rows=2)

    assert matrix.toarray().tolist() == [[1, 2, 0, 0], [0, 0, 3, 4]]
    assert used.tolist() == [0, 2, 3, 4]


def test_columns_of_the_paper_come_radius_by_radius():
    keys = paper_keys(Settings((1, 2, 0), layout="paper", max_degree=1), 1).tolist()

    assert keys == [[r, d, k] for r in (1, 2, 0) for d in range(r + 1) for k in range(2)]


def test_moving_columns_leaves_the_matrix_given_as_it_was():
    matrix = csr_array(np.array([[1, 2, 0], [0, 3, 4]], dtype=np.int32))
    before = [array.copy() for array in (matrix.data, matrix.indices, matrix.indptr)]

    renumber_columns(matrix, np.array([0, 0, 1]), num_columns=2)

    assert all(map(np.array_equal, before, (matrix.data, matrix.indices, matrix.indptr)))


def test_several_graphs_whose_unseen_keys_are_clipped_to_one_column_are_counted_by_graph():
    learned = egonet.encode(egonet.named.cycle(5), radius=1)

    both = egonet.encode([egonet.named.path(3), egonet.named.star(4)], vocabulary=learned)

    assert both.unseen.num_rows == sum(part.unseen.num_rows for part in both.parts())
    assert both.part(1).unseen.clipped == both.unseen.clipped - both.part(0).unseen.clipped
