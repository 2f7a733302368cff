"""Times and windows: what does not fit 64-bit nanoseconds is an error, and nothing is read as another time."""

import re
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet.errors import InputError
from egonet.tables.events import read_queries
from egonet.tables.schemas import EventColumns
from egonet.tables.times import as_times, as_window, plain_window

#: A day in nanoseconds.
DAY = 86_400 * 10**9


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
    with pytest.raises(InputError, match=r"window=\"1M\" may mean minutes or months. Write 'min'"):
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
    with pytest.raises(InputError, match=r"queries must be a table, a file or tuples \(node, time\), got 7"):
        read_queries(7, EventColumns())


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

    assert encoder.encode([("b", "2024-01-04")])[("b", "2024-01-04")] == {(0, 1): 1, (1, 1): 1}


@pytest.mark.parametrize("missing", [None, pd.NaT, pd.NA, np.datetime64("NaT", "s")])
def test_a_missing_date_in_a_list_is_named_with_its_place(missing):
    with pytest.raises(InputError, match=r"a time must not be missing, got .* at event 1 .*Drop the row\."):
        as_times([datetime(2020, 1, 1), missing], "event")


@pytest.mark.parametrize(
    ("texts", "time_format", "expected"),
    [
        (["02.01.1970 00:00", "02.01.1970 00:01"], "%d.%m.%Y %H:%M", [DAY, DAY + 60 * 10**9]),
        (["19700102"], "%Y%m%d", [DAY]),
        (["1970-01-02 01:00 +0100"], "%Y-%m-%d %H:%M %z", [DAY]),
    ],
)
def test_text_is_read_in_a_given_format(texts, time_format, expected):
    assert as_times(texts, "event", time_format).values.tolist() == expected


@pytest.mark.parametrize(
    ("times", "time_format", "message"),
    [
        (["31.02.1970"], "%d.%m.%Y", r'form of time_format="%d.%m.%Y", got \'31.02.1970\' at event 0'),
        ([19700102], "%Y%m%d", "time_format= is for times that are text, got the number 19700102"),
        (["1970"], "Y", "time_format must be a format such as '%d.%m.%Y %H:%M', got 'Y'"),
        (["1970"], 7, "time_format must be a format .* got 7"),
    ],
)
def test_times_that_do_not_have_their_format_are_refused(times, time_format, message):
    with pytest.raises(InputError, match=message):
        as_times(times, "event", time_format)


def test_every_reader_of_events_takes_a_format_of_times():
    from egonet.sklearn.events import EventEncoder
    from egonet.sklearn.temporal import TemporalEncoder
    from egonet.temporal.stream import Stream

    form, events = "%d.%m.%Y", [("a", "b", "01.02.1970"), ("a", "c", "03.02.1970")]

    stream = Stream(1)
    stream.add(events, time_format=form)
    rows = TemporalEncoder(events, 1, time_format=form).transform([("a", "02.02.1970"), ("a", "04.02.1970")])
    payments = EventEncoder(time_format=form, windows=("1d",), groups=("ends",)).fit_transform(events)

    assert stream.now == np.datetime64("1970-02-03")
    assert rows.tolist() == [[1, 0, 1], [0, 1, 2]]  # one partner on the 2nd, two on the 4th
    assert payments[:, 0].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("window", "message"),
    [
        (7, "times are dates, so windows must be a duration such as '7d'"),
        ("1M", 'windows="1M" may mean minutes or months'),
        (np.timedelta64(1, "Y"), "windows must be a number of weeks, days or less"),
        ("0d", "windows must be above 0 and finite, got '0d'. Use None for no limit."),
    ],
)
def test_messages_about_windows_name_the_option(window, message):
    with pytest.raises(InputError, match=re.escape(message)):
        as_window(window, "dates", "windows")


@pytest.mark.parametrize("zone", ["Etc/GMT-2", "Europe/Berlin", "UTC", "+02:00"])
@pytest.mark.parametrize("unit", ["s", "ns"])
def test_columns_of_any_time_zone_of_pandas_are_dates(zone, unit):
    moments = pd.Series(pd.to_datetime(["2024-01-01T12:00", "2024-07-01T00:00"])).astype(
        f"datetime64[{unit}]"
    )
    local = moments.dt.tz_localize("UTC").dt.tz_convert(zone)

    found = as_times(local, "row")

    assert found.kind == "dates with a time zone"
    assert found.values.tolist() == as_times(moments, "row").values.tolist()


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "+02:00"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_columns_of_arrow_keep_their_time_zone(zone, unit):
    array = pyarrow.array([0, None, 86_400], pyarrow.timestamp("s", zone)).cast(pyarrow.timestamp(unit, zone))
    present = array.drop_null()

    for column in (present, pyarrow.chunked_array([present[:1], present[1:]])):
        found = as_times(column, "event")

        assert found.kind == "dates with a time zone"
        assert found.values.tolist() == [0, 86_400 * 10**9]
    with pytest.raises(InputError, match="must not be missing"):
        as_times(array, "event")


@pytest.mark.parametrize("kind", [pyarrow.time32("s"), pyarrow.time64("ns"), pyarrow.duration("ns")], ids=str)
def test_columns_of_arrow_that_are_no_dates_are_refused(kind):
    for column in (pyarrow.array([3], kind), pyarrow.chunked_array([[3]], kind)):
        with pytest.raises(InputError, match="times must be numbers or dates"):
            as_times(column, "event")
