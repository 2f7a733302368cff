"""`encode_pairs`: a graph and pairs of its nodes in, a row per pair out."""

from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from scipy.sparse import csr_array

from egonet.checks import as_threads
from egonet.encoding.assemble import assemble_columns
from egonet.encoding.count import MemoryRows
from egonet.encoding.encoding import Encoding
from egonet.encoding.matrix import Counts, spread_rows
from egonet.encoding.request import Request, add_graph, fit_columns, make_request
from egonet.encoding.row_index import RowIndex
from egonet.encoding.schema import Schema
from egonet.encoding.settings import (
    BinOptions,
    DegreeBins,
    PairSettingsOptions,
    Radius,
    take_options,
)
from egonet.encoding.signature import list_options
from egonet.encoding.unknown import HandleUnknown
from egonet.encoding.vocabulary import Unseen, UnseenPolicy, Vocabulary
from egonet.errors import InputError
from egonet.graph.adapters import as_graph
from egonet.graph.collect import kept_direction
from egonet.graph.columns import EdgeOptions, Labels
from egonet.graph.graph import Graph
from egonet.graph.input_options import ReadOptions
from egonet.kernel.native_pairs import encode_pair_rows, end_distances
from egonet.pairs.columns import radii_of
from egonet.pairs.index import PairRows, SelfPairs, find_pairs
from egonet.progress import as_progress, choose_progress
from egonet.typing import Degrees, Direction, Follow, Int32s, Int64s, Progress


class PairOptions(ReadOptions, EdgeOptions, BinOptions, total=False):
    """The keywords of `encode_pairs` for kinds of degrees and edge types, and how the graph is read."""

    degrees: Degrees
    follow: Follow
    ends_distance: int | None


@dataclass(frozen=True, eq=False)
class SearchedGraph:
    """The arrays in which pairs are searched: those of the graph, or of the graph with a node on every edge.

    Attributes
    ----------
    indptr, indices
        The graph, as in `Graph`.
    labels
        int32 (num_nodes,): the label of every node, the type of every edge node; None without either.
    divided
        Whether edges are nodes.
    directed
        The direction of the graph.
    """

    indptr: Int64s
    indices: Int32s
    labels: Int32s | None
    divided: bool
    directed: Direction | None


