"""`as_graph`: objects of every supported package, and the error for everything else."""

import collections
import re
import subprocess
import sys
from contextlib import nullcontext
from itertools import pairwise

import duckdb
import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import torch
from rdkit import Chem
from torch_geometric import EdgeIndex
from torch_geometric.data import Batch, Data, HeteroData

from egonet import Graph, as_graph, encode, explain, named
from egonet.errors import IgnoredInputWarning, InputError

TAIL = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]


def edges(graph):
    return sorted(tuple(sorted((u, v), key=str)) for u in graph.node_ids.tolist() for v in graph.neighbors(u))


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars lazy": lambda columns: pl.DataFrame(columns).lazy(),
    "pyarrow": pa.table,
    "duckdb": lambda columns: duckdb.from_arrow(pa.table(columns)),
    "categories": lambda columns: pd.DataFrame(columns).astype("category"),
}


RULE = "an id must be hashable and not missing, a number whole and of 64 bits"


ARCS = np.array([[0, 1, 2], [1, 2, 0]])


def test_a_graph_is_returned_as_it_is():
    graph = named.path("abc")

    assert as_graph(graph) is graph


def test_networkx_ids_and_order_are_kept():
    graph = nx.Graph()
    graph.add_nodes_from(["z", 7])
    graph.add_edges_from(TAIL)

    read = as_graph(graph)

    assert read.node_ids.tolist() == ["z", 7, "a", "b", "c", "d"]
    assert edges(read) == sorted(2 * [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")])
    assert str(read.info) == "nothing changed"


def test_networkx_weights_arcs_loops_and_parallel_edges_are_noted():
    graph = nx.MultiDiGraph()
    graph.add_edges_from([(0, 1), (0, 1), (1, 1)])
    graph.add_edge(1, 2, weight=3)

    said = "1 self-loop dropped, 1 repeated edge merged, edge weights ignored, arcs read as undirected edges"
    with pytest.warns(IgnoredInputWarning, match="^Arcs are read as undirected .* Edge weights are ignored"):
        assert str(as_graph(graph).info) == said


def test_networkx_arcs_are_followed_if_directed_is_given():
    graph = nx.DiGraph([("a", "b"), ("b", "c")])

    assert as_graph(graph, directed="out").neighbors("b") == ["c"]
    assert as_graph(graph, directed="in").neighbors("b") == ["a"]
    assert as_graph(graph, directed="in").info.read_as_undirected is False


def test_igraph_names_are_the_ids():
    assert as_graph(igraph.Graph.TupleList(TAIL)).node_ids.tolist() == ["a", "b", "c", "d"]
    assert as_graph(igraph.Graph(3, [(0, 2)])).nodes is None
    assert as_graph(igraph.Graph(3, [(0, 2)], directed=True), directed=False).info.read_as_undirected


def test_igraph_weights_are_noted():
    graph = igraph.Graph(3, [(0, 2)])
    graph.es["weight"] = [2.0]

    with pytest.warns(IgnoredInputWarning, match="Edge weights"):
        assert as_graph(graph).info.weights_ignored


def test_a_square_array_is_a_matrix():
    with pytest.warns(IgnoredInputWarning, match="Edge weights"):
        graph = as_graph(np.array([[0, 2, 0], [2, 0, 0], [0, 0, 0]]))

    assert graph.degrees.tolist() == [1, 1, 0]
    assert str(graph.info) == "edge weights ignored"


@pytest.mark.parametrize("make", [np.array, torch.tensor])
def test_an_edge_index_lists_arcs(make):
    both = as_graph(make([[0, 1, 1, 3], [1, 0, 3, 1]]))
    one = as_graph(make([[0, 1, 1], [1, 3, 1]]), directed=False)

    assert both.degrees.tolist() == [1, 2, 0, 1]
    assert str(both.info) == "nothing changed"
    assert one.indices.tolist() == both.indices.tolist()
    assert str(one.info) == "1 self-loop dropped, arcs read as undirected edges"


def test_an_edge_index_takes_num_nodes():
    graph = as_graph(np.array([[0, 1, 2], [1, 2, 3]]), num_nodes=6, directed=False)

    assert graph.degrees.tolist() == [1, 2, 2, 1, 0, 0]
    assert as_graph(torch.empty((2, 0), dtype=torch.long), num_nodes=2).degrees.tolist() == [0, 0]


def test_pyg_data_keeps_isolated_nodes():
    data = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), x=torch.ones(3, 1))

    assert as_graph(data).degrees.tolist() == [1, 1, 0]
    assert as_graph(Data(edge_index=torch.tensor([[0, 1], [1, 0]]))).num_nodes == 2


