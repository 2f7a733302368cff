"""Blocks of a report as Markdown and as one HTML page without outside parts."""

import base64
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1f; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; font-size: 13px; }
.wide { overflow-x: auto; } nav ul { columns: 2; padding-left: 1.2rem; } a { color: #2450a8; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { border-bottom: 1px solid #dcdce4; padding: .2rem .6rem; text-align: left; white-space: nowrap; }
th { white-space: normal; vertical-align: bottom; }
td.outside { color: #a3001e; } td.within { color: #00622b; }
dl { font-size: 13px; } dt { font-weight: 600; } figure { margin: 0 0 1.5rem; } figcaption { font-weight: 600; }
@media (prefers-color-scheme: dark) { body { background: #17171b; color: #e6e6ea; } th, td { border-color: #3a3a44; }
td.outside { color: #ff8a8a; } td.within { color: #7fdc9f; } svg text { fill: #e6e6ea; } a { color: #9dbcff; } }
"""
_WIDTH, _LINE, _LEFT = 900, 18, 230


@dataclass(frozen=True)
class Block:
    """One piece of a report.

    Attributes
    ----------
    kind
        "title", "heading", "paragraph", "table", "notes", "plot" or "picture".
    text
        The words, or the caption of a table or plot.
    header, rows
        Cells of a table; names and words of notes.
    points
        Of a plot: name, published value, ours.
    picture
        Of a picture: finished SVG, which is not escaped.
    """

    kind: str
    text: str
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    points: Sequence[tuple[str, float, float]] = field(default=())
    picture: str = ""


def to_markdown(blocks: Sequence[Block]) -> str:
    """Return blocks as Markdown; plots and pictures are left to the HTML page.

    Examples
    --------
    >>> print(to_markdown([Block("heading", "Table"), Block("table", "Ours", ["a", "b"], [["1", "2|3"]])]))
    ## Table
    <BLANKLINE>
    **Ours**
    <BLANKLINE>
    | a | b |
    |---|---|
    | 1 | 2\\|3 |
    <BLANKLINE>
    """
    parts = []
    for block in blocks:
        if block.kind in ("title", "heading"):
            parts.append(f"{'#' if block.kind == 'title' else '##'} {block.text}\n")
        elif block.kind == "paragraph":
            parts.append(f"{block.text}\n")
        elif block.kind == "table":
            lines = [block.header, ["---"] * len(block.header), *block.rows]
            body = (
                "\n".join(_markdown_line(line) for line in lines)
                .replace("| --- ", "|---")
                .replace("--- |", "---|")
            )
            parts.append(f"**{block.text}**\n\n{body}\n")
        elif block.kind == "notes":
            listed = "\n".join(f"- *{name}*: {words}" for name, words in block.rows)
            parts.append(f"**{block.text}**\n\n{listed}\n")
    return "\n".join(parts)


def _markdown_line(cells: Sequence[str]) -> str:
    """Return one line of a Markdown table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def policy(style: str) -> str:
    """Return the element that forbids a page everything but this style: no script, no request, no form.

    Examples
    --------
    >>> policy("p{color:red}").count("'none'"), "script" in policy("p{color:red}")
    (3, False)
    """
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    words = f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-{digest}'"
    return f'<meta http-equiv="Content-Security-Policy" content="{words}">'


def to_html(blocks: Sequence[Block]) -> str:
    """Return blocks as one HTML page; every word is escaped."""
    body = "\n".join(_html(block) + (_contents(blocks) if block.kind == "title" else "") for block in blocks)
    title = next((block.text for block in blocks if block.kind == "title"), "Report")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">{policy(_STYLE)}<title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>\n'
        f"<body>\n{body}\n</body></html>\n"
    )


def _contents(blocks: Sequence[Block]) -> str:
    """Return links to the headings."""
    found = [block.text for block in blocks if block.kind == "heading"]
    links = "".join(f'<li><a href="#{_anchor(text)}">{escape(text)}</a></li>' for text in found)
    return f"<nav><ul>{links}</ul></nav>" if links else ""


def _anchor(text: str) -> str:
    """Return a heading as the name of a place in the page.

    Examples
    --------
    >>> _anchor("Table 1: Graph <b> & co")
    'table-1-graph-b-co'
    """
    return "-".join("".join(letter if letter.isalnum() else " " for letter in text.lower()).split())


def _html(block: Block) -> str:
    """Return one block as HTML."""
    text = escape(block.text)
    if block.kind == "title":
        return f"<h1>{text}</h1>"
    if block.kind == "heading":
        return f'<h2 id="{_anchor(block.text)}">{text}</h2>'
    if block.kind == "paragraph":
        return f"<p>{text}</p>"
    if block.kind == "notes":
        listed = "".join(f"<dt>{escape(name)}</dt><dd>{escape(words)}</dd>" for name, words in block.rows)
        return f"<details><summary>{text}</summary><dl>{listed}</dl></details>"
    if block.kind == "plot":
        return f"<figure><figcaption>{text}</figcaption>{plot(block.points)}</figure>"
    if block.kind == "picture":
        return f"<figure><figcaption>{text}</figcaption>{block.picture}</figure>"
    head = "".join(f"<th>{escape(cell)}</th>" for cell in block.header)
    rows = "".join("<tr>" + "".join(_cell(cell) for cell in row) + "</tr>" for row in block.rows)
    table = f"<table><caption>{text}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="wide">{table}</div>'


def _cell(word: str) -> str:
    """Return one table cell; verdicts have a class of their own."""
    mark = f' class="{word}"' if word in ("within", "outside") else ""
    return f"<td{mark}>{escape(word)}</td>"


def plot(points: Sequence[tuple[str, float, float]]) -> str:
    """Return a picture of published against measured values, a line each; logarithmic if they span decades."""
    values = [value for _, *pair in points for value in pair]
    decades = min(values) > 0 and max(values) / min(values) > 1000
    scaled = [[math.log10(v) if decades else v for v in pair] for _, *pair in points]
    low = min(min(pair) for pair in scaled)
    span = (max(max(pair) for pair in scaled) - low) or 1.0
    lines = []
    for place, ((name, theirs, ours), pair) in enumerate(zip(points, scaled, strict=True)):
        y = _LINE * place + _LINE
        x = [_LEFT + (_WIDTH - _LEFT - 20) * (value - low) / span for value in pair]
        lines.append(
            f'<text x="0" y="{y + 4}" font-size="12">{escape(name)}</text>'
            f'<line x1="{x[0]:.1f}" y1="{y}" x2="{x[1]:.1f}" y2="{y}" stroke="#9a9aa8"/>'
            f'<circle cx="{x[0]:.1f}" cy="{y}" r="4" fill="none" stroke="#3465c9" stroke-width="1.5"/>'
            f'<circle cx="{x[1]:.1f}" cy="{y}" r="4" fill="#3465c9">'
            f"<title>{escape(name)}: paper {theirs:g}, ours {ours:g}</title></circle>"
        )
    bottom = _LINE * (len(points) + 2)
    for value, anchor, x_end in ((min(values), "start", _LEFT), (max(values), "end", _WIDTH - 20)):
        lines.append(
            f'<text x="{x_end}" y="{bottom - 4}" font-size="12" text-anchor="{anchor}">{value:.3g}</text>'
        )
    return f'<svg role="img" viewBox="0 0 {_WIDTH} {bottom}" width="100%">{"".join(lines)}</svg>'
