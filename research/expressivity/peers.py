"""Other methods as exact tests: what their networks could distinguish at best, with no training in between."""

from collections.abc import Iterator, Sequence

import numpy as np

from egonet import Graph
from egonet.typing import Floats, Int64s
from egonet.wl import Criterion, EgoNetworks, ego_networks, graph_classes, refine_colors
from research.nets.peers.substructures import clique_counts, node_counts

#: Two floating-point features count as equal if sorted neighbors differ by no more than this.
TOLERANCE = 1e-6


def khop_wl(hops: int) -> Criterion:
    """Return k-hop WL: a round sees the colors at each distance up to `hops` separately.

    References
    ----------
    Feng, Chen, Li, Sarkar, Zhang, "How Powerful are K-hop Message Passing Graph Neural Networks", NeurIPS 2022.

    Examples
    --------
    >>> from egonet import named
    >>> len(set(khop_wl(2).classes(named.path(5), np.array([0, 5])).tolist()))
    3
    """

    def classify(graph: Graph, _: Int64s, _labels: object) -> Int64s:
        size = graph.num_nodes
        copies = ego_networks(graph, np.arange(size), hops)
        far = copies.distance > 0
        # A node points at one collector per distance, and the collector at the nodes that far away.
        collector = size + copies.owner[far] * hops + copies.distance[far] - 1
        own = size + np.arange(size * hops)
        source = np.concatenate([np.repeat(np.arange(size), hops), collector])
        target = np.concatenate([own, copies.node[far]])
        arcs = Graph.from_indices(source, target, size * (hops + 1), directed="out")
        kinds = np.concatenate([np.zeros(size, dtype=np.int64), np.tile(np.arange(1, hops + 1), size)])
        return refine_colors(arcs, kinds)[:size]

    return Criterion(f"{hops}-hop WL", classify)


def marked_root(radius: int) -> Criterion:
    """Return 1-WL inside ego-networks with their root marked: nested, identity-aware and as-kernel networks.

    References
    ----------
    Zhang, Li, "Nested Graph Neural Networks", NeurIPS 2021. You, Gomes-Selman, Ying, Leskovec, "Identity-aware
    Graph Neural Networks", AAAI 2021. Zhao, Jin, Akoglu, Shah, "From Stars to Subgraphs", ICLR 2022.
    """

    def classify(graph: Graph, _: Int64s, _labels: object) -> Int64s:
        copies = ego_networks(graph, np.arange(graph.num_nodes), radius)
        return _network_classes(copies, (copies.distance == 0).astype(np.int64))

    return Criterion(f"marked root r={radius}", classify)


def _network_classes(networks: EgoNetworks, start: Int64s) -> Int64s:
    """Return a class per ego-network: the multiset of stable colors of its nodes, refined from `start`."""
    return graph_classes(refine_colors(networks.graph, start), networks.ptr)


def marked_edge(radius: int) -> Criterion:
    """Return 1-WL inside ego-networks with their root and one neighbor marked, for each neighbor in turn.

    References
    ----------
    Huang, Peng, Ma, Zhang, "Boosting the Cycle Counting Power of Graph Neural Networks with I²-GNNs", ICLR 2023.
    """

    def classify(graph: Graph, _: Int64s, _labels: object) -> Int64s:
        root = np.repeat(np.arange(graph.num_nodes), graph.degrees)
        copies = ego_networks(graph, root, radius)
        marked = copies.node == graph.indices[copies.owner]
        classes = _network_classes(copies, (copies.distance == 0) + 2 * marked.astype(np.int64))
        return graph_classes(classes, graph.indptr)

    return Criterion(f"marked root and neighbor r={radius}", classify)


