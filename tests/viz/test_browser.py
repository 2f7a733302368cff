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
from egonet.wl.tests import named_criterion
from egonet.wl.union_labels import join_labels
from experiments.expressivity.comparison import Score
from experiments.report import expressivity_tables as expressivity_report
from experiments.report.overview import overview_blocks
from experiments.report.page import to_html

KINDS = ("total", "layered", "full")
RESULTS = Path(__file__).parent.parent.parent / "results"


def random_graph(num_nodes, num_edges, seed, **options):
    rng = np.random.default_rng(seed)
    return Graph.from_edges(rng.integers(0, num_nodes, (num_edges, 2)), num_nodes=num_nodes, **options)


def shown_groups(tab):
    """Return the class or group that every node is colored by."""
    return tab.locator(".node").evaluate_all("all => all.map(node => Number(node.dataset.group))")


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
    _, ptr, found = join_labels([graph], labels, types, None, egonet.Settings())
    stable = named_criterion("1-wl").classes(graph, ptr, found)
    assert same_partition(tab.evaluate("egonet.classes(0, 'none', null)[0]"), stable.tolist())
    find(tab, "3")
    assert "half hops" in tab.locator("#node-panel").inner_text().lower()


def test_several_radii_give_the_classes_of_the_library(show):
    graph = random_graph(40, 60, seed=8)
    encoding = egonet.encode(graph, radius=(1, 2))

    tab = show(encoding.explore())

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
    assert shown_groups(tab) == encoding.classes.tolist()
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

    assert tab.locator(".twins:not(.similar) .chip").all_text_contents() == ["e"]
    tab.locator(".twins:not(.similar) .chip").click()

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

    shown = shown_groups(tab)

    assert shown == egonet.encode(graphs, radius=1).classes.tolist()


def test_any_id_is_shown_as_text(show):
    evil = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "&amp;"]
    tab = show(egonet.explore([(evil[0], evil[1]), (evil[1], evil[2])], names=["<i>name</i>"]))

    find(tab, "img")

    assert tab.locator("#node-title b").text_content() == evil[0]
    assert tab.locator(".twins:not(.similar) .chip").text_content() == evil[2]
    assert tab.locator(".graph-head h2").text_content() == "<i>name</i>"
    assert tab.locator("img, i").count() == 0


def test_large_graphs_are_drawn_on_a_canvas(show):
    graph = random_graph(400, 700, seed=1)
    tab = show(egonet.explore(graph))

    assert tab.evaluate("egonet.painters") == ["canvas"]
    assert tab.evaluate("egonet.classes(2, 'total')[0]") == egonet.encode(graph, 2).classes.tolist()
    box = tab.locator("canvas").bounding_box()
    assert (box["width"], box["height"]) > (300, 300)


def test_a_moved_drawing_shows_what_a_fresh_one_shows(show):
    """While the drawing moves, a bitmap is moved; afterwards it is drawn again."""
    graph = random_graph(8000, 8000, seed=1)
    positions = np.random.default_rng(0).random((8000, 2)).tolist()
    tab = show(egonet.explore(graph, max_nodes=8000, positions=positions))
    tab.wait_for_timeout(500)
    # How many pixels are drawn, and the first column that has some.
    covered = """() => { const { width, height } = document.querySelector("canvas.drawing");
        const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
        copy.drawImage(document.querySelector("canvas.drawing"), 0, 0);
        const { data } = copy.getImageData(0, 0, width, height);
        let [count, first] = [0, width];
        for (let i = 3; i < data.length; i += 4)
            if (data[i]) [count, first] = [count + 1, Math.min(first, ((i - 3) / 4) % width)];
        return [count, first]; }"""
    before = tab.evaluate(covered)
    box = tab.locator("#graph-0").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    tab.mouse.move(*middle)
    tab.mouse.down()
    tab.mouse.move(middle[0] + 40, middle[1], steps=4)
    tab.wait_for_timeout(50)
    moving = tab.evaluate(covered)
    tab.mouse.up()
    tab.wait_for_timeout(600)
    after = tab.evaluate(covered)

    assert tab.locator("#node-title").count() == 0  # a drag selects nothing
    assert before[0] > 20_000
    assert moving[1] == pytest.approx(before[1] + 40, abs=3)
    assert after[1] == pytest.approx(moving[1], abs=3)
    assert after[0] == pytest.approx(before[0], rel=0.2)
    times = tab.evaluate("egonet.frames()")[0]
    assert min(times) < 0.3 * max(times)  # moving the bitmap takes less time than drawing everything


def test_nodes_to_start_with_have_the_most_neighbors(show):
    graph = named.karate_club()
    more = Graph.from_edges([*graph.edges().tolist(), *((0, leaf) for leaf in range(34, 60))], num_nodes=60)
    tab = show(egonet.explore(more))

    chips = tab.locator("#node-panel .chip")
    assert chips.all_text_contents()[:3] == ["0 42", "33 17", "32 12"]
    chips.nth(1).click()
    assert tab.locator("#node-title").text_content() == "Node 33"


