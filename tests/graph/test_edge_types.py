"""Types of edges: bins of weights, and graphs in which typed edges are nodes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import egonet
from egonet.encoding.settings import as_weight_bins
from egonet.errors import InputError
from egonet.graph.columns import EdgeTable
from egonet.graph.edge_types import (
    bin_weights,
    quantile_limits,
    subdivide,
)
from egonet.graph.graph import Graph
from egonet.kernel import reference


@given(st.lists(st.floats(0, allow_infinity=False), min_size=1))
def test_log_bins_hold_the_weights_between_their_names(weights):
    for weight, name in zip(weights, bin_weights(np.array(weights), "log").tolist(), strict=True):
        low, _, high = name.partition("to")
        assert float(low) <= weight
        assert weight < float(high) if high else weight == 0


def test_a_weight_that_equals_a_limit_is_above_it():
    assert bin_weights(np.array([9.999, 10.0]), (10.0,)).tolist() == ["below10", "10plus"]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.integers(2, 6))
def test_quantiles_are_weights_that_rise(weights, count):
    limits = quantile_limits(np.array(weights), count)

    assert set(limits) <= set(weights)
    assert list(limits) == sorted(set(limits))


def test_log_bins_of_negative_weights_raise():
    with pytest.raises(InputError, match=r'weight_bins="log" needs weights >= 0, got -2\.0 at edge 1'):
        bin_weights(np.array([1.0, -2.0]), "log")


@pytest.mark.parametrize("bins", ["lin", 1, [], [3, 2], [1, float("nan")], [None], True])
def test_bins_that_are_none_raise(bins):
    with pytest.raises(InputError, match="weight_bins must be"):
        as_weight_bins(bins)


def test_more_quantiles_than_weights_make_every_weight_a_limit():
    weights = np.array([3.0, 1.0, 2.0])

    assert quantile_limits(weights, 4) == quantile_limits(weights, 10**12) == (1.0, 2.0, 3.0)


def graph_of(edges, num_nodes, directed):
    ends = np.array([edge[:2] for edge in edges], dtype=np.int32).reshape(-1, 2)
    graph = Graph.from_indices(ends[:, 0], ends[:, 1], num_nodes, directed=directed)
    return graph.with_table(EdgeTable(ends[:, 0].copy(), ends[:, 1].copy()))


edges_and_types = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 3)), max_size=30)


@given(edges_and_types, st.sampled_from([None, "out", "in"]))
def test_random_graphs_are_subdivided_as_the_reference_says(edges, directed):
    made = subdivide(graph_of(edges, 7, directed), np.array([t for *_, t in edges], dtype=np.int32))

    turned = [(v, u, t) for u, v, t in edges] if directed == "in" else edges
    expected = reference.subdivide(7, turned, [0] * 7, directed=directed is not None)
    for found, wanted in zip((made.indptr, made.indices, made.labels(None)), expected, strict=True):
        assert found.dtype == wanted.dtype
        assert found.tolist() == wanted.tolist()


def test_the_largest_weights_have_a_bin_without_an_end():
    encoding = egonet.encode([("a", "b"), ("b", "c")], 1, weights=[1.0, 1.7e308], weight_bins="log")

    assert encoding["a"] == {(0, 1): 1, (1, 2, "1to2"): 1, (2, 1): 1}
    assert encoding["c"] == {(0, 1): 1, (1, 2, "8.98846567431158e+307toinf"): 1, (2, 1): 1}
