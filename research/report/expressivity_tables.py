"""The expressivity table as Markdown and as a page: summary, ladder as a picture, tables, published figures."""

from collections.abc import Sequence

from research.expressivity.comparison import PUBLISHED, SOURCE, Published, Score
from research.expressivity.families import brec_categories
from research.expressivity.peers import TOLERANCE
from research.report import page
from research.report.plots import plot_shares

_CATEGORIES = {entry["name"]: entry["pairs"] for entry in brec_categories().values()}
_GROUPS = {
    "yardstick": "Reference tests",
    "encoding": "Encodings",
    "ladder": "The R1-R5 ladder",
    "ceiling": "Ceilings: what any function of ego-networks can distinguish",
    "peer": "Other methods, as exact tests",
}
TITLE = "What each test distinguishes"
NOTES = (
    "Every row is an exact comparison: no network is trained, nothing is drawn at random. Two graphs are distinguished "
    "if the multisets of their nodes' classes differ. “+ WL” starts 1-WL from those classes.",
    f"Random-walk and Laplacian features are floating-point numbers; numbers within {TOLERANCE:g} are equal.",
    "R1-R3 were chosen on BREC, so differences of a few pairs mean nothing. R4(r, marks=k) searches with k marks in "
    "ego-networks of radius r, R5(k) in the whole graph. “ball” compares rooted ego-networks by isomorphism: no "
    "function of ego-networks of that radius distinguishes more.",
    "Milliseconds per graph are those of the processor on BREC, pair by pair, Python included.",
)
#: The rows of the picture.
PICTURED = (
    *("1-WL", "2-FWL", "total r=1,2", "full r=2", "R1", "R2", "R3"),
    *("R4(1, marks=2)", "R4(2, marks=1)", "R4(2, marks=2)", "R4(2, marks=3)", "R4(3, marks=3)"),
    *("R5(1)", "R5(2)", "R5(3)", "R5(4)", "ball r=1", "ball r=2", "ball r=3"),
)
#: The tests that the summary counts.
_SUMMARIZED = ("1-WL", "total r=1,2", "full r=2", "R1", "R3", "R4(3, marks=3)", "R5(4)")
_BREC = 400
Table = tuple[list[str], list[list[str]]]


def score_table(scores: Sequence[Score]) -> Table:
    """Return the header and the rows of the table."""
    head = ["test", "Graph8c equal", "SR25 of 105", "CSL of 45", "EXP of 600", "BREC of 400"]
    head += [f"{name} of {size}" for name, size in _CATEGORIES.items()]
    head += ["ms per graph", "seconds"]
    rows = []
    for score in scores:
        brec = score.brec or {}
        cells = [score.name, f"{score.graph8c:,}", score.sr25, _cell(score.csl)]
        cells += [_cell(score.exp), _cell(score.brec_total), *(_cell(brec.get(name)) for name in _CATEGORIES)]
        cells += ["–" if score.brec_ms is None else f"{score.brec_ms:.2f}", f"{score.seconds:.1f}"]
        rows.append([str(cell) for cell in cells])
    return head, rows


def published_table() -> Table:
    """Return the header and the rows of the published figures."""
    head = ["method", "BREC of 400", "Basic of 60", "Regular of 140", "Extension of 100", "CFI of 100", "how"]
    rows = [
        [figure.name, str(sum(figure.brec)), *map(str, figure.brec), _how(figure)] for figure in PUBLISHED
    ]
    return head, rows


def ladder_rows(scores: Sequence[Score]) -> dict[str, dict[str, tuple[int, int]]]:
    """Return {test: {family: (pairs distinguished, pairs)}} of the tests in the picture, in the order of `scores`."""
    rows = {}
    for score in scores:
        if score.name not in PICTURED or score.brec is None:
            continue
        others = {"SR25": (score.sr25, 105), "CSL": (score.csl or 0, 45), "EXP": (score.exp or 0, 600)}
        parts = {name: (score.brec.get(name, 0), size) for name, size in _CATEGORIES.items()}
        rows[score.name] = {"BREC": (score.brec_total or 0, _BREC)} | parts | others
    return rows


