"""Predictions of the time and memory of an encoding, from a few roots, before it is computed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Unpack

import numpy as np

from egonet import _native
from egonet.checks import as_argument, is_whole
from egonet.errors import InputError, MemoryLimitError, in_python, option, show_value
from egonet.kernel import native
from egonet.kernel.reference import CountOptions
from egonet.typing import Int32s, Int64s

#: The number of roots encoded to predict the size of a row, and the most arcs that this may read.
SAMPLE = 256
SAMPLE_ARCS = 2e7
BYTES_PER_ENTRY = 8
#: A key of the paper's layout, and its code.
BYTES_PER_COLUMN = 32
#: Copies of a result while columns are merged or reordered, and while degrees are replaced by quarters, which sorts
#: rows and keys as 64-bit numbers.
MOVING, QUARTERING = 4, 10
#: Arcs that `egonet.graph.cap` processes at a time.
CAPPED_TOGETHER = 1 << 22
#: The memory for listing arcs in both directions, per arc.
BYTES_PER_TURNED_ARC = 44
_UNITS = {
    "": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
}


@dataclass(frozen=True)
class Cost:
    """The predicted cost of one kernel call.

    Attributes
    ----------
    num_roots
        Rows of the result.
    algorithm
        The choice of algorithm="auto": "triangle", "source" or "bitwise".
    arcs
        Arcs that will be read; a read shared by 512 roots counts once.
    output_bytes
        Size of the arrays of the result.
    peak_bytes
        Peak memory of the call without the graph: the result and the working memory.
    seconds
        Time on one thread, within a factor of about two on processors like the one it was fitted on.
    """

    num_roots: int
    algorithm: native.Algorithm
    arcs: int
    output_bytes: int
    peak_bytes: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.num_roots:,} roots: about {show_count(self.arcs)} arcs to read ({self.algorithm}), "
            f"{show_bytes(self.output_bytes)} of result, {show_seconds(self.seconds)} on one thread."
        )


def predict(
    indptr: Int64s,
    indices: Int32s,
    radius: int,
    *,
    roots: Int64s | None = None,
    threads: int = 0,
    **options: Unpack[CountOptions],
) -> Cost:
    """Return the predicted cost of `native.encode_rows` with these arguments, from the searches of a few roots.

    A path of three: every root has at most three entries of eight bytes, and four row bounds.

    >>> plan = predict(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], dtype=np.int32), 1)
    >>> plan.num_roots, plan.output_bytes
    (3, 80)
    >>> print(plan)
    3 roots: about 4 arcs to read (triangle), 80 bytes of result, less than a second on one thread.
    """
    num_roots = len(indptr) - 1 if roots is None else len(roots)
    hops, degrees = min(radius, native.MOST_HOPS), options.get("degrees", "total")
    flags = options.get("frontier_edges", True), options.get("symmetric", True)
    algorithm, source_arcs, _, pass_arcs, _, *seconds = _native.predict(
        indptr, indices, roots, hops, degrees, *flags
    )
    num_passes = -(-num_roots // 512)
    work = {"triangle": len(indices), "source": num_roots * source_arcs, "bitwise": num_passes * pass_arcs}
    times = dict(zip(("triangle", "source", "bitwise"), seconds, strict=True))
    sample = _sample_roots(indptr, roots, source_arcs)
    rows = native.encode_rows(indptr, indices, sample, radius, algorithm="source", **options)
    entries = round(len(rows.columns) / max(len(sample), 1) * num_roots)
    output_bytes = entries * BYTES_PER_ENTRY + 8 * (num_roots + 1)
    most = (radius + 1) * (int(np.diff(indptr).max(initial=0)) + 2)
    if degrees != "total" or options.get("labels") is not None:
        most = 512 * entries // max(num_roots, 1)  # the worst case: the roots of a pass share no key
    sizes = (len(indptr) - 1, len(indices), num_roots, entries, most, threads or native.available_cores())
    return Cost(
        num_roots=num_roots,
        algorithm=algorithm,  # type: ignore[arg-type]
        arcs=round(work[algorithm]),
        output_bytes=output_bytes,
        peak_bytes=output_bytes + _working_bytes(algorithm, *sizes),
        seconds=times[algorithm],
    )


def _working_bytes(
    algorithm: str, nodes: int, arcs: int, rows: int, entries: int, codes: int, threads: int
) -> int:
    """Return an upper bound of the kernel's working memory: see the buffers of each algorithm in native/.

    `codes` is the number of possible keys, at most 65,536 of which are in memory.
    """
    # Row pointers in both widths and ids; entries are stored in slabs of 16 MB per thread. One thread frees slabs as it
    # fills the result; several threads touch the result first.
    # After its first 512 kB a thread writes to large pages of 2 MB, the last of which may be almost empty.
    slabs = BYTES_PER_ENTRY * entries
    slabs += min(threads, slabs >> 19) << 21
    common = 4 * rows + 8 * nodes
    if algorithm == "triangle":
        ranked = 33 * nodes + 6 * arcs
        # Several threads sort the edges into buckets, of 12 bytes per edge, before they write them to the lists.
        ranked += 6 * arcs if threads > 1 else 0
        tables = min(threads * arcs // 2, max(1 << 30, 2 * arcs))
        if threads == 1:
            return common + ranked + tables + min(slabs, 1 << 24)
        # Several threads touch the whole result before they fill it. The allocator keeps most of the lists, which are
        # freed before: at up to 32 MB each they do not go back to the system.
        return common + slabs + ranked + tables
    if algorithm == "source":
        search = (16 + 9 * threads) * nodes + 4 * arcs
        return common + search + (slabs if threads > 1 else min(slabs, 2 << 24))
    renamed = 24 * nodes + 4 * arcs + 12 * rows
    passes = threads * (205 * nodes + (512 * 4 + 256) * min(codes, 65_536))
    return common + renamed + slabs + min(passes, 432 << 20)


def _sample_roots(indptr: Int64s, roots: Int64s | None, source_arcs: float) -> Int64s:
    """Return evenly spaced roots, fewer if each has many arcs to read."""
    chosen = np.arange(len(indptr) - 1) if roots is None else roots
    size = int(min(SAMPLE, max(8, SAMPLE_ARCS / max(source_arcs, 1))))
    return chosen[np.linspace(0, len(chosen) - 1, size).astype(np.int64)] if len(chosen) > size else chosen


def check_memory(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radii: Sequence[int],
    limit: int | str,
    *,
    flat: bool = True,
    **options: Any,
) -> None:
    """Raise a MemoryLimitError if an encoding is predicted to take more memory than `limit`, the graph excluded.

    `flat` is False if only histograms are counted; `options` are those of `predict_peak`.
    """
    counted = radii if flat else ()
    allowed, needed = as_bytes(limit), predict_peak(indptr, indices, roots, counted, **options)
    if needed > allowed:
        hops = ", ".join(map(str, radii))
        raise MemoryLimitError(
            f"the encoding at radius {hops} would take about {show_bytes(needed)}, above the "
            f"{as_argument('memory_limit')} of {show_bytes(allowed)}. Use a smaller radius, fewer roots, "
            f"{as_argument('max_degree')}, {option('degree_bins', 'log')} or "
            f"{in_python('egonet.store.encode', '--output folder/')}."
        )


def predict_peak(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radii: Sequence[int],
    *,
    moved: bool = False,
    quartered: bool = False,
    besides: int = 0,
    nested: tuple[int, int] = (0, 0),
    **options: Any,
) -> int:
    """Return the peak memory of an encoding at some radii in bytes, the graph excluded.

    `moved` is True if columns are merged or reordered, and `quartered` if degrees are replaced by quarters; both take
    copies. `besides` is added: the bytes of the key table and of preparing the graph. `nested` is the working memory
    and the result size of counting histograms, which are counted last. `options` are those of `predict`.
    """
    total = needed = 0
    for radius in radii:
        plan = predict(indptr, indices, radius, roots=roots, **options)
        copies = plan.output_bytes * (QUARTERING if quartered else MOVING if moved else 0)
        needed = max(needed, total + max(plan.peak_bytes, plan.output_bytes + copies))
        total += plan.output_bytes
    working, size_of_rows = nested
    needed, together = max(needed, total + working), total + size_of_rows
    # scipy joins matrices through 64-bit arrays.
    joined = len(radii) + bool(size_of_rows) > 1
    return max(needed, 5 * together if joined or (moved and size_of_rows) else 0) + besides


def prepared_bytes(
    num_nodes: int, num_arcs: int, *, symmetric: bool, capped: bool, num_types: int = 0
) -> int:
    """Return an upper bound of the memory for capping a graph and for turning `num_types` edges into nodes.

    >>> prepared_bytes(2, 2, symmetric=True, capped=False), prepared_bytes(2, 2, symmetric=True, capped=True)
    (0, 160)
    """
    size = 0
    if capped:  # hashes of a chunk of arcs, sorted; the arcs that are kept; arcs by target
        size += 56 * min(num_arcs, CAPPED_TOGETHER) + 8 * num_arcs + 16 * num_nodes
        size += 0 if symmetric else 40 * num_arcs
    if num_types:  # distinct types, edges by type, and the graph in which edges are nodes
        size += 60 * num_types + 40 * num_nodes
    return size


def as_bytes(limit: int | str) -> int:
    """Return a size in bytes, given as a number or as text.

    >>> as_bytes("2GB"), as_bytes("1.5 MiB"), as_bytes(100)
    (2000000000, 1572864, 100)
    """
    if is_whole(limit) and limit >= 0:
        return int(limit)
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", limit) if isinstance(limit, str) else None
    unit = match.group(2).lower() if match else ""
    unit = unit if unit in _UNITS else unit + "b"
    if match is None or unit not in _UNITS:
        raise InputError(
            f"{as_argument('memory_limit')} must be a number of bytes or text such as '2GB', got {show_value(limit)}."
        )
    return int(Decimal(match.group(1)) * _UNITS[unit])


def show_bytes(size: int) -> str:
    """Return a size as text.

    >>> show_bytes(950), show_bytes(2_500_000_000)
    ('950 bytes', '2.5 GB')
    """
    unit = next((unit for unit in ("TB", "GB", "MB", "kB") if size >= _UNITS[unit.lower()]), None)
    return f"{size} bytes" if unit is None else f"{size / _UNITS[unit.lower()]:.1f} {unit}"


def show_count(number: int) -> str:
    """Return a number as text.

    >>> show_count(950), show_count(2_500_000_000)
    ('950', '2.5 billion')
    """
    for size, unit in ((10**12, "trillion"), (10**9, "billion"), (10**6, "million")):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number:,}"


def show_seconds(seconds: float) -> str:
    """Return a duration as text.

    >>> show_seconds(0.2), show_seconds(42.3), show_seconds(600), show_seconds(10_000)
    ('less than a second', '42 seconds', '10 minutes', '2.8 hours')
    """
    if seconds < 1:
        return "less than a second"
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"
