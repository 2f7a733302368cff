"""The disjoint union: every input type gives the same arrays."""

import re

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch
from scipy.sparse import csr_array
from torch_geometric.data import Data, InMemoryDataset

import egonet
from egonet import Graph, _native, as_graph, named
from egonet.errors import IgnoredInputWarning, InputError
from egonet.graph.adapters import is_many
from egonet.graph.union import disjoint_union

GRAPHS = [named.cycle(5), Graph.from_edges([], 2), named.star(3), Graph.from_edges([], 0), named.petersen()]


class Collated(InMemoryDataset):
    def __init__(self, items, transform=None):
        super().__init__(transform=transform)
        self._data, self.slices = self.collate(items)


def index_of(graph):
    rows = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    return torch.tensor(np.stack([rows, graph.indices]).astype(np.int64))


def as_matrix(graph):
    size = graph.num_nodes
    return sp.csr_array((np.ones(len(graph.indices)), graph.indices, graph.indptr), shape=(size, size))


def shuffled(graph):
    matrix = as_matrix(graph)
    for v in range(graph.num_nodes):
        part = slice(matrix.indptr[v], matrix.indptr[v + 1])
        matrix.indices[part] = matrix.indices[part][::-1].copy()
    matrix.has_sorted_indices = False
    return matrix


def as_data(graph):
    return Data(edge_index=index_of(graph), num_nodes=graph.num_nodes)


def as_data_with_x(graph):
    return Data(edge_index=index_of(graph), x=torch.ones(graph.num_nodes, 2))


def as_networkx(graph):
    other = nx.empty_graph(graph.num_nodes)
    other.add_edges_from(index_of(graph).T.tolist())
    return other


ROADS = {
    "graphs": list,
    "tuple": tuple,
    "csr": lambda graphs: [as_matrix(graph) for graph in graphs],
    "csr matrices": lambda graphs: [sp.csr_matrix(as_matrix(graph)) for graph in graphs],
    "unsorted csr": lambda graphs: [shuffled(graph) for graph in graphs],
    "coo": lambda graphs: [as_matrix(graph).tocoo() for graph in graphs],
    "data": lambda graphs: [as_data(graph) for graph in graphs],
    "data with x": lambda graphs: [as_data_with_x(graph) for graph in graphs],
    "data set": lambda graphs: Collated([as_data(graph) for graph in graphs]),
    "data set with x": lambda graphs: Collated([as_data_with_x(graph) for graph in graphs]),
    "networkx": lambda graphs: [as_networkx(graph) for graph in graphs],
    "mixture": lambda graphs: [graphs[0], as_matrix(graphs[1]), *(as_data(graph) for graph in graphs[2:])],
}


PATH = ([0, 1, 3, 4], [1, 0, 2, 1])


def test_a_graph_of_a_list_keeps_its_direction_or_says_which_it_is():
    with pytest.raises(InputError, match=r"^graph 0 \(counted from 0\): the graph was read as undirected"):
        disjoint_union([Graph.from_edges([(0, 1)]), [(0, 1)]], directed="out")


def test_what_was_changed_in_each_graph_is_added_up():
    looped, doubled = Graph.from_edges([(0, 0), (0, 1)]), Graph.from_edges([(0, 1), (1, 0), (1, 1)])

    union, _ = disjoint_union([looped, named.path("ab"), doubled])

    assert (union.info.loops_dropped, union.info.duplicates_merged) == (2, 1)


def test_an_unsorted_row_is_read_with_sorted_rows():
    plain = csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    odd = csr_array((np.ones(4), np.array([1, 2, 0, 0]), np.array([0, 2, 3, 4])), shape=(3, 3))
    odd.indices[:2] = [2, 1]
    odd.has_sorted_indices = False

    union, ptr = disjoint_union([plain, odd])

    assert ptr.tolist() == [0, 3, 6]
    assert [union.indices[union.indptr[v] : union.indptr[v + 1]].tolist() for v in range(6)] == [
        *([1], [0, 2], [1]),
        *([4, 5], [3], [3]),
    ]


