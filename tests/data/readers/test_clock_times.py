"""Epochs, clock times and calendar days, against Python's own datetime."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.data.readers.luflow import PADDED, padded_epochs
from labkit.data.readers.times import (
    SKIPPED,
    TWICE,
    clock_times,
    date_of,
    day_first,
    epochs,
    local_days,
    time_zone,
    year_first,
)

# Lord Howe's clocks move by half an hour, Casey's by hours on odd dates; Kiritimati lost a day.
ZONES = [
    *("Europe/Prague", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"),
    *("Pacific/Kiritimati", "Antarctica/Casey", "UTC", "Europe/Dublin"),
]
zones = st.sampled_from(ZONES).map(ZoneInfo)
moments = st.datetimes(datetime(1971, 1, 1), datetime(2099, 12, 31))


def read(texts, zone=None, parse=year_first):
    return clock_times(pd.Series(texts, dtype="category"), parse, zone)


@given(st.lists(moments, min_size=1, max_size=5), zones)
def test_a_clock_is_read_as_python_reads_it(walls, zone):
    times = read([wall.isoformat(" ", "microseconds") for wall in walls], zone)
    # Python takes the first of two times, and in a gap the offset that held before it.
    wanted = [wall.replace(tzinfo=zone, fold=0).timestamp() for wall in walls]
    assert times.seconds.tolist() == pytest.approx(wanted, abs=1e-6)
    for told, kind in ((TWICE, 1), (SKIPPED, -1)):
        offsets = [
            wall.replace(tzinfo=zone).utcoffset() - wall.replace(tzinfo=zone, fold=1).utcoffset()
            for wall in walls
        ]
        assert times.repaired[told].tolist() == [kind * o > timedelta(0) for o in offsets]


@given(st.integers(0, 4 * 10**9), zones)
def test_a_day_is_the_one_that_the_calendar_shows(seconds, zone):
    here = datetime.fromtimestamp(seconds, zone)
    assert date_of(int(local_days(np.array([float(seconds)]), zone)[0])) == here.date().isoformat()


@given(st.integers(10**15, 7 * 10**15), st.integers(0, 6))
def test_lost_zeros_are_put_back(microseconds, lost):
    whole = microseconds // 10**lost * 10**lost
    times = padded_epochs(np.array([float(whole // 10**lost)]))
    assert times.seconds.tolist() == [whole / 10**6]
    assert times.repaired[PADDED].tolist() == [lost > 0]


@pytest.mark.parametrize("value", [np.nan, 0, -1, 16, 123456789, 1e16, 1e300, np.inf, 1.5e15 + 0.5])
def test_what_is_no_epoch_in_microseconds(value):
    assert np.isnan(padded_epochs(np.array([value])).seconds).all()


@pytest.mark.parametrize(
    ("texts", "utc"),
    [
        (["2017-03-26 01:59:59"], 1490489999),
        # Two o'clock to three that night is not there: as if the clock had not been put forward.
        (["2017-03-26 02:30:00"], 1490491800),
        (["2017-03-26 03:00:00"], 1490490000),
        (["2017-10-29 02:30"], 1509237000),
        (["2017-10-29T02:30:00+01:00"], 1509240600),
        (["2017-10-29 02:30:00Z"], 1509244200),
    ],
)
def test_nights_on_which_clocks_change(texts, utc):
    assert read(texts, ZoneInfo("Europe/Prague")).seconds.tolist() == [utc]


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "2018", "20180510", "2018-05-10", "2018-13-01 00:00", "2018-02-30 00:00"),
        *("2018-01-01 24:00", "2018-01-01 00:60", "2018-01-01 00:00+99:00"),
        *(
            "10/05/2018 10:00",
            "2018-01-01 00:00:00 PM",
            "\u0662018-01-01 00:00",
            "2018-W01-1 00:00",
        ),
    ],
)
def test_what_is_no_time_with_the_year_first(text):
    assert year_first(text) is None
    assert np.isnan(read([text]).seconds).all()


@pytest.mark.parametrize(
    ("text", "parse"),
    [
        *((text, year_first) for text in ("0001-01-01 00:00", "9999-12-31 23:59")),
        *((text, day_first) for text in ("31/12/1968 23:59", "02/01/2200 0:00")),
    ],
)
def test_years_in_which_nothing_is_captured(text, parse):
    assert np.isnan(read([text], ZoneInfo("Europe/Prague"), parse).seconds).all()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7/13/2017 1:00",
        "31/02/2017 1:00",
        "3/7/17 1:00",
        "3/7/2017 13:00 PM",
        "3/7/2017 0:00 AM",
    ],
)
def test_what_is_no_time_with_the_day_first(text):
    assert day_first(text) is None


def test_noon_and_midnight_by_the_half_of_the_day():
    hours = [day_first(f"01/01/1970 12:00 {half}").hour for half in ("am", "PM")]
    assert hours == [0, 12]


def test_epochs_outside_of_what_a_capture_can_be():
    values = np.array([-90_000, -3600, 0, 7_258_118_399, 7_258_118_400, np.inf, np.nan])
    assert np.isnan(epochs(values)).tolist() == [
        True,
        False,
        False,
        False,
        True,
        True,
        True,
    ]


def test_utc_needs_no_name():
    assert time_zone(None) is None
    assert local_days(np.array([86_399.9, 86_400.0, -0.5]), None).tolist() == [0, 1, -1]
