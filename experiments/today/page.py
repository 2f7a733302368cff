"""The page `docs/when_it_helps.md`: a chart and a table of every current benchmark, from the results files."""

from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from egonet.errors import FileError
from egonet.io.atomic import atomic_path
from experiments.today.comparison import (
    LOWER_IS_BETTER,
    Comparison,
    block_seconds,
    compare,
    holm,
    network_lines,
    whole_lines,
)
from experiments.today.page_tables import network_table, paper_table
from experiments.today.run import COLUMN_FILE, NETWORK_FILE, WHOLE_FILE
from experiments.today.tabular.lines import read_lines
from experiments.today.tasks import column_spec

PAGE, CHART = "when_it_helps.md", "pictures/when_it_helps.svg"
#: The same chart in one column, for phones.
NARROW_CHART = "pictures/when_it_helps_narrow.svg"
#: The tables of the page, each between two marks.
TABLES = ("table", "networks on ZINC", "paper")
ENCODINGS = {"ego": "ego-networks", "egolabel": "ego-networks with labels"}
COLUMN_MODELS = {"forest": "forest", "boosting": "boosting", "ridge": "ridge"}
MODELS = COLUMN_MODELS | {
    "best-500k": "GINE + feed-forward, 0.49 M",
    "gine-500k": "GINE, 0.47 M",
    "gatedgcn-500k": "GatedGCN, 0.46 M, 51 epochs",
    "gin-500k": "GIN, 0.46 M, 58 epochs",
    "gcn-500k": "GCN, 0.52 M, 60 epochs",
    "gine-100k": "GINE, 0.10 M",
    "matrix-gine": "GINE, 0.10 M, 60 epochs",
    "matrix-gatedgcn": "GatedGCN, 0.09 M, 60 epochs",
    "matrix-gin": "GIN, 0.09 M, 60 epochs",
    "matrix-gcn": "GCN, 0.11 M, 60 epochs",
    "gine": "GINE",
    "gin": "GIN",
    "gcn": "GCN",
    "sage": "GraphSAGE",
}
TITLES = {"csl": "CSL"}
NAMES = {"": "nothing", "degree": "degree", "ldp": "LDP", "rwse": "RWSE", "lappe": "LapPE"}
_STYLE: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "egonet", "font.size": 9}
_COLORS = {"ego": "#0072b2", "egolabel": "#d55e00"}
_MARKERS = {"ego": "o", "egolabel": "s"}


@dataclass(frozen=True)
class Entry:
    """One row of the chart: its name, the comparison of each encoding, and whether the model is a network."""

    name: str
    found: dict[str, Comparison]
    is_network: bool

    @property
    def is_error(self) -> bool:
        """Return whether the metric is an error."""
        return next(iter(self.found.values())).metric in LOWER_IS_BETTER


def marks(name: str) -> tuple[str, str]:
    """Return the marks before and after a table of the page."""
    return f"<!-- {name}: python -m experiments when-it-helps -->", f"<!-- end of {name} -->"


@dataclass(frozen=True)
class Found:
    """The lines of models on columns, of networks on molecules, and of networks on whole sets."""

    columns: list[dict[str, Any]]
    molecules: list[dict[str, Any]]
    whole: list[dict[str, Any]]


def read_results(results: Path) -> Found:
    """Return all lines of a folder."""
    on_columns = read_lines(results / COLUMN_FILE)
    seconds = {name: block_seconds(on_columns, name) for name in {line["set"] for line in on_columns}}
    molecules = network_lines(read_lines(results / NETWORK_FILE), seconds)
    found = Found(on_columns, molecules, whole_lines(read_lines(results / WHOLE_FILE)))
    if not any(vars(found).values()):
        raise FileError(f"{results} has no current benchmarks. Run: python -m experiments run today")
    return found


def entries(results: Path) -> list[Entry]:
    """Return every set and model that has an encoding and a rival.

    P-values are adjusted over the networks, and over the models on columns that have more than one pair.
    """
    lines = read_results(results)
    rows: dict[tuple[str, str], dict[str, Comparison]] = {}
    for group in (lines.molecules + lines.whole, lines.columns):
        found = [(key, each) for key in ENCODINGS for each in compare(group, key)]
        tested = [pair for pair in found if pair[1].units > 1]
        adjusted = holm([each for _, each in tested])
        single = [pair for pair in found if pair[1].units == 1]
        for key, each in [*((key, each) for (key, _), each in zip(tested, adjusted, strict=True)), *single]:
            rows.setdefault((each.name, each.model), {})[key] = each
    order = [*column_spec()["sets"], *TITLES]
    ordered = sorted(
        rows, key=lambda row: (row[1] in COLUMN_MODELS, _place(order, row[0]), list(MODELS).index(row[1]))
    )
    return [Entry(_title(*row), rows[row], row[1] not in COLUMN_MODELS) for row in ordered]