def test_more_settings_open_on_a_phone(show):
    tab = show(egonet.explore(named.karate_club()), width=390, height=844)

    assert not tab.locator("#rounds").is_visible()
    tab.get_by_role("button", name="More settings").click()
    assert tab.locator("#rounds").is_visible()
    assert tab.locator("#more").get_attribute("aria-expanded") == "true"


def test_a_sample_is_announced_and_has_exact_classes(show):
    graph = random_graph(3000, 5000, seed=4)
    tab = show(egonet.explore(graph, around=0))

    assert "2,000 of 3,000 nodes around 0" in tab.locator(".sampled").text_content()
    found = tab.evaluate("egonet.classes(2, 'total')[0]")
    truth = egonet.encode(graph, 2).classes[tab.evaluate("egonet.rows()[0]")]
    assert same_partition(found, truth.tolist())


@pytest.mark.parametrize(("num_nodes", "num_edges", "at_once"), [(100, 200, True), (12_000, 40_000, False)])
def test_a_large_page_is_painted_before_its_data_is_read(browser, tmp_path, num_nodes, num_edges, at_once):
    page = egonet.explore(random_graph(num_nodes, num_edges, seed=4)).write(tmp_path / "page.html")
    tab = browser.new_page()
    tab.add_init_script(
        "document.addEventListener('DOMContentLoaded', () => { globalThis.read = 'egonet' in globalThis; });"
    )
    tab.goto(page.as_uri())

    assert tab.evaluate("globalThis.read") is at_once
    tab.wait_for_selector("body:not(.busy)")
    assert tab.evaluate("egonet.rows()[0].length") == min(num_nodes, 2000)
    tab.close()


def test_a_node_beyond_the_part_in_the_page_has_no_class(show, monkeypatch):
    monkeypatch.setattr("egonet.viz.payload.MAX_EMBEDDED_NODES", 300)
    graph = random_graph(500, 900, seed=4)
    tab = show(egonet.explore(graph, around=0))

    found = np.array(tab.evaluate("egonet.classes(2, 'total')[0]"))
    names = tab.evaluate("JSON.parse(document.getElementById('data').textContent).graphs[0].nodes")
    truth = egonet.encode(graph, 2).classes[[int(name) for name in names]]
    known = found >= 0
    assert 20 < known.sum() < 300
    assert same_partition(found[known].tolist(), truth[known].tolist())


def test_the_search_moves_the_sample_to_the_node_that_is_found(show):
    graph = named.cycle(3000)
    tab = show(egonet.explore(graph, around=0, radius=1, max_nodes=400))
    assert 1500 not in tab.evaluate("egonet.rows()[0]")

    find(tab, "1500")

    assert tab.evaluate("egonet.rows()[0]") == list(range(1300, 1700))
    assert tab.locator("#node-title").text_content() == "Node 1500"
    assert "around 1500" in tab.locator(".sampled").text_content()


def test_a_large_graph_is_colored_by_similarity(show):
    graph = random_graph(400, 900, seed=1)
    tab = show(egonet.explore(graph))

    assert tab.locator("#color-by").input_value() == "similarity"
    titles = tab.locator(".legend .title").all_text_contents()
    assert len(titles) == 6
    assert all(re.fullmatch(r"degree [\d,]+, [\d,]+ within 2 hops", title) for title in titles)
    sizes = [int(text.replace(",", "")) for text in tab.locator(".legend .size").all_text_contents()]
    assert sum(sizes) == 400


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


def test_nodes_are_colored_by_numbers_and_by_text_of_a_table(show, need):
    pd = need("pandas")
    table = pd.DataFrame({"score": [3.0, 1.0, 2.0], "team": ["x", "y", "x"]}, index=["c", "a", "b"])
    tab = show(egonet.explore(named.path("abc"), columns=table))

    tab.select_option("#color-by", "score")
    assert tab.locator(".legend .title").all_text_contents() == ["1", "2", "3"]
    assert shown_groups(tab) == [0, 1, 2]
    tab.select_option("#color-by", "team")
    assert tab.locator(".legend .title").all_text_contents() == ["x", "y"]
    assert shown_groups(tab) == [1, 0, 0]


def test_a_hub_is_shown_as_wedges_that_list_their_nodes(show):
    star = [(0, leaf) for leaf in range(1, 301)] + [(1, 2), (3, 4)]
    tab = show(egonet.explore(star, radius=1))
    find(tab, "0")

    assert tab.locator(".wedge").evaluate_all("all => all.map(path => path.getAttribute('aria-label'))") == [
        "distance 1, degree 1: 296 nodes",
        "distance 1, degree 2–3: 4 nodes",
    ]
    tab.locator(".wedge").nth(1).focus()
    tab.keyboard.press("Enter")
    assert tab.locator(".wedge-nodes .chip").all_text_contents() == ["1", "2", "3", "4"]
    tab.locator(".wedge-nodes .chip").nth(2).click()
    assert tab.locator("#node-title").text_content() == "Node 3"


