"""The GPU against the CPU kernel, and its choice of a search: python -m benchmarks.gpu [--quick] [--choice].

Needs a GPU and pip install "egonet[cuda]". Prints milliseconds of the CPU with 1 and 16 threads, with graph and result
on the GPU, and with transfers from and to page-locked and ordinary memory; medians after warm calls. ~ marks times that
are extended from samples of the roots. `--choice` times every search on held-out graphs, and compares the choice with
the fastest. `--profile` adds the time of each kernel, `--json FILE` writes all figures.
"""

import argparse
import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import graphs
from benchmarks.graphs import BenchmarkGraph
from egonet.errors import DeviceError, EgonetError, MissingExtraError
from egonet.kernel import native
from egonet.kernel.cuda.backend import choose_search, counted_ball, encode_on_device, encode_rows, facts_of
from egonet.kernel.cuda.choose import SearchTask, make_codec, supports_triangle
from egonet.kernel.cuda.device import CudaDevice, open_device

CASES: dict[str, tuple[Callable[[], BenchmarkGraph | None], tuple[int, ...]]] = {
    "facebook": (graphs.facebook, (1, 2)),
    "ba": (lambda: graphs.barabasi_albert(100_000, 8), (2,)),
    "er": (lambda: graphs.erdos_renyi(1_000_000), (1, 2)),
    "rmat17": (lambda: graphs.rmat(17), (1, 2)),
    "rmat18": (lambda: graphs.rmat(18), (1, 2)),
    "rmat20": (lambda: graphs.rmat(20, 11), (1,)),
}
#: Calls run for this long before the first one is timed: the clocks of an idle GPU are low.
WARM_MS = 100
#: The number of timed calls, and the number if a call takes less than a millisecond.
REPEATS, FAST_REPEATS = 7, 31
#: At radius 2 larger graphs are sampled on the CPU: one root of this many, by one thread and by sixteen.
WHOLE_NODES, SAMPLED = 50_000, {1: 64, 16: 8}
SEARCHES = ("triangle", "warp", "block", "bitwise")

HEAD = """
| graph, radius | search | CPU, 1 | CPU, 16 | GPU | pinned | pageable | entries |
|---|---|--:|--:|--:|--:|--:|--:|"""


class ProfiledDevice(CudaDevice):
    """A device that times each kernel."""

    def __init__(self, cupy: Any) -> None:
        super().__init__(cupy)
        self.times: defaultdict[str, float] = defaultdict(float)

    def launch(self, kernel: str, grid: Any, threads: int, *args: Any, shared: int = 0) -> None:
        begin, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        begin.record()
        super().launch(kernel, grid, threads, *args, shared=shared)
        end.record()
        end.synchronize()
        self.times[kernel] += self.cupy.cuda.get_elapsed_time(begin, end)


def call_ms(call: Callable[[], object], cupy: Any) -> float:
    """Return the milliseconds of one call, with an idle device before and after."""
    cupy.cuda.Device().synchronize()
    begin = time.perf_counter()
    call()
    cupy.cuda.Device().synchronize()
    return 1e3 * (time.perf_counter() - begin)


def medians(calls: dict[str, Callable[[], object]], cupy: Any) -> dict[str, float]:
    """Return the median milliseconds of calls that take turns in random order, on a warm device."""
    for call in calls.values():
        call_ms(call, cupy)  # may compile
    rough = {name: call_ms(call, cupy) for name, call in calls.items()}
    fastest, warm = min(rough, key=rough.__getitem__), sum(rough.values())
    while warm < WARM_MS:
        warm += call_ms(calls[fastest], cupy)
    times: dict[str, list[float]] = {name: [] for name in calls}
    rng = np.random.default_rng(0)
    for _ in range(FAST_REPEATS if rough[fastest] < 1 else REPEATS):
        for name in rng.permutation(list(calls)):
            times[name].append(call_ms(calls[name], cupy))
    return {name: statistics.median(found) for name, found in times.items()}


def cpu_ms(graph: BenchmarkGraph, radius: int, threads: int) -> tuple[float, bool]:
    """Return the milliseconds of the CPU kernel, and whether they are extended from a sample of the roots."""

    def once(roots: Any) -> float:
        begin = time.perf_counter()
        native.encode_rows(graph.indptr, graph.indices, roots, radius, threads=threads)
        return 1e3 * (time.perf_counter() - begin)

    shuffled = np.random.default_rng(0).permutation(graph.num_nodes)
    once(shuffled[:64])
    if radius == 1 or graph.num_nodes <= WHOLE_NODES or (threads > 1 and graph.num_nodes < 4 * WHOLE_NODES):
        return statistics.median(once(None) for _ in range(3)), False
    # Two samples, so that costs that do not grow with the roots are not multiplied.
    size = graph.num_nodes // (2 * SAMPLED[threads])
    few, more = once(shuffled[:size]), once(shuffled[: 2 * size])
    return few + (more - few) / size * (graph.num_nodes - size), True


