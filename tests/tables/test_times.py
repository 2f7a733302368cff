"""Times and windows: what does not fit 64-bit nanoseconds is an error, and nothing is read as another time."""

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet.errors import InputError
from egonet.temporal.events import EventColumns, as_queries
from egonet.temporal.time_text import plain_window
from egonet.temporal.times import as_times, as_window


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
    with pytest.raises(InputError, match="times are numbers, so window must be a number"):
        as_window(np.timedelta64(3, "h"), "numbers")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7 days", 7 * 86400),
        ("1h30m", 5400),
        ("1 hour 30 min", 5400),
        ("2 weeks", 14 * 86400),
        ("1d 12h", 129600),
        ("1.5h", 5400),
        (" 90 Seconds ", 90),
    ],
)
def test_durations_are_read_as_people_write_them(text, seconds):
    assert as_window(text, "dates") == seconds * 10**9


@pytest.mark.parametrize(
    "text", ["", "7", "d", "7 d 3", "1h 2 hours", "1h,30m", "7 months", "-1d", "1d -1h", "1y"]
)
def test_a_text_that_is_no_duration_is_one_sentence(text):
    with pytest.raises(InputError, match="window must be a duration such as '7d' or '1h30m'"):
        as_window(text, "dates")


def test_minutes_and_months_stay_apart_in_longer_durations():
    with pytest.raises(InputError, match="may mean minutes or months"):
        as_window("1h30M", "dates")


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1)), min_size=1, max_size=5), st.booleans()
)
def test_iso_text_is_read_like_the_dates_it_spells(dates, zoned):
    zones = [UTC, timezone(timedelta(hours=5, minutes=30)), timezone(timedelta(hours=-8))]
    moments = [date.replace(tzinfo=zones[i % 3]) if zoned else date for i, date in enumerate(dates)]

    found = as_times([moment.isoformat() for moment in moments], "event")

    in_utc = [moment.astimezone(UTC).replace(tzinfo=None) if zoned else moment for moment in moments]
    assert found.values.tolist() == as_times(in_utc, "event").values.tolist()
    assert found.kind == ("dates with a time zone" if zoned else "dates")
    assert as_times(np.array([moment.isoformat(" ") for moment in moments]), "event").values.tolist() == (
        found.values.tolist()
    )


@pytest.mark.parametrize(
    "text",
    [
        "01/02/2024",
        "2024",
        "2024-01",
        "20240131",
        "2024-02-30",
        "2024-1-3",
        "2024-01-31T25:00",
        "12:00",
        "",
        "17",
        "2024-01-31T12",
        "2024-01-31T12:00+25:00",
        "2024-01-31+01:00",
        "\u0662024-01-31",
    ],
)
def test_a_text_that_may_mean_several_times_is_one_sentence(text):
    with pytest.raises(InputError, match=r"a time in text must be a date such as .* at event 1 "):
        as_times(["2024-01-31", text], "event")


def test_text_with_and_without_a_time_zone_is_one_sentence():
    with pytest.raises(InputError, match="all have a time zone or all have none"):
        as_times(["2024-01-31T12:00Z", "2024-01-31T12:00"], "event")


def test_text_beyond_the_years_of_nanoseconds_is_one_sentence():
    with pytest.raises(InputError, match="between the years 1678 and 2262, got 2300-01-01 at event 0"):
        as_times(["2300-01-01"], "event")


def test_events_with_dates_in_text_need_no_conversion():
    events = [("a", "b", "2024-01-01"), ("b", "c", "2024-01-03T12:00")]

    encoder = egonet.TemporalEncoder(events, 1, window="2 days").fit([("b", "2024-01-03T12:00:01")])

    assert encoder.encode([("b", "2024-01-04")])["b"] == {(0, 1): 1, (1, 1): 1}


@pytest.mark.parametrize("missing", [None, pd.NaT, pd.NA, np.datetime64("NaT", "s")])
def test_a_missing_date_in_a_list_is_named_with_its_place(missing):
    with pytest.raises(InputError, match=r"a time must not be missing, got .* at event 1 .*Drop the row\."):
        as_times([datetime(2020, 1, 1), missing], "event")