def ego_bag(radius: int, *, flag: bool) -> Criterion:
    """Return the joint refinement of a bag of ego-networks, without (EGO) or with a flag on the root (EGO+).

    Every ego-network keeps all nodes, those outside without edges. A round gives the node u of one network a
    new color from its neighbors there, from its copies in all networks, and from those of its neighbors in
    the graph.

    References
    ----------
    Bevilacqua et al., "Equivariant Subgraph Aggregation Networks", ICLR 2022.
    """

    def classify(graph: Graph, graph_ptr: Int64s, _labels: object) -> Int64s:
        sizes = np.diff(graph_ptr)
        per_root = np.repeat(sizes, sizes)
        # The copy of node u in the network of root v is node first[v] + u; the node itself comes last.
        first = np.cumsum(per_root) - per_root - np.repeat(graph_ptr[:-1], sizes)
        total = int(per_root.sum())
        copies = ego_networks(graph, np.arange(graph.num_nodes), radius)
        place = first[copies.owner] + copies.node
        inner = np.repeat(place, copies.graph.degrees), place[copies.graph.indices]
        root = np.repeat(np.arange(graph.num_nodes), per_root)
        original = np.arange(total) - first[root]
        outer = np.repeat(np.arange(graph.num_nodes), graph.degrees), graph.indices
        up = total
        source = np.concatenate([inner[0], np.arange(total), up + original, up + outer[0]])
        target = np.concatenate([inner[1], up + original, np.arange(total), up + outer[1]])
        size = total + graph.num_nodes
        whole = Graph.from_indices(source, target, size)
        kinds = np.zeros(size, dtype=np.int64)
        kinds[up:] = 1
        if flag:
            kinds[first + np.arange(graph.num_nodes)] = 2
        colors = refine_colors(whole, kinds)
        bounds = np.concatenate([[0], np.cumsum(per_root)])
        return join_classes([graph_classes(colors[:total], bounds), colors[total:]])

    return Criterion(f"EGO{'+' * flag} r={radius}", classify)


def as_kernel(radius: int, *, context: bool) -> Criterion:
    """Return GNN-AK: 1-WL inside every ego-network, the root and the whole network color the node, and so on again.

    A pass starts inside each network from the colors of the pass before. With `context` (GNN-AK+) the start also
    has the distances from the root, and a node is also colored by what it is in the networks of others.

    References
    ----------
    Zhao, Jin, Akoglu, Shah, "From Stars to Subgraphs: Uplifting Any GNN with Local Structure Awareness", ICLR 2022.
    """

    def classify(graph: Graph, _: Int64s, _labels: object) -> Int64s:
        copies = ego_networks(graph, np.arange(graph.num_nodes), radius)
        return _passes(graph, copies, marked=context, read_root=True, read_context=context)

    return Criterion(f"GNN-AK{'+' * context} r={radius}", classify)


def ego_gnn(radius: int) -> Criterion:
    """Return Ego-GNN: 1-WL inside every ego-network, a node colored by its copies in all of them, and 1-WL, again.

    References
    ----------
    Sandfelder, Vijayan, Hamilton, "Ego-GNNs: Exploiting Ego Structures in Graph Neural Networks", ICASSP 2021.
    """

    def classify(graph: Graph, _: Int64s, _labels: object) -> Int64s:
        copies = ego_networks(graph, np.arange(graph.num_nodes), radius)
        return _passes(graph, copies, marked=False, read_root=False, read_context=True)

    return Criterion(f"Ego-GNN r={radius}", classify)


def _passes(
    graph: Graph, copies: EgoNetworks, *, marked: bool, read_root: bool, read_context: bool
) -> Int64s:
    """Return the colors of nodes when one more pass over the ego-networks divides no class."""
    order = np.argsort(copies.node, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(copies.node, minlength=graph.num_nodes))])
    colors = np.zeros(graph.num_nodes, dtype=np.int64)
    while True:
        parts = [colors[copies.node], copies.distance.astype(np.int64)]
        inner = refine_colors(copies.graph, join_classes(parts if marked else parts[:1]))
        found = [colors if read_root else refine_colors(graph, colors)]
        if read_root:
            found += [inner[copies.ptr[:-1]], graph_classes(inner, copies.ptr)]
        if read_context:
            found.append(graph_classes(inner[order], bounds))
        new = join_classes(found)
        if new.max(initial=0) == colors.max(initial=0):
            return new
        colors = new


