"""Times and windows: numbers, or dates as nanoseconds since 1970; every column is one or the other."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import isfinite
from typing import Any, Literal, TypeAlias

import numpy as np

from egonet.errors import InputError
from egonet.graph.ids import show
from egonet.temporal.time_text import from_text, nanoseconds

#: Numbers, dates without a time zone, or dates with one; the three are never compared with each other.
Kind: TypeAlias = Literal["numbers", "dates", "dates with a time zone"]
#: Which end of a window [t - window, t] counts: "left" leaves out what happens at t itself.
Closed: TypeAlias = Literal["left", "right"]

#: The dates that 64-bit nanoseconds can represent.
_YEARS = "dates must be between the years 1678 and 2262"
_EPOCH = datetime(1970, 1, 1)
#: Dates nearer to 1970 than this many nanoseconds, 290 years, are surely inside those years.
_SAFE = 290 * 365 * 86400 * 10**9


@dataclass(frozen=True, eq=False)
class Times:
    """Times as numbers that can be compared.

    Attributes
    ----------
    values
        int64 or float64: the numbers, or nanoseconds since 1970 (in UTC if there is a time zone).
    kind
        What they are.
    """

    values: np.ndarray[Any, Any]
    kind: Kind


def as_times(given: Any, what: str) -> Times:
    """Return times as numbers; `what` names a row, for messages.

    >>> as_times([1, 2.5], "event").values.tolist()
    [1.0, 2.5]
    >>> as_times(np.array(["2024-01-02"], dtype="datetime64[D]"), "event").kind
    'dates'
    >>> as_times([3, None], "event")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: a time must not be missing, got None at event 1 (counted from 0). Drop the row.
    """
    zone = getattr(getattr(given, "dtype", None), "tz", None) or getattr(
        getattr(given, "dtype", None), "time_zone", None
    )
    if zone is not None:
        return Times(_from_dates(_in_utc(given), what), "dates with a time zone")
    if hasattr(given, "detach"):  # a tensor
        given = given.detach().cpu().numpy()
    if hasattr(given, "to_numpy") and not isinstance(given, np.ndarray):
        given = given.to_numpy()
    array = given if isinstance(given, np.ndarray) else _as_array(given, what)
    if array.ndim != 1:
        raise InputError(f"times must have one dimension, got shape {array.shape}.")
    if array.dtype.kind in "OU":
        values = array.tolist()
        if values and set(map(type, values)) == {str}:
            dates, has_zone = from_text(values, what)
            return Times(dates, "dates with a time zone" if has_zone else "dates")
        return _from_objects(values, what)
    if array.dtype.kind == "M":
        return Times(_from_dates(array, what), "dates")
    return Times(_from_numbers(array, what), "numbers")


def _as_array(given: Any, what: str) -> np.ndarray[Any, Any]:
    """Return a list of times as an array: of objects unless all are plain numbers."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InputError(f"times must be a column, one per {what}, got {show(given)}.")
    listed = list(given)
    kinds = set(map(type, listed))
    if kinds <= {int, float}:
        try:
            return np.array(listed, dtype=np.float64 if float in kinds else np.int64)
        except OverflowError:
            pass
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def _in_utc(series: Any) -> np.ndarray[Any, Any]:
    """Return a column of dates with a time zone as dates in UTC, of any data frame package."""
    import narwhals as nw

    column = nw.from_native(series, series_only=True)
    moved: np.ndarray[Any, Any] = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None).to_numpy()
    return moved


def _from_numbers(array: np.ndarray[Any, Any], what: str) -> np.ndarray[Any, Any]:
    """Return whole or finite numbers as int64 or float64."""
    if array.dtype.kind == "O":  # whole numbers that fit no other type
        raise InputError("times must fit 64-bit integers.")
    if array.dtype.kind not in "iuf":
        raise InputError(
            f"times must be numbers or dates, got {show(array[0]) if len(array) else array.dtype}. "
            "Write dates as 2024-01-31 or 2024-01-31T12:00:00, or convert them with pandas.to_datetime."
        )
    if array.dtype.kind == "f":
        check_times(~np.isfinite(array), array, what, "a time must be finite")
        return array.astype(np.float64)
    if array.dtype == np.uint64 and np.any(array > np.iinfo(np.int64).max):
        raise InputError("times must fit 64-bit integers.")
    return array.astype(np.int64)


