"""What Python does on the host of one GPU call, on a CuPy that does nothing: python benchmarks/gpu_host.py.

Prints microseconds, medians of many calls on Facebook with its graph on the host: until the first kernel is asked for,
from when the number of entries is known until the copies of the rows are asked for, after the last wait, and in all.
Sources of another commit, built in place, are timed with PYTHONPATH set to their src. No GPU is needed.
"""

import argparse
import ctypes
import gc
import sys
from pathlib import Path
from statistics import median
from time import perf_counter_ns
from types import SimpleNamespace
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import graphs

from egonet.kernel import native
from egonet.kernel.cuda.device import CudaDevice
from egonet.kernel.cuda.encode import encode_rows
from egonet.kernel.cuda.kept import MOST_ROWS

HEAD = """
| radius | until the first kernel | from the number to the copies | after the last wait | all |
|--:|--:|--:|--:|--:|"""


class Pointer:
    """Where an array would begin; copies are noted, not made."""

    __slots__ = ("asked", "ptr")

    def __init__(self, ptr: int, asked: list[int]) -> None:
        self.ptr, self.asked = ptr, asked

    def __add__(self, offset: int) -> "Pointer":
        return Pointer(self.ptr + offset, self.asked)

    def copy_from_host_async(self, *_: Any) -> None:
        pass

    def copy_to_host_async(self, *_: Any) -> None:
        self.asked.append(perf_counter_ns())

    def memset_async(self, *_: Any) -> None:
        pass


class Nothing:
    """A CuPy that notes when it is asked for kernels, copies and waits, and answers with the numbers of a result."""

    def __init__(self, num_entries: int, codes: Any) -> None:
        self.launches: list[int] = []
        self.copies: list[int] = []
        self.waits: list[int] = []
        self.answers = num_entries, codes
        self.rooms: dict[int, Any] = {}
        stream = SimpleNamespace(ptr=0, wait_event=lambda _: None)
        event = SimpleNamespace(
            record=lambda *_: None, synchronize=lambda: self.waits.append(perf_counter_ns())
        )
        attributes = {"MultiProcessorCount": 132, "MaxSharedMemoryPerBlockOptin": 227 * 1024}
        self.cuda = SimpleNamespace(
            Device=lambda: SimpleNamespace(attributes=attributes),
            Stream=lambda **_: stream,
            Event=lambda **_: event,
            get_current_stream=lambda: stream,
            alloc_pinned_memory=self.lock,
            runtime=SimpleNamespace(memGetInfo=lambda: (140 << 30, 140 << 30)),
            driver=SimpleNamespace(launchKernel=lambda *_: self.launches.append(perf_counter_ns())),
        )

    def get_default_memory_pool(self) -> Any:
        return SimpleNamespace(total_bytes=lambda: 0, used_bytes=lambda: 0)

    def RawModule(self, **_: Any) -> Any:  # noqa: N802 - CuPy's name
        return SimpleNamespace(get_function=lambda _: SimpleNamespace(kernel=SimpleNamespace(ptr=1)))

    def ndarray(self, shape: Any, dtype: Any, data: Any = None) -> "NoArray":
        return NoArray(shape, dtype, data or Pointer(1 << 40, self.copies))

    def lock(self, size: int) -> Any:
        """Return memory that holds what is read of it: the number of entries in a little, codes in more."""
        if size not in self.rooms:
            room: Any = ctypes.create_string_buffer(size)
            room.ptr = ctypes.addressof(room)
            words, (num_entries, codes) = np.ndarray(size // 8, np.int64, room), self.answers
            if size < 1024:
                words[0] = num_entries
            elif size < 100_000 and size != 4 * MOST_ROWS:
                words[: 1 + len(codes)] = [len(codes), *codes]
            self.rooms[size] = room
        return self.rooms[size]


class NoArray:
    """The outside of an array of CuPy's."""

    __slots__ = ("base", "data", "dtype", "itemsize", "nbytes", "shape", "size")

    def __init__(self, shape: Any, dtype: Any, data: Pointer) -> None:
        self.shape = shape if type(shape) is tuple else (shape,)
        self.size, self.dtype, self.data, self.base = self.shape[0], np.dtype(dtype), data, None
        self.itemsize = self.dtype.itemsize
        self.nbytes = self.size * self.itemsize

    def __len__(self) -> int:
        return int(self.size)

    def __getitem__(self, part: slice) -> "NoArray":
        start, stop, _ = part.indices(self.size)
        return NoArray(stop - start, self.dtype, self.data + start * self.itemsize)

    def view(self, dtype: Any) -> "NoArray":
        return NoArray(self.nbytes // np.dtype(dtype).itemsize, dtype, self.data)


def measure(graph: graphs.BenchmarkGraph, radius: int, count: int) -> list[float]:
    """Return the four medians in microseconds."""
    expected = native.encode_rows(graph.indptr, graph.indices, None, radius)
    largest = int(np.diff(graph.indptr).max())
    # At radius 1 roots have codes up to their largest possible degree, at others up to the largest there is.
    base = graph.num_nodes - 1 if radius == 1 else largest + 1
    codes = expected.keys[:, 0] * base + expected.keys[:, 1]
    nothing = Nothing(len(expected.columns), codes.tolist())
    device, spans = CudaDevice(nothing), []
    gc.disable()
    for _ in range(count):
        for noted in (nothing.launches, nothing.copies, nothing.waits):
            noted.clear()
        begin = perf_counter_ns()
        encode_rows(graph.indptr, graph.indices, None, radius, device=device)
        end = perf_counter_ns()
        # The last waits are for the number of entries, for codes, and for rows.
        entries, _, rows = nothing.waits[-3:]
        spans.append((nothing.launches[0] - begin, nothing.copies[-1] - entries, end - rows, end - begin))
    gc.enable()
    return [median(column) / 1000 for column in zip(*spans, strict=True)]


def main() -> None:
    """Print a row for each radius."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=3000)
    calls = parser.parse_args().calls
    graph = graphs.facebook()
    print(HEAD)
    for radius in (1, 2):
        print(f"| {radius} | {' | '.join(f'{span:.1f}' for span in measure(graph, radius, calls))} |")


if __name__ == "__main__":
    main()
