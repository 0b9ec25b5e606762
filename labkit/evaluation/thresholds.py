"""What thresholds do: those of budgets, and those of costs."""

from __future__ import annotations

import math

from labkit.decisions import cost_threshold, total_cost
from labkit.evaluation.intervals import (
    NO_ALERTS,
    NO_ATTACKS,
    ONE_CLASS,
    Intervals,
    by_every_cut,
)
from labkit.evaluation.options import Options
from labkit.evaluation.results import BudgetResult, CostResult, Measure, ThresholdResult
from labkit.metrics import ConfusionMatrix, OperatingPoint, ThresholdSweep
from labkit.metrics.statistics import (
    Statistic,
    cost_at,
    precision_at,
    precision_at_budget,
    recall_at,
    recall_at_budget,
)


def statistics_of_budget(budget: float) -> list[Statistic]:
    """Return the numbers of an alert budget that resamples are needed for."""
    if not budget:
        return []
    # `Options` has seen to it that budgets of records are whole.
    return [of(budget, whole=False) for of in (recall_at_budget, precision_at_budget)]


def statistics_of_threshold(threshold: float, options: Options) -> list[Statistic]:
    """Return the numbers of a threshold that resamples are needed for."""
    # nan stands for no alerts where inf is itself a score, and is no threshold.
    if math.isnan(threshold):
        return []
    rates = (precision_at(threshold, base_rate) for base_rate in options.base_rates)
    wanted = [recall_at(threshold), precision_at(threshold), *rates]
    if options.cost_fp is not None:
        wanted.append(cost_at(threshold, options.cost_fp, options.cost_fn))
    return wanted


def thresholds_of(sweep: ThresholdSweep, days: int, options: Options) -> set[float]:
    """Return every threshold that is looked at; `days` is 0 where no day is known."""
    found = {sweep.at_budget(budget).threshold for budget in options.budgets}
    if days:
        found |= {sweep.at_budget(budget * days).threshold for budget in options.budgets}
    if options.cost_fp is not None:
        found.add(sweep.at_cost(fp=options.cost_fp, fn=options.cost_fn).threshold)
        if within_unit(sweep):
            found.add(cost_threshold(options.cost_fp, options.cost_fn))
    return found


def within_unit(sweep: ThresholdSweep) -> bool:
    """Return whether every score lies within [0, 1], as a probability would."""
    return bool(sweep.thresholds[-1] >= 0 and sweep.thresholds[0] <= 1)


def at_point(point: OperatingPoint, options: Options, intervals: Intervals) -> ThresholdResult:
    """Return what the threshold of an operating point does.

    Parameters
    ----------
    point
        As a sweep counted it.
    options
        Base rates to project its precision to, and costs.
    intervals
        Of the sweep's detector.
    """
    at = point.threshold
    if not point.alerts and not math.isfinite(at):
        # Where no alert was allowed, nothing varies; nan is no threshold to ask resamples for.
        at, intervals = math.inf, intervals.none(NO_ALERTS)
    positives, negatives = point.tp + point.fn, point.fp + point.tn
    undefined = NO_ALERTS if positives and negatives else ONE_CLASS
    projected = {
        rate: intervals.measure(precision_at(at, rate), projected_precision(point, rate), undefined)
        for rate in options.base_rates
    }
    cost, a_record = None, None
    if options.cost_fp is not None:
        cost = total_cost(point, options.cost_fp, options.cost_fn)
        statistic = cost_at(at, options.cost_fp, options.cost_fn)
        a_record = intervals.measure(statistic, cost / (positives + negatives))
    return ThresholdResult(
        point.threshold,
        point.alerts,
        point.tp,
        point.fp,
        recall=intervals.share(recall_at(at), point.tp, positives, NO_ATTACKS),
        precision=intervals.share(precision_at(at), point.tp, point.alerts, NO_ALERTS),
        precision_at=projected,
        cost=cost,
        cost_per_record=a_record,
    )


def at_budget(
    sweep: ThresholdSweep, budget: float, options: Options, intervals: Intervals
) -> BudgetResult:
    """Return what the top records that a budget pays for hold, and the threshold that keeps it."""
    point = sweep.at_budget(budget, "expected")
    if budget:
        of_recall, of_precision = statistics_of_budget(budget)
        recall = intervals.measure(of_recall, point.recall, NO_ATTACKS)
        precision = intervals.measure(of_precision, point.precision, NO_ALERTS)
    else:
        recall = Measure(point.recall, reason=NO_ALERTS if sweep.positives else NO_ATTACKS)
        precision = Measure(point.precision, reason=NO_ALERTS)
    ends = point.tp_low, point.tp_high
    return BudgetResult(
        budget,
        point.ties_at_cut,
        point.tp,
        *ends,
        by_every_cut(recall, ends, sweep.positives),
        by_every_cut(precision, ends, point.alerts),
        at_point(sweep.at_budget(budget), options, intervals),
    )


def at_costs(sweep: ThresholdSweep, options: Options, intervals: Intervals) -> CostResult | None:
    """Return the thresholds that the costs ask for; None where there are no costs."""
    fp, fn = options.cost_fp, options.cost_fn
    if fp is None or fn is None:
        return None
    rule, reason = None, None
    if within_unit(sweep):
        rule = at_point(sweep.at_threshold(cost_threshold(fp, fn)), options, intervals)
    else:
        reason = outside_unit(sweep)
    return CostResult(
        fp,
        fn,
        at_point(sweep.at_cost(fp=fp, fn=fn), options, intervals),
        rule,
        reason,
        on_nothing=fn * sweep.positives,
        on_everything=fp * sweep.negatives,
    )


def projected_precision(point: ConfusionMatrix, base_rate: float) -> float:
    """Return the precision of an operating point where another share of records are attacks.

    Examples
    --------
    >>> point = ConfusionMatrix(tp=9, fp=90, fn=1, tn=900)
    >>> round(projected_precision(point, 0.001), 5)
    0.00981
    """
    right, wrong = base_rate * point.recall, (1 - base_rate) * point.fpr
    return right / (right + wrong) if right + wrong else math.nan


def outside_unit(sweep: ThresholdSweep) -> str:
    """Return in words that scores are no probabilities."""
    low, high = sweep.thresholds[-1], sweep.thresholds[0]
    return f"scores range from {low:g} to {high:g}: they are no probabilities until calibrated"
