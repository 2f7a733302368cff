"""Where nodes are drawn: by distances for a whole graph, on rings for an ego-network; no chance involved."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from egonet.errors import InputError
from egonet.graph.graph import Graph
from egonet.typing import Floats

MAX_DRAWN = 2000


def layout(graph: Graph) -> Floats:
    """Return places in the plane whose distances resemble hops; the same graph gives the same places.

    Classical scaling of the distances, then stress majorization, which weighs near nodes more.

    Examples
    --------
    >>> import egonet
    >>> places = layout(egonet.named.path("abc"))
    >>> float(abs(places[0] - places[2]).max().round(3))
    2.0
    """
    if graph.num_nodes > MAX_DRAWN:
        raise InputError(
            f"a picture shows at most {MAX_DRAWN:,} nodes, got {graph.num_nodes:,}. Use the explorer."
        )
    hops = _hops(graph)
    places = _scaled(hops)
    near = np.where(hops > 0, hops, 1.0)
    weights = np.where(hops > 0, near**-2, 0.0)
    total = np.maximum(weights.sum(axis=1), 1e-12)
    for _ in range(200 if graph.num_nodes <= 300 else 30):
        apart = np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=2))
        pull = weights * hops / np.maximum(apart, 1e-9)
        places = (weights @ places + pull.sum(axis=1)[:, None] * places - pull @ places) / total[:, None]
    return places


def ring_positions(neighbors: list[list[int]], distance: dict[int, int]) -> dict[int, tuple[float, float]]:
    """Return a place per node: on the circle of its distance, near the nodes it is joined to.

    Examples
    --------
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
                [_wish(neighbors, v, distance, angle, inner_only=sweep == 0) for v in members],
            )
    return {
        v: (ring * float(np.sin(angle[v])), ring * float(np.cos(angle[v]))) for v, ring in distance.items()
    }


def _wish(
    neighbors: list[list[int]],
    v: int,
    distance: dict[int, int],
    angle: dict[int, float],
    *,
    inner_only: bool,
) -> float | None:
    """Return the mean direction of a node's placed neighbors, those nearer to the root counting double."""
    pull = 0j
    for w in neighbors[v]:
        if w in angle and distance[w] > 0:
            weight = 2.0 if distance[w] < distance[v] else 0.0 if inner_only else 1.0
            pull += weight * np.exp(1j * angle[w])
    return float(np.angle(pull)) if abs(pull) > 1e-9 else angle.get(v)


def _spread(members: list[int], angle: dict[int, float], wishes: list[float | None]) -> None:
    """Space the nodes of a ring evenly in the order of their wishes, turned to fit them best."""
    step = 2 * np.pi / len(members)
    wished = [place * step if wish is None else wish % (2 * np.pi) for place, wish in enumerate(wishes)]
    order = sorted(range(len(members)), key=lambda place: (wished[place], members[place]))
    left = sum(np.exp(1j * (wished[member] - place * step)) for place, member in enumerate(order))
    turn = float(np.angle(left)) if abs(left) > 1e-9 else 0.0
    for place, member in enumerate(order):
        angle[members[member]] = place * step + turn


def _hops(graph: Graph) -> Floats:
    """Return all distances; nodes of different components are two hops farther than any others."""
    ones = np.ones(len(graph.indices), dtype=np.int8)
    matrix = csr_array((ones, graph.indices, graph.indptr), shape=(graph.num_nodes, graph.num_nodes))
    hops: Floats = shortest_path(matrix, directed=False, unweighted=True)
    reached = np.isfinite(hops)
    return np.where(reached, hops, hops[reached].max(initial=0) + 2)


def _scaled(hops: Floats) -> Floats:
    """Return the places of classical scaling, signs fixed so that they do not depend on the linear algebra."""
    if len(hops) < 3:
        return np.stack([np.arange(len(hops), dtype=np.float64), np.zeros(len(hops))], axis=1)
    squares = hops**2
    centerd = -(squares - squares.mean(0) - squares.mean(1)[:, None] + squares.mean()) / 2
    values, vectors = np.linalg.eigh(centerd)
    axes = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 1e-9))
    # A symmetric graph may put two nodes on one spot; a nudge by row number lets majorization part them.
    nudge = 1e-3 * np.stack([np.cos(2.4 * np.arange(len(hops))), np.sin(2.4 * np.arange(len(hops)))], axis=1)
    leading = axes[np.abs(axes).argmax(axis=0), [0, 1]]
    scaled: Floats = axes * np.where(leading < 0, -1.0, 1.0) + nudge
    return scaled
