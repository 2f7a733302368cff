"""What a device keeps for the next call: room for the arguments of kernels, and page-locked memory."""

from array import array as words_of
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

#: More arguments than any kernel has.
MOST_ARGUMENTS = 64
#: Numbers in a room for rows: one more than a graph may have vertices to be sent from it.
MOST_ROWS = 2**15

Kept = TypeVar("Kept")


class Arguments:
    """Room for the arguments of a kernel, eight bytes each, and the list of their places that the driver takes."""

    def __init__(self) -> None:
        """Make the room."""
        self._values = words_of("q", bytes(8 * MOST_ARGUMENTS))
        self.first = self._values.buffer_info()[0]
        self._places = words_of("q", range(self.first, self.first + 8 * MOST_ARGUMENTS, 8))
        self.address = self._places.buffer_info()[0]


class RowRoom:
    """Page-locked room for the rows of a small graph as 32-bit positions, and the event behind the last copy of it."""

    def __init__(self, cupy: Any) -> None:
        """Lock the memory."""
        memory = cupy.cuda.alloc_pinned_memory(4 * MOST_ROWS)
        self.items = np.ndarray(MOST_ROWS, np.int32, memory)
        self.address = int(memory.ptr)
        self.copied = cupy.cuda.Event(disable_timing=True)


def taken(kept: list[Kept], make: Callable[[], Kept]) -> Kept:
    """Return one of what is kept, or a new one; asking first whether there is one would leave room for a thread."""
    try:
        return kept.pop()
    except IndexError:
        return make()


def rounded_up(size: int) -> int:
    """Return a size at most an eighth larger, of few there are, so that page-locked memory serves other results too.

    Examples
    --------
    >>> rounded_up(1000), rounded_up(1025), rounded_up(0)
    (1024, 1152, 0)
    """
    unit = 1 << max(size.bit_length() - 4, 0)
    return -(-size // unit) * unit
