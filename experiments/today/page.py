"""The page `docs/when_it_helps.md`: a chart and a table of every current benchmark, from the results files."""

from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from egonet.errors import FileError
from egonet.io.atomic import atomic_path
from experiments.today.comparison import (
    LOWER_IS_BETTER,
    Comparison,
    block_seconds,
    compare,
    holm,
    network_lines,
    read_lines,
)
from experiments.today.run import COLUMN_FILE, NETWORK_FILE
from experiments.today.tasks import column_spec

PAGE, CHART = "when_it_helps.md", "pictures/when_it_helps.svg"
START, END = "<!-- table: python -m experiments when-it-helps -->", "<!-- end of the table -->"
ENCODINGS = {"ego": "ego-networks", "egolabel": "ego-networks with labels"}
MODELS = {
    "forest": "forest",
    "boosting": "boosting",
    "ridge": "ridge",
    "gine-500k": "GINE, 0.47 M weights",
    "gine-100k": "GINE, 0.10 M weights",
}
NAMES = {"": "nothing", "degree": "degree", "ldp": "LDP", "rwse": "RWSE", "lappe": "LapPE"}
_STYLE: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "egonet", "font.size": 9}
_COLORS = {"ego": "#0072b2", "egolabel": "#d55e00"}
_MARKERS = {"ego": "o", "egolabel": "s"}


@dataclass(frozen=True)
class Entry:
    """One row of the chart: its name, and the comparison of each encoding."""

    name: str
    found: dict[str, Comparison]

    @property
    def is_error(self) -> bool:
        """Return whether the metric is an error."""
        return next(iter(self.found.values())).metric in LOWER_IS_BETTER


def entries(results: Path) -> list[Entry]:
    """Return every set and model that has an encoding and a rival.

    P-values are adjusted over the networks, and over the models on columns that have more than one pair.
    """
    on_columns = read_lines(results / COLUMN_FILE)
    networks = network_lines(read_lines(results / NETWORK_FILE), block_seconds(on_columns, "zinc"))
    if not on_columns and not networks:
        raise FileError(f"{results} has no current benchmarks. Run: python -m experiments run today")
    rows: dict[tuple[str, str], dict[str, Comparison]] = {}
    for lines in (networks, on_columns):
        found = [(key, each) for key in ENCODINGS for each in compare(lines, key)]
        tested = [pair for pair in found if pair[1].units > 1]
        adjusted = holm([each for _, each in tested])
        single = [pair for pair in found if pair[1].units == 1]
        for key, each in [*((key, each) for (key, _), each in zip(tested, adjusted, strict=True)), *single]:
            rows.setdefault((each.name, each.model), {})[key] = each
    order = list(column_spec()["sets"])
    ordered = sorted(rows, key=lambda row: (list(MODELS).index(row[1]) < 3, order.index(row[0]), row[1]))
    return [Entry(_title(name, model), rows[name, model]) for name, model in ordered]


def _title(name: str, model: str) -> str:
    """Return the name of a row."""
    return f"{column_spec()['sets'][name]['title']}, {MODELS[model]}"


def draw(rows: list[Entry]) -> str:
    """Return the chart as SVG: gains over the best rival with 95 % intervals, one panel for scores, one for errors."""
    groups = [[row for row in rows if row.is_error is kind] for kind in (True, False)]
    groups = [group for group in groups if group]
    figure = Figure(figsize=(8.2, 0.24 * len(rows) + 1.9), layout="constrained")
    heights = [len(group) + 1.0 for group in groups]
    panels = figure.subplots(len(groups), 1, height_ratios=heights, squeeze=False)[:, 0]
    for axes, group in zip(panels, groups, strict=True):
        for line, row in enumerate(group):
            for key, each in row.found.items():
                _mark(axes, line + (0.17 if key == "egolabel" else -0.17), key, each)
        axes.axvline(0, color="#8a8a8a", linewidth=0.8)
        axes.set_yticks(range(len(group)), labels=[row.name for row in group])
        axes.set_ylim(len(group) - 0.4, -0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="x", alpha=0.3)
        unit = "percent of the rival's error" if group[0].is_error else "points of accuracy or ROC-AUC"
        axes.set_xlabel(f"better than the best rival by ... {unit}")
    for key, text in ENCODINGS.items():
        panels[0].plot([], [], _MARKERS[key], color=_COLORS[key], label=text)
    panels[0].plot([], [], "o", markerfacecolor="none", color="#8a8a8a", label="one run: no interval")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)
    stream = StringIO()
    with matplotlib.rc_context(_STYLE):
        figure.savefig(stream, format="svg", metadata={"Date": None})
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def _mark(axes: Any, height: float, key: str, each: Comparison) -> None:
    """Draw one difference with its interval."""
    color = _COLORS[key]
    fill = color if each.units > 1 else "none"
    axes.plot([each.low, each.high], [height, height], color=color, linewidth=1.4)
    axes.plot([each.gain], [height], _MARKERS[key], color=color, markerfacecolor=fill, markersize=5)


def table(rows: list[Entry]) -> str:
    """Return the table as Markdown, a row per set, model and encoding."""
    lines = [
        "| set, model | metric | best rival | encoding | score | gain (95 % interval) | pairs | columns | seconds |",
        "|---|---|---|---|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        for key, each in row.found.items():
            lines.append(_line(row.name, key, each))
    return "\n".join(lines)


def _line(name: str, key: str, each: Comparison) -> str:
    """Return one row of the table."""
    error = each.metric in LOWER_IS_BETTER
    digits, factor = (4, 1) if error else (1, 100)
    rival = NAMES.get(each.rival.rsplit("+", 1)[-1], "nothing")
    unit = " %" if error else ""
    gain = f"{each.gain:+.1f}{unit}"
    if each.units > 1:
        gain += f" ({each.low:+.1f} to {each.high:+.1f})"
    gain = f"**{gain}**" if each.units > 1 and each.adjusted < 0.05 else gain
    return (
        f"| {name} | {_metric(each.metric)} | {rival} {factor * each.rival_score:.{digits}f} | {ENCODINGS[key]} "
        f"| {factor * each.score:.{digits}f} | {gain} | {each.units} | {each.columns:,} (rival {each.rival_columns:,}) "
        f"| {each.seconds:.2f} (rival {each.rival_seconds:.2f}) |"
    )


def _metric(name: str) -> str:
    """Return the name of a metric as people write it."""
    return {"accuracy": "accuracy", "auc": "ROC-AUC", "mae": "MAE", "rmse": "RMSE"}[name]


def write_page(results: Path, docs: Path) -> list[Entry]:
    """Write the chart, and the table between its two marks in the page."""
    rows = entries(results)
    page = docs / PAGE
    text = page.read_text("utf-8")
    if START not in text or END not in text:
        raise FileError(f"{page} lacks the marks of the table: {START} and {END}.")
    before, rest = text.split(START, 1)
    after = rest.split(END, 1)[1]
    contents = {page: f"{before}{START}\n\n{table(rows)}\n\n{END}{after}", docs / CHART: draw(rows)}
    for path, content in contents.items():
        with atomic_path(path) as temporary:
            temporary.write_text(content, "utf-8")
    return rows
