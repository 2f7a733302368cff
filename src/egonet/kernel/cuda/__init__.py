"""The encoder on an NVIDIA GPU, behind the kernel contract; CuPy is imported when a device is opened, not before."""
