"""Draws every picture of the README and the documentation into docs/pictures: `make pictures`."""

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib import pyplot

import egonet
from egonet.viz import draw_classes, draw_histogram, draw_rings
from egonet.wl.refine import wl_colors

PICTURES = Path(__file__).parent / "pictures"
#: Text as text, and nothing in the file that changes from day to day.
STYLE = {
    "svg.hashsalt": "egonet",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["Inter", "Helvetica", "Arial", "DejaVu Sans"],
}
INK, MUTED = "#1b1f24", "#646b74"


def save(name: str) -> None:
    """Write the current figure and close it."""
    pyplot.savefig(PICTURES / f"{name}.svg", metadata={"Date": None, "Creator": None})
    pyplot.close()


def polygon(sides: int, start: float) -> np.ndarray:
    """Return the corners of a regular polygon with unit sides around the origin, from an angle on, clockwise."""
    turns = np.radians(start) - 2 * np.pi * np.arange(sides) / sides
    return np.stack([np.cos(turns), np.sin(turns)], axis=1) / (2 * np.sin(np.pi / sides))


def decalin_places() -> np.ndarray:
    """Return two fused hexagons: the ring bond 0-5 upright between them."""
    right = polygon(6, 150) + np.array([np.sqrt(3) / 2, 0])
    left = right * [-1, 1]
    # right[0] and right[5] are the shared bond; clockwise from 0 on the right 1-4, back from 5 on the left 6-9.
    return np.concatenate([right[[0, 1, 2, 3, 4, 5]], left[[4, 3, 2, 1]]])


def bicyclopentyl_places() -> np.ndarray:
    """Return two pentagons joined by the level bond 0-5."""
    left = polygon(5, 0)
    return np.concatenate([left - [0.5 + left[0, 0], 0], (-left) * [1, 1] + [0.5 + left[0, 0], 0]])


def two_molecules() -> None:
    """Draw decalin beside bicyclopentyl, colored as 1-WL sees them and as radius 2 does."""
    graphs = [egonet.named.decalin(), egonet.named.bicyclopentyl()]
    places = [decalin_places(), bicyclopentyl_places()]
    encoded = egonet.encode(graphs, radius=2).classes
    sides = [("1-WL: the same colors, one graph", wl_colors(graphs)),
             ("egonet, radius 2: no color in common", encoded)]  # fmt: skip
    figure = pyplot.figure(figsize=(9.6, 2.75), facecolor="white")
    for side, (title, classes) in enumerate(sides):
        axes = figure.add_axes((0.01 + 0.5 * side, 0.03, 0.48, 0.8))
        both = _joined(graphs[0], graphs[1])
        spots = np.concatenate([places[0] - [2.25, 0], places[1] + [2.35, 0]])
        draw_classes(both, classes, positions=spots, size=17, ax=axes)
        axes.set_title(title, fontsize=12, color=INK, fontweight="bold", pad=10)
        for name, x in (("decalin", -2.25), ("bicyclopentyl", 2.35)):
            axes.text(x, -1.62, name, ha="center", color=MUTED, fontsize=10.5)
        axes.set_xlim(-4.5, 4.75)
        axes.set_ylim(-1.75, 1.35)
    figure.add_artist(matplotlib.lines.Line2D([0.5, 0.5], [0.1, 0.92], color="#e2e0da", linewidth=1))
    save("two_molecules")


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
    """Draw the paper's first figure: the rings around the root, and the histogram they give."""
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


def main() -> None:
    """Draw everything."""
    PICTURES.mkdir(exist_ok=True)
    with matplotlib.rc_context(STYLE):
        two_molecules()
        figure1()
        karate_club()


if __name__ == "__main__":
    main()
