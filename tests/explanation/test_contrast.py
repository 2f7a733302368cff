"""What sets nodes and graphs apart, the largest differences first."""

import json

import networkx as nx
import pytest

from egonet import Graph, explain_difference, explain_graphs, named
from egonet.errors import InputError, UnknownNodeError

TAILED_TRIANGLE = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]


def test_two_nodes_differ_in_the_columns_that_the_design_tells():
    """c has degree 3 and one neighbor of degree 1; a has degree 2. Both have two neighbors of degree 2."""
    difference = explain_difference(TAILED_TRIANGLE, "a", "c", radius=1)

    found = [(column.key, column.first, column.second) for column in difference.columns]
    assert found == [((0, 2), 1, 0), ((0, 3), 0, 1), ((1, 1), 0, 1)]
    assert difference.num_columns == 4


def test_nodes_that_look_alike_have_no_difference():
    difference = explain_difference(TAILED_TRIANGLE, "a", "b", radius=(1, 2))

    assert difference.columns == ()
    assert str(difference) == "'a' and 'b': no column differs at radius 1 and 2"


def test_labels_and_several_radii_are_named():
    difference = explain_difference(named.path("ab"), "a", "b", (0, 1), labels=["C", "N"])

    assert [column.text for column in difference.columns] == [
        "radius 0, distance 0, degree 1, label C",
        "radius 0, distance 0, degree 1, label N",
        "radius 1, distance 0, degree 1, label C",
        "radius 1, distance 0, degree 1, label N",
        "radius 1, distance 1, degree 1, label C",
        "radius 1, distance 1, degree 1, label N",
    ]


def test_the_edges_of_two_nodes_are_compared_on_request():
    """Both edges of a have one common neighbor, as two edges of c do; the third edge of c has none."""
    difference = explain_difference(TAILED_TRIANGLE, "a", "c", radius=0, common=True)

    found = [(column.text, column.first, column.second) for column in difference.columns]
    assert found == [
        ("distance 0, degree 2", 1, 0),
        ("distance 0, degree 3", 0, 1),
        ("no common neighbors", 0, 1),
    ]


def test_the_pairs_of_two_nodes_are_compared_on_request():
    """Around an end of a path and itself there is one edge, around a middle and itself there are two."""
    difference = explain_difference(named.path("abcd"), "a", "b", radius=1, rooted="pair")

    assert [(column.text, column.first, column.second) for column in difference.columns] == [
        ("with itself: 2 nodes and 1 edge near both, 1 adjacent to both", 1, 0),
        ("with itself: 3 nodes and 2 edges near both, 2 adjacent to both", 0, 1),
        ("with a neighbor: 2 nodes and 1 edge near both, 0 adjacent to both", 1, 2),
    ]


def test_graphs_that_look_alike_differ_on_a_higher_rung():
    """An edge of either graph has two common neighbors, which are adjacent in the rook's graph alone."""
    rook, torus = named.rook_4x4(), named.shrikhande()

    assert explain_graphs(rook, torus, radius=1).columns == ()
    difference = explain_graphs(rook, torus, radius=1, common=True)

    assert [(column.key, column.first, column.second) for column in difference.columns] == [
        (("common", (((0,), 2),)), 0, 96),
        (("common", (((1,), 2),)), 96, 0),
    ]


def test_totals_of_edges_are_compared_on_request():
    """A cycle of six has twelve arcs and a path ten, all of them alike at radius 1."""
    difference = explain_graphs(named.cycle(6), named.path(range(6)), radius=1, rooted="edge")

    assert [(column.first, column.second) for column in difference.columns] == [(12, 10)]


def test_long_differences_are_cut_and_counted():
    rays = Graph.from_edges(
        [(0, leaf) for leaf in range(1, 32)] + [(i, 100 * i + j) for i in range(2, 32) for j in range(i)]
    )

    difference = explain_difference(rays, 0, 201, radius=2)
    text = str(difference)

    assert len(text.splitlines()) == 14
    assert text.endswith("  ... and 23 more columns")
    assert len(str(explain_difference(rays, 0, 201, radius=2, top=2)).splitlines()) == 6
    assert len(difference.text().splitlines()) == 3 + 33


def test_the_largest_differences_come_first():
    """0 has 31 neighbors and 495 nodes at distance 2, 465 of degree 1; 201 has one neighbor and two nodes more."""
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 32)] + [(1, 100), (1, 101), (1, 2)])

    difference = explain_difference(star, 0, 100, radius=1)
    gaps = [abs(column.first - column.second) for column in difference.columns]

    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] == 28  # 29 neighbors of 0 have degree 1 inside, and one neighbor of 100
    frame, plain = difference.to_pandas(), difference.to_dict()
    assert frame["difference"].abs().tolist() == gaps
    assert frame.columns.tolist() == ["column", "first", "second", "difference"]
    assert [entry["first"] for entry in plain["columns"]] == [column.first for column in difference.columns]
    assert json.loads(json.dumps(plain)) == plain


