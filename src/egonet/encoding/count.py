"""Counting in memory: runs the kernels on a graph and returns the rows of an encoding."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from egonet.encoding.assemble import assemble_columns
from egonet.encoding.histograms import count_nested, predict_nested
from egonet.encoding.matrix import (
    Counts,
    num_paper_columns,
    unseen_by_graph,
)
from egonet.encoding.ranks import DegreeProfile, RankTable, quarter_rows
from egonet.encoding.row_index import RowIndex, as_index
from egonet.encoding.schema import Schema
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import (
    Unseen,
    UnseenPolicy,
    Vocabulary,
    arrange,
    largest_degree,
    lay_out,
    locate_columns,
)
from egonet.errors import InputError, option
from egonet.graph.arcs import as_undirected
from egonet.graph.digest import graph_digest
from egonet.graph.edge_types import Subdivision
from egonet.graph.graph import Graph
from egonet.graph.index import is_id
from egonet.kernel import native
from egonet.kernel.cost import BYTES_PER_COLUMN, BYTES_PER_TURNED_ARC, check_memory
from egonet.kernel.native import ego_edge_rows, in_out_rows
from egonet.kernel.reference import Rows
from egonet.typing import Array, Direction, Int32s, Int64s, Progress

Device: TypeAlias = Literal["cpu", "cuda"]
EVERYTHING_SEEN = Unseen()
#: The row of an id that nodes of several graphs share.
SEVERAL = -1


@dataclass(frozen=True)
class Origin:
    """What is known about the graph of an encoding without the graph itself.

    Attributes
    ----------
    digest
        The `graph_digest` of the graph; it includes the direction. Zeros for one of several graphs.
    directed
        The direction of the graph.
    every_node
        Whether there is a row for every node; new nodes then get rows too.
    """

    digest: str
    directed: Direction | None
    every_node: bool

    def __post_init__(self) -> None:
        """Validate every field, which may come from a file."""
        hexadecimal = isinstance(self.digest, str) and len(self.digest) == 32 and int(self.digest, 16) >= 0
        if not hexadecimal or self.directed not in (None, "out", "in") or type(self.every_node) is not bool:
            raise ValueError(f"not the origin of an encoding: {self}")


#: The origin of all rows of one of several graphs, whose digest is not computed.
PART_OF_SEVERAL = Origin("0" * 32, None, every_node=True)


class RowSource(Protocol):
    """The protocol through which `Encoding` reads its rows: in memory, in a folder, or patched by updates.

    The attributes are those of `Encoding`.
    """

    @property
    def matrix(self) -> Counts: ...
    @property
    def index(self) -> RowIndex: ...
    @property
    def nodes(self) -> Array: ...
    @property
    def vocabulary(self) -> Vocabulary: ...
    @property
    def graph_ptr(self) -> Int64s: ...
    @property
    def unseen(self) -> Unseen: ...
    @property
    def graph(self) -> Graph | None: ...
    @property
    def roots(self) -> Int64s | None: ...
    @property
    def labels(self) -> Int32s | None: ...
    @property
    def learned(self) -> bool: ...
    @property
    def origin(self) -> Origin | None: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def num_rows(self) -> int: ...
    def find(self, name: Hashable) -> int | None:
        """Return the row of a plain id (or pair), `SEVERAL` if it has one in several graphs, None if it has none."""

    def row(self, index: int) -> dict[tuple[Any, ...], int]:
        """Return key → count of one row, in column order."""

    def rows(self, first: int, last: int) -> Counts:
        """Return the counts of consecutive rows."""


@dataclass(frozen=True, eq=False)
class MemoryRows:
    """The rows of an encoding in memory; the attributes are those of `Encoding`.

    `unseen_parts` has the record of each of several graphs that met unseen keys, None if only `unseen` is known. The
    index may be given as the ids of nodes.
    """

    matrix: Counts
    index: RowIndex
    vocabulary: Vocabulary
    graph_ptr: Int64s
    unseen: Unseen = EVERYTHING_SEEN
    graph: Graph | None = None
    roots: Int64s | None = None
    labels: Int32s | None = None
    learned: bool = True
    origin: Origin | None = None
    unseen_parts: dict[int, Unseen] | None = None

    def __post_init__(self) -> None:
        """Check that rows, ids and columns fit."""
        object.__setattr__(self, "index", as_index(self.index))
        if self.matrix.shape != (len(self.index), len(self.vocabulary)):
            raise InputError(
                f"the matrix has shape {self.matrix.shape}, but there are {len(self.index)} {self.index.kind}s "
                f"and {len(self.vocabulary)} columns."
            )

    @property
    def settings(self) -> Settings:
        return self.vocabulary.settings

    @property
    def nodes(self) -> Array:
        return self.index.ids

    @property
    def num_rows(self) -> int:
        return len(self.index)

    def find(self, node: Hashable) -> int | None:
        """Return the row of a plain id, `SEVERAL` if it has one in several graphs, None if it has none."""
        if len(self.index.names) > 1:
            return self.index.find(node)
        if self._rows_are_ids and type(node) is int:
            return node if 0 <= node < len(self.index) else None
        return self._row_of.get(node) if is_id(node) else None

    def row(self, index: int) -> dict[tuple[Any, ...], int]:
        """Return key → count of one row, in column order."""
        part = slice(self.matrix.indptr[index], self.matrix.indptr[index + 1])
        entries = zip(self.matrix.indices[part].tolist(), self.matrix.data[part].tolist(), strict=True)
        return {self.columns[column]: count for column, count in entries}

    def rows(self, first: int, last: int) -> Counts:
        """Return the counts of consecutive rows."""
        return self.matrix[first:last]

    @cached_property
    def columns(self) -> list[tuple[Any, ...]]:
        """Return the key of every column."""
        return self.vocabulary.columns

    @cached_property
    def _rows_are_ids(self) -> bool:
        """Return whether rows are known to be nodes 0, 1, 2, ...: then no table of ids is needed."""
        graph = self.graph
        return graph is not None and graph.nodes is None and self.roots is None and len(self.graph_ptr) == 2

    @cached_property
    def _row_of(self) -> dict[Hashable, int]:
        """Return id → row; a root given twice keeps its first row."""
        rows: dict[Hashable, int] = {}
        several = len(self.graph_ptr) > 2
        for row, node in enumerate(self.nodes.tolist()):
            if node not in rows:
                rows[node] = row
            elif several:
                rows[node] = SEVERAL
        return rows


def origin_of(source: RowSource) -> Origin | None:
    """Return which graph an encoding was computed from; None for several graphs, or if it is not known.

    >>> import egonet
    >>> path = egonet.encode([("a", "b"), ("b", "c")], radius=1, directed="out")
    >>> origin_of(path).directed, origin_of(path).every_node
    ('out', True)
    """
    graph = source.graph
    if graph is None or len(source.graph_ptr) > 2:
        return source.origin
    return Origin(graph_digest(graph), graph.directed, source.roots is None)


@dataclass(frozen=True)
class CountTask:
    """What to count and how.

    Attributes
    ----------
    graph
        One graph, or the disjoint union of several.
    schema
        What is counted, with the names of labels and types.
    graph_ptr
        int64 (num_graphs + 1,): where each graph begins; None for one graph.
    roots
        int64 (num_rows,): the nodes to encode; None for every node.
    labels
        int32 (num_nodes,): the number of every node's label; None without labels.
    subdivision
        The graph with a node on every edge, if edges have types.
    prepared
        An upper bound of the bytes that preparing the graph (cap, edge types) took.
    degrees
        The degrees of the graph, for the vocabulary that is learned; None if they are not kept.
    threads, device, memory_limit, progress
        As for `egonet.encode`; 0 threads stand for one per core.
    """

    graph: Graph
    schema: Schema
    graph_ptr: Int64s | None = None
    roots: Int64s | None = None
    labels: Int32s | None = None
    threads: int = 0
    device: Device = "cpu"
    memory_limit: int | str | None = None
    progress: Progress | None = None
    subdivision: Subdivision | None = None
    prepared: int = 0
    degrees: DegreeProfile | None = None

    @property
    def settings(self) -> Settings:
        """Return what was asked."""
        return self.schema.settings

    @cached_property
    def arrays(self) -> tuple[Int64s, Int32s, Int64s | None, Int32s | None]:
        """Return indptr, indices, roots and labels of the graph that is searched."""
        graph, divided = self.graph, self.subdivision
        if divided is None:
            return graph.indptr, graph.indices, self.roots, self.labels
        roots = np.arange(graph.num_nodes) if self.roots is None else self.roots
        return divided.indptr, divided.indices, roots, divided.labels(self.labels)


def count(task: CountTask, vocabulary: Vocabulary | None = None, unseen: UnseenPolicy = "clip") -> MemoryRows:
    """Return the rows of a task, in the columns of a vocabulary if one is given.

    >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
    >>> count(CountTask(path, Schema(Settings(1)))).row(1)
    {(0, 2): 1, (1, 1): 2}
    """
    if task.memory_limit is not None or task.settings.layout == "paper":
        _check_memory(task, moved=vocabulary is not None)
    matrix, counted_columns = _count(task)
    graph, roots = task.graph, task.roots
    nodes = graph.node_ids if roots is None else graph.node_ids[roots]
    graph_ptr = task.graph_ptr
    if graph_ptr is None or roots is not None:
        graph_ptr = np.array([0, len(nodes)], dtype=np.int64)
    learned, met, parts = vocabulary is None, EVERYTHING_SEEN, None
    if vocabulary is not None:
        counted = matrix
        matrix, met = arrange(counted, counted_columns, vocabulary, unseen, nodes)
        if met.num_rows and len(graph_ptr) > 2:
            located = locate_columns(vocabulary, counted_columns, unseen)
            parts = {
                part: Unseen(
                    lower,
                    lost,
                    len(own),
                    (nodes[own].tolist()[0], counted_columns.column(key)),
                    rows=own - graph_ptr[part],
                )
                for part, lower, lost, own, key in unseen_by_graph(counted, *located, graph_ptr)
            }
    elif task.settings.layout == "paper":
        matrix, vocabulary = lay_out(matrix, counted_columns, graph)
    else:
        vocabulary = counted_columns
    index = RowIndex.of_nodes(nodes)
    rows = MemoryRows(matrix, index, vocabulary, graph_ptr, met, graph, roots, task.labels, learned)
    return rows if parts is None else replace(rows, unseen_parts=parts)


def _count(task: CountTask) -> tuple[Counts, Vocabulary]:
    """Return the counts of every radius, one block of columns after another, and the columns."""
    nested = None
    if task.settings.is_nested:
        nested = count_nested(
            *(task.graph, task.roots, task.settings),
            labels=task.labels,
            threads=task.threads,
            progress=task.progress,
        )
    return assemble_columns(
        task.schema,
        lambda radius: _rows(task, radius),
        nested=nested,
        threads=task.threads,
        degrees=task.degrees,
        bin_rows=_quarters(task) if task.settings.degree_bins == "quantile" else None,
    )


def _quarters(task: CountTask) -> Callable[[Rows], Rows]:
    """Return a function that replaces the degrees of rows by quarters of their own graph's degrees."""
    nodes = np.arange(task.graph.num_nodes) if task.roots is None else task.roots
    graph_ptr = np.array([0, task.graph.num_nodes]) if task.graph_ptr is None else task.graph_ptr
    owner = np.searchsorted(graph_ptr, nodes, side="right") - 1
    table = RankTable.of(task.graph.degrees, graph_ptr)
    return lambda rows: quarter_rows(rows, task.settings, table, owner)


