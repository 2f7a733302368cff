"""Exact isomorphism: igraph's BLISS if it is installed, otherwise networkx."""

import importlib
from typing import Any

import numpy as np

from egonet.errors import MissingExtraError
from egonet.graph.graph import Graph


def isomorphic(first: Graph, second: Graph) -> bool:
    """Return whether two graphs are equal up to a renaming of their nodes.

    Raises
    ------
    MissingExtraError
        If neither igraph nor networkx is installed and the degrees alone do not decide.

    Examples
    --------
    >>> isomorphic(Graph.from_edges([("a", "b")]), Graph.from_edges([(7, 9)]))
    True
    """
    if not np.array_equal(np.sort(first.degrees), np.sort(second.degrees)):
        return False
    if (first.directed is None) != (second.directed is None):
        return False
    igraph = _optional("igraph")
    if igraph is not None:
        return _by_igraph(igraph, first, second)
    networkx = _optional("networkx")
    if networkx is None:
        raise MissingExtraError('exact isomorphism needs an extra package: pip install "egonet[iso]".')
    return _by_networkx(networkx, first, second)


def _optional(name: str) -> Any:
    """Return a package, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _by_igraph(igraph: Any, first: Graph, second: Graph) -> bool:
    """Return the answer of BLISS, or of VF2 for directed graphs."""
    pair = [
        igraph.Graph(n=graph.num_nodes, edges=_edges(graph), directed=graph.directed is not None)
        for graph in (first, second)
    ]
    test = pair[0].isomorphic_bliss if first.directed is None else pair[0].isomorphic_vf2
    return bool(test(pair[1]))


def _by_networkx(networkx: Any, first: Graph, second: Graph) -> bool:
    """Return the answer of VF2++, or of VF2 for directed graphs."""
    pair = []
    for graph in (first, second):
        copy = networkx.Graph() if graph.directed is None else networkx.DiGraph()
        copy.add_nodes_from(range(graph.num_nodes))
        copy.add_edges_from(_edges(graph).tolist())
        pair.append(copy)
    if first.directed is not None:
        return bool(networkx.is_isomorphic(*pair))
    return bool(networkx.vf2pp_is_isomorphic(*pair)) if first.num_nodes else True


def _edges(graph: Graph) -> np.ndarray[Any, Any]:
    """Return the edges (u < v) or arcs, shape (num_edges, 2)."""
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    kept = slice(None) if graph.directed is not None else source < graph.indices
    return np.column_stack([source[kept], graph.indices[kept]])
