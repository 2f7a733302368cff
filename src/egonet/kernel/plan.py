"""What an encoding will cost, predicted from a few roots before the work starts."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from egonet import _native
from egonet.errors import InputError, MemoryLimitError
from egonet.kernel import native
from egonet.types import Degrees, Int32s, Int64s

#: How many roots are encoded to predict the size of a row, and how many arcs that may read.
SAMPLE = 256
SAMPLE_ARCS = 2e7
BYTES_PER_ENTRY = 8
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
class Plan:
    """What one call of the kernel is predicted to cost.

    Attributes
    ----------
    num_roots
        Rows of the result.
    algorithm
        What algorithm="auto" would choose: "triangle", "source" or "bitwise".
    arcs
        Arcs that will be read; one read for 512 roots at once counts once.
    output_bytes
        Size of the arrays of the result.
    seconds
        Time of one thread, within a factor of about two where the processor is like the one it was fitted on.
    """

    num_roots: int
    algorithm: native.Algorithm
    arcs: int
    output_bytes: int
    seconds: float

    def __str__(self) -> str:
        """Return the prediction as one sentence."""
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
    degrees: Degrees = "total",
    frontier_edges: bool = True,
    max_degree: int | None = None,
    labels: Int32s | None = None,
    symmetric: bool = True,
) -> Plan:
    """Return what `native.encode_rows` with these arguments would cost, from the searches of a few roots.

    Examples
    --------
    A path of three: every root has at most three entries of eight bytes, and four row bounds.

    >>> plan = predict(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], dtype=np.int32), 1)
    >>> plan.num_roots, plan.output_bytes
    (3, 80)
    >>> print(plan)
    3 roots: about 4 arcs to read (triangle), 80 bytes of result, less than a second on one thread.
    """
    num_roots = len(indptr) - 1 if roots is None else len(roots)
    hops = min(radius, native.ENDLESS)
    algorithm, source_arcs, _, pass_arcs, _, *seconds = _native.predict(
        indptr, indices, roots, hops, degrees, frontier_edges, symmetric
    )
    num_passes = -(-num_roots // 512)
    work = {"triangle": len(indices), "source": num_roots * source_arcs, "bitwise": num_passes * pass_arcs}
    times = dict(zip(("triangle", "source", "bitwise"), seconds, strict=True))
    sample = _sample_roots(indptr, roots, source_arcs)
    rows = native.encode_rows(
        indptr,
        indices,
        sample,
        radius,
        degrees=degrees,
        frontier_edges=frontier_edges,
        max_degree=max_degree,
        labels=labels,
        symmetric=symmetric,
        algorithm="source",
    )
    entries = round(len(rows.columns) / max(len(sample), 1) * num_roots)
    return Plan(
        num_roots=num_roots,
        algorithm=algorithm,  # type: ignore[arg-type]
        arcs=round(work[algorithm]),
        output_bytes=entries * BYTES_PER_ENTRY + 8 * (num_roots + 1),
        seconds=times[algorithm],
    )


def _sample_roots(indptr: Int64s, roots: Int64s | None, source_arcs: float) -> Int64s:
    """Return evenly spread roots, fewer of them where each has much to read."""
    chosen = np.arange(len(indptr) - 1) if roots is None else roots
    size = int(min(SAMPLE, max(8, SAMPLE_ARCS / max(source_arcs, 1))))
    return chosen[np.linspace(0, len(chosen) - 1, size).astype(np.int64)] if len(chosen) > size else chosen


def check_memory(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radius: int,
    limit: int | str | None,
    **words: Any,
) -> None:
    """Refuse an encoding whose predicted size is above `limit`; None allows everything.

    `words` are those of `predict`.

    Raises
    ------
    MemoryLimitError
        With the prediction, and the ways to a smaller result.
    """
    if limit is None:
        return
    allowed = as_bytes(limit)
    predicted = predict(indptr, indices, radius, roots=roots, **words).output_bytes
    if predicted > allowed:
        raise MemoryLimitError(
            f"the encoding at radius {radius} would take about {show_bytes(predicted)}, above the memory_limit of "
            f'{show_bytes(allowed)}. Use a smaller radius, fewer roots, max_degree or degree_bins="log".'
        )


def predict_bytes(indptr: Int64s, indices: Int32s, roots: Int64s, radius: int, *, degrees: Degrees) -> int:
    """Return the predicted size of the result in bytes."""
    return predict(indptr, indices, radius, roots=roots, degrees=degrees).output_bytes


def as_bytes(limit: int | str) -> int:
    """Return a size in bytes, given as a number or as text.

    Examples
    --------
    >>> as_bytes("2GB"), as_bytes("1.5 MiB"), as_bytes(100)
    (2000000000, 1572864, 100)
    """
    if isinstance(limit, int) and not isinstance(limit, bool) and limit >= 0:
        return limit
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", limit) if isinstance(limit, str) else None
    unit = match.group(2).lower() if match else ""
    unit = unit if unit in _UNITS else unit + "b"
    if match is None or unit not in _UNITS:
        raise InputError(f"memory_limit must be a number of bytes or text such as '2GB', got {limit!r}.")
    return int(float(match.group(1)) * _UNITS[unit])


def show_bytes(size: int) -> str:
    """Return a size in words.

    Examples
    --------
    >>> show_bytes(950), show_bytes(2_500_000_000)
    ('950 bytes', '2.5 GB')
    """
    for unit in ("TB", "GB", "MB", "kB"):
        if size >= _UNITS[unit.lower()]:
            return f"{size / _UNITS[unit.lower()]:.1f} {unit}"
    return f"{size} bytes"


def show_count(number: int) -> str:
    """Return a number in words.

    Examples
    --------
    >>> show_count(950), show_count(2_500_000_000)
    ('950', '2.5 billion')
    """
    for size, unit in ((10**12, "trillion"), (10**9, "billion"), (10**6, "million")):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number:,}"


def show_seconds(seconds: float) -> str:
    """Return a duration in words.

    Examples
    --------
    >>> show_seconds(0.2), show_seconds(42.3), show_seconds(600), show_seconds(10_000)
    ('less than a second', '42 seconds', '10 minutes', '2.8 hours')
    """
    if seconds < 1:
        return "less than a second"
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"
