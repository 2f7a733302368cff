"""`NodeEncoder`: node ids in, their rows out, for the fitted graph or another one."""

from collections.abc import Hashable, Iterator, Mapping
from copy import copy
from typing import Any, Self, Unpack

import numpy as np
from sklearn.utils.validation import check_is_fitted

from egonet.attributes.edge_types import EdgeValues
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import Labels, by_id
from egonet.encoding.lookup import check_float_ids, chosen_rows
from egonet.encoding.matrix import Weighting, weight
from egonet.encoding.settings import OtherSettings, Radius
from egonet.encoding.vocabulary import Unseen
from egonet.errors import InputError, UnknownNodeError
from egonet.graph.convert import PACKAGES, is_from, listed
from egonet.graph.dataframes import as_frame, id_column
from egonet.graph.graph import Graph
from egonet.graph.ids import near_match, show
from egonet.sklearn.estimator import BaseEncoder, SparseOutput, UnknownPolicy
from egonet.typing import Directed, Int64s


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
    radius, **options
        As for `egonet.encode`: every field of `Settings` is a parameter.
    directed, labels, edge_labels, weights, source, target
        As for `egonet.encode`. Labels in row order belong to `graph`; give them by id if other graphs follow.
    handle_unknown
        What `transform` does with keys not seen in `fit`: "clip" them to the nearest lower degree, "ignore" them, or
        "error". Ids that the graph does not have are errors; "zero" clips keys and returns the row of an isolated
        node for such ids (1 in the column of distance 0 and degree 0 if there is one, 0 elsewhere).
    weighting, sparse_output, n_jobs
        As for `GraphEncoder`.

    Attributes
    ----------
    vocabulary_ : Vocabulary
        The columns learned.

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
    """

    def __init__(
        self,
        graph: Any = None,
        radius: Radius = 2,
        *,
        directed: Directed = None,
        edge_labels: EdgeValues | None = None,
        weights: EdgeValues | None = None,
        labels: Labels | None = None,
        source: str | None = None,
        target: str | None = None,
        weighting: Weighting = "count",
        handle_unknown: UnknownPolicy = "clip",
        sparse_output: SparseOutput = "auto",
        n_jobs: int | None = None,
        **options: Unpack[OtherSettings],
    ) -> None:
        self._keep(locals())
        self.graph = listed(graph)  # every fit and transform reads it
        self.labels = listed(labels) if isinstance(labels, Iterator) else labels

    def unseen(self, X: Any) -> Unseen:  # noqa: N803
        """Return what `transform` would clip or drop for these nodes."""
        return self._apply(X)[0].unseen

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
        other = copy(self)
        other.labels = self._labels_of_another() if labels is None else listed(labels)
        other.graph = listed(graph)
        if as_frame(other.graph) is None:  # source and target are the columns of a table
            other.source = other.target = None
        return other

    def _learn(self, nodes: Any) -> tuple[Encoding, Int64s | None]:
        """Learn columns; return the encoding they were learned on, and the row of every node as `_split` does."""
        self._check_params()
        graph, labels, ids = self._read(nodes)
        if not ids:
            raise InputError("NodeEncoder needs at least one node to learn columns from, got none.")
        known, rows = self._split(graph, ids)
        if not known:
            raise InputError(
                f"NodeEncoder needs at least one node of the graph to learn columns from, got {len(ids):,} ids "
                f"that it does not have, such as {show(ids[0])}.{near_match(ids[0], graph.node_ids)}"
            )
        encoding = self._encode(graph, labels, known)
        self.vocabulary_ = encoding.vocabulary
        return encoding, rows

    def _apply(self, nodes: Any) -> tuple[Encoding, Int64s | None]:
        """Return the encoding of the known among some nodes in the columns learned, and the row of every node."""
        check_is_fitted(self, "vocabulary_")
        graph, labels, ids = self._read(nodes)
        known, rows = self._split(graph, ids)
        return self._encode(graph, labels, known, self.vocabulary_), rows

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
        ends: Any = {"source": self.source, "target": self.target}
        if graph is not self.graph and as_frame(graph) is None:
            ends = {}  # the columns of a table; this graph is none
        return self._as_graph(graph, **ends), labels, id_column(nodes, "NodeEncoder")

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
        for name in ("edge_labels", "weights"):
            given = getattr(self, name)
            if given is not None and not isinstance(given, str | Mapping):
                raise InputError(
                    f"{name} in the order of the edges belong to the graph of the encoder. "
                    "Give the name of a column or attribute that every graph has."
                )

    def _split(self, graph: Graph, ids: list[Hashable]) -> tuple[list[Hashable], Int64s | None]:
        """Return the ids that the graph has; and for every id its position among them, -1 if it has none.

        The positions are None if the graph has every id.
        """
        if self.handle_unknown != "zero":
            for position, node in enumerate(ids):
                if graph.find(node) is None:
                    raise UnknownNodeError(
                        f"the graph has no node {show(node)} (position {position}, counted from 0)."
                        f"{near_match(node, graph.node_ids)} "
                        'handle_unknown="zero" gives unknown nodes the row of an isolated node.'
                    )
            return ids, None
        check_float_ids(ids, graph.find)
        found = np.fromiter((graph.find(node) is not None for node in ids), dtype=bool, count=len(ids))
        if found.all():
            return ids, None
        known = [node for node, there in zip(ids, found.tolist(), strict=True) if there]
        return known, np.where(found, np.cumsum(found) - 1, -1)

    def _rows(self, found: tuple[Encoding, Int64s | None]) -> Any:
        """Return a row per id; the row of an isolated node for those that the graph does not have."""
        encoding, rows = found
        matrix = encoding.matrix if rows is None else chosen_rows(encoding.matrix, self.vocabulary_, rows)
        return self._output(weight(matrix, self.weighting))


def is_one_graph(data: Any) -> bool:
    """Return whether an object is certainly a graph: of a package of graphs, a list of pairs, or an array of two axes.

    >>> is_one_graph([("a", "b")]), is_one_graph(np.array([[0, 1, 2], [1, 2, 0]])), is_one_graph("a")
    (True, True, False)
    """
    if isinstance(data, list):
        return all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in data)
    packaged = isinstance(data, Graph) or any(is_from(package, data) for package in PACKAGES)
    return bool(getattr(data, "ndim", 2 if packaged else 0) == 2)
