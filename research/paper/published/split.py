"""The split of links as the published code makes it from its second run on, with its errors."""

import random

import numpy as np

from egonet import Graph
from egonet.typing import Int64s
from research.paper.nodes.link_split import LinkSplit, edge_list


def published_split(graph: Graph, seed: int, *, listed_twice: bool = False) -> LinkSplit:
    """Return the split of the published code: of the "removed" edges many are still in the graph.

    The graph left over is written to a file, node by node, and read back by every later run. Reading numbers
    nodes again, as they appear. An edge is then looked up as the pair (lower number, higher number), so a kept
    edge whose ends are swapped is taken for a removed one. Non-edges are ordered pairs that are neither kept nor
    "removed" edges in the stored direction: reversed edges and pairs of a node with itself are among them.

    Parameters
    ----------
    graph
        An undirected graph. Its list is taken to go by the ids of nodes; listed twice, by their numbers, which
        comes nearer to the sizes of the published sets.
    seed
        Of the published draws: which edges go, which non-edges are drawn, and which half of all is tested.
    listed_twice
        True if the list holds every edge in both directions. An edge of which one copy went is not tried again:
        every edge stays, and each that changed its direction is a positive twice. Nothing is predicted at all.

    Examples
    --------
    The path 0-2-3-1 is listed as 0 2, 1 3, 2 0, 2 3, 3 1, 3 2: nodes appear as 0, 2, 1, 3. Written in that order
    it is 0 2, 2 3, 1 3, where 3 appears before 1. The edge between them has turned round.

    >>> path = Graph.from_indices(np.array([0, 1, 2]), np.array([2, 3, 3]), 4)
    >>> split = published_split(path, 1, listed_twice=True)
    >>> np.concatenate([split.train_pairs[split.train_labels], split.test_pairs[split.test_labels]]).tolist()
    [[1, 3], [1, 3]]
    >>> split.graph.num_edges
    3
    """
    listed = np.arange(graph.num_nodes) if listed_twice else np.argsort(graph.node_ids)
    edges = np.sort(np.argsort(listed)[edge_list(graph)], axis=1)
    lines = np.concatenate([edges, edges[:, ::-1]]) if listed_twice else edges
    place = first_places(lines[np.lexsort(lines.T[::-1])], graph.num_nodes)
    node_at = listed[np.argsort(place)]
    ends = np.sort(place[edges[np.lexsort(edges.T[::-1])]], axis=1)
    going = np.empty(0, dtype=np.int64) if listed_twice else published_removal(ends, graph.num_nodes, seed)
    kept = np.delete(ends, going, axis=0)
    kept = kept[np.lexsort(kept.T[::-1])]
    again = first_places(kept, graph.num_nodes)
    turned = again[kept[:, 0]] > again[kept[:, 1]]
    stored = np.where(turned[:, None], kept[:, ::-1], kept)
    wanted = {tuple(edge) for edge in [*ends[going].tolist(), *kept[turned].tolist()]}
    positives = np.array([edge for edge in ends.tolist() if tuple(edge) in wanted], dtype=np.int64).reshape(
        -1, 2
    )
    if listed_twice:
        positives = np.repeat(positives, 2, axis=0)
    negatives = published_negatives(
        np.argsort(again), np.concatenate([stored, positives]), len(positives), seed
    )
    source, target = node_at[kept].T
    rest = Graph.from_indices(source, target, graph.num_nodes, nodes=graph.nodes)
    return _cut(rest, node_at[np.concatenate([positives, negatives])], seed)


def _cut(rest: Graph, pairs: Int64s, seed: int) -> LinkSplit:
    """Return a split of pairs, positives first: the first half of the published permutation is tested."""
    order = np.random.RandomState(seed).permutation(len(pairs))
    labels = np.arange(len(pairs)) < len(pairs) // 2
    test, train = order[: len(pairs) // 2], order[len(pairs) // 2 :]
    return LinkSplit(rest, pairs[train], labels[train], pairs[test], labels[test])


def published_negatives(nodes: Int64s, taken: Int64s, count: int, seed: int) -> Int64s:
    """Return the ordered pairs that the published code draws with a seed, none of them taken, (count, 2).

    Pairs may come again, be the reverse of an edge, or a node with itself. The generator is seeded again: no edges
    were removed by a run that finds its graph in a file.

    Examples
    --------
    >>> published_negatives(np.array([0, 1]), np.array([[0, 1]]), 3, seed=1).tolist()
    [[0, 0], [1, 0], [1, 1]]
    """
    draw = random.Random(seed)  # noqa: S311 - the published generator
    choices, stored = nodes.tolist(), {tuple(pair) for pair in taken.tolist()}
    found: list[tuple[int, int]] = []
    while len(found) < count:
        pair = (draw.choice(choices), draw.choice(choices))
        if pair not in stored:
            found.append(pair)
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def published_removal(edges: Int64s, num_nodes: int, seed: int) -> Int64s:
    """Return which half of the edges goes with a seed: a random one each time, unless it was tried or parts its ends.

    An edge that must stay moves to the end of the list, as in the published code, so the draws that follow are the
    same as there.

    Examples
    --------
    >>> published_removal(np.array([[0, 1], [0, 2], [1, 2], [2, 3]]), 4, seed=1).tolist()
    [1]
    """
    draw = random.Random(seed)  # noqa: S311 - the published generator
    left, tried = list(range(len(edges))), [False] * len(edges)
    num_tried = 0
    ends = edges.tolist()
    near: list[set[int]] = [set() for _ in range(num_nodes)]
    for u, v in ends:
        near[u].add(v)
        near[v].add(u)
    going: list[int] = []
    while len(going) < round(len(edges) / 2) and num_tried < len(edges):
        place = draw.randrange(len(left))
        edge = left[place]
        if tried[edge]:
            continue
        tried[edge] = True
        num_tried += 1
        del left[place]
        u, v = ends[edge]
        near[u].remove(v)
        near[v].remove(u)
        if _are_joined(near, u, v):
            going.append(edge)
        else:
            left.append(edge)
            near[u].add(v)
            near[v].add(u)
    return np.array(going, dtype=np.int64)


def _are_joined(near: list[set[int]], u: int, v: int) -> bool:
    """Return whether two nodes are connected, searching from both ends, the smaller ring first."""
    if not near[u].isdisjoint(near[v]):  # most edges are in a triangle
        return True
    seen, ring = ({u}, {v}), [{u}, {v}]
    while ring[0] and ring[1]:
        side = int(len(ring[1]) < len(ring[0]))
        ring[side] = {w for x in ring[side] for w in near[x]} - seen[side]
        if not ring[side].isdisjoint(seen[1 - side]):
            return True
        seen[side].update(ring[side])
    return False


def first_places(lines: Int64s, num_nodes: int) -> Int64s:
    """Return the place of every node when numbered as it appears in a list; those not in it come last.

    Examples
    --------
    >>> first_places(np.array([[2, 0], [0, 3]]), 4).tolist()
    [1, 3, 0, 2]
    """
    found, first = np.unique(lines.ravel(), return_index=True)
    appears = np.full(num_nodes, lines.size, dtype=np.int64)
    appears[found] = first
    place = np.empty(num_nodes, dtype=np.int64)
    place[np.argsort(appears, kind="stable")] = np.arange(num_nodes)
    return place
