"""`Request`: settings, vocabulary, data and rows wanted, checked once for every engine and kind of row."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Literal, Unpack, get_args

from egonet.checks import one_of
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import ask_limits, check_learned, find_types, number_columns
from egonet.encoding.matrix import Counts
from egonet.encoding.saved import read_vocabulary
from egonet.encoding.schema import Schema
from egonet.encoding.settings import (
    PairSettings,
    Radius,
    Settings,
    as_settings,
    check_direction,
    check_same_settings,
)
from egonet.encoding.support import EngineName, check_support
from egonet.encoding.vocabulary import Unseen, UnseenPolicy, Vocabulary, arrange
from egonet.errors import InputError, in_python, option, show_value
from egonet.graph.cap import cap_edges
from egonet.graph.collect import DataOptions, collect_graphs
from egonet.graph.edge_types import Subdivision, subdivide
from egonet.graph.graph import Graph
from egonet.graph.index import Places, as_flat, as_id_list, reject_missing
from egonet.typing import Array, Direction, Int32s, Int64s


@dataclass(frozen=True, eq=False)
class Request:
    """What is asked of an engine. `make_request` builds it, and `add_data` or `add_graph` adds the data.

    Attributes
    ----------
    engine
        What computes the rows: a column of the support table.
    schema
        What is counted, with the names of labels and types and the limits of bins.
    vocabulary, unseen
        The columns of an earlier encoding, and what happens to keys without a column; None to learn columns.
    uncapped
        The graph as read; None until it is read.
    graph
        The graph that is counted: `uncapped`, or the same with at most `settings.cap` edges per node.
    graph_ptr
        int64 (num_graphs + 1,): where each of several graphs begins in `graph`.
    labels
        int32 (num_nodes,): the label of every node, as a number; None without labels.
    types
        int32 (num_edges_as_given,): the type of every edge of `graph.given_edges()`; None without types.
    rows
        int64 (num_rows,): the roots, or (num_rows, 2): the pairs; None for every node.
    """

    engine: EngineName
    schema: Schema
    vocabulary: Vocabulary | None = None
    unseen: UnseenPolicy = "clip"
    uncapped: Graph | None = None
    graph: Graph | None = None
    graph_ptr: Int64s | None = None
    labels: Int32s | None = None
    types: Int32s | None = None
    rows: Int64s | None = None

    @property
    def settings(self) -> Settings:
        """Return what was asked."""
        return self.schema.settings

    @property
    def has_columns(self) -> bool:
        """Return whether the columns are those of a vocabulary."""
        return self.vocabulary is not None

    def subdivide(self) -> Subdivision | None:
        """Return the graph with a node on every edge; None if edges have no types."""
        if self.types is None or self.graph is None:
            return None
        return subdivide(self.graph, self.types)


def make_request(
    engine: EngineName,
    settings: Settings | Radius | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    vocabulary: Any = None,
    unseen: UnseenPolicy = "clip",
    rows: Literal["node", "pair"] = "node",
) -> Request:
    """Return a request from the keywords of an entry point; every entry point calls this.

    Settings come from a record, from a radius and keywords, or from the vocabulary; in the last case other settings
    must be equal to those of the vocabulary. Raises for what the engine does not support.

    >>> make_request("nodes", 1, {"degrees": "full"}).settings
    Settings(radius=1, degrees='full')
    >>> make_request("store", 1, {"degrees": "in_out"})
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: a store does not support degrees="in_out". Leave it out, or use encode in memory.
    """
    one_of("unseen", unseen, get_args(UnseenPolicy))
    learned = None if vocabulary is None else as_vocabulary(vocabulary, rows)
    keywords = {} if options is None else options
    if learned is None:
        schema = Schema(as_settings(settings, keywords, rows))
    else:
        schema = learned.schema
        if settings is not None or keywords:
            check_same_settings(
                schema.settings,
                as_settings(settings, keywords, rows),
                has_radius=settings is not None or "radius" in keywords,
                is_record=isinstance(settings, Settings),
            )
    check_support(engine, ask_limits(schema), columns=() if schema.labels is None else ("labels",))
    return Request(engine, schema, learned, unseen)


def add_data(request: Request, data: Any, **options: Unpack[DataOptions]) -> Request:
    """Return a request for one graph or several, read with the keywords of `as_graph`.

    >>> request = add_data(make_request("nodes", 1), [("a", "b")], labels={"a": "C", "b": "N"})
    >>> request.graph, request.labels.tolist(), request.schema.labels
    (Graph(num_nodes=2, num_edges=1, columns='labels'), [0, 1], ('C', 'N'))
    """
    graph, graph_ptr = collect_graphs(data, keep_arcs=request.settings.degrees == "in_out", **options)
    return add_graph(request, graph, graph_ptr)


def add_columns(request: Request, columns: Collection[str], directed: Direction | None) -> Request:
    """Return a request for data with these columns, by keyword, that is read in this direction.

    `add_graph` calls this, and so do events, which become a graph later. Raises if the engine does not support what
    the data carries, or if the vocabulary was learned on other data.

    >>> add_columns(make_request("stream", 1), {"edge_labels"}, "out").schema.directed
    'out'
    >>> add_columns(make_request("stream", 1), {"labels"}, None)
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: a stream does not support labels=. Leave it out, or use TemporalEncoder.
    """
    schema = _read_in(request, columns, directed)
    return request if schema is request.schema else replace(request, schema=schema)


def _read_in(request: Request, columns: Collection[str], directed: Direction | None) -> Schema:
    """Return the schema of a request with the direction of data, after the checks of `add_columns`."""
    settings = request.settings
    check_support(request.engine, ask_limits(request.schema), columns=columns, directed=directed)
    if request.vocabulary is not None:
        check_direction(request.vocabulary.directed, directed, settings)
        check_learned(columns, request.vocabulary.schema)
    if settings.degrees == "in_out" and directed is None:
        raise InputError(
            f"{option('degrees', 'in_out')} counts arcs, but the graph was read as undirected. Read it with "
            f"{option('directed', 'out')}, which keeps its arcs."
        )
    if settings.count == "edges" and directed is not None:
        raise InputError(
            f"{option('count', 'edges')} needs an undirected graph, got one read with "
            f"{option('directed', directed)}. Read it with {option('directed', False)}."
        )
    find_types(columns, settings)
    return (
        request.schema if request.schema.directed == directed else replace(request.schema, directed=directed)
    )


def add_graph(request: Request, graph: Graph, graph_ptr: Int64s | None = None) -> Request:
    """Return a request for a graph, with its labels and types as numbers.

    Raises if the engine does not support what the graph carries, or if columns were learned on other data.
    """
    names = (*graph.node_columns, *graph.edge_columns)
    columns = number_columns(graph, _read_in(request, names, graph.directed))
    counted, cap = graph, request.settings.cap
    if cap is not None:
        counted = cap_edges(graph, cap)
        columns = number_columns(counted, columns.schema)
    return Request(
        request.engine,
        columns.schema,
        request.vocabulary,
        request.unseen,
        graph,
        counted,
        graph_ptr,
        columns.labels,
        columns.types,
    )


def fit_columns(
    request: Request, matrix: Counts, counted: Vocabulary, ids: Array, *, what: str = "node"
) -> tuple[Counts, Vocabulary, Unseen]:
    """Return counts in the columns of a request's vocabulary, these columns, and what did not fit.

    Without a vocabulary the columns are those `counted`. `ids` name the rows, and `what` is one, for messages.
    """
    if request.vocabulary is None:
        return matrix, counted, Unseen()
    matrix, met = arrange(matrix, counted, request.vocabulary, request.unseen, ids, what=what)
    return matrix, request.vocabulary, met


def find_roots(roots: Iterable[Hashable], graph: Graph, *, num_graphs: int) -> Int64s:
    """Return the rows of the given roots."""
    if num_graphs > 1:
        raise InputError(
            "roots names nodes of one graph, got several graphs. Encode them one by one, or the union of a Batch as "
            "egonet.as_graph(batch)."
        )
    ids = as_flat(as_id_list("roots", roots))
    reject_missing(ids, Places("position", 1, "at"))
    return graph.index.require_each(ids)


def as_vocabulary(source: Any, rows: Literal["node", "pair"] = "node") -> Vocabulary | None:
    """Return a vocabulary, that of an encoding or of a file that egonet wrote, or None.

    >>> as_vocabulary(7)
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: vocabulary must be a Vocabulary, an Encoding or the path of a file with one, got 7.
    """
    if source is None:
        return None
    vocabulary = read_vocabulary(source) if isinstance(source, str | PathLike) else source
    vocabulary = vocabulary.vocabulary if isinstance(vocabulary, Encoding) else vocabulary
    if not isinstance(vocabulary, Vocabulary):
        raise InputError(
            f"vocabulary must be a Vocabulary, an Encoding or the path of a file with one, got {show_value(source)}."
        )
    kind = "pair" if isinstance(vocabulary.settings, PairSettings) else "node"
    if kind != rows:
        raise InputError(
            f"vocabulary must be that of an encoding of {rows}s, got one of {kind}s"
            f"{in_python(f': {vocabulary.settings}')}. Give another file."
        )
    return vocabulary
