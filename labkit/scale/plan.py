"""How Parquet files are gone through, decided by a first cheap look at some of their records.

Among it, where bins are to be narrower than they come: about evenly wide on a logarithmic scale.
Most scores lie well in such bins; but half of the records may share one score amid others, or crowd
within a millionth below 1. There one bin would hold so many that its bounds say little. Bins are
cut where such a crowd begins, ends, and between.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.metrics.inputs import as_labels, as_scores, check_lengths
from labkit.metrics.scalars import as_number
from labkit.scale.bins import BINS, bins_of, limited
from labkit.scale.files import Columns, Part, rows_of
from labkit.scale.keys import floors, keys_of, scores_of, splits_of
from labkit.scale.reading import blocks
from labkit.scale.sketch import checked_layout
from labkit.scale.tally import Labels

Method = Literal["sort", "count", "sketch"]
MAX_MEMORY = 10**9
"""Bytes that exact answers may take, unless said otherwise."""
# Places of the files that are looked at, and how many records there.
_PLACES, _RECORDS = 16, 2**16
# What a record takes to be sorted, for each detector: its score, and that again among those of its
# class, by day once more; where weights are summed, an order and columns of sums. Besides, its
# label and day, and what is in use for a moment.
_SORTED, _BY_DAY, _WEIGHTED, _OTHER = 16, 8, 64, 16
# Days of which each has as many times fewer bins than the whole; of more days each has fewer still.
_DAYS = 32
# What a distinct score of a day takes to be counted: a row in a table, a hash, and a copy.
_COUNTED = 128
# Stretches of even numbers of attacks, and of normal records, between which may be cut.
_STRETCHES = 4096
# A bin is a crowd where it holds one in so many of the attacks or of the normal records, and these
# are no accident ...
_CROWD, _FEWEST = 1024, 4
# ... among so many times fewer bins than there may be, since more records make bins coarser.
_COARSER = 8


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
    bins, day_bins
        How many bins a sketch may have, and that of a day: a 32nd of them, or fewer where there are
        more days, so that all days take no more than the whole.
    cuts
        For each detector, the scores at which a bin begins besides.
    """

    method: Method
    why: str
    bins: int
    day_bins: int
    cuts: dict[str, np.ndarray]


def plan_for(
    columns: Columns, parts: list[Part], max_memory: float, bins: int, thresholds: ArrayLike
) -> Plan:
    """Look at a few records from all over the files and decide.

    Parameters
    ----------
    columns, parts
        What is to be gone through.
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
    rows = rows_of(parts)
    a_score = _SORTED
    a_score += _WEIGHTED * (columns.weight is not None) + _BY_DAY * (columns.day is not None)
    if rows * (len(columns.scores) * a_score + _OTHER) <= max_memory:
        why = f"the scores of {rows:,} records could be sorted in memory"
        cuts = dict.fromkeys(columns.scores, thresholds)
        return Plan("sort", why, bins, max(1, bins // _DAYS), cuts)
    labels, scores, days = _some(columns, parts)
    day_bins = max(1, bins // max(_DAYS, days))
    # A score of two days is counted twice.
    distinct = sum(min(_distinct(values, rows) * days, rows) for values in scores.values())
    cuts = {
        name: np.union1d(thresholds, cuts_for(labels, values, bins=bins) if len(values) else ())
        for name, values in scores.items()
    }
    if distinct * _COUNTED <= max_memory:
        why = f"{rows:,} records have about {distinct:,.0f} distinct scores"
        return Plan("count", why, bins, day_bins, cuts)
    why = f"{rows:,} records have too many distinct scores to count each"
    return Plan("sketch", why, bins, day_bins, cuts)


def cuts_for(
    y_true: ArrayLike, y_score: ArrayLike, *, bins: int = BINS, pos_label: object = None
) -> np.ndarray:
    """Return scores at which bins should begin besides.

    Parameters
    ----------
    y_true, y_score
        Labels and scores of some of the records, from all over the data, shape (n,): a million are
        plenty. More attacks among them make finer cuts.
    bins
        How many bins the sketch may have.
    pos_label
        The label that means attack, where labels are not booleans, 0/1 or -1/1.

    Returns
    -------
    numpy.ndarray
        Scores, ascending: none where no bin would be crowded.

    Raises
    ------
    InputError
        On NaN scores, missing labels, unequal lengths.

    Examples
    --------
    A score that half of the records share is cut off from what lies below it and above:

    >>> rng = np.random.default_rng(0)
    >>> labels, scores = rng.random(10_000) < 0.5, rng.random(10_000)
    >>> scores[:5000] = 0.7
    >>> cuts_for(labels, scores, bins=2**16).tolist()
    [0.7, 0.7000000000000001]
    """
    labels, scores = as_labels(y_true, pos_label), as_scores(y_score)
    check_lengths(y_true=labels, y_score=scores)
    none = splits_of(np.zeros(0))
    of_class = [np.sort(keys_of(scores[of])) for of in (labels, ~labels) if of.any()]
    seen = bins_of(keys_of(scores), labels, None, none)
    depth = limited(seen, max(1, bins // _COARSER)).depth
    cuts = [none]
    for keys in of_class:
        # At even numbers of records; where many share a key, it comes up more than once.
        at = np.linspace(0, len(keys) - 1, min(_STRETCHES, len(keys))).astype(int)
        ends, times = np.unique(keys[at], return_counts=True)
        lowest = floors(keys, depth, none)
        first, last = (
            np.searchsorted(lowest, floors(ends, depth, none), side) for side in ("left", "right")
        )
        crowded = last - first >= max(_FEWEST, len(keys) / _CROWD)
        cuts += [ends[crowded], ends[crowded & (times > 1)] + np.uint64(1)]
    return scores_of(np.unique(np.concatenate(cuts)))


def _some(columns: Columns, parts: list[Part]) -> tuple[np.ndarray, dict[str, np.ndarray], int]:
    """Return labels and scores of some records, from all over the files, and their days' number."""
    groups = [(part.path, group) for part in parts for group in part.row_groups]
    chosen = np.unique(np.linspace(0, len(groups) - 1, _PLACES).astype(int))
    looked = []
    for path, group in (groups[i] for i in chosen):
        # Blocks at fault are passed over here: whoever reads all records counts the faults.
        here = [Part(path, (group,), 0)], Labels(columns.pos_label, columns.label), Counter()
        looked += islice(blocks(columns, *here, _RECORDS), 1)
    scores = {
        name: np.concatenate([np.zeros(0), *(block.scores[name] for block in looked)])
        for name in columns.scores
    }
    labels = np.concatenate([np.zeros(0, bool), *(block.labels for block in looked)])
    days = {day for block in looked for day in block.days}
    return labels, scores, max(len(days), 1)


def _distinct(scores: np.ndarray, rows: int) -> float:
    """Return about how many distinct scores there are, from some of them.

    Of what comes next, the share that was never seen before is about the share of the seen that
    were seen once (Good 1953, Biometrika 40, 237-264). All of these would be distinct at most.
    """
    _, times = np.unique(scores, return_counts=True)
    unseen = np.count_nonzero(times == 1) / max(len(scores), 1)
    return len(times) + rows * unseen
