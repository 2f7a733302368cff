"""CSL without training: radius 4 tells all ten classes apart, radius 3 one fewer; the results file says so."""

import json
from pathlib import Path

import pytest

from egonet.errors import FileError
from research.today.csl import groups
from research.today.readers import read_csl

ROOT = Path(__file__).parent.parent.parent.parent


@pytest.mark.parametrize("degrees", ["total", "full"])
@pytest.mark.parametrize(("radius", "count"), [(1, 2), (2, 5), (3, 9), (4, 10)])
def test_groups_by_radius(radius, count, degrees, data_folder):
    try:
        graphs, classes = read_csl()
    except FileError as error:
        pytest.skip(str(error))

    assert groups(graphs, classes, radius, degrees) == (count, True)


def test_the_results_file_has_the_groups():
    rows = json.loads((ROOT / "results" / "today" / "csl.json").read_text("utf-8"))["rows"]

    assert [row["groups"] for row in rows if row["degrees"] == "total"] == [2, 5, 9, 10]
    assert all(row["classes_whole"] for row in rows)
