"""Files of flows as a stream of pieces of the flow table, with the counts of their rows."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from labkit.atomic import resolved
from labkit.data.readers.detect import AUTO, check_format, open_source
from labkit.data.readers.formats import BENIGN, Piece, Reader
from labkit.data.readers.mapped import NAME as MAPPED
from labkit.data.readers.mapping import Mapping
from labkit.data.readers.rows import COLUMNS, NUMBER, Rows
from labkit.data.readers.source import BLOCK, Advance, Source, silent, sources
from labkit.data.readers.summary import Tally, plus
from labkit.data.readers.times import TIME, local_days
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

# Reasons that speak of a broken copy, beside those of labels.
_DAMAGE = {COLUMNS, NUMBER, TIME}

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


@dataclass(frozen=True)
class Opened:
    """A source with its format and reader."""

    source: Source
    format: str
    reader: Reader


def open_all(
    paths: Paths, name: str = AUTO, zone: ZoneInfo | None = None, mapping: Mapping | None = None
) -> list[Opened]:
    """Open every file, before any is read.

    Parameters
    ----------
    paths
        One file or several, in the order in which their flows are wanted.
    name
        Their format, or "auto".
    zone
        Time zone; None is UTC.
    mapping
        Which columns are which, for tables of no format known.

    Raises
    ------
    InputError
        When a file cannot be read, is named twice, has none of the formats, or not that of the
        others.
    """
    check_format(name, mapping)
    opened = []
    for path in _listed(paths):
        for source in sources(path):
            opened.append(Opened(source, *open_source(source, name, zone, mapping)))
    for other in opened[1:]:
        if other.format != opened[0].format:
            raise InputError(
                f"{opened[0].source.name} is {opened[0].format} but {other.source.name} is "
                f"{other.format}: import them apart"
            )
    return opened


def _listed(paths: Paths) -> list[Path]:
    try:
        given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        listed = [Path(path) for path in given]
    except TypeError:
        raise InputError(f"paths must be a file or a list of files, not {paths!r}") from None
    if not listed:
        raise InputError("there is no file to read: name one or several")
    if any("\0" in str(path) for path in listed):
        raise InputError(f"no file has such a name: {[str(path) for path in listed]!r}")
    seen: set[Path] = set()
    for path in listed:
        if resolved(path) in seen:
            raise InputError(f"{path} is named twice: its flows would count double")
        seen.add(resolved(path))
    return listed


def pieces(
    opened: Opened, zone: ZoneInfo | None, size: int = BLOCK, advance: Advance = silent
) -> Iterator[tuple["pd.DataFrame", Tally]]:
    """Yield the flows of a file piece by piece, each with the counts of its rows.

    A piece has label, family, time and day where the file has times, and the features. Its day is
    counted from 1970-01-01.

    Raises
    ------
    InputError
        When most rows of the file are damaged.
    """
    counts, damage = Tally(), set(_DAMAGE)
    for rows in opened.reader.rows(size, advance):
        piece = opened.reader.convert(rows.table)
        damage |= {v.word for v in piece.verdicts[0] if v.damage}
        flows, tally = _sifted(rows, piece, zone)
        counts = plus(counts, tally)
        yield flows, tally
    _refuse_broken(opened, counts, damage)


def _refuse_broken(opened: Opened, counts: Tally, damage: set[str]) -> None:
    """Refuse a file most of whose rows are damaged: its columns are not what they seem."""
    found = {reason: number for reason, number in counts.dropped.items() if reason in damage}
    if 2 * sum(found.values()) > counts.read:
        worst = max(found, key=lambda reason: found[reason])
        what = (
            "the mapping does not fit it"
            if opened.format == MAPPED
            else (f"its header does not fit its columns, it is no {opened.format} file")
        )
        raise InputError(
            f"{opened.source.name}: {sum(found.values()):,} of {counts.read:,} rows are damaged, "
            f"as line {counts.lines[worst]} ({worst}): {what}, or the copy is broken; fetch it anew"
        )


def _sifted(rows: Rows, piece: Piece, zone: ZoneInfo | None) -> tuple["pd.DataFrame", Tally]:
    """Take out the rows to be dropped, and count."""
    lines = rows.table.index.to_numpy()
    left = np.ones(len(lines), dtype=bool)
    dropped = {reason: number for reason, (number, _) in rows.left_out.items()}
    first = {reason: line for reason, (_, line) in rows.left_out.items()}
    for reason, faulty in _faults(rows, piece).items():
        here = left & faulty
        number = int(here.sum())
        if number:
            dropped[reason] = dropped.get(reason, 0) + number
            first.setdefault(reason, int(lines[here.argmax()]))
            left &= ~faulty
    flows = _flows(piece, left, zone)
    repaired = {what: int((faulty & left).sum()) for what, faulty in piece.repaired.items()}
    tally = Tally(
        read=len(lines) + sum(number for number, _ in rows.left_out.values()),
        kept=len(flows),
        attacks=int(flows["label"].sum()),
        dropped=dropped,
        repaired={what: number for what, number in repaired.items() if number},
        lines=first,
    )
    return flows, tally


def _faults(rows: Rows, piece: Piece) -> dict[str, np.ndarray]:
    """Return every reason for dropping and its rows, in the order in which they count."""
    found, codes = piece.verdicts
    # A row without a class is dropped for that, whatever else is wrong with it.
    words = dict.fromkeys(verdict.word for verdict in found if verdict.label is None)
    faults = {}
    for word in words:
        with_it = [v.label is None and v.word == word for v in found]
        faults[word] = np.array(with_it, dtype=bool)[codes]
    faults[NUMBER] = rows.unreadable
    if piece.seconds is not None:
        faults[TIME] = np.isnan(piece.seconds)
    return faults


def _flows(piece: Piece, left: np.ndarray, zone: ZoneInfo | None) -> "pd.DataFrame":
    import pandas as pd

    found, codes = piece.verdicts
    words = list(dict.fromkeys(v.word for v in found if v.label is not None)) or [BENIGN]
    of_verdict = np.array([words.index(v.word) if v.label is not None else 0 for v in found])
    labels = np.array([v.label or 0 for v in found], dtype="int8")
    kept = codes[left]
    columns: dict = {
        "label": labels[kept],
        "family": pd.Categorical.from_codes(of_verdict[kept], categories=words),
    }
    if piece.seconds is not None:
        columns["time"] = piece.seconds[left]
        columns["day"] = local_days(columns["time"], zone)
    for name, values in piece.features.items():
        columns[name] = values[left] if isinstance(values, np.ndarray) else values.array[left]
    return pd.DataFrame(columns)
