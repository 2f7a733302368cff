"""Exact updates of encodings: after edges change, only rows that see a changed edge are computed again.

Which roots can change. Let G+ and G- be a graph with and without the edge ab, and r >= 1 the radius. Only roots v
with both d+(v, a) <= r and d+(v, b) <= r can change: those within r - 1 hops of an end, and those at distance r
from both. Proof: if a shortest path of at most r steps from v in G+ uses the edge, it visits both ends, so both are
within r. If no such path uses it, all distances up to r are the same in both graphs, so both ego-networks have the
same nodes; they can only differ in the edge, and then both its ends are within r.

What changes in their rows. If d-(v, a) and d-(v, b) differ by at most one, the edge shortens no path: no distance
changes, and only the degrees of a and b do, so two counts decrease by one and two increase. Otherwise distances
change and the row is counted again. At radius 0 the rows of a and b change. A batch is processed edge by edge.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from egonet.encoding.count import CountTask, MemoryRows, Origin, RowSource, count, origin_of
from egonet.encoding.matrix import Counts, narrow_pointers, paper_keys, renumber_columns, replace_rows
from egonet.encoding.row_index import RowIndex
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import Unseen, Vocabulary, locate, order_keys
from egonet.errors import InputError, in_python, option, show_value
from egonet.graph.align import align_labels, by_id
from egonet.graph.changes import Changes, changed_graph, in_order, near_changes, read_changes
from egonet.graph.columns import Categories
from egonet.graph.digest import graph_digest
from egonet.graph.graph import Graph, GraphInfo, reject_other
from egonet.graph.index import as_flat, id_array, is_id, join_ids
from egonet.kernel import native
from egonet.kernel.incremental import ListPatch, RowPatch, UpdateStart, Version, splice
from egonet.typing import Array, Int32s, Int64s

#: Visiting a root costs about as much as counting this many entries of a full encoding.
ENTRIES_PER_LOOK = 10
MIN_LOOKS = 10_000
#: Every further update copies the replaced entries; above this share of all entries they are merged in.
MAX_PATCH_SHARE = 1 / 8
MIN_PATCH = 100_000


@dataclass(frozen=True, eq=False)
class PatchedRows:
    """The rows of an encoding after updates: all but the changed rows are shared with `start`.

    The matrix, the columns and the graph are assembled on first use, which copies them once. All other attributes are
    those of `Encoding`.

    Attributes
    ----------
    start
        The rows before all updates.
    version
        The changes, kept by the compiled core.
    new_nodes
        The ids of the nodes that `start` does not have, in order of appearance.
    info
        What reading the graph and the changes merged or dropped.
    labels
        int32 (num_nodes,): the number of every node's label, or None.
    """

    start: RowSource
    version: Version
    new_nodes: tuple[Hashable, ...]
    info: GraphInfo
    labels: Int32s | None

    unseen = Unseen()
    learned = True
    origin: Origin | None = None

    def __reduce__(self) -> Any:
        """Return how to pickle and copy: as rows in memory, since a version cannot be pickled."""
        return _same, (in_memory(self),)

    @property
    def index(self) -> RowIndex:
        return RowIndex.of_nodes(self.nodes)

    @property
    def num_rows(self) -> int:
        return self.start.num_rows + (0 if self.roots is not None else len(self.new_nodes))

    @property
    def roots(self) -> Int64s | None:
        return self.start.roots

    @property
    def settings(self) -> Settings:
        return self.start.settings

    @property
    def lists(self) -> ListPatch:
        """Return the neighbor lists that differ from those of the first graph."""
        return ListPatch(*self.version.lists())

    @property
    def extra_keys(self) -> Int64s:
        """Return the keys that `start` has no column for, in no order."""
        return self.version.extra_keys().reshape(-1, self.start.vocabulary.keys.shape[1])

    @property
    def start_graph(self) -> Graph:
        """Return the graph before all updates."""
        assert self.start.graph is not None
        return self.start.graph

    @cached_property
    def graph(self) -> Graph:
        old, lists = self.start_graph, self.lists
        indptr, indices = splice(old.indptr, old.indices, lists.owners, lists.indptr, lists.indices)
        # New nodes without edges have no list: their rows are empty and come last.
        lonely = np.full(self.version.num_nodes() + 1 - len(indptr), indptr[-1])
        nodes = _ids(old, self.new_nodes)
        indptr = np.concatenate([indptr, lonely])
        graph = Graph.from_checked(indptr, indices, nodes, old.directed, self.info)
        names = self.start.vocabulary.labels
        if self.labels is None or names is None:
            return graph
        return graph.with_columns({"labels": Categories(self.labels, names)})

    @cached_property
    def nodes(self) -> Array:
        if self.roots is not None or not self.new_nodes:
            return self.start.nodes
        ids = _ids(self.start_graph, self.new_nodes)
        return np.arange(self.version.num_nodes()) if ids is None else ids

    @cached_property
    def graph_ptr(self) -> Int64s:
        return np.array([0, self.num_rows], dtype=np.int64)

    @property
    def matrix(self) -> Counts:
        return self._assembled[0]

    @property
    def vocabulary(self) -> Vocabulary:
        return self._assembled[1]

    @cached_property
    def _assembled(self) -> tuple[Counts, Vocabulary]:
        old, rows = self.start.matrix, RowPatch(*self.version.whole_rows())
        indptr, columns = splice(old.indptr, old.indices, rows.rows, rows.indptr, rows.columns)
        _, counts = splice(old.indptr, old.data, rows.rows, rows.indptr, rows.counts)
        keys = np.concatenate([self.start.vocabulary.keys, self.extra_keys])
        positions, vocabulary = self._new_columns(keys, columns)
        if not np.array_equal(positions, np.arange(len(vocabulary))):
            columns = positions[columns]
        shape = (self.num_rows, len(vocabulary))
        return csr_array(
            (counts, columns.astype(np.int32, copy=False), narrow_pointers(indptr)), shape=shape
        ), vocabulary

    def _new_columns(self, keys: Int64s, columns: Int32s) -> tuple[Int32s, Vocabulary]:
        """Return the new position of each column, and the vocabulary: keys in use, or the paper's grid."""
        settings, schema = self.settings, self.start.vocabulary.schema
        if settings.layout == "paper":
            limit = settings.max_degree
            if limit is None:
                limit = int(self.graph.degrees.max(initial=0))
            vocabulary = Vocabulary(schema, paper_keys(settings, limit))
            return locate(vocabulary, keys, "ignore")[0].astype(np.int32), vocabulary
        used = np.flatnonzero(np.bincount(columns, minlength=len(keys)))
        sorted_keys, order = order_keys(keys[used], settings)
        positions = np.full(len(keys), -1, dtype=np.int32)
        positions[used] = order
        return positions, Vocabulary(schema, sorted_keys)

    def find(self, node: Hashable) -> int | None:
        row = self.start.find(node)
        if row is not None or self.roots is not None or not is_id(node):
            return row
        return self._row_of_new.get(node)

    @cached_property
    def _row_of_new(self) -> dict[Hashable, int]:
        return {node: self.start.num_rows + index for index, node in enumerate(self.new_nodes)}

    def row(self, index: int) -> dict[tuple[Any, ...], int]:
        entries = self.version.row(index)
        if entries is None:
            return self.start.row(index)
        vocabulary = self.start.vocabulary
        num_known, extra = len(vocabulary), Vocabulary(vocabulary.schema, self.extra_keys)
        return {
            vocabulary.column(column) if column < num_known else extra.column(column - num_known): number
            for column, number in entries
        }

    def rows(self, first: int, last: int) -> Counts:
        return self.matrix[first:last]