def _from_dates(array: np.ndarray[Any, Any], what: str) -> np.ndarray[Any, Any]:
    """Return dates as nanoseconds since 1970."""
    check_times(np.isnat(array), array, what, "a time must not be missing", "Drop the row.")
    fine = array.astype("datetime64[ns]")
    check_times(fine.astype(array.dtype) != array, array, what, _YEARS)
    return fine.astype(np.int64)


def _from_objects(listed: list[Any], what: str) -> Times:
    """Return Python and pandas dates, or numbers mixed with something else, one by one."""
    zones: set[str | None] = set()
    found: list[Any] = []
    for position, value in enumerate(listed):
        plain = (
            value.item() if isinstance(value, np.generic) and not isinstance(value, np.datetime64) else value
        )
        is_missing = plain is None or type(plain).__name__ in ("NaTType", "NAType")
        if is_missing or (isinstance(plain, np.datetime64) and np.isnat(plain)):
            raise InputError(
                f"a time must not be missing, got {show(value)} {_at(what, position)}. Drop the row."
            )
        if isinstance(plain, np.datetime64):
            zones.add(None)
            plain = _nanosecond_date(plain, what, position)
        elif isinstance(plain, datetime):
            zones.add(None if plain.tzinfo is None else str(plain.tzinfo))
            plain = _plain_date(plain, what, position)
        elif isinstance(plain, date):
            zones.add(None)
            plain = _nanosecond_date(np.datetime64(plain, "D"), what, position)
        elif isinstance(plain, bool) or not isinstance(plain, int | float):
            raise InputError(
                f"times must be numbers or dates, got {show(value)} {_at(what, position)}. "
                "Write dates as 2024-01-31 or 2024-01-31T12:00:00, or convert them with pandas.to_datetime."
            )
        found.append(plain)
    dates = [isinstance(value, np.datetime64) for value in found]
    if any(dates) and not all(dates):
        raise InputError(
            f"times must all be numbers or all be dates, got both, first {_at(what, dates.index(not dates[0]))}."
        )
    if not any(dates):
        return Times(_from_numbers(np.array(found), what), "numbers")
    if len(zones) > 1:
        named = sorted("none" if zone is None else zone for zone in zones)
        raise InputError(
            f"times must all be in one time zone, got {' and '.join(named[:3])}. Convert them to UTC."
        )
    kind: Kind = "dates" if zones == {None} else "dates with a time zone"
    return Times(_from_dates(np.array(found, dtype="datetime64[ns]"), what), kind)


def _nanosecond_date(value: np.datetime64, what: str, position: int) -> np.datetime64:
    """Return a date in nanoseconds, or raise if it is too early or too late for that."""
    fine: np.datetime64 = value.astype("datetime64[ns]")
    if fine.astype(value.dtype) != value and not np.isnat(value):
        raise InputError(f"{_YEARS}, got {value} {_at(what, position)}.")
    return fine


def _plain_date(value: datetime, what: str, position: int) -> np.datetime64:
    """Return a date, in UTC if it has a time zone, with the nanoseconds of a pandas Timestamp."""
    nanosecond = getattr(value, "nanosecond", 0)
    if value.tzinfo is not None:
        offset = value.utcoffset() or timedelta()
        try:
            value = value.replace(tzinfo=None) - offset
        except OverflowError:
            raise InputError(f"{_YEARS}, got {value} {_at(what, position)}.") from None
    plain = np.datetime64(datetime(*value.timetuple()[:6], value.microsecond), "us")
    return _nanosecond_date(plain, what, position) + np.timedelta64(nanosecond, "ns")


