"""The tables and the chart of `docs/research/benchmarks.md`, from the results files."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scipy import stats

from egonet.errors import FileError
from egonet.io import atomic_path
from research.today.chart import draw
from research.today.comparison import (
    LOWER_IS_BETTER,
    Comparison,
    adjusted,
    block_seconds,
    compare,
    holm,
    network_lines,
    whole_lines,
)
from research.today.page_tables import fingerprint_table, linear_table, network_table, paper_table
from research.today.run import COLUMN_FILE, NETWORK_FILE, WHOLE_FILE
from research.today.scaffold_splits import FOREST, split_lines, split_table
from research.today.tabular.lines import read_lines
from research.today.tasks import column_spec

PAGE, CHART = "research/benchmarks.md", "pictures/when_it_helps.svg"
#: The same chart in one column, for phones.
NARROW_CHART = "pictures/when_it_helps_narrow.svg"
#: The tables of the page, each between two marks.
TABLES = (
    *("summary", "families", "single rivals", "table", "networks on ZINC", "fingerprints"),
    *("scaffold splits", "linear models", "paper"),
)
#: Lines of forests over scaffold splits, of intervals over test molecules, and of linear models, in the results.
SPLITS_FILE, MOLECULES_FILE = "today/scaffold_splits.jsonl", "today/test_molecules.jsonl"
LINEAR_FILE = "molecules/linear_rivals.jsonl"
ENCODINGS = {"ego": "ego-networks", "egolabel": "ego-networks with labels"}
COLUMN_MODELS = {"forest": "forest", FOREST: "forest, 100 trees", "boosting": "boosting", "ridge": "ridge"}
MODELS = COLUMN_MODELS | {
    "best-500k": "GINE + feed-forward, 0.49 M",
    "gineconv-500k": "GINE, 0.49 M",
    "gine-500k": "GINE with two norms, 0.47 M",
    "gatedgcn-500k": "GatedGCN, 0.46 M, 94 epochs",
    "gin-500k": "GIN, 0.46 M, 127 epochs",
    "gcn-500k": "GCN, 0.52 M, 190 epochs",
    "gine-100k": "GINE with two norms, 0.10 M",
    "matrix-gine": "GINE with two norms, 0.10 M, 60 epochs",
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
#: Sets and networks that are not shown: this GIN has 31 to 38 % on ENZYMES, and the GIN of the peers' page 47.2 %.
LEFT_OUT = {("enzymes", "gin")}
#: Networks on ZINC with 0.1 M weights: the chart has the same kinds with 0.5 M.
REPEATED = ("gine-100k", "matrix-gine", "matrix-gatedgcn", "matrix-gin", "matrix-gcn")
#: The groups of sets in the chart and in the first table.
GROUPS = {
    "molecules": "zinc mutag ptc nci1 bbbp bace tox21 esol freesolv lipo molhiv",
    "proteins": "enzymes proteins",
    "social networks": "imdb-b imdb-m collab reddit-b",
    "nodes of one graph": "brazil europe usa chameleon squirrel actor minesweeper tolokers",
    "tested on another graph": "twitch-engb twitch-fr twitch-ru",
    "synthetic": "csl",
}


@dataclass(frozen=True)
class Entry:
    """One row of the chart: a set, a model, and the comparison of each encoding."""

    data: str
    model: str
    found: dict[str, Comparison]

    @property
    def name(self) -> str:
        """Return the name of the row in the table."""
        return f"{_title(self.data)}, {MODELS[self.model]}"

    @property
    def short_name(self) -> str:
        """Return the name of the row in the chart: without the size of the network."""
        return f"{_title(self.data).removesuffix(' (filtered)')}, {MODELS[self.model].split(',')[0]}"

    @property
    def group(self) -> str:
        """Return the group of the set."""
        return next(group for group, sets in GROUPS.items() if self.data in sets.split())

    @property
    def is_network(self) -> bool:
        """Return whether the model is a network."""
        return self.model not in COLUMN_MODELS

    @property
    def is_repeated(self) -> bool:
        """Return whether a larger network of the same kind is in the chart."""
        return self.model in REPEATED

    @property
    def is_error(self) -> bool:
        """Return whether the metric is an error."""
        return next(iter(self.found.values())).metric in LOWER_IS_BETTER


def marks(name: str) -> tuple[str, str]:
    """Return the marks before and after a table of the page."""
    return f"<!-- {name}: python -m research when-it-helps -->", f"<!-- end of {name} -->"


@dataclass(frozen=True)
class Found:
    """The lines of models on columns, of networks on molecules, and of networks on whole sets."""

    columns: list[dict[str, Any]]
    molecules: list[dict[str, Any]]
    whole: list[dict[str, Any]]


def read_results(results: Path) -> Found:
    """Return all lines of a folder.

    A set of molecules that has scaffold splits is without the lines of its one fixed split.
    """
    on_columns = read_lines(results / COLUMN_FILE)
    seconds = {name: block_seconds(on_columns, name) for name in {line["set"] for line in on_columns}}
    over_splits = split_lines(read_lines(results / SPLITS_FILE), on_columns)
    is_replaced = {line["set"] for line in over_splits}
    on_columns = [line for line in on_columns if line["set"] not in is_replaced] + over_splits
    molecules = network_lines(read_lines(results / NETWORK_FILE), seconds)
    whole = whole_lines(read_lines(results / WHOLE_FILE))
    whole = [line for line in whole if (line["set"], line["model"]) not in LEFT_OUT]
    found = Found(on_columns, molecules, whole)
    if not any(vars(found).values()):
        raise FileError(f"{results} has no current benchmarks. Run: python -m research run today")
    return found


def entries(results: Path) -> list[Entry]:
    """Return every set and model that has an encoding and a rival.

    P-values are adjusted over the networks with more than one pair, and over the models on columns whose pairs differ
    in more than the seed. The other comparisons have no p-value.
    """
    lines, resampled = read_results(results), read_lines(results / MOLECULES_FILE)
    rows: dict[tuple[str, str], dict[str, Comparison]] = {}
    for group in (lines.molecules + lines.whole, lines.columns):
        found = [(key, over_molecules(each, resampled)) for key in ENCODINGS for each in compare(group, key)]
        tested = [pair for pair in found if _is_tested(pair[1])]
        corrected = holm([each for _, each in tested])
        others = [(key, replace(each, p=1.0, adjusted=1.0)) for key, each in found if not _is_tested(each)]
        for key, each in [*((key, each) for (key, _), each in zip(tested, corrected, strict=True)), *others]:
            rows.setdefault((each.name, each.model), {})[key] = each
    order = " ".join(GROUPS.values()).split()
    ordered = sorted(
        rows, key=lambda row: (row[1] in COLUMN_MODELS, order.index(row[0]), list(MODELS).index(row[1]))
    )
    return [Entry(*row, rows[row]) for row in ordered]


def _is_tested(each: Comparison) -> bool:
    """Return whether a comparison has a p-value: seeds of one split are none for a model on columns."""
    is_over_seeds = each.has_one_split and not each.molecules
    return each.units > 1 and not (is_over_seeds and each.model in COLUMN_MODELS)


#: The fields of a comparison that a line over test molecules has.
OVER_MOLECULES = (
    *("score", "rival_score", "gain", "low", "high", "p", "in_favor", "units", "molecules"),
    *("columns", "rival_columns"),
)


def over_molecules(each: Comparison, resampled: list[dict[str, Any]]) -> Comparison:
    """Return a comparison as measured over test molecules, if a line has it against the same rival."""
    wanted = (each.name, each.model, each.encoding, each.rival)
    for line in resampled:
        if (line["set"], line["model"], line["encoding"], line["rival"]) == wanted:
            return replace(each, **{name: line[name] for name in OVER_MOLECULES})
    return each


def _title(name: str) -> str:
    """Return the title of a set."""
    sets = column_spec()["sets"]
    return str(sets[name]["title"] if name in sets else TITLES[name])


def summary(rows: list[Entry]) -> str:
    """Return the first table as Markdown: how many comparisons are better, not clear and worse, by data and model."""
    heads = [f"{title}: better / not clear / worse" for title in ENCODINGS.values()]
    lines = [f"| data | model | {' | '.join(heads)} |", "|---|---|" + "--:|" * len(heads)]
    kinds = {True: "network", False: "forest, boosting"}
    for group in dict.fromkeys(_summary_group(row) for row in rows):
        for kind, model in kinds.items():
            own = [row for row in rows if _summary_group(row) == group and row.is_network is kind]
            found = [[row.found[key] for row in own if key in row.found] for key in ENCODINGS]
            cells = [_counts([each for each in part if each.units > 1]) for part in found]
            if any(cells):
                lines.append(f"| {group} | {model} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _summary_group(row: Entry) -> str:
    """Return the group of a set in the first table, where ZINC has its own."""
    return "ZINC-12k" if row.data == "zinc" else row.group.replace("molecules", "other molecules")


def _counts(found: list[Comparison]) -> str:
    """Return how many comparisons are significantly better, not significant, and significantly worse."""
    better = sum(each.is_significant and each.gain > 0 for each in found)
    worse = sum(each.is_significant and each.gain < 0 for each in found)
    return f"{better} / {len(found) - better - worse} / {worse}" if found else ""


def families(rows: list[Entry]) -> str:
    """Return a test per family of comparisons: in how many the encoding is better on average, and in how many pairs.

    P-values are of a two-sided sign test over the comparisons of a family, adjusted by Holm over the families.
    """
    found = []
    for group in dict.fromkeys(_summary_group(row) for row in rows):
        for kind, model in {True: "network", False: "forest, boosting"}.items():
            for key, title in ENCODINGS.items():
                own = [
                    row.found[key]
                    for row in rows
                    if _summary_group(row) == group and row.is_network is kind and key in row.found
                ]
                if len(own) > 1:
                    better = sum(each.gain > 0 for each in own)
                    p = float(stats.binomtest(better, len(own)).pvalue)
                    found.append((f"{group} | {model} | {title}", own, better, p))
    values = adjusted([p for *_, p in found])
    lines = [
        "| data | model | encoding | better on average | pairs in favor | p, by Holm |",
        "|---|---|---|--:|--:|--:|",
    ]
    for (name, own, better, _), value in zip(found, values, strict=True):
        favor = f"{sum(each.in_favor for each in own):g} of {sum(each.units for each in own)}"
        shown = f"{value:.3f}" if value < 1 else "1"
        lines.append(f"| {name} | {better} of {len(own)} | {favor} | {shown} |")
    return "\n".join(lines)


def single_rivals(results: Path) -> str:
    """Return in how many comparisons the encoding is better on average than each single rival."""
    lines = read_results(results)
    models = {
        "networks": [line for line in lines.molecules + lines.whole if line["model"] not in REPEATED],
        "forest, boosting": lines.columns,
    }
    text = [f"| model | {' | '.join(NAMES.values())} |", "|---|" + "--:|" * len(NAMES)]
    for title, own in models.items():
        cells = []
        for rival in NAMES:
            found = [each for each in compare(own, "ego", (rival,)) if each.model in MODELS]
            better = sum(
                each.gain > 1e-9 for each in found
            )  # a tie is not better, whatever its last bits are
            cells.append(f"{better} of {len(found)}")
        text.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(text)


def table(rows: list[Entry]) -> str:
    """Return the table as Markdown, a row per set, model and encoding."""
    lines = [
        "| set, model | metric | rival | encoding | score | gain (95 % interval) | pairs | columns | seconds |",
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
    if each.rival_splits < each.splits:
        rival += f" ({each.rival_splits:.0f} of {each.splits})"
    unit = " %" if error else ""
    gain = f"{each.gain:+.1f}{unit}"
    if each.units > 1:
        gain += f" ({each.low:+.1f} to {each.high:+.1f})"
    gain = f"**{gain}**" if each.is_significant else gain
    pairs = f"{each.units}, one split" if each.has_one_split else f"{each.units}"
    pairs += f", {each.molecules:,} molecules" if each.molecules else ""
    return (
        f"| {name} | {_metric(each.metric)} | {rival} {factor * each.rival_score:.{digits}f} | {ENCODINGS[key]} "
        f"| {factor * each.score:.{digits}f} | {gain} | {pairs} | {each.columns:,} (rival {each.rival_columns:,}) "
        f"| {each.seconds:.2f} (rival {each.rival_seconds:.2f}) |"
    )


def _metric(name: str) -> str:
    """Return the name of a metric as people write it."""
    return {"accuracy": "accuracy", "auc": "ROC-AUC", "mae": "MAE", "rmse": "RMSE"}[name]


def page_tables(results: Path) -> dict[str, str]:
    """Return the text of every table of the page."""
    lines, rows = read_results(results), entries(results)
    titles = {name: _title(name) for name in GROUPS["molecules"].split()}
    texts = (
        summary(rows),
        families(rows),
        single_rivals(results),
        table(rows),
        network_table(lines.molecules),
        fingerprint_table(lines.columns, titles),
        split_table(read_lines(results / SPLITS_FILE), titles),
        linear_table(read_lines(results / LINEAR_FILE)),
        paper_table(lines.columns, lines.whole),
    )
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