def chosen_search(device: CudaDevice, graph: BenchmarkGraph, radius: int) -> str:
    """Return the search that algorithm="auto" takes for all nodes."""
    if supports_triangle(radius, symmetric=True, has_labels=False):
        return "triangle"
    num_nodes, num_arcs = graph.num_nodes, len(graph.indices)
    facts, row_ptr = facts_of(device, device.upload(graph.indptr), num_arcs)
    codec = make_codec(num_nodes, facts.largest_degree, radius, degrees="total", max_degree=None, labels=None)
    arrays = (row_ptr, device.upload(graph.indices), None, None)
    task = SearchTask(device, facts, codec, *arrays, num_nodes, radius, True, True, [(num_arcs, None)])
    return choose_search(task, partial(counted_ball, graph.indptr, graph.indices, None, radius))


def measure(graph: BenchmarkGraph, radius: int, *, profile: bool) -> dict[str, Any]:
    """Return the figures of the GPU on one graph at one radius."""
    import cupyx

    def pinned(array: Any) -> Any:
        copy = cupyx.empty_pinned(array.shape, array.dtype)
        copy[...] = array
        return copy

    device = open_device()
    resident = (device.upload(graph.indptr), device.upload(graph.indices))
    host = (pinned(graph.indptr), pinned(graph.indices))
    row: dict[str, Any] = {
        "graph": graph.name,
        "radius": radius,
        "search": chosen_search(device, graph, radius),
    }
    calls: dict[str, Callable[[], object]] = {
        "resident": partial(encode_on_device, *resident, None, radius),
        "pinned": partial(encode_rows, *host, None, radius),
        "pageable": partial(encode_rows, graph.indptr, graph.indices, None, radius),
    }
    row |= medians(calls, device.cupy)
    row["entries"] = len(encode_on_device(*resident, None, radius).columns)
    if profile:
        profiled = ProfiledDevice(device.cupy)
        for _ in range(2):
            profiled.times.clear()
            encode_on_device(*resident, None, radius, device=profiled)
        row["kernels"] = dict(sorted(profiled.times.items(), key=lambda item: -item[1]))
    return row


def show(row: dict[str, Any]) -> None:
    """Print one line of the table, and the kernels if they were timed."""
    cpu = [
        f"{'~' * row[f'cpu{threads}_sampled']}{row[f'cpu{threads}']:,.0f}" if f"cpu{threads}" in row else "-"
        for threads in (1, 16)
    ]
    times = " | ".join(f"{row[name]:.2f}" for name in ("resident", "pinned", "pageable"))
    print(
        f"| {row['graph']}, {row['radius']} | {row['search']} | {cpu[0]} | {cpu[1]} | {times} | {row['entries']:,} |"
    )
    for name, milliseconds in list(row.get("kernels", {}).items())[:12]:
        print(f"    {name:36s} {milliseconds:9.3f} ms")
    sys.stdout.flush()


def compare_choice(*, quick: bool) -> list[dict[str, Any]]:
    """Print for every held-out graph the choice and the fastest search; return all times.

    The time of "auto" includes the choice; the graph is on the host, where balls can be counted.
    """
    print("\n| graph, radius | auto | ms | fastest | ms | ratio |\n|---|---|--:|---|--:|--:|")
    device, found = open_device(), []
    for make, radii in graphs.HELD_OUT[: 2 if quick else None]:
        graph = make()
        for radius in radii:
            calls: dict[str, Callable[[], object]] = {}
            for name in ("auto", *SEARCHES):
                call = partial(encode_rows, graph.indptr, graph.indices, None, radius, algorithm=name)
                with suppress(EgonetError):  # unsupported
                    call()
                    calls[name] = call
            times = medians(calls, device.cupy)
            fastest = min(times.keys() - {"auto"}, key=times.__getitem__)
            row = {"graph": graph.name, "radius": radius, "search": chosen_search(device, graph, radius)}
            found.append(row | {"times": times, "ratio": times["auto"] / times[fastest]})
            print(
                f"| {graph.name}, {radius} | {row['search']} | {times['auto']:.2f} | {fastest} | "
                f"{times[fastest]:.2f} | {found[-1]['ratio']:.2f} |",
                flush=True,
            )
    ratios = [row["ratio"] for row in found]
    print(f"\nAt most {max(ratios):.2f}, geometric mean {statistics.geometric_mean(ratios):.3f}.")
    return found


def main() -> None:
    """Measure the given cases, all by default, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", default=list(CASES), help='short names, or "none"')
    parser.add_argument("--quick", action="store_true", help="small graphs, no CPU")
    parser.add_argument("--no-cpu", action="store_true", help="skip the CPU")
    parser.add_argument("--profile", action="store_true", help="time each kernel")
    parser.add_argument("--choice", action="store_true", help="compare the choice with every search")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    options = parser.parse_args()
    try:
        open_device()
    except (DeviceError, MissingExtraError) as error:
        print(error)
        return
    rows: list[dict[str, Any]] = []
    print(HEAD)
    for name in ["facebook"] if options.quick else options.cases:
        make, radii = CASES.get(name, (lambda: None, ()))
        graph = make()
        for radius in radii if graph else ():
            row = measure(graph, radius, profile=options.profile)
            for threads in () if options.no_cpu or options.quick else (1, 16):
                row[f"cpu{threads}"], row[f"cpu{threads}_sampled"] = cpu_ms(graph, radius, threads)
            rows.append(row)
            show(row)
        open_device().release()
    choices = compare_choice(quick=options.quick) if options.choice else []
    if options.json:
        options.json.write_text(json.dumps({"times": rows, "choice": choices}, indent=1) + "\n")


if __name__ == "__main__":
    main()
