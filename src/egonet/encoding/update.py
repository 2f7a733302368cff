"""Encodings of changed graphs without encoding them again: only rows that see a changed edge are touched.

Which roots can change. Let G+ and G- be a graph with and without the edge ab, and r >= 1 the radius. Only roots v
with both d+(v, a) <= r and d+(v, b) <= r can change: those within r - 1 hops of an end, and those at distance r
from both. For if a shortest path of at most r steps from v in G+ uses the edge, it visits both ends, so both are
within r. If none does, all distances up to r are the same in both graphs, so both ego-networks have the same
nodes; they can differ in the edge alone, and then both its ends are within r.

What changes in them. If d-(v, a) and d-(v, b) differ by at most one, the edge shortens no path: every distance
stays, and only a and b change their degrees, so two entries go down by one and two go up. Otherwise distances
change and the row is counted anew. At radius 0 the rows of a and b change. Batches are taken edge by edge.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from egonet.encoding.encode import encode
from egonet.encoding.encoding import Encoding
from egonet.encoding.graph_changes import Changes, changed_graph, read_changes
from egonet.encoding.labels import refuse_mixed
from egonet.encoding.matrix import Counts, narrow_pointers
from egonet.encoding.origin import origin_of
from egonet.encoding.vocabulary import Unseen, Vocabulary, locate, order_keys, paper_keys
from egonet.errors import InputError
from egonet.graph.digest import graph_digest
from egonet.graph.graph import Graph, GraphInfo
from egonet.graph.ids import as_flat, id_array, joined
from egonet.kernel import incremental as kernel
from egonet.kernel.incremental import ListPatch, RowPatch, Version, splice
from egonet.kernel.threads import as_count
from egonet.typing import Int32s, Int64s

#: Looking at a root costs about as much as counting this many entries of a full encoding.
ENTRIES_PER_LOOK = 10
MIN_LOOKS = 10_000
#: Replaced entries are carried along by every further update; beyond this share of all they are merged in.
MAX_PATCH_SHARE = 1 / 8
MIN_PATCH = 100_000
_UNSEEN = Unseen()


def update(
    encoding: Encoding,
    added: Iterable[Sequence[Hashable]] = (),
    removed: Iterable[Sequence[Hashable]] = (),
    *,
    labels: Mapping[Hashable, Hashable] | None = None,
    threads: int = 0,
) -> Encoding:
    """Return the encoding after some edges were removed and others added; `Encoding.update` says how."""
    if labels is None:
        # Nearly always edges come and go between known nodes, which is done in one step.
        version = encoding._version.change_plain(added, removed, as_count(threads))
        if version is not None:
            return _next(encoding, version)
    current = encoding if isinstance(encoding, UpdatedEncoding) else _start(encoding)
    if current._version.is_heavy():
        current = _start(current.compact())
    graph = current.start_graph
    changes = read_changes(graph, current.lists, current.new_nodes, added, removed)
    names = _fresh_labels(current, changes, labels)
    known = current.settings.labels
    if graph.directed is not None or current.settings.is_nested or not set(names) <= set(known or ()):
        return _encode_again(current, changes, names, threads)
    numbers = current.labels
    if numbers is not None and names:
        fresh = [known.index(name) for name in names]
        numbers = np.concatenate([numbers, np.array(fresh, dtype=np.int32)])
    num_nodes = graph.num_nodes + len(changes.new_nodes)
    version = current._version.change(changes.added, changes.removed, num_nodes, numbers, as_count(threads))
    if version is None:
        return _encode_again(current, changes, names, threads)
    info = current.info
    if changes.loops_dropped or changes.duplicates_merged:
        loops, merged = (
            info.loops_dropped + changes.loops_dropped,
            info.duplicates_merged + changes.duplicates_merged,
        )
        info = replace(info, loops_dropped=loops, duplicates_merged=merged)
    return UpdatedEncoding(current.start, version, changes.new_nodes, info, numbers)


class UpdatedEncoding(Encoding):
    """An encoding that shares all rows but the changed ones with the one it came from.

    It is an `Encoding` in every respect; the matrix, the columns and the graph are put together when first asked
    for, at the price of one copy. `compact` returns them as a plain `Encoding`.
    """

    def __init__(
        self,
        start: Encoding,
        version: Version,
        new_nodes: tuple[Hashable, ...],
        info: GraphInfo,
        labels: Int32s | None,
    ) -> None:
        self.__dict__.update(
            start=start, _version=version, new_nodes=new_nodes, info=info, labels=labels, unseen=_UNSEEN
        )

    start: Encoding
    _version: Version
    new_nodes: tuple[Hashable, ...]
    info: GraphInfo

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.start.nodes) + (0 if self.roots is not None else len(self.new_nodes))

    def __reduce__(self) -> Any:
        """Return what a pickle or a copy is made of: an encoding with arrays of its own."""
        return _unchanged, (self.compact(),)

    @property
    def roots(self) -> Int64s | None:
        """Return the node of every row, or None if row v is node v."""
        return self.start.roots

    @property
    def lists(self) -> ListPatch:
        """Return the neighbor lists that differ from those of the first graph."""
        return ListPatch(*self._version.lists())

    @property
    def extra_keys(self) -> Int64s:
        """Return the keys that the first encoding had not, in no order."""
        return self._version.extra_keys().reshape(-1, self.start.vocabulary.keys.shape[1])

    @property
    def settings(self) -> Any:
        """Return what is counted; asking for it copies nothing."""
        return self.start.vocabulary.settings

    @property
    def start_graph(self) -> Graph:
        """Return the graph before all changes."""
        assert self.start.graph is not None
        return self.start.graph

    def compact(self) -> Encoding:
        """Return the same encoding with arrays of its own, sharing nothing."""
        return replace(self)

    def part(self, index: int) -> Encoding:
        """Return the rows of the only graph."""
        return self.compact().part(index)

    @cached_property
    def graph(self) -> Graph:
        """Return the changed graph."""
        old, lists = self.start_graph, self.lists
        indptr, indices = splice(old.indptr, old.indices, lists.owners, lists.indptr, lists.indices)
        # New nodes without edges have no list and stand at the end.
        lonely = np.full(self._version.num_nodes() + 1 - len(indptr), indptr[-1])
        nodes = _ids(old, self.new_nodes)
        return Graph.from_checked(np.concatenate([indptr, lonely]), indices, nodes, old.directed, self.info)

    @cached_property
    def nodes(self) -> np.ndarray[Any, Any]:
        """Return the ids of the roots, in row order."""
        if self.roots is not None or not self.new_nodes:
            return self.start.nodes
        ids = _ids(self.start_graph, self.new_nodes)
        return np.arange(self._version.num_nodes()) if ids is None else ids

    @cached_property
    def graph_ptr(self) -> Int64s:
        """Return where the rows of the only graph begin and end."""
        return np.array([0, len(self)], dtype=np.int64)

    @property
    def matrix(self) -> Counts:
        """Return the counts, put together on first use."""
        return self._compacted[0]

    @property
    def vocabulary(self) -> Vocabulary:
        """Return the columns, put together on first use."""
        return self._compacted[1]

    @cached_property
    def _compacted(self) -> tuple[Counts, Vocabulary]:
        old, rows = self.start.matrix, RowPatch(*self._version.whole_rows())
        indptr, columns = splice(old.indptr, old.indices, rows.rows, rows.indptr, rows.columns)
        _, counts = splice(old.indptr, old.data, rows.rows, rows.indptr, rows.counts)
        keys = np.concatenate([self.start.vocabulary.keys, self.extra_keys])
        places, vocabulary = self._place_columns(keys, columns)
        if not np.array_equal(places, np.arange(len(vocabulary))):
            columns = places[columns]
        shape = (len(self), len(vocabulary))
        return csr_array(
            (counts, columns.astype(np.int32, copy=False), narrow_pointers(indptr)), shape=shape
        ), vocabulary

    def _place_columns(self, keys: Int64s, columns: Int32s) -> tuple[Int32s, Vocabulary]:
        """Return where each column goes, and the vocabulary: keys in use, or the paper's grid."""
        settings = self.settings
        if settings.layout == "paper":
            limit = settings.max_degree
            if limit is None:
                limit = int(self.graph.degrees.max(initial=0))
            vocabulary = Vocabulary(settings, paper_keys(settings, limit))
            return locate(vocabulary, keys, "ignore")[0].astype(np.int32), vocabulary
        used = np.flatnonzero(np.bincount(columns, minlength=len(keys)))
        sorted_keys, order = order_keys(keys[used], settings)
        places = np.full(len(keys), -1, dtype=np.int32)
        places[used] = order
        return places, Vocabulary(settings, sorted_keys)

    @property
    def _rows_are_ids(self) -> bool:
        return self.start._rows_are_ids and not self.new_nodes

    @cached_property
    def _rows_by_node(self) -> dict[Hashable, int]:
        old = self.start._rows_by_node
        if self.roots is not None or not self.new_nodes:
            return old
        return old | {node: len(old) + place for place, node in enumerate(self.new_nodes)}

    def __getitem__(self, node: Hashable) -> dict[tuple[Any, ...], int]:
        """Return the multiset of one root: key to count, in column order."""
        entries = self._version.row(self._row_of(node))
        if entries is None:
            return self.start[node]
        columns = self.start.columns
        if any(column >= len(columns) for column, _ in entries):
            columns = columns + Vocabulary(self.settings, self.extra_keys).columns
        return {columns[column]: count for column, count in entries}


