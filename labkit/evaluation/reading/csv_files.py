"""The columns of a CSV file, read in one pass; only what is asked for stays in memory."""

from __future__ import annotations

import csv
import gzip
import math
import zlib
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path

import numpy as np

from labkit.errors import InputError
from labkit.evaluation.reading.columns import (
    MISSING,
    Table,
    Texts,
    not_a_number,
    refuse_missing,
    require_columns,
)

_ROWS = 50_000
"""Rows whose texts are held at a time."""
_DELIMITERS = (",", ";", "\t")


def read_csv(path: Path, numbers: Sequence[str], texts: Sequence[str], *, packed: bool) -> Table:
    """Read columns of a CSV file in UTF-8 with a header.

    Numbers are the float64 nearest to their digits. The delimiter is the first of comma, semicolon
    and tab with which the header names the columns. Empty lines are skipped.

    Parameters
    ----------
    path
        The file.
    numbers, texts
        Columns to read as numbers, and as texts; at least one of each.
    packed
        Whether the file is packed with gzip.

    Raises
    ------
    InputError
        When it is no such file, a column is missing or occurs twice, a row has another number of
        fields than the header, or a number is missing or none.
    """
    try:
        with (gzip.open if packed else open)(path, "rt", encoding="utf-8-sig", newline="") as file:
            return _read(path, file, numbers, texts)
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise InputError(f"{path} is not in UTF-8 (byte {byte:#04x}); save it as UTF-8") from None
    except csv.Error as error:
        raise InputError(f"{path} is no CSV file ({error})") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path} is damaged ({error}); pack it again") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror})") from None


def _read(path: Path, file: Iterator[str], numbers: Sequence[str], texts: Sequence[str]) -> Table:
    first = next(file, "")
    if "\0" in first:
        raise InputError(f"{path} is neither CSV nor Parquet")
    if not first.strip():
        raise InputError(f"{path} is empty or begins with an empty line; a header comes first")
    wanted = [*numbers, *texts]
    reader = csv.reader(chain([first], file), delimiter=_delimiter(first, wanted), strict=True)
    header = [name.strip() for name in next(reader)]
    require_columns(path, header, wanted)
    pick = itemgetter(*map(header.index, wanted))
    columns = [*map(_Numbers, numbers), *(_Words() for _ in texts)]
    rows = _whole_rows(path, reader, len(header))
    while chunk := [pick(row) for row in islice(rows, _ROWS)]:
        for column, values in zip(columns, zip(*chunk, strict=True), strict=True):
            column.add(values)
    whole = [column.whole() for column in columns]
    if not len(whole[-1].codes):
        raise InputError(f"{path} has a header and no records")
    made = dict(zip(numbers, whole[: len(numbers)], strict=True))
    return Table(made, dict(zip(texts, whole[len(numbers) :], strict=True)))


def _delimiter(header: str, wanted: Sequence[str]) -> str:
    """Return the delimiter with which the header names all columns, else most columns."""
    fields = {}
    for delimiter in _DELIMITERS:
        names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter))]
        if set(wanted) <= set(names):
            return delimiter
        fields[delimiter] = len(names)
    return max(_DELIMITERS, key=fields.__getitem__)


def _whole_rows(path: Path, reader: Iterator[list[str]], width: int) -> Iterator[list[str]]:
    """Yield the rows that are as wide as the header; empty lines are skipped."""
    for row in reader:
        if len(row) == width:
            yield row
        elif row:
            raise InputError(
                f"{path} has {len(row)} fields in line {reader.line_num:,}, and {width} in its "
                "header; give every record one of each"
            )


class _Numbers:
    """A column of numbers, chunk by chunk."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._parts: list[np.ndarray] = []
        self._rows = self._missing = 0
        self._first = 0

    def add(self, texts: Sequence[str]) -> None:
        try:
            numbers = np.fromiter(map(float, texts), float, len(texts))
        except ValueError:
            numbers = np.array([self._number(text, row) for row, text in enumerate(texts)])
        # Python reads 1_000 as a number; in a table it is a slip.
        if "_" in "".join(texts):
            row = next(row for row, text in enumerate(texts) if "_" in text)
            raise not_a_number(self._name, texts[row], self._rows + row)
        missing = np.isnan(numbers)
        if not self._missing and missing.any():
            self._first = self._rows + int(np.argmax(missing))
        self._missing += int(np.count_nonzero(missing))
        self._rows += len(numbers)
        self._parts.append(numbers)

    def whole(self) -> np.ndarray:
        refuse_missing(self._name, self._missing, self._rows, self._first)
        return np.concatenate([np.empty(0), *self._parts])

    def _number(self, text: str, row: int) -> float:
        if text.strip().casefold() in MISSING:
            return math.nan
        try:
            return float(text)
        except ValueError:
            raise not_a_number(self._name, text, self._rows + row) from None


class _Words:
    """A column of texts, each distinct one kept once."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._parts: list[np.ndarray] = []

    def add(self, texts: Sequence[str]) -> None:
        places = self._places
        for text in texts:
            places.setdefault(text, len(places))
        self._parts.append(np.fromiter(map(places.__getitem__, texts), np.int64, len(texts)))

    def whole(self) -> Texts:
        return Texts(np.concatenate([np.empty(0, np.int64), *self._parts]), list(self._places))
