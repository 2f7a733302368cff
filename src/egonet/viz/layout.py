"""Deterministic layouts: by distances for a whole graph, on rings for an ego-network."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from egonet.errors import InputError
from egonet.graph.graph import Graph
from egonet.typing import Floats

MAX_DRAWN = 2000


def layout(graph: Graph) -> Floats:
    """Return positions in the plane whose distances approximate hops, (num_nodes, 2); deterministic.

    Classical scaling of the distances, then stress majorization, which gives near nodes more weight.

    Examples
    --------
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
    positions = _scaled(hops)
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
    ones = np.ones(len(graph.indices), dtype=np.int8)
    matrix = csr_array((ones, graph.indices, graph.indptr), shape=(graph.num_nodes, graph.num_nodes))
    hops: Floats = shortest_path(matrix, directed=False, unweighted=True)
    reached = np.isfinite(hops)
    return np.where(reached, hops, hops[reached].max(initial=0) + 2)


def _scaled(hops: Floats) -> Floats:
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