def with_graph(encoding: Encoding, graph: Graph) -> Encoding:
    """Return an encoding that was loaded, with the graph it was made of, so that it can be updated.

    Examples
    --------
    >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
    >>> encoding = encode(path, 1)
    >>> loaded = replace(encoding, graph=None, origin=origin_of(encoding))
    >>> with_graph(loaded, path).update(added=[("a", "c")])["b"]
    {(0, 2): 1, (1, 2): 2}
    >>> with_graph(loaded, Graph.from_edges([("a", "b"), ("a", "c")])).num_graphs
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: the graph given is not the one that was encoded: its ids, edges or direction differ. \
Give the graph as it was at the last update, or keep it in the file: encode with --save-graph or save(graph=True).
    """
    _check_settings(encoding)
    if encoding.vocabulary.settings.labels is not None and encoding.labels is None:
        raise InputError(
            "this file does not keep the labels of the nodes. Encode the graph again and save it with "
            "--save-graph or save(graph=True)."
        )
    origin = origin_of(encoding)
    if origin is None or graph_digest(graph) != origin.digest:
        raise InputError(
            "the graph given is not the one that was encoded: its ids, edges or direction differ. Give the graph as "
            "it was at the last update, or keep it in the file: encode with --save-graph or save(graph=True)."
        )
    if encoding.graph is not None:
        return encoding
    if origin.every_node and np.array_equal(encoding.nodes, graph.node_ids):
        return replace(encoding, graph=graph)
    rows = np.array([graph.index_of(node) for node in encoding.nodes.tolist()], dtype=np.int64)
    if origin.every_node:
        return replace(encoding, graph=_in_order(graph, rows))
    return replace(encoding, graph=graph, roots=rows)


