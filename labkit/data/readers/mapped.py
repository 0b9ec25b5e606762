"""Any CSV or Parquet table whose columns a mapping file names."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from labkit.data.readers.columns import by_text, features_of
from labkit.data.readers.labels import NORMAL, UNKNOWN, Verdict, attack, neither, verdicts
from labkit.data.readers.layout import DELIMITERS, Head, Layout, check_fit, fields
from labkit.data.readers.mapping import ISO, Mapping, whole, word
from labkit.data.readers.pieces import Piece, Reader
from labkit.data.readers.rows import Rows, numbers_of, read_rows
from labkit.data.readers.source import Source
from labkit.data.readers.times import Times, clock_times, epochs, local_times, year_first
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

NAME = "mapped"

# Rows of a Parquet file to read at a time.
_BATCH = 1 << 15
_MICROSECONDS = 1e6


def text_reader(head: Head, zone: ZoneInfo | None, mapping: Mapping) -> Reader:
    """Return how a text file is read by a mapping.

    Raises
    ------
    InputError
        When the file lacks a column that the mapping names, has it twice, or its header does not
        fit its rows.
    """
    delimiter = mapping.delimiter or _delimiter(head, mapping)
    header = list(mapping.names) or fields(head.lines[0], delimiter)
    lines = 0 if mapping.names else 1
    _check_names(head.name, header, mapping)
    check_fit(head, len(header), delimiter, header=lines)
    layout = Layout(
        columns=tuple(name if name in mapping.columns else "" for name in header),
        texts=frozenset(mapping.texts),
        delimiter=delimiter,
        skip=(head.blank + 1) * lines,
        header=head.lines[0] * lines,
        unset=mapping.unset,
    )
    rows = partial(read_rows, head.source, layout)
    times = partial(_times, mapping=mapping, zone=zone)
    return _reader(head.source, rows, mapping, times, is_local=not mapping.per_second and not zone)


def parquet_reader(source: Source, zone: ZoneInfo | None, mapping: Mapping) -> Reader:
    """Return how a Parquet file is read by a mapping.

    Times may be of Parquet's own types: with a zone they are taken as they are, without one they
    are clock times.

    Raises
    ------
    InputError
        When the file is damaged, lacks a column that the mapping names, or pyarrow is missing.
    """
    require_pyarrow(source.name)
    import pyarrow as pa
    import pyarrow.parquet as pq

    with _told(source), pq.ParquetFile(source.path) as file:
        schema = file.schema_arrow
    _check_names(source.name, schema.names, mapping)
    kind = schema.field(mapping.time).type if mapping.time else pa.null()
    has_zone = pa.types.is_timestamp(kind) and kind.tz is not None
    is_moment = pa.types.is_timestamp(kind) or pa.types.is_date(kind)
    if is_moment:
        mapping = replace(mapping, per_second=_MICROSECONDS)
        if mapping.time in mapping.texts:
            raise InputError(f"{source.name}: column {mapping.time!r} is read as a time and a text")
    elif mapping.time and not mapping.per_second and not _is_text(kind):
        raise InputError(
            f"{source.name}: column {mapping.time!r} holds numbers: give its time_unit"
        )

    def times(table: "pd.DataFrame") -> Times:
        if is_moment and not has_zone:
            return local_times(table[mapping.time].to_numpy(), zone)
        return _times(table, mapping, zone)

    is_local = not (zone or has_zone) and (is_moment or not mapping.per_second)
    rows = partial(_parquet_rows, source, mapping)
    return _reader(source, rows, mapping, times, is_local=is_local)


def require_pyarrow(what: str) -> None:
    """Raise unless pyarrow, which reads and writes Parquet, is installed."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        remedy = f"run `{sys.executable} -m pip install pyarrow`"
        raise InputError(f"{what} is Parquet, which needs pyarrow: {remedy}") from None


def _reader(
    source: Source,
    rows: Callable[[], Iterator[Rows]],
    mapping: Mapping,
    times: Callable[["pd.DataFrame"], Times],
    *,
    is_local: bool,
) -> Reader:
    def piece(table: "pd.DataFrame") -> Piece:
        import pandas as pd

        columns = {
            name: table[one.column] if one.is_text else table[one.column] * one.scale
            for name, one in mapping.features.items()
        }
        features, repaired = features_of(pd.DataFrame(columns, index=table.index))
        told = times(table) if mapping.time else Times(None, {})
        label = table[mapping.label]
        family = table[mapping.family] if mapping.family else label
        labels = verdicts(partial(_judge, mapping), label, family)
        return Piece(features, labels, told.seconds, repaired | told.repaired)

    notes = ()
    if not mapping.time:
        notes = ("the mapping names no times: no time, day or date",)
    elif is_local:
        notes = ("times without an offset are taken as UTC: name the zone with --timezone",)
    return Reader(NAME, source, rows, piece, notes)