def _same(rows: MemoryRows) -> MemoryRows:
    """Return rows unchanged; pickles refer to this function."""
    return rows


def in_memory(source: RowSource) -> MemoryRows:
    """Return the same rows, read or assembled."""
    if isinstance(source, MemoryRows):
        return source
    names = [field.name for field in fields(MemoryRows) if field.name != "unseen_parts"]
    return MemoryRows(**{name: getattr(source, name) for name in names})


def start_updates(source: RowSource) -> PatchedRows:
    """Return rows that can be updated, without changes; raise for those that cannot be updated."""
    if isinstance(source, PatchedRows):
        return source
    version = _first_version(source)
    assert source.graph is not None
    return PatchedRows(source, version, (), source.graph.info, source.labels)


def update(
    current: PatchedRows,
    added: Iterable[Sequence[Hashable]],
    removed: Iterable[Sequence[Hashable]],
    labels: Mapping[Hashable, Hashable] | None,
    threads: int,
) -> RowSource:
    """Return the rows after some edges were removed and others added; `Encoding.update` says how."""
    if labels is None:
        # The common case, edges between known nodes, is one call of the compiled core.
        version = current.version.change_plain(added, removed, threads or native.available_cores())
        if version is not None:
            return PatchedRows(current.start, version, current.new_nodes, current.info, current.labels)
    if current.version.is_heavy():
        current = start_updates(in_memory(current))
    graph, settings = current.start_graph, current.settings
    changes = read_changes(graph, current.lists, current.new_nodes, added, removed)
    names = _fresh_labels(current, changes, labels)
    names_before = current.start.vocabulary.labels or ()
    if graph.directed is not None or settings.is_nested or not set(names) <= set(names_before):
        return _count_again(current, changes, names, threads)
    numbers = current.labels
    if numbers is not None and names:
        fresh = [names_before.index(name) for name in names]
        numbers = np.concatenate([numbers, np.array(fresh, dtype=np.int32)])
    num_nodes = graph.num_nodes + len(changes.new_nodes)
    version = current.version.change(
        changes.added, changes.removed, num_nodes, numbers, threads or native.available_cores()
    )
    if version is None:
        return _count_again(current, changes, names, threads)
    info = current.info
    info = replace(
        info,
        loops_dropped=info.loops_dropped + changes.loops_dropped,
        duplicates_merged=info.duplicates_merged + changes.duplicates_merged,
    )
    return PatchedRows(current.start, version, changes.new_nodes, info, numbers)


