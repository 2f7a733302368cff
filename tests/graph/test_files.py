"""Files of every format: what was written comes back."""

import gzip

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.io
import scipy.sparse as sp

from egonet.errors import IgnoredInputWarning
from egonet.graph import named
from egonet.graph.graph import Graph
from egonet.io.read import read_graph, read_graphs

CLUB = named.karate_club()
PAIRS = [(u, v) for u in range(34) for v in CLUB.neighbors(u) if u < v]


def matrix(pairs=PAIRS, size=34):
    rows, columns = zip(*pairs, strict=True)
    upper = sp.coo_array((np.ones(len(pairs)), (rows, columns)), shape=(size, size))
    return (upper + upper.T).tocsr()


def by_id(graph):
    """Return the neighbors of every node by id, which does not depend on the order of rows."""
    return {int(node): sorted(map(int, graph.neighbors(node))) for node in graph.node_ids.tolist()}


def table():
    return pa.table({"source": [u for u, _ in PAIRS], "target": [v for _, v in PAIRS]})


def write_text(path, delimiter):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt") as file:
        file.writelines(f"{u}{delimiter}{v}\n" for u, v in PAIRS)


def write_arrow_stream(path):
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table().schema) as writer:
        writer.write_table(table())


def write_gzipped(path, write):
    plain = path.with_suffix("")
    write(plain)
    path.write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()


def club_in_networkx():
    return nx.Graph(PAIRS)


WRITERS = {
    "club.csv": lambda path: write_text(path, ","),
    "club.csv.gz": lambda path: write_text(path, ","),
    "club.tsv": lambda path: write_text(path, "\t"),
    "club.txt": lambda path: write_text(path, " "),
    "club.txt.gz": lambda path: write_text(path, "\t"),
    "CLUB.TXT": lambda path: write_text(path, "\t"),
    "club.edgelist": lambda path: nx.write_edgelist(club_in_networkx(), path),
    "club.edges": lambda path: write_text(path, "   "),
    "club.parquet": lambda path: pyarrow.parquet.write_table(table(), path),
    "club.arrow": lambda path: pyarrow.feather.write_feather(table(), path),
    "stream.arrow": write_arrow_stream,
    "club.feather": lambda path: pyarrow.feather.write_feather(table(), path, compression="uncompressed"),
    "club.mtx": lambda path: scipy.io.mmwrite(path, matrix()),
    "general.mtx": lambda path: scipy.io.mmwrite(path, matrix(), symmetry="general"),
    "pattern.mtx": lambda path: scipy.io.mmwrite(path, matrix(), field="pattern", symmetry="symmetric"),
    "club.mtx.gz": lambda path: write_gzipped(path, lambda plain: scipy.io.mmwrite(plain, matrix())),
    "club.graphml": lambda path: nx.write_graphml(club_in_networkx(), path),
    "club.graphml.gz": lambda path: nx.write_graphml(club_in_networkx(), path),
    "club.gml": lambda path: nx.write_gml(club_in_networkx(), path),
    "club.g6": lambda path: nx.write_graph6(nx.Graph(matrix()), path),
    "club.g6.gz": lambda path: nx.write_graph6(nx.Graph(matrix()), path),
    "club.npz": lambda path: sp.save_npz(path, matrix()),
    "csc.npz": lambda path: sp.save_npz(path, matrix().tocsc()),
    "coo.npz": lambda path: sp.save_npz(path, sp.coo_matrix(matrix())),
    "index.npz": lambda path: np.savez(path, edge_index=np.array(PAIRS).T, num_nodes=34),
    "edges.npz": lambda path: np.savez_compressed(path, edges=np.array(PAIRS)),
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_karate_club_comes_back_from_every_format(name, tmp_path):
    WRITERS[name](tmp_path / name)

    words = {"club.edgelist": {"source": 0, "target": 1}, "index.npz": {"directed": False}}
    graph = read_graph(tmp_path / name, **words.get(name, {}))

    assert by_id(graph) == by_id(CLUB)
    assert (graph.info.loops_dropped, graph.info.duplicates_merged) == (0, 0)


def test_string_ids_come_back_from_tables(tmp_path):
    frame = pd.DataFrame({"src": ["ann", "bob"], "dst": ["bob", "cid"], "weight": [1.5, 2.5]})
    frame.to_parquet(tmp_path / "people.parquet")

    graph = read_graph(str(tmp_path / "people.parquet"), source="src", target="dst")

    assert graph.node_ids.tolist() == ["ann", "bob", "cid"]
    assert graph.info.weights_ignored


def test_gml_labels_are_the_ids(tmp_path):
    nx.write_gml(nx.Graph([("ann", "bob")]), tmp_path / "people.gml")

    assert read_graph(tmp_path / "people.gml").node_ids.tolist() == ["ann", "bob"]


def test_gml_numbers_are_the_ids_where_labels_repeat(tmp_path):
    text = 'graph [ node [ id 4 label "x" ] node [ id 7 label "x" ] edge [ source 4 target 7 ] ]'
    (tmp_path / "people.gml").write_text(text)

    assert read_graph(tmp_path / "people.gml").node_ids.tolist() == [4, 7]


def test_explicit_zeros_of_a_matrix_file_are_no_edges(tmp_path):
    text = "%%MatrixMarket matrix coordinate real symmetric\n% made up\n3 3 2\n2 1 0.0\n3 1 5.0\n"
    (tmp_path / "a.mtx").write_text(text)

    with pytest.warns(IgnoredInputWarning) as caught:
        graph = read_graph(tmp_path / "a.mtx")

    assert [str(warning.message)[:24] for warning in caught] == [
        "2 stored entries of the ",
        "Edge weights play no par",
    ]
    assert graph.neighbors(0) == [2]
    assert str(graph.info) == "edge weights ignored"


def test_a_general_matrix_file_is_read_as_undirected_unless_asked(tmp_path):
    (tmp_path / "a.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n")

    assert read_graph(tmp_path / "a.mtx", directed=False).info.read_as_undirected
    assert read_graph(tmp_path / "a.mtx", directed="out").neighbors(1) == []


def test_many_graphs_come_from_one_graph6_file(tmp_path):
    (tmp_path / "small.g6").write_bytes(b">>graph6<<A_\nBw\n\n?\n")

    sizes = [(graph.num_nodes, graph.num_edges) for graph in read_graphs(tmp_path / "small.g6")]

    assert sizes == [(2, 1), (3, 3), (0, 0)]


def test_one_graph_of_another_format_is_a_list_of_one(tmp_path):
    write_text(tmp_path / "club.txt", " ")

    assert [graph.num_edges for graph in read_graphs(tmp_path / "club.txt")] == [78]


def test_the_format_may_be_said(tmp_path):
    (tmp_path / "data").write_text("a,b\n")

    assert read_graph(tmp_path / "data", format="csv").num_edges == 1


def test_an_empty_edge_list_is_an_empty_graph(tmp_path):
    (tmp_path / "none.txt").write_bytes(b"")

    assert read_graph(tmp_path / "none.txt").num_nodes == 0


def test_read_graph_equals_from_edges(tmp_path):
    write_text(tmp_path / "club.txt", " ")
    graph, other = read_graph(tmp_path / "club.txt"), Graph.from_edges(PAIRS)

    assert graph.indices.tolist() == other.indices.tolist()
    assert graph.node_ids.tolist() == other.node_ids.tolist()
