"""The page in a real browser: classes, multisets, verdicts and distances are those of the library."""

import numpy as np
import pytest

import egonet
from contracts.browser import find, random_graph, same_partition, shown_groups
from egonet import Graph, named
from egonet.wl.compare import equivalent
from egonet.wl.refine import join_labels, wl_colors
from egonet.wl.tests import named_criterion

pytestmark = pytest.mark.long

KINDS = ("total", "layered", "full")


@pytest.mark.parametrize("degrees", KINDS)
def test_classes_and_multisets_agree_with_the_library_node_by_node(show, degrees):
    graph = random_graph(60, 110, seed=3)
    tab = show(egonet.explore(graph))

    for radius in range(5):
        encoding = egonet.encode(graph, radius, degrees=degrees)
        assert (
            tab.evaluate("([r, d]) => egonet.classes(r, d)[0]", [radius, degrees])
            == encoding.classes.tolist()
        )
        rows = tab.evaluate(
            "([r, d, n]) => Array.from({length: n}, (_, v) => egonet.encoding(0, v, r, d))",
            [radius, degrees, 60],
        )
        for node, row in enumerate(rows):
            assert {tuple(bar["key"]): bar["count"] for bar in row} == encoding[node]


@pytest.mark.parametrize(
    "settings",
    [
        {"frontier_edges": False},
        {"max_degree": 2},
        {"degree_bins": "log"},
        {"labels": [v % 3 for v in range(50)]},
        {"directed": "out"},
        {"directed": "in"},
    ],
    ids=str,
)
def test_other_settings_agree_with_the_library(show, settings):
    graph = random_graph(50, 120, seed=5, directed=settings.pop("directed", None))
    tab = show(egonet.encode(graph, radius=2, **settings).explore())

    for degrees in KINDS:
        encoding = egonet.encode(graph, radius=2, degrees=degrees, **settings)
        assert tab.evaluate("d => egonet.classes(2, d)[0]", degrees) == encoding.classes.tolist()


@pytest.mark.parametrize("directed", [None, "out", "in"])
@pytest.mark.parametrize("labels", [None, [v % 2 for v in range(40)]], ids=["plain", "labels"])
def test_types_of_edges_agree_with_the_library(show, directed, labels):
    """Two of the edges have both types: parallel edges count twice."""
    rng = np.random.default_rng(11)
    edges = rng.integers(0, 40, (70, 2))
    edges = np.concatenate([edges, edges[:2]])
    types = ["d", "s", *rng.choice(["s", "d"], 68), "s", "d"]
    graph = egonet.as_graph(edges, num_nodes=40, directed=directed, keep=())
    given = {"labels": labels, "edge_labels": types}
    tab = show(egonet.explore(graph, radius=2, **given))

    for radius in (0, 1, 2):
        for degrees in KINDS:
            encoding = egonet.encode(graph, radius=radius, degrees=degrees, **given)
            found = tab.evaluate("([r, d]) => egonet.classes(r, d)[0]", [radius, degrees])
            assert same_partition(found, encoding.classes.tolist())
    counted = tab.evaluate("egonet.encoding(0, 3, 2, 'total')")
    assert sorted(bar["count"] for bar in counted) == sorted(
        egonet.encode(graph, radius=2, **given)[graph.node_ids[3]].values()
    )
    _, ptr, found = join_labels([graph], labels, egonet.Settings(), edge_labels=types)
    stable = named_criterion("1-wl").classes(graph, ptr, found)
    assert same_partition(tab.evaluate("egonet.classes(0, 'none', null)[0]"), stable.tolist())
    find(tab, "3")
    assert "half hops" in tab.locator("#node-panel").inner_text().lower()


def test_several_radii_give_the_classes_of_the_library(show):
    graph = random_graph(40, 60, seed=8)
    encoding = egonet.encode(graph, radius=(1, 2))

    tab = show(encoding.explore())
    tab.select_option("#color-by", "")

    assert tab.locator("#smaller").is_checked()
    shown = shown_groups(tab)
    assert shown == encoding.classes.tolist()


