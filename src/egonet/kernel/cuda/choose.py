"""The choice of a search on the GPU: which algorithms support a task, which is fastest, and what fits the device."""

from collections.abc import Callable, Sequence
from math import expm1, log1p
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from egonet.errors import InputError, option
from egonet.kernel.cuda.device import Arrival, CudaDevice, DeviceArray
from egonet.typing import DEGREE_FIELDS, Degrees, Int32s, Int64s

#: "triangle" (radius 1), "warp", "block" and "ball" search from one root at a time, each with more memory, "bitwise"
#: from hundreds of roots at a time.
Algorithm: TypeAlias = Literal["auto", "triangle", "warp", "block", "ball", "bitwise"]

#: Roots of one group of the bitwise search, roots of one batch of groups, and the degree from which the last ring has
#: no bins.
GROUP_ROOTS, BATCH_ROOTS, HUB_DEGREE = 512, 8192, 400
#: The largest degree of the bitwise counters, and the largest number of rings of its bins.
BITWISE_DEGREE, BITWISE_RADIUS = 2**17, 8
#: Dense counters of a warp, and the shared memory of its static arrays.
DENSE_CODES, STATIC_SHARED = 1024, 10240
#: A warp holds balls of at most this many nodes.
WARP_BALL = 384
#: Nanoseconds on an H200: a root and an arc of a ball for the warp search; a node and an arc of a ball, and a node of
#: the graph, whose bit is cleared, for the block search; the start, an arc for each root and ring, and a bin of each
#: root for the bitwise search (`docs/decisions` has the measurements).
WARP_ROOT, WARP_ARC = 0.36, 0.0074
BLOCK_NODE, BLOCK_ARC, BLOCK_CLEAR = 0.02, 0.001, 0.001 / 32
BITWISE_START, BITWISE_ARC, BITWISE_BIN = 2e6, 3e-5, 0.04
#: If more nanoseconds are predicted, the balls of a few roots are counted first.
COUNTED_FROM = 2e6
TOO_SMALL = (
    f"the GPU has too little free memory for even one root of this graph. Use {option('device', 'cpu')}."
)
#: Positions of arcs have 32 bits, and are rounded up to tiles.
MOST_ARCS = 2**31 - 2**12
#: Bytes that a search may need on the device for each arc and each node of the graph.
BYTES_PER_ARC, BYTES_PER_NODE = 48, 64
#: Codes below this have 32 bits.
NARROW = 2**31 - 1
_KINDS: dict[Degrees, int] = {"total": 0, "layered": 1, "full": 2}


class Codec:
    """Mixed radix: each field is smaller than its base, so codes compare as keys do, field by field.

    Attributes
    ----------
    limit
        The largest degree; larger degrees are counted as this one.
    num_labels
        One more than the largest label, or 0 for keys without labels.
    base
        The number of values of a degree field.
    kind
        The kind of degrees as a number: 0 total, 1 layered, 2 full.
    num_fields
        The number of degree fields of a key.
    range
        One more than the largest code.
    """

    __slots__ = ("base", "kind", "limit", "num_fields", "num_labels", "range")

    def __init__(self, degrees: Degrees, limit: int, num_labels: int, num_distances: int) -> None:
        """Compute the fields; `num_distances` is one more than the largest distance."""
        self.limit, self.num_labels, self.base = limit, num_labels, limit + 1
        self.kind, self.num_fields = _KINDS[degrees], DEGREE_FIELDS[degrees]
        self.range = int(num_distances * self.base**self.num_fields * (num_labels or 1))

    def decode(self, codes: Int64s) -> Int64s:
        """Return the keys of codes, a row each.

        >>> Codec("total", 9, 0, 3).decode(np.array([3, 11, 29])).tolist()
        [[0, 3], [1, 1], [2, 9]]
        """
        width = 1 + self.num_fields + (self.num_labels > 0)
        keys = np.empty((len(codes), width), dtype=np.int64)
        rest = codes.astype(np.int64)
        if self.num_labels:
            rest, keys[:, -1] = np.divmod(rest, self.num_labels)
        for field in range(self.num_fields, 0, -1):
            rest, keys[:, field] = np.divmod(rest, self.base)
        keys[:, 0] = rest
        return keys


