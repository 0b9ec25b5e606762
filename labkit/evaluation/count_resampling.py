"""Resamples of records of which only the counts are known, in all or by day.

To draw records one by one and count how many have each score is to draw those counts, from a
multinomial distribution. To draw whole days is to add up the counts of the days drawn, and gives
what drawing the records of those days would.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from labkit.evaluation.evaluation import Resampling
from labkit.evaluation.options import Options
from labkit.evaluation.quantities import Quantity
from labkit.evaluation.resampling import Replicates
from labkit.metrics import ThresholdSweep
from labkit.metrics.statistics import Resamples, Statistic

# Scores that are told apart in resamples, at most; the estimate is of all of them.
_ROWS = 8192
# Counts of one class that are drawn in one go: bounds the memory.
_CELLS = 2**22

Days = Mapping[object, ThresholdSweep] | None
"""Day -> the sweep of its records, the days in order; None where none is known."""


def resampling_of_counts(sweep: ThresholdSweep, by_day: Days, options: Options) -> Resampling:
    """Return what can be drawn of counts, or why nothing can."""
    unit, drawn = "records", sweep.positives + sweep.negatives
    units = sweep.positives, sweep.negatives
    if by_day is not None:
        unit, drawn = "days", len(by_day)
        units = [
            sum(1 for day in by_day.values() if getattr(day, of_class))
            for of_class in ("positives", "negatives")
        ]
    reason = None
    if not options.n_replicates:
        reason = "no resamples were asked for"
    elif not min(units):
        reason = "one class only: there is nothing to draw from in the other"
    elif unit == "days" and min(units) == 1:
        reason = "one class lies in one of the days only: draws could not differ"
    elif unit == "records" and not sweep.counts_records:
        reason = "records have weights, and how many they are is not known"
    return Resampling(unit, int(drawn), options.n_replicates, options.seed, reason)


def replicates_of_counts(
    sweep: ThresholdSweep,
    by_day: Days,
    quantities: Sequence[Quantity],
    losses: Sequence[Statistic],
    options: Options,
) -> Replicates:
    """Return every number of one detector on every resample.

    Of two detectors with the same days the draws of days are the same, and those of
    `labkit.metrics.bootstrap` with days as its groups. Where there are more distinct scores than
    resamples tell apart, several of them make a row; by what that changes the number itself, its
    replicates are moved back.

    Parameters
    ----------
    sweep, by_day
        Of both classes, as `resampling_of_counts` found; the days add up to the sweep.
    quantities
        Numbers of a ranking.
    losses
        Means over records, such as `labkit.metrics.statistics.brier`.
    options
        Number and seed of the draws.
    """
    # A budget of weights has no statistic.
    measured = [one for one in quantities if one.statistic.of_resamples is not None]
    cuts = _cuts(sweep, [score for one in measured for score in one.statistic.thresholds])
    parts = [sweep] if by_day is None else list(by_day.values())
    attacks, normals = (_class(parts, cuts, losses, attacks) for attacks in (True, False))
    if not sweep.counts_records:
        attacks, normals = _scaled(attacks, normals)
    whole = _resamples(cuts, *(one.counts.sum(axis=0)[None] for one in (attacks, normals)))
    found: dict[str, list[np.ndarray]] = {one.name: [] for one in [*measured, *losses]}
    # A generator each, as `labkit.metrics.bootstrap` has.
    rngs = np.random.default_rng(options.seed).spawn(2)
    at_once = max(1, _CELLS // len(cuts))
    for first in range(0, options.n_replicates, at_once):
        size = min(at_once, options.n_replicates - first)
        gained, lost_on_attacks = _drawn(attacks, rngs[0], size)
        passed, lost_on_normals = _drawn(normals, rngs[1], size)
        resamples = _resamples(cuts, gained, passed)
        for one in measured:
            found[one.name].append(one.statistic.of_resamples(resamples))
        records = resamples.tp[-1] + resamples.negatives
        lost = (lost_on_attacks + lost_on_normals) / records[:, None]
        for loss, of_one in zip(losses, lost.T, strict=True):
            found[loss.name].append(of_one)
    replicates = {name: np.concatenate(values) for name, values in found.items()}
    for one in measured:
        moved = one.of_sweep(sweep) - one.statistic.of_resamples(whole)[0]
        replicates[one.name] += moved
        if not one.statistic.thresholds:
            # Shares all, which rows of several scores could carry past 1.
            np.clip(replicates[one.name], 0, 1, out=replicates[one.name])
    return replicates


class _Class(NamedTuple):
    """The records of one class.

    Attributes
    ----------
    counts
        How many lie in each of c rows, of all records or of each day; shape (parts, c).
    losses
        What they lose: the mean in each row, shape (c, s), or of days the sum, shape (parts, s).
    """

    counts: np.ndarray
    losses: np.ndarray


def _cuts(sweep: ThresholdSweep, wanted: Sequence[float]) -> np.ndarray:
    """Return the scores at which rows end, descending: the distinct ones, or some of them."""
    rows = np.arange(len(sweep.thresholds))
    if len(rows) > _ROWS:
        # As many by the attacks, which areas hang on, as by alerts, which budgets do.
        ends = np.linspace(0, sweep.positives, _ROWS // 2)
        few_to_all = np.geomspace(sweep.alerts[0], sweep.alerts[-1], _ROWS // 2)
        rows = np.union1d(
            np.searchsorted(sweep.tp, ends), np.searchsorted(sweep.alerts, few_to_all)
        )
        rows = np.union1d(rows[rows < len(sweep.thresholds)], len(sweep.thresholds) - 1)
    return np.union1d(sweep.thresholds[rows], wanted)[::-1]


def _class(
    parts: Sequence[ThresholdSweep], cuts: np.ndarray, losses: Sequence[Statistic], attacks: bool
) -> _Class:
    """Return the records of a class in rows of their scores."""
    counts, lost = [], []
    for part in parts:
        of_score = np.diff(part.tp if attacks else part.fp, prepend=0)
        if not of_score.any():
            continue
        row = len(cuts) - np.searchsorted(cuts[::-1], part.thresholds, side="right")
        # A bin of a day may begin below all bins of the whole.
        row = np.minimum(row, len(cuts) - 1)
        counts.append(np.bincount(row, of_score, len(cuts)))
        # Not of scores that no record of the class has: there a loss may be infinite.
        has = of_score > 0
        labels, scores = np.full(np.count_nonzero(has), attacks), part.thresholds[has]
        of_rows = [
            np.bincount(
                row[has], of_score[has] * loss.of_records(labels, scores, "scores"), len(cuts)
            )
            for loss in losses
        ]
        lost.append(np.array(of_rows).reshape(len(losses), len(cuts)).T)
    if len(parts) == 1:
        means = np.divide(lost[0], counts[0][:, None], where=counts[0][:, None] > 0, out=lost[0])
        return _Class(np.array(counts), means)
    return _Class(np.array(counts), np.array(lost).sum(axis=1))


def _scaled(*classes: _Class) -> list[_Class]:
    """Return weights of about 1 in all, so that no product of two leaves float64.

    By a power of two, which rounds nothing; every number is a ratio of weights.
    """
    exponent = math.frexp(max(one.counts.sum().item() for one in classes))[1]
    return [_Class(*(np.ldexp(column, -exponent) for column in one)) for one in classes]


def _drawn(of_class: _Class, rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the counts of some draws, shape (size, c), and what is lost in all, (size, s)."""
    parts = len(of_class.counts)
    if parts == 1:
        (counts,) = of_class.counts
        drawn = rng.multinomial(int(counts.sum()), counts / counts.sum(), size)
        return drawn, drawn @ of_class.losses
    days = rng.integers(0, parts, (size, parts)) + np.arange(0, size * parts, parts)[:, None]
    times = np.bincount(days.ravel(), minlength=size * parts).reshape(size, parts)
    return times @ of_class.counts, times @ of_class.losses


def _resamples(cuts: np.ndarray, gained: np.ndarray, passed: np.ndarray) -> Resamples:
    """Return what statistics read, of attacks and normal records in each row, shape (b, c)."""
    gained, passed = gained.T, passed.T
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