def distance_encoding() -> Criterion:
    """Return DE-1: 1-WL on the whole graph, started from the distances to one node, read at that node.

    References
    ----------
    Li, Wang, Wang, Leskovec, "Distance Encoding", NeurIPS 2020.
    """

    def classify(graph: Graph, _: Int64s, _labels: object) -> Int64s:
        copies = ego_networks(graph, np.arange(graph.num_nodes), graph.num_nodes)
        return refine_colors(copies.graph, copies.distance.astype(np.int64))[copies.ptr[:-1]]

    return Criterion("DE-1", classify)


def substructure_counts() -> Criterion:
    """Return 1-WL started from the triangles, 4- to 6-cycles, 4- and 5-cliques through every node (GSN).

    References
    ----------
    Bouritsas, Frasca, Zafeiriou, Bronstein, "Improving Graph Neural Network Expressivity via Subgraph
    Isomorphism Counting", TPAMI 2023.
    """

    def classify(graph: Graph, graph_ptr: Int64s, _labels: object) -> Int64s:
        return join_classes(list(node_substructures(graph, graph_ptr).T))

    return Criterion("GSN C3-C6, K4, K5", classify, refined=True)


def node_substructures(graph: Graph, graph_ptr: Int64s) -> Int64s:
    """Return (num_nodes, 6): the triangles, 4-, 5- and 6-cycles, 4- and 5-cliques through every node.

    Examples
    --------
    A square with one diagonal.

    >>> square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])
    >>> node_substructures(square, np.array([0, 4])).tolist()[:2]
    [[2, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0]]
    """
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    first = graph_ptr[np.searchsorted(graph_ptr, source, side="right") - 1]
    arcs = np.column_stack([source, graph.indices]) - first[:, None]
    cliques = clique_counts(np.diff(graph_ptr), arcs, graph.indptr[graph_ptr])
    counts = np.zeros((graph.num_nodes, 6), dtype=np.int64)
    counts[:, [0, 4, 5]] = node_counts(source, cliques, graph.num_nodes, per_node=np.array([2, 3, 4]))
    for rows, batch in _dense_batches(graph, graph_ptr):
        counts[rows, 1:4] = np.rint(_cycle_counts(batch))
    return counts


def _cycle_counts(near: Floats) -> Floats:
    """Return the 4-, 5- and 6-cycles through every node, from adjacency matrices of graphs of equal size.

    A cycle is two paths between a node v and the node or the edge opposite to it, less the pairs of paths that meet.
    """
    degree = near.sum(axis=2, keepdims=True)
    common = near @ near * (1 - np.eye(near.shape[1]))
    linked = near * common
    triangles = linked.sum(axis=2) / 2
    four = (common * (common - 1)).sum(axis=2) / 2
    # v-a-x-y-b for every edge xy, less those with a = b or with v on the edge.
    spread = (common @ near * common).sum(axis=2) - 2 * (linked @ (degree - 1))[:, :, 0] + 2 * triangles
    five = spread / 2 - (near @ triangles[:, :, None])[:, :, 0] + 2 * triangles
    # v-a-x-w-y-b for every opposite node w: pairs of paths v-a-x-w, less those that share a or x.
    paths = near @ common - near * (degree - near)
    same = near @ common**2 - 2 * near * (near @ common) + near * (degree - near)
    crossed = linked @ linked - near * (near @ linked + linked @ near) + linked
    both = paths**2 - same - same.transpose(0, 2, 1) - 2 * crossed + paths
    both *= 1 - np.eye(near.shape[1])
    back = (near @ (linked - near) * near).sum(axis=2)
    return np.stack([four, five, (both.sum(axis=2) + back) / 2], axis=2)


def random_walks(steps: int) -> Criterion:
    """Return 1-WL started from the probabilities that a random walk is back after 1 ... `steps` steps.

    The numbers are those of PyG's `AddRandomWalkPE`, in double precision; numbers within `TOLERANCE` are equal.
    """

    def classify(graph: Graph, graph_ptr: Int64s, _labels: object) -> Int64s:
        features = np.zeros((graph.num_nodes, steps))
        for rows, batch in _dense_batches(graph, graph_ptr):
            walk = batch / np.maximum(batch.sum(axis=2, keepdims=True), 1)
            power = np.broadcast_to(np.eye(batch.shape[1]), batch.shape)
            for step in range(steps):
                power = power @ walk
                features[rows, step] = np.einsum("gii->gi", power)
        return float_classes(features)

    return Criterion(f"random walk {steps}", classify, refined=True)


