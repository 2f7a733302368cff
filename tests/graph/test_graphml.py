"""GraphML: what a file holds comes back, and what GraphML forbids is an error with its place."""

import re

import networkx as nx
import pytest

from egonet.errors import FileError, IgnoredInputWarning
from egonet.io.read import read_graph, read_graphs

HEAD = '<?xml version="1.0" encoding="UTF-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
NODES = '<node id="a"/><node id="b"/><node id="c"/>'
PATH = f'{NODES}<edge source="a" target="b"/><edge source="b" target="c"/>'


def write(folder, *bodies, default="undirected"):
    graphs = "".join(f'<graph id="G" edgedefault="{default}">{body}</graph>' for body in bodies)
    path = folder / "a.graphml"
    path.write_text(f"{HEAD}{graphs}</graphml>")
    return path


PLACE = "a.graphml, graph 0 (counted from 0)"


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
def test_what_graphml_forbids_is_told_with_its_place(tmp_path, body, said):
    with pytest.raises(FileError, match=f"^{re.escape(said)}"):
        read_graph(write(tmp_path, body))


def test_several_graphs_are_read_by_read_graphs_only(tmp_path):
    path = write(tmp_path, PATH, NODES)

    with pytest.raises(FileError, match=r"^a.graphml has 2 graphs, not one. Use egonet.read_graphs.$"):
        read_graph(path)
    assert [(graph.num_nodes, graph.num_edges) for graph in read_graphs(path)] == [(3, 2), (3, 0)]


@pytest.mark.parametrize("content", [f"{HEAD}</graphml>", "<svg/>", "<graphml>", ""])
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
        "1 self-loops dropped, 1 repeated edges merged, edge weights ignored, arcs read as undirected edges"
    )


def test_arcs_are_followed_if_there_are_any(tmp_path):
    assert read_graph(write(tmp_path, PATH, default="directed"), directed="out").neighbors("b") == ["c"]
    with pytest.raises(FileError, match=r"has no arcs to follow, got directed='out'. Leave it out.$"):
        read_graph(write(tmp_path, PATH), directed="out")
