"""Draws every picture of the README and the documentation into docs/pictures: `make pictures`."""

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

import egonet
from egonet.viz import draw_classes, draw_histogram, draw_rings
from egonet.viz.plot import RING_COLORS
from egonet.wl.refine import wl_colors

PICTURES = Path(__file__).parent / "pictures"
#: Text as text, and nothing in the file that changes from day to day.
STYLE = {
    "svg.hashsalt": "egonet",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["Inter", "Helvetica", "Arial", "DejaVu Sans"],
}
INK, MUTED, ACCENT = "#1b1f24", "#646b74", "#1f6091"


def save(name: str) -> None:
    """Write the current figure and close it."""
    pyplot.savefig(PICTURES / f"{name}.svg", metadata={"Date": None, "Creator": None})
    pyplot.close()


def polygon(sides: int, start: float) -> np.ndarray:
    """Return the corners of a regular polygon with unit sides around the origin, from an angle on, clockwise."""
    turns = np.radians(start) - 2 * np.pi * np.arange(sides) / sides
    return np.stack([np.cos(turns), np.sin(turns)], axis=1) / (2 * np.sin(np.pi / sides))


def decalin_layout() -> np.ndarray:
    """Return two fused hexagons: the ring bond 0-5 upright between them."""
    right = polygon(6, 150) + np.array([np.sqrt(3) / 2, 0])
    left = right * [-1, 1]
    # right[0] and right[5] are the shared bond; clockwise from 0 on the right 1-4, back from 5 on the left 6-9.
    return np.concatenate([right[[0, 1, 2, 3, 4, 5]], left[[4, 3, 2, 1]]])


def bicyclopentyl_layout() -> np.ndarray:
    """Return two pentagons joined by the level bond 0-5."""
    left = polygon(5, 0)
    return np.concatenate([left - [0.5 + left[0, 0], 0], (-left) * [1, 1] + [0.5 + left[0, 0], 0]])


def two_molecules() -> None:
    """Draw decalin and bicyclopentyl, colored by 1-WL on the left and by radius 2 on the right."""
    graphs = [egonet.named.decalin(), egonet.named.bicyclopentyl()]
    layouts = [decalin_layout(), bicyclopentyl_layout()]
    encoded = egonet.encode(graphs, radius=2).classes
    sides = [("1-WL: the same colors, one graph", wl_colors(graphs)),
             ("egonet, radius 2: no color in common", encoded)]  # fmt: skip
    for name, narrow in (("two_molecules", False), ("two_molecules_narrow", True)):
        figure = pyplot.figure(figsize=(4.8, 5.2) if narrow else (9.6, 2.75), facecolor="white")
        for side, (title, classes) in enumerate(sides):
            below = 0.515 - 0.5 * side
            axes = figure.add_axes(
                (0.02, below, 0.96, 0.4) if narrow else (0.01 + 0.5 * side, 0.03, 0.48, 0.8)
            )
            both = _joined(graphs[0], graphs[1])
            positions = np.concatenate([layouts[0] - [2.25, 0], layouts[1] + [2.35, 0]])
            draw_classes(both, classes, positions=positions, size=17, ax=axes)
            axes.set_title(title, fontsize=12, color=INK, fontweight="bold", pad=10)
            for molecule, x in (("decalin", -2.25), ("bicyclopentyl", 2.35)):
                axes.text(x, -1.62, molecule, ha="center", color=MUTED, fontsize=10.5)
            axes.set_xlim(-4.5, 4.75)
            axes.set_ylim(-1.75, 1.35)
        if not narrow:
            figure.add_artist(matplotlib.lines.Line2D([0.5, 0.5], [0.1, 0.92], color="#e2e0da", linewidth=1))
        save(name)


def _joined(left: egonet.Graph, right: egonet.Graph) -> egonet.Graph:
    """Return two graphs as one."""
    pairs = [
        (shift + u, shift + int(w))
        for graph, shift in ((left, 0), (right, left.num_nodes))
        for u in range(graph.num_nodes)
        for w in graph.indices[graph.indptr[u] : graph.indptr[u + 1]]
        if u < w
    ]
    return egonet.Graph.from_edges(pairs, left.num_nodes + right.num_nodes)


def figure1() -> None:
    """Draw the paper's first figure: the rings around the root, and their histogram."""
    graph = egonet.named.figure1()
    _figure, (left, right) = pyplot.subplots(
        1, 2, figsize=(8.4, 3.8), layout="constrained", width_ratios=[5, 4]
    )
    draw_rings(graph, 0, 2, ax=left, size=22)
    draw_histogram(egonet.encode(graph, 2), 0, ax=right)
    right.set_title("what is counted", fontsize=11, color=INK, loc="left")
    left.set_title("the ego-network, labeled with degrees inside", fontsize=11, color=INK)
    save("rings_and_histogram")