def test_nodes_are_compared_in_words():
    assert str(explain_difference(TAILED_TRIANGLE, "c", "d", radius=1)).splitlines()[1:3] == [
        "'c' is a node with 3 neighbors, 1 of 3 pairs of its neighbors is linked",
        "'d' is a node with one neighbor",
    ]


def test_top_must_be_a_whole_number():
    with pytest.raises(InputError, match="top must be a whole number >= 0, got -1"):
        explain_difference(TAILED_TRIANGLE, "a", "c", top=-1)
    with pytest.raises(InputError, match="top must be a whole number"):
        explain_graphs(TAILED_TRIANGLE, named.path("ab"), top=1.5)


def test_an_id_is_escaped_in_html():
    difference = explain_difference([("<b>", "x"), ("x", "y")], "<b>", "x", radius=0)

    assert "<td" in difference._repr_html_()
    assert "&lt;b&gt;" in difference._repr_html_()
    assert "<b>" not in difference._repr_html_()


def test_an_unknown_node_is_named():
    with pytest.raises(UnknownNodeError, match="the graph has no node 'e'"):
        explain_difference(TAILED_TRIANGLE, "a", "e")


def test_two_graphs_differ_in_totals():
    difference = explain_graphs(named.cycle(3), named.path("abc"), radius=0)

    assert [(column.key, column.first, column.second) for column in difference.columns] == [
        ((0, 1), 0, 2),
        ((0, 2), 3, 1),
    ]
    assert (
        difference.remark
        == "1 of 3 nodes of the first graph have the same encoding as a node of the second (which has 3)"
    )


def test_equal_totals_of_different_nodes_are_not_called_alike():
    """Degree 3 twice at a corner of the triangle, or once there and once with three leaves: equal in the sum."""
    first = [(0, 2), (1, 2), (1, 3), (1, 4), (2, 4), (3, 5)]
    second = [(0, 1), (0, 2), (0, 3), (3, 4), (3, 5), (4, 5)]

    difference = explain_graphs(first, second, radius=1)

    assert difference.columns == ()
    assert str(difference) == (
        "the first graph and the second graph: no column differs at radius 1; "
        "4 of 6 nodes of the first graph have the same encoding as a node of the second (which has 6)"
    )


def test_graphs_that_no_radius_tells_apart_look_alike():
    assert "every node of one has the same encoding as a node of the other" in str(
        explain_graphs(named.cycle(5), Graph.from_edges([(0, 2), (2, 4), (4, 1), (1, 3), (3, 0)]))
    )


def test_the_command_compares_two_nodes(need, tmp_path):
    need("typer")
    from typer.testing import CliRunner

    from egonet.cli.commands import app

    edges = tmp_path / "edges.csv"
    edges.write_text("source,target\n" + "".join(f"{u},{v}\n" for u, v in TAILED_TRIANGLE))

    text = CliRunner().invoke(app, ["explain", str(edges), "a", "c", "-r", "1"])
    found = CliRunner().invoke(app, ["explain", str(edges), "a", "c", "-r", "1", "--json"])
    rung = CliRunner().invoke(app, ["explain", str(edges), "a", "c", "-r", "1", "--rooted", "edge"])

    assert text.stdout.splitlines()[0] == "'a' and 'c' differ in 3 of 4 columns at radius 1"
    assert rung.stdout.splitlines()[0] == "'a' and 'c' differ in 1 of 2 columns at radius 1"
    assert json.loads(found.stdout) == {
        "nodes": ["a", "c"],
        "radius": 1,
        "columns": [
            {"column": "distance 0, degree 2", "counts": [1, 0]},
            {"column": "distance 0, degree 3", "counts": [0, 1]},
            {"column": "distance 1, degree 1", "counts": [0, 1]},
        ],
    }


def test_arcs_of_two_graphs_are_read_as_directed_says():
    out, back = nx.DiGraph([("a", "b"), ("a", "c")]), nx.DiGraph([("b", "a"), ("c", "a")])

    assert not explain_graphs(out, back, 1, directed=False).columns
    followed = explain_graphs(out, back, 1, directed="out")
    assert [(pair.key, pair.first, pair.second) for pair in followed.columns][:1] == [((0, 1), 0, 2)]


def test_half_hops_are_said_where_edges_have_types():
    difference = explain_difference([("a", "b"), ("b", "c")], "a", "c", 1, edge_labels=["x", "y"])

    assert str(difference).splitlines()[3] == "distances are in half hops, because an edge counts as a node"
