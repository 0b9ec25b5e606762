"""The numbers that are measured, each written twice: of a sweep, and of resamples.

A number read off a `ThresholdSweep` needs no records and knows weights; `labkit.metrics.bootstrap`
reads the same number off thousands of resamples at once. Tests hold the two together.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from labkit.evaluation.options import Options
from labkit.metrics import ConfusionMatrix, ThresholdSweep, statistics
from labkit.metrics.statistics import Resamples, Statistic


@dataclass(frozen=True)
class Quantity:
    """A number that a detector has on labelled records.

    Attributes
    ----------
    of_sweep
        From a sweep to the number; nan where it is undefined.
    statistic
        The same for `labkit.metrics.bootstrap`.
    """

    of_sweep: Callable[[ThresholdSweep], float]
    statistic: Statistic

    @property
    def name(self) -> str:
        """How results call it."""
        return self.statistic.name


def auc() -> Quantity:
    """Area under the ROC curve; nan unless both classes occur."""
    return Quantity(lambda sweep: sweep.roc_auc, statistics.auc())


def average_precision(base_rate: float | None = None) -> Quantity:
    """Average precision, at the records' own base rate or at a given one."""
    statistic = statistics.average_precision(base_rate)
    if base_rate is None:
        return Quantity(lambda sweep: sweep.average_precision, statistic)

    def of(sweep: ThresholdSweep) -> float:
        if not (sweep.positives and sweep.negatives):
            return math.nan
        return sweep.at_base_rate(base_rate).average_precision

    return Quantity(of, statistic)


def rankings(options: Options) -> tuple[Quantity, ...]:
    """Return the numbers of a ranking that need no threshold: AUC, AP, AP at other base rates."""
    return auc(), average_precision(), *map(average_precision, options.base_rates)


def recall_at_budget(k: float) -> Quantity:
    """Recall of the top k; a group tied at the cut is cut by chance."""
    return Quantity(lambda sweep: sweep.at_budget(k, "expected").recall, _at_budget(k, "recall"))


def precision_at_budget(k: float) -> Quantity:
    """Precision of the top k, k above 0; a group tied at the cut is cut by chance."""
    return Quantity(
        lambda sweep: sweep.at_budget(k, "expected").precision, _at_budget(k, "precision")
    )


def recall_at(threshold: float) -> Quantity:
    """Recall of the rule score >= threshold."""
    return Quantity(
        lambda sweep: sweep.at_threshold(threshold).recall, statistics.recall_at(threshold)
    )


def precision_at(threshold: float, base_rate: float | None = None) -> Quantity:
    """Precision of the rule score >= threshold, at the records' own base rate or another one.

    At another base rate b it is b R / (b R + (1 - b) F), of recall R and false positive rate F; nan
    without alerts, or where a class is missing.
    """
    if base_rate is None:
        return Quantity(
            lambda sweep: sweep.at_threshold(threshold).precision,
            statistics.precision_at(threshold),
        )

    def of(sweep: ThresholdSweep) -> float:
        return projected_precision(sweep.at_threshold(threshold), base_rate)

    def of_resamples(resamples: Resamples) -> np.ndarray:
        row = _row(resamples, threshold)
        right = base_rate * resamples.tp[row] / resamples.tp[-1]
        wrong = (1 - base_rate) * resamples.fp[row] / resamples.negatives
        undefined = np.full(len(right), math.nan)
        return np.divide(right, right + wrong, out=undefined, where=right + wrong > 0)

    name = f"precision at score {threshold!r} where {base_rate!r} are attacks"
    return Quantity(of, Statistic(name, of_resamples, thresholds=(threshold,)))


def cost_at(threshold: float, cost_fp: float, cost_fn: float) -> Quantity:
    """Cost of a record's errors under the rule score >= threshold."""

    def of(sweep: ThresholdSweep) -> float:
        point = sweep.at_threshold(threshold)
        return (cost_fp * point.fp + cost_fn * point.fn) / (sweep.positives + sweep.negatives)

    def of_resamples(resamples: Resamples) -> np.ndarray:
        row, positives = _row(resamples, threshold), resamples.tp[-1]
        errors = cost_fp * resamples.fp[row] + cost_fn * (positives - resamples.tp[row])
        return errors / (positives + resamples.negatives)

    name = f"cost a record at score {threshold!r}"
    return Quantity(of, Statistic(name, of_resamples, thresholds=(threshold,)))


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


def _at_budget(k: float, rate: str) -> Statistic:
    """Return the statistic of a budget; one of weights has only a name, and is read off sweeps."""
    if k != int(k):
        return Statistic(f"{rate} at {k} alerts")
    of = {"recall": statistics.recall_at_budget, "precision": statistics.precision_at_budget}
    return of[rate](int(k))


def _row(resamples: Resamples, threshold: float) -> int:
    return int(np.flatnonzero(resamples.cuts == threshold)[0])
