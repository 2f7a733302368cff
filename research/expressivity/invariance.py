"""Whether classes depend on the numbering of nodes: relabeled copies of BREC, and random isomorphic pairs.

`python -m research invariance` relabels every graph of BREC 20 times, and one graph of every pair 63 times, which
is BREC's own check of reliability: 64 different copies of one graph, of which none may be distinguished. It compares
the class of every graph, and of every node with that of its image. BREC distributes its copies as `brec_v3.npy`; these
are drawn again by the same rule.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from egonet import Graph, disjoint_union, individualize
from egonet.errors import InputError
from egonet.typing import Int64s
from egonet.wl import Criterion, UnionLabels, graph_classes
from research.expressivity.comparison import contenders
from research.expressivity.families import brec
from research.paper.results import current_commit

#: The file of the lines, in the folder of the results.
FILE = "checks.jsonl"
SEED, BLOCKS, BATCH = 26, 8, 1000
#: The fields that identify a check.
TASK = ("graphs", "test", "block", "first")

#: A copy, and the new number of every node of the original.
Copy = tuple[Graph, Int64s]


@dataclass(frozen=True)
class Extent:
    """How much is checked.

    Attributes
    ----------
    copies
        Relabellings of every graph of BREC.
    reliability
        Copies, the original included, of the graph that is drawn from every pair; BREC has 64.
    random_pairs
        Random graphs, each compared with one relabelling.
    batch
        Relabellings that are compared with their graph in one call. Slow searches take few, so that a run that
        ends early has compared all graphs with some.
    """

    copies: int = 20
    reliability: int = 64
    random_pairs: int = 100_000
    batch: int = 64

    @property
    def most(self) -> int:
        """Return the relabellings of the graph that has most."""
        return max(self.copies, self.reliability - 1)


def relabeled(graph: Graph, rng: np.random.Generator) -> Copy:
    """Return the graph with its nodes in random order, and the new number of every node.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> copy, order = relabeled(path, np.random.default_rng(0))
    >>> copy.degrees[order].tolist() == path.degrees.tolist()
    True
    """
    rows = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    forward = rows < graph.indices
    order = rng.permutation(graph.num_nodes)
    copy = Graph.from_indices(order[rows[forward]], order[graph.indices[forward]], graph.num_nodes)
    return copy, order


def different_copies(graph: Graph, count: int, rng: np.random.Generator) -> list[Copy]:
    """Return the graph and relabellings of it, `count` in all, no two with the same edges.

    Raises
    ------
    InputError
        If 1,000 relabellings in a row were there already.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> len(different_copies(path, 3, np.random.default_rng(0)))
    3
    """
    copies: list[Copy] = [(graph, np.arange(graph.num_nodes))]
    seen = {(graph.indptr.tobytes(), graph.indices.tobytes())}
    failures = 0
    while len(copies) < count:
        copy, order = relabeled(graph, rng)
        key = (copy.indptr.tobytes(), copy.indices.tobytes())
        failures = failures + 1 if key in seen else 0
        if failures == 1000:
            raise InputError(f"{graph} has fewer than {count} different relabellings. Ask for fewer.")
        if key not in seen:
            seen.add(key)
            copies.append((copy, order))
    return copies


def changes(criterion: Criterion, groups: Sequence[Sequence[Copy]]) -> list[list[int]]:
    """Return for every copy but the first of each group what differs: -1 for the graph's class, else the nodes.

    0 means that the copy has the class of the original, and every node that of its image.

    Examples
    --------
    >>> from egonet.wl import weisfeiler_leman
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> changes(weisfeiler_leman(), [different_copies(path, 3, np.random.default_rng(0))])
    [[0, 0]]
    """
    union, ptr = disjoint_union([graph for group in groups for graph, _ in group])
    classes = criterion.classes(union, ptr)
    whole = graph_classes(classes, ptr)
    found, first = [], 0
    for group in groups:
        original = classes[ptr[first] : ptr[first + 1]]
        row = []
        for number, (_, order) in enumerate(group[1:], first + 1):
            nodes = int((classes[ptr[number] + order] != original).sum())
            row.append(-1 if whole[number] != whole[first] else nodes)
        found.append(row)
        first += len(group)
    return found


def all_cells(marks: int, radius: int | None) -> Criterion:
    """Return the search that marks the nodes of every cell of two or more.

    Examples
    --------
    >>> all_cells(2, 3).name, all_cells(2, None).name
    ('R4(3, marks=2), all cells', 'R5(2), all cells')
    """
    name = f"R5({marks})" if radius is None else f"R4({radius}, marks={marks})"

    def classify(graph: Graph, _: Int64s, __: UnionLabels) -> Int64s:
        return individualize(graph, marks, radius, "all").nodes

    return Criterion(f"{name}, all cells", classify)


def checked_tests() -> dict[str, Criterion]:
    """Return the tests by name: all rows of the table but the methods of others, and searches in all cells.

    Examples
    --------
    >>> [name for name in checked_tests() if "cells" in name]
    ['R4(3, marks=2), all cells', 'R5(2), all cells', 'R5(3), all cells']
    """
    listed = [contender.criterion for contender in contenders() if contender.group != "peer"]
    listed += [all_cells(2, 3), all_cells(2, None), all_cells(3, None)]
    return {criterion.name: criterion for criterion in listed}


def check_block(criterion: Criterion, block: int, first: int, extent: Extent) -> dict[str, Any]:
    """Return what some relabellings changed in every eighth pair of BREC, beginning with pair `block`."""
    graphs = brec().graphs
    searched = changed = nodes = 0
    apart = []
    for pair in range(block, len(graphs) // 2, BLOCKS):
        chosen = 2 * pair + int(np.random.default_rng([SEED, pair]).integers(2))
        for number in (2 * pair, 2 * pair + 1):
            most = extent.most if number == chosen else extent.copies
            last = min(first + extent.batch, most)
            if first >= last:
                continue
            rng = np.random.default_rng([SEED, pair, number])
            copies = different_copies(graphs[number], last + 1, rng)
            (row,) = changes(criterion, [[copies[0], *copies[first + 1 :]]])
            searched += len(row) + 1
            changed += sum(found < 0 for found in row)
            nodes += sum(found for found in row if found > 0)
            if number == chosen and any(row[: max(0, extent.reliability - 1 - first)]):
                apart.append(pair)
    return {
        "copies": extent.copies,
        "reliability": extent.reliability,
        "batch": min(extent.batch, extent.most - first),
        "searched": searched,
        "graphs_changed": changed,
        "nodes_changed": nodes,
        "pairs_apart": apart,
    }


def random_graphs(count: int, seed: int | Sequence[int]) -> Iterator[Graph]:
    """Yield random graphs of 4 to 16 nodes of every density, half of them two linked copies of one graph."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        size = int(rng.integers(2, 9)) * 2
        half = size // 2 if number % 2 else size
        pairs = np.argwhere(np.triu(rng.random((half, half)) < rng.random(), 1))
        if number % 2:
            across = np.flatnonzero(rng.random(half) < rng.random())
            pairs = np.concatenate([pairs, pairs + half, np.column_stack([across, across + half])])
        yield Graph.from_indices(pairs[:, 0], pairs[:, 1], size)


