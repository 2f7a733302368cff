"""Files that are missing, damaged or not what they say: one sentence for each, with the way out."""

import gzip
import os
import re
import sys

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from egonet.errors import FileError, InputError, MissingExtraError, MissingFileError
from egonet.graph import named
from egonet.io.read import read_graph

CLUB = named.karate_club()
EDGES = "".join(f"{u} {v}\n" for u in range(34) for v in CLUB.neighbors(u) if u < v).encode()


def refused(path, said, error=FileError, **options):
    with pytest.raises(error, match=f"^{re.escape(said)}$"):
        read_graph(path, **options)


def test_a_missing_file_is_told_with_a_near_match(tmp_path):
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


def test_a_folder_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("data.csv")

    refused("data.csv", "'data.csv' is a folder. Give the path of a file in it.")


def test_data_instead_of_a_path_is_refused():
    said = "read_graph takes the path of a file, got [(0, 1)]. Use egonet.as_graph for data."
    refused([(0, 1)], said, InputError)


def test_a_path_with_a_nul_is_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    refused("a\0b.csv", r"there is no file 'a\x00b.csv'.", MissingFileError)


def test_an_unknown_ending_is_told_with_the_known_ones(tmp_path):
    (tmp_path / "graph.xyz").write_text("")
    endings = ".csv .tsv .txt .edgelist .edges .parquet .arrow .feather .mtx .graphml .gml .g6 .npz"
    refused(
        tmp_path / "graph.xyz",
        f"the ending of 'graph.xyz' is not one of {endings}. Say what it is: format=\"csv\".",
    )


def test_an_unknown_format_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("")
    words = "csv, tsv, text, parquet, arrow, mtx, graphml, gml, graph6, npz"
    refused(tmp_path / "a.csv", f"format must be one of {words}, got 'xls'.", InputError, format="xls")


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.95])
def test_a_truncated_gz_is_one_sentence(tmp_path, cut):
    whole = gzip.compress(EDGES)
    (tmp_path / "club.txt.gz").write_bytes(whole[: int(len(whole) * cut)])

    said = "club.txt.gz is cut short: its compressed data end too early. Fetch it again."
    refused(tmp_path / "club.txt.gz", said)


def test_a_damaged_gz_is_one_sentence(tmp_path):
    whole = bytearray(gzip.compress(EDGES))
    whole[40] ^= 0xFF
    (tmp_path / "club.txt.gz").write_bytes(whole)

    with pytest.raises(FileError, match=r"^club.txt.gz is not valid gzip data: .*\. Fetch it again\.$"):
        read_graph(tmp_path / "club.txt.gz")


def test_a_gz_that_is_none_is_one_sentence(tmp_path):
    (tmp_path / "club.txt.gz").write_bytes(b"1 2\n")

    said = "club.txt.gz is not valid gzip data: Not a gzipped file (b'1 '). Fetch it again."
    refused(tmp_path / "club.txt.gz", said)


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
def test_a_file_that_is_not_what_it_says_is_one_sentence(tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)

    with pytest.raises(FileError, match=f"^{re.escape(said)}") as caught:
        read_graph(tmp_path / name)

    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


def test_a_missing_column_of_a_table_is_told_with_a_near_match(tmp_path):
    pyarrow.parquet.write_table(pa.table({"source": [0], "target": [1]}), tmp_path / "club.parquet")

    said = (
        "club.parquet: there is no column 'sorce'. Did you mean 'source'? The columns are 'source', 'target'."
    )
    refused(tmp_path / "club.parquet", said, source="sorce", target="target")


def test_a_missing_id_of_a_table_is_told_with_its_row(tmp_path):
    pyarrow.parquet.write_table(pa.table({"u": [1, None], "v": [2, 3]}), tmp_path / "a.parquet")

    said = (
        "a.parquet: an id must be hashable and not missing, a number whole and >= 0, got a missing value"
        " in row 1 of column 'u' (counted from 0). Drop the row or fill it in."
    )
    refused(tmp_path / "a.parquet", said)


