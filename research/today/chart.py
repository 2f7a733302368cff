"""The chart of the page: gains over the best rival with intervals, a row per set and model."""

from io import StringIO
from typing import TYPE_CHECKING, Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from research.today.comparison import Comparison

if TYPE_CHECKING:
    from research.today.page import Entry

_STYLE: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "egonet", "font.size": 8.5}
_COLORS = {"ego": "#0072b2", "egolabel": "#d55e00"}
_MARKERS = {"ego": "o", "egolabel": "s"}
_GRAY = "#6f757c"
_UNITS = {True: "percent of the best rival's error", False: "points of accuracy or ROC-AUC"}
#: Height of a row, and of the titles, legends and axes of a figure, in inches.
_ROW, _FRAME = 0.158, 1.25


def draw(rows: "list[Entry]", *, narrow: bool = False) -> str:
    """Return the chart as SVG; networks are next to models on columns, or above them if `narrow`, for phones.

    Small networks that repeat a set and a kind of network are in the table of the page only.
    """
    shown = [row for row in rows if not row.is_repeated]
    sides = [[row for row in shown if row.is_network is kind] for kind in (True, False)]
    sizes = [_height(side) for side in sides]
    limits = {
        kind: _limits([row for row in shown if row.is_error is kind])
        for kind in {row.is_error for row in shown}
    }
    width, height = (4.4, _ROW * sum(sizes) + 2 * _FRAME) if narrow else (10.6, _ROW * max(sizes) + _FRAME)
    stream = StringIO()
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        parts: Any = figure.subfigures(2, 1, height_ratios=sizes) if narrow else figure.subfigures(1, 2)
        for part, side, title in zip(parts, sides, ("Networks", "Forests and other models"), strict=True):
            part.suptitle(title, fontweight="bold", fontsize=10)
            _side(part, side, limits)
        figure.legend(handles=_legend(), loc="outside upper center", ncols=1 if narrow else 4, frameon=False)
        figure.savefig(stream, format="svg", metadata={"Date": None})
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def _height(side: "list[Entry]") -> int:
    """Return the rows of one side, with those of the headings and the axes."""
    return len(side) + len(dict.fromkeys((row.is_error, row.group) for row in side)) + 6


def _side(part: Any, side: "list[Entry]", limits: dict[bool, tuple[float, float]]) -> None:
    """Draw the panels of one side: errors, then accuracies and areas."""
    panels = [panel for kind in (True, False) if (panel := [row for row in side if row.is_error is kind])]
    if not panels:
        return
    heights = [len(panel) + len(dict.fromkeys(row.group for row in panel)) + 0.4 for panel in panels]
    for axes, panel in zip(
        part.subplots(len(panels), 1, height_ratios=heights, squeeze=False)[:, 0], panels, strict=True
    ):
        _panel(axes, panel, limits[panel[0].is_error])


def _limits(rows: "list[Entry]") -> tuple[float, float]:
    """Return the limits of the axis that all rows with one kind of metric share, at most 40 from zero."""
    found = [each for row in rows for each in row.found.values()]
    low, high = min(each.low for each in found), max(each.high for each in found)
    return max(min(low, -1) * 1.05, -40), min(max(high, 1) * 1.05, 40)


def _panel(axes: Any, panel: "list[Entry]", limits: tuple[float, float]) -> None:
    """Draw the rows of one panel under the headings of their groups; intervals are cut at the limits of the axis."""
    labels: list[str] = []
    for group in dict.fromkeys(row.group for row in panel):
        labels.append(group)
        for row in panel:
            if row.group == group:
                _row(axes, len(labels), row)
                labels.append(row.short_name)
    axes.axvline(0, color=_GRAY, linewidth=0.9, zorder=1)
    axes.set_yticks(range(len(labels)), labels=labels)
    groups = {row.group for row in panel}
    for text in axes.get_yticklabels():
        if text.get_text() in groups:
            text.set(fontweight="bold", color=_GRAY)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_xlim(*limits)
    axes.axvspan(0, limits[1], color="#009e73", alpha=0.06, linewidth=0, zorder=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", alpha=0.3)
    for text, side, shift in (("← worse", "right", -5), ("better →", "left", 5)):
        place: dict[str, Any] = {
            "xytext": (shift, 0),
            "textcoords": "offset points",
            "annotation_clip": False,
        }
        axes.annotate(text, (0, -0.7), ha=side, va="bottom", color=_GRAY, **place)
    axes.set_xlabel(_UNITS[panel[0].is_error], color=_GRAY)


def _row(axes: Any, height: int, row: "Entry") -> None:
    """Draw the encodings of one row, one slightly above the other where there are two."""
    shift = 0.17 if len(row.found) > 1 else 0.0
    for key, each in row.found.items():
        _mark(axes, height + (shift if key == "egolabel" else -shift), key, each)


def _mark(axes: Any, height: float, key: str, each: Comparison) -> None:
    """Draw one difference with its interval: filled if it is significant, open if not, a cross for one run."""
    color = _COLORS[key]
    axes.plot([each.low, each.high], [height, height], color=color, linewidth=1.2, zorder=2)
    marker = "x" if each.units == 1 else _MARKERS[key]
    fill = color if each.is_significant else "white"
    axes.plot([each.gain], [height], marker, color=color, markerfacecolor=fill, markersize=4.5, zorder=3)


def _legend() -> list[Line2D]:
    """Return the entries of the legend."""
    texts = {"ego": "ego-networks", "egolabel": "ego-networks with labels"}
    handles = [
        Line2D([], [], marker=_MARKERS[key], color=_COLORS[key], linestyle="", label=text)
        for key, text in texts.items()
    ]
    open_mark: dict[str, Any] = {"markerfacecolor": "white", "color": _GRAY, "linestyle": ""}
    handles.append(
        Line2D([], [], marker="o", label="open: not significant, or seeds of one split", **open_mark)
    )
    handles.append(Line2D([], [], marker="x", label="one run: no interval", **open_mark))
    return handles