@list_options
def encode_pairs(
    graph: Any,
    pairs: Any,
    radius: Radius | None = None,
    *,
    degree_bins: DegreeBins | None = None,
    max_degree: int | None = None,
    without_edge: bool = True,
    ordered: bool = False,
    labels: Labels | None = None,
    vocabulary: Any = None,
    unseen: UnseenPolicy = "clip",
    handle_unknown: HandleUnknown = "error",
    self_pairs: SelfPairs = "error",
    threads: int | None = None,
    progress: Progress | bool | None = None,
    **options: Unpack[PairOptions],
) -> Encoding:
    """Return how many nodes have each (distance from u, distance from v, degree) around every pair (u, v).

    Let H be the graph, minus the edge uv if `without_edge`. The nodes x within `radius` of u or of v in H are
    counted, u and v included, by the key (min(d(u, x), radius + 1), min(d(v, x), radius + 1), degree of x inside the
    subgraph of H induced by these nodes). The smaller distance comes first unless `ordered`, or the graph is directed.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts.
    pairs
        Pairs of node ids: a sequence, an array (num_pairs, 2), a table with two columns (as for edges), or the path
        of a file with one (csv, tsv, Parquet, Arrow). Repeats are allowed; rows are in this order.
    radius
        Hops around each end, 1 if not given; several give columns for each.
    degrees, follow
        As in `encode`, with distances from the nearer end of the pair: "layered" and "full" count the neighbors that
        are closer to it than x is, as close, or farther; "in_out" counts arcs to and from x.
    degree_bins, max_degree
        As in `encode`.
    edge_labels, weights, weight_bins
        As in `encode`: an edge of type t counts as a node labeled t between its ends, distances are half steps up to
        2 radius + 1, and `without_edge` leaves out all edges between u and v.
    directed, source, target, num_nodes, nodes, missing, ids, simplify
        How the graph is read, as for `as_graph`.
    without_edge
        True leaves the edge between u and v out, if there is one (in a directed graph the arc from u to v), so that a
        model that learns from edges of the graph does not see the answer.
    ordered
        True keeps the distance from u first, so that (u, v) and (v, u) may differ.
    labels
        A label per node, as in `encode`: keys then end with the label of x.
    vocabulary
        The columns of an earlier encoding of pairs, with its settings: that encoding, its vocabulary, or the path of
        a file that it was written to (.npz, .json, .parquet, .arrow).
    unseen
        What happens to keys without a column: "clip", "ignore" or "error", as in `encode`.
    handle_unknown
        What happens to pairs with a node that the graph does not have: "error", or "zero" and "warn", which count it
        as an isolated node and in `Encoding.unseen`; "warn" also warns.
    self_pairs
        What happens to a pair of one node with itself: "error", or "zero" for a row of zeros.
    threads, progress
        As in `encode`; progress counts pairs.
    ends_distance
        8 adds the key ("ends", d): d is the distance of u and v without the edge between them, up to 8, in edges of the
        graph. In a directed graph it is the distance from v back to u along arcs.

    Raises
    ------
    InputError
        If a pair has not two different nodes of the graph, or another argument breaks a rule.

    Examples
    --------
    The ends of a path of three share the middle; its first two nodes share nothing once their edge is left out.

    >>> import egonet
    >>> path = [("a", "b"), ("b", "c")]
    >>> encoding = egonet.encode_pairs(path, [("a", "c"), ("a", "b")], radius=1)
    >>> encoding[("a", "c")]
    {(0, 2, 1): 2, (1, 1, 2): 1}
    >>> encoding[("a", "b")]
    {(0, 2, 0): 1, (0, 2, 1): 1, (1, 2, 1): 1}
    >>> encoding.matrix.toarray()
    array([[0, 2, 1, 0],
           [1, 1, 0, 1]], dtype=int32)

    Columns learned on some pairs are used for others:

    >>> egonet.encode_pairs(path, [("b", "c")], vocabulary=encoding).matrix.toarray()
    array([[1, 1, 0, 1]], dtype=int32)

    Labels of nodes are the last part of a key:

    >>> egonet.encode_pairs(path, [("a", "c")], labels={"a": "C", "b": "O", "c": "N"})[("a", "c")]
    {(0, 2, 1, 'C'): 1, (0, 2, 1, 'N'): 1, (1, 1, 2, 'O'): 1}

    In a directed graph arcs to and from a node are counted apart:

    >>> egonet.encode_pairs([("a", "b"), ("c", "b")], [("a", "c")], degrees="in_out")[("a", "c")]
    {(0, 2, 0, 1): 1, (1, 1, 2, 0): 1, (2, 0, 0, 1): 1}

    Notes
    -----
    Cost per pair: two searches of the largest radius, which serve all radii, and the arcs of the nodes at the last
    distance of each radius. See the page "Features of pairs".
    """
    counting: Any = {"degree_bins": degree_bins, "max_degree": max_degree}
    counting |= {"without_edge": without_edge, "ordered": ordered} | dict(options)
    request = make_request_of_pairs(
        graph, radius, counting, labels=labels, vocabulary=vocabulary, unseen=unseen
    )
    assert request.graph is not None
    pair_rows = find_pairs(pairs, request.graph, handle_unknown, self_pairs)
    return Encoding(count_request(request, pair_rows, as_threads(threads), progress))


def make_request_of_pairs(
    data: Any,
    radius: Radius | None,
    options: dict[str, Any],
    *,
    labels: Labels | None,
    vocabulary: Any,
    unseen: UnseenPolicy,
) -> Request:
    """Return a request for rows of pairs of a graph; `options` are settings, and how the graph is read.

    >>> learned = {"labels": None, "vocabulary": None, "unseen": "clip"}
    >>> make_request_of_pairs([("a", "b")], 1, {"degrees": "in_out"}, **learned).graph.directed
    'out'
    """
    reading = dict(options)
    counting = take_options(reading, PairSettingsOptions)
    request = make_request("pairs", radius, counting, vocabulary=vocabulary, unseen=unseen, rows="pair")
    if request.settings.degrees == "in_out":
        reading["directed"] = kept_direction(data, reading.get("directed"))
    return add_graph(request, as_graph(data, labels=labels, **reading))


def count_request(
    request: Request, pair_rows: PairRows, threads: int, progress: Progress | bool | None
) -> MemoryRows:
    """Return the rows of a request for some pairs of its graph."""
    counted = request.graph
    assert counted is not None
    if not request.has_columns and request.labels is not None and (pair_rows.rows < 0).any():
        raise InputError(
            "columns with labels are learned from nodes with labels, but some pairs have a node that is not in the "
            "graph. Leave these pairs out, or give a vocabulary."
        )
    request = replace(request, rows=pair_rows.rows[~pair_rows.is_loop])
    shown = choose_progress(progress, max(len(counted.indices), len(pair_rows.rows)))
    with as_progress(shown, "encode_pairs", "pairs") as report:
        matrix, counted_columns = count_pairs(request, threads, report)
    ids = pair_rows.ids[~pair_rows.is_loop]
    matrix, columns, met = fit_columns(request, matrix, counted_columns, ids, what="pair")
    return _place_rows(matrix, columns, met, pair_rows, counted, learned=not request.has_columns)


