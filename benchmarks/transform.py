"""What the PyG transform costs on the four TU sets, beside the kernel alone and beside PyG's own work.

Run with EGONET_DATA naming the folder of data sets: python benchmarks/transform.py. Times are medians of CPU
milliseconds, one thread, the contenders taken in turn.
"""

import copy
import gc
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from torch_geometric.data import Batch
from torch_geometric.datasets import TUDataset

from egonet.graph.convert import as_graph
from egonet.graph.union import disjoint_union
from egonet.kernel import native
from egonet.pyg import AddEgoEncoding

SETS = ("MUTAG", "PTC_MR", "ENZYMES", "PROTEINS")
RADIUS, MAX_DEGREE, REPEATS = 2, 10, 7


def build(
    name: str, folder: str, pre_transform: Callable[[Any], Any] | None = None
) -> tuple[TUDataset, float]:
    """Return a TU set that PyG builds from its text files, and the CPU seconds that took."""
    root = Path(tempfile.mkdtemp(dir=folder))
    shutil.copytree(Path(os.environ["EGONET_DATA"]) / "tu" / name, root / name / "raw")
    gc.collect()
    gc.disable()  # reading the text makes millions of objects; when they are looked over is chance
    began = time.process_time()
    dataset = TUDataset(str(root), name, pre_transform=pre_transform)
    taken = time.process_time() - began
    gc.enable()
    return dataset, taken


def medians(contenders: dict[str, Callable[[], Any]], repeats: int = REPEATS) -> dict[str, float]:
    """Return the median CPU seconds of each contender, taken in turn; a contender may return its own time."""
    times = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, work in contenders.items():
            began = time.process_time()
            own = work()
            times[name].append(own if isinstance(own, float) else time.process_time() - began)
    return {name: median(taken) for name, taken in times.items()}


def measure(name: str, folder: str) -> None:
    """Print one row: the kernel, the whole set in one call, one batch, graph by graph, and PyG's own building.

    The kernel is taken once for the whole set, which is what the ratios are of, and once a graph, as PyG asks for.
    """
    dataset, _ = build(name, folder)
    graphs, batch = list(dataset), Batch.from_data_list(list(dataset))
    union, _ = disjoint_union(dataset)
    transform = AddEgoEncoding(RADIUS, max_degree=MAX_DEGREE)
    words = {"max_degree": MAX_DEGREE, "threads": 1}
    singles = [as_graph(data) for data in graphs]
    taken = medians(
        {
            "kernel": lambda: native.encode_rows(union.indptr, union.indices, None, RADIUS, **words),
            "kernel each": lambda: [
                native.encode_rows(one.indptr, one.indices, None, RADIUS, **words) for one in singles
            ],
            "one call": lambda: transform.add_to(dataset),
            "batch": lambda: transform(batch),
            "one by one": lambda: [transform(data) for data in graphs],
        }
    )
    built = medians(
        {
            "plain": lambda: build(name, folder, copy.copy)[1],
            "pre_transform": lambda: build(name, folder, transform)[1],
        },
        repeats=5,
    )
    share = built["pre_transform"] / (built["plain"] + taken["kernel"])
    cells = [f"{taken['kernel'] * 1e3:8.1f}"]
    cells += [
        f"{taken[key] * 1e3:8.1f} ({taken[key] / taken['kernel']:5.2f}x)"
        for key in ("kernel each", "one call", "batch", "one by one")
    ]
    cells += [f"{taken['one by one'] / taken['kernel each']:5.2f}"]
    cells += [f"{built['plain'] * 1e3:8.0f} {built['pre_transform'] * 1e3:8.0f} ({share:4.2f}x)"]
    print(f"{name:9}", *cells)


if __name__ == "__main__":
    print(
        "set, kernel ms, kernel a graph, add_to(dataset), transform(batch), transform(data) each, "
        "its ratio to the kernel a graph, building plain and with it"
    )
    with tempfile.TemporaryDirectory() as scratch:
        for tu_name in SETS:
            measure(tu_name, scratch)
