"""Values of nodes and edges are aligned with the graph by name, order, pair, id or index."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import egonet
from egonet.errors import InputError
from egonet.graph.align import align_edges, as_numbers, kept_names


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.array([1.0, np.inf]), r"1 of 2 are not, first inf at edge 1 \(counted from 0\)\.$"),
        (np.array([None, 2], dtype=object), "1 of 2 are not, first None at edge 0"),
        (np.array(["3", "4x"]), "1 of 2 are not, first '4x' at edge 1"),
        (np.array(["007", "4"]), "1 of 2 are not, first '007' at edge 0"),
        (np.array(["3", str(2**53 + 1)]), "1 of 2 would be rounded, first 9007199254740993 at edge 1"),
    ],
)
def test_weights_that_are_no_numbers_raise(values, message):
    with pytest.raises(InputError, match=message):
        as_numbers(values, "weights")


def test_a_weight_beyond_floats_is_an_error():
    with pytest.raises(InputError, match="weights must be finite numbers: 1 of 2 are not"):
        as_numbers(np.array([1, 10**400], dtype=object), "weights")


PATH = egonet.Graph.from_edges([("a", "b"), ("b", "c")])
ONE = np.array([0, 3])


def align(values, graph=PATH, ptr=ONE):
    return align_edges(values, graph, ptr, "edge_labels").tolist()


def test_a_graph_without_a_table_lists_its_edges_in_row_order():
    reverse = egonet.Graph.from_edges([("c", "b"), ("b", "a")])

    assert reverse.given_edges().source.tolist() == [0, 1]
    arcs = egonet.Graph.from_edges([("a", "b")], directed="in")
    assert (arcs.given_edges().source.tolist(), arcs.given_edges().target.tolist()) == ([0], [1])


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


def test_a_table_as_edge_types_is_an_error_in_one_line():
    table = pl.DataFrame({"kind": ["x\n", "y"], "other": ["x", "y"]})

    with pytest.raises(
        InputError, match=r"^'edge_labels' must have one value per edge as given: 2, got .*$"
    ) as caught:
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
    assert as_numbers(np.array(["1", "-2.5e3"]), "weights").tolist() == [1.0, -2500.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda values: egonet.encode([(0, 1)], radius=1, labels=values),
        lambda values: egonet.ring_statistics([(0, 1)], values, 1),
        lambda values: egonet.TemporalEncoder([(0, 1, 1)], 1, labels=values).fit([(0, 2)]),
    ],
)
def test_true_is_no_id_and_not_node_1(call):
    table = pd.DataFrame({"node": pd.Series([0, True], dtype=object), "value": [3, 4]})
    series = pd.Series([3, 4], index=pd.Index([0, True], dtype=object))

    for values in ({0: 3, True: 4}, table, series):
        with pytest.raises(InputError, match=r"the ids of (labels|values) must be numbers or text, got True"):
            call(values)
    call({0.0: 3, np.int64(1): 4})


def test_decimals_are_numbers():
    table = pl.DataFrame({"source": [0], "target": [1], "paid": ["1.5"]}).cast({"paid": pl.Decimal(10, 2)})

    assert egonet.as_graph(table, weights="paid").edge_columns["weights"].tolist() == [1.5]
