"""Draws one small picture for every example of the gallery: `make pictures`."""

from pathlib import Path

import matplotlib
import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import egonet

FOLDER = Path(__file__).parent / "pictures"
COLORS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#7a7f87"]
EDGE = {"edge_color": "#9aa0a8", "width": 1.6}


def main() -> None:
    """Draw every picture."""
    draw("airport_roles", hubs_and_spokes)
    draw("changing_graph", an_edge_is_added)
    draw("explorer", classes_of_the_karate_club)
    draw("gin_with_encoding", triangles_and_hexagon)
    draw("larger_than_memory", graph_in_blocks)
    draw("molecules", molecule_and_columns)
    draw("payments", payments_in_a_circle)
    draw("predict_links", a_missing_link)
    draw("two_molecules", decalin_and_bicyclopentyl)
    draw("unseen_graph", learned_and_new)


def draw(name: str, paint: object) -> None:
    """Write one picture of 4 by 2.8 inches."""
    figure = Figure(figsize=(4, 2.8), layout="constrained")
    axes = figure.add_subplot()
    paint(axes)  # type: ignore[operator]
    axes.set_axis_off()
    axes.margins(0.12)
    with matplotlib.rc_context({"svg.hashsalt": "egonet"}):  # the same file every time
        figure.savefig(FOLDER / f"gallery_{name}.svg", metadata={"Date": None}, transparent=True)


def nodes(axes: Axes, graph: nx.Graph, layout: dict, size: int = 190, radius: int = 1) -> None:
    """Draw a graph, colored by encoding class."""
    classes = egonet.encode(graph, radius).classes.tolist()
    nx.draw_networkx_edges(graph, layout, ax=axes, **EDGE)
    colors = [COLORS[number % len(COLORS)] for number in classes]
    nx.draw_networkx_nodes(graph, layout, ax=axes, node_color=colors, node_size=size, edgecolors="white")


def hubs_and_spokes(axes: Axes) -> None:
    """Three hubs that know each other, each with five spokes."""
    graph = nx.cycle_graph(3)
    for hub in range(3):
        graph.add_edges_from((hub, 10 * (hub + 1) + spoke) for spoke in range(5))
    nodes(axes, graph, nx.kamada_kawai_layout(graph))


def an_edge_is_added(axes: Axes) -> None:
    """A grid with one new edge."""
    graph = nx.grid_2d_graph(5, 3)
    layout = {node: node for node in graph}
    nodes(axes, graph, layout)
    axes.plot([1, 2], [0, 1], color="#b3261e", linewidth=3, linestyle=(0, (2, 1)))


def classes_of_the_karate_club(axes: Axes) -> None:
    """The karate club by class."""
    graph = nx.Graph(nx.karate_club_graph().edges)
    nodes(axes, graph, nx.kamada_kawai_layout(graph, weight=None), size=90)


def payments_in_a_circle(axes: Axes) -> None:
    """Money that returns to where it came from."""
    graph = nx.cycle_graph(6, create_using=nx.DiGraph)
    graph.add_edges_from([(0, 10), (2, 11), (4, 12), (13, 1)])
    layout = nx.circular_layout(range(6))
    layout |= {10: layout[0] * 1.7, 11: layout[2] * 1.7, 12: layout[4] * 1.7, 13: layout[1] * 1.7}
    nx.draw_networkx_edges(graph, layout, ax=axes, arrowsize=14, node_size=190, **EDGE)
    colors = ["#d55e00" if node < 6 else "#56b4e9" for node in graph]
    nx.draw_networkx_nodes(graph, layout, ax=axes, node_color=colors, node_size=190, edgecolors="white")


def triangles_and_hexagon(axes: Axes) -> None:
    """Two triangles and a hexagon, which 1-WL does not tell apart."""
    both = nx.disjoint_union(nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3)), nx.cycle_graph(6))
    layout = {}
    for members, center, size in (
        ([0, 1, 2], (-1.1, 0.75), 0.55),
        ([3, 4, 5], (-1.1, -0.75), 0.55),
        (range(6, 12), (1, 0), 1),
    ):
        circle = nx.circular_layout(list(members))
        layout |= {node: (center[0] + size * x, center[1] + size * y) for node, (x, y) in circle.items()}
    nodes(axes, both, layout)


