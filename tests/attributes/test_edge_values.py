"""One value per edge, however it is given; what does not fit is an error of one sentence."""

import numpy as np
import pandas as pd
import pytest

import egonet
from egonet.attributes.edge_values import align_edges, kept_names, table_of
from egonet.errors import InputError

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