def with_graph(source: RowSource, graph: Graph) -> RowSource:
    """Return loaded rows with the graph they were counted in, so that they can be updated."""
    _check_settings(source)
    reject_other("graph", graph)
    if source.vocabulary.labels is not None and source.labels is None:
        raise InputError(
            "this file does not keep the labels of the nodes. Encode the graph again and save it with "
            + in_python("save(graph=True).", "--save-graph.")
        )
    origin = origin_of(source)
    if origin is None or graph_digest(graph) != origin.digest:
        raise InputError(
            "the graph given is not the one that was encoded: its ids, edges or direction differ. Give the graph as "
            "it was at the last update, or keep it in the file: "
            + in_python("save(graph=True).", "encode with --save-graph.")
        )
    if source.graph is not None:
        return source
    if origin.every_node and np.array_equal(source.nodes, graph.node_ids):
        return replace(in_memory(source), graph=graph)
    rows = np.array([graph.index_of(node) for node in source.nodes.tolist()], dtype=np.int64)
    if origin.every_node:
        return replace(in_memory(source), graph=in_order(graph, rows))
    return replace(in_memory(source), graph=graph, roots=rows)


def _first_version(source: RowSource) -> Version:
    """Return the version before all updates; raise for an encoding that cannot be updated."""
    if source.graph is None:
        raise InputError(
            "update needs the graph, which this encoding does not have. Encode the graph again and update that, or "
            "save it with " + in_python("save(graph=True).", "--save-graph.")
        )
    _check_settings(source)
    settings, graph, matrix = source.settings, source.graph, source.matrix
    num_entries = len(matrix.data)
    start = UpdateStart(
        (graph.indptr, graph.indices),
        (matrix.indptr, matrix.indices, matrix.data),
        source.vocabulary.keys,
        radii=np.array(settings.radius, dtype=np.int64),
        # Rows of a directed graph are counted again; the version only needs the width of the keys.
        degrees="layered" if settings.degrees == "in_out" else settings.degrees,
        frontier_edges=settings.frontier_edges,
        max_degree=settings.max_degree,
        log_bins=settings.degree_bins == "log",
        labels=source.labels,
        roots=source.roots,
        numbers=None if graph.nodes is None else graph.index.row_of,
        limit=max(MIN_LOOKS, num_entries // ENTRIES_PER_LOOK),
        max_patch=max(MIN_PATCH, int(MAX_PATCH_SHARE * num_entries)),
        is_plain=graph.directed is None and not settings.is_nested,
    )
    return start.version()


def _check_settings(source: RowSource) -> None:
    """Raise for encodings that no update can change."""
    if source.index.kind != "node":
        raise InputError(
            f"update changes rows of nodes, got rows of {source.index.kind}s. Encode them again."
        )
    if len(source.graph_ptr) > 2:
        raise InputError("update changes one graph, got several. Encode them one by one.")
    if source.settings.cap is not None:
        raise InputError("with cap a new edge may displace others. Encode the changed graph instead.")
    if source.settings.count == "edges":
        raise InputError(
            "update changes counts of nodes, got counts of edges. Encode the changed graph instead."
        )
    if source.settings.degree_bins == "quantile":
        raise InputError(
            f"with {option('degree_bins', 'quantile')} a new edge may move every node to another quarter. "
            "Encode the changed graph instead."
        )
    if source.vocabulary.edge_labels is not None:
        raise InputError("update does not know the types of new edges. Encode the changed graph instead.")
    if not source.learned:
        raise InputError(
            "update may change the columns, but these were given by a vocabulary. Encode the changed graph with it."
        )


def _count_again(
    current: PatchedRows, changes: Changes, fresh_labels: list[Hashable], threads: int
) -> MemoryRows:
    """Return the rows of the changed graph, counted again; in a directed graph only those near the changes."""
    schema = current.start.vocabulary.schema
    settings = schema.settings
    size = current.start_graph.num_nodes + len(changes.new_nodes)
    graph = changed_graph(current.graph, changes, _ids(current.start_graph, changes.new_nodes), size)
    numbers = None
    if current.labels is not None and schema.labels is not None:
        labels = [schema.labels[number] for number in current.labels.tolist()] + fresh_labels
        column = align_labels(labels, graph.node_ids, np.array([0, size]))
        numbers, schema = column.numbers, replace(schema, labels=column.names)
        graph = graph.with_columns({"labels": column})
    task = CountTask(graph, schema, roots=current.roots, labels=numbers, threads=threads)
    same = (
        schema == current.start.vocabulary.schema and settings.layout == "observed" and not settings.is_nested
    )
    if graph.directed is None or not same:
        return count(task)
    either, radius = settings.degrees == "in_out", max(settings.radius)
    changed = near_changes(current.graph, graph, changes, radius, either_way=either)
    return count(task) if 2 * len(changed) > size else _recount(task, in_memory(current), changed)


def _recount(task: CountTask, before: MemoryRows, changed: Int64s) -> MemoryRows:
    """Return the rows of a changed graph: rows of changed and new nodes are counted, the others are kept."""
    nodes = np.arange(task.graph.num_nodes) if task.roots is None else task.roots
    rows = np.flatnonzero(np.isin(nodes, changed))
    fresh = count(replace(task, roots=nodes[rows]))
    matrix, used = replace_rows(before.matrix, fresh.matrix, rows, len(nodes))
    keys = np.concatenate([before.vocabulary.keys, fresh.vocabulary.keys])[used]
    ordered, positions = order_keys(keys, task.settings)
    matrix = renumber_columns(matrix, positions, len(ordered))
    columns = Vocabulary(task.schema, ordered)
    ids = task.graph.node_ids[nodes]
    graph_ptr = np.array([0, len(ids)], dtype=np.int64)
    index = RowIndex.of_nodes(ids)
    return MemoryRows(matrix, index, columns, graph_ptr, Unseen(), task.graph, task.roots, task.labels)


def _fresh_labels(
    current: PatchedRows, changes: Changes, labels: Mapping[Hashable, Hashable] | None
) -> list[Hashable]:
    """Return the labels of the new nodes, if nodes have labels here."""
    names_before = current.start.vocabulary.labels
    if names_before is None:
        if labels is not None:
            raise InputError("labels were given, but this encoding has none. Leave labels out.")
        return []
    fresh = changes.new_nodes[len(changes.new_nodes) - changes.num_fresh :]
    named = {} if labels is None else by_id(labels)
    missing = [node for node in fresh if node not in (named or {})]
    if missing or named is None:
        shown = show_value(missing[0]) if missing else "id"
        raise InputError(f"new nodes need labels here: give labels={{{shown}: ...}} and so on.")
    other = [node for node in named if node not in fresh]
    if other:
        raise InputError(
            f"labels are those of new nodes: {len(other):,} of {len(named):,} ids are not new, first "
            f"{', '.join(map(show_value, other[:3]))}. Leave them out; encode the graph again to change a label."
        )
    ids = id_array(list(fresh))
    column = align_labels(named, ids, np.array([0, len(fresh)]))
    names = column.values()
    column.join_names(names_before, "label")  # raises for a label of the other type
    return names


def _ids(graph: Graph, new_nodes: tuple[Hashable, ...]) -> Array | None:
    """Return the ids of a graph's nodes and of new ones, or None if they are 0, 1, 2, ..."""
    following = range(graph.num_nodes, graph.num_nodes + len(new_nodes))
    if not new_nodes or (graph.nodes is None and list(new_nodes) == list(following)):
        return graph.nodes
    both = join_ids(graph.node_ids, as_flat(list(new_nodes)))
    return both if isinstance(both, np.ndarray) else id_array(both)
