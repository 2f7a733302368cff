"""A scikit-learn transformer from node ids of one graph to vectors trained on that graph."""

from collections.abc import Sequence
from typing import Any, Self, Unpack, get_args

import numpy as np
from numpy.typing import NDArray

from egonet.attributes.edge_types import EdgeValues
from egonet.embeddings.embedding import Embedding, fit_embeddings
from egonet.embeddings.skipgram import Training, Walks
from egonet.encoding.labels import Labels
from egonet.encoding.matrix import Weighting
from egonet.encoding.settings import OtherSettings, one_of, settings_of
from egonet.encoding.vocabulary import UnseenPolicy
from egonet.graph.convert import listed
from egonet.graph.dataframes import id_column
from egonet.sklearn import GraphTransformer, check_is_fitted
from egonet.typing import Directed


class EgoEmbedding(GraphTransformer):
    """Transform node ids of one graph into vectors, so that cross-validation splits nodes.

    Vectors are trained on the whole graph, without labels; X only selects nodes. The trained embedding also
    transforms other graphs: `embedding_.transform(other_graph)`. `clone` shares the graph.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts.
    radius, labels, edge_labels, weights, directed, source, target, **options
        As for `egonet.encode`: every field of `Settings` is a parameter.
    dim, walks, training, weighting
        As for `egonet.fit_embeddings`.
    handle_unknown
        What `transform` does with keys not seen in `fit`: "clip", "ignore" or "error".
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
        edge_labels: EdgeValues | None = None,
        weights: EdgeValues | None = None,
        directed: Directed = None,
        source: str | None = None,
        target: str | None = None,
        walks: Walks | None = None,
        training: Training | None = None,
        weighting: Weighting = "paper",
        handle_unknown: UnseenPolicy = "clip",
        random_state: int | None = None,
        **options: Unpack[OtherSettings],
    ) -> None:
        self._keep(locals())
        self.graph = listed(graph)  # fit and transform read it

    def fit(self, X: Any = None, y: Any = None) -> Self:  # noqa: N803, ARG002
        """Train vectors on the whole graph; `X` and `y` are ignored."""
        from sklearn.utils import check_random_state

        one_of("handle_unknown", self.handle_unknown, get_args(UnseenPolicy))
        seed = self.random_state
        if seed is None:
            seed = int(check_random_state(None).randint(2**31 - 1))
        self.embedding_ = fit_embeddings(
            self._as_graph(self.graph, source=self.source, target=self.target),
            settings_of(self),
            self.dim,
            walks=self.walks,
            training=self.training,
            weighting=self.weighting,
            rng=seed,
            labels=self.labels,
            edge_labels=self.edge_labels,
            weights=self.weights,
        )
        return self

    def transform(self, X: Any) -> NDArray[np.float32]:  # noqa: N803
        """Return one row per node id."""
        check_is_fitted(self, "embedding_")
        one_of("handle_unknown", self.handle_unknown, get_args(UnseenPolicy))
        roots = id_column(X, "EgoEmbedding")
        return self.embedding_.transform(
            self._as_graph(self.graph, source=self.source, target=self.target),
            labels=self.labels,
            roots=roots,
            unseen=self.handle_unknown,
            edge_labels=self.edge_labels,
            weights=self.weights,
        )

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:  # noqa: ARG002
        """Return the name of every dimension: "ego0", "ego1", ..."""
        check_is_fitted(self, "embedding_")
        return np.asarray(self.embedding_.feature_names, dtype=object)
