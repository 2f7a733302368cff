"""The table of When it helps: its numbers are those of the results files."""

import json
from pathlib import Path

import numpy as np
import pytest

from egonet.errors import FileError
from research.today.comparison import interval
from research.today.page import read_results
from research.today.short_table import BEGIN, CHOSEN, END, PAGE, Use, uses, write_short_page
from research.transfer.tables import BASELINE, RECOMMENDED, cell_scores

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "results"


def test_scores_are_those_of_the_full_tables():
    tables = "\n".join(
        (ROOT / "docs" / page).read_text("utf-8")
        for page in ("research/benchmarks.md", "research/transfer.md", "research/molecules_in_networks.md")
    )
    rows = rows_by_set()

    assert "| rwse | ring | 0.0801 ± 0.0116 | 0.0664 ± 0.0027 |" in tables
    assert "| rings | pair | 0.0771 ± 0.0054 | 0.0685 ± 0.0041 |" in tables
    assert rows["ZINC"].scores == pytest.approx((0.0664, 0.0685), abs=5e-5)
    assert rows["ZINC"].rival == "walks and rings"
    assert not rows["ZINC"].is_clear
    assert "| US airports, forest | accuracy | LapPE 69.1 | ego-networks | 69.6 |" in tables
    assert rows["US airports"].scores == pytest.approx((69.1, 69.6), abs=0.05)
    assert "| IMDB-B, forest | accuracy | RWSE 72.7 | ego-networks | 70.5 |" in tables
    assert rows["IMDB-B"].rival == "random walks"
    assert rows["IMDB-B"].scores == pytest.approx((72.7, 70.5), abs=0.05)
    assert "56.8 | **63.4** |" in tables
    assert rows["ENZYMES"].scores == pytest.approx((63.4, 56.8), abs=0.05)
    assert "| degree rank | 55.4 |" in tables
    assert f"| {RECOMMENDED} | 54.2 |" in tables
    assert rows["Twitch"].scores == pytest.approx((55.4, 54.2), abs=0.05)


def test_the_readme_has_the_numbers_of_the_results():
    text = " ".join((ROOT / "README.md").read_text("utf-8").replace("**", "").split())
    rows = rows_by_set()
    (stacked, trained), (sums, ratings) = rows["Yeast"].scores, rows["bitcoin-otc"].scores
    lappe, airports = rows["US airports"].scores
    (mixed, alone), (cycles, marked) = rows["ESOL"].scores, rows["BREC"].scores

    assert f"the AUC is {trained:.1f} with training and " in text
    assert f"the usual heuristics has {stacked:.1f}," in text
    assert f"average precision of {ratings:.2f}." in text
    assert f"per account, in the same time windows, it has {sums:.2f}." in text
    assert f"an accuracy of {airports:.1f} %." in text
    assert f"come close ({lappe:.1f} %)" in text
    assert f"20 scaffold splits) with an error of {alone:.2f}." in text
    assert f"two options of the same encoder, {mixed:.2f}." in text
    assert f"separate {marked:.0f} of the 400" in text
    assert f"(GSN) {cycles:.0f}," in text


def test_bold_scores_are_better_by_more_than_chance():
    links = by_unit("links/benchmark.jsonl", "method", "auc", set="Yeast")
    esol = by_unit("molecules/fingerprints.jsonl", "features", "test", set="esol", atom_labels="element")
    bace: dict[str, dict[int, float]] = {}
    for line in lines_of("today/scaffold_splits.jsonl", set="bace"):
        for name, scores in line["scores"].items():
            bace.setdefault(name, {})[line["split"]] = scores["test"]
    forests: dict[str, dict[tuple[int, int], float]] = {}
    for line in read_results(RESULTS).columns:
        if (line["set"], line["model"]) == ("enzymes", "forest"):
            forests.setdefault(line["columns"], {})[line["seed"], line["fold"]] = line["test"]
    cells = cell_scores(lines_of("transfer/columns.jsonl", family="Twitch"))
    twitch = {
        name: {cell: scores[name] for cell, scores in cells.items()} for name in (BASELINE, RECOMMENDED)
    }

    clear = {
        "Yeast": differs(links["stacked heuristics"], links["trained"], 1 / 9),
        "ESOL": differs(esol["Morgan + WL"], esol["neighborhoods"], 1 / 8),
        "BACE": differs(bace["morgan"], bace["labels+egolabel"], 1 / 8),
        "ENZYMES": differs(forests["labels+size+wl"], forests[CHOSEN], 1 / 9),
        "Twitch": differs(twitch[BASELINE], twitch[RECOMMENDED], 0),
    }
    assert clear == {name: use.is_clear for name, use in rows_by_set().items() if name in clear}


def lines_of(name, **fields):
    """Return the lines of a results file with some values."""
    lines = [json.loads(line) for line in (RESULTS / name).read_text("utf-8").splitlines()]
    return [line for line in lines if all(line.get(key) == value for key, value in fields.items())]


def by_unit(name, key, value, **fields):
    """Return the scores of every split by what was measured."""
    found = {}
    for line in lines_of(name, **fields):
        found.setdefault(line[key], {})[line["split"]] = line[value]
    return found


def differs(rival, ours, share):
    """Return whether zero is outside the corrected interval of the paired differences."""
    units = sorted(set(rival) & set(ours))
    assert len(units) >= 10
    low, high, _ = interval(np.array([ours[unit] - rival[unit] for unit in units]), share)
    return not low <= 0 <= high


def rows_by_set():
    """Return the rows of the table by the set in brackets."""
    return {use.case.split(" (")[1].split(",")[0].strip(")"): use for use in uses(RESULTS)}


def test_a_difference_within_chance_has_no_bold_score():
    assert "**" not in Use("roles", "degrees", (69.0, 69.5), "either", digits=1, is_clear=False).line
    assert "**63.4** | 56.8" in Use("proteins", "WL", (63.4, 56.8), "WL", digits=1).line


def test_only_what_is_between_the_marks_is_written(tmp_path):
    (tmp_path / PAGE).write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", "utf-8")

    text = write_short_page(RESULTS, tmp_path).read_text("utf-8")

    assert text.startswith(f"before\n{BEGIN}\n\n| use |")
    assert text.endswith(f" |\n\n{END}\nafter\n")
    assert "old" not in text


def test_a_page_without_marks_is_an_error(tmp_path):
    (tmp_path / PAGE).write_text("nothing", "utf-8")

    with pytest.raises(FileError, match="lacks the marks of the table"):
        write_short_page(RESULTS, tmp_path)
