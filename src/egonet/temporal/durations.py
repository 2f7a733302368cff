"""Lengths of windows: "7d", "1h30m", "2 weeks", timedeltas; always a whole number of nanoseconds."""

import re
from datetime import timedelta
from fractions import Fraction
from typing import Any

import numpy as np

from egonet.errors import InputError
from egonet.graph.ids import show

_SECOND = 10**9
#: Nanoseconds of every unit, by all of its names.
UNITS = {
    name: length
    for names, length in (
        ("w week weeks", 604_800 * _SECOND),
        ("d day days", 86_400 * _SECOND),
        ("h hour hours", 3_600 * _SECOND),
        ("m min minute minutes", 60 * _SECOND),
        ("s sec second seconds", _SECOND),
        ("ms millisecond milliseconds", 10**6),
        ("us microsecond microseconds", 10**3),
        ("ns nanosecond nanoseconds", 1),
    )
    for name in names.split()
}
_PART = r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]+)\s*"


def nanoseconds(window: Any) -> int:
    """Return a duration in nanoseconds.

    Examples
    --------
    >>> [nanoseconds(text) // 10**9 for text in ("7d", "7 days", "1h30m", "1 hour 30 min", "1.5h")]
    [604800, 604800, 5400, 5400, 5400]
    >>> nanoseconds("1M")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: window='1M' may mean minutes or months. Write 'min', or a number of days: '30d'.
    """
    if isinstance(window, np.timedelta64) and not np.isnat(window):
        fine = window.astype("timedelta64[ns]")
        if np.datetime_data(window.dtype)[0] in ("Y", "M", "generic") or fine.astype(window.dtype) != window:
            raise InputError(
                f"window must be a number of weeks, days or less, under 292 years, got {window!r}."
            )
        return int(fine.astype(np.int64))
    if isinstance(window, timedelta):
        extra = getattr(window, "nanoseconds", 0)
        return (window.days * 86400 + window.seconds) * _SECOND + window.microseconds * 1000 + extra
    return _from_text(window)


def _from_text(window: Any) -> int:
    """Return the sum of the parts of a text such as "1h30m"; each unit may occur once."""
    parts = (
        re.findall(_PART, window) if isinstance(window, str) and re.fullmatch(f"({_PART})+", window) else []
    )
    if any(unit == "M" for _, unit in parts):
        raise InputError(
            f"window={window!r} may mean minutes or months. Write 'min', or a number of days: '30d'."
        )
    lengths = [UNITS.get(unit.lower(), 0) for _, unit in parts]
    if not lengths or 0 in lengths or len(set(lengths)) < len(lengths):
        raise InputError(
            f"times are dates, so that window must be a duration such as '7d' or '1h30m' or a timedelta, "
            f"got {show(window)}."
        )
    return round(sum(Fraction(number) * length for (number, _), length in zip(parts, lengths, strict=True)))


def plain_window(window: Any) -> str | int | float | None:
    """Return a window in a form that JSON keeps: durations as text, numbers as they are.

    Examples
    --------
    >>> plain_window(timedelta(days=1)), plain_window("7d"), plain_window(np.int64(30))
    ('86400000000000ns', '7d', 30)
    """
    if isinstance(window, np.timedelta64 | timedelta):
        return f"{nanoseconds(window)}ns"
    plain: str | int | float | None = window.item() if isinstance(window, np.generic) else window
    return plain
