"""Numbers and their resamples, counts or variance, made into measures with intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from labkit.evaluation.evaluation import Resampling
from labkit.evaluation.options import Options
from labkit.evaluation.resampling import Replicates
from labkit.evaluation.results import Measure
from labkit.metrics import AucInterval, percentiles, wilson
from labkit.metrics.statistics import Statistic

if TYPE_CHECKING:
    import pandas as pd

NO_ATTACKS = "there are no attacks"
NO_ALERTS = "there are no alerts"
ONE_CLASS = "there is one class only"
WEIGHTS = "records have weights"
NOTHING_VARIES = "no resample differs, which is no proof that others would not"

# Rows that are drawn in one go: bounds the memory where there are many.
_CELLS = 2**22


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
        Name of a statistic -> its value in every resample.
    resampling
        What these draw, or why there are none.
    """

    level: float
    independent: bool
    replicates: Replicates
    resampling: Resampling

    def none(self, reason: str) -> Intervals:
        """Return that there is no interval for a reason."""
        return Intervals(self.level, False, {}, replace(self.resampling, reason=reason))

    def measure(self, statistic: Statistic, estimate: float, undefined: str = "") -> Measure:
        """Return a number with the percentiles of its resamples.

        Parameters
        ----------
        statistic
            What the number is.
        estimate
            On the records as they are.
        undefined
            Why it is nan, if it is.
        """
        if math.isnan(estimate):
            return Measure(estimate, reason=undefined)
        if statistic.name not in self.replicates:
            return Measure(estimate, reason=self.resampling.reason)
        how = f"bootstrap of {self.resampling.unit}"
        return resampled(estimate, self.replicates[statistic.name], self.level, how)

    def share(self, statistic: Statistic, k: float, n: float, undefined: str) -> Measure:
        """Return a share k / n at a fixed threshold."""
        if n and self.independent:
            return Measure(k / n, *wilson(k, n, self.level), "Wilson")
        return self.measure(statistic, k / n if n else math.nan, undefined)


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
    # Sums of weights are rounded, and are no proof of a difference either.
    if math.isclose(low, high, rel_tol=1e-12, abs_tol=1e-15):
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


def ratio_over(
    table: pd.DataFrame, k: str, n: str, options: Options, undefined: str, unit: str = "days"
) -> Measure:
    """Return the sum of one column over that of another, whole rows drawn for its interval.

    Parameters
    ----------
    table
        One row a day or group.
    k, n
        The columns.
    options
        Level, number and seed of the draws.
    undefined
        Why there is no ratio where the second sum is 0.
    unit
        What the rows are.
    """
    over, under = table[k].to_numpy(float), table[n].to_numpy(float)
    if not under.sum():
        return Measure(math.nan, reason=undefined)
    estimate = float(over.sum() / under.sum())
    if not options.n_replicates:
        return Measure(estimate, reason="no resamples were asked for")
    if len(table) == 1:
        return Measure(estimate, reason=f"there is one of the {unit} only: draws could not differ")
    replicates = ratio_replicates(over, under, options)
    return resampled(estimate, replicates, options.level, f"bootstrap of {unit}")


def ratio_replicates(over: np.ndarray, under: np.ndarray, options: Options) -> np.ndarray:
    """Return sum(over) / sum(under) over rows drawn with replacement, shape (n_replicates,).

    Both of shape (m,). The draws hang on the seed and on m alone. nan where nothing is below the
    line.
    """
    rng = np.random.default_rng(options.seed)
    at_once = max(1, _CELLS // len(over))
    parts = []
    for first in range(0, options.n_replicates, at_once):
        size = min(at_once, options.n_replicates - first)
        drawn = rng.integers(0, len(over), (size, len(over)))
        totals = under[drawn].sum(axis=1)
        undefined = np.full(size, math.nan)
        parts.append(np.divide(over[drawn].sum(axis=1), totals, out=undefined, where=totals > 0))
    return np.concatenate(parts)
