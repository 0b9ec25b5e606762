"""Every two detectors compared on the same records, draw by draw."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

from labkit.evaluation.days import ratio_replicates
from labkit.evaluation.evaluation import Resampling
from labkit.evaluation.measures import resampled
from labkit.evaluation.options import Options
from labkit.evaluation.quantities import Quantity
from labkit.evaluation.records import Records
from labkit.evaluation.resampling import Replicates
from labkit.evaluation.results import DetectorResult, Measure, PairResult
from labkit.metrics import delong_test


def pairs(
    records: Records,
    detectors: Mapping[str, DetectorResult],
    replicates: Mapping[str, Replicates],
    compared: Sequence[Quantity],
    options: Options,
    resampling: Resampling,
) -> tuple[PairResult, ...]:
    """Return every two detectors compared, the later minus the earlier.

    Parameters
    ----------
    records
        Of both classes; with one class nothing is compared.
    detectors
        What was measured of each.
    replicates
        Detector -> its resamples, of the same draws for all.
    compared
        Numbers to take the differences of.
    options, resampling
        How intervals are made, and why there are none.
    """
    if records.labels.all() or not records.labels.any():
        return ()
    how = f"paired bootstrap of {records.unit}"
    found = []
    for baseline, detector in combinations(detectors, 2):
        one, other = detectors[detector], detectors[baseline]
        differences = {}
        for quantity in compared:
            difference = quantity.of_sweep(one.sweep) - quantity.of_sweep(other.sweep)
            drawn = [replicates[name].get(quantity.name) for name in (detector, baseline)]
            differences[quantity.name] = (
                Measure(difference, reason=resampling.reason)
                if drawn[0] is None
                else resampled(difference, drawn[0] - drawn[1], options.level, how)
            )
        differences |= _of_rankings(one, other, options)
        test = None
        if records.weights is None:
            scores = records.scores
            test = delong_test(records.labels, scores[detector], scores[baseline], options.level)
        found.append(PairResult(detector, baseline, differences, test))
    return tuple(found)


def _of_rankings(
    one: DetectorResult, other: DetectorResult, options: Options
) -> dict[str, Measure]:
    """Return the differences in recall of ranking each day, whole days drawn."""
    differences = {}
    for mine, theirs in zip(one.daily_budgets, other.daily_budgets, strict=True):
        a, b = mine.ranking, theirs.ranking
        difference = a.recall.estimate - b.recall.estimate
        name = f"recall at {mine.per_day:g} alerts a day"
        if math.isnan(difference) or a.recall.interval is None:
            differences[name] = Measure(difference, reason=a.recall.reason)
            continue
        attacks = a.days["attacks"].to_numpy(float)
        drawn = [ratio_replicates(by.days["tp"].to_numpy(float), attacks, options) for by in (a, b)]
        differences[name] = resampled(
            difference, drawn[0] - drawn[1], options.level, "paired bootstrap of days"
        )
    return differences
