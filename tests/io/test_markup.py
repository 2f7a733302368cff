"""GraphML, GML, Matrix Market and graph6 files, valid and invalid."""

import io
import re

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import egonet
from egonet import read_graph, read_graphs
from egonet.errors import FileError, IgnoredInputWarning, InputError
from egonet.graph.input_options import InputOptions
from egonet.io.graph6 import from_triangle, parse_graph6, read_size
from egonet.io.markup import (
    matrix_market_size,
    read_gml,
    read_graphml,
    read_matrix_market,
    reject_bad_entries,
)

HEAD = b"%%MatrixMarket matrix coordinate pattern symmetric\n"


def assert_error(path, said, error=FileError, **options):
    with pytest.raises(error, match=f"^{re.escape(said)}$"):
        read_graph(path, **options)


BOMB = """<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>
<graphml><graph edgedefault="undirected"><node id="&b;"/></graph></graphml>"""


def raises(path, said, error=FileError):
    with pytest.raises(error, match=f"^{re.escape(said)}") as caught:
        read_graph(path)
    assert str(caught.value).isprintable()
    assert str(caught.value).endswith((".", "?"))


def written(folder, name, content):
    (folder / name).write_bytes(content)
    return folder / name


MATRIX = b"%%MatrixMarket matrix coordinate "


GRAPHML = '<?xml version="1.0" encoding="UTF-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'


NODES = '<node id="a"/><node id="b"/><node id="c"/>'


PATH = f'{NODES}<edge source="a" target="b"/><edge source="b" target="c"/>'


def write_graphml(folder, *bodies, default="undirected"):
    graphs = "".join(f'<graph id="G" edgedefault="{default}">{body}</graph>' for body in bodies)
    path = folder / "a.graphml"
    path.write_text(f"{GRAPHML}{graphs}</graphml>")
    return path


PLACE = "a.graphml, graph 0 (counted from 0)"


def test_a_matrix_may_be_as_dense_as_its_text_allows():
    text = HEAD + b"2 2 1\n2 1"

    assert read_matrix_market(io.BytesIO(text), "a.mtx", InputOptions()).num_edges == 1
    most = (len(text) + 4) // 4
    declared = HEAD + b"2 2 %d\n2 1" % (most + 1)
    with pytest.raises(
        FileError, match=rf"a\.mtx is cut short: {len(declared)} bytes cannot hold {most + 1} entries"
    ):
        read_matrix_market(io.BytesIO(declared), "a.mtx", InputOptions())


def test_the_line_of_a_bad_entry_is_named():
    text = HEAD + b"3 3 2\n2 1\nx 1\n"

    start = matrix_market_size(text, "a.mtx")[3]
    with pytest.raises(FileError, match=r"^a\.mtx, line 4: expected an entry, got 'x 1'\.$"):
        reject_bad_entries(text, start, "a.mtx")


def test_labels_of_a_gml_file_that_are_not_ids_are_left_for_the_numbers(need):
    need("networkx")
    text = b'graph [ node [ id 4 label "" ] node [ id 7 label "b" ] edge [ source 4 target 7 ] ]'

    assert read_gml(io.BytesIO(text), "a.gml", InputOptions()).node_ids.tolist() == [4, 7]
    named_ones = text.replace(b'label ""', b'label "a"')
    assert read_gml(io.BytesIO(named_ones), "a.gml", InputOptions()).node_ids.tolist() == ["a", "b"]


def test_gml_labels_are_the_ids(tmp_path):
    nx.write_gml(nx.Graph([("ann", "bob")]), tmp_path / "people.gml")

    assert read_graph(tmp_path / "people.gml").node_ids.tolist() == ["ann", "bob"]


def test_gml_numbers_are_the_ids_where_labels_repeat(tmp_path):
    text = 'graph [ node [ id 4 label "x" ] node [ id 7 label "x" ] edge [ source 4 target 7 ] ]'
    (tmp_path / "people.gml").write_text(text)

    assert read_graph(tmp_path / "people.gml").node_ids.tolist() == [4, 7]


def test_explicit_zeros_of_a_matrix_file_are_not_edges(tmp_path):
    text = "%%MatrixMarket matrix coordinate real symmetric\n% made up\n3 3 2\n2 1 0.0\n3 1 5.0\n"
    (tmp_path / "a.mtx").write_text(text)

    with pytest.warns(IgnoredInputWarning) as caught:
        graph = read_graph(tmp_path / "a.mtx")

    assert [str(warning.message)[:24] for warning in caught] == [
        "2 stored entries of the ",
        "Edge weights are ignored",
    ]
    assert graph.neighbors(0) == [2]
    assert str(graph.info) == "edge weights ignored"


