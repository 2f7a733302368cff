"""Explanations of one node: a sentence, rings in at most 30 lines, tables."""

import json

import numpy as np
import pytest

import egonet
from egonet import explain, named
from egonet.errors import InputError

#: A center whose 40 neighbors have 1 to 40 leaves each.
RAYS = egonet.Graph.from_edges(
    [(0, i) for i in range(1, 41)] + [(i, 100 * i + j) for i in range(1, 41) for j in range(i)]
)


def test_the_first_line_is_a_sentence():
    assert str(explain(RAYS, 0, radius=2)).splitlines()[0] == (
        "node 0 is a hub of 40 neighbors, no pair of its neighbors is linked; reaches 861 of 861 nodes in two hops"
    )


def test_many_degrees_are_binned_and_exact_ones_kept():
    """The neighbors have degrees 2 to 41: bins 2 to 3, 4 to 7, 8 to 15, 16 to 31, 32 to 41; all leaves have 1."""
    explanation = explain(RAYS, 0, radius=2)

    lines = [line.split("  ")[1] for line in str(explanation).splitlines() if line.startswith("  ")]
    assert [line.strip() for line in lines] == [
        "degree 40", "degree 2 to 3", "degree 4 to 7", "degree 8 to 15", "degree 16 to 31", "degree 32 to 63",
        "degree 1",
    ]  # fmt: skip
    assert len(explanation.rings[1].bars) == 40
    assert explanation.to_pandas().groupby("distance")["count"].sum().tolist() == [1, 40, 820]


def test_top_shows_the_largest_bars_of_each_ring():
    text = str(explain(named.karate_club(), 0, radius=1, top=2))

    assert text.splitlines()[-1] == "  ... 4 more with 7 in all"
    assert len(text.splitlines()) == 7
    with pytest.raises(InputError, match="top must be a whole number"):
        explain(named.path("ab"), "a", top=-1)


@pytest.mark.parametrize("options", [{}, {"degrees": "layered"}, {"degrees": "full"}])
@pytest.mark.parametrize("radius", [1, 2, 3, 6])
def test_at_most_thirty_lines_of_any_graph(radius, options):
    rng = np.random.default_rng(1)
    pairs = {tuple(sorted(pair)) for pair in (rng.random((3000, 2)) ** 3 * 300).astype(int).tolist()}
    graph = egonet.as_graph([pair for pair in pairs if pair[0] != pair[1]], num_nodes=300)

    assert len(str(explain(graph, 0, radius, **options)).splitlines()) <= 30
    assert len(str(explain(graph, 0, 1, common=True)).splitlines()) <= 30


def test_many_rings_are_a_line_each():
    text = str(explain(named.path(range(100)), 0, radius=20)).splitlines()

    assert text[1] == "distance 0: 1 node, most with degree 1"
    assert len(text) == 22
    assert str(explain(named.path(range(100)), 0, radius=60)).splitlines()[-1] == "... and 33 more rings"


def test_facebook_hubs_fit_a_screen(data_folder):
    graph = egonet.read_graph(data_folder / "facebook" / "Facebook.edgelist")
    hubs = graph.node_ids[np.argsort(-graph.degrees)[:10]].tolist()

    for hub in hubs:
        assert len(str(explain(graph, hub, radius=2)).splitlines()) <= 30
    assert "is a hub of 1,045 neighbors, 26,750 of 545,490 pairs of its neighbors are linked" in str(
        explain(graph, 107)
    )


def test_dict_is_plain_and_names_labels():
    explanation = explain([("a", "b")], "a", radius=1, labels={"a": "C", "b": "N"})

    plain = explanation.to_dict()

    assert json.loads(json.dumps(plain)) == plain
    assert plain["num_neighbors"] == 1
    assert plain["rings"][1]["bars"] == [{"text": "degree 1, label N", "degree": 1, "label": "N", "count": 1}]
    assert explanation.to_pandas()["label"].tolist() == ["C", "N"]


def test_html_is_escaped_and_has_no_color():
    html = explain([("<b>", "x")], "<b>", radius=1)._repr_html_()

    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert "color:inherit" in html


def test_arcs_are_followed_and_named():
    text = str(explain([("a", "b"), ("a", "c"), ("b", "c")], "a", radius=1, directed="out"))

    assert text.startswith(
        "node 'a' is a node with 2 out-neighbors, all pairs of its out-neighbors are linked"
    )


@pytest.mark.parametrize(
    "options", [{"frontier_edges": False}, {"max_degree": 1}, {"degrees": "full", "max_degree": 1}, {}]
)
def test_a_drawing_has_the_degrees_of_the_text(need, options):
    need("matplotlib")
    graph = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e")]

    found = explain(graph, "c", radius=1, **options)
    texts = [text.get_text() for text in found.plot().texts]

    expected = [
        "/".join(map(str, fields))
        for ring in found.rings
        for fields, (_, count) in zip(ring.fields, ring.bars, strict=True)
        for _ in range(count)
    ]
    assert sorted(text for text in texts if "distance" not in text) == sorted(expected)


def test_edge_types_are_not_drawn():
    found = explain([("a", "b")], "a", radius=1, edge_labels=["x"])

    with pytest.raises(InputError, match=r"plot draws no edge types\. Use egonet\.explore"):
        found.plot()
