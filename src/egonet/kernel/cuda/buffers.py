"""Where searches write rows as they find them, and how these become compressed rows with columns for codes."""

from collections.abc import Callable

import numpy as np

from egonet.kernel.cuda.assemble import (
    MARKED_RANGE,
    Found,
    Listing,
    assemble,
    sort_entries,
    sum_into,
    sum_state_bytes,
)
from egonet.kernel.cuda.codec import NARROW
from egonet.kernel.cuda.device import DeviceArray
from egonet.kernel.cuda.device_rows import DeviceRows, Entries
from egonet.kernel.cuda.task import Task
from egonet.kernel.cuda.workspace import Workspace

#: Ways of searching that may follow one another over the same roots.
PASSES = 6
#: Up to this many entries rows are placed before their number is known.
MOST_UNSIZED = 2**24


class Arena:
    """Room for entries, the cursor behind the last, and the roots that still have to be searched."""

    def __init__(self, task: Task, room: int, num_queues: int = 0) -> None:
        """Allocate room for entries, rows beyond which are counted, not written, and for queues of all nodes."""
        num_roots, codes = task.num_roots, task.codec.range
        self.task, self.room, self.needed = task, room, -1
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
            "codes": size * room,
            "counts": 4 * room,
            "queues": 4 * num_queues * task.facts.num_nodes,
            "column_of": 4 * num_marks + 4,
            "listed": 8 * num_marks + 8,
        }
        self.space = Workspace(task.device, zeros=zeros, others=others)
        self._num_passes, self.num_queues = 0, num_queues

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
        return self.start_reading()()

    def start_reading(self) -> Callable[[], DeviceArray]:
        """Ask for the cursor and the counters; what comes back waits for them."""
        size = 1 + PASSES
        (state,), arrived = self.task.device.start_download(
            (self.space.array("state", size, np.uint64), size)
        )

        def wait() -> DeviceArray:
            arrived()
            self.needed = int(state[0])
            return state

        return wait


def gather(arena: Arena) -> DeviceRows | None:
    """Return the rows that were found, in their order; None if the room was too small, and `needed` says how much is.

    Nothing is waited for if the number of entries is known. If it is not and the room is moderate it is asked for when
    the search has ended, and comes while rows are placed; the arrays are then views of larger ones.
    """
    if not arena.has_marks:
        return _gather_wide(arena)
    task, space = arena.task, arena.space
    device, num_roots, codec = task.device, task.num_roots, task.codec
    if arena.needed < 0 and arena.room > MOST_UNSIZED:
        arena.read_state()
    if arena.needed > arena.room:
        return None
    started = None if arena.needed >= 0 else arena.start_reading()
    size = arena.room if started else arena.needed
    indptr = device.empty(num_roots + 1, np.int64)
    entries = Entries.room_for(device, size)
    sum_into(device, "sum_lengths", num_roots, space["length"], indptr, space["row_sums"])
    column_of, marks = space["column_of"], space["marks"]
    sum_into(device, "number_marks", codec.range, marks, column_of, space["code_sums"], space["listed"])
    found = (space["start"], space["length"], indptr, space["codes"], space["counts"])
    arrays = (*found, column_of, entries.all_columns, entries.all_counts)
    device.launch("rows.place_columns", -(-num_roots // 32), 256, num_roots, size, *arrays)
    listing = Listing(device, space.array("listed", 1 + codec.range, np.int64))
    rows = DeviceRows(indptr, entries, listing, codec.decode, device)
    if started:
        started()
    if arena.needed > size:
        return None
    entries.count = arena.needed
    return rows if arena.is_sorted else sort_entries(rows)


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
