"""Changes of a graph, checked against the graph: removed edges, added edges and new nodes."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from egonet.checks import is_iterable
from egonet.errors import InputError, UnknownNodeError, show_value
from egonet.graph.columns import is_from
from egonet.graph.graph import Graph
from egonet.graph.index import ID_RULE, as_pair, check_ids, is_id, near_match, other_type, whole_float
from egonet.graph.input_options import choose_columns, warn
from egonet.kernel.incremental import ListPatch
from egonet.tables.table import as_table
from egonet.typing import Array, Int32s, Int64s

Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Changes:
    """What happens to a graph, by node numbers.

    Attributes
    ----------
    removed
        int32 (num_removed, 2): edges of the graph.
    added
        int32 (num_added, 2): edges it does not have.
    new_nodes
        Ids of the nodes that the first graph does not have, those of earlier changes first.
    num_fresh
        How many of `new_nodes` these changes add.
    loops_dropped, duplicates_merged
        Added edges that were left out: from a node to itself, or already there.
    """

    removed: Int32s
    added: Int32s
    new_nodes: tuple[Hashable, ...]
    num_fresh: int
    loops_dropped: int = 0
    duplicates_merged: int = 0


def as_pairs(pairs: Any, name: str) -> Iterable[Sequence[Hashable]]:
    """Return the rows of a table as pairs of ids, and anything else that can be iterated unchanged.

    `name` is the argument in messages.

    >>> import pandas as pd
    >>> as_pairs(pd.DataFrame({"source": ["a"], "target": ["b"]}), "added")
    [('a', 'b')]
    """
    if type(pairs) in (list, tuple):
        return pairs  # type: ignore[no-any-return]
    table = as_table(pairs)
    if table is not None:
        ends = choose_columns(table.names, None, None)
        if len(table.names) > 2:
            warn(
                f"{name}: columns other than {show_value(ends[0])} and {show_value(ends[1])} are ignored. Drop them."
            )
        flat = check_ids(table.flat_ids(*ends), table.places(*ends))
        listed = flat.tolist() if isinstance(flat, np.ndarray) else flat
        return list(zip(listed[0::2], listed[1::2], strict=True))
    if not is_iterable(pairs) or is_from("scipy", pairs):
        raise InputError(
            f"{name} must be pairs of node ids, or a table of two columns, got {show_value(pairs)}."
        )
    return pairs


def read_changes(
    graph: Graph,
    lists: ListPatch,
    new_nodes: tuple[Hashable, ...],
    added: Iterable[Sequence[Hashable]],
    removed: Iterable[Sequence[Hashable]],
) -> Changes:
    """Return the changes by node number; raise for the first one that is not possible.

    `lists` and `new_nodes` are the earlier changes of `graph`.

    >>> from egonet.kernel.incremental import NO_LISTS
    >>> graph = Graph.from_edges([("a", "b"), ("b", "c")])
    >>> changes = read_changes(graph, NO_LISTS, (), [("c", "d"), ("b", "a")], [("b", "c")])
    >>> changes.removed.tolist(), changes.added.tolist(), changes.new_nodes, changes.duplicates_merged
    ([[1, 2]], [[2, 3]], ('d',), 1)
    """
    reader = _Reader(graph, lists, new_nodes)
    gone = {reader.existing_edge(as_pair(pair, position)): None for position, pair in enumerate(removed)}
    come: dict[Pair, None] = {}
    loops = merged = 0
    for position, pair in enumerate(added):
        edge = reader.new_or_known_edge(as_pair(pair, position))
        if edge in gone:
            raise InputError(f"edge {_show_pair(pair)} is both added and removed. Name it once.")
        loops += edge[0] == edge[1]
        if edge[0] != edge[1]:
            is_present = edge in come or reader.has(edge)
            merged += is_present
            if not is_present:
                come[edge] = None
    num_fresh = len(reader.rows_of_new) - len(new_nodes)
    return Changes(_pairs(gone), _pairs(come), tuple(reader.rows_of_new), num_fresh, loops, merged)


def changed_graph(graph: Graph, changes: Changes, nodes: Array | None, num_nodes: int) -> Graph:
    """Return the graph after the changes, built from all its edges."""
    source, target = graph.edge_rows()
    gone = changes.removed.astype(np.int64) @ np.array([num_nodes, 1])
    stays = ~np.isin(source.astype(np.int64) * num_nodes + target, gone)
    source = np.concatenate([source[stays], changes.added[:, 0]])
    target = np.concatenate([target[stays], changes.added[:, 1]])
    return Graph.from_indices(source, target, num_nodes, nodes=nodes, directed=graph.directed)


def near_changes(before: Graph, after: Graph, changes: Changes, radius: int, *, either_way: bool) -> Int64s:
    """Return the nodes that reach an end of a changed arc in `radius` steps, before or after, and new nodes.

    No other node has a changed arc in its ego-network: an ego-network that counts or follows an arc contains its
    first end. Steps follow the lists of neighbors, or arcs in both directions if `either_way`.

    >>> arcs = Graph.from_edges([(0, 1), (1, 2), (2, 3), (4, 0)], directed="out")
    >>> changes = Changes(np.empty((0, 2), np.int32), np.array([[2, 4]], np.int32), (), 0)
    >>> after = changed_graph(arcs, changes, None, 5)
    >>> near_changes(arcs, after, changes, 1, either_way=False).tolist()
    [1, 2, 4]
    """
    ends = np.unique(np.concatenate([changes.removed, changes.added]).reshape(-1))
    is_near = np.zeros(after.num_nodes, dtype=bool)
    is_near[before.num_nodes :] = True
    for graph in (before, after):
        source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
        reached = np.zeros(graph.num_nodes, dtype=bool)
        reached[ends[ends < graph.num_nodes]] = True
        for _ in range(radius):
            wider = reached.copy()
            wider[source[reached[graph.indices]]] = True
            if either_way:
                wider[graph.indices[reached[source]]] = True
            if (wider == reached).all():
                break
            reached = wider
        is_near[: graph.num_nodes] |= reached
    return np.flatnonzero(is_near)


def in_order(graph: Graph, rows: Int64s) -> Graph:
    """Return the same graph with its nodes in another order: node i of the result is node `rows[i]`."""
    positions = np.empty_like(rows)
    positions[rows] = np.arange(len(rows))
    source, target = (positions[ends] for ends in graph.arc_rows())
    nodes = graph.node_ids[rows]
    ordered = Graph.from_indices(source, target, graph.num_nodes, nodes=nodes, directed=graph.directed)
    return replace(ordered, info=graph.info)


class _Reader:
    """Finds nodes and edges in a graph with earlier changes."""

    def __init__(self, graph: Graph, lists: ListPatch, new_nodes: tuple[Hashable, ...]) -> None:
        self.graph, self.lists = graph, lists
        self.rows_of_new = {node: graph.num_nodes + position for position, node in enumerate(new_nodes)}

    def row(self, node: Hashable) -> int | None:
        plain = whole_float(node)
        if not is_id(plain):
            raise InputError(f"{ID_RULE}, got {show_value(node)}.")
        number = self.graph.find(plain)
        return self.rows_of_new.get(plain) if number is None else number

    def existing_edge(self, pair: Sequence[Hashable]) -> Pair:
        rows = [self.row(node) for node in pair]
        for node, row in zip(pair, rows, strict=True):
            if row is None:
                raise UnknownNodeError(
                    f"removed edge {_show_pair(pair)}: the graph has no node {show_value(node)}."
                    f"{near_match(node, self.graph.node_ids)}"
                )
        edge = self._oriented(*rows)  # type: ignore[arg-type]
        if not self.has(edge):
            raise InputError(f"removed edge {_show_pair(pair)} is not in the graph. Leave it out.")
        return edge

    def new_or_known_edge(self, pair: Sequence[Hashable]) -> Pair:
        return self._oriented(*(self._row_or_new(node, pair) for node in pair))

    def _row_or_new(self, node: Hashable, pair: Sequence[Hashable]) -> int:
        row = self.row(node)
        if row is None:
            self.graph.index.reject_other_types([node], f"added edge {_show_pair(pair)}: the graph")
            twin = other_type(node)
            if twin in self.rows_of_new:
                raise InputError(
                    f"added edge {_show_pair(pair)}: {show_value(node)} and the new node {show_value(twin)} differ "
                    "only in their type. Write an id with one type."
                )
            row = self.graph.num_nodes + len(self.rows_of_new)
            self.rows_of_new[whole_float(node)] = row
        return row

    def _oriented(self, a: int, b: int) -> Pair:
        return (a, b) if self.graph.directed is not None or a < b else (b, a)

    def has(self, edge: Pair) -> bool:
        row, column = edge if self.graph.directed != "in" else edge[::-1]
        position = int(np.searchsorted(self.lists.owners, row))
        if position < len(self.lists.owners) and self.lists.owners[position] == row:
            indptr, indices, row = self.lists.indptr, self.lists.indices, position
        elif row < self.graph.num_nodes:
            indptr, indices = self.graph.indptr, self.graph.indices
        else:
            return False
        neighbors = indices[indptr[row] : indptr[row + 1]]
        position = int(np.searchsorted(neighbors, column))
        return position < len(neighbors) and bool(neighbors[position] == column)


def _pairs(edges: dict[Pair, None]) -> Int32s:
    return np.array(list(edges), dtype=np.int32).reshape(-1, 2)


def _show_pair(pair: Sequence[Hashable]) -> str:
    return f"({', '.join(map(show_value, pair))})"
