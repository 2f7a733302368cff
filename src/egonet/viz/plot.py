"""Drawings with matplotlib and their layouts: a graph colored by class, an ego-network on rings, a histogram."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from scipy.sparse import csr_array

from egonet.checks import as_flag
from egonet.encoding.encoding import Encoding
from egonet.encoding.settings import Radius, Settings, SettingsOptions, as_settings
from egonet.encoding.signature import list_options
from egonet.encoding.vocabulary import degree_name
from egonet.errors import InputError, require_extra, show_value
from egonet.graph.adapters import as_graph
from egonet.graph.graph import Graph
from egonet.graph.input_options import ReadOptions
from egonet.kernel.reference import ego_keys
from egonet.typing import Floats, Int64s

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The palette of Okabe and Ito for color-blind readers; a class of one node is drawn hollow.
COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#7a7f87")
#: By distance from the root.
RING_COLORS = ("#0f3557", "#1f6091", "#4b93c3", "#94c4e1", "#cfe4f1")

_DARK_FILLS = {"#0072b2", "#009e73", "#d55e00", "#7a7f87", "#0f3557", "#1f6091"}
_EDGE, _INK, _MUTED = "#9aa1a9", "#1b1f24", "#646b74"
MAX_DRAWN = 2000


@list_options
def draw_classes(
    graph: Any,
    classes: Sequence[int] | Int64s,
    *,
    positions: Floats | None = None,
    numbers: bool = True,
    names: bool = False,
    size: float = 14.0,
    ax: "Axes | None" = None,
    **reading: Unpack[ReadOptions],
) -> "Axes":
    """Return axes with the graph drawn. A color and number is a class; classes of one node are hollow.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts, with at most 2,000 nodes.
    classes
        One whole number per node, in row order: `encode(graph).classes`, or 1-WL colors.
    positions
        float (num_nodes, 2): positions of the nodes; `layout(graph)` if not given.
    numbers, names
        Whether class numbers are drawn in nodes, and node ids below them.
    size
        The diameter of a node in points.
    ax
        Axes to draw on; a new figure if not given.
    directed, source, target, num_nodes, nodes, missing, ids, simplify
        How the graph is read, as for `as_graph`.

    Examples
    --------
    >>> import egonet
    >>> path = egonet.named.path("abc")
    >>> len(draw_classes(path, egonet.encode(path, 1).classes).texts)
    3
    """
    numbers, names = as_flag("numbers", numbers), as_flag("names", names)
    graph = as_graph(graph, **reading)
    class_numbers = np.asarray(classes)
    if class_numbers.shape != (graph.num_nodes,):
        raise InputError(
            f"classes must have one entry per node: {graph.num_nodes:,}, got shape {class_numbers.shape}."
        )
    points = layout(graph) if positions is None else np.asarray(positions, dtype=np.float64)
    fills = class_colors(class_numbers)
    axes = _axes(ax)
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    once = source < graph.indices if graph.directed is None else np.ones(len(source), dtype=bool)
    ends = np.stack([points[source[once]], points[graph.indices[once]]], axis=1)
    _draw_lines(axes, list(ends), color=_EDGE, width=size / 9)
    rims = [_MUTED if fill is None else "white" for fill in fills]
    _draw_discs(axes, points, [fill or "white" for fill in fills], rims, size)
    for v, (x, y) in enumerate(points.tolist()):
        if numbers:
            _write(axes, x, y, str(class_numbers[v]), fills[v] or "white", size * 0.56)
        if names:
            axes.annotate(
                str(graph.node_ids[v]), (x, y), (0, -0.95 * size), textcoords="offset points",
                ha="center", va="center", color=_MUTED, fontsize=size * 0.55, parse_math=False,
            )  # fmt: skip
    return axes


class DrawOptions(SettingsOptions, ReadOptions):
    """The keywords of `draw_rings` that say what is counted, and how the graph is read."""


@list_options
def draw_rings(
    graph: Any,
    node: Hashable,
    settings: Settings | Radius | None = None,
    *,
    size: float = 17.0,
    ax: "Axes | None" = None,
    **options: Unpack[DrawOptions],
) -> "Axes":
    """Return axes with a node's ego-network on rings by distance, each node labeled with its degree inside.

    Edges that do not count are not drawn.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts.
    node
        The id of the node in the middle.
    settings, radius, degrees, frontier_edges, max_degree
        What is counted, as for `encode`, with one radius. The other settings must have their defaults.
    degree_bins, layout
        Not drawn: other values than the defaults raise.
    rooted, common, cap, depth, follow, weight_bins, count
        More of what is counted, as for `egonet.encode`.
    size
        The size of a node, in points.
    ax
        The axes to draw on; new ones if not given.
    directed, source, target, num_nodes, nodes, missing, ids, simplify
        How the graph is read, as for `as_graph`.

    Examples
    --------
    >>> import egonet
    >>> axes = draw_rings(egonet.named.figure1(), 0)
    >>> sorted(text.get_text() for text in axes.texts)
    ['2', '2', '3', '3', '4', '4', 'distance 1', 'distance 2']
    """
    keywords: dict[str, Any] = dict(options)
    reading = {name: keywords.pop(name) for name in ReadOptions.__annotations__ if name in keywords}
    chosen = as_settings(settings, keywords)
    radius, degrees, most = chosen.radius[0], chosen.degrees, chosen.max_degree
    if degrees == "in_out":
        raise InputError('drawings show degrees "total", "layered" or "full", got "in_out".')
    if chosen != Settings(radius, degrees=degrees, frontier_edges=chosen.frontier_edges, max_degree=most):
        raise InputError(
            f"a drawing has one radius, degrees, frontier_edges and max_degree, got {chosen}. Leave the rest out."
        )
    graph = as_graph(graph, **reading)
    root = graph.index_of(node)
    rows = [graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist() for v in range(graph.num_nodes)]
    keys = ego_keys(rows, root, radius, degrees=degrees, frontier_edges=chosen.frontier_edges)
    positions = ring_positions(rows, {v: key[0] for v, key in keys.items()})
    axes = _axes(ax)
    turns = np.linspace(0, 2 * np.pi, 181)
    for ring in range(1, max(key[0] for key in keys.values()) + 1):
        axes.plot(ring * np.cos(turns), ring * np.sin(turns), color="#e2e0da", linewidth=1, zorder=0)
        _label_ring(axes, ring, [positions[v] for v, key in keys.items() if key[0] == ring])
    edges = [(u, w) for u in keys for w in rows[u] if w in keys and (graph.directed or u < w)]
    if not chosen.frontier_edges:
        edges = [(u, w) for u, w in edges if min(keys[u][0], keys[w][0]) < radius]
    curves = [_curve(positions[u], positions[w], along=keys[u][0] == keys[w][0]) for u, w in edges]
    _draw_lines(axes, curves, color="#5c636c", width=1.1)
    fills = [RING_COLORS[min(key[0], 4)] for key in keys.values()]
    _draw_discs(axes, np.array([positions[v] for v in keys]), fills, ["white"] * len(fills), size)
    for (v, key), fill in zip(keys.items(), fills, strict=True):
        shown = key[1:] if most is None else [min(degree, most) for degree in key[1:]]
        _write(axes, *positions[v], "/".join(map(str, shown)), fill, size * 0.56)
    return axes


def draw_histogram(encoding: Encoding, node: Hashable, *, ax: "Axes | None" = None) -> "Axes":
    """Return axes with one node's counts as bars, one color per distance.

    >>> import egonet
    >>> encoding = egonet.encode(egonet.named.path("abc"), radius=1)
    >>> [label.get_text() for label in draw_histogram(encoding, "b").get_yticklabels()]
    ['distance 0, degree 2', 'distance 1, degree 1']
    """
    axes = _axes(ax, bare=False)
    from matplotlib.ticker import MaxNLocator

    settings = encoding.vocabulary.settings
    several = len(settings.radius) > 1
    row = encoding[node]
    names = []
    for index, (key, count) in enumerate(row.items()):
        own = key[1:] if several else key
        axes.barh(index, count, color=RING_COLORS[min(own[0], 4)], height=0.6)
        axes.annotate(
            f"{count:,}", (count, index), (4, 0), textcoords="offset points", va="center", color=_INK
        )
        # Not strict: with edge types, nodes have no label.
        fields = zip(encoding.vocabulary.schema.field_names[1:], own[1:], strict=False)
        degrees = ", ".join(_field_text(name, value, settings) for name, value in fields)
        names.append((f"radius {key[0]}, " if several else "") + f"distance {own[0]}, {degrees}")
    axes.set_yticks(range(len(names)), names, parse_math=False)
    axes.invert_yaxis()
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("nodes")
    axes.margins(x=0.12)
    return axes


def _field_text(name: str, value: Any, settings: Settings) -> str:
    """Return one field of a key as text: "degree 4", "same 1", "label C"."""
    if name == "label":
        return f"label {value}"
    return f"{'degree' if name == 'deg' else name} {degree_name(value, settings)}"


def class_colors(classes: Int64s) -> list[str | None]:
    """Return the color of every node, by class size; None for a class of one node.

    >>> class_colors(np.array([0, 1, 1, 2, 2, 2]))
    [None, '#e69f00', '#e69f00', '#0072b2', '#0072b2', '#0072b2']
    """
    values, first, sizes = np.unique(classes, return_index=True, return_counts=True)
    order = sorted(range(len(values)), key=lambda i: (-sizes[i], first[i]))
    shared = [values[i] for i in order if sizes[i] > 1]
    color = {number: COLORS[rank % len(COLORS)] for rank, number in enumerate(shared)}
    return [color.get(number) for number in classes]


def _curve(a: tuple[float, float], b: tuple[float, float], *, along: bool) -> Floats:
    """Return points of an edge: curved outward along a ring, curved around the root if it crosses it, else straight."""
    start, end = np.array(a), np.array(b)
    middle, across = (start + end) / 2, end - start
    chord, out = float(np.hypot(*across)), float(np.hypot(*middle))
    aside = np.array([across[1], -across[0]]) / max(chord, 1e-9)
    if along:
        control = middle + 0.22 * chord * (middle / out if out > 1e-6 else 2 * aside)
    elif min(np.hypot(*start), np.hypot(*end)) > 0 and abs(float(aside @ start)) < 0.3 and start @ end < 0:
        control = middle + 0.9 * aside
    else:
        control = middle
    t = np.linspace(0, 1, 24)[:, None]
    points: Floats = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
    return points


def _label_ring(axes: "Axes", ring: int, positions: list[tuple[float, float]]) -> None:
    """Draw the distance of a ring in the widest gap between its nodes."""
    angles = np.sort([float(np.arctan2(y, x)) for x, y in positions])
    gaps = np.diff([*angles, angles[0] + 2 * np.pi])
    widest = int(np.argmax(np.round(gaps, 6)))
    turn = angles[widest] + gaps[widest] / 2
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
    x, y = ring * np.cos(turn), ring * np.sin(turn)
    style: Any = {"ha": "center", "va": "center", "fontsize": 8, "color": _MUTED, "zorder": 1.5}
    axes.text(x, y, f"distance {ring}", bbox=box, **style)


def _write(axes: "Axes", x: float, y: float, text: str, fill: str, size: float) -> None:
    """Draw text in a node: white on dark fills, smaller if long."""
    ink = "white" if fill in _DARK_FILLS else _INK
    fitted = size if len(text) <= 2 else size * 2 / len(text)
    axes.text(
        x, y, text, ha="center", va="center_baseline", fontsize=fitted, color=ink, fontweight="bold", zorder=3
    )


def _draw_lines(axes: "Axes", lines: list[Floats], *, color: str, width: float) -> None:
    from matplotlib.collections import LineCollection

    axes.add_collection(LineCollection(lines, colors=color, linewidths=width, capstyle="round", zorder=1))


def _draw_discs(axes: "Axes", positions: Floats, fills: list[str], rims: list[str], size: float) -> None:
    """Draw nodes as one collection of discs of `size` points."""
    axes.scatter(
        positions[:, 0], positions[:, 1], s=size**2, c=fills, edgecolors=rims, linewidths=size / 11, zorder=2
    )


def _axes(ax: "Axes | None", *, bare: bool = True) -> "Axes":
    """Return the given axes or new ones, without a frame (`bare`: without ticks, and with equal scales)."""
    pyplot = require_extra("matplotlib.pyplot", "plot", extra="plot")
    if ax is not None and not hasattr(ax, "set_axis_off"):
        raise InputError(f"ax must be axes of matplotlib, got {show_value(ax)}.")
    axes = pyplot.subplots(layout="constrained")[1] if ax is None else ax
    if bare:
        axes.set_axis_off()
        axes.set_aspect("equal")
        axes.margins(0.12)
    else:
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(left=False)
    return axes


def layout(graph: Graph) -> Floats:
    """Return positions in the plane whose distances approximate hops, (num_nodes, 2); deterministic.

    Classical scaling of the distances, then stress majorization, which gives near nodes more weight.

    >>> import egonet
    >>> positions = layout(egonet.named.path("abc"))
    >>> float(abs(positions[0] - positions[2]).max().round(3))
    2.0
    """
    if graph.num_nodes > MAX_DRAWN:
        raise InputError(
            f"a picture shows at most {MAX_DRAWN:,} nodes, got {graph.num_nodes:,}. Use the explorer."
        )
    hops = _hops(graph)
    positions = _scale_distances(hops)
    near = np.where(hops > 0, hops, 1.0)
    weights = np.where(hops > 0, near**-2, 0.0)
    total = np.maximum(weights.sum(axis=1), 1e-12)
    for _ in range(200 if graph.num_nodes <= 300 else 30):
        apart = np.sqrt(((positions[:, None] - positions[None]) ** 2).sum(axis=2))
        pull = weights * hops / np.maximum(apart, 1e-9)
        positions = (weights @ positions + pull.sum(axis=1)[:, None] * positions - pull @ positions) / total[
            :, None
        ]
    return positions


def ring_positions(neighbors: list[list[int]], distance: dict[int, int]) -> dict[int, tuple[float, float]]:
    """Return the position of every node: on the circle of its distance, close to its neighbors.

    >>> ring_positions([[1], [0]], {0: 0, 1: 1})[0]
    (0.0, 0.0)
    """
    rings: list[list[int]] = [[] for _ in range(max(distance.values()) + 1)]
    for v, ring in distance.items():
        rings[ring].append(v)
    angle = dict.fromkeys(rings[0], 0.0)
    for sweep in range(13):
        for members in rings[1:]:
            _spread(
                members,
                angle,
                [_preferred_angle(neighbors, v, distance, angle, inner_only=sweep == 0) for v in members],
            )
    return {
        v: (ring * float(np.sin(angle[v])), ring * float(np.cos(angle[v]))) for v, ring in distance.items()
    }


def _preferred_angle(
    neighbors: list[list[int]],
    v: int,
    distance: dict[int, int],
    angle: dict[int, float],
    *,
    inner_only: bool,
) -> float | None:
    """Return the mean angle of a node's placed neighbors; those closer to the root count twice."""
    pull = 0j
    for w in neighbors[v]:
        if w in angle and distance[w] > 0:
            weight = 2.0 if distance[w] < distance[v] else 0.0 if inner_only else 1.0
            pull += weight * np.exp(1j * angle[w])
    return float(np.angle(pull)) if abs(pull) > 1e-9 else angle.get(v)


