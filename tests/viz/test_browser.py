"""The page in a real browser: what a reader sees agrees with the library, and nothing leaves the page."""

import re

import numpy as np
import pytest

import egonet
from contracts.browser import find, serious_faults, set_slider, shown_groups
from egonet import Graph, named

pytestmark = pytest.mark.long


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
    tab.select_option("#color-by", "")
    find(tab, "16")

    set_slider(tab, "radius", 1)

    encoding = egonet.encode(club, 1)
    assert tab.locator(".multiset").text_content() == str(encoding[16])
    assert shown_groups(tab) == encoding.classes.tolist()
    assert tab.locator("#summary").text_content().startswith(f"{len(set(encoding.classes.tolist()))} classes")


def test_nodes_are_named_without_overlaps_and_the_selected_one_always(show):
    tab = show(egonet.explore([(f"person {i}", f"person {i // 2}") for i in range(1, 60)]))
    tab.wait_for_timeout(300)

    boxes = tab.evaluate(
        "[...document.querySelectorAll('.names text')].map((text) => {"
        "const { x, y, width, height } = text.getBBox(); return [x, y, x + width, y + height]; })"
    )
    find(tab, "person 59")
    tab.wait_for_timeout(300)

    assert len(boxes) > 10
    assert not any(
        a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
        for index, a in enumerate(boxes)
        for b in boxes[:index]
    )
    assert tab.locator(".names .selected").text_content() == "person 59"


@pytest.mark.parametrize(("width", "count"), [(1280, 5), (390, 3)])
def test_the_nodes_of_largest_degree_are_named_in_a_dense_drawing(show, width, count):
    rng = np.random.default_rng(4)
    edges = {(f"person {i}", f"person {int(i * rng.random() ** 3)}") for i in range(1, 80) for _ in range(4)}
    graph = Graph.from_edges(sorted(edges))
    tab = show(egonet.explore(graph), width)
    tab.wait_for_timeout(500)

    order = np.argsort(-graph.degrees, kind="stable")
    shown = set(tab.locator(".names text").all_text_contents())
    assert shown >= {graph.node_ids[node] for node in order[:count]}


@pytest.mark.parametrize("width", [1280, 390])
def test_the_neighbors_of_a_selected_node_are_named_before_farther_nodes(show, width):
    rng = np.random.default_rng(4)
    edges = {(f"person {i}", f"person {int(i * rng.random() ** 3)}") for i in range(1, 80) for _ in range(4)}
    graph = Graph.from_edges(sorted(edges))
    tab = show(egonet.explore(graph), width)
    find(tab, "person 79")
    tab.wait_for_timeout(500)

    shown = set(tab.locator(".names text").all_text_contents())
    assert shown >= {"person 79", *graph.neighbors("person 79")}


@pytest.mark.parametrize("width", [1280, 390])
def test_texts_in_discs_have_twelve_pixels_or_are_next_to_them(show, width):
    ids = ["a", "bc", "E14", *map(str, range(30))]
    tab = show(egonet.explore([(a, b) for i, a in enumerate(ids) for b in ids[i + 1 :: 7]]), width)
    tab.wait_for_timeout(300)

    sizes = tab.evaluate(
        "[...document.querySelectorAll('.number')].map((text) => {"
        "const { width } = text.getBBox(), scale = text.getScreenCTM().a;"
        "return [text.textContent, Number(text.getAttribute('font-size')) * scale, width,"
        " text.previousElementSibling.getBBox().width]; })"
    )
    inside = {text for text, size, _, _ in sizes if size}
    beside = set(tab.locator(".names text").all_text_contents())
    assert all(size > 11.9 and wide < disc for _, size, wide, disc in sizes if size)
    assert not inside & beside
    assert len(inside | beside) > 20


def test_similarity_colors_a_graph_in_which_a_third_of_the_nodes_are_unique(show):
    unique = show(egonet.explore(named.karate_club()))
    assert unique.locator("#color-by").input_value() == "similarity"

    alike = show(egonet.explore(named.petersen()))
    assert alike.locator("#color-by").input_value() == ""


def test_a_class_is_described_in_words(show):
    tab = show(egonet.explore(named.star(5)))

    words = tab.locator("#class-panel .title").all_text_contents()

    assert words == ["degree 1, 5 within 2 hops"]


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


