"""`split`: the edges of a graph as training graph, validation and test, with non-edges to tell them from."""

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal, TypeAlias, Unpack, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from egonet.checks import as_argument, as_whole, one_of
from egonet.encoding.signature import list_options
from egonet.encoding.unknown import HandleUnknown
from egonet.errors import InputError, in_python, option, show_value
from egonet.graph.adapters import as_graph
from egonet.graph.graph import Graph
from egonet.graph.input_options import ReadOptions
from egonet.pairs.index import PairRows, find_pairs
from egonet.typing import Array, Int64s

Negatives: TypeAlias = Literal["uniform", "near", "heart"]
#: Negatives per link: half of them share one end with the link, half the other.
HEART_NEGATIVES = 100
#: Rows of scores that are ranked at once.
_BLOCK = 512


@dataclass(frozen=True, eq=False)
class LabeledPairs:
    """Pairs of nodes and whether each is an edge.

    Attributes
    ----------
    pairs
        (num_pairs, 2): the ids of both ends; links first, then non-links.
    labels
        bool (num_pairs,): True for a link.
    groups
        int64 (num_pairs,): the link that a non-link is compared with, as a position among the links. With uniform or
        near negatives there is one per link, drawn independently of it.

    Examples
    --------
    >>> part = split([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4)], test=0.4, seed=1).test
    >>> len(part), part.labels.tolist()
    (4, [True, True, False, False])
    """

    pairs: Array
    labels: NDArray[np.bool_]
    groups: Int64s

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def links(self) -> Array:
        """Return the pairs that are edges.

        Examples
        --------
        >>> split([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4)], test=0.4, seed=1).test.links.shape
        (2, 2)
        """
        pairs: Array = self.pairs[self.labels]
        return pairs

    @property
    def non_links(self) -> Array:
        """Return the pairs that are not edges.

        Examples
        --------
        >>> split([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4)], test=0.4, seed=1).test.non_links.shape
        (2, 2)
        """
        pairs: Array = self.pairs[~self.labels]
        return pairs


@dataclass(frozen=True, eq=False)
class LinkSplit:
    """The graph that a model may see, and the pairs that it is chosen and tested on.

    Attributes
    ----------
    graph
        All nodes and the edges that are not held out.
    validation, test
        Held-out edges and as many non-edges, for "heart" 100 times as many. No pair is in both, except that "heart"
        may choose a non-link for several links. No non-link is an edge of the original graph.

    Examples
    --------
    >>> from egonet import named
    >>> parts = split(named.karate_club(), test=0.1, validation=0.1, seed=0)
    >>> parts
    LinkSplit(num_nodes=34, num_edges=62, validation=16, test=16)
    """

    graph: Graph
    validation: LabeledPairs
    test: LabeledPairs

    def __repr__(self) -> str:
        sizes = f"validation={len(self.validation)}, test={len(self.test)}"
        return f"LinkSplit(num_nodes={self.graph.num_nodes}, num_edges={self.graph.num_edges}, {sizes})"


@list_options
def split(
    graph: Any,
    *,
    test: float = 0.1,
    validation: float = 0.0,
    negatives: Negatives = "uniform",
    seed: int = 0,
    **reading: Unpack[ReadOptions],
) -> LinkSplit:
    """Return a training graph with every node, and held-out edges with non-edges to test on.

    Edges are held out uniformly at random. The training graph keeps the nodes that lose all their edges.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts; undirected.
    test, validation
        Shares of the edges to hold out: together less than 1.
    negatives
        "uniform": one random non-edge per link. "near": one random non-edge whose ends share a neighbor in the
        training graph. "heart": 100 non-edges per link that share an end with it and are the most plausible by
        resource allocation in the training graph, then by walks of three steps (after HeaRT, Li et al. 2023).
    seed
        The same seed gives the same split.
    directed, source, target, num_nodes, nodes, missing, ids, simplify
        How the graph is read, as for `as_graph`.

    Raises
    ------
    InputError
        If the graph is directed, has no edges, or has too few non-edges of the kind.

    Examples
    --------
    >>> from egonet import named
    >>> parts = split(named.karate_club(), test=0.2, seed=0)
    >>> parts.graph.num_edges, len(parts.test.links), len(parts.test.non_links)
    (62, 16, 16)
    """
    one_of("negatives", negatives, get_args(Negatives))
    shares = {"test": _share("test", test), "validation": _share("validation", validation)}
    if sum(shares.values()) >= 1:
        raise InputError(
            f"test and validation must leave edges to learn from, got {show_value(test)} and {show_value(validation)}."
        )
    undirected = undirected_graph(graph, **reading)
    edges = np.stack(undirected.edge_rows(), axis=1).astype(np.int64)
    if not len(edges):
        raise InputError("a graph without edges has no links to hold out. Give a graph with edges.")
    rng = np.random.default_rng(as_whole("seed", seed))
    sizes = {name: round(share * len(edges)) for name, share in shares.items()}
    edges = edges[rng.permutation(len(edges))]
    bounds = np.cumsum([sizes["test"], sizes["validation"]])
    test_edges, validation_edges, train_edges = np.split(edges, bounds)
    if not len(train_edges):
        raise InputError(f"{len(edges)} edges are too few to hold out {sum(sizes.values())}. Hold out fewer.")
    left = Graph.from_indices(
        train_edges[:, 0], train_edges[:, 1], undirected.num_nodes, nodes=undirected.nodes
    )
    sampler = NegativeSampler(undirected, left, rng)
    return LinkSplit(
        left, *(_name_links(sampler, part, negatives) for part in (validation_edges, test_edges))
    )


