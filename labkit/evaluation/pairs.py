"""Every two detectors compared on the same records, draw by draw."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations

from labkit.evaluation.detectors import compared
from labkit.evaluation.evaluation import Resampling
from labkit.evaluation.intervals import ratio_replicates, resampled
from labkit.evaluation.options import Options
from labkit.evaluation.resampling import Replicates
from labkit.evaluation.results import DetectorResult, Measure, PairResult, RankingByDay
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
        mine, theirs = _by_name(one, options), _by_name(other, options)
        differences = {}
        for name in mine:
            difference = mine[name].estimate - theirs[name].estimate
            drawn = [replicates[of].get(name) for of in (detector, baseline)]
            differences[name] = (
                Measure(difference, reason=resampling.reason)
                if drawn[0] is None
                else resampled(difference, drawn[0] - drawn[1], options.level, how)
            )
        for ours, others in zip(one.daily_budgets, other.daily_budgets, strict=True):
            name = f"recall at {ours.per_day:g} alerts a day"
            mine[name], theirs[name] = ours.ranking.recall, others.ranking.recall
            differences[name] = _of_rankings(ours.ranking, others.ranking, options)
        differences = {
            name: _with_bounds(difference, mine[name], theirs[name])
            for name, difference in differences.items()
        }
        tested = None if test is None else test(detector, baseline)
        found.append(PairResult(detector, baseline, differences, tested))
    return tuple(found)


def _by_name(one: DetectorResult, options: Options) -> dict[str, Measure]:
    """Return every number that is compared and was resampled, by its name."""
    areas = one.auc, one.average_precision, *one.average_precision_at.values()
    shares = [
        share
        for budget in one.budgets
        # Of a budget of nothing there are no numbers to compare.
        if budget.budget
        for share in (budget.recall, budget.precision)
    ]
    names = (statistic.name for statistic in compared(options))
    return dict(zip(names, [*areas, *shares], strict=True))


def _of_rankings(one: RankingByDay, other: RankingByDay, options: Options) -> Measure:
    """Return the difference in recall of ranking each day, whole days drawn."""
    difference = one.recall.estimate - other.recall.estimate
    if math.isnan(difference) or one.recall.interval is None:
        return Measure(difference, reason=one.recall.reason)
    attacks = one.days["attacks"].to_numpy(float)
    drawn = [
        ratio_replicates(by.days["tp"].to_numpy(float), attacks, options) for by in (one, other)
    ]
    return resampled(difference, drawn[0] - drawn[1], options.level, "paired bootstrap of days")


def _with_bounds(difference: Measure, one: Measure, other: Measure) -> Measure:
    """Return a difference with its bounds, where one of the two numbers has bounds."""
    if one.bounds is None and other.bounds is None:
        return difference
    low, high = one.bounds or (one.estimate, one.estimate)
    least, most = other.bounds or (other.estimate, other.estimate)
    return replace(difference, bounds=(low - most, high - least))
