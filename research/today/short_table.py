"""The table of *When it helps*: one row per use, the best simple rival next to ours, from the results files."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import ttest_ind

from egonet.errors import FileError
from research.today.comparison import Comparison
from research.today.page import Entry, entries, read_results
from research.transfer.tables import BASELINE, RECOMMENDED, cell_scores

PAGE = "when_it_helps.md"
HEAD = "| use | best simple rival | ours | errors left | what to use |\n|---|---|---|---|---|"
BEGIN, END = "<!-- uses: python -m research when-it-helps -->", "<!-- end of uses -->"
#: Blocks of the bar that stand for all errors of the rival.
BLOCKS = 10
#: How a row names the rival of a comparison.
RIVAL_TITLES = {
    "degree": "degrees",
    "ldp": "degree profiles",
    "rwse": "random walks",
    "lappe": "Laplacian vectors",
}
#: Labeled ego-networks whose radius is chosen inside every training part.
CHOSEN = "labels+size+egolabel1|labels+size+egolabel|labels+size+egolabel3"


@dataclass(frozen=True)
class Use:
    """One row: what you want to do, the best simple rival and its score, ours, and what to use.

    Scores are errors if `top` is 0, and hits out of `top` otherwise. `is_clear` says whether the difference is more
    than chance.
    """

    case: str
    rival: str
    scores: tuple[float, float]
    use: str
    digits: int
    top: float = 100
    is_clear: bool = True

    @property
    def remaining(self) -> float:
        """Return our errors as a share of the rival's.

        Examples
        --------
        >>> Use("links", "stacked", (96.0, 98.0), "", digits=1).remaining
        0.5
        >>> Use("molecules", "walks", (0.2, 0.3), "", digits=1, top=0).remaining
        1.5
        """
        rival, ours = (abs(self.top - score) for score in self.scores)
        return round(ours / rival, 6)

    @property
    def line(self) -> str:
        """Return the row as Markdown. The better score is bold if the difference is clear.

        Examples
        --------
        >>> Use("predict links", "stacked", (96.0, 98.0), "`LinkPredictor`", digits=1).line
        '| predict links | stacked 96.0 | **98.0** | ▇▇▇▇▇ 50 % | `LinkPredictor` |'
        """
        rival, ours = (f"{score:.{self.digits}f}" for score in self.scores)
        if self.is_clear:
            rival, ours = (rival, f"**{ours}**") if self.remaining < 1 else (f"**{rival}**", ours)
        bar = f"{'▇' * round(BLOCKS * self.remaining)} {100 * self.remaining:.0f} %"
        return f"| {self.case} | {self.rival} {rival} | {ours} | {bar} | {self.use} |"


def write_short_page(results: Path, docs: Path) -> Path:
    """Write the table between its marks, and return the page."""
    page = docs / PAGE
    text = page.read_text("utf-8")
    if BEGIN not in text or END not in text:
        raise FileError(f"{page} lacks the marks of the table: {BEGIN} and {END}.")
    before, rest = text.split(BEGIN)
    page.write_text(f"{before}{BEGIN}\n\n{short_table(results)}\n\n{END}{rest.split(END)[1]}", "utf-8")
    return page


def short_table(results: Path) -> str:
    """Return the table as Markdown."""
    return "\n".join([HEAD, *(use.line for use in uses(results))])


def uses(results: Path) -> list[Use]:
    """Return the rows, from the results files."""
    rows = entries(results)
    return [
        Use(
            "predict links (Yeast, AUC)",
            "heuristics, stacked",
            _links(results, "Yeast", "stacked heuristics", "trained"),
            "[`LinkPredictor`](links.md)",
            digits=1,
        ),
        Use(
            "score events (bitcoin-otc, AP)",
            "sums per account",
            _ratings(results, "aggregates, by window", "+ ego"),
            "[`EventEncoder`](events.md)",
            digits=2,
            top=1,
        ),
        Use(
            "tell graphs apart (BREC, of 400)",
            "cycles and cliques",
            _brec(results, "GSN C3-C6, K4, K5", "R5(2)"),
            "[`individualize(graph, 2)`](graph_theory.md)",
            digits=0,
            top=400,
        ),
        _zinc(results),
        Use(
            "molecules, boosting (ESOL)",
            "Morgan and WL counts",
            _esol(results, "Morgan + WL", "neighborhoods"),
            "[`MoleculeEncoder`](molecules.md)",
            digits=2,
            top=0,
            is_clear=False,
        ),
        Use(
            "drugs, forest (BACE, AUC)",
            "Morgan fingerprints",
            _bace(results, "morgan", "labels+egolabel"),
            "either, or both",
            digits=1,
            is_clear=False,
        ),
        Use(
            "proteins, forest (ENZYMES)",
            "WL subtree counts",
            _enzymes(results, "labels+size+wl", CHOSEN),
            "WL subtree counts",
            digits=1,
        ),
        _compared("social networks (IMDB-B)", _find(rows, "imdb-b", "forest"), "degrees, walks"),
        _compared("roles of nodes (US airports)", _find(rows, "usa", "forest"), "either; often LDP"),
        Use(
            "another graph (Twitch, AUC)",
            "rank of the degree",
            _twitch(results, BASELINE, RECOMMENDED),
            "[`degree_rank`](leakage.md#a-model-that-moves-to-another-graph)",
            digits=1,
        ),
    ]


def _compared(case: str, found: Comparison, use: str) -> Use:
    """Return the row of a comparison of the full tables."""
    rival = RIVAL_TITLES.get(found.rival.rpartition("+")[2], "without a graph")
    if found.metric in ("mae", "rmse"):
        scores, digits, top = (found.rival_score, found.score), 3, 0
    else:
        scores, digits, top = (100 * found.rival_score, 100 * found.score), 1, 100
    return Use(case, rival, scores, use, digits, top, found.is_significant)


def _find(rows: Iterable[Entry], data: str, model: str) -> Comparison:
    """Return the comparison of unlabeled ego-networks on one set, in one model."""
    return next(row.found["ego"] for row in rows if (row.data, row.model) == (data, model))


def _zinc(results: Path) -> Use:
    """Return the row of a plain GINE: of columns without and with ego-networks, best by validation error."""
    lines = [line for line in _read(results / "molecules/networks.jsonl") if line["job"] == "final"]
    cells: dict[bool, dict[str, list[dict[str, Any]]]] = {False: {}, True: {}}
    for line in lines:
        is_ours = "ego" in line["nodes"] or "pair" in line["bonds"]
        cells[is_ours].setdefault(f"{line['nodes']}, {line['bonds']}", []).append(line)
    chosen = [
        min(own, key=lambda name: np.mean([line["validation"] for line in own[name]]))
        for own in cells.values()
    ]
    tests = [[line["test"] for line in cells[bool(ours)][name]] for ours, name in enumerate(chosen)]
    rival, ours = (float(np.mean(values)) for values in tests)
    return Use(
        "molecules in a network (ZINC)",
        {"rwse, ring": "walks and rings"}.get(chosen[0], chosen[0]),
        (rival, ours),
        "[`AddMoleculeEncoding`](research/molecules_in_networks.md)",
        digits=3,
        top=0,
        is_clear=bool(ttest_ind(*tests, equal_var=False).pvalue < 0.05),
    )


def _links(results: Path, data: str, *methods: str) -> tuple[float, float]:
    lines = [line for line in _read(results / "links/benchmark.jsonl") if line["set"] == data]
    return _means(lines, "method", "auc", methods)


def _ratings(results: Path, *columns: str) -> tuple[float, float]:
    lines = _read(results / "events/groups.jsonl")
    own = [line for line in lines if line["question"] == "bitcoin-otc negative ratings"]
    return _means(own, "columns", "average_precision", columns)


def _brec(results: Path, *tests: str) -> tuple[float, float]:
    scores = json.loads((results / "expressivity.json").read_text("utf-8"))["scores"]
    lines = [{"name": score["name"], "pairs": sum(score["brec"].values())} for score in scores]
    return _means(lines, "name", "pairs", tests)


def _esol(results: Path, *features: str) -> tuple[float, float]:
    lines = _read(results / "molecules/fingerprints.jsonl")
    own = [line for line in lines if line["set"] == "esol" and line.get("atom_labels") == "element"]
    return _means(own, "features", "test", features)


def _bace(results: Path, *columns: str) -> tuple[float, float]:
    lines = [line for line in _read(results / "today/scaffold_splits.jsonl") if line["set"] == "bace"]
    own = [
        {"columns": name, "test": 100 * scores["test"]}
        for line in lines
        for name, scores in line["scores"].items()
    ]
    return _means(own, "columns", "test", columns)


def _enzymes(results: Path, *columns: str) -> tuple[float, float]:
    lines = read_results(results).columns
    own = [
        {"columns": line["columns"], "test": 100 * line["test"]}
        for line in lines
        if (line["set"], line["model"]) == ("enzymes", "forest")
    ]
    return _means(own, "columns", "test", columns)


def _twitch(results: Path, *columns: str) -> tuple[float, float]:
    lines = [line for line in _read(results / "transfer/columns.jsonl") if line["family"] == "Twitch"]
    own = [
        {"columns": name, "score": score}
        for scores in cell_scores(lines).values()
        for name, score in scores.items()
    ]
    return _means(own, "columns", "score", columns)


def _means(
    lines: Iterable[Mapping[str, Any]], key: str, value: str, names: tuple[str, ...]
) -> tuple[float, float]:
    """Return the mean value of the rival's lines and of ours.

    Examples
    --------
    >>> lines = [{"method": "a", "auc": 1}, {"method": "b", "auc": 2}, {"method": "b", "auc": 4}]
    >>> _means(lines, "method", "auc", ("a", "b"))
    (1.0, 3.0)
    """
    lines = list(lines)
    rival, ours = (float(np.mean([line[value] for line in lines if line[key] == name])) for name in names)
    return rival, ours


def _read(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a results file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
