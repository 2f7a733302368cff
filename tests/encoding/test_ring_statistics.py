"""Ring statistics equal the reference to the byte, for any order and number of threads."""

import math

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet.errors import IgnoredInputWarning, InputError, MemoryLimitError, UnknownNodeError
from egonet.kernel import reference

PATH = [("a", "b"), ("b", "c")]
numbers = st.floats(-1e200, 1e200, allow_nan=False, allow_infinity=False)
graphs = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=25)


def as_bytes(found):
    return np.array(found, dtype=np.float64).tobytes()


@given(graphs, st.lists(numbers, min_size=8, max_size=8), st.integers(0, 3), st.sampled_from([1, 3]))
@settings(max_examples=150)
def test_nodes_have_the_statistics_of_the_reference(edges, values, radius, threads):
    graph = egonet.Graph.from_edges(edges, 8)

    found = egonet.ring_statistics(
        graph, values, radius, ["sum", "min", "max", "count", "mean"], threads=threads
    )

    rows = [graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist() for v in range(8)]
    given_ = {v: value + 0.0 for v, value in enumerate(values)}
    for root in range(8):
        expected = []
        for distance in range(radius + 1):
            total, low, high, count = reference.ring_values(rows, root, distance, given_)
            none = [total, math.nan, math.nan, 0, math.nan]
            expected += [total, low, high, count, total / count] if count else none
        assert as_bytes(found.values[root]) == as_bytes(expected)


@given(st.permutations([1e100, 1.0, -1e100, 1e-30, 3.5, -1.0]))
def test_the_order_of_nodes_does_not_matter(values):
    star = [(0, leaf) for leaf in range(1, 7)]

    found = egonet.ring_statistics(star, [0.0, *values], 1, ["sum"])

    assert found[0]["d1_sum"] == 3.5


edges_with_values = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([1.0, 2.5, -3.0])), max_size=20
)


@pytest.mark.filterwarnings("ignore::egonet.errors.IgnoredInputWarning")  # loops are drawn, too
@given(edges_with_values, st.integers(1, 3), st.sampled_from([None, "out"]))
@settings(max_examples=150)
def test_edges_have_the_statistics_of_the_reference(edges, radius, directed):
    graph = egonet.as_graph([edge[:2] for edge in edges], num_nodes=6, directed=directed, keep=[])
    values = [value for *_, value in edges]

    found = egonet.ring_statistics(graph, values, radius, ["sum", "count"], on="edges")

    counted = {}
    for u, v, value in edges:
        if u != v:
            way = 0 if directed or u < v else 1
            ends = (u, v) if directed else (min(u, v), max(u, v))
            counted.setdefault((*ends, value), [0, 0])[way] += 1
    listed = [edge for edge, ways in counted.items() for _ in range(max(ways))]
    rows = [graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist() for v in range(6)]
    for root in range(6):
        distance = reference.distances(rows, root, radius)
        for ring in range(radius):
            inside = [
                value
                for u, v, value in listed
                if (distance.get(u, 99) if directed else min(distance.get(u, 99), distance.get(v, 99)))
                == ring
            ]
            assert found[root][f"edge_d{ring}_sum"] == math.fsum(inside)
            assert found[root][f"edge_d{ring}_count"] == len(inside)


def test_columns_have_names_and_become_a_frame():
    frame = pd.DataFrame({"age": [1, 2, 4], "income": [10, 20, 40]}, index=["c", "b", "a"])

    found = egonet.ring_statistics(PATH, frame, 1, ["sum", "mean"])

    assert found.feature_names[:4] == ["d0_age_sum", "d0_age_mean", "d0_income_sum", "d0_income_mean"]
    assert found.to_pandas().loc["b", "d1_age_sum"] == 5
    assert found.to_pandas().index.name == "node"


PEOPLE = {"node": [3, 2, 1, 0], "age": [30.0, 20.0, 10.0, 0.0]}


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_column_of_ids_aligns_a_table(table):
    found = egonet.ring_statistics([(0, 1), (1, 2), (2, 3)], table(PEOPLE), 0, ["sum"])

    assert found.feature_names == ["d0_age_sum"]
    assert found.values.tolist() == [[0], [10], [20], [30]]


