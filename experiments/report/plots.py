"""Pictures of a report as SVG that stands alone: bars, and dots of several contenders on a logarithmic line."""

import math
from collections.abc import Mapping, Sequence
from html import escape

_WIDTH, _LINE, _LEFT = 900, 22, 250
#: Colors that differ also to color-blind eyes (Okabe and Ito), and shapes, so that color is not all.
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8a8a")
_SHAPES = (
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
    "M-4.5 -4.5h9v9h-9z",
    "M0 -5.5L5.5 4.5H-5.5z",
    "M0 -6L6 0L0 6L-6 0z",
)


def bars(values: Sequence[tuple[str, float]], largest: float) -> str:
    """Return a bar for every name, the number beside it.

    Examples
    --------
    >>> picture = bars([("half", 50), ("all", 100)], largest=100)
    >>> picture.count("<rect"), 'width="290.0"' in picture, 'width="580.0"' in picture
    (2, True, True)
    """
    lines = []
    for place, (name, value) in enumerate(values):
        y = _LINE * place
        width = (_WIDTH - _LEFT - 70) * value / largest
        lines.append(
            f'<text x="0" y="{y + 15}">{escape(name)}</text>'
            f'<rect x="{_LEFT}" y="{y + 4}" width="{width:.1f}" height="{_LINE - 8}" fill="{_COLORS[0]}"/>'
            f'<text x="{_LEFT + width + 6:.1f}" y="{y + 15}">{value:g}</text>'
        )
    return _svg("".join(lines), _LINE * len(values))


def contenders(rows: Mapping[str, Mapping[str, float]]) -> str:
    """Return a line for every row and a mark for every contender on it, in decades.

    Examples
    --------
    >>> picture = contenders({"grid": {"ours": 1.0, "theirs": 100.0}, "tree": {"ours": 1.0}})
    >>> picture.count("<title>"), "theirs, grid: 100" in picture, "log" in picture
    (3, True, False)
    """
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    values = [value for row in rows.values() for value in row.values()]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    step = (_WIDTH - _LEFT - 40) / ((high - low) or 1)

    def x(value: float) -> float:
        return _LEFT + 10 + step * (math.log10(value) - low)

    bottom = _LINE * len(rows)
    parts = [_decade(x(10.0**power), bottom, power) for power in range(low, high + 1)]
    for place, (title, row) in enumerate(rows.items()):
        y = _LINE * place + _LINE / 2
        parts.append(f'<text x="0" y="{y + 4}">{escape(title)}</text>')
        for name, value in row.items():
            hint = f"<title>{escape(name)}, {escape(title)}: {value:.3g}</title>"
            parts.append(_mark(names.index(name), x(value), y, hint))
    for place, name in enumerate(names):
        column, line = place % 3, place // 3
        across, down = 10 + column * _WIDTH / 3, bottom + 45 + _LINE * line
        parts.append(_mark(place, across, down, ""))
        parts.append(f'<text x="{across + 12:.1f}" y="{down + 4}">{escape(name)}</text>')
    return _svg("".join(parts), bottom + 45 + _LINE * math.ceil(len(names) / 3))


def _decade(x: float, bottom: float, power: int) -> str:
    """Return the line of one power of ten, and its number below."""
    number = f"{10**power:,}" if power >= 0 else f"{10.0**power:g}"
    return (
        f'<line x1="{x:.1f}" y1="0" x2="{x:.1f}" y2="{bottom}" stroke="#9a9aa8" stroke-opacity=".4"/>'
        f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{number}</text>'
    )


def _mark(number: int, x: float, y: float, inside: str) -> str:
    """Return the mark of a contender: color and shape by its number."""
    color = _COLORS[number % len(_COLORS)]
    shape = _SHAPES[number % len(_SHAPES)]
    return f'<path transform="translate({x:.1f} {y:.1f})" d="{shape}" fill="{color}">{inside}</path>'


def _svg(inside: str, height: float) -> str:
    """Return the picture; its text takes the color of the page."""
    return (
        f'<svg role="img" viewBox="0 0 {_WIDTH} {height:.0f}" width="100%" font-size="12" fill="currentColor">'
        f"{inside}</svg>"
    )
