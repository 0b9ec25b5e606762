"""Resamples: every number of a detector on thousands of draws of its records, groups or days.

Of records without weights `labkit.metrics.bootstrap` makes them. All others are made here, from
how many records, or what weight of them, each unit that is drawn whole has at each score:

- With weights a unit is a record or a group of them.
- Of counts by day it is a day. The draws are those that the records of the days would get.
- Of counts in all it is a score: to draw records one by one and count how many have each score is
  to draw these counts from a multinomial distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from labkit.evaluation.evaluation import Resampling
from labkit.evaluation.options import Options
from labkit.evaluation.records import Records
from labkit.metrics import ThresholdSweep, bootstrap
from labkit.metrics.statistics import Resamples, Statistic

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Replicates = Mapping[str, np.ndarray]
"""Name of a statistic -> its value in every resample, shape (n_replicates,)."""
DaySweeps = Mapping[object, ThresholdSweep]
"""Day -> the sweep of its records, the days in order."""

# Scores that resamples of counts tell apart, at most; the estimate is of all of them.
_ROWS = 8192
# Counts of one class that are drawn in one go: bounds the memory.
_CELLS = 2**22


def resampling_of_records(records: Records, options: Options) -> Resampling:
    """Return what can be drawn of records, or why nothing can.

    Each class is drawn from its own records, days or groups; of these it needs two, since one drawn
    again and again is always the same.
    """
    if records.drawn is None:
        drawn = len(records.labels)
        each = np.count_nonzero(records.labels), np.count_nonzero(~records.labels)
    else:
        codes, names = records.drawn
        drawn = len(names)
        each = (len(np.unique(codes[one])) for one in (records.labels, ~records.labels))
    return _resampling(records.unit, drawn, min(each), options)


def resampling_of_counts(
    sweep: ThresholdSweep, by_day: DaySweeps | None, options: Options
) -> Resampling:
    """Return what can be drawn of counts, or why nothing can."""
    if by_day is None:
        records, least = sweep.positives + sweep.negatives, min(sweep.positives, sweep.negatives)
        why = (
            None
            if sweep.counts_records
            else "records have weights, and how many they are is not known"
        )
        return _resampling("records", records, least, options, why)
    each = (
        sum(1 for day in by_day.values() if getattr(day, of_class))
        for of_class in ("positives", "negatives")
    )
    return _resampling("days", len(by_day), min(each), options)


def _resampling(
    unit: str, drawn: float, least: float, options: Options, reason: str | None = None
) -> Resampling:
    """Return what is drawn; `least` is how many units hold the rarer class."""
    if not options.n_replicates:
        reason = "no resamples were asked for"
    elif not least:
        reason = "one class only: there is nothing to draw from in the other"
    elif least == 1 and unit != "records":
        reason = f"one class lies in one of the {unit} only: draws could not differ"
    return Resampling(unit, int(drawn), options.n_replicates, options.seed, reason)


def replicates_of_records(
    records: Records, detector: str, statistics: Sequence[Statistic], options: Options
) -> Replicates:
    """Return every number of one detector on every resample.

    The draws hang on the seed and the records alone: those of two detectors are the same, and their
    differences paired.

    Parameters
    ----------
    records
        Of both classes, as `resampling_of_records` found.
    detector
        Which.
    statistics
        What to measure.
    options
        Number and seed of the draws.
    """
    labels, scores = records.labels, records.scores[detector]
    groups = None if records.drawn is None else records.drawn.codes
    if records.weights is None:
        result = bootstrap(
            labels, {detector: scores}, statistics, groups=groups,
            n_replicates=options.n_replicates, seed=options.seed,
        )  # fmt: skip
        return {one.name: result.of(detector, one.name) for one in statistics}
    units = np.arange(len(labels)) if groups is None else groups
    cuts = _cuts(scores, statistics)
    classes = [
        _units_of(units[rows], scores[rows], records.weights[rows], is_attack, cuts, statistics)
        for is_attack, rows in ((True, labels), (False, ~labels))
    ]
    return _replicates(cuts, classes, statistics, options)


def replicates_of_counts(
    sweep: ThresholdSweep,
    by_day: DaySweeps | None,
    statistics: Sequence[Statistic],
    options: Options,
) -> Replicates:
    """Return every number of one detector on every resample.

    Of two detectors with the same days the draws of days are the same. Where there are more
    distinct scores than resamples tell apart, several of them make a row; by what that changes the
    number itself, its replicates are moved back.

    Parameters
    ----------
    sweep, by_day
        Of both classes, as `resampling_of_counts` found; the days add up to the sweep.
    statistics
        What to measure.
    options
        Number and seed of the draws.
    """
    told_apart = _told_apart(sweep)
    cuts = _cuts(told_apart, statistics)
    classes = []
    for is_attack in (True, False):
        if by_day is None:
            one = _scores_of(sweep, is_attack, cuts, statistics)
        else:
            days = [_column(of_day, is_attack) for of_day in by_day.values()]
            day = np.repeat(np.arange(len(days)), [len(of_day) for of_day in days])
            scores = np.concatenate([of_day.thresholds for of_day in by_day.values()])
            times = np.concatenate(days)
            has = times > 0
            one = _units_of(day[has], scores[has], times[has], is_attack, cuts, statistics)
        classes.append(one)
    replicates = _replicates(cuts, classes, statistics, options)
    if len(told_apart) < len(sweep.thresholds):
        all_cuts = _cuts(sweep.thresholds, statistics)
        fine, rough = (_resamples_of(sweep, rows) for rows in (all_cuts, cuts))
        for one in statistics:
            if one.of_resamples:
                moved = one.of_resamples(fine) - one.of_resamples(rough)
                replicates[one.name] = _limited(one, replicates[one.name] + moved)
    return replicates


class _Class(NamedTuple):
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


def _units_of(
    units: np.ndarray,
    scores: np.ndarray,
    weights: np.ndarray,
    is_attack: bool,
    cuts: np.ndarray,
    statistics: Sequence[Statistic],
) -> _Class:
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

    return _Class(counts, np.array(losses).reshape(-1, count), draw)


def _scores_of(
    sweep: ThresholdSweep, is_attack: bool, cuts: np.ndarray, statistics: Sequence[Statistic]
) -> _Class:
    """Return a class whose rows of scores are drawn, each as likely as it has records."""
    from scipy.sparse import csr_array

    times = _column(sweep, is_attack)
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
    return _Class(every, np.array(losses).reshape(-1, len(cuts)), draw)


def _replicates(
    cuts: np.ndarray, classes: Sequence[_Class], statistics: Sequence[Statistic], options: Options
) -> dict[str, np.ndarray]:
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
                found[one.name].append(_limited(one, one.of_resamples(resamples)))
        lost = sum(one.losses @ often for one, often in zip(classes, times, strict=True))
        records = resamples.tp[-1] + resamples.negatives
        for name, of_one in zip(means, lost / records, strict=True):
            found[name].append(of_one)
    return {name: np.concatenate(values) for name, values in found.items()}


def _limited(statistic: Statistic, values: np.ndarray) -> np.ndarray:
    """Return replicates, areas and shares of a budget within [0, 1], past which rounding leads."""
    return values if statistic.thresholds else np.clip(values, 0, 1)


def _cuts(scores: np.ndarray, statistics: Sequence[Statistic]) -> np.ndarray:
    """Return the scores at which rows end, descending: all given, and those of the statistics."""
    return np.union1d(scores, [cut for one in statistics for cut in one.thresholds])[::-1]


def _told_apart(sweep: ThresholdSweep) -> np.ndarray:
    """Return the distinct scores, or some of them where they are many."""
    if len(sweep.thresholds) <= _ROWS:
        return sweep.thresholds
    # As many by the attacks, which areas hang on, as by alerts, which budgets do.
    ends = np.linspace(0, sweep.positives, _ROWS // 2)
    few_to_all = np.geomspace(sweep.alerts[0], sweep.alerts[-1], _ROWS // 2)
    rows = np.union1d(np.searchsorted(sweep.tp, ends), np.searchsorted(sweep.alerts, few_to_all))
    last = len(sweep.thresholds) - 1
    return sweep.thresholds[np.union1d(rows[rows < last], last)]


def _row_of(scores: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    rows = len(cuts) - np.searchsorted(cuts[::-1], scores, side="right")
    # A bin of a day may begin below all bins of the whole.
    return np.minimum(rows, len(cuts) - 1)


def _column(sweep: ThresholdSweep, is_attack: bool) -> np.ndarray:
    """Return how many records of a class have each score, or what weight of them."""
    return np.diff(sweep.tp if is_attack else sweep.fp, prepend=0)


def _losses(
    scores: np.ndarray, is_attack: bool, statistics: Sequence[Statistic]
) -> list[np.ndarray]:
    """Return what a record of each score adds to each mean over records."""
    labels = np.full(len(scores), is_attack)
    return [one.of_records(labels, scores, "scores") for one in statistics if one.of_records]


def _resamples_of(sweep: ThresholdSweep, cuts: np.ndarray) -> Resamples:
    """Return the records as they are, as one resample."""
    rows = _row_of(sweep.thresholds, cuts)
    columns = (np.bincount(rows, _column(sweep, one), len(cuts)) for one in (True, False))
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
