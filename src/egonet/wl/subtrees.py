"""Subtree counts of the Weisfeiler-Leman test: colors as hashes that are the same in every graph."""

import numpy as np
from numpy.typing import NDArray

from egonet import _native
from egonet.graph.digest import mix
from egonet.graph.edge_types import Subdivision
from egonet.graph.graph import Graph
from egonet.kernel.native import available_cores

Hashes = NDArray[np.uint64]


def subtree_hashes(
    graph: Graph,
    rounds: int,
    *,
    labels: Hashes | None = None,
    subdivision: Subdivision | None = None,
    types: Hashes | None = None,
    threads: int = 0,
) -> Hashes:
    """Return the color of every node after 0, 1, ... rounds of the Weisfeiler-Leman test, as a hash of 64 bits.

    A node starts with m(label + 1), or m(1) without labels; m is `egonet.graph.digest.mix`. After each round its color
    is m(g m(color) + sum of m(color) of its neighbors) modulo 2**64, g = 0x9e3779b97f4a7c15. With typed edges a node
    of start color m(type + 2) is between the two ends, and a round is two of these steps.

    Parameters
    ----------
    graph
        The graph, or the disjoint union of several.
    rounds
        How many rounds.
    labels
        uint64 (num_nodes,): the hash of every node's label.
    subdivision, types
        The graph with a node on every edge, and the hash of every such node's type.
    threads
        How many threads; one per core if 0.

    Returns
    -------
    uint64 (num_nodes, rounds + 1)

    Examples
    --------
    The ends of a path of three differ from its middle after one round.

    >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
    >>> colors = subtree_hashes(path, 1)
    >>> [len(set(column.tolist())) for column in colors.T]
    [1, 2]
    """
    own = np.zeros(graph.num_nodes, dtype=np.uint64) if labels is None else labels
    start = mix(own + np.uint64(1))
    indptr, indices, steps = graph.indptr, graph.indices, 1
    if subdivision is not None and types is not None:
        indptr, indices, steps = subdivision.indptr, subdivision.indices, 2
        start = np.concatenate([start, mix(types + np.uint64(2))])
    colors = _native.subtree_hashes(indptr, indices, start, rounds * steps, threads or available_cores())
    return np.ascontiguousarray(colors[::steps, : graph.num_nodes].T)
