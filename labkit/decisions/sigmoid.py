"""A sigmoid fitted by maximum likelihood: the numbers behind Platt scaling."""

import math

import numpy as np

from labkit.errors import InputError


def fit_sigmoid(
    scores: np.ndarray, targets: np.ndarray, weights: np.ndarray
) -> tuple[float, float]:
    """Return slope and intercept of the sigmoid of least cross-entropy, by Newton's method.

    Parameters
    ----------
    scores
        Shape (n,), not all equal, of a size whose squares float64 can hold.
    targets
        Probabilities to come near, shape (n,), strictly within (0, 1): the minimum is then finite
        and the only one.
    weights
        Shape (n,), positive.

    Raises
    ------
    InputError
        When the scores are spread so that no step finds the minimum.

    References
    ----------
    Lin, Lin and Weng (2007), A note on Platt's probabilistic outputs for support vector machines,
    Machine Learning 68, 267-276.

    Examples
    --------
    >>> slope, intercept = fit_sigmoid(np.array([-1, 1]), np.array([0.2, 0.8]), np.ones(2))
    >>> round(slope, 6) == round(math.log(4), 6), round(abs(intercept), 6)
    (True, 0.0)
    """
    mean = np.average(targets, weights=weights)
    # Slope and intercept: at first, the same probability for every score.
    line = np.array([0.0, math.log(mean / (1 - mean))])
    with np.errstate(all="ignore"):
        loss = _cross_entropy(line, scores, targets, weights)
        for _ in range(100):
            log_odds = line[0] * scores + line[1]
            p = 1 / (1 + np.exp(-log_odds))
            curvature = weights * p / (1 + np.exp(log_odds))
            missed = weights * (targets - p)
            # About the centre of the curvature the two unknowns separate, and no determinant is
            # left that could cancel.
            total = curvature.sum()
            centre = curvature @ scores / total
            aside = scores - centre
            lift = missed.sum() / total
            turn = missed @ aside / (curvature @ aside**2)
            step = np.array([turn, lift - turn * centre])
            # A whole step may overshoot. The allowance is for rounding, near the minimum.
            worst = loss * (1 + 1e-12)
            while (loss := _cross_entropy(line + step, scores, targets, weights)) > worst:
                step /= 2
            line += step
            # The mean square by which a whole step changes the log odds. The error after it is of
            # the order of the square of the change.
            if lift**2 + turn * (missed @ aside) / total <= 1e-20:
                return float(line[0]), float(line[1])
    raise InputError(
        "y_score spreads over too many orders of magnitude for one slope; take logarithms first"
    )


def _cross_entropy(
    line: np.ndarray, scores: np.ndarray, targets: np.ndarray, weights: np.ndarray
) -> float:
    log_odds = line[0] * scores + line[1]
    softplus = np.maximum(log_odds, 0) + np.log1p(np.exp(-np.abs(log_odds)))
    return weights @ (softplus - targets * log_odds)
