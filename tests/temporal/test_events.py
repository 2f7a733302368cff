"""Events and queries as rows: which objects raise an error."""

import numpy as np
import pytest
import scipy.sparse

import egonet
from egonet.errors import InputError


@pytest.mark.parametrize(
    "rows", [np.array(7), scipy.sparse.coo_matrix((3, 3)), scipy.sparse.bsr_matrix((3, 3))]
)
def test_arrays_without_rows_are_no_events(rows):
    with pytest.raises(InputError, match="events must be rows"):
        egonet.Stream(1).add(rows)