def test_a_general_matrix_file_is_read_as_undirected_by_default(tmp_path):
    (tmp_path / "a.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n")

    assert read_graph(tmp_path / "a.mtx", directed=False).info.read_as_undirected
    assert read_graph(tmp_path / "a.mtx", directed="out").neighbors(1) == []


def test_many_graphs_come_from_one_graph6_file(tmp_path):
    (tmp_path / "small.g6").write_bytes(b">>graph6<<A_\nBw\n\n?\n")

    sizes = [(graph.num_nodes, graph.num_edges) for graph in read_graphs(tmp_path / "small.g6")]

    assert sizes == [(2, 1), (3, 3), (0, 0)]


@pytest.mark.parametrize(
    "content",
    [BOMB.encode(), BOMB.encode("utf-16"), b'<?xml version="1.0" encoding="cp037"?><graphml/>'],
)
def test_graphml_with_entities_or_an_unsupported_encoding_raises(tmp_path, content):
    (tmp_path / "a.graphml").write_bytes(content)

    said = "a.graphml: GraphML must be UTF-8 without a document type or entities. Remove them."
    assert_error(tmp_path / "a.graphml", said)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"~~~~~~~~\n", "a graph has at most 2,147,483,647 nodes, got 68,719,476,735."),
        (
            b"~}~~\n",
            "a graph6 string of 258,047 nodes has 5,548,999,681 characters after its size, got 0.",
        ),
        (b"C\n", "a graph6 string of 4 nodes has 1 characters after its size, got 0."),
        (b"@~\n", "a graph6 string of 1 nodes has 0 characters after its size, got 1."),
    ],
)
def test_graph6_with_a_wrong_size_raises(tmp_path, line, said):
    raises(written(tmp_path, "a.g6", line), f"a.g6, line 1: {said}")


def test_many_graphs_without_edges_are_quick(tmp_path):
    graphs = read_graphs(written(tmp_path, "a.g6", b"@\n" * 20_000 + b"D??\n"))

    assert len(graphs) == 20_001
    assert graphs[-1].degrees.tolist() == [0, 0, 0, 0, 0]


def test_a_billion_declared_entries_raise_before_memory_is_allocated(tmp_path):
    content = MATRIX + b"pattern general\n1000000 1000000 1000000000\n1 2\n"
    raises(
        written(tmp_path, "a.mtx", content), "a.mtx is cut short: 80 bytes cannot hold 1,000,000,000 entries."
    )


@pytest.mark.parametrize(
    ("body", "line", "shown"),
    [
        (b"real general\n3 3 2\n2 1 1.5\n3 2 1e-", 4, "'3 2 1e-'"),  # read past its end by scipy 1.17
        (b"real general\n3 3 2\n2 1 1.\xef", 3, "'2 1 1.ï'"),  # the same
        (b"real general\n3 3 2\n2 1 1.5.5\n3 2 1\n", 3, "'2 1 1.5.5'"),
        (b"real general\n3 3 2\n2 1 1\n2 3nan\n", 4, "'2 3nan'"),
        (b"real general\n3 3 1\n2 1\n", 3, "'2 1'"),
        (b"pattern symmetric\n3 3 2\n2 1\n3 1 7\n", 4, "'3 1 7'"),
        (b"complex general\n3 3 1\n2 1 1.0\n", 3, "'2 1 1.0'"),
        (b"integer general\n3 3 1\n2.0 1 1\n", 3, "'2.0 1 1'"),
    ],
)
def test_an_entry_that_is_none_is_reported_with_its_line(tmp_path, body, line, shown):
    raises(written(tmp_path, "a.mtx", MATRIX + body), f"a.mtx, line {line}: expected an entry, got {shown}.")


