"""Sparse count matrices: columns that are merged keep their order."""

import numpy as np
from scipy.sparse import csr_array

from egonet.encoding.matrix import renumber_columns


def test_columns_that_meet_are_one_entry_in_rising_order():
    matrix = csr_array(np.array([[1, 2, 3, 4]], dtype=np.int32))

    moved = renumber_columns(matrix, np.array([2, 0, 2, -1]), num_columns=3)

    assert moved.indices.tolist() == [0, 2]
    assert moved.data.tolist() == [2, 4]
