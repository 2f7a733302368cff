"""Scratch of one search as a single allocation, since each costs time on the host that small graphs notice."""

from typing import Any

import numpy as np

from egonet.kernel.cuda.device import Device, DeviceArray
from egonet.kernel.cuda.host import place_arrays

#: Arrays begin on a multiple of this many bytes.
ALIGNMENT = 256


class Workspace(dict[str, int]):
    """Named arrays in one block of device memory; a name gives the address, which kernels take for an array."""

    def __init__(self, device: Device, *, zeros: dict[str, int], others: dict[str, int]) -> None:
        """Allocate arrays of so many bytes; those of `zeros` are set to zero, together."""
        size = sum(zeros.values()) + sum(others.values())
        self.memory = device.empty(size + ALIGNMENT * (1 + len(zeros) + len(others)), np.uint8)
        self._begin = device.address(self.memory)
        end = place_arrays(self, zeros, self._begin, ALIGNMENT)
        device.clear(self.memory, end - self._begin)
        place_arrays(self, others, end, ALIGNMENT)

    def array(self, name: str, count: int, dtype: Any) -> DeviceArray:
        """Return the first `count` items of an array as one of the device."""
        first = self[name] - self._begin
        return self.memory[first : first + count * np.dtype(dtype).itemsize].view(dtype)
