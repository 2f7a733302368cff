"""One GPU through CuPy: arrays, launches of the kernels in this folder, and its errors in plain words."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np

from egonet.errors import DeviceError, DeviceMemoryError, MissingExtraError

#: An array in the memory of a device: CuPy's on a GPU.
DeviceArray = Any
#: A place in an array that is being copied to the device, and what to wait for before reading up to it (None: nothing).
Arrival: TypeAlias = tuple[int, Any]
#: NumPy's arrays that are being filled from the device, and what waits until they are: not for what is asked for later.
Download: TypeAlias = tuple[list[Any], Callable[[], None]]
#: The kernel families, one file each; `prelude.cuh` stands before every one.
FAMILIES = (
    *("rows", "orient", "triangle", "warp", "block", "ball"),
    *("widen", "count", "bins"),
)
#: What stands between the prelude and a family.
HEADERS = dict.fromkeys(("widen", "count"), "bits.cuh") | dict.fromkeys(("rows", "orient"), "scan.cuh")
#: Arrays of this many items and more are copied to the device in slices, multiples of `SLICE_UNIT` and at most so many.
SLICED_ITEMS, SLICE_UNIT, MOST_SLICES = 2**20, 2048, 4
#: Static and dynamic shared memory together need leave above 48 KiB; no kernel has more than half of that static.
FREE_SHARED = 24 * 1024
WAY_OUT = 'Use device="cpu".'


class Device(Protocol):
    """What the searches ask of a device."""

    #: Multiprocessors, and bytes of shared memory a block may have.
    num_multiprocessors: int
    shared_bytes: int

    def free_bytes(self) -> int:
        """Return how much memory new arrays may take."""
        ...

    def empty(self, size: int, dtype: Any) -> DeviceArray:
        """Return a new array of unknown content."""
        ...

    def zeros(self, size: int, dtype: Any) -> DeviceArray:
        """Return a new array of zeros."""
        ...

    def upload(self, array: Any) -> DeviceArray:
        """Return a host array on the device; one that is there already is returned as it is."""
        ...

    def upload_in_slices(self, array: Any) -> tuple[DeviceArray, list[Arrival]]:
        """Return a host array on its way to the device, and how far it is there when."""
        ...

    def wait(self, arrival: Any) -> None:
        """Let everything asked for from now on wait until a slice is there."""
        ...

    def download(self, array: DeviceArray) -> Any:
        """Return a copy of an array as NumPy's, having waited for it."""
        ...

    def start_download(self, *parts: tuple[DeviceArray, int]) -> Download:
        """Ask for copies of the first so many items of arrays; they are not waited for."""
        ...

    def sort(self, array: DeviceArray) -> DeviceArray:
        """Return the values in rising order."""
        ...

    def argsort(self, array: DeviceArray) -> DeviceArray:
        """Return the places of the values in rising order, equal values in the order they had."""
        ...

    def unique(self, array: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
        """Return the distinct values in rising order, and for every value its place among them."""
        ...

    def arange(self, begin: int, end: int) -> DeviceArray:
        """Return begin, begin + 1, ..., end - 1 as int32."""
        ...

    def nonzero(self, array: DeviceArray) -> DeviceArray:
        """Return the places of the values that are not zero."""
        ...

    def searchsorted(self, array: DeviceArray, values: tuple[int, ...]) -> DeviceArray:
        """Return how many numbers of a rising array are below each value."""
        ...

    def clear(self, array: DeviceArray, size: int | None = None) -> None:
        """Set an array, or its first `size` items, to zeros."""
        ...

    def address(self, array: DeviceArray) -> int:
        """Return where an array begins; kernels take the number for the array."""
        ...

    def release(self) -> None:
        """Give memory that no array uses back to the driver."""
        ...

    def launch(self, kernel: str, grid: Any, threads: int, *args: Any, shared: int = 0) -> None:
        """Run a kernel, named "family.kernel"; whole numbers, arrays, and None for no array."""
        ...


class CudaDevice:
    """The current CUDA device of CuPy."""

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
        """Return what was free at first less what arrays use; asking the driver again would take longer."""
        return self._free_at_start - int(self._pool.used_bytes())

    def empty(self, size: int, dtype: Any) -> DeviceArray:
        """Return a new array of unknown content."""
        return self.cupy.empty(size, dtype)

    def zeros(self, size: int, dtype: Any) -> DeviceArray:
        """Return a new array of zeros."""
        return self.cupy.zeros(size, dtype)

    def upload(self, array: Any) -> DeviceArray:
        """Return a host array on the device; one that is there already is returned as it is."""
        if not isinstance(array, np.ndarray):
            return self.cupy.asarray(array)
        # Unlike asarray this makes no copy on the host first.
        copy, array = self.cupy.empty(array.shape, array.dtype), np.ascontiguousarray(array)
        if size := array.nbytes:
            copy.data.copy_from_host_async(array.ctypes.data, size)
        return copy

    def upload_in_slices(self, array: Any) -> tuple[DeviceArray, list[Arrival]]:
        """Return a host array on its way to the device by a stream of its own, and how far it is there when."""
        if not isinstance(array, np.ndarray) or len(array) < SLICED_ITEMS:
            return self.upload(array), [(len(array), None)]
        copy, array = self.cupy.empty(len(array), array.dtype), np.ascontiguousarray(array)
        # Memory is handed out again in the order of the current stream: copies begin when that has come so far.
        self._copies.wait_event(self._record(self._stream()))
        arrivals, to, first, size = [], copy.data, array.ctypes.data, array.itemsize
        for begin, end in slices(len(array)):
            (to + begin * size).copy_from_host_async(first + begin * size, (end - begin) * size, self._copies)
            arrivals.append((end, self._record(self._copies)))
        return copy, arrivals

    def wait(self, arrival: Any) -> None:
        """Let the current stream wait until a slice is there."""
        if arrival is not None:
            self._stream().wait_event(arrival)

    def download(self, array: DeviceArray) -> Any:
        """Return a copy in page-locked memory, which the copy engine fills at full speed, having waited for it."""
        (copy,), wait = self.start_download((array, len(array)))
        wait()
        return copy

    def start_download(self, *parts: tuple[DeviceArray, int]) -> Download:
        """Ask for copies of the first so many items of arrays, in page-locked memory; they are not waited for."""
        # One allocation for all, each of which begins on a line of the cache. Copies are asked for before anything
        # else, which is then done while they are on their way.
        places, end = [], 0
        for array, count in parts:
            places.append((end, size := count * array.itemsize))
            end += size + 63 & -64
        memory = self.cupy.cuda.alloc_pinned_memory(rounded_up(end))
        for (array, count), (place, size) in zip(parts, places, strict=True):
            if count:
                array.data.copy_to_host_async(memory.ptr + place, size)
        arrived = self._record(self._stream())
        copies = [
            np.ndarray(count, array.dtype, memory, place)
            for (array, count), (place, _) in zip(parts, places, strict=True)
        ]
        return copies, arrived.synchronize

    def _record(self, stream: Any) -> Any:
        """Return an event after all that a stream was asked for."""
        event = self.cupy.cuda.Event(disable_timing=True)
        event.record(stream)
        return event

    def sort(self, array: DeviceArray) -> DeviceArray:
        """Return the values in rising order."""
        return self.cupy.sort(array)

    def argsort(self, array: DeviceArray) -> DeviceArray:
        """Return the places of the values in rising order, equal values in the order they had."""
        return self.cupy.argsort(array, kind="stable")

    def unique(self, array: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
        """Return the distinct values in rising order, and for every value its place among them."""
        values, places = self.cupy.unique(array, return_inverse=True)
        return values, places

    def arange(self, begin: int, end: int) -> DeviceArray:
        """Return begin, begin + 1, ..., end - 1 as int32."""
        return self.cupy.arange(begin, end, dtype=np.int32)

    def nonzero(self, array: DeviceArray) -> DeviceArray:
        """Return the places of the values that are not zero."""
        return self.cupy.flatnonzero(array)

    def searchsorted(self, array: DeviceArray, values: tuple[int, ...]) -> DeviceArray:
        """Return how many numbers of a rising array are below each value."""
        return self.cupy.searchsorted(array, self.cupy.array(values, dtype=array.dtype))

    def address(self, array: DeviceArray) -> int:
        """Return where an array begins; kernels take the number for the array."""
        return int(array.data.ptr)

    def release(self) -> None:
        """Give memory that no array uses back to the driver."""
        self._pool.free_all_blocks()

    def clear(self, array: DeviceArray, size: int | None = None) -> None:
        """Set an array, or its first `size` items, to zeros."""
        num_bytes = array.nbytes if size is None else size * array.itemsize
        if num_bytes:
            array.data.memset_async(0, num_bytes)

    def launch(self, kernel: str, grid: Any, threads: int, *args: Any, shared: int = 0) -> None:
        """Run a kernel, its file compiled on first use; CuPy keeps what it compiled on disk."""
        run = self._kernels.get(kernel) or self._load(kernel)
        if shared > self._most_shared.get(kernel, FREE_SHARED):
            run.max_dynamic_shared_size_bytes = self._most_shared[kernel] = shared
        columns, rows = grid if isinstance(grid, tuple) else (grid, 1)
        # A whole number is passed as 64 bits, of which a kernel reads the lower ones it wants: little-endian.
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
    """Return a size at most an eighth larger, one of few, so that page-locked memory can be reused.

    Examples
    --------
    >>> rounded_up(1000), rounded_up(1025), rounded_up(0)
    (1024, 1152, 0)
    """
    unit = 1 << max(size.bit_length() - 4, 0)
    return -(-size // unit) * unit


def slices(count: int) -> list[tuple[int, int]]:
    """Return (begin, end) of slices of about equal size, each but the last a multiple of SLICE_UNIT.

    Examples
    --------
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
    """Return the current CUDA device.

    Raises
    ------
    MissingExtraError
        If CuPy is not installed.
    DeviceError
        If there is no GPU, or no driver that CuPy can use.
    """
    try:
        import cupy
    except ImportError as error:
        raise MissingExtraError(
            f'device="cuda" needs CuPy: pip install "egonet[cuda]" (CUDA 13) or "egonet[cuda12]". {WAY_OUT}'
        ) from error
    with plain_errors():
        _check_count(cupy)
        return _device_of(cupy.cuda.runtime.getDevice())


@cache
def _check_count(cupy: Any) -> None:
    """Raise an error if there is no device; where there is one that is not asked again."""
    if cupy.cuda.runtime.getDeviceCount() == 0:
        raise DeviceError(f'device="cuda" needs an NVIDIA GPU, but CUDA sees none here. {WAY_OUT}')


@cache
def _device_of(number: int) -> CudaDevice:
    """Return a device by its number: handles of kernels serve one device only."""
    import cupy

    with cupy.cuda.Device(number):
        return CudaDevice(cupy)


class plain_errors:  # noqa: N801 - reads as what it does
    """Turns CUDA's errors into one sentence with the way out; others pass."""

    def __enter__(self) -> None:
        """Do nothing yet."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Raise what the error means, if it is one of CUDA's."""
        if error is None:
            return
        name, text = type(error).__name__, " ".join(str(error).split())
        if name == "OutOfMemoryError" or "cudaErrorMemoryAllocation" in text:
            raise DeviceMemoryError(
                f"the GPU has too little free memory for even one root of this graph. {WAY_OUT}"
            ) from error
        if name in ("CUDARuntimeError", "CUDADriverError"):
            raise DeviceError(
                f'device="cuda" needs an NVIDIA GPU with a driver that CuPy can use, but CUDA says: {text}. {WAY_OUT}'
            ) from error
        if name in ("CompileException", "NVRTCError"):
            raise DeviceError(
                f"CuPy could not compile the kernels, its compiler says: {text[:200]}. "
                f"Install the CuPy wheel that matches your CUDA version. {WAY_OUT}"
            ) from error
