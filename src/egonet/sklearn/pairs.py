"""`PairEncoder`, the scikit-learn transformer: pairs of node ids of one graph in, their rows out."""

from dataclasses import fields
from typing import Any, Self, Unpack

import numpy as np

from egonet.encoding.encoding import Encoding
from egonet.encoding.matrix import Weighting
from egonet.encoding.settings import BinOptions, DegreeBins, PairSettings, Radius
from egonet.encoding.unknown import HandleUnknown
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary
from egonet.errors import InputError
from egonet.graph.adapters import as_list
from egonet.graph.columns import ROLES, EdgeOptions, Labels
from egonet.graph.input_options import Ids, Missing
from egonet.pairs.encode import encode_pairs
from egonet.pairs.index import SelfPairs
from egonet.sklearn import BaseEncoder, SparseOutput, check_is_fitted, threads_of
from egonet.sklearn.base import READING
from egonet.typing import Degrees, Directed, Follow


class PairEncoderOptions(EdgeOptions, BinOptions):
    """The keywords of encoders of pairs and edges that say what edges carry, and how numbers become types."""


class PairEncoder(BaseEncoder):
    """Turn pairs of node ids of one graph into rows, so that cross-validation splits pairs.

    X has two columns of node ids: an array (num_pairs, 2), a sequence of pairs, or a table. `fit` learns the columns
    from the given pairs. The edge between the two nodes of a pair is not counted unless `without_edge` is False, so a
    model may be trained on edges of the graph. `clone` shares the graph instead of copying it.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts. For link prediction it must not have the edges to be predicted.
    radius, degrees, follow, degree_bins, max_degree, without_edge, ordered, ends_distance, directed, source, target,
    missing, ids, simplify, labels, edge_labels, weights, weight_bins
        As for `egonet.encode_pairs`.
    unseen
        What `transform` does with keys not seen in `fit`: "clip" them to the nearest lower degree, "ignore" them, or
        "error".
    handle_unknown
        What happens to pairs with a node that the graph does not have, such as a new customer: "zero" and "warn" count
        it as an isolated node (see `count_unseen`); "warn" warns, "zero" does so if more than half are unknown;
        "error".
    self_pairs
        What happens to a pair of one node with itself: "error", or "zero" for a row of zeros.
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

    def __init__(
        self,
        graph: Any = None,
        radius: Radius = 1,
        *,
        degrees: Degrees = "total",
        follow: Follow = "any",
        degree_bins: DegreeBins | None = None,
        max_degree: int | None = None,
        without_edge: bool = True,
        ordered: bool = False,
        ends_distance: int | None = None,
        directed: Directed = None,
        source: str | None = None,
        target: str | None = None,
        missing: Missing = None,
        ids: Ids = None,
        simplify: bool | None = None,
        labels: Labels | None = None,
        weighting: Weighting = "count",
        unseen: UnseenPolicy = "clip",
        handle_unknown: HandleUnknown = "zero",
        self_pairs: SelfPairs = "error",
        sparse_output: SparseOutput = "auto",
        n_jobs: int | None = None,
        **options: Unpack[PairEncoderOptions],
    ) -> None:
        self._keep(locals())
        self.graph = as_list(graph)  # every fit and transform reads it

    def with_graph(self, graph: Any, labels: Labels | None = None) -> Self:
        """Return a fitted encoder with the same columns that reads its pairs in another graph.

        Examples
        --------
        >>> import egonet
        >>> today = PairEncoder([("ann", "bob"), ("bob", "cid")]).fit([("ann", "cid")])
        >>> today.with_graph([("dan", "bob"), ("bob", "eve")]).transform([("eve", "dan")])
        array([[2., 1.]])
        """
        check_is_fitted(self, "vocabulary_")
        changes = {"graph": as_list(graph)} | ({} if labels is None else {"labels": labels})
        return self._with(changes)

    def _settings(self) -> PairSettings:
        return PairSettings(**self._counted())

    def _counted(self) -> dict[str, Any]:
        """Return the parameters that say what is counted: those that are fields of `PairSettings`."""
        names = [each.name for each in fields(PairSettings)]
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def _learn(self, pairs: Any) -> Encoding:
        """Learn columns; return the encoding they were learned on."""
        self._check_params()
        encoding = self._encode_pairs(pairs, **self._counted())
        if not len(encoding):
            raise InputError(
                f"{type(self).__name__} needs at least one pair to learn columns from, got none."
            )
        self.vocabulary_: Vocabulary = encoding.vocabulary
        return encoding

    def _apply(self, pairs: Any) -> Encoding:
        """Return the encoding of some pairs in the columns learned."""
        self._check_fitted()
        return self._encode_pairs(pairs, vocabulary=self.vocabulary_, unseen=self.unseen)

    def _encode_pairs(self, pairs: Any, **options: Any) -> Encoding:
        """Return the encoding of some pairs of the graph."""
        if self.graph is None:
            raise InputError(
                "PairEncoder needs the graph that the ids are nodes of. Write PairEncoder(graph) or with_graph(graph)."
            )
        if isinstance(pairs, np.ndarray) and pairs.dtype == object and pairs.ndim == 1:
            pairs = list(pairs)  # an array of tuples
        names = (
            "directed",
            *READING,
            *ROLES,
            "handle_unknown",
            "self_pairs",
        )
        keywords: Any = {name: getattr(self, name, None) for name in names}
        return encode_pairs(self.graph, pairs, threads=threads_of(self.n_jobs), **keywords, **options)
