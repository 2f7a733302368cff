"""The page in a real browser: what a reader sees agrees with the library, and nothing leaves the page."""

import re
from pathlib import Path

import numpy as np
import pytest

import egonet
from egonet import Graph, named
from egonet.viz.explorer import Page
from egonet.wl.compare import equivalent
from egonet.wl.refine import wl_colors
from experiments.expressivity.comparison import Score
from experiments.report import expressivity_tables as expressivity_report
from experiments.report.overview import overview_blocks
from experiments.report.page import to_html

KINDS = ("total", "layered", "full")
RESULTS = Path(__file__).parent.parent.parent / "results"


def random_graph(num_nodes, num_edges, seed, **options):
    rng = np.random.default_rng(seed)
    return Graph.from_edges(rng.integers(0, num_nodes, (num_edges, 2)), num_nodes=num_nodes, **options)


def find(tab, text):
    tab.fill("#search", text)
    tab.press("#search", "Enter")


def set_slider(tab, name, value):
    tab.locator(f"#{name}").fill(str(value))


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


def test_several_radii_give_the_classes_of_the_library(show):
    graph = random_graph(40, 60, seed=8)
    encoding = egonet.encode(graph, radius=(1, 2))

    tab = show(encoding.explore())

    assert tab.locator("#smaller").is_checked()
    shown = [int(text) for text in tab.locator(".node .number").all_text_contents()]
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


def same_partition(left, right):
    return len(set(left)) == len(set(right)) == len(set(zip(left, right, strict=True)))


def test_a_click_on_figure_1s_root_shows_its_multiset(show):
    tab = show(egonet.explore(named.figure1()))

    tab.locator(".node .disc").nth(0).click()

    assert (
        tab.locator(".multiset").text_content() == "{(0, 2): 1, (1, 2): 1, (1, 4): 1, (2, 3): 2, (2, 4): 1}"
    )
    assert tab.locator("#node-title").text_content() == "Node 0"
    assert sorted(tab.locator(".rings .ego text").all_text_contents()) == ["2", "2", "3", "3", "4", "4"]
    assert tab.locator(".histogram tbody tr").count() == 5
    assert tab.locator(".about").text_content() == "6 nodes within 2 hops, 9 edges."


def test_nodes_are_drawn_on_the_ring_of_their_distance(show):
    tab = show(egonet.explore(named.figure1()))
    tab.locator(".node .disc").nth(0).click()

    for ring, (members, radius) in enumerate([(1, 0.0), (2, 75.0), (3, 150.0)]):
        positions = tab.locator(f".ego.ring{ring}").evaluate_all(
            "all => all.map(g => g.getAttribute('transform'))"
        )
        found = [np.hypot(*map(float, re.findall(r"-?[\d.]+", place))) for place in positions]
        assert found == pytest.approx([radius] * members, abs=0.02)


def test_the_slider_changes_the_radius_everywhere(show):
    club = named.karate_club()
    tab = show(egonet.explore(club))
    find(tab, "16")

    set_slider(tab, "radius", 1)

    encoding = egonet.encode(club, 1)
    assert tab.locator(".multiset").text_content() == str(encoding[16])
    assert [
        int(text) for text in tab.locator(".node .number").all_text_contents()
    ] == encoding.classes.tolist()
    assert tab.locator("#summary").text_content().startswith(f"{len(set(encoding.classes.tolist()))} classes")


def test_the_menu_changes_the_degrees(show):
    tab = show(egonet.explore(named.figure1()))
    tab.locator(".node .disc").nth(0).click()

    tab.get_by_text("layered", exact=True).click()

    assert tab.locator(".multiset").text_content() == str(
        egonet.encode(named.figure1(), 2, degrees="layered")[0]
    )


def test_nodes_of_the_same_class_are_listed_and_linked(show):
    tab = show(egonet.explore(named.path("abcde"), radius=1))
    find(tab, "a")

    assert tab.locator(".chip").all_text_contents() == ["e"]
    tab.locator(".chip").click()

    assert tab.locator("#node-title").text_content() == "Node e"


def test_search_shows_matches_or_says_that_there_are_none(show):
    tab = show(egonet.explore([("anna", "hannah"), ("hannah", "bob")]))

    tab.fill("#search", "anna")
    assert tab.locator("#matches li").all_text_contents() == ["anna", "hannah"]
    tab.press("#search", "ArrowDown")
    tab.press("#search", "Enter")
    assert tab.locator("#node-title").text_content() == "Node hannah"
    tab.fill("#search", "zoe")
    assert tab.locator("#matches").text_content() == "No node has this id."


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
    assert signs["1-WL"] == sign[equivalent(*pair)]
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

    shown = [int(text) for text in tab.locator(".node .number").all_text_contents()]

    assert shown == egonet.encode(graphs, radius=1).classes.tolist()


