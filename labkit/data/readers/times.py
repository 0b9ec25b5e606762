"""Times and calendar days: epochs, clock times, time zones.

A time is kept as seconds since 1970-01-01 00:00 UTC, in a float: exact to a quarter of a
microsecond. Its calendar day is that of a time zone, UTC unless another is named.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from labkit.data.readers.clocks import EPOCH, MICROSECOND, Clock
from labkit.data.schema import DAY_SECONDS
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

TIME = "unreadable time"
TWICE = "clock time that occurs twice: taken as the first"
SKIPPED = "clock time that the clocks skipped: moved on"
AFTERNOON = "hour 1 to 7 without PM: taken as afternoon"
PADDED = "epoch without its last zeros: padded"

# A capture is no older than its clock, give or take a time zone, and none is from later.
_EARLIEST, _LATEST = -DAY_SECONDS, 7_258_118_400
# Epoch microseconds have 16 digits from 2001 to 2286, epoch seconds ten.
_DIGITS, _FEWEST_DIGITS = 16, 10


@dataclass(frozen=True)
class Times:
    """Times of rows: seconds since the epoch, NaN where unreadable, and which were repaired."""

    seconds: np.ndarray
    repaired: dict[str, np.ndarray]


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
    return (EPOCH + timedelta(days=day)).date().isoformat()


def epochs(values: np.ndarray, per_second: float = 1) -> Times:
    """Return times given as numbers since the epoch.

    Parameters
    ----------
    values
        Numbers, NaN where unset.
    per_second
        How many of their units a second has.

    Examples
    --------
    >>> epochs(np.array([1500.0, -1e9]), 1000).seconds.tolist()
    [1.5, nan]
    """
    seconds = np.asarray(values, dtype=float) / per_second
    outside = ~((seconds >= _EARLIEST) & (seconds < _LATEST))
    return Times(np.where(outside, np.nan, seconds), {})


def padded_epochs(values: np.ndarray) -> Times:
    """Return times given as epoch microseconds, of which some lost the zeros at their end.

    Digits are put back on the right up to 16. At least ten must be there, or seconds are lost too.

    Examples
    --------
    >>> times = padded_epochs(np.array([1608079837780185, 160807983778018, 16.0]))
    >>> times.seconds.tolist()
    [1608079837.780185, 1608079837.78018, nan]
    >>> times.repaired[PADDED].tolist()
    [False, True, False]
    """
    values = np.asarray(values, dtype=float)
    known = (
        (values >= 10 ** (_FEWEST_DIGITS - 1))
        & (values < 10**_DIGITS)
        & (np.floor(values) == values)
    )
    whole = np.where(known, values, 10.0 ** (_DIGITS - 1)).astype("int64")
    missing = np.zeros(len(whole), dtype="int64")
    for digits in range(_FEWEST_DIGITS, _DIGITS):
        missing += whole < 10**digits
    filled = np.where(known, whole * 10**missing, np.nan)
    times = epochs(filled, 10**6)
    return Times(times.seconds, {PADDED: (missing > 0) & ~np.isnan(times.seconds)})


def clock_times(
    column: "pd.Series", parse: Callable[[str], Clock | None], zone: ZoneInfo | None
) -> Times:
    """Return the times of a text column of clock times.

    A clock that is put back shows an hour twice: the first is taken. One that is put forward skips
    an hour: a time in it is read as if the clock had not been put forward. Both are counted.

    Parameters
    ----------
    column
        Texts as categories.
    parse
        Text -> clock time.
    zone
        Whose clock it is where a text does not say; None is UTC.
    """
    clocks = [parse(text) for text in column.cat.categories]
    # The last one stands for a row without a time, whose code is -1.
    known = np.array([clock is not None for clock in clocks] + [False])
    local = np.array([c.microseconds if c else 0 for c in clocks] + [0], dtype="int64")
    offsets = [c.offset if c and c.offset is not None else math.nan for c in clocks]
    times = local_times(local, known, zone, np.array([*offsets, math.nan]))
    moved = np.array([clock is not None and clock.is_moved for clock in clocks] + [False])
    codes = column.cat.codes.to_numpy()
    repaired = {what: rows[codes] for what, rows in (times.repaired | {AFTERNOON: moved}).items()}
    return Times(times.seconds[codes], repaired)


def local_times(
    local: np.ndarray, known: np.ndarray, zone: ZoneInfo | None, offsets: np.ndarray | None = None
) -> Times:
    """Return the times of a clock's microseconds since 1970-01-01 00:00.

    Parameters
    ----------
    local
        Microseconds on the clock.
    known
        Which of them are times; the others are ignored.
    zone
        Whose clock it is; None is UTC.
    offsets
        Minutes that the clock is ahead of UTC, NaN where the zone says so.

    Examples
    --------
    >>> hour = np.array([1509240600 * 10**6])  # half past one, on the night clocks go back
    >>> times = local_times(hour, np.array([True]), ZoneInfo("Europe/London"))
    >>> times.seconds.tolist(), times.repaired[TWICE].tolist()
    ([1509237000.0], [True])
    """
    by_zone = known if offsets is None else known & np.isnan(offsets)
    ahead = np.zeros(len(local), dtype="int64")
    if offsets is not None:
        ahead = np.nan_to_num(offsets).astype("int64") * 60 * 10**6
    twice, skipped = np.zeros(len(local), dtype=bool), np.zeros(len(local), dtype=bool)
    if zone is not None and by_zone.any():
        ahead[by_zone], twice[by_zone], skipped[by_zone] = _ahead(local[by_zone], zone)
    seconds = epochs(np.where(known, (local - ahead) / 1e6, np.nan)).seconds
    return Times(seconds, {TWICE: twice, SKIPPED: skipped})


def _ahead(local: np.ndarray, zone: ZoneInfo) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return microseconds that a zone's clock is ahead, and which times it shows twice or never."""
    import pandas as pd

    clock = pd.DatetimeIndex(local.astype("datetime64[us]"))
    known = clock.tz_localize(zone, ambiguous="NaT", nonexistent="NaT").tz_convert(None)
    ahead = local - known.to_numpy().astype("datetime64[us]").astype("int64")
    twice, skipped = np.zeros(len(local), dtype=bool), np.zeros(len(local), dtype=bool)
    for at in np.flatnonzero(known.isna()):
        wall = (EPOCH + int(local[at]) * MICROSECOND).replace(tzinfo=zone)
        # The first of two by PEP 495; in a gap, the offset that held before it.
        before, after = wall.utcoffset(), wall.replace(fold=1).utcoffset()
        ahead[at] = before // MICROSECOND
        twice[at], skipped[at] = before > after, before < after
    return ahead, twice, skipped
