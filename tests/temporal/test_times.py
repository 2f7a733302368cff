"""Times and windows: what does not fit 64-bit nanoseconds is an error, and nothing is read as another time."""

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pytest

from egonet.errors import InputError
from egonet.temporal.events import EventColumns, as_queries
from egonet.temporal.times import as_times, as_window, plain_window


@pytest.mark.parametrize(
    "moment",
    [
        datetime(9999, 1, 1),
        date(1, 1, 1),
        np.datetime64("9999-01-01"),
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5))),
        datetime(3000, 1, 1, tzinfo=UTC),
    ],
)
def test_a_date_beyond_nanoseconds_is_an_error_in_a_list(moment):
    with pytest.raises(InputError, match=r"dates must be between the years 1678 and 2262, got .* at event 0"):
        as_times([moment], "event")


def test_the_last_year_of_nanoseconds_is_read():
    assert as_times([datetime(2262, 4, 11)], "event").values.tolist() == [9223286400 * 10**9]


def test_a_whole_number_beyond_64_bits_is_an_error():
    with pytest.raises(InputError, match="times must fit 64-bit integers"):
        as_times([2**100], "event")


def test_a_capital_m_is_neither_minutes_nor_months():
    with pytest.raises(InputError, match=r"window='1M' may mean minutes or months. Write 'min'"):
        as_window("1M", "dates")
    assert as_window("1m", "dates") == as_window("1min", "dates") == 60 * 10**9


@pytest.mark.parametrize(
    "window", [np.timedelta64(1, "M"), np.timedelta64(2, "Y"), np.timedelta64(10**9, "D"), np.timedelta64(5)]
)
def test_a_timedelta_without_a_fixed_length_is_an_error(window):
    with pytest.raises(InputError, match="window must be a number of weeks, days or less, under 292 years"):
        as_window(window, "dates")


def test_a_saved_window_keeps_every_nanosecond():
    window = pd.Timedelta(days=400) + pd.Timedelta(1, "ns")

    assert as_window(plain_window(window), "dates") == 400 * 86400 * 10**9 + 1


def test_the_error_for_queries_is_spelled_right():
    with pytest.raises(InputError, match=r"queries must be rows \(node, time\) or a table, got 'x'"):
        as_queries("x", EventColumns())


def test_numpy_duration_is_no_window_of_numbers():
    with pytest.raises(InputError, match="times are numbers, so that window must be a number"):
        as_window(np.timedelta64(3, "h"), "numbers")
