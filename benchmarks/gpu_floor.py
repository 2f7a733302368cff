"""How fast a GPU could be: the rate at which it reads at random, and what each algorithm has to read."""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import graphs
import numpy as np

from egonet.kernel.cuda import bitwise
from egonet.kernel.cuda import choose as plan
from egonet.typing import Int64s

#: Gigabytes a second by (bytes of a row, megabytes of the set).
Rates = dict[tuple[int, int], float]
#: Megabytes of the sets that are read at random; the last is beyond every cache.
SET_SIZES = (8, 16, 32, 1024)
#: A call that takes longer is timed fewer times, and one that takes less more often.
SLOW_MS, FAST_MS, FAST_REPEATS = 250, 1, 31
#: Calls are made for so long before any is counted: the clocks of a GPU that was idle are low.
WARM_MS = 100
#: A call that takes so many times as long as the fastest of several is made in so many rounds only.
FAR, FAR_REPEATS = 3, 3


def taken_ms(call: Callable[[], object], cupy: Any) -> float:
    """Return the milliseconds of one call, the device idle before and after."""
    cupy.cuda.Device().synchronize()
    begin = time.perf_counter()
    call()
    cupy.cuda.Device().synchronize()
    return 1e3 * (time.perf_counter() - begin)


def median_ms(call: Callable[[], object], cupy: Any, repeats: int = 7, *, warm_ms: float = WARM_MS) -> float:
    """Return the median milliseconds of a call on a warm device."""
    return statistics.median(times_ms(call, cupy, repeats, warm_ms=warm_ms))


def times_ms(
    call: Callable[[], object], cupy: Any, repeats: int = 7, *, warm_ms: float = WARM_MS
) -> list[float]:
    """Return the milliseconds of calls on a warm device; the first call may compile, and warms nothing."""
    taken_ms(call, cupy)
    warm = [taken_ms(call, cupy)]
    while sum(warm) < warm_ms:
        warm.append(taken_ms(call, cupy))
    if warm[-1] < FAST_MS:
        repeats = max(repeats, FAST_REPEATS)
    times: list[float] = []
    while len(times) < repeats and (len(times) < 2 or times[-1] < SLOW_MS):
        times.append(taken_ms(call, cupy))
    return times


def interleaved_ms(
    calls: Mapping[str, Callable[[], object]],
    cupy: Any,
    repeats: int = 7,
    *,
    warm_ms: float = WARM_MS / 2,
    aside: str = "",
) -> dict[str, list[float]]:
    """Return the milliseconds of several calls, made by turns in ever other order, so that what disturbs hits all.

    Those that take much longer than the fastest are made in few of the rounds. `aside` is a call in every round that
    is not one of those compared. The first calls may compile.
    """
    for call in calls.values():
        taken_ms(call, cupy)
    rough = {name: taken_ms(call, cupy) for name, call in calls.items()}
    warm, fastest = sum(rough.values()), min(rough.keys() - {aside}, key=rough.__getitem__)
    while warm < warm_ms:
        rough[fastest] = taken_ms(calls[fastest], cupy)
        warm += rough[fastest]
    repeats = max(repeats, FAST_REPEATS) if rough[fastest] < FAST_MS else repeats
    times: dict[str, list[float]] = {name: [] for name in calls}
    random = np.random.default_rng(0)
    for turn in range(repeats):
        all_of_them = turn % -(-repeats // FAR_REPEATS) == 0
        near = [name for name in calls if all_of_them or rough[name] <= FAR * rough[fastest]]
        for place in random.permutation(len(near)):
            times[near[place]].append(taken_ms(calls[near[place]], cupy))
    return times


def spread_of(times: Sequence[float]) -> tuple[float, float]:
    """Return between what the middle four fifths of some times are.

    Examples
    --------
    >>> spread_of(range(11))
    (1.0, 9.0)
    """
    low, high = np.percentile(times, (10, 90))
    return float(low), float(high)


def row_rates(cupy: Any) -> Rates:
    """Return gigabytes a second of random reads, by (bytes of a row, megabytes of the set)."""
    kernel = cupy.RawModule(code=(Path(__file__).parent / "sectors.cu").read_text()).get_function("read_rows")
    out, rates = cupy.zeros(1, cupy.uint32), {}
    blocks, threads, steps = 132 * 16, 256, 256
    for row_bytes in (32, 64, 128):
        for megabytes in SET_SIZES:
            rows = cupy.ones(megabytes << 18, cupy.uint32)
            lanes, mask = row_bytes // 16, (megabytes << 20) // row_bytes - 1
            call = lambda: kernel((blocks,), (threads,), (rows, np.uint32(mask), lanes, steps, out))  # noqa: B023, E731
            milliseconds = median_ms(call, cupy, warm_ms=WARM_MS / 5)
            rates[row_bytes, megabytes] = blocks * threads * 16 * steps / milliseconds / 1e6
    return rates


def out_degrees(graph: graphs.BenchmarkGraph, degrees: Int64s) -> tuple[Int64s, Int64s]:
    """Return the edges, and for every node how many of them point away from it, to a higher degree."""
    edges = graph.edges()
    flip = (degrees[edges[:, 0]] > degrees[edges[:, 1]]) | (
        (degrees[edges[:, 0]] == degrees[edges[:, 1]]) & (edges[:, 0] > edges[:, 1])
    )
    low = np.where(flip, edges[:, 1], edges[:, 0])
    return edges, np.bincount(low, minlength=graph.num_nodes)


def sectors_of_lists(lengths: Int64s) -> Int64s:
    """Return how many 32-byte sectors a list and its place take on the average, wherever the list begins."""
    sectors: Int64s = 1 + (lengths + 14) // 8
    return sectors


def floor_ms(
    graph: graphs.BenchmarkGraph, radius: int, algorithm: str, last_ring: int, rates: Rates
) -> float:
    """Return the milliseconds that reading what the algorithm reads takes at the measured rate.

    `last_ring` is how many nodes the last rings of all balls have together.
    """
    degrees = np.diff(graph.indptr).astype(np.int64)
    if algorithm == "bitwise":
        nodes, row = int((degrees > 0).sum()), 32 * bitwise.WORDS
        groups = -(-nodes // (plan.GROUP_ROOTS * bitwise.WORDS))
        megabytes = min(SET_SIZES, key=lambda size: abs(size - nodes * row / 2**20))
        return radius * groups * len(graph.indices) * row / rates[row, megabytes] / 1e6
    edges, out = out_degrees(graph, degrees)
    if algorithm == "triangle":
        shorter = np.minimum(out[edges[:, 0]], out[edges[:, 1]])
        sectors = int((2 * (shorter + 7) // 8 + 1)[shorter > 1].sum()) + 2 * len(edges)
    else:
        # A node is in the last ring of about as many balls as there are walks to it, at most of all.
        walks = np.add.reduceat(np.append(degrees[graph.indices], 0), graph.indptr[:-1]) * (degrees > 0)
        weights = np.minimum(walks, graph.num_nodes)
        read = sectors_of_lists(degrees if algorithm == "block" else out)
        sectors = int((degrees * sectors_of_lists(degrees)).sum())
        sectors += int(last_ring * (weights @ read) / max(1, int(weights.sum())))
    megabytes = min(SET_SIZES, key=lambda size: abs(size - len(graph.indices) * 4 / 2**20))
    return sectors * 32 / rates[32, megabytes] / 1e6
