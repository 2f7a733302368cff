"""A report as a list of blocks, written as Markdown and as one HTML page that loads nothing from elsewhere."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

#: Longer tables are folded; the charts say the same.
_OPEN_ROWS = 14
_SIGNS = {
    "within": "good",
    "helps": "good",
    "better": "good",
    "outside": "bad",
    "hurts": "bad",
    "worse": "bad",
}


@dataclass(frozen=True)
class Block:
    """One part of a report.

    Attributes
    ----------
    kind
        "title", "summary", "heading", "paragraph", "table", "shares", "notes" or "plot".
    text
        The text, or the caption of a table or plot.
    header, rows
        The cells of a table; the names and texts of notes; one sentence per row of a summary. The cells of "shares"
        are a name, then texts like "3 of 5": fields, darker the larger the share.
    plot
        The SVG document of a plot.
    """

    kind: str
    text: str
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    plot: str = ""

    @property
    def anchor(self) -> str:
        """Return the id of a heading in the page.

        Examples
        --------
        >>> Block("heading", "Table 1: Graph <b> & co").anchor
        'table-1-graph-b-co'
        """
        return "-".join("".join(letter if letter.isalnum() else " " for letter in self.text.lower()).split())

    @property
    def data_uri(self) -> str:
        """Return the plot as the address of an image: as an image it can neither run scripts nor load files."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.plot.encode("utf-8")).decode("ascii")


def to_markdown(blocks: Sequence[Block]) -> str:
    """Return blocks as Markdown, without the plots.

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
        elif block.kind == "summary":
            parts.append("".join(f"- {sentence}\n" for (sentence,) in block.rows))
        elif block.kind in ("table", "shares"):
            rule = "|---" * len(block.header) + "|"
            lines = [_markdown_line(block.header), rule, *map(_markdown_line, block.rows)]
            parts.append(f"**{block.text}**\n\n" + "\n".join(lines) + "\n")
        elif block.kind == "notes":
            listed = "\n".join(f"- *{name}*: {note}" for name, note in block.rows)
            parts.append(f"**{block.text}**\n\n{listed}\n")
    return "\n".join(parts)


def _markdown_line(cells: Sequence[str]) -> str:
    """Return one line of a Markdown table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def to_html(blocks: Sequence[Block]) -> str:
    """Return blocks as one HTML page; every text is escaped, and the page may run and load nothing."""
    tokens = files("egonet.viz").joinpath("static", "tokens.css").read_text("utf-8")
    style = tokens + files("research.report").joinpath("templates", "page.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    title = next((block.text for block in blocks if block.kind == "title"), "Report")
    head = [place for place, block in enumerate(blocks) if block.kind in ("title", "summary")]
    return (
        _environment()
        .get_template("page.html")
        .render(
            blocks=blocks,
            title=title,
            style=style,
            digest=digest,
            last_of_head=max(head, default=0),
            open_rows=_OPEN_ROWS,
            signs=_SIGNS,
            tenths=_tenths,
        )
    )


def _tenths(text: str) -> int:
    """Return a share in tenths, 0 only for nothing and 10 only for all.

    >>> [_tenths(text) for text in ("0 of 50", "1 of 50", "25 of 50", "49 of 50", "50 of 50")]
    [0, 1, 5, 9, 10]
    """
    part, whole = map(int, text.split(" of "))
    return 0 if part == 0 else 10 if part == whole else min(9, max(1, round(10 * part / whole)))


@cache
def _environment() -> Environment:
    """Return the templates of this package."""
    return Environment(
        loader=PackageLoader("research.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
