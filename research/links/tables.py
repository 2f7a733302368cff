"""The tables of predicted links, from results/links/benchmark.jsonl: `python -m research.links.tables` writes them.

The short one is in docs/links.md, the full one and that of half of the edges in docs/research/pairs.md.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from egonet.errors import FileError

RESULTS, DOCS = Path("results"), Path("docs")
SETS = ("USAir", "NS", "C.ele", "Yeast", "Power")
SHORT = {
    "trained": "**trained**",
    "zero-shot": "**without training**",
    "zero-shot, relatives left out": "without training, relatives left out",
    "stacked heuristics": "gradient boosting on 15 heuristics",
    "resource allocation": "resource allocation",
    "GraphSAGE": "GraphSAGE",
    "GCN": "GCN",
    "node2vec, boosting": "gradient boosting on node2vec",
    "SEAL": "SEAL (run here)",
}
FULL = SHORT | {
    "trained, without prior": "trained, without the scores of the model without training",
    "PageRank": "personalized PageRank",
    "Katz": "Katz",
    "Adamic–Adar": "Adamic–Adar",
    "common neighbors": "common neighbors",
}
HALVES = {
    "Facebook, labeled": "Facebook",
    "CA-AstroPh, labeled": "CA-AstroPh",
    "Facebook": "Facebook, from its edges",
    "CA-AstroPh": "CA-AstroPh, from its edges",
}
#: Areas as printed, in the order of SETS: means over ten random splits of the same sizes.
#: SEAL: Zhang and Chen, Link Prediction Based on Graph Neural Networks, NeurIPS 2018. WalkPool: Pan, Shi and Dokmanić,
#: Neural Link Prediction with Walk Pooling, ICLR 2022.
PUBLISHED = {
    "SEAL (published)": (96.62, 98.85, 90.30, 97.91, 87.61),
    "WalkPool (published)": (98.68, 98.95, 92.79, 98.37, 92.56),
}
#: Splits of a set; a mean of fewer has their number in brackets.
NUM_SPLITS = 10
MARK = "<!-- {name}: python -m research.links.tables -->", "<!-- end of {name} -->"

Line = dict[str, Any]


def read_lines(results: Path) -> list[Line]:
    """Return the lines of the benchmark."""
    text = (results / "links/benchmark.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def table_of(lines: Sequence[Line], methods: dict[str, str]) -> str:
    """Return the mean area of every method on every set, their mean, and the range of seconds; then published areas.

    A method that has no line has no row.

    >>> lines = [{"set": "NS", "method": "Katz", "auc": 94.0, "seconds": 1.5, "split": 1}]
    >>> for row in table_of(lines, {"Katz": "Katz"}).splitlines()[2:]:
    ...     print(row)
    | Katz |  | 94.00 (1) |  |  |  |  | 2 |
    | SEAL (published) | 96.62 | 98.85 | 90.30 | 97.91 | 87.61 | 94.26 |  |
    | WalkPool (published) | 98.68 | 98.95 | 92.79 | 98.37 | 92.56 | 96.27 |  |
    """
    rows = [f"| | {' | '.join(SETS)} | mean | seconds |", f"|---|{'--:|' * (len(SETS) + 2)}"]
    for method, title in methods.items():
        own = [line for line in lines if line["method"] == method and line["set"] in SETS]
        if not own:
            continue
        areas = [[line["auc"] for line in own if line["set"] == name] for name in SETS]
        cells = [mean_of(found, NUM_SPLITS) for found in areas]
        is_whole = all(len(found) == NUM_SPLITS for found in areas)
        whole = f"{np.mean([np.mean(found) for found in areas]):.2f}" if is_whole else ""
        seconds = [
            np.mean([line["seconds"] for line in own if line["set"] == name])
            for name in SETS
            if any(line["set"] == name for line in own)
        ]
        rows.append(f"| {title} | {' | '.join(cells)} | {whole} | {range_of(seconds)} |")
    for title, printed in PUBLISHED.items():
        cells = [f"{area:.2f}" for area in printed]
        rows.append(f"| {title} | {' | '.join(cells)} | {np.mean(printed):.2f} |  |")
    return "\n".join(rows)


def mean_of(values: Sequence[float], usual: int) -> str:
    """Return the mean of some areas, with their number in brackets if it is not the usual one."""
    if not values:
        return ""
    number = "" if len(values) == usual else f" ({len(values)})"
    return f"{np.mean(values):.2f}{number}"


def range_of(seconds: Iterable[float]) -> str:
    """Return the smallest and the largest number of seconds.

    >>> range_of([0.04, 2.6]), range_of([0.111]), range_of([0.01, 0.02])
    ('0 to 3', '0.1', '0')
    """
    found = sorted(seconds)
    ends = [f"{value:.1f}" if 0.05 <= value < 1 else f"{value:.0f}" for value in (found[0], found[-1])]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def half_table(lines: Sequence[Line]) -> str:
    """Return the mean area of every method on graphs without half of their edges, by negatives."""
    methods = ("trained", "trained, near negatives", "zero-shot", "stacked heuristics", "resource allocation")
    titles = (
        "trained",
        "trained, near negatives",
        "without training",
        "15 heuristics",
        "resource allocation",
    )
    rows = [f"| | pairs | {' | '.join(titles)} |", f"|---|---|{'--:|' * len(titles)}"]
    for name, title in HALVES.items():
        for negatives, kind in (("uniform", "random"), ("near", "share a neighbor")):
            own = [line for line in lines if line["set"] == name and line["negatives"] == negatives]
            areas = [[line["auc"] for line in own if line["method"] == method] for method in methods]
            if sum(map(bool, areas)) > 1:
                cells = " | ".join(mean_of(found, 2) for found in areas)
                rows.append(f"| {title} | {kind} | {cells} |")
    return "\n".join(rows)


def write_tables(results: Path, docs: Path) -> None:
    """Write the tables between their marks."""
    lines = read_lines(results)
    write_between(docs / "links.md", "links", table_of(lines, SHORT))
    write_between(docs / "research/pairs.md", "links", table_of(lines, FULL))
    write_between(docs / "research/pairs.md", "half of the edges", half_table(lines))


def between(text: str, name: str) -> tuple[str, str, str]:
    """Return what comes before a table, the table, and what comes after it.

    >>> between("a <!-- x: python -m research.links.tables --> b <!-- end of x --> c", "x")[1]
    ' b '
    """
    begin, end = (mark.format(name=name) for mark in MARK)
    if begin not in text or end not in text:
        raise FileError(f"the page lacks the marks of a table: {begin} and {end}.")
    before, rest = text.split(begin)
    table, after = rest.split(end)
    return before + begin, table, end + after


def write_between(page: Path, name: str, table: str) -> None:
    """Write a table of a page between its marks."""
    before, _, after = between(page.read_text("utf-8"), name)
    page.write_text(f"{before}\n\n{table}\n\n{after}", "utf-8")


if __name__ == "__main__":
    write_tables(RESULTS, DOCS)
