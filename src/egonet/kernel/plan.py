"""What an encoding will cost, predicted from a few roots before the work starts."""

import re

import numpy as np

from egonet.errors import InputError, MemoryLimitError
from egonet.kernel import native
from egonet.types import Degrees, Int32s, Int64s

SAMPLE = 256
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


def check_memory(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radius: int,
    limit: int | str | None,
    *,
    degrees: Degrees = "total",
) -> None:
    """Refuse an encoding whose predicted size is above `limit`; None allows everything.

    Raises
    ------
    MemoryLimitError
        With the prediction, and the ways to a smaller result.
    """
    if limit is None:
        return
    allowed = as_bytes(limit)
    chosen = np.arange(len(indptr) - 1) if roots is None else roots
    predicted = predict_bytes(indptr, indices, chosen, radius, degrees=degrees)
    if predicted > allowed:
        raise MemoryLimitError(
            f"the encoding at radius {radius} would take about {show_bytes(predicted)}, above the memory_limit of "
            f'{show_bytes(allowed)}. Use a smaller radius, fewer roots, max_degree or degree_bins="log".'
        )


def predict_bytes(indptr: Int64s, indices: Int32s, roots: Int64s, radius: int, *, degrees: Degrees) -> int:
    """Return the predicted size of the result: the mean row of evenly spread roots, times their number."""
    if not len(roots):
        return 0
    sample = roots[:: max(1, len(roots) // SAMPLE)].astype(np.int64)
    rows = native.encode_rows(indptr, indices, sample, radius, degrees=degrees, algorithm="source")
    return int(len(rows.columns) / len(sample) * len(roots)) * BYTES_PER_ENTRY + 8 * (len(roots) + 1)


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
