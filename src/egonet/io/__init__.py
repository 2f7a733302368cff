"""Files: readers of graphs in every format, and atomic writes."""

from egonet.io.files import atomic_path, reserved, writing

__all__ = ["atomic_path", "reserved", "writing"]