def _check_names(name: str, header: list[str], mapping: Mapping) -> None:
    """Raise unless a table has each column that a mapping names, and once."""
    for column in sorted(mapping.columns):
        found = header.count(column)
        if found != 1:
            fault = "has no" if found == 0 else f"has {found} times a"
            some = ", ".join(header[:12])
            raise InputError(
                f"{name} {fault} column {column!r} that the mapping names; it has {some}"
            )


def _delimiter(head: Head, mapping: Mapping) -> str:
    """Return the delimiter under which most of the columns wanted are found."""

    def found(mark: str) -> tuple[int, bool]:
        hits = mapping.columns & set(fields(head.lines[0], mark)) if not mapping.names else ()
        return len(hits), mark == head.delimiter

    return max(DELIMITERS, key=found)


def _judge(mapping: Mapping, label: str, family: str) -> Verdict:
    known = mapping.classes.get(word(label), mapping.rest)
    if known == "attack":
        return attack(whole(family or label))
    if known == "normal":
        return NORMAL
    # The rest may be any number of words: they are counted as one.
    return neither(word(label) if word(label) in mapping.classes else "rest") if known else UNKNOWN


def _times(table: "pd.DataFrame", mapping: Mapping, zone: ZoneInfo | None) -> Times:
    column = table[mapping.time]
    if mapping.per_second:
        return Times(epochs(column.to_numpy(), mapping.per_second), {})
    if mapping.time_format == ISO:
        return clock_times(column, year_first, zone)

    def parse(text: str) -> datetime | None:
        try:
            return datetime.strptime(text.strip(), mapping.time_format)
        except (ValueError, OverflowError):
            return None

    return clock_times(column, parse, zone)


def _parquet_rows(source: Source, mapping: Mapping) -> Iterator[Rows]:
    import pyarrow.parquet as pq

    size = source.path.stat().st_size
    with _told(source), pq.ParquetFile(source.path) as file:
        total, line = file.metadata.num_rows, 1
        for batch in file.iter_batches(_BATCH, columns=sorted(mapping.columns)):
            if batch.num_rows:
                position = size * (line + batch.num_rows - 1) // max(total, 1)
                yield _rows(batch, source, mapping, line, position)
            line += batch.num_rows


def _rows(
    batch: "pa.RecordBatch", source: Source, mapping: Mapping, line: int, position: int
) -> Rows:
    import pandas as pd

    table, unreadable = {}, np.zeros(batch.num_rows, dtype=bool)
    # pyarrow gives "a.b" too where "a" is wanted.
    for name in mapping.columns:
        column = batch.column(name)
        if name not in mapping.texts and not _is_text(column.type):
            table[name] = _numbers(column, source, name)
            continue
        table[name] = _texts(column, mapping, source, name)
        if name not in mapping.texts:
            table[name], bad = numbers_of(table[name], mapping.unset)
            unreadable |= bad
    index = pd.RangeIndex(line, line + batch.num_rows)
    return Rows(pd.DataFrame(table).set_axis(index), unreadable, position)


def _is_text(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _texts(column: "pa.Array", mapping: Mapping, source: Source, name: str) -> "pd.Series":
    import pandas as pd
    import pyarrow as pa

    texts = _cast(column, pa.string(), source, name).dictionary_encode()
    codes = texts.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    series = pd.Series(pd.Categorical.from_codes(codes, categories=texts.dictionary.to_pylist()))
    return by_text(series, lambda text: "" if text.strip() in mapping.unset else text)


def _numbers(column: "pa.Array", source: Source, name: str) -> np.ndarray:
    import pyarrow as pa

    if pa.types.is_timestamp(column.type) or pa.types.is_date(column.type):
        column = _cast(column, pa.timestamp("us"), source, name).cast(pa.int64())
    return _cast(column, pa.float64(), source, name).to_numpy(zero_copy_only=False)


def _cast(column: "pa.Array", kind: "pa.DataType", source: Source, name: str) -> "pa.Array":
    import pyarrow as pa

    held = column.type
    try:
        if pa.types.is_dictionary(held):
            column = column.dictionary_decode()
        # Bytes would be taken for texts, and might be none.
        if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
            raise pa.ArrowInvalid("bytes")
        return column.cast(kind, safe=False)
    except pa.ArrowException:
        raise InputError(
            f"{source.name}: column {name!r} holds {held}, not texts or numbers"
        ) from None


@contextmanager
def _told(source: Source) -> Iterator[None]:
    """Tell in one line why a Parquet file cannot be read."""
    import pyarrow as pa

    try:
        yield
    except InputError:
        raise
    except (pa.ArrowException, ValueError, OSError, MemoryError, OverflowError) as error:
        raise InputError(f"{source.name} is damaged ({error}): fetch it anew") from None
