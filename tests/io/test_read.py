"""`read_graph`: every format returns the same graph, and every error is one sentence."""

import gzip
import os
import re
import sys

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.io
import scipy.sparse as sp

from egonet import Graph, named, read_graph, read_graphs
from egonet.errors import (
    FileError,
    IgnoredInputWarning,
    InputError,
    MissingExtraError,
    MissingFileError,
    OptionError,
)

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


def assert_error(path, said, error=FileError, **options):
    with pytest.raises(error, match=f"^{re.escape(said)}$"):
        read_graph(path, **options)


EDGES = "".join(f"{u} {v}\n" for u in range(34) for v in CLUB.neighbors(u) if u < v).encode()


def test_a_packed_file_supports_seeking(tmp_path, need):
    need("pyarrow")
    import gzip

    import pyarrow as pa
    from pyarrow import feather

    plain, packed = tmp_path / "a.arrow", tmp_path / "a.arrow.gz"
    feather.write_feather(pa.table({"source": [1, 2], "target": [2, 3]}), plain, compression="uncompressed")
    packed.write_bytes(gzip.compress(plain.read_bytes()))

    assert read_graph(packed).node_ids.tolist() == read_graph(plain).node_ids.tolist() == [1, 2, 3]


@pytest.mark.parametrize("name", WRITERS)
def test_the_karate_club_comes_back_from_every_format(name, tmp_path):
    WRITERS[name](tmp_path / name)

    options = {"club.edgelist": {"source": 0, "target": 1}, "index.npz": {"directed": False}}
    graph = read_graph(tmp_path / name, **options.get(name, {}))

    assert by_id(graph) == by_id(CLUB)
    assert (graph.info.loops_dropped, graph.info.duplicates_merged) == (0, 0)


def test_one_graph_of_another_format_is_a_list_of_one(tmp_path):
    write_text(tmp_path / "club.txt", " ")

    assert [graph.num_edges for graph in read_graphs(tmp_path / "club.txt")] == [78]


def test_the_format_may_be_given(tmp_path):
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


def test_a_missing_file_is_reported_with_a_near_match(tmp_path):
    (tmp_path / "edges.csv").write_text("a,b\n")
    path = str(tmp_path / "edgs.csv")
    with pytest.raises(
        MissingFileError, match=r"^there is no file '.*/edgs.csv'. Did you mean 'edges.csv'\?$"
    ):
        read_graph(path)
    with pytest.raises(
        FileNotFoundError, match=r"^there is no file 'no/such/folder.csv', nor a folder 'no/such'\.$"
    ):
        read_graph("no/such/folder.csv")


def test_a_folder_raises(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("data.csv")

    assert_error("data.csv", "'data.csv' is a folder. Give the path of a file in it.")


def test_data_instead_of_a_path_raises():
    said = "read_graph takes the path of a file, got [(0, 1)]. Use egonet.as_graph for data."
    assert_error([(0, 1)], said, InputError)


def test_a_path_with_a_nul_is_not_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert_error("a\0b.csv", r"there is no file 'a\x00b.csv'.", MissingFileError)


def test_an_unknown_ending_is_reported_with_the_known_ones(tmp_path):
    (tmp_path / "graph.xyz").write_text("")
    endings = ".csv .tsv .txt .edgelist .edges .parquet .arrow .feather .mtx .graphml .gml .g6 .npz"
    assert_error(
        tmp_path / "graph.xyz",
        f"the ending of 'graph.xyz' is not one of {endings}. Set the format: "
        'format="csv", or format="text" if blanks separate the columns.',
    )


def test_an_unknown_format_raises(tmp_path):
    (tmp_path / "a.csv").write_text("")
    known = "csv, tsv, text, parquet, arrow, mtx, graphml, gml, graph6, npz"
    assert_error(tmp_path / "a.csv", f"format must be one of {known}, got 'xls'.", InputError, format="xls")


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.95])
def test_a_truncated_gz_raises_one_sentence(tmp_path, cut):
    whole = gzip.compress(EDGES)
    (tmp_path / "club.txt.gz").write_bytes(whole[: int(len(whole) * cut)])

    said = "club.txt.gz is cut short: its compressed data end too early. Fetch it again."
    assert_error(tmp_path / "club.txt.gz", said)