def _rows(task: CountTask, radius: int) -> Rows:
    """Return what the kernel of the chosen device counts at one radius."""
    graph, settings = task.graph, task.settings
    indptr, indices, roots, labels = task.arrays
    radius *= task.schema.steps
    if settings.count == "edges":
        return ego_edge_rows(
            indptr,
            indices,
            roots,
            radius,
            degrees=settings.degrees,
            frontier_edges=settings.frontier_edges,
            max_degree=settings.max_degree,
            degree_bins=settings.degree_bins,
            threads=task.threads,
            progress=task.progress,
        )
    if settings.degrees == "in_out":
        return in_out_rows(
            indptr,
            indices,
            roots,
            radius,
            by_target=graph.directed == "in",
            follow=settings.follow,
            frontier_edges=settings.frontier_edges,
            max_degree=settings.max_degree,
            labels=labels,
            threads=task.threads,
            progress=task.progress,
        )
    options: Any = {"threads": task.threads}
    encode_rows: Any = native.encode_rows
    if task.device == "cuda":
        from egonet.kernel.cuda import backend  # needs CuPy

        encode_rows, options = backend.encode_rows, {}
    rows: Rows = encode_rows(
        indptr,
        indices,
        roots,
        radius,
        degrees=settings.degrees,
        frontier_edges=settings.frontier_edges,
        max_degree=settings.max_degree,
        labels=labels,
        symmetric=graph.directed is None,
        progress=task.progress,
        **options,
    )
    return rows


