"""BREC's check of reliability on the copies that it distributes: which pairs count, and the committed figures."""

import json
from pathlib import Path

import numpy as np
import pytest

from egonet import named
from egonet.errors import InputError
from egonet.wl import Criterion, weisfeiler_leman
from research.expressivity import brec_copies
from research.expressivity.brec_copies import check

RESULTS = Path(__file__).parents[3] / "results"
PATH, MOVED, TRIANGLE = (named.from_graph6(text) for text in ("Bg", "Bo", "Bw"))
#: A test that depends on the numbering: the first node of every graph has its degree, all others 0.
FIRST = Criterion(
    "first", lambda graph, ptr, _: np.isin(np.arange(len(graph)), ptr).astype(np.int64) * graph.degrees
)


def figures(criterion, graphs):
    found = check(criterion, graphs)
    return found["pairs"], found["distinguished"], found["unreliable"]


def test_copies_of_both_graphs_alternate_and_those_of_one_graph_follow_after_the_last_pair():
    # A path and a triangle, then a path and another numbering of it; 64 copies of one graph of each.
    pairs = [PATH, TRIANGLE] * 32 + [PATH, MOVED] * 32 + [PATH, MOVED] * 32 + [TRIANGLE] * 64

    assert figures(weisfeiler_leman(), pairs) == (2, 1, 0)


def test_a_pair_whose_copies_differ_is_unreliable_and_not_distinguished():
    stable = [PATH, TRIANGLE] * 32 + [PATH] * 64
    one_copy_moved = [*stable[:-1], MOVED]
    one_of_the_pair_moved = [MOVED, *stable[1:]]

    assert figures(FIRST, stable) == (1, 1, 0)
    assert figures(FIRST, one_copy_moved) == (1, 0, 1)
    assert figures(FIRST, one_of_the_pair_moved) == (1, 0, 1)


def test_a_file_with_other_graphs_is_an_error():
    with pytest.raises(InputError, match="must have 128 graphs per pair, got 100 graphs"):
        check(weisfeiler_leman(), [PATH] * 100)


def test_finished_tests_are_kept(tmp_path, monkeypatch):
    file, target = tmp_path / "copies.g6", tmp_path / "found.json"
    file.write_text("Bg\nBw\n" * 32 + "Bg\nBo\n" * 32)
    monkeypatch.setattr(brec_copies, "TESTS", ("1-WL",))
    brec_copies.main(str(file), str(target))
    first = json.loads(target.read_text())["rows"]

    monkeypatch.setattr(brec_copies, "TESTS", ("1-WL", "R1"))
    brec_copies.main(str(file), str(target))

    rows = json.loads(target.read_text())["rows"]
    assert rows[:1] == first
    assert [(row["test"], row["distinguished"], row["unreliable"]) for row in rows] == [
        ("1-WL", 1, 0),
        ("R1", 1, 0),
    ]


def test_committed_figures_are_those_of_the_table_and_no_test_is_unreliable():
    rows = json.loads((RESULTS / "invariance" / "brec_copies.json").read_text())["rows"]
    table = json.loads((RESULTS / "expressivity.json").read_text())["scores"]
    kinds = ("Basic", "Simple regular", "Strongly regular", "Extension")
    expected = {score["name"]: sum(score["brec"][kind] for kind in kinds) for score in table}

    assert {row["unreliable"] for row in rows} == {0}
    assert {row["test"]: row["distinguished"] for row in rows} == {
        row["test"]: expected[row["test"]] for row in rows
    }
