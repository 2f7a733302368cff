"""The paper's tables with our numbers next to the published ones, as blocks of a report."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from egonet.io import atomic_path
from research.paper.results import Line, read_lines, results_path
from research.paper.spec import BEYOND, TABLES, TableSpec, table_spec
from research.report.compare import Row, beyond_rows, honest_rows, paper_rows
from research.report.node_tables import node_blocks
from research.report.page import Block, to_markdown
from research.report.peer_tables import (
    PEERS_FILE,
    network_of,
    peer_blocks,
    read_lines_of,
    trained_here,
)
from research.report.peer_tables import (
    score as trained_score,
)
from research.report.plots import plot_agreement, plot_intervals
from research.report.search_tables import search_blocks
from research.report.statistics import Summary, unpaired_p_value

PROTOCOLS = ("paper", "honest")
_SIGNIFICANT = 0.05
_SEEDS = 10


def write_tables(folder: Path) -> Path:
    """Write report.md into the results folder and return its path; without results nothing is written."""
    blocks = report_blocks(folder)
    with atomic_path(folder / "report.md") as temporary:
        temporary.write_text(to_markdown(blocks), "utf-8")
    return folder / "report.md"


def report_blocks(folder: Path) -> list[Block]:
    """Return the blocks of the paper's tables and the node tasks; none if the folder has no lines."""
    lines = {
        (name, protocol): list(read_lines(results_path(folder, name, protocol)))
        for name in TABLES
        for protocol in PROTOCOLS
    }
    node_tasks = node_blocks(folder)
    if not any(lines.values()) and not node_tasks:
        return []
    trained = read_lines_of(folder / PEERS_FILE)
    return [
        *build_report(lines, _baselines(folder), trained),
        *search_blocks(folder),
        *peer_blocks(folder),
        *node_tasks,
    ]


def build_report(
    lines: dict[tuple[str, str], list[Line]],
    baselines: dict[str, dict[str, object]],
    trained: Sequence[dict[str, Any]] = (),
) -> list[Block]:
    """Return the report as blocks: headings, paragraphs and tables; `trained` are the lines of the peers."""
    blocks = [Block("title", "The paper's tables, reproduced"), *summary_blocks(lines)]
    for name in TABLES:
        table = table_spec(name)
        blocks.append(Block("heading", f"{name.replace('table', 'Table ')}: {table.title}"))
        if table.quoted:
            blocks += _peers(table, lines["table1", "paper"], trained)
            continue
        blocks += _paper(table, lines[name, "paper"])
        blocks += _honest(table, lines[name, "honest"])
        blocks += _beyond(table, lines[name, "paper"])
        blocks += _trivial(table, baselines)
        blocks.append(
            Block(
                "notes",
                "What the paper leaves open or does otherwise",
                rows=[[k, v] for k, v in table.silent.items()],
            )
        )
    return [*blocks, Block("heading", "What it took"), *_costs(lines)]


def summary_blocks(lines: dict[tuple[str, str], list[Line]]) -> list[Block]:
    """Return what agrees with the paper and what helps, in a few sentences; nothing if nothing was run."""
    sentences = []
    for name in TABLES:
        table = table_spec(name)
        title = f"{name.replace('table', 'Table ')} ({table.title.lower()})"
        rows = (
            [row for row in paper_rows(table, lines[name, "paper"]) if row.encoded]
            if not table.quoted
            else []
        )
        if rows:
            near = sum(bool(row.encoded_agrees) for row in rows)
            sentences.append(f"{title}: {near} of {len(rows)} cells are near the paper, under its protocol.")
        verdicts = [verdict for *_, verdict in _differences(table, lines[name, "honest"])]
        if verdicts:
            sentences.append(
                f"{title}, epoch and radius chosen on validation data: the encoding helps in "
                f"{verdicts.count('helps')}, hurts in {verdicts.count('hurts')} and makes no difference in "
                f"{verdicts.count('no difference')} of {len(verdicts)} cells."
            )
    return [Block("summary", "In short", rows=[[sentence] for sentence in sentences])] if sentences else []


def _differences(table: TableSpec, lines: Sequence[Line]) -> list[tuple[str, float, float, float, str]]:
    """Return cell, difference, its interval, and the verdict for every cell of the honest protocol."""
    found = []
    for row in honest_rows(table, lines) if lines else []:
        if row.encoded is None or row.difference is None or row.corrected is None:
            continue
        gap = row.difference
        verdict = "no difference" if row.corrected >= _SIGNIFICANT else "helps" if gap.mean > 0 else "hurts"
        found.append((row.cell.name, gap.mean, gap.low, gap.high, verdict))
    return found


