"""The GPU against the CPU (1 and 16 threads), and against the rate at which the GPU can read.

Prints a table: milliseconds with graph and result on the GPU, with transfers from and to page-locked and ordinary
memory, of the CPU, and how many times the floor. The floor is the time the GPU needs to read, at its measured
random rate, the rows that the algorithm reads; rows it can skip bring it below. `--profile` adds the time of each
kernel, `--json FILE` writes everything.
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
import graphs

from egonet.kernel.cuda import bitwise, plan
from egonet.kernel.cuda.device import CudaDevice, open_device
from egonet.kernel.cuda.encode import encode_on_device, encode_rows, graph_facts

CASES = {
    "facebook": (graphs.facebook, (1, 2)),
    "ba": (lambda: graphs.barabasi_albert(100_000, 8), (2,)),
    "er": (lambda: graphs.erdos_renyi(1_000_000), (1, 2)),
    "rmat17": (lambda: graphs.rmat(17), (1, 2)),
    "rmat18": (lambda: graphs.rmat(18), (1, 2)),
    "rmat20": (lambda: graphs.rmat(20, 11), (1,)),
}
#: Gigabytes a second by (bytes of a row, megabytes of the set).
Rates = dict[tuple[int, int], float]
#: Megabytes of the sets that are read at random; the last is beyond every cache.
SET_SIZES = (8, 16, 32, 1024)
#: Roots of the first sample of the CPU with one thread; its time is then extended to all, and marked with ~.
CPU_ROOTS = 2048


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


def median_ms(call: Callable[[], object], cupy: Any, repeats: int = 7) -> float:
    """Return the median milliseconds of a call, the device idle before and after."""
    call()
    times = []
    for _ in range(repeats):
        cupy.cuda.Device().synchronize()
        begin = time.perf_counter()
        call()
        cupy.cuda.Device().synchronize()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times)


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
            milliseconds = median_ms(call, cupy)
            rates[row_bytes, megabytes] = blocks * threads * 16 * steps / milliseconds / 1e6
    return rates


def floor_ms(graph: graphs.BenchmarkGraph, radius: int, algorithm: str, rates: Rates) -> float:
    """Return the milliseconds that reading the rows of the algorithm takes at the measured rate."""
    degrees = np.diff(graph.indptr).astype(np.int64)
    if algorithm == "bitwise":
        nodes, row = int((degrees > 0).sum()), 32 * bitwise.WORDS
        groups = -(-nodes // (plan.GROUP_ROOTS * bitwise.WORDS))
        megabytes = min(SET_SIZES, key=lambda size: abs(size - nodes * row / 2**20))
        return radius * groups * len(graph.indices) * row / rates[row, megabytes] / 1e6
    if algorithm == "triangle":
        edges = graph.edges()
        flip = (degrees[edges[:, 0]] > degrees[edges[:, 1]]) | (
            (degrees[edges[:, 0]] == degrees[edges[:, 1]]) & (edges[:, 0] > edges[:, 1])
        )
        low = np.where(flip, edges[:, 1], edges[:, 0])
        out = np.bincount(low, minlength=graph.num_nodes)
        shorter = np.minimum(out[edges[:, 0]], out[edges[:, 1]])
        sectors = int((2 * (shorter + 7) // 8 + 1)[shorter > 1].sum()) + 2 * len(edges)
    else:
        walks = np.add.reduceat(np.append(degrees[graph.indices], 0), graph.indptr[:-1]) * (degrees > 0)
        visits = degrees + np.minimum(walks, graph.num_nodes) * (radius > 1)
        sectors = int((visits * (1 + (degrees + 14) // 8)).sum())
    megabytes = min(SET_SIZES, key=lambda size: abs(size - len(graph.indices) * 4 / 2**20))
    return sectors * 32 / rates[32, megabytes] / 1e6


def cpu_ms(graph: graphs.BenchmarkGraph, radius: int, threads: int) -> tuple[float, bool]:
    """Return the milliseconds of the CPU kernel, and whether they are extended from those of some roots."""
    from egonet.kernel import native

    def taken(roots: Any) -> float:
        begin = time.perf_counter()
        native.encode_rows(graph.indptr, graph.indices, roots, radius, threads=threads)
        return 1e3 * (time.perf_counter() - begin)

    shuffled = np.random.default_rng(0).permutation(graph.num_nodes)
    taken(shuffled[:64])
    if threads > 1 or radius == 1 or graph.num_nodes <= 4 * CPU_ROOTS:
        return statistics.median(taken(None) for _ in range(3 if graph.num_nodes < 200_000 else 1)), False
    # Two samples, so that what does not grow with the roots is not multiplied.
    few, more = taken(shuffled[:CPU_ROOTS]), taken(shuffled[: 2 * CPU_ROOTS])
    return few + (more - few) / CPU_ROOTS * (graph.num_nodes - CPU_ROOTS), True


def chosen_algorithm(device: CudaDevice, graph: graphs.BenchmarkGraph, radius: int) -> str:
    """Return the algorithm that the plan chooses."""
    from egonet.kernel.cuda.codec import Codec

    facts, _ = graph_facts(device, device.upload(graph.indptr), device.upload(graph.indices))
    codec = Codec("total", facts.largest_degree, 0, radius + 1)
    words = {"num_roots": graph.num_nodes, "frontier_edges": True, "symmetric": True}
    return plan.choose(facts, codec, radius, shared_bytes=device.shared_bytes, **words)


def pinned(cupyx: Any, array: Any) -> Any:
    """Return a copy of an array in page-locked memory."""
    copy = cupyx.empty_pinned(array.shape, array.dtype)
    copy[...] = array
    return copy


def measure(
    graph: graphs.BenchmarkGraph, radius: int, options: argparse.Namespace, rates: Rates
) -> dict[str, Any]:
    """Return everything measured on one graph at one radius."""
    import cupyx

    device = open_device()
    cupy = device.cupy
    indptr, indices = device.upload(graph.indptr), device.upload(graph.indices)
    host = (pinned(cupyx, graph.indptr), pinned(cupyx, graph.indices))
    algorithm = chosen_algorithm(device, graph, radius)
    row = {"graph": graph.name, "radius": radius, "algorithm": algorithm, "entries": 0}
    row["resident"] = median_ms(lambda: encode_on_device(indptr, indices, None, radius), cupy)
    row["pinned"] = median_ms(lambda: encode_rows(*host, None, radius), cupy)
    row["pageable"] = median_ms(lambda: encode_rows(graph.indptr, graph.indices, None, radius), cupy)
    row["entries"] = len(encode_on_device(indptr, indices, None, radius).columns)
    row["floor"] = floor_ms(graph, radius, algorithm, rates)
    for other in options.compare if radius > 1 and graph.num_nodes < 900_000 else ():
        row[other] = median_ms(
            partial(encode_on_device, indptr, indices, None, radius, algorithm=other), cupy, 3
        )
    for threads in () if options.no_cpu else (1, 16):
        row[f"cpu{threads}"], row[f"cpu{threads}_scaled"] = cpu_ms(graph, radius, threads)
    if options.profile:
        profiled = ProfiledDevice(cupy)
        for _ in range(2):
            profiled.times.clear()
            encode_on_device(indptr, indices, None, radius, device=profiled)
        row["kernels"] = dict(sorted(profiled.times.items(), key=lambda item: -item[1]))
    return row


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
    others = {name: round(row[name], 2) for name in ("warp", "block", "bitwise") if name in row}
    if others:
        print(f"    by algorithm: {others}")


def main() -> None:
    """Measure the cases named, all if none, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", default=list(CASES))
    parser.add_argument("--no-cpu", action="store_true", help="leave the CPU out")
    parser.add_argument("--profile", action="store_true", help="time each kernel")
    parser.add_argument("--compare", nargs="*", default=[], help="also time these algorithms at radius 2")
    parser.add_argument("--json", help="write all figures to this file")
    options = parser.parse_args()
    rates = row_rates(open_device().cupy)
    for (row_bytes, megabytes), rate in rates.items():
        print(f"random rows of {row_bytes} bytes in {megabytes} MB: {rate:,.0f} GB/s")
    print(
        "\n| graph, radius | algorithm | CPU, 1 | CPU, 16 | GPU | pinned | pageable | floor | GPU/floor | entries |"
    )
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    rows = []
    for name in options.cases:
        make, radii = CASES[name]
        graph = make()
        for radius in radii if graph else ():
            rows.append(measure(graph, radius, options, rates))
            show(rows[-1])
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