def make_codec(
    num_nodes: int,
    largest_degree: int,
    radius: int,
    *,
    degrees: Degrees,
    max_degree: int | None,
    labels: Int32s | None,
) -> Codec:
    """Return the codec of a graph and settings; raise if a code does not fit 63 bits."""
    limit = largest_degree if max_degree is None else min(largest_degree, max_degree)
    num_labels = 0 if labels is None else int(labels.max(initial=0)) + 1
    codec = Codec(degrees, limit, num_labels, min(radius, max(num_nodes - 1, 0)) + 1)
    if codec.range >= 2**63:
        raise InputError(
            "keys must fit 63 bits, but radius, largest degree and labels of this graph need more. "
            "Set max_degree (or a smaller radius) to make them shorter."
        )
    return codec


class Facts(NamedTuple):
    """The statistics of a graph that determine the choice of an algorithm.

    Attributes
    ----------
    num_nodes, num_arcs
        The size of the graph; an undirected edge is two arcs.
    largest_degree
        The largest number of arcs that leave a node.
    sum_of_squares
        The sum of all squared degrees: the number of walks of two steps.
    num_isolated
        The number of nodes without arcs.
    """

    num_nodes: int
    num_arcs: int
    largest_degree: int
    sum_of_squares: int
    num_isolated: int


class SearchTask(NamedTuple):
    """One search: graph, roots and settings.

    Attributes
    ----------
    row_ptr, indices, labels
        int32 (num_nodes + 1,), int32 (num_arcs,) and int32 (num_nodes,) or None, on the device.
    roots
        int64 on the device; None for every node in order.
    num_roots
        The number of rows.
    radius
        At most the number of nodes.
    arrivals
        The slices of `indices` on their way to the device: (end, event to wait for), in increasing order.
    """

    device: CudaDevice
    facts: Facts
    codec: Codec
    row_ptr: DeviceArray
    indices: DeviceArray
    labels: DeviceArray | None
    roots: DeviceArray | None
    num_roots: int
    radius: int
    frontier_edges: bool
    symmetric: bool
    arrivals: Sequence[Arrival]

    @property
    def needs_levels(self) -> bool:
        """Return whether closer, same and farther neighbors are counted separately."""
        return self.codec.kind != 0 or not self.frontier_edges

    def wait(self) -> None:
        """Make the device wait until the whole graph has arrived."""
        self.device.wait(self.arrivals[-1][1])


class Ball(NamedTuple):
    """How many nodes a ball has, and how many arcs leave them, on average over all roots."""

    num_nodes: float
    num_arcs: float


def supports_triangle(radius: int, *, symmetric: bool, has_labels: bool) -> bool:
    """Return whether rows at this radius are histograms of edge supports."""
    return radius == 1 and symmetric and not has_labels