def _with_unknown(graph: SearchedGraph, rows: Int64s, schema: Schema) -> tuple[SearchedGraph, Int64s]:
    """Return the graph with two more nodes without edges, and pairs in which they stand for unknown ends."""
    if (rows >= 0).all():
        return graph, rows
    size = len(graph.indptr) - 1
    indptr = np.append(graph.indptr, graph.indptr[[-1, -1]])
    labels = schema.add_unlabeled(graph.labels, 2)
    return replace(graph, indptr=indptr, labels=labels), np.where(rows < 0, [size, size + 1], rows)


def _place_rows(
    matrix: Counts, columns: Vocabulary, met: Unseen, pairs: PairRows, graph: Graph, *, learned: bool
) -> MemoryRows:
    """Return the rows of pairs in the order given; a pair of one node with itself has a row of zeros."""
    unknown = int((pairs.rows < 0).any(axis=1).sum())
    if unknown:
        met = replace(met, unknown=unknown, num_all=len(pairs.rows))
    if pairs.is_loop.any():
        matrix = spread_rows(matrix, ~pairs.is_loop)
        met = replace(met, rows=np.flatnonzero(~pairs.is_loop)[met.rows])
    index = RowIndex.of_pairs(pairs.ids, ordered=columns.schema.is_ordered)
    ends = np.array([0, len(pairs.rows)], dtype=np.int64)
    return MemoryRows(matrix, index, columns, ends, met, graph, roots=pairs.rows, learned=learned)


def _search_graph(request: Request) -> SearchedGraph:
    """Return the graph that is searched, with a node on every edge if edges have types."""
    graph, divided = request.graph, request.subdivide()
    assert graph is not None
    if divided is None:
        return SearchedGraph(graph.indptr, graph.indices, request.labels, False, graph.directed)
    labels = divided.labels(request.labels)
    return SearchedGraph(divided.indptr, divided.indices, labels, True, graph.directed)


def count_pairs(request: Request, threads: int, progress: Progress | None) -> tuple[Counts, Vocabulary]:
    """Return the counts of the pairs of a request, and the columns.

    >>> from egonet.graph.named import path
    >>> request = add_graph(make_request("pairs", 0, rows="pair"), path("ab"))
    >>> matrix, columns = count_pairs(replace(request, rows=np.array([[0, 1]])), 1, None)
    >>> matrix.toarray().tolist(), columns.feature_names
    ([[2]], ['r0_d0_d1_deg0'])
    """
    schema = request.schema
    settings: Any = request.settings
    assert request.graph is not None
    assert request.rows is not None
    searched, pairs = _with_unknown(_search_graph(request), request.rows, schema)
    rows = encode_pair_rows(
        searched.indptr,
        searched.indices,
        pairs,
        schema.radii_in_steps,
        **schema.pair_options,
        direction=searched.directed,
        labels=searched.labels,
        divided=searched.divided,
        threads=threads,
        progress=progress,
    )
    ends = None
    if settings.ends_distance is not None:
        ends = _count_ends(request.graph, request.rows, schema, threads)
    return assemble_columns(schema, rows, ends=ends, threads=threads)


def _count_ends(graph: Graph, pairs: Int64s, schema: Schema, threads: int) -> tuple[Counts, Int64s]:
    """Return the distance of the ends of every pair, one column per distance, and the keys of these columns."""
    settings: Any = schema.settings
    inside = np.flatnonzero((pairs >= 0).all(axis=1))
    lengths = end_distances(
        graph.indptr,
        graph.indices,
        np.ascontiguousarray(pairs[inside]),
        settings.ends_distance or 0,
        direction=graph.directed,
        threads=threads,
    )
    rows, lengths = inside[lengths > 0], lengths[lengths > 0]
    distinct, columns = np.unique(lengths, return_inverse=True)
    pointers = np.zeros(len(pairs) + 1, dtype=np.int64)
    pointers[rows + 1] = 1
    values = (np.ones(len(rows), dtype=np.int32), columns.astype(np.int32), np.cumsum(pointers))
    ones: Counts = csr_array(values, shape=(len(pairs), len(distinct)))
    keys = np.zeros((len(distinct), 1 + len(schema.field_names)), dtype=np.int64)
    keys[:, 0], keys[:, 1 + settings.num_distances] = radii_of(settings)[0], distinct
    return ones, keys
