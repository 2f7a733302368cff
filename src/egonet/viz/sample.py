"""What part of a graph a page shows: all of it, or the surroundings of one node if it is too large."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from egonet.graph.graph import Graph
from egonet.typing import Int64s

MAX_SHOWN = 2000


@dataclass(frozen=True, eq=False)
class Sample:
    """The shown part of a graph.

    Attributes
    ----------
    rows
        int64: the rows of the graph that are shown, rising.
    edges
        int64 (num_edges, 2): edges (arcs, if directed) between them, as positions in `rows`, each once.
    cut
        int64: the positions of nodes that have neighbors outside; empty if the whole graph is shown.
    center
        The row the sample grew around, or None if the whole graph is shown.
    """

    rows: Int64s
    edges: Int64s
    cut: Int64s
    center: int | None


def take_sample(graph: Graph, around: Hashable | None = None, *, limit: int = MAX_SHOWN) -> Sample:
    """Return the whole graph if it fits, else the `limit` nodes nearest to `around`.

    Without `around` the sample grows from the busiest node whose two-hop surroundings fit.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)], num_nodes=5)
    >>> sample = take_sample(path, around=0, limit=3)
    >>> sample.rows.tolist(), sample.edges.tolist(), sample.cut.tolist()
    ([0, 1, 2], [[0, 1], [1, 2]], [2])
    """
    if graph.num_nodes <= limit:
        rows, center = np.arange(graph.num_nodes), None
    else:
        center = _busiest_that_fits(graph, limit) if around is None else graph.index_of(around)
        rows = _nearest_rows(graph, center, limit)
    position = np.full(graph.num_nodes, -1, dtype=np.int64)
    position[rows] = np.arange(len(rows))
    source = np.repeat(rows, graph.degrees[rows])
    target = _neighbor_rows(graph, rows)
    inside = position[target] >= 0
    cut = np.unique(position[source[~inside]])
    once = inside if graph.directed else inside & (source < target)
    edges = np.stack([position[source[once]], position[target[once]]], axis=1)
    return Sample(rows, edges, cut, center)


def _neighbor_rows(graph: Graph, rows: Int64s) -> Int64s:
    """Return the neighbors of some rows, one list after the other."""
    lengths = graph.degrees[rows]
    starts = np.repeat(graph.indptr[rows] - (np.cumsum(lengths) - lengths), lengths)
    return graph.indices[starts + np.arange(len(starts))].astype(np.int64)


def _nearest_rows(graph: Graph, center: int, limit: int) -> Int64s:
    """Return the first `limit` rows a breadth-first search meets, rising; fewer if the component is smaller."""
    seen = np.zeros(graph.num_nodes, dtype=bool)
    seen[center] = True
    met = front = np.array([center], dtype=np.int64)
    while len(front) and len(met) < limit:
        reached = _neighbor_rows(graph, front)
        front = np.unique(reached[~seen[reached]])
        seen[front] = True
        met = np.concatenate([met, front])
    return np.sort(met[:limit])


def _busiest_that_fits(graph: Graph, limit: int) -> int:
    """Return the row with the most two-hop walks among those with fewer than `limit`; the calmest if none has."""
    degrees = graph.degrees
    walks = np.bincount(
        np.repeat(np.arange(graph.num_nodes), degrees), degrees[graph.indices], graph.num_nodes
    )
    around = 1 + degrees + walks
    fits = around <= limit
    return int(np.argmax(np.where(fits, around, -1))) if fits.any() else int(np.argmin(around))
