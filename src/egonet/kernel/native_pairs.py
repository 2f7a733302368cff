"""The C++ kernels of pairs of nodes and of graphs that change with time; `reference_pairs.py` defines them."""

from dataclasses import dataclass
from typing import Any

from egonet import _native
from egonet.errors import InputError
from egonet.kernel.native import MOST_HOPS, Progress, available_cores, call_kernel, degree_limit
from egonet.kernel.reference import Rows
from egonet.typing import Degrees, Direction, Int32s, Int64s


def encode_pair_rows(
    indptr: Int64s,
    indices: Int32s,
    pairs: Int64s,
    radius: int,
    *,
    without_edge: bool = True,
    ordered: bool = False,
    max_degree: int | None = None,
    degree_bins: str | None = None,
    direction: Direction | None = None,
    labels: Int32s | None = None,
    divided: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> Rows:
    """Return one row per pair (u, v), as `kernel/reference_pairs.py` defines them.

    The contract of `encode_rows`, and::

        pairs       int64 (num_pairs, 2)  nodes, u != v; any order, repeats allowed
        direction   None: both directions of every edge are listed; "out" or "in": what rows list
        labels      int32 (num_nodes,)    the label of every node, or None
        divided     edges are nodes between their ends, as in `Subdivision`
        degree_bins "log" counts degrees 0, 1, 2-3, 4-7, ... as the lowest of their bin
    """
    way = (None, "out", "in").index(direction)
    return call_kernel(
        _native.encode_pairs,
        *(indptr, indices, pairs, min(radius, MOST_HOPS), without_edge, ordered, degree_limit(max_degree)),
        *(degree_bins == "log", way, labels, divided, threads or available_cores(), progress),
    )


@dataclass(frozen=True)
class WindowSettings:
    """What is counted at one radius; the fields are those of `encode_rows`."""

    radius: int
    degrees: Degrees = "total"
    frontier_edges: bool = True
    max_degree: int | None = None
    symmetric: bool = True

    @property
    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the kernel."""
        limits = {"radius": min(self.radius, MOST_HOPS), "max_degree": degree_limit(self.max_degree)}
        return vars(self) | limits


@dataclass(frozen=True, eq=False)
class WindowQueries:
    """Queries about nodes in graphs of consecutive events.

    Attributes
    ----------
    nodes
        int32 (num_queries,): the node of each query.
    first, last
        int64 (num_queries,): its graph has the events `first ... last - 1`.
    order
        int64 (num_queries,): a permutation in which neither bound ever decreases.
    """

    nodes: Int32s
    first: Int64s
    last: Int64s
    order: Int64s


def replay_rows(
    events: tuple[Int32s, Int32s],
    num_nodes: int,
    largest_degree: int,
    queries: WindowQueries,
    settings: WindowSettings,
    *,
    labels: Int32s | None = None,
    threads: int = 0,
) -> Rows:
    """Return the rows of queries, as `window_rows` defines them in `kernel/reference_pairs.py`.

    The contract::

        events          int32 sources and targets in order of time, u != v, below num_nodes
        largest_degree  at least the degree of every node in every window
        labels          int32 (num_nodes,): the label of every node, or None
        returns         Rows, the same bytes for any threads
    """
    return call_kernel(
        _native.replay_windows,
        *(*events, num_nodes, largest_degree, queries.nodes, queries.first, queries.last, queries.order),
        **settings.arguments,
        labels=labels,
        threads=threads or available_cores(),
        progress=None,
    )


class LiveGraph:
    """A graph to which events are added and from which they are removed; its rows can be read at any time."""

    def __init__(self, *, symmetric: bool) -> None:
        self._graph = _native.WindowGraph(0, symmetric)
        self._readers: dict[WindowSettings, _native.RowReader] = {}

    @property
    def num_arcs(self) -> int:
        """Return how many arcs there are; an undirected edge is two."""
        return self._graph.num_arcs

    def reserve(self, num_nodes: int) -> None:
        """Allocate space for nodes 0 ... num_nodes - 1, doubling the capacity if necessary."""
        if num_nodes > self._graph.num_nodes:
            self._graph.reserve(max(num_nodes, 2 * self._graph.num_nodes, 64))

    def add(self, sources: Int32s, targets: Int32s) -> None:
        """Add events between nodes for which there is space."""
        if len(sources) == 1:
            self._graph.add_one(sources.item(), targets.item())
            return
        self._graph.add(sources, targets)

    def remove(self, sources: Int32s, targets: Int32s) -> None:
        """Remove events that were added."""
        self._graph.remove(sources, targets)

    def rows(self, roots: Int64s, settings: WindowSettings, *, threads: int = 0) -> Rows:
        """Return the rows of some nodes in the graph as it is."""
        return call_kernel(
            self._graph.rows, roots, **settings.arguments, threads=threads or available_cores()
        )

    def few_rows(self, roots: list[int], settings: WindowSettings) -> Rows:
        """Return the same rows, for calls of a few roots: the buffers of the search are kept between calls."""
        reader = self._readers.get(settings)
        if reader is None:
            try:
                reader = self._readers[settings] = _native.RowReader(self._graph, **settings.arguments)
            except OverflowError as error:
                raise InputError(str(error)) from None
        return call_kernel(reader.rows, roots)