def _paper(table: TableSpec, lines: Sequence[Line]) -> list[Block]:
    """Return our numbers next to the paper's, under the paper's protocol."""
    rows = paper_rows(table, lines)
    if not any(row.encoded or row.control for row in rows):
        return [Block("paragraph", f"None of its {len(rows)} cells was run under the paper's protocol.")]
    run = [row for row in rows if row.encoded is not None]
    near = sum(bool(row.encoded_agrees) for row in run)
    near_control = sum(bool(row.control_agrees) for row in run)
    summary = (
        f"Of {len(rows)} cells {len(run)} were run; with the encoding {near} are near the paper, "
        f"without it {near_control}."
    )
    missing = [row.cell.name for row in rows if row.encoded is None or row.control is None]
    if missing:
        summary += f" Not run: {', '.join(missing)}."
    header = [
        "cell",
        "encoding",
        "paper without",
        "ours without",
        "paper with",
        "ours with",
        "agrees",
        "difference",
        "p (paired)",
    ]
    shown = [_paper_line(row) for row in rows if row.encoded is not None or row.control is not None]
    blocks = [Block("paragraph", summary), Block("table", "The paper's protocol", header=header, rows=shown)]
    pairs = [(row.cell.name, row.cell.value, row.encoded.mean) for row in rows if row.encoded is not None]
    if pairs and not any(row.cell.data == "graph8c" for row in rows):
        blocks.append(
            Block(
                "plot",
                "With the encoding: paper (hollow) and ours (filled)",
                plot=plot_agreement(pairs, table.metric),
            )
        )
        blocks[1], blocks[2] = blocks[2], blocks[1]
    return blocks


def _paper_line(row: Row) -> list[str]:
    """Return the cells of one row of the paper's protocol."""
    cell = row.cell
    return [
        cell.name,
        row.chosen,
        _published(cell.control, cell.control_spread),
        _ours(row.control),
        _published(cell.value, cell.spread),
        _ours(row.encoded),
        _within(row.encoded_agrees),
        "–" if row.difference is None else _number(row.difference.mean, signed=True),
        "–" if row.difference is None else f"{row.difference.p_value:.2g}",
    ]


def _honest(table: TableSpec, lines: Sequence[Line]) -> list[Block]:
    """Return the honest protocol's table, or a sentence that it was not run."""
    if not lines:
        return []
    rows = [row for row in honest_rows(table, lines) if row.encoded is not None]
    header = [
        "cell",
        "radius chosen by",
        "without",
        "with",
        "difference [95 %]",
        "Cohen's d",
        "p (Holm)",
        "verdict",
    ]
    shown = []
    for row in rows:
        if row.difference is None or row.corrected is None:
            continue
        gap = row.difference
        verdict = "no difference" if row.corrected >= _SIGNIFICANT else "helps" if gap.mean > 0 else "hurts"
        interval = f"{_number(gap.mean, signed=True)} [{_number(gap.low)}, {_number(gap.high)}]"
        shown.append(
            [
                row.cell.name,
                row.chosen,
                _ours(row.control),
                _ours(row.encoded),
                interval,
                f"{gap.effect:.2f}",
                f"{row.corrected:.2g}",
                verdict,
            ]
        )
    note = "Epoch and radius are chosen on a tenth of the training graphs; tests are paired by seed, corrected by Holm."
    plot = plot_intervals(_differences(table, lines), f"difference in {table.metric}, with its 95 % interval")
    return [
        Block("plot", "With and without the encoding, epoch and radius chosen on validation data", plot=plot),
        Block("table", "The honest protocol", header=header, rows=shown),
        Block("paragraph", note),
    ]


def _beyond(table: TableSpec, lines: Sequence[Line]) -> list[Block]:
    """Return encodings that the paper did not try, compared with the paper's encoding."""
    blocks = []
    for form in BEYOND:
        for radius in (1, 2):
            rows = beyond_rows(table, lines, form, radius)
            usual = beyond_rows(table, lines, form, radius, against_paper=True)
            if not rows:
                continue
            shown = [
                [
                    row.cell.name,
                    _ours(row.control),
                    _ours(other.control),
                    _ours(row.encoded),
                    "–" if row.corrected is None else f"{row.corrected:.2g}",
                    "–" if other.corrected is None else f"{other.corrected:.2g}",
                    _verdict(other, higher_is_better=table.metric == "accuracy"),
                ]
                for row, other in zip(rows, usual, strict=True)
            ]
            header = [
                "cell",
                "without",
                "paper's encoding",
                f"{form}, radius {radius}",
                "p against without (Holm)",
                "p against the paper's (Holm)",
                "than the paper's",
            ]
            blocks.append(
                Block("table", f"Beyond the paper: {form}, radius {radius}", header=header, rows=shown)
            )
    return blocks


def _verdict(row: Row, *, higher_is_better: bool) -> str:
    """Return whether an encoding is better than its control, as text."""
    if row.difference is None or row.corrected is None:
        return "–"
    if row.corrected >= _SIGNIFICANT:
        return "no different"
    return "better" if (row.difference.mean > 0) == higher_is_better else "worse"