@pytest.mark.parametrize("name", ["a.parquet", "a.gml"])
def test_a_missing_package_is_told_with_the_command(tmp_path, monkeypatch, name):
    (tmp_path / name).write_bytes(b"")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "networkx", None)

    what = {"a.parquet": "Parquet", "a.gml": "GML"}[name]
    said = f'Reading {what} needs an extra package: pip install "egonet[io]".'
    refused(tmp_path / name, said, MissingExtraError)


BOMB = """<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>
<graphml><graph edgedefault="undirected"><node id="&b;"/></graph></graphml>"""


@pytest.mark.parametrize(
    "content",
    [BOMB.encode(), BOMB.encode("utf-16"), b'<?xml version="1.0" encoding="cp037"?><graphml/>'],
)
def test_graphml_with_entities_or_an_odd_encoding_is_refused(tmp_path, content):
    (tmp_path / "a.graphml").write_bytes(content)

    said = "a.graphml: GraphML must be UTF-8 without a document type or entities. Remove them."
    refused(tmp_path / "a.graphml", said)


def test_pickled_arrays_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", edges=np.array([["a", 1]], dtype=object))

    with pytest.raises(
        FileError, match=r"^a.npz is not an npz file that can be read: Object arrays cannot be loaded"
    ):
        read_graph(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        (
            {"x": np.ones(3)},
            "a.npz must hold a scipy sparse matrix, or an array edge_index or edges, got ['x'].",
        ),
        (
            {"edge_index": np.ones((3, 2))},
            "a.npz: edge_index must be whole numbers of shape (2, num_edges), got (3, 2).",
        ),
        (
            {"edge_index": np.array([[0], [10**9]])},
            "a.npz claims 1,000,000,000 nodes in 16 bytes. The file is damaged.",
        ),
        (
            {"edges": np.array([[0, -1]])},
            "a.npz: an id must be hashable and not missing, a number whole and >= 0, got -1 in edge 0 (counted from 0)."
            " Drop or rename it.",
        ),
        (
            {"format": "dia", "shape": np.array([2, 2]), "data": np.ones((1, 2)), "offsets": np.zeros(1)},
            "a.npz holds a sparse matrix in the 'dia' format. Store it as csr, csc or coo.",
        ),
        (
            {
                "format": "csr",
                "shape": np.array([2, 2]),
                "data": np.ones(1),
                "indices": [7],
                "indptr": [0, 1, 1],
            },
            "a.npz: ",
        ),
        (
            {
                "format": "csr",
                "shape": np.array([2, 2]),
                "data": np.ones(1),
                "indices": [1],
                "indptr": [0, 9, 1],
            },
            "a.npz: ",
        ),
    ],
)
def test_arrays_that_are_no_graph_are_one_sentence(tmp_path, arrays, said):
    np.savez(tmp_path / "a.npz", **arrays)

    with pytest.raises(FileError, match=f"^{re.escape(said)}"):
        read_graph(tmp_path / "a.npz")


def test_a_single_array_is_refused(tmp_path):
    with open(tmp_path / "a.npz", "wb") as file:
        np.save(file, np.ones(3))

    refused(tmp_path / "a.npz", "a.npz holds one array, not an npz archive. Use numpy.savez.")


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("a.g6", {"delimiter": ","}, "delimiter has no meaning for graph6, got ','. Leave it out."),
        ("a.mtx", {"num_nodes": 3}, "num_nodes has no meaning for mtx, got 3. Leave it out."),
        ("a.parquet", {"header": True}, "header has no meaning for parquet, got True. Leave it out."),
    ],
)
def test_options_of_another_format_are_refused(tmp_path, name, options, said):
    (tmp_path / name).write_bytes(b"")

    refused(tmp_path / name, said, InputError, **options)


def test_a_node_that_does_not_exist_is_told_with_a_near_match(tmp_path):
    (tmp_path / "people.csv").write_text("ann,bob\nbob,cid\n")

    with pytest.raises(KeyError, match=r"^the graph has no node 'dob'. Did you mean 'bob'\?$"):
        read_graph(tmp_path / "people.csv").neighbors("dob")
