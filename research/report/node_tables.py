"""The part of the report about nodes: link prediction and node classification, method by method."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from research.paper.nodes.choice import NODE_TASKS, node_spec
from research.paper.results import Line, read_lines, results_path
from research.report.page import Block
from research.report.statistics import paired, summarize

PROTOCOLS = {"honest": "Non-edges that are none", "paper": "The paper's protocol"}
#: The method that others are compared with, per task.
_OURS = {"linkprediction": "egonet", "nodeclassification": "embedding"}


def node_blocks(folder: Path) -> list[Block]:
    """Return the blocks of both tasks, or none for a task without lines."""
    blocks: list[Block] = []
    for task in NODE_TASKS:
        spec = node_spec(task)
        tables = []
        for protocol, caption in PROTOCOLS.items():
            lines = [line for line in read_lines(results_path(folder, task, protocol)) if not line.quick]
            if lines:
                shown = caption if task == "linkprediction" else "Accuracy, per cent"
                tables.append(Block("table", shown, _header(task), method_rows(task, lines)))
        if tables:
            notes = [[key, value] for key, value in spec["silent"].items()]
            blocks += [Block("heading", spec["title"]), *tables]
            if "ppi" in spec and not any(row[0] == "ppi" for table in tables for row in table.rows):
                blocks += [_ppi(spec["ppi"])]
            blocks.append(Block("notes", "What the paper leaves open or does otherwise", rows=notes))
    return blocks


def _ppi(spec: dict[str, Any]) -> Block:
    """Return PPI's published numbers, and those of others that the paper quotes: none of them was run here."""
    rows = [["ppi", name, f"{run['published']:.4f}", "no: features"] for name, run in spec["runs"].items()]
    rows += [
        ["ppi", f"{name} (quoted)", f"{value:.3f}", "no: features"] for name, value in spec["quoted"].items()
    ]
    caption = "PPI, micro-F1: not run, because its features and labels are not in the data folder"
    return Block("table", caption, ["data", "method", "published", "run here"], rows)


def _header(task: str) -> list[str]:
    """Return the names of the columns."""
    return ["data", "method", "seeds", "mean [95 %]", "published", f"{_OURS[task]} less this (p, paired)"]


def method_rows(task: str, lines: Sequence[Line]) -> list[list[str]]:
    """Return a row per data set, method and encoding: mean with interval, the published number, the difference."""
    groups: dict[tuple[str, str, str], dict[int, float]] = {}
    for line in lines:
        name = line.model if line.form in ("none", "total") else f"{line.model} ({line.form})"
        groups.setdefault((line.data, name, line.model), {})[line.seed] = line.score
    rows = []
    for (data, name, model), scores in groups.items():
        ours = groups.get((data, _OURS[task], _OURS[task]), {})
        found = summarize(list(scores.values()))
        interval = (
            f"{found.mean:.4g} [{found.low:.4g}, {found.high:.4g}]"
            if found.count > 1
            else f"{found.mean:.4g}"
        )
        gap = "–" if name == _OURS[task] else _difference(ours, scores)
        rows.append([data, name, str(found.count), interval, published(task, data, model), gap])
    return rows


def published(task: str, data: str, model: str) -> str:
    """Return what the paper prints for a method, or a dash.

    Examples
    --------
    >>> published("linkprediction", "facebook", "egonet"), published("linkprediction", "facebook", "degree")
    ('0.976', '–')
    """
    spec = node_spec(task)
    if task == "nodeclassification":
        return str(spec["ppi"]["runs"][model]["published"]) if data == "ppi" else "–"
    key = {"egonet": "published", "node2vec": "published_node2vec"}.get(model)
    return str(spec["data"][data][key]) if key else "–"


def _difference(ours: dict[int, float], theirs: dict[int, float]) -> str:
    """Return the mean difference over the seeds both have, with its p-value."""
    seeds = sorted(ours.keys() & theirs.keys())
    if len(seeds) < 2 or len({ours[seed] - theirs[seed] for seed in seeds}) == 1:
        return "–"
    gap = paired([ours[seed] for seed in seeds], [theirs[seed] for seed in seeds])
    return f"{gap.mean:+.3g} ({gap.p_value:.2g})"
