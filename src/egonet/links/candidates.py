"""Candidates for new links of a node: the most plausible nodes within a few hops that are not its neighbors."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array

from egonet.graph.graph import Graph
from egonet.typing import Int64s

#: Rows of scores that are ranked at once.
_BLOCK = 512


def find_candidates(graph: Graph, nodes: Int64s, count: int, *, hops: int = 3) -> list[Int64s]:
    """Return for some rows the best nodes within `hops`, at most `count`: by resource allocation, then by longer walks.

    Nodes without a path of that length have no candidates.

    Examples
    --------
    On a path 0-1-2-3-4, the nodes two hops away come first.

    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> [each.tolist() for each in find_candidates(path, np.array([0, 2]), 2)]
    [[2, 3], [0, 4]]
    """
    adjacency = csr_array(graph.to_scipy().astype(np.float64))
    step = csr_array(diags_array(1 / np.maximum(graph.degrees, 1)) @ adjacency)
    candidates: list[Int64s] = []
    for begin in range(0, len(nodes), _BLOCK):
        here = nodes[begin : begin + _BLOCK]
        last = total = csr_array(adjacency[here] @ step)
        best = _best(graph, here, total, count)
        positions, scale = np.arange(len(here)), 1.0
        for _ in range(hops - 2):
            few = np.flatnonzero([len(best[position]) < count for position in positions])
            if not len(few):
                break
            scale *= 1e-6  # shorter walks come first
            last, positions = csr_array(last[few] @ step), positions[few]
            total = csr_array(total[few] + scale * last)
            for position, each in zip(positions, _best(graph, here[positions], total, count), strict=True):
                best[position] = each
        candidates += best
    return candidates


def _best(graph: Graph, nodes: Int64s, scores: Any, count: int) -> list[Int64s]:
    """Return the columns with the highest scores of every row that are neither the node itself nor its neighbors."""
    lists = []
    for position, node in enumerate(nodes.tolist()):
        part = slice(scores.indptr[position], scores.indptr[position + 1])
        columns, values = scores.indices[part].astype(np.int64), scores.data[part]
        neighbors = graph.indices[graph.indptr[node] : graph.indptr[node + 1]]
        allowed = (columns != node) & ~np.isin(columns, neighbors) & (values > 0)
        columns, values = columns[allowed], values[allowed]
        if len(columns) > count:
            chosen = np.argpartition(-values, count - 1)[:count]
            columns, values = columns[chosen], values[chosen]
        lists.append(columns[np.lexsort((columns, -values))])
    return lists
