"""S3 and S4 of BREC's list: 1-WL started from the connected induced subgraphs of three or four nodes at each node."""

from collections.abc import Callable

import numpy as np

from egonet import Graph
from egonet.errors import InputError
from egonet.typing import Int64s
from egonet.wl import Criterion
from research.expressivity.peers import join_classes


def induced_subgraphs(size: int) -> Criterion:
    """Return 1-WL started from how many connected induced subgraphs of each type contain a node.

    Raises
    ------
    InputError
        If `size` is not 3 or 4.

    References
    ----------
    Wang, Zhang, "An Empirical Study of Realized GNN Expressiveness", ICML 2024, whose repository defines S3 and S4.
    """
    counts: dict[int, Callable[[Int64s], Int64s]] = {3: triples, 4: quadruples}
    if size not in counts:
        raise InputError(f"size must be 3 or 4, got {size!r}.")

    def classify(graph: Graph, graph_ptr: Int64s, _: object) -> Int64s:
        bounds = zip(graph_ptr[:-1].tolist(), graph_ptr[1:].tolist(), strict=True)
        parts = [counts[size](adjacency(graph, first, last)) for first, last in bounds]
        return join_classes(list(np.concatenate(parts).T))

    return Criterion(f"S{size}", classify, refined=True)


def adjacency(graph: Graph, first: int, last: int) -> Int64s:
    """Return the adjacency matrix of the nodes `first` to `last`, which have no other neighbors."""
    matrix = np.zeros((last - first, last - first), dtype=np.int64)
    source = np.repeat(np.arange(first, last), graph.degrees[first:last]) - first
    matrix[source, graph.indices[graph.indptr[first] : graph.indptr[last]] - first] = 1
    return matrix


def triples(near: Int64s) -> Int64s:
    """Return for every node the triangles and the induced paths of three nodes that contain it.

    Examples
    --------
    >>> triples(np.array([[0, 1, 1, 1], [1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]])).tolist()
    [[1, 2], [1, 1], [1, 1], [0, 2]]
    """
    degree = near.sum(1)
    triangles = (near @ near * near).sum(1) // 2
    paths = degree * (degree - 1) // 2 + near @ (degree - 1)
    return np.stack([triangles, paths - 3 * triangles], axis=1)


def quadruples(near: Int64s) -> Int64s:
    """Return for every node the induced paths, stars, rings, paws, diamonds and cliques of four nodes with it.

    A paw is a triangle with one more edge, a diamond a clique without one edge.

    Examples
    --------
    >>> quadruples(np.array([[0, 1, 1, 1], [1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]])).tolist()
    [[0, 0, 0, 1, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 1, 0, 0]]
    """
    degree = near.sum(1)
    common = near @ near  # paths of length 2; on the diagonal the degree
    on_edge = common * near
    triangles = on_edge.sum(1) // 2
    two_steps = common - np.diag(degree)
    # Subgraphs that need not be induced, by where the node is in them.
    ends = (two_steps * (degree - 1 - near)).sum(1)
    paths = ends + (near * np.outer(degree - 1, degree - 1) - on_edge).sum(1)
    stars = _triples_of(degree) + near @ _pairs_of(degree - 1)
    rings = _pairs_of(two_steps).sum(1)
    paws = (near * triangles - on_edge).sum(1) + triangles * (degree - 2) + on_edge @ (degree - 2)
    opposite = np.einsum("va,vb,ab->v", near, near, near * (common - 1), optimize=True) // 2
    diamonds = _pairs_of(on_edge).sum(1) + opposite
    cliques = np.array([_triangles_among(near, np.flatnonzero(row)) for row in near], dtype=np.int64)
    # How many of each the denser types contain.
    diamonds = diamonds - 6 * cliques
    paws = paws - 4 * diamonds - 12 * cliques
    rings = rings - diamonds - 3 * cliques
    stars = stars - paws - 2 * diamonds - 4 * cliques
    paths = paths - 4 * rings - 2 * paws - 6 * diamonds - 12 * cliques
    return np.stack([paths, stars, rings, paws, diamonds, cliques], axis=1)


def _pairs_of(count: Int64s) -> Int64s:
    return count * (count - 1) // 2


def _triples_of(count: Int64s) -> Int64s:
    return count * (count - 1) * (count - 2) // 6


def _triangles_among(near: Int64s, nodes: Int64s) -> int:
    inside = near[np.ix_(nodes, nodes)]
    return int((inside @ inside * inside).sum()) // 6
