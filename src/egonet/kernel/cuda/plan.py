"""Which algorithm serves a task best, and what fits: arithmetic only, no device needed."""

import math
from collections.abc import Callable
from math import expm1, log1p
from typing import Literal, NamedTuple, TypeAlias

from egonet.kernel.cuda.codec import NARROW, Codec
from egonet.kernel.cuda.task import Facts

#: "triangle" (radius 1), "warp", "link", "block" and "ball" search from one root at a time with ever more memory,
#: "bitwise" from hundreds of roots at a time. "warp" and "link" meet every edge of the last ring once.
Algorithm: TypeAlias = Literal["auto", "triangle", "warp", "link", "block", "ball", "bitwise"]

#: Roots of one group of the bitwise search for each word of a lane.
GROUP_ROOTS = 256
#: Roots of one batch of groups, at most, and the degree from which on the last ring has no bins.
BATCH_ROOTS, HUB_DEGREE = 8192, 400
#: The bitwise counters end at this degree; its bins hold at most this many rings.
BITWISE_DEGREE, BITWISE_RADIUS = 2**17, 8
#: Up to this mean size of a ball few are too large for a warp, which passes on a root with more vertices than it holds.
WARP_BALL, WARP_HOLDS = 190, 384
#: Threads of the link search, vertices of a last ring that it counts in shared memory, and its static shared memory.
LINK_THREADS, LINK_RANKS, LINK_STATIC = 512, 8192, 5120
#: Its counters have 16 bits.
LINK_DEGREE = 2**16 - 1
#: Which of the searches for larger balls serve: whether the link search does, how many blocks of the block search have
#: room on a multiprocessor (0: it does not serve), and whether the bitwise search does.
Serving: TypeAlias = tuple[bool, int, bool]
#: Nanoseconds of each amount of work of a search; the first is for what it does before it begins.
Prices: TypeAlias = tuple[float, ...]
#: Those of an H200, fitted to times (`benchmarks/gpu_fit.py`), in the order of `warp_cost` and so on.
PRICES: dict[str, Prices] = {
    "warp": (3.64e5, 3.55e-1, 7.38e-3),
    "link": (6.74e5, 5.36e-3, 2.63e-2, 5.06e-4, 2.06e-3),
    "block": (3.69e5, 1.04e-3, 8.74e-4, 2.41e-2),
    "bitwise": (1.37e6, 5.02e5, 3.25e-5, 4.14e-2),
}
#: From so many nanoseconds on balls are counted from some roots, for that is then a small part of the time.
SAMPLED_FROM = 2e6
#: Dense counters of a warp, and the shared memory a block may use beside its static arrays.
DENSE_CODES, STATIC_SHARED = 1024, 10240
TOO_SMALL = 'the GPU has too little free memory for even one root of this graph. Use device="cpu".'
#: Positions of arcs have 32 bits, and are rounded up to tiles.
MOST_ARCS = 2**31 - 2**12
#: Bytes that a search may need on the device for each arc and each vertex of the graph.
BYTES_PER_ARC, BYTES_PER_NODE = 48, 64


class Ball(NamedTuple):
    """How many vertices a ball has, and how many arcs leave them, on the average over all roots."""

    num_nodes: float
    num_arcs: float


def serves_triangle(radius: int, *, symmetric: bool, has_labels: bool) -> bool:
    """Return whether rows at this radius are histograms of edge supports."""
    return radius == 1 and symmetric and not has_labels


