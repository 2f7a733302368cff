"""`LinkPredictor`: which pairs of a graph are or will be linked; trained on its edges, or without training."""

from collections.abc import Iterator, Sequence, Set, ValuesView
from numbers import Number
from typing import Any, Literal, Self, Unpack, get_args

import numpy as np

from egonet.checks import as_flag, as_whole, is_iterable, names_of, one_of
from egonet.encoding.settings import Radius, as_radius
from egonet.encoding.signature import list_options
from egonet.encoding.unknown import HandleUnknown, split_known
from egonet.errors import InputError, MissingExtraError, OptionError, option, show_value
from egonet.graph.columns import as_numpy, as_objects, is_from
from egonet.graph.graph import Graph
from egonet.graph.index import Places, reject_missing
from egonet.graph.input_options import ReadOptions, warn
from egonet.links.around import has_edge, look_around
from egonet.links.attributes import check_order
from egonet.links.candidates import find_candidates
from egonet.links.chance import expected_common
from egonet.links.columns import Group, LinkColumns, learn_columns
from egonet.links.split import NegativeSampler, find_link_rows, undirected_graph, with_unknown
from egonet.links.walks import has_katz
from egonet.links.zero_shot import ZeroShot
from egonet.pairs.index import PairRows
from egonet.tables.frames import id_column
from egonet.typing import Floats, Int64s

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, clone
    from sklearn.ensemble import HistGradientBoostingClassifier, VotingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils.validation import check_is_fitted
    from threadpoolctl import threadpool_limits

    from egonet.sklearn.base import threads_of
except ImportError as error:
    raise MissingExtraError('LinkPredictor needs an extra package: pip install "egonet[sklearn]".') from error

#: Edges that a predictor learns from at most, and as many non-edges.
MOST_LINKS = 20_000
#: Graphs with more nodes have no columns of walks and eigenvectors unless asked for: they take num_nodes^3 steps.
WALK_NODES = 3_000
MODELS = ("boosting", "linear", "zero-shot")
NEGATIVES = ("uniform", "near")
#: Candidates per recommendation that are scored; a trained model scores the best of them.
_CANDIDATES, _FINALISTS = 5, 2
_BATCH = 200_000
#: Pairs below which a model has one thread.
_FEW = 10_000
#: Several nodes; anything else is one id.
_SEVERAL = (list, range, np.ndarray, Set, ValuesView, Iterator)