def check_times(
    wrong: np.ndarray[Any, Any], array: np.ndarray[Any, Any], what: str, rule: str, way_out: str = ""
) -> None:
    """Raise for the first of some times that break a rule, if there are any."""
    offenders = np.flatnonzero(wrong)
    if len(offenders):
        first = int(offenders[0])
        more = f"; {len(offenders):,} of {len(array):,} break this rule" if len(offenders) > 1 else ""
        shown = str(array[first])
        raise InputError(f"{rule}, got {shown} {_at(what, first)}{more}.{way_out and ' ' + way_out}")


def _at(what: str, position: int) -> str:
    return f"at {what} {position} (counted from 0)"


def as_window(window: Any, kind: Kind) -> int | float | None:
    """Return the length of a window in the unit of the times; None for no limit.

    >>> as_window("7d", "dates") // 10**9, as_window(30, "numbers"), as_window(None, "dates")
    (604800, 30, None)
    >>> as_window("7d", "numbers")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: times are numbers, so window must be a number in the same unit, got '7d'.
    """
    if window is None:
        return None
    if kind == "numbers":
        # numpy counts its durations among the integers.
        is_number = isinstance(window, int | float | np.integer | np.floating)
        if not is_number or isinstance(window, bool | np.timedelta64):
            raise InputError(
                f"times are numbers, so window must be a number in the same unit, got {show(window)}."
            )
        length: int | float = window.item() if isinstance(window, np.generic) else window
    else:
        length = nanoseconds(window)
    if not length > 0 or length == float("inf"):
        raise InputError(f"window must be above 0 and finite, got {show(window)}. Leave it out for no limit.")
    return length


def window_bounds(
    times: np.ndarray[Any, Any], asked: np.ndarray[Any, Any], window: int | float | None, closed: Closed
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return for each time asked which events it knows: `first ... last - 1` of sorted times.

    With closed="left" these are t - window <= time < t; with closed="right" t - window < time <= t.

    >>> times = np.array([1, 2, 2, 3])
    >>> [part.tolist() for part in window_bounds(times, np.array([2, 3]), 1, "left")]
    [[0, 1], [1, 3]]
    >>> [part.tolist() for part in window_bounds(times, np.array([2, 3]), 1, "right")]
    [[1, 3], [3, 4]]
    """
    last = np.searchsorted(times, asked, side=closed).astype(np.int64)
    if window is None:
        return np.zeros(len(asked), dtype=np.int64), last
    begins = _minus(asked, window)
    return np.minimum(np.searchsorted(times, begins, side=closed), last).astype(np.int64), last


def _minus(asked: np.ndarray[Any, Any], window: int | float) -> np.ndarray[Any, Any]:
    """Return times minus a window; whole numbers stay whole and stop at the smallest int64."""
    if asked.dtype.kind == "f" or isinstance(window, float):
        with np.errstate(over="ignore"):  # -inf is earlier than every time
            return asked.astype(np.float64) - window
    lowest = np.iinfo(np.int64).min
    if window > np.iinfo(np.int64).max:
        return np.full(len(asked), lowest)
    return np.where(asked < lowest + window, lowest, asked - window)


def window_start(time: int | float, window: int | float) -> int | float:
    """Return the earliest time in the window that ends at a time.

    >>> window_start(5, 3), window_start(5, 0.5), window_start(5 - 2**63, 30)
    (2, 4.5, -9223372036854775808)
    """
    if isinstance(time, float) or isinstance(window, float):
        return float(time) - window
    return max(time - window, -(2**63))


def plain_time(value: Any, kind: Kind | None) -> int | float | None:
    """Return a Python number or date as `as_times` does, without arrays; None for anything that needs `as_times`.

    >>> plain_time(7, "numbers"), plain_time(datetime(1970, 1, 2), "dates"), plain_time("7", "numbers")
    (7, 86400000000000, None)
    """
    if type(value) is int:
        return value if kind == "numbers" and -(2**63) <= value < 2**63 else None
    if type(value) is float:
        return value if kind == "numbers" and isfinite(value) else None
    if type(value) is datetime and kind == "dates" and value.tzinfo is None:
        passed = value - _EPOCH
        nanoseconds = ((passed.days * 86400 + passed.seconds) * 10**6 + passed.microseconds) * 1000
        return nanoseconds if abs(nanoseconds) < _SAFE else None
    return None
