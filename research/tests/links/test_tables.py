"""The tables of predicted links: their numbers are those of the results file."""

from pathlib import Path

import pytest

from egonet.errors import FileError
from research.links.tables import FULL, SHORT, between, half_table, read_lines, table_of, write_between

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("page", "name", "make"),
    [
        ("links.md", "links", lambda lines: table_of(lines, SHORT)),
        ("research/pairs.md", "links", lambda lines: table_of(lines, FULL)),
        ("research/pairs.md", "half of the edges", half_table),
    ],
)
def test_the_pages_have_the_tables_of_the_results_file(page, name, make):
    _, table, _ = between((ROOT / "docs" / page).read_text("utf-8"), name)

    assert table.strip() == make(read_lines(ROOT / "results"))


def test_a_mean_of_fewer_splits_says_how_many():
    lines = [
        {"set": "NS", "method": "Katz", "auc": auc, "seconds": 1.0, "split": split}
        for split, auc in enumerate((90.0, 91.0))
    ]

    assert "| Katz |  | 90.50 (2) |  |  |  |  | 1 |" in table_of(lines, {"Katz": "Katz"}).splitlines()


def test_published_areas_have_their_mean_and_no_seconds_and_a_method_without_lines_no_row():
    rows = table_of([], {"Katz": "Katz"}).splitlines()

    assert rows[2:] == [
        "| SEAL (published) | 96.62 | 98.85 | 90.30 | 97.91 | 87.61 | 94.26 |  |",
        "| WalkPool (published) | 98.68 | 98.95 | 92.79 | 98.37 | 92.56 | 96.27 |  |",
    ]


def test_a_page_without_marks_is_an_error(tmp_path):
    (tmp_path / "page.md").write_text("no table", "utf-8")

    with pytest.raises(FileError, match="the page lacks the marks of a table"):
        write_between(tmp_path / "page.md", "links", "")
