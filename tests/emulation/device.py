"""A device without a GPU: NumPy arrays, and the CUDA sources compiled for the processor, a fiber per thread."""

import ctypes
import re
import subprocess
import weakref
from pathlib import Path

import numpy as np

from egonet.kernel.cuda.device import source_of

HEADER = Path(__file__).parent / "emulation.hpp"
FLAGS = ["-std=c++20", "-O1", "-shared", "-fPIC", "-w"]
#: Guard bytes before and after every array, which no kernel may write to.
GUARD, GUARD_BYTE, STALE_BYTE = 64, 0xA5, 0x5A


class GuardedArray(np.ndarray):
    """An array that remembers its allocation, guards included."""


class EmulatedDevice:
    """A `Device` on the processor; checks after every launch that no kernel wrote outside its arrays."""

    def __init__(self, folder, *, num_multiprocessors=2, shared_bytes=227 * 1024, memory=2**32):
        self.folder = Path(folder)
        self.num_multiprocessors, self.shared_bytes = num_multiprocessors, shared_bytes
        self.memory = memory
        self.launched = []
        self._libraries, self._live = {}, []

    def free_bytes(self):
        return self.memory

    def empty(self, size, dtype):
        dtype = np.dtype(dtype)
        if size * dtype.itemsize > self.memory:
            raise type("OutOfMemoryError", (Exception,), {})(f"{size * dtype.itemsize} bytes")
        whole = np.full(2 * GUARD + size * dtype.itemsize, STALE_BYTE, dtype=np.uint8)
        whole[:GUARD] = whole[whole.size - GUARD :] = GUARD_BYTE
        array = whole[GUARD : whole.size - GUARD].view(dtype).view(GuardedArray)
        array.whole = whole
        self._live.append(weakref.ref(whole))
        return array

    def zeros(self, size, dtype):
        array = self.empty(size, dtype)
        array.fill(0)
        return array

    def upload(self, array):
        if isinstance(array, GuardedArray):
            return array
        copy = self.empty(len(array), array.dtype)
        copy[:] = array
        return copy

    def upload_in_slices(self, array):
        """Return a copy whose slices are filled by `wait`, so that a slice read too early is stale."""
        if isinstance(array, GuardedArray):
            return array, [(len(array), None)]
        copy, ends = self.empty(len(array), array.dtype), [*range(2048, len(array), 2048), len(array)]
        return copy, [(end, (copy, array, end)) for end in ends]

    def wait(self, arrival):
        if arrival is not None:
            copy, array, end = arrival
            copy[:end] = array[:end]

    def download(self, array):
        return np.array(array, copy=True, subok=False)

    def start_download(self, *parts):
        copies = [self.download(array[:count]) for array, count in parts]
        return copies, lambda: None

    def address(self, array):
        return array.ctypes.data

    def sort(self, array):
        return np.sort(array)

    def argsort(self, array):
        return np.argsort(array, kind="stable")

    def unique(self, array):
        return np.unique(array, return_inverse=True)

    def arange(self, begin, end):
        return np.arange(begin, end, dtype=np.int32)

    def nonzero(self, array):
        return np.flatnonzero(array)

    def searchsorted(self, array, values):
        return np.searchsorted(array, values)

    def clear(self, array, size=None):
        array[:size] = 0

    def release(self):
        pass

    def launch(self, kernel, grid, threads, *args, shared=0):
        family, name = kernel.split(".")
        self.launched.append(name)
        assert shared <= self.shared_bytes, (kernel, shared)
        assert threads <= 1024, (kernel, threads)
        shape = grid if isinstance(grid, tuple) else (grid, 1)
        assert all(part >= 1 for part in shape), (kernel, shape)
        values = [ctypes.c_uint64(_as_integer(argument)) for argument in args]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        stuck = getattr(self._library(family), f"launch_{name}")(
            (ctypes.c_uint * 3)(*shape, threads), pointers
        )
        assert not stuck, f"{kernel}: deadlock: every thread waits"
        self._check_guards(kernel)

    def _check_guards(self, kernel):
        self._live = [alive for alive in self._live if alive() is not None]
        for whole in [alive() for alive in self._live]:
            ends = np.concatenate([whole[:GUARD], whole[whole.size - GUARD :]])
            assert (ends == GUARD_BYTE).all(), f"{kernel} wrote outside an array"

    def _library(self, family):
        if family not in self._libraries:
            self._libraries[family] = ctypes.CDLL(str(compile_family(family, self.folder)))
        return self._libraries[family]


def _as_integer(argument):
    if argument is None:
        return 0
    if isinstance(argument, np.ndarray):
        assert argument.flags.c_contiguous
        return argument.ctypes.data
    return int(argument) & (2**64 - 1)


def compile_family(family, folder):
    """Return the shared library of a kernel family, with a launcher for each of its kernels."""
    library = folder / f"{family}.so"
    if library.exists():
        return library
    source = folder / f"{family}.cpp"
    text = "#define __launch_bounds__(...)\n" + source_of(family)
    source.write_text(text)
    plain = ["g++", "-E", "-P", "-x", "c++", "-std=c++20", str(source)]
    expanded = subprocess.run(plain, check=True, capture_output=True, text=True).stdout
    names = re.findall(r"__global__ void\s+(\w+)\(", expanded)
    launchers = "".join(
        f'extern "C" int launch_{name}(const unsigned* shape, void** arguments) '
        f"{{ return emulation::launch({name}, shape, arguments); }}\n"
        for name in names
    )
    source.write_text(f'#include "{HEADER}"\n#define __global__\n{text}\n{launchers}')
    subprocess.run(["g++", *FLAGS, "-o", str(library), str(source)], check=True)
    return library
