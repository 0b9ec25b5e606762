"""DeLong's intervals: for one area under the ROC curve, and for two on the same records.

An AUC is a mean of placements: for an attack the share of normal records below it, for a normal
record the share of attacks above it, ties counting one half. The spread of the placements gives
the variance of the AUC, and their differences between two detectors that of the difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from labkit.metrics.inputs import as_labels, as_scores, check_lengths
from labkit.metrics.intervals import normal_quantile
from labkit.metrics.ranking import not_above


@dataclass(frozen=True)
class AucInterval:
    """An AUC with a normal interval, cut off at 0 and 1.

    A perfect ranking has variance 0 and an interval of no width: its placements do not vary,
    which on few records is no proof that others would not.
    """

    auc: float
    variance: float
    low: float
    high: float


@dataclass(frozen=True)
class AucDifference:
    """The difference of two AUCs, a minus b, with a normal interval and a two-sided test."""

    difference: float
    variance: float
    low: float
    high: float
    z: float
    p_value: float


def delong(
    y_true: ArrayLike,
    y_score: ArrayLike,
    level: float = 0.95,
    *,
    pos_label: object = None,
) -> AucInterval:
    """Return the AUC of a detector with DeLong's variance and interval.

    Treats records as independent; where they come in days or hosts, use `bootstrap` with groups.

    Parameters
    ----------
    y_true, y_score
        Labels and scores, shape (n,).
    level
        Confidence level, within (0, 1).
    pos_label
        The label that means attack, where labels are not booleans, 0/1 or -1/1.

    Returns
    -------
    AucInterval
        All nan where a class is missing; variance and bounds nan where one holds a single record.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, 837-845.

    Examples
    --------
    >>> result = delong([1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1])
    >>> round(result.auc, 4), round(result.low, 3), round(result.high, 3)
    (0.7333, 0.31, 1.0)
    """
    half_width = normal_quantile(level)
    auc, variance = _mean_and_variance(*_wins(as_labels(y_true, pos_label), y_score, "y_score"))
    half_width *= math.sqrt(variance)
    # Built-in max and min would turn a nan into a bound.
    low, high = np.clip([auc - half_width, auc + half_width], 0, 1).tolist()
    return AucInterval(auc, variance, low, high)


def delong_test(
    y_true: ArrayLike,
    y_score_a: ArrayLike,
    y_score_b: ArrayLike,
    level: float = 0.95,
    *,
    pos_label: object = None,
) -> AucDifference:
    """Compare the AUCs of two detectors on the same records.

    Parameters
    ----------
    y_true
        Labels, shape (n,).
    y_score_a, y_score_b
        Scores of the two detectors for the same records, shape (n,).
    level
        Confidence level of the interval, within (0, 1).
    pos_label
        The label that means attack, where labels are not booleans, 0/1 or -1/1.

    Returns
    -------
    AucDifference
        z and p_value are nan where nothing varies: the placements differ by one constant or not
        at all. All nan where a class is missing.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, 837-845.

    Examples
    --------
    >>> y_true = [1, 1, 1, 0, 0, 0]
    >>> result = delong_test(y_true, [6, 5, 4, 3, 2, 1], [6, 3, 1, 5, 4, 2])
    >>> round(result.difference, 4), round(result.p_value, 3)
    (0.5556, 0.077)
    """
    from scipy.special import ndtr

    half_width = normal_quantile(level)
    labels = as_labels(y_true, pos_label)
    attacks_a, normals_a = _wins(labels, y_score_a, "y_score_a")
    attacks_b, normals_b = _wins(labels, y_score_b, "y_score_b")
    difference, variance = _mean_and_variance(attacks_a - attacks_b, normals_a - normals_b)
    error = math.sqrt(variance)
    z = difference / error if error else math.nan
    return AucDifference(
        difference,
        variance,
        difference - half_width * error,
        difference + half_width * error,
        z,
        2 * float(ndtr(-abs(z))),
    )


def _wins(labels: np.ndarray, y_score: ArrayLike, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs that each attack wins, and that are won over each normal record, twice.

    Twice, so that a tie, which is half won, is a whole number too: equal placements are then equal
    to the last bit.
    """
    scores = as_scores(y_score, name)
    check_lengths(y_true=labels, **{name: scores})
    attacks, normals = scores[labels], scores[~labels]
    order = np.argsort(attacks)
    ascending = attacks[order]
    below = np.searchsorted(ascending, normals)
    upto = not_above(ascending, normals, below)
    # A normal record lies below the i-th attack when at most i attacks are at or below it.
    places = len(attacks) + 1
    won = np.bincount(upto, minlength=places) + np.bincount(below, minlength=places)
    of_attacks = np.empty(len(attacks), dtype=np.int64)
    of_attacks[order] = np.cumsum(won)[:-1]
    return of_attacks, 2 * len(attacks) - below - upto


def _mean_and_variance(of_attacks: np.ndarray, of_normals: np.ndarray) -> tuple[float, float]:
    """Return the mean of placements over all pairs and its variance; nan where undefined."""
    attacks, normals = len(of_attacks), len(of_normals)
    if not (attacks and normals):
        return math.nan, math.nan
    mean = float(of_attacks.mean()) / (2 * normals)
    if min(attacks, normals) == 1:
        return mean, math.nan
    by_attack = float(of_attacks.var(ddof=1)) / (2 * normals) ** 2 / attacks
    by_normal = float(of_normals.var(ddof=1)) / (2 * attacks) ** 2 / normals
    return mean, by_attack + by_normal
