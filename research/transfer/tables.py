"""Tables of `results/transfer/columns.jsonl`: `python -m research.transfer.tables` writes them into the page."""

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from research.transfer.run import read_lines

PAGE = Path("docs/research/transfer.md")
NETWORKS, INSIDE = Path("results/transfer/networks.jsonl"), Path("results/transfer/inside.jsonl")
BASELINE = "degree rank"
#: The columns of `for_another_graph`, and those of the table of pairs.
RECOMMENDED = "ego 1, quarters, ranks, degree rank"
SHOWN = ("ego 1, counts", "ego 1, quarters, ranks", RECOMMENDED, "LDP, ranks")
#: What networks are trained on.
NETWORK_INPUTS = (
    "degree",
    "degree rank",
    "LDP, ranks",
    "ego 1, counts",
    "ego 1, quarters, ranks",
    RECOMMENDED,
)
Lines = list[dict[str, Any]]


def cell_scores(lines: Lines) -> dict[tuple[str, str, str], dict[str, float]]:
    """Return (family, graph to train on, graph to test on) to columns to the mean score over models and seeds.

    Examples
    --------
    >>> line = {"family": "f", "train": "a", "test": "b", "columns": "degree", "model": "forest", "seed": 0}
    >>> cell_scores([line | {"score": 50.0}, line | {"model": "logistic", "score": 60.0}])
    {('f', 'a', 'b'): {'degree': 55.0}}
    """
    found: dict[Any, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        found[line["family"], line["train"], line["test"]][line["columns"]].append(line["score"])
    return {
        cell: {name: float(np.mean(scores)) for name, scores in columns.items()}
        for cell, columns in found.items()
    }


def family_table(lines: Lines, half: str) -> str:
    """Return a row per set of columns: the mean of every family, the mean over families, and the worst cell."""
    chosen = [line for line in lines if line["half"] == half]
    cells = cell_scores(chosen)
    families = sorted({cell[0] for cell in cells})
    names = list(dict.fromkeys(line["columns"] for line in chosen))
    rows = []
    for name in names:
        means = {
            family: [scores[name] for cell, scores in cells.items() if cell[0] == family and name in scores]
            for family in families
        }
        gaps = [scores[name] - scores[BASELINE] for scores in cells.values() if name in scores]
        complete = all(means.values())
        mean = np.mean([np.mean(values) for values in means.values()]) if complete else None
        shown = [f"{np.mean(values):.1f}" if values else "" for values in means.values()]
        worst = "0" if name == BASELINE else f"{min(gaps):+.1f}".replace("-", "−")
        rows.append((mean, [name, *shown, "" if mean is None else f"{mean:.1f}", worst]))
    rows.sort(key=lambda row: (row[0] is None, -(row[0] or 0)))
    header = ["columns", *families, "mean of families", "worst cell against degree rank"]
    lines_of_table = ["| " + " | ".join(header) + " |", "|---" + "|--:" * (len(header) - 1) + "|"]
    return "\n".join([*lines_of_table, *("| " + " | ".join(row) + " |" for _, row in rows)])


def model_table(lines: Lines, half: str) -> str:
    """Return a row per set of columns: the mean over families for every model."""
    chosen = [line for line in lines if line["half"] == half]
    models = list(dict.fromkeys(line["model"] for line in chosen))
    names = list(dict.fromkeys(line["columns"] for line in chosen))
    families = sorted({line["family"] for line in chosen})
    rows = []
    for name in names:
        row = [name]
        for model in models:
            means = []
            for family in families:
                cells = cell_scores([
                    line for line in chosen
                    if (line["columns"], line["model"], line["family"]) == (name, model, family)
                ])  # fmt: skip
                means += [np.mean([scores[name] for scores in cells.values()])] if cells else []
            row.append(f"{np.mean(means):.1f}" if len(means) == len(families) else "")
        rows.append("| " + " | ".join(row) + " |")
    header = ["| columns | " + " | ".join(models) + " |", "|---" + "|--:" * len(models) + "|"]
    return "\n".join([*header, *rows])


def pair_table(lines: Lines, half: str, names: tuple[str, ...]) -> str:
    """Return a row per pair of graphs: the score of the rank of the degree, and the gaps of some columns."""
    cells = cell_scores([line for line in lines if line["half"] == half])
    rows = [
        "| learned on, tested on | degree rank | " + " | ".join(names) + " |",
        "|---|--:" + "|--:" * len(names) + "|",
    ]
    for (family, source, other), scores in cells.items():
        gaps = [f"{scores[name] - scores[BASELINE]:+.1f}".replace("-", "−") for name in names]
        title = f"{family}: {source}, {other}"
        rows.append(f"| {title} | {scores[BASELINE]:.1f} | " + " | ".join(gaps) + " |")
    return "\n".join(rows)


def network_table(lines: Lines) -> str:
    """Return a row per family and network: the mean of every set of inputs, and the worst pair of the last set.

    Of a family only the seeds count that have every pair of graphs for all inputs and networks.
    """
    found: dict[Any, dict[Any, float]] = defaultdict(dict)
    for line in lines:
        if line["columns"] in NETWORK_INPUTS:
            cell = line["model"], line["columns"], line["train"], line["test"]
            found[line["half"], line["family"], line["seed"]][cell] = line["score"]
    models = sorted({line["model"] for line in lines})
    whole: dict[tuple[str, str], list[dict[Any, float]]] = defaultdict(list)
    for (half, family, _), cells in found.items():
        graphs = {cell[2] for (_, other, _), own in found.items() if other == family for cell in own}
        if len(cells) == len(graphs) * (len(graphs) - 1) * len(NETWORK_INPUTS) * len(models):
            whole[half, family].append(cells)
    last = NETWORK_INPUTS[-1]
    heads = ["half", "family", "network", "seeds", *NETWORK_INPUTS, "worst pair of the last one"]
    rows = ["| " + " | ".join(heads) + " |", "|---|---|---|--:|" + "--:|" * (len(heads) - 4)]
    for (half, family), seeds in sorted(whole.items(), key=lambda item: item[0][0], reverse=True):
        for model in models:
            means: dict[str, dict[Any, float]] = defaultdict(dict)
            for _, name, *pair in (cell for cell in seeds[0] if cell[0] == model):
                means[name][tuple(pair)] = float(np.mean([own[model, name, *pair] for own in seeds]))
            shown = [f"{np.mean(list(means[name].values())):.1f}" for name in NETWORK_INPUTS]
            worst = min(means[last][pair] - means[BASELINE][pair] for pair in means[last])
            row = [half, family, model, f"{len(seeds)}", *shown, f"{worst:+.1f}".replace("-", "−")]
            rows.append("| " + " | ".join(row) + " |")
    return "\n".join(rows)


def inside_table(inside: Lines, lines: Lines) -> str:
    """Return a row per graph: the gain of columns in cross-validation inside it, and on the other graphs.

    A gain is a mean over models; it is left out if a model is missing.
    """
    found: dict[Any, dict[str, float]] = defaultdict(dict)
    for line in inside:
        found[line["family"], line["graph"], line["columns"]][line["model"]] = line["score"]
    cells = cell_scores(lines)
    names = [name for name in dict.fromkeys(line["columns"] for line in inside) if name != BASELINE]
    heads = [f"{name}: {where}" for name in names for where in ("inside", "on other graphs")]
    rows = ["| trained on | " + " | ".join(heads) + " |", "|---" + "|--:" * len(heads) + "|"]
    for family, graph in dict.fromkeys((line["family"], line["graph"]) for line in inside):
        row, baseline = [f"{family}: {graph}"], found[family, graph, BASELINE]
        for name in names:
            own = found[family, graph, name]
            is_whole = own.keys() == baseline.keys()
            gain = np.mean([own[model] - baseline[model] for model in baseline]) if is_whole else None
            moved = [
                scores[name] - scores[BASELINE]
                for (other, source, _), scores in cells.items()
                if (other, source) == (family, graph) and name in scores
            ]
            values = [gain, np.mean(moved) if moved else None]
            row += ["" if value is None else f"{value:+.1f}".replace("-", "−") for value in values]
        rows.append("| " + " | ".join(row) + " |")
    return "\n".join(rows)


def write_page(lines: Lines, page: Path = PAGE) -> None:
    """Replace the tables of the page."""
    tables = {
        "choice": family_table(lines, "choice"),
        "test": family_table(lines, "test"),
        "later": pair_table(lines, "later", SHOWN),
        "models": model_table(lines, "test"),
        "pairs": pair_table(lines, "test", SHOWN),
    }
    if NETWORKS.exists():
        tables["networks"] = network_table([json.loads(text) for text in NETWORKS.read_text().splitlines()])
    if INSIDE.exists():
        inside = [json.loads(text) for text in INSIDE.read_text().splitlines()]
        tables["inside"] = inside_table(inside, lines)
    text = page.read_text(encoding="utf-8")
    for name, table in tables.items():
        start, end = f"<!-- {name}: python -m research.transfer.tables -->\n", f"<!-- end of {name} -->"
        before, _, rest = text.partition(start)
        text = f"{before}{start}\n{table}\n\n{end}{rest.partition(end)[2]}"
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_page(read_lines(), Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE)
