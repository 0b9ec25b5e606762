"""Times and calendar days: epochs, clock times as texts have them, time zones.

A time is kept as seconds since 1970-01-01 00:00 UTC, in a float: exact to a quarter of a
microsecond. Its calendar day is that of a time zone, UTC unless another is named.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from labkit.data.readers.columns import Repaired, spread
from labkit.data.schema import DAY_SECONDS
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

NO_TIME = "unreadable time"
TWICE = "clock time that occurs twice: taken as the first"
SKIPPED = "clock time that the clocks skipped: moved on"

_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
# A capture is no older than its clock, give or take a time zone, and none is from later.
_EARLIEST, _LATEST = -DAY_SECONDS, 7_258_118_400
_FAR = 1e16

_HOUR = r"[ T](?P<hour>\d\d?):(?P<minute>\d\d)(:(?P<second>\d\d)([.,](?P<part>\d+))?)?\s*"
_YEAR_FIRST = re.compile(
    rf"(?P<year>\d{{4}})[-/](?P<month>\d\d?)[-/](?P<day>\d\d?){_HOUR}"
    r"(?P<offset>Z|[+-]\d\d:?\d\d)?",
    re.ASCII,
)
_DAY_FIRST = re.compile(
    rf"(?P<day>\d\d?)[-/](?P<month>\d\d?)[-/](?P<year>\d{{4}}){_HOUR}(?P<half>[AaPp][Mm])?",
    re.ASCII,
)


@dataclass(frozen=True)
class Times:
    """Times of rows: seconds since the epoch, NaN where unreadable, and which were repaired."""

    seconds: np.ndarray
    repaired: Repaired


def time_zone(name: str | None) -> ZoneInfo | None:
    """Return a time zone by its name; None is UTC.

    Examples
    --------
    >>> time_zone("Mars")
    Traceback (most recent call last):
    ...
    labkit.errors.InputError: there is no time zone 'Mars': name one like Europe/Prague
    """
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, TypeError, OSError):
        raise InputError(f"there is no time zone {name!r}: name one like Europe/Prague") from None


def local_days(seconds: np.ndarray, zone: ZoneInfo | None) -> np.ndarray:
    """Return calendar days in a time zone, counted from 1970-01-01.

    Examples
    --------
    >>> local_days(np.array([0.0, 86399.0]), ZoneInfo("Europe/Prague")).tolist()
    [0, 1]
    """
    import pandas as pd

    if zone is not None:
        whole = np.floor(seconds).astype("int64").astype("datetime64[s]")
        clock = pd.DatetimeIndex(whole).tz_localize("UTC").tz_convert(zone).tz_localize(None)
        seconds = clock.to_numpy().astype("datetime64[s]").astype("int64")
    return np.floor_divide(seconds, DAY_SECONDS).astype("int64")


def date_of(day: int) -> str:
    """Return the date of a calendar day counted from 1970-01-01.

    Examples
    --------
    >>> date_of(18_612)
    '2020-12-16'
    """
    return (_EPOCH + timedelta(days=day)).date().isoformat()


def epochs(values: np.ndarray, per_second: float = 1) -> np.ndarray:
    """Return the seconds of times given as numbers since the epoch, NaN where no capture can be.

    Parameters
    ----------
    values
        Numbers, NaN where unset.
    per_second
        How many of their units a second has.

    Examples
    --------
    >>> epochs(np.array([1500.0, -1e9]), 1000).tolist()
    [1.5, nan]
    """
    seconds = np.asarray(values, dtype=float) / per_second
    return np.where((seconds >= _EARLIEST) & (seconds < _LATEST), seconds, np.nan)


def year_first(text: str) -> datetime | None:
    """Return a time such as 2018/05/10 10:52:47.283479 or 2018-05-10T10:52Z; None if it is none.

    Examples
    --------
    >>> print(year_first("1970/01/01 1:00:00.5"), year_first("2018-05-10 10:52+0200"))
    1970-01-01 01:00:00.500000 2018-05-10 10:52:00+02:00
    >>> year_first("2018/02/30 00:00:00") is None
    True
    """
    return _clock_time(_YEAR_FIRST, text)


def day_first(text: str) -> datetime | None:
    """Return a time such as 3/7/2017 8:55 or 03/07/2017 08:55:58 AM; None if it is none.

    Examples
    --------
    >>> print(day_first("02/01/1970 12:30 AM"))
    1970-01-02 00:30:00
    """
    return _clock_time(_DAY_FIRST, text)


def _clock_time(pattern: re.Pattern, text: str) -> datetime | None:
    match = pattern.fullmatch(text.strip())
    if not match:
        return None
    found = match.groupdict()
    half, hour = (found.get("half") or "").upper(), int(found["hour"])
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (half == "PM")
    second, part = int(found["second"] or 0), (found["part"] or "")[:6].ljust(6, "0")
    day = (int(found["year"]), int(found["month"]), int(found["day"]))
    try:
        offset = _offset(found.get("offset"))
        return datetime(*day, hour, int(found["minute"]), second, int(part), offset)
    except ValueError:
        return None


def _offset(text: str | None) -> timezone | None:
    if not text or text == "Z":
        return UTC if text else None
    digits = text[1:].replace(":", "")
    ahead = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-ahead if text[0] == "-" else ahead)


def clock_times(
    column: "pd.Series", parse: Callable[[str], datetime | None], zone: ZoneInfo | None
) -> Times:
    """Return the times of a text column of clock times.

    A clock that is put back shows an hour twice: the first is taken. One that is put forward skips
    an hour: a time in it is read as if the clock had not been put forward. Both are counted.

    Parameters
    ----------
    column
        Texts as categories.
    parse
        Text -> clock time, with its offset from UTC where the text has it.
    zone
        Whose clock it is where a text does not say; None is UTC.
    """
    walls = [parse(text) for text in column.cat.categories]
    local = [(w.replace(tzinfo=None) - _EPOCH) / _MICROSECOND if w else math.nan for w in walls]
    offsets = [w.utcoffset() / _MICROSECOND if w and w.tzinfo else math.nan for w in walls]
    times = local_times(np.array(local), zone, np.array(offsets))
    return Times(
        spread(column, times.seconds, math.nan),
        {what: spread(column, rows, False) for what, rows in times.repaired.items()},
    )


def local_times(
    local: np.ndarray, zone: ZoneInfo | None, offsets: np.ndarray | float = math.nan
) -> Times:
    """Return the times of a clock's microseconds since 1970-01-01 00:00.

    Parameters
    ----------
    local
        Microseconds on the clock, NaN where there is no time.
    zone
        Whose clock it is; None is UTC.
    offsets
        Microseconds that the clock is ahead of UTC, NaN where the zone says so.

    Examples
    --------
    >>> hour = np.array([1509240600e6])  # half past one, on the night clocks go back
    >>> times = local_times(hour, ZoneInfo("Europe/London"))
    >>> times.seconds.tolist(), times.repaired[TWICE].tolist()
    ([1509237000.0], [True])
    """
    # Years that no capture is of might not fit.
    known = np.abs(local) < _FAR
    by_zone = known & np.isnan(offsets)
    clock = np.where(known, local, 0).astype("int64")
    ahead = np.zeros(len(local), dtype="int64") + np.nan_to_num(offsets).astype("int64")
    twice, skipped = np.zeros(len(local), dtype=bool), np.zeros(len(local), dtype=bool)
    if zone is not None and by_zone.any():
        ahead[by_zone], twice[by_zone], skipped[by_zone] = _ahead(clock[by_zone], zone)
    seconds = epochs(np.where(known, clock - ahead, np.nan), 10**6)
    return Times(seconds, {TWICE: twice, SKIPPED: skipped})


def _ahead(local: np.ndarray, zone: ZoneInfo) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return microseconds that a zone's clock is ahead, and which times it shows twice or never."""
    import pandas as pd

    clock = pd.DatetimeIndex(local.astype("datetime64[us]"))
    known = clock.tz_localize(zone, ambiguous="NaT", nonexistent="NaT").tz_convert(None)
    ahead = local - known.to_numpy().astype("datetime64[us]").astype("int64")
    twice, skipped = np.zeros(len(local), dtype=bool), np.zeros(len(local), dtype=bool)
    for at in np.flatnonzero(known.isna()):
        wall = (_EPOCH + int(local[at]) * _MICROSECOND).replace(tzinfo=zone)
        # The first of two by PEP 495; in a gap, the offset that held before it.
        before, after = wall.utcoffset(), wall.replace(fold=1).utcoffset()
        ahead[at] = before // _MICROSECOND
        twice[at], skipped[at] = before > after, before < after
    return ahead, twice, skipped