def test_the_first_node_beyond_a_graph_raises_for_every_integer_type(need):
    torch, data = need("torch"), need("torch_geometric.data", "torch-geometric")
    good = data.Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)
    bad = data.Data(edge_index=torch.tensor([[0], [2]]), num_nodes=2)

    for directed in (None, "out"):
        union, _ = disjoint_union([good, good], directed=directed)
        assert union.directed == directed
        assert union.degrees.tolist() == [1, 1, 1, 1]
        with pytest.raises(
            InputError,
            match=r"^graph 1 \(counted from 0\): edge \(0, 2\) in column 0 .* points at node 2, but the graph has 2 ",
        ):
            disjoint_union([good, bad], directed=directed)


def test_arcs_of_several_graphs_are_followed_if_directed_is_given(need):
    torch, data = need("torch"), need("torch_geometric.data", "torch-geometric")
    arc = data.Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)

    union, _ = disjoint_union([arc, arc], directed="out")

    assert union.directed == "out"
    assert union.degrees.tolist() == [1, 0, 1, 0]
    assert disjoint_union([arc, arc], directed=False)[0].degrees.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("directed", ["out", "in"])
def test_matrices_of_one_call_are_followed_if_directed_is_given(directed):
    arc, both = csr_array(np.array([[0, 1], [0, 0]])), csr_array(np.array([[0, 1], [1, 0]]))

    union, _ = disjoint_union([arc, both], directed=directed)

    assert union.directed == directed
    assert union.degrees.tolist() == ([1, 0, 1, 1] if directed == "out" else [0, 1, 1, 1])
    assert disjoint_union([both, both], directed=directed)[0].directed == directed


@pytest.mark.parametrize("road", ROADS)
def test_every_input_type_gives_the_same_union(road):
    data = ROADS[road](GRAPHS)

    assert is_many(data)
    union, ptr = disjoint_union(data)

    assert ptr.tolist() == [0, 5, 7, 11, 11, 21]
    assert union.indptr[:12].tolist() == [0, 2, 4, 6, 8, 10, 10, 10, 13, 14, 15, 16]
    assert union.indices[:16].tolist() == [1, 4, 0, 2, 1, 3, 2, 4, 0, 3, 8, 9, 10, 7, 7, 7]
    for graph, start, end in zip(GRAPHS, ptr[:-1], ptr[1:], strict=True):
        part = union.indices[union.indptr[start] : union.indptr[end]] - start
        assert part.tolist() == graph.indices.tolist()
    assert union.node_ids.tolist() == [0, 1, 2, 3, 4, 0, 1, 0, 1, 2, 3, *range(10)]
    assert str(union.info) == "nothing changed"


def test_part_of_a_data_set_is_the_union_of_that_part():
    union, ptr = disjoint_union(Collated([as_data(graph) for graph in GRAPHS])[[2, 0]])

    assert ptr.tolist() == [0, 4, 9]
    assert union.indices[:6].tolist() == [1, 2, 3, 0, 0, 0]


def test_a_transform_of_a_data_set_is_heeded():
    def cut(data):
        return Data(edge_index=data.edge_index[:, :0], num_nodes=data.num_nodes)

    union, ptr = disjoint_union(Collated([as_data(graph) for graph in GRAPHS], transform=cut))

    assert (ptr[-1], union.num_edges) == (21, 0)


def test_ids_follow_one_another_and_may_repeat():
    union, ptr = disjoint_union([named.path("ab"), named.path("abc"), named.path(2)])

    assert union.node_ids.tolist() == ["a", "b", "a", "b", "c", 0, 1]
    assert ptr.tolist() == [0, 2, 5, 7]


def test_what_reading_changed_is_summed_over_matrices():
    lonely = sp.csr_array(np.array([[2.0, 0.0], [0.0, 0.0]]))
    one_way = sp.csr_array(np.array([[0.0, 1.0], [0.0, 0.0]]))

    with pytest.warns(IgnoredInputWarning, match="^Arcs are read as .* Edge weights are ignored") as caught:
        union, _ = disjoint_union([lonely, one_way])

    assert len(caught) == 1
    assert str(union.info) == "1 self-loop dropped, edge weights ignored, arcs read as undirected edges"


