"""scikit-learn transformers: a row per graph (`GraphEncoder`) or per node of one graph (`NodeEncoder`)."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, Self, get_args

import numpy as np
from scipy.sparse import csr_array, vstack

from egonet.encoding.encode import encode
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import Labels
from egonet.encoding.matrix import Aggregate, Counts, Weighting, aggregate_rows, narrow_pointers, weight
from egonet.encoding.settings import DegreeBins, Layout, Radius, one_of, settings_of
from egonet.encoding.vocabulary import Unseen, UnseenPolicy, Vocabulary
from egonet.errors import InputError, MissingExtraError
from egonet.graph.convert import as_graph, is_dataset, is_many, listed
from egonet.graph.dataframes import id_column
from egonet.graph.graph import Graph
from egonet.graph.ids import show
from egonet.kernel import native
from egonet.typing import Degrees, Rooted

try:
    from joblib import effective_n_jobs
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils.validation import check_is_fitted as check_is_fitted
except ImportError as error:
    raise MissingExtraError('the encoders need an extra package: pip install "egonet[sklearn]".') from error


class GraphTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer whose input is graphs or node ids, not a matrix of numbers; `clone` shares graph and labels."""

    def __sklearn_tags__(self) -> Any:
        """Return the tags: input is graphs or ids, not a matrix of numbers."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        return tags

    def __sklearn_clone__(self) -> Self:
        """Return an unfitted transformer with the same parameters, which are not copied."""
        twin = type(self)(**self.get_params(deep=False))
        for name in ("_sklearn_output_config", "_metadata_request"):
            if hasattr(self, name):
                setattr(twin, name, deepcopy(getattr(self, name)))
        return twin


class _Encoder(GraphTransformer):
    """What both encoders share: the calls of `encode` and the form of the output."""

    vocabulary_: Vocabulary

    def _encode(self, graph: Any, labels: Labels | None, roots: list[Any] | None = None) -> Encoding:
        """Return the encoding of a graph or several in new columns."""
        threads = effective_n_jobs(self.n_jobs)
        return encode(graph, settings_of(self), labels=labels, roots=roots, threads=threads)

    def _encode_known(self, graph: Any, labels: Labels | None, roots: list[Any] | None = None) -> Encoding:
        """Return the encoding of a graph or several in the columns learned."""
        return encode(
            graph,
            vocabulary=self.vocabulary_,
            unseen=self.handle_unknown,
            labels=labels,
            roots=roots,
            threads=effective_n_jobs(self.n_jobs),
        )

    def _check_params(self) -> None:
        """Raise for parameters that `encode` would notice late or never."""
        one_of("handle_unknown", self.handle_unknown, get_args(UnseenPolicy))
        one_of("weighting", self.weighting, get_args(Weighting))

    def _output(self, matrix: Counts) -> Any:
        """Return the matrix as floats, sparse or dense."""
        floats = matrix.astype(np.float64)
        if not self.sparse_output:
            return floats.toarray()
        pointers = narrow_pointers(floats.indptr)  # trees and others take no 64-bit indices
        columns = floats.indices.astype(pointers.dtype, copy=False)
        return csr_array((floats.data, columns, pointers), shape=floats.shape)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:  # noqa: ARG002
        """Return the name of every column, such as "r2_d1_deg4"; `input_features` plays no part."""
        check_is_fitted(self, "vocabulary_")
        return np.asarray(self.vocabulary_.feature_names, dtype=object)


class GraphEncoder(_Encoder):
    """A list of graphs to one row per graph: the encodings of its nodes, added up.

    Parameters
    ----------
    radius, degrees, max_degree, degree_bins, frontier_edges, common, rooted, depth, layout, cap
        As for `egonet.encode`.
    aggregate
        How the rows of a graph's nodes become one: "sum", "mean" or "max" of every column, or "classes": how
        many nodes have each encoding seen while fitting (the finest of the four; columns grow with the data).
    labeled
        True if every entry of X is a pair (graph, labels of its nodes), which become part of the columns.
    weighting
        What is aggregated: "count", "log" or "paper", as for `Encoding.weighted`.
    handle_unknown
        What `transform` does with keys not seen while fitting: "clip" them to the nearest lower degree, "ignore"
        them, or "error". A node whose encoding is not among the classes learned is left out unless "error".
    sparse_output
        False returns dense arrays, which `set_output(transform="pandas")` needs.
    n_jobs
        Threads of the kernel: None is one, -1 all cores.

    Attributes
    ----------
    vocabulary_ : Vocabulary
        The columns learned.
    class_rows_ : csr_array
        Only with aggregate="classes": the encoding that each class stands for.

    Examples
    --------
    >>> import egonet
    >>> encoder = GraphEncoder(radius=1, sparse_output=False)
    >>> encoder.fit_transform([egonet.named.path("abc"), egonet.named.cycle(3)])
    array([[2., 1., 4., 0.],
           [0., 3., 0., 6.]])
    >>> encoder.get_feature_names_out().tolist()
    ['r1_d0_deg1', 'r1_d0_deg2', 'r1_d1_deg1', 'r1_d1_deg2']
    """

    class_rows_: Counts

    def __init__(
        self,
        radius: Radius = 2,
        *,
        degrees: Degrees = "total",
        max_degree: int | None = None,
        degree_bins: DegreeBins | None = None,
        frontier_edges: bool = True,
        common: bool = False,
        rooted: Rooted = "node",
        depth: int = 1,
        layout: Layout = "observed",
        cap: int | None = None,
        aggregate: Aggregate = "sum",
        labeled: bool = False,
        weighting: Weighting = "count",
        handle_unknown: UnseenPolicy = "clip",
        sparse_output: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.radius = radius
        self.degrees = degrees
        self.max_degree = max_degree
        self.degree_bins = degree_bins
        self.frontier_edges = frontier_edges
        self.common = common
        self.rooted = rooted
        self.depth = depth
        self.layout = layout
        self.cap = cap
        self.aggregate = aggregate
        self.labeled = labeled
        self.weighting = weighting
        self.handle_unknown = handle_unknown
        self.sparse_output = sparse_output
        self.n_jobs = n_jobs

    def fit(self, X: Sequence[Any], y: Any = None) -> Self:  # noqa: N803, ARG002
        """Learn the columns of some graphs; `y` plays no part."""
        self._learn(X)
        return self

    def fit_transform(self, X: Sequence[Any], y: Any = None, **fit_params: Any) -> Any:  # noqa: N803, ARG002
        """Learn the columns and return a row per graph, with one call of the kernel."""
        return self._rows(self._learn(X))

    def transform(self, X: Sequence[Any]) -> Any:  # noqa: N803
        """Return a row per graph in the columns learned."""
        return self._rows(self._apply(X))

    def unseen(self, X: Sequence[Any]) -> Unseen:  # noqa: N803
        """Return what `transform` would clip or drop in these graphs."""
        return self._apply(X).unseen

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """Return the name of every column: "r2_d1_deg4", or "class0" with aggregate="classes"."""
        if self.aggregate != "classes":
            return super().get_feature_names_out(input_features)
        check_is_fitted(self, "class_rows_")
        return np.array([f"class{number}" for number in range(self.class_rows_.shape[0])], dtype=object)

    def _learn(self, graphs: Sequence[Any]) -> Encoding:
        """Learn columns, and classes if aggregate="classes"; return the encoding they were learned on."""
        self._check_params()
        listed, labels = self._unzip(graphs)
        if not len(listed):
            raise InputError("GraphEncoder needs at least one graph to learn columns from, got none.")
        encoding = self._encode(listed, labels)
        self.vocabulary_ = encoding.vocabulary
        if self.aggregate == "classes":
            first_rows = np.unique(encoding.classes, return_index=True)[1]
            self.class_rows_ = encoding.matrix[first_rows]
        return encoding

    def _apply(self, graphs: Sequence[Any]) -> Encoding:
        """Return the encoding of some graphs in the columns learned."""
        check_is_fitted(self, "vocabulary_")
        listed, labels = self._unzip(graphs)
        if not len(listed):
            raise InputError("GraphEncoder needs at least one graph, got none.")
        return self._encode_known(listed, labels)

    def _check_params(self) -> None:
        super()._check_params()
        one_of("aggregate", self.aggregate, get_args(Aggregate))
        if self.aggregate == "classes" and self.weighting != "count":
            raise InputError(
                f'aggregate="classes" counts nodes, so that weighting must be "count", got {self.weighting!r}.'
            )

    def _unzip(self, graphs: Any) -> tuple[Any, list[Any] | None]:
        """Return the graphs, and their labels if they come with them; raise for a single graph."""
        if not self.labeled and is_dataset(graphs):
            return graphs, None
        items = _as_list(graphs)
        if not self.labeled:
            if items and not is_many(items):
                for position, item in enumerate(items):
                    if item is None or isinstance(item, str | int | float):
                        raise InputError(
                            f"graph {position} (counted from 0) must be a graph, got {show(item)}."
                        )
                raise InputError(_ONE_GRAPH.format(kind=type(graphs).__name__))
            return items, None
        for position, pair in enumerate(items):
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise InputError(
                    "labeled=True takes a list of pairs (graph, labels of its nodes), "
                    f"got {show(pair)} at position {position}."
                )
        return [graph for graph, _ in items], [labels for _, labels in items]

    def _rows(self, encoding: Encoding) -> Any:
        """Return a row per graph."""
        if self.aggregate == "classes":
            return self._output(class_counts(self.class_rows_, encoding, self.handle_unknown))
        matrix = weight(encoding.matrix, self.weighting)
        return self._output(aggregate_rows(matrix, encoding.graph_ptr, self.aggregate))


class NodeEncoder(_Encoder):
    """Node ids of one graph to their rows, so that cross-validation splits nodes.

    X is a column of node ids: a list, an array, a series, or a frame or array with one column (which is what
    a `ColumnTransformer` hands over). Columns are learned from the nodes fitted on; their ego-networks are
    always taken in the whole graph. `clone` shares the graph instead of copying it.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts; an `egonet.Graph` is used as it is, all else is converted on every fit and
        transform.
    radius, degrees, max_degree, degree_bins, frontier_edges, common, rooted, depth, layout, cap, labels, source, target
        As for `egonet.encode`.
    weighting, handle_unknown, sparse_output, n_jobs
        As for `GraphEncoder`.

    Attributes
    ----------
    vocabulary_ : Vocabulary
        The columns learned.

    Examples
    --------
    >>> import egonet
    >>> encoder = NodeEncoder(egonet.named.path("abcd"), radius=1, sparse_output=False)
    >>> encoder.fit(["a", "b"]).transform(["c", "d"])
    array([[0., 1., 2.],
           [1., 0., 1.]])
    """

    def __init__(
        self,
        graph: Any,
        radius: Radius = 2,
        *,
        degrees: Degrees = "total",
        max_degree: int | None = None,
        degree_bins: DegreeBins | None = None,
        frontier_edges: bool = True,
        common: bool = False,
        rooted: Rooted = "node",
        depth: int = 1,
        layout: Layout = "observed",
        cap: int | None = None,
        labels: Labels | None = None,
        source: str | None = None,
        target: str | None = None,
        weighting: Weighting = "count",
        handle_unknown: UnseenPolicy = "clip",
        sparse_output: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.graph = listed(graph)  # every fit and transform reads it
        self.radius = radius
        self.degrees = degrees
        self.max_degree = max_degree
        self.degree_bins = degree_bins
        self.frontier_edges = frontier_edges
        self.common = common
        self.rooted = rooted
        self.depth = depth
        self.layout = layout
        self.cap = cap
        self.labels = listed(labels) if isinstance(labels, Iterator) else labels
        self.source = source
        self.target = target
        self.weighting = weighting
        self.handle_unknown = handle_unknown
        self.sparse_output = sparse_output
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803, ARG002
        """Learn the columns of some nodes; `y` plays no part."""
        self._learn(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:  # noqa: N803, ARG002
        """Learn the columns of some nodes and return their rows, with one call of the kernel."""
        return self._output(weight(self._learn(X).matrix, self.weighting))

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Return a row per node id in the columns learned."""
        return self._output(weight(self._apply(X).matrix, self.weighting))

    def unseen(self, X: Any) -> Unseen:  # noqa: N803
        """Return what `transform` would clip or drop for these nodes."""
        return self._apply(X).unseen

    def _learn(self, ids: Any) -> Encoding:
        """Learn columns; return the encoding they were learned on."""
        self._check_params()
        roots = id_column(ids, "NodeEncoder")
        if not roots:
            raise InputError("NodeEncoder needs at least one node to learn columns from, got none.")
        encoding = self._encode(self._graph(), self.labels, roots)
        self.vocabulary_ = encoding.vocabulary
        return encoding

    def _apply(self, ids: Any) -> Encoding:
        """Return the encoding of some nodes in the columns learned."""
        check_is_fitted(self, "vocabulary_")
        return self._encode_known(self._graph(), self.labels, id_column(ids, "NodeEncoder"))

    def _graph(self) -> Graph:
        """Return the graph as the record."""
        return as_graph(self.graph, source=self.source, target=self.target)