def test_a_long_histogram_is_binned_until_all_keys_are_wanted(show):
    # A hub whose neighbors have all inner degrees from 1 to 40: leaf i is joined to i others.
    edges = [(0, v) for v in range(1, 82)] + [(i, 41 + j) for i in range(1, 41) for j in range(i)]
    graph = Graph.from_edges(edges, num_nodes=82)
    tab = show(egonet.explore(graph, radius=1))
    find(tab, "0")
    keys = len(egonet.encode(graph, 1)[0])

    assert tab.locator(".histogram tbody tr").count() < 30 < keys
    tab.locator(".all-keys input").check()
    assert tab.locator(".histogram tbody tr").count() == keys


def test_the_address_keeps_the_state(show):
    tab = show(egonet.explore(named.karate_club()))
    find(tab, "33")
    set_slider(tab, "radius", 1)
    tab.select_option("#color-by", "degree")
    address = tab.url

    again = tab.context.new_page()
    again.goto(address)

    assert again.locator("#node-title").text_content() == "Node 33"
    assert again.locator("#radius").input_value() == "1"
    assert again.locator("#color-by").input_value() == "degree"


@pytest.mark.parametrize("name", ["SVG", "PNG", "CSV"])
def test_the_drawing_and_the_nodes_are_saved(show, name):
    tab = show(egonet.explore([("<a>", "b,c"), ("b,c", "d")], columns={"score": [1, 2, 3]}))

    with tab.expect_download() as download:
        tab.get_by_role("button", name=name).click()

    content = download.value.path().read_bytes()
    if name == "SVG":
        assert content.count(b"<circle") == 3
        assert b"<title>&#60;a&#62;</title>" in content
    elif name == "PNG":
        assert content.startswith(b"\x89PNG")
        assert len(content) > 2000
    else:
        lines = content.decode().split("\r\n")
        assert lines[0] == "id,degree,class,similarity,score"
        assert [line.rsplit(",", 1)[1] for line in lines[1:4]] == ["1", "2", "3"]
        assert lines[2].startswith('"b,c",2,')


def test_search_arrows_and_escape_work_after_each_other(show):
    tab = show(egonet.explore(named.karate_club()))

    tab.keyboard.press("/")
    tab.keyboard.type("16")
    tab.keyboard.press("Enter")
    assert tab.locator("#node-title").text_content() == "Node 16"
    tab.keyboard.press("ArrowRight")
    assert tab.locator("#node-title").text_content() != "Node 16"
    tab.keyboard.press("Escape")
    assert tab.locator("#node-title").count() == 0
    tab.keyboard.press("/")
    tab.keyboard.type("5")
    tab.keyboard.press("Enter")
    assert tab.locator("#node-title").text_content() == "Node 5"


def test_the_time_slider_hides_later_edges(show):
    times = {("a", "b"): 1, ("b", "c"): 2, ("c", "a"): 3}
    tab = show(egonet.explore(list(times), edge_times=times, radius=1))
    assert set(shown_groups(tab)) == {0}

    set_slider(tab, "time", 1)

    assert tab.locator("#time-value").text_content() == "2"
    assert shown_groups(tab) == egonet.encode(named.path("abc"), 1).classes.tolist()
    find(tab, "a")
    assert tab.locator(".multiset").text_content() == str(egonet.encode(named.path("abc"), 1)["a"])


def test_a_molecule_shows_its_atoms_bonds_and_coordinates(show, need):
    chem = need("rdkit.Chem")
    tab = show(egonet.explore(chem.MolFromSmiles("C=Cc1ccccc1O")))

    assert sorted(tab.locator(".node .number").all_text_contents()) == ["C"] * 8 + ["O"]
    plain = tab.locator(".edges:not(.inside):not(.dashed)").get_attribute("d")
    assert plain.count("M") == 2 + 2 + 6  # two single bonds, a double bond, six aromatic bonds
    assert tab.locator(".edges.dashed").get_attribute("d").count("M") == 6


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
    family = tab.locator("h1").evaluate("h => getComputedStyle(h.parentElement).fontFamily")
    assert "system-ui" in family


def test_names_values_and_labels_of_columns_are_text(show):
    first, second = "<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>"
    page = egonet.explore(
        [(first, second)],
        columns={first: [1, 2], second: [first, second]},
        labels=[first, second],
        edge_times={(first, second): 1},
    )
    tab = show(page)

    for menu in tab.locator("select:visible").all():
        for value in menu.locator("option").evaluate_all("all => all.map(each => each.value)"):
            menu.select_option(value)
            assert tab.locator("img").count() == 0

    assert first in tab.locator("body").inner_text()
