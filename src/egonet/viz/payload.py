"""What a page is given: graphs as lists of edges with text ids, and the settings it opens with."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from egonet.encoding.encoding import Encoding
from egonet.encoding.settings import Settings
from egonet.errors import InputError, MissingExtraError
from egonet.graph.graph import Graph
from egonet.typing import Int64s
from egonet.viz.sample import MAX_SHOWN, take_sample
from egonet.wl.compare import Verdict, compare, equivalent

MAX_RADIUS = 4

#: Tests the page does not run itself; up to this many nodes they are run when it is written.
STRONG_TESTS = ("2-FWL", "R1", "R2", "R3")
MAX_COMPARED = 300


def graph_data(graph: Graph, name: str, around: Hashable | None, labels: Int64s | None) -> dict[str, Any]:
    """Return one graph for the page: the shown nodes and edges, and where it was cut if it is a sample.

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
    """Return the settings the page opens with; several radii open as the largest with all smaller ones."""
    radius = max(settings.radius)
    if settings.is_nested:
        raise InputError("the explorer shows rings around nodes. Encode without common and rooted.")
    if radius > MAX_RADIUS:
        raise InputError(f"the explorer shows radius 0 to {MAX_RADIUS}, got {radius}.")
    if len(settings.radius) > 1 and sorted(settings.radius) != list(range(1, radius + 1)):
        raise InputError(
            f"the explorer shows one radius, or all from 1 on as in (1, 2), got {settings.radius}."
        )
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
    """Return the label number of every node, read off the key of the root itself, or None without labels."""
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
    """Return the verdicts on two graphs that the page does not reach itself, exact isomorphism last.

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
    """Return the verdict of exact isomorphism, or why nobody could be asked."""
    try:
        return Verdict("isomorphic", equal=equivalent(first, second, test="exact"))
    except MissingExtraError as error:
        return Verdict("isomorphic", equal=None, note=str(error))
