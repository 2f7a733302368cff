"""Rows that stay in the memory of the device, for PyTorch, CuPy and whatever else speaks DLPack."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from egonet.kernel.cuda.device import Device, DeviceArray
from egonet.kernel.rows import Rows
from egonet.types import Int64s


class Entries:
    """Room for columns and counts, int32, in one allocation."""

    def __init__(self, device: Device, room: int) -> None:
        """Allocate room for so many of each; counts begin on a multiple of 256 bytes."""
        self._room = -(-room // 64) * 64
        self._both = device.empty(self._room + room, np.int32)
        first = device.address(self._both)
        self.addresses = first, first + 4 * self._room

    def first(self, count: int) -> tuple[DeviceArray, DeviceArray]:
        """Return the first columns and counts."""
        return self._both[:count], self._both[self._room : self._room + count]


@dataclass(frozen=True, eq=False)
class DeviceRows:
    """The encoding of some roots at one radius, on the device; the same numbers as `Rows`.

    Attributes
    ----------
    indptr, columns, counts
        As in `Rows`: int64 (num_roots + 1,), int32 and int32 (num_entries,), CuPy arrays on a GPU.
    listing, decode
        What waits for the codes of the columns, int64 (num_columns,), on the host, and what makes keys of them.
    device
        Where the arrays are.
    """

    indptr: DeviceArray
    columns: DeviceArray
    counts: DeviceArray
    listing: Callable[[], Int64s]
    decode: Callable[[Int64s], Int64s]
    device: Device

    @cached_property
    def keys(self) -> Int64s:
        """Return what the columns stand for: int64 (num_columns, width), on the host."""
        return self.decode(self.listing())

    def compact(self) -> "DeviceRows":
        """Return the same rows without scratch: codes listed, and arrays that are views of much larger ones copied."""
        codes, base = self.listing(), self.columns.base
        listed = replace(self, listing=lambda: codes)
        if base is None or base.nbytes <= 2 * (self.columns.nbytes + self.counts.nbytes):
            return listed
        return replace(listed, columns=self.columns.copy(), counts=self.counts.copy())

    def to_host(self) -> Rows:
        """Return a copy in the memory of the host."""
        started = self.device.start_download(self.indptr, self.columns, self.counts)
        keys = self.keys
        indptr, columns, counts = started()
        return Rows(indptr, columns, counts, keys)

    def to_torch(self) -> Any:
        """Return the counts as a sparse CSR tensor on the same GPU; the arrays are shared, not copied."""
        import torch
        from torch.utils.dlpack import from_dlpack

        shape = (len(self.indptr) - 1, len(self.keys))
        indptr, columns, counts = (from_dlpack(array) for array in (self.indptr, self.columns, self.counts))
        with warnings.catch_warnings():
            # Both are remarks on sparse tensors in general, made once a process; the rows keep every invariant.
            warnings.filterwarnings("ignore", message="Sparse (CSR tensor support|invariant checks)")
            return torch.sparse_csr_tensor(indptr, columns.long(), counts, size=shape, check_invariants=False)

    def to_cupy(self) -> Any:
        """Return the counts as a CSR matrix of CuPy, in float64, the integer types being unknown to it."""
        from cupyx.scipy.sparse import csr_matrix

        shape = (len(self.indptr) - 1, len(self.keys))
        return csr_matrix((self.counts.astype(float), self.columns, self.indptr.astype("int32")), shape=shape)
