"""Which algorithm serves a task best, and what fits: arithmetic only, no device needed."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from egonet.kernel.cuda.codec import NARROW, Codec
from egonet.kernel.cuda.task import Facts

#: "triangle" (radius 1), "warp", "table", "block" and "ball" search from one root at a time with ever more memory,
#: "bitwise" from hundreds of roots at a time.
Algorithm: TypeAlias = Literal["auto", "triangle", "warp", "table", "block", "ball", "bitwise"]

#: Roots of one group of the bitwise search for each word of a lane.
GROUP_ROOTS = 256
#: The bitwise counters end at this degree; its bins hold at most this many rings.
BITWISE_DEGREE, BITWISE_RADIUS = 2**17, 8
#: Up to this mean size of a ball a warp per root pays; beyond 384 vertices a root is passed on.
WARP_BALL = 250
#: Up to this mean size of a ball tables found by hashing pay, up to this many vertices those with a slot for each.
TABLE_BALL, DIRECT_NODES = 4096, 14_000
#: Tables found by hashing: slots, most vertices of a ball, and threads. What outgrows one is passed on to the next.
HASHED_TABLES = ((4096, 3072, 512), (16384, 12288, 1024))
DIRECT_THREADS = 256
#: The counters of a table have 16 bits, the last number meaning something else.
TABLE_DEGREE = 2**16 - 2
#: Measured on an H200, in nanoseconds: a vertex of a ball in a table; an arc scanned by the block search; an arc of the
#: graph for each root of the bitwise search, and what that takes before it begins.
TABLE_VERTEX, BLOCK_ARC, BITWISE_ARC, BITWISE_START = 4e-2, 1.5e-3, 1e-4, 1.2e6
#: Dense counters of a warp, and the shared memory a block may use beside its static arrays.
DENSE_CODES, STATIC_SHARED = 1024, 10240
TOO_SMALL = 'the GPU has too little free memory for even one root of this graph. Use device="cpu".'
#: Positions of arcs have 32 bits, and are rounded up to tiles.
MOST_ARCS = 2**31 - 2**12
#: Bytes that a search may need on the device for each arc and each vertex of the graph.
BYTES_PER_ARC, BYTES_PER_NODE = 48, 64


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


@dataclass(frozen=True)
class Table:
    """How a block keeps a ball in shared memory; `table.cu` has the layout.

    Attributes
    ----------
    num_slots, capacity
        Places for vertices, and the most vertices of a ball.
    threads, shared
        Threads of a block, and bytes of its shared memory.
    is_direct
        Whether the number of a vertex is its slot.
    """

    num_slots: int
    capacity: int
    threads: int
    shared: int
    is_direct: bool


def tables(facts: Facts, codec: Codec, radius: int, *, shared_bytes: int) -> list[Table]:
    """Return the tables that serve, the smallest first; none for keys that are more than a total degree.

    Examples
    --------
    >>> few, many = Facts(1000, 9000, 50, 90000, 0), Facts(10**6, 10**7, 50, 10**9, 0)
    >>> [table.num_slots for table in tables(few, Codec("total", 50, 0, 3), 2, shared_bytes=227 * 1024)]
    [1000]
    >>> [table.num_slots for table in tables(many, Codec("total", 50, 0, 3), 2, shared_bytes=227 * 1024)]
    [4096, 16384]
    """
    if codec.kind or codec.num_labels or radius < 1 or facts.largest_degree > TABLE_DEGREE:
        return []
    bins, even = radius * codec.base, facts.num_nodes + facts.num_nodes % 2
    shapes = [(even, facts.num_nodes, DIRECT_THREADS, even // 2)]
    if facts.num_nodes > DIRECT_NODES:
        shapes = [(slots, most, threads, slots * 3 // 2) for slots, most, threads in HASHED_TABLES]
    behind = (bins + 1) // 2 + (bins + 31) // 32
    direct = facts.num_nodes <= DIRECT_NODES
    found = [
        Table(slots, most, threads, 4 * (words + (most + 1) // 2 + behind), direct)
        for slots, most, threads, words in shapes
    ]
    return [table for table in found if table.shared + 2048 <= shared_bytes]


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
) -> Algorithm:
    """Return the algorithm that the statistics of the graph speak for; every answer is exact.

    Balls are estimated by walks: a vertex has d neighbours on the average, and each of them q = (sum of squared
    degrees) / (sum of degrees) neighbours of its own.

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
    if estimated_ball(facts, radius) <= WARP_BALL:
        return "warp"
    ball = estimated_ball(facts, radius)
    costs: dict[Algorithm, float] = {}
    served = tables(facts, codec, radius, shared_bytes=shared_bytes) if symmetric else []
    if served and (served[0].is_direct or ball <= TABLE_BALL):
        costs["table"] = num_roots * ball * TABLE_VERTEX
    if serves_bitwise(facts, codec, radius, symmetric=symmetric, shared_bytes=shared_bytes):
        costs["bitwise"] = BITWISE_START + num_roots * facts.num_arcs * BITWISE_ARC
    if serves_block(facts, codec, radius, frontier_edges=frontier_edges, shared_bytes=shared_bytes):
        costs["block"] = num_roots * min(facts.num_arcs, ball * branching(facts)) * BLOCK_ARC
    return min(costs, key=costs.__getitem__, default="ball")


def branching(facts: Facts) -> float:
    """Return the mean degree of the vertex at the end of a random arc."""
    return facts.sum_of_squares / max(facts.num_arcs, 1)


def estimated_ball(facts: Facts, radius: int) -> float:
    """Return the mean number of vertices within the radius if no two walks met, at most all.

    Examples
    --------
    >>> cycle = Facts(100, 200, 2, 400, 0)
    >>> estimated_ball(cycle, 1), estimated_ball(cycle, 2)
    (3.0, 7.0)
    """
    ball, ring = 1.0, facts.num_arcs / max(facts.num_nodes, 1)
    for _ in range(min(radius, 64)):
        ball += ring
        ring *= branching(facts)
        if ball >= facts.num_nodes:
            break
    return min(ball, float(facts.num_nodes))


def fits_device(num_nodes: int, num_arcs: int, free_bytes: int) -> bool:
    """Return whether a graph and the arrays of a search fit, and its arcs have 32-bit positions.

    Examples
    --------
    >>> fits_device(10**6, 10**7, 10**9), fits_device(10**6, 10**9, 10**10), fits_device(10, 2**31, 10**15)
    (True, False, False)
    """
    return num_arcs < MOST_ARCS and BYTES_PER_ARC * num_arcs + BYTES_PER_NODE * num_nodes <= free_bytes
