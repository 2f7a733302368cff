"""Device buffers of a search: scratch in one allocation, and the rows it appends, which become compressed rows."""

from collections.abc import Callable
from typing import Any

import numpy as np

from egonet.kernel.cuda.choose import NARROW, SearchTask
from egonet.kernel.cuda.device import CudaDevice, DeviceArray
from egonet.kernel.cuda.device_rows import (
    MARKED_RANGE,
    DeviceRows,
    Entries,
    FoundRows,
    UsedCodes,
    assemble,
    sort_entries,
    sum_into,
    sum_state_bytes,
)

#: The largest number of searches over the same roots.
PASSES = 6
#: Up to this capacity rows are placed before the number of entries is known.
MOST_UNSIZED = 2**24
#: Arrays start at multiples of this many bytes.
ALIGNMENT = 256


class Workspace(dict[str, int]):
    """Named arrays in one allocation of device memory; the value of a name is the address, which kernels accept."""

    def __init__(self, device: CudaDevice, *, zeros: dict[str, int], others: dict[str, int]) -> None:
        """Allocate arrays of these sizes in bytes; those of `zeros` are set to zero, together."""
        starts, end = {}, 0
        for name, size in (zeros | others).items():
            starts[name] = end
            end += -(-size // ALIGNMENT) * ALIGNMENT
        self.memory = device.empty(end, np.uint8)
        self._begin = device.address(self.memory)
        device.clear(self.memory, starts[next(iter(others))])
        super().__init__({name: self._begin + start for name, start in starts.items()})

    def array(self, name: str, count: int, dtype: Any) -> DeviceArray:
        """Return the first `count` items as a device array."""
        first = self[name] - self._begin
        return self.memory[first : first + count * np.dtype(dtype).itemsize].view(dtype)


class RowBuffer:
    """A buffer for entries, the cursor after the last one, and the roots that remain to be searched."""

    def __init__(self, task: SearchTask, capacity: int, num_queues: int = 0) -> None:
        """Allocate `capacity` entries, past which rows are counted but not written, and queues of all nodes."""
        num_roots, codes = task.num_roots, task.codec.range
        self.task, self.capacity, self.needed = task, capacity, -1
        self.todo: DeviceArray | None = None
        self.num_todo = num_roots
        self.is_sorted = True
        self.has_marks = codes <= min(NARROW, MARKED_RANGE)
        num_marks, size = codes if self.has_marks else 0, 4 if codes <= NARROW else 8
        zeros = {
            "state": 8 * (1 + PASSES),
            "row_sums": sum_state_bytes(num_roots),
            "marks": num_marks,
            "code_sums": sum_state_bytes(num_marks),
        }
        others = {
            "start": 8 * num_roots,
            "length": 4 * num_roots,
            "codes": size * capacity,
            "counts": 4 * capacity,
            "queues": 4 * num_queues * task.facts.num_nodes,
            "column_of": 4 * num_marks + 4,
            "listed": 8 * num_marks + 16,
        }
        self.space = Workspace(task.device, zeros=zeros, others=others)
        self._num_passes, self.num_queues = 0, num_queues

    @property
    def arrays(self) -> tuple[DeviceArray, ...]:
        """Return the arguments of every search kernel."""
        space, marks = self.space, self.space["marks"] if self.has_marks else None
        entries = (space["start"], space["length"], space["codes"], space["counts"])
        return (space["state"], self.capacity, *entries, marks)

    def next_pass(self, *, leaves: bool) -> tuple[tuple[int, int], DeviceArray | None]:
        """Return two zero counters, of roots taken and roots left over, and a list for the latter.

        The needed capacity is unknown until the pass has ended.
        """
        self._num_passes += 1
        self.needed = -1
        counter = self.space["state"] + 8 * self._num_passes
        left = self.task.device.empty(self.num_todo, np.int32) if leaves else None
        return (counter, counter + 4), left

    def leave(self, left: DeviceArray) -> None:
        """Wait for a pass, and record the roots that it left over."""
        state = self.read_state()
        self.todo, self.num_todo = left, int(state[self._num_passes] >> np.uint64(32))

    def read_state(self) -> DeviceArray:
        """Wait for the cursor and the counters."""
        return self.start_reading()()

    def start_reading(self) -> Callable[[], DeviceArray]:
        """Start a copy of the cursor and the counters; the returned function waits for it."""
        size = 1 + PASSES
        (state,), arrived = self.task.device.start_download(
            (self.space.array("state", size, np.uint64), size)
        )

        def wait() -> DeviceArray:
            arrived()
            self.needed = int(state[0])
            return state

        return wait


def gather(buffer: RowBuffer) -> DeviceRows | None:
    """Return the rows in order; None if the capacity was too small, and `needed` has the needed capacity.

    If the number of entries is unknown and the capacity is moderate, it is copied while rows are placed; the arrays
    are then views of larger ones.
    """
    if not buffer.has_marks:
        return _gather_wide(buffer)
    task, space = buffer.task, buffer.space
    device, num_roots, codec = task.device, task.num_roots, task.codec
    if buffer.needed < 0 and buffer.capacity > MOST_UNSIZED:
        buffer.read_state()
    if buffer.needed > buffer.capacity:
        return None
    started = None if buffer.needed >= 0 else buffer.start_reading()
    size = buffer.capacity if started else buffer.needed
    indptr = device.empty(num_roots + 1, np.int64)
    entries = Entries.allocate(device, size)
    sum_into(device, "sum_lengths", num_roots, space["length"], indptr, space["row_sums"])
    column_of, marks = space["column_of"], space["marks"]
    sum_into(device, "number_marks", codec.range, marks, column_of, space["code_sums"], space["listed"])
    positions = (space["start"], space["length"], indptr, space["codes"], space["counts"])
    arrays = (*positions, column_of, entries.all_columns, entries.all_counts)
    device.launch("rows.place_rows", -(-num_roots // 32), 256, num_roots, size, *arrays)
    listing = UsedCodes(device, space.array("listed", 1 + codec.range, np.int64))
    rows = DeviceRows(indptr, entries, listing, codec.decode, device)
    if started:
        started()
    if buffer.needed > size:
        return None
    entries.count = buffer.needed
    return rows if buffer.is_sorted else sort_entries(rows)


def _gather_wide(buffer: RowBuffer) -> DeviceRows | None:
    """Return the rows if there are too many codes for marks: codes are sorted instead."""
    buffer.read_state()
    if buffer.needed > buffer.capacity:
        return None
    task, space, num = buffer.task, buffer.space, buffer.task.num_roots
    extents = space.array("start", num, np.int64), space.array("length", num, np.int32)
    dtype = np.int32 if task.codec.range <= NARROW else np.int64
    entries = space.array("codes", buffer.capacity, dtype), space.array("counts", buffer.capacity, np.int32)
    part = FoundRows(None, *extents, *entries, buffer.needed, buffer.is_sorted)
    return assemble(
        task.device, [part], task.num_roots, code_range=task.codec.range, decode=task.codec.decode
    )
