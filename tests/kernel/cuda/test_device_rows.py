"""Rows on the device: their conversion to a sparse tensor."""

import numpy as np

from contracts.parts import need
from egonet.kernel.cuda.device_rows import DeviceRows, Entries


def test_rows_become_a_sparse_tensor_without_a_warning():
    need("torch")
    columns, counts = np.array([0, 1, 1], dtype=np.int32), np.array([1, 2, 3], dtype=np.int32)
    keys = np.array([[0, 1], [1, 1]])
    entries = Entries(columns, counts, 3)
    rows = DeviceRows(np.array([0, 2, 3]), entries, lambda: np.arange(2), keys.__getitem__, None)
    assert rows.to_torch().to_dense().tolist() == [[1, 2], [0, 3]]
