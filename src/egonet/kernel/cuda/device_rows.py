"""Rows on the device: assembled from the entries of a search, and passed on to the host and to PyTorch."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from egonet.kernel.cuda.device import CudaDevice, DeviceArray
from egonet.kernel.reference import Rows
from egonet.typing import Int64s

#: Up to this range codes are numbered through an array of marks, above it by sorting.
MARKED_RANGE = 2**27
TILE = 2048
#: The number of codes that are copied to the host before their count is known.
FEW_CODES = 4096
#: A capacity that no result reaches.
NO_LIMIT = 2**62


@dataclass(eq=False)
class Entries:
    """Columns and counts, int32, in arrays with spare capacity; `count` may be set later."""

    all_columns: DeviceArray
    all_counts: DeviceArray
    count: int = 0

    @classmethod
    def allocate(cls, device: CudaDevice, capacity: int) -> "Entries":
        """Return both arrays in one allocation; counts start at a multiple of 256 bytes."""
        first = -(-capacity // 64) * 64
        both = device.empty(first + capacity, np.int32)
        return cls(both[:capacity], both[first:])


@dataclass(frozen=True, eq=False)
class DeviceRows:
    """The encoding of some roots at one radius, on the device; the same numbers as `Rows`.

    Attributes
    ----------
    indptr
        As in `Rows`: int64 (num_roots + 1,), a CuPy array on a GPU.
    entries
        The arrays that `columns` and `counts` are views of.
    listing, decode
        Functions that return the codes of the columns, int64 (num_columns,), on the host, and the keys of codes.
    device
        The device of the arrays.
    """

    indptr: DeviceArray
    entries: Entries
    listing: Callable[[], Int64s]
    decode: Callable[[Int64s], Int64s]
    device: CudaDevice

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
        """Return the keys of the columns: int64 (num_columns, width), on the host."""
        return self.decode(self.listing())

    def compact(self) -> "DeviceRows":
        """Return the same rows without scratch: codes on the host, and copies of views of much larger arrays."""
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
        """Start a copy to the host; the returned function waits for it and does not need these rows."""
        entries, ends = self.entries, (self.indptr, len(self.indptr))
        large = (entries.all_columns, entries.count), (entries.all_counts, entries.count)
        # The larger arrays first: the others are requested while these are copied.
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
            # Both warnings are about sparse tensors in general; the rows satisfy every invariant.
            warnings.filterwarnings("ignore", message="Sparse (CSR tensor support|invariant checks)")
            return torch.sparse_csr_tensor(indptr, columns.long(), counts, size=shape, check_invariants=False)


@dataclass(frozen=True, eq=False)
class FoundRows:
    """Rows in the order of a search: row `rows[i]` is `length[i]` entries from `start[i]` on.

    Attributes
    ----------
    rows
        int32, row numbers; None for 0, 1, 2, ....
    start, length
        int64 and int32, one per row.
    codes, counts
        int32 or int64, and int32: the entries, with spare capacity.
    num_entries
        The sum of all lengths.
    is_sorted
        Whether codes increase within a row.
    """

    rows: DeviceArray | None
    start: DeviceArray
    length: DeviceArray
    codes: DeviceArray
    counts: DeviceArray
    num_entries: int
    is_sorted: bool = True


def prefix_sums(device: CudaDevice, kernel: str, values: DeviceArray, dtype: type[np.generic]) -> DeviceArray:
    """Return the sums of the first 0, 1, 2, ... values, one more than there are values."""
    count = len(values)
    sums = device.zeros(1, dtype) if count == 0 else device.empty(count + 1, dtype)
    if count:
        state = device.zeros(sum_state_bytes(count), np.uint8)
        sum_into(device, kernel, count, values, sums, device.address(state))
    return sums


def sum_state_bytes(count: int) -> int:
    """Return the bytes of zeros that prefix sums of `count` values need."""
    return 8 * (-(-count // TILE) + 1)


def sum_into(
    device: CudaDevice, kernel: str, count: int, values: Any, sums: Any, state: int, *more: Any
) -> None:
    """Write prefix sums, with zeros at the address `state`."""
    tiles = -(-count // TILE)
    device.launch(f"rows.{kernel}", tiles, 256, count, values, sums, state + 8, state, *more)


def assemble(
    device: CudaDevice,
    parts: Sequence[FoundRows],
    num_rows: int,
    *,
    code_range: int,
    decode: Callable[[Int64s], Int64s],
) -> DeviceRows:
    """Return all rows in order; `decode` returns the keys of codes."""
    length = parts[0].length
    if len(parts) > 1 or parts[0].rows is not None:
        length = device.zeros(num_rows, np.int32)
        for part in parts:
            length[part.rows] = part.length
    indptr = prefix_sums(device, "sum_lengths", length, np.int64)
    num_entries = sum(part.num_entries for part in parts)
    codes = device.empty(num_entries, parts[0].codes.dtype)
    counts = device.empty(num_entries, np.int32)
    for part in parts:
        _place(device, part, indptr, codes, counts)
    columns, listing = number_codes(device, codes, code_range)
    rows = DeviceRows(indptr, Entries(columns, counts, num_entries), listing, decode, device)
    return rows if all(part.is_sorted for part in parts) else sort_entries(rows)


def _place(
    device: CudaDevice, part: FoundRows, indptr: DeviceArray, codes: DeviceArray, counts: DeviceArray
) -> None:
    """Copy the rows of one part to their final positions."""
    kernel = "place_rows" if codes.dtype == np.int32 else "place_wide_rows"
    to = indptr if part.rows is None else indptr[part.rows]
    num = len(part.length)
    arrays = (part.start, part.length, to, part.codes, part.counts, None, codes, counts)
    device.launch(f"rows.{kernel}", -(-num // 32), 256, num, NO_LIMIT, *arrays)


def number_codes(
    device: CudaDevice, codes: DeviceArray, code_range: int
) -> tuple[DeviceArray, Callable[[], Int64s]]:
    """Return columns 0, 1, ... in the order of the codes in use, and a function that returns these codes."""
    if codes.dtype != np.int32 or code_range > MARKED_RANGE:
        used, columns = device.unique(codes)
        return columns.astype(np.int32), cache(lambda: device.download(used).astype(np.int64))
    marks = device.zeros(code_range, np.uint8)
    if len(codes):
        device.launch("rows.mark_codes", strided(len(codes)), 256, len(codes), codes, marks)
    column_of, listed = number_marks(device, marks)
    if len(codes):
        device.launch("rows.renumber", strided(len(codes)), 256, len(codes), column_of, codes)
    return codes, UsedCodes(device, listed)


def number_marks(device: CudaDevice, marks: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
    """Return the number of marks before each item, and a list: their number, their positions, and the item count."""
    count = len(marks)
    before, listed = device.empty(count + 1, np.int32), device.empty(count + 2, np.int64)
    state = device.zeros(sum_state_bytes(count), np.uint8)
    sum_into(device, "number_marks", count, marks, before, device.address(state), listed)
    return before, listed


class UsedCodes:
    """The codes that `number_marks` listed, copied to the host; the first call waits for the copy."""

    def __init__(self, device: CudaDevice, listed: DeviceArray) -> None:
        """Start the copy of the first codes; `listed` is an array as `number_marks` returns it."""
        self._listed: Any = listed
        few = min(len(listed), 1 + FEW_CODES)
        self._device, (self._first, self._wait) = device, device.start_download((listed, few))
        self._codes: Int64s | None = None

    def __call__(self) -> Int64s:
        """Return the codes, and free the scratch."""
        if self._codes is None:
            self._wait()
            (codes,) = self._first
            end = 1 + int(codes[0])
            if end > len(codes):
                codes = self._device.download(self._listed[:end])
            self._codes, self._listed = codes[1:end], None
        return self._codes


def strided(count: int) -> int:
    """Return the number of blocks of a kernel that visits items with a stride: enough to fill any GPU."""
    return max(1, min(4096, -(-count // 256)))


def sort_entries(rows: DeviceRows) -> DeviceRows:
    """Return the rows with columns in increasing order within each row."""
    device, num_rows, count = rows.device, len(rows.indptr) - 1, rows.entries.count
    if not count:
        return rows
    keys = device.empty(count, np.uint64)
    device.launch("rows.entry_order", -(-num_rows // 32), 256, num_rows, rows.indptr, rows.columns, keys)
    order = device.argsort(keys)
    return replace(rows, entries=Entries(rows.columns[order], rows.counts[order], count))
