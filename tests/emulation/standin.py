"""A stand-in for CuPy, so that `CudaDevice` runs without a GPU: memory is the host's, kernels are compiled for it.

Work on the current stream runs at once, but a copy to the host arrives only when the host waits for it. Work on another
stream runs when something waits for it. `requests` lists every call that costs time on the host.
"""

import ctypes
import weakref
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from egonet.kernel.cuda.device import FAMILIES, source_of
from emulation.device import compile_family

STALE_BYTE = 0x5A


class Pointer:
    """The address of an array, and copies from and to it."""

    def __init__(self, cupy, ptr):
        self.cupy, self.ptr = cupy, ptr

    def __add__(self, offset):
        return Pointer(self.cupy, self.ptr + offset)

    def copy_from_host_async(self, address, size, stream=None):
        self.cupy.requests.append("upload")
        (stream or self.cupy.main).do(lambda: ctypes.memmove(self.ptr, address, size))

    def copy_to_host_async(self, address, size, stream=None):
        assert stream is None
        self.cupy.requests.append("download")
        content = ctypes.string_at(self.ptr, size)
        ctypes.memset(address, STALE_BYTE, size)
        self.cupy.main.pending.append(lambda: ctypes.memmove(address, content, size))

    def memset_async(self, value, size, stream=None):
        assert stream is None
        self.cupy.requests.append("memset")
        ctypes.memset(self.ptr, value, size)


class Array(np.ndarray):
    """An array whose `data` is a pointer, as in CuPy."""

    cupy = None

    def __array_finalize__(self, other):
        self.cupy = getattr(other, "cupy", None)

    @property
    def data(self):
        return Pointer(self.cupy, self.ctypes.data)


class Stream:
    """The current stream, or another one, which runs as late as possible."""

    ptr = 0

    def __init__(self, cupy, lags):
        self.cupy, self.lags, self.pending = cupy, lags, []

    def do(self, work):
        if self.lags:
            self.pending.append(work)
        else:
            work()

    def wait_event(self, event):
        self.cupy.requests.append("wait")
        self.do(event.reach)


class Event:
    """A point in a stream; waiting for it completes all earlier work."""

    def __init__(self, cupy, **options):
        self.cupy, self.work = cupy, []
        assert options.keys() <= {"block", "disable_timing"}

    def record(self, stream=None):
        self.cupy.requests.append("record")
        self.work = list((stream or self.cupy.main).pending)
        self.stream = stream or self.cupy.main

    def reach(self):
        for work in self.work:
            if work in self.stream.pending:
                self.stream.pending.remove(work)
                work()

    def synchronize(self):
        self.cupy.requests.append("synchronize")
        self.reach()


class StandIn:
    """The names of CuPy that `CudaDevice` uses."""

    def __init__(self, folder, *, memory=2**32, num_multiprocessors=2, shared_bytes=227 * 1024):
        self.folder, self.shared_bytes, self.requests = Path(folder), shared_bytes, []
        self.live = []
        self.main, self.RawModule = Stream(self, lags=False), self.raw_module
        attributes = {
            "MultiProcessorCount": num_multiprocessors,
            "MaxSharedMemoryPerBlockOptin": shared_bytes,
        }
        self.cuda = SimpleNamespace(
            Device=lambda: SimpleNamespace(attributes=attributes, id=0),
            Stream=lambda non_blocking: Stream(self, lags=True),
            Event=lambda **options: Event(self, **options),
            get_current_stream=lambda: self.main,
            alloc_pinned_memory=self.alloc_pinned_memory,
            runtime=SimpleNamespace(memGetInfo=lambda: (memory, memory)),
        )
        for function in (
            np.sort,
            np.argsort,
            np.unique,
            np.arange,
            np.flatnonzero,
            np.searchsorted,
            np.array,
        ):
            setattr(self, function.__name__, partial(self.numpy, function))

    def get_default_memory_pool(self):
        return SimpleNamespace(total_bytes=lambda: 0, used_bytes=lambda: 0, free_all_blocks=lambda: None)

    def zeros(self, shape, dtype):
        array = self.empty(shape, dtype)
        array.fill(0)
        return array

    def empty(self, shape, dtype):
        self.requests.append("allocate")
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        memory = np.full(size, STALE_BYTE, np.uint8)
        self.live.append(weakref.ref(memory))
        array = memory.view(dtype).reshape(shape).view(Array)
        array.cupy = self
        return array

    def num_arrays(self):
        """Return the number of allocations in use."""
        self.live = [alive for alive in self.live if alive() is not None]
        return len(self.live)

    def asarray(self, array):
        return array

    def numpy(self, function, *args, **options):
        """Return the results of NumPy as device arrays."""
        found = function(*args, **options)
        arrays = [part.view(Array) for part in (found if isinstance(found, tuple) else (found,))]
        for array in arrays:
            array.cupy = self
        return tuple(arrays) if isinstance(found, tuple) else arrays[0]

    def alloc_pinned_memory(self, size):
        self.requests.append("page-lock")
        buffer = ctypes.create_string_buffer(max(size, 1))
        buffer.ptr = ctypes.addressof(buffer)
        return buffer

    def raw_module(self, code, options):
        assert options == ("-std=c++17",)
        family = next(name for name in FAMILIES if source_of(name) == code)
        library = ctypes.CDLL(str(compile_family(family, self.folder)))
        return SimpleNamespace(get_function=lambda name: self.get_function(library, name))

    def get_function(self, library, name):
        return Kernel(self, name, getattr(library, f"launch_{name}"))


class Kernel:
    """A kernel with the call of CuPy: grid, block and arguments."""

    max_dynamic_shared_size_bytes = 0

    def __init__(self, cupy, name, launch):
        self.cupy, self.name, self.launch = cupy, name, launch

    def __call__(self, grid, block, arguments, *, shared_mem):
        (x, y, z), (threads, *rest) = grid, block
        assert (z, *rest) == (1, 1, 1)
        assert min(x, y) >= 1
        assert shared_mem <= self.cupy.shared_bytes
        self.cupy.requests.append("launch")
        values = [
            ctypes.c_int64(int(item.data.ptr if isinstance(item, Array) else item)) for item in arguments
        ]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        assert not self.launch((ctypes.c_uint * 3)(x, y, threads), pointers), self.name
