"""Parquet tables, read by a mapping batch by batch."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from labkit.data.readers.columns import by_text
from labkit.data.readers.formats import Reader
from labkit.data.readers.mapped import check_names, converter, notes
from labkit.data.readers.mapping import Mapping
from labkit.data.readers.rows import Rows, numbers_of
from labkit.data.readers.source import Advance, Source
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# A row of flows takes about as many bytes when it is unpacked.
_ROW_BYTES = 256
_FEWEST_ROWS = 64


def require_pyarrow(what: str) -> None:
    """Raise unless pyarrow, which reads and writes Parquet, is installed."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        remedy = f"run `{sys.executable} -m pip install pyarrow`"
        raise InputError(f"{what} is Parquet, which needs pyarrow: {remedy}") from None


def open_parquet(source: Source, zone: ZoneInfo | None, mapping: Mapping) -> Reader:
    """Return how a Parquet file is read by a mapping.

    Times may be of Parquet's own type: with a zone they are taken as they are, without one they
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
        schema, names = file.schema_arrow, file.schema_arrow.names
    check_names(source.name, names, mapping)
    kind = schema.field(mapping.time).type if mapping.time else None
    is_moment = kind is not None and (pa.types.is_timestamp(kind) or pa.types.is_date(kind))
    has_zone = is_moment and pa.types.is_timestamp(kind) and kind.tz is not None
    if is_moment:
        mapping = replace(mapping, per_second=1e6)
    elif kind is not None and not mapping.per_second and not _is_text(kind):
        raise InputError(
            f"{source.name}: column {mapping.time!r} holds numbers: give its time_unit"
        )
    convert = converter(mapping, zone, is_timestamp=is_moment and not has_zone)

    def rows(size: int, advance: Advance) -> Iterator[Rows]:
        return _rows(source, mapping, max(size // _ROW_BYTES, _FEWEST_ROWS), advance)

    told = () if has_zone else notes(replace(mapping, per_second=0) if is_moment else mapping, zone)
    return Reader(rows, convert, told)


def _rows(source: Source, mapping: Mapping, number: int, advance: Advance) -> Iterator[Rows]:
    import pyarrow.parquet as pq

    columns = sorted(mapping.columns)
    size = source.path.stat().st_size
    with _told(source), pq.ParquetFile(source.path) as file:
        total, line, told = max(file.metadata.num_rows, 1), 1, 0
        for batch in file.iter_batches(number, columns=columns):
            if not batch.num_rows:
                continue
            yield _table(batch, source, mapping, line)
            line += batch.num_rows
            here = min(size * (line - 1) // total, size)
            advance(here - told)
            told = here


def _table(batch: "pa.RecordBatch", source: Source, mapping: Mapping, line: int) -> Rows:
    import pandas as pd

    table, unreadable = {}, np.zeros(batch.num_rows, dtype=bool)
    for name in batch.schema.names:
        column = batch.column(name)
        if name in mapping.texts:
            table[name] = _texts(column, mapping, source, name)
        elif _is_text(column.type):
            texts = _texts(column, mapping, source, name)
            table[name], bad = numbers_of(texts, mapping.unset)
            unreadable |= bad
        else:
            table[name] = _numbers(column, source, name)
    index = pd.RangeIndex(line, line + batch.num_rows)
    return Rows(pd.DataFrame(table).set_axis(index), unreadable)


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
    return by_text(series, lambda text: None if text.strip() in mapping.unset else text)


def _numbers(column: "pa.Array", source: Source, name: str) -> np.ndarray:
    import pyarrow as pa

    if pa.types.is_timestamp(column.type) or pa.types.is_date(column.type):
        moments = _cast(column, pa.timestamp("us"), source, name)
        column = moments.cast(pa.int64())
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
