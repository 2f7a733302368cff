"""The expressivity table: committed figures agree with the known ones, and the report shows them."""

import json
from pathlib import Path

import pytest

from egonet import disjoint_union, named
from egonet.wl import named_criterion
from research.expressivity.comparison import PUBLISHED, Contender, Families, Score, contenders, measure
from research.report.expressivity_tables import ladder_plot, summary, to_html, to_markdown

RESULTS = Path(__file__).parents[3] / "results"


@pytest.fixture(scope="module")
def table():
    scores = json.loads((RESULTS / "expressivity.json").read_text())["scores"]
    return {score["name"]: score for score in scores}


def test_the_committed_table_has_every_contender(table):
    assert list(table) == [contender.criterion.name for contender in contenders()]


@pytest.mark.parametrize(
    ("name", "graph8c", "sr25", "exp", "brec"),
    [
        ("1-WL", 312, 0, 0, 0),
        ("2-FWL", 0, 0, 600, 270),
        ("total r=1", 3484, 0, 0, 157),
        ("total r=1 + WL", 5, 0, 0, 158),
        ("total r=2", 1487, 0, 600, 75),
        ("total r=2 + WL", 180, 0, 600, 76),
        ("total r=1,2", 0, 0, 600, 191),
        ("full r=2", 0, 0, 600, 199),
        ("R1", 0, 105, 600, 272),
        ("R2", 0, 105, 600, 276),
        ("R3", 0, 105, 600, 295),
        ("R4(1, marks=2)", 3216, 105, 0, 244),
        ("R4(2, marks=1)", 0, 0, 600, 210),
        ("R4(2, marks=3)", 0, 105, 600, 298),
        ("R4(3, marks=3)", 0, 105, 600, 300),
        ("R5(1)", 0, 0, 600, 251),
        ("R5(2)", 0, 105, 600, 378),
        ("R5(3)", 0, 105, 600, 398),
        ("R5(4)", 0, 105, 600, 400),
        ("ball r=1", 3216, 105, 0, 244),
        ("ball r=2", 0, 105, 600, 298),
        ("ball r=3", 0, 105, 600, 300),
        ("marked root r=2", 0, 0, 600, 210),
        ("marked root and neighbor r=2", 0, 105, 600, 280),
    ],
)
def test_the_committed_table_has_the_known_answers(table, name, graph8c, sr25, exp, brec):
    row = table[name]

    assert (row["graph8c"], row["sr25"], row["exp"], row["brec_total"]) == (graph8c, sr25, exp, brec)


def test_without_data_only_generated_families_are_measured():
    small = disjoint_union(named.sr25())

    score = measure(Contender("ladder", named_criterion("R1")), Families(small, small, None, None, small))

    assert (score.graph8c, score.sr25, score.exp, score.brec_total) == (0, 105, None, None)


def test_the_report_shows_our_figures_and_the_published_ones_apart():
    scores = [Score("R1 <&>", "ladder", 0, 105, 600, {"Basic": 60, "CFI": 0}, 0.7, 45, 1.5)]

    markdown, page = to_markdown(scores), to_html(scores)

    assert "| R1 <&> | 0 | 105 | 45 | 600 | 60 | 60 | – | – | – | – | – | 0 | 1.50 | 0.7 |" in markdown
    assert "| KP-GNN | 275 | 60 | 106 | 98 | 11 | trained |" in markdown
    assert "| I²-GNN | 281 | 60 | 100 | 100 | 21 | trained; not run on the 20 pairs" in markdown
    assert "R1 &lt;&amp;&gt;" in page
    assert "ICML 2024" in page


def test_the_picture_has_a_row_per_test_and_a_column_per_family():
    parts = {"Basic": 60, "Simple regular": 50, "Strongly regular": 50, "4-vertex condition": 20}
    parts |= {"Distance-regular": 18, "Extension": 100, "CFI": 80}
    scores = [
        Score("R5(2)", "ladder", 0, 105, 600, parts, 1.0, 45, 6.0),
        Score("DE-1", "peer", 0, 0, 600, parts, 1.0),
    ]

    picture = ladder_plot(scores)

    assert all(f">{text}<" in picture for text in ("R5(2)", "CFI of 100", "80", "378"))
    assert "DE-1" not in picture


def test_the_page_begins_with_a_summary_and_the_ladder():
    parts = {"Basic": 60, "Simple regular": 50, "Strongly regular": 50, "4-vertex condition": 20}
    parts |= {"Distance-regular": 18, "Extension": 100, "CFI": 80}
    scores = [
        Score("R1", "ladder", 0, 105, 600, parts, 1.0, 45, 6.0),
        Score("R1 + WL", "ladder", 0, 105, 600, parts | {"CFI": 83}, 1.0, 45, 6.0),
        Score("ball r=2", "ceiling", 0, 105, 600, parts | {"CFI": 0}, 1.0, 45, 6.0),
    ]

    page = to_html(scores)

    assert summary(scores) == [
        "Pairs of BREC that are distinguished, of 400. R1: 378.",
        "Rounds of 1-WL after an encoding or a rung of the ladder add at most 3 of them.",
        "No function of ego-networks of radius 2 distinguishes more than 298; R5, which marks nodes of the whole "
        "graph, does.",
        "Strongly regular graphs (SR25) need more than an encoding: R1 is the first.",
    ]
    assert page.index('class="summary"') < page.index('class="shares"') < page.index("<details")
    assert '<td class="share8" title="R1, CFI of 100: 80 of 100">80</td>' in page
    assert '<td class="share9" title="R1, Distance-regular of 20: 18 of 20">18</td>' in page
    assert '<th scope="row">R1 + WL</th>' not in page


def test_published_figures_add_up_to_the_published_totals():
    totals = {figure.name: sum(figure.brec) for figure in PUBLISHED}

    assert totals["3-WL"] == 270
    assert totals["I²-GNN"] == 281
    assert totals["NGNN"] == 166
    assert [totals[name] for name in ("S3", "S4", "N1", "N2", "M1")] == [105, 243, 244, 298, 251]
