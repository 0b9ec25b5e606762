"""Probabilities from scores, and for another population than the one a model was fitted to.

Platt scaling and isotonic regression are fitted to scores and labels alone, of records that the
model was not trained on. What is passed is what is fitted: a probability stays a probability and
no sigmoid is slipped in between.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.metrics.inputs import (
    as_labels,
    as_probabilities,
    as_scores,
    as_weights,
    check_lengths,
)
from labkit.metrics.scalars import as_share

Probability = TypeVar("Probability", float, np.ndarray)


@dataclass(frozen=True)
class PlattScaling:
    """A sigmoid from scores to probabilities: p = 1 / (1 + exp(-(slope * score + intercept))).

    Platt writes 1 / (1 + exp(A f + B)): A = -slope, B = -intercept.

    Parameters
    ----------
    slope
        Change of the log odds of attack with the score, per unit of the score. Negative when
        higher scores were less often attacks.
    intercept
        Log odds of attack at a score of 0.

    Examples
    --------
    >>> PlattScaling(slope=2, intercept=-1).predict([0.5, 1]).round(3).tolist()
    [0.5, 0.731]
    """

    slope: float
    intercept: float

    def predict(self, y_score: ArrayLike) -> np.ndarray:
        """Return the probability of attack of each score, shape (n,).

        Strictly monotone but for rounding: above log odds of 37, float64 knows no probability
        below 1. Infinite scores become 0 or 1; NaN is an error.
        """
        scores = as_scores(y_score)
        with np.errstate(over="ignore"):
            # A slope of 0 makes all scores alike, infinite ones too.
            log_odds = self.slope * scores if self.slope else np.zeros(len(scores))
            return 1 / (1 + np.exp(-(log_odds + self.intercept)))


@dataclass(frozen=True, eq=False)
class IsotonicCalibration:
    """Straight lines between knots that never fall, from scores to probabilities.

    Parameters
    ----------
    scores
        Scores of the knots, ascending, shape (m,).
    probabilities
        Probabilities of the knots, never falling, shape (m,).
    """

    scores: np.ndarray
    probabilities: np.ndarray

    def predict(self, y_score: ArrayLike) -> np.ndarray:
        """Return the probability of attack of each score, shape (n,).

        Linear between knots, and beyond the first and last what it is on them; never nan. NaN
        scores are an error.
        """
        scores = as_scores(y_score)
        above = np.searchsorted(self.scores, scores)
        last = len(self.scores) - 1
        low = self.probabilities[np.maximum(above - 1, 0)]
        high = self.probabilities[np.minimum(above, last)]
        # Interpolation rounds, and may overshoot the next knot by a bit: a fall from there on.
        return np.clip(np.interp(scores, self.scores, self.probabilities), low, high)


def platt_scaling(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> PlattScaling:
    """Return the sigmoid that Platt scaling fits to the scores of labelled records.

    Slope and intercept maximise the likelihood of smoothed targets: (N+ + 1) / (N+ + 2) for each
    of the N+ attacks and 1 / (N- + 2) for each of the N- normal records. Without them the slope
    would run off to infinity where a threshold separates the classes.

    The direction is fitted too: where higher scores are less often attacks, the slope is negative
    and the ranking is turned around. Constant scores say nothing; the slope is 0 and every
    probability about the base rate. Pass scores on a scale of log odds, such as a
    `decision_function`; a sigmoid of probabilities can never be the identity.

    Parameters
    ----------
    y_true
        Labels, shape (n,): booleans, 0/1 or -1/1; others need `pos_label`. Both classes.
    y_score
        Finite scores, shape (n,).
    sample_weight
        Weights, shape (n,), not negative. A weight of 2 stands for two equal records.
    pos_label
        The label that means attack.

    Raises
    ------
    InputError
        When one class is missing; on scores that are NaN, infinite, or spread over more orders of
        magnitude than one slope can serve; missing labels, unequal lengths, negative weights.

    References
    ----------
    Platt (2000), Probabilistic outputs for support vector machines, in Advances in Large Margin
    Classifiers, 61-74. Lin, Lin and Weng (2007), Machine Learning 68, 267-276, on fitting it.

    Examples
    --------
    >>> fitted = platt_scaling([0, 0, 1, 1], [-2, -1, 1, 2])
    >>> round(fitted.slope, 4)
    0.674
    >>> fitted.predict([-2, 0, 2]).round(3).tolist()
    [0.206, 0.5, 0.794]
    """
    labels, scores, weights = _calibration_records(y_true, y_score, sample_weight, pos_label)
    attacks, normals = weights[labels].sum(), weights[~labels].sum()
    targets = np.where(labels, (attacks + 1) / (attacks + 2), 1 / (normals + 2))
    if scores.min() == scores.max():
        mean = np.average(targets, weights=weights).item()
        return PlattScaling(0.0, math.log(mean / (1 - mean)))
    # To within 1 by powers of two, which round nothing, and about the median, so that neither an
    # offset nor a stray score takes the digits of the others.
    size = math.frexp(np.abs(scores).max())[1]
    scaled = np.ldexp(scores, -size)
    centre = np.median(scaled).item()
    aside = scaled - centre
    spread = math.frexp(np.abs(aside).max())[1]
    slope, at_centre = _logistic_fit(np.ldexp(aside, -spread), targets, weights)
    try:
        slope_of_scaled = math.ldexp(slope, -spread)
        return PlattScaling(
            math.ldexp(slope_of_scaled, -size), at_centre - slope_of_scaled * centre
        )
    except OverflowError:
        raise InputError(
            "y_score is so small that its slope leaves float64; multiply the scores"
        ) from None


def isotonic_calibration(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> IsotonicCalibration:
    """Return the isotonic regression of labels on scores: the best fit that never falls.

    Of all probabilities that never fall with the score, those of least squared error (and of least
    log loss). Equal scores share one probability, and no tolerance merges scores that differ.
    Whole stretches of scores may come to share one, and then tie. At its ends the fit may reach 0
    and 1, which new records can prove certain and wrong. Never decreasing: scores whose direction
    is wrong come out as little more than the base rate. Constant scores give the base rate.

    Parameters
    ----------
    y_true
        Labels, shape (n,): booleans, 0/1 or -1/1; others need `pos_label`. Both classes.
    y_score
        Finite scores, shape (n,).
    sample_weight
        Weights, shape (n,), not negative. A weight of 2 stands for two equal records.
    pos_label
        The label that means attack.

    Raises
    ------
    InputError
        When one class is missing; on scores that are NaN or infinite, missing labels, unequal
        lengths, negative weights.

    References
    ----------
    Zadrozny and Elkan (2002), Transforming classifier scores into accurate multiclass probability
    estimates, KDD, 694-699.

    Examples
    --------
    >>> fitted = isotonic_calibration([0, 1, 1], [0.2, 0.4, 0.6])
    >>> fitted.predict([0.1, 0.2, 0.3, 0.9]).round(3).tolist()
    [0.0, 0.0, 0.5, 1.0]
    """
    from sklearn.isotonic import isotonic_regression

    labels, scores, weights = _calibration_records(y_true, y_score, sample_weight, pos_label)
    # By distinct score before scikit-learn sees them: it takes scores within 1e-15 for equal.
    distinct, group = np.unique(scores, return_inverse=True)
    weight = np.bincount(group, weights=weights)
    share = np.bincount(group, weights=weights * labels) / weight
    fitted = isotonic_regression(share, sample_weight=weight, y_min=0, y_max=1)
    changes = np.diff(fitted) != 0
    knots = np.append(True, changes) | np.append(changes, True)
    return IsotonicCalibration(distinct[knots], fitted[knots])


def prior_shift(p: Probability, base_rate: float, new_base_rate: float) -> Probability:
    """Return the probability of attack at a new base rate.

    Theorem 2 of Elkan (2001): p' = b' (p - p b) / (b - p b + b' p - b b'), for class-conditional
    distributions that stay the same. Never decreasing in p, so no ranking is turned around; 0 and
    1 stay what they are.

    Parameters
    ----------
    p
        Probability, or an array of them, correct where the share of attacks is `base_rate`.
    base_rate, new_base_rate
        Shares of attacks b and b', within (0, 1).

    Returns
    -------
    float or numpy.ndarray
        Of the shape of p.

    Raises
    ------
    InputError
        On probabilities that are NaN or outside [0, 1], and on rates outside (0, 1).

    References
    ----------
    Elkan (2001), The foundations of cost-sensitive learning, IJCAI, 973-978.

    Examples
    --------
    >>> round(prior_shift(0.9, 0.5, 0.04), 4)
    0.2727
    """
    base_rate = as_share(base_rate, "base_rate")
    new_base_rate = as_share(new_base_rate, "new_base_rate")
    try:
        # Any array, so that a mask is seen and refused.
        given = np.asanyarray(p)
    except ValueError:
        raise InputError("p holds rows of unequal length; pass one number or an array") from None
    before = as_probabilities(given.ravel(), "p").reshape(given.shape)
    # The theorem in odds: the odds against attack change by one factor. Every step is monotone
    # after rounding too, which attack / (attack + normal) is not.
    factor = base_rate / (1 - base_rate) * ((1 - new_base_rate) / new_base_rate)
    if not 0 < factor < math.inf:
        raise InputError(
            f"base_rate {base_rate} and new_base_rate {new_base_rate} lie too far apart for float64"
        )
    with np.errstate(divide="ignore", over="ignore"):
        after = 1 / (1 + (1 - before) / before * factor)
    return after if np.ndim(p) else after.item()


def _logistic_fit(
    scores: np.ndarray, targets: np.ndarray, weights: np.ndarray
) -> tuple[float, float]:
    """Return slope and intercept of the logistic regression of targets within (0, 1) on scores."""
    from scipy.linalg import LinAlgWarning
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    failures = (ConvergenceWarning, LinAlgWarning)
    # scikit-learn fits labels: each record is an attack with its target's weight, and a normal one
    # with the rest.
    twice = np.concatenate([scores, scores])[:, None]
    labels = np.repeat([1, 0], len(scores))
    shares = np.concatenate([weights * targets, weights * (1 - targets)])
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10, max_iter=200)
    with warnings.catch_warnings():
        for failure in failures:
            warnings.simplefilter("error", failure)
        try:
            model.fit(twice, labels, sample_weight=shares)
        except failures:
            raise InputError(
                "y_score or sample_weight spreads over too many orders of magnitude for one slope; "
                "take logarithms, or divide the weights, first"
            ) from None
    return model.coef_.item(), model.intercept_.item()


def _calibration_records(
    y_true: ArrayLike,
    y_score: ArrayLike,
    sample_weight: ArrayLike | None,
    pos_label: object,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return labels, finite scores and positive weights of records of both classes."""
    labels, scores = as_labels(y_true, pos_label), as_scores(y_score)
    check_lengths(y_true=labels, y_score=scores)
    infinite = np.isinf(scores)
    if infinite.any():
        raise InputError(
            f"y_score is infinite in {np.count_nonzero(infinite)} of {len(scores)} records (the "
            f"first at row {int(np.argmax(infinite))}); calibrate on finite scores"
        )
    if sample_weight is None:
        weights = np.ones(len(scores))
    else:
        weights = as_weights(sample_weight)
        check_lengths(y_true=labels, sample_weight=weights)
        kept = weights > 0
        labels, scores, weights = labels[kept], scores[kept], weights[kept]
    if labels.all() or not labels.any():
        raise InputError("y_true holds one class only; calibrate on attacks and normal records")
    return labels, scores, weights