def block_shared(facts: Facts, codec: Codec, radius: int) -> int:
    """Return the bytes of dynamic shared memory of the block search."""
    return 4 * ((facts.num_nodes + 31) // 32 + radius * codec.base)


def blocks_together(
    facts: Facts, codec: Codec, radius: int, *, frontier_edges: bool, shared_bytes: int
) -> int:
    """Return how many blocks of the block search have room on a multiprocessor, eight at most; 0 if it does not serve.

    In shared memory are the bits of a ball and the bins of its rings.

    Examples
    --------
    A graph of 64,000 vertices has 8,000 bytes of bits; with a hub of 9,999 neighbours two rings of bins have 80,000.

    >>> for degree in 9, 9_999:
    ...     facts, codec = Facts(64_000, 10**6, degree, 10**8, 0), Codec("total", degree, 0, 3)
    ...     blocks_together(facts, codec, 2, frontier_edges=True, shared_bytes=227 * 1024)
    8
    2
    """
    if codec.kind != 0 or not frontier_edges or codec.num_labels or radius < 1:
        return 0
    return min(8, shared_bytes // (block_shared(facts, codec, radius) + STATIC_SHARED))


def serves_link(facts: Facts, codec: Codec, radius: int, *, symmetric: bool, shared_bytes: int) -> bool:
    """Return whether an edge of the last ring may be met once, with counters and bins in shared memory."""
    plain = symmetric and codec.kind == 0 and not codec.num_labels and radius >= 1
    fits = link_shared(facts, codec, radius) + LINK_STATIC <= shared_bytes
    return plain and fits and 0 < facts.largest_degree <= LINK_DEGREE


def link_shared(facts: Facts, codec: Codec, radius: int) -> int:
    """Return the bytes of dynamic shared memory of the link search; `link.cu` has the layout.

    Examples
    --------
    64 vertices: 2 words of bits, 2 sums of 2 bytes, the counters, 22 bins of 2 bytes, and a word of bits for them.

    >>> link_shared(Facts(64, 100, 10, 1000, 0), Codec("total", 10, 0, 3), 2) - 2 * LINK_RANKS
    60
    """
    words, bins = (facts.num_nodes + 31) // 32, radius * codec.base
    return 4 * (words + (words + 1) // 2 + LINK_RANKS // 2 + (bins + 1) // 2 + (bins + 31) // 32)


def serves_bitwise(facts: Facts, codec: Codec, radius: int, *, symmetric: bool, shared_bytes: int) -> bool:
    """Return whether the bitwise search has room: two bit maps in shared memory, counters, and bins."""
    maps = (facts.num_nodes - facts.num_isolated + 31) // 32 * 8
    fits = maps + 48 * 1024 <= shared_bytes and facts.largest_degree < BITWISE_DEGREE
    plain = symmetric and codec.kind == 0 and not codec.num_labels and codec.range <= NARROW
    return plain and fits and 2 <= radius <= BITWISE_RADIUS and facts.num_arcs > 0


def choose(
    facts: Facts,
    codec: Codec,
    radius: int,
    *,
    num_roots: int,
    frontier_edges: bool,
    symmetric: bool,
    shared_bytes: int,
    sample: Callable[[], Ball | None] = lambda: None,
) -> Algorithm:
    """Return the algorithm that the statistics of the graph speak for; every answer is exact.

    Where all are expected to take long the mean size of a ball is asked for, unless `sample` has None, not estimated.

    Examples
    --------
    A sparse graph of a million vertices has small balls, one of hubs has not.

    >>> sparse = Facts(10**6, 10**7, 31, 11 * 10**7, 0)
    >>> hubs = Facts(10**5, 4 * 10**6, 10**4, 10**10, 0)
    >>> for facts in sparse, hubs:
    ...     codec = Codec("total", facts.largest_degree, 0, 3)
    ...     choose(facts, codec, 2, num_roots=10**5, frontier_edges=True, symmetric=True, shared_bytes=227 * 1024)
    'warp'
    'bitwise'
    """
    if serves_triangle(radius, symmetric=symmetric, has_labels=codec.num_labels > 0) and (
        4 * num_roots >= facts.num_nodes and facts.num_arcs > 0
    ):
        return "triangle"
    serving = searches_serving(
        facts,
        codec,
        radius,
        frontier_edges=frontier_edges,
        symmetric=symmetric,
        shared_bytes=shared_bytes,
    )
    ball = estimated_ball(facts, radius)
    chosen, least = cheapest(serving, facts, codec, radius, ball, num_roots)
    if ball.num_nodes > WARP_BALL and least >= SAMPLED_FROM and (sampled := sample()) is not None:
        chosen, _ = cheapest(serving, facts, codec, radius, sampled, num_roots)
    return chosen


def searches_serving(
    facts: Facts, codec: Codec, radius: int, *, frontier_edges: bool, symmetric: bool, shared_bytes: int
) -> Serving:
    """Return which of the searches for larger balls serve a graph and settings."""
    return (
        serves_link(facts, codec, radius, symmetric=symmetric, shared_bytes=shared_bytes),
        blocks_together(facts, codec, radius, frontier_edges=frontier_edges, shared_bytes=shared_bytes),
        serves_bitwise(facts, codec, radius, symmetric=symmetric, shared_bytes=shared_bytes),
    )


def cheapest(
    serving: Serving, facts: Facts, codec: Codec, radius: int, ball: Ball, num_roots: int
) -> tuple[Algorithm, float]:
    """Return the search that is expected to take least, and its nanoseconds; "ball" if nothing else serves."""
    has_link, together, has_bitwise = serving
    chosen: Algorithm = "ball"
    least = link = block = math.inf
    if has_link:
        chosen, least = "link", (link := link_cost(PRICES["link"], facts, ball, num_roots))
    if together:
        block = block_cost(PRICES["block"], facts, codec, radius, ball, num_roots, together)
        if block < least:
            chosen, least = "block", block
    # What takes longer already without its rest, or before it begins, need not be looked at further.
    if (warp := warp_cost(PRICES["warp"], ball, num_roots)) < least:
        warp += left_over_cost(facts, ball, link if has_link else block)
        if warp < least:
            chosen, least = "warp", warp
    if has_bitwise and PRICES["bitwise"][0] < least:
        bitwise = bitwise_cost(PRICES["bitwise"], facts, radius, num_roots)
        if bitwise < least:
            chosen, least = "bitwise", bitwise
    return chosen, least


def warp_cost(prices: Prices, ball: Ball, num_roots: int) -> float:
    """Return what 1, roots, and the arcs of all balls as far as a warp goes cost."""
    first, root, arc = prices
    return first + num_roots * (root + arc * ball.num_arcs * min(1.0, WARP_HOLDS / ball.num_nodes))


def left_over_cost(facts: Facts, ball: Ball, rest: float) -> float:
    """Return what roots that warps pass on cost, all roots costing `rest`; without a search for them few are assumed.

    Examples
    --------
    >>> facts = Facts(10, 20, 2, 40, 0)
    >>> left_over_cost(facts, Ball(384.0, 1000.0), 10.0), left_over_cost(facts, Ball(19.0, 99.0), math.inf)
    (5.0, 0.0)
    """
    if rest == math.inf and ball.num_nodes <= WARP_BALL:
        return 0.0
    return passed_on(facts, ball) * rest


def passed_on(facts: Facts, ball: Ball) -> float:
    """Return about which part of the roots has a ball too large for a warp, by the mean of those that have neighbours.

    Examples
    --------
    >>> passed_on(Facts(10, 20, 2, 40, 0), Ball(384.0, 1000.0)), passed_on(Facts(10, 20, 4, 80, 5), Ball(192.0, 500.0))
    (0.5, 0.5)
    """
    mean = ball.num_nodes * facts.num_nodes / max(1, facts.num_nodes - facts.num_isolated)
    return mean**2 / (mean**2 + WARP_HOLDS**2)


def link_cost(prices: Prices, facts: Facts, ball: Ball, num_roots: int) -> float:
    """Return what 1, words of bits, vertices and arcs of all balls, and arcs that lead back if any might, cost."""
    first, word, node, arc, inside = prices
    nodes, arcs = ball
    bits = facts.num_nodes / 32
    return first + num_roots * (
        word * bits + node * nodes + arc * arcs + inside * arcs * arcs / max(1, facts.num_arcs)
    )


def block_cost(
    prices: Prices, facts: Facts, codec: Codec, radius: int, ball: Ball, num_roots: int, together: int
) -> float:
    """Return what 1, words of bits and bins, and arcs and vertices of all balls cost; if few blocks have room, more."""
    first, word, arc, node = prices
    words, alone = facts.num_nodes / 32 + radius * codec.base, 8 / together
    return first + num_roots * (word * words + alone * (arc * ball.num_arcs + node * ball.num_nodes))


def bitwise_cost(prices: Prices, facts: Facts, radius: int, num_roots: int) -> float:
    """Return what 1, batches, arcs read for all roots and rings, and bins of all roots that have neighbours cost."""
    first, batch, arc, bin_ = prices
    active = num_roots * (1 - facts.num_isolated / max(facts.num_nodes, 1))
    base = facts.largest_degree + 1
    bins = (radius - 2) * base + min(base, HUB_DEGREE)
    return (
        first
        + batch * math.ceil(active / BATCH_ROOTS)
        + active * (arc * radius * facts.num_arcs + bin_ * bins)
    )


def estimated_ball(facts: Facts, radius: int) -> Ball:
    """Return the mean size of a ball as if arcs led anywhere, to each vertex in proportion to its degree.

    If `drawn` arcs are drawn so, all miss a vertex of degree k with chance exp(-k drawn / num_arcs). On the average
    over degrees spread as a gamma distribution with the mean and the squares of the graph, `spread` being the variance
    over the squared mean, that is (1 + spread drawn / num_nodes) ** (-1 / spread); weighted by degree, the exponent is
    one less. The arcs of the vertices met are drawn next.

    Examples
    --------
    A cycle of many vertices, and a small one where arcs meet the same vertices.

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

    Examples
    --------
    >>> fits_device(10**6, 10**7, 10**9), fits_device(10**6, 10**9, 10**10), fits_device(10, 2**31, 10**15)
    (True, False, False)
    """
    return num_arcs < MOST_ARCS and BYTES_PER_ARC * num_arcs + BYTES_PER_NODE * num_nodes <= free_bytes
