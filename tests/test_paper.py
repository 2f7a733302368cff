"""The paper has the form that JOSS asks for, and its figures are those of the documentation."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
if not (ROOT / "paper").is_dir():
    pytest.skip("The sdist has no paper.", allow_module_level=True)
TEXT = (ROOT / "paper" / "paper.md").read_text("utf-8")
_, METADATA, BODY = TEXT.split("---\n", 2)


def figures(text):
    """Return the numbers of a text, with "of" and milliseconds, which say what a small number means.

    >>> sorted(figures("On 2 of 24 graphs with 5,108 nodes it takes 0.5 s and 8 ms."))
    ['0.5', '2 of 24', '5,108', '8 ms']
    """
    return set(re.findall(r"\d+(?:[,.]\d+)*(?: of \d+| ms)?", text))


def test_the_paper_has_the_metadata_and_sections_that_joss_asks_for():
    assert re.findall(r"^(\w+):", METADATA, re.M) == [
        "title",
        "tags",
        "authors",
        "affiliations",
        "date",
        "bibliography",
    ]
    sections = [
        "Summary",
        "Statement of need",
        "State of the field",
        "Software design",
        "Research impact statement",
        "Limits",
        "References",
    ]
    assert re.findall(r"^# (.+)", BODY, re.M) == sections
    assert 750 <= len(BODY.split()) <= 1750


def test_every_figure_of_the_paper_is_in_the_documentation():
    documented = set()
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        documented |= figures(page.read_text("utf-8"))
    measured = figures(re.search(r"# Research impact statement(.*)# Limits", BODY, re.S)[1])

    assert measured >= {"61,788,286", "0.075", "8 ms", "10 of 24"}
    assert sorted(measured - documented) == [], "figures of paper/paper.md that no page has"
