"""How fast the kernel's algorithms are on one graph of the caller's: interleaved runs, medians, ratios."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from egonet.graph.graph import Graph
from egonet.kernel import native


@dataclass(frozen=True)
class Timing:
    """The median times of one contender.

    Attributes
    ----------
    name
        The contender.
    cpu, wall
        Seconds, medians over the repeats.
    scale
        By how much a run on a sample of roots was multiplied; 1 for whole runs.
    """

    name: str
    cpu: float
    wall: float
    scale: float = 1.0


def interleave(
    contenders: Mapping[str, Callable[[], object]],
    *,
    repeats: int = 5,
    scales: Mapping[str, float] | None = None,
) -> list[Timing]:
    """Return the times of contenders that take turns, so that a busy machine slows all of them alike.

    Every round has another order: whoever comes after a long one finds its data gone from the caches.

    Examples
    --------
    >>> [timing.name for timing in interleave({"nothing": lambda: None, "little": lambda: sum(range(9))})]
    ['nothing', 'little']
    """
    cpu: dict[str, list[float]] = {name: [] for name in contenders}
    wall: dict[str, list[float]] = {name: [] for name in contenders}
    rng, names = np.random.default_rng(0), list(contenders)
    for _ in range(repeats):
        for place in rng.permutation(len(names)):
            name, call = names[place], contenders[names[place]]
            began = time.process_time(), time.perf_counter()
            call()
            cpu[name].append(time.process_time() - began[0])
            wall[name].append(time.perf_counter() - began[1])
    scale = {name: (scales or {}).get(name, 1.0) for name in contenders}
    return [
        Timing(
            name,
            float(np.median(cpu[name])) * scale[name],
            float(np.median(wall[name])) * scale[name],
            scale[name],
        )
        for name in contenders
    ]


def benchmark_graph(
    graph: Graph, *, radius: int = 2, repeats: int = 5, threads: Sequence[int] = (1, 0)
) -> list[Timing]:
    """Return the times of every algorithm that serves the graph, and of the automatic choice on more threads.

    Parameters
    ----------
    graph
        The graph; encoded whole, total degrees.
    radius
        Hops around each root.
    repeats
        How often each contender runs.
    threads
        Numbers of threads for the automatic choice; 0 is one per core.

    Examples
    --------
    >>> import egonet
    >>> timings = benchmark_graph(egonet.as_graph([(0, 1), (1, 2)]), radius=1, repeats=1)
    >>> [timing.name for timing in timings]
    ['triangle', 'source', 'bitwise', 'auto', 'auto, all cores']
    """
    symmetric = graph.directed is None

    def call(algorithm: native.Algorithm, count: int) -> Callable[[], object]:
        return lambda: native.encode_rows(
            graph.indptr, graph.indices, None, radius, symmetric=symmetric, threads=count, algorithm=algorithm
        )

    contenders: dict[str, Callable[[], object]] = {}
    if radius == 1 and symmetric:
        contenders["triangle"] = call("triangle", 1)
    contenders["source"] = call("source", 1)
    contenders["bitwise"] = call("bitwise", 1)
    for count in threads:
        name = {0: "auto, all cores", 1: "auto"}.get(count, f"auto, {count} threads")
        contenders[name] = call("auto", count)
    return interleave(contenders, repeats=repeats)
