"""Reports in a real browser, at three sizes: where the landmarks are, and that nothing leaves the page."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from contracts.browser import BOXES, COVERED, SIZES, fits_the_window, serious_faults, visits
from research.expressivity.comparison import Score
from research.report.expressivity_tables import to_html as expressivity_html
from research.report.overview import overview_blocks, read_scores
from research.report.page import to_html

pytestmark = pytest.mark.long

RESULTS = Path(__file__).parents[3] / "results"
PAGES = {
    "report": lambda: to_html(overview_blocks(RESULTS)),
    "expressivity": lambda: expressivity_html(read_scores(RESULTS / "expressivity.json")),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return a function from the name of a report to its file, written once."""
    folder = tmp_path_factory.mktemp("reports")

    def write(name):
        path = folder / f"{name}.html"
        if not path.exists():
            path.write_text(PAGES[name](), "utf-8")
        return path

    return write


@pytest.fixture
def visit(browser, written):
    """Return a function that opens a report at a size; at the end no error was logged."""
    with visits(browser, written) as open_page:
        yield open_page


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_wider_than_the_window(visit, name, size):
    assert fits_the_window(visit(name, size), size)


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


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("tablet", "light"), ("phone", "dark")])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_serious_fault(visit, name, size, scheme):
    tab = visit(name, size, scheme, bypass_csp=True)  # axe is a script from outside

    assert serious_faults(tab) == []


@dataclass
class WrittenPage:
    """The source of a page, as `show` writes it."""

    html: str

    def write(self, path):
        path.write_text(self.html, "utf-8")
        return path


@pytest.mark.parametrize("report", ["overview", "expressivity"])
def test_a_report_obeys_a_policy_without_scripts_and_requests(show, report):
    # Whatever the policy forbids is logged as an error, which `show` does not let pass.
    blocks = overview_blocks(RESULTS)
    scores = [Score("1-WL", "yardstick", 312, 0, None, None, 0.1)]
    html = to_html(blocks) if report == "overview" else expressivity_html(scores)
    tab = show(WrittenPage(html))

    policy = tab.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert policy.startswith("default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "script" not in policy
    family = tab.locator("h1").evaluate("h => getComputedStyle(h.parentElement).fontFamily")
    assert "system-ui" in family