def test_refinement_agrees_with_1_wl(show):
    graph = random_graph(40, 44, seed=2)
    tab = show(egonet.explore(graph))

    for rounds in (1, 2):
        found = tab.evaluate("k => egonet.classes(0, 'none', k)[0]", rounds)
        assert same_partition(found, refined(graph, rounds))
    stable = tab.evaluate("egonet.classes(0, 'none', null)[0]")
    assert same_partition(stable, wl_colors(graph).tolist())
    started = tab.evaluate("egonet.classes(1, 'full', null)[0]")
    assert same_partition(started, wl_colors(graph, egonet.encode(graph, 1, degrees="full")).tolist())


def refined(graph, rounds):
    """Return 1-WL colors after some rounds, from the definition, as nested tuples."""
    colors = [()] * graph.num_nodes
    for _ in range(rounds):
        rows = [graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist() for v in range(graph.num_nodes)]
        signatures = [(colors[v], tuple(sorted(colors[w] for w in row))) for v, row in enumerate(rows)]
        number = {signature: (place,) for place, signature in enumerate(sorted(set(signatures)))}
        colors = [number[signature] for signature in signatures]
    return colors


def verdicts(tab):
    """Return the verdict table as {test: signs}."""
    rows = tab.locator(".tests tbody tr")
    return {
        row.locator("th").text_content(): "".join(row.locator("td").all_text_contents()) for row in rows.all()
    }


def test_radius_2_distinguishes_two_molecules_that_1_wl_does_not(show):
    tab = show(egonet.explore(named.decalin(), named.bicyclopentyl(), names=["decalin", "bicyclopentyl"]))

    found = verdicts(tab)

    assert tab.locator("#verdict").text_content() == (
        "Different · total degrees, radius 2: decalin and bicyclopentyl. 1-WL alone does not distinguish them."
    )
    assert found["1-WL"] == "="
    assert found["total"] == "==≠≠≠"
    assert found["full + 1-WL"] == "==≠≠≠"
    assert found["exact isomorphism"] == "≠ not isomorphic"


PAIRS = [("EQzO", "EEz_"), ("EQjO", "EEj_"), ("H?ovEaq", "H?bL`rg"), ("FCZeo", "FCpv_"), ("F?rf_", "FCRVO")]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_every_verdict_agrees_with_the_library(show, first, second):
    pair = named.from_graph6(first), named.from_graph6(second)
    signs = verdicts(show(egonet.explore(*pair)))

    sign = {True: "=", False: "≠"}
    assert signs["1-WL"] == sign[equivalent(*pair, test="1-wl")]
    assert signs["2-FWL"] == sign[equivalent(*pair, test="2-fwl")]
    assert signs["R1"] == sign[equivalent(*pair, test="R1", radius=2)]
    for kind in KINDS:
        for suffix, refine in (("", False), (" + 1-WL", True)):
            expected = [sign[equivalent(*pair, test=kind, radius=r, refine=refine)] for r in range(5)]
            assert signs[kind + suffix] == "".join(expected)


def test_a_larger_radius_may_distinguish_less(show):
    tab = show(egonet.explore(named.from_graph6("EQzO"), named.from_graph6("EEz_")))

    assert verdicts(tab)["total"] == "=≠==="


def test_isomorphic_graphs_are_reported_as_isomorphic(show, need):
    need("igraph")
    graph = named.karate_club()
    renamed = Graph.from_edges(
        [(33 - u, 33 - w) for u in range(34) for w in graph.neighbors(u)], num_nodes=34
    )

    tab = show(egonet.explore(graph, renamed))

    assert verdicts(tab)["exact isomorphism"] == "= isomorphic"
    assert tab.locator("#verdict strong").text_content() == "Equal"


def test_two_graphs_share_one_coloring(show):
    graphs = [named.decalin(), named.path(4)]
    tab = show(egonet.explore(*graphs, radius=1))

    shown = shown_groups(tab)

    assert shown == egonet.encode(graphs, radius=1).classes.tolist()


def test_the_most_similar_nodes_have_the_distances_of_the_library(show):
    graph = random_graph(60, 130, seed=9)
    rows = np.log1p(egonet.encode(graph, 2, degree_bins="log").matrix.toarray())
    distances = np.linalg.norm(rows - rows[7], axis=1)
    tab = show(egonet.explore(graph))

    find(tab, "7")

    found = [text.split() for text in tab.locator(".similar .chip").all_text_contents()]
    nearest = np.sort(np.delete(distances, 7))[:8]
    assert [float(distance) for _, distance in found] == pytest.approx(nearest, abs=0.006)
    assert [distances[int(node)] for node, _ in found] == pytest.approx(nearest)