@pytest.mark.parametrize("number", [b"1", b"-1.5", b"1.", b".5", b"1e-300", b"2E5", b"-Inf", b"infinity"])
@pytest.mark.filterwarnings("ignore::egonet.errors.IgnoredInputWarning")
def test_every_form_of_a_number_is_read(tmp_path, number):
    graph = read_graph(written(tmp_path, "a.mtx", MATRIX + b"real symmetric\n2 2 1\n2 1 " + number))

    assert graph.neighbors(0) == [1]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "a.gml",
            b"graph [ \x1b[31m ]",
            "a.gml is not a GML file that can be read: cannot tokenize \\x1b[31m ] at",
        ),
        (
            "a.gml",
            b"graph [ " + b"a [ " * 200_000,
            "a.gml is not a GML file that can be read: maximum recursion",
        ),
        (
            "a.mtx",
            MATRIX + b"\x1b[31mreal general\n1 1 0\n",
            "a.mtx is not a valid Matrix Market file: Line 1",
        ),
        ("a.graphml", b"<a>" * 100_000, "a.graphml is not a GraphML file that can be read: no element found"),
    ],
)
def test_messages_of_other_packages_are_made_printable(tmp_path, name, content, said):
    raises(written(tmp_path, name, content), said)


def test_graphml_attributes_of_no_known_type_are_ignored(tmp_path):
    content = b'<graphml><key id="k" for="node" attr.name="x"/><graph edgedefault="undirected">'
    content += b'<node id="a"/><node id="b"/>'
    content += b'<edge source="a" target="b"/></graph></graphml>'

    assert read_graph(written(tmp_path, "a.graphml", content)).node_ids.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (NODES + '<edge target="b"/>', f"{PLACE}, edge 0 (counted from 0) has no source."),
        (NODES + '<edge source="b"/>', f"{PLACE}, edge 0 (counted from 0) has no target."),
        (
            PATH + '<edge source="a" target="z"/>',
            f"{PLACE}, edge 2 (counted from 0) has the target 'z', and there is no such node.",
        ),
        (PATH + '<node id="b"/>', f"{PLACE}: node 3 (counted from 0) repeats the id 'b'. Rename it."),
        (PATH + "<node/>", f"{PLACE}: node 3 (counted from 0) has no id. Give it one."),
        (PATH + '<node id=""/>', f"{PLACE}: an id must be hashable and not missing"),
        (
            PATH + '<graph id="H"/>',
            f"{PLACE}: there is a <graph> inside it ('H'), and a graph has one level.",
        ),
        (
            PATH + '<node id="d"><graph id="H"><node id="e"/></graph></node>',
            f"{PLACE}: there is a <graph> inside it ('H'), and a graph has one level.",
        ),
        (PATH + "<hyperedge/>", f"{PLACE}: there is a <hyperedge>, and an edge has two ends."),
        (
            NODES + '<edge source="a" target="b" directed="true"/>',
            f"{PLACE}, edge 0 (counted from 0) says directed='true' in a graph that is undirected.",
        ),
    ],
)
def test_what_graphml_forbids_is_reported_with_its_position(tmp_path, body, said):
    with pytest.raises(FileError, match=f"^{re.escape(said)}"):
        read_graph(write_graphml(tmp_path, body))


def test_several_graphs_are_read_by_read_graphs_only(tmp_path):
    path = write_graphml(tmp_path, PATH, NODES)

    with pytest.raises(FileError, match=r"^a.graphml has 2 graphs, not one. Use egonet.read_graphs.$"):
        read_graph(path)
    assert [(graph.num_nodes, graph.num_edges) for graph in read_graphs(path)] == [(3, 2), (3, 0)]


@pytest.mark.parametrize("content", [f"{GRAPHML}</graphml>", "<svg/>", "<graphml>", ""])
def test_a_file_without_a_graph_is_an_error(tmp_path, content):
    (tmp_path / "a.graphml").write_text(content)

    with pytest.raises(
        FileError, match=r"^a.graphml (has no <graph>|is not a GraphML file that can be read)"
    ):
        read_graphs(tmp_path / "a.graphml")


def test_arcs_and_weights_are_noted_in_one_warning(tmp_path):
    graph = nx.MultiDiGraph([("a", "b"), ("a", "b"), ("b", "b")])
    graph.add_edge("b", "c", weight=2)
    nx.write_graphml(graph, tmp_path / "a.graphml")

    with pytest.warns(IgnoredInputWarning, match="^Arcs are read as .* Edge weights") as caught:
        read = read_graph(tmp_path / "a.graphml")

    assert len(caught) == 1
    assert read.node_ids.tolist() == ["a", "b", "c"]
    assert str(read.info) == (
        "1 self-loop dropped, 1 repeated edge merged, edge weights ignored, arcs read as undirected edges"
    )


