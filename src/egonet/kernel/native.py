"""The C++ kernel behind the kernel contract: checks the algorithm and the number of nodes, not the arrays."""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from egonet import _native
from egonet.errors import InputError
from egonet.kernel.rows import Rows
from egonet.kernel.threads import as_count
from egonet.typing import Degrees, Int32s, Int64s

#: "triangle" finds each triangle once (radius 1 only), "source" searches from one root at a time,
#: "bitwise" from 512 roots at a time; "auto" lets the kernel decide from the graph.
Algorithm: TypeAlias = Literal["auto", "triangle", "source", "bitwise"]
#: The instruction set of "bitwise"; "auto" is the best the processor has.
Simd: TypeAlias = Literal["auto", "baseline", "avx2", "avx512"]
Progress: TypeAlias = Callable[[int, int], None]

#: More hops than any path has; keeps the radius within the kernel's 64-bit integers.
ENDLESS = 2**40

#: Nodes are 32-bit integers.
MOST_NODES = 2**31 - 1


def encode_rows(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radius: int,
    *,
    degrees: Degrees = "total",
    frontier_edges: bool = True,
    max_degree: int | None = None,
    labels: Int32s | None = None,
    symmetric: bool = True,
    threads: int = 0,
    algorithm: Algorithm = "auto",
    simd: Simd = "auto",
    progress: Progress | None = None,
) -> Rows:
    """Return the rows of `roots` (None: every node, in order) at `radius`, as the reference defines them.

    Notes
    -----
    The contract::

        indptr      int64 (num_nodes + 1,)  rising from 0
        indices     int32 (num_arcs,)       rising per row, no loops; symmetric=True promises both directions
        roots       int64 (num_roots,)      any order, repeats allowed; None stands for 0 ... num_nodes - 1
        labels      int32 (num_nodes,)      at least 0
        max_degree  >= 0                    degree fields above it are counted as it
        threads     0: as many as `available_cores`; less work takes fewer
        algorithm   "triangle" refuses a radius other than 1 and directed graphs
        progress    called as progress(done, total) from the calling thread, at most ten times a second;
                    what it raises (and Ctrl-C) stops the kernel
        returns     Rows, the same bytes as `kernel/reference.py` for any threads and algorithm

    Raises
    ------
    InputError
        If there are more than 2147483647 nodes, keys would need more than 63 bits, or the algorithm cannot
        serve the call.
    """
    _check_algorithm(algorithm, radius, symmetric=symmetric)
    if len(indptr) - 1 > MOST_NODES:
        raise InputError(
            f"a graph may have at most {MOST_NODES} nodes, got {len(indptr) - 1}. Encode it in parts."
        )
    try:
        arrays = _native.encode(
            indptr,
            indices,
            roots,
            min(radius, ENDLESS),
            degrees,
            frontier_edges,
            -1 if max_degree is None else min(max_degree, ENDLESS),
            labels,
            symmetric,
            as_count(threads),
            algorithm,
            simd,
            progress,
        )
    except OverflowError as error:
        raise InputError(str(error)) from None
    return Rows(*arrays)


def _check_algorithm(algorithm: Algorithm, radius: int, *, symmetric: bool) -> None:
    if algorithm == "triangle" and (radius != 1 or not symmetric):
        raise InputError(
            "algorithm='triangle' serves radius 1 on undirected graphs only, "
            f"got radius={radius!r}, symmetric={symmetric!r}. Use algorithm='auto'."
        )


def row_classes(indptr: Int64s, columns: Int32s, values: Int32s) -> Int64s:
    """Return a class number per row, by first appearance; equal numbers if and only if equal rows."""
    classes: Int64s = _native.row_classes(indptr, columns, values)
    return classes


def simd_level() -> str:
    """Return the instruction set the kernel chose on this processor: avx512, avx2 or baseline."""
    return str(_native.simd_level())


def empty_rows(width: int) -> Rows:
    """Return the rows of no roots."""
    none = np.empty(0, dtype=np.int32)
    return Rows(np.zeros(1, dtype=np.int64), none, none.copy(), np.empty((0, width), dtype=np.int64))
