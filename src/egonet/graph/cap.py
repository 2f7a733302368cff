"""A graph with at most k edges per node, chosen by a fixed hash.

Every edge has a hash of its two node numbers. The threshold of a node is the k-th smallest hash among its edges; a
node with at most k edges has none. An edge is kept if its hash is within the thresholds of both ends. In a directed
graph a node has one threshold for its outgoing and one for its incoming arcs, and keeps at most k of each. The choice
depends on neither randomness nor order, so every engine makes the same choice from any part of the graph.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from egonet.graph.columns import EdgeTable, take_entries
from egonet.graph.graph import Graph, adjacency
from egonet.kernel.out_of_core import row_ranges
from egonet.typing import Int32s, Int64s

Hashes = NDArray[np.uint64]
#: Arcs processed at a time.
CHUNK_ARCS = 1 << 22


def cap_edges(graph: Graph, cap: int) -> Graph:
    """Return the graph with at most `cap` edges per node; in a directed graph, `cap` arcs each way.

    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 10)], 10)
    >>> cap_edges(star, 3).degrees.tolist()[0], cap_edges(star, 9).num_edges
    (3, 9)
    >>> arcs = Graph.from_edges([(0, leaf) for leaf in range(1, 10)], 10, directed="out")
    >>> cap_edges(arcs, 3).edges()[:, 0].tolist()
    [0, 0, 0]
    """
    thresholds = cap_thresholds(graph.indptr, graph.indices, cap)
    others = None
    if graph.directed is not None:
        rows = np.repeat(np.arange(graph.num_nodes), graph.degrees)
        columns = graph.indices.astype(np.int64)
        indptr, indices, _ = adjacency(columns, rows, graph.num_nodes, both_directions=False)
        others = cap_thresholds(indptr, indices, cap)
    parts = list(capped_rows(graph.indptr, graph.indices, thresholds, others))
    indptr = np.zeros(graph.num_nodes + 1, dtype=np.int64)
    np.cumsum(np.concatenate([np.empty(0, np.int64), *(lengths for lengths, _ in parts)]), out=indptr[1:])
    indices = np.concatenate([np.empty(0, np.int32), *(targets for _, targets in parts)])
    return _keep_columns(Graph.from_checked(indptr, indices, graph.nodes, graph.directed, graph.info), graph)


def _keep_columns(capped: Graph, graph: Graph) -> Graph:
    """Return the capped graph with the columns of its nodes and of the edges that were kept."""
    if not graph.edge_columns and graph.edge_table is None:
        return capped.with_columns(graph.node_columns) if graph.node_columns else capped
    table = graph.given_edges()
    rows = np.flatnonzero(has_edges(capped, table.source, table.target))
    attributes = {name: values[rows] for name, values in table.columns.items()}
    columns = {name: take_entries(column, rows) for name, column in graph.edge_columns.items()}
    made = capped.with_table(EdgeTable(table.source[rows], table.target[rows], attributes))
    return made.with_columns(graph.node_columns, columns)


def has_edges(graph: Graph, source: Int32s, target: Int32s) -> NDArray[np.bool_]:
    """Return whether the graph has each of some edges or arcs, given by rows."""
    first, second = (target, source) if graph.directed == "in" else (source, target)
    codes = np.repeat(np.arange(len(graph)), graph.degrees) * len(graph) + graph.indices
    return np.isin(first.astype(np.int64) * len(graph) + second, codes)


def cap_thresholds(indptr: Int64s, indices: Int32s, cap: int) -> Hashes:
    """Return the largest hash that is kept at every node."""
    cap = min(cap, len(indices))  # a larger cap keeps everything; int64 may overflow
    thresholds = np.full(len(indptr) - 1, np.iinfo(np.uint64).max, dtype=np.uint64)
    for first, last in pairwise(row_ranges(indptr, CHUNK_ARCS)):
        degrees = np.diff(indptr[first : last + 1])
        rows, hashes = _hashes(indptr, indices, first, last)
        order = np.lexsort((hashes, rows))
        crowded = np.flatnonzero(degrees > cap)
        starts = indptr[first + crowded] - indptr[first]
        thresholds[first + crowded] = hashes[order[starts + cap - 1]]
    return thresholds


def capped_rows(
    indptr: Int64s, indices: Int32s, thresholds: Hashes, others: Hashes | None = None
) -> Iterator[tuple[Int64s, Int32s]]:
    """Yield, for every row range, the number of neighbors that each node keeps, and the neighbors.

    `others` are the thresholds of the far ends of arcs, in a directed graph.
    """
    others = thresholds if others is None else others
    for first, last in pairwise(row_ranges(indptr, CHUNK_ARCS)):
        rows, hashes = _hashes(indptr, indices, first, last)
        columns = np.asarray(indices[indptr[first] : indptr[last]])
        is_below = (hashes <= thresholds[rows]) & (hashes <= others[columns])
        yield np.bincount(rows[is_below] - first, minlength=last - first), columns[is_below]


def _hashes(indptr: Int64s, indices: Int32s, first: int, last: int) -> tuple[Int64s, Hashes]:
    """Return row and hash of every arc of a row range; both directions of an edge have the same hash."""
    rows = np.repeat(np.arange(first, last), np.diff(indptr[first : last + 1]))
    columns = np.asarray(indices[indptr[first] : indptr[last]]).astype(np.int64)
    low, high = np.minimum(rows, columns).astype(np.uint64), np.maximum(rows, columns).astype(np.uint64)
    mixed = (low << np.uint64(32) | high) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return rows, mixed ^ (mixed >> np.uint64(31))
