"""Row ranges of a graph that does not fit in memory."""

import numpy as np

from egonet.kernel.out_of_core import row_ranges


def test_row_ranges_have_as_many_arcs_as_fit():
    # Rows of 2, 3, 1, 9, 0 and 2 arcs: 2 + 3 fit, 1 and 9 do not fit together, 9 is longer than a range.
    assert row_ranges(np.array([0, 2, 5, 6, 15, 15, 17]), 5) == [0, 2, 3, 4, 6]
