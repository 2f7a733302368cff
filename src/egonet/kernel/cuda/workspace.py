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
        sizes = {name: -(-size // ALIGNMENT) * ALIGNMENT for name, size in (zeros | others).items()}
        self.memory = device.empty(sum(sizes.values()) + ALIGNMENT, np.uint8)
        self._begin = device.address(self.memory)
        place = first = -(-self._begin // ALIGNMENT) * ALIGNMENT
        self._addresses = {}
        for name, size in sizes.items():
            self._addresses[name] = place
            place += size
        skipped = first - self._begin
        device.clear(self.memory[: skipped + sum(sizes[name] for name in zeros)])

    def __getitem__(self, name: str) -> int:
        """Return the address of an array."""
        return self._addresses[name]

    def array(self, name: str, count: int, dtype: Any) -> DeviceArray:
        """Return the first `count` items of an array as one of the device."""
        first = self._addresses[name] - self._begin
        return self.memory[first : first + count * np.dtype(dtype).itemsize].view(dtype)