@lru_cache(maxsize=1)
def random_copies(count: int, block: int) -> list[list[Copy]]:
    """Return random graphs, each with one relabelling."""
    rng = np.random.default_rng([SEED, block, 1])
    return [
        [(graph, np.arange(graph.num_nodes)), relabeled(graph, rng)]
        for graph in random_graphs(count, [SEED, block])
    ]


def check_random(criterion: Criterion, block: int, _: int, extent: Extent) -> dict[str, Any]:
    """Return how many of an eighth of the random pairs the test distinguishes."""
    groups = random_copies(extent.random_pairs // BLOCKS, block)
    rows = [
        row[0]
        for first in range(0, len(groups), BATCH)
        for row in changes(criterion, groups[first : first + BATCH])
    ]
    return {
        "pairs": len(rows),
        "graphs_changed": sum(found < 0 for found in rows),
        "nodes_changed": sum(found for found in rows if found > 0),
    }


CHECKS: dict[str, Callable[[Criterion, int, int, Extent], dict[str, Any]]] = {
    "BREC": check_block,
    "random": check_random,
}


def tasks(
    tests: Iterable[str], extent: Extent, lines: Sequence[Mapping[str, Any]]
) -> list[tuple[str, str, int, int]]:
    """Return (graphs, test, block, first relabelling) of the checks that no line has.

    BREC goes test by test, and all blocks are searched before their next batch; random pairs go block by block. A
    batch may begin in the gap between two that were run.
    """
    names, open_tasks = list(tests), []
    done = {(line["test"], line["block"]) for line in lines if line["graphs"] == "random"}
    for name in names:
        known = [line for line in lines if line["graphs"] == "BREC" and line["test"] == name]
        checked = relabellings(known)
        open_tasks += sorted(
            (first, block, name)
            for block in range(BLOCKS)
            for first in _starts(checked.get(block, set()), extent)
        )
    return [("BREC", name, block, first) for first, block, name in open_tasks] + [
        ("random", name, block, 0) for block in range(BLOCKS) for name in names if (name, block) not in done
    ]


def run(
    folder: Path, tests: Sequence[str], extent: Extent, report: Callable[[Mapping[str, Any]], None]
) -> None:
    """Append one line per check that the file does not have yet."""
    known, path = checked_tests(), folder / FILE
    for name in tests:
        if name not in known:
            raise InputError(f"there is no test {name!r}. There are: {', '.join(known)}.")
    origin = {"date": datetime.now(UTC).strftime("%Y-%m-%d"), "commit": current_commit()}
    for task in tasks(tests or known, extent, read_checks(path)):
        began = process_time()
        found = CHECKS[task[0]](known[task[1]], *task[2:], extent)
        line = dict(zip(TASK, task, strict=True)) | {"blocks": BLOCKS} | found
        line |= {"seconds": round(process_time() - began, 1), **origin}
        with path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")
        report(line)


def read_checks(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a file, none if there is none."""
    return [json.loads(text) for text in path.read_text().splitlines()] if path.is_file() else []


def write_table(folder: Path) -> Path:
    """Write what the lines say, test by test, as `checks.md`, and return its path."""
    target = folder / "checks.md"
    target.write_text(to_markdown(read_checks(folder / FILE)), encoding="utf-8")
    return target


HEADS = (
    "test",
    "BREC graphs",
    "relabellings of each",
    "graphs changed",
    "nodes changed",
    "BREC pairs",
    "copies of each",
    "pairs apart",
    "random pairs",
    "apart",
    "nodes changed",
    "seconds",
)


def to_markdown(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return the page: a row per test, sums over its blocks."""
    page = ["# Whether classes depend on the numbering of nodes", "", f"| {' | '.join(HEADS)} |"]
    page.append(f"| --- |{' --: |' * (len(HEADS) - 1)}")
    order = {name: number for number, name in enumerate(checked_tests())}
    for test in sorted({line["test"] for line in lines}, key=lambda name: order.get(name, len(order))):
        page.append(f"| {' | '.join([test, *_cells([line for line in lines if line['test'] == test])])} |")
    return "\n".join([*page, "", *NOTES]) + "\n"


NOTES = (
    "`python -m research invariance`. Every graph of BREC is compared with relabellings of it, and every node",
    "with its image; “changed” counts those whose class is another: a graph's or, where that is the same, a",
    "node's. “BREC pairs” is BREC's own check of reliability: of every pair one graph is drawn, and different",
    "copies of it, the graph included, must not be distinguished (64 copies in BREC, which compares 32 with 32).",
    "BREC distributes its copies; these were drawn again by its rule, with our own seeds. Random pairs are",
    "graphs of 4 to 16 nodes, half of them two linked copies of one graph. Seconds are those of one core.",
)


def _cells(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the figures of one test."""
    known, drawn = ([line for line in lines if line["graphs"] == name] for name in ("BREC", "random"))

    def total(chosen: Sequence[Mapping[str, Any]], name: str) -> str:
        return format(sum(line[name] for line in chosen), ",") if chosen else "–"

    checked = relabellings(known)
    blocks, least = len(checked), min(map(len, checked.values()), default=0)
    copies = min(least, max((line["copies"] for line in known), default=0))
    each = min(least + 1, max((line["reliability"] for line in known), default=0))
    apart = {pair for line in known for pair in line["pairs_apart"]}
    figures = [f"{blocks * 800 // BLOCKS}", str(copies), total(known, "graphs_changed")]
    figures += [total(known, "nodes_changed"), f"{blocks * 400 // BLOCKS}", str(each), str(len(apart))]
    figures += [total(drawn, name) for name in ("pairs", "graphs_changed", "nodes_changed")]
    return [*figures, f"{sum(line['seconds'] for line in lines):,.0f}"]


def relabellings(lines: Sequence[Mapping[str, Any]]) -> dict[int, set[int]]:
    """Return which relabellings of each block of BREC were compared, in the lines of one test.

    Examples
    --------
    >>> relabellings([{"block": 0, "first": 0, "batch": 1}, {"block": 0, "first": 5, "batch": 2}])
    {0: {0, 5, 6}}
    """
    checked: dict[int, set[int]] = {}
    for line in lines:
        checked.setdefault(line["block"], set()).update(range(line["first"], line["first"] + line["batch"]))
    return checked


def _starts(checked: set[int], extent: Extent) -> Iterator[int]:
    """Yield where batches begin that compare what is missing."""
    end = 0
    for number in range(extent.most):
        if number >= end and number not in checked:
            end = number + extent.batch
            yield number
