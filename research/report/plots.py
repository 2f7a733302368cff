"""The plots of a report, drawn by matplotlib as SVG."""

from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

#: Colors that differ also to color-blind eyes (Okabe and Ito), and markers, so that color is not the only sign.
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8a8a")
_MARKERS = ("o", "s", "^", "D")
_STYLE: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "egonet", "font.size": 9}
_WIDTH, _LINE = 9.5, 0.21


def plot_agreement(points: Sequence[tuple[str, float, float]], axis: str) -> str:
    """Return published values (hollow) and ours (filled), a line for each name.

    The axis is logarithmic if the values differ by more than a factor of 1,000.

    Examples
    --------
    >>> "gin" in plot_agreement([("gin", 80.0, 81.5)], "accuracy")
    True
    """
    names, theirs, ours = zip(*points, strict=True)
    figure, axes = _axes(names)
    rows = range(len(names))
    axes.hlines(rows, theirs, ours, color="#9a9aa8", linewidth=1)
    axes.plot(theirs, rows, "o", markerfacecolor="none", color=_COLORS[0], label="paper")
    axes.plot(ours, rows, "o", color=_COLORS[0], label="ours")
    values = [*theirs, *ours]
    if min(values) > 0 and max(values) / min(values) > 1000:
        axes.set_xscale("log")
    axes.set_xlabel(axis)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return _svg(figure)


def plot_intervals(rows: Sequence[tuple[str, float, float, float, str]], axis: str) -> str:
    """Return a difference with its interval for every name, colored by its verdict.

    Examples
    --------
    >>> "helps" in plot_intervals([("gin", 1.0, 0.5, 1.5, "helps")], "points of accuracy")
    True
    """
    figure, axes = _axes([row[0] for row in rows])
    colors = {"helps": _COLORS[2], "hurts": _COLORS[1], "no difference": _COLORS[6]}
    for verdict, color in colors.items():
        chosen = [(line, row) for line, row in enumerate(rows) if row[4] == verdict]
        if not chosen:
            continue
        places = [line for line, _ in chosen]
        means = [row[1] for _, row in chosen]
        errors = [[row[1] - row[2] for _, row in chosen], [row[3] - row[1] for _, row in chosen]]
        marker = _MARKERS[list(colors).index(verdict)]
        axes.errorbar(
            means, places, xerr=errors, fmt=marker, color=color, capsize=2, markersize=5, label=verdict
        )
    axes.axvline(0, color="#444444", linewidth=0.8)
    axes.set_xlabel(axis)
    axes.grid(axis="x", alpha=0.3)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return _svg(figure)


def plot_ratios(rows: Mapping[str, Mapping[str, float]], axis: str) -> str:
    """Return a line for every row, with a marker for every contender, on a logarithmic axis.

    Examples
    --------
    >>> plot = plot_ratios({"grid": {"ours": 1.0, "theirs": 100.0}, "tree": {"ours": 1.0}}, "times ours")
    >>> "theirs" in plot, "tree" in plot
    (True, True)
    """
    figure, axes = _axes(tuple(rows))
    contenders = dict.fromkeys(name for row in rows.values() for name in row)
    for number, name in enumerate(contenders):
        found = [(row[name], line) for line, row in enumerate(rows.values()) if name in row]
        look = {"marker": _MARKERS[number % len(_MARKERS)], "color": _COLORS[number % len(_COLORS)]}
        axes.plot(*zip(*found, strict=True), linestyle="none", label=name, **look)  # type: ignore[arg-type]
    axes.set_xscale("log")
    axes.set_xlabel(axis)
    axes.grid(axis="x", alpha=0.4)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return _svg(figure)


def plot_shares(rows: Mapping[str, Mapping[str, tuple[int, int]]]) -> str:
    """Return a field per row and column, darker the larger the share, with the number in it.

    Examples
    --------
    >>> plot = plot_shares({"1-WL": {"CFI of 100": (0, 100)}, "R5(4)": {"CFI of 100": (97, 100)}})
    >>> "R5(4)" in plot, "CFI of 100" in plot, ">97<" in plot
    (True, True, True)
    """
    columns = list(next(iter(rows.values())))
    figure, axes = _axes(tuple(rows))
    figure.set_figheight(figure.get_figheight() + 1.5)  # for the names of the columns
    shares = [[row[name][0] / row[name][1] for name in columns] for row in rows.values()]
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1.25, aspect="auto")
    for line, row in enumerate(rows.values()):
        for place, name in enumerate(columns):
            color = "white" if shares[line][place] > 0.7 else "black"
            axes.text(place, line, str(row[name][0]), ha="center", va="center", color=color, fontsize=8)
    axes.xaxis.tick_top()
    axes.set_xticks(range(len(columns)), labels=columns, rotation=35, ha="left")
    axes.set_xticks([place + 0.5 for place in range(len(columns) - 1)], minor=True)
    axes.set_yticks([line + 0.5 for line in range(len(rows) - 1)], minor=True)
    axes.grid(which="minor", color="white", linewidth=1)
    axes.spines[:].set_visible(False)
    axes.tick_params(which="both", length=0)
    return _svg(figure)


def _axes(names: Sequence[str]) -> tuple[Figure, Axes]:
    """Return a figure with one line per name, the first on top."""
    figure = Figure(figsize=(_WIDTH, _LINE * len(names) + 0.7), layout="constrained")
    axes = figure.add_subplot()
    axes.set_yticks(range(len(names)), labels=[name.replace("$", r"\$") for name in names])
    axes.invert_yaxis()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _svg(figure: Figure) -> str:
    """Return the SVG document of a figure; the same figure gives the same bytes."""
    stream = StringIO()
    with matplotlib.rc_context(_STYLE):
        figure.savefig(stream, format="svg", metadata={"Date": None}, transparent=True)
    return stream.getvalue()
