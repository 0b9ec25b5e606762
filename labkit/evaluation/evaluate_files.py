"""An evaluation of a file: its records read one by one, or counted where they do not fit in memory.

Counting takes one pass, on this machine or on a cluster.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from joblib import parallel_config

from labkit.decisions import cost_threshold
from labkit.errors import InputError
from labkit.evaluation.bounds import Counts
from labkit.evaluation.calibration import EDGES
from labkit.evaluation.evaluate_counts import evaluate_counts
from labkit.evaluation.evaluate_records import Progress, evaluate_records, silent
from labkit.evaluation.evaluation import Evaluation, Source
from labkit.evaluation.options import Options, as_options
from labkit.evaluation.reading.columns import (
    Texts,
    as_days,
    is_missing,
    positive_labels,
    refuse_missing,
    require_columns,
)
from labkit.evaluation.reading.score_files import check_named, look_at, read_scores
from labkit.evaluation.records import as_records
from labkit.metrics.scalars import as_number
from labkit.scale import Judged, sweep_on_cluster, sweep_parquet
from labkit.scale.cluster import connected
from labkit.scale.files import Columns, parquet_files, parts_of, rows_of
from labkit.scale.plan import MAX_MEMORY
from labkit.scale.reading import readable

if TYPE_CHECKING:
    from distributed import Client

_FLAGS = {
    "budgets": "--budget",
    "base_rates": "--base-rate",
    "cost_fp": "--cost-fp",
    "cost_fn": "--cost-fn",
    "level": "--level",
    "n_replicates": "--replicates",
    "seed": "--seed",
}
# What a record takes to be judged with thousands of resamples, for each detector and besides.
_A_SCORE, _A_RECORD = 200, 200
# Counts take so many times more to be judged than to be held.
_JUDGED = 8


def evaluate_file(
    path: str | PathLike[str],
    scores: Sequence[str],
    label: str,
    *,
    day: str | None = None,
    group: str | None = None,
    weight: str | None = None,
    positive: str | None = None,
    max_memory: float = MAX_MEMORY,
    scheduler: str | None = None,
    progress: Progress = silent,
    **asked: object,
) -> Evaluation:
    """Judge the scores in a file, as `labkit evaluate` does.

    Records of Parquet files that do not fit in memory are not read one by one but counted: by
    score where there are few distinct scores, and everything is exact; else in bins of scores, and
    what that leaves open stands beside each number as its `bounds`. Intervals then draw counts,
    which of days is the same, and of single records has other luck.

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
    max_memory
        Bytes that may be used, about; what does not fit is counted.
    scheduler
        Address of a Dask scheduler, whose workers then count, or draw the resamples. They must see
        the files by the same paths. Numbers stay the same.
    progress
        As in `labkit.evaluate`.
    asked
        The budgets, base rates, costs, level, n_replicates and seed of `labkit.evaluate`.

    Raises
    ------
    InputError
        When an option cannot be, before the file is read and by the name it has in the command;
        when the file or a column is missing, or cannot be read as what it is meant to be.
    """
    options = as_options(whole=weight is None, names=_FLAGS, **asked)
    columns = {"day": day, "group": group, "weight": weight}
    with connected(scheduler) if scheduler is not None else nullcontext() as client:
        if not _fits_in_memory(path, len(scores), max_memory):
            if group:
                raise InputError(
                    f"--group {group}: groups are drawn of records in memory, and these do not "
                    "fit; leave it out, or allow more with --max-memory"
                )
            check_named(scores, label)
            found = look_at(Path(path))
            source = Source(Path(path).name, found.sha256, label, positive, day, None, weight)
            return _counted(found.files, source, scores, options, max_memory, client)
        read = read_scores(path, scores, label, **columns, positive=positive)
        records = as_records(read.labels, read.scores, read.day, read.groups, read.weights, None)
        with parallel_config("dask") if client else nullcontext(), warnings.catch_warnings():
            # The records fit in memory, and every worker needs them: there is nothing to mend.
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            result = evaluate_records(records, options, progress)
    return replace(result, source=read.source, notes=read.notes + result.notes)


def _fits_in_memory(path: str | PathLike[str], detectors: int, max_memory: float) -> bool:
    """Return whether records may be read and judged one by one; those of a CSV file always are.

    Parameters
    ----------
    path
        A file, or a folder of Parquet files.
    detectors
        How many are judged.
    max_memory
        Bytes that may be used.

    Raises
    ------
    InputError
        When `max_memory` is no number.
    """
    max_memory = as_number(max_memory, "max_memory")
    try:
        import pyarrow.parquet as pq

        rows = sum(pq.read_metadata(file).num_rows for file in parquet_files(path))
    except (ImportError, InputError, OSError, ValueError):
        # Whoever reads it will say what is wrong.
        return True
    return rows * (_A_SCORE * detectors + _A_RECORD) <= max_memory


def _counted(
    files: Sequence[Path],
    source: Source,
    scores: Sequence[str],
    options: Options,
    max_memory: float,
    client: Client | None,
) -> Evaluation:
    """Return the evaluation of Parquet files of any size.

    Parameters
    ----------
    files, source
        The files, and what their columns are called; its `positive` as it was asked for.
    scores
        Columns of scores, a detector each.
    options
        What is asked for.
    max_memory
        Bytes that may be used.
    client
        Of a Dask cluster that counts; None for this machine.

    Raises
    ------
    InputError
        On columns that are missing or cannot be what they are meant to be.
    """
    import pyarrow.parquet as pq

    wanted = Columns(scores, source.label, source.day, source.weight)
    for file in files:
        require_columns(file, pq.read_schema(file).names, wanted.names)
    labels = _label_counts(files, wanted)
    texts = list(map(str, labels))
    is_positive, told, notes = positive_labels(
        texts, list(labels.values()), source.label, source.positive
    )
    asked = {
        "score": scores,
        "label": source.label,
        "day": source.day,
        "weight": source.weight,
        "pos_label": _one_of(labels, is_positive, source.label, told),
        "max_memory": max_memory / _JUDGED,
        "thresholds": _edges(options),
    }
    if client is None:
        judged = sweep_parquet(files, **asked)
    else:
        judged = sweep_on_cluster(client, files, **asked)
    by_day, more = None, []
    if source.day:
        by_day, more = _by_day(judged, source.day)
    evaluation = evaluate_counts(
        judged.whole, {name: by_day and by_day[name] for name in scores}, options
    )
    how = f"Records were not read one by one, but counted: {judged.why}."
    return replace(
        evaluation,
        source=replace(source, positive=told),
        notes=(*notes, *more, how, *evaluation.notes),
    )


def _edges(options: Options) -> list[float]:
    """Return the scores at which counts must be known."""
    edges = list(EDGES)
    if options.cost_fp is not None:
        edges.append(cost_threshold(options.cost_fp, options.cost_fn))
    return edges


def _label_counts(files: Sequence[Path], columns: Columns) -> dict[object, int]:
    """Return how many records have each label."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts, label = parts_of(files, columns), columns.label
    counts: dict[object, int] = {}
    for part in parts:
        try:
            with pq.ParquetFile(part.path, read_dictionary=[label]) as file:
                for batch in file.iter_batches(row_groups=part.row_groups, columns=[label]):
                    with readable(batch[label], label):
                        pairs = batch[label].value_counts().tolist()
                    for pair in pairs:
                        value = pair["values"]
                        counts[value] = counts.get(value, 0) + pair["counts"]
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"{part.path} cannot be read ({error})") from None
    lacking = sum(
        count for value, count in counts.items() if value is None or is_missing(str(value))
    )
    refuse_missing(label, lacking, rows_of(parts))
    return counts


