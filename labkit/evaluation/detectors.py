"""What there is to say of one detector whose records are known.

Counts come first: whatever a `ThresholdSweep` knows is read off it (`result_of`). Records add
intervals and calibration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from labkit.evaluation.calibration import calibration, losses
from labkit.evaluation.days import DaySweeps, day_table, one_threshold, ranking, ratio_over
from labkit.evaluation.evaluation import Resampling
from labkit.evaluation.measures import NO_ATTACKS, ONE_CLASS, WEIGHTS, Intervals, by_delong
from labkit.evaluation.notes import detector_notes
from labkit.evaluation.options import Options
from labkit.evaluation.quantities import Quantity, rankings
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
from labkit.metrics import ThresholdSweep, delong_of_counts, wilson

if TYPE_CHECKING:
    import pandas as pd


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
        wanted = quantities_of(sweep, len(rows), options)
        means = losses(records.labels, records.scores[name]) if within_unit(sweep) else []
        replicates = replicates_of(records, name, wanted, means, options)
    intervals = Intervals(
        options.level,
        independent=records.weights is None and records.drawn is None,
        replicates=replicates,
        how=f"bootstrap of {records.unit}",
        reason=resampling.reason,
    )
    missing, judged = {}, None
    if within_unit(sweep):
        judged = calibration(records.labels, records.scores[name], records.weights, intervals)
    else:
        missing["calibration"] = outside_unit(sweep)
    base_rate = _over_groups(records, options) if records.unit == "groups" else None
    result = result_of(sweep, by_day, options, intervals, judged, missing, base_rate)
    return result, replicates


def quantities_of(sweep: ThresholdSweep, days: int, options: Options) -> list[Quantity]:
    """Return all numbers that resamples are needed for."""
    wanted = [*rankings(options)]
    for budget in options.budgets:
        wanted += quantities_at_budget(budget)
    for threshold in thresholds_of(sweep, days, options):
        wanted += quantities_at(threshold, options)
    return wanted


def result_of(
    sweep: ThresholdSweep,
    by_day: DaySweeps | None,
    options: Options,
    intervals: Intervals,
    calibrated: CalibrationResult | None,
    missing: Mapping[str, str],
    base_rate: Measure | None = None,
) -> DetectorResult:
    """Return everything that is read off counts, with the intervals there are.

    Parameters
    ----------
    sweep, by_day
        Of all records and of each day's.
    options, intervals
        What is asked for, and where intervals come from.
    calibrated
        The scores as probabilities; None where they are none, and `missing` says why.
    missing
        Part -> why it is absent.
    base_rate
        Where neither single records nor days are drawn.
    """
    days = None if by_day is None else day_table(by_day, options.level)
    undefined = ONE_CLASS, NO_ATTACKS, *[ONE_CLASS] * len(options.base_rates)
    area, precision, *projected = (
        intervals.of_sweep(quantity, quantity.of_sweep(sweep), why)
        for quantity, why in zip(rankings(options), undefined, strict=True)
    )
    missing, daily, auc_delong = dict(missing), (), None
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
        auc=auc_delong if intervals.independent else area,
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


def _base_rate(sweep: ThresholdSweep, days: pd.DataFrame | None, options: Options) -> Measure:
    """Return the share of attacks, with an interval from single records or from whole days."""
    if not sweep.counts_records:
        return Measure(sweep.base_rate, reason="it is what the weights make it")
    if days is not None:
        return ratio_over(days, "attacks", "records", options, "")
    ends = wilson(sweep.positives, sweep.positives + sweep.negatives, options.level)
    return Measure(sweep.base_rate, *ends, "Wilson")


def _over_groups(records: Records, options: Options) -> Measure:
    """Return the share of attacks, with an interval from whole groups."""
    import pandas as pd

    if records.weights is not None:
        share = float(np.average(records.labels, weights=records.weights))
        return Measure(share, reason="it is what the weights make it")
    codes = records.drawn.codes
    groups = pd.DataFrame(
        {"attacks": np.bincount(codes, weights=records.labels), "records": np.bincount(codes)}
    )
    return ratio_over(groups, "attacks", "records", options, "", records.unit)