def _place(order: list[str], name: str) -> int:
    """Return the place of a set: ZINC first."""
    return -1 if name == "zinc" else order.index(name)


def _title(name: str, model: str) -> str:
    """Return the name of a row."""
    sets = column_spec()["sets"]
    return f"{sets[name]['title'] if name in sets else TITLES[name]}, {MODELS[model]}"


def draw(rows: list[Entry], *, narrow: bool = False) -> str:
    """Return the chart as SVG: gains over the best rival with 95 % intervals, networks before models on columns.

    Both are next to each other, or below each other if `narrow`, which suits the width of a phone.
    """
    sides = [[row for row in rows if row.is_network is kind] for kind in (True, False)]
    sizes = [len(side) + 5 for side in sides]
    width, height = (4.6, 0.21 * sum(sizes) + 1.2) if narrow else (13.5, 0.2 * max(sizes) + 1.2)
    figure = Figure(figsize=(width, height), layout="constrained")
    parts: Any = figure.subfigures(2, 1, height_ratios=sizes) if narrow else figure.subfigures(1, 2)
    for part, side, title in zip(parts, sides, ("networks", "models on columns"), strict=True):
        part.suptitle(title)
        groups = [group for kind in (True, False) if (group := [row for row in side if row.is_error is kind])]
        heights = [len(group) + 1.0 for group in groups]
        panels = part.subplots(len(groups), 1, height_ratios=heights, squeeze=False)[:, 0] if groups else []
        for axes, group in zip(panels, groups, strict=True):
            _panel(axes, group, narrow=narrow)
    handles = [
        Line2D([], [], marker=_MARKERS[key], color=_COLORS[key], linestyle="", label=text)
        for key, text in ENCODINGS.items()
    ]
    plain: dict[str, Any] = {"marker": "o", "markerfacecolor": "none", "color": "#8a8a8a", "linestyle": ""}
    handles.append(Line2D([], [], label="one run: no interval", **plain))
    figure.legend(handles=handles, loc="outside upper center", ncols=1 if narrow else 3, frameon=False)
    stream = StringIO()
    with matplotlib.rc_context(_STYLE):
        figure.savefig(stream, format="svg", metadata={"Date": None})
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def _panel(axes: Any, group: list[Entry], *, narrow: bool) -> None:
    """Draw the rows of one panel; intervals are cut at the limits of the axis."""
    for line, row in enumerate(group):
        for key, each in row.found.items():
            _mark(axes, line + (0.17 if key == "egolabel" else -0.17), key, each)
    axes.axvline(0, color="#8a8a8a", linewidth=0.8)
    axes.set_yticks(range(len(group)), labels=[row.name for row in group])
    axes.set_ylim(len(group) - 0.4, -0.6)
    reach = 50 if group[0].is_error else 20
    low, high = axes.get_xlim()
    axes.set_xlim(max(low, -reach), min(high, reach))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", alpha=0.3)
    unit = "percent of the rival's error" if group[0].is_error else "points of accuracy or ROC-AUC"
    text = f"better than the best rival by ... {unit}"
    axes.set_xlabel(text.replace("... ", "...\n") if narrow else text, loc="right" if narrow else "center")


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


def page_tables(results: Path) -> dict[str, str]:
    """Return the text of every table of the page."""
    lines = read_results(results)
    texts = (table(entries(results)), network_table(lines.molecules), paper_table(lines.columns, lines.whole))
    return dict(zip(TABLES, texts, strict=True))


def write_page(results: Path, docs: Path) -> list[Entry]:
    """Write the chart, and the tables between their marks in the page."""
    rows = entries(results)
    page = docs / PAGE
    text = page.read_text("utf-8")
    for name, content in page_tables(results).items():
        start, end = marks(name)
        if start not in text or end not in text:
            raise FileError(f"{page} lacks the marks of the table: {start} and {end}.")
        before, rest = text.split(start, 1)
        text = f"{before}{start}\n\n{content}\n\n{end}{rest.split(end, 1)[1]}"
    charts = {docs / CHART: draw(rows), docs / NARROW_CHART: draw(rows, narrow=True)}
    for path, content in ({page: text} | charts).items():
        with atomic_path(path) as temporary:
            temporary.write_text(content, "utf-8")
    return rows
