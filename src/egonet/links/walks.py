"""Katz and personalized PageRank between the ends of pairs, with the pair's own edge removed in closed form."""

from dataclasses import dataclass

import numpy as np

from egonet.errors import InputError
from egonet.graph.graph import Graph
from egonet.links.around import Columns, has_edge
from egonet.typing import Array, Floats, Int64s

#: Both need a dense matrix of all nodes: this many take 6.4 GB.
MOST_NODES = 20_000
KATZ, DAMPING = 0.001, 0.85


@dataclass(frozen=True, eq=False)
class WalkMatrices:
    """The inverses from which walks of all lengths are read.

    Attributes
    ----------
    katz
        (I - 0.001 A)^-1, float64 (num_nodes, num_nodes).
    green
        (D - 0.85 A)^-1, the same shape; nodes without an edge count as degree 1.
    """

    katz: Floats
    green: Floats


def walk_matrices(graph: Graph) -> WalkMatrices:
    """Return the matrices of a graph; they take num_nodes^3 steps."""
    size = graph.num_nodes
    if not has_katz(graph):
        raise InputError(
            f'the columns "walks" need a largest eigenvalue below {1 / KATZ:,.0f}, and that of this graph may be '
            f"{most_eigenvalue(graph):,.0f}. Leave them out."
        )
    dense = graph.to_scipy().astype(np.float64).toarray()
    katz = _inverse(np.eye(size) - KATZ * dense)
    green = _inverse(np.diag(np.maximum(graph.degrees, 1)) - DAMPING * dense)
    return WalkMatrices(katz, green)


def has_katz(graph: Graph) -> bool:
    """Return whether the sum over walks of all lengths is certain to be finite."""
    return KATZ * most_eigenvalue(graph) < 1


def most_eigenvalue(graph: Graph) -> float:
    """Return an upper bound of the eigenvalues of the adjacency matrix, which is exact for stars and regular graphs.

    It is the largest (A x)_i / x_i, which is a bound for any positive x, here the square roots of degrees.

    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 10)])
    >>> most_eigenvalue(star)
    3.0
    """
    roots = np.sqrt(np.maximum(graph.degrees, 1))
    return float((graph.to_scipy() @ roots / roots).max(initial=0.0))


def walks(graph: Graph, matrices: WalkMatrices, rows: Int64s, *, without_edge: bool = True) -> Columns:
    """Return Katz, personalized PageRank in both directions, and its cosine, of every pair.

    Removing the edge uv changes the inverted matrix in the rows and columns of u and v only, so that the entries
    between them follow from the two by two inverse (K^-1 + C)^-1, where K has the entries with the edge.

    Katz has 14 decimals and the others have ten, so that the order of a sum changes no tie.

    Examples
    --------
    Without its edge, a pair of nodes has no path.

    >>> graph = Graph.from_edges([(0, 1), (2, 3)])
    >>> walks(graph, walk_matrices(graph), np.array([[0, 1], [0, 2]])).values.round(12).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    u, v = rows.T
    gone = has_edge(graph, rows).astype(bool) & without_edge
    degrees = graph.degrees[rows].astype(np.float64)
    left = np.maximum(degrees - gone[:, None], 1)
    katz = matrix_entries(matrices.katz, u, v)
    green = matrix_entries(matrices.green, u, v)
    change = np.zeros((len(rows), 2, 2))
    change[:, 0, 1] = change[:, 1, 0] = KATZ
    katz[gone] = update_entries(katz[gone], change[gone])
    change[:, 0, 1] = change[:, 1, 0] = DAMPING
    change[:, 0, 0], change[:, 1, 1] = (left - np.maximum(degrees, 1)).T
    green[gone] = update_entries(green[gone], change[gone])
    pagerank = (1 - DAMPING) * green[:, 0, 1] * left.sum(axis=1)  # from u at v, and from v at u
    cosine = green[:, 0, 1] / np.sqrt(green[:, 0, 0] * green[:, 1, 1])
    values = [katz[:, 0, 1].round(14), pagerank.round(10), cosine.round(10)]
    return Columns(["katz", "pagerank", "pagerank_cosine"], np.column_stack(values))


def matrix_entries(matrix: Array, u: Int64s, v: Int64s) -> Array:
    """Return the four entries of a symmetric matrix at the ends of every pair, (num_pairs, 2, 2)."""
    both = matrix[u, v]
    return np.stack([np.stack([matrix[u, u], both], 1), np.stack([both, matrix[v, v]], 1)], 1)


def update_entries(entries: Array, change: Array) -> Array:
    """Return the entries of the inverse after a change of the inverted matrix at u and v."""
    return np.linalg.inv(np.linalg.inv(entries) + change)


def _inverse(matrix: Floats) -> Floats:
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
