"""A scikit-learn transformer from node ids of one graph to vectors trained on that graph."""

from collections.abc import Sequence
from typing import Any, Self, Unpack, get_args

import numpy as np
from numpy.typing import NDArray

from egonet.checks import one_of
from egonet.embeddings.embedding import Embedding, fit_embeddings
from egonet.embeddings.skipgram import Training, Walks
from egonet.encoding.lookup import chosen_rows, ranked_rows
from egonet.encoding.matrix import Weighting, weight
from egonet.encoding.settings import settings_of
from egonet.encoding.unknown import HandleUnknown, split_known
from egonet.encoding.vocabulary import UnseenPolicy
from egonet.graph.adapters import as_list
from egonet.graph.columns import EDGE_ROLES, Labels
from egonet.graph.graph import Graph
from egonet.graph.input_options import Ids, Missing
from egonet.sklearn import GraphTransformer, check_is_fitted
from egonet.sklearn.base import READING, EncoderOptions
from egonet.tables.frames import id_column
from egonet.typing import Directed


class EgoEmbedding(GraphTransformer):
    """Transform node ids of one graph into vectors, so that cross-validation splits nodes.

    Vectors are trained on the whole graph, without labels; X only selects nodes. The trained embedding also
    transforms other graphs: `embedding_.transform(other_graph)`. `clone` shares the graph.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts.
    radius
        Hops around each node, or several.
    degrees, frontier_edges, max_degree, degree_bins, layout
        What is counted, as for `egonet.encode`.
    rooted, common, cap, depth, follow, weight_bins, count
        More of what is counted, as for `egonet.encode`.
    labels, edge_labels, weights, directed, source, target, missing, ids, simplify
        How the graph is read and what it carries, as for `egonet.encode`.
    dim, walks, training, weighting
        As for `egonet.fit_embeddings`.
    unseen
        What `transform` does with keys not seen in `fit`: "clip", "ignore" or "error".
    handle_unknown
        What `transform` does with nodes that the graph does not have: "error"; "zero" and "warn" give them the vector
        of an isolated node; "warn" warns, "zero" does so if more than half are unknown. A missing id is
        always an error.
    random_state
        A seed, or None for a random one.

    Attributes
    ----------
    embedding_ : Embedding
        The trained embedding.

    Examples
    --------
    >>> import egonet
    >>> encoder = EgoEmbedding(egonet.named.path("abcd"), radius=1, dim=3, random_state=1)
    >>> vectors = encoder.fit_transform(["a", "b", "d"])
    >>> vectors.shape, bool((vectors[0] == vectors[2]).all())
    ((3, 3), True)
    """

    embedding_: Embedding

    def __init__(
        self,
        graph: Any,
        radius: int | Sequence[int] = 2,
        *,
        dim: int = 128,
        labels: Labels | None = None,
        directed: Directed = None,
        source: str | None = None,
        target: str | None = None,
        missing: Missing = None,
        ids: Ids = None,
        simplify: bool | None = None,
        walks: Walks | None = None,
        training: Training | None = None,
        weighting: Weighting = "paper",
        unseen: UnseenPolicy = "clip",
        handle_unknown: HandleUnknown = "error",
        random_state: int | None = None,
        **options: Unpack[EncoderOptions],
    ) -> None:
        self._keep(locals())
        self.graph = as_list(graph)  # fit and transform read it

    def fit(self, X: Any = None, y: Any = None) -> Self:  # noqa: N803, ARG002
        """Train vectors on the whole graph; `X` and `y` are ignored.

        Examples
        --------
        >>> import egonet
        >>> encoder = egonet.EgoEmbedding(egonet.named.karate_club(), 1, dim=2, random_state=0)
        >>> encoder.fit().embedding_.dim
        2
        """
        return self._fit(self._read_graph())

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> NDArray[np.float32]:  # noqa: N803, ARG002
        """Train vectors on the whole graph and return one row per node id; the graph is read once.

        Examples
        --------
        >>> import egonet
        >>> encoder = egonet.EgoEmbedding(egonet.named.karate_club(), 1, dim=2, random_state=0)
        >>> encoder.fit_transform([0, 33]).shape
        (2, 2)
        """
        graph = self._read_graph()
        return self._fit(graph)._vectors(graph, X)

    def _fit(self, graph: Graph) -> Self:
        from sklearn.utils import check_random_state

        self._check_policies()
        seed = self.random_state
        if seed is None:
            seed = int(check_random_state(None).randint(2**31 - 1))
        self.embedding_ = fit_embeddings(
            graph,
            settings_of(self),
            self.dim,
            walks=self.walks,
            training=self.training,
            weighting=self.weighting,
            rng=seed,
            labels=self.labels,
            **{name: getattr(self, name) for name in EDGE_ROLES},
        )
        self._remember()
        return self

    _fixed = ("dim", "walks", "training", "weighting", "random_state")

    def _learned_from(self) -> dict[str, Any]:
        return vars(settings_of(self)) | super()._learned_from()

    def _read_graph(self) -> Graph:
        reading = {name: getattr(self, name) for name in READING}
        return self._as_graph(self.graph, **reading)

    def transform(self, X: Any) -> NDArray[np.float32]:  # noqa: N803
        """Return one row per node id.

        Examples
        --------
        >>> import egonet
        >>> encoder = egonet.EgoEmbedding(egonet.named.karate_club(), 1, dim=2, random_state=0)
        >>> encoder.fit().transform([0, 33]).shape
        (2, 2)
        """
        check_is_fitted(self, "embedding_")
        self._reject_changes()
        return self._vectors(self._read_graph(), X)

    def _vectors(self, graph: Graph, nodes: Any) -> NDArray[np.float32]:
        """Return the vectors of nodes of a graph that is read."""
        self._check_policies()
        embedding = self.embedding_
        ids = id_column(nodes, "EgoEmbedding")
        graph_ids, rows = split_known(graph, ids, self.handle_unknown)
        by_rank = embedding.weighting == "rank"  # which compares all nodes
        encoding = embedding.encode(
            graph,
            labels=self.labels,
            roots=None if by_rank else graph_ids,
            unseen=self.unseen,
            **{name: getattr(self, name) for name in EDGE_ROLES},
        )
        if by_rank:
            matrix = ranked_rows(
                encoding.weighted("rank"), embedding.vocabulary, graph.index.find_rows(ids), graph
            )
        elif rows is None:
            return embedding.transform(encoding)
        else:
            chosen = chosen_rows(encoding.matrix, embedding.vocabulary, rows, graph)
            matrix = weight(chosen, embedding.weighting)
        return np.asarray(matrix.astype(np.float32) @ embedding.table)

    def _check_policies(self) -> None:
        one_of("unseen", self.unseen, get_args(UnseenPolicy))
        one_of("handle_unknown", self.handle_unknown, get_args(HandleUnknown))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:  # noqa: ARG002
        """Return the name of every dimension: "ego0", "ego1", ...

        Examples
        --------
        >>> import egonet
        >>> encoder = egonet.EgoEmbedding(egonet.named.karate_club(), 1, dim=2, random_state=0)
        >>> encoder.fit().get_feature_names_out().tolist()
        ['ego0', 'ego1']
        """
        check_is_fitted(self, "embedding_")
        return np.asarray(self.embedding_.feature_names, dtype=object)
