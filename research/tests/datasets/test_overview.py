"""The overview of the paper's data: its counts, and the page that shows them."""

import json
from pathlib import Path

import pytest

from research.datasets.overview import MARKS, PAGE, RESULTS, measure, table_of

ROOT = Path(__file__).parents[3]
ROWS = json.loads((ROOT / RESULTS).read_text("utf-8"))["rows"]


def test_the_page_has_the_table_of_the_results_file():
    text = (ROOT / PAGE).read_text("utf-8")

    assert text.split(MARKS[0])[1].split(MARKS[1])[0].strip() == table_of(ROWS)


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("name", ["mutag", "sr25", "ppi"])
def test_sets_are_counted_as_the_results_file_says(name):
    (row,) = (row for row in ROWS if row["set"] == name)

    assert measure(name) == row["here"]
    assert measure(name)["graphs"] == row["paper"]["graphs"]
