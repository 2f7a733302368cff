"""Which algorithm serves a task best, and what fits: arithmetic only, no device needed."""

import math
from collections.abc import Callable
from operator import mul
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
#: Nanoseconds on an H200 of each amount of work of a search, fitted to times (`benchmarks/gpu_fit.py`); the first is
#: for what it does before it begins, the others are in the order of `warp_work` and so on.
PRICES: dict[str, tuple[float, ...]] = {
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


def serves_block(facts: Facts, codec: Codec, radius: int, *, frontier_edges: bool, shared_bytes: int) -> bool:
    """Return whether the bits of a ball and the bins of its rings fit the shared memory of a block."""
    plain = codec.kind == 0 and frontier_edges and not codec.num_labels and radius >= 1
    return plain and block_shared(facts, codec, radius) + STATIC_SHARED <= shared_bytes


def block_shared(facts: Facts, codec: Codec, radius: int) -> int:
    """Return the bytes of dynamic shared memory of the block search."""
    return 4 * ((facts.num_nodes + 31) // 32 + radius * codec.base)


def blocks_together(facts: Facts, codec: Codec, radius: int, *, shared_bytes: int) -> int:
    """Return how many blocks of the block search have room on a multiprocessor, eight at most.

    Examples
    --------
    A graph of 64,000 vertices has 8,000 bytes of bits; with a hub of 9,999 neighbours two rings of bins have 80,000.

    >>> for degree in 9, 9_999:
    ...     facts, codec = Facts(64_000, 10**6, degree, 10**8, 0), Codec("total", degree, 0, 3)
    ...     blocks_together(facts, codec, 2, shared_bytes=227 * 1024)
    8
    2
    """
    return max(1, min(8, shared_bytes // (block_shared(facts, codec, radius) + STATIC_SHARED)))


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
    costs = expected_costs(serving, facts, codec, radius, ball, num_roots, shared_bytes)
    is_long = not serving or min(costs.values()) >= SAMPLED_FROM
    if ball.num_nodes > WARP_BALL and is_long and (sampled := sample()) is not None:
        ball = sampled
        costs = expected_costs(serving, facts, codec, radius, ball, num_roots, shared_bytes)
    if not serving:
        return "warp" if ball.num_nodes <= WARP_BALL else "ball"
    return min(costs, key=costs.__getitem__)


def searches_serving(
    facts: Facts, codec: Codec, radius: int, *, frontier_edges: bool, symmetric: bool, shared_bytes: int
) -> list[Algorithm]:
    """Return the searches for larger balls that serve a graph and settings."""
    serving: list[Algorithm] = []
    if serves_link(facts, codec, radius, symmetric=symmetric, shared_bytes=shared_bytes):
        serving.append("link")
    if serves_block(facts, codec, radius, frontier_edges=frontier_edges, shared_bytes=shared_bytes):
        serving.append("block")
    if serves_bitwise(facts, codec, radius, symmetric=symmetric, shared_bytes=shared_bytes):
        serving.append("bitwise")
    return serving


def expected_costs(
    serving: list[Algorithm],
    facts: Facts,
    codec: Codec,
    radius: int,
    ball: Ball,
    num_roots: int,
    shared_bytes: int,
) -> dict[Algorithm, float]:
    """Return the nanoseconds that each search would take: by warps, whose rest the link or the block search takes."""
    costs: dict[Algorithm, float] = {}
    if "link" in serving:
        costs["link"] = cost("link", link_work(facts, ball, num_roots))
    if "block" in serving:
        together = blocks_together(facts, codec, radius, shared_bytes=shared_bytes)
        costs["block"] = cost("block", block_work(facts, codec, radius, ball, num_roots, together))
    rest = costs.get("link", costs.get("block", math.inf))
    passed = passed_on(facts, ball) * rest if rest < math.inf or ball.num_nodes > WARP_BALL else 0
    costs["warp"] = passed + cost("warp", warp_work(ball, num_roots))
    if "bitwise" in serving:
        costs["bitwise"] = cost("bitwise", bitwise_work(facts, radius, num_roots))
    return costs


def cost(algorithm: Algorithm, work: tuple[float, ...]) -> float:
    """Return the nanoseconds that the work of a search takes."""
    return float(sum(map(mul, work, PRICES[algorithm])))


def warp_work(ball: Ball, num_roots: int) -> tuple[float, ...]:
    """Return 1, roots, and the arcs of all balls as far as a warp goes."""
    return 1.0, num_roots, num_roots * ball.num_arcs * min(1.0, WARP_HOLDS / ball.num_nodes)


def passed_on(facts: Facts, ball: Ball) -> float:
    """Return about which part of the roots has a ball too large for a warp, by the mean of those that have neighbours.

    Examples
    --------
    >>> passed_on(Facts(10, 20, 2, 40, 0), Ball(384.0, 1000.0)), passed_on(Facts(10, 20, 4, 80, 5), Ball(192.0, 500.0))
    (0.5, 0.5)
    """
    mean = ball.num_nodes * facts.num_nodes / max(1, facts.num_nodes - facts.num_isolated)
    return mean**2 / (mean**2 + WARP_HOLDS**2)


def link_work(facts: Facts, ball: Ball, num_roots: int) -> tuple[float, ...]:
    """Return 1, words of bits, vertices and arcs of all balls, and arcs that lead back if they lead anywhere."""
    words, inside = facts.num_nodes / 32, ball.num_arcs * ball.num_arcs / max(1, facts.num_arcs)
    return 1.0, num_roots * words, num_roots * ball.num_nodes, num_roots * ball.num_arcs, num_roots * inside


def block_work(
    facts: Facts, codec: Codec, radius: int, ball: Ball, num_roots: int, together: int
) -> tuple[float, ...]:
    """Return 1, words of bits and bins, and arcs and vertices of all balls, by how few of 8 blocks have room."""
    words, alone = facts.num_nodes / 32 + radius * codec.base, 8 / together
    return 1.0, num_roots * words, num_roots * ball.num_arcs * alone, num_roots * ball.num_nodes * alone


def bitwise_work(facts: Facts, radius: int, num_roots: int) -> tuple[float, ...]:
    """Return 1, batches, arcs read for all roots and rings, and bins of all roots that have neighbours."""
    active = num_roots * (1 - facts.num_isolated / max(facts.num_nodes, 1))
    base = facts.largest_degree + 1
    bins = (radius - 2) * base + min(base, HUB_DEGREE)
    return 1.0, math.ceil(active / BATCH_ROOTS), active * radius * facts.num_arcs, active * bins


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
    num_nodes, num_arcs = max(facts.num_nodes, 1), max(facts.num_arcs, 1)
    mean = num_arcs / num_nodes
    spread = max(facts.sum_of_squares / num_arcs / mean - 1, 1e-9)
    nodes, arcs = 1.0, mean
    for _ in range(min(radius, 64)):
        met = math.log1p(spread * arcs / num_nodes) / spread
        nodes, arcs = -num_nodes * math.expm1(-met), -num_arcs * math.expm1(-met * (1 + spread))
    return Ball(nodes, arcs)


def fits_device(num_nodes: int, num_arcs: int, free_bytes: int) -> bool:
    """Return whether a graph and the arrays of a search fit, and its arcs have 32-bit positions.

    Examples
    --------
    >>> fits_device(10**6, 10**7, 10**9), fits_device(10**6, 10**9, 10**10), fits_device(10, 2**31, 10**15)
    (True, False, False)
    """
    return num_arcs < MOST_ARCS and BYTES_PER_ARC * num_arcs + BYTES_PER_NODE * num_nodes <= free_bytes
