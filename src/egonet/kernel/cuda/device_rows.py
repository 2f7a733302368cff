"""Rows that stay in the memory of the device, for PyTorch, CuPy and whatever else speaks DLPack."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from egonet.kernel.cuda.device import Device, DeviceArray
from egonet.kernel.rows import Rows
from egonet.typing import Int64s


@dataclass(eq=False)
class Entries:
    """Columns and counts, int32, in arrays with room to spare; how many there are may be set later."""

    all_columns: DeviceArray
    all_counts: DeviceArray
    count: int = 0

    @classmethod
    def room_for(cls, device: Device, room: int) -> "Entries":
        """Return room for so many of each in one allocation; counts begin on a multiple of 256 bytes."""
        first = -(-room // 64) * 64
        both = device.empty(first + room, np.int32)
        return cls(both[:room], both[first:])


@dataclass(frozen=True, eq=False)
class DeviceRows:
    """The encoding of some roots at one radius, on the device; the same numbers as `Rows`.

    Attributes
    ----------
    indptr
        As in `Rows`: int64 (num_roots + 1,), a CuPy array on a GPU.
    entries
        What `columns` and `counts` are the first of.
    listing, decode
        What waits for the codes of the columns, int64 (num_columns,), on the host, and what makes keys of them.
    device
        Where the arrays are.
    """

    indptr: DeviceArray
    entries: Entries
    listing: Callable[[], Int64s]
    decode: Callable[[Int64s], Int64s]
    device: Device

    @cached_property
    def columns(self) -> DeviceArray:
        """Return the columns as in `Rows`: int32 (num_entries,)."""
        return self.entries.all_columns[: self.entries.count]

    @cached_property
    def counts(self) -> DeviceArray:
        """Return the counts as in `Rows`: int32 (num_entries,)."""
        return self.entries.all_counts[: self.entries.count]

    @cached_property
    def keys(self) -> Int64s:
        """Return what the columns stand for: int64 (num_columns, width), on the host."""
        return self.decode(self.listing())

    def compact(self) -> "DeviceRows":
        """Return the same rows without scratch: codes listed, and arrays that are views of much larger ones copied."""
        rows, base = self, self.columns.base
        if base is not None and base.nbytes > 2 * (self.columns.nbytes + self.counts.nbytes):
            entries = Entries(self.columns.copy(), self.counts.copy(), self.entries.count)
            rows = replace(self, entries=entries)
        rows.listing()
        return rows

    def to_host(self) -> Rows:
        """Return a copy in the memory of the host."""
        return self.start_to_host()()

    def start_to_host(self) -> Callable[[], Rows]:
        """Ask for a copy in the memory of the host; what comes back waits for it, and needs these rows no more."""
        entries, ends = self.entries, (self.indptr, len(self.indptr))
        large = (entries.all_columns, entries.count), (entries.all_counts, entries.count)
        # The larger ones first: the others are asked for while they are copied.
        (columns, counts, indptr), arrived = self.device.start_download(*large, ends)
        listing, decode = self.listing, self.decode

        def wait() -> Rows:
            rows = Rows(indptr, columns, counts, decode(listing()))
            arrived()
            return rows

        return wait

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
