"""What a reader of a format is made of."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from labkit.data.readers.head import Head
from labkit.data.readers.rows import Layout, Rows, read_rows
from labkit.data.readers.source import Advance, Source

if TYPE_CHECKING:
    import pandas as pd

BENIGN = "benign"
"""The family of a normal row, as in the simulated traffic."""

NO_TIMES = "the file has no times: no time, day or date"
PAYLOAD = "bytes_out and bytes_in are bytes of payload, without headers"
LOCAL_CLOCK = "its times are a local clock's, taken as UTC: name the zone with --timezone"

RESERVED = ("label", "day", "date", "family", "time")
"""The columns that stand first in the flow table; no feature has such a name."""


@dataclass(frozen=True)
class Verdict:
    """What a label says of a row.

    Parameters
    ----------
    label
        1 for an attack, 0 for a normal row, None when it is neither.
    word
        The family of an attack or `BENIGN`; else the reason for which the row is dropped.
    damage
        Whether that reason speaks of a broken file.
    """

    label: int | None
    word: str
    damage: bool = False


NORMAL = Verdict(0, BENIGN)
NO_LABEL = Verdict(None, "no label")
UNKNOWN = Verdict(None, "unknown label", damage=True)


def attack(family: str) -> Verdict:
    """Return the verdict on an attack."""
    return Verdict(1, family)


def neither(word: str) -> Verdict:
    """Return the verdict on a label that is neither class.

    Examples
    --------
    >>> neither("outlier").word
    'neither class (outlier)'
    """
    return Verdict(None, f"neither class ({word})")


@dataclass(frozen=True)
class Piece:
    """Some rows of a file as flows, those to be dropped among them.

    Parameters
    ----------
    features
        Name -> its values: floats with NaN, or texts as categories.
    verdicts
        What the labels say, and for each row which of them is its own.
    seconds
        When each flow began, in seconds since the epoch; None where the format has no time.
    repaired
        What was repaired -> the rows.
    """

    features: Mapping[str, "pd.Series | np.ndarray"]
    verdicts: tuple[list[Verdict], np.ndarray]
    seconds: np.ndarray | None = None
    repaired: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class Reader:
    """How one file is read.

    Parameters
    ----------
    rows
        Bytes at a time and progress -> the rows of the file, block by block.
    convert
        Rows -> flows.
    notes
        What the user should know of the result.
    """

    rows: Callable[[int, Advance], Iterator[Rows]]
    convert: Callable[["pd.DataFrame"], Piece]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Format:
    """A format of flow files.

    Parameters
    ----------
    name
        What `--format` calls it.
    matches
        Whether the first lines of a file look like it.
    open
        Source, its first lines and the time zone -> how to read it.
    """

    name: str
    matches: Callable[[Head], bool]
    open: Callable[[Source, Head, ZoneInfo | None], Reader]


def reader_of(
    source: Source,
    layout: Layout,
    convert: Callable[["pd.DataFrame"], Piece],
    notes: tuple[str, ...] = (),
) -> Reader:
    """Return a reader of a text file."""
    return Reader(lambda size, advance: read_rows(source, layout, size, advance), convert, notes)
