"""Everything that there is to say of one detector, read off its counts.

Records add nothing but intervals, calibration, and DeLong's test of two detectors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.evaluation.calibration import losses
from labkit.evaluation.days import day_table, one_threshold, ranking
from labkit.evaluation.evaluation import Resampling
from labkit.evaluation.intervals import (
    NO_ATTACKS,
    ONE_CLASS,
    WEIGHTS,
    Intervals,
    by_delong,
    ratio_over,
)
from labkit.evaluation.notes import detector_notes
from labkit.evaluation.options import Options
from labkit.evaluation.resampling import DaySweeps, Replicates
from labkit.evaluation.results import (
    CalibrationResult,
    DailyBudgetResult,
    DetectorResult,
    Measure,
)
from labkit.evaluation.thresholds import (
    at_budget,
    at_costs,
    at_point,
    statistics_of_budget,
    statistics_of_threshold,
    thresholds_of,
)
from labkit.metrics import ThresholdSweep, delong_of_counts, wilson
from labkit.metrics.statistics import Statistic, auc, average_precision

if TYPE_CHECKING:
    import pandas as pd


# Of all records together; squares of it and of its inverse are well within float64.
_LEAST_WEIGHT = 1e-120


def compared(options: Options) -> list[Statistic]:
    """Return the numbers in which detectors are compared: of rankings, and of budgets in all."""
    rankings = [auc(), average_precision(), *map(average_precision, options.base_rates)]
    return rankings + [one for budget in options.budgets for one in statistics_of_budget(budget)]


def judged(
    sweep: ThresholdSweep,
    by_day: DaySweeps | None,
    options: Options,
    resampling: Resampling,
    *,
    draw: Callable[[list[Statistic]], Replicates],
    calibrate: Callable[[Intervals], CalibrationResult],
    no_probabilities: str | None,
    base_rate: Measure | None = None,
) -> tuple[DetectorResult, Replicates]:
    """Return everything that there is to say of a detector, and its resamples.

    Parameters
    ----------
    sweep, by_day
        Of all records and of each day's.
    options, resampling
        What is asked for, and what is drawn, if anything.
    draw
        From statistics to their values in every resample.
    calibrate
        From the detector's intervals to what its scores are worth as probabilities.
    no_probabilities
        Why they are none; None where they may be.
    base_rate
        Where neither single records nor days are drawn.

    Raises
    ------
    InputError
        When weights are so small or large that products of their sums leave float64.
    """
    _check_weights(sweep)
    replicates: Replicates = {}
    if resampling.reason is None:
        wanted = compared(options) + ([] if no_probabilities else losses(sweep))
        for threshold in thresholds_of(sweep, len(by_day or ()), options):
            wanted += statistics_of_threshold(threshold, options)
        replicates = draw(wanted)
    independent = resampling.unit == "records" and sweep.counts_records
    intervals = Intervals(options.level, independent, replicates, resampling)
    calibrated = no_probabilities or calibrate(intervals)
    return _result(sweep, by_day, options, intervals, calibrated, base_rate), replicates


def _check_weights(sweep: ThresholdSweep) -> None:
    total = sweep.positives + sweep.negatives
    if not sweep.counts_records and not _LEAST_WEIGHT <= total <= 1 / _LEAST_WEIGHT:
        raise InputError(
            f"the weights sum to {total:g}; multiply all by one number, so that they sum to "
            f"between {_LEAST_WEIGHT:g} and {1 / _LEAST_WEIGHT:g}"
        )


def _result(
    sweep: ThresholdSweep,
    by_day: DaySweeps | None,
    options: Options,
    intervals: Intervals,
    calibrated: CalibrationResult | str,
    base_rate: Measure | None,
) -> DetectorResult:
    """Return everything that is read off counts, with the intervals there are."""
    days = None if by_day is None else day_table(by_day, options.level)
    both = sweep.positives and sweep.negatives
    projected = {
        rate: intervals.measure(
            average_precision(rate),
            sweep.at_base_rate(rate).average_precision if both else math.nan,
            ONE_CLASS,
        )
        for rate in options.base_rates
    }
    missing, daily, auc_delong = {}, (), None
    if isinstance(calibrated, str):
        missing["calibration"], calibrated = calibrated, None
    if sweep.counts_records:
        auc_delong = by_delong(delong_of_counts(sweep, options.level))
    else:
        missing["auc_delong"] = WEIGHTS
    if by_day is None:
        missing["daily_budgets"] = missing["days"] = "no day was given"
    else:
        daily = tuple(
            _daily_budget(sweep, by_day, budget, options, intervals) for budget in options.budgets
        )
    if not options.budgets:
        missing["budgets"] = missing["daily_budgets"] = "no budget was given"
    costs = at_costs(sweep, options, intervals)
    if costs is None:
        missing["costs"] = "no costs were given"
    return DetectorResult(
        records=sweep.positives + sweep.negatives,
        positives=sweep.positives,
        negatives=sweep.negatives,
        base_rate=base_rate or _base_rate(sweep, days, options),
        distinct_scores=len(sweep.thresholds),
        # Where records are independent DeLong's interval needs no draws, and so no luck.
        auc=auc_delong
        if intervals.independent
        else intervals.measure(auc(), sweep.roc_auc, ONE_CLASS),
        auc_delong=auc_delong,
        average_precision=intervals.measure(
            average_precision(), sweep.average_precision, NO_ATTACKS
        ),
        average_precision_at=projected,
        budgets=tuple(at_budget(sweep, one, options, intervals) for one in options.budgets),
        daily_budgets=daily,
        costs=costs,
        calibration=calibrated,
        days=days,
        missing=missing,
        notes=detector_notes(sweep),
        sweep=sweep,
    )


def _daily_budget(
    sweep: ThresholdSweep,
    by_day: DaySweeps,
    per_day: float,
    options: Options,
    intervals: Intervals,
) -> DailyBudgetResult:
    point = sweep.at_budget(per_day * len(by_day))
    return DailyBudgetResult(
        per_day,
        ranking(by_day, per_day, options),
        one_threshold(by_day, at_point(point, options, intervals)),
    )


def _base_rate(sweep: ThresholdSweep, days: pd.DataFrame | None, options: Options) -> Measure:
    """Return the share of attacks, with an interval from single records or from whole days."""
    if not sweep.counts_records:
        return Measure(sweep.base_rate, reason="it is what the weights make it")
    if days is not None:
        return ratio_over(days, "attacks", "records", options, "")
    ends = wilson(sweep.positives, sweep.positives + sweep.negatives, options.level)
    return Measure(sweep.base_rate, *ends, "Wilson")
