"""Labels and scores from a file: CSV, packed with gzip or not, or Parquet.

Records are counted from 1, the header left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

import numpy as np
from joblib import parallel_config

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
from labkit.evaluation.file_kinds import look_at
from labkit.evaluation.large_files import evaluate_large, fits_in_memory
from labkit.evaluation.options import as_options
from labkit.evaluation.parquet_files import read_parquet
from labkit.evaluation.records import as_records
from labkit.scale.cluster import connected
from labkit.scale.plan import MAX_MEMORY

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
        A CSV file in UTF-8 with a header (comma, semicolon or tab), packed with gzip or not, a
        Parquet file, or a folder of these.
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
    days, more = as_days(table.texts[day], day) if day else (None, ())
    return ScoreFile(
        Source(path.name, found.sha256, label, told, day, group, weight),
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
    max_memory: float = MAX_MEMORY,
    scheduler: str | None = None,
    progress: Progress = silent,
) -> Evaluation:
    """Judge the scores in a file, as `labkit evaluate` does.

    Records of Parquet files that do not fit in memory are not read one by one but counted: by
    score where there are few distinct scores, and everything is exact; else in bins of scores, and
    what that leaves open stands beside each number as its `bounds`. Intervals then draw counts,
    which of days is the same, and of single records has other luck.

    Parameters
    ----------
    path, scores, label, day, group, weight, positive
        As in `read_scores`.
    budgets, base_rates, cost_fp, cost_fn, level, n_replicates, seed, progress
        As in `labkit.evaluate`.
    max_memory
        Bytes that may be used, about; what does not fit is counted.
    scheduler
        Address of a Dask scheduler, whose workers then count, or draw the resamples. They must see
        the files by the same paths. Numbers stay the same.

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
    columns = {"day": day, "group": group, "weight": weight}
    with connected(scheduler) if scheduler is not None else nullcontext() as client:
        if not fits_in_memory(path, len(scores), max_memory):
            if group:
                raise InputError(
                    f"--group {group}: groups are drawn of records in memory, and these do not "
                    "fit; leave it out, or allow more with --max-memory"
                )
            found = look_at(Path(path))
            source = Source(Path(path).name, found.sha256, label, positive, day, None, weight)
            return evaluate_large(found.files, source, scores, options, max_memory, client)
        read = read_scores(path, scores, label, **columns, positive=positive)
        records = as_records(read.labels, read.scores, read.day, read.groups, read.weights, None)
        with parallel_config("dask") if client else nullcontext():
            result = evaluate_records(records, options, progress)
    return replace(result, source=read.source, notes=read.notes + result.notes)
