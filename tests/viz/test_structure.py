"""Pages at three sizes, compared by structure: where the landmarks are, not which pixels they have."""

import os
from pathlib import Path

import pytest

import egonet
from contracts.browser import BOXES, COVERED, SIZES, fits_the_window, serious_faults, visits
from egonet import named

pytestmark = pytest.mark.long

ROOT = Path(__file__).parent.parent.parent
#: The landing page as `make docs` builds it, or one that EGONET_SITE names.
SITE = Path(os.environ.get("EGONET_SITE", ROOT / "build" / "docs")).absolute()

#: The share of pixels of the first canvas that are drawn.
INK = """() => { const canvas = document.querySelector("canvas.drawing");
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    let drawn = 0;
    for (let i = 3; i < data.length; i += 4) drawn += data[i] > 0;
    return drawn / (data.length / 4); }"""


def crowd():
    """Return a graph of 900 nodes with hubs, as large graphs have them."""
    edges = [(hub, 1000 * hub + leaf) for hub in range(1, 10) for leaf in range(1, 100)]
    return [
        *edges,
        *((hub, hub + 1) for hub in range(1, 9)),
        *((1001 + leaf, 1002 + leaf) for leaf in range(90)),
    ]


def typed():
    """Return a graph with types of edges, and its weights."""
    edges = [(node, (node * node + 1) % 40) for node in range(40) if node != (node * node + 1) % 40]
    return edges, {edge: f"type {place % 9}" for place, edge in enumerate(edges)}


PAGES = {
    "edge types": lambda: egonet.explore(typed()[0], edge_labels=typed()[1], directed="out").html,
    "a pair": lambda: (
        egonet.explore(
            typed()[0], edge_times=dict.fromkeys(typed()[0], 1) | {typed()[0][0]: 2}, pair=(0, 5)
        ).html
    ),
    "small graph": lambda: egonet.explore(named.karate_club()).html,
    "large graph": lambda: egonet.explore(crowd()).html,
    "two graphs": lambda: egonet.explore(named.decalin(), named.bicyclopentyl()).html,
}
SOUGHT = {"small graph": "0", "large graph": "1", "two graphs": "0"}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return a function from the name of a page to its file, written once."""
    folder = tmp_path_factory.mktemp("pages")

    def write(name):
        if name == "landing page":
            if not (SITE / "index.html").exists():
                pytest.skip(f"{SITE} has no documentation; run make docs")
            return SITE / "index.html"
        path = folder / f"{name}.html"
        if not path.exists():
            path.write_text(PAGES[name](), "utf-8")
        return path

    return write


@pytest.fixture
def visit(browser, written):
    """Return a function that opens a page at a size, with a node selected; at the end no error was logged."""
    with visits(browser, written) as open_page:

        def open_and_search(name, *size_and_scheme, **options):
            tab = open_page(name, *size_and_scheme, **options)
            if name in SOUGHT:
                tab.wait_for_selector("body:not(.busy)")
                tab.fill("#search", SOUGHT[name])
                tab.press("#search", "Enter")
                tab.wait_for_selector("#node-title")
            return tab

        yield open_and_search


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", [*PAGES, "landing page"])
def test_nothing_is_wider_than_the_window(visit, name, size):
    assert fits_the_window(visit(name, size), size)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["small graph", "large graph", "two graphs"])
def test_the_parts_of_the_explorer_are_where_they_belong(visit, name, size):
    tab = visit(name, size)
    width, height = SIZES[size]
    boxes = tab.evaluate(BOXES, ["header", ".controls", ".frame", "#node-panel", "#class-panel", ".rings"])
    header, controls, frame = boxes["header"], boxes[".controls"], boxes[".frame"]
    panel, classes, rings = boxes["#node-panel"], boxes["#class-panel"], boxes[".rings"]

    assert header[1] == 0
    assert header[3] <= controls[1] + 1
    assert controls[3] < frame[1]
    assert frame[3] - frame[1] >= 260
    assert frame[1] < 0.5 * height  # the drawing begins in the upper half of the first screen
    if size == "desktop":
        assert panel[0] >= frame[2]  # next to the drawing
        assert frame[3] <= height
        assert frame[3] > 0.85 * height  # the drawing fills its panel
    else:
        assert panel[1] >= frame[3]  # below the drawing
        shown = 2 if name == "two graphs" and size == "tablet" else 1  # next to each other
        assert frame[2] - frame[0] > 0.85 * width / shown - 10
    assert classes[1] >= panel[3] - 1
    assert rings[2] - rings[0] > 150
    for group in ("header", ".controls", ".tools", ".chips", "#graphs", "aside", ".classes"):
        assert tab.evaluate(COVERED, group) == 0, group


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("tablet", "dark"), ("phone", "light")])
def test_the_canvas_of_a_large_graph_is_not_empty(visit, size, scheme):
    tab = visit("large graph", size, scheme)
    tab.wait_for_function(f"({INK})() > 0.01")
    tab.wait_for_timeout(200)  # a later frame must not clear it

    assert 0.01 < tab.evaluate(INK) < 0.8


@pytest.mark.parametrize("size", SIZES)
def test_the_landing_page_has_an_install_line_cards_the_picture_and_code(visit, size):
    tab = visit("landing page", size)
    picture = f"article img.{'narrow' if size == 'phone' else 'wide'}-screen"
    parts = ["h1", ".lead", ".highlight-sh", ".cards", picture, ".highlight-python"]
    boxes = tab.evaluate(BOXES, parts)

    tops = [boxes[part][1] for part in parts]
    assert tops == sorted(tops)
    assert boxes[".lead"][3] < 0.6 * SIZES[size][1]
    assert tab.locator(".cards > a").count() == 6
    assert tab.evaluate(COVERED, ".cards") == 0
    assert tab.locator(picture).first.evaluate("image => image.naturalWidth") > 100
    assert tab.locator(".bd-header .navbar-nav").first.locator("li.nav-item").count() <= 6


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("tablet", "light"), ("phone", "dark")])
@pytest.mark.parametrize("name", [*PAGES, "landing page"])
def test_axe_finds_no_serious_fault(visit, name, size, scheme):
    tab = visit(name, size, scheme, bypass_csp=True)  # axe is a script from outside

    assert serious_faults(tab) == []
