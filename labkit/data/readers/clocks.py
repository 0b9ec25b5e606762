"""Clock times as texts have them: with the year first, or the day.

What they mean in seconds since the epoch is told by `labkit.data.readers.times`.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

EPOCH = datetime(1970, 1, 1)
MICROSECOND = timedelta(microseconds=1)

# A capture is no older than its clock, give or take a time zone, and none is from later.
_FIRST_YEAR, _LAST_YEAR = 1969, 2199

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
class Clock:
    """A clock time as a text has it.

    Parameters
    ----------
    microseconds
        Since 1970-01-01 00:00 on that clock.
    hour
        The hour as written.
    half
        "AM" or "PM" where written.
    offset
        Minutes that the clock is ahead of UTC, None where not written.
    is_moved
        Whether a format's rule made it an hour of the afternoon.
    """

    microseconds: int
    hour: int
    half: str = ""
    offset: int | None = None
    is_moved: bool = False


def year_first(text: str) -> Clock | None:
    """Return a time such as 2018/05/10 10:52:47.283479 or 2018-05-10T10:52Z; None if it is none.

    Examples
    --------
    >>> year_first("1970/01/01 01:00:00.5")
    Clock(microseconds=3600500000, hour=1, half='', offset=None, is_moved=False)
    >>> year_first("2018/02/30 00:00:00") is None
    True
    """
    return _clock(_YEAR_FIRST, text)


def day_first(text: str) -> Clock | None:
    """Return a time such as 3/7/2017 8:55 or 03/07/2017 08:55:58 AM; None if it is none.

    Examples
    --------
    >>> day_first("02/01/1970 12:30 AM")
    Clock(microseconds=88200000000, hour=12, half='AM', offset=None, is_moved=False)
    """
    return _clock(_DAY_FIRST, text)


def _clock(pattern: re.Pattern, text: str) -> Clock | None:
    match = pattern.fullmatch(text.strip())
    if not match:
        return None
    found = match.groupdict()
    half, hour = (found.get("half") or "").upper(), int(found["hour"])
    if half and not 1 <= hour <= 12:
        return None
    try:
        clock = datetime(
            int(found["year"]),
            int(found["month"]),
            int(found["day"]),
            hour % 12 + 12 * (half == "PM") if half else hour,
            int(found["minute"]),
            int(found["second"] or 0),
            int((found["part"] or "0")[:6].ljust(6, "0")),
        )
    except ValueError:
        return None
    if not _FIRST_YEAR <= clock.year <= _LAST_YEAR:
        return None
    return Clock((clock - EPOCH) // MICROSECOND, hour, half, _minutes(found.get("offset")))


def _minutes(offset: str | None) -> int | None:
    if not offset:
        return None
    if offset == "Z":
        return 0
    digits = offset[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:])
    return -minutes if offset[0] == "-" else minutes