def test_arcs_are_followed_if_there_are_any(tmp_path):
    assert read_graph(write_graphml(tmp_path, PATH, default="directed"), directed="out").neighbors("b") == [
        "c"
    ]
    with pytest.raises(FileError, match=r"has no arcs to follow, got directed=\"out\". Leave it out.$"):
        read_graph(write_graphml(tmp_path, PATH), directed="out")


def test_graph6_has_no_arcs_to_follow(tmp_path):
    (tmp_path / "a.g6").write_text("A_\n")

    with pytest.raises(FileError, match=r"^a\.g6: graph6 has no arcs to follow, got directed=\"out\"\."):
        read_graph(tmp_path / "a.g6", directed="out")


def edges(graph):
    return {(u, v) for u in range(graph.num_nodes) for v in graph.neighbors(u) if u < v}


@given(st.integers(0, 70), st.floats(0, 1), st.integers(0, 99), st.booleans())
def test_graphs_come_back_as_networkx_wrote_them(size, density, seed, header):
    graph = nx.gnp_random_graph(size, density, seed=seed)

    read = parse_graph6(nx.to_graph6_bytes(graph, header=header))

    assert read.num_nodes == size
    assert edges(read) == {tuple(sorted(edge)) for edge in graph.edges()}


@pytest.mark.parametrize("size", [62, 63, 2000])
def test_the_size_forms_meet(size):
    graph = nx.path_graph(size)

    assert edges(parse_graph6(nx.to_graph6_bytes(graph))) == set(graph.edges())


def test_the_longest_size_form_is_read():
    assert parse_graph6(b"~~?????A_").neighbors(0) == [1]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"", "a graph6 string begins with its number of nodes, got too few characters."),
        (b"~?", "a graph6 string begins with its number of nodes, got too few characters."),
        (b"~~~~~~~~", "a graph has at most 2,147,483,647 nodes, got 68,719,476,735."),
        (b"~~?B????", "of 50,331,648 nodes has 211,106,228,338,688 characters after its size, got 0."),
        (b"Bww", "a graph6 string of 3 nodes has 1 characters after its size, got 2."),
        (b"B~", "the unused last bits of a graph6 string must be zero. The line is damaged."),
        (b"B\x7f", "graph6 uses the characters '?' to '~', got '\\x7f' at 2."),
        (b"B\xff", "graph6 uses the characters '?' to '~', got 'ÿ' at 2."),
        (b":An", "this is sparse6, and only graph6 is read. Convert it with nauty's copyg -g."),
        (b"&A_", "this is digraph6, and only graph6 is read."),
    ],
)
def test_a_damaged_string_is_one_sentence(line, said):
    with pytest.raises(InputError, match=re.escape(said)):
        parse_graph6(line)


def test_both_ends_of_every_column_of_a_large_triangle_are_exact():
    starts = np.cumsum(np.arange(4000))  # where the columns 1, 2, 3, ... begin: 0, 1, 3, 6, ...
    bits = np.zeros(starts[-1], dtype=np.uint8)
    bits[starts[:-1]] = bits[starts[1:] - 1] = 1

    graph = from_triangle(bits, 4000)

    assert edges(graph) == {(0, v) for v in range(1, 4000)} | {(v - 1, v) for v in range(1, 4000)}


def test_the_most_nodes_are_read_as_a_size():
    values = np.array([63, 63, 1, 63, 63, 63, 63, 63], dtype=np.uint8)

    assert read_size(values)[0] == 2**31 - 1  # 1 and five sixes of bits that are set


def test_positions_of_a_large_triangle_are_exact():
    size = 3000
    matrix = np.zeros((size, size), dtype=int)
    matrix[0, size - 1] = matrix[size - 2, size - 1] = matrix[0, 1] = 1

    graph = parse_graph6(nx.to_graph6_bytes(nx.Graph(matrix)))

    assert edges(graph) == {(0, 1), (0, size - 1), (size - 2, size - 1)}


def test_a_long_namespace_is_an_error_since_every_tag_would_contain_it():
    text = f"<graphml xmlns = '{'u' * 1000}'><graph/></graphml>".encode()
    with pytest.raises(FileError, match=r"fewer than 1,000 characters\. Shorten it\."):
        read_graphml(io.BytesIO(text), "a.graphml", InputOptions())
    assert read_graphml(io.BytesIO(text.replace(b"uu", b"u")), "a.graphml", InputOptions())


