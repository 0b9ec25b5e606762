"""Any CSV or Parquet table whose columns a mapping file names."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from labkit.data.readers.clocks import EPOCH, MICROSECOND, Clock, year_first
from labkit.data.readers.columns import (
    finite,
    joined,
    parted,
    port_numbers,
    ports,
    protocols,
    stripped,
    verdicts,
)
from labkit.data.readers.formats import (
    NO_LABEL,
    NORMAL,
    UNKNOWN,
    Piece,
    Reader,
    Verdict,
    attack,
    neither,
    reader_of,
)
from labkit.data.readers.head import DELIMITERS, Head, check_fit, fields
from labkit.data.readers.mapping import Mapping, whole, word
from labkit.data.readers.rows import Layout
from labkit.data.readers.source import Source
from labkit.data.readers.times import Times, clock_times, epochs, local_times
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

NAME = "mapped"

_PORTS = ("dst_port", "src_port")


def open_csv(source: Source, head: Head, zone: ZoneInfo | None, mapping: Mapping) -> Reader:
    """Return how a text file is read by a mapping.

    Raises
    ------
    InputError
        When the file lacks a column that the mapping names, has it twice, or its header does not
        fit its rows.
    """
    delimiter = mapping.delimiter or _delimiter(head, mapping)
    header = list(mapping.names) or fields(head.lines[0], delimiter)
    check_names(head.name, header, mapping)
    check_fit(head, len(header), delimiter, header=0 if mapping.names else 1)
    layout = Layout(
        columns=tuple(name if name in mapping.columns else "" for name in header),
        texts=frozenset(mapping.texts),
        delimiter=delimiter,
        skip=0 if mapping.names else head.blank + 1,
        header="" if mapping.names else head.lines[0],
        unset=mapping.unset,
    )
    return reader_of(source, layout, converter(mapping, zone), notes(mapping, zone))


def check_names(name: str, header: list[str], mapping: Mapping) -> None:
    """Raise unless a table has each column that a mapping names, and once."""
    for column in sorted(mapping.columns):
        found = header.count(column)
        if found != 1:
            fault = "has no" if found == 0 else f"has {found} times a"
            some = ", ".join(header[:12])
            raise InputError(
                f"{name} {fault} column {column!r} that the mapping names; it has {some}"
            )


def notes(mapping: Mapping, zone: ZoneInfo | None) -> tuple[str, ...]:
    """Return what the user should know of a table read by a mapping."""
    if not mapping.time:
        return ("the mapping names no times: no time, day or date",)
    if not mapping.per_second and zone is None:
        return ("times without an offset are taken as UTC: name the zone with --timezone",)
    return ()


def _delimiter(head: Head, mapping: Mapping) -> str:
    """Return the delimiter under which most of the columns wanted are found."""

    def found(mark: str) -> tuple[int, bool]:
        cut = fields(head.lines[0], mark)
        hits = len(mapping.columns & set(cut)) if not mapping.names else 0
        return hits, mark == head.delimiter

    return max(DELIMITERS, key=found)


def converter(
    mapping: Mapping, zone: ZoneInfo | None, *, is_timestamp: bool = False
) -> Callable[["pd.DataFrame"], Piece]:
    """Return what converts rows by a mapping.

    Parameters
    ----------
    mapping
        Which columns are which.
    zone
        Whose clock times are; None is UTC.
    is_timestamp
        Whether times are microseconds on a clock already, as from a Parquet file.
    """

    def convert(table: "pd.DataFrame") -> Piece:
        numbers = [name for name in table if table[name].dtype == float]
        values, repaired = finite(table, numbers)
        features, proto = _texts(table, mapping), None
        if "proto" in features:
            proto = features["proto"] = protocols(features["proto"])
        for name, feature in mapping.features.items():
            if feature.is_text:
                continue
            column = values[feature.column] * feature.scale
            features[name] = port_numbers(column, proto) if name in _PORTS else column
        if "dst_port" in features:
            features = ports(features["dst_port"], proto) | features
        labels = table[mapping.label]
        family = table[mapping.family] if mapping.family else labels
        times = _times(table, values, mapping, zone, is_timestamp=is_timestamp)
        return Piece(
            features=features,
            verdicts=verdicts(joined(labels, family), lambda text: _judge(text, mapping)),
            seconds=times.seconds if times else None,
            repaired=repaired | (times.repaired if times else {}),
        )

    return convert


def _texts(table: "pd.DataFrame", mapping: Mapping) -> dict:
    return {
        name: stripped(table[feature.column])
        for name, feature in mapping.features.items()
        if feature.is_text
    }


def _judge(text: str, mapping: Mapping) -> Verdict:
    label, family = parted(text)
    if not label:
        return NO_LABEL
    known = mapping.classes.get(word(label), mapping.rest)
    if known == "attack":
        return attack(whole(family or label))
    if known == "normal":
        return NORMAL
    # The rest may be any number of words: they are counted as one.
    return neither(word(label) if word(label) in mapping.classes else "rest") if known else UNKNOWN


def _times(
    table: "pd.DataFrame",
    values: dict[str, np.ndarray],
    mapping: Mapping,
    zone: ZoneInfo | None,
    *,
    is_timestamp: bool,
) -> Times | None:
    if not mapping.time:
        return None
    if is_timestamp:
        known = ~np.isnan(values[mapping.time])
        # Far times are no times, and might not fit.
        known &= np.abs(np.nan_to_num(values[mapping.time])) < 1e16
        local = np.where(known, values[mapping.time], 0).astype("int64")
        return local_times(local, known, zone)
    if mapping.per_second:
        return epochs(values[mapping.time], mapping.per_second)
    return clock_times(table[mapping.time], _parser(mapping.time_format), zone)


def _parser(written: str) -> Callable[[str], Clock | None]:
    if written == "iso":
        return year_first

    def parse(text: str) -> Clock | None:
        try:
            found = datetime.strptime(text.strip(), written)
            offset = found.utcoffset()
            found = found.replace(tzinfo=None)
        except (ValueError, OverflowError):
            return None
        minutes = None if offset is None else round(offset / timedelta(minutes=1))
        return Clock((found - EPOCH) // MICROSECOND, found.hour, offset=minutes)

    return parse
