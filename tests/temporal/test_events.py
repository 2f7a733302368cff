"""Events and queries as rows: which objects raise an error, and what is aligned with the index of a table."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import egonet
from egonet.errors import InputError
from egonet.tables.schemas import EventColumns
from egonet.temporal.events import as_events


@pytest.mark.parametrize(
    "rows", [np.array(7), scipy.sparse.coo_matrix((3, 3)), scipy.sparse.bsr_matrix((3, 3))]
)
def test_arrays_without_rows_are_no_events(rows):
    with pytest.raises(InputError, match="events must be a table, a file or tuples"):
        egonet.Stream(1).add(rows)


def test_a_series_of_types_is_aligned_with_the_index_of_the_events():
    late = pd.DataFrame(
        {"source": list("abc"), "target": list("bcd"), "time": [3, 1, 2], "kind": list("zxy")}
    )
    events = late.sort_values("time")[["source", "target", "time"]]

    for kinds in (late["kind"], late.sort_values("time")["kind"]):
        encoder = egonet.TemporalEncoder(events, 1, edge_labels=kinds).fit([("a", 4)])
        assert encoder.encode([("a", 4)])[("a", 4)] == {(0, 1): 1, (1, 2, "z"): 1, (2, 1): 1}


def test_a_column_of_times_is_found_in_capitals():
    frame = pd.DataFrame({"SOURCE": ["a"], "TARGET": ["b"], "TIME": [3]})

    assert as_events(frame, EventColumns()).times.values.tolist() == [3]
    with pytest.raises(InputError, match="there is no column 'time'"):
        as_events(frame.assign(Time=4), EventColumns())
