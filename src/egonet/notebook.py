"""Small HTML tables for notebooks: escaped, without colors, so that they suit light and dark themes."""

from collections.abc import Iterable, Sequence
from html import escape

#: Borders and muted text inherit the color of the page.
_CELL = "padding:.15em .6em;text-align:left;border-top:1px solid rgba(128,128,128,.35);vertical-align:top"
_NUMBER = _CELL.replace("left", "right")


def html_table(
    title: str, rows: Iterable[Sequence[object]], *, header: Sequence[str] = (), note: str = ""
) -> str:
    """Return a title, a table and a note as HTML; every text is escaped.

    >>> html_table("a < b", []).startswith("<div><strong>a &lt; b</strong>")
    True
    """
    lines = [f"<div><strong>{escape(title)}</strong>"]
    body = [_row("td", row) for row in rows]
    if body:
        head = [_row("th", header)] if header else []
        style = "border-collapse:collapse;margin:.3em 0;font-size:.95em;background:none;color:inherit"
        lines += [f'<table style="{style}">', *head, *body, "</table>"]
    if note:
        lines.append(f'<div style="opacity:.7;font-size:.9em">{escape(note)}</div>')
    return "\n".join([*lines, "</div>"])


def html_text(text: str) -> str:
    """Return text whose first line is a sentence and whose other lines are aligned, as HTML.

    >>> html_text("one <b>")
    '<div><strong>one &lt;b&gt;</strong></div>'
    """
    first, _, rest = text.partition("\n")
    more = f'<pre style="background:none;color:inherit;margin:.3em 0">{escape(rest)}</pre>' if rest else ""
    return f"<div><strong>{escape(first)}</strong>{more}</div>"


def _row(tag: str, cells: Sequence[object]) -> str:
    """Return one row; numbers are aligned right."""
    made = (
        f'<{tag} style="{_NUMBER if isinstance(cell, int | float) else _CELL}">{_shown(cell)}</{tag}>'
        for cell in cells
    )
    return f"<tr>{''.join(made)}</tr>"


def _shown(cell: object) -> str:
    if isinstance(cell, int) and not isinstance(cell, bool):
        return f"{cell:,}"
    return escape(str(cell))
