"""Every two detectors compared on the same records, draw by draw."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations

from labkit.evaluation.days import ratio_replicates
from labkit.evaluation.evaluation import Resampling
from labkit.evaluation.measures import resampled
from labkit.evaluation.options import Options
from labkit.evaluation.quantities import Quantity, rankings
from labkit.evaluation.resampling import Replicates
from labkit.evaluation.results import DailyBudgetResult, DetectorResult, Measure, PairResult
from labkit.evaluation.thresholds import quantities_at_budget
from labkit.metrics import AucDifference

Test = Callable[[str, str], AucDifference]
"""From two detectors to DeLong's test of the first one's AUC against the second one's."""


def pairs(
    detectors: Mapping[str, DetectorResult],
    replicates: Mapping[str, Replicates],
    options: Options,
    resampling: Resampling,
    test: Test | None = None,
) -> tuple[PairResult, ...]:
    """Return every two detectors compared, the later minus the earlier.

    Parameters
    ----------
    detectors
        What was measured of each, on the same records of both classes.
    replicates
        Detector -> its resamples, of the same draws for all.
    options, resampling
        How intervals are made, and why there are none.
    test
        DeLong's; None where there are weights or no records.
    """
    how = f"paired bootstrap of {resampling.unit}"
    found = []
    for baseline, detector in combinations(detectors, 2):
        one, other = detectors[detector], detectors[baseline]
        differences = {}
        for quantity in _compared(options):
            difference = quantity.of_sweep(one.sweep) - quantity.of_sweep(other.sweep)
            drawn = [replicates[name].get(quantity.name) for name in (detector, baseline)]
            differences[quantity.name] = (
                Measure(difference, reason=resampling.reason)
                if drawn[0] is None
                else resampled(difference, drawn[0] - drawn[1], options.level, how)
            )
        differences |= _of_rankings(one, other, options)
        mine, theirs = _by_name(one, options), _by_name(other, options)
        for name, difference in differences.items():
            differences[name] = _with_bounds(difference, mine[name], theirs[name])
        tested = None if test is None else test(detector, baseline)
        found.append(PairResult(detector, baseline, differences, tested))
    return tuple(found)


def _compared(options: Options) -> list[Quantity]:
    """Return the numbers to take the differences of."""
    compared = [*rankings(options)]
    for budget in options.budgets:
        compared += quantities_at_budget(budget)
    return compared


def _of_rankings(
    one: DetectorResult, other: DetectorResult, options: Options
) -> dict[str, Measure]:
    """Return the differences in recall of ranking each day, whole days drawn."""
    differences = {}
    for mine, theirs in zip(one.daily_budgets, other.daily_budgets, strict=True):
        a, b = mine.ranking, theirs.ranking
        difference = a.recall.estimate - b.recall.estimate
        name = _daily_name(mine)
        if math.isnan(difference) or a.recall.interval is None:
            differences[name] = Measure(difference, reason=a.recall.reason)
            continue
        attacks = a.days["attacks"].to_numpy(float)
        drawn = [ratio_replicates(by.days["tp"].to_numpy(float), attacks, options) for by in (a, b)]
        differences[name] = resampled(
            difference, drawn[0] - drawn[1], options.level, "paired bootstrap of days"
        )
    return differences


def _by_name(one: DetectorResult, options: Options) -> dict[str, Measure]:
    """Return every number that is compared, by its name."""
    areas = one.auc, one.average_precision, *one.average_precision_at.values()
    named = {of.name: area for of, area in zip(rankings(options), areas, strict=True)}
    for budget in one.budgets:
        shares = budget.recall, budget.precision
        # Of a budget of nothing there are no numbers to compare.
        for of, share in zip(quantities_at_budget(budget.budget), shares, strict=False):
            named[of.name] = share
    for daily in one.daily_budgets:
        named[_daily_name(daily)] = daily.ranking.recall
    return named


def _with_bounds(difference: Measure, one: Measure, other: Measure) -> Measure:
    """Return a difference with its bounds, where one of the two numbers has bounds."""
    if one.bounds is None and other.bounds is None:
        return difference
    low, high = one.bounds or (one.estimate, one.estimate)
    least, most = other.bounds or (other.estimate, other.estimate)
    return replace(difference, bounds=(low - most, high - least))


def _daily_name(daily: DailyBudgetResult) -> str:
    return f"recall at {daily.per_day:g} alerts a day"