def undirected_graph(graph: Any, **reading: Any) -> Graph:
    """Return a graph for link prediction, or raise if its arcs have directions."""
    undirected = as_graph(graph, **reading)
    if undirected.directed is not None:
        raise InputError(
            f"links are predicted in undirected graphs, got {option('directed', undirected.directed)}. Read it with "
            f"{option('directed', False)}, or use {in_python('encode_pairs', 'egonet pairs')}, which keeps directions."
        )
    return undirected


def find_link_rows(pairs: Any, graph: Graph, handle_unknown: HandleUnknown = "error") -> PairRows:
    """Return pairs as rows of a graph; unknown nodes have the two rows after the last, those of `with_unknown`.

    >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
    >>> find_link_rows([("a", "c"), ("x", "c"), ("y", "x")], path, "zero").rows.tolist()
    [[0, 2], [3, 2], [3, 4]]
    """
    pair_rows = find_pairs(pairs, graph, handle_unknown)
    size = graph.num_nodes
    return replace(pair_rows, rows=np.where(pair_rows.rows < 0, [size, size + 1], pair_rows.rows))


def with_unknown(graph: Graph) -> Graph:
    """Return the arcs of a graph and two more nodes without an edge, which stand for unknown nodes.

    >>> with_unknown(Graph.from_edges([("a", "b")]))
    Graph(num_nodes=4, num_edges=1)
    """
    last = graph.indptr[-1:]
    return Graph.from_checked(np.concatenate([graph.indptr, last, last]), graph.indices)


def _share(name: str, value: float) -> float:
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real) or not 0 <= value < 1:
        raise InputError(
            f"{as_argument(name)} must be a share of the edges, at least 0 and below 1, got {show_value(value)}."
        )
    return float(value)


def _name_links(sampler: "NegativeSampler", links: Int64s, negatives: Negatives) -> LabeledPairs:
    """Return links and their negatives as ids."""
    if negatives == "heart":
        others, groups = sampler.plausible(links)
    else:
        others = sampler.uniform(len(links)) if negatives == "uniform" else sampler.near(len(links))
        groups = np.arange(len(others))
    rows = np.concatenate([links, others])
    labels = np.arange(len(rows)) < len(links)
    return LabeledPairs(sampler.graph.node_ids[rows], labels, np.concatenate([np.arange(len(links)), groups]))