def _check_memory(task: CountTask, *, moved: bool) -> None:
    """Raise before anything is counted if more memory is predicted than allowed."""
    graph, settings = task.graph, task.settings
    paper = settings.layout == "paper"
    columns = num_paper_columns(settings, largest_degree(settings, graph)) if paper else 0
    if task.memory_limit is None:
        return
    if settings.count == "edges":
        raise InputError(
            f"the memory of {option('count', 'edges')} is not predicted. Leave memory_limit out."
        )
    nested = predict_nested(graph, task.roots, settings, task.labels) if settings.is_nested else (0, 0)
    indptr, indices, roots, labels = task.arrays
    besides = task.prepared + BYTES_PER_COLUMN * columns
    if settings.degrees == "in_out":  # about as much as layered degrees of the graph whose arcs go both ways
        besides += BYTES_PER_TURNED_ARC * len(graph.indices)
        graph = as_undirected(graph)
        indptr, indices, labels = graph.indptr, graph.indices, task.labels
    check_memory(
        indptr,
        indices,
        roots,
        task.schema.radii_in_steps,
        task.memory_limit,
        flat=settings.rooted == "node",
        moved=moved or paper or settings.degree_bins is not None,
        quartered=settings.degree_bins == "quantile",
        besides=besides,
        nested=nested,
        degrees="layered" if settings.degrees == "in_out" else settings.degrees,
        frontier_edges=settings.frontier_edges,
        max_degree=settings.max_degree,
        labels=labels,
        symmetric=graph.directed is None,
        threads=task.threads,
    )
