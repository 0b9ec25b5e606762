"""A first cheap look at Parquet files, which decides how they are gone through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.metrics.scalars import as_number
from labkit.scale.bins import BINS
from labkit.scale.cuts import cuts_for
from labkit.scale.reading import first_block
from labkit.scale.sketch import checked_layout
from labkit.scale.source import Part, Source

Method = Literal["sort", "count", "sketch"]
MAX_MEMORY = 10**9
"""Bytes that exact answers may take, unless said otherwise."""
# Places of the files that are looked at, and how many records there.
_PLACES, _RECORDS = 16, 2**16
# What a record takes to be sorted, for each detector: its score, and that again among those of its
# class, by day once more; where weights are summed, an order and columns of sums. Besides, its
# label and day, and what is in use for a moment.
_SORTED, _BY_DAY, _WEIGHTED, _OTHER = 16, 8, 64, 16
# What a distinct score of a day takes to be counted: a row in a table, a hash, and a copy.
_COUNTED = 128


@dataclass(frozen=True)
class Plan:
    """How files are gone through, and why.

    Attributes
    ----------
    method
        "sort": all scores are held and sorted, exact. "count": records are counted by score,
        exact. "sketch": records are counted in bins, with bounds.
    why
        The reason, in words.
    bins
        How many bins a sketch may have; for a day it has a 32nd of them.
    cuts
        For each detector, the scores at which a bin begins besides.
    """

    method: Method
    why: str
    bins: int
    cuts: dict[str, np.ndarray]


def plan_for(
    source: Source,
    *,
    max_memory: float = MAX_MEMORY,
    bins: int = BINS,
    thresholds: ArrayLike = (),
) -> Plan:
    """Look at a few records from all over the files and decide.

    Parameters
    ----------
    source
        The files.
    max_memory
        Bytes that an exact answer may take. If the records themselves fit, they are sorted; if a
        table of their distinct scores does, as far as the look can tell, they are counted;
        otherwise they are sketched, which takes about 100 bytes a bin whatever their number. 0
        always sketches.
    bins
        How many bins a sketch may have.
    thresholds
        Scores at which a bin is to begin in any case.
    """
    max_memory = as_number(max_memory, "max_memory")
    if max_memory < 0:
        raise InputError(f"max_memory is {max_memory}; it must be a number of bytes, 0 or more")
    bins, thresholds = checked_layout(bins, thresholds, "thresholds")
    columns, rows = source.columns, source.rows
    a_score = _SORTED
    a_score += _WEIGHTED * (columns.weight is not None) + _BY_DAY * (columns.day is not None)
    held = rows * (len(columns.scores) * a_score + _OTHER)
    if held <= max_memory:
        why = f"{rows:,} records fit in memory"
        return Plan("sort", why, bins, dict.fromkeys(columns.scores, np.zeros(0)))
    labels, scores, days = _some(source)
    distinct = sum(_distinct(values, rows) for values in scores.values()) * days
    cuts = {
        name: np.union1d(thresholds, cuts_for(labels, values, bins=bins) if len(values) else ())
        for name, values in scores.items()
    }
    if distinct * _COUNTED <= max_memory:
        why = f"{rows:,} records have about {distinct:,.0f} distinct scores"
        return Plan("count", why, bins, cuts)
    why = f"{rows:,} records with about {distinct:,.0f} distinct scores do not fit in memory"
    return Plan("sketch", why, bins, cuts)


def _some(source: Source) -> tuple[np.ndarray, dict[str, np.ndarray], int]:
    """Return labels and scores of some records, from all over the files, and their days' number."""
    groups = [(part.path, group) for part in source.parts for group in part.row_groups]
    chosen = np.unique(np.linspace(0, len(groups) - 1, _PLACES).astype(int))
    parts = [Part(groups[i][0], (groups[i][1],), 0) for i in chosen]
    # Blocks at fault are passed over here: whoever reads all records counts the faults.
    looked = [block for block in (first_block(source, part, _RECORDS) for part in parts) if block]
    scores = {
        name: np.concatenate([np.zeros(0), *(block.scores[name] for block in looked)])
        for name in source.columns.scores
    }
    labels = np.concatenate([np.zeros(0, bool), *(block.labels for block in looked)])
    days = {day for block in looked for day in block.days or ()}
    return labels, scores, max(len(days), 1)


def _distinct(scores: np.ndarray, rows: int) -> float:
    """Return about how many distinct scores there are, from some of them.

    Of what comes next, the share that was never seen before is about the share of the seen that
    were seen once (Good 1953, Biometrika 40, 237-264). All of these would be distinct at most.
    """
    _, times = np.unique(scores, return_counts=True)
    unseen = np.count_nonzero(times == 1) / max(len(scores), 1)
    return len(times) + rows * unseen
