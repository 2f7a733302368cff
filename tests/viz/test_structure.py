"""Pages at three sizes, compared by structure: where the landmarks are, not which pixels they have."""

import os
from pathlib import Path

import pytest

import egonet
from contracts.parts import need
from egonet import named
from experiments.report.expressivity_tables import to_html as expressivity_html
from experiments.report.overview import overview_blocks, read_scores
from experiments.report.page import to_html

pytestmark = pytest.mark.long

ROOT = Path(__file__).parent.parent.parent
SIZES = {"desktop": (1440, 900), "tablet": (768, 1024), "phone": (390, 844)}
#: The landing page as `make docs` builds it, or one that EGONET_SITE names.
SITE = Path(os.environ.get("EGONET_SITE", ROOT / "build" / "docs")).absolute()

#: Boxes of the first visible elements: {selector: [left, top, right, bottom]}.
BOXES = """(selectors) => Object.fromEntries(selectors.map((selector) => {
    const shown = [...document.querySelectorAll(selector)].filter((each) => each.getClientRects().length);
    const { left, top, right, bottom } = shown[0].getBoundingClientRect();
    return [selector, [left, top + scrollY, right, bottom + scrollY]];
}))"""
#: Elements that reach beyond the right side of the window, unless something around them scrolls or cuts them.
BEYOND = """() => [...document.querySelectorAll("body *")].filter((each) => {
    const box = each.getBoundingClientRect();
    if (!box.width || box.right <= innerWidth + 1 || getComputedStyle(each).position === "fixed") return false;
    for (let outer = each.parentElement; outer; outer = outer.parentElement)
        if (getComputedStyle(outer).overflowX !== "visible" && outer !== document.body) return false;
    return true;
}).map((each) => `${each.tagName}.${each.className}`)"""
#: How many children of an element cover each other.
COVERED = """(selector) => [...document.querySelectorAll(selector)].flatMap((parent) => {
    const all = [...parent.children].map((each) => each.getBoundingClientRect());
    const boxes = all.filter((box) => box.width > 1 && box.height > 1);
    const shared = (a, b, low, high) => Math.min(a[high], b[high]) - Math.max(a[low], b[low]);
    return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) =>
        shared(a, b, "left", "right") > 1 && shared(a, b, "top", "bottom") > 1));
}).length"""
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


PAGES = {
    "small graph": lambda: egonet.explore(named.karate_club()).html,
    "large graph": lambda: egonet.explore(crowd()).html,
    "two graphs": lambda: egonet.explore(named.decalin(), named.bicyclopentyl()).html,
    "report": lambda: to_html(overview_blocks(ROOT / "results")),
    "expressivity": lambda: expressivity_html(read_scores(ROOT / "results" / "expressivity.json")),
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
    """Return a function that opens a page at a size; at the end no error was logged."""
    complaints, opened = [], []

    def open_page(name, size="desktop", scheme="light", **options):
        width, height = SIZES[size]
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, **options
        )
        opened.append(context)
        tab = context.new_page()
        tab.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.goto(written(name).as_uri())
        if name in SOUGHT:
            tab.wait_for_selector("body:not(.busy)")
            tab.fill("#search", SOUGHT[name])
            tab.press("#search", "Enter")
            tab.wait_for_selector("#node-title")
        return tab

    yield open_page
    for context in opened:
        context.close()
    assert complaints == []


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", [*PAGES, "landing page"])
def test_nothing_is_wider_than_the_window(visit, name, size):
    tab = visit(name, size)

    assert tab.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
    assert tab.evaluate(BEYOND) == []


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
@pytest.mark.parametrize("name", ["report", "expressivity"])
def test_a_report_has_its_summary_on_the_first_screen(visit, name, size):
    tab = visit(name, size)
    boxes = tab.evaluate(BOXES, ["h1", ".summary", "nav", "h2", "figure"])

    tops = [boxes[part][1] for part in ("h1", ".summary", "nav", "h2", "figure")]
    assert tops == sorted(tops)
    assert boxes[".summary"][1] < 0.3 * SIZES[size][1]
    assert tab.locator(".summary li").count() >= 4
    assert tab.evaluate(COVERED, "main") == 0
    assert tab.locator("details").count() >= 4
    if name == "expressivity":
        assert boxes["figure"][1] < 1.2 * SIZES[size][1]
        assert tab.locator(".shares tbody tr").count() == 19
        assert tab.locator(".shares tbody tr").first.locator("td").count() == 11


@pytest.mark.parametrize("size", SIZES)
def test_the_landing_page_has_code_cards_and_the_chart(visit, size):
    tab = visit("landing page", size)
    boxes = tab.evaluate(BOXES, ["h1", ".lead", ".highlight-python", ".cards", "article img"])

    tops = [boxes[part][1] for part in ("h1", ".lead", ".highlight-python", ".cards", "article img")]
    assert tops == sorted(tops)
    assert boxes[".lead"][3] < 0.6 * SIZES[size][1]
    assert tab.locator(".cards > a").count() == 4
    assert tab.evaluate(COVERED, ".cards") == 0
    assert tab.locator("article img").first.evaluate("image => image.naturalWidth") > 100
    assert tab.locator(".bd-header .navbar-nav").first.locator("li.nav-item").count() <= 5


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("tablet", "light"), ("phone", "dark")])
@pytest.mark.parametrize("name", [*PAGES, "landing page"])
def test_axe_finds_no_serious_fault(visit, name, size, scheme):
    axe = need("axe_playwright_python.sync_playwright").Axe()
    tab = visit(name, size, scheme, bypass_csp=True)  # axe is a script from outside

    # Without preload axe does not ask for stylesheets again, which browsers forbid for files. Other results than
    # violations would double its time.
    found = axe.run(tab, options={"preload": False, "resultTypes": ["violations"]}).response["violations"]

    serious = [fault for fault in found if fault["impact"] in ("serious", "critical")]
    assert [(fault["id"], fault["nodes"][0]["html"]) for fault in serious] == []