def test_explicit_zeros_are_not_edges_of_the_union():
    matrix = sp.csr_array(
        (np.array([0.0, 1.0, 1.0]), (np.array([0, 1, 2]), np.array([1, 2, 1]))), shape=(3, 3)
    )

    with pytest.warns(IgnoredInputWarning, match="^2 stored entries of the matrix are zero"):
        union, _ = disjoint_union([matrix, matrix])

    assert union.degrees.tolist() == [0, 1, 1, 0, 1, 1]


def test_arcs_are_followed_if_directed_is_given():
    one_way = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)

    assert disjoint_union([one_way, one_way], directed="out")[0].degrees.tolist() == [1, 0, 1, 0]
    assert disjoint_union([one_way, one_way], directed="in")[0].degrees.tolist() == [0, 1, 0, 1]


def test_the_union_of_nothing_is_empty():
    union, ptr = disjoint_union([])

    assert (union.num_nodes, ptr.tolist()) == (0, [0])


@pytest.mark.parametrize(
    "data",
    [
        [("a", "b"), ("b", "c")],
        [[0, 1], [1, 2]],
        [],
        named.path(3),
        np.array([[0, 1, 2], [1, 2, 3]]),
        as_data(GRAPHS[0]),
    ],
)
def test_one_graph_is_not_many(data):
    assert not is_many(data)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            [named.path(2), sp.csr_array((2, 3))],
            "graph 1 (counted from 0): the matrix of a graph must be square",
        ),
        (
            [sp.csr_array((2, 2)), sp.csr_array((2, 3))],
            "graph 1 (counted from 0): the matrix of a graph must be square",
        ),
        (
            [as_data(GRAPHS[0]), Data(edge_index=torch.tensor([[0], [5]]), num_nodes=3)],
            "graph 1 (counted from 0): edge (0, 5) in column 0 of the edge_index (shape (2, 1) of int64) points at "
            "node 5, but the graph has 3 nodes (0 to 2). Raise num_nodes or drop the edge.",
        ),
        (
            [named.path(2), as_graph([(0, 1)], directed="out")],
            "graphs of one call must all be directed the same way",
        ),
    ],
)
def test_a_bad_graph_is_reported_with_its_position(data, said):
    with pytest.raises(InputError, match=f"^{re.escape(said)}"):
        disjoint_union(data)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("value", [bool, np.int8, np.uint16, np.int64, np.float32, np.float64])
def test_matrices_of_any_numbers_are_joined(index, value):
    indptr, indices = (np.array(part, dtype=index) for part in PATH)
    path = sp.csr_array((np.ones(4, dtype=value), indices, indptr), shape=(3, 3))

    union, ptr = disjoint_union([path, path])

    assert union.indptr.tolist() == [0, 1, 3, 4, 5, 7, 8]
    assert union.indices.tolist() == [1, 0, 2, 1, 4, 3, 5, 4]
    assert (ptr.tolist(), str(union.info)) == ([0, 3, 6], "nothing changed")


def test_a_value_that_is_not_one_is_a_weight():
    path = sp.csr_array((np.array([1.0, 1.0, 2.0, 2.0]), PATH[1], PATH[0]), shape=(3, 3))

    with pytest.warns(IgnoredInputWarning, match="^Edge weights are ignored"):
        assert str(disjoint_union([path])[0].info) == "edge weights ignored"


def test_rows_that_list_a_neighbor_twice_are_merged():
    twice = sp.csr_array((np.ones(4), np.array([1, 1, 0, 0]), np.array([0, 2, 4])), shape=(2, 2))

    union, _ = disjoint_union([twice, twice])

    assert union.indices.tolist() == [1, 0, 3, 2]


