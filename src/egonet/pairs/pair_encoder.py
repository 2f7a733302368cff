"""`PairEncoder`, the scikit-learn transformer: pairs of node ids of one graph in, their rows out."""

from typing import Any, get_args

import numpy as np

from egonet.attributes.edge_types import EdgeValues
from egonet.encoding.labels import Labels
from egonet.encoding.matrix import Weighting
from egonet.encoding.settings import DegreeBins, Radius, WeightBins
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary
from egonet.errors import InputError
from egonet.graph.convert import listed
from egonet.pairs.encode_pairs import encode_pairs
from egonet.pairs.pair_encoding import PairEncoding
from egonet.pairs.pair_list import rows_as_pairs
from egonet.sklearn import BaseEncoder, SparseOutput, check_is_fitted, threads_of
from egonet.typing import Directed


class PairEncoder(BaseEncoder):
    """Turn pairs of node ids of one graph into rows, so that cross-validation splits pairs.

    X has two columns of node ids: an array (num_pairs, 2), a sequence of pairs, or a table. `fit` learns the columns
    from the given pairs. The edge between the two nodes of a pair is not counted unless `without_edge` is False, so a
    model may be trained on edges of the graph. `clone` shares the graph instead of copying it.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts. For link prediction it must not have the edges to be predicted.
    radius, degree_bins, max_degree, without_edge, ordered, directed, source, target, labels, edge_labels, weights,
    weight_bins
        As for `egonet.encode_pairs`.
    handle_unknown
        What `transform` does with keys not seen in `fit`: "clip" them to the nearest lower degree, "ignore" them, or
        "error". A node that the graph does not have is always an error.
    weighting, sparse_output, n_jobs
        As for `GraphEncoder`.

    Attributes
    ----------
    vocabulary_ : Vocabulary
        The columns learned.

    Examples
    --------
    >>> import egonet
    >>> encoder = PairEncoder(egonet.named.path("abcd"), radius=1)
    >>> encoder.fit([("a", "c"), ("a", "d")]).transform([("b", "d")])
    array([[1., 1., 1., 1., 0.]])
    >>> encoder.get_feature_names_out().tolist()
    ['r1_d0_d2_deg1', 'r1_d0_d2_deg2', 'r1_d1_d1_deg2', 'r1_d1_d2_deg1', 'r1_d1_d2_deg2']
    """

    _policies = get_args(UnseenPolicy)

    def __init__(
        self,
        graph: Any,
        radius: Radius = 1,
        *,
        degree_bins: DegreeBins | None = None,
        max_degree: int | None = None,
        without_edge: bool = True,
        ordered: bool = False,
        directed: Directed = None,
        source: str | None = None,
        target: str | None = None,
        labels: Labels | None = None,
        edge_labels: EdgeValues | None = None,
        weights: EdgeValues | None = None,
        weight_bins: WeightBins | None = None,
        weighting: Weighting = "count",
        handle_unknown: UnseenPolicy = "clip",
        sparse_output: SparseOutput = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self._keep(locals())
        self.graph = listed(graph)  # every fit and transform reads it

    def _learn(self, pairs: Any) -> PairEncoding:
        """Learn columns; return the encoding they were learned on."""
        self._check_params()
        names = ("radius", "degree_bins", "max_degree", "without_edge", "ordered", "weight_bins")
        encoding = self._encode_pairs(pairs, **{name: getattr(self, name) for name in names})
        if not len(encoding):
            raise InputError("PairEncoder needs at least one pair to learn columns from, got none.")
        self.vocabulary_: Vocabulary = encoding.vocabulary
        return encoding

    def _apply(self, pairs: Any) -> PairEncoding:
        """Return the encoding of some pairs in the columns learned."""
        check_is_fitted(self, "vocabulary_")
        self._check_params()
        return self._encode_pairs(pairs, vocabulary=self.vocabulary_, unseen=self.handle_unknown)

    def _encode_pairs(self, pairs: Any, **options: Any) -> PairEncoding:
        """Return the encoding of some pairs of the graph."""
        if isinstance(pairs, np.ndarray) and pairs.dtype == object and pairs.ndim == 1:
            pairs = list(pairs)  # an array of tuples
        pairs = rows_as_pairs(pairs)  # in scikit-learn, rows are samples
        names = ("directed", "source", "target", "labels", "edge_labels", "weights")
        given = {name: getattr(self, name) for name in names}
        return encode_pairs(self.graph, pairs, threads=threads_of(self.n_jobs), **given, **options)