def test_a_damaged_gz_raises_one_sentence(tmp_path):
    whole = bytearray(gzip.compress(EDGES))
    whole[40] ^= 0xFF
    (tmp_path / "club.txt.gz").write_bytes(whole)

    with pytest.raises(FileError, match=r"^club.txt.gz is not valid gzip data: .*\. Fetch it again\.$"):
        read_graph(tmp_path / "club.txt.gz")


def test_a_gz_that_is_none_raises_one_sentence(tmp_path):
    (tmp_path / "club.txt.gz").write_bytes(b"1 2\n")

    said = "club.txt.gz is not valid gzip data: Not a gzipped file (b'1 '). Fetch it again."
    assert_error(tmp_path / "club.txt.gz", said)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.parquet", b"not parquet", "a.parquet is not a Parquet file that can be read: "),
        ("a.parquet", b"", "a.parquet is not a Parquet file that can be read: "),
        ("a.arrow", b"not arrow", "a.arrow is not an Arrow file that can be read: "),
        ("a.arrow", b"ARROW1 broken", "a.arrow is not an Arrow file that can be read: "),
        ("a.graphml", b"<graphml", "a.graphml is not a GraphML file that can be read: "),
        ("a.gml", b"graph [ node", "a.gml is not a GML file that can be read: "),
        ("a.gml", b"\xff\xfe", "a.gml is not a GML file that can be read: "),
        ("a.npz", b"not npz", "a.npz is not an npz file that can be read: "),
        ("a.npz", b"PK\x03\x04broken", "a.npz is not an npz file that can be read: "),
        ("a.mtx", b"1 2\n", "a.mtx is not a Matrix Market file: its first line is '1 2'."),
        ("a.mtx", b"", "a.mtx is not a Matrix Market file: its first line is ''."),
        (
            "a.mtx",
            b"%%MatrixMarket matrix coordinate pattern general\n9 9 1000000000\n1 2\n",
            "a.mtx is cut short: 68 bytes cannot hold 1,000,000,000 entries. Fetch it again.",
        ),
        (
            "a.mtx",
            b"%%MatrixMarket matrix coordinate pattern general\n2000000000 2000000000 1\n1 2\n",
            "a.mtx claims 2,000,000,000 nodes in 77 bytes. The file is damaged.",
        ),
        (
            "a.mtx",
            b"%%MatrixMarket matrix coordinate pattern general\n3 4 1\n1 2\n",
            "a.mtx: the matrix of a graph must be square, got 3 x 4.",
        ),
        (
            "a.mtx",
            b"%%MatrixMarket matrix coordinate pattern general\n3 x 1\n1 2\n",
            "a.mtx, line 2: expected rows, columns and entries, got '3 x 1'.",
        ),
        (
            "a.mtx",
            b"%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n9 1\n",
            "a.mtx is not a valid Matrix Market file: ",
        ),
        (
            "a.mtx",
            b"%%MatrixMarket matrix coordinate pattern general\n% only comments\n",
            "a.mtx is cut short: there is no line with its size. Fetch it again.",
        ),
        (
            "a.mtx",
            b"%%MatrixMarket matrix array real general\n1 1\n1.0\n",
            "a.mtx holds a dense matrix, and only the coordinate form is read. Store it sparse.",
        ),
        ("a.g6", b"A_\nB!\n", "a.g6, line 2: graph6 uses the characters '?' to '~', got '!' at 2."),
        (
            "a.g6",
            b"D?\n",
            "a.g6, line 1: a graph6 string of 5 nodes has 2 characters after its size, got 1."
            " The line is cut short or damaged.",
        ),
        ("a.g6", b"A_\nBw\n", "a.g6 has 2 graphs, not one. Use egonet.read_graphs."),
        ("a.g6", b"", "a.g6 has 0 graphs, not one. Use egonet.read_graphs."),
    ],
)
def test_a_file_that_is_not_what_it_says_raises_one_sentence(tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)

    with pytest.raises(FileError, match=f"^{re.escape(said)}") as caught:
        read_graph(tmp_path / name)

    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("name", ["a.parquet", "a.gml"])
