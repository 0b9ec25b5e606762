"""What scores are worth as probabilities, of counts; of bins, between what bounds that lies."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from labkit.evaluation.bounds import Counts, bounded, sweep_of
from labkit.evaluation.calibration import N_BINS, calibration, log_loss_statistic, losses
from labkit.evaluation.measures import Intervals
from labkit.evaluation.results import CalibrationResult
from labkit.evaluation.thresholds import outside_unit, within_unit
from labkit.metrics import ThresholdSweep
from labkit.metrics.probability import into_bins
from labkit.metrics.statistics import Statistic, brier, mean_score
from labkit.scale import Bounds, ScoreSketch

EDGES = (*(edge / N_BINS for edge in range(N_BINS + 1)), *np.nextafter([0.0, 1.0], 2).tolist())
"""Scores at which bins of a sketch must begin, that what they hold be known: the edges of the
reliability table, and the scores next to 0 and 1, since 0 and 1 alone are certain."""


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


def losses_of_counts(sweep: ThresholdSweep) -> list[Statistic]:
    """Return the means over records that resamples are needed for."""
    labels, probabilities, _ = _rows(sweep, sweep.thresholds, sweep.thresholds)
    return losses(labels, probabilities)


def calibration_of_counts(counts: Counts, intervals: Intervals) -> CalibrationResult:
    """Return Brier score, log loss, mean prediction and reliability table.

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
    judged = calibration(*rows, intervals, counted=sweep.counts_records)
    if not isinstance(counts, ScoreSketch) or counts.exact:
        return judged
    low, high = counts.intervals[:2]
    best, worst = _rows(sweep, high, low), _rows(sweep, low, high)
    lowest, highest = _rows(sweep, low, low), _rows(sweep, high, high)

    def between(mean: Statistic, least: tuple, most: tuple) -> Bounds:
        return Bounds(*(_mean(mean, *rows) for rows in (least, most)))

    return replace(
        judged,
        brier_score=bounded(judged.brier_score, between(brier(), best, worst)),
        log_loss=bounded(
            judged.log_loss, between(log_loss_statistic(), best, worst), (0.0, math.inf)
        ),
        mean_prediction=bounded(judged.mean_prediction, between(mean_score(), lowest, highest)),
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