def _one_of(labels: Mapping[object, int], is_positive: np.ndarray, name: str, told: str) -> object:
    """Return the value that means attack, as the file holds it."""
    meant = [value for value, of in zip(labels, is_positive, strict=True) if of]
    if len(meant) > 1:
        raise InputError(
            f"column {name!r} writes {told!r} in several ways ({', '.join(map(repr, meant))}); "
            "write it in one"
        )
    if meant:
        return meant[0]
    # No record has it; so that it can be compared, of the type that the others have.
    other = next(iter(labels))
    return told if isinstance(other, str) else type(other)(not other)


def _by_day(judged: Judged, name: str) -> tuple[dict[str, dict[object, Counts]], list[str]]:
    """Return detector -> day -> counts, with days as they are called where records are read."""
    raw = list(judged.by_day)
    if any(is_missing(str(day)) for day in raw):
        raise InputError(
            f"column {name!r} is empty or NaN in some records; fill or drop them first"
        )
    named, notes = as_days(Texts(np.arange(len(raw)), list(map(str, raw))), name)
    days = dict(zip(named.tolist(), judged.by_day.values(), strict=True))
    if len(days) < len(raw):
        raise InputError(f"column {name!r} writes one day in several ways; write each in one")
    by_day = {
        detector: {day: days[day][detector] for day in sorted(days)} for detector in judged.whole
    }
    return by_day, notes
