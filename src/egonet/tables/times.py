"""Times and windows: numbers, or dates as nanoseconds since 1970; every column is one or the other."""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, isfinite
from typing import Any, Literal, TypeAlias

import numpy as np

from egonet.checks import as_argument, is_iterable
from egonet.errors import InputError, in_python, option, show_value
from egonet.graph.columns import as_numpy, is_number, is_rounded
from egonet.typing import Closed as Closed

#: Numbers, dates without a time zone, or dates with one; the three are never compared with each other.
Kind: TypeAlias = Literal["numbers", "dates", "dates with a time zone"]

#: The dates that 64-bit nanoseconds can represent.
_YEARS = "dates must be between the years 1678 and 2262"
_EPOCH = datetime(1970, 1, 1)
#: Dates nearer to 1970 than this many nanoseconds, 290 years, are surely inside those years.
_SAFE = 290 * 365 * 86400 * 10**9
#: Whole numbers up to this one are exact as floats.
EXACT = 2**53


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

    def to_array(self) -> np.ndarray[Any, Any]:
        """Return the times as numbers, or as dates of NumPy, in UTC if they have a time zone.

        >>> Times(np.array([0]), "dates").to_array().tolist() == np.array(["1970-01-01"], dtype="M8[ns]").tolist()
        True
        """
        return self.values if self.kind == "numbers" else self.values.astype("datetime64[ns]")


def as_times(column: Any, what: str, time_format: str | None = None) -> Times:
    """Return times as numbers; `what` names a row, for messages, and `time_format` is that of text.

    >>> as_times([1, 2.5], "event").values.tolist()
    [1.0, 2.5]
    >>> as_times(np.array(["2024-01-02"], dtype="datetime64[D]"), "event").kind
    'dates'
    >>> as_times([3, None], "event")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: a time must not be missing, got None at event 1 (counted from 0). Drop the row.
    """
    if time_format is not None and (not isinstance(time_format, str) or "%" not in time_format):
        raise InputError(
            f"{as_argument('time_format')} must be a format such as '%d.%m.%Y %H:%M', got {show_value(time_format)}."
        )
    if _has_zone(column):
        return Times(_from_dates(_in_utc(column), what), "dates with a time zone")
    column = as_numpy(column)
    if hasattr(column, "to_numpy") and not isinstance(column, np.ndarray):
        try:
            column = column.to_numpy()
        except ValueError:  # a time of day of Arrow
            column = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    array = column if isinstance(column, np.ndarray) else _as_array(column, what)
    if array.ndim != 1:
        raise InputError(f"times must have one dimension, got shape {array.shape}.")
    if array.dtype.kind in "OU":
        values = array.tolist()
        if values and set(map(type, values)) == {str}:
            if time_format is not None:
                return _from_format(values, time_format, what)
            dates, has_zone = from_text(values, what)
            return Times(dates, "dates with a time zone" if has_zone else "dates")
        times = _from_objects(values, what)
    elif array.dtype.kind == "M":
        return Times(_from_dates(array, what), "dates")
    else:
        times = Times(_from_numbers(array, what), "numbers")
    if time_format is not None and times.kind == "numbers" and len(times.values):
        raise InputError(
            f"{option('time_format')} is for times that are text, got the number {times.values[0]} {_at(what, 0)}. "
            "Give text, or leave it out."
        )
    return times


def _has_zone(column: Any) -> bool:
    """Return whether a column of pandas, polars or Arrow has dates with a time zone."""
    kinds = [getattr(column, name, None) for name in ("dtype", "type")]
    return any(getattr(kind, name, None) is not None for kind in kinds for name in ("tz", "time_zone"))


def _from_format(texts: list[str], time_format: str, what: str) -> Times:
    """Return text in a format of `datetime.strptime` as dates.

    >>> _from_format(["02.01.1970"], "%d.%m.%Y", "event").values.tolist()
    [86400000000000]
    """
    parsed: dict[str, datetime] = {}
    for position, text in enumerate(texts):
        if text in parsed:
            continue
        try:
            parsed[text] = datetime.strptime(text.strip(), time_format)
        except (ValueError, re.error):
            raise InputError(
                f"a time in text must have the form of {option('time_format', time_format)}, got {show_value(text)} "
                f"{_at(what, position)}. Correct it, or drop the row."
            ) from None
    dates = [parsed[text] for text in texts]
    aware = {date.tzinfo is not None for date in dates}
    if len(aware) > 1:
        raise InputError("times must all have a time zone or all have none, got both. Add the zone to all.")
    plain_dates = [_plain_date(date, what, position) for position, date in enumerate(dates)]
    kind: Kind = "dates with a time zone" if aware == {True} else "dates"
    return Times(_from_dates(np.array(plain_dates, dtype="datetime64[ns]"), what), kind)