def laplacian(count: int) -> Criterion:
    """Return 1-WL started from the part of the Laplacian eigenvectors that does not depend on how they are chosen.

    PyG's `AddLaplacianEigenvectorPE` takes eigenvectors of the normalized Laplacian, whose signs, and whose
    choice inside an eigenspace of several dimensions, are arbitrary. What is not: the square of a node's
    entry, summed over the eigenspace. This uses that number for the eigenspaces of the `count` + 1 smallest
    eigenvalues; eigenvalues within `TOLERANCE` are equal, and so are features.
    """

    def classify(graph: Graph, graph_ptr: Int64s, _labels: object) -> Int64s:
        features = np.full((graph.num_nodes, count + 1), -1.0)
        for rows, batch in _dense_batches(graph, graph_ptr):
            features[rows] = _eigenspace_weights(batch, count + 1)
        return float_classes(features)

    return Criterion(f"Laplacian {count}", classify, refined=True)


def float_classes(features: Floats) -> Int64s:
    """Return a class per row of numbers; rows are alike if every number is, within chains of `TOLERANCE`.

    Examples
    --------
    >>> float_classes(np.array([[0.5, 1.0], [0.5 + 1e-9, 1.0], [0.5, 2.0]])).tolist()
    [0, 0, 1]
    """
    columns = []
    for values in features.T:
        order = np.argsort(values, kind="stable")
        steps = np.diff(values[order], prepend=values[order[:1]]) > TOLERANCE
        column = np.empty(len(values), dtype=np.int64)
        column[order] = np.cumsum(steps)
        columns.append(column)
    return join_classes(columns)


def _dense_batches(graph: Graph, graph_ptr: Int64s) -> Iterator[tuple[Int64s, Floats]]:
    """Yield graphs of equal size together: the rows of their nodes, and their adjacency matrices."""
    sizes = np.diff(graph_ptr)
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    for size in np.unique(sizes[sizes > 0]).tolist():
        members = np.flatnonzero(sizes == size)
        number = np.full(len(sizes), -1)
        number[members] = np.arange(len(members))
        inside = number[owner[source]] >= 0
        batch = np.zeros((len(members), size, size))
        shift = graph_ptr[owner[source[inside]]]
        batch[number[owner[source[inside]]], source[inside] - shift, graph.indices[inside] - shift] = 1
        yield graph_ptr[members][:, None] + np.arange(size), batch


def _eigenspace_weights(batch: Floats, count: int) -> Floats:
    """Return per node the squared length of its projection on each of the first eigenspaces, -1 where none is."""
    degree = batch.sum(axis=2)
    scale = np.where(degree > 0, 1 / np.sqrt(np.maximum(degree, 1)), 0)
    normalized = (
        np.eye(batch.shape[1]) * (degree > 0)[:, :, None] - scale[:, :, None] * batch * scale[:, None, :]
    )
    values, vectors = np.linalg.eigh(normalized)
    space = np.cumsum(np.diff(values, axis=1, prepend=values[:, :1]) > TOLERANCE, axis=1)
    weights = np.full((*batch.shape[:2], count), -1.0)
    for index in range(min(count, batch.shape[1])):
        # An eigenspace counts if its smallest eigenvector is among the first `count` of the graph.
        begins = (space[:, :count] == index).any(axis=1)
        chosen = (space == index)[:, None, :]
        total = (vectors**2 * chosen).sum(axis=2)
        weights[begins, :, index] = total[begins]
    return weights


def join_classes(parts: Sequence[Int64s]) -> Int64s:
    """Return one class per node from several: equal if and only if all of them are equal.

    Examples
    --------
    >>> join_classes([np.array([0, 0, 1]), np.array([5, 7, 5])]).tolist()
    [0, 1, 2]
    """
    joined = np.zeros(len(parts[0]), dtype=np.int64)
    for part in parts:
        # Both numbers are below the number of nodes, so that the product cannot overflow.
        dense = np.unique(part, return_inverse=True)[1]
        joined = np.unique(joined * (dense.max(initial=0) + 1) + dense, return_inverse=True)[1]
    return joined.astype(np.int64)