def test_any_id_is_shown_as_text(show):
    evil = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "&amp;"]
    tab = show(egonet.explore([(evil[0], evil[1]), (evil[1], evil[2])], names=["<i>name</i>"]))

    find(tab, "img")

    assert tab.locator("#node-title b").text_content() == evil[0]
    assert tab.locator(".twins:not(.similar) .chip").text_content() == evil[2]
    assert tab.locator(".graph-head h2").text_content() == "<i>name</i>"
    assert tab.locator("img, i").count() == 0


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
    tab = show(
        egonet.explore([("<a>", "b,c"), ("b,c", "d")], columns={"score": {"<a>": 1, "b,c": 2, "d": 3}})
    )

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


def test_names_values_and_labels_of_columns_are_text(show):
    first, second = "<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>"
    page = egonet.explore(
        [(first, second)],
        columns={first: {first: 1, second: 2}, second: {first: first, second: second}},
        labels={first: first, second: second},
        edge_times={(first, second): 1},
    )
    tab = show(page)

    for menu in tab.locator("select:visible").all():
        for value in menu.locator("option").evaluate_all("all => all.map(each => each.value)"):
            menu.select_option(value)
            assert tab.locator("img").count() == 0

    assert first in tab.locator("body").inner_text()


def test_a_pair_opens_with_its_note_its_colors_and_wider_lines(show):
    edges = [("a", "b"), ("b", "c"), ("c", "d")]
    page = egonet.explore(
        edges, radius=1, pair=("a", "c"), edge_weights=dict(zip(edges, [1, 1, 9], strict=True))
    )
    tab = show(page)

    assert tab.locator("#note").text_content().startswith("a and c share 1 of 2 neighbors")
    assert tab.locator("#color-by").input_value() == "place"
    assert tab.locator(".edges.width-0").first.get_attribute("d").count("M") == 2
    assert tab.locator(".edges.width-3").first.get_attribute("d").count("M") == 1


def click_row(tab, text):
    tab.locator("aside button", has_text=text).first.click()


def test_edge_types_are_drawn_listed_and_shown_alone(show):
    types = {("a", "b"): "single", ("b", "c"): "double", ("c", "d"): "single"}
    tab = show(egonet.explore(list(types), edge_labels=types, radius=1))
    rows = tab.locator("#edge-panel button")

    assert [row.get_attribute("aria-label") for row in rows.all()] == ["single: 2 edges", "double: 1 edge"]
    drawn = [tab.locator(f".drawing .edges.kind-{kind}:not(.inside)") for kind in (1, 2)]
    assert [each.get_attribute("d").count("M") for each in drawn] == [2, 1]
    strokes = [each.evaluate("path => getComputedStyle(path).stroke") for each in drawn]
    assert len(set(strokes)) == 2
    assert drawn[1].evaluate("path => getComputedStyle(path).strokeDasharray") != "none"
    before = shown_groups(tab)

    click_row(tab, "double")

    assert (drawn[0].get_attribute("d") or "") == ""
    assert drawn[1].get_attribute("d").count("M") == 1
    assert shown_groups(tab) == before  # only the drawing changes
    assert rows.nth(1).get_attribute("aria-pressed") == "true"
    click_row(tab, "double")
    assert drawn[0].get_attribute("d").count("M") == 2


def test_more_types_than_looks_share_one_and_say_so(show):
    edges = [(node, node + 1) for node in range(9)]
    tab = show(egonet.explore(edges, edge_labels={edge: f"t{edge[0]}" for edge in edges}, radius=1))

    labels = [row.get_attribute("aria-label") for row in tab.locator("#edge-panel button").all()]
    assert labels == [f"t{number}: 1 edge" for number in range(6)] + ["3 other types: 3 edges"]


def test_widths_say_which_weights_they_are_and_arrows_which_way(show):
    edges = [(node, node + 1) for node in range(4)]
    weights = dict(zip(edges, [1, 1, 2, 9], strict=True))
    tab = show(egonet.explore(edges, edge_weights=weights, directed="out"))

    labels = [row.get_attribute("aria-label") for row in tab.locator("#edge-panel button").all()]
    assert labels[0] == "up to 1.5 (the smaller half): 2 edges"
    assert labels[-1].endswith("(the largest 5 %): 1 edge")
    assert "Arrows are followed in their direction." in tab.locator("#edge-panel .hint").text_content()


