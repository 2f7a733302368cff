"""One GPU through CuPy: arrays, copies, kernel launches, and clear messages for CUDA's errors."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from egonet.errors import DeviceError, DeviceMemoryError, MissingExtraError, option

#: An array in the memory of a device: CuPy's on a GPU.
DeviceArray = Any
#: A position in an array that is being copied to the device, and the event after which items before it may be read.
Arrival: TypeAlias = tuple[int, Any]
#: NumPy arrays that are being copied from the device, and a function that waits for the copies only.
Download: TypeAlias = tuple[list[Any], Callable[[], None]]
#: The kernel families, one file each; `prelude.cuh` is included in every one.
FAMILIES = (*("rows", "orient", "triangle", "warp", "block", "ball"), *("widen", "count", "bitwise_rows"))
#: The second header of a family.
HEADERS = dict.fromkeys(("widen", "count"), "bits.cuh") | dict.fromkeys(("rows", "orient"), "scan.cuh")
#: Arrays of this many items or more are copied to the device in at most MOST_SLICES slices, multiples of SLICE_UNIT.
SLICED_ITEMS, SLICE_UNIT, MOST_SLICES = 2**20, 2048, 4
#: Above 48 KiB of shared memory a kernel needs an attribute; no kernel has more than half of that as static memory.
FREE_SHARED = 24 * 1024
WAY_OUT = f"Use {option('device', 'cpu')}."


class CudaDevice:
    """The current CUDA device of CuPy; `shared_bytes` is the largest shared memory of a block."""

    def __init__(self, cupy: Any) -> None:
        """Read the properties of the device; compiles nothing yet."""
        self.cupy = cupy
        attributes = cupy.cuda.Device().attributes
        self.num_multiprocessors = int(attributes["MultiProcessorCount"])
        self.shared_bytes = int(attributes["MaxSharedMemoryPerBlockOptin"])
        self._pool = cupy.get_default_memory_pool()
        self._free_at_start = int(cupy.cuda.runtime.memGetInfo()[0]) + int(self._pool.total_bytes())
        self._stream = cupy.cuda.get_current_stream
        self._copies = cupy.cuda.Stream(non_blocking=True)
        self._most_shared: dict[str, int] = {}
        self._modules: dict[str, Any] = {}
        self._kernels: dict[str, Any] = {}

    def free_bytes(self) -> int:
        """Return the memory free at the start minus that of arrays; a call of the driver takes longer."""
        return self._free_at_start - int(self._pool.used_bytes())

    def empty(self, size: int, dtype: Any) -> DeviceArray:
        return self.cupy.empty(size, dtype)

    def zeros(self, size: int, dtype: Any) -> DeviceArray:
        return self.cupy.zeros(size, dtype)

    def upload(self, array: Any) -> DeviceArray:
        """Return a host array on the device; a device array is returned unchanged."""
        if not isinstance(array, np.ndarray):
            return self.cupy.asarray(array)
        # Unlike asarray this makes no extra copy on the host.
        copy, array = self.cupy.empty(array.shape, array.dtype), np.ascontiguousarray(array)
        if size := array.nbytes:
            copy.data.copy_from_host_async(array.ctypes.data, size)
        return copy

    def upload_in_slices(self, array: Any) -> tuple[DeviceArray, list[Arrival]]:
        """Start the copy of a host array on a separate stream, and return the events of its slices."""
        if not isinstance(array, np.ndarray) or len(array) < SLICED_ITEMS:
            return self.upload(array), [(len(array), None)]
        copy, array = self.cupy.empty(len(array), array.dtype), np.ascontiguousarray(array)
        # The memory pool reuses memory in the order of the current stream, so copies wait for that stream.
        self._copies.wait_event(self._record(self._stream()))
        arrivals, to, first, size = [], copy.data, array.ctypes.data, array.itemsize
        for begin, end in slices(len(array)):
            (to + begin * size).copy_from_host_async(first + begin * size, (end - begin) * size, self._copies)
            arrivals.append((end, self._record(self._copies)))
        return copy, arrivals

    def wait(self, arrival: Any) -> None:
        """Make the current stream wait for a slice."""
        if arrival is not None:
            self._stream().wait_event(arrival)

    def download(self, array: DeviceArray) -> Any:
        """Return a copy in page-locked memory, which is copied at full speed; waits for it."""
        (copy,), wait = self.start_download((array, len(array)))
        wait()
        return copy

    def start_download(self, *parts: tuple[DeviceArray, int]) -> Download:
        """Start copies of the first `count` items of arrays, given as (array, count), to page-locked memory."""
        # One allocation; each copy starts at a multiple of 64 bytes. The NumPy arrays are made while copies run.
        offsets, end = [], 0
        for array, count in parts:
            offsets.append((end, size := count * array.itemsize))
            end += size + 63 & -64
        memory = self.cupy.cuda.alloc_pinned_memory(rounded_up(end))
        for (array, count), (offset, size) in zip(parts, offsets, strict=True):
            if count:
                array.data.copy_to_host_async(memory.ptr + offset, size)
        arrived = self._record(self._stream())
        copies = [
            np.ndarray(count, array.dtype, memory, offset)
            for (array, count), (offset, _) in zip(parts, offsets, strict=True)
        ]
        return copies, arrived.synchronize

    def _record(self, stream: Any) -> Any:
        """Return an event after all current work of a stream."""
        event = self.cupy.cuda.Event(disable_timing=True)
        event.record(stream)
        return event

    def sort(self, array: DeviceArray) -> DeviceArray:
        return self.cupy.sort(array)

    def argsort(self, array: DeviceArray) -> DeviceArray:
        """Return the positions that sort the values; the sort is stable."""
        return self.cupy.argsort(array, kind="stable")

    def unique(self, array: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
        """Return the distinct values in increasing order, and the position of every value among them."""
        values, offsets = self.cupy.unique(array, return_inverse=True)
        return values, offsets

    def arange(self, begin: int, end: int) -> DeviceArray:
        return self.cupy.arange(begin, end, dtype=np.int32)

    def nonzero(self, array: DeviceArray) -> DeviceArray:
        return self.cupy.flatnonzero(array)

    def searchsorted(self, array: DeviceArray, values: tuple[int, ...]) -> DeviceArray:
        """Return for each value the number of smaller items of a sorted array."""
        return self.cupy.searchsorted(array, self.cupy.array(values, dtype=array.dtype))

    def address(self, array: DeviceArray) -> int:
        """Return the address of an array, which kernels accept as an argument."""
        return int(array.data.ptr)

    def release(self) -> None:
        """Return unused memory to the driver."""
        self._pool.free_all_blocks()

    def clear(self, array: DeviceArray, size: int | None = None) -> None:
        """Set an array, or its first `size` items, to zeros."""
        num_bytes = array.nbytes if size is None else size * array.itemsize
        if num_bytes:
            array.data.memset_async(0, num_bytes)

    def launch(self, kernel: str, grid: Any, threads: int, *args: Any, shared: int = 0) -> None:
        """Run a kernel, named "family.kernel", on integers, arrays, addresses and None for a null pointer.

        Its file is compiled on first use, and CuPy caches the result on disk.
        """
        run = self._kernels.get(kernel) or self._load(kernel)
        if shared > self._most_shared.get(kernel, FREE_SHARED):
            run.max_dynamic_shared_size_bytes = self._most_shared[kernel] = shared
        columns, rows = grid if isinstance(grid, tuple) else (grid, 1)
        # An integer is passed as 64 bits; a kernel with a shorter parameter reads the lower bits (little-endian).
        arguments = tuple(
            np.int64(item or 0) if item is None or isinstance(item, int) else item for item in args
        )
        run((columns, rows, 1), (threads, 1, 1), arguments, shared_mem=shared)

    def _load(self, kernel: str) -> Any:
        """Return a kernel, named "family.kernel"."""
        family, name = kernel.split(".")
        if family not in self._modules:
            self._modules[family] = self.cupy.RawModule(code=source_of(family), options=("-std=c++17",))
        self._kernels[kernel] = self._modules[family].get_function(name)
        return self._kernels[kernel]


def rounded_up(size: int) -> int:
    """Return a rounded size, at most an eighth larger, so that page-locked memory can be reused.

    >>> rounded_up(1000), rounded_up(1025), rounded_up(0)
    (1024, 1152, 0)
    """
    unit = 1 << max(size.bit_length() - 4, 0)
    return -(-size // unit) * unit


def slices(count: int) -> list[tuple[int, int]]:
    """Return (begin, end) of slices of similar size, all but the last a multiple of SLICE_UNIT.

    >>> slices(5 * 2**20)
    [(0, 1310720), (1310720, 2621440), (2621440, 3932160), (3932160, 5242880)]
    >>> slices(2**20 + 1)
    [(0, 1048577)]
    """
    num = max(1, min(MOST_SLICES, count // SLICED_ITEMS))
    size = -(-count // (num * SLICE_UNIT)) * SLICE_UNIT if num > 1 else count
    return [(begin, min(count, begin + size)) for begin in range(0, count, size)]


def source_of(family: str) -> str:
    """Return the CUDA source of a kernel family, prelude included."""
    names = ("prelude.cuh", *([HEADERS[family]] if family in HEADERS else []), f"{family}.cu")
    return "".join((Path(__file__).parent / "src" / name).read_text() for name in names)


def open_device() -> CudaDevice:
    """Return the current CUDA device; raise if CuPy, a GPU or a driver that CuPy can use is missing."""
    try:
        import cupy
    except ImportError as error:
        raise MissingExtraError(
            f'{option("device", "cuda")} needs CuPy: pip install "egonet[cuda]" (CUDA 13) or '
            f'"egonet[cuda12]". {WAY_OUT}'
        ) from error
    with plain_errors():
        _check_count(cupy)
        return _device_of(cupy.cuda.runtime.getDevice())


@cache
def _check_count(cupy: Any) -> None:
    """Raise an error if there is no device; the answer is cached."""
    if cupy.cuda.runtime.getDeviceCount() == 0:
        raise DeviceError(
            f"{option('device', 'cuda')} needs an NVIDIA GPU, but CUDA sees none here. {WAY_OUT}"
        )


@cache
def _device_of(number: int) -> CudaDevice:
    """Return a device by its number: loaded kernels belong to one device."""
    import cupy

    with cupy.cuda.Device(number):
        return CudaDevice(cupy)


class plain_errors:  # noqa: N801 - used as a context manager only
    """Replaces CUDA's errors by one sentence with a way out; other errors pass."""

    def __enter__(self) -> None:
        """Do nothing yet."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Raise the replacement of a CUDA error."""
        if error is None:
            return
        name, text = type(error).__name__, " ".join(str(error).split())
        if name == "OutOfMemoryError" or "cudaErrorMemoryAllocation" in text:
            raise DeviceMemoryError(
                f"the GPU has too little free memory for even one root of this graph. {WAY_OUT}"
            ) from error
        if name in ("CUDARuntimeError", "CUDADriverError"):
            raise DeviceError(
                f"{option('device', 'cuda')} needs an NVIDIA GPU with a driver that CuPy can use, but CUDA "
                f"says: {text}. {WAY_OUT}"
            ) from error
        if name in ("CompileException", "NVRTCError"):
            raise DeviceError(
                f"CuPy could not compile the kernels, its compiler says: {text[:200]}. "
                f"Install the CuPy wheel that matches your CUDA version. {WAY_OUT}"
            ) from error
