"""The GPU against the CPU (1 and 16 threads), and against the rate at which the GPU can read.

Prints a table: milliseconds of the CPU, with graph and result on the GPU, with transfers from and to page-locked and
ordinary memory, and how many times the floor. What takes less than a millisecond is timed again after every other
graph, and what takes less than ten in two more rounds at the end, each with other page-locked memory; the median is of
all rounds, so that neither a passing disturbance nor a place in memory decides. The CPU comes last. The floor is
the time the GPU needs to read, at its measured random rate, what the algorithm reads; rows it can skip bring it below.
`--profile` adds the time of each kernel, `--plan` compares the algorithm chosen with all others on the graphs that the
plan was fitted to, `--held-out` on graphs that it was not fitted to, `--json FILE` writes everything.
"""

import argparse
import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import gpu_plan
import graphs
from gpu_floor import FAST_MS, Rates, floor_ms, row_rates, spread_of, times_ms

from egonet.kernel.cuda.backend import choose, encode_on_device, encode_rows
from egonet.kernel.cuda.device import CudaDevice, open_device

CASES = {
    "facebook": (graphs.facebook, (1, 2)),
    "ba": (lambda: graphs.barabasi_albert(100_000, 8), (2,)),
    "er": (lambda: graphs.erdos_renyi(1_000_000), (1, 2)),
    "rmat17": (lambda: graphs.rmat(17), (1, 2)),
    "rmat18": (lambda: graphs.rmat(18), (1, 2)),
    "rmat20": (lambda: graphs.rmat(20, 11), (1,)),
}
#: The CPU is timed again until it has worked this many milliseconds.
CPU_MS = 200
#: Radius 2 on the CPU: graphs of more nodes than this are sampled, by one thread and, with hubs, by sixteen: so many
#: in a sample of one root. The time is extended to all roots, and marked with ~.
WHOLE_NODES, SAMPLED_BY_ONE, SAMPLED_BY_MANY = 50_000, 64, 8
#: Milliseconds of calls before a round after the first. Rows of less than so many have so many rounds more.
ROUND_WARM_MS, AGAIN_MS, MORE_ROUNDS = 30, 10, 2

HEAD = """
| graph, radius | algorithm | CPU, 1 | CPU, 16 | GPU | pinned | pageable | floor | GPU/floor | entries |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"""


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


def unique_on_gpu(codes: Any) -> Any:
    """Return the distinct codes in rising order."""
    cupy = open_device().cupy
    found = cupy.unique(cupy.asarray(codes)).get()
    open_device().release()
    return found


def cpu_ms(graph: graphs.BenchmarkGraph, radius: int, threads: int) -> tuple[float, bool]:
    """Return the milliseconds of the CPU kernel, and whether they are extended from those of some roots."""
    from egonet.kernel import native

    def taken(roots: Any) -> float:
        begin = time.perf_counter()
        native.encode_rows(graph.indptr, graph.indices, roots, radius, threads=threads)
        return 1e3 * (time.perf_counter() - begin)

    shuffled = np.random.default_rng(0).permutation(graph.num_nodes)
    taken(shuffled[:64])
    has_hubs = len(graph.indices) > 20 * graph.num_nodes
    is_whole = threads > 1 and (graph.num_nodes < 4 * WHOLE_NODES or not has_hubs)
    if radius == 1 or graph.num_nodes <= WHOLE_NODES or is_whole:
        times = [taken(None)]
        while sum(times) < CPU_MS and len(times) < 7:
            times.append(taken(None))
        return statistics.median(times), False
    # Two samples, so that what does not grow with the roots is not multiplied.
    size = graph.num_nodes // (2 * (SAMPLED_BY_ONE if threads == 1 else SAMPLED_BY_MANY))
    few, more = taken(shuffled[:size]), taken(shuffled[: 2 * size])
    return few + (more - few) / size * (graph.num_nodes - size), True


def pinned(cupyx: Any, array: Any) -> Any:
    """Return a copy of an array in page-locked memory."""
    copy = cupyx.empty_pinned(array.shape, array.dtype)
    copy[...] = array
    return copy


#: Calls by name.
Calls = dict[str, Callable[[], object]]


class Rounds:
    """A row of the table, and what makes the calls whose milliseconds it has."""

    def __init__(self, row: dict[str, Any], make_calls: Callable[[], Calls]) -> None:
        self.row, self.make_calls = row, make_calls
        self.times: defaultdict[str, list[list[float]]] = defaultdict(list)
        self.kept: list[tuple[Calls, object]] = []

    def takes_less(self, milliseconds: float) -> bool:
        """Return whether a call of the row does."""
        return any(self.row[name] < milliseconds for name in self.times)

    def time(self, cupy: Any, **words: Any) -> None:
        """Time every call once more, and put the median and the spread over all rounds into the row.

        Calls and a result are kept, so that the page-locked memory of the next round is other memory.
        """
        calls = self.make_calls()
        for name, call in calls.items():
            self.times[name].append(times_ms(call, cupy, **words))
            times = [taken for taken_then in self.times[name] for taken in taken_then]
            self.row[name], self.row[f"{name}_spread"] = statistics.median(times), spread_of(times)
            self.row[f"{name}_rounds"] = [statistics.median(taken) for taken in self.times[name]]
        self.kept.append((calls, calls["pinned"]()))
        self.row["rounds"] = len(self.kept)


