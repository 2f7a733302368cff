"""Bags of subgraphs: which nodes and arcs every subgraph of a graph has, made once with NumPy.

Nothing here needs egonet's compiled core, so that a bag can be made on the machine that trains.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]

#: Distance of two nodes without a path.
FAR = 10_000


@dataclass(frozen=True, eq=False)
class Bag:
    """Subgraphs of many graphs.

    Attributes
    ----------
    sub_ptr
        int64 (num_graphs + 1,): graph g has the subgraphs `sub_ptr[g]:sub_ptr[g + 1]`.
    row_ptr, arc_ptr
        int64 (num_subgraphs + 1,): where the rows and the arcs of each subgraph begin.
    node
        int32: the node of every row, numbered inside its graph.
    mark
        int8: the distance of a row from the root, or 0; for pairs 1 is the root and 2 the neighbor.
    arcs
        int32 (num_arcs, 2): source and target row of every arc, numbered inside the subgraph.
    origin
        int32: the arc of the graph that each arc is a copy of, numbered inside the graph.
    root, root_row
        int32 (num_subgraphs,): the root inside its graph and its row inside the subgraph, 0 where there is none.
    """

    sub_ptr: Array
    row_ptr: Array
    arc_ptr: Array
    node: Array
    mark: Array
    arcs: Array
    origin: Array
    root: Array
    root_row: Array

    @property
    def num_rows(self) -> int:
        """Return the nodes of all subgraphs."""
        return int(self.row_ptr[-1])


@dataclass(frozen=True)
class Policy:
    """How the subgraphs of a graph are chosen.

    Attributes
    ----------
    kind
        "ego" (one per node), "pair" (one per node and neighbor), "node" (one node deleted each) or "edge" (one
        edge deleted each).
    radius
        Of "ego" and "pair".
    most
        The most subgraphs that are kept of a graph, drawn at random; 0 keeps all.
    """

    kind: str
    radius: int = 0
    most: int = 0


def distances(size: int, arcs: Array, limit: int) -> Array:
    """Return the distances up to `limit` between all nodes of one graph, `FAR` beyond.

    Examples
    --------
    >>> distances(3, np.array([[0, 1], [1, 0], [1, 2], [2, 1]]), 1).tolist()
    [[0, 1, 10000], [1, 0, 1], [10000, 1, 0]]
    """
    near = np.zeros((size, size), dtype=np.float32)
    near[arcs[:, 0], arcs[:, 1]] = 1
    found = np.full((size, size), FAR, dtype=np.int16)
    reached = np.eye(size, dtype=np.float32)
    np.fill_diagonal(found, 0)
    for step in range(1, limit + 1):
        grown = ((reached @ near + reached) > 0).astype(np.float32)
        fresh = (grown > 0) & (found == FAR)
        if not fresh.any():
            break
        found[fresh] = step
        reached = grown
    return found


def make_bag(sizes: Array, arcs: Array, arc_ptr: Array, policy: Policy, seed: int = 0) -> Bag:
    """Return the bag of every graph; `arcs` are numbered inside their graph and sorted by their first end.

    Examples
    --------
    >>> path = np.array([[0, 1], [1, 0], [1, 2], [2, 1]])
    >>> bag = make_bag(np.array([3]), path, np.array([0, 4]), Policy("ego", 1))
    >>> bag.row_ptr.tolist(), bag.node.tolist(), bag.mark.tolist()
    ([0, 2, 5, 7], [0, 1, 0, 1, 2, 1, 2], [0, 1, 1, 0, 1, 1, 0])
    """
    rng = np.random.default_rng(seed)
    parts = []
    for graph, size in enumerate(sizes.tolist()):
        own = arcs[arc_ptr[graph] : arc_ptr[graph + 1]]
        parts.append(_POLICIES[policy.kind](size, own, policy, rng))
    names = ("rows", "num_arcs", "node", "mark", "arcs", "origin", "root", "root_row")
    joined = {name: np.concatenate([part[name] for part in parts]) for name in names}
    counts = np.array([len(part["root"]) for part in parts])
    return Bag(
        sub_ptr=_pointer(counts),
        row_ptr=_pointer(joined["rows"]),
        arc_ptr=_pointer(joined["num_arcs"]),
        node=joined["node"].astype(np.int32),
        mark=joined["mark"].astype(np.int8),
        arcs=joined["arcs"].astype(np.int32).reshape(-1, 2),
        origin=joined["origin"].astype(np.int32),
        root=joined["root"].astype(np.int32),
        root_row=joined["root_row"].astype(np.int32),
    )


def _pointer(counts: Array) -> Array:
    """Return where each of some blocks begins, and the end of the last."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _chosen(count: int, most: int, rng: np.random.Generator) -> Array:
    """Return the numbers of the subgraphs that are kept, in random order if some are dropped."""
    if not most or count <= most:
        return np.arange(count)
    return rng.permutation(count)[:most]


