"""`NodeEncoder`: node ids in, their rows out, for the fitted graph or another one."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, Self, Unpack

import numpy as np
from scipy.sparse import csr_array, hstack
from sklearn.utils.validation import check_is_fitted

from egonet.encoding.count import MemoryRows
from egonet.encoding.encoding import Encoding
from egonet.encoding.lookup import chosen_rows, ranked_rows
from egonet.encoding.matrix import Counts, Weighting, weight
from egonet.encoding.ranks import DegreeProfile, as_degree_rank, carries_over, ranks_of_degrees
from egonet.encoding.row_index import RowIndex
from egonet.encoding.schema import Schema
from egonet.encoding.settings import Radius
from egonet.encoding.signature import list_keywords
from egonet.encoding.unknown import HandleUnknown, split_known
from egonet.encoding.vocabulary import Unseen, UnseenPolicy, Vocabulary
from egonet.errors import InputError, show_value
from egonet.graph.adapters import PACKAGES, as_list, batch_pointers
from egonet.graph.align import by_id
from egonet.graph.columns import EDGE_ROLES, Labels, is_from
from egonet.graph.graph import Graph
from egonet.graph.index import type_hint
from egonet.graph.input_options import Ids, Missing
from egonet.sklearn.base import READING, BaseEncoder, EncoderOptions, SparseOutput
from egonet.tables.frames import as_frame, id_column
from egonet.typing import Directed, Floats, Int64s


class NodeEncoder(BaseEncoder):
    """Turn node ids of one graph into rows, so that cross-validation splits nodes.

    X is a column of node ids: a list, an array, a series, or a frame or array with one column (which is what
    a `ColumnTransformer` passes). `fit` learns the columns from the given nodes; their ego-networks always come from
    the whole graph. `clone` shares the graph instead of copying it.

    For nodes of another graph, X is the pair (graph, ids), also in `predict` of a pipeline. `with_graph` returns an
    encoder with the same columns for another graph.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts, such as a data frame of edges. Anything but an `egonet.Graph` is converted in every
        `fit` and `transform`. Leave it out if X is always the pair (graph, ids).
    radius
        Hops around each node, or several.
    degrees, frontier_edges, max_degree, degree_bins, layout
        What is counted, as for `egonet.encode`.
    rooted, common, cap, depth, follow, weight_bins, count
        More of what is counted, as for `egonet.encode`.
    directed, labels, edge_labels, weights, source, target, missing, ids, simplify
        As for `egonet.encode`. Labels in row order belong to `graph`; give them by id if other graphs follow.
    unseen
        What `transform` does with keys not seen in `fit`: "clip" them to the nearest lower degree, "ignore" them, or
        "error".
    handle_unknown
        What happens to ids that the graph does not have: "error", or "zero" and "warn" for the row of an isolated node
        (1 in the column of distance 0 and degree 0 if there is one, 0 elsewhere), counted by `count_unseen`. "warn"
        warns; "zero" does so if more than half are unknown. An id of the other type ("7" for 7) is always an error,
        and so is a missing one.
    weighting
        "count", "log", "paper" or "rank", as for `Encoding.weighted`. "rank" compares a node with all nodes of its
        graph, so every `transform` encodes the whole graph.
    degree_rank
        True adds a first column: the rank of the node's degree in its graph (`egonet.degree_rank`). "only" has no other
        column, and counts nothing.
    sparse_output, n_jobs
        As for `GraphEncoder`.

    Attributes
    ----------
    vocabulary_ : Vocabulary
        The columns learned.
    degrees_ : DegreeProfile
        The degrees of the graph that they were learned on.

    Notes
    -----
    For a graph with other degrees than the one that columns were learned on, use degree_rank="only", or
    `for_another_graph`. Without quarters or "only" the encoder warns once if the two distributions of degrees differ by
    more than 0.2 somewhere (Kolmogorov and Smirnov's statistic; graphs of at least 100 nodes).

    Examples
    --------
    >>> import egonet
    >>> encoder = NodeEncoder(egonet.named.path("abcd"), radius=1, handle_unknown="zero").fit(["a", "b"])
    >>> encoder.transform(["c", "d", "stranger"])
    array([[0., 1., 2.],
           [1., 0., 1.],
           [0., 0., 0.]])
    >>> encoder.transform((egonet.named.path("xyz"), ["y"]))
    array([[0., 1., 2.]])
    >>> NodeEncoder(egonet.named.path("abcd"), degree_rank="only").fit_transform(["a", "b"])
    array([[0.25],
           [0.75]])
    """

    degrees_: DegreeProfile
    _has_ranks = True
    _has_warned = False

    def __init__(
        self,
        graph: Any = None,
        radius: Radius = 2,
        *,
        directed: Directed = None,
        labels: Labels | None = None,
        source: str | None = None,
        target: str | None = None,
        missing: Missing = None,
        ids: Ids = None,
        simplify: bool | None = None,
        weighting: Weighting = "count",
        degree_rank: bool | Literal["only"] = False,
        unseen: UnseenPolicy = "clip",
        handle_unknown: HandleUnknown = "error",
        sparse_output: SparseOutput = "auto",
        n_jobs: int | None = None,
        **options: Unpack[EncoderOptions],
    ) -> None:
        self._keep(locals())
        self.graph = as_list(graph)  # every fit and transform reads it
        self.labels = as_list(labels) if isinstance(labels, Iterator) else labels

    @classmethod
    def for_another_graph(cls, graph: Any = None, radius: Radius = 1, **options: Any) -> Self:
        """Return an encoder whose columns mean the same in a graph with other degrees.

        The first column is the rank of the node's degree in its graph; the others count neighbors by the quarter of
        their degree, as ranks among the nodes of the graph. Try degree_rank="only" first, which is harder to beat.

        Examples
        --------
        >>> import egonet
        >>> encoder = NodeEncoder.for_another_graph(egonet.named.star(4)).fit(range(5))
        >>> encoder.get_feature_names_out().tolist()
        ['degree_rank', 'r1_d0_degq2', 'r1_d0_degq4', 'r1_d1_degq2']
        >>> encoder.transform((egonet.named.star(9), [0]))[:, 0]
        array([0.95])
        """
        keywords: dict[str, Any] = {"degree_bins": "quantile", "weighting": "rank", "degree_rank": True}
        return cls(graph, radius, **keywords | options)

    def count_unseen(self, X: Any) -> Unseen:  # noqa: N803
        """Return what `transform` would clip or drop for these nodes, and how many the graph does not have.

        Examples
        --------
        >>> import egonet
        >>> encoder = egonet.NodeEncoder(egonet.named.path("abcd"), radius=1)
        >>> encoder.fit(["a"]).count_unseen(["b"]).num_rows
        1
        """
        encoding, rows = self._current()._apply(X, every_node=False)
        if rows is None:
            return encoding.unseen
        return replace(encoding.unseen, unknown=int((rows < 0).sum()), num_all=len(rows))

    def with_graph(self, graph: Any, labels: Labels | None = None) -> Self:
        """Return a fitted encoder with the same columns that reads its ids in another graph.

        `labels` are those of the other graph; without them the encoder's own are used, which must be by id.

        Examples
        --------
        >>> import egonet
        >>> today = NodeEncoder([("ann", "bob"), ("bob", "cid")], radius=1).fit(["ann", "bob"])
        >>> today.with_graph([("dan", "bob"), ("bob", "cid")]).transform(["dan"])
        array([[1., 0., 1.]])
        """
        check_is_fitted(self, "vocabulary_")
        self._check_edge_order()
        labels = self._labels_of_another() if labels is None else as_list(labels)
        other = self._with({"labels": labels, "graph": as_list(graph)})
        if as_frame(other.graph) is None:  # source and target are the columns of a table
            other.source = other.target = None
        return other

    def _learn(self, nodes: Any) -> tuple[Encoding, Int64s | None]:
        """Learn columns; return the encoding they were learned on, and the row of every node as `split_known` does."""
        self._check_params()
        graph, labels, ids = self._read(nodes)
        if not ids:
            raise InputError("NodeEncoder needs at least one node to learn columns from, got none.")
        if all(graph.find(node) is None for node in ids):
            raise InputError(
                f"NodeEncoder needs at least one node of the graph to learn columns from, got {len(ids):,} ids "
                f"that it does not have, such as {show_value(ids[0])}.{type_hint(ids[0], graph.node_ids)}"
            )
        graph_ids, rows = split_known(graph, ids, self.handle_unknown)
        encoding = self._encode_nodes(graph, labels, graph_ids)
        self.vocabulary_, self.degrees_ = encoding.vocabulary, DegreeProfile.of(graph)
        self.__dict__.pop("_has_warned", None)
        return encoding, rows

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:  # noqa: N803, ARG002
        """Learn the columns of X and return its rows.

        Examples
        --------
        >>> import egonet
        >>> egonet.NodeEncoder(egonet.named.path("abc"), radius=1, sparse_output=False).fit_transform(["a", "b"])
        array([[1., 0., 1.],
               [0., 1., 2.]])
        """
        self._check_params()
        if self.weighting == "rank":
            return self.fit(X).transform(X)
        return self._rows(self._learn(X))

    def _apply(self, nodes: Any, *, every_node: bool | None = None) -> tuple[Encoding, Int64s | None]:
        """Return the encoding of the known among some nodes in the columns learned, and the row of every node.

        With `every_node` it is the encoding of all nodes, which ranks need.
        """
        self._check_fitted()
        graph, labels, ids = self._read(nodes)
        graph_ids, rows = split_known(graph, ids, self.handle_unknown)
        self._warn_shift(graph)
        if self.weighting == "rank" if every_node is None else every_node:
            row_numbers = graph.index.find_rows(ids)
            return self._encode_nodes(graph, labels, None, self.vocabulary_), row_numbers
        return self._encode_nodes(graph, labels, graph_ids, self.vocabulary_), rows

    def _encode_nodes(
        self, graph: Graph, labels: Labels | None, roots: list[Any] | None, columns: Vocabulary | None = None
    ) -> Encoding:
        """Return the encoding of some nodes; without columns if only the rank of the degree is wanted."""
        if self.degree_rank != "only":
            return self._encode(graph, labels, roots, columns)
        settings = self._settings()
        none = Vocabulary(Schema(settings), np.empty((0, 1 + len(settings.field_names)), dtype=np.int64))
        rows = np.arange(len(graph)) if roots is None else graph.index.find_rows(roots)
        index = RowIndex.of_nodes(graph.node_ids[rows])
        empty: Counts = csr_array(np.empty((len(rows), 0), dtype=np.int32))
        graph_ptr = np.array([0, len(rows)], dtype=np.int64)
        chosen = None if roots is None else rows
        return Encoding(MemoryRows(empty, index, none, graph_ptr, graph=graph, roots=chosen))

    def _warn_shift(self, graph: Graph) -> None:
        """Warn, once, if counts were learned on a graph with very different degrees."""
        if self._has_warned or carries_over(self.vocabulary_.settings, self.degree_rank):
            return
        if self.degrees_.warn_shift(DegreeProfile.of(graph)):
            self._has_warned = True

    def _check_params(self) -> None:
        super()._check_params()
        as_degree_rank(self.degree_rank)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """Return the name of every column, such as "r2_d1_deg4"; `input_features` is ignored.

        Examples
        --------
        >>> import egonet
        >>> egonet.NodeEncoder(egonet.named.path("ab"), radius=0).fit(["a"]).get_feature_names_out().tolist()
        ['r0_d0_deg1']
        """
        names = super().get_feature_names_out(input_features)
        return np.concatenate([["degree_rank"], names]).astype(object) if self.degree_rank else names

    def _read(self, nodes: Any) -> tuple[Graph, Labels | None, list[Any]]:
        """Return the graph, the labels and the ids of X."""
        graph, labels = self.graph, self.labels
        if isinstance(nodes, tuple) and len(nodes) == 2 and is_one_graph(nodes[0]):
            graph, nodes = nodes
            self._check_edge_order()
            labels = self._labels_of_another()
        if graph is None:
            raise InputError(
                "NodeEncoder needs the graph that the ids are nodes of. "
                "Write NodeEncoder(graph), or give the pair (graph, ids)."
            )
        ends: Any = {name: getattr(self, name) for name in READING}
        if graph is not self.graph and as_frame(graph) is None:
            del ends["source"], ends["target"]  # the columns of a table; this graph is none
        pointers = batch_pointers(graph)
        if pointers is not None and len(pointers) > 2 and self._compares_nodes:
            raise InputError(
                f"ranks and quarters compare the nodes of one graph, got a Batch of {len(pointers) - 1:,}. Give one "
                "of batch.to_data_list(), or egonet.as_graph(batch) to compare all nodes."
            )
        return self._as_graph(graph, **ends), labels, id_column(nodes, "NodeEncoder")

    @property
    def _compares_nodes(self) -> bool:
        """Return whether a row depends on all nodes of its graph."""
        return self.weighting == "rank" or self.degree_bins == "quantile" or bool(self.degree_rank)

    def _labels_of_another(self) -> Labels | None:
        """Return the labels for another graph; raise if they are in the row order of the encoder's own graph."""
        if self.labels is not None and by_id(self.labels) is None:
            raise InputError(
                "labels in row order belong to the graph of the encoder. Give them by id (a mapping or a Series), "
                "or use with_graph(graph, labels)."
            )
        return self.labels

    def _check_edge_order(self) -> None:
        """Raise if edge types are in the edge order of the encoder's graph, because another graph is used."""
        for name in EDGE_ROLES:
            value = getattr(self, name)
            if value is not None and not isinstance(value, str | Mapping):
                raise InputError(
                    f"{name} in the order of the edges belong to the graph of the encoder. "
                    "Give the name of a column or attribute that every graph has."
                )

    def _rows(self, counted: tuple[Encoding, Int64s | None]) -> Any:
        """Return a row per id; the row of an isolated node for those that the graph does not have."""
        encoding, rows = counted
        if self.weighting == "rank":
            rows = np.arange(len(encoding)) if rows is None else rows
            matrix = ranked_rows(encoding.weighted("rank"), self.vocabulary_, rows, encoding.graph)
        elif rows is None:
            matrix = weight(encoding.matrix, self.weighting)
        else:
            chosen = chosen_rows(encoding.matrix, self.vocabulary_, rows, encoding.graph)
            matrix = weight(chosen, self.weighting)
        if not self.degree_rank:
            return self._output(matrix)
        ranks = degree_ranks_of(encoding, rows)
        return self._output(hstack([csr_array(ranks[:, None]), matrix], format="csr"))


list_keywords(NodeEncoder, degree_bins="quantile", weighting="rank", degree_rank=True)(
    NodeEncoder.for_another_graph.__func__  # type: ignore[attr-defined]
)


def degree_ranks_of(encoding: Encoding, rows: Int64s | None) -> Floats:
    """Return the rank of the degree of some rows of one graph; row -1 is a node without neighbors.

    >>> import egonet
    >>> path = egonet.encode(egonet.named.path("abcd"), radius=1, roots=["b", "a"])
    >>> degree_ranks_of(path, np.array([1, 0, -1])).tolist()
    [0.25, 0.75, 0.0]
    """
    graph = encoding.graph
    assert graph is not None  # it was encoded just now
    ranks = ranks_of_degrees(graph.degrees, np.array([0, len(graph)]))
    isolated = (graph.degrees == 0).sum() / (2 * max(len(graph), 1))
    own = ranks if encoding.roots is None else ranks[encoding.roots]
    return own if rows is None else np.append(own, isolated)[rows]


def is_one_graph(data: Any) -> bool:
    """Return whether an object is certainly a graph: of a package of graphs, a list of pairs, or an array of two axes.

    >>> is_one_graph([("a", "b")]), is_one_graph(np.array([[0, 1, 2], [1, 2, 0]])), is_one_graph("a")
    (True, True, False)
    """
    if isinstance(data, list):
        return all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in data)
    packaged = isinstance(data, Graph) or any(is_from(package, data) for package in PACKAGES)
    return bool(getattr(data, "ndim", 2 if packaged else 0) == 2)
