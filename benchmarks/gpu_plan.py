"""Whether the plan of the GPU backend chooses well: every algorithm that serves, on many graphs and settings."""

import statistics
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import fresh
import further
import graphs
import numpy as np
import unseen
from gpu_floor import interleaved_ms, spread_of

from egonet.errors import EgonetError
from egonet.kernel.cuda import choose as plan
from egonet.kernel.cuda.backend import choose, encode_on_device, graph_facts
from egonet.kernel.cuda.codec import make_codec
from egonet.kernel.cuda.device import CudaDevice
from egonet.kernel.cuda.task import Task
from egonet.typing import Degrees

#: A graph, its radii, and whether layered and full degrees are compared on it too.
Case = tuple[Any, tuple[int, ...], bool]
#: The prices of the plan were fitted to these (`gpu_fit.py`).
FITTED: list[Case] = [
    (graphs.facebook, (1, 2, 3), True),
    (graphs.ca_astroph, (1, 2, 3), True),
    (lambda: graphs.rmat(14), (1, 2, 3), False),
    (lambda: graphs.barabasi_albert(20_000, 5), (1, 2, 3), False),
    (lambda: graphs.barabasi_albert(100_000, 8), (1, 2), False),
    (lambda: graphs.erdos_renyi(100_000, 20), (1, 2), True),
    (lambda: graphs.small_graphs(2000), (1, 2, 3), True),
    (lambda: graphs.grid(300), (1, 2, 3), True),
    (lambda: graphs.watts_strogatz(50_000, 12, 0.1), (1, 2, 3), True),
    (lambda: graphs.watts_strogatz(20_000, 60, 0.3), (2, 3), False),
    (lambda: graphs.random_regular(100_000, 6), (2, 3, 4), False),
    (lambda: graphs.random_regular(30_000, 30), (1, 2, 3), True),
    (lambda: graphs.planted_partition(40_000, 200, 30, 4), (1, 2, 3), True),
    (lambda: graphs.power_law(60_000, 10, 2.2), (1, 2), True),
    (lambda: graphs.power_law(60_000, 16, 3.5), (2, 3), False),
    (lambda: graphs.power_law(8_000, 40, 2.6), (2, 3), False),
    (lambda: graphs.barabasi_albert(50_000, 4, seed=7), (2, 3), False),
    (lambda: graphs.barabasi_albert(10_000, 20, seed=8), (2, 3), False),
    (lambda: graphs.erdos_renyi(30_000, 40, seed=9), (2, 3), False),
    (lambda: graphs.rmat(15, 8, seed=5), (1, 2, 3), False),
    (lambda: graphs.rmat(16, 24, seed=6), (1, 2), False),
    (lambda: graphs.small_graphs(500, 60, 30, seed=4), (2, 3), True),
    (lambda: graphs.grid(120), (2, 4, 8), True),
    (lambda: unseen.random_geometric(45_000, 18), (1, 2, 3, 4), True),
    (lambda: unseen.ring_of_cliques(1_500, 24), (1, 2, 3), True),
    (lambda: unseen.bipartite(25_000, 3_000, 180_000), (1, 2, 3), False),
    (lambda: unseen.caterpillar(3_000, 60_000), (1, 2, 3), True),
    (lambda: unseen.random_tree(90_000), (1, 2, 3), False),
    (lambda: unseen.configuration(70_000, 2.5, 4), (1, 2, 3), False),
    (lambda: unseen.core_and_rim(600, 15_000, 80, 6), (1, 2, 3), True),
    (lambda: unseen.windmills(40, 300), (1, 2, 3), True),
    (lambda: unseen.hypercube(14), (2, 3, 4), False),
    (lambda: unseen.kings(220), (1, 2, 3), True),
    (lambda: unseen.copying(20_000, 0.45), (1, 2, 3), False),
    (lambda: unseen.among_isolated(graphs.power_law(12_000, 14, 2.8, seed=3), 10), (1, 2, 3), False),
    (lambda: unseen.square_of_astroph(5_000), (1, 2), True),
    (lambda: unseen.kronecker(15, 12), (1, 2, 3), False),
    (lambda: graphs.erdos_renyi(3_000, 250, seed=11), (1, 2), False),
    (lambda: graphs.watts_strogatz(15_000, 24, 0.02, seed=3), (2, 3), False),
    (lambda: fresh.torus(32), (1, 2, 3, 4), True),
    (lambda: fresh.groups(18_000, 9_000, 11), (1, 2, 3), True),
    (lambda: fresh.bush(14, 4), (1, 2, 3), False),
    (lambda: fresh.de_bruijn(16), (2, 3, 4), False),
    (lambda: fresh.circulant(40_000, (1, 2, 5, 11, 23, 47, 95)), (1, 2, 3), True),
    (lambda: fresh.line_graph(9_000, 8), (1, 2, 3), True),
    (lambda: fresh.board_with_hubs(160, 15, 700), (1, 2, 3), True),
    (lambda: fresh.threshold(6_000, 1.02), (1, 2), False),
    (lambda: fresh.hyperbolic(10_000, 16.2, 0.8), (1, 2, 3), False),
    (lambda: fresh.caves(1_500, 3, 60, 20_000), (1, 2, 3), True),
]
#: Other kinds and sizes: no price was fitted to them.
HELD_OUT: list[Case] = [
    (lambda: further.apollonian(30_000), (1, 2, 3), True),
    (lambda: further.delaunay(50_000), (2, 3, 4), False),
    (lambda: further.pairs_that_meet(130), (1, 2), True),
    (lambda: further.far_calls(180, 3), (1, 2, 3), True),
    (lambda: further.layers(60, 400, 12), (1, 2, 3), True),
    (lambda: further.permutations(8), (2, 3, 4), False),
    (lambda: further.sites(500, 3_000, 6_000), (1, 2, 3), False),
    (lambda: further.ageing(40_000, 10, 4_000), (1, 2, 3), False),
]
#: The plan shall take at most so many times as long as the fastest.
AIM = 1.3
#: How much later than the fastest is no difference, and from which time of the fastest on ratios are told apart.
SAME_MS, AIMED_MS = 0.03, 0.5
ALGORITHMS: tuple[plan.Algorithm, ...] = ("triangle", "warp", "link", "block", "bitwise", "ball")