def decalin_and_bicyclopentyl(axes: Axes) -> None:
    """Decalin above bicyclopentyl: at radius 2 they have no class in common."""
    parts = [egonet.named.decalin().to_networkx(), egonet.named.bicyclopentyl().to_networkx()]
    both = nx.disjoint_union(*parts)
    layout = {}
    for first, part, height in ((0, parts[0], 0.8), (10, parts[1], -0.8)):
        found = nx.kamada_kawai_layout(nx.convert_node_labels_to_integers(part))
        points = np.array([found[node] for node in range(10)])
        axis = np.linalg.svd(points - points.mean(axis=0))[2]
        turned = (points - points.mean(axis=0)) @ axis.T
        layout |= {first + node: (1.5 * x, height + y) for node, (x, y) in enumerate(turned)}
    nodes(axes, both, layout, radius=2)


def molecule_and_columns(axes: Axes) -> None:
    """A molecule, and its row of a table."""
    graph = nx.cycle_graph(6)
    graph.add_edges_from([(0, 6), (3, 7), (7, 8), (7, 9)])
    layout = {node: (x - 1.5, y) for node, (x, y) in nx.kamada_kawai_layout(graph).items()}
    nodes(axes, graph, layout)
    counts = egonet.encode(graph, 1).matrix.sum(axis=0)
    for place, count in enumerate(counts.tolist()):
        axes.barh(0.8 - 0.22 * place, 0.1 * count, left=0.3, height=0.16, color="#1f6091")


def learned_and_new(axes: Axes) -> None:
    """Columns learned on one graph describe another."""
    graph = nx.disjoint_union(nx.star_graph(5), nx.wheel_graph(6))
    layout = {node: (x - 1.6, y) for node, (x, y) in nx.spring_layout(nx.star_graph(5), seed=1).items()}
    wheel = nx.spring_layout(nx.wheel_graph(6), seed=1)
    layout |= {node + 6: (x + 1.6, y) for node, (x, y) in wheel.items()}
    nodes(axes, graph, layout)
    axes.annotate("", (0.45, 0), (-0.45, 0), arrowprops={"arrowstyle": "-|>", "color": "#1f6091", "lw": 3})


def graph_in_blocks(axes: Axes) -> None:
    """A large grid, of which one block after another is in memory."""
    graph = nx.grid_2d_graph(12, 7)
    layout = {node: node for node in graph}
    nx.draw_networkx_edges(graph, layout, ax=axes, **EDGE)
    colors = ["#0072b2" if 4 <= x < 8 else "#c9ced6" for x, _ in graph]
    nx.draw_networkx_nodes(graph, layout, ax=axes, node_color=colors, node_size=55, edgecolors="white")
    axes.plot([3.5, 7.5, 7.5, 3.5, 3.5], [-0.6, -0.6, 6.6, 6.6, -0.6], color="#1f6091", linewidth=2.5)


def a_missing_link(axes: Axes) -> None:
    """Two nodes with common neighbors, and the edge in question."""
    graph = nx.Graph([(0, 2), (0, 3), (0, 4), (1, 3), (1, 4), (1, 5), (2, 3), (4, 5), (0, 6), (1, 7)])
    layout = {0: (-1, 0), 1: (1, 0), 2: (-0.9, 1), 3: (0, 0.8), 4: (0, -0.8), 5: (0.9, -1)}
    layout |= {6: (-1.9, -0.5), 7: (1.9, 0.5)}
    nx.draw_networkx_edges(graph, layout, ax=axes, **EDGE)
    axes.plot([-1, 1], [0, 0], color="#b3261e", linewidth=3, linestyle=(0, (2, 1)))
    colors = ["#e69f00" if node < 2 else "#009e73" if node in (3, 4) else "#56b4e9" for node in sorted(graph)]
    shown = {"node_color": colors, "node_size": 260, "edgecolors": "white"}
    nx.draw_networkx_nodes(graph, layout, nodelist=sorted(graph), ax=axes, **shown)


if __name__ == "__main__":
    main()
