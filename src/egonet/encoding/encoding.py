"""`Encoding`: the frozen result for every kind of row, a matrix of counts with names for its rows and columns."""

import inspect
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from egonet.checks import as_threads, is_whole
from egonet.encoding.count import EVERYTHING_SEEN, PART_OF_SEVERAL, SEVERAL, MemoryRows, Origin, RowSource
from egonet.encoding.export import Form, write_encoding
from egonet.encoding.lookup import RowLookup
from egonet.encoding.matrix import Counts, Weighting, dense_counts
from egonet.encoding.row_index import RowIndex
from egonet.encoding.saved import save_encoding
from egonet.encoding.settings import Settings
from egonet.encoding.signature import replace_options
from egonet.encoding.update import PatchedRows, in_memory, start_updates, update, with_graph
from egonet.encoding.vocabulary import Unseen, Vocabulary
from egonet.errors import InputError, UnknownNodeError, show_value
from egonet.graph.changes import as_pairs
from egonet.graph.graph import Graph
from egonet.graph.index import near_match, whole_float
from egonet.kernel import native
from egonet.typing import Array, Int32s, Int64s

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from egonet.viz.explorer import Page


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Encoding(RowLookup):
    """How many nodes sit at each (distance, degree) around every node, edge, pair or event.

    Attributes
    ----------
    matrix
        Sparse int32 counts (num_rows, num_columns): a row per root, a column per key of the vocabulary.
    index
        What names the rows: `index.names` is ("node",), ("source", "target"), or one of these with "time" for rows as
        of a time, and `index.columns` has an array of ids or times for each.
    vocabulary
        The keys of the columns and the settings they were counted with.
    graph_ptr
        int64 (num_graphs + 1,): the rows of graph i are `graph_ptr[i]:graph_ptr[i + 1]`.
    unseen
        What was clipped or dropped because a given vocabulary had no column for it.
    graph
        The graph that was encoded (the disjoint union, if there were several), or None after loading.
    roots
        int64 (num_rows,): the node of every row, or None if row v is node v; (num_rows, 2) for both ends of pairs.
    labels
        int32 (num_nodes,): the number of every node's label in `vocabulary.labels`, or None.
    learned
        Whether the columns were learned on this graph, not given by a vocabulary.
    origin
        The graph of a loaded encoding or of a part; None for an encoding that has its graph, or if it is not known.
    source
        The rows: in memory, in a folder (`egonet.store.open`), or shared with the encoding before an update.

    Examples
    --------
    >>> import egonet
    >>> encoding = egonet.encode([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], radius=1)
    >>> encoding["c"]
    {(0, 3): 1, (1, 1): 1, (1, 2): 2}
    >>> encoding.matrix.toarray()
    array([[0, 1, 0, 0, 2],
           [0, 1, 0, 0, 2],
           [0, 0, 1, 1, 2],
           [1, 0, 0, 1, 0]], dtype=int32)
    >>> encoding.classes.tolist()
    [0, 0, 1, 2]

    An encoding is a mapping from node id to counts; iterating over it yields the ids in row order. Rows of edges and
    pairs are named (u, v). NumPy takes an encoding as its counts.

    >>> list(encoding), "c" in encoding, len(encoding)
    (['a', 'b', 'c', 'd'], True, 4)
    >>> pairs = egonet.encode_pairs(encoding.graph, [("a", "d")])
    >>> list(pairs), pairs[("d", "a")]
    ([('a', 'd')], {(0, 2, 1): 1, (0, 2, 2): 1, (1, 1, 3): 1, (1, 2, 2): 1})
    >>> np.asarray(pairs)
    array([[1, 1, 1, 1]], dtype=int32)
    """

    matrix: Counts
    index: RowIndex
    vocabulary: Vocabulary
    graph_ptr: Int64s
    unseen: Unseen
    graph: Graph | None
    roots: Int64s | None
    labels: Int32s | None
    learned: bool
    origin: Origin | None
    source: RowSource = field(init=False)

    def __init__(self, source: RowSource | None = None, **fields: Any) -> None:
        """Read rows from a source, or from all fields in memory, which `dataclasses.replace` passes."""
        if (source is None and not fields) or (source is not None and not hasattr(type(source), "num_rows")):
            raise InputError(f"an Encoding is made by encode or load, got {show_value(source)}.")
        self.__dict__["source"] = MemoryRows(**fields) if source is None else source

    # The fields are for `dataclasses.replace` alone, so the signature leaves them out.
    __init__.__signature__ = replace_options(inspect.signature(__init__), {})  # type: ignore[attr-defined]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Read an attribute from the source on first use."""
            if name.startswith("_"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            return getattr(self.source, name)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled and copied: the source; everything else is derived from it."""
        return {"source": self.source}

    def __repr__(self) -> str:
        rows, columns = self.shape
        radius = self.settings.radius[0] if len(self.settings.radius) == 1 else self.settings.radius
        kind = "" if self.index.kind == "node" else f"{self.index.kind!r}, "
        degrees = self.settings.degrees
        return f"Encoding({kind}num_rows={rows}, num_columns={columns}, radius={radius}, degrees={degrees!r})"

    def __len__(self) -> int:
        return self.source.num_rows

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the names of the rows, in row order, as a mapping does."""
        return iter(self.index)

    def __contains__(self, name: Any) -> bool:
        """Return whether a node, a pair (u, v), or one of these and a time has a row."""
        return self.source.find(whole_float(name)) is not None

    def __getitem__(self, name: Any) -> dict[tuple[Any, ...], int]:
        """Return the multiset of one row: key to count, in column order."""
        return self.source.row(self._row_of(name))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return the counts as a dense array, for `np.asarray(encoding)`."""
        if copy is False:
            raise ValueError("the counts are sparse: a dense array of them is always a copy.")
        counts = self.to_dense()
        return counts if dtype is None else counts.astype(dtype, copy=False)

    @property
    def nodes(self) -> Array:
        """Return the ids of the rows, without times: of nodes (num_rows,), of both ends of pairs (num_rows, 2).

        Examples
        --------
        >>> import egonet
        >>> encoding = egonet.encode(egonet.named.path("abc"), radius=1)
        >>> encoding.nodes.tolist()
        ['a', 'b', 'c']
        """
        return self.source.nodes

    @property
    def pairs(self) -> Array:
        """Return the ids of both ends of every edge, pair or event, (num_rows, 2), in row order.

        Examples
        --------
        >>> import egonet
        >>> egonet.encode_pairs(egonet.named.path("abc"), [("a", "c")], radius=1).pairs.tolist()
        [['a', 'c']]
        """
        return self.index.pairs

    @property
    def settings(self) -> Settings:
        """Return what was counted.

        Examples
        --------
        >>> import egonet
        >>> encoding = egonet.encode(egonet.named.path("abc"), radius=1)
        >>> encoding.settings
        Settings(radius=1)
        """
        return self.source.settings

    def rows(self, first: int, last: int) -> Counts:
        """Return the counts of consecutive rows; an encoding in a folder reads only the blocks they are in.

        The range is that of a slice: negative numbers count from the end, and rows that are not there are left out.

        Examples
        --------
        >>> import egonet
        >>> egonet.encode(egonet.named.path("abc"), radius=1).rows(-1, 100).toarray()
        array([[1, 0, 1]], dtype=int32)
        """
        try:
            first, last, _ = slice(first, last).indices(len(self))
        except TypeError:
            raise InputError(
                f"rows takes two whole numbers, as in rows(0, 10), got {show_value(first)} and {show_value(last)}."
            ) from None
        return self.source.rows(first, max(first, last))

    def _count_rows(self, first: int, last: int) -> Counts:
        return self.rows(first, last)

    def in_memory(self) -> "Encoding":
        """Return the same encoding with everything read into memory; it shares nothing with other encodings.

        Examples
        --------
        >>> import egonet, tempfile
        >>> folder = tempfile.mkdtemp() + "/out"
        >>> stored = egonet.store.encode(egonet.named.path("abc"), folder, radius=1)
        >>> stored.in_memory()["b"]
        {(0, 2): 1, (1, 1): 2}
        """
        return Encoding(in_memory(self.source))

    @cached_property
    def classes(self) -> Int64s:
        """Return a number per row, by first appearance; equal if and only if the multisets are equal.

        Examples
        --------
        >>> import egonet
        >>> encoding = egonet.encode(egonet.named.path("abc"), radius=1)
        >>> encoding.classes.tolist()
        [0, 1, 0]
        """
        indptr = self.matrix.indptr.astype(np.int64)
        return native.row_classes(indptr, self.matrix.indices.astype(np.int32, copy=False), self.matrix.data)

    @property
    def num_graphs(self) -> int:
        """Return how many graphs were encoded together.

        Examples
        --------
        >>> import egonet
        >>> egonet.encode([egonet.named.cycle(3), egonet.named.cycle(4)], radius=1).num_graphs
        2
        """
        return len(self.graph_ptr) - 1

    def part(self, index: int) -> "Encoding":
        """Return the rows of one of several graphs, with the same columns; `unseen` is that of these rows.

        Examples
        --------
        >>> import egonet
        >>> both = egonet.encode([egonet.named.path("ab"), egonet.named.path("abc")], radius=1)
        >>> both.part(1)["b"]
        {(0, 2): 1, (1, 1): 2}
        """
        if not is_whole(index) or not -self.num_graphs <= index < self.num_graphs:
            raise InputError(
                f"there are {self.num_graphs} graphs (0 to {self.num_graphs - 1}), got {show_value(index)}."
            )
        index = int(index) % self.num_graphs
        first, last = self.graph_ptr[index:][:2].tolist()
        records = getattr(self.source, "unseen_parts", None)
        return replace(
            self,
            matrix=self.rows(first, last),
            index=self.index.part(first, last),
            graph_ptr=np.array([0, last - first], dtype=np.int64),
            unseen=self.unseen if records is None else records.get(index, EVERYTHING_SEEN),
            graph=None,
            roots=None,
            labels=None,
            origin=PART_OF_SEVERAL if self._has_every_node else None,
        )

    def parts(self) -> Iterator["Encoding"]:
        """Yield the rows of each graph in turn.

        Examples
        --------
        >>> import egonet
        >>> both = egonet.encode([egonet.named.cycle(3), egonet.named.cycle(4)], radius=1)
        >>> [len(part) for part in both.parts()]
        [3, 4]
        """
        return (self.part(index) for index in range(self.num_graphs))

    def _row_of(self, node: Any) -> int:
        """Return the row of a name; raise for ids that several graphs share."""
        is_node = len(self.index.names) == 1
        if is_node and isinstance(node, slice | list | set | dict | np.ndarray):
            raise InputError(
                f"an encoding is indexed by one node id, got {show_value(node)}. For rows by position use "
                "encoding.matrix[...] and encoding.nodes[...]; for chosen nodes encode(..., roots=[...])."
            )
        node = whole_float(node)  # a record of NumPy becomes a tuple
        row = self.source.find(node)
        if row is None:
            ids = self.nodes.reshape(-1)
            members = set() if is_node else set(ids.tolist())
            parts = [node] if is_node else node[: 2 if "source" in self.index.names else 1]
            strange = [
                part for part in parts if not isinstance(part, Hashable) or is_node or part not in members
            ]
            hint = near_match(strange[0], ids) if strange else ""
            raise UnknownNodeError(f"no row belongs to {self.index.kind} {show_value(node)}.{hint}")
        if row == SEVERAL:
            raise InputError(
                f"node {show_value(node)} has several rows. Index one graph, as in part(0)[{node!r}]."
            )
        return row

    def _dense(self, weighting: Weighting) -> Array:
        self._check_rank(weighting)
        return dense_counts(self.source, weighting)

    def plot(self, ax: "Axes | None" = None, *, names: bool = False) -> "Axes":
        """Return axes with the graph drawn by matplotlib: same color and number, same class.

        Examples
        --------
        >>> import egonet
        >>> axes = egonet.encode(egonet.named.path("abc"), radius=1).plot()
        >>> [text.get_text() for text in axes.texts]
        ['0', '1', '0']
        """
        from egonet.viz import draw_classes

        if self.graph is None or self.index.kind != "node" or len(self) != self.graph.num_nodes:
            raise InputError("plot draws a whole graph: encode every node of it, in one call.")
        return draw_classes(self.graph, self.classes, names=names, ax=ax)

    def explore(self, name: str = "graph") -> "Page":
        """Return an interactive page of the graph with these settings; a notebook displays it.

        Examples
        --------
        >>> import egonet
        >>> egonet.encode(egonet.named.path("abc"), radius=1).explore("a path").title
        'a path · egonet'
        """
        from egonet.viz.explorer import explore_encoding

        return explore_encoding(self, name)

    def update(
        self,
        added: Iterable[Sequence[Hashable]] = (),
        removed: Iterable[Sequence[Hashable]] = (),
        *,
        labels: Mapping[Hashable, Hashable] | None = None,
        threads: int | None = None,
    ) -> "Encoding":
        """Return the encoding of the graph after some edges were removed and others added.

        The result equals encoding the changed graph from scratch, to the byte; only rows that see a changed edge
        are computed, and all others are shared with this encoding, which stays as it is.

        Parameters
        ----------
        added
            Pairs of node ids, or a table of them as for `as_graph`; ids that the graph does not have are new nodes,
            in order of appearance. Loops are dropped and edges that are already there merged, counted in `graph.info`.
        removed
            Pairs of node ids, or such a table, that are edges now.
        labels
            The labels of new nodes by id, if nodes have labels.
        threads
            How many threads compute; one per core if not given.

        Raises
        ------
        InputError
            If an edge to remove is not there, or the encoding has no graph, several graphs, or given columns.

        Examples
        --------
        >>> import egonet
        >>> before = egonet.encode(egonet.named.path("abc"), radius=1)
        >>> after = before.update(added=[("c", "a"), ("c", "d")])
        >>> after["a"], after["d"]
        ({(0, 2): 1, (1, 2): 2}, {(0, 1): 1, (1, 1): 1})

        Notes
        -----
        Cost: a search of `radius` hops around both ends of every changed edge. The matrix of the result is
        assembled on first use. In directed graphs rows near changes, with new labels or `common` all are counted again.
        """
        changes = as_pairs(added, "added"), as_pairs(removed, "removed")
        return Encoding(update(self._updatable, *changes, labels, as_threads(threads)))

    @cached_property
    def _updatable(self) -> PatchedRows:
        """Return what updates start from."""
        return start_updates(self.source)

    def with_graph(self, graph: Graph) -> "Encoding":
        """Return a loaded encoding with its graph, to update it; another graph or unsaved labels are an error.

        Examples
        --------
        >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
        >>> import egonet, tempfile
        >>> file = Path(tempfile.mkdtemp()) / "path.npz"
        >>> egonet.encode(path, 1).save(file)
        >>> egonet.load(file).with_graph(path).update(added=[("a", "c")])["b"]
        {(0, 2): 1, (1, 2): 2}
        """
        return Encoding(with_graph(self.source, graph))

    def write(
        self,
        path: str | Path,
        *,
        weighting: Weighting = "count",
        form: Form | None = None,
        degree_rank: bool = False,
    ) -> None:
        """Write the encoding to a file, completely or not at all; the suffix names the format.

        The formats are .parquet and .arrow (a table), .csv (a wide table), .mtx (the matrix, after lines such as
        `%row 1 "a"` and `%column 1 "r1_d0_deg1"` with ids and names as JSON) and .npz (the counts, which
        `egonet.load` reads back). A table is "wide", with a column per feature, or "sparse", with two lists per
        node; by default it is wide up to 2,000 features. Values are counts, unless another weighting is given.
        `degree_rank` adds the rank of every node's degree in its graph (`egonet.degree_rank`) as a column of a table.

        Examples
        --------
        >>> import egonet, tempfile
        >>> path = Path(tempfile.mkdtemp()) / "features.csv"
        >>> egonet.encode([("a", "b"), ("b", "c")], radius=1).write(path)
        >>> print(path.read_text().split()[0])
        node,r1_d0_deg1,r1_d0_deg2,r1_d1_deg1
        """
        write_encoding(self, path, weighting=weighting, form=form, degree_rank=degree_rank)

    def save(self, path: str | Path, *, graph: bool = False) -> None:
        """Write the encoding to one .npz file that `egonet.load` reads back; nothing in it is pickled.

        With `graph=True` the file also keeps the graph and the labels, so that the loaded encoding can be updated.

        Examples
        --------
        >>> import egonet, tempfile
        >>> path = Path(tempfile.mkdtemp()) / "path.npz"
        >>> egonet.encode(egonet.named.path("abc"), radius=1).save(path, graph=True)
        >>> egonet.load(path).update(added=[("c", "a")])["b"]
        {(0, 2): 1, (1, 2): 2}
        """
        save_encoding(self.source, path, graph=graph)
