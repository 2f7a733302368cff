"""Times and lengths of time as text: dates in the form of ISO 8601, and windows such as "7d" or "1h30m"."""

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
    return _sum_of_parts(window)


def _sum_of_parts(window: Any) -> int:
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
            f"times are dates, so window must be a duration such as '7d' or '1h30m' or a timedelta, "
            f"got {show(window)}."
        )
    return round(sum(Fraction(number) * length for (number, _), length in zip(parts, lengths, strict=True)))


def plain_window(window: Any) -> str | int | float | None:
    """Return a window in a form that JSON keeps: durations as text, numbers as they are.

    >>> plain_window(timedelta(days=1)), plain_window("7d"), plain_window(np.int64(30))
    ('86400000000000ns', '7d', 30)
    """
    if isinstance(window, np.timedelta64 | timedelta):
        return f"{nanoseconds(window)}ns"
    plain: str | int | float | None = window.item() if isinstance(window, np.generic) else window
    return plain


#: A date; then optionally a time, its fraction and a time zone.
_FORM = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d{1,9}))?\s?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?",
    re.ASCII,
)
#: The largest number of seconds since 1970 that 64-bit nanoseconds can represent.
_MOST_SECONDS = 2**63 // 10**9 - 1
_RULE = "a time in text must be a date such as 2024-01-31, 2024-01-31T12:00:00 or 2024-01-31T12:00:00+01:00"


def from_text(texts: list[str], what: str) -> tuple[np.ndarray[Any, Any], bool]:
    """Return nanoseconds since 1970, in UTC if there are time zones, and whether there are; `what` names a row.

    >>> from_text(["1970-01-01T00:00:01.5", "1970-01-02"], "event")[0].tolist()
    [1500000000, 86400000000000]
    >>> from_text(["1970-01-01T01:00+01:00", "1970-01-01 00:00Z"], "event")
    (array([0, 0]), True)
    >>> from_text(["01/02/1970"], "event")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: a time in text must be a date such as 2024-01-31, 2024-01-31T12:00:00 or \
2024-01-31T12:00:00+01:00, got '01/02/1970' at event 0 (counted from 0).
    """
    plain, extra, zones = [], np.zeros(len(texts), dtype=np.int64), set()
    for position, text in enumerate(texts):
        found = _FORM.fullmatch(text.strip())
        if found is None:
            raise _wrong(text, what, position)
        date, time, fraction, zone = found.groups()
        plain.append(f"{date}T{time or '00:00'}")
        zones.add(zone is not None)
        extra[position] = int((fraction or "0").ljust(9, "0")) - _offset(zone)
    seconds = _parsed(plain, texts, what)
    for position in np.flatnonzero(np.abs(seconds) > _MOST_SECONDS - 86_400)[:1].tolist():
        raise InputError(
            f"dates must be between the years 1678 and 2262, got {texts[position]} "
            f"at {what} {position} (counted from 0)."
        )
    if len(zones) > 1:
        raise InputError("times must all have a time zone or all have none, got both. Add the zone to all.")
    return seconds * 10**9 + extra, zones == {True}


def _offset(zone: str | None) -> int:
    """Return how far a zone is ahead of UTC, in nanoseconds."""
    if zone is None or zone == "Z":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return (-minutes if zone[0] == "-" else minutes) * 60 * 10**9


def _parsed(plain: list[str], texts: list[str], what: str) -> np.ndarray[Any, Any]:
    """Return dates and times without fraction and zone as seconds since 1970."""
    try:
        return np.array(plain, dtype="datetime64[s]").astype(np.int64)
    except ValueError:  # such as February 30
        for position, text in enumerate(plain):
            try:
                np.datetime64(text, "s")
            except ValueError:
                raise _wrong(texts[position], what, position) from None
        raise


def _wrong(text: str, what: str, position: int) -> InputError:
    return InputError(f"{_RULE}, got {show(text)} at {what} {position} (counted from 0).")
