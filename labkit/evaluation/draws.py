"""Draws of how many records, or what weight of them, have each score, and what is read off them.

Scores lie in rows between cuts, as in `labkit.metrics.statistics.Resamples`. A row takes the scores
from its cut up to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from labkit.evaluation.options import Options
from labkit.metrics import ThresholdSweep
from labkit.metrics.statistics import Resamples, Statistic

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Counts of one class that are drawn in one go: bounds the memory.
_CELLS = 2**22


class Draws(NamedTuple):
    """The records of one class, by the u units that are drawn.

    Attributes
    ----------
    counts
        How many records, or what weight, each unit has in each of c rows of scores, shape (c, u).
    losses
        What it adds to each mean over records, shape (s, u).
    draw
        From a generator and a number of draws b to how often each drew each unit, shape (u, b).
    """

    counts: csr_array
    losses: np.ndarray
    draw: Callable[[np.random.Generator, int], np.ndarray]


def draws_of_units(
    units: np.ndarray,
    scores: np.ndarray,
    weights: np.ndarray,
    is_attack: bool,
    cuts: np.ndarray,
    statistics: Sequence[Statistic],
) -> Draws:
    """Return a class whose records, or counts of them, lie in units; all arrays of shape (n,)."""
    from scipy.sparse import csr_array

    units = np.unique(units, return_inverse=True)[1]
    count = units.max() + 1
    counts = csr_array((weights, (_row_of(scores, cuts), units)), shape=(len(cuts), count))
    losses = [
        np.bincount(units, weights * of_records)
        for of_records in _losses(scores, is_attack, statistics)
    ]

    def draw(rng: np.random.Generator, size: int) -> np.ndarray:
        drawn = rng.integers(0, count, (size, count)) + np.arange(0, size * count, count)[:, None]
        return np.bincount(drawn.ravel(), minlength=size * count).reshape(size, count).T

    return Draws(counts, np.array(losses).reshape(-1, count), draw)


def draws_of_scores(
    sweep: ThresholdSweep, is_attack: bool, cuts: np.ndarray, statistics: Sequence[Statistic]
) -> Draws:
    """Return a class whose rows of scores are drawn, each as likely as it has records."""
    from scipy.sparse import csr_array

    times = column(sweep, is_attack)
    # Not of scores that no record of the class has: there a loss may be infinite.
    has = times > 0
    scores, times = sweep.thresholds[has], times[has]
    rows = _row_of(scores, cuts)
    counts = np.bincount(rows, times, len(cuts))
    losses = [
        np.bincount(rows, times * of_score, len(cuts)) / np.maximum(counts, 1)
        for of_score in _losses(scores, is_attack, statistics)
    ]
    n = int(counts.sum())

    def draw(rng: np.random.Generator, size: int) -> np.ndarray:
        return rng.multinomial(n, counts / n, size).T

    # A unit is a row, and has one record in it.
    every = csr_array((np.ones(len(cuts), np.int64), (np.arange(len(cuts)),) * 2))
    return Draws(every, np.array(losses).reshape(-1, len(cuts)), draw)


def replicates_of(
    cuts: np.ndarray, classes: Sequence[Draws], statistics: Sequence[Statistic], options: Options
) -> dict[str, np.ndarray]:
    """Return statistics, by name, of draws of attacks and of normal records, apart."""
    found: dict[str, list[np.ndarray]] = {one.name: [] for one in statistics}
    means = [one.name for one in statistics if one.of_records]
    # A generator each, as `labkit.metrics.bootstrap` has.
    rngs = np.random.default_rng(options.seed).spawn(2)
    at_once = max(1, _CELLS // max(max(one.counts.shape) for one in classes))
    for first in range(0, options.n_replicates, at_once):
        size = min(at_once, options.n_replicates - first)
        times = [one.draw(rng, size) for one, rng in zip(classes, rngs, strict=True)]
        gained, passed = (one.counts @ often for one, often in zip(classes, times, strict=True))
        resamples = _resamples(cuts, gained, passed)
        for one in statistics:
            if one.of_resamples:
                found[one.name].append(limited(one, one.of_resamples(resamples)))
        lost = sum(one.losses @ often for one, often in zip(classes, times, strict=True))
        records = resamples.tp[-1] + resamples.negatives
        for name, of_one in zip(means, lost / records, strict=True):
            found[name].append(of_one)
    return {name: np.concatenate(values) for name, values in found.items()}


def limited(statistic: Statistic, values: np.ndarray) -> np.ndarray:
    """Return replicates, areas and shares of a budget within [0, 1], past which rounding leads."""
    return values if statistic.thresholds else np.clip(values, 0, 1)


def cuts_of(scores: np.ndarray, statistics: Sequence[Statistic]) -> np.ndarray:
    """Return the scores at which rows end, descending: all given, and those of the statistics."""
    return np.union1d(scores, [cut for one in statistics for cut in one.thresholds])[::-1]


def _row_of(scores: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    rows = len(cuts) - np.searchsorted(cuts[::-1], scores, side="right")
    # A bin of a day may begin below all bins of the whole.
    return np.minimum(rows, len(cuts) - 1)


def column(sweep: ThresholdSweep, is_attack: bool) -> np.ndarray:
    """Return how many records of a class have each score, or what weight of them."""
    return np.diff(sweep.tp if is_attack else sweep.fp, prepend=0)


def _losses(
    scores: np.ndarray, is_attack: bool, statistics: Sequence[Statistic]
) -> list[np.ndarray]:
    """Return what a record of each score adds to each mean over records."""
    labels = np.full(len(scores), is_attack)
    return [one.of_records(labels, scores, "scores") for one in statistics if one.of_records]


def as_one_resample(sweep: ThresholdSweep, cuts: np.ndarray) -> Resamples:
    """Return the records as they are, as one resample."""
    rows = _row_of(sweep.thresholds, cuts)
    columns = (np.bincount(rows, column(sweep, one), len(cuts)) for one in (True, False))
    return _resamples(cuts, *(column[:, None] for column in columns))


def _resamples(cuts: np.ndarray, gained: np.ndarray, passed: np.ndarray) -> Resamples:
    """Return what statistics read, of attacks and normal records in each row, shape (c, b)."""
    fp = passed.cumsum(axis=0)
    nobody = np.zeros(0, dtype=np.intp)
    return Resamples(
        cuts=cuts,
        gained=gained,
        tp=gained.cumsum(axis=0),
        fp_above=fp - passed,
        fp=fp,
        negatives=fp[-1],
        # Single records, which no statistic here asks for.
        labels=nobody,
        cut_of=nobody,
        drawn=nobody,
    )