def test_an_edge_without_an_attribute_has_the_default_of_graphml(tmp_path):
    key = '<key id="k" for="edge" attr.name="kind" attr.type="string"><default>plain</default></key>'
    edges = '<edge source="a" target="b"><data key="k">odd</data></edge><edge source="b" target="c"/>'
    nodes = "".join(f'<node id="{name}"/>' for name in "abc")
    text = f'<graphml>{key}<graph edgedefault="undirected">{nodes}{edges}</graph></graphml>'
    (tmp_path / "a.graphml").write_text(text)

    graph = read_graph(tmp_path / "a.graphml", keep="kind")

    assert graph.edge_table.column("kind").tolist() == ["odd", "plain"]


def test_attributes_of_graphml_have_the_type_that_the_file_declares(tmp_path):
    def written(kind, *values):
        key = f'<key id="k" for="edge" attr.name="kind" attr.type="{kind}"/>'
        edges = "".join(
            f'<edge source="a" target="b"><data key="k">{value}</data></edge>' for value in values
        )
        nodes = '<node id="a"/><node id="b"/>'
        (tmp_path / "a.graphml").write_text(f"<graphml>{key}<graph>{nodes}{edges}</graph></graphml>")
        return read_graph(tmp_path / "a.graphml", keep="kind").edge_table.column("kind").tolist()

    assert written("int", "5", " -7 ") == [5, -7]
    assert written("string", "5", "7A") == ["5", "7A"]
    assert written("string", "5", "7") == ["5", "7"]
    with pytest.raises(FileError, match=r"kind is declared as long, but 1 of 2 values are not, first '7A'"):
        written("long", "5", "7A")


ATOMS = """<graphml>
<key id="k0" for="node" attr.name="element" attr.type="string"/>
<key id="k1" for="node" attr.name="charge" attr.type="int"><default>0</default></key>
<key id="k2" for="edge" attr.name="bond" attr.type="string"/>
<key id="k3" for="node" attr.name="part"/>
<key id="k4" for="all" attr.name="twice"/><key id="k5" for="all" attr.name="twice"/>
<graph edgedefault="undirected">
<node id="c"><data key="k0">C</data><data key="k3">7</data></node>
<node id="o"><data key="k0">O</data><data key="k1">-1</data></node>
<edge source="c" target="o"><data key="k2">single</data></edge>
</graph></graphml>"""


def test_labels_name_a_node_attribute_of_graphml(tmp_path):
    path = tmp_path / "atoms.graphml"
    path.write_text(ATOMS)

    named = read_graph(path, labels="element", edge_labels="bond")
    numbered = egonet.encode(read_graph(path, labels="charge"), radius=1)

    assert egonet.encode(named, radius=1)["o"] == {(0, 1, "O"): 1, (1, 2, "single"): 1, (2, 1, "C"): 1}
    assert numbered["o"] == {(0, 1, -1): 1, (1, 1, 0): 1}  # whole numbers, and the default


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "elemnt",
            r"has no node attribute 'elemnt'\. Did you mean 'element'\? It has 'element', 'charge', 'part'",
        ),
        ("bond", "has no node attribute 'bond'"),
        ("part", "labels names the node attribute 'part': 1 of 2 nodes of .* have none, first node 1"),
        ("twice", r"2 keys are called 'twice': 'k4', 'k5'\. Rename all but one\."),
    ],
)
def test_node_attributes_that_are_none_are_one_sentence(tmp_path, name, message):
    path = tmp_path / "atoms.graphml"
    path.write_text(ATOMS)

    with pytest.raises(InputError, match=message):
        read_graph(path, labels=name)
    with pytest.raises(FileError, match="2 keys are called 'twice'"):
        read_graph(path, edge_labels="twice")


def test_labels_name_a_node_attribute_of_gml_and_of_no_table(tmp_path):
    gml, table = tmp_path / "atoms.gml", tmp_path / "edges.csv"
    gml.write_text('graph [ node [ id 0 kind "C" ] node [ id 1 kind "O" ] edge [ source 0 target 1 ] ]')
    table.write_text("source,target\na,b\n")

    assert egonet.encode(read_graph(gml, labels="kind"), radius=0)[1] == {(0, 1, "O"): 1}
    with pytest.raises(FileError, match=r"^atoms\.gml: labels names the node attribute 'size': 2 of 2 nodes"):
        read_graph(gml, labels="size")
    with pytest.raises(InputError, match=r"'kind', but edges\.csv has none: only GraphML and GML do\. Give"):
        read_graph(table, labels="kind")
