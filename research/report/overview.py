"""Every experiment of a results folder in one page: the paper's tables, node tasks, expressivity, speed."""

import json
from pathlib import Path
from typing import Any

from egonet.errors import FileError
from egonet.io import atomic_path
from research.expressivity.comparison import SOURCE, Score
from research.report.expressivity_tables import (
    NOTES,
    TITLE,
    ladder_block,
    ladder_rows,
    published_table,
    score_table,
    summary,
)
from research.report.page import Block, to_html
from research.report.plots import plot_ratios
from research.report.tables import report_blocks

_OURS = "egonet auto"


def write_overview(folder: Path, output: Path) -> list[str]:
    """Write the page and return its headings.

    Raises
    ------
    FileError
        If the folder has no results, or a file that cannot be read.
    """
    blocks = overview_blocks(folder)
    with atomic_path(output) as temporary:
        temporary.write_text(to_html(blocks), "utf-8")
    return [block.text for block in blocks if block.kind == "heading"]


def overview_blocks(folder: Path) -> list[Block]:
    """Return the blocks of all results in a folder, and a sentence about missing ones."""
    if not folder.is_dir():
        raise FileError(f"{folder} is not a folder. Give the folder with the results files.")
    paper = [block for block in report_blocks(folder) if block.kind != "title"]
    parts = {
        "the paper's tables (python -m research run table1)": paper,
        "expressivity (python -m research expressivity)": _expressivity(folder / "expressivity.json"),
        "speed (make bench)": _speed(folder / "speed" / "speed.json"),
    }
    if not any(parts.values()):
        raise FileError(f"{folder} has no results. Run: python -m research run table1 --results {folder}")
    found = [block for part in parts.values() for block in part]
    sentences = [row for block in found if block.kind == "summary" for row in block.rows]
    blocks = [Block("title", "Results"), *(block for block in found if block.kind != "summary")]
    if sentences:
        blocks.insert(1, Block("summary", "", rows=sentences))
    missing = [name for name, part in parts.items() if not part]
    if missing:
        blocks.insert(1, Block("paragraph", f"Not in this folder: {'; '.join(missing)}."))
    return blocks


def _expressivity(path: Path) -> list[Block]:
    """Return what each test distinguishes, or nothing without its file."""
    if not path.is_file():
        return []
    scores = read_scores(path)
    blocks = [
        Block("summary", "", rows=[[sentence] for sentence in summary(scores)]),
        Block("heading", TITLE),
    ]
    if ladder_rows(scores):
        blocks.append(ladder_block(scores))
    blocks += [
        *(Block("paragraph", note) for note in NOTES),
        Block("table", "Exact comparison", *score_table(scores)),
    ]
    blocks.append(Block("table", "Published figures for BREC", *published_table()))
    return [*blocks, Block("paragraph", f"Source: {SOURCE}.")]


def read_scores(path: Path) -> list[Score]:
    """Return the rows of the file of `python -m research expressivity`."""
    try:
        return [_score(entry) for entry in _read(path)["scores"]]
    except (KeyError, TypeError) as error:
        raise _broken(path, "python -m research expressivity") from error


def _score(entry: dict[str, Any]) -> Score:
    """Return one row of the file; its total is computed."""
    return Score(**{name: value for name, value in entry.items() if name != "brec_total"})


def _speed(path: Path) -> list[Block]:
    """Return the benchmark as a table and a plot of ratios, or nothing without its file."""
    if not path.is_file():
        return []
    try:
        found = _read(path)
        simd, results = found["simd"], found["results"]
        ratios = {f"{run['graph']}, radius {run['radius']}": _ratios(run["timings"]) for run in results}
        rows = [row for run in results for row in _speed_rows(run)]
    except (KeyError, TypeError, StopIteration) as error:
        raise _broken(path, "make bench") from error
    note = (
        f"Medians of interleaved runs, one thread unless stated otherwise ({simd}). Slow contenders "
        "were measured on a sample of the roots, and their time was scaled."
    )
    header = ["graph", "nodes", "edges", "radius", "contender", "CPU s", "times egonet", "roots"]
    return [
        Block("summary", "", rows=[[_speed_sentence(list(ratios.values()))]]),
        Block("heading", "Speed"),
        Block("paragraph", note),
        Block(
            "plot",
            "CPU time as a multiple of egonet's default algorithm",
            plot=plot_ratios(ratios, "times the CPU time of egonet (logarithmic)"),
        ),
        Block("table", "CPU seconds", header, rows),
    ]


def _speed_sentence(ratios: list[dict[str, float]]) -> str:
    """Return in how many cases (a graph and a radius) no other program takes less CPU time.

    >>> _speed_sentence([{"egonet auto": 1.0, "igraph": 3.0}, {"egonet auto": 1.0, "igraph": 0.5}])
    "Speed: in 1 of 2 cases no other program takes less CPU time than egonet's default algorithm."
    """
    others = [[ratio for name, ratio in case.items() if not name.startswith("egonet")] for case in ratios]
    first = sum(all(ratio >= 1 for ratio in case) for case in others)
    cases = f"{first} of {len(ratios)} cases"
    return f"Speed: in {cases} no other program takes less CPU time than egonet's default algorithm."


def _ratios(timings: list[dict[str, Any]]) -> dict[str, float]:
    """Return the CPU time of every contender as a multiple of ours."""
    ours = next(timing["cpu"] for timing in timings if timing["name"] == _OURS)
    return {timing["name"]: timing["cpu"] / ours for timing in timings}


def _speed_rows(run: dict[str, Any]) -> list[list[str]]:
    """Return a row of the table for every contender of a graph and radius."""
    ratios = _ratios(run["timings"])
    size = [run["graph"], f"{run['num_nodes']:,}", f"{run['num_edges']:,}", str(run["radius"])]
    return [
        [
            *size,
            timing["name"],
            f"{timing['cpu']:.4g}",
            f"{ratios[timing['name']]:,.3g}",
            "all" if timing["scale"] == 1 else f"a sample, times {timing['scale']:,.0f}",
        ]
        for timing in run["timings"]
    ]


def _read(path: Path) -> Any:
    """Return the content of a JSON file."""
    try:
        return json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise FileError(f"{path} is not JSON: {error}. Make it again, or remove it.") from error


def _broken(path: Path, command: str) -> FileError:
    """Return the error of a file without the expected entries."""
    return FileError(f"{path} lacks entries that the report needs. Make it again: {command}.")
