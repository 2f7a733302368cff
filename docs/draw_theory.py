"""Draws the pictures of the theory page into docs/pictures: pairs of graphs, colored by test, and the ladder."""

import json
import sys
from pathlib import Path
from typing import TypeAlias

import matplotlib as mpl
import networkx as nx
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from egonet import Graph, named
from egonet.graph.union import disjoint_union
from egonet.typing import Int64s
from egonet.wl.tests import Criterion, named_criterion
from research.report.expressivity_tables import ladder_plot
from research.report.overview import read_scores

Pair: TypeAlias = tuple[Graph, Graph]
Tests: TypeAlias = list[tuple[str, Criterion]]
Positions: TypeAlias = dict[int, tuple[float, float]]

RESULTS = Path(__file__).parents[1] / "results"
SCORES, STABILITY = RESULTS / "expressivity.json", RESULTS / "stability.jsonl"
COLORS = ["#3b6fb6", "#e08a1e", "#4c9f70", "#c0504d", "#8064a2", "#7f7f7f", "#17a2b8", "#b8860b", "#d16ba5"]


def draw_pair(pair: Pair, tests: Tests, path: Path) -> None:
    """Write one row of two drawings per test, nodes colored by the classes of that test."""
    figure, axes = plt.subplots(len(tests), 2, figsize=(6.4, 2.7 * len(tests)), squeeze=False)
    positions = [_positions(graph) for graph in pair]
    for row, (title, criterion) in zip(axes, tests, strict=True):
        union, ptr = disjoint_union(list(pair))
        classes = criterion.classes(union, ptr)
        parts = [classes[: ptr[1]], classes[ptr[1] :]]
        same = sorted(parts[0].tolist()) == sorted(parts[1].tolist())
        for axis, graph, place, part in zip(row, pair, positions, parts, strict=True):
            _draw(axis, graph, place, part)
        verdict = "equal" if same else "different"
        row[0].set_title(f"{title}: {verdict}", loc="left", fontsize=10)
    figure.tight_layout()
    # Without a date and with a fixed salt for identifiers, every run writes the same bytes.
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)


def _positions(graph: Graph) -> Positions:
    """Return where to put each node: a hub joined to all others above a line of them, otherwise a spring."""
    hubs = np.flatnonzero(graph.degrees == graph.num_nodes - 1)
    others = [v for v in range(graph.num_nodes) if v not in hubs]
    copy = nx.Graph([(v, u) for v in range(graph.num_nodes) for u in graph.neighbors(v)])
    if len(hubs) != 1:
        return _side_by_side(copy)
    parts = list(nx.connected_components(copy.subgraph(others)))
    positions: Positions = {int(hubs[0]): (len(others) / 2 - 0.5, 2.6)}
    start = 0
    for part in sorted(parts, key=min):
        ring = copy.subgraph(part)
        is_ring = all(degree == 2 for _, degree in ring.degree)
        for step, v in enumerate(sorted(part)):
            angle = 2 * np.pi * step / len(part) + np.pi / 4
            spot = (start + step, 0.35 * (step % 2))
            middle = start + (len(part) - 1) / 2
            positions[v] = (middle + 0.9 * np.cos(angle), 0.9 * np.sin(angle)) if is_ring else spot
        start += len(part)
    return positions


def _side_by_side(graph: nx.Graph) -> Positions:
    """Return a spring layout of each component, next to each other."""
    positions: Positions = {}
    for number, part in enumerate(sorted(nx.connected_components(graph), key=min)):
        component = graph.subgraph(part)
        start = nx.planar_layout(component) if nx.is_planar(component) else None
        for v, (x, y) in nx.kamada_kawai_layout(component, pos=start).items():
            positions[v] = (x + 2.6 * number, y)
    return positions


