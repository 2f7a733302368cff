"""scikit-learn transformers: a row per graph (`GraphEncoder`) or per node of one graph (`NodeEncoder`)."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import partial
from typing import Any, Self, get_args

import numpy as np

from egonet.attributes.edge_values import EdgeValues, kept_names
from egonet.encoding.bags import Bag, bag_names, check_bag, class_counts, count_bags, count_hashed, learn_bags
from egonet.encoding.encode import encode
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import Labels
from egonet.encoding.matrix import Aggregate, Counts, Weighting, aggregate_rows, as_floats, weight
from egonet.encoding.settings import DegreeBins, Layout, Radius, Settings, WeightBins, one_of, settings_of
from egonet.encoding.vocabulary import Unseen, UnseenPolicy, Vocabulary
from egonet.errors import InputError, MissingExtraError
from egonet.graph.convert import as_graph, listed
from egonet.graph.dataframes import id_column
from egonet.graph.graph import Graph
from egonet.graph.graph_list import unzip
from egonet.typing import Degrees, Directed, Follow, Rooted

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

    def _encode(
        self,
        graph: Any,
        labels: Labels | None,
        roots: list[Any] | None = None,
        columns: Settings | Vocabulary | None = None,
    ) -> Encoding:
        """Return the encoding of a graph or several in the columns of a vocabulary, or in new ones."""
        how: Any = {"threads": effective_n_jobs(self.n_jobs), "labels": labels, "roots": roots}
        how |= {"edge_labels": self.edge_labels, "weights": self.weights}
        how |= (
            {} if isinstance(graph, Graph) else {"directed": self.directed}
        )  # or it was read with its direction
        if isinstance(columns, Vocabulary):
            return encode(graph, vocabulary=columns, unseen=self.handle_unknown, **how)
        return encode(graph, settings_of(self) if columns is None else columns, **how)

    def _check_params(self) -> None:
        """Raise for parameters that `encode` would notice late or never."""
        one_of("handle_unknown", self.handle_unknown, get_args(UnseenPolicy))
        one_of("weighting", self.weighting, get_args(Weighting))

    def _output(self, matrix: Counts) -> Any:
        """Return the matrix as floats, sparse or dense."""
        return as_floats(matrix, sparse=self.sparse_output)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:  # noqa: ARG002
        """Return the name of every column, such as "r2_d1_deg4"; `input_features` plays no part."""
        check_is_fitted(self, "vocabulary_")
        return np.asarray(self.vocabulary_.feature_names, dtype=object)


class GraphEncoder(_Encoder):
    """A list of graphs to one row per graph: the encodings of its nodes, added up.

    Parameters
    ----------
    radius, degrees, max_degree, degree_bins, frontier_edges, common, rooted, depth, layout, cap, follow, weight_bins,
    directed
        As for `egonet.encode`.
    edge_labels, weights
        The name of the attribute that every graph has (or kept) for its edges, as for `egonet.encode`.
    aggregate
        How the rows of a graph's nodes become one: "sum", "mean" or "max" of every column, or "classes": how
        many nodes have each encoding seen while fitting (the finest of the four; columns grow with the data). "bag"
        does that for each radius apart, next to each other: a fingerprint of the graph.
    min_count, num_hashed
        For "bag": encodings of fewer than `min_count` nodes in all graphs fitted get no column; `num_hashed` makes
        this many columns by the hash of `egonet.encoding.bags.row_hashes`, and no encoding is unknown.
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
    bags_ : list of Bag
        Only with aggregate="bag", instead of vocabulary_: the encodings seen at each radius.

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
    bags_: list[Bag]

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
        follow: Follow = "any",
        directed: Directed = None,
        edge_labels: str | None = None,
        weights: str | None = None,
        weight_bins: WeightBins | None = None,
        aggregate: Aggregate = "sum",
        min_count: int = 1,
        num_hashed: int | None = None,
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
        self.common, self.rooted, self.depth = common, rooted, depth
        self.layout = layout
        self.cap = cap
        self.follow = follow
        self.directed = directed
        self.edge_labels = edge_labels
        self.weights = weights
        self.weight_bins = weight_bins
        self.aggregate = aggregate
        self.min_count = min_count
        self.num_hashed = num_hashed
        self.labeled = labeled
        self.weighting = weighting
        self.handle_unknown = handle_unknown
        self.sparse_output = sparse_output
        self.n_jobs = n_jobs

    def fit(self, X: Sequence[Any], y: Any = None) -> Self:  # noqa: N803, ARG002
        """Learn the columns of some graphs; `y` plays no part."""
        _ = self._learn_bags(X) if self.aggregate == "bag" else self._learn(X)
        return self

    def fit_transform(self, X: Sequence[Any], y: Any = None, **fit_params: Any) -> Any:  # noqa: N803, ARG002
        """Learn the columns and return a row per graph, with one call of the kernel."""
        if self.aggregate == "bag":
            return self._output(self._learn_bags(X))
        return self._rows(self._learn(X))

    def transform(self, X: Sequence[Any]) -> Any:  # noqa: N803
        """Return a row per graph in the columns learned."""
        if self.aggregate == "bag":
            return self._output(self._count_bags(X))
        return self._rows(self._apply(X))

    def unseen(self, X: Sequence[Any]) -> Unseen:  # noqa: N803
        """Return what `transform` would clip or drop in these graphs."""
        if self.aggregate == "bag":
            raise InputError('unseen counts keys, and aggregate="bag" has whole rows. Use aggregate="sum".')
        return self._apply(X).unseen

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """Return the name of every column: "r2_d1_deg4", "class0" of classes, "r2_class0" or "hashed0" of bags."""
        if self.aggregate == "bag":
            check_is_fitted(self, "bags_")
            return np.array(bag_names(self.bags_, self.num_hashed), dtype=object)
        if self.aggregate != "classes":
            return super().get_feature_names_out(input_features)
        check_is_fitted(self, "class_rows_")
        return np.array([f"class{number}" for number in range(self.class_rows_.shape[0])], dtype=object)

    def _learn(self, graphs: Sequence[Any]) -> Encoding:
        """Learn columns, and classes if aggregate="classes"; return the encoding they were learned on."""
        self._check_params()
        encoding = self._encode(*self._unzipped(graphs, " to learn columns from"))
        self.vocabulary_ = encoding.vocabulary
        if self.aggregate == "classes":
            first_rows = np.unique(encoding.classes, return_index=True)[1]
            self.class_rows_ = encoding.matrix[first_rows]
        return encoding

    def _learn_bags(self, graphs: Sequence[Any]) -> Counts:
        """Learn the encodings at each radius; return how many nodes of each graph have each."""
        self._check_params()
        encode_new = partial(self._encode, *self._unzipped(graphs, " to learn columns from"), None)
        self.bags_, counts = learn_bags(encode_new, settings_of(self), self.min_count, self.num_hashed)
        return counts

    def _count_bags(self, graphs: Sequence[Any]) -> Counts:
        """Return how many nodes of each graph have each encoding learned."""
        check_is_fitted(self, "bags_")
        encode_again = partial(self._encode, *self._unzipped(graphs), None)
        if self.num_hashed is not None:
            return count_hashed(self.bags_, encode_again, self.num_hashed)
        return count_bags(self.bags_, encode_again, self.handle_unknown)

    def _unzipped(self, graphs: Any, purpose: str = "") -> tuple[Any, list[Any] | None]:
        """Return the graphs, and their labels if they come with them; raise if there are none."""
        found = unzip(graphs, labeled=self.labeled)
        if not len(found[0]):
            raise InputError(f"GraphEncoder needs at least one graph{purpose}, got none.")
        return found

    def _apply(self, graphs: Sequence[Any]) -> Encoding:
        """Return the encoding of some graphs in the columns learned."""
        check_is_fitted(self, "vocabulary_")
        return self._encode(*self._unzipped(graphs), columns=self.vocabulary_)

    def _check_params(self) -> None:
        super()._check_params()
        one_of("aggregate", self.aggregate, get_args(Aggregate))
        check_bag(self.aggregate, self.weighting, self.min_count, self.num_hashed)

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
    radius, degrees, max_degree, degree_bins, frontier_edges, common, rooted, depth, layout, cap, follow, weight_bins
        As for `egonet.encode`.
    directed, labels, edge_labels, weights, source, target
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
        follow: Follow = "any",
        directed: Directed = None,
        edge_labels: EdgeValues | None = None,
        weights: EdgeValues | None = None,
        weight_bins: WeightBins | None = None,
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
        self.common, self.rooted, self.depth = common, rooted, depth
        self.layout = layout
        self.cap = cap
        self.follow = follow
        self.directed = directed
        self.edge_labels = edge_labels
        self.weights = weights
        self.weight_bins = weight_bins
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
        return self._encode(self._graph(), self.labels, id_column(ids, "NodeEncoder"), self.vocabulary_)

    def _graph(self) -> Graph:
        """Return the graph as the record."""
        directed = self.directed
        if self.degrees == "in_out" and directed is None and not isinstance(self.graph, Graph):
            directed = "out"
        keep = None if isinstance(self.graph, Graph) else kept_names(self.edge_labels, self.weights)
        return as_graph(self.graph, source=self.source, target=self.target, directed=directed, keep=keep)
