"""Rows in the order they were found, with codes for keys, become compressed rows with columns for codes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from egonet.kernel.cuda.device import Device, DeviceArray
from egonet.kernel.cuda.device_rows import DeviceRows, Entries
from egonet.typing import Int64s

#: Up to this range codes are numbered through an array of marks, above it by sorting them.
MARKED_RANGE = 2**27
TILE = 2048
#: Codes that are copied to the host before their number is known.
FEW_CODES = 4096


@dataclass(frozen=True, eq=False)
class Found:
    """Some rows as a search left them: row `rows[i]` is `length[i]` entries from `start[i]` on.

    Attributes
    ----------
    rows
        int32, which rows; None if they are 0, 1, 2, ....
    start, length
        int64 and int32, one per row.
    codes, counts
        int32 or int64, and int32: the entries, with room to spare.
    num_entries
        The sum of all lengths.
    is_sorted
        Whether codes rise within a row.
    """

    rows: DeviceArray | None
    start: DeviceArray
    length: DeviceArray
    codes: DeviceArray
    counts: DeviceArray
    num_entries: int
    is_sorted: bool = True


def prefix_sums(device: Device, kernel: str, values: DeviceArray, dtype: type[np.generic]) -> DeviceArray:
    """Return the sums of the first 0, 1, 2, ... values, one more than there are values."""
    count = len(values)
    sums = device.zeros(1, dtype) if count == 0 else device.empty(count + 1, dtype)
    if count:
        state = device.zeros(sum_state_bytes(count), np.uint8)
        sum_into(device, kernel, count, values, sums, device.address(state))
    return sums


def sum_state_bytes(count: int) -> int:
    """Return the bytes of zeros that prefix sums of so many values need."""
    return 8 * (-(-count // TILE) + 1)


def sum_into(device: Device, kernel: str, count: int, values: Any, sums: Any, state: int, *more: Any) -> None:
    """Write prefix sums, with zeros at the address `state`."""
    tiles = -(-count // TILE)
    device.launch(f"rows.{kernel}", tiles, 256, count, values, sums, state + 8, state, *more)


def assemble(
    device: Device,
    found: Sequence[Found],
    num_rows: int,
    *,
    code_range: int,
    decode: Callable[[Int64s], Int64s],
) -> DeviceRows:
    """Return all rows that were found, in their order, with the keys that `decode` has for their codes."""
    length = found[0].length
    if len(found) > 1 or found[0].rows is not None:
        length = device.zeros(num_rows, np.int32)
        for part in found:
            length[part.rows] = part.length
    indptr = prefix_sums(device, "sum_lengths", length, np.int64)
    num_entries = sum(part.num_entries for part in found)
    codes = device.empty(num_entries, found[0].codes.dtype)
    counts = device.empty(num_entries, np.int32)
    for part in found:
        place(device, part, indptr, codes, counts)
    columns, listing = number_codes(device, codes, code_range)
    rows = DeviceRows(indptr, Entries(columns, counts, num_entries), listing, decode, device)
    return rows if all(part.is_sorted for part in found) else sort_entries(rows)


def place(device: Device, part: Found, indptr: DeviceArray, codes: DeviceArray, counts: DeviceArray) -> None:
    """Copy the rows of one part to where they belong."""
    kernel = "place_rows" if codes.dtype == np.int32 else "place_wide_rows"
    to = indptr if part.rows is None else indptr[part.rows]
    num = len(part.length)
    arrays = (part.start, part.length, to, part.codes, part.counts, codes, counts)
    device.launch(f"rows.{kernel}", -(-num // 32), 256, num, *arrays)


def number_codes(
    device: Device, codes: DeviceArray, code_range: int
) -> tuple[DeviceArray, Callable[[], Int64s]]:
    """Return columns 0, 1, ... in the order of the codes in use, and what waits for these codes, on the host."""
    if codes.dtype != np.int32 or code_range > MARKED_RANGE:
        used, columns = device.unique(codes)
        return columns.astype(np.int32), cache(lambda: device.download(used).astype(np.int64))
    marks = device.zeros(code_range, np.uint8)
    if len(codes):
        device.launch("rows.mark_codes", strided(len(codes)), 256, len(codes), codes, marks)
    column_of, listed = device.empty(code_range + 1, np.int32), device.empty(1 + code_range, np.int64)
    state = device.zeros(sum_state_bytes(code_range), np.uint8)
    sum_into(device, "number_marks", code_range, marks, column_of, device.address(state), listed)
    if len(codes):
        device.launch("rows.renumber", strided(len(codes)), 256, len(codes), column_of, codes)
    return codes, Listing(device, listed)


class Listing:
    """The codes that `number_marks` listed, on their way to the host; the first call waits for them."""

    def __init__(self, device: Device, listed: DeviceArray) -> None:
        """Ask for the first of them; `listed` is their number, the codes, and room for one to each mark."""
        self._listed: Any = listed
        few = min(len(listed), 1 + FEW_CODES)
        self._device, (self._first, self._wait) = device, device.start_download((listed, few))
        self._codes: Int64s | None = None

    def __call__(self) -> Int64s:
        """Return the codes; the scratch that they were in is let go of."""
        if self._codes is None:
            self._wait()
            (codes,) = self._first
            end = 1 + int(codes[0])
            if end > len(codes):
                codes = self._device.download(self._listed[:end])
            self._codes, self._listed = codes[1:end], None
        return self._codes


def strided(count: int) -> int:
    """Return the blocks of a kernel that walks over items with a stride: enough to fill any GPU."""
    return max(1, min(4096, -(-count // 256)))


def sort_entries(rows: DeviceRows) -> DeviceRows:
    """Return the rows with columns rising within each."""
    device, num_rows, count = rows.device, len(rows.indptr) - 1, rows.entries.count
    if not count:
        return rows
    keys = device.empty(count, np.uint64)
    device.launch("rows.entry_order", -(-num_rows // 32), 256, num_rows, rows.indptr, rows.columns, keys)
    order = device.argsort(keys)
    return replace(rows, entries=Entries(rows.columns[order], rows.counts[order], count))
