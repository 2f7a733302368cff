"""The table of When it helps: its numbers are those of the results files."""

from pathlib import Path

import pytest

from egonet.errors import FileError
from research.today.short_table import BEGIN, END, PAGE, Use, short_table, uses, write_short_page

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "results"


def test_the_page_has_the_table_of_the_results_files():
    text = (ROOT / "docs" / PAGE).read_text("utf-8")

    assert short_table(RESULTS) == text.split(BEGIN)[1].split(END)[0].strip()


def test_scores_are_those_of_the_full_tables():
    tables = "\n".join(
        (ROOT / "docs" / page).read_text("utf-8")
        for page in ("research/benchmarks.md", "research/transfer.md", "research/molecules_in_networks.md")
    )
    rows = {use.case.split(" (")[1].split(",")[0].strip(")"): use for use in uses(RESULTS)}

    assert "| rwse | ring | 0.0801 ± 0.0116 | 0.0664 ± 0.0027 |" in tables
    assert "| rings | pair | 0.0771 ± 0.0054 | 0.0685 ± 0.0041 |" in tables
    assert rows["ZINC"].scores == pytest.approx((0.0664, 0.0685), abs=5e-5)
    assert rows["ZINC"].rival == "walks and rings"
    assert not rows["ZINC"].is_clear
    assert "| US airports, forest | accuracy | LapPE 69.1 | ego-networks | 69.6 |" in tables
    assert rows["US airports"].scores == pytest.approx((69.1, 69.6), abs=0.05)
    assert "| IMDB-B, forest | accuracy | degree 70.8 | ego-networks | 70.4 |" in tables
    assert rows["IMDB-B"].scores == pytest.approx((70.8, 70.4), abs=0.05)
    assert "56.8 | **63.4** |" in tables
    assert rows["ENZYMES"].scores == pytest.approx((63.4, 56.8), abs=0.05)
    assert "| degree rank | 55.4 |" in tables
    assert "| ego 1, quarters, ranks | 54.3 |" in tables
    assert rows["Twitch"].scores == pytest.approx((55.4, 54.3), abs=0.05)


def test_the_readme_has_the_numbers_of_the_results():
    text = (ROOT / "README.md").read_text("utf-8").replace("**", "")
    rows = {use.case.split(" (")[1].split(",")[0].strip(")"): use for use in uses(RESULTS)}
    (stacked, trained), (sums, ratings) = rows["Yeast"].scores, rows["bitcoin-otc"].scores
    lappe, airports = rows["US airports"].scores
    (mixed, alone), (cycles, marked) = rows["ESOL"].scores, rows["BREC"].scores

    assert f"AUC {trained:.1f} trained and " in text
    assert f"the usual heuristics {stacked:.1f}," in text
    assert f"average precision {ratings:.2f}; sums and counts per account {sums:.2f}." in text
    assert f"accuracy {airports:.1f} %;" in text
    assert f"come close ({lappe:.1f} %)" in text
    assert f"scaffold splits: {alone:.2f};" in text
    assert f"two options of the same encoder, {mixed:.2f}." in text
    assert f"separate {marked:.0f}, four all 400" in text
    assert f"(GSN) separate {cycles:.0f}," in text


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
