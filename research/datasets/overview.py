"""The overview of the paper's data (its Table 6), counted from the files: `python -m research.datasets.overview`.

With `--page` nothing is counted again: the table of `docs/research/reproduce.md` is written from the results file.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from egonet import Graph
from research.datasets.readers import read_dataset
from research.transfer.families import interactions

RESULTS, PAGE = Path("results/data_overview.json"), Path("docs/research/reproduce.md")
MARKS = "<!-- data: python -m research.datasets.overview --page -->", "<!-- end of data -->"
#: Names as the page prints them, where they are not the names here in capitals.
TITLES = {
    "graph8c": "Graph8c",
    "randomgraph": "RandomGraph",
    "ca-astroph": "CA-AstroPh",
    "facebook": "Facebook",
}
FOLDS, LINKS = "9 folds / 1 fold", "edges 50 % / 50 %"
#: Name here, task, outputs, splits, and the paper's mean n, mean m and graphs.
ROWS: dict[str, tuple[str, str, str, tuple[float, float, int]]] = {
    "enzymes": ("graph classes", "6", FOLDS, (32.63, 62.14, 600)),
    "mutag": ("graph classes", "2", FOLDS, (17.93, 39.58, 188)),
    "proteins": ("graph classes", "2", FOLDS, (39.06, 72.82, 1113)),
    "ptc": ("graph classes", "2", FOLDS, (25.55, 51.92, 344)),
    "graph8c": ("isomorphism", "–", "–", (8.0, 28.82, 11117)),
    "exp": ("pairs of graphs", "1", "pairs 400 / 100 / 100", (44.44, 111.21, 600)),
    "sr25": ("isomorphism", "–", "–", (25, 300, 15)),
    "randomgraph": ("counts of graphlets", "1", "graphs 1,500 / 1,000 / 2,500", (18.8, 62.67, 5000)),
    "ca-astroph": ("links", "1", LINKS, (18722, 198110, 1)),
    "facebook": ("links", "1", LINKS, (4039, 88234, 1)),
    "ppi": ("node labels", "121", "graphs 20 / 2 / 2", (2373, 68342.4, 24)),
}


def count(graphs: Iterable[Graph]) -> dict[str, Any]:
    """Return how many graphs there are, and their mean numbers of nodes and edges.

    Examples
    --------
    >>> from egonet import named
    >>> count([named.path(3), named.cycle(4)])
    {'graphs': 2, 'mean_n': 3.5, 'mean_m': 3.0}
    """
    sizes = [(graph.num_nodes, graph.num_edges) for graph in graphs]
    total = len(sizes)
    nodes, edges = (round(sum(each) / total, 2) for each in zip(*sizes, strict=True))
    return {"graphs": total, "mean_n": nodes, "mean_m": edges}


def measure(name: str) -> dict[str, Any]:
    """Return what the files of a data set hold."""
    if name in ("facebook", "ca-astroph"):
        from research.paper.nodes.link_prediction import read_links

        return count([read_links(name)])
    if name == "ppi":
        return count([interactions(number) for number in range(24)])
    found = read_dataset(name)
    degrees = found.union.degrees
    total = len(found.node_ptr) - 1
    return {
        "graphs": total,
        "mean_n": round(int(found.node_ptr[-1]) / total, 2),
        "mean_m": round(int(degrees.sum()) / 2 / total, 2),
    }


def table_of(rows: Iterable[dict[str, Any]]) -> str:
    """Return the table of the page.

    Examples
    --------
    >>> here = {"graphs": 2, "mean_n": 1234.5, "mean_m": 8.0}
    >>> row = {"set": "ptc", "task": "t", "outputs": "2", "splits": "s", "paper": {"mean_m": 16.0}, "here": here}
    >>> table_of([row]).splitlines()[-1]
    '| PTC | 2 | 1,234.5 | 8 | 16 | t | 2 | s |'
    """
    lines = [
        "| set | graphs | mean n | mean m | mean m in the paper | task | outputs | splits |",
        "|---|--:|--:|--:|--:|---|--:|---|",
    ]
    for row in rows:
        here = row["here"]
        numbers = (here["graphs"], here["mean_n"], here["mean_m"], row["paper"]["mean_m"])
        shown = [
            TITLES.get(row["set"], row["set"].upper()),
            *(f"{number:,}".removesuffix(".0") for number in numbers),
        ]
        lines.append(f"| {' | '.join([*shown, row['task'], row['outputs'], row['splits']])} |")
    return "\n".join(lines)


def write_page(page: Path = PAGE) -> None:
    """Replace the table of the page by that of the results file."""
    table = table_of(json.loads(RESULTS.read_text("utf-8"))["rows"])
    text = page.read_text("utf-8")
    before, rest = text.split(MARKS[0])
    page.write_text(f"{before}{MARKS[0]}\n\n{table}\n\n{MARKS[1]}{rest.split(MARKS[1])[1]}", "utf-8")


def main(target: Path = RESULTS) -> None:
    """Count every set and write the file; with `--page` write the table of the page."""
    if "--page" in sys.argv:
        write_page()
        return
    rows = []
    for name, (task, outputs, splits, (mean_n, mean_m, graphs)) in ROWS.items():
        paper = {"graphs": graphs, "mean_n": mean_n, "mean_m": mean_m}
        rows.append(
            {
                "set": name,
                "task": task,
                "outputs": outputs,
                "splits": splits,
                "paper": paper,
                "here": measure(name),
            }
        )
        sys.stderr.write(f"{rows[-1]}\n")
    text = json.dumps(
        {"command": "python -m research.datasets.overview", "rows": rows}, indent=1, ensure_ascii=False
    )
    target.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
