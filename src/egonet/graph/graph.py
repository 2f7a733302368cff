"""The graph record: sorted adjacency in compressed rows, node ids, and what was done to get there."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from egonet import _native
from egonet.errors import InputError, UnknownNodeError
from egonet.graph.ids import factorize_pairs, is_id, known_ids, near_match, show
from egonet.typing import Direction, Int32s, Int64s

MAX_NODES = 2**31 - 1


@dataclass(frozen=True)
class GraphInfo:
    """What reading a graph changed; nothing is dropped or merged without being counted here.

    Attributes
    ----------
    loops_dropped
        Edges from a node to itself that were left out.
    duplicates_merged
        Edges listed more than once (in an undirected graph: in either direction), less one each.
    weights_ignored
        True if the input had edge weights; they play no part in the encoding.
    read_as_undirected
        True if the input called itself directed and its arcs were read as edges.
    """

    loops_dropped: int = 0
    duplicates_merged: int = 0
    weights_ignored: bool = False
    read_as_undirected: bool = False

    def __str__(self) -> str:
        """Return the changes in words, or "nothing changed"."""
        said = []
        if self.loops_dropped:
            said.append(f"{self.loops_dropped:,} self-loops dropped")
        if self.duplicates_merged:
            said.append(f"{self.duplicates_merged:,} repeated edges merged")
        if self.weights_ignored:
            said.append("edge weights ignored")
        if self.read_as_undirected:
            said.append("arcs read as undirected edges")
        return ", ".join(said) or "nothing changed"


#: One object for most graphs, so that many graphs are quick to sum up.
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
        None for an undirected graph, "out" or "in" if rows hold out- or in-neighbors.
    info
        What reading the input changed.

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
    nodes: np.ndarray[Any, Any] | None = None
    directed: Direction | None = None
    info: GraphInfo = NOTHING_CHANGED

    def __post_init__(self) -> None:
        """Check every invariant and take read-only copies of arrays that the caller could still change."""
        _check_arrays(self.indptr, self.indices)
        if self.directed not in (None, "out", "in"):
            raise InputError(f'directed must be None, "out" or "in", got {self.directed!r}.')
        _check_rows(self.indptr, self.indices, self.directed)
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
                object.__setattr__(self, name, _read_only(array.copy()))
        if self.info == NOTHING_CHANGED:
            object.__setattr__(self, "info", NOTHING_CHANGED)

    @classmethod
    def from_checked(
        cls,
        indptr: Int64s,
        indices: Int32s,
        nodes: np.ndarray[Any, Any] | None = None,
        directed: Direction | None = None,
        info: GraphInfo = NOTHING_CHANGED,
    ) -> "Graph":
        """Return the graph of arrays that are known to keep every invariant; they are shared and not checked."""
        graph = object.__new__(cls)
        graph.__dict__.update(
            indptr=_read_only(indptr),
            indices=_read_only(indices),
            nodes=None if nodes is None else _read_only(nodes),
            directed=directed,
            info=NOTHING_CHANGED if info == NOTHING_CHANGED else info,
        )
        return graph

    def __repr__(self) -> str:
        """Return the size, and the direction if there is one."""
        direction = f", directed={self.directed!r}" if self.directed else ""
        return f"Graph(num_nodes={self.num_nodes}, num_edges={self.num_edges}{direction})"

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
    def node_ids(self) -> np.ndarray[Any, Any]:
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
        """Return the row of a node id, or None if there is no such node.

        Examples
        --------
        >>> graph = Graph.from_edges([("a", "b")])
        >>> graph.find("b"), graph.find("c")
        (1, None)
        """
        if self.nodes is None:
            whole = isinstance(node, int | np.integer) and not isinstance(node, bool)
            return int(node) if whole and 0 <= int(node) < self.num_nodes else None  # type: ignore[call-overload]
        plain = node.item() if isinstance(node, np.generic) else node
        return self._row_of.get(plain) if is_id(plain) else None

    @cached_property
    def _row_of(self) -> dict[Hashable, int]:
        """Return id → row; built on first use, because most graphs are never asked."""
        return {node: row for row, node in enumerate(self.node_ids.tolist())}

    @classmethod
    def from_edges(
        cls,
        pairs: Iterable[Sequence[Hashable]] | ArrayLike,
        num_nodes: int | None = None,
        *,
        nodes: Iterable[Hashable] | None = None,
        directed: Direction | None = None,
    ) -> "Graph":
        """Return the graph of some pairs of node ids.

        Parameters
        ----------
        pairs
            Two ids an edge: strings, whole numbers, or any mixture. Rows follow the first appearance of ids.
        num_nodes
            If given, ids are the whole numbers 0 ... num_nodes - 1 and rows follow them.
        nodes
            If given, these ids come first, in this order, whether they have edges or not.
        directed
            "out" or "in" follows arcs that way; None reads every pair as an undirected edge.

        Raises
        ------
        InputError
            If a pair has not two ids, or an id is missing, a float, negative or out of range.

        Examples
        --------
        >>> Graph.from_edges([(0, 1), (1, 1), (1, 0)], num_nodes=3).info
        GraphInfo(loops_dropped=1, duplicates_merged=1, weights_ignored=False, read_as_undirected=False)
        """
        if num_nodes is not None and nodes is not None:
            raise InputError("give num_nodes or nodes, not both.")
        source, target, ids = factorize_pairs(pairs, num_nodes=num_nodes, nodes=nodes)
        size = num_nodes if num_nodes is not None else len(ids if ids is not None else ())
        return cls.from_indices(source, target, size, nodes=ids, directed=directed)

    @classmethod
    def from_indices(
        cls,
        source: np.ndarray[Any, Any],
        target: np.ndarray[Any, Any],
        num_nodes: int,
        *,
        nodes: np.ndarray[Any, Any] | None = None,
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
        proper = source != target
        loops = len(source) - int(np.count_nonzero(proper))
        if loops:
            source, target = source[proper], target[proper]
        if directed == "in":
            source, target = target, source
        indptr, indices = adjacency(source, target, num_nodes, both_directions=directed is None)
        info = GraphInfo(
            loops_dropped=loops,
            duplicates_merged=len(source) - len(indices) // (1 if directed else 2),
            weights_ignored=weights_ignored,
            read_as_undirected=read_as_undirected and directed is None,
        )
        return cls.from_checked(indptr, indices, nodes, directed, info)


def adjacency(
    source: np.ndarray[Any, Any], target: np.ndarray[Any, Any], num_nodes: int, *, both_directions: bool
) -> tuple[Int64s, Int32s]:
    """Return indptr and indices of arcs source → target, sorted per row, repeats merged.

    Examples
    --------
    >>> indptr, indices = adjacency(np.array([1, 0]), np.array([0, 1]), 2, both_directions=True)
    >>> indptr.tolist(), indices.tolist()
    ([0, 1, 2], [1, 0])
    """
    if num_nodes > MAX_NODES:
        raise InputError(f"a graph has at most {MAX_NODES:,} nodes, got {num_nodes:,}.")
    for ends in (source, target):
        if len(ends) and not 0 <= ends.min() <= ends.max() < num_nodes:
            place = int(np.flatnonzero((ends < 0) | (ends >= num_nodes))[0])
            edge = (int(source[place]), int(target[place]))
            raise InputError(
                f"edge {edge} points at node {int(ends[place])}, but num_nodes is {num_nodes:,}, so that nodes are"
                f" 0 to {num_nodes - 1:,}. Raise num_nodes or drop the edge."
            )
    rows, columns = (np.ascontiguousarray(ends, dtype=np.int32) for ends in (source, target))
    indptr, indices = _native.compress(rows, columns, num_nodes, both_directions)
    return indptr, indices


def _read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return a read-only view; the array itself stays as writeable as it was."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def _check_arrays(indptr: Any, indices: Any) -> None:
    """Raise unless indptr and indices are arrays of the right dtype that fit together."""
    for name, array, dtype in (("indptr", indptr, np.int64), ("indices", indices, np.int32)):
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
            got = (
                f"shape {array.shape} of {array.dtype}"
                if isinstance(array, np.ndarray)
                else type(array).__name__
            )
            raise InputError(
                f"{name} must be a NumPy array of {dtype.__name__} with one dimension, got {got}. Use Graph.from_edges."
            )
    if len(indptr) == 0 or indptr[0] != 0 or indptr[-1] != len(indices):
        raise InputError(
            f"indptr must start at 0 and end at the number of indices ({len(indices):,}). Use Graph.from_edges."
        )
    if len(indptr) - 1 > MAX_NODES:
        raise InputError(f"a graph has at most {MAX_NODES:,} nodes, got {len(indptr) - 1:,}.")


def _check_rows(indptr: Int64s, indices: Int32s, directed: Direction | None) -> None:
    """Raise unless rows are sorted, within range, without loops and, if undirected, symmetric."""
    indptr, indices = np.ascontiguousarray(indptr), np.ascontiguousarray(indices)
    if directed is None and _native.is_undirected(indptr, indices):
        return
    sizes = np.diff(indptr)
    falls = np.flatnonzero(sizes < 0)
    if len(falls):
        raise InputError(f"indptr must be non-decreasing, but it falls after position {falls[0]}.")
    rows = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    same_row = rows[1:] == rows[:-1]
    for broken, rule in (
        ((indices < 0) | (indices >= len(sizes)), f"indices must be from 0 to {len(sizes) - 1}"),
        (indices == rows, "a node must not be its own neighbor"),
        (
            np.append(False, same_row & (np.diff(indices) <= 0)),
            "indices must be sorted in each row, without repeats",
        ),
    ):
        if broken.any():
            place = int(np.argmax(broken))
            raise InputError(f"{rule}, got {indices[place]} in row {rows[place]}. Use Graph.from_indices.")
    if directed is None:
        raise InputError(
            "an undirected graph must list every edge in both rows, but some arcs have no opposite. "
            'Use Graph.from_edges, or directed="out".'
        )