def class_counts(known_rows: Counts, encoding: Encoding, handle_unknown: UnseenPolicy) -> Counts:
    """Return how many nodes of each graph have each class, a class being a row of `known_rows`."""
    num_known = known_rows.shape[0]
    stacked = vstack([known_rows, encoding.matrix], format="csr")
    # Known rows come first and all differ, so that they get the numbers 0 ... num_known - 1.
    columns = stacked.indices.astype(np.int32, copy=False)
    classes = native.row_classes(stacked.indptr.astype(np.int64), columns, stacked.data)[num_known:]
    strange = classes >= num_known
    if handle_unknown == "ignore":
        strange[encoding.unseen.rows] = True
    if handle_unknown == "error" and strange.any():
        row = int(np.argmax(strange))
        raise InputError(
            f"{int(strange.sum()):,} of {len(encoding):,} nodes have encodings that fit() never saw, first at "
            f'node {show(encoding.nodes[row])}. Fit on more graphs, or set handle_unknown="clip" or "ignore".'
        )
    graph_of = np.repeat(np.arange(encoding.num_graphs), np.diff(encoding.graph_ptr))[~strange]
    ones = np.ones(len(graph_of), dtype=np.int64)
    counts = csr_array((ones, (graph_of, classes[~strange])), shape=(encoding.num_graphs, num_known))
    counts.sum_duplicates()
    return counts


_ONE_GRAPH = (
    "GraphEncoder takes a list of graphs, got one graph ({kind}). "
    "Write [graph] for a single one, or use NodeEncoder for a row per node."
)


def _as_list(graphs: Any) -> list[Any]:
    """Return the graphs as a list; raise for a single graph."""
    graphs = listed(graphs)
    if isinstance(graphs, list | tuple):
        return list(graphs)
    if graphs is None or isinstance(graphs, str | bytes | int | float | dict | set | frozenset):
        raise InputError(f"GraphEncoder takes a list of graphs, got {show(graphs)}.")
    package = type(graphs).__module__.split(".")[0]
    is_graph = hasattr(graphs, "shape") or hasattr(graphs, "edge_index") or package in ("networkx", "igraph")
    if is_graph or not hasattr(graphs, "__len__") or not hasattr(graphs, "__getitem__"):
        raise InputError(_ONE_GRAPH.format(kind=type(graphs).__name__))
    return [graphs[index] for index in range(len(graphs))]
