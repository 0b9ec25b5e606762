"""Labels and scores from a file: CSV, packed with gzip or not, or Parquet.

What a file holds is told by its first bytes, not by its name. Records are counted from 1, the
header left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

import numpy as np

from labkit.errors import InputError
from labkit.evaluation.columns import (
    as_days,
    as_numbers_or_texts,
    check_weights,
    positives_of,
)
from labkit.evaluation.csv_files import read_csv
from labkit.evaluation.evaluating import Progress, evaluate_records, silent
from labkit.evaluation.evaluation import Evaluation, Source
from labkit.evaluation.options import as_options
from labkit.evaluation.parquet_files import read_parquet
from labkit.evaluation.records import as_records

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
_FLAGS = {
    "budgets": "--budget",
    "base_rates": "--base-rate",
    "cost_fp": "--cost-fp",
    "cost_fn": "--cost-fn",
    "level": "--level",
    "n_replicates": "--replicates",
    "seed": "--seed",
}


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
    path
        A CSV file in UTF-8 with a header (comma, semicolon or tab), packed with gzip or not, or a
        Parquet file.
    scores
        Columns of scores, a detector each.
    label, day, group, weight
        Columns. Times such as 2026-03-01 13:05 are cut to their date, as written: no time zone is
        moved.
    positive
        The label that means attack, as the file writes it; may be left out for 0 and 1, -1 and 1,
        true and false.

    Raises
    ------
    InputError
        When the file or a column is missing or cannot be read as what it is meant to be.
    """
    path = Path(path)
    if len(set(scores)) < len(scores):
        raise InputError(f"--score names {', '.join(map(repr, scores))}; name each column once")
    if label in scores:
        raise InputError(f"column {label!r} is named as score and as label; name another one")
    checksum, first = _checksum_and_first_bytes(path)
    numbers = [*scores, *([weight] if weight else [])]
    texts = [name for name in (label, day, group) if name]
    if first.startswith(_PARQUET):
        table = read_parquet(path, numbers, texts)
    else:
        table = read_csv(path, numbers, texts, packed=first.startswith(_GZIP))
    if weight:
        check_weights(table.numbers[weight], weight)
    labels, told, notes = positives_of(table.texts[label], label, positive)
    days, more = as_days(table.texts[day], day) if day else (None, ())
    return ScoreFile(
        Source(path.name, checksum, label, told, day, group, weight),
        labels,
        {name: table.numbers[name] for name in scores},
        days,
        as_numbers_or_texts(table.texts[group], group) if group else None,
        table.numbers[weight] if weight else None,
        notes + more,
    )


def evaluate_file(
    path: str | PathLike[str],
    scores: Sequence[str],
    label: str,
    *,
    day: str | None = None,
    group: str | None = None,
    weight: str | None = None,
    positive: str | None = None,
    budgets: object = (),
    base_rates: object = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    level: float = 0.95,
    n_replicates: int = 2000,
    seed: int = 0,
    progress: Progress = silent,
) -> Evaluation:
    """Judge the scores in a file, as `labkit evaluate` does.

    Parameters
    ----------
    path, scores, label, day, group, weight, positive
        As in `read_scores`.
    budgets, base_rates, cost_fp, cost_fn, level, n_replicates, seed, progress
        As in `labkit.evaluate`.

    Raises
    ------
    InputError
        As either does; options are called what the command calls them, and are checked before the
        file is read.
    """
    options = as_options(
        budgets=budgets,
        base_rates=base_rates,
        cost_fp=cost_fp,
        cost_fn=cost_fn,
        level=level,
        n_replicates=n_replicates,
        seed=seed,
        whole=weight is None,
        names=_FLAGS,
    )
    read = read_scores(path, scores, label, day=day, group=group, weight=weight, positive=positive)
    records = as_records(read.labels, read.scores, read.day, read.groups, read.weights, None)
    result = evaluate_records(records, options, progress)
    return replace(result, source=read.source, notes=read.notes + result.notes)


def _checksum_and_first_bytes(path: Path) -> tuple[str, bytes]:
    """Return the SHA-256 of a file's bytes, and the first of them."""
    digest, first = hashlib.sha256(), b""
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder; name a CSV or Parquet file")
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
    return digest.hexdigest(), first
