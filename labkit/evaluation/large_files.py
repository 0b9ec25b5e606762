"""Parquet files whose records do not fit in memory: counted, on this machine or on a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from labkit.decisions import cost_threshold
from labkit.errors import InputError
from labkit.evaluation.bounds import Counts
from labkit.evaluation.columns import (
    Texts,
    as_days,
    is_missing,
    positive_labels,
    refuse_missing,
    require_columns,
)
from labkit.evaluation.count_calibration import EDGES
from labkit.evaluation.counts import evaluate_counts
from labkit.evaluation.evaluation import Evaluation, Source
from labkit.evaluation.options import Options
from labkit.metrics.scalars import as_number
from labkit.scale import Judged, sweep_on_cluster, sweep_parquet
from labkit.scale.files import Columns, parquet_files, parts_of, rows_of
from labkit.scale.reading import readable

if TYPE_CHECKING:
    from distributed import Client

# What a record takes to be judged with thousands of resamples, for each detector and besides.
_A_SCORE, _A_RECORD = 200, 200
# Counts take so many times more to be judged than to be held.
_JUDGED = 8


def fits_in_memory(path: str | PathLike[str], detectors: int, max_memory: float) -> bool:
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


def evaluate_large(
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
    by_day, more = None, ()
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


def _by_day(judged: Judged, name: str) -> tuple[dict[str, dict[object, Counts]], tuple[str, ...]]:
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
