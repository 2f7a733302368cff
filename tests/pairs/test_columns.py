"""Columns of pairs that do not depend on the pairs: one for every key up to a largest degree."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet.encoding.saved import read_vocabulary
from egonet.encoding.settings import PairSettings
from egonet.pairs.columns import grid_keys

NODES = st.integers(0, 7)
TWO = st.tuples(NODES, NODES).filter(lambda pair: pair[0] != pair[1])


@settings(max_examples=100, deadline=None)
@given(
    st.lists(TWO, min_size=1),
    st.lists(TWO, min_size=1),
    st.integers(0, 3),
    st.booleans(),
    st.sampled_from([None, "log"]),
    st.booleans(),
)
def test_the_grid_has_every_key_that_occurs(edges, pairs, radius, ordered, bins, without_edge):
    graph = egonet.Graph.from_edges(edges, num_nodes=8)
    options = {"max_degree": 5, "ordered": ordered, "degree_bins": bins, "without_edge": without_edge}

    found = egonet.encode_pairs(graph, pairs, radius, **options).vocabulary.keys.tolist()
    grid = grid_keys(PairSettings(radius, **options)).tolist()

    assert {tuple(key) for key in found} <= {tuple(key) for key in grid}
    assert grid == sorted(grid)


def test_flags_of_numpy_are_kept_as_plain_python_that_can_be_written(tmp_path):
    given = {"ordered": np.bool_(True), "without_edge": np.bool_(False), "max_degree": np.int64(3)}
    encoding = egonet.encode_pairs([("a", "b"), ("b", "c")], [("a", "c")], 1, **given)
    encoding.write(tmp_path / "pairs.parquet")

    assert encoding.settings == PairSettings(1, ordered=True, without_edge=False, max_degree=3)
    assert read_vocabulary(tmp_path / "pairs.parquet").settings == encoding.settings