def _spread(members: list[int], angle: dict[int, float], preferred: list[float | None]) -> None:
    """Space the nodes of a ring evenly in the order of their preferred angles, with the best rotation."""
    step = 2 * np.pi / len(members)
    wanted = [i * step if want is None else want % (2 * np.pi) for i, want in enumerate(preferred)]
    order = sorted(range(len(members)), key=lambda i: (wanted[i], members[i]))
    offset = sum(np.exp(1j * (wanted[member] - i * step)) for i, member in enumerate(order))
    rotation = float(np.angle(offset)) if abs(offset) > 1e-9 else 0.0
    for i, member in enumerate(order):
        angle[members[member]] = i * step + rotation


def _hops(graph: Graph) -> Floats:
    """Return all distances; nodes of different components are two hops farther apart than any connected pair."""
    from scipy.sparse.csgraph import shortest_path  # loads all of scipy.linalg, which nothing else here needs

    ones = np.ones(len(graph.indices), dtype=np.int8)
    matrix = csr_array((ones, graph.indices, graph.indptr), shape=(graph.num_nodes, graph.num_nodes))
    hops: Floats = shortest_path(matrix, directed=False, unweighted=True)
    reached = np.isfinite(hops)
    return np.where(reached, hops, hops[reached].max(initial=0) + 2)


def _scale_distances(hops: Floats) -> Floats:
    """Return the positions of classical scaling, with fixed signs so that they do not depend on the LAPACK version."""
    if len(hops) < 3:
        return np.stack([np.arange(len(hops), dtype=np.float64), np.zeros(len(hops))], axis=1)
    squares = hops**2
    centered = -(squares - squares.mean(0) - squares.mean(1)[:, None] + squares.mean()) / 2
    values, vectors = np.linalg.eigh(centered)
    axes = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 1e-9))
    # Symmetric nodes may coincide; a small offset by row number lets majorization separate them.
    offset = 1e-3 * np.stack([np.cos(2.4 * np.arange(len(hops))), np.sin(2.4 * np.arange(len(hops)))], axis=1)
    leading = axes[np.abs(axes).argmax(axis=0), [0, 1]]
    scaled: Floats = axes * np.where(leading < 0, -1.0, 1.0) + offset
    return scaled
