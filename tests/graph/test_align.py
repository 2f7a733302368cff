"""Types of edges: bins of weights, and graphs in which typed edges are nodes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import egonet
from egonet.attributes.edge_types import (
    align_edges,
    as_numbers,
    bin_weights,
    kept_names,
    quantile_limits,
    subdivide,
    table_of,
)
from egonet.encoding.settings import as_weight_bins
from egonet.errors import InputError
from egonet.graph.edge_table import EdgeTable
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


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.array([1.0, np.inf]), r"1 of 2 are not, first inf at edge 1 \(counted from 0\)\.$"),
        (np.array([None, 2], dtype=object), "1 of 2 are not, first None at edge 0"),
        (np.array(["3", "4"]), "2 of 2 are not, first '3' at edge 0"),
    ],
)
def test_weights_that_are_no_numbers_raise(values, message):
    with pytest.raises(InputError, match=message):
        as_numbers(values, "weights")


def test_log_bins_of_negative_weights_raise():
    with pytest.raises(InputError, match=r'weight_bins="log" needs weights >= 0, got -2\.0 at edge 1'):
        bin_weights(np.array([1.0, -2.0]), "log")


@pytest.mark.parametrize("bins", ["lin", 1, [], [3, 2], [1, float("nan")], [None], True])
def test_bins_that_are_none_raise(bins):
    with pytest.raises(InputError, match="weight_bins must be"):
        as_weight_bins(bins)


def test_a_weight_beyond_floats_is_an_error():
    with pytest.raises(InputError, match="weights must be finite numbers: 1 of 2 are not"):
        as_numbers(np.array([1, 10**400], dtype=object), "weights")


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


def test_edges_outside_another_graph_are_left_out():
    graph = Graph.from_edges([(0, 1), (1, 2)], 3)
    made = subdivide(graph, np.array([4, 5], dtype=np.int32), within=Graph.from_edges([(2, 1)], 3))

    assert made.types.tolist() == [5]
    assert made.indptr.tolist() == [0, 0, 1, 2, 4]


PATH = egonet.Graph.from_edges([("a", "b"), ("b", "c")])
ONE = np.array([0, 3])


def align(values, graph=PATH, ptr=ONE):
    return align_edges(values, graph, ptr, "edge_labels").tolist()


def test_a_graph_without_a_table_lists_its_edges_in_row_order():
    reverse = egonet.Graph.from_edges([("c", "b"), ("b", "a")])

    assert table_of(reverse).source.tolist() == [0, 1]
    arcs = egonet.Graph.from_edges([("a", "b")], directed="in")
    assert (table_of(arcs).source.tolist(), table_of(arcs).target.tolist()) == ([0], [1])


def test_sequences_are_in_the_order_of_the_edges():
    assert align(["x", "y"]) == ["x", "y"]
    assert align(np.array([3, 4])) == [3, 4]
    assert align(pd.Series(["x", "y"])) == ["x", "y"]


def test_mappings_name_pairs_in_either_order():
    assert align({("c", "b"): "y", ("a", "b"): "x", ("b", "a"): "x"}) == ["x", "y"]
    index = pd.MultiIndex.from_tuples([("b", "c"), ("a", "b")])
    assert align(pd.Series(["y", "x"], index=index)) == ["x", "y"]


def test_several_graphs_take_one_of_each():
    union, ptr = egonet.graph.union.disjoint_union([PATH, PATH])

    assert align([["x", "y"], {("a", "b"): "z", ("b", "c"): "w"}], union, ptr) == ["x", "y", "z", "w"]
    assert align(["x", "y", "z", "w"], union, ptr) == ["x", "y", "z", "w"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["x"], r"^edge_labels must have one value per edge as given: 2, got 1\.$"),
        ({("a", "b"): "x"}, r"must name every edge: 1 of 2 are missing, first \('b', 'c'\)\.$"),
        (
            {("a", "b"): 1, ("b", "c"): 1, ("a", "z"): 1},
            r"must name edges of the graph only: 1 of 3 pairs are not in it, first \('a', 'z'\)",
        ),
        ({("a", "b"): 1, ("b", "a"): 2, ("b", "c"): 1}, r"names the edge \('b', 'a'\) twice, with 1 and 2"),
        ({"ab": 1}, "must have pairs of node ids as keys, got 'ab'"),
        ("bond", "the graph has no edge attribute 'bond'. It has none: give keep= to keep some"),
        (5, "must be the name of an edge attribute, one value per edge, or a mapping of pairs, got 5"),
        (pd.Series(["x", "y"], index=[7, 8]), "the index of edge_labels must count the edges from 0"),
        (np.zeros((2, 3)), "must have one value per edge as given: 2, got shape"),
        (
            pd.Series([1, 2, 3], index=pd.MultiIndex.from_tuples([("a", "b"), ("b", "c"), ("a", "b")])),
            r"^edge_labels must name every edge once, got \('a', 'b'\) twice\. Drop the repeats, or give to_numpy",
        ),
        (
            pd.DataFrame({"kind": ["x", "y"], "other": ["x", "y"]}),
            r"per edge, got a table\. Give one column of it\.",
        ),
    ],
)
def test_what_does_not_fit_raises(values, message):
    with pytest.raises(InputError, match=message):
        align(values)


def test_a_list_of_the_wrong_length_raises():
    union, ptr = egonet.graph.union.disjoint_union([PATH, PATH])

    with pytest.raises(InputError, match=r"edge_labels must have one entry per graph: 2, got 1\."):
        align([["x", "y"]], union, ptr)
    with pytest.raises(InputError, match=r"names the edges of one graph, got 2 graphs"):
        align({("a", "b"): 1}, union, ptr)


def test_only_names_are_kept():
    assert kept_names("bond", [1, 2]) == ("bond",)
    assert kept_names(None, None) is None


def test_the_largest_weights_have_a_bin_without_an_end():
    encoding = egonet.encode([("a", "b"), ("b", "c")], 1, weights=[1.0, 1.7e308], weight_bins="log")

    assert encoding["a"] == {(0, 1): 1, (1, 2, "1to2"): 1, (2, 1): 1}
    assert encoding["c"] == {(0, 1): 1, (1, 2, "8.98846567431158e+307toinf"): 1, (2, 1): 1}


def test_a_table_as_edge_types_is_an_error_in_one_line():
    table = pl.DataFrame({"kind": ["x\n", "y"], "other": ["x", "y"]})

    with pytest.raises(InputError, match=r"^edge_labels must be .*$") as caught:
        egonet.encode([("a", "b"), ("b", "c")], 1, edge_labels=table)
    assert str(caught.value).isprintable()


EVENTS = pd.DataFrame({"source": list("abc"), "target": list("bcd"), "time": [3, 1, 2], "kind": list("zxy")})
SORTED = EVENTS.sort_values("time")[["source", "target"]]


@pytest.mark.parametrize("kinds", [EVENTS["kind"], EVENTS.sort_values("time")["kind"], EVENTS["kind"][::-1]])
@pytest.mark.parametrize("edges", [EVENTS[["source", "target"]], SORTED])
def test_a_series_is_aligned_with_the_index_of_the_edge_table(edges, kinds):
    assert egonet.encode(edges, 1, edge_labels=kinds)["a"] == {(0, 1): 1, (1, 2, "z"): 1, (2, 1): 1}
    both = egonet.encode([edges, [("a", "b")]], 1, edge_labels=[kinds, ["w"]])
    assert both.part(0)["a"] == {(0, 1): 1, (1, 2, "z"): 1, (2, 1): 1}


def test_values_of_edges_are_aligned_with_the_index_in_statistics():
    found = egonet.ring_statistics(SORTED, pd.Series([100.0, 1.0, 1.0]), 1, ["sum"], on="edges")

    assert found["a"] == {"edge_d0_sum": 100.0}


def test_one_series_of_several_tables_has_the_index_of_all_of_them():
    tables = [SORTED.iloc[:2], SORTED.iloc[2:]]

    assert egonet.encode(tables, 1, edge_labels=EVENTS["kind"]).part(1)["a"] == {
        (0, 1): 1,
        (1, 2, "z"): 1,
        (2, 1): 1,
    }


def test_an_index_that_repeats_must_be_that_of_the_edge_table():
    twice = pd.concat([EVENTS, EVENTS.iloc[:1]])
    edges = twice[["source", "target"]]

    assert egonet.encode(edges, 1, edge_labels=twice["kind"])["a"][(1, 2, "z")] == 1
    with pytest.raises(
        InputError, match=r"they differ and labels repeat\. Name a column of the edge table, or give"
    ):
        egonet.encode(edges, 1, edge_labels=twice["kind"][::-1])


def test_an_index_with_other_labels_than_the_edge_table_raises():
    part = EVENTS[["source", "target"]].iloc[1:]

    with pytest.raises(
        InputError, match=r"1 of 2 rows have no value, first 2\. Name a column .* to_numpy\(\)"
    ):
        egonet.encode(part, 1, edge_labels=pd.Series(["x", "y"]))
    assert egonet.encode(part, 1, edge_labels=np.array(["x", "y"]))["d"][(1, 2, "y")] == 1


def test_a_graph_without_a_table_does_not_change_the_order_of_another():
    edges, types = [(2, 3), (0, 1), (1, 2)], [7, 7, 9]

    alone = egonet.encode(edges, 1, edge_labels=types)
    both = egonet.encode([egonet.Graph.from_edges([(0, 1)]), edges], 1, edge_labels=[[7], types])

    assert [both.part(1)[node] for node in range(4)] == [alone[node] for node in range(4)]


def test_a_field_that_is_no_number_is_named_and_not_the_numbers_around_it():
    with pytest.raises(InputError, match=r"1 of 3 are not, first 'n/a' at edge 1 \(counted from 0\)"):
        as_numbers(np.array(["1.5", "n/a", "2"]), "weights")
    with pytest.raises(InputError, match="2 of 2 are not, first '1'"):
        as_numbers(np.array(["1", "2"]), "weights")
