"""Known scores of pairs for link prediction, to be stacked in a model: a strong rival that learns no representation."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from egonet import Graph
from egonet.links import link_columns
from egonet.typing import Floats, Int64s

#: Pairs whose paths are counted at once.
_BLOCK = 2_000


def heuristic_columns(graph: Graph, pairs: Int64s, *, walks: bool) -> tuple[Floats, list[str]]:
    """Return the scores of pairs of rows, each without the pair's own edge.

    Common neighbors, Adamic–Adar, resource allocation, Jaccard, the indices of Salton and Leicht, hub promoted and
    depressed; degrees (smaller, larger, product); walks of three steps, plain and by degrees; with `walks` Katz and
    personalized PageRank.

    >>> square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> values, names = heuristic_columns(square, np.array([[0, 1], [0, 2]]), walks=False)
    >>> values[:, names.index("walks_3")].tolist(), values[:, names.index("common_neighbors")].tolist()
    ([1.0, 0.0], [0.0, 2.0])
    """
    groups: Any = ("overlap", "walks") if walks else ("overlap",)
    known, names = link_columns(graph, graph.node_ids[pairs], groups, threads=1)
    shared = known[:, names.index("common_neighbors")]
    plain, weighted, gone = three_steps(graph, pairs)
    degrees = graph.degrees[pairs] - gone[:, None]
    low, high = degrees.min(axis=1), degrees.max(axis=1)
    product = low * high
    most = np.maximum(1, product)
    columns = {
        "salton": shared / np.sqrt(most),
        "leicht": shared / most,
        "hub_promoted": shared / np.maximum(1, low),
        "hub_depressed": shared / np.maximum(1, high),
        "degree_low": low,
        "degree_high": high,
        "degree_product": product,
        "walks_3": plain,
        "walks_3_by_degrees": weighted,
    }
    return np.column_stack([known, *columns.values()]), [*names, *columns]


def three_steps(graph: Graph, pairs: Int64s) -> tuple[Floats, Floats, Floats]:
    """Return the walks of three steps between both ends, those divided by inner degrees, and whether there is an edge.

    Walks along the edge of the pair do not count: there are d + e - 1 of them, for degrees d and e of the ends.

    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (3, 1)])
    >>> [each.round(3).tolist() for each in three_steps(triangle, np.array([[0, 1], [0, 3]]))]
    [[1.0, 2.0], [0.167, 0.222], [1.0, 0.0]]
    """
    adjacency = csr_array(graph.to_scipy().astype(np.float64))
    degrees = np.maximum(graph.degrees, 1).astype(np.float64)
    plain, weighted, gone = (np.zeros(len(pairs)) for _ in range(3))
    for begin in range(0, len(pairs), _BLOCK):
        here = slice(begin, begin + _BLOCK)
        u, v = pairs[here].T
        first, second = csr_array(adjacency[u]), csr_array(adjacency[v])
        edge = np.asarray(adjacency[u, v]).ravel()
        plain[here] = (first @ adjacency).multiply(second).sum(axis=1) - edge * (degrees[u] + degrees[v] - 1)
        gone[here] = edge
        # Each inner node of a walk that is an end of the pair is there only along the edge of the pair.
        one, other = (csr_array(part / degrees) for part in (first, second))
        total = (one @ adjacency).multiply(other).sum(axis=1)
        back: Floats = one.multiply(first).sum(axis=1)  # u, x, u, v
        forth: Floats = other.multiply(second).sum(axis=1)
        inner = back / degrees[u] + forth / degrees[v] - 1 / (degrees[u] * degrees[v])
        weighted[here] = total - edge * inner
    return plain, weighted, gone
