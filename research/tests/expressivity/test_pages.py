"""The pages quote the results file of the expressivity table."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
#: The first words of a row of Choosing, and the tests in results/expressivity.json.
ROWS = {
    "1-WL,": ["1-WL"],
    "`radius=(1, 2)`": ["total r=1,2"],
    '`radius=2, degrees="full"`': ["full r=2"],
    "random walks": ["random walk 16", "Laplacian 8"],
    "R1:": ["R1"],
    "counts of cycles": ["GSN C3-C6, K4, K5"],
    "R3:": ["R3"],
    "`individualize": ["R5(2)", "R5(3)", "R5(4)"],
}


def test_choosing_has_the_pairs_of_brec_that_were_measured():
    scores = json.loads((ROOT / "results" / "expressivity.json").read_text("utf-8"))["scores"]
    pairs = {score["name"]: sum(score["brec"].values()) for score in scores}
    text = (ROOT / "docs" / "choosing.md").read_text("utf-8")

    for start, names in ROWS.items():
        (row,) = re.findall(
            rf"^\| {re.escape(start)}.*$", text.split("| features |")[1].split("\n\n")[0], re.M
        )
        assert row.split("|")[2].strip() == ", ".join(str(pairs[name]) for name in names)


def test_the_readme_has_the_pairs_of_brec_that_were_measured():
    scores = json.loads((ROOT / "results" / "expressivity.json").read_text("utf-8"))["scores"]
    pairs = {score["name"]: sum(score["brec"].values()) for score in scores}
    text = " ".join((ROOT / "README.md").read_text("utf-8").replace("**", "").split())

    assert f"separate {pairs['R5(2)']} of the 400" in text
    assert f"four separate all {pairs['R5(4)']}." in text
    assert (
        f"separate {pairs['total r=1,2']} ({pairs['full r=2']} with full degrees, {pairs['R3']} around"
        in text
    )
    assert f"(GSN) {pairs['GSN C3-C6, K4, K5']}, Laplacian eigenvectors {pairs['Laplacian 8']}," in text
    assert f"random walks {pairs['random walk 16']}, and 1-WL none" in text
    assert pairs["1-WL"] == 0
