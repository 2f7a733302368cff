"""What a page is given: graphs as lists of edges with text ids, and the settings it opens with."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from egonet.encoding.encoding import Encoding
from egonet.encoding.settings import Settings
from egonet.errors import InputError
from egonet.explorer.sample import take_sample
from egonet.graph.graph import Graph
from egonet.types import Int64s

MAX_RADIUS = 4


def graph_data(graph: Graph, name: str, around: Hashable | None, labels: Int64s | None) -> dict[str, Any]:
    """Return one graph for the page: the shown vertices and edges, and where it was cut if it is a sample.

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
    radius = max(settings.radii)
    if radius > MAX_RADIUS:
        raise InputError(f"the explorer shows radius 0 to {MAX_RADIUS}, got {radius}.")
    if len(settings.radii) > 1 and sorted(settings.radii) != list(range(1, radius + 1)):
        raise InputError(f"the explorer shows one radius, or all from 1 on as in (1, 2), got {settings.radii}.")
    return {
        "radius": radius,
        "smallerRadii": len(settings.radii) > 1,
        "degrees": settings.degrees,
        "frontierEdges": settings.frontier_edges,
        "maxDegree": settings.max_degree,
        "degreeBins": settings.degree_bins,
        "labelNames": None if settings.labels is None else [str(name) for name in settings.labels],
    }


def row_labels(encoding: Encoding) -> Int64s | None:
    """Return the label number of every vertex, read off the key of the root itself, or None without labels."""
    if encoding.vocabulary.settings.labels is None:
        return None
    if encoding.graph is None or len(encoding) != encoding.graph.num_nodes or encoding.unseen.num_rows:
        raise InputError("with labels, the explorer needs every vertex encoded with its own vocabulary.")
    keys = encoding.vocabulary.keys
    radius = encoding.vocabulary.settings.radii[0]
    is_root = (keys[:, 0] == radius) & (keys[:, 1] == 0)
    entries = encoding.matrix[:, np.flatnonzero(is_root)].tocsr()
    entries.sort_indices()
    labels: Int64s = keys[is_root, -1][entries.indices]
    return labels
