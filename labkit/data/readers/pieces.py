"""Pieces of the flow table: how one file is read, and which of its rows are dropped and counted."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from labkit.data.readers.columns import Features, Repaired
from labkit.data.readers.labels import BENIGN, Verdict
from labkit.data.readers.rows import NO_NUMBER, WRONG_COLUMNS, Rows
from labkit.data.readers.source import Source
from labkit.data.readers.times import NO_TIME, local_days
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

NO_TIMES = "the file has no times: no time, day or date"
PAYLOAD = "bytes_out and bytes_in are bytes of payload, without headers"
LOCAL_CLOCK = "its times are a local clock's, taken as UTC: name the zone with --timezone"

RESERVED = ("label", "day", "date", "family", "time")
"""The columns that stand first in the flow table; no feature has such a name."""


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

    features: Features
    verdicts: tuple[list[Verdict], np.ndarray]
    seconds: np.ndarray | None
    repaired: Repaired


@dataclass(frozen=True)
class Reader:
    """How one file is read.

    Parameters
    ----------
    format
        Its name, as `--format` has it.
    source
        The file.
    rows
        Gives its rows, block by block.
    piece
        Rows -> flows.
    notes
        What the user should know of the result.
    """

    format: str
    source: Source
    rows: Callable[[], Iterator[Rows]]
    piece: Callable[["pd.DataFrame"], Piece]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tally:
    """Counts of rows, that add up.

    Parameters
    ----------
    read
        All rows, those that could not be read among them; each was kept or dropped.
    kept
        Rows in the table.
    attacks
        Those of them that are attacks.
    dropped
        Reason -> rows dropped for it; a row with several counts for the first.
    repaired
        What was repaired -> rows kept with it; a row with several counts for each.

    Examples
    --------
    >>> one, other = Tally(2, 1, dropped=Counter(a=1)), Tally(3, 2, dropped=Counter(a=1))
    >>> (one + other).as_dict()
    {'read': 5, 'kept': 3, 'attacks': 0, 'dropped': {'a': 2}, 'repaired': {}}
    """

    read: int = 0
    kept: int = 0
    attacks: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    repaired: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def as_dict(self) -> dict:
        """Return plain values, as they stand in a table's attributes."""
        counts = {"dropped": dict(self.dropped), "repaired": dict(self.repaired)}
        return {"read": self.read, "kept": self.kept, "attacks": self.attacks, **counts}


def pieces(reader: Reader, zone: ZoneInfo | None) -> Iterator[tuple["pd.DataFrame", Tally, int]]:
    """Yield the flows of a file piece by piece, with the counts of their rows.

    A piece has label, family, time and day where the file has times, and the features. Its day is
    counted from 1970-01-01. The third that is yielded is the number of bytes read by then.

    Parameters
    ----------
    reader
        How the file is read.
    zone
        Whose calendar days count; None is UTC.

    Raises
    ------
    InputError
        When most rows of the file are damaged: its columns are not what they seem.
    """
    counts, damage, first = Tally(), {WRONG_COLUMNS, NO_NUMBER, NO_TIME}, {}
    for rows in reader.rows():
        piece = reader.piece(rows.table)
        damage |= {verdict.word for verdict in piece.verdicts[0] if verdict.damage}
        dropped, kept = _sifted(rows, piece)
        for reason, lines in dropped.items():
            first.setdefault(reason, lines[0])
        flows = _flows(piece, kept, zone)
        repaired = {what: int((faulty & kept).sum()) for what, faulty in piece.repaired.items()}
        numbers = Counter({reason: len(lines) for reason, lines in dropped.items()})
        tally = Tally(
            read=len(flows) + numbers.total(),
            kept=len(flows),
            attacks=int(flows["label"].sum()),
            dropped=numbers,
            repaired=+Counter(repaired),
        )
        counts += tally
        yield flows, tally, rows.position
    found = {reason: counts.dropped[reason] for reason in first if reason in damage}
    if 2 * sum(found.values()) > counts.read:
        worst = max(found, key=lambda reason: found[reason])
        raise InputError(
            f"{reader.source.name}: {sum(found.values()):,} of {counts.read:,} rows are damaged, "
            f"as line {first[worst]} ({worst}): format {reader.format} does not fit its columns, "
            "or the copy is broken; fetch it anew"
        )


def _sifted(rows: Rows, piece: Piece) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return the lines dropped for every reason, and which rows of the table are kept."""
    found, places = piece.verdicts
    # A row without a class is dropped for that, whatever else is wrong with it.
    words = dict.fromkeys(verdict.word for verdict in found if verdict.label is None)
    faults = {
        word: np.array([v.label is None and v.word == word for v in found])[places]
        for word in words
    }
    faults[NO_NUMBER] = rows.unreadable
    if piece.seconds is not None:
        faults[NO_TIME] = np.isnan(piece.seconds)
    dropped, lines = dict(rows.left_out), rows.table.index.to_numpy()
    kept = np.ones(len(lines), dtype=bool)
    for reason, faulty in faults.items():
        here = lines[kept & faulty]
        if len(here):
            dropped[reason] = np.concatenate([dropped.get(reason, here[:0]), here])
            kept &= ~faulty
    return dropped, kept


def _flows(piece: Piece, kept: np.ndarray, zone: ZoneInfo | None) -> "pd.DataFrame":
    import pandas as pd

    found, places = piece.verdicts
    code_of = {BENIGN: 0}
    codes = [code_of.setdefault(v.word, len(code_of)) if v.label is not None else 0 for v in found]
    families = np.array(codes, dtype=int)
    labels = np.array([v.label or 0 for v in found], dtype="int8")
    columns: dict = {
        "label": labels[places[kept]],
        "family": pd.Categorical.from_codes(families[places[kept]], categories=list(code_of)),
    }
    if piece.seconds is not None:
        columns["time"] = piece.seconds[kept]
        columns["day"] = local_days(columns["time"], zone)
    for name, values in piece.features.items():
        columns[name] = values[kept] if isinstance(values, np.ndarray) else values.array[kept]
    return pd.DataFrame(columns)
