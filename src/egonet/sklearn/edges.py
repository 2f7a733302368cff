"""`EdgeEncoder`, the scikit-learn transformer: edges in, a row per edge out, in the order given."""

from typing import Any, Unpack

from egonet.encoding.encoding import Encoding
from egonet.encoding.matrix import Weighting
from egonet.encoding.settings import DegreeBins, Radius
from egonet.encoding.unknown import HandleUnknown
from egonet.encoding.vocabulary import UnseenPolicy
from egonet.graph.adapters import as_list
from egonet.graph.columns import ROLES, Labels
from egonet.graph.input_options import Ids, Missing
from egonet.pairs.edges import encode_edges
from egonet.sklearn import SparseOutput, threads_of
from egonet.sklearn.base import READING
from egonet.sklearn.pairs import PairEncoder, PairEncoderOptions
from egonet.typing import Degrees, Directed, Follow


class EdgeEncoder(PairEncoder):
    """Turn edges into rows: by definition those of `encode_pairs` for both ends of every edge.

    Without a graph, X is a graph, anything `egonet.encode_edges` accepts (a table of edges, a list of pairs, an
    edge_index, a `Data`), and every edge of X gets a row, loops and repeats too. With a graph, X has two columns of
    node ids as for `PairEncoder`, so that cross-validation splits edges of one graph; every edge is left out of its
    own row.

    Parameters
    ----------
    graph
        The graph in which edges are encoded, anything `as_graph` accepts; None if it is X.
    radius, degrees, follow, degree_bins, max_degree, without_edge, ordered, ends_distance, directed, source, target,
    missing, ids, simplify, labels, edge_labels, weights, weight_bins
        As for `egonet.encode_edges`.
    unseen, handle_unknown
        As for `PairEncoder`; without a graph there are no unknown nodes.
    weighting, sparse_output, n_jobs
        As for `GraphEncoder`.

    Attributes
    ----------
    vocabulary_ : Vocabulary
        The columns learned.

    Examples
    --------
    The edges of a triangle with a tail: which of them are in a triangle?

    >>> edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
    >>> encoder = EdgeEncoder(radius=0, max_degree=0, ends_distance=7).fit(edges)
    >>> encoder.get_feature_names_out().tolist()
    ['ends_d2', 'r0_d0_d1_deg0plus']
    >>> encoder.transform(edges)[:, 0].tolist()
    [1.0, 1.0, 1.0, 0.0]
    >>> EdgeEncoder(edges, radius=1).fit_transform([("c", "d")]).shape
    (1, 3)
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
        sparse_output: SparseOutput = "auto",
        n_jobs: int | None = None,
        **options: Unpack[PairEncoderOptions],
    ) -> None:
        self._keep(locals())
        self.graph = as_list(graph)  # every fit and transform reads it

    #: Loops are edges: they have a row of zeros.
    self_pairs = "zero"

    def _encode_pairs(self, pairs: Any, **options: Any) -> Encoding:
        """Return the encoding of the edges of a graph, or of X as a graph."""
        if self.graph is not None:
            return super()._encode_pairs(pairs, **options)
        names = ("directed", *READING, *ROLES)
        keywords = {name: getattr(self, name) for name in names}
        return encode_edges(pairs, threads=threads_of(self.n_jobs), **keywords, **options)