def test_a_pyg_batch_is_the_disjoint_union():
    data = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)

    assert as_graph(Batch.from_data_list([data, data])).indices.tolist() == [1, 0, 3, 2]


@pytest.mark.parametrize(
    ("fields", "noted"),
    [
        ({}, False),
        ({"edge_weight": torch.ones(2)}, True),
        ({"edge_attr": torch.ones(2, 1)}, True),
        ({"edge_attr": torch.ones(2, 4)}, False),
        ({"edge_attr": torch.ones(2, 1, dtype=torch.long)}, False),
    ],
)
def test_pyg_weights_are_noted(fields, noted):
    data = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2, **fields)

    with pytest.warns(IgnoredInputWarning, match="Edge weights") if noted else nullcontext():
        assert as_graph(data).info.weights_ignored is noted


def test_a_molecule_is_its_atoms_and_bonds():
    graph = as_graph(Chem.MolFromSmiles("CC(C)O"))

    assert graph.degrees.tolist() == [1, 3, 1, 1]


@pytest.mark.parametrize("kind", FRAMES)
def test_tables_of_every_kind_are_the_same_graph(kind):
    table = FRAMES[kind]({"who": ["a", "b", "c", "c"], "whom": ["b", "c", "a", "d"]})

    graph = as_graph(table, source="who", target="whom")

    assert graph.node_ids.tolist() == ["a", "b", "c", "d"]
    assert graph.indices.tolist() == Graph.from_edges(TAIL).indices.tolist()
    assert str(graph.info) == "nothing changed"


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "duckdb"])
def test_columns_have_well_known_names_or_are_given(kind):
    table = FRAMES[kind]({"when": [1, 2], "dst": [5, 6], "src": [6, 7]})

    with pytest.warns(IgnoredInputWarning, match="Columns other than the two ends"):
        graph = as_graph(table)

    assert graph.node_ids.tolist() == [6, 5, 7]
    assert graph.info.weights_ignored
    assert as_graph(table, source="when", target="dst").node_ids.tolist() == [1, 5, 2, 6]
    ends = {"source": "src", "target": "dst"}
    assert as_graph(table, nodes=[9], **ends).node_ids.tolist() == [9, 6, 5, 7]
    assert as_graph(table, num_nodes=8, **ends).num_nodes == 8


def test_a_string_column_next_to_a_number_column_keeps_both_types():
    assert as_graph(pd.DataFrame({"u": [1], "v": ["x"]})).node_ids.tolist() == [1, "x"]


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "duckdb"])
@pytest.mark.parametrize("values", [["a", None], [1, None]])
def test_a_missing_id_is_reported_with_row_and_column(kind, values):
    table = FRAMES[kind]({"u": ["x", "y"], "v": values})

    said = r"got (None|nan) in row 1 of column 'v' \(counted from 0\); 1 of 2 rows have a missing id\. Fill it in, or"
    with pytest.raises(InputError, match=f"^{re.escape(RULE)}, {said}"):
        as_graph(table)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "duckdb"])
def test_a_broken_number_is_reported_with_row_and_column(kind):
    assert as_graph(FRAMES[kind]({"u": [1, 2], "v": [3, -5]})).node_ids.tolist() == [1, 3, 2, -5]
    with pytest.raises(
        InputError, match=re.escape(f"{RULE}, got 1.5 in row 0 of column 'u' (counted from 0);")
    ):
        as_graph(FRAMES[kind]({"u": [1.5, 2.5], "v": [3, 5]}))


