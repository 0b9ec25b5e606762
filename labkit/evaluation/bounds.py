"""What a sketch leaves open: the least and the most that each number can be, beside it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from labkit.evaluation.results import CostResult, DetectorResult, Measure, ThresholdByDay
from labkit.metrics import ThresholdSweep
from labkit.scale import Bounds, ScoreSketch

if TYPE_CHECKING:
    import pandas as pd

Counts = ThresholdSweep | ScoreSketch
"""Counts at every score, or in bins of scores."""


def sweep_of(counts: Counts) -> ThresholdSweep:
    """Return the counts at every threshold; of a sketch, at the edges of its bins."""
    return counts.sweep if isinstance(counts, ScoreSketch) else counts


def bounded(measure: Measure, bounds: Bounds, within: tuple[float, float] = (0.0, 1.0)) -> Measure:
    """Return a number with what it can be, its interval as much wider.

    Parameters
    ----------
    measure
        The number, which lies within its bounds.
    bounds
        The least and the most that it can be.
    within
        Beyond what no number of the kind can lie.

    Examples
    --------
    >>> bounded(Measure(0.5, 0.25, 0.75, "DeLong"), Bounds(0.375, 0.5625))
    ... # doctest: +NORMALIZE_WHITESPACE
    Measure(estimate=0.5, low=0.125, high=0.8125, interval='DeLong', unusable=0, reason=None,
            bounds=(0.375, 0.5625))
    """
    if math.isnan(bounds.low) or bounds.low == bounds.high:
        return measure
    return replace(
        measure,
        low=max(measure.low - (measure.estimate - bounds.low), within[0]),
        high=min(measure.high + (bounds.high - measure.estimate), within[1]),
        bounds=tuple(bounds),
    )


def with_bounds(
    result: DetectorResult, sketch: ScoreSketch, by_day: Mapping[object, Counts] | None
) -> DetectorResult:
    """Return what was measured of a sketch's sweep with what the sketch leaves open.

    What holds at a threshold is known, since thresholds are edges of bins, and so are the bounds of
    a budget, whose cut takes a bin for a tie. Open are areas, the least cost, and what a threshold
    does on a day whose bins it cuts.

    Parameters
    ----------
    result
        Of `sketch.sweep`.
    sketch, by_day
        Of all records and of each day's.
    """
    projected = {
        rate: bounded(measure, sketch.average_precision_at(rate))
        for rate, measure in result.average_precision_at.items()
        if not math.isnan(measure.estimate)
    }
    costs = None if result.costs is None else _with_least_bounds(result.costs, sketch)
    if by_day is not None:
        result = _with_day_bounds(result, by_day)
    return replace(
        result,
        auc=bounded(result.auc, sketch.roc_auc),
        auc_delong=result.auc_delong and bounded(result.auc_delong, sketch.roc_auc),
        average_precision=bounded(result.average_precision, sketch.average_precision),
        average_precision_at=dict(result.average_precision_at) | projected,
        costs=costs,
        notes=(
            *result.notes,
            f"Scores were counted in {len(sketch):,} bins, since the records do not fit in memory. "
            "What that leaves open stands in brackets: the least and the most that a number can "
            "be. Intervals are as much wider.",
        ),
    )


def with_bounds_of_days(result: DetectorResult, by_day: Mapping[object, Counts]) -> DetectorResult:
    """Return what was measured of an exact sweep with what the sketches of its days leave open.

    A day has fewer bins than all days together, and may leave open what is known of the whole.
    """
    return replace(
        _with_day_bounds(result, by_day),
        notes=(
            *result.notes,
            "Scores of each day were counted in bins, since the records do not fit in memory. What "
            "holds of all days together is exact; of a day, the least and the most that a number "
            "can be are given beside it.",
        ),
    )


def _with_day_bounds(result: DetectorResult, by_day: Mapping[object, Counts]) -> DetectorResult:
    return replace(
        result,
        days=_with_area_bounds(result.days, by_day),
        daily_budgets=tuple(
            replace(one, one_threshold=_on_days(one.one_threshold, by_day))
            for one in result.daily_budgets
        ),
    )


def _with_least_bounds(costs: CostResult, sketch: ScoreSketch) -> CostResult:
    least = sketch.at_cost(fp=costs.cost_fp, fn=costs.cost_fn)
    if costs.rule is not None:
        tp, fp = (getattr(sketch.at_threshold(costs.rule.threshold), name) for name in ("tp", "fp"))
        if tp.width or fp.width:
            reason = "a bin of the sketch holds the cost threshold; let one begin there"
            costs = replace(costs, rule=None, rule_reason=reason)
    return replace(costs, least_bounds=tuple(least))


def _with_area_bounds(days: pd.DataFrame, by_day: Mapping[object, Counts]) -> pd.DataFrame:
    areas = [_as_bounds(of_day.roc_auc) for of_day in by_day.values()]
    return days.assign(
        auc_least=[area.low for area in areas], auc_most=[area.high for area in areas]
    )


def _as_bounds(number: float | Bounds) -> Bounds:
    return number if isinstance(number, Bounds) else Bounds(number, number)


def _on_days(fixed: ThresholdByDay, by_day: Mapping[object, Counts]) -> ThresholdByDay:
    """Return what one threshold does on each day, with bounds where it cuts a bin of the day."""
    threshold = fixed.at_threshold.threshold
    if math.isnan(threshold):
        return fixed
    points = [of_day.at_threshold(threshold) for of_day in by_day.values()]
    tp, fp = ([_as_bounds(getattr(point, name)) for point in points] for name in ("tp", "fp"))
    days = fixed.days.assign(
        tp_low=[of_day.low for of_day in tp],
        tp_high=[of_day.high for of_day in tp],
        alerts_low=[found.low + wrong.low for found, wrong in zip(tp, fp, strict=True)],
        alerts_high=[found.high + wrong.high for found, wrong in zip(tp, fp, strict=True)],
    )
    return replace(
        fixed,
        fewest=days["alerts_low"].min().item(),
        most=days["alerts_high"].max().item(),
        days=days,
    )