class LinkPredictor(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict links of a graph from its edges.

    `fit` learns from the edges of the graph, each left out while its columns are made, and from as many random pairs
    without an edge. `LinkPredictor.pretrained()` needs no training.

    Parameters
    ----------
    radius
        Hops around both ends whose pair encodings are used; "auto" chooses by the density of the graph.
    attributes
        A row of numbers per node, as for `link_columns`.
    model
        None: the mean of gradient boosting and logistic regression. "boosting", "linear": one of them. "zero-shot": no
        training. Or a classifier of scikit-learn.
    groups
        Groups of columns, as for `link_columns`; None chooses: pair encodings, overlaps, shares and ends, and walks and
        latent ones for at most 3,000 nodes (no walks if an eigenvalue may be 1,000).
    negatives
        The pairs without an edge that are learned from, as for `split`: "uniform" for random ones, "near" for those
        that share a neighbor. "near" is for telling links from near pairs only; it says little about distant ones.
    prior
        Whether the scores of the zero-shot model are two more columns.
    handle_unknown
        As for `encode_pairs`: "zero" and "warn" count a node that the graph does not have as one without an edge.
    random_state
        The seed of negatives and models.
    n_jobs
        Threads of the searches and of the model; None or -1 for one per core. With few pairs the model has one.

    Attributes
    ----------
    graph_ : Graph
        The graph given to `fit`.
    columns_ : LinkColumns
        The columns learned; None without training.
    model_
        The fitted classifier; None without training.
    classes_ : ndarray
        False and True.

    Examples
    --------
    >>> from egonet import named
    >>> predictor = LinkPredictor(model="linear").fit(named.karate_club())
    >>> likely, unlikely = predictor.predict_proba([(2, 33), (11, 26)])[:, 1]
    >>> bool(likely > 0.7 and unlikely < 0.3)
    True
    """

    def __init__(
        self,
        radius: Radius | Literal["auto"] = "auto",
        attributes: Any = None,
        model: Any = None,
        *,
        groups: Sequence[str] | None = None,
        negatives: Literal["uniform", "near"] = "uniform",
        prior: bool = True,
        handle_unknown: HandleUnknown = "error",
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.radius = radius
        self.attributes = attributes
        self.model = model
        self.groups = groups
        self.negatives = negatives
        self.prior = prior
        self.handle_unknown = handle_unknown
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    @list_options
    def pretrained(
        cls, graph: Any = None, *, handle_unknown: HandleUnknown = "error", **reading: Unpack[ReadOptions]
    ) -> Self:
        """Return a predictor that needs no training; without a graph, `fit(graph)` only keeps the graph.

        Examples
        --------
        >>> from egonet import named
        >>> predictor = LinkPredictor.pretrained(named.karate_club())
        >>> predictor.predict_proba([(0, 33), (11, 26)])[:, 1].argmax().item()
        0
        """
        made = cls(model="zero-shot", handle_unknown=handle_unknown)
        if graph is None and reading:
            raise OptionError(
                f"{option(next(iter(reading)))} is for a graph, got none. Give it to fit(graph)."
            )
        return made if graph is None else made.fit(graph, **reading)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        return tags

    def __sklearn_clone__(self) -> Self:
        """Return an unfitted predictor with the same parameters; the model is cloned, the others are not copied."""
        return type(self)(**self.get_params(deep=False) | {"model": clone(self.model, safe=False)})

    @list_options
    def fit(self, graph: Any, pairs: Any = None, y: Any = None, **reading: Unpack[ReadOptions]) -> Self:
        """Learn from a graph; if this fails, the predictor is as before.

        Parameters
        ----------
        graph
            Anything `as_graph` accepts; undirected. All its edges are known links.
        pairs, y
            Pairs of nodes and whether each is a link, to learn from; by default at most 20,000 edges of the graph and
            as many random pairs without an edge.
        directed, source, target, num_nodes, nodes, missing, ids, simplify
            How the graph is read, as for `as_graph`.

        Examples
        --------
        The predictor learns from all edges, or from pairs that you have labeled:

        >>> from egonet import named
        >>> club = named.karate_club()
        >>> predictor = LinkPredictor(model="linear").fit(club)
        >>> pairs, is_link = [(0, 1), (32, 33), (0, 9), (11, 26)], [True, True, False, False]
        >>> LinkPredictor(model="linear").fit(club, pairs, is_link).classes_.tolist()
        [False, True]
        """
        undirected = undirected_graph(graph, **reading)
        if not undirected.num_edges:
            raise InputError("links cannot be predicted in a graph without edges. Give a graph with edges.")
        self._check_params()
        if self.model == "zero-shot" and self.attributes is not None:
            raise InputError(
                "the model without training uses no attributes, got some. Leave them out, or train: model=None."
            )
        if self.negatives != "uniform" and (self.model == "zero-shot" or pairs is not None):
            raise InputError(
                "no negatives are drawn where pairs are given or nothing is learned, got "
                f"negatives={show_value(self.negatives)}. Leave it out, or fit(graph) with model=None."
            )
        if pairs is None and y is not None:
            raise InputError(
                "y says of every pair whether it is a link, got y without pairs. Give pairs too."
            )
        check_order(self.attributes, undirected, graph, reading)
        before = {name: value for name, value in vars(self).items() if name.endswith("_")}
        try:
            return self._fit(undirected, pairs, y)
        except BaseException:
            for name in [name for name in vars(self) if name.endswith("_")]:
                delattr(self, name)
            self.__dict__.update(before)
            raise

    def _check_params(self) -> None:
        """Raise for parameters without a meaning, also those that a model without training does not use."""
        if isinstance(self.radius, str):
            one_of("radius", self.radius, ("auto",))
        else:
            as_radius(self.radius)
        if self.groups is not None:
            names_of("groups", self.groups, get_args(Group))
        as_flag("prior", self.prior)
        as_whole("random_state", self.random_state, most=2**32 - 1)
        self._threads()
        one_of("handle_unknown", self.handle_unknown, get_args(HandleUnknown))
        one_of("negatives", self.negatives, NEGATIVES)
        if isinstance(self.model, str):
            one_of("model", self.model, MODELS)
        elif self.model is not None and (
            isinstance(self.model, type)
            or not (hasattr(self.model, "fit") and hasattr(self.model, "predict_proba"))
        ):
            raise InputError(
                f"model must be None, {', '.join(map(repr, MODELS))}, or a classifier of scikit-learn, got "
                f"{show_value(self.model)}."
            )

    def _fit(self, graph: Graph, pairs: Any, y: Any) -> Self:
        """Learn from a graph that is read."""
        threads = self._threads()
        self.graph_ = graph
        self.classes_ = np.array([False, True])
        is_used = self.prior or self.model == "zero-shot"
        self.zero_shot_ = ZeroShot.of(graph, threads=threads) if is_used else None
        self.columns_: LinkColumns | None = None
        self.model_: Any = None
        if self.model == "zero-shot":
            return self
        rows, labels = self._training(pairs, y)
        options: Any = {"radius": self.radius, "attributes": self.attributes, "threads": threads}
        self.columns_, values = learn_columns(graph, rows, self._groups(), **options)
        table = self._add_prior(rows, values)
        with self._limit(len(table)):
            self.model_ = self._classifier().fit(table, labels)
        return self

    def _threads(self) -> int | None:
        return None if self.n_jobs is None else threads_of(self.n_jobs)

    def _limit(self, num_pairs: int) -> Any:
        """Return a context in which a model has the threads asked for, and one for few pairs.

        On busy cores, threads of OpenMP that wait for each other take many times as long as one.
        """
        return threadpool_limits(1 if num_pairs < _FEW else self._threads())

    def _groups(self) -> str | Sequence[str]:
        if self.groups is not None:
            return self.groups
        few = self.graph_.num_nodes <= WALK_NODES
        walks = ("walks",) if few and has_katz(self.graph_) else ()
        return ("pairs", "overlap", "share", "ends", *walks, *(("latent",) if few else ()))

    def _classifier(self) -> Any:
        boosting = HistGradientBoostingClassifier(
            max_iter=400,
            learning_rate=0.025,
            max_leaf_nodes=15,
            l2_regularization=5.0,
            max_features=0.3,
            early_stopping=False,
            random_state=self.random_state,
        )
        linear = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000))
        if self.model is None:
            return VotingClassifier([("boosting", boosting), ("linear", linear)], voting="soft")
        return (
            {"boosting": boosting, "linear": linear}[self.model]
            if isinstance(self.model, str)
            else clone(self.model, safe=False)
        )

    def _training(self, pairs: Any, y: Any) -> tuple[Int64s, Any]:
        """Return the pairs to learn from and whether each is a link."""
        if pairs is not None:
            return labeled_rows(pairs, y, self.graph_, self.handle_unknown)
        # `split` has the stream of the seed alone: the same one would draw its test pairs as pairs to learn from.
        rng = np.random.default_rng((self.random_state, 1))
        edges = np.stack(self.graph_.edge_rows(), axis=1).astype(np.int64)
        links = edges[rng.permutation(len(edges))[:MOST_LINKS]]
        size = self.graph_.num_nodes
        free = size * (size - 1) // 2 - len(edges)
        if not free:
            raise InputError(
                "a complete graph has no pair that could be linked. Give a graph that lacks edges."
            )
        sampler, count = NegativeSampler(self.graph_, self.graph_, rng), min(len(links), free)
        others = sampler.uniform(count) if self.negatives == "uniform" else sampler.near(count, least=1)
        return np.concatenate([links, others]), np.r_[np.ones(len(links)), np.zeros(len(others))].astype(bool)

    def _table(self, rows: Int64s) -> Floats:
        """Return the columns of some pairs: those learned, and the zero-shot score and its rank."""
        assert self.columns_ is not None
        return self._add_prior(rows, self.columns_.rows(rows))

    def _add_prior(self, rows: Int64s, values: Floats) -> Floats:
        """Return columns of some pairs with the zero-shot score and its rank, unless there is no prior."""
        if self.zero_shot_ is None:
            return values
        scores = self.zero_shot_.score(rows)
        usual = self.zero_shot_.reference_scores
        place = np.searchsorted(usual, scores, "left") + np.searchsorted(usual, scores, "right")
        return np.column_stack([values, scores, place / (2 * len(usual))])

    def _score(self, rows: Int64s) -> Floats:
        """Return the probability of every pair of rows.

        Those of a trained model have 12 decimals, so that the number of pairs changes no tie.
        """
        scores = np.empty(len(rows))
        for begin in range(0, len(rows), _BATCH):
            here = rows[begin : begin + _BATCH]
            if self.model_ is None:
                assert self.zero_shot_ is not None
                scores[begin : begin + _BATCH] = 1 / (1 + np.exp(-self.zero_shot_.score(here)))
            else:
                table = self._table(here)
                with self._limit(len(table)):
                    scores[begin : begin + _BATCH] = self.model_.predict_proba(table)[:, 1].round(12)
        return scores

    def predict_proba(self, pairs: Any) -> Floats:
        """Return the probabilities of no link and of a link for every pair, (num_pairs, 2).

        Without training these are ranks, not calibrated probabilities. The edge of a pair that is linked is left out.

        Examples
        --------
        >>> from egonet import named
        >>> LinkPredictor(model="zero-shot").fit(named.karate_club()).predict_proba([(0, 33), (11, 26)]).round(2)
        array([[0.14, 0.86],
               [0.97, 0.03]])
        """
        rows = self._rows(pairs).rows
        num_edges = int(has_edge(with_unknown(self.graph_), rows).sum())
        if num_edges:
            warn(
                f"{num_edges:,} of {len(rows):,} pairs are edges of the graph; each is scored as if it were not. "
                "To test, remove test edges from the graph first: egonet.links.split."
            )
        scores = self._score(rows)
        return np.column_stack([1 - scores, scores])

    def predict(self, pairs: Any) -> Any:
        """Return whether the probability of each pair is above one half.

        Examples
        --------
        >>> from egonet import named
        >>> LinkPredictor(model="linear").fit(named.karate_club()).predict([(2, 33), (11, 26)]).tolist()
        [True, False]
        """
        return self.predict_proba(pairs)[:, 1] > 0.5

    def _rows(self, pairs: Any) -> PairRows:
        check_is_fitted(self, "graph_")
        return find_link_rows(pairs, self.graph_, self.handle_unknown)

    def recommend(self, nodes: Any, k: int = 10, *, hops: int = 3) -> Any:
        """Return the k most likely new neighbors of a node with their scores, or of several nodes.

        Candidates are the most plausible nodes within `hops` hops that are not neighbors yet; they are scored together.

        Parameters
        ----------
        nodes
            A node id: the result is a list of (node, score). Or a list, array, tensor, column, set, range or iterator
            of ids: the result is a dictionary of such lists. A tuple is one id.
        k
            How many to return at most; fewer if there are fewer candidates.
        hops
            How far a candidate may be.

        Examples
        --------
        >>> from egonet import named
        >>> found = LinkPredictor.pretrained(named.karate_club()).recommend(33, k=2)
        >>> [node for node, _ in found]
        [2, 25]
        """
        check_is_fitted(self, "graph_")
        k = as_whole("k", k, least=1)
        if as_whole("hops", hops) < 2:
            raise InputError(
                f"hops must be a whole number >= 2, got {show_value(hops)}: nearer nodes are neighbors."
            )
        nodes = as_python(nodes)
        is_one = not isinstance(nodes, _SEVERAL)
        listed = [nodes] if is_one else list(nodes)
        reject_missing(listed, Places("position", 1, "at"))
        if self.handle_unknown == "error":
            for node in listed:
                self.graph_.index_of(node)  # raises, with a near match
        graph_ids, rows = split_known(self.graph_, listed, self.handle_unknown)
        ranked = self._recommend(self.graph_.index.find_rows(graph_ids), k, hops)
        if rows is not None:  # an unknown node has no candidates
            nothing = (np.zeros(0, dtype=np.int64), np.zeros(0))
            ranked = [nothing if row < 0 else ranked[row] for row in rows.tolist()]
        ids = self.graph_.node_ids
        named = [
            [(node, float(score)) for node, score in zip(ids[best].tolist(), scores, strict=True)]
            for best, scores in ranked
        ]
        if is_one:
            return named[0]
        plain = [node.item() if isinstance(node, np.generic) else node for node in listed]
        return dict(zip(plain, named, strict=True))

    def _recommend(self, places: Int64s, k: int, hops: int) -> list[tuple[Int64s, Floats]]:
        hops = min(hops, self.graph_.num_nodes)
        candidates = find_candidates(self.graph_, places, max(_CANDIDATES * k, 20), hops=hops)
        if self.model_ is not None and self.zero_shot_ is not None:
            candidates = [
                best for best, _ in self._ranked(places, candidates, self.zero_shot_.score, _FINALISTS * k)
            ]
        return self._ranked(places, candidates, self._score, k)

    def _ranked(
        self, places: Int64s, candidates: list[Int64s], score: Any, count: int
    ) -> list[tuple[Int64s, Floats]]:
        """Return the candidates of every node with the highest scores, best first; ties by row."""
        sizes = [len(each) for each in candidates]
        others = np.concatenate(candidates) if candidates else np.zeros(0, dtype=np.int64)
        rows = np.column_stack([np.repeat(places, sizes), others]).astype(np.int64)
        parts = np.split(score(rows), np.cumsum(sizes)[:-1]) if sizes else []
        ranked = []
        for each, scores in zip(candidates, parts, strict=True):
            order = np.lexsort((each, -scores))[:count]
            ranked.append((each[order], scores[order]))
        return ranked

    def explain(self, pair: Any) -> str:
        """Return in words what speaks for and against a link.

        Examples
        --------
        >>> from egonet import named
        >>> print(LinkPredictor.pretrained(named.karate_club()).explain((0, 33)))
        0 and 33: likelier than 94.1 % of random pairs without an edge.
        They share 4 neighbors (8, 13, 19, 31); random pairs with as many neighbors share 8.5.
        They are 2 hops apart. They have 16 and 17 neighbors; the mean is 4.6.
        """
        pair_rows = self._rows([pair])
        rows, (first, second) = pair_rows.rows, pair_rows.ids[0].tolist()
        graph = with_unknown(self.graph_)
        scores = self.zero_shot_ or ZeroShot.of(self.graph_, threads=self._threads())
        score, usual = scores.score(rows)[0], scores.reference_scores
        tied = np.isclose(usual, score, rtol=1e-9, atol=1e-12)  # the last bits differ between processors
        share = float(((usual < score) & ~tied).mean() + tied.mean() / 2)
        around = look_around(graph, rows, 3)
        degrees = around.degrees[0]
        sides = [graph.indices[graph.indptr[row] : graph.indptr[row + 1]] for row in rows[0]]
        both = np.intersect1d(sides[0], sides[1])
        common = self.graph_.node_ids[both].tolist()
        everyone = graph.degrees.astype(np.int64)
        everyone[rows[0]] = degrees
        expected = expected_common(everyone, *degrees.astype(int).tolist())
        shown = ", ".join(show_value(node) for node in common[:5]) + (", ..." if len(common) > 5 else "")
        listed = f" ({shown})" if common else ""
        number = f"{len(common)} neighbor{'' if len(common) == 1 else 's'}" if common else "no neighbor"
        classes = [(i + j) for i in range(4) for j in range(4) if around.counts[0, i, j] > 0]
        apart = f"They are {min(classes)} hops apart" if classes else "No path of six hops joins them"
        left = " without their edge" if has_edge(graph, rows)[0] else ""
        mean = 2 * graph.num_edges / self.graph_.num_nodes
        higher = f"likelier than {min(100 * share, 99.9):.1f} % of random pairs without an edge"
        is_complete = 2 * graph.num_edges == self.graph_.num_nodes * (self.graph_.num_nodes - 1)
        higher = "the graph has no pair without an edge to compare with" if is_complete else higher
        text = f"{show_value(first)} and {show_value(second)}: {higher}"
        if self.model_ is not None:
            text += f"; the trained model gives {self._score(rows)[0]:.2f}"
        return (
            f"{text}.\nThey share {number}{listed}; random pairs with as many neighbors share {expected:.1f}.\n"
            f"{apart}{left}. They have {degrees[0]:.0f} and {degrees[1]:.0f} neighbors; the mean is {mean:.1f}."
        )


def as_python(nodes: Any) -> Any:
    """Return a column, an array or a tensor as a list of ids, one of one id as this id, and anything else as it is.

    >>> as_python(np.array([3, 5])), as_python(np.array(3)), as_python({3})
    ([3, 5], np.int64(3), {3})
    """
    nodes = as_numpy(nodes)
    if getattr(nodes, "shape", None) == ():
        return nodes[()]
    is_column = isinstance(nodes, np.ndarray) or hasattr(nodes, "to_list") or hasattr(nodes, "to_pylist")
    return id_column(nodes, "recommend") if is_column else nodes


def labeled_rows(
    pairs: Any, y: Any, graph: Graph, handle_unknown: HandleUnknown = "error"
) -> tuple[Int64s, Any]:
    """Return pairs as rows and their labels, or raise if labels are missing, of one kind, or contradict each other."""
    rows = find_link_rows(pairs, graph, handle_unknown).rows
    is_column = is_iterable(y) and not is_from("scipy", y)
    values = as_numpy(y) if hasattr(y, "__array__") else list(y) if is_column else []
    try:
        labels = np.asarray(values)
    except ValueError:  # rows of different lengths
        labels = as_objects(list(values))
    if labels.shape != (len(rows),):
        shape = f"{len(labels):,}" if labels.ndim == 1 else f"shape {labels.shape}"
        got = shape if labels.ndim and is_iterable(y) else show_value(y)
        raise InputError(f"y must say of every pair whether it is a link: {len(rows):,} values, got {got}.")
    numbers = np.array([label if isinstance(label, Number) else -1 for label in labels.tolist()])
    if not np.isin(numbers, (0, 1)).all() or len(np.unique(numbers)) < 2:
        raise InputError("y must have both 0 and 1 (or False and True), and nothing else.")
    labels = labels.astype(bool)
    codes = np.sort(rows, axis=1) @ np.array([graph.num_nodes, 1])
    has_nodes = (rows < graph.num_nodes).all(axis=1)  # unknown nodes share a row
    both = np.intersect1d(codes[labels & has_nodes], codes[~labels & has_nodes])
    if len(both):
        u, v = (
            show_value(node) for node in graph.node_ids[list(divmod(int(both[0]), graph.num_nodes))].tolist()
        )
        raise InputError(
            f"a pair must have one label; {len(both):,} are named both as links and as non-links, first ({u}, {v}). "
            "Drop one of each."
        )
    return rows, labels


@list_options
def predict(
    graph: Any, pairs: Any, *, handle_unknown: HandleUnknown = "error", **reading: Unpack[ReadOptions]
) -> Floats:
    """Return a score between 0 and 1 for every pair of nodes, without training.

    The scores rank pairs; they are not calibrated probabilities. They assume that the missing links are like the known
    ones, left out at random. The edge of a pair that is linked is left out.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts; undirected.
    pairs
        Pairs of node ids, as for `encode_pairs`.
    handle_unknown
        As for `encode_pairs`: "zero" and "warn" count a node that the graph does not have as one without an edge.
    directed, source, target, num_nodes, nodes, missing, ids, simplify
        How the graph is read, as for `as_graph`.

    Examples
    --------
    >>> from egonet import named
    >>> scores = predict(named.karate_club(), [(0, 33), (11, 26)])
    >>> bool(scores[0] > scores[1])
    True
    >>> predict(named.karate_club(), [(0, "new")], handle_unknown="zero").shape
    (1,)
    """
    undirected = undirected_graph(graph, **reading)
    predictor = LinkPredictor.pretrained(undirected, handle_unknown=handle_unknown)
    scores: Floats = predictor.predict_proba(pairs)[:, 1]
    return scores


@list_options
def recommend(  # type: ignore[misc]  # here `nodes` are those to recommend for
    graph: Any, nodes: Any, k: int = 10, **reading: Unpack[ReadOptions]
) -> Any:
    """Return the k most likely new neighbors of a node, or of several, without training.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts; undirected.
    nodes, k
        As for `LinkPredictor.recommend`.
    directed, source, target, num_nodes, missing, ids, simplify
        How the graph is read, as for `as_graph`.

    Examples
    --------
    >>> from egonet import named
    >>> [node for node, _ in recommend(named.karate_club(), 0, k=2)]
    [16, 30]
    """
    return LinkPredictor.pretrained(undirected_graph(graph, **reading)).recommend(nodes, k)