def _peers(table: TableSpec, lines: Sequence[Line], trained: Sequence[dict[str, Any]]) -> list[Block]:
    """Return the peers' numbers as reported and as trained here, with the paper's t-test against IGEL."""
    igel = {entry.data: entry for entry in table.quoted if entry.method.startswith("IGEL")}
    models = {"mutag": "gnnml3", "proteins": "gcn", "ptc": "gat"}
    ours = {row.cell.name: row.encoded for row in paper_rows(table_spec("table1"), lines)}
    rows = []
    for entry in table.quoted:
        best = igel[entry.data]
        p_value = unpaired_p_value((best.value, best.spread, _SEEDS), (entry.value, entry.spread, _SEEDS))
        shown = "–" if entry is best else f"{p_value:.2g}"
        own = ours.get(f"{entry.data}/{models[entry.data]}")
        here = _ours(own) if entry is best else trained_here(trained, entry.method, entry.data)
        found = trained_score(trained, entry.data, network_of(entry.method, entry.data))
        if entry is best:
            found = own.mean if own else None
        gap = "–" if found is None else f"{found - entry.value:+.1f}"
        rows.append([entry.data, entry.method, _published(entry.value, entry.spread), here, gap, shown])
    header = ["data", "method", "reported", "trained here (validated)", "difference", "p against IGEL"]
    notes = Block(
        "notes",
        "What the paper leaves open or does otherwise",
        rows=[[k, v] for k, v in table.silent.items()],
    )
    return [Block("table", "Reported and trained here", header=header, rows=sorted(rows)), notes]


def quoted_block(folder: Path) -> Block:
    """Return Table 2 with what was trained here, without p-values."""
    lines = list(read_lines(results_path(folder, "table1", "paper")))
    table = _peers(table_spec("table2"), lines, read_lines_of(folder / PEERS_FILE))[0]
    return Block("table", table.text, table.header[:-1], [row[:-1] for row in table.rows])


def _trivial(table: TableSpec, baselines: dict[str, dict[str, object]]) -> list[Block]:
    """Return the scores that need no network."""
    rows = []
    for data in table.data:
        for name, score in baselines.get(data, {}).items():
            if isinstance(score, dict):
                rows += [[f"{data}/{target}", name, _number(float(value))] for target, value in score.items()]
            else:
                rows.append([data, name, _number(float(str(score)))])
    return (
        [Block("table", "Without any network", header=["data", "baseline", table.metric], rows=rows)]
        if rows
        else []
    )


def _costs(lines: dict[tuple[str, str], list[Line]]) -> list[Block]:
    """Return the time and memory used, by table, protocol and device."""
    spent: dict[tuple[str, str, str], list[float]] = {}
    peaks: dict[tuple[str, str, str], float] = {}
    for (name, protocol), found in lines.items():
        for line in found:
            if line.quick:
                continue
            key = (name, protocol, str(line.environment.get("device_name", "?")))
            spent.setdefault(key, []).append(line.seconds)
            peaks[key] = max(peaks.get(key, 0.0), float(line.environment.get("peak_bytes", 0)))
    rows = [
        [
            name,
            protocol,
            device,
            str(len(seconds)),
            f"{sum(seconds):,.0f}",
            f"{peaks[name, protocol, device] / 1e9:.1f}" if peaks[name, protocol, device] else "–",
        ]
        for (name, protocol, device), seconds in spent.items()
    ]
    header = ["table", "protocol", "device", "lines", "seconds", "peak GB"]
    note = "Seconds are the sum over lines; cells that were trained in parallel on one device overlap."
    return [Block("table", "Time and memory", header=header, rows=rows), Block("paragraph", note)]


def _baselines(folder: Path) -> dict[str, dict[str, object]]:
    """Return the baselines that were written, or none."""
    path = folder / "baselines.json"
    return dict(json.loads(path.read_text("utf-8"))) if path.is_file() else {}


def _published(value: float, spread: float) -> str:
    """Return a published number with its spread."""
    return f"{_number(value, whole=False)} ± {_number(spread)}" if spread else _number(value)


def _ours(summary: Summary | None) -> str:
    """Return a measured mean with the interval of the mean."""
    if summary is None:
        return "not run"
    if summary.count == 1:
        return _number(summary.mean)
    partial = f" ({summary.count} seeds)" if summary.count < _SEEDS else ""
    mean, low, high = (
        _number(x, whole=not summary.spread) for x in (summary.mean, summary.low, summary.high)
    )
    return f"{mean} [{low}, {high}]{partial}"


def _number(value: float, *, signed: bool = False, whole: bool = True) -> str:
    """Return a number short enough for a table: errors with three digits, accuracies with two decimals.

    Examples
    --------
    >>> _number(0.012345), _number(41.0), _number(41.0, whole=False), _number(6242094.0)
    ('0.0123', '41', '41.00', '6,242,094')
    """
    sign = "+" if signed else ""
    if whole and value == int(value) and abs(value) >= 1:
        return f"{value:{sign},.0f}"
    return f"{value:{sign}.3g}" if abs(value) < 1 else f"{value:{sign}.2f}"


def _within(answer: bool | None) -> str:
    """Return whether a number agrees with the paper's, as text."""
    return "not run" if answer is None else "within" if answer else "outside"
