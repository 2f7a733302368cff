"""Scratch of one search as a single allocation of device memory."""

from typing import Any

import numpy as np

from egonet.kernel.cuda.device import Device, DeviceArray

#: Arrays begin on a multiple of this many bytes.
ALIGNMENT = 256


class Workspace(dict[str, int]):
    """Named arrays in one block of device memory; a name gives the address, which kernels take for an array."""

    def __init__(self, device: Device, *, zeros: dict[str, int], others: dict[str, int]) -> None:
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
        """Return the first `count` items of an array as one of the device."""
        first = self[name] - self._begin
        return self.memory[first : first + count * np.dtype(dtype).itemsize].view(dtype)
