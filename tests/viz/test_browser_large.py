"""The page in a real browser: large graphs are drawn on a canvas, sampled, binned and colored by similarity."""

import re

import numpy as np
import pytest

import egonet
from contracts.browser import find, random_graph, same_partition
from egonet import Graph, named

pytestmark = pytest.mark.long


def test_large_graphs_are_drawn_on_a_canvas(show):
    graph = random_graph(400, 700, seed=1)
    tab = show(egonet.explore(graph))

    assert tab.evaluate("egonet.painters") == ["canvas"]
    assert tab.evaluate("egonet.classes(2, 'total')[0]") == egonet.encode(graph, 2).classes.tolist()
    box = tab.locator("canvas").bounding_box()
    assert (box["width"], box["height"]) > (300, 300)


@pytest.mark.parametrize(("width", "most"), [(1280, 60), (390, 25)])
def test_names_leave_space_for_the_nodes_of_a_large_graph(show, width, most):
    tab = show(egonet.explore(random_graph(600, 1500, seed=2)), width)
    tab.wait_for_selector(".names text")
    tab.wait_for_timeout(500)

    assert 8 <= tab.locator(".names text").count() <= most


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