def karate_club() -> None:
    """Draw the karate club colored by class at radius 1 and 2."""
    club = egonet.named.karate_club()
    _figure, sides = pyplot.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
    for radius, axes in zip((1, 2), sides, strict=True):
        draw_classes(club, egonet.encode(club, radius).classes, size=15, ax=axes)
        axes.set_title(f"radius {radius}", fontsize=12, color=INK)
    save("karate_club")


def _arrow(figure: Figure, left: float, right: float, height: float) -> None:
    """Draw an arrow between two panels, in coordinates of the figure."""
    style = {"arrowstyle": "-|>", "mutation_scale": 13, "color": ACCENT, "linewidth": 1.4}
    figure.add_artist(FancyArrowPatch((left, height), (right, height), transform=figure.transFigure, **style))


def _panel(figure: Figure, span: tuple[float, float], title: str, package: str) -> Axes:
    """Return the axes of one panel, with its title above and its package below."""
    axes = figure.add_axes((span[0], 0.30, span[1] - span[0], 0.52))
    axes.axis("off")
    middle = (span[0] + span[1]) / 2
    figure.text(middle, 0.91, title, ha="center", color=INK, fontsize=12, fontweight="bold")
    figure.text(middle, 0.215, package, ha="center", color=ACCENT, fontsize=10, family="monospace")
    return axes


def _lines(axes: Axes, lines: list[str], size: float = 11) -> None:
    """Write lines of monospaced text around the middle of some axes."""
    for number, line in enumerate(lines):
        height = 0.5 + 0.14 * ((len(lines) - 1) / 2 - number)
        axes.text(0.5, height, line, ha="center", va="center", color=INK, fontsize=size, family="monospace",
                  transform=axes.transAxes)  # fmt: skip


def _table(axes: Axes, encoding: egonet.Encoding) -> None:
    """Draw a small matrix of counts with ids and keys at its borders."""
    counts = encoding.matrix.toarray()
    for row, node in enumerate(encoding.nodes):
        axes.text(-0.45, row + 0.5, node, ha="right", va="center", color=MUTED, fontsize=11)
        for column, count in enumerate(counts[row]):
            fill = "#f4f3ef" if count == 0 else RING_COLORS[4 - min(count, 2)]
            axes.add_patch(Rectangle((column, row), 0.94, 0.94, color=fill, linewidth=0))
            axes.text(column + 0.47, row + 0.5, str(count), ha="center", va="center", color=INK, fontsize=11)
    for column, (_radius, distance, degree) in enumerate(encoding.vocabulary.keys.tolist()):
        axes.text(column + 0.47, -0.3, f"{distance},{degree}", ha="center", color=MUTED, fontsize=9.5)
    axes.set_xlim(-0.9, counts.shape[1])
    axes.set_ylim(counts.shape[0] + 0.1, -0.9)


def data_path() -> None:
    """Draw how four edges become a matrix, with the package that does each step."""
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
    graph = egonet.Graph.from_edges(edges)
    encoding = egonet.encode(graph, radius=1)
    figure = pyplot.figure(figsize=(11.6, 3.1), facecolor="white")
    file = _panel(figure, (0.01, 0.11), "edges", "io/")
    _lines(file, [f"{source},{target}" for source, target in edges])
    record = _panel(figure, (0.16, 0.34), "Graph", "graph/")
    layout = np.array([[-1, 0.6], [-1, -0.6], [0, 0], [1.1, 0]])
    draw_classes(graph, np.arange(4), positions=layout, numbers=False, size=17, ax=record)
    record.set(xlim=(-1.3, 1.4), ylim=(-0.9, 0.9))
    for node, (x, y) in zip(graph.nodes, layout, strict=True):
        record.text(x, y, node, ha="center", va="center", color=INK, fontsize=10.5, zorder=9)
    rings = _panel(figure, (0.385, 0.545), "ego-network of c", "kernel/ → native/")
    draw_rings(graph, "c", 1, ax=rings, size=17)
    counted = _panel(figure, (0.585, 0.735), "Encoding", "encoding/")
    _lines(counted, ["c →"] + [f"{key}: {count}" for key, count in encoding["c"].items()])
    _table(_panel(figure, (0.775, 0.99), "matrix", "encoding/"), encoding)
    for left, right in ((0.115, 0.155), (0.345, 0.38), (0.55, 0.59), (0.73, 0.77)):
        _arrow(figure, left, right, 0.56)
    users = "used by   sklearn/ · pyg.py · store/ · embeddings/ · wl/ · explanation/   →   viz/   →   cli/"
    figure.text(0.5, 0.05, users, ha="center", color=MUTED, fontsize=10.5, family="monospace")
    save("data_path")


def main() -> None:
    """Draw everything."""
    PICTURES.mkdir(exist_ok=True)
    with matplotlib.rc_context(STYLE):
        two_molecules()
        figure1()
        karate_club()
        data_path()


if __name__ == "__main__":
    main()
