"""Scratch of one search as a single allocation, since each costs time on the host that small graphs notice."""

from typing import Any

import numpy as np

from egonet.kernel.cuda.device import Device, DeviceArray

#: Arrays begin on a multiple of this many bytes.
ALIGNMENT = 256


class Workspace:
    """Named arrays in one block of device memory; a name gives the address, which kernels take for an array."""

    def __init__(self, device: Device, *, zeros: dict[str, int], others: dict[str, int]) -> None:
        """Allocate arrays of so many bytes; those of `zeros` are set to zero, together."""
        places, place = {}, 0
        for name, size in zeros.items():
            places[name] = place
            place += size + ALIGNMENT - 1 & -ALIGNMENT
        num_zeros = place
        for name, size in others.items():
            places[name] = place
            place += size + ALIGNMENT - 1 & -ALIGNMENT
        self._places = places
        self.memory = device.empty(place + ALIGNMENT, np.uint8)
        begin = device.address(self.memory)
        self._skipped = -begin % ALIGNMENT
        self._first = begin + self._skipped
        device.clear(self.memory, self._skipped + num_zeros)

    def __getitem__(self, name: str) -> int:
        """Return the address of an array."""
        return self._first + self._places[name]

    def array(self, name: str, count: int, dtype: Any) -> DeviceArray:
        """Return the first `count` items of an array as one of the device."""
        first = self._skipped + self._places[name]
        return self.memory[first : first + count * np.dtype(dtype).itemsize].view(dtype)
