"""Types of the compiled core; the modules that call it have the contracts."""

from collections.abc import Callable
from typing import Any

from egonet.types import Int32s, Int64s

def encode(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radius: int,
    degrees: str,
    frontier_edges: bool,
    max_degree: int,
    labels: Int32s | None,
    symmetric: bool,
    threads: int,
    algorithm: str,
    simd: str,
    progress: Callable[[int, int], None] | None,
) -> tuple[Int64s, Int32s, Int32s, Int64s]: ...
def row_classes(indptr: Int64s, columns: Int32s, values: Int32s) -> Int64s: ...
def simd_level() -> str: ...
def __getattr__(name: str) -> Any: ...