#: The boxes of elements on the page: left, top, right, bottom.
PLACES = """(selector) => [...document.querySelectorAll(selector)].map((each) => {
    const { left, top, right, bottom } = each.getBoundingClientRect(); return [left, top, right, bottom]; })"""


@pytest.mark.parametrize("zoom", ["+", "-", "f"])
def test_an_arrowhead_is_small_and_next_to_its_disc_at_every_zoom(show, zoom):
    tab = show(egonet.explore([("source", "target")], directed="out"))
    tab.locator("#graph-0").focus()
    for _ in range(8):
        tab.keyboard.press(zoom)
    tab.wait_for_timeout(300)

    (head,) = [box for box in tab.evaluate(PLACES, ".edges.heads") if box[2] > box[0]]
    discs = tab.evaluate(PLACES, ".node .disc")

    assert max(head[2] - head[0], head[3] - head[1]) < 20
    gaps = [max(disc[0] - head[2], head[0] - disc[2], disc[1] - head[3], head[1] - disc[3]) for disc in discs]
    assert min(gaps) < 4


def test_zooming_out_ends_where_the_graph_is_half_as_large_as_the_frame(show):
    tab = show(egonet.explore(named.cycle(12)))
    tab.locator("#graph-0").focus()
    for _ in range(30):
        tab.keyboard.press("-")
    tab.wait_for_timeout(300)

    boxes = np.array(tab.evaluate(PLACES, ".node .disc"))
    (frame,) = tab.evaluate(PLACES, "#graph-0")

    assert boxes[:, 3].max() - boxes[:, 1].min() > 0.3 * (frame[3] - frame[1])


def test_a_node_that_is_searched_is_in_the_frame_and_its_name_is_outside_its_ring(show):
    tab = show(egonet.explore([(f"station {i}", f"station {i + 1}") for i in range(30)]))
    tab.locator("#graph-0").focus()
    for _ in range(8):
        tab.keyboard.press("+")
    for node in ("station 0", "station 30"):
        find(tab, node)
        tab.wait_for_timeout(400)

        (frame,) = tab.evaluate(PLACES, "#graph-0")
        (ring,) = tab.evaluate(PLACES, ".node.selected .halo")
        (name,) = tab.evaluate(PLACES, ".names .selected")
        assert frame[0] < ring[0] < ring[2] < frame[2]
        assert frame[1] < ring[1] < ring[3] < frame[3]
        assert name[0] >= ring[2] or name[2] <= ring[0] or name[1] >= ring[3] or name[3] <= ring[1]


def test_a_saved_drawing_has_the_directions_of_its_edges(show):
    for directed, count in (("out", 1), (False, 0)):
        tab = show(egonet.explore([("a", "b"), ("b", "c")], directed=directed))
        with tab.expect_download() as download:
            tab.get_by_role("button", name="SVG").click()
        assert download.value.path().read_bytes().count(b"<path") == count


def test_plain_edges_have_no_legend(show):
    assert not show(egonet.explore(named.path(3))).locator("#edge-section").is_visible()


def test_no_color_is_used_twice_and_classes_without_one_are_counted(show):
    # Two copies of stars of 2 to 10 leaves: 18 classes.
    edges = [
        ((copy, size), (copy, size, leaf)) for copy in "ab" for size in range(2, 11) for leaf in range(size)
    ]
    tab = show(egonet.explore(edges))
    tab.select_option("#color-by", "")

    fills = tab.locator("#class-panel .badge").evaluate_all(
        "all => all.map(each => each.style.getPropertyValue('--fill'))"
    )
    used = [fill for fill in fills if fill]
    assert len(used) == len(set(used)) == 17
    others = tab.locator("#class-panel .others")
    assert others.locator("summary").text_content() == "2 other classes, all gray: 4 nodes"
    others.locator("summary").click()
    others.locator("button").first.click()
    assert tab.locator(".node:not(.outside)").count() == 2
    assert others.locator("button").first.is_visible()  # the list stays open
    assert serious_faults(tab) == []  # every number can be read on its color