def test_any_id_is_shown_as_text(show):
    evil = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "&amp;"]
    tab = show(egonet.explore([(evil[0], evil[1]), (evil[1], evil[2])], names=["<i>name</i>"]))

    find(tab, "img")

    assert tab.locator("#node-title b").text_content() == evil[0]
    assert tab.locator(".chip").text_content() == evil[2]
    assert tab.locator(".graph-head h2").text_content() == "<i>name</i>"
    assert tab.locator("img, i").count() == 0


def test_large_graphs_are_drawn_on_a_canvas(show):
    graph = random_graph(400, 700, seed=1)
    tab = show(egonet.explore(graph))

    assert tab.evaluate("egonet.painters") == ["canvas"]
    assert tab.evaluate("egonet.classes(2, 'total')[0]") == egonet.encode(graph, 2).classes.tolist()
    box = tab.locator("canvas").bounding_box()
    assert (box["width"], box["height"]) > (300, 300)


def test_a_sample_is_announced_and_shows_no_unknown_class(show):
    graph = random_graph(3000, 5000, seed=4)
    tab = show(egonet.explore(graph, around=0))

    assert "sample of 2,000 of 3,000 nodes around 0" in tab.locator(".sampled").text_content()
    found = np.array(tab.evaluate("egonet.classes(2, 'total')[0]"))
    shown = [
        int(name)
        for name in tab.evaluate("JSON.parse(document.getElementById('data').textContent).graphs[0].nodes")
    ]
    truth = egonet.encode(graph, 2).classes[shown]
    known = found >= 0
    assert 20 < known.sum() < 2000
    assert same_partition(found[known].tolist(), truth[known].tolist())


def test_every_control_works_with_the_keyboard(show):
    tab = show(egonet.explore(named.karate_club()))

    tab.keyboard.press("/")
    assert tab.evaluate("document.activeElement.id") == "search"
    tab.locator("#graph-0").focus()
    tab.keyboard.press("ArrowRight")
    first = tab.locator("#node-title").text_content()
    tab.keyboard.press("ArrowRight")
    assert tab.locator("#node-title").text_content() != first
    tab.keyboard.press("Escape")
    assert tab.locator("#node-title").count() == 0
    tab.locator("#radius").focus()
    tab.keyboard.press("ArrowRight")
    assert tab.locator("#radius-value").text_content() == "3"


def test_focus_is_visible(show):
    tab = show(egonet.explore(named.path(3)))

    tab.keyboard.press("Tab")

    style = tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert style == "solid"


@pytest.mark.parametrize("second", [None, named.bicyclopentyl()], ids=["one graph", "two graphs"])
def test_nothing_is_wider_than_a_360_pixel_screen(show, second):
    tab = show(egonet.explore(named.decalin(), second), width=360, height=740)
    find(tab, "4")

    assert tab.evaluate("document.documentElement.scrollWidth") == 360


def test_the_page_follows_dark_mode(show):
    tab = show(egonet.explore(named.path(3)), color_scheme="dark")

    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 20, 23)"


def test_the_page_runs_in_a_notebook_frame(show, tmp_path, browser):
    frame = egonet.explore(named.figure1())._repr_html_()
    (tmp_path / "notebook.html").write_text(f"<!doctype html><meta charset=utf-8>{frame}", encoding="utf-8")
    tab = browser.new_page()
    tab.goto((tmp_path / "notebook.html").as_uri())

    inside = tab.frame_locator("iframe")
    inside.locator("#search").fill("0")
    inside.locator("#search").press("Enter")

    assert inside.locator(".multiset").text_content().startswith("{(0, 2): 1")
    tab.close()


@pytest.mark.parametrize("report", ["overview", "expressivity"])
def test_a_report_obeys_a_policy_without_scripts_and_requests(show, report):
    # Whatever the policy forbids is logged as an error, which `show` does not let pass.
    blocks = overview_blocks(RESULTS)
    scores = [Score("1-WL", "yardstick", 312, 0, None, None, 0.1)]
    html = to_html(blocks) if report == "overview" else expressivity_report.to_html(scores)
    tab = show(Page("report", html))

    policy = tab.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert policy.startswith("default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "script" not in policy
    assert (
        tab.locator("h1")
        .evaluate("h => getComputedStyle(h.parentElement).fontFamily")
        .startswith("system-ui")
    )