@pytest.mark.parametrize(
    ("data", "options", "said"),
    [
        ("a.csv", {}, "as_graph takes data, got 'a.csv'. To read a file use egonet.read_graph."),
        (np.ones((2, 2)), {}, "an array of shape (2, 2) may be two edges, an edge_index or a matrix."),
        (
            np.ones((3, 4)),
            {},
            "an array must be an edge_index (2, num_edges), pairs (num_edges, 2) or a square matrix,",
        ),
        (np.array([["a", "b", "c"], ["b", "c", "d"]]), {}, "got shape (2, 3) of <U1."),
        (
            np.array([[0, 1, 2], [1, 2, -3]]),
            {},
            "edge_index must hold node numbers >= 0, got edge (2, -3) in column 2 (shape (2, 3) of int64). "
            "Drop the edge.",
        ),
        (
            np.array([[0, 1, 2], [1, 2, 3]]),
            {"num_nodes": 3},
            "edge (2, 3) in column 2 of the edge_index (shape (2, 3) of int64) "
            "points at node 3, but the graph has 3 nodes (0 to 2). Raise num_nodes or drop the edge.",
        ),
        (torch.ones(2, 3), {}, "edge_index must hold whole numbers, got shape (2, 3) of float32."),
        (
            torch.ones(3, 2),
            {},
            "edge_index must have shape (2, num_edges), got shape (3, 2) of float32. Transpose it.",
        ),
        (sp.csr_array((3, 4)), {}, "the matrix of a graph must be square, got shape (3, 4)."),
        (HeteroData(), {}, "HeteroData has several types of nodes and edges. Use data.to_homogeneous()."),
        (Data(x=torch.ones(2, 1)), {}, "a PyG Data must have an edge_index or adj_t, got Data(x=[2, 1])."),
        (nx.Graph([(0, 1.5)]), {}, f"{RULE}, got 1.5 at node 1 (counted from 0). Drop or rename it."),
        (
            nx.Graph([(0, 1)]),
            {"directed": "out"},
            'an undirected networkx graph has no arcs to follow, got directed="out".',
        ),
        (
            nx.Graph([(0, 1)]),
            {"source": "u"},
            "source has no meaning for a networkx graph, got 'u'. Leave it out.",
        ),
        (
            igraph.Graph(2),
            {"num_nodes": 2},
            "num_nodes has no meaning for an igraph graph, got 2. Leave it out.",
        ),
        (named.path(3), {"directed": "out"}, 'the graph was read as undirected, got directed="out".'),
        ([(0, 1)], {"target": "v"}, "target has no meaning for pairs of node ids, got 'v'. Leave it out."),
        ([(0, 1)], {"directed": "up"}, 'directed must be None, False, "out" or "in", got \'up\'.'),
        ([(0, 1)], {"num_nodes": 2, "nodes": [0]}, "give num_nodes or nodes, not both."),
        (
            pd.DataFrame({"u": [0], "v": [1]}),
            {"num_nodes": 2, "nodes": [0]},
            "give num_nodes or nodes, not both.",
        ),
        (pd.DataFrame({"u": [0], "v": [1]}), {"source": "u"}, "give both source= and target=, or neither."),
        (
            pd.DataFrame({"a": [0], "b": [1], "c": [2]}),
            {},
            "which two columns have the node ids? Set source= and target=; the columns are 'a', 'b', 'c'.",
        ),
        (
            pd.DataFrame({"sender": [0], "b": [1]}),
            {"source": "sendr", "target": "b"},
            "there is no column 'sendr'. Did you mean 'sender'? The columns are 'sender', 'b'.",
        ),
        (3, {}, "as_graph takes a networkx or igraph graph, a scipy sparse matrix,"),
        ({0: [1]}, {}, "or pairs of node ids, got dict: {0: [1]}."),
    ],
)
def test_what_is_not_a_graph_raises_one_sentence(data, options, said):
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        as_graph(data, **options)

    assert "\n" not in str(caught.value)


def test_igraph_names_must_differ():
    graph = igraph.Graph(2, [(0, 1)])
    graph.vs["name"] = ["a", "a"]

    with pytest.raises(InputError, match=r'^the node attribute "name" must not repeat an id'):
        as_graph(graph)


def test_converting_imports_no_package():
    code = (
        "import sys; from egonet.graph.adapters import as_graph; as_graph([(0, 1)]);"
        "heavy = {'networkx', 'igraph', 'torch', 'pandas', 'polars', 'pyarrow', 'rdkit', 'duckdb'};"
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("data", "options", "said"),
    [
        (ARCS, {"nodes": [0, 1, 2]}, "nodes has no meaning for an edge_index, got [0, 1, 2]."),
        (ARCS.T, {"source": "a", "target": "b"}, "source has no meaning for an array of pairs, got 'a'."),
        (Graph.from_edges([(0, 1)]), {"num_nodes": 2}, "num_nodes has no meaning for a Graph, got 2."),
        (Graph.from_edges([(0, 1)]), {"nodes": [0]}, "nodes has no meaning for a Graph, got [0]."),
    ],
)
def test_an_option_that_does_not_apply_raises(data, options, said):
    with pytest.raises(InputError, match=re.escape(said)):
        as_graph(data, **options)