def _draw(axis: Axes, graph: Graph, positions: Positions, classes: Int64s) -> None:
    edges = [(v, u) for v in range(graph.num_nodes) for u in graph.neighbors(v) if v < u]
    for u, v in edges:
        axis.plot(*zip(positions[u], positions[v], strict=True), color="#999999", linewidth=1, zorder=1)
    spots = np.array([positions[v] for v in range(graph.num_nodes)])
    axis.scatter(
        *spots.T, c=[COLORS[number % len(COLORS)] for number in classes], s=110, zorder=2, edgecolors="white"
    )
    axis.set_axis_off()
    axis.margins(0.15)


def graph6(first: str, second: str) -> Pair:
    """Return the graphs of two graph6 strings."""
    return named.from_graph6(first), named.from_graph6(second)


def pictures() -> dict[str, tuple[Pair, Tests]]:
    """Return name → (pair of graphs, tests shown)."""
    wl = ("1-WL", named_criterion("1-wl"))

    def total(radius: int) -> tuple[str, Criterion]:
        return (f"radius {radius}", named_criterion("total", radius))

    every = ("all radii together", named_criterion("total", tuple(range(1, 9))))
    on_top = ("radius 1, then 1-WL", named_criterion("total", 1).with_refinement())
    triangles = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    return {
        "lemma1_all_radii": (named.cone_pair(8), [wl, every, on_top]),
        "lemma1_radius1": (graph6("E?qo", "ECR_"), [wl, total(1)]),
        "lemma1_radius2": (graph6("FCZeo", "FCpv_"), [wl, total(2)]),
        "lemma1_radius3": (graph6("F?rf_", "FCRVO"), [wl, total(3)]),
        "larger_radius": (graph6("EQzO", "EEz_"), [total(1), total(2)]),
        "lemma2": (graph6("EQjO", "EEj_"), [wl, total(1)]),
        "rings": ((named.cycle(6), triangles), [wl, total(1)]),
        "figure2": (named.figure2(), [wl, total(1)]),
        "layered_total": (
            graph6("H?ovEaq", "H?bL`rg"),
            [("layered, radius 2", named_criterion("layered", 2)), total(2)],
        ),
    }


def draw_stability(path: Path) -> None:
    """Write a dot plot: a row per graph, the share of nodes that change when one edge is removed."""
    lines = [json.loads(line) for line in STABILITY.read_text("utf-8").splitlines()]
    kinds = {
        "wl_stable": ("1-WL, stable colors", "s", COLORS[1]),
        "wl_2_rounds": ("1-WL, two rounds", "D", COLORS[5]),
        "encoding_radius_1": ("encoding, radius 1", "o", COLORS[0]),
        "encoding_radius_2": ("encoding, radius 2", "^", COLORS[2]),
    }
    figure, axis = plt.subplots(figsize=(6.4, 5.6))
    rows = np.arange(len(lines))[::-1]
    for key, (title, marker, color) in kinds.items():
        shares = [100 * line[key]["mean"] for line in lines]
        axis.scatter(shares, rows, label=title, marker=marker, color=color, s=28, zorder=2)
    axis.set_yticks(rows, [f"{line['graph']} ({line['nodes']:,})" for line in lines], fontsize=8)
    axis.set_xscale("log")
    axis.set_xticks([0.1, 1, 10, 100], ["0.1 %", "1 %", "10 %", "100 %"])
    axis.set_xlabel("nodes that change")
    axis.grid(axis="both", color="#dddddd", linewidth=0.6, zorder=0)
    axis.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=2, frameon=False, fontsize=9)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main(folder: Path) -> None:
    """Write every picture into a folder."""
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "egonet"
    mpl.rcParams["svg.fonttype"] = "none"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (pair, tests) in pictures().items():
        draw_pair(pair, tests, folder / f"theory_{name}.svg")
    draw_stability(folder / "theory_stability.svg")
    (folder / "theory_ladder.svg").write_text(ladder_plot(read_scores(SCORES)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "pictures")
