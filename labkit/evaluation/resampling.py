"""Resamples: every number of a detector on thousands of draws of its records, groups or days.

Of records without weights `labkit.metrics.bootstrap` makes them. All others are made here, from
how many records, or what weight of them, each unit that is drawn whole has at each score:

- With weights a unit is a record or a group of them.
- Of counts by day it is a day. The draws are those that the records of the days would get.
- Of counts in all it is a score: to draw records one by one and count how many have each score is
  to draw these counts from a multinomial distribution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from labkit.evaluation.draws import (
    as_one_resample,
    column,
    cuts_of,
    draws_of_scores,
    draws_of_units,
    limited,
    replicates_of,
)
from labkit.evaluation.evaluation import Resampling
from labkit.evaluation.options import Options
from labkit.evaluation.records import Records
from labkit.metrics import ThresholdSweep, bootstrap
from labkit.metrics.statistics import Statistic

Replicates = Mapping[str, np.ndarray]
"""Name of a statistic -> its value in every resample, shape (n_replicates,)."""
DaySweeps = Mapping[object, ThresholdSweep]
"""Day -> the sweep of its records, the days in order."""

# Scores that resamples of counts tell apart, at most; the estimate is of all of them.
_ROWS = 8192


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
    cuts = cuts_of(scores, statistics)
    classes = [
        draws_of_units(
            units[rows], scores[rows], records.weights[rows], is_attack, cuts, statistics
        )
        for is_attack, rows in ((True, labels), (False, ~labels))
    ]
    return replicates_of(cuts, classes, statistics, options)


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
    cuts = cuts_of(told_apart, statistics)
    classes = []
    for is_attack in (True, False):
        if by_day is None:
            one = draws_of_scores(sweep, is_attack, cuts, statistics)
        else:
            days = [column(of_day, is_attack) for of_day in by_day.values()]
            day = np.repeat(np.arange(len(days)), [len(of_day) for of_day in days])
            scores = np.concatenate([of_day.thresholds for of_day in by_day.values()])
            times = np.concatenate(days)
            has = times > 0
            one = draws_of_units(day[has], scores[has], times[has], is_attack, cuts, statistics)
        classes.append(one)
    replicates = replicates_of(cuts, classes, statistics, options)
    if len(told_apart) < len(sweep.thresholds):
        all_cuts = cuts_of(sweep.thresholds, statistics)
        fine, rough = (as_one_resample(sweep, rows) for rows in (all_cuts, cuts))
        for one in statistics:
            if one.of_resamples:
                moved = one.of_resamples(fine) - one.of_resamples(rough)
                replicates[one.name] = limited(one, replicates[one.name] + moved)
    return replicates


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