def test_a_missing_package_is_reported_with_the_command(tmp_path, monkeypatch, name):
    (tmp_path / name).write_bytes(b"")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "networkx", None)

    what = {"a.parquet": "Parquet", "a.gml": "GML"}[name]
    said = f'Reading {what} needs an extra package: pip install "egonet[io]".'
    assert_error(tmp_path / name, said, MissingExtraError)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("a.g6", {"delimiter": ","}, "delimiter has no meaning for graph6, got ','. Leave it out."),
        ("a.mtx", {"num_nodes": 3}, "num_nodes has no meaning for mtx, got 3. Leave it out."),
        ("a.parquet", {"header": True}, "header has no meaning for parquet, got True. Leave it out."),
    ],
)
def test_options_of_another_format_raise(tmp_path, name, options, said):
    (tmp_path / name).write_bytes(b"")

    assert_error(tmp_path / name, said, InputError, **options)


def test_nodes_and_num_nodes_contradict_each_other(tmp_path):
    (tmp_path / "a.csv").write_text("0,1\n")

    with pytest.raises(InputError, match=r"^give num_nodes or nodes, not both\.$"):
        read_graph(tmp_path / "a.csv", nodes=[5], num_nodes=2)


def test_endings_are_formats_too(tmp_path):
    (tmp_path / "out.web").write_text("1 2\n2 3\n")

    assert len(read_graph(tmp_path / "out.web", format="txt")) == 3
    assert len(read_graph(tmp_path / "out.web", format="edgelist")) == 3


def test_formats_of_networkx_name_its_reader(tmp_path):
    said = "Read it with networkx.read_gexf and give the graph to egonet.encode"
    (tmp_path / "a.gexf").write_text("")
    with pytest.raises(FileError, match=said):
        read_graph(tmp_path / "a.gexf")


def test_graphs_of_a_directed_file_warn_unless_they_are_wanted_undirected(tmp_path, recwarn):
    nx.write_graphml(nx.DiGraph([("a", "b")]), tmp_path / "a.graphml")

    assert read_graphs(tmp_path / "a.graphml", directed=False)[0].directed is None
    assert not recwarn.list
    with pytest.warns(IgnoredInputWarning, match="directed"):
        read_graphs(tmp_path / "a.graphml")


def test_an_unknown_option_of_read_graphs_is_named_with_the_known_ones(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("a,b\n")

    with pytest.raises(
        OptionError,
        match=r"^read_graphs has no option 'direct'\. Did you mean 'directed'\?$",
    ):
        read_graphs(path, direct="out")
    with pytest.raises(OptionError, match=r"^read_graphs has no option 'xyz'\. The options are source"):
        read_graphs(path, xyz=1)


def test_labels_types_and_weights_of_a_file_are_on_the_graph(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target,kind,amount\nann,bob,007,1.5\nbob,cid,7,2\n")

    graph = read_graph(
        path, labels={"ann": "x", "bob": "y", "cid": "x"}, edge_labels="kind", weights="amount"
    )

    assert graph.labels.values() == ["x", "y", "x"]
    assert graph.edge_columns["edge_labels"].values() == ["007", "7"]
    assert graph.edge_columns["weights"].tolist() == [1.5, 2.0]


def test_types_of_a_text_file_stay_text_if_all_are_digits(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target,kind\n0,1,5\n1,2,7\n")

    assert read_graph(path, edge_labels="kind").edge_columns["edge_labels"].values() == ["5", "7"]


def test_labels_in_row_order_of_a_file_need_ids_from_0(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\nann,bob\n")

    with pytest.raises(InputError, match=r"such as 'ann', 'bob'\. Give a mapping"):
        read_graph(path, labels=["x", "y"])
