"""Columns of pairs that are known before any pair is seen."""

from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet.pairs.pair_columns import PairSettings, grid_keys

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