@pytest.mark.parametrize(
    ("indptr", "indices"),
    [
        ([0, 2, 1, 2], [1, 0]),  # a row that ends before it begins
        ([0, 1, 3, 4], [1, 0, 3, 1]),  # a neighbor outside
        ([0, 1, 3, 4], [1, 0, -1, 1]),
        ([1, 1, 3, 4], [1, 0, 2, 1]),  # a start that is not 0
        ([0, 1, 3, 5], [1, 0, 2, 1]),  # an end beyond the indices
        ([0, 1, 3, 4], [1, 0, 2, 0]),  # an arc without its opposite
        ([0, 1, 2, 2], [1, 1]),  # a loop
        ([0, 2, 3, 4], [2, 1, 0, 0]),  # out of order
    ],
)
def test_rows_that_are_not_undirected_graph_are_converted_one_by_one(indptr, indices):
    odd = sp.csr_array((3, 3))
    odd.indptr, odd.indices = np.array(indptr, dtype=np.int32), np.array(indices, dtype=np.int32)
    odd.data = np.ones(len(indices))

    assert _native.join_rows([odd], has_values=True) is None
    assert not _native.is_undirected(odd.indptr.astype(np.int64), odd.indices)


@pytest.mark.parametrize("name", ["indptr", "indices", "data"])
@pytest.mark.parametrize("array", [np.ones((2, 2)), np.ones(4, dtype=">i4"), np.arange(8)[::2], "text"])
def test_what_is_not_a_plain_array_is_converted_one_by_one(name, array):
    odd = sp.csr_array((np.ones(4), PATH[1], PATH[0]), shape=(3, 3))
    setattr(odd, name, array)

    assert _native.join_rows([odd], has_values=True) is None


def test_arcs_out_of_order_give_the_same_union():
    index = torch.tensor([[2, 1, 0, 1], [1, 2, 1, 0]])
    data = Data(edge_index=index, num_nodes=3)

    for graphs in ([data, data], Collated([data, data])):
        union, _ = disjoint_union(graphs)

        assert union.indices.tolist() == [1, 0, 2, 1, 4, 3, 5, 4]
        assert str(union.info) == "nothing changed"


def test_an_edge_index_in_columns_is_read_as_such():
    index = torch.tensor([[0, 1], [1, 0], [1, 2], [2, 1]]).T

    union, _ = disjoint_union([Data(edge_index=index, num_nodes=3)])

    assert union.indices.tolist() == [1, 0, 2, 1]


def test_a_graph_with_indices_outside_its_rows_raises():
    wrong = Graph.from_checked(np.array([0, 1, 2]), np.array([1, 7], dtype=np.int32))

    with pytest.raises(
        InputError, match=r"^graphs of one call must have at most .* indices within their rows"
    ):
        disjoint_union([wrong])


def test_a_generator_of_graphs_or_pairs_is_what_its_list_is():
    graphs = [named.path("abc"), named.star(4)]
    pairs = [("a", "b"), ("b", "c")]

    together = egonet.encode((graph for graph in graphs), 1)

    assert together.graph_ptr.tolist() == [0, 3, 3 + graphs[1].num_nodes]
    assert egonet.encode((pair for pair in pairs), 1)["b"] == {(0, 2): 1, (1, 1): 2}
    assert len(egonet.wl_colors(iter(graphs))) == len(egonet.wl_colors(graphs))


def test_tables_of_edges_follow_one_another_with_the_numbers_of_their_nodes():
    tables = [
        pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "kind": ["x", "y"]}),
        pd.DataFrame({"source": ["a", "a"], "target": ["b", "d"], "kind": ["z", "x"]}),
    ]
    union, ptr = disjoint_union([egonet.as_graph(table, keep="kind") for table in tables], keep=("kind",))

    table = union.edge_table
    ends = zip(table.source.tolist(), table.target.tolist(), strict=True)
    assert ptr.tolist() == [0, 3, 6]
    assert list(zip(ends, table.columns["kind"].tolist(), strict=True)) == [
        ((0, 1), "x"), ((1, 2), "y"), ((3, 4), "z"), ((3, 5), "x"),
    ]  # fmt: skip