def block_shared(facts: Facts, codec: Codec, radius: int) -> int:
    """Return the bytes of dynamic shared memory of the block search."""
    return 4 * ((facts.num_nodes + 31) // 32 + radius * codec.base)


def blocks_together(
    facts: Facts, codec: Codec, radius: int, *, frontier_edges: bool, shared_bytes: int
) -> int:
    """Return how many blocks of the block search fit a multiprocessor, eight at most; 0 if it is unsupported.

    Shared memory contains the bits of a ball and the bins of its rings.

    A graph of 64,000 nodes has 8,000 bytes of bits; a hub of 9,999 neighbors adds 80,000 bytes of bins.

    >>> for degree in 9, 9_999:
    ...     facts, codec = Facts(64_000, 10**6, degree, 10**8, 0), Codec("total", degree, 0, 3)
    ...     blocks_together(facts, codec, 2, frontier_edges=True, shared_bytes=227 * 1024)
    8
    2
    """
    if codec.kind != 0 or not frontier_edges or codec.num_labels or radius < 1:
        return 0
    return min(8, shared_bytes // (block_shared(facts, codec, radius) + STATIC_SHARED))


def supports_bitwise(facts: Facts, codec: Codec, radius: int, *, symmetric: bool, shared_bytes: int) -> bool:
    """Return whether the bitwise search supports a task: two bit maps in shared memory, counters, and bins."""
    maps = (facts.num_nodes - facts.num_isolated + 31) // 32 * 8
    fits = maps + 48 * 1024 <= shared_bytes and facts.largest_degree < BITWISE_DEGREE
    plain = symmetric and codec.kind == 0 and not codec.num_labels and codec.range <= NARROW
    return plain and fits and 2 <= radius <= BITWISE_RADIUS and facts.num_arcs > 0


def choose(
    facts: Facts,
    radius: int,
    *,
    num_roots: int,
    together: int,
    has_bitwise: bool,
    count_balls: Callable[[], Ball | None] = lambda: None,
) -> Algorithm:
    """Return the search that should be fastest; every answer is exact.

    `together` is what `blocks_together` returns, `has_bitwise` what `supports_bitwise` returns. The size of a ball is
    estimated from the degrees. If the search is predicted to take long, the result of `count_balls` replaces the
    estimate, unless it is None.

    A sparse graph has small balls, a graph with hubs has large ones.

    >>> choose(Facts(10**6, 2 * 10**6, 31, 10**7, 0), 2, num_roots=10**6, together=8, has_bitwise=False)
    'warp'
    >>> choose(Facts(10**5, 4 * 10**6, 10**4, 10**10, 0), 2, num_roots=10**5, together=8, has_bitwise=True)
    'bitwise'
    """
    ball = estimated_ball(facts, radius)
    chosen, cost = _cheapest(facts, radius, ball, num_roots, together, has_bitwise)
    if cost < COUNTED_FROM or (counted := count_balls()) is None:
        return chosen
    return _cheapest(facts, radius, counted, num_roots, together, has_bitwise)[0]


def _cheapest(
    facts: Facts, radius: int, ball: Ball, num_roots: int, together: int, has_bitwise: bool
) -> tuple[Algorithm, float]:
    """Return the search with the lowest predicted cost, and that cost in nanoseconds."""
    chosen: Algorithm = "warp"
    cost = num_roots * (WARP_ROOT + WARP_ARC * ball.num_arcs)
    search = (BLOCK_NODE * ball.num_nodes + BLOCK_ARC * ball.num_arcs) * 8 / (together or 8)
    block = num_roots * (search + BLOCK_CLEAR * facts.num_nodes)
    if together and (block < cost or ball.num_nodes > WARP_BALL):
        chosen, cost = "block", block
    active = num_roots * (1 - facts.num_isolated / max(facts.num_nodes, 1))
    base = facts.largest_degree + 1
    bins = (radius - 2) * base + min(base, HUB_DEGREE)
    bitwise = BITWISE_START + active * (BITWISE_ARC * radius * facts.num_arcs + BITWISE_BIN * bins)
    return ("bitwise", bitwise) if has_bitwise and bitwise < cost else (chosen, cost)


def estimated_ball(facts: Facts, radius: int) -> Ball:
    """Return the mean size of a ball under the assumption that arcs lead to random nodes in proportion to degree.

    If `drawn` arcs are drawn, all miss a node of degree k with probability exp(-k drawn / num_arcs). Averaged over
    degrees with a gamma distribution of the graph's mean and squares, `spread` being the variance over the squared
    mean, that is (1 + spread drawn / num_nodes) ** (-1 / spread); weighted by degree, the exponent is one less. The
    next step draws the arcs of the nodes that were reached.

    A cycle of many nodes, and a small one whose arcs lead to the same nodes.

    >>> [round(size) for size in estimated_ball(Facts(10**6, 2 * 10**6, 2, 4 * 10**6, 0), 2)]
    [4, 8]
    >>> [round(size) for size in estimated_ball(Facts(10, 20, 2, 40, 0), 2)]
    [3, 6]
    """
    num_nodes, num_arcs = facts.num_nodes or 1, facts.num_arcs or 1
    mean = num_arcs / num_nodes
    spread = max(facts.sum_of_squares / num_arcs / mean - 1, 1e-9)
    nodes, arcs = 1.0, mean
    for _ in range(min(radius, 64)):
        met = log1p(spread * arcs / num_nodes) / spread
        nodes, arcs = -num_nodes * expm1(-met), -num_arcs * expm1(-met * (1 + spread))
    return Ball(nodes, arcs)


def fits_device(num_nodes: int, num_arcs: int, free_bytes: int) -> bool:
    """Return whether a graph and the arrays of a search fit, and its arcs have 32-bit positions.

    >>> fits_device(10**6, 10**7, 10**9), fits_device(10**6, 10**9, 10**10), fits_device(10, 2**31, 10**15)
    (True, False, False)
    """
    return num_arcs < MOST_ARCS and BYTES_PER_ARC * num_arcs + BYTES_PER_NODE * num_nodes <= free_bytes
