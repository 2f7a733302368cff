"""The encoder on an NVIDIA GPU, behind the kernel contract; CuPy is imported only when `device.open_device` is called."""
