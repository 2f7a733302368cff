"""Streams of Arrow: edges, nodes and their columns leave a graph, and enter it from any package that gives them."""

import numpy as np
import pytest

import egonet
from contracts.parts import need
from egonet.errors import InputError

pyarrow = need("pyarrow")

EDGES = [("a", "b"), ("b", "c")]


class Stream:
    """What a package that egonet does not know gives: only the Arrow PyCapsule interface."""

    def __init__(self, data):
        self.data = data

    def __arrow_c_stream__(self, requested_schema=None):
        return self.data.__arrow_c_stream__(requested_schema)


class Array:
    """The same for one array."""

    def __init__(self, values):
        self.values = pyarrow.array(values)

    def __arrow_c_array__(self, requested_schema=None):
        return self.values.__arrow_c_array__(requested_schema)


def column(values):
    return Stream(pyarrow.chunked_array([pyarrow.array(values)]))


@pytest.mark.parametrize(
    ("pairs", "kind", "expected"),
    [
        ([(2**63 + 5, 3)], "uint64", [2**63 + 5, 3]),
        ([(-5, 3)], "int64", [-5, 3]),
        ([(("a", 1), ("b", 2))], "string", ["('a', 1)", "('b', 2)"]),
        ([("a", 1)], "string", ["a", "1"]),
        ([], "int64", []),
    ],
)
def test_the_ends_of_edges_have_the_type_of_the_nodes_of_results(pairs, kind, expected):
    graph = egonet.as_graph(pairs)

    table = graph.to_arrow()

    assert [str(field.type) for field in table.schema] == [kind, kind]
    assert [value for row in table.to_pylist() for value in row.values()] == expected
    assert pyarrow.table(egonet.encode(graph, radius=0)).schema.field("node").type == table.schema[0].type


def test_types_of_edges_of_two_kinds_are_text():
    graph = egonet.as_graph(EDGES, edge_labels=["x", 1])

    assert graph.to_arrow().column("edge_labels").to_pylist() == ["x", "1"]


@pytest.mark.parametrize(
    ("values", "kind"), [([1, 2], "int64"), ([2**63, 1], "uint64"), ([True, False], "bool")]
)
def test_labels_and_types_keep_their_kind(values, kind):
    types = np.array(values, dtype=kind)
    graph = egonet.as_graph(
        EDGES, edge_labels=types, labels=dict(zip("abc", [*values, values[0]], strict=True))
    )

    edges, nodes = graph.to_arrow(), graph.to_arrow(nodes=True)

    assert str(edges.schema.field("edge_labels").type) == str(nodes.schema.field("labels").type) == kind
    assert egonet.as_graph(edges, labels=nodes, edge_labels="edge_labels") == graph


def test_attributes_that_were_kept_leave_with_the_edges():
    table = pyarrow.table({"source": ["a", "b"], "target": ["b", "c"], "day": [1, None], "kind": ["x", "y"]})
    graph = egonet.as_graph(table, keep=["day", "kind"], edge_labels="kind", simplify=True)
    mixed = egonet.as_graph(
        need("pandas").DataFrame({"source": ["a"], "target": ["b"], "m": [(1, "x")]}), keep="m"
    )

    assert graph.to_arrow().to_pydict() == {
        "source": ["a", "b"],
        "target": ["b", "c"],
        "edge_labels": ["x", "y"],
        "day": [1, None],
        "kind": ["x", "y"],
    }
    assert mixed.to_arrow().column("m").to_pylist() == ["(1, 'x')"]


def test_nodes_and_their_labels_are_a_table():
    labels = {"a": "x", "b": "y", "c": "x", "z": "y"}
    graph = egonet.as_graph(EDGES, nodes=["a", "b", "c", "z"], labels=labels)

    nodes = graph.to_arrow(nodes=True)

    assert nodes.to_pydict() == {"node": ["a", "b", "c", "z"], "labels": ["x", "y", "x", "y"]}
    assert egonet.as_graph(graph.to_arrow(), nodes=nodes["node"], labels=nodes) == graph
    with pytest.raises(InputError, match="nodes must be True or False, got 'a'"):
        graph.to_arrow(nodes="a")


@pytest.mark.parametrize("make", [column, Array])
def test_columns_of_any_package_are_read(make):
    expected = egonet.as_graph(
        EDGES, nodes=["a", "b", "c", "z"], weights=[2.0, 3.5], labels=dict(zip("abcz", "xyxy", strict=True))
    )
    nodes = Stream(pyarrow.table({"node": ["a", "b", "c", "z"], "kind": ["x", "y", "x", "y"]}))

    graph = egonet.as_graph(EDGES, nodes=make(["a", "b", "c", "z"]), weights=make([2.0, 3.5]), labels=nodes)

    assert graph == expected
    types = egonet.as_graph(EDGES, edge_labels=make(["p", "q"])).edge_columns["edge_labels"]
    assert types.values() == ["p", "q"]
    rows = egonet.as_graph([(0, 1), (1, 2)], labels=make(["x", "y", "x"])).node_columns["labels"]
    assert rows.values() == ["x", "y", "x"]
    assert egonet.encode(EDGES, radius=0, roots=make(["c", "a"])).nodes.tolist() == ["c", "a"]


@pytest.mark.parametrize("wrap", [lambda table: table, Stream])
def test_a_table_of_nodes_is_no_column_of_ids(wrap):
    table = wrap(pyarrow.table({"node": ["a", "b", "c"]}))

    with pytest.raises(
        InputError, match=r"nodes must be a sequence of node ids, got a table\. Give its column"
    ):
        egonet.as_graph(EDGES, nodes=table)


def test_a_missing_value_of_a_column_is_an_error():
    with pytest.raises(InputError, match="labels must not be missing: 1 of 3 are"):
        egonet.as_graph([(0, 1), (1, 2)], labels=column(["x", None, "y"]))
