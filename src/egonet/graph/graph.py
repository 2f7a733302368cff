"""`Graph`: sorted neighbor lists in compressed rows, node ids, columns of nodes and edges, and what reading changed."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from egonet import _native
from egonet.checks import as_flag, as_whole, one_of
from egonet.errors import InputError, option, require_extra, show_value
from egonet.graph.columns import ROLES, Categories, Column, EdgeTable, as_objects, take_entries
from egonet.graph.index import NodeIndex, arrow_ids, as_id_list, factorize, flatten, known_ids
from egonet.kernel.native import available_cores
from egonet.notebook import html_table
from egonet.typing import Array, Directed, Direction, Int32s, Int64s

if TYPE_CHECKING:
    import networkx
    import pyarrow

MAX_NODES = 2**31 - 1


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
    missing_dropped
        Rows with a missing id or value that were left out, with `missing="drop"`.
    """

    loops_dropped: int = 0
    duplicates_merged: int = 0
    weights_ignored: bool = False
    read_as_undirected: bool = False
    missing_dropped: int = 0

    def __str__(self) -> str:
        """Return the changes as text, or "nothing changed"."""
        changes = {
            f"{self.loops_dropped:,} self-{'loop' if self.loops_dropped == 1 else 'loops'} dropped": self.loops_dropped,
            f"{self.duplicates_merged:,} repeated {'edge' if self.duplicates_merged == 1 else 'edges'} merged": (
                self.duplicates_merged
            ),
            f"{self.missing_dropped:,} {'row' if self.missing_dropped == 1 else 'rows'} with a missing value dropped": (
                self.missing_dropped
            ),
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
    node_columns
        Keyword of `as_graph` → a value per node, in row order: "labels".
    edge_columns
        Keyword of `as_graph` → a value per edge of `edge_table` (of `edges()` without one): "edge_labels", "weights".

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
    node_columns: Mapping[str, Column] = field(default_factory=dict)
    edge_columns: Mapping[str, Column] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check every invariant and take read-only copies of arrays that the caller could still change."""
        check_arrays(self.indptr, self.indices)
        _check_direction(self.directed)
        check_rows(self.indptr, self.indices, self.directed)
        if self.nodes is not None:
            _check_node_ids(self.nodes, self.num_nodes)
            known_ids(self.nodes)
        for name in ("indptr", "indices", "nodes"):
            array = getattr(self, name)
            if array is not None and array.flags.writeable:
                object.__setattr__(self, name, array.copy())
                getattr(self, name).flags.writeable = False
        if self.info == NOTHING_CHANGED:
            object.__setattr__(self, "info", NOTHING_CHANGED)
        self._check_columns()

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
        """Return the graph of arrays that satisfy every invariant; they are shared and not checked.

        Examples
        --------
        >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
        >>> Graph.from_checked(path.indptr, path.indices, path.nodes) == path
        True
        """
        arrays: dict[str, Any] = {"indptr": indptr, "indices": indices, "nodes": nodes}
        for name, array in arrays.items():
            if array is not None and array.flags.writeable:
                arrays[name] = array.view()  # the caller's own array stays writeable
                arrays[name].flags.writeable = False
        graph = object.__new__(cls)
        info = NOTHING_CHANGED if info == NOTHING_CHANGED else info
        graph.__dict__.update(arrays, directed=directed, info=info, edge_table=edge_table)
        graph.__dict__.update(node_columns={}, edge_columns={})
        return graph

    def with_table(self, edge_table: EdgeTable | None) -> "Graph":
        """Return the same graph with the edges as they were given.

        Examples
        --------
        >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
        >>> path.with_table(None) == path
        True
        """
        if edge_table is not None and not isinstance(edge_table, EdgeTable):
            raise InputError(
                f"edge_table must be an EdgeTable of another graph, got {show_value(edge_table)}."
            )
        return self._replace(edge_table=edge_table)

    def with_columns(
        self,
        node_columns: Mapping[str, Column] | None = None,
        edge_columns: Mapping[str, Column] | None = None,
    ) -> "Graph":
        """Return the same graph with these columns instead of its own; None leaves those of the graph.

        >>> graph = Graph.from_edges([("a", "b")]).with_columns(edge_columns={"weights": np.array([2.5])})
        >>> graph, graph.edge_columns["weights"].tolist()
        (Graph(num_nodes=2, num_edges=1, columns='weights'), [2.5])
        """
        graph = self._replace(
            node_columns=self.node_columns if node_columns is None else node_columns,
            edge_columns=self.edge_columns if edge_columns is None else edge_columns,
        )
        graph._check_columns()
        return graph

    def _check_columns(self) -> None:
        """Raise unless every column has a known name and one value per node or edge."""
        sizes = {"node": self.num_nodes, "edge": len(self.edge_table) if self.edge_table else self.num_edges}
        for item, columns in (("node", self.node_columns), ("edge", self.edge_columns)):
            names = tuple(name for name, role in ROLES.items() if role.item == item)
            if not isinstance(columns, Mapping):
                raise InputError(
                    f"{item}_columns must be a mapping from names to columns, got {show_value(columns)}."
                )
            for name, column in columns.items():
                one_of(f"a name in {item}_columns", name, names)
                is_numbers = (
                    isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype == np.float64
                )
                if not isinstance(column, Categories) and not is_numbers:
                    raise InputError(
                        f"{name} must be Categories or an array of float64, got {show_value(column)}. Use as_graph."
                    )
                if len(column) != sizes[item]:
                    raise InputError(
                        f"{name} must have one value per {item}: {sizes[item]:,}, got {len(column):,}."
                    )

    def _replace(self, **fields: Any) -> "Graph":
        """Return a graph with some fields replaced by values that satisfy the invariants."""
        graph = object.__new__(Graph)
        graph.__dict__.update({name: vars(self)[name] for name in self.__dataclass_fields__}, **fields)
        return graph

    def given_edges(self) -> EdgeTable:
        """Return the edges as they were given, or those of `edges()` if the graph has no edge table.

        >>> table = Graph.from_edges([("b", "a"), ("c", "b")]).given_edges()
        >>> table.source.tolist(), table.target.tolist()
        ([0, 0], [1, 2])
        """
        return EdgeTable(*self.edge_rows()) if self.edge_table is None else self.edge_table

    def __repr__(self) -> str:
        direction = f", directed={self.directed!r}" if self.directed else ""
        names = ", ".join((*self.node_columns, *self.edge_columns))
        columns = f", columns={names!r}" if names else ""
        return f"Graph(num_nodes={self.num_nodes}, num_edges={self.num_edges}{direction}{columns})"

    def _repr_html_(self) -> str:
        rows = [("nodes", self.num_nodes), ("edges", self.num_edges), ("directed", self.directed or "no")]
        columns = ", ".join((*self.node_columns, *self.edge_columns)) or "none"
        return html_table("Graph", [*rows, ("columns", columns), ("reading", str(self.info))])

    def __len__(self) -> int:
        return self.num_nodes

    def __bool__(self) -> bool:
        """Return True: a graph without nodes is still a graph."""
        return True

    def __eq__(self, other: object) -> bool:
        """Return whether two graphs have the same node ids, edges, direction and columns, in any order.

        Attributes that `keep=` kept do not count, nor do repeats of an edge with equal values.
        """
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
        same = np.array_equal(self.indptr, other.indptr) and np.array_equal(self.indices, other.indices)
        if not same or not (
            self.node_columns or self.edge_columns or other.node_columns or other.edge_columns
        ):
            return same
        return self._column_values() == other._column_values()

    def _column_values(self) -> tuple[Any, ...]:
        """Return the columns in a form that is equal for equal columns: by node, and the set of edges with values."""
        of_nodes = {name: _as_list(column) for name, column in self.node_columns.items()}
        table = self.given_edges()
        ends = np.stack([table.source, table.target], axis=1)
        ends = ends if self.directed else np.sort(ends, axis=1)
        proper = (ends[:, 0] != ends[:, 1]).tolist()
        names = sorted(self.edge_columns)
        rows = zip(
            map(tuple, ends.tolist()), *(_as_list(self.edge_columns[name]) for name in names), strict=True
        )
        return of_nodes, names, {row for row, keep in zip(rows, proper, strict=True) if keep and names}

    def __hash__(self) -> int:
        return hash((self.num_nodes, self.num_edges, self.directed))

    @property
    def num_nodes(self) -> int:
        """Return the number of nodes.

        Examples
        --------
        >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
        >>> path.num_nodes
        3
        """
        return len(self.indptr) - 1

    @property
    def num_edges(self) -> int:
        """Return the number of edges (of arcs, if the graph is directed).

        Examples
        --------
        >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
        >>> path.num_edges
        2
        """
        return len(self.indices) if self.directed else len(self.indices) // 2

    @property
    def degrees(self) -> Int64s:
        """Return the number of neighbors of every node.

        Examples
        --------
        >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
        >>> path.degrees.tolist()
        [1, 2, 1]
        """
        return np.diff(self.indptr)

    @property
    def node_ids(self) -> Array:
        """Return the ids of the nodes in row order, as an array.

        Examples
        --------
        >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
        >>> path.node_ids.tolist()
        ['a', 'b', 'c']
        """
        return np.arange(self.num_nodes) if self.nodes is None else self.nodes

    @property
    def labels(self) -> Categories | None:
        """Return the labels of the nodes, in row order; None if there are none.

        Examples
        --------
        >>> import egonet
        >>> molecule = egonet.as_graph([(0, 1)], labels=["C", "O"])
        >>> molecule.labels is None, Graph.from_edges([(0, 1)]).labels is None
        (False, True)
        """
        labels = self.node_columns.get("labels")
        return labels if isinstance(labels, Categories) else None

    def neighbors(self, node: Hashable) -> list[Any]:
        """Return the ids of a node's neighbors, in row order.

        Examples
        --------
        >>> Graph.from_edges([("a", "b"), ("b", "c")]).neighbors("b")
        ['a', 'c']
        """
        v = self.index_of(node)
        neighbors: list[Any] = self.node_ids[self.indices[self.indptr[v] : self.indptr[v + 1]]].tolist()
        return neighbors

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
        """Return the rows of the source and the target of every arc; an undirected edge is two arcs.

        Examples
        --------
        >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
        >>> [rows.tolist() for rows in path.arc_rows()]
        [[0, 1, 1, 2], [1, 0, 2, 1]]
        """
        rows = np.repeat(np.arange(len(self), dtype=np.int32), self.degrees)
        return (self.indices, rows) if self.directed == "in" else (rows, self.indices)

    def induced(self, nodes: Iterable[Hashable]) -> "Graph":
        """Return the subgraph of some nodes and all edges between them, rows in the order given.

        Columns and the edges as given are those of these nodes and edges.

        Examples
        --------
        >>> Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a")]).induced(["c", "a"]).edges().tolist()
        [['c', 'a']]
        """
        rows = np.array([self.index_of(node) for node in as_id_list("nodes", nodes)], dtype=np.int64)
        if len(np.unique(rows)) < len(rows):
            raise InputError(
                f"nodes must name every node once, got {len(rows)} ids of {len(np.unique(rows))}."
            )
        position = np.full(len(self), -1, dtype=np.int32)
        position[rows] = np.arange(len(rows))
        source, target = (position[ends] for ends in self.edge_rows())
        inside = (source >= 0) & (target >= 0)
        same = self.nodes is None and np.array_equal(rows, np.arange(len(rows)))
        ids = None if same else self.node_ids[rows]
        graph = Graph.from_indices(
            source[inside], target[inside], len(rows), nodes=ids, directed=self.directed
        )
        return self._carry_columns(graph, rows, position)

    def _carry_columns(self, graph: "Graph", rows: Int64s, position: Int32s) -> "Graph":
        """Return a subgraph with the columns of its nodes `rows` and of the edges between them."""
        nodes = {name: take_entries(column, rows) for name, column in self.node_columns.items()}
        if self.edge_table is None and not self.edge_columns:
            return graph.with_columns(nodes) if nodes else graph
        table = self.given_edges()
        source, target = position[table.source], position[table.target]
        inside = np.flatnonzero((source >= 0) & (target >= 0))
        attributes = {name: values[inside] for name, values in table.columns.items()}
        edges = {name: take_entries(column, inside) for name, column in self.edge_columns.items()}
        graph = graph.with_table(EdgeTable(source[inside], target[inside], attributes))
        return graph.with_columns(nodes, edges)

    def to_scipy(self) -> "csr_array[Any, tuple[int, int]]":
        """Return the adjacency matrix: int32, 1 in row u and column v for an edge or an arc from u to v.

        Examples
        --------
        >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
        >>> path.to_scipy().toarray()
        array([[0, 1, 0],
               [1, 0, 1],
               [0, 1, 0]], dtype=int32)
        """
        ones = np.ones(len(self.indices), dtype=np.int32)
        matrix = csr_array((ones, self.indices, self.indptr), shape=(len(self), len(self)))
        return matrix.T.tocsr() if self.directed == "in" else matrix

    def to_arrow(self, *, nodes: bool = False) -> "pyarrow.Table":
        """Return the edges as an Arrow table: "source" and "target", types and weights, and attributes that were kept.

        Edges are those of `given_edges()`; nodes without an edge are not in it. With `nodes=True` return the nodes
        instead: "node", then labels if there are any. Values of several types are text. A kept attribute that is called
        like one of the other columns is left out.

        Examples
        --------
        >>> graph = Graph.from_edges([("a", "b"), ("b", "c")])
        >>> graph.to_arrow().to_pydict()
        {'source': ['a', 'b'], 'target': ['b', 'c']}
        >>> graph.to_arrow(nodes=True).to_pydict()
        {'node': ['a', 'b', 'c']}
        """
        pyarrow = require_extra("pyarrow", "Arrow tables", extra="io")
        ids = arrow_ids(self.node_ids)
        if as_flag("nodes", nodes):
            columns, own = {"node": ids}, self.node_columns
        else:
            table, own = self.given_edges(), self.edge_columns
            columns = {"source": ids.take(pyarrow.array(table.source))}
            columns["target"] = ids.take(pyarrow.array(table.target))
        for name, values in own.items():
            columns[name] = arrow_ids(
                as_objects(values.values()) if isinstance(values, Categories) else values
            )
        if not nodes and self.edge_table is not None:
            columns |= {
                name: _as_arrow(values)
                for name, values in self.edge_table.columns.items()
                if name not in columns
            }
        return pyarrow.table(columns)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return the edges as a stream of Arrow data for any tool that reads one, such as polars.DataFrame(graph)."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

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
        return self.index.require(node)

    def find(self, node: Hashable) -> int | None:
        """Return the row of a node id, or None if there is no such node.

        Examples
        --------
        >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
        >>> path.find("b"), path.find("z")
        (1, None)
        """
        return self.index.find(node)

    @cached_property
    def index(self) -> NodeIndex:
        """Return the rows by id.

        Examples
        --------
        >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
        >>> path.index.find("c")
        2
        """
        return NodeIndex(self.num_nodes, self.nodes)

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
            Two ids per edge: strings, whole numbers, or a mixture. Rows follow the ids if they are 0 ... n - 1, else
            the first appearance of ids.
        num_nodes
            If given, ids are the whole numbers 0 ... num_nodes - 1 and rows follow them.
        nodes
            If given, these ids come first, in this order, whether they have edges or not.
        directed
            "out" or "in" follows arcs that way; None and False read every pair as an undirected edge.

        Raises
        ------
        InputError
            If a pair does not have two ids, or an id is missing, not whole or out of range.

        Examples
        --------
        >>> print(Graph.from_edges([(0, 1), (1, 1), (1, 0)], num_nodes=3).info)
        1 self-loop dropped, 1 repeated edge merged
        """
        if num_nodes is not None and nodes is not None:
            raise InputError("give num_nodes or nodes, not both.")
        source, target, ids = factorize(flatten(pairs), num_nodes=num_nodes, nodes=nodes)
        size, direction = num_nodes if ids is None else len(ids), None if directed is False else directed
        return cls.from_indices(source, target, size or 0, nodes=ids, directed=direction)

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
        """Return the graph of two equally long arrays of rows, each in 0 ... num_nodes - 1; ids are not compared.

        Examples
        --------
        >>> Graph.from_indices(np.array([0, 1]), np.array([1, 2]), 3).num_edges
        2
        """
        _check_direction(directed)
        _check_indices(source, target)
        num_nodes = as_whole("num_nodes", num_nodes)
        if nodes is not None:
            _check_node_ids(nodes, num_nodes)
        if directed == "in":
            source, target = target, source
        indptr, indices, loops = adjacency(source, target, num_nodes, both_directions=directed is None)
        repeats = len(source) - loops - len(indices) // (1 if directed else 2)
        info = GraphInfo(loops, repeats, weights_ignored, read_as_undirected and directed is None)
        return cls.from_checked(indptr, indices, nodes, directed, info)


def reject_other(name: str, graph: Any) -> None:
    """Raise unless an argument is a `Graph`; where other data makes sense, `as_graph` reads it.

    >>> reject_other("graph", [("a", "b")])
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: graph must be a Graph, got [('a', 'b')]. Read it with egonet.as_graph.
    """
    if not isinstance(graph, Graph):
        raise InputError(f"{name} must be a Graph, got {show_value(graph)}. Read it with egonet.as_graph.")


def _check_direction(directed: Any) -> None:
    """Raise unless a value is a direction of a `Graph`."""
    if not (directed is None or (isinstance(directed, str) and directed in ("out", "in"))):
        raise InputError(f'directed must be None, "out" or "in", got {show_value(directed)}.')


def _check_node_ids(nodes: Any, num_nodes: int) -> None:
    """Raise unless ids are an array with one per node."""
    if not isinstance(nodes, np.ndarray) or nodes.shape != (num_nodes,):
        got = f"shape {nodes.shape}" if isinstance(nodes, np.ndarray) else show_value(nodes)
        raise InputError(f"nodes must be an array with one id per node: {num_nodes:,}, got {got}.")


def _check_indices(source: Any, target: Any) -> None:
    """Raise unless the two ends are arrays of whole numbers, of one length."""
    for name, rows in (("source", source), ("target", target)):
        if not isinstance(rows, np.ndarray) or rows.ndim != 1 or rows.dtype.kind not in "iu":
            raise InputError(
                f"{name} must be an array of whole numbers with one dimension, got {show_value(rows)}."
            )
    if len(source) != len(target):
        raise InputError(
            f"source and target must have the same length, got {len(source):,} and {len(target):,}."
        )


def _as_list(column: Column) -> list[Any]:
    return column.values() if isinstance(column, Categories) else column.tolist()


def sum_infos(graphs: Iterable[Graph]) -> GraphInfo:
    """Return what reading several graphs changed."""
    infos = [graph.info for graph in graphs if graph.info is not NOTHING_CHANGED]
    return GraphInfo(
        sum(info.loops_dropped for info in infos),
        sum(info.duplicates_merged for info in infos),
        any(info.weights_ignored for info in infos),
        any(info.read_as_undirected for info in infos),
        sum(info.missing_dropped for info in infos),
    )


def adjacency(
    source: Array, target: Array, num_nodes: int, *, both_directions: bool
) -> tuple[Int64s, Int32s, int]:
    """Return indptr and indices of arcs source → target, sorted, repeats merged, and how many loops were dropped.

    >>> indptr, indices, loops = adjacency(np.array([1, 0, 1]), np.array([0, 1, 1]), 2, both_directions=True)
    >>> indptr.tolist(), indices.tolist(), loops
    ([0, 1, 2], [1, 0], 1)
    """
    check_size(num_nodes)
    dtype = np.int32 if source.dtype == target.dtype == np.int32 else np.int64
    ends = (array.astype(dtype, copy=False) for array in (source, target))
    compressed = _native.compress(*ends, num_nodes, both_directions, available_cores())
    if compressed is None:
        raise _outside(source, target, num_nodes)
    indptr, indices, loops = compressed
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


def check_size(num_nodes: int, what: str = "nodes") -> None:
    """Raise if a graph has more nodes than their numbers, int32, can name.

    >>> check_size(2**31)
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: a graph has at most 2,147,483,647 nodes, got 2,147,483,648.
    """
    if num_nodes > MAX_NODES:
        raise InputError(f"a graph has at most {MAX_NODES:,} {what}, got {num_nodes:,}.")


def check_arrays(indptr: Any, indices: Any) -> None:
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
    check_size(len(indptr) - 1)


def check_rows(indptr: Int64s, indices: Int32s, directed: Direction | None) -> None:
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
            f"Use Graph.from_edges, or {option('directed', 'out')}."
        )


def _as_arrow(values: Array) -> "pyarrow.Array":
    """Return a kept attribute as a column; values of several types are text."""
    import pyarrow

    listed = values.tolist() if values.dtype == object else values
    try:
        return pyarrow.array(listed, from_pandas=True)
    except (pyarrow.ArrowException, OverflowError):
        return pyarrow.array([None if each is None else str(each) for each in listed], type=pyarrow.string())
