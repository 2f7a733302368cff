"""The first row of an edge list: column names, an edge, or an error."""

import re

import pytest

import egonet
from contracts.text import read
from egonet import read_graph
from egonet.errors import FileError
from egonet.graph.input_options import could_be_header


def written(folder, name, content):
    (folder / name).write_bytes(content)
    return folder / name


@pytest.mark.parametrize(
    ("first", "below", "may_be"),
    [
        (["person", "friend"], {"1", "2"}, True),
        (["person", "2"], {"1", "3"}, False),
        (["person", "nan"], {"1", "2"}, False),
        (["person", ""], {"1", "2"}, False),
        (["-1", "4.5"], {"1", "2"}, False),
        (["#a", "#b"], {"x", "y"}, False),
        (["#a", "#b"], {"1", "2"}, True),
    ],
)
def test_names_that_are_not_ids_below_may_be_a_header(first, below, may_be):
    assert could_be_header(first, below) is may_be


def test_a_wrong_column_is_reported_with_a_near_match(tmp_path):
    (tmp_path / "edges.csv").write_text("src,dst\n1,2\n")

    said = "edges.csv: there is no column 'scr'. Did you mean 'src'? The columns are 'src', 'dst'."
    with pytest.raises(FileError, match=f"^{re.escape(said)}$"):
        egonet.read_graph(tmp_path / "edges.csv", source="scr", target="dst")


@pytest.mark.parametrize(
    ("header", "named"),
    [(b"src,dst,src", "src"), (b"Source,target,source", "source"), (b"u,u", "u"), (b"v,u,v,u", "u")],
)
def test_columns_with_one_name_raise(tmp_path, header, named):
    path = written(tmp_path, "a.csv", header + b"\n" + b",".join([b"1"] * (header.count(b",") + 1)) + b"\n")

    with pytest.raises(FileError, match=rf"^a.csv: 2 columns are named '{named}'. Rename all but one.$"):
        read_graph(path, header=True)


def test_columns_with_the_same_name_are_chosen_by_position(tmp_path):
    path = written(tmp_path, "a.csv", b"u,u\n1,2\n")

    assert read_graph(path, header=True, source=0, target=1).node_ids.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("content", "options", "ids"),
    [
        ("source,target\na,b\n", {}, ["a", "b"]),
        ("person,friend\n1,2\n", {"header": True}, [1, 2]),
        ("a,b\nb,c\n", {}, ["a", "b", "c"]),
        ("a,b\nb,c\n", {"header": True}, ["b", "c"]),
        ("source,target\na,b\n", {"header": False}, ["source", "target", "a", "b"]),
        ("when,dst,src\n9,b,a\n", {}, ["a", "b"]),
        ("when,to whom,who\n9,b,a\n", {"source": "who", "target": "to whom"}, ["a", "b"]),
        ("9,b,a\n", {"source": 2, "target": 1}, ["a", "b"]),
        ("when,x,y\n9,b,a\n", {"source": 2, "target": 1, "header": True}, ["a", "b"]),
    ],
)
def test_the_header_is_found_and_columns_chosen(content, options, ids):
    assert read(content, ",", **options).node_ids.tolist() == ids


def test_numbered_names_may_be_ids_of_a_text():
    assert read("node1,node2\nnode3,node4\n", ",").num_edges == 2
    assert read("when,id_2,id_1\n9,b,a\n", ",", header=True).node_ids.tolist() == ["a", "b"]


@pytest.mark.parametrize("text", ["", "\n\n", "source,target\n"])
def test_a_text_without_edges_is_an_empty_graph_even_if_it_has_a_header(text):
    assert read(text, ",", header=True).num_nodes == 0


def test_a_header_alone_is_an_empty_graph():
    assert read("source,target\n", ",", header=True).num_nodes == 0


def test_a_missing_column_is_reported_with_a_near_match():
    said = "edges: there is no column 'sorce'. Did you mean 'source'? The columns are 'source', 'target'."
    with pytest.raises(FileError, match=f"^{re.escape(said)}$"):
        read("source,target\n1,2\n", ",", source="sorce", target="target")


def test_an_unclear_header_is_reported_with_its_columns():
    said = (
        "edges: which two columns have the node ids? Set source= and target=; the first row is 'a', 'b', 'c'."
    )
    said += " By position the first two columns are source=0, target=1."
    with pytest.raises(FileError, match=f"^{re.escape(said)}$"):
        read("a,b,c\n1,2,3\n", ",")


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        ("payer,payee,amount\nann,bob,3\n", ","),
        ("when,payer,payee\n2024-01-01,ann,bob\n", ","),
        ("1 2 0.5\n2 3 0.7\n", ""),
        ("a b c\nb c a\n", ""),
        ("a,b,\nb,c,\n", ","),
    ],
)
def test_more_than_two_columns_are_read_only_if_they_are_chosen(content, delimiter):
    with pytest.raises(
        FileError, match=r"^edges: which two columns have the node ids\? Set source= and target=; the"
    ):
        read(content, delimiter)


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        ("payer,payee\nc17,c20\nc20,c4\n", ","),
        ("person friend\n1 2\n2 3\n", ""),
        ("person,friend\nann,bob\nbob,cid\n", ","),
        ("node_1,node_2\nA17,B3\n", ","),
        ("u v\n", ""),
        ("from to\n", ""),
        ("u v\nv w\nw u\n", ""),
        ("u v\na b\nb c\n", ""),
        ("(who),(whom)\n1,2\n", ","),
    ],
)
def test_a_first_row_that_may_be_names_or_an_edge_is_an_error(content, delimiter):
    said = (
        r"^edges: the first row \('.*', '.*'\) may name columns or be data. Set header=True or header=False.$"
    )
    with pytest.raises(FileError, match=said):
        read(content, delimiter)

    num_lines = content.count("\n")
    assert read(content, delimiter, header=False).num_edges == num_lines
    assert read(content, delimiter, header=True).num_edges == num_lines - 1


@pytest.mark.parametrize(
    ("content", "num_edges"),
    [
        ("x y\n", 1),
        ("c4 c9\nc17 c20\n", 2),
        ("ann bob\nbob cid\n", 2),
        ("u v\n1 2\n", 1),
        ("0 1 {}\n1 2 {'w': 3}\n", 2),
    ],
)
def test_a_first_row_that_means_one_thing_is_read(content, num_edges):
    assert read(content).num_edges == num_edges


def test_positions_leave_the_question_of_a_header():
    content = "when,payer,payee\n9,b,a\n9,a,c\n"
    with pytest.raises(FileError, match=r"the first row \('payer', 'payee'\) may name columns or be data"):
        read(content, ",", source=1, target=2)

    assert read(content, ",", source=1, target=2, header=True).num_edges == 2


def test_a_lone_row_with_well_known_names_is_not_read_as_an_edge(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target,weight\n")

    with pytest.raises(FileError, match=r"may name columns or be data"):
        read_graph(path, source=2, target=0)
