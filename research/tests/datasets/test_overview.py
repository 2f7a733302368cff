"""The overview of the paper's data: its counts, and the page that shows them."""

import json
from pathlib import Path

import pytest

from research.datasets.overview import RESULTS, measure

ROOT = Path(__file__).parents[3]
ROWS = json.loads((ROOT / RESULTS).read_text("utf-8"))["rows"]


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("name", ["mutag", "sr25", "ppi"])
def test_sets_are_counted_as_the_results_file_says(name):
    (row,) = (row for row in ROWS if row["set"] == name)

    assert measure(name) == row["here"]
    assert measure(name)["graphs"] == row["paper"]["graphs"]