def test_edge_attributes_come_by_name():
    table = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "amount": [0.5, 0.25], "fee": [1, 2]})
    ends = {"source": "source", "target": "target"}

    found = egonet.ring_statistics(table, ["amount", "fee"], 2, ["sum"], on="edges", **ends)

    assert found["a"] == {
        "edge_d0_amount_sum": 0.5,
        "edge_d0_fee_sum": 1,
        "edge_d1_amount_sum": 0.25,
        "edge_d1_fee_sum": 2,
    }


def test_arcs_are_followed_as_they_were_read():
    out = egonet.ring_statistics(PATH, {"a": 1, "b": 2, "c": 4}, 2, ["sum"], directed="out")
    into = egonet.ring_statistics(PATH, {"a": 1, "b": 2, "c": 4}, 2, ["sum"], directed="in")

    assert out["a"] == {"d0_sum": 1, "d1_sum": 2, "d2_sum": 4}
    assert into["a"] == {"d0_sum": 1, "d1_sum": 0, "d2_sum": 0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"values": [1, 2]},
            r"^values must have one entry per node: 3, got 2\. For values of edges say on=.edges.\.$",
        ),
        (
            {"values": [1, float("nan"), 2]},
            "values must be finite numbers: 1 of 3 are not, first nan at node 1",
        ),
        (
            {"values": pl.DataFrame({"age": [1, 2, 3]})},
            "a table of values must have a column 'node' or 'id', got the columns 'age'",
        ),
        ({"values": {"a": 1}}, "values must name every node: 2 of 3 are missing, first 'b', 'c'"),
        ({"values": {"a": 1, "b": 1, "c": 1, "d": 1}}, "1 of 4 ids are not in it, first 'd'"),
        ({"values": "amount", "on": "nodes"}, "values must be one number per node, got 'amount'"),
        (
            {"values": "amount", "on": "edges", "graph": PATH},
            "a list of pairs has no edge attributes, got 'amount'",
        ),
        (
            {"statistics": ["median"]},
            "statistics must be one of 'sum', 'mean', 'min', 'max', 'count', got 'median'",
        ),
        ({"statistics": "sum"}, "statistics must be a list such as"),
        ({"on": "arcs"}, "on must be one of 'nodes', 'edges', got 'arcs'"),
        ({"radius": -1}, "radius must be a whole number >= 0, got -1"),
        ({"values": [1e300, 0, 0]}, "values must be smaller than"),
        ({"graph": [egonet.named.path("ab"), egonet.named.path("ab")]}, "takes one graph, got several"),
    ],
)
def test_what_statistics_cannot_take_raises(arguments, message):
    given_ = {"graph": egonet.as_graph(PATH), "values": [1, 2, 3], "radius": 1} | arguments

    with pytest.raises(InputError, match=message):
        egonet.ring_statistics(**given_)


@pytest.mark.parametrize("on", ["nodes", "edges"])
@pytest.mark.parametrize("radius", [10**13, 2**70])
def test_a_table_that_does_not_fit_in_memory_raises(radius, on):
    values = [1, 2, 3] if on == "nodes" else [1, 2]

    with pytest.raises(MemoryLimitError, match=rf"radius {radius:,} gives .* Use a smaller radius\.$"):
        egonet.ring_statistics(egonet.as_graph(PATH), values, radius, on=on)


def test_rows_of_unknown_nodes_raise():
    with pytest.raises(UnknownNodeError, match="no row belongs to node 'z'"):
        egonet.ring_statistics(egonet.as_graph(PATH), [1, 2, 3], 1)["z"]


def test_many_threads_return_the_bytes_of_one():
    rng = np.random.default_rng(0)
    graph = egonet.Graph.from_indices(*rng.integers(0, 500, (2, 3000)), 500)
    values = rng.normal(size=(500, 3)) * 10.0 ** rng.integers(-20, 20, (500, 3))

    one, four = (egonet.ring_statistics(graph, values, 2, threads=count) for count in (1, 4))

    assert one.values.tobytes() == four.values.tobytes()


@pytest.mark.parametrize("table", [pd.DataFrame(), pd.DataFrame(index=["a", "b"])])
def test_table_without_columns_is_an_error(table):
    with pytest.raises(InputError, match="values must have at least one column"):
        egonet.ring_statistics([("a", "b")], table, 1)


