"""Columns of pairs for link prediction: without the pair's edge they are those of the graph that lacks it."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal, TypeAlias, Unpack, get_args

import numpy as np

from egonet.checks import as_flag, as_threads, names_of, one_of
from egonet.encoding.settings import Radius, as_radius
from egonet.encoding.signature import list_options
from egonet.encoding.unknown import HandleUnknown
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import InputError, UnseenWarning
from egonet.graph.graph import Graph
from egonet.graph.input_options import ReadOptions, warn
from egonet.links.around import Around, Columns, ends, look_around, overlap, share
from egonet.links.attributes import NodeAttributes, check_order, compare_attributes, read_attributes
from egonet.links.latent import MOST_NODES as MOST_LATENT_NODES
from egonet.links.latent import LatentMatrix, latent, latent_matrices
from egonet.links.split import find_link_rows, undirected_graph, with_unknown
from egonet.links.walks import MOST_NODES as MOST_WALK_NODES
from egonet.links.walks import WalkMatrices, walk_matrices, walks
from egonet.pairs.encode import encode_pairs
from egonet.typing import Floats, Int64s

Group: TypeAlias = Literal["pairs", "overlap", "share", "ends", "walks", "latent", "attributes"]
#: The largest radius that "auto" chooses.
MOST_RADIUS = 6
#: Arcs that a search around one end reads on average, at most, for "auto" to choose a radius.
MOST_READS = 100_000
#: Pairs whose columns are made at once.
_BATCH = 20_000


def auto_radius(graph: Graph) -> tuple[int, ...]:
    """Return the radii 1 ... r for links, where r hops reach all nodes of a random graph that is as dense; r is 2 to 6.

    With n nodes of mean degree d, r is log n / log d, rounded down. Where a search of r hops would read more than
    100,000 arcs on average, r is smaller.

    Examples
    --------
    A sparse graph needs long distances, a dense one does not.

    >>> from egonet import named
    >>> auto_radius(named.path(1000)), auto_radius(named.karate_club())
    ((1, 2, 3, 4, 5, 6), (1, 2))
    """
    radius = int(min(max(reach_of(graph), 2), MOST_RADIUS))
    while radius > 1 and mean_reads(graph, radius) > MOST_READS:
        radius -= 1
    return tuple(range(1, radius + 1))


def reach_of(graph: Graph) -> float:
    """Return log n / log d of n nodes with mean degree d: hops that reach all nodes of a random graph as dense.

    >>> from egonet import named
    >>> round(reach_of(named.karate_club()), 2)
    2.31
    """
    mean = 2 * graph.num_edges / max(graph.num_nodes, 1)
    return math.log(max(graph.num_nodes, 2)) / math.log(mean) if mean > 1.2 else math.inf


def mean_reads(graph: Graph, radius: int) -> float:
    """Return about how many arcs a search of some hops reads from a node, on average.

    >>> from egonet import named
    >>> mean_reads(named.complete(4), 1), mean_reads(named.complete(4), 2)
    (12.0, 12.0)
    """
    adjacency, most = graph.to_scipy(), float(len(graph.indices))
    degrees = graph.degrees.astype(np.float64)
    reads = degrees
    for _ in range(radius):
        reads = np.minimum(degrees + adjacency @ reads, most)
    return float(reads.mean()) if len(reads) else 0.0


@dataclass(frozen=True, eq=False)
class LinkColumns:
    """Columns of pairs of one graph, as they were learned; `rows` makes them for any pairs of rows.

    The two rows after the last are nodes without an edge, which stand for unknown ones.

    Attributes
    ----------
    graph
        The graph whose edges are known.
    groups
        The groups of columns, in their order.
    radius
        The radii of pair encodings.
    vocabulary
        The keys of pair encodings; None without the group "pairs".
    attributes
        The attributes of the nodes; None without the group "attributes".
    threads
        As for `encode_pairs`.
    """

    graph: Graph
    groups: tuple[str, ...]
    radius: tuple[int, ...]
    vocabulary: Vocabulary | None = None
    attributes: NodeAttributes | None = None
    threads: int | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields; matrices of all nodes are made again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def _searched(self) -> Graph:
        return with_unknown(self.graph)

    @cached_property
    def _walks(self) -> WalkMatrices:
        return walk_matrices(self._searched)

    @cached_property
    def _latent(self) -> tuple[LatentMatrix, ...]:
        return latent_matrices(self._searched)

    @cached_property
    def names(self) -> list[str]:
        """Return the names of the columns."""
        return self._make(np.zeros((0, 2), dtype=np.int64), without_edge=True).names

    def rows(self, rows: Int64s, *, without_edge: bool = True, counts: Any = None) -> Floats:
        """Return the columns of some pairs of graph rows, float64 (num_pairs, num_columns); the same in both orders.

        `counts` are the pair encodings of these rows, if they are known.
        """
        rows = np.sort(rows, axis=1)
        batches = [slice(begin, begin + _BATCH) for begin in range(0, len(rows), _BATCH)]
        parts = [
            self._make(
                rows[batch], without_edge=without_edge, counts=None if counts is None else counts[batch]
            ).values
            for batch in batches
        ]
        return np.concatenate(parts) if parts else np.zeros((0, len(self.names)))

    def _make(self, rows: Int64s, *, without_edge: bool, counts: Any = None) -> Columns:
        names: list[str] = []
        values: list[Floats] = []
        around: Around | None = None
        if {"overlap", "share", "ends"} & set(self.groups):
            depth = 2 if {"share", "ends"} & set(self.groups) else 1
            around = look_around(
                *(self._searched, rows, depth),
                without_edge=without_edge,
                bins="ends" in self.groups,
                threads=as_threads(self.threads),
            )
        for group in self.groups:
            group_columns = (
                self._pairs(rows, counts)
                if group == "pairs"
                else self._group(group, rows, around, without_edge=without_edge)
            )
            names += group_columns.names
            values.append(group_columns.values)
        return Columns(names, np.hstack(values))

    def _group(self, group: str, rows: Int64s, around: Around | None, *, without_edge: bool) -> Columns:
        if group == "walks":
            return walks(self._searched, self._walks, rows, without_edge=without_edge)
        if group == "latent":
            return latent(self._searched, self._latent, rows, without_edge=without_edge)
        if group == "attributes":
            assert self.attributes is not None
            return compare_attributes(self._searched, self.attributes, rows, without_edge=without_edge)
        assert around is not None
        return {"overlap": overlap, "share": share, "ends": ends}[group](around)

    def _pairs(self, rows: Int64s, counts: Any) -> Columns:
        """Return log(1 + count) of every key."""
        assert self.vocabulary is not None
        if counts is None:
            pairs = rows.tolist() if rows.shape == (2, 2) else rows
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UnseenWarning)  # of another graph, and an option for it
                encoding = encode_pairs(
                    self._searched, pairs, vocabulary=self.vocabulary, threads=self.threads
                )
            counts = encoding.matrix
            if encoding.unseen.dropped > int(counts.sum()):
                warn(
                    "more than half of what lies around these pairs has no column: no pair that was learned from has "
                    'it. Learn from pairs like these, fit(graph, pairs, y), or leave out the columns "pairs".',
                    UnseenWarning,
                )
        return Columns(self.vocabulary.feature_names, np.log1p(counts.toarray().astype(np.float64)))


def learn_columns(
    graph: Graph,
    rows: Int64s,
    groups: str | Sequence[str],
    *,
    radius: Radius | Literal["auto"] = "auto",
    attributes: Any = None,
    without_edge: bool = True,
    threads: int | None = None,
) -> tuple[LinkColumns, Floats]:
    """Return the columns that some pairs of rows of a graph have, and their values for these pairs."""
    groups = tuple(dict.fromkeys(names_of("groups", groups, get_args(Group))))
    without_edge = as_flag("without_edge", without_edge)
    if attributes is not None and "attributes" not in groups:
        groups = (*groups, "attributes")
    if attributes is None and "attributes" in groups:
        raise InputError('the columns "attributes" need attributes of the nodes. Give attributes=.')
    if not groups:
        raise InputError(
            f"groups must name at least one of {', '.join(map(repr, get_args(Group)))}, got none."
        )
    for group, most in (("walks", MOST_WALK_NODES), ("latent", MOST_LATENT_NODES)):
        if group in groups and graph.num_nodes > most:
            raise InputError(
                f'the columns "{group}" need a graph of at most {most:,} nodes, got {graph.num_nodes:,}. Leave them '
                "out."
            )
    if isinstance(radius, str):
        one_of("radius", radius, ("auto",))
        radii: Any = auto_radius(graph)
    else:
        radii = as_radius(radius)
    vocabulary = counts = None
    if "pairs" in groups:
        pairs = rows.tolist() if rows.shape == (2, 2) else rows
        encoding = encode_pairs(
            with_unknown(graph), pairs, radii, degree_bins="log", without_edge=without_edge, threads=threads
        )
        vocabulary, counts = encoding.vocabulary, encoding.matrix
        radii = vocabulary.settings.radius
    attribute_rows = None if attributes is None else read_attributes(attributes, graph)
    columns = LinkColumns(graph, groups, radii, vocabulary, attribute_rows, threads)
    return columns, columns.rows(rows, without_edge=without_edge, counts=counts)


@list_options
def link_columns(
    graph: Any,
    pairs: Any,
    groups: Sequence[Group] = ("pairs", "overlap"),
    *,
    radius: Radius | Literal["auto"] = "auto",
    attributes: Any = None,
    without_edge: bool = True,
    handle_unknown: HandleUnknown = "error",
    threads: int | None = None,
    **reading: Unpack[ReadOptions],
) -> tuple[Floats, list[str]]:
    """Return columns of pairs for link prediction, float64 (num_pairs, num_columns), and their names.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts; undirected, without the edges to predict.
    pairs
        Pairs of node ids, as for `encode_pairs`.
    groups
        "pairs": log(1 + count) of pair encodings with log bins of degrees, of every radius; a column for every key
        around these pairs, so another call may have other columns (give all pairs in one, or use `LinkPredictor`).
        "overlap": common neighbors, Jaccard, Adamic–Adar and resource allocation, of the last two every neighbor's
        part to 2e-10.
        "share": parts of the nodes around a pair by their distances, which do not grow with degrees. "ends": degrees
        around each end, as sums and differences of both. "walks": Katz (0.001) and personalized PageRank (0.85), for at
        most 20,000 nodes; n^3 steps. "latent": what the leading eigenvectors say of a pair, for at most 10,000 nodes;
        n^3 steps. "attributes": cosines of means over 0, 1 and 2 hops around both ends.
    radius
        The radii of pair encodings; "auto" chooses by the density of the graph (`auto_radius`).
    attributes
        A row of numbers per node: a pandas data frame with the node ids as its index, another data frame with a column
        "node", a mapping from id to row, or an array or sparse matrix in row order (of pairs and tables only if ids
        are 0 ... n - 1 or `nodes=` orders them). Adds the group "attributes".
    without_edge
        True leaves the edge of a pair out, if there is one: the columns are those of the graph without it.
    handle_unknown
        As for `encode_pairs`; "zero" and "warn" count an unknown node as one without an edge.
    threads
        As for `encode_pairs`.
    directed, source, target, num_nodes, nodes, missing, ids, simplify
        How the graph is read, as for `as_graph`.

    Examples
    --------
    The ends of a path of three share one neighbor of degree 2.

    >>> values, names = link_columns([("a", "b"), ("b", "c")], [("a", "c")], ["overlap"])
    >>> dict(zip(names, values[0].round(3).tolist()))
    {'common_neighbors': 1.0, 'adamic_adar': 1.443, 'resource_allocation': 0.5, 'jaccard': 1.0}
    """
    undirected = undirected_graph(graph, **reading)
    check_order(attributes, undirected, graph, reading)
    rows = find_link_rows(pairs, undirected, handle_unknown).rows
    columns, values = learn_columns(
        *(undirected, rows, groups),
        radius=radius,
        attributes=attributes,
        without_edge=without_edge,
        threads=threads,
    )
    return values, columns.names
