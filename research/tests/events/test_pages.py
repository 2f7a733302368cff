"""The pages on time quote the results files."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def scores_of(name):
    """Return average precision and its interval by columns, as the pages print them."""
    scores = json.loads((ROOT / "results" / "events" / f"{name}.json").read_text("utf-8"))["scores"]
    return {
        score["columns"]: (
            f"{score['average_precision']:.3f}",
            f"{score['average_precision']:.3f} [{score['low']:.3f}, {score['high']:.3f}]",
        )
        for score in scores
    }


@pytest.mark.parametrize("name", ["collegemsg", "bitcoin-otc"])
def test_the_notebook_has_the_scores_of_the_results(name):
    text = (ROOT / "docs" / "research" / "time.md").read_text("utf-8")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    scores = [printed for _, printed in scores_of(name).values()]

    first = next(number for number, row in enumerate(rows) if scores[0] in row)
    printed = [row.split("|")[3].strip() for row in rows[first : first + len(scores)]]
    assert printed == scores


def test_the_guide_has_the_scores_of_the_results():
    text = (ROOT / "docs" / "time.md").read_text("utf-8")
    messages, ratings = scores_of("collegemsg"), scores_of("bitcoin-otc")

    assert f"from {messages['plain graph'][0]} to {messages['+ time'][0]}" in text
    signed = ratings["+ time + direction + sign of amounts"][0]
    assert f"from {ratings['plain graph'][0]} to {signed}" in text
