"""`encode_pairs`: a graph and pairs of its nodes in, a row per pair out."""

from dataclasses import dataclass, replace
from typing import Any, Unpack, get_args

import numpy as np

from egonet.attributes.edge_types import EdgeValues, kept_names, subdivide
from egonet.encoding.count import to_matrix
from egonet.encoding.encode import as_progress, edge_types, is_watched, reject_new_labels
from egonet.encoding.labels import Labels, as_labels
from egonet.encoding.matrix import Counts, join_columns
from egonet.encoding.settings import DegreeBins, Radius, WeightBins, as_threads, one_of
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary, arrange
from egonet.errors import InputError, OptionError
from egonet.graph.convert import as_graph
from egonet.graph.graph import Graph
from egonet.graph.input_options import ReadOptions
from egonet.kernel.native import Progress
from egonet.kernel.native_pairs import encode_pair_rows
from egonet.pairs.pair_encoding import PairEncoding, PairSettings, as_pair_vocabulary, radii_of
from egonet.pairs.pair_list import pair_rows_of
from egonet.typing import Int32s, Int64s


class PairOptions(ReadOptions, total=False):
    """The keywords of `encode_pairs` for edge types, and how the graph is read."""

    edge_labels: EdgeValues | None
    weights: EdgeValues | None
    weight_bins: WeightBins | None


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
    """

    indptr: Int64s
    indices: Int32s
    labels: Int32s | None
    divided: bool


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
    threads: int | None = None,
    progress: Progress | bool | None = None,
    **options: Unpack[PairOptions],
) -> PairEncoding:
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
    degree_bins, max_degree
        As in `Settings`.
    without_edge
        True leaves the edge between u and v out, if there is one (in a directed graph the arc from u to v), so that a
        model that learns from edges of the graph does not see the answer.
    ordered
        True keeps the distance from u first, so that (u, v) and (v, u) may differ.
    labels
        A label per node, as in `encode`: keys then end with the label of x.
    vocabulary
        The columns of an earlier encoding of pairs, with its settings: that encoding, its vocabulary, or the path of
        the Parquet file it was written to.
    unseen
        What happens to keys without a column: "clip", "ignore" or "error", as in `encode`.
    threads, progress
        As in `encode`; progress counts pairs.
    **options
        How the graph is read: directed, source and target, as in `encode`. And edge_labels, weights and weight_bins, as
        in `encode`: every edge of type t counts as a node labeled t between its ends, distances are half steps up to
        2 radius + 1, and `without_edge` leaves out all edges between u and v.

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

    Notes
    -----
    Cost per pair: two searches of `radius` hops, and the arcs of the nodes at the last distance. The counts of one
    radius, by log2 bins of degrees, are what link prediction needs; see the page "Features of pairs".
    """
    one_of("unseen", unseen, get_args(UnseenPolicy))
    if unknown := sorted(
        options.keys() - PairOptions.__annotations__.keys() - ReadOptions.__annotations__.keys()
    ):
        raise OptionError(f"encode_pairs has no option {unknown[0]!r}. Leave it out.")
    reading: Any = dict(options)
    edge_labels, weights, bins = (
        reading.pop(name, None) for name in ("edge_labels", "weights", "weight_bins")
    )
    whole = as_graph(graph, **reading, keep=kept_names(edge_labels, weights))
    given = PairSettings(
        1 if radius is None else radius,
        degree_bins=degree_bins,
        max_degree=max_degree,
        weight_bins=bins,
        without_edge=without_edge,
        ordered=ordered,
    )
    known = as_pair_vocabulary(vocabulary)
    if known is not None:
        given = _known_settings(known, given, has_radius=radius is not None)
        reject_new_labels(given, labels, edge_labels, weights)
    settings = given if whole.directed is None else replace(given, ordered=True, directed=whole.directed)
    if known is not None and given.directed != whole.directed:
        raise InputError(
            f"the vocabulary was learned on a graph read with directed={given.directed!r}, got "
            f"directed={whole.directed!r}. Read both the same way."
        )
    rows = pair_rows_of(pairs, whole)
    searched, settings = _searched(whole, settings, labels, edge_labels, weights)
    shown = "auto" if progress is None and is_watched() else progress
    with as_progress(shown, "encode_pairs", "pairs") as report:
        matrix, found = _count(searched, rows, settings, as_threads(threads), report)
    if known is None:
        return PairEncoding(matrix, rows, found, whole)
    moved, met = arrange(matrix, found, known, unseen, whole.node_ids[rows], what="pair")
    return PairEncoding(moved, rows, known, whole, met)


def _searched(
    graph: Graph,
    settings: PairSettings,
    labels: Labels | None,
    edge_labels: EdgeValues | None,
    weights: EdgeValues | None,
) -> tuple[SearchedGraph, PairSettings]:
    """Return the graph that is searched, and the settings with the names of its labels and edge types."""
    graph_ptr = np.array([0, graph.num_nodes], dtype=np.int64)
    chosen: Any = settings
    divided = None
    if not all(each is None for each in (edge_labels, weights, settings.edge_labels, settings.weight_bins)):
        types, chosen = edge_types(edge_labels, weights, graph, graph_ptr, chosen)
        divided = subdivide(graph, types)
    numbers, names = as_labels(labels, graph.node_ids, graph_ptr, settings.labels)
    chosen = replace(chosen, labels=names)
    if divided is None:
        return SearchedGraph(graph.indptr, graph.indices, numbers, divided=False), chosen
    return SearchedGraph(divided.indptr, divided.indices, divided.labels(numbers), divided=True), chosen


def _count(
    graph: SearchedGraph, rows: Int64s, settings: PairSettings, threads: int, progress: Progress | None
) -> tuple[Counts, Vocabulary]:
    """Return the counts of every radius, one block of columns after another, and the columns."""
    matrices, keys = [], [np.empty((0, 1 + len(settings.field_names)), dtype=np.int64)]
    for radius in radii_of(settings):
        found = encode_pair_rows(
            graph.indptr,
            graph.indices,
            rows,
            radius * settings.steps,
            without_edge=settings.without_edge,
            ordered=settings.ordered,
            max_degree=settings.max_degree,
            degree_bins=settings.degree_bins,
            direction=settings.directed,
            labels=graph.labels,
            divided=graph.divided,
            threads=threads,
            progress=progress,
        )
        matrices.append(to_matrix(found))
        keys.append(np.column_stack([np.full(len(found.keys), radius, dtype=np.int64), found.keys]))
    return join_columns(matrices), Vocabulary(settings, np.concatenate(keys))


def _known_settings(known: Vocabulary, given: PairSettings, *, has_radius: bool) -> PairSettings:
    """Return the settings of a vocabulary; raise if others are given that differ from them."""
    settings = known.settings
    assert isinstance(settings, PairSettings)  # as_pair_vocabulary has checked it
    default = PairSettings(1)
    for name in ("radius", "degree_bins", "max_degree", "weight_bins", "without_edge", "ordered"):
        value, learned = getattr(given, name), getattr(settings, name)
        is_given = has_radius if name == "radius" else value != getattr(default, name)
        if is_given and value != learned:
            raise InputError(
                f"the vocabulary was learned with {name}={learned!r}, got {value!r}. Leave {name} out."
            )
    return settings