@pytest.mark.parametrize("data", [sp.coo_array(np.eye(2)[::-1]), np.ones((3, 3)), ARCS])
def test_names_of_the_rows_of_a_matrix_go_into_pairs(data):
    names = np.array(["bob", "ann"])

    with pytest.raises(
        InputError, match=r"To name the nodes give pairs: zip\(names\[rows\], names\[columns\]\)\.$"
    ):
        as_graph(data, nodes=names)

    rows, columns = sp.coo_array(np.eye(2)[::-1]).nonzero()
    graph = as_graph(zip(names[rows], names[columns], strict=True), nodes=names, directed=False)
    assert graph.node_ids.tolist() == ["bob", "ann"]
    assert graph.num_edges == 1


def test_a_molecule_has_no_arcs(need):
    molecule = need("rdkit.Chem", "rdkit").MolFromSmiles("CCO")

    assert as_graph(molecule).num_edges == 2
    with pytest.raises(InputError, match=r"^a molecule has no arcs to follow, got directed=\"out\""):
        as_graph(molecule, directed="out")


def test_an_undirected_igraph_graph_has_no_arcs(need):
    igraph = need("igraph")

    with pytest.raises(InputError, match="an undirected igraph graph has no arcs to follow"):
        as_graph(igraph.Graph(2, [(0, 1)]), directed="out")


@pytest.mark.parametrize("data", [collections.UserDict({("a", "b"): 1}), nx.path_graph(3).adj])
def test_a_mapping_raises_even_if_its_keys_are_pairs(data):
    with pytest.raises(
        InputError, match=r"^as_graph takes a networkx or igraph graph, .* or pairs of node ids"
    ):
        as_graph(data)


def test_an_edge_index_of_pyg_is_read_as_a_tensor():
    index = EdgeIndex([[0, 1], [1, 2]], sparse_size=(3, 3))

    assert edges(as_graph(index, directed=False)) == [(0, 1), (0, 1), (1, 2), (1, 2)]


@pytest.mark.parametrize("mask", [True, [[0, 0], [0, 1], [0, 0]]])
def test_a_masked_value_of_an_array_raises(mask):
    masked = np.ma.array([[0, 1], [1, 2], [2, 3]], mask=mask)

    with pytest.raises(
        InputError, match=r"^an array must not be masked, got [16] masked values\. Drop or fill"
    ):
        as_graph(masked)
    assert as_graph(np.ma.array([[0, 1], [1, 2], [2, 3]])).num_edges == 3


def test_encoding_in_place_of_a_graph_says_where_its_graph_is():
    encoding = encode([("a", "b")], 1)

    for use in (as_graph, lambda graph: explain(graph, "a")):
        with pytest.raises(
            InputError, match=r"a graph is expected, got Encoding\. Give its graph: encoding\.graph"
        ):
            use(encoding)


@pytest.mark.parametrize("ids", [[0, 1, 2], [7, 5, 9], ["a", "b", "c"]])
def test_ids_of_networkx_are_plain_numbers_and_strings(ids):
    path = nx.Graph(list(pairwise(ids)))

    found = as_graph(path)

    assert found.node_ids.dtype.kind in "iU"
    assert [type(node) for node in found.node_ids.tolist()] == [type(node) for node in ids]
    assert found.node_ids.tolist() == ids
    assert (found.nodes is None) == (ids == [0, 1, 2])
    assert encode(path, 1).similar(ids[0], 1) == [(ids[2], 0)]


@pytest.mark.parametrize("links", ["links", "edges"])
def test_node_link_data_say_how_they_become_a_table(links):
    data = {"nodes": [{"name": "a"}, {"name": "b"}], links: [{"source": 0, "target": 1, "value": 3}]}

    with pytest.raises(
        InputError, match=rf'got dict: .* as a table: pandas\.DataFrame\(data\["{links}"\]\)\.$'
    ):
        as_graph(data)
    assert as_graph(pd.DataFrame(data[links]), keep=["value"]).num_edges == 1


@pytest.mark.parametrize("name", ["weight", "amount", "day"])
@pytest.mark.parametrize("package", ["networkx", "igraph"])
def test_parallel_edges_that_may_differ_are_counted_whatever_the_attribute_is_called(package, name):
    edges = [(0, 1, 5.0), (0, 1, 7.0), (1, 2, 1.0), (2, 2, 1.0)]
    graph = nx.MultiGraph()
    graph.add_edges_from((source, target, {name: value}) for source, target, value in edges)
    if package == "igraph":
        graph = igraph.Graph([edge[:2] for edge in edges], edge_attrs={name: [edge[2] for edge in edges]})

    with pytest.warns(IgnoredInputWarning, match="1 self-loop dropped, 1 repeated edge merged"):
        as_graph(graph)
    as_graph(graph, simplify=True)
    as_graph(graph, edge_labels=[1, 2, 1, 1], keep=name)
