"""What there is to say of one detector: from its counts, and from its records where there are any.

Counts come first: whatever a `ThresholdSweep` knows is read off it. Records add what counts cannot
give: intervals by DeLong and the bootstrap, and calibration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from labkit.evaluation.calibration import calibration, losses
from labkit.evaluation.days import DaySweeps, day_table, one_threshold, ranking, ratio_over
from labkit.evaluation.evaluation import Resampling
from labkit.evaluation.measures import NO_ATTACKS, NO_RECORDS, ONE_CLASS, Intervals, by_delong
from labkit.evaluation.notes import detector_notes
from labkit.evaluation.options import Options
from labkit.evaluation.quantities import Quantity, auc, average_precision
from labkit.evaluation.records import Records
from labkit.evaluation.resampling import Replicates, replicates_of
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
    outside_unit,
    quantities_at,
    quantities_at_budget,
    thresholds_of,
    within_unit,
)
from labkit.metrics import ThresholdSweep, delong, wilson

if TYPE_CHECKING:
    import pandas as pd


def from_counts(
    sweep: ThresholdSweep, by_day: DaySweeps | None, options: Options
) -> DetectorResult:
    """Return what counts alone say: Wilson intervals at a threshold, and whole days drawn.

    Parameters
    ----------
    sweep
        Of all records.
    by_day
        Of each day's, or None.
    options
        What is asked for.
    """
    whole = sweep.counts_records
    reason = NO_RECORDS if whole else f"records have weights; {NO_RECORDS}"
    base_rate = Measure(sweep.base_rate, reason=reason)
    if whole:
        ends = wilson(sweep.positives, sweep.positives + sweep.negatives, options.level)
        base_rate = Measure(sweep.base_rate, *ends, "Wilson")
    return _result(
        sweep,
        by_day,
        options,
        Intervals(options.level, independent=whole, reason=reason),
        base_rate=base_rate,
        days=None if by_day is None else day_table(by_day),
        missing={"auc_delong": NO_RECORDS, "calibration": NO_RECORDS},
    )


def from_records(
    records: Records, name: str, options: Options, resampling: Resampling
) -> tuple[DetectorResult, Replicates]:
    """Return what records say of a detector, and its resamples.

    Parameters
    ----------
    records
        Of both classes or one.
    name
        Of the detector.
    options
        What is asked for.
    resampling
        Whether there is anything to draw.
    """
    sweep, by_day = records.sweep(name), None
    rows = [] if records.day is None else records.rows_by_day()
    if records.day is not None:
        sweeps = (records.sweep(name, of_day) for of_day in rows)
        by_day = dict(zip(records.day.names, sweeps, strict=True))
    replicates = {}
    if resampling.reason is None:
        wanted = _quantities(sweep, len(rows), options)
        means = losses(records.labels, records.scores[name]) if within_unit(sweep) else []
        replicates = replicates_of(records, name, wanted, means, options)
    intervals = Intervals(
        options.level,
        independent=records.weights is None and records.drawn is None,
        replicates=replicates,
        how=f"bootstrap of {records.unit}",
        reason=resampling.reason,
    )
    missing, area, judged = {}, None, None
    if records.weights is None:
        area = by_delong(delong(records.labels, records.scores[name], options.level))
    else:
        missing["auc_delong"] = "records have weights"
    if within_unit(sweep):
        judged = calibration(records.labels, records.scores[name], records.weights, intervals)
    else:
        missing["calibration"] = outside_unit(sweep)
    result = _result(
        sweep,
        by_day,
        options,
        intervals,
        base_rate=_base_rate(records, options),
        auc_delong=area,
        calibrated=judged,
        days=None if by_day is None else _days(by_day, records, name, rows, options),
        missing=missing,
    )
    return result, replicates


def rankings(options: Options) -> tuple[Quantity, ...]:
    """Return the numbers of a ranking that need no threshold: AUC, AP, AP at other base rates."""
    return auc(), average_precision(), *map(average_precision, options.base_rates)


def _quantities(sweep: ThresholdSweep, days: int, options: Options) -> list[Quantity]:
    """Return all numbers that resamples are needed for."""
    wanted = [*rankings(options)]
    for budget in options.budgets:
        wanted += quantities_at_budget(budget)
    for threshold in thresholds_of(sweep, days, options):
        wanted += quantities_at(threshold, options)
    return wanted


def _result(
    sweep: ThresholdSweep,
    by_day: DaySweeps | None,
    options: Options,
    intervals: Intervals,
    *,
    base_rate: Measure,
    days: pd.DataFrame | None,
    missing: Mapping[str, str],
    auc_delong: Measure | None = None,
    calibrated: CalibrationResult | None = None,
) -> DetectorResult:
    """Return everything that is read off counts, with the intervals there are."""
    undefined = ONE_CLASS, NO_ATTACKS, *[ONE_CLASS] * len(options.base_rates)
    area, precision, *projected = (
        intervals.of_sweep(quantity, quantity.of_sweep(sweep), why)
        for quantity, why in zip(rankings(options), undefined, strict=True)
    )
    missing, daily = dict(missing), ()
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
        base_rate=base_rate,
        distinct_scores=len(sweep.thresholds),
        # Where records are independent DeLong's interval needs no draws, and so no luck.
        auc=auc_delong if auc_delong is not None and intervals.independent else area,
        auc_delong=auc_delong,
        average_precision=precision,
        average_precision_at=dict(zip(options.base_rates, projected, strict=True)),
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


def _days(
    by_day: DaySweeps,
    records: Records,
    name: str,
    rows: list[np.ndarray],
    options: Options,
) -> pd.DataFrame:
    """Return the table of days, with DeLong's intervals where records count as one each."""
    days = day_table(by_day)
    if records.weights is not None:
        return days
    labels, scores = records.labels, records.scores[name]
    areas = [by_delong(delong(labels[at], scores[at], options.level)) for at in rows]
    return days.assign(auc_low=[area.low for area in areas], auc_high=[area.high for area in areas])


def _base_rate(records: Records, options: Options) -> Measure:
    """Return the share of attacks, with an interval from single records or from whole groups."""
    import pandas as pd

    labels = records.labels
    if records.weights is not None:
        share = float(np.average(labels, weights=records.weights))
        return Measure(share, reason="it is what the weights make it")
    if records.drawn is None:
        ends = wilson(np.count_nonzero(labels), len(labels), options.level)
        return Measure(float(labels.mean()), *ends, "Wilson")
    codes = records.drawn.codes
    groups = pd.DataFrame(
        {"attacks": np.bincount(codes, weights=labels), "records": np.bincount(codes)}
    )
    return ratio_over(groups, "attacks", "records", options, "", records.unit)
