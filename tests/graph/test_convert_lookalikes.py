"""Objects that look like one thing and mean another: the exact graph, or one sentence with the way out."""

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from torch_geometric.data import Data

from egonet import Graph, as_graph, encode
from egonet.errors import InputError

PAIR = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)


@pytest.mark.parametrize(
    "graphs",
    [[PAIR, PAIR], [nx.path_graph(2), nx.path_graph(2)], (Graph.from_edges([(0, 1)]),) * 2],
    ids=["PyG", "networkx", "egonet"],
)
def test_several_graphs_are_not_read_as_pairs_of_ids(graphs):
    with pytest.raises(InputError, match=r"as_graph returns one graph, got 2\. Give one of them, or all"):
        as_graph(graphs)
    assert len(encode(graphs, 1)) == 4


def test_scalars_of_torch_and_arrow_are_the_numbers_they_hold():
    scalars = [(torch.tensor(0), torch.tensor(1)), (torch.tensor(0), torch.tensor(2))]

    assert as_graph(scalars).node_ids.tolist() == [0, 1, 2]
    assert as_graph(pa.array([[1, 2], [2, 3]])).node_ids.tolist() == [1, 2, 3]
    assert as_graph(pa.array([["a", "b"]])).node_ids.tolist() == ["a", "b"]


def test_from_edges_asks_what_a_tensor_of_two_rows_and_columns_is():
    pairs = torch.tensor([[0, 1], [2, 3]])

    with pytest.raises(
        InputError, match=r"^a tensor of shape \(2, 2\) may be two edges or an edge_index\. Use"
    ):
        Graph.from_edges(pairs)
    assert Graph.from_edges(pairs.tolist()).edges().tolist() == [[0, 1], [2, 3]]
    assert as_graph(pairs, directed=False).edges().tolist() == [[0, 2], [1, 3]]


def test_a_tensor_is_no_id():
    with pytest.raises(InputError, match=r"an id must be hashable and not missing.*tensor\(\[0, 1\]\)"):
        as_graph([(torch.tensor([0, 1]), 2)])


@pytest.mark.parametrize("of", [list, np.array], ids=["list", "array"])
def test_dates_with_nanoseconds_do_not_become_numbers(of):
    day = np.datetime64("2020-01-01T00:00:00", "ns")
    pairs = of([(day, day + 1), (day + 1, day + 2), (day + 2, day)])

    with pytest.raises(InputError, match=r"in nanoseconds is no id, got 2020-01-01T00:.* Write it as text"):
        as_graph(pairs)
    assert len(as_graph(np.array(pairs).astype(str))) == 3
    assert len(as_graph(np.array(pairs).astype("M8[s]") + np.arange(3)[:, None])) == 3


def test_edges_of_a_networkx_graph_are_pairs():
    assert as_graph(nx.path_graph(3).edges).num_edges == 2
    assert as_graph(nx.DiGraph([("a", "b")]).edges).node_ids.tolist() == ["a", "b"]
    with pytest.raises(InputError, match=r"must be a pair of node ids, got \(0, 1, 0\)"):
        as_graph(nx.MultiGraph([(0, 1)]).edges)


def test_neighbors_by_node_have_a_way_out():
    with pytest.raises(InputError, match=r"Give neighbors by node as networkx\.Graph\(data\)\."):
        as_graph({"a": ["b"]})
    with pytest.raises(InputError, match=r'pandas\.DataFrame\(data\["links"\]\)'):
        as_graph({"links": [], "nodes": []})


def test_an_edge_index_as_lists_is_not_called_a_weight():
    with pytest.raises(
        InputError, match=r"got \[0, 1, 2\]\. An edge_index is an array: numpy\.array\(edges\)"
    ):
        as_graph([[0, 1, 2], [1, 2, 3]])
    with pytest.raises(InputError, match="Leave the third value out"):
        as_graph([("a", "b", 3)])


@pytest.mark.parametrize("kind", [np.float16, np.float32, bool])
def test_a_matrix_of_any_number_type_is_read(kind):
    assert as_graph(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=kind)).num_edges == 2


def test_sparse_tensors_of_halves_are_read():
    for kind in (torch.bfloat16, torch.float16):
        matrix = torch.tensor([[0, 2], [2, 0]], dtype=kind).to_sparse()
        with pytest.warns(UserWarning, match="weights are ignored"):
            assert as_graph(matrix).num_edges == 1


def test_a_tensor_without_numbers_is_an_error():
    with pytest.raises(InputError, match=r"got a meta or a nested tensor"):
        as_graph(torch.zeros(2, 3, device="meta", dtype=torch.long))


@pytest.mark.parametrize("attributes", ["text", [1.5, 2.5], torch.tensor(1.0)])
def test_odd_edge_attributes_of_a_data_are_left_alone(attributes):
    data = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), edge_attr=attributes, num_nodes=2)

    assert as_graph(data).num_edges == 1


def test_edges_in_the_index_of_a_table_have_a_way_out():
    table = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "n": [1, 2]}).set_index(
        ["source", "target"]
    )

    with pytest.raises(InputError, match=r"got an index of several levels\. Give table\.reset_index\(\)\."):
        as_graph(table)
    with pytest.raises(InputError, match="the columns are none"):
        as_graph(pd.DataFrame())


def test_columns_of_arrow_with_one_name_are_an_error():
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], names=["u", "v", "u"])

    with pytest.raises(InputError, match=r"2 columns are named 'u'\. Rename all but one\."):
        as_graph(table)


def test_columns_of_128_bits_have_ids_of_64_bits():
    kinds = {"source": pl.Int128, "target": pl.Int128}

    assert as_graph(pl.DataFrame({"source": [2**60], "target": [1]}, schema=kinds)).node_ids.tolist() == [
        2**60,
        1,
    ]
    with pytest.raises(InputError, match=rf"of 64 bits, got {2**100} in row 0 of column 'source'"):
        as_graph(pl.DataFrame({"source": [2**100], "target": [1]}, schema=kinds))


def test_a_lazy_frame_of_a_missing_file_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match=r"the table cannot be read: .*No such file"):
        as_graph(pl.scan_csv(tmp_path / "none.csv"))
