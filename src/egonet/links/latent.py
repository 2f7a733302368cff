"""What the leading eigenvectors of a graph say of pairs, with the pair's own edge removed in closed form."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, diags_array

from egonet.graph.graph import Graph
from egonet.links.around import Columns, has_edge
from egonet.links.walks import matrix_entries, update_entries
from egonet.typing import Array, Int64s

#: Every scale needs two dense matrices of all nodes: this many nodes take 6.4 GB.
MOST_NODES = 10_000
#: Eigenvalues well above a scale count, those well below do not: of the adjacency matrix A, and of D^-1/2 A D^-1/2.
SCALES, DEGREE_SCALES = (2.0, 8.0), (0.2, 0.8)


@dataclass(frozen=True, eq=False)
class LatentMatrix:
    """The inverse from which entries are read for one scale.

    Attributes
    ----------
    scale
        s.
    by_degrees
        Whether M is D^-1/2 A D^-1/2, where nodes without an edge count as degree 1; else M is A.
    inverse
        (M - i s)^-1, complex128 (num_nodes, num_nodes).
    """

    scale: float
    by_degrees: bool
    inverse: Array


def latent_matrices(graph: Graph) -> tuple[LatentMatrix, ...]:
    """Return the matrices of a graph, one for each scale; each takes num_nodes^3 steps."""
    plain = csr_array(graph.to_scipy().astype(np.float64))
    root = diags_array(1 / np.sqrt(np.maximum(graph.degrees, 1)))
    kinds = [(plain, SCALES, False), (csr_array(root @ plain @ root), DEGREE_SCALES, True)]
    return tuple(
        LatentMatrix(scale, by_degrees, _inverse(matrix, scale))
        for matrix, scales, by_degrees in kinds
        for scale in scales
    )


def _inverse(matrix: csr_array, scale: float) -> Array:
    """Return (M - i s)^-1 of a symmetric matrix, which is (M + i s) (M^2 + s^2)^-1."""
    even = np.linalg.inv((matrix @ matrix).toarray() + scale**2 * np.eye(matrix.shape[0]))
    return matrix @ even + 1j * scale * even


def latent(
    graph: Graph, matrices: tuple[LatentMatrix, ...], rows: Int64s, *, without_edge: bool = True
) -> Columns:
    """Return two entries of every pair for every scale s: of M W ("link") and of W ("alike"), W = M^2 (M^2 + s^2)^-1.

    W nearly keeps the eigenvectors of M whose eigenvalues are well above s. M W is close to M where the leading
    eigenvectors explain it: a soft reconstruction of low rank. An entry of W says how alike both ends are in them.
    Removing the edge uv changes the inverse in closed form, as for `walks`. Ten decimals, so that the order of a sum
    changes no tie.

    Examples
    --------
    The ends of a path of three are alike; if they were linked, the leading eigenvectors would not say so.

    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> found = latent(path, latent_matrices(path), np.array([[0, 2]]))
    >>> dict(zip(found.names[:2], found.values[0, :2].round(3).tolist()))
    {'latent_link_2': 0.0, 'latent_alike_2': 0.167}
    """
    u, v = rows.T
    edge = has_edge(graph, rows).astype(bool)
    gone = edge & without_edge
    degrees = np.maximum(graph.degrees[rows].astype(np.float64), 1)
    left = np.maximum(degrees - gone[:, None], 1)
    names, values = [], []
    for matrix in matrices:
        # The entries of (A - i s D)^-1, where D is 1 unless degrees count.
        weight, before = (left, degrees) if matrix.by_degrees else (np.ones_like(left), np.ones_like(left))
        entries = matrix_entries(matrix.inverse, u, v)
        entries /= np.sqrt(before[:, :, None] * before[:, None, :])
        change = np.zeros((len(rows), 2, 2), dtype=np.complex128)
        change[:, 0, 1] = change[:, 1, 0] = -1
        change[:, [0, 1], [0, 1]] = -1j * matrix.scale * (weight - before)
        entries[gone] = update_entries(entries[gone], change[gone])
        size = np.sqrt(weight.prod(axis=1))
        resolvent = entries[:, 0, 1] * size
        arcs_present = (edge & ~gone) / size
        kind = "degrees_" if matrix.by_degrees else ""
        names += [f"latent_link_{kind}{matrix.scale:g}", f"latent_alike_{kind}{matrix.scale:g}"]
        values += [arcs_present - matrix.scale**2 * resolvent.real, -matrix.scale * resolvent.imag]
    return Columns(names, np.column_stack(values).round(10))
