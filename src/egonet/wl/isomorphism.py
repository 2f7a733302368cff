"""Exact isomorphism of two graphs, with labels of nodes and edges: igraph or networkx decides."""

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from egonet.errors import MissingExtraError
from egonet.graph.graph import Graph
from egonet.graph.union import disjoint_union
from egonet.wl.union_labels import NO_LABELS, UnionLabels, owners


@dataclass(frozen=True, eq=False)
class _Colored:
    """A graph for other packages: edges (u < v) or arcs, shape (num_edges, 2), and a color per node, or None."""

    num_nodes: int
    edges: np.ndarray[Any, Any]
    colors: list[int] | None
    is_directed: bool


def isomorphic(first: Graph, second: Graph, labels: UnionLabels = NO_LABELS) -> bool:
    """Return whether two graphs are equal up to a renaming of their nodes.

    Parameters
    ----------
    first, second
        The graphs.
    labels
        Labels of their disjoint union: only nodes and edges with equal labels are matched.

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
    pair = _colored(first, second, labels)
    if any(_profile(pair[0])[part] != _profile(pair[1])[part] for part in range(2)):
        return False
    igraph = _optional("igraph")
    if igraph is not None:
        return _by_igraph(igraph, *pair)
    networkx = _optional("networkx")
    if networkx is None:
        raise MissingExtraError('exact isomorphism needs an extra package: pip install "egonet[iso]".')
    return _by_networkx(networkx, *pair)


def _colored(first: Graph, second: Graph, labels: UnionLabels) -> list[_Colored]:
    """Return both graphs with colors; an edge with a type becomes a node of that color between its ends."""
    graphs = (first, second)
    if labels.edges is None:
        start = None if labels.nodes is None else np.split(labels.nodes, [first.num_nodes])
        return [
            _Colored(
                graph.num_nodes,
                _edges(graph),
                None if start is None else start[side].tolist(),
                graph.directed is not None,
            )
            for side, graph in enumerate(graphs)
        ]
    keep = () if first.edge_table is not None or second.edge_table is not None else None
    union, ptr = disjoint_union(list(graphs), keep=keep)
    divided, colors = labels.subdivided(union, labels.start(union))
    owner, edges = owners(divided, ptr), _edges(divided)
    found = []
    for side in range(2):
        rows = np.flatnonzero(owner == side)
        mine = np.searchsorted(rows, edges[owner[edges[:, 0]] == side])
        found.append(_Colored(len(rows), mine, colors[rows].tolist(), divided.directed is not None))
    return found


def _profile(graph: _Colored) -> tuple[tuple[int, int], list[int]]:
    """Return what isomorphic graphs have in common: the numbers of nodes and edges, and the sorted colors."""
    return (graph.num_nodes, len(graph.edges)), sorted(graph.colors or [])


def _optional(name: str) -> Any:
    """Return a package, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _by_igraph(igraph: Any, first: _Colored, second: _Colored) -> bool:
    """Return the answer of BLISS, or of VF2 for directed graphs."""
    pair = [
        igraph.Graph(n=graph.num_nodes, edges=graph.edges, directed=graph.is_directed)
        for graph in (first, second)
    ]
    colors: Any = {} if first.colors is None else {"color1": first.colors, "color2": second.colors}
    test = pair[0].isomorphic_vf2 if first.is_directed else pair[0].isomorphic_bliss
    return bool(test(pair[1], **colors))


def _by_networkx(networkx: Any, first: _Colored, second: _Colored) -> bool:
    """Return the answer of VF2++, or of VF2 for directed graphs."""
    pair = []
    for graph in (first, second):
        copy = networkx.DiGraph() if graph.is_directed else networkx.Graph()
        colors = graph.colors or [0] * graph.num_nodes
        copy.add_nodes_from((node, {"color": color}) for node, color in enumerate(colors))
        copy.add_edges_from(graph.edges.tolist())
        pair.append(copy)
    if first.is_directed:
        return bool(networkx.is_isomorphic(*pair, node_match=lambda one, other: one == other))
    return bool(networkx.vf2pp_is_isomorphic(*pair, node_label="color")) if first.num_nodes else True


def _edges(graph: Graph) -> np.ndarray[Any, Any]:
    """Return the edges (u < v) or arcs, shape (num_edges, 2)."""
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    kept = slice(None) if graph.directed is not None else source < graph.indices
    return np.column_stack([source[kept], graph.indices[kept]])
