"""Parquet, block by block, as the arrays that are counted; what is at fault is counted too.

Arrow reads the blocks: a thread of it takes half as long as DuckDB's two, and as long as Polars'
two; it holds a few blocks where either holds several times as much; and a large row group is no
more to it than a small one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from labkit.errors import InputError
from labkit.scale.files import Columns, Part, is_number, is_text
from labkit.scale.tally import Labels

if TYPE_CHECKING:
    import pyarrow as pa

# Enough records to spread the cost of a call, few enough that several blocks lie in little memory.
_BLOCK = 2**17
# A column is read from disk in pieces of this size, so that a file of one row group needs no more.
_BUFFER = 2**20
# Days that are told apart: more are a column of times, not of days.
_MOST_DAYS = 400

Faults = Counter[tuple[str, str]]
"""How many records have what fault in which column."""
TIME = r"^\d{4}-\d{2}-\d{2}[T ]"
"""How a time begins that is written as a text."""
_FLOATS = {"halffloat", "float", "double"}
LARGEST_WEIGHT = 1e100
"""Above, products of sums of weights could leave float64."""
_REMEDIES = {
    "is NaN": "drop or mend them first",
    "is missing": "label them or drop them first",
    "is negative": "weights are 0 or more",
    "is infinite": "weights are finite",
    f"is above {LARGEST_WEIGHT:g}": "divide all weights by the greatest",
}


class Block(NamedTuple):
    """Some records.

    Attributes
    ----------
    labels
        True where a record is an attack, shape (n,).
    scores
        Scores by detector, each float64 or float32 of shape (n,), none NaN.
    days, day
        The days of the block, and the index of each record's, shape (n,); without days, none.
    weights
        float64, shape (n,); None where records have none.
    """

    labels: np.ndarray
    scores: dict[str, np.ndarray]
    days: list
    day: np.ndarray
    weights: np.ndarray | None


def blocks(
    columns: Columns, parts: Iterable[Part], labels: Labels, faults: Faults, rows: int | None = None
) -> Iterator[Block]:
    """Yield the records of some parts; a block with faults is not yielded, its faults are counted.

    Parameters
    ----------
    columns, parts
        What to read.
    labels
        Takes note of what labels mean.
    faults
        Is added to. Look at it in the end, with `refuse`.
    rows
        Records of a block; None for as many as are fastest.
    """
    # One thread reads and unpacks what comes next while this one counts.
    with ThreadPoolExecutor(1) as pool:
        for batch in _ahead(_batches(columns, parts, rows or _BLOCK), pool):
            found = Counter()
            block = as_block(columns, batch, labels, found)
            faults.update(found)
            if block is not None:
                yield block


def refuse(faults: Faults, rows: int) -> None:
    """Raise InputError that tells the most frequent fault and how many records have it."""
    if faults:
        ((column, fault), records), *_ = faults.most_common(1)
        raise InputError(f"{column} {fault} in {records} of {rows} records; {_REMEDIES[fault]}")


def check_days(days: Collection) -> None:
    """Raise InputError where days are too many to be days."""
    if len(days) > _MOST_DAYS:
        raise InputError(f"day has more than {_MOST_DAYS} values; pass a column of days, not times")


def check_weights(columns: Columns, any_counts: bool) -> None:
    """Raise InputError unless some record has a weight above zero."""
    if not any_counts:
        raise InputError(f"{columns.weight} is zero in every record; some record must count")


def _batches(columns: Columns, parts: Iterable[Part], rows: int) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    # Texts come as a dictionary and numbers into it.
    coded = [name for name in (columns.label, columns.day) if name is not None]
    how = {"read_dictionary": coded, "buffer_size": _BUFFER, "pre_buffer": False}
    for part in parts:
        try:
            with pq.ParquetFile(part.path, **how) as file:
                yield from file.iter_batches(
                    rows, part.row_groups, list(columns.names), use_threads=False
                )
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"{part.path} cannot be read ({error})") from None


def _ahead(batches: Iterator[pa.RecordBatch], pool: ThreadPoolExecutor) -> Iterator[pa.RecordBatch]:
    """Yield what an iterator yields, the next one fetched meanwhile by a thread of the pool."""
    coming = pool.submit(next, batches, None)
    while (batch := coming.result()) is not None:
        coming = pool.submit(next, batches, None)
        yield batch


def as_block(
    columns: Columns,
    batch: pa.RecordBatch,
    labels: Labels,
    faults: Faults,
    times: np.ndarray | None = None,
) -> Block | None:
    """Return the arrays of a batch; None where records are at fault, which `faults` then tells.

    Where `times` is given, a row stands for so many records.
    """

    def note(name: str, fault: str, at_fault: np.ndarray) -> None:
        if at_fault.any():
            faults[name, fault] += int(
                np.count_nonzero(at_fault) if times is None else times[at_fault].sum()
            )

    for name in columns.names:
        fault = "is missing" if name in (columns.label, columns.day) else "is NaN"
        note(name, fault, _missing(batch[name]))
    weights = None
    if columns.weight is not None:
        weights = _numbers(batch[columns.weight].drop_null(), columns.weight)
        weights = weights.astype(np.float64, copy=False)
        note(columns.weight, "is negative", weights < 0)
        note(columns.weight, "is infinite", np.isinf(weights))
        above = (weights > LARGEST_WEIGHT) & np.isfinite(weights)
        note(columns.weight, f"is above {LARGEST_WEIGHT:g}", above)
    if faults:
        return None
    scores = {name: _numbers(batch[name], name) for name in columns.scores}
    days, day = (
        ([], np.zeros(0, int)) if columns.day is None else _days(batch[columns.day], columns.day)
    )
    return Block(_flags(batch[columns.label], labels, columns.label), scores, days, day, weights)


@contextmanager
def readable(column: pa.Array, name: str) -> Iterator[None]:
    """Turn what no Python value can hold, such as a year 12000, into an InputError."""
    try:
        yield
    except (OverflowError, ValueError) as error:
        raise InputError(
            f"column {name!r} is {column.type} and holds a value that cannot be read ({error}); "
            "mend or drop it first"
        ) from None


def _missing(column: pa.Array) -> np.ndarray:
    """Return where a value is missing, NaN included; nothing where none can be."""
    if column.null_count:
        return _array(column.is_null(nan_is_null=True))
    values = _array(column) if str(column.type) in _FLOATS else np.zeros(0)
    return np.isnan(values)


def _array(column: pa.Array) -> np.ndarray:
    """Return numbers or booleans, none missing, as NumPy's.

    Arrow's own `to_numpy` does so too, but loads pandas: half a second, and memory.
    """
    import pyarrow as pa

    if not pa.types.is_boolean(column.type):
        return np.from_dlpack(column)
    bits = np.frombuffer(column.buffers()[1], np.uint8)
    flags = np.unpackbits(bits, count=column.offset + len(column), bitorder="little")
    return flags[column.offset :].view(bool)


def _numbers(column: pa.Array, name: str) -> np.ndarray:
    """Return numbers, none missing, as float64 or float32.

    Whole numbers must be such that float64 holds each of them: of two blocks neither could tell
    that the other has a number that would be made equal to one of its own.
    """
    values = _array(column)
    if values.dtype.kind == "f":
        return values.astype(np.float32) if values.itemsize < 4 else values
    if values.itemsize == 8:
        large = values[(values > 2**53) | (values < -(2**53))].tolist()
        if any(int(float(value)) != value for value in large):
            raise InputError(f"{name} holds whole numbers that float64 cannot hold; rescale them")
    return values.astype(np.float64)


def _flags(column: pa.Array, labels: Labels, name: str) -> np.ndarray:
    """Return where a record is an attack."""
    if is_number(column.type):
        return labels.of(_array(column))
    texts = column.dictionary_encode()
    with readable(column, name):
        values = texts.dictionary.to_pylist()
    return labels.of(values).take(_array(texts.indices))


def _days(column: pa.Array, name: str) -> tuple[list, np.ndarray]:
    """Return the distinct days of a column, times cut to their date, and the index of each's."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_timestamp(column.type):
        # As a clock shows it there; no time zone is moved.
        with readable(column, name):
            local = column if column.type.tz is None else pc.local_timestamp(column)
        column = local.cast(pa.date32())
    encoded = column.dictionary_encode()
    values, codes = encoded.dictionary, _array(encoded.indices)
    if is_text(values.type):
        is_time = pc.match_substring_regex(values, TIME)
        if pc.any(is_time).as_py():
            dates = pc.if_else(is_time, pc.utf8_slice_codeunits(values, 0, 10), values)
            encoded = dates.dictionary_encode()
            values, codes = encoded.dictionary, _array(encoded.indices)[codes]
    with readable(column, name):
        values = values.to_pylist()
    # A dictionary may hold values that no record of the block has.
    present = np.bincount(codes, minlength=len(values)) > 0
    if present.all():
        return values, codes
    kept = [value for value, here in zip(values, present, strict=True) if here]
    return kept, (np.cumsum(present) - 1)[codes]