def _as_array(data: Any, what: str) -> np.ndarray[Any, Any]:
    """Return a list of times as an array: of objects unless all are plain numbers."""
    if not is_iterable(data):
        raise InputError(f"times must be a column, one per {what}, got {show_value(data)}.")
    listed = list(data)
    kinds = set(map(type, listed))
    if kinds <= {int, float}:
        try:
            return _exact_array(listed)
        except OverflowError:
            pass
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def _exact_array(listed: list[Any]) -> np.ndarray[Any, Any]:
    """Return whole numbers as int64 and others as float64; whole ones beyond 2**53 are never rounded.

    >>> _exact_array([2**60 + 1, 2.0**60]).tolist()
    [1152921504606846977, 1152921504606846976]
    """
    integers = [value for value in listed if type(value) is int]
    if len(integers) == len(listed):
        return np.array(listed, dtype=np.int64)
    reals = np.array([value for value in listed if type(value) is not int], dtype=np.float64)
    if not any(abs(value) > EXACT for value in integers) or not np.isfinite(reals).all():
        return np.array(listed, dtype=np.float64)
    _, _ = same_numbers(np.array(integers, dtype=np.int64), reals)  # raises for fractions
    return np.array(list(map(int, listed)), dtype=np.int64)


def same_numbers(
    first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return two columns of times in one type, so that comparing them is exact; raise if there is none.

    Floats beyond 2**53 are whole numbers, so nanoseconds are compared with them as whole numbers.

    >>> [part.dtype.name for part in same_numbers(np.array([1]), np.array([0.5]))]
    ['float64', 'float64']
    >>> [part.tolist() for part in same_numbers(np.array([2**60 + 1]), np.array([2.0**60]))]
    [[1152921504606846977], [1152921504606846976]]
    """
    if first.dtype == second.dtype or not len(first) or not len(second):
        return first, second
    integers, reals = (first, second) if first.dtype.kind == "i" else (second, first)
    if max(-int(integers.min()), int(integers.max())) <= EXACT:
        return first.astype(np.float64), second.astype(np.float64)
    wrong = np.flatnonzero((reals != np.floor(reals)) | (np.abs(reals) >= 2.0**63))
    if len(wrong):
        large = int(integers.max() if integers.max() > EXACT else integers.min())
        raise InputError(
            f"whole numbers beyond 2**53 and fractions cannot be compared exactly, got the times {large} and "
            f"{reals[wrong[0]]}. Give all times as whole numbers, in a smaller unit."
        )
    return first.astype(np.int64), second.astype(np.int64)


def _in_utc(series: Any) -> np.ndarray[Any, Any]:
    """Return a column of dates with a time zone as dates in UTC, of any data frame package."""
    import narwhals as nw

    if hasattr(series, "type"):  # of Arrow, which stores UTC
        return np.asarray(series)

    column = nw.from_native(series, series_only=True)
    if isinstance(column.dtype, nw.Unknown):  # a zone of pandas without a name in narwhals, such as Etc/GMT-2
        return np.asarray(series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    moved: np.ndarray[Any, Any] = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None).to_numpy()
    return moved


def _from_numbers(array: np.ndarray[Any, Any], what: str) -> np.ndarray[Any, Any]:
    """Return whole or finite numbers as int64 or float64."""
    if array.dtype.kind == "O":  # whole numbers that fit no other type
        raise InputError("times must fit 64-bit integers.")
    if array.dtype.kind not in "iuf":
        raise InputError(
            f"times must be numbers or dates, got {show_value(array[0]) if len(array) else array.dtype}. "
            "Write dates as 2024-01-31 or 2024-01-31T12:00:00, or "
            + in_python("convert them with pandas.to_datetime", "set --time-format")
            + "."
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
    plain_values: list[Any] = []
    for position, value in enumerate(listed):
        plain = (
            value.item() if isinstance(value, np.generic) and not isinstance(value, np.datetime64) else value
        )
        is_missing = plain is None or type(plain).__name__ in ("NaTType", "NAType")
        if is_missing or (isinstance(plain, np.datetime64) and np.isnat(plain)):
            raise InputError(
                f"a time must not be missing, got {show_value(value)} {_at(what, position)}. Drop the row."
            )
        if isinstance(plain, Decimal) and plain.is_finite():
            plain = _from_decimal(plain, what, position)
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
                f"times must be numbers or dates, got {show_value(value)} {_at(what, position)}. "
                "Write dates as 2024-01-31 or 2024-01-31T12:00:00, or "
                + in_python("convert them with pandas.to_datetime", "set --time-format")
                + "."
            )
        plain_values.append(plain)
    dates = [isinstance(value, np.datetime64) for value in plain_values]
    if any(dates) and not all(dates):
        raise InputError(
            f"times must all be numbers or all be dates, got both, first {_at(what, dates.index(not dates[0]))}."
        )
    if not any(dates):
        try:
            numbers = _exact_array(plain_values)
        except OverflowError:
            raise InputError("times must fit 64-bit integers.") from None
        return Times(_from_numbers(numbers, what), "numbers")
    if len(zones) > 1:
        named = sorted("none" if zone is None else zone for zone in zones)
        raise InputError(
            f"times must all be in one time zone, got {' and '.join(named[:3])}. Convert them to UTC."
        )
    kind: Kind = "dates" if zones == {None} else "dates with a time zone"
    return Times(_from_dates(np.array(plain_values, dtype="datetime64[ns]"), what), kind)


def _from_decimal(value: Decimal, what: str, position: int) -> int | float:
    """Return a decimal as a whole number or a float, or raise if a float would round it beyond 2**53."""
    if value == value.to_integral_value():
        return int(value)
    if is_rounded(value):
        raise InputError(
            f"times beyond 2**53 must be whole numbers, got {value} {_at(what, position)}. Give all times as whole "
            "numbers, in a smaller unit."
        )
    return float(value)


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


def as_window(window: Any, kind: Kind, name: str = "window") -> int | float | None:
    """Return the length of a window in the unit of the times; None for no limit. `name` is that of the option.

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
            way_out = ""
            if name == "windows":
                way_out = f" Set {in_python('windows=(10, None)', '--windows 10,all')} or other numbers."
            raise InputError(
                f"times are numbers, so {as_argument(name)} must be {'numbers' if way_out else 'a number'} in the same "
                f"unit, got {show_value(window)}.{way_out}"
            )
        length: int | float = window.item() if isinstance(window, np.generic) else window
        length = int(length) if isinstance(length, float) and length.is_integer() else length
    else:
        length = nanoseconds(window, name)
    if not length > 0 or length == float("inf"):
        way_out = "Leave it out"
        if name == "windows":
            way_out = in_python("Use None", "Use all")
        raise InputError(
            f"{as_argument(name)} must be above 0 and finite, got {show_value(window)}. {way_out} for no limit."
        )
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
    times, asked = same_numbers(times, asked)
    last = np.searchsorted(times, asked, side=closed).astype(np.int64)
    if window is None:
        return np.zeros(len(asked), dtype=np.int64), last
    if isinstance(window, float) and times.dtype.kind == asked.dtype.kind == "i":
        # For whole numbers, time >= t - 1.5 is time >= t - 1, and time > t - 1.5 is time > t - 2.
        window = floor(window) if closed == "left" else ceil(window)
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


def nanoseconds(window: Any, name: str = "window") -> int:
    """Return a duration in nanoseconds. `name` is that of the option.

    >>> [nanoseconds(text) // 10**9 for text in ("7d", "7 days", "1h30m", "1 hour 30 min", "1.5h")]
    [604800, 604800, 5400, 5400, 5400]
    >>> nanoseconds("1M")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: window="1M" may mean minutes or months. Write 'min', or a number of days: '30d'.
    """
    if isinstance(window, np.timedelta64) and not np.isnat(window):
        fine = window.astype("timedelta64[ns]")
        if np.datetime_data(window.dtype)[0] in ("Y", "M", "generic") or fine.astype(window.dtype) != window:
            raise InputError(
                f"{as_argument(name)} must be a number of weeks, days or less, under 292 years, got "
                f"{show_value(window)}."
            )
        return int(fine.astype(np.int64))
    if isinstance(window, timedelta):
        extra = getattr(window, "nanoseconds", 0)
        return (window.days * 86400 + window.seconds) * _SECOND + window.microseconds * 1000 + extra
    return _sum_of_parts(window, name)


def _sum_of_parts(window: Any, name: str) -> int:
    """Return the sum of the parts of a text such as "1h30m"; each unit may occur once."""
    parts = (
        re.findall(_PART, window) if isinstance(window, str) and re.fullmatch(f"({_PART})+", window) else []
    )
    if any(unit == "M" for _, unit in parts):
        raise InputError(
            f"{option(name, window)} may mean minutes or months. Write 'min', or a number of days: '30d'."
        )
    lengths = [UNITS.get(unit.lower(), 0) for _, unit in parts]
    if not lengths or 0 in lengths or len(set(lengths)) < len(lengths):
        raise InputError(
            f"times are dates, so {as_argument(name)} must be a duration such as '7d' or '1h30m'"
            f"{in_python(' or a timedelta')}, got {show_value(window)}."
        )
    return round(sum(Fraction(number) * length for (number, _), length in zip(parts, lengths, strict=True)))


def plain_window(window: Any) -> str | int | float | None:
    """Return a window in a form that JSON keeps: durations as text, numbers as they are.

    >>> plain_window(timedelta(days=1)), plain_window("7d"), plain_window(np.int64(30))
    ('1d', '7d', 30)
    """
    if isinstance(window, np.timedelta64 | timedelta):
        length = nanoseconds(window)
        unit = next(unit for unit in ("d", "h", "min", "s", "ms", "us", "ns") if not length % UNITS[unit])
        return f"{length // UNITS[unit]}{unit}"
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
2024-01-31T12:00:00+01:00, got '01/02/1970' at event 0 (counted from 0). For another form set time_format= to it, such \
as %d/%m/%Y.
    """
    plain, extra, zones = [], np.zeros(len(texts), dtype=np.int64), set()
    for position, text in enumerate(texts):
        match = _FORM.fullmatch(text.strip())
        if match is None:
            if position == 0:  # no date was before it
                check_one_kind(texts, what)
            raise _wrong(text, what, position)
        date, time, fraction, zone = match.groups()
        plain.append(f"{date}T{time or '00:00'}")
        zones.add(zone is not None)
        extra[position] = int((fraction or "0").ljust(9, "0")) - _offset(zone)
    seconds = _parse_times(plain, texts, what)
    for position in np.flatnonzero(np.abs(seconds) > _MOST_SECONDS - 86_400)[:1].tolist():
        raise InputError(
            f"dates must be between the years 1678 and 2262, got {texts[position]} "
            f"at {what} {position} (counted from 0)."
        )
    if len(zones) > 1:
        raise InputError("times must all have a time zone or all have none, got both. Add the zone to all.")
    return seconds * 10**9 + extra, zones == {True}


def check_one_kind(texts: list[str], what: str) -> None:
    """Raise if some texts are numbers and others are not; the first of each is named.

    >>> check_one_kind(["1", "x"], "row")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: times must all be numbers or all be dates, got '1' at row 0 and 'x' at row 1 (counted \
from 0). Correct them, or drop the rows.
    """
    flags = list(map(is_number, texts))
    if any(flags) and not all(flags):
        places = sorted((flags.index(True), flags.index(False)))
        first, other = (f"{show_value(texts[place])} at {what} {place}" for place in places)
        raise InputError(
            f"times must all be numbers or all be dates, got {first} and {other} (counted from 0). Correct them, or "
            "drop the rows."
        )


def _offset(zone: str | None) -> int:
    """Return how far a zone is ahead of UTC, in nanoseconds."""
    if zone is None or zone == "Z":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return (-minutes if zone[0] == "-" else minutes) * 60 * 10**9


def _parse_times(plain: list[str], texts: list[str], what: str) -> np.ndarray[Any, Any]:
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
    return InputError(
        f"{_RULE}, got {show_value(text)} at {what} {position} (counted from 0). For another form set "
        f"{option('time_format')} to it, such as %d/%m/%Y."
    )


def shown_time(value: Any, kind: str) -> str:
    """Return a time for a message."""
    return str(value) if kind == "numbers" else str(np.datetime64(int(value), "ns"))
