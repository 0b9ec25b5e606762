"""DeLong's intervals: for one area under the ROC curve, and for two on the same records.

An AUC is a mean of placements: for an attack the share of normal records below it, for a normal
record the share of attacks above it, ties counting one half. The spread of the placements gives
the variance of the AUC, and their differences between two detectors that of the difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.metrics.inputs import as_labels, as_scores, check_lengths
from labkit.metrics.intervals import normal_quantile
from labkit.metrics.ranking import not_above

if TYPE_CHECKING:
    from labkit.metrics.sweep import ThresholdSweep


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
    won = _wins(as_labels(y_true, pos_label), y_score, "y_score")
    return _interval(*_mean_and_variance(*won), level)


def delong_of_counts(sweep: ThresholdSweep, level: float = 0.95) -> AucInterval:
    """Return what `delong` does, of records of which only the counts at every score are known.

    Parameters
    ----------
    sweep
        Counts of records, not of weights.
    level
        Confidence level, within (0, 1).

    Raises
    ------
    InputError
        When the sweep counts weights: how many records they are is not known.

    Examples
    --------
    >>> from labkit.metrics import ThresholdSweep
    >>> sweep = ThresholdSweep.from_scores([1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1])
    >>> result = delong_of_counts(sweep)
    >>> round(result.auc, 4), round(result.low, 3), round(result.high, 3)
    (0.7333, 0.31, 1.0)
    """
    if not sweep.counts_records:
        raise InputError("sweep counts weights; DeLong's variance needs numbers of records")
    attacks, normals = np.diff(sweep.tp, prepend=0), np.diff(sweep.fp, prepend=0)
    # What each attack and each normal record of a row wins, twice, as in `_wins`.
    of_attacks = 2 * (sweep.negatives - sweep.fp) + normals
    of_normals = 2 * sweep.tp - attacks
    return _interval(*_mean_and_variance(of_attacks, of_normals, attacks, normals), level)


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


def _interval(auc: float, variance: float, level: float) -> AucInterval:
    half_width = normal_quantile(level) * math.sqrt(variance)
    # Built-in max and min would turn a nan into a bound.
    low, high = np.clip([auc - half_width, auc + half_width], 0, 1).tolist()
    return AucInterval(auc, variance, low, high)


def _mean_and_variance(
    of_attacks: np.ndarray,
    of_normals: np.ndarray,
    attacks: np.ndarray | None = None,
    normals: np.ndarray | None = None,
) -> tuple[float, float]:
    """Return the mean of placements over all pairs and its variance; nan where undefined.

    Where `attacks` and `normals` are given, they say how many records have each placement.
    """
    positives, negatives = (
        len(won) if times is None else int(times.sum())
        for won, times in ((of_attacks, attacks), (of_normals, normals))
    )
    if not (positives and negatives):
        return math.nan, math.nan
    mean, by_attack = _moments(of_attacks, attacks, positives)
    mean /= 2 * negatives
    if min(positives, negatives) == 1:
        return mean, math.nan
    _, by_normal = _moments(of_normals, normals, negatives)
    by_attack /= (2 * negatives) ** 2 * positives
    by_normal /= (2 * positives) ** 2 * negatives
    return mean, by_attack + by_normal


def _moments(values: np.ndarray, times: np.ndarray | None, count: int) -> tuple[float, float]:
    """Return mean and sample variance of values, each of which may stand for several records."""
    if times is None:
        return float(values.mean()), float(values.var(ddof=1)) if count > 1 else math.nan
    mean = float(np.average(values, weights=times))
    squares = float(np.dot((values - mean) ** 2, times))
    return mean, squares / (count - 1) if count > 1 else math.nan
