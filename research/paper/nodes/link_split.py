"""Splits for link prediction: edges removed while components stay whole, and as many pairs that are no edges."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree

from egonet import Graph
from egonet.errors import InputError
from egonet.typing import Int64s


@dataclass(frozen=True, eq=False)
class LinkSplit:
    """What is learned from and what is asked.

    Attributes
    ----------
    graph
        The graph without the edges removed; its nodes and their numbers are those of the whole graph.
    train_pairs, test_pairs
        int64 (count, 2): pairs of node numbers, removed edges and non-edges mixed.
    train_labels, test_labels
        bool (count,): whether each pair is a removed edge.
    """

    graph: Graph
    train_pairs: Int64s
    train_labels: NDArray[np.bool_]
    test_pairs: Int64s
    test_labels: NDArray[np.bool_]


def split_links(graph: Graph, rng: np.random.Generator) -> LinkSplit:
    """Return a graph with half its edges removed, and the pairs a classifier learns from and is tested on.

    An edge is removed only if its ends stay connected. Non-edges are as many pairs of two nodes without an edge
    in the whole graph, uniformly drawn.

    Examples
    --------
    >>> import egonet
    >>> split = split_links(egonet.named.karate_club(), np.random.default_rng(1))
    >>> split.graph.num_edges, len(split.train_pairs), len(split.test_pairs)
    (39, 39, 39)
    """
    edges = edge_list(graph)
    going = removable(edges, graph.num_nodes, round(len(edges) / 2), rng)
    kept = np.delete(edges, going, axis=0)
    negatives = non_edges(edges, graph.num_nodes, len(going), rng)
    rest = Graph.from_indices(kept[:, 0], kept[:, 1], graph.num_nodes, nodes=graph.nodes)
    return _cut_in_half(rest, edges[going], negatives, rng)


def shown_share(split: LinkSplit) -> float:
    """Return the share of tested edges that are edges of the training graph: those are not predicted, but looked up.

    Examples
    --------
    >>> import egonet
    >>> shown_share(split_links(egonet.named.karate_club(), np.random.default_rng(1)))
    0.0
    """
    edges = {tuple(pair) for pair in edge_list(split.graph).tolist()}
    tested = np.sort(split.test_pairs[split.test_labels], axis=1).tolist()
    return sum(tuple(pair) in edges for pair in tested) / len(tested)


def _cut_in_half(rest: Graph, positives: Int64s, negatives: Int64s, rng: np.random.Generator) -> LinkSplit:
    """Return a split with half of all pairs, shuffled, to learn from and half to be tested on."""
    pairs = np.concatenate([positives, negatives])
    labels = np.arange(len(pairs)) < len(positives)
    order = rng.permutation(len(pairs))
    train, test = order[: len(order) // 2], order[len(order) // 2 :]
    return LinkSplit(rest, pairs[train], labels[train], pairs[test], labels[test])


def edge_list(graph: Graph) -> Int64s:
    """Return every edge once, (num_edges, 2), the lower number first.

    Examples
    --------
    >>> edge_list(Graph.from_edges([("a", "b"), ("c", "b")])).tolist()
    [[0, 1], [1, 2]]
    """
    if graph.directed is not None:
        raise InputError("link prediction needs an undirected graph. Read it without directed=.")
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    once = source < graph.indices
    return np.column_stack([source[once], graph.indices[once]]).astype(np.int64)


def removable(edges: Int64s, num_nodes: int, count: int, rng: np.random.Generator) -> Int64s:
    """Return which edges go if they are tried in random order and one goes unless it would part its ends.

    Whether an edge goes depends on those that stayed before it and on all after it. Those that stay are
    therefore the tree that Kruskal's method finds when it begins with the last: one pass for all of them. Of
    edges listed several times only the last can be in the tree.

    Examples
    --------
    Of a triangle with a tail any edge of the triangle may go, but only one.

    >>> edges = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
    >>> int(removable(edges, 4, 2, np.random.default_rng(1))[0]) in (0, 1, 2)
    True
    """
    order = rng.permutation(len(edges))
    place = np.empty(len(edges), dtype=np.float64)
    place[order] = np.arange(len(edges), 0, -1)
    low, high = np.sort(edges, axis=1).T
    last = np.lexsort((place, high, low))
    first_of_pair = np.diff(low[last] * num_nodes + high[last], prepend=-1) != 0
    last = last[first_of_pair]
    matrix = csr_array((place[last], (low[last], high[last])), shape=(num_nodes, num_nodes))
    # A weight is how far from the end its edge is tried: the last has 1, the first as many as there are edges.
    staying = len(edges) - minimum_spanning_tree(matrix).data.astype(np.int64)
    may_go = np.ones(len(edges), dtype=bool)
    may_go[staying] = False
    return order[may_go][:count]


def non_edges(edges: Int64s, num_nodes: int, count: int, rng: np.random.Generator) -> Int64s:
    """Return distinct pairs of two nodes that are not among some edges, uniformly drawn, (count, 2).

    Examples
    --------
    >>> non_edges(np.array([[0, 1], [1, 2]]), 3, 1, np.random.default_rng(1)).tolist()
    [[0, 2]]
    """
    codes = np.unique(np.sort(edges, axis=1) @ np.array([num_nodes, 1]))
    pairs_in_all = num_nodes * (num_nodes - 1) // 2
    if count > pairs_in_all - len(codes):
        raise InputError(
            f"the graph has only {pairs_in_all - len(codes):,} pairs without an edge, {count:,} are needed."
        )
    found = np.empty(0, dtype=np.int64)
    while len(found) < count:
        pairs = rng.integers(num_nodes, size=(2 * (count - len(found)) + 64, 2))
        pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
        fresh = pairs @ np.array([num_nodes, 1])
        place = np.minimum(np.searchsorted(codes, fresh), len(codes) - 1)
        both = np.concatenate([found, fresh[codes[place] != fresh] if len(codes) else fresh])
        # The first of equal ones stays, in the order they were drawn in.
        found = both[np.sort(np.unique(both, return_index=True)[1])]
    return np.column_stack(np.divmod(found[:count], num_nodes))
