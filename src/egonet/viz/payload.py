"""The data of an explorer page: graphs (or samples of them) as edge lists with text ids, settings, verdicts."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from egonet.encoding.encoding import Encoding
from egonet.encoding.settings import Settings
from egonet.errors import InputError, MissingExtraError
from egonet.graph.graph import Graph
from egonet.typing import Int64s
from egonet.wl.compare import Verdict, compare, equivalent

MAX_RADIUS = 4
MAX_SHOWN = 2000

#: Tests that the page cannot run; Python runs them for graphs of at most `MAX_COMPARED` nodes.
STRONG_TESTS = ("2-FWL", "R1", "R2", "R3")
MAX_COMPARED = 300


@dataclass(frozen=True, eq=False)
class Sample:
    """The part of a graph that is shown.

    Attributes
    ----------
    rows
        int64: the nodes that are shown, increasing.
    edges
        int64 (num_edges, 2): edges (or arcs) between them, as positions in `rows`, each once.
    cut
        int64: positions of nodes with neighbors outside the sample; empty if the whole graph is shown.
    center
        The center of the sample, or None if the whole graph is shown.
    """

    rows: Int64s
    edges: Int64s
    cut: Int64s
    center: int | None


def graph_data(graph: Graph, name: str, around: Hashable | None, labels: Int64s | None) -> dict[str, Any]:
    """Return the data of one graph: nodes, edges, and which nodes have neighbors outside a sample.

    Examples
    --------
    >>> data = graph_data(Graph.from_edges([("a", "b"), ("b", "c")]), "path", None, None)
    >>> data["nodes"], data["edges"], data["cut"]
    (['a', 'b', 'c'], [0, 1, 1, 2], [])
    """
    sample = take_sample(graph, around)
    ids = graph.node_ids
    return {
        "name": name,
        "numShown": len(sample.rows),
        "numNodesTotal": graph.num_nodes,
        "directed": graph.directed is not None,
        "nodes": [str(node) for node in ids[sample.rows].tolist()],
        "edges": sample.edges.ravel().tolist(),
        "cut": sample.cut.tolist(),
        "sampled": sample.center is not None,
        "center": None if sample.center is None else str(ids[sample.center]),
        "labels": None if labels is None else labels[sample.rows].tolist(),
    }


def settings_data(settings: Settings) -> dict[str, Any]:
    """Return the initial settings of the page; several radii become the largest with all smaller ones."""
    radius = max(settings.radius)
    if settings.is_nested:
        raise InputError("the explorer shows rings around nodes. Encode without common and rooted.")
    if settings.degrees == "in_out":
        raise InputError('the explorer does not show degrees="in_out". Use egonet.explain.')
    if radius > MAX_RADIUS:
        raise InputError(f"the explorer shows radius 0 to {MAX_RADIUS}, got {radius}.")
    if len(settings.radius) > 1 and sorted(settings.radius) != list(range(1, radius + 1)):
        raise InputError(f"the explorer shows one radius, or all from 1 as in (1, 2), got {settings.radius}.")
    return {
        "radius": radius,
        "smallerRadii": len(settings.radius) > 1,
        "degrees": settings.degrees,
        "frontierEdges": settings.frontier_edges,
        "maxDegree": settings.max_degree,
        "degreeBins": settings.degree_bins,
        "labelNames": None if settings.labels is None else [str(name) for name in settings.labels],
    }


def row_labels(encoding: Encoding) -> Int64s | None:
    """Return the label number of every node, from the key of the root, or None without labels."""
    if encoding.vocabulary.settings.labels is None:
        return None
    if encoding.graph is None or len(encoding) != encoding.graph.num_nodes or encoding.unseen.num_rows:
        raise InputError("with labels, the explorer needs every node encoded with its own vocabulary.")
    keys = encoding.vocabulary.keys
    radius = encoding.vocabulary.settings.radius[0]
    is_root = (keys[:, 0] == radius) & (keys[:, 1] == 0)
    entries = encoding.matrix[:, np.flatnonzero(is_root)].tocsr()
    entries.sort_indices()
    labels: Int64s = keys[is_root, -1][entries.indices]
    return labels


def verdict_data(graphs: list[Graph]) -> list[dict[str, Any]]:
    """Return the results of the tests that the page cannot run, exact isomorphism last.

    Examples
    --------
    >>> import egonet
    >>> found = verdict_data([egonet.named.shrikhande(), egonet.named.rook_4x4()])
    >>> [(verdict["test"], verdict["equal"]) for verdict in found]
    [('2-FWL', True), ('R1', False), ('R2', False), ('R3', False), ('isomorphic', False)]
    """
    if len(graphs) < 2 or max(graph.num_nodes for graph in graphs) > MAX_SHOWN:
        return []
    if max(graph.num_nodes for graph in graphs) > MAX_COMPARED:
        verdicts = [_exact(*graphs)]
    else:
        every = compare(*graphs, radius=2).verdicts
        verdicts = [v for v in every if v.test.startswith(STRONG_TESTS) or v.test == "isomorphic"]
    return [{"test": v.test, "equal": v.equal, "note": v.note} for v in verdicts]


def _exact(first: Graph, second: Graph) -> Verdict:
    """Return the result of exact isomorphism, or which package is missing."""
    try:
        return Verdict("isomorphic", equal=equivalent(first, second, test="exact"))
    except MissingExtraError as error:
        return Verdict("isomorphic", equal=None, note=str(error))


def take_sample(graph: Graph, around: Hashable | None = None, *, limit: int = MAX_SHOWN) -> Sample:
    """Return the whole graph if it fits, else the `limit` nodes nearest to `around`.

    Without `around` the center is the node with the most two-hop walks whose two-hop neighborhood fits.

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
        center = _sample_center(graph, limit) if around is None else graph.index_of(around)
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
    """Return the neighbors of several nodes, concatenated."""
    lengths = graph.degrees[rows]
    starts = np.repeat(graph.indptr[rows] - (np.cumsum(lengths) - lengths), lengths)
    return graph.indices[starts + np.arange(len(starts))].astype(np.int64)


def _nearest_rows(graph: Graph, center: int, limit: int) -> Int64s:
    """Return the first `limit` nodes of a breadth-first search, sorted; fewer if the component is smaller."""
    seen = np.zeros(graph.num_nodes, dtype=bool)
    seen[center] = True
    met = front = np.array([center], dtype=np.int64)
    while len(front) and len(met) < limit:
        reached = _neighbor_rows(graph, front)
        front = np.unique(reached[~seen[reached]])
        seen[front] = True
        met = np.concatenate([met, front])
    return np.sort(met[:limit])


def _sample_center(graph: Graph, limit: int) -> int:
    """Return the node with the most two-hop walks below `limit`, or the one with the fewest walks."""
    degrees = graph.degrees
    walks = np.bincount(
        np.repeat(np.arange(graph.num_nodes), degrees), degrees[graph.indices], graph.num_nodes
    )
    around = 1 + degrees + walks
    fits = around <= limit
    return int(np.argmax(np.where(fits, around, -1))) if fits.any() else int(np.argmin(around))