def make_task(device: CudaDevice, graph: graphs.BenchmarkGraph, radius: int, degrees: Degrees) -> Task:
    """Return a search from all nodes, the graph on the device."""
    num_nodes, num_arcs = graph.num_nodes, len(graph.indices)
    facts, row_ptr = graph_facts(device, graph.indptr, num_arcs)
    codec = make_codec(num_nodes, facts.largest_degree, radius, degrees=degrees, max_degree=None, labels=None)
    arrays = (row_ptr, device.upload(graph.indices), None, None)
    return Task(device, facts, codec, *arrays, num_nodes, radius, True, True, [(num_arcs, None)])


def serving(radius: int, degrees: Degrees) -> list[plan.Algorithm]:
    """Return the algorithms worth timing: those that would only pass the work on are left out."""
    left_out = {"triangle"} if radius > 1 else {"bitwise"}
    if degrees != "total":
        left_out |= {"link", "block", "bitwise"}
    else:
        left_out |= {"ball"}
    return [algorithm for algorithm in ALGORITHMS if algorithm not in left_out]


def compare(device: CudaDevice, *, held_out: bool = False) -> list[dict[str, Any]]:
    """Print for each case what was chosen and how much longer it took than the fastest; return all times.

    The cases are those that the plan was fitted to, or those that were held out from it.
    """
    print(
        "\n| graph, radius, degrees | chosen | its ms | fastest | its ms | ratio |\n|---|---|--:|---|--:|--:|"
    )
    found = []
    for make, radii, all_kinds in HELD_OUT if held_out else FITTED:
        graph = make()
        for radius in radii if graph else ():
            for degrees in ("total", "layered", "full") if all_kinds and radius < 3 else ("total",):
                found.append(compare_one(device, graph, radius, degrees))
    for least in (0.0, AIMED_MS):
        ratios = [row["ratio"] for row in found if row["fastest"] >= least]
        print(
            f"\nfastest from {least} ms on: {sum(ratio <= AIM for ratio in ratios)} of {len(ratios)} at most {AIM}, "
            f"95 % at most {np.percentile(ratios, 95):.2f}, largest {max(ratios):.2f}"
        )
    return found


def compare_one(
    device: CudaDevice, graph: graphs.BenchmarkGraph, radius: int, degrees: Degrees
) -> dict[str, Any]:
    """Time every algorithm on one graph by turns, data on the device, and print a line.

    What was chosen is counted with the choice. A difference below `SAME_MS` is none.
    """
    task = make_task(device, graph, radius, degrees)
    chosen = choose(task)
    arrays = (device.upload(graph.indptr), task.indices)
    calls: dict[str, Callable[[], object]] = {"choosing": partial(choose, task)}
    for algorithm in ("auto", *serving(radius, degrees)):
        call = partial(
            encode_on_device, *arrays, None, radius, degrees=degrees, algorithm=algorithm, device=device
        )
        with suppress(EgonetError):
            call()
            calls[algorithm] = call
    samples = interleaved_ms(calls, device.cupy, 5, aside="choosing")
    times = {name: statistics.median(taken) for name, taken in samples.items()}
    fastest = min(times.keys() - {"auto", "choosing"}, key=times.__getitem__)
    its = times[chosen] + times["choosing"]
    ratio = 1.0 if its - times[fastest] < SAME_MS else its / times[fastest]
    print(
        f"| {graph.name}, {radius}, {degrees} | {chosen} | {its:.2f} | {fastest} | {times[fastest]:.2f} "
        f"| {ratio:.2f} |",
        flush=True,
    )
    row = {"graph": graph.name, "radius": radius, "degrees": degrees, "chosen": chosen, "ratio": ratio}
    spreads = {name: spread_of(taken) for name, taken in samples.items()}
    facts = task.facts._asdict()
    return {**row, "times": times, "spreads": spreads, "fastest": times[fastest], "facts": facts}
