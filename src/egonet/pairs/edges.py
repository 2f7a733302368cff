"""`encode_edges`: a graph in, a row per edge out, in the order of the edges as given."""

from dataclasses import replace
from typing import Any, Unpack

from egonet.checks import as_threads
from egonet.encoding.encoding import Encoding
from egonet.encoding.settings import DegreeBins, Radius
from egonet.encoding.signature import list_options
from egonet.encoding.vocabulary import UnseenPolicy
from egonet.graph.columns import Labels
from egonet.pairs.encode import PairOptions, count_request, make_request_of_pairs
from egonet.pairs.index import PairRows
from egonet.typing import Progress


@list_options
def encode_edges(
    graph: Any,
    radius: Radius | None = None,
    *,
    degree_bins: DegreeBins | None = None,
    max_degree: int | None = None,
    without_edge: bool = True,
    ordered: bool = False,
    labels: Labels | None = None,
    vocabulary: Any = None,
    unseen: UnseenPolicy = "clip",
    threads: int | None = None,
    progress: Progress | bool | None = None,
    **options: Unpack[PairOptions],
) -> Encoding:
    """Return the row of `encode_pairs` for both ends of every edge, in the order of the edges as given.

    Loops, repeated edges and both directions of an edge have a row each, so that rows are aligned with the input: a
    table of edges, an edge_index, a list of pairs. The edges of a `Graph` without an edge table are those of
    `Graph.edges()`. A loop is no pair of different nodes: its row is zero.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts.
    radius, degrees, follow, degree_bins, max_degree, without_edge, ordered, ends_distance
        What is counted, as for `encode_pairs`.
    labels, edge_labels, weights, weight_bins
        Labels, types and amounts, as for `encode_pairs`.
    directed, source, target, num_nodes, nodes, missing, ids, simplify
        How the graph is read, as for `as_graph`.
    vocabulary, unseen, threads, progress
        As for `encode_pairs`. A vocabulary of pairs is one of edges, too.

    Examples
    --------
    Without the edge itself, the ends of an edge of a triangle share a neighbor; those of the tail share none.

    >>> import egonet
    >>> encoding = egonet.encode_edges([("b", "a"), ("b", "c"), ("c", "a"), ("c", "d")], radius=1)
    >>> list(encoding)
    [('b', 'a'), ('b', 'c'), ('c', 'a'), ('c', 'd')]
    >>> encoding[("b", "a")]
    {(0, 2, 1): 2, (1, 1, 2): 1}
    >>> encoding[("c", "d")]
    {(0, 2, 0): 1, (0, 2, 2): 1, (1, 2, 2): 2}

    `ends_distance` adds how far apart the ends are without their edge: the other two edges of the triangle.

    >>> encoding = egonet.encode_edges([("b", "a"), ("b", "c"), ("c", "a"), ("c", "d")], radius=1, ends_distance=7)
    >>> encoding[("b", "a")]
    {('ends', 2): 1, (0, 2, 1): 2, (1, 1, 2): 1}
    >>> encoding.feature_names[0]
    'ends_d2'
    """
    counting: Any = {"degree_bins": degree_bins, "max_degree": max_degree, "keep": ()}
    counting |= {"without_edge": without_edge, "ordered": ordered} | dict(options)
    request = make_request_of_pairs(
        graph, radius, counting, labels=labels, vocabulary=vocabulary, unseen=unseen
    )
    assert request.graph is not None
    table = request.graph.given_edges()
    pairs = PairRows.of_rows(table.source, table.target, request.graph)
    rows = count_request(request, pairs, as_threads(threads), progress)
    return Encoding(replace(rows, index=replace(rows.index, kind="edge")))