def measure(graph: graphs.BenchmarkGraph, radius: int, options: argparse.Namespace, rates: Rates) -> Rounds:
    """Return everything measured on one graph at one radius, ready to be timed again."""
    import cupyx

    device = open_device()
    cupy = device.cupy
    indptr, indices = device.upload(graph.indptr), device.upload(graph.indices)
    algorithm = choose(gpu_plan.make_task(device, graph, radius, "total"))
    row: dict[str, Any] = {"graph": graph.name, "radius": radius, "algorithm": algorithm}

    def make_calls() -> Calls:
        host = (pinned(cupyx, graph.indptr), pinned(cupyx, graph.indices))
        return {
            "resident": partial(encode_on_device, indptr, indices, None, radius),
            "pinned": partial(encode_rows, *host, None, radius),
            "pageable": partial(encode_rows, graph.indptr, graph.indices, None, radius),
        }

    rounds = Rounds(row, make_calls)
    rounds.time(cupy)
    rows = encode_on_device(indptr, indices, None, radius)
    row["entries"] = len(rows.columns)
    is_last = cupy.asarray(rows.keys[:, 0] == radius)
    last_ring = int((rows.counts * is_last[rows.columns]).sum(dtype=np.int64))
    del rows
    row["floor"] = floor_ms(graph, radius, algorithm, last_ring, rates)
    if options.profile:
        profiled = ProfiledDevice(cupy)
        for _ in range(2):
            profiled.times.clear()
            encode_on_device(indptr, indices, None, radius, device=profiled)
        row["kernels"] = dict(sorted(profiled.times.items(), key=lambda item: -item[1]))
    return rounds


def measure_all(
    names: list[str], options: argparse.Namespace, rates: Rates
) -> list[tuple[graphs.BenchmarkGraph, dict[str, Any]]]:
    """Return the graphs and rows of the cases named, without the CPU."""
    measured: list[tuple[graphs.BenchmarkGraph, dict[str, Any]]] = []
    again: list[Rounds] = []
    for name in names:
        make, radii = CASES[name]
        graph, short = make(), [rounds for rounds in again if rounds.takes_less(FAST_MS)]
        for radius in radii if graph else ():
            rounds = measure(graph, radius, options, rates)
            measured.append((graph, rounds.row))
            again += [rounds] * rounds.takes_less(AGAIN_MS)
            print(f"{graph.name}, {radius}: {rounds.row}", file=sys.stderr, flush=True)
        open_device().release()
        for rounds in short:
            rounds.time(open_device().cupy, warm_ms=ROUND_WARM_MS)
    for rounds in again * MORE_ROUNDS:
        rounds.time(open_device().cupy, warm_ms=ROUND_WARM_MS)
    return measured


def add_cpu(measured: list[tuple[graphs.BenchmarkGraph, dict[str, Any]]], report: Callable[[], None]) -> None:
    """Put the milliseconds of the CPU into rows, and report after each: the last takes longest, and may be cut off.

    Not between those of the GPU: in one run calls of half a millisecond took 0.1 to 0.2 ms longer once the CPU kernel
    had run with all cores. Why is not known, for it leaves no thread behind; who calls the GPU alone does not wait so.
    """
    for graph, row in measured:
        for threads in (1, 16):
            row[f"cpu{threads}"], row[f"cpu{threads}_scaled"] = cpu_ms(graph, row["radius"], threads)
            print(
                f"{graph.name}, {row['radius']}: {threads} threads {row[f'cpu{threads}']:.1f}",
                file=sys.stderr,
            )
        report()


def write(path: str | None, rows: list[dict[str, Any]], compared: list[dict[str, Any]]) -> None:
    """Write all figures, if a file is named."""
    if path:
        Path(path).write_text(json.dumps({"times": rows, "plan": compared}, indent=1) + "\n")


def show(row: dict[str, Any]) -> None:
    """Print one line of the table, and the kernels if they were timed."""
    cpu = [
        f"{'~' if row[f'cpu{threads}_scaled'] else ''}{row[f'cpu{threads}']:,.0f}"
        if f"cpu{threads}" in row
        else "-"
        for threads in (1, 16)
    ]
    print(
        f"| {row['graph']}, {row['radius']} | {row['algorithm']} | {cpu[0]} | {cpu[1]} | {row['resident']:.2f} | "
        f"{row['pinned']:.2f} | {row['pageable']:.2f} | {row['floor']:.2f} | {row['resident'] / row['floor']:.1f}x | "
        f"{row['entries']:,} |",
        flush=True,
    )
    for name, milliseconds in list(row.get("kernels", {}).items())[:12]:
        print(f"    {name:36s} {milliseconds:9.3f} ms")


def main() -> None:
    """Measure the cases named, all if none, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", default=list(CASES), help='"none" for none')
    parser.add_argument("--no-cpu", action="store_true", help="leave the CPU out")
    parser.add_argument("--profile", action="store_true", help="time each kernel")
    parser.add_argument("--plan", action="store_true", help="compare the algorithm chosen with the others")
    parser.add_argument(
        "--held-out", action="store_true", help="the same on graphs the plan was not fitted to"
    )
    parser.add_argument("--json", help="write all figures to this file")
    options = parser.parse_args()
    graphs.unique_codes = unique_on_gpu
    rates = row_rates(open_device().cupy)
    for (row_bytes, megabytes), rate in rates.items():
        print(f"random rows of {row_bytes} bytes in {megabytes} MB: {rate:,.0f} GB/s")
    measured = measure_all([] if options.cases == ["none"] else options.cases, options, rates)
    rows = [row for _, row in measured]
    # The CPU takes long: if it is cut off there is what the GPU did, and it so far.
    write(options.json, rows, [])
    if not options.no_cpu:
        add_cpu(measured, partial(write, options.json, rows, []))
    print(HEAD)
    for row in rows:
        show(row)
    compared = gpu_plan.compare(open_device()) if options.plan else []
    compared += gpu_plan.compare(open_device(), held_out=True) if options.held_out else []
    write(options.json, rows, compared)


if __name__ == "__main__":
    main()