def ladder_plot(scores: Sequence[Score]) -> str:
    """Return the picture of the ladder as SVG: tests as rows, families as columns, pairs distinguished."""
    rows = ladder_rows(scores)
    return plot_shares(
        {test: {f"{name} of {cell[1]}": cell for name, cell in row.items()} for test, row in rows.items()}
    )


def ladder_block(scores: Sequence[Score]) -> page.Block:
    """Return the same picture as a part of a page: a field per test and family."""
    rows = ladder_rows(scores)
    head = ["test", *(f"{name} of {size}" for name, (_, size) in next(iter(rows.values())).items())]
    cells = [[test, *(f"{found} of {size}" for found, size in row.values())] for test, row in rows.items()]
    return page.Block("shares", "The ladder: pairs of graphs that each test distinguishes", head, cells)


def summary(scores: Sequence[Score]) -> list[str]:
    """Return what the table says in a few sentences; a sentence whose tests were not run is left out.

    Examples
    --------
    >>> parts = {"Basic": 60, "Extension": 82}
    >>> summary([Score("total r=1,2", "encoding", 0, 0, None, parts, 1.0)])
    ['Pairs of BREC that are distinguished, of 400. total r=1,2: 142.']
    """
    brec = {score.name: score.brec_total for score in scores if score.brec_total is not None}
    counts = [f"{name}: {brec[name]}" for name in _SUMMARIZED if name in brec]
    sentences = [f"Pairs of BREC that are distinguished, of {_BREC}. {'; '.join(counts)}."] if counts else []
    gains = [brec[name] - brec[name.removesuffix(" + WL")] for name in brec if name.endswith(" + WL")]
    if gains:
        sentences.append(
            f"Rounds of 1-WL after an encoding or a rung of the ladder add at most {max(gains)} of them."
        )
    balls = {name: total for name, total in brec.items() if name.startswith("ball")}
    if balls:
        largest = max(balls, key=balls.__getitem__)
        sentences.append(
            f"No function of ego-networks of radius {largest.removeprefix('ball r=')} distinguishes more than "
            f"{balls[largest]}; R5, which marks nodes of the whole graph, does."
        )
    regular = [score.name for score in scores if score.group in ("encoding", "ladder") and score.sr25 == 105]
    if regular:
        sentences.append(
            f"Strongly regular graphs (SR25) need more than an encoding: {regular[0]} is the first."
        )
    return sentences


def to_markdown(scores: Sequence[Score]) -> str:
    """Return the whole report as Markdown.

    Examples
    --------
    >>> score = Score("1-WL", "yardstick", 312, 0, None, None, 0.1)
    >>> print(to_markdown([score]).splitlines()[4])
    | 1-WL | 312 | 0 | – | – | – | – | – | – | – | – | – | – | – | 0.1 |
    """
    parts = [f"# {TITLE}", "", *_markdown_rows(score_table(scores)), ""]
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
    """Return the whole report as one page: summary, picture, then a table for every group of tests."""
    blocks = [page.Block("title", TITLE)]
    if found := summary(scores):
        blocks.append(page.Block("summary", "", rows=[[sentence] for sentence in found]))
    if ladder_rows(scores):
        blocks += [page.Block("heading", "The ladder"), ladder_block(scores)]
    blocks.append(page.Block("heading", "How to read it"))
    blocks += [page.Block("paragraph", note) for note in NOTES]
    blocks.append(page.Block("heading", "Every test"))
    for group, title in _GROUPS.items():
        chosen = [score for score in scores if score.group == group]
        if chosen:
            blocks.append(page.Block("table", title, *score_table(chosen)))
    blocks.append(page.Block("heading", "Published figures"))
    blocks.append(page.Block("table", "Published figures for BREC", *published_table()))
    blocks.append(page.Block("paragraph", f"Source: {SOURCE}."))
    return page.to_html(blocks)


def _markdown_rows(table: Table) -> list[str]:
    head, rows = table
    rule = ["---", *["--:"] * (len(head) - 1)]
    return [f"| {' | '.join(row)} |" for row in [head, rule, *rows]]


def _how(figure: Published) -> str:
    """Return how a published figure was found, and what it leaves out."""
    how = "trained" if figure.trained else "exact"
    return f"{how}; {figure.note}" if figure.note else how


def _cell(value: int | None) -> str:
    return "–" if value is None else str(value)
