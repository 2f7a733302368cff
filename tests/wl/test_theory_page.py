"""The theory page names tests that exist, and its figures are those of the results."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "research" / "theory.md").read_text("utf-8")
SCORES = {
    score["name"]: score
    for score in json.loads((ROOT / "results" / "expressivity.json").read_text())["scores"]
}


def named_tests():
    """Yield (file, test) of the table at the end of the page."""
    for row in PAGE.split("## Tests")[1].splitlines():
        file = "tests/wl/test_tests.py"
        for name in re.findall(r"`([^`]+)`", row.split("|")[2]) if row.count("|") == 3 else []:
            file = name if name.endswith(".py") else file
            if name.startswith("test_"):
                yield file, name


def test_the_page_names_tests():
    assert len(list(named_tests())) > 40


@pytest.mark.parametrize(("file", "name"), list(named_tests()))
def test_every_test_that_the_page_names_exists(file, name):
    assert f"def {name}(" in (ROOT / file).read_text("utf-8")


def table_rows():
    """Yield (test, its other cells) of the tables of the ladder."""
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if re.fullmatch(r"(R4|R5|ball).*", cells[0]) and len(cells) == 7:
            yield cells[0], cells[2:]


def test_figures_of_the_ladder_are_those_of_the_results():
    found = dict(table_rows())

    assert len(found) == 12
    for name, cells in found.items():
        score = SCORES[name]
        expected = [score["brec_total"], score["brec"]["CFI"], score["sr25"], score["csl"]]
        assert [int(cell) for cell in cells[:4]] == expected
        assert float(cells[4]) == pytest.approx(score["brec_ms"], abs=0.06)


def test_figures_of_features_are_those_of_the_results():
    rows = json.loads((ROOT / "results" / "class_bags.json").read_text())["rows"]

    for row in rows:
        if "accuracy" in row:
            assert f"{row['accuracy']} ± {row['spread']}" in PAGE
        else:
            assert f"{row['error']:.3f}" in PAGE


def test_times_of_searches_are_those_of_the_results():
    found = json.loads((ROOT / "results" / "search_times.json").read_text())
    speed = PAGE.split("**Speed**")[1].split("\n\n")[0]

    for run in found["brec"]:
        assert f"{run['seconds']:g} seconds" in speed
    assert f"{found['molecules']['processor']:g} seconds" in speed