def _in_order(graph: Graph, rows: Int64s) -> Graph:
    """Return the same graph with its nodes in another order: node i of the result is node `rows[i]`."""
    places = np.empty_like(rows)
    places[rows] = np.arange(len(rows))
    source, target = np.repeat(places, graph.degrees), places[graph.indices]
    if graph.directed == "in":
        source, target = target, source
    nodes = graph.node_ids[rows]
    ordered = Graph.from_indices(source, target, graph.num_nodes, nodes=nodes, directed=graph.directed)
    return replace(ordered, info=graph.info)


def first_version(encoding: Encoding) -> Version:
    """Return an encoding as one that can change, nothing changed yet; refuse those that lack something."""
    if encoding.graph is None:
        raise InputError(
            "update needs the graph, which this encoding has not. Encode the graph again and update that, or save it "
            "with save(graph=True)."
        )
    _check_settings(encoding)
    settings, graph, matrix = encoding.vocabulary.settings, encoding.graph, encoding.matrix
    num_entries = len(matrix.data)
    return kernel.first_version(
        (graph.indptr, graph.indices),
        (matrix.indptr, matrix.indices, matrix.data),
        encoding.vocabulary.keys,
        radii=np.array(settings.radius, dtype=np.int64),
        degrees=settings.degrees,
        frontier_edges=settings.frontier_edges,
        max_degree=settings.max_degree,
        log_bins=settings.degree_bins == "log",
        labels=encoding.labels,
        roots=encoding.roots,
        numbers=None if graph.nodes is None else graph._row_of,
        limit=max(MIN_LOOKS, num_entries // ENTRIES_PER_LOOK),
        max_patch=max(MIN_PATCH, int(MAX_PATCH_SHARE * num_entries)),
        is_plain=graph.directed is None and not settings.is_nested,
    )


def _check_settings(encoding: Encoding) -> None:
    """Refuse encodings that no update can change."""
    if encoding.num_graphs > 1:
        raise InputError("update changes one graph, got several. Encode them one by one.")
    if encoding.vocabulary.settings.cap is not None:
        raise InputError("with cap a new edge may drive out others. Encode the changed graph instead.")
    if not encoding.learned:
        raise InputError(
            "update may change the columns, but these were given by a vocabulary. Encode the changed graph with it."
        )


def _start(encoding: Encoding) -> UpdatedEncoding:
    """Return an encoding that was not changed, as one that was."""
    version = encoding._version
    assert encoding.graph is not None
    return UpdatedEncoding(encoding, version, (), encoding.graph.info, encoding.labels)


def _unchanged(encoding: Encoding) -> Encoding:
    """Return an encoding as it is; pickles name this function."""
    return encoding


def _next(encoding: Encoding, version: Version) -> UpdatedEncoding:
    """Return the next version of an encoding whose nodes stay the same."""
    if isinstance(encoding, UpdatedEncoding):
        return UpdatedEncoding(encoding.start, version, encoding.new_nodes, encoding.info, encoding.labels)
    assert encoding.graph is not None
    return UpdatedEncoding(encoding, version, (), encoding.graph.info, encoding.labels)


def _encode_again(
    current: UpdatedEncoding, changes: Changes, fresh_labels: list[Hashable], threads: int
) -> Encoding:
    """Return the encoding of the changed graph from scratch."""
    settings, old = current.settings, current.graph
    size = current.start_graph.num_nodes + len(changes.new_nodes)
    graph = changed_graph(old, changes, _ids(current.start_graph, changes.new_nodes), size)
    labels = None
    if current.labels is not None:
        labels = [settings.labels[number] for number in current.labels.tolist()] + fresh_labels
    return encode(
        graph,
        settings.radius,
        degrees=settings.degrees,
        labels=labels,
        max_degree=settings.max_degree,
        degree_bins=settings.degree_bins,
        frontier_edges=settings.frontier_edges,
        layout=settings.layout,
        rooted=settings.rooted,
        common=settings.common,
        roots=None if current.roots is None else graph.node_ids[current.roots].tolist(),
        threads=threads or None,
    )


def _fresh_labels(
    current: UpdatedEncoding, changes: Changes, labels: Mapping[Hashable, Hashable] | None
) -> list[Hashable]:
    """Return the labels of the new nodes, if nodes have labels here."""
    if current.settings.labels is None:
        if labels is not None:
            raise InputError("labels were given, but this encoding has none. Leave labels out.")
        return []
    fresh = changes.new_nodes[len(changes.new_nodes) - changes.num_fresh :]
    missing = [node for node in fresh if node not in (labels or {})]
    if missing:
        raise InputError(f"new nodes need labels here: give labels={{{missing[0]!r}: ...}} and so on.")
    names = [(labels or {})[node] for node in fresh]
    refuse_mixed([*names, *current.settings.labels])
    return names


def _ids(graph: Graph, new_nodes: tuple[Hashable, ...]) -> np.ndarray[Any, Any] | None:
    """Return the ids of a graph's nodes and of new ones, or None if they are 0, 1, 2, ..."""
    following = range(graph.num_nodes, graph.num_nodes + len(new_nodes))
    if not new_nodes or (graph.nodes is None and list(new_nodes) == list(following)):
        return graph.nodes
    both = joined(graph.node_ids, as_flat(list(new_nodes)))
    return both if isinstance(both, np.ndarray) else id_array(both)
