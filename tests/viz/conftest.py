"""A real browser, and pages opened in it."""

import contextlib
from pathlib import Path

import pytest

from contracts.parts import need, need_program

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


HERE = Path(__file__).parent
#: The browser of this process, and what stops it.
BROWSERS, STOP = [], contextlib.ExitStack()


@pytest.fixture
def browser():
    """Return a browser that all tests of this folder share."""
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
    """Stop the browser after the last test of this folder: other tests could not use asyncio next to it."""
    result = yield
    if nextitem is None or HERE not in nextitem.path.parents:
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
