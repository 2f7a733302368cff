"""The expressivity table as Markdown and as a page, with published figures below it."""

from collections.abc import Sequence
from html import escape

from experiments.expressivity.comparison import PUBLISHED, SOURCE, Score
from experiments.report.page import policy
from experiments.expressivity.peers import TOLERANCE

_CATEGORIES = {
    "Basic": 60,
    "Simple regular": 50,
    "Strongly regular": 50,
    "4-vertex condition": 20,
    "Distance-regular": 20,
    "Extension": 100,
    "CFI": 100,
}
_GROUPS = {
    "yardstick": "Yardsticks",
    "encoding": "Encodings",
    "ladder": "The ladder",
    "peer": "Other methods, as exact tests",
}
NOTES = (
    "Every row is an exact comparison: no network is trained, nothing is drawn at random. Two graphs are told apart "
    "if the multisets of their nodes' classes differ. “+ WL” starts 1-WL from those classes.",
    f"Random-walk and Laplacian features are floating-point numbers; numbers within {TOLERANCE:g} are equal.",
    "BREC chose the rungs of the ladder, so differences of a few pairs mean nothing.",
)
Table = tuple[list[str], list[list[str]]]


def score_table(scores: Sequence[Score]) -> Table:
    """Return the head and the rows of the table."""
    head = ["test", "Graph8c equal", "SR25 of 105", "EXP of 600", "BREC of 400"]
    head += [f"{name} of {size}" for name, size in _CATEGORIES.items()] + ["seconds"]
    rows = []
    for score in scores:
        brec = score.brec or {}
        cells = [score.name, f"{score.graph8c:,}", score.sr25, _cell(score.exp), _cell(score.brec_total)]
        cells += [_cell(brec.get(name)) for name in _CATEGORIES] + [f"{score.seconds:.1f}"]
        rows.append([str(cell) for cell in cells])
    return head, rows


def published_table() -> Table:
    """Return the head and the rows of the published figures."""
    head = ["method", "BREC of 400", "Basic of 60", "Regular of 140", "Extension of 100", "CFI of 100", "how"]
    rows = [
        [figure.name, str(sum(figure.brec)), *map(str, figure.brec), "trained" if figure.trained else "exact"]
        for figure in PUBLISHED
    ]
    return head, rows


def to_markdown(scores: Sequence[Score]) -> str:
    """Return the whole report as Markdown.

    Examples
    --------
    >>> score = Score("1-WL", "yardstick", 312, 0, None, None, 0.1)
    >>> print(to_markdown([score]).splitlines()[4])
    | 1-WL | 312 | 0 | – | – | – | – | – | – | – | – | – | 0.1 |
    """
    parts = ["# What each test tells apart", "", *_markdown_rows(score_table(scores)), ""]
    parts += [f"{note}\n" for note in NOTES]
    parts += [
        "## Published figures for BREC",
        "",
        *_markdown_rows(published_table()),
        "",
        f"Source: {SOURCE}.",
    ]
    return "\n".join(parts) + "\n"


def to_html(scores: Sequence[Score]) -> str:
    """Return the whole report as one page without scripts, rows grouped."""
    head, rows = score_table(scores)
    body = []
    for group, title in _GROUPS.items():
        chosen = [row for row, score in zip(rows, scores, strict=True) if score.group == group]
        if chosen:
            body.append(f'<tr><th colspan="{len(head)}">{escape(title)}</th></tr>')
            body += [_html_row(row, "td") for row in chosen]
    published_head, published_rows = published_table()
    published = [_html_row(row, "td") for row in published_rows]
    notes = "".join(f"<p>{escape(note)}</p>" for note in NOTES)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8">{policy(_STYLE)}'
        "<title>What each test tells apart</title>"
        f"<style>{_STYLE}</style><h1>What each test tells apart</h1>"
        f"<table>{_html_row(head, 'th')}{''.join(body)}</table>{notes}<h2>Published figures for BREC</h2>"
        f"<table>{_html_row(published_head, 'th')}{''.join(published)}</table><p>Source: {escape(SOURCE)}.</p></html>\n"
    )


_STYLE = (
    "body{font:15px system-ui;margin:2rem;color-scheme:light dark}table{border-collapse:collapse}"
    "th,td{padding:.2rem .6rem;border-bottom:1px solid #8884;text-align:right}"
    "th:first-child,td:first-child{text-align:left}p{max-width:60rem}"
)


def _markdown_rows(table: Table) -> list[str]:
    head, rows = table
    rule = ["---", *["--:"] * (len(head) - 1)]
    return [f"| {' | '.join(row)} |" for row in [head, rule, *rows]]


def _html_row(cells: Sequence[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _cell(value: int | None) -> str:
    return "–" if value is None else str(value)
