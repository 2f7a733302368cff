"""Times as text: dates in the form of ISO 8601, and nothing that could be read in two ways."""

import re
from typing import Any

import numpy as np

from egonet.errors import InputError
from egonet.graph.ids import show

#: Date; then a time, its fraction, and a time zone, each only after the one before.
_FORM = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d{1,9}))?\s?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?",
    re.ASCII,
)
#: The seconds that 64-bit nanoseconds can count from 1970 on.
_MOST_SECONDS = 2**63 // 10**9 - 1
_RULE = "a time in text must be a date such as 2024-01-31, 2024-01-31T12:00:00 or 2024-01-31T12:00:00+01:00"


def from_text(texts: list[str], what: str) -> tuple[np.ndarray[Any, Any], bool]:
    """Return nanoseconds since 1970, in UTC if there are time zones, and whether there are; `what` names a row.

    Examples
    --------
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
