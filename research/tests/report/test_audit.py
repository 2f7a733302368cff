"""The audit: differences with intervals, own and replayed draws, folds as the unit; the page has its counts."""

from pathlib import Path

import numpy as np
import pytest

from contracts.parts import need

need("scipy")

from research.paper.results import read_lines  # noqa: E402
from research.paper.spec import table_spec  # noqa: E402
from research.report import audit  # noqa: E402
from research.report.statistics import Summary  # noqa: E402

ROOT = Path(__file__).parent.parent.parent.parent


def summary(mean, spread, count=10):
    return Summary(mean, spread, mean, mean, count)


def test_a_difference_beyond_its_interval_disagrees():
    far = audit.gap("mutag/gin", summary(80.0, 1.0), 83.0, 1.0, near=False)

    assert not far.agrees
    assert far.high == pytest.approx(-3 + 2.101 * np.sqrt(0.2), abs=1e-2)


def test_equal_counts_without_spread_agree_and_others_do_not():
    assert audit.gap("graph8c/gin", summary(5.0, 0.0), 5.0, 0.0, near=True).agrees
    assert not audit.gap("graph8c/gin", summary(5.0, 0.0), 6.0, 0.0, near=True).agrees


def test_the_committed_lines_have_the_paper_s_verdict_in_19_of_24_cells():
    lines = list(read_lines(ROOT / "results" / "table1.paper.jsonl"))

    assert audit.verdict_counts(table_spec("table1"), lines) == (19, 24)


def test_folds_as_the_unit_leave_fewer_differences():
    lines = list(read_lines(ROOT / "results" / "table1.honest.jsonl"))
    tests = audit.fold_tests(table_spec("table1"), lines)
    seeds, folds, corrected = (
        sum(getattr(test, name) < 0.05 for test in tests if test.seeds < 0.05)
        for name in ("seeds", "folds", "corrected")
    )

    assert (seeds, folds, corrected) == (12, 10, 6)
    assert all(test.corrected >= test.folds for test in tests)


def test_the_page_on_reproduction_has_the_counts_of_the_audit():
    text = (ROOT / "docs" / "research" / "reproduce.md").read_text("utf-8")
    own = audit.own_draw_lines(ROOT / "results" / audit.OWN_DRAWS)
    for name, shown in {"table1": "22 of 23", "table4": "20 of 21", "table5": "27 of 30"}.items():
        each = audit.gaps(audit.paper_rows(table_spec(name), own[name]), encoded=True)
        assert f"{sum(one.near for one in each)} of {len(each)}" == shown
        assert shown in text


def test_a_folder_without_results_has_no_sentences(tmp_path):
    assert audit.audit(tmp_path) == []
