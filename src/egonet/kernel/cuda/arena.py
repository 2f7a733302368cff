"""Where searches write rows as they find them, and how these become compressed rows with columns for codes."""

import numpy as np

from egonet.kernel.cuda.assemble import (
    MARKED_RANGE,
    Found,
    assemble,
    number_marks,
    sort_entries,
    sum_into,
    sum_state_bytes,
)
from egonet.kernel.cuda.codec import NARROW
from egonet.kernel.cuda.device import DeviceArray
from egonet.kernel.cuda.resident import DeviceRows, Entries
from egonet.kernel.cuda.task import Task
from egonet.kernel.cuda.workspace import Workspace

#: Ways of searching that may follow one another over the same roots.
PASSES = 6
#: Up to this many entries rows are placed before their number is known.
MOST_UNSIZED = 2**24


class Arena:
    """Room for entries, the cursor behind the last, and the roots that still have to be searched."""

    def __init__(self, task: Task, room: int) -> None:
        """Allocate room for entries; rows beyond it are counted, not written."""
        device, codes = task.device, task.codec.range
        self.task, self.room, self.needed = task, room, -1
        self.todo: DeviceArray | None = None
        self.num_todo = task.num_roots
        self.is_sorted = True
        self.has_marks = codes <= min(NARROW, MARKED_RANGE)
        zeros = {"state": 8 * (1 + PASSES), "row_sums": sum_state_bytes(task.num_roots)}
        size = 4 if codes <= NARROW else 8
        others = {"start": 8 * task.num_roots, "length": 4 * task.num_roots}
        others |= {"codes": size * room, "counts": 4 * room}
        if self.has_marks:
            zeros |= {"marks": codes, "code_sums": sum_state_bytes(codes)}
            others |= {"column_of": 4 * codes + 4, "listed": 8 * codes + 16}
        self.space = Workspace(device, zeros=zeros, others=others)
        self._num_passes = 0

    @property
    def arrays(self) -> tuple[DeviceArray, ...]:
        """Return what every search kernel takes of it."""
        space, marks = self.space, self.space["marks"] if self.has_marks else None
        entries = (space["start"], space["length"], space["codes"], space["counts"])
        return (space["state"], self.room, *entries, marks)

    def next_pass(self, *, leaves: bool) -> tuple[tuple[int, int], DeviceArray | None]:
        """Return two counters that are 0, roots taken and roots left over, and a list for the latter.

        What is needed is not known until the pass is waited for.
        """
        self._num_passes += 1
        self.needed = -1
        counter = self.space["state"] + 8 * self._num_passes
        left = self.task.device.empty(self.num_todo, np.int32) if leaves else None
        return (counter, counter + 4), left

    def leave(self, left: DeviceArray) -> None:
        """Wait for a pass, and note what it left over for the next."""
        state = self.read_state()
        self.todo, self.num_todo = left, int(state[self._num_passes] >> np.uint64(32))

    def read_state(self) -> DeviceArray:
        """Wait for the cursor and the counters."""
        state = self.task.device.download(self.space.array("state", 1 + PASSES, np.uint64))
        self.needed = int(state[0])
        return state


def gather(arena: Arena) -> DeviceRows | None:
    """Return the rows that were found, in their order; None if the room was too small, and `needed` says how much is.

    Nothing is waited for if the number of entries is known. If it is not and the room is moderate it is asked for with
    the codes, while rows are placed; the arrays are then views of larger ones.
    """
    if not arena.has_marks:
        return _gather_wide(arena)
    task, space = arena.task, arena.space
    device, num_roots, codec = task.device, task.num_roots, task.codec
    if arena.needed < 0 and arena.room > MOST_UNSIZED:
        arena.read_state()
    if arena.needed > arena.room:
        return None
    size = arena.room if arena.needed < 0 else arena.needed
    indptr = device.empty(num_roots + 1, np.int64)
    entries = Entries(device, size)
    sum_into(device, "sum_lengths", num_roots, space["length"], indptr, space["row_sums"])
    total = device.address(indptr) + 8 * num_roots
    column_of, listed = space["column_of"], space.array("listed", 2 + codec.range, np.int64)
    listing = number_marks(device, codec.range, space["marks"], column_of, space["code_sums"], total, listed)
    found = (space["start"], space["length"], indptr, space["codes"], space["counts"])
    arrays = (*found, column_of, *entries.addresses)
    device.launch("rows.place_columns", -(-num_roots // 32), 256, num_roots, size, *arrays)
    if arena.needed < 0:
        arena.needed = listing()[0]
    if arena.needed > size:
        return None
    columns, counts = entries.first(arena.needed)
    if not arena.is_sorted:
        columns, counts = sort_entries(device, indptr, columns, counts)
    return DeviceRows(indptr, columns, counts, lambda: listing()[1], codec.decode, device)


def _gather_wide(arena: Arena) -> DeviceRows | None:
    """Return the rows if codes are too many to have a mark each: they are sorted to be numbered."""
    arena.read_state()
    if arena.needed > arena.room:
        return None
    task, space, num = arena.task, arena.space, arena.task.num_roots
    extents = space.array("start", num, np.int64), space.array("length", num, np.int32)
    dtype = np.int32 if task.codec.range <= NARROW else np.int64
    entries = space.array("codes", arena.room, dtype), space.array("counts", arena.room, np.int32)
    found = Found(None, *extents, *entries, arena.needed, arena.is_sorted)
    return assemble(
        task.device, [found], task.num_roots, code_range=task.codec.range, decode=task.codec.decode
    )
