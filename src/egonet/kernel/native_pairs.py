"""The C++ kernels of pairs of nodes and of graphs that change with time; `reference_pairs.py` defines them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from egonet import _native
from egonet.errors import InputError
from egonet.kernel.native import MOST_HOPS, available_cores, call_kernel, degree_limit
from egonet.kernel.reference import Rows
from egonet.kernel.reference_pairs import PairOptions
from egonet.typing import Counted, Degrees, Direction, Follow, Int32s, Int64s, Progress


def encode_pair_rows(
    indptr: Int64s,
    indices: Int32s,
    pairs: Int64s,
    radii: Sequence[int],
    *,
    threads: int = 0,
    progress: Progress | None = None,
    **options: Unpack[PairOptions],
) -> Rows:
    """Return one row per pair (u, v) with the columns of every radius, as `kernel/reference_pairs.py` defines them.

    The contract of `encode_rows`, and::

        pairs       int64 (num_pairs, 2)  nodes, u != v; any order, repeats allowed
        radii       without repeats, at least one; one search from each end of a pair serves all of them
        degrees     "in_out" needs a direction
        direction   None: both directions of every edge are listed; "out" or "in": what rows list
        labels      int32 (num_nodes,)    the label of every node, or None
        divided     edges are nodes between their ends, as in `Subdivision`
        degree_bins "log" counts degrees 0, 1, 2-3, 4-7, ... as the lowest of their bin
        returns     Rows; a key begins with its radius, and columns are in the order of the radii
    """
    return call_kernel(
        _native.encode_pairs,
        *(indptr, indices, pairs),
        **_pair_arguments(radii, options),
        threads=threads or available_cores(),
        progress=progress,
    )


def _pair_arguments(radii: Sequence[int], options: PairOptions) -> dict[str, Any]:
    """Return what the kernels of pairs take for the options of the reference."""
    return {
        "radii": [min(radius, MOST_HOPS) for radius in radii],
        "degrees": options.get("degrees", "total"),
        "follow": options.get("follow", "any"),
        "without_edge": options.get("without_edge", True),
        "ordered": options.get("ordered", False),
        "max_degree": degree_limit(options.get("max_degree")),
        "log_bins": options.get("degree_bins") == "log",
        "direction": options.get("direction") or "none",
        "labels": options.get("labels"),
        "divided": options.get("divided", False),
    }


def end_distances(
    indptr: Int64s,
    indices: Int32s,
    pairs: Int64s,
    longest: int,
    *,
    direction: Direction | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Int32s:
    """Return the distance from v to u of every pair (u, v) without their edge, as in the reference; -1 above `longest`.

    The contract of `encode_pair_rows`; one search from both ends until they meet.
    """
    count = threads or available_cores()
    return _native.end_distances(
        indptr, indices, pairs, min(longest, MOST_HOPS), direction or "none", count, progress
    )


@dataclass(frozen=True)
class WindowSettings:
    """What is counted at one radius; the fields are those of `window_rows` in the reference."""

    radius: int
    degrees: Degrees = "total"
    frontier_edges: bool = True
    max_degree: int | None = None
    symmetric: bool = True
    follow: Follow = "any"
    count: Counted = "nodes"

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
        largest_degree  at least the degree of every node in every window, in edges or events as the settings say
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


@dataclass(frozen=True, eq=False)
class PairQueries:
    """Queries about pairs in graphs of consecutive events.

    Attributes
    ----------
    pairs
        int64 (num_queries, 2): the two nodes of each query.
    first, last, order
        As in `WindowQueries`.
    """

    pairs: Int64s
    first: Int64s
    last: Int64s
    order: Int64s


def replay_pair_rows(
    events: tuple[Int32s, Int32s],
    num_nodes: int,
    largest_degree: int,
    queries: PairQueries,
    radii: Sequence[int],
    *,
    threads: int = 0,
    progress: Progress | None = None,
    **options: Unpack[PairOptions],
) -> Rows:
    """Return the rows of pairs at times, as `window_pair_rows` defines them in `kernel/reference_pairs.py`.

    The contracts of `replay_rows` and `encode_pair_rows`; the first end of an event lists the second.
    """
    return call_kernel(
        _native.replay_pairs,
        *(*events, num_nodes, largest_degree, queries.pairs, queries.first, queries.last, queries.order),
        **_pair_arguments(radii, options),
        threads=threads or available_cores(),
        progress=progress,
    )


class LiveGraph:
    """A graph to which events are added and from which they are removed; its rows can be read at any time.

    The first end of an event lists the second, and the second the first if `symmetric`. With `both`, arcs are listed by
    both ends, as degrees="in_out" needs them.
    """

    def __init__(self, *, symmetric: bool, both: bool = False) -> None:
        self._graph = _native.WindowGraph(0, symmetric, both)
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

    def rows(
        self, roots: Int64s, settings: WindowSettings, *, labels: Int32s | None = None, threads: int = 0
    ) -> Rows:
        """Return the rows of some nodes in the graph as it is; `labels` has one for every node of an event."""
        return call_kernel(
            self._graph.rows,
            *(roots, labels, _largest(labels)),
            **settings.arguments,
            threads=threads or available_cores(),
        )

    def few_rows(
        self,
        roots: list[int],
        settings: WindowSettings,
        *,
        labels: Int32s | None = None,
        largest_label: int = 0,
    ) -> Rows:
        """Return the same rows, for calls of a few roots: the buffers of the search are kept between calls.

        They are kept while `labels` is the same array and `largest_label`, which no label exceeds, the same number.
        """
        reader = self._readers.get(settings)
        if reader is None:
            try:
                reader = self._readers[settings] = _native.RowReader(self._graph, **settings.arguments)
            except OverflowError as error:
                raise InputError(str(error)) from None
        return call_kernel(reader.rows, roots, labels, largest_label)


def _largest(labels: Int32s | None) -> int:
    return 0 if labels is None else int(np.max(labels, initial=0))