def test_classes_with_the_same_words_say_how_many_edges_they_have(show):
    # Four stars of three leaves, two of them with an edge between two leaves.
    stars = [(f"{copy}a", f"{copy}{leaf}") for copy in "1234" for leaf in "bcd"]
    tab = show(egonet.explore([*stars, ("3b", "3c"), ("4b", "4c")], radius=1))
    tab.select_option("#color-by", "")

    assert tab.locator("#class-panel .title").all_text_contents() == [
        "degree 1, 1 within 1 hop",
        "degree 2, 2 within 1 hop",
        "degree 3, 3 within 1 hop, 3 edges",
        "degree 3, 3 within 1 hop, 4 edges",
    ]


def test_a_labeled_node_has_its_name_next_to_it_unless_ids_are_numbers(show):
    kinds = {"Ada Lovelace": "woman", "Bob": "man"}
    tab = show(egonet.explore([("Ada Lovelace", "Bob")], labels=kinds))

    assert tab.locator(".names text").all_text_contents() == ["Ada Lovelace", "Bob"]
    assert tab.locator(".number").all_text_contents() == ["wo…", "man"]
    bond = show(egonet.explore([(0, 1)], labels={0: "C", 1: "O"}))
    assert bond.locator(".names text").count() == 0


def test_the_settings_are_explained_and_their_text_follows_them(show):
    tab = show(egonet.explore(named.karate_club()))

    assert tab.locator("#help dt").all_text_contents() == [
        "Color by",
        "Radius",
        "Degrees",
        "Neighbor rounds",
        "With smaller radii",
        "Log bins",
    ]
    assert not tab.locator("#help dl").is_visible()
    tab.locator("#help summary").focus()
    tab.keyboard.press("Enter")
    assert tab.locator("#help dl").is_visible()
    set_slider(tab, "rounds", 2)
    assert "the classes of its neighbors, 2 times" in tab.locator("#degrees-text").text_content()


def test_a_pair_draws_shared_neighbors_and_follows_the_time(show):
    times = {("a", "m"): 1, ("m", "b"): 3, ("a", "x"): 2, ("b", "y"): 4, ("a", "b"): 5}
    tab = show(egonet.explore(list(times), edge_times=times, pair=("a", "b"), radius=1))
    panel = tab.locator("#node-panel")

    assert panel.locator("h3").all_text_contents() == [
        "Neighbors of both 1",
        "Neighbors of a alone 1",
        "Neighbors of b alone 1",
    ]
    assert panel.locator(".pair-figure .around").count() == 3
    assert panel.locator(".pair-figure .around text").all_text_contents() == ["m"]
    assert panel.locator(".tie.linked").count() == 1
    assert "share 1 of 3 neighbors that either has; they are linked." in panel.locator("svg").get_attribute(
        "aria-label"
    )

    set_slider(tab, "time", 1)  # edges up to time 2

    assert panel.locator("h2").text_content() == "The neighbors of a and b until 2"
    assert panel.locator("h3").all_text_contents() == [
        "Neighbors of both 0",
        "Neighbors of a alone 2",
        "Neighbors of b alone 0",
    ]
    assert "a and b share 0 of 2 neighbors that either has; they are not linked." in panel.text_content()
    panel.locator("button", has_text="x").click()
    assert tab.locator("#node-title").text_content() == "Node x"
    tab.keyboard.press("Escape")
    assert tab.locator(".pair-figure").count() == 1


def test_both_nodes_of_a_pair_are_named_first(show):
    hub = [("hub", f"long name number {leaf}") for leaf in range(60)]
    tab = show(
        egonet.explore([*hub, ("first", "hub"), ("hub", "second")], pair=("first", "second")), 390, 700
    )
    tab.wait_for_selector(".names text")

    assert sorted(tab.locator(".names .selected").all_text_contents()) == ["first", "second"]


def test_every_test_of_two_graphs_is_said_in_words(show):
    tab = show(egonet.explore(named.decalin(), named.bicyclopentyl()))

    tab.locator(".words summary").click()

    words = tab.locator(".words div").all_inner_texts()
    assert words[0].split("\n") == ["1-WL", "colors of neighbors, repeated"]
    assert "links among common neighbors" in words[4]
    assert len(words) == tab.locator(".tests tbody tr").count() - 2  # three rows are said once: + 1-WL
    assert all(len(text.split("\n")) == 2 for text in words)