class NegativeSampler:
    """Draws non-edges of a graph, each at most once, except by `plausible`."""

    def __init__(self, graph: Graph, left: Graph, rng: np.random.Generator) -> None:
        self.graph, self.left, self.rng = graph, left, rng
        size = graph.num_nodes
        source, target = (ends.astype(np.int64) for ends in graph.edge_rows())
        self._taken = np.sort(source * size + target)  # of edges and of the pairs drawn, the lower row first

    def uniform(self, count: int) -> Int64s:
        """Return random non-edges."""
        size = self.graph.num_nodes
        free = size * (size - 1) // 2 - len(self._taken)
        if count > free:
            if 2 * self.graph.num_edges == size * (size - 1):
                raise InputError(
                    "a complete graph has no non-edges to test on. Give a graph that lacks edges."
                )
            raise InputError(
                f"{count:,} non-edges are needed, and the graph has {free:,}. Hold out fewer edges."
            )
        if 3 * count > free:  # few are free: list them all
            first, second = np.triu_indices(size, 1)
            codes = np.setdiff1d(first * size + second, self._taken)
            return self._take(self.rng.permutation(codes)[:count])
        return self._draw(count, lambda more: self.rng.integers(0, size, (more, 2)), rounds=1000)

    def near(self, count: int, *, least: int | None = None) -> Int64s:
        """Return random non-edges whose ends share a neighbor in the training graph: two neighbors of a node.

        There are fewer than `count`, but at least `least`, where no more are found.
        """
        degrees = self.left.degrees
        wedges = np.cumsum(degrees * (degrees - 1))

        def draw(more: int) -> Int64s:
            if not len(wedges) or wedges[-1] == 0:
                return np.zeros((0, 2), dtype=np.int64)
            middle = np.searchsorted(wedges, self.rng.integers(0, wedges[-1], more), "right")
            begin, size = self.left.indptr[middle], degrees[middle]
            first = self.rng.integers(0, size)
            second = (first + self.rng.integers(1, size)) % size
            return np.stack([self.left.indices[begin + first], self.left.indices[begin + second]], axis=1)

        return self._draw(count, draw, rounds=50, least=least)

    def plausible(self, links: Int64s) -> tuple[Int64s, Int64s]:
        """Return for every link the best scored non-edges that share its first end, then its second, and the links."""
        size, each = self.graph.num_nodes, HEART_NEGATIVES // 2
        ends, place = np.unique(links, return_inverse=True)
        best = self._best_partners(ends, each)
        others = best[place.reshape(-1, 2)].reshape(len(links), 2 * each)
        sources = np.repeat(links, each, axis=1)
        pairs = np.stack([sources, others], axis=2).reshape(-1, 2)
        groups = np.repeat(np.arange(len(links)), 2 * each)
        assert size > each  # _best_partners has raised otherwise
        return pairs, groups

    def _best_partners(self, ends: Int64s, each: int) -> Int64s:
        """Return for some nodes the non-neighbors with the highest scores; random ones where scores are 0."""
        size = self.graph.num_nodes
        if (most := int(self.graph.degrees.max())) + 1 + each > size:
            raise InputError(
                f'negatives="heart" needs {each} non-neighbors of every node, and a node with {most:,} neighbors '
                f'has {size - 1 - most:,}. Use "uniform" or "near".'
            )
        adjacency = self.left.to_scipy().astype(np.float64)
        degrees = np.maximum(self.left.degrees, 1)
        step = csr_array(diags_array(1 / degrees) @ adjacency)
        matrix = self.graph.to_scipy()
        best = np.empty((len(ends), each), dtype=np.int64)
        for begin in range(0, len(ends), _BLOCK):
            here = ends[begin : begin + _BLOCK]
            near = adjacency[here] @ step  # resource allocation
            scores = (near + 1e-6 * (near @ step)).toarray()
            scores += 1e-12 * self.rng.random(scores.shape)
            scores[matrix[here].nonzero()] = -1
            scores[np.arange(len(here)), here] = -1
            chosen = np.argpartition(-scores, each - 1, axis=1)[:, :each]
            best[begin : begin + _BLOCK] = np.sort(chosen, axis=1)
        return best

    def _draw(self, count: int, draw: Any, *, rounds: int, least: int | None = None) -> Int64s:
        """Return pairs that are drawn until enough are free."""
        needed = count if least is None else least
        size = self.graph.num_nodes
        codes = np.empty(0, dtype=np.int64)
        for _ in range(rounds):
            if len(codes) >= count:
                break
            pairs = np.sort(draw(2 * (count - len(codes)) + 16), axis=1).astype(np.int64)
            pairs = pairs[pairs[:, 0] < pairs[:, 1]]
            new = pairs[:, 0] * size + pairs[:, 1]
            fresh = np.concatenate([codes, new[~_isin(new, self._taken)]])
            _, first = np.unique(fresh, return_index=True)
            codes = fresh[np.sort(first)]
        if len(codes) < needed and least is not None:
            raise InputError(
                'no non-edge whose ends share a neighbor was found. Use negatives="uniform", or give labeled pairs.'
            )
        if len(codes) < needed:
            raise InputError(
                f"{needed:,} non-edges whose ends share a neighbor are needed, and {len(codes):,} were found. "
                'Hold out fewer edges, or use negatives="uniform".'
            )
        return self._take(codes[:count])

    def _take(self, codes: Int64s) -> Int64s:
        """Return the pairs of codes and remember that they are taken."""
        self._taken = np.union1d(self._taken, codes)
        return np.stack(np.divmod(codes, self.graph.num_nodes), axis=1)


def _isin(codes: Int64s, ordered: Int64s) -> NDArray[np.bool_]:
    """Return which codes are in a sorted list."""
    if not len(ordered):
        return np.zeros(len(codes), dtype=bool)
    place = np.minimum(np.searchsorted(ordered, codes), len(ordered) - 1)
    is_member: NDArray[np.bool_] = ordered[place] == codes
    return is_member
