"""What a Brier score is made of: reliability, resolution and uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from labkit.metrics.probability import Binning, into_bins, labels_and_probabilities


@dataclass(frozen=True)
class BrierDecomposition:
    """The parts of a Brier score: reliability - resolution + uncertainty + within_bins.

    Parameters
    ----------
    reliability
        Mean squared distance between the probability stated for a bin and the share of attacks
        observed in it; 0 when calibrated. Lower is better.
    resolution
        Mean squared distance between the share observed in a bin and the base rate; 0 when every
        bin holds the same share. Higher is better.
    uncertainty
        base rate * (1 - base rate): the Brier score of stating the base rate for every record.
    within_bins
        What the bins hide: the variance of the probabilities within them less twice their
        covariance with the labels. 0 over distinct probabilities; negative where probabilities
        tell attacks from normal records within a bin.
    """

    reliability: float
    resolution: float
    uncertainty: float
    within_bins: float

    @property
    def brier_score(self) -> float:
        """The sum of the parts, which is the Brier score up to rounding."""
        return self.reliability - self.resolution + self.uncertainty + self.within_bins


def brier_decomposition(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    n_bins: int | None = None,
    strategy: Binning = "uniform",
    pos_label: object = None,
) -> BrierDecomposition:
    """Return what the Brier score is made of.

    With n_k records in bin k of n, their mean probability p_k, their share of attacks o_k and the
    base rate o: reliability = sum n_k (p_k - o_k)² / n, resolution = sum n_k (o_k - o)² / n,
    uncertainty = o (1 - o). Murphy's three parts are the whole score where a bin holds equal
    probabilities; otherwise the fourth, of Stephenson and others, makes up the rest.

    Without bins each distinct probability is one. That suits a model of few levels; where nearly
    every record has a probability of its own, one record a bin looks perfectly resolved, and bins
    say more.

    Parameters
    ----------
    y_true
        Labels, shape (n,): booleans, 0/1 or -1/1; others need `pos_label`.
    y_prob
        Probabilities of attack, shape (n,), within [0, 1].
    n_bins, strategy
        Bins as in `reliability_table`; None for one a distinct probability.
    pos_label
        The label that means attack.

    Raises
    ------
    InputError
        On probabilities that are NaN or outside [0, 1], missing labels, unequal lengths, and on
        bins or a strategy that cannot be.

    References
    ----------
    Murphy (1973), Journal of Applied Meteorology 12, 595-600.
    Stephenson, Coelho and Jolliffe (2008), Weather and Forecasting 23, 752-757.

    Examples
    --------
    >>> parts = brier_decomposition([1, 0, 0, 0], [0.75, 0.75, 0.25, 0.25])
    >>> parts.reliability, parts.resolution, parts.uncertainty
    (0.0625, 0.0625, 0.1875)
    >>> parts.brier_score
    0.1875
    """
    labels, probabilities = labels_and_probabilities(y_true, y_prob, pos_label)
    if n_bins is None:
        stated, bins = np.unique(probabilities, return_inverse=True)
        count = np.bincount(bins)
    else:
        _, bins = into_bins(probabilities, n_bins, strategy)
        count = np.bincount(bins)
        # An empty bin weighs nothing below, whatever is stated for it.
        stated = np.bincount(bins, weights=probabilities) / np.maximum(count, 1)
    observed = np.bincount(bins[labels], minlength=len(count)) / np.maximum(count, 1)
    base_rate = labels.mean().item()
    aside = probabilities - stated[bins]
    within = aside * (aside - 2 * (labels - observed[bins]))
    return BrierDecomposition(
        reliability=float(np.average((stated - observed) ** 2, weights=count)),
        resolution=float(np.average((observed - base_rate) ** 2, weights=count)),
        uncertainty=base_rate * (1 - base_rate),
        within_bins=float(within.mean()),
    )
