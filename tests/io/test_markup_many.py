"""Files of many small graphs: equal ones are built once, and options apply to empty ones as to others."""

import io

import pytest

from egonet.errors import FileError
from egonet.graph.input_options import InputOptions
from egonet.io.graph6 import read_graph6
from egonet.io.markup import read_graphml

TEXT = (
    b'<graphml><graph/><graph edgedefault="directed"/><graph></graph><graph><node id="a"/></graph></graphml>'
)


def test_empty_graphs_have_no_nodes_and_keep_their_direction():
    graphs = read_graphml(io.BytesIO(TEXT), "a.graphml", InputOptions())

    assert [(len(graph), graph.info.read_as_undirected) for graph in graphs] == [
        (0, False),
        (0, True),
        (0, False),
        (1, False),
    ]
    assert graphs[0].node_ids.tolist() == []


def test_an_empty_graph_has_no_arcs_to_follow():
    with pytest.raises(FileError, match=r"graph 0 \(counted from 0\) has no arcs to follow"):
        read_graphml(io.BytesIO(TEXT), "a.graphml", InputOptions(directed="out"))


def test_an_empty_graph_keeps_an_empty_table():
    (graph,) = read_graphml(
        io.BytesIO(b"<graphml><graph/></graphml>"), "a.graphml", InputOptions(keep=("w",))
    )

    assert len(graph.edge_table) == 0


def test_equal_graphs_of_a_graph6_file_are_built_once_wherever_they_are():
    graphs = read_graph6(io.BytesIO(b"A_\nBw\n" * 3), "a.g6", InputOptions())

    assert [graph.num_edges for graph in graphs] == [1, 3] * 3
    assert len({id(graph) for graph in graphs}) == 2


def test_empty_graphs_of_a_graphml_file_are_built_once():
    graphs = read_graphml(io.BytesIO(b"<graphml><graph/><graph/></graphml>"), "a.graphml", InputOptions())

    assert graphs[0] is graphs[1]