@pytest.mark.parametrize("values", [np.array(3), np.zeros((3, 0)), 3.0, "weight of three"])
def test_values_of_nodes_that_are_no_column_raise(values):
    with pytest.raises(InputError, match="values must be one number per node"):
        egonet.ring_statistics(egonet.named.path("abc"), values, 1, on="nodes")


def test_a_single_value_for_all_edges_raises():
    with pytest.raises(InputError, match="values must be the name of an edge attribute, one value per edge"):
        egonet.ring_statistics(egonet.named.path("abc"), np.array(3), 1, on="edges")


def test_a_name_is_that_of_an_edge_attribute_or_of_nodes_of_networkx():
    table = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "amount": [5.0, 2.0]})
    path = nx.path_graph(3)
    nx.set_node_attributes(path, {0: 1, 1: 2, 2: 4}, "age")
    nx.set_edge_attributes(path, {(0, 1): 5, (1, 2): 2}, "amount")

    of_edges = egonet.ring_statistics(table, "amount", 1, ["sum"], source="source", target="target")
    of_path = egonet.ring_statistics(path, "amount", 1, ["sum"])
    of_nodes = egonet.ring_statistics(path, "age", 1, ["sum"])

    assert of_edges["b"] == of_path[1] == {"edge_d0_amount_sum": 7.0}
    assert of_nodes[1] == {"d0_sum": 2.0, "d1_sum": 5.0}
    nx.set_node_attributes(path, 1, "amount")
    with pytest.raises(InputError, match=r"nodes and edges have the attribute 'amount'\. Set on="):
        egonet.ring_statistics(path, "amount", 1)
    with pytest.raises(InputError, match="no node of the graph has the attribute 'size'"):
        egonet.ring_statistics(path, "size", 1, on="nodes")
    with pytest.raises(
        InputError, match=r'one entry per node: 3, got 2\. For values of edges say on="edges"'
    ):
        egonet.ring_statistics(path, [1, 2], 1)


def test_a_row_is_found_by_the_id_of_its_node_alone():
    grid = egonet.ring_statistics(nx.grid_2d_graph(2, 2), [1, 2, 3, 4], 0, ["sum"])
    assert grid[(1, 0)] == {"d0_sum": 3.0}

    path = egonet.ring_statistics([(0, 1), (1, 2)], [5, 6, 7], 0, ["sum"])
    assert path[np.int64(1)] == {"d0_sum": 6.0}
    for other in (True, 1.5, -1, 3, "1", [1]):
        with pytest.raises(UnknownNodeError, match="no row belongs to node"):
            path[other]


@pytest.mark.parametrize(("threads", "message"), [(-2, "got -2"), ("2", "got '2'"), (0, "at least 1, got 0")])
def test_an_invalid_number_of_threads_is_one_sentence(threads, message):
    with pytest.raises(InputError, match=f"threads must be .*{message}"):
        egonet.ring_statistics(egonet.as_graph(PATH), [1, 2, 3], 1, threads=threads)


def test_merged_and_dropped_edges_are_counted_in_one_warning():
    payments, amounts = [("a", "b"), ("b", "a"), ("a", "a"), ("b", "c")], [50.0, 50.0, 7.0, 1.0]

    with pytest.warns(IgnoredInputWarning) as said:
        found = egonet.ring_statistics(payments, amounts, 1, ["sum", "count"], on="edges")

    assert found["a"] == {"edge_d0_sum": 50.0, "edge_d0_count": 1.0}
    assert [str(each.message) for each in said] == [
        "1 of 4 edges join a node to itself and are dropped. 1 of 4 edges repeat another in the other direction with "
        'equal values and are merged with it. Set directed="out" or directed="in" to count every edge.'
    ]


def test_nothing_is_said_if_every_edge_counts():
    egonet.ring_statistics([("a", "b"), ("b", "a"), ("a", "b")], [50.0, 50.01, 7.0], 1, on="edges")
    egonet.ring_statistics([("a", "b"), ("b", "a")], [50.0, 50.0], 1, on="edges", directed="out")
    both = egonet.as_graph(np.array([[0, 1, 1, 2], [1, 0, 2, 1]]), keep=())  # an undirected edge_index
    egonet.ring_statistics(both, [5.0, 5.0, 7.0, 7.0], 1, on="edges")
