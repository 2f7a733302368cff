"""Rows in the order they were found, with codes for keys, become compressed rows with columns for codes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from egonet.kernel.cuda.device import Device, DeviceArray
from egonet.kernel.cuda.resident import DeviceRows
from egonet.types import Int64s

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
    if not all(part.is_sorted for part in found):
        columns, counts = sort_entries(device, indptr, columns, counts)
    return DeviceRows(indptr, columns, counts, listing, decode, device)


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
        return columns.astype(np.int32), lambda: device.download(used).astype(np.int64)
    marks = device.zeros(code_range, np.uint8)
    if len(codes):
        device.launch("rows.mark_codes", strided(len(codes)), 256, len(codes), codes, marks)
    column_of, listed = device.empty(code_range + 1, np.int32), device.empty(2 + code_range, np.int64)
    state = device.zeros(sum_state_bytes(code_range), np.uint8)
    listing = number_marks(device, code_range, marks, column_of, device.address(state), None, listed)
    if len(codes):
        device.launch("rows.renumber", strided(len(codes)), 256, len(codes), column_of, codes)
    return codes, lambda: listing()[1]


def number_marks(
    device: Device,
    num_marks: int,
    marks: Any,
    column_of: Any,
    state: int,
    num_entries: Any,
    listed: DeviceArray,
) -> Callable[[], tuple[int, Int64s]]:
    """Ask for the columns of the codes that are marked; return what waits for the number of entries and these codes.

    What is asked of the device between the two it does while the host waits; only the first call waits. `listed` is
    scratch of two more numbers than there are marks; `num_entries` is an address, or None if it is of no interest.
    """
    sum_into(device, "number_marks", num_marks, marks, column_of, state, num_entries, listed)
    started = device.start_download(listed[: 2 + FEW_CODES])

    @cache
    def wait() -> tuple[int, Int64s]:
        (first,) = started()
        entries, num_codes = int(first[0]), int(first[1])
        codes: Int64s = first if num_codes <= FEW_CODES else device.download(listed)
        return entries, codes[2 : 2 + num_codes]

    return wait


def strided(count: int) -> int:
    """Return the blocks of a kernel that walks over items with a stride: enough to fill any GPU."""
    return max(1, min(4096, -(-count // 256)))


def sort_entries(
    device: Device, indptr: DeviceArray, columns: DeviceArray, counts: DeviceArray
) -> tuple[DeviceArray, DeviceArray]:
    """Return columns and counts with the columns rising within each row."""
    if not len(columns):
        return columns, counts
    num_rows = len(indptr) - 1
    keys = device.empty(len(columns), np.uint64)
    device.launch("rows.entry_order", -(-num_rows // 32), 256, num_rows, indptr, columns, keys)
    order = device.argsort(keys)
    return columns[order], counts[order]
