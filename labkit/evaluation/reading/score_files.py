"""A file of scores: what it is, told by its first bytes and not by its name, and what it holds.

CSV, packed with gzip or not, or Parquet. Records are counted from 1, the header left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from labkit.errors import InputError
from labkit.evaluation.evaluation import Source
from labkit.evaluation.reading.columns import (
    as_days,
    as_numbers_or_texts,
    check_weights,
    positives_of,
)
from labkit.evaluation.reading.csv_files import read_csv
from labkit.evaluation.reading.parquet_files import read_parquet
from labkit.scale.files import parquet_files, refuse_pipe

_PARQUET, _GZIP = b"PAR1", b"\x1f\x8b"
# Other things that people keep tables in.
_OTHERS = {
    b"PK\x03\x04": "a zip archive or a spreadsheet; unpack it, or export it as CSV",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet; export it as CSV",
    b"ARROW1": "an Arrow file; write it as Parquet",
    b"\x28\xb5\x2f\xfd": "packed with zstd; unpack it first",
    b"BZh": "packed with bzip2; unpack it first",
    b"\xfd7zXZ": "packed with xz; unpack it first",
}
_BLOCK = 2**20


@dataclass(frozen=True)
class FileKind:
    """A file, or the Parquet files of a folder.

    Attributes
    ----------
    files
        In order.
    sha256
        Of their bytes, one after the other.
    parquet, packed
        Whether they are Parquet, and whether the one is packed with gzip.
    """

    files: tuple[Path, ...]
    sha256: str
    parquet: bool
    packed: bool


@dataclass(frozen=True, eq=False)
class ScoreFile:
    """What a file of scores holds.

    Attributes
    ----------
    source
        The file and its columns.
    labels
        True where a record is an attack, shape (n,).
    scores
        Column -> scores, shape (n,).
    day, groups, weights
        Of each record, shape (n,); None where no column was named.
    notes
        What a reader should know of how the columns were read.
    """

    source: Source
    labels: np.ndarray
    scores: dict[str, np.ndarray]
    day: np.ndarray | None
    groups: np.ndarray | None
    weights: np.ndarray | None
    notes: tuple[str, ...]


def read_scores(
    path: str | PathLike[str],
    scores: Sequence[str],
    label: str,
    *,
    day: str | None = None,
    group: str | None = None,
    weight: str | None = None,
    positive: str | None = None,
) -> ScoreFile:
    """Read labels, scores and what else is named of each record.

    Parameters
    ----------
    path, scores, label, day, group, weight, positive
        As in `labkit.evaluation.evaluate_file`.

    Raises
    ------
    InputError
        When the file or a column is missing or cannot be read as what it is meant to be.
    """
    path = Path(path)
    check_named(scores, label)
    found = look_at(path)
    numbers = [*scores, *([weight] if weight else [])]
    texts = [name for name in (label, day, group) if name]
    if found.parquet:
        table = read_parquet(found.files, numbers, texts)
    else:
        table = read_csv(path, numbers, texts, packed=found.packed)
    if weight:
        check_weights(table.numbers[weight], weight)
    labels, told, notes = positives_of(table.texts[label], label, positive)
    days, more = as_days(table.texts[day], day) if day else (None, [])
    return ScoreFile(
        Source(path.name, found.sha256, label, told, day, group, weight),
        labels,
        {name: table.numbers[name] for name in scores},
        days,
        as_numbers_or_texts(table.texts[group], group) if group else None,
        table.numbers[weight] if weight else None,
        (*notes, *more),
    )


def check_named(scores: Sequence[str], label: str) -> None:
    """Raise InputError unless every column of scores is named once, and not as the label too."""
    if len(set(scores)) < len(scores):
        raise InputError(f"--score names {', '.join(map(repr, scores))}; name each column once")
    if label in scores:
        raise InputError(f"column {label!r} is named as score and as label; name another one")


def look_at(path: Path) -> FileKind:
    """Read a file, or those of a folder, through once.

    Raises
    ------
    InputError
        When one is missing, cannot be read, is empty, or is neither CSV nor Parquet.
    """
    files = tuple(parquet_files(path)) if path.is_dir() else (path,)
    digest, first = hashlib.sha256(), b""
    for one in files:
        first = _digested(one, digest)
    parquet = first.startswith(_PARQUET)
    if path.is_dir() and not parquet:
        raise InputError(f"{files[-1]} is not a Parquet file")
    return FileKind(files, digest.hexdigest(), parquet, first.startswith(_GZIP))


def _digested(path: Path, digest: hashlib._Hash) -> bytes:
    """Add the bytes of a file to a checksum; return the first of them."""
    first = b""
    refuse_pipe(path)
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                first = first or block[:8]
                digest.update(block)
    except FileNotFoundError:
        raise InputError(f"{path} is missing; name a CSV or Parquet file") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror})") from None
    if not first:
        raise InputError(f"{path} is empty; a header and records were expected")
    for start, what in _OTHERS.items():
        if first.startswith(start):
            raise InputError(f"{path} is neither CSV nor Parquet: it is {what}")
    return first
