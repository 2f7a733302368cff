"""`Graph`: sorted neighbor lists in compressed rows, the node ids, and what reading the input changed."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from egonet import _native
from egonet.errors import InputError, UnknownNodeError, require_extra
from egonet.graph.edge_table import EdgeTable
from egonet.graph.ids import factorize, flatten, is_id, known_ids, near_match, show
from egonet.graph.invariants import MAX_NODES as MAX_NODES
from egonet.graph.invariants import check_arrays, check_rows
from egonet.kernel.native import available_cores
from egonet.notebook import html_table
from egonet.typing import Array, Directed, Direction, Int32s, Int64s

if TYPE_CHECKING:
    import networkx


@dataclass(frozen=True)
class GraphInfo:
    """What reading a graph changed: everything that was dropped or merged is counted here.

    Attributes
    ----------
    loops_dropped
        Edges from a node to itself that were left out.
    duplicates_merged
        Repeats of an edge after its first listing; in an undirected graph in either direction.
    weights_ignored
        True if the input had edge weights that the encoding does not use.
    read_as_undirected
        True if the input was directed and its arcs were read as undirected edges.
    """

    loops_dropped: int = 0
    duplicates_merged: int = 0
    weights_ignored: bool = False
    read_as_undirected: bool = False

    def __str__(self) -> str:
        """Return the changes as text, or "nothing changed"."""
        changes = {
            f"{self.loops_dropped:,} self-loops dropped": self.loops_dropped,
            f"{self.duplicates_merged:,} repeated edges merged": self.duplicates_merged,
            "edge weights ignored": self.weights_ignored,
            "arcs read as undirected edges": self.read_as_undirected,
        }
        return ", ".join(text for text, happened in changes.items() if happened) or "nothing changed"


#: Most graphs share this object, which makes it quick to sum up many graphs.
NOTHING_CHANGED = GraphInfo()


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """A simple graph, undirected unless `directed` says which way its arcs are followed.

    Attributes
    ----------
    indptr
        int64 (num_nodes + 1,), rising from 0: the neighbors of v are `indices[indptr[v]:indptr[v + 1]]`.
    indices
        int32 (num_arcs,), rising per row, no loops; an undirected edge is listed in both rows.
    nodes
        The ids of the nodes in row order (any dtype, unique), or None if they are 0 ... num_nodes - 1.
    directed
        None for an undirected graph, "out" or "in" if rows list out- or in-neighbors.
    info
        What reading the input changed.
    edge_table
        The edges as they were given, with the attributes that reading kept (`keep=`), or None.

    Examples
    --------
    >>> graph = Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    >>> graph
    Graph(num_nodes=4, num_edges=4)
    >>> graph.indptr.tolist(), graph.indices.tolist()
    ([0, 2, 4, 7, 8], [1, 2, 0, 2, 0, 1, 3, 2])
    """

    indptr: Int64s
    indices: Int32s
    nodes: Array | None = None
    directed: Direction | None = None
    info: GraphInfo = NOTHING_CHANGED
    edge_table: EdgeTable | None = None

    def __post_init__(self) -> None:
        """Check every invariant and take read-only copies of arrays that the caller could still change."""
        check_arrays(self.indptr, self.indices)
        if self.directed not in (None, "out", "in"):
            raise InputError(f'directed must be None, "out" or "in", got {self.directed!r}.')
        check_rows(self.indptr, self.indices, self.directed)
        if self.nodes is not None:
            shape = getattr(self.nodes, "shape", None)
            if not isinstance(self.nodes, np.ndarray) or shape != (self.num_nodes,):
                got = type(self.nodes).__name__ if shape is None else f"shape {shape}"
                raise InputError(
                    f"nodes must be an array with one id per node: {self.num_nodes:,}, got {got}."
                )
            known_ids(self.nodes)
        for name in ("indptr", "indices", "nodes"):
            array = getattr(self, name)
            if array is not None and array.flags.writeable:
                object.__setattr__(self, name, array.copy())
                getattr(self, name).flags.writeable = False
        if self.info == NOTHING_CHANGED:
            object.__setattr__(self, "info", NOTHING_CHANGED)

    @classmethod
    def from_checked(
        cls,
        indptr: Int64s,
        indices: Int32s,
        nodes: Array | None = None,
        directed: Direction | None = None,
        info: GraphInfo = NOTHING_CHANGED,
        edge_table: EdgeTable | None = None,
    ) -> "Graph":
        """Return the graph of arrays that satisfy every invariant; they are shared and not checked."""
        arrays: dict[str, Any] = {"indptr": indptr, "indices": indices, "nodes": nodes}
        for name, array in arrays.items():
            if array is not None and array.flags.writeable:
                arrays[name] = array.view()  # the caller's own array stays writeable
                arrays[name].flags.writeable = False
        graph = object.__new__(cls)
        info = NOTHING_CHANGED if info == NOTHING_CHANGED else info
        graph.__dict__.update(arrays, directed=directed, info=info, edge_table=edge_table)
        return graph

    def with_table(self, edge_table: EdgeTable | None) -> "Graph":
        """Return the same graph with the edges as they were given."""
        return Graph.from_checked(self.indptr, self.indices, self.nodes, self.directed, self.info, edge_table)

    def __repr__(self) -> str:
        direction = f", directed={self.directed!r}" if self.directed else ""
        return f"Graph(num_nodes={self.num_nodes}, num_edges={self.num_edges}{direction})"

    def _repr_html_(self) -> str:
        rows = [("nodes", self.num_nodes), ("edges", self.num_edges), ("directed", self.directed or "no")]
        return html_table("Graph", [*rows, ("reading", str(self.info))])

    def __len__(self) -> int:
        return self.num_nodes

    def __bool__(self) -> bool:
        """Return True: a graph without nodes is still a graph."""
        return True

    def __eq__(self, other: object) -> bool:
        """Return whether two graphs have the same node ids, edges and direction; rows may be in another order."""
        if not isinstance(other, Graph):
            return NotImplemented
        if self is other:
            return True
        if self.directed != other.directed or (len(self), self.num_edges) != (len(other), other.num_edges):
            return False
        if not np.array_equal(self.node_ids, other.node_ids):
            if any(other.find(node) is None for node in self.node_ids.tolist()):
                return False
            other = other.induced(self.node_ids.tolist())
        return np.array_equal(self.indptr, other.indptr) and np.array_equal(self.indices, other.indices)

    def __hash__(self) -> int:
        return hash((self.num_nodes, self.num_edges, self.directed))

    @property
    def num_nodes(self) -> int:
        """Return the number of nodes."""
        return len(self.indptr) - 1

    @property
    def num_edges(self) -> int:
        """Return the number of edges (of arcs, if the graph is directed)."""
        return len(self.indices) if self.directed else len(self.indices) // 2

    @property
    def degrees(self) -> Int64s:
        """Return the number of neighbors of every node."""
        return np.diff(self.indptr)

    @property
    def node_ids(self) -> Array:
        """Return the ids of the nodes in row order, as an array."""
        return np.arange(self.num_nodes) if self.nodes is None else self.nodes

    def neighbors(self, node: Hashable) -> list[Any]:
        """Return the ids of a node's neighbors, in row order.

        Examples
        --------
        >>> Graph.from_edges([("a", "b"), ("b", "c")]).neighbors("b")
        ['a', 'c']
        """
        v = self.index_of(node)
        found: list[Any] = self.node_ids[self.indices[self.indptr[v] : self.indptr[v + 1]]].tolist()
        return found

    def edges(self) -> Array:
        """Return the edges as pairs of node ids (num_edges, 2), in row order.

        An undirected edge is listed once, the end with the lower row first; an arc is (source, target).

        Examples
        --------
        >>> Graph.from_edges([("b", "a"), ("c", "b")]).edges().tolist()
        [['b', 'a'], ['b', 'c']]
        """
        pairs: Array = self.node_ids[np.stack(self.edge_rows(), axis=1)]
        return pairs

    def edge_rows(self) -> tuple[Int32s, Int32s]:
        """Return the rows of both ends of every edge, in the order of `edges()`.

        >>> Graph.from_edges([("b", "a"), ("c", "b")]).edge_rows()
        (array([0, 0], dtype=int32), array([1, 2], dtype=int32))
        """
        source, target = self.arc_rows()
        once = slice(None) if self.directed else source < target
        return source[once], target[once]

    def arc_rows(self) -> tuple[Int32s, Int32s]:
        """Return the rows of the source and the target of every arc; an undirected edge is two arcs."""
        rows = np.repeat(np.arange(len(self), dtype=np.int32), self.degrees)
        return (self.indices, rows) if self.directed == "in" else (rows, self.indices)

    def induced(self, nodes: Iterable[Hashable]) -> "Graph":
        """Return the subgraph of some nodes and all edges between them, rows in the order given.

        Examples
        --------
        >>> Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a")]).induced(["c", "a"]).edges().tolist()
        [['c', 'a']]
        """
        rows = np.array([self.index_of(node) for node in nodes], dtype=np.int64)
        if len(np.unique(rows)) < len(rows):
            raise InputError(
                f"nodes must name every node once, got {len(rows)} ids of {len(np.unique(rows))}."
            )
        position = np.full(len(self), -1)
        position[rows] = np.arange(len(rows))
        source, target = (position[ends] for ends in self.edge_rows())
        kept = (source >= 0) & (target >= 0)
        same = self.nodes is None and np.array_equal(rows, np.arange(len(rows)))
        ids = None if same else self.node_ids[rows]
        return Graph.from_indices(source[kept], target[kept], len(rows), nodes=ids, directed=self.directed)

    def to_scipy(self) -> "csr_array[Any, tuple[int, int]]":
        """Return the adjacency matrix: int32, 1 in row u and column v for an edge or an arc from u to v."""
        ones = np.ones(len(self.indices), dtype=np.int32)
        matrix = csr_array((ones, self.indices, self.indptr), shape=(len(self), len(self)))
        return matrix.T.tocsr() if self.directed == "in" else matrix

    def to_networkx(self) -> "networkx.Graph":
        """Return a `networkx.Graph`, or a `networkx.DiGraph` of a directed graph, with the same ids.

        Examples
        --------
        >>> sorted(Graph.from_edges([("a", "b"), ("b", "c")]).to_networkx().degree)
        [('a', 1), ('b', 2), ('c', 1)]
        """
        networkx = require_extra("networkx", "to_networkx", extra="io")
        made = networkx.DiGraph() if self.directed else networkx.Graph()
        made.add_nodes_from(self.node_ids.tolist())
        made.add_edges_from(self.edges().tolist())
        return made

    def index_of(self, node: Hashable) -> int:
        """Return the row of a node id.

        Examples
        --------
        >>> Graph.from_edges([("ann", "bob"), ("bob", "cid")]).index_of("dob")
        Traceback (most recent call last):
            ...
        egonet.errors.UnknownNodeError: the graph has no node 'dob'. Did you mean 'bob'?
        """
        row = self.find(node)
        if row is None:
            raise UnknownNodeError(f"the graph has no node {show(node)}.{near_match(node, self.node_ids)}")
        return row

    def find(self, node: Hashable) -> int | None:
        """Return the row of a node id, or None if there is no such node."""
        if self.nodes is None:
            whole = isinstance(node, int | np.integer) and not isinstance(node, bool)
            return int(node) if whole and 0 <= int(node) < self.num_nodes else None  # type: ignore[call-overload]
        plain = node.item() if isinstance(node, np.generic) else node
        return self._row_of.get(plain) if is_id(plain) else None

    @cached_property
    def _row_of(self) -> dict[Hashable, int]:
        """Return id → row; built on first use, because most graphs do not need it."""
        return {node: row for row, node in enumerate(self.node_ids.tolist())}

    @classmethod
    def from_edges(
        cls,
        pairs: Iterable[Sequence[Hashable]] | ArrayLike,
        num_nodes: int | None = None,
        *,
        nodes: Iterable[Hashable] | None = None,
        directed: Directed = None,
    ) -> "Graph":
        """Return the graph of some pairs of node ids.

        Parameters
        ----------
        pairs
            Two ids per edge: strings, whole numbers, or a mixture. Rows follow the first appearance of ids.
        num_nodes
            If given, ids are the whole numbers 0 ... num_nodes - 1 and rows follow them.
        nodes
            If given, these ids come first, in this order, whether they have edges or not.
        directed
            "out" or "in" follows arcs that way; None and False read every pair as an undirected edge.

        Raises
        ------
        InputError
            If a pair does not have two ids, or an id is missing, a float, negative or out of range.

        Examples
        --------
        >>> Graph.from_edges([(0, 1), (1, 1), (1, 0)], num_nodes=3).info
        GraphInfo(loops_dropped=1, duplicates_merged=1, weights_ignored=False, read_as_undirected=False)
        """
        if num_nodes is not None and nodes is not None:
            raise InputError("give num_nodes or nodes, not both.")
        source, target, ids = factorize(flatten(pairs), num_nodes=num_nodes, nodes=nodes)
        size, way = num_nodes if ids is None else len(ids), None if directed is False else directed
        return cls.from_indices(source, target, size or 0, nodes=ids, directed=way)

    @classmethod
    def from_indices(
        cls,
        source: Array,
        target: Array,
        num_nodes: int,
        *,
        nodes: Array | None = None,
        directed: Direction | None = None,
        weights_ignored: bool = False,
        read_as_undirected: bool = False,
    ) -> "Graph":
        """Return the graph of two equally long arrays of rows, each in 0 ... num_nodes - 1.

        Examples
        --------
        >>> Graph.from_indices(np.array([0, 1]), np.array([1, 2]), 3).num_edges
        2
        """
        if directed not in (None, "out", "in"):
            raise InputError(f'directed must be None, "out" or "in", got {directed!r}.')
        if directed == "in":
            source, target = target, source
        indptr, indices, loops = adjacency(source, target, num_nodes, both_directions=directed is None)
        repeats = len(source) - loops - len(indices) // (1 if directed else 2)
        info = GraphInfo(loops, repeats, weights_ignored, read_as_undirected and directed is None)
        return cls.from_checked(indptr, indices, nodes, directed, info)


def adjacency(
    source: Array, target: Array, num_nodes: int, *, both_directions: bool
) -> tuple[Int64s, Int32s, int]:
    """Return indptr and indices of arcs source → target, sorted, repeats merged, and how many loops were dropped.

    >>> indptr, indices, loops = adjacency(np.array([1, 0, 1]), np.array([0, 1, 1]), 2, both_directions=True)
    >>> indptr.tolist(), indices.tolist(), loops
    ([0, 1, 2], [1, 0], 1)
    """
    if num_nodes > MAX_NODES:
        raise InputError(f"a graph has at most {MAX_NODES:,} nodes, got {num_nodes:,}.")
    dtype = np.int32 if source.dtype == target.dtype == np.int32 else np.int64
    ends = (array.astype(dtype, copy=False) for array in (source, target))
    found = _native.compress(*ends, num_nodes, both_directions, available_cores())
    if found is None:
        raise _outside(source, target, num_nodes)
    indptr, indices, loops = found
    return indptr, indices, loops


def _outside(source: Array, target: Array, num_nodes: int) -> InputError:
    """Return the error for the first arc with an end that is not a node."""
    wrong = [(source != target) & ((ends < 0) | (ends >= num_nodes)) for ends in (source, target)]
    side = int(not wrong[0].any())
    edge = tuple(int(ends[np.argmax(wrong[side])]) for ends in (source, target))
    return InputError(
        f"edge {edge} points at node {edge[side]}, but the graph has {num_nodes:,} nodes (0 to"
        f" {num_nodes - 1:,}). Raise num_nodes or drop the edge."
    )
