"""Parquet, block by block, as the arrays that are counted; what is at fault is counted too.

Arrow reads the blocks: a thread of it takes half as long as DuckDB's two, and as long as Polars'
two; it holds a few blocks where either holds several times as much; and a large row group is no
more to it than a small one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from labkit.errors import InputError
from labkit.scale.source import Columns, Part, Source
from labkit.scale.tally import Labels

if TYPE_CHECKING:
    import pyarrow as pa

# Enough records to spread the cost of a call, few enough that several blocks lie in little memory.
_BLOCK = 2**17
# A column is read from disk in pieces of this size, so that a file of one row group needs no more.
_BUFFER = 2**20

Faults = Counter[tuple[str, str]]
"""How many records have what fault in which column."""
_FLOATS = {"halffloat", "float", "double"}
REMEDIES = {
    "is NaN": "drop or mend them first",
    "is missing": "label them or drop them first",
    "is negative": "weights are 0 or more",
    "is infinite": "weights are finite",
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
        The days of the block, and the index of each record's, shape (n,); without days None.
    weights
        float64, shape (n,); None where records have none.
    """

    labels: np.ndarray
    scores: dict[str, np.ndarray]
    days: list | None
    day: np.ndarray | None
    weights: np.ndarray | None


def blocks(
    source: Source, parts: Iterable[Part], labels: Labels, faults: Faults
) -> Iterator[Block]:
    """Yield the records of some parts; a block with faults is not yielded, its faults are counted.

    Parameters
    ----------
    source
        Where the parts are of.
    parts
        What to read.
    labels
        Takes note of what labels mean.
    faults
        Is added to. Look at it in the end, with `refuse`.
    """
    # One thread reads and unpacks what comes next while this one counts.
    with ThreadPoolExecutor(1) as pool:
        for batch in _ahead(_batches(source, parts), pool):
            found = Counter()
            block = as_block(source.columns, batch, labels, found)
            faults.update(found)
            if block is not None:
                yield block


def first_block(source: Source, part: Part, rows: int) -> Block | None:
    """Return the first records of a part, at most so many; None where any is at fault."""
    columns = source.columns
    labels = Labels(columns.pos_label, columns.label)
    batch = next(_batches(source, [part], rows), None)
    return None if batch is None else as_block(columns, batch, labels, Counter())


def refuse(faults: Faults, rows: int) -> None:
    """Raise InputError that tells the most frequent fault and how many records have it."""
    if faults:
        ((column, fault), records), *_ = faults.most_common(1)
        raise InputError(f"{column} {fault} in {records} of {rows} records; {REMEDIES[fault]}")


def _batches(source: Source, parts: Iterable[Part], rows: int = _BLOCK) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = list(source.columns.names)
    # Texts come as a dictionary and numbers into it.
    how = {"read_dictionary": list(source.texts), "buffer_size": _BUFFER, "pre_buffer": False}
    for part in parts:
        try:
            with pq.ParquetFile(part.path, **how) as file:
                yield from file.iter_batches(rows, part.row_groups, names, use_threads=False)
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

    Parameters
    ----------
    columns
        What to take from the batch.
    batch
        Some records.
    labels
        Takes note of what labels mean.
    faults
        Is added to.
    times
        How many records each row stands for, shape (n,); None for one.
    """

    def note(name: str, fault: str, at_fault: np.ndarray) -> None:
        if at_fault.any():
            faults[name, fault] += int(
                np.count_nonzero(at_fault) if times is None else times[at_fault].sum()
            )

    scores = {}
    for name in columns.scores:
        scores[name], missing = _numbers(batch[name], name)
        note(name, "is NaN", missing)
    weights = None
    if columns.weight is not None:
        weights, missing = _numbers(batch[columns.weight], columns.weight)
        weights = weights.astype(np.float64, copy=False)
        note(columns.weight, "is NaN", missing)
        note(columns.weight, "is negative", weights < 0)
        note(columns.weight, "is infinite", np.isinf(weights))
    for name in (columns.label, columns.day):
        if name is not None:
            note(name, "is missing", _missing(batch[name]))
    if faults:
        return None
    days, day = (None, None) if columns.day is None else _codes(batch[columns.day])
    return Block(_flags(batch[columns.label], labels), scores, days, day, weights)


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


def _numbers(column: pa.Array, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers as float64 or float32, and where they are missing or NaN."""
    if column.null_count:
        return np.zeros(len(column)), _missing(column)
    values = _array(column)
    if values.dtype.kind != "f":
        return _widened(values, name), np.zeros(0, dtype=bool)
    return values.astype(np.float32) if values.itemsize < 4 else values, np.isnan(values)


def _widened(values: np.ndarray, name: str) -> np.ndarray:
    """Return whole numbers or booleans as float64, which must hold each of them.

    Of two blocks neither could tell that the other has a number that would be made equal to one of
    its own.
    """
    if values.dtype.itemsize == 8:
        large = values[(values > 2**53) | (values < -(2**53))].tolist()
        if any(int(float(value)) != value for value in large):
            raise InputError(f"{name} holds whole numbers that float64 cannot hold; rescale them")
    return values.astype(np.float64)


def _flags(column: pa.Array, labels: Labels) -> np.ndarray:
    """Return where a record is an attack."""
    import pyarrow as pa

    if isinstance(column, pa.StringArray | pa.LargeStringArray | pa.StringViewArray):
        column = column.dictionary_encode()
    if isinstance(column, pa.DictionaryArray):
        return labels.of(column.dictionary.to_pylist()).take(_array(column.indices))
    return labels.of(_array(column))


def _codes(column: pa.Array) -> tuple[list, np.ndarray]:
    """Return the distinct values of a column, and the index of each record's."""
    encoded = column.dictionary_encode()
    values, codes = encoded.dictionary.to_pylist(), _array(encoded.indices)
    # A dictionary may hold values that no record of the block has.
    present = np.bincount(codes, minlength=len(values)) > 0
    if present.all():
        return values, codes
    kept = [value for value, here in zip(values, present, strict=True) if here]
    return kept, (np.cumsum(present) - 1)[codes]
