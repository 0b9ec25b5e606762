"""What scores are worth as probabilities; only where all of them lie within [0, 1]."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from labkit.evaluation.bounds import Counts, bounded, sweep_of
from labkit.evaluation.intervals import Intervals
from labkit.evaluation.results import CalibrationResult, Measure
from labkit.evaluation.thresholds import outside_unit, within_unit
from labkit.metrics import (
    ThresholdSweep,
    brier_score,
    certain_and_wrong,
    log_loss,
    reliability_table,
    statistics,
)
from labkit.metrics.probability import into_bins
from labkit.metrics.statistics import Statistic
from labkit.scale import Bounds, ScoreSketch

N_BINS = 10
"""Bins of the reliability table, of equal width."""
EDGES = (*(edge / N_BINS for edge in range(N_BINS + 1)), *np.nextafter([0.0, 1.0], 2).tolist())
"""Scores at which bins of a sketch must begin, that what they hold be known: the edges of the
reliability table, and the scores next to 0 and 1, since 0 and 1 alone are certain."""

_MEANS = statistics.brier(), statistics.log_loss(), statistics.mean_score()


def why_no_probabilities(counts: Counts) -> str | None:
    """Return why scores cannot be judged as probabilities; None where they can."""
    sweep = sweep_of(counts)
    if not within_unit(sweep):
        return outside_unit(sweep)
    if isinstance(counts, ScoreSketch):
        low, high = counts.intervals[:2]
        bins = [into_bins(ends, N_BINS, "uniform")[1] for ends in (low, high)]
        if high.max() > 1 or not np.array_equal(*bins):
            return "bins of the sketch cross edges of the reliability table; let one begin at each"
    return None


def losses(sweep: ThresholdSweep) -> list[Statistic]:
    """Return the means over records that resamples are needed for.

    An infinite log loss is left out: times 0 where its record was not drawn, it would be no number.
    """
    labels, probabilities, _ = _rows(sweep, sweep.thresholds, sweep.thresholds)
    infinite = certain_and_wrong(labels, probabilities).any()
    return [one for one in _MEANS if not (infinite and one.name == "log loss")]


def calibration(
    labels: np.ndarray,
    probabilities: np.ndarray,
    weights: np.ndarray | None,
    intervals: Intervals,
) -> CalibrationResult:
    """Return Brier score, log loss, mean prediction and reliability table.

    Parameters
    ----------
    labels
        True where a record is an attack, shape (n,).
    probabilities
        Within [0, 1], shape (n,).
    weights
        Shape (n,), integers where they say how many records there are; or None.
    intervals
        Of the detector that gave the probabilities.
    """
    if weights is not None and not weights.all():
        # A record of weight zero counts nowhere, also where its loss is infinite.
        kept = weights > 0
        labels, probabilities, weights = labels[kept], probabilities[kept], weights[kept]
    if weights is None:
        estimates = (
            brier_score(labels, probabilities),
            log_loss(labels, probabilities),
            float(probabilities.mean()),
        )
    else:
        estimates = [_mean(one, labels, probabilities, weights) for one in _MEANS]
    bins = reliability_table(
        labels, probabilities, n_bins=N_BINS, level=intervals.level, sample_weight=weights
    )
    brier, loss, mean = map(intervals.measure, _MEANS, estimates)
    at = certain_and_wrong(labels, probabilities)
    counted = weights is None or weights.dtype.kind == "i"
    wrong = np.count_nonzero(at) if weights is None else weights[at].sum()
    wrong = int(wrong) if counted else float(wrong)
    if wrong:
        reason = f"{records_or_weight(wrong)} were given a probability of 0 or 1 and were the other"
        loss = Measure(math.inf, reason=reason)
    return CalibrationResult(brier, loss, mean, wrong, bins)


def records_or_weight(wrong: float) -> str:
    """Return in words how many records, or what weight of them.

    Examples
    --------
    >>> records_or_weight(3), records_or_weight(2.5)
    ('3 records', 'records of weight 2.5')
    """
    return f"{wrong:,} records" if isinstance(wrong, int) else f"records of weight {wrong:,.6g}"


def calibration_of_counts(counts: Counts, intervals: Intervals) -> CalibrationResult:
    """Return what `calibration` does, of counts.

    Of bins the numbers are those of their lowest scores. A record's loss is least where its score
    is the end of its bin that is next to its label, and largest at the other end.

    Parameters
    ----------
    counts
        Of probabilities, as `why_no_probabilities` found.
    intervals
        Of the detector that gave them.
    """
    sweep = sweep_of(counts)
    rows = _rows(sweep, sweep.thresholds, sweep.thresholds)
    judged = calibration(*rows, intervals)
    if not isinstance(counts, ScoreSketch) or counts.exact:
        return judged
    low, high = counts.intervals[:2]
    best, worst = _rows(sweep, high, low), _rows(sweep, low, high)
    lowest, highest = _rows(sweep, low, low), _rows(sweep, high, high)
    brier, loss, mean = _MEANS
    return replace(
        judged,
        brier_score=bounded(judged.brier_score, Bounds(_mean(brier, *best), _mean(brier, *worst))),
        log_loss=bounded(
            judged.log_loss, Bounds(_mean(loss, *best), _mean(loss, *worst)), (0.0, math.inf)
        ),
        mean_prediction=bounded(
            judged.mean_prediction, Bounds(_mean(mean, *lowest), _mean(mean, *highest))
        ),
    )


def _rows(
    sweep: ThresholdSweep, of_attacks: np.ndarray, of_normals: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a label, a score, and how many records have the two, each of shape (r,).

    Parameters
    ----------
    sweep
        The counts.
    of_attacks, of_normals
        What to take for the scores of each of its rows, shape (m,).
    """
    times = np.concatenate([np.diff(sweep.tp, prepend=0), np.diff(sweep.fp, prepend=0)])
    labels = np.repeat([True, False], len(sweep.thresholds))
    kept = times > 0
    return labels[kept], np.concatenate([of_attacks, of_normals])[kept], times[kept]


def _mean(mean: Statistic, labels: np.ndarray, scores: np.ndarray, times: np.ndarray) -> float:
    return float(np.average(mean.of_records(labels, scores, "scores"), weights=times))