def _subgraphs(inside: Array, kept: Array, own: Array, mark: Array, root: Array) -> dict[str, Array]:
    """Return the arrays of one graph's subgraphs.

    `inside` (S, n) says which nodes are in a subgraph, `kept` (S, A) which arcs.
    """
    owner, node = np.nonzero(inside)
    rows = inside.sum(axis=1)
    place = np.cumsum(inside, axis=1) - 1
    sub, arc = np.nonzero(kept)
    ends = np.stack([place[sub, own[arc, 0]], place[sub, own[arc, 1]]], axis=1)
    return {
        "rows": rows,
        "num_arcs": kept.sum(axis=1),
        "node": node,
        "mark": mark[owner, node],
        "arcs": ends,
        "origin": arc,
        "root": root,
        "root_row": np.maximum(place[np.arange(len(root)), root], 0),
    }


def _ego(size: int, own: Array, policy: Policy, rng: np.random.Generator) -> dict[str, Array]:
    """Return the ego-networks of the nodes; a mark is the distance from the root."""
    root = _chosen(size, policy.most, rng)
    away = distances(size, own, policy.radius)[root]
    inside = away <= policy.radius
    kept = inside[:, own[:, 0]] & inside[:, own[:, 1]]
    return _subgraphs(inside, kept, own, away, root)


def _pair(size: int, own: Array, policy: Policy, rng: np.random.Generator) -> dict[str, Array]:
    """Return the ego-network of every node once per neighbor, both marked."""
    chosen = _chosen(len(own), policy.most, rng)
    root, other = own[chosen].T
    inside = distances(size, own, policy.radius)[root] <= policy.radius
    mark = np.zeros(inside.shape, dtype=np.int8)
    mark[np.arange(len(root)), root] = 1
    mark[np.arange(len(root)), other] = 2
    kept = inside[:, own[:, 0]] & inside[:, own[:, 1]]
    return _subgraphs(inside, kept, own, mark, root)


def _without_node(size: int, own: Array, policy: Policy, rng: np.random.Generator) -> dict[str, Array]:
    """Return the graph once per node, without the arcs of that node."""
    root = _chosen(size, policy.most, rng)
    inside = np.ones((len(root), size), dtype=bool)
    kept = (own[:, 0] != root[:, None]) & (own[:, 1] != root[:, None])
    return _subgraphs(inside, kept, own, np.zeros(inside.shape, dtype=np.int8), root)


def _without_edge(size: int, own: Array, policy: Policy, rng: np.random.Generator) -> dict[str, Array]:
    """Return the graph once per edge, without that edge; a graph without edges is its own only subgraph."""
    up = np.flatnonzero(own[:, 0] < own[:, 1])
    gone = own[up][_chosen(len(up), policy.most, rng)]
    if not len(gone):
        gone = np.array([[-1, -1]])
    low, high = gone.min(axis=1)[:, None], gone.max(axis=1)[:, None]
    kept = ~((own.min(axis=1) == low) & (own.max(axis=1) == high))
    inside = np.ones((len(gone), size), dtype=bool)
    root = np.zeros(len(gone), dtype=np.int64)
    return _subgraphs(inside, kept, own, np.zeros(inside.shape, dtype=np.int8), root)


_POLICIES: dict[str, Callable[..., dict[str, Array]]] = {
    "ego": _ego,
    "pair": _pair,
    "node": _without_node,
    "edge": _without_edge,
}


@dataclass(frozen=True, eq=False)
class Hops:
    """Arcs between nodes at each distance 1 ... K, and what lies between the nodes that far away.

    Attributes
    ----------
    ptr
        int64 (K, num_graphs + 1).
    arcs
        K arrays int32 (A, 2), numbered inside their graph, sorted by their first end.
    peripheral
        float32 (num_nodes, 2 K): log(1 + edges) among the nodes at each distance, and log(1 + triangles of a
        node at that distance with two neighbors there).
    """

    ptr: Array
    arcs: tuple[Array, ...]
    peripheral: Array


def make_hops(sizes: Array, arcs: Array, arc_ptr: Array, hops: int) -> Hops:
    """Return the arcs to the nodes at each distance.

    Examples
    --------
    >>> path = np.array([[0, 1], [1, 0], [1, 2], [2, 1]])
    >>> found = make_hops(np.array([3]), path, np.array([0, 4]), 2)
    >>> found.arcs[1].tolist()
    [[0, 2], [2, 0]]
    """
    lists: list[list[Array]] = [[] for _ in range(hops)]
    peripheral = []
    for graph, size in enumerate(sizes.tolist()):
        own = arcs[arc_ptr[graph] : arc_ptr[graph + 1]]
        away = distances(size, own, hops)
        near = (away == 1).astype(np.float32)
        columns = np.zeros((size, 2 * hops), dtype=np.float32)
        for hop in range(hops):
            at = (away == hop + 1).astype(np.float32)
            lists[hop].append(np.stack(np.nonzero(at), axis=1).astype(np.int32))
            columns[:, hop] = ((at @ near) * at).sum(axis=1) / 2
            for root in np.flatnonzero(columns[:, hop] >= 3):  # a triangle has three edges
                members = np.flatnonzero(at[root])
                inner = near[np.ix_(members, members)]
                columns[root, hops + hop] = np.einsum("ij,jk,ki->", inner, inner, inner, optimize=True) / 6
        peripheral.append(np.log1p(columns))
    ptr = np.stack([_pointer(np.array([len(part) for part in parts])) for parts in lists])
    return Hops(
        ptr,
        tuple(np.concatenate(parts).reshape(-1, 2) for parts in lists),
        np.concatenate(peripheral),
    )
