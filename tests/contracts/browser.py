"""A real browser for the tests of pages, what they measure in it, and actions in the tab of the explorer."""

import contextlib

import numpy as np
import pytest

from contracts.parts import need, need_program
from egonet import Graph

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SIZES = {"desktop": (1440, 900), "tablet": (768, 1024), "phone": (390, 844)}
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
#: The browser of this process, and what stops it.
BROWSERS, STOP = [], contextlib.ExitStack()


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


def same_partition(left, right):
    return len(set(left)) == len(set(right)) == len(set(zip(left, right, strict=True)))


@pytest.fixture
def browser():
    """Return a browser that all tests of a folder share."""
    if not BROWSERS:
        sync_api = need("playwright.sync_api")
        program = need_program("chromium", "apt-get install chromium")
        playwright = STOP.enter_context(sync_api.sync_playwright())
        BROWSERS.append(playwright.chromium.launch(executable_path=program, args=FLAGS))
        STOP.callback(BROWSERS.clear)
        STOP.callback(BROWSERS[0].close)
    return BROWSERS[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """Stop the browser after the last test of a folder: other tests could not use asyncio next to it."""
    result = yield
    if nextitem is None or nextitem.path.parent != item.path.parent:
        STOP.close()
    return result


@pytest.fixture
def show(browser, tmp_path):
    """Return a function that opens a page; at the end no error was logged and nothing was requested."""
    complaints = []
    with contextlib.ExitStack() as stack:

        def open_page(page, width=1280, height=860, **context):
            path = page.write(tmp_path / "page.html")
            opened = browser.new_context(viewport={"width": width, "height": height}, **context)
            stack.callback(opened.close)
            tab = opened.new_page()
            tab.on("console", lambda line: complaints.append(line.text))
            tab.on("pageerror", lambda error: complaints.append(str(error)))
            tab.on("dialog", lambda dialog: complaints.append(f"dialog {dialog.message}") or dialog.dismiss())
            tab.goto(path.as_uri())
            tab.on("request", lambda request: complaints.append(request.url))
            tab.wait_for_selector("body:not(.busy)")
            return tab

        yield open_page
    assert complaints == []


@contextlib.contextmanager
def visits(browser, write):
    """Give a function that opens a page at a size, given the name of one that `write` writes; no error was logged."""
    complaints = []
    with contextlib.ExitStack() as stack:

        def open_page(name, size="desktop", scheme="light", **options):
            width, height = SIZES[size]
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme, **options
            )
            stack.callback(context.close)
            tab = context.new_page()
            tab.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
            tab.on("pageerror", lambda error: complaints.append(str(error)))
            tab.goto(write(name).as_uri())
            return tab

        yield open_page
    assert complaints == []


def fits_the_window(tab, size):
    """Return whether nothing on a page is wider than the window."""
    return (
        tab.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0] and tab.evaluate(BEYOND) == []
    )


def serious_faults(tab):
    """Return the serious faults that axe finds on a page, each with the first element that has it."""
    axe = need("axe_playwright_python.sync_playwright").Axe()
    # Without preload axe does not ask for stylesheets again, which browsers forbid for files. Other results than
    # violations would double its time.
    found = axe.run(tab, options={"preload": False, "resultTypes": ["violations"]}).response["violations"]
    serious = [fault for fault in found if fault["impact"] in ("serious", "critical")]
    return [(fault["id"], fault["nodes"][0]["html"]) for fault in serious]
