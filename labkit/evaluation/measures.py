"""A number and its resamples, counts or variance, made into a `Measure`."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from labkit.evaluation.quantities import Quantity
from labkit.evaluation.resampling import Replicates
from labkit.evaluation.results import Measure
from labkit.metrics import AucInterval, percentiles, wilson

NO_ATTACKS = "there are no attacks"
NO_ALERTS = "there are no alerts"
ONE_CLASS = "there is one class only"
WEIGHTS = "records have weights"
NOTHING_VARIES = "no resample differs, which is no proof that others would not"


@dataclass(frozen=True)
class Intervals:
    """How the numbers of one detector get their intervals.

    Attributes
    ----------
    level
        Confidence level.
    independent
        Whether records count as independent, each as one: a share at a fixed threshold then has
        Wilson's interval, and needs no resamples.
    replicates
        Quantity -> its values on every resample.
    how
        What intervals from these are called, such as "bootstrap of days".
    reason
        Why there are no resamples; None where there are.
    """

    level: float
    independent: bool
    replicates: Replicates
    how: str
    reason: str | None

    def measure(self, name: str, estimate: float, undefined: str) -> Measure:
        """Return a number with the percentiles of its resamples.

        Parameters
        ----------
        name
            Under which its resamples are kept.
        estimate
            On the records as they are.
        undefined
            Why it is nan, if it is.
        """
        if math.isnan(estimate):
            return Measure(estimate, reason=undefined)
        if name not in self.replicates:
            return Measure(estimate, reason=self.reason)
        return resampled(estimate, self.replicates[name], self.level, self.how)

    def of_sweep(self, quantity: Quantity, estimate: float, undefined: str) -> Measure:
        """Return a quantity with the percentiles of its resamples."""
        return self.measure(quantity.name, estimate, undefined)

    def share(self, quantity: Quantity, k: float, n: float, undefined: str) -> Measure:
        """Return a share k / n at a fixed threshold."""
        if n and self.independent:
            return Measure(k / n, *wilson(k, n, self.level), "Wilson")
        return self.of_sweep(quantity, k / n if n else math.nan, undefined)


def resampled(estimate: float, replicates: np.ndarray, level: float, how: str) -> Measure:
    """Return a number with the percentiles of its resamples; the undefined ones are counted.

    Examples
    --------
    >>> found = resampled(2.0, np.array([3.0, 1.0, 2.0, math.nan]), 0.5, "bootstrap of days")
    >>> found.low, found.high, found.unusable
    (1.5, 2.5, 1)
    """
    if math.isinf(estimate):
        return Measure(estimate, reason="it is infinite")
    low, high, unusable = percentiles(replicates, level)
    if math.isnan(low):
        return Measure(estimate, unusable=unusable, reason="it is undefined in every resample")
    if low == high:
        return Measure(estimate, unusable=unusable, reason=NOTHING_VARIES)
    return Measure(estimate, low, high, how, unusable)


def by_every_cut(share: Measure, ends: tuple[float, float], of: float) -> Measure:
    """Return a share with its bounds over every way to cut a tied group.

    Parameters
    ----------
    share
        Of attacks, the tied group cut by chance.
    ends
        The fewest and the most attacks.
    of
        What they are a share of.

    Examples
    --------
    >>> by_every_cut(Measure(0.5), (1, 3), 4).bounds
    (0.25, 0.75)
    """
    fewest, most = ends
    if not of or fewest == most:
        return share
    return replace(share, bounds=(fewest / of, most / of))


def by_delong(result: AucInterval) -> Measure:
    """Return an AUC with DeLong's interval."""
    if math.isnan(result.auc):
        return Measure(math.nan, reason=ONE_CLASS)
    if math.isnan(result.low):
        return Measure(result.auc, reason="DeLong's variance needs two records of each class")
    if not result.variance:
        return Measure(result.auc, reason="DeLong's variance is 0, which is no proof of certainty")
    return Measure(result.auc, result.low, result.high, "DeLong")
